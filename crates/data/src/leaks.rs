//! Columns that give the target away.

use mercer_core::{Column, Result, Table};
use std::borrow::Cow;
use std::collections::HashMap;

/// How a column gives the target away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeakKind {
    /// The same value as the target on every row.
    Identical,
    /// One value of the target for each of its values, and the other way round: a renamed target.
    Renamed,
    /// One value of the target for each of its values.
    Determines,
}

/// A column that gives the target away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// The column.
    pub column: String,
    /// How.
    pub kind: LeakKind,
}

impl std::fmt::Display for Leak {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let how = match self.kind {
            LeakKind::Identical => "is the target again",
            LeakKind::Renamed => "is the target under other names",
            LeakKind::Determines => "determines the target",
        };
        write!(f, "`{}` {how}", self.column)
    }
}

/// Columns that are, rename or determine the target.
///
/// A column determines the target when each of its values goes with one value of the target and values repeat:
/// at least two rows a value on average, so that identifiers and continuous measurements, which determine
/// everything by being unique, are not accused unless they equal the target. Rows where either is missing do
/// not count; a constant target is determined by everything, and leaks nothing.
///
/// # Example
/// ```
/// let iris = mercer_data::bundled("iris")?;
/// let leaky = iris.with("copy", iris.column("species")?.clone())?;
/// assert_eq!(mercer_data::leaks(&leaky, "species")?[0].to_string(), "`copy` is the target again");
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn leaks(table: &Table<'_>, target: &str) -> Result<Vec<Leak>> {
    let truth = table.column(target)?;
    let others = table.iter().filter(|(name, _)| *name != target);
    let leak = |(name, column): (&str, &std::sync::Arc<Column<'_>>)| {
        judge(column, truth).map(|kind| Leak { column: name.to_owned(), kind })
    };
    Ok(others.filter_map(leak).collect())
}

/// A value that can be compared and hashed.
#[derive(PartialEq, Eq, Hash, Clone)]
enum Key<'a> {
    Bits(u64),
    Text(Cow<'a, str>),
}

fn key<'a>(column: &'a Column<'_>, i: usize) -> Option<Key<'a>> {
    match column {
        Column::Numeric(v) => (!v[i].is_nan()).then(|| Key::Bits((v[i] + 0.0).to_bits())),
        Column::Categorical { .. } | Column::Boolean(_) | Column::Text(_) | Column::Time(_) => {
            column.text(i).map(Key::Text)
        }
    }
}

fn judge(column: &Column<'_>, target: &Column<'_>) -> Option<LeakKind> {
    let mut forward: HashMap<Key<'_>, Key<'_>> = HashMap::new();
    let mut backward: HashMap<Key<'_>, Key<'_>> = HashMap::new();
    let (mut n, mut identical, mut one_to_one) = (0, true, true);
    for i in 0..column.len() {
        let (Some(x), Some(y)) = (key(column, i), key(target, i)) else { continue };
        n += 1;
        identical &= column.text(i) == target.text(i);
        if *forward.entry(x.clone()).or_insert_with(|| y.clone()) != y {
            return None;
        }
        one_to_one &= *backward.entry(y).or_insert_with(|| x.clone()) == x;
    }
    let (n_values, n_targets) = (forward.len(), backward.len());
    match () {
        _ if n < 4 || n_targets < 2 => None,
        _ if identical => Some(LeakKind::Identical),
        _ if 2 * n_values > n => None,
        _ if one_to_one => Some(LeakKind::Renamed),
        _ => Some(LeakKind::Determines),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaks_are_told_apart_and_identifiers_spared() {
        let n = 40;
        let numbers = |f: &dyn Fn(usize) -> f64| Column::numbers((0..n).map(f).collect::<Vec<_>>());
        let texts: Vec<Option<String>> =
            (0..n).map(|i| Some(if i % 2 == 0 { "no" } else { "yes" }.to_owned())).collect();
        let table = Table::new(vec![
            ("y".into(), numbers(&|i| (i % 2) as f64)),
            ("same".into(), numbers(&|i| if i == 3 { f64::NAN } else { (i % 2) as f64 })),
            ("renamed".into(), Column::categories(&texts)),
            ("finer".into(), numbers(&|i| (i % 4) as f64)),
            ("id".into(), numbers(&|i| i as f64)),
            ("other".into(), numbers(&|i| (i % 3) as f64)),
            ("constant".into(), numbers(&|_| 1.0)),
        ])
        .unwrap();
        let found: Vec<_> = leaks(&table, "y").unwrap().into_iter().map(|l| (l.column, l.kind)).collect();
        let expected = [
            ("same".to_owned(), LeakKind::Identical),
            ("renamed".to_owned(), LeakKind::Renamed),
            ("finer".to_owned(), LeakKind::Determines),
        ];
        assert_eq!(found, expected);
        assert!(leaks(&table, "constant").unwrap().is_empty());
        assert!(leaks(&table, "z").is_err());
    }
}
