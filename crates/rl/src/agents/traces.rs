//! Learning from differences between successive values, with eligibility traces that hand each of them on to what came before.

use super::basis::Sight;
use super::values::Values;
use mercer_core::{Choice, Error, ParamGroup, Result};

/// How a trace grows where a feature is met again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Trace {
    /// By one more.
    Accumulating,
    /// To one.
    Replacing,
    /// Such that learning as one goes equals learning from what was seen in the end (van Seijen and Sutton, 2014).
    Dutch,
}

/// Traces.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct TraceParams {
    /// How much of an error reaches the step before: 0 is one step, 1 all steps of the episode.
    #[param(name = "lambda_", default = 0.0, range = "[0, 1]", search = "linear 0..1")]
    pub lambda: f64,
    /// How traces grow.
    #[param(default = Trace::Accumulating)]
    pub traces: Trace,
}

/// Over how many steps values are learnt: several rewards, or traces.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ReachParams {
    /// Over how many rewards a value is learnt, before values are trusted.
    #[param(default = 1, range = "[1, inf)")]
    pub n_step: usize,
    /// How far errors reach back.
    #[param(flatten)]
    pub trace: TraceParams,
}

/// Traces below this are dropped: what they would hand on is lost in rounding.
const FAINT: f64 = 1e-12;

/// The learning part of every method of temporal differences.
#[derive(Debug)]
pub(crate) struct Differences {
    pub values: Values,
    pub discount: f64,
    lambda: f64,
    kind: Trace,
    /// The strength of each weight's trace, and which are not zero.
    strength: Vec<f64>,
    alive: Vec<usize>,
    /// The value that the step before foresaw.
    foreseen: f64,
}

impl Differences {
    pub(super) fn new(values: Values, discount: f64, params: &TraceParams) -> Self {
        let strength = if params.lambda > 0.0 { vec![0.0; values.weights.len()] } else { Vec::new() };
        let (lambda, kind) = (params.lambda, params.traces);
        Self { values, discount, lambda, kind, strength, alive: Vec::new(), foreseen: 0.0 }
    }

    /// Moves values towards `reward` + discount · `next`, where `next` is the value foreseen.
    #[inline]
    pub(super) fn learn(&mut self, sight: &Sight, action: usize, reward: f64, next: f64) {
        self.learn_weighted(sight, action, reward, next, 1.0);
    }

    /// The same of a step that the policy which is learnt of would make `ratio` times as often as the one that acts: with traces
    /// e ← ratio · (γλ e + x), section 12.9 of Sutton and Barto. Dutch traces know no such ratio.
    #[inline]
    pub(super) fn learn_weighted(
        &mut self,
        sight: &Sight,
        action: usize,
        reward: f64,
        next: f64,
        ratio: f64,
    ) {
        let value = self.values.of(sight, action);
        let error = reward + self.discount * next - value;
        if self.lambda == 0.0 {
            return self.values.learn(sight, action, ratio * error);
        }
        self.values.visit(sight, action);
        match self.kind {
            Trace::Dutch => self.learn_dutch(sight, action, error, value, next),
            Trace::Accumulating | Trace::Replacing => {
                self.fade();
                self.mark(sight, action);
                if ratio != 1.0 {
                    self.alive.iter().for_each(|at| self.strength[*at] *= ratio);
                }
                for at in &self.alive {
                    self.values.weights[*at] += self.values.rate(*at) * error * self.strength[*at];
                }
            }
        }
    }

    /// True online learning: section 12.5 of Sutton and Barto, with a rate for each feature.
    fn learn_dutch(&mut self, sight: &Sight, action: usize, error: f64, value: f64, next: f64) {
        self.fade();
        let seen = sight.index.iter().zip(&sight.value);
        let n_actions = self.values.n_actions;
        let places = seen.map(|(f, v)| (*f as usize * n_actions + action, *v));
        // After fading, the traces carry discount · λ already.
        let overlap: f64 = places.clone().map(|(at, v)| self.values.rate(at) * self.strength[at] * v).sum();
        for (at, v) in places.clone() {
            if self.strength[at] == 0.0 {
                self.alive.push(at);
            }
            self.strength[at] += (1.0 - overlap) * v;
        }
        let surprise = value - self.foreseen;
        for at in &self.alive {
            self.values.weights[*at] += self.values.rate(*at) * (error + surprise) * self.strength[*at];
        }
        for (at, v) in places {
            self.values.weights[at] -= self.values.rate(at) * surprise * v;
        }
        self.foreseen = next;
    }

    fn fade(&mut self) {
        let (fading, strength) = (self.discount * self.lambda, &mut self.strength);
        self.alive.retain(|at| {
            strength[*at] *= fading;
            let lives = strength[*at].abs() > FAINT;
            if !lives {
                strength[*at] = 0.0;
            }
            lives
        });
    }

    fn mark(&mut self, sight: &Sight, action: usize) {
        for (f, v) in sight.index.iter().zip(&sight.value) {
            let at = self.values.at(*f, action);
            if self.strength[at] == 0.0 && *v != 0.0 {
                self.alive.push(at);
            }
            self.strength[at] = if self.kind == Trace::Replacing { *v } else { self.strength[at] + v };
        }
    }

    /// Forgets what came before.
    pub(super) fn cut(&mut self) {
        self.alive.iter().for_each(|at| self.strength[*at] = 0.0);
        self.alive.clear();
        self.foreseen = 0.0;
    }
}

/// Refuses several steps and traces together.
pub(crate) fn refuse_both(learner: &str, params: &ReachParams) -> Result<()> {
    match params.n_step > 1 && params.trace.lambda > 0.0 {
        true => Err(Error::param(learner, "n_step", "1 where `lambda_` is above 0", params.n_step)),
        false => Ok(()),
    }
}

/// Refuses dutch traces where they are not defined.
pub(crate) fn refuse_dutch(learner: &str, params: &TraceParams, why: &str) -> Result<()> {
    match params.traces == Trace::Dutch && params.lambda > 0.0 {
        true => Err(Error::param(learner, "traces", format!("accumulating or replacing {why}"), "dutch")),
        false => Ok(()),
    }
}
