//! Kernels of graphs that are products of counts: Weisfeiler and Lehman's subtrees, and shortest paths.
//!
//! Each graph becomes a list of features with their counts. A feature is a hash of 128 bits of what it stands for, so that graphs that were
//! never seen together have the same features; two features would be taken for one with a probability below $n^2 / 2^{128}$.
//!
//! N. Shervashidze, P. Schweitzer, E. J. van Leeuwen, K. Mehlhorn, K. M. Borgwardt. Weisfeiler-Lehman graph kernels. JMLR 12, 2011.
//! K. M. Borgwardt, H.-P. Kriegel. Shortest-path kernels on graphs. ICDM 2005, doi:10.1109/ICDM.2005.132.

use mercer_core::Graph;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Features with how often each occurs, in order.
pub(super) type Features = Vec<(u128, f64)>;

/// A hash of 128 bits, which no file ever holds.
pub(super) fn mark(value: impl Hash) -> u128 {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        value.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

fn counted(marks: impl IntoIterator<Item = u128>) -> Features {
    let mut counts = BTreeMap::new();
    marks.into_iter().for_each(|m| *counts.entry(m).or_insert(0.0) += 1.0);
    counts.into_iter().collect()
}

/// Labels of the nodes of a graph as hashes; all alike where labels do not count.
pub(super) fn labels(graph: &Graph, count: bool) -> Vec<u128> {
    (0..graph.n_nodes()).map(|v| if count { mark(graph.label(v)) } else { 0 }).collect()
}

/// Labels of the edges of a graph as hashes; all alike where they do not count.
pub(super) fn edge_labels(graph: &Graph, count: bool) -> Vec<u128> {
    (0..graph.edges().len()).map(|e| if count { mark(graph.edge_label(e)) } else { 0 }).collect()
}

/// How often each label occurs among nodes, after each of `rounds` rounds in which a node takes the labels of its neighbours to its own.
pub(super) fn weisfeiler_lehman(graph: &Graph, rounds: usize, edges: bool) -> Features {
    let (neighbours, along) = (graph.neighbours(), edge_labels(graph, edges));
    let mut own = labels(graph, true);
    let mut all = own.clone();
    for round in 1..=rounds {
        let longer = |v: usize| {
            let mut around: Vec<(u128, u128)> =
                neighbours[v].iter().map(|&(to, edge, _)| (along[edge as usize], own[to as usize])).collect();
            around.sort_unstable();
            mark((round, own[v], around))
        };
        own = (0..own.len()).map(longer).collect();
        all.extend(&own);
    }
    counted(all)
}

/// How often two nodes with their labels are so far apart, over all ordered pairs of different nodes that a path connects.
pub(super) fn shortest_paths(graph: &Graph, with_labels: bool) -> Features {
    let (neighbours, own) = (graph.neighbours(), labels(graph, with_labels));
    let mut marks = Vec::new();
    for from in 0..own.len() {
        let found = distances(&neighbours, from);
        let reached = found.iter().enumerate().filter(|(to, d)| *to != from && d.is_finite());
        marks.extend(reached.map(|(to, d)| mark((own[from], own[to], rounded(*d)))));
    }
    counted(marks)
}

/// A length to forty bits: 0.1 + 0.2 is as long as 0.3.
fn rounded(length: f64) -> u64 {
    (length.to_bits() + (1 << 11)) >> 12
}

/// The lengths of shortest paths from a node (Dijkstra 1959).
fn distances(neighbours: &[Vec<(u32, u32, f64)>], from: usize) -> Vec<f64> {
    let mut found = vec![f64::INFINITY; neighbours.len()];
    found[from] = 0.0;
    // Numbers that are not negative have the order of their bits.
    let mut queue = BinaryHeap::from([Reverse((0u64, from as u32))]);
    while let Some(Reverse((bits, at))) = queue.pop() {
        let length = f64::from_bits(bits);
        if length > found[at as usize] {
            continue;
        }
        for &(to, _, weight) in &neighbours[at as usize] {
            if length + weight < found[to as usize] {
                found[to as usize] = length + weight;
                queue.push(Reverse(((length + weight).to_bits(), to)));
            }
        }
    }
    found
}

/// Σ count · count over the features that two lists have in common; both are in order.
pub(super) fn in_common<K: Ord>(a: &[(K, f64)], b: &[(K, f64)]) -> f64 {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut sum = 0.0;
    while let (Some((u, n)), Some((w, m))) = (a.peek(), b.peek()) {
        match u.cmp(w) {
            std::cmp::Ordering::Less => drop(a.next()),
            std::cmp::Ordering::Greater => drop(b.next()),
            std::cmp::Ordering::Equal => {
                sum += n * m;
                a.next();
                b.next();
            }
        }
    }
    sum
}
