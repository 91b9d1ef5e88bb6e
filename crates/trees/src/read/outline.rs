//! Tree outlines: trees as people read them. Plain data, indented text, rules, JSON.

use crate::cart::tree::{NodeView, SplitView, Test, Tree};
use crate::packed::PackedTrees;
use mercer_core::{Schema, TreeBranch, TreeNode};
use serde::Serialize;
use std::fmt::Write as _;

/// Levels that are written out; more are counted.
const SHOWN: usize = 12;

/// A tree as plain data, the root first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outline {
    /// The nodes.
    pub nodes: Vec<TreeNode>,
}

impl Outline {
    /// Calls `visit(depth, condition of the branch, node)` for each node: itself, then its branches from the left.
    fn walk<'a>(&'a self, mut visit: impl FnMut(usize, Option<&'a str>, &'a TreeNode)) {
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
                let _ = writeln!(out, "{}|--- {} [{}]", indent(depth), node.conclusion, size(node));
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
                rules.push(format!("{given} then {} [{}]", node.conclusion, size(node)));
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

/// How many rows a node stands for, or how much they weigh.
fn size(node: &TreeNode) -> String {
    node.rows.map_or_else(
        || format!("weight {:.6}", node.weight).trim_end_matches('0').trim_end_matches('.').to_owned(),
        |n| if n == 1 { "1 row".to_owned() } else { format!("{n} rows") },
    )
}

/// The outline of a tree.
pub(crate) fn outline_of(tree: &Tree, schema: &Schema, conclusion: &dyn Fn(&[f64]) -> String) -> Outline {
    let node = |node: NodeView<'_>| TreeNode {
        conclusion: conclusion(node.value),
        value: node.value.to_vec(),
        impurity: node.impurity,
        weight: node.weight,
        rows: Some(node.rows),
        ..tested(schema, node.split)
    };
    Outline { nodes: (0..tree.n_nodes()).filter_map(|i| tree.node(i)).map(node).collect() }
}

/// The nodes of one of the packed trees. What an inner node says is the mean of its leaves by their weight.
pub(crate) fn nodes_in(
    packed: &PackedTrees,
    t: usize,
    schema: &Schema,
    conclusion: &dyn Fn(&[f64]) -> String,
) -> Vec<TreeNode> {
    let node = |(i, value): (usize, Vec<f64>)| TreeNode {
        conclusion: conclusion(&value),
        value,
        weight: packed.cover(t, i).unwrap_or(0.0),
        rows: packed.details(t, i).map(|(rows, _)| rows),
        impurity: packed.details(t, i).map_or(f64::NAN, |(_, impurity)| impurity),
        ..tested(schema, packed.split(t, i))
    };
    packed.node_values(t).into_iter().enumerate().map(node).collect()
}

/// The test of a node and its branches; all else is left open.
fn tested(schema: &Schema, split: Option<SplitView<'_>>) -> TreeNode {
    let branch = |split: &SplitView<'_>, left: bool| TreeBranch {
        condition: condition(schema, split, left),
        node: if left { split.left } else { split.right },
    };
    TreeNode {
        feature: split.map(|s| s.feature),
        name: split.map(|s| name(schema, s.feature)),
        threshold: split.and_then(|s| match s.test {
            Test::AtMost(t) => Some(t),
            Test::In(_) => None,
        }),
        branches: split.map_or_else(Vec::new, |s| vec![branch(&s, true), branch(&s, false)]),
        missing_first: split.map(|s| s.missing_left),
        conclusion: String::new(),
        value: Vec::new(),
        impurity: f64::NAN,
        weight: f64::NAN,
        rows: None,
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
