//! Collapsed Gibbs sampling of a Dirichlet process mixture: one chain.
//!
//! Each row leaves its cluster and sits down anew, at a cluster of m others with probability ∝ m t(x | cluster), at a new one with
//! ∝ α t(x | prior) (Neal 2000, algorithm 3). The concentration follows by Escobar and West's two steps:
//! η ~ Beta(α + 1, n), then α ~ a mixture of Gamma(a + k, b − ln η) and Gamma(a + k − 1, b − ln η).

use super::cluster::{Cluster, NormalWishart, Norms};
use super::process::crp_log_probability;
use mercer_math::{Mat, Rng, exp_slice, uniform};
use mercer_stats::draw::{beta, gamma};
use serde::{Deserialize, Serialize};

/// The Gamma(shape, rate) prior of the concentration; none where it is given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Concentration {
    pub(crate) fixed: Option<f64>,
    pub(crate) shape: f64,
    pub(crate) rate: f64,
}

/// A chain: where each row sits, and the clusters.
#[derive(Clone, Debug)]
pub(crate) struct Chain<'a> {
    x: &'a Mat,
    prior: &'a NormalWishart,
    norms: &'a Norms,
    pub(crate) labels: Vec<u32>,
    pub(crate) clusters: Vec<Cluster>,
    pub(crate) alpha: f64,
    empty: Cluster,
    logs: Vec<f64>,
    work: Vec<f64>,
    rng: Rng,
}

impl<'a> Chain<'a> {
    /// A chain that begins at a draw of the prior's partition.
    pub(crate) fn new(
        x: &'a Mat,
        prior: &'a NormalWishart,
        norms: &'a Norms,
        alpha: f64,
        mut rng: Rng,
    ) -> Self {
        let labels = super::process::crp(&mut rng, alpha, x.n_rows()).unwrap_or_default();
        let labels: Vec<u32> = labels.into_iter().map(|t| t as u32).collect();
        let count = labels.iter().max().map_or(0, |m| *m as usize + 1);
        let (empty, work) = (prior.empty(), vec![0.0; x.n_cols()]);
        let clusters = vec![empty.clone(); count];
        let mut out = Self { x, prior, norms, labels, clusters, alpha, empty, logs: Vec::new(), work, rng };
        out.refresh();
        out
    }

    /// Makes all clusters anew from their rows.
    pub(crate) fn refresh(&mut self) {
        (0..self.clusters.len()).for_each(|c| self.remake(c));
    }

    fn remake(&mut self, c: usize) {
        let mut cluster = self.empty.clone();
        for (i, _) in self.labels.iter().enumerate().filter(|(_, l)| **l as usize == c) {
            cluster.add(self.prior, self.x.row(i), &mut self.work);
        }
        self.clusters[c] = cluster;
    }

    /// Row `i` leaves its cluster and sits down anew.
    pub(crate) fn reseat(&mut self, i: usize) {
        let row = self.x.row(i);
        let from = self.labels[i] as usize;
        self.labels[i] = u32::MAX;
        if self.clusters[from].n == 1 {
            // The last cluster takes the place of one that ends.
            let last = self.clusters.len() - 1;
            self.clusters.swap_remove(from);
            self.labels.iter_mut().filter(|l| **l == last as u32).for_each(|l| *l = from as u32);
        } else if !self.clusters[from].remove(self.prior, row, &mut self.work) {
            self.remake(from);
        }
        self.logs.clear();
        for cluster in &self.clusters {
            let norm = self.norms.at(cluster.n);
            let log = cluster.log_density(self.prior, row, norm, &mut self.work);
            self.logs.push((cluster.n as f64).ln() + log);
        }
        let new = self.empty.log_density(self.prior, row, self.norms.at(0), &mut self.work);
        self.logs.push(self.alpha.ln() + new);
        let chosen = draw(&mut self.rng, &mut self.logs);
        if chosen == self.clusters.len() {
            self.clusters.push(self.empty.clone());
        }
        self.labels[i] = chosen as u32;
        self.clusters[chosen].add(self.prior, row, &mut self.work);
    }

    /// Draws the concentration anew, where it is learnt.
    pub(crate) fn concentrate(&mut self, prior: &Concentration) {
        if prior.fixed.is_some() {
            return;
        }
        let (n, k) = (self.x.n_rows() as f64, self.clusters.len() as f64);
        let eta = beta(&mut self.rng, self.alpha + 1.0, n).max(f64::MIN_POSITIVE);
        let rate = prior.rate - eta.ln();
        let odds = (prior.shape + k - 1.0) / (n * rate);
        let more = uniform(&mut self.rng) * (1.0 + odds) < odds;
        let shape = prior.shape + k - f64::from(u8::from(!more));
        self.alpha = (gamma(&mut self.rng, shape) / rate).clamp(1e-10, 1e10);
    }

    /// ln p(partition, rows | α).
    pub(crate) fn log_joint(&self) -> f64 {
        log_joint(self.prior, &self.clusters, self.alpha)
    }
}

/// ln p(partition, rows | α) of clusters.
pub(crate) fn log_joint(prior: &NormalWishart, clusters: &[Cluster], alpha: f64) -> f64 {
    let sizes: Vec<usize> = clusters.iter().map(|c| c.n).collect();
    let seats = crp_log_probability(alpha, &sizes).unwrap_or(f64::NAN);
    seats + clusters.iter().map(|c| prior.log_evidence(c)).sum::<f64>()
}

/// A draw by weights whose logarithms are given; the logarithms are used up.
fn draw(rng: &mut Rng, logs: &mut [f64]) -> usize {
    let top = logs.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    logs.iter_mut().for_each(|v| *v -= top);
    exp_slice(logs);
    let mut left = uniform(rng) * logs.iter().sum::<f64>();
    for (c, v) in logs.iter().enumerate() {
        left -= v;
        if left < 0.0 {
            return c;
        }
    }
    logs.len() - 1
}
