//! The one class: a fitted model, frozen, whose pickle holds the bytes of a model file and nothing else.

use crate::buffers::HeldMatrix;
use crate::data::{Held, HeldData};
use crate::errors::raise;
use crate::{output, run, values};
use mercer::{Error, Input, Labels, Model, Session};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// A fitted model. It has no state that could change.
#[pyclass(frozen, name = "Model", module = "mercer._mercer")]
pub(crate) struct PyModel {
    model: Box<dyn Model>,
    /// NumPy's name for the type of the classes, so that predictions come back in it.
    dtype: Option<String>,
    classes: PyOnceLock<Py<PyAny>>,
    attributes: PyOnceLock<Py<PyDict>>,
}

type Answer<'py> = PyResult<Bound<'py, PyAny>>;

/// A matrix for which everything can be done in place; `None` sends the caller along the careful way.
#[inline]
fn plain(model: &dyn Model, x: &Bound<'_, PyAny>) -> Option<HeldMatrix> {
    let matrix = HeldMatrix::of(x)?;
    let [n, d] = matrix.shape();
    let schema = model.schema();
    (d == schema.n_features() && n > 0 && n * d < 8192 && !schema.named).then_some(matrix)
}

/// Makes an array read-only: what a model was asked for once is handed out again.
fn freeze(array: &Bound<'_, PyAny>) -> PyResult<()> {
    if array.hasattr("setflags")? {
        let frozen = PyDict::new(array.py());
        frozen.set_item("write", false)?;
        array.call_method("setflags", (), Some(&frozen))?;
    }
    Ok(())
}

impl PyModel {
    pub(crate) fn new(model: Box<dyn Model>, dtype: Option<String>) -> Self {
        Self { model, dtype, classes: PyOnceLock::new(), attributes: PyOnceLock::new() }
    }

    /// A model of the same classes.
    pub(crate) fn alike(&self, model: Box<dyn Model>) -> Self {
        Self::new(model, self.dtype.clone())
    }

    /// The model itself.
    pub(crate) fn inner(&self) -> &dyn Model {
        self.model.as_ref()
    }

    fn run<T: Send>(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        work: impl FnOnce(&dyn Model, &Input<'_>, &Session) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let held = Held::of(x)?;
        let model = self.model.as_ref();
        if held.is_small() {
            return run::in_place(|| work(model, &held.input()?, &run::SESSION));
        }
        run::detached(py, &run::SESSION, false, |session| {
            session.run(|| work(model, &held.input()?, session))
        })
    }

    /// The labels as an array of the dtype that training had.
    fn label_array<'py>(&self, py: Python<'py>, labels: &Labels) -> Answer<'py> {
        let list = output::labels(py, labels)?;
        let numpy = py.import("numpy")?;
        let array = match &self.dtype {
            Some(dtype) => numpy.call_method1("array", (list, dtype.as_str())),
            None => numpy.call_method1("array", (list,)),
        }?;
        freeze(&array)?;
        Ok(array)
    }

    fn class_array<'py>(&self, py: Python<'py>, labels: &Labels) -> Answer<'py> {
        match self.model.schema().labels() {
            Some(own) if own == labels => {
                let made =
                    self.classes.get_or_try_init(py, || self.label_array(py, labels).map(Bound::unbind))?;
                Ok(made.bind(py).clone())
            }
            _ => self.label_array(py, labels),
        }
    }

    fn answer<'py>(&self, py: Python<'py>, prediction: &mercer::Prediction) -> Answer<'py> {
        output::prediction(py, prediction, &|labels| self.class_array(py, labels))
    }
}

#[pymethods]
impl PyModel {
    /// Predictions for a small float64 matrix, at once; `None` where more care is needed.
    fn predict_now<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(matrix) = plain(self.model.as_ref(), x) else { return Ok(None) };
        let prediction = run::in_place(|| self.model.predict(&Input::from(matrix.view()), &run::SESSION))?;
        self.answer(py, &prediction).map(Some)
    }

    /// Probabilities for a small float64 matrix, at once.
    fn predict_proba_now<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(matrix) = plain(self.model.as_ref(), x) else { return Ok(None) };
        let made = run::in_place(|| self.model.predict_proba(&Input::from(matrix.view()), &run::SESSION))?;
        Ok(Some(output::matrix(py, made)?.into_any()))
    }

    /// Decision values for a small float64 matrix, at once.
    fn decision_function_now<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(matrix) = plain(self.model.as_ref(), x) else { return Ok(None) };
        let made = run::in_place(|| self.model.decision(&Input::from(matrix.view()), &run::SESSION))?;
        output::decisions(py, made).map(Some)
    }

    /// Predictions for prepared data.
    fn predict<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
        let prediction = self.run(py, x, |model, input, session| model.predict(input, session))?;
        self.answer(py, &prediction)
    }

    /// Class probabilities for prepared data.
    fn predict_proba<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
        let made = self.run(py, x, |model, input, session| model.predict_proba(input, session))?;
        Ok(output::matrix(py, made)?.into_any())
    }

    /// Decision values for prepared data.
    fn decision_function<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
        let made = self.run(py, x, |model, input, session| model.decision(input, session))?;
        output::decisions(py, made)
    }

    /// Logarithms of the joint probabilities of rows and classes, for prepared data.
    fn log_joint<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
        let made = self.run(py, x, |model, input, session| model.on(input, session)?.log_joint())?;
        Ok(output::matrix(py, made)?.into_any())
    }

    /// Prediction intervals for prepared data: lower and upper ends.
    fn intervals<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, level: f64) -> Answer<'py> {
        let made = self.run(py, x, |model, input, session| model.intervals(input, level, session))?;
        Ok(output::matrix(py, made)?.into_any())
    }

    /// Quantiles of the answers for prepared data.
    fn quantiles<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, quantiles: Vec<f64>) -> Answer<'py> {
        let made =
            self.run(py, x, |model, input, session| model.on(input, session)?.quantiles(&quantiles))?;
        Ok(output::matrix(py, made)?.into_any())
    }

    /// Mean, epistemic and aleatoric variance of each row's predictive distribution.
    fn spread<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let made = self.run(py, x, |model, input, session| model.on(input, session)?.spread())?;
        let all = [made.mean, made.epistemic, made.aleatoric];
        Ok(all.into_iter().map(|values| output::vector(py, values).into_any()).collect())
    }

    /// The covariance of the rows' answers.
    fn covariance<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
        let made = self.run(py, x, |model, input, session| model.on(input, session)?.covariance())?;
        Ok(output::matrix(py, made)?.into_any())
    }

    /// The statistical summary as a dict.
    fn summary<'py>(&self, py: Python<'py>, level: f64) -> PyResult<Bound<'py, PyDict>> {
        output::summary(py, &self.model.summary(level).map_err(raise)?)
    }

    /// Leverage, residuals, standardised residuals and Cook's distance of rows with their targets.
    fn influence<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        target: Vec<f64>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let made = self.run(py, x, |model, input, session| model.on(input, session)?.influence(&target))?;
        let all = [made.leverage, made.residuals, made.standardised, made.cooks_distance];
        Ok(all.into_iter().map(|values| output::vector(py, values).into_any()).collect())
    }

    /// Transformed rows of prepared data.
    fn transform<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
        output::rows(py, self.run(py, x, |model, input, session| model.transform(input, session))?)
    }

    /// The rows that would be transformed into these.
    fn inverse_transform<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> Answer<'py> {
        output::rows(py, self.run(py, x, |model, input, session| model.inverse_transform(input, session))?)
    }

    /// Recomputes each piece of evidence from the data: `(name, claimed, found, holds)`.
    #[pyo3(signature = (x, y=None, weights=None))]
    fn verify(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        y: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<(String, f64, f64, bool)>> {
        let data = HeldData::of(x, y, weights)?;
        let found = match data.x.failure() {
            Some(failure) => run::in_place(|| self.model.verify(&data.dataset()?, &run::SESSION))
                .map_err(|error| failure.take().unwrap_or(error))?,
            None => run::detached(py, &run::SESSION, false, |session| {
                self.model.verify(&data.dataset()?, session)
            })?,
        };
        Ok(output::verified(found))
    }

    /// How training ended and what is proved, as a dict.
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        output::certificate(py, self.model.certificate())
    }

    /// The fitted attributes by name; made once, and not to be written to.
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let made = self.attributes.get_or_try_init(py, || {
            let dict = PyDict::new(py);
            for attribute in self.model.attributes() {
                let name = attribute.name;
                let value = output::attribute(py, attribute)?;
                freeze(&value)?;
                dict.set_item(name, value)?;
            }
            Ok::<_, PyErr>(dict.unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    /// The name of the learner.
    #[getter]
    fn name(&self) -> &'static str {
        self.model.declaration().name
    }

    /// The hyper-parameters that were used.
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        values::params_to_python(py, &self.model.learner().to_object())
    }

    /// The seed that was used.
    #[getter]
    fn seed(&self) -> u64 {
        self.model.seed()
    }

    /// Number of features, for rows.
    #[getter]
    fn n_features(&self) -> usize {
        self.model.schema().n_features()
    }

    /// The names of the features; `None` where the training data had none.
    #[getter]
    fn feature_names(&self) -> Option<Vec<&str>> {
        let schema = self.model.schema();
        schema.named.then(|| schema.features.iter().map(|f| f.name.as_str()).collect())
    }

    /// Whether a feature is not a number, so that new data must be a table.
    #[getter]
    fn has_categories(&self) -> bool {
        use mercer::ColumnKind::{Categorical, Text, Time};
        self.model.schema().features.iter().any(|f| matches!(f.kind, Categorical | Text | Time))
    }

    /// Which columns hold categories.
    #[getter]
    fn categorical(&self) -> Vec<bool> {
        let features = &self.model.schema().features;
        features.iter().map(|f| f.kind == mercer::ColumnKind::Categorical).collect()
    }

    /// The number of targets.
    #[getter]
    fn n_targets(&self) -> usize {
        self.model.schema().targets.len()
    }

    /// The classes, a list of them for several targets; `None` where the target is none.
    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let schema = self.model.schema();
        if let (None, Some(_)) = (schema.labels(), schema.targets.first().and_then(|t| t.kind.labels())) {
            let labels = schema.targets.iter().filter_map(|t| t.kind.labels());
            let all = labels.map(|labels| self.label_array(py, labels)).collect::<PyResult<Vec<_>>>()?;
            return Ok(Some(pyo3::types::PyList::new(py, all)?.into_any()));
        }
        schema.labels().map(|labels| self.class_array(py, labels)).transpose()
    }

    /// The classes as plain Python objects, in the order of their codes.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let labels = self.model.schema().labels();
        labels.map(|labels| output::labels(py, labels).map(Bound::into_any)).transpose()
    }

    /// The names that `transform` gives its columns.
    fn names_out(&self) -> PyResult<Vec<String>> {
        self.model.names_out().map_err(raise)
    }

    /// What this model can do.
    fn can(&self) -> Vec<&'static str> {
        self.model.can().names()
    }

    /// The bytes of its model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| mercer::files::to_bytes(self.model.as_ref(), None)).map_err(raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes its model file, atomically.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| mercer::save(self.model.as_ref(), &path)).map_err(raise)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Answer<'py> {
        let maker = py.import("mercer._mercer")?.getattr("model_from_bytes")?;
        (maker, (self.to_bytes(py)?, self.dtype.clone())).into_bound_py_any(py)
    }

    fn __repr__(&self) -> String {
        format!(
            "<mercer model of {}: {}>",
            self.model.declaration().name,
            self.model.certificate().termination
        )
    }
}

/// A model from the bytes of its file.
#[pyfunction]
#[pyo3(signature = (bytes, dtype=None))]
pub(crate) fn model_from_bytes(py: Python<'_>, bytes: &[u8], dtype: Option<String>) -> PyResult<PyModel> {
    mercer::catalogue();
    let loaded = py.detach(|| run::in_place(|| mercer::files::from_bytes(bytes)))?;
    Ok(PyModel::new(loaded.model, dtype))
}

/// A model from its file.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<PyModel> {
    let model = py.detach(|| run::in_place(|| mercer::load(&path)))?;
    Ok(PyModel::new(model, None))
}
