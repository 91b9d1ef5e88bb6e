//! Tables to CSV.

use super::file_error;
use mercer_core::{Column, Result, Table};
use std::io::Write;

/// Writes a table as CSV with a header: commas, LF, quotes where RFC 4180 needs them, empty where missing.
///
/// Numbers are written so that they read back to the same bits.
///
/// # Example
/// ```
/// use mercer_core::{Column, Table};
/// let table = Table::new(vec![("a, b".into(), Column::numbers(vec![1.5, f64::NAN]))])?;
/// let mut text = Vec::new();
/// mercer_data::write_csv(&table, &mut text)?;
/// assert_eq!(text, b"\"a, b\"\n1.5\n\"\"\n");
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn write_csv(table: &Table<'_>, sink: impl Write) -> Result<()> {
    write_csv_with(table, sink, b',', true)
}

/// Writes a table as CSV with another delimiter, or without the header (to append to a file).
pub fn write_csv_with(table: &Table<'_>, mut sink: impl Write, delimiter: u8, header: bool) -> Result<()> {
    super::check_delimiter(delimiter)?;
    let error = |e: std::io::Error| file_error("CSV output", &e);
    let mut line = Vec::with_capacity(1 << 16);
    if header {
        for (j, name) in table.names().iter().enumerate() {
            separate(&mut line, j, delimiter);
            push_text(&mut line, name, delimiter);
        }
        line.push(b'\n');
    }
    for i in 0..table.n_rows() {
        let start = line.len();
        for (j, column) in table.columns().iter().enumerate() {
            separate(&mut line, j, delimiter);
            push_value(&mut line, column, i, delimiter);
        }
        if line.len() == start {
            // A lone missing value would be a blank line, which readers skip.
            line.extend_from_slice(b"\"\"");
        }
        line.push(b'\n');
        if line.len() > (1 << 16) - 4096 {
            sink.write_all(&line).map_err(error)?;
            line.clear();
        }
    }
    sink.write_all(&line).map_err(error)?;
    sink.flush().map_err(error)
}

fn separate(line: &mut Vec<u8>, j: usize, delimiter: u8) {
    if j > 0 {
        line.push(delimiter);
    }
}

fn push_value(line: &mut Vec<u8>, column: &Column<'_>, i: usize, delimiter: u8) {
    match column {
        // Writing to a vector cannot fail.
        Column::Numeric(values) if !values[i].is_nan() => drop(write!(line, "{}", values[i])),
        Column::Numeric(_) => {}
        Column::Categorical { .. } | Column::Boolean(_) | Column::Text(_) | Column::Time(_) => {
            if let Some(text) = column.text(i) {
                push_text(line, &text, delimiter);
            }
        }
    }
}

fn push_text(line: &mut Vec<u8>, text: &str, delimiter: u8) {
    let special = |b: &u8| *b == delimiter || matches!(b, b'"' | b'\n' | b'\r');
    if !text.as_bytes().iter().any(special) {
        line.extend_from_slice(text.as_bytes());
        return;
    }
    line.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            line.push(b'"');
        }
        line.push(byte);
    }
    line.push(b'"');
}
