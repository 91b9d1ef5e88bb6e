//! `mercer look`: what is in the data.

use crate::args::Look;
use crate::context::CommandContext;
use crate::fail::CommandResult;
use crate::source;
use crate::text::{line, percent, table};
use mercer::data::ColumnProfile;
use mercer_report::column_summary;

pub(crate) fn run(args: &Look, context: &CommandContext) -> CommandResult {
    let loaded = source::look_at(&args.data, None, context)?;
    let profile = loaded.profile(context);
    let mut leaks = Vec::new();
    for target in &args.data.target {
        let others: Vec<&String> = args.data.target.iter().filter(|t| *t != target).collect();
        let found = mercer::data::leaks(&loaded.table.without(&others)?, target)?;
        leaks.extend(found.into_iter().map(|leak| (target, leak)));
    }
    if context.json {
        let columns: Vec<_> = profile.iter().zip(&loaded.inferred).map(|(p, i)| json(p, &i.notes)).collect();
        let document = serde_json::json!({
            "schema_version": 1,
            "data": args.data.source,
            "n_rows": loaded.table.n_rows(),
            "n_columns": loaded.table.n_columns(),
            "hash": format!("{:016x}", mercer::data::table_hash(&loaded.table)),
            "columns": columns,
            "leaks": leaks.iter().map(|(t, l)| serde_json::json!({ "target": t, "column": l.column, "why": l.to_string() })).collect::<Vec<_>>(),
        });
        return context.document(document);
    }
    let header = format!("{} rows × {} columns", loaded.table.n_rows(), loaded.table.n_columns());
    line(&context.bold(&header))?;
    let rows: Vec<Vec<String>> = profile.iter().map(row).collect();
    line(&table(&["column", "kind", "missing", "distinct", "what is in it", ""], &rows))?;
    for inferred in loaded.inferred.iter().filter(|i| !i.notes.is_empty()) {
        line(&format!("note: {inferred}"))?;
    }
    for (target, leak) in &leaks {
        let of = if args.data.target.len() > 1 { format!(" `{target}`") } else { String::new() };
        line(&format!("leak: {leak}{of}"))?;
    }
    if let (Some(target), Ok((task, why))) = (args.data.target.first(), loaded.task(&args.data)) {
        line(&format!("target `{target}`: {task}{}", why.map_or_else(String::new, |w| format!(" ({w})"))))?;
    }
    Ok(())
}

fn row(p: &ColumnProfile) -> Vec<String> {
    let missing =
        if p.n_missing == 0 { String::new() } else { percent(p.n_missing as f64 / p.n_rows as f64) };
    let flag = if p.constant {
        "constant"
    } else if p.id_like {
        "identifier?"
    } else {
        ""
    };
    vec![
        p.name.clone(),
        p.kind.to_string(),
        missing,
        p.n_distinct.to_string(),
        column_summary(p),
        flag.to_owned(),
    ]
}

fn json(p: &ColumnProfile, notes: &[String]) -> serde_json::Value {
    let numbers = p.numbers.map(|n| {
        serde_json::json!({
            "mean": n.mean, "sd": n.sd, "min": n.min, "q1": n.q1, "median": n.median, "q3": n.q3, "max": n.max,
        })
    });
    serde_json::json!({
        "name": p.name, "kind": p.kind.to_string(), "missing": p.n_missing, "distinct": p.n_distinct,
        "numbers": numbers, "top": p.top, "constant": p.constant, "id_like": p.id_like,
        "notes": notes,
    })
}
