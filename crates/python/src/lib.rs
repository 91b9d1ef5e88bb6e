//! The Python door: one frozen `Model` class and a few functions. Everything that a Python user sees stands in
//! `python/mercer`, over these.

mod buffers;
mod data;
mod density;
mod errors;
mod fit;
mod model;
mod output;
mod read;
mod run;
mod values;

use pyo3::prelude::*;

/// The compiled part of `mercer`; use the package, not this module.
#[pymodule]
mod _mercer {
    use super::*;

    #[pymodule_export]
    use crate::data::{is_view, read_mdp};
    #[pymodule_export]
    use crate::fit::{capabilities, fit};
    #[pymodule_export]
    use crate::model::{PyModel, load, model_from_bytes};
    #[pymodule_export]
    use crate::read::read;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
