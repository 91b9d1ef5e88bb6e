//! Quantiles by a forest: the training rows that share leaves with a row are a sample of its distribution.
//!
//! F(y | x) = Σᵢ wᵢ(x) 1{yᵢ ≤ y}, where wᵢ(x) is the mean over the trees of the share of row i in the leaf of x
//! (N. Meinshausen. Quantile regression forests. JMLR 7, 2006).

use super::numbers::ForestRegressorModel;
use crate::grove::Grove;
use mercer_core::{Dataset, Error, Input, Result, Session};
use mercer_math::Mat;
use rayon::prelude::*;

/// The training rows of every leaf of a tree, one after the other.
struct Contents {
    /// Where the rows of each node start; one more than there are nodes.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Contents {
    fn new(grove: &Grove, t: usize, leaves: &[u32], weights: &[f64]) -> Self {
        let trees = grove.n_trees();
        let mut starts = vec![0u32; grove.n_nodes(t) + 1];
        let kept =
            || (0..weights.len()).filter(|&i| weights[i] > 0.0).map(|i| (i, leaves[i * trees + t] as usize));
        kept().for_each(|(_, leaf)| starts[leaf + 1] += 1);
        (1..starts.len()).for_each(|k| starts[k] += starts[k - 1]);
        let (mut next, mut rows) = (starts.clone(), vec![0; *starts.last().unwrap_or(&0) as usize]);
        for (i, leaf) in kept() {
            rows[next[leaf] as usize] = i as u32;
            next[leaf] += 1;
        }
        Self { starts, rows }
    }

    fn of(&self, leaf: u32) -> &[u32] {
        &self.rows[self.starts[leaf as usize] as usize..self.starts[leaf as usize + 1] as usize]
    }
}

impl ForestRegressorModel {
    /// The conditional quantiles of the first target for every row of `input`, rows × quantiles: the least training
    /// value at which the distribution reaches each. `train` are the rows that the forest was grown on; rows of
    /// weight 0 are absent.
    pub fn quantiles(
        &self,
        train: &Dataset<'_>,
        input: &Input<'_>,
        quantiles: &[f64],
        session: &Session,
    ) -> Result<Mat> {
        if let Some(bad) = quantiles.iter().find(|q| !(0.0..=1.0).contains(*q)) {
            return Err(Error::param("a forest", "quantiles", "in [0, 1]", bad));
        }
        let grove = self.trees();
        let trees = grove.n_trees();
        let target = train.need_target("a forest")?;
        let y = target.numbers_of(0)?;
        let weights = train.weights().map_or_else(|| vec![1.0; y.len()], |w| w.to_vec());
        let known = grove.apply(&train.input(), session)?;
        let contents: Vec<Contents> = (0..trees).map(|t| Contents::new(grove, t, &known, &weights)).collect();
        let leaves = grove.apply(input, session)?;
        let one = |row: &[u32]| -> Vec<f64> {
            let mut sample: Vec<(f64, f64)> = Vec::new();
            for (own, &leaf) in contents.iter().zip(row) {
                let rows = own.of(leaf);
                let total: f64 = rows.iter().map(|&i| weights[i as usize]).sum();
                sample.extend(rows.iter().map(|&i| (y[i as usize], weights[i as usize] / total)));
            }
            sample.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            quantiles.iter().map(|&q| reach(&sample, q)).collect()
        };
        let found: Vec<f64> = session.run(|| leaves.par_chunks(trees).flat_map_iter(one).collect());
        let (n, k) = (leaves.len() / trees, quantiles.len());
        Mat::from_vec(found, n, k).ok_or_else(|| Error::shape("quantiles", n * k, 0))
    }
}

/// The least value of a sorted sample at which the weight up to it reaches the share `q`; NaN of nothing.
fn reach(sample: &[(f64, f64)], q: f64) -> f64 {
    let total: f64 = sample.iter().map(|s| s.1).sum();
    let mut sum = 0.0;
    for &(y, w) in sample {
        sum += w;
        // A share that rounding leaves short by the last digits is reached.
        if sum >= q * total * (1.0 - 1e-12) {
            return y;
        }
    }
    sample.last().map_or(f64::NAN, |s| s.0)
}
