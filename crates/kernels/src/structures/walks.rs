//! Kernels of graphs that walk in both at once: common walks, and common subtrees.
//!
//! Walks of two graphs with the same labels are walks of their product graph, whose nodes are pairs of nodes with the same label. With its
//! matrix $A_\times$, the geometric kernel is $\sum_l \lambda^l\, 1^\top A_\times^l 1 = 1^\top (I - \lambda A_\times)^{-1} 1$, where the sum may
//! end at walks of some length (Gärtner, Flach, Wrobel 2003). The matrix is never made: a step takes neighbours in one graph, then in the other.
//!
//! Common subtrees of height $h$ (Ramon, Gärtner 2003) are counted for each pair of nodes with the same label by
//! $$ k_1(v, w) = 1, \qquad k_h(v, w) = \lambda \sum_{\emptyset \ne R} \prod_{(a, b) \in R} k_{h-1}(a, b), $$
//! where $R$ runs over all matchings of neighbours of $v$ with neighbours of $w$ that have the same label.
//!
//! T. Gärtner, P. Flach, S. Wrobel. On graph kernels: hardness results and efficient alternatives. COLT 2003,
//! doi:10.1007/978-3-540-45167-9_11. J. Ramon, T. Gärtner. Expressivity versus efficiency of graph kernels. MGTS 2003.

use super::graphs::{edge_labels, labels};
use mercer_core::{Error, Graph, Result};

/// Which walks of two graphs are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomWalk {
    /// λ: each step counts this factor.
    pub decay: f64,
    /// The longest walks; `None` is without end.
    pub length: Option<usize>,
    /// Whether nodes must have the same label.
    pub labels: bool,
    /// Whether edges must have the same label.
    pub edges: bool,
}

/// Which subtrees of two graphs are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subtree {
    /// Their height in nodes; 1 is a single node.
    pub height: usize,
    /// λ: each node with branches counts this factor.
    pub decay: f64,
    /// Whether nodes must have the same label.
    pub labels: bool,
    /// Whether edges must have the same label.
    pub edges: bool,
}

/// A graph as walks see it.
#[derive(Clone, Debug)]
pub(crate) struct Walked {
    labels: Vec<u128>,
    /// The neighbours of each node with the label and the weight of the edge.
    neighbours: Vec<Vec<(u32, u128, f64)>>,
    /// The labels of edges that there are, each once.
    kinds: Vec<u128>,
}

impl Walked {
    fn new(graph: &Graph, with_labels: bool, with_edges: bool) -> Self {
        let along = edge_labels(graph, with_edges);
        let neighbours = graph.neighbours();
        let known =
            |list: &Vec<(u32, u32, f64)>| list.iter().map(|&(to, e, w)| (to, along[e as usize], w)).collect();
        let mut kinds = along.clone();
        kinds.sort_unstable();
        kinds.dedup();
        Self { labels: labels(graph, with_labels), neighbours: neighbours.iter().map(known).collect(), kinds }
    }

    /// A bound of the largest eigenvalue of the matrix of weights: all entries are at least 0, so that it is at most the lth root of the
    /// largest sum over walks of length l from one node.
    fn growth(&self) -> f64 {
        const STEPS: usize = 512;
        let mut walks = vec![1.0; self.labels.len()];
        let mut log = 0.0;
        for _ in 0..STEPS {
            let sum =
                |list: &Vec<(u32, u128, f64)>| list.iter().map(|&(to, _, w)| w * walks[to as usize]).sum();
            let next: Vec<f64> = self.neighbours.iter().map(sum).collect();
            let largest = next.iter().copied().fold(0.0, f64::max);
            if largest == 0.0 {
                return 0.0;
            }
            log += largest.ln();
            walks = next.iter().map(|v| v / largest).collect();
        }
        (log / STEPS as f64).exp()
    }
}

impl RandomWalk {
    /// The graphs as walks see them; refused where walks without end would not add up.
    pub(super) fn prepare(&self, graphs: &[Graph]) -> Result<Vec<Walked>> {
        let all: Vec<Walked> = graphs.iter().map(|g| Walked::new(g, self.labels, self.edges)).collect();
        if self.length.is_none() {
            // The product graph's largest eigenvalue is at most the product of both.
            let largest = all.iter().map(Walked::growth).fold(0.0, f64::max);
            if self.decay * largest * largest >= 1.0 {
                let least = format!("below {:.4}, or walks of some `length`", 1.0 / (largest * largest));
                return Err(Error::param("the kernel random_walk", "decay", least, self.decay));
            }
        }
        Ok(all)
    }

    /// The kernel of two graphs.
    pub(super) fn between(&self, g: &Walked, h: &Walked) -> f64 {
        let (n, m) = (g.labels.len(), h.labels.len());
        let alike: Vec<f64> = pairs(g, h).map(f64::from).collect();
        let (mut at, mut half, mut next) = (alike.clone(), vec![0.0; n * m], vec![0.0; n * m]);
        let mut total: f64 = at.iter().sum();
        for _ in 0..self.length.unwrap_or(usize::MAX) {
            next.fill(0.0);
            for kind in g.kinds.iter().filter(|k| h.kinds.binary_search(k).is_ok()) {
                step(g, h, *kind, &at, &mut half, &mut next);
            }
            at.iter_mut()
                .zip(&next)
                .zip(&alike)
                .for_each(|((at, next), alike)| *at = self.decay * next * alike);
            let found: f64 = at.iter().sum();
            total += found;
            if found <= f64::EPSILON * 1e-3 * total || !total.is_finite() {
                break;
            }
        }
        total
    }
}

/// One step of walks along edges of one kind in both graphs: first in `g`, then in `h`.
fn step(g: &Walked, h: &Walked, kind: u128, at: &[f64], half: &mut [f64], next: &mut [f64]) {
    let m = h.labels.len();
    half.fill(0.0);
    for (list, half) in g.neighbours.iter().zip(half.chunks_exact_mut(m.max(1))) {
        for &(to, _, weight) in list.iter().filter(|e| e.1 == kind) {
            half.iter_mut().zip(&at[to as usize * m..]).for_each(|(h, at)| *h += weight * at);
        }
    }
    for (half, next) in half.chunks_exact(m.max(1)).zip(next.chunks_exact_mut(m.max(1))) {
        for (list, next) in h.neighbours.iter().zip(next) {
            *next +=
                list.iter().filter(|e| e.1 == kind).map(|&(to, _, w)| w * half[to as usize]).sum::<f64>();
        }
    }
}

/// Whether the labels of each pair of nodes are the same.
fn pairs<'g>(g: &'g Walked, h: &'g Walked) -> impl Iterator<Item = bool> + 'g {
    g.labels.iter().flat_map(|a| h.labels.iter().map(move |b| a == b))
}

/// More neighbours of one node than this have too many subsets to go through.
const MOST_NEIGHBOURS: usize = 20;

impl Subtree {
    /// The graphs as subtrees see them; refused where a node has too many neighbours.
    pub(super) fn prepare(&self, graphs: &[Graph]) -> Result<Vec<Walked>> {
        let all: Vec<Walked> = graphs.iter().map(|g| Walked::new(g, self.labels, self.edges)).collect();
        let most = all.iter().flat_map(|g| &g.neighbours).map(Vec::len).max().unwrap_or(0);
        match most <= MOST_NEIGHBOURS {
            true => Ok(all),
            false => Err(Error::shape(
                "neighbours of a node for the kernel subtree, at most",
                MOST_NEIGHBOURS,
                most,
            )),
        }
    }

    /// The kernel of two graphs.
    pub(super) fn between(&self, g: &Walked, h: &Walked) -> f64 {
        let m = h.labels.len();
        let alike: Vec<f64> = pairs(g, h).map(f64::from).collect();
        let mut lower = alike.clone();
        let mut subsets = Vec::new();
        for _ in 1..self.height {
            let one = |place: usize| {
                if alike[place] == 0.0 {
                    return 0.0;
                }
                let (v, w) = (&g.neighbours[place / m], &h.neighbours[place % m]);
                let worth = |a: &(u32, u128, f64), b: &(u32, u128, f64)| {
                    if a.1 == b.1 { lower[a.0 as usize * m + b.0 as usize] } else { 0.0 }
                };
                self.decay * (matchings(v, w, &worth, &mut subsets) - 1.0)
            };
            lower = (0..alike.len()).map(one).collect();
        }
        lower.iter().sum()
    }
}

/// Σ Π worth over all matchings of two lists, the empty one included: for each subset of the second list, the sum over matchings
/// of the first ones with just these.
fn matchings<T>(first: &[T], second: &[T], worth: &dyn Fn(&T, &T) -> f64, subsets: &mut Vec<f64>) -> f64 {
    if second.len() > first.len() {
        return matchings(second, first, &|b, a| worth(a, b), subsets);
    }
    subsets.clear();
    subsets.resize(1 << second.len(), 0.0);
    subsets[0] = 1.0;
    for a in first {
        let worths: Vec<f64> = second.iter().map(|b| worth(a, b)).collect();
        if worths.iter().all(|v| *v == 0.0) {
            continue;
        }
        // Larger subsets first: each is reached from one that lacks a single element, as it was before.
        for taken in (1..subsets.len()).rev() {
            let mut sum = subsets[taken];
            for (b, worth) in worths.iter().enumerate().filter(|(b, _)| taken >> b & 1 == 1) {
                sum += worth * subsets[taken & !(1 << b)];
            }
            subsets[taken] = sum;
        }
    }
    subsets.iter().sum()
}
