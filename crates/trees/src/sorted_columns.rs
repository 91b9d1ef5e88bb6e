//! Presorted columns of the training rows.
//!
//! A sorted column is a list of entries of 32 bits: the row, a bit that says that the value is greater than the
//! one before ([`STEP`]), and a bit for missing values ([`ABSENT`]), which stand at the end. Splits only need
//! the order and the steps; the values themselves are looked up for the two rows beside the chosen threshold.

use mercer_core::{Column, Error, MISSING_CODE, Result, RowData, Rows};
use mercer_math::{Csr, CsrRef, MatRef};
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// The value of the entry is greater than that of the entry before it.
pub(crate) const STEP: u32 = 1 << 31;
/// The value of the entry is missing.
pub(crate) const ABSENT: u32 = 1 << 30;
/// The row of an entry.
pub(crate) const ROW: u32 = ABSENT - 1;
/// Categorical columns may have this many levels.
pub(crate) const MAX_LEVELS: usize = 1 << 16;

/// The values of one column.
#[derive(Clone, Debug)]
pub(crate) enum Values<'a> {
    Strided(MatRef<'a>, usize),
    Numbers(Cow<'a, [f64]>),
    Codes(&'a [u32]),
    /// A column of a sparse matrix, whose rows are the columns: rows rise, values are not zero.
    Sparse(Arc<Csr>, usize),
}

impl Values<'_> {
    /// The number of row `i`; codes are numbers, missing is NaN.
    #[inline]
    pub(crate) fn number(&self, i: usize) -> f64 {
        match self {
            Values::Strided(m, j) => m.get(i, *j),
            Values::Numbers(v) => v[i],
            Values::Codes(c) => {
                if c[i] == MISSING_CODE {
                    f64::NAN
                } else {
                    f64::from(c[i])
                }
            }
            Values::Sparse(m, j) => {
                let (rows, values) = m.view().row(*j);
                rows.binary_search(&(i as u32)).map_or(0.0, |at| values[at])
            }
        }
    }

    /// Calls `write(k, number)` for the k-th of some rows, which do not fall: without a search for each.
    pub(crate) fn read(&self, rows: impl Iterator<Item = usize>, mut write: impl FnMut(usize, f64)) {
        let Values::Sparse(m, j) = self else {
            return rows.enumerate().for_each(|(k, i)| write(k, self.number(i)));
        };
        let (mut at, mut values) = m.view().row(*j);
        for (k, i) in rows.enumerate() {
            // The first row may lie far from the first entry.
            let passed = if k == 0 { at.partition_point(|&r| (r as usize) < i) } else { before(at, i) };
            (at, values) = (&at[passed..], &values[passed..]);
            write(k, if at.first() == Some(&(i as u32)) { values[0] } else { 0.0 });
        }
    }

    /// The same values without a copy.
    pub(crate) fn share(&self) -> Values<'_> {
        match self {
            Values::Strided(m, j) => Values::Strided(*m, *j),
            Values::Numbers(v) => Values::Numbers(Cow::Borrowed(v)),
            Values::Codes(c) => Values::Codes(c),
            Values::Sparse(m, j) => Values::Sparse(m.clone(), *j),
        }
    }

    /// The code of row `i` of a categorical column.
    pub(crate) fn code(&self, i: usize) -> u32 {
        match self {
            Values::Codes(c) => c[i],
            _ => MISSING_CODE,
        }
    }

    pub(crate) fn is_categorical(&self) -> bool {
        matches!(self, Values::Codes(_))
    }
}

/// How many rows at the front are below row `i`.
#[inline]
fn before(rows: &[u32], i: usize) -> usize {
    rows.iter().take_while(|&&r| (r as usize) < i).count()
}

/// Adds the entries of a sparse row to a row of zeros.
pub(crate) fn scatter(m: CsrRef<'_>, i: usize, row: &mut [f64]) {
    let (indices, values) = m.row(i);
    indices.iter().zip(values).for_each(|(&j, &v)| row[j as usize] += v);
}

/// A sparse matrix by columns, entries of the same place added and zeros left out.
fn by_columns(m: CsrRef<'_>) -> Csr {
    let columns = m.transposed();
    let plain = |j: usize| {
        let (rows, values) = columns.view().row(j);
        rows.windows(2).all(|w| w[0] < w[1]) && values.iter().all(|v| *v != 0.0)
    };
    if (0..columns.n_rows()).all(plain) {
        return columns;
    }
    let mut out = Csr::empty(columns.n_cols());
    let mut entries: Vec<(u32, f64)> = Vec::new();
    for j in 0..columns.n_rows() {
        let (rows, values) = columns.view().row(j);
        entries.clear();
        for (&i, &v) in rows.iter().zip(values) {
            match entries.last_mut() {
                Some(last) if last.0 == i => last.1 += v,
                _ => entries.push((i, v)),
            }
        }
        entries.retain(|e| e.1 != 0.0);
        let (rows, values): (Vec<u32>, Vec<f64>) = entries.iter().copied().unzip();
        out.push_row(&rows, &values);
    }
    out
}

/// The columns of some rows, by feature.
pub(crate) fn columns<'r>(learner: &str, rows: &'r Rows<'_>) -> Result<Vec<Values<'r>>> {
    match rows.data() {
        RowData::Dense(m) => {
            let view = m.view();
            Ok((0..view.n_cols()).map(|j| Values::Strided(view, j)).collect())
        }
        RowData::Sparse(m) => {
            let columns = Arc::new(by_columns(m.view()));
            Ok((0..columns.n_rows()).map(|j| Values::Sparse(columns.clone(), j)).collect())
        }
        RowData::Table(table) => table
            .iter()
            .map(|(name, column)| match column.as_ref() {
                Column::Categorical { levels, .. } if levels.len() > MAX_LEVELS => {
                    Err(Error::shape(format!("levels of column `{name}`, at most"), MAX_LEVELS, levels.len()))
                }
                Column::Categorical { codes, .. } => Ok(Values::Codes(codes)),
                other @ (Column::Numeric(_) | Column::Boolean(_) | Column::Text(_) | Column::Time(_)) => {
                    other
                        .to_numbers()
                        .map(Values::Numbers)
                        .ok_or_else(|| Error::incapable(learner, format!("take the text column `{name}`")))
                }
            })
            .collect(),
    }
}

/// Presorted columns: lists of all features, one after the other, each of `m` entries.
#[derive(Clone, Debug)]
pub(crate) struct SortedColumns {
    pub(crate) m: usize,
    pub(crate) entries: Vec<u32>,
}

impl SortedColumns {
    /// Sorts every column of the rows `keep` (all of `0..n` when `None`); entries hold places in `keep`.
    pub(crate) fn sort(columns: &[Values<'_>], n: usize, keep: Option<&[u32]>) -> Self {
        let m = keep.map_or(n, <[u32]>::len);
        let mut entries = vec![0u32; m * columns.len()];
        let at = |i: usize| keep.map_or(i, |k| k[i] as usize);
        // Eight columns at a time: one line of a row-major matrix holds them all.
        entries.par_chunks_mut(8 * m.max(1)).zip(columns.par_chunks(8)).for_each(|(out, columns)| {
            let mut keys = vec![0u64; m * columns.len()];
            if let [Values::Sparse(..), ..] = columns {
                for (column, keys) in columns.iter().zip(keys.chunks_mut(m.max(1))) {
                    column.read((0..m).map(at), |i, v| keys[i] = key(v));
                }
            } else {
                for i in 0..m {
                    for (c, column) in columns.iter().enumerate() {
                        keys[c * m + i] = key(column.number(at(i)));
                    }
                }
            }
            let mut work = Sorter::new(m);
            for (keys, out) in keys.chunks(m).zip(out.chunks_mut(m)) {
                work.sort(keys, out);
            }
        });
        Self { m, entries }
    }

    /// The entries of the rows `start..end` of feature `f`.
    #[inline]
    pub(crate) fn segment(&self, f: u32, start: usize, end: usize) -> &[u32] {
        let base = f as usize * self.m;
        &self.entries[base + start..base + end]
    }
}

/// How many of the entries are not missing.
#[inline]
pub(crate) fn n_present(entries: &[u32]) -> usize {
    match entries.last() {
        Some(last) if last & ABSENT != 0 => entries.partition_point(|e| e & ABSENT == 0),
        _ => entries.len(),
    }
}

const MISSING_KEY: u64 = u64::MAX;

/// A key whose order is that of the numbers, with the two zeros equal and NaN last.
#[inline]
fn key(v: f64) -> u64 {
    if v.is_nan() {
        return MISSING_KEY;
    }
    let bits = (v + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

const DIGITS: usize = 1 << 11;

/// Radix sort of the upper halves of the keys, three passes of eleven bits, then the few runs of equal halves
/// by comparison. Stable: equal values stay in the order of the rows.
struct Sorter {
    a: Vec<u64>,
    b: Vec<u64>,
}

impl Sorter {
    fn new(m: usize) -> Self {
        Self { a: vec![0; m], b: vec![0; m] }
    }

    fn sort(&mut self, keys: &[u64], out: &mut [u32]) {
        let packed = |i: usize, key: u64| (key >> 32) << 32 | i as u64;
        self.a.iter_mut().zip(keys).enumerate().for_each(|(i, (a, &k))| *a = packed(i, k));
        if keys.len() < 2048 {
            self.a.sort_unstable();
        } else {
            self.radix();
        }
        self.settle(keys);
        let mut last = 0u64;
        for (&packed, out) in self.a.iter().zip(out) {
            let row = packed as u32;
            let key = keys[row as usize];
            let step = if key > last { STEP } else { 0 };
            *out = row | step | if key == MISSING_KEY { ABSENT } else { 0 };
            last = key;
        }
    }

    fn radix(&mut self) {
        let mut counts = vec![[0u32; DIGITS]; 3];
        for &v in &self.a {
            (0..3).for_each(|p| counts[p][digit(v, p)] += 1);
        }
        for (p, counts) in counts.iter_mut().enumerate() {
            if counts.iter().any(|&c| c as usize == self.a.len()) {
                continue;
            }
            let mut sum = 0;
            for c in counts.iter_mut() {
                sum += std::mem::replace(c, sum);
            }
            for &v in &self.a {
                let slot = &mut counts[digit(v, p)];
                self.b[*slot as usize] = v;
                *slot += 1;
            }
            std::mem::swap(&mut self.a, &mut self.b);
        }
    }

    /// Orders runs of equal upper halves by the whole key.
    fn settle(&mut self, keys: &[u64]) {
        let whole = |v: u64| keys[v as u32 as usize];
        let mut start = 0;
        while start < self.a.len() {
            let high = self.a[start] >> 32;
            let mut end = start + 1;
            let mut sorted = true;
            while end < self.a.len() && self.a[end] >> 32 == high {
                sorted &= whole(self.a[end - 1]) <= whole(self.a[end]);
                end += 1;
            }
            if !sorted {
                self.a[start..end].sort_unstable_by_key(|&v| (whole(v), v as u32));
            }
            start = end;
        }
    }
}

#[inline]
fn digit(v: u64, pass: usize) -> usize {
    (v >> (32 + 11 * pass)) as usize & (DIGITS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{Mat, normal, rng_for};

    #[test]
    fn sparse_columns_read_as_the_dense_matrix() {
        // Columns out of order, an entry given twice, one that is zero, one that adds up to zero, and a missing one.
        let indices = vec![2, 0, 0, 1, 1, 2, 0];
        let values = vec![1.0, 2.0, 3.0, 4.0, -4.0, f64::NAN, 0.0];
        let csr = Csr::new(vec![0, 3, 5, 5, 7], indices, values, 3).unwrap();
        let expected = Mat::from_rows(&[[5.0, 0.0, 1.0], [0.0; 3], [0.0; 3], [0.0, 0.0, f64::NAN]]).unwrap();
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
        let rows = Rows::from(&csr);
        for (j, column) in columns("a test", &rows).unwrap().iter().enumerate() {
            let Values::Sparse(m, _) = column else { panic!("a dense column") };
            assert!(m.view().row(j).1.iter().all(|v| *v != 0.0));
            assert!((0..4).all(|i| same(column.number(i), expected[(i, j)])));
            for kept in [vec![0, 1, 2, 3], vec![1, 3], vec![3, 3], vec![]] {
                let mut found = Vec::new();
                column.read(kept.iter().copied(), |_, v| found.push(v));
                assert!(found.iter().zip(&kept).all(|(&v, &i)| same(v, expected[(i, j)])));
                assert_eq!(found.len(), kept.len());
            }
        }
        let mut row = [0.0; 3];
        scatter(csr.view(), 0, &mut row);
        assert_eq!(row, [5.0, 0.0, 1.0]);
    }

    #[test]
    fn lists_are_sorted_stable_and_stepped() {
        let mut rng = rng_for(1, 0);
        for n in [1, 5, 300, 5000] {
            let values: Vec<f64> = (0..n)
                .map(|i| match i % 7 {
                    0 => f64::NAN,
                    1 => (normal(&mut rng) * 3.0).round(),
                    2 => 1.0 + 1e-12 * normal(&mut rng),
                    3 => -0.0,
                    _ => normal(&mut rng),
                })
                .collect();
            let lists = SortedColumns::sort(&[Values::Numbers(values.clone().into())], n, None);
            let present = n_present(&lists.entries);
            assert_eq!(present, values.iter().filter(|v| !v.is_nan()).count());
            for pair in lists.entries[..present].windows(2) {
                let (a, b) = (pair[0] & ROW, pair[1] & ROW);
                let (x, y) = (values[a as usize], values[b as usize]);
                assert!(x < y || (x == y && a < b));
                assert_eq!(pair[1] & STEP != 0, x < y);
            }
        }
    }
}
