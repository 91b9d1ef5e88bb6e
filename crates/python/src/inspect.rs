//! Explanations of fitted models: what columns matter, how a model depends on them, what each adds to a prediction.

use crate::data::{Held, HeldData};
use crate::errors::{bad, raise};
use crate::model::PyModel;
use crate::output::{matrix, vector};
use crate::run;
use mercer::assess::{DependenceOptions, Grid, Response};
use mercer::math::Mat;
use mercer::measure::Metric;
use mercer::{Error, Input, Model, Outputs, Session};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyList;

type Answer<'py> = PyResult<Bound<'py, PyAny>>;
/// Rows, target and weights, prepared.
pub(crate) type Given<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

/// Numbers as an array of any shape.
fn shaped(py: Python<'_>, values: Vec<f64>, shape: Vec<usize>) -> Answer<'_> {
    Ok(PyArray1::from_vec(py, values).reshape(shape)?.into_any())
}

/// The name of the feature at a place.
fn feature(model: &dyn Model, at: usize) -> Result<&str, Error> {
    let features = &model.schema().features;
    let found = features.get(at).map(|f| f.name.as_str());
    found.ok_or_else(|| {
        Error::shape("features, so that there is one at each place asked for", at + 1, features.len())
    })
}

/// What the score loses in each repeat when a column is shuffled: features × repeats.
#[pyfunction]
pub(crate) fn permutation_importance<'py>(
    py: Python<'py>,
    model: &PyModel,
    data: Given<'py>,
    metric: &str,
    repeats: usize,
    session: (u64, usize),
) -> Answer<'py> {
    let (data, model) = (HeldData::of(&data.0, Some(&data.1), data.2.as_ref())?, model.inner());
    let metric = Metric::by_name(metric).map_err(raise)?;
    let mut found = run::detached(py, &run::session(session.0, session.1), false, |session| {
        let data = data.dataset()?;
        session.run(|| mercer::assess::permutation_importance(model, &data, metric, repeats, session))
    })?;
    found.sort_by_key(|one| one.column);
    let shape = vec![found.len(), found.first().map_or(0, |one| one.losses.len())];
    shaped(py, found.into_iter().flat_map(|one| one.losses).collect(), shape)
}

/// The orders in which the rows of a shuffled column stand, one for each repeat: those of `permutation_importance`.
#[pyfunction]
pub(crate) fn shuffles(
    py: Python<'_>,
    n: usize,
    column: usize,
    repeats: usize,
    seed: u64,
) -> Vec<Bound<'_, PyArray1<i64>>> {
    let session = run::session(seed, 0);
    let order = |repeat| mercer::assess::shuffled(n, column, repeat, repeats, &session);
    (0..repeats).map(|r| vector(py, order(r).into_iter().map(|i| i as i64).collect())).collect()
}

/// Where a feature is looked at: numbers, or levels.
fn grid_of(values: &Bound<'_, PyAny>) -> PyResult<Grid> {
    match values.extract::<Vec<f64>>() {
        Ok(numbers) => Ok(Grid::Numbers(numbers)),
        Err(_) => Ok(Grid::Levels(values.extract()?)),
    }
}

fn grid_array<'py>(py: Python<'py>, grid: Grid) -> Answer<'py> {
    match grid {
        Grid::Numbers(numbers) => Ok(vector(py, numbers).into_any()),
        Grid::Levels(levels) => py.import("numpy")?.call_method1("array", (levels, "object")),
    }
}

/// `(grids, means, curves, outputs)` of a partial dependence: means are outputs × combinations, curves outputs × rows ×
/// combinations or None. `how` is `(places, percentiles, response, individual)`.
#[pyfunction]
pub(crate) fn partial_dependence<'py>(
    py: Python<'py>,
    model: &PyModel,
    data: (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>),
    features: Vec<usize>,
    how: (usize, (f64, f64), String, bool),
    chosen: Vec<(usize, Bound<'py, PyAny>)>,
    threads: usize,
) -> Answer<'py> {
    let (data, model) = (HeldData::of(&data.0, None, data.1.as_ref())?, model.inner());
    let name = |at: usize| feature(model, at).map_err(raise);
    let columns = features.iter().map(|&at| name(at)).collect::<PyResult<Vec<&str>>>()?;
    let (places, percentiles, response, individual) = how;
    let response = match response.as_str() {
        "predict_proba" => Response::Probabilities,
        "decision_function" => Response::Decisions,
        _ => Response::Auto,
    };
    let chosen = chosen.iter().map(|(at, grid)| Ok((name(*at)?.to_owned(), grid_of(grid)?)));
    let chosen = chosen.collect::<PyResult<_>>()?;
    let options = DependenceOptions { places, percentiles, chosen, response, individual };
    let found = run::detached(py, &run::session(0, threads), false, |session| {
        let data = data.dataset()?;
        session.run(|| mercer::assess::partial_dependence(model, &data, &columns, &options, session))
    })?;
    let curves = match found.individual.first() {
        Some(first) => {
            let shape = vec![found.individual.len(), first.n_rows(), first.n_cols()];
            Some(shaped(py, found.individual.into_iter().flat_map(Mat::into_vec).collect(), shape)?)
        }
        None => None,
    };
    let grids = found.grids.into_iter().map(|grid| grid_array(py, grid)).collect::<PyResult<Vec<_>>>()?;
    let means = matrix(py, found.mean.view().t().to_mat())?;
    (PyList::new(py, grids)?, means, curves, found.outputs).into_bound_py_any(py)
}

/// `(edges, effects, outputs)` of the accumulated local effects of a feature: effects are outputs × edges.
#[pyfunction]
pub(crate) fn accumulated_effects<'py>(
    py: Python<'py>,
    model: &PyModel,
    data: (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>),
    at: usize,
    bins: usize,
    threads: usize,
) -> Answer<'py> {
    let (data, model) = (HeldData::of(&data.0, None, data.1.as_ref())?, model.inner());
    let found = run::detached(py, &run::session(0, threads), false, |session| {
        let (data, column) = (data.dataset()?, feature(model, at)?);
        session.run(|| mercer::assess::accumulated_effects(model, &data, column, bins, session))
    })?;
    (vector(py, found.edges), matrix(py, found.effects.view().t().to_mat())?, found.outputs)
        .into_bound_py_any(py)
}

/// Work on prepared rows, on another thread.
pub(crate) fn on_rows<T: Send>(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    threads: usize,
    work: impl FnOnce(&Input<'_>, &Session) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let held = Held::of(x)?;
    run::detached(py, &run::session(0, threads), false, |session| {
        let input = held.input()?;
        session.run(|| work(&input, session))
    })
}

/// `(values, base, features, outputs)`: what each feature adds to each output of each row, rows × features × outputs;
/// outputs are "probabilities", "scores" or "numbers".
#[pyfunction]
pub(crate) fn contributions<'py>(
    py: Python<'py>,
    model: &PyModel,
    x: &Bound<'py, PyAny>,
    threads: usize,
) -> Answer<'py> {
    let model = model.inner();
    let found = on_rows(py, x, threads, |input, session| model.contributions(input, session))?;
    let Some(first) = found.values.first() else { return Err(bad("the model has no outputs")) };
    let shape = vec![first.n_rows(), first.n_cols(), found.values.len()];
    let mut values = Vec::with_capacity(shape.iter().product());
    for i in 0..shape[0] {
        (0..shape[1]).for_each(|j| values.extend(found.values.iter().map(|v| v[(i, j)])));
    }
    let outputs = match found.outputs {
        Outputs::Probabilities => "probabilities",
        Outputs::Scores => "scores",
        Outputs::Numbers => "numbers",
        Outputs::Joint => "joint",
    };
    (shaped(py, values, shape)?, vector(py, found.base), found.features, outputs).into_bound_py_any(py)
}

/// How pairs of features act together: rows × features × features × outputs.
#[pyfunction]
pub(crate) fn interactions<'py>(
    py: Python<'py>,
    model: &PyModel,
    x: &Bound<'py, PyAny>,
    threads: usize,
) -> Answer<'py> {
    let model = model.inner();
    let found = on_rows(py, x, threads, |input, session| model.interactions(input, session))?;
    let n = found.first().map_or(0, Vec::len);
    let d = found.first().and_then(|rows| rows.first()).map_or(0, Mat::n_rows);
    let mut values = Vec::with_capacity(n * d * d * found.len());
    for i in 0..n {
        for j in 0..d {
            (0..d).for_each(|l| values.extend(found.iter().map(|rows| rows[i][(j, l)])));
        }
    }
    shaped(py, values, vec![n, d, d, found.len()])
}
