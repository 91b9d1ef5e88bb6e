//! Row blocks: the rows that walk through packed trees, one after the other in memory.

use super::{FEATURE, LEAF, Lazy, PackedTrees};
use crate::sorted_columns::{Values, columns, scatter};
use mercer_core::{Error, Result, RowData, Rows};
use mercer_math::MatRef;
use std::ops::Range;

/// The rows to be walked.
pub(super) struct Source<'a> {
    rows: &'a Rows<'a>,
    columns: Vec<Values<'a>>,
    /// The places of the features that are looked at, [`UNUSED`] for others; empty where all are.
    places: Vec<u32>,
    pub(super) n: usize,
    pub(super) d: usize,
}

/// No tree looks at the feature.
const UNUSED: u32 = u32::MAX;
/// Fewer cells of sparse rows are laid out as they are.
const CELLS: usize = 1 << 22;

impl PackedTrees {
    /// The same trees over the features that they look at, with the places of these, where sparse rows have many more.
    pub(super) fn compacted(&self, rows: &Rows<'_>) -> Option<(PackedTrees, Vec<u32>)> {
        let d = self.n_features as usize;
        let wide = matches!(rows.data(), RowData::Sparse(_)) && rows.n_rows().saturating_mul(d) >= CELLS;
        if !wide || rows.n_features() != d || self.has_lines() {
            return None;
        }
        let inner = || self.nodes.iter().filter(|node| node.feature & LEAF == 0);
        let mut used: Vec<u32> = inner().map(|node| node.feature & FEATURE).collect();
        used.sort_unstable();
        used.dedup();
        if used.is_empty() || used.len() * 4 > d {
            return None;
        }
        let mut places = vec![UNUSED; d];
        used.iter().zip(0..).for_each(|(&f, place)| places[f as usize] = place);
        let mut compact =
            PackedTrees { ranked: Lazy::default(), n_features: used.len() as u32, ..self.clone() };
        for node in compact.nodes.iter_mut().filter(|node| node.feature & LEAF == 0) {
            node.feature = (node.feature & !FEATURE) | places[(node.feature & FEATURE) as usize];
        }
        Some((compact, places))
    }
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
        Ok(Self { rows, columns, places: Vec::new(), n: rows.n_rows(), d })
    }

    /// Sparse rows of which some features have places, `d` of them.
    pub(super) fn picked(rows: &'a Rows<'a>, places: Vec<u32>, d: usize) -> Self {
        Self { rows, columns: Vec::new(), places, n: rows.n_rows(), d }
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
                for (i, row) in range.zip(room.chunks_mut(d)) {
                    if self.places.is_empty() {
                        scatter(m.view(), i, row);
                        continue;
                    }
                    let (features, values) = m.view().row(i);
                    let known = features.iter().zip(values).map(|(&f, v)| (self.places[f as usize], v));
                    known
                        .filter(|(place, _)| *place != UNUSED)
                        .for_each(|(place, v)| row[place as usize] += v);
                }
            }
            RowData::Table(_) => {
                room.extend(range.flat_map(|i| self.columns.iter().map(move |c| c.number(i))))
            }
        }
        Block { first, n, d, values: Contents::Copied(room) }
    }
}
