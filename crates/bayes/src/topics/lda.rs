//! Latent Dirichlet allocation by variational Bayes, in batches of all documents or online.
//!
//! # Objective
//! $$ \max_{\lambda,\gamma,\phi}\ \mathbb E_q \ln p(w, z, \theta, \beta \mid \alpha, \eta) - \mathbb E_q \ln q(z, \theta, \beta), \qquad
//! q = \prod_k \mathrm{Dir}(\beta_k; \lambda_k) \prod_d \mathrm{Dir}(\theta_d; \gamma_d) \prod_{dw} \phi_{dw} $$
//! which is a lower bound on the log likelihood of the documents.
//!
//! # Algorithm
//! Each document's γ by fixed-point rounds from γ = 1; then λ moves to the prior plus the expected counts: wholly after all documents
//! (`batch`), or by a share (offset + t)^−decay after each batch of them (`online`). The prior of documents is learnt by Newton's method on
//! request.
//!
//! # Complexity
//! Time O(k · nnz · rounds) a pass and O(k d) an update, memory O(k d) beyond the data (k topics, d words).
//!
//! # Example
//! ```
//! use mercer_bayes::LatentDirichletAllocation;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[3., 2., 0., 0.], [2., 4., 0., 0.], [0., 0., 5., 1.], [0., 0., 2., 2.]]).unwrap();
//! let model = LatentDirichletAllocation::default().n_components(2).fit(&Dataset::new(&x))?;
//! let shares = model.transform(&x)?.dense("shares")?.view().to_mat();
//! assert!((shares[(0, 0)] > 0.5) == (shares[(1, 0)] > 0.5) && (shares[(0, 0)] > 0.5) != (shares[(2, 0)] > 0.5));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Documents begin at γ = 1 in training, too, where scikit-learn draws γ, so that what is learnt depends on the seed only through the first λ
//! and not on the order or cut of the rows. First pseudo-counts are drawn from Gamma(100, 1/100), or those of the session's start, topics ×
//! words. Counts need not be whole. Training without `evaluate_every` ends at `max_iter` and is not said to have converged.
//!
//! # References
//! - D. M. Blei, A. Y. Ng, M. I. Jordan. Latent Dirichlet allocation. JMLR 3, 2003.
//! - M. D. Hoffman, D. M. Blei, F. Bach. Online learning for latent Dirichlet allocation. NIPS 2010.

use super::counts::{check_size, prior_of, refuse};
use super::inference::Work;
use super::lda_model::LatentDirichletAllocationModel;
use super::lda_state::{LdaState, LdaSums, Rate};
use crate::naive::Smoothing;
use mercer_core::sums::{self, Batches, Block, BySums, Round, Shape};
use mercer_core::{
    Capabilities, Choice, Dataset, Error, Learn, NumbersRef, Params, Result, Session, Termination,
};
use mercer_math::{BLOCK_ROWS, Mat, Weights};
use serde::{Deserialize, Serialize};

/// When topics move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum LearningMethod {
    /// After all documents.
    Batch,
    /// After each batch of documents.
    Online,
}

/// Latent Dirichlet allocation by variational Bayes.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "topics latent-dirichlet",
    canon = "C4",
    task = Transformation,
    python = "decomposition",
    tried = "n_components=3 | n_components=2,doc_topic_prior=[0.5,0.1],topic_word_prior=0.2,evaluate_every=1,learn_prior=true | n_components=3,learning_method=online,batch_size=20,max_iter=3",
    session = "n_jobs verbose random_state",
    order = "n_components doc_topic_prior topic_word_prior learning_method learning_decay learning_offset max_iter batch_size evaluate_every total_samples perp_tol mean_change_tol max_doc_update_iter learn_prior",
    mixins = "LatentDirichletMixin",
    can = "topics transform weights sparse by_sums random nonnegative counts resumes",
    references = "Blei, Ng, Jordan. Latent Dirichlet allocation. JMLR 3, 2003.|Hoffman, Blei, Bach. Online learning for latent Dirichlet allocation. NIPS 2010."
)]
pub struct LatentDirichletAllocation {
    /// Number of topics.
    #[param(default = 10, range = "[1, inf)", search = "int 2..100")]
    pub n_components: usize,
    /// The Dirichlet prior of a document's topics, one for all or a list of one for each; 1 / `n_components` where it is not given.
    #[param(default = None, range = "(0, inf)", search = "log 0.01..1")]
    pub doc_topic_prior: Option<Smoothing>,
    /// The Dirichlet prior of a topic's words; 1 / `n_components` where it is not given.
    #[param(default = None, range = "(0, inf)", search = "log 0.01..1")]
    pub topic_word_prior: Option<f64>,
    /// When topics move: after all documents, or online after each batch.
    #[param(default = LearningMethod::Batch)]
    pub learning_method: LearningMethod,
    /// The power of the number of batches by which their weight falls, online; above 0.5 to converge.
    #[param(default = 0.7, range = "[0, 1]")]
    pub learning_decay: f64,
    /// What is added to the number of batches, so that early ones count less, online.
    #[param(default = 10.0, range = "[1, inf)")]
    pub learning_offset: f64,
    /// Passes over all documents.
    #[param(default = 10, range = "[0, inf)")]
    pub max_iter: usize,
    /// Documents of a batch, online.
    #[param(default = 128, range = "[1, inf)")]
    pub batch_size: usize,
    /// Passes between two looks at the perplexity, by which training may end; 0 or less for none.
    #[param(default = -1)]
    pub evaluate_every: i64,
    /// The documents that batches of `partial_fit` are taken from.
    #[param(default = 1e6, range = "(0, inf)")]
    pub total_samples: f64,
    /// The change of perplexity between two looks at which training ends.
    #[param(default = 0.1, range = "[0, inf)")]
    pub perp_tol: f64,
    /// The mean change of a document's γ at which its rounds end.
    #[param(default = 1e-3, range = "[0, inf)")]
    pub mean_change_tol: f64,
    /// The most rounds of a document.
    #[param(default = 100, range = "[0, inf)")]
    pub max_doc_update_iter: usize,
    /// Whether the prior of a document's topics is learnt, too, from what is given.
    #[param(default = false)]
    pub learn_prior: bool,
}

/// The session's random stream of the first topics.
const FIRST: u64 = 1;

impl Learn for LatentDirichletAllocation {
    type Model = LatentDirichletAllocationModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LatentDirichletAllocationModel> {
        refuse(Self::NAME, &data.rows(Self::NAME)?, false)?;
        match self.learning_method {
            LearningMethod::Batch => sums::fit(Self::NAME, self, data, session),
            LearningMethod::Online => self.learn_online(data, session),
        }
    }

    fn learn_stream(
        &self,
        batches: &mut dyn Batches,
        session: &Session,
    ) -> Option<Result<LatentDirichletAllocationModel>> {
        let batch = self.learning_method == LearningMethod::Batch;
        batch.then(|| sums::fit_stream(Self::NAME, &self.capabilities(), self, batches, session))
    }

    fn resume(
        &self,
        model: Option<&LatentDirichletAllocationModel>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Option<Result<LatentDirichletAllocationModel>> {
        Some(self.go_on(model, data, session))
    }

    fn capabilities(&self) -> Capabilities {
        let online = self.learning_method == LearningMethod::Online;
        let own = Self::declaration().capabilities;
        Capabilities { by_sums: !online, ordered: online, counts_rows: online, ..own }
    }
}

impl LatentDirichletAllocation {
    fn begin_at(&self, d: usize, session: &Session) -> Result<LdaState> {
        let k = self.n_components;
        check_size(Self::NAME, k, d)?;
        let even = 1.0 / k as f64;
        let lambda = match session.start() {
            None => LdaState::random(&mut session.rng(FIRST), d, k),
            Some(start) if start.len() != k * d => {
                return Err(Error::shape("pseudo-counts to begin with", k * d, start.len()));
            }
            Some(start) if !start.iter().all(|v| *v > 0.0 && v.is_finite()) => {
                return Err(Error::numeric(
                    Self::NAME,
                    "pseudo-counts to begin with must be positive and finite",
                ));
            }
            Some(start) => Mat::from_fn(d, k, |j, t| start[t * d + j]),
        };
        Ok(LdaState {
            lambda,
            weights: Vec::new(),
            alpha: prior_of(Self::NAME, &self.doc_topic_prior, k, even)?,
            eta: self.topic_word_prior.unwrap_or(even),
            updates: 0,
            looks: Vec::new(),
            judge: false,
            tol: self.mean_change_tol,
            max_rounds: self.max_doc_update_iter,
        })
    }

    fn rate(&self, state: &LdaState, documents: f64) -> Rate {
        // The first batch is number 1.
        let rho = (self.learning_offset + state.updates as f64 + 1.0).powf(-self.learning_decay);
        Rate { rho, documents, learns_prior: self.learn_prior }
    }

    /// One pass over batches of rows; why it stopped, where it did.
    fn pass(
        &self,
        state: &mut LdaState,
        data: &Dataset<'_>,
        documents: f64,
        session: &Session,
    ) -> Result<Option<Termination>> {
        let (numbers, n, own) = (data.numbers(Self::NAME)?, data.n_rows(), data.weights());
        let own = own.map(|w| w.into_owned());
        for start in (0..n).step_by(self.batch_size) {
            let rows = start..start.saturating_add(self.batch_size).min(n);
            let rate = self.rate(state, documents);
            state.learn_batch(numbers.view().rows(rows.clone()), Weights::of(&own).rows(rows), rate)?;
            if let Some(why) = session.step("batch", state.updates, None, state.looks.last().copied()) {
                return Ok(Some(why));
            }
        }
        Ok(None)
    }

    fn learn_online(&self, data: &Dataset<'_>, session: &Session) -> Result<LatentDirichletAllocationModel> {
        let mut state = self.begin_at(data.n_features(), session)?;
        let documents = data.weights().map_or(data.n_rows() as f64, |w| w.iter().sum());
        let mut passes = 0;
        let mut why = Termination::IterationLimit;
        while passes < self.max_iter {
            if let Some(stopped) = self.pass(&mut state, data, documents, session)? {
                return Ok(LatentDirichletAllocationModel::unjudged(state, passes as u64, stopped));
            }
            passes += 1;
            if self.looks(passes) {
                let judged = self.judged(&mut state, data, session)?;
                if self.settled(&mut state, &judged) {
                    why = Termination::Converged;
                    break;
                }
            }
        }
        let judged = self.judged(&mut state, data, session)?;
        Ok(LatentDirichletAllocationModel::judged(state, &judged, passes as u64, why))
    }

    /// What the documents say of the topics as they are.
    fn judged(&self, state: &mut LdaState, data: &Dataset<'_>, session: &Session) -> Result<LdaSums> {
        state.judge = true;
        state.weigh_all();
        sums::fit(Self::NAME, &Judge { state, learns_prior: false }, data, &session.undisturbed())
    }

    /// Whether the perplexity is looked at after so many passes.
    fn looks(&self, passes: usize) -> bool {
        passes > 0 && self.evaluate_every > 0 && (passes as i64) % self.evaluate_every == 0
    }

    /// Whether the perplexity has changed little since it was last looked at.
    fn settled(&self, state: &mut LdaState, judged: &LdaSums) -> bool {
        let now = state.perplexity(judged);
        let settled = state.looks.last().is_some_and(|last| (last - now).abs() < self.perp_tol);
        state.looks.push(now);
        settled
    }

    fn go_on(
        &self,
        model: Option<&LatentDirichletAllocationModel>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<LatentDirichletAllocationModel> {
        refuse(Self::NAME, &data.rows(Self::NAME)?, false)?;
        let mut state = match model {
            Some(model) => model.state().clone(),
            None => self.begin_at(data.n_features(), session)?,
        };
        let stopped = self.pass(&mut state, data, self.total_samples, session)?;
        Ok(LatentDirichletAllocationModel::unjudged(state, 0, stopped.unwrap_or(Termination::Complete)))
    }
}

/// Rows of a block: so many that adding up its statistics costs little beside them.
fn block_rows(shape: &Shape) -> usize {
    (shape.n_features / 32).clamp(64, BLOCK_ROWS)
}

impl BySums for LatentDirichletAllocation {
    type State = LdaState;
    type Summary = LdaSums;
    type Local = Local;
    type Model = LatentDirichletAllocationModel;

    fn block_rows(&self, shape: &Shape) -> usize {
        block_rows(shape)
    }

    fn begin(&self, shape: &Shape, session: &Session) -> Result<LdaState> {
        let mut state = self.begin_at(shape.n_features, session)?;
        state.judge = self.max_iter == 0;
        state.weigh_all();
        Ok(state)
    }

    fn empty(&self, state: &LdaState) -> LdaSums {
        LdaSums::zero(state.lambda.n_rows(), state.k())
    }

    fn absorb(
        &self,
        state: &LdaState,
        block: &Block<'_>,
        local: &mut Local,
        sums: &mut LdaSums,
    ) -> Result<()> {
        absorb(state, block, self.learn_prior, local, sums)
    }

    fn merge(&self, into: &mut LdaSums, other: LdaSums) {
        into.add(&other);
    }

    fn advance(
        &self,
        mut state: LdaState,
        sums: LdaSums,
        _: &Session,
    ) -> Result<Round<LdaState, LatentDirichletAllocationModel>> {
        let passes = state.updates as usize;
        let settled = self.looks(passes) && self.settled(&mut state, &sums);
        if settled || passes >= self.max_iter {
            let why = if settled { Termination::Converged } else { Termination::IterationLimit };
            return Ok(Round::Done(LatentDirichletAllocationModel::judged(state, &sums, passes as u64, why)));
        }
        state.update(&sums, 1.0, 1.0, self.learn_prior)?;
        state.judge = self.looks(passes + 1) || passes + 1 == self.max_iter;
        state.weigh_all();
        Ok(Round::Go(state))
    }

    fn abandon(&self, state: LdaState, why: Termination) -> Option<LatentDirichletAllocationModel> {
        let passes = state.updates;
        (passes > 0).then(|| LatentDirichletAllocationModel::unjudged(state, passes, why))
    }
}

/// What a block keeps between rounds: memory alone.
#[derive(Debug, Default)]
pub struct Local(Work);

fn absorb(
    state: &LdaState,
    block: &Block<'_>,
    learns_prior: bool,
    local: &mut Local,
    sums: &mut LdaSums,
) -> Result<()> {
    // Rows in memory have been looked at; of a stream, no row is known.
    let negative = match block.x {
        NumbersRef::Dense(x) => x.find(|v| v < 0.0).map(|(i, j)| (x.get(i, j), j)),
        NumbersRef::Sparse(_) => None,
    };
    if let Some((v, j)) = negative {
        let told = format!("the negative value {v} in column {j} is no count");
        return Err(Error::numeric(LatentDirichletAllocation::NAME, told));
    }
    state.absorb(block.x, block.weights, learns_prior, &mut local.0, sums);
    Ok(())
}

/// One round that ends with its sums.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    pub(super) state: &'a LdaState,
    pub(super) learns_prior: bool,
}

impl BySums for Judge<'_> {
    type State = ();
    type Summary = LdaSums;
    type Local = Local;
    type Model = LdaSums;

    fn block_rows(&self, shape: &Shape) -> usize {
        block_rows(shape)
    }
    fn begin(&self, _: &Shape, _: &Session) -> Result<()> {
        Ok(())
    }
    fn empty(&self, (): &()) -> LdaSums {
        LdaSums::zero(self.state.lambda.n_rows(), self.state.k())
    }
    fn absorb(&self, (): &(), block: &Block<'_>, local: &mut Local, sums: &mut LdaSums) -> Result<()> {
        absorb(self.state, block, self.learns_prior, local, sums)
    }
    fn merge(&self, into: &mut LdaSums, other: LdaSums) {
        into.add(&other);
    }
    fn advance(&self, (): (), sums: LdaSums, _: &Session) -> Result<Round<(), LdaSums>> {
        Ok(Round::Done(sums))
    }
}
