//! What Gibbs sampling learns of topics: shares of words, averaged over states that were kept.

use super::counts::refuse;
use super::gibbs::GibbsTopics;
use super::inference::{Inference, Work};
use super::lda_model::{each, shares};
use super::sampler::Chain;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Evidence, Fitted, FoundTopics, Input, NumbersRef, Params,
    Result, Rows, Schema, Session, Termination, Topics, Transformer,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// Sums over states that are kept.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) n: usize,
    /// Words × topics.
    shares: Mat,
    sizes: Vec<f64>,
    alpha: Vec<f64>,
    eta: f64,
    pub(super) joints: Vec<f64>,
    pub(super) sweeps: u64,
    n_words: u64,
    pub(super) stopped: Option<Termination>,
}

impl Kept {
    pub(super) fn new(k: usize, d: usize) -> Self {
        let (shares, sizes, alpha) = (Mat::zeros(d, k), vec![0.0; k], vec![0.0; k]);
        Self {
            n: 0,
            shares,
            sizes,
            alpha,
            eta: 0.0,
            joints: Vec::new(),
            sweeps: 0,
            n_words: 0,
            stopped: None,
        }
    }

    pub(super) fn add(&mut self, chain: &Chain) {
        self.n += 1;
        chain.add_shares(self.shares.as_mut_slice(), &mut self.sizes);
        self.alpha.iter_mut().zip(&chain.priors.alpha).for_each(|(sum, a)| *sum += a);
        self.eta += chain.priors.eta;
    }

    pub(super) fn average(&mut self, chain: &Chain) {
        let scale = 1.0 / self.n.max(1) as f64;
        let sums = [self.shares.as_mut_slice(), &mut self.sizes, &mut self.alpha];
        sums.into_iter().flatten().for_each(|v| *v *= scale);
        self.eta *= scale;
        self.n_words = chain.n_words();
    }
}

/// Fitted topics by Gibbs sampling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GibbsTopicsModel {
    /// The share of each word in each topic, words × topics.
    shares: Mat,
    sizes: Vec<f64>,
    alpha: Vec<f64>,
    eta: f64,
    joints: Vec<f64>,
    sweeps: u64,
    certificate: Certificate,
}

const BOUND: &str = "variational bound per word under the topics";
/// When rounds of a document end.
const TOL: f64 = 1e-4;
const MAX_ROUNDS: usize = 100;
/// Rounds for the bound of the certificate, which holds after any number of them: more would take as long as many sweeps.
const BOUND_ROUNDS: usize = 8;

impl GibbsTopicsModel {
    pub(super) fn new(kept: Kept, x: NumbersRef<'_>, session: &Session) -> Self {
        let d = x.n_cols();
        let mut out = Self {
            shares: kept.shares,
            sizes: kept.sizes,
            alpha: kept.alpha,
            eta: kept.eta,
            joints: kept.joints,
            sweeps: kept.sweeps,
            certificate: Certificate::new(kept.stopped.unwrap_or(Termination::Complete))
                .with_iterations(kept.sweeps),
        };
        let bound = out.bound_per_word(x, session);
        let meaning = "lower bound on the mean logarithm of a word's probability in the rows learnt from, given topics and priors; it says nothing of other topics that may fit as well";
        let proof = Evidence::value(BOUND, bound, meaning).on_scale((d as f64).ln().max(1.0));
        let note = out.mixing(kept.n, kept.n_words);
        out.certificate = out.certificate.with_objective(bound).with_evidence(proof).with_note(note);
        out
    }

    /// What the course of the chain tells.
    fn mixing(&self, n: usize, n_words: u64) -> String {
        let (first, second) = self.joints.split_at(self.joints.len() / 2);
        let mean = |of: &[f64]| of.iter().sum::<f64>() / (of.len().max(1) as f64 * n_words.max(1) as f64);
        let chain = format!("averages of {n} states of one chain, which explores one of many like modes");
        if first.is_empty() {
            return format!("{chain}: too few sweeps to tell whether its log joint still climbs");
        }
        format!(
            "{chain}: its log joint per word went from {:.4} in the first half of the sweeps to {:.4} in the second; where that still climbs, \
             `burn_in` is too short",
            mean(first),
            mean(second)
        )
    }

    fn inference(&self) -> Inference<'_> {
        Inference { weights: self.shares.as_slice(), alpha: &self.alpha, tol: TOL, max_rounds: MAX_ROUNDS }
    }

    fn bound_per_word(&self, x: NumbersRef<'_>, session: &Session) -> f64 {
        let k = self.alpha.len();
        let one = |inference: &Inference<'_>, work: &Work| {
            (inference.bound(work, &mut vec![0.0; k]), work.length())
        };
        let inference = Inference { max_rounds: BOUND_ROUNDS, ..self.inference() };
        let found = session.run(|| each(&inference, x, one));
        let (bound, words) = found.iter().fold((0.0, 0.0), |(b, w), (bound, words)| (b + bound, w + words));
        if words > 0.0 { bound / words } else { 0.0 }
    }

    fn each<T: Send>(
        &self,
        input: &Input<'_>,
        session: &Session,
        want: impl Fn(&Inference<'_>, &Work) -> T + Sync + Send,
    ) -> Result<Vec<T>> {
        let rows = input.rows(GibbsTopics::NAME)?;
        refuse(GibbsTopics::NAME, rows, false)?;
        let numbers = rows.numbers(GibbsTopics::NAME)?;
        Ok(session.run(|| each(&self.inference(), numbers.view(), want)))
    }
}

impl Transformer for GibbsTopicsModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let found = self.each(input, session, |_, work| shares(work))?;
        Ok(Mat::from_fn(found.len(), self.alpha.len(), |i, t| found[i][t]).into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.alpha.len()).map(|t| format!("gibbstopics{t}")).collect()
    }
}

impl Topics for GibbsTopicsModel {
    fn found(&self, schema: &Schema) -> FoundTopics {
        FoundTopics {
            shares: self.shares.view().t().to_mat(),
            sizes: self.sizes.clone(),
            prior: self.alpha.clone(),
            words: schema.features.iter().map(|f| f.name.clone()).collect(),
        }
    }

    fn log_bounds(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        let k = self.alpha.len();
        self.each(input, session, |inference, work| inference.bound(work, &mut vec![0.0; k]))
    }
}

impl Fitted for GibbsTopicsModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), topics: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        refuse(GibbsTopics::NAME, &data.rows(GibbsTopics::NAME)?, true)?;
        let numbers = data.numbers(GibbsTopics::NAME)?;
        Ok(vec![(BOUND.to_owned(), self.bound_per_word(numbers.view(), session))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.alpha.len(), self.shares.n_rows());
        let real = Attribute::real;
        vec![
            real(
                "components_",
                "The share of each word in each topic, topics by words.",
                &[k, d],
                self.shares.view().t().to_mat().into_vec(),
            ),
            real("topic_sizes_", "The share of each topic among all words.", &[k], self.sizes.clone()),
            real("doc_topic_prior_", "The prior of a document's topics.", &[k], self.alpha.clone()),
            real("topic_word_prior_", "The prior of a topic's words.", &[], vec![self.eta]),
            real(
                "log_joints_",
                "The log joint of words and topics, every tenth sweep and whenever a state was kept.",
                &[self.joints.len()],
                self.joints.clone(),
            ),
            Attribute::int("n_iter_", "Sweeps.", &[], vec![i64::try_from(self.sweeps).unwrap_or(i64::MAX)]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let k = self.alpha.len();
        let share = |v: &f64| *v >= 0.0 && *v <= 1.0 + 1e-6;
        let fits = self.shares.is_consistent()
            && k > 0
            && (self.shares.n_rows(), self.shares.n_cols()) == (schema.n_features(), k)
            && self.sizes.len() == k
            && self.shares.as_slice().iter().all(share)
            && self.alpha.iter().all(|a| *a > 0.0 && a.is_finite());
        if fits { Ok(()) } else { Err("topics do not fit the schema".to_owned()) }
    }
}
