//! Edges of bins: even, at quantiles, or between the means of k-means.

use super::bspline::linspace;
use crate::scale::columns::Values;
use crate::scale::order::{QuantileMethod, Sorted};

/// Bins narrower than this are joined to their neighbour, as in scikit-learn.
const NARROW: f64 = 1e-8;

/// Edges of equal width.
pub(crate) fn uniform(low: f64, high: f64, n_bins: usize) -> Vec<f64> {
    linspace(low, high, n_bins + 1)
}

/// Edges of equal weight.
pub(crate) fn quantile(column: &Values<'_>, n_bins: usize, method: QuantileMethod) -> Vec<f64> {
    let sorted = Sorted::of(column);
    let percents = linspace(0.0, 100.0, n_bins + 1);
    wide(percents.iter().map(|p| sorted.quantile(p / 100.0, method)).collect())
}

/// Edges without those that follow another too closely.
fn wide(edges: Vec<f64>) -> Vec<f64> {
    let keep = |i: &usize| *i == 0 || edges[*i] - edges[*i - 1] > NARROW;
    (0..edges.len()).filter(keep).map(|i| edges[i]).collect()
}

/// Edges half way between the means of k-means on a line.
///
/// Lloyd's iteration from the middles of even bins, as scikit-learn runs it: at most 300 rounds, until no value
/// changes its mean or all means together move by less than 1e-4 of the variance, squared distances. On sorted values
/// a round costs O(k log n): groups are runs, and their sums are differences of running sums.
pub(crate) fn kmeans(column: &Values<'_>, low: f64, high: f64, n_bins: usize) -> Vec<f64> {
    let line = Line::of(column);
    // No more groups than values: the others would be empty.
    let n_bins = n_bins.min(line.values.len());
    let even = uniform(low, high, n_bins);
    let mut means: Vec<f64> = even.windows(2).map(|e| (e[0] + e[1]) * 0.5 - line.centre).collect();
    let mut ends: Vec<usize> = Vec::new();
    for _ in 0..300 {
        let new_ends = line.ends(&means);
        let moved = line.means(&means, &new_ends);
        let shift: f64 = means.iter().zip(&moved).map(|(a, b)| (a - b) * (a - b)).sum();
        means = moved;
        if new_ends == ends || shift <= 1e-4 * line.variance {
            break;
        }
        ends = new_ends;
    }
    let middles = means.windows(2).map(|m| (m[0] + m[1]) * 0.5 + line.centre);
    wide(std::iter::once(low).chain(middles).chain(std::iter::once(high)).collect())
}

/// Sorted values about their mean, with running sums.
struct Line {
    centre: f64,
    variance: f64,
    values: Vec<f64>,
    weights: Vec<f64>,
    /// The weight and the weighted sum of the first i values.
    running: Vec<(f64, f64)>,
}

impl Line {
    fn of(column: &Values<'_>) -> Self {
        let mut pairs: Vec<(f64, f64)> = column.present().collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let total: f64 = pairs.iter().map(|p| p.1).sum();
        let centre = pairs.iter().map(|(v, w)| v * (w / total)).sum::<f64>();
        let values: Vec<f64> = pairs.iter().map(|(v, _)| v - centre).collect();
        let weights: Vec<f64> = pairs.iter().map(|p| p.1).collect();
        let mut running = vec![(0.0, 0.0)];
        for (v, w) in values.iter().zip(&weights) {
            let (weight, sum) = running[running.len() - 1];
            running.push((weight + w, sum + w * v));
        }
        let variance = values.iter().zip(&weights).map(|(v, w)| v * v * (w / total)).sum();
        Self { centre, variance, values, weights, running }
    }

    /// The end of the run that is nearest to each of the ascending means.
    fn ends(&self, means: &[f64]) -> Vec<usize> {
        let middles = means.windows(2).map(|m| (m[0] + m[1]) * 0.5);
        let inner = middles.map(|middle| self.values.partition_point(|v| *v <= middle));
        inner.chain(std::iter::once(self.values.len())).collect()
    }

    /// The ascending means of the runs; an empty one takes the value farthest from its own mean.
    fn means(&self, old: &[f64], ends: &[usize]) -> Vec<f64> {
        let start = |k: usize| if k == 0 { 0 } else { ends[k - 1] };
        let mut sums: Vec<(f64, f64)> = (0..ends.len())
            .map(|k| {
                let ((w0, s0), (w1, s1)) = (self.running[start(k)], self.running[ends[k]]);
                (w1 - w0, s1 - s0)
            })
            .collect();
        let empty: Vec<usize> = (0..ends.len()).filter(|&k| start(k) == ends[k]).collect();
        if !empty.is_empty() {
            let group = |i: usize| ends.partition_point(|&end| end <= i);
            let distance = |i: &usize| (self.values[*i] - old[group(*i)]).abs();
            let mut far: Vec<usize> = (0..self.values.len()).collect();
            far.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
            for (&k, &i) in empty.iter().zip(&far) {
                let (w, v) = (self.weights[i], self.values[i]);
                let from = group(i);
                sums[from] = (sums[from].0 - w, sums[from].1 - w * v);
                sums[k] = (w, w * v);
            }
        }
        let mut means: Vec<f64> =
            sums.iter().zip(old).map(|((w, s), old)| if *w > 0.0 { s / w } else { *old }).collect();
        means.sort_unstable_by(f64::total_cmp);
        means
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_apart_are_found() {
        let values = [0.0, 0.1, 0.2, 5.0, 5.1, 9.0, 9.2];
        let column = Values { values: values.as_slice().into(), weights: None, zeros: false };
        let edges = kmeans(&column, 0.0, 9.2, 3);
        let expected = [0.0, (0.1 + 5.05) / 2.0, (5.05 + 9.1) / 2.0, 9.2];
        assert!(edges.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{edges:?}");
    }
}
