//! Line charts: curves, learning curves, calibration, traces.

use crate::frame::{Frame, Plane, Swatch, dropped_note};
use crate::svg::px;
use crate::{Axis, Chart, Size, csv::Csv, nonfinite_json, number, theme, thin};
use serde::{Deserialize, Serialize};

/// Longer series are thinned to this many points, spikes kept.
const MOST_POINTS: usize = 1200;
/// Beyond this many points markers are not drawn one by one.
const MOST_MARKERS: usize = 200;

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Points in drawing order.
    #[serde(with = "nonfinite_json")]
    pub points: Vec<(f64, f64)>,
    /// Lower and upper end at each point, as many as points; empty for none.
    #[serde(with = "nonfinite_json")]
    pub band: Vec<(f64, f64)>,
    /// Draw as a staircase: constant until the next point.
    pub step: bool,
    /// Mark each point.
    pub markers: bool,
}

impl Series {
    /// A plain line.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, ..Self::default() }
    }
}

/// A point singled out by a label, such as a break-even point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mark {
    /// Horizontal position.
    #[serde(with = "nonfinite_json")]
    pub x: f64,
    /// Vertical position.
    #[serde(with = "nonfinite_json")]
    pub y: f64,
    /// The text beside it.
    pub label: String,
}

/// A chart of one or more lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LineChart {
    /// Heading.
    pub title: String,
    /// What the chart shows, for readers who cannot see it.
    pub description: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
    /// A dashed line `intercept + slope * x`: `(0, 1)` is the diagonal, `(c, 0)` a level.
    #[serde(with = "nonfinite_json")]
    pub reference: Option<(f64, f64)>,
    /// Points singled out.
    pub marks: Vec<Mark>,
    /// Thin solid lines, told apart by colour alone: for traces, where dashes would drown in the noise.
    pub fine: bool,
    /// Size in pixels.
    pub size: Size,
}

/// A drawable point: position and, where there is a band, its ends.
#[derive(Clone, Copy, Debug)]
struct Point {
    x: f64,
    y: f64,
    band: Option<(f64, f64)>,
}

impl LineChart {
    /// The drawable points of a series, thinned, and how many were dropped.
    fn drawable(&self, series: &Series) -> (Vec<Point>, usize) {
        let banded = series.band.len() == series.points.len();
        let good: Vec<Point> = series
            .points
            .iter()
            .enumerate()
            .filter(|(_, p)| self.x.shows(p.0) && self.y.shows(p.1))
            .map(|(i, &(x, y))| {
                let ends = if banded { Some(series.band[i]) } else { None };
                Point { x, y, band: ends.filter(|e| self.y.shows(e.0) && self.y.shows(e.1)) }
            })
            .collect();
        let dropped = series.points.len() - good.len();
        let positions: Vec<(f64, f64)> = good.iter().map(|p| (p.x, p.y)).collect();
        (thin::line(&positions, MOST_POINTS).into_iter().map(|i| good[i]).collect(), dropped)
    }

    fn draw(&self, frame: &mut Frame, plane: &Plane, i: usize, points: &[Point]) {
        let series = &self.series[i];
        let colour = theme::colour(i);
        band(frame, plane, &colour, points);
        let at = |p: &Point| (plane.x.at(p.x), plane.y.at(p.y));
        let mut path = String::new();
        let mut last_y = 0.0;
        for (k, (x, y)) in points.iter().map(at).enumerate() {
            if k > 0 && series.step {
                path.push_str(&format!("L{} {}", px(x), px(last_y)));
            }
            path.push_str(&format!("{}{} {}", if k == 0 { 'M' } else { 'L' }, px(x), px(y)));
            last_y = y;
        }
        frame
            .svg
            .el("path")
            .path(&path)
            .attr("class", "l")
            .attr("stroke", &colour)
            .attr("stroke-dasharray", theme::dash(if self.fine { 0 } else { i }))
            .attr(
                "style",
                if self.fine { "stroke-width:0.8px;stroke-opacity:0.85" } else { "stroke-width:1.8px" },
            )
            .titled(&series.name);
        // A single point is no line: it must be marked to be seen at all.
        if (series.markers && points.len() <= MOST_MARKERS) || points.len() == 1 {
            for p in points {
                let (x, y) = at(p);
                let title = format!("{} {}: {}", series.name, number(p.x), number(p.y));
                frame
                    .svg
                    .el("path")
                    .path(&theme::marker(i, x, y, 3.2))
                    .attr("fill", &colour)
                    .attr("stroke", &colour)
                    .titled(title.trim());
            }
        }
    }

    fn draw_marks(&self, frame: &mut Frame, plane: &Plane) {
        let (left, right) = plane.sides();
        for mark in self.marks.iter().filter(|m| self.x.shows(m.x) && self.y.shows(m.y)) {
            let (x, y) = (plane.x.at(mark.x), plane.y.at(mark.y));
            frame
                .svg
                .el("circle")
                .nums(&[("cx", x), ("cy", y), ("r", 4.5)])
                .attr("fill", "var(--p-paper)")
                .attr("stroke", "var(--p-ink)")
                .attr("stroke-width", "1.8")
                .titled(&mark.label);
            // The label goes to the roomier side, inside the plot.
            let (anchor, shift) = if x - left > right - x { ("end", -9.0) } else { ("start", 9.0) };
            let room = (x - left).max(right - x) - 10.0;
            frame
                .svg
                .el("text")
                .nums(&[("x", x + shift), ("y", y + 15.0)])
                .attr("text-anchor", anchor)
                .attr("style", "paint-order:stroke;stroke:var(--p-paper);stroke-width:3px")
                .fitted(&mark.label, room, 11.0);
        }
    }
}

fn band(frame: &mut Frame, plane: &Plane, colour: &str, points: &[Point]) {
    let ends: Vec<(f64, (f64, f64))> = points.iter().filter_map(|p| p.band.map(|b| (p.x, b))).collect();
    if ends.len() < 2 {
        return;
    }
    let at = |x: f64, y: f64| format!("{} {}", px(plane.x.at(x)), px(plane.y.at(y)));
    let upper = ends.iter().map(|(x, b)| at(*x, b.1));
    let lower = ends.iter().rev().map(|(x, b)| at(*x, b.0));
    let outline: Vec<String> = upper.chain(lower).collect();
    frame
        .svg
        .el("path")
        .path(&format!("M{}z", outline.join("L")))
        .attr("fill", colour)
        .attr("fill-opacity", "0.18")
        .end();
}

impl Chart for LineChart {
    fn to_svg(&self) -> String {
        let mut frame = Frame::new(&self.title, &self.description, self.size.clamped());
        let drawn: Vec<(Vec<Point>, usize)> = self.series.iter().map(|s| self.drawable(s)).collect();
        let dropped = drawn.iter().map(|d| d.1).sum();
        frame.notes(&dropped_note(dropped, "point").into_iter().collect::<Vec<_>>());
        let points = || drawn.iter().flat_map(|d| &d.0);
        if points().next().is_none() {
            return frame.no_data();
        }
        let x = self.x.domain(points().map(|p| p.x));
        let ends = |p: &Point| [p.y, p.band.map_or(p.y, |b| b.0), p.band.map_or(p.y, |b| b.1)];
        let y = self.y.domain(points().flat_map(ends));
        let (Some(x), Some(y)) = (x, y) else { return frame.no_data() };
        let names: Vec<&str> = self.series.iter().map(|s| s.name.as_str()).collect();
        frame.legend(&names, if self.fine { Swatch::Solid } else { Swatch::Line });
        let plane = frame.axes((&self.x, x), (&self.y, y));
        if let Some(line) = self.reference {
            plane.reference(&mut frame.svg, line);
        }
        // The first series is the main one: it is drawn last, on top.
        for (i, (points, _)) in drawn.iter().enumerate().rev().filter(|(_, d)| !d.0.is_empty()) {
            self.draw(&mut frame, &plane, i, points);
        }
        self.draw_marks(&mut frame, &plane);
        frame.finish()
    }

    fn to_csv(&self) -> String {
        let mut csv = Csv::new("series,x,y,lower,upper");
        for series in &self.series {
            for p in self.drawable(series).0 {
                csv.row(&[&series.name], &[Some(p.x), Some(p.y), p.band.map(|b| b.0), p.band.map(|b| b.1)]);
            }
        }
        csv.finish()
    }
}
