//! Split statistics: what the histogram of a binned column adds up, by kind of response.

use crate::cart::criterion::NodeSummary;
use crate::cart::criterion::classes::Impurity;
use crate::cart::criterion::squared_error::poisson_score;
use std::fmt::Debug;

/// The statistics of a split: what a row carries, what a histogram cell adds up, and how good a split of it is.
pub(crate) trait SplitStatistics: Debug + Sync {
    /// What a row carries.
    type Item: Copy + Default + Debug + Send + Sync;
    /// What a bin adds up.
    type Cell: Copy + Default + Debug + Send + Sync;

    /// Adds a row.
    fn add(&self, cell: &mut Self::Cell, item: Self::Item);
    /// Adds a bin.
    fn merge(&self, cell: &mut Self::Cell, other: &Self::Cell);
    /// Whether nothing was added.
    fn is_empty(&self, cell: &Self::Cell) -> bool;
    /// The weight added.
    fn weight(&self, cell: &Self::Cell) -> f64;
    /// The score of a split of `total`, greater is better.
    fn score(&self, left: &Self::Cell, total: &Self::Cell) -> f64;
    /// In how many ways the levels of a category are ordered.
    fn orders(&self) -> usize;
    /// What they are ordered by.
    fn key(&self, order: usize, cell: &Self::Cell) -> f64;
    /// What a node of these rows knows, written over `node`.
    fn describe(&self, items: impl Iterator<Item = Self::Item> + Clone, node: &mut NodeSummary)
    -> Self::Cell;
}

/// x ln x.
#[inline]
fn x_ln_x(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

/// A class, and how often its row is in the bag.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) class: u16,
    pub(crate) count: u16,
}

/// A class with a weight.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weighted {
    pub(crate) class: u32,
    pub(crate) weight: f64,
}

/// Two classes, counted: both counts in one number, the second class in its upper half.
#[derive(Debug)]
pub(crate) struct TwoCounts {
    pub(crate) impurity: Impurity,
}

impl TwoCounts {
    #[inline]
    fn halves(cell: u64) -> [f64; 2] {
        [f64::from(cell as u32), f64::from((cell >> 32) as u32)]
    }
}

impl SplitStatistics for TwoCounts {
    type Item = Counted;
    type Cell = u64;

    #[inline]
    fn add(&self, cell: &mut u64, item: Counted) {
        *cell += u64::from(item.count) << (u32::from(item.class & 1) * 32);
    }

    #[inline]
    fn merge(&self, cell: &mut u64, other: &u64) {
        *cell += other;
    }

    #[inline]
    fn is_empty(&self, cell: &u64) -> bool {
        *cell == 0
    }

    fn weight(&self, cell: &u64) -> f64 {
        let [zeros, ones] = Self::halves(*cell);
        zeros + ones
    }

    #[inline]
    fn score(&self, left: &u64, total: &u64) -> f64 {
        let ([l0, l1], [t0, t1]) = (Self::halves(*left), Self::halves(*total));
        match self.impurity {
            // The decrease of the index is proportional to (l₁ n − n₁ l)² / (l (n − l)).
            Impurity::Gini => {
                let (l, n) = (l0 + l1, t0 + t1);
                let excess = l1 * n - t1 * l;
                excess * excess / (l * (n - l))
            }
            // The error of the majority is split exactly.
            Impurity::Entropy | Impurity::Error => {
                let side = |a: f64, b: f64| x_ln_x(a) + x_ln_x(b) - x_ln_x(a + b);
                side(l0, l1) + side(t0 - l0, t1 - l1)
            }
        }
    }

    fn orders(&self) -> usize {
        1
    }

    fn key(&self, _: usize, cell: &u64) -> f64 {
        let [zeros, ones] = Self::halves(*cell);
        ones / (zeros + ones)
    }

    fn describe(&self, items: impl Iterator<Item = Counted> + Clone, node: &mut NodeSummary) -> u64 {
        let (mut cell, mut rows) = (0, 0);
        items.for_each(|item| {
            self.add(&mut cell, item);
            rows += 1;
        });
        describe_classes(node, rows, &Self::halves(cell), self.impurity);
        cell
    }
}

fn describe_classes(node: &mut NodeSummary, rows: usize, totals: &[f64], impurity: Impurity) {
    node.rows = rows;
    node.weight = totals.iter().sum();
    node.value.clear();
    node.value.extend(totals.iter().map(|t| t / node.weight));
    let pure = totals.iter().filter(|t| **t > 0.0).count() < 2;
    node.impurity = if pure { 0.0 } else { impurity.of(&node.value) };
}

/// A count or a weight.
pub(crate) trait Amount: Copy + Default + Debug + Send + Sync {
    type Item: Copy + Default + Debug + Send + Sync;
    fn of(item: Self::Item) -> (usize, Self);
    fn plus(self, other: Self) -> Self;
    fn number(self) -> f64;
}

impl Amount for u32 {
    type Item = Counted;
    #[inline]
    fn of(item: Counted) -> (usize, u32) {
        (item.class as usize, u32::from(item.count))
    }
    #[inline]
    fn plus(self, other: u32) -> u32 {
        self + other
    }
    #[inline]
    fn number(self) -> f64 {
        f64::from(self)
    }
}

impl Amount for f64 {
    type Item = Weighted;
    #[inline]
    fn of(item: Weighted) -> (usize, f64) {
        (item.class as usize, item.weight)
    }
    #[inline]
    fn plus(self, other: f64) -> f64 {
        self + other
    }
    #[inline]
    fn number(self) -> f64 {
        self
    }
}

/// Up to `K` classes, counted or weighed.
#[derive(Debug)]
pub(crate) struct Shares<A, const K: usize> {
    impurity: Impurity,
    k: usize,
    amount: std::marker::PhantomData<A>,
}

impl<A: Amount, const K: usize> Shares<A, K> {
    pub(crate) fn new(impurity: Impurity, k: usize) -> Self {
        Self { impurity, k: k.min(K), amount: std::marker::PhantomData }
    }
}

/// The cells of [`Shares`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amounts<A, const K: usize>([A; K]);

impl<A: Amount, const K: usize> Default for Amounts<A, K> {
    fn default() -> Self {
        Self([A::default(); K])
    }
}

impl<A: Amount, const K: usize> SplitStatistics for Shares<A, K> {
    type Item = A::Item;
    type Cell = Amounts<A, K>;

    #[inline]
    fn add(&self, cell: &mut Self::Cell, item: A::Item) {
        let (class, amount) = A::of(item);
        let slot = &mut cell.0[class % K];
        *slot = slot.plus(amount);
    }

    #[inline]
    fn merge(&self, cell: &mut Self::Cell, other: &Self::Cell) {
        cell.0.iter_mut().zip(other.0).for_each(|(a, b)| *a = a.plus(b));
    }

    #[inline]
    fn is_empty(&self, cell: &Self::Cell) -> bool {
        cell.0.iter().all(|a| a.number() == 0.0)
    }

    fn weight(&self, cell: &Self::Cell) -> f64 {
        cell.0.iter().map(|a| a.number()).sum()
    }

    #[inline]
    fn score(&self, left: &Self::Cell, total: &Self::Cell) -> f64 {
        let (mut l, mut r, mut left_sum, mut right_sum) = (0.0, 0.0, 0.0, 0.0);
        let gini = self.impurity == Impurity::Gini;
        for (a, t) in left.0.iter().zip(&total.0) {
            let (a, b) = (a.number(), t.number() - a.number());
            l += a;
            r += b;
            left_sum += if gini { a * a } else { x_ln_x(a) };
            right_sum += if gini { b * b } else { x_ln_x(b) };
        }
        // Weights that differ by sixteen digits can leave nothing but rounding on a side.
        if !(l > 0.0 && r > 0.0) {
            f64::NEG_INFINITY
        } else if gini {
            left_sum / l + right_sum / r
        } else {
            (left_sum - x_ln_x(l)) + (right_sum - x_ln_x(r))
        }
    }

    fn orders(&self) -> usize {
        if self.k == 2 { 1 } else { self.k }
    }

    fn key(&self, order: usize, cell: &Self::Cell) -> f64 {
        cell.0[if self.k == 2 { 1 } else { order } % K].number() / self.weight(cell)
    }

    fn describe(&self, items: impl Iterator<Item = A::Item> + Clone, node: &mut NodeSummary) -> Self::Cell {
        let (mut cell, mut rows) = (Self::Cell::default(), 0);
        items.for_each(|item| {
            self.add(&mut cell, item);
            rows += 1;
        });
        describe_classes(node, rows, &cell.0.map(A::number)[..self.k], self.impurity);
        cell
    }
}

/// A number with a weight.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) y: f64,
    pub(crate) weight: f64,
}

/// One output under squared error (less its mean over all rows) or Poisson deviance.
#[derive(Debug)]
pub(crate) struct Sums {
    pub(crate) offset: f64,
    pub(crate) poisson: bool,
}

impl SplitStatistics for Sums {
    type Item = Measured;
    /// Weight and weighted sum.
    type Cell = [f64; 2];

    #[inline]
    fn add(&self, cell: &mut [f64; 2], item: Measured) {
        cell[0] += item.weight;
        cell[1] += item.weight * item.y;
    }

    #[inline]
    fn merge(&self, cell: &mut [f64; 2], other: &[f64; 2]) {
        cell[0] += other[0];
        cell[1] += other[1];
    }

    #[inline]
    fn is_empty(&self, cell: &[f64; 2]) -> bool {
        cell[0] == 0.0
    }

    fn weight(&self, cell: &[f64; 2]) -> f64 {
        cell[0]
    }

    #[inline]
    fn score(&self, left: &[f64; 2], total: &[f64; 2]) -> f64 {
        let ([l, s], [n, t]) = (*left, *total);
        let r = n - l;
        if !(l > 0.0 && r > 0.0) {
            return f64::NEG_INFINITY;
        }
        if self.poisson {
            return poisson_score(s, t, l, r);
        }
        // The decrease of the squares is (s n − t l)² / (n l r).
        let excess = s * n - t * l;
        excess * excess / (l * r)
    }

    fn orders(&self) -> usize {
        1
    }

    fn key(&self, _: usize, cell: &[f64; 2]) -> f64 {
        cell[1] / cell[0]
    }

    fn describe(&self, items: impl Iterator<Item = Measured> + Clone, node: &mut NodeSummary) -> [f64; 2] {
        let (mut cell, mut rows) = ([0.0; 2], 0);
        let first = items.clone().next().map_or(0.0, |item| item.y);
        let mut constant = true;
        items.clone().for_each(|item| {
            self.add(&mut cell, item);
            rows += 1;
            constant &= item.y == first;
        });
        let mean = if constant { first } else { cell[1] / cell[0] };
        let loss: f64 = if constant {
            0.0
        } else if self.poisson {
            items.map(|i| if i.y > 0.0 { i.weight * i.y * (i.y / mean).ln() } else { 0.0 }).sum()
        } else {
            items.map(|i| i.weight * (i.y - mean) * (i.y - mean)).sum()
        };
        (node.rows, node.weight, node.impurity) = (rows, cell[0], (loss / cell[0]).max(0.0));
        node.value.clear();
        node.value.push(mean + self.offset);
        cell
    }
}
