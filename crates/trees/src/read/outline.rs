//! Tree outlines: trees as people read them, what they hold, as the plain data of `core`.

use crate::cart::tree::{NodeView, SplitView, Test, Tree};
use crate::packed::PackedTrees;
use mercer_core::{Outline, OutlineBranch, OutlineNode, Schema};

/// Levels that are written out; more are counted.
const SHOWN: usize = 12;

/// A tree as plain data.
pub(crate) fn outline_of(tree: &Tree, schema: &Schema, conclusion: &dyn Fn(&[f64]) -> String) -> Outline {
    let node = |node: NodeView<'_>| OutlineNode {
        conclusion: conclusion(node.value),
        value: node.value.to_vec(),
        impurity: node.impurity,
        weight: node.weight,
        rows: Some(node.rows),
        ..tested(schema, node.split)
    };
    Outline { nodes: (0..tree.n_nodes()).filter_map(|i| tree.node(i)).map(node).collect() }
}

/// One of the packed trees as plain data. What an inner node says is the mean of its leaves by their weight.
pub(crate) fn outline_in(
    packed: &PackedTrees,
    t: usize,
    schema: &Schema,
    conclusion: &dyn Fn(&[f64]) -> String,
) -> Outline {
    let n = packed.n_nodes(t);
    let weight = |i: usize| packed.cover(t, i).unwrap_or(0.0);
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); n];
    // Children come after their parents.
    for i in (0..n).rev() {
        values[i] = match packed.split(t, i) {
            Some(s) => {
                let (left, right) = (weight(s.left), weight(s.right));
                let share = if left + right > 0.0 { left / (left + right) } else { 0.5 };
                let mean = |(l, r): (&f64, &f64)| share * l + (1.0 - share) * r;
                values[s.left].iter().zip(&values[s.right]).map(mean).collect()
            }
            None => packed.value(t, i).unwrap_or_default().to_vec(),
        };
    }
    let node = |(i, value): (usize, Vec<f64>)| OutlineNode {
        conclusion: conclusion(&value),
        value,
        weight: weight(i),
        ..tested(schema, packed.split(t, i))
    };
    Outline { nodes: values.into_iter().enumerate().map(node).collect() }
}

/// The test of a node and its branches; all else is left open.
fn tested(schema: &Schema, split: Option<SplitView<'_>>) -> OutlineNode {
    let branch = |split: &SplitView<'_>, left: bool| OutlineBranch {
        condition: condition(schema, split, left),
        node: if left { split.left } else { split.right },
    };
    OutlineNode {
        feature: split.map(|s| s.feature),
        name: split.map(|s| name(schema, s.feature)),
        threshold: split.and_then(|s| match s.test {
            Test::AtMost(t) => Some(t),
            Test::In(_) => None,
        }),
        branches: split.map_or_else(Vec::new, |s| vec![branch(&s, true), branch(&s, false)]),
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
