//! Charts of explanations: what matters, how a model depends on a column, its trees.

use mercer_assess::{Accumulated, Dependence, Grid, Importance};
use mercer_math::Mat;
use mercer_plot::{
    AnyChart, Axis, Bar, BarChart, HeatMap, LineChart, Series, Shade, TreeBranch, TreeChart, TreeNode,
};
use mercer_trees::{Picture, PictureBranch, PictureNode};

/// What the score loses by each column.
pub fn importance(found: &[Importance], metric: &str) -> AnyChart {
    BarChart {
        title: "Feature importance".into(),
        description: format!(
            "What {metric} loses when a column is shuffled: mean and range of the shuffles."
        ),
        x_label: format!("loss of {metric}"),
        bars: importance_bars(found),
        ..BarChart::default()
    }
    .into()
}

/// A bar for each column: the mean and the range of what is lost.
pub(crate) fn importance_bars(found: &[Importance]) -> Vec<Bar> {
    let bar = |i: &Importance| Bar { name: i.name.clone(), value: i.mean, interval: Some(i.range) };
    found.iter().map(bar).collect()
}

/// The outputs that are drawn: of two classes the second.
fn drawn(outputs: &[String], is_class: bool) -> std::ops::Range<usize> {
    usize::from(is_class && outputs.len() == 2)..outputs.len()
}

fn axis_label(outputs: &[String], is_class: bool) -> String {
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
pub fn dependence(found: &Dependence, is_class: bool) -> AnyChart {
    let column = found.columns.join(" and ");
    let (title, label) = (format!("Partial dependence on {column}"), axis_label(&found.outputs, is_class));
    let description =
        format!("What the model says on average over the rows when {column} is set to each value.");
    let shown = drawn(&found.outputs, is_class);
    match &found.grids[0] {
        Grid::Numbers(x) => LineChart {
            title,
            description,
            x: Axis::new(column),
            y: Axis::new(label),
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
            BarChart { title, description, x_label: label, bars, ..BarChart::default() }.into()
        }
        Grid::Levels(levels) => HeatMap {
            title,
            description,
            x_label: label,
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
pub fn effects(found: &Accumulated, is_class: bool) -> AnyChart {
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

/// Tree `t` of so many, down to a depth.
pub fn tree(picture: Picture, (t, n_trees): (usize, usize), max_depth: usize) -> AnyChart {
    let title = match n_trees {
        1 => "The tree".to_owned(),
        n => format!("Tree {t} of {n}, counted from 0"),
    };
    let leaves = picture.nodes.iter().filter(|n| n.branches.is_empty()).count();
    let description = format!("A decision tree of {leaves} leaves.");
    TreeChart { title, description, max_depth, ..tree_chart(picture) }.into()
}

/// The picture of a tree as a chart, still without a title.
pub fn tree_chart(picture: Picture) -> TreeChart {
    let branch = |PictureBranch { label, node }| TreeBranch { label, node };
    let node = |node: PictureNode| {
        let PictureNode { heading, note, weight, counts, bars, range, cut, branches } = node;
        let branches = branches.into_iter().map(branch).collect();
        TreeNode { heading, note, weight, counts, bars, range, cut, branches }
    };
    let nodes = picture.nodes.into_iter().map(node).collect();
    TreeChart { classes: picture.classes, nodes, ..TreeChart::default() }
}
