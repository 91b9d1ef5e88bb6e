//! Packed trees: many trees in one set of flat arrays, and the walk of many rows through all of them.
//!
//! Rows are walked in blocks, tree after tree inside a block, [`LANES`] rows side by side without branches, so that
//! their loads overlap and a tree is in the cache for all rows of a block. Few rows walk [`LANES`] trees side by side
//! instead. A row's leaves are met in the order of the trees whatever the block, so sums are the same at any number
//! of threads.

mod known;
mod lines;
mod ranks;
mod source;
mod validate;
mod visit;

use crate::cart::tree::{SplitView, Test};
use crate::grown::{Grown, LEAF as NO_CHILD, Rule};
use lines::Lines;
use mercer_core::{Error, Input, Result, Session};
use ranks::{Lazy, Ranked};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use source::{Block, Source};
use std::collections::HashMap;
use std::ops::Range;
pub(crate) use validate::is_preorder;
use visit::{Plain, Visit};

pub(crate) use lines::Line;

/// Missing values go left.
const MISSING_LEFT: u32 = 1 << 31;
/// The threshold is the number of a set of levels.
const LEVELS: u32 = 1 << 30;
/// The node is a leaf; `right` is the place of its value.
const LEAF: u32 = 1 << 29;
/// The feature of a split; 0 for a leaf.
const FEATURE: u32 = LEAF - 1;
/// Rows, or trees, that walk side by side.
const LANES: usize = 8;
/// Most rows of a block.
const BLOCK: usize = 4096;
/// So many rows are walked through so many trees by their ranks, which take some preparation.
const MANY: (usize, usize) = (4096, 16);
/// Walks worth a task of their own.
const TASK: usize = 1 << 13;

/// A node, as far as the walk needs it, a quarter of a cache line. The left child of node i is node i + 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Node {
    /// The feature with its flags.
    feature: u32,
    /// The right child, or the place of a leaf's value.
    right: u32,
    threshold: f64,
}

/// A leaf that a row has come to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    /// Its node among those of all trees.
    node: u32,
    /// The place of its value.
    place: u32,
}

/// A cursor on a row under way, whose values are looked up only where they are asked for.
#[derive(Clone, Copy)]
pub(crate) struct RowCursor<'a> {
    rows: &'a Block<'a>,
    i: usize,
}

impl<'a> RowCursor<'a> {
    #[inline]
    fn row(self) -> &'a [f64] {
        self.rows.row(self.i)
    }
}

/// The parts of a tree as its grower leaves it: nodes in any order, the root first. Only the values of leaves are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeParts<'a> {
    pub(crate) rule: &'a [Rule],
    pub(crate) left: &'a [u32],
    pub(crate) right: &'a [u32],
    /// Weight of the training rows of each node.
    pub(crate) cover: &'a [f64],
    /// Nodes × width.
    pub(crate) value: &'a [f64],
    /// The lines of the leaves beside their values; empty where no leaf has any.
    pub(crate) lines: &'a [Option<Line>],
    /// Rows and impurity of each node; empty where nobody will ask.
    pub(crate) details: (&'a [u32], &'a [f64]),
}

impl<'a> From<&'a Grown> for TreeParts<'a> {
    fn from(grown: &'a Grown) -> Self {
        Self {
            rule: &grown.rule,
            left: &grown.left,
            right: &grown.right,
            cover: &grown.weight,
            value: &grown.value,
            lines: &[],
            details: (&grown.rows, &grown.impurity),
        }
    }
}

/// Packed trees, in flat arrays; the nodes of each in the order node, left subtree, right subtree.
///
/// A leaf has `width` numbers. With `width` = `outputs` they are added to the outputs one by one (forests); with
/// `width` = 1 the leaves of tree t are added to output t mod `outputs` (boosting: one tree a class and round).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PackedTrees {
    nodes: Vec<Node>,
    /// Where each tree starts in `nodes`; one more than there are trees.
    roots: Vec<u32>,
    /// Where each set of levels starts in `set_bits`; one more than there are sets.
    set_starts: Vec<u32>,
    /// One bit a level: it goes left.
    set_bits: Vec<u64>,
    /// The different values of the leaves × width.
    values: Vec<f64>,
    /// Weight of the training rows of each node.
    cover: Vec<f32>,
    /// Number of training rows and impurity of each node; empty where they are not kept.
    rows: Vec<u32>,
    impurity: Vec<f64>,
    /// What leaves add instead of their value, where they hold lines and the row misses no value of them.
    lines: Lines,
    width: u32,
    outputs: u32,
    n_features: u32,
    /// Made when many rows are walked for the first time; `None` inside where it cannot be.
    #[serde(skip)]
    ranked: Lazy,
}

impl PackedTrees {
    /// Packed trees without trees.
    pub(crate) fn new(n_features: usize, width: usize, outputs: usize) -> Self {
        let (nodes, set_bits, values, cover, rows, impurity) = Default::default();
        let (width, outputs, n_features) = (width as u32, outputs as u32, n_features as u32);
        let (roots, set_starts) = (vec![0], vec![0]);
        let (lines, ranked) = (Lines::default(), Lazy::default());
        Self {
            nodes,
            roots,
            set_starts,
            set_bits,
            values,
            cover,
            rows,
            impurity,
            lines,
            width,
            outputs,
            n_features,
            ranked,
        }
    }

    /// Adds a tree.
    pub(crate) fn push(&mut self, tree: TreeParts<'_>) -> Result<()> {
        self.check_room(tree.rule.len(), tree.rule.len())?;
        self.ranked = Lazy::default();
        let (base, width) = (self.nodes.len(), self.width as usize);
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        let lined = !self.lines.is_empty() || !tree.lines.is_empty();
        if lined {
            self.lines.begin(base);
        }
        // The node, and whose right child it is.
        let mut stack = if tree.rule.is_empty() { Vec::new() } else { vec![(0u32, None)] };
        while let Some((id, parent)) = stack.pop() {
            let (i, at) = (id as usize, self.nodes.len());
            if let Some(parent) = parent {
                self.nodes[parent as usize].right = at as u32;
            }
            self.cover.push(tree.cover[i] as f32);
            self.rows.extend(tree.details.0.get(i));
            self.impurity.extend(tree.details.1.get(i));
            if lined {
                self.lines.push(tree.lines.get(i).and_then(Option::as_ref));
            }
            let flag = |missing_left: bool| if missing_left { MISSING_LEFT } else { 0 };
            let (feature, threshold) = match &tree.rule[i] {
                Rule::Leaf => {
                    let right = self.value_place(&tree.value[i * width..][..width], &mut known);
                    self.nodes.push(Node { feature: LEAF, right, threshold: 0.0 });
                    continue;
                }
                Rule::Number { feature, threshold, missing_left } => {
                    (feature | flag(*missing_left), *threshold)
                }
                Rule::Levels { feature, set, missing_left } => {
                    let threshold = (self.set_starts.len() - 1) as f64;
                    self.set_bits.extend_from_slice(set);
                    self.set_starts.push(self.set_bits.len() as u32);
                    (feature | LEVELS | flag(*missing_left), threshold)
                }
            };
            debug_assert!(tree.left[i] != NO_CHILD && tree.right[i] != NO_CHILD);
            self.nodes.push(Node { feature, right: 0, threshold });
            stack.push((tree.right[i], Some(at as u32)));
            stack.push((tree.left[i], None));
        }
        debug_assert!(self.nodes.len() > base);
        self.roots.push(self.nodes.len() as u32);
        Ok(())
    }

    fn value_place(&mut self, value: &[f64], known: &mut HashMap<Vec<u64>, u32>) -> u32 {
        let new = (self.values.len() / self.width as usize) as u32;
        let place = *known.entry(value.iter().map(|v| v.to_bits()).collect()).or_insert(new);
        if place == new {
            self.values.extend_from_slice(value);
        }
        place
    }

    /// Adds all trees of another of the same shape.
    pub(crate) fn append(&mut self, other: &PackedTrees) -> Result<()> {
        self.check_room(other.nodes.len(), other.set_bits.len())?;
        self.ranked = Lazy::default();
        let (nodes, sets) = (self.nodes.len() as u32, self.set_starts.len() as u32 - 1);
        let (bits, values) = (self.set_bits.len() as u32, (self.values.len() / self.width as usize) as u32);
        self.lines.append(self.nodes.len(), &other.lines, other.nodes.len());
        self.nodes.extend(other.nodes.iter().map(|node| {
            let moved = if node.feature & LEAF != 0 { values } else { nodes };
            let threshold = node.threshold + if node.feature & LEVELS != 0 { f64::from(sets) } else { 0.0 };
            Node { feature: node.feature, right: node.right + moved, threshold }
        }));
        self.roots.extend(other.roots[1..].iter().map(|r| r + nodes));
        self.set_starts.extend(other.set_starts[1..].iter().map(|s| s + bits));
        self.set_bits.extend_from_slice(&other.set_bits);
        self.values.extend_from_slice(&other.values);
        self.cover.extend_from_slice(&other.cover);
        self.rows.extend_from_slice(&other.rows);
        self.impurity.extend_from_slice(&other.impurity);
        Ok(())
    }

    fn check_room(&self, nodes: usize, bits: usize) -> Result<()> {
        let (most, got) = (u32::MAX as usize, self.nodes.len() + nodes);
        if got < most && self.set_bits.len() + bits < most {
            return Ok(());
        }
        Err(Error::shape("nodes or levels of all trees, below", most, got.max(self.set_bits.len() + bits)))
    }

    /// Number of trees.
    pub fn n_trees(&self) -> usize {
        // A forged file may have no roots at all, before it is refused.
        self.roots.len().saturating_sub(1)
    }

    /// Number of nodes of tree `t`, or 0 where there is no such tree.
    pub fn n_nodes(&self, t: usize) -> usize {
        self.range(t).len()
    }

    /// Numbers of a row of [`PackedTrees::sum`].
    pub fn outputs(&self) -> usize {
        self.outputs as usize
    }

    fn range(&self, t: usize) -> Range<usize> {
        match self.roots.get(t..t.saturating_add(2)) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    fn node(&self, t: usize, i: usize) -> Option<(&Node, usize)> {
        let range = self.range(t);
        let at = range.start + i;
        (i < range.len()).then(|| (&self.nodes[at], range.start))
    }

    /// The split of node `i` of tree `t`, unless it is a leaf or not there; its children are counted from the root 0.
    pub fn split(&self, t: usize, i: usize) -> Option<SplitView<'_>> {
        let (node, root) = self.node(t, i).filter(|(node, _)| node.feature & LEAF == 0)?;
        let test = if node.feature & LEVELS != 0 {
            Test::In(self.set(node.threshold))
        } else {
            Test::AtMost(node.threshold)
        };
        let (feature, missing_left) = ((node.feature & FEATURE) as usize, node.feature & MISSING_LEFT != 0);
        Some(SplitView { feature, test, missing_left, left: i + 1, right: node.right as usize - root })
    }

    /// The numbers of leaf `i` of tree `t`.
    pub fn value(&self, t: usize, i: usize) -> Option<&[f64]> {
        self.node(t, i)
            .filter(|(node, _)| node.feature & LEAF != 0)
            .map(|(node, _)| self.value_at(node.right))
    }

    /// The line of leaf `i` of tree `t`, where it has one: its intercept, and features with their coefficients. A row
    /// with all of these features has it instead of [`PackedTrees::value`].
    pub fn line(&self, t: usize, i: usize) -> Option<(f64, &[(u32, f64)])> {
        self.node(t, i).and_then(|(_, root)| self.lines.line(root + i))
    }

    /// Whether any leaf holds a line.
    pub fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    /// The weight of the training rows in node `i` of tree `t`.
    pub fn cover(&self, t: usize, i: usize) -> Option<f64> {
        self.node(t, i).map(|(_, root)| f64::from(self.cover[root + i]))
    }

    #[inline]
    fn value_at(&self, place: u32) -> &[f64] {
        let width = self.width as usize;
        &self.values[place as usize * width..][..width]
    }

    #[inline]
    fn set(&self, number: f64) -> &[u64] {
        let s = number as usize;
        &self.set_bits[self.set_starts[s] as usize..self.set_starts[s + 1] as usize]
    }

    fn leaf(&self, node: u32) -> Leaf {
        Leaf { node, place: self.nodes[node as usize].right }
    }

    /// The next node of a row that has `value` at the node's feature; a leaf is its own next node.
    #[inline(always)]
    fn next<const SETS: bool>(&self, at: u32, node: &Node, value: f64) -> u32 {
        let missing_left = node.feature & MISSING_LEFT != 0;
        let mut go_left = (value <= node.threshold) | (value.is_nan() & missing_left);
        if SETS && node.feature & LEVELS != 0 {
            let code = value as usize;
            let known = self.set(node.threshold).get(code / 64).map(|word| word >> (code % 64) & 1 == 1);
            go_left = if value.is_nan() { missing_left } else { known.unwrap_or(missing_left) };
        }
        let child = select(go_left, at + 1, node.right);
        select(node.feature & LEAF == 0, child, at)
    }

    /// Walks each lane from its node to a leaf.
    #[inline(always)]
    fn settle<const SETS: bool>(&self, at: &mut [u32; LANES], rows: [&[f64]; LANES]) {
        loop {
            let mut leaves = LEAF;
            for (at, row) in at.iter_mut().zip(rows) {
                let node = &self.nodes[*at as usize];
                *at = self.next::<SETS>(*at, node, row[(node.feature & FEATURE) as usize]);
                leaves &= node.feature;
            }
            if leaves & LEAF != 0 {
                return;
            }
        }
    }

    fn leaves(&self, at: &mut [u32; LANES], rows: [&[f64]; LANES]) {
        if self.set_bits.is_empty() { self.settle::<false>(at, rows) } else { self.settle::<true>(at, rows) }
    }

    /// Calls `write(tree, leaf, cursor, out)` for the trees of a range in their order and every row that `wanted`
    /// names, `stride` numbers of `out` a row; leaves are nodes of all trees.
    pub(crate) fn walk<T: Default + Clone + Send + Sync>(
        &self,
        input: &Input<'_>,
        session: &Session,
        trees: Range<usize>,
        stride: usize,
        wanted: Option<&(dyn Fn(usize, usize) -> bool + Sync)>,
        write: impl Fn(usize, Leaf, RowCursor<'_>, &mut [T]) + Sync,
    ) -> Result<Vec<T>> {
        let rows = input.rows("a forest")?;
        if let Some((compact, places)) = self.compacted(rows) {
            let source = Source::picked(rows, places, compact.n_features as usize);
            return compact.walk_from(&source, session, trees, stride, wanted, write);
        }
        let source = Source::new(rows, self.n_features as usize)?;
        self.walk_from(&source, session, trees, stride, wanted, write)
    }

    fn walk_from<T: Default + Clone + Send + Sync>(
        &self,
        source: &Source<'_>,
        session: &Session,
        trees: Range<usize>,
        stride: usize,
        wanted: Option<&(dyn Fn(usize, usize) -> bool + Sync)>,
        write: impl Fn(usize, Leaf, RowCursor<'_>, &mut [T]) + Sync,
    ) -> Result<Vec<T>> {
        let trees = trees.start.min(self.n_trees())..trees.end.min(self.n_trees());
        let n = source.n;
        let mut out = vec![T::default(); n * stride];
        if stride == 0 || trees.is_empty() {
            return Ok(out);
        }
        // Rows do not meet, so the size of a block changes nothing but the time.
        let least = (TASK / trees.len()).clamp(LANES, BLOCK);
        let block = n.div_ceil(2 * session.threads()).next_multiple_of(LANES).clamp(least, BLOCK);
        let many = n >= MANY.0 && trees.len() >= MANY.1;
        let ranks = || self.ranked.0.get_or_init(|| Ranked::new(self)).as_ref();
        let ranked = if many { session.run(ranks) } else { None };
        let one = |b: usize, out: &mut [T]| {
            let rows = Range { start: b * block, end: n.min(b * block + block) };
            let mut room = Vec::new();
            let rows = source.block(rows, &mut room);
            let value = |i: usize, j: usize| rows.row(i)[j];
            let visit = Visit { packed: self, rows: &rows, trees: &trees, stride, wanted };
            match ranked {
                Some(ranked) if ranked.fits_bytes() => {
                    visit.many(&ranked.encode::<u8>(rows.n, value), out, &write);
                }
                Some(ranked) => visit.many(&ranked.encode::<u16>(rows.n, value), out, &write),
                None if wanted.is_none() && rows.n < LANES => visit.few(out, &write),
                None => visit.many(&Plain { packed: self, rows: &rows }, out, &write),
            }
        };
        if n <= block {
            one(0, &mut out);
        } else {
            session.run(|| {
                out.par_chunks_mut(block * stride).enumerate().for_each(|(b, out)| one(b, out));
            });
        }
        Ok(out)
    }

    /// The leaves' numbers of the trees of a range, summed: rows × outputs.
    pub(crate) fn sum(&self, input: &Input<'_>, session: &Session, trees: Range<usize>) -> Result<Vec<f64>> {
        let k = self.outputs();
        if !self.has_lines() {
            return self.walk(input, session, trees, k, None, |t, leaf, _, out: &mut [f64]| {
                self.add(t, leaf, out);
            });
        }
        self.walk(input, session, trees, k, None, |t, leaf, cursor, out: &mut [f64]| {
            match self.lines.at(leaf.node, cursor.row()) {
                Some(value) => out[t % k] += value,
                None => self.add(t, leaf, out),
            }
        })
    }

    /// Adds a leaf of tree `t` to the outputs of a row.
    #[inline]
    pub(crate) fn add(&self, t: usize, leaf: Leaf, out: &mut [f64]) {
        let value = self.value_at(leaf.place);
        if self.width == self.outputs {
            out.iter_mut().zip(value).for_each(|(out, v)| *out += v);
        } else {
            out[t % self.outputs as usize] += value[0];
        }
    }

    /// The leaf of every row in every tree, counted from the tree's root: rows × trees.
    pub fn apply(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>> {
        let all = 0..self.n_trees();
        self.walk(input, session, all, self.n_trees(), None, |t, leaf: Leaf, _, out| {
            out[t] = leaf.node - self.roots[t]
        })
    }

    /// The nodes of tree `t` that a row passes, from the root to its leaf.
    pub fn path(&self, t: usize, row: &[f64]) -> Result<Vec<usize>> {
        if row.len() != self.n_features as usize {
            return Err(Error::shape("features of the row", self.n_features as usize, row.len()));
        }
        Ok(self.path_by(t, |j| row[j]))
    }

    /// The same for a row whose feature `j` is `value(j)`.
    pub(crate) fn path_by(&self, t: usize, value: impl Fn(usize) -> f64) -> Vec<usize> {
        let Range { start, end } = self.range(t);
        let (mut path, mut at) = (Vec::new(), start);
        while at < end {
            path.push(at - start);
            let node = &self.nodes[at];
            let next = self.next::<true>(at as u32, node, value((node.feature & FEATURE) as usize)) as usize;
            at = if next == at { end } else { next };
        }
        path
    }
}

#[inline(always)]
fn select(first: bool, a: u32, b: u32) -> u32 {
    b ^ ((a ^ b) & 0u32.wrapping_sub(u32::from(first)))
}
