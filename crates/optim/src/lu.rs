//! Dense systems that are neither symmetric nor definite.

use mercer_math::{Mat, axpy, dot};

/// P A = L U of a square matrix, with partial pivoting.
#[derive(Clone, Debug)]
pub(crate) struct Lu {
    lu: Mat,
    /// The row of A that stands in each row of the factors.
    rows: Vec<usize>,
}

impl Lu {
    /// Factors `a`; `None` where it is not square, not finite or singular.
    pub(crate) fn new(mut a: Mat) -> Option<Self> {
        let n = a.n_rows();
        let mut rows: Vec<usize> = (0..n).collect();
        (n == a.n_cols() && a.view().find_non_finite().is_none()).then_some(())?;
        for k in 0..n {
            let pivot = (k..n).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs()))?;
            let regular = a[(pivot, k)] != 0.0 && a[(pivot, k)].is_finite();
            regular.then_some(())?;
            if pivot != k {
                rows.swap(k, pivot);
                (0..n).for_each(|j| {
                    let held = a[(k, j)];
                    a[(k, j)] = a[(pivot, j)];
                    a[(pivot, j)] = held;
                });
            }
            let (above, below) = a.as_mut_slice().split_at_mut((k + 1) * n);
            let top = &above[k * n..];
            for row in below.chunks_exact_mut(n) {
                let factor = row[k] / top[k];
                if factor != 0.0 {
                    axpy(-factor, &top[k + 1..], &mut row[k + 1..]);
                }
                row[k] = factor;
            }
        }
        a.view().find_non_finite().is_none().then_some(Self { lu: a, rows })
    }

    /// The solution of A x = b.
    pub(crate) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = self.rows.iter().map(|&i| b[i]).collect();
        for i in 1..x.len() {
            x[i] -= dot(&self.lu.row(i)[..i], &x[..i]);
        }
        for i in (0..x.len()).rev() {
            let row = self.lu.row(i);
            x[i] = (x[i] - dot(&row[i + 1..], &x[i + 1..])) / row[i];
        }
        x
    }

    /// The inverse of A.
    pub(crate) fn inverse(&self) -> Mat {
        let n = self.rows.len();
        let mut inverse = Mat::from_fn(n, n, |i, j| f64::from(self.rows[i] == j));
        for i in 0..n {
            let (above, rest) = inverse.as_mut_slice().split_at_mut(i * n);
            for (factor, row) in self.lu.row(i)[..i].iter().zip(above.chunks_exact(n)) {
                if *factor != 0.0 {
                    axpy(-factor, row, &mut rest[..n]);
                }
            }
        }
        for i in (0..n).rev() {
            let row = self.lu.row(i);
            let (above, below) = inverse.as_mut_slice().split_at_mut((i + 1) * n);
            for (factor, other) in row[i + 1..].iter().zip(below.chunks_exact(n)) {
                if *factor != 0.0 {
                    axpy(-factor, other, &mut above[i * n..]);
                }
            }
            mercer_math::scale(1.0 / row[i], &mut above[i * n..]);
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{gemv, normal, rng_for};

    #[test]
    fn solves_and_inverts() {
        for n in [0, 1, 2, 7, 30] {
            let mut rng = rng_for(n as u64, 0);
            let a = Mat::from_fn(n, n, |_, _| normal(&mut rng));
            let x: Vec<f64> = (0..n).map(|i| i as f64 - 2.5).collect();
            let lu = Lu::new(a.clone()).unwrap();
            let b = gemv(a.view(), &x);
            for found in [lu.solve(&b), gemv(lu.inverse().view(), &b)] {
                assert!(found.iter().zip(&x).all(|(f, x)| (f - x).abs() < 1e-9), "{n}");
            }
        }
        assert!(Lu::new(Mat::zeros(2, 2)).is_none());
        assert!(Lu::new(Mat::from_rows(&[[f64::NAN]]).unwrap()).is_none());
        assert!(Lu::new(Mat::zeros(2, 3)).is_none());
    }
}
