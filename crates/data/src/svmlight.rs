//! The svmlight format: `label [qid:q] index:value … [# comment]`, sparse rows with a number to predict.

use crate::compression;
use crate::csv::parse_error;
use crate::infer::{Inferred, Loaded, count_distinct};
use mercer_core::{Column, ColumnKind, Error, Result, Table};
use mercer_math::Csr;
use std::path::Path;

/// Sparse rows with labels, and the query of each where the file has them.
#[derive(Clone, Debug)]
pub struct Svmlight {
    /// The rows; column `j` holds the index `j + 1` of a file that counts from one, `j` of one that counts from zero.
    pub x: Csr,
    /// The labels.
    pub y: Vec<f64>,
    /// The query of each row.
    pub queries: Option<Vec<u64>>,
    /// Whether the file counts from zero.
    pub zero_based: bool,
}

/// A table of more values than this is refused: the rows are meant to stay sparse.
const LARGEST_TABLE: usize = 200_000_000;

/// Reads an svmlight file, also `.gz` or `.zst`. A file with an index 0 counts from zero, any other from one.
///
/// # Errors
/// With file and line: labels or values that are no numbers, indices that do not rise, several labels a row.
pub fn read_svmlight(path: impl AsRef<Path>) -> Result<Svmlight> {
    let path = path.as_ref();
    read_svmlight_bytes(&path.display().to_string(), &compression::read_all(path)?)
}

/// Reads svmlight from memory.
///
/// # Example
/// ```
/// let data = mercer_data::read_svmlight_bytes("example", b"1 1:0.5 3:2 # first\n-1 2:1\n")?;
/// assert_eq!((data.x.n_rows(), data.x.n_cols()), (2, 3));
/// assert_eq!(data.y, [1.0, -1.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn read_svmlight_bytes(name: &str, bytes: &[u8]) -> Result<Svmlight> {
    let text = std::str::from_utf8(bytes).map_err(|e| parse_error(name, 1, 0, format!("not UTF-8: {e}")))?;
    let (mut indptr, mut indices, mut values) = (vec![0usize], Vec::<u64>::new(), Vec::new());
    let (mut y, mut queries) = (Vec::new(), Vec::new());
    for (i, line) in text.lines().enumerate() {
        let wrong = |column: usize, why: String| parse_error(name, i as u64 + 1, column as u64 + 1, why);
        let body = line.split('#').next().unwrap_or_default();
        let mut words = body.split_ascii_whitespace().enumerate();
        let Some((_, label)) = words.next() else { continue };
        y.push(label.parse::<f64>().map_err(|_| wrong(0, format!("the label `{label}` is no number")))?);
        let mut last: Option<u64> = None;
        for (place, word) in words {
            let Some((key, value)) = word.split_once(':') else {
                return Err(wrong(place, format!("`{word}` is no index:value")));
            };
            if key == "qid" {
                queries
                    .push(value.parse::<u64>().map_err(|_| wrong(place, format!("`{word}` is no query")))?);
                continue;
            }
            let index: u64 = key.parse().map_err(|_| wrong(place, format!("`{key}` is no index")))?;
            if index >= u64::from(u32::MAX) || last.is_some_and(|l| l >= index) {
                return Err(wrong(place, format!("the index {index} does not rise, or is too large")));
            }
            last = Some(index);
            indices.push(index);
            values.push(value.parse::<f64>().map_err(|_| wrong(place, format!("`{value}` is no number")))?);
        }
        indptr.push(indices.len());
        if !queries.is_empty() && queries.len() != y.len() {
            return Err(wrong(0, "some rows have a query and some have none".to_owned()));
        }
    }
    let zero_based = indices.contains(&0);
    let shift = u64::from(!zero_based);
    let n_cols = indices.iter().max().map_or(0, |m| m + 1 - shift) as usize;
    let indices = indices.into_iter().map(|i| (i - shift) as u32).collect();
    let x = Csr::new(indptr, indices, values, n_cols).ok_or_else(|| Error::shape(name, n_cols, 0))?;
    Ok(Svmlight { x, y, queries: (!queries.is_empty()).then_some(queries), zero_based })
}

impl Svmlight {
    /// The rows as a table with a column for each index and the labels as `label`; refused where that is too large.
    pub fn table(&self) -> Result<Loaded> {
        let (n, d) = (self.x.n_rows(), self.x.n_cols());
        if n.saturating_mul(d) > LARGEST_TABLE {
            let what = format!("make a table of {n} × {d} values; read it as sparse rows instead");
            return Err(Error::incapable("an svmlight file", what));
        }
        let dense = self.x.view().to_dense();
        let first = usize::from(!self.zero_based);
        let mut columns: Vec<(String, Column<'static>)> =
            vec![("label".to_owned(), Column::numbers(self.y.clone()))];
        if let Some(queries) = &self.queries {
            columns.push((
                "qid".to_owned(),
                Column::numbers(queries.iter().map(|&q| q as f64).collect::<Vec<_>>()),
            ));
        }
        columns.extend((0..d).map(|j| (format!("f{}", j + first), Column::numbers(dense.col(j)))));
        let note = |(name, column): &(String, Column<'static>)| Inferred {
            column: name.clone(),
            kind: ColumnKind::Numeric,
            notes: Vec::new(),
            n_missing: 0,
            n_unique: column.to_numbers().and_then(|v| count_distinct(&v, 1000)),
        };
        let inferred = columns.iter().map(note).collect();
        Ok(Loaded { table: Table::new(columns)?, inferred })
    }
}
