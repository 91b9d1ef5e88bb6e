//! The trees of every model of this family as people read them: outlines, pictures, paths and leaves.

pub(crate) mod outline;
pub(crate) mod picture;
mod view;

pub use outline::Outline;
pub use picture::{Picture, PictureBranch, PictureNode};
pub use view::TreesView;

use crate::boost::BoostedTrees;
use crate::cart::classifier::DecisionTreeClassifierModel;
use crate::cart::model_tree::ModelTreeModel;
use crate::cart::regressor::{self, DecisionTreeRegressorModel};
use crate::forest::{ForestClassifierModel, ForestRegressorModel, IsolationForestModel};
use crate::multiway::MultiwayTreeModel;
use crate::read::outline::nodes_in;
use crate::sorted_columns::columns;
use mercer_core::{Input, Result, Schema, Session, TreeNode, Trees};
use mercer_math::Mat;
use rayon::prelude::*;

/// How people read the model of a single tree, which has an `outline` and its `tree`.
macro_rules! reads_as_tree {
    ($model:ty, $owner:expr) => {
        impl $model {
            /// The tree as indented text.
            pub fn to_text(&self, schema: &mercer_core::Schema) -> String {
                self.outline(schema).to_text()
            }

            /// The tree as rules, one for each leaf.
            pub fn to_rules(&self, schema: &mercer_core::Schema) -> Vec<String> {
                self.outline(schema).to_rules()
            }

            /// The tree as JSON: nodes with feature, test, branches, value, weight and impurity.
            pub fn to_json(&self, schema: &mercer_core::Schema) -> String {
                self.outline(schema).to_json()
            }

            /// The conditions that led to the leaf of one row of the input.
            pub fn decision_path(
                &self,
                input: &mercer_core::Input<'_>,
                schema: &mercer_core::Schema,
                row: usize,
            ) -> mercer_core::Result<Vec<String>> {
                let path = self.tree.path_of($owner, input, schema, row)?;
                Ok(self.outline(schema).conditions(&path))
            }

            /// The tree with histograms of these rows, for a drawing.
            pub fn picture(
                &self,
                data: &mercer_core::Dataset<'_>,
                schema: &mercer_core::Schema,
            ) -> mercer_core::Result<$crate::Picture> {
                let path = |value: &dyn Fn(usize) -> f64| self.tree.path(value).collect();
                $crate::Picture::draw(&self.outline(schema), data, schema, path)
            }
        }
    };
}
pub(crate) use reads_as_tree;

/// The nodes of a tree that each row comes by, from the root on.
pub fn paths(
    view: &TreesView<'_>,
    t: usize,
    input: &Input<'_>,
    session: &Session,
) -> Result<Vec<Vec<usize>>> {
    let input = view.prepared(input, session)?;
    let rows = input.rows("a tree")?;
    let table = columns("a tree", rows)?;
    let path = |i: usize| view.path(t, &|j| table[j].number(i));
    session.run(|| (0..rows.n_rows()).into_par_iter().map(path).collect())
}

/// For each row of `a` and of `b`, the share of trees in which both end in the same leaf.
pub fn proximity(view: &TreesView<'_>, a: &Input<'_>, b: &Input<'_>, session: &Session) -> Result<Mat> {
    Ok(shared_leaves(&view.leaves(a, session)?, &view.leaves(b, session)?, view.n_trees()))
}

/// The share of trees in which rows of two lists of leaves, rows × trees, are in the same one.
pub(crate) fn shared_leaves(a: &[u32], b: &[u32], trees: usize) -> Mat {
    let trees = trees.max(1);
    let (a, b): (Vec<&[u32]>, Vec<&[u32]>) = (a.chunks(trees).collect(), b.chunks(trees).collect());
    let row = |a: &&[u32]| {
        let share = |b: &&[u32]| a.iter().zip(*b).filter(|(a, b)| a == b).count() as f64 / trees as f64;
        b.iter().map(share).collect::<Vec<f64>>()
    };
    let shares: Vec<Vec<f64>> = a.par_iter().map(row).collect();
    Mat::from_fn(a.len(), b.len(), |i, j| shares[i][j])
}

macro_rules! single_tree {
    ($model:ty) => {
        impl Trees for $model {
            fn n_trees(&self) -> usize {
                1
            }

            fn nodes(&self, _: usize, schema: &Schema) -> Vec<TreeNode> {
                self.outline(schema).nodes
            }

            fn path(&self, _: usize, value: &dyn Fn(usize) -> f64) -> Vec<usize> {
                self.tree.path(value).collect()
            }

            fn leaves(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>> {
                self.tree.apply(input, session)
            }
        }
    };
}

single_tree!(DecisionTreeClassifierModel);
single_tree!(DecisionTreeRegressorModel);
single_tree!(ModelTreeModel);

impl Trees for MultiwayTreeModel {
    fn n_trees(&self) -> usize {
        1
    }

    fn nodes(&self, _: usize, schema: &Schema) -> Vec<TreeNode> {
        self.outline(schema).nodes
    }

    fn path(&self, _: usize, value: &dyn Fn(usize) -> f64) -> Vec<usize> {
        self.tree.path(value)
    }

    /// The last node of the path, which is no leaf where a value is missing or unknown.
    fn leaves(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>> {
        let rows = input.rows("a tree")?;
        let table = columns("a tree", rows)?;
        let last = |i: usize| self.tree.path(|j| table[j].number(i)).last().map_or(0, |&at| at as u32);
        Ok(session.run(|| (0..rows.n_rows()).into_par_iter().map(last).collect()))
    }
}

macro_rules! packed {
    ($model:ty, $trees:ident => $packed:expr, $conclusion:expr) => {
        impl Trees for $model {
            fn n_trees(&self) -> usize {
                let $trees = self;
                $packed.n_trees()
            }

            fn nodes(&self, t: usize, schema: &Schema) -> Vec<TreeNode> {
                let $trees = self;
                nodes_in($packed, t, schema, &|value| $conclusion(self, schema, t, value))
            }

            fn path(&self, t: usize, value: &dyn Fn(usize) -> f64) -> Vec<usize> {
                let $trees = self;
                $packed.path_by(t, value)
            }

            fn leaves(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>> {
                let $trees = self;
                $packed.apply(input, session)
            }
        }
    };
}

packed!(ForestClassifierModel, model => model.trees(), |model: &ForestClassifierModel, _, _, value: &[f64]| {
    model.conclusion(value)
});
packed!(ForestRegressorModel, model => model.trees(), |_, _, _, value: &[f64]| regressor::conclusion(value));
packed!(IsolationForestModel, model => model.trees(), |_, _, _, value: &[f64]| {
    format!("depth {}", regressor::conclusion(value))
});
packed!(BoostedTrees, model => &model.trees, added);

/// What a leaf adds to a score: of three classes or more, or of several targets, to that of one.
fn added(_: &BoostedTrees, schema: &Schema, t: usize, value: &[f64]) -> String {
    let adds = format!("{:+.6}", value.first().copied().unwrap_or(f64::NAN));
    let names = &schema.targets;
    match schema.labels() {
        Some(labels) if labels.len() > 2 => format!("{adds} to class {}", labels[t % labels.len()]),
        None if names.len() > 1 => {
            let k = t % names.len();
            let name = names[k].name.clone().unwrap_or_else(|| format!("target {k}"));
            format!("{adds} to {name}")
        }
        _ => adds,
    }
}
