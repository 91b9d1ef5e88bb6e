//! What surrounds the marks: title, legend, axes and notes.

use crate::Size;
use crate::scale::{Axis, Scale};
use crate::svg::{Svg, px, text_width};
use crate::theme;

/// At most this many legend entries are shown.
const MOST_KEYS: usize = 12;

/// How a series appears in the legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Swatch {
    Line,
    Solid,
    Marker,
}

/// A chart under construction: what lies above `top` and below `bottom` is taken.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) svg: Svg,
    pub(crate) width: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// The plotting area and its two scales.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub(crate) x: Scale,
    pub(crate) y: Scale,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Size {
    /// The size with absurd values clamped.
    pub(crate) fn clamped(self) -> (f64, f64) {
        let default = Size::default();
        let clamp = |v: f64, default: f64| if v.is_finite() { v.clamp(200.0, 4000.0) } else { default };
        (clamp(self.width, default.width), clamp(self.height, default.height))
    }
}

impl Frame {
    /// Opens the document and writes title, description and style.
    pub(crate) fn new(title: &str, description: &str, (width, height): (f64, f64)) -> Self {
        let mut svg = Svg::default();
        let name = if title.is_empty() { "chart" } else { title };
        svg.el("svg")
            .attr("xmlns", "http://www.w3.org/2000/svg")
            .attr("class", "mp")
            .attr("role", "img")
            .attr("aria-label", name)
            .attr("viewBox", &format!("0 0 {} {}", px(width), px(height)))
            .nums(&[("width", width), ("height", height)])
            .open();
        svg.el("title").text(name);
        if !description.is_empty() {
            svg.el("desc").text(description);
        }
        svg.el("style").raw(&theme::style());
        svg.el("rect").nums(&[("width", width), ("height", height)]).attr("fill", "var(--p-paper)").end();
        let mut top = 8.0;
        if !title.is_empty() {
            svg.el("text").nums(&[("x", 10.0), ("y", 19.0)]).attr("class", "h").fitted(
                title,
                width - 20.0,
                13.5,
            );
            top = 30.0;
        }
        Self { svg, width, top, bottom: height - 6.0 }
    }

    /// Writes the notes (what was dropped or thinned) at the bottom.
    pub(crate) fn notes(&mut self, notes: &[String]) {
        for note in notes.iter().rev() {
            let y = self.bottom - 2.0;
            let room = self.width - 20.0;
            self.svg.el("text").nums(&[("x", 10.0), ("y", y)]).attr("class", "n").fitted(note, room, 10.0);
            self.bottom -= 14.0;
        }
    }

    /// Writes the legend under the title, in as many rows as it needs; nothing for fewer than two names.
    pub(crate) fn legend(&mut self, names: &[&str], swatch: Swatch) {
        if names.len() < 2 {
            return;
        }
        let mut x = 10.0;
        let more = names.len().saturating_sub(MOST_KEYS);
        let tail = if more > 0 { format!("and {more} more") } else { String::new() };
        let room = (self.width - 60.0).min(190.0);
        let keys = names.iter().take(MOST_KEYS).map(|n| (*n, true));
        for (i, (name, key)) in keys.chain((more > 0).then_some((tail.as_str(), false))).enumerate() {
            let wide = text_width(name, 11.0).min(room) + 36.0;
            if x > 10.0 && x + wide > self.width - 6.0 {
                x = 10.0;
                self.top += 16.0;
            }
            let y = self.top + 4.0;
            if key {
                self.swatch(i, swatch, x, y);
            }
            let at = [("x", x + 22.0), ("y", y + 4.0)];
            self.svg.el("text").nums(&at).attr("class", "t").fitted(name, room, 11.0);
            x += wide;
        }
        self.top += 20.0;
    }

    fn swatch(&mut self, i: usize, swatch: Swatch, x: f64, y: f64) {
        let colour = theme::colour(i);
        if swatch != Swatch::Marker {
            self.svg
                .el("line")
                .nums(&[("x1", x), ("x2", x + 18.0), ("y1", y), ("y2", y)])
                .attr("stroke", &colour)
                .attr("stroke-width", "2")
                .attr("stroke-dasharray", theme::dash(if swatch == Swatch::Line { i } else { 0 }))
                .end();
        } else {
            self.svg
                .el("path")
                .path(&theme::marker(i, x + 12.0, y, 4.0))
                .attr("fill", &colour)
                .attr("stroke", &colour)
                .end();
        }
    }

    /// Draws grid, ticks and labels, and opens a group that clips to the plotting area.
    pub(crate) fn axes(&mut self, x: (&Axis, (f64, f64)), y: (&Axis, (f64, f64))) -> Plane {
        let (top, mut bottom) = (self.top + 4.0, self.bottom - 20.0);
        if !x.0.label.is_empty() {
            bottom -= 16.0;
        }
        bottom = bottom.max(top + 40.0);
        let y_scale = Scale::new(y.1, y.0.log, bottom, top);
        let y_ticks = y_scale.ticks(((bottom - top) / 48.0).clamp(3.0, 12.0) as usize);
        let widest = y_ticks.iter().map(|(_, l)| text_width(l, 11.0)).fold(0.0, f64::max);
        let label_room = if y.0.label.is_empty() { 0.0 } else { 17.0 };
        let (left, right) = (12.0 + label_room + widest, self.width - 18.0);
        let plane = Plane { x: Scale::new(x.1, x.0.log, left, right), y: y_scale, left, right, top, bottom };
        for (value, label) in &y_ticks {
            self.y_tick(&plane, plane.y.at(*value), label);
        }
        for (value, label) in plane.x_ticks() {
            self.x_tick(&plane, plane.x.at(value), &label);
        }
        self.axis_labels(&plane, &x.0.label, &y.0.label);
        plane.clip(&mut self.svg);
        plane
    }

    fn y_tick(&mut self, plane: &Plane, at: f64, label: &str) {
        let line = [("x1", plane.left), ("x2", plane.right), ("y1", at), ("y2", at)];
        self.svg.el("line").nums(&line).attr("class", "g").end();
        let place = [("x", plane.left - 6.0), ("y", at + 3.8)];
        self.svg.el("text").nums(&place).attr("class", "t").attr("text-anchor", "end").text(label);
    }

    fn x_tick(&mut self, plane: &Plane, at: f64, label: &str) {
        let line = [("x1", at), ("x2", at), ("y1", plane.top), ("y2", plane.bottom)];
        self.svg.el("line").nums(&line).attr("class", "g").end();
        let half = text_width(label, 11.0) / 2.0;
        let place = [("x", at.min(self.width - half - 2.0)), ("y", plane.bottom + 15.0)];
        self.svg.el("text").nums(&place).attr("class", "t").attr("text-anchor", "middle").text(label);
    }

    fn axis_labels(&mut self, plane: &Plane, x: &str, y: &str) {
        let base = [("x1", plane.left), ("x2", plane.right), ("y1", plane.bottom), ("y2", plane.bottom)];
        self.svg.el("line").nums(&base).attr("class", "a").end();
        let (across, down) = (plane.right - plane.left, plane.bottom - plane.top);
        if !x.is_empty() {
            let place = [("x", plane.left + across / 2.0), ("y", plane.bottom + 31.0)];
            self.svg.el("text").nums(&place).attr("text-anchor", "middle").fitted(x, across, 11.0);
        }
        if !y.is_empty() {
            let turn = format!("translate(15 {}) rotate(-90)", px(plane.top + down / 2.0));
            self.svg.el("text").attr("transform", &turn).attr("text-anchor", "middle").fitted(y, down, 11.0);
        }
    }

    /// Draws the vertical grid lines, ticks and label of a chart of rows.
    pub(crate) fn columns(&mut self, plane: &Plane, label: &str) {
        for (value, text) in plane.x_ticks() {
            self.x_tick(plane, plane.x.at(value), &text);
        }
        self.axis_labels(plane, label, "");
    }

    /// A chart without data says so.
    pub(crate) fn no_data(mut self) -> String {
        let at = [("x", self.width / 2.0), ("y", (self.top + self.bottom) / 2.0)];
        self.svg.el("text").nums(&at).attr("class", "t").attr("text-anchor", "middle").text("no data");
        self.svg.finish()
    }

    /// Closes the document.
    pub(crate) fn finish(self) -> String {
        self.svg.finish()
    }
}

impl Plane {
    /// A plane of rows: only the horizontal scale has a meaning.
    pub(crate) fn of((left, right, top, bottom): (f64, f64, f64, f64), x: (f64, f64)) -> Self {
        let y = Scale::new((0.0, 1.0), false, bottom, top);
        Self { x: Scale::new(x, false, left, right), y, left, right, top, bottom }
    }

    /// As many ticks as have room for their labels.
    fn x_ticks(&self) -> Vec<(f64, String)> {
        let across = self.right - self.left;
        let mut target = (across / 70.0).clamp(2.0, 12.0) as usize;
        loop {
            let ticks = self.x.ticks(target);
            let used: f64 = ticks.iter().map(|(_, l)| text_width(l, 11.0) + 12.0).sum();
            if used <= across || target <= 1 {
                return ticks;
            }
            target -= 1;
        }
    }

    /// A nested `<svg>` clips without needing an id, which could collide when charts share a page.
    fn clip(&self, svg: &mut Svg) {
        let spill = 5.0;
        let (x, y) = (self.left - spill, self.top - spill);
        let (w, h) = (self.right - self.left + 2.0 * spill, self.bottom - self.top + 2.0 * spill);
        svg.el("svg")
            .nums(&[("x", x), ("y", y), ("width", w), ("height", h)])
            .attr("viewBox", &format!("{} {} {} {}", px(x), px(y), px(w), px(h)))
            .open();
    }

    /// Draws the reference line `intercept + slope * x`.
    pub(crate) fn reference(&self, svg: &mut Svg, (intercept, slope): (f64, f64)) {
        if !intercept.is_finite() || !slope.is_finite() {
            return;
        }
        // On a logarithmic axis the line is bent, hence many pieces.
        let (low, high) = self.x.domain();
        let pixels: Vec<String> = (0..=60)
            .map(|i| low + (high - low) * f64::from(i) / 60.0)
            .map(|x| format!("{} {}", px(self.x.at(x)), px(self.y.at(intercept + slope * x))))
            .collect();
        svg.el("path").path(&format!("M{}", pixels.join("L"))).attr("class", "r").end();
    }

    /// The pixel of the vertical axis's zero, or of the end next to it.
    pub(crate) fn floor(&self) -> f64 {
        self.y.at(0.0).clamp(self.top, self.bottom)
    }

    /// The horizontal ends of the plotting area.
    pub(crate) fn sides(&self) -> (f64, f64) {
        (self.left, self.right)
    }
}

/// The note about points that could not be drawn.
pub(crate) fn dropped_note(dropped: usize, what: &str) -> Option<String> {
    match dropped {
        0 => None,
        1 => Some(format!("1 {what} dropped: not a drawable number")),
        n => Some(format!("{n} {what}s dropped: not drawable numbers")),
    }
}
