//! JSON lines: an object a line, to a table and back.

use crate::columns::{Cell, ColumnsByName};
use crate::compression;
use crate::csv::{CsvOptions, file_error, parse_error};
use crate::infer::{Loaded, is_exact};
use mercer_core::{Column, Error, Result, Table};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

/// Reads a file of JSON lines, also `.gz` or `.zst`. Keys are columns in order of their first appearance; a key that a
/// row lacks, and `null`, are missing values; blank lines are skipped.
///
/// # Errors
/// With file, line and key: what is no object, and values that are lists or objects.
pub fn read_jsonl(path: impl AsRef<Path>, options: &CsvOptions) -> Result<Loaded> {
    let path = path.as_ref();
    read_jsonl_from(&path.display().to_string(), compression::open(path)?, options)
}

/// Reads JSON lines from any stream.
///
/// # Example
/// ```
/// let text = "{\"a\": 1, \"b\": \"x\"}\n{\"a\": null, \"c\": true}\n";
/// let loaded = mercer_data::read_jsonl_from("example", text.as_bytes(), &Default::default())?;
/// assert_eq!(loaded.to_string(), "3 columns: 1 numeric, 1 categorical, 1 boolean (c)");
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn read_jsonl_from(name: &str, source: impl Read, options: &CsvOptions) -> Result<Loaded> {
    let mut columns = ColumnsByName::default();
    for (i, line) in BufReader::new(source).split(b'\n').enumerate() {
        let line = line.map_err(|e| file_error(name, &e))?;
        let number = i as u64 + 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let Row(fields) = serde_json::from_slice(&line)
            .map_err(|e| parse_error(name, number, e.column() as u64, e.to_string()))?;
        for (key, value) in fields {
            let cell = match value {
                Value::Null => Cell::Missing,
                Value::Bool(b) => Cell::Truth(b),
                Value::Number(n) => match n.as_i128() {
                    Some(whole) if !is_exact(whole) => Cell::Whole(whole),
                    _ => Cell::Number(n.as_f64().unwrap_or(f64::NAN)),
                },
                Value::String(s) => Cell::Text(s),
                _ => {
                    return Err(parse_error(name, number, 1, format!("`{key}` is nested; flatten it first")));
                }
            };
            let at = columns.declare(&key);
            columns.put(at, cell);
        }
        columns.end_row();
    }
    columns.finish(options.max_levels, &options.kinds)
}

/// Writes a table as JSON lines; missing values are `null`.
pub fn write_jsonl(table: &Table<'_>, mut out: impl Write) -> Result<()> {
    let broken = |e: std::io::Error| {
        Error::from(mercer_core::ErrorKind::File { path: "JSON lines".to_owned(), reason: e.to_string() })
    };
    for i in 0..table.n_rows() {
        let field = |(name, column): (&str, &std::sync::Arc<Column<'_>>)| {
            format!("{}:{}", Value::String(name.to_owned()), value(column, i))
        };
        let fields: Vec<String> = table.iter().map(field).collect();
        writeln!(out, "{{{}}}", fields.join(",")).map_err(broken)?;
    }
    out.flush().map_err(broken)
}

fn value(column: &Column<'_>, i: usize) -> Value {
    match column {
        Column::Numeric(v) => serde_json::Number::from_f64(v[i]).map_or(Value::Null, Value::Number),
        Column::Boolean(v) => v[i].map_or(Value::Null, Value::Bool),
        other @ (Column::Categorical { .. } | Column::Text(_) | Column::Time(_)) => {
            other.text(i).map_or(Value::Null, |t| Value::String(t.into_owned()))
        }
    }
}

/// The fields of an object in the order in which they are written.
struct Row(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Row;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
                let mut fields: Vec<(String, Value)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if fields.iter().any(|(k, _)| *k == key) {
                        return Err(serde::de::Error::custom(format!("`{key}` is given twice")));
                    }
                    fields.push((key, value));
                }
                Ok(Row(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}
