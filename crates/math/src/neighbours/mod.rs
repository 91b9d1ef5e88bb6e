//! Exact nearest neighbours: k-d trees and brute force over rows of numbers, and sums of kernels over neighbourhoods.
//!
//! Rows are compared by their *rank*, a number that grows with their distance and costs no root. The rank of a pair is
//! added up over the features in one fixed order, whoever asks: trees, brute force and products of matrices (which only
//! choose candidates) therefore give the same bits, and ties go to the lowest index. Nothing depends on threads.

mod best;
mod kd_tree;
mod kernel_sums;
mod pairs;
mod products;
mod rank;
mod search;

pub use best::Best;
pub use kd_tree::KdTree;
pub use kernel_sums::{KernelSums, LocalKernel};
pub use pairs::PairMetric;
pub use rank::Norm;
pub use search::{NearestRows, Neighbourhoods, SearchMethod, nearest_by, within_by};

#[cfg(test)]
mod tests;
