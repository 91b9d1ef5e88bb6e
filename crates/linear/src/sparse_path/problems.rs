//! The two ways in which a problem is known to coordinate descent: by its Gram matrix, or by its columns.

use super::{Columns, Quadratic};
use mercer_math::{Mat, axpy, dot};

/// Least squares known by its moments: G = XᵀX, c = XᵀY. Features can be added.
pub(crate) struct ByGram {
    /// G by rows, each of which has room for `room` features.
    gram: Vec<f64>,
    room: usize,
    n: usize,
    targets: usize,
    /// c, target by target.
    xy: Vec<Vec<f64>>,
    yy: f64,
    /// XᵀR, target by target.
    left: Vec<Vec<f64>>,
}

impl ByGram {
    /// Of a whole Gram matrix; `xy` is features × targets.
    pub(crate) fn new(gram: Mat, xy: &Mat, yy: f64) -> Self {
        let (n, targets) = (gram.n_rows(), xy.n_cols());
        let xy: Vec<Vec<f64>> = (0..targets).map(|k| xy.col(k)).collect();
        Self { gram: gram.into_vec(), room: n, n, targets, left: xy.clone(), xy, yy }
    }

    /// Without features yet.
    pub(crate) fn empty(targets: usize, yy: f64) -> Self {
        let none = vec![Vec::new(); targets];
        Self { gram: Vec::new(), room: 0, n: 0, targets, xy: none.clone(), yy, left: none }
    }

    /// Adds features: the products of each with all, and those with the targets, feature by feature.
    pub(crate) fn extend(&mut self, products: &Mat, xy: &[f64]) {
        let (old, n) = (self.n, self.n + products.n_rows());
        if n > self.room {
            let room = n.max(2 * self.room);
            let mut gram = vec![0.0; room * room];
            for j in 0..old {
                gram[j * room..j * room + old].copy_from_slice(self.row(j));
            }
            (self.gram, self.room) = (gram, room);
        }
        for a in 0..products.n_rows() {
            let row = products.row(a);
            self.gram[(old + a) * self.room..][..n].copy_from_slice(row);
            row[..old].iter().enumerate().for_each(|(j, v)| self.gram[j * self.room + old + a] = *v);
        }
        self.n = n;
        for xy in xy.chunks_exact(self.targets) {
            self.xy.iter_mut().zip(xy).for_each(|(to, v)| to.push(*v));
        }
        self.left.iter_mut().for_each(|left| left.resize(n, 0.0));
    }

    fn row(&self, j: usize) -> &[f64] {
        &self.gram[j * self.room..][..self.n]
    }
}

impl Quadratic for ByGram {
    const PATIENCE: u64 = 1;

    fn n(&self) -> usize {
        self.n
    }
    fn targets(&self) -> usize {
        self.targets
    }
    fn norm2(&self, j: usize) -> f64 {
        self.gram[j * self.room + j]
    }
    fn correlation(&self, j: usize, out: &mut [f64]) {
        out.iter_mut().zip(&self.left).for_each(|(o, left)| *o = left[j]);
    }
    fn step(&mut self, j: usize, step: &[f64]) {
        let row = &self.gram[j * self.room..][..self.n];
        for (left, &step) in self.left.iter_mut().zip(step).filter(|(_, s)| **s != 0.0) {
            axpy(-step, row, left);
        }
    }
    fn yy(&self) -> f64 {
        self.yy
    }
    fn residual(&self, w: &[f64]) -> (f64, f64) {
        // ⟨R, R⟩ = ⟨Y, Y⟩ − ⟨W, c⟩ − ⟨W, XᵀR⟩, and ⟨R, Y⟩ = ⟨Y, Y⟩ − ⟨W, c⟩.
        let along = |with: &[Vec<f64>]| {
            let of = |(k, with): (usize, &Vec<f64>)| {
                let each = w.chunks_exact(self.targets).zip(with).map(|(w, x)| w[k] * x);
                each.sum::<f64>()
            };
            with.iter().enumerate().map(of).sum::<f64>()
        };
        let fitted = along(&self.xy);
        ((self.yy - fitted - along(&self.left)).max(0.0), self.yy - fitted)
    }
    fn gram(&self, features: &[usize]) -> (Mat, Vec<f64>) {
        let n = features.len();
        let gram = Mat::from_fn(n, n, |a, b| self.gram[features[a] * self.room + features[b]]);
        (gram, features.iter().map(|&j| self.xy[0][j]).collect())
    }
    fn reset(&mut self, w: &[f64]) {
        self.left.clone_from(&self.xy);
        for (j, w) in w.chunks_exact(self.targets).enumerate().filter(|(_, w)| w.iter().any(|v| *v != 0.0)) {
            self.step(j, w);
        }
    }
}

/// Least squares on columns, with the residual kept up to date.
pub(crate) struct ByColumns<'a> {
    columns: &'a Columns,
    /// Target by target.
    residual: Vec<f64>,
    /// The true residual is `residual + offset · roots`: means are taken off lazily.
    offset: Vec<f64>,
}

impl<'a> ByColumns<'a> {
    pub(crate) fn new(columns: &'a Columns) -> Self {
        Self { residual: columns.y.clone(), columns, offset: vec![0.0; columns.targets()] }
    }
}

impl Quadratic for ByColumns<'_> {
    const PATIENCE: u64 = 10;

    fn n(&self) -> usize {
        self.columns.n()
    }
    fn targets(&self) -> usize {
        self.columns.targets()
    }
    fn norm2(&self, j: usize) -> f64 {
        self.columns.norm2[j]
    }
    fn correlation(&self, j: usize, out: &mut [f64]) {
        let n = self.columns.n_rows();
        for (k, out) in out.iter_mut().enumerate() {
            // Where columns are centred, the sum of the true residual times the roots is zero.
            let lazy = -self.offset[k] * self.columns.total;
            *out = self.columns.times(j, &self.residual[k * n..(k + 1) * n], lazy);
        }
    }
    fn step(&mut self, j: usize, step: &[f64]) {
        let n = self.columns.n_rows();
        for (k, &step) in step.iter().enumerate().filter(|(_, s)| **s != 0.0) {
            self.offset[k] += self.columns.add(j, -step, &mut self.residual[k * n..(k + 1) * n]);
        }
    }
    fn yy(&self) -> f64 {
        dot(&self.columns.y, &self.columns.y)
    }
    fn residual(&self, w: &[f64]) -> (f64, f64) {
        let mut r = Vec::new();
        self.columns.residual(w, &mut r);
        (dot(&r, &r), dot(&r, &self.columns.y))
    }
    fn gram(&self, features: &[usize]) -> (Mat, Vec<f64>) {
        let mut gathered = Vec::new();
        self.columns.gather(features, &mut gathered);
        let gram = self.columns.products(features, features, &gathered);
        let first = &self.columns.y[..self.columns.n_rows()];
        let sum = self.columns.sum(first);
        (gram, features.iter().map(|&j| self.columns.times(j, first, sum)).collect())
    }
    fn reset(&mut self, w: &[f64]) {
        self.residual.clone_from(&self.columns.y);
        self.offset.fill(0.0);
        let t = self.targets();
        for (j, w) in w.chunks_exact(t).enumerate().filter(|(_, w)| w.iter().any(|v| *v != 0.0)) {
            self.step(j, w);
        }
    }
}
