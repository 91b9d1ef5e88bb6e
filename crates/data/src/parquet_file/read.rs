//! Parquet to tables, one column a task.

use crate::csv::{Merged, file_error, intern::Interner};
use crate::infer::{DEFAULT_MAX_LEVELS, Inferred, Loaded, count_distinct, identifiers_note, is_exact};
use mercer_core::{Column, ColumnKind, Error, ErrorKind, MISSING_CODE, Result, Table};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray, Int96};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use rayon::prelude::*;
use std::path::Path;

/// Values asked for at a time.
const BATCH: usize = 1 << 16;

/// Reads a Parquet file with flat columns, in parallel over columns.
///
/// Integers, floats and decimals are numeric, but a column of integers of which `f64` cannot hold one is read as texts, since
/// it holds identifiers; dates are days and
/// timestamps seconds since 1970-01-01, times of day seconds since midnight; texts are boolean, categorical or
/// text by the rule of the CSV reader. Null is missing. Nested columns and other bytes are errors by name.
pub fn read_parquet(path: impl AsRef<Path>) -> Result<Loaded> {
    read_file(path.as_ref(), DEFAULT_MAX_LEVELS)
}

/// Reads the file into memory first. Handing the `File` to the reader would be wrong, not just slower: its clones
/// share one cursor, and columns are read at the same time.
pub(crate) fn read_file(path: &Path, max_levels: usize) -> Result<Loaded> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|e| file_error(&name, &e))?;
    read_parquet_bytes(&name, bytes, max_levels)
}

/// Reads Parquet from memory; `name` is what errors call it, `max_levels` as in the CSV options.
pub fn read_parquet_bytes(name: &str, bytes: Vec<u8>, max_levels: usize) -> Result<Loaded> {
    let source = bytes::Bytes::from(bytes);
    let reader = SerializedFileReader::new(source).map_err(|e| broken(name, &e))?;
    let n_rows = reader.metadata().file_metadata().num_rows().max(0) as usize;
    let schema = reader.metadata().file_metadata().schema_descr();
    let context = Context { name, reader: &reader, n_rows, max_levels };
    let read = |j: usize| context.column(j, &schema.column(j));
    let columns = (0..schema.num_columns()).into_par_iter().map(read).collect::<Vec<_>>();
    let (mut named, mut inferred) = (Vec::new(), Vec::new());
    for result in columns {
        let (column, note) = result?;
        named.push((note.column.clone(), column));
        inferred.push(note);
    }
    Ok(Loaded { table: Table::new(named)?, inferred })
}

fn broken(name: &str, error: &ParquetError) -> Error {
    ErrorKind::File { path: name.to_owned(), reason: format!("not readable as Parquet: {error}") }.into()
}

/// What every column needs.
struct Context<'a> {
    name: &'a str,
    reader: &'a (dyn FileReader + 'a),
    n_rows: usize,
    max_levels: usize,
}

/// Values of a column over all row groups.
enum Values {
    Numbers(Vec<f64>),
    Booleans(Vec<Option<bool>>),
    Texts(Vec<u32>, Interner),
}

/// A column as it is read.
#[derive(Default)]
struct ColumnRead {
    values: Option<Values>,
    /// The first whole number that had to be rounded.
    rounded: Option<i128>,
    /// Whether whole numbers are to be read as texts.
    as_texts: bool,
}

impl Context<'_> {
    fn column(&self, j: usize, descriptor: &ColumnDescriptor) -> Result<(Column<'static>, Inferred)> {
        let column = descriptor.path().parts().first().cloned().unwrap_or_default();
        if descriptor.path().parts().len() > 1 || descriptor.max_rep_level() > 0 {
            return Err(self.refuse(&column, "is nested; flatten it first"));
        }
        let mut read = ColumnRead::default();
        self.read_groups(j, &column, descriptor, &mut read)?;
        let mut notes = Vec::new();
        if let Some(first) = read.rounded {
            notes.push(identifiers_note(&format!("`{first}`")));
            read = ColumnRead { as_texts: true, ..ColumnRead::default() };
            self.read_groups(j, &column, descriptor, &mut read)?;
        }
        let values = read.values;
        let (built, kind, n_unique) = match values.unwrap_or(Values::Numbers(Vec::new())) {
            Values::Numbers(v) => {
                let n_unique = count_distinct(&v, self.max_levels);
                (Column::numbers(v), ColumnKind::Numeric, n_unique)
            }
            Values::Booleans(v) => (Column::Boolean(v.into()), ColumnKind::Boolean, None),
            Values::Texts(codes, levels) => {
                let merged = Merged::single(codes, levels);
                let stats = merged.stats();
                let kind = stats.kind(self.max_levels);
                (merged.column(kind), kind, stats.n_unique)
            }
        };
        if built.len() != self.n_rows {
            return Err(Error::shape(
                format!("{}: rows of column `{column}`", self.name),
                self.n_rows,
                built.len(),
            ));
        }
        let n_missing = built.n_missing();
        Ok((built, Inferred { column, kind, notes, n_missing, n_unique }))
    }

    fn refuse(&self, column: &str, why: &str) -> Error {
        ErrorKind::File { path: self.name.to_owned(), reason: format!("column `{column}` {why}") }.into()
    }

    fn read_groups(
        &self,
        j: usize,
        column: &str,
        descriptor: &ColumnDescriptor,
        read: &mut ColumnRead,
    ) -> Result<()> {
        for group in 0..self.reader.num_row_groups() {
            let reader = self.reader.get_row_group(group).and_then(|g| g.get_column_reader(j));
            let reader = reader.map_err(|e| broken(self.name, &e))?;
            self.read_group(column, descriptor, reader, read)?;
        }
        Ok(())
    }

    fn read_group(
        &self,
        column: &str,
        descriptor: &ColumnDescriptor,
        reader: ColumnReader,
        read: &mut ColumnRead,
    ) -> Result<()> {
        let ColumnRead { values, rounded, as_texts } = read;
        let nullable = descriptor.max_def_level() > 0;
        let meaning = Meaning::of(descriptor);
        let scale = meaning.scale();
        let result = match reader {
            ColumnReader::BoolColumnReader(r) => {
                each(r, nullable, |v: Option<&bool>| booleans(values).push(v.copied()))
            }
            ColumnReader::Int32ColumnReader(r) => {
                let number = |v: &i32| if meaning.unsigned { f64::from(*v as u32) } else { f64::from(*v) };
                each(r, nullable, |v| numbers(values).push(v.map_or(f64::NAN, number) / scale))
            }
            ColumnReader::Int64ColumnReader(r) => {
                let whole = |v: &i64| if meaning.unsigned { i128::from(*v as u64) } else { i128::from(*v) };
                each(r, nullable, |v| match v.map(whole) {
                    v if *as_texts => {
                        push_text(values, v.map(|v| v.to_string()).as_deref().map(str::as_bytes));
                    }
                    Some(v) => {
                        if scale == 1.0 && rounded.is_none() && !is_exact(v) {
                            *rounded = Some(v);
                        }
                        numbers(values).push(v as f64 / scale);
                    }
                    None => numbers(values).push(f64::NAN),
                })
            }
            ColumnReader::FloatColumnReader(r) => {
                each(r, nullable, |v| numbers(values).push(v.map_or(f64::NAN, |v| f64::from(*v))))
            }
            ColumnReader::DoubleColumnReader(r) => {
                each(r, nullable, |v| numbers(values).push(v.copied().unwrap_or(f64::NAN)))
            }
            ColumnReader::Int96ColumnReader(r) => each(r, nullable, |v: Option<&Int96>| {
                numbers(values).push(v.map_or(f64::NAN, |v| v.to_nanos() as f64 / 1e9))
            }),
            ColumnReader::ByteArrayColumnReader(r) if meaning.decimal => {
                each(r, nullable, |v: Option<&ByteArray>| {
                    numbers(values).push(v.map_or(f64::NAN, |v| big_endian(v.data())) / scale)
                })
            }
            ColumnReader::FixedLenByteArrayColumnReader(r) if meaning.decimal => {
                each(r, nullable, |v: Option<&FixedLenByteArray>| {
                    numbers(values).push(v.map_or(f64::NAN, |v| big_endian(v.data())) / scale)
                })
            }
            ColumnReader::ByteArrayColumnReader(r) => {
                let mut valid = true;
                let done = each(r, nullable, |v: Option<&ByteArray>| {
                    valid &= push_text(values, v.map(ByteArray::data))
                });
                if !valid {
                    return Err(self.refuse(column, "holds bytes that are not UTF-8 text"));
                }
                done
            }
            ColumnReader::FixedLenByteArrayColumnReader(_) => {
                return Err(self.refuse(column, "holds bytes of a fixed length, which have no meaning here"));
            }
        };
        result.map_err(|e| broken(self.name, &e))
    }
}

/// Hands every value, or null, to `push`.
fn each<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    nullable: bool,
    mut push: impl FnMut(Option<&T::T>),
) -> std::result::Result<(), ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    loop {
        levels.clear();
        values.clear();
        let wanted = if nullable { Some(&mut levels) } else { None };
        let (n_records, _, _) = reader.read_records(BATCH, wanted, None, &mut values)?;
        if n_records == 0 {
            return Ok(());
        }
        if !nullable {
            values.iter().for_each(|v| push(Some(v)));
            continue;
        }
        let mut next = values.iter();
        levels.iter().for_each(|&level| push(if level > 0 { next.next() } else { None }));
    }
}

fn numbers(values: &mut Option<Values>) -> &mut Vec<f64> {
    match values.get_or_insert_with(|| Values::Numbers(Vec::new())) {
        Values::Numbers(v) => v,
        // A column has one physical type in all row groups, which the reader checks.
        _ => unreachable!("the physical type of a column does not change"),
    }
}

fn booleans(values: &mut Option<Values>) -> &mut Vec<Option<bool>> {
    match values.get_or_insert_with(|| Values::Booleans(Vec::new())) {
        Values::Booleans(v) => v,
        _ => unreachable!("the physical type of a column does not change"),
    }
}

/// Takes a text; false when it is not UTF-8.
fn push_text(values: &mut Option<Values>, text: Option<&[u8]>) -> bool {
    let texts = values.get_or_insert_with(|| Values::Texts(Vec::new(), Interner::default()));
    let Values::Texts(codes, levels) = texts else { return false };
    let Some(text) = text else {
        codes.push(MISSING_CODE);
        return true;
    };
    let (code, new) = levels.code(text);
    codes.push(code);
    !new || std::str::from_utf8(text).is_ok()
}

/// A signed big-endian integer of any length.
fn big_endian(bytes: &[u8]) -> f64 {
    let negative = bytes.first().is_some_and(|b| b & 0x80 != 0);
    let flip = if negative { 0xff } else { 0 };
    let magnitude = bytes.iter().fold(0.0, |sum, b| sum * 256.0 + f64::from(b ^ flip));
    if negative { -(magnitude + 1.0) } else { magnitude }
}

/// What integers of a column stand for.
struct Meaning {
    unsigned: bool,
    decimal: bool,
    /// Units in one: of seconds, or of ten to the scale of a decimal.
    units: f64,
}

impl Meaning {
    fn of(descriptor: &ColumnDescriptor) -> Self {
        let per_second = |unit: &TimeUnit| match unit {
            TimeUnit::MILLIS => 1e3,
            TimeUnit::MICROS => 1e6,
            TimeUnit::NANOS => 1e9,
        };
        let mut meaning = Self { unsigned: false, decimal: false, units: 1.0 };
        match (descriptor.logical_type_ref(), descriptor.converted_type()) {
            (Some(LogicalType::Integer(integer)), _) => meaning.unsigned = !integer.is_signed,
            (Some(LogicalType::Time(time)), _) => meaning.units = per_second(&time.unit),
            (Some(LogicalType::Timestamp(stamp)), _) => meaning.units = per_second(&stamp.unit),
            (Some(LogicalType::Decimal(_)), _) | (None, ConvertedType::DECIMAL) => {
                meaning.decimal = true;
                meaning.units = 10f64.powi(descriptor.type_scale());
            }
            (None, ConvertedType::TIME_MILLIS | ConvertedType::TIMESTAMP_MILLIS) => meaning.units = 1e3,
            (None, ConvertedType::TIME_MICROS | ConvertedType::TIMESTAMP_MICROS) => meaning.units = 1e6,
            (
                None,
                ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64,
            ) => {
                meaning.unsigned = true;
            }
            _ => {}
        }
        meaning
    }

    fn scale(&self) -> f64 {
        self.units
    }
}
