//! Decision functions of rows: sums of kernel values over support vectors.

use super::machine::pairs;
use super::model::Scheme;
use crate::kernel::{Kernel, Points, PointsRef, Side};
use mercer_core::Result;
use mercer_math::{Mat, MatRef, dot, gemm_into};
use rayon::prelude::*;
use std::ops::Range;

/// Rows and vectors of a tile of kernel values.
const ROWS: usize = 32;
const VECTORS: usize = 1024;

/// Coefficients of support vectors.
pub(crate) struct Scores<'m> {
    pub(crate) scheme: Scheme,
    pub(crate) n_support: &'m [usize],
    pub(crate) dual_coef: &'m Mat,
}

impl Scores<'_> {
    /// The vectors whose sums are kept apart: those of each class for pairs, all otherwise.
    fn segments(&self) -> Vec<Range<usize>> {
        match self.scheme {
            Scheme::Pairs => {
                let ends = self.n_support.iter().scan(0, |end, n| {
                    *end += n;
                    Some(*end - n..*end)
                });
                ends.collect()
            }
            Scheme::Rest | Scheme::Joint | Scheme::One => {
                std::iter::once(0..self.dual_coef.n_cols()).collect()
            }
        }
    }

    fn n_functions(&self) -> usize {
        match self.scheme {
            Scheme::Pairs => self.n_support.len() * (self.n_support.len() - 1) / 2,
            Scheme::Rest | Scheme::Joint | Scheme::One => self.dual_coef.n_rows(),
        }
    }

    /// The decision functions from the sums of each segment, `dual_coef` rows each.
    fn join(&self, sums: &[&[f64]], out: &mut [f64]) {
        match self.scheme {
            Scheme::Pairs => {
                for (o, (a, b)) in out.iter_mut().zip(pairs(sums.len() as u32)) {
                    *o = sums[a as usize][b as usize - 1] + sums[b as usize][a as usize];
                }
            }
            Scheme::Rest | Scheme::Joint | Scheme::One => out.copy_from_slice(sums[0]),
        }
    }

    /// The decision functions of points, without intercepts; in parallel, in fixed blocks.
    pub(crate) fn of(&self, kernel: &Kernel, points: PointsRef<'_>, vectors: &Points) -> Result<Mat> {
        let segments = self.segments();
        let chunk = |(s, range): (usize, &Range<usize>)| {
            let (start, end) = (range.start, range.end);
            (start..end).step_by(VECTORS).map(move |a| (s, a..(a + VECTORS).min(end))).collect::<Vec<_>>()
        };
        let chunks: Vec<(usize, Range<usize>)> = segments.iter().enumerate().flat_map(chunk).collect();
        let left = kernel.side(points)?;
        let right: Vec<Side<'_>> = chunks
            .iter()
            .map(|(_, r)| kernel.side(vectors.view().range(r.clone())))
            .collect::<Result<_>>()?;
        let (n, functions, width) = (points.len(), self.n_functions(), self.dual_coef.n_rows());
        let mut out = Mat::zeros(n, functions);
        out.as_mut_slice().par_chunks_mut(ROWS * functions.max(1)).enumerate().for_each(|(b, out)| {
            let rows = b * ROWS..b * ROWS + out.len() / functions;
            let (mut tile, mut sums) = (vec![0.0; ROWS * VECTORS], vec![0.0; segments.len() * ROWS * width]);
            for ((segment, range), right) in chunks.iter().zip(&right) {
                let tile = &mut tile[..rows.len() * range.len()];
                kernel.block(&left, rows.clone(), right, tile);
                let sums = &mut sums[segment * ROWS * width..][..rows.len() * width];
                self.add(tile, range, sums);
            }
            for (r, out) in out.chunks_mut(functions).enumerate() {
                let of = |s: usize| &sums[(s * ROWS + r) * width..][..width];
                self.join(&(0..segments.len()).map(of).collect::<Vec<_>>(), out);
            }
        });
        Ok(out)
    }

    /// Adds the products of a tile with its vectors' coefficients.
    fn add(&self, tile: &[f64], range: &Range<usize>, sums: &mut [f64]) {
        let (width, total) = (self.dual_coef.n_rows(), self.dual_coef.n_cols());
        if width == 1 {
            let own = &self.dual_coef.as_slice()[range.clone()];
            sums.iter_mut().zip(tile.chunks(range.len())).for_each(|(s, k)| *s += dot(k, own));
            return;
        }
        let rows = tile.len() / range.len();
        let coef = MatRef::strided(&self.dual_coef.as_slice()[range.start..], range.len(), width, 1, total);
        if let (Some(tile), Some(coef)) = (MatRef::row_major(tile, rows, range.len()), coef) {
            gemm_into(1.0, tile, coef, 1.0, sums);
        }
    }

    /// Σ c x of each decision function, where vectors are rows.
    pub(crate) fn coef(&self, vectors: &Points, d: usize) -> Option<Mat> {
        let segments = self.segments();
        let width = self.dual_coef.n_rows();
        let mut sums = vec![0.0; segments.len() * width * d];
        for (s, range) in segments.iter().enumerate() {
            for at in range.clone() {
                for m in 0..width {
                    let (c, out) = (self.dual_coef[(m, at)], &mut sums[(s * width + m) * d..][..d]);
                    match vectors {
                        Points::Dense(x) => out.iter_mut().zip(x.row(at)).for_each(|(o, x)| *o += c * x),
                        Points::Sparse(x) => {
                            let (columns, values) = x.view().row(at);
                            columns.iter().zip(values).for_each(|(&j, v)| out[j as usize] += c * v);
                        }
                        Points::Strings(_) | Points::Places(_) | Points::Series(_) | Points::Graphs(_) => {
                            return None;
                        }
                    }
                }
            }
        }
        let functions = self.n_functions();
        let mut out = Mat::zeros(functions, d);
        for j in 0..d {
            let each: Vec<Vec<f64>> = (0..segments.len())
                .map(|s| (0..width).map(|m| sums[(s * width + m) * d + j]).collect())
                .collect();
            let mut column = vec![0.0; functions];
            self.join(&each.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut column);
            column.into_iter().enumerate().for_each(|(f, v)| out[(f, j)] = v);
        }
        Some(out)
    }
}
