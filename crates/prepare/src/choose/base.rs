//! What selections share that ask a learner: the learner, its importances, its score over folds, and the target.

use mercer_core::{
    AttributeValues, Capabilities, Dataset, Error, ErrorKind, Input, Label, Learner, Model, NestedLearner,
    Params, Result, Rows, Session, Target, Task, catalogue,
};
use mercer_math::Mat;
use mercer_measure::{Metric, Needs, Scored, Split, group_k_fold, k_fold, stratified_k_fold};

/// Classes whose labels are numbers, as numbers; `None` where a label is none.
pub(crate) fn labels_as_numbers(target: &Target<'_>) -> Option<Vec<f64>> {
    let (codes, labels) = target.class().ok()?;
    let number = |label: &Label| match label {
        Label::Int(v) => Some(*v as f64),
        Label::Real(v) => Some(*v),
        Label::Bool(v) => Some(f64::from(u8::from(*v))),
        Label::Text(_) => None,
    };
    let numbers: Vec<f64> = labels.iter().map(number).collect::<Option<_>>()?;
    codes.iter().map(|&c| numbers.get(c as usize).copied()).collect()
}

/// The target as numbers: numbers themselves, or classes whose labels are numbers.
pub(crate) fn numbers_of(learner: &str, target: &Target<'_>) -> Result<Vec<f64>> {
    if let Ok(numbers) = target.numbers() {
        return Ok(numbers.to_vec());
    }
    labels_as_numbers(target).ok_or_else(|| {
        let (takes, got) = ("numbers as its target".to_owned(), "classes that are no numbers".to_owned());
        ErrorKind::Kind { learner: learner.to_owned(), takes, got }.into()
    })
}

/// The learner that is asked: that given, else one by name for numbers and one for classes.
pub(crate) fn resolve(
    estimator: &Option<NestedLearner>,
    data: &Dataset<'_>,
    numbers: &str,
    classes: &str,
) -> Result<Box<dyn Learner>> {
    match estimator {
        Some(learner) => Ok(learner.0.clone()),
        None => catalogue::make_spec(if data.labels().is_some() { classes } else { numbers }),
    }
}

/// The data with a target that the learner takes: classes whose labels are numbers serve a regression.
pub(crate) fn suited<'a>(learner: &dyn Learner, data: &Dataset<'a>) -> Result<Dataset<'a>> {
    match (learner.task(), data.target().as_deref().and_then(labels_as_numbers)) {
        (Task::Regression, Some(numbers)) => {
            data.with_input(data.input())?.with_target(Target::real(numbers))
        }
        _ => Ok(data.clone()),
    }
}

/// What a selection can do that hands its rows to a learner.
pub(crate) fn capabilities<L: Params>(estimator: &Option<NestedLearner>, folds: bool) -> Capabilities {
    let own = L::declaration().capabilities;
    let Some(NestedLearner(inner)) = estimator else {
        return Capabilities { weights: true, sparse: true, ..own };
    };
    let inner = inner.capabilities();
    Capabilities {
        weights: inner.weights,
        sparse: inner.sparse,
        missing: inner.missing,
        categorical: inner.categorical,
        text: inner.text,
        times: inner.times,
        scaled: inner.scaled,
        nonnegative: inner.nonnegative,
        random: inner.random,
        counts_rows: inner.counts_rows || folds,
        ordered: inner.ordered || folds,
        ..own
    }
}

/// Refuses an estimator that predicts nothing, or whose parameters are wrong.
pub(crate) fn check<L: Params>(estimator: &Option<NestedLearner>) -> Result<()> {
    let Some(NestedLearner(inner)) = estimator else { return Ok(()) };
    inner.check()?;
    match inner.task().has_target() {
        true => Ok(()),
        false => {
            Err(Error::param(L::NAME, "estimator", "a classifier or a regressor", inner.declaration().name))
        }
    }
}

/// The data with some of the columns.
pub(crate) fn with_columns<'a>(
    data: &Dataset<'a>,
    rows: &Rows<'_>,
    columns: &[usize],
) -> Result<Dataset<'a>> {
    data.with_input(Input::from(rows.columns(columns)?))
}

/// The importance of each feature: `coef_`, else `feature_importances_`, several rows put together by `together`.
pub(crate) fn importances(
    owner: &str,
    model: &dyn Model,
    n_features: usize,
    together: impl Fn(&mut dyn Iterator<Item = f64>) -> f64,
) -> Result<Vec<f64>> {
    let attributes = model.attributes();
    let named = |name: &str| attributes.iter().find(|a| a.name == name);
    let found = named("coef_").or_else(|| named("feature_importances_")).map(|a| &a.values);
    match found {
        Some(AttributeValues::Real(v)) if !v.is_empty() && n_features > 0 && v.len() % n_features == 0 => {
            Ok((0..n_features)
                .map(|j| together(&mut v.iter().skip(j).step_by(n_features).copied()))
                .collect())
        }
        _ => {
            let what = "a learner whose models have `coef_` or `feature_importances_`, one for each feature";
            Err(Error::param(owner, "estimator", what, model.declaration().name))
        }
    }
}

/// The metric by name, or accuracy for classes and R² for numbers.
pub(crate) fn metric(scoring: &Option<String>, learner: &dyn Learner) -> Result<&'static Metric> {
    Metric::by_name(match scoring {
        Some(name) => name,
        None if learner.task() == Task::Classification => "accuracy",
        None => "r2",
    })
}

/// Folds in the order of the rows: whole groups where there are groups, with the shares of the classes where there
/// are classes.
pub(crate) fn folds(who: &str, learner: &dyn Learner, data: &Dataset<'_>, k: usize) -> Result<Vec<Split>> {
    if let Some(groups) = data.groups() {
        return group_k_fold(&groups.iter().map(|&g| u64::from(g)).collect::<Vec<_>>(), k);
    }
    let target = data.need_target(who)?;
    match target.class() {
        Ok((codes, _)) if learner.task() == Task::Classification => stratified_k_fold(codes, k, None),
        _ => k_fold(data.n_rows(), k, None),
    }
}

/// What a metric says of a model on some rows; larger is better.
pub(crate) fn score(
    model: &dyn Model,
    data: &Dataset<'_>,
    metric: &Metric,
    session: &Session,
) -> Result<f64> {
    let (input, target, weights) = (data.input(), data.need_target("a score")?, data.weights());
    let asked = model.on(&input, session)?;
    let (prediction, can) = (asked.predict()?, asked.abilities());
    let value = match target.class() {
        Ok((truth, labels)) => {
            let proba = can.proba.filter(|_| metric.needs != Needs::Labels);
            let probabilities = proba.map(|_| asked.proba()).transpose()?;
            let decision = can.decision.filter(|_| metric.needs == Needs::Scores);
            let scores = decision.map(|_| asked.decision()).transpose()?;
            let (predicted, n_classes) = (Some(prediction.class()?.0), labels.len());
            let (probabilities, scores) =
                (probabilities.as_ref().map(Mat::view), scores.as_ref().map(Mat::view));
            metric.evaluate(
                &Scored::Classes { truth, n_classes, predicted, probabilities, scores },
                weights.as_deref(),
            )?
        }
        Err(_) => {
            let scored = Scored::Numbers { truth: target.numbers()?, predicted: prediction.numbers()? };
            metric.evaluate(&scored, weights.as_deref())?
        }
    };
    Ok(if metric.greater_is_better { value } else { -value })
}

/// The error of work that was stopped with nothing to show.
pub(crate) fn cancelled() -> Error {
    ErrorKind::Cancelled.into()
}
