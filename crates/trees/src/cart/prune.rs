//! Minimal cost-complexity pruning (Breiman et al. 1984, chapter 3), and pruning by the size of leaves.
//!
//! The cost of a subtree T is R(T) + α|T|, with R the impurity of its leaves by weight and |T| their number. A
//! node t is pruned where the leaf costs no more than its subtree: at α = (R(t) − R(T_t)) / (|T_t| − 1).

use crate::grown::{Grown, LEAF};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The sequence of pruned trees.
#[derive(Clone, Debug, PartialEq)]
pub struct PruningPath {
    /// The strengths at which the tree gets smaller, from 0.
    pub ccp_alphas: Vec<f64>,
    /// The impurity of the leaves of each tree.
    pub impurities: Vec<f64>,
}

/// An effective strength; `stamp` tells whether it is still the node's own.
#[derive(PartialEq)]
struct Link {
    alpha: f64,
    id: u32,
    stamp: u32,
}
impl Eq for Link {}
impl PartialOrd for Link {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Link {
    fn cmp(&self, other: &Self) -> Ordering {
        self.alpha.total_cmp(&other.alpha).then(self.id.cmp(&other.id)).then(self.stamp.cmp(&other.stamp))
    }
}

struct Pruner<'a> {
    tree: &'a mut Grown,
    parent: Vec<u32>,
    risk: Vec<f64>,
    subtree: Vec<f64>,
    leaves: Vec<f64>,
    stamp: Vec<u32>,
    heap: BinaryHeap<Reverse<Link>>,
}

impl<'a> Pruner<'a> {
    fn new(tree: &'a mut Grown) -> Self {
        let n = tree.len();
        let total = tree.weight[0];
        let risk: Vec<f64> = (0..n).map(|i| tree.weight[i] * tree.impurity[i] / total).collect();
        let (mut parent, mut subtree, mut leaves) = (vec![LEAF; n], risk.clone(), vec![1.0; n]);
        let order = tree.preorder();
        for &id in order.iter().rev() {
            let (id, l, r) = (id as usize, tree.left[id as usize], tree.right[id as usize]);
            if l != LEAF {
                (parent[l as usize], parent[r as usize]) = (id as u32, id as u32);
                subtree[id] = subtree[l as usize] + subtree[r as usize];
                leaves[id] = leaves[l as usize] + leaves[r as usize];
            }
        }
        let mut pruner =
            Self { tree, parent, risk, subtree, leaves, stamp: vec![0; n], heap: BinaryHeap::new() };
        order.iter().for_each(|&id| pruner.offer(id as usize));
        pruner
    }

    fn offer(&mut self, id: usize) {
        if self.tree.left[id] != LEAF {
            let alpha = (self.risk[id] - self.subtree[id]) / (self.leaves[id] - 1.0);
            self.heap.push(Reverse(Link { alpha, id: id as u32, stamp: self.stamp[id] }));
        }
    }

    /// The weakest link, with its strength.
    fn weakest(&mut self) -> Option<(f64, usize)> {
        while let Some(Reverse(link)) = self.heap.pop() {
            if self.stamp[link.id as usize] == link.stamp {
                return Some((link.alpha, link.id as usize));
            }
        }
        None
    }

    fn prune(&mut self, id: usize) {
        let (risk, leaves) = (self.risk[id] - self.subtree[id], self.leaves[id] - 1.0);
        let mut below = vec![id];
        while let Some(i) = below.pop() {
            self.stamp[i] += 1;
            let (l, r) = (self.tree.left[i], self.tree.right[i]);
            if l != LEAF {
                below.extend([l as usize, r as usize]);
                (self.tree.left[i], self.tree.right[i]) = (LEAF, LEAF);
            }
        }
        self.tree.cut_off(id);
        (self.subtree[id], self.leaves[id]) = (self.risk[id], 1.0);
        let mut at = self.parent[id];
        while at != LEAF {
            let i = at as usize;
            self.subtree[i] += risk;
            self.leaves[i] -= leaves;
            self.stamp[i] += 1;
            self.offer(i);
            at = self.parent[i];
        }
    }
}

/// Removes tests of which both children are leaves and one weighs less than `least`, from the leaves up: their rows
/// are collected in a leaf of their own.
pub(crate) fn by_size(tree: &mut Grown, least: f64) {
    for &id in tree.preorder().iter().rev() {
        let (id, left, right) = (id as usize, tree.left[id as usize], tree.right[id as usize]);
        if left == LEAF {
            continue;
        }
        let small = |child: u32| tree.weight[child as usize] < least;
        let leaf = |child: u32| tree.left[child as usize] == LEAF;
        if leaf(left) && leaf(right) && (small(left) || small(right)) {
            tree.cut_off(id);
        }
    }
}

/// Prunes every link that is no stronger than `alpha`.
pub(crate) fn prune(tree: &mut Grown, alpha: f64) {
    if tree.len() == 0 {
        return;
    }
    let mut pruner = Pruner::new(tree);
    while let Some((weakest, id)) = pruner.weakest() {
        if weakest > alpha {
            break;
        }
        pruner.prune(id);
    }
}

/// Prunes to the root, noting each step.
pub(crate) fn path(mut tree: Grown) -> PruningPath {
    let mut path = PruningPath { ccp_alphas: vec![0.0], impurities: Vec::new() };
    if tree.len() == 0 {
        return path;
    }
    let mut pruner = Pruner::new(&mut tree);
    path.impurities.push(pruner.subtree[0]);
    while let Some((weakest, id)) = pruner.weakest() {
        pruner.prune(id);
        let last = path.ccp_alphas.len() - 1;
        // Links of one strength fall together.
        if weakest > path.ccp_alphas[last] + 1e-14 {
            path.ccp_alphas.push(weakest);
            path.impurities.push(pruner.subtree[0]);
        } else {
            path.impurities[last] = pruner.subtree[0];
        }
    }
    path
}
