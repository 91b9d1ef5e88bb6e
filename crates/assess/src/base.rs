//! What the learners that wrap a classifier share.

use mercer_core::{
    Capabilities, Dataset, Error, Kinds, Learner, NestedLearner, ParamGroup, Params, Result, Task, compose,
};
use mercer_measure::Split;

/// The classifier where none is given.
const DEFAULT: &str = "LogisticRegression";

/// A classifier, and the folds whose held-out rows tell how its scores are to be read.
#[derive(Clone, Debug, ParamGroup)]
pub struct HeldOutParams {
    /// The classifier; none means logistic regression.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// Number of folds.
    #[param(default = 5, range = "[2, inf)")]
    pub cv: usize,
}

/// The wrapped classifier.
pub(crate) fn resolve(estimator: &Option<NestedLearner>) -> Result<Box<dyn Learner>> {
    compose::resolve(estimator, DEFAULT)
}

/// The kinds of data that it learns from and is asked about.
pub(crate) fn kinds(estimator: &Option<NestedLearner>) -> Kinds {
    compose::kinds(estimator, DEFAULT)
}

/// What the wrapper can do with it.
pub(crate) fn capabilities<L: Params>(estimator: &Option<NestedLearner>) -> Capabilities {
    compose::together_with(L::declaration().capabilities, estimator, DEFAULT)
}

/// Refuses an estimator that is no classifier or gives no scores.
pub(crate) fn check<L: Params>(estimator: &Option<NestedLearner>) -> Result<()> {
    let expected = "a classifier that gives probabilities or decision values";
    compose::check_given(L::NAME, estimator, expected, |inner| {
        let can = inner.capabilities();
        inner.task() == Task::Classification && (can.proba || can.decision)
    })
}

/// The folds, in the order of the rows; refuses classes that are too rare to be in all of them.
pub(crate) fn folds(data: &Dataset<'_>, k: usize, who: &str) -> Result<Vec<Split>> {
    let target = data.need_target(who)?;
    let (codes, labels) = target.class()?;
    let mut count = vec![0usize; labels.len()];
    codes.iter().for_each(|&c| count[c as usize] += 1);
    let least = count.iter().filter(|n| **n > 0).min().filter(|n| **n < k);
    if let (None, Some(least)) = (data.groups(), least) {
        return Err(Error::too_few(who, "rows of every class (one for each fold)", k, *least));
    }
    mercer_measure::folds(data, k, None)
}
