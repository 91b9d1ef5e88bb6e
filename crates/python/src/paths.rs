//! Paths of regularisation, and searches over folds that Python chose.

use crate::data::HeldData;
use crate::errors::raise;
use crate::fit::learner;
use crate::model::PyModel;
use crate::run;
use mercer::core::{Schema, Trained};
use mercer::linear::{
    Alphas, CoordinateDescentParams, LogisticFolds, LogisticRegressionCV, PathParams, enet_path,
};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::any::Any;

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

/// The fits of a search over folds that Python chose, to be scored there.
#[pyclass(frozen, name = "LogisticFolds", module = "mercer._mercer")]
pub(crate) struct PyFolds {
    folds: LogisticFolds,
    schema: Schema,
    learner: LogisticRegressionCV,
    seed: u64,
    threads: usize,
    dtype: Option<String>,
}

/// Fits all strengths and shares of a search to the training rows of each fold.
#[pyfunction]
#[pyo3(signature = (params, x, y, weights, folds, *, seed=0, threads=0, verbose=false, dtype=None))]
#[expect(clippy::too_many_arguments, reason = "called from one place, by keyword")]
pub(crate) fn logistic_folds(
    py: Python<'_>,
    params: &Bound<'_, PyDict>,
    x: &Bound<'_, PyAny>,
    y: Option<&Bound<'_, PyAny>>,
    weights: Option<&Bound<'_, PyAny>>,
    folds: Vec<Vec<usize>>,
    seed: u64,
    threads: usize,
    verbose: bool,
    dtype: Option<String>,
) -> PyResult<PyFolds> {
    let learner = learner("LogisticRegressionCV", params)?;
    let any: &dyn Any = learner.as_ref();
    let learner =
        any.downcast_ref::<LogisticRegressionCV>().expect("the catalogue knows it by this name").clone();
    let data = HeldData::of(x, y, weights)?;
    let session = run::session(seed, threads);
    let (folds, schema) = run::detached(py, &session, verbose, |session| {
        let data = data.dataset()?;
        Ok((LogisticFolds::fit(&learner, &folds, &data, session)?, Schema::of(&data)))
    })?;
    Ok(PyFolds { folds, schema, learner, seed, threads, dtype })
}

#[pymethods]
impl PyFolds {
    fn __len__(&self) -> usize {
        self.folds.models().len()
    }

    /// The fit of this number: by folds, shares, strengths.
    fn model(&self, at: usize) -> PyResult<PyModel> {
        let fit = self.folds.models().get(at);
        let fit = fit.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err(at))?;
        let made = Trained::assembled(&self.folds.learner(at), fit.clone(), self.schema.clone(), self.seed);
        Ok(PyModel::new(made.map_err(raise)?.into_model(), self.dtype.clone()))
    }

    /// The model of the best fit by the scores of all.
    #[pyo3(signature = (scores, x, y, weights))]
    fn conclude(
        &self,
        py: Python<'_>,
        scores: Vec<f64>,
        x: &Bound<'_, PyAny>,
        y: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyModel> {
        let data = HeldData::of(x, y, weights)?;
        let session = run::session(self.seed, self.threads);
        let model = run::detached(py, &session, false, |session| {
            let model = self.folds.conclude(&scores, &data.dataset()?, session)?;
            Trained::assembled(&self.learner, model, self.schema.clone(), self.seed)
        })?;
        Ok(PyModel::new(model.into_model(), self.dtype.clone()))
    }
}
