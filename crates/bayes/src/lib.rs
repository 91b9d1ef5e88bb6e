//! Naive Bayes, and Bayesian computation: sampling.

mod densities;
mod diagnostics;
mod metropolis;
mod naive;

pub use densities::{DENSITIES, density};
pub use diagnostics::{effective_sample_size, split_r_hat};
pub use metropolis::{Metropolis, MetropolisModel};
pub use naive::{
    BernoulliNB, CategoricalNB, CategoricalNBModel, CategoricalParams, CategorySums, ClassMoments,
    ComplementNB, CountNBModel, CountParams, CountSums, GaussianNB, GaussianNBModel, GaussianParams,
    MinCategories, MultinomialNB, PriorParams, Smoothing, Unseen,
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
            Entry::of::<Metropolis>(),
            Entry::of::<MultinomialNB>(),
        ]
    }
}
