//! Validation of loaded trees, before a row walks through them.

use super::{FEATURE, LEAF, LEVELS, PackedTrees};
use mercer_core::{ColumnKind, Schema};

/// Whether `n` nodes are one tree in the order node, left subtree, right subtree, so that each has one parent; `right` is
/// the right child of a node that is no leaf.
pub(crate) fn is_preorder(n: usize, right: impl Fn(usize) -> Option<usize>) -> bool {
    let mut sizes = vec![1usize; n];
    for i in (0..n).rev() {
        let Some(right) = right(i) else { continue };
        if i + 1 >= n || right != i + 1 + sizes[i + 1] || right >= n {
            return false;
        }
        sizes[i] = 1 + sizes[i + 1] + sizes[right];
    }
    sizes.first() == Some(&n)
}

impl PackedTrees {
    /// Refuses arrays through which a walk could leave its tree, turn back, or never end.
    pub(crate) fn validate(&self, schema: &Schema, width: usize, outputs: usize) -> Result<(), String> {
        let n = self.nodes.len();
        let kept = |len: usize| len == 0 || len == n;
        let sized = self.cover.len() == n
            && kept(self.rows.len())
            && self.impurity.len() == self.rows.len()
            && n < u32::MAX as usize
            && [self.width, self.outputs].map(|v| v as usize) == [width, outputs]
            && width > 0
            && (width == 1 || width == outputs)
            && self.values.len().is_multiple_of(width)
            && self.n_features as usize == schema.n_features()
            && self.n_features > 0;
        if !sized {
            return Err("the arrays of the trees do not fit each other or the schema".to_owned());
        }
        let rising = |starts: &[u32], strictly: bool, end: usize| {
            starts.first() == Some(&0)
                && starts.windows(2).all(|w| w[0] < w[1] || (!strictly && w[0] == w[1]))
                && starts.last().is_some_and(|&last| last as usize == end)
        };
        if !rising(&self.set_starts, false, self.set_bits.len()) || !rising(&self.roots, true, n) {
            return Err("the trees or the sets of levels overlap or leave gaps".to_owned());
        }
        for t in 0..self.n_trees() {
            let range = self.range(t);
            range.clone().try_for_each(|i| self.validate_node(schema, i, range.end))?;
            let right = |i: usize| {
                let node = &self.nodes[range.start + i];
                (node.feature & LEAF == 0).then(|| (node.right as usize).wrapping_sub(range.start))
            };
            if !is_preorder(range.len(), right) {
                return Err(format!("the nodes of tree {t} do not follow each other"));
            }
        }
        let is_leaf = |i: usize| self.nodes[i].feature & LEAF != 0;
        self.lines.validate(schema, is_leaf, n)?;
        let finite = self.values.iter().all(|v| v.is_finite())
            && self.cover.iter().all(|v| v.is_finite())
            && self.impurity.iter().all(|v| v.is_finite());
        if finite { Ok(()) } else { Err("a number of the trees is not finite".to_owned()) }
    }

    fn validate_node(&self, schema: &Schema, i: usize, end: usize) -> Result<(), String> {
        let (node, sets) = (&self.nodes[i], self.set_starts.len() - 1);
        if node.feature & LEAF != 0 {
            let good =
                node.feature == LEAF && (node.right as usize) < self.values.len() / self.width as usize;
            return if good { Ok(()) } else { Err(format!("leaf {i} has no value")) };
        }
        let Some(feature) = schema.features.get((node.feature & FEATURE) as usize) else {
            return Err(format!("node {i} splits a feature that is not there"));
        };
        if node.right as usize <= i + 1 || node.right as usize >= end {
            return Err(format!("the children of node {i} are not after it"));
        }
        let categorical = feature.kind == ColumnKind::Categorical;
        let good = if node.feature & LEVELS != 0 {
            let (number, whole) = (node.threshold, node.threshold.fract() == 0.0);
            categorical && whole && number >= 0.0 && number < sets as f64
        } else {
            !categorical && !node.threshold.is_nan()
        };
        if good { Ok(()) } else { Err(format!("the test of node {i} does not fit its feature")) }
    }
}

#[cfg(test)]
mod tests {
    use super::is_preorder;

    #[test]
    fn every_node_has_one_parent() {
        let tree = |rights: &'static [usize]| move |i: usize| Some(rights[i]).filter(|r| *r > 0);
        assert!(is_preorder(1, tree(&[0])));
        assert!(is_preorder(5, tree(&[4, 3, 0, 0, 0])));
        assert!(!is_preorder(5, tree(&[3, 3, 0, 0, 0])), "node 3 has two parents, node 4 none");
        assert!(!is_preorder(5, tree(&[2, 0, 0, 0, 0])), "nodes 3 and 4 are nobody's children");
        assert!(!is_preorder(2, tree(&[5, 0])));
        assert!(!is_preorder(1, tree(&[1])));
    }
}
