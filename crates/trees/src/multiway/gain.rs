//! Information gain and split information: entropy, what a test takes off it, and how finely the test cuts.

use crate::multiway::attributes::{AttributeValues, Item, Problem};
use mercer_core::MISSING_CODE;

/// The information gain of a test on one attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gain {
    /// Bits of entropy gained, times the share of known values, less the price of a threshold.
    pub(crate) gain: f64,
    /// Entropy of the parting itself, in which missing values are a part of their own.
    pub(crate) split_info: f64,
    /// Where numbers are cut.
    pub(crate) threshold: Option<f64>,
}

/// Σ x log₂ x of the weights with the sign turned and that of their sum taken off: entropy times the sum.
pub(crate) fn total_info(totals: &[f64]) -> f64 {
    let x_log_x = |x: f64| if x > 0.0 { x * x.log2() } else { 0.0 };
    let sum: f64 = totals.iter().sum();
    (x_log_x(sum) - totals.iter().map(|&t| x_log_x(t)).sum::<f64>()).max(0.0)
}

impl Problem {
    /// The gain of a test on attribute `j`: on a discrete one a branch for each level, of which two must weigh
    /// `least`; on a continuous one the best threshold, each side at least as heavy as C4.5 asks for.
    pub(crate) fn gain(&self, j: usize, items: &[Item], least: f64) -> Option<Gain> {
        match &self.factors[j] {
            AttributeValues::Levels(codes, levels) => self.discrete(codes, *levels, items, least),
            AttributeValues::Numbers(values) => self.continuous(values, items, least),
        }
    }

    fn discrete(&self, codes: &[u32], levels: usize, items: &[Item], least: f64) -> Option<Gain> {
        let k = self.k;
        // Where there are more levels than rows, only those that occur have a place in the table.
        let mut seen: Vec<u32> = Vec::new();
        if levels > items.len() {
            seen.extend(items.iter().map(|item| codes[item.row as usize]).filter(|&c| c != MISSING_CODE));
            seen.sort_unstable();
            seen.dedup();
        }
        let place = |code: u32| {
            if levels > items.len() { seen.binary_search(&code).unwrap_or(0) } else { code as usize }
        };
        let mut table = vec![0.0; levels.min(items.len()) * k];
        let (mut known, mut unknown) = (vec![0.0; k], 0.0);
        for item in items {
            let (code, class) = (codes[item.row as usize], self.y[item.row as usize] as usize);
            if code == MISSING_CODE {
                unknown += item.weight;
            } else {
                table[place(code) * k + class] += item.weight;
                known[class] += item.weight;
            }
        }
        let weight: f64 = known.iter().sum();
        let mut parts: Vec<f64> = table.chunks(k).map(|level| level.iter().sum()).collect();
        if parts.iter().filter(|&&p| p > 0.0 && p >= least).count() < 2 {
            return None;
        }
        let after: f64 = table.chunks(k).map(total_info).sum();
        let gain = (total_info(&known) - after) / (weight + unknown);
        parts.push(unknown);
        Some(Gain { gain, split_info: total_info(&parts) / (weight + unknown), threshold: None })
    }

    fn continuous(&self, values: &[f64], items: &[Item], least: f64) -> Option<Gain> {
        let mut sorted: Vec<(f64, u32, f64)> = items
            .iter()
            .map(|item| (values[item.row as usize] + 0.0, self.y[item.row as usize], item.weight))
            .collect();
        let all: f64 = items.iter().map(|item| item.weight).sum();
        sorted.retain(|(v, ..)| !v.is_nan());
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.total_cmp(&b.2)));
        let (mut low, mut high) = (vec![0.0; self.k], vec![0.0; self.k]);
        sorted.iter().for_each(|&(_, class, w)| high[class as usize] += w);
        let known: f64 = high.iter().sum();
        let (before, unknown) = (total_info(&high), (all - known).max(0.0));
        // A tenth of an even share for each class, but at most 25: release 8's guard against slivers.
        let least = least.max((0.1 * known / self.k as f64).min(25.0)) - 1e-9;
        let (mut below, mut tries) = (0.0, 0usize);
        let mut best: Option<(f64, f64, f64)> = None;
        for pair in sorted.windows(2) {
            let (v, class, w) = pair[0];
            below += w;
            low[class as usize] += w;
            high[class as usize] -= w;
            if below < least || known - below < least || v >= pair[1].0 {
                continue;
            }
            tries += 1;
            let gain = (before - total_info(&low) - total_info(&high)) / all;
            if best.is_none_or(|(found, ..)| gain > found + 1e-12) {
                best = Some((gain, v / 2.0 + pair[1].0 / 2.0, below));
            }
        }
        let (gain, threshold, below) = best?;
        let gain = gain - (tries as f64).log2() / all;
        let split_info = total_info(&[below, known - below, unknown]) / all;
        (gain > 0.0).then_some(Gain { gain, split_info, threshold: Some(threshold) })
    }
}
