//! Sparse matrices in compressed rows (CSR). A CSC matrix is the transpose of a CSR one.

use crate::{Mat, MatRef, wide};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A read-only sparse matrix in compressed rows: row `i` holds `indices[indptr[i]..indptr[i + 1]]`.
#[derive(Clone, Copy, Debug)]
pub struct CsrRef<'a> {
    indptr: &'a [usize],
    indices: &'a [u32],
    values: &'a [f64],
    n_cols: usize,
}

/// The largest index, without a way out on the way, so that many are looked at together. Views are made where data come in, before
/// anybody has entered a pool of a session: no other pool may be woken there, as it would not outlive a fork.
fn largest(indices: &[u32]) -> Option<u32> {
    (!indices.is_empty()).then(|| wide(|| indices.iter().fold(0, |largest, &j| largest.max(j))))
}

impl<'a> CsrRef<'a> {
    /// A checked view; `None` when pointers fall, reach beyond the data, or a column is not below `n_cols`.
    pub fn new(indptr: &'a [usize], indices: &'a [u32], values: &'a [f64], n_cols: usize) -> Option<Self> {
        let ok = indptr.first() == Some(&0)
            && indptr.last() == Some(&indices.len())
            && indices.len() == values.len()
            && indptr.windows(2).all(|w| w[0] <= w[1])
            && largest(indices).is_none_or(|j| (j as usize) < n_cols);
        ok.then_some(Self { indptr, indices, values, n_cols })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.indptr.len() - 1
    }

    /// Number of columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Number of stored entries.
    pub fn nnz(&self) -> usize {
        self.indptr[self.n_rows()] - self.indptr[0]
    }

    /// Columns and values of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> (&'a [u32], &'a [f64]) {
        let range = self.indptr[i]..self.indptr[i + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// All stored values, by rows.
    pub fn values(&self) -> &'a [f64] {
        &self.values[self.indptr[0]..self.indptr[self.n_rows()]]
    }

    /// The rows `range` as a view; the range is clipped to the matrix.
    pub fn rows(&self, range: Range<usize>) -> CsrRef<'a> {
        let end = range.end.min(self.n_rows());
        let start = range.start.min(end);
        CsrRef { indptr: &self.indptr[start..=end], ..*self }
    }

    /// The chosen rows, copied.
    pub fn gather(&self, rows: &[usize]) -> Csr {
        let mut out = Csr::empty(self.n_cols);
        for &i in rows {
            let (indices, values) = self.row(i);
            out.push_row(indices, values);
        }
        out
    }

    /// The entries of column `j` moved to column `place[j]`, or left out where that is `u32::MAX`.
    pub fn remapped(&self, place: &[u32], n_cols: usize) -> Csr {
        let mut out = Csr::empty(n_cols);
        let (mut entries, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..self.n_rows() {
            let (at, of) = self.row(i);
            let moved = at.iter().zip(of).map(|(&j, &v)| (place[j as usize], v));
            entries.clear();
            entries.extend(moved.filter(|(j, _)| *j != u32::MAX));
            entries.sort_by_key(|(j, _)| *j);
            columns.clear();
            columns.extend(entries.iter().map(|(j, _)| *j));
            values.clear();
            values.extend(entries.iter().map(|(_, v)| *v));
            out.push_row(&columns, &values);
        }
        out
    }

    /// A dense copy; duplicate entries are added.
    pub fn to_dense(&self) -> Mat {
        let mut out = Mat::zeros(self.n_rows(), self.n_cols);
        for i in 0..self.n_rows() {
            let (indices, values) = self.row(i);
            for (&j, &v) in indices.iter().zip(values) {
                out[(i, j as usize)] += v;
            }
        }
        out
    }

    /// The transpose in compressed rows, that is this matrix in compressed columns.
    pub fn transposed(&self) -> Csr {
        let n_rows = self.n_rows();
        let mut indptr = vec![0usize; self.n_cols + 1];
        for i in 0..n_rows {
            self.row(i).0.iter().for_each(|&j| indptr[j as usize + 1] += 1);
        }
        for j in 0..self.n_cols {
            indptr[j + 1] += indptr[j];
        }
        let mut next = indptr.clone();
        let (mut indices, mut values) = (vec![0u32; self.nnz()], vec![0.0; self.nnz()]);
        for i in 0..n_rows {
            let (cols, vals) = self.row(i);
            for (&j, &v) in cols.iter().zip(vals) {
                let at = next[j as usize];
                (indices[at], values[at]) = (i as u32, v);
                next[j as usize] += 1;
            }
        }
        Csr { indptr, indices, values, n_cols: n_rows }
    }
}

/// An owned sparse matrix in compressed rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Csr {
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    n_cols: usize,
}

impl Csr {
    /// A matrix without rows.
    pub fn empty(n_cols: usize) -> Self {
        Self { indptr: vec![0], indices: Vec::new(), values: Vec::new(), n_cols }
    }

    /// A checked matrix; `None` as for [`CsrRef::new`].
    pub fn new(indptr: Vec<usize>, indices: Vec<u32>, values: Vec<f64>, n_cols: usize) -> Option<Self> {
        CsrRef::new(&indptr, &indices, &values, n_cols)?;
        Some(Self { indptr, indices, values, n_cols })
    }

    /// The non-zero elements of a dense matrix.
    pub fn from_dense(x: MatRef<'_>) -> Self {
        let mut out = Self::empty(x.n_cols());
        for i in 0..x.n_rows() {
            for j in 0..x.n_cols() {
                let v = x.get(i, j);
                if v != 0.0 {
                    out.indices.push(j as u32);
                    out.values.push(v);
                }
            }
            out.indptr.push(out.indices.len());
        }
        out
    }

    /// Adds a row at the end.
    ///
    /// # Panics
    /// When the slices differ in length or a column is not below `n_cols`.
    pub fn push_row(&mut self, indices: &[u32], values: &[f64]) {
        assert_eq!(indices.len(), values.len(), "one value for each column index");
        assert!(indices.iter().all(|&j| (j as usize) < self.n_cols), "column index within the matrix");
        self.indices.extend_from_slice(indices);
        self.values.extend_from_slice(values);
        self.indptr.push(self.indices.len());
    }

    /// Whether the stored arrays fit together (a loaded matrix may lie).
    pub fn is_consistent(&self) -> bool {
        CsrRef::new(&self.indptr, &self.indices, &self.values, self.n_cols).is_some()
    }

    /// A view of the whole matrix.
    pub fn view(&self) -> CsrRef<'_> {
        CsrRef { indptr: &self.indptr, indices: &self.indices, values: &self.values, n_cols: self.n_cols }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.indptr.len() - 1
    }

    /// Number of columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }
}

impl<'a> From<&'a Csr> for CsrRef<'a> {
    fn from(m: &'a Csr) -> Self {
        m.view()
    }
}
