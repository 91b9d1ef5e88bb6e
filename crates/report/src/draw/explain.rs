//! Explanations, data, pipeline, certificate and reproducibility.

use crate::format::{count, percent};
use crate::view::{Block, Figure, RowView, TableView};
use crate::{CertificateView, ColumnProfile, Importance, Reproducibility, Section, Step};
use mercer_plot::{AnyChart, BarChart, Chart, number, sparkline};

/// A caller's own section.
pub(crate) fn section(section: &Section) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !section.title.is_empty() {
        blocks.push(Block::heading(&section.title));
    }
    if !section.text.is_empty() {
        blocks.push(Block::text(&section.text));
    }
    let figure = |c: &AnyChart| {
        Figure::new(c.title(), c.description(), c as &dyn Chart).wide(matches!(c, AnyChart::Tree(_)))
    };
    blocks.extend(Block::figures(section.charts.iter().map(figure).collect()));
    blocks.extend(section.tables.iter().map(|t| Block::Table(TableView::of(t))));
    blocks
}

/// One bar chart per model explained.
pub(crate) fn importance(list: &[Importance]) -> Vec<Block> {
    let figure = |i: &Importance| {
        let title = if i.model.is_empty() {
            "Feature importance".into()
        } else {
            format!("Feature importance, {}", i.model)
        };
        // What follows the first part of the method is too long for an axis.
        let (axis, more) = i.method.split_once("; ").unwrap_or((&i.method, ""));
        let more = if more.is_empty() { String::new() } else { format!(" ({more})") };
        let chart = BarChart {
            title: title.clone(),
            description: format!("Importance of each feature ({}).", i.method),
            x_label: axis.into(),
            bars: i.rows.clone(),
            ..BarChart::default()
        };
        let caption = format!("Importance says what the model uses, not what causes the outcome{more}.");
        Figure::new(&title, caption, &chart)
    };
    Block::figures(list.iter().filter(|i| !i.rows.is_empty()).map(figure).collect()).into_iter().collect()
}

/// The table of columns.
pub(crate) fn profile(columns: &[ColumnProfile], n_rows: u64) -> Vec<Block> {
    if columns.is_empty() {
        return Vec::new();
    }
    let row = |c: &ColumnProfile| {
        let missing = match c.missing {
            0 => "0".into(),
            n if n_rows > 0 => format!("{} ({})", count(n), percent(n, n_rows)),
            n => count(n),
        };
        let cells = vec![c.name.clone(), c.kind.clone(), missing, count(c.unique), c.summary.clone()];
        RowView { cells, class: "", spark: Some(sparkline(&c.histogram)) }
    };
    let heads = ["column", "type", "#missing", "#unique", "summary", "distribution"];
    let caption = format!("{}, without any raw row.", crate::format::plural(columns.len(), "column"));
    vec![Block::Table(TableView::new(caption, &heads, columns.iter().map(row).collect()))]
}

/// The steps in order.
pub(crate) fn pipeline(steps: &[Step]) -> Vec<Block> {
    if steps.is_empty() { Vec::new() } else { vec![Block::Steps { steps: steps.to_vec() }] }
}

/// How training ended, model by model.
pub(crate) fn certificates(list: &[CertificateView]) -> Vec<Block> {
    list.iter().flat_map(certificate).collect()
}

fn certificate(view: &CertificateView) -> Vec<Block> {
    let mut words = vec![if view.termination.is_empty() { "ended".into() } else { view.termination.clone() }];
    words.extend(view.iterations.map(|n| format!("{} iterations", count(n))));
    words.extend(view.objective.map(|v| format!("objective {}", number(v))));
    let sentence = words.join(" · ");
    let mut blocks = vec![Block::heading(&view.model)];
    blocks.push(if view.converged {
        Block::text(sentence)
    } else {
        Block::Flag { text: format!("Not converged: {sentence}") }
    });
    if !view.evidence.is_empty() {
        let row =
            |e: &crate::Evidence| RowView::new(vec![e.name.clone(), number(e.value), e.meaning.clone()]);
        let rows = view.evidence.iter().map(row).collect();
        blocks.push(Block::Table(TableView::new(
            "Evidence.",
            &["quantity", "#value", "what it proves"],
            rows,
        )));
    }
    if !view.notes.is_empty() {
        blocks.push(Block::Items { items: view.notes.clone() });
    }
    blocks
}

/// The command and what it depends on.
pub(crate) fn reproducibility(data: &Reproducibility) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !data.command.is_empty() {
        blocks.push(Block::Command { command: data.command.clone() });
    }
    let shape = if data.n_rows + data.n_cols > 0 {
        format!("{} rows × {} columns", count(data.n_rows), count(data.n_cols))
    } else {
        String::new()
    };
    let facts = [
        ("seed", data.seed.map(|s| s.to_string()).unwrap_or_default()),
        ("threads (no influence on the result)", data.threads.map(|t| t.to_string()).unwrap_or_default()),
        ("Mercer", data.version.clone()),
        ("data", data.data_name.clone()),
        ("shape", shape),
        ("data hash", data.data_hash.clone()),
        ("made", data.created.clone().unwrap_or_default()),
    ];
    let known = facts.into_iter().filter(|f| !f.1.is_empty());
    let rows: Vec<RowView> = known.map(|(name, value)| RowView::new(vec![name.into(), value])).collect();
    if !rows.is_empty() {
        blocks.push(Block::Table(TableView::new("What the result depends on.", &["what", "value"], rows)));
    }
    blocks
}
