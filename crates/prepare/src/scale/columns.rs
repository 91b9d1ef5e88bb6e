//! What transformers of columns share: numbers are changed column by column, other columns pass through.

use mercer_core::{
    Column, ColumnKind, Error, ErrorKind, Input, Result, RowData, Rows, Schema, Session, Table,
};
use mercer_math::{Csr, CsrRef, Mat, MatRef, Weights, sample_indices};
use rayon::prelude::*;
use std::borrow::Cow;

/// A map of each numeric column, value by value.
pub(crate) trait ColumnMap: Sync {
    /// Maps values of column `j` in place.
    fn column(&self, j: usize, values: &mut [f64]);

    /// Maps rows laid end to end; override where rows vectorise better than columns.
    fn rows(&self, block: &mut [f64], n_cols: usize) {
        let n = block.len() / n_cols.max(1);
        let mut values = vec![0.0; n];
        for j in 0..n_cols {
            (0..n).for_each(|i| values[i] = block[i * n_cols + j]);
            self.column(j, &mut values);
            (0..n).for_each(|i| block[i * n_cols + j] = values[i]);
        }
    }
}

/// z = (x − shift) / scale, as two rounded operations.
#[derive(Debug)]
pub(crate) struct SubDiv<'a> {
    pub(crate) shift: Cow<'a, [f64]>,
    pub(crate) scale: Cow<'a, [f64]>,
}

/// z = x · scale + shift, as two rounded operations, kept within the limits where there are any.
#[derive(Debug)]
pub(crate) struct MulAdd<'a> {
    pub(crate) scale: Cow<'a, [f64]>,
    pub(crate) shift: Cow<'a, [f64]>,
    pub(crate) clip: Option<(f64, f64)>,
}

impl ColumnMap for SubDiv<'_> {
    fn column(&self, j: usize, values: &mut [f64]) {
        let (shift, scale) = (self.shift[j], self.scale[j]);
        values.iter_mut().for_each(|v| *v = (*v - shift) / scale);
    }

    fn rows(&self, block: &mut [f64], n_cols: usize) {
        for row in block.chunks_exact_mut(n_cols) {
            let maps = self.shift.iter().zip(self.scale.iter());
            row.iter_mut().zip(maps).for_each(|(v, (shift, scale))| *v = (*v - shift) / scale);
        }
    }
}

impl MulAdd<'_> {
    fn clip(&self, values: &mut [f64]) {
        if let Some((low, high)) = self.clip {
            // Comparisons with NaN are false: a missing value stays missing.
            values.iter_mut().for_each(|v| {
                *v = if *v < low { low } else { *v };
                *v = if *v > high { high } else { *v };
            });
        }
    }
}

impl ColumnMap for MulAdd<'_> {
    fn column(&self, j: usize, values: &mut [f64]) {
        let (scale, shift) = (self.scale[j], self.shift[j]);
        values.iter_mut().for_each(|v| *v = *v * scale + shift);
        self.clip(values);
    }

    fn rows(&self, block: &mut [f64], n_cols: usize) {
        for row in block.chunks_exact_mut(n_cols) {
            let maps = self.scale.iter().zip(self.shift.iter());
            row.iter_mut().zip(maps).for_each(|(v, (scale, shift))| *v = *v * scale + shift);
        }
        self.clip(block);
    }
}

/// Inputs with fewer values are mapped in place: entering a pool would cost more than the work.
const SMALL: usize = 1 << 15;
/// Values in a block of rows: they stay in the first-level cache while they are mapped.
const BLOCK_VALUES: usize = 4096;

/// The rows with each numeric column mapped. Of sparse rows the stored values alone are mapped, so that the map
/// must take zero to zero there.
pub(crate) fn map_columns(rows: &Rows<'_>, session: &Session, map: &impl ColumnMap) -> Result<Rows<'static>> {
    match rows.data() {
        RowData::Dense(m) => Ok(map_dense(m.view(), session, map).into()),
        RowData::Sparse(m) => Ok(map_sparse(m.view(), map).into()),
        RowData::Table(table) => {
            let column = |(j, column): (usize, &std::sync::Arc<Column<'_>>)| match column.as_ref() {
                Column::Numeric(values) => {
                    let mut values = values.to_vec();
                    map.column(j, &mut values);
                    Column::numbers(values)
                }
                other @ (Column::Categorical { .. }
                | Column::Boolean(_)
                | Column::Text(_)
                | Column::Time(_)) => other.clone().into_owned(),
            };
            let work = || table.columns().par_iter().enumerate().map(column).collect::<Vec<_>>();
            let columns = match table.n_rows() * table.n_columns() < SMALL {
                true => table.columns().iter().enumerate().map(column).collect(),
                false => session.run(work),
            };
            Ok(Table::new(table.names().iter().cloned().zip(columns).collect())?.into())
        }
    }
}

fn map_dense(x: MatRef<'_>, session: &Session, map: &impl ColumnMap) -> Mat {
    let (n, d) = (x.n_rows(), x.n_cols());
    let mut out = Mat::zeros(n, d);
    if n == 0 || d == 0 {
        return out;
    }
    let size = (BLOCK_VALUES / d).max(16);
    let work = |(b, block): (usize, &mut [f64])| {
        copy_rows(x.rows(b * size..(b + 1) * size), block);
        map.rows(block, d);
    };
    if n * d < SMALL {
        out.as_mut_slice().chunks_mut(size * d).enumerate().for_each(work);
    } else {
        session.run(|| out.as_mut_slice().par_chunks_mut(size * d).enumerate().for_each(work));
    }
    out
}

/// Copies a view of any layout into row-major memory.
fn copy_rows(x: MatRef<'_>, out: &mut [f64]) {
    let d = x.n_cols();
    if x.has_contiguous_rows() {
        for (i, row) in out.chunks_exact_mut(d).enumerate() {
            row.copy_from_slice(x.row(i).unwrap_or_default());
        }
    } else {
        for j in 0..d {
            (0..x.n_rows()).for_each(|i| out[i * d + j] = x.get(i, j));
        }
    }
}

fn map_sparse(x: CsrRef<'_>, map: &impl ColumnMap) -> Csr {
    let mut out = Csr::empty(x.n_cols());
    let mut mapped = Vec::new();
    for i in 0..x.n_rows() {
        let (columns, values) = x.row(i);
        mapped.clear();
        mapped.extend_from_slice(values);
        for (&j, v) in columns.iter().zip(&mut mapped) {
            map.column(j as usize, std::slice::from_mut(v));
        }
        out.push_row(columns, &mapped);
    }
    out
}

/// The values of one column with the weight of each; `None` means 1.
#[derive(Clone, Debug)]
pub(crate) struct Values<'a> {
    pub(crate) values: Cow<'a, [f64]>,
    pub(crate) weights: Option<Cow<'a, [f64]>>,
    /// Whether the last value stands for the implicit zeros of a sparse column.
    pub(crate) zeros: bool,
}

impl Values<'_> {
    /// The values that count: neither missing nor without weight, with their weights.
    pub(crate) fn present(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let weights = Weights::of(&self.weights);
        let pairs = self.values.iter().enumerate().map(move |(i, &v)| (v, weights[i]));
        pairs.filter(|(v, w)| !v.is_nan() && *w > 0.0)
    }
}

/// Calls `f` with each numeric column, in parallel; `None` for columns that pass through. The implicit zeros of a
/// sparse column stand as one zero with their weight, at the end.
pub(crate) fn by_columns<T: Send>(
    rows: &Rows<'_>,
    weights: Option<&[f64]>,
    session: &Session,
    f: impl Fn(usize, Values<'_>) -> Result<T> + Sync,
) -> Result<Vec<Option<T>>> {
    let d = rows.n_features();
    let call = |j: usize, values: Option<Values<'_>>| {
        if session.step("column", j as u64, Some(d as u64), None).is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        values.map(|v| f(j, v)).transpose()
    };
    let plain = |values| Some(Values { values, weights: weights.map(Cow::Borrowed), zeros: false });
    let each = |f: &(dyn Fn(usize) -> Result<Option<T>> + Sync)| {
        // All are collected before the first error is taken, so that it is always the same one.
        (0..d).into_par_iter().map(f).collect::<Vec<_>>().into_iter().collect()
    };
    match rows.data() {
        RowData::Dense(m) => {
            let view = m.view();
            each(&|j| call(j, plain(view.col_cow(j))))
        }
        RowData::Table(table) => each(&|j| match table.columns()[j].as_ref() {
            Column::Numeric(values) => call(j, plain(Cow::Borrowed(values.as_ref()))),
            Column::Categorical { .. } | Column::Boolean(_) | Column::Text(_) | Column::Time(_) => {
                call(j, None)
            }
        }),
        RowData::Sparse(m) => {
            let by_column = m.view().transposed();
            let total = weights.map_or(m.view().n_rows() as f64, |w| w.iter().sum());
            each(&|j| {
                let (at, stored) = by_column.view().row(j);
                let mut weight: Vec<f64> = at.iter().map(|&i| Weights::from(weights)[i as usize]).collect();
                let mut values = stored.to_vec();
                let zeros = total - weight.iter().sum::<f64>();
                // What rounding leaves of the weights is no row.
                let has_zeros = zeros > 1e-12 * total;
                if has_zeros {
                    values.push(0.0);
                    weight.push(zeros);
                }
                call(
                    j,
                    Some(Values { values: values.into(), weights: Some(weight.into()), zeros: has_zeros }),
                )
            })
        }
    }
}

/// At most `limit` of the rows of positive weight, drawn by the session's seed, with their weights, and whether there
/// were more.
pub(crate) fn draw<'a>(
    rows: Rows<'a>,
    weights: Option<Vec<f64>>,
    limit: Option<usize>,
    session: &Session,
) -> (Rows<'a>, Option<Vec<f64>>, bool) {
    let counts = |i: &usize| Weights::of(&weights).counts(*i);
    let Some(limit) = limit.filter(|&limit| limit < rows.n_rows()) else { return (rows, weights, false) };
    let among: Vec<usize> = (0..rows.n_rows()).filter(counts).collect();
    if among.len() <= limit {
        return (rows, weights, false);
    }
    let drawn = sample_indices(&mut session.rng(0), among.len(), limit);
    let mut chosen: Vec<usize> = drawn.into_iter().map(|k| among[k]).collect();
    chosen.sort_unstable();
    let weights: Option<Vec<f64>> = weights.map(|w| chosen.iter().map(|&i| w[i]).collect());
    (rows.gather(&chosen), weights, true)
}

/// Refuses the first value of a numeric column, among rows of positive weight, for which `bad` holds.
pub(crate) fn refuse(
    learner: &str,
    rows: &Rows<'_>,
    weights: Option<&[f64]>,
    bad: impl Fn(f64) -> bool,
    hint: &str,
) -> Result<()> {
    let counts = |i: usize| Weights::from(weights).counts(i);
    let found = match rows.data() {
        RowData::Dense(m) => {
            let view = m.view();
            (0..view.n_rows()).filter(|&i| counts(i)).find_map(|i| {
                let row = view.row_cow(i);
                row.iter().position(|&v| bad(v)).map(|j| (i, j, row[j]))
            })
        }
        RowData::Sparse(m) => (0..m.view().n_rows()).filter(|&i| counts(i)).find_map(|i| {
            let (columns, values) = m.view().row(i);
            values.iter().position(|&v| bad(v)).map(|at| (i, columns[at] as usize, values[at]))
        }),
        RowData::Table(table) => table.columns().iter().enumerate().find_map(|(j, column)| {
            let Column::Numeric(values) = column.as_ref() else { return None };
            let row = (0..values.len()).find(|&i| counts(i) && bad(values[i]))?;
            Some((row, j, values[row]))
        }),
    };
    found.map_or(Ok(()), |(row, j, value)| {
        let (learner, column, value) = (learner.to_owned(), rows.name(j), value.to_string());
        Err(ErrorKind::BadValue { learner, value, column, row, hint: format!("; {hint}") }.into())
    })
}

/// The names of the columns that went in, for transformers that keep them.
pub(crate) fn same_names(schema: &Schema) -> Vec<String> {
    schema.features.iter().map(|f| f.name.clone()).collect()
}

/// Which features are numbers: the others pass through.
pub(crate) fn numeric(schema: &Schema) -> Vec<bool> {
    schema.features.iter().map(|f| f.kind == ColumnKind::Numeric).collect()
}

/// The rows of an input to be inverted, which nobody has checked: as many columns as were transformed.
pub(crate) fn to_invert<'i, 'a>(
    learner: &str,
    input: &'i Input<'a>,
    n_features: usize,
) -> Result<&'i Rows<'a>> {
    let rows = input.rows(learner)?;
    if rows.n_features() != n_features {
        let what = format!("features of the input to {learner}");
        return Err(Error::shape(what, n_features, rows.n_features()));
    }
    Ok(rows)
}

/// As scikit-learn does: a scale that rounding could have left of zero counts as 1.
pub(crate) fn or_one(scale: f64) -> f64 {
    if scale >= 10.0 * f64::EPSILON { scale } else { 1.0 }
}
