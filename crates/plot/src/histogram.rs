//! Histograms.

use crate::frame::{Frame, dropped_note};
use crate::scale::span_floor;
use crate::{Axis, Chart, Size, csv::Csv, nonfinite_json, number, theme};
use serde::{Deserialize, Serialize};

/// A histogram: counts between edges.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Histogram {
    /// Heading.
    pub title: String,
    /// What the chart shows, for readers who cannot see it.
    pub description: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Increasing edges, one more than counts.
    #[serde(with = "nonfinite_json")]
    pub edges: Vec<f64>,
    /// How many values lie in each bin.
    #[serde(with = "nonfinite_json")]
    pub counts: Vec<f64>,
    /// How many values could not be counted.
    pub dropped: usize,
    /// Size in pixels.
    pub size: Size,
}

impl Histogram {
    /// Counts values in `bins` bins of equal width (1 to 200) between the smallest and the largest.
    pub fn of(values: &[f64], bins: usize) -> Self {
        let axis = Axis::default();
        let good = || values.iter().copied().filter(|v| axis.shows(*v));
        let (low, high) = good().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let mut histogram =
            Self { y: Axis::new("count"), dropped: values.len() - good().count(), ..Self::default() };
        if low > high {
            return histogram;
        }
        // A constant gets a single bin around it.
        let (low, width, bins) = if high - low > span_floor(low, high) {
            let bins = bins.clamp(1, 200);
            (low, (high - low) / bins as f64, bins)
        } else {
            let width = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
            (low - width / 2.0, width, 1)
        };
        histogram.counts = vec![0.0; bins];
        histogram.edges = (0..=bins).map(|i| low + width * i as f64).collect();
        for v in good() {
            histogram.counts[(((v - low) / width) as usize).min(bins - 1)] += 1.0;
        }
        histogram
    }

    /// The bins that can be drawn: from, to, count.
    fn bins(&self) -> Vec<(f64, f64, f64)> {
        self.edges
            .windows(2)
            .zip(&self.counts)
            .map(|(e, c)| (e[0], e[1], *c))
            .filter(|(a, b, c)| {
                self.x.shows(*a) && self.x.shows(*b) && a < b && self.y.shows(*c) && *c >= 0.0
            })
            .collect()
    }
}

impl Chart for Histogram {
    fn to_svg(&self) -> String {
        let mut frame = Frame::new(&self.title, &self.description, self.size.clamped());
        frame.notes(&dropped_note(self.dropped, "value").into_iter().collect::<Vec<_>>());
        let bins = self.bins();
        let highest = bins.iter().map(|b| b.2).fold(0.0, f64::max);
        if highest <= 0.0 {
            return frame.no_data();
        }
        let y = Axis { log: false, ..self.y.clone() };
        let (Some(x), Some(y_range)) =
            (self.x.domain(bins.iter().flat_map(|b| [b.0, b.1])), y.domain([highest].into_iter()))
        else {
            return frame.no_data();
        };
        let y_range = if y.range.is_some() { y_range } else { (0.0, highest * 1.05) };
        let plane = frame.axes((&self.x, x), (&y, y_range));
        let floor = plane.floor();
        for (from, to, count) in bins {
            let (a, b, top) = (plane.x.at(from), plane.x.at(to), plane.y.at(count));
            let place =
                [("x", a), ("y", top), ("width", (b - a - 1.0).max(0.5)), ("height", (floor - top).max(0.0))];
            let title = format!("{} to {}: {}", number(from), number(to), number(count));
            frame.svg.el("rect").nums(&place).attr("fill", &theme::colour(0)).titled(&title);
        }
        frame.finish()
    }

    fn to_csv(&self) -> String {
        let mut csv = Csv::new("from,to,count");
        for (from, to, count) in self.bins() {
            csv.row(&[], &[Some(from), Some(to), Some(count)]);
        }
        csv.finish()
    }
}
