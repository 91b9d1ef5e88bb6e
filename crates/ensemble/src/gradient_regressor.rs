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
//! By default (`newton`), losses that fall without end, as those of classes do, take one step of Newton in each leaf.
//! The start is the best constant; `learning_rate` $\nu$ shortens each step.
//!
//! # Complexity
//! `n_estimators` fits, one after the other, and as many line searches of O(n).
//!
//! # Example
//! ```
//! use mercer_ensemble::GradientBoostingRegressor;
//! assert_eq!(GradientBoostingRegressor::default().boosting.n_estimators, 100);
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
use crate::gradient::{GradientBoost, GradientBoostingParams, LineSearch};
use crate::line::Objective;
use crate::stages::{Link, StagesModel};
use mercer_core::{
    Capabilities, CountOrShare, Dataset, Error, Learn, MaxFeatures, NestedLearner, Params, Result, Session,
    Task,
};
use mercer_measure::Loss;

/// Gradient boosting: regressors, each fitted to the gradient of the loss that the others leave.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "gradient-boosting-regressor",
    canon = "T7",
    task = Regression,
    python = "ensemble",
    twin = "GradientBoostingClassifier",
    tried = "n_estimators=12 | n_estimators=5,estimator=ridge,line_search=global,loss=huber(delta=2)",
    session = "random_state verbose",
    mixins = "LossMixin StagesMixin",
    door = "criterion='deprecated' init=None alpha=0.9 warm_start=False",
    can = "explain members weights",
    references = "Friedman. Greedy function approximation: a gradient boosting machine. Ann. Statist. 29(5), 2001."
)]
pub struct GradientBoostingRegressor {
    /// The loss: squared_error, absolute_error, huber(delta=1.35), quantile(alpha=0.9) or another of a residual.
    #[param(default = Loss::Squared)]
    pub loss: Loss,
    /// Rounds, weak learners and early stopping.
    #[param(flatten)]
    pub boosting: GradientBoostingParams,
}

impl Learn for GradientBoostingRegressor {
    type Model = StagesModel;

    fn capabilities(&self) -> Capabilities {
        let own = Self::declaration().capabilities;
        let draws = self.boosting.draws();
        let own = Capabilities { random: draws, ordered: draws, counts_rows: draws, ..own };
        self.boosting.weak().map_or(own, |weak| self.boosting.together(own, weak.as_ref()))
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if !self.loss.is_residual() {
            return Err(Error::param(Self::NAME, "loss", "a loss of the residual", self.loss));
        }
        base::check_member(Self::NAME, "estimator", self.boosting.weak()?.as_ref(), Task::Regression)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<StagesModel> {
        let boosting = GradientBoost {
            who: Self::NAME,
            weak: self.boosting.weak()?,
            objective: Objective::One(self.loss),
            params: &self.boosting,
        };
        boosting.boost(data, Link::Identity, session)
    }
}
