//! Rows of features: dense, sparse, or a table of mixed columns.

mod align;

pub(super) use align::align;
pub(crate) use align::{features, numbers};

use super::Input;
use crate::error::{Error, ErrorKind, Result};
use crate::table::{Column, Table};
use mercer_math::{Csr, CsrRef, Mat, MatRef};
use std::sync::Arc;

/// Rows of features in one of three layouts, with names where they have any.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    data: RowData<'a>,
    names: Option<Arc<[String]>>,
}

/// The layouts of [`Rows`].
#[derive(Clone, Debug)]
pub enum RowData<'a> {
    /// A dense matrix.
    Dense(Matrix<'a>),
    /// A sparse matrix.
    Sparse(SparseMatrix<'a>),
    /// A table of mixed columns.
    Table(Table<'a>),
}

/// A dense matrix, borrowed or shared.
#[derive(Clone, Debug)]
pub enum Matrix<'a> {
    /// Memory of the caller's, in any layout.
    View(MatRef<'a>),
    /// Memory of our own.
    Owned(Arc<Mat>),
}

/// A sparse matrix, borrowed or shared.
#[derive(Clone, Debug)]
pub enum SparseMatrix<'a> {
    /// Memory of the caller's.
    View(CsrRef<'a>),
    /// Memory of our own.
    Owned(Arc<Csr>),
}

impl Matrix<'_> {
    /// The matrix as a view.
    pub fn view(&self) -> MatRef<'_> {
        match self {
            Matrix::View(view) => *view,
            Matrix::Owned(mat) => mat.view(),
        }
    }
}

impl SparseMatrix<'_> {
    /// The matrix as a view.
    pub fn view(&self) -> CsrRef<'_> {
        match self {
            SparseMatrix::View(view) => *view,
            SparseMatrix::Owned(csr) => csr.view(),
        }
    }
}

impl From<Mat> for Matrix<'_> {
    fn from(mat: Mat) -> Self {
        Matrix::Owned(Arc::new(mat))
    }
}

/// Rows that are all numbers: what most learners compute on.
#[derive(Clone, Debug)]
pub enum Numbers<'a> {
    /// A dense matrix.
    Dense(Matrix<'a>),
    /// A sparse matrix.
    Sparse(SparseMatrix<'a>),
}

impl<'a> Numbers<'a> {
    /// The rows as a view.
    pub fn view(&self) -> NumbersRef<'_> {
        match self {
            Numbers::Dense(m) => NumbersRef::Dense(m.view()),
            Numbers::Sparse(m) => NumbersRef::Sparse(m.view()),
        }
    }
}

/// A view of [`Numbers`].
#[derive(Clone, Copy, Debug)]
pub enum NumbersRef<'a> {
    /// A dense view.
    Dense(MatRef<'a>),
    /// A sparse view.
    Sparse(CsrRef<'a>),
}

impl<'a> NumbersRef<'a> {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match self {
            NumbersRef::Dense(m) => m.n_rows(),
            NumbersRef::Sparse(m) => m.n_rows(),
        }
    }

    /// Number of columns.
    pub fn n_cols(&self) -> usize {
        match self {
            NumbersRef::Dense(m) => m.n_cols(),
            NumbersRef::Sparse(m) => m.n_cols(),
        }
    }

    /// The rows `range` as a view.
    pub fn rows(&self, range: std::ops::Range<usize>) -> NumbersRef<'a> {
        match self {
            NumbersRef::Dense(m) => NumbersRef::Dense(m.rows(range)),
            NumbersRef::Sparse(m) => NumbersRef::Sparse(m.rows(range)),
        }
    }

    /// x · w for row `i`.
    pub fn dot_row(&self, i: usize, w: &[f64]) -> f64 {
        match self {
            NumbersRef::Dense(m) => match m.row(i) {
                Some(row) => mercer_math::dot(row, w),
                None => w.iter().enumerate().map(|(j, w)| m.get(i, j) * w).sum(),
            },
            NumbersRef::Sparse(m) => {
                let (indices, values) = m.row(i);
                mercer_math::sparse_dot(indices, values, w)
            }
        }
    }
}

impl<'a> Rows<'a> {
    /// Rows with names for their columns; the number of names must fit.
    pub fn named(mut self, names: impl Into<Arc<[String]>>) -> Result<Self> {
        let names = names.into();
        if names.len() != self.n_features() {
            return Err(Error::shape("feature names", self.n_features(), names.len()));
        }
        self.names = Some(names);
        Ok(self)
    }

    /// The layout and values.
    pub fn data(&self) -> &RowData<'a> {
        &self.data
    }

    /// The layout and values, taken out.
    pub fn into_data(self) -> RowData<'a> {
        self.data
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match &self.data {
            RowData::Dense(m) => m.view().n_rows(),
            RowData::Sparse(m) => m.view().n_rows(),
            RowData::Table(t) => t.n_rows(),
        }
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        match &self.data {
            RowData::Dense(m) => m.view().n_cols(),
            RowData::Sparse(m) => m.view().n_cols(),
            RowData::Table(t) => t.n_columns(),
        }
    }

    /// The names of the columns, where they have any.
    pub fn names(&self) -> Option<&Arc<[String]>> {
        match &self.data {
            RowData::Table(t) => Some(t.names()),
            RowData::Dense(_) | RowData::Sparse(_) => self.names.as_ref(),
        }
    }

    /// The name of column `j`, or `x<j>`.
    pub fn name(&self, j: usize) -> String {
        self.names().and_then(|n| n.get(j)).cloned().unwrap_or_else(|| format!("x{j}"))
    }

    /// Whether the rows are sparse.
    pub fn is_sparse(&self) -> bool {
        matches!(self.data, RowData::Sparse(_))
    }

    /// The rows as numbers, without a copy where they already are; a categorical or text column is an error
    /// that names it.
    pub fn numbers(&self, learner: &str) -> Result<Numbers<'a>> {
        match &self.data {
            RowData::Dense(m) => Ok(Numbers::Dense(m.clone())),
            RowData::Sparse(m) => Ok(Numbers::Sparse(m.clone())),
            RowData::Table(table) => table_to_mat(table, learner).map(|m| Numbers::Dense(m.into())),
        }
    }

    /// An error that names row and column of the first value that is missing or infinite, where there is one.
    pub fn refuse_not_finite(&self, learner: &str) -> Result<()> {
        crate::check_data::finite(learner, self, false)
    }

    /// The rows as a dense matrix, made dense where they are sparse.
    pub fn dense(&self, learner: &str) -> Result<Matrix<'a>> {
        match self.numbers(learner)? {
            Numbers::Dense(m) => Ok(m),
            Numbers::Sparse(m) => Ok(m.view().to_dense().into()),
        }
    }

    /// The rows as a table of columns, borrowing what can be borrowed.
    pub fn table(&self) -> Result<Table<'_>> {
        match &self.data {
            RowData::Table(t) => Ok(t.clone()),
            RowData::Dense(m) => {
                let view = m.view();
                let column = |j| (self.name(j), Column::Numeric(view.col_cow(j)));
                Table::new((0..view.n_cols()).map(column).collect())
            }
            RowData::Sparse(m) => {
                let dense = m.view().to_dense();
                let column = |j| (self.name(j), Column::numbers(dense.col(j)));
                Table::new((0..dense.n_cols()).map(column).collect())
            }
        }
    }

    /// The chosen rows, copied.
    pub fn gather(&self, rows: &[usize]) -> Rows<'static> {
        let data = match &self.data {
            RowData::Dense(m) => RowData::Dense(m.view().gather(rows).into()),
            RowData::Sparse(m) => RowData::Sparse(SparseMatrix::Owned(Arc::new(m.view().gather(rows)))),
            RowData::Table(t) => RowData::Table(t.gather(rows)),
        };
        Rows { data, names: self.names.clone() }
    }

    /// The chosen columns, copied, with the names that they had.
    pub fn columns(&self, kept: &[usize]) -> Result<Rows<'static>> {
        let names: Vec<String> = kept.iter().map(|&j| self.name(j)).collect();
        let rows = match &self.data {
            RowData::Dense(m) => {
                Rows::from(Mat::from_fn(m.view().n_rows(), kept.len(), |i, k| m.view().get(i, kept[k])))
            }
            RowData::Sparse(m) => {
                let mut place = vec![u32::MAX; m.view().n_cols()];
                kept.iter().zip(0..).for_each(|(&j, k)| place[j] = k);
                Rows::from(m.view().remapped(&place, kept.len()))
            }
            RowData::Table(t) => {
                let column =
                    |&j: &usize| (t.names()[j].clone(), t.columns()[j].as_ref().clone().into_owned());
                return Ok(Table::new(kept.iter().map(column).collect())?.into());
            }
        };
        match self.names() {
            Some(_) => rows.named(names),
            None => Ok(rows),
        }
    }
}

fn table_to_mat(table: &Table<'_>, learner: &str) -> Result<Mat> {
    let mut out = Mat::zeros(table.n_rows(), table.n_columns());
    for (j, (name, column)) in table.iter().enumerate() {
        let numbers = column.to_numbers().ok_or_else(|| ErrorKind::Kind {
            learner: learner.to_owned(),
            takes: "numbers".to_owned(),
            got: format!(
                "the {} column `{name}`; encode it first (the default preparation does)",
                column.kind()
            ),
        })?;
        numbers.iter().enumerate().for_each(|(i, &v)| out[(i, j)] = v);
    }
    Ok(out)
}

macro_rules! rows_from {
    ($($from:ty => |$v:ident| $make:expr;)*) => {$(
        impl<'a> From<$from> for Rows<'a> {
            fn from($v: $from) -> Self { Rows { data: $make, names: None } }
        }
        impl<'a> From<$from> for Input<'a> {
            fn from($v: $from) -> Self { Input::Rows($v.into()) }
        }
    )*};
}
rows_from! {
    MatRef<'a> => |v| RowData::Dense(Matrix::View(v));
    &'a Mat => |v| RowData::Dense(Matrix::View(v.view()));
    Mat => |v| RowData::Dense(v.into());
    CsrRef<'a> => |v| RowData::Sparse(SparseMatrix::View(v));
    &'a Csr => |v| RowData::Sparse(SparseMatrix::View(v.view()));
    Csr => |v| RowData::Sparse(SparseMatrix::Owned(Arc::new(v)));
    Table<'a> => |v| RowData::Table(v);
    &Table<'a> => |v| RowData::Table(v.clone());
}

impl<'a> From<Rows<'a>> for Input<'a> {
    fn from(rows: Rows<'a>) -> Self {
        Input::Rows(rows)
    }
}
