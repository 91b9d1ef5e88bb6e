//! The matrix of a robust regression, dense or sparse.

use mercer_math::{Csr, Mat, gemv, gemv_t, sparse_t_add, sparse_times};

/// Rows in the frame of their columns, the constant of the intercept first. Sparse rows keep their zeros: nothing is
/// subtracted from them.
pub(super) enum Design {
    Dense(Mat),
    Sparse(Csr),
}

/// Rows of a block that is summed alone.
const ROWS: usize = 2048;
/// Wider products of sparse rows are summed in one place, since each block would need as much memory.
const WIDE: usize = 256;

impl Design {
    pub(super) fn n_rows(&self) -> usize {
        match self {
            Design::Dense(a) => a.n_rows(),
            Design::Sparse(a) => a.n_rows(),
        }
    }

    /// The number of coefficients.
    pub(super) fn n_cols(&self) -> usize {
        match self {
            Design::Dense(a) => a.n_cols(),
            Design::Sparse(a) => a.n_cols(),
        }
    }

    /// A u.
    pub(super) fn times(&self, u: &[f64]) -> Vec<f64> {
        match self {
            Design::Dense(a) => gemv(a.view(), u),
            Design::Sparse(a) => {
                let mut out = vec![0.0; a.n_rows()];
                sparse_times(a.view(), u, 1, &mut out);
                out
            }
        }
    }

    /// Aᵀ v.
    pub(super) fn back(&self, v: &[f64]) -> Vec<f64> {
        match self {
            Design::Dense(a) => gemv_t(a.view(), v),
            Design::Sparse(a) => {
                let mut out = vec![0.0; a.n_cols()];
                sparse_t_add(a.view(), v, 1, &mut out);
                out
            }
        }
    }

    /// |A|ᵀ |v|: the most that Aᵀv can be.
    pub(super) fn most_back(&self, v: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.n_cols()];
        for (i, v) in v.iter().enumerate() {
            match self {
                Design::Dense(a) => {
                    out.iter_mut().zip(a.row(i)).for_each(|(o, a)| *o += (v * a).abs());
                }
                Design::Sparse(a) => {
                    let (at, values) = a.view().row(i);
                    at.iter().zip(values).for_each(|(&j, a)| out[j as usize] += (v * a).abs());
                }
            }
        }
        out
    }

    /// One row with all its zeros.
    pub(super) fn row(&self, i: usize) -> Vec<f64> {
        match self {
            Design::Dense(a) => a.row(i).to_vec(),
            Design::Sparse(a) => {
                let mut out = vec![0.0; a.n_cols()];
                let (at, values) = a.view().row(i);
                at.iter().zip(values).for_each(|(&j, v)| out[j as usize] += v);
                out
            }
        }
    }

    /// Some of the columns, and below them a row for each of `held`, with a one in that column.
    pub(super) fn with_ones(&self, columns: &[usize], held: &[usize]) -> Self {
        let n = self.n_rows();
        match self {
            Design::Dense(a) => {
                Design::Dense(Mat::from_fn(n + held.len(), columns.len(), |i, k| match i.checked_sub(n) {
                    None => a[(i, columns[k])],
                    Some(row) => f64::from(u8::from(held[row] == k)),
                }))
            }
            Design::Sparse(a) => {
                let mut place = vec![u32::MAX; a.n_cols()];
                columns.iter().enumerate().for_each(|(k, &j)| place[j] = k as u32);
                let mut out = Csr::empty(columns.len());
                for i in 0..n {
                    let (at, values) = a.view().row(i);
                    let kept = at.iter().zip(values).map(|(&j, v)| (place[j as usize], *v));
                    let (at, values): (Vec<u32>, Vec<f64>) = kept.filter(|(k, _)| *k != u32::MAX).unzip();
                    out.push_row(&at, &values);
                }
                held.iter().for_each(|&k| out.push_row(&[k as u32], &[1.0]));
                Design::Sparse(out)
            }
        }
    }

    /// AᵀDA, in blocks side by side.
    pub(super) fn gram(&self, weights: &[f64]) -> Mat {
        let (n, q) = (self.n_rows(), self.n_cols());
        let step = if matches!(self, Design::Sparse(_)) && q > WIDE { n.max(1) } else { ROWS };
        let leaf = |block: usize| {
            let rows = block * step..((block + 1) * step).min(n);
            let mut out = Mat::zeros(q, q);
            match self {
                Design::Dense(a) => {
                    let view = a.view().rows(rows.clone());
                    mercer_math::weighted_gram(view, Some(&weights[rows]), None, &mut out);
                }
                Design::Sparse(a) => {
                    rows.for_each(|i| sparse_products(a.view().row(i), weights[i], &mut out))
                }
            }
            out
        };
        let add = |mut a: Mat, b: Mat| {
            mercer_math::axpy(1.0, b.as_slice(), a.as_mut_slice());
            a
        };
        let sum = mercer_math::tree_reduce(n.div_ceil(step), leaf, add);
        let mut out = sum.unwrap_or_else(|| Mat::zeros(q, q));
        mercer_math::symmetrise(&mut out);
        out
    }
}

/// Adds the products of a row with itself, below the diagonal.
fn sparse_products((at, values): (&[u32], &[f64]), weight: f64, out: &mut Mat) {
    for (&i, a) in at.iter().zip(values) {
        let row = out.row_mut(i as usize);
        let below = at.iter().zip(values).filter(|(j, _)| **j <= i);
        below.for_each(|(&j, b)| row[j as usize] += weight * a * b);
    }
}
