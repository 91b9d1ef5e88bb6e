//! The columns of a table as least squares sees them: centred, each row times the root of its weight.

use mercer_core::{Dataset, NumbersRef, Result, rows_t_dot};
use mercer_math::{Csr, Mat, Weights, axpy, dot};
use rayon::prelude::*;
use std::sync::Arc;

/// Columns, not centred in memory where they are sparse.
enum Kind {
    /// One column a row of the matrix.
    Dense(Mat),
    /// The means are subtracted on the way.
    Sparse { columns: Csr, mean: Vec<f64>, root: Vec<f64> },
}

/// A table by its columns, with its targets: centred where there is an intercept, times the root of the weights.
#[derive(Clone)]
pub(crate) struct Columns {
    kind: Arc<Kind>,
    /// The targets, one after the other.
    pub(crate) y: Vec<f64>,
    pub(crate) mean_x: Vec<f64>,
    pub(crate) mean_y: Vec<f64>,
    /// The sum of the weights.
    pub(crate) total: f64,
    pub(crate) norm2: Vec<f64>,
}

/// Columns a task of the pool looks at, whatever the threads.
const TASK: usize = 64;
/// Rows a task of the pool looks at, whatever the threads.
const ROWS: usize = 512;

impl Columns {
    pub(crate) fn of(name: &str, data: &Dataset<'_>, centre: bool) -> Result<Self> {
        let numbers = data.numbers(name)?;
        let target = data.need_target(name)?;
        let n = data.n_rows();
        let weights = Weights::of(&data.weights()).to_vec(n);
        let total = mercer_math::sum(&weights);
        let share: Vec<f64> = weights.iter().map(|w| w / total).collect();
        let root: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let d = numbers.view().n_cols();
        let mut mean_x = vec![0.0; d];
        if centre {
            mean_x = rows_t_dot(numbers.view(), &share);
        }
        let (mut y, mut mean_y) = (Vec::with_capacity(n * target.n_columns()), Vec::new());
        for k in 0..target.n_columns() {
            let values = target.numbers_of(k)?;
            let mean = if centre { dot(values, &share) } else { 0.0 };
            y.extend(values.iter().zip(&root).map(|(y, r)| r * (y - mean)));
            mean_y.push(mean);
        }
        let kind = match numbers.view() {
            NumbersRef::Dense(x) => {
                let mut columns = Mat::zeros(d, n);
                let tasks = columns.as_mut_slice().par_chunks_mut(TASK * n.max(1)).enumerate();
                tasks.for_each(|(task, out)| fill(x, task * TASK, &mean_x, &root, out));
                Kind::Dense(columns)
            }
            NumbersRef::Sparse(x) => Kind::Sparse { columns: x.transposed(), mean: mean_x.clone(), root },
        };
        let mut out = Self { kind: Arc::new(kind), y, mean_x, mean_y, total, norm2: Vec::new() };
        out.norm2 = (0..d).into_par_iter().map(|j| out.square(j)).collect();
        Ok(out)
    }

    /// The same columns with the target `k` alone.
    pub(crate) fn only(&self, k: usize) -> Self {
        let n = self.n_rows();
        let (y, mean_y) = (self.y[k * n..(k + 1) * n].to_vec(), vec![self.mean_y[k]]);
        Self {
            kind: self.kind.clone(),
            mean_x: self.mean_x.clone(),
            norm2: self.norm2.clone(),
            y,
            mean_y,
            ..*self
        }
    }

    /// Number of columns.
    pub(crate) fn n(&self) -> usize {
        self.mean_x.len()
    }

    /// Number of rows.
    pub(crate) fn n_rows(&self) -> usize {
        match &*self.kind {
            Kind::Dense(m) => m.n_cols(),
            Kind::Sparse { root, .. } => root.len(),
        }
    }

    /// Number of targets.
    pub(crate) fn targets(&self) -> usize {
        self.mean_y.len()
    }

    fn square(&self, j: usize) -> f64 {
        match &*self.kind {
            Kind::Dense(m) => dot(m.row(j), m.row(j)),
            Kind::Sparse { columns, mean, root } => {
                let (at, values) = columns.view().row(j);
                let square = |(&i, v): (&u32, &f64)| (root[i as usize] * (v - mean[j])).powi(2);
                let stored: f64 = at.iter().map(|&i| root[i as usize] * root[i as usize]).sum();
                at.iter().zip(values).map(square).sum::<f64>()
                    + (self.total - stored).max(0.0) * mean[j] * mean[j]
            }
        }
    }

    /// Column `j`, dense, as it counts.
    pub(crate) fn write(&self, j: usize, out: &mut [f64]) {
        match &*self.kind {
            Kind::Dense(m) => out.copy_from_slice(m.row(j)),
            Kind::Sparse { columns, mean, root } => {
                out.iter_mut().zip(root).for_each(|(o, r)| *o = -r * mean[j]);
                let (at, values) = columns.view().row(j);
                at.iter().zip(values).for_each(|(&i, v)| out[i as usize] += root[i as usize] * v);
            }
        }
    }

    /// Column `j` times a vector `v`; `sum` is that of `v` times the roots, for means that are not in memory.
    pub(crate) fn times(&self, j: usize, v: &[f64], sum: f64) -> f64 {
        match &*self.kind {
            Kind::Dense(m) => dot(m.row(j), v),
            Kind::Sparse { columns, root, mean } => {
                let (at, values) = columns.view().row(j);
                let each = at.iter().zip(values).map(|(&i, x)| x * root[i as usize] * v[i as usize]);
                each.sum::<f64>() - mean[j] * sum
            }
        }
    }

    /// What [`Columns::times`] wants to know of `v`.
    pub(crate) fn sum(&self, v: &[f64]) -> f64 {
        match &*self.kind {
            Kind::Dense(_) => 0.0,
            Kind::Sparse { root, .. } => dot(root, v),
        }
    }

    /// `v += step · column j`, without the mean of a sparse column: how much of the roots is still to be added is
    /// returned.
    pub(crate) fn add(&self, j: usize, step: f64, v: &mut [f64]) -> f64 {
        match &*self.kind {
            Kind::Dense(m) => {
                axpy(step, m.row(j), v);
                0.0
            }
            Kind::Sparse { columns, mean, root } => {
                let (at, values) = columns.view().row(j);
                for (&i, x) in at.iter().zip(values) {
                    v[i as usize] += step * x * root[i as usize];
                }
                -step * mean[j]
            }
        }
    }

    /// `v += offset · roots`, what [`Columns::add`] has left.
    pub(crate) fn add_roots(&self, offset: f64, v: &mut [f64]) {
        if let Kind::Sparse { root, .. } = &*self.kind {
            axpy(offset, root, v);
        }
    }

    /// The correlations of the columns in `which` with each target's residual, each written to its place of `out`.
    pub(crate) fn correlate(&self, which: &[usize], residual: &[f64], out: &mut [f64]) {
        let (n, t) = (self.n_rows(), self.targets());
        let sums: Vec<f64> = (0..t).map(|k| self.sum(&residual[k * n..(k + 1) * n])).collect();
        let of = |&j: &usize| (0..t).map(move |k| (j, k));
        let found: Vec<f64> = which
            .par_chunks(TASK)
            .flat_map_iter(|part| {
                part.iter().flat_map(of).map(|(j, k)| self.times(j, &residual[k * n..(k + 1) * n], sums[k]))
            })
            .collect();
        for (&j, found) in which.iter().zip(found.chunks_exact(t.max(1))) {
            out[j * t..(j + 1) * t].copy_from_slice(found);
        }
    }

    /// Y − XW.
    pub(crate) fn residual(&self, w: &[f64], out: &mut Vec<f64>) {
        let (n, t) = (self.n_rows(), self.targets());
        out.clone_from(&self.y);
        for k in 0..t {
            let used: Vec<(usize, f64)> =
                (0..self.n()).map(|j| (j, w[j * t + k])).filter(|(_, w)| *w != 0.0).collect();
            let out = &mut out[k * n..(k + 1) * n];
            match &*self.kind {
                Kind::Dense(m) => out.par_chunks_mut(ROWS).enumerate().for_each(|(task, out)| {
                    let rows = task * ROWS..task * ROWS + out.len();
                    used.iter().for_each(|&(j, w)| axpy(-w, &m.row(j)[rows.clone()], out));
                }),
                Kind::Sparse { .. } => {
                    let offset: f64 = used.iter().map(|&(j, w)| self.add(j, -w, out)).sum();
                    self.add_roots(offset, out);
                }
            }
        }
    }

    /// The products of `new` columns with all of `members`, by rows; dense columns of `members` lie in `gathered`.
    pub(crate) fn products(&self, new: &[usize], members: &[usize], gathered: &[f64]) -> Mat {
        let n = self.n_rows();
        match &*self.kind {
            Kind::Dense(_) => {
                let rows = |from: usize, count: usize| {
                    mercer_math::MatRef::row_major(&gathered[from * n..(from + count) * n], count, n)
                };
                let (all, fresh) = (rows(0, members.len()), rows(members.len() - new.len(), new.len()));
                match (all, fresh) {
                    (Some(all), Some(fresh)) => mercer_math::matmul_parallel(fresh, all.t()),
                    _ => Mat::zeros(new.len(), members.len()),
                }
            }
            Kind::Sparse { .. } => {
                let mut out = Mat::zeros(new.len(), members.len());
                out.as_mut_slice().par_chunks_mut(members.len().max(1)).zip(new).for_each(|(row, &a)| {
                    let mut column = vec![0.0; n];
                    self.write(a, &mut column);
                    let sum = self.sum(&column);
                    row.iter_mut().zip(members).for_each(|(o, &b)| *o = self.times(b, &column, sum));
                });
                out
            }
        }
    }

    /// Appends dense columns to those gathered for [`Columns::products`].
    pub(crate) fn gather(&self, new: &[usize], gathered: &mut Vec<f64>) {
        if let Kind::Dense(m) = &*self.kind {
            new.iter().for_each(|&j| gathered.extend_from_slice(m.row(j)));
        }
    }
}

/// Writes columns from `first` on, centred and weighted, in tiles of rows, so that rows are read once.
fn fill(x: mercer_math::MatRef<'_>, first: usize, mean: &[f64], root: &[f64], out: &mut [f64]) {
    let n = x.n_rows();
    let count = out.len() / n.max(1);
    const TILE: usize = 64;
    for start in (0..n).step_by(TILE) {
        let rows = start..(start + TILE).min(n);
        for c in 0..count {
            let (j, out) = (first + c, &mut out[c * n..(c + 1) * n]);
            match x.col(j) {
                Some(column) => {
                    for i in rows.clone() {
                        out[i] = root[i] * (column[i] - mean[j]);
                    }
                }
                None => {
                    for i in rows.clone() {
                        out[i] = root[i] * (x.get(i, j) - mean[j]);
                    }
                }
            }
        }
    }
}
