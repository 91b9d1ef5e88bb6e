//! Laws of chance, Gaussian calculus and estimators: functions over `mercer::stats`.

use crate::buffers::{HeldMatrix, HeldSlice};
use crate::data::slice;
use crate::errors::{bad, raise};
use crate::output::{matrix, vector};
use crate::run;
use mercer::math::{Mat, Rng};
use mercer::stats::{
    self, Dirichlet, FAMILIES, Family, Gaussian, InverseWishart, Multinomial, MultivariateStudent, Study,
    Univariate, Wishart,
};
use mercer::{Error, Session};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Matrix<'py> = Bound<'py, PyArray2<f64>>;
type Rows<'a, 'py> = &'a Bound<'py, PyAny>;

fn law(name: &str, parameters: &[f64]) -> PyResult<Box<dyn Univariate>> {
    run::in_place(|| Family::named(name)?.law(parameters))
}

pub(crate) fn mat(array: &Bound<'_, PyAny>) -> PyResult<Mat> {
    Ok(HeldMatrix::of(array).ok_or_else(|| bad("expected a float64 matrix"))?.view().to_mat())
}

/// All families: name, sentence, parameters with their defaults (none is None), whether it is discrete.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn law_families() -> Vec<(&'static str, &'static str, Vec<(&'static str, Option<f64>)>, bool)> {
    let parameter = |p: &stats::Parameter| (p.name, Some(p.default).filter(|d| !d.is_nan()));
    FAMILIES
        .iter()
        .map(|f| (f.name, f.doc, f.parameters.iter().map(parameter).collect(), f.discrete))
        .collect()
}

/// One of the functions of a law at each of some numbers.
#[pyfunction]
pub(crate) fn law_values<'py>(
    py: Python<'py>,
    name: &str,
    parameters: Vec<f64>,
    what: &str,
    x: Rows<'_, 'py>,
) -> PyResult<Floats<'py>> {
    let (law, x): (_, HeldSlice<f64>) = (law(name, &parameters)?, slice(x)?);
    let of: fn(&dyn Univariate, f64) -> f64 = match what {
        "log_density" => |law, x| law.log_density(x),
        "density" => |law, x| law.density(x),
        "cdf" => |law, x| law.cdf(x),
        "survival" => |law, x| law.survival(x),
        "quantile" => |law, p| law.quantile(p),
        "upper_quantile" => |law, q| law.upper_quantile(q),
        "log_cdf" => |law, x| law.log_cdf(x),
        "log_survival" => |law, x| law.log_survival(x),
        other => return Err(bad(format!("laws have no function `{other}`"))),
    };
    let values = run::detached(py, &run::SESSION, false, |_| {
        Ok(x.slice().iter().map(|x| if x.is_nan() { *x } else { of(law.as_ref(), *x) }).collect())
    })?;
    Ok(vector(py, values))
}

/// The derivatives of the log density by the parameters, numbers × parameters.
#[pyfunction]
pub(crate) fn law_score<'py>(
    py: Python<'py>,
    name: &str,
    parameters: Vec<f64>,
    x: Rows<'_, 'py>,
) -> PyResult<Matrix<'py>> {
    let (law, x): (_, HeldSlice<f64>) = (law(name, &parameters)?, slice(x)?);
    let rows: Vec<f64> = x.slice().iter().flat_map(|x| law.score(*x)).collect();
    let found = Mat::from_vec(rows, x.slice().len(), parameters.len()).ok_or_else(|| bad("no score"))?;
    matrix(py, found)
}

/// Mean, variance and entropy of a law.
#[pyfunction]
pub(crate) fn law_moments(name: &str, parameters: Vec<f64>) -> PyResult<(f64, f64, f64)> {
    let law = law(name, &parameters)?;
    Ok((law.mean(), law.variance(), law.entropy()))
}

/// The mean of a power of a law's number.
#[pyfunction]
pub(crate) fn law_moment(name: &str, parameters: Vec<f64>, order: u32) -> PyResult<f64> {
    if order > 1000 {
        return Err(raise(Error::param("moment", "order", "at most 1000", order)));
    }
    Ok(law(name, &parameters)?.moment(order))
}

/// The ends of a law's support.
#[pyfunction]
pub(crate) fn law_support(name: &str, parameters: Vec<f64>) -> PyResult<(f64, f64)> {
    Ok(law(name, &parameters)?.support())
}

/// Fisher's information of one observation.
#[pyfunction]
pub(crate) fn law_information<'py>(
    py: Python<'py>,
    name: &str,
    parameters: Vec<f64>,
) -> PyResult<Option<Matrix<'py>>> {
    law(name, &parameters)?.information().map(|found| matrix(py, found)).transpose()
}

/// Draws of a law.
#[pyfunction]
pub(crate) fn law_draws<'py>(
    py: Python<'py>,
    name: &str,
    parameters: Vec<f64>,
    n: usize,
    seed: u64,
) -> PyResult<Floats<'py>> {
    let law = law(name, &parameters)?;
    let mut rng = Session::new(seed).rng(0);
    let draws =
        run::detached(py, &run::SESSION, false, |_| Ok((0..n).map(|_| law.draw(&mut rng)).collect()))?;
    Ok(vector(py, draws))
}

/// The most likely, or with priors the most probable, parameters of a family.
#[pyfunction]
pub(crate) fn law_fit<'py>(
    py: Python<'py>,
    name: &str,
    x: Rows<'_, 'py>,
    weights: Option<Vec<f64>>,
    fixed: Vec<Option<f64>>,
    priors: Vec<Option<(String, Vec<f64>)>>,
) -> PyResult<Bound<'py, PyDict>> {
    let x: HeldSlice<f64> = slice(x)?;
    let laws = priors.iter().map(|prior| prior.as_ref().map(|(name, values)| law(name, values)).transpose());
    let laws: Vec<Option<Box<dyn Univariate>>> = laws.collect::<PyResult<_>>()?;
    let found = run::detached(py, &run::SESSION, false, |_| {
        let priors: Vec<Option<&dyn Univariate>> = laws.iter().map(Option::as_deref).collect();
        stats::map_estimate(Family::named(name)?, x.slice(), weights.as_deref(), &fixed, &priors)
    })?;
    let told = PyDict::new(py);
    told.set_item("parameters", found.parameters)?;
    told.set_item("log_likelihood", found.log_likelihood)?;
    told.set_item("score", found.score)?;
    told.set_item("standard_errors", found.standard_errors)?;
    Ok(told)
}

/// The sample of one run of a study.
#[pyfunction]
pub(crate) fn study_sample<'py>(
    py: Python<'py>,
    name: &str,
    parameters: Vec<f64>,
    n: usize,
    size: usize,
    run: usize,
    seed: u64,
) -> PyResult<Floats<'py>> {
    let law = law(name, &parameters)?;
    Ok(vector(py, stats::sample_of_run(law.as_ref(), n, size, run, &Session::new(seed))))
}

/// What the errors of an estimator say of it.
#[pyfunction]
pub(crate) fn study_errors<'py>(
    py: Python<'py>,
    name: &str,
    parameters: Vec<f64>,
    n: usize,
    truth: f64,
    errors: Vec<f64>,
    slopes: Vec<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let law = law(name, &parameters)?;
    let told = Study::of_errors(n, truth, &errors, law.as_ref(), &slopes).map_err(raise)?;
    let out = PyDict::new(py);
    out.set_item("n", told.n)?;
    out.set_item("mean", told.mean)?;
    for (name, (value, error)) in [("bias", told.bias), ("variance", told.variance), ("mse", told.mse)] {
        out.set_item(name, value)?;
        out.set_item(format!("{name}_error"), error)?;
    }
    out.set_item("cramer_rao", told.cramer_rao)?;
    out.set_item("efficiency", told.efficiency)?;
    Ok(out)
}

/// The estimator of James and Stein.
#[pyfunction]
pub(crate) fn james_stein(
    py: Python<'_>,
    x: Vec<f64>,
    variance: f64,
    positive_part: bool,
) -> PyResult<Floats<'_>> {
    Ok(vector(py, stats::james_stein(&x, variance, positive_part).map_err(raise)?))
}

/// A law of vectors or matrices behind its questions.
enum Many {
    Gaussian(Gaussian),
    Student(MultivariateStudent),
    Dirichlet(Dirichlet),
    Multinomial(Multinomial),
    Wishart(Wishart),
    InverseWishart(InverseWishart),
}

impl Many {
    /// A number, a vector and a matrix make any of them; what is not used is empty.
    fn of(name: &str, number: f64, values: Vec<f64>, square: Mat) -> Result<Self, Error> {
        Ok(match name {
            "gaussian" => Many::Gaussian(Gaussian::new(values, square)?),
            "student" => Many::Student(MultivariateStudent::new(number, values, square)?),
            "dirichlet" => Many::Dirichlet(Dirichlet::new(values)?),
            "multinomial" if number >= 0.0 && number == number.floor() => {
                Many::Multinomial(Multinomial::new(number as u64, &values)?)
            }
            "multinomial" => {
                return Err(Error::param("Multinomial", "n", "a whole number of at least 0", number));
            }
            "wishart" => Many::Wishart(Wishart::new(number, square)?),
            "inverse_wishart" => Many::InverseWishart(InverseWishart::new(number, square)?),
            other => {
                return Err(Error::unknown("law", other, ["gaussian", "student", "dirichlet", "wishart"]));
            }
        })
    }

    /// The log density at a row: a vector, or a matrix row by row.
    fn log_density(&self, row: &[f64]) -> Result<f64, Error> {
        let square = |d: usize| {
            Mat::from_vec(row.to_vec(), d, d)
                .ok_or_else(|| Error::shape("values of a matrix", d * d, row.len()))
        };
        match self {
            Many::Gaussian(law) => law.log_density(row),
            Many::Student(law) => law.log_density(row),
            Many::Dirichlet(law) => law.log_density(row),
            Many::Multinomial(law) => law.log_density(row),
            Many::Wishart(law) => law.log_density(&square(law.mean().n_rows())?),
            Many::InverseWishart(law) => law.log_density(&square(law.mean().n_rows())?),
        }
    }

    /// The log density at each row.
    fn log_densities(&self, rows: &Mat) -> Result<Vec<f64>, Error> {
        match self {
            Many::Gaussian(law) => law.log_densities(rows.view()),
            Many::Student(law) => law.log_densities(rows.view()),
            Many::Dirichlet(_) | Many::Multinomial(_) | Many::Wishart(_) | Many::InverseWishart(_) => {
                (0..rows.n_rows()).map(|i| self.log_density(rows.row(i))).collect()
            }
        }
    }

    /// Draws, one a row.
    fn draws(&self, n: usize, rng: &mut Rng) -> Result<Mat, Error> {
        let rows: Vec<Vec<f64>> = match self {
            Many::Gaussian(law) => return law.draws(n, rng),
            Many::Student(law) => return law.draws(n, rng),
            Many::Dirichlet(law) => (0..n).map(|_| law.draw(rng)).collect(),
            Many::Multinomial(law) => (0..n).map(|_| law.draw(rng)).collect(),
            Many::Wishart(law) => law.draws(n, rng)?.into_iter().map(Mat::into_vec).collect(),
            Many::InverseWishart(law) => law.draws(n, rng)?.into_iter().map(Mat::into_vec).collect(),
        };
        Mat::from_rows(&rows).ok_or_else(|| Error::shape("draws", n, rows.len()))
    }

    fn entropy(&self) -> Result<f64, Error> {
        match self {
            Many::Gaussian(law) => law.entropy(),
            Many::Student(law) => law.entropy(),
            Many::Dirichlet(law) => Ok(law.entropy()),
            Many::Multinomial(law) => Ok(law.entropy()),
            Many::Wishart(law) => law.entropy(),
            Many::InverseWishart(law) => law.entropy(),
        }
    }

    /// The mean, and the covariance; of laws of matrices the variance of each number.
    fn moments(&self) -> (Mat, Mat) {
        let row = |mean: Vec<f64>| Mat::from_fn(1, mean.len(), |_, j| mean[j]);
        match self {
            Many::Gaussian(law) => (row(law.mean().to_vec()), law.covariance().clone()),
            Many::Student(law) => (row(law.mean()), law.covariance()),
            Many::Dirichlet(law) => (row(law.mean()), law.covariance()),
            Many::Multinomial(law) => (row(law.mean()), law.covariance()),
            Many::Wishart(law) => (law.mean(), law.variance()),
            Many::InverseWishart(law) => (law.mean(), law.variance()),
        }
    }
}

/// The law of vectors or matrices with these parameters, as the other functions take it.
#[pyclass(frozen, name = "ManyLaw", module = "mercer._mercer")]
pub(crate) struct PyMany(Many);

#[pymethods]
impl PyMany {
    #[new]
    fn new(name: &str, number: f64, values: Vec<f64>, square: Rows<'_, '_>) -> PyResult<Self> {
        let square = mat(square)?;
        run::in_place(|| Many::of(name, number, values, square)).map(PyMany)
    }

    /// The log density at each row.
    fn log_density<'py>(&self, py: Python<'py>, rows: Rows<'_, 'py>) -> PyResult<Floats<'py>> {
        let rows = mat(rows)?;
        let found = run::detached(py, &run::SESSION, false, |_| self.0.log_densities(&rows))?;
        Ok(vector(py, found))
    }

    /// Draws, one a row.
    fn draws<'py>(&self, py: Python<'py>, n: usize, seed: u64) -> PyResult<Matrix<'py>> {
        let mut rng = Session::new(seed).rng(0);
        let draws = run::detached(py, &run::SESSION, false, |_| self.0.draws(n, &mut rng))?;
        matrix(py, draws)
    }

    /// The mean, and the covariance; of laws of matrices the variance of each number.
    fn moments<'py>(&self, py: Python<'py>) -> PyResult<(Matrix<'py>, Matrix<'py>)> {
        let (mean, spread) = self.0.moments();
        Ok((matrix(py, mean)?, matrix(py, spread)?))
    }

    /// The entropy in nats.
    fn entropy(&self) -> PyResult<f64> {
        self.0.entropy().map_err(raise)
    }
}

/// A Gaussian law made from another: mean and covariance.
fn told(py: Python<'_>, law: Result<Gaussian, Error>) -> PyResult<(Floats<'_>, Matrix<'_>)> {
    let law = law.map_err(raise)?;
    Ok((vector(py, law.mean().to_vec()), matrix(py, law.covariance().clone())?))
}

fn gaussian(mean: Vec<f64>, covariance: Rows<'_, '_>) -> PyResult<Gaussian> {
    let covariance = mat(covariance)?;
    run::in_place(|| Gaussian::new(mean, covariance))
}

/// The law of some of the numbers.
#[pyfunction]
pub(crate) fn gaussian_marginal<'py>(
    py: Python<'py>,
    mean: Vec<f64>,
    covariance: Rows<'_, 'py>,
    keep: Vec<usize>,
) -> PyResult<(Floats<'py>, Matrix<'py>)> {
    told(py, gaussian(mean, covariance)?.marginal(&keep))
}

/// The law of the other numbers, given some.
#[pyfunction]
pub(crate) fn gaussian_conditional<'py>(
    py: Python<'py>,
    mean: Vec<f64>,
    covariance: Rows<'_, 'py>,
    known: Vec<usize>,
    values: Vec<f64>,
) -> PyResult<(Floats<'py>, Matrix<'py>)> {
    told(py, gaussian(mean, covariance)?.conditional(&known, &values))
}

/// The law of Ax + b, with noise of its own where a covariance of noise is given.
#[pyfunction]
pub(crate) fn gaussian_map<'py>(
    py: Python<'py>,
    mean: Vec<f64>,
    covariance: Rows<'_, 'py>,
    a: Rows<'_, 'py>,
    b: Vec<f64>,
) -> PyResult<(Floats<'py>, Matrix<'py>)> {
    told(py, gaussian(mean, covariance)?.map(&mat(a)?, &b))
}

/// The joint law of x and Ax + b + noise.
#[pyfunction]
pub(crate) fn gaussian_joined<'py>(
    py: Python<'py>,
    mean: Vec<f64>,
    covariance: Rows<'_, 'py>,
    a: Rows<'_, 'py>,
    b: Vec<f64>,
    noise: Rows<'_, 'py>,
) -> PyResult<(Floats<'py>, Matrix<'py>)> {
    told(py, gaussian(mean, covariance)?.joined(&mat(a)?, &b, &mat(noise)?))
}

/// The law that the product of two densities is proportional to, and the logarithm of its integral.
#[pyfunction]
pub(crate) fn gaussian_product<'py>(
    py: Python<'py>,
    first: (Vec<f64>, Bound<'py, PyAny>),
    second: (Vec<f64>, Bound<'py, PyAny>),
) -> PyResult<(Floats<'py>, Matrix<'py>, f64)> {
    let (one, two) = (gaussian(first.0, &first.1)?, gaussian(second.0, &second.1)?);
    let (law, log_integral) = one.product(&two).map_err(raise)?;
    let (mean, covariance) = told(py, Ok(law))?;
    Ok((mean, covariance, log_integral))
}

/// The law of the sum of two independent vectors.
#[pyfunction]
pub(crate) fn gaussian_plus<'py>(
    py: Python<'py>,
    first: (Vec<f64>, Bound<'py, PyAny>),
    second: (Vec<f64>, Bound<'py, PyAny>),
) -> PyResult<(Floats<'py>, Matrix<'py>)> {
    let (one, two) = (gaussian(first.0, &first.1)?, gaussian(second.0, &second.1)?);
    told(py, one.plus(&two))
}

/// Kullback and Leibler's divergence of two laws.
#[pyfunction]
pub(crate) fn gaussian_divergence(
    first: (Vec<f64>, Bound<'_, PyAny>),
    second: (Vec<f64>, Bound<'_, PyAny>),
) -> PyResult<f64> {
    let (one, two) = (gaussian(first.0, &first.1)?, gaussian(second.0, &second.1)?);
    one.divergence(&two).map_err(raise)
}

/// Mean and variance of xᵀAx.
#[pyfunction]
pub(crate) fn gaussian_quadratic_form(
    mean: Vec<f64>,
    covariance: Rows<'_, '_>,
    a: Rows<'_, '_>,
) -> PyResult<(f64, f64)> {
    gaussian(mean, covariance)?.quadratic_form(&mat(a)?).map_err(raise)
}

/// The most likely concentrations of rows of shares.
#[pyfunction]
pub(crate) fn dirichlet_fit<'py>(py: Python<'py>, rows: Rows<'_, 'py>) -> PyResult<Floats<'py>> {
    let rows = mat(rows)?;
    let found = run::detached(py, &run::SESSION, false, |_| Dirichlet::fit(rows.view()))?;
    Ok(vector(py, found.alpha().to_vec()))
}

/// The concentrations of the sums of shares over the parts of a partition.
#[pyfunction]
pub(crate) fn dirichlet_merged(
    py: Python<'_>,
    alpha: Vec<f64>,
    parts: Vec<Vec<usize>>,
) -> PyResult<Floats<'_>> {
    let law = Dirichlet::new(alpha).and_then(|law| law.merged(&parts)).map_err(raise)?;
    Ok(vector(py, law.alpha().to_vec()))
}

/// The concentrations after counts were seen.
#[pyfunction]
pub(crate) fn dirichlet_posterior(py: Python<'_>, alpha: Vec<f64>, counts: Vec<f64>) -> PyResult<Floats<'_>> {
    let law = Dirichlet::new(alpha).and_then(|law| law.posterior(&counts)).map_err(raise)?;
    Ok(vector(py, law.alpha().to_vec()))
}

/// The exponents of the beta law of one share.
#[pyfunction]
pub(crate) fn dirichlet_marginal(alpha: Vec<f64>, j: usize) -> PyResult<(f64, f64)> {
    let law = Dirichlet::new(alpha).and_then(|law| law.marginal(j)).map_err(raise)?;
    Ok((law.a, law.b))
}
