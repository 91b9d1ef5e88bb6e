//! What variational Bayes learns of topics: a Dirichlet posterior of their words.

use super::counts::refuse;
use super::inference::{Inference, Work};
use super::lda::{Judge, LatentDirichletAllocation};
use super::lda_state::{LdaState, LdaSums, weigh};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Evidence, Fitted, FoundTopics, Input, NumbersRef, Params,
    Result, Rows, Schema, Session, Termination, Topics, Transformer, sums,
};
use mercer_math::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Fitted topics by variational Bayes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatentDirichletAllocationModel {
    state: LdaState,
    /// exp −ψ(Σ λ) of each topic.
    scales: Vec<f64>,
    n_iter: u64,
    /// The perplexity of the rows learnt from.
    perplexity: Option<f64>,
    certificate: Certificate,
}

const BOUND: &str = "variational bound per word";
const UNREST: &str = "share of words that one more round moves";

impl LatentDirichletAllocationModel {
    /// A model whose rows have been judged.
    pub(super) fn judged(state: LdaState, sums: &LdaSums, n_iter: u64, why: Termination) -> Self {
        let bound = state.bound_per_word(sums);
        let size = (state.lambda.n_rows() as f64).ln().max(1.0);
        let certificate = Certificate::new(why)
            .with_iterations(n_iter)
            .with_objective(bound)
            .with_evidence(
                Evidence::value(
                    BOUND,
                    bound,
                    "lower bound on the log evidence of the rows learnt from, per word; e to minus it bounds the perplexity from above",
                )
                .on_scale(size),
            )
            .with_evidence(Evidence::residual(
                UNREST,
                state.unrest(sums),
                "expected counts that another pass over all rows would move between topics; 0 at a stationary point of the bound, which is a local optimum",
            ));
        Self { perplexity: Some((-bound).exp()), n_iter, ..Self::unjudged(state, n_iter, why) }
            .proved(certificate)
    }

    /// A model of rows that are gone.
    pub(super) fn unjudged(mut state: LdaState, n_iter: u64, why: Termination) -> Self {
        state.weights = Vec::new();
        state.judge = false;
        let certificate = Certificate::without_evidence(
            why,
            "topics moved batch by batch, or were stopped between passes: no bound of all rows was computed",
        )
        .with_iterations(state.updates);
        Self { scales: state.scales(), state, n_iter, perplexity: None, certificate }
    }

    fn proved(self, certificate: Certificate) -> Self {
        Self { certificate, ..self }
    }

    pub(super) fn state(&self) -> &LdaState {
        &self.state
    }

    /// The weights that rows need: of their words, or of all where they have more.
    fn weights(&self, x: NumbersRef<'_>) -> Vec<f64> {
        let d = self.state.lambda.n_rows();
        let mut out = vec![0.0; self.state.lambda.as_slice().len()];
        let few = match x {
            NumbersRef::Sparse(x) => x.nnz() < d,
            NumbersRef::Dense(x) => x.n_rows() == 1,
        };
        let mut words: Vec<u32> = Vec::new();
        if few {
            let mut work = Work::default();
            for i in 0..x.n_rows() {
                work.read(x, i);
                words.extend_from_slice(&work.words);
            }
            words.sort_unstable();
            words.dedup();
        }
        weigh(&self.state.lambda, &self.scales, few.then_some(&words), &mut out);
        out
    }

    /// Each document inferred, and what is wanted of it.
    fn each<T: Send>(
        &self,
        input: &Input<'_>,
        session: &Session,
        want: impl Fn(&Inference<'_>, &Work) -> T + Sync + Send,
    ) -> Result<Vec<T>> {
        let rows = input.rows(LatentDirichletAllocation::NAME)?;
        refuse(LatentDirichletAllocation::NAME, rows, false)?;
        let numbers = rows.numbers(LatentDirichletAllocation::NAME)?;
        let x = numbers.view();
        Ok(session.run(|| {
            let weights = self.weights(x);
            let inference = Inference { weights: &weights, ..self.state.inference() };
            each(&inference, x, want)
        }))
    }
}

/// Each document inferred, and what is wanted of it.
pub(super) fn each<T: Send>(
    inference: &Inference<'_>,
    x: NumbersRef<'_>,
    want: impl Fn(&Inference<'_>, &Work) -> T + Sync + Send,
) -> Vec<T> {
    let one = |work: &mut Work, i: usize| {
        work.read(x, i);
        inference.infer(work);
        want(inference, work)
    };
    (0..x.n_rows()).into_par_iter().map_init(Work::default, one).collect()
}

/// The posterior mean of a document's shares.
pub(super) fn shares(work: &Work) -> Vec<f64> {
    let total: f64 = work.gamma.iter().sum();
    work.gamma.iter().map(|g| g / total).collect()
}

impl Transformer for LatentDirichletAllocationModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let found = self.each(input, session, |_, work| shares(work))?;
        Ok(Mat::from_fn(found.len(), self.state.k(), |i, t| found[i][t]).into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.state.k()).map(|t| format!("latentdirichletallocation{t}")).collect()
    }
}

impl Topics for LatentDirichletAllocationModel {
    fn found(&self, schema: &Schema) -> FoundTopics {
        let (lambda, totals) = (&self.state.lambda, Session::default().run(|| self.state.totals()));
        let prior = self.state.eta * lambda.n_rows() as f64;
        let seen: Vec<f64> = totals.iter().map(|t| (t - prior).max(0.0)).collect();
        let all: f64 = seen.iter().sum();
        let even = 1.0 / seen.len() as f64;
        FoundTopics {
            shares: Mat::from_fn(totals.len(), lambda.n_rows(), |t, j| lambda[(j, t)] / totals[t]),
            sizes: seen.iter().map(|s| if all > 0.0 { s / all } else { even }).collect(),
            prior: self.state.alpha.clone(),
            words: schema.features.iter().map(|f| f.name.clone()).collect(),
        }
    }

    fn log_bounds(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        let k = self.state.k();
        self.each(input, session, |inference, work| inference.bound(work, &mut vec![0.0; k]))
    }
}

impl Fitted for LatentDirichletAllocationModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), topics: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        if self.perplexity.is_none() {
            return Ok(Vec::new());
        }
        refuse(LatentDirichletAllocation::NAME, &data.rows(LatentDirichletAllocation::NAME)?, false)?;
        let mut state = self.state.clone();
        state.judge = true;
        state.weigh_all();
        let judge = Judge { state: &state, learns_prior: false };
        let sums = sums::fit(LatentDirichletAllocation::NAME, &judge, data, session)?;
        Ok(vec![(BOUND.to_owned(), state.bound_per_word(&sums)), (UNREST.to_owned(), state.unrest(&sums))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.state.k(), self.state.lambda.n_rows());
        let mut weights = vec![0.0; k * d];
        weigh(&self.state.lambda, &self.scales, None, &mut weights);
        let turned = |of: &[f64]| (0..k * d).map(|i| of[i % d * k + i / d]).collect::<Vec<f64>>();
        let alpha = &self.state.alpha;
        let same = alpha.windows(2).all(|w| w[0] == w[1]);
        let prior = if same { (vec![], alpha[..1].to_vec()) } else { (vec![k], alpha.clone()) };
        let one = |name, doc, value| Attribute::real(name, doc, &[], vec![value]);
        let count = |name, doc, value: u64| Attribute::int(name, doc, &[], vec![value as i64]);
        let looks = self.state.looks.clone();
        let mut out = vec![
            Attribute::real(
                "components_",
                "The pseudo-counts of each topic's words, topics by words.",
                &[k, d],
                turned(self.state.lambda.as_slice()),
            ),
            Attribute::real(
                "exp_dirichlet_component_",
                "The exponential of the expected logarithms of each topic's shares of words.",
                &[k, d],
                turned(&weights),
            ),
            Attribute::real("doc_topic_prior_", "The prior of a document's topics.", &prior.0, prior.1),
            one("topic_word_prior_", "The prior of a topic's words.", self.state.eta),
            one(
                "topics_bound_",
                "The part of the bound that the topics have, whatever the documents.",
                self.state.topics_bound(),
            ),
            count("n_iter_", "Passes over all rows.", self.n_iter),
            count(
                "n_batch_iter_",
                "Updates of the topics, counted from 1.",
                self.state.updates.saturating_add(1),
            ),
            Attribute::real(
                "perplexities_",
                "The perplexity whenever it was looked at.",
                &[looks.len()],
                looks,
            ),
        ];
        let bound = |value| one("bound_", "The perplexity of the rows learnt from.", value);
        out.extend(self.perplexity.map(bound));
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let LdaState { lambda, alpha, eta, tol, .. } = &self.state;
        let positive = |v: &f64| *v > 0.0 && v.is_finite();
        let fits = lambda.is_consistent()
            && !alpha.is_empty()
            && (lambda.n_rows(), lambda.n_cols()) == (schema.n_features(), alpha.len())
            && lambda.as_slice().iter().all(positive)
            && alpha.iter().all(positive)
            && positive(eta)
            && *tol >= 0.0
            && self.scales.len() == alpha.len();
        if fits { Ok(()) } else { Err("topics do not fit the schema".to_owned()) }
    }
}
