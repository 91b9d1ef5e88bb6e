//! Records into column builders: the one loop that sees every byte.

use super::intern::Interner;
use super::lex::{self, Field, Next, OpenQuote};
use super::number::{MAX_EXACT, comma_number, decimal, is_rounded, parse_number};
use mercer_core::MISSING_CODE;

/// Fields that stand for a missing value in a column that is numeric but for them; elsewhere they may be levels.
pub(super) const LIKELY_MISSING: [&str; 12] =
    ["?", "-", "--", ".", "..", "None", "none", "#N/A", "#NA", "n/a", "na", "<NA>"];

/// What the loop must know about the format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    pub delimiter: u8,
    missing: &'a [String],
    /// Whether a number stands for a missing value, as -999 may.
    missing_number: bool,
}

impl<'a> Layout<'a> {
    pub(super) fn new(delimiter: u8, missing: &'a [String]) -> Self {
        let missing_number = missing.iter().any(|token| decimal(token.as_bytes()).is_some());
        Self { delimiter, missing, missing_number }
    }

    /// Whether a field stands for a missing value.
    pub(super) fn is_missing(&self, value: &[u8]) -> bool {
        let value = value.trim_ascii();
        value.is_empty() || self.missing.iter().any(|token| token.as_bytes() == value)
    }
}

/// What is wrong with the bytes, and at which of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    /// A record with another number of fields.
    Ragged { offset: usize, got: usize },
    /// A quote that is never closed.
    Open { offset: usize },
    /// A field that is not UTF-8.
    Utf8 { offset: usize, field: usize },
}

impl From<OpenQuote> for Fault {
    fn from(OpenQuote(offset): OpenQuote) -> Self {
        Fault::Open { offset }
    }
}

impl Fault {
    /// The byte at fault.
    pub(super) fn offset(&self) -> usize {
        match *self {
            Fault::Ragged { offset, .. } | Fault::Open { offset } | Fault::Utf8 { offset, .. } => offset,
        }
    }
}

/// A field of [`LIKELY_MISSING`]: how often it was met, and where first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    pub text: &'static str,
    pub count: usize,
    pub first: usize,
}

/// How the fields of a column are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// As numbers.
    Numbers,
    /// As numbers with a comma where others have a point.
    CommaNumbers,
    /// As texts.
    Texts,
    /// Not at all: the column has been read before.
    Skip,
}

impl Reading {
    /// Whether the fields are read as numbers of either kind.
    pub(super) fn is_numeric(self) -> bool {
        matches!(self, Reading::Numbers | Reading::CommaNumbers)
    }
}

/// Numbers of one column of one piece.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub values: Vec<f64>,
    /// Whether a comma stands where others have a point.
    pub comma: bool,
    /// Fields that look like missing values, in order of their first appearance.
    pub tokens: Vec<Token>,
    /// The first whole number that `f64` cannot hold, by its first byte.
    pub rounded: Option<usize>,
    /// The first field that is no number, by its first byte.
    pub bad: Option<usize>,
    /// Whether a number is written like 0042.
    pub leading_zeros: bool,
}

/// Texts of one column of one piece.
#[derive(Debug, Default)]
pub(super) struct Strings {
    pub codes: Vec<u32>,
    pub levels: Interner,
    /// Where each level appears first.
    pub first: Vec<usize>,
}

/// What a column collects.
#[derive(Debug)]
pub(super) enum Builder {
    Numbers(Numbers),
    Strings(Strings),
    /// Nothing: the column has been read before.
    Skip,
}

impl Builder {
    /// A builder for a way to read fields.
    pub(super) fn new(reading: Reading) -> Self {
        match reading {
            Reading::Numbers => Builder::Numbers(Numbers::default()),
            Reading::CommaNumbers => Builder::Numbers(Numbers { comma: true, ..Numbers::default() }),
            Reading::Texts => Builder::Strings(Strings::default()),
            Reading::Skip => Builder::Skip,
        }
    }

    fn reserve(&mut self, n_rows: usize) {
        match self {
            Builder::Numbers(numbers) => numbers.values.reserve(n_rows),
            Builder::Strings(strings) => strings.codes.reserve(n_rows),
            Builder::Skip => {}
        }
    }

    /// Takes the field at `start`; returns where it ends.
    #[inline(always)]
    fn take(&mut self, bytes: &[u8], start: usize, layout: &Layout<'_>) -> Result<usize, Option<OpenQuote>> {
        match self {
            Builder::Numbers(numbers) => Ok(numbers.take(bytes, start, layout)?),
            Builder::Strings(strings) => strings.take(bytes, start, layout),
            Builder::Skip => Ok(lex::field(bytes, start, layout.delimiter)?.end),
        }
    }
}

impl Numbers {
    #[inline(always)]
    fn take(&mut self, bytes: &[u8], start: usize, layout: &Layout<'_>) -> Result<usize, OpenQuote> {
        if !self.comma
            && let Some((value, length)) = decimal(&bytes[start..])
        {
            let end = start + length;
            let ends = match bytes.get(end) {
                None | Some(b'\n') => true,
                Some(b'\r') => matches!(bytes.get(end + 1), None | Some(b'\n')),
                Some(&b) => b == layout.delimiter,
            };
            if ends {
                if layout.missing_number && layout.is_missing(&bytes[start..end]) {
                    self.values.push(f64::NAN);
                    return Ok(end);
                }
                self.leading_zeros |= has_leading_zero(&bytes[start..]);
                self.note_rounded(value, &bytes[start..end], start);
                self.values.push(value);
                return Ok(end);
            }
        }
        self.take_slowly(bytes, start, layout)
    }

    #[inline(never)]
    fn take_slowly(&mut self, bytes: &[u8], start: usize, layout: &Layout<'_>) -> Result<usize, OpenQuote> {
        let Field { value, end } = lex::field(bytes, start, layout.delimiter)?;
        if layout.is_missing(&value) {
            self.values.push(f64::NAN);
            return Ok(end);
        }
        let number = if self.comma { comma_number(&value) } else { parse_number(&value) };
        match (number, likely_missing(&value)) {
            (Some(number), _) => self.note_rounded(number, &value, start),
            (None, Some(text)) => self.note_token(text, start),
            (None, None) => self.bad = self.bad.or(Some(start)),
        }
        self.leading_zeros |= has_leading_zero(value.trim_ascii());
        self.values.push(number.unwrap_or(f64::NAN));
        Ok(end)
    }

    /// Notes a whole number that had to be rounded.
    #[inline(always)]
    fn note_rounded(&mut self, value: f64, field: &[u8], start: usize) {
        if value.abs() >= MAX_EXACT as f64 && self.rounded.is_none() && is_rounded(field) {
            self.rounded = Some(start);
        }
    }

    fn note_token(&mut self, text: &'static str, start: usize) {
        match self.tokens.iter_mut().find(|token| token.text == text) {
            Some(token) => token.count += 1,
            None => self.tokens.push(Token { text, count: 1, first: start }),
        }
    }
}

/// The well-known sign of a missing value that a field is, if it is one.
pub(super) fn likely_missing(field: &[u8]) -> Option<&'static str> {
    let field = field.trim_ascii();
    LIKELY_MISSING.into_iter().find(|token| token.as_bytes() == field)
}

/// Whether a number begins with a zero and another digit, as identifiers do.
#[inline(always)]
fn has_leading_zero(number: &[u8]) -> bool {
    matches!(number, [b'0', b'0'..=b'9', ..])
}

impl Strings {
    fn take(&mut self, bytes: &[u8], start: usize, layout: &Layout<'_>) -> Result<usize, Option<OpenQuote>> {
        let Field { value, end } = lex::field(bytes, start, layout.delimiter)?;
        let code = if layout.is_missing(&value) {
            MISSING_CODE
        } else {
            let (code, new) = self.levels.code(&value);
            if new {
                std::str::from_utf8(&value).map_err(|_| None)?;
                self.first.push(start);
            }
            code
        };
        self.codes.push(code);
        Ok(end)
    }
}

/// Reads all records of `bytes` into `builders`; returns their number.
pub(super) fn parse(bytes: &[u8], layout: &Layout<'_>, builders: &mut [Builder]) -> Result<usize, Fault> {
    let (mut at, mut n_rows) = (lex::skip_blank(bytes, 0), 0);
    while at < bytes.len() {
        let end = parse_record(bytes, at, layout, builders)?;
        if n_rows == 0 {
            // Records are about as long as the first: room for them at once.
            let expected = (bytes.len() - at) / (end - at).max(1);
            builders.iter_mut().for_each(|b| b.reserve(expected + expected / 16));
        }
        at = end;
        n_rows += 1;
        at = lex::skip_blank(bytes, at);
    }
    Ok(n_rows)
}

#[inline(always)]
fn parse_record(
    bytes: &[u8],
    record: usize,
    layout: &Layout<'_>,
    builders: &mut [Builder],
) -> Result<usize, Fault> {
    let mut start = record;
    let last = builders.len().wrapping_sub(1);
    for (j, builder) in builders.iter_mut().enumerate() {
        let end = builder.take(bytes, start, layout).map_err(|open| match open {
            Some(open) => open.into(),
            None => Fault::Utf8 { offset: start, field: j },
        })?;
        match lex::next(bytes, end, layout.delimiter) {
            Next::Field(at) if j < last => start = at,
            Next::Record(at) if j == last => return Ok(at),
            _ => break,
        }
    }
    let got = lex::record(bytes, record, layout.delimiter)?.0.len();
    Err(Fault::Ragged { offset: record, got })
}
