//! Decision trees as people read them, whatever model they stand in: plain data, indented text, rules, JSON.

use crate::asked::Asked;
use crate::contract::Model;
use crate::data_kinds::Input;
use crate::error::{Error, Result};
use crate::nested::NestedModel;
use crate::schema::Schema;
use crate::session::Session;
use serde::Serialize;
use std::fmt::Write as _;

/// A model that is made of decision trees.
pub trait Trees: Send + Sync {
    /// Number of trees.
    fn n_trees(&self) -> usize;

    /// Tree `t`, which there is, as plain data.
    fn outline(&self, t: usize, schema: &Schema) -> Outline;

    /// The nodes of tree `t`, which there is, that a row whose feature `j` is `value(j)` comes by, from the root on.
    fn path(&self, t: usize, value: &dyn Fn(usize) -> f64) -> Vec<usize>;

    /// The leaf of every row in every tree: rows × trees. The rows are aligned to the schema.
    fn leaves(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>>;
}

/// The trees of a model, with the model that they stand in.
#[derive(Clone)]
pub struct TreesView<'m> {
    trees: &'m dyn Trees,
    schema: &'m Schema,
    model: &'m dyn Model,
}

impl std::fmt::Debug for TreesView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TreesView({} trees)", self.n_trees())
    }
}

impl<'m> TreesView<'m> {
    /// The trees of a model, or an error that says that it has none.
    pub fn of(model: &'m dyn Model) -> Result<Self> {
        let can = model.abilities();
        let trees = can.trees.ok_or_else(|| super::lacks(model, "trees"))?;
        Ok(Self { trees, schema: super::answering(model).schema(), model })
    }

    /// What the trees learnt from.
    pub fn schema(&self) -> &'m Schema {
        self.schema
    }

    /// Number of trees.
    pub fn n_trees(&self) -> usize {
        self.trees.n_trees()
    }

    fn check(&self, t: usize) -> Result<()> {
        match self.n_trees() {
            n if t < n => Ok(()),
            n => Err(Error::param("trees", "tree", format!("in [0, {n})"), t)),
        }
    }

    /// A tree as plain data.
    pub fn outline(&self, t: usize) -> Result<Outline> {
        self.check(t)?;
        Ok(self.trees.outline(t, self.schema))
    }

    /// A tree as plain data, with other names for the features, in their order.
    pub fn outline_as(&self, t: usize, names: &[String]) -> Result<Outline> {
        self.check(t)?;
        let mut schema = self.schema.clone();
        schema.features.iter_mut().zip(names).for_each(|(feature, name)| feature.name.clone_from(name));
        Ok(self.trees.outline(t, &schema))
    }

    /// The nodes of a tree that a row whose feature `j` is `value(j)` comes by, from the root on.
    pub fn path(&self, t: usize, value: &dyn Fn(usize) -> f64) -> Result<Vec<usize>> {
        self.check(t)?;
        Ok(self.trees.path(t, value))
    }

    /// Rows as the trees see them: prepared by the steps before, aligned to the schema.
    pub fn prepared<'a>(&self, input: &'a Input<'a>, session: &'a Session) -> Result<Input<'a>>
    where
        'm: 'a,
    {
        Ok(self.model.on(input, session)?.input().clone())
    }

    /// The leaf of every row in every tree: rows × trees.
    pub fn leaves(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>> {
        self.model.on(input, session)?.leaves()
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
    fn outline(&self, t: usize, schema: &Schema) -> Outline {
        let none = Outline { nodes: Vec::new() };
        self.0.abilities().trees.map_or(none, |trees| trees.outline(t, schema))
    }
    fn path(&self, t: usize, value: &dyn Fn(usize) -> f64) -> Vec<usize> {
        self.0.abilities().trees.map_or_else(Vec::new, |trees| trees.path(t, value))
    }
    fn leaves(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>> {
        self.0.on(input, session)?.leaves()
    }
}

/// A tree as plain data, the root first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outline {
    /// The nodes.
    pub nodes: Vec<OutlineNode>,
}

/// One node of an [`Outline`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutlineNode {
    /// The feature that is tested, unless the node is a leaf.
    pub feature: Option<usize>,
    /// The name of that feature.
    pub name: Option<String>,
    /// Where a number is cut.
    pub threshold: Option<f64>,
    /// The branches, none in a leaf.
    pub branches: Vec<OutlineBranch>,
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

/// A branch of an [`OutlineNode`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutlineBranch {
    /// What holds of the rows that take it.
    pub condition: String,
    /// The node that it leads to.
    pub node: usize,
}

impl OutlineNode {
    fn size(&self) -> String {
        self.rows.map_or_else(
            || format!("weight {:.6}", self.weight).trim_end_matches('0').trim_end_matches('.').to_owned(),
            |n| if n == 1 { "1 row".to_owned() } else { format!("{n} rows") },
        )
    }
}

impl Outline {
    /// Calls `visit(depth, condition of the branch, node)` for each node: itself, then its branches from the left.
    fn walk<'a>(&'a self, mut visit: impl FnMut(usize, Option<&'a str>, &'a OutlineNode)) {
        let mut stack = vec![(0usize, 0usize, None)];
        while let Some((at, depth, branch)) = stack.pop() {
            let Some(node) = self.nodes.get(at) else { continue };
            visit(depth, branch, node);
            let below = node.branches.iter().rev();
            stack.extend(below.map(|b| (b.node, depth + 1, Some(b.condition.as_str()))));
        }
    }

    /// Tests on the longest way to a leaf.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        self.walk(|depth, _, _| deepest = deepest.max(depth));
        deepest
    }

    /// One line a branch or leaf, each level further in.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        self.walk(|depth, branch, node| {
            let indent = |depth: usize| "|   ".repeat(depth.min(200));
            if let Some(branch) = branch {
                let _ = writeln!(out, "{}|--- {branch}", indent(depth - 1));
            }
            if node.branches.is_empty() {
                let _ = writeln!(out, "{}|--- {} [{}]", indent(depth), node.conclusion, node.size());
            }
        });
        out
    }

    /// One rule for each leaf, from left to right: "if a <= 1 and b > 2 then class x".
    pub fn to_rules(&self) -> Vec<String> {
        let (mut rules, mut path) = (Vec::new(), Vec::new());
        self.walk(|depth, branch, node| {
            path.truncate(depth.saturating_sub(1));
            path.extend(branch);
            if node.branches.is_empty() {
                let given =
                    if path.is_empty() { "always".to_owned() } else { format!("if {}", path.join(" and ")) };
                rules.push(format!("{given} then {} [{}]", node.conclusion, node.size()));
            }
        });
        rules
    }

    /// The nodes as JSON; a threshold of infinity, which parts present from missing values, is null.
    pub fn to_json(&self) -> String {
        // Numbers, texts and lists: nothing here that JSON could refuse.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The conditions along a path of nodes.
    pub fn conditions(&self, path: &[usize]) -> Vec<String> {
        let branch = |pair: &[usize]| {
            self.nodes.get(pair[0])?.branches.iter().find(|b| b.node == pair[1]).map(|b| b.condition.clone())
        };
        path.windows(2).filter_map(branch).collect()
    }
}
