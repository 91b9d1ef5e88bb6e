//! Decision trees: their nodes, and the ways of rows through them. How they are shown is not core's to know.

use crate::asked::Asked;
use crate::contract::Model;
use crate::data_kinds::Input;
use crate::error::Result;
use crate::nested::NestedModel;
use crate::schema::Schema;
use crate::session::Session;
use serde::Serialize;

/// A model that is made of decision trees.
pub trait Trees: Send + Sync {
    /// Number of trees.
    fn n_trees(&self) -> usize;

    /// The nodes of tree `t`, which there is, the root first; names are those of the schema.
    fn nodes(&self, t: usize, schema: &Schema) -> Vec<TreeNode>;

    /// The nodes of tree `t`, which there is, that a row whose feature `j` is `value(j)` comes by, from the root on.
    fn path(&self, t: usize, value: &dyn Fn(usize) -> f64) -> Vec<usize>;

    /// The leaf of every row in every tree: rows × trees. The rows are aligned to the schema.
    fn leaves(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>>;
}

/// A node of a decision tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeNode {
    /// The feature that is tested, unless the node is a leaf.
    pub feature: Option<usize>,
    /// The name of that feature.
    pub name: Option<String>,
    /// Where a number is cut.
    pub threshold: Option<f64>,
    /// The branches, none in a leaf.
    pub branches: Vec<TreeBranch>,
    /// Whether missing values and unknown levels take the first branch, where they take one.
    pub missing_first: Option<bool>,
    /// What the node predicts, in words.
    pub conclusion: String,
    /// What the node predicts: class shares, or the number of each output.
    pub value: Vec<f64>,
    /// Impurity of the criterion; NaN, in JSON null, where it is not kept.
    pub impurity: f64,
    /// Weight of the training rows.
    pub weight: f64,
    /// Number of training rows of positive weight, where they are not shared among branches.
    pub rows: Option<usize>,
}

/// A branch of a [`TreeNode`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeBranch {
    /// What holds of the rows that take it.
    pub condition: String,
    /// The node that it leads to.
    pub node: usize,
}

impl dyn Model + '_ {
    /// The trees of a model, and the schema of the rows that they see; an error where it has none.
    pub fn trees(&self) -> Result<(&dyn Trees, &Schema)> {
        let trees = self.abilities().trees.ok_or_else(|| super::lacks(self, "trees"))?;
        Ok((trees, super::answering(self).schema()))
    }
}

impl Asked<'_> {
    /// The leaf of every row in every tree: rows × trees.
    pub fn leaves(&self) -> Result<Vec<u32>> {
        self.need("trees", |can| can.trees)?.leaves(self.input(), self.session())
    }
}

impl Trees for NestedModel {
    fn n_trees(&self) -> usize {
        self.0.abilities().trees.map_or(0, Trees::n_trees)
    }
    fn nodes(&self, t: usize, schema: &Schema) -> Vec<TreeNode> {
        self.0.abilities().trees.map_or_else(Vec::new, |trees| trees.nodes(t, schema))
    }
    fn path(&self, t: usize, value: &dyn Fn(usize) -> f64) -> Vec<usize> {
        self.0.abilities().trees.map_or_else(Vec::new, |trees| trees.path(t, value))
    }
    fn leaves(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>> {
        self.0.on(input, session)?.leaves()
    }
}
