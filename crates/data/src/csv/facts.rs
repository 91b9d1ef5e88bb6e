//! What the fields of a numeric column say about it, over pieces or blocks: whether it is numeric after all, and what a
//! person should know.

use super::build::{Numbers, Reading, Token};
use super::number::{MAX_EXACT, comma_number};

/// Facts about a column that is read as numbers. A place is an offset or a line, as whoever gathers them likes.
#[derive(Debug, Default)]
pub(super) struct NumberFacts {
    n_rows: usize,
    pub n_missing: usize,
    comma: bool,
    leading_zeros: bool,
    /// Whether some number is not whole.
    fractional: bool,
    tokens: Vec<(Token, u64)>,
    /// The first field that is no number, with its place.
    pub bad: Option<(u64, Vec<u8>)>,
    /// The place of the first whole number that had to be rounded.
    rounded: Option<u64>,
}

impl NumberFacts {
    /// Adds a piece; `place` and `field` tell of a byte of it where it is and what stands there.
    pub(super) fn absorb(
        &mut self,
        numbers: &Numbers,
        place: impl Fn(usize) -> u64,
        field: impl Fn(usize) -> Vec<u8>,
    ) {
        let values = &numbers.values;
        self.n_rows += values.len();
        self.n_missing += values.iter().filter(|v| v.is_nan()).count();
        self.comma |= numbers.comma;
        self.leading_zeros |= numbers.leading_zeros;
        let whole = |v: f64| v.is_nan() || v.abs() >= MAX_EXACT as f64 || v as i64 as f64 == v;
        self.fractional = self.fractional || values.iter().any(|&v| !whole(v));
        for token in &numbers.tokens {
            match self.tokens.iter_mut().find(|(known, _)| known.text == token.text) {
                Some((known, _)) => known.count += token.count,
                None => self.tokens.push((*token, place(token.first))),
            }
        }
        self.bad = self.bad.take().or_else(|| numbers.bad.map(|at| (place(at), field(at))));
        self.rounded = self.rounded.or_else(|| numbers.rounded.map(&place));
    }

    /// How the column must be read instead, if it is not what it was taken for; `forced` where it must be numbers.
    pub(super) fn turn(&self, forced: bool, commas: bool) -> Option<Reading> {
        if let Some((_, field)) = &self.bad {
            let comma = !self.comma && commas && comma_number(field).is_some();
            return Some(if comma { Reading::CommaNumbers } else { Reading::Texts });
        }
        let n_tokens: usize = self.tokens.iter().map(|(token, _)| token.count).sum();
        let n_numbers = self.n_rows - self.n_missing;
        // A few numbers among many question marks are levels like them.
        let few = 10 * n_numbers < n_tokens;
        let identifiers = self.rounded.is_some() && !self.fractional;
        (!forced && (few || identifiers)).then_some(Reading::Texts)
    }

    /// What a person should know of the numeric column; `line` gives the line of a place.
    pub(super) fn notes(&self, comma_is_news: bool, line: impl Fn(u64) -> u64) -> Vec<String> {
        let mut notes = Vec::new();
        if self.n_rows > 0 && self.n_missing == self.n_rows {
            notes.push("every value is missing".to_owned());
        }
        for (Token { text, count, .. }, first) in &self.tokens {
            let (s, are) = if *count == 1 { ("", "is") } else { ("s", "are") };
            let first = line(*first);
            notes
                .push(format!("{count} field{s} `{text}` {are} taken as missing, the first on line {first}"));
        }
        if self.comma && comma_is_news {
            notes.push("numbers with decimal commas".to_owned());
        }
        if self.leading_zeros {
            let note = "numbers with leading zeros: an identifier? Read it as categorical to keep them";
            notes.push(note.to_owned());
        }
        if let (Some(first), false) = (self.rounded, self.fractional) {
            notes.push(format!("whole numbers beyond 2^53 are rounded, the first on line {}", line(first)));
        }
        notes
    }
}
