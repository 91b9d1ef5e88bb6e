//! Neighbours, densities and draws.

use crate::data::Held;
use crate::model::PyModel;
use crate::output;
use crate::run;
use mercer::Session;
use numpy::PyArray1;
use pyo3::prelude::*;

type Found<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// The neighbours of rows, or without any of the rows learnt from: where those of each begin, their rows, their distances. With
/// `within` up to `radius`, else the `k` nearest; none of both is what the learner was told.
#[pyfunction]
#[pyo3(signature = (model, x, within, k=None, radius=None, threads=0))]
pub(crate) fn neighbours<'py>(
    py: Python<'py>,
    model: &PyModel,
    x: Option<&Bound<'py, PyAny>>,
    within: bool,
    k: Option<usize>,
    radius: Option<f64>,
    threads: usize,
) -> PyResult<Found<'py>> {
    let held = x.map(Held::of).transpose()?;
    let model = model.inner();
    let session = Session::default().with_threads(threads);
    let found = run::detached(py, &session, false, |session| {
        session.run(|| match (&held, within) {
            (Some(held), true) => model.on(&held.input()?, session)?.within(radius),
            (Some(held), false) => model.on(&held.input()?, session)?.nearest(k),
            (None, true) => model.neighbours()?.within(None, radius, session),
            (None, false) => model.neighbours()?.nearest(None, k, session),
        })
    })?;
    let starts = found.starts.iter().map(|&s| s as i64).collect();
    let indices = found.indices.iter().map(|&i| i64::from(i)).collect();
    Ok((output::vector(py, starts), output::vector(py, indices), output::vector(py, found.distances)))
}

/// The logarithm of the density at each row.
#[pyfunction]
pub(crate) fn log_densities<'py>(
    py: Python<'py>,
    model: &PyModel,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (held, model) = (Held::of(x)?, model.inner());
    let logs = run::detached(py, &run::SESSION, false, |session| {
        session.run(|| model.on(&held.input()?, session)?.log_densities())
    })?;
    Ok(output::vector(py, logs))
}

/// Rows drawn from a model.
#[pyfunction]
pub(crate) fn sample<'py>(
    py: Python<'py>,
    model: &PyModel,
    n: usize,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = run::in_place(|| model.inner().sample(n, &Session::new(seed)))?;
    output::rows(py, rows)
}
