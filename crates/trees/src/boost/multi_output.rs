//! Multi-output boosting of numbers: one tree for each target a round, each on the gradients of its own target.

use super::model::BoostedTrees;
use super::train::LOSS;
use crate::cart::tree::Test;
use crate::grown::{LEAF, Rule};
use crate::packed::{Line, PackedTrees, TreeParts};
use mercer_core::{Certificate, Dataset, Result, Target, TargetColumn};

/// The data with one of their targets.
fn only<'a>(data: &Dataset<'a>, k: usize, learner: &str) -> Result<Dataset<'a>> {
    let target = data.need_target(learner)?;
    let column: Option<&TargetColumn<'a>> = target.columns().get(k);
    let target = Target::new(column.cloned().into_iter().collect())?;
    let alone = data.with_input(data.input())?.with_target(target)?;
    Ok(match data.valid() {
        Some(valid) => alone.with_valid(only(valid, k, learner)?),
        None => alone,
    })
}

/// Adds tree `t` of others.
fn copy_tree(from: &PackedTrees, t: usize, to: &mut PackedTrees) -> Result<()> {
    let n = from.n_nodes(t);
    let rule: Vec<Rule> = (0..n)
        .map(|i| match from.split(t, i) {
            None => Rule::Leaf,
            Some(split) => {
                let (feature, missing_left) = (split.feature as u32, split.missing_left);
                match split.test {
                    Test::AtMost(threshold) => Rule::Number { feature, threshold, missing_left },
                    Test::In(set) => Rule::Levels { feature, set: set.to_vec(), missing_left },
                }
            }
        })
        .collect();
    let child = |of: fn(&crate::cart::tree::SplitView<'_>) -> usize| -> Vec<u32> {
        (0..n).map(|i| from.split(t, i).map_or(LEAF, |split| of(&split) as u32)).collect()
    };
    let (left, right) = (child(|s| s.left), child(|s| s.right));
    let cover: Vec<f64> = (0..n).map(|i| from.cover(t, i).unwrap_or(0.0)).collect();
    let value: Vec<f64> = (0..n).map(|i| from.value(t, i).map_or(0.0, |v| v[0])).collect();
    let line = |i| from.line(t, i).map(|(intercept, terms)| Line { intercept, terms: terms.to_vec() });
    let lines: Vec<Option<Line>> = if from.has_lines() { (0..n).map(line).collect() } else { Vec::new() };
    let (rule, left, right, lines) = (&rule[..], &left[..], &right[..], &lines[..]);
    to.push(TreeParts { rule, left, right, cover: &cover, value: &value, lines, details: (&[], &[]) })
}

/// Boosts every target by itself, since its gradients know of no other, and puts the trees of each round side by side.
/// A target that stopped earlier than others has trees without a split in their last rounds.
pub(crate) fn each(
    learner: &str,
    data: &Dataset<'_>,
    one: impl Fn(&Dataset<'_>) -> Result<BoostedTrees>,
) -> Result<BoostedTrees> {
    let k = data.need_target(learner)?.n_columns();
    if k == 1 {
        return one(data);
    }
    let parts = (0..k).map(|k| one(&only(data, k, learner)?)).collect::<Result<Vec<BoostedTrees>>>()?;
    let d = data.n_features();
    let rounds = parts.iter().map(BoostedTrees::n_rounds).max().unwrap_or(0);
    let mut trees = PackedTrees::new(d, 1, k);
    let leaf = (&[Rule::Leaf], &[LEAF], &[1.0], &[0.0]);
    let nothing = TreeParts {
        rule: leaf.0,
        left: leaf.1,
        right: leaf.1,
        cover: leaf.2,
        value: leaf.3,
        lines: &[],
        details: (&[], &[]),
    };
    for (round, part) in (0..rounds).flat_map(|r| parts.iter().map(move |p| (r, p))) {
        match round < part.n_rounds() {
            true => copy_tree(&part.trees, round, &mut trees)?,
            false => trees.push(nothing)?,
        }
    }
    let sum = |of: &dyn Fn(&BoostedTrees) -> &[f64]| -> Vec<f64> {
        let longest = parts.iter().map(|p| of(p).len()).max().unwrap_or(0);
        // A curve that ended earlier stays where it ended.
        let at = |p: &BoostedTrees, i: usize| of(p).get(i).or(of(p).last()).copied().unwrap_or(0.0);
        (0..longest).map(|i| parts.iter().map(|p| at(p, i)).sum()).collect()
    };
    let mean = |of: &dyn Fn(&BoostedTrees) -> &[f64]| sum(of).iter().map(|v| v / k as f64).collect();
    Ok(BoostedTrees {
        trees,
        loss: parts[0].loss,
        start: parts.iter().flat_map(|p| p.start.iter().copied()).collect(),
        labels: Vec::new(),
        gains: sum(&|p| &p.gains),
        splits: (0..d).map(|j| parts.iter().map(|p| p.splits[j]).sum()).collect(),
        train_score: mean(&|p| &p.train_score),
        validation_score: mean(&|p| &p.validation_score),
        certificate: together(&parts),
    })
}

/// One certificate of all targets: the loss is their mean, and the first that did not come to its own end decides.
fn together(parts: &[BoostedTrees]) -> Certificate {
    let mut out = parts[0].certificate.clone();
    let ends = parts.iter().map(|p| p.certificate.termination);
    out.termination = ends.clone().find(|end| !end.is_success()).unwrap_or(out.termination);
    out.iterations = parts.iter().filter_map(|p| p.certificate.iterations).max();
    let mean = |of: &dyn Fn(&Certificate) -> Option<f64>| {
        parts.iter().map(|p| of(&p.certificate).unwrap_or(f64::NAN)).sum::<f64>() / parts.len() as f64
    };
    out.objective = out.objective.map(|_| mean(&|c| c.objective));
    for evidence in out.evidence.iter_mut().filter(|e| e.name == LOSS) {
        evidence.value = mean(&|c| c.evidence.iter().find(|e| e.name == LOSS).map(|e| e.value));
        evidence.scale = mean(&|c| c.evidence.iter().find(|e| e.name == LOSS).map(|e| e.scale));
        evidence.meaning += "; a mean over the targets";
    }
    out
}
