//! Dirichlet processes, and the draws that they are made of.

mod draws;

pub use draws::{beta, dirichlet, gamma};
