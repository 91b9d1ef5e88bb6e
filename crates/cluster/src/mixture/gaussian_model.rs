//! What a Gaussian mixture learns: components.

use super::em::Ended;
use super::gaussian::{First, GaussianMixture, GaussianStep, kernel};
use super::gaussians::{CovarianceType, Gaussians, root};
use super::params::{Course, clusters, likeliest, reproved};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Densities, Fitted, Input, Numbers, Params, Prediction, Proba,
    Result, Rows, Samples, Schema, Session,
};
use mercer_math::{Mat, Rng, by_weight, normal, running_sums};
use serde::{Deserialize, Serialize};

/// A fitted Gaussian mixture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaussianMixtureModel {
    /// The components.
    pub components: Gaussians,
    course: Course,
    reg_covar: f64,
    certificate: Certificate,
}

impl GaussianMixtureModel {
    pub(crate) fn new(ended: Ended<Gaussians>, reg_covar: f64, known: Option<Vec<i64>>) -> Self {
        let found = ended.found;
        let what =
            "mean log-likelihood of the training rows (of known rows with their component): what EM climbs";
        let certificate = found.certificate(ended.why, what);
        let course = Course::of(&found, known);
        Self { components: found.theta, course, reg_covar, certificate }
    }

    /// The mean log-likelihood at each iteration of the run that was kept, before its M-step.
    pub fn lower_bounds(&self) -> &[f64] {
        &self.course.bounds
    }

    /// Whether the run that was kept reached the tolerance.
    pub fn converged(&self) -> bool {
        self.course.converged
    }

    /// Free numbers of the model.
    pub fn n_parameters(&self) -> usize {
        n_parameters(&self.components)
    }

    fn numbers<'a>(input: &Input<'a>) -> Result<Numbers<'a>> {
        input.rows(GaussianMixture::NAME)?.numbers(GaussianMixture::NAME)
    }

    fn asked(&self, input: &Input<'_>, shares: bool, session: &Session) -> Result<Mat> {
        let numbers = Self::numbers(input)?;
        Ok(session.run(|| kernel(&self.components).ask(numbers.view(), shares)))
    }
}

/// Free numbers of Gaussian components and their weights.
pub(crate) fn n_parameters(at: &Gaussians) -> usize {
    let (k, d) = (at.n_components(), at.n_features());
    at.form.n_free(k, d) + k * d + k - 1
}

/// `n_parameters_`, which information criteria ask for.
pub(crate) fn free_numbers(count: usize) -> Attribute {
    Attribute::int("n_parameters_", "How many free numbers the model has.", &[], vec![count as i64])
}

/// What scikit-learn tells of Gaussian components.
pub(crate) fn told(at: &Gaussians) -> Vec<Attribute> {
    let (k, d) = (at.n_components(), at.n_features());
    let shape = at.form.shape(k, d);
    vec![
        Attribute::real("weights_", "The share of each component.", &[k], at.weights.clone()),
        Attribute::real(
            "means_",
            "The mean of each component, one a row.",
            &[k, d],
            at.means.as_slice().to_vec(),
        ),
        Attribute::real("covariances_", "The covariances.", &shape, at.covariances.clone()),
        Attribute::real("precisions_", "The inverse covariances.", &shape, at.precisions()),
        Attribute::real(
            "precisions_cholesky_",
            "Upper triangular factors P of the inverse covariances P Pᵀ.",
            &shape,
            at.factors.clone(),
        ),
    ]
}

/// A draw from component `c`; `stretch` is the scale of its standard deviations.
pub(crate) fn draw(at: &Gaussians, roots: &[Mat], c: usize, stretch: f64, rng: &mut Rng, out: &mut [f64]) {
    let d = at.n_features();
    let z: Vec<f64> = (0..d).map(|_| stretch * normal(rng)).collect();
    for (j, out) in out.iter_mut().enumerate() {
        let step = match at.form {
            CovarianceType::Full => mercer_math::dot(roots[c].row(j), &z),
            CovarianceType::Tied => mercer_math::dot(roots[0].row(j), &z),
            CovarianceType::Diag => z[j] / at.factor(c)[j],
            CovarianceType::Spherical => z[j] / at.factor(c)[0],
        };
        *out = at.means[(c, j)] + step;
    }
}

/// The lower triangular roots of covariances that are matrices.
pub(crate) fn roots(at: &Gaussians) -> Vec<Mat> {
    let matrices = matches!(at.form, CovarianceType::Full | CovarianceType::Tied);
    let count = if matrices { at.form.count(at.n_components()) } else { 0 };
    (0..count).map(|c| root(at.factor(c), at.n_features())).collect()
}

impl Proba for GaussianMixtureModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.asked(input, true, session)
    }
}

impl Densities for GaussianMixtureModel {
    fn log_densities(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        self.asked(input, false, session).map(Mat::into_vec)
    }
}

impl Samples for GaussianMixtureModel {
    fn sample(&self, n: usize, session: &Session) -> Result<Rows<'static>> {
        let (at, mut rng) = (&self.components, session.rng(0));
        let (sums, roots) = (running_sums(at.weights.iter().copied()), roots(at));
        let mut out = Mat::zeros(n, at.n_features());
        for i in 0..n {
            let c = by_weight(&mut rng, &sums);
            draw(at, &roots, c, 1.0, &mut rng, out.row_mut(i));
        }
        Ok(out.into())
    }
}

impl Fitted for GaussianMixtureModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        let shares = self.asked(input, true, session)?;
        clusters(likeliest(&shares), self.components.n_components())
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: Some(self), density: Some(self), sample: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let step = GaussianStep {
            form: self.components.form,
            n_features: self.components.n_features(),
            reg: self.reg_covar,
            given: First::default(),
        };
        let (at, course) = (&self.components, &self.course);
        reproved(&step, at, at.n_components(), course.last(), course.known.as_ref(), data, session)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut out = told(&self.components);
        out.push(free_numbers(self.n_parameters()));
        out.extend(self.course.attributes());
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = self.components.is_consistent() && self.components.n_features() == schema.n_features();
        if fits { Ok(()) } else { Err("components do not fit the schema".to_owned()) }
    }
}
