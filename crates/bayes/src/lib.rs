//! Naive Bayes, Bayesian computation by sampling, and topic models.

mod mcmc;
mod naive;
mod topics;

pub use mcmc::{
    Adaptation, ChainParams, ChainsModel, DENSITIES, Dual, Engine, Gibbs, HDI_SHARE, HMC, HamiltonianParams,
    Hastings, HastingsState, MassMatrix, Metropolis, MetropolisHastings, NUTS, NoAdaptation,
    ParallelTempering, Proposal, ProposalKind, Slice, StepInfo, WalkParams, density, dual_density, e_bfmi,
    effective_sample_size, ess_bulk, ess_quantile, ess_tail, hdi, mcse_mean, mcse_quantile, mcse_sd,
    metropolis_hastings, r_hat, run_chains, split_r_hat,
};
pub use naive::{
    BernoulliNB, CategoricalNB, CategoricalNBModel, CategoricalParams, CategorySums, ClassMoments,
    ComplementNB, CountNBModel, CountParams, CountSums, GaussianNB, GaussianNBModel, GaussianParams,
    MinCategories, MultinomialNB, PriorParams, Smoothing, Unseen,
};

pub use topics::{
    Completion, GibbsTopics, GibbsTopicsModel, LatentDirichletAllocation, LatentDirichletAllocationModel,
    LdaState, LdaSums, LearningMethod, document_completion, left_to_right,
};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<BernoulliNB>(),
            Entry::of::<CategoricalNB>(),
            Entry::of::<ComplementNB>(),
            Entry::of::<GaussianNB>(),
            Entry::of::<Gibbs>(),
            Entry::of::<GibbsTopics>(),
            Entry::of::<HMC>(),
            Entry::of::<LatentDirichletAllocation>(),
            Entry::of::<Metropolis>(),
            Entry::of::<MetropolisHastings>(),
            Entry::of::<MultinomialNB>(),
            Entry::of::<NUTS>(),
            Entry::of::<ParallelTempering>(),
            Entry::of::<Slice>(),
        ]
    }
}
