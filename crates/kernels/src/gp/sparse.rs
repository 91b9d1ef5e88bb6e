//! Gaussian process regression through inducing points, for many rows.
//!
//! # Objective
//! With $Q = K_{nm}K_{mm}^{-1}K_{mn}$ through $m$ inducing points and noise $\sigma^2$, either the variational bound on the log marginal
//! likelihood (`vfe`)
//! $$ \log N(y \mid 0, Q + \sigma^2 I) - \tfrac{1}{2\sigma^2}\mathrm{tr}(K - Q) $$
//! or the likelihood of the fully independent training conditional (`fitc`), $\log N(y \mid 0, Q + \mathrm{diag}(K - Q) + \sigma^2 I)$,
//! is maximised over the hyper-parameters and $\sigma^2$.
//!
//! # Algorithm
//! Inducing points are rows: drawn at random, or spread (each with a probability that grows with its squared distance from those
//! chosen). Sums over blocks of rows give an $m \times m$ system; its gradient is analytic. L-BFGS-B in logarithms; of many rows an
//! eighth is searched first, with the same inducing points: the search on all begins at that optimum, with its curvature.
//!
//! # Complexity
//! Time O(n m²) an evaluation, memory O(n + m²) beside the rows; O(m) a predicted mean, O(m²) a predicted variance.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::{Kernel, SparseGaussianProcessRegressor};
//! use mercer_math::Mat;
//! let x = Mat::from_fn(400, 1, |i, _| 0.02 * i as f64);
//! let y: Vec<f64> = (0..400).map(|i| (0.02 * i as f64).sin() + 0.1 * (-1.0f64).powi(i)).collect();
//! let learner = SparseGaussianProcessRegressor::default().n_inducing(15).kernel_of(Kernel::rbf(1.0) + Kernel::white(0.1));
//! let model = learner.fit(&Dataset::new(&x).with_target(Target::real(y))?)?;
//! let said = model.predict(&Mat::from_rows(&[[1.0]]).unwrap())?;
//! assert!((said.numbers()?[0] - 1.0f64.sin()).abs() < 0.05);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! 10⁻⁸ of it is added to the diagonal of the inducing points' Gram matrix, at every kernel that is looked at. With every row an inducing point both
//! methods are the exact process.
//!
//! # References
//! - M. K. Titsias. Variational learning of inducing variables in sparse Gaussian processes. AISTATS, 2009.
//! - E. Snelson, Z. Ghahramani. Sparse Gaussian processes using pseudo-inputs. NIPS 18, 2005.

use super::bound::Bound;
use super::regressor::{KernelOptimizer, SearchParams, a_share};
use super::search::{Few, Found, maximise, projected};
use super::sparse_model::{BOUND, GRADIENT, SparseGaussianProcessModel, WEIGHTS};
use crate::kernel::{Hyper, Kernel, KernelSpec, PointsRef};
use mercer_core::{
    Certificate, Choice, Dataset, Error, Evidence, Learn, Params, Result, Session, Termination,
};
use mercer_math::{Mat, MatRef, Moments, below, by_weight, running_sums, sample_indices, sq_dist};

/// What inducing points approximate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum SparseMethod {
    /// The posterior: a bound on the marginal likelihood.
    Vfe,
    /// The prior: the fully independent training conditional.
    Fitc,
}

/// How inducing points are chosen among the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Inducing {
    /// Each with a probability that grows with its squared distance from those chosen.
    Spread,
    /// At random.
    Random,
}

/// Gaussian process regression through inducing points.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "sparse-gp",
    canon = "K8",
    rows = 100_000,
    task = Regression,
    python = "gaussian_process",
    tried = "n_inducing=20 | n_inducing=15,method=fitc,inducing=random,normalize_y=true",
    session = "random_state",
    can = "scaled random ordered spread intervals quantiles",
    references = "Titsias. Variational learning of inducing variables in sparse Gaussian processes. AISTATS, 2009."
)]
pub struct SparseGaussianProcessRegressor {
    /// The kernel; a white kernel that is added to it is the noise. None is `1.0*rbf(1.0)+white(1.0)`.
    #[param(default = None)]
    pub kernel: Option<KernelSpec>,
    /// How many inducing points there are; as many as rows is the exact process.
    #[param(default = 200, range = "[1, inf)", search = "int 50..500")]
    pub n_inducing: usize,
    /// What inducing points approximate: the posterior (vfe) or the prior (fitc).
    #[param(default = SparseMethod::Vfe)]
    pub method: SparseMethod,
    /// How inducing points are chosen among the rows.
    #[param(default = Inducing::Spread)]
    pub inducing: Inducing,
    /// How hyper-parameters are searched for.
    #[param(flatten)]
    pub search: SearchParams,
    /// Whether the target is brought to mean 0 and variance 1 first.
    #[param(default = false)]
    pub normalize_y: bool,
}

impl SparseGaussianProcessRegressor {
    /// With a kernel.
    #[must_use]
    pub fn kernel_of(self, kernel: Kernel) -> Self {
        self.kernel(Some(kernel.into()))
    }

    /// The kernel as the sum of that of the function and the noise.
    fn start(&self) -> Result<Kernel> {
        let usual = || Kernel::constant(1.0) * Kernel::rbf(1.0);
        let given = match &self.kernel {
            None => usual(),
            Some(spec) => spec.resolve(Self::NAME, None, 3.0, 1.0)?,
        };
        let mut noise = Hyper::free(1.0);
        let function = match given {
            Kernel::Sum(mut parts) => {
                if let Some(at) = parts.iter().position(|k| matches!(k, Kernel::White(_)))
                    && let Kernel::White(found) = parts.remove(at)
                {
                    noise = found;
                }
                if parts.len() == 1 { parts.remove(0) } else { Kernel::Sum(parts) }
            }
            other => other,
        };
        if function.without_noise() != function
            || function == Kernel::Precomputed
            || function == Kernel::Sum(vec![])
        {
            let wanted = "a function of rows, with at most one white kernel added to it";
            return Err(Error::param(Self::NAME, "kernel", wanted, &function));
        }
        Ok(Kernel::Sum(vec![function, Kernel::White(noise)]))
    }

    /// The rows that are inducing points, in order.
    fn chosen(&self, x: MatRef<'_>, session: &Session) -> Vec<usize> {
        let (n, m) = (x.n_rows(), self.n_inducing.min(x.n_rows()));
        let mut rng = session.rng(u64::MAX);
        if m == n {
            return (0..n).collect();
        }
        let mut chosen = match self.inducing {
            Inducing::Random => sample_indices(&mut rng, n, m),
            Inducing::Spread => {
                let mut chosen = vec![below(&mut rng, n)];
                let mut far = vec![f64::INFINITY; n];
                while chosen.len() < m {
                    let last = x.row_cow(chosen[chosen.len() - 1]);
                    far.iter_mut().enumerate().for_each(|(i, v)| *v = v.min(sq_dist(&last, &x.row_cow(i))));
                    let sums = running_sums(far.iter().copied());
                    let total = sums.last().copied().unwrap_or(0.0);
                    // Rows that are copies of chosen ones add nothing.
                    if !(total > 0.0 && total.is_finite()) {
                        break;
                    }
                    chosen.push(by_weight(&mut rng, &sums));
                }
                chosen
            }
        };
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }
}

impl Learn for SparseGaussianProcessRegressor {
    type Model = SparseGaussianProcessModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SparseGaussianProcessModel> {
        let (x, target) = (data.dense(Self::NAME)?, data.need_target(Self::NAME)?);
        let (x, start) = (x.view(), self.start()?);
        let (given, mut mean, mut deviation) = (target.numbers()?, 0.0, 1.0);
        if self.normalize_y {
            let found = Moments::of(given);
            (mean, deviation) = (found.mean, found.variance().sqrt());
            deviation = if deviation > 10.0 * f64::EPSILON * mean.abs() { deviation } else { 1.0 };
        }
        let y: Vec<f64> = given.iter().map(|v| (v - mean) / deviation).collect();
        if let Some(large) = y.iter().find(|v| v.is_nan() || v.abs() > 1e100) {
            return Err(Error::numeric(
                Self::NAME,
                format!("a target of {large:e} is too large: scale targets"),
            ));
        }
        let inducing = x.gather(&self.chosen(x, session));
        let few = PointsRef::Dense(inducing.view());
        let (points, method) = (PointsRef::Dense(x), self.method);
        let mut bound =
            Bound { who: Self::NAME, points, inducing: few, y: &y, method, jitter: JITTER, session };
        let found = if self.search.optimizer.is_none() || start.theta().is_empty() {
            Found { kernel: start, iterations: 0, termination: Termination::Exact }
        } else {
            let (restarts, n) = (self.search.n_restarts_optimizer, y.len());
            let rows = if n < MANY { Vec::new() } else { a_share(n, (n / 8).clamp(MANY / 8, MANY)) };
            let (some, some_y) = (x.gather(&rows), rows.iter().map(|&i| y[i]).collect::<Vec<_>>());
            let small = Bound { points: PointsRef::Dense(some.view()), y: &some_y, ..bound };
            let mut on_few = |kernel: &Kernel| small.value_grad(kernel);
            let few = (n >= MANY)
                .then_some(Few { evaluate: &mut on_few, times: n as f64 / rows.len().max(1) as f64 });
            let mut evaluate = |kernel: &Kernel| bound.value_grad(kernel);
            maximise(Self::NAME, &start, restarts, session, &mut evaluate, few)?
        };
        let undisturbed = session.undisturbed();
        if found.iterations > 0 {
            bound.session = &undisturbed;
        }
        let made = bound.need(&found.kernel)?;
        let slopes = bound.gradient(&found.kernel, &made)?;
        let certificate = certificate(self.method, &found, made.value, &slopes, y.len());
        let weights = made.weights;
        Ok(SparseGaussianProcessModel {
            kernel: found.kernel,
            inducing: Mat::clone(&inducing),
            outer: made.outer.l(),
            inner: made.inner.l(),
            weights,
            method: self.method.into(),
            jitter: JITTER,
            mean,
            deviation,
            value: made.value,
            certificate,
        })
    }

    fn check(&self) -> Result<()> {
        self.start()?;
        self.check_params()
    }
}

/// Rows from which on the search begins with an eighth of them.
const MANY: usize = 16_000;

/// The share of its own variance that is added to that of an inducing point.
const JITTER: f64 = 1e-8;

fn certificate(method: SparseMethod, found: &Found, value: f64, slopes: &[f64], n: usize) -> Certificate {
    let meaning = match method {
        SparseMethod::Vfe => {
            "a lower bound on the log marginal likelihood of the exact process: larger is closer to it"
        }
        SparseMethod::Fitc => {
            "the log marginal likelihood of the approximate process, which may exceed that of the exact one"
        }
    };
    let solved = "largest difference of the inducing points' weights from those that the data give, over the largest weight";
    let mut certificate = Certificate::new(found.termination)
        .with_iterations(found.iterations)
        .with_objective(value)
        .with_evidence(Evidence::value(BOUND, value, meaning).on_scale(n as f64))
        .with_evidence(Evidence::residual(WEIGHTS, 0.0, solved));
    if found.termination != Termination::Exact {
        let slope = projected(&found.kernel, slopes);
        let meaning = "largest slope of the bound by the logarithm of a hyper-parameter, within the bounds: zero at a maximum";
        certificate =
            certificate.with_evidence(Evidence::residual(GRADIENT, slope, meaning).on_scale(n as f64));
    }
    certificate
}
