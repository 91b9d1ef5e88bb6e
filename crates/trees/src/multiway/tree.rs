//! A fitted multiway tree in flat arrays, and the walks through it.

use crate::multiway::attributes::code_of;
use crate::multiway::gain::total_info;
use crate::read::Outline;
use mercer_core::{ColumnKind, Schema, TreeBranch, TreeNode};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The test of a node that grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Split {
    pub(crate) feature: u32,
    /// Where numbers are cut; `None` is a branch for each level.
    pub(crate) threshold: Option<f64>,
}

/// A node that grows or is pruned.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GrowingNode {
    /// The weight of each class.
    pub(crate) totals: Vec<f64>,
    pub(crate) split: Option<Split>,
    /// The branches that training rows take: levels, or 0 and 1 at a threshold, increasing.
    pub(crate) children: Vec<(u32, GrowingNode)>,
}

impl GrowingNode {
    /// A leaf.
    pub(crate) fn leaf(totals: Vec<f64>) -> Self {
        Self { totals, split: None, children: Vec::new() }
    }
}

/// One node: a leaf has no feature.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Node {
    feature: Option<u32>,
    threshold: Option<f64>,
    /// The children are the nodes `first .. first + count`.
    first: u32,
    count: u32,
    /// By which branch of its parent the node is reached: a level, or 0 and 1 at a threshold.
    branch: u32,
}

/// A tree with a branch for every level of a discrete attribute and two for a number, in flat arrays; nodes level
/// by level, the children of a node side by side. Branches that no training row takes are not kept: a row that takes
/// one is predicted as the node is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultiwayTree {
    nodes: Vec<Node>,
    /// Nodes × classes.
    shares: Vec<f64>,
    weight: Vec<f64>,
    width: u32,
    /// The values of numeric columns that are discrete; empty for all others.
    dictionaries: Vec<Vec<f64>>,
}

/// What holds of a feature in a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Condition {
    AtMost(f64),
    Above(f64),
    /// The level of this code, or the number itself.
    Is(f64),
}

impl Condition {
    /// Whether a value meets it; a missing one meets none.
    pub(crate) fn holds(self, v: f64) -> bool {
        match self {
            Condition::AtMost(t) => v <= t,
            Condition::Above(t) => v > t,
            Condition::Is(level) => v == level,
        }
    }

    pub(crate) fn text(self, schema: &Schema, feature: usize) -> String {
        let Some(feature) = schema.features.get(feature) else { return String::new() };
        match self {
            Condition::AtMost(t) => format!("{} <= {t}", feature.name),
            Condition::Above(t) => format!("{} > {t}", feature.name),
            Condition::Is(v) if feature.kind == ColumnKind::Categorical => {
                format!("{} = {}", feature.name, feature.levels.get(v as usize).map_or("?", String::as_str))
            }
            Condition::Is(v) => format!("{} = {v}", feature.name),
        }
    }
}

/// Where a row goes from a node.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// A leaf, or a branch that no training row took.
    End,
    Child(usize),
    /// The value is missing, or was never seen.
    Unknown,
}

impl MultiwayTree {
    /// The flat form.
    pub(crate) fn new(root: &GrowingNode, dictionaries: Vec<Vec<f64>>) -> Self {
        let (nodes, shares, weight) = Default::default();
        let width = root.totals.len() as u32;
        let mut tree = Self { nodes, shares, weight, width, dictionaries };
        let mut queue = VecDeque::from([(0, root)]);
        let mut next = 1;
        while let Some((branch, node)) = queue.pop_front() {
            let weight: f64 = node.totals.iter().sum();
            tree.weight.push(weight);
            tree.shares.extend(node.totals.iter().map(|t| t / weight));
            let (feature, threshold) = (node.split.map(|s| s.feature), node.split.and_then(|s| s.threshold));
            tree.nodes.push(Node {
                feature,
                threshold,
                first: next,
                count: node.children.len() as u32,
                branch,
            });
            next += node.children.len() as u32;
            queue.extend(node.children.iter().map(|(branch, child)| (*branch, child)));
        }
        tree
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Number of leaves.
    pub fn n_leaves(&self) -> usize {
        self.nodes.iter().filter(|n| n.feature.is_none()).count()
    }

    /// The number of tests on the longest way to a leaf.
    pub fn depth(&self) -> usize {
        let mut depth = vec![0; self.nodes.len()];
        for i in 0..self.nodes.len() {
            self.children(i).for_each(|c| depth[c] = depth[i] + 1);
        }
        depth.into_iter().max().unwrap_or(0)
    }

    /// The class shares of node `i`.
    pub(crate) fn value(&self, i: usize) -> &[f64] {
        &self.shares[i * self.width()..][..self.width()]
    }

    pub(crate) fn width(&self) -> usize {
        self.width as usize
    }

    fn children(&self, i: usize) -> std::ops::Range<usize> {
        let node = &self.nodes[i];
        node.first as usize..(node.first + node.count) as usize
    }

    /// Where a row whose feature `j` is `value(j)` goes from node `at`.
    fn step(&self, at: usize, value: impl Fn(usize) -> f64) -> Step {
        let node = &self.nodes[at];
        let Some(feature) = node.feature else { return Step::End };
        let (v, dictionary) = (value(feature as usize), &self.dictionaries[feature as usize]);
        let branch = match node.threshold {
            _ if v.is_nan() => None,
            Some(t) => Some(usize::from(v > t)),
            None if dictionary.is_empty() => Some(v as usize),
            None => code_of(dictionary, v),
        };
        let Some(branch) = branch else { return Step::Unknown };
        let children = &self.nodes[self.children(at)];
        match children.binary_search_by(|child| (child.branch as usize).cmp(&branch)) {
            Ok(place) => Step::Child(node.first as usize + place),
            Err(_) => Step::End,
        }
    }

    /// The nodes that a row comes by until a leaf or an unknown value.
    pub(crate) fn path(&self, value: impl Fn(usize) -> f64) -> Vec<usize> {
        let mut path = vec![0];
        let mut at = 0;
        while let Step::Child(child) = self.step(at, &value) {
            path.push(child);
            at = child;
        }
        path
    }

    /// Adds the class shares of a row: with `fractional`, an unknown value takes every branch by its weight;
    /// else the walk ends there.
    pub(crate) fn add_shares(&self, value: impl Fn(usize) -> f64, fractional: bool, out: &mut [f64]) {
        let mut stack = vec![(0usize, 1.0)];
        while let Some((at, share)) = stack.pop() {
            match self.step(at, &value) {
                Step::Child(child) => stack.push((child, share)),
                Step::Unknown if fractional => {
                    let total: f64 = self.children(at).map(|c| self.weight[c]).sum();
                    stack.extend(self.children(at).map(|c| (c, share * self.weight[c] / total)));
                }
                _ => out.iter_mut().zip(self.value(at)).for_each(|(o, v)| *o += share * v),
            }
        }
    }

    /// The tree as people read it.
    pub fn outline(&self, schema: &Schema, conclusion: &dyn Fn(&[f64]) -> String) -> Outline {
        let node = |i: usize| {
            let node = &self.nodes[i];
            let feature = node.feature.map(|f| f as usize);
            let name = feature.and_then(|f| schema.features.get(f)).map(|f| f.name.clone());
            let branch = |child: usize| {
                let condition = self.condition(i, child).map(|(f, c)| c.text(schema, f)).unwrap_or_default();
                TreeBranch { condition, node: child }
            };
            TreeNode {
                feature,
                name,
                threshold: node.threshold,
                branches: self.children(i).map(branch).collect(),
                // A row that misses the value goes down all branches, by their shares.
                missing_first: None,
                conclusion: conclusion(self.value(i)),
                value: self.value(i).to_vec(),
                impurity: total_info(self.value(i)),
                weight: self.weight[i],
                rows: None,
            }
        };
        Outline { nodes: (0..self.nodes.len()).map(node).collect() }
    }

    /// The feature that node `i` tests, and what holds of it on the way to its child; `None` for a leaf.
    fn condition(&self, i: usize, child: usize) -> Option<(usize, Condition)> {
        let (node, b) = (&self.nodes[i], self.nodes[child].branch as usize);
        let feature = node.feature? as usize;
        let condition = match node.threshold {
            Some(t) if b == 0 => Condition::AtMost(t),
            Some(t) => Condition::Above(t),
            None => Condition::Is(self.dictionaries[feature].get(b).copied().unwrap_or(b as f64)),
        };
        Some((feature, condition))
    }

    /// The ways to the leaves: each leaf with its conditions.
    pub(crate) fn ways(&self) -> Vec<(usize, Vec<(usize, Condition)>)> {
        let (mut ways, mut stack) = (Vec::new(), vec![(0usize, Vec::new())]);
        while let Some((at, way)) = stack.pop() {
            if self.nodes[at].feature.is_none() {
                ways.push((at, way));
                continue;
            }
            for child in self.children(at).rev() {
                let mut longer = way.clone();
                longer.extend(self.condition(at, child));
                stack.push((child, longer));
            }
        }
        ways
    }

    /// Refuses arrays through which a walk could leave them, meet itself, or never end.
    pub(crate) fn validate(&self, schema: &Schema, width: usize) -> Result<(), String> {
        let n = self.nodes.len();
        let sized = n > 0
            && self.width() == width
            && n.checked_mul(width) == Some(self.shares.len())
            && self.weight.len() == n
            && self.dictionaries.len() == schema.n_features();
        if !sized {
            return Err("the arrays of the tree do not fit each other or the schema".to_owned());
        }
        let mut next = 1usize;
        for (i, node) in self.nodes.iter().enumerate() {
            if node.first as usize != next || next <= i && node.count > 0 {
                return Err(format!("the children of node {i} are not where they should be"));
            }
            next = next.saturating_add(node.count as usize);
            self.validate_node(schema, i)?;
        }
        if next != n {
            return Err("some nodes are nobody's children".to_owned());
        }
        let share = |v: &f64| (0.0..=1.0 + 1e-9).contains(v);
        let whole = |row: &[f64]| (row.iter().sum::<f64>() - 1.0).abs() < 1e-6;
        if !self.shares.iter().all(share) || !self.shares.chunks(width).all(whole) {
            return Err("some class shares are none".to_owned());
        }
        // Sums of weights share out unknown values, so they must be finite, too.
        if !self.weight.iter().all(|w| *w > 0.0) || !self.weight.iter().sum::<f64>().is_finite() {
            return Err("a weight of the tree is not finite and positive".to_owned());
        }
        let ordered = |d: &Vec<f64>| d.windows(2).all(|w| w[0] < w[1]) && d.iter().all(|v| v.is_finite());
        if self.dictionaries.iter().all(ordered) {
            Ok(())
        } else {
            Err("a dictionary is not sorted".to_owned())
        }
    }

    fn validate_node(&self, schema: &Schema, i: usize) -> Result<(), String> {
        let node = &self.nodes[i];
        let Some(feature) = node.feature else {
            return if node.count == 0 { Ok(()) } else { Err(format!("leaf {i} has children")) };
        };
        let Some(known) = schema.features.get(feature as usize) else {
            return Err(format!("node {i} tests a feature that is not there"));
        };
        let dictionary = &self.dictionaries[feature as usize];
        let categorical = known.kind == ColumnKind::Categorical;
        let (good, branches) = match node.threshold {
            Some(t) => (!categorical && t.is_finite() && node.count == 2, 2),
            None if categorical => (dictionary.is_empty(), known.levels.len()),
            None => (!dictionary.is_empty(), dictionary.len()),
        };
        let children = self.nodes.get(node.first as usize..).and_then(|rest| rest.get(..node.count as usize));
        let increasing = children.is_some_and(|nodes| {
            nodes.windows(2).all(|w| w[0].branch < w[1].branch)
                && nodes.last().is_some_and(|last| (last.branch as usize) < branches)
        });
        if good && increasing {
            Ok(())
        } else {
            Err(format!("the test of node {i} does not fit its feature"))
        }
    }
}
