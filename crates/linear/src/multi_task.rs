//! Lasso and elastic net for several targets whose features come and go together.
//!
//! # Objective
//! $$ \min_{W,b}\ \frac{1}{2\sum_i s_i}\sum_i s_i \lVert y_i - x_i^\top W - b\rVert_2^2 +
//!    \alpha\rho\sum_j\lVert W_j\rVert_2 + \tfrac12\alpha(1-\rho)\lVert W\rVert_F^2 $$
//! with a row $W_j$ of coefficients for each feature, sample weights $s_i$ and the share $\rho$ (`l1_ratio`), 1 for the
//! lasso.
//!
//! # Algorithm
//! Block coordinate descent: all coefficients of a feature at once, on the Gram matrix of all features or of a working
//! set, as [`Lasso`](crate::Lasso) does for one target.
//!
//! # Complexity
//! That of [`Lasso`](crate::Lasso), with every step once for each target.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::MultiTaskLasso;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]]).unwrap();
//! let y = Target::multi(vec![vec![-2.0, 0.0, 2.0], vec![1.0, 0.1, -1.0]])?;
//! let model = MultiTaskLasso::default().alpha(0.5).fit(&Dataset::new(&x).with_target(y)?)?;
//! // Coefficients are listed target by target: the first feature serves both, the second none.
//! assert!(model.coef()[0] != 0.0 && model.coef()[2] != 0.0 && model.coef()[1] == 0.0 && model.coef()[3] == 0.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Stopping is by the duality gap relative to $\lVert Y\rVert_F^2$.
//!
//! # References
//! - G. Obozinski, B. Taskar, M. Jordan. Joint covariate selection and joint subspace selection for multiple
//!   classification problems. Statistics and Computing 20, 2010. doi:10.1007/s11222-008-9111-x

use crate::lasso::{CoordinateDescentParams, L1PenaltyParams, NetPenaltyParams, Visit};
use crate::net::{ElasticNetModel, Net};
use crate::net_cv::{ElasticNetCvModel, PathCvParams, Ratios, ShareParams};
use crate::net_search::{Search, searches};
use crate::paths::Alphas;
use mercer_core::sums::{self, Batches};
use mercer_core::{Capabilities, Dataset, Fit, Learn, Params, Result, Schema, Session, Trained};
use mercer_measure::Split;

/// Lasso for several targets that share their features.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "multi-task-lasso",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state",
    door = "copy_X=True warm_start=False",
    mixins = "NetMixin",
    can = "explain weights sparse multi_output by_sums scaled zeroes",
    references = "Obozinski, Taskar, Jordan. Joint covariate selection and joint subspace selection for multiple classification problems. Statistics and Computing 20, 2010."
)]
pub struct MultiTaskLasso {
    /// Strength of the penalty.
    #[param(flatten)]
    pub penalty: L1PenaltyParams,
    /// The intercepts, and how the coefficients are found.
    #[param(flatten)]
    pub descent: CoordinateDescentParams,
}

/// Elastic net for several targets that share their features.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "multi-task-elastic-net",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state",
    door = "copy_X=True warm_start=False",
    mixins = "NetMixin",
    can = "explain weights sparse multi_output by_sums scaled",
    references = "Obozinski, Taskar, Jordan. Joint covariate selection and joint subspace selection for multiple classification problems. Statistics and Computing 20, 2010."
)]
pub struct MultiTaskElasticNet {
    /// Strength of the penalties, and how they share it.
    #[param(flatten)]
    pub penalty: NetPenaltyParams,
    /// The intercepts, and how the coefficients are found.
    #[param(flatten)]
    pub descent: CoordinateDescentParams,
}

/// Lasso for several targets, whose strength is chosen by cross-validation along the path.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    name = "MultiTaskLassoCV",
    aliases = "multi-task-lasso-cv",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state n_jobs verbose",
    door = "copy_X=True",
    mixins = "NetCvMixin",
    tried = "alphas=10",
    can = "explain weights sparse multi_output scaled zeroes counts_rows ordered",
    references = "Obozinski, Taskar, Jordan. Joint covariate selection and joint subspace selection for multiple classification problems. Statistics and Computing 20, 2010."
)]
pub struct MultiTaskLassoCv {
    /// The strengths and the folds.
    #[param(flatten)]
    pub path: PathCvParams,
    /// The intercepts, and how the coefficients are found.
    #[param(flatten)]
    pub descent: CoordinateDescentParams,
}

/// Elastic net for several targets, whose strength and share are chosen by cross-validation along the path.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    name = "MultiTaskElasticNetCV",
    aliases = "multi-task-elastic-net-cv",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state n_jobs verbose",
    door = "copy_X=True",
    mixins = "NetCvMixin",
    tried = "alphas=10",
    can = "explain weights sparse multi_output scaled counts_rows ordered",
    references = "Obozinski, Taskar, Jordan. Joint covariate selection and joint subspace selection for multiple classification problems. Statistics and Computing 20, 2010."
)]
pub struct MultiTaskElasticNetCv {
    /// The share of the L1 penalty.
    #[param(flatten)]
    pub share: ShareParams,
    /// The strengths and the folds.
    #[param(flatten)]
    pub path: PathCvParams,
    /// The intercepts, and how the coefficients are found.
    #[param(flatten)]
    pub descent: CoordinateDescentParams,
}

/// The net of several tasks.
fn together(alpha: f64, l1_ratio: f64, descent: &CoordinateDescentParams) -> Net {
    Net { alpha, l1_ratio, positive: false, together: true, descent: descent.clone() }
}

impl MultiTaskLasso {
    fn net(&self) -> Net {
        together(self.penalty.alpha, 1.0, &self.descent)
    }
}

impl MultiTaskElasticNet {
    fn net(&self) -> Net {
        together(self.penalty.alpha, self.penalty.l1_ratio, &self.descent)
    }
}

impl MultiTaskLassoCv {
    fn search(&self) -> Search<'_> {
        let net = together(0.0, 1.0, &self.descent);
        Search { name: Self::NAME, net, ratios: Ratios::One(1.0), path: &self.path }
    }
}

impl MultiTaskElasticNetCv {
    fn search(&self) -> Search<'_> {
        let net = together(0.0, 0.5, &self.descent);
        Search { name: Self::NAME, net, ratios: self.share.l1_ratio.clone(), path: &self.path }
    }
}

macro_rules! learns {
    ($($learner:ident),*) => {$(
        impl Learn for $learner {
            type Model = ElasticNetModel;

            fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ElasticNetModel> {
                self.net().learn(Self::NAME, data, session)
            }

            fn capabilities(&self) -> Capabilities {
                self.net().capabilities(Self::declaration().capabilities)
            }

            fn learn_stream(
                &self,
                batches: &mut dyn Batches,
                session: &Session,
            ) -> Option<Result<Self::Model>> {
                Some(sums::fit_stream(Self::NAME, &self.capabilities(), &self.net(), batches, session))
            }
        }
    )*};
}
learns!(MultiTaskLasso, MultiTaskElasticNet);

searches!(MultiTaskLassoCv, MultiTaskElasticNetCv);
