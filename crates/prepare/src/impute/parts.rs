//! What imputers share: names of indicators, sparse rows being written, and the numbers of a table.

use mercer_core::{Column, ColumnKind, Feature, ParamGroup, Result, RowData, Rows, Schema, Table};
use mercer_math::{Csr, Mat};

/// What an imputer keeps of where values were missing.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct IndicatorParams {
    /// Whether to add a 0/1 column for each column that had missing values in training.
    #[param(default = false)]
    pub add_indicator: bool,
}

/// The name of the indicator of a column.
pub(crate) fn indicator_name(column: &str) -> String {
    format!("missingindicator_{column}")
}

/// One sparse row on its way.
#[derive(Debug, Default)]
pub(crate) struct SparseRow {
    entries: Vec<(u32, f64)>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl SparseRow {
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    pub(crate) fn push(&mut self, column: u32, value: f64) {
        self.entries.push((column, value));
    }

    /// Adds the row to a matrix, in the order of its columns.
    pub(crate) fn end(&mut self, out: &mut Csr) {
        self.entries.sort_by_key(|e| e.0);
        self.columns.clear();
        self.values.clear();
        self.columns.extend(self.entries.iter().map(|e| e.0));
        self.values.extend(self.entries.iter().map(|e| e.1));
        out.push_row(&self.columns, &self.values);
    }
}

/// The numeric columns of rows; the others pass through.
pub(crate) fn numeric_columns(rows: &Rows<'_>) -> Vec<u32> {
    match rows.data() {
        RowData::Table(t) => (t.columns().iter().zip(0..))
            .filter(|(c, _)| matches!(c.as_ref(), Column::Numeric(_)))
            .map(|(_, j)| j)
            .collect(),
        _ => (0..rows.n_features() as u32).collect(),
    }
}

/// Whether these are exactly the numeric features of a schema.
pub(crate) fn are_numeric(columns: &[u32], schema: &Schema) -> bool {
    let numeric = |(f, j): (&Feature, u32)| (f.kind == ColumnKind::Numeric).then_some(j);
    schema.features.iter().zip(0..).filter_map(numeric).eq(columns.iter().copied())
}

/// Some numeric columns as a matrix.
pub(crate) fn matrix(learner: &str, rows: &Rows<'_>, columns: &[u32]) -> Result<Mat> {
    if let RowData::Table(t) = rows.data() {
        let mut out = Mat::zeros(t.n_rows(), columns.len());
        for (k, &j) in columns.iter().enumerate() {
            let values = t.columns()[j as usize].to_numbers().unwrap_or_default();
            values.iter().enumerate().for_each(|(i, &v)| out[(i, k)] = v);
        }
        return Ok(out);
    }
    Ok(rows.dense(learner)?.view().to_mat())
}

/// The rows with their numeric columns replaced, and an indicator behind for each of `indicators` (places among the
/// numeric columns), from what was missing before.
pub(crate) fn put_back(
    rows: &Rows<'_>,
    columns: &[u32],
    before: &Mat,
    after: Mat,
    indicators: &[u32],
) -> Result<Rows<'static>> {
    let flag = |i: usize, k: u32| f64::from(u8::from(before[(i, k as usize)].is_nan()));
    let RowData::Table(t) = rows.data() else {
        if indicators.is_empty() {
            return Ok(after.into());
        }
        let (n, d) = (after.n_rows(), after.n_cols());
        let cell = |i: usize, j: usize| if j < d { after[(i, j)] } else { flag(i, indicators[j - d]) };
        return Ok(Mat::from_fn(n, d + indicators.len(), cell).into());
    };
    let mut out: Vec<(String, Column<'static>)> = Vec::with_capacity(t.n_columns() + indicators.len());
    for (j, (name, column)) in t.iter().enumerate() {
        let column = match columns.binary_search(&(j as u32)) {
            Ok(k) => Column::numbers(after.col(k)),
            Err(_) => column.as_ref().clone().into_owned(),
        };
        out.push((name.to_owned(), column));
    }
    for &k in indicators {
        let name = indicator_name(&t.names()[columns[k as usize] as usize]);
        out.push((name, Column::numbers((0..t.n_rows()).map(|i| flag(i, k)).collect::<Vec<f64>>())));
    }
    Ok(Table::new(out)?.into())
}

/// The names of all columns, and of the indicators behind them.
pub(crate) fn names(schema: &Schema, columns: &[u32], indicators: &[u32]) -> Vec<String> {
    let own = schema.features.iter().map(|f| f.name.clone());
    let marks =
        indicators.iter().map(|&k| indicator_name(&schema.features[columns[k as usize] as usize].name));
    own.chain(marks).collect()
}

/// The numeric columns that have a missing value in a row that counts, by their places.
pub(crate) fn with_missing(x: &Mat, counts: impl Fn(usize) -> bool) -> Vec<u32> {
    let missing = |k: &u32| (0..x.n_rows()).any(|i| counts(i) && x[(i, *k as usize)].is_nan());
    (0..x.n_cols() as u32).filter(missing).collect()
}
