//! A log density written in Python: called on the thread that called `fit`, its exceptions passed through.

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

    fn set(&self, error: PyErr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

pub(crate) struct PythonDensity {
    function: Py<PyAny>,
    name: String,
    dim: usize,
    start: Option<Vec<f64>>,
    failure: Failure,
}

impl PythonDensity {
    pub(crate) fn make(
        function: Py<PyAny>,
        name: String,
        dim: usize,
        start: Option<Vec<f64>>,
    ) -> (Density, Failure) {
        let failure = Failure::default();
        let inner = Self { function, name: name.clone(), dim, start, failure: failure.clone() };
        (Density::from_trait(&name, Arc::new(inner)), failure)
    }
}

impl LogDensity for PythonDensity {
    fn dim(&self) -> usize {
        self.dim
    }

    fn start(&self) -> Vec<f64> {
        self.start.clone().unwrap_or_else(|| vec![0.0; self.dim])
    }

    fn is_local(&self) -> bool {
        true
    }

    fn log_density(&self, x: &[f64]) -> Result<f64, Error> {
        let called = Python::attach(|py| {
            py.check_signals()?;
            let value = self.function.bind(py).call1((PyArray1::from_slice(py, x),))?;
            // NumPy refuses to make a number of an array with one element, yet users write such densities.
            match value.cast::<PyArray1<f64>>() {
                Ok(one) if one.len()? == 1 => one.get_owned(0).map_or_else(|| value.extract(), Ok),
                _ => value.extract::<f64>(),
            }
        });
        called.map_err(|error| {
            let reason = error.to_string();
            self.failure.set(error);
            ErrorKind::UserCode { name: self.name.clone(), reason }.into()
        })
    }
}
