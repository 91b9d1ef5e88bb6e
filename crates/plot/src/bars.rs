//! Horizontal bars with intervals, such as feature importance.

use crate::rows::{Layout, Row, drawable, notes};
use crate::{Chart, Size, csv::Csv, nonfinite_json, theme};
use serde::{Deserialize, Serialize};

/// One bar.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Bar {
    /// What it stands for; cut with a tooltip when long.
    pub name: String,
    /// Its length.
    #[serde(with = "nonfinite_json")]
    pub value: f64,
    /// Lower and upper end of its uncertainty.
    #[serde(with = "nonfinite_json")]
    pub interval: Option<(f64, f64)>,
}

/// Horizontal bars, one below the other in the order given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BarChart {
    /// Heading.
    pub title: String,
    /// What the chart shows, for readers who cannot see it.
    pub description: String,
    /// What the length means.
    pub x_label: String,
    /// The bars.
    pub bars: Vec<Bar>,
    /// Beyond this many bars the rest is only counted.
    pub max_bars: usize,
    /// Size in pixels; only the width counts.
    pub size: Size,
}

impl Default for BarChart {
    fn default() -> Self {
        Self {
            title: String::new(),
            description: String::new(),
            x_label: String::new(),
            bars: Vec::new(),
            max_bars: 30,
            size: Size::default(),
        }
    }
}

impl BarChart {
    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.bars.iter().map(|b| Row { name: &b.name, value: b.value, interval: b.interval })
    }
}

impl Chart for BarChart {
    fn to_svg(&self) -> String {
        let (rows, dropped, hidden) = drawable(self.rows(), self.max_bars);
        let layout = Layout {
            title: &self.title,
            description: &self.description,
            x_label: &self.x_label,
            size: self.size,
            zero: true,
            reference: None,
        };
        let mut open = match layout.open(&rows, &notes(dropped, hidden)) {
            Ok(open) => open,
            Err(empty) => return empty,
        };
        let zero = open.scale.at(0.0);
        for (i, row) in rows.iter().enumerate() {
            let (y, end) = (open.middle(i), open.scale.at(row.value));
            let place = [
                ("x", zero.min(end)),
                ("y", y - 7.0),
                ("width", (end - zero).abs().max(0.5)),
                ("height", 14.0),
            ];
            let colour = theme::colour(usize::from(row.value < 0.0));
            open.svg.el("rect").nums(&place).attr("rx", "1.5").attr("fill", &colour).titled(&row.title());
            if let Some((low, high)) = row.interval {
                let (a, b) = (open.scale.at(low), open.scale.at(high));
                let path = format!("M{a:.1} {y:.1}H{b:.1}M{a:.1} {0:.1}v8M{b:.1} {0:.1}v8", y - 4.0);
                open.svg.el("path").path(&path).attr("stroke", "var(--p-ink)").attr("fill", "none").end();
            }
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
