//! Learning with any convex loss in the feature space of a kernel.
//!
//! # Objective
//! $$ \min_{f \in \mathcal H}\ \sum_i s_i\, \ell(t_i - \sigma_i f(x_i)) + \frac{\alpha}{2} \lVert f\rVert_{\mathcal H}^2 $$
//! with sample weights $s_i$: for numbers $t_i = y_i$ and $\sigma_i = 1$; for classes $\sigma_i = \pm 1$ and $t_i = 1$, or 0 for the
//! logistic loss. Whatever the loss, the minimum is a sum of kernels, $f = \frac1\alpha \sum_i \sigma_i b_i\, k(x_i, \cdot)$: the
//! representer theorem. There is no intercept: centre the target, or add a constant to the kernel. Of more than two classes, each
//! is told from the rest.
//!
//! # Algorithm
//! Stochastic dual coordinate ascent by blocks. A block of rows of the Gram matrix is made, each of its dual variables goes to the
//! maximum of $\sum_i t_i b_i - s_i \ell^*(b_i/s_i) - \frac{1}{2\alpha} a^\top K a$, $a = \sigma b$, a few times over, and the outputs
//! of all points follow by one product of matrices. Blocks come in a new random order in each pass. A loss is known by its
//! conjugate alone: squares (kernel ridge regression without an n × n matrix), Huber's, ε-insensitive ones, quantiles, hinges, logistic.
//!
//! # Complexity
//! A pass takes O(n² (d + T)) time for T outputs, and O(n (128 + T)) memory: the Gram matrix is kept for up to 4096 points only.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::{Kernel, KernelMachineRegressor, NumberLoss};
//! use mercer_math::Mat;
//! let x = Mat::from_fn(40, 1, |i, _| i as f64 * 0.15);
//! let mut y: Vec<f64> = (0..40).map(|i| (i as f64 * 0.15).sin()).collect();
//! y[20] += 50.0; // An outlier, which absolute errors hardly heed.
//! let data = Dataset::new(&x).with_target(Target::real(y))?;
//! let learner = KernelMachineRegressor::default().loss(NumberLoss::EpsilonInsensitive).alpha(0.01);
//! let model = learner.kernel(Kernel::rbf(1.0).into()).fit(&data)?;
//! let new = Mat::from_rows(&[[1.5]]).unwrap();
//! assert!((model.predict(&new)?.numbers()?[0] - 1.5f64.sin()).abs() < 0.15);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The certificate is the duality gap, a sum of terms none of which is negative, so that nothing cancels. It bounds every
//! prediction: $|f(x) - f^*(x)| \le \sqrt{2\,\mathrm{gap}\,k(x,x)/\alpha}$. A small $\alpha$ beside a smooth kernel takes many passes.
//! Where the kernel is not positive semi-definite the gap need not close.
//!
//! # References
//! - B. Schölkopf, R. Herbrich, A. J. Smola. A generalized representer theorem. COLT 2001. doi:10.1007/3-540-44581-1_27
//! - S. Shalev-Shwartz, T. Zhang. Stochastic dual coordinate ascent methods for regularized loss minimization. JMLR 14, 2013.

mod ascent;
mod loss;
mod model;

pub use loss::ConvexLoss;
pub use model::KernelMachineModel;

use crate::kernel::{Gamma, KernelParams, KernelSpec};
use ascent::{Ascent, Targets};
use mercer_core::{Capabilities, Choice, Dataset, Error, Kinds, Learn, ParamGroup, Params, Result, Session};
use mercer_math::{Mat, Weights};

/// Losses of classes, as functions of the margin z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum ClassLoss {
    /// ln(1 + e^−z): gives probabilities.
    LogLoss,
    /// max(0, 1 − z).
    Hinge,
    /// ½max(0, 1 − z)².
    SquaredHinge,
    /// max(0, 1 − z)², linear below −1.
    ModifiedHuber,
}

/// Losses of numbers, as functions of the residual r.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum NumberLoss {
    /// ½r²: kernel ridge regression.
    SquaredError,
    /// ½r² up to ε, linear beyond.
    Huber,
    /// max(0, |r| − ε).
    EpsilonInsensitive,
    /// ½max(0, |r| − ε)².
    SquaredEpsilonInsensitive,
    /// The loss whose minimum is a quantile.
    Quantile,
}

/// The kernel, the penalty, and when to stop.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct AscentParams {
    /// Strength of the L2 penalty.
    #[param(default = 1.0, range = "(0, inf)", search = "log 1e-4..1e2")]
    pub alpha: f64,
    /// The kernel.
    #[param(flatten)]
    pub kernel: KernelParams,
    /// Stop when the duality gap is at most this, relative to the loss of the function that is zero.
    #[param(default = 1e-6, range = "(0, inf)")]
    pub tol: f64,
    /// Limit of passes over the points.
    #[param(default = 1000, range = "[1, inf)")]
    pub max_iter: usize,
}

/// Classification with any convex loss through a kernel.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "kernel-machine",
    canon = "K6",
    rows = 20_000,
    task = Classification,
    twin = "KernelMachineRegressor",
    python = "kernels",
    tried = "gamma=0.3,tol=1e-9 | loss=hinge,kernel=linear,alpha=2 | loss=squared_hinge,gamma=auto | loss=modified_huber,kernel=poly,degree=2,coef0=1,gamma=auto",
    session = "random_state verbose",
    mixins = "KernelMixin",
    can = "proba decision weights sparse scaled random ordered",
    references = "Schölkopf, Herbrich, Smola. A generalized representer theorem. COLT 2001.|Shalev-Shwartz, Zhang. Stochastic dual coordinate ascent methods for regularized loss minimization. JMLR 14, 2013."
)]
pub struct KernelMachineClassifier {
    /// The loss.
    #[param(default = ClassLoss::LogLoss, search = "among log_loss|squared_hinge|modified_huber")]
    pub loss: ClassLoss,
    /// The kernel, the penalty, and when to stop.
    #[param(flatten)]
    pub params: AscentParams,
}

/// Regression with any convex loss through a kernel.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "kernel-machine-regressor",
    canon = "K6",
    rows = 20_000,
    task = Regression,
    twin = "KernelMachineClassifier",
    python = "kernels",
    tried = "gamma=0.3,tol=1e-12 | loss=huber,gamma=auto,epsilon=1,tol=1e-12 | loss=epsilon_insensitive,gamma=auto | loss=squared_epsilon_insensitive,gamma=auto,tol=1e-12 | loss=quantile,quantile=0.8,gamma=auto",
    session = "random_state verbose",
    mixins = "KernelMixin",
    can = "weights sparse multi_output scaled random ordered",
    references = "Schölkopf, Herbrich, Smola. A generalized representer theorem. COLT 2001.|Shalev-Shwartz, Zhang. Stochastic dual coordinate ascent methods for regularized loss minimization. JMLR 14, 2013."
)]
pub struct KernelMachineRegressor {
    /// The loss.
    #[param(default = NumberLoss::SquaredError, search = "among squared_error|huber")]
    pub loss: NumberLoss,
    /// Where Huber's loss becomes linear, and up to what residuals the insensitive ones are zero.
    #[param(default = 0.1, range = "[0, inf)", search = "log 1e-3..1 if loss=huber")]
    pub epsilon: f64,
    /// The quantile of the loss of that name.
    #[param(default = 0.5, range = "(0, 1)")]
    pub quantile: f64,
    /// The kernel, the penalty, and when to stop.
    #[param(flatten)]
    pub params: AscentParams,
}

impl AscentParams {
    fn kinds(&self) -> Kinds {
        let kind = self.kernel.kernel.data_kind();
        Kinds { learns_from: kind, asked_about: kind }
    }

    /// What is declared, as far as the kernel goes: the usual γ is taken from the variance of the rows, whatever they weigh.
    fn capabilities(&self, declared: Capabilities) -> Capabilities {
        let linear = self.kernel.kernel == KernelSpec::word("linear");
        let sparse = declared.sparse && !self.kernel.kernel.is_precomputed();
        Capabilities { sparse, counts_rows: self.kernel.gamma == Gamma::Scale && !linear, ..declared }
    }
}

impl KernelMachineClassifier {
    fn convex(&self) -> ConvexLoss {
        match self.loss {
            ClassLoss::LogLoss => ConvexLoss::Log,
            ClassLoss::Hinge => ConvexLoss::HINGE,
            ClassLoss::SquaredHinge => ConvexLoss::SQUARED_HINGE,
            ClassLoss::ModifiedHuber => ConvexLoss::MODIFIED_HUBER,
        }
    }
}

impl KernelMachineRegressor {
    fn convex(&self) -> ConvexLoss {
        match self.loss {
            NumberLoss::SquaredError => ConvexLoss::SQUARED,
            NumberLoss::Huber => ConvexLoss::huber(self.epsilon),
            NumberLoss::EpsilonInsensitive => ConvexLoss::insensitive(self.epsilon),
            NumberLoss::SquaredEpsilonInsensitive => ConvexLoss::squared_insensitive(self.epsilon),
            NumberLoss::Quantile => ConvexLoss::pinball(self.quantile),
        }
    }
}

/// Targets and signs: numbers as they are, classes as ±1, one output for each beyond two.
fn targets<'a>(who: &str, data: &Dataset<'_>, loss: ConvexLoss, weights: Weights<'a>) -> Result<Targets<'a>> {
    let target = data.need_target(who)?;
    if data.labels().is_none() {
        let columns = (0..target.n_columns()).map(|k| target.numbers_of(k)).collect::<Result<Vec<_>>>()?;
        let t = Mat::from_fn(target.n_rows(), columns.len(), |i, k| columns[k][i]);
        return Ok(Targets { t, signs: None, weights });
    }
    let (codes, labels) = target.class()?;
    if labels.len() < 2 {
        return Err(Error::too_few(who, "classes", 2, labels.len()));
    }
    let (outputs, n) = (if labels.len() == 2 { 1 } else { labels.len() }, codes.len());
    // Of two classes, the second is the positive one.
    let own = |k: usize| if outputs == 1 { 1 } else { k as u32 };
    let signs = Mat::from_fn(n, outputs, |i, k| if codes[i] == own(k) { 1.0 } else { -1.0 });
    let wanted = if loss == ConvexLoss::Log { 0.0 } else { 1.0 };
    Ok(Targets { t: Mat::from_fn(n, outputs, |_, _| wanted), signs: Some(signs), weights })
}

impl Learn for KernelMachineClassifier {
    type Model = KernelMachineModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<KernelMachineModel> {
        KernelMachineModel::learn(Self::NAME, self.convex(), &self.params, data, session)
    }
    fn kinds(&self) -> Kinds {
        self.params.kinds()
    }
    fn capabilities(&self) -> Capabilities {
        let proba = self.loss == ClassLoss::LogLoss;
        Capabilities { proba, ..self.params.capabilities(Self::declaration().capabilities) }
    }
}

impl Learn for KernelMachineRegressor {
    type Model = KernelMachineModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<KernelMachineModel> {
        KernelMachineModel::learn(Self::NAME, self.convex(), &self.params, data, session)
    }
    fn kinds(&self) -> Kinds {
        self.params.kinds()
    }
    fn capabilities(&self) -> Capabilities {
        self.params.capabilities(Self::declaration().capabilities)
    }
}
