//! The randomised singular value decomposition.

use crate::{Mat, MatRef, Rng, Svd, matmul, matmul_parallel, normal, qr_thin, svd};

/// The `k` largest singular triplets of `x`, approximately, in parallel.
///
/// See [`randomized_svd_with`] for the parameters.
///
/// # Example
/// ```
/// use mercer_math::{Mat, randomized_svd, rng_for};
/// let x = Mat::from_fn(40, 30, |i, j| (i as f64).sin() * (j as f64).cos());
/// let svd = randomized_svd(x.view(), 1, 10, 4, &mut rng_for(0, 0)).unwrap();
/// assert_eq!((svd.u.n_rows(), svd.s.len(), svd.vt.n_cols()), (40, 1, 30));
/// ```
pub fn randomized_svd(
    x: MatRef<'_>,
    k: usize,
    oversample: usize,
    n_power_iter: usize,
    rng: &mut Rng,
) -> Option<Svd> {
    let apply = |v: &Mat| matmul_parallel(x, v.view());
    let apply_t = |u: &Mat| matmul_parallel(x.t(), u.view());
    randomized_svd_with((x.n_rows(), x.n_cols()), &apply, &apply_t, k, oversample, n_power_iter, rng)
}

/// The `k` largest singular triplets of a matrix known by its products: sparse, or centred without a copy.
///
/// Given `apply(V) = X V`, `apply_t(U) = Xᵀ U` and the shape of X; returns at most min(k, n, d) triplets with
/// the sign rule of [`Svd`]. The range of X is sampled with `k + oversample` Gaussian vectors and sharpened by
/// `n_power_iter` rounds of X Xᵀ with a QR before every product, without which small singular values
/// drown in rounding. `None` when a product is not finite. Scikit-learn uses 10 and 4 to 7.
///
/// N. Halko, P. G. Martinsson, J. A. Tropp. Finding structure with randomness. SIAM Review 53(2), 2011,
/// algorithms 4.4 and 5.1. doi:10.1137/090771806
pub fn randomized_svd_with(
    (n_rows, n_cols): (usize, usize),
    apply: &dyn Fn(&Mat) -> Mat,
    apply_t: &dyn Fn(&Mat) -> Mat,
    k: usize,
    oversample: usize,
    n_power_iter: usize,
    rng: &mut Rng,
) -> Option<Svd> {
    let limit = n_rows.min(n_cols);
    let (k, width) = (k.min(limit), k.saturating_add(oversample).min(limit));
    let sample = Mat::from_fn(n_cols, width, |_, _| normal(rng));
    let (mut q, _) = qr_thin(apply(&sample).view())?;
    for _ in 0..n_power_iter {
        let (turned, _) = qr_thin(apply_t(&q).view())?;
        (q, _) = qr_thin(apply(&turned).view())?;
    }
    // B = Qᵀ X is small: X = Q B on the sampled range. Xᵀ Q is decomposed, being tall, and turned over.
    let b_t = apply_t(&q);
    let small = svd(b_t.view())?;
    let u = matmul(q.view(), small.vt.view().t());
    let cut = |m: MatRef<'_>| Mat::from_fn(m.n_rows(), k, |i, j| m.get(i, j));
    let mut out =
        Svd { u: cut(u.view()), s: small.s[..k].to_vec(), vt: small.u.view().t().rows(0..k).to_mat() };
    out.flip_signs();
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng_for;

    /// A matrix with singular values 1, 1/2, 1/4, ... and random vectors.
    fn decaying(n: usize, d: usize) -> Mat {
        let mut rng = rng_for(11, 0);
        let k = n.min(d);
        let (u, _) = qr_thin(Mat::from_fn(n, k, |_, _| normal(&mut rng)).view()).expect("finite");
        let (v, _) = qr_thin(Mat::from_fn(d, k, |_, _| normal(&mut rng)).view()).expect("finite");
        let scaled = Mat::from_fn(n, k, |i, j| u[(i, j)] * 0.5f64.powi(j as i32));
        matmul(scaled.view(), v.view().t())
    }

    #[test]
    fn agrees_with_the_full_decomposition() {
        for (n, d) in [(60, 40), (40, 60), (500, 8), (5, 5)] {
            let x = decaying(n, d);
            let full = svd(x.view()).expect("finite");
            let fast = randomized_svd(x.view(), 5, 10, 4, &mut rng_for(1, 0)).expect("finite");
            assert_eq!((fast.u.n_cols(), fast.s.len(), fast.vt.n_rows()), (5, 5, 5));
            for k in 0..5 {
                assert!((fast.s[k] - full.s[k]).abs() < 1e-9, "{n} {d} {k}");
                assert!(fast.vt.row(k).iter().zip(full.vt.row(k)).all(|(a, b)| (a - b).abs() < 1e-5));
                assert!((0..n).all(|i| (fast.u[(i, k)] - full.u[(i, k)]).abs() < 1e-5));
            }
        }
    }

    #[test]
    fn asks_for_too_much_or_not_finite() {
        let x = decaying(6, 4);
        let all = randomized_svd(x.view(), 100, 10, 2, &mut rng_for(1, 0)).expect("finite");
        assert_eq!(all.s.len(), 4);
        let mut bad = x.clone();
        bad[(0, 0)] = f64::NAN;
        assert!(randomized_svd(bad.view(), 2, 2, 2, &mut rng_for(1, 0)).is_none());
        let none = randomized_svd(Mat::zeros(0, 3).view(), 2, 2, 2, &mut rng_for(1, 0)).expect("empty");
        assert_eq!((none.s.len(), none.vt.n_cols()), (0, 3));
    }

    #[test]
    fn does_not_depend_on_threads() {
        let x = decaying(700, 30);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
            pool.install(|| randomized_svd(x.view(), 4, 6, 3, &mut rng_for(2, 0)))
        };
        assert_eq!(run(1), run(3));
    }
}
