//! The columns of a table, from the profile that was made when it was read.

use crate::format::four_digits;
use crate::model::{Check, ColumnProfile as ColumnView, Level};
use mercer_core::{Column, ColumnKind, Table};
use mercer_data::ColumnProfile;
use mercer_plot::Histogram;

/// A table with the profile of each of its columns. Both are borrowed: a table is profiled once a run.
#[derive(Clone, Copy, Debug)]
pub struct ProfiledTable<'a> {
    /// All columns.
    pub table: &'a Table<'a>,
    /// Their profiles, in the same order.
    pub profile: &'a [ColumnProfile],
    /// The names of those that are features.
    pub features: &'a [String],
}

impl ProfiledTable<'_> {
    pub(super) fn columns(&self) -> Vec<ColumnView> {
        let view = |(p, column): (&ColumnProfile, &Column<'_>)| ColumnView {
            name: p.name.clone(),
            kind: p.kind.to_string(),
            missing: p.n_missing as u64,
            unique: p.n_distinct as u64,
            summary: column_summary(p),
            histogram: match column {
                Column::Numeric(v) => Histogram::of(v, 16).counts,
                _ => p.top.iter().map(|(_, n)| *n as f64).collect(),
            },
        };
        self.profile.iter().zip(self.table.columns().iter().map(AsRef::as_ref)).map(view).collect()
    }

    /// Columns that give the target away, are constant, or name their rows.
    pub(super) fn checks(&self, target: &str) -> Vec<Check> {
        let check = |code: &str, level, message| super::comparison::check(code, level, message);
        let leaks = mercer_data::leaks(self.table, target).unwrap_or_default();
        let leaks = leaks.iter().map(|leak| check("K001", Level::Issue, format!("column {leak}")));
        let features = self.features.iter().filter_map(|name| self.profile.iter().find(|p| p.name == *name));
        let suspect = features.filter_map(|p| match (p.constant, p.id_like) {
            (true, _) => Some(check("K002", Level::Note, format!("column `{}` is constant", p.name))),
            (_, true) => {
                let message = format!("column `{}` looks like an identifier", p.name);
                Some(check("K003", Level::Warning, message))
            }
            (false, false) => None,
        });
        leaks.chain(suspect).collect()
    }
}

/// The distribution of a column in a few words.
pub fn column_summary(p: &ColumnProfile) -> String {
    match (&p.numbers, p.kind) {
        (Some(n), _) => {
            let [min, median, max, mean] = [n.min, n.median, n.max, n.mean].map(four_digits);
            format!("{min} … {median} … {max}, mean {mean}")
        }
        (None, ColumnKind::Numeric) => "nothing but missing values".to_owned(),
        _ => {
            let shown: Vec<String> =
                p.top.iter().take(3).map(|(l, n)| format!("{} {n}", shorten(l))).collect();
            let more = if p.n_distinct > 3 { ", …" } else { "" };
            format!("{}{more}", shown.join(", "))
        }
    }
}

fn shorten(text: &str) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(24).collect();
    if chars.next().is_some() { format!("{head}…") } else { head }
}
