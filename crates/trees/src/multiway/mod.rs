//! Multiway trees: a branch for every level of a discrete attribute, as ID3 and C4.5 grow them.
//!
//! `attributes` are the training rows as both see them, `gain` is the information that a test brings, `grow` the
//! recursion, `tree` and `model` what is learnt.

pub(crate) mod attributes;
mod c45;
pub(crate) mod gain;
pub(crate) mod grow;
mod id3;
mod model;
mod tree;

pub use c45::{C45, Rule, RuleSet};
pub use id3::Id3;
pub use model::MultiwayTreeModel;
pub use tree::MultiwayTree;
pub(crate) use tree::{Condition, GrowingNode, Split};

#[cfg(test)]
mod tests;
