//! Normal equations: when they can be trusted, and their solution of least norm where there are many.

use mercer_math::{Cholesky, Mat, eigh};

/// Whether a Cholesky factor has lost at most half the digits: its diagonal squares against the matrix's.
pub(crate) fn well_conditioned(factor: &Cholesky, a: &Mat) -> bool {
    let l = factor.l();
    (0..a.n_rows()).all(|j| l[(j, j)] * l[(j, j)] > 1e-10 * a[(j, j)])
}

/// A⁺B and the rank of a symmetric positive semi-definite A. Where A is regular in the units of its own diagonal, columns
/// of any size are solved alike; else what is asked for is the solution of least norm, which has no units but A's.
pub(crate) fn minimum_norm(a: &Mat, b: &Mat) -> Option<(Mat, usize)> {
    let own: Vec<f64> = (0..a.n_rows()).map(|j| a[(j, j)].sqrt()).collect();
    let largest = own.iter().fold(0.0f64, |m, v| m.max(*v));
    let regular = own.iter().all(|v| *v > 0.0).then(|| pseudo_inverse(a, b, &own)).flatten();
    match regular {
        Some((w, rank)) if rank == a.n_rows() => Some((w, rank)),
        _ => pseudo_inverse(a, b, &vec![if largest > 0.0 { largest } else { 1.0 }; own.len()]),
    }
}

/// D⁻¹ (D⁻¹AD⁻¹)⁺ D⁻¹ B and the rank, for units D of the columns.
fn pseudo_inverse(a: &Mat, b: &Mat, units: &[f64]) -> Option<(Mat, usize)> {
    let n = a.n_rows();
    let eigen = eigh(&Mat::from_fn(n, n, |i, j| a[(i, j)] / units[i] / units[j]))?;
    let cut = eigen.values.first().copied().unwrap_or(0.0).max(0.0) * n as f64 * f64::EPSILON;
    let rank = eigen.values.iter().filter(|v| **v > cut).count();
    let right = Mat::from_fn(n, b.n_cols(), |i, k| b[(i, k)] / units[i]);
    let mut projected = mercer_math::matmul(eigen.vectors.view().t(), right.view());
    for (i, &value) in eigen.values.iter().enumerate() {
        let inverse = if value > cut { 1.0 / value } else { 0.0 };
        projected.row_mut(i).iter_mut().for_each(|v| *v *= inverse);
    }
    let w = mercer_math::matmul(eigen.vectors.view(), projected.view());
    Some((Mat::from_fn(n, b.n_cols(), |i, k| w[(i, k)] / units[i]), rank))
}
