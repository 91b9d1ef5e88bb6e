//! What a person wants to know about each column before learning from it.

use mercer_core::{Column, ColumnKind, MISSING_CODE, Table};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// Levels listed of a column.
const TOP_LEVELS: usize = 10;

/// The distribution of the numbers that are present.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberSummary {
    /// Mean.
    pub mean: f64,
    /// Sample standard deviation; NaN for fewer than two values.
    pub sd: f64,
    /// Minimum.
    pub min: f64,
    /// Lower quartile, linear between values.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Upper quartile.
    pub q3: f64,
    /// Maximum.
    pub max: f64,
}

/// One column at a glance.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnProfile {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: ColumnKind,
    /// Number of rows.
    pub n_rows: usize,
    /// Number of missing values.
    pub n_missing: usize,
    /// Number of distinct values, missing apart.
    pub n_distinct: usize,
    /// Summary of numbers; `None` for other kinds and where all are missing.
    pub numbers: Option<NumberSummary>,
    /// The most frequent levels or texts with their counts, at most ten; empty for numbers.
    pub top: Vec<(String, usize)>,
    /// Whether there is at most one distinct value.
    pub constant: bool,
    /// Whether it looks like an identifier: text, categories or whole numbers, all different.
    pub id_like: bool,
}

/// A profile of every column, in their order; in parallel over columns.
///
/// # Example
/// ```
/// let profile = mercer_data::profile(&mercer_data::bundled("penguins")?);
/// assert_eq!((profile[0].name.as_str(), profile[0].n_distinct), ("species", 3));
/// assert_eq!(profile[2].n_missing, 2);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn profile(table: &Table<'_>) -> Vec<ColumnProfile> {
    let columns: Vec<_> = table.iter().collect();
    columns.into_par_iter().map(|(name, column)| profile_column(name, column)).collect()
}

fn profile_column(name: &str, column: &Column<'_>) -> ColumnProfile {
    let (n_rows, n_missing) = (column.len(), column.n_missing());
    let present = n_rows - n_missing;
    let (n_distinct, numbers, top, whole) = match column {
        Column::Numeric(values) => {
            let (n_distinct, numbers, whole) = describe(values);
            (n_distinct, numbers, Vec::new(), whole)
        }
        Column::Categorical { .. } | Column::Boolean(_) | Column::Text(_) | Column::Time(_) => {
            let counts = level_counts(column);
            let n_distinct = counts.len();
            (
                n_distinct,
                None,
                counts.into_iter().take(TOP_LEVELS).collect(),
                column.kind() != ColumnKind::Boolean,
            )
        }
    };
    ColumnProfile {
        name: name.to_owned(),
        kind: column.kind(),
        n_rows,
        n_missing,
        n_distinct,
        numbers,
        top,
        constant: n_distinct <= 1,
        // Two or three different rows say nothing.
        id_like: whole && present > 3 && n_distinct == present,
    }
}

/// How a column names its rows, which says nothing about new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identifier {
    /// It counts the rows, from 0 or 1.
    Index,
    /// Whole numbers, categories or texts, all different.
    Key,
}

/// Whether a column is an identifier, as [`ColumnProfile::id_like`] has it, without a whole profile: most columns are told
/// by their first rows.
pub fn identifier(column: &Column<'_>) -> Option<Identifier> {
    let present = column.len() - column.n_missing();
    if present <= 3 || matches!(column, Column::Boolean(_)) {
        return None;
    }
    let Column::Numeric(values) = column else {
        let mut seen = HashSet::with_capacity(64);
        let mut texts = (0..column.len()).filter_map(|i| column.text(i));
        return texts.all(|text| seen.insert(text)).then_some(Identifier::Key);
    };
    let start = values[0];
    if (start == 0.0 || start == 1.0) && values.iter().enumerate().all(|(i, &v)| v == start + i as f64) {
        return Some(Identifier::Index);
    }
    let mut seen = HashSet::with_capacity(64);
    let mut numbers = values.iter().filter(|v| !v.is_nan());
    numbers.all(|v| v.fract() == 0.0 && seen.insert((v + 0.0).to_bits())).then_some(Identifier::Key)
}

/// Distinct values, summary, and whether all are whole numbers.
fn describe(values: &[f64]) -> (usize, Option<NumberSummary>, bool) {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return (0, None, false) };
    let n_distinct = 1 + sorted.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let moments = mercer_math::Moments::of(&sorted);
    let quantile = |q| mercer_math::quantile_sorted(&sorted, q);
    let summary = NumberSummary {
        mean: moments.mean,
        sd: if sorted.len() < 2 { f64::NAN } else { moments.sample_variance().sqrt() },
        min,
        q1: quantile(0.25),
        median: quantile(0.5),
        q3: quantile(0.75),
        max,
    };
    (n_distinct, Some(summary), sorted.iter().all(|v| v.fract() == 0.0))
}

/// Levels that occur, the most frequent first, equals by name.
fn level_counts(column: &Column<'_>) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = match column {
        Column::Categorical { codes, levels } => {
            let mut counts = vec![0; levels.len()];
            codes.iter().filter(|&&c| c != MISSING_CODE).for_each(|&c| counts[c as usize] += 1);
            levels.iter().cloned().zip(counts).filter(|(_, n)| *n > 0).collect()
        }
        Column::Numeric(_) | Column::Boolean(_) | Column::Text(_) | Column::Time(_) => {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for text in (0..column.len()).filter_map(|i| column.text(i)) {
                match counts.get_mut(text.as_ref()) {
                    Some(n) => *n += 1,
                    None => drop(counts.insert(text.into_owned(), 1)),
                }
            }
            counts.into_iter().collect()
        }
    };
    counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_and_constants_are_flagged() {
        let table = Table::new(vec![
            ("id".into(), Column::numbers(vec![1.0, 2.0, 3.0, 4.0])),
            ("x".into(), Column::numbers(vec![0.5, 2.0, 3.0, 4.0])),
            ("one".into(), Column::categories(&[Some("a"), None, Some("a"), Some("a")])),
            ("gone".into(), Column::numbers(vec![f64::NAN; 4])),
            ("name".into(), Column::Text(["a", "b", "c", "d"].map(|t| Some(t.to_owned())).to_vec().into())),
        ])
        .unwrap();
        let profile = profile(&table);
        let flags: Vec<_> = profile.iter().map(|p| (p.id_like, p.constant)).collect();
        assert_eq!(flags, [(true, false), (false, false), (false, true), (false, true), (true, false)]);
        assert_eq!(profile[2].top, [("a".to_owned(), 3)]);
        assert_eq!(profile[3].numbers, None);
        let numbers = profile[0].numbers.unwrap();
        assert_eq!((numbers.mean, numbers.min, numbers.median, numbers.max), (2.5, 1.0, 2.5, 4.0));
    }

    #[test]
    fn identifiers_are_those_of_the_profile() {
        for set in crate::datasets() {
            let table = crate::bundled(set.name).unwrap();
            for (found, (name, column)) in profile(&table).iter().zip(table.iter()) {
                assert_eq!(identifier(column).is_some(), found.id_like, "{} of {}", name, set.name);
            }
        }
        let numbers = |v: &[f64]| identifier(&Column::numbers(v.to_vec()));
        assert_eq!(numbers(&[0.0, 1.0, 2.0, 3.0]), Some(Identifier::Index));
        assert_eq!(numbers(&[1.0, 2.0, 3.0, 4.0]), Some(Identifier::Index));
        assert_eq!(numbers(&[7.0, 2.0, 3.0, 4.0]), Some(Identifier::Key));
        assert_eq!(numbers(&[1.0, 2.0, 3.0, 3.0]), None);
    }
}
