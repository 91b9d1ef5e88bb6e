//! Lasso and elastic net: least squares with an L1 penalty, or with L1 and L2.
//!
//! # Objective
//! $$ \min_{w,b}\ \frac{1}{2\sum_i s_i}\sum_i s_i (y_i - x_i^\top w - b)^2 + \alpha\rho\lVert w\rVert_1 +
//!    \tfrac12\alpha(1-\rho)\lVert w\rVert_2^2 $$
//! with sample weights $s_i$ and the share $\rho$ (`l1_ratio`) of the L1 penalty, 1 for the lasso; the intercept $b$
//! is not penalised.
//!
//! # Algorithm
//! Coordinate descent on a Gram matrix: that of all features, from sums over blocks of rows, where there are more rows
//! than features, else that of a working set that grows by what the strong rule expects and by what violates the
//! optimality conditions on all features. Sweeps are interleaved with Newton steps on the features in use, so that
//! close features do not slow them down, and the residual at their end is as good a point of the dual as an
//! extrapolated one. Where too many features matter for a Gram matrix, descent is on columns with the residual kept up
//! to date and gap-safe screening. Sparse columns are centred on the way and stay sparse. Where descent ends, the
//! equations of the features in use are solved exactly. Each of several targets is a problem of its own.
//!
//! # Complexity
//! O(n d²) once and O(d²) an iteration by sums; else O(n d) or O(nnz) for each look at all features, O(n m²) for the
//! products of the m features that matter, O(m²) an iteration; memory O(d²), or a copy of the rows and O(m²).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::Lasso;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![-2.0, 0.0, 2.0]))?;
//! let model = Lasso::default().alpha(0.1).fit(&data)?;
//! assert!((model.coef()[0] - 1.85).abs() < 1e-12 && model.coef()[1] == 0.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Stopping is by the duality gap relative to $\lVert y\rVert^2$: the certificate says how far the objective can be
//! from its minimum, and how far the optimality conditions are from holding. `alpha = 0` is least squares by descent;
//! `Ridge` with `alpha = 0` is the better way to it.
//!
//! # References
//! - R. Tibshirani. Regression shrinkage and selection via the lasso. JRSS B 58(1), 1996.
//! - H. Zou, T. Hastie. Regularization and variable selection via the elastic net. JRSS B 67(2), 2005.
//! - J. Friedman, T. Hastie, R. Tibshirani. Regularization paths for generalized linear models via coordinate descent.
//!   JSS 33(1), 2010. doi:10.18637/jss.v033.i01
//! - R. Tibshirani et al. Strong rules for discarding predictors in lasso-type problems. JRSS B 74(2), 2012.
//! - M. Massias, A. Gramfort, J. Salmon. Celer: a fast solver for the lasso with dual extrapolation. ICML 2018.
//! - E. Ndiaye, O. Fercoq, A. Gramfort, J. Salmon. Gap safe screening rules. JMLR 18(128), 2017.

use crate::net::{ElasticNetModel, Net};
use mercer_core::sums::{self, Batches};
use mercer_core::{Capabilities, Choice, Dataset, Learn, ParamGroup, Params, Result, Session};

/// The order in which coefficients are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Visit {
    /// One after the other.
    Cyclic,
    /// Drawn at random.
    Random,
}

/// What the lasso, the elastic net and those of many tasks share: the intercept, and how the coefficients are found.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct CoordinateDescentParams {
    /// Whether to fit an unpenalised intercept.
    #[param(default = true)]
    pub fit_intercept: bool,
    /// Most passes over the coefficients.
    #[param(default = 1000, range = "[1, inf)")]
    pub max_iter: usize,
    /// Duality gap, relative to the sum of squares of the target, at which to stop.
    #[param(default = 1e-4, range = "[0, inf)")]
    pub tol: f64,
    /// The order in which coefficients are visited.
    #[param(default = Visit::Cyclic)]
    pub selection: Visit,
}

/// An L1 penalty.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct L1PenaltyParams {
    /// Strength of the penalty.
    #[param(default = 1.0, range = "[0, inf)", search = "log 1e-4..1e2")]
    pub alpha: f64,
}

/// An L1 and an L2 penalty.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct NetPenaltyParams {
    /// Strength of the penalties.
    #[param(default = 1.0, range = "[0, inf)", search = "log 1e-4..1e2")]
    pub alpha: f64,
    /// The share of the L1 penalty: 0 is ridge regression, 1 the lasso.
    #[param(default = 0.5, range = "[0, 1]", search = "linear 0..1")]
    pub l1_ratio: f64,
}

/// What coefficients may be.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct SignParams {
    /// Whether coefficients may not be negative.
    #[param(default = false)]
    pub positive: bool,
}

/// Lasso: least squares with an L1 penalty, which sets coefficients to zero.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "lasso",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state",
    door = "precompute=False copy_X=True warm_start=False",
    mixins = "NetMixin SparseCoefMixin",
    can = "explain weights sparse multi_output by_sums scaled zeroes",
    references = "Tibshirani. Regression shrinkage and selection via the lasso. JRSS B 58(1), 1996."
)]
pub struct Lasso {
    /// Strength of the penalty.
    #[param(flatten)]
    pub penalty: L1PenaltyParams,
    /// The intercept, and how the coefficients are found.
    #[param(flatten)]
    pub descent: CoordinateDescentParams,
    /// What coefficients may be.
    #[param(flatten)]
    pub sign: SignParams,
}

/// Elastic net: least squares with an L1 and an L2 penalty.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "elastic-net",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state",
    door = "precompute=False copy_X=True warm_start=False",
    mixins = "NetMixin SparseCoefMixin",
    can = "explain weights sparse multi_output by_sums scaled",
    references = "Zou, Hastie. Regularization and variable selection via the elastic net. JRSS B 67(2), 2005."
)]
pub struct ElasticNet {
    /// Strength of the penalties, and how they share it.
    #[param(flatten)]
    pub penalty: NetPenaltyParams,
    /// The intercept, and how the coefficients are found.
    #[param(flatten)]
    pub descent: CoordinateDescentParams,
    /// What coefficients may be.
    #[param(flatten)]
    pub sign: SignParams,
}

impl From<&Lasso> for Net {
    fn from(lasso: &Lasso) -> Self {
        let Lasso { penalty, sign, descent } = lasso.clone();
        Self { alpha: penalty.alpha, l1_ratio: 1.0, positive: sign.positive, together: false, descent }
    }
}

impl From<&ElasticNet> for Net {
    fn from(net: &ElasticNet) -> Self {
        let ElasticNet { penalty: NetPenaltyParams { alpha, l1_ratio }, sign, descent } = net.clone();
        Self { alpha, l1_ratio, positive: sign.positive, together: false, descent }
    }
}

impl Learn for Lasso {
    type Model = ElasticNetModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ElasticNetModel> {
        Net::from(self).learn(Self::NAME, data, session)
    }

    fn capabilities(&self) -> Capabilities {
        Net::from(self).capabilities(Self::declaration().capabilities)
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        Some(sums::fit_stream(Self::NAME, &self.capabilities(), &Net::from(self), batches, session))
    }
}

impl Learn for ElasticNet {
    type Model = ElasticNetModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ElasticNetModel> {
        Net::from(self).learn(Self::NAME, data, session)
    }

    fn capabilities(&self) -> Capabilities {
        Net::from(self).capabilities(Self::declaration().capabilities)
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        Some(sums::fit_stream(Self::NAME, &self.capabilities(), &Net::from(self), batches, session))
    }
}
