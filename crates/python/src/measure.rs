//! Metrics, curves, splits, tests between models: pure functions on arrays.
//!
//! ```text
//! scored   ("classes", codes, n_classes, predicted codes | None, probabilities | None, scores | None)
//!          | ("numbers", truth, predicted) | ("groups", labels, truth | None, rows | None)
//!          | ("multilabel", truth, predicted) | ("ranking", relevance, scores, queries | None)
//! ```

use crate::buffers::{HeldMatrix, HeldSlice};
use crate::data::slice;
use crate::errors::{bad, raise};
use crate::output::{matrix, vector};
use crate::run;
use mercer::measure::{self, Bootstrap, BootstrapMethod, Metric, Scored, Splitter};
use mercer::{Error, ErrorKind};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Whole<'py> = Bound<'py, PyArray1<i64>>;

fn held_matrix(array: &Bound<'_, PyAny>) -> PyResult<Option<HeldMatrix>> {
    if array.is_none() {
        return Ok(None);
    }
    HeldMatrix::of(array).map(Some).ok_or_else(|| bad("expected a float64 matrix"))
}

fn optional<T: numpy::Element + Copy>(array: &Bound<'_, PyAny>) -> PyResult<Option<HeldSlice<T>>> {
    if array.is_none() { Ok(None) } else { slice(array).map(Some) }
}

/// Truth and predictions whose memory is held.
enum HeldScored {
    Classes {
        truth: HeldSlice<u32>,
        n_classes: usize,
        predicted: Option<HeldSlice<u32>>,
        probabilities: Option<HeldMatrix>,
        scores: Option<HeldMatrix>,
    },
    Numbers(HeldSlice<f64>, HeldSlice<f64>),
    Groups(HeldSlice<u32>, Option<HeldSlice<u32>>, Option<HeldMatrix>),
    Multilabel(HeldMatrix, HeldMatrix),
    Ranking(HeldSlice<f64>, HeldSlice<f64>, Option<HeldSlice<u64>>),
}

impl HeldScored {
    fn of(tuple: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let item = |at: usize| tuple.get_item(at);
        let tag: String = item(0)?.extract()?;
        let both = || Ok::<_, PyErr>((held_matrix(&item(1)?)?, held_matrix(&item(2)?)?));
        Ok(match tag.as_str() {
            "classes" => HeldScored::Classes {
                truth: slice(&item(1)?)?,
                n_classes: item(2)?.extract()?,
                predicted: optional(&item(3)?)?,
                probabilities: held_matrix(&item(4)?)?,
                scores: held_matrix(&item(5)?)?,
            },
            "numbers" => HeldScored::Numbers(slice(&item(1)?)?, slice(&item(2)?)?),
            "groups" => HeldScored::Groups(slice(&item(1)?)?, optional(&item(2)?)?, held_matrix(&item(3)?)?),
            "multilabel" => match both()? {
                (Some(truth), Some(predicted)) => HeldScored::Multilabel(truth, predicted),
                _ => return Err(bad("expected two matrices of labels")),
            },
            "ranking" => HeldScored::Ranking(slice(&item(1)?)?, slice(&item(2)?)?, optional(&item(3)?)?),
            other => return Err(bad(format!("unknown kind of predictions `{other}`"))),
        })
    }

    fn scored(&self) -> Scored<'_> {
        match self {
            HeldScored::Classes { truth, n_classes, predicted, probabilities, scores } => Scored::Classes {
                truth: truth.slice(),
                n_classes: *n_classes,
                predicted: predicted.as_ref().map(HeldSlice::slice),
                probabilities: probabilities.as_ref().map(HeldMatrix::view),
                scores: scores.as_ref().map(HeldMatrix::view),
            },
            HeldScored::Numbers(truth, predicted) => {
                Scored::Numbers { truth: truth.slice(), predicted: predicted.slice() }
            }
            HeldScored::Groups(labels, truth, x) => Scored::Groups {
                labels: labels.slice(),
                truth: truth.as_ref().map(HeldSlice::slice),
                x: x.as_ref().map(HeldMatrix::view),
            },
            HeldScored::Multilabel(truth, predicted) => {
                Scored::Multilabel { truth: truth.view(), predicted: predicted.view() }
            }
            HeldScored::Ranking(relevance, scores, queries) => Scored::Ranking {
                relevance: relevance.slice(),
                scores: scores.slice(),
                queries: queries.as_ref().map(HeldSlice::slice),
            },
        }
    }
}

/// The value of a metric, asked for by its name and parameters.
#[pyfunction]
#[pyo3(signature = (spec, scored, weights=None))]
pub(crate) fn metric(
    py: Python<'_>,
    spec: &str,
    scored: &Bound<'_, PyTuple>,
    weights: Option<&Bound<'_, PyAny>>,
) -> PyResult<f64> {
    let metric = Metric::by_name(spec).map_err(raise)?;
    let (held, weights) = (HeldScored::of(scored)?, weights.map(slice::<f64>).transpose()?);
    run::detached(py, &run::SESSION, false, |session| {
        session.run(|| metric.evaluate(&held.scored(), weights.as_ref().map(HeldSlice::slice)))
    })
}

/// What is known of a metric: `(name, greater is better, task, needs)`.
#[pyfunction]
pub(crate) fn metric_info(spec: &str) -> PyResult<(&'static str, bool, String, String)> {
    let metric = Metric::by_name(spec).map_err(raise)?;
    Ok((metric.name, metric.greater_is_better, format!("{:?}", metric.task), format!("{:?}", metric.needs)))
}

/// Every metric: `(name, doc, task)`.
#[pyfunction]
pub(crate) fn metric_names() -> Vec<(&'static str, &'static str, String)> {
    measure::METRICS.iter().map(|m| (m.name, m.doc, format!("{:?}", m.task))).collect()
}

/// Weight of rows by true class and predicted class.
#[pyfunction]
#[pyo3(signature = (truth, predicted, n_classes, weights=None))]
pub(crate) fn confusion_matrix<'py>(
    py: Python<'py>,
    truth: &Bound<'py, PyAny>,
    predicted: &Bound<'py, PyAny>,
    n_classes: usize,
    weights: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (truth, predicted) = (slice::<u32>(truth)?, slice::<u32>(predicted)?);
    let weights = weights.map(slice::<f64>).transpose()?;
    let weights = weights.as_ref().map(HeldSlice::slice);
    let counts =
        measure::confusion_matrix(truth.slice(), predicted.slice(), n_classes, weights).map_err(raise)?;
    matrix(py, counts)
}

/// The silhouette of every row.
#[pyfunction]
pub(crate) fn silhouette_samples<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    labels: &Bound<'py, PyAny>,
) -> PyResult<Floats<'py>> {
    let x = held_matrix(x)?.ok_or_else(|| bad("expected a float64 matrix"))?;
    let labels = slice::<u32>(labels)?;
    let found = run::detached(py, &run::SESSION, false, |session| {
        session.run(|| measure::silhouette_of_rows(x.view(), labels.slice(), None, session))
    })?;
    Ok(vector(py, found))
}

/// The rows of each split: `(train, test)`.
#[pyfunction]
#[pyo3(signature = (scheme, n, classes=None, groups=None, seed=0))]
pub(crate) fn splits<'py>(
    py: Python<'py>,
    scheme: &str,
    n: usize,
    classes: Option<&Bound<'py, PyAny>>,
    groups: Option<&Bound<'py, PyAny>>,
    seed: u64,
) -> PyResult<Vec<(Whole<'py>, Whole<'py>)>> {
    let classes = classes.map(slice::<u32>).transpose()?;
    let groups = groups.map(slice::<u64>).transpose()?;
    let (classes, groups) = (classes.as_ref().map(HeldSlice::slice), groups.as_ref().map(HeldSlice::slice));
    let splits = run::in_place(|| Splitter::parse(scheme)?.splits(n, classes, groups, seed))?;
    let rows = |rows: Vec<usize>| vector(py, rows.into_iter().map(|r| r as i64).collect());
    Ok(splits.into_iter().map(|s| (rows(s.train), rows(s.test))).collect())
}

/// The interval of a metric by the bootstrap: `(estimate, lower, upper)`.
#[pyfunction]
#[pyo3(signature = (spec, scored, weights, *, draws, confidence, method, seed))]
#[expect(clippy::too_many_arguments, reason = "called from one place, by keyword")]
pub(crate) fn bootstrap(
    py: Python<'_>,
    spec: &str,
    scored: &Bound<'_, PyTuple>,
    weights: Option<&Bound<'_, PyAny>>,
    draws: usize,
    confidence: f64,
    method: &str,
    seed: u64,
) -> PyResult<(f64, f64, f64)> {
    let metric = Metric::by_name(spec).map_err(raise)?;
    let (held, weights) = (HeldScored::of(scored)?, weights.map(slice::<f64>).transpose()?);
    let method = match method {
        "bca" => BootstrapMethod::Bca,
        "percentile" => BootstrapMethod::Percentile,
        other => return Err(raise(Error::param("bootstrap", "method", "bca or percentile", other))),
    };
    let found = run::detached(py, &run::SESSION, false, |session| {
        let whole = held.scored();
        let weights = weights.as_ref().map(HeldSlice::slice);
        let of = |rows: &[usize]| {
            if session.interrupted().is_some() {
                return Err(ErrorKind::Cancelled.into());
            }
            let weights = weights.map(|w| rows.iter().map(|&i| w[i]).collect::<Vec<_>>());
            resampled(metric, &whole, rows, weights.as_deref())
        };
        let bootstrap = Bootstrap { n_draws: draws, confidence, method, seed, ..Bootstrap::default() };
        session.run(|| bootstrap.interval(rows_of(&whole), of))
    })?;
    Ok((found.estimate, found.lower, found.upper))
}

fn rows_of(scored: &Scored<'_>) -> usize {
    match scored {
        Scored::Classes { truth, .. } => truth.len(),
        Scored::Numbers { truth, .. } => truth.len(),
        Scored::Groups { .. } | Scored::Multilabel { .. } | Scored::Ranking { .. } => 0,
    }
}

/// A metric on some of the rows.
fn resampled(
    metric: &Metric,
    scored: &Scored<'_>,
    rows: &[usize],
    weights: Option<&[f64]>,
) -> Result<f64, Error> {
    fn pick<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
        rows.iter().map(|&i| values[i]).collect()
    }
    match *scored {
        Scored::Numbers { truth, predicted } => {
            let (truth, predicted) = (pick(truth, rows), pick(predicted, rows));
            metric.evaluate(&Scored::Numbers { truth: &truth, predicted: &predicted }, weights)
        }
        Scored::Classes { truth, n_classes, predicted, probabilities, scores } => {
            let (truth, predicted) = (pick(truth, rows), predicted.map(|p| pick(p, rows)));
            let (p, s) = (probabilities.map(|m| m.gather(rows)), scores.map(|m| m.gather(rows)));
            let scored = Scored::Classes {
                truth: &truth,
                n_classes,
                predicted: predicted.as_deref(),
                probabilities: p.as_ref().map(|m| m.view()),
                scores: s.as_ref().map(|m| m.view()),
            };
            metric.evaluate(&scored, weights)
        }
        Scored::Groups { .. } | Scored::Multilabel { .. } | Scored::Ranking { .. } => {
            Err(Error::incapable(metric.label, "be resampled by rows here"))
        }
    }
}

/// A paired test between two models: `(statistic, p value)`.
#[pyfunction]
pub(crate) fn paired_test(
    kind: &str,
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
    more: &Bound<'_, PyDict>,
) -> PyResult<(f64, f64)> {
    let number = |name: &str| more.get_item(name)?.map(|v| v.extract::<u64>()).transpose();
    if kind == "mcnemar" {
        let (a, b) = (first.extract::<u64>()?, second.extract::<u64>()?);
        let exact = more.get_item("exact")?.is_none_or(|v| v.is_truthy().unwrap_or(true));
        let test = if exact { measure::mcnemar_exact(a, b) } else { measure::mcnemar_chi2(a, b) };
        return Ok((test.statistic, test.p_value));
    }
    let (first, second) = (slice::<f64>(first)?, slice::<f64>(second)?);
    if kind == "wilcoxon" {
        let test = measure::wilcoxon(first.slice(), second.slice()).map_err(raise)?;
        return Ok((test.statistic, test.p_value));
    }
    let (train, test) = (number("n_train")?.unwrap_or(0) as usize, number("n_test")?.unwrap_or(0) as usize);
    let test = measure::corrected_t_test(first.slice(), second.slice(), train, test).map_err(raise)?;
    Ok((test.t, test.p_value))
}
