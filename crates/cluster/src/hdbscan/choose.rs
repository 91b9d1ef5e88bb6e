//! The clusters that are chosen of a condensed tree, and how strongly rows belong to them.

use super::condense::{Condensed, Part};
use super::{ClusterSelection, HDBSCAN};

/// The clusters that were chosen.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) labels: Vec<i32>,
    pub(super) strengths: Vec<f64>,
    /// For each cluster of the tree the one chosen at or above it.
    pub(super) owners: Vec<Option<u32>>,
    /// For each chosen cluster its stability, as a share of what it would be if all of its rows left it at the greatest λ of the tree.
    pub(super) persistence: Vec<f64>,
    /// Where all rows are one cluster: the λ below which they are noise all the same.
    pub(super) border: f64,
}

/// What is known of every cluster.
struct Clusters {
    parent: Vec<usize>,
    children: Vec<Vec<usize>>,
    /// λ at which it appears.
    birth: Vec<f64>,
    /// λ at which the last row or cluster leaves.
    death: Vec<f64>,
    size: Vec<usize>,
    stability: Vec<f64>,
}

impl Clusters {
    fn of(tree: &Condensed) -> Self {
        let k = tree.n_clusters;
        let (parent, birth) = tree.origins().into_iter().unzip();
        let mut all = Self {
            parent,
            children: vec![Vec::new(); k],
            birth,
            death: tree.deaths(false),
            size: vec![0; k],
            stability: vec![0.0; k],
        };
        for l in &tree.leaving {
            if let Part::Cluster(c, size) = l.what {
                all.size[c] = size;
                all.children[l.from].push(c);
            }
        }
        // The root counts the rows of its clusters alone, as scikit-learn has it.
        all.size[0] = all.children[0].iter().map(|&c| all.size[c]).sum();
        for l in &tree.leaving {
            let size = if let Part::Cluster(_, size) = l.what { size } else { 1 };
            let birth = all.birth[l.from];
            // Rows that coincide from the birth of their cluster on add nothing to it.
            if birth.is_finite() {
                all.stability[l.from] += (l.lambda - birth) * size as f64;
            }
        }
        all
    }

    fn each_below(&self, top: usize, mut f: impl FnMut(usize)) {
        let mut stack = self.children[top].clone();
        while let Some(c) = stack.pop() {
            f(c);
            stack.extend(&self.children[c]);
        }
    }

    /// The clusters of the greatest total stability, from the leaves to the root.
    fn by_stability(&self, single: bool, largest: Option<usize>) -> Vec<bool> {
        let (k, mut stability) = (self.parent.len(), self.stability.clone());
        let mut chosen = vec![true; k];
        chosen[0] = single;
        for c in (usize::from(!single)..k).rev() {
            let below: f64 = self.children[c].iter().map(|&b| stability[b]).sum();
            if below > stability[c] || largest.is_some_and(|most| self.size[c] > most) {
                (chosen[c], stability[c]) = (false, below);
            } else {
                self.each_below(c, |b| chosen[b] = false);
            }
        }
        chosen
    }

    /// Clusters that appear at a distance below `epsilon` give way to the first above them that does not.
    fn above(&self, chosen: &[bool], epsilon: f64, single: bool) -> Vec<bool> {
        let (mut out, mut done) = (vec![false; chosen.len()], vec![false; chosen.len()]);
        for c in (0..chosen.len()).filter(|&c| chosen[c]) {
            if 1.0 / self.birth[c] >= epsilon {
                out[c] = true;
            } else if !done[c] {
                let top = self.climb(c, epsilon, single);
                out[top] = true;
                self.each_below(top, |b| done[b] = true);
            }
        }
        out
    }

    fn climb(&self, mut c: usize, epsilon: f64, single: bool) -> usize {
        loop {
            let parent = self.parent[c];
            if parent == 0 {
                return if single { 0 } else { c };
            }
            if 1.0 / self.birth[parent] > epsilon {
                return parent;
            }
            c = parent;
        }
    }
}

/// Chooses clusters, and labels the rows.
pub(super) fn choose(tree: &Condensed, params: &HDBSCAN) -> Chosen {
    let all = Clusters::of(tree);
    let (epsilon, single) = (params.cluster_selection_epsilon, params.allow_single_cluster);
    let mut chosen = match params.cluster_selection_method {
        ClusterSelection::Eom => all.by_stability(single, params.max_cluster_size),
        ClusterSelection::Leaf => {
            (0..tree.n_clusters).map(|c| c > 0 && all.children[c].is_empty()).collect::<Vec<_>>()
        }
    };
    if epsilon > 0.0 && tree.n_clusters > 1 && !chosen[0] {
        chosen = all.above(&chosen, epsilon, single);
    }
    label(tree, &all, &chosen, params)
}

fn label(tree: &Condensed, all: &Clusters, chosen: &[bool], params: &HDBSCAN) -> Chosen {
    let mut owner = vec![None; tree.n_clusters];
    let (mut number, mut next) = (vec![-1i32; tree.n_clusters], 0);
    for c in 0..tree.n_clusters {
        owner[c] = if chosen[c] { Some(c) } else { owner[all.parent[c]].filter(|_| c > 0) };
        if chosen[c] {
            number[c] = next;
            next += 1;
        }
    }
    // All rows in one cluster would leave no noise: those that left it early are.
    let epsilon = params.cluster_selection_epsilon;
    let border = if epsilon > 0.0 { 1.0 / epsilon } else { all.death[0] };
    let (mut labels, mut strengths) = (vec![-1i32; tree.n_rows], vec![0.0; tree.n_rows]);
    for l in &tree.leaving {
        let Part::Row(row) = l.what else { continue };
        let Some(c) = owner[l.from] else { continue };
        if c == 0 && (next > 1 || l.lambda < border) {
            continue;
        }
        labels[row] = number[c];
        let death = all.death[c];
        let whole = death == 0.0 || l.lambda.is_infinite();
        strengths[row] = if whole { 1.0 } else { l.lambda.min(death) / death };
    }
    let persistence = persistence(all, chosen, &labels);
    let owners = owner.into_iter().map(|c| c.map(|c| c as u32)).collect();
    Chosen { labels, strengths, owners, persistence, border }
}

fn persistence(all: &Clusters, chosen: &[bool], labels: &[i32]) -> Vec<f64> {
    let top = all.death.iter().fold(0.0f64, |a, v| a.max(*v));
    let mut sizes = vec![0usize; chosen.iter().filter(|c| **c).count()];
    labels.iter().filter(|l| **l >= 0).for_each(|l| sizes[*l as usize] += 1);
    let one = |(c, size): (usize, &usize)| match *size {
        0 => 1.0,
        _ if top == 0.0 || top.is_infinite() => 1.0,
        size => all.stability[c] / (size as f64 * top),
    };
    (0..chosen.len()).filter(|&c| chosen[c]).zip(&sizes).map(one).collect()
}
