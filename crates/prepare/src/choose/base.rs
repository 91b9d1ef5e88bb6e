//! What selections share that ask a learner: the learner, its importances, its score, and the target.

use mercer_core::{
    AttributeValues, Capabilities, Dataset, Error, ErrorKind, Input, Label, Learner, Model, NestedLearner,
    Params, Result, Rows, Session, Target, Task, compose,
};
use mercer_measure::{Answers, Metric};

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
    compose::resolve(estimator, if data.labels().is_some() { classes } else { numbers })
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
pub(crate) fn capabilities<L: Params>(estimator: &Option<NestedLearner>) -> Capabilities {
    let own = Capabilities { weights: true, sparse: true, ..L::declaration().capabilities };
    estimator.as_ref().map_or(own, |learner| compose::together(own, &[learner.0.capabilities()]))
}

/// Refuses an estimator that predicts nothing, or whose parameters are wrong.
pub(crate) fn check<L: Params>(estimator: &Option<NestedLearner>) -> Result<()> {
    compose::check_given(L::NAME, estimator, "a classifier or a regressor", |learner| {
        learner.task().has_target()
    })
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

/// What a metric says of a model on some rows; larger is better.
pub(crate) fn score(
    model: &dyn Model,
    data: &Dataset<'_>,
    metric: &Metric,
    session: &Session,
) -> Result<f64> {
    let value = Answers::for_metric(model, data, metric, session)?.score(metric)?;
    Ok(if metric.greater_is_better { value } else { -value })
}
