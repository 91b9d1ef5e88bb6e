//! Kinds that a person asks for, for tables of formats that bring kinds of their own.

use crate::csv::{CsvOptions, DEFAULT_MISSING, number::parse_number};
use crate::infer::{Inferred, Loaded, parse_bool};
use mercer_core::{Column, ColumnKind, Error, ErrorKind, Result};

/// Refuses options that mean nothing to a format which marks missing values and writes numbers in its own way.
pub(crate) fn refuse_csv_options(source: &str, options: &CsvOptions) -> Result<()> {
    let own = "left alone, since the format marks missing values and writes numbers in its own way";
    if options.missing != DEFAULT_MISSING {
        return Err(Error::param(source, "missing", own, format!("{:?}", options.missing)));
    }
    match options.decimal {
        Some(decimal) => Err(Error::param(source, "decimal", own, format!("`{}`", decimal as char))),
        None => Ok(()),
    }
}

/// The table with columns turned into the kinds that the options ask for.
///
/// # Errors
/// Names of columns that are not there, and the first value that is not of the kind asked for.
pub(crate) fn with_kinds(source: &str, loaded: Loaded, options: &CsvOptions) -> Result<Loaded> {
    let Loaded { mut table, mut inferred } = loaded;
    let mut wanted: Vec<_> = options.kinds.iter().collect();
    wanted.sort_by_key(|(name, _)| name.as_str());
    for (name, &kind) in wanted {
        let column = table.column(name)?;
        if column.kind() == kind {
            continue;
        }
        let column = turned(column, kind).map_err(|row| -> Error {
            let value = format!("`{}`, which is not {kind}", column.text(row).unwrap_or_default());
            let (learner, column) = (source.to_owned(), name.clone());
            ErrorKind::BadValue { learner, value, column, row, hint: String::new() }.into()
        })?;
        let n_missing = column.n_missing();
        let at = table.position(name)?;
        inferred[at] = Inferred {
            column: name.clone(),
            kind,
            notes: Vec::new(),
            n_missing,
            n_unique: inferred[at].n_unique,
        };
        table = table.with(name, column)?;
    }
    Ok(Loaded { table, inferred })
}

/// A column as another kind; the first row that cannot be is the error.
fn turned(column: &Column<'_>, kind: ColumnKind) -> Result<Column<'static>, usize> {
    let texts = || (0..column.len()).map(|i| column.text(i).map(|t| t.into_owned()));
    Ok(match kind {
        ColumnKind::Categorical => Column::categories(&texts().collect::<Vec<_>>()),
        ColumnKind::Text => Column::Text(texts().collect::<Vec<_>>().into()),
        ColumnKind::Time => Column::Time(column.to_times()?.into_owned().into()),
        ColumnKind::Boolean => {
            let truth = |(i, text): (usize, Option<String>)| match text {
                Some(text) => parse_bool(text.as_bytes()).map(Some).ok_or(i),
                None => Ok(None),
            };
            Column::Boolean(texts().enumerate().map(truth).collect::<Result<Vec<_>, _>>()?.into())
        }
        ColumnKind::Numeric => match column.to_numbers() {
            Some(numbers) => Column::numbers(numbers.into_owned()),
            None => {
                let number = |(i, text): (usize, Option<String>)| match text {
                    Some(text) => parse_number(text.as_bytes()).ok_or(i),
                    None => Ok(f64::NAN),
                };
                Column::numbers(texts().enumerate().map(number).collect::<Result<Vec<_>, _>>()?)
            }
        },
    })
}
