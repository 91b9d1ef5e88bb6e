//! Class impurity: Gini's index, entropy and the error of the majority.

use crate::cart::criterion::{Criterion, NodeSummary, Sides, pick, weight};
use mercer_math::{Weights, argmax};
use std::sync::Arc;

/// Gini's index of two classes without weights: the common case, on integers.
///
/// With l rows of which l₁ of the second class on the left, of n and n₁ in all, the decrease of the index is
/// proportional to (l₁ n − n₁ l)² / (l (n − l)).
#[derive(Debug)]
pub(crate) struct TwoClasses {
    pub(crate) y: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct TwoSides<'a> {
    y: &'a [u8],
    n: f64,
    ones: f64,
    left: u32,
    left_ones: u32,
}

impl Criterion for TwoClasses {
    type Sides<'a> = TwoSides<'a>;

    fn gather(&self, rows: &[u32]) -> Self {
        Self { y: pick(&self.y, rows) }
    }

    fn summary(&self, rows: &mut dyn Iterator<Item = u32>) -> NodeSummary {
        let (mut n, mut ones) = (0u64, 0u64);
        rows.for_each(|i| {
            n += 1;
            ones += u64::from(self.y[i as usize]);
        });
        class_summary(n as usize, vec![(n - ones) as f64, ones as f64], None, Impurity::Gini)
    }

    fn sides(&self) -> TwoSides<'_> {
        TwoSides { y: &self.y, n: 0.0, ones: 0.0, left: 0, left_ones: 0 }
    }

    fn orders(&self) -> usize {
        1
    }

    fn key(&self, _: usize, rows: &[u32]) -> f64 {
        rows.iter().map(|&i| f64::from(self.y[i as usize])).sum::<f64>() / rows.len() as f64
    }
}

impl Sides for TwoSides<'_> {
    fn start(&mut self, node: &NodeSummary) {
        (self.n, self.ones, self.left, self.left_ones) = (node.weight, node.totals[1], 0, 0);
    }

    #[inline]
    fn add(&mut self, row: u32) {
        self.left += 1;
        self.left_ones += u32::from(self.y[row as usize]);
    }

    #[inline]
    fn score(&self) -> f64 {
        let left = f64::from(self.left);
        let excess = f64::from(self.left_ones) * self.n - self.ones * left;
        excess * excess / (left * (self.n - left))
    }

    #[inline]
    fn weight(&self) -> f64 {
        f64::from(self.left)
    }

    fn values(&self) -> (f64, f64) {
        let (left, ones) = (f64::from(self.left), f64::from(self.left_ones));
        (ones / left, (self.ones - ones) / (self.n - left))
    }
}

/// The impurity of a node of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Impurity {
    Gini,
    Entropy,
    Error,
}

impl Impurity {
    pub(crate) fn of(self, shares: &[f64]) -> f64 {
        let value = match self {
            Impurity::Gini => 1.0 - shares.iter().map(|p| p * p).sum::<f64>(),
            Impurity::Entropy => -shares.iter().filter(|p| **p > 0.0).map(|p| p * p.log2()).sum::<f64>(),
            Impurity::Error => 1.0 - greatest(shares),
        };
        value.max(0.0)
    }
}

/// `by_class` are the factors of `class_weight`, taken out again where the certificate counts errors.
fn class_summary(rows: usize, totals: Vec<f64>, by_class: Option<&[f64]>, impurity: Impurity) -> NodeSummary {
    let weight: f64 = totals.iter().sum();
    let value: Vec<f64> = totals.iter().map(|t| t / weight).collect();
    let predicted = argmax(&value);
    let plain = |k: usize| totals[k] / Weights::from(by_class)[k];
    let loss = (0..totals.len()).filter(|&k| k != predicted && totals[k] > 0.0).map(plain).sum();
    let pure = totals.iter().filter(|t| **t > 0.0).count() < 2;
    NodeSummary { rows, weight, impurity: if pure { 0.0 } else { impurity.of(&value) }, value, totals, loss }
}

fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// The impurity of any number of classes, with or without weights.
#[derive(Debug)]
pub(crate) struct Classes {
    pub(crate) y: Vec<u32>,
    pub(crate) w: Option<Vec<f64>>,
    pub(crate) k: usize,
    pub(crate) impurity: Impurity,
    /// Factors of `class_weight`, already in `w`.
    pub(crate) by_class: Option<Arc<[f64]>>,
    /// x ln x of whole x, where all weights are 1 and the criterion is entropy.
    pub(crate) table: Arc<[f64]>,
}

impl Classes {
    /// The table of x ln x up to `n`.
    pub(crate) fn table(n: usize) -> Arc<[f64]> {
        (0..=n).map(|x| if x == 0 { 0.0 } else { x as f64 * (x as f64).ln() }).collect()
    }

    #[inline]
    fn x_ln_x(&self, x: f64) -> f64 {
        if !self.table.is_empty() {
            // Out of range cannot be: counts are at most the rows that the table was made for.
            self.table.get(x as usize).copied().unwrap_or(0.0)
        } else if x > 0.0 {
            x * x.ln()
        } else {
            0.0
        }
    }
}

impl Criterion for Classes {
    type Sides<'a> = ClassSides<'a>;

    fn gather(&self, rows: &[u32]) -> Self {
        let w = self.w.as_ref().map(|w| pick(w, rows));
        let (by_class, table) = (self.by_class.clone(), self.table.clone());
        Self { y: pick(&self.y, rows), w, k: self.k, impurity: self.impurity, by_class, table }
    }

    fn summary(&self, rows: &mut dyn Iterator<Item = u32>) -> NodeSummary {
        let (mut n, mut totals) = (0, vec![0.0; self.k]);
        rows.for_each(|i| {
            n += 1;
            totals[self.y[i as usize] as usize] += weight(&self.w, i);
        });
        class_summary(n, totals, self.by_class.as_deref(), self.impurity)
    }

    fn sides(&self) -> ClassSides<'_> {
        let (left, right) = (vec![0.0; self.k], vec![0.0; self.k]);
        ClassSides { of: self, left, right, l: 0.0, r: 0.0, left_squares: 0.0, right_squares: 0.0 }
    }

    fn orders(&self) -> usize {
        if self.k == 2 { 1 } else { self.k }
    }

    fn key(&self, order: usize, rows: &[u32]) -> f64 {
        let class = if self.k == 2 { 1 } else { order as u32 };
        let (mut total, mut hits) = (0.0, 0.0);
        for &i in rows {
            let w = weight(&self.w, i);
            total += w;
            hits += if self.y[i as usize] == class { w } else { 0.0 };
        }
        hits / total
    }
}

#[derive(Debug)]
pub(crate) struct ClassSides<'a> {
    of: &'a Classes,
    left: Vec<f64>,
    right: Vec<f64>,
    l: f64,
    r: f64,
    left_squares: f64,
    right_squares: f64,
}

impl ClassSides<'_> {
    pub(crate) fn n_classes(&self) -> usize {
        self.left.len()
    }

    /// All rows on the right, given the weight of each class and of all.
    pub(crate) fn start_with(&mut self, totals: &[f64], weight: f64) {
        self.left.fill(0.0);
        self.right.copy_from_slice(totals);
        (self.l, self.r, self.left_squares) = (0.0, weight, 0.0);
        self.right_squares = totals.iter().map(|t| t * t).sum();
    }
}

impl Sides for ClassSides<'_> {
    fn start(&mut self, node: &NodeSummary) {
        self.start_with(&node.totals, node.weight);
    }

    #[inline]
    fn add(&mut self, row: u32) {
        let (k, w) = (self.of.y[row as usize] as usize, weight(&self.of.w, row));
        let (left, right) = (&mut self.left[k], &mut self.right[k]);
        self.left_squares += w * (2.0 * *left + w);
        self.right_squares -= w * (2.0 * *right - w);
        *left += w;
        *right -= w;
        self.l += w;
        self.r -= w;
    }

    #[inline]
    fn score(&self) -> f64 {
        // Weights that differ by sixteen digits can leave nothing but rounding on a side.
        if !(self.l > 0.0 && self.r > 0.0) {
            return f64::NEG_INFINITY;
        }
        let gini = || self.left_squares / self.l + self.right_squares / self.r;
        match self.of.impurity {
            Impurity::Gini => gini(),
            // Errors tie most of the time, and the first of the ties would shave off one row after the other: a trace
            // of Gini's index decides between them, too small to weigh a whole row up in ten million.
            Impurity::Error => greatest(&self.left) + greatest(&self.right) + 1e-7 * gini(),
            Impurity::Entropy => {
                let sum = |side: &[f64]| side.iter().map(|&c| self.of.x_ln_x(c)).sum::<f64>();
                (sum(&self.left) - self.of.x_ln_x(self.l)) + (sum(&self.right) - self.of.x_ln_x(self.r))
            }
        }
    }

    #[inline]
    fn weight(&self) -> f64 {
        self.l
    }

    fn values(&self) -> (f64, f64) {
        let second = |side: &[f64]| side.get(1).copied().unwrap_or(0.0);
        (second(&self.left) / self.l, second(&self.right) / self.r)
    }
}
