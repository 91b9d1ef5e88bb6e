//! Tables read by Mercer, as Python objects.

use crate::run;
use mercer::data::CsvOptions;
use mercer::{Column, Session};
use numpy::PyArray1;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Reads a file or a bundled data set into a dict of columns: numbers as float64 arrays, which take over the memory
/// that was read, everything else as arrays of objects with `None` where a value is missing.
#[pyfunction]
pub(crate) fn read<'py>(py: Python<'py>, source: String) -> PyResult<Bound<'py, PyDict>> {
    let loaded = run::detached(py, &Session::default(), false, |session| {
        session.run(|| mercer::data::read(&source, &CsvOptions::default()))
    })?;
    let notes = loaded.inferred.iter().flat_map(|one| one.notes.iter().map(move |note| (&one.column, note)));
    for (column, note) in notes {
        let message = format!("column `{column}`: {note}");
        py.import("warnings")?.call_method1("warn", (message, py.get_type::<PyUserWarning>(), 2))?;
    }
    let dict = PyDict::new(py);
    for (name, column) in loaded.table.into_columns() {
        match Arc::try_unwrap(column).unwrap_or_else(|shared| (*shared).clone()) {
            Column::Numeric(values) => dict.set_item(name, PyArray1::from_vec(py, values.into_owned()))?,
            // The least number is what NumPy calls NaT.
            Column::Time(values) => {
                let times = PyArray1::from_vec(py, values.into_owned());
                dict.set_item(name, times.call_method1("view", ("datetime64[us]",))?)?;
            }
            other @ (Column::Categorical { .. } | Column::Boolean(_) | Column::Text(_)) => {
                let texts: Vec<Option<String>> =
                    (0..other.len()).map(|i| other.text(i).map(|t| t.into_owned())).collect();
                dict.set_item(name, py.import("numpy")?.call_method1("array", (texts, "object"))?)?;
            }
        }
    }
    Ok(dict)
}
