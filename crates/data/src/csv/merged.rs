//! The texts of a column, from pieces with a dictionary each.

use super::build::{Strings, likely_missing};
use super::intern::Interner;
use super::number;
use crate::infer::{TextStats, is_time, parse_bool};
use mercer_core::{Column, ColumnKind, MISSING_CODE, MISSING_TIME, parse_time};

/// The texts of a column over all pieces, with one dictionary.
#[derive(Debug)]
pub(crate) struct Merged {
    parts: Vec<Strings>,
    /// For each piece, from its codes to the common ones.
    maps: Vec<Vec<u32>>,
    pub(super) levels: Interner,
    /// Where each level appears first.
    first: Vec<usize>,
}

impl Merged {
    /// Merges the dictionaries of pieces, given where each piece starts.
    pub(super) fn new(parts: impl Iterator<Item = (usize, Strings)>) -> Self {
        let (mut levels, mut first) = (Interner::default(), Vec::new());
        let (mut kept, mut maps) = (Vec::new(), Vec::new());
        for (start, strings) in parts {
            let mut map = Vec::with_capacity(strings.levels.len());
            for local in 0..strings.levels.len() {
                let (code, new) = levels.code(strings.levels.get(local));
                if new {
                    first.push(start + strings.first[local]);
                }
                map.push(code);
            }
            maps.push(map);
            kept.push(strings);
        }
        Self { parts: kept, maps, levels, first }
    }

    /// Texts that have one dictionary already.
    pub(crate) fn single(codes: Vec<u32>, levels: Interner) -> Self {
        let first = vec![0; levels.len()];
        Self::new(std::iter::once((0, Strings { codes, levels, first })))
    }

    /// The column, as the kind asked for; numeric is not among them.
    pub(crate) fn column(&self, kind: ColumnKind) -> Column<'static> {
        match kind {
            ColumnKind::Boolean => self.booleans(),
            ColumnKind::Time => self.times(),
            ColumnKind::Categorical => self.categories(),
            ColumnKind::Numeric | ColumnKind::Text => self.texts(),
        }
    }

    fn level(&self, code: usize) -> &str {
        // Every level was checked when it was first seen.
        std::str::from_utf8(self.levels.get(code)).unwrap_or_default()
    }

    /// The value of `f` at the level of each row; `missing` where there is none.
    fn map_rows<T: Clone>(&self, by_level: &[T], missing: &T) -> Vec<T> {
        let n_rows = self.parts.iter().map(|p| p.codes.len()).sum();
        let mut rows = Vec::with_capacity(n_rows);
        for (part, map) in self.parts.iter().zip(&self.maps) {
            let local: Vec<&T> = map.iter().map(|&code| &by_level[code as usize]).collect();
            rows.extend(part.codes.iter().map(|&c| (*local.get(c as usize).unwrap_or(&missing)).clone()));
        }
        rows
    }

    /// What the rule for kinds wants to know.
    pub(crate) fn stats(&self) -> TextStats {
        self.stats_with(|level| number::parse_number(level).is_some())
    }

    /// The same, where the caller knows what a number is.
    pub(super) fn stats_with(&self, is_number: impl Fn(&[u8]) -> bool) -> TextStats {
        let levels = || (0..self.levels.len()).map(|code| self.levels.get(code));
        let numeric: Vec<bool> = levels().map(is_number).collect();
        let likely: Vec<bool> = levels().map(|l| likely_missing(l).is_some()).collect();
        let (mut n_rows, mut n_missing, mut n_numeric, mut n_likely) = (0, 0, 0, 0);
        for (part, map) in self.parts.iter().zip(&self.maps) {
            n_rows += part.codes.len();
            n_missing += part.codes.iter().filter(|&&c| c == MISSING_CODE).count();
            for (has, n) in [(&numeric, &mut n_numeric), (&likely, &mut n_likely)] {
                let local: Vec<bool> = map.iter().map(|&code| has[code as usize]).collect();
                if local.contains(&true) {
                    *n += part.codes.iter().filter(|&&c| local.get(c as usize) == Some(&true)).count();
                }
            }
        }
        let boolean = levels().all(|l| parse_bool(l).is_some());
        let time = levels().all(is_time);
        let commas = self.levels.len() > 0 && levels().all(|l| number::comma_number(l).is_some());
        TextStats {
            n_rows,
            n_missing,
            n_unique: Some(self.levels.len()),
            boolean,
            time,
            n_numeric,
            n_likely,
            commas,
        }
    }

    /// Where the first value with an odd level is, and the level; `None` where none is odd.
    pub(super) fn first_odd(&self, odd: impl Fn(&[u8]) -> bool) -> Option<(usize, usize)> {
        let levels = (0..self.levels.len()).filter(|&code| odd(self.levels.get(code)));
        levels.map(|code| (self.first[code], code)).min()
    }

    fn booleans(&self) -> Column<'static> {
        let values: Vec<Option<bool>> =
            (0..self.levels.len()).map(|c| parse_bool(self.levels.get(c))).collect();
        Column::Boolean(self.map_rows(&values, &None).into())
    }

    fn times(&self) -> Column<'static> {
        let times: Vec<i64> =
            (0..self.levels.len()).map(|c| parse_time(self.level(c)).unwrap_or(MISSING_TIME)).collect();
        Column::Time(self.map_rows(&times, &MISSING_TIME).into())
    }

    fn categories(&self) -> Column<'static> {
        let mut order: Vec<usize> = (0..self.levels.len()).collect();
        order.sort_unstable_by_key(|&code| self.levels.get(code));
        let mut rank = vec![0u32; order.len()];
        for (place, &code) in order.iter().enumerate() {
            rank[code] = place as u32;
        }
        let codes = self.map_rows(&rank, &MISSING_CODE);
        let levels = order.iter().map(|&code| self.level(code).to_owned()).collect();
        Column::Categorical { codes: codes.into(), levels }
    }

    fn texts(&self) -> Column<'static> {
        let texts: Vec<Option<&str>> = (0..self.levels.len()).map(|code| Some(self.level(code))).collect();
        let rows = self.map_rows(&texts, &None);
        Column::Text(rows.into_iter().map(|t| t.map(str::to_owned)).collect::<Vec<_>>().into())
    }
}
