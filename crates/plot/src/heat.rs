//! Heat maps: confusion matrices, value and policy maps.

use crate::frame::{Frame, dropped_note};
use crate::svg::{Svg, fit, px, text_width};
use crate::{Axis, Chart, Size, csv::Csv, nonfinite_json, number};
use serde::{Deserialize, Serialize};

/// At most this many rows and columns are drawn.
const MOST_SIDE: usize = 80;

/// What the depth of a cell's colour is relative to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shade {
    /// The sum of its row, as for a confusion matrix.
    #[default]
    Row,
    /// From the smallest to the largest value of the map.
    Whole,
    /// Zero: negative values in another colour.
    Diverging,
}

/// A grid of shaded cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HeatMap {
    /// Heading.
    pub title: String,
    /// What the chart shows, for readers who cannot see it.
    pub description: String,
    /// What the columns are.
    pub x_label: String,
    /// What the rows are.
    pub y_label: String,
    /// Names of the columns; may be empty.
    pub columns: Vec<String>,
    /// Names of the rows, from the top; may be empty.
    pub rows: Vec<String>,
    /// The values, row by row. NaN is an empty cell (a wall, say) and not counted as dropped.
    #[serde(with = "nonfinite_json")]
    pub values: Vec<Vec<f64>>,
    /// How cells are shaded.
    pub shade: Shade,
    /// An arrow in each cell as (right, up), row by row like the values; may be empty.
    #[serde(with = "nonfinite_json")]
    pub arrows: Vec<Vec<Option<(f64, f64)>>>,
    /// Size in pixels; only the width counts.
    pub size: Size,
}

/// Pixels of the grid.
#[derive(Clone, Copy, Debug)]
struct Grid {
    left: f64,
    top: f64,
    wide: f64,
    tall: f64,
    n_rows: usize,
    n_columns: usize,
    turned: bool,
}

impl HeatMap {
    fn value(&self, i: usize, j: usize) -> f64 {
        let value = self.values.get(i).and_then(|row| row.get(j)).copied().unwrap_or(f64::NAN);
        if Axis::default().shows(value) { value } else { f64::NAN }
    }

    fn dims(&self) -> (usize, usize) {
        (self.values.len(), self.values.iter().map(Vec::len).max().unwrap_or(0))
    }

    /// The depth of each cell of a row, -1 to 1.
    fn depths(&self, i: usize, n_columns: usize, (low, high): (f64, f64)) -> Vec<f64> {
        let values = (0..n_columns).map(|j| self.value(i, j));
        let total: f64 = values.clone().filter(|v| *v > 0.0).sum();
        let depth = |v: f64| match self.shade {
            Shade::Row if total > 0.0 => (v / total).clamp(0.0, 1.0),
            Shade::Row => 0.0,
            Shade::Whole if high > low => 0.08 + 0.92 * ((v - low) / (high - low)).clamp(0.0, 1.0),
            Shade::Whole => 0.5,
            Shade::Diverging => (v / low.abs().max(high.abs()).max(1e-300)).clamp(-1.0, 1.0),
        };
        values.map(depth).collect()
    }

    /// Room for names and cells, and the height of the whole.
    fn grid(&self, n_rows: usize, n_columns: usize, notes: usize) -> (Grid, f64) {
        let width = self.size.clamped().0;
        let widest = |names: &[String], most: f64| {
            names.iter().take(MOST_SIDE).map(|n| text_width(n, 11.0)).fold(0.0, f64::max).min(most)
        };
        let names = widest(&self.rows, 0.3 * width);
        let left = 12.0
            + names
            + if names > 0.0 { 6.0 } else { 0.0 }
            + if self.y_label.is_empty() { 0.0 } else { 17.0 };
        let across = width - left - 14.0;
        // Few cells need not fill the width: wide flat cells make a matrix hard to read.
        let wide = (across / n_columns as f64).min(96.0);
        let tall = (wide * 0.72).clamp(11.0, 52.0);
        let heads = widest(&self.columns, 110.0);
        let turned = heads > wide - 4.0;
        let head = if heads == 0.0 {
            0.0
        } else if turned {
            heads + 8.0
        } else {
            16.0
        };
        let label = if self.x_label.is_empty() { 0.0 } else { 17.0 };
        let top = 32.0 + label + head;
        let height = top + tall * n_rows as f64 + 12.0 + 14.0 * notes as f64;
        (Grid { left, top, wide, tall, n_rows, n_columns, turned }, height)
    }

    fn names(&self, svg: &mut Svg, grid: &Grid) {
        let middle = grid.left + grid.wide * grid.n_columns as f64 / 2.0;
        if !self.x_label.is_empty() {
            let at = [("x", middle), ("y", 41.0)];
            svg.el("text").nums(&at).attr("class", "t").attr("text-anchor", "middle").text(&self.x_label);
        }
        if !self.y_label.is_empty() {
            let down = grid.tall * grid.n_rows as f64;
            let turn = format!("translate(16 {}) rotate(-90)", px(grid.top + down / 2.0));
            svg.el("text").attr("transform", &turn).attr("class", "t").attr("text-anchor", "middle").fitted(
                &self.y_label,
                down.max(60.0),
                11.0,
            );
        }
        let skip = |size: f64| (12.0 / size).ceil().max(1.0) as usize;
        for (i, name) in self.rows.iter().take(grid.n_rows).enumerate().step_by(skip(grid.tall)) {
            let at = [("x", grid.left - 6.0), ("y", grid.top + grid.tall * (i as f64 + 0.5) + 4.0)];
            let room = 0.3 * self.size.clamped().0 + 4.0;
            svg.el("text").nums(&at).attr("text-anchor", "end").fitted(name, room, 11.0);
        }
        for (j, name) in self.columns.iter().take(grid.n_columns).enumerate().step_by(skip(grid.wide)) {
            let x = grid.left + grid.wide * (j as f64 + 0.5);
            if grid.turned {
                let turn = format!("translate({} {}) rotate(-90)", px(x + 4.0), px(grid.top - 5.0));
                svg.el("text").attr("transform", &turn).fitted(name, 114.0, 11.0);
            } else {
                let at = [("x", x), ("y", grid.top - 6.0)];
                svg.el("text").nums(&at).attr("text-anchor", "middle").fitted(name, grid.wide, 11.0);
            }
        }
    }

    fn cell(&self, svg: &mut Svg, grid: &Grid, (i, j): (usize, usize), depth: f64) {
        let value = self.value(i, j);
        let (x, y) = (grid.left + grid.wide * j as f64, grid.top + grid.tall * i as f64);
        let gap = if grid.wide > 16.0 { 1.5 } else { 0.5 };
        let place = [("x", x), ("y", y), ("width", grid.wide - gap), ("height", grid.tall - gap)];
        let rect = svg.el("rect").nums(&place);
        if value.is_nan() {
            rect.attr("fill", "var(--p-grid)").end();
        } else {
            let fill = if depth < 0.0 { "var(--p-cool)" } else { "var(--p-heat)" };
            rect.attr("fill", fill)
                .num("fill-opacity", 0.07 + 0.93 * depth.abs())
                .titled(&self.tooltip(i, j));
        }
        let arrow = self.arrows.get(i).and_then(|r| r.get(j)).copied().flatten();
        let (cx, cy) = (x + (grid.wide - gap) / 2.0, y + (grid.tall - gap) / 2.0);
        let roomy = grid.tall >= if arrow.is_some() { 34.0 } else { 14.0 };
        if let Some(text) = roomy_text(value, grid.wide - 4.0).filter(|_| roomy) {
            let y = if arrow.is_some() { cy - 4.0 } else { cy + 4.0 };
            svg.el("text").nums(&[("x", cx), ("y", y)]).attr("text-anchor", "middle").text(&text);
        }
        if let Some(direction) = arrow {
            let (cy, reach) =
                if roomy { (cy + 9.0, 8.0) } else { (cy, (grid.tall.min(grid.wide) * 0.36).min(12.0)) };
            draw_arrow(svg, (cx, cy), direction, reach);
        }
    }

    fn tooltip(&self, i: usize, j: usize) -> String {
        let name = |names: &[String], k: usize| names.get(k).cloned().unwrap_or_else(|| (k + 1).to_string());
        let value = self.value(i, j);
        let mut text = format!("{} → {}: {}", name(&self.rows, i), name(&self.columns, j), number(value));
        let total: f64 = self.values[i].iter().copied().filter(|v| v.is_finite() && *v > 0.0).sum();
        if self.shade == Shade::Row && total > 0.0 {
            text.push_str(&format!(" ({:.1} % of the row)", 100.0 * value / total));
        }
        text
    }
}

/// A value with as many of its four digits as there is room for, two at least; what is whole is never rounded.
fn roomy_text(value: f64, room: f64) -> Option<String> {
    let fits = |text: &String| fit(text, room, 11.0) == *text;
    let all = Some(number(value)).filter(|text| !value.is_nan() && fits(text));
    if all.is_some() || value.fract() == 0.0 || !(1e-4..1e6).contains(&value.abs()) {
        return all;
    }
    let size = value.abs().log10().floor() as i32;
    let rounded = |digits: i32| {
        let scale = 10f64.powi((digits - 1 - size).max(0));
        number((value * scale).round() / scale)
    };
    [3, 2].into_iter().map(rounded).find(fits)
}

/// An arrow of half-length `reach` centred at a point; a zero direction is drawn as a dot.
fn draw_arrow(svg: &mut Svg, (cx, cy): (f64, f64), (right, up): (f64, f64), reach: f64) {
    let length = right.hypot(up);
    if !length.is_finite() || length <= 0.0 {
        svg.el("circle").nums(&[("cx", cx), ("cy", cy), ("r", 2.0)]).attr("fill", "var(--p-ink)").end();
        return;
    }
    let (dx, dy) = (right / length, -up / length);
    let (tip_x, tip_y) = (cx + dx * reach, cy + dy * reach);
    let head = (reach * 0.55).clamp(2.0, 5.0);
    let wing = |side: f64| {
        let (wx, wy) = (-dx - side * dy, -dy + side * dx);
        format!("{} {}", px(tip_x + wx * head * 0.8), px(tip_y + wy * head * 0.8))
    };
    let path = format!(
        "M{} {}L{tip} M{}L{tip}L{}",
        px(cx - dx * reach),
        px(cy - dy * reach),
        wing(1.0),
        wing(-1.0),
        tip = format_args!("{} {}", px(tip_x), px(tip_y)),
    );
    svg.el("path")
        .path(&path)
        .attr("fill", "none")
        .attr("stroke", "var(--p-ink)")
        .attr("stroke-width", "1.5")
        .end();
}

impl Chart for HeatMap {
    fn to_svg(&self) -> String {
        let (all_rows, all_columns) = self.dims();
        let (n_rows, n_columns) = (all_rows.min(MOST_SIDE), all_columns.min(MOST_SIDE));
        let cells = || (0..n_rows).flat_map(|i| (0..n_columns).map(move |j| (i, j)));
        let good = || cells().map(|(i, j)| self.value(i, j)).filter(|v| !v.is_nan());
        let wild =
            self.values.iter().flatten().filter(|v| !v.is_nan() && !Axis::default().shows(**v)).count();
        let cut = (n_rows < all_rows || n_columns < all_columns).then(|| {
            format!("first {n_rows} rows and {n_columns} columns of {all_rows} × {all_columns} shown")
        });
        let notes: Vec<String> = cut.into_iter().chain(dropped_note(wild, "value")).collect();
        // A policy may have arrows and no values.
        let arrows = self.arrows.iter().flatten().flatten().any(|(right, up)| (right + up).is_finite());
        if good().next().is_none() && !arrows {
            let mut frame = Frame::new(&self.title, &self.description, (self.size.clamped().0, 140.0));
            frame.notes(&notes);
            return frame.no_data();
        }
        let (grid, height) = self.grid(n_rows, n_columns, notes.len());
        let mut frame = Frame::new(&self.title, &self.description, (self.size.clamped().0, height));
        frame.notes(&notes);
        self.names(&mut frame.svg, &grid);
        let ends = good().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        for i in 0..n_rows {
            for (j, depth) in self.depths(i, n_columns, ends).into_iter().enumerate() {
                self.cell(&mut frame.svg, &grid, (i, j), depth);
            }
        }
        frame.finish()
    }

    fn to_csv(&self) -> String {
        let mut csv = Csv::new("row,column,value,right,up");
        let name = |names: &[String], k: usize| names.get(k).cloned().unwrap_or_else(|| (k + 1).to_string());
        for (i, row) in self.values.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                let arrow = self.arrows.get(i).and_then(|r| r.get(j)).copied().flatten();
                let numbers = [Some(*value).filter(|v| !v.is_nan()), arrow.map(|a| a.0), arrow.map(|a| a.1)];
                csv.row(&[&name(&self.rows, i), &name(&self.columns, j)], &numbers);
            }
        }
        csv.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells of one map differ in digits, not in whether they are told; whole numbers are told in full or not at all.
    #[test]
    fn values_are_told_with_the_digits_that_fit() {
        assert_eq!(roomy_text(-12.274, 60.0).as_deref(), Some("−12.27"));
        assert_eq!(roomy_text(-12.274, 34.0).as_deref(), Some("−12.3"));
        assert_eq!(roomy_text(-12.274, 26.0).as_deref(), Some("−12"));
        assert_eq!(roomy_text(0.04567, 34.0).as_deref(), Some("0.046"));
        assert_eq!(roomy_text(123_456.0, 30.0), None);
        assert_eq!(roomy_text(f64::NAN, 60.0), None);
    }

    #[test]
    fn arrows_without_values_are_drawn() {
        let values = vec![vec![f64::NAN; 2]];
        let map = HeatMap { values, arrows: vec![vec![Some((1.0, 0.0)), None]], ..HeatMap::default() };
        assert!(!map.to_svg().contains("no data") && map.to_svg().contains("<path"));
        assert!(HeatMap { arrows: Vec::new(), ..map }.to_svg().contains("no data"));
    }
}
