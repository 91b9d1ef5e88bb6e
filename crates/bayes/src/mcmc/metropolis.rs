//! Random-walk Metropolis: draws from any density known up to its constant.
//!
//! # Objective
//! Draws $z_1, z_2, …$ whose distribution tends to $p(z) \propto e^{\ell(z)}$.
//!
//! # Algorithm
//! From $z$, propose $z^* \sim N(z, \sigma^2 I)$ and accept with probability $\min\{1, p(z^*)/p(z)\}$ (the proposal
//! is symmetric, so that $q$ cancels). During warm-up each coordinate's scale follows the spread of the chain, and a
//! common factor is steered by Robbins-Monro steps towards an acceptance of 0.44 in one dimension, 0.234 in many;
//! after warm-up both are fixed, so that the draws kept come from one Markov chain.
//!
//! # Complexity
//! One density evaluation a step; memory O(chains × draws × dimensions).
//!
//! # Example
//! ```
//! use mercer_bayes::{Metropolis, density};
//! use mercer_core::{Dataset, Fit};
//! let model = Metropolis::default().draws(500).fit(&Dataset::new(density("normal")?))?;
//! assert!(model.mean().iter().all(|m| m.abs() < 0.5));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A density of minus infinity is outside the support; NaN or plus infinity is an error that shows the point.
//!
//! # References
//! - N. Metropolis et al. Equation of state calculations by fast computing machines. J. Chem. Phys. 21, 1953.
//!   doi:10.1063/1.1699114
//! - A. Gelman, G. O. Roberts, W. R. Gilks. Efficient Metropolis jumping rules. Bayesian Statistics 5, 1996.
//! - C. Andrieu, J. Thoms. A tutorial on adaptive MCMC. Stat. Comput. 18, 2008. doi:10.1007/s11222-008-9110-y

use super::chains::ChainsModel;
use super::engine::ChainParams;
use super::hastings::{WalkParams, walk};
use mercer_core::{Dataset, Learn, Params, Result, Session};

/// Random-walk Metropolis: draws from any density known up to its constant.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "metropolis",
    canon = "S1",
    task = Sampling,
    learns_from = Density,
    python = "mcmc",
    tried = "draws=50,warmup=20,chains=2",
    session = "random_state n_jobs verbose",
    mixins = "ChainsMixin",
    can = "random",
    references = "Metropolis et al. Equation of state calculations by fast computing machines. J. Chem. Phys. 21, 1953."
)]
pub struct Metropolis {
    /// How many chains and draws, and the first scale.
    #[param(flatten)]
    pub walk: WalkParams,
}

impl Learn for Metropolis {
    type Model = ChainsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ChainsModel> {
        walk(Self::NAME, &self.walk, data.whole_input().density(Self::NAME)?, session)
    }
}
