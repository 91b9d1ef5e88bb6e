//! Decision processes, and what their policies are worth.

use crate::buffers::HeldMatrix;
use crate::data::slice;
use crate::errors::{bad, raise};
use crate::output::{matrix, vector};
use crate::run;
use mercer::rl::{self, Policy};
use mercer::{Error, Mdp};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use std::sync::Arc;

type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Places<'py> = Bound<'py, PyArray1<i64>>;

/// A decision process that is read and checked once.
#[pyclass(frozen, name = "Process", module = "mercer._mercer")]
pub(crate) struct PyMdp(pub(crate) Arc<Mdp>);

#[pymethods]
impl PyMdp {
    /// From columns: state, action, next state, probability, reward of each transition.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "each is a column")]
    fn new(
        states: Vec<String>,
        actions: Vec<String>,
        state: &Bound<'_, PyAny>,
        action: &Bound<'_, PyAny>,
        next: &Bound<'_, PyAny>,
        probability: &Bound<'_, PyAny>,
        reward: &Bound<'_, PyAny>,
        discount: Option<f64>,
    ) -> PyResult<Self> {
        let (state, action, next) = (slice::<i64>(state)?, slice::<i64>(action)?, slice::<i64>(next)?);
        let (probability, reward) = (slice::<f64>(probability)?, slice::<f64>(reward)?);
        let n = state.slice().len();
        let lengths =
            [action.slice().len(), next.slice().len(), probability.slice().len(), reward.slice().len()];
        if lengths.iter().any(|length| *length != n) {
            return Err(bad("columns of transitions are equally long"));
        }
        // A place that is negative is beyond all others, and refused as they are.
        let place = |v: i64| usize::try_from(v).unwrap_or(usize::MAX);
        let row = |i: usize| {
            let [s, a, to] = [&state, &action, &next].map(|column| place(column.slice()[i]));
            (s, a, to, probability.slice()[i], reward.slice()[i])
        };
        let transitions: Vec<_> = (0..n).map(row).collect();
        run::in_place(|| Mdp::new(states, actions, &transitions, discount)).map(|mdp| Self(Arc::new(mdp)))
    }

    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        run::in_place(|| Mdp::from_json(text)).map(|mdp| Self(Arc::new(mdp)))
    }

    #[staticmethod]
    fn named(name: &str) -> PyResult<Self> {
        run::in_place(|| rl::process(name)).map(|mdp| Self(Arc::new(mdp)))
    }

    #[getter]
    fn states(&self) -> Vec<String> {
        self.0.states().to_vec()
    }

    #[getter]
    fn actions(&self) -> Vec<String> {
        self.0.actions().to_vec()
    }

    #[getter]
    fn discount(&self) -> Option<f64> {
        self.0.discount()
    }

    /// The columns that the constructor takes.
    #[allow(clippy::type_complexity)]
    fn columns<'py>(
        &self,
        py: Python<'py>,
    ) -> (Places<'py>, Places<'py>, Places<'py>, Floats<'py>, Floats<'py>) {
        let (mut state, mut action, mut next) = (Vec::new(), Vec::new(), Vec::new());
        let (mut probability, mut reward) = (Vec::new(), Vec::new());
        for s in 0..self.0.states().len() {
            for a in 0..self.0.actions().len() {
                for t in self.0.transitions(s, a) {
                    state.push(s as i64);
                    action.push(a as i64);
                    next.push(i64::from(t.next));
                    probability.push(t.probability);
                    reward.push(t.reward);
                }
            }
        }
        let columns = (vector(py, state), vector(py, action), vector(py, next));
        (columns.0, columns.1, columns.2, vector(py, probability), vector(py, reward))
    }
}

/// How a policy is to be evaluated: over steps, by sweeps, or exactly.
fn evaluated(
    policy: &Policy,
    discount: f64,
    steps: Option<u64>,
    sweeps: Option<(f64, u64)>,
    session: &mercer::Session,
) -> Result<rl::PolicyValues, Error> {
    match (steps, sweeps) {
        (Some(steps), _) => rl::average_values(policy, steps, session),
        (None, Some((tol, most))) => rl::discounted_values(policy, discount, tol, most, session),
        (None, None) => rl::exact_values(policy, discount),
    }
}

/// The values of a policy (states × actions; none is the uniform one): of states, of actions, whether they converged.
#[pyfunction]
#[pyo3(signature = (process, policy, discount, steps, sweeps))]
#[allow(clippy::type_complexity)]
pub(crate) fn evaluate_policy<'py>(
    py: Python<'py>,
    process: &PyMdp,
    policy: Option<&Bound<'py, PyAny>>,
    discount: f64,
    steps: Option<u64>,
    sweeps: Option<(f64, u64)>,
) -> PyResult<(Floats<'py>, Bound<'py, PyArray2<f64>>, bool)> {
    let policy = match policy {
        None => Policy::uniform(&process.0),
        Some(shares) => {
            let shares = HeldMatrix::of(shares).ok_or_else(|| bad("not a float64 matrix"))?.view().to_mat();
            Policy::new(&process.0, &shares).map_err(raise)?
        }
    };
    let found = run::detached(py, &run::SESSION, false, |session| {
        evaluated(&policy, discount, steps, sweeps, session)
    })?;
    let converged = found.termination.is_success();
    Ok((vector(py, found.values), matrix(py, found.action_values)?, converged))
}

/// The action that is greedy for values of states; −1 where there is none.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "lists of Python become vectors")]
pub(crate) fn improve_policy<'py>(
    py: Python<'py>,
    process: &PyMdp,
    discount: f64,
    values: Vec<f64>,
) -> PyResult<Places<'py>> {
    let actions = run::in_place(|| rl::improve(&process.0, discount, &values))?;
    Ok(vector(py, actions.into_iter().map(|a| a.map_or(-1, |a| a as i64)).collect()))
}
