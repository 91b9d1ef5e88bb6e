//! What the learners that wrap a classifier share.

use mercer_core::{
    Capabilities, Dataset, Error, Learner, Model, NestedLearner, Params, Result, Session, Task, catalogue,
};
use mercer_math::Mat;
use mercer_measure::{Split, group_k_fold, stratified_k_fold};

/// The wrapped learner; logistic regression where none is given.
pub(crate) fn resolve(estimator: &Option<NestedLearner>) -> Result<Box<dyn Learner>> {
    match estimator {
        Some(learner) => Ok(learner.0.clone()),
        None => catalogue::make_spec("LogisticRegression"),
    }
}

/// What the wrapper can do: what the wrapped learner can, predicted classes and their probabilities, but in other
/// results for another order of the rows, since folds follow it.
pub(crate) fn capabilities<L: Params>(estimator: &Option<NestedLearner>) -> Capabilities {
    match resolve(estimator) {
        Ok(inner) => {
            let inner = inner.capabilities();
            Capabilities {
                proba: true,
                decision: false,
                transform: false,
                inverse: false,
                by_sums: false,
                multi_output: false,
                counts_rows: true,
                ordered: true,
                ..inner
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
    if let Some(groups) = data.groups() {
        return group_k_fold(&groups.iter().map(|&g| u64::from(g)).collect::<Vec<_>>(), k);
    }
    let target = data.need_target(who)?;
    let (codes, labels) = target.class()?;
    let mut count = vec![0usize; labels.len()];
    codes.iter().for_each(|&c| count[c as usize] += 1);
    if let Some(least) = count.iter().filter(|n| **n > 0).min().filter(|n| **n < k) {
        return Err(Error::too_few(who, "rows of every class (one for each fold)", k, *least));
    }
    stratified_k_fold(codes, k, None)
}

/// The scores of a model: decision values where it gives them, else probabilities.
pub(crate) fn scores(model: &dyn Model, input: &mercer_core::Input<'_>, session: &Session) -> Result<Mat> {
    if model.can().decision { model.decision(input, session) } else { model.predict_proba(input, session) }
}
