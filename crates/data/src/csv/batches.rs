//! Batches of rows from a CSV file of any size.

use super::assemble::{field_at, shorten, text_note, turns};
use super::build::{Builder, Reading, likely_missing};
use super::facts::NumberFacts;
use super::stream::{BLOCK_BYTES, Blocks};
use super::{CsvHead, CsvOptions, PIECE_BYTES, Piece, count_lines, lex, number, parse_error};
use crate::infer::{Inferred, TextStats, is_time, parse_bool, summary};
use mercer_core::{Column, ColumnKind, Error, MISSING_CODE, MISSING_TIME, Result, Table, parse_time};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A CSV file in batches of rows, in memory bounded by block, batch and dictionaries.
///
/// Opening reads the file once (twice where a column only later turns out not to be numeric) to settle kinds
/// and dictionaries over the whole of it, so that every batch has the same; they are those of
/// [`read_csv`](crate::read_csv). It iterates over tables of exactly `batch_rows` rows; the last is shorter.
///
/// # Example
/// ```
/// use mercer_data::{CsvBatches, CsvOptions};
/// let path = std::env::temp_dir().join("mercer-batches-example.csv");
/// std::fs::write(&path, "x,y\n1,a\n2,b\n3,a\n").unwrap();
/// let sizes = CsvBatches::open(&path, &CsvOptions::default(), 2)?.map(|table| table.map(|t| t.n_rows()));
/// assert_eq!(sizes.collect::<mercer_core::Result<Vec<_>>>()?, [2, 1]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Debug)]
pub struct CsvBatches {
    path: PathBuf,
    head: CsvHead,
    options: CsvOptions,
    batch_rows: usize,
    block_bytes: usize,
    inferred: Vec<Inferred>,
    dictionaries: Vec<Dictionary>,
    n_rows: usize,
    blocks: Blocks,
    pending: Vec<Pending>,
    failed: bool,
    largest_buffer: usize,
}

/// The levels of a categorical column and where each is.
#[derive(Clone, Debug, Default)]
struct Dictionary {
    levels: Arc<[String]>,
    codes: HashMap<String, u32>,
}

/// Rows parsed but not handed out yet.
#[derive(Debug)]
enum Pending {
    Numbers(Vec<f64>),
    Codes(Vec<u32>),
    Booleans(Vec<Option<bool>>),
    Texts(Vec<Option<String>>),
    Times(Vec<i64>),
}

impl CsvBatches {
    /// Opens a file and settles kinds and dictionaries.
    pub fn open(path: impl AsRef<Path>, options: &CsvOptions, batch_rows: usize) -> Result<Self> {
        Self::open_with_block(path.as_ref(), options, batch_rows, BLOCK_BYTES)
    }

    pub(super) fn open_with_block(
        path: &Path,
        options: &CsvOptions,
        batch_rows: usize,
        block_bytes: usize,
    ) -> Result<Self> {
        if batch_rows == 0 {
            return Err(Error::param("CsvBatches", "batch_rows", "at least 1", 0));
        }
        let path = path.to_owned();
        let name = path.display().to_string();
        let mut blocks = Blocks::open(&path, b',', block_bytes)?;
        let mut head = CsvHead::new(&name, blocks.peek()?, options)?;
        let (scans, n_rows) = scan_all(&path, &mut head, options, block_bytes)?;
        let mut inferred = Vec::with_capacity(scans.len());
        let mut dictionaries = Vec::with_capacity(scans.len());
        for (j, scan) in scans.into_iter().enumerate() {
            let (note, dictionary) = scan.settle(&head, options, j, n_rows)?;
            inferred.push(note);
            dictionaries.push(dictionary);
        }
        let largest_buffer = 0;
        let pending = Vec::new();
        let options = options.clone();
        let mut batches = Self {
            path,
            head,
            options,
            batch_rows,
            block_bytes,
            inferred,
            dictionaries,
            n_rows,
            blocks,
            pending,
            failed: false,
            largest_buffer,
        };
        batches.rewind()?;
        Ok(batches)
    }

    /// Starts again at the first row.
    pub fn rewind(&mut self) -> Result<()> {
        self.blocks = open_body(&self.path, &self.head, self.block_bytes)?;
        self.pending = self.inferred.iter().map(|i| Pending::new(i.kind)).collect();
        self.failed = false;
        Ok(())
    }

    /// What was decided about each column.
    pub fn inferred(&self) -> &[Inferred] {
        &self.inferred
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.head.names
    }

    /// Number of rows in the whole file.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// One line about all columns: "12 columns: 8 numeric, 3 categorical, 1 text (name)".
    pub fn summary(&self) -> String {
        summary(&self.inferred)
    }

    /// The most bytes of the file that were in memory at once since opening.
    pub fn largest_buffer(&self) -> usize {
        self.largest_buffer.max(self.blocks.capacity())
    }

    fn pending_rows(&self) -> usize {
        self.pending.first().map_or(0, Pending::len)
    }

    /// Parses one more block; false at the end of the file.
    fn advance(&mut self) -> Result<bool> {
        let pieces = parse_block(&mut self.blocks, &self.head, &self.options)?.map(|(pieces, _)| pieces);
        self.largest_buffer = self.largest_buffer.max(self.blocks.capacity());
        let Some(pieces) = pieces else { return Ok(false) };
        for piece in pieces {
            for (j, builder) in piece.builders.into_iter().enumerate() {
                self.pending[j].extend(builder, &self.dictionaries[j]);
            }
        }
        Ok(true)
    }

    fn next_batch(&mut self) -> Result<Option<Table<'static>>> {
        while self.pending_rows() < self.batch_rows && self.advance()? {}
        let n = self.pending_rows().min(self.batch_rows);
        if n == 0 {
            return Ok(None);
        }
        let columns = self.pending.iter_mut().zip(&self.dictionaries).map(|(p, d)| p.take(n, d));
        let named = self.head.names.iter().cloned().zip(columns).collect();
        Table::new(named).map(Some)
    }
}

impl Iterator for CsvBatches {
    type Item = Result<Table<'static>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let batch = self.next_batch().transpose();
        self.failed = matches!(batch, Some(Err(_)));
        batch
    }
}

fn open_body(path: &Path, head: &CsvHead, block_bytes: usize) -> Result<Blocks> {
    let mut blocks = Blocks::open(path, head.delimiter, block_bytes)?;
    let shown = blocks.peek()?.len();
    blocks.skip(head.body.min(shown));
    Ok(blocks)
}

/// The pieces of the next block and the bytes they came from; `None` at the end of the file.
fn parse_block<'a>(
    blocks: &'a mut Blocks,
    head: &CsvHead,
    options: &CsvOptions,
) -> Result<Option<(Vec<Piece>, &'a [u8])>> {
    let layout = head.layout(options);
    let lines = blocks.advance_lines();
    let Some(bytes) = blocks.next()? else { return Ok(None) };
    let fault = |fault| head.error(fault, |upto| lines + count_lines(&bytes[..upto]));
    let cut = lex::cut(bytes, head.delimiter, PIECE_BYTES).map_err(|open| fault(open.into()))?;
    let one = |r: &std::ops::Range<usize>| Piece::parse(&bytes[r.clone()], &layout, &head.readings, r.start);
    let pieces: Vec<_> = cut.par_iter().map(one).collect();
    let pieces = pieces.into_iter().collect::<Result<Vec<_>, _>>().map_err(fault)?;
    Ok(Some((pieces, bytes)))
}

/// What the first pass learns about one column.
#[derive(Debug, Default)]
struct Scan {
    numbers: NumberFacts,
    n_missing: usize,
    /// The distinct texts while they are few enough, `None` afterwards.
    levels: Option<BTreeSet<String>>,
    n_numeric: usize,
    n_likely: usize,
    not_comma: bool,
    rounded: Option<(u64, String)>,
    not_boolean: Option<(u64, String)>,
    not_time: Option<(u64, String)>,
    not_numeric: Option<(u64, String)>,
    numeric: bool,
}

/// Scans the whole file; when a column guessed numeric is not, once more with it as text.
fn scan_all(
    path: &Path,
    head: &mut CsvHead,
    options: &CsvOptions,
    block_bytes: usize,
) -> Result<(Vec<Scan>, usize)> {
    loop {
        let mut blocks = open_body(path, head, block_bytes)?;
        let mut scans: Vec<Scan> = head.readings.iter().map(|r| Scan::new(r.is_numeric())).collect();
        let mut n_rows = 0;
        loop {
            let lines = blocks.advance_lines();
            let Some((pieces, bytes)) = parse_block(&mut blocks, head, options)? else { break };
            let line = |at: usize| lines + count_lines(&bytes[..at]) + 1;
            for piece in &pieces {
                n_rows += piece.n_rows;
                for (scan, builder) in scans.iter_mut().zip(&piece.builders) {
                    scan.absorb(builder, |at| line(piece.start + at), bytes, piece.start, head, options);
                }
            }
        }
        let again = turns(head, options, scans.iter().map(|scan| &scan.numbers), |line| line)?;
        if again.iter().all(|&reading| reading == Reading::Skip) {
            return Ok((scans, n_rows));
        }
        for (reading, new) in head.readings.iter_mut().zip(again).filter(|(_, new)| *new != Reading::Skip) {
            *reading = new;
        }
    }
}

impl Scan {
    fn new(numeric: bool) -> Self {
        Self { numeric, levels: Some(BTreeSet::new()), ..Default::default() }
    }

    fn absorb(
        &mut self,
        builder: &Builder,
        line: impl Fn(usize) -> u64,
        bytes: &[u8],
        start: usize,
        head: &CsvHead,
        options: &CsvOptions,
    ) {
        match builder {
            Builder::Numbers(numbers) => {
                self.numbers.absorb(numbers, line, |at| field_at(bytes, start + at, head));
            }
            Builder::Strings(strings) => {
                let n_levels = strings.levels.len();
                let mut counts = vec![0; n_levels];
                for &code in &strings.codes {
                    match counts.get_mut(code as usize) {
                        Some(count) => *count += 1,
                        None => self.n_missing += 1,
                    }
                }
                for (c, count) in counts.into_iter().enumerate() {
                    let level = strings.levels.get(c);
                    let numeric = head.is_number(level);
                    self.n_numeric += if numeric { count } else { 0 };
                    self.n_likely += if likely_missing(level).is_some() { count } else { 0 };
                    self.not_comma = self.not_comma || number::comma_number(level).is_none();
                    let note = |place: &mut Option<(u64, String)>, odd: bool| {
                        if odd && place.is_none() {
                            *place = Some((line(strings.first[c]), shorten(level)));
                        }
                    };
                    note(&mut self.not_numeric, !numeric);
                    note(&mut self.rounded, number::is_rounded(level));
                    if self.not_boolean.is_none() {
                        note(&mut self.not_boolean, parse_bool(level).is_none());
                    }
                    if self.not_time.is_none() {
                        note(&mut self.not_time, !is_time(level));
                    }
                    self.note_level(level, options.max_levels);
                }
            }
            Builder::Skip => {}
        }
    }

    fn note_level(&mut self, level: &[u8], max_levels: usize) {
        let Some(levels) = &mut self.levels else { return };
        let text = std::str::from_utf8(level).unwrap_or_default();
        if !levels.contains(text) {
            levels.insert(text.to_owned());
        }
        if levels.len() > max_levels {
            self.levels = None;
        }
    }

    /// The decision, and the dictionary of a categorical column.
    fn settle(
        self,
        head: &CsvHead,
        options: &CsvOptions,
        j: usize,
        n_rows: usize,
    ) -> Result<(Inferred, Dictionary)> {
        let column = head.names[j].clone();
        if self.numeric {
            let n_missing = self.numbers.n_missing;
            let notes = self.numbers.notes(options.decimal.is_none(), |line| line);
            let kind = ColumnKind::Numeric;
            let note = Inferred { column, kind, notes, n_missing, n_unique: None };
            return Ok((note, Dictionary::default()));
        }
        let n_missing = self.n_missing;
        let n_unique = self.levels.as_ref().map(BTreeSet::len);
        let boolean = self.not_boolean.is_none();
        let time = self.not_time.is_none();
        let (n_numeric, n_likely) = (self.n_numeric, self.n_likely);
        let commas = !self.not_comma && n_missing < n_rows;
        let stats = TextStats { n_rows, n_missing, n_unique, boolean, time, n_numeric, n_likely, commas };
        let forced = options.forced(&column);
        let kind = forced.unwrap_or_else(|| stats.kind(options.max_levels));
        let mut notes = Vec::new();
        if forced.is_none() {
            notes.extend(text_note(&stats, self.rounded, self.not_numeric));
        }
        if let (ColumnKind::Boolean, Some((line, value))) = (kind, &self.not_boolean) {
            let reason = format!("`{value}` of `{column}` is neither true nor false");
            return Err(parse_error(&head.source, *line, j as u64 + 1, reason));
        }
        if let (ColumnKind::Time, Some((line, value))) = (kind, &self.not_time) {
            let reason = format!("`{value}` of `{column}` is no date or time");
            return Err(parse_error(&head.source, *line, j as u64 + 1, reason));
        }
        let dictionary = match (kind, self.levels) {
            (ColumnKind::Categorical, Some(levels)) => Dictionary::new(levels),
            (ColumnKind::Categorical, None) => {
                let more =
                    format!("more than {} levels; raise `max_levels` to stream it", options.max_levels);
                return Err(Error::incapable(
                    "CsvBatches",
                    format!("read `{column}` as categorical: {more}"),
                ));
            }
            _ => Dictionary::default(),
        };
        Ok((Inferred { column, kind, notes, n_missing, n_unique }, dictionary))
    }
}

impl Dictionary {
    fn new(levels: BTreeSet<String>) -> Self {
        let levels: Arc<[String]> = levels.into_iter().collect();
        let codes = levels.iter().enumerate().map(|(code, level)| (level.clone(), code as u32)).collect();
        Self { levels, codes }
    }
}

impl Pending {
    fn new(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Numeric => Pending::Numbers(Vec::new()),
            ColumnKind::Categorical => Pending::Codes(Vec::new()),
            ColumnKind::Boolean => Pending::Booleans(Vec::new()),
            ColumnKind::Text => Pending::Texts(Vec::new()),
            ColumnKind::Time => Pending::Times(Vec::new()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Pending::Numbers(v) => v.len(),
            Pending::Codes(v) => v.len(),
            Pending::Booleans(v) => v.len(),
            Pending::Texts(v) => v.len(),
            Pending::Times(v) => v.len(),
        }
    }

    fn extend(&mut self, builder: Builder, dictionary: &Dictionary) {
        let strings = match (&mut *self, builder) {
            (Pending::Numbers(values), Builder::Numbers(new)) => return values.extend(new.values),
            (_, Builder::Strings(strings)) => strings,
            _ => return,
        };
        let level = |c: usize| std::str::from_utf8(strings.levels.get(c)).unwrap_or_default();
        let (codes, n) = (strings.codes.iter().map(|&c| c as usize), strings.levels.len());
        match self {
            Pending::Codes(rows) => {
                let code = |c| dictionary.codes.get(level(c)).copied().unwrap_or(MISSING_CODE);
                let map: Vec<u32> = (0..n).map(code).collect();
                rows.extend(codes.map(|c| map.get(c).copied().unwrap_or(MISSING_CODE)));
            }
            Pending::Booleans(rows) => {
                rows.extend(codes.map(|c| (c < n).then(|| parse_bool(level(c).as_bytes()))?))
            }
            Pending::Texts(rows) => rows.extend(codes.map(|c| (c < n).then(|| level(c).to_owned()))),
            Pending::Times(rows) => {
                let map: Vec<i64> = (0..n).map(|c| parse_time(level(c)).unwrap_or(MISSING_TIME)).collect();
                rows.extend(codes.map(|c| map.get(c).copied().unwrap_or(MISSING_TIME)));
            }
            Pending::Numbers(_) => {}
        }
    }

    /// The first `n` rows as a column.
    fn take(&mut self, n: usize, dictionary: &Dictionary) -> Column<'static> {
        match self {
            Pending::Numbers(v) => Column::Numeric(v.drain(..n).collect::<Vec<_>>().into()),
            Pending::Codes(v) => {
                let codes = v.drain(..n).collect::<Vec<_>>().into();
                Column::Categorical { codes, levels: dictionary.levels.clone() }
            }
            Pending::Booleans(v) => Column::Boolean(v.drain(..n).collect::<Vec<_>>().into()),
            Pending::Texts(v) => Column::Text(v.drain(..n).collect::<Vec<_>>().into()),
            Pending::Times(v) => Column::Time(v.drain(..n).collect::<Vec<_>>().into()),
        }
    }
}
