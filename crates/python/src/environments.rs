//! Environments: Mercer's played from Python, and Gymnasium's as Mercer's agents see them.

use crate::density::Failure;
use crate::errors::{bad, raise};
use crate::model::PyModel;
use crate::output::vector;
use crate::planning::PyMdp;
use crate::run;
use mercer::math::rng_for;
use mercer::rl::{self, Play};
use mercer::{Dynamics, Environment, Error, ErrorKind, Outcome, Simulation, Space};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// What an environment shows: its kind, how many of each, or the ends of each number.
type Shown = (&'static str, Vec<usize>, Vec<f64>, Vec<f64>);

fn shown(space: &Space) -> Shown {
    match space {
        Space::Discrete(n) => ("discrete", vec![*n], Vec::new(), Vec::new()),
        Space::Several(counts) => ("several", counts.clone(), Vec::new(), Vec::new()),
        Space::Box { low, high } => ("box", Vec::new(), low.clone(), high.clone()),
    }
}

/// A running copy of one of Mercer's environments.
#[pyclass(frozen, name = "Play", module = "mercer._mercer")]
pub(crate) struct PyPlay {
    environment: Environment,
    play: Mutex<Play>,
}

type Floats<'py> = Bound<'py, PyArray1<f64>>;

#[pymethods]
impl PyPlay {
    #[new]
    fn new(spec: &str, seed: u64) -> PyResult<Self> {
        let environment = run::in_place(|| rl::environment(spec))?;
        let play = run::in_place(|| Play::new(&environment, seed))?;
        Ok(Self { environment, play: Mutex::new(play) })
    }

    fn reset<'py>(&self, py: Python<'py>, seed: Option<u64>) -> PyResult<Floats<'py>> {
        let mut play = self.play.lock().unwrap_or_else(PoisonError::into_inner);
        run::in_place(|| play.begin(seed))?;
        Ok(vector(py, play.observation().to_vec()))
    }

    fn step<'py>(&self, py: Python<'py>, action: usize) -> PyResult<(Floats<'py>, f64, bool, bool)> {
        let mut play = self.play.lock().unwrap_or_else(PoisonError::into_inner);
        let made = run::in_place(|| play.step(action))?;
        Ok((vector(py, play.observation().to_vec()), made.reward, made.terminated, made.truncated))
    }

    /// Which actions are there now; `None` where all are.
    fn mask(&self) -> Option<Vec<bool>> {
        let play = self.play.lock().unwrap_or_else(PoisonError::into_inner);
        let place = self.environment.observations().place(play.observation())?;
        let there: Vec<bool> =
            (0..self.environment.n_actions()).map(|a| self.environment.allows(place, a)).collect();
        (there.contains(&true) && there.contains(&false)).then_some(there)
    }

    /// Puts the copy into a state.
    fn set_state(&self, state: Vec<f64>) -> PyResult<()> {
        let mut play = self.play.lock().unwrap_or_else(PoisonError::into_inner);
        run::in_place(|| play.simulation().set_state(&state))
    }

    #[getter]
    fn space(&self) -> Shown {
        shown(self.environment.observations())
    }

    #[getter]
    fn n_actions(&self) -> usize {
        self.environment.n_actions()
    }

    #[getter]
    fn actions(&self) -> Vec<String> {
        self.environment.actions()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.environment.feature_names()
    }

    #[getter]
    fn step_limit(&self) -> Option<u64> {
        self.environment.step_limit()
    }

    /// The decision process that it follows.
    fn process(&self) -> PyResult<PyMdp> {
        run::in_place(|| self.environment.mdp()).map(|mdp| PyMdp(Arc::new(mdp)))
    }
}

/// Names and meanings of all environments.
#[pyfunction]
pub(crate) fn environment_names() -> Vec<(&'static str, &'static str)> {
    rl::environments()
}

/// The action of a policy for one observation; the seed draws, where the policy does.
#[pyfunction]
pub(crate) fn policy_act(model: &PyModel, observation: Vec<f64>, seed: u64) -> PyResult<usize> {
    run::in_place(|| {
        let wanted = model.inner().schema().n_features();
        if wanted != 0 && observation.len() != wanted {
            return Err(Error::shape("numbers of an observation", wanted, observation.len()));
        }
        model.inner().policy()?.act(&observation, &mut rng_for(seed, 0))
    })
}

/// What Python says of an environment of its own.
#[derive(FromPyObject)]
pub(crate) struct Foreign {
    /// Makes a copy that is reset and stepped.
    make: Py<PyAny>,
    name: String,
    kind: String,
    counts: Vec<usize>,
    low: Vec<f64>,
    high: Vec<f64>,
    n_actions: usize,
}

struct PythonDynamics {
    make: Py<PyAny>,
    name: String,
    space: Space,
    n_actions: usize,
    failure: Failure,
}

struct PythonSimulation {
    copy: Py<PyAny>,
    name: String,
    failure: Failure,
    /// The seed of the first episode.
    seed: Option<u64>,
}

impl Foreign {
    pub(crate) fn environment(self) -> PyResult<(Environment, Failure)> {
        let failure = Failure::default();
        let space = match (self.kind.as_str(), self.counts.first()) {
            ("discrete", Some(n)) => Space::Discrete(*n),
            ("several", _) => Space::Several(self.counts),
            ("box", _) => Space::Box { low: self.low, high: self.high },
            _ => return Err(bad("observations of an unknown kind")),
        };
        let inner = PythonDynamics {
            make: self.make,
            name: self.name.clone(),
            space,
            n_actions: self.n_actions,
            failure: failure.clone(),
        };
        Ok((Environment::new(&self.name, inner).map_err(raise)?, failure))
    }
}

/// Calls into Python; an exception waits until the fit has unwound.
fn call<T>(failure: &Failure, name: &str, work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, Error> {
    let called = Python::attach(|py| {
        py.check_signals()?;
        work(py)
    });
    called.map_err(|error| {
        let reason = error.to_string();
        failure.set(error);
        ErrorKind::UserCode { name: name.to_owned(), reason }.into()
    })
}

impl Dynamics for PythonDynamics {
    fn observations(&self) -> &Space {
        &self.space
    }
    fn n_actions(&self) -> usize {
        self.n_actions
    }
    fn is_local(&self) -> bool {
        true
    }
    fn make(&self, seed: u64) -> Result<Box<dyn Simulation>, Error> {
        let copy = call(&self.failure, &self.name, |py| self.make.bind(py).call0().map(Bound::unbind))?;
        let (name, failure) = (self.name.clone(), self.failure.clone());
        Ok(Box::new(PythonSimulation { copy, name, failure, seed: Some(seed) }))
    }
}

fn write(found: &Bound<'_, PyAny>, observation: &mut [f64]) -> PyResult<()> {
    let found: Vec<f64> = found.extract()?;
    if found.len() != observation.len() {
        let told = format!("an observation has {} numbers, not {}", observation.len(), found.len());
        return Err(PyValueError::new_err(told));
    }
    observation.copy_from_slice(&found);
    Ok(())
}

impl Simulation for PythonSimulation {
    fn reset(&mut self, seed: Option<u64>, observation: &mut [f64]) -> Result<(), Error> {
        // NumPy's generators take any seed, but not every environment does.
        let seed = self.seed.take().or(seed).map(|seed| seed >> 33);
        call(&self.failure, &self.name, |py| {
            write(&self.copy.bind(py).call_method1("reset", (seed,))?, observation)
        })
    }

    fn step(&mut self, action: usize, observation: &mut [f64]) -> Result<Outcome, Error> {
        call(&self.failure, &self.name, |py| {
            let made = self.copy.bind(py).call_method1("step", (action,))?;
            let (seen, reward, terminated, truncated): (Bound<'_, PyAny>, f64, bool, bool) =
                made.extract()?;
            write(&seen, observation)?;
            if !reward.is_finite() {
                return Err(PyValueError::new_err(format!("the reward {reward} is not finite")));
            }
            Ok(Outcome { reward, terminated, truncated })
        })
    }
}
