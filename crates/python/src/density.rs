//! A log density written in Python: called on the thread that called `fit`, its exceptions passed through.

use crate::errors::bad;
use mercer::math::{Rng, uniform};
use mercer::{Density, Error, ErrorKind, LogDensity};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Where an exception of the function waits until the fit has unwound.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure(Arc<Mutex<Option<PyErr>>>);

impl Failure {
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn set(&self, error: PyErr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

/// What the user gave beside the density.
#[derive(FromPyObject)]
pub(crate) struct Callables {
    function: Py<PyAny>,
    name: String,
    dim: usize,
    start: Option<Vec<f64>>,
    /// The gradient at a point.
    gradient: Option<Py<PyAny>>,
    /// Whether the function itself gives value and gradient.
    both: bool,
    /// For each coordinate, a draw of it given a point and a generator of random numbers.
    conditionals: Option<Vec<Py<PyAny>>>,
}

struct PythonDensity {
    own: Callables,
    failure: Failure,
}

impl Callables {
    pub(crate) fn density(self) -> (Density, Failure) {
        let (failure, name) = (Failure::default(), self.name.clone());
        let inner = PythonDensity { own: self, failure: failure.clone() };
        (Density::from_trait(&name, Arc::new(inner)), failure)
    }
}

/// A number, or an array with one, which NumPy refuses to make a number of, yet users write such densities.
fn number(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    match value.cast::<PyArray1<f64>>() {
        Ok(one) if one.len()? == 1 => one.get_owned(0).map_or_else(|| value.extract(), Ok),
        _ => value.extract::<f64>(),
    }
}

impl PythonDensity {
    /// Calls into Python; an exception waits until the fit has unwound.
    fn call<T>(&self, work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, Error> {
        let called = Python::attach(|py| {
            py.check_signals()?;
            work(py)
        });
        called.map_err(|error| {
            let reason = error.to_string();
            self.failure.set(error);
            ErrorKind::UserCode { name: self.own.name.clone(), reason }.into()
        })
    }

    fn take(&self, found: &Bound<'_, PyAny>, gradient: &mut [f64]) -> PyResult<()> {
        let found: Vec<f64> = found.try_iter()?.map(|v| v?.extract()).collect::<PyResult<_>>()?;
        if found.len() != gradient.len() {
            return Err(bad(format!(
                "the gradient has {} numbers, wanted are {}",
                found.len(),
                gradient.len()
            )));
        }
        gradient.copy_from_slice(&found);
        Ok(())
    }
}

impl LogDensity for PythonDensity {
    fn dim(&self) -> usize {
        self.own.dim
    }

    fn start(&self) -> Vec<f64> {
        self.own.start.clone().unwrap_or_else(|| vec![0.0; self.own.dim])
    }

    fn is_local(&self) -> bool {
        true
    }

    fn log_density(&self, x: &[f64]) -> Result<f64, Error> {
        self.call(|py| {
            let value = self.own.function.bind(py).call1((PyArray1::from_slice(py, x),))?;
            if self.own.both { number(&value.get_item(0)?) } else { number(&value) }
        })
    }

    fn log_density_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Option<Result<f64, Error>> {
        if !self.own.both && self.own.gradient.is_none() {
            return None;
        }
        Some(self.call(|py| {
            let point = PyArray1::from_slice(py, x);
            let value = self.own.function.bind(py).call1((&point,))?;
            match &self.own.gradient {
                Some(slope) => {
                    self.take(&slope.bind(py).call1((point,))?, gradient)?;
                    number(&value)
                }
                None => {
                    self.take(&value.get_item(1)?, gradient)?;
                    number(&value.get_item(0)?)
                }
            }
        }))
    }

    fn draw_conditional(&self, j: usize, x: &[f64], rng: &mut Rng) -> Option<Result<f64, Error>> {
        let draw = self.own.conditionals.as_ref()?.get(j)?;
        let seed = (uniform(rng) * 2f64.powi(53)) as u64;
        Some(self.call(|py| {
            let generator = py.import("numpy.random")?.call_method1("default_rng", (seed,))?;
            number(&draw.bind(py).call1((PyArray1::from_slice(py, x), generator))?)
        }))
    }
}

/// A diagnostic of chains by name; `share` is that of a quantile or of an interval.
#[pyfunction]
pub(crate) fn chain_diagnostic(kind: &str, chains: Vec<Vec<f64>>, share: f64) -> PyResult<Vec<f64>> {
    use mercer::bayes as b;
    let one = |value: f64| vec![value];
    Ok(match kind {
        "rhat" => one(b::r_hat(&chains)),
        "rhat split" => one(b::split_r_hat(&chains)),
        "ess bulk" => one(b::ess_bulk(&chains)),
        "ess tail" => one(b::ess_tail(&chains)),
        "ess mean" => one(b::effective_sample_size(&chains)),
        "ess quantile" => one(b::ess_quantile(&chains, share)),
        "mcse mean" => one(b::mcse_mean(&chains)),
        "mcse sd" => one(b::mcse_sd(&chains)),
        "mcse quantile" => one(b::mcse_quantile(&chains, share)),
        "hdi" => {
            let (low, high) = b::hdi(&chains, share);
            vec![low, high]
        }
        "bfmi" => chains.iter().map(|c| b::e_bfmi(c)).collect(),
        other => return Err(bad(format!("no diagnostic of chains is called `{other}`"))),
    })
}
