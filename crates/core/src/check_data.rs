//! What is checked before a learner or model sees its data.

use crate::abilities::Capabilities;
use crate::contract::Learner;
use crate::data_kinds::{DataKind, Input, RowData, Rows, Series, wrong_kind};
use crate::dataset::Dataset;
use crate::declaration::Task;
use crate::error::{Error, ErrorKind, Result};
use crate::table::Column;
use crate::target::TargetValues;
use mercer_math::MatRef;
use rayon::prelude::*;

/// The data as the learner gets them: of the right kind, with rows and features, with values and targets
/// that its declaration takes. Rows chosen by a view are gathered here, once.
pub(crate) fn ready<'a>(learner: &dyn Learner, data: &Dataset<'a>) -> Result<Dataset<'a>> {
    let (name, can) = (learner.declaration().name, learner.capabilities());
    let (wanted, got) = (learner.kinds().learns_from, data.whole_input().kind());
    if (wanted, got) == (DataKind::Series, DataKind::Rows) && data.n_rows() > 0 {
        return ready(learner, &in_series(name, data)?);
    }
    if wanted != got {
        return Err(wrong_kind(name, wanted, got));
    }
    if data.whole_input().n_units().is_some() && data.n_rows() == 0 {
        return Err(Error::too_few(name, "rows", 1, 0));
    }
    match data.whole_input() {
        Input::Rows(rows) if rows.n_features() == 0 => {
            return Err(Error::too_few(name, "features", 1, 0));
        }
        Input::Rows(_)
        | Input::Strings(_)
        | Input::Density(_)
        | Input::Mdp(_)
        | Input::States(_)
        | Input::Series(_)
        | Input::Graphs(_)
        | Input::Environment(_) => {}
    }
    if let Some(weights) = data.weights() {
        if !can.weights {
            return Err(Error::incapable(name, "take sample weights"));
        }
        if weights.iter().all(|w| *w == 0.0) {
            return Err(Error::too_few(name, "rows of positive weight", 1, 0));
        }
    }
    target(name, learner.task(), &can, data)?;
    if learner.habits().composite {
        return Ok(data.clone());
    }
    let ready = data.with_input(data.input())?;
    let ready = match data.valid() {
        Some(valid) => ready.with_valid(valid.with_input(valid.input())?),
        None => ready,
    };
    values(name, &can, ready.whole_input())?;
    Ok(ready)
}

/// Data whose rows are series of equal length.
fn in_series<'a>(name: &str, data: &Dataset<'a>) -> Result<Dataset<'a>> {
    let own = |data: &Dataset<'a>| data.with_input(Series::from_rows(name, data.input().rows(name)?)?.into());
    match data.valid() {
        Some(valid) => Ok(own(data)?.with_valid(own(valid)?)),
        None => own(data),
    }
}

fn target(name: &str, task: Task, can: &Capabilities, data: &Dataset<'_>) -> Result<()> {
    if !task.has_target() && !can.supervised {
        return Ok(());
    }
    let target = data.need_target(name)?;
    if target.n_columns() > 1 && !can.multi_output {
        return Err(ErrorKind::Kind {
            learner: name.to_owned(),
            takes: "one target".to_owned(),
            got: format!("{} targets", target.n_columns()),
        }
        .into());
    }
    if let (true, Some(labels)) = (can.binary, data.labels())
        && labels.len() != 2
    {
        let (learner, takes) = (name.to_owned(), "two classes".to_owned());
        return Err(ErrorKind::Kind { learner, takes, got: labels.len().to_string() }.into());
    }
    for column in target.columns() {
        let label = column.name.as_deref().unwrap_or("target");
        let bad = |value: String, row| ErrorKind::BadValue {
            learner: name.to_owned(),
            value,
            column: label.to_owned(),
            row,
            hint: String::new(),
        };
        match (&column.values, task, column.kind.labels()) {
            (TargetValues::Numbers(v), task, _) if task != Task::Classification => {
                if let Some(row) = v.iter().position(|v| !v.is_finite()) {
                    return Err(bad(format!("the target {}", v[row]), row).into());
                }
            }
            (TargetValues::Codes(codes), task, Some(labels)) if task != Task::Regression => {
                if let Some(row) = codes.iter().position(|&c| c as usize >= labels.len()) {
                    return Err(bad("a missing class".to_owned(), row).into());
                }
            }
            (_, task, _) => {
                let (takes, got) = match task {
                    Task::Classification => ("classes as its target", "numbers"),
                    Task::Regression
                    | Task::Clustering
                    | Task::Transformation
                    | Task::Sampling
                    | Task::Planning
                    | Task::Composite
                    | Task::Outliers
                    | Task::Neighbours
                    | Task::Densities => ("numbers as its target", "classes"),
                };
                let (learner, takes, got) = (name.to_owned(), takes.to_owned(), got.to_owned());
                return Err(ErrorKind::Kind { learner, takes, got }.into());
            }
        }
    }
    Ok(())
}

/// Refuses values that the learner does not take: infinities always, missing values, categories, text and
/// sparse rows unless it says so. The error names column and row.
pub(crate) fn values(name: &str, can: &Capabilities, input: &Input<'_>) -> Result<()> {
    kinds(name, can, input)?;
    match input {
        Input::Rows(rows) => finite(name, rows, can.missing),
        Input::Series(series) => series.view().finite(name),
        Input::Strings(_)
        | Input::Density(_)
        | Input::Mdp(_)
        | Input::States(_)
        | Input::Graphs(_)
        | Input::Environment(_) => Ok(()),
    }
}

/// Refuses categories, text, times and sparse rows that the learner does not take.
pub(crate) fn kinds(name: &str, can: &Capabilities, input: &Input<'_>) -> Result<()> {
    let rows = match input {
        Input::Rows(rows) => rows,
        Input::Strings(_)
        | Input::Density(_)
        | Input::Mdp(_)
        | Input::States(_)
        | Input::Series(_)
        | Input::Graphs(_)
        | Input::Environment(_) => return Ok(()),
    };
    match rows.data() {
        RowData::Sparse(_) if !can.sparse => Err(ErrorKind::Incapable {
            who: name.to_owned(),
            what: "take sparse rows".to_owned(),
            hint: "; make them dense first".to_owned(),
        }
        .into()),
        RowData::Table(table) => {
            table.iter().try_for_each(|(label, column)| column_kind(name, can, label, column))
        }
        RowData::Sparse(_) | RowData::Dense(_) => Ok(()),
    }
}

/// Refuses infinities, and missing values unless they are taken.
pub(crate) fn finite(name: &str, rows: &Rows<'_>, missing: bool) -> Result<()> {
    let bad = |v: f64| v.is_infinite() || (v.is_nan() && !missing);
    match rows.data() {
        RowData::Dense(m) => {
            let view = m.view();
            // Small inputs are looked at in place: entering a pool would cost more than the look.
            let found = if view.n_rows() * view.n_cols() < 1 << 16 {
                find_bad(view, bad)
            } else {
                let blocks = view.n_rows().div_ceil(4096);
                (0..blocks).into_par_iter().find_map_first(|b| {
                    let rows = view.rows(b * 4096..(b + 1) * 4096);
                    find_bad(rows, bad).map(|(i, j)| (b * 4096 + i, j))
                })
            };
            found.map_or(Ok(()), |(i, j)| Err(bad_value(name, rows, view.get(i, j), i, j)))
        }
        RowData::Sparse(m) => {
            let view = m.view();
            let finite = |values: &[f64]| mercer_math::sum(values).is_finite();
            let clean = match view.nnz() < 1 << 16 {
                true => finite(view.values()),
                false => view.values().par_chunks(1 << 15).all(finite),
            };
            if clean {
                return Ok(());
            }
            let hit = (0..view.n_rows()).find_map(|i| {
                let (columns, values) = view.row(i);
                values.iter().position(|&v| bad(v)).map(|at| (i, columns[at] as usize, values[at]))
            });
            hit.map_or(Ok(()), |(i, j, v)| Err(bad_value(name, rows, v, i, j)))
        }
        RowData::Table(table) => {
            for (j, (_, column)) in table.iter().enumerate() {
                let infinite = match column.as_ref() {
                    Column::Numeric(v) => v.iter().position(|v| v.is_infinite()),
                    Column::Categorical { .. } | Column::Boolean(_) | Column::Text(_) | Column::Time(_) => {
                        None
                    }
                };
                let missing = if missing { None } else { (0..column.len()).find(|&i| column.is_missing(i)) };
                if let Some(i) = infinite.or(missing) {
                    let value = if infinite.is_some() { f64::INFINITY } else { f64::NAN };
                    return Err(bad_value(name, rows, value, i, j));
                }
            }
            Ok(())
        }
    }
}

/// The first bad value. A finite sum proves that all its terms are, and takes a fraction of the time of a look at
/// each; where a sum is not finite, each value is looked at.
fn find_bad(view: MatRef<'_>, bad: impl Fn(f64) -> bool) -> Option<(usize, usize)> {
    let by_columns = view.n_cols() > 0 && !view.has_contiguous_rows() && view.col(0).is_some();
    let clean = |line: Option<&[f64]>| line.is_some_and(|l| mercer_math::sum(l).is_finite());
    if by_columns && (0..view.n_cols()).all(|j| clean(view.col(j))) {
        return None;
    }
    let first = (0..view.n_rows()).find(|&i| !clean(view.row(i)))?;
    view.rows(first..view.n_rows()).find(bad).map(|(i, j)| (first + i, j))
}

fn column_kind(name: &str, can: &Capabilities, label: &str, column: &Column<'_>) -> Result<()> {
    let refused = match column {
        Column::Categorical { .. } => !can.categorical,
        Column::Text(_) => !can.text,
        Column::Time(_) => !can.times,
        Column::Numeric(_) | Column::Boolean(_) => false,
    };
    if !refused {
        return Ok(());
    }
    Err(ErrorKind::Kind {
        learner: name.to_owned(),
        takes: "numbers".to_owned(),
        got: format!(
            "the {} column `{label}`; encode it first (the default preparation does)",
            column.kind()
        ),
    }
    .into())
}

fn bad_value(name: &str, rows: &Rows<'_>, value: f64, row: usize, column: usize) -> Error {
    let (value, hint) = if value.is_nan() {
        ("NaN (a missing value)".to_owned(), "; put SimpleImputer before it (the default preparation does)")
    } else if value > 0.0 {
        ("infinity".to_owned(), "")
    } else {
        ("-infinity".to_owned(), "")
    };
    ErrorKind::BadValue {
        learner: name.to_owned(),
        value,
        column: rows.name(column),
        row,
        hint: hint.to_owned(),
    }
    .into()
}
