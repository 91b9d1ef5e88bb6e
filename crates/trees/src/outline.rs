//! Trees as people read them: indented text, one rule for each leaf, JSON, and the conditions of one row.

use crate::tree::{SplitView, Test, Tree};
use mercer_core::Schema;
use serde::Serialize;
use std::fmt::Write as _;

/// Levels that are written out; more are counted.
const SHOWN: usize = 12;

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
    /// Impurity of the criterion.
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
            |n| format!("{n} rows"),
        )
    }
}

impl Outline {
    /// A binary tree as plain data.
    pub(crate) fn of(tree: &Tree, schema: &Schema, conclusion: &dyn Fn(&[f64]) -> String) -> Self {
        let node = |node: crate::tree::NodeView<'_>| {
            let branch = |split: &SplitView<'_>, left: bool| OutlineBranch {
                condition: condition(schema, split, left),
                node: if left { split.left } else { split.right },
            };
            let branches = node.split.map_or_else(Vec::new, |s| vec![branch(&s, true), branch(&s, false)]);
            let feature = node.split.map(|s| s.feature);
            OutlineNode {
                feature,
                name: feature.map(|f| name(schema, f)),
                threshold: node.split.and_then(|s| match s.test {
                    Test::AtMost(t) => Some(t),
                    Test::In(_) => None,
                }),
                branches,
                conclusion: conclusion(node.value),
                value: node.value.to_vec(),
                impurity: node.impurity,
                weight: node.weight,
                rows: Some(node.rows),
            }
        };
        Self { nodes: (0..tree.n_nodes()).filter_map(|i| tree.node(i)).map(node).collect() }
    }

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
    pub(crate) fn conditions(&self, path: &[usize]) -> Vec<String> {
        let branch = |pair: &[usize]| {
            self.nodes.get(pair[0])?.branches.iter().find(|b| b.node == pair[1]).map(|b| b.condition.clone())
        };
        path.windows(2).filter_map(branch).collect()
    }
}

fn name(schema: &Schema, feature: usize) -> String {
    schema.features.get(feature).map_or_else(|| format!("x{feature}"), |f| f.name.clone())
}

/// The condition of one branch.
fn condition(schema: &Schema, split: &SplitView<'_>, left: bool) -> String {
    let name = name(schema, split.feature);
    let missing = if left == split.missing_left { " or missing" } else { "" };
    match split.test {
        Test::AtMost(t) if t == f64::INFINITY => {
            if left {
                format!("{name} is present")
            } else {
                format!("{name} is missing")
            }
        }
        Test::AtMost(t) => format!("{name} {} {t}{missing}", if left { "<=" } else { ">" }),
        Test::In(set) => {
            let levels = schema.features.get(split.feature).map_or(&[][..], |f| &f.levels);
            let goes_left = |code: usize| {
                set.get(code / 64).map_or(split.missing_left, |word| word >> (code % 64) & 1 == 1)
            };
            let own: Vec<&str> =
                (0..levels.len()).filter(|&c| goes_left(c) == left).map(|c| levels[c].as_str()).collect();
            let more =
                if own.len() > SHOWN { format!(", … {} more", own.len() - SHOWN) } else { String::new() };
            format!("{name} in {{{}{more}}}{missing}", own[..own.len().min(SHOWN)].join(", "))
        }
    }
}
