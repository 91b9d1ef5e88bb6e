//! A growing tree: nodes in the order they were made.

use crate::cart::criterion::NodeSummary;

/// No child: a leaf.
pub(crate) const LEAF: u32 = u32::MAX;

/// The split rule of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rule {
    Leaf,
    Number { feature: u32, threshold: f64, missing_left: bool },
    Levels { feature: u32, set: Vec<u64>, missing_left: bool },
}

/// The nodes of a growing tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grown {
    pub(crate) rule: Vec<Rule>,
    pub(crate) left: Vec<u32>,
    pub(crate) right: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    pub(crate) weight: Vec<f64>,
    pub(crate) impurity: Vec<f64>,
    pub(crate) loss: Vec<f64>,
    pub(crate) value: Vec<f64>,
}

impl Grown {
    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.rule.len()
    }

    /// Numbers a node predicts.
    pub(crate) fn width(&self) -> usize {
        self.value.len() / self.len().max(1)
    }

    /// Adds a leaf and hangs it under its parent.
    pub(crate) fn push(&mut self, parent: u32, is_left: bool, node: &NodeSummary) -> u32 {
        let id = self.len() as u32;
        self.hang(parent, is_left, id);
        self.rule.push(Rule::Leaf);
        self.left.push(LEAF);
        self.right.push(LEAF);
        self.rows.push(node.rows as u32);
        self.weight.push(node.weight);
        self.impurity.push(node.impurity);
        self.loss.push(node.loss);
        self.value.extend_from_slice(&node.value);
        id
    }

    fn hang(&mut self, parent: u32, is_left: bool, id: u32) {
        let side = if is_left { &mut self.left } else { &mut self.right };
        if let Some(slot) = side.get_mut(parent as usize) {
            *slot = id;
        }
    }

    pub(crate) fn split_number(&mut self, id: u32, feature: u32, threshold: f64, missing_left: bool) {
        self.rule[id as usize] = Rule::Number { feature, threshold, missing_left };
    }

    pub(crate) fn split_levels(&mut self, id: u32, feature: u32, set: Vec<u64>, missing_left: bool) {
        self.rule[id as usize] = Rule::Levels { feature, set, missing_left };
    }

    /// Adds a whole subtree and hangs its root under `parent`.
    pub(crate) fn append(&mut self, parent: u32, is_left: bool, other: Grown) {
        let base = self.len() as u32;
        self.hang(parent, is_left, base);
        let moved = |child: u32| if child == LEAF { LEAF } else { child + base };
        self.rule.extend(other.rule);
        self.left.extend(other.left.into_iter().map(moved));
        self.right.extend(other.right.into_iter().map(moved));
        self.rows.extend(other.rows);
        self.weight.extend(other.weight);
        self.impurity.extend(other.impurity);
        self.loss.extend(other.loss);
        self.value.extend(other.value);
    }

    /// Makes node `id` a leaf; what hangs under it is left behind.
    pub(crate) fn cut_off(&mut self, id: usize) {
        self.rule[id] = Rule::Leaf;
        (self.left[id], self.right[id]) = (LEAF, LEAF);
    }

    /// The nodes in order: each node, then its left subtree, then its right one.
    pub(crate) fn preorder(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.len());
        let mut stack = if self.len() == 0 { Vec::new() } else { vec![0] };
        while let Some(id) = stack.pop() {
            order.push(id);
            let (left, right) = (self.left[id as usize], self.right[id as usize]);
            if left != LEAF && right != LEAF {
                stack.push(right);
                stack.push(left);
            }
        }
        order
    }

    /// The loss of the certificate over all leaves.
    pub(crate) fn leaf_loss(&self) -> f64 {
        self.preorder()
            .iter()
            .filter(|&&i| self.left[i as usize] == LEAF)
            .map(|&i| self.loss[i as usize])
            .sum()
    }
}
