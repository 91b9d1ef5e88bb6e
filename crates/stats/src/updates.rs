//! Inverses after small changes, definiteness, norms.

use mercer_core::{Error, Result};
use mercer_math::{Mat, MatRef, dot, eigvalsh, matmul, svd};

/// The inverse of A + uvᵀ from that of A (Sherman, Morrison 1950): A⁻¹ − A⁻¹uvᵀA⁻¹ / (1 + vᵀA⁻¹u). `None` where it is singular.
///
/// # Example
/// ```
/// use mercer_math::Mat;
/// let found = mercer_stats::sherman_morrison(&Mat::from_rows(&[[0.5]]).unwrap(), &[1.0], &[2.0])?.unwrap();
/// assert_eq!(found[(0, 0)], 0.25);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn sherman_morrison(inverse: &Mat, u: &[f64], v: &[f64]) -> Result<Option<Mat>> {
    let n = inverse.n_rows();
    for (what, size) in
        [("columns of the inverse", inverse.n_cols()), ("values of u", u.len()), ("values of v", v.len())]
    {
        if size != n {
            return Err(Error::shape(what, n, size));
        }
    }
    let left: Vec<f64> = (0..n).map(|i| dot(inverse.row(i), u)).collect();
    let right: Vec<f64> = (0..n).map(|j| (0..n).map(|i| v[i] * inverse[(i, j)]).sum()).collect();
    let (product, size): (f64, f64) = (dot(v, &left), v.iter().zip(&left).map(|(a, b)| (a * b).abs()).sum());
    let pivot = 1.0 + product;
    // What rounding alone may leave of a pivot is no pivot.
    if pivot.abs() <= 1e-14 * (1.0 + size) || !pivot.is_finite() {
        return Ok(None);
    }
    Ok(Some(Mat::from_fn(n, n, |i, j| inverse[(i, j)] - left[i] * right[j] / pivot)))
}

/// The inverse of A + UCV from that of A (Woodbury 1950): A⁻¹ − A⁻¹U (C⁻¹ + VA⁻¹U)⁻¹ VA⁻¹. Given are the inverses of A and C;
/// `None` where the sum is singular.
pub fn woodbury(a_inverse: &Mat, u: &Mat, c_inverse: &Mat, v: &Mat) -> Result<Option<Mat>> {
    let (n, k) = (a_inverse.n_rows(), c_inverse.n_rows());
    let sizes = [
        ("columns of A⁻¹", n, a_inverse.n_cols()),
        ("rows of U", n, u.n_rows()),
        ("columns of U", k, u.n_cols()),
        ("columns of C⁻¹", k, c_inverse.n_cols()),
        ("rows of V", k, v.n_rows()),
        ("columns of V", n, v.n_cols()),
    ];
    if let Some((what, expected, got)) = sizes.into_iter().find(|(_, a, b)| a != b) {
        return Err(Error::shape(what, expected, got));
    }
    let left = matmul(a_inverse.view(), u.view());
    let right = matmul(v.view(), a_inverse.view());
    let small = matmul(v.view(), left.view());
    let core = Mat::from_fn(k, k, |i, j| c_inverse[(i, j)] + small[(i, j)]);
    let Some((solved, rank)) = mercer_math::lstsq(core.view(), right.view(), None) else { return Ok(None) };
    if rank < k {
        return Ok(None);
    }
    let less = matmul(left.view(), solved.view());
    Ok(Some(Mat::from_fn(n, n, |i, j| a_inverse[(i, j)] - less[(i, j)])))
}

/// What the eigenvalues of a symmetric matrix say of it. Leading minors judge definiteness alone, not semi-definiteness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Definiteness {
    /// The smallest eigenvalue.
    pub smallest: f64,
    /// The largest eigenvalue.
    pub largest: f64,
    /// Whether all eigenvalues are above what rounding may leave.
    pub positive_definite: bool,
    /// Whether no eigenvalue is below what rounding may leave.
    pub positive_semidefinite: bool,
}

impl Definiteness {
    /// How far from zero rounding may put an eigenvalue.
    pub(crate) fn slack(a: &Mat) -> f64 {
        let largest = a.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        4.0 * a.n_rows() as f64 * f64::EPSILON * largest
    }
}

/// Whether a symmetric matrix is positive definite or semi-definite, by its eigenvalues.
pub fn definiteness(a: &Mat) -> Result<Definiteness> {
    crate::gaussian::square("a", a, a.n_rows())?;
    let values = eigvalsh(a).ok_or_else(|| Error::numeric("definiteness", "eigenvalues did not converge"))?;
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let slack = Definiteness::slack(a);
    Ok(Definiteness {
        smallest,
        largest,
        positive_definite: smallest > slack,
        positive_semidefinite: smallest >= -slack,
    })
}

/// The p-norm of a vector, (Σ|xᵢ|ᵖ)^{1/p} for p ≥ 1; p = 0 counts values other than zero, infinity takes the largest.
pub fn vector_norm(x: &[f64], p: f64) -> Result<f64> {
    if !(p == 0.0 || p >= 1.0) {
        return Err(Error::param("vector_norm", "p", "0 or in [1, inf]", p));
    }
    if let Some(nan) = x.iter().find(|v| v.is_nan()) {
        return Ok(*nan);
    }
    let largest = x.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if p == 0.0 {
        return Ok(x.iter().filter(|v| **v != 0.0).count() as f64);
    }
    if p.is_infinite() || largest == 0.0 || !largest.is_finite() {
        return Ok(largest);
    }
    // Divided by the largest, so that no power overflows.
    Ok(largest * x.iter().map(|v| (v.abs() / largest).powf(p)).sum::<f64>().powf(1.0 / p))
}

/// A norm of a matrix: `fro`, `nuc` (sum of singular values), `2` (the largest of them), `1` (largest column), `inf` (largest row).
pub fn matrix_norm(a: MatRef<'_>, kind: &str) -> Result<f64> {
    let (n, m) = (a.n_rows(), a.n_cols());
    let sums = |rows: usize, cols: usize, at: &dyn Fn(usize, usize) -> f64| {
        (0..rows).map(|i| (0..cols).map(|j| at(i, j).abs()).sum::<f64>()).fold(0.0, f64::max)
    };
    let singular = || {
        let values = svd(a).map(|s| s.s);
        values.ok_or_else(|| Error::numeric("matrix_norm", "singular values did not converge"))
    };
    match kind {
        "fro" => vector_norm(&(0..n).flat_map(|i| (0..m).map(move |j| a.get(i, j))).collect::<Vec<_>>(), 2.0),
        "1" => Ok(sums(m, n, &|j, i| a.get(i, j))),
        "inf" => Ok(sums(n, m, &|i, j| a.get(i, j))),
        "2" => Ok(singular()?.into_iter().fold(0.0, f64::max)),
        "nuc" => Ok(singular()?.into_iter().sum()),
        _ => Err(Error::param("matrix_norm", "kind", "fro, nuc, 2, 1 or inf", kind)),
    }
}
