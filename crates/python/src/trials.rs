//! Many runs of agents in an environment, as `mercer play` makes them.

use crate::data::HeldData;
use crate::fit::learner;
use crate::model::PyModel;
use crate::output::{matrix, vector};
use crate::run;
use mercer::math::Mat;
use mercer::rl::{Trials, judge_random, play};
use mercer::{Environment, Error, Session};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Work on an environment: on this thread where it is written in Python, so that what it raises comes through.
fn acting<T: Send>(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    session: &Session,
    work: impl FnOnce(&Environment, &Session) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let data = HeldData::of(x, None, None)?;
    let held = run::in_place(|| data.dataset())?;
    let environment = run::in_place(|| held.whole_input().environment("these runs"))?;
    match data.x.failure() {
        Some(failure) => {
            run::in_place(|| work(environment, session)).map_err(|error| failure.take().unwrap_or(error))
        }
        None => run::detached(py, session, false, |session| work(environment, session)),
    }
}

/// Runs of one agent: runs, episodes that judge each, and points of the curve; seed and threads.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python hands over")]
pub(crate) fn play_runs<'py>(
    py: Python<'py>,
    what: (String, Bound<'py, PyDict>),
    x: &Bound<'py, PyAny>,
    trials: (usize, usize, usize),
    session: (u64, usize),
) -> PyResult<(Bound<'py, PyDict>, Option<PyModel>)> {
    let learner = learner(&what.0, &what.1)?;
    let trials = Trials { runs: trials.0, episodes: trials.1, points: trials.2 };
    let session = run::session(session.0, session.1);
    let played = acting(py, x, &session, |environment, session| {
        learner.check()?;
        play(learner.as_ref(), environment, &trials, session)
    })?;
    let curve = Mat::from_fn(played.curve.len(), 4, |i, j| {
        let point = &played.curve[i];
        [point.step, point.returns.estimate, point.returns.lower, point.returns.upper][j]
    });
    let out = PyDict::new(py);
    out.set_item("scores", vector(py, played.scores))?;
    out.set_item("interval", played.score.map(|s| (s.estimate, s.lower, s.upper)))?;
    out.set_item("curve", matrix(py, curve)?)?;
    out.set_item("endless", played.endless)?;
    Ok((out, played.best.map(|model| PyModel::new(model, None))))
}

/// The mean return of actions drawn at random.
#[pyfunction]
pub(crate) fn play_random(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    episodes: usize,
    session: (u64, usize),
) -> PyResult<f64> {
    let session = run::session(session.0, session.1);
    acting(py, x, &session, |environment, session| {
        Ok(judge_random(environment, episodes, session.seed())?.mean)
    })
}
