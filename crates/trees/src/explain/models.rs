//! Explainers: the trees and forests that explain themselves.

use super::{Branches, contributions, interactions};
use crate::boost::BoostedTrees;
use crate::cart::classifier::DecisionTreeClassifierModel;
use crate::cart::regressor::DecisionTreeRegressorModel;
use crate::cart::tree::{SplitView, Tree};
use crate::forest::{ForestClassifierModel, ForestRegressorModel};
use crate::packed::PackedTrees;

use mercer_core::{
    Contributions, Explainer, Input, Interactions, MappedExplainer, OutputMap, Outputs, Result, Session,
};

/// A tree with other numbers in its leaves.
struct Mapped<'a> {
    tree: &'a Tree,
    values: Vec<Vec<f64>>,
}

impl<'a> Mapped<'a> {
    /// The tree whose leaves are mapped, and the width of what they are mapped to.
    fn new(tree: &'a Tree, map: &OutputMap<'_>) -> (Self, usize) {
        let is_leaf = |i: usize| tree.node(i).is_some_and(|node| node.split.is_none());
        let value = |i: usize| if is_leaf(i) { map(tree.value(i)) } else { Vec::new() };
        let values: Vec<Vec<f64>> = (0..tree.n_nodes()).map(value).collect();
        let width = values.iter().map(Vec::len).max().unwrap_or(0);
        (Self { tree, values }, width)
    }
}

impl Branches for Mapped<'_> {
    fn n_nodes(&self) -> usize {
        self.tree.n_nodes()
    }
    fn split(&self, i: usize) -> Option<SplitView<'_>> {
        self.tree.node(i)?.split
    }
    fn cover(&self, i: usize) -> f64 {
        self.tree.weight[i]
    }
    fn value(&self, i: usize) -> &[f64] {
        &self.values[i]
    }
}

macro_rules! explain_tree {
    ($model:ty, $outputs:expr) => {
        impl Explainer for $model {
            fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions> {
                let (base, values) = contributions(&[&self.tree], self.tree.width(), 1.0, input, session)?;
                Ok(Contributions { features: Vec::new(), outputs: $outputs, base, values })
            }

            fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
                interactions(&[&self.tree], self.tree.width(), 1.0, input, session)
            }
        }

        impl MappedExplainer for $model {
            fn mapped_contributions(
                &self,
                input: &Input<'_>,
                map: &OutputMap<'_>,
                session: &Session,
            ) -> Result<Contributions> {
                let (tree, width) = Mapped::new(&self.tree, map);
                let (base, values) = contributions(&[tree], width, 1.0, input, session)?;
                Ok(Contributions { features: Vec::new(), outputs: Outputs::Scores, base, values })
            }

            fn mapped_interactions(
                &self,
                input: &Input<'_>,
                map: &OutputMap<'_>,
                session: &Session,
            ) -> Result<Interactions> {
                let (tree, width) = Mapped::new(&self.tree, map);
                interactions(&[tree], width, 1.0, input, session)
            }
        }
    };
}
explain_tree!(DecisionTreeClassifierModel, Outputs::Probabilities);
explain_tree!(DecisionTreeRegressorModel, Outputs::Numbers);

/// One of the packed trees.
struct Member<'a>(&'a PackedTrees, usize);

impl Branches for Member<'_> {
    fn n_nodes(&self) -> usize {
        self.0.n_nodes(self.1)
    }
    fn split(&self, i: usize) -> Option<SplitView<'_>> {
        self.0.split(self.1, i)
    }
    fn cover(&self, i: usize) -> f64 {
        self.0.cover(self.1, i).unwrap_or(0.0)
    }
    fn value(&self, i: usize) -> &[f64] {
        self.0.value(self.1, i).unwrap_or(&[])
    }
}

/// The contributions of packed trees, each multiplied by `scale`.
pub(crate) fn packed_contributions(
    packed: &PackedTrees,
    scale: f64,
    outputs: Outputs,
    input: &Input<'_>,
    session: &Session,
) -> Result<Contributions> {
    let trees: Vec<Member<'_>> = (0..packed.n_trees()).map(|t| Member(packed, t)).collect();
    let (base, values) = contributions(&trees, packed.outputs(), scale, input, session)?;
    Ok(Contributions { features: Vec::new(), outputs, base, values })
}

/// The interactions of packed trees, each multiplied by `scale`.
pub(crate) fn packed_interactions(
    packed: &PackedTrees,
    scale: f64,
    input: &Input<'_>,
    session: &Session,
) -> Result<Interactions> {
    let trees: Vec<Member<'_>> = (0..packed.n_trees()).map(|t| Member(packed, t)).collect();
    interactions(&trees, packed.outputs(), scale, input, session)
}

/// A forest is the mean of its trees.
macro_rules! explains_forest {
    ($model:ty, $outputs:expr) => {
        impl Explainer for $model {
            fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions> {
                let trees = self.trees();
                packed_contributions(trees, 1.0 / trees.n_trees() as f64, $outputs, input, session)
            }

            fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
                packed_interactions(self.trees(), 1.0 / self.trees().n_trees() as f64, input, session)
            }
        }
    };
}

explains_forest!(ForestClassifierModel, Outputs::Probabilities);
explains_forest!(ForestRegressorModel, Outputs::Numbers);

/// Scores are explained: before they become probabilities, or numbers by a link.
impl Explainer for BoostedTrees {
    fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions> {
        let outputs = if self.scores_are_numbers() { Outputs::Numbers } else { Outputs::Scores };
        let mut found = packed_contributions(&self.trees, 1.0, outputs, input, session)?;
        found.base.iter_mut().zip(self.baseline()).for_each(|(base, start)| *base += start);
        Ok(found)
    }

    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        packed_interactions(&self.trees, 1.0, input, session)
    }
}
