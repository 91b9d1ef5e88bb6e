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
    pub(super) fn checks(&self, targets: &[&str]) -> Vec<Check> {
        let check = |code: &str, level, message| super::comparison::check(code, level, message);
        let leaks = targets.iter().flat_map(|target| self.leaks(target, targets.len() > 1));
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

    /// Features that give a target away; a check that cannot be made is an issue itself.
    fn leaks(&self, target: &str, several: bool) -> Vec<Check> {
        let check = |message| super::comparison::check("K001", Level::Issue, message);
        let of = if several { format!(" `{target}`") } else { String::new() };
        let names: Vec<&str> =
            self.features.iter().map(String::as_str).filter(|n| *n != target).chain([target]).collect();
        match self.table.select(&names).and_then(|table| mercer_data::leaks(&table, target)) {
            Ok(found) => found.iter().map(|leak| check(format!("column {leak}{of}"))).collect(),
            Err(e) => {
                vec![check(format!("whether a column gives `{target}` away could not be checked: {e}"))]
            }
        }
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
