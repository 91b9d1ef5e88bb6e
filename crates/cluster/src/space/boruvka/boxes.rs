//! Rows in boxes within boxes: a k-d tree whose rows stand side by side, leaf by leaf.

use mercer_math::Mat;
use std::ops::Range;

/// Rows that are measured side by side.
pub(super) const LANES: usize = 8;
/// Rows of a leaf, at most.
const LEAF: usize = 16;

/// What one feature adds to a rank: a number that grows with the distance, and is compared in its place.
pub(super) trait Rank: Copy + Send + Sync {
    fn add(rank: f64, gap: f64) -> f64;
}

/// Σ|a−b|², the rank of the Euclidean distance.
#[derive(Clone, Copy)]
pub(super) struct Squares;
/// Σ|a−b|.
#[derive(Clone, Copy)]
pub(super) struct Sizes;
/// max|a−b|.
#[derive(Clone, Copy)]
pub(super) struct Largest;

impl Rank for Squares {
    #[inline(always)]
    fn add(rank: f64, gap: f64) -> f64 {
        rank + gap * gap
    }
}

impl Rank for Sizes {
    #[inline(always)]
    fn add(rank: f64, gap: f64) -> f64 {
        rank + gap.abs()
    }
}

impl Rank for Largest {
    #[inline(always)]
    fn add(rank: f64, gap: f64) -> f64 {
        let gap = gap.abs();
        if gap > rank { gap } else { rank }
    }
}

/// The places of a node's rows, and its right child (0 for a leaf); its left child follows it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    start: u32,
    end: u32,
    pub(super) right: u32,
}

impl Node {
    pub(super) fn places(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A k-d tree. Rows are known by their places in the order of the leaves.
#[derive(Clone, Debug)]
pub(super) struct Boxes {
    pub(super) d: usize,
    /// The number of the row at each place.
    pub(super) order: Vec<u32>,
    /// Rows by place.
    rows: Vec<f64>,
    /// The same, feature by feature within a tile; all leaves but the last begin and end with a tile.
    tiles: Vec<[f64; LANES]>,
    /// In preorder.
    pub(super) nodes: Vec<Node>,
    /// For each node, the least and the greatest value of each feature.
    sides: Vec<[f64; 2]>,
}

impl Boxes {
    pub(super) fn new(x: &Mat) -> Self {
        let (n, d) = (x.n_rows(), x.n_cols());
        let mut order: Vec<u32> = (0..n as u32).collect();
        let mut growing = Growing { x, nodes: Vec::new(), sides: Vec::new() };
        growing.split(&mut order, 0);
        let rows: Vec<f64> = order.iter().flat_map(|&i| x.row(i as usize)).copied().collect();
        let mut tiles = vec![[0.0; LANES]; n.div_ceil(LANES) * d];
        for (place, row) in rows.chunks_exact(d).enumerate() {
            let tile = &mut tiles[place / LANES * d..][..d];
            tile.iter_mut().zip(row).for_each(|(lanes, v)| lanes[place % LANES] = *v);
        }
        Self { d, order, rows, tiles, nodes: growing.nodes, sides: growing.sides }
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    #[inline(always)]
    pub(super) fn row(&self, place: usize) -> &[f64] {
        &self.rows[place * self.d..][..self.d]
    }

    #[inline(always)]
    fn sides_of(&self, node: usize) -> &[[f64; 2]] {
        &self.sides[node * self.d..][..self.d]
    }

    /// The least rank of a row and any row in a box. It is added up as ranks of rows are, and rounding is monotone: it is never
    /// above that of a row inside, to the last bit.
    #[inline(always)]
    pub(super) fn to_box<R: Rank>(&self, row: &[f64], node: usize) -> f64 {
        self.sides_of(node).iter().zip(row).fold(0.0, |rank, ([low, high], v)| {
            let (below, above) = (low - v, v - high);
            R::add(rank, below.max(above).max(0.0))
        })
    }

    /// The least rank of two rows in two boxes.
    #[inline(always)]
    pub(super) fn between<R: Rank>(&self, a: usize, b: usize) -> f64 {
        self.sides_of(a).iter().zip(self.sides_of(b)).fold(0.0, |rank, (a, b)| {
            let (below, above) = (a[0] - b[1], b[0] - a[1]);
            R::add(rank, below.max(above).max(0.0))
        })
    }

    /// The ranks of a row and the eight from `first` on, the first place of a tile; those beyond the last row mean nothing.
    #[inline(always)]
    pub(super) fn ranks<R: Rank>(&self, row: &[f64], first: usize) -> [f64; LANES] {
        let tile = &self.tiles[first / LANES * self.d..][..self.d];
        let mut ranks = [0.0; LANES];
        for (lanes, v) in tile.iter().zip(row) {
            for l in 0..LANES {
                ranks[l] = R::add(ranks[l], lanes[l] - v);
            }
        }
        ranks
    }

    /// Fills values of nodes from their rows and children, children first.
    pub(super) fn upwards<T: Copy>(
        &self,
        of_row: impl Fn(usize) -> T,
        both: impl Fn(T, T) -> T,
        nodes: &mut Vec<T>,
    ) {
        nodes.clear();
        nodes.extend(self.nodes.iter().map(|node| of_row(node.places().start)));
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            nodes[at] = match node.right {
                0 => node.places().map(&of_row).reduce(&both).unwrap_or(nodes[at]),
                right => both(nodes[at + 1], nodes[right as usize]),
            };
        }
    }
}

struct Growing<'a> {
    x: &'a Mat,
    nodes: Vec<Node>,
    sides: Vec<[f64; 2]>,
}

impl Growing<'_> {
    /// Grows the subtree of some rows, of which `first` stand before them: halves at the median of the widest feature. Depth is
    /// bounded by the logarithm of their number.
    fn split(&mut self, order: &mut [u32], first: usize) {
        let (at, d) = (self.nodes.len(), self.x.n_cols());
        self.nodes.push(Node { start: first as u32, end: (first + order.len()) as u32, right: 0 });
        self.sides.resize((at + 1) * d, [f64::INFINITY, f64::NEG_INFINITY]);
        let sides = &mut self.sides[at * d..];
        for &row in order.iter() {
            for (side, &v) in sides.iter_mut().zip(self.x.row(row as usize)) {
                *side = [side[0].min(v), side[1].max(v)];
            }
        }
        if order.len() <= LEAF {
            return;
        }
        let width = |j: &usize| sides[*j][1] - sides[*j][0];
        let widest = (0..d).reduce(|best, j| if width(&j) > width(&best) { j } else { best }).unwrap_or(0);
        let value = |row: u32| self.x[(row as usize, widest)];
        let left = (order.len() / 2).next_multiple_of(LANES);
        order.select_nth_unstable_by(left, |&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
        let (left_order, right_order) = order.split_at_mut(left);
        self.split(left_order, first);
        self.nodes[at].right = self.nodes.len() as u32;
        self.split(right_order, first + left);
    }
}
