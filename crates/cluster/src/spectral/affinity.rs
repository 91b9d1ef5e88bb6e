//! Affinities of all pairs, and their normalised matrix.

use super::{Affinity, SpectralClustering};
use crate::space::{ClusterSearch, Reach, Space};
use mercer_core::{Error, Result, Session};
use mercer_math::{Mat, sq_dist};
use rayon::prelude::*;

/// D^(-1/2) A D^(-1/2), and the roots of the degrees. As in scikit-learn, affinities of rows to themselves do not count.
pub(super) struct Normalised {
    pub(super) matrix: Mat,
    pub(super) roots: Vec<f64>,
}

impl Normalised {
    pub(super) fn new(mut affinity: Mat) -> Self {
        let n = affinity.n_rows();
        (0..n).for_each(|i| affinity[(i, i)] = 0.0);
        let root = |i: usize| match affinity.row(i).iter().sum::<f64>() {
            degree if degree > 0.0 => degree.sqrt(),
            _ => 1.0,
        };
        let roots: Vec<f64> = (0..n).map(root).collect();
        for (i, row) in affinity.as_mut_slice().chunks_mut(n).enumerate() {
            row.iter_mut().zip(&roots).for_each(|(v, r)| *v /= r * roots[i]);
        }
        Self { matrix: affinity, roots }
    }

    /// The largest entry of N v − λ v over some vectors.
    pub(super) fn residual(&self, values: &[f64], vectors: &Mat) -> f64 {
        let product = mercer_math::matmul(self.matrix.view(), vectors.view());
        let gap = |i: usize, c: usize| (product[(i, c)] - values[c] * vectors[(i, c)]).abs();
        let pairs = (0..vectors.n_rows()).flat_map(|i| (0..values.len()).map(move |c| (i, c)));
        pairs.map(|(i, c)| gap(i, c)).fold(0.0, f64::max)
    }
}

/// The affinities of all pairs, symmetric.
pub(super) fn affinities(
    who: &str,
    space: &Space,
    params: &SpectralClustering,
    session: &Session,
) -> Result<Mat> {
    let n = space.len();
    match params.affinity {
        Affinity::Rbf => {
            let line = |i: usize| {
                let far = |j: usize| sq_dist(space.rows.row(i), space.rows.row(j));
                (0..n).map(|j| (-params.gamma * far(j)).exp()).collect::<Vec<f64>>()
            };
            let lines: Vec<Vec<f64>> = (0..n).into_par_iter().map(line).collect();
            Mat::from_vec(lines.concat(), n, n).ok_or_else(|| Error::numeric(who, "no affinities"))
        }
        Affinity::NearestNeighbors => {
            let mut out = Mat::zeros(n, n);
            let reach = Reach::Count(params.n_neighbors.min(n));
            space.search(ClusterSearch::Auto, 30).each("neighbours", reach, session, |first, found| {
                for i in 0..found.len() {
                    for &j in found.of(i).0 {
                        out[(first + i, j as usize)] += 0.5;
                        out[(j as usize, first + i)] += 0.5;
                    }
                }
            })?;
            Ok(out)
        }
        Affinity::Precomputed => {
            let x = &space.rows;
            let uneven = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
            match uneven
                .into_iter()
                .find(|&(i, j)| (x[(i, j)] - x[(j, i)]).abs() > 1e-8 * x[(i, j)].abs().max(1e-300))
            {
                Some((i, j)) => {
                    Err(Error::numeric(who, format!("affinities are not symmetric: rows {j} and {i}")))
                }
                None => Ok((**x).clone()),
            }
        }
    }
}
