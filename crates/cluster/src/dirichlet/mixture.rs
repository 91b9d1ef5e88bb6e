//! Dirichlet process mixtures of Gaussians by collapsed Gibbs sampling: a posterior over partitions, and so over the number of
//! clusters.
//!
//! # Objective
//! $$ p(z, \alpha \mid x) \propto p(\alpha)\ \frac{\Gamma(\alpha)\,\alpha^K}{\Gamma(\alpha+n)} \prod_k (n_k - 1)!\ p(x_{z=k}) $$
//! with $p(x_{z=k})$ the evidence of a Gaussian cluster under a normal-inverse-Wishart prior.
//!
//! # Algorithm
//! Several chains side by side, each a collapsed Gibbs sampler (see `gibbs.rs`): means and covariances are left out, and a cluster's factor follows
//! each row that comes or goes by a rank-one update. Of the partitions that were kept, the one whose pairs agree best with all
//! others (least squares) stands for them. Densities are averages over states of all chains.
//!
//! # Complexity
//! Time O(n K d²) a sweep with K clusters; memory O(n + K d²) for each state that is kept.
//!
//! # Example
//! ```
//! use mercer_cluster::DirichletProcessMixture;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::{Mat, normal, rng_for};
//! let mut rng = rng_for(1, 1);
//! let x = Mat::from_fn(60, 1, |i, _| (i % 2) as f64 * 20.0 + normal(&mut rng));
//! let model = DirichletProcessMixture::default().fit(&Dataset::new(&x))?;
//! assert_eq!(model.n_clusters(), 2);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A factor from which a row cannot be taken without loss is made anew from the rows of its cluster, and all are every fifty sweeps. The
//! chain depends on the order of the rows, as its draws do. The certificate tells the R-hat of the log joint and of the number of clusters
//! over the halves of the chains: above 1.1 the chains do not agree yet, and more sweeps are needed.
//!
//! # References
//! - R. M. Neal. Markov chain sampling methods for Dirichlet process mixture models. J. Comput. Graph. Stat. 9(2), 2000. doi:10.1080/10618600.2000.10474879
//! - M. D. Escobar, M. West. Bayesian density estimation and inference using mixtures. JASA 90(430), 1995. doi:10.1080/01621459.1995.10476550
//! - D. B. Dahl. Model-based clustering for expression data via a Dirichlet process mixture model. In: Bayesian Inference for Gene Expression and Proteomics, Cambridge, 2006. doi:10.1017/CBO9780511584589.011

use super::cluster::{Cluster, NormalWishart, Norms};
use super::gibbs::{Chain, Concentration};
use super::mixture_model::{DirichletProcessMixtureModel, State};
use mercer_core::{Dataset, Error, ErrorKind, Learn, Params, Result, Session, Termination};
use mercer_math::{ColumnMoments, Mat};
use rayon::prelude::*;

/// Dirichlet process mixtures of Gaussians by collapsed Gibbs sampling.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "dpm dirichlet-process",
    canon = "C3",
    task = Clustering,
    python = "mixture",
    tried = "n_sweeps=40,burn_in=20 | alpha=1.0,n_chains=1,n_sweeps=30,burn_in=10,n_states=5",
    session = "verbose random_state",
    mixins = "DirichletMixtureMixin",
    rows = 3000,
    can = "proba density sample random ordered",
    references = "Neal. Markov chain sampling methods for Dirichlet process mixture models. J. Comput. Graph. Stat. 9(2), 2000.|Escobar, West. Bayesian density estimation and inference using mixtures. JASA 90(430), 1995.|Dahl. Model-based clustering for expression data via a Dirichlet process mixture model. 2006."
)]
pub struct DirichletProcessMixture {
    /// The concentration; without it, it is learnt.
    #[param(default = None, range = "(0, inf)", search = "log 0.01..100")]
    pub alpha: Option<f64>,
    /// The shape of the concentration's Gamma prior.
    #[param(default = 1.0, range = "(0, inf)")]
    pub alpha_shape: f64,
    /// The rate of the concentration's Gamma prior.
    #[param(default = 1.0, range = "(0, inf)")]
    pub alpha_rate: f64,
    /// How many rows the prior mean of a cluster is worth.
    #[param(default = 0.01, range = "(0, inf)")]
    pub mean_precision: f64,
    /// The prior mean of a cluster; without it the mean of the rows.
    #[param(default = None)]
    pub mean: Option<Vec<f64>>,
    /// The prior degrees of freedom of a cluster's covariance, more than features + 1; without it features + 2.
    #[param(default = None, range = "(0, inf)")]
    pub degrees: Option<f64>,
    /// The prior mean of a cluster's covariance, by rows; without it `spread` times the variances of the rows.
    #[param(default = None)]
    pub covariance: Option<Vec<f64>>,
    /// The variance of a cluster relative to that of all rows, before they are seen.
    #[param(default = 0.1, range = "(0, inf)", search = "log 0.01..1")]
    pub spread: f64,
    /// Sweeps of each chain that are kept.
    #[param(default = 500, range = "[1, inf)")]
    pub n_sweeps: usize,
    /// Sweeps of each chain before those.
    #[param(default = 200, range = "[0, inf)")]
    pub burn_in: usize,
    /// Chains.
    #[param(default = 2, range = "[1, 1000]")]
    pub n_chains: usize,
    /// States of each chain that densities are averaged over.
    #[param(default = 25, range = "[1, inf)")]
    pub n_states: usize,
}

/// What a chain leaves behind.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) counts: Vec<u32>,
    pub(crate) alphas: Vec<f64>,
    pub(crate) joints: Vec<f64>,
    pub(crate) states: Vec<State>,
    pub(crate) partitions: Vec<Vec<u32>>,
    pub(crate) stopped: Option<Termination>,
}

impl Learn for DirichletProcessMixture {
    type Model = DirichletProcessMixtureModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<DirichletProcessMixtureModel> {
        let x = data.dense(Self::NAME)?.view().to_mat();
        let prior = self.prior(&x)?;
        let norms = Norms::new(&prior, x.n_rows());
        let run = |chain: u64| self.run(&x, &prior, &norms, chain, session);
        let chains: Vec<Trace> = (0..self.n_chains as u64).into_par_iter().map(run).collect();
        if chains.iter().all(|c| c.states.is_empty()) {
            return Err(ErrorKind::Cancelled.into());
        }
        DirichletProcessMixtureModel::new(&x, prior, chains)
    }
}

impl DirichletProcessMixture {
    /// The prior of a cluster, from the data where it is not given.
    fn prior(&self, x: &Mat) -> Result<NormalWishart> {
        let d = x.n_cols();
        let moments = ColumnMoments::of(x.view(), None);
        let variances = moments.variances();
        if !variances.iter().zip(moments.means()).all(|(v, m)| (v + m * m).is_finite()) {
            return Err(Error::numeric(Self::NAME, "values too large for squares: scale them"));
        }
        let mean = self.mean.clone().unwrap_or_else(|| moments.means());
        if mean.len() != d || !mean.iter().all(|v| v.is_finite()) {
            return Err(Error::param(Self::NAME, "mean", format!("{d} finite numbers"), mean.len()));
        }
        let degrees = self.degrees.unwrap_or(d as f64 + 2.0);
        if degrees <= d as f64 + 1.0 {
            return Err(Error::param(Self::NAME, "degrees", format!("greater than {}", d + 1), degrees));
        }
        // A constant column has the least variance that others of its size could have.
        let least = |j: usize| {
            1e-6 * variances.iter().fold(0.0f64, |a, v| a.max(*v)).max(1e-6 * mean[j] * mean[j]).max(1e-100)
        };
        let own = |i: usize, j: usize| if i == j { self.spread * variances[j].max(least(j)) } else { 0.0 };
        let covariance = match &self.covariance {
            None => Mat::from_fn(d, d, own),
            Some(given) if given.len() == d * d => Mat::from_fn(d, d, |i, j| given[i * d + j]),
            Some(given) => {
                return Err(Error::param(
                    Self::NAME,
                    "covariance",
                    format!("{} numbers", d * d),
                    given.len(),
                ));
            }
        };
        let free = degrees - d as f64 - 1.0;
        let scale = Mat::from_fn(d, d, |i, j| covariance[(i, j)] * free);
        NormalWishart::new(Self::NAME, mean, self.mean_precision, degrees, &scale)
    }

    fn run(&self, x: &Mat, prior: &NormalWishart, norms: &Norms, chain: u64, session: &Session) -> Trace {
        let concentration =
            Concentration { fixed: self.alpha, shape: self.alpha_shape, rate: self.alpha_rate };
        let first = self.alpha.unwrap_or(self.alpha_shape / self.alpha_rate);
        let mut state = Chain::new(x, prior, norms, first, session.rng(chain));
        let mut out = Trace::default();
        let all = self.burn_in + self.n_sweeps;
        let partitions = (PARTITIONS / self.n_chains).clamp(1, PARTITIONS / 2);
        let (gap, thin) = (self.n_sweeps.div_ceil(self.n_states), self.n_sweeps.div_ceil(partitions));
        for sweep in 0..all {
            out.stopped = session.step("sweep", sweep as u64, Some(all as u64), out.joints.last().copied());
            for i in 0..x.n_rows() {
                if i % 256 == 0 && out.stopped.is_none() {
                    out.stopped = session.interrupted();
                }
                if out.stopped.is_some() {
                    return out;
                }
                state.reseat(i);
            }
            state.concentrate(&concentration);
            if sweep % 50 == 49 {
                state.refresh();
            }
            let Some(kept) = sweep.checked_sub(self.burn_in) else { continue };
            out.counts.push(state.clusters.len() as u32);
            out.alphas.push(state.alpha);
            out.joints.push(state.log_joint());
            if kept % gap == gap - 1 || kept + 1 == self.n_sweeps {
                let clusters: Vec<Cluster> = state.clusters.clone();
                out.states.push(State { alpha: state.alpha, clusters });
            }
            if kept % thin == thin - 1 || kept + 1 == self.n_sweeps {
                out.partitions.push(state.labels.clone());
            }
        }
        out
    }
}

/// Partitions of all chains among which the one is chosen that stands for them: every two of them are compared. One chain has half as many.
const PARTITIONS: usize = 200;
