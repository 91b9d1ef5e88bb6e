//! Word-sized histograms for tables.

use crate::svg::Svg;

/// A histogram of 84 by 20 pixels in the colour of the surrounding text, without axes; empty without counts.
pub fn sparkline(counts: &[f64]) -> String {
    const WIDTH: f64 = 84.0;
    const HEIGHT: f64 = 20.0;
    let counts: Vec<f64> =
        counts.iter().take(84).map(|c| if c.is_finite() { c.max(0.0) } else { 0.0 }).collect();
    let highest = counts.iter().copied().fold(0.0, f64::max);
    if highest <= 0.0 {
        return String::new();
    }
    let mut svg = Svg::default();
    svg.el("svg")
        .attr("class", "spark")
        .attr("aria-hidden", "true")
        .nums(&[("width", WIDTH), ("height", HEIGHT)])
        .attr("viewBox", &format!("0 0 {WIDTH} {HEIGHT}"))
        .open();
    let step = WIDTH / counts.len() as f64;
    for (i, count) in counts.iter().enumerate().filter(|(_, c)| **c > 0.0) {
        let tall = (HEIGHT * count / highest).max(1.0);
        let place = [
            ("x", i as f64 * step),
            ("y", HEIGHT - tall),
            ("width", (step - 1.0).max(step * 0.7)),
            ("height", tall),
        ];
        svg.el("rect").nums(&place).attr("fill", "currentColor").end();
    }
    svg.finish()
}
