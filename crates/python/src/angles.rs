//! Paths of least angles and matching pursuits, from rows or from their products.

use crate::buffers::HeldMatrix;
use crate::data::HeldData;
use crate::output;
use crate::run;
use mercer::linear::{
    AnglesParams, AnglesPath, Pursuit, lars_path, lars_path_gram, orthogonal_mp, orthogonal_mp_gram,
};
use numpy::PyArray2;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Strengths, features in use, and coefficients, features × knots.
type Path<'py> = (Vec<f64>, Vec<usize>, Bound<'py, PyArray2<f64>>);
/// The coefficients of each target, features × steps, and whether a pursuit ended early.
type Steps<'py> = (Vec<Bound<'py, PyArray2<f64>>>, bool);

fn params((lasso, positive, max_iter, alpha_min): (bool, bool, usize, f64)) -> AnglesParams {
    AnglesParams { lasso, positive, max_iter, alpha_min }
}

fn path(py: Python<'_>, path: AnglesPath) -> PyResult<Path<'_>> {
    Ok((path.alphas, path.active, output::matrix(py, path.coefs)?))
}

fn held(gram: &Bound<'_, PyAny>) -> PyResult<mercer::math::Mat> {
    let held = HeldMatrix::of(gram).ok_or_else(|| PyTypeError::new_err("Gram must be a float64 matrix"))?;
    Ok(held.view().to_mat())
}

/// The path of least angles of rows, without an intercept.
#[pyfunction]
pub(crate) fn angles_path<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    how: (bool, bool, usize, f64),
) -> PyResult<Path<'py>> {
    let data = HeldData::of(x, Some(y), None)?;
    let session = run::session(0, 0);
    let found =
        run::detached(py, &session, false, |session| lars_path(&data.dataset()?, &params(how), session))?;
    path(py, found)
}

/// The path of least angles of products.
#[pyfunction]
pub(crate) fn angles_path_gram<'py>(
    py: Python<'py>,
    gram: &Bound<'py, PyAny>,
    xy: Vec<f64>,
    n_samples: f64,
    how: (bool, bool, usize, f64),
) -> PyResult<Path<'py>> {
    let (gram, session) = (held(gram)?, run::session(0, 0));
    let found = run::detached(py, &session, false, |session| {
        lars_path_gram(&gram, &xy, n_samples, &params(how), session)
    })?;
    path(py, found)
}

fn steps(py: Python<'_>, found: Pursuit) -> PyResult<Steps<'_>> {
    let paths = found.paths.into_iter().map(|p| output::matrix(py, p)).collect::<PyResult<Vec<_>>>()?;
    Ok((paths, found.early))
}

/// The matching pursuit of rows, without an intercept.
#[pyfunction]
pub(crate) fn pursuit<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    features: usize,
    tol: Option<f64>,
) -> PyResult<Steps<'py>> {
    let data = HeldData::of(x, Some(y), None)?;
    let session = run::session(0, 0);
    let found = run::detached(py, &session, false, |session| {
        orthogonal_mp(&data.dataset()?, features, tol, session)
    })?;
    steps(py, found)
}

/// The matching pursuit of products: for each target, its products with the columns and its own square.
#[pyfunction]
pub(crate) fn pursuit_gram<'py>(
    py: Python<'py>,
    gram: &Bound<'py, PyAny>,
    targets: Vec<(Vec<f64>, f64)>,
    features: usize,
    tol: Option<f64>,
) -> PyResult<Steps<'py>> {
    let (gram, session) = (held(gram)?, run::session(0, 0));
    let found = run::detached(py, &session, false, |session| {
        orthogonal_mp_gram(&gram, &targets, features, tol, session)
    })?;
    steps(py, found)
}
