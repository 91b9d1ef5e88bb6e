//! Checks that certificates hold on the data learnt from, in any units, and on no other target.

use crate::fixtures::{Fixture, dataset, fixture, outputs};
use crate::{Check, CheckResult, expect, text};
use mercer_core::{Dataset, FixtureRows, Learner, Model, Session, Target, TargetColumn, TargetValues, Task};
use mercer_math::Mat;

pub(crate) const CHECKS: &[Check] = &[
    Check { name: "certificate says something and holds", run: certificate },
    Check { name: "in any units, a certificate holds on its own target and on no other", run: permuted },
];

fn certificate(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 90);
    let model = text(learner.train(&f.data, &Session::new(5)))?;
    let certificate = model.certificate();
    let says_why = !certificate.notes.is_empty() || !certificate.children.is_empty();
    expect(!certificate.evidence.is_empty() || says_why, || "neither evidence nor a reason".to_owned())?;
    holds(model.as_ref(), &f.data)
}

fn holds(model: &dyn Model, data: &Dataset<'_>) -> CheckResult {
    for verified in text(model.verify(data, &Session::default()))? {
        expect(verified.holds, || format!("{verified:?}"))?;
    }
    Ok(())
}

/// The units of features and target; the first are those of every other check.
const UNITS: [(f64, f64); 7] =
    [(1.0, 1.0), (1.0, 1e-4), (1.0, 3e5), (1.0, 1e-150), (1.0, 1e150), (1e-150, 1.0), (1e150, 1.0)];

/// A model whose answers are all the same, to rounding, says as much of any order of the targets; every other one does not. Where units
/// are so extreme that nothing can be learnt, an error says so.
fn permuted(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 60);
    if !matches!(learner.task(), Task::Classification | Task::Regression) {
        return Ok(());
    }
    for (x, y) in UNITS {
        let told = |why: String| format!("features by {x:e}, target by {y:e}: {why}");
        let levels = learner.declaration().fixture == FixtureRows::Levels;
        let Some(data) = in_units(&f, x, y).filter(|_| x == 1.0 || !levels) else { continue };
        let model = match learner.train(&data, &Session::new(5)) {
            Ok(model) => model,
            Err(e) if x * y < 1e-100 || x * y > 1e100 => {
                let known = ["large", "small", "overflow", "scale"].iter().any(|w| e.to_string().contains(w));
                expect(known, || told(format!("a riddle: {e}")))?;
                continue;
            }
            Err(e) => return Err(told(e.to_string())),
        };
        holds(model.as_ref(), &data).map_err(told)?;
        let answers = outputs(model.as_ref(), &data)?;
        let told_apart = spread(&answers[..data.n_rows()]);
        let informed = told_apart > 1e-6 * text(truth(&data))?;
        if informed && !model.certificate().evidence.is_empty() {
            let other = text(data.clone().with_target(reversed(&f, y)))?;
            let found = text(model.verify(&other, &Session::default()))?;
            expect(found.iter().any(|v| !v.holds), || told(format!("holds on another target: {found:?}")))?;
        }
    }
    Ok(())
}

fn spread(values: &[f64]) -> f64 {
    let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (v.min(l), v.max(h)));
    ends.1 - ends.0
}

/// The spread of a numeric target; classes differ by at least 1.
fn truth(data: &Dataset<'_>) -> mercer_core::Result<f64> {
    let target = data.need_target("the suite")?;
    Ok(target.numbers().map_or(1.0, spread))
}

/// The fixture in other units; `None` where that is the same fixture again.
fn in_units(f: &Fixture, x: f64, y: f64) -> Option<Dataset<'static>> {
    let numbers = f.target.as_ref()?.numbers().is_ok();
    if (y != 1.0 && !numbers) || (x != 1.0 && f.x.is_none()) {
        return None;
    }
    let target = scaled(f.target.as_ref()?, y, false);
    match &f.x {
        Some(rows) => {
            let rows = Mat::from_fn(rows.n_rows(), rows.n_cols(), |i, j| rows[(i, j)] * x);
            Some(dataset(&rows, Some(&target)))
        }
        None => f.data.clone().with_target(target).ok(),
    }
}

fn reversed(f: &Fixture, y: f64) -> Target<'static> {
    f.target.as_ref().map_or_else(|| Target::real(Vec::new()), |target| scaled(target, y, true))
}

fn scaled(target: &Target<'static>, by: f64, reverse: bool) -> Target<'static> {
    fn turned<T: Clone>(mut values: Vec<T>, reverse: bool) -> Vec<T> {
        if reverse {
            values.reverse();
        }
        values
    }
    let column = |c: &TargetColumn<'static>| TargetColumn {
        name: c.name.clone(),
        kind: c.kind.clone(),
        values: match &c.values {
            TargetValues::Numbers(v) => {
                TargetValues::Numbers(turned(v.iter().map(|v| v * by).collect(), reverse).into())
            }
            TargetValues::Codes(v) => TargetValues::Codes(turned(v.to_vec(), reverse).into()),
        },
    };
    Target::new(target.columns().iter().map(column).collect()).expect("columns of equal lengths")
}
