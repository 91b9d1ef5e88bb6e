//! `mercer compare`: several models on the same folds.

use crate::args::{self, Compare};
use crate::build_report::{build_report, check_report_path};
use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure};
use crate::source::{self, Loaded};
use crate::text::{bytes, line, number, percent, seconds, table};
use mercer::assess::{Candidate, Comparison};
use mercer::core::catalogue;
use mercer::measure::Metric;
use mercer::{Dataset, Preset, Task};

pub(crate) fn run(args: &Compare, context: &CommandContext) -> CommandResult {
    args.report.as_deref().map_or(Ok(()), check_report_path)?;
    let loaded = source::load(&args.data, None, context)?;
    let (task, why) = loaded.task(&args.data)?;
    let data = loaded.training(mercer::DataKind::Rows, &args.data, task)?;
    let metrics = metrics(args, task, &data)?;
    let splits = mercer::assess::folds(&data, args.cv, context.session.seed())?;
    let candidates = candidates(args, task, &loaded, context)?;
    say_what(args, &loaded, &data, task, metrics[0], context)?;
    if let Some(why) = why {
        context.note(&why);
    }
    if context.dry_run {
        let names: Vec<&str> = candidates.iter().map(|c| c.label.as_str()).collect();
        return context.would(&format!("compare {}", names.join(", ")));
    }
    let session = source::within(args.budget.as_deref(), context)?;
    let result = mercer::assess::compare(candidates, &data, &splits, &metrics, &session)?;
    print(&result, context)?;
    conclude(args, &loaded, &data, &result, context)
}

/// The first metric ranks; two more are shown.
fn metrics(args: &Compare, task: Task, data: &Dataset<'_>) -> CommandResult<Vec<&'static Metric>> {
    let chosen = source::metrics(args.metric.as_slice(), task)?[0];
    let binary = data.labels().is_some_and(|l| l.len() == 2);
    let usable = |m: &&'static Metric| m.name != chosen.name && (!m.binary_only || binary);
    Ok(std::iter::once(chosen).chain(Metric::shown_for(task).filter(usable).take(2)).collect())
}

/// The models to compare, each with the preparation it needs; the baseline is always among them.
fn candidates(
    args: &Compare,
    task: Task,
    loaded: &Loaded,
    context: &CommandContext,
) -> CommandResult<Vec<Candidate>> {
    let preset = match args.preset {
        args::Preset::Quick => Preset::Quick,
        args::Preset::Explain => Preset::Explain,
        args::Preset::Best => Preset::Best,
    };
    let baselines = catalogue::preset(Preset::Baseline, task);
    let specs: Vec<String> = match &args.models {
        Some(list) => list.split(';').map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect(),
        None => small_enough(catalogue::preset(preset, task), loaded.table.n_rows(), context)?,
    };
    let others = specs.into_iter().filter(|s| !baselines.contains(s)).map(|s| (s, false));
    let all: Vec<(String, bool)> = baselines.iter().map(|s| (s.clone(), true)).chain(others).collect();
    let mut out = Vec::new();
    let mut said = Vec::new();
    for (spec, is_baseline) in all {
        let learner = source::learner(&spec, Some(task))?;
        if learner.task() != task {
            return Err(Failure::new(
                Code::Usage,
                format!("{spec} learns {}, the target asks for {task}", learner.task()),
            ));
        }
        let prepared = mercer::prepare::prepared(learner, &loaded.features)?;
        prepared.learner.check()?;
        for note in prepared.notes {
            if said.contains(&note) {
                continue;
            }
            match prepared.left_out.as_ref() == Some(&note) {
                true => context.note(&note),
                false => context.detail(&note),
            }
            said.push(note);
        }
        out.push(Candidate { is_baseline, label: spec, learner: prepared.learner });
    }
    Ok(out)
}

/// The models of a preset that are made for so many rows; the others are named.
fn small_enough(specs: Vec<String>, n_rows: usize, context: &CommandContext) -> CommandResult<Vec<String>> {
    let (mut fit, mut large) = (Vec::new(), Vec::new());
    for spec in specs {
        match source::learner(&spec, None)?.declaration().most_rows {
            Some(most) if n_rows > most => large.push(format!("{spec} (made for up to {most} rows)")),
            _ => fit.push(spec),
        }
    }
    if !large.is_empty() {
        context
            .note(&format!("left out: {}; name them by --models to try them all the same", large.join(", ")));
    }
    Ok(fit)
}

fn say_what(
    args: &Compare,
    loaded: &Loaded,
    data: &Dataset<'_>,
    task: Task,
    metric: &Metric,
    context: &CommandContext,
) -> CommandResult {
    if context.json {
        return Ok(());
    }
    let target = args.data.target.join(", ");
    let kind = match data.labels() {
        Some(labels) if labels.len() == 2 => "binary target".to_owned(),
        Some(labels) => format!("target of {} classes", labels.len()),
        None => "numeric target".to_owned(),
    };
    let features = loaded.features.names();
    let missing: Vec<String> = loaded
        .profile(context)
        .iter()
        .filter(|p| p.n_missing > 0 && features.contains(&p.name))
        .take(4)
        .map(|p| format!("{} {}", p.name, percent(p.n_missing as f64 / p.n_rows as f64)))
        .collect();
    let missing =
        if missing.is_empty() { String::new() } else { format!(" · missing: {}", missing.join(", ")) };
    let (n, d) = (loaded.table.n_rows(), loaded.table.n_columns());
    line(&context.bold(&format!("{n} rows × {d} columns · {kind} \"{target}\"{missing}")))?;
    let how = match (data.groups().is_some(), task) {
        (true, _) => "group",
        (_, Task::Classification) => "stratified",
        _ => "shuffled",
    };
    let (seed, threads) = (context.session.seed(), context.session.threads());
    line(&format!(
        "{}-fold {how}, same folds for all · {} · seed {seed} · {threads} threads",
        args.cv, metric.label
    ))
}

fn print(result: &Comparison, context: &CommandContext) -> CommandResult {
    if context.json {
        return context.document(json(result, context));
    }
    let mut header = vec!["#", "model", result.metrics[0].label, "95 % interval"];
    header.extend(result.metrics[1..].iter().map(|m| m.label));
    header.extend(["fit", "1 row", "size", ""]);
    let rows: Vec<Vec<String>> = result
        .contenders
        .iter()
        .enumerate()
        .map(|(i, c)| {
            let mean = |k: usize| c.means.get(k).map_or_else(String::new, |v| number(*v));
            let mut row = vec![(i + 1).to_string(), c.candidate.label.clone(), mean(0)];
            row.push(c.interval.map_or_else(String::new, |(a, b)| format!("{}–{}", number(a), number(b))));
            row.extend((1..result.metrics.len()).map(mean));
            row.push(if c.error.is_some() { String::new() } else { seconds(c.fit_seconds) });
            row.push(c.row_seconds.map_or_else(String::new, seconds));
            row.push(c.size.map_or_else(String::new, bytes));
            row.push(c.remark());
            row
        })
        .collect();
    line(&table(&header, &rows))?;
    if !result.left_out.is_empty() {
        let names = result.left_out.join(", ");
        context.note(&match context.cancel.is_cancelled() {
            true => format!("interrupted before: {names}"),
            false => format!("out of time before: {names} (--budget)"),
        });
    }
    Ok(())
}

fn json(result: &Comparison, context: &CommandContext) -> serde_json::Value {
    let rows: Vec<_> = result
        .contenders
        .iter()
        .enumerate()
        .map(|(i, c)| {
            let scores: serde_json::Map<_, _> =
                result.metrics.iter().zip(&c.means).map(|(m, v)| (m.name.to_owned(), (*v).into())).collect();
            serde_json::json!({
                "rank": i + 1,
                "model": c.candidate.label,
                "params": mercer::Value::Object(c.candidate.learner.to_object()).to_json(),
                "scores": scores,
                "interval": c.interval,
                "folds": c.folds.iter().map(|f| f.scores.clone()).collect::<Vec<_>>(),
                "fit_seconds": c.fit_seconds,
                "row_seconds": c.row_seconds,
                "size": c.size,
                "p_value": c.versus_best.map(|t| t.p_value),
                "baseline": c.candidate.is_baseline,
                "certificate": c.certificate(),
                "error": c.error,
            })
        })
        .collect();
    serde_json::json!({
        "schema_version": 1,
        "metric": result.metrics[0].name,
        "seed": context.session.seed(),
        "models": rows,
        "left_out": result.left_out,
    })
}

fn conclude(
    args: &Compare,
    loaded: &Loaded,
    data: &Dataset<'_>,
    result: &Comparison,
    context: &CommandContext,
) -> CommandResult {
    let best = result.contenders.first().filter(|c| c.error.is_none());
    let Some(best) = best else { return Err(Failure::new(Code::Run, "no model could be fitted")) };
    let mut wrote = Vec::new();
    if let (Some(path), Some(model)) = (&args.output, &best.model) {
        mercer::files::save(model.as_ref(), path, Some(&context.command))?;
        wrote.push(format!("{} ({}, refit on all rows)", path.display(), best.candidate.label));
    }
    if let Some(path) = &args.report {
        build_report(path, &args.data.source, Some(loaded), context, |builder| {
            builder.of_comparison(result, data, args.cv)
        })?;
        wrote.push(path.display().to_string());
    }
    if !wrote.is_empty() && !context.json {
        line(&format!("wrote {}", wrote.join(", ")))?;
    }
    if args.output.is_none() && !context.json {
        let target = args.data.target.join(",");
        let hint = format!(
            "mercer fit {} -t {target} -m {} -o model.mercer",
            args.data.source, best.candidate.label
        );
        context.note(&format!("hint: to keep the best: {hint}"));
    }
    if context.cancel.is_cancelled() {
        return Err(Failure::new(Code::Interrupted, "interrupted: these are the models so far"));
    }
    Ok(())
}
