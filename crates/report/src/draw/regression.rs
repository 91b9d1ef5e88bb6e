//! Predicted against actual, residuals, Q–Q and coverage.

use super::normal;
use crate::Regression;
use crate::view::{Block, Figure};
use mercer_plot::{Axis, Group, Histogram, LineChart, Scatter, Series};

/// The Q–Q plot shows at most this many quantiles.
const MOST_QUANTILES: usize = 400;

pub(crate) fn regression(data: &Regression) -> Vec<Block> {
    let pairs: Vec<(f64, f64)> = data.predicted.iter().copied().zip(data.actual.iter().copied()).collect();
    let mut figures = Vec::new();
    if !pairs.is_empty() {
        let residuals: Vec<f64> = pairs.iter().map(|(p, a)| a - p).collect();
        figures.push(predicted_actual(&pairs, &data.target));
        figures.push(residual_plot(&pairs));
        figures.push(quantiles(&residuals));
        figures.push(histogram(&residuals));
    }
    if !data.coverage.is_empty() {
        figures.push(coverage(data));
    }
    Block::figures(figures).into_iter().collect()
}

fn one_group(points: Vec<(f64, f64)>) -> Vec<Group> {
    vec![Group { name: String::new(), points }]
}

fn predicted_actual(pairs: &[(f64, f64)], target: &str) -> Figure {
    let title = "Predicted and actual";
    let of = |word: &str| if target.is_empty() { word.into() } else { format!("{word} {target}") };
    // The same range on both axes, so that the diagonal is one.
    let values = pairs.iter().flat_map(|(p, a)| [*p, *a]).filter(|v| v.is_finite());
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let margin = 0.03 * (high - low);
    let axis = |word| Axis::new(of(word)).with_range(low - margin, high + margin);
    let chart = Scatter {
        title: title.into(),
        description: "Each point is a row: predicted value across, actual value up.".into(),
        x: axis("predicted"),
        y: axis("actual"),
        groups: one_group(pairs.to_vec()),
        reference: Some((0.0, 1.0)),
        ..Scatter::default()
    };
    Figure::new(title, "On the dashed diagonal a prediction is exact.", &chart)
}

fn residual_plot(pairs: &[(f64, f64)]) -> Figure {
    let title = "Residuals";
    let chart = Scatter {
        title: title.into(),
        description: "Each point is a row: predicted value across, actual minus predicted up.".into(),
        x: Axis::new("predicted"),
        y: Axis::new("actual − predicted"),
        groups: one_group(pairs.iter().map(|(p, a)| (*p, a - p)).collect()),
        reference: Some((0.0, 0.0)),
        ..Scatter::default()
    };
    Figure::new(title, "A bend or a funnel means that something is left to learn.", &chart)
}

fn quantiles(residuals: &[f64]) -> Figure {
    let title = "Normal Q–Q plot of residuals";
    let mut sorted: Vec<f64> = residuals.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let shown = n.min(MOST_QUANTILES);
    let point = |k: usize| {
        let i = if shown < 2 { 0 } else { k * (n - 1) / (shown - 1) };
        (normal::quantile((i as f64 + 0.5) / n as f64), sorted[i])
    };
    let chart = Scatter {
        title: title.into(),
        description: "Quantiles of the residuals against those of a normal distribution.".into(),
        x: Axis::new("normal quantile"),
        y: Axis::new("residual"),
        groups: one_group((0..shown).map(point).collect()),
        reference: through_quartiles(&sorted),
        ..Scatter::default()
    };
    Figure::new(title, "Points off the line at the ends mean heavier tails than normal.", &chart)
}

/// Intercept and slope of the line through both quartiles.
fn through_quartiles(sorted: &[f64]) -> Option<(f64, f64)> {
    let at = |p: f64| sorted.get((p * (sorted.len() as f64 - 1.0)).round().max(0.0) as usize).copied();
    let (low, high) = (at(0.25)?, at(0.75)?);
    let slope = (high - low) / (2.0 * normal::quantile(0.75));
    Some(((low + high) / 2.0, slope)).filter(|l| l.0.is_finite() && l.1.is_finite())
}

fn histogram(residuals: &[f64]) -> Figure {
    let title = "Distribution of residuals";
    let bins = ((residuals.len() as f64).sqrt() as usize).clamp(8, 40);
    let chart = Histogram {
        title: title.into(),
        description: "How many residuals lie in each range.".into(),
        x: Axis::new("actual − predicted"),
        y: Axis::new("rows"),
        ..Histogram::of(residuals, bins)
    };
    Figure::new(title, "Centred on zero means no bias.", &chart)
}

fn coverage(data: &Regression) -> Figure {
    let title = "Interval coverage";
    let chart = LineChart {
        title: title.into(),
        description: "Share of actual values inside the prediction interval against the share promised."
            .into(),
        x: Axis::new("promised").with_range(0.0, 1.0),
        y: Axis::new("observed").with_range(0.0, 1.0),
        series: vec![Series { markers: true, ..Series::new("coverage", data.coverage.clone()) }],
        reference: Some((0.0, 1.0)),
        ..LineChart::default()
    };
    Figure::new(title, "Below the diagonal, intervals promise too much.", &chart)
}
