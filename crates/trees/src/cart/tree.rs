//! A fitted decision tree in flat arrays, and the walk from the root to a leaf.

use crate::grown::{Grown, Rule};
use crate::packed::{PackedTrees, is_preorder};
use crate::sorted_columns::columns;
use mercer_core::{Attribute, ColumnKind, Error, Input, Result, RowData, Schema, Session, Unseen};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// One row of an input, aligned to the schema, as numbers by feature.
pub(crate) fn with_row<T>(
    owner: &str,
    input: &Input<'_>,
    schema: &Schema,
    row: usize,
    use_row: impl FnOnce(&dyn Fn(usize) -> f64) -> T,
) -> Result<T> {
    let input = schema.align(owner, input, Unseen::Missing)?;
    let rows = input.rows(owner)?;
    if row >= rows.n_rows() {
        return Err(Error::shape("a row below", rows.n_rows(), row));
    }
    let one = rows.gather(&[row]);
    let table = columns(owner, &one)?;
    Ok(use_row(&|j| table[j].number(0)))
}

/// A leaf.
const LEAF: u32 = u32::MAX;
/// Missing values go left.
const MISSING_LEFT: u32 = 1 << 31;
/// The threshold is the number of a set of levels.
const LEVELS: u32 = 1 << 30;
/// The feature of a split.
const FEATURE: u32 = LEVELS - 1;
/// Rows that one task predicts.
const BLOCK: usize = 1024;
/// Fewer rows than this are predicted in place.
const IN_PLACE: usize = 4096;

/// A node, as far as the walk needs it, a quarter of a cache line. The left child of node i is node i + 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Node {
    /// The feature with its flags, or [`LEAF`].
    feature: u32,
    right: u32,
    threshold: f64,
}

/// A decision tree in flat arrays; nodes in the order node, left subtree, right subtree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// Where each set of levels starts in `set_bits`; one more than there are sets.
    set_starts: Vec<u32>,
    /// One bit a level: it goes left.
    set_bits: Vec<u64>,
    /// Nodes × width: class shares, means or medians.
    pub(crate) values: Vec<f64>,
    width: u32,
    n_features: u32,
    pub(crate) impurity: Vec<f64>,
    pub(crate) weight: Vec<f64>,
    pub(crate) rows: Vec<u32>,
}

/// One node of a [`Tree`], as people see it.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeView<'a> {
    /// The split, unless the node is a leaf.
    pub split: Option<SplitView<'a>>,
    /// Class shares, or the mean or median of each output.
    pub value: &'a [f64],
    /// Impurity of the criterion.
    pub impurity: f64,
    /// Weight of the training rows.
    pub weight: f64,
    /// Number of training rows of positive weight.
    pub rows: usize,
}

/// The split of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitView<'a> {
    /// The feature.
    pub feature: usize,
    /// Where it is cut.
    pub test: Test<'a>,
    /// Whether missing values and unknown levels go left.
    pub missing_left: bool,
    /// The left child, where the test holds.
    pub left: usize,
    /// The right child.
    pub right: usize,
}

/// The test of a split: what sends a row to the left child.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test<'a> {
    /// The value is at most this; infinity parts present from missing values.
    AtMost(f64),
    /// The bit of the level's code is set.
    In(&'a [u64]),
}

impl Tree {
    /// The flat form of a grown tree.
    pub(crate) fn new(grown: &Grown, n_features: usize) -> Self {
        let order = grown.preorder();
        let mut place = vec![0u32; grown.len()];
        order.iter().enumerate().for_each(|(at, &id)| place[id as usize] = at as u32);
        let (mut nodes, mut set_starts, mut set_bits) =
            (Vec::with_capacity(order.len()), vec![0], Vec::new());
        for &id in &order {
            let flag = |missing_left: bool| if missing_left { MISSING_LEFT } else { 0 };
            let right = grown.right[id as usize];
            nodes.push(match &grown.rule[id as usize] {
                Rule::Leaf => Node { feature: LEAF, right: 0, threshold: 0.0 },
                Rule::Number { feature, threshold, missing_left } => {
                    let feature = feature | flag(*missing_left);
                    Node { feature, right: place[right as usize], threshold: *threshold }
                }
                Rule::Levels { feature, set, missing_left } => {
                    let threshold = (set_starts.len() - 1) as f64;
                    set_bits.extend_from_slice(set);
                    set_starts.push(set_bits.len() as u32);
                    let feature = feature | LEVELS | flag(*missing_left);
                    Node { feature, right: place[right as usize], threshold }
                }
            });
        }
        let width = grown.width();
        let ids = || order.iter().map(|&id| id as usize);
        let values = ids().flat_map(|i| &grown.value[i * width..][..width]).copied().collect();
        Self {
            nodes,
            set_starts,
            set_bits,
            values,
            width: width as u32,
            n_features: n_features as u32,
            impurity: ids().map(|i| grown.impurity[i]).collect(),
            weight: ids().map(|i| grown.weight[i]).collect(),
            rows: ids().map(|i| grown.rows[i]).collect(),
        }
    }

    /// Tree `t`, which there is, of packed trees that keep what is known of their nodes.
    pub(crate) fn unpacked(packed: &PackedTrees, t: usize) -> Self {
        let n = packed.n_nodes(t);
        let (mut nodes, mut set_starts, mut set_bits) = (Vec::with_capacity(n), vec![0], Vec::new());
        for i in 0..n {
            nodes.push(packed.split(t, i).map_or(
                Node { feature: LEAF, right: 0, threshold: 0.0 },
                |split| {
                    let flag = if split.missing_left { MISSING_LEFT } else { 0 };
                    let (levels, threshold) = match split.test {
                        Test::AtMost(threshold) => (0, threshold),
                        Test::In(set) => {
                            set_bits.extend_from_slice(set);
                            set_starts.push(set_bits.len() as u32);
                            (LEVELS, (set_starts.len() - 2) as f64)
                        }
                    };
                    Node {
                        feature: split.feature as u32 | levels | flag,
                        right: split.right as u32,
                        threshold,
                    }
                },
            ));
        }
        let details: Vec<(usize, f64)> = (0..n).filter_map(|i| packed.details(t, i)).collect();
        Self {
            nodes,
            set_starts,
            set_bits,
            values: packed.node_values(t).concat(),
            width: packed.outputs() as u32,
            n_features: packed.n_features() as u32,
            impurity: details.iter().map(|d| d.1).collect(),
            weight: (0..n).map(|i| packed.cover(t, i).unwrap_or(0.0)).collect(),
            rows: details.iter().map(|d| d.0 as u32).collect(),
        }
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Number of leaves.
    pub fn n_leaves(&self) -> usize {
        self.nodes.iter().filter(|n| n.feature == LEAF).count()
    }

    /// Numbers that a leaf predicts.
    pub(crate) fn width(&self) -> usize {
        self.width as usize
    }

    /// What node `i` predicts.
    pub(crate) fn value(&self, i: usize) -> &[f64] {
        &self.values[i * self.width()..][..self.width()]
    }

    /// Node `i`, below [`Tree::n_nodes`]; the root is node 0.
    pub fn node(&self, i: usize) -> Option<NodeView<'_>> {
        let node = self.nodes.get(i)?;
        let split = (node.feature != LEAF).then(|| SplitView {
            feature: (node.feature & FEATURE) as usize,
            test: if node.feature & LEVELS != 0 {
                Test::In(self.set(node))
            } else {
                Test::AtMost(node.threshold)
            },
            missing_left: node.feature & MISSING_LEFT != 0,
            left: i + 1,
            right: node.right as usize,
        });
        let (impurity, weight, rows) = (self.impurity[i], self.weight[i], self.rows[i] as usize);
        Some(NodeView { split, value: self.value(i), impurity, weight, rows })
    }

    /// The number of splits on the longest way to a leaf.
    pub fn depth(&self) -> usize {
        let mut depth = vec![0usize; self.nodes.len()];
        let mut deepest = 0;
        for (i, node) in self.nodes.iter().enumerate() {
            if node.feature != LEAF {
                (depth[i + 1], depth[node.right as usize]) = (depth[i] + 1, depth[i] + 1);
            }
            deepest = deepest.max(depth[i]);
        }
        deepest
    }

    /// The decrease of impurity that each feature brought, summing to 1 (or all 0 without a split).
    pub fn importances(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.n_features as usize];
        let part = |i: usize| self.weight[i] * self.impurity[i];
        for (i, node) in self.nodes.iter().enumerate().filter(|(_, n)| n.feature != LEAF) {
            out[(node.feature & FEATURE) as usize] += part(i) - part(i + 1) - part(node.right as usize);
        }
        let total: f64 = out.iter().sum();
        if total > 0.0 {
            out.iter_mut().for_each(|v| *v /= total);
        }
        out
    }

    #[inline]
    fn set(&self, node: &Node) -> &[u64] {
        let s = node.threshold as usize;
        &self.set_bits[self.set_starts[s] as usize..self.set_starts[s + 1] as usize]
    }

    #[inline]
    fn child(&self, at: usize, node: &Node, value: f64) -> usize {
        let go_left = if value.is_nan() {
            node.feature & MISSING_LEFT != 0
        } else if node.feature & LEVELS == 0 {
            value <= node.threshold
        } else {
            let code = value as usize;
            let known = self.set(node).get(code / 64).map(|word| word >> (code % 64) & 1 == 1);
            known.unwrap_or(node.feature & MISSING_LEFT != 0)
        };
        if go_left { at + 1 } else { node.right as usize }
    }

    /// The nodes that a row whose feature `j` is `value(j)` comes by, from the root to its leaf.
    pub(crate) fn path(&self, value: impl Fn(usize) -> f64) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(0), move |&at| {
            let node = &self.nodes[at];
            (node.feature != LEAF).then(|| self.child(at, node, value((node.feature & FEATURE) as usize)))
        })
    }

    /// The nodes that a row of the input comes by.
    pub(crate) fn path_of(
        &self,
        owner: &str,
        input: &Input<'_>,
        schema: &Schema,
        row: usize,
    ) -> Result<Vec<usize>> {
        with_row(owner, input, schema, row, |value| self.path(value).collect())
    }

    /// The leaf of a row whose feature `j` is `value(j)`.
    #[inline]
    pub(crate) fn leaf(&self, value: impl Fn(usize) -> f64) -> usize {
        let mut at = 0;
        loop {
            let node = &self.nodes[at];
            if node.feature == LEAF {
                return at;
            }
            at = self.child(at, node, value((node.feature & FEATURE) as usize));
        }
    }

    /// The leaves of eight rows, walked side by side so that their loads overlap.
    fn leaves_of_eight(&self, rows: [&[f64]; 8]) -> [usize; 8] {
        let mut at = [0usize; 8];
        loop {
            let mut moving = false;
            for (at, row) in at.iter_mut().zip(rows) {
                let node = &self.nodes[*at];
                if node.feature != LEAF {
                    *at = self.child(*at, node, row[(node.feature & FEATURE) as usize]);
                    moving = true;
                }
            }
            if !moving {
                return at;
            }
        }
    }

    /// Calls `write(row, leaf, out)` for each row, `stride` numbers of `out` a row.
    pub(crate) fn predict<T: Default + Clone + Send + Sync>(
        &self,
        input: &Input<'_>,
        session: &Session,
        stride: usize,
        write: impl Fn(usize, &mut [T]) + Sync,
    ) -> Result<Vec<T>> {
        let rows = input.rows("a tree")?;
        let n = rows.n_rows();
        let mut out = vec![T::default(); n * stride];
        let table = match rows.data() {
            RowData::Dense(_) => Vec::new(),
            _ => columns("a tree", rows)?,
        };
        let block = |start: usize, out: &mut [T]| match rows.data() {
            RowData::Dense(m) if m.view().has_contiguous_rows() => {
                let view = m.view();
                let row = |i: usize| view.row(i).unwrap_or(&[]);
                let mut i = start;
                for chunk in out.chunks_mut(8 * stride) {
                    let mut leaves = [0; 8];
                    let here = chunk.len() / stride;
                    if here == 8 {
                        leaves = self.leaves_of_eight(std::array::from_fn(|k| row(i + k)));
                    } else {
                        (0..here).for_each(|k| leaves[k] = self.leaf(|j| row(i + k)[j]));
                    }
                    chunk.chunks_mut(stride).zip(leaves).for_each(|(out, leaf)| write(leaf, out));
                    i += here;
                }
            }
            RowData::Dense(m) => {
                let view = m.view();
                for (k, out) in out.chunks_mut(stride).enumerate() {
                    write(self.leaf(|j| view.get(start + k, j)), out);
                }
            }
            _ => {
                for (k, out) in out.chunks_mut(stride).enumerate() {
                    write(self.leaf(|j| table[j].number(start + k)), out);
                }
            }
        };
        if n < IN_PLACE {
            block(0, &mut out);
        } else {
            let blocks = || {
                out.par_chunks_mut(BLOCK * stride).enumerate().for_each(|(b, out)| block(b * BLOCK, out));
            };
            session.run(blocks);
        }
        Ok(out)
    }

    /// The leaf of every row: its node.
    pub fn apply(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>> {
        self.predict(input, session, 1, |leaf, out| out[0] = leaf as u32)
    }

    /// The attributes of scikit-learn's trees.
    pub(crate) fn attributes(&self) -> Vec<Attribute> {
        let importances = self.importances();
        let doc = "The decrease of impurity that each feature brought, summing to 1.";
        vec![
            Attribute::real("feature_importances_", doc, &[importances.len()], importances),
            Attribute::int("n_leaves_", "Number of leaves.", &[], vec![self.n_leaves() as i64]),
            Attribute::int(
                "max_depth_",
                "Splits on the longest way to a leaf.",
                &[],
                vec![self.depth() as i64],
            ),
        ]
    }

    /// Refuses arrays through which a walk could leave them, turn back, or never end.
    pub(crate) fn validate(&self, schema: &Schema, width: usize) -> Result<(), String> {
        let n = self.nodes.len();
        let sized = n > 0
            && self.width() == width
            && n.checked_mul(width) == Some(self.values.len())
            && [self.impurity.len(), self.weight.len(), self.rows.len()] == [n; 3]
            && self.n_features as usize == schema.n_features();
        if !sized {
            return Err("the arrays of the tree do not fit each other or the schema".to_owned());
        }
        let sets = self.set_starts.first() == Some(&0)
            && self.set_starts.windows(2).all(|w| w[0] <= w[1])
            && self.set_starts.last().is_some_and(|&end| end as usize == self.set_bits.len());
        if !sets {
            return Err("the sets of levels overlap or leave gaps".to_owned());
        }
        self.nodes.iter().enumerate().try_for_each(|(i, node)| self.validate_node(schema, i, node))?;
        let right = |i: usize| (self.nodes[i].feature != LEAF).then(|| self.nodes[i].right as usize);
        if !is_preorder(n, right) {
            return Err("the nodes of the tree do not follow each other".to_owned());
        }
        let numbers = [&self.values, &self.impurity, &self.weight].into_iter().flatten();
        if numbers.copied().any(|v| !v.is_finite()) {
            return Err("a number of the tree is not finite".to_owned());
        }
        Ok(())
    }

    fn validate_node(&self, schema: &Schema, i: usize, node: &Node) -> Result<(), String> {
        if node.feature == LEAF {
            return Ok(());
        }
        let feature = schema.features.get((node.feature & FEATURE) as usize);
        let Some(feature) = feature else {
            return Err(format!("node {i} splits a feature that is not there"));
        };
        let right = node.right as usize;
        if right <= i + 1 || right >= self.nodes.len() {
            return Err(format!("the children of node {i} are not after it"));
        }
        let good = if node.feature & LEVELS != 0 {
            let whole = node.threshold >= 0.0 && node.threshold.fract() == 0.0;
            feature.kind == ColumnKind::Categorical
                && whole
                && node.threshold < (self.set_starts.len() - 1) as f64
        } else {
            feature.kind != ColumnKind::Categorical && !node.threshold.is_nan()
        };
        if good { Ok(()) } else { Err(format!("the test of node {i} does not fit its feature")) }
    }
}
