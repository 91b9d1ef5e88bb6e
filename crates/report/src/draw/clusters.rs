//! The map, the sizes and the choice of the number of clusters.

use super::name_of;
use crate::format::fixed;
use crate::view::{Block, Figure, RowView, TableView};
use crate::{Clusters, Component, CountCriterion};
use mercer_plot::{Axis, Bar, BarChart, Group, LineChart, Mark, Scatter, Series, Size, number};

/// Features of a mixture's components that are shown.
const MOST_FEATURES: usize = 8;

pub(crate) fn clusters(data: &Clusters) -> Vec<Block> {
    let mut figures = Vec::new();
    if !data.map.is_empty() {
        figures.push(map(data));
    }
    if !data.sizes.is_empty() {
        let sizes: Vec<f64> = data.sizes.iter().map(|s| *s as f64).collect();
        figures.push(bars(data, "Cluster sizes", "rows", "How many rows each cluster holds.", &sizes));
    }
    if !data.silhouette.is_empty() {
        let caption = "Near 1 a cluster stands apart; below 0 its rows lie closer to another.";
        figures.push(bars(data, "Silhouette", "mean silhouette", caption, &data.silhouette));
    }
    let mut blocks: Vec<Block> = Block::figures(figures).into_iter().collect();
    if !data.components.is_empty() {
        blocks.push(Block::Table(components(data)));
    }
    if let Some(mergers) = &data.mergers {
        let caption = "Groups that are merged left of the dashed line are one cluster; the number of rows is told where there are several.";
        blocks.extend(Block::figures(vec![Figure::new("Dendrogram", caption, mergers)]));
    }
    if !data.choice.is_empty() {
        blocks.push(Block::heading("Choice of the number of clusters"));
        blocks.push(Block::Table(chosen(data)));
        blocks.extend(Block::figures(data.choice.iter().map(choice).collect()));
    }
    if !data.profiles.is_empty() {
        let item = |(i, text): (usize, &String)| format!("{}: {text}", name_of(&data.names, i, "cluster"));
        blocks.push(Block::heading("Clusters in words"));
        blocks.push(Block::Items { items: data.profiles.iter().enumerate().map(item).collect() });
    }
    blocks
}

fn map(data: &Clusters) -> Figure {
    let clusters = data.assignments.iter().flatten().map(|c| c.saturating_add(1)).max().unwrap_or(0);
    // An absurd cluster number must not allocate an absurd list.
    let clusters = clusters.min(data.map.len());
    let mut groups: Vec<Group> = (0..clusters)
        .map(|i| Group { name: name_of(&data.names, i, "cluster"), points: Vec::new() })
        .collect();
    let mut noise = Group { name: "noise".into(), points: Vec::new() };
    for (i, point) in data.map.iter().enumerate() {
        let cluster = data.assignments.get(i).copied().flatten();
        cluster.and_then(|c| groups.get_mut(c)).unwrap_or(&mut noise).points.push(*point);
    }
    let mut outlines = data.outlines.clone();
    outlines.resize(groups.len(), Vec::new());
    // Colours go by place: a group without rows takes its outline with it.
    let mut filled = groups.iter().map(|g| !g.points.is_empty());
    outlines.retain(|_| filled.next().unwrap_or(false));
    groups.retain(|g| !g.points.is_empty());
    if !noise.points.is_empty() {
        groups.push(noise);
    }
    let or = |name: &str, other: &str| Axis::new(if name.is_empty() { other } else { name });
    let chart = Scatter {
        title: "Map".into(),
        description: "Rows in two dimensions, by cluster.".into(),
        x: or(&data.map_axes.0, "first axis"),
        y: or(&data.map_axes.1, "second axis"),
        groups,
        outlines,
        ..Scatter::default()
    };
    let lines = if data.outlines.is_empty() {
        ""
    } else {
        " Ellipses enclose two standard deviations of each component."
    };
    Figure::new("Map", format!("Colours and markers are clusters.{lines}"), &chart)
}

fn bars(data: &Clusters, title: &str, label: &str, caption: &str, values: &[f64]) -> Figure {
    let bar =
        |(i, v): (usize, &f64)| Bar { name: name_of(&data.names, i, "cluster"), value: *v, interval: None };
    let chart = BarChart {
        title: title.into(),
        description: caption.into(),
        x_label: label.into(),
        bars: values.iter().enumerate().map(bar).collect(),
        ..BarChart::default()
    };
    Figure::new(title, caption, &chart)
}

fn choice(criterion: &CountCriterion) -> Figure {
    let title = format!("{} by number of clusters", criterion.name);
    let ends = |((_, v), e): (&(f64, f64), &f64)| (v - e, v + e);
    let band = criterion.points.iter().zip(&criterion.errors).map(ends).collect();
    let line = Series { markers: true, band, ..Series::new(&criterion.name, criterion.points.clone()) };
    let chosen = criterion.chosen.and_then(|k| criterion.points.iter().find(|p| p.0 == k as f64));
    let mark = |p: &(f64, f64)| Mark { x: p.0, y: p.1, label: format!("chooses {}", number(p.0)) };
    let chart = LineChart {
        title: title.clone(),
        description: format!("{} against the number of clusters.", criterion.name),
        x: Axis::new("clusters"),
        y: roomy(Axis::new(criterion.name.clone()), &line),
        series: vec![line],
        marks: chosen.map(mark).into_iter().collect(),
        size: Size { width: 480.0, height: 260.0 },
        ..LineChart::default()
    };
    let band = if criterion.errors.is_empty() { "" } else { "; the band is one standard error" };
    Figure::new(&title, format!("It chooses {}{band}.", criterion.rule), &chart)
}

/// An axis with room below the lowest point, where the mark of a choice may stand.
fn roomy(axis: Axis, line: &Series) -> Axis {
    let values = || line.points.iter().map(|p| p.1).chain(line.band.iter().flat_map(|b| [b.0, b.1]));
    let shown = || values().filter(|v| v.is_finite());
    let (low, high) = (shown().fold(f64::INFINITY, f64::min), shown().fold(f64::NEG_INFINITY, f64::max));
    // A range of nothing, or of what is too large, is ignored.
    axis.with_range(low - 0.15 * (high - low), high + 0.05 * (high - low))
}

/// Which number of clusters each criterion chooses.
fn chosen(data: &Clusters) -> TableView {
    let row = |c: &CountCriterion| {
        let k = c.chosen.map_or_else(|| "none".to_owned(), |k| k.to_string());
        RowView { cells: vec![c.name.clone(), k, c.rule.clone()], class: "", spark: None }
    };
    let columns = ["criterion", "#clusters", "how it chooses"];
    TableView::new("How many clusters?", &columns, data.choice.iter().map(row).collect())
}

/// Shares, means and standard deviations of the components of a mixture.
fn components(data: &Clusters) -> TableView {
    let names: Vec<&str> =
        data.components.iter().flat_map(|c| &c.features).map(|(name, _)| name.as_str()).collect();
    let mut shown: Vec<&str> = Vec::new();
    for name in names {
        if !shown.contains(&name) && shown.len() < MOST_FEATURES {
            shown.push(name);
        }
    }
    let row = |c: &Component| {
        let value = |name: &&str| {
            let found = c.features.iter().find(|(own, _)| own == name);
            found.map_or_else(String::new, |(_, (mean, sd))| format!("{} ± {}", number(*mean), number(*sd)))
        };
        let mut cells = vec![c.name.clone(), format!("{} %", fixed(100.0 * c.share, 1))];
        cells.extend(shown.iter().map(value));
        RowView { cells, class: "", spark: None }
    };
    let heads: Vec<String> = ["component".to_owned(), "#share".to_owned()]
        .into_iter()
        .chain(shown.iter().map(|n| format!("#{n}")))
        .collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let caption = "Components: share of the rows, and mean ± standard deviation of the features.";
    TableView::new(caption, &heads, data.components.iter().map(row).collect())
}
