//! The report of a fitted model, built as the command line builds it.

use crate::data::HeldData;
use crate::model::PyModel;
use crate::run;
use mercer::{Input, RowData};
use mercer_report::{Evaluation, ProfiledTable, ReportBuilder};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Rows, and their target and weights where there are any, prepared.
type Rows<'py> = (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

/// Writes the report of a model and its JSON twin. `words` are the title, the name of the data, and the call that is told.
#[pyfunction]
pub(crate) fn report<'py>(
    py: Python<'py>,
    model: &PyModel,
    data: Option<Rows<'py>>,
    path: PathBuf,
    words: (Option<String>, String, String),
    session: (u64, usize),
) -> PyResult<()> {
    let held = data.map(|(x, y, weights)| HeldData::of(&x, y.as_ref(), weights.as_ref())).transpose()?;
    let (model, (title, source, command)) = (model.inner(), words);
    let build = |session: &mercer::Session| {
        let data = held.as_ref().map(HeldData::dataset).transpose()?;
        let table = match data.as_ref().map(|d| d.whole_input()) {
            // Sparse rows are not made dense for the sake of their profile.
            Some(Input::Rows(rows)) if !matches!(rows.data(), RowData::Sparse(_)) => Some(rows.table()?),
            _ => None,
        };
        let profile = table.as_ref().map(mercer::data::profile).unwrap_or_default();
        let table =
            table.as_ref().map(|table| ProfiledTable { table, profile: &profile, features: table.names() });
        let (title, source, command) = (title.as_deref(), source.as_str(), command.as_str());
        let builder = ReportBuilder { title, source, command, table, session };
        builder.of_model(model, data.as_ref(), Evaluation::GivenRows, None)?.save(&path).map(drop)
    };
    run::detached(py, &run::session(session.0, session.1), false, |session| session.run(|| build(session)))
}
