//! Moments of every feature in each class: the sums behind the Gaussian model.

use mercer_core::sums::Block;
use mercer_core::{NumbersRef, Result};
use mercer_math::{Mat, MatRef, wide};
use serde::{Deserialize, Serialize};

/// Weight, means and sums of squared deviations of each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassMoments {
    /// The weight of the rows of each class.
    pub(super) weight: Vec<f64>,
    /// The mean of each feature, classes × features; 0 for a class without rows.
    pub(super) mean: Mat,
    /// The sum of squared deviations from it.
    pub(super) squares: Mat,
}

impl ClassMoments {
    pub(super) fn empty(k: usize, d: usize) -> Self {
        Self { weight: vec![0.0; k], mean: Mat::zeros(k, d), squares: Mat::zeros(k, d) }
    }

    pub(super) fn n_features(&self) -> usize {
        self.mean.n_cols()
    }

    /// The weight of all rows.
    pub(super) fn total(&self) -> f64 {
        self.weight.iter().sum()
    }

    /// The moments of a block by two passes: means, then deviations from them, whose own mean corrects both.
    pub(super) fn of_block(block: &Block<'_>, k: usize, d: usize) -> Result<Self> {
        let mut dense = None;
        let x = match block.x {
            NumbersRef::Dense(x) if x.has_contiguous_rows() => x,
            NumbersRef::Dense(x) => dense.insert(x.to_mat()).view(),
            NumbersRef::Sparse(x) => dense.insert(x.to_dense()).view(),
        };
        let mut out = Self::empty(k, d);
        for (i, &c) in block.classes.iter().enumerate() {
            out.weight[c as usize] += block.weight(i);
        }
        wide(|| out.add_means(x, block));
        let mut drift = Mat::zeros(k, d);
        wide(|| out.add_squares(x, block, &mut drift));
        for (c, &weight) in out.weight.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            let (mean, squares) = (out.mean.row_mut(c), out.squares.row_mut(c));
            for (j, drift) in drift.row(c).iter().enumerate() {
                let correction = drift / weight;
                mean[j] += correction;
                squares[j] = (squares[j] - drift * correction).max(0.0);
            }
        }
        Ok(out)
    }

    #[inline(always)]
    fn add_means(&mut self, x: MatRef<'_>, block: &Block<'_>) {
        for (i, &c) in block.classes.iter().enumerate() {
            let (w, Some(row)) = (block.weight(i), x.row(i)) else { continue };
            self.mean.row_mut(c as usize).iter_mut().zip(row).for_each(|(m, v)| *m += w * v);
        }
        for (c, &weight) in self.weight.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            self.mean.row_mut(c).iter_mut().for_each(|m| *m /= weight);
        }
    }

    #[inline(always)]
    fn add_squares(&mut self, x: MatRef<'_>, block: &Block<'_>, drift: &mut Mat) {
        for (i, &c) in block.classes.iter().enumerate() {
            let (w, c, Some(row)) = (block.weight(i), c as usize, x.row(i)) else { continue };
            let (mean, squares, drift) = (self.mean.row(c), self.squares.row_mut(c), drift.row_mut(c));
            for (((v, m), s), t) in row.iter().zip(mean).zip(squares).zip(drift) {
                let delta = v - m;
                *s += w * delta * delta;
                *t += w * delta;
            }
        }
    }

    /// The moments of both samples together (Chan, Golub and LeVeque).
    pub(super) fn add(&mut self, other: &Self) {
        for c in 0..self.weight.len() {
            let (a, b) = (self.weight[c], other.weight[c]);
            if b <= 0.0 {
                continue;
            }
            let (mean, squares) = (self.mean.row_mut(c), self.squares.row_mut(c));
            let theirs = other.mean.row(c).iter().zip(other.squares.row(c));
            for ((m, s), (other_mean, other_squares)) in mean.iter_mut().zip(squares).zip(theirs) {
                let delta = other_mean - *m;
                *s = if a > 0.0 {
                    *s + other_squares + delta * delta * (a * (b / (a + b)))
                } else {
                    *other_squares
                };
                *m = if a > 0.0 { *m + delta * (b / (a + b)) } else { *other_mean };
            }
            self.weight[c] = a + b;
        }
    }

    /// The mean of (x_j − centre)² over all rows; zero for a feature that has this value everywhere.
    pub(super) fn square_about(&self, j: usize, centre: f64) -> f64 {
        let class = |(c, w): (usize, &f64)| match *w > 0.0 {
            true => self.squares[(c, j)] + w * (self.mean[(c, j)] - centre).powi(2),
            false => 0.0,
        };
        self.weight.iter().enumerate().map(class).sum::<f64>() / self.total()
    }

    /// The variance of each feature over all classes.
    pub(super) fn overall_variances(&self) -> Vec<f64> {
        let (total, first) = (self.total(), self.weight.iter().position(|w| *w > 0.0).unwrap_or(0));
        let variance = |j: usize| {
            // From the mean of one class, so that a constant has no variance at all.
            let apart = |(c, w): (usize, &f64)| w / total * (self.mean[(c, j)] - self.mean[(first, j)]);
            let present = self.weight.iter().enumerate().filter(|(_, w)| **w > 0.0);
            self.square_about(j, self.mean[(first, j)] + present.map(apart).sum::<f64>())
        };
        (0..self.n_features()).map(variance).collect()
    }
}
