//! Series and graphs: their memory, distances of series, kernels of the nodes of a graph.

use crate::data::{Held, slice};
use crate::errors::{bad, raise};
use crate::output::{matrix, vector};
use crate::run;
use mercer::kernels::{
    Band, Kernel, NodeKernel, dtw_matrix, dtw_path, envelope, lower_bound, node_kernel as nodes,
};
use mercer::{Error, ErrorKind, Graph, Series};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;

/// Series of a tuple `("series", starts, values, coordinates)`.
pub(crate) fn series(tuple: &Bound<'_, PyTuple>) -> PyResult<Arc<Series>> {
    let (starts, values) = (slice::<i64>(&tuple.get_item(1)?)?, slice::<f64>(&tuple.get_item(2)?)?);
    let starts = starts.slice().iter().map(|&s| usize::try_from(s).unwrap_or(usize::MAX)).collect();
    let made = Series::new(tuple.get_item(3)?.extract()?, starts, values.slice().to_vec());
    made.map(Arc::new).map_err(raise)
}

/// Graphs of a tuple `("graphs", [(nodes, ends, weights, labels | None, labels of edges | None, directed), …])`.
pub(crate) fn graphs(list: &Bound<'_, PyAny>) -> PyResult<Vec<Graph>> {
    list.try_iter()?.map(|graph| graph_of(graph?.cast::<PyTuple>()?)).collect()
}

fn graph_of(tuple: &Bound<'_, PyTuple>) -> PyResult<Graph> {
    let (ends, weights) = (slice::<i64>(&tuple.get_item(1)?)?, slice::<f64>(&tuple.get_item(2)?)?);
    let place = |v: i64| usize::try_from(v).unwrap_or(usize::MAX);
    let pairs = ends.slice().chunks_exact(2).zip(weights.slice());
    let edges: Vec<_> = pairs.map(|(e, w)| (place(e[0]), place(e[1]), *w)).collect();
    let directed = tuple.get_item(5)?.extract()?;
    let mut graph = Graph::new(tuple.get_item(0)?.extract()?, &edges, directed).map_err(raise)?;
    if let Some(labels) = tuple.get_item(3)?.extract::<Option<Vec<String>>>()? {
        graph = graph.with_labels(labels).map_err(raise)?;
    }
    if let Some(labels) = tuple.get_item(4)?.extract::<Option<Vec<String>>>()? {
        graph = graph.with_edge_labels(labels).map_err(raise)?;
    }
    Ok(graph)
}

fn band(window: Option<f64>, radius: Option<usize>) -> PyResult<Band> {
    match (radius, window) {
        (Some(radius), _) => Ok(Band::Radius(radius)),
        (None, Some(share)) => Band::new(share).map_err(raise),
        (None, None) => Ok(Band::NONE),
    }
}

fn series_of(x: &Bound<'_, PyAny>) -> PyResult<Arc<Series>> {
    match Held::of(x)? {
        Held::Series(series) => {
            series.view().finite("a distance after warping").map_err(raise)?;
            Ok(series)
        }
        _ => Err(bad("not series")),
    }
}

/// The kind of data that a kernel takes; `None` where the text is of no kernel.
#[pyfunction]
pub(crate) fn kernel_kind(text: &str) -> Option<String> {
    Kernel::parse(text).ok().map(|kernel| kernel.data_kind().to_string().to_lowercase())
}

/// The distances after warping of all series of `x` from all of `y`, or from each other.
#[pyfunction]
#[pyo3(signature = (x, y=None, window=None, radius=None, threads=0))]
pub(crate) fn series_distances<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: Option<&Bound<'py, PyAny>>,
    window: Option<f64>,
    radius: Option<usize>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (x, y, band) = (series_of(x)?, y.map(series_of).transpose()?, band(window, radius)?);
    if let Some(y) = y.as_ref().filter(|y| y.view().n_coordinates() != x.view().n_coordinates()) {
        let (own, other) = (x.view().n_coordinates(), y.view().n_coordinates());
        return Err(raise(Error::shape("coordinates of the second series", own, other)));
    }
    let found = run::detached(py, &run::session(0, threads), false, |session| {
        let go_on = || session.step("warping", 0, None, None).is_none();
        let all = session.run(|| dtw_matrix(x.view(), y.as_ref().map(|y| y.view()), band, &go_on));
        all.ok_or_else(|| Error::from(ErrorKind::Cancelled))
    })?;
    matrix(py, found)
}

type Path<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, f64);

/// The best alignment of two series, places in both, and their distance after warping.
#[pyfunction]
#[pyo3(signature = (both, window=None, radius=None))]
pub(crate) fn series_path<'py>(
    py: Python<'py>,
    both: &Bound<'py, PyAny>,
    window: Option<f64>,
    radius: Option<usize>,
) -> PyResult<Path<'py>> {
    let (both, band) = (series_of(both)?, band(window, radius)?);
    let view = both.view();
    let (path, square) = dtw_path(view.get(0), view.get(1), view.n_coordinates(), band);
    let (own, other): (Vec<i64>, Vec<i64>) = path.into_iter().map(|(i, j)| (i as i64, j as i64)).unzip();
    Ok((vector(py, own), vector(py, other), square.sqrt()))
}

/// The envelope of a series of single numbers: the lower and the upper.
#[pyfunction]
pub(crate) fn series_envelope(values: Vec<f64>, radius: usize) -> (Vec<f64>, Vec<f64>) {
    let (upper, lower) = envelope(&values, radius);
    (lower, upper)
}

/// Keogh's lower bound of the distance after warping of a series from one with this envelope.
#[pyfunction]
pub(crate) fn series_bound(values: Vec<f64>, lower: Vec<f64>, upper: Vec<f64>) -> f64 {
    lower_bound(&values, &upper, &lower).sqrt()
}

/// The kernel of each node of a graph with each.
#[pyfunction]
#[pyo3(signature = (graph, kind, value, steps=1, normalised=false))]
pub(crate) fn node_kernel<'py>(
    py: Python<'py>,
    graph: &Bound<'py, PyAny>,
    kind: &str,
    value: f64,
    steps: u32,
    normalised: bool,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let graph = graph_of(graph.cast::<PyTuple>()?)?;
    let kernel = match kind {
        "diffusion" => NodeKernel::Diffusion { beta: value },
        "regularised_laplacian" => NodeKernel::RegularisedLaplacian { beta: value },
        "steps" => NodeKernel::Steps { a: value, steps },
        "commute_time" => NodeKernel::CommuteTime,
        "walks" => NodeKernel::Walks { decay: value },
        other => return Err(bad(format!("unknown kernel of nodes `{other}`"))),
    };
    let found =
        run::detached(py, &run::SESSION, false, |session| session.run(|| nodes(&graph, kernel, normalised)))?;
    matrix(py, found)
}
