//! `mercer explain`: what matters to a model, why it says what it says of a row, how it depends on a column, its trees.

use crate::args::{Data, Explain};
use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure, model_file};
use crate::row_reasons::row_reasons;
use crate::source;
use crate::text::{line, number, table};
use mercer::assess::{
    DependenceOptions, Grid, accumulated_effects, partial_dependence, permutation_importance,
};
use mercer::measure::Metric;
use mercer::trees::{Picture, TreesView};
use mercer::{Asked, Column, Dataset, Input, Model, Table, Value};
use mercer_plot::{AnyChart, Chart};
use mercer_report::charts;
use serde_json::json;
use std::path::Path;

/// Shuffles of each column behind its importance.
const REPEATS: usize = 5;

pub(crate) fn run(args: &Explain, context: &CommandContext) -> CommandResult {
    let model = mercer::files::load(&args.model).map_err(model_file)?.model;
    let model = model.as_ref();
    let Some(source) = &args.source else {
        return tree(args, model, None, args.tree.unwrap_or(0), context);
    };
    let target: Vec<String> = model.schema().targets.iter().filter_map(|t| t.name.clone()).collect();
    // Rows without answers can be explained, too; only what matters overall is measured by them.
    let wanted =
        if args.row.is_some() || args.pdp.is_some() || args.ale.is_some() { Vec::new() } else { target };
    let (drop, keep) = (Vec::new(), Vec::new());
    let (source, target) = (source.clone(), wanted);
    let reading = args.reading.clone();
    let data = Data { source, target, drop, keep, weight: None, group: None, task: None, reading };
    let loaded = source::load(&data, Some(model.schema()), context)?;
    let rows = loaded.dataset(model.learner().kinds().asked_about, &data, model.learner().task())?;
    match (args.row, &args.pdp, &args.ale, args.tree) {
        (Some(row), ..) => one_row(args, model, &rows, row, context),
        (_, Some(column), ..) => dependence(args, model, &rows, column, context),
        (_, _, Some(column), _) => effects(args, model, &rows, column, context),
        (.., Some(t)) => tree(args, model, Some(&rows), t, context),
        _ => overall(args, model, &rows, context),
    }
}

/// Draws where a file is named; says whether it did.
fn drawn(
    args: &Explain,
    chart: impl FnOnce() -> CommandResult<AnyChart>,
    context: &CommandContext,
) -> CommandResult<bool> {
    let Some(path) = &args.output else { return Ok(false) };
    write_chart(&chart()?, path)?;
    if !context.json {
        line(&format!("wrote {}", path.display()))?;
    }
    Ok(!context.json)
}

/// Writes a chart as a picture or as its data, as the name of the file says.
fn write_chart(chart: &AnyChart, path: &Path) -> CommandResult {
    let text = match path.extension().and_then(|e| e.to_str()) {
        Some("svg") => chart.to_svg(),
        Some("csv") => chart.to_csv(),
        _ => return Err(Failure::new(Code::Usage, format!("-o {}: wants .svg or .csv", path.display()))),
    };
    std::fs::write(path, text).map_err(|e| Failure::new(Code::Run, format!("{}: {e}", path.display())))
}

/// One tree of the model: as text, as JSON, or drawn.
fn tree(
    args: &Explain,
    model: &dyn Model,
    rows: Option<&Dataset<'_>>,
    t: usize,
    context: &CommandContext,
) -> CommandResult {
    let view = TreesView::of(model)?;
    let outline = view.outline(t)?;
    let chart = || {
        let picture = match rows {
            Some(rows) => Picture::of(&view, (t, &outline), rows, &context.session)?,
            None => Picture::bare(&outline, view.schema()),
        };
        Ok(charts::tree(picture, (t, view.n_trees()), usize::from(args.depth)))
    };
    if drawn(args, chart, context)? {
        return Ok(());
    }
    if context.json {
        let document =
            json!({ "schema_version": 1, "tree": t, "trees": view.n_trees(), "nodes": outline.nodes });
        return context.document(document);
    }
    if view.n_trees() > 1 {
        line(&context.bold(&format!("tree {t} of {}, counted from 0", view.n_trees())))?;
    }
    line(outline.to_text().trim_end())
}

/// What the score loses when a column is shuffled.
fn overall(args: &Explain, model: &dyn Model, rows: &Dataset<'_>, context: &CommandContext) -> CommandResult {
    let task = model.learner().task();
    if model.schema().targets.is_empty() {
        let name = model.declaration().name;
        let message = format!(
            "{name} was learnt without a target, by which columns could be weighed; the report of `fit` describes it"
        );
        return Err(Failure::new(Code::Usage, message));
    }
    let metric = Metric::shown_for(task)
        .next()
        .ok_or_else(|| Failure::new(Code::Usage, format!("no metric measures {task}")))?;
    let found = permutation_importance(model, rows, metric, REPEATS, &context.session)?;
    if drawn(args, || Ok(charts::importance(&found, metric.label)), context)? {
        return Ok(());
    }
    if context.json {
        let columns: Vec<_> =
            found.iter().map(|i| json!({ "column": i.name, "mean": i.mean, "range": i.range })).collect();
        let document = json!({ "schema_version": 1, "metric": metric.name, "importance": columns });
        return context.document(document);
    }
    let source = args.source.as_deref().unwrap_or_default();
    let title = format!("What {} loses when a column of {source} is shuffled", metric.label);
    line(&context.bold(&title))?;
    let row = |i: &mercer::assess::Importance| {
        vec![i.name.clone(), number(i.mean), format!("{}–{}", number(i.range.0), number(i.range.1))]
    };
    line(&table(&["column", "loss", "least–most"], &found.iter().map(row).collect::<Vec<_>>()))
}

/// What each feature adds to what the model says of a row, and what it would say of other values.
fn one_row(
    args: &Explain,
    model: &dyn Model,
    rows: &Dataset<'_>,
    row: usize,
    context: &CommandContext,
) -> CommandResult {
    if row >= rows.n_rows() {
        let message = format!("--row {row}: there are {} rows, counted from 0", rows.n_rows());
        return Err(Failure::new(Code::Usage, message));
    }
    let own = rows.subset(&[row])?.input();
    let asked = model.on(&own, &context.session)?;
    let says = spoken(&asked)?;
    let (reason, other) = match args.what_if.is_empty() {
        true => (row_reasons(&asked)?.pop(), None),
        false => {
            let changed = changed(&own, &args.what_if)?;
            (None, Some(spoken(&model.on(&changed, &context.session)?)?))
        }
    };
    if context.json {
        let pairs = |said: &[(String, f64)]| -> serde_json::Map<_, _> {
            said.iter().map(|(name, v)| (name.clone(), json!(v))).collect()
        };
        let of = reason.map(|r| r.json(usize::MAX));
        let what_if = other.as_deref().map(pairs);
        let document = json!({ "schema_version": 1, "row": row, "says": pairs(&says), "what_if": what_if, "because": of });
        return context.document(document);
    }
    if let Some(other) = other {
        let rows: Vec<Vec<String>> =
            says.iter().zip(&other).map(|((k, a), (_, b))| vec![k.clone(), number(*a), number(*b)]).collect();
        return line(&table(&["", "as it is", &args.what_if.join(", ")], &rows));
    }
    let Some(reason) = reason else { return Ok(()) };
    line(&context.bold(&format!("{} = {}", reason.what, number(reason.total()))))?;
    let mut lines = vec![vec!["(on average)".to_owned(), number(reason.base)]];
    let adds = |v: f64| if v == 0.0 { "0".to_owned() } else { format!("{v:+.4}") };
    lines.extend(reason.parts.iter().map(|(name, v)| vec![name.clone(), adds(*v)]));
    line(&table(&["feature", "adds"], &lines))
}

/// What a model says of one row, by name.
fn spoken(asked: &Asked<'_>) -> CommandResult<Vec<(String, f64)>> {
    if let (Some(_), Some(labels)) = (asked.abilities().proba, asked.schema().labels()) {
        let p = asked.proba()?;
        return Ok(labels.iter().enumerate().map(|(k, l)| (l.to_string(), p[(0, k)])).collect());
    }
    let found = asked.predict()?;
    let one = |column: &mercer::TargetColumn<'_>| {
        let name = column.name.clone().unwrap_or_else(|| "prediction".to_owned());
        Ok((name, column.text(0).parse().unwrap_or(f64::NAN)))
    };
    found.columns().iter().map(one).collect()
}

/// The row with other values.
fn changed(input: &Input<'_>, what_if: &[String]) -> CommandResult<Input<'static>> {
    let mut table: Table<'static> = input.rows("--what-if")?.table()?.gather(&[0]);
    for text in what_if {
        let wrong = |why: &str| Failure::new(Code::Usage, format!("--what-if {text}: {why}"));
        let (name, value) = text.split_once('=').ok_or_else(|| wrong("wants COL=VALUE"))?;
        let column = match table.column(name)? {
            Column::Categorical { levels, .. } => match levels.iter().position(|l| l == value) {
                Some(code) => Column::Categorical { codes: vec![code as u32].into(), levels: levels.clone() },
                None => return Err(wrong(&format!("the levels are {}", levels.join(", ")))),
            },
            Column::Boolean(_) => match Value::parse(value) {
                Ok(Value::Bool(v)) => Column::Boolean(vec![Some(v)].into()),
                _ => return Err(wrong("wants true or false")),
            },
            Column::Numeric(_) => {
                Column::numbers(vec![value.trim().parse::<f64>().map_err(|_| wrong("wants a number"))?])
            }
            Column::Text(_) | Column::Time(_) => {
                return Err(wrong("the column is neither numbers nor categories"));
            }
        };
        table = table.with(name, column)?;
    }
    Ok(table.into())
}

fn dependence(
    args: &Explain,
    model: &dyn Model,
    rows: &Dataset<'_>,
    column: &str,
    context: &CommandContext,
) -> CommandResult {
    let options = DependenceOptions { places: args.points, ..DependenceOptions::default() };
    let found = partial_dependence(model, rows, &[column], &options, &context.session)?;
    if drawn(args, || Ok(charts::dependence(&found, model.schema().labels().is_some())), context)? {
        return Ok(());
    }
    let places: Vec<String> = match &found.grids[0] {
        Grid::Numbers(v) => v.iter().map(|v| number(*v)).collect(),
        Grid::Levels(v) => v.clone(),
    };
    curve(column, &places, &found.outputs, &found.mean, "partial dependence", context)
}

fn effects(
    args: &Explain,
    model: &dyn Model,
    rows: &Dataset<'_>,
    column: &str,
    context: &CommandContext,
) -> CommandResult {
    let found = accumulated_effects(model, rows, column, args.points, &context.session)?;
    if drawn(args, || Ok(charts::effects(&found, model.schema().labels().is_some())), context)? {
        return Ok(());
    }
    let places: Vec<String> = found.edges.iter().map(|v| number(*v)).collect();
    curve(column, &places, &found.outputs, &found.effects, "accumulated local effects", context)
}

fn curve(
    column: &str,
    places: &[String],
    outputs: &[String],
    values: &mercer::math::Mat,
    kind: &str,
    context: &CommandContext,
) -> CommandResult {
    if context.json {
        let at = |g: usize| (0..outputs.len()).map(|k| (outputs[k].clone(), json!(values[(g, k)]))).collect();
        let points: Vec<_> = (0..places.len())
            .map(|g| json!({ "at": places[g], "says": serde_json::Value::Object(at(g)) }))
            .collect();
        let document = json!({ "schema_version": 1, "kind": kind, "column": column, "points": points });
        return context.document(document);
    }
    line(&context.bold(&format!("{kind} on {column}")))?;
    let mut header = vec![column];
    header.extend(outputs.iter().map(String::as_str));
    let row = |g: usize| {
        std::iter::once(places[g].clone()).chain((0..outputs.len()).map(|k| number(values[(g, k)]))).collect()
    };
    line(&table(&header, &(0..places.len()).map(row).collect::<Vec<_>>()))
}
