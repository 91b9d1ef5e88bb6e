//! Convergence of Markov chains.

use crate::format::{interval, plural};
use crate::view::{Block, Figure, RowView, TableView};
use crate::{Chain, Chains};
use mercer_plot::{Axis, LineChart, Series, Size, number};

/// Above this R-hat the chains have not mixed.
const LARGEST_R_HAT: f64 = 1.01;
/// At most this many parameters are drawn.
const MOST_PARAMETERS: usize = 8;
/// At most this many chains of each.
const MOST_CHAINS: usize = 8;

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
            "{}: the sampler may have missed parts of the posterior.",
            plural(n as usize, "divergent transition")
        );
        blocks.push(Block::Flag { text });
    }
    if !data.parameters.is_empty() {
        blocks.push(Block::Table(table(data)));
    }
    let (drawn, left_out) = drawn(data);
    blocks.extend((!left_out.is_empty()).then(|| Block::text(format!("Drawn: {}.", left_out.join("; ")))));
    let figures = drawn.iter().flat_map(|c| [Some(trace(c, data.every.max(1))), ranks(c)]).flatten();
    blocks.extend(Block::figures(figures.collect()));
    blocks
}

/// The parameters that are drawn, those that have mixed the least where there are many, and what is not drawn of them.
fn drawn(data: &Chains) -> (Vec<&Chain>, Vec<String>) {
    let mut drawn: Vec<usize> =
        (0..data.parameters.len()).filter(|&j| !data.parameters[j].traces.is_empty()).collect();
    let (n, mut said) = (drawn.len(), Vec::new());
    if n > MOST_PARAMETERS {
        // Unknown is worst.
        let unmixed = |j: &usize| match data.parameters[*j].r_hat {
            r_hat if r_hat.is_nan() => f64::INFINITY,
            r_hat => r_hat,
        };
        drawn.sort_by(|a, b| unmixed(b).total_cmp(&unmixed(a)));
        drawn.truncate(MOST_PARAMETERS);
        drawn.sort_unstable();
        said.push(format!("{MOST_PARAMETERS} of {n} parameters, those of the greatest R-hat"));
    }
    let chains = drawn.iter().map(|&j| data.parameters[j].traces.len()).max().unwrap_or(0);
    if chains > MOST_CHAINS {
        said.push(format!("the first {MOST_CHAINS} of {chains} chains"));
    }
    if data.every > 1 && n > 0 {
        said.push(format!("one of every {} draws in traces", data.every));
    }
    (drawn.into_iter().map(|j| &data.parameters[j]).collect(), said)
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

/// How evenly the ranks of each chain lie among those of all.
fn ranks(chain: &Chain) -> Option<Figure> {
    let bins = chain.ranks.iter().map(Vec::len).max().filter(|bins| *bins > 0)?;
    let title = format!("Ranks of {}", chain.name);
    let series = |(i, counts): (usize, &Vec<u64>)| {
        let ends = counts.iter().chain(counts.last()).enumerate();
        let points = ends.map(|(b, count)| (b as f64 / counts.len().max(1) as f64, *count as f64)).collect();
        Series { step: true, ..Series::new(format!("chain {}", i + 1), points) }
    };
    let counts = || chain.ranks.iter().flatten().map(|count| *count as f64);
    let even = counts().sum::<f64>() / (chain.ranks.len() * bins) as f64;
    let chart = LineChart {
        title: title.clone(),
        description: "Draws of each chain by their rank among all draws; the dashed line is even.".into(),
        x: Axis::new("rank, as a share of all draws"),
        y: Axis::new("draws").with_range(0.0, 1.05 * counts().fold(1.0, f64::max)),
        series: chain.ranks.iter().take(MOST_CHAINS).enumerate().map(series).collect(),
        reference: Some((even, 0.0)),
        fine: true,
        size: Size { width: 480.0, height: 240.0 },
        ..LineChart::default()
    };
    Some(Figure::new(&title, "Chains that have mixed have ranks of all sizes equally often.", &chart))
}

/// The draws of each chain, of which every so-manieth is there.
fn trace(chain: &Chain, every: usize) -> Figure {
    let title = format!("Trace of {}", chain.name);
    let series = |(i, draws): (usize, &Vec<f64>)| {
        let points = draws.iter().enumerate().map(|(k, v)| (k as f64 * every as f64, *v)).collect();
        Series::new(format!("chain {}", i + 1), points)
    };
    let chart = LineChart {
        title: title.clone(),
        description: "Draws in order, a line per chain.".into(),
        x: Axis::new("draw"),
        y: Axis::new(chain.name.clone()),
        series: chain.traces.iter().take(MOST_CHAINS).enumerate().map(series).collect(),
        fine: true,
        size: Size { width: 480.0, height: 240.0 },
        ..LineChart::default()
    };
    Figure::new(&title, "Chains that overlap like grass have mixed.", &chart)
}
