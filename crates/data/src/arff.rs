//! ARFF, the format of Weka: a header that declares the attributes, then rows, dense or sparse.

use crate::columns::{Cell, ColumnsByName};
use crate::compression;
use crate::csv::{CsvOptions, parse_error};
use crate::infer::Loaded;
use mercer_core::{ColumnKind, Result};
use std::path::Path;

/// What an attribute is declared to be.
enum Kind {
    Number,
    Text,
    Nominal(Vec<String>),
    Date,
}

/// Reads an ARFF file, also `.gz` or `.zst`.
///
/// # Errors
/// With file and line: what cannot be read, values that are not declared, rows of the wrong length.
pub fn read_arff(path: impl AsRef<Path>, options: &CsvOptions) -> Result<Loaded> {
    let path = path.as_ref();
    read_arff_bytes(&path.display().to_string(), &compression::read_all(path)?, options)
}

/// Reads ARFF from memory.
///
/// # Example
/// ```
/// let text = b"@relation r\n@attribute a numeric\n@attribute 'k l' {x, y}\n@data\n1,x\n?,y\n{0 3}\n";
/// let loaded = mercer_data::read_arff_bytes("example", text, &Default::default())?;
/// assert_eq!(loaded.table.column("k l")?.text(2).as_deref(), Some("x"));
/// assert!(loaded.table.column("a")?.is_missing(1));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn read_arff_bytes(name: &str, bytes: &[u8], options: &CsvOptions) -> Result<Loaded> {
    let text = std::str::from_utf8(bytes).map_err(|e| parse_error(name, 1, 0, format!("not UTF-8: {e}")))?;
    let (mut attributes, mut columns, mut in_data) = (Vec::<Kind>::new(), ColumnsByName::default(), false);
    let mut kinds = options.kinds.clone();
    for (i, line) in text.lines().enumerate() {
        let wrong = |why: String| parse_error(name, i as u64 + 1, 1, why);
        let line = line.trim();
        if line.is_empty() || line.starts_with('%') {
            continue;
        }
        if in_data {
            row(line, &attributes, &mut columns).map_err(wrong)?;
            continue;
        }
        let (word, rest) = line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()));
        match word.to_ascii_lowercase().as_str() {
            "@relation" => {}
            "@data" => in_data = true,
            "@attribute" => {
                let (label, kind) = attribute(rest.trim()).map_err(wrong)?;
                if columns.declare(&label) != attributes.len() {
                    return Err(wrong(format!("the attribute `{label}` is declared twice")));
                }
                let wanted = match kind {
                    Kind::Number => ColumnKind::Numeric,
                    Kind::Nominal(_) => ColumnKind::Categorical,
                    Kind::Text => ColumnKind::Text,
                    Kind::Date => ColumnKind::Time,
                };
                kinds.entry(label).or_insert(wanted);
                attributes.push(kind);
            }
            other => return Err(wrong(format!("`{other}` is none of @relation, @attribute, @data"))),
        }
    }
    if !in_data {
        return Err(parse_error(name, 1, 1, "there is no @data"));
    }
    columns.finish(options.max_levels, &kinds)
}

fn attribute(text: &str) -> Result<(String, Kind), String> {
    let (name, rest) = word(text)?;
    let rest = rest.trim();
    let kind = match rest.to_ascii_lowercase().as_str() {
        "numeric" | "real" | "integer" => Kind::Number,
        "string" => Kind::Text,
        lower if lower.starts_with("date") => Kind::Date,
        _ if rest.starts_with('{') && rest.ends_with('}') => Kind::Nominal(fields(&rest[1..rest.len() - 1])?),
        _ => return Err(format!("`{rest}` is no type of attribute that can be read")),
    };
    Ok((name, kind))
}

/// A word, perhaps quoted, and what follows it.
fn word(text: &str) -> Result<(String, &str), String> {
    match text.chars().next() {
        Some(quote @ ('\'' | '"')) => {
            let mut out = String::new();
            let mut escaped = false;
            for (at, c) in text.char_indices().skip(1) {
                match c {
                    _ if escaped => {
                        out.push(c);
                        escaped = false;
                    }
                    '\\' => escaped = true,
                    c if c == quote => return Ok((out, &text[at + 1..])),
                    c => out.push(c),
                }
            }
            Err("a quote is never closed".to_owned())
        }
        Some(_) => {
            let end = text.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(text.len());
            Ok((text[..end].to_owned(), &text[end..]))
        }
        None => Err("a name is missing".to_owned()),
    }
}

/// Fields between commas, each perhaps quoted.
fn fields(text: &str) -> Result<Vec<String>, String> {
    let (mut out, mut rest) = (Vec::new(), text.trim());
    loop {
        if rest.starts_with(['\'', '"']) {
            let (field, after) = word(rest)?;
            out.push(field);
            rest = after.trim_start();
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            out.push(rest[..end].trim().to_owned());
            rest = &rest[end..];
        }
        match rest.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None if rest.is_empty() => return Ok(out),
            None => return Err(format!("a comma is missing before `{rest}`")),
        }
    }
}

fn row(line: &str, attributes: &[Kind], columns: &mut ColumnsByName) -> Result<(), String> {
    if let Some(inner) = line.strip_prefix('{').and_then(|l| l.strip_suffix('}')) {
        let mut given: Vec<Option<String>> = vec![None; attributes.len()];
        for pair in fields(inner)?.into_iter().filter(|p| !p.is_empty()) {
            let (at, value) = pair
                .split_once(char::is_whitespace)
                .ok_or_else(|| format!("`{pair}` is no place and value"))?;
            let at: usize = at.parse().map_err(|_| format!("`{at}` is no place"))?;
            let slot = given.get_mut(at).ok_or_else(|| format!("there is no attribute {at}"))?;
            *slot = Some(value.trim().trim_matches(['\'', '"']).to_owned());
        }
        for (j, kind) in attributes.iter().enumerate() {
            // What a sparse row leaves out is zero, or the first of the nominal values.
            let cell = match (&given[j], kind) {
                (Some(value), kind) => cell(value, kind)?,
                (None, Kind::Number) => Cell::Number(0.0),
                (None, Kind::Nominal(values)) => {
                    values.first().map_or(Cell::Missing, |v| Cell::Text(v.clone()))
                }
                (None, _) => Cell::Missing,
            };
            columns.put(j, cell);
        }
        columns.end_row();
        return Ok(());
    }
    let values = fields(line)?;
    if values.len() != attributes.len() {
        return Err(format!("{} values for {} attributes", values.len(), attributes.len()));
    }
    for (j, (value, kind)) in values.iter().zip(attributes).enumerate() {
        columns.put(j, cell(value, kind)?);
    }
    columns.end_row();
    Ok(())
}

fn cell(value: &str, kind: &Kind) -> Result<Cell, String> {
    if value == "?" {
        return Ok(Cell::Missing);
    }
    match kind {
        Kind::Number => value.parse().map(Cell::Number).map_err(|_| format!("`{value}` is no number")),
        Kind::Nominal(values) if !values.iter().any(|v| v == value) => {
            Err(format!("`{value}` is none of the declared values"))
        }
        Kind::Date if mercer_core::parse_time(value).is_none() => Err(format!("`{value}` is no ISO date")),
        _ => Ok(Cell::Text(value.to_owned())),
    }
}
