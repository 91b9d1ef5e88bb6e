//! Shapley values of one row by a prepared tree: products down, sums up.

use super::shapley_tree::{NONE, ShapleyTree};

/// The workspace of one row, used again for the next.
pub(crate) struct Room {
    goes_left: Vec<bool>,
    /// For each edge: whether the row follows all splits on its feature up to here.
    follows: Vec<bool>,
    /// For each node, the product of the path at each point.
    down: Vec<f64>,
    /// For each node, the sum over its leaves.
    up: Vec<f64>,
    /// The edges of a path that count, and their parts at each point.
    path: Vec<(usize, Vec<f64>)>,
    parts: Vec<f64>,
}

impl Room {
    pub(crate) fn new(shapley: &ShapleyTree<'_>, n_features: usize) -> Self {
        let (n, q) = (shapley.edges.len(), shapley.points.len());
        Self {
            goes_left: vec![false; n],
            follows: vec![true; n],
            down: vec![0.0; n * q],
            up: vec![0.0; n * q],
            path: Vec::new(),
            parts: vec![0.0; n_features],
        }
    }

    /// Takes the row's way at every split, and the products of all paths.
    pub(crate) fn decide(&mut self, shapley: &ShapleyTree<'_>, value: impl Fn(usize) -> f64) {
        let q = shapley.points.len();
        if shapley.edges.is_empty() {
            return;
        }
        self.down[..q].copy_from_slice(&shapley.weights);
        for i in 0..shapley.edges.len() {
            self.goes_left[i] = shapley.goes_left(i, &value);
            if i == 0 {
                continue;
            }
            let edge = &shapley.edges[i];
            let parent = edge.parent as usize;
            let so_far = edge.above == NONE || self.follows[edge.above as usize];
            let on = so_far && self.goes_left[parent] == edge.is_left;
            self.follows[i] = on;
            let (before, rest) = self.down.split_at_mut(i * q);
            let (from, to) = (&before[parent * q..][..q], &mut rest[..q]);
            if so_far {
                let table = &shapley.tables[(4 * i + usize::from(on)) * q..][..q];
                product(from, table, to);
            } else {
                let share = edge.share / edge.share_above;
                to.iter_mut().zip(from).for_each(|(t, f)| *t = f * share);
            }
        }
    }
}

#[inline]
fn product(from: &[f64], by: &[f64], to: &mut [f64]) {
    for ((to, from), by) in to.chunks_exact_mut(4).zip(from.chunks_exact(4)).zip(by.chunks_exact(4)) {
        for k in 0..4 {
            to[k] = from[k] * by[k];
        }
    }
}

/// The products of two lists, summed in four lanes.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        for k in 0..4 {
            lanes[k] += a[k] * b[k];
        }
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

/// Adds what each feature adds to each output: outputs × features.
pub(crate) fn add_contributions(shapley: &ShapleyTree<'_>, room: &mut Room, scale: f64, out: &mut [f64]) {
    let (q, d) = (shapley.points.len(), room.parts.len());
    for k in 0..shapley.width {
        room.up.iter_mut().for_each(|v| *v = 0.0);
        room.parts.iter_mut().for_each(|v| *v = 0.0);
        for i in (1..shapley.edges.len()).rev() {
            let edge = &shapley.edges[i];
            let (before, rest) = room.up.split_at_mut(i * q);
            let own = &mut rest[..q];
            if shapley.leaf_of[i] != NONE {
                let value = shapley.leaves[shapley.leaf_of[i] as usize][k];
                own.iter_mut().zip(&room.down[i * q..][..q]).for_each(|(o, g)| *o = value * g);
            }
            // Where the row left the feature's splits above, this edge changes nothing.
            if edge.above == NONE || room.follows[edge.above as usize] {
                let slopes = &shapley.tables[(4 * i + 2 + usize::from(room.follows[i])) * q..][..q];
                room.parts[edge.feature as usize] += dot(own, slopes);
            }
            let parent = &mut before[edge.parent as usize * q..][..q];
            parent.iter_mut().zip(own.iter()).for_each(|(p, o)| *p += o);
        }
        out[k * d..][..d].iter_mut().zip(&room.parts).for_each(|(o, p)| *o += scale * p);
    }
}

/// Adds half of what pairs of features do beyond each alone: outputs × features × features, without the diagonals.
pub(crate) fn add_interactions(
    shapley: &ShapleyTree<'_>,
    room: &mut Room,
    scale: f64,
    d: usize,
    out: &mut [f64],
) {
    let q = shapley.points.len();
    for leaf in (1..shapley.edges.len()).filter(|&i| shapley.leaf_of[i] != NONE) {
        room.path.clear();
        let mut at = leaf;
        while at != 0 {
            let edge = &shapley.edges[at];
            // Of several edges on one feature the lowest speaks for all.
            if !room.path.iter().any(|(f, _)| *f == edge.feature as usize) {
                let on = f64::from(u8::from(room.follows[at]));
                let part = |t: &f64| (on - edge.share) / (edge.share * (1.0 - t) + on * t);
                room.path.push((edge.feature as usize, shapley.points.iter().map(part).collect()));
            }
            at = edge.parent as usize;
        }
        let down = &room.down[leaf * q..][..q];
        let value = shapley.leaves[shapley.leaf_of[leaf] as usize];
        for (n, (i, a)) in room.path.iter().enumerate() {
            for (j, b) in &room.path[..n] {
                let both: f64 = (0..q).map(|k| down[k] * a[k] * b[k]).sum();
                for (k, v) in value.iter().enumerate() {
                    let half = 0.5 * scale * v * both;
                    out[(k * d + i) * d + j] += half;
                    out[(k * d + j) * d + i] += half;
                }
            }
        }
    }
}
