//! The one place where Mercer's errors become Python's. Messages are kept.

use mercer::{Error, ErrorKind};
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyError, PyMemoryError, PyOSError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;

/// The exception for an error.
pub(crate) fn raise(error: Error) -> PyErr {
    let message = error.to_string() + &count(error.kind());
    match error.kind() {
        ErrorKind::Kind { .. } | ErrorKind::Incapable { .. } => PyTypeError::new_err(message),
        ErrorKind::Unknown { .. } => PyKeyError::new_err(message),
        ErrorKind::File { path, .. } if !std::path::Path::new(path).exists() => {
            PyFileNotFoundError::new_err(message)
        }
        ErrorKind::File { .. } => PyOSError::new_err(message),
        ErrorKind::UserCode { .. } | ErrorKind::Cancelled => PyRuntimeError::new_err(message),
        ErrorKind::Param { expected, .. } if expected.contains("fit in memory") => {
            PyMemoryError::new_err(message)
        }
        ErrorKind::Param { owner, name, expected, got } => {
            invalid(format!("The '{name}' parameter of {owner} must be {expected}. Got {got} instead."))
        }
        _ => PyValueError::new_err(message),
    }
}

/// The exception for a parameter: scikit-learn's own where it is loaded, which is a `ValueError` and a `TypeError`.
fn invalid(message: String) -> PyErr {
    Python::attach(|py| {
        let class = py.import("mercer._exceptions").and_then(|m| m.call_method0("invalid_parameter_class"));
        match class.and_then(|class| class.call1((&message,))) {
            Ok(error) => PyErr::from_value(error),
            Err(_) => PyValueError::new_err(message),
        }
    })
}

/// What scikit-learn's users look for where there is too little of something.
fn count(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::TooFew { what, got: 1, .. } if what.contains("class") => {
            " (the target has one class)".to_owned()
        }
        ErrorKind::TooFew { what, got, .. } if what.contains("row") => format!(" (n_samples = {got})"),
        ErrorKind::TooFew { what, got, .. } if what.contains("feature") => format!(" (n_features = {got})"),
        _ => String::new(),
    }
}

/// The exception for a panic: a bug of Mercer's, which must not escape as a `BaseException`.
pub(crate) fn raise_panic(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    PyRuntimeError::new_err(format!("a bug in Mercer, please report it: {}", text.unwrap_or("panic")))
}

/// For bad data that only this door can see.
pub(crate) fn bad(message: impl Into<String>) -> PyErr {
    PyTypeError::new_err(message.into())
}
