//! The frame of charts with one named row per item: bars and dots.

use crate::frame::{Frame, Plane};
use crate::scale::{Axis, Scale};
use crate::svg::{Svg, text_width};
use crate::{Size, number};

/// Height of a row in pixels.
pub(crate) const ROW: f64 = 22.0;

/// One row: a name, a value and perhaps an interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: f64,
    pub(crate) interval: Option<(f64, f64)>,
}

impl Row<'_> {
    /// The tooltip: name, value, interval.
    pub(crate) fn title(&self) -> String {
        match self.interval {
            Some((low, high)) => {
                format!("{}: {} ({} to {})", self.name, number(self.value), number(low), number(high))
            }
            None => format!("{}: {}", self.name, number(self.value)),
        }
    }
}

/// Rows that can be drawn, how many were dropped, how many left out.
pub(crate) fn drawable<'a>(rows: impl Iterator<Item = Row<'a>>, most: usize) -> (Vec<Row<'a>>, usize, usize) {
    let axis = Axis::default();
    let mut dropped = 0;
    let mut good = Vec::new();
    for row in rows {
        if axis.shows(row.value) {
            let interval = row.interval.filter(|(a, b)| axis.shows(*a) && axis.shows(*b) && a <= b);
            good.push(Row { interval, ..row });
        } else {
            dropped += 1;
        }
    }
    let hidden = good.len().saturating_sub(most);
    good.truncate(most);
    (good, dropped, hidden)
}

/// The notes below a chart of rows.
pub(crate) fn notes(dropped: usize, hidden: usize) -> Vec<String> {
    let more = (hidden > 0).then(|| format!("{hidden} more not shown"));
    more.into_iter().chain(crate::frame::dropped_note(dropped, "row")).collect()
}

/// Text and place of a chart of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout<'a> {
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    pub(crate) x_label: &'a str,
    pub(crate) size: Size,
    /// Whether zero must be in view.
    pub(crate) zero: bool,
    /// A further value that must be in view.
    pub(crate) reference: Option<f64>,
}

/// An open chart of rows.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) svg: Svg,
    pub(crate) scale: Scale,
    top: f64,
}

impl Rows {
    /// The pixel of the middle of row `i`.
    pub(crate) fn middle(&self, i: usize) -> f64 {
        self.top + ROW * (i as f64 + 0.5)
    }
}

impl Layout<'_> {
    /// Opens the chart and draws axis, names and values; `Err` is the finished chart without data.
    pub(crate) fn open(&self, rows: &[Row<'_>], notes: &[String]) -> Result<Rows, String> {
        let width = self.size.clamped().0;
        let below = 30.0 + 14.0 * notes.len() as f64 + if self.x_label.is_empty() { 0.0 } else { 16.0 };
        let height = 30.0 + ROW * rows.len().max(2) as f64 + below;
        let mut frame = Frame::new(self.title, self.description, (width, height));
        frame.notes(notes);
        let ends = rows.iter().flat_map(|r| {
            [r.value, r.interval.map_or(r.value, |i| i.0), r.interval.map_or(r.value, |i| i.1)]
        });
        let further = self.reference.into_iter().chain(self.zero.then_some(0.0));
        let axis = Axis::new(self.x_label);
        let domain = axis.domain(ends.chain(further.filter(|_| !rows.is_empty())));
        let Some(domain) = domain.map(|d| self.anchored(d, rows)) else { return Err(frame.no_data()) };
        let widest = |texts: &mut dyn Iterator<Item = f64>| texts.fold(0.0, f64::max);
        let names = widest(&mut rows.iter().map(|r| text_width(r.name, 11.0))).clamp(20.0, 0.36 * width);
        let values = widest(&mut rows.iter().map(|r| text_width(&number(r.value), 11.0)));
        let (left, right) = (names + 22.0, width - values - 20.0);
        let (top, bottom) = (frame.top, frame.top + ROW * rows.len() as f64 + 4.0);
        let plane = Plane::of((left, right, top, bottom), domain);
        frame.columns(&plane, self.x_label);
        let mut open = Rows { svg: frame.svg, scale: plane.x, top: top + 2.0 };
        for (i, row) in rows.iter().enumerate() {
            let y = open.middle(i) + 4.0;
            let name = [("x", names + 12.0), ("y", y)];
            open.svg.el("text").nums(&name).attr("text-anchor", "end").fitted(row.name, names + 4.0, 11.0);
            let value = [("x", width - 10.0), ("y", y)];
            let text = number(row.value);
            open.svg.el("text").nums(&value).attr("class", "t").attr("text-anchor", "end").text(&text);
        }
        Ok(open)
    }

    /// Where zero must be in view and nothing lies beyond it, the axis starts at zero without a margin.
    fn anchored(&self, (low, high): (f64, f64), rows: &[Row<'_>]) -> (f64, f64) {
        let ends = || rows.iter().flat_map(|r| [Some(r.value), r.interval.map(|i| i.0)]).flatten();
        if self.zero && high > 0.0 && ends().all(|v| v >= 0.0) { (0.0, high) } else { (low, high) }
    }
}
