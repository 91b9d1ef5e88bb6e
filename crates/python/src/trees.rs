//! The trees of fitted models: text, rules, JSON, drawings, paths and leaves.

use crate::data::{Held, HeldData};
use crate::errors::raise;
use crate::inspect::{Given, on_rows};
use crate::model::PyModel;
use crate::output::{matrix, vector};
use crate::run;
use mercer::trees::{Outline, Picture, TreesView};
use mercer_plot::{Chart, TreeChart};
use mercer_report::charts::tree_chart;
use numpy::PyArrayMethods;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

type Answer<'py> = PyResult<Bound<'py, PyAny>>;

fn view(model: &PyModel) -> PyResult<TreesView<'_>> {
    TreesView::of(model.inner()).map_err(raise)
}

fn outline(model: &PyModel, tree: usize, names: Option<Vec<String>>) -> PyResult<Outline> {
    let view = view(model)?;
    names.map_or_else(|| view.outline(tree), |names| view.outline_as(tree, &names)).map_err(raise)
}

/// Number of trees.
#[pyfunction]
pub(crate) fn n_trees(model: &PyModel) -> PyResult<usize> {
    Ok(view(model)?.n_trees())
}

/// A tree as indented text.
#[pyfunction]
#[pyo3(signature = (model, tree, names=None))]
pub(crate) fn tree_text(model: &PyModel, tree: usize, names: Option<Vec<String>>) -> PyResult<String> {
    Ok(outline(model, tree, names)?.to_text())
}

/// A tree as rules, one for each leaf.
#[pyfunction]
#[pyo3(signature = (model, tree, names=None))]
pub(crate) fn tree_rules(model: &PyModel, tree: usize, names: Option<Vec<String>>) -> PyResult<Vec<String>> {
    Ok(outline(model, tree, names)?.to_rules())
}

/// A tree as JSON.
#[pyfunction]
#[pyo3(signature = (model, tree, names=None))]
pub(crate) fn tree_json(model: &PyModel, tree: usize, names: Option<Vec<String>>) -> PyResult<String> {
    Ok(outline(model, tree, names)?.to_json())
}

/// A tree as SVG; with `data`, `(x, y, weights)`, its nodes have histograms of them.
#[pyfunction]
#[pyo3(signature = (model, tree, names, data, title, max_depth))]
pub(crate) fn draw_tree<'py>(
    py: Python<'py>,
    model: &PyModel,
    tree: usize,
    names: Option<Vec<String>>,
    data: Option<Given<'py>>,
    title: String,
    max_depth: usize,
) -> PyResult<String> {
    let outline = outline(model, tree, names)?;
    let view = view(model)?;
    let picture = match data {
        Some((x, y, weights)) => {
            let held = HeldData::of(&x, Some(&y), weights.as_ref())?;
            run::detached(py, &run::SESSION, false, |session| {
                Picture::of(&view, (tree, &outline), &held.dataset()?, session)
            })?
        }
        None => Picture::bare(&outline, view.schema()),
    };
    let description = format!("A decision tree of {} nodes.", outline.nodes.len());
    run::in_place(|| Ok(TreeChart { title, description, max_depth, ..tree_chart(picture) }.to_svg()))
}

/// The leaf of every row in every tree: rows × trees.
#[pyfunction]
pub(crate) fn leaves<'py>(
    py: Python<'py>,
    model: &PyModel,
    x: &Bound<'py, PyAny>,
    threads: usize,
) -> Answer<'py> {
    let view = view(model)?;
    let found = on_rows(py, x, threads, |input, session| view.leaves(input, session))?;
    let trees = view.n_trees();
    let shape = [found.len() / trees.max(1), trees];
    Ok(vector(py, found.into_iter().map(i64::from).collect()).reshape(shape)?.into_any())
}

/// Which nodes each row comes by, in all trees side by side: the pointers and indices of a sparse matrix of ones, and
/// where each tree begins among the columns.
#[pyfunction]
pub(crate) fn tree_paths<'py>(
    py: Python<'py>,
    model: &PyModel,
    x: &Bound<'py, PyAny>,
    threads: usize,
) -> Answer<'py> {
    let view = view(model)?;
    let (starts, paths) = on_rows(py, x, threads, |input, session| {
        let (mut starts, mut paths) = (vec![0], Vec::new());
        for t in 0..view.n_trees() {
            paths.push(mercer::trees::paths(&view, t, input, session)?);
            starts.push(starts[t] + view.outline(t)?.nodes.len() as i64);
        }
        Ok((starts, paths))
    })?;
    let (mut pointers, mut indices) = (vec![0i64], Vec::new());
    for i in 0..paths.first().map_or(0, Vec::len) {
        for (start, rows) in starts.iter().zip(&paths) {
            // Nodes of a path rise, so that the columns are sorted.
            indices.extend(rows[i].iter().map(|&at| start + at as i64));
        }
        pointers.push(indices.len() as i64);
    }
    (vector(py, pointers), vector(py, indices), vector(py, starts)).into_bound_py_any(py)
}

/// For each row of `a` and of `b`, the share of trees in which both end in the same leaf.
#[pyfunction]
pub(crate) fn proximity<'py>(
    py: Python<'py>,
    model: &PyModel,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    threads: usize,
) -> Answer<'py> {
    let (view, other) = (view(model)?, Held::of(b)?);
    let found = on_rows(py, a, threads, |input, session| {
        mercer::trees::proximity(&view, input, &other.input()?, session)
    })?;
    Ok(matrix(py, found)?.into_any())
}
