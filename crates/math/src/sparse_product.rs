//! Products of sparse rows with dense matrices: gather forward, scatter back, one thread.
//!
//! Callers parallelise over blocks of rows. The bodies hold no intrinsics: four running sums hide the latency of
//! the additions, and the gathers themselves are bound by the cache.

use crate::CsrRef;

/// `out = x * w`, where `w` has `k` values for each column of `x` and `out` gets `k` for each row.
///
/// # Panics
/// When the lengths do not fit.
///
/// # Example
/// ```
/// use mercer_math::{Csr, sparse_times};
/// let x = Csr::new(vec![0, 1, 3], vec![1, 0, 2], vec![2.0, 3.0, 4.0], 3).unwrap();
/// let mut out = [0.0; 2];
/// sparse_times(x.view(), &[1.0, 10.0, 100.0], 1, &mut out);
/// assert_eq!(out, [20.0, 403.0]);
/// ```
pub fn sparse_times(x: CsrRef<'_>, w: &[f64], k: usize, out: &mut [f64]) {
    assert_eq!(w.len(), x.n_cols() * k, "k values for each column");
    assert_eq!(out.len(), x.n_rows() * k, "k values for each row");
    if k == 1 {
        for (i, out) in out.iter_mut().enumerate() {
            let (columns, values) = x.row(i);
            *out = sparse_dot(columns, values, w);
        }
        return;
    }
    if k == 0 {
        return;
    }
    for (i, out) in out.chunks_exact_mut(k).enumerate() {
        out.fill(0.0);
        let (columns, values) = x.row(i);
        for (&j, &v) in columns.iter().zip(values) {
            let w = &w[j as usize * k..][..k];
            out.iter_mut().zip(w).for_each(|(o, w)| *o += v * w);
        }
    }
}

/// `out += xᵀ * r`, where `r` has `k` values for each row of `x` and `out` has `k` for each column.
///
/// # Panics
/// When the lengths do not fit.
pub fn sparse_t_add(x: CsrRef<'_>, r: &[f64], k: usize, out: &mut [f64]) {
    assert_eq!(out.len(), x.n_cols() * k, "k values for each column");
    assert_eq!(r.len(), x.n_rows() * k, "k values for each row");
    if k == 1 {
        for (i, &r) in r.iter().enumerate() {
            let (columns, values) = x.row(i);
            columns.iter().zip(values).for_each(|(&j, v)| out[j as usize] += r * v);
        }
        return;
    }
    if k == 0 {
        return;
    }
    for (i, r) in r.chunks_exact(k).enumerate() {
        let (columns, values) = x.row(i);
        for (&j, &v) in columns.iter().zip(values) {
            let out = &mut out[j as usize * k..][..k];
            out.iter_mut().zip(r).for_each(|(o, r)| *o += r * v);
        }
    }
}

/// The inner product of a sparse row, columns and values, with a dense vector, over four running sums.
///
/// # Panics
/// When a column has no place in `w`.
#[inline]
pub fn sparse_dot(columns: &[u32], values: &[f64], w: &[f64]) -> f64 {
    let (four_columns, rest_columns) = columns.as_chunks::<4>();
    let (four_values, rest_values) = values.as_chunks::<4>();
    let mut sums = [0.0f64; 4];
    for (columns, values) in four_columns.iter().zip(four_values) {
        for lane in 0..4 {
            sums[lane] += values[lane] * w[columns[lane] as usize];
        }
    }
    let rest = rest_columns.iter().zip(rest_values).fold(0.0, |s, (&j, v)| s + v * w[j as usize]);
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Csr, Mat, matmul, normal, rng_for, uniform};

    #[test]
    fn products_equal_the_dense_ones() {
        let mut rng = rng_for(1, 2);
        for (n, d, k) in [(9, 7, 1), (20, 33, 3), (1, 1, 1), (0, 4, 2), (5, 40, 1)] {
            let x = Mat::from_fn(n, d, |_, _| if uniform(&mut rng) < 0.6 { normal(&mut rng) } else { 0.0 });
            let csr = Csr::from_dense(x.view());
            let (w, r) =
                (Mat::from_fn(d, k, |_, _| normal(&mut rng)), Mat::from_fn(n, k, |_, _| normal(&mut rng)));
            let mut forward = vec![0.0; n * k];
            sparse_times(csr.view(), w.as_slice(), k, &mut forward);
            let mut back = vec![1.0; d * k];
            sparse_t_add(csr.view(), r.as_slice(), k, &mut back);
            let close = |a: &[f64], b: &[f64], shift: f64| {
                a.iter().zip(b).all(|(a, b)| (a - b - shift).abs() < 1e-12)
            };
            assert!(close(&forward, matmul(x.view(), w.view()).as_slice(), 0.0));
            assert!(close(&back, matmul(x.view().t(), r.view()).as_slice(), 1.0));
        }
    }
}
