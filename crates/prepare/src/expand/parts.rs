//! The numeric columns of rows apart from the others, which pass through.

use mercer_core::{Column, Matrix, Numbers, Result, RowData, Rows, Table};
use mercer_math::{Csr, Mat};
use std::sync::Arc;

/// Rows in two parts: numbers to be changed, and the rest with its place.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    /// The numeric columns, in order.
    pub(crate) numbers: Numbers<'a>,
    /// The places of the numeric columns.
    places: Vec<usize>,
    /// The other columns with their places.
    rest: Vec<(usize, Arc<Column<'a>>)>,
    names: Vec<String>,
}

impl<'a> Parts<'a> {
    /// Splits rows by which of their columns are numeric; nothing is copied where all are.
    pub(crate) fn of(rows: &Rows<'a>, numeric: &[bool]) -> Result<Self> {
        let names: Vec<String> = (0..rows.n_features()).map(|j| rows.name(j)).collect();
        let places: Vec<usize> = (0..numeric.len()).filter(|&j| numeric[j]).collect();
        let all = places.len() == numeric.len();
        let rest_of = |j: usize, table: &Table<'a>| (j, table.columns()[j].clone());
        let others = || (0..numeric.len()).filter(|&j| !numeric[j]);
        let (numbers, rest) = match rows.data() {
            RowData::Dense(m) if all => (Numbers::Dense(m.clone()), Vec::new()),
            RowData::Sparse(m) if all => (Numbers::Sparse(m.clone()), Vec::new()),
            RowData::Table(table) => {
                let columns: Vec<_> = places.iter().map(|&j| table.columns()[j].to_numbers()).collect();
                let value = |i: usize, k: usize| columns[k].as_ref().map_or(f64::NAN, |c| c[i]);
                let numbers = Mat::from_fn(table.n_rows(), places.len(), value);
                (Numbers::Dense(numbers.into()), others().map(|j| rest_of(j, table)).collect())
            }
            _ => {
                // A matrix in place of a table with truth values: these pass through as the numbers they are.
                let dense = rows.dense("a preparation step")?;
                let view = dense.view();
                let numbers = Mat::from_fn(view.n_rows(), places.len(), |i, k| view.get(i, places[k]));
                let column = |j| (j, Arc::new(Column::numbers(view.col_cow(j).into_owned())));
                (Numbers::Dense(numbers.into()), others().map(column).collect())
            }
        };
        Ok(Self { numbers, places, rest, names })
    }

    /// The numbers as a dense matrix, made dense where they are sparse.
    pub(crate) fn dense(&self) -> Matrix<'a> {
        match &self.numbers {
            Numbers::Dense(m) => m.clone(),
            Numbers::Sparse(m) => m.view().to_dense().into(),
        }
    }

    /// The rows with changed numbers in the places of the old ones.
    pub(crate) fn put_back(&self, changed: &Mat) -> Result<Rows<'static>> {
        let mut columns: Vec<(usize, Column<'static>)> =
            self.rest.iter().map(|(j, c)| (*j, c.as_ref().clone().into_owned())).collect();
        columns.extend(self.places.iter().enumerate().map(|(k, &j)| (j, Column::numbers(changed.col(k)))));
        columns.sort_by_key(|(j, _)| *j);
        let named = columns.into_iter().map(|(j, c)| (self.names[j].clone(), c)).collect();
        Ok(Table::new(named)?.into())
    }

    /// New columns followed by those that pass through; a plain matrix where none do.
    pub(crate) fn followed_by_rest(
        &self,
        new: Expanded,
        names: impl FnOnce() -> Vec<String>,
    ) -> Result<Rows<'static>> {
        if self.rest.is_empty() {
            return Ok(match new {
                Expanded::Dense(m) => m.into(),
                Expanded::Sparse(m) => m.into(),
            });
        }
        let dense = match new {
            Expanded::Dense(m) => m,
            Expanded::Sparse(m) => m.view().to_dense(),
        };
        let made = (0..dense.n_cols()).map(|k| Column::numbers(dense.col(k)));
        let made = names().into_iter().zip(made);
        let rest = self.rest.iter().map(|(j, c)| (self.names[*j].clone(), c.as_ref().clone().into_owned()));
        Ok(Table::new(made.chain(rest).collect())?.into())
    }
}

/// Columns that an expansion makes.
#[derive(Debug)]
pub(crate) enum Expanded {
    Dense(Mat),
    Sparse(Csr),
}

/// The entries of a sparse row by place; those of one place are added, as everywhere.
pub(crate) fn in_order(entries: &mut Vec<(u32, f64)>) {
    entries.sort_by_key(|(place, _)| *place);
    entries.dedup_by(|later, first| {
        let same = later.0 == first.0;
        first.1 += if same { later.1 } else { 0.0 };
        same
    });
}
