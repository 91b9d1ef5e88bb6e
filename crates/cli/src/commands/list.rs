//! `mercer models`, `params`, `datasets`, `inspect`: what there is.

use crate::args::{Inspect, Models, Params};
use crate::context::CommandContext;
use crate::fail::{CommandResult, model_file};
use crate::text::{line, table};
use mercer::Declaration;

pub(crate) fn models(args: &Models, context: &CommandContext) -> CommandResult {
    let matches = |d: &&Declaration| {
        let word = args.filter.as_deref().unwrap_or_default().to_lowercase();
        word.is_empty()
            || d.task.to_string().contains(&word)
            || d.capabilities.names().iter().any(|n| *n == word)
            || d.name.to_lowercase().contains(&word)
            || d.canon.iter().any(|c| c.eq_ignore_ascii_case(&word))
    };
    let entries = mercer::catalogue();
    let found: Vec<&Declaration> = entries.iter().map(|e| (e.declaration)()).filter(matches).collect();
    if context.json {
        let models: Vec<_> = found.iter().map(|d| json(d)).collect();
        return context.document(serde_json::json!({ "schema_version": 1, "models": models }));
    }
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|d| {
            vec![
                d.alias().to_owned(),
                d.name.to_owned(),
                d.task.to_string(),
                d.canon.join(" "),
                d.capabilities.names().join(" "),
            ]
        })
        .collect();
    line(&table(&["-m", "model", "task", "canon", "can"], &rows))?;
    context.note("mercer params MODEL shows the parameters of one");
    Ok(())
}

fn json(d: &Declaration) -> serde_json::Value {
    serde_json::json!({
        "name": d.name, "aliases": d.aliases, "summary": d.summary, "canon": d.canon, "task": d.task.to_string(),
        "takes": d.kinds.learns_from.to_string(), "asked_about": d.kinds.asked_about.to_string(),
        "capabilities": d.capabilities.names(), "python": d.python, "references": d.references, "schema": d.json_schema(),
    })
}

pub(crate) fn params(args: &Params, context: &CommandContext) -> CommandResult {
    let declaration = (mercer::core::catalogue::find(&args.model)?.declaration)();
    if context.json {
        return line(&serde_json::json!({ "schema_version": 1, "model": json(declaration) }).to_string());
    }
    line(&context.bold(&format!("{} ({})", declaration.name, declaration.aliases.join(", "))))?;
    line(declaration.summary)?;
    let rows: Vec<Vec<String>> = declaration
        .params
        .iter()
        .map(|p| vec![p.name.to_owned(), p.default.to_string(), p.allowed(), p.doc.replace('\n', " ")])
        .collect();
    if !rows.is_empty() {
        line(&table(&["parameter", "default", "allowed", "meaning"], &rows))?;
    }
    declaration.references.iter().try_for_each(|r| line(&format!("  {r}")))
}

pub(crate) fn datasets(context: &CommandContext) -> CommandResult {
    let sets = mercer::data::datasets();
    let no_tables = [("density", mercer::bayes::DENSITIES), ("decision process", mercer::rl::PROCESSES)];
    if context.json {
        let sets: Vec<_> = sets
            .iter()
            .map(|s| {
                serde_json::json!({
                    "name": s.name, "rows": s.rows, "columns": s.columns, "target": s.target,
                    "task": s.task.to_string(), "description": s.description, "licence": s.licence, "citation": s.citation,
                })
            })
            .collect();
        let generators: Vec<_> = mercer::data::GENERATORS
            .iter()
            .map(|g| {
                let params: serde_json::Map<_, _> =
                    g.params.iter().map(|p| (p.name.to_owned(), p.default.into())).collect();
                serde_json::json!({ "name": g.name, "task": g.task.to_string(), "doc": g.doc, "params": params })
            })
            .collect();
        let others: Vec<_> = no_tables
            .iter()
            .flat_map(|(kind, list)| list.iter().map(move |(name, doc)| (kind, name, doc)))
            .map(|(kind, name, doc)| serde_json::json!({ "name": name, "kind": kind, "doc": doc }))
            .collect();
        return context.document(serde_json::json!({
            "schema_version": 1, "datasets": sets, "generators": generators, "others": others,
        }));
    }
    let row = |s: &mercer::data::Bundled| {
        let size = format!("{} × {}", s.rows, s.columns);
        vec![s.name.to_owned(), size, s.task.to_string(), s.target.to_owned(), s.description.to_owned()]
    };
    line(&table(&["name", "size", "task", "target", ""], &sets.iter().map(row).collect::<Vec<_>>()))?;
    let generators: Vec<Vec<String>> = mercer::data::GENERATORS
        .iter()
        .map(|g| {
            let params: Vec<&str> = g.params.iter().map(|p| p.name).collect();
            vec![g.name.to_owned(), g.task.to_string(), g.doc.to_owned(), params.join(", ")]
        })
        .collect();
    line("")?;
    line(&table(
        &["generator", "task", "", "parameters (moons:n_samples=200,noise=0.1,seed=3)"],
        &generators,
    ))?;
    for (kind, list) in no_tables {
        let rows: Vec<Vec<String>> =
            list.iter().map(|(n, d)| vec![(*n).to_owned(), kind.to_owned(), (*d).to_owned()]).collect();
        line("")?;
        line(&table(&["name", "kind", ""], &rows))?;
    }
    Ok(())
}

pub(crate) fn inspect(args: &Inspect, context: &CommandContext) -> CommandResult {
    let header = mercer::files::inspect(&args.model).map_err(model_file)?;
    if context.json {
        let mut document = serde_json::to_value(&header).map_err(anyhow::Error::from)?;
        document["schema_version"] = 1.into();
        return line(&document.to_string());
    }
    line(&context.bold(&format!("{} · {} · Mercer {}", header.learner, header.task, header.mercer_version)))?;
    if let Some(command) = &header.command {
        line(&format!("trained by  {command}"))?;
    }
    let features: Vec<Vec<String>> = header
        .schema
        .features
        .iter()
        .map(|f| {
            let levels: Vec<&str> = f.levels.iter().take(5).map(String::as_str).collect();
            let more = if f.levels.len() > 5 { ", …" } else { "" };
            vec![f.name.clone(), f.kind.to_string(), format!("{}{more}", levels.join(", "))]
        })
        .collect();
    if !features.is_empty() {
        line(&table(&["feature", "kind", "levels"], &features))?;
    }
    for target in &header.schema.targets {
        let name = target.name.as_deref().unwrap_or("target");
        match target.kind.labels() {
            Some(labels) => {
                let shown: Vec<String> = labels.iter().take(12).map(ToString::to_string).collect();
                line(&format!("predicts {name}: {}", shown.join(", ")))?;
            }
            None => line(&format!("predicts {name}: a number"))?,
        }
    }
    if let Some(params) = header.params.as_object() {
        for (name, value) in params {
            let text = value.to_string();
            let short: String = text.chars().take(100).collect();
            line(&format!("  {name} = {short}{}", if text.chars().count() > 100 { "…" } else { "" }))?;
        }
    }
    line(&format!("seed {}", header.seed))?;
    line(&header.certificate.to_string())
}
