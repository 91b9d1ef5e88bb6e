//! Inverses after small changes, definiteness, norms, averages: functions over `mercer::stats`.

use crate::errors::{bad, raise};
use crate::output::{matrix, vector};
use crate::stats::mat;
use mercer::stats::{self, Quadratic};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

type Found<'py> = Option<Bound<'py, PyArray2<f64>>>;

/// The inverse of A + uvᵀ from that of A; None where it is singular.
#[pyfunction]
pub(crate) fn sherman_morrison<'py>(
    py: Python<'py>,
    inverse: &Bound<'py, PyAny>,
    u: Vec<f64>,
    v: Vec<f64>,
) -> PyResult<Found<'py>> {
    let found = stats::sherman_morrison(&mat(inverse)?, &u, &v).map_err(raise)?;
    found.map(|m| matrix(py, m)).transpose()
}

/// The inverse of A + UCV from those of A and C; None where it is singular.
#[pyfunction]
pub(crate) fn woodbury<'py>(
    py: Python<'py>,
    a_inverse: &Bound<'py, PyAny>,
    u: &Bound<'py, PyAny>,
    c_inverse: &Bound<'py, PyAny>,
    v: &Bound<'py, PyAny>,
) -> PyResult<Found<'py>> {
    let found = stats::woodbury(&mat(a_inverse)?, &mat(u)?, &mat(c_inverse)?, &mat(v)?).map_err(raise)?;
    found.map(|m| matrix(py, m)).transpose()
}

/// The smallest and the largest eigenvalue, whether a matrix is positive definite, and whether semi-definite.
#[pyfunction]
pub(crate) fn definiteness(a: &Bound<'_, PyAny>) -> PyResult<(f64, f64, bool, bool)> {
    let found = stats::definiteness(&mat(a)?).map_err(raise)?;
    Ok((found.smallest, found.largest, found.positive_definite, found.positive_semidefinite))
}

/// The Moore-Penrose inverse.
#[pyfunction]
pub(crate) fn pseudo_inverse<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    rcond: Option<f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    if let Some(rcond) = rcond.filter(|r| !(0.0..=1.0).contains(r)) {
        return Err(raise(mercer::Error::param("pseudo_inverse", "rcond", "in [0, 1]", rcond)));
    }
    let found = mercer::math::pinv(mat(a)?.view(), rcond);
    matrix(py, found.ok_or_else(|| bad("expected a matrix of finite numbers"))?)
}

/// The p-norm of a vector.
#[pyfunction]
pub(crate) fn vector_norm(x: Vec<f64>, p: f64) -> PyResult<f64> {
    stats::vector_norm(&x, p).map_err(raise)
}

/// A norm of a matrix, by name.
#[pyfunction]
pub(crate) fn matrix_norm(a: &Bound<'_, PyAny>, kind: &str) -> PyResult<f64> {
    stats::matrix_norm(mat(a)?.view(), kind).map_err(raise)
}

/// The mean of unbiased estimates, and its variance.
#[pyfunction]
pub(crate) fn average(estimates: Vec<f64>, variance: f64, correlation: f64) -> PyResult<(f64, f64)> {
    stats::average(&estimates, variance, correlation).map_err(raise)
}

/// Mean and covariance of the Gaussian law that exp(−½ xᵀAx + bᵀx + c) is proportional to, and the logarithm of the integral.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn complete_square<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: Vec<f64>,
    c: f64,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, f64)> {
    if !(c.is_finite() && b.iter().all(|v| v.is_finite())) {
        return Err(bad("`b` and `c` must be finite"));
    }
    let (law, log_integral) = Quadratic { a: mat(a)?, b, c }.complete().map_err(raise)?;
    Ok((vector(py, law.mean().to_vec()), matrix(py, law.covariance().clone())?, log_integral))
}
