//! Mixtures of multivariate t distributions: Gaussian mixtures whose outliers do not draw.
//!
//! # Objective
//! $$ \max_{\pi,\mu,\Sigma,\nu}\ \sum_i w_i \ln \sum_k \pi_k\, t_{\nu_k}(x_i;\ \mu_k, \Sigma_k) $$
//!
//! # Algorithm
//! ECM (see `em.rs`): a t distribution is a Gaussian whose covariance is divided by a hidden Gamma(ν/2, ν/2). The E-step takes the
//! shares r of the components and u = (ν + d) / (ν + q), where q is the squared Mahalanobis distance: rows far from a
//! component draw its mean and scale by r u only. The degrees of freedom then solve
//! ln(ν/2) − ψ(ν/2) + 1 + Σ r (ln u − u) / Σ r + ψ((ν₀ + d)/2) − ln((ν₀ + d)/2) = 0, with ν₀ those of before.
//!
//! # Complexity
//! As a Gaussian mixture.
//!
//! # Example
//! ```
//! use mercer_cluster::StudentMixture;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_fn(41, 1, |i, _| if i == 40 { 1e3 } else { (i as f64 - 19.5) / 10.0 });
//! let model = StudentMixture::default().fit(&Dataset::new(&x))?;
//! assert!(model.components.means[(0, 0)].abs() < 0.2); // the mean of the rows is 24.4
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Degrees of freedom stay between 0.1 and 200: beyond, a t distribution is a Gaussian for all that data can tell. As for Gaussian
//! mixtures, `reg_covar` may let the likelihood fall by about its size.
//!
//! # References
//! - D. Peel, G. J. McLachlan. Robust mixture modelling using the t distribution. Stat. Comput. 10, 2000. doi:10.1023/A:1008981510081
//! - C. Liu, D. B. Rubin. ML estimation of the t distribution using EM and its extensions, ECM and ECME. Statistica Sinica 5, 1995.

use super::em::{Ended, Expectation, Seen};
use super::gaussian_model::{draw, free_numbers, n_parameters, roots, told};
use super::gaussians::{CovarianceType, Gaussians};
use super::kernel::{GaussianSums, Kernel};
use super::params::{Course, CovarianceParams, EmParams, check_size, clusters, likeliest, reproved};
use super::start::MixtureInit;
use mercer_core::sums::Batches;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Densities, Fitted, Input, Learn, Params,
    Prediction, Proba, Result, Rows, Samples, Schema, Session,
};
use mercer_math::special::{digamma, lgamma};
use mercer_math::{Mat, by_weight, running_sums};
use mercer_stats::draw::gamma;
use serde::{Deserialize, Serialize};

/// Mixtures of multivariate t distributions.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "t-mixture student-mixture",
    canon = "C2",
    task = Clustering,
    python = "mixture",
    order = "n_components covariance_type tol reg_covar max_iter, degrees labels",
    tried = "| n_components=3 | n_components=2,covariance_type=tied,degrees=5 | n_components=2,covariance_type=diag,init_params=random_from_data",
    session = "verbose random_state",
    mixins = "MixtureMixin",
    can = "proba density sample weights by_sums random scaled",
    references = "Peel, McLachlan. Robust mixture modelling using the t distribution. Stat. Comput. 10, 2000.|Liu, Rubin. ML estimation of the t distribution using EM and its extensions, ECM and ECME. Statistica Sinica 5, 1995."
)]
pub struct StudentMixture {
    /// How EM runs.
    #[param(flatten)]
    pub em: EmParams,
    /// The scale matrices.
    #[param(flatten)]
    pub shape: CovarianceParams,
    /// The degrees of freedom of all components; without it each learns its own.
    #[param(default = None, range = "(0, inf)")]
    pub degrees: Option<f64>,
}

impl Learn for StudentMixture {
    type Model = StudentMixtureModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<StudentMixtureModel> {
        let step = self.step(data.n_features())?;
        let ended = self.em.fit(&step, None, data, session)?;
        Ok(StudentMixtureModel::new(ended, step, self.em.labels.clone()))
    }

    fn learn_stream(
        &self,
        batches: &mut dyn Batches,
        session: &Session,
    ) -> Option<Result<StudentMixtureModel>> {
        let stream = |batches: &mut dyn Batches| {
            let step = self.step(batches.schema()?.n_features())?;
            let ended = self.em.stream(&step, &self.capabilities(), batches, session)?;
            Ok(StudentMixtureModel::new(ended, step, None))
        };
        Some(stream(batches))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { scaled: self.em.n_components > 1, ..Self::declaration().capabilities }
    }
}

impl StudentMixture {
    fn step(&self, d: usize) -> Result<StudentStep> {
        let form = self.shape.covariance_type;
        check_size(Self::NAME, self.em.n_components, d.saturating_mul(form.size(d)))?;
        Ok(StudentStep { form, reg: self.shape.reg_covar, degrees: self.degrees })
    }
}

/// E-step and M-step of a mixture of t distributions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StudentStep {
    form: CovarianceType,
    reg: f64,
    degrees: Option<f64>,
}

/// Components with degrees of freedom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Students {
    at: Gaussians,
    degrees: Vec<f64>,
}

/// Where degrees of freedom begin, and between what they stay.
const FIRST: f64 = 10.0;
const DEGREES: (f64, f64) = (0.1, 200.0);

impl Students {
    /// The components, ready to look at rows.
    fn kernel(&self) -> Kernel<'_> {
        let d = self.at.n_features() as f64;
        let constant = |(w, nu): (&f64, &f64)| {
            let norm = lgamma(0.5 * (nu + d)) - lgamma(0.5 * nu) - 0.5 * d * (nu * std::f64::consts::PI).ln();
            w.ln() + norm
        };
        let constants: Vec<f64> = self.at.weights.iter().zip(&self.degrees).map(constant).collect();
        Kernel::new(&self.at, &constants, &self.degrees)
    }
}

/// The degrees of freedom of the M-step, where `mean` is Σ r (ln u − u) / Σ r under those of before: the left side falls as they
/// rise.
fn freed(before: f64, d: usize, mean: f64) -> f64 {
    let half = 0.5 * (before + d as f64);
    let rest = 1.0 + mean + digamma(half) - half.ln();
    let side = |nu: f64| (0.5 * nu).ln() - digamma(0.5 * nu) + rest;
    let (mut low, mut high) = DEGREES;
    if side(high) > 0.0 {
        return high;
    }
    for _ in 0..80 {
        let middle = (low * high).sqrt();
        if side(middle) > 0.0 { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}

impl Expectation for StudentStep {
    type Theta = Students;
    type Sums = GaussianSums;

    fn name(&self) -> &'static str {
        StudentMixture::NAME
    }

    fn about(&self, centres: &Mat, origin: &[f64]) -> Students {
        let degrees = vec![self.degrees.unwrap_or(FIRST); centres.n_rows()];
        Students { at: Gaussians::about(self.form, centres, origin), degrees }
    }

    fn given(&self, _: &[f64]) -> Result<Option<Students>> {
        Ok(None)
    }

    fn amend(&self, mut theta: Students) -> Result<Students> {
        theta.degrees.fill(self.degrees.unwrap_or(FIRST));
        Ok(theta)
    }

    fn zero(&self, theta: &Students) -> GaussianSums {
        Kernel::zero(&theta.at, true)
    }

    fn expect(&self, theta: &Students, rows: Seen<'_>, sums: &mut GaussianSums) {
        theta.kernel().expect(rows, sums);
    }

    fn merge(&self, into: &mut GaussianSums, other: GaussianSums) {
        into.merge(other);
    }

    fn maximise(&self, theta: &Students, sums: &GaussianSums) -> Result<Students> {
        let at = theta.at.maximised(StudentMixture::NAME, sums, self.reg)?;
        let learnt = |(c, before): (usize, &f64)| match (self.degrees, sums.totals[c]) {
            (None, n) if n > 0.0 => freed(*before, theta.at.n_features(), sums.tails[c] / n),
            _ => *before,
        };
        let degrees = theta.degrees.iter().enumerate().map(learnt).collect();
        Ok(Students { at, degrees })
    }

    fn objective(&self, _: &Students, sums: &GaussianSums, _: &Students) -> f64 {
        sums.log_likelihood / sums.weight
    }

    fn distance(&self, a: &Students, b: &Students) -> f64 {
        let far = a.degrees.iter().zip(&b.degrees).map(|(a, b)| (a - b).abs() / a.max(*b));
        far.fold(a.at.distance(&b.at), f64::max)
    }
}

/// A fitted mixture of t distributions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudentMixtureModel {
    /// The components; their covariances are the scale matrices.
    pub components: Gaussians,
    /// The degrees of freedom of each component.
    pub degrees: Vec<f64>,
    course: Course,
    step: StudentStep,
    certificate: Certificate,
}

impl StudentMixtureModel {
    fn new(ended: Ended<Students>, step: StudentStep, known: Option<Vec<i64>>) -> Self {
        let found = ended.found;
        let what =
            "mean log-likelihood of the training rows (of known rows with their component): what EM climbs";
        let mut certificate = found.certificate(ended.why, what);
        if step.degrees.is_none() && found.theta.degrees.iter().any(|nu| *nu >= DEGREES.1) {
            certificate =
                certificate.with_note("degrees of freedom at their upper end: a Gaussian component");
        }
        let course = Course::of(&found, known);
        let Students { at: components, degrees } = found.theta;
        Self { components, degrees, course, step, certificate }
    }

    fn theta(&self) -> Students {
        Students { at: self.components.clone(), degrees: self.degrees.clone() }
    }

    fn asked(&self, input: &Input<'_>, shares: bool, session: &Session) -> Result<Mat> {
        let numbers = input.rows(StudentMixture::NAME)?.numbers(StudentMixture::NAME)?;
        let theta = self.theta();
        Ok(session.run(|| theta.kernel().ask(numbers.view(), shares)))
    }
}

impl Proba for StudentMixtureModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.asked(input, true, session)
    }
}

impl Densities for StudentMixtureModel {
    fn log_densities(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        self.asked(input, false, session).map(Mat::into_vec)
    }
}

impl Samples for StudentMixtureModel {
    fn sample(&self, n: usize, session: &Session) -> Result<Rows<'static>> {
        let (at, mut rng) = (&self.components, session.rng(0));
        let (sums, roots) = (running_sums(at.weights.iter().copied()), roots(at));
        let mut out = Mat::zeros(n, at.n_features());
        for i in 0..n {
            let c = by_weight(&mut rng, &sums);
            let half = 0.5 * self.degrees[c];
            let stretch = (half / gamma(&mut rng, half)).sqrt();
            draw(at, &roots, c, stretch, &mut rng, out.row_mut(i));
        }
        Ok(out.into())
    }
}

impl Fitted for StudentMixtureModel {
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
        reproved(&self.step, &self.theta(), k, course.last(), course.known.as_ref(), data, session)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut out = told(&self.components);
        let (n, degrees) = (self.degrees.len(), self.degrees.clone());
        out.push(Attribute::real("degrees_", "The degrees of freedom of each component.", &[n], degrees));
        let learnt = if self.step.degrees.is_none() { n } else { 0 };
        out.push(free_numbers(n_parameters(&self.components) + learnt));
        out.extend(self.course.attributes());
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let k = self.components.means.n_rows();
        let fits = self.components.is_consistent()
            && self.components.n_features() == schema.n_features()
            && self.degrees.len() == k
            && self.degrees.iter().all(|nu| *nu > 0.0 && nu.is_finite());
        if fits { Ok(()) } else { Err("components do not fit the schema".to_owned()) }
    }
}
