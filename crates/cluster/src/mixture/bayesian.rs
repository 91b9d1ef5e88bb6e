//! Gaussian mixtures by variational inference: as many components as the data ask for.
//!
//! # Objective
//! $$ \max_q\ \mathbb E_q[\ln p(x, z, \pi, \mu, \Lambda)] - \mathbb E_q[\ln q(z, \pi, \mu, \Lambda)] $$
//! over $q(z)\,q(\pi)\prod_k q(\mu_k, \Lambda_k)$, with a Dirichlet distribution or a Dirichlet process (by truncated stick-breaking) for the weights
//! and a Gaussian-Wishart distribution for means and precisions: a lower bound of the evidence, up to constants of the prior.
//!
//! # Algorithm
//! Coordinate ascent, which has the form of EM (see `em.rs`): the E-step takes shares under expected logarithms, the M-step the parameters of
//! the posterior from the same sums as a Gaussian mixture. Components that no row asks for end with the weight that the
//! prior leaves them.
//!
//! # Complexity
//! As a Gaussian mixture.
//!
//! # Example
//! ```
//! use mercer_cluster::BayesianGaussianMixture;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::{Mat, normal, rng_for};
//! let mut rng = rng_for(1, 1);
//! let x = Mat::from_fn(300, 1, |i, _| (i % 2) as f64 * 20.0 + normal(&mut rng));
//! let model = BayesianGaussianMixture::default().n_components(6).fit(&Dataset::new(&x))?;
//! let large = model.components.weights.iter().filter(|w| **w > 0.05).count();
//! assert_eq!(large, 2);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The bound is a total over rows, so that `tol` is on their scale. Priors that are not given come from the data: their mean and covariance
//! (with n − 1), as many degrees of freedom as features, and one over the number of components for the weights.
//!
//! # References
//! - D. M. Blei, M. I. Jordan. Variational inference for Dirichlet process mixtures. Bayesian Analysis 1(1), 2006. doi:10.1214/06-BA104
//! - H. Attias. A variational Bayesian framework for graphical models. NIPS 12, 1999.
//! - C. M. Bishop. Pattern Recognition and Machine Learning. Springer, 2006, section 10.2.

use super::bayesian_model::BayesianGaussianMixtureModel;
use super::em::{Expectation, Seen};
use super::gaussians::{CovarianceType, Gaussians, TINY};
use super::kernel::{GaussianSums, Kernel, LN_2PI};
use super::params::{CovarianceParams, EmParams, check_size};
use super::prior::{Given, Prior};
use super::start::MixtureInit;
use mercer_core::sums::Batches;
use mercer_core::{Capabilities, Choice, Dataset, Error, Learn, Params, Result, Session};
use mercer_math::Mat;
use mercer_math::special::{digamma, lgamma};
use serde::{Deserialize, Serialize};

/// The prior of the weights of a mixture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum WeightPrior {
    /// A Dirichlet process, by sticks that are broken one after the other.
    DirichletProcess,
    /// A Dirichlet distribution.
    DirichletDistribution,
}

/// Gaussian mixtures by variational inference.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "bayesian-mixture",
    canon = "C3",
    task = Clustering,
    python = "mixture",
    order = "n_components covariance_type tol reg_covar max_iter, covariance_prior labels",
    tried = "| n_components=3 | n_components=3,covariance_type=tied,weight_concentration_prior_type=dirichlet_distribution | n_components=3,covariance_type=diag,init_params=random_from_data,n_init=2 | n_components=2,covariance_type=spherical,init_params=random",
    session = "verbose random_state",
    door = "warm_start=False verbose_interval=10",
    mixins = "BayesianMixtureMixin",
    can = "proba density sample weights by_sums random scaled",
    references = "Blei, Jordan. Variational inference for Dirichlet process mixtures. Bayesian Analysis 1(1), 2006.|Bishop. Pattern Recognition and Machine Learning. Springer, 2006."
)]
pub struct BayesianGaussianMixture {
    /// How the bound is climbed.
    #[param(flatten)]
    pub em: EmParams,
    /// The covariances.
    #[param(flatten)]
    pub shape: CovarianceParams,
    /// The prior of the weights.
    #[param(default = WeightPrior::DirichletProcess)]
    pub weight_concentration_prior_type: WeightPrior,
    /// How evenly the prior spreads weights; without it one over the number of components.
    #[param(default = None, range = "(0, inf)")]
    pub weight_concentration_prior: Option<f64>,
    /// How many rows the prior of the means is worth; without it 1.
    #[param(default = None, range = "(0, inf)")]
    pub mean_precision_prior: Option<f64>,
    /// The prior of the means; without it the mean of the rows.
    #[param(default = None)]
    pub mean_prior: Option<Vec<f64>>,
    /// The prior degrees of freedom of the covariances, more than features − 1; without it the number of features.
    #[param(default = None, range = "(0, inf)")]
    pub degrees_of_freedom_prior: Option<f64>,
    /// The prior of the covariances, all numbers by rows: a matrix (full, tied), a number for each feature (diag), one number
    /// (spherical); without it that of the rows.
    #[param(default = None)]
    pub covariance_prior: Option<Vec<f64>>,
}

impl Learn for BayesianGaussianMixture {
    type Model = BayesianGaussianMixtureModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<BayesianGaussianMixtureModel> {
        let (step, last) = self.step(data.n_features())?.starting(session)?;
        let ended = self.em.fit(&step, last, data, session)?;
        Ok(BayesianGaussianMixtureModel::new(ended, step, self.em.labels.clone()))
    }

    fn learn_stream(
        &self,
        batches: &mut dyn Batches,
        session: &Session,
    ) -> Option<Result<BayesianGaussianMixtureModel>> {
        let stream = |batches: &mut dyn Batches| {
            let step = self.step(batches.schema()?.n_features())?;
            let ended = self.em.stream(&step, &self.capabilities(), batches, session)?;
            Ok(BayesianGaussianMixtureModel::new(ended, step, None))
        };
        Some(stream(batches))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { scaled: self.em.n_components > 1, ..Self::declaration().capabilities }
    }
}

impl BayesianGaussianMixture {
    fn step(&self, d: usize) -> Result<VariationalStep> {
        let (k, form) = (self.em.n_components, self.shape.covariance_type);
        check_size(Self::NAME, k, d.saturating_mul(form.size(d)))?;
        let given = Given {
            concentration: self.weight_concentration_prior,
            mean_precision: self.mean_precision_prior,
            mean: self.mean_prior.clone(),
            degrees: self.degrees_of_freedom_prior,
            covariance: self.covariance_prior.clone(),
        };
        given.check(Self::NAME, form, d)?;
        let (weights, reg) = (self.weight_concentration_prior_type, self.shape.reg_covar);
        Ok(VariationalStep { form, weights, n_components: k, n_features: d, reg, given, start: None })
    }
}

/// The posterior of a mixture's parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Posterior {
    /// Expected weights, means, covariances and factors of expected precisions.
    pub(crate) at: Gaussians,
    /// What is drawn towards each stick, or component.
    pub(crate) concentration: Vec<f64>,
    /// What is drawn to all sticks after it; none for a Dirichlet distribution.
    pub(crate) rest: Vec<f64>,
    pub(crate) mean_precision: Vec<f64>,
    /// Degrees of freedom, one number where covariances are shared.
    pub(crate) degrees: Vec<f64>,
    /// The prior, once the data are known.
    pub(crate) prior: Option<Prior>,
}

/// Coordinate ascent on the bound of a mixture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct VariationalStep {
    pub(crate) form: CovarianceType,
    pub(crate) weights: WeightPrior,
    pub(crate) n_components: usize,
    pub(crate) n_features: usize,
    pub(crate) reg: f64,
    pub(crate) given: Given,
    start: Option<Vec<f64>>,
}

impl VariationalStep {
    /// Where it started is no part of what was learnt.
    pub(crate) fn forget(&mut self) {
        self.start = None;
    }

    /// The same from where an earlier fit ended, if the session says so: its bound, then means, factors, concentrations, precisions of
    /// the means, degrees of freedom. Fits give them as attributes.
    fn starting(mut self, session: &Session) -> Result<(Self, Option<f64>)> {
        let Some(start) = session.start() else { return Ok((self, None)) };
        let (k, d) = (self.n_components, self.n_features);
        let sticks = if self.weights == WeightPrior::DirichletProcess { 2 * k } else { k };
        let wanted = 1 + k * d + self.form.size(d) * self.form.count(k) + sticks + k + self.form.count(k);
        if start.len() != wanted || !start.iter().all(|v| v.is_finite()) {
            return Err(Error::shape("numbers of the start", wanted, start.len()));
        }
        self.start = Some(start[1..].to_vec());
        Ok((self, Some(start[0])))
    }
}

impl Posterior {
    /// The components, ready to look at rows: under expected logarithms.
    pub(crate) fn kernel(&self) -> Kernel<'_> {
        let d = self.at.n_features();
        let constant = |c: usize, log_weight: f64| {
            let nu = self.degrees[c.min(self.degrees.len() - 1)];
            let log_det = d as f64 * std::f64::consts::LN_2
                + (0..d).map(|j| digamma(0.5 * (nu - j as f64))).sum::<f64>();
            let d = d as f64;
            log_weight - 0.5 * d * (LN_2PI + nu.ln()) + 0.5 * (log_det - d / self.mean_precision[c])
        };
        let logs = self.log_weights();
        let constants: Vec<f64> = logs.iter().enumerate().map(|(c, l)| constant(c, *l)).collect();
        Kernel::new(&self.at, &constants, &[])
    }

    /// The expected logarithms of the weights.
    fn log_weights(&self) -> Vec<f64> {
        if self.rest.is_empty() {
            let all = digamma(self.concentration.iter().sum());
            return self.concentration.iter().map(|a| digamma(*a) - all).collect();
        }
        let mut before = 0.0;
        let sticks = self.concentration.iter().zip(&self.rest);
        let log = |(a, b): (&f64, &f64)| {
            let all = digamma(a + b);
            let own = digamma(*a) - all + before;
            before += digamma(*b) - all;
            own
        };
        sticks.map(log).collect()
    }

    /// The expected weights.
    fn weights(&self) -> Vec<f64> {
        let mut left = 1.0;
        let mut out: Vec<f64> = match self.rest.is_empty() {
            true => self.concentration.clone(),
            false => {
                let sticks = self.concentration.iter().zip(&self.rest);
                sticks
                    .map(|(a, b)| {
                        let own = a / (a + b) * left;
                        left *= b / (a + b);
                        own
                    })
                    .collect()
            }
        };
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|w| *w /= total);
        out
    }

    /// The parts of the bound that the parameters have: normalisers of weights and precisions, precisions of the means.
    fn bound(&self) -> f64 {
        let (k, d) = (self.at.n_components(), self.at.n_features());
        let wishart = |c: usize| {
            let nu = self.degrees[c.min(self.degrees.len() - 1)];
            let log_det = self.at.log_det(c) - 0.5 * d as f64 * nu.ln();
            let gammas: f64 = (0..d).map(|j| lgamma(0.5 * (nu - j as f64))).sum();
            -(nu * log_det + 0.5 * nu * d as f64 * std::f64::consts::LN_2 + gammas)
        };
        let sticks: f64 = if self.rest.is_empty() {
            let gammas: f64 = self.concentration.iter().map(|a| lgamma(*a)).sum();
            lgamma(self.concentration.iter().sum()) - gammas
        } else {
            let log_beta = |(a, b): (&f64, &f64)| lgamma(*a) + lgamma(*b) - lgamma(a + b);
            -self.concentration.iter().zip(&self.rest).map(log_beta).sum::<f64>()
        };
        let precisions: f64 = self.mean_precision.iter().map(|v| v.ln()).sum();
        -(0..k).map(wishart).sum::<f64>() - sticks - 0.5 * d as f64 * precisions
    }
}

impl Expectation for VariationalStep {
    type Theta = Posterior;
    type Sums = GaussianSums;

    fn name(&self) -> &'static str {
        BayesianGaussianMixture::NAME
    }

    fn about(&self, centres: &Mat, origin: &[f64]) -> Posterior {
        let k = centres.n_rows();
        let process = self.weights == WeightPrior::DirichletProcess;
        Posterior {
            at: Gaussians::about(self.form, centres, origin),
            concentration: vec![1.0; k],
            rest: vec![1.0; if process { k } else { 0 }],
            mean_precision: vec![1.0; k],
            degrees: vec![self.n_features as f64; self.form.count(k)],
            prior: None,
        }
    }

    fn given(&self, origin: &[f64]) -> Result<Option<Posterior>> {
        let Some(start) = &self.start else { return Ok(None) };
        let (k, d) = (self.n_components, self.n_features);
        let mut rest = start.as_slice();
        let mut take = |n: usize| {
            let (own, after) = rest.split_at(n);
            rest = after;
            own.to_vec()
        };
        let means = Mat::from_vec(take(k * d), k, d).unwrap_or_default();
        let mut out = self.about(&means, origin);
        out.at.factors = take(self.form.size(d) * self.form.count(k));
        out.at.covariances_of_factors();
        out.concentration = take(k);
        out.rest = take(out.rest.len());
        out.mean_precision = take(k);
        out.degrees = take(self.form.count(k));
        out.at.weights = out.weights();
        Ok(Some(out))
    }

    fn amend(&self, theta: Posterior) -> Result<Posterior> {
        Ok(theta)
    }

    fn zero(&self, theta: &Posterior) -> GaussianSums {
        Kernel::zero(&theta.at, false)
    }

    fn expect(&self, theta: &Posterior, rows: Seen<'_>, sums: &mut GaussianSums) {
        let mut kernel = theta.kernel();
        kernel.entropy = true;
        kernel.expect(rows, sums);
    }

    fn merge(&self, into: &mut GaussianSums, other: GaussianSums) {
        into.merge(other);
    }

    fn maximise(&self, theta: &Posterior, sums: &GaussianSums) -> Result<Posterior> {
        let prior = match &theta.prior {
            Some(prior) => prior.clone(),
            None => Prior::new(&self.given, &theta.at, sums)?,
        };
        let totals: Vec<f64> = sums.totals.iter().map(|n| n + TINY).collect();
        let mut after = 0.0;
        let mut rest: Vec<f64> = totals
            .iter()
            .rev()
            .map(|n| {
                let own = prior.concentration + after;
                after += n;
                own
            })
            .collect();
        rest.reverse();
        let process = self.weights == WeightPrior::DirichletProcess;
        let first = if process { 1.0 } else { prior.concentration };
        let mut out = Posterior {
            at: prior.posterior(&theta.at.moved(sums), &totals, self.reg),
            concentration: totals.iter().map(|n| first + n).collect(),
            rest: if process { rest } else { Vec::new() },
            mean_precision: totals.iter().map(|n| prior.mean_precision + n).collect(),
            degrees: prior.degrees(self.form, &totals),
            prior: Some(prior),
        };
        out.at.weights = out.weights();
        out.at.refactor(self.name())?;
        Ok(out)
    }

    fn objective(&self, _: &Posterior, sums: &GaussianSums, after: &Posterior) -> f64 {
        sums.entropy + after.bound()
    }

    fn distance(&self, a: &Posterior, b: &Posterior) -> f64 {
        a.at.distance(&b.at)
    }
}
