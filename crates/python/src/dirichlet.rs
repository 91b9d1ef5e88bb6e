//! The Dirichlet process.

use crate::errors::raise;
use mercer::cluster;
use pyo3::prelude::*;

/// The generator of a seed, as sessions have it.
fn rng(seed: u64) -> mercer::math::Rng {
    mercer::Session::new(seed).rng(0)
}

#[pyfunction]
pub(crate) fn stick_breaking(alpha: f64, n: usize, seed: u64) -> PyResult<Vec<f64>> {
    cluster::stick_breaking(&mut rng(seed), alpha, n).map_err(raise)
}

#[pyfunction]
pub(crate) fn crp(alpha: f64, n: usize, seed: u64) -> PyResult<Vec<usize>> {
    cluster::crp(&mut rng(seed), alpha, n).map_err(raise)
}

#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "lists of Python become vectors")]
pub(crate) fn crp_log_probability(alpha: f64, sizes: Vec<usize>) -> PyResult<f64> {
    cluster::crp_log_probability(alpha, &sizes).map_err(raise)
}

#[pyfunction]
pub(crate) fn expected_tables(alpha: f64, n: usize) -> PyResult<f64> {
    cluster::expected_tables(alpha, n).map_err(raise)
}

#[pyfunction]
pub(crate) fn table_probabilities(alpha: f64, n: usize) -> PyResult<Vec<f64>> {
    cluster::table_probabilities(alpha, n).map_err(raise)
}

#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "lists of Python become vectors")]
pub(crate) fn dirichlet_marginals(alpha: f64, masses: Vec<f64>) -> PyResult<Vec<f64>> {
    cluster::dirichlet_marginals(alpha, &masses).map_err(raise)
}
