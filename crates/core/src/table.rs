//! Tables of mixed columns: numbers, categories, booleans and text, with missing values.

use crate::error::{Error, Result};
use crate::time::{MISSING_TIME, format_time, parse_time};
use std::borrow::Cow;
use std::sync::Arc;

/// The code of a missing category.
pub const MISSING_CODE: u32 = u32::MAX;

/// One column. Numbers are missing as NaN, categories as [`MISSING_CODE`], times as [`MISSING_TIME`], booleans and
/// text as `None`.
#[derive(Clone, Debug, PartialEq)]
pub enum Column<'a> {
    /// Numbers; NaN is missing.
    Numeric(Cow<'a, [f64]>),
    /// Codes into a dictionary of levels.
    Categorical {
        /// One code a row, below the number of levels, or [`MISSING_CODE`].
        codes: Cow<'a, [u32]>,
        /// The level of each code.
        levels: Arc<[String]>,
    },
    /// Truth values.
    Boolean(Cow<'a, [Option<bool>]>),
    /// Free text.
    Text(Cow<'a, [Option<String>]>),
    /// Dates and times: microseconds since 1970-01-01 UTC.
    Time(Cow<'a, [i64]>),
}

/// The kind of a column, without its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum ColumnKind {
    /// Numbers.
    Numeric,
    /// Levels of a dictionary.
    Categorical,
    /// Truth values.
    Boolean,
    /// Free text.
    Text,
    /// Dates and times.
    Time,
}

impl std::fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ColumnKind::Numeric => "numeric",
            ColumnKind::Categorical => "categorical",
            ColumnKind::Boolean => "boolean",
            ColumnKind::Text => "text",
            ColumnKind::Time => "time",
        })
    }
}

impl<'a> Column<'a> {
    /// A numeric column borrowed from memory.
    pub fn numbers(values: impl Into<Cow<'a, [f64]>>) -> Self {
        Column::Numeric(values.into())
    }

    /// A numeric column from a buffer with a validity bitmap, least significant bit first, as Arrow lays it
    /// out; borrowed when every bit is set.
    pub fn numbers_with_validity(values: &'a [f64], validity: &[u8]) -> Self {
        let valid = |i: usize| validity.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1);
        if (0..values.len()).all(valid) {
            return Column::Numeric(Cow::Borrowed(values));
        }
        let masked = values.iter().enumerate().map(|(i, &v)| if valid(i) { v } else { f64::NAN });
        Column::Numeric(Cow::Owned(masked.collect()))
    }

    /// A categorical column from its texts; levels in order of the alphabet.
    pub fn categories<S: AsRef<str>>(values: &[Option<S>]) -> Self {
        let mut levels: Vec<&str> = values.iter().flatten().map(AsRef::as_ref).collect();
        levels.sort_unstable();
        levels.dedup();
        let code = |v: &Option<S>| match v {
            Some(text) => levels.binary_search(&text.as_ref()).map_or(MISSING_CODE, |c| c as u32),
            None => MISSING_CODE,
        };
        let codes = values.iter().map(code).collect::<Vec<_>>();
        let levels = levels.into_iter().map(str::to_owned).collect();
        Column::Categorical { codes: Cow::Owned(codes), levels }
    }

    /// The column read as times: itself, or its texts where each is a time; the error is the first row that is none.
    pub fn to_times(&self) -> Result<Cow<'_, [i64]>, usize> {
        if let Column::Time(times) = self {
            return Ok(Cow::Borrowed(times));
        }
        let time = |i: usize| self.text(i).map_or(Ok(MISSING_TIME), |t| parse_time(&t).ok_or(i));
        (0..self.len()).map(time).collect::<Result<Vec<_>, _>>().map(Cow::Owned)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Numeric(v) => v.len(),
            Column::Categorical { codes, .. } => codes.len(),
            Column::Boolean(v) => v.len(),
            Column::Text(v) => v.len(),
            Column::Time(v) => v.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The kind of the column.
    pub fn kind(&self) -> ColumnKind {
        match self {
            Column::Numeric(_) => ColumnKind::Numeric,
            Column::Categorical { .. } => ColumnKind::Categorical,
            Column::Boolean(_) => ColumnKind::Boolean,
            Column::Text(_) => ColumnKind::Text,
            Column::Time(_) => ColumnKind::Time,
        }
    }

    /// Whether the value of row `i` is missing.
    pub fn is_missing(&self, i: usize) -> bool {
        match self {
            Column::Numeric(v) => v[i].is_nan(),
            Column::Categorical { codes, .. } => codes[i] == MISSING_CODE,
            Column::Boolean(v) => v[i].is_none(),
            Column::Text(v) => v[i].is_none(),
            Column::Time(v) => v[i] == MISSING_TIME,
        }
    }

    /// Number of missing values.
    pub fn n_missing(&self) -> usize {
        (0..self.len()).filter(|&i| self.is_missing(i)).count()
    }

    /// The value of row `i` as a person would write it; `None` where it is missing.
    pub fn text(&self, i: usize) -> Option<Cow<'_, str>> {
        match self {
            Column::Numeric(v) => (!v[i].is_nan()).then(|| v[i].to_string().into()),
            Column::Categorical { codes, levels } => levels.get(codes[i] as usize).map(|s| s.as_str().into()),
            Column::Boolean(v) => v[i].map(|b| if b { "true" } else { "false" }.into()),
            Column::Text(v) => v[i].as_deref().map(Into::into),
            Column::Time(v) => (v[i] != MISSING_TIME).then(|| format_time(v[i]).into()),
        }
    }

    /// The values as numbers, where that is meant: numbers, and booleans as 0 and 1.
    pub fn to_numbers(&self) -> Option<Cow<'_, [f64]>> {
        match self {
            Column::Numeric(v) => Some(Cow::Borrowed(v)),
            Column::Boolean(v) => Some(
                v.iter()
                    .map(|b| b.map_or(f64::NAN, |b| if b { 1.0 } else { 0.0 }))
                    .collect::<Vec<_>>()
                    .into(),
            ),
            Column::Categorical { .. } | Column::Text(_) | Column::Time(_) => None,
        }
    }

    /// The chosen rows, copied.
    pub fn gather(&self, rows: &[usize]) -> Column<'static> {
        fn pick<T: Clone>(values: &[T], rows: &[usize]) -> Cow<'static, [T]> {
            rows.iter().map(|&i| values[i].clone()).collect::<Vec<_>>().into()
        }
        match self {
            Column::Numeric(v) => Column::Numeric(pick(v, rows)),
            Column::Categorical { codes, levels } => {
                Column::Categorical { codes: pick(codes, rows), levels: levels.clone() }
            }
            Column::Boolean(v) => Column::Boolean(pick(v, rows)),
            Column::Text(v) => Column::Text(pick(v, rows)),
            Column::Time(v) => Column::Time(pick(v, rows)),
        }
    }

    /// The same values, owned.
    pub fn into_owned(self) -> Column<'static> {
        match self {
            Column::Numeric(v) => Column::Numeric(Cow::Owned(v.into_owned())),
            Column::Categorical { codes, levels } => {
                Column::Categorical { codes: Cow::Owned(codes.into_owned()), levels }
            }
            Column::Boolean(v) => Column::Boolean(Cow::Owned(v.into_owned())),
            Column::Text(v) => Column::Text(Cow::Owned(v.into_owned())),
            Column::Time(v) => Column::Time(Cow::Owned(v.into_owned())),
        }
    }
}

/// Named columns of equal length. Cloning shares the columns.
///
/// # Example
/// ```
/// use mercer_core::{Column, Table};
/// let table = Table::new(vec![
///     ("mass".into(), Column::numbers(vec![3750.0, f64::NAN])),
///     ("island".into(), Column::categories(&[Some("Dream"), Some("Biscoe")])),
/// ])?;
/// assert_eq!((table.n_rows(), table.n_columns()), (2, 2));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Table<'a> {
    names: Arc<[String]>,
    columns: Vec<Arc<Column<'a>>>,
    n_rows: usize,
}

impl<'a> Table<'a> {
    /// A table from named columns; they must have equal lengths and different names.
    pub fn new(columns: Vec<(String, Column<'a>)>) -> Result<Self> {
        Self::from_shared(columns.into_iter().map(|(name, column)| (name, Arc::new(column))).collect())
    }

    /// A table from columns that other tables may share.
    pub fn from_shared(columns: Vec<(String, Arc<Column<'a>>)>) -> Result<Self> {
        let n_rows = columns.first().map_or(0, |(_, c)| c.len());
        let mut seen = std::collections::HashSet::new();
        for (name, column) in &columns {
            if column.len() != n_rows {
                return Err(Error::shape(format!("rows of column `{name}`"), n_rows, column.len()));
            }
            if !seen.insert(name.as_str()) {
                let message = format!("column `{name}` appears more than once: occurrences");
                return Err(Error::shape(message, 1, 2));
            }
        }
        let (names, columns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        Ok(Self { names: names.into(), columns, n_rows })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// The names of the columns.
    pub fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    /// The columns in order.
    pub fn columns(&self) -> &[Arc<Column<'a>>] {
        &self.columns
    }

    /// The columns with their names, given away.
    pub fn into_columns(self) -> impl Iterator<Item = (String, Arc<Column<'a>>)> {
        let names: Vec<String> = self.names.iter().cloned().collect();
        names.into_iter().zip(self.columns)
    }

    /// The columns with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<Column<'a>>)> {
        self.names.iter().map(String::as_str).zip(&self.columns)
    }

    /// The place of a column.
    pub fn position(&self, name: &str) -> Result<usize> {
        let found = self.names.iter().position(|n| n == name);
        found.ok_or_else(|| Error::unknown("column", name, self.names.iter().map(String::as_str)))
    }

    /// The column called `name`; the error suggests the closest name.
    pub fn column(&self, name: &str) -> Result<&Column<'a>> {
        Ok(&self.columns[self.position(name)?])
    }

    /// The table without some columns; each must exist.
    pub fn without(&self, names: &[impl AsRef<str>]) -> Result<Self> {
        let drop = names.iter().map(|n| self.position(n.as_ref())).collect::<Result<Vec<_>>>()?;
        let kept = (0..self.n_columns()).filter(|i| !drop.contains(i));
        let columns = kept.map(|i| (self.names[i].clone(), self.columns[i].clone())).collect();
        Ok(Self { n_rows: self.n_rows, ..Self::from_shared(columns)? })
    }

    /// The table of some columns, in the order asked for; each must exist.
    pub fn select(&self, names: &[impl AsRef<str>]) -> Result<Self> {
        let pick = names.iter().map(|n| self.position(n.as_ref())).collect::<Result<Vec<_>>>()?;
        let columns = pick.into_iter().map(|i| (self.names[i].clone(), self.columns[i].clone())).collect();
        Ok(Self { n_rows: self.n_rows, ..Self::from_shared(columns)? })
    }

    /// The table with one more column, or with the column of that name replaced.
    pub fn with(&self, name: &str, column: Column<'a>) -> Result<Self> {
        let mut columns: Vec<_> = self.iter().map(|(n, c)| (n.to_owned(), c.clone())).collect();
        match columns.iter_mut().find(|(n, _)| n == name) {
            Some(slot) => slot.1 = Arc::new(column),
            None => columns.push((name.to_owned(), Arc::new(column))),
        }
        Self::from_shared(columns)
    }

    /// The chosen rows, copied.
    pub fn gather(&self, rows: &[usize]) -> Table<'static> {
        let columns = self.columns.iter().map(|c| Arc::new(c.gather(rows))).collect();
        Table { names: self.names.clone(), columns, n_rows: rows.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unequal_or_repeated_columns_are_refused_by_name() {
        let column = |n| Column::numbers(vec![0.0; n]);
        let unequal = Table::new(vec![("a".into(), column(2)), ("b".into(), column(3))]);
        assert!(unequal.unwrap_err().to_string().contains("`b`"));
        let repeated = Table::new(vec![("a".into(), column(2)), ("a".into(), column(2))]);
        assert!(repeated.unwrap_err().to_string().contains("`a`"));
    }

    #[test]
    fn arrow_validity_becomes_nan_and_copies_only_when_needed() {
        let values = [1.0, 2.0, 3.0];
        assert!(matches!(
            Column::numbers_with_validity(&values, &[0b111]),
            Column::Numeric(Cow::Borrowed(_))
        ));
        let masked = Column::numbers_with_validity(&values, &[0b101]);
        assert!(masked.is_missing(1) && !masked.is_missing(2));
    }
}
