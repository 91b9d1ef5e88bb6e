//! The tree of clusters that are large enough, with the rows that leave them.

use crate::space::Merger;

/// What leaves a cluster: a row, or a cluster of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leaving {
    /// The cluster that is left, by its number.
    pub(super) from: usize,
    /// What leaves.
    pub(super) what: Part,
    /// 1 / the distance at which it leaves.
    pub(super) lambda: f64,
}

/// A row, or a cluster with its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Row(usize),
    Cluster(usize, usize),
}

/// Clusters are numbered from the root, which is 0, downwards: a child has a higher number than its parent.
#[derive(Clone, Debug, Default)]
pub(super) struct Condensed {
    pub(super) n_rows: usize,
    pub(super) n_clusters: usize,
    pub(super) leaving: Vec<Leaving>,
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
