//! Tables to Parquet.

use crate::csv::file_error;
use mercer_core::{Column, Error, ErrorKind, Result, Table};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use std::io::Write;
use std::sync::Arc;

/// Rows in one row group.
const GROUP_ROWS: usize = 1 << 18;

/// Writes a table as Parquet (Snappy, dictionaries): numbers as DOUBLE, truth values as BOOLEAN, categories and
/// text as UTF-8; missing values are null.
///
/// # Example
/// ```
/// use mercer_core::{Column, Table};
/// let table = Table::new(vec![("x".into(), Column::numbers(vec![1.5, f64::NAN]))])?;
/// let mut bytes = Vec::new();
/// mercer_data::write_parquet(&table, &mut bytes)?;
/// let back = mercer_data::read_parquet_bytes("memory", bytes, 1000)?.table;
/// assert!(back.column("x")?.is_missing(1));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn write_parquet(table: &Table<'_>, mut sink: impl Write + Send) -> Result<()> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let schema = schema(table).map_err(error)?;
    let mut writer = SerializedFileWriter::new(&mut sink, schema, Arc::new(properties)).map_err(error)?;
    for start in (0..table.n_rows()).step_by(GROUP_ROWS) {
        let rows = start..(start + GROUP_ROWS).min(table.n_rows());
        write_group(&mut writer, table, rows).map_err(error)?;
    }
    writer.close().map_err(error)?;
    sink.flush().map_err(|e| file_error("Parquet output", &e))
}

fn error(error: ParquetError) -> Error {
    ErrorKind::File { path: "Parquet output".to_owned(), reason: error.to_string() }.into()
}

fn schema(table: &Table<'_>) -> std::result::Result<TypePtr, ParquetError> {
    let field = |(name, column): (&str, &Arc<Column<'_>>)| {
        let (physical, logical) = match &**column {
            Column::Numeric(_) => (Physical::DOUBLE, None),
            Column::Boolean(_) => (Physical::BOOLEAN, None),
            Column::Categorical { .. } | Column::Text(_) | Column::Time(_) => {
                (Physical::BYTE_ARRAY, Some(LogicalType::String))
            }
        };
        let field = Type::primitive_type_builder(name, physical).with_logical_type(logical);
        field.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    };
    let fields = table.iter().map(field).collect::<std::result::Result<Vec<_>, _>>()?;
    Type::group_type_builder("schema").with_fields(fields).build().map(Arc::new)
}

fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    table: &Table<'_>,
    rows: std::ops::Range<usize>,
) -> std::result::Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for column in table.columns() {
        let Some(mut sink) = group.next_column()? else { break };
        let levels: Vec<i16> = rows.clone().map(|i| i16::from(!column.is_missing(i))).collect();
        let present = rows.clone().filter(|&i| !column.is_missing(i));
        match (sink.untyped(), &**column) {
            (ColumnWriter::DoubleColumnWriter(sink), Column::Numeric(v)) => {
                let values: Vec<f64> = present.map(|i| v[i]).collect();
                sink.write_batch(&values, Some(&levels), None)?;
            }
            (ColumnWriter::BoolColumnWriter(sink), Column::Boolean(v)) => {
                let values: Vec<bool> = present.filter_map(|i| v[i]).collect();
                sink.write_batch(&values, Some(&levels), None)?;
            }
            (ColumnWriter::ByteArrayColumnWriter(sink), column) => {
                let text = |i| column.text(i).map(|t| ByteArray::from(t.as_ref()));
                let values: Vec<ByteArray> = present.filter_map(text).collect();
                sink.write_batch(&values, Some(&levels), None)?;
            }
            _ => {}
        }
        sink.close()?;
    }
    group.close().map(drop)
}
