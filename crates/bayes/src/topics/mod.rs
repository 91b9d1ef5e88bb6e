//! Topic models: rows of counts, such as the words of documents, as mixtures of topics.

mod counts;
mod draws;
mod gibbs;
mod gibbs_model;
mod held_out;
mod inference;
mod lda;
mod lda_model;
mod lda_state;
mod prior;
mod sampler;
#[cfg(test)]
mod sampler_tests;

pub use gibbs::GibbsTopics;
pub use gibbs_model::GibbsTopicsModel;
pub use held_out::{Completion, document_completion, left_to_right};
pub use lda::{LatentDirichletAllocation, LearningMethod};
pub use lda_model::LatentDirichletAllocationModel;
pub use lda_state::{LdaState, LdaSums};
