//! Paths of regularisation.

use crate::data::HeldData;
use crate::run;
use mercer::linear::{Alphas, CoordinateDescentParams, PathParams, enet_path};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// What a path is made of: strengths, coefficients by strength, target and feature, gaps and passes.
type Path<'py> = (Vec<f64>, Bound<'py, PyAny>, Vec<f64>, Vec<u64>);

/// The path of the elastic net without an intercept: strengths as given, or as many as `n_alphas`.
#[pyfunction]
pub(crate) fn net_path<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    alphas: Option<Vec<f64>>,
    shape: (f64, f64, usize),
    limits: (usize, f64, bool),
    threads: usize,
) -> PyResult<Path<'py>> {
    let ((l1_ratio, eps, n_alphas), (max_iter, tol, positive)) = (shape, limits);
    let data = HeldData::of(x, Some(y), None)?;
    let session = run::session(0, threads);
    let descent = CoordinateDescentParams { max_iter, tol, ..PathParams::default().descent };
    let alphas = alphas.map_or(Alphas::Count(n_alphas), Alphas::These);
    let params = PathParams { l1_ratio, eps, alphas, positive, descent };
    let path = run::detached(py, &session, false, |session| enet_path(&data.dataset()?, &params, session))?;
    let shape = path.coefs.first().map_or((0, 0), |w| (w.n_rows(), w.n_cols()));
    let flat: Vec<f64> = path.coefs.iter().flat_map(|w| w.as_slice().iter().copied()).collect();
    let coefs = PyArray1::from_vec(py, flat).reshape([path.coefs.len(), shape.0, shape.1])?;
    Ok((path.alphas, coefs.into_any(), path.dual_gaps, path.n_iters))
}
