//! Hierarchies in which two clusters merge only where rows of them are connected.

use super::Linkage;
use crate::space::{Edge, Groups, Merger, Space, mergers};
use mercer_core::{Error, ErrorKind, Result, Session};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Which rows are connected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Links {
    /// Each pair once, the lower row first, in order.
    pub(super) pairs: Vec<[u32; 2]>,
    /// The parts that were not connected with each other before the nearest rows of each two of them were.
    pub(super) components: usize,
}

impl Links {
    /// The connections that are given as pairs of rows, completed where they leave several parts.
    pub(super) fn new(who: &str, given: &[Vec<f64>], space: &Space) -> Result<Self> {
        let n = space.len();
        let row = |v: f64| (v >= 0.0 && v < n as f64 && v.fract() == 0.0).then_some(v as u32);
        let (mut pairs, mut groups) = (Vec::with_capacity(given.len()), Groups::new(n));
        for pair in given {
            let ends = match pair[..] {
                [a, b] => row(a).zip(row(b)),
                _ => None,
            };
            let Some((a, b)) = ends else { return Err(bad(who, n, pair)) };
            groups.join(a, b);
            pairs.push([a.min(b), a.max(b)]);
        }
        let mut parts: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        (0..n).for_each(|i| parts.entry(groups.find(i as u32)).or_default().push(i));
        let components = parts.len();
        let parts: Vec<Vec<usize>> = parts.into_values().collect();
        for (i, part) in parts.iter().enumerate() {
            pairs.extend(parts[..i].iter().filter_map(|other| nearest(space, other, part)));
        }
        pairs.retain(|[a, b]| a != b);
        pairs.sort_unstable();
        pairs.dedup();
        Ok(Self { pairs, components })
    }

    pub(super) fn fits(&self, n: usize) -> bool {
        self.components > 0 && self.pairs.iter().all(|[a, b]| a < b && (*b as usize) < n)
    }
}

fn bad(who: &str, n: usize, pair: &[f64]) -> Error {
    let expected = format!("pairs of row numbers below {n}");
    Error::param(who, "connectivity", expected, format!("{pair:?}"))
}

/// The nearest two rows of two parts.
fn nearest(space: &Space, a: &[usize], b: &[usize]) -> Option<[u32; 2]> {
    let pairs = a.iter().flat_map(|&i| b.iter().map(move |&j| (space.between(i, j), i.min(j), i.max(j))));
    let least = pairs.min_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    least.map(|(_, i, j)| [i as u32, j as u32])
}

/// The mergers in the order in which they are made: always the pair of connected clusters of the least height, of equal ones the
/// pair of lower numbers. Heights may fall where a merger connects what was not connected before.
pub(super) fn tree(space: &Space, links: &Links, linkage: Linkage, session: &Session) -> Result<Vec<Merger>> {
    if linkage == Linkage::Single {
        return Ok(mergers(spanning(space, links), space.len()));
    }
    let n = space.len();
    let mut all = Clusters::new(space, links, linkage);
    let mut tree = Vec::with_capacity(n - 1);
    while let Some(Reverse((height, high, low))) = all.heap.pop() {
        let (left, right) = (low as usize, high as usize);
        if all.gone[left] || all.gone[right] {
            continue;
        }
        if tree.len().is_multiple_of(256)
            && session.step("mergers", tree.len() as u64, Some(n as u64 - 1), None).is_some()
        {
            return Err(ErrorKind::Cancelled.into());
        }
        let size = (all.sizes[left] + all.sizes[right]) as u32;
        tree.push(Merger { left: low, right: high, height: f64::from_bits(height), size });
        all.merge(left, right);
    }
    Ok(tree)
}

/// The shortest edges that connect all rows.
fn spanning(space: &Space, links: &Links) -> Vec<Edge> {
    let edge = |&[from, to]: &[u32; 2]| Edge { from, to, length: space.between(from as usize, to as usize) };
    let (mut edges, mut groups) =
        (links.pairs.iter().map(edge).collect::<Vec<_>>(), Groups::new(space.len()));
    edges.sort_by(|a, b| a.length.total_cmp(&b.length));
    edges.retain(|e| {
        let apart = groups.find(e.from) != groups.find(e.to);
        groups.join(e.from, e.to);
        apart
    });
    edges
}

/// Clusters by number: rows first, then mergers.
struct Clusters {
    linkage: Linkage,
    sizes: Vec<f64>,
    /// The means of the rows, for Ward's linkage alone.
    means: Vec<Vec<f64>>,
    gone: Vec<bool>,
    /// For each cluster those that it is connected with, and how far they are.
    beside: Vec<BTreeMap<u32, f64>>,
    /// The bits of the height of a merger, its higher and its lower number. Heights are not negative, so that they are in the
    /// order of their bits.
    heap: BinaryHeap<Reverse<(u64, u32, u32)>>,
}

impl Clusters {
    fn new(space: &Space, links: &Links, linkage: Linkage) -> Self {
        let n = space.len();
        let ward = linkage == Linkage::Ward;
        let means = if ward { (0..n).map(|i| space.rows.row(i).to_vec()).collect() } else { Vec::new() };
        let (beside, heap) = (vec![BTreeMap::new(); n], BinaryHeap::with_capacity(links.pairs.len()));
        let mut all = Self { linkage, sizes: vec![1.0; n], means, gone: vec![false; n], beside, heap };
        for &[a, b] in &links.pairs {
            let far = if ward { all.ward(a, b) } else { space.between(a as usize, b as usize) };
            all.connect(a, b, far);
        }
        all
    }

    fn connect(&mut self, a: u32, b: u32, far: f64) {
        self.beside[a as usize].insert(b, far);
        self.beside[b as usize].insert(a, far);
        self.heap.push(Reverse((far.to_bits(), a.max(b), a.min(b))));
    }

    /// The height of a merger by Ward's linkage.
    fn ward(&self, a: u32, b: u32) -> f64 {
        let (m, k) = (self.sizes[a as usize], self.sizes[b as usize]);
        let gaps = self.means[a as usize].iter().zip(&self.means[b as usize]).map(|(a, b)| (a - b) * (a - b));
        (2.0 * m * k / (m + k) * gaps.sum::<f64>()).sqrt()
    }

    fn merge(&mut self, left: usize, right: usize) {
        let (own, other) = (self.sizes[left], self.sizes[right]);
        let (number, total) = (self.sizes.len() as u32, own + other);
        let (mut near, also) =
            (std::mem::take(&mut self.beside[left]), std::mem::take(&mut self.beside[right]));
        for (cluster, far) in also {
            // What only one of the two is connected with is as far as from that one.
            let joined = |before: f64| match self.linkage {
                Linkage::Average => (own * before + other * far) / total,
                _ => before.max(far),
            };
            near.entry(cluster).and_modify(|before| *before = joined(*before)).or_insert(far);
        }
        if self.linkage == Linkage::Ward {
            let (a, b) = (std::mem::take(&mut self.means[left]), std::mem::take(&mut self.means[right]));
            self.means.push(a.iter().zip(&b).map(|(a, b)| a + other / total * (b - a)).collect());
        }
        (self.gone[left], self.gone[right]) = (true, true);
        self.sizes.push(total);
        self.gone.push(false);
        self.beside.push(BTreeMap::new());
        near.retain(|cluster, _| !self.gone[*cluster as usize]);
        for (cluster, far) in near {
            self.beside[cluster as usize].remove(&(left as u32));
            self.beside[cluster as usize].remove(&(right as u32));
            let far = if self.linkage == Linkage::Ward { self.ward(cluster, number) } else { far };
            self.connect(cluster, number, far);
        }
    }
}
