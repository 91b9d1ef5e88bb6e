//! Dots with intervals, such as a leaderboard.

use crate::rows::{Layout, Row, drawable, notes};
use crate::svg::px;
use crate::{Chart, Size, csv::Csv, nonfinite_json, theme};
use serde::{Deserialize, Serialize};

/// One dot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dot {
    /// What it stands for; cut with a tooltip when long.
    pub name: String,
    /// Where it lies.
    #[serde(with = "nonfinite_json")]
    pub value: f64,
    /// Lower and upper end of its uncertainty.
    #[serde(with = "nonfinite_json")]
    pub interval: Option<(f64, f64)>,
    /// Draw it hollow and grey, as a point of comparison.
    pub faint: bool,
}

/// Dots with intervals, one below the other in the order given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DotChart {
    /// Heading.
    pub title: String,
    /// What the chart shows, for readers who cannot see it.
    pub description: String,
    /// What the position means.
    pub x_label: String,
    /// The dots.
    pub dots: Vec<Dot>,
    /// A dashed vertical line, such as the baseline's score.
    #[serde(with = "nonfinite_json")]
    pub reference: Option<f64>,
    /// Size in pixels; only the width counts.
    pub size: Size,
}

/// Beyond this many dots the rest is only counted.
const MOST_DOTS: usize = 60;

impl DotChart {
    /// The rows in order, and which of them are faint.
    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.dots.iter().map(|d| Row { name: &d.name, value: d.value, interval: d.interval })
    }
}

impl Chart for DotChart {
    fn to_svg(&self) -> String {
        let (rows, dropped, hidden) = drawable(self.rows(), MOST_DOTS);
        let reference = self.reference.filter(|v| v.is_finite());
        let layout = Layout {
            title: &self.title,
            description: &self.description,
            x_label: &self.x_label,
            size: self.size,
            zero: false,
            reference,
        };
        let mut open = match layout.open(&rows, &notes(dropped, hidden)) {
            Ok(open) => open,
            Err(empty) => return empty,
        };
        if let Some(value) = reference {
            let (x, a, b) = (open.scale.at(value), open.middle(0) - 11.0, open.middle(rows.len()) - 11.0);
            open.svg.el("path").path(&format!("M{} {}V{}", px(x), px(a), px(b))).attr("class", "r").end();
        }
        let drawn = self.dots.iter().filter(|d| crate::Axis::default().shows(d.value));
        for (i, (row, dot)) in rows.iter().zip(drawn).enumerate() {
            let (x, y) = (open.scale.at(row.value), open.middle(i));
            let colour = if dot.faint { "var(--p-muted)".into() } else { theme::colour(0) };
            if let Some((low, high)) = row.interval {
                let (a, b) = (px(open.scale.at(low)), px(open.scale.at(high)));
                let path = format!("M{a} {0}H{b}M{a} {1}v8M{b} {1}v8", px(y), px(y - 4.0));
                open.svg.el("path").path(&path).attr("stroke", &colour).attr("stroke-width", "1.6").end();
            }
            let fill = if dot.faint { "var(--p-paper)" } else { &colour };
            open.svg
                .el("path")
                .path(&theme::marker(if dot.faint { 3 } else { 0 }, x, y, 4.2))
                .attr("fill", fill)
                .attr("stroke", &colour)
                .attr("stroke-width", "1.6")
                .titled(&row.title());
        }
        open.svg.finish()
    }

    fn to_csv(&self) -> String {
        let mut csv = Csv::new("name,value,lower,upper");
        for r in drawable(self.rows(), usize::MAX).0 {
            csv.row(&[r.name], &[Some(r.value), r.interval.map(|i| i.0), r.interval.map(|i| i.1)]);
        }
        csv.finish()
    }
}
