//! Values and gradients of kernels.

use crate::data::{Held, HeldData};
use crate::errors::{bad, raise};
use crate::inspect::Given;
use crate::output::{matrix, vector};
use crate::run;
use mercer::kernels::{GaussianProcessClassifier, GaussianProcessRegressor, Held as Points, Kernel, Side};
use mercer::{Error, Input, Session};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::any::Any;

fn parse(text: &str) -> PyResult<Kernel> {
    Kernel::parse(text).map_err(|e| bad(format!("expected {e}")))
}

fn on_points<T>(
    kernel: &Kernel,
    input: &Input<'_>,
    work: impl FnOnce(&Side<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let held = Points::new("a kernel", kernel.data_kind(), input)?;
    work(&kernel.side(held.view())?)
}

/// The kernel of each point of `x` with each of `y`, or with each other.
#[pyfunction]
#[pyo3(signature = (text, x, y=None, single=false))]
pub(crate) fn kernel_matrix<'py>(
    py: Python<'py>,
    text: &str,
    x: &Bound<'py, PyAny>,
    y: Option<&Bound<'py, PyAny>>,
    single: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (kernel, x, y) = (parse(text)?, Held::of(x)?, y.map(Held::of).transpose()?);
    if single {
        let values = |left: &Side<'_>, right: Option<&Side<'_>>, session: &Session| {
            let columns = right.unwrap_or(left).len();
            Ok((kernel.single_in("a kernel", left, right, session)?, [left.len(), columns]))
        };
        let (values, shape) = on_both(py, &kernel, &x, y.as_ref(), values)?;
        return Ok(vector(py, values).reshape(shape)?.into_any());
    }
    let values = |left: &Side<'_>, right: Option<&Side<'_>>, session: &Session| match right {
        None => kernel.gram_in("a kernel", left, session),
        Some(right) => kernel.cross_in("a kernel", left, right),
    };
    Ok(matrix(py, on_both(py, &kernel, &x, y.as_ref(), values)?)?.into_any())
}

/// Something of the points of `x` and of `y`, if these are given, made ready.
fn on_both<T: Send>(
    py: Python<'_>,
    kernel: &Kernel,
    x: &Held,
    y: Option<&Held>,
    work: impl Fn(&Side<'_>, Option<&Side<'_>>, &Session) -> Result<T, Error> + Send + Sync,
) -> PyResult<T> {
    run::detached(py, &run::SESSION, false, |session| {
        session.run(|| {
            let input = x.input()?;
            on_points(kernel, &input, |left| match y {
                None => work(left, None, session),
                Some(y) => {
                    let input = y.input()?;
                    on_points(kernel, &input, |right| work(left, Some(right), session))
                }
            })
        })
    })
}

/// The kernel of all pairs of points, and its derivative by the logarithm of each free hyper-parameter: the last dimension.
#[pyfunction]
pub(crate) fn kernel_gradient<'py>(
    py: Python<'py>,
    text: &str,
    x: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyAny>)> {
    let (kernel, x) = (parse(text)?, Held::of(x)?);
    let (gram, gradients) = run::detached(py, &run::SESSION, false, |session| {
        session.run(|| {
            let input = x.input()?;
            on_points(&kernel, &input, |side| {
                Ok((kernel.gram_in("a kernel", side, session)?, kernel.gradients(side)))
            })
        })
    })?;
    let (n, p) = (gram.n_rows(), gradients.len());
    let flat: Vec<f64> =
        (0..n * n).flat_map(|cell| gradients.iter().map(move |g| g.as_slice()[cell])).collect();
    let gradients = PyArray1::from_vec(py, flat).reshape([n, n, p])?;
    Ok((matrix(py, gram)?, gradients.into_any()))
}

/// The kernel of each point with itself.
#[pyfunction]
pub(crate) fn kernel_diagonal<'py>(
    py: Python<'py>,
    text: &str,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (kernel, x) = (parse(text)?, Held::of(x)?);
    let input = x.input().map_err(raise)?;
    let found = on_points(&kernel, &input, |side| Ok(kernel.diagonal(side))).map_err(raise)?;
    Ok(vector(py, found))
}

/// Logarithms of hyper-parameters, their bounds and names, and whether the kernel is stationary.
type Theta = (Vec<f64>, Vec<(f64, f64)>, Vec<String>, bool);

/// Of a kernel the logarithms of the hyper-parameters that may be moved, their bounds and names, and whether it is stationary.
#[pyfunction]
pub(crate) fn kernel_theta(text: &str) -> PyResult<Theta> {
    let kernel = parse(text)?;
    Ok((kernel.theta(), kernel.bounds(), kernel.theta_names(), kernel.is_stationary()))
}

/// A kernel with other hyper-parameters, by their logarithms.
#[pyfunction]
pub(crate) fn kernel_with_theta(text: &str, theta: Vec<f64>) -> PyResult<String> {
    Ok(parse(text)?.with_theta(&theta).to_string())
}

/// The log marginal likelihood of data under a Gaussian process with the kernel as it is, and its gradient in the logarithms of the
/// hyper-parameters; `None` where the Gram matrix has no Cholesky factor.
#[pyfunction]
pub(crate) fn process_likelihood<'py>(
    py: Python<'py>,
    name: &str,
    params: &Bound<'py, PyDict>,
    data: Given<'py>,
) -> PyResult<Option<(f64, Vec<f64>)>> {
    let learner = crate::fit::learner(name, params)?;
    let (x, y, weights) = data;
    let held = HeldData::of(&x, Some(&y), weights.as_ref())?;
    let any: &dyn Any = learner.as_ref();
    let regressor = any.downcast_ref::<GaussianProcessRegressor>();
    let classifier = any.downcast_ref::<GaussianProcessClassifier>();
    run::detached(py, &run::SESSION, false, |session| {
        session.run(|| match (regressor, classifier) {
            (Some(process), _) => process.log_marginal_likelihood(&held.dataset()?, session),
            (_, Some(process)) => process.log_marginal_likelihood(&held.dataset()?, session),
            _ => Err(Error::incapable(name, "give a marginal likelihood")),
        })
    })
}
