//! The map, the sizes and the choice of the number of clusters.

use super::name_of;
use crate::Clusters;
use crate::view::{Block, Figure};
use mercer_plot::{Axis, Bar, BarChart, Group, LineChart, Scatter, Series};

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
    if !data.choice.is_empty() {
        figures.push(choice(data));
    }
    let mut blocks: Vec<Block> = Block::figures(figures).into_iter().collect();
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
        ..Scatter::default()
    };
    Figure::new("Map", "Colours and markers are clusters.", &chart)
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

fn choice(data: &Clusters) -> Figure {
    let title = "Choice of the number of clusters";
    let label = if data.choice_label.is_empty() { "criterion" } else { &data.choice_label };
    let chart = LineChart {
        title: title.into(),
        description: format!("{label} against the number of clusters."),
        x: Axis::new("clusters"),
        y: Axis::new(label),
        series: vec![Series { markers: true, ..Series::new(label, data.choice.clone()) }],
        ..LineChart::default()
    };
    Figure::new(title, "", &chart)
}
