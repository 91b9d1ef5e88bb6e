//! Matrix products over any strides, through the `gemm` crate, and matrix-vector products.

use crate::simd::axpy4;
use crate::{BLOCK_ROWS, Mat, MatRef, axpy, dot, scale, tree_reduce};
use rayon::prelude::*;

/// Rows of one task of [`matmul_parallel`].
const PRODUCT_ROWS: usize = 256;

/// `c = alpha * a * b + beta * c` on one thread; callers parallelise over blocks of rows.
///
/// With `beta = 0`, `c` is overwritten even where it held NaN.
///
/// # Panics
/// When the shapes do not fit.
pub fn gemm(alpha: f64, a: MatRef<'_>, b: MatRef<'_>, beta: f64, c: &mut Mat) {
    assert_eq!((a.n_rows(), b.n_cols()), (c.n_rows(), c.n_cols()), "shape of the product");
    gemm_into(alpha, a, b, beta, c.as_mut_slice());
}

/// [`gemm`] into row-major memory of `a.n_rows() * b.n_cols()` elements.
///
/// # Panics
/// When the shapes do not fit.
pub fn gemm_into(alpha: f64, a: MatRef<'_>, b: MatRef<'_>, beta: f64, c: &mut [f64]) {
    let (m, n, k) = (a.n_rows(), b.n_cols(), a.n_cols());
    assert_eq!(k, b.n_rows(), "inner dimensions of the product");
    assert_eq!(c.len(), m * n, "size of the product");
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        if beta == 0.0 {
            c.fill(0.0)
        } else {
            scale(beta, c)
        }
        return;
    }
    // SAFETY: the views hold all their elements (checked when they were made) and none is empty here;
    // `c` has m * n elements in rows of n and cannot overlap them, being borrowed mutably.
    // The crate computes dst = alpha * dst + beta * lhs * rhs: its names are the reverse of ours.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            1,
            n as isize,
            beta != 0.0,
            a.data().as_ptr(),
            a.col_stride() as isize,
            a.row_stride() as isize,
            b.data().as_ptr(),
            b.col_stride() as isize,
            b.row_stride() as isize,
            beta,
            alpha,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// The product `a * b` on one thread.
///
/// # Panics
/// When the inner dimensions differ.
///
/// # Example
/// ```
/// use mercer_math::{Mat, matmul};
/// let a = Mat::from_rows(&[[1.0, 2.0], [3.0, 4.0]]).unwrap();
/// assert_eq!(matmul(a.view(), a.view()).as_slice(), &[7.0, 10.0, 15.0, 22.0]);
/// ```
pub fn matmul(a: MatRef<'_>, b: MatRef<'_>) -> Mat {
    let mut c = Mat::zeros(a.n_rows(), b.n_cols());
    gemm(1.0, a, b, 0.0, &mut c);
    c
}

/// The product `a * b` in parallel, in blocks of a fixed number of rows of `a`.
///
/// # Panics
/// When the inner dimensions differ.
pub fn matmul_parallel(a: MatRef<'_>, b: MatRef<'_>) -> Mat {
    assert_eq!(a.n_cols(), b.n_rows(), "inner dimensions of the product");
    let mut c = Mat::zeros(a.n_rows(), b.n_cols());
    if b.n_cols() > 0 {
        let blocks = c.as_mut_slice().par_chunks_mut(PRODUCT_ROWS * b.n_cols());
        blocks.enumerate().for_each(|(block, out)| {
            gemm_into(1.0, a.rows(block * PRODUCT_ROWS..(block + 1) * PRODUCT_ROWS), b, 0.0, out);
        });
    }
    c
}

/// The product `x * v`, in parallel over blocks of [`BLOCK_ROWS`] rows.
///
/// # Panics
/// When `v` has not one value for each column.
pub fn gemv(x: MatRef<'_>, v: &[f64]) -> Vec<f64> {
    assert_eq!(x.n_cols(), v.len(), "one value for each column");
    let mut out = vec![0.0; x.n_rows()];
    if out.len() <= BLOCK_ROWS {
        gemv_block(x, v, &mut out);
        return out;
    }
    out.par_chunks_mut(BLOCK_ROWS).enumerate().for_each(|(block, out)| {
        gemv_block(x.rows(block * BLOCK_ROWS..(block + 1) * BLOCK_ROWS), v, out);
    });
    out
}

fn gemv_block(x: MatRef<'_>, v: &[f64], out: &mut [f64]) {
    if x.has_contiguous_rows() {
        for (i, out) in out.iter_mut().enumerate() {
            *out = x.row(i).map_or(0.0, |row| dot(row, v));
        }
    } else if x.row_stride() == 1 {
        // Contiguous columns are added four at a time.
        each_four(x.n_cols(), |j, n| {
            let col = |k: usize| x.col(j + k).unwrap_or(&[]);
            if n == 4 {
                let alpha = [v[j], v[j + 1], v[j + 2], v[j + 3]];
                axpy4(alpha, [col(0), col(1), col(2), col(3)], out);
            } else {
                (0..n).for_each(|k| axpy(v[j + k], col(k), out));
            }
        });
    } else {
        out.iter_mut().enumerate().for_each(|(i, out)| *out = dot(&x.row_cow(i), v));
    }
}

/// The product `xᵀ * v`, in parallel over blocks of [`BLOCK_ROWS`] rows merged in the fixed tree.
///
/// # Panics
/// When `v` has not one value for each row.
pub fn gemv_t(x: MatRef<'_>, v: &[f64]) -> Vec<f64> {
    assert_eq!(x.n_rows(), v.len(), "one value for each row");
    let leaf = |block: usize| {
        let rows = block * BLOCK_ROWS..((block + 1) * BLOCK_ROWS).min(v.len());
        let mut out = vec![0.0; x.n_cols()];
        gemv_t_block(x.rows(rows.clone()), &v[rows], &mut out);
        out
    };
    let merge = |mut a: Vec<f64>, b: Vec<f64>| {
        axpy(1.0, &b, &mut a);
        a
    };
    tree_reduce(v.len().div_ceil(BLOCK_ROWS), leaf, merge).unwrap_or_else(|| vec![0.0; x.n_cols()])
}

fn gemv_t_block(x: MatRef<'_>, v: &[f64], out: &mut [f64]) {
    if x.has_contiguous_rows() {
        each_four(x.n_rows(), |i, n| {
            let row = |k: usize| x.row(i + k).unwrap_or(&[]);
            if n == 4 {
                let alpha = [v[i], v[i + 1], v[i + 2], v[i + 3]];
                axpy4(alpha, [row(0), row(1), row(2), row(3)], out);
            } else {
                (0..n).for_each(|k| axpy(v[i + k], row(k), out));
            }
        });
    } else {
        out.iter_mut().enumerate().for_each(|(j, out)| *out = dot(&x.col_cow(j), v));
    }
}

/// Calls `f(start, length)` for 0..n cut in runs of four and a rest.
fn each_four(n: usize, mut f: impl FnMut(usize, usize)) {
    (0..n).step_by(4).for_each(|start| f(start, (n - start).min(4)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{normal, rng_for};

    fn random(n: usize, d: usize, seed: u64) -> Mat {
        let mut rng = rng_for(seed, 0);
        Mat::from_fn(n, d, |_, _| normal(&mut rng))
    }

    fn naive(a: MatRef<'_>, b: MatRef<'_>) -> Mat {
        Mat::from_fn(a.n_rows(), b.n_cols(), |i, j| (0..a.n_cols()).map(|k| a.get(i, k) * b.get(k, j)).sum())
    }

    fn close(a: &Mat, b: &Mat) {
        assert_eq!((a.n_rows(), a.n_cols()), (b.n_rows(), b.n_cols()));
        assert!(a.as_slice().iter().zip(b.as_slice()).all(|(x, y)| (x - y).abs() < 1e-10), "{a:?}\n{b:?}");
    }

    #[test]
    fn products_over_all_layouts() {
        for (m, k, n) in [(1, 1, 1), (3, 4, 5), (17, 33, 9), (600, 7, 5), (5, 0, 3), (0, 2, 2), (2, 2, 0)] {
            let (a, b) = (random(m, k, 1), random(k, n, 2));
            let (at, bt) = (a.view().t().to_mat(), b.view().t().to_mat());
            let expected = naive(a.view(), b.view());
            for a in [a.view(), at.view().t()] {
                for b in [b.view(), bt.view().t()] {
                    close(&matmul(a, b), &expected);
                    close(&matmul_parallel(a, b), &expected);
                    let mut c = Mat::from_fn(m, n, |i, j| (i + j) as f64);
                    gemm(2.0, a, b, -1.0, &mut c);
                    close(&c, &Mat::from_fn(m, n, |i, j| 2.0 * expected[(i, j)] - (i + j) as f64));
                }
            }
        }
        let mut c = Mat::from_fn(2, 2, |_, _| f64::NAN);
        gemm(1.0, Mat::identity(2).view(), Mat::identity(2).view(), 0.0, &mut c);
        assert_eq!(c, Mat::identity(2));
    }

    #[test]
    fn vector_products_over_all_layouts() {
        for (n, d) in [(1, 1), (7, 3), (5000, 6), (3, 0), (0, 3), (2049, 5)] {
            let x = random(n, d, 3);
            let turned = x.view().t().to_mat();
            let wide = Mat::from_fn(n, 2 * d, |i, j| if j % 2 == 0 { x[(i, j / 2)] } else { 9.0 });
            let strided = MatRef::strided(wide.as_slice(), n, d, 2 * d, 2).expect("within");
            let v = random(1, d, 4).into_vec();
            let u = random(1, n, 5).into_vec();
            for x in [x.view(), turned.view().t(), strided] {
                let column = Mat::from_vec(v.clone(), d, 1).expect("shape");
                close(&Mat::from_vec(gemv(x, &v), n, 1).expect("shape"), &naive(x, column.view()));
                let row = Mat::from_vec(u.clone(), 1, n).expect("shape");
                close(&Mat::from_vec(gemv_t(x, &u), 1, d).expect("shape"), &naive(row.view(), x));
            }
        }
    }
}
