//! Latent Dirichlet allocation by collapsed Gibbs sampling.
//!
//! # Objective
//! $$ p(z \mid w, \alpha, \eta) \propto \prod_d \frac{\prod_k \Gamma(n_{dk}+\alpha_k)}{\Gamma(n_d+\sum_k\alpha_k)}
//! \prod_k \frac{\prod_w \Gamma(n_{kw}+\eta)}{\Gamma(n_k+V\eta)} $$
//! the posterior of the topics $z$ of all words, with shares of topics and of words integrated out.
//!
//! # Algorithm
//! Sweeps draw the topic of each word given those of all others. After `burn_in` of them, states `thin` sweeps apart are kept, and the shares of
//! words are averaged over these. On the way the priors are learnt by Minka's fixed point. Shares of a document are its variational
//! posterior under the averaged topics.
//!
//! # Complexity
//! Time a sweep: for each word, as many topics as its document has, eight side by side; and O(k) for each different word of a part of the
//! documents. Memory O(words + d k) for d different words.
//!
//! # Example
//! ```
//! use mercer_bayes::GibbsTopics;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[3., 2., 0., 0.], [2., 4., 0., 0.], [0., 0., 5., 1.], [0., 0., 2., 2.]]).unwrap();
//! let model = GibbsTopics::default().n_components(2).fit(&Dataset::new(&x))?;
//! let topics = model.as_model().topics()?;
//! assert_eq!(topics.top_words(topics.by_size()[0], 1).len(), 1);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Weights of topics are single numbers: a draw is off by 1e-6 of its probabilities. Many words (65,536 or more) are drawn in up to sixteen
//! parts side by side, which know the totals of the topics from the last step of one another, as in AD-LDA; counts of words and of documents
//! are always exact. The parts depend on the rows alone, so that threads change nothing. Counts must be whole.
//!
//! # References
//! - T. L. Griffiths, M. Steyvers. Finding scientific topics. PNAS 101, 2004. doi:10.1073/pnas.0307752101
//! - H. M. Wallach, D. Mimno, A. McCallum. Rethinking LDA: why priors matter. NIPS 2009.
//! - D. Newman, A. Asuncion, P. Smyth, M. Welling. Distributed algorithms for topic models. JMLR 10, 2009.
//! - H.-F. Yu, C.-J. Hsieh, H. Yun, S. V. N. Vishwanathan, I. S. Dhillon. A scalable asynchronous distributed algorithm for topic modeling.
//!   WWW 2015. doi:10.1145/2736277.2741682
//! - F. Yan, N. Xu, Y. Qi. Parallel inference for latent Dirichlet allocation on graphics processing units. NIPS 2009.

use super::counts::{check_size, prior_of, refuse};
use super::gibbs_model::{GibbsTopicsModel, Kept};
use super::sampler::{Chain, Priors};
use crate::naive::Smoothing;
use mercer_core::{Dataset, Error, ErrorKind, Learn, NumbersRef, Params, Result, Session};

/// Latent Dirichlet allocation by collapsed Gibbs sampling.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "gibbs-topics lda-gibbs",
    canon = "C4",
    task = Transformation,
    python = "topics",
    tried = "n_components=3,burn_in=20,n_samples=4,thin=2 | n_components=2,doc_topic_prior=[0.5,0.1],topic_word_prior=0.2,learn_word_prior=true,burn_in=20 | n_components=2,learn_prior=false,burn_in=0,n_samples=1",
    session = "random_state n_jobs verbose",
    fixture = Levels,
    can = "topics transform sparse ordered random nonnegative counts",
    references = "Griffiths, Steyvers. Finding scientific topics. PNAS 101, 2004.|Wallach, Mimno, McCallum. Rethinking LDA: why priors matter. NIPS 2009.|Newman, Asuncion, Smyth, Welling. Distributed algorithms for topic models. JMLR 10, 2009."
)]
pub struct GibbsTopics {
    /// Number of topics.
    #[param(default = 10, range = "[1, 65535]", search = "int 2..100")]
    pub n_components: usize,
    /// The Dirichlet prior of a document's topics, one for all or a list of one for each; 0.1 where it is not given.
    #[param(default = None, range = "[1e-6, 1e6]", search = "log 0.01..1")]
    pub doc_topic_prior: Option<Smoothing>,
    /// The Dirichlet prior of a topic's words.
    #[param(default = 0.01, range = "[1e-6, 1e6]", search = "log 0.001..1")]
    pub topic_word_prior: f64,
    /// Whether the prior of documents is learnt, for each topic, from what is given.
    #[param(default = true)]
    pub learn_prior: bool,
    /// Whether the prior of topics is learnt, from what is given.
    #[param(default = false)]
    pub learn_word_prior: bool,
    /// Sweeps between two steps of learning the priors.
    #[param(default = 10, range = "[1, inf)")]
    pub learn_every: usize,
    /// Sweeps before a state is kept.
    #[param(default = 200, range = "[0, inf)")]
    pub burn_in: usize,
    /// States that are kept and averaged.
    #[param(default = 10, range = "[1, inf)")]
    pub n_samples: usize,
    /// Sweeps from one state that is kept to the next.
    #[param(default = 10, range = "[1, inf)")]
    pub thin: usize,
}

/// Sweeps between two looks at the joint probability.
const LOOK: usize = 10;
/// The most words that are drawn.
const MOST_WORDS: f64 = (1u64 << 31) as f64;

impl Learn for GibbsTopics {
    type Model = GibbsTopicsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<GibbsTopicsModel> {
        let rows = data.rows(Self::NAME)?;
        refuse(Self::NAME, &rows, true)?;
        let (numbers, k) = (data.numbers(Self::NAME)?, self.n_components);
        let x = numbers.view();
        check_size(Self::NAME, k, x.n_cols())?;
        let words = match x {
            NumbersRef::Dense(x) => (0..x.n_rows()).map(|i| x.row_cow(i).iter().sum::<f64>()).sum::<f64>(),
            NumbersRef::Sparse(x) => x.values().iter().sum(),
        };
        if words > MOST_WORDS {
            return Err(Error::numeric(Self::NAME, format!("{words} words: at most {MOST_WORDS} are drawn")));
        }
        let alpha = prior_of(Self::NAME, &self.doc_topic_prior, k, 0.1)?;
        let mut chain = Chain::new(x, k, Priors { alpha, eta: self.topic_word_prior }, session);
        let kept = self.run(&mut chain, x.n_cols(), session)?;
        Ok(GibbsTopicsModel::new(kept, x, session))
    }
}

impl GibbsTopics {
    fn run(&self, chain: &mut Chain, d: usize, session: &Session) -> Result<Kept> {
        let all = self.burn_in.saturating_add(self.n_samples.saturating_mul(self.thin));
        let mut kept = Kept::new(self.n_components, d);
        for done in 1..=all {
            kept.stopped = chain.sweep(session);
            if kept.stopped.is_some() && done == 1 {
                return Err(ErrorKind::Cancelled.into());
            }
            let keeps = done > self.burn_in && (done - self.burn_in).is_multiple_of(self.thin);
            if keeps || kept.stopped.is_some() && kept.n == 0 {
                kept.add(chain);
            }
            if keeps || done.is_multiple_of(LOOK) {
                kept.joints.push(chain.log_joint());
            }
            if done.is_multiple_of(self.learn_every) {
                chain.learn_priors(self.learn_prior, self.learn_word_prior);
            }
            kept.sweeps = done as u64;
            let objective = kept.joints.last().map(|j| j / chain.n_words().max(1) as f64);
            kept.stopped = kept.stopped.or(session.step("sweep", done as u64, Some(all as u64), objective));
            if kept.stopped.is_some() {
                if kept.n == 0 {
                    kept.add(chain);
                }
                break;
            }
        }
        kept.average(chain);
        Ok(kept)
    }
}
