//! Least squares that are reduced to a triangle: solving them, and how far they can be trusted.

use super::frame::Frame;
use mercer_math::{Mat, dot, svd};

/// min_u ‖R u − z‖ for each target, R upper triangular: the same problem as that of the rows it was made of.
pub(crate) struct Reduced {
    /// Coefficients × coefficients, the intercept first.
    pub(crate) r: Mat,
    /// Coefficients × targets.
    pub(crate) z: Mat,
    /// The squared distance of each target from the span of the columns.
    pub(crate) rest: Vec<f64>,
}

impl Reduced {
    /// Splits the triangle of columns and targets together; rows that are missing are zero.
    pub(crate) fn of(triangle: &Mat, width: usize) -> Self {
        let t = triangle.n_cols() - width;
        let at = |i: usize, j: usize| if i < triangle.n_rows() { triangle[(i, j)] } else { 0.0 };
        let below = |k: usize| (width..triangle.n_rows()).map(|i| at(i, width + k).powi(2)).sum();
        Self {
            r: Mat::from_fn(width, width, at),
            z: Mat::from_fn(width, t, |i, k| at(i, width + k)),
            rest: (0..t).map(below).collect(),
        }
    }

    /// R⁻¹, where R is regular to rounding: ‖R‖‖R⁻¹‖ ε n < 1, with n the larger dimension of the rows.
    pub(crate) fn inverse(&self, n_rows: f64) -> Option<Mat> {
        let q = self.r.n_rows();
        (0..q).all(|j| self.r[(j, j)] > 0.0).then_some(())?;
        let mut inverse = Mat::zeros(q, q);
        let mut column = vec![0.0; q];
        for j in 0..q {
            column.fill(0.0);
            column[j] = 1.0;
            backward(&self.r, &mut column[..=j]);
            column[..=j].iter().enumerate().for_each(|(i, v)| inverse[(i, j)] = *v);
        }
        let norm = |m: &Mat| dot(m.as_slice(), m.as_slice()).sqrt();
        let condition = norm(&self.r) * norm(&inverse);
        (condition * f64::EPSILON * n_rows.max(q as f64) < 1.0).then_some(inverse)
    }

    /// u of every target, targets × coefficients, by substitution.
    pub(crate) fn solve(&self) -> Mat {
        let mut out = Mat::zeros(self.z.n_cols(), self.r.n_rows());
        for k in 0..self.z.n_cols() {
            let mut u = self.z.col(k);
            backward(&self.r, &mut u);
            out.row_mut(k).copy_from_slice(&u);
        }
        out
    }

    /// The solution of least norm in the units of the data, its rank, and the singular values of the centred columns.
    pub(crate) fn least_norm(&self, frame: &Frame, n_rows: f64) -> Option<(Mat, usize, Vec<f64>)> {
        let (q, first) = (self.r.n_rows(), usize::from(frame.intercept));
        let largest = frame.unit.iter().fold(0.0f64, |a, b| a.max(*b));
        let part = Mat::from_fn(q - first, q - first, |i, j| {
            self.r[(i + first, j + first)] * (frame.unit[j] / largest)
        });
        let svd = svd(part.view())?;
        let d = (q - first).max(n_rows as usize);
        let cut = svd.s.first().copied().unwrap_or(0.0) * d as f64 * f64::EPSILON;
        let rank = svd.s.iter().filter(|s| **s > cut).count();
        let mut out = Mat::zeros(self.z.n_cols(), q);
        for k in 0..self.z.n_cols() {
            let z = self.z.col(k);
            for (l, &s) in svd.s.iter().enumerate().take(rank) {
                let along = (first..q).map(|i| svd.u[(i - first, l)] * z[i]).sum::<f64>() / s;
                (first..q).for_each(|j| out[(k, j)] += along * svd.vt[(l, j - first)]);
            }
            (first..q).for_each(|j| out[(k, j)] *= frame.unit[j - first] / largest);
            if first == 1 && self.r[(0, 0)] > 0.0 {
                let rest = (1..q).map(|j| self.r[(0, j)] * out[(k, j)]).sum::<f64>();
                out[(k, 0)] = (z[0] - rest) / self.r[(0, 0)];
            }
        }
        Some((out, rank, svd.s.iter().map(|s| s * largest).collect()))
    }

    /// Adds the step (RᵀR)⁻¹ g to u: refinement by seminormal equations; the largest step, relative to u.
    pub(crate) fn refine(&self, u: &mut [f64], g: &[f64]) -> f64 {
        let mut step = g.to_vec();
        forward(&self.r, &mut step);
        backward(&self.r, &mut step);
        let (mut largest, mut size) = (0.0f64, f64::MIN_POSITIVE);
        for (u, s) in u.iter_mut().zip(&step) {
            *u += s;
            largest = crate::linear_model::larger(largest, s.abs());
            size = size.max(u.abs());
        }
        largest / size
    }
}

/// Replaces b by R⁻¹ b, for the leading part of R.
fn backward(r: &Mat, b: &mut [f64]) {
    for i in (0..b.len()).rev() {
        let rest = dot(&r.row(i)[i + 1..b.len()], &b[i + 1..]);
        b[i] = (b[i] - rest) / r[(i, i)];
    }
}

/// Replaces b by R⁻ᵀ b.
fn forward(r: &Mat, b: &mut [f64]) {
    for i in 0..b.len() {
        b[i] /= r[(i, i)];
        let v = b[i];
        b[i + 1..].iter_mut().zip(&r.row(i)[i + 1..]).for_each(|(b, r)| *b -= v * r);
    }
}
