//! A k-d tree in flat arrays: boxes of rows, halved at the median of the widest feature.
//!
//! The shape follows from the number of rows and the leaf size alone; nodes stand in preorder. A box's least rank is
//! added up as ranks of rows are, and rounding is monotone: it is never above the rank of a row inside, to the last bit.

use super::best::Best;
use super::rank::{Grow, LANES, Norm, by_norm, tile_ranks, tiles_of};
use crate::Mat;
use crate::simd::twin;

/// A node: its rows, and its right child (0 for a leaf); its left child follows it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) right: u32,
}

/// A k-d tree of rows.
#[derive(Clone, Debug)]
pub struct KdTree {
    pub(super) norm: Norm,
    pub(super) d: usize,
    /// The rows in the order of the leaves.
    pub(super) order: Vec<u32>,
    /// The same rows in tiles; all leaves but the last begin and end with a tile.
    pub(super) tiles: Vec<[f64; LANES]>,
    pub(super) nodes: Vec<Node>,
    /// For each node, the least and the greatest value of each feature, in pairs.
    pub(super) boxes: Vec<[f64; 2]>,
}

/// Where `count` rows are parted: in the middle, at a whole tile.
fn middle(count: usize) -> usize {
    (count / 2).next_multiple_of(LANES)
}

/// How many nodes `count` rows have.
fn n_nodes(count: usize, leaf: usize) -> usize {
    if count <= leaf {
        return 1;
    }
    let left = middle(count);
    1 + n_nodes(left, leaf) + n_nodes(count - left, leaf)
}

impl KdTree {
    /// A tree of the rows of `x`, with at most `leaf_size` rows a leaf (at least a tile); in parallel.
    pub fn new(x: &Mat, norm: Norm, leaf_size: usize) -> Self {
        let (n, d) = (x.n_rows(), x.n_cols());
        let leaf = leaf_size.clamp(2 * LANES, 1 << 30);
        let mut order: Vec<u32> = (0..n as u32).collect();
        let n_nodes = n_nodes(n, leaf);
        let mut nodes = vec![Node::default(); n_nodes];
        let mut boxes = vec![[0.0; 2]; n_nodes * d];
        let growing = Growing { x: x.as_slice(), d, leaf };
        growing.split(&mut order, (0, 0), &mut nodes, &mut boxes);
        let tiles = tiles_of(x.as_slice(), d, &order);
        Self { norm, d, order, tiles, nodes, boxes }
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.order.len()
    }

    /// The rows of `best` that are nearest to a query, but for the row `skip`.
    pub(super) fn nearest(
        &self,
        query: &[f64],
        skip: Option<u32>,
        best: &mut Best,
        stack: &mut Vec<(u32, f64)>,
    ) {
        nearest(self, query, skip.unwrap_or(u32::MAX), best, stack);
    }

    /// Adds the rows whose rank is at most `limit`, with it.
    pub(super) fn within(&self, query: &[f64], skip: Option<u32>, limit: f64, found: &mut Vec<(f64, u32)>) {
        within(self, query, skip.unwrap_or(u32::MAX), limit, found);
    }

    #[inline(always)]
    pub(super) fn box_of(&self, node: usize) -> &[[f64; 2]] {
        &self.boxes[node * self.d..][..self.d]
    }

    /// The tiles of a leaf, each with the number of its first row and of its rows.
    #[inline(always)]
    pub(super) fn leaf_tiles(&self, node: Node) -> impl Iterator<Item = (usize, usize, &[[f64; LANES]])> {
        (node.start as usize..node.end as usize).step_by(LANES).map(move |first| {
            let tile = &self.tiles[first / LANES * self.d..][..self.d];
            (first, (node.end as usize - first).min(LANES), tile)
        })
    }
}

struct Growing<'a> {
    x: &'a [f64],
    d: usize,
    leaf: usize,
}

impl Growing<'_> {
    /// Grows the subtree of some rows, of which `first` stand before them; `at` is the number of its root. The halves of many
    /// rows grow side by side. Depth is bounded by the logarithm of the number of rows.
    fn split(
        &self,
        order: &mut [u32],
        (first, at): (usize, usize),
        nodes: &mut [Node],
        boxes: &mut [[f64; 2]],
    ) {
        let count = order.len();
        let (own, below) = boxes.split_at_mut(self.d);
        own.fill([f64::INFINITY, f64::NEG_INFINITY]);
        for &row in order.iter() {
            for (side, &v) in own.iter_mut().zip(&self.x[row as usize * self.d..][..self.d]) {
                *side = [side[0].min(v), side[1].max(v)];
            }
        }
        let (start, end) = (first as u32, (first + count) as u32);
        let Some((root, nodes)) = nodes.split_first_mut() else { return };
        if count <= self.leaf {
            *root = Node { start, end, right: 0 };
            return;
        }
        let width = |j: usize| own[j][1] - own[j][0];
        let widest = (0..self.d).fold(0, |best, j| if width(j) > width(best) { j } else { best });
        let left = middle(count);
        let value = |row: &u32| self.x.get(*row as usize * self.d + widest).copied().unwrap_or(0.0);
        order.select_nth_unstable_by(left, |a, b| value(a).total_cmp(&value(b)).then(a.cmp(b)));
        let n_left = n_nodes(left, self.leaf);
        *root = Node { start, end, right: (at + 1 + n_left) as u32 };
        let (left_order, right_order) = order.split_at_mut(left);
        let (left_nodes, right_nodes) = nodes.split_at_mut(n_left);
        let (left_boxes, right_boxes) = below.split_at_mut(n_left * self.d);
        let mut grow_left = || self.split(left_order, (first, at + 1), left_nodes, left_boxes);
        let mut grow_right =
            || self.split(right_order, (first + left, at + 1 + n_left), right_nodes, right_boxes);
        if count > 4096 {
            rayon::join(grow_left, grow_right);
        } else {
            grow_left();
            grow_right();
        }
    }
}

/// The least rank of a query and a row in a box.
#[inline(always)]
pub(super) fn near_rank<const FMA: bool>(grow: impl Grow, query: &[f64], sides: &[[f64; 2]]) -> f64 {
    sides.iter().zip(query).fold(0.0, |rank, ([low, high], q)| {
        let (below, above) = (low - q, q - high);
        let gap = if below > above { below } else { above };
        grow.grow::<FMA>(rank, if gap > 0.0 { gap } else { 0.0 })
    })
}

/// The greatest rank of a query and a row in a box.
#[inline(always)]
pub(super) fn far_rank<const FMA: bool>(grow: impl Grow, query: &[f64], sides: &[[f64; 2]]) -> f64 {
    sides.iter().zip(query).fold(0.0, |rank, ([low, high], q)| {
        let (below, above) = (q - low, high - q);
        grow.grow::<FMA>(rank, if below > above { below } else { above })
    })
}

#[inline(always)]
fn nearest_body<const FMA: bool>(
    tree: &KdTree,
    query: &[f64],
    skip: u32,
    best: &mut Best,
    stack: &mut Vec<(u32, f64)>,
) {
    let caution = tree.norm.caution();
    by_norm!(tree.norm, grow => {
        stack.clear();
        stack.push((0, 0.0));
        while let Some((mut at, rank)) = stack.pop() {
            if rank > best.limit() {
                continue;
            }
            // Down to a leaf, always into the nearer box; the other one waits.
            while tree.nodes[at as usize].right > 0 {
                let right = tree.nodes[at as usize].right;
                let of = |node: u32| caution * near_rank::<FMA>(grow, query, tree.box_of(node as usize));
                let (a, b) = (of(at + 1), of(right));
                let (near, far, far_rank) = if b < a { (right, at + 1, a) } else { (at + 1, right, b) };
                if far_rank <= best.limit() {
                    stack.push((far, far_rank));
                }
                at = near;
            }
            for (first, count, tile) in tree.leaf_tiles(tree.nodes[at as usize]) {
                let (ranks, limit) = (tile_ranks::<FMA>(grow, query, tile), best.limit());
                if ranks.iter().fold(false, |any, rank| any | (*rank <= limit)) {
                    for (rank, &row) in ranks.iter().zip(&tree.order[first..first + count]) {
                        if row != skip && *rank <= best.limit() {
                            best.offer(*rank, row);
                        }
                    }
                }
            }
        }
    });
}

#[inline(always)]
fn within_body<const FMA: bool>(
    tree: &KdTree,
    query: &[f64],
    skip: u32,
    limit: f64,
    found: &mut Vec<(f64, u32)>,
) {
    let caution = tree.norm.caution();
    by_norm!(tree.norm, grow => {
        let mut stack = [0u32; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let at = stack[depth];
            if caution * near_rank::<FMA>(grow, query, tree.box_of(at as usize)) > limit {
                continue;
            }
            let node = tree.nodes[at as usize];
            if node.right > 0 {
                (stack[depth], stack[depth + 1]) = (node.right, at + 1);
                depth += 2;
                continue;
            }
            for (first, count, tile) in tree.leaf_tiles(node) {
                let ranks = tile_ranks::<FMA>(grow, query, tile);
                for (rank, &row) in ranks.iter().zip(&tree.order[first..first + count]) {
                    if *rank <= limit && row != skip {
                        found.push((*rank, row));
                    }
                }
            }
        }
    });
}

twin! {
    fn nearest(tree: &KdTree, query: &[f64], skip: u32, best: &mut Best, stack: &mut Vec<(u32, f64)>) = nearest_body
}
twin! {
    fn within(tree: &KdTree, query: &[f64], skip: u32, limit: f64, found: &mut Vec<(f64, u32)>) = within_body
}
