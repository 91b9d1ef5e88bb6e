//! Checks of what a model answers, proves and writes.

use crate::fixtures::{dataset, fixture, outputs};
use crate::reference::all_alike;
use crate::{Check, CheckResult, expect, text};
use mercer_core::{Cancel, Capabilities, Input, Learner, Model, Observer, Outputs, Progress, Rows, Session};
use mercer_math::Mat;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) const CHECKS: &[Check] = &[
    Check { name: "capabilities are true", run: capabilities },
    Check { name: "contributions add up", run: contributions },
    Check { name: "intervals grow with their level", run: intervals },
    Check { name: "a summary tells of every coefficient", run: summary },
    Check { name: "predictive distributions are about the prediction", run: spread },
    Check { name: "probabilities sum to 1 and agree with predictions", run: probabilities },
    Check { name: "a saved model answers the same", run: save_and_load },
    Check { name: "damaged model files are refused", run: hostile_files },
    Check { name: "a wrong width is refused", run: width },
    Check { name: "cancelled work ends soon", run: cancellation },
    Check { name: "transformed columns have names", run: names },
];

fn trained(learner: &dyn Learner) -> Result<(crate::Fixture, Box<dyn Model>), String> {
    let f = fixture(learner, 90);
    let model = text(learner.train(&f.data, &Session::new(5)))?;
    Ok((f, model))
}

/// What is declared as given is what the model hands out, and what it hands out answers: every single one, both ways.
fn capabilities(learner: &dyn Learner) -> CheckResult {
    let (f, model) = trained(learner)?;
    let (says, can) = (learner.capabilities(), model.can());
    for name in Capabilities::GIVES {
        let (declared, has) = (says.has(name), can.has(name));
        // Some abilities depend on the data: the rows of the fixture, of which a column is constant, have no unique
        // coefficients. Whoever lacks what it declares says why.
        let excused = declared == Some(true) && model.why_not(name).is_some_and(|why| !why.is_empty());
        let holds = declared == has || excused;
        expect(holds, || format!("`{name}` is declared {declared:?}, of the model it is {has:?}"))?;
    }
    if f.x.is_none() {
        return Ok(());
    }
    let (input, session) = (f.data.input(), Session::default());
    let asked = text(model.on(&input, &session))?;
    let map = |said: &[f64]| said.to_vec();
    let rows = asked.transform();
    let back = |rows: &Rows<'static>| model.inverse_transform(&Input::Rows(rows.clone()), &session);
    let answers = [
        ("proba", asked.proba().err()),
        ("decision", asked.decision().err()),
        ("joint", asked.log_joint().err()),
        ("intervals", asked.intervals(0.5).err()),
        ("quantiles", asked.quantiles(&[0.5]).err()),
        ("spread", asked.spread().err().or(asked.covariance().err())),
        ("summary", model.summary(0.9).err()),
        ("transform", rows.as_ref().err().cloned()),
        ("inverse", rows.as_ref().map_or_else(|e| Some(e.clone()), |rows| back(rows).err())),
        ("explain", asked.contributions().err()),
        ("explain_mapped", asked.mapped_contributions(&map).err()),
        ("trees", asked.leaves().err()),
        ("members", members(model.as_ref()).err()),
        (
            "neighbours",
            asked.nearest(None).err().or(asked.within(None).err()).or(own_neighbours(model.as_ref()).err()),
        ),
        ("density", asked.log_densities().err()),
        ("sample", model.sample(3, &session).err()),
        ("policy", asked.action_probabilities().err()),
        ("topics", asked.log_bounds().err().or(model.topics().err())),
    ];
    for name in Capabilities::GIVES {
        let Some((_, refused)) = answers.iter().find(|(asked, _)| asked == name) else {
            return Err(format!("the suite asks nothing of `{name}`"));
        };
        let holds = can.has(name) == Some(refused.is_none());
        expect(holds, || format!("`{name}` is {:?}, the answer {refused:?}", can.has(name)))?;
    }
    Ok(())
}

/// Every member is a model with a certificate and bytes of its own, of the columns that it sees.
fn members(model: &dyn Model) -> mercer_core::Result<()> {
    let (members, whole) = model.members()?;
    for i in 0..members.n_members() {
        let member = members.member(i, whole)?;
        let width = members.columns(i).map_or(whole.schema().n_features(), |columns| columns.len());
        if member.schema().n_features() != width {
            return Err(mercer_core::Error::shape(
                "the columns of a member",
                width,
                member.schema().n_features(),
            ));
        }
        member.encode()?;
    }
    Ok(())
}

/// Of the rows learnt from none is its own neighbour, and all others are found.
fn own_neighbours(model: &dyn Model) -> mercer_core::Result<()> {
    let (all, session) = (model.neighbours()?, Session::default());
    let found = all.nearest(None, Some(all.n_rows() - 1), &session)?;
    let bad = (0..found.len())
        .find(|&i| found.of(i).0.contains(&(i as u32)) || found.of(i).0.len() + 1 != all.n_rows());
    bad.map_or(Ok(()), |i| Err(mercer_core::Error::shape("the others of row", all.n_rows() - 1, i)))
}

/// Contributions add up to what is explained, and so do those to a function of it.
fn contributions(learner: &dyn Learner) -> CheckResult {
    let (f, model) = trained(learner)?;
    if !model.can().explain {
        return Ok(());
    }
    let (input, session) = (f.data.input(), Session::default());
    let asked = text(model.on(&input, &session))?;
    let parts = text(asked.contributions())?;
    let outputs: Vec<f64> = match parts.outputs {
        Outputs::Probabilities => text(asked.proba())?.into_vec(),
        Outputs::Scores => text(asked.decision())?.into_vec(),
        Outputs::Numbers => text(text(asked.predict())?.numbers())?.to_vec(),
        Outputs::Joint => text(asked.log_joint())?.into_vec(),
    };
    let k = parts.values.len();
    expect(outputs.len() == k * f.data.n_rows(), || format!("{k} outputs of {} values", outputs.len()))?;
    for (at, output) in outputs.iter().enumerate() {
        let sum = parts.base[at % k] + parts.values[at % k].row(at / k).iter().sum::<f64>();
        expect((sum - output).abs() <= 1e-8 * output.abs().max(1.0), || format!("{sum} for {output}"))?;
    }
    Ok(())
}

/// Intervals grow with their level, and levels outside of (0, 1) are refused; models without intervals say so.
fn intervals(learner: &dyn Learner) -> CheckResult {
    let (f, model) = trained(learner)?;
    let (input, session) = (f.data.input(), Session::default());
    let at = |level: f64| model.intervals(&input, level, &session);
    if !model.can().intervals {
        return expect(at(0.5).is_err(), || "intervals that were not declared".to_owned());
    }
    let (narrow, wide) = (text(at(0.5))?, text(at(0.9))?);
    let n = f.data.n_rows();
    expect((wide.n_rows(), wide.n_cols()) == (n, 2), || "shape".to_owned())?;
    for i in 0..n {
        let (a, b) = (narrow.row(i), wide.row(i));
        expect(b[0] <= a[0] && a[0] <= a[1] && a[1] <= b[1], || format!("row {i}: {a:?} in {b:?}"))?;
    }
    let refused = [0.0, 1.0, -1.0, f64::NAN].iter().all(|&level| at(level).is_err());
    expect(refused, || "a level outside of (0, 1) was taken".to_owned())
}

/// On columns that all vary there is a summary where one is declared: a line for each coefficient, with an interval that
/// grows with its level and holds the estimate.
fn summary(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 90);
    let Some(x) = f.x.as_ref().filter(|_| learner.capabilities().summary) else { return Ok(()) };
    let three = Mat::from_fn(90, 3, |i, j| x[(i, j)]);
    let model = text(learner.train(&dataset(&three, f.target.as_ref()), &Session::new(5)))?;
    let (narrow, wide) = (text(model.summary(0.5))?, text(model.summary(0.95))?);
    expect(wide.coefficients.len() >= 3, || format!("{} coefficients", wide.coefficients.len()))?;
    for (a, b) in narrow.coefficients.iter().zip(&wide.coefficients) {
        let nested = b.lower < a.lower && a.lower < a.estimate && a.estimate < a.upper && a.upper < b.upper;
        let holds = nested && a.std_error > 0.0 && (0.0..=1.0).contains(&a.p_value);
        expect(holds, || format!("{a:?} in {b:?}"))?;
        expect(wide.to_string().contains(&b.name), || wide.to_string())?;
    }
    let refused = [0.0, 1.0, f64::NAN].iter().all(|&level| model.summary(level).is_err());
    expect(refused, || "a level outside of (0, 1) was taken".to_owned())
}

/// The mean is what is predicted, variances are not negative, and the covariance has both on its diagonal.
fn spread(learner: &dyn Learner) -> CheckResult {
    let (f, model) = trained(learner)?;
    if !model.can().spread {
        return Ok(());
    }
    let (input, session) = (f.data.input(), Session::default());
    let asked = text(model.on(&input, &session))?;
    let (found, covariance) = (text(asked.spread())?, text(asked.covariance())?);
    let predicted = outputs(model.as_ref(), &f.data)?;
    expect(all_alike(&found.mean, &predicted[..found.mean.len()], 1e-9), || "another mean".to_owned())?;
    for i in 0..f.data.n_rows() {
        let (e, a, c) = (found.epistemic[i], found.aleatoric[i], covariance[(i, i)]);
        let holds = e >= 0.0 && a >= 0.0 && (e + a - c).abs() <= 1e-8 * c.abs();
        expect(holds, || format!("row {i}: {e} + {a}, covariance {c}"))?;
    }
    Ok(())
}

fn probabilities(learner: &dyn Learner) -> CheckResult {
    let (f, model) = trained(learner)?;
    if !model.can().proba {
        return Ok(());
    }
    let session = Session::default();
    let p = text(model.predict_proba(&f.data.input(), &session))?;
    let prediction = text(model.predict(&f.data.input(), &session))?;
    let (codes, labels) = text(prediction.class())?;
    expect(p.n_cols() == labels.len() && p.n_rows() == codes.len(), || "shape".to_owned())?;
    for (i, &code) in codes.iter().enumerate() {
        let row = p.row(i);
        let total: f64 = row.iter().sum();
        expect((total - 1.0).abs() < 1e-9 && row.iter().all(|v| (0.0..=1.0).contains(v)), || {
            format!("row {i}: {row:?}")
        })?;
        let best = row.iter().fold(0.0f64, |a, v| a.max(*v));
        let agrees = learner.capabilities().thresholded || row[code as usize] >= best - 1e-12;
        expect(agrees, || format!("row {i}: class {code} of {row:?}"))?;
    }
    Ok(())
}

fn save_and_load(learner: &dyn Learner) -> CheckResult {
    let (f, model) = trained(learner)?;
    let bytes = text(mercer_files::to_bytes(model.as_ref(), Some("test")))?;
    let loaded = text(mercer_files::from_bytes(&bytes))?;
    let (a, b) = (outputs(model.as_ref(), &f.data)?, outputs(loaded.model.as_ref(), &f.data)?);
    expect(all_alike(&a, &b, 0.0), || "answers differ after loading".to_owned())?;
    let again = text(mercer_files::to_bytes(loaded.model.as_ref(), Some("test")))?;
    expect(again == bytes, || "saving a loaded model gives other bytes".to_owned())
}

/// Truncation at every byte, flipped bits with a wrong and with a mended checksum: an error or a model that
/// answers, never a panic.
fn hostile_files(learner: &dyn Learner) -> CheckResult {
    let (f, model) = trained(learner)?;
    let bytes = text(mercer_files::to_bytes(model.as_ref(), None))?;
    let step = (bytes.len() / 400).max(1);
    for end in (0..bytes.len()).step_by(step) {
        expect(mercer_files::from_bytes(&bytes[..end]).is_err(), || format!("cut at {end}: loaded"))?;
    }
    for at in (0..bytes.len()).step_by(step) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        expect(mercer_files::from_bytes(&damaged).is_err(), || format!("bit flipped at {at}: loaded"))?;
        for byte in [damaged[at], 0xff, 0x00] {
            damaged[at] = byte;
            let body = damaged.len() - 4;
            let sum = mercer_files::checksum(&damaged[..body]).to_le_bytes();
            damaged[body..].copy_from_slice(&sum);
            if let Ok(loaded) = mercer_files::from_bytes(&damaged) {
                // A lie that fits together may load; it may then answer anything, but it must answer.
                let _ = outputs(loaded.model.as_ref(), &f.data);
            }
        }
    }
    Ok(())
}

fn width(learner: &dyn Learner) -> CheckResult {
    let (f, model) = trained(learner)?;
    if f.x.is_none() {
        return Ok(());
    }
    let wide = Input::from(Mat::zeros(3, 9));
    let session = Session::default();
    match model.on(&wide, &session).err() {
        None => Err("nine features were taken for four".to_owned()),
        Some(e) => expect(e.to_string().contains('4') && e.to_string().contains('9'), || e.to_string()),
    }
}

/// Cancels at the third sign of progress.
struct Impatient(Cancel, std::sync::atomic::AtomicU64);

impl Observer for Impatient {
    fn progress(&self, _: &Progress<'_>) {
        if self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 2 {
            self.0.cancel();
        }
    }
}

/// Tests run side by side and share two threads, so that another one's work may lie between: three tries, of which one must
/// be quick.
fn cancellation(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, learner.declaration().most_rows.unwrap_or(20_000).min(20_000));
    let quick = |midway: bool| -> Result<bool, String> {
        let cancel = Cancel::default();
        let session = Session::new(1).with_cancel(cancel.clone());
        let session = match midway {
            true => session.with_observer(Arc::new(Impatient(cancel, Default::default()))),
            false => {
                cancel.cancel();
                session
            }
        };
        let started = Instant::now();
        match learner.train(&f.data, &session) {
            Ok(model) => {
                outputs(model.as_ref(), &fixture(learner, 10).data)?;
            }
            Err(e) => expect(e.to_string().contains("cancelled"), || e.to_string())?,
        }
        Ok(started.elapsed() < Duration::from_secs(5))
    };
    for midway in [false, true] {
        let in_time = quick(midway)? || quick(midway)? || quick(midway)?;
        expect(in_time, || format!("more than 5 s, cancelled midway: {midway}"))?;
    }
    Ok(())
}

fn names(learner: &dyn Learner) -> CheckResult {
    let (f, model) = trained(learner)?;
    if !model.can().transform {
        return Ok(());
    }
    let rows = text(model.transform(&f.data.input(), &Session::default()))?;
    let names = text(model.names_out())?;
    // Hashed columns have no names.
    expect(names.is_empty() || names.len() == rows.n_features(), || {
        format!("{} names for {} columns", names.len(), rows.n_features())
    })
}
