//! ROC, precision–recall, calibration and the threshold.

use crate::format::{count, fixed};
use crate::view::{Block, Figure, ThresholdView, data_url};
use crate::{Binary, Curve, ThresholdRow};
use mercer_plot::{Axis, LineChart, Mark, Series, number};

/// The slider has at most this many steps.
const MOST_STEPS: usize = 201;

pub(crate) fn binary(data: &Binary) -> Vec<Block> {
    let mut figures = Vec::new();
    if !data.roc.is_empty() {
        figures.push(roc(&data.roc, "ROC curve"));
    }
    if !data.precision_recall.is_empty() {
        figures.push(precision_recall(data));
    }
    if !data.calibration.is_empty() {
        figures.push(calibration(data));
    }
    let threshold = threshold(data);
    if figures.is_empty() && threshold.is_none() {
        return Vec::new();
    }
    vec![Block::Figures { figures, threshold }]
}

/// Series of curves, each with its area in the legend.
fn series(curves: &[Curve], word: &str) -> Vec<Series> {
    let name = |c: &Curve| match c.area {
        Some(area) if c.name.is_empty() => format!("{word} {}", fixed(area, 3)),
        Some(area) => format!("{} ({word} {})", short(&c.name), fixed(area, 3)),
        None => c.name.clone(),
    };
    curves.iter().map(|c| Series::new(name(c), c.points.clone())).collect()
}

/// A name short enough to leave room for the area in the legend.
fn short(name: &str) -> String {
    if name.chars().count() <= 18 { name.into() } else { name.chars().take(17).chain(['…']).collect() }
}

/// The one area that belongs into the heading.
fn heading(title: &str, curves: &[Curve], word: &str) -> String {
    match curves {
        [Curve { area: Some(area), .. }] => format!("{title}, {word} {}", fixed(*area, 3)),
        _ => title.into(),
    }
}

/// ROC curves with the diagonal of guessing; also for one class against the rest.
pub(crate) fn roc(curves: &[Curve], title: &str) -> Figure {
    let title = heading(title, curves, "AUC");
    let chart = LineChart {
        title: title.clone(),
        description: "True positive rate against false positive rate as the threshold moves.".into(),
        x: Axis::new("false positive rate").with_range(0.0, 1.0),
        y: Axis::new("true positive rate").with_range(0.0, 1.0),
        series: series(curves, "AUC"),
        reference: Some((0.0, 1.0)),
        ..LineChart::default()
    };
    Figure::new(&title, "The dashed diagonal is guessing.", &chart)
}

fn precision_recall(data: &Binary) -> Figure {
    let title = heading("Precision and recall", &data.precision_recall, "AP");
    let mark = |v: f64| Mark { x: v, y: v, label: format!("break-even {}", fixed(v, 3)) };
    let chart = LineChart {
        title: title.clone(),
        description: "Precision against recall as the threshold moves.".into(),
        x: Axis::new("recall").with_range(0.0, 1.0),
        y: Axis::new("precision").with_range(0.0, 1.0),
        series: series(&data.precision_recall, "AP"),
        reference: data.positive_share.map(|p| (p, 0.0)),
        marks: data.break_even.filter(|v| v.is_finite()).map(mark).into_iter().collect(),
        ..LineChart::default()
    };
    let guess = if data.positive_share.is_some() { " The dashed line is guessing." } else { "" };
    Figure::new(&title, format!("At the break-even point precision equals recall.{guess}"), &chart)
}

fn calibration(data: &Binary) -> Figure {
    let bins = &data.calibration;
    let banded = bins.iter().all(|b| b.interval.is_some());
    let series = Series {
        band: if banded { bins.iter().filter_map(|b| b.interval).collect() } else { Vec::new() },
        markers: true,
        ..Series::new("observed", bins.iter().map(|b| (b.predicted, b.observed)).collect())
    };
    let chart = LineChart {
        title: "Calibration".into(),
        description: "Observed share of the positive class against the predicted probability, in bins."
            .into(),
        x: Axis::new("predicted probability").with_range(0.0, 1.0),
        y: Axis::new("observed share").with_range(0.0, 1.0),
        series: vec![series],
        reference: Some((0.0, 1.0)),
        ..LineChart::default()
    };
    let rows = bins.iter().map(|b| b.count).sum();
    let band = if banded { " with 95 % intervals" } else { "" };
    let caption = format!(
        "{} bins{band} over {} rows; on the diagonal, probabilities mean what they say.",
        bins.len(),
        count(rows)
    );
    Figure::new("Calibration", caption, &chart)
}

/// The confusion matrix with its slider.
fn threshold(data: &Binary) -> Option<ThresholdView> {
    let n = data.thresholds.len();
    let keep = n.min(MOST_STEPS);
    let rows: Vec<&ThresholdRow> =
        (0..keep).map(|i| &data.thresholds[if keep < 2 { 0 } else { i * (n - 1) / (keep - 1) }]).collect();
    let distance = |r: &ThresholdRow| (r.threshold - data.threshold).abs();
    let (at, start) = rows.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))?;
    let cells = |r: &ThresholdRow| [r.true_positive, r.false_positive, r.false_negative, r.true_negative];
    let mut table = Vec::new();
    let mut csv = String::from("threshold,true_positive,false_positive,false_negative,true_negative\n");
    for row in &rows {
        let [tp, fp, r#fn, tn] = cells(row);
        // The slider needs numbers only: a threshold that is none is shown as text by `number`, never as code.
        let t = if row.threshold.is_finite() { format!("{:?}", row.threshold) } else { "null".into() };
        table.push(format!("[{t},{tp},{fp},{fn},{tn}]", fn = r#fn));
        csv.push_str(&format!("{},{tp},{fp},{fn},{tn}\n", row.threshold, fn = r#fn));
    }
    Some(ThresholdView {
        positive: if data.positive.is_empty() { "positive".into() } else { data.positive.clone() },
        negative: if data.negative.is_empty() { "negative".into() } else { data.negative.clone() },
        table: format!("[{}]", table.join(",")),
        last: rows.len() - 1,
        at,
        threshold: number(start.threshold),
        counts: cells(start),
        csv: data_url(&csv),
    })
}
