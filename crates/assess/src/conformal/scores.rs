//! Scores of calibration rows, and the quantile that conformal prediction takes of them.

use serde::{Deserialize, Serialize};

/// How far the rows of one fold are from what was said of them: rising, with the running sums of their weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scores {
    values: Vec<f64>,
    sums: Vec<f64>,
}

impl Scores {
    /// From scores and weights in any order.
    pub(crate) fn new(mut pairs: Vec<(f64, f64)>) -> Self {
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut sum = 0.0;
        let mut add = |pair: &(f64, f64)| {
            sum += pair.1;
            sum
        };
        Self { sums: pairs.iter().map(&mut add).collect(), values: pairs.iter().map(|p| p.0).collect() }
    }

    /// The weight of all.
    pub(crate) fn weight(&self) -> f64 {
        self.sums.last().copied().unwrap_or(0.0)
    }

    /// The weight of those that are at most `value`.
    pub(crate) fn weight_to(&self, value: f64) -> f64 {
        self.first(self.values.partition_point(|v| *v <= value))
    }

    /// The weight of the first `count`.
    fn first(&self, count: usize) -> f64 {
        count.checked_sub(1).map_or(0.0, |i| self.sums[i])
    }

    pub(crate) fn is_valid(&self) -> bool {
        self.values.len() == self.sums.len()
            && self.values.iter().chain(&self.sums).all(|v| v.is_finite())
            && self.values.is_sorted()
            && self.sums.is_sorted()
    }
}

/// The least of all scores, each moved by the shift of its fold, up to which the weight is at least the share `level` of
/// the weight of all rows and a new one: the ⌈(n + 1) level⌉-th of n rows of weight 1. Infinity where that is more than
/// there is.
///
/// Each round throws away at least a quarter of the candidates: those on one side of the weighted median of the middles
/// of the lists. O(k log k log n) for k lists of n scores.
pub(crate) fn reach(lists: &[Scores], shifts: &[f64], level: f64) -> f64 {
    let total: f64 = lists.iter().map(Scores::weight).sum();
    // What rounding adds to a whole number of rows is not one more row.
    let needed = (total + 1.0) * level * (1.0 - 1e-12);
    let mut open: Vec<(usize, usize)> = lists.iter().map(|l| (0, l.values.len())).collect();
    let mut best = f64::INFINITY;
    loop {
        let live = || open.iter().enumerate().filter(|(_, (from, to))| from < to);
        let mut middles: Vec<(f64, usize)> = live()
            .map(|(k, &(from, to))| (shifts[k] + lists[k].values[(from + to) / 2], to - from))
            .collect();
        middles.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let all: usize = middles.iter().map(|m| m.1).sum();
        let mut passed = 0;
        let past_half = |m: &&(f64, usize)| {
            passed += m.1;
            2 * passed >= all
        };
        let Some(pivot) = middles.iter().find(past_half).map(|m| m.0) else { return best };
        let up_to = |k: usize| lists[k].values.partition_point(|v| shifts[k] + v <= pivot);
        let weight: f64 = (0..lists.len()).map(|k| lists[k].first(up_to(k))).sum();
        if weight >= needed {
            best = pivot;
            let below = |k: usize| lists[k].values.partition_point(|v| shifts[k] + v < pivot);
            open.iter_mut().enumerate().for_each(|(k, o)| o.1 = o.1.min(below(k)));
        } else {
            open.iter_mut().enumerate().for_each(|(k, o)| o.0 = o.0.max(up_to(k)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{normal, rng_for, uniform};

    fn unit(values: &[f64]) -> Scores {
        Scores::new(values.iter().map(|v| (*v, 1.0)).collect())
    }

    /// The closed form: the ⌈(n + 1)(1 − α)⌉-th smallest score, by hand.
    #[test]
    fn split_conformal_takes_the_order_statistic() {
        let nine = unit(&[9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0, 5.0]);
        let at = |level| reach(std::slice::from_ref(&nine), &[0.0], level);
        assert_eq!(at(0.9), 9.0);
        assert_eq!(at(0.8), 8.0);
        assert_eq!(at(0.75), 8.0, "7.5 is rounded up");
        assert_eq!(at(0.05), 1.0);
        assert_eq!(at(0.91), f64::INFINITY, "nine rows cannot promise more than 0.9");
        // 19 · 0.95 … 20 · 0.95 is 19 and not a digit more.
        let many = unit(&(1..=19).map(f64::from).collect::<Vec<_>>());
        assert_eq!(reach(&[many], &[0.0], 0.95), 19.0);
    }

    #[test]
    fn a_weight_of_two_is_two_copies() {
        let weighted = Scores::new(vec![(3.0, 2.0), (1.0, 1.0), (2.0, 3.0)]);
        let copies = unit(&[1.0, 2.0, 2.0, 2.0, 3.0, 3.0]);
        for level in [0.1, 0.3, 0.5, 0.6, 0.8, 0.85, 0.9] {
            let [a, b] = [&weighted, &copies].map(|s| reach(std::slice::from_ref(s), &[1.5], level));
            assert_eq!(a, b, "{level}");
        }
    }

    /// Against sorting all shifted scores, for lists of every shape.
    #[test]
    fn many_lists_are_searched_as_if_sorted_together() {
        let mut rng = rng_for(4, 4);
        for round in 0..300 {
            let k = 1 + round % 7;
            let shifts: Vec<f64> = (0..k).map(|_| (3.0 * normal(&mut rng)).round()).collect();
            let size = |rng: &mut _| (uniform(rng) * 9.0) as usize;
            let lists: Vec<Vec<(f64, f64)>> = (0..k)
                .map(|_| {
                    let n = size(&mut rng);
                    (0..n)
                        .map(|_| ((4.0 * normal(&mut rng)).round(), 1.0 + uniform(&mut rng).round()))
                        .collect()
                })
                .collect();
            let mut all: Vec<(f64, f64)> =
                lists.iter().zip(&shifts).flat_map(|(l, s)| l.iter().map(move |p| (p.0 + s, p.1))).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let level = uniform(&mut rng);
            let needed = (all.iter().map(|p| p.1).sum::<f64>() + 1.0) * level;
            let mut sum = 0.0;
            let by_hand = all.iter().find(|p| {
                sum += p.1;
                sum >= needed
            });
            let lists: Vec<Scores> = lists.into_iter().map(Scores::new).collect();
            assert_eq!(reach(&lists, &shifts, level), by_hand.map_or(f64::INFINITY, |p| p.0), "{round}");
        }
    }
}
