//! What variational inference learns of a Gaussian mixture: a posterior of its parameters.

use super::bayesian::{BayesianGaussianMixture, Posterior, VariationalStep};
use super::em::Ended;
use super::gaussian_model::{draw, roots, told};
use super::gaussians::{CovarianceType, Gaussians};
use super::params::{Course, clusters, likeliest, reproved};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Densities, Fitted, Input, Params, Prediction, Proba, Result,
    Rows, Samples, Schema, Session,
};
use mercer_math::{Mat, by_weight, running_sums};
use serde::{Deserialize, Serialize};

/// A Gaussian mixture that was learnt by variational inference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BayesianGaussianMixtureModel {
    /// Expected weights, means and covariances.
    pub components: Gaussians,
    posterior: Posterior,
    step: VariationalStep,
    course: Course,
    certificate: Certificate,
}

impl BayesianGaussianMixtureModel {
    pub(crate) fn new(ended: Ended<Posterior>, mut step: VariationalStep, known: Option<Vec<i64>>) -> Self {
        step.forget();
        let found = ended.found;
        let what = "lower bound of the log evidence of the training rows, up to constants of the prior: what is climbed";
        let certificate = found.certificate(ended.why, what);
        let course = Course::of(&found, known);
        Self { components: found.theta.at.clone(), posterior: found.theta, step, course, certificate }
    }

    /// The bound at each iteration of the run that was kept.
    pub fn lower_bounds(&self) -> &[f64] {
        &self.course.bounds
    }

    fn asked(&self, input: &Input<'_>, shares: bool, session: &Session) -> Result<Mat> {
        let numbers = input.rows(BayesianGaussianMixture::NAME)?.numbers(BayesianGaussianMixture::NAME)?;
        Ok(session.run(|| self.posterior.kernel().ask(numbers.view(), shares)))
    }
}

impl Proba for BayesianGaussianMixtureModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.asked(input, true, session)
    }
}

impl Densities for BayesianGaussianMixtureModel {
    fn log_densities(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        self.asked(input, false, session).map(Mat::into_vec)
    }
}

impl Samples for BayesianGaussianMixtureModel {
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

impl Fitted for BayesianGaussianMixtureModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        clusters(likeliest(&self.asked(input, true, session)?), self.components.n_components())
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: Some(self), density: Some(self), sample: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let (k, course) = (self.components.n_components(), &self.course);
        reproved(&self.step, &self.posterior, k, course.last(), course.known.as_ref(), data, session)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (mut out, post) = (told(&self.components), &self.posterior);
        let (k, d, form) =
            (self.components.n_components(), self.components.n_features(), self.components.form);
        out.extend(self.course.attributes());
        let sticks = if post.rest.is_empty() { vec![k] } else { vec![2, k] };
        let concentration = [post.concentration.as_slice(), &post.rest].concat();
        let freed = if form == CovarianceType::Tied { vec![] } else { vec![k] };
        out.extend([
            Attribute::real(
                "weight_concentration_",
                "Concentrations of the weights: of each component, or of each stick and of those after it.",
                &sticks,
                concentration,
            ),
            Attribute::real(
                "mean_precision_",
                "How many rows each mean is worth.",
                &[k],
                post.mean_precision.clone(),
            ),
            Attribute::real("degrees_of_freedom_", "Those of the covariances.", &freed, post.degrees.clone()),
        ]);
        if let Some(prior) = &post.prior {
            let shape = match form {
                CovarianceType::Full | CovarianceType::Tied => vec![d, d],
                CovarianceType::Diag => vec![d],
                CovarianceType::Spherical => vec![],
            };
            let one = |name, doc, value| Attribute::real(name, doc, &[], vec![value]);
            out.extend([
                one(
                    "weight_concentration_prior_",
                    "How evenly the prior spreads weights.",
                    prior.concentration,
                ),
                one(
                    "mean_precision_prior_",
                    "How many rows the prior of the means is worth.",
                    prior.mean_precision,
                ),
                Attribute::real("mean_prior_", "The prior of the means.", &[d], prior.mean.clone()),
                one(
                    "degrees_of_freedom_prior_",
                    "The prior degrees of freedom of the covariances.",
                    prior.freedom,
                ),
                Attribute::real(
                    "covariance_prior_",
                    "The prior of the covariances.",
                    &shape,
                    prior.covariance.clone(),
                ),
            ]);
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (post, at) = (&self.posterior, &self.components);
        let (k, d) = (at.means.n_rows(), at.means.n_cols());
        let positive = |v: &[f64]| v.iter().all(|v| *v > 0.0 && v.is_finite());
        let fits = at.is_consistent()
            && post.at == *at
            && d == schema.n_features()
            && post.concentration.len() == k
            && (post.rest.is_empty() || post.rest.len() == k)
            && post.mean_precision.len() == k
            && post.degrees.len() == at.form.count(k)
            && [&post.concentration, &post.rest, &post.mean_precision, &post.degrees]
                .iter()
                .all(|v| positive(v))
            && (self.step.form, self.step.n_components, self.step.n_features) == (at.form, k, d)
            && post.prior.as_ref().is_none_or(|p| p.mean.len() == d && p.covariance.len() == at.form.size(d));
        if fits { Ok(()) } else { Err("components do not fit the schema".to_owned()) }
    }
}
