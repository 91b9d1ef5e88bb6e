//! Pieces into columns: joins numbers, merges dictionaries, decides kinds and says why.

use super::build::{Builder, Reading};
use super::facts::NumberFacts;
use super::merged::Merged;
use super::{CsvHead, CsvOptions, Piece, lex, number, parse_error};
use crate::infer::{Inferred, Loaded, TextStats, count_distinct, identifiers_note, is_time, parse_bool};
use mercer_core::{Column, ColumnKind, Result, Table};
use rayon::prelude::*;

/// Builds the table from pieces read by the head's guess; columns that are not what they were taken for are read again.
pub(super) fn assemble(
    head: &CsvHead,
    options: &CsvOptions,
    mut pieces: Vec<Piece>,
    read: impl Fn(&[Reading]) -> Result<Vec<Piece>>,
    bytes: &[u8],
    line: impl Fn(usize) -> u64 + Sync,
) -> Result<Loaded> {
    let mut facts = facts(head, &pieces, bytes);
    loop {
        let again = turns(head, options, facts.iter(), |place| line(place as usize))?;
        if again.iter().all(|&reading| reading == Reading::Skip) {
            break;
        }
        for (piece, reread) in pieces.iter_mut().zip(read(&again)?) {
            for (builder, new) in piece.builders.iter_mut().zip(reread.builders) {
                if !matches!(new, Builder::Skip) {
                    *builder = new;
                }
            }
        }
        facts = self::facts(head, &pieces, bytes);
    }
    let columns = transpose(pieces, head.names.len());
    let build = |(j, (parts, facts)): (usize, (Vec<Part>, NumberFacts))| {
        column(head, options, j, parts, &facts, &line)
    };
    let built: Vec<_> = columns.into_par_iter().zip(facts).enumerate().map(build).collect();
    let (mut inferred, mut named) = (Vec::new(), Vec::new());
    for (name, result) in head.names.iter().zip(built) {
        let (column, note) = result?;
        named.push((name.clone(), column));
        inferred.push(note);
    }
    Ok(Loaded { table: Table::new(named)?, inferred })
}

/// What the pieces say of each column that was read as numbers; places are offsets.
pub(super) fn facts(head: &CsvHead, pieces: &[Piece], bytes: &[u8]) -> Vec<NumberFacts> {
    let one = |j: usize| {
        let mut facts = NumberFacts::default();
        for piece in pieces {
            if let Builder::Numbers(numbers) = &piece.builders[j] {
                let field = |at: usize| field_at(bytes, piece.start + at, head);
                facts.absorb(numbers, |at| (piece.start + at) as u64, field);
            }
        }
        facts
    };
    (0..head.names.len()).into_par_iter().map(one).collect()
}

/// How to read the columns that are not what they were taken for; an error where the user said numeric.
pub(super) fn turns<'a>(
    head: &CsvHead,
    options: &CsvOptions,
    facts: impl Iterator<Item = &'a NumberFacts>,
    line: impl Fn(u64) -> u64,
) -> Result<Vec<Reading>> {
    let one = |(j, facts): (usize, &NumberFacts)| {
        let forced = options.forced(&head.names[j]).is_some();
        match (facts.turn(forced, head.commas), &facts.bad) {
            (Some(Reading::Texts), Some((place, field))) if forced => {
                let reason = format!("`{}` of `{}` is no number", shorten(field), head.names[j]);
                Err(parse_error(&head.source, line(*place), j as u64 + 1, reason))
            }
            (turn, _) => Ok(turn.unwrap_or(Reading::Skip)),
        }
    };
    facts.enumerate().map(one).collect()
}

/// The field at `offset` as it stands; empty where the bytes are not at hand.
pub(super) fn field_at(bytes: &[u8], offset: usize, head: &CsvHead) -> Vec<u8> {
    if offset >= bytes.len() {
        return Vec::new();
    }
    lex::field(bytes, offset, head.delimiter).map(|f| f.value.into_owned()).unwrap_or_default()
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
    facts: &NumberFacts,
    line: &impl Fn(usize) -> u64,
) -> Result<(Column<'static>, Inferred)> {
    let forced = options.forced(&head.names[j]);
    let is_text = parts.iter().any(|(_, b)| matches!(b, Builder::Strings(_)))
        || (parts.is_empty() && forced.is_some_and(|k| k != ColumnKind::Numeric));
    if !is_text {
        return Ok(numbers(head, options, j, parts, facts, line));
    }
    let merged = Merged::new(parts.into_iter().filter_map(|(start, part)| match part {
        Builder::Strings(strings) => Some((start, strings)),
        _ => None,
    }));
    let stats = merged.stats_with(|level| head.is_number(level));
    let kind = forced.unwrap_or_else(|| stats.kind(options.max_levels));
    let odd = |odd: &dyn Fn(&[u8]) -> bool| {
        merged.first_odd(odd).map(|(at, level)| (line(at), shorten(merged.levels.get(level))))
    };
    let mut notes = Vec::new();
    if forced.is_none() {
        let rounded = odd(&number::is_rounded).filter(|_| stats.likely_numeric());
        let odd =
            if stats.nearly_numeric() || stats.commas { odd(&|level| !head.is_number(level)) } else { None };
        notes.extend(text_note(&stats, rounded, odd));
    }
    let unfit = match kind {
        ColumnKind::Boolean => {
            odd(&|level| parse_bool(level).is_none()).map(|o| (o, "neither true nor false"))
        }
        ColumnKind::Time => odd(&|level| !is_time(level)).map(|o| (o, "no date or time")),
        ColumnKind::Numeric | ColumnKind::Categorical | ColumnKind::Text => None,
    };
    if let Some(((line, value), what)) = unfit {
        let reason = format!("`{value}` of `{}` is {what}", head.names[j]);
        return Err(parse_error(&head.source, line, j as u64 + 1, reason));
    }
    let column = merged.column(kind);
    let (n_missing, n_unique) = (stats.n_missing, stats.n_unique);
    Ok((column, Inferred { column: head.names[j].clone(), kind, notes, n_missing, n_unique }))
}

/// The note about a column of texts that are numbers, all or most of them: `rounded` is the line and value of the first
/// whole number that cannot be held, `odd` that of the first text which is no number.
pub(super) fn text_note(
    stats: &TextStats,
    rounded: Option<(u64, String)>,
    odd: Option<(u64, String)>,
) -> Option<String> {
    match (rounded, odd) {
        (Some((line, value)), _) if stats.likely_numeric() => {
            Some(identifiers_note(&format!("`{value}` on line {line}")))
        }
        (_, Some((line, value))) if stats.commas => Some(format!(
            "numbers with commas, such as `{value}` on line {line}, are texts unless the decimal sign is said to be a comma"
        )),
        (_, Some((line, value))) if stats.nearly_numeric() => {
            let (n_numeric, present) = (stats.n_numeric, stats.n_rows - stats.n_missing);
            Some(format!(
                "{n_numeric} of {present} values are numbers; the first that is not: `{value}` on line {line}"
            ))
        }
        _ => None,
    }
}

fn numbers(
    head: &CsvHead,
    options: &CsvOptions,
    j: usize,
    parts: Vec<Part>,
    facts: &NumberFacts,
    line: &impl Fn(usize) -> u64,
) -> (Column<'static>, Inferred) {
    let values = |part: Part| match part.1 {
        Builder::Numbers(numbers) => Some(numbers.values),
        _ => None,
    };
    let parts: Vec<Vec<f64>> = parts.into_iter().filter_map(values).collect();
    let values = match <[Vec<f64>; 1]>::try_from(parts) {
        Ok([only]) => only,
        Err(parts) => parts.concat(),
    };
    let inferred = Inferred {
        column: head.names[j].clone(),
        kind: ColumnKind::Numeric,
        notes: facts.notes(options.decimal.is_none(), |place| line(place as usize)),
        n_missing: facts.n_missing,
        n_unique: count_distinct(&values, options.max_levels),
    };
    (Column::numbers(values), inferred)
}
