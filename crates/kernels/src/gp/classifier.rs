//! Gaussian process classification by Laplace's approximation.
//!
//! # Objective
//! $$ f \sim GP(0, k_\theta),\quad p(y_i = 1 \mid f) = \sigma(f(x_i)),\qquad \max_\theta\ \log q(y \mid X, \theta) $$
//! with $q$ the marginal likelihood of the Gaussian about the posterior's mode $\hat f = K(y - \sigma(\hat f))$ that has its curvature.
//! Several classes are told apart by processes of two: each class against the rest, or each pair.
//!
//! # Algorithm
//! Newton's method for the mode (Rasmussen and Williams, algorithm 3.1), the gradient of the approximate likelihood with the part
//! that comes through the mode (algorithm 5.1), as weights of the kernel's derivatives, L-BFGS-B in the logarithms of the
//! hyper-parameters. Probabilities average the logistic function over the latent Gaussian, by Williams and Barber's sum of five
//! error functions.
//!
//! # Complexity
//! Time O(n³) for each of some ten Newton steps of an evaluation, for each process; O(n²) a predicted probability; memory O(n²).
//! The model file holds O(n d) and O(n) for each process.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::{GaussianProcessClassifier, Kernel};
//! use mercer_math::Mat;
//! let x = Mat::from_fn(20, 1, |i, _| i as f64);
//! let y: Vec<&str> = (0..20).map(|i| if (6..14).contains(&i) { "in" } else { "out" }).collect();
//! let learner = GaussianProcessClassifier::default().kernel_of(Kernel::constant(9.0) * Kernel::rbf(3.0));
//! let model = learner.fit(&Dataset::new(&x).with_target(Target::classes(&y))?)?;
//! let p = model.predict_proba(&Mat::from_rows(&[[10.0], [6.0], [500.0]]).unwrap())?;
//! assert!(p[(0, 0)] > 0.8 && p[(1, 0)] < p[(0, 0)]);
//! // Far from all data nothing is known.
//! assert!((p[(2, 0)] - 0.5).abs() < 1e-6);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! All matrices that are factored are $I + W^{1/2}KW^{1/2}$ with eigenvalues of at least 1, whatever the kernel's condition.
//!
//! # References
//! - C. E. Rasmussen, C. K. I. Williams. Gaussian Processes for Machine Learning. MIT Press, 2006. Algorithms 3.1, 3.2, 5.1.
//! - C. K. I. Williams, D. Barber. Bayesian classification with Gaussian processes. IEEE TPAMI 20(12), 1998.
//!   doi:10.1109/34.735807

use super::classifier_model::{Binary, GaussianProcessClassifierModel};
use super::laplace::Laplace;
use super::regressor::{KernelOptimizer, SearchParams, kinds_of, resolved};
use super::search::{Found, maximise};
use crate::kernel::{Held, Hyper, Kernel, KernelSpec, PointsRef};
use mercer_core::{Capabilities, Choice, Dataset, Error, Kinds, Learn, Params, Result, Session, Termination};

/// How several classes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum GpMultiClass {
    /// Each class against all others.
    OneVsRest,
    /// Each pair of classes; without probabilities.
    OneVsOne,
}

/// Gaussian process classification.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "gp-classifier",
    canon = "K8",
    rows = 2000,
    task = Classification,
    python = "gaussian_process",
    twin = "GaussianProcessRegressor",
    best = "kernel=1.0*rbf(1.0)+white(0.1) | kernel=1.0*matern(1.0)+white(0.1)",
    tried = "kernel=1.0*rbf(1.0) | | kernel=1.0*rbf(1.0),multi_class=one_vs_one,n_restarts_optimizer=1",
    session = "random_state n_jobs",
    mixins = "GaussianProcessClassifierMixin",
    door = "copy_X_train=True",
    can = "scaled proba",
    references = "Williams, Barber. Bayesian classification with Gaussian processes. IEEE TPAMI 20(12), 1998."
)]
pub struct GaussianProcessClassifier {
    /// The kernel, such as `2*rbf(length_scale=1)`; none is `1.0*rbf(1.0)` with hyper-parameters that stay.
    #[param(default = None)]
    pub kernel: Option<KernelSpec>,
    /// How hyper-parameters are searched for.
    #[param(flatten)]
    pub search: SearchParams,
    /// Most steps of Newton's method for a mode.
    #[param(default = 100, range = "[1, inf)")]
    pub max_iter_predict: usize,
    /// Whether the search for a mode begins at the mode of the hyper-parameters before.
    #[param(default = false)]
    pub warm_start: bool,
    /// How several classes are told apart: each against the rest, or each pair.
    #[param(default = GpMultiClass::OneVsRest)]
    pub multi_class: GpMultiClass,
}

impl GaussianProcessClassifier {
    /// With a kernel.
    #[must_use]
    pub fn kernel_of(self, kernel: Kernel) -> Self {
        self.kernel(Some(kernel.into()))
    }

    /// The approximate log marginal likelihood of data of two classes at the kernel as it is, and its gradient in the logarithms of
    /// the hyper-parameters; `None` where it leaves the numbers.
    pub fn log_marginal_likelihood(
        &self,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Option<(f64, Vec<f64>)>> {
        let (input, target) = (data.input(), data.need_target(Self::NAME)?);
        let held = Held::new(Self::NAME, self.kinds().learns_from, &input)?;
        let (codes, labels) = target.class()?;
        if labels.len() != 2 {
            return Err(Error::shape("classes", 2, labels.len()));
        }
        let y: Vec<f64> = codes.iter().map(|&c| f64::from(c)).collect();
        let mut laplace = Laplace::new(Self::NAME, held.view(), &y, (self.max_iter_predict, false), session);
        laplace.value_grad(&self.start()?)
    }

    fn start(&self) -> Result<Kernel> {
        match &self.kernel {
            None => Ok(Kernel::Constant(Hyper::fixed(1.0)) * Kernel::Rbf(Hyper::fixed(1.0))),
            spec => resolved(Self::NAME, spec),
        }
    }

    /// A process of two classes.
    fn binary(&self, points: PointsRef<'_>, y: &[f64], session: &Session) -> Result<Binary> {
        let start = self.start()?;
        let modes = (self.max_iter_predict, self.warm_start);
        let mut laplace = Laplace::new(Self::NAME, points, y, modes, session);
        let found = if self.search.optimizer.is_none() || start.theta().is_empty() {
            Found { kernel: start, iterations: 0, termination: Termination::Exact }
        } else {
            let restarts = self.search.n_restarts_optimizer;
            let mut evaluate = |kernel: &Kernel| laplace.value_grad(kernel);
            maximise(Self::NAME, &start, restarts, session, &mut evaluate, None)?
        };
        let undisturbed = session.undisturbed();
        let quiet = if found.iterations > 0 { &undisturbed } else { session };
        Binary::at(Laplace::new(Self::NAME, points, y, (self.max_iter_predict, false), quiet), found)
    }
}

impl Learn for GaussianProcessClassifier {
    type Model = GaussianProcessClassifierModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        let (input, target) = (data.input(), data.need_target(Self::NAME)?);
        let held = Held::new(Self::NAME, self.kinds().learns_from, &input)?;
        let (codes, labels) = target.class()?;
        if labels.len() < 2 {
            return Err(Error::too_few(Self::NAME, "classes", 2, labels.len()));
        }
        let k = labels.len() as u32;
        let sides: Vec<(u32, Option<u32>)> = match self.multi_class {
            _ if k == 2 => vec![(1, None)],
            GpMultiClass::OneVsRest => (0..k).map(|class| (class, None)).collect(),
            GpMultiClass::OneVsOne => (0..k).flat_map(|a| (a + 1..k).map(move |b| (b, Some(a)))).collect(),
        };
        let points = held.view().to_points();
        let mut binaries = Vec::new();
        for &(positive, negative) in &sides {
            let rows = rows_of(codes, positive, negative);
            let y: Vec<f64> = rows.iter().map(|&i| f64::from(codes[i] == positive)).collect();
            let own = points.view().gather(&rows);
            let session = session.split(binaries.len() as u64);
            binaries.push(self.binary(own.view(), &y, &session)?.between(positive, negative));
        }
        Ok(GaussianProcessClassifierModel::new(points, codes.to_vec(), binaries, self.max_iter_predict))
    }

    fn kinds(&self) -> Kinds {
        kinds_of(&self.kernel)
    }

    /// Pairs of classes give no probabilities; seeds matter to drawn starting points alone.
    fn capabilities(&self) -> Capabilities {
        let searched = self.search.optimizer.is_some() && self.start().is_ok_and(|k| !k.theta().is_empty());
        let random = searched && self.search.n_restarts_optimizer > 0;
        let proba = self.multi_class == GpMultiClass::OneVsRest;
        Capabilities { random, proba, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.start()?;
        self.check_params()
    }
}

/// The rows that a process learns from: all, or those of two classes.
pub(super) fn rows_of(codes: &[u32], positive: u32, negative: Option<u32>) -> Vec<usize> {
    let counts = |c: u32| negative.is_none_or(|n| c == positive || c == n);
    (0..codes.len()).filter(|&i| counts(codes[i])).collect()
}
