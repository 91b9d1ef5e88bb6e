//! Eigenvectors of Gram matrices, and what models of them share.

use crate::kernel::{Held, Kernel, Points, PointsRef};
use mercer_core::{Attribute, Choice, Dataset, Error, Result, Schema, Session};
use mercer_math::{Mat, eigh, matmul, matmul_parallel, randomized_svd};

/// How the eigenvectors are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum EigenSolver {
    /// All of them, but for few components of more than 3,000 points.
    Auto,
    /// All of them.
    Dense,
    /// scikit-learn's name for some of them; here the same as `auto`.
    Arpack,
    /// A randomised range.
    Randomized,
}

pub(super) const RESIDUAL: &str = "eigenvector residual";
pub(super) const MEANING: &str = "largest entry of Ku − λu over the largest λ: zero for exact eigenvectors";
/// Eigenvalues below this share of the largest are zero.
const ZERO: f64 = 1e-12;
/// More points than this are not decomposed whole where few components are asked for.
const MANY: usize = 3000;

/// Eigenvalues, falling, and eigenvectors of a Gram matrix: `wanted` of them, or those that are not zero.
pub(super) fn spectrum(
    who: &str,
    gram: &Mat,
    wanted: Option<usize>,
    keep_zero: bool,
    solver: EigenSolver,
    session: &Session,
) -> Result<(Vec<f64>, Mat)> {
    let n = gram.n_rows();
    let bad =
        || Error::numeric(who, "the Gram matrix has no eigenvalues: values of the kernel are not finite");
    let few = wanted.filter(|k| n > MANY && *k < n / 10);
    let (values, vectors) = match (solver, few, wanted) {
        (EigenSolver::Auto | EigenSolver::Arpack, Some(k), _) | (EigenSolver::Randomized, _, Some(k)) => {
            let found = randomized_svd(gram.view(), k.min(n), 10, 7, &mut session.rng(0)).ok_or_else(bad)?;
            let sign = |k: usize| {
                let largest = (0..n)
                    .map(|i| found.u[(i, k)])
                    .fold(0.0f64, |m, v| if v.abs() > m.abs() { v } else { m });
                if largest < 0.0 { -1.0 } else { 1.0 }
            };
            let signs: Vec<f64> = (0..found.s.len()).map(sign).collect();
            let vectors = Mat::from_fn(n, found.s.len(), |i, k| found.u[(i, k)] * signs[k]);
            // Singular values have no sign: it is that of the quotient of Rayleigh.
            let images = matmul(gram.view(), vectors.view());
            let quotient = |k: usize| (0..n).map(|i| vectors[(i, k)] * images[(i, k)]).sum::<f64>();
            let values = found.s.iter().enumerate().map(|(k, s)| s.copysign(quotient(k))).collect();
            (values, vectors)
        }
        _ => {
            let found = eigh(gram).ok_or_else(bad)?;
            (found.values, found.vectors)
        }
    };
    // Negative eigenvalues hurt where their directions are asked for.
    let largest = values.iter().fold(0.0f64, |m, v| m.max(*v));
    let asked = &values[..wanted.unwrap_or(n).min(values.len())];
    if let Some(least) = asked.iter().find(|v| **v < -1e-5 * largest.max(f64::MIN_POSITIVE)) {
        let reason = format!(
            "There are significant negative eigenvalues ({least:e}, the largest is {largest:e}): the kernel is not positive \
             semi-definite; ask for fewer components"
        );
        return Err(Error::numeric(who, reason));
    }
    let values: Vec<f64> = values.into_iter().map(|v| if v > ZERO * largest { v } else { 0.0 }).collect();
    let nonzero = values.iter().filter(|v| **v > 0.0).count();
    let k = match wanted {
        Some(k) if keep_zero => k.min(values.len()),
        Some(k) => k.min(nonzero),
        None => nonzero,
    };
    if k == 0 {
        return Err(Error::numeric(
            who,
            "all points are the same to this kernel: there is no direction to keep",
        ));
    }
    Ok((values[..k].to_vec(), Mat::from_fn(n, k, |i, j| vectors[(i, j)])))
}

/// The largest entry of K u − λ u over the largest λ.
pub(super) fn residual(gram: &Mat, values: &[f64], vectors: &Mat) -> f64 {
    let image = matmul_parallel(gram.view(), vectors.view());
    let off = |i: usize, k: usize| (image[(i, k)] - values[k] * vectors[(i, k)]).abs();
    let worst =
        (0..vectors.n_rows()).flat_map(|i| (0..values.len()).map(move |k| (i, k))).map(|(i, k)| off(i, k));
    let worst = worst.fold(0.0f64, |m, v| if v > m || v.is_nan() { v } else { m });
    worst / values.first().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE)
}

/// u/√λ, and 0 where λ is.
pub(super) fn turned(values: &[f64], vectors: &Mat) -> Mat {
    let root = |k: usize| if values[k] > 0.0 { 1.0 / values[k].sqrt() } else { 0.0 };
    Mat::from_fn(vectors.n_rows(), values.len(), |i, k| vectors[(i, k)] * root(k))
}

/// The Gram matrix with the mean point of feature space as origin, the mean of each column and of all.
pub(super) fn centred(mut gram: Mat) -> (Mat, Vec<f64>, f64) {
    let n = gram.n_rows();
    let means: Vec<f64> = (0..n).map(|i| mercer_math::sum(gram.row(i)) / n.max(1) as f64).collect();
    let mean = mercer_math::sum(&means) / n.max(1) as f64;
    for i in 0..n {
        let own = means[i] - mean;
        gram.row_mut(i).iter_mut().zip(&means).for_each(|(v, m)| *v -= m + own);
    }
    (gram, means, mean)
}

pub(super) fn gram_again(who: &str, kernel: &Kernel, n: usize, data: &Dataset<'_>) -> Result<Mat> {
    let input = data.input();
    let held = Held::new(who, kernel.data_kind(), &input)?;
    if held.view().len() != n {
        return Err(Error::shape(format!("points that {who} learnt from"), n, held.view().len()));
    }
    Ok(kernel.gram(&kernel.side(held.view())?))
}

pub(super) fn eigen_attributes(values: &[f64], vectors: &Mat, points: &Points) -> Vec<Attribute> {
    let shape = [vectors.n_rows(), vectors.n_cols()];
    let mut all = vec![
        Attribute::real("eigenvalues_", "The eigenvalues, falling.", &[values.len()], values.to_vec()),
        Attribute::real("eigenvectors_", "The eigenvectors as columns.", &shape, vectors.as_slice().to_vec()),
    ];
    if let PointsRef::Dense(x) = points.view() {
        let shape = [x.n_rows(), x.n_cols()];
        all.push(Attribute::real("X_fit_", "The points of training.", &shape, x.to_mat().into_vec()));
    }
    all
}

pub(super) fn eigen_fits(
    kernel: &Kernel,
    points: &Points,
    values: &[f64],
    vectors: &Mat,
    schema: &Schema,
) -> bool {
    points.fits(schema.n_features())
        && vectors.is_consistent()
        && vectors.n_rows() == points.len()
        && vectors.n_cols() == values.len()
        && values.iter().all(|v| *v >= 0.0)
        && kernel.takes(points.view())
}
