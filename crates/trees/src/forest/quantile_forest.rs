//! Quantile regression forest: the training rows that share leaves with a row are a sample of its distribution.
//!
//! F(y | x) = Σᵢ wᵢ(x) 1{yᵢ ≤ y}, where wᵢ(x) is the mean over the trees of the share of row i in the leaf of x
//! (N. Meinshausen. Quantile regression forests. JMLR 7, 2006).

use super::regressor_model::ForestRegressorModel;
use crate::packed::PackedTrees;
use mercer_core::{Dataset, Error, Input, Intervals, Quantiles, Result, Session};
use mercer_math::{Mat, Weights};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The training rows of every leaf of every tree; rows of weight 0 are absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Samples {
    /// Targets, rising.
    y: Vec<f64>,
    weights: Vec<f64>,
    trees: Vec<Contents>,
}

/// The rows of every leaf of a tree, one leaf after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Contents {
    /// Where the rows of each node start; one more than there are nodes.
    starts: Vec<u32>,
    /// Rising in each leaf.
    rows: Vec<u32>,
}

impl Contents {
    /// From the leaf that each row reaches.
    fn new(n_nodes: usize, leaves: impl Iterator<Item = u32> + Clone) -> Self {
        let mut starts = vec![0u32; n_nodes + 1];
        leaves.clone().for_each(|leaf| starts[leaf as usize + 1] += 1);
        (1..starts.len()).for_each(|k| starts[k] += starts[k - 1]);
        let (mut next, mut rows) = (starts.clone(), vec![0; starts[n_nodes] as usize]);
        for (i, leaf) in leaves.enumerate() {
            rows[next[leaf as usize] as usize] = i as u32;
            next[leaf as usize] += 1;
        }
        Self { starts, rows }
    }

    fn of(&self, leaf: u32) -> &[u32] {
        &self.rows[self.starts[leaf as usize] as usize..self.starts[leaf as usize + 1] as usize]
    }

    fn is_valid(&self, n_nodes: usize, n_rows: usize) -> bool {
        self.starts.len() == n_nodes + 1
            && self.starts[0] == 0
            && self.starts.is_sorted()
            && self.starts[n_nodes] as usize == self.rows.len()
            && self.rows.iter().all(|&i| (i as usize) < n_rows)
    }
}

impl Samples {
    /// Of the rows that the trees were grown on, which have one target.
    pub(crate) fn new(packed: &PackedTrees, train: &Dataset<'_>, session: &Session) -> Result<Self> {
        let target = train.need_target("a forest")?;
        let (values, given) = (target.numbers()?, train.weights());
        let weights = Weights::of(&given);
        let mut kept: Vec<usize> = (0..values.len()).filter(|&i| weights.counts(i)).collect();
        kept.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let (trees, leaves) = (packed.n_trees(), packed.apply(&train.input(), session)?);
        let one = |t: usize| Contents::new(packed.n_nodes(t), kept.iter().map(|&i| leaves[i * trees + t]));
        Ok(Self {
            y: kept.iter().map(|&i| values[i]).collect(),
            weights: kept.iter().map(|&i| weights[i]).collect(),
            trees: (0..trees).into_par_iter().map(one).collect(),
        })
    }

    /// For every row of `input`, the least training value at which its distribution reaches each quantile.
    fn quantiles(
        &self,
        packed: &PackedTrees,
        input: &Input<'_>,
        quantiles: &[f64],
        session: &Session,
    ) -> Result<Mat> {
        let (trees, leaves) = (packed.n_trees(), packed.apply(input, session)?);
        let one = |row: &[u32]| -> Vec<f64> {
            let mut sample: Vec<(u32, f64)> = Vec::new();
            for (tree, &leaf) in self.trees.iter().zip(row) {
                let rows = tree.of(leaf);
                let total: f64 = rows.iter().map(|&i| self.weights[i as usize]).sum();
                sample.extend(rows.iter().map(|&i| (i, self.weights[i as usize] / total)));
            }
            sample.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let value = |place: u32| self.y[place as usize];
            quantiles.iter().map(|&q| reach(&sample, q).map_or(f64::NAN, value)).collect()
        };
        let found: Vec<f64> = session.run(|| leaves.par_chunks(trees).flat_map_iter(one).collect());
        let (n, k) = (leaves.len() / trees, quantiles.len());
        Mat::from_vec(found, n, k).ok_or_else(|| Error::shape("quantiles", n * k, 0))
    }

    pub(crate) fn is_valid(&self, packed: &PackedTrees) -> bool {
        let n = self.y.len();
        self.weights.len() == n
            && self.weights.iter().all(|w| w.is_finite() && *w > 0.0)
            && self.y.iter().all(|y| y.is_finite())
            && self.y.is_sorted()
            && self.trees.len() == packed.n_trees()
            && self.trees.iter().enumerate().all(|(t, tree)| tree.is_valid(packed.n_nodes(t), n))
    }
}

impl Intervals for ForestRegressorModel {
    fn intervals(&self, input: &Input<'_>, level: f64, session: &Session) -> Result<Mat> {
        self.quantiles(input, &[(1.0 - level) / 2.0, (1.0 + level) / 2.0], session)
    }
}

impl Quantiles for ForestRegressorModel {
    fn quantiles(&self, input: &Input<'_>, quantiles: &[f64], session: &Session) -> Result<Mat> {
        match &self.samples {
            Some(samples) => samples.quantiles(self.trees(), input, quantiles, session),
            None => Err(Error::incapable("a forest without quantiles=true", "give quantiles")),
        }
    }
}

/// The first of a sample in order at which the weight up to it reaches the share `q`; none of nothing.
fn reach(sample: &[(u32, f64)], q: f64) -> Option<u32> {
    let total: f64 = sample.iter().map(|s| s.1).sum();
    let mut sum = 0.0;
    // A share that rounding leaves short by the last digits is reached.
    let reached = |s: &&(u32, f64)| {
        sum += s.1;
        sum >= q * total * (1.0 - 1e-12)
    };
    sample.iter().find(reached).or(sample.last()).map(|s| s.0)
}
