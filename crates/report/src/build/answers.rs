//! The answers of classifiers and regressors beside the truth: scores, curves, calibration, confusion.

use super::comparison::check;
use super::{Evaluation, Subject};
use crate::format::four_digits;
use crate::model::{Level, Report};
use crate::tasks::{Binary, CalibrationBin, ClassRow, Curve, Multiclass, Regression};
use mercer_assess::{Answers, cross_validate, folds};
use mercer_core::{Result, Session, Task};
use mercer_math::Mat;
use mercer_measure::{self as measure, Metric};
use std::borrow::Cow;

/// Points of a curve kept for drawing.
const CURVE_POINTS: usize = 500;
/// Rows of a regression kept for drawing.
const DRAWN_ROWS: usize = 5000;
/// Folds of a cross validation that the report makes itself.
const FOLDS: usize = 5;

/// The main plots of a supervised task, and its scores where no leaderboard tells them.
pub(super) fn add(subject: &Subject<'_>, report: &mut Report) -> Result<()> {
    if several_class_targets(subject) {
        let message = "not shown: plots of the answers (several targets of classes have none together)";
        report.checks.push(check("K005", Level::Note, message.to_owned()));
    }
    let Some((answers, origin)) = answers(subject)? else { return Ok(()) };
    if report.leaderboard.is_none() {
        let scored = Metric::shown_for(subject.task).filter_map(|m| Some((m, answers.score(m).ok()?)));
        report.facts = scored.map(|(m, v)| (m.label.to_owned(), four_digits(v))).collect();
    }
    draw(report, &answers, subject.target, origin)
}

fn several_class_targets(subject: &Subject<'_>) -> bool {
    subject.task == Task::Classification && subject.model.schema().labels().is_none()
}

/// The answers, and where they come from in words.
fn answers<'a>(subject: &Subject<'a>) -> Result<Option<(Cow<'a, Answers>, &'static str)>> {
    let Some(evaluation) = subject.evaluation else { return Ok(None) };
    if several_class_targets(subject) {
        return Ok(None);
    }
    let truth = subject.data.filter(|data| data.target().is_some());
    Ok(match (evaluation, truth) {
        (Evaluation::HeldOut(answers), _) => Some((Cow::Borrowed(answers), "held out")),
        (Evaluation::OutOfFold(answers), _) => Some((Cow::Borrowed(answers), "out of fold")),
        (Evaluation::CrossValidation, Some(data)) => {
            let (learner, session): (_, &Session) = (subject.model.learner(), subject.session);
            let splits = folds(data, FOLDS, session.seed())?;
            let (_, answers) = cross_validate(learner, data, &splits, &[], &session.quiet())?;
            answers.map(|answers| (Cow::Owned(answers), "out of fold"))
        }
        (Evaluation::GivenRows, Some(data)) => match subject.asked()? {
            Some(asked) => Some((Cow::Owned(Answers::of_asked(asked, data)?), "rows given")),
            None => None,
        },
        (Evaluation::CrossValidation | Evaluation::GivenRows, None) => None,
    })
}

fn draw(report: &mut Report, answers: &Answers, target: &str, origin: &str) -> Result<()> {
    match answers {
        Answers::Classes { labels, truth, predicted, probabilities, weights, .. } => {
            let names: Vec<String> = labels.iter().map(ToString::to_string).collect();
            let w = weights.as_deref();
            match (names.as_slice(), probabilities) {
                ([negative, positive], Some(p)) if truth.contains(&0) && truth.contains(&1) => {
                    let truth: Vec<bool> = truth.iter().map(|&c| c == 1).collect();
                    report.binary = Some(binary(&truth, &p.col(1), w, (negative, positive), origin)?);
                }
                _ => {
                    report.multiclass = Some(multiclass(names, truth, predicted, probabilities.as_ref(), w)?)
                }
            }
        }
        Answers::Numbers { truth, predicted, .. } => {
            let stride = truth[0].len().div_ceil(DRAWN_ROWS).max(1);
            let thin = |v: &[f64]| v.iter().step_by(stride).copied().collect::<Vec<f64>>();
            report.regression = Some(Regression {
                target: target.to_owned(),
                actual: thin(&truth[0]),
                predicted: thin(&predicted[0]),
                coverage: Vec::new(),
            });
        }
    }
    Ok(())
}

/// At most [`CURVE_POINTS`] points of a curve, its ends among them.
fn curve(name: &str, x: &[f64], y: &[f64], area: f64) -> Curve {
    let step = x.len().div_ceil(CURVE_POINTS).max(1);
    let mut points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).step_by(step).collect();
    if let (Some(&a), Some(&b)) = (x.last(), y.last()) {
        points.push((a, b));
    }
    Curve { name: name.to_owned(), points, area: Some(area) }
}

fn binary(
    truth: &[bool],
    p: &[f64],
    w: Option<&[f64]>,
    (negative, positive): (&str, &str),
    origin: &str,
) -> Result<Binary> {
    let roc = measure::roc_curve(truth, p, w)?;
    let pr = measure::precision_recall_curve(truth, p, w)?;
    let bins = measure::calibration_curve(truth, p, 10, measure::Binning::Uniform, w)?;
    let bin = |b: &measure::CalibrationBin| CalibrationBin {
        predicted: b.predicted,
        observed: b.observed,
        interval: measure::clopper_pearson(
            (b.observed * b.weight).round() as u64,
            b.weight.round().max(1.0) as u64,
            0.95,
        )
        .ok()
        .map(|i| (i.lower, i.upper)),
        count: b.weight.round() as u64,
    };
    Ok(Binary {
        positive: positive.to_owned(),
        negative: negative.to_owned(),
        roc: vec![curve(origin, &roc.false_positive_rate, &roc.true_positive_rate, roc.area())],
        precision_recall: vec![curve(origin, &pr.recall, &pr.precision, pr.average_precision())],
        break_even: Some(pr.break_even_point()).filter(|v| v.is_finite()),
        positive_share: Some(truth.iter().filter(|t| **t).count() as f64 / truth.len().max(1) as f64),
        calibration: bins.iter().map(bin).collect(),
        thresholds: Binary::count_thresholds(truth, p),
        threshold: 0.5,
    })
}

fn multiclass(
    names: Vec<String>,
    truth: &[u32],
    predicted: &[u32],
    probabilities: Option<&Mat>,
    w: Option<&[f64]>,
) -> Result<Multiclass> {
    let confusion = measure::confusion_matrix(truth, predicted, names.len(), w)?;
    let scores = measure::class_scores(truth, predicted, names.len(), w)?;
    let per_class = (0..names.len())
        .map(|c| ClassRow {
            class: names[c].clone(),
            precision: scores.precision[c],
            recall: scores.recall[c],
            f1: scores.f1[c],
            support: scores.support[c].round() as u64,
        })
        .collect();
    let mut roc = Vec::new();
    if let Some(p) = probabilities.filter(|_| names.len() <= 10) {
        for (c, name) in names.iter().enumerate() {
            let own: Vec<bool> = truth.iter().map(|&t| t as usize == c).collect();
            if own.iter().all(|o| *o == own[0]) {
                continue; // A class that all of these rows have, or none, has no curve.
            }
            let found = measure::roc_curve(&own, &p.col(c), w)?;
            roc.push(curve(name, &found.false_positive_rate, &found.true_positive_rate, found.area()));
        }
    }
    let counts =
        (0..names.len()).map(|i| confusion.row(i).iter().map(|v| v.round() as u64).collect()).collect();
    Ok(Multiclass { classes: names, confusion: counts, per_class, roc })
}
