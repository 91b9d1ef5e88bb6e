//! Hyper-parameters that maximise a marginal likelihood: L-BFGS-B in their logarithms, from the kernel as it is and from
//! drawn points.

use crate::kernel::Kernel;
use mercer_core::{Error, ErrorKind, Result, Session, Termination};
use mercer_math::{Mat, eigh, uniform};
use mercer_optim::{LbfgsB, Objective, Step, Stop, lbfgsb};
use std::cell::Cell;
use std::ops::ControlFlow;

/// The value of a marginal likelihood at a kernel and its gradient in the logarithms of the hyper-parameters; `None` where the
/// kernel's Gram matrix has no Cholesky factor.
pub(super) type Evaluate<'a> = dyn FnMut(&Kernel) -> Result<Option<(f64, Vec<f64>)>> + 'a;

/// The likelihood of a few of the rows, and how many times as many there are: a search on them ends near that on all of them, and
/// tells how curved the likelihood is there, for a small part of the time.
pub(super) struct Few<'a, 'e> {
    pub(super) evaluate: &'a mut Evaluate<'e>,
    pub(super) times: f64,
}

/// The relative rise of the likelihood at which a search ends; of many rows, whose likelihood is large, as in scikit-learn: scales of
/// features that do not matter go on rising for ever, and raise nothing else.
const VALUE_TOL: f64 = 1e-10;
const VALUE_TOL_OF_MANY: f64 = 2e-9;

/// What a search found.
pub(super) struct Found {
    pub(super) kernel: Kernel,
    pub(super) iterations: u64,
    pub(super) termination: Termination,
}

struct Run<'a, 'e> {
    start: &'a Kernel,
    evaluate: &'a mut Evaluate<'e>,
    /// The first error, after which nothing is evaluated any more.
    failed: &'a Cell<Option<Error>>,
    stopped: &'a Cell<bool>,
}

impl Objective for Run<'_, '_> {
    fn dim(&self) -> usize {
        self.start.theta().len()
    }

    fn value_grad(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        if self.stopped.get() {
            return f64::INFINITY;
        }
        match (self.evaluate)(&self.start.with_theta(theta)) {
            Ok(Some((value, slopes))) => {
                grad.iter_mut().zip(slopes).for_each(|(g, s)| *g = -s);
                -value
            }
            Ok(None) => f64::INFINITY,
            Err(error) => {
                self.stopped.set(true);
                self.failed.set(Some(error));
                f64::INFINITY
            }
        }
    }
}

/// Where a search begins, what is known of the curvature there, and how many steps led there.
#[derive(Default)]
struct Start {
    theta: Vec<f64>,
    known: Vec<(Vec<f64>, Vec<f64>)>,
    steps: u64,
}

impl Few<'_, '_> {
    /// The optimum on a few rows that is reached from a start, and the curvature there in the units of all rows; the start itself
    /// where there is none.
    fn begin(&mut self, kernel: &Kernel, start: Vec<f64>, session: &Session) -> Result<Start> {
        let (failed, stopped) = (Cell::new(None), Cell::new(false));
        let (lower, upper): (Vec<f64>, Vec<f64>) = kernel.bounds().into_iter().unzip();
        let mut objective =
            Run { start: kernel, evaluate: &mut *self.evaluate, failed: &failed, stopped: &stopped };
        let mut monitor =
            |step: &Step| match session.step("hyper-parameters", step.iteration as u64, None, None).is_some()
            {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
        let settings = LbfgsB { tol: 1e-3, value_tol: VALUE_TOL_OF_MANY, max_iter: 500, ..LbfgsB::default() };
        let found = lbfgsb(&mut objective, &start, &lower, &upper, &settings, Some(&mut monitor))?;
        refuse(&failed)?;
        if !found.value.is_finite() {
            return Ok(Start { theta: start, ..Start::default() });
        }
        let mut begun = Start { theta: found.x, known: Vec::new(), steps: found.iterations as u64 };
        if session.interrupted().is_none() {
            begun.known = curvature(&mut objective, &begun.theta, &upper, self.times).unwrap_or_default();
            refuse(&failed)?;
        }
        Ok(begun)
    }
}

/// What failed for another reason than a wish to stop is an error, however far the search has come.
fn refuse(failed: &Cell<Option<Error>>) -> Result<()> {
    match failed.take() {
        Some(error) if !matches!(error.kind(), ErrorKind::Cancelled) => Err(error),
        _ => Ok(()),
    }
}

/// The principal directions of the curvature at a point, each with the change of the gradient along it, the least curved one last.
fn curvature(
    objective: &mut Run<'_, '_>,
    at: &[f64],
    upper: &[f64],
    times: f64,
) -> Option<Vec<(Vec<f64>, Vec<f64>)>> {
    const STEP: f64 = 1e-3;
    // Along directions that are flatter than this a few rows say nothing of all: a step of the whole model there goes from bound to bound.
    const FLAT: f64 = 1.0;
    let p = at.len();
    let mut slopes = |theta: &[f64]| {
        let mut grad = vec![0.0; p];
        objective.value_grad(theta, &mut grad).is_finite().then_some(grad)
    };
    let base = slopes(at)?;
    let mut hessian = Mat::zeros(p, p);
    for j in 0..p {
        // Away from the upper bound; beyond the lower one nothing is looked at either.
        let step = if at[j] + STEP > upper[j] { -STEP } else { STEP };
        let mut near = at.to_vec();
        near[j] += step;
        for (i, (a, b)) in slopes(&near)?.iter().zip(&base).enumerate() {
            let slope = 0.5 * times * (a - b) / step;
            hessian[(i, j)] += slope;
            hessian[(j, i)] += slope;
        }
    }
    let eigen = eigh(&hessian)?;
    let largest = eigen.values.iter().fold(0.0f64, |m, v| m.max(*v));
    let mut order: Vec<usize> = (0..p).filter(|&k| eigen.values[k] > (1e-6 * largest).max(FLAT)).collect();
    order.sort_by(|&a, &b| eigen.values[b].total_cmp(&eigen.values[a]));
    let pair = |k: usize| {
        let s = eigen.vectors.col(k);
        let y = s.iter().map(|v| v * eigen.values[k]).collect();
        (s, y)
    };
    Some(order.into_iter().map(pair).collect())
}

/// The best of the optimum that is reached from the kernel as it is and of those from `restarts` drawn points.
pub(super) fn maximise(
    who: &str,
    kernel: &Kernel,
    restarts: usize,
    session: &Session,
    evaluate: &mut Evaluate<'_>,
    mut few: Option<Few<'_, '_>>,
) -> Result<Found> {
    let bounds = kernel.bounds();
    if let Some((low, high)) = bounds.iter().find(|(l, h)| restarts > 0 && !(l.is_finite() && h.is_finite()))
    {
        let got = format!("bounds of {} and {}", low.exp(), high.exp());
        return Err(Error::param(who, "n_restarts_optimizer", "0 where bounds are infinite", got));
    }
    let (lower, upper): (Vec<f64>, Vec<f64>) = bounds.iter().copied().unzip();
    let (mut best, mut iterations): (Option<(f64, Vec<f64>, Termination)>, u64) = (None, 0);
    for run in 0..=restarts {
        let mut rng = session.rng(run as u64);
        let start = match run {
            0 => kernel.theta(),
            _ => bounds.iter().map(|(l, h)| l + (h - l) * uniform(&mut rng)).collect(),
        };
        let Start { theta: start, known, steps } = match &mut few {
            Some(few) => few.begin(kernel, start, session)?,
            None => Start { theta: start, ..Start::default() },
        };
        iterations += steps;
        // Stopped on the few rows: what was found there is the best so far, if nothing was found on all of them.
        if let Some(why) = session.interrupted()
            && steps > 0
        {
            best = best.or(Some((f64::INFINITY, start, why))).map(|(value, theta, _)| (value, theta, why));
            break;
        }
        let (failed, stopped) = (Cell::new(None), Cell::new(false));
        let mut monitor = |step: &Step| {
            let done = iterations + step.iteration as u64;
            let value = step.value.is_finite().then_some(-step.value);
            match stopped.get() || session.step("hyper-parameters", done, None, value).is_some() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let mut objective =
            Run { start: kernel, evaluate: &mut *evaluate, failed: &failed, stopped: &stopped };
        let memory = known.len() + LbfgsB::default().memory;
        let value_tol = if few.is_some() { VALUE_TOL_OF_MANY } else { VALUE_TOL };
        let settings = LbfgsB { memory, tol: 1e-5, value_tol, max_iter: 1000, known };
        let found = lbfgsb(&mut objective, &start, &lower, &upper, &settings, Some(&mut monitor))?;
        iterations += found.iterations as u64;
        let termination = match found.stop {
            _ if stopped.get() => session.interrupted().unwrap_or(Termination::Cancelled),
            Stop::Converged => Termination::Converged,
            Stop::MaxIter => Termination::IterationLimit,
            Stop::Interrupted => session.interrupted().unwrap_or(Termination::Cancelled),
            Stop::NoProgress => Termination::Stalled,
        };
        refuse(&failed)?;
        if found.value.is_finite() && best.as_ref().is_none_or(|(value, ..)| found.value < *value) {
            best = Some((found.value, found.x, termination));
        }
        if matches!(termination, Termination::Cancelled | Termination::Deadline) {
            best = best.map(|(value, theta, _)| (value, theta, termination));
            break;
        }
    }
    match best {
        Some((_, theta, termination)) => {
            Ok(Found { kernel: kernel.with_theta(&theta), iterations, termination })
        }
        None if session.interrupted().is_some() => Err(ErrorKind::Cancelled.into()),
        None => Err(not_definite(who, kernel)),
    }
}

/// What the end of a search says of its hyper-parameters.
pub(super) fn of_hyper_parameters(end: Termination) -> &'static str {
    if end.is_success() {
        "hyper-parameters are at a stationary point of the marginal likelihood, which may have several"
    } else {
        "the search for hyper-parameters ended before a stationary point of the marginal likelihood"
    }
}

/// The error of a Gram matrix without a Cholesky factor.
pub(super) fn not_definite(who: &str, kernel: &Kernel) -> Error {
    let reason = format!(
        "the Gram matrix of {kernel} is not positive definite to working precision, or too large: raise `alpha`, which is added to \
         its diagonal (jitter), add a white kernel, or scale features and target"
    );
    Error::numeric(who, reason)
}

/// The largest component of the gradient that does not point out of the bounds.
pub(super) fn projected(kernel: &Kernel, slopes: &[f64]) -> f64 {
    let parts = kernel.theta().into_iter().zip(kernel.bounds()).zip(slopes);
    let inside = |((at, (low, high)), slope): ((f64, (f64, f64)), &f64)| match *slope {
        s if s < 0.0 => s.abs().min((at - low).max(0.0)),
        s => s.min((high - at).max(0.0)),
    };
    parts.map(inside).fold(0.0, |m, v: f64| if v > m || v.is_nan() { v } else { m })
}
