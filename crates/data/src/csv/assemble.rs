//! Pieces into columns: joins numbers, merges dictionaries, decides kinds and says why.

use super::build::Builder;
use super::merged::Merged;
use super::{CsvHead, CsvOptions, Piece, lex, number, parse_error};
use crate::infer::{Inferred, Loaded, count_distinct, is_time, parse_bool};
use mercer_core::{Column, ColumnKind, Result, Table};
use rayon::prelude::*;

/// Builds the table from pieces read by the head's guess; columns that are not numeric after all are read again.
pub(super) fn assemble(
    head: &CsvHead,
    options: &CsvOptions,
    mut pieces: Vec<Piece>,
    read: impl Fn(&[Option<bool>]) -> Result<Vec<Piece>>,
    bytes: &[u8],
    line: impl Fn(usize) -> u64 + Sync,
) -> Result<Loaded> {
    let again = wrongly_numeric(head, options, &pieces, bytes, &line)?;
    if again.iter().any(Option::is_some) {
        for (piece, reread) in pieces.iter_mut().zip(read(&again)?) {
            for (builder, new) in piece.builders.iter_mut().zip(reread.builders) {
                if !matches!(new, Builder::Skip) {
                    *builder = new;
                }
            }
        }
    }
    let columns = transpose(pieces, head.names.len());
    let build = |(j, parts): (usize, Vec<Part>)| column(head, options, j, parts, &line);
    let built: Vec<_> = columns.into_par_iter().enumerate().map(build).collect();
    let (mut inferred, mut named) = (Vec::new(), Vec::new());
    for (name, result) in head.names.iter().zip(built) {
        let (column, note) = result?;
        named.push((name.clone(), column));
        inferred.push(note);
    }
    Ok(Loaded { table: Table::new(named)?, inferred })
}

/// Columns guessed numeric with a field that is no number: `Some(false)`; an error where the user said numeric.
fn wrongly_numeric(
    head: &CsvHead,
    options: &CsvOptions,
    pieces: &[Piece],
    bytes: &[u8],
    line: &impl Fn(usize) -> u64,
) -> Result<Vec<Option<bool>>> {
    let mut again = vec![None; head.names.len()];
    for piece in pieces {
        for (j, builder) in piece.builders.iter().enumerate() {
            let Builder::Numbers(numbers) = builder else { continue };
            let Some(bad) = numbers.bad else { continue };
            if options.kinds.contains_key(&head.names[j]) {
                let at = piece.start + bad;
                let reason = format!("`{}` of `{}` is no number", show(bytes, at, head), head.names[j]);
                return Err(parse_error(&head.source, line(at), j as u64 + 1, reason));
            }
            again[j] = Some(false);
        }
    }
    Ok(again)
}

/// The field at `offset` as it stands, shortened.
fn show(bytes: &[u8], offset: usize, head: &CsvHead) -> String {
    let value = lex::field(bytes, offset, head.delimiter).map(|f| f.value).unwrap_or_default();
    shorten(&value)
}

/// At most 40 characters of a value, for a message.
pub(super) fn shorten(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    if text.chars().count() <= 40 {
        return text.into_owned();
    }
    text.chars().take(39).chain(['…']).collect()
}

/// One builder with the place of its piece.
type Part = (usize, Builder);

fn transpose(pieces: Vec<Piece>, n_columns: usize) -> Vec<Vec<Part>> {
    let mut columns: Vec<Vec<Part>> = (0..n_columns).map(|_| Vec::with_capacity(pieces.len())).collect();
    for piece in pieces {
        for (column, builder) in columns.iter_mut().zip(piece.builders) {
            column.push((piece.start, builder));
        }
    }
    columns
}

fn column(
    head: &CsvHead,
    options: &CsvOptions,
    j: usize,
    parts: Vec<Part>,
    line: &impl Fn(usize) -> u64,
) -> Result<(Column<'static>, Inferred)> {
    let forced = options.kinds.get(&head.names[j]).copied();
    let is_text = parts.iter().any(|(_, b)| matches!(b, Builder::Strings(_)))
        || (parts.is_empty() && forced.is_some_and(|k| k != ColumnKind::Numeric));
    if !is_text {
        return Ok(numbers(head, options, j, parts));
    }
    let merged = Merged::new(parts.into_iter().filter_map(|(start, part)| match part {
        Builder::Strings(strings) => Some((start, strings)),
        _ => None,
    }));
    let stats = merged.stats();
    let kind = forced.unwrap_or_else(|| stats.kind(options.max_levels));
    let mut notes = Vec::new();
    if forced.is_none() && stats.nearly_numeric() {
        let (at, level) = merged.first_odd(|level| number::parse_number(level).is_none());
        let value = shorten(merged.levels.get(level));
        let present = stats.n_rows - stats.n_missing;
        notes.push(almost_numeric(stats.n_numeric, present, &value, line(at)));
    }
    if kind == ColumnKind::Boolean && !stats.boolean {
        let (at, level) = merged.first_odd(|level| parse_bool(level).is_none());
        let value = shorten(merged.levels.get(level));
        let reason = format!("`{value}` of `{}` is neither true nor false", head.names[j]);
        return Err(parse_error(&head.source, line(at), j as u64 + 1, reason));
    }
    if kind == ColumnKind::Time && !stats.time {
        let (at, level) = merged.first_odd(|level| !is_time(level));
        let value = shorten(merged.levels.get(level));
        let reason = format!("`{value}` of `{}` is no date or time", head.names[j]);
        return Err(parse_error(&head.source, line(at), j as u64 + 1, reason));
    }
    let column = merged.column(kind);
    let (n_missing, n_unique) = (stats.n_missing, stats.n_unique);
    Ok((column, Inferred { column: head.names[j].clone(), kind, notes, n_missing, n_unique }))
}

/// The note about a column that a few fields keep from being numeric.
pub(super) fn almost_numeric(n_numeric: usize, present: usize, value: &str, line: u64) -> String {
    format!("{n_numeric} of {present} values are numbers; the first that is not: `{value}` on line {line}")
}

/// The note about a numeric column, if any.
pub(super) fn numeric_notes(leading_zeros: bool, n_rows: usize, n_missing: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if n_rows > 0 && n_missing == n_rows {
        notes.push("every value is missing".to_owned());
    }
    if leading_zeros {
        notes.push(
            "numbers with leading zeros: an identifier? Read it as categorical to keep them".to_owned(),
        );
    }
    notes
}

fn numbers(head: &CsvHead, options: &CsvOptions, j: usize, parts: Vec<Part>) -> (Column<'static>, Inferred) {
    let mut leading_zeros = false;
    let mut values = |part: Part| match part.1 {
        Builder::Numbers(numbers) => {
            leading_zeros |= numbers.leading_zeros;
            Some(numbers.values)
        }
        _ => None,
    };
    let parts: Vec<Vec<f64>> = parts.into_iter().filter_map(&mut values).collect();
    let values = match <[Vec<f64>; 1]>::try_from(parts) {
        Ok([only]) => only,
        Err(parts) => parts.concat(),
    };
    let n_missing = values.iter().filter(|v| v.is_nan()).count();
    let inferred = Inferred {
        column: head.names[j].clone(),
        kind: ColumnKind::Numeric,
        notes: numeric_notes(leading_zeros, values.len(), n_missing),
        n_missing,
        n_unique: count_distinct(&values, options.max_levels),
    };
    (Column::numbers(values), inferred)
}
