//! Mercer's answers as Python objects.

use mercer::math::Mat;
use mercer::{
    Attribute, AttributeValues, Certificate, Column, Label, Labels, Matrix, Prediction, RowData, Rows,
    TargetColumn, TargetValues, Verified,
};
use numpy::{PyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::Arc;

/// Arrays below this are copied into fresh NumPy memory; larger ones hand their own over.
const SMALL: usize = 4096;

pub(crate) fn vector<T: numpy::Element + Copy>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    if values.len() < SMALL { PyArray1::from_slice(py, &values) } else { PyArray1::from_vec(py, values) }
}

pub(crate) fn matrix(py: Python<'_>, mat: Mat) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let shape = [mat.n_rows(), mat.n_cols()];
    vector(py, mat.into_vec()).reshape(shape)
}

/// Decision values: one column becomes a vector, as scikit-learn has it.
pub(crate) fn decisions(py: Python<'_>, mat: Mat) -> PyResult<Bound<'_, PyAny>> {
    if mat.n_cols() == 1 {
        vector(py, mat.into_vec()).into_bound_py_any(py)
    } else {
        Ok(matrix(py, mat)?.into_any())
    }
}

/// Labels as a Python list.
pub(crate) fn labels<'py>(py: Python<'py>, labels: &Labels) -> PyResult<Bound<'py, PyList>> {
    let items = labels.iter().map(|label| match label {
        Label::Bool(b) => b.into_bound_py_any(py),
        Label::Int(i) => i.into_bound_py_any(py),
        Label::Real(r) => r.into_bound_py_any(py),
        Label::Text(s) => s.into_bound_py_any(py),
    });
    PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
}

/// Predictions: numbers, or classes in the dtype of training (`classes` is the array of them).
pub(crate) fn prediction<'py>(
    py: Python<'py>,
    prediction: &Prediction,
    classes: &dyn Fn(&Labels) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    match prediction.columns() {
        [one] => column(py, one, classes),
        many => {
            let columns = many.iter().map(|one| column(py, one, classes)).collect::<PyResult<Vec<_>>>()?;
            py.import("numpy")?.call_method1("column_stack", (columns,))
        }
    }
}

fn column<'py>(
    py: Python<'py>,
    column: &TargetColumn<'_>,
    classes: &dyn Fn(&Labels) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let codes = match (&column.values, column.kind.labels()) {
        (TargetValues::Numbers(values), _) => return Ok(PyArray1::from_slice(py, values).into_any()),
        (TargetValues::Codes(codes), None) => return Ok(PyArray1::from_slice(py, codes).into_any()),
        (TargetValues::Codes(codes), Some(labels)) => (codes, labels),
    };
    let (codes, labels) = codes;
    let classes = classes(labels)?;
    // Most classes are whole numbers, and then no call into NumPy is needed.
    if let Ok(whole) = classes.cast::<PyArray1<i64>>() {
        let whole = whole.readonly();
        if let Ok(table) = whole.as_slice() {
            return Ok(vector(py, codes.iter().map(|&c| table[c as usize]).collect()).into_any());
        }
    }
    let codes: Vec<i64> = codes.iter().map(|&c| i64::from(c)).collect();
    classes.call_method1("take", (PyArray1::from_vec(py, codes),))
}

/// Rows: an array, or a tuple that `mercer/_output.py` makes a sparse matrix or a frame of.
pub(crate) fn rows<'py>(py: Python<'py>, rows: Rows<'static>) -> PyResult<Bound<'py, PyAny>> {
    match rows.into_data() {
        RowData::Dense(Matrix::Owned(mat)) => {
            Ok(matrix(py, Arc::try_unwrap(mat).unwrap_or_else(|shared| (*shared).clone()))?.into_any())
        }
        RowData::Dense(Matrix::View(view)) => Ok(matrix(py, view.to_mat())?.into_any()),
        RowData::Sparse(sparse) => {
            let view = sparse.view();
            let (mut indptr, mut indices) = (vec![0i64], Vec::with_capacity(view.nnz()));
            for i in 0..view.n_rows() {
                indices.extend(view.row(i).0.iter().map(|&j| j as i32));
                indptr.push(indices.len() as i64);
            }
            let values = PyArray1::from_slice(py, view.values());
            let shape = (view.n_rows(), view.n_cols());
            ("csr", vector(py, indptr), vector(py, indices), values, shape).into_bound_py_any(py)
        }
        RowData::Table(table) => {
            let columns = table.iter().map(|(name, column)| table_column(py, name, column));
            let columns = PyList::new(py, columns.collect::<PyResult<Vec<_>>>()?)?;
            ("table", table.n_rows(), columns).into_bound_py_any(py)
        }
    }
}

fn table_column<'py>(py: Python<'py>, name: &str, column: &Column<'_>) -> PyResult<Bound<'py, PyAny>> {
    let texts = || (0..column.len()).map(|i| column.text(i).map(|t| t.into_owned())).collect::<Vec<_>>();
    match column {
        Column::Numeric(values) => (name, "number", PyArray1::from_slice(py, values)).into_bound_py_any(py),
        Column::Categorical { codes, levels } => {
            (name, "level", PyArray1::from_slice(py, codes), levels.to_vec()).into_bound_py_any(py)
        }
        Column::Boolean(values) => {
            let truths = values.iter().map(|b| b.map_or(2u8, u8::from)).collect();
            (name, "truth", vector(py, truths)).into_bound_py_any(py)
        }
        Column::Time(values) => (name, "time", PyArray1::from_slice(py, values)).into_bound_py_any(py),
        Column::Text(_) => (name, "text", texts()).into_bound_py_any(py),
    }
}

/// A fitted attribute: an array, or a plain value where it has no shape.
pub(crate) fn attribute<'py>(py: Python<'py>, attribute: Attribute) -> PyResult<Bound<'py, PyAny>> {
    fn shaped<'py, T: numpy::Element + Copy + IntoPyObject<'py>>(
        py: Python<'py>,
        values: Vec<T>,
        shape: Vec<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match (shape.as_slice(), values.as_slice()) {
            ([], [one]) => one.into_bound_py_any(py),
            _ => Ok(PyArray::from_vec(py, values).reshape(shape)?.into_any()),
        }
    }
    fn any<'py>(py: Python<'py>, values: AttributeValues, shape: Vec<usize>) -> PyResult<Bound<'py, PyAny>> {
        match values {
            AttributeValues::Real(values) => shaped(py, values, shape),
            AttributeValues::Int(values) => shaped(py, values, shape),
            AttributeValues::Text(values) => match shape.as_slice() {
                [] => values.first().into_bound_py_any(py),
                _ => py
                    .import("numpy")?
                    .call_method1("array", (values, "object"))?
                    .call_method1("reshape", (shape,)),
            },
            AttributeValues::Several(parts) => {
                let parts = parts.into_iter().map(|part| {
                    let shape = vec![part.len()];
                    any(py, part, shape)
                });
                Ok(PyList::new(py, parts.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
        }
    }
    any(py, attribute.values, attribute.shape)
}

/// A summary as a dict, its table as a list of dicts.
pub(crate) fn summary<'py>(py: Python<'py>, summary: &mercer::Summary) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let row = |c: &mercer::SummaryRow| {
        let row = PyDict::new(py);
        row.set_item("name", &c.name)?;
        row.set_item("estimate", c.estimate)?;
        row.set_item("std_error", c.std_error)?;
        row.set_item("statistic", c.statistic)?;
        row.set_item("p_value", c.p_value)?;
        row.set_item("lower", c.lower)?;
        row.set_item("upper", c.upper)?;
        Ok(row)
    };
    dict.set_item("model", &summary.model)?;
    dict.set_item("target", &summary.target)?;
    dict.set_item("coefficients", summary.coefficients.iter().map(row).collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("statistic", format!("{:?}", summary.statistic).to_lowercase())?;
    let numbers = [
        ("level", Some(summary.level)),
        ("n_rows", Some(summary.n_rows)),
        ("df_model", Some(summary.df_model)),
        ("df_residual", Some(summary.df_residual)),
        ("r_squared", summary.r_squared),
        ("adjusted_r_squared", summary.adjusted_r_squared),
        ("f_statistic", summary.f_statistic),
        ("f_p_value", summary.f_p_value),
        ("sigma", summary.sigma),
        ("log_likelihood", Some(summary.log_likelihood)),
        ("aic", Some(summary.aic)),
        ("bic", Some(summary.bic)),
    ];
    numbers.into_iter().try_for_each(|(name, value)| dict.set_item(name, value))?;
    dict.set_item("text", summary.to_string())?;
    Ok(dict)
}

/// A certificate as a dict; `mercer/_certificate.py` makes an object of it.
pub(crate) fn certificate<'py>(py: Python<'py>, certificate: &Certificate) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("termination", format!("{:?}", certificate.termination))?;
    dict.set_item("success", certificate.is_success())?;
    dict.set_item("shortfall", certificate.shortfall())?;
    dict.set_item("iterations", certificate.iterations)?;
    dict.set_item("objective", certificate.objective)?;
    let evidence =
        certificate.evidence.iter().map(|e| (&e.name, e.value, format!("{:?}", e.sense), &e.meaning));
    dict.set_item("evidence", evidence.collect::<Vec<_>>())?;
    dict.set_item("notes", &certificate.notes)?;
    let children = certificate.children.iter().map(|(name, child)| Ok((name, self::certificate(py, child)?)));
    dict.set_item("children", children.collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("text", certificate.to_string())?;
    Ok(dict)
}

/// What was verified, each `(name, claimed, found, holds)`.
pub(crate) fn verified(found: Vec<Verified>) -> Vec<(String, f64, f64, bool)> {
    found.into_iter().map(|v| (v.claimed.name, v.claimed.value, v.found, v.holds)).collect()
}
