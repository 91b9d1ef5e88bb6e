//! Sums of kernels over the rows of a tree, to a tolerance that is kept.

use super::kd_tree::{KdTree, far_rank, near_rank};
use super::rank::{Grow, LANES, Norm, by_norm, tile_ranks};
use crate::simd::twin;
use crate::special::lgamma;
use crate::vexp::exp_one;
use crate::{MatRef, exp_slice};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A kernel that falls with distance: 1 (or near it) at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LocalKernel {
    /// exp(−d²/2h²).
    Gaussian,
    /// 1 for d < h.
    Tophat,
    /// 1 − d²/h² for d < h.
    Epanechnikov,
    /// exp(−d/h).
    Exponential,
    /// 1 − d/h for d < h.
    Linear,
    /// cos(πd/2h) for d < h.
    Cosine,
}

impl LocalKernel {
    /// The kernel of a distance.
    #[inline(always)]
    fn value<const FMA: bool>(self, distance: f64, h: f64, shift: f64) -> f64 {
        let t = distance / h;
        let inside = |v: f64| if distance < h { v } else { 0.0 };
        match self {
            LocalKernel::Gaussian => exp_one::<FMA>(-0.5 * t * t - shift),
            LocalKernel::Exponential => exp_one::<FMA>(-t - shift),
            LocalKernel::Tophat => inside(1.0),
            LocalKernel::Epanechnikov => inside(1.0 - t * t),
            LocalKernel::Linear => inside(1.0 - t),
            LocalKernel::Cosine => inside((0.5 * PI * t).cos()),
        }
    }

    /// Replaces distances by kernels.
    pub fn values(self, distances: &mut [f64], h: f64) {
        match self {
            LocalKernel::Gaussian | LocalKernel::Exponential => {
                self.logs(distances, h);
                exp_slice(distances);
            }
            _ => distances.iter_mut().for_each(|d| *d = self.value::<false>(*d, h, 0.0)),
        }
    }

    /// Replaces distances by the logarithms of kernels, which do not underflow.
    pub fn logs(self, distances: &mut [f64], h: f64) {
        for d in distances {
            let t = *d / h;
            *d = match self {
                LocalKernel::Gaussian => -0.5 * t * t,
                LocalKernel::Exponential => -t,
                _ => self.value::<false>(*d, h, 0.0).ln(),
            };
        }
    }

    /// The logarithm of the kernel's integral over `dim` features, for Euclidean distances.
    pub fn log_integral(self, h: f64, dim: usize) -> f64 {
        let d = dim as f64;
        let ball = |d: f64| 0.5 * d * PI.ln() - lgamma(0.5 * d + 1.0);
        let sphere = |d: f64| (2.0 * PI).ln() + ball(d - 1.0);
        let unit = match self {
            LocalKernel::Gaussian => 0.5 * d * (2.0 * PI).ln(),
            LocalKernel::Tophat => ball(d),
            LocalKernel::Epanechnikov => ball(d) + (2.0 / (d + 2.0)).ln(),
            LocalKernel::Exponential => sphere(d - 1.0) + lgamma(d),
            LocalKernel::Linear => ball(d) - (d + 1.0).ln(),
            LocalKernel::Cosine => {
                // ∫ r^(d−1) cos(πr/2) dr over [0, 1] by the cosine's series: integration by parts would lose all digits.
                let (mut sum, mut term) = (0.0, 1.0);
                for k in (0..40).map(f64::from) {
                    sum += term / (2.0 * k + d);
                    term *= -(0.5 * PI).powi(2) / ((2.0 * k + 1.0) * (2.0 * k + 2.0));
                }
                sum.ln() + sphere(d - 1.0)
            }
        };
        unit + d * h.ln()
    }

    /// Whether the kernel is zero beyond the bandwidth.
    pub fn is_compact(self) -> bool {
        !matches!(self, LocalKernel::Gaussian | LocalKernel::Exponential)
    }
}

/// Sums Σ wᵢ K(d(q, xᵢ)) over the rows of a tree.
#[derive(Clone, Debug)]
pub struct KernelSums<'a> {
    tree: &'a KdTree,
    kernel: LocalKernel,
    h: f64,
    /// The weights in the order of the tiles, 0 where a tile has no row.
    weights: Vec<[f64; LANES]>,
    /// The weight of each node, and of all.
    node_weights: Vec<f64>,
    /// Where each row stands.
    places: Vec<u32>,
}

/// What a sum may differ by: `absolute` + `relative` × the sum.
#[derive(Clone, Copy)]
struct Tolerance {
    absolute: f64,
    relative: f64,
}

impl<'a> KernelSums<'a> {
    /// Sums with a kernel of bandwidth `h` > 0; without weights, every row has 1.
    pub fn new(tree: &'a KdTree, kernel: LocalKernel, h: f64, weights: Option<&[f64]>) -> Self {
        let n = tree.n_rows();
        let mut lanes = vec![[0.0; LANES]; n.div_ceil(LANES)];
        let mut places = vec![0; n];
        for (at, &row) in tree.order.iter().enumerate() {
            lanes[at / LANES][at % LANES] = weights.map_or(1.0, |w| w[row as usize]);
            places[row as usize] = at as u32;
        }
        let mut node_weights = vec![0.0; tree.nodes.len()];
        for at in (0..tree.nodes.len()).rev() {
            let node = tree.nodes[at];
            node_weights[at] = match node.right {
                0 => tree
                    .leaf_tiles(node)
                    .map(|(first, count, _)| lanes[first / LANES][..count].iter().sum::<f64>())
                    .sum(),
                right => node_weights[at + 1] + node_weights[right as usize],
            };
        }
        Self { tree, kernel, h, weights: lanes, node_weights, places }
    }

    /// The weight of all rows.
    pub fn total(&self) -> f64 {
        self.node_weights.first().copied().unwrap_or(0.0)
    }

    /// The logarithm of the sum at each query, in parallel. The sum differs from the true one by at most `absolute` +
    /// `relative` × the true one, beyond rounding. With `own`, each query is the row of that number, which does not count for itself.
    pub fn log_sums(
        &self,
        queries: MatRef<'_>,
        absolute: f64,
        relative: f64,
        own: Option<&[u32]>,
    ) -> Vec<f64> {
        // What is below the last bit of the sum is rounding.
        let tolerance = Tolerance { absolute, relative: relative.max(f64::EPSILON / 2.0) };
        let m = queries.n_rows();
        let size = m.div_ceil(4 * rayon::current_num_threads()).clamp(1, 64);
        let block = |b: usize| {
            let mut stack = Vec::new();
            let one = |i: usize| {
                let skip = own.map(|own| self.places[own[i] as usize]);
                self.log_sum(&queries.row_cow(i), skip, tolerance, &mut stack)
            };
            (b * size..((b + 1) * size).min(m)).map(one).collect::<Vec<f64>>()
        };
        (0..m.div_ceil(size)).into_par_iter().flat_map_iter(block).collect()
    }

    fn log_sum(
        &self,
        query: &[f64],
        skip: Option<u32>,
        tolerance: Tolerance,
        stack: &mut Vec<Waiting>,
    ) -> f64 {
        let skip = skip.unwrap_or(u32::MAX);
        let sum = sum_at(self, query, skip, 0.0, tolerance, stack);
        if sum > 1e-250 || self.kernel.is_compact() {
            return sum.ln();
        }
        // Far from all rows the kernels themselves would underflow: they are taken relative to the nearest one.
        let mut best = super::Best::new(1);
        let skipped = self.tree.order.get(skip as usize).copied();
        self.tree.nearest(query, skipped, &mut best, &mut Vec::new());
        let Some(&(rank, _)) = best.sorted().first() else { return f64::NEG_INFINITY };
        let mut shift = [self.tree.norm.distance(rank)];
        self.kernel.logs(&mut shift, self.h);
        if !shift[0].is_finite() {
            return f64::NEG_INFINITY;
        }
        let absolute = (tolerance.absolute * (-shift[0]).min(650.0).exp()).min(1e290);
        let tolerance = Tolerance { absolute, ..tolerance };
        shift[0] + sum_at(self, query, skip, shift[0], tolerance, stack).ln()
    }
}

/// A node that is not added yet, with its least and its greatest kernel.
#[derive(Clone, Copy)]
struct Waiting {
    node: u32,
    low: f64,
    high: f64,
}

#[inline(always)]
fn distance_of(norm: Norm, rank: f64) -> f64 {
    norm.distance(rank)
}

#[inline(always)]
fn waiting<const FMA: bool>(
    sums: &KernelSums<'_>,
    grow: impl Grow,
    query: &[f64],
    shift: f64,
    node: u32,
) -> Waiting {
    let (norm, sides) = (sums.tree.norm, sums.tree.box_of(node as usize));
    let of = |rank: f64| sums.kernel.value::<FMA>(distance_of(norm, rank), sums.h, shift);
    Waiting {
        node,
        low: of(far_rank::<FMA>(grow, query, sides)),
        high: of(near_rank::<FMA>(grow, query, sides)),
    }
}

/// The sum over a leaf, but for the row at the place `skip`.
#[inline(always)]
fn leaf_sum<const FMA: bool>(
    sums: &KernelSums<'_>,
    grow: impl Grow,
    query: &[f64],
    shift: f64,
    node: u32,
    skip: u32,
) -> f64 {
    let (tree, kernel, h) = (sums.tree, sums.kernel, sums.h);
    let mut acc = [0.0; LANES];
    for (first, _, tile) in tree.leaf_tiles(tree.nodes[node as usize]) {
        let ranks = tile_ranks::<FMA>(grow, query, tile);
        let mut values = ranks;
        match kernel {
            // One match for eight rows, so that each arm is a loop without branches.
            LocalKernel::Gaussian if tree.norm == Norm::Euclidean => {
                let scale = -0.5 / (h * h);
                values.iter_mut().for_each(|v| *v = exp_one::<FMA>(*v * scale - shift));
            }
            LocalKernel::Gaussian => each::<FMA>(tree.norm, LocalKernel::Gaussian, h, shift, &mut values),
            LocalKernel::Tophat => each::<FMA>(tree.norm, LocalKernel::Tophat, h, shift, &mut values),
            LocalKernel::Epanechnikov => {
                each::<FMA>(tree.norm, LocalKernel::Epanechnikov, h, shift, &mut values)
            }
            LocalKernel::Exponential => {
                each::<FMA>(tree.norm, LocalKernel::Exponential, h, shift, &mut values)
            }
            LocalKernel::Linear => each::<FMA>(tree.norm, LocalKernel::Linear, h, shift, &mut values),
            LocalKernel::Cosine => each::<FMA>(tree.norm, LocalKernel::Cosine, h, shift, &mut values),
        }
        let mut weights = sums.weights[first / LANES];
        if (skip as usize) >= first && (skip as usize) < first + LANES {
            weights[skip as usize - first] = 0.0;
        }
        for l in 0..LANES {
            // A kernel relative to another one may overflow where it does not count.
            acc[l] += if weights[l] > 0.0 { weights[l] * values[l] } else { 0.0 };
        }
    }
    ((acc[0] + acc[4]) + (acc[2] + acc[6])) + ((acc[1] + acc[5]) + (acc[3] + acc[7]))
}

#[inline(always)]
fn each<const FMA: bool>(norm: Norm, kernel: LocalKernel, h: f64, shift: f64, ranks: &mut [f64; LANES]) {
    ranks.iter_mut().for_each(|v| *v = kernel.value::<FMA>(distance_of(norm, *v), h, shift));
}

/// Depth first, the nearer box first. A node whose kernels differ by little is added as its weight times their middle; what
/// little is, is shared out by weight: the errors of all nodes sum to at most the tolerance, since `low` never exceeds the sum.
#[inline(always)]
fn sum_body<const FMA: bool>(
    sums: &KernelSums<'_>,
    query: &[f64],
    skip: u32,
    shift: f64,
    tolerance: Tolerance,
    stack: &mut Vec<Waiting>,
) -> f64 {
    let tree = sums.tree;
    let has_own = |node: u32| {
        let node = tree.nodes[node as usize];
        skip >= node.start && skip < node.end
    };
    let own = sums.weights.get(skip as usize / LANES).map_or(0.0, |w| w[skip as usize % LANES]);
    let weight = |node: u32| sums.node_weights[node as usize] - if has_own(node) { own } else { 0.0 };
    by_norm!(tree.norm, grow => {
        stack.clear();
        let root = waiting::<FMA>(sums, grow, query, shift, 0);
        let total = weight(0);
        let (mut done, mut low) = (0.0, total * root.low);
        stack.push(root);
        while let Some(Waiting { node, low: least, high }) = stack.pop() {
            let w = weight(node);
            let allowed = 2.0 * (tolerance.absolute + tolerance.relative * low.max(0.0)) / total;
            let right = tree.nodes[node as usize].right;
            if high - least <= allowed {
                done += w * (0.5 * (least + high));
            } else if right == 0 {
                let sum = leaf_sum::<FMA>(sums, grow, query, shift, node, skip);
                done += sum;
                low += sum - w * least;
            } else {
                let a = waiting::<FMA>(sums, grow, query, shift, node + 1);
                let b = waiting::<FMA>(sums, grow, query, shift, right);
                low += weight(node + 1) * a.low + weight(right) * b.low - w * least;
                let (near, far) = if b.high > a.high { (b, a) } else { (a, b) };
                stack.push(far);
                stack.push(near);
            }
        }
        done
    })
}

twin! {
    fn sum_at(sums: &KernelSums<'_>, query: &[f64], skip: u32, shift: f64, tolerance: Tolerance, stack: &mut Vec<Waiting>) -> f64 = sum_body
}
