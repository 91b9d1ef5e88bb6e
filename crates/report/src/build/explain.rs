//! The explanations of a report: what matters, the drawn tree, what features add, and how the model depends on those that
//! matter.

use super::{Evaluation, Subject};
use crate::charts;
use crate::model::{Importance, Report, Section};
use mercer_assess::{Answers, DependenceOptions, partial_dependence, permutation_importance_against};
use mercer_core::{Asked, Dataset, Model, Outputs, Result, Session};
use mercer_measure::Metric;
use mercer_plot::{Bar, BarChart};
use mercer_trees::{Picture, TreesView};

/// Rows on which importances are measured; more would add time, not digits.
const IMPORTANCE_ROWS: usize = 2000;
/// How often each column is shuffled.
const SHUFFLES: usize = 5;
/// Rows whose Shapley values and curves are averaged; more would add time, not digits.
const ROWS: usize = 500;
/// Columns whose partial dependence is drawn, and places of each.
const COLUMNS: usize = 4;
const PLACES: usize = 30;
/// Levels of the drawn tree.
const DEPTH: usize = 4;

/// What matters to the model, and how; what cannot be made is left out with a word.
pub(super) fn add(subject: &Subject<'_>, report: &mut Report) -> Result<()> {
    let (Some(data), Some(asked)) = (subject.data, subject.asked()?) else { return Ok(()) };
    if let Some(metric) = subject.metric {
        match importance(subject, asked, data, metric) {
            Ok(found) => report.importance.push(found),
            Err(e) => report.left_out("what matters", &e),
        }
    }
    let rows = spread(data.n_rows(), ROWS);
    let some = data.subset(&rows)?;
    let columns: Vec<&str> = report
        .importance
        .iter()
        .flat_map(|i| &i.rows)
        .filter(|bar| bar.value > 0.0)
        .take(COLUMNS)
        .map(|bar| bar.name.as_str())
        .collect();
    let dependence = dependence(subject.model, &some, &columns, subject.session);
    let mut sections = vec![
        ("the tree", tree(subject.model, asked, data)),
        ("what features add", contributions(&asked.subset(&rows))),
    ];
    if !columns.is_empty() {
        sections.push(("how it depends on columns", dependence));
    }
    for (what, section) in sections {
        match section {
            Ok(section) => report.explanations.push(section),
            Err(e) => report.left_out(what, &e),
        }
    }
    Ok(())
}

/// At most `most` of `n` rows, evenly.
fn spread(n: usize, most: usize) -> Vec<usize> {
    (0..n).step_by(n.div_ceil(most).max(1)).collect()
}

/// What the score loses when a column is shuffled.
fn importance(
    subject: &Subject<'_>,
    asked: &Asked<'_>,
    data: &Dataset<'_>,
    metric: &'static Metric,
) -> Result<Importance> {
    let rows = spread(data.n_rows(), IMPORTANCE_ROWS);
    let part = data.subset(&rows)?;
    let answers = Answers::of_asked(&asked.subset(&rows), &part)?;
    let measured =
        permutation_importance_against(subject.model, &part, &answers, metric, SHUFFLES, subject.session)?;
    let seen = match subject.evaluation {
        Some(Evaluation::GivenRows) => "the rows given",
        _ => "training rows",
    };
    Ok(Importance {
        model: subject.name.to_owned(),
        method: format!(
            "rise of {} when a column is shuffled; mean and range of {SHUFFLES} shuffles on {seen}",
            metric.label
        ),
        rows: charts::importance_bars(&measured),
    })
}

/// The tree, or the first of many.
fn tree(model: &dyn Model, asked: &Asked<'_>, data: &Dataset<'_>) -> Result<Section> {
    let view = TreesView::of(model)?;
    let outline = view.outline(0)?;
    let picture = Picture::of_prepared(&view, (0, &outline), data, asked.input().clone())?;
    let chart = charts::tree(picture, (0, view.n_trees()), DEPTH);
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
    Ok(Section { title, text: format!("{text}{depth}"), charts: vec![chart], tables: Vec::new() })
}

/// The mean absolute Shapley value of each feature.
fn contributions(asked: &Asked<'_>) -> Result<Section> {
    let parts = asked.contributions()?;
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
        Outputs::Scores if asked.schema().labels().is_some() => "score, before it becomes a probability",
        Outputs::Scores => "score: the prediction, before the link of the loss if it has one",
        Outputs::Numbers => "units of the target",
        Outputs::Joint => "logarithm of the joint probability of row and class",
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
    Ok(Section {
        title: "What features add".into(),
        text: "Exact Shapley values: for every row they add up to what the model says of it.".into(),
        charts: vec![chart.into()],
        tables: Vec::new(),
    })
}

/// Partial dependence on the columns that matter most.
fn dependence(model: &dyn Model, rows: &Dataset<'_>, columns: &[&str], session: &Session) -> Result<Section> {
    let options = DependenceOptions { places: PLACES, ..DependenceOptions::default() };
    let is_class = model.schema().labels().is_some();
    let one = |column: &&str| {
        let found = partial_dependence(model, rows, &[column], &options, session)?;
        Ok(charts::dependence(&found, is_class))
    };
    let charts = columns.iter().map(one).collect::<Result<Vec<_>>>()?;
    Ok(Section {
        title: "How it depends on them".into(),
        text: "The other columns stay as they are in each row; where columns go together, some of these rows would not \
               occur."
            .into(),
        charts,
        tables: Vec::new(),
    })
}
