//! How many clusters, bandwidths, and dendrograms.

use crate::data::HeldData;
use crate::errors::{bad, raise};
use crate::fit::learner;
use crate::model::PyModel;
use crate::output::{matrix, vector};
use crate::run;
use crate::topics::asked;
use mercer::assess::{GapReference, KOptions, choose_k as choose, gap_statistic as gap, stability as stable};
use mercer::cluster;
use mercer::core::{Params, Trained};
use mercer::plot::{Chart, Dendrogram};
use mercer::{Dataset, Error, Learner, Session};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

type Whole<'py> = Bound<'py, PyArray1<i64>>;

/// Numbers of clusters, references, whether they are drawn along the features, resamples, their share, and rows at most.
type Options = (Vec<usize>, usize, bool, usize, f64, usize);

fn options((counts, references, by_features, resamples, share, most_rows): Options) -> KOptions {
    let reference = if by_features { GapReference::Features } else { GapReference::Principal };
    KOptions { counts, references, reference, resamples, share, most_rows }
}

/// A learner with its parameters, as Python hands it over.
type What<'py> = (String, Bound<'py, PyDict>);

/// Asks a learner and rows something without the interpreter's lock.
fn ask<T: Send>(
    what: &What<'_>,
    x: &Bound<'_, PyAny>,
    given: Options,
    session: (u64, usize),
    work: impl FnOnce(&dyn Learner, &Dataset<'_>, &KOptions, &Session) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let (learner, data, options) = (learner(&what.0, &what.1)?, HeldData::of(x, None, None)?, options(given));
    run::detached(x.py(), &run::session(session.0, session.1), false, |session| {
        work(learner.as_ref(), &data.dataset()?, &options, session)
    })
}

/// What several criteria say of how many clusters there are.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python hands over")]
pub(crate) fn choose_k<'py>(
    py: Python<'py>,
    what: What<'py>,
    x: &Bound<'py, PyAny>,
    given: Options,
    session: (u64, usize),
) -> PyResult<Bound<'py, PyDict>> {
    let found = ask(&what, x, given, session, choose)?;
    let (out, criteria) = (PyDict::new(py), PyDict::new(py));
    for criterion in &found.criteria {
        let one = (criterion.values.clone(), criterion.errors.clone(), criterion.chosen, criterion.rule);
        criteria.set_item(criterion.name, one)?;
    }
    out.set_item("usual", found.usual().map(|c| c.name))?;
    out.set_item("counts", found.counts)?;
    out.set_item("n_rows", found.n_rows)?;
    out.set_item("criteria", criteria)?;
    out.set_item("left_out", found.left_out)?;
    Ok(out)
}

/// The gap statistic: numbers of clusters, log W, its mean over references, errors, gaps and the choice.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python hands over")]
pub(crate) fn gap_statistic<'py>(
    py: Python<'py>,
    what: What<'py>,
    x: &Bound<'py, PyAny>,
    given: Options,
    session: (u64, usize),
) -> PyResult<Bound<'py, PyDict>> {
    let found = ask(&what, x, given, session, |learner, data, options, session| {
        gap(learner, &data.dense("gap_statistic")?.view().to_mat(), options, session)
    })?;
    let out = PyDict::new(py);
    out.set_item("counts", found.counts)?;
    out.set_item("log_within", found.log_within)?;
    out.set_item("expected", found.expected)?;
    out.set_item("errors", found.errors)?;
    out.set_item("gaps", found.gaps)?;
    out.set_item("chosen", found.chosen)?;
    Ok(out)
}

/// The stability of numbers of clusters: those numbers, scores, means, errors and the choice.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python hands over")]
pub(crate) fn stability<'py>(
    py: Python<'py>,
    what: What<'py>,
    x: &Bound<'py, PyAny>,
    given: Options,
    session: (u64, usize),
) -> PyResult<Bound<'py, PyDict>> {
    let found = ask(&what, x, given, session, stable)?;
    let out = PyDict::new(py);
    out.set_item("counts", found.counts)?;
    out.set_item("scores", found.scores)?;
    out.set_item("means", found.means)?;
    out.set_item("errors", found.errors)?;
    out.set_item("chosen", found.chosen)?;
    Ok(out)
}

#[pyfunction]
pub(crate) fn estimate_bandwidth<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    quantile: f64,
    n_samples: Option<usize>,
    session: (u64, usize),
) -> PyResult<f64> {
    let data = HeldData::of(x, None, None)?;
    run::detached(py, &run::session(session.0, session.1), false, |session| {
        let data = data.dataset()?;
        cluster::estimate_bandwidth(data.dense("estimate_bandwidth")?.view(), quantile, n_samples, session)
    })
}

/// Clusters of an order of rows, and the ends of its valleys; what nothing reached has no row before it.
#[pyfunction]
pub(crate) fn optics_valleys(
    order: (Vec<u32>, Vec<f64>, Vec<Option<u32>>),
    xi: f64,
    sizes: (usize, usize),
    predecessor_correction: bool,
) -> PyResult<(Vec<i32>, Vec<[u32; 2]>)> {
    let (rows, reach, from) = order;
    cluster::optics_valleys(rows, reach, from, xi, sizes, predecessor_correction).map_err(raise)
}

/// The picture of the last mergers of a hierarchy; names are those of the rows.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "lists of Python become vectors")]
pub(crate) fn draw_dendrogram(
    mergers: Vec<(usize, usize)>,
    heights: Vec<f64>,
    cut: Option<f64>,
    names: Option<Vec<String>>,
    most: usize,
    title: String,
) -> PyResult<String> {
    if names.as_ref().is_some_and(|names| names.len() != mergers.len() + 1) {
        return Err(bad("`labels` wants a name for each row"));
    }
    let name = |row: Option<usize>, rows: usize| match (row, &names) {
        (Some(row), Some(names)) => names[row].clone(),
        (Some(row), None) => format!("row {row}"),
        (None, _) => format!("{rows} rows"),
    };
    let description = "The last mergers of the hierarchy, and where it is cut.".to_owned();
    let top = Dendrogram::top(&mergers, &heights, most, name);
    Ok(Dendrogram { title, description, label: "height".to_owned(), cut, ..top }.to_svg())
}

/// The rows at which k-means begins, and which they are.
#[pyfunction]
pub(crate) fn kmeans_plusplus<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    weights: Option<&Bound<'py, PyAny>>,
    counts: (usize, Option<usize>),
    seed: u64,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Whole<'py>)> {
    let data = HeldData::of(x, None, weights)?;
    let (centres, rows) = run::detached(py, &run::session(seed, 0), false, |session| {
        let data = data.dataset()?;
        data.input().rows("kmeans_plusplus")?.refuse_not_finite("kmeans_plusplus")?;
        session.run(|| cluster::kmeans_plusplus(&data, counts.0, counts.1, session))
    })?;
    Ok((matrix(py, centres)?, vector(py, rows.into_iter().map(|i| i as i64).collect())))
}

/// The clusters of new rows by the tree of HDBSCAN, and how strongly they belong to them.
#[pyfunction]
pub(crate) fn approximate_predict<'py>(
    py: Python<'py>,
    model: &PyModel,
    x: &Bound<'py, PyAny>,
) -> PyResult<(Whole<'py>, Bound<'py, PyArray1<f64>>)> {
    let encoded = model.inner().encode().map_err(raise)?;
    if encoded.name != cluster::HDBSCAN::NAME {
        return Err(bad(format!("approximate_predict takes a fitted HDBSCAN, got {}", encoded.name)));
    }
    // Only its type knows of the tree; bytes are the way to it.
    let tree = Trained::<cluster::HDBSCAN>::decode(encoded.version, &encoded.bytes).map_err(raise)?;
    let (labels, strengths) =
        asked(py, model, x, 0, |asked| tree.approximate_predict(asked.input(), &run::SESSION))?;
    Ok((vector(py, labels.into_iter().map(i64::from).collect()), vector(py, strengths)))
}
