//! The tree of clusters that are large enough, with the rows that leave them.

use crate::space::Merger;
use serde::{Deserialize, Serialize};

/// What leaves a cluster: a row, or a cluster of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Leaving {
    /// The cluster that is left, by its number.
    pub(super) from: usize,
    /// What leaves.
    pub(super) what: Part,
    /// 1 / the distance at which it leaves.
    pub(super) lambda: f64,
}

/// A row, or a cluster with its size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Part {
    Row(usize),
    Cluster(usize, usize),
}

/// Clusters are numbered from the root, which is 0, downwards: a child has a higher number than its parent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Condensed {
    pub(super) n_rows: usize,
    pub(super) n_clusters: usize,
    pub(super) leaving: Vec<Leaving>,
}

impl Condensed {
    /// For each cluster the λ at which the last row leaves it: with those of the clusters below it, or without.
    pub(super) fn deaths(&self, below: bool) -> Vec<f64> {
        let mut out = vec![0.0f64; self.n_clusters];
        // What leaves a cluster stands before what leaves its parts.
        for l in self.leaving.iter().rev() {
            let last = match l.what {
                Part::Cluster(c, _) if below => l.lambda.max(out[c]),
                _ => l.lambda,
            };
            out[l.from] = out[l.from].max(last);
        }
        out
    }

    /// For each cluster the one that it leaves and the λ of that; the first leaves none.
    pub(super) fn origins(&self) -> Vec<(usize, f64)> {
        let mut out = vec![(0, 0.0); self.n_clusters];
        for l in &self.leaving {
            if let Part::Cluster(c, _) = l.what {
                out[c] = (l.from, l.lambda);
            }
        }
        out
    }

    /// For each row the cluster that it leaves, and the λ of that.
    pub(super) fn rows(&self) -> Vec<(usize, f64)> {
        let mut out = vec![(0, 0.0); self.n_rows];
        for l in &self.leaving {
            if let Part::Row(row) = l.what {
                out[row] = (l.from, l.lambda);
            }
        }
        out
    }

    /// How far each row is from the densest place of its cluster: 1 − λ of the row / the greatest λ at or below the cluster that it
    /// leaves. GLOSH, definition 8 of Campello, Moulavi, Zimek, Sander 2015.
    pub(super) fn outlier_scores(&self) -> Vec<f64> {
        let deaths = self.deaths(true);
        let score = |(from, lambda): (usize, f64)| match deaths[from] {
            death if death == 0.0 || lambda.is_infinite() => 0.0,
            death => 1.0 - lambda / death,
        };
        self.rows().into_iter().map(score).collect()
    }

    /// Whether every row and every cluster but the first leaves one cluster, which stands before it.
    pub(super) fn is_whole(&self) -> bool {
        let (mut rows, mut clusters) = (vec![false; self.n_rows], vec![false; self.n_clusters]);
        let once = |seen: &mut Vec<bool>, i: usize| i < seen.len() && !std::mem::replace(&mut seen[i], true);
        let mut fits = |l: &Leaving| {
            l.from < self.n_clusters
                && l.lambda >= 0.0
                && match l.what {
                    Part::Row(row) => once(&mut rows, row),
                    Part::Cluster(c, _) => c > l.from && once(&mut clusters, c),
                }
        };
        self.n_clusters > 0
            && self.leaving.iter().all(&mut fits)
            && self.leaving.len() + 1 == self.n_rows + self.n_clusters
    }
}

/// All nodes at and below one, level by level.
fn below(tree: &[Merger], top: usize, queue: &mut Vec<usize>) {
    let n = tree.len() + 1;
    queue.clear();
    queue.push(top);
    let mut at = 0;
    while at < queue.len() {
        if queue[at] >= n {
            let m = tree[queue[at] - n];
            queue.extend([m.left as usize, m.right as usize]);
        }
        at += 1;
    }
}

/// Condenses a tree: where a cluster parts into two that are large enough both are clusters, else the smaller part leaves it row by row.
pub(super) fn condense(tree: &[Merger], min_size: usize) -> Condensed {
    let n = tree.len() + 1;
    let root = 2 * (n - 1);
    let mut out = Condensed { n_rows: n, n_clusters: 1, leaving: Vec::with_capacity(n) };
    let (mut number, mut gone) = (vec![0usize; root + 1], vec![false; root + 1]);
    let (mut nodes, mut queue) = (Vec::new(), Vec::new());
    below(tree, root, &mut nodes);
    let size = |node: usize| if node < n { 1 } else { tree[node - n].size as usize };
    for node in nodes {
        if node < n || gone[node] {
            continue;
        }
        let (m, from) = (tree[node - n], number[node]);
        let lambda = if m.height > 0.0 { 1.0 / m.height } else { f64::INFINITY };
        let sides = [m.left as usize, m.right as usize];
        let both = sides.iter().all(|&s| size(s) >= min_size);
        for side in sides {
            if both {
                number[side] = out.n_clusters;
                let what = Part::Cluster(out.n_clusters, size(side));
                out.leaving.push(Leaving { from, what, lambda });
                out.n_clusters += 1;
            } else if size(side) >= min_size {
                number[side] = from;
            } else {
                below(tree, side, &mut queue);
                for &part in &queue {
                    gone[part] = true;
                    if part < n {
                        out.leaving.push(Leaving { from, what: Part::Row(part), lambda });
                    }
                }
            }
        }
    }
    out
}
