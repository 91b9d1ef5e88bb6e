//! Trees as text: indented, or as one rule for each leaf.

use crate::tree::{SplitView, Test, Tree};
use mercer_core::Schema;
use std::fmt::Write as _;

/// Levels that are written out; more are counted.
const SHOWN: usize = 12;

/// The condition of one branch.
fn condition(schema: &Schema, split: &SplitView<'_>, left: bool) -> String {
    let feature = schema.features.get(split.feature);
    let name = feature.map_or_else(|| format!("x{}", split.feature), |f| f.name.clone());
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
            let levels = feature.map_or(&[][..], |f| &f.levels);
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

/// The tree, one line a branch or leaf, each level further in.
pub(crate) fn to_text(tree: &Tree, schema: &Schema, conclusion: &dyn Fn(&[f64]) -> String) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let mut stack = vec![(0usize, 0usize, None::<String>)];
    while let Some((at, depth, branch)) = stack.pop() {
        let Some(node) = tree.node(at) else { continue };
        let indent = |depth: usize| "|   ".repeat(depth.min(200));
        let mut depth = depth;
        if let Some(branch) = branch {
            let _ = writeln!(out, "{}|--- {branch}", indent(depth));
            depth += 1;
        }
        match node.split {
            Some(split) => {
                stack.push((split.right, depth, Some(condition(schema, &split, false))));
                stack.push((split.left, depth, Some(condition(schema, &split, true))));
            }
            None => {
                let _ =
                    writeln!(out, "{}|--- {} [{} rows]", indent(depth), conclusion(node.value), node.rows);
            }
        }
    }
    out
}

/// One rule for each leaf, from left to right: "if a <= 1 and b > 2 then class x".
pub(crate) fn to_rules(tree: &Tree, schema: &Schema, conclusion: &dyn Fn(&[f64]) -> String) -> Vec<String> {
    let mut rules = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut stack = vec![(0usize, 0usize, None::<String>)];
    while let Some((at, depth, branch)) = stack.pop() {
        let Some(node) = tree.node(at) else { continue };
        path.truncate(depth.saturating_sub(1));
        path.extend(branch);
        match node.split {
            Some(split) => {
                stack.push((split.right, depth + 1, Some(condition(schema, &split, false))));
                stack.push((split.left, depth + 1, Some(condition(schema, &split, true))));
            }
            None => {
                let given =
                    if path.is_empty() { "always".to_owned() } else { format!("if {}", path.join(" and ")) };
                rules.push(format!("{given} then {} [{} rows]", conclusion(node.value), node.rows));
            }
        }
    }
    rules
}
