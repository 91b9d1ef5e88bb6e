//! `mercer tune`: the best parameters of a model.

use crate::args::{Format, SearchName, Tune};
use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure};
use crate::source::{self, Loaded};
use crate::text::{line, number, seconds, table};
use mercer::assess::{Nested, Setting, Space, Strategy, Trial, Tuned, Tuning};
use mercer::files::Journal;
use mercer::measure::{Metric, Split};
use mercer::{Dataset, Learner, Task, Value};
use serde_json::json;
use std::path::Path;

/// A grid beyond this many settings is refused before anything is tried.
const LARGEST_GRID: usize = 10_000;
/// Trials that are shown.
const SHOWN: usize = 10;

pub(crate) fn run(args: &Tune, context: &CommandContext) -> CommandResult {
    if let Some(path) = &args.results {
        source::table_format(path)?;
    }
    if args.data.target.is_empty() && mercer::learner(&args.model)?.task() == Task::Clustering {
        return super::tune_clusters::run(args, context);
    }
    let loaded = source::load(&args.data, None, context)?;
    let (task, why) = loaded.task(&args.data)?;
    let learner = source::learner(&args.model, Some(task))?;
    if let Some(why) = why {
        context.note(&why);
    }
    let data = loaded.training(learner.kinds().learns_from, &args.data, task)?;
    let prepared = mercer::prepare::prepared(learner, &loaded.features)?;
    prepared.notes.iter().filter(|n| Some(*n) != prepared.left_out.as_ref()).for_each(|n| context.detail(n));
    prepared.left_out.iter().for_each(|n| context.note(n));
    let learner = prepared.learner;
    let space = space(args, learner.as_ref())?;
    let strategy = strategy(args, &space)?;
    let metrics = source::metrics(&args.metric, task)?;
    let splits = splits(args, &data, context)?;
    if !context.json {
        say_what(args, &loaded, &space, &metrics, &splits, context)?;
    }
    if context.dry_run {
        return context.would("search there");
    }
    if args.nested {
        return nested(args, learner.as_ref(), &data, &space, &strategy, &splits, &metrics, context);
    }
    let (journal, known) = journal(args, learner.as_ref(), &space, &loaded, &metrics, task, context)?;
    if !known.is_empty() {
        context.note(&format!("going on with {} finished trials", known.len()));
    }
    let record = |trial: &Trial| journal.as_ref().map_or(Ok(()), |j| j.append(&trial.to_json()));
    let tuning = Tuning {
        metrics,
        patience: args.patience,
        known,
        ..Tuning::new(space, strategy, source::metrics(&args.metric, task)?[0], splits)
    };
    let session = source::within(args.budget.as_deref(), context)?;
    let tuned = mercer::assess::tune(learner.as_ref(), &data, &tuning, &record, &session)?;
    show(args, &tuned, context)?;
    conclude(args, &tuned, context)
}

/// The space asked for, or the one that the learner declares.
fn space(args: &Tune, learner: &dyn Learner) -> CommandResult<Space> {
    let space = match &args.space {
        Some(text) => {
            let mut space = Space::parse(text)?;
            for dimension in &mut space.dimensions {
                dimension.path = source::path_in(learner, &dimension.path);
                if let Some(when) = &mut dimension.when {
                    when.param = source::path_in(learner, &when.param);
                }
            }
            space.settled(learner)?
        }
        None => Space::of(learner)?,
    };
    if space.dimensions.is_empty() {
        let message = format!("{} declares nothing to search; say where with --space", args.model);
        return Err(Failure::new(Code::Usage, message));
    }
    Ok(space)
}

fn strategy(args: &Tune, space: &Space) -> CommandResult<Strategy> {
    let trials = args.trials;
    Ok(match args.search {
        SearchName::Grid => {
            let size = space.grid_size(args.points);
            if size > LARGEST_GRID {
                let message = format!(
                    "the grid has {size} settings; take --search tpe, fewer --points or a smaller --space"
                );
                return Err(Failure::new(Code::Usage, message));
            }
            Strategy::Grid { points: args.points }
        }
        SearchName::Random => Strategy::Random { trials },
        SearchName::Tpe => Strategy::Tpe { trials },
        SearchName::Halving => Strategy::Halving { trials, factor: 3.0 },
        SearchName::Hyperband => Strategy::Hyperband { factor: 3.0, brackets: 4 },
    })
}

/// Folds that suit the data for a plain number, else those of the scheme.
fn splits(args: &Tune, data: &Dataset<'_>, context: &CommandContext) -> CommandResult<Vec<Split>> {
    let seed = context.session.seed();
    if let Ok(k) = args.cv.trim().parse::<usize>() {
        return Ok(mercer::assess::folds(data, k, seed)?);
    }
    Ok(mercer::assess::splits(data, &args.cv, seed)?)
}

fn say_what(
    args: &Tune,
    loaded: &Loaded,
    space: &Space,
    metrics: &[&Metric],
    splits: &[Split],
    context: &CommandContext,
) -> CommandResult {
    let (n, d) = (loaded.table.n_rows(), loaded.table.n_columns());
    line(&context.bold(&format!(
        "{n} rows × {d} columns · {} · target \"{}\"",
        args.model,
        args.data.target.join(", ")
    )))?;
    let how = format!("{:?}", args.search).to_lowercase();
    let (seed, threads) = (context.session.seed(), context.session.threads());
    line(&format!(
        "{how} search · {} folds · {} · seed {seed} · {threads} threads",
        splits.len(),
        metrics[0].label
    ))?;
    let paths: Vec<&str> = space.dimensions.iter().map(|d| d.path.as_str()).collect();
    line(&format!("searching {}", paths.join(", ")))
}

/// The journal, and the trials that it holds already.
fn journal(
    args: &Tune,
    learner: &dyn Learner,
    space: &Space,
    loaded: &Loaded,
    metrics: &[&'static Metric],
    task: Task,
    context: &CommandContext,
) -> CommandResult<(Option<Journal>, Vec<Trial>)> {
    let Some(path) = &args.journal else { return Ok((None, Vec::new())) };
    let header = json!({
        "schema_version": 1,
        "what": "mercer tune",
        "learner": Value::Object(learner.to_object()).to_json(),
        "space": format!("{space:?}"),
        "search": format!("{:?}", args.search),
        "trials": args.trials,
        "points": args.points,
        "folds": args.cv,
        "metrics": metrics.iter().map(|m| m.name).collect::<Vec<_>>(),
        "target": args.data.target,
        "task": task.to_string(),
        "seed": context.session.seed(),
        "data": mercer::data::table_hash(&loaded.table),
    });
    if !args.resume {
        if path.exists() {
            let message = format!("{} exists: --resume goes on with it", path.display());
            return Err(Failure::new(Code::Usage, message));
        }
        return Ok((Some(Journal::create(path, &header)?), Vec::new()));
    }
    let (journal, lines) = Journal::resume(path, &header)?;
    let known = lines.iter().map(|l| {
        Trial::from_json(l)
            .ok_or_else(|| Failure::new(Code::Data, format!("{}: a line is no trial: {l}", path.display())))
    });
    Ok((Some(journal), known.collect::<CommandResult<Vec<_>>>()?))
}

fn setting_text(setting: &Setting) -> String {
    let value = |v: &Value| match v {
        Value::Real(r) => number(*r),
        other => other.to_string(),
    };
    setting.iter().map(|(path, v)| format!("{path}={}", value(v))).collect::<Vec<_>>().join(", ")
}

fn show(args: &Tune, tuned: &Tuned, context: &CommandContext) -> CommandResult {
    if context.json {
        let best = tuned.best_trial();
        return context.document(json!({
            "schema_version": 1,
            "metric": tuned.metrics[0].name,
            "seed": context.session.seed(),
            "best": best.to_json(),
            "params": Value::Object(tuned.learner.to_object()).to_json(),
            "trials": tuned.trials.iter().map(Trial::to_json).collect::<Vec<_>>(),
            "stopped": tuned.stopped.map(|t| t.to_string()),
            "refit_seconds": tuned.refit_seconds,
        }));
    }
    let ranking = tuned.ranking();
    let mut header = vec!["#", tuned.metrics[0].label, "±"];
    header.extend(tuned.metrics[1..].iter().map(|m| m.label));
    header.extend(["fit", "setting"]);
    let row = |(i, t): (usize, &&Trial)| {
        let mut row = vec![(i + 1).to_string(), number(t.mean(0)), number(t.std(0))];
        row.extend((1..tuned.metrics.len()).map(|m| number(t.mean(m))));
        row.extend([seconds(t.fit_seconds), setting_text(&t.setting)]);
        row
    };
    let shown = if args.search == SearchName::Grid { 2 * SHOWN } else { SHOWN };
    line(&table(&header, &ranking.iter().take(shown).enumerate().map(row).collect::<Vec<_>>()))?;
    let (all, failed) = (tuned.trials.len(), tuned.trials.iter().filter(|t| t.error.is_some()).count());
    let mut notes = vec![format!("{all} trials")];
    if failed > 0 {
        let why = tuned.trials.iter().find_map(|t| t.error.clone()).unwrap_or_default();
        notes.push(format!("{failed} failed (the first: {why})"));
    }
    if tuned.out_of_patience {
        notes.push(format!("no better one among the last {}", args.patience.unwrap_or(0)));
    }
    if tuned.cache_hits > 0 {
        context.detail(&format!("prepared rows were found again {} times", tuned.cache_hits));
    }
    line(&notes.join(" · "))
}

fn conclude(args: &Tune, tuned: &Tuned, context: &CommandContext) -> CommandResult {
    let mut wrote = Vec::new();
    if let Some(path) = &args.results {
        write_table(&tuned.table()?, path)?;
        wrote.push(path.display().to_string());
    }
    keep(args, tuned.model.as_deref(), &mut wrote, context)?;
    match tuned.stopped {
        Some(_) if context.cancel.is_cancelled() => {
            Err(Failure::new(Code::Interrupted, "interrupted: this is the best so far"))
        }
        Some(_) => {
            context.note("out of time: this is the best so far (--budget)");
            Ok(())
        }
        None => Ok(()),
    }
}

/// Writes the model where that was asked for, and says what was written.
fn keep(
    args: &Tune,
    model: Option<&dyn mercer::Model>,
    wrote: &mut Vec<String>,
    context: &CommandContext,
) -> CommandResult {
    if let (Some(path), Some(model)) = (&args.output, model) {
        mercer::files::save(model, path, Some(&context.command))?;
        wrote.push(format!("{} (the best, refit on all rows)", path.display()));
    }
    if !wrote.is_empty() && !context.json {
        line(&format!("wrote {}", wrote.join(", ")))?;
    }
    if args.output.is_none() {
        context.note("hint: -o FILE keeps the best model");
    }
    Ok(())
}

fn write_table(table: &mercer::Table<'_>, path: &Path) -> CommandResult {
    let file = std::fs::File::create(path)
        .map_err(|e| Failure::new(Code::Run, format!("{}: {e}", path.display())))?;
    match source::table_format(path)? {
        Format::Parquet => mercer::data::write_parquet(table, file)?,
        Format::Jsonl => mercer::data::write_jsonl(table, std::io::BufWriter::new(file))?,
        Format::Csv => mercer::data::write_csv(table, std::io::BufWriter::new(file))?,
    }
    Ok(())
}

#[allow(clippy::too_many_arguments)] // Each is one decision of the command line, used once.
fn nested(
    args: &Tune,
    learner: &dyn Learner,
    data: &Dataset<'_>,
    space: &Space,
    strategy: &Strategy,
    splits: &[Split],
    metrics: &[&'static Metric],
    context: &CommandContext,
) -> CommandResult {
    let settings = match strategy {
        Strategy::Grid { points } => space.grid(*points),
        Strategy::Random { trials } | Strategy::Tpe { trials } | Strategy::Halving { trials, .. } => {
            let mut rng = context.session.rng(0x5ea);
            (0..*trials).map(|_| space.sample(&mut rng)).collect()
        }
        _ => return Err(Failure::new(Code::Usage, "--nested goes with --search grid or random")),
    };
    let session = source::within(args.budget.as_deref(), context)?;
    let result = mercer::assess::nested(learner, data, space, &settings, splits, metrics, &session)?;
    show_nested(&result, metrics, context)?;
    keep(args, Some(result.model.as_ref()), &mut Vec::new(), context)
}

fn show_nested(result: &Nested, metrics: &[&'static Metric], context: &CommandContext) -> CommandResult {
    let first: Vec<f64> = result.rounds.iter().map(|r| r.scores[0]).collect();
    let interval = metrics[0].t_interval(&first, 0.95);
    if context.json {
        let pairs =
            |s: &Setting| s.iter().map(|(p, v)| (p.clone(), v.to_json())).collect::<serde_json::Map<_, _>>();
        let rounds: Vec<_> = result
            .rounds
            .iter()
            .map(|r| json!({ "setting": pairs(&r.setting), "inner": r.inner, "scores": r.scores }))
            .collect();
        let estimate: serde_json::Map<_, _> =
            metrics.iter().zip(&result.estimate).map(|(m, v)| (m.name.to_owned(), (*v).into())).collect();
        let document = json!({
            "schema_version": 1, "nested": true, "metric": metrics[0].name, "rounds": rounds,
            "estimate": estimate, "interval": interval, "setting": pairs(&result.setting),
        });
        return context.document(document);
    }
    let inner = format!("inner {}", metrics[0].label);
    let mut header = vec!["round", inner.as_str()];
    header.extend(metrics.iter().map(|m| m.label));
    header.push("setting");
    let row = |(i, r): (usize, &mercer::assess::NestedRound)| {
        let mut row = vec![(i + 1).to_string(), number(r.inner)];
        row.extend(r.scores.iter().map(|s| number(*s)));
        row.push(setting_text(&r.setting));
        row
    };
    line(&table(&header, &result.rounds.iter().enumerate().map(row).collect::<Vec<_>>()))?;
    let band =
        interval.map_or_else(String::new, |(a, b)| format!(", 95 % interval {}–{}", number(a), number(b)));
    line(&format!("{} of the whole procedure: {}{band}", metrics[0].label, number(result.estimate[0])))?;
    line(&format!("average of the best settings: {}", setting_text(&result.setting)))
}
