//! Dirichlet processes: their draws, the partitions that they make, and mixtures of as many components as the data ask for.

mod cluster;
mod gibbs;
#[cfg(test)]
mod gibbs_tests;
mod mixture;
mod mixture_model;
mod process;

pub use mixture::DirichletProcessMixture;
pub use mixture_model::DirichletProcessMixtureModel;
pub use process::{
    crp, crp_log_probability, dirichlet_marginals, expected_tables, polya_urn, stick_breaking,
    table_probabilities,
};
