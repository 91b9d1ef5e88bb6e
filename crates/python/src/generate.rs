//! Generated data, as NumPy arrays.

use crate::errors::raise;
use crate::output::{matrix, vector};
use crate::values;
use mercer::data::{GeneratedTarget, Generator};
use pyo3::prelude::*;
use pyo3::types::PyDict;

type Any<'py> = Bound<'py, PyAny>;

/// Reads an svmlight file: sparse rows, labels, and queries where the file has them.
#[pyfunction]
pub(crate) fn read_svmlight<'py>(
    py: Python<'py>,
    path: std::path::PathBuf,
) -> PyResult<(Any<'py>, Any<'py>, Option<Vec<u64>>)> {
    let read = mercer::data::read_svmlight(path).map_err(raise)?;
    Ok((crate::output::rows(py, read.x.into())?, vector(py, read.y).into_any(), read.queries))
}

/// Generates data: `X`, `y` (`None` where there is none), and a dict of what else is known.
#[pyfunction]
pub(crate) fn generate<'py>(
    py: Python<'py>,
    name: &str,
    params: &Bound<'py, PyDict>,
    seed: u64,
) -> PyResult<(Any<'py>, Any<'py>, Bound<'py, PyDict>)> {
    let params = params.iter().map(|(k, v)| Ok((k.extract()?, values::any(&v)?))).collect::<PyResult<_>>()?;
    let made = Generator::by_name(name).and_then(|g| g.make(&params, seed)).map_err(raise)?;
    let y = match made.y {
        GeneratedTarget::Classes(codes) => vector(py, codes.into_iter().map(i64::from).collect()).into_any(),
        GeneratedTarget::Numbers(y) if y.n_cols() == 1 => vector(py, y.into_vec()).into_any(),
        GeneratedTarget::Numbers(y) => matrix(py, y)?.into_any(),
        GeneratedTarget::None => py.None().into_bound(py),
    };
    let more = PyDict::new(py);
    for (name, values) in made.more {
        more.set_item(name, matrix(py, values)?)?;
    }
    Ok((matrix(py, made.x)?.into_any(), y, more))
}
