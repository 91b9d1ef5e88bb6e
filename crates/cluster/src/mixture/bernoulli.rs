//! Mixtures of Bernoulli components by expectation maximisation: clusters of rows of yes and no.
//!
//! # Objective
//! $$ \max_{\pi,p}\ \sum_i w_i \ln \sum_k \pi_k \prod_j p_{kj}^{x_{ij}} (1-p_{kj})^{1-x_{ij}}
//!    + \alpha \sum_{kj} \ln p_{kj}(1-p_{kj}) $$
//!
//! # Algorithm
//! EM (see `em.rs`). Logarithms of all components are one product of a chunk of rows with the log odds, the M-step's sums one
//! product of shares with rows. The penalty is a Beta(α + 1, α + 1) prior on every probability: (Σ r x + α) / (Σ r + 2α).
//!
//! # Complexity
//! Time O(n k d) an iteration, memory O(k d) beyond the data.
//!
//! # Example
//! ```
//! use mercer_cluster::BernoulliMixture;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]).unwrap();
//! let model = BernoulliMixture::default().n_components(2).fit(&Dataset::new(&x))?;
//! assert!((model.weights[0] - 0.5).abs() < 0.01);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Without a penalty (`alpha=0`) probabilities stay 1e-10 away from 0 and 1, so that every row has a likelihood. Values are cut at `binarize`;
//! with `binarize=none` they must be shares in [0, 1], which count as parts of a yes.
//!
//! # References
//! - A. P. Dempster, N. M. Laird, D. B. Rubin. Maximum likelihood from incomplete data via the EM algorithm. JRSS B 39(1), 1977. doi:10.1111/j.2517-6161.1977.tb01600.x
//! - C. M. Bishop. Pattern Recognition and Machine Learning. Springer, 2006, section 9.3.3.

use super::em::{Ended, Expectation, Seen};
use super::gaussian_model::free_numbers;
use super::params::{Course, EmParams, check_size, clusters, likeliest, reproved};
use super::start::MixtureInit;
use mercer_core::sums::Batches;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Densities, Error, Fitted, Input, Learn, Params,
    Prediction, Proba, Result, Rows, Samples, Schema, Session,
};
use mercer_math::{Mat, MatRef, by_weight, gemm_into, log_sum_exp, running_sums, uniform};
use serde::{Deserialize, Serialize};

/// Mixtures of Bernoulli components by expectation maximisation.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "bernoulli-mixture",
    canon = "C2",
    task = Clustering,
    python = "mixture",
    order = "n_components alpha binarize, init_params labels",
    tried = "| n_components=3 | n_components=2,binarize=1.0,alpha=0.1,init_params=random,n_init=2",
    session = "verbose random_state",
    mixins = "MixtureMixin",
    can = "proba density sample weights by_sums random scaled",
    references = "Dempster, Laird, Rubin. Maximum likelihood from incomplete data via the EM algorithm. JRSS B 39(1), 1977.|Bishop. Pattern Recognition and Machine Learning. Springer, 2006."
)]
pub struct BernoulliMixture {
    /// How EM runs.
    #[param(flatten)]
    pub em: EmParams,
    /// Pseudo-counts of yes and of no for each component and feature.
    #[param(default = 1.0, range = "[0, inf)")]
    pub alpha: f64,
    /// Values above this are yes; without it values must be in [0, 1].
    #[param(default = Some(0.0))]
    pub binarize: Option<f64>,
}

impl Learn for BernoulliMixture {
    type Model = BernoulliMixtureModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<BernoulliMixtureModel> {
        let step = self.step(data.n_features())?;
        step.named(data.dense(Self::NAME)?.view())?;
        let ended = self.em.fit(&step, None, data, session)?;
        Ok(BernoulliMixtureModel::new(ended, step, self.em.labels.clone()))
    }

    fn learn_stream(
        &self,
        batches: &mut dyn Batches,
        session: &Session,
    ) -> Option<Result<BernoulliMixtureModel>> {
        let stream = |batches: &mut dyn Batches| {
            let step = self.step(batches.schema()?.n_features())?;
            let ended = self.em.stream(&step, &self.capabilities(), batches, session)?;
            Ok(BernoulliMixtureModel::new(ended, step, None))
        };
        Some(stream(batches))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { scaled: self.em.n_components > 1, ..Self::declaration().capabilities }
    }
}

impl BernoulliMixture {
    fn step(&self, d: usize) -> Result<BernoulliStep> {
        check_size(Self::NAME, self.em.n_components, d)?;
        Ok(BernoulliStep { alpha: self.alpha, binarize: self.binarize })
    }
}

/// E-step and M-step of a Bernoulli mixture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct BernoulliStep {
    alpha: f64,
    binarize: Option<f64>,
}

/// Weights and probabilities of Bernoulli components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Bernoullis {
    weights: Vec<f64>,
    /// The probability of yes, components by features.
    shares: Mat,
}

/// Expected statistics of Bernoulli components.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct BernoulliSums {
    log_likelihood: f64,
    weight: f64,
    totals: Vec<f64>,
    firsts: Mat,
}

/// Rows of a chunk.
const CHUNK: usize = 256;
/// How near probabilities come to 0 and 1.
const EDGE: f64 = 1e-10;

impl BernoulliStep {
    /// The first value that is no share, where values are not cut.
    fn bad(&self, x: MatRef<'_>) -> Option<(usize, usize)> {
        if self.binarize.is_some() { None } else { x.find(|v| !(0.0..=1.0).contains(&v)) }
    }

    /// Refuses values that are no shares by column and row.
    fn named(&self, x: MatRef<'_>) -> Result<()> {
        self.bad(x).map_or(Ok(()), |(i, j)| Err(no_share(format!("{} in column {j}, row {i}", x.get(i, j)))))
    }

    /// Rows as yes and no, packed.
    fn cut(&self, x: MatRef<'_>) -> Mat {
        let mut rows = x.to_mat();
        if let Some(cut) = self.binarize {
            rows.as_mut_slice().iter_mut().for_each(|v| *v = f64::from(u8::from(*v > cut)));
        }
        rows
    }

    /// The logarithms of weight times probability, rows by components.
    fn logs(&self, theta: &Bernoullis, rows: &Mat) -> Mat {
        let (k, d) = (theta.shares.n_rows(), theta.shares.n_cols());
        let odds = Mat::from_fn(k, d, |c, j| (theta.shares[(c, j)] / (1.0 - theta.shares[(c, j)])).ln());
        let none = |c: usize| theta.shares.row(c).iter().map(|p| (-p).ln_1p()).sum::<f64>();
        let base: Vec<f64> = (0..k).map(|c| theta.weights[c].ln() + none(c)).collect();
        let mut logs = Mat::from_fn(rows.n_rows(), k, |_, c| base[c]);
        gemm_into(1.0, rows.view(), odds.view().t(), 1.0, logs.as_mut_slice());
        logs
    }

    /// Logarithms of densities and shares of the components of rows.
    fn ask(&self, theta: &Bernoullis, x: MatRef<'_>, session: &Session) -> (Vec<f64>, Mat) {
        let k = theta.shares.n_rows();
        let (mut densities, mut shares) = (vec![0.0; x.n_rows()], Mat::zeros(x.n_rows(), k));
        session.run(|| {
            use rayon::prelude::*;
            let blocks = shares.as_mut_slice().par_chunks_mut(CHUNK * k).zip(densities.par_chunks_mut(CHUNK));
            blocks.enumerate().for_each(|(block, (shares, densities))| {
                let rows = self.cut(x.rows(block * CHUNK..block * CHUNK + densities.len()));
                let logs = self.logs(theta, &rows);
                for (i, (share, density)) in shares.chunks_exact_mut(k).zip(densities).enumerate() {
                    *density = log_sum_exp(logs.row(i));
                    share.copy_from_slice(logs.row(i));
                    mercer_math::softmax_in_place(share);
                }
            });
        });
        (densities, shares)
    }
}

fn no_share(found: String) -> Error {
    Error::param(BernoulliMixture::NAME, "binarize", "a threshold, or values in [0, 1]", found)
}

impl Expectation for BernoulliStep {
    type Theta = Bernoullis;
    type Sums = BernoulliSums;

    fn name(&self) -> &'static str {
        BernoulliMixture::NAME
    }

    fn about(&self, centres: &Mat, _: &[f64]) -> Bernoullis {
        let (k, d) = (centres.n_rows(), centres.n_cols());
        Bernoullis { weights: vec![1.0 / k as f64; k], shares: Mat::from_fn(k, d, |_, _| 0.5) }
    }

    fn given(&self, _: &[f64]) -> Result<Option<Bernoullis>> {
        Ok(None)
    }

    fn amend(&self, theta: Bernoullis) -> Result<Bernoullis> {
        Ok(theta)
    }

    /// Of a stream no row is known.
    fn check(&self, x: MatRef<'_>) -> Result<()> {
        self.bad(x).map_or(Ok(()), |(i, j)| Err(no_share(format!("{} in column {j}", x.get(i, j)))))
    }

    fn zero(&self, theta: &Bernoullis) -> BernoulliSums {
        let (k, d) = (theta.shares.n_rows(), theta.shares.n_cols());
        BernoulliSums { log_likelihood: 0.0, weight: 0.0, totals: vec![0.0; k], firsts: Mat::zeros(k, d) }
    }

    fn expect(&self, theta: &Bernoullis, seen: Seen<'_>, sums: &mut BernoulliSums) {
        let (n, k) = (seen.x.n_rows(), theta.shares.n_rows());
        for start in (0..n).step_by(CHUNK) {
            let rows = self.cut(seen.x.rows(start..(start + CHUNK).min(n)));
            let mut logs = self.logs(theta, &rows);
            for i in 0..rows.n_rows() {
                let (at, weight, logs) = (start + i, seen.weights[start + i], logs.row_mut(i));
                let known = seen.known.map(|c| c[at] as usize).filter(|c| *c < k);
                match (known, seen.shares) {
                    (Some(c), _) => {
                        sums.log_likelihood += weight * logs[c];
                        logs.iter_mut().enumerate().for_each(|(o, l)| *l = f64::from(u8::from(o == c)));
                    }
                    (None, Some(shares)) => logs.copy_from_slice(&shares[at * k..(at + 1) * k]),
                    (None, None) => {
                        sums.log_likelihood += weight * log_sum_exp(logs);
                        mercer_math::softmax_in_place(logs);
                    }
                }
                logs.iter_mut().for_each(|r| *r *= weight);
                sums.totals.iter_mut().zip(&*logs).for_each(|(t, r)| *t += r);
                sums.weight += weight;
            }
            gemm_into(1.0, logs.view().t(), rows.view(), 1.0, sums.firsts.as_mut_slice());
        }
    }

    fn merge(&self, into: &mut BernoulliSums, other: BernoulliSums) {
        into.log_likelihood += other.log_likelihood;
        into.weight += other.weight;
        into.totals.iter_mut().zip(&other.totals).for_each(|(a, b)| *a += b);
        mercer_math::axpy(1.0, other.firsts.as_slice(), into.firsts.as_mut_slice());
    }

    fn maximise(&self, theta: &Bernoullis, sums: &BernoulliSums) -> Result<Bernoullis> {
        let (k, d) = (theta.shares.n_rows(), theta.shares.n_cols());
        let total: f64 = sums.totals.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let share = |c: usize, j: usize| {
            let all = sums.totals[c] + 2.0 * self.alpha;
            let p = if all > 0.0 { (sums.firsts[(c, j)] + self.alpha) / all } else { theta.shares[(c, j)] };
            p.clamp(EDGE, 1.0 - EDGE)
        };
        // An empty component stays possible.
        let weights = sums.totals.iter().map(|n| (n / total).max(f64::MIN_POSITIVE)).collect();
        Ok(Bernoullis { weights, shares: Mat::from_fn(k, d, share) })
    }

    fn objective(&self, before: &Bernoullis, sums: &BernoulliSums, _: &Bernoullis) -> f64 {
        let prior: f64 = before.shares.as_slice().iter().map(|p| p.ln() + (-p).ln_1p()).sum();
        let prior = if self.alpha > 0.0 { self.alpha * prior } else { 0.0 };
        (sums.log_likelihood + prior) / sums.weight
    }

    fn distance(&self, a: &Bernoullis, b: &Bernoullis) -> f64 {
        let far = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        far(&a.weights, &b.weights).max(far(a.shares.as_slice(), b.shares.as_slice()))
    }
}

/// A fitted mixture of Bernoulli components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BernoulliMixtureModel {
    /// The share of each component.
    pub weights: Vec<f64>,
    /// The probability of yes, components by features.
    pub probabilities: Mat,
    course: Course,
    step: BernoulliStep,
    certificate: Certificate,
}

impl BernoulliMixtureModel {
    fn new(ended: Ended<Bernoullis>, step: BernoulliStep, known: Option<Vec<i64>>) -> Self {
        let found = ended.found;
        let what = "log-likelihood of the training rows and log-prior, per unit of weight: what EM climbs";
        let certificate = found.certificate(ended.why, what);
        let course = Course::of(&found, known);
        let Bernoullis { weights, shares: probabilities } = found.theta;
        Self { weights, probabilities, course, step, certificate }
    }

    fn theta(&self) -> Bernoullis {
        Bernoullis { weights: self.weights.clone(), shares: self.probabilities.clone() }
    }

    fn asked(&self, input: &Input<'_>, session: &Session) -> Result<(Vec<f64>, Mat)> {
        let rows = input.rows(BernoulliMixture::NAME)?.dense(BernoulliMixture::NAME)?;
        self.step.named(rows.view())?;
        Ok(self.step.ask(&self.theta(), rows.view(), session))
    }
}

impl Proba for BernoulliMixtureModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.asked(input, session).map(|(_, shares)| shares)
    }
}

impl Densities for BernoulliMixtureModel {
    fn log_densities(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        self.asked(input, session).map(|(densities, _)| densities)
    }
}

impl Samples for BernoulliMixtureModel {
    fn sample(&self, n: usize, session: &Session) -> Result<Rows<'static>> {
        let (mut rng, sums) = (session.rng(0), running_sums(self.weights.iter().copied()));
        let mut out = Mat::zeros(n, self.probabilities.n_cols());
        for i in 0..n {
            let c = by_weight(&mut rng, &sums);
            for (v, p) in out.row_mut(i).iter_mut().zip(self.probabilities.row(c)) {
                *v = f64::from(u8::from(uniform(&mut rng) < *p));
            }
        }
        Ok(out.into())
    }
}

impl Fitted for BernoulliMixtureModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        clusters(likeliest(&self.asked(input, session)?.1), self.weights.len())
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: Some(self), density: Some(self), sample: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let (k, course) = (self.weights.len(), &self.course);
        reproved(&self.step, &self.theta(), k, course.last(), course.known.as_ref(), data, session)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.weights.len(), self.probabilities.n_cols());
        let mut out = vec![
            Attribute::real("weights_", "The share of each component.", &[k], self.weights.clone()),
            Attribute::real(
                "probabilities_",
                "The probability of yes, components by features.",
                &[k, d],
                self.probabilities.as_slice().to_vec(),
            ),
            free_numbers(k * d + k - 1),
        ];
        out.extend(self.course.attributes());
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (k, d) = (self.probabilities.n_rows(), self.probabilities.n_cols());
        let whole = self.probabilities.is_consistent() && k > 0 && d == schema.n_features();
        if whole && self.weights.len() == k {
            Ok(())
        } else {
            Err("components do not fit the schema".to_owned())
        }
    }
}
