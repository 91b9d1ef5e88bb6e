//! Convergence of Markov chains.

use crate::format::{interval, plural};
use crate::view::{Block, Figure, RowView, TableView};
use crate::{Chain, Chains};
use mercer_plot::{Axis, LineChart, Series, Size, number};

/// Above this R-hat the chains have not mixed.
const LARGEST_R_HAT: f64 = 1.01;
/// At most this many traces are drawn.
const MOST_TRACES: usize = 8;

/// In positive form, so that NaN is not mixed either.
fn mixed(chain: &Chain) -> bool {
    chain.r_hat <= LARGEST_R_HAT
}

pub(crate) fn chains(data: &Chains) -> Vec<Block> {
    let mut blocks = Vec::new();
    let bad: Vec<&str> = data.parameters.iter().filter(|c| !mixed(c)).map(|c| c.name.as_str()).collect();
    if !bad.is_empty() {
        let few = bad.iter().take(6).copied().collect::<Vec<_>>().join(", ");
        let more = if bad.len() > 6 { ", …" } else { "" };
        let text = format!(
            "R-hat is above 1.01 or unknown for {} of {}: {few}{more}. Do not use these draws yet.",
            bad.len(),
            plural(data.parameters.len(), "parameter")
        );
        blocks.push(Block::Flag { text });
    }
    if let Some(n) = data.divergences.filter(|n| *n > 0) {
        let text = format!(
            "{}: the sampler missed part of the posterior.",
            plural(n as usize, "divergent transition")
        );
        blocks.push(Block::Flag { text });
    }
    if !data.parameters.is_empty() {
        blocks.push(Block::Table(table(data)));
    }
    let drawn = data.parameters.iter().filter(|c| !c.traces.is_empty()).take(MOST_TRACES);
    blocks.extend(Block::figures(drawn.map(trace).collect()));
    blocks
}

fn table(data: &Chains) -> TableView {
    let row = |c: &Chain| {
        let ok = mixed(c);
        let r_hat = if c.r_hat.is_finite() { format!("{:.3}", c.r_hat) } else { number(c.r_hat) };
        let verdict = if ok { "mixed" } else { "✗ not mixed" };
        let ends = c.interval.map(|i| interval(Some(i), 3)).unwrap_or_default();
        let cells = vec![c.name.clone(), number(c.mean), ends, r_hat, number(c.ess.round()), verdict.into()];
        RowView { cells, class: if ok { "" } else { "bad" }, spark: None }
    };
    let columns = ["parameter", "#mean", "#95 % interval", "#R-hat", "#ESS", "verdict"];
    TableView::new(
        "Convergence; R-hat above 1.01 is flagged.",
        &columns,
        data.parameters.iter().map(row).collect(),
    )
}

fn trace(chain: &Chain) -> Figure {
    let title = format!("Trace of {}", chain.name);
    let series = |(i, draws): (usize, &Vec<f64>)| {
        let points = draws.iter().enumerate().map(|(k, v)| (k as f64, *v)).collect();
        Series::new(format!("chain {}", i + 1), points)
    };
    let chart = LineChart {
        title: title.clone(),
        description: "Draws in order, a line per chain.".into(),
        x: Axis::new("draw"),
        y: Axis::new(chain.name.clone()),
        series: chain.traces.iter().take(8).enumerate().map(series).collect(),
        fine: true,
        size: Size { width: 480.0, height: 240.0 },
        ..LineChart::default()
    };
    Figure::new(&title, "Chains that overlap like grass have mixed.", &chart)
}
