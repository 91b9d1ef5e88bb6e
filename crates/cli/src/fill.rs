//! Fills the report: from answers, models and tables to plain data that the report crate draws.

use crate::commands::{remark, summary};
use crate::fail::{Code, Failure, Outcome};
use crate::fill_explain::explanations;
use crate::source::Loaded;
use crate::text::number;
use crate::world::World;
use mercer::assess::{Answers, Comparison, permutation_importance};
use mercer::measure::{self, Metric};
use mercer::{Certificate, DataKind, Dataset, Learner, Model, Session, Task, Value};
use mercer_plot::{Bar, Histogram};
use mercer_report as report;
use mercer_report::Report;
use std::path::Path;

/// What stands around every report.
pub(crate) struct Facts<'a> {
    pub(crate) source: &'a str,
    pub(crate) loaded: Option<&'a Loaded>,
    pub(crate) world: &'a World,
}

/// Rows on which importances are measured; more would add time, not digits.
const IMPORTANCE_ROWS: usize = 2000;
/// Points of a curve kept for drawing.
const CURVE_POINTS: usize = 500;

/// Writes the page, and its JSON twin beside it.
pub(crate) fn write(report: &Report, path: &Path, world: &World) -> Outcome {
    let failed = |e: &dyn std::fmt::Display| Failure::new(Code::Run, format!("{}: {e}", path.display()));
    let html = report.to_html().map_err(|e| failed(&e))?;
    let json = report.to_json().map_err(|e| failed(&e))?;
    for (file, text) in [(path.to_path_buf(), html), (path.with_extension("json"), json)] {
        let beside = file.with_extension("part");
        std::fs::write(&beside, text)
            .and_then(|()| std::fs::rename(&beside, &file))
            .map_err(|e| failed(&e))?;
        world.detail(&format!("wrote {}", file.display()));
    }
    Ok(())
}

fn frame(facts: &Facts<'_>, title: String, task: Task) -> Report {
    let (n_rows, n_cols, hash) = facts.loaded.map_or((0, 0, String::new()), |l| {
        let hash = format!("{:016x}", mercer::data::table_hash(&l.table));
        (l.table.n_rows() as u64, l.table.n_columns() as u64, hash)
    });
    Report {
        title,
        task: task.to_string(),
        profile: facts.loaded.map(profile).unwrap_or_default(),
        reproducibility: report::Reproducibility {
            command: facts.world.command.clone(),
            seed: Some(facts.world.session.seed()),
            threads: Some(facts.world.session.threads()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data_hash: hash,
            data_name: facts.source.to_owned(),
            n_rows,
            n_cols,
            created: None,
        },
        ..Report::default()
    }
}

/// The report of `mercer compare`.
pub(crate) fn of_compare(
    result: &Comparison,
    data: &Dataset<'_>,
    task: Task,
    target: &str,
    k: usize,
    facts: &Facts<'_>,
) -> Outcome<Report> {
    let metric = result.metrics[0];
    let best = &result.contenders[0];
    let baseline = result.contenders.iter().find(|c| c.candidate.is_baseline);
    let score = |v: Option<&f64>| v.map_or_else(String::new, |v| number(*v));
    let mut report = frame(facts, format!("{} · {target}", facts.source), task);
    report.verdict = match baseline {
        Some(b) if !best.candidate.is_baseline => format!(
            "{} predicts {target} best: {} {} against {} for the baseline.",
            best.candidate.label,
            metric.label,
            score(best.means.first()),
            score(b.means.first())
        ),
        _ => format!("No model beats the baseline on {target}: nothing was found to learn."),
    };
    report.leaderboard = Some(leaderboard(result, k));
    report.checks = checks(result, facts, target)?;
    if let Some(answers) = &best.answers {
        draw(&mut report, answers, target)?;
    }
    if let Some(model) = &best.model {
        report.importance =
            importance(model.as_ref(), &best.candidate.label, data, metric, &facts.world.session);
        report.explanations = explanations(model.as_ref(), data, &report.importance, &facts.world.session);
        report.pipeline = steps(model.learner());
    }
    report.certificates = result
        .contenders
        .iter()
        .filter_map(|c| Some(certificates(&c.candidate.label, c.certificate()?)))
        .flatten()
        .collect();
    Ok(report)
}

fn leaderboard(result: &Comparison, k: usize) -> report::Leaderboard {
    let rows = result
        .contenders
        .iter()
        .enumerate()
        .map(|(i, c)| report::LeaderRow {
            rank: i + 1,
            model: c.candidate.label.clone(),
            score: c.means.first().copied().unwrap_or(f64::NAN),
            interval: c.interval,
            extra: result
                .metrics
                .iter()
                .zip(&c.means)
                .skip(1)
                .map(|(m, v)| (m.label.to_owned(), *v))
                .collect(),
            fit_seconds: c.error.is_none().then_some(c.fit_seconds),
            predict_row_seconds: c.row_seconds,
            size_bytes: c.size,
            note: remark(c),
            is_baseline: c.candidate.is_baseline,
        })
        .collect();
    report::Leaderboard {
        metric: result.metrics[0].label.to_owned(),
        greater_is_better: result.metrics[0].greater_is_better,
        method: format!(
            "{k}-fold cross validation, the same folds for all; Student's 95 % interval over folds"
        ),
        rows,
    }
}

/// What a reader should know before trusting the table.
fn checks(result: &Comparison, facts: &Facts<'_>, target: &str) -> Outcome<Vec<report::Check>> {
    let check = |code: &str, level, message: String| report::Check {
        code: code.to_owned(),
        level,
        message,
        help: String::new(),
    };
    let mut out = Vec::new();
    if let Some(loaded) = facts.loaded {
        for leak in mercer::data::leaks(&loaded.table, target).unwrap_or_default() {
            out.push(check("K001", report::Level::Issue, format!("column {leak}")));
        }
        for p in mercer::data::profile(&loaded.features) {
            if p.constant {
                out.push(check("K002", report::Level::Note, format!("column `{}` is constant", p.name)));
            } else if p.id_like {
                out.push(check(
                    "K003",
                    report::Level::Warning,
                    format!("column `{}` looks like an identifier", p.name),
                ));
            }
        }
    }
    for c in &result.contenders {
        if let Some(why) = c.certificate().and_then(|c| c.shortfall()) {
            let message = format!("{}: training {why}", c.candidate.label);
            out.push(check("K004", report::Level::Warning, message));
        }
    }
    if out.is_empty() {
        out.push(check(
            "K000",
            report::Level::Passed,
            "no leaks, constant columns or identifiers; all training converged".to_owned(),
        ));
    }
    Ok(out)
}

/// The report of `mercer fit`.
pub(crate) fn of_fit(
    model: &dyn Model,
    learner: &dyn Learner,
    data: &Dataset<'_>,
    held_out: Option<Answers>,
    elapsed: f64,
    facts: &Facts<'_>,
) -> Outcome<Report> {
    let task = learner.task();
    let name = crate::commands::describe(model);
    let mut report = frame(facts, format!("{} · {name}", facts.source), task);
    report.verdict =
        format!("{name} fitted in {}: {}.", crate::text::seconds(elapsed), model.certificate().termination);
    report.certificates = certificates(&name, model.certificate());
    report.pipeline = steps(learner);
    let target: Vec<String> = model.schema().targets.iter().filter_map(|t| t.name.clone()).collect();
    let target = target.join(", ");
    if matches!(task, Task::Classification | Task::Regression) {
        let answers = match held_out {
            Some(answers) => Some(answers),
            None => {
                let splits = mercer::assess::folds(data, 5, facts.world.session.seed())?;
                mercer::assess::cross_validate(learner, data, &splits, &[], &facts.world.session.quiet())?.1
            }
        };
        if let Some(answers) = answers {
            let scored = Metric::shown_for(task).filter_map(|m| Some((m, answers.score(m).ok()?)));
            report.facts = scored.map(|(m, v)| (m.label.to_owned(), number(v))).collect();
            draw(&mut report, &answers, &target)?;
        }
        if let (Some(metric), DataKind::Rows) = (Metric::default_for(task), model.schema().kind) {
            report.importance = importance(model, &name, data, metric, &facts.world.session);
            report.explanations = explanations(model, data, &report.importance, &facts.world.session);
        }
    }
    crate::fill_residents::residents(&mut report, model, data, &facts.world.session)?;
    Ok(report)
}

/// The main plots of a supervised task.
fn draw(report: &mut Report, answers: &Answers, target: &str) -> Outcome {
    match answers {
        Answers::Classes { labels, truth, predicted, probabilities, weights, .. } => {
            let names: Vec<String> = labels.iter().map(ToString::to_string).collect();
            let w = weights.as_deref();
            match (names.as_slice(), probabilities) {
                ([negative, positive], Some(p)) => {
                    let truth: Vec<bool> = truth.iter().map(|&c| c == 1).collect();
                    report.binary = Some(binary(&truth, &p.col(1), w, negative, positive)?);
                }
                _ => {
                    report.multiclass = Some(multiclass(names, truth, predicted, probabilities.as_ref(), w)?)
                }
            }
        }
        Answers::Numbers { truth, predicted, .. } => {
            let stride = truth[0].len().div_ceil(5000).max(1);
            let thin = |v: &[f64]| v.iter().step_by(stride).copied().collect::<Vec<f64>>();
            report.regression = Some(report::Regression {
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
fn curve(name: &str, x: &[f64], y: &[f64], area: f64) -> report::Curve {
    let step = x.len().div_ceil(CURVE_POINTS).max(1);
    let mut points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).step_by(step).collect();
    if let (Some(&a), Some(&b)) = (x.last(), y.last()) {
        points.push((a, b));
    }
    report::Curve { name: name.to_owned(), points, area: Some(area) }
}

fn binary(
    truth: &[bool],
    p: &[f64],
    w: Option<&[f64]>,
    negative: &str,
    positive: &str,
) -> Outcome<report::Binary> {
    let roc = measure::roc_curve(truth, p, w)?;
    let pr = measure::precision_recall_curve(truth, p, w)?;
    let bins = measure::calibration_curve(truth, p, 10, measure::Binning::Uniform, w)?;
    let bin = |b: &measure::CalibrationBin| report::CalibrationBin {
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
    Ok(report::Binary {
        positive: positive.to_owned(),
        negative: negative.to_owned(),
        roc: vec![curve("out of fold", &roc.false_positive_rate, &roc.true_positive_rate, roc.area())],
        precision_recall: vec![curve("out of fold", &pr.recall, &pr.precision, pr.average_precision())],
        break_even: Some(pr.break_even_point()).filter(|v| v.is_finite()),
        positive_share: Some(truth.iter().filter(|t| **t).count() as f64 / truth.len().max(1) as f64),
        calibration: bins.iter().map(bin).collect(),
        thresholds: report::Binary::count_thresholds(truth, p),
        threshold: 0.5,
    })
}

fn multiclass(
    names: Vec<String>,
    truth: &[u32],
    predicted: &[u32],
    probabilities: Option<&mercer::math::Mat>,
    w: Option<&[f64]>,
) -> Outcome<report::Multiclass> {
    let confusion = measure::confusion_matrix(truth, predicted, names.len(), w)?;
    let scores = measure::class_scores(truth, predicted, names.len(), w)?;
    let per_class = (0..names.len())
        .map(|c| report::ClassRow {
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
            let found = measure::roc_curve(&own, &p.col(c), w)?;
            roc.push(curve(name, &found.false_positive_rate, &found.true_positive_rate, found.area()));
        }
    }
    let counts =
        (0..names.len()).map(|i| confusion.row(i).iter().map(|v| v.round() as u64).collect()).collect();
    Ok(report::Multiclass { classes: names, confusion: counts, per_class, roc })
}

fn importance(
    model: &dyn Model,
    name: &str,
    data: &Dataset<'_>,
    metric: &Metric,
    session: &Session,
) -> Vec<report::Importance> {
    let stride = data.n_rows().div_ceil(IMPORTANCE_ROWS).max(1);
    let rows: Vec<usize> = (0..data.n_rows()).step_by(stride).collect();
    let measured =
        data.subset(&rows).and_then(|part| permutation_importance(model, &part, metric, 5, session));
    let Ok(measured) = measured else { return Vec::new() };
    let bar =
        |i: &mercer::assess::Importance| Bar { name: i.name.clone(), value: i.mean, interval: Some(i.range) };
    vec![report::Importance {
        model: name.to_owned(),
        method: format!(
            "rise of {} when a column is shuffled; mean and range of 5 shuffles on training rows",
            metric.label
        ),
        rows: measured.iter().map(bar).collect(),
    }]
}

fn profile(loaded: &Loaded) -> Vec<report::ColumnProfile> {
    let table = &loaded.table;
    mercer::data::profile(table)
        .iter()
        .zip(table.columns())
        .map(|(p, column)| report::ColumnProfile {
            name: p.name.clone(),
            kind: p.kind.to_string(),
            missing: p.n_missing as u64,
            unique: p.n_distinct as u64,
            summary: summary(p),
            histogram: match column.as_ref() {
                mercer::Column::Numeric(v) => Histogram::of(v, 16).counts,
                _ => p.top.iter().map(|(_, n)| *n as f64).collect(),
            },
        })
        .collect()
}

fn steps(learner: &dyn Learner) -> Vec<report::Step> {
    let step = |name: &str, object: &mercer::Object| {
        let declaration = mercer::core::catalogue::find(&object.kind).ok().map(|e| (e.declaration)());
        report::Step {
            name: name.to_owned(),
            summary: declaration.map_or_else(String::new, |d| d.summary.to_owned()),
            parameters: object.params.iter().map(|(k, v)| (k.clone(), v.to_string())).collect(),
        }
    };
    match learner.get("steps") {
        Ok(Value::List(list)) => list
            .iter()
            .filter_map(|s| match s {
                Value::List(pair) => match pair.as_slice() {
                    [Value::Text(name), Value::Object(object)] => Some(step(name, object)),
                    _ => None,
                },
                _ => None,
            })
            .collect(),
        _ => vec![step(learner.declaration().alias(), &learner.to_object())],
    }
}

fn certificates(name: &str, c: &Certificate) -> Vec<report::CertificateView> {
    let view = report::CertificateView {
        model: name.to_owned(),
        termination: c.termination.to_string(),
        converged: c.termination.is_success(),
        iterations: c.iterations,
        objective: c.objective,
        evidence: c
            .evidence
            .iter()
            .map(|e| report::Evidence { name: e.name.clone(), value: e.value, meaning: e.meaning.clone() })
            .collect(),
        notes: c.notes.clone(),
    };
    // A pipeline proves what its last step proves; the preparation is exact by construction.
    match c.children.last() {
        Some((step, child)) => certificates(&format!("{name} ({step})"), child),
        None => vec![view],
    }
}
