//! Absolute error: leaves predict medians.

use crate::cart::criterion::{Criterion, NodeSummary, Sides, pick, pick_wide, weight};
use crate::sorted_columns::ROW;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Absolute error of numbers; `y` is rows × outputs.
#[derive(Debug)]
pub(crate) struct AbsoluteError {
    pub(crate) y: Vec<f64>,
    pub(crate) w: Option<Vec<f64>>,
    pub(crate) q: usize,
}

impl Criterion for AbsoluteError {
    type Sides<'a> = AbsoluteSides<'a>;

    fn gather(&self, rows: &[u32]) -> Self {
        Self { y: pick_wide(&self.y, self.q, rows), w: self.w.as_ref().map(|w| pick(w, rows)), q: self.q }
    }

    fn summary(&self, rows: &mut dyn Iterator<Item = u32>) -> NodeSummary {
        let rows: Vec<u32> = rows.collect();
        let total: f64 = rows.iter().map(|&i| weight(&self.w, i)).sum();
        let (mut loss, mut value) = (0.0, Vec::with_capacity(self.q));
        for k in 0..self.q {
            let mut pairs: Vec<(f64, f64)> =
                rows.iter().map(|&i| (self.y[i as usize * self.q + k], weight(&self.w, i))).collect();
            pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let median = median(&pairs, total);
            loss += pairs.iter().map(|(y, w)| w * (y - median).abs()).sum::<f64>();
            value.push(median);
        }
        let impurity = loss / (total * self.q as f64);
        NodeSummary { rows: rows.len(), weight: total, impurity, value, totals: Vec::new(), loss }
    }

    fn sides(&self) -> AbsoluteSides<'_> {
        let left = (0..self.q).map(|_| Running::default()).collect();
        AbsoluteSides { of: self, left, right: Vec::new(), added: 0, weight: 0.0 }
    }

    fn orders(&self) -> usize {
        self.q
    }

    fn key(&self, order: usize, rows: &[u32]) -> f64 {
        let (mut total, mut sum) = (0.0, 0.0);
        for &i in rows {
            total += weight(&self.w, i);
            sum += weight(&self.w, i) * self.y[i as usize * self.q + order];
        }
        sum / total
    }
}

/// The weighted median of sorted pairs; the middle of two where exactly half of the weight lies below.
fn median(sorted: &[(f64, f64)], total: f64) -> f64 {
    let mut below = 0.0;
    for (i, &(y, w)) in sorted.iter().enumerate() {
        below += w;
        if below == 0.5 * total && i + 1 < sorted.len() {
            return f64::midpoint(y, sorted[i + 1].0);
        }
        if below >= 0.5 * total {
            return y;
        }
    }
    sorted.last().map_or(f64::NAN, |p| p.0)
}

/// A value with its weight, ordered by value.
#[derive(Clone, Copy, Debug)]
struct Pair(f64, f64);

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Pair {}
impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.total_cmp(&other.1))
    }
}

/// The running median, and Σ w |y − median|, of a growing set: two heaps that meet at the median.
#[derive(Debug, Default)]
struct Running {
    low: BinaryHeap<Pair>,
    high: BinaryHeap<std::cmp::Reverse<Pair>>,
    low_sums: [f64; 2],
    high_sums: [f64; 2],
}

impl Running {
    fn clear(&mut self) {
        self.low.clear();
        self.high.clear();
        (self.low_sums, self.high_sums) = ([0.0; 2], [0.0; 2]);
    }

    fn add(&mut self, y: f64, w: f64) {
        let pair = Pair(y, w);
        if self.low.peek().is_none_or(|top| pair <= *top) {
            self.push_low(pair)
        } else {
            self.push_high(pair)
        }
        let half = 0.5 * (self.low_sums[0] + self.high_sums[0]);
        while let Some(&top) = self.low.peek() {
            if self.low.len() < 2 || self.low_sums[0] - top.1 < half {
                break;
            }
            self.low.pop();
            self.low_sums = [self.low_sums[0] - top.1, self.low_sums[1] - top.1 * top.0];
            self.push_high(top);
        }
        while self.low_sums[0] < half {
            let Some(std::cmp::Reverse(top)) = self.high.pop() else { break };
            self.high_sums = [self.high_sums[0] - top.1, self.high_sums[1] - top.1 * top.0];
            self.push_low(top);
        }
    }

    fn push_low(&mut self, p: Pair) {
        self.low.push(p);
        self.low_sums = [self.low_sums[0] + p.1, self.low_sums[1] + p.1 * p.0];
    }

    fn push_high(&mut self, p: Pair) {
        self.high.push(std::cmp::Reverse(p));
        self.high_sums = [self.high_sums[0] + p.1, self.high_sums[1] + p.1 * p.0];
    }

    /// The median, the middle of two where exactly half of the weight lies below.
    fn median(&self) -> f64 {
        let low = self.low.peek().map_or(0.0, |p| p.0);
        match self.high.peek() {
            Some(high) if self.low_sums[0] == self.high_sums[0] => f64::midpoint(low, high.0.0),
            _ => low,
        }
    }

    fn loss(&self) -> f64 {
        let median = self.low.peek().map_or(0.0, |p| p.0);
        let ([l, low], [h, high]) = (self.low_sums, self.high_sums);
        (high - median * h) + (median * l - low)
    }
}

/// Both sides of a split; the losses of all right ones are found beforehand, from the end.
#[derive(Debug)]
pub(crate) struct AbsoluteSides<'a> {
    of: &'a AbsoluteError,
    left: Vec<Running>,
    /// Loss and first median.
    right: Vec<(f64, f64)>,
    added: usize,
    weight: f64,
}

impl AbsoluteSides<'_> {
    fn insert(&mut self, row: u32) {
        let (q, w) = (self.of.q, weight(&self.of.w, row));
        let y = &self.of.y[row as usize * q..][..q];
        self.left.iter_mut().zip(y).for_each(|(side, &y)| side.add(y, w));
        self.weight += w;
    }

    fn loss(&self) -> f64 {
        self.left.iter().map(Running::loss).sum()
    }

    fn median(&self) -> f64 {
        self.left.first().map_or(0.0, Running::median)
    }
}

impl Sides for AbsoluteSides<'_> {
    fn announce(&mut self, order: [&[u32]; 3]) {
        let n = order.iter().map(|part| part.len()).sum();
        self.right = vec![(0.0, 0.0); n + 1];
        self.left.iter_mut().for_each(Running::clear);
        for (at, entry) in (0..n).rev().zip(order.iter().rev().flat_map(|part| part.iter().rev())) {
            self.insert(entry & ROW);
            self.right[at] = (self.loss(), self.median());
        }
    }

    fn start(&mut self, _: &NodeSummary) {
        self.left.iter_mut().for_each(Running::clear);
        (self.added, self.weight) = (0, 0.0);
    }

    fn add(&mut self, row: u32) {
        self.insert(row);
        self.added += 1;
    }

    fn score(&self) -> f64 {
        -(self.loss() + self.right[self.added].0)
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn values(&self) -> (f64, f64) {
        (self.median(), self.right[self.added].1)
    }
}
