//! Charts of explanations, for files and reports.

use crate::fail::{Code, Failure, Outcome};
use mercer::assess::{Accumulated, Dependence, Grid, Importance};
use mercer::math::Mat;
use mercer::trees::{Outline, Picture, TreesView};
use mercer::{Dataset, Session};
use mercer_plot::{AnyChart, Axis, Bar, BarChart, Chart, HeatMap, LineChart, Series, Shade, TreeChart};
use std::path::Path;

/// Writes a chart as a picture or as its data, as the name of the file says.
pub(crate) fn write(chart: &AnyChart, path: &Path) -> Outcome {
    let text = match path.extension().and_then(|e| e.to_str()) {
        Some("svg") => chart.to_svg(),
        Some("csv") => chart.to_csv(),
        _ => return Err(Failure::new(Code::Usage, format!("-o {}: wants .svg or .csv", path.display()))),
    };
    std::fs::write(path, text).map_err(|e| Failure::new(Code::Run, format!("{}: {e}", path.display())))
}

/// What the score loses by each column.
pub(crate) fn importance(found: &[Importance], metric: &str) -> AnyChart {
    let bar = |i: &Importance| Bar { name: i.name.clone(), value: i.mean, interval: Some(i.range) };
    BarChart {
        title: "Feature importance".into(),
        description: format!(
            "What {metric} loses when a column is shuffled: mean and range of the shuffles."
        ),
        x_label: format!("loss of {metric}"),
        bars: found.iter().map(bar).collect(),
        ..BarChart::default()
    }
    .into()
}

/// The outputs that are drawn: of two classes the second.
fn drawn(outputs: &[String], is_class: bool) -> std::ops::Range<usize> {
    usize::from(is_class && outputs.len() == 2)..outputs.len()
}

fn said(outputs: &[String], is_class: bool) -> String {
    match (is_class, &outputs[drawn(outputs, is_class)]) {
        (true, [class]) => format!("mean prediction for {class}"),
        (true, _) => "mean prediction for each class".into(),
        (false, [target]) => format!("mean prediction of {target}"),
        (false, _) => "mean prediction".into(),
    }
}

fn lines(x: &[f64], values: &Mat, outputs: &[String], is_class: bool) -> Vec<Series> {
    let line = |k: usize| {
        let points = x.iter().enumerate().map(|(g, v)| (*v, values[(g, k)])).collect();
        Series { markers: x.len() <= 12, ..Series::new(outputs[k].clone(), points) }
    };
    drawn(outputs, is_class).map(line).collect()
}

/// How a model depends on one column: lines for numbers; for categories bars, or a map where there are many classes.
pub(crate) fn dependence(found: &Dependence, is_class: bool) -> AnyChart {
    let column = found.columns.join(" and ");
    let (title, said) = (format!("Partial dependence on {column}"), said(&found.outputs, is_class));
    let description =
        format!("What the model says on average over the rows when {column} is set to each value.");
    let shown = drawn(&found.outputs, is_class);
    match &found.grids[0] {
        Grid::Numbers(x) => LineChart {
            title,
            description,
            x: Axis::new(column),
            y: Axis::new(said),
            series: lines(x, &found.mean, &found.outputs, is_class),
            ..LineChart::default()
        }
        .into(),
        Grid::Levels(levels) if shown.len() == 1 => {
            let bar = |(g, name): (usize, &String)| Bar {
                name: name.clone(),
                value: found.mean[(g, shown.start)],
                interval: None,
            };
            let bars = levels.iter().enumerate().map(bar).collect();
            BarChart { title, description, x_label: said, bars, ..BarChart::default() }.into()
        }
        Grid::Levels(levels) => HeatMap {
            title,
            description,
            x_label: said,
            y_label: column,
            columns: found.outputs.clone(),
            rows: levels.clone(),
            values: (0..levels.len()).map(|g| found.mean.row(g).to_vec()).collect(),
            shade: Shade::Whole,
            ..HeatMap::default()
        }
        .into(),
    }
}

/// Accumulated local effects of a column.
pub(crate) fn effects(found: &Accumulated, is_class: bool) -> AnyChart {
    LineChart {
        title: format!("Accumulated local effects of {}", found.column),
        description: format!(
            "How much {} moves what the model says, by the rows that there are.",
            found.column
        ),
        x: Axis::new(found.column.clone()),
        y: Axis::new("effect on the prediction"),
        series: lines(&found.edges, &found.effects, &found.outputs, is_class),
        reference: Some((0.0, 0.0)),
        ..LineChart::default()
    }
    .into()
}

/// A tree, with histograms of the rows where there are any.
pub(crate) fn tree(
    view: &TreesView<'_>,
    (t, outline): (usize, &Outline),
    rows: Option<&Dataset<'_>>,
    max_depth: usize,
    session: &Session,
) -> Outcome<AnyChart> {
    let picture = match rows {
        Some(rows) => Picture::of(view, (t, outline), rows, session)?,
        None => Picture::bare(outline, view.schema()),
    };
    let title = match view.n_trees() {
        1 => "The tree".to_owned(),
        n => format!("Tree {t} of {n}, counted from 0"),
    };
    let leaves = outline.nodes.iter().filter(|n| n.branches.is_empty()).count();
    let description = format!("A decision tree of {leaves} leaves.");
    Ok(TreeChart { title, description, max_depth, ..mercer::tree_chart(picture) }.into())
}
