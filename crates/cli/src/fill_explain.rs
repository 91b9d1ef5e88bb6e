//! The explanations of a report: the drawn tree, what features add, and how the model depends on those that matter.

use crate::pictures;
use mercer::assess::{Asked, partial_dependence};
use mercer::trees::TreesView;
use mercer::{Dataset, Model, Outputs, Result, Session};
use mercer_plot::{Bar, BarChart};
use mercer_report as report;

/// Rows whose Shapley values and curves are averaged; more would add time, not digits.
const ROWS: usize = 500;
/// Columns whose partial dependence is drawn, and places of each.
const COLUMNS: usize = 4;
const PLACES: usize = 30;
/// Levels of the drawn tree.
const DEPTH: usize = 4;

/// What a report explains of a model beyond the importance of its columns; what cannot be made is left out.
pub(crate) fn explanations(
    model: &dyn Model,
    data: &Dataset<'_>,
    important: &[report::Importance],
    session: &Session,
) -> Vec<report::Section> {
    let stride = data.n_rows().div_ceil(ROWS).max(1);
    let rows: Vec<usize> = (0..data.n_rows()).step_by(stride).collect();
    let Ok(some) = data.subset(&rows) else { return Vec::new() };
    let columns: Vec<&str> = important
        .iter()
        .flat_map(|i| &i.rows)
        .filter(|bar| bar.value > 0.0)
        .take(COLUMNS)
        .map(|bar| bar.name.as_str())
        .collect();
    let sections = [
        tree(model, data, session),
        contributions(model, &some, session).ok(),
        dependence(model, &some, &columns, session),
    ];
    sections.into_iter().flatten().collect()
}

/// The tree, or the first of many.
fn tree(model: &dyn Model, data: &Dataset<'_>, session: &Session) -> Option<report::Section> {
    let view = TreesView::of(model).ok()?;
    let outline = view.outline(0).ok()?;
    let chart = pictures::tree(&view, (0, &outline), Some(data), DEPTH, session).ok()?;
    let depth = if outline.depth() > DEPTH {
        format!(" It is {} tests deep, of which {DEPTH} are drawn.", outline.depth())
    } else {
        String::new()
    };
    let (title, text) = match view.n_trees() {
        1 => (
            "The tree".to_owned(),
            "Each node shows the column that it tests and where it is cut; each leaf shows the target.",
        ),
        n => (
            format!("The first of {n} trees"),
            "One tree of many: it shows how the model works, not what it says, which is all of them together.",
        ),
    };
    Some(report::Section { title, text: format!("{text}{depth}"), charts: vec![chart], tables: Vec::new() })
}

/// The mean absolute Shapley value of each feature.
fn contributions(model: &dyn Model, rows: &Dataset<'_>, session: &Session) -> Result<report::Section> {
    let parts = model.contributions(&rows.input(), session)?;
    let n = parts.values.first().map_or(0, |v| v.n_rows()).max(1) as f64;
    // The two probabilities of two classes mirror each other: one is told.
    let told = if parts.outputs == Outputs::Probabilities && parts.values.len() == 2 { 1 } else { 0 };
    let size = |j: usize| {
        parts.values[told..].iter().map(|v| v.col(j).iter().map(|p| p.abs()).sum::<f64>()).sum::<f64>() / n
    };
    let bar = |(j, name): (usize, &String)| Bar { name: name.clone(), value: size(j), interval: None };
    let mut bars: Vec<Bar> = parts.features.iter().enumerate().map(bar).collect();
    bars.sort_by(|a, b| b.value.total_cmp(&a.value));
    bars.retain(|bar| bar.value > 0.0);
    let unit = match parts.outputs {
        Outputs::Probabilities => "probability",
        Outputs::Scores if model.schema().labels().is_some() => "score, before it becomes a probability",
        Outputs::Scores => "score: the prediction, before the link of the loss if it has one",
        Outputs::Numbers => "units of the target",
    };
    let more = if parts.values.len() > 2 { ", added up over the outputs" } else { "" };
    let chart = BarChart {
        title: "Mean absolute Shapley value".into(),
        description: format!(
            "How far each feature moves the model from its mean, on average over the rows{more}."
        ),
        x_label: unit.into(),
        bars,
        max_bars: 15,
        ..BarChart::default()
    };
    Ok(report::Section {
        title: "What features add".into(),
        text: "Exact Shapley values: for every row they add up to what the model says of it.".into(),
        charts: vec![chart.into()],
        tables: Vec::new(),
    })
}

/// Partial dependence on the columns that matter most.
fn dependence(
    model: &dyn Model,
    rows: &Dataset<'_>,
    columns: &[&str],
    session: &Session,
) -> Option<report::Section> {
    let asked = Asked { places: PLACES, ..Asked::default() };
    let is_class = model.schema().labels().is_some();
    let one = |column: &&str| partial_dependence(model, rows, &[column], &asked, session).ok();
    let charts: Vec<_> =
        columns.iter().filter_map(one).map(|found| pictures::dependence(&found, is_class)).collect();
    (!charts.is_empty()).then(|| report::Section {
        title: "How it depends on them".into(),
        text: "The other columns stay as they are in each row; where columns go together, some of these rows would not \
               occur."
            .into(),
        charts,
        tables: Vec::new(),
    })
}
