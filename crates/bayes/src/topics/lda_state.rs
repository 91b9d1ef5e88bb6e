//! What variational Bayes knows of topics between rounds, what documents add to it, and the rounds.

use super::inference::{Inference, Work, exp_digamma};
use super::prior::from_logs;
use mercer_core::{Error, NumbersRef, Result};
use mercer_math::special::{digamma, lgamma};
use mercer_math::{Mat, Rng, Weights};
use mercer_stats::draw::gamma;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows of topics that are looked at in one go.
const CHUNK: usize = 256;

/// Topics as a Dirichlet posterior, and how far learning came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LdaState {
    /// λ: the pseudo-counts of the posterior, words × topics.
    pub(super) lambda: Mat,
    /// exp E ln β, words × topics, where documents are being asked about; of other words than theirs, anything.
    pub(super) weights: Vec<f64>,
    /// The prior of a document's shares.
    pub(super) alpha: Vec<f64>,
    /// The prior of a topic's words.
    pub(super) eta: f64,
    /// Updates so far.
    pub(super) updates: u64,
    /// The perplexity whenever it was looked at.
    pub(super) looks: Vec<f64>,
    /// Whether this round's bound is wanted.
    pub(super) judge: bool,
    pub(super) tol: f64,
    pub(super) max_rounds: usize,
}

/// What documents add to topics.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LdaSums {
    /// Σ n_w φ_wk / exp E ln β_wk, words × topics.
    pub(super) stats: Vec<f64>,
    /// Σ E ln θ, where the prior is learnt.
    pub(super) logs: Vec<f64>,
    /// The bound of the documents, where it is wanted.
    pub(super) bound: f64,
    /// Words and documents, by weight.
    pub(super) words: f64,
    pub(super) documents: f64,
}

impl LdaSums {
    pub(super) fn zero(d: usize, k: usize) -> Self {
        Self { stats: vec![0.0; d * k], logs: vec![0.0; k], bound: 0.0, words: 0.0, documents: 0.0 }
    }

    pub(super) fn add(&mut self, other: &Self) {
        mercer_math::axpy(1.0, &other.stats, &mut self.stats);
        mercer_math::axpy(1.0, &other.logs, &mut self.logs);
        self.bound += other.bound;
        self.words += other.words;
        self.documents += other.documents;
    }

    /// Adds a document that has been inferred.
    fn take(&mut self, theta: &[f64], ratios: &[f64], words: &[u32], weight: f64) {
        let k = theta.len();
        for (&j, r) in words.iter().zip(ratios) {
            let r = weight * r;
            let stats = &mut self.stats[j as usize * k..][..k];
            stats.iter_mut().zip(theta).for_each(|(s, t)| *s += r * t);
        }
    }
}

impl LdaState {
    /// λ drawn from Gamma(100, 1/100), topic after topic.
    pub(super) fn random(rng: &mut Rng, d: usize, k: usize) -> Mat {
        let drawn: Vec<f64> = (0..k * d).map(|_| gamma(rng, 100.0) * 0.01).collect();
        Mat::from_fn(d, k, |j, t| drawn[t * d + j])
    }

    pub(super) fn k(&self) -> usize {
        self.alpha.len()
    }

    /// The inference under these topics.
    pub(super) fn inference(&self) -> Inference<'_> {
        let Self { weights, alpha, tol, max_rounds, .. } = self;
        Inference { weights, alpha, tol: *tol, max_rounds: *max_rounds }
    }

    /// Makes the weights of all words.
    pub(super) fn weigh_all(&mut self) {
        let scales = self.scales();
        self.weights.resize(self.lambda.as_slice().len(), 0.0);
        weigh(&self.lambda, &scales, None, &mut self.weights);
    }

    /// What makes exp ψ(λ) a weight: exp −ψ(Σ λ) of each topic.
    pub(super) fn scales(&self) -> Vec<f64> {
        self.totals().iter().map(|t| (-digamma(*t)).exp()).collect()
    }

    /// Σ over words of λ, for each topic, in blocks of a fixed size.
    pub(super) fn totals(&self) -> Vec<f64> {
        let k = self.k();
        let sum = |rows: &[f64]| {
            let mut out = vec![0.0; k];
            rows.chunks_exact(k).for_each(|row| out.iter_mut().zip(row).for_each(|(o, v)| *o += v));
            out
        };
        let parts: Vec<Vec<f64>> = self.lambda.as_slice().par_chunks(16 * CHUNK * k).map(sum).collect();
        parts.into_iter().fold(vec![0.0; k], |mut all, part| {
            all.iter_mut().zip(part).for_each(|(a, p)| *a += p);
            all
        })
    }

    /// Adds rows of documents to sums, one after the other.
    pub(super) fn absorb(
        &self,
        x: NumbersRef<'_>,
        weights: Weights<'_>,
        learns_prior: bool,
        work: &mut Work,
        sums: &mut LdaSums,
    ) {
        let (inference, mut logs) = (self.inference(), vec![0.0; self.k()]);
        for i in 0..x.n_rows() {
            let weight = weights[i];
            if weight == 0.0 {
                continue;
            }
            work.read(x, i);
            inference.infer(work);
            sums.take(&work.theta, &work.ratios, &work.words, weight);
            if self.judge || learns_prior {
                sums.bound += weight * inference.bound(work, &mut logs);
                mercer_math::axpy(weight, &logs, &mut sums.logs);
            }
            sums.words += weight * work.length();
            sums.documents += weight;
        }
    }

    /// Learns from a batch: λ ← (1 − ρ) λ + ρ (η + share · statistics), and the prior likewise.
    pub(super) fn learn_batch(&mut self, x: NumbersRef<'_>, weights: Weights<'_>, rate: Rate) -> Result<()> {
        let mut words: Vec<u32> = Vec::new();
        let mut work = Work::default();
        for i in 0..x.n_rows() {
            work.read(x, i);
            words.extend_from_slice(&work.words);
        }
        words.sort_unstable();
        words.dedup();
        let (d, k, scales) = (self.lambda.n_rows(), self.k(), self.scales());
        self.weights.resize(d * k, 0.0);
        weigh(&self.lambda, &scales, Some(&words), &mut self.weights);
        let inference = self.inference();
        let one = |work: &mut Work, i: usize| {
            work.read(x, i);
            inference.infer(work);
            let mut logs = vec![0.0; if rate.learns_prior { k } else { 0 }];
            if rate.learns_prior {
                inference.bound(work, &mut logs);
            }
            (work.theta.clone(), work.ratios.clone(), work.words.clone(), logs)
        };
        let found: Vec<_> = (0..x.n_rows()).into_par_iter().map_init(Work::default, one).collect();
        let mut sums = LdaSums::zero(d, k);
        for (i, (theta, ratios, words, logs)) in found.iter().enumerate() {
            sums.take(theta, ratios, words, weights[i]);
            sums.logs.iter_mut().zip(logs).for_each(|(s, l)| *s += weights[i] * l);
            sums.documents += weights[i];
        }
        if sums.documents > 0.0 {
            self.update(&sums, rate.rho, rate.documents / sums.documents, rate.learns_prior)?;
        }
        Ok(())
    }

    /// Moves the topics to what documents say of them. `weights` must be those under which the sums were made.
    pub(super) fn update(&mut self, sums: &LdaSums, rho: f64, share: f64, learns_prior: bool) -> Result<()> {
        let (k, eta) = (self.k(), self.eta);
        let parts = self.lambda.as_mut_slice().par_chunks_mut(CHUNK * k);
        parts.enumerate().for_each(|(c, lambda)| {
            let from = c * CHUNK * k;
            let (stats, weights) = (&sums.stats[from..], &self.weights[from..]);
            for ((l, s), w) in lambda.iter_mut().zip(stats).zip(weights) {
                *l = (1.0 - rho) * *l + rho * (eta + share * (s * w));
            }
        });
        if learns_prior && sums.documents > 0.0 {
            let means: Vec<f64> = sums.logs.iter().map(|l| l / sums.documents).collect();
            let mut learnt = self.alpha.clone();
            from_logs(&means, &mut learnt);
            self.alpha.iter_mut().zip(learnt).for_each(|(a, l)| *a = (1.0 - rho) * *a + rho * l);
        }
        self.updates += 1;
        if self.totals().iter().chain(&self.alpha).all(|t| t.is_finite()) {
            Ok(())
        } else {
            Err(Error::numeric(
                "LatentDirichletAllocation",
                "counts whose sums are too large: scale the features",
            ))
        }
    }

    /// The part of the bound that the topics have, whatever the documents: E ln p(β) − E ln q(β).
    pub(super) fn topics_bound(&self) -> f64 {
        let (k, d) = (self.k(), self.lambda.n_rows());
        let totals = self.totals();
        let whole: Vec<f64> = totals.iter().map(|t| digamma(*t)).collect();
        let prior = lgamma(self.eta);
        let part = |rows: &[f64]| {
            let term = |(l, w): (&f64, &f64)| (self.eta - l) * (digamma(*l) - w) + lgamma(*l) - prior;
            rows.chunks_exact(k).map(|row| row.iter().zip(&whole).map(term).sum::<f64>()).sum::<f64>()
        };
        let parts: Vec<f64> = self.lambda.as_slice().par_chunks(CHUNK * k).map(part).collect();
        let ends: f64 = totals.iter().map(|t| lgamma(self.eta * d as f64) - lgamma(*t)).sum();
        parts.iter().sum::<f64>() + ends
    }

    /// The bound per word of documents that were judged.
    pub(super) fn bound_per_word(&self, judged: &LdaSums) -> f64 {
        let bound = judged.bound + self.topics_bound();
        if judged.words > 0.0 { bound / judged.words } else { bound }
    }

    /// The perplexity of documents that were judged.
    pub(super) fn perplexity(&self, judged: &LdaSums) -> f64 {
        (-self.bound_per_word(judged)).exp()
    }

    /// The share of all words that one more round would move to other topics. `weights` must be those of the sums.
    pub(super) fn unrest(&self, sums: &LdaSums) -> f64 {
        let (k, eta) = (self.k(), self.eta);
        let part = |c: usize| {
            let range = c * CHUNK * k..((c + 1) * CHUNK * k).min(sums.stats.len());
            let lambda = &self.lambda.as_slice()[range.clone()];
            let made = sums.stats[range.clone()].iter().zip(&self.weights[range]);
            lambda.iter().zip(made).map(|(l, (s, w))| (eta + s * w - l).abs()).sum::<f64>()
        };
        let count = sums.stats.len().div_ceil((CHUNK * k).max(1));
        let parts: Vec<f64> = (0..count).into_par_iter().map(part).collect();
        if sums.words > 0.0 { 0.5 * parts.iter().sum::<f64>() / sums.words } else { 0.0 }
    }
}

/// Writes the weights of all words, or of these.
pub(super) fn weigh(lambda: &Mat, scales: &[f64], words: Option<&[u32]>, out: &mut [f64]) {
    let k = scales.len();
    let make = |out: &mut [f64], lambda: &[f64]| {
        out.copy_from_slice(lambda);
        exp_digamma(out);
        out.chunks_exact_mut(k).for_each(|row| row.iter_mut().zip(scales).for_each(|(v, s)| *v *= s));
    };
    match words {
        Some(words) => {
            words.iter().for_each(|&j| make(&mut out[j as usize * k..][..k], lambda.row(j as usize)));
        }
        None => {
            let parts = out.par_chunks_mut(CHUNK * k).zip(lambda.as_slice().par_chunks(CHUNK * k));
            parts.for_each(|(out, lambda)| make(out, lambda));
        }
    }
}

/// How far a batch moves the topics.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    pub(super) rho: f64,
    /// The documents that the batch stands for.
    pub(super) documents: f64,
    pub(super) learns_prior: bool,
}
