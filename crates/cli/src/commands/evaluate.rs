//! `mercer evaluate`: a saved model on rows whose answers are known.

use crate::args::{Data, Evaluate, IntervalName};
use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure, model_file};
use crate::source;
use crate::text::{line, number, table};
use mercer::assess::Answers;
use mercer::measure::{Bootstrap, BootstrapMethod, Metric, discordant, mcnemar_exact, wilcoxon};
use mercer::{Model, Task};

/// Resamples behind each interval.
const DRAWS: usize = 500;

pub(crate) fn run(args: &Evaluate, context: &CommandContext) -> CommandResult {
    let model = mercer::files::load(&args.model).map_err(model_file)?.model;
    let gates = gates(&args.fail_under)?;
    let target: Vec<String> = model.schema().targets.iter().filter_map(|t| t.name.clone()).collect();
    if target.is_empty() {
        return Err(Failure::new(
            Code::Usage,
            format!("{} has no named target to evaluate", model.declaration().name),
        ));
    }
    let (drop, keep) = (Vec::new(), Vec::new());
    let data = Data {
        source: args.source.clone(),
        target,
        drop,
        keep,
        weight: None,
        group: None,
        task: None,
        reading: args.reading.clone(),
    };
    let loaded = source::load(&data, Some(model.schema()), context)?;
    let mut unseen = source::UnseenLevels::default();
    unseen.count(model.schema(), &loaded.table);
    unseen.say(context);
    let task = model.learner().task();
    let rows = loaded.dataset(model.learner().kinds().asked_about, &data, task)?;
    let mut answers = Answers::of(model.as_ref(), &rows, &context.session)?;
    if let Some(threshold) = args.threshold {
        apply_threshold(&mut answers, threshold)?;
    }
    let scores = scores(args, &answers, task, context)?;
    let slices = match &args.by {
        Some(column) => slices(&answers, loaded.table.column(column)?, task)?,
        None => Vec::new(),
    };
    let versus = args.against.as_deref().map(|path| versus(path, &answers, &rows, context)).transpose()?;
    print(args, model.as_ref(), answers.n_rows(), &scores, &slices, versus.as_ref(), context)?;
    for (metric, limit) in gates {
        let found = scores.iter().find(|s| s.metric.name == metric.name).map_or(f64::NAN, |s| s.value);
        if metric.is_better(limit, found) || found.is_nan() {
            let message =
                format!("gate not met: {} is {}, wanted {}", metric.label, number(found), number(limit));
            return Err(Failure::new(Code::Gate, message));
        }
    }
    Ok(())
}

/// A metric with its value and interval.
struct Score {
    metric: &'static Metric,
    value: f64,
    interval: Option<(f64, f64)>,
}

fn gates(texts: &[String]) -> CommandResult<Vec<(&'static Metric, f64)>> {
    let gate = |text: &String| {
        let wrong = || Failure::new(Code::Usage, format!("--fail-under wants metric=value, got `{text}`"));
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        Ok((Metric::by_name(name)?, value.trim().parse().map_err(|_| wrong())?))
    };
    texts.iter().map(gate).collect()
}

fn apply_threshold(answers: &mut Answers, threshold: f64) -> CommandResult {
    match answers {
        Answers::Classes { labels, predicted, probabilities: Some(p), .. } if labels.len() == 2 => {
            (0..p.n_rows()).for_each(|i| predicted[i] = u32::from(p[(i, 1)] >= threshold));
            Ok(())
        }
        Answers::Classes { .. } | Answers::Numbers { .. } => {
            Err(Failure::new(Code::Usage, "--threshold is for two classes with probabilities"))
        }
    }
}

/// The metrics asked for must have a value; of the usual ones those that have none are left out.
fn scores(
    args: &Evaluate,
    answers: &Answers,
    task: Task,
    context: &CommandContext,
) -> CommandResult<Vec<Score>> {
    let asked = if args.metric.is_empty() { Vec::new() } else { source::metrics(&args.metric, task)? };
    let all: Vec<&'static Metric> =
        if asked.is_empty() { Metric::shown_for(task).collect() } else { asked.clone() };
    let method = match args.interval {
        IntervalName::Percentile => BootstrapMethod::Percentile,
        IntervalName::Bca => BootstrapMethod::Bca,
    };
    let bootstrap =
        Bootstrap { n_draws: DRAWS, method, seed: context.session.seed(), ..Bootstrap::default() };
    let mut out = Vec::new();
    for metric in all {
        let value = match answers.score(metric) {
            Ok(value) => value,
            Err(_) if asked.is_empty() => continue,
            Err(e) => return Err(e.into()),
        };
        let of = |rows: &[usize]| answers.subset(rows).score(metric);
        let interval = context.session.run(|| bootstrap.interval(answers.n_rows(), of)).ok();
        let interval = interval.map(|i| (i.lower, i.upper)).filter(|(a, b)| a.is_finite() && b.is_finite());
        out.push(Score { metric, value, interval });
    }
    Ok(out)
}

/// A paired test between two models on the same rows.
struct Versus {
    test: &'static str,
    finding: String,
    p_value: f64,
}

/// McNemar's exact test for classes, Wilcoxon's signed ranks of the absolute errors for numbers.
fn versus(
    path: &std::path::Path,
    answers: &Answers,
    rows: &mercer::Dataset<'_>,
    context: &CommandContext,
) -> CommandResult<Versus> {
    let other = mercer::files::load(path).map_err(model_file)?.model;
    let theirs = Answers::of(other.as_ref(), rows, &context.session)?;
    match (answers, &theirs) {
        (
            Answers::Classes { truth, predicted, labels, .. },
            Answers::Classes { predicted: others, labels: known, .. },
        ) if labels == known => {
            let (ours, others) = discordant(truth, predicted, others)?;
            let finding = format!("{ours} rows right only here, {others} only there");
            Ok(Versus { test: "McNemar, exact", finding, p_value: mcnemar_exact(ours, others).p_value })
        }
        (Answers::Numbers { truth, predicted, .. }, Answers::Numbers { predicted: others, .. })
            if truth.len() == 1 && others.len() == 1 =>
        {
            let errors = |p: &[f64]| truth[0].iter().zip(p).map(|(t, p)| (t - p).abs()).collect::<Vec<_>>();
            let (ours, others) = (errors(&predicted[0]), errors(&others[0]));
            let better = ours.iter().zip(&others).filter(|(a, b)| a < b).count();
            let finding = format!("nearer on {better} of {} rows", ours.len());
            let test = wilcoxon(&ours, &others)?;
            Ok(Versus { test: "Wilcoxon, absolute errors", finding, p_value: test.p_value })
        }
        (Answers::Classes { .. } | Answers::Numbers { .. }, _) => {
            Err(Failure::new(Code::Usage, "--against wants a model of the same target"))
        }
    }
}

/// Level, rows, and the value of each metric.
type Slice = (String, usize, Vec<(&'static str, f64)>);

fn slices(answers: &Answers, column: &mercer::Column<'_>, task: Task) -> CommandResult<Vec<Slice>> {
    let mut levels: std::collections::BTreeMap<String, Vec<usize>> = Default::default();
    for i in 0..column.len() {
        levels
            .entry(column.text(i).map_or_else(|| "(missing)".to_owned(), |t| t.into_owned()))
            .or_default()
            .push(i);
    }
    if levels.len() > 50 {
        return Err(Failure::new(Code::Usage, format!("--by: {} levels are too many", levels.len())));
    }
    let slice = |(level, rows): (String, Vec<usize>)| {
        let part = answers.subset(&rows);
        let values =
            Metric::shown_for(task).take(3).filter_map(|m| Some((m.label, part.score(m).ok()?))).collect();
        (level, rows.len(), values)
    };
    Ok(levels.into_iter().map(slice).collect())
}

fn print(
    args: &Evaluate,
    model: &dyn Model,
    n: usize,
    scores: &[Score],
    slices: &[Slice],
    versus: Option<&Versus>,
    context: &CommandContext,
) -> CommandResult {
    if context.json {
        let metrics: serde_json::Map<_, _> = scores
            .iter()
            .map(|s| {
                (s.metric.name.to_owned(), serde_json::json!({ "value": s.value, "interval": s.interval }))
            })
            .collect();
        let slices: Vec<_> = slices
            .iter()
            .map(|(level, n, values)| {
                let values: serde_json::Map<_, _> =
                    values.iter().map(|(k, v)| ((*k).to_owned(), (*v).into())).collect();
                serde_json::json!({ "level": level, "n_rows": n, "scores": values })
            })
            .collect();
        let document = serde_json::json!({
            "schema_version": 1, "model": model.declaration().name, "n_rows": n, "metrics": metrics, "slices": slices,
            "against": versus.map(|v| serde_json::json!({ "test": v.test, "finding": v.finding, "p_value": v.p_value })),
        });
        return context.document(document);
    }
    line(&context.bold(&format!("{} on {} rows of {}", mercer_report::model_name(model), n, args.source)))?;
    let rows: Vec<Vec<String>> = scores
        .iter()
        .map(|s| {
            let interval =
                s.interval.map_or_else(String::new, |(a, b)| format!("{}–{}", number(a), number(b)));
            vec![s.metric.label.to_owned(), number(s.value), interval]
        })
        .collect();
    line(&table(&["metric", "value", "95 % interval"], &rows))?;
    if let (Some(v), Some(path)) = (versus, &args.against) {
        line(&format!("against {}: {} (p = {}, {})", path.display(), v.finding, number(v.p_value), v.test))?;
    }
    if let (Some(column), Some(first)) = (&args.by, slices.first()) {
        let mut header = vec![column.as_str(), "rows"];
        header.extend(first.2.iter().map(|(label, _)| *label));
        let row = |(level, n, values): &Slice| {
            let numbers = values.iter().map(|(_, v)| number(*v));
            [level.clone(), n.to_string()].into_iter().chain(numbers).collect()
        };
        line(&table(&header, &slices.iter().map(row).collect::<Vec<_>>()))?;
    }
    Ok(())
}
