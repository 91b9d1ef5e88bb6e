//! What the learners that wrap a classifier share.

use mercer_core::{
    Capabilities, Dataset, Error, Learner, NestedLearner, ParamGroup, Params, Result, Task, compose,
};
use mercer_measure::{Split, folds_in_order};

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

/// The wrapped learner; logistic regression where none is given.
pub(crate) fn resolve(estimator: &Option<NestedLearner>) -> Result<Box<dyn Learner>> {
    compose::resolve(estimator, "LogisticRegression")
}

/// What the wrapper can do: what the wrapped learner can, predicted classes and their probabilities, but in other
/// results for another order of the rows, since folds follow it.
pub(crate) fn capabilities<L: Params>(estimator: &Option<NestedLearner>) -> Capabilities {
    match resolve(estimator) {
        Ok(inner) => {
            let inner = inner.capabilities();
            Capabilities {
                proba: true,
                by_sums: false,
                multi_output: false,
                counts_rows: true,
                ordered: true,
                ..inner.giving_nothing()
            }
        }
        Err(_) => L::declaration().capabilities,
    }
}

/// Refuses an estimator that is no classifier or gives no scores.
pub(crate) fn check<L: Params>(estimator: &Option<NestedLearner>) -> Result<()> {
    let Some(NestedLearner(inner)) = estimator else { return Ok(()) };
    inner.check()?;
    let can = inner.capabilities();
    if inner.task() != Task::Classification || !(can.proba || can.decision) {
        let expected = "a classifier that gives probabilities or decision values";
        return Err(Error::param(L::NAME, "estimator", expected, inner.declaration().name));
    }
    Ok(())
}

/// The folds: by group where there are groups, else stratified, in the order of the rows.
pub(crate) fn folds(data: &Dataset<'_>, k: usize, who: &str) -> Result<Vec<Split>> {
    let target = data.need_target(who)?;
    let (codes, labels) = target.class()?;
    let mut count = vec![0usize; labels.len()];
    codes.iter().for_each(|&c| count[c as usize] += 1);
    let groups = data.groups();
    if let (None, Some(least)) = (&groups, count.iter().filter(|n| **n > 0).min().filter(|n| **n < k)) {
        return Err(Error::too_few(who, "rows of every class (one for each fold)", k, *least));
    }
    folds_in_order(codes.len(), k, Some(codes), groups.as_deref())
}
