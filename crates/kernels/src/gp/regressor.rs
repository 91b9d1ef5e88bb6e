//! Gaussian process regression: a distribution over functions, given data.
//!
//! # Objective
//! $$ f \sim GP(m, k_\theta),\quad y_i = f(x_i) + \varepsilon_i,\ \varepsilon_i \sim N(0, \alpha_i),\qquad
//!    \max_\theta\ \log p(y \mid X, \theta) = -\tfrac12 y^\top K^{-1} y - \tfrac12\log|K| - \tfrac n2\log 2\pi $$
//! with $K = k_\theta(X, X) + \mathrm{diag}(\alpha)$. A mean function (`mean`) has coefficients with a flat prior, which are integrated
//! out: $K^{-1}$ becomes $P = K^{-1} - K^{-1}H(H^\top K^{-1}H)^{-1}H^\top K^{-1}$. Several targets share the kernel.
//!
//! # Algorithm
//! One Cholesky factor and one inverse for each evaluation, in blocks on all threads; the gradient is
//! $\tfrac12\mathrm{tr}((\alpha\alpha^\top - K^{-1})\,\partial K/\partial\theta)$, summed over tiles of the kernel's derivatives. L-BFGS-B in the
//! logarithms of the hyper-parameters within their bounds, from the kernel as it is and from `n_restarts_optimizer` drawn points. Of
//! many rows a quarter is searched first: the search on all of them begins at that optimum, with its curvature.
//! Leaving one row out has a closed form: $\mu_i = y_i - [K^{-1}y]_i/[K^{-1}]_{ii}$, $\sigma_i^2 = 1/[K^{-1}]_{ii}$.
//!
//! # Complexity
//! Time O(n³) an evaluation, O(n d) a predicted mean, O(n²) a predicted variance; memory O(n²), whatever the number of
//! hyper-parameters. The model file holds O(n d): the factor is made again when it is first asked for.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::{GaussianProcessRegressor, Kernel, PointsRef};
//! use mercer_math::Mat;
//! let x = Mat::from_fn(20, 1, |i, _| 0.3 * i as f64);
//! let y: Vec<f64> = (0..20).map(|i| (0.3 * i as f64).sin()).collect();
//! let learner = GaussianProcessRegressor::default().kernel_of(Kernel::rbf(1.0) + Kernel::white(0.01));
//! let model = learner.fit(&Dataset::new(&x).with_target(Target::real(y))?)?;
//! let new = Mat::from_rows(&[[1.0], [100.0]]).unwrap();
//! let found = model.distribution(PointsRef::Dense(new.view()))?;
//! assert!((found.mean[(0, 0)] - 1.0f64.sin()).abs() < 0.02);
//! // Far from all data the function is as unknown as before.
//! assert!(found.epistemic[0] < 0.01 && (found.epistemic[1] - 1.0).abs() < 1e-6);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! `alpha` is added to the diagonal: jitter at its default of 1e-10, the variance of known noise where it is larger. A Gram matrix
//! that still has no Cholesky factor is an error, which says so; in the search it is outside of the domain.
//!
//! # References
//! - C. E. Rasmussen, C. K. I. Williams. Gaussian Processes for Machine Learning. MIT Press, 2006. Algorithm 2.1, sections 2.7,
//!   5.4.
//! - O. Dubrule. Cross validation of kriging in a unique neighborhood. Math. Geology 15(6), 1983. doi:10.1007/BF01033232

use super::likelihood::{Likelihood, Standing};
use super::model::{GRADIENT, GaussianProcessModel, LEFT_OUT, LIKELIHOOD, Observed, RESIDUAL};
use super::noise::Noise;
use super::search::{Few, Found, maximise, of_hyper_parameters, projected};
use super::trend::{MeanFunction, Trend};
use crate::kernel::{Held, Kernel, KernelSpec};
use mercer_core::{
    Capabilities, Certificate, Choice, DataKind, Dataset, Error, Evidence, Kinds, Learn, ParamGroup, Params,
    Result, Session, Termination,
};
use mercer_math::Mat;
use std::sync::OnceLock;

/// What moves the hyper-parameters of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum KernelOptimizer {
    /// L-BFGS-B in their logarithms.
    FminLBfgsB,
}

/// How hyper-parameters are searched for.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct SearchParams {
    /// What moves the kernel's hyper-parameters to the maximum of the marginal likelihood; none leaves them as they are.
    #[param(default = Some(KernelOptimizer::FminLBfgsB))]
    pub optimizer: Option<KernelOptimizer>,
    /// How many times the search begins again from hyper-parameters drawn within their bounds.
    #[param(default = 0, range = "[0, inf)")]
    pub n_restarts_optimizer: usize,
}

/// Gaussian process regression.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "gp",
    canon = "K8",
    rows = 2000,
    task = Regression,
    python = "gaussian_process",
    twin = "GaussianProcessClassifier",
    best = "kernel=1.0*rbf(1.0)+white(0.1),normalize_y=true | kernel=1.0*matern(1.0)+white(0.1),normalize_y=true",
    tried = "kernel=1.0*rbf(1.0)+white(0.1) | | kernel=rbf(1.0)+white(0.1),normalize_y=true,mean=linear,n_restarts_optimizer=1 | optimizer=none,alpha=0.1,mean=constant",
    session = "random_state",
    mixins = "GaussianProcessMixin",
    door = "copy_X_train=True",
    can = "multi_output scaled spread intervals quantiles",
    references = "Rasmussen, Williams. Gaussian Processes for Machine Learning. MIT Press, 2006."
)]
pub struct GaussianProcessRegressor {
    /// The kernel, such as `2*rbf(length_scale=1)+white(0.1)`; none is `1.0*rbf(1.0)`.
    #[param(default = None)]
    pub kernel: Option<KernelSpec>,
    /// What is added to the diagonal of the Gram matrix: the variance of the noise of all rows, or a list with that of each.
    #[param(default = Noise::One(1e-10), range = "[0, inf)", search = "log 1e-10..1")]
    pub alpha: Noise,
    /// How hyper-parameters are searched for.
    #[param(flatten)]
    pub search: SearchParams,
    /// Whether targets are brought to mean 0 and variance 1 first.
    #[param(default = false)]
    pub normalize_y: bool,
    /// How many targets there must be; none is any number.
    #[param(default = None, range = "[1, inf)")]
    pub n_targets: Option<usize>,
    /// The mean before data: zero, an unknown constant, or an unknown linear function.
    #[param(default = MeanFunction::Zero)]
    pub mean: MeanFunction,
}

impl GaussianProcessRegressor {
    /// With a kernel.
    #[must_use]
    pub fn kernel_of(self, kernel: Kernel) -> Self {
        self.kernel(Some(kernel.into()))
    }

    /// With the same noise for all rows.
    #[must_use]
    pub fn noise(self, alpha: f64) -> Self {
        self.alpha(Noise::One(alpha))
    }

    /// The log marginal likelihood of data at the kernel as it is, and its gradient in the logarithms of the hyper-parameters;
    /// `None` where the Gram matrix has no Cholesky factor.
    pub fn log_marginal_likelihood(
        &self,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Option<(f64, Vec<f64>)>> {
        let (input, target) = (data.input(), data.need_target(Self::NAME)?);
        let held = Held::new(Self::NAME, self.kinds().learns_from, &input)?;
        let observed = Observed::new(Self::NAME, &target, self.normalize_y)?;
        let noise = self.alpha.of_rows(Self::NAME, held.view().len())?;
        let trend = Trend::of(Self::NAME, self.mean, held.view())?;
        let mut likelihood = Likelihood::new(Self::NAME, held.view(), &observed.y, &noise, &trend, session);
        likelihood.value_grad(&resolved(Self::NAME, &self.kernel)?)
    }

    fn found_kernel(
        &self,
        likelihood: &mut Likelihood<'_>,
        trend: &Trend,
        session: &Session,
    ) -> Result<Found> {
        let kernel = resolved(Self::NAME, &self.kernel)?;
        if self.search.optimizer.is_none() || kernel.theta().is_empty() {
            return Ok(Found { kernel, iterations: 0, termination: Termination::Exact });
        }
        let (restarts, n) = (self.search.n_restarts_optimizer, likelihood.points.len());
        // A quarter, but neither too few to tell hyper-parameters nor so many that they take long.
        let rows = if n < MANY { Vec::new() } else { a_share(n, (n / 4).clamp(500, 2000)) };
        let points = likelihood.points.gather(&rows);
        let y = Mat::from_fn(rows.len(), likelihood.y.n_cols(), |i, k| likelihood.y[(rows[i], k)]);
        let noise: Vec<f64> = rows.iter().map(|&i| likelihood.noise[i]).collect();
        let mut small = Likelihood::new(Self::NAME, points.view(), &y, &noise, trend, session);
        let mut on_few = |kernel: &Kernel| small.value_grad(kernel);
        let few =
            (n >= MANY).then_some(Few { evaluate: &mut on_few, times: n as f64 / rows.len().max(1) as f64 });
        let mut on_all = |kernel: &Kernel| likelihood.value_grad(kernel);
        maximise(Self::NAME, &kernel, restarts, session, &mut on_all, few)
    }
}

/// Rows from which on the search begins with a few of them.
const MANY: usize = 1000;

/// So many of the rows, in order: the same ones whatever the seed, and drawn, so that they have no period.
pub(super) fn a_share(n: usize, share: usize) -> Vec<usize> {
    let mut rng = mercer_math::rng_for(n as u64, 0);
    let mut rows = mercer_math::sample_indices(&mut rng, n, share);
    rows.sort_unstable();
    rows
}

/// The kernel of a Gaussian process.
pub(super) fn resolved(who: &str, spec: &Option<KernelSpec>) -> Result<Kernel> {
    match spec {
        None => Ok(Kernel::constant(1.0) * Kernel::rbf(1.0)),
        Some(spec) if spec.is_precomputed() => {
            Err(Error::param(who, "kernel", "a function of points", "precomputed"))
        }
        Some(spec) => spec.resolve(who, None, 3.0, 1.0),
    }
}

/// The kinds of data that a kernel takes.
pub(super) fn kinds_of(spec: &Option<KernelSpec>) -> Kinds {
    let kind = spec.as_ref().map_or(DataKind::Rows, KernelSpec::data_kind);
    Kinds { learns_from: kind, asked_about: kind }
}

impl Learn for GaussianProcessRegressor {
    type Model = GaussianProcessModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<GaussianProcessModel> {
        let (input, target) = (data.input(), data.need_target(Self::NAME)?);
        let held = Held::new(Self::NAME, self.kinds().learns_from, &input)?;
        let points = held.view();
        if let Some(wanted) = self.n_targets.filter(|&wanted| wanted != target.n_columns()) {
            return Err(Error::shape("targets, by n_targets", wanted, target.n_columns()));
        }
        let observed = Observed::new(Self::NAME, &target, self.normalize_y)?;
        let noise = self.alpha.of_rows(Self::NAME, points.len())?;
        let trend = Trend::of(Self::NAME, self.mean, points)?;
        let mut likelihood = Likelihood::new(Self::NAME, points, &observed.y, &noise, &trend, session);
        let found = self.found_kernel(&mut likelihood, &trend, session)?;
        // What was found is finished even where the search was stopped.
        let undisturbed = session.undisturbed();
        if found.iterations > 0 {
            likelihood.session = &undisturbed;
        }
        let searched = found.termination != Termination::Exact;
        let standing = likelihood.need_standing(&found.kernel, searched)?;
        let residual = likelihood.residual(&found.kernel, &standing.alpha, &standing.beta)?;
        let certificate = certificate(&found, &standing, &observed.y, residual);
        let Standing { value, alpha, beta, factored, .. } = standing;
        let model = GaussianProcessModel {
            kernel: found.kernel,
            points: points.to_points(),
            alpha,
            beta,
            trend,
            noise: self.alpha.clone(),
            likelihood: value,
            certificate,
            factored: OnceLock::new(),
            observed,
        };
        let _ = model.factored.set(std::sync::Arc::new(factored));
        Ok(model)
    }

    fn kinds(&self) -> Kinds {
        kinds_of(&self.kernel)
    }

    /// Seeds matter to drawn starting points alone.
    fn capabilities(&self) -> Capabilities {
        let random = self.search.optimizer.is_some() && self.search.n_restarts_optimizer > 0;
        Capabilities { random, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        resolved(Self::NAME, &self.kernel)?;
        self.check_params()
    }
}

fn certificate(found: &Found, standing: &Standing, y: &Mat, residual: f64) -> Certificate {
    let size = (y.n_rows() * y.n_cols()) as f64;
    let value = "the log probability of the targets given the rows, functions integrated out: compares kernels on the same data";
    let solved =
        "largest error of the equations for the weights of the training rows, over the largest target";
    let left_out = "the log probability of each target given all others, summed";
    let mut certificate =
        Certificate::new(found.termination).with_iterations(found.iterations).with_objective(standing.value);
    if found.termination != Termination::Exact {
        let slope = projected(&found.kernel, &standing.gradient);
        let meaning = "largest slope of the log marginal likelihood by the logarithm of a hyper-parameter, within the bounds: zero at a maximum";
        certificate = certificate
            .with_evidence(Evidence::residual(GRADIENT, slope, meaning).on_scale(size))
            .with_note(of_hyper_parameters(found.termination));
    }
    if found.kernel.without_noise() == found.kernel {
        certificate = certificate.with_note(
            "the kernel has no noise: targets vary by `alpha` alone; add `+white(1.0)` to it where they are measured with errors",
        );
    }
    certificate
        .with_evidence(Evidence::residual(RESIDUAL, residual, solved))
        .with_evidence(Evidence::value(LIKELIHOOD, standing.value, value).on_scale(size))
        .with_evidence(Evidence::value(LEFT_OUT, standing.leave_one_out(), left_out).on_scale(size))
}
