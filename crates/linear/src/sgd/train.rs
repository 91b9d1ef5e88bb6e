//! From data to descents: one for each class, passes until nothing improves, partitions side by side.

use super::descent::{Lesson, State, pass};
use super::settings::{LearningRate, Rule, SgdParams};
use crate::points::{OnPoints, Points, on_points};
use mercer_core::{ClassWeight, Dataset, Error, Result, Session, Termination};
use mercer_math::{Weights, rng_for, seed_for, shuffle};
use mercer_measure::Loss;
use rayon::prelude::*;

/// What is trained, and how.
pub(crate) struct Plan<'p> {
    pub(crate) name: &'static str,
    pub(crate) params: &'p SgdParams,
    pub(crate) rule: Rule,
    pub(crate) class_weight: Option<&'p ClassWeight>,
    pub(crate) n_partitions: usize,
}

/// The error for coefficients that grew too large.
pub(crate) fn overflow(name: &str, epochs: u64) -> Error {
    let why = format!(
        "Floating-point under-/overflow occurred at epoch #{epochs}. Scaling input data with StandardScaler or MinMaxScaler \
         might help."
    );
    Error::numeric(name, why)
}

/// The rows as descents see them: targets and weights for each of them.
pub(crate) struct Lessons {
    pub(crate) targets: Vec<Vec<f64>>,
    pub(crate) weights: Vec<Vec<f64>>,
    /// The stratum of each row, for rows that are held out.
    pub(crate) strata: Vec<u32>,
    pub(crate) classes: bool,
}

/// How descents ended.
pub(crate) struct Ended {
    pub(crate) states: Vec<State>,
    /// The most passes of any.
    pub(crate) epochs: u64,
    pub(crate) termination: Termination,
}

impl Lessons {
    /// Of numbers one; of two classes one, of more one for each against the rest.
    pub(crate) fn of(
        name: &'static str,
        loss: Loss,
        class_weight: Option<&ClassWeight>,
        data: &Dataset<'_>,
        all_present: bool,
    ) -> Result<Self> {
        let target = data.need_target(name)?;
        let weights = Weights::of(&data.weights()).to_vec(data.n_rows());
        if !target.is_class() {
            let y = target.numbers()?.to_vec();
            if let Some(row) = y.iter().position(|&y| !loss.takes(y)) {
                let why = format!("the loss {loss} has no value for the target {} in row {row}", y[row]);
                return Err(Error::numeric(name, why));
            }
            let strata = vec![0; y.len()];
            return Ok(Self { targets: vec![y], weights: vec![weights], strata, classes: false });
        }
        let (codes, labels) = target.class()?;
        let k = labels.len();
        let mut totals = vec![0.0; k];
        codes.iter().zip(&weights).for_each(|(&c, w)| totals[c as usize] += w);
        let present = totals.iter().filter(|t| **t > 0.0).count();
        if k < 2 || all_present && present < 2 {
            return Err(Error::too_few(name, "classes", 2, present.min(k)));
        }
        let factors = match class_weight {
            Some(given) => given.factors(name, labels, &totals)?,
            None => vec![1.0; k],
        };
        // A logit is held against 0 and 1.
        let other = if loss == Loss::CrossEntropy { 0.0 } else { -1.0 };
        let own = if k == 2 { 1..2 } else { 0..k as u32 };
        let signs = |class: u32| codes.iter().map(|&c| if c == class { 1.0 } else { other }).collect();
        let weighed = |class: u32| {
            // The rest of several classes is not weighted by class, as in scikit-learn.
            let factor = |c: u32| if k == 2 || c == class { factors[c as usize] } else { 1.0 };
            weights.iter().zip(codes).map(|(w, &c)| w * factor(c)).collect()
        };
        let targets = own.clone().map(signs).collect();
        Ok(Self { targets, weights: own.map(weighed).collect(), strata: codes.to_vec(), classes: true })
    }

    /// Rows to learn from, and rows held out: of each class the same share.
    fn split(&self, plan: &Plan<'_>, seed: u64) -> Result<(Vec<u32>, Vec<u32>)> {
        let n = self.strata.len() as u32;
        if !plan.params.early_stopping {
            return Ok(((0..n).collect(), Vec::new()));
        }
        let (mut learn, mut held) = (Vec::new(), Vec::new());
        let mut rng = rng_for(seed, u64::MAX);
        for stratum in 0..=self.strata.iter().copied().max().unwrap_or(0) {
            let mut rows: Vec<u32> = (0..n).filter(|&i| self.strata[i as usize] == stratum).collect();
            shuffle(&mut rng, &mut rows);
            let cut = (plan.params.validation_fraction * rows.len() as f64).round() as usize;
            held.extend_from_slice(&rows[..cut]);
            learn.extend_from_slice(&rows[cut..]);
        }
        learn.sort_unstable();
        if learn.is_empty() || held.is_empty() {
            let allowed = format!("a share that leaves rows on both sides of {n}");
            return Err(Error::param(
                plan.name,
                "validation_fraction",
                allowed,
                plan.params.validation_fraction,
            ));
        }
        Ok((learn, held))
    }
}

impl Plan<'_> {
    /// Trains from states, or from nothing, for at most `epochs` passes.
    pub(crate) fn run(
        &self,
        data: &Dataset<'_>,
        lessons: &Lessons,
        from: Option<&[State]>,
        epochs: usize,
        session: &Session,
    ) -> Result<Ended> {
        let x = data.numbers(self.name)?;
        let (learn, held) = lessons.split(self, session.seed())?;
        on_points(x.view(), 0.0, Run { plan: self, lessons, from, epochs, session, learn, held })
    }
}

struct Run<'r> {
    plan: &'r Plan<'r>,
    lessons: &'r Lessons,
    from: Option<&'r [State]>,
    epochs: usize,
    session: &'r Session,
    learn: Vec<u32>,
    held: Vec<u32>,
}

impl OnPoints for Run<'_> {
    type Out = Result<Ended>;

    fn on<P: Points>(self, points: &P) -> Result<Ended> {
        let one = |k: usize| {
            let begin = || State::new(points.features(), &self.plan.rule);
            let state = self.from.and_then(|states| states.get(k).cloned()).unwrap_or_else(begin);
            self.passes(points, k, state)
        };
        let all: Vec<(State, u64, Termination)> =
            (0..self.lessons.targets.len()).into_par_iter().map(one).collect();
        let finite = |s: &State| s.intercept.is_finite() && s.w.iter().chain(&s.sum).all(|w| w.is_finite());
        if !all.iter().all(|(state, ..)| finite(state)) {
            let epochs = all.iter().map(|(_, epochs, _)| *epochs).max().unwrap_or(0);
            return Err(overflow(self.plan.name, epochs));
        }
        let epochs = all.iter().map(|(_, epochs, _)| *epochs).max().unwrap_or(0);
        let ends = || all.iter().map(|(.., end)| *end);
        let termination = ends().find(|end| !end.is_success()).or_else(|| ends().next());
        let termination = termination.unwrap_or(Termination::Complete);
        Ok(Ended { states: all.into_iter().map(|(state, ..)| state).collect(), epochs, termination })
    }
}

impl Run<'_> {
    /// Passes until the loss (or the score of held out rows) has not improved by `tol` for some of them; the adaptive rule
    /// then takes shorter steps a few times before it ends.
    fn passes<P: Points>(&self, points: &P, k: usize, mut state: State) -> (State, u64, Termination) {
        let (params, rule) = (self.plan.params, &self.plan.rule);
        let lesson = Lesson { targets: &self.lessons.targets[k], weights: &self.lessons.weights[k] };
        let seed = seed_for(self.session.seed(), k as u64);
        let parts = self.parts();
        let n = self.learn.len() as f64;
        let (mut best, mut stale) = (f64::INFINITY, 0);
        for epoch in 1..=self.epochs as u64 {
            let before = state.updates;
            let losses = self.epoch(points, &lesson, &parts, seed, &mut state);
            state.epochs += 1;
            if !state.intercept.is_finite() || !losses.is_finite() {
                state.intercept = f64::NAN;
                return (state, epoch, Termination::Stalled);
            }
            // A pass that moved nothing and shrinks nothing is the last one that could.
            let still = state.updates == before && rule.l1 == 0.0 && rule.l2 == 0.0 && rule.average == 0;
            if still {
                return (state, epoch, Termination::Converged);
            }
            if let Some(tol) = params.passes.tol {
                let (told, slack) = match params.early_stopping {
                    true => (-self.score(points, &lesson, &state), tol),
                    false => (losses + n * rule.penalty(&state.w, state.intercept), tol * n),
                };
                stale = if told > best - slack { stale + 1 } else { 0 };
                best = best.min(told);
                if stale >= params.n_iter_no_change {
                    if rule.rate != LearningRate::Adaptive || state.adapted <= 1e-6 {
                        return (state, epoch, Termination::Converged);
                    }
                    (state.adapted, stale) = (state.adapted / 5.0, 0);
                }
            }
            let told = self.session.step("epoch", epoch, Some(self.epochs as u64), Some(losses / n));
            if let Some(why) = told {
                return (state, epoch, why);
            }
        }
        let end =
            if params.passes.tol.is_some() { Termination::IterationLimit } else { Termination::Complete };
        (state, self.epochs as u64, end)
    }

    /// The rows of each partition: every so many-th row, so that all look alike.
    fn parts(&self) -> Vec<Vec<u32>> {
        let count = self.plan.n_partitions.clamp(1, self.learn.len().max(1));
        (0..count).map(|p| self.learn.iter().copied().skip(p).step_by(count).collect()).collect()
    }

    /// One pass over all rows: the partitions go their own ways from the same point, and meet at their mean.
    fn epoch<P: Points>(
        &self,
        points: &P,
        lesson: &Lesson<'_>,
        parts: &[Vec<u32>],
        seed: u64,
        state: &mut State,
    ) -> f64 {
        let rule = &self.plan.rule;
        let stream = seed_for(seed, state.epochs);
        // Each pass shuffles anew, so that a pass over a batch is a pass of `fit`.
        let order = |p: usize, rows: &[u32]| {
            let mut rows = rows.to_vec();
            if self.plan.params.passes.shuffle {
                shuffle(&mut rng_for(stream, p as u64), &mut rows);
            }
            rows
        };
        if let [rows] = parts {
            return pass(points, lesson, &order(0, rows), rule, state);
        }
        let part = |(p, rows): (usize, &Vec<u32>)| {
            let mut own = state.clone();
            let losses = pass(points, lesson, &order(p, rows), rule, &mut own);
            (losses, (rows.len() as f64, own))
        };
        let made: Vec<(f64, (f64, State))> = parts.par_iter().enumerate().map(part).collect();
        let (losses, states): (Vec<f64>, Vec<(f64, State)>) = made.into_iter().unzip();
        *state = State::mean(&states, state.updates);
        losses.iter().sum()
    }

    /// Of held out rows the share told rightly, or R².
    fn score<P: Points>(&self, points: &P, lesson: &Lesson<'_>, state: &State) -> f64 {
        let (w, b) = state.answer();
        let each = self.held.iter().map(|&i| (points.dot(i as usize, &w) + b, lesson.targets[i as usize]));
        let n = self.held.len() as f64;
        if self.lessons.classes {
            return each.filter(|(f, y)| (*f > 0.0) == (*y > 0.0)).count() as f64 / n;
        }
        let mean = self.held.iter().map(|&i| lesson.targets[i as usize]).sum::<f64>() / n;
        let (rest, all) =
            each.fold((0.0, 0.0), |(r, a), (f, y)| (r + (y - f).powi(2), a + (y - mean).powi(2)));
        if all > 0.0 { 1.0 - rest / all } else { 0.0 }
    }
}
