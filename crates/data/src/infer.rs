//! What kind of column some fields make, and how that is told to a person.

use mercer_core::{ColumnKind, Table};
use std::fmt;

/// Categorical needs at most this many levels, unless the options say otherwise.
pub const DEFAULT_MAX_LEVELS: usize = 1000;

/// A column with no more levels than this is categorical however few rows there are.
const ALWAYS_CATEGORICAL: usize = 20;

/// The decision taken for one column, with what a person should know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Inferred {
    /// The name of the column.
    pub column: String,
    /// The kind chosen.
    pub kind: ColumnKind,
    /// Why, and anything odd: "97 of 100 fields are numbers; the first that is not: `n/k` on line 7".
    pub notes: Vec<String>,
    /// Number of missing values.
    pub n_missing: usize,
    /// Number of distinct values; `None` when there are too many to have been counted.
    pub n_unique: Option<usize>,
}

impl fmt::Display for Inferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.column, self.kind)?;
        if let Some(n) = self.n_unique {
            write!(f, ", {n} distinct")?;
        }
        if self.n_missing > 0 {
            write!(f, ", {} missing", self.n_missing)?;
        }
        self.notes.iter().try_for_each(|note| write!(f, "; {note}"))
    }
}

/// What was counted about a column of texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextStats {
    pub n_rows: usize,
    pub n_missing: usize,
    /// `None` when there are more than were counted.
    pub n_unique: Option<usize>,
    /// Whether every text says true or false.
    pub boolean: bool,
    /// Whether every text is a date or a time.
    pub time: bool,
    /// How many are numbers.
    pub n_numeric: usize,
    /// How many are well-known signs of a missing value.
    pub n_likely: usize,
    /// Whether every text is a number with a comma where others have a point, or without either.
    pub commas: bool,
}

impl TextStats {
    /// Boolean, time, categorical or text. The rule: true and false in any case are boolean; ISO dates and times are
    /// times; at most `max_levels` levels, and at most 20 of them or half the number of values, are categorical; the rest is text.
    pub(crate) fn kind(&self, max_levels: usize) -> ColumnKind {
        let present = self.n_rows - self.n_missing;
        match self.n_unique {
            _ if self.boolean && present > 0 => ColumnKind::Boolean,
            _ if self.time && present > 0 => ColumnKind::Time,
            Some(n) if n <= max_levels && (n <= ALWAYS_CATEGORICAL || 2 * n <= present) => {
                ColumnKind::Categorical
            }
            _ => ColumnKind::Text,
        }
    }

    /// Whether so many of the texts are numbers that the first which is not deserves a note.
    pub(crate) fn nearly_numeric(&self) -> bool {
        let present = self.n_rows - self.n_missing;
        self.n_numeric < present && 2 * self.n_numeric >= present
    }

    /// Whether all texts are numbers, but for well-known signs of missing values.
    pub(crate) fn likely_numeric(&self) -> bool {
        self.n_numeric > 0 && self.n_numeric + self.n_likely == self.n_rows - self.n_missing
    }
}

/// Whether `f64` holds a whole number exactly.
pub(crate) fn is_exact(n: i128) -> bool {
    n as f64 as i128 == n
}

/// The note about a column whose whole numbers `f64` cannot hold; `such_as` is one of them, with its place if that is known.
pub(crate) fn identifiers_note(such_as: &str) -> String {
    format!("whole numbers beyond 2^53, such as {such_as}, would be rounded: taken as identifiers")
}

/// Whether a text is a date or a time.
pub(crate) fn is_time(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|t| mercer_core::parse_time(t).is_some())
}

/// The truth value that a text spells, in any case of letters.
pub(crate) fn parse_bool(text: &[u8]) -> Option<bool> {
    match text {
        _ if text.eq_ignore_ascii_case(b"true") => Some(true),
        _ if text.eq_ignore_ascii_case(b"false") => Some(false),
        _ => None,
    }
}

/// Number of distinct numbers, NaN apart, when it is at most `limit`: a small open-addressing table.
pub(crate) fn count_distinct(values: &[f64], limit: usize) -> Option<usize> {
    let n_slots = (4 * (limit + 1)).next_power_of_two();
    let mut slots = vec![f64::NAN; n_slots];
    let mut n = 0;
    for &value in values.iter().filter(|v| !v.is_nan()) {
        // Adding zero makes -0.0 and 0.0 one value.
        let bits = (value + 0.0).to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut slot = (bits >> 32) as usize & (n_slots - 1);
        while !slots[slot].is_nan() && slots[slot] != value {
            slot = (slot + 1) & (n_slots - 1);
        }
        if slots[slot].is_nan() {
            slots[slot] = value;
            n += 1;
            if n > limit {
                return None;
            }
        }
    }
    Some(n)
}

/// A table that was read, and what was decided on the way.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The table.
    pub table: Table<'static>,
    /// One decision a column, in their order.
    pub inferred: Vec<Inferred>,
}

impl fmt::Display for Loaded {
    /// "12 columns: 8 numeric, 3 categorical, 1 text (name)".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&summary(&self.inferred))
    }
}

/// One line about all columns; the names of text and boolean columns are given while they are few.
pub(crate) fn summary(inferred: &[Inferred]) -> String {
    let kinds = [
        ColumnKind::Numeric,
        ColumnKind::Categorical,
        ColumnKind::Boolean,
        ColumnKind::Text,
        ColumnKind::Time,
    ];
    let parts = kinds.into_iter().filter_map(|kind| {
        let names: Vec<&str> =
            inferred.iter().filter(|i| i.kind == kind).map(|i| i.column.as_str()).collect();
        let named =
            matches!(kind, ColumnKind::Text | ColumnKind::Boolean | ColumnKind::Time) && names.len() <= 3;
        let list = if named { format!(" ({})", names.join(", ")) } else { String::new() };
        (!names.is_empty()).then(|| format!("{} {kind}{list}", names.len()))
    });
    let parts: Vec<String> = parts.collect();
    let s = if inferred.len() == 1 { "" } else { "s" };
    format!("{} column{s}: {}", inferred.len(), parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_numbers_are_counted_up_to_a_limit() {
        assert_eq!(count_distinct(&[1.0, 2.0, 1.0, f64::NAN, 0.0, -0.0], 10), Some(3));
        assert_eq!(count_distinct(&[1.0, 2.0, 3.0], 2), None);
        assert_eq!(count_distinct(&[1.0, 2.0, 3.0], 3), Some(3));
        assert_eq!(count_distinct(&[], 0), Some(0));
        let many: Vec<f64> = (0..100_000).map(|i| f64::from(i % 997)).collect();
        assert_eq!(count_distinct(&many, 1000), Some(997));
    }

    #[test]
    fn few_levels_are_categories_and_many_are_text() {
        let stats = |n_rows, n_unique| TextStats { n_rows, n_unique, ..Default::default() };
        assert_eq!(stats(10, Some(10)).kind(1000), ColumnKind::Categorical);
        assert_eq!(stats(100, Some(60)).kind(1000), ColumnKind::Text);
        assert_eq!(stats(100, Some(50)).kind(1000), ColumnKind::Categorical);
        assert_eq!(stats(100_000, Some(1001)).kind(1000), ColumnKind::Text);
        assert_eq!(stats(100_000, None).kind(1000), ColumnKind::Text);
    }
}
