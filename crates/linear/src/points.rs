//! Rows as points that one weight vector is held against, one at a time: dense or sparse, with or without a constant.

use mercer_core::NumbersRef;
use mercer_math::{Csr, CsrRef, Mat, MatRef, axpy, dot, prefetch, sparse_dot};
use std::borrow::Cow;

/// Rows that are visited one at a time, in any order. Weight vectors have `width` entries: one for each feature, and one
/// for the constant where there is one.
pub(crate) trait Points: Sync {
    fn n(&self) -> usize;
    fn features(&self) -> usize;
    /// The constant that stands behind the features; 0 for none.
    fn bias(&self) -> f64;
    /// w · x of row i.
    fn dot(&self, i: usize, w: &[f64]) -> f64;
    /// w += a x of row i.
    fn add(&self, i: usize, a: f64, w: &mut [f64]);
    /// Calls with place and value of each entry of row i that may not be zero.
    fn each(&self, i: usize, visit: impl FnMut(usize, f64));
    /// Asks for the memory of row i, which is visited soon.
    fn prefetch(&self, i: usize);

    fn width(&self) -> usize {
        self.features() + usize::from(self.bias() != 0.0)
    }

    /// |x|² of row i.
    fn norm2(&self, i: usize) -> f64 {
        let mut sum = 0.0;
        self.each(i, |_, v| sum += v * v);
        sum
    }
}

/// Dense rows; those that do not lie in one piece are copied once.
pub(crate) struct DensePoints<'a> {
    values: Cow<'a, [f64]>,
    n: usize,
    d: usize,
    stride: usize,
    bias: f64,
}

impl<'a> DensePoints<'a> {
    pub(crate) fn new(x: MatRef<'a>, bias: f64) -> Self {
        let (n, d) = (x.n_rows(), x.n_cols());
        match x.has_contiguous_rows() {
            true => Self { values: Cow::Borrowed(x.data()), n, d, stride: x.row_stride(), bias },
            false => Self { values: Cow::Owned(Mat::into_vec(x.to_mat())), n, d, stride: d, bias },
        }
    }

    #[inline(always)]
    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.stride..i * self.stride + self.d]
    }
}

impl Points for DensePoints<'_> {
    fn n(&self) -> usize {
        self.n
    }
    fn features(&self) -> usize {
        self.d
    }
    fn bias(&self) -> f64 {
        self.bias
    }
    #[inline(always)]
    fn dot(&self, i: usize, w: &[f64]) -> f64 {
        let constant = if self.bias != 0.0 { self.bias * w[self.d] } else { 0.0 };
        dot(self.row(i), &w[..self.d]) + constant
    }
    #[inline(always)]
    fn add(&self, i: usize, a: f64, w: &mut [f64]) {
        axpy(a, self.row(i), &mut w[..self.d]);
        if self.bias != 0.0 {
            w[self.d] += a * self.bias;
        }
    }
    #[inline(always)]
    fn each(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        self.row(i).iter().enumerate().for_each(|(j, v)| visit(j, *v));
        if self.bias != 0.0 {
            visit(self.d, self.bias);
        }
    }
    fn norm2(&self, i: usize) -> f64 {
        dot(self.row(i), self.row(i)) + self.bias * self.bias
    }
    #[inline(always)]
    fn prefetch(&self, i: usize) {
        (0..self.d.min(256)).step_by(8).for_each(|j| prefetch(&self.values, i * self.stride + j));
    }
}

/// Sparse rows.
pub(crate) struct SparsePoints<'a> {
    x: CsrRef<'a>,
    bias: f64,
}

impl<'a> SparsePoints<'a> {
    pub(crate) fn new(x: CsrRef<'a>, bias: f64) -> Self {
        Self { x, bias }
    }
}

impl Points for SparsePoints<'_> {
    fn n(&self) -> usize {
        self.x.n_rows()
    }
    fn features(&self) -> usize {
        self.x.n_cols()
    }
    fn bias(&self) -> f64 {
        self.bias
    }
    #[inline(always)]
    fn dot(&self, i: usize, w: &[f64]) -> f64 {
        let (indices, values) = self.x.row(i);
        let constant = if self.bias != 0.0 { self.bias * w[self.x.n_cols()] } else { 0.0 };
        sparse_dot(indices, values, w) + constant
    }
    #[inline(always)]
    fn add(&self, i: usize, a: f64, w: &mut [f64]) {
        let (indices, values) = self.x.row(i);
        indices.iter().zip(values).for_each(|(&j, v)| w[j as usize] += a * v);
        if self.bias != 0.0 {
            w[self.x.n_cols()] += a * self.bias;
        }
    }
    #[inline(always)]
    fn each(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        let (indices, values) = self.x.row(i);
        indices.iter().zip(values).for_each(|(&j, v)| visit(j as usize, *v));
        if self.bias != 0.0 {
            visit(self.x.n_cols(), self.bias);
        }
    }
    #[inline(always)]
    fn prefetch(&self, i: usize) {
        let (indices, values) = self.x.row(i);
        (0..indices.len().min(256)).step_by(16).for_each(|k| prefetch(indices, k));
        (0..values.len().min(256)).step_by(8).for_each(|k| prefetch(values, k));
    }
}

/// The columns as rows, the constant among them.
pub(crate) fn columns_of<P: Points>(points: &P) -> Csr {
    let mut rows = Csr::empty(points.width());
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    for i in 0..points.n() {
        indices.clear();
        values.clear();
        points.each(i, |j, v| {
            if v != 0.0 {
                indices.push(j as u32);
                values.push(v);
            }
        });
        rows.push_row(&indices, &values);
    }
    rows.view().transposed()
}

/// Work on points, whatever their layout: a generic function that a match can call for each.
pub(crate) trait OnPoints {
    type Out;
    fn on<P: Points>(self, points: &P) -> Self::Out;
}

/// Does the work on rows of numbers with a constant behind them.
pub(crate) fn on_points<W: OnPoints>(x: NumbersRef<'_>, bias: f64, work: W) -> W::Out {
    match x {
        NumbersRef::Dense(x) => work.on(&DensePoints::new(x, bias)),
        NumbersRef::Sparse(x) => work.on(&SparsePoints::new(x, bias)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_say_the_same() {
        let x = Mat::from_fn(3, 7, |i, j| if (i + j) % 2 == 0 { 0.0 } else { (i * 7 + j) as f64 });
        let (turned, csr) = (x.view().t().to_mat(), Csr::from_dense(x.view()));
        let all = (
            DensePoints::new(x.view(), 2.0),
            DensePoints::new(turned.view().t(), 2.0),
            SparsePoints::new(csr.view(), 2.0),
        );
        fn told<P: Points>(p: &P) -> (Vec<f64>, Vec<f64>, usize) {
            let w: Vec<f64> = (0..p.width()).map(|j| j as f64 - 3.0).collect();
            let mut sum = vec![0.0; p.width()];
            (0..p.n()).for_each(|i| p.add(i, 0.5, &mut sum));
            p.prefetch(1);
            ((0..p.n()).flat_map(|i| [p.dot(i, &w), p.norm2(i)]).collect(), sum, p.width())
        }
        assert_eq!(told(&all.0), told(&all.1));
        assert_eq!(told(&all.0), told(&all.2));
        assert_eq!(told(&all.0).2, 8);
    }
}
