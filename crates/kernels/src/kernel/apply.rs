//! Functions that are sums of kernels, f(x) = Σᵢ k(x, xᵢ) cᵢ, and the points that they are kept with.

use super::{Kernel, Points, PointsRef};
use mercer_core::{Error, Result};
use mercer_math::{Mat, MatRef, gemm_into};
use rayon::prelude::*;

/// Rows of one task.
const ROWS: usize = 64;

impl Kernel {
    /// The points that a model keeps of those it learnt from: copies, or their places where values of the kernel were given.
    pub fn keep(&self, points: PointsRef<'_>, chosen: &[usize]) -> Points {
        match self {
            Kernel::Precomputed => Points::Places(chosen.iter().map(|&i| i as u32).collect()),
            _ => points.gather(chosen),
        }
    }

    /// All points, as a model keeps them.
    pub fn keep_all(&self, points: PointsRef<'_>) -> Points {
        match self {
            Kernel::Precomputed => Points::Places((0..points.len() as u32).collect()),
            _ => points.to_points(),
        }
    }

    /// Refuses values of a kernel that are not those of each point with each.
    pub fn check_given(&self, owner: &str, points: PointsRef<'_>) -> Result<()> {
        if *self == Kernel::Precomputed && points.len() != points.n_features() {
            return Err(Error::shape(
                format!("columns of the Gram matrix that {owner} is given (one for each row)"),
                points.len(),
                points.n_features(),
            ));
        }
        if let (Kernel::Precomputed, PointsRef::Dense(gram)) = (self, points) {
            let size = (0..gram.n_rows()).map(|i| gram.get(i, i).abs()).fold(0.0, f64::max);
            let apart = |i: usize, j: usize| (gram.get(i, j) - gram.get(j, i)).abs() > 1e-6 * size;
            if let Some((i, j)) =
                (0..gram.n_rows()).flat_map(|i| (0..i).map(move |j| (i, j))).find(|&(i, j)| apart(i, j))
            {
                let reason =
                    format!("the Gram matrix that it is given is not symmetric at row {i} and column {j}");
                return Err(Error::numeric(owner, reason));
            }
        }
        Ok(())
    }

    /// Σᵢ k(x, xᵢ) cᵢ for each point x, one column for each of `coef`: blocks of the kernel are multiplied while they are in
    /// cache, and never kept.
    pub fn sums_of(&self, x: PointsRef<'_>, kept: &Points, coef: &Mat) -> Result<Mat> {
        let (left, right) = (self.side(x)?, self.side(kept.view())?);
        let (n, t) = (kept.len(), coef.n_cols());
        let mut out = Mat::zeros(x.len(), t);
        if n == 0 || t == 0 {
            return Ok(out);
        }
        out.as_mut_slice().par_chunks_mut(ROWS * t).enumerate().for_each_init(Vec::new, |block, (b, out)| {
            let rows = b * ROWS..b * ROWS + out.len() / t;
            block.resize(rows.len() * n, 0.0);
            self.block(&left, rows.clone(), &right, block);
            if let Some(block) = MatRef::row_major(block, rows.len(), n) {
                gemm_into(1.0, block, coef.view(), 0.0, out);
            }
        });
        Ok(out)
    }
}
