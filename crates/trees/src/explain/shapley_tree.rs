//! A tree prepared for Shapley values: what of them depends on the tree alone.

use super::quadrature::gauss_legendre;
use crate::cart::tree::{SplitView, Test, Tree};

/// A tree as an explanation sees it: nodes in the order node, left subtree, right subtree.
pub(crate) trait Branches: Sync {
    /// Number of nodes; the root is node 0.
    fn n_nodes(&self) -> usize;
    /// The split of node `i`, unless it is a leaf.
    fn split(&self, i: usize) -> Option<SplitView<'_>>;
    /// The weight of the training rows in node `i`.
    fn cover(&self, i: usize) -> f64;
    /// The numbers of leaf `i`.
    fn value(&self, i: usize) -> &[f64];
}

impl Branches for &Tree {
    fn n_nodes(&self) -> usize {
        Tree::n_nodes(self)
    }
    fn split(&self, i: usize) -> Option<SplitView<'_>> {
        self.node(i)?.split
    }
    fn cover(&self, i: usize) -> f64 {
        self.weight[i]
    }
    fn value(&self, i: usize) -> &[f64] {
        Tree::value(self, i)
    }
}

/// No edge above tests the same feature.
pub(crate) const NONE: u32 = u32::MAX;

/// The edge from a node's parent to the node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) parent: u32,
    pub(crate) feature: u32,
    /// The nearest edge above that tests the same feature.
    pub(crate) above: u32,
    pub(crate) is_left: bool,
    /// The product of the shares along the path at splits on the feature, this edge included; and without it.
    pub(crate) share: f64,
    pub(crate) share_above: f64,
}

/// A tree prepared for Shapley values.
pub(crate) struct ShapleyTree<'a> {
    /// For each node but the root, node 0.
    pub(crate) edges: Vec<Edge>,
    pub(crate) splits: Vec<Option<SplitView<'a>>>,
    pub(crate) leaves: Vec<&'a [f64]>,
    /// The leaf of each node, or [`NONE`].
    pub(crate) leaf_of: Vec<u32>,
    pub(crate) width: usize,
    /// Points of the quadrature, a multiple of 4; further ones weigh nothing.
    pub(crate) points: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    /// For each edge: the factors when the row followed the feature so far, and leaves it here, or follows it on; and
    /// the slopes for both; `points.len()` numbers each.
    pub(crate) tables: Vec<f64>,
}

impl<'a> ShapleyTree<'a> {
    pub(crate) fn new<B: Branches>(tree: &'a B) -> Self {
        let n = tree.n_nodes();
        let cover: Vec<f64> = (0..n).map(|i| tree.cover(i)).collect();
        let splits: Vec<_> = (0..n).map(|i| tree.split(i)).collect();
        let root =
            Edge { parent: NONE, feature: NONE, above: NONE, is_left: false, share: 1.0, share_above: 1.0 };
        let mut edges = vec![root; n];
        let mut distinct = vec![0usize; n];
        for (i, split) in splits.iter().enumerate() {
            let Some(split) = split else { continue };
            let above = nearest(&edges, i, split.feature as u32);
            let share_above = if above == NONE { 1.0 } else { edges[above as usize].share };
            for (child, is_left) in [(split.left, true), (split.right, false)] {
                // A branch that no training row took has a share all the same, so that nothing is divided by 0.
                let part = if cover[i] > 0.0 { (cover[child] / cover[i]).max(1e-12) } else { 0.5 };
                let share = share_above * part;
                edges[child] = Edge {
                    parent: i as u32,
                    feature: split.feature as u32,
                    above,
                    is_left,
                    share,
                    share_above,
                };
                distinct[child] = distinct[i] + usize::from(above == NONE);
            }
        }
        let most = distinct.into_iter().max().unwrap_or(0).max(1);
        let (points, weights) = rule(most.div_ceil(2));
        let (mut leaves, mut leaf_of) = (Vec::new(), vec![NONE; n]);
        for i in (0..n).filter(|&i| splits[i].is_none()) {
            leaf_of[i] = leaves.len() as u32;
            leaves.push(tree.value(i));
        }
        let width = leaves.first().map_or(0, |v| v.len());
        let mut shapley = Self { edges, splits, leaves, leaf_of, width, points, weights, tables: Vec::new() };
        shapley.tables = shapley.tabulate();
        shapley
    }

    fn tabulate(&self) -> Vec<f64> {
        let q = self.points.len();
        let mut tables = vec![0.0; self.edges.len() * 4 * q];
        for (edge, table) in self.edges.iter().zip(tables.chunks_mut(4 * q)).skip(1) {
            let (p, a) = (edge.share, edge.share_above);
            for (k, &t) in self.points.iter().enumerate() {
                let (left, on, above) = (p * (1.0 - t), p * (1.0 - t) + t, a * (1.0 - t) + t);
                let slope_above = (1.0 - a) / above;
                table[k] = left / above;
                table[q + k] = on / above;
                table[2 * q + k] = -1.0 / (1.0 - t) - slope_above;
                table[3 * q + k] = (1.0 - p) / on - slope_above;
            }
        }
        tables
    }

    /// The mean of the leaves over the training weight.
    pub(crate) fn mean(&self) -> Vec<f64> {
        let mut chance = vec![1.0; self.edges.len()];
        let mut mean = vec![0.0; self.width];
        for (i, edge) in self.edges.iter().enumerate() {
            if i > 0 {
                chance[i] = chance[edge.parent as usize] * edge.share / edge.share_above;
            }
            if self.leaf_of[i] != NONE {
                let value = self.leaves[self.leaf_of[i] as usize];
                mean.iter_mut().zip(value).for_each(|(m, v)| *m += chance[i] * v);
            }
        }
        mean
    }

    /// Whether a row with this value at the feature of split `i` goes left.
    pub(crate) fn goes_left(&self, i: usize, value: impl Fn(usize) -> f64) -> bool {
        let Some(split) = &self.splits[i] else { return false };
        let value = value(split.feature);
        match split.test {
            _ if value.is_nan() => split.missing_left,
            Test::AtMost(threshold) => value <= threshold,
            Test::In(set) => {
                let code = value as usize;
                set.get(code / 64).map_or(split.missing_left, |word| word >> (code % 64) & 1 == 1)
            }
        }
    }
}

/// The edge into or above node `i` that tests the feature.
fn nearest(edges: &[Edge], i: usize, feature: u32) -> u32 {
    let mut at = i as u32;
    while at != 0 {
        let edge = &edges[at as usize];
        if edge.feature == feature {
            return at;
        }
        at = edge.parent;
    }
    NONE
}

/// The rule with at least `n` points, padded to a multiple of 4.
fn rule(n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut points, mut weights): (Vec<f64>, Vec<f64>) = gauss_legendre(n).into_iter().unzip();
    points.resize(n.next_multiple_of(4), 0.5);
    weights.resize(n.next_multiple_of(4), 0.0);
    (points, weights)
}
