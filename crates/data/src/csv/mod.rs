//! CSV: a parallel reader, a streaming one and a writer.
//!
//! The bytes are cut into pieces at record boundaries, pieces are parsed at once in rayon's current pool, each
//! straight into column builders: numbers by a fast exact path, texts into a dictionary. A first look at some
//! records guesses which columns are numeric; a column that turns out not to be is read a second time.

mod assemble;
mod batches;
mod build;
mod facts;
pub(crate) mod intern;
mod lex;
mod merged;
pub(crate) mod number;
mod parallel;
mod stream;
mod write;

pub use batches::CsvBatches;
pub(crate) use merged::Merged;
pub use write::{write_csv, write_csv_with};

use crate::infer::{DEFAULT_MAX_LEVELS, Loaded};
use build::{Builder, Fault, Layout, Reading, likely_missing, parse};
use mercer_core::{ColumnKind, Error, ErrorKind, Result};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

/// The fields that stand for a missing value everywhere, besides the empty field. A question mark, a dash, a point, `None`
/// and the like do so only in columns that are numeric but for them, and a note tells of it.
pub const DEFAULT_MISSING: [&str; 6] = ["NA", "N/A", "NaN", "nan", "null", "NULL"];

/// Bytes in one piece of work; wide files get larger ones, so that a piece holds some rows.
const PIECE_BYTES: usize = 1 << 20;

/// Records looked at before the kinds of columns are guessed.
const SAMPLE_RECORDS: usize = 200;

/// How to read a CSV file.
#[derive(Clone, Debug, PartialEq)]
pub struct CsvOptions {
    /// The byte between fields; `None` detects comma, semicolon, tab or bar from the first lines.
    pub delimiter: Option<u8>,
    /// Whether the first record names the columns; otherwise they are `column_1`, `column_2`, …
    pub header: bool,
    /// Fields that stand for a missing value, besides the empty one ([`DEFAULT_MISSING`]).
    pub missing: Vec<String>,
    /// Kinds that are not to be inferred, by name of column.
    pub kinds: HashMap<String, ColumnKind>,
    /// Kinds that columns have elsewhere, as in the schema of a model: they are kept, too, but the columns may be absent.
    pub expected: HashMap<String, ColumnKind>,
    /// What stands before the decimals, a point or a comma; `None` is a point, or a comma in a column in which all fields
    /// agree on it, where commas do not separate fields.
    pub decimal: Option<u8>,
    /// A column with more distinct texts than this is text, not categorical.
    pub max_levels: usize,
}

impl CsvOptions {
    /// The kind that a column must have.
    pub(crate) fn forced(&self, column: &str) -> Option<ColumnKind> {
        self.kinds.get(column).or_else(|| self.expected.get(column)).copied()
    }
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self {
            delimiter: None,
            header: true,
            missing: DEFAULT_MISSING.map(str::to_owned).to_vec(),
            kinds: HashMap::new(),
            expected: HashMap::new(),
            decimal: None,
            max_levels: DEFAULT_MAX_LEVELS,
        }
    }
}

/// Reads a CSV file; one whose name ends with `.gz` or `.zst` is decompressed.
///
/// Numbers may have spaces around them, and be written `1e-3`, `inf` or `-inf`. Blank lines are skipped, a
/// header without rows gives a table of no rows, and errors name file, line and field.
pub fn read_csv(path: impl AsRef<Path>, options: &CsvOptions) -> Result<Loaded> {
    let path = path.as_ref();
    let name = path.display().to_string();
    if let Some(loaded) = parallel::read(path, options)? {
        return Ok(loaded);
    }
    read_csv_bytes(&name, &crate::compression::read_all(path)?, options)
}

/// Reads CSV from any stream, for instance standard input.
pub fn read_csv_from(name: &str, mut source: impl Read, options: &CsvOptions) -> Result<Loaded> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).map_err(|e| file_error(name, &e))?;
    read_csv_bytes(name, &bytes, options)
}

/// Reads CSV from memory; `name` is what errors call it.
///
/// # Example
/// ```
/// use mercer_data::{CsvOptions, read_csv_bytes};
/// let text = b"name,mass\n\"Ada, the first\",3.5\nBob,NA\n";
/// let loaded = read_csv_bytes("example", text, &CsvOptions::default())?;
/// assert_eq!(loaded.to_string(), "2 columns: 1 numeric, 1 categorical");
/// assert!(loaded.table.column("mass")?.is_missing(1));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn read_csv_bytes(name: &str, bytes: &[u8], options: &CsvOptions) -> Result<Loaded> {
    read_in_pieces(name, bytes, options, PIECE_BYTES)
}

fn read_in_pieces(name: &str, bytes: &[u8], options: &CsvOptions, piece: usize) -> Result<Loaded> {
    let head = CsvHead::new(name, bytes, options)?;
    let body = &bytes[head.body..];
    let fault = |fault: Fault| head.error(fault, |upto| count_lines(&bytes[..upto]));
    let layout = head.layout(options);
    let size = piece.max(2048 * head.names.len().min(1 << 15));
    let cut = lex::cut(body, layout.delimiter, size)
        .map_err(|lex::OpenQuote(at)| fault(Fault::Open { offset: head.body + at }))?;
    let read = |readings: &[Reading]| -> Result<Vec<Piece>> {
        let one = |range: &std::ops::Range<usize>| {
            let start = head.body + range.start;
            Piece::parse(&body[range.clone()], &layout, readings, start).map_err(fault)
        };
        cut.par_iter().map(one).collect::<Vec<_>>().into_iter().collect()
    };
    let line = |offset: usize| count_lines(&bytes[..offset]) + 1;
    let pieces = read(&head.readings)?;
    assemble::assemble(&head, options, pieces, read, bytes, line)
}

/// The parsed builders of one piece of the file.
#[derive(Debug)]
struct Piece {
    n_rows: usize,
    builders: Vec<Builder>,
    /// Where the piece starts in the file.
    start: usize,
}

impl Piece {
    /// Parses `bytes`; `readings` says how to read each column.
    fn parse(bytes: &[u8], layout: &Layout<'_>, readings: &[Reading], start: usize) -> Result<Self, Fault> {
        let mut builders: Vec<Builder> = readings.iter().map(|&reading| Builder::new(reading)).collect();
        let shift = |fault: Fault| match fault {
            Fault::Ragged { offset, got } => Fault::Ragged { offset: offset + start, got },
            Fault::Open { offset } => Fault::Open { offset: offset + start },
            Fault::Utf8 { offset, field } => Fault::Utf8 { offset: offset + start, field },
        };
        let n_rows = parse(bytes, layout, &mut builders).map_err(shift)?;
        Ok(Self { n_rows, builders, start })
    }
}

/// What the first records say: delimiter, names, and which columns look numeric.
#[derive(Clone, Debug)]
struct CsvHead {
    source: String,
    delimiter: u8,
    names: Vec<String>,
    /// A guess from the first records; certain where it says texts.
    readings: Vec<Reading>,
    /// Whether a comma may stand where others have a point.
    commas: bool,
    /// The byte at which the records start.
    body: usize,
    header: bool,
}

impl CsvHead {
    /// Looks at the beginning of a file; `bytes` must hold at least its first record.
    fn new(source: &str, bytes: &[u8], options: &CsvOptions) -> Result<Self> {
        let bom = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let text = &bytes[bom..];
        let tabs = crate::compression::Packing::inner(source).ends_with(".tsv").then_some(b'\t');
        let delimiter =
            options.delimiter.or(tabs).unwrap_or_else(|| lex::detect_delimiter(text, options.decimal));
        check_delimiter(delimiter)?;
        check_decimal(options.decimal)?;
        let start = bom + lex::skip_blank(text, 0);
        if start >= bytes.len() {
            return Err(parse_error(source, 1, 0, "the file is empty"));
        }
        let open = |lex::OpenQuote(at)| open_error(source, count_lines(&bytes[..at]) + 1);
        let (fields, end) = lex::record(&bytes[start..], 0, delimiter).map_err(open)?;
        if memchr::memchr(b'\n', bytes).is_none()
            && memchr::memchr(b'\r', &bytes[..bytes.len() - 1]).is_some()
        {
            let reason = "lines end with carriage returns alone (old Mac OS); save it with line feeds";
            return Err(parse_error(source, 1, 0, reason));
        }
        let line = count_lines(&bytes[..start]) + 1;
        let names = column_names(source, line, &fields, options.header)?;
        let body = if options.header { start + end } else { start };
        let n = names.len();
        let mut head = Self {
            source: source.to_owned(),
            delimiter,
            names,
            readings: vec![Reading::Numbers; n],
            commas: options.decimal.map_or(delimiter != b',', |d| d == b','),
            body,
            header: options.header,
        };
        head.check_kinds(options)?;
        head.sample(&bytes[body..], options);
        Ok(head)
    }

    fn layout<'a>(&self, options: &'a CsvOptions) -> Layout<'a> {
        Layout::new(self.delimiter, &options.missing)
    }

    /// Every override must name a column.
    fn check_kinds(&self, options: &CsvOptions) -> Result<()> {
        let mut wanted: Vec<&String> = options.kinds.keys().collect();
        wanted.sort();
        match wanted.into_iter().find(|name| !self.names.contains(name)) {
            Some(name) => Err(Error::unknown("column", name, self.names.iter().map(String::as_str))),
            None => Ok(()),
        }
    }

    /// Guesses from the first records which columns are numeric.
    fn sample(&mut self, body: &[u8], options: &CsvOptions) {
        let layout = self.layout(options);
        let (mut point, mut comma) = (vec![true; self.names.len()], vec![self.commas; self.names.len()]);
        let mut at = lex::skip_blank(body, 0);
        for _ in 0..SAMPLE_RECORDS {
            let Ok((fields, end)) = lex::record(body, at, self.delimiter) else { break };
            if at >= body.len() || (end >= body.len() && !body.ends_with(b"\n")) {
                break;
            }
            for (j, field) in fields.iter().enumerate().take(self.names.len()) {
                if !layout.is_missing(field) && likely_missing(field).is_none() {
                    point[j] &= number::parse_number(field).is_some();
                    comma[j] = comma[j] && number::comma_number(field).is_some();
                }
            }
            at = lex::skip_blank(body, end);
        }
        let first = if options.decimal == Some(b',') { Reading::CommaNumbers } else { Reading::Numbers };
        for (j, name) in self.names.iter().enumerate() {
            let found = match (first, point[j], comma[j]) {
                (Reading::Numbers, true, _) => Reading::Numbers,
                (_, _, true) => Reading::CommaNumbers,
                _ => Reading::Texts,
            };
            self.readings[j] = match options.forced(name) {
                Some(ColumnKind::Numeric) if found == Reading::Texts => first,
                Some(ColumnKind::Numeric) | None => found,
                Some(_) => Reading::Texts,
            };
        }
    }

    /// Whether a field is a number in any way in which columns of this file may be.
    fn is_number(&self, field: &[u8]) -> bool {
        number::parse_number(field).is_some() || (self.commas && number::comma_number(field).is_some())
    }

    /// The error of a fault; `lines_before` counts line ends before an offset.
    fn error(&self, fault: Fault, lines_before: impl Fn(usize) -> u64) -> Error {
        let line = lines_before(fault.offset()) + 1;
        match fault {
            Fault::Open { .. } => open_error(&self.source, line),
            Fault::Ragged { got, .. } => {
                let first = if self.header { "the header" } else { "the first line" };
                let s = if got == 1 { "" } else { "s" };
                let reason = format!("line {line} has {got} field{s}, {first} has {}", self.names.len());
                parse_error(&self.source, line, got.min(self.names.len()) as u64, reason)
            }
            Fault::Utf8 { field, .. } => {
                let reason = format!("the field of `{}` is not UTF-8", self.names[field]);
                parse_error(&self.source, line, field as u64 + 1, reason)
            }
        }
    }
}

/// Names from the first record: trimmed, numbered where empty, refused where repeated.
fn column_names(
    source: &str,
    line: u64,
    fields: &[std::borrow::Cow<'_, [u8]>],
    header: bool,
) -> Result<Vec<String>> {
    let mut first = HashMap::new();
    let mut names = Vec::with_capacity(fields.len());
    for (j, field) in fields.iter().enumerate() {
        let text = if header { field.trim_ascii() } else { b"" };
        let text = std::str::from_utf8(text)
            .map_err(|_| parse_error(source, line, j as u64 + 1, "the name of the column is not UTF-8"))?;
        let name = if text.is_empty() { format!("column_{}", j + 1) } else { text.to_owned() };
        if let Some(before) = first.insert(name.clone(), j) {
            let reason = format!("the name `{name}` is taken by column {} already", before + 1);
            return Err(parse_error(source, line, j as u64 + 1, reason));
        }
        names.push(name);
    }
    Ok(names)
}

fn check_delimiter(delimiter: u8) -> Result<()> {
    let odd = delimiter.is_ascii_alphanumeric() || b"\"\r\n.+-".contains(&delimiter) || !delimiter.is_ascii();
    if odd {
        let got = format!("`{}`", (delimiter as char).escape_default());
        return Err(Error::param("CsvOptions", "delimiter", "one ASCII byte such as , ; | or a tab", got));
    }
    Ok(())
}

fn check_decimal(decimal: Option<u8>) -> Result<()> {
    match decimal {
        None | Some(b'.' | b',') => Ok(()),
        Some(other) => {
            let got = format!("`{}`", (other as char).escape_default());
            Err(Error::param("CsvOptions", "decimal", "a point or a comma", got))
        }
    }
}

pub(super) fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

pub(crate) fn file_error(path: &str, error: &std::io::Error) -> Error {
    ErrorKind::File { path: path.to_owned(), reason: error.to_string() }.into()
}

pub(crate) fn parse_error(source: &str, line: u64, column: u64, reason: impl Into<String>) -> Error {
    ErrorKind::Parse { source_name: source.to_owned(), line, column, reason: reason.into() }.into()
}

fn open_error(source: &str, line: u64) -> Error {
    parse_error(source, line, 0, format!("the quote that opens on line {line} is never closed"))
}

pub(crate) fn unzip(name: &str, raw: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(4 * raw.len());
    flate2::read::MultiGzDecoder::new(raw).read_to_end(&mut bytes).map_err(|e| file_error(name, &e))?;
    Ok(bytes)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
