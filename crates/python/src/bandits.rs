//! Bandits: strategies and arms by name, games played online, many runs, and values of other policies.

use crate::buffers::HeldMatrix;
use crate::errors::bad;
use crate::model::PyModel;
use crate::output::vector;
use crate::{run, values};
use mercer::core::{Params, Trained};
use mercer::math::Mat;
use mercer::rl::ContextualBandit;
use mercer::rl::bandits::{
    Arms, Game, Logged, Online, Strategy, arms_by_name, arms_of, direct, doubly_robust, importance,
    self_normalised, simulate, strategies, strategy_of,
};
use mercer::{Declaration, Error, ParamDeclaration};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, PoisonError};

/// A parameter: name, meaning, what is allowed, default.
type Parameter<'py> = (&'static str, &'static str, String, Bound<'py, PyAny>);
/// Classes: name, sentence, parameters.
type Told<'py> = Vec<(&'static str, &'static str, Vec<Parameter<'py>>)>;

fn told<'py>(py: Python<'py>, declarations: &[&'static Declaration]) -> PyResult<Told<'py>> {
    let parameter = |p: &ParamDeclaration| -> PyResult<Parameter<'py>> {
        Ok((p.name, p.doc, p.allowed(), values::to_python(py, &p.default)?))
    };
    let parameters = |d: &Declaration| d.params.iter().map(parameter).collect::<PyResult<Vec<_>>>();
    declarations.iter().map(|d| Ok((d.name, d.summary, parameters(d)?))).collect()
}

/// All strategies with their parameters.
#[pyfunction]
pub(crate) fn bandit_strategies(py: Python<'_>) -> PyResult<Told<'_>> {
    told(py, &strategies())
}

/// All kinds of arms with their parameters.
#[pyfunction]
pub(crate) fn bandit_arms(py: Python<'_>) -> PyResult<Told<'_>> {
    told(py, &arms_by_name())
}

fn declared(name: &str, declarations: &[&'static Declaration]) -> PyResult<&'static Declaration> {
    let found = declarations.iter().copied().find(|d| d.name == name);
    found.ok_or_else(|| bad(format!("nothing is called {name}")))
}

fn strategy(name: &str, params: &Bound<'_, PyDict>) -> PyResult<Box<dyn Strategy>> {
    let object = values::object(declared(name, &strategies())?, params)?;
    run::in_place(|| strategy_of(&object))
}

/// Arms that are read and checked once.
#[pyclass(frozen, name = "Arms", module = "mercer._mercer")]
pub(crate) struct PyArms(Arms);

#[pymethods]
impl PyArms {
    #[new]
    fn new(name: &str, params: &Bound<'_, PyDict>) -> PyResult<Self> {
        let object = values::object(declared(name, &arms_by_name())?, params)?;
        run::in_place(|| arms_of(&object)).map(Self)
    }

    #[getter]
    fn n_arms(&self) -> usize {
        self.0.n_arms()
    }

    #[getter]
    fn n_features(&self) -> usize {
        self.0.n_features()
    }
}

/// A game that is played online.
#[pyclass(frozen, name = "BanditGame", module = "mercer._mercer")]
pub(crate) struct PyGame(Mutex<Online>);

#[pymethods]
impl PyGame {
    #[new]
    fn new(
        name: &str,
        params: &Bound<'_, PyDict>,
        n_arms: usize,
        n_features: usize,
        steps: usize,
        seed: u64,
    ) -> PyResult<Self> {
        let object = values::object(declared(name, &strategies())?, params)?;
        let game = Game { arms: n_arms, features: n_features, steps };
        run::in_place(|| Online::called(&object, game, seed)).map(|game| Self(Mutex::new(game)))
    }

    /// The game that a model was made of, to go on with.
    #[staticmethod]
    fn of(model: &PyModel) -> PyResult<Self> {
        let game = || {
            let encoded = model.inner().encode()?;
            if encoded.name != ContextualBandit::NAME {
                return Err(Error::incapable(&encoded.name, "be gone on with as a game"));
            }
            let trained = Trained::<ContextualBandit>::decode(encoded.version, &encoded.bytes)?;
            Online::resume(trained.model())
        };
        run::in_place(game).map(|game| Self(Mutex::new(game)))
    }

    /// The game as a model.
    fn model(&self) -> PyResult<PyModel> {
        let game = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        run::in_place(|| game.model()).map(|model| PyModel::new(model.into_model(), None))
    }

    fn choose(&self, context: Vec<f64>) -> PyResult<usize> {
        let mut game = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        run::in_place(|| game.choose(&context))
    }

    fn update(&self, arm: usize, reward: f64, context: Option<Vec<f64>>) -> PyResult<()> {
        let mut game = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        run::in_place(|| game.update(arm, reward, context.as_deref()))
    }
}

/// Many runs of a strategy: curves by name, bounds (none is None), notes, and how many runs were played.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called from one place")]
pub(crate) fn bandit_simulate<'py>(
    py: Python<'py>,
    name: &str,
    params: &Bound<'_, PyDict>,
    arms: &PyArms,
    steps: usize,
    runs: usize,
    seed: u64,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let strategy = strategy(name, params)?;
    let session = run::session(seed, threads);
    let found = run::detached(py, &session, false, |session| {
        simulate(strategy.as_ref(), &arms.0, steps, runs, session)
    })?;
    let (curves, bounds) = (PyDict::new(py), found.bounds);
    for (name, values) in [
        ("reward", found.reward),
        ("reward_error", found.reward_error),
        ("best", found.best),
        ("regret", found.regret),
        ("regret_error", found.regret_error),
        ("final_regret", found.final_regret),
    ] {
        curves.set_item(name, vector(py, values))?;
    }
    for (name, values) in
        [("ucb1_bound", bounds.ucb1), ("lai_robbins", bounds.lai_robbins), ("exp3_bound", bounds.exp3)]
    {
        curves.set_item(name, values.map(|values| vector(py, values)))?;
    }
    curves.set_item("notes", bounds.notes)?;
    Ok(curves)
}

/// The value of a policy by rounds of another, and its standard error.
#[pyfunction]
#[pyo3(signature = (how, arms, rewards, propensities, target, predicted=None))]
#[expect(clippy::needless_pass_by_value, reason = "lists of Python become vectors")]
pub(crate) fn bandit_value(
    how: &str,
    arms: Vec<usize>,
    rewards: Vec<f64>,
    propensities: Vec<f64>,
    target: &Bound<'_, PyAny>,
    predicted: Option<&Bound<'_, PyAny>>,
) -> PyResult<(f64, f64)> {
    let mat = |array: &Bound<'_, PyAny>| -> PyResult<Mat> {
        Ok(HeldMatrix::of(array).ok_or_else(|| bad("expected a float64 matrix"))?.view().to_mat())
    };
    let (target, predicted) = (mat(target)?, predicted.map(mat).transpose()?);
    let logged = Logged { arms: &arms, rewards: &rewards, propensities: &propensities, target: &target };
    let found = run::in_place(|| match (how, &predicted) {
        ("ips", None) => importance(&logged),
        ("snips", None) => self_normalised(&logged),
        ("direct", Some(model)) => direct(&logged, model),
        ("doubly_robust", Some(model)) => doubly_robust(&logged, model),
        _ => Err(Error::unknown("estimator", how, ["ips", "snips", "direct", "doubly_robust"])),
    })?;
    Ok((found.value, found.standard_error))
}
