//! Gradient boosting for numbers, with any weak learner and any loss.
//!
//! # Objective
//! $\min_f \sum_i w_i L(y_i, f(x_i))$ over sums $f = \beta_0 + \sum_t \nu\,\beta_t h_t$ of weak learners.
//!
//! # Algorithm
//! Steepest descent among functions. Each round fits a weak learner to minus the gradient
//! $-\partial L(y_i, f)/\partial f$ at the current scores by least squares, and finds the step of least loss along it:
//! $\beta_t = \arg\min_\beta \sum_i w_i L(y_i, f_{t-1}(x_i) + \beta h_t(x_i))$ (`line_search = global`), or one such step
//! for each value that the weak learner predicts, which for a tree is one for each leaf (`leaf`, Friedman's TreeBoost).
//! The start is the best constant; `learning_rate` $\nu$ shortens each step.
//!
//! # Complexity
//! `n_estimators` fits, one after the other, and as many line searches of O(n).
//!
//! # Example
//! ```
//! use mercer_ensemble::GradientBoostingRegressor;
//! assert_eq!(GradientBoostingRegressor::default().n_estimators, 100);
//! ```
//!
//! # Numerics
//! Line searches go to the last digits; those of the absolute and the quantile loss are exact (weighted quantiles).
//! With a tree and `leaf`, squared loss gives scikit-learn's numbers.
//!
//! # References
//! - J. H. Friedman. Greedy function approximation: a gradient boosting machine. Ann. Statist. 29(5), 2001.
//!   doi:10.1214/aos/1013203451
//! - J. H. Friedman. Stochastic gradient boosting. Comput. Stat. Data Anal. 38(4), 2002. doi:10.1016/S0167-9473(01)00065-2

use crate::base;
use crate::gradient::{GradientBoost, LineSearch, weak_learner};
use crate::line::Objective;
use crate::stages::{Link, StagesModel};
use mercer_core::{Capabilities, Dataset, Error, Learn, NestedLearner, Params, Result, Session, Task};
use mercer_measure::Loss;

/// Gradient boosting: regressors, each fitted to the gradient of the loss that the others leave.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "gradient-boosting-regressor",
    canon = "T7",
    task = Regression,
    python = "ensemble",
    can = "weights",
    references = "Friedman. Greedy function approximation: a gradient boosting machine. Ann. Statist. 29(5), 2001."
)]
pub struct GradientBoostingRegressor {
    /// The loss: squared_error, absolute_error, huber(delta=1.35), quantile(alpha=0.9) or another of a residual.
    #[param(default = Loss::Squared)]
    pub loss: Loss,
    /// Factor of every step.
    #[param(default = 0.1, range = "(0, inf)", search = "log 0.01..1")]
    pub learning_rate: f64,
    /// Most rounds.
    #[param(default = 100, range = "[1, inf)", search = "int 20..500")]
    pub n_estimators: usize,
    /// Share of the rows, drawn anew in each round, that a weak learner sees.
    #[param(default = 1.0, range = "(0, 1]", search = "linear 0.3..1")]
    pub subsample: f64,
    /// Depth of the trees; of no meaning with an `estimator`.
    #[param(default = Some(3), range = "[1, inf)", search = "int 1..8")]
    pub max_depth: Option<usize>,
    /// Least rows of a leaf; of no meaning with an `estimator`.
    #[param(default = 1, range = "[1, inf)", search = "int 1..32")]
    pub min_samples_leaf: usize,
    /// The weak learner, a regressor; none means a tree.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// Whether there is one step for each leaf or one for all rows.
    #[param(default = LineSearch::Leaf)]
    pub line_search: LineSearch,
    /// Rounds without progress on validation rows before training ends; none never ends early.
    #[param(default = None, range = "[1, inf)")]
    pub n_iter_no_change: Option<usize>,
    /// Share of the rows set aside for that, unless the data bring validation rows.
    #[param(default = 0.1, range = "(0, 1)")]
    pub validation_fraction: f64,
    /// Least progress.
    #[param(default = 1e-4, range = "[0, inf)")]
    pub tol: f64,
}

impl GradientBoostingRegressor {
    fn weak(&self) -> Result<base::AnyLearner> {
        weak_learner(&self.estimator, self.max_depth, self.min_samples_leaf)
    }
}

impl Learn for GradientBoostingRegressor {
    type Model = StagesModel;

    fn capabilities(&self) -> Capabilities {
        let own = Self::declaration().capabilities;
        let draws = self.subsample < 1.0 || self.n_iter_no_change.is_some();
        let own = Capabilities { random: draws, ordered: draws, counts_rows: draws, ..own };
        self.weak().map_or(own, |weak| base::together(own, &[weak.capabilities()]))
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if self.loss.is_margin() || self.loss == Loss::CrossEntropy {
            return Err(Error::param(Self::NAME, "loss", "a loss of the residual", self.loss));
        }
        base::check_member::<Self>("estimator", self.weak()?.as_ref(), Task::Regression)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<StagesModel> {
        let boosting = GradientBoost {
            who: Self::NAME,
            weak: self.weak()?,
            objective: Objective::One(self.loss),
            learning_rate: self.learning_rate,
            n_estimators: self.n_estimators,
            subsample: self.subsample,
            line_search: self.line_search,
            patience: self.n_iter_no_change,
            validation_fraction: self.validation_fraction,
            tol: self.tol,
        };
        boosting.boost(data, Link::Identity, session)
    }
}
