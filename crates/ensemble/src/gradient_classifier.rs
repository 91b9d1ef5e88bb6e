//! Gradient boosting for classes, with any weak learner and any loss of the margin.
//!
//! # Objective
//! $\min_f \sum_i w_i L(y_i, f(x_i))$ over sums of weak learners: the logistic loss (`log_loss`), the exponential loss of
//! AdaBoost, or another of the margin for two classes; $-\ln\mathrm{softmax}(f(x_i))_{y_i}$ with one sum for each class
//! for more.
//!
//! # Algorithm
//! That of [`GradientBoostingRegressor`](crate::GradientBoostingRegressor), with regressors as weak learners; with more
//! than two classes, each round fits one for each class, all from the same scores.
//!
//! # Complexity
//! `n_estimators` fits (times the classes beyond two), one after the other, and as many line searches of O(n).
//!
//! # Example
//! ```
//! use mercer_ensemble::GradientBoostingClassifier;
//! assert_eq!(GradientBoostingClassifier::default().boosting.learning_rate, 0.1);
//! ```
//!
//! # Numerics
//! Each leaf takes one step of Newton, $\sum w g / \sum w h$, as in scikit-learn; with `line_search = leaf` it takes the
//! step of least loss, which where all rows of a leaf are of one class is infinite, and cut at 5 units of the score.
//! Probabilities are those under which the loss is least: the sigmoid of the score, or of twice it for the exponential
//! loss. Other losses give decision values only.
//!
//! # References
//! - J. H. Friedman. Greedy function approximation: a gradient boosting machine. Ann. Statist. 29(5), 2001.
//!   doi:10.1214/aos/1013203451
//! - J. Friedman, T. Hastie, R. Tibshirani. Additive logistic regression. Ann. Statist. 28(2), 2000.
//!   doi:10.1214/aos/1016218223

use crate::base;
use crate::gradient::{GradientBoost, GradientBoostingParams, LineSearch};
use crate::line::Objective;
use crate::stages::{Link as StagesLink, StagesModel};
use mercer_core::{
    Capabilities, CountOrShare, Dataset, Error, Learn, MaxFeatures, NestedLearner, Params, Result, Session,
    Task,
};
use mercer_measure::{Link, Loss};

/// Gradient boosting: regressors, each fitted to the gradient of the loss of classes that the others leave.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "gradient-boosting",
    canon = "T7",
    task = Classification,
    python = "ensemble",
    twin = "GradientBoostingRegressor",
    tried = "n_estimators=12 | n_estimators=5,loss=exponential",
    session = "random_state verbose",
    mixins = "StagesMixin",
    door = "criterion='deprecated' init=None warm_start=False",
    can = "proba decision explain members weights",
    references = "Friedman. Greedy function approximation: a gradient boosting machine. Ann. Statist. 29(5), 2001."
)]
pub struct GradientBoostingClassifier {
    /// The loss: log_loss, exponential or another of the margin; log_loss alone for more than two classes.
    #[param(default = Loss::Logistic)]
    pub loss: Loss,
    /// Rounds, weak learners and early stopping.
    #[param(flatten)]
    pub boosting: GradientBoostingParams,
}

impl GradientBoostingClassifier {
    /// The factor of the score under the sigmoid; 0 where the loss knows no probabilities.
    fn factor(&self) -> f64 {
        if let Link::Logit(scale) = self.loss.link() { scale } else { 0.0 }
    }
}

impl Learn for GradientBoostingClassifier {
    type Model = StagesModel;

    fn capabilities(&self) -> Capabilities {
        let own = Self::declaration().capabilities;
        let draws = self.boosting.draws();
        let (proba, binary) = (self.factor() > 0.0, self.loss != Loss::Logistic);
        let own = Capabilities { random: draws, ordered: draws, counts_rows: draws, proba, binary, ..own };
        self.boosting.weak().map_or(own, |weak| self.boosting.together(own, weak.as_ref()))
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if !self.loss.is_margin() || self.loss == Loss::ZeroOne {
            return Err(Error::param(Self::NAME, "loss", "a loss of the margin with a gradient", self.loss));
        }
        base::check_member(Self::NAME, "estimator", self.boosting.weak()?.as_ref(), Task::Regression)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<StagesModel> {
        let classes = data.labels().map_or(0, |l| l.len());
        if classes < 2 {
            return Err(Error::too_few(Self::NAME, "classes", 2, classes));
        }
        let (objective, link) = match classes {
            2 => (Objective::One(self.loss), StagesLink::Sign(self.factor())),
            k => (Objective::Softmax(k), StagesLink::Softmax),
        };
        let boosting =
            GradientBoost { who: Self::NAME, weak: self.boosting.weak()?, objective, params: &self.boosting };
        boosting.boost(data, link, session)
    }
}
