//! The trees of fitted models: text, rules, JSON, drawings, paths and leaves.

use crate::data::{Held, HeldData};
use crate::errors::{bad, raise};
use crate::inspect::{Given, on_rows};
use crate::model::PyModel;
use crate::output::{matrix, vector};
use crate::run;
use mercer::trees::{DecisionTreeClassifier, DecisionTreeRegressor, Outline, Picture, TreesView};
use mercer::{Error, TreeNode};
use mercer_plot::{Chart, TreeChart};
use mercer_report::charts::tree_chart;
use numpy::PyArrayMethods;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::any::Any;

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

/// The nodes of a tree as arrays by the names that scikit-learn's `tree_` has; `value` is nodes × numbers.
#[pyfunction]
pub(crate) fn tree_arrays<'py>(
    py: Python<'py>,
    model: &PyModel,
    tree: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let nodes = outline(model, tree, None)?.nodes;
    let out = PyDict::new(py);
    let child = |node: &TreeNode, at: usize| node.branches.get(at).map_or(-1, |branch| branch.node as i64);
    let whole = |of: &dyn Fn(&TreeNode) -> i64| vector(py, nodes.iter().map(of).collect());
    let real = |of: &dyn Fn(&TreeNode) -> f64| vector(py, nodes.iter().map(of).collect());
    out.set_item("children_left", whole(&|node| child(node, 0)))?;
    out.set_item("children_right", whole(&|node| child(node, 1)))?;
    out.set_item("feature", whole(&|node| node.feature.map_or(-2, |j| j as i64)))?;
    // A leaf has none, which scikit-learn writes as -2; a set of levels has none, either.
    out.set_item(
        "threshold",
        real(&|node| node.threshold.unwrap_or(if node.feature.is_some() { f64::NAN } else { -2.0 })),
    )?;
    out.set_item("impurity", real(&|node| node.impurity))?;
    out.set_item("n_node_samples", whole(&|node| node.rows.map_or(-1, |rows| rows as i64)))?;
    out.set_item("weighted_n_node_samples", real(&|node| node.weight))?;
    out.set_item("missing_go_to_left", whole(&|node| i64::from(node.missing_first == Some(true))))?;
    let width = nodes.first().map_or(0, |node| node.value.len());
    let value = vector(py, nodes.iter().flat_map(|node| node.value.iter().copied()).collect::<Vec<f64>>());
    out.set_item("value", value.reshape([nodes.len(), width])?)?;
    Ok(out)
}

/// Number of members of an ensemble.
#[pyfunction]
pub(crate) fn n_members(model: &PyModel) -> PyResult<usize> {
    Ok(model.inner().members().map_err(raise)?.0.n_members())
}

/// A member of an ensemble as a model of its own.
#[pyfunction]
pub(crate) fn member(model: &PyModel, at: usize) -> PyResult<PyModel> {
    let (members, whole) = model.inner().members().map_err(raise)?;
    if at >= members.n_members() {
        return Err(bad(format!("there are {} members, not {}", members.n_members(), at + 1)));
    }
    members.member(at, whole).map(|one| model.alike(one)).map_err(raise)
}

/// The models that one is made of, by name: the steps of a pipeline, the estimator that is wrapped.
#[pyfunction]
pub(crate) fn parts(model: &PyModel) -> Vec<(String, PyModel)> {
    let parts = model.inner().parts().into_iter();
    parts.map(|(name, part)| (name.to_owned(), model.alike(part.0.clone_box()))).collect()
}

/// The columns that a member sees; `None` where it sees all.
#[pyfunction]
pub(crate) fn member_columns(model: &PyModel, at: usize) -> PyResult<Option<Vec<usize>>> {
    Ok(model.inner().members().map_err(raise)?.0.columns(at))
}

/// The strengths of cost-complexity pruning at which the tree of these data gets smaller, and the impurity of its leaves there.
#[pyfunction]
pub(crate) fn pruning_path<'py>(
    py: Python<'py>,
    name: &str,
    params: &Bound<'py, PyDict>,
    data: Given<'py>,
    seed: u64,
) -> Answer<'py> {
    let learner = crate::fit::learner(name, params)?;
    let (x, y, weights) = data;
    let held = HeldData::of(&x, Some(&y), weights.as_ref())?;
    let path = run::detached(py, &run::session(seed, 0), false, |session| {
        let (learner, data): (&dyn Any, _) = (learner.as_ref(), held.dataset()?);
        match (
            learner.downcast_ref::<DecisionTreeClassifier>(),
            learner.downcast_ref::<DecisionTreeRegressor>(),
        ) {
            (Some(tree), _) => tree.cost_complexity_pruning_path(&data, session),
            (_, Some(tree)) => tree.cost_complexity_pruning_path(&data, session),
            _ => Err(Error::incapable(name, "be pruned by cost and complexity")),
        }
    })?;
    (vector(py, path.ccp_alphas), vector(py, path.impurities)).into_bound_py_any(py)
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
