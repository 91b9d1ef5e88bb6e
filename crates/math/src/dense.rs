//! Dense matrices: a borrowed view over any layout, and an owned row-major matrix.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// A read-only matrix view with any strides: element (i, j) lies at `i * row_stride + j * col_stride`.
///
/// # Example
/// ```
/// use mercer_math::MatRef;
/// let data = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let by_rows = MatRef::row_major(&data, 2, 3).unwrap();
/// let by_columns = MatRef::strided(&data, 3, 2, 1, 3).unwrap(); // the transpose, same memory
/// assert_eq!(by_rows.get(1, 0), by_columns.get(0, 1));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MatRef<'a> {
    data: &'a [f64],
    n_rows: usize,
    n_cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<'a> MatRef<'a> {
    /// A view with explicit strides; `None` when it would reach beyond `data`.
    pub fn strided(
        data: &'a [f64],
        n_rows: usize,
        n_cols: usize,
        row_stride: usize,
        col_stride: usize,
    ) -> Option<Self> {
        if n_rows > 0 && n_cols > 0 {
            let last =
                (n_rows - 1).checked_mul(row_stride)?.checked_add((n_cols - 1).checked_mul(col_stride)?)?;
            if last >= data.len() {
                return None;
            }
        }
        Some(Self { data, n_rows, n_cols, row_stride, col_stride })
    }

    /// A view of contiguous rows; `None` when `data` is not `n_rows * n_cols` long.
    pub fn row_major(data: &'a [f64], n_rows: usize, n_cols: usize) -> Option<Self> {
        (Some(data.len()) == n_rows.checked_mul(n_cols)).then_some(())?;
        Self::strided(data, n_rows, n_cols, n_cols, 1)
    }

    /// A view of contiguous columns; `None` when `data` is not `n_rows * n_cols` long.
    pub fn col_major(data: &'a [f64], n_rows: usize, n_cols: usize) -> Option<Self> {
        (Some(data.len()) == n_rows.checked_mul(n_cols)).then_some(())?;
        Self::strided(data, n_rows, n_cols, 1, n_rows)
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Distance between vertical neighbours.
    pub fn row_stride(&self) -> usize {
        self.row_stride
    }

    /// Distance between horizontal neighbours.
    pub fn col_stride(&self) -> usize {
        self.col_stride
    }

    /// The memory under the view, starting at element (0, 0).
    pub fn data(&self) -> &'a [f64] {
        self.data
    }

    /// Element (i, j).
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        debug_assert!(i < self.n_rows && j < self.n_cols);
        self.data[i * self.row_stride + j * self.col_stride]
    }

    /// Whether every row is contiguous in memory.
    pub fn has_contiguous_rows(&self) -> bool {
        self.col_stride == 1 || self.n_cols <= 1
    }

    /// Row `i` as a slice, where rows are contiguous.
    #[inline]
    pub fn row(&self, i: usize) -> Option<&'a [f64]> {
        if !self.has_contiguous_rows() || i >= self.n_rows {
            return None;
        }
        let start = i * self.row_stride;
        self.data.get(start..start + self.n_cols)
    }

    /// Column `j` as a slice, where columns are contiguous.
    pub fn col(&self, j: usize) -> Option<&'a [f64]> {
        if (self.row_stride != 1 && self.n_rows > 1) || j >= self.n_cols {
            return None;
        }
        let start = j * self.col_stride;
        self.data.get(start..start + self.n_rows)
    }

    /// Row `i`, borrowed where it is contiguous.
    pub fn row_cow(&self, i: usize) -> Cow<'a, [f64]> {
        match self.row(i) {
            Some(row) => Cow::Borrowed(row),
            None => Cow::Owned((0..self.n_cols).map(|j| self.get(i, j)).collect()),
        }
    }

    /// Column `j`, borrowed where it is contiguous.
    pub fn col_cow(&self, j: usize) -> Cow<'a, [f64]> {
        match self.col(j) {
            Some(col) => Cow::Borrowed(col),
            None => Cow::Owned((0..self.n_rows).map(|i| self.get(i, j)).collect()),
        }
    }

    /// The transposed view.
    pub fn t(&self) -> MatRef<'a> {
        MatRef {
            data: self.data,
            n_rows: self.n_cols,
            n_cols: self.n_rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
        }
    }

    /// The rows `range` as a view; the range is clipped to the matrix.
    pub fn rows(&self, range: Range<usize>) -> MatRef<'a> {
        let end = range.end.min(self.n_rows);
        let start = range.start.min(end);
        let data = if start == end { &[] } else { &self.data[start * self.row_stride..] };
        MatRef { data, n_rows: end - start, ..*self }
    }

    /// A row-major copy.
    pub fn to_mat(&self) -> Mat {
        let mut data = Vec::with_capacity(self.n_rows * self.n_cols);
        if self.has_contiguous_rows() {
            (0..self.n_rows).for_each(|i| data.extend_from_slice(self.row(i).unwrap_or(&[])));
        } else {
            // Column-major sources are copied in tiles: a plain gather misses the cache on every element.
            data.resize(self.n_rows * self.n_cols, 0.0);
            const TILE: usize = 32;
            for i0 in (0..self.n_rows).step_by(TILE) {
                for j0 in (0..self.n_cols).step_by(TILE) {
                    for i in i0..(i0 + TILE).min(self.n_rows) {
                        for j in j0..(j0 + TILE).min(self.n_cols) {
                            data[i * self.n_cols + j] = self.get(i, j);
                        }
                    }
                }
            }
        }
        Mat { data, n_rows: self.n_rows, n_cols: self.n_cols }
    }

    /// A row-major copy of the chosen rows, which may repeat.
    ///
    /// # Panics
    /// When an index is not below `n_rows`.
    pub fn gather(&self, rows: &[usize]) -> Mat {
        let mut data = Vec::with_capacity(rows.len() * self.n_cols);
        for &i in rows {
            match self.row(i) {
                Some(row) => data.extend_from_slice(row),
                None => data.extend((0..self.n_cols).map(|j| self.get(i, j))),
            }
        }
        Mat { data, n_rows: rows.len(), n_cols: self.n_cols }
    }

    /// The first non-finite element, as (row, column), if there is one.
    pub fn find_non_finite(&self) -> Option<(usize, usize)> {
        self.find(|v| !v.is_finite())
    }

    /// The first element, by rows, for which `bad` holds, as (row, column).
    pub fn find(&self, bad: impl Fn(f64) -> bool) -> Option<(usize, usize)> {
        for i in 0..self.n_rows {
            let hit = match self.row(i) {
                Some(row) => row.iter().position(|&v| bad(v)),
                None => (0..self.n_cols).position(|j| bad(self.get(i, j))),
            };
            if let Some(j) = hit {
                return Some((i, j));
            }
        }
        None
    }

    /// The memory of a faer matrix whose elements lie without gaps, by rows or by columns; `None` otherwise.
    ///
    /// Gaps are refused because the memory between the columns of a padded faer matrix is uninitialised, and
    /// that between the columns of a sub-matrix may be lent out mutably; [`Mat::from_faer`] copies any layout.
    pub fn from_faer(m: faer::MatRef<'a, f64>) -> Option<Self> {
        let (n_rows, n_cols) = (m.nrows(), m.ncols());
        let len = n_rows.checked_mul(n_cols)?;
        if len == 0 {
            return Self::strided(&[], n_rows, n_cols, n_cols, 1);
        }
        let (row_stride, col_stride) = (m.row_stride(), m.col_stride());
        let steps = |stride: isize, n: usize, dense: usize| n == 1 || stride == dense as isize;
        let by_columns = steps(row_stride, n_rows, 1) && steps(col_stride, n_cols, n_rows);
        let by_rows = steps(col_stride, n_cols, 1) && steps(row_stride, n_rows, n_cols);
        if !by_columns && !by_rows {
            return None;
        }
        // SAFETY: the strides just checked place the `len` elements of the view, all initialised and
        // borrowed for 'a, at the consecutive addresses from `as_ptr` on.
        let data = unsafe { std::slice::from_raw_parts(m.as_ptr(), len) };
        if by_rows { Self::row_major(data, n_rows, n_cols) } else { Self::col_major(data, n_rows, n_cols) }
    }

    /// This view as faer's, without copying.
    pub fn to_faer(&self) -> faer::MatRef<'a, f64> {
        if self.n_rows == 0 || self.n_cols == 0 {
            return faer::MatRef::from_row_major_slice(&[], self.n_rows, self.n_cols);
        }
        // SAFETY: every constructor has checked that the last element lies within `data`, which is borrowed
        // for 'a; strides that passed that check fit in isize, or belong to a dimension of length one.
        unsafe {
            faer::MatRef::from_raw_parts(
                self.data.as_ptr(),
                self.n_rows,
                self.n_cols,
                self.row_stride as isize,
                self.col_stride as isize,
            )
        }
    }

    /// The memory of an ndarray view whose elements lie without gaps, by rows or by columns; `None` otherwise.
    #[cfg(feature = "ndarray")]
    pub fn from_ndarray(view: &ndarray::ArrayView2<'a, f64>) -> Option<Self> {
        let (n_rows, n_cols) = view.dim();
        match view.to_slice() {
            Some(data) => Self::row_major(data, n_rows, n_cols),
            None => Self::col_major(view.clone().reversed_axes().to_slice()?, n_rows, n_cols),
        }
    }
}

/// An owned row-major matrix.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mat {
    data: Vec<f64>,
    n_rows: usize,
    n_cols: usize,
}

impl Mat {
    /// A matrix of zeros.
    pub fn zeros(n_rows: usize, n_cols: usize) -> Self {
        let mut data = vec![0.0; n_rows * n_cols];
        crate::huge_pages::ask_for_huge_pages(&mut data);
        Self { data, n_rows, n_cols }
    }

    /// A matrix from its rows laid end to end; `None` when the length does not fit.
    pub fn from_vec(data: Vec<f64>, n_rows: usize, n_cols: usize) -> Option<Self> {
        (Some(data.len()) == n_rows.checked_mul(n_cols)).then_some(Self { data, n_rows, n_cols })
    }

    /// A matrix whose element (i, j) is `f(i, j)`.
    pub fn from_fn(n_rows: usize, n_cols: usize, mut f: impl FnMut(usize, usize) -> f64) -> Self {
        let mut m = Self::zeros(n_rows, n_cols);
        for i in 0..n_rows {
            for j in 0..n_cols {
                m[(i, j)] = f(i, j);
            }
        }
        m
    }

    /// A copy of a faer matrix of any layout.
    pub fn from_faer(m: faer::MatRef<'_, f64>) -> Self {
        match MatRef::from_faer(m) {
            Some(view) => view.to_mat(),
            None => Self::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)]),
        }
    }

    /// The identity matrix.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| f64::from(u8::from(i == j)))
    }

    /// This matrix as faer's, to be written.
    pub(crate) fn to_faer_mut(&mut self) -> faer::MatMut<'_, f64> {
        faer::MatMut::from_row_major_slice_mut(&mut self.data, self.n_rows, self.n_cols)
    }

    /// A matrix from rows of equal length; `None` when they differ.
    pub fn from_rows(rows: &[impl AsRef<[f64]>]) -> Option<Self> {
        let n_cols = rows.first().map_or(0, |r| r.as_ref().len());
        let mut data = Vec::with_capacity(rows.len() * n_cols);
        for row in rows {
            (row.as_ref().len() == n_cols).then(|| data.extend_from_slice(row.as_ref()))?;
        }
        Some(Self { data, n_rows: rows.len(), n_cols })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.n_cols..(i + 1) * self.n_cols]
    }

    /// Row `i`, to be written.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.n_cols..(i + 1) * self.n_cols]
    }

    /// All elements by rows.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// All elements by rows, to be written.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// The elements by rows, given away.
    pub fn into_vec(self) -> Vec<f64> {
        self.data
    }

    /// Column `j`, copied.
    pub fn col(&self, j: usize) -> Vec<f64> {
        (0..self.n_rows).map(|i| self[(i, j)]).collect()
    }

    /// A view of the whole matrix.
    pub fn view(&self) -> MatRef<'_> {
        MatRef {
            data: &self.data,
            n_rows: self.n_rows,
            n_cols: self.n_cols,
            row_stride: self.n_cols,
            col_stride: 1,
        }
    }

    /// Whether the stored length agrees with the stored shape (a loaded matrix may lie).
    pub fn is_consistent(&self) -> bool {
        self.n_rows.checked_mul(self.n_cols) == Some(self.data.len())
    }
}

impl std::ops::Index<(usize, usize)> for Mat {
    type Output = f64;
    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.n_cols + j]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Mat {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.n_cols + j]
    }
}

impl<'a> From<&'a Mat> for MatRef<'a> {
    fn from(m: &'a Mat) -> Self {
        m.view()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_travel_to_faer_and_back() {
        let m = Mat::from_fn(3, 5, |i, j| (i * 10 + j) as f64);
        for view in [m.view(), m.view().t(), m.view().rows(1..3), m.view().rows(2..2)] {
            let there = view.to_faer();
            assert_eq!((there.nrows(), there.ncols()), (view.n_rows(), view.n_cols()));
            let back = MatRef::from_faer(there).expect("no gaps");
            assert_eq!(back.to_mat(), view.to_mat());
            assert_eq!(Mat::from_faer(there), view.to_mat());
        }
    }

    #[test]
    fn gaps_are_copied_not_viewed() {
        let m = Mat::from_fn(4, 6, |i, j| (i * 10 + j) as f64);
        let part = m.view().to_faer().submatrix(1, 2, 2, 3);
        assert!(MatRef::from_faer(part).is_none());
        assert_eq!(Mat::from_faer(part), Mat::from_fn(2, 3, |i, j| m[(i + 1, j + 2)]));
        let column = m.view().to_faer().transpose().submatrix(2, 1, 1, 1);
        assert_eq!(MatRef::from_faer(column).map(|v| v.get(0, 0)), Some(12.0));
        assert!(MatRef::from_faer(m.view().to_faer().reverse_rows()).is_none());
    }

    #[cfg(feature = "ndarray")]
    #[test]
    fn views_ndarray_of_both_orders() {
        let a = ndarray::Array2::from_shape_fn((3, 4), |(i, j)| (i * 10 + j) as f64);
        let expected = Mat::from_fn(3, 4, |i, j| (i * 10 + j) as f64);
        assert_eq!(MatRef::from_ndarray(&a.view()).map(|v| v.to_mat()), Some(expected.clone()));
        let t = a.t();
        assert_eq!(MatRef::from_ndarray(&t).map(|v| v.to_mat()), Some(expected.view().t().to_mat()));
        assert!(MatRef::from_ndarray(&a.slice(ndarray::s![.., ..;2])).is_none());
        assert!(MatRef::from_ndarray(&a.slice(ndarray::s![..;-1, ..])).is_none());
    }
}
