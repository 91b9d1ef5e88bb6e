//! Second derivatives of the logistic loss put to use: preconditioners and Newton's direction.

use crate::logistic_loss::{Dims, LogisticSums};
use mercer_math::{Cholesky, Mat, MatRef, eigh, gemv, matmul, symmetrise};
use serde::{Deserialize, Serialize};

/// An approximate inverse of the Hessian: linear, symmetric, positive definite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Preconditioner {
    /// Nothing is known yet.
    Identity,
    /// One factor for each entry.
    Diagonal(Vec<f64>),
    /// With one score, an inverse matrix.
    Inverse(Mat),
    /// With more: the scores turned by the first matrix, an inverse for each, turned back.
    Turned(Mat, Vec<Mat>),
}

/// Directions of the scores in which the start has no curvature.
const FLAT: f64 = 1e-10;

impl Preconditioner {
    /// From the sums at the start, where every row has the same probabilities `p`. The Hessian there is
    /// A ⊗ Σ s x xᵀ / Σ s + λI with A = diag(p) − ppᵀ, so that turning the scores to the eigenvectors of A
    /// leaves one matrix of the size of the features for each of them.
    pub(crate) fn at_start(dims: Dims, sums: &LogisticSums, p: &[f64], total: f64, lambda: f64) -> Self {
        let k = dims.columns();
        let a = match k {
            1 => Mat::from_fn(1, 1, |_, _| p[0] * p[1]),
            _ => Mat::from_fn(k, k, |a, b| if a == b { p[a] * (1.0 - p[a]) } else { -p[a] * p[b] }),
        };
        match sums.grams.first() {
            Some(gram) if sums.sampled > 0.0 => {
                let mut gram = gram.clone();
                symmetrise(&mut gram);
                mercer_math::scale(1.0 / sums.sampled, gram.as_mut_slice());
                Self::from_gram(dims, &gram, &a, lambda)
            }
            _ if !sums.diagonal.is_empty() => {
                let mean = |j: usize| sums.diagonal[j] / total;
                let entry =
                    |j: usize, k: usize| mean(j) * a[(k, k)] + if j < dims.features { lambda } else { 0.0 };
                let values = (0..dims.width()).flat_map(|j| (0..k).map(move |k| (j, k)));
                Self::Diagonal(values.map(|(j, k)| reciprocal(entry(j, k))).collect())
            }
            _ => Self::Identity,
        }
    }

    fn from_gram(dims: Dims, gram: &Mat, a: &Mat, lambda: f64) -> Self {
        let inverse = |curvature: f64| {
            if curvature <= FLAT {
                // Gradients have nothing in this direction but rounding, which must not be blown up.
                return Mat::identity(dims.width());
            }
            regular_inverse(dims, gram, curvature, lambda)
        };
        match eigh(a) {
            _ if a.n_rows() == 1 => Self::Inverse(inverse(a[(0, 0)])),
            Some(e) => Self::Turned(e.vectors, e.values.iter().map(|v| inverse(*v)).collect()),
            None => Self::Identity,
        }
    }

    /// The preconditioned vector.
    pub(crate) fn apply(&self, g: &[f64]) -> Vec<f64> {
        match self {
            Self::Identity => g.to_vec(),
            Self::Diagonal(d) => g.iter().zip(d).map(|(g, d)| g * d).collect(),
            Self::Inverse(m) => gemv(m.view(), g),
            Self::Turned(q, inverses) => {
                let k = inverses.len();
                let Some(g) = MatRef::row_major(g, g.len() / k, k) else { return g.to_vec() };
                let mut turned = matmul(g, q.view());
                for (c, m) in inverses.iter().enumerate() {
                    let solved = gemv(m.view(), &turned.col(c));
                    solved.iter().enumerate().for_each(|(j, v)| turned[(j, c)] = *v);
                }
                matmul(turned.view(), q.view().t()).into_vec()
            }
        }
    }
}

/// The inverse of curvature · gram + λI, scaled to a unit diagonal and made safely regular on the way, so that
/// neither scales nor dependent columns matter.
fn regular_inverse(dims: Dims, gram: &Mat, curvature: f64, lambda: f64) -> Mat {
    let n = gram.n_rows();
    let penalty = |j: usize| if j < dims.features { lambda } else { 0.0 };
    let roots: Vec<f64> = (0..n).map(|j| reciprocal(curvature * gram[(j, j)] + penalty(j)).sqrt()).collect();
    let scaled = Mat::from_fn(n, n, |i, j| match i == j {
        true => 1.0 + 1e-8,
        false => curvature * gram[(i, j)] * roots[i] * roots[j],
    });
    let inverse =
        Cholesky::new(&scaled).map(|c| c.inverse()).filter(|m| m.view().find_non_finite().is_none());
    let inverse = inverse.unwrap_or_else(|| Mat::identity(n));
    Mat::from_fn(n, n, |i, j| inverse[(i, j)] * roots[i] * roots[j])
}

/// 1 / v where that is a finite positive number, else 1.
fn reciprocal(v: f64) -> f64 {
    if v > 1e-300 && v.is_finite() { 1.0 / v } else { 1.0 }
}

/// A factored Hessian.
#[derive(Debug)]
pub(crate) struct Newton {
    factor: Option<Cholesky>,
    columns: usize,
}

impl Newton {
    /// From the sums of a pass that gathered the whole Hessian; `active` says which classes occur, `lambdas` the weights of the
    /// squared coefficients and of the squared intercepts.
    ///
    /// Softmax scores may all move together without changing the loss. The gradient has nothing in those
    /// directions, so any curvature may be added there: it makes the matrix regular and the step no other.
    pub(crate) fn new(
        dims: Dims,
        sums: &LogisticSums,
        active: &[bool],
        total: f64,
        lambdas: (f64, f64),
    ) -> Self {
        let (k, width) = (dims.columns(), dims.width());
        let mut h = Mat::zeros(k * width, k * width);
        for (pair, gram) in sums.grams.iter().enumerate() {
            let (a, b) = pair_of(pair);
            for i in 0..width {
                for j in 0..width {
                    // Each gram is symmetric and its lower triangle is filled.
                    h[(a * width + i, b * width + j)] = gram[(i.max(j), i.min(j))] / total;
                }
            }
        }
        for j in 0..width {
            let lambda = if j < dims.features { lambdas.0 } else { lambdas.1 };
            let mean = (0..k).map(|a| h[(a * width + j, a * width + j)]).sum::<f64>() / k as f64;
            let spread = if mean > 0.0 { mean } else { 1.0 };
            for a in 0..k {
                if lambda > 0.0 {
                    h[(a * width + j, a * width + j)] += lambda;
                } else if k > 1 && active[a] {
                    (0..=a).filter(|&b| active[b]).for_each(|b| h[(a * width + j, b * width + j)] += spread);
                }
                if k > 1 && !active[a] {
                    h[(a * width + j, a * width + j)] += 1.0;
                }
            }
        }
        Self { factor: factor(h), columns: k }
    }

    /// H⁻¹ g.
    pub(crate) fn solve(&self, g: &[f64]) -> Vec<f64> {
        let (k, width) = (self.columns, g.len() / self.columns);
        let Some(factor) = &self.factor else { return g.to_vec() };
        let by_class: Vec<f64> = (0..k).flat_map(|a| (0..width).map(move |j| g[j * k + a])).collect();
        let solved = factor.solve_vec(&by_class);
        (0..width).flat_map(|j| (0..k).map(move |a| (j, a))).map(|(j, a)| solved[a * width + j]).collect()
    }
}

/// The scores a >= b of a pair, numbered by rows of the triangle.
fn pair_of(pair: usize) -> (usize, usize) {
    let mut a = 0;
    while (a + 1) * (a + 2) / 2 <= pair {
        a += 1;
    }
    (a, pair - a * (a + 1) / 2)
}

/// Cholesky, with more and more added to the diagonal where columns depend on each other.
pub(crate) fn factor(mut h: Mat) -> Option<Cholesky> {
    let n = h.n_rows();
    let largest = (0..n).fold(0.0f64, |s, j| s.max(h[(j, j)]));
    for j in 0..n {
        h[(j, j)] += if h[(j, j)] > 0.0 { 0.0 } else { largest.max(1.0) };
    }
    for ridge in [0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1.0] {
        (0..n).for_each(|j| h[(j, j)] *= 1.0 + ridge);
        if let Some(factor) = Cholesky::new(&h) {
            return Some(factor);
        }
    }
    None
}
