//! `mercer tune` without a target: how many clusters.

use crate::args::Tune;
use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure};
use crate::source;
use crate::text::{bytes, line, number, table};
use mercer::assess::{KChoice, KCriterion, KOptions};
use mercer::{Task, Value};
use serde_json::json;

pub(crate) fn run(args: &Tune, context: &CommandContext) -> CommandResult {
    refuse(args)?;
    let counts = counts(&args.clusters)?;
    let loaded = source::load(&args.data, None, context)?;
    let learner = source::learner(&args.model, None)?;
    if mercer::assess::count_path(learner.as_ref()).is_none() {
        let message = format!("{} is not told how many clusters there are", args.model);
        return Err(Failure::new(Code::Usage, message));
    }
    let data = loaded.training(learner.kinds().learns_from, &args.data, Task::Clustering)?;
    let prepared = mercer::prepare::prepared(learner, &loaded.features)?;
    prepared.notes.iter().for_each(|n| context.note(n));
    let learner = prepared.learner;
    if context.dry_run {
        return context.would(&format!("try {} numbers of clusters", counts.len()));
    }
    let options = KOptions { counts, ..KOptions::default() };
    let session = source::within(args.budget.as_deref(), context)?;
    let found = mercer::assess::choose_k(learner.as_ref(), &data, &options, &session)?;
    let decides = match args.metric.first() {
        Some(name) => Some(found.criterion(name)?),
        None => found.usual(),
    };
    if !context.json {
        show(args, &found, data.n_rows(), decides, context)?;
    }
    let wrote = match (&args.output, decides.and_then(|c| c.chosen)) {
        (Some(path), Some(k)) => {
            let model = learner.with(&found.path, &Value::from(k))?.train(&data, &context.session)?;
            Some((path, mercer::files::save(model.as_ref(), path, Some(&context.command))?))
        }
        (Some(_), None) => {
            return Err(Failure::new(
                Code::Run,
                "no criterion chooses a number of clusters: nothing is written",
            ));
        }
        (None, _) => None,
    };
    if context.json {
        return context.document(document(&found, decides, args));
    }
    match wrote {
        Some((path, size)) => line(&format!("wrote {} ({})", path.display(), bytes(size))),
        None => {
            context.note("hint: -o FILE keeps the model with that number of clusters");
            Ok(())
        }
    }
}

/// Flags of a search that have no meaning here.
fn refuse(args: &Tune) -> CommandResult {
    let given = [
        ("--space", args.space.is_some()),
        ("--nested", args.nested),
        ("--journal", args.journal.is_some()),
        ("--results", args.results.is_some()),
        ("--patience", args.patience.is_some()),
        ("--weight", args.data.weight.is_some()),
        ("--group", args.data.group.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => {
            let message =
                format!("{flag} needs a target (-t); the number of clusters is tried by --clusters");
            Err(Failure::new(Code::Usage, message))
        }
        None => Ok(()),
    }
}

/// Numbers of clusters: `2..10`, both ends included, or `2,3,5`.
fn counts(text: &str) -> CommandResult<Vec<usize>> {
    let wrong = || {
        Failure::new(Code::Usage, format!("--clusters wants numbers such as 2..10 or 2,3,5, got `{text}`"))
    };
    let whole = |t: &str| t.trim().parse::<usize>().map_err(|_| wrong());
    let found = match text.split_once("..") {
        Some((first, last)) => (whole(first)?..=whole(last.trim_start_matches('='))?).take(1001).collect(),
        None => text.split(',').map(whole).collect::<CommandResult<Vec<_>>>()?,
    };
    if found.is_empty() || found.contains(&0) || found.len() > 1000 {
        return Err(wrong());
    }
    Ok(found)
}

fn show(
    args: &Tune,
    found: &KChoice,
    n_rows: usize,
    decides: Option<&KCriterion>,
    context: &CommandContext,
) -> CommandResult {
    let seed = context.session.seed();
    line(&context.bold(&format!("{n_rows} rows · {} · how many clusters? · seed {seed}", args.model)))?;
    if found.n_rows < n_rows {
        context.note(&format!("{} rows were drawn for it", found.n_rows));
    }
    let header: Vec<&str> =
        std::iter::once("clusters").chain(found.criteria.iter().map(|c| c.label)).collect();
    let cell = |c: &KCriterion, at: usize| {
        let chosen = if c.chosen == Some(found.counts[at]) { " *" } else { "" };
        match (c.values[at], c.errors.as_ref().map(|e| e[at])) {
            (v, _) if !v.is_finite() => String::new(),
            (v, Some(e)) if e.is_finite() => format!("{} ± {}{chosen}", number(v), number(e)),
            (v, _) => format!("{}{chosen}", number(v)),
        }
    };
    let row = |at: usize| {
        let cells = found.criteria.iter().map(|c| cell(c, at));
        std::iter::once(found.counts[at].to_string()).chain(cells).collect::<Vec<_>>()
    };
    line(&table(&header, &(0..found.counts.len()).map(row).collect::<Vec<_>>()))?;
    for (what, why) in &found.left_out {
        context.note(&format!("note: {what}: {why}"));
    }
    match decides {
        Some(KCriterion { chosen: Some(k), label, rule, .. }) => {
            line(&format!("{k} clusters by the {label}: {rule} (--metric for another criterion)"))
        }
        _ => line("no criterion chooses a number of clusters"),
    }
}

fn document(found: &KChoice, decides: Option<&KCriterion>, args: &Tune) -> serde_json::Value {
    let values = |v: &[f64]| v.iter().map(|v| v.is_finite().then_some(*v)).collect::<Vec<_>>();
    let criterion = |c: &KCriterion| {
        json!({
            "name": c.name, "values": values(&c.values), "errors": c.errors.as_ref().map(|e| values(e)),
            "chosen": c.chosen, "rule": c.rule,
        })
    };
    json!({
        "schema_version": 1,
        "model": args.model,
        "parameter": found.path,
        "clusters": found.counts,
        "rows": found.n_rows,
        "criteria": found.criteria.iter().map(criterion).collect::<Vec<_>>(),
        "decided_by": decides.map(|c| c.name),
        "chosen": decides.and_then(|c| c.chosen),
        "left_out": found.left_out,
        "output": args.output,
    })
}
