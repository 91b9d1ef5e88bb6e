//! Topics: their words, and how likely they make documents.

use crate::data::Held;
use crate::errors::{bad, raise};
use crate::model::PyModel;
use crate::output::{matrix, vector};
use crate::run;
use mercer::measure::Coherence;
use mercer::{Asked, FoundTopics, Input, NumbersRef, ParamType, Value, bayes, measure};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

type Found<'py> =
    (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Vec<String>);

/// Shares of words (topics × words), sizes, the prior of documents, and the words.
#[pyfunction]
pub(crate) fn topics<'py>(py: Python<'py>, model: &PyModel) -> PyResult<Found<'py>> {
    let FoundTopics { shares, sizes, prior, words } = model.inner().topics().map_err(raise)?;
    Ok((matrix(py, shares)?, vector(py, sizes), vector(py, prior), words))
}

/// A lower bound on the log likelihood of each row.
#[pyfunction]
pub(crate) fn topic_bounds<'py>(
    py: Python<'py>,
    model: &PyModel,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let found = asked(py, model, x, 0, |asked| asked.log_bounds())?;
    Ok(vector(py, found))
}

/// The log likelihood of the words of second halves of documents, and how many there are.
#[pyfunction]
pub(crate) fn document_completion(
    py: Python<'_>,
    model: &PyModel,
    x: &Bound<'_, PyAny>,
) -> PyResult<(f64, f64)> {
    asked(py, model, x, 0, |asked| {
        let (topics, rows) = (asked.topics()?, asked.input().rows("document_completion")?);
        let numbers = rows.numbers("document_completion")?;
        let found = bayes::document_completion(&topics, numbers.view(), &run::SESSION)?;
        Ok((found.log_likelihood, found.words))
    })
}

/// Left-to-right estimates of the log likelihoods of rows.
#[pyfunction]
pub(crate) fn left_to_right<'py>(
    py: Python<'py>,
    model: &PyModel,
    x: &Bound<'py, PyAny>,
    particles: usize,
    seed: u64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let session = run::session(seed, 0);
    let found = asked(py, model, x, seed, |asked| {
        let (topics, rows) = (asked.topics()?, asked.input().rows("left_to_right")?);
        let numbers = rows.numbers("left_to_right")?;
        bayes::left_to_right(&topics, numbers.view(), particles, &session)
    })?;
    Ok(vector(py, found))
}

/// The coherence of topics, given by the columns of their top words.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "lists of Python become vectors")]
pub(crate) fn coherence<'py>(
    py: Python<'py>,
    tops: Vec<Vec<usize>>,
    x: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let measure = Coherence::from_value(&Value::Text(name.to_owned())).map_err(bad)?;
    let held = Held::of(x)?;
    let found = run::detached(py, &run::SESSION, false, |_| {
        let input = held.input()?;
        let numbers = input.rows("coherence")?.numbers("coherence")?;
        match numbers.view() {
            NumbersRef::Sparse(x) => measure::coherence(x, &tops, measure),
            NumbersRef::Dense(x) => {
                measure::coherence(mercer::math::Csr::from_dense(x).view(), &tops, measure)
            }
        }
    })?;
    Ok(vector(py, found))
}

/// What a model answers of rows.
pub(crate) fn asked<T: Send>(
    py: Python<'_>,
    model: &PyModel,
    x: &Bound<'_, PyAny>,
    seed: u64,
    ask: impl Fn(&Asked<'_>) -> mercer::Result<T> + Send + Sync,
) -> PyResult<T> {
    let (held, model) = (Held::of(x)?, model.inner());
    run::detached(py, &run::session(seed, 0), false, |session| {
        let input: Input<'_> = held.input()?;
        session.run(|| ask(&model.on(&input, session)?))
    })
}
