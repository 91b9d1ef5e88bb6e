//! Columns from values that arrive one by one: what readers of self-describing formats share.

use crate::csv::{Merged, intern::Interner};
use crate::infer::{Inferred, Loaded, count_distinct, identifiers_note};
use mercer_core::{Column, ColumnKind, MISSING_CODE, Result, Table};
use std::collections::HashMap;

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Missing,
    Number(f64),
    /// A whole number that `f64` cannot hold.
    Whole(i128),
    Truth(bool),
    Text(String),
}

/// A column as it grows.
#[derive(Debug, Default)]
struct Growing {
    name: String,
    cells: Vec<Cell>,
}

/// Columns by name, in order of their first appearance; rows may leave some out.
#[derive(Debug, Default)]
pub(crate) struct ColumnsByName {
    columns: Vec<Growing>,
    place: HashMap<String, usize>,
    n_rows: usize,
}

impl ColumnsByName {
    /// A column that is there whether or not a row has it.
    pub(crate) fn declare(&mut self, name: &str) -> usize {
        if let Some(&at) = self.place.get(name) {
            return at;
        }
        let at = self.columns.len();
        self.place.insert(name.to_owned(), at);
        self.columns.push(Growing { name: name.to_owned(), cells: Vec::new() });
        at
    }

    /// Puts a value into the current row.
    pub(crate) fn put(&mut self, column: usize, cell: Cell) {
        let cells = &mut self.columns[column].cells;
        cells.resize(self.n_rows, Cell::Missing);
        cells.push(cell);
    }

    /// Ends the current row.
    pub(crate) fn end_row(&mut self) {
        self.n_rows += 1;
    }

    /// The table, and what was decided for each column.
    pub(crate) fn finish(self, max_levels: usize, kinds: &HashMap<String, ColumnKind>) -> Result<Loaded> {
        let (mut columns, mut inferred) = (Vec::new(), Vec::new());
        for mut growing in self.columns {
            growing.cells.resize(self.n_rows, Cell::Missing);
            let forced = kinds.get(&growing.name).copied();
            let (column, note) = column(growing, max_levels, forced);
            columns.push((note.column.clone(), column));
            inferred.push(note);
        }
        Ok(Loaded { table: Table::new(columns)?, inferred })
    }
}

fn column(growing: Growing, max_levels: usize, forced: Option<ColumnKind>) -> (Column<'static>, Inferred) {
    let Growing { name, cells } = growing;
    let all = |f: fn(&Cell) -> bool| cells.iter().all(|c| *c == Cell::Missing || f(c));
    let n_missing = cells.iter().filter(|c| **c == Cell::Missing).count();
    let wants = |kind: ColumnKind| forced.is_none_or(|f| f == kind);
    let keys = all(|c| matches!(c, Cell::Whole(_)) || matches!(c, Cell::Number(v) if v.fract() == 0.0));
    let first_key = cells.iter().find_map(|c| if let Cell::Whole(n) = c { Some(*n) } else { None });
    let first_key = first_key.filter(|_| keys && forced.is_none());
    if first_key.is_none()
        && wants(ColumnKind::Numeric)
        && all(|c| matches!(c, Cell::Number(_) | Cell::Whole(_)))
    {
        let number = |c: &Cell| match c {
            Cell::Number(v) => *v,
            Cell::Whole(n) => *n as f64,
            Cell::Missing | Cell::Truth(_) | Cell::Text(_) => f64::NAN,
        };
        let values: Vec<f64> = cells.iter().map(number).collect();
        let n_unique = count_distinct(&values, max_levels);
        let kind = ColumnKind::Numeric;
        return (
            Column::numbers(values),
            Inferred { column: name, kind, notes: Vec::new(), n_missing, n_unique },
        );
    }
    if wants(ColumnKind::Boolean) && all(|c| matches!(c, Cell::Truth(_))) {
        let truth = |c: &Cell| if let Cell::Truth(b) = c { Some(*b) } else { None };
        let values: Vec<Option<bool>> = cells.iter().map(truth).collect();
        let kind = ColumnKind::Boolean;
        let note = Inferred { column: name, kind, notes: Vec::new(), n_missing, n_unique: Some(2) };
        return (Column::Boolean(values.into()), note);
    }
    let mut notes = Vec::new();
    let mixed = cells.iter().any(|c| matches!(c, Cell::Number(_) | Cell::Truth(_)));
    if let Some(first) = first_key {
        notes.push(identifiers_note(&format!("`{first}`")));
    } else if mixed && forced.is_none() {
        notes.push("numbers, truths and texts are mixed: all are taken as texts".to_owned());
    }
    let mut levels = Interner::default();
    let code = |cell: &Cell| match cell {
        Cell::Missing => MISSING_CODE,
        Cell::Number(v) => levels.code(v.to_string().as_bytes()).0,
        Cell::Whole(n) => levels.code(n.to_string().as_bytes()).0,
        Cell::Truth(b) => levels.code(if *b { b"true" } else { b"false" }).0,
        Cell::Text(t) => levels.code(t.as_bytes()).0,
    };
    let codes = cells.iter().map(code).collect();
    let merged = Merged::single(codes, levels);
    let stats = merged.stats();
    let kind = forced.filter(|k| *k != ColumnKind::Numeric).unwrap_or_else(|| stats.kind(max_levels));
    let n_unique = stats.n_unique;
    (merged.column(kind), Inferred { column: name, kind, notes, n_missing, n_unique })
}
