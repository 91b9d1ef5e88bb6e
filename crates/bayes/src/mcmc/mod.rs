//! Sampling by Markov chains: engines that make one step, one driver that runs them, one model of their draws.

mod adapt;
mod chains;
mod densities;
mod diagnostics;
mod dual;
mod engine;
mod gibbs;
mod hamiltonian;
mod hastings;
mod hmc;
mod metropolis;
mod nuts;
mod slice;
mod tempering;

pub use adapt::{HamiltonianParams, MassMatrix};
pub use chains::{ChainsModel, HDI_SHARE};
pub use densities::{DENSITIES, density};
pub use diagnostics::{
    e_bfmi, effective_sample_size, ess_bulk, ess_quantile, ess_tail, hdi, mcse_mean, mcse_quantile, mcse_sd,
    r_hat, split_r_hat,
};
pub use dual::{Dual, dual_density};
pub use engine::{Adaptation, ChainParams, Engine, NoAdaptation, StepInfo, run_chains};
pub use gibbs::Gibbs;
pub use hastings::{
    Hastings, HastingsState, MetropolisHastings, Proposal, ProposalKind, WalkParams, metropolis_hastings,
};
pub use hmc::HMC;
pub use metropolis::Metropolis;
pub use nuts::NUTS;
pub use slice::Slice;
pub use tempering::ParallelTempering;
