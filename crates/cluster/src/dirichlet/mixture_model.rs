//! What a Dirichlet process mixture learns: states of its chains, and a partition that stands for them.

use super::cluster::{Cluster, NormalWishart, Norms};
use super::gibbs::log_joint;
use super::mixture::{DirichletProcessMixture, Trace};
use crate::mixture::{clusters, likeliest};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Densities, Error, Evidence, Fitted, Input, Params,
    Prediction, Proba, Result, Rows, Samples, Schema, Session, Termination,
};
use mercer_math::{Mat, below, by_weight, log_sum_exp, normal, running_sums, softmax_in_place};
use mercer_stats::draw::gamma;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A state of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) alpha: f64,
    pub(crate) clusters: Vec<Cluster>,
}

/// A fitted Dirichlet process mixture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DirichletProcessMixtureModel {
    prior: NormalWishart,
    n: usize,
    /// States that densities are averaged over.
    states: Vec<State>,
    /// The clusters of the partition that stands for all.
    chosen: State,
    labels: Vec<u32>,
    /// The posterior probabilities of 0, 1, … clusters.
    counts: Vec<f64>,
    alphas: Vec<f64>,
    joints: Vec<f64>,
    certificate: Certificate,
}

const JOINT: &str = "log joint of the partition";

impl DirichletProcessMixtureModel {
    pub(crate) fn new(x: &Mat, prior: NormalWishart, chains: Vec<Trace>) -> Result<Self> {
        let stopped = chains.iter().find_map(|c| c.stopped);
        let alphas: Vec<f64> = chains.iter().flat_map(|c| c.alphas.iter().copied()).collect();
        let joints: Vec<f64> = chains.iter().flat_map(|c| c.joints.iter().copied()).collect();
        let all: Vec<u32> = chains.iter().flat_map(|c| c.counts.iter().copied()).collect();
        let mut counts = vec![0.0; all.iter().max().map_or(0, |m| *m as usize) + 1];
        all.iter().for_each(|k| counts[*k as usize] += 1.0 / all.len() as f64);
        let of = |series: &dyn Fn(&Trace) -> Vec<f64>| r_hat(&chains.iter().map(series).collect::<Vec<_>>());
        let mixed = of(&|c| c.joints.clone()).max(of(&|c| c.counts.iter().map(|k| f64::from(*k)).collect()));
        let alpha = alphas.iter().sum::<f64>() / alphas.len().max(1) as f64;
        let partitions: Vec<Vec<u32>> = chains.iter().flat_map(|c| c.partitions.iter().cloned()).collect();
        let labels = by_size(partitions.get(least_squares(&partitions)).cloned().unwrap_or_default());
        let chosen = State { alpha, clusters: made(x, &prior, &labels) };
        let joint = log_joint(&prior, &chosen.clusters, alpha);
        let meaning = "logarithm of p(partition, rows | mean concentration) of the partition that stands for all: its evidence";
        let ended = if mixed < 1.1 { Termination::Converged } else { Termination::IterationLimit };
        let certificate = Certificate::new(stopped.unwrap_or(ended))
            .with_iterations(joints.len() as u64)
            .with_objective(joint)
            .with_evidence(Evidence::value(JOINT, joint, meaning).on_scale(x.n_rows() as f64))
            .with_note(format!(
                "R-hat of the log joint and the number of clusters over halves of chains: {mixed:.3} at most; below 1.1 chains agree"
            ));
        let states = chains.into_iter().flat_map(|c| c.states).collect();
        let n = x.n_rows();
        Ok(Self { prior, n, states, chosen, labels, counts, alphas, joints, certificate })
    }

    /// The clusters of the partition that stands for all.
    pub fn n_clusters(&self) -> usize {
        self.chosen.clusters.len()
    }

    /// The cluster of each training row, the largest cluster first.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The posterior probabilities of 0, 1, … clusters.
    pub fn cluster_probabilities(&self) -> &[f64] {
        &self.counts
    }

    /// For each row, what `of` makes of it, `width` numbers.
    fn each(
        &self,
        input: &Input<'_>,
        width: usize,
        session: &Session,
        of: impl Fn(&[f64], &mut [f64]) + Sync,
    ) -> Result<Mat> {
        let rows = input.rows(DirichletProcessMixture::NAME)?.dense(DirichletProcessMixture::NAME)?;
        let rows = rows.view().to_mat();
        let mut out = Mat::zeros(rows.n_rows(), width);
        session.run(|| {
            let each = out.as_mut_slice().par_chunks_mut(width).enumerate();
            each.for_each(|(i, out)| of(rows.row(i), out));
        });
        Ok(out)
    }

    fn log_predictive(&self, state: &State, norms: &[f64], row: &[f64], work: &mut [f64]) -> Vec<f64> {
        let log =
            |(c, norm): (&Cluster, &f64)| (c.n as f64).ln() + c.log_density(&self.prior, row, *norm, work);
        state.clusters.iter().zip(norms).map(log).collect()
    }

    fn norms(&self, state: &State) -> Vec<f64> {
        state.clusters.iter().map(|c| Norms::of(&self.prior, c.n)).collect()
    }
}

/// The clusters of a partition.
fn made(x: &Mat, prior: &NormalWishart, labels: &[u32]) -> Vec<Cluster> {
    let count = labels.iter().max().map_or(0, |m| *m as usize + 1);
    let mut out = vec![prior.empty(); count];
    let mut work = vec![0.0; x.n_cols()];
    labels.iter().enumerate().for_each(|(i, c)| out[*c as usize].add(prior, x.row(i), &mut work));
    out
}

/// The partition with its clusters numbered by size, the largest first; of equal ones that of the first row.
fn by_size(labels: Vec<u32>) -> Vec<u32> {
    let count = labels.iter().max().map_or(0, |m| *m as usize + 1);
    let mut sizes = vec![(0usize, usize::MAX, 0u32); count];
    for (i, c) in labels.iter().enumerate() {
        let size = &mut sizes[*c as usize];
        *size = (size.0 + 1, size.1.min(i), *c);
    }
    sizes.sort_by_key(|(n, first, _)| (usize::MAX - n, *first));
    let mut place = vec![0; count];
    sizes.iter().enumerate().for_each(|(k, (_, _, c))| place[*c as usize] = k as u32);
    labels.into_iter().map(|c| place[c as usize]).collect()
}

/// Which partition agrees best with all in whether pairs are together: the least Σ (together − share of partitions where they
/// are)². Pairs are counted by tables of clusters against clusters, none is looked at.
fn least_squares(partitions: &[Vec<u32>]) -> usize {
    let count = |p: &[u32]| p.iter().max().map_or(0, |m| *m as usize + 1);
    let pairs = |a: &[u32], b: &[u32]| {
        let width = count(b);
        let mut table = vec![0u32; count(a) * width];
        a.iter().zip(b).for_each(|(i, j)| table[*i as usize * width + *j as usize] += 1);
        table.iter().map(|n| f64::from(*n) * f64::from(*n)).sum::<f64>()
    };
    let loss = |p: &Vec<u32>| {
        let shared: f64 = partitions.iter().map(|q| pairs(p, q)).sum();
        pairs(p, p) - 2.0 * shared / partitions.len() as f64
    };
    let losses: Vec<f64> = partitions.par_iter().map(|p| -loss(p)).collect();
    if losses.is_empty() { 0 } else { mercer_math::argmax(&losses) }
}

/// The R-hat of halves of chains: by how much a longer run could narrow the spread; 1 where nothing varies.
fn r_hat(chains: &[Vec<f64>]) -> f64 {
    let halves: Vec<&[f64]> =
        chains.iter().flat_map(|c| [&c[..c.len() / 2], &c[c.len() / 2..c.len() / 2 * 2]]).collect();
    let n = halves.iter().map(|h| h.len()).min().unwrap_or(0);
    if n < 2 {
        return f64::INFINITY;
    }
    let moments: Vec<mercer_math::Moments> = halves.iter().map(|h| mercer_math::Moments::of(h)).collect();
    let within = moments.iter().map(|m| m.sample_variance()).sum::<f64>() / moments.len() as f64;
    let means: Vec<f64> = moments.iter().map(|m| m.mean).collect();
    let between = mercer_math::Moments::of(&means).sample_variance();
    if within <= 0.0 {
        return if between <= 0.0 { 1.0 } else { f64::INFINITY };
    }
    (((n - 1) as f64 / n as f64 * within + between) / within).sqrt()
}

impl Proba for DirichletProcessMixtureModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let norms = self.norms(&self.chosen);
        self.each(input, self.n_clusters(), session, |row, out| {
            let logs = self.log_predictive(&self.chosen, &norms, row, &mut vec![0.0; row.len()]);
            out.copy_from_slice(&logs);
            softmax_in_place(out);
        })
    }
}

impl Densities for DirichletProcessMixtureModel {
    fn log_densities(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        let (empty, fresh) = (self.prior.empty(), Norms::of(&self.prior, 0));
        let norms: Vec<Vec<f64>> = self.states.iter().map(|s| self.norms(s)).collect();
        let found = self.each(input, 1, session, |row, out| {
            let mut work = vec![0.0; row.len()];
            let new = empty.log_density(&self.prior, row, fresh, &mut work);
            let one = |(state, norms): (&State, &Vec<f64>)| {
                let mut logs = self.log_predictive(state, norms, row, &mut work);
                logs.push(state.alpha.ln() + new);
                log_sum_exp(&logs) - (state.alpha + self.n as f64).ln()
            };
            let logs: Vec<f64> = self.states.iter().zip(&norms).map(one).collect();
            out[0] = log_sum_exp(&logs) - (logs.len() as f64).ln();
        })?;
        Ok(found.into_vec())
    }
}

impl Samples for DirichletProcessMixtureModel {
    /// A state, a cluster of it or a new one, and a row by its predictive t distribution.
    fn sample(&self, n: usize, session: &Session) -> Result<Rows<'static>> {
        let (mut rng, d, empty) = (session.rng(0), self.prior.mean.len(), self.prior.empty());
        let mut out = Mat::zeros(n, d);
        for i in 0..n {
            let state = &self.states[below(&mut rng, self.states.len())];
            let sizes = state.clusters.iter().map(|c| c.n as f64).chain([state.alpha]);
            let c = by_weight(&mut rng, &running_sums(sizes));
            let cluster = state.clusters.get(c).unwrap_or(&empty);
            let kappa = self.prior.precision + cluster.n as f64;
            let free = self.prior.degrees + cluster.n as f64 + 1.0 - d as f64;
            // Scale Ψ (κ + 1) / (κ ν), and a Gaussian over the root of a χ² by its ν degrees of freedom.
            let size = ((kappa + 1.0) / (kappa * 2.0 * gamma(&mut rng, 0.5 * free))).sqrt();
            let z: Vec<f64> = (0..d).map(|_| size * normal(&mut rng)).collect();
            for (j, out) in out.row_mut(i).iter_mut().enumerate() {
                *out = cluster.mean[j] + cluster.root.row(j).iter().zip(&z).map(|(l, z)| l * z).sum::<f64>();
            }
        }
        Ok(out.into())
    }
}

impl Fitted for DirichletProcessMixtureModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        clusters(likeliest(&self.probabilities(input, session)?), self.n_clusters())
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: Some(self), density: Some(self), sample: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let x = data.dense(DirichletProcessMixture::NAME)?.view().to_mat();
        if x.n_rows() != self.labels.len() {
            return Err(Error::shape("rows of the partition", self.labels.len(), x.n_rows()));
        }
        let joint = log_joint(&self.prior, &made(&x, &self.prior, &self.labels), self.chosen.alpha);
        Ok(vec![(JOINT.to_owned(), joint)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.n_clusters(), self.prior.mean.len());
        let clusters = &self.chosen.clusters;
        let labels = self.labels.iter().map(|l| i64::from(*l)).collect();
        let means = clusters.iter().flat_map(|c| c.mean.iter().copied()).collect();
        let weights = clusters.iter().map(|c| c.n as f64 / self.n as f64).collect();
        let covariance = |c: &Cluster| {
            let free = self.prior.degrees + c.n as f64 - d as f64 - 1.0;
            let full = mercer_math::matmul(c.root.view(), c.root.view().t());
            full.into_vec().into_iter().map(move |v| v / free)
        };
        let covariances = clusters.iter().flat_map(covariance).collect();
        let n = self.labels.len();
        vec![
            Attribute::int("labels_", "The cluster of each training row, the largest first.", &[n], labels),
            Attribute::int("n_clusters_", "The clusters of that partition.", &[], vec![k as i64]),
            Attribute::real("weights_", "The share of rows in each cluster.", &[k], weights),
            Attribute::real("means_", "The posterior mean of each cluster, one a row.", &[k, d], means),
            Attribute::real(
                "covariances_",
                "The posterior mean of each covariance.",
                &[k, d, d],
                covariances,
            ),
            Attribute::real(
                "cluster_probabilities_",
                "The posterior probabilities of 0, 1, … clusters.",
                &[self.counts.len()],
                self.counts.clone(),
            ),
            Attribute::real(
                "alphas_",
                "The concentration at each sweep that was kept, chain after chain.",
                &[self.alphas.len()],
                self.alphas.clone(),
            ),
            Attribute::real(
                "log_joints_",
                "The log joint at each sweep that was kept, chain after chain.",
                &[self.joints.len()],
                self.joints.clone(),
            ),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let root = |m: &Mat| {
            m.is_consistent() && (m.n_rows(), m.n_cols()) == (d, d) && (0..d).all(|j| m[(j, j)] > 0.0)
        };
        let cluster = |c: &Cluster| c.mean.len() == d && root(&c.root) && c.n > 0;
        let state = |s: &State| s.alpha > 0.0 && s.clusters.iter().all(cluster);
        let k = self.chosen.clusters.len();
        let fits = d > 0
            && self.prior.mean.len() == d
            && root(&self.prior.root)
            && self.prior.precision > 0.0
            && self.prior.degrees > d as f64 - 1.0
            && state(&self.chosen)
            && (1..=u32::MAX as usize).contains(&k)
            && self.states.iter().all(state)
            && !self.states.is_empty()
            && self.labels.iter().all(|l| (*l as usize) < k);
        if fits { Ok(()) } else { Err("clusters do not fit the schema".to_owned()) }
    }
}
