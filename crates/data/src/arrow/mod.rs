//! Arrow IPC files and streams (also Feather, version 2) to tables, without the Arrow crates: flat columns of numbers,
//! truth values, texts, dictionaries, dates and timestamps, plain or compressed with LZ4 or Zstandard.

mod flatbuffers;
#[cfg(test)]
mod tests;

use crate::columns::{Cell, ColumnsByName};
use crate::compression;
use crate::csv::CsvOptions;
use crate::infer::{Inferred, Loaded, count_distinct, identifiers_note, is_exact};
use flatbuffers::Flat;
use mercer_core::{Column, ColumnKind, Error, ErrorKind, MISSING_TIME, Result, Table};
use std::collections::HashMap;
use std::path::Path;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Null,
    Int(u32, bool),
    Float(u32),
    Bool,
    /// Texts with offsets of 4 or 8 bytes.
    Text(usize),
    /// Texts as views.
    Views,
    /// Microseconds in one unit; units in one microsecond; bytes of a value.
    Time(i64, i64, usize),
}

struct Field {
    name: String,
    kind: Kind,
    /// The dictionary and the width of its codes, for a field of codes.
    dictionary: Option<(i64, Kind)>,
}

/// Values of one field, from one batch or several.
#[derive(Clone, Debug)]
enum Values {
    Numbers(Vec<f64>),
    /// Whole numbers of 64 bits, which `f64` may not hold.
    Whole(Vec<Option<i128>>),
    Truths(Vec<Option<bool>>),
    Texts(Vec<Option<String>>),
    Times(Vec<i64>),
}

/// Reads an Arrow IPC file or stream (`.arrow`, `.feather`, `.ipc`).
///
/// # Errors
/// With the file and the column: types that no table has (lists, structs), damaged files.
pub fn read_arrow(path: impl AsRef<Path>, options: &CsvOptions) -> Result<Loaded> {
    let path = path.as_ref();
    read_arrow_bytes(&path.display().to_string(), &compression::read_all(path)?, options)
}

/// Reads Arrow IPC from memory.
pub fn read_arrow_bytes(name: &str, bytes: &[u8], options: &CsvOptions) -> Result<Loaded> {
    let fail = |reason: String| Error::from(ErrorKind::File { path: name.to_owned(), reason });
    let read = if bytes.starts_with(b"ARROW1") { read_file(bytes) } else { read_stream(bytes) };
    read.map_err(fail)?.finish(options)
}

type Read<T> = Result<T, String>;

fn damaged<T>(found: Option<T>) -> Read<T> {
    found.ok_or_else(|| "the Arrow metadata is damaged".to_owned())
}

/// What has been read so far.
struct Streamed {
    fields: Vec<Field>,
    values: Vec<Option<Values>>,
    dictionaries: HashMap<i64, Vec<Option<String>>>,
}

/// A stream: messages one after the other, the schema first.
fn read_stream(mut rest: &[u8]) -> Read<Streamed> {
    let mut streamed: Option<Streamed> = None;
    while let Some((message, body, after)) = next_message(rest)? {
        rest = after;
        match &mut streamed {
            None if message.u8(1, 0) == 1 => streamed = Some(Streamed::new(damaged(message.table(2))?)?),
            None => return Err("no schema comes first".to_owned()),
            Some(streamed) => streamed.take(message, body)?,
        }
    }
    streamed.ok_or_else(|| "not an Arrow IPC file".to_owned())
}

/// A file: its footer says what it holds and where.
fn read_file(bytes: &[u8]) -> Read<Streamed> {
    let cut = || "the file is cut off: it has no footer".to_owned();
    let tail = bytes.len().checked_sub(10).filter(|t| bytes[t + 4..] == *b"ARROW1").ok_or_else(cut)?;
    let length = damaged(bytes[tail..tail + 4].try_into().ok().map(u32::from_le_bytes))? as usize;
    let footer = tail.checked_sub(length).and_then(|at| Flat::root(&bytes[at..tail])).ok_or_else(cut)?;
    let mut streamed = Streamed::new(damaged(footer.table(1))?)?;
    for field in [2, 3] {
        for [offset, _, _] in damaged(footer.longs::<3>(field))? {
            let from = usize::try_from(offset).ok().and_then(|at| bytes.get(at..)).ok_or_else(cut)?;
            let (message, body, _) = next_message(from)?.ok_or_else(cut)?;
            streamed.take(message, body)?;
        }
    }
    Ok(streamed)
}

impl Streamed {
    fn new(schema: Flat<'_>) -> Read<Self> {
        let fields = damaged(schema.tables(1))?.iter().map(field).collect::<Read<Vec<_>>>()?;
        let values = fields.iter().map(|_| None).collect();
        Ok(Self { fields, values, dictionaries: HashMap::new() })
    }

    /// Takes a dictionary or a batch of rows; other messages say nothing about values.
    fn take(&mut self, message: Flat<'_>, body: &[u8]) -> Read<()> {
        let header = damaged(message.table(2))?;
        match message.u8(1, 0) {
            2 => {
                let id = header.i64(0, 0);
                let wanted = self.fields.iter().find(|f| f.dictionary.is_some_and(|(d, _)| d == id));
                let kind = wanted.ok_or_else(|| format!("a dictionary {id} that no column uses"))?.kind;
                let texts = Batch::new(damaged(header.table(1))?, body)?.texts(kind)?;
                // A delta adds to what there is.
                let entry = self.dictionaries.entry(id).or_default();
                if header.u8(2, 0) == 0 {
                    entry.clear();
                }
                entry.extend(texts);
            }
            3 => {
                let mut batch = Batch::new(header, body)?;
                for (field, slot) in self.fields.iter().zip(&mut self.values) {
                    let values = batch.column(field, &self.dictionaries);
                    append(slot, values.map_err(|e| format!("column `{}`: {e}", field.name))?);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// A message, its body, and what follows.
type Message<'a> = (Flat<'a>, &'a [u8], &'a [u8]);

/// The next message; `None` at the end.
fn next_message(rest: &[u8]) -> Read<Option<Message<'_>>> {
    let Some(first) = rest.get(..4) else { return Ok(None) };
    let (at, word) = match first {
        [0xff, 0xff, 0xff, 0xff] => (8usize, damaged(rest.get(4..8))?),
        old => (4, old),
    };
    let size = u32::from_le_bytes([word[0], word[1], word[2], word[3]]) as usize;
    if size == 0 {
        return Ok(None);
    }
    let cut = || "the file is cut off, or no Arrow IPC".to_owned();
    let metadata = rest.get(at..at.saturating_add(size)).ok_or_else(cut)?;
    let after = &rest[at + size..];
    let message = damaged(Flat::root(metadata))?;
    let length = usize::try_from(message.i64(3, 0)).map_err(|_| "a negative length".to_owned())?;
    let body = after.get(..length).ok_or_else(cut)?;
    Ok(Some((message, body, &after[length..])))
}

fn field(flat: &Flat<'_>) -> Read<Field> {
    let name = flat.text(0).unwrap_or_default().to_owned();
    let kind = kind(flat, 2, 3).map_err(|e| format!("column `{name}` {e}"))?;
    let dictionary = match flat.table(4) {
        Some(encoding) => {
            let index = encoding
                .table(1)
                .map_or(Kind::Int(32, true), |i| Kind::Int(i.i32(0, 0) as u32, i.u8(1, 0) != 0));
            Some((encoding.i64(0, 0), index))
        }
        None => None,
    };
    if dictionary.is_some() && !matches!(kind, Kind::Text(_) | Kind::Views) {
        return Err(format!("column `{name}` is a dictionary of something else than texts"));
    }
    Ok(Field { name, kind, dictionary })
}

fn kind(flat: &Flat<'_>, tag: usize, at: usize) -> Read<Kind> {
    let inner = flat.table(at);
    let of = |n: usize, default: i16| inner.map_or(default, |t| t.i16(n, default));
    Ok(match flat.u8(tag, 0) {
        1 => Kind::Null,
        2 => {
            let (bits, signed) = inner.map_or((0, false), |t| (t.i32(0, 0), t.u8(1, 0) != 0));
            match bits {
                8 | 16 | 32 | 64 => Kind::Int(bits as u32, signed),
                other => return Err(format!("has whole numbers of {other} bits")),
            }
        }
        3 => match of(0, 0) {
            1 => Kind::Float(32),
            2 => Kind::Float(64),
            _ => return Err("has numbers of half precision".to_owned()),
        },
        5 => Kind::Text(4),
        20 => Kind::Text(8),
        24 => Kind::Views,
        6 => Kind::Bool,
        8 => match of(0, 1) {
            0 => Kind::Time(86_400_000_000, 1, 4),
            _ => Kind::Time(1000, 1, 8),
        },
        10 => match of(0, 0) {
            0 => Kind::Time(1_000_000, 1, 8),
            1 => Kind::Time(1000, 1, 8),
            2 => Kind::Time(1, 1, 8),
            _ => Kind::Time(1, 1000, 8),
        },
        12..=14 | 16 | 17 | 21 => return Err("is nested; flatten it first".to_owned()),
        other => return Err(format!("has a type ({other}) that is not read")),
    })
}

/// A record batch: its nodes and buffers, taken one after the other.
struct Batch<'a> {
    nodes: Vec<[i64; 2]>,
    buffers: Vec<[i64; 2]>,
    variadic: Vec<[i64; 1]>,
    codec: Option<u8>,
    body: &'a [u8],
    node: usize,
    buffer: usize,
    view: usize,
}

/// The largest buffer that a compressed one may unpack to.
const LARGEST: usize = 1 << 34;

impl<'a> Batch<'a> {
    fn new(flat: Flat<'_>, body: &'a [u8]) -> Read<Self> {
        Ok(Self {
            nodes: damaged(flat.longs(1))?,
            buffers: damaged(flat.longs(2))?,
            variadic: damaged(flat.longs(4))?,
            codec: flat.table(3).map(|c| c.u8(0, 0)),
            body,
            node: 0,
            buffer: 0,
            view: 0,
        })
    }

    fn next_buffer(&mut self) -> Read<Vec<u8>> {
        let [offset, length] = *damaged(self.buffers.get(self.buffer))?;
        self.buffer += 1;
        let (Ok(offset), Ok(length)) = (usize::try_from(offset), usize::try_from(length)) else {
            return Err("a buffer with a negative place".to_owned());
        };
        let end = damaged(offset.checked_add(length))?;
        let raw = self.body.get(offset..end).ok_or_else(|| "a buffer beyond its batch".to_owned())?;
        let Some(codec) = self.codec.filter(|_| !raw.is_empty()) else { return Ok(raw.to_vec()) };
        let head: [u8; 8] = damaged(raw.get(..8).and_then(|h| h.try_into().ok()))?;
        let unpacked = i64::from_le_bytes(head);
        let packed = &raw[8..];
        // A length of -1 says that compressing did not help.
        let Ok(size) = usize::try_from(unpacked) else { return Ok(packed.to_vec()) };
        if size > LARGEST {
            return Err(format!("a buffer of {size} bytes"));
        }
        use std::io::Read as _;
        let mut out = Vec::new();
        let read = match codec {
            0 => lz4_flex::frame::FrameDecoder::new(packed).take(size as u64).read_to_end(&mut out),
            _ => zstd::stream::read::Decoder::new(packed)
                .and_then(|d| d.take(size as u64).read_to_end(&mut out)),
        };
        read.map_err(|e| format!("a compressed buffer: {e}"))?;
        if out.len() == size { Ok(out) } else { Err("a compressed buffer is cut off".to_owned()) }
    }

    /// The number of rows of the next column, and which of them are there.
    fn next_node(&mut self, validity: bool) -> Read<(usize, Option<Vec<u8>>)> {
        let [length, nulls] = *damaged(self.nodes.get(self.node))?;
        self.node += 1;
        let n = usize::try_from(length).map_err(|_| "a negative number of rows".to_owned())?;
        if !validity {
            return Ok((n, None));
        }
        let bits = self.next_buffer()?;
        if nulls == 0 || bits.is_empty() {
            return Ok((n, None));
        }
        if bits.len() * 8 < n {
            return Err("too few validity bits".to_owned());
        }
        Ok((n, Some(bits)))
    }

    fn column(&mut self, field: &Field, dictionaries: &HashMap<i64, Vec<Option<String>>>) -> Read<Values> {
        let Some((id, index)) = field.dictionary else { return self.values(field.kind) };
        let codes = match self.values(index)? {
            Values::Numbers(codes) => codes,
            Values::Whole(codes) => rounded(&codes),
            _ => return Err("codes that are no numbers".to_owned()),
        };
        let empty = Vec::new();
        let levels = dictionaries.get(&id).unwrap_or(&empty);
        let text = |code: &f64| match code.is_nan() {
            true => Ok(None),
            false => levels
                .get(*code as usize)
                .cloned()
                .ok_or_else(|| format!("the code {code} is beyond its dictionary")),
        };
        Ok(Values::Texts(codes.iter().map(text).collect::<Read<_>>()?))
    }

    fn texts(mut self, kind: Kind) -> Read<Vec<Option<String>>> {
        match self.values(kind)? {
            Values::Texts(texts) => Ok(texts),
            _ => Err("a dictionary of something else than texts".to_owned()),
        }
    }

    fn values(&mut self, kind: Kind) -> Read<Values> {
        let (n, valid) = self.next_node(kind != Kind::Null)?;
        let there = |i: usize| valid.as_ref().is_none_or(|bits| bits[i / 8] >> (i % 8) & 1 == 1);
        match kind {
            Kind::Null => Ok(Values::Numbers(vec![f64::NAN; n])),
            Kind::Bool => {
                let bits = self.next_buffer()?;
                if bits.len() * 8 < n {
                    return Err("too few truth values".to_owned());
                }
                Ok(Values::Truths(
                    (0..n).map(|i| there(i).then(|| bits[i / 8] >> (i % 8) & 1 == 1)).collect(),
                ))
            }
            Kind::Int(bits, signed) => {
                let width = bits as usize / 8;
                let data = self.fixed(n, width)?;
                let whole = |i: usize| there(i).then(|| integer(&data[i * width..(i + 1) * width], signed));
                let values: Vec<_> = (0..n).map(whole).collect();
                Ok(if bits == 64 { Values::Whole(values) } else { Values::Numbers(rounded(&values)) })
            }
            Kind::Float(bits) => {
                let width = bits as usize / 8;
                let data = self.fixed(n, width)?;
                let number = |i: usize| match &data[i * width..(i + 1) * width] {
                    _ if !there(i) => f64::NAN,
                    &[a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
                    eight => f64::from_bits(integer(eight, false) as u64),
                };
                Ok(Values::Numbers((0..n).map(number).collect()))
            }
            Kind::Time(up, down, width) => {
                let data = self.fixed(n, width)?;
                let time = |i: usize| match there(i) {
                    true => (integer(&data[i * width..(i + 1) * width], true) as i64)
                        .saturating_mul(up)
                        .div_euclid(down),
                    false => MISSING_TIME,
                };
                Ok(Values::Times((0..n).map(time).collect()))
            }
            Kind::Text(width) => {
                let offsets = self.fixed(if n == 0 { 0 } else { n + 1 }, width)?;
                let data = self.next_buffer()?;
                let at = |i: usize| integer(&offsets[i * width..(i + 1) * width], false) as usize;
                let text = |i: usize| there(i).then(|| slice_text(&data, at(i), at(i + 1))).transpose();
                Ok(Values::Texts((0..n).map(text).collect::<Read<_>>()?))
            }
            Kind::Views => {
                let views = self.fixed(n, 16)?;
                let count = self.variadic.get(self.view).map_or(0, |c| c[0]);
                self.view += 1;
                let data = (0..count).map(|_| self.next_buffer()).collect::<Read<Vec<_>>>()?;
                let text =
                    |i: usize| there(i).then(|| view_text(&views[16 * i..16 * (i + 1)], &data)).transpose();
                Ok(Values::Texts((0..n).map(text).collect::<Read<_>>()?))
            }
        }
    }

    /// A buffer of `n` values of some bytes.
    fn fixed(&mut self, n: usize, width: usize) -> Read<Vec<u8>> {
        let data = self.next_buffer()?;
        match n.checked_mul(width).filter(|bytes| *bytes <= data.len()) {
            Some(_) => Ok(data),
            None => Err("a buffer that is too short".to_owned()),
        }
    }
}

/// Whole numbers as `f64`.
fn rounded(values: &[Option<i128>]) -> Vec<f64> {
    values.iter().map(|v| v.map_or(f64::NAN, |v| v as f64)).collect()
}

/// A whole number of 1 to 8 bytes, little end first.
fn integer(bytes: &[u8], signed: bool) -> i128 {
    let mut all = [0u8; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    let value = i128::from(u64::from_le_bytes(all));
    let bits = 8 * bytes.len() as u32;
    if signed && value >> (bits - 1) & 1 == 1 { value - (1i128 << bits) } else { value }
}

fn slice_text(data: &[u8], start: usize, end: usize) -> Read<String> {
    let bytes = data.get(start..end).ok_or_else(|| "a text beyond its buffer".to_owned())?;
    String::from_utf8(bytes.to_vec()).map_err(|_| "a text that is not UTF-8".to_owned())
}

fn view_text(view: &[u8], data: &[Vec<u8>]) -> Read<String> {
    let word = |at: usize| integer(&view[at..at + 4], false) as usize;
    let length = word(0);
    if length <= 12 {
        return slice_text(view, 4, 4 + length);
    }
    let buffer = data.get(word(8)).ok_or_else(|| "a text in a buffer that is not there".to_owned())?;
    slice_text(buffer, word(12), word(12).saturating_add(length))
}

fn append(slot: &mut Option<Values>, values: Values) {
    match (slot.as_mut(), values) {
        (Some(Values::Numbers(a)), Values::Numbers(b)) => a.extend(b),
        (Some(Values::Whole(a)), Values::Whole(b)) => a.extend(b),
        (Some(Values::Truths(a)), Values::Truths(b)) => a.extend(b),
        (Some(Values::Texts(a)), Values::Texts(b)) => a.extend(b),
        (Some(Values::Times(a)), Values::Times(b)) => a.extend(b),
        (_, values) => *slot = Some(values),
    }
}

impl Streamed {
    fn finish(self, options: &CsvOptions) -> Result<Loaded> {
        let (mut columns, mut inferred) = (Vec::new(), Vec::new());
        for (field, values) in self.fields.into_iter().zip(self.values) {
            let values = values.unwrap_or(Values::Numbers(Vec::new()));
            let (column, note) = match values {
                Values::Texts(texts) => texts_column(&field.name, texts, options)?,
                Values::Whole(v) => whole_column(&field.name, &v, options)?,
                Values::Numbers(v) => {
                    let n_unique = count_distinct(&v, options.max_levels);
                    plain(field.name, Column::numbers(v), n_unique)
                }
                Values::Truths(v) => plain(field.name, Column::Boolean(v.into()), Some(2)),
                Values::Times(v) => plain(field.name, Column::Time(v.into()), None),
            };
            columns.push((note.column.clone(), column));
            inferred.push(note);
        }
        Ok(Loaded { table: Table::new(columns)?, inferred })
    }
}

fn plain(column: String, values: Column<'static>, n_unique: Option<usize>) -> (Column<'static>, Inferred) {
    let (kind, n_missing) = (values.kind(), values.n_missing());
    (values, Inferred { column, kind, notes: Vec::new(), n_missing, n_unique })
}

/// Numbers, or texts where `f64` cannot hold one of them.
fn whole_column(
    name: &str,
    values: &[Option<i128>],
    options: &CsvOptions,
) -> Result<(Column<'static>, Inferred)> {
    let Some(first) = values.iter().flatten().find(|v| !is_exact(**v)) else {
        let numbers = rounded(values);
        let n_unique = count_distinct(&numbers, options.max_levels);
        return Ok(plain(name.to_owned(), Column::numbers(numbers), n_unique));
    };
    let texts = values.iter().map(|v| v.map(|v| v.to_string())).collect();
    let (column, mut inferred) = texts_column(name, texts, options)?;
    inferred.notes.push(identifiers_note(&format!("`{first}`")));
    Ok((column, inferred))
}

/// Texts by the rule of all readers: categories where they are few, else text.
fn texts_column(
    name: &str,
    texts: Vec<Option<String>>,
    options: &CsvOptions,
) -> Result<(Column<'static>, Inferred)> {
    let mut one = ColumnsByName::default();
    let at = one.declare(name);
    for text in texts {
        one.put(at, text.map_or(Cell::Missing, Cell::Text));
        one.end_row();
    }
    let kinds: HashMap<String, ColumnKind> = options.kinds.clone();
    let loaded = one.finish(options.max_levels, &kinds)?;
    let note = loaded.inferred.into_iter().next();
    let column = loaded.table.into_columns().next();
    match (column, note) {
        (Some((_, column)), Some(note)) => Ok((std::sync::Arc::unwrap_or_clone(column), note)),
        _ => Err(Error::shape("columns of texts", 1, 0)),
    }
}
