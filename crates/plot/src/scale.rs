//! Axes: from values to pixels, and ticks at 1, 2 or 5 times a power of ten.

use crate::nonfinite_json;
use serde::{Deserialize, Serialize};

/// Beyond this a difference of two values could overflow.
const LARGEST: f64 = 1e300;

/// One axis of a chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Axis {
    /// What is shown, with its unit.
    pub label: String,
    /// A fixed range; `None` takes it from the data. A range that is not increasing is ignored.
    #[serde(with = "nonfinite_json")]
    pub range: Option<(f64, f64)>,
    /// Logarithmic; values that are not positive are dropped and counted.
    pub log: bool,
}

impl Axis {
    /// A linear axis that takes its range from the data.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), range: None, log: false }
    }

    /// The same axis with a fixed range.
    #[must_use]
    pub fn with_range(self, low: f64, high: f64) -> Self {
        Self { range: Some((low, high)), ..self }
    }

    /// Whether a value can be placed on this axis.
    pub(crate) fn shows(&self, value: f64) -> bool {
        value.abs() <= LARGEST && (!self.log || value > 0.0)
    }

    /// The range to draw: the fixed one, or that of the values with a margin. `None` without values.
    pub(crate) fn domain(&self, values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
        if let Some((low, high)) = self.range
            && self.shows(low)
            && self.shows(high)
            && high - low > span_floor(low, high)
        {
            return Some((low, high));
        }
        let (low, high) = values
            .filter(|&v| self.shows(v))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        (low <= high).then(|| if self.log { padded_log(low, high) } else { padded(low, high) })
    }
}

/// The smallest difference that still gives distinct ticks.
pub(crate) fn span_floor(low: f64, high: f64) -> f64 {
    (low.abs().max(high.abs()) * 1e-12).max(1e-300)
}

/// A margin of 4 % at either end, and a width for constants.
fn padded(low: f64, high: f64) -> (f64, f64) {
    if high - low > span_floor(low, high) {
        let margin = 0.04 * (high - low);
        return (low - margin, high + margin);
    }
    let margin = if low == 0.0 { 0.5 } else { (low.abs() * 0.1).max(1e-290) };
    (low - margin, high + margin)
}

fn padded_log(low: f64, high: f64) -> (f64, f64) {
    let factor = if high > low * 1.0001 { (high / low).min(LARGEST).powf(0.03) } else { 2.0 };
    ((low / factor).max(1e-300), (high * factor).min(LARGEST))
}

/// A map from values to pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    log: bool,
}

impl Scale {
    /// `from` and `to` are the pixels of the domain's ends.
    pub(crate) fn new(domain: (f64, f64), log: bool, from: f64, to: f64) -> Self {
        let (low, high) = if log { (domain.0.log10(), domain.1.log10()) } else { domain };
        Self { low, high, from, to, log }
    }

    /// The pixel of a value, kept within a few widths of the plot so that no coordinate is absurd.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.max(1e-300).log10() } else { value };
        let share = ((value - self.low) / (self.high - self.low)).clamp(-3.0, 4.0);
        self.from + share * (self.to - self.from)
    }

    /// The drawn range in values.
    pub(crate) fn domain(&self) -> (f64, f64) {
        if self.log { (10f64.powf(self.low), 10f64.powf(self.high)) } else { (self.low, self.high) }
    }

    /// About `target` ticks: value and label.
    pub(crate) fn ticks(&self, target: usize) -> Vec<(f64, String)> {
        if self.log { log_ticks(self.low, self.high, target) } else { ticks(self.low, self.high, target) }
    }
}

/// The exponent and mantissa (1, 2 or 5) of a step that cuts `span` into about `target` parts.
fn nice_step(span: f64, target: usize) -> (i32, f64) {
    let raw = span / target.max(1) as f64;
    let exponent = raw.log10().floor() as i32;
    let mantissa = raw / 10f64.powi(exponent);
    match mantissa {
        m if m <= 1.5 => (exponent, 1.0),
        m if m <= 3.5 => (exponent, 2.0),
        m if m <= 7.5 => (exponent, 5.0),
        _ => (exponent + 1, 1.0),
    }
}

fn ticks(low: f64, high: f64, target: usize) -> Vec<(f64, String)> {
    let (exponent, mantissa) = nice_step(high - low, target);
    let step = mantissa * 10f64.powi(exponent);
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    let largest = low.abs().max(high.abs());
    (0..40)
        .map(|k| first + f64::from(k))
        .take_while(|&k| k <= last)
        .map(|k| if exponent < 0 { k * mantissa / 10f64.powi(-exponent) } else { k * step })
        .map(|v| (v, tick_label(v, exponent, largest)))
        .collect()
}

fn tick_label(value: f64, exponent: i32, largest: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if largest >= 1e6 || exponent < -4 {
        let digits = (value.abs().log10().floor() as i32 - exponent).clamp(0, 12) as usize;
        return sign(trim_exponent(&format!("{value:.digits$e}")));
    }
    let decimals = (-exponent).max(0) as usize;
    sign(format!("{value:.decimals$}"))
}

fn log_ticks(low: f64, high: f64, target: usize) -> Vec<(f64, String)> {
    let decades = (high - low).max(1e-9);
    let stride = ((decades / target.max(1) as f64).ceil() as i32).max(1);
    let mantissas: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let mut found = Vec::new();
    let mut decade = low.floor() as i32;
    while f64::from(decade) <= high && found.len() < 40 {
        for m in mantissas {
            let position = f64::from(decade) + m.log10();
            if position >= low - 1e-9 && position <= high + 1e-9 {
                let value = m * 10f64.powi(decade);
                found.push((value, number(value)));
            }
        }
        decade += stride;
    }
    found
}

/// A number for people: four significant digits, a true minus sign, `∞`, and `n/a` for NaN.
pub fn number(value: f64) -> String {
    if value.is_nan() {
        return "n/a".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".into() } else { "−∞".into() };
    }
    let size = value.abs();
    if size == 0.0 {
        return "0".into();
    }
    if size.fract() == 0.0 && size < 1e6 {
        return sign(format!("{value:.0}"));
    }
    if !(1e-4..1e6).contains(&size) {
        return sign(trim_exponent(&format!("{value:.3e}")));
    }
    let decimals = (3 - size.log10().floor() as i32).clamp(0, 8) as usize;
    sign(trim_zeros(&format!("{value:.decimals$}")))
}

fn trim_zeros(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text.into() }
}

fn trim_exponent(text: &str) -> String {
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{}e{exponent}", trim_zeros(mantissa)),
        None => text.into(),
    }
}

fn sign(text: String) -> String {
    if text.contains('-') { text.replace('-', "−") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        ticks(low, high, 5).into_iter().map(|(_, l)| l).collect()
    }

    #[test]
    fn ticks_are_nice() {
        assert_eq!(
            labels(0.0, 1.0),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"].map(|s| if s == "0.0" { "0" } else { s })
        );
        assert_eq!(labels(-10.0, 40.0), ["−10", "0", "10", "20", "30", "40"]);
        assert_eq!(labels(0.0, 5e6), ["0", "1e6", "2e6", "3e6", "4e6", "5e6"]);
    }

    #[test]
    fn ticks_stay_few_and_inside_for_any_range() {
        for (low, high) in
            [(-1e300, 1e300), (1e16, 1e16 + 1e5), (0.0, 1e-299), (1e-12, 2e-12), (-1e-290, 1e300)]
        {
            let found = ticks(low, high, 5);
            assert!((1..=12).contains(&found.len()), "{low} {high}: {found:?}");
        }
    }

    #[test]
    fn constants_and_bad_ranges_get_a_width() {
        let axis = Axis::new("x").with_range(1.0, f64::NAN);
        let (low, high) = axis.domain([3.0, f64::NAN, 3.0].into_iter()).unwrap();
        assert!(low < 3.0 && 3.0 < high);
        assert!(axis.domain([f64::NAN].into_iter()).is_none());
    }

    #[test]
    fn numbers_for_people() {
        for (value, text) in [
            (0.4213, "0.4213"),
            (1234.0, "1234"),
            (-0.5, "−0.5"),
            (1.5e7, "1.5e7"),
            (2.0e-6, "2e−6"),
            (f64::NAN, "n/a"),
            (99_999.96, "100000"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn log_ticks_are_powers_of_ten() {
        let found: Vec<f64> = log_ticks(-3.0, 3.0, 8).into_iter().map(|t| t.0).collect();
        assert_eq!(found.len(), 7);
        assert!((found[0] - 1e-3).abs() < 1e-12);
    }
}
