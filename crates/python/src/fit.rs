//! Fitting.

use crate::data::HeldData;
use crate::errors::raise;
use crate::model::PyModel;
use crate::run;
use crate::values;
use mercer::measure::Split;
use mercer::{Learner, Session};
use pyo3::prelude::*;
use pyo3::types::PyDict;

pub(crate) fn learner(name: &str, params: &Bound<'_, PyDict>) -> PyResult<Box<dyn Learner>> {
    mercer::catalogue();
    let entry = mercer::core::catalogue::find(name).map_err(raise)?;
    let object = values::object((entry.declaration)(), params)?;
    entry.make(&object).map_err(raise)
}

/// What the learner with these parameters can do, and its task.
#[pyfunction]
pub(crate) fn capabilities(name: &str, params: &Bound<'_, PyDict>) -> PyResult<(Vec<&'static str>, String)> {
    let learner = learner(name, params)?;
    Ok((learner.capabilities().names(), format!("{:?}", learner.task())))
}

/// Learns, and transforms the rows learnt from: out of fold for transformers that cross-fit.
#[pyfunction]
#[pyo3(signature = (name, params, x, y=None, weights=None, *, seed=0, threads=0, verbose=false, dtype=None))]
#[expect(clippy::too_many_arguments, reason = "called from one place, by keyword")]
pub(crate) fn fit_transform<'py>(
    py: Python<'py>,
    name: &str,
    params: &Bound<'py, PyDict>,
    x: &Bound<'py, PyAny>,
    y: Option<&Bound<'py, PyAny>>,
    weights: Option<&Bound<'py, PyAny>>,
    seed: u64,
    threads: usize,
    verbose: bool,
    dtype: Option<String>,
) -> PyResult<(PyModel, Bound<'py, PyAny>)> {
    let learner = learner(name, params)?;
    let data = HeldData::of(x, y, weights)?;
    let session = run::session(seed, threads);
    let (model, rows) =
        run::detached(py, &session, verbose, |session| learner.train_transform(&data.dataset()?, session))?;
    Ok((PyModel::new(model, dtype), crate::output::rows(py, rows)?))
}

/// Learns: a learner's name and parameters, prepared data (see `data.rs`), and what belongs to the session.
#[pyfunction]
#[pyo3(signature = (name, params, x, y=None, weights=None, *, seed=0, threads=0, verbose=false, dtype=None, groups=None, start=None, folds=None))]
#[expect(clippy::too_many_arguments, reason = "called from one place, by keyword")]
pub(crate) fn fit(
    py: Python<'_>,
    name: &str,
    params: &Bound<'_, PyDict>,
    x: &Bound<'_, PyAny>,
    y: Option<&Bound<'_, PyAny>>,
    weights: Option<&Bound<'_, PyAny>>,
    seed: u64,
    threads: usize,
    verbose: bool,
    dtype: Option<String>,
    groups: Option<&Bound<'_, PyAny>>,
    start: Option<Vec<f64>>,
    folds: Option<Vec<(Vec<usize>, Vec<usize>)>>,
) -> PyResult<PyModel> {
    let learner = learner(name, params)?;
    let data = HeldData::of(x, y, weights)?.with_groups(groups)?;
    let session = run::session(seed, threads);
    let session = start.into_iter().fold(session, Session::with_start);
    let folds: Option<Vec<Split>> =
        folds.map(|folds| folds.into_iter().map(|(train, test)| Split { train, test }).collect());
    if let Some(folds) = folds {
        let model = run::detached(py, &session, verbose, |session| {
            mercer::linear::fit_net_on(learner.as_ref(), &data.dataset()?, &folds, session)
        })?;
        return Ok(PyModel::new(model, dtype));
    }
    let model = match data.x.failure() {
        Some(failure) => {
            let fitted = run::in_place(|| learner.train(&data.dataset()?, &session));
            fitted.map_err(|error| failure.take().unwrap_or(error))?
        }
        None => run::detached(py, &session, verbose, |session| learner.train(&data.dataset()?, session))?,
    };
    Ok(PyModel::new(model, dtype))
}

/// Goes on learning from a batch where a model stands, or begins.
#[pyfunction]
#[pyo3(signature = (name, params, x, y=None, weights=None, *, model=None, seed=0, threads=0, verbose=false, dtype=None))]
#[expect(clippy::too_many_arguments, reason = "called from one place, by keyword")]
pub(crate) fn fit_more(
    py: Python<'_>,
    name: &str,
    params: &Bound<'_, PyDict>,
    x: &Bound<'_, PyAny>,
    y: Option<&Bound<'_, PyAny>>,
    weights: Option<&Bound<'_, PyAny>>,
    model: Option<Py<PyModel>>,
    seed: u64,
    threads: usize,
    verbose: bool,
    dtype: Option<String>,
) -> PyResult<PyModel> {
    let learner = learner(name, params)?;
    let data = HeldData::of(x, y, weights)?;
    let session = run::session(seed, threads);
    let known = model.as_ref().map(Py::get);
    let inner = known.map(PyModel::inner);
    let made =
        run::detached(py, &session, verbose, |session| learner.train_more(inner, &data.dataset()?, session))?;
    Ok(match known {
        Some(known) => known.alike(made),
        None => PyModel::new(made, dtype),
    })
}
