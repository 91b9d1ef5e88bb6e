//! Trees with a branch for every level of a discrete attribute: what ID3 and C4.5 share.

pub(crate) mod factors;
pub(crate) mod gain;
pub(crate) mod grow;
mod model;
mod tree;

pub use model::MultiwayTreeModel;
pub use tree::MultiwayTree;
pub(crate) use tree::{Condition, Growing, Split};

#[cfg(test)]
mod tests;
