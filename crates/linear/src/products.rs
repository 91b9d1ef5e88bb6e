//! What least angles and matching pursuit ask of a problem: products of its columns with each other and with the target.

use crate::sparse_path::Columns;
use mercer_math::{Mat, axpy};

/// Products of the columns X of a table with each other and with one target y.
pub(crate) trait Products: Sync {
    /// Number of columns.
    fn n(&self) -> usize;
    /// The weight of the rows, by which strengths are divided.
    fn total(&self) -> f64;
    /// ‖x_j‖².
    fn norm2(&self, j: usize) -> f64;
    /// Xᵀ X_a d for the columns a in use.
    fn along(&self, active: &[usize], direction: &[f64]) -> Vec<f64>;
    /// Xᵀ(y − Xw).
    fn left(&self, w: &[f64]) -> Vec<f64>;
    /// The products of column `j` with those in use.
    fn between(&self, j: usize, active: &[usize]) -> Vec<f64>;
}

/// Of a table by its columns, with a single target.
impl Products for Columns {
    fn n(&self) -> usize {
        Columns::n(self)
    }

    fn total(&self) -> f64 {
        self.total
    }

    fn norm2(&self, j: usize) -> f64 {
        self.norm2[j]
    }

    fn along(&self, active: &[usize], direction: &[f64]) -> Vec<f64> {
        let mut moved = vec![0.0; self.n_rows()];
        let offset: f64 = active.iter().zip(direction).map(|(&j, d)| self.add(j, *d, &mut moved)).sum();
        self.add_roots(offset, &mut moved);
        correlations(self, &moved)
    }

    fn left(&self, w: &[f64]) -> Vec<f64> {
        let mut residual = Vec::new();
        self.residual(w, &mut residual);
        correlations(self, &residual)
    }

    fn between(&self, j: usize, active: &[usize]) -> Vec<f64> {
        let mut column = vec![0.0; self.n_rows()];
        self.write(j, &mut column);
        let sum = self.sum(&column);
        active.iter().map(|&k| self.times(k, &column, sum)).collect()
    }
}

fn correlations(columns: &Columns, v: &[f64]) -> Vec<f64> {
    let all: Vec<usize> = (0..columns.n()).collect();
    let mut out = vec![0.0; all.len()];
    columns.correlate(&all, v, &mut out);
    out
}

/// Of a problem that is known by its products alone: XᵀX, Xᵀy, and the weight of the rows.
pub(crate) struct GramProducts<'a> {
    pub(crate) gram: &'a Mat,
    pub(crate) xy: &'a [f64],
    pub(crate) total: f64,
}

impl Products for GramProducts<'_> {
    fn n(&self) -> usize {
        self.xy.len()
    }

    fn total(&self) -> f64 {
        self.total
    }

    fn norm2(&self, j: usize) -> f64 {
        self.gram[(j, j)]
    }

    fn along(&self, active: &[usize], direction: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.n()];
        active.iter().zip(direction).for_each(|(&j, d)| axpy(*d, self.gram.row(j), &mut out));
        out
    }

    fn left(&self, w: &[f64]) -> Vec<f64> {
        let mut out = self.xy.to_vec();
        let used = w.iter().enumerate().filter(|(_, w)| **w != 0.0);
        used.for_each(|(j, w)| axpy(-w, self.gram.row(j), &mut out));
        out
    }

    fn between(&self, j: usize, active: &[usize]) -> Vec<f64> {
        active.iter().map(|&k| self.gram[(j, k)]).collect()
    }
}

/// A factor of the products of columns in use, G = LLᵀ, that grows by a row for each column that joins.
#[derive(Default)]
pub(crate) struct GrowingFactor {
    rows: Vec<Vec<f64>>,
}

impl GrowingFactor {
    /// Adds a column with these products with those in use, and this square; false where they span it already, up to the
    /// share `degenerate` of its square.
    pub(crate) fn push(&mut self, between: &[f64], norm2: f64, degenerate: f64) -> bool {
        let mut row = self.forward(between);
        let rest = norm2 - mercer_math::dot(&row, &row);
        if rest.is_nan() || rest <= degenerate * norm2 {
            return false;
        }
        row.push(rest.sqrt());
        self.rows.push(row);
        true
    }

    /// L⁻¹b.
    fn forward(&self, b: &[f64]) -> Vec<f64> {
        let mut out: Vec<f64> = Vec::with_capacity(b.len());
        for (row, b) in self.rows.iter().zip(b) {
            let known = mercer_math::dot(&row[..out.len()], &out);
            out.push((b - known) / row[out.len()]);
        }
        out
    }

    /// G⁻¹b.
    pub(crate) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut out = self.forward(b);
        for i in (0..out.len()).rev() {
            out[i] /= self.rows[i][i];
            let (before, value) = (&self.rows[i][..i], out[i]);
            out.iter_mut().zip(before).for_each(|(o, l)| *o -= l * value);
        }
        out
    }

    /// Takes column `a` out: the rows after it lose its share by rotations.
    pub(crate) fn remove(&mut self, a: usize) {
        self.rows.remove(a);
        for i in a..self.rows.len() {
            // Row i now reaches one column too far: a rotation of columns i and i + 1 makes its last entry zero.
            let (x, y) = (self.rows[i][i], self.rows[i][i + 1]);
            let r = x.hypot(y);
            let (c, s) = if r > 0.0 { (x / r, y / r) } else { (1.0, 0.0) };
            for row in &mut self.rows[i..] {
                let (left, right) = (row[i], row[i + 1]);
                row[i] = c * left + s * right;
                row[i + 1] = c * right - s * left;
            }
            self.rows[i].truncate(i + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GrowingFactor;
    use mercer_math::{Cholesky, Mat, matmul, normal, rng_for};

    #[test]
    fn a_factor_that_grew_and_shrank_solves_like_one_made_at_once() {
        let mut rng = rng_for(3, 0);
        let x = Mat::from_fn(12, 6, |_, _| normal(&mut rng));
        let full = matmul(x.view().t(), x.view());
        let mut factor = GrowingFactor::default();
        for j in 0..6 {
            let between: Vec<f64> = (0..j).map(|k| full[(j, k)]).collect();
            assert!(factor.push(&between, full[(j, j)], 1e-14));
        }
        let same: Vec<f64> = (0..6).map(|k| full[(2, k)]).collect();
        assert!(!factor.push(&same, full[(2, 2)], 1e-10));
        for left in [vec![0, 1, 2, 3, 4, 5], vec![0, 2, 3, 4, 5], vec![0, 2, 3, 5], vec![2, 3, 5]] {
            let own = Mat::from_fn(left.len(), left.len(), |a, b| full[(left[a], left[b])]);
            let b: Vec<f64> = (0..left.len()).map(|i| 1.0 + i as f64).collect();
            let want = Cholesky::new(&own).unwrap().solve_vec(&b);
            let close = factor.solve(&b).iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-10);
            assert!(close, "{left:?}");
            match left.len() {
                6 => factor.remove(1),
                5 => factor.remove(3),
                _ => factor.remove(0),
            }
        }
    }
}
