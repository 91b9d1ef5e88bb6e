//! The linear models of a model tree: least squares at each node, pruning and smoothing.

use crate::cart::tree::Tree;
use crate::grown::{Grown, LEAF};
use crate::sorted_columns::Values;
use mercer_core::{Session, Termination};
use mercer_math::{Mat, lstsq};
use rayon::prelude::*;
use std::sync::OnceLock;

/// A linear model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub(super) intercept: f64,
    /// Features, increasing, with their coefficients.
    pub(super) terms: Vec<(u32, f64)>,
}

impl Line {
    /// (a × this + b × other) / (a + b).
    fn mixed(&self, a: f64, other: &Line, b: f64) -> Line {
        let (a, b) = (a / (a + b), b / (a + b));
        let mut terms: Vec<(u32, f64)> = self.terms.iter().map(|(f, c)| (*f, a * c)).collect();
        for (feature, c) in &other.terms {
            match terms.binary_search_by(|t| t.0.cmp(feature)) {
                Ok(at) => terms[at].1 += b * c,
                Err(at) => terms.insert(at, (*feature, b * c)),
            }
        }
        Line { intercept: a * self.intercept + b * other.intercept, terms }
    }
}

/// A model and the error to expect of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fit {
    pub(super) line: Line,
    pub(super) error: f64,
}

/// Fits models to the rows of nodes.
pub(super) struct Fitter<'a> {
    table: &'a [Values<'a>],
    kept: &'a [u32],
    y: Vec<f64>,
    w: Vec<f64>,
    /// What stands for a missing value of each feature.
    pub(super) means: Vec<f64>,
    drop: bool,
    session: &'a Session,
    stopped: OnceLock<Termination>,
}

impl<'a> Fitter<'a> {
    pub(super) fn new(
        table: &'a [Values<'a>],
        kept: &'a [u32],
        y: Vec<f64>,
        w: Vec<f64>,
        drop: bool,
        session: &'a Session,
    ) -> Self {
        let mean = |column: &Values<'_>| {
            let (mut total, mut sum) = (0.0, 0.0);
            for (&i, w) in kept.iter().zip(&w) {
                let v = column.number(i as usize);
                if !v.is_nan() && super::is_numeric(column) {
                    total += w;
                    sum += w * v;
                }
            }
            Some(sum / total).filter(|m| m.is_finite()).unwrap_or(0.0)
        };
        let means = table.par_iter().map(mean).collect();
        Self { table, kept, y, w, means, drop, session, stopped: OnceLock::new() }
    }

    pub(super) fn stopped(&self) -> Option<Termination> {
        self.stopped.get().copied()
    }

    fn value(&self, i: u32, feature: u32) -> f64 {
        let v = self.table[feature as usize].number(self.kept[i as usize] as usize);
        if v.is_nan() { self.means[feature as usize] } else { v }
    }

    /// The model of every node, by the node's id (`order` maps places to ids); where `inner` is false, of leaves only.
    pub(super) fn fit_all(&self, tree: &Tree, order: &[u32], all: bool, inner: bool) -> Vec<Fit> {
        let n = tree.n_nodes();
        let mut by_leaf: Vec<(usize, u32)> = (0..self.kept.len() as u32)
            .map(|i| (tree.leaf(|j| self.table[j].number(self.kept[i as usize] as usize)), i))
            .collect();
        by_leaf.sort_unstable();
        // A subtree is a range of places, so its rows are a range, too.
        let (mut ends, mut tested) = (vec![0; n], vec![Vec::new(); n]);
        for at in (0..n).rev() {
            let split = tree.node(at).and_then(|node| node.split);
            ends[at] = split.map_or(at + 1, |s| ends[s.right]);
            if let Some(s) = split {
                let mut features: Vec<u32> = [&tested[s.left][..], &tested[s.right][..]].concat();
                features.extend(super::is_numeric(&self.table[s.feature]).then_some(s.feature as u32));
                features.sort_unstable();
                features.dedup();
                tested[at] = features;
            }
        }
        let numeric: Vec<u32> =
            (0..self.table.len() as u32).filter(|&j| super::is_numeric(&self.table[j as usize])).collect();
        let one = |at: usize| {
            if !inner && ends[at] > at + 1 {
                return Fit::default();
            }
            let place = |end: usize| by_leaf.partition_point(|(leaf, _)| *leaf < end);
            let rows: Vec<u32> = by_leaf[place(at)..place(ends[at])].iter().map(|(_, i)| *i).collect();
            self.fit(&rows, if all { &numeric } else { &tested[at] })
        };
        let fits: Vec<Fit> = (0..n).into_par_iter().map(one).collect();
        // Nothing has been cut off yet, so the ids are the places in another order.
        let mut by_id = vec![Fit::default(); n];
        fits.into_iter().zip(order).for_each(|(fit, &id)| by_id[id as usize] = fit);
        by_id
    }

    /// Least squares on the features that vary, less terms whose loss does not raise the error to expect.
    fn fit(&self, rows: &[u32], features: &[u32]) -> Fit {
        let n: f64 = rows.iter().map(|&i| self.w[i as usize]).sum();
        let mean = rows.iter().map(|&i| self.w[i as usize] * self.y[i as usize]).sum::<f64>() / n;
        if let Some(why) = self.session.interrupted() {
            let _ = self.stopped.set(why);
        }
        let features = if self.stopped.get().is_some() { &[] } else { features };
        let design = Design::new(self, rows, features, n, mean);
        let mut active: Vec<usize> = (0..design.columns.len()).collect();
        let mut best = design.solve(&active);
        while self.drop && !active.is_empty() && self.session.interrupted().is_none() {
            let smallest = (0..active.len()).min_by(|&a, &b| best.0[a].abs().total_cmp(&best.0[b].abs()));
            let mut fewer = active.clone();
            fewer.remove(smallest.unwrap_or(0));
            let found = design.solve(&fewer);
            if found.1 > best.1 {
                break;
            }
            (best, active) = (found, fewer);
        }
        Fit { line: design.line(&active, &best.0), error: best.1 }
    }
}

/// The rows of a node with centred and scaled columns.
struct Design {
    /// Feature, mean and scale of each column.
    columns: Vec<(u32, f64, f64)>,
    /// Rows × columns.
    z: Mat,
    gram: Mat,
    moments: Vec<f64>,
    y: Vec<f64>,
    w: Vec<f64>,
    n: f64,
    mean: f64,
}

impl Design {
    fn new(fitter: &Fitter<'_>, rows: &[u32], features: &[u32], n: f64, mean: f64) -> Self {
        let w: Vec<f64> = rows.iter().map(|&i| fitter.w[i as usize]).collect();
        let y: Vec<f64> = rows.iter().map(|&i| fitter.y[i as usize] - mean).collect();
        let column = |&feature: &u32| {
            let pairs = || rows.iter().zip(&w).map(|(&i, w)| (fitter.value(i, feature), w));
            let centre = pairs().map(|(v, w)| w * v).sum::<f64>() / n;
            let scale = (pairs().map(|(v, w)| w * (v - centre) * (v - centre)).sum::<f64>() / n).sqrt();
            let varies = scale.is_finite() && scale > 1e-12 * centre.abs() && scale > 0.0;
            varies.then_some((feature, centre, scale))
        };
        let columns: Vec<(u32, f64, f64)> = features.iter().filter_map(column).collect();
        let z = Mat::from_fn(rows.len(), columns.len(), |i, j| {
            let (feature, centre, scale) = columns[j];
            (fitter.value(rows[i], feature) - centre) / scale
        });
        let v = columns.len();
        let (mut gram, mut moments) = (Mat::zeros(v, v), vec![0.0; v]);
        for i in 0..rows.len() {
            let row = z.row(i);
            for a in 0..v {
                moments[a] += w[i] * row[a] * y[i];
                for b in 0..=a {
                    gram[(a, b)] += w[i] * row[a] * row[b];
                }
            }
        }
        for a in 0..v {
            (0..a).for_each(|b| gram[(b, a)] = gram[(a, b)]);
        }
        Self { columns, z, gram, moments, y, w, n, mean }
    }

    /// The coefficients of some columns, and the error to expect: the mean absolute residual, times (n + v)/(n − v).
    fn solve(&self, active: &[usize]) -> (Vec<f64>, f64) {
        let v = active.len();
        let gram = Mat::from_fn(v, v, |a, b| self.gram[(active[a], active[b])]);
        let moments = Mat::from_fn(v, 1, |a, _| self.moments[active[a]]);
        // The solution of smallest norm, where columns depend on each other.
        let solved = lstsq(gram.view(), moments.view(), Some(1e-12)).map(|found| found.0);
        let coefficients = solved.map_or_else(|| vec![0.0; v], Mat::into_vec);
        let residual = |i: usize| {
            let row = self.z.row(i);
            self.y[i] - active.iter().zip(&coefficients).map(|(&j, c)| row[j] * c).sum::<f64>()
        };
        let mean = (0..self.y.len()).map(|i| self.w[i] * residual(i).abs()).sum::<f64>() / self.n;
        let parameters = v as f64 + 1.0;
        let factor = (self.n + parameters) / (self.n - parameters);
        (coefficients, if self.n > parameters { mean * factor } else { f64::INFINITY })
    }

    /// The model in the units of the data.
    fn line(&self, active: &[usize], coefficients: &[f64]) -> Line {
        let mut line = Line { intercept: self.mean, terms: Vec::with_capacity(active.len()) };
        for (&j, c) in active.iter().zip(coefficients) {
            let (feature, centre, scale) = self.columns[j];
            line.terms.push((feature, c / scale));
            line.intercept -= c / scale * centre;
        }
        let finite = line.intercept.is_finite() && line.terms.iter().all(|t| t.1.is_finite());
        if finite { line } else { Line { intercept: self.mean, terms: Vec::new() } }
    }
}

/// Makes a leaf of each node whose model expects no more error than its subtree.
pub(super) fn prune(grown: &mut Grown, fits: &mut [Fit], slack: f64) {
    for &id in grown.preorder().iter().rev() {
        let (id, left, right) = (id as usize, grown.left[id as usize], grown.right[id as usize]);
        if left == LEAF {
            continue;
        }
        let part = |child: u32| grown.weight[child as usize] * fits[child as usize].error;
        let subtree = (part(left) + part(right)) / grown.weight[id];
        if fits[id].error <= subtree + slack {
            grown.cut_off(id);
        } else {
            fits[id].error = subtree;
        }
    }
}

/// The models of all nodes in the order of the flat tree: those of leaves smoothed along the way to the root.
pub(super) fn smoothed(grown: &Grown, fits: &[Fit], k: f64) -> Vec<Line> {
    let order = grown.preorder();
    let mut parent = vec![LEAF; grown.len()];
    for &id in &order {
        for child in [grown.left[id as usize], grown.right[id as usize]] {
            if child != LEAF {
                parent[child as usize] = id;
            }
        }
    }
    let line = |&id: &u32| {
        let (mut line, mut at) = (fits[id as usize].line.clone(), id as usize);
        if grown.left[at] != LEAF {
            return Line::default();
        }
        while k > 0.0 && parent[at] != LEAF {
            let above = parent[at] as usize;
            line = line.mixed(grown.weight[at], &fits[above].line, k);
            at = above;
        }
        line
    };
    order.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoothing_is_quinlans_formula() {
        // p' = (n p + k q) / (n + k): 30 rows below that say 2 + 3 a, a parent that says 5 + 1 b, k = 15.
        let below = Line { intercept: 2.0, terms: vec![(0, 3.0)] };
        let above = Line { intercept: 5.0, terms: vec![(1, 1.0)] };
        let mixed = below.mixed(30.0, &above, 15.0);
        let at = |line: &Line, a: f64, b: f64| {
            line.intercept + line.terms.iter().map(|(f, c)| c * if *f == 0 { a } else { b }).sum::<f64>()
        };
        for (a, b) in [(0.0, 0.0), (1.0, -2.0), (4.0, 7.0)] {
            let by_hand = (30.0 * at(&below, a, b) + 15.0 * at(&above, a, b)) / 45.0;
            assert!((at(&mixed, a, b) - by_hand).abs() < 1e-12);
        }
    }
}
