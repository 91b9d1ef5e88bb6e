//! Cross validation, search, curves, bias and variance: whole procedures that run without the interpreter's lock.

use crate::data::{HeldData, slice};
use crate::errors::{bad, raise};
use crate::fit::learner;
use crate::model::PyModel;
use crate::output::vector;
use crate::{run, values};
use mercer::assess::{Resource, Setting, Space, Strategy, Trial, Truth, Tuned, Tuning};
use mercer::data::{friedman_inputs, friedman_mean};
use mercer::math::{Mat, Rng, normal};
use mercer::measure::{Metric, Split};
use mercer::{Dataset, Error, Learner, Session};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// Learner, data and session of a procedure, as Python hands them over.
pub(crate) struct Task {
    learner: Box<dyn Learner>,
    data: HeldData,
    session: Session,
    splits: Vec<Split>,
    metrics: Vec<&'static Metric>,
    verbose: bool,
    dtype: Option<String>,
}

impl Task {
    /// From `(name, params, x, y, weights, groups, dtype)`, the splits, the names of metrics and
    /// `(seed, threads, verbose)`.
    fn of(
        what: &Bound<'_, PyTuple>,
        splits: &Bound<'_, PyAny>,
        metrics: Vec<String>,
        (seed, threads, verbose): (u64, usize, bool),
    ) -> PyResult<Self> {
        let item = |at: usize| what.get_item(at);
        let some = |at: usize| item(at).map(|v| if v.is_none() { None } else { Some(v) });
        let params = item(1)?;
        let learner = learner(&item(0)?.extract::<String>()?, params.cast::<PyDict>()?)?;
        let data =
            HeldData::of(&item(2)?, some(3)?.as_ref(), some(4)?.as_ref())?.with_groups(some(5)?.as_ref())?;
        let rows = |array: Bound<'_, PyAny>| -> PyResult<Vec<usize>> {
            let held = slice::<i64>(&array)?;
            let row = |&r: &i64| usize::try_from(r).map_err(|_| bad("a split has a negative row"));
            held.slice().iter().map(row).collect()
        };
        let split = |pair: PyResult<Bound<'_, PyAny>>| {
            let pair = pair?;
            Ok(Split { train: rows(pair.get_item(0)?)?, test: rows(pair.get_item(1)?)? })
        };
        Ok(Self {
            learner,
            data,
            session: run::session(seed, threads),
            splits: splits.try_iter()?.map(split).collect::<PyResult<_>>()?,
            metrics: metrics.iter().map(|m| Metric::by_name(m)).collect::<Result<_, _>>().map_err(raise)?,
            verbose,
            dtype: item(6)?.extract()?,
        })
    }

    /// Runs work on another thread.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Self, &Dataset<'_>, &Session) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        run::detached(py, &self.session, self.verbose, |session| work(self, &self.data.dataset()?, session))
    }
}

/// Scores of every fold, with its model and the answers for its test rows where they are asked for.
#[pyfunction]
#[pyo3(signature = (what, splits, metrics, session, *, train_scores=false, models=false))]
pub(crate) fn cross_validate<'py>(
    py: Python<'py>,
    what: &Bound<'py, PyTuple>,
    splits: &Bound<'py, PyAny>,
    metrics: Vec<String>,
    session: (u64, usize, bool),
    train_scores: bool,
    models: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let task = Task::of(what, splits, metrics, session)?;
    let folds = task.run(py, |task, data, session| {
        mercer::assess::fold_models(
            task.learner.as_ref(),
            data,
            &task.splits,
            &task.metrics,
            train_scores,
            session,
        )
    })?;
    let out = PyDict::new(py);
    let column = |f: &dyn Fn(&mercer::assess::FoldModel) -> f64| vector(py, folds.iter().map(f).collect());
    out.set_item("fit_time", column(&|f| f.fit_seconds))?;
    out.set_item("score_time", column(&|f| f.score_seconds))?;
    for (m, metric) in task.metrics.iter().enumerate() {
        out.set_item(format!("test_{}", metric.name), column(&|f| f.test[m]))?;
        if train_scores {
            out.set_item(format!("train_{}", metric.name), column(&|f| f.train[m]))?;
        }
    }
    if models {
        let made = folds.into_iter().map(|f| PyModel::new(f.model, task.dtype.clone()));
        out.set_item(
            "models",
            PyList::new(py, made.map(|m| Py::new(py, m)).collect::<PyResult<Vec<_>>>()?)?,
        )?;
    }
    Ok(out)
}

/// Searches. `plan` holds `strategy`, `trials`, `factor`, `brackets`, `points`, `settings`, `space`, `patience`,
/// `refit`, `resource`, `max_resource`.
#[pyfunction]
pub(crate) fn tune<'py>(
    py: Python<'py>,
    what: &Bound<'py, PyTuple>,
    splits: &Bound<'py, PyAny>,
    metrics: Vec<String>,
    session: (u64, usize, bool),
    plan: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let task = Task::of(what, splits, metrics, session)?;
    let tuning = tuning(&task, plan)?;
    let tuned = task.run(py, |task, data, session| {
        mercer::assess::tune(task.learner.as_ref(), data, &tuning, &|_| Ok(()), session)
    })?;
    tuned_to_python(py, tuned, task.dtype)
}

fn tuning(task: &Task, plan: &Bound<'_, PyDict>) -> PyResult<Tuning> {
    let get = |name: &str| plan.get_item(name).map(|v| v.filter(|v| !v.is_none()));
    let count = |name: &str, default: usize| get(name)?.map_or(Ok(default), |v| v.extract());
    let factor = get("factor")?.map_or(Ok(3.0), |v| v.extract())?;
    let trials = count("trials", 10)?;
    let settings = match get("settings")? {
        Some(list) => list.try_iter()?.map(|s| setting(&s?)).collect::<PyResult<Vec<_>>>()?,
        None => Vec::new(),
    };
    let kind: String = get("strategy")?.map_or(Ok("list".to_owned()), |v| v.extract())?;
    let strategy = match kind.as_str() {
        "list" => Strategy::List(settings),
        "grid" => Strategy::Grid { points: count("points", 5)? },
        "random" => Strategy::Random { trials },
        "tpe" => Strategy::Tpe { trials },
        "halving" if !settings.is_empty() => Strategy::HalvingList { settings, factor },
        "halving" => Strategy::Halving { trials, factor },
        "hyperband" => Strategy::Hyperband { factor, brackets: count("brackets", 4)? },
        other => {
            return Err(raise(Error::unknown(
                "search",
                other,
                ["grid", "random", "tpe", "halving", "hyperband"],
            )));
        }
    };
    let space = match get("space")? {
        Some(text) => Space::parse(&text.extract::<String>()?).map_err(raise)?,
        None if matches!(strategy, Strategy::List(_) | Strategy::HalvingList { .. }) => Space::default(),
        None => Space::of(task.learner.as_ref()).map_err(raise)?,
    };
    let resource = match get("resource")? {
        Some(path) => Resource::Param(path.extract()?, count("max_resource", 100)? as i64),
        None => Resource::Rows,
    };
    Ok(Tuning {
        space,
        strategy,
        metrics: task.metrics.clone(),
        splits: task.splits.clone(),
        resource,
        patience: get("patience")?.map(|v| v.extract()).transpose()?,
        refit: get("refit")?.map_or(Ok(true), |v| v.is_truthy())?,
        known: Vec::new(),
    })
}

fn setting(dict: &Bound<'_, PyAny>) -> PyResult<Setting> {
    let dict = dict.cast::<PyDict>()?;
    dict.iter().map(|(path, value)| Ok((path.extract()?, values::any(&value)?))).collect()
}

fn setting_to_python<'py>(py: Python<'py>, setting: &Setting) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    setting.iter().try_for_each(|(path, value)| out.set_item(path, values::to_python(py, value)?))?;
    Ok(out)
}

fn tuned_to_python<'py>(
    py: Python<'py>,
    tuned: Tuned,
    dtype: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let trial = |t: &Trial| -> PyResult<Bound<'py, PyDict>> {
        let one = PyDict::new(py);
        one.set_item("setting", setting_to_python(py, &t.setting)?)?;
        one.set_item("share", t.share)?;
        one.set_item("scores", t.scores.clone())?;
        one.set_item("fit_seconds", t.fit_seconds)?;
        one.set_item("error", t.error.clone())?;
        Ok(one)
    };
    let trials = tuned.trials.iter().map(trial).collect::<PyResult<Vec<_>>>()?;
    out.set_item("trials", PyList::new(py, trials)?)?;
    out.set_item("best", tuned.best)?;
    out.set_item("refit_seconds", tuned.refit_seconds)?;
    out.set_item("cache_hits", tuned.cache_hits)?;
    out.set_item("stopped", tuned.stopped.map(|t| t.to_string()))?;
    if let Some(model) = tuned.model {
        out.set_item("model", Py::new(py, PyModel::new(model, dtype))?)?;
    }
    Ok(out)
}

/// Nested cross validation over settings: rounds, estimate, the average setting and its model.
#[pyfunction]
pub(crate) fn nested<'py>(
    py: Python<'py>,
    what: &Bound<'py, PyTuple>,
    splits: &Bound<'py, PyAny>,
    metrics: Vec<String>,
    session: (u64, usize, bool),
    plan: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let task = Task::of(what, splits, metrics, session)?;
    let text: String = plan.get_item("space")?.ok_or_else(|| bad("a space is needed"))?.extract()?;
    let points: usize = plan.get_item("points")?.map_or(Ok(5), |v| v.extract())?;
    let found = task.run(py, |task, data, session| {
        let space = Space::parse(&text)?.settled(task.learner.as_ref())?;
        let settings = space.grid(points);
        mercer::assess::nested(
            task.learner.as_ref(),
            data,
            &space,
            &settings,
            &task.splits,
            &task.metrics,
            session,
        )
    })?;
    let out = PyDict::new(py);
    let round =
        |r: &mercer::assess::NestedRound| Ok((setting_to_python(py, &r.setting)?, r.inner, r.scores.clone()));
    out.set_item("rounds", found.rounds.iter().map(round).collect::<PyResult<Vec<_>>>()?)?;
    out.set_item("estimate", found.estimate)?;
    out.set_item("setting", setting_to_python(py, &found.setting)?)?;
    out.set_item("model", Py::new(py, PyModel::new(found.model, task.dtype.clone()))?)?;
    Ok(out)
}

/// Friedman's functions with Gaussian noise: regressions whose truth is known.
struct Friedman {
    which: u8,
    n_features: usize,
    noise: f64,
}

impl Truth for Friedman {
    fn inputs(&self, n: usize, rng: &mut Rng) -> Mat {
        friedman_inputs(self.which, n, self.n_features, rng)
    }
    fn mean(&self, x: &[f64]) -> f64 {
        friedman_mean(self.which, x).unwrap_or(f64::NAN)
    }
    fn draw(&self, x: &[f64], rng: &mut Rng) -> f64 {
        self.mean(x) + self.noise * normal(rng)
    }
}

/// Bias, variance and noise of a regressor on one of Friedman's functions.
#[pyfunction]
pub(crate) fn bias_variance<'py>(
    py: Python<'py>,
    name: &str,
    params: &Bound<'py, PyDict>,
    truth: (u8, usize, f64),
    sizes: (usize, usize, usize),
    session: (u64, usize, bool),
) -> PyResult<Bound<'py, PyDict>> {
    let (learner, (which, n_features, noise)) = (learner(name, params)?, truth);
    let truth = Friedman { which, n_features, noise };
    let found = run::detached(py, &run::session(session.0, session.1), session.2, |session| {
        mercer::assess::bias_variance(learner.as_ref(), &truth, sizes, session)
    })?;
    let out = PyDict::new(py);
    for (key, value) in [
        ("bias", found.bias),
        ("variance", found.variance),
        ("noise", found.noise),
        ("total", found.total),
        ("error", found.error),
    ] {
        out.set_item(key, value)?;
    }
    Ok(out)
}
