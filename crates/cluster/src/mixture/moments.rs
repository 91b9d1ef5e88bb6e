//! The E-step of full covariances by products of features: distances and statistics as two matrix products for all components.
//!
//! With φ(c) = (1, cᵢ, cᵢcⱼ) of rows c = x − origin, the squared Mahalanobis distances of all components are linear in φ,
//! and Σ r φ holds their statistics: O(n k d²/2) for both, in products of the best shape. Rounding grows with the squared distance of a
//! mean from the origin in units of its component, so that this is done only where it is moderate; elsewhere rows are whitened.

use super::gaussians::{CovarianceType, Gaussians, square};
use super::kernel::GaussianSums;
use mercer_math::{Mat, MatRef, gemm_into, matmul, wide};

/// Squared distances of means from the origin, in units of their components, up to which rounding of a log-likelihood stays near 1e-10.
const FAR: f64 = 1e6;
/// Features of a row beyond which whitening is as fast.
const WIDE: usize = 40;
/// Products of features that are in cache at a time.
const VALUES: usize = 1 << 15;

/// Components as linear functions of the products of features.
#[derive(Debug)]
pub(crate) struct Moments<'a> {
    at: &'a Gaussians,
    places: &'a [f64],
    /// What squared distances are of the products: components by products.
    linear: Mat,
}

/// 1, features and their products.
fn n_products(d: usize) -> usize {
    1 + d + d * (d + 1) / 2
}

impl<'a> Moments<'a> {
    /// The rows of a chunk.
    pub(crate) fn rows(d: usize) -> usize {
        (VALUES / n_products(d) / 16 * 16).clamp(32, 256)
    }

    /// The components, where this way is fast and accurate; `places` are the whitened means from the origin.
    pub(crate) fn new(at: &'a Gaussians, places: &'a [f64]) -> Option<Self> {
        let (k, d) = (at.n_components(), at.n_features());
        let near = |place: &[f64]| place.iter().map(|p| p * p).sum::<f64>() <= FAR;
        if at.form != CovarianceType::Full || !(4..=WIDE).contains(&d) || !places.chunks_exact(d).all(near) {
            return None;
        }
        let mut linear = Mat::zeros(k, n_products(d));
        for c in 0..k {
            let (factor, place) = (square(at.factor(c), d), &places[c * d..(c + 1) * d]);
            let precision = matmul(factor, factor.t());
            let out = linear.row_mut(c);
            out[0] = place.iter().map(|p| p * p).sum();
            for i in 0..d {
                // Aμ = P (Pᵀμ), and Pᵀμ is the whitened mean.
                out[1 + i] = -2.0 * (0..d).map(|j| factor.get(i, j) * place[j]).sum::<f64>();
            }
            let mut next = 1 + d;
            for i in 0..d {
                for j in i..d {
                    out[next] = if i == j { precision[(i, i)] } else { 2.0 * precision[(i, j)] };
                    next += 1;
                }
            }
        }
        Some(Self { at, places, linear })
    }

    /// Memory for the products of a chunk of `m` rows.
    pub(crate) fn products(&self, m: usize) -> Vec<f64> {
        vec![0.0; n_products(self.at.n_features()) * m]
    }

    /// Memory for the sums of products of all components.
    pub(crate) fn sums(&self) -> Vec<f64> {
        vec![0.0; n_products(self.at.n_features()) * self.at.n_components()]
    }

    /// The products of a chunk of `m` rows, whose features are rows; then the squared distances of all components.
    pub(crate) fn distances(&self, rows: &[f64], m: usize, products: &mut [f64], out: &mut [f64]) {
        let d = self.at.n_features();
        let products = &mut products[..n_products(d) * m];
        products[..m].fill(1.0);
        products[m..(1 + d) * m].copy_from_slice(&rows[..d * m]);
        let mut next = (1 + d) * m;
        for i in 0..d {
            let a = &rows[i * m..(i + 1) * m];
            for j in i..d {
                let (b, out) = (&rows[j * m..(j + 1) * m], &mut products[next..next + m]);
                wide(|| out.iter_mut().zip(a.iter().zip(b)).for_each(|(o, (a, b))| *o = a * b));
                next += m;
            }
        }
        if let Some(products) = MatRef::row_major(products, n_products(d), m) {
            gemm_into(1.0, self.linear.view(), products, 0.0, out);
        }
    }

    /// Adds Σ r φ of a chunk to `sums`, products by components.
    pub(crate) fn add(&self, products: &[f64], shares: &[f64], m: usize, sums: &mut [f64]) {
        let count = n_products(self.at.n_features());
        let products = MatRef::row_major(&products[..count * m], count, m);
        let shares = MatRef::row_major(shares, self.at.n_components(), m);
        if let (Some(products), Some(shares)) = (products, shares) {
            gemm_into(1.0, products, shares.t(), 1.0, sums);
        }
    }

    /// The sums of products as sums of whitened rows: Pᵀ (S − f μᵀ − μ fᵀ + N μμᵀ) P.
    pub(crate) fn whitened(&self, sums: &[f64], out: &mut GaussianSums) {
        let (k, d) = (self.at.n_components(), self.at.n_features());
        for c in 0..k {
            let sum = |f: usize| sums[f * k + c];
            let mut raw = Mat::zeros(d, d);
            let mut next = 1 + d;
            for i in 0..d {
                for j in i..d {
                    (raw[(i, j)], raw[(j, i)]) = (sum(next), sum(next));
                    next += 1;
                }
            }
            let factor = square(self.at.factor(c), d);
            let half = matmul(factor.t(), raw.view());
            let white = matmul(half.view(), factor);
            let place = &self.places[c * d..(c + 1) * d];
            let first: Vec<f64> =
                (0..d).map(|j| (0..d).map(|i| factor.get(i, j) * sum(1 + i)).sum::<f64>()).collect();
            let n = sum(0);
            for i in 0..d {
                out.firsts[c * d + i] += first[i] - n * place[i];
                for j in 0..d {
                    let moved =
                        white[(i, j)] - first[i] * place[j] - place[i] * first[j] + n * place[i] * place[j];
                    out.seconds[(c * d + i) * d + j] += moved;
                }
            }
        }
    }
}
