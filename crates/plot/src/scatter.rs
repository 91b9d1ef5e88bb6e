//! Scatter plots: predicted against actual, residuals, two-dimensional maps.

use crate::frame::{Frame, Plane, Swatch, dropped_note};
use crate::svg::px;
use crate::{Axis, Chart, Size, csv::Csv, nonfinite_json, number, theme, thin};
use serde::{Deserialize, Serialize};

/// Up to this many points each carries its own tooltip; beyond, a group is one path, which keeps files small.
const MOST_TITLED: usize = 300;

/// Points that share a colour and a marker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Group {
    /// Its name in the legend.
    pub name: String,
    /// The points.
    #[serde(with = "nonfinite_json")]
    pub points: Vec<(f64, f64)>,
}

/// A chart of points, in one or more groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scatter {
    /// Heading.
    pub title: String,
    /// What the chart shows, for readers who cannot see it.
    pub description: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The points.
    pub groups: Vec<Group>,
    /// Closed lines, such as ellipses, in the colours of the groups in their order.
    #[serde(with = "nonfinite_json")]
    pub outlines: Vec<Vec<(f64, f64)>>,
    /// A dashed line `intercept + slope * x`.
    #[serde(with = "nonfinite_json")]
    pub reference: Option<(f64, f64)>,
    /// Beyond this many points an evenly spaced part is drawn, and the chart says so.
    pub max_points: usize,
    /// Size in pixels.
    pub size: Size,
}

impl Default for Scatter {
    fn default() -> Self {
        Self {
            title: String::new(),
            description: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            groups: Vec::new(),
            outlines: Vec::new(),
            reference: None,
            max_points: 2000,
            size: Size::default(),
        }
    }
}

/// What is drawn of a scatter plot.
#[derive(Debug)]
struct Drawn {
    groups: Vec<Vec<(f64, f64)>>,
    dropped: usize,
    good: usize,
    shown: usize,
}

impl Scatter {
    fn drawn(&self) -> Drawn {
        let drawable = |p: &&(f64, f64)| self.x.shows(p.0) && self.y.shows(p.1);
        let good: Vec<Vec<(f64, f64)>> =
            self.groups.iter().map(|g| g.points.iter().filter(drawable).copied().collect()).collect();
        let given: usize = self.groups.iter().map(|g| g.points.len()).sum();
        let total: usize = good.iter().map(Vec::len).sum();
        // Each group keeps its share, and at least one point.
        let share = |n: usize| {
            if total <= self.max_points {
                n
            } else {
                (n as f64 / total as f64 * self.max_points as f64).ceil() as usize
            }
        };
        let groups: Vec<Vec<(f64, f64)>> = good
            .iter()
            .map(|g| thin::every(g.len(), share(g.len())).into_iter().map(|i| g[i]).collect())
            .collect();
        let shown = groups.iter().map(Vec::len).sum();
        Drawn { groups, dropped: given - total, good: total, shown }
    }

    /// The points of a closed line, if all of them can be drawn.
    fn outline(&self, line: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let whole = line.iter().all(|p| self.x.shows(p.0) && self.y.shows(p.1));
        if whole { line.to_vec() } else { Vec::new() }
    }

    fn draw(&self, frame: &mut Frame, plane: &Plane, i: usize, points: &[(f64, f64)], crowd: usize) {
        let radius = if crowd > 600 { 2.0 } else { 3.0 };
        let colour = theme::colour(i);
        let place = |p: &(f64, f64)| theme::marker(i, plane.x.at(p.0), plane.y.at(p.1), radius);
        frame
            .svg
            .el("g")
            .attr("fill", &colour)
            .attr("stroke", &colour)
            .attr("fill-opacity", "0.55")
            .attr("stroke-opacity", "0.7")
            .open();
        if crowd <= MOST_TITLED {
            for p in points {
                let title = format!("{} ({}, {})", self.groups[i].name, number(p.0), number(p.1));
                frame.svg.el("path").path(&place(p)).titled(title.trim());
            }
        } else {
            // Several paths, so that the overlap of points still shows by opacity.
            for chunk in points.chunks(40) {
                let path: String = chunk.iter().map(place).collect();
                frame.svg.el("path").path(&path).end();
            }
        }
        frame.svg.close();
    }
}

impl Chart for Scatter {
    fn to_svg(&self) -> String {
        let mut frame = Frame::new(&self.title, &self.description, self.size.clamped());
        let drawn = self.drawn();
        let thinned = (drawn.shown < drawn.good)
            .then(|| format!("{} of {} points shown, evenly spaced", drawn.shown, drawn.good));
        frame.notes(&thinned.into_iter().chain(dropped_note(drawn.dropped, "point")).collect::<Vec<_>>());
        let points = || drawn.groups.iter().flatten();
        if points().next().is_none() {
            return frame.no_data();
        }
        let lines: Vec<Vec<(f64, f64)>> = self.outlines.iter().map(|l| self.outline(l)).collect();
        let all = || points().chain(lines.iter().flatten());
        let (x, y) = (self.x.domain(all().map(|p| p.0)), self.y.domain(all().map(|p| p.1)));
        let (Some(x), Some(y)) = (x, y) else { return frame.no_data() };
        let names: Vec<&str> = self.groups.iter().map(|g| g.name.as_str()).collect();
        frame.legend(&names, Swatch::Marker);
        let plane = frame.axes((&self.x, x), (&self.y, y));
        for (i, points) in drawn.groups.iter().enumerate() {
            self.draw(&mut frame, &plane, i, points, drawn.shown);
        }
        for (i, line) in lines.iter().enumerate().filter(|(_, line)| line.len() > 2) {
            let at = |p: &(f64, f64)| format!("{} {}", px(plane.x.at(p.0)), px(plane.y.at(p.1)));
            let path = format!("M{}Z", line.iter().map(at).collect::<Vec<_>>().join("L"));
            let line =
                frame.svg.el("path").path(&path).attr("fill", "none").attr("stroke", &theme::colour(i));
            line.attr("stroke-width", "1.5").end();
        }
        if let Some(line) = self.reference {
            plane.reference(&mut frame.svg, line);
        }
        frame.finish()
    }

    fn to_csv(&self) -> String {
        let mut csv = Csv::new("group,x,y");
        for (group, points) in self.groups.iter().zip(self.drawn().groups) {
            for (x, y) in points {
                csv.row(&[&group.name], &[Some(x), Some(y)]);
            }
        }
        csv.finish()
    }
}
