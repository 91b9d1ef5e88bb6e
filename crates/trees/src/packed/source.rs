//! Row blocks: the rows that walk through packed trees, one after the other in memory.

use crate::sorted_columns::{Values, columns, scatter};
use mercer_core::{Error, Result, RowData, Rows};
use mercer_math::MatRef;
use std::ops::Range;

/// The rows to be walked.
pub(super) struct Source<'a> {
    rows: &'a Rows<'a>,
    columns: Vec<Values<'a>>,
    pub(super) n: usize,
    pub(super) d: usize,
}

/// Some rows, one after the other.
pub(super) struct Block<'a> {
    pub(super) first: usize,
    pub(super) n: usize,
    pub(super) d: usize,
    values: Contents<'a>,
}

enum Contents<'a> {
    Direct(MatRef<'a>),
    Copied(&'a [f64]),
}

impl Block<'_> {
    #[inline]
    pub(super) fn row(&self, i: usize) -> &[f64] {
        match &self.values {
            Contents::Direct(m) => m.row(self.first + i).unwrap_or(&[]),
            Contents::Copied(values) => &values[i * self.d..][..self.d],
        }
    }
}

impl<'a> Source<'a> {
    pub(super) fn new(rows: &'a Rows<'a>, d: usize) -> Result<Self> {
        if rows.n_features() != d || d == 0 {
            return Err(Error::shape("features of the rows", d, rows.n_features()));
        }
        let columns = match rows.data() {
            RowData::Table(_) => columns("a forest", rows)?,
            _ => Vec::new(),
        };
        Ok(Self { rows, columns, n: rows.n_rows(), d })
    }

    /// The rows of a range, in place where they lie one after the other.
    pub(super) fn block<'b>(&'b self, range: Range<usize>, room: &'b mut Vec<f64>) -> Block<'b> {
        let (first, n, d) = (range.start, range.len(), self.d);
        match self.rows.data() {
            RowData::Dense(m) if m.view().has_contiguous_rows() => {
                return Block { first, n, d, values: Contents::Direct(m.view()) };
            }
            RowData::Dense(m) => {
                room.extend(range.flat_map(|i| (0..d).map(move |j| (i, j))).map(|(i, j)| m.view().get(i, j)))
            }
            RowData::Sparse(m) => {
                room.resize(n * d, 0.0);
                range.zip(room.chunks_mut(d)).for_each(|(i, row)| scatter(m.view(), i, row));
            }
            RowData::Table(_) => {
                room.extend(range.flat_map(|i| self.columns.iter().map(move |c| c.number(i))))
            }
        }
        Block { first, n, d, values: Contents::Copied(room) }
    }
}
