//! What learners by stochastic gradients share: parameters, losses by name, step sizes.

use crate::intercept::InterceptParams;
use mercer_core::{Choice, Error, ParamGroup, ParamKind, ParamType, Result, Value};
use mercer_measure::Loss;
use mercer_optim::{RobbinsMonro, Schedule};
use serde::{Deserialize, Serialize};

/// What is added to the mean loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum SgdPenalty {
    /// Half the sum of squared coefficients.
    L2,
    /// The sum of absolute coefficients.
    L1,
    /// Both, in the ratio `l1_ratio`.
    Elasticnet,
}

/// How long steps are. t counts steps from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum LearningRate {
    /// Always eta0.
    Constant,
    /// 1 / (alpha (t + t0)), with Bottou's t0.
    Optimal,
    /// eta0 / t^power_t.
    Invscaling,
    /// Eta0, a fifth of it each time that the loss stops falling.
    Adaptive,
    /// As far as the row's loss asks for, at most eta0 (passive-aggressive, first variant).
    Pa1,
    /// The same, softened by 1 / 2 eta0 (second variant).
    Pa2,
    /// Eta0 / (1 + alpha eta0 (t - 1)), which satisfies the conditions of Robbins and Monro.
    RobbinsMonro,
}

/// From which step on coefficients are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Average(
    /// The step; 0 for no average.
    pub u64,
);

impl ParamType for Average {
    fn kind() -> ParamKind {
        ParamKind::Choice { words: &["true", "false"], number: true }
    }

    fn to_value(&self) -> Value {
        match self.0 {
            0 => Value::Bool(false),
            1 => Value::Bool(true),
            step => Value::Int(step as i64),
        }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Bool(yes) => Ok(Self(u64::from(*yes))),
            Value::Text(word) if word == "true" || word == "false" => Ok(Self(u64::from(word == "true"))),
            Value::Int(step) if *step >= 0 => Ok(Self(*step as u64)),
            _ => Err("true, false, or the step from which to average".to_owned()),
        }
    }
}

/// A loss by its name in `mercer_measure::loss`. `squared_error` is half the square, as in scikit-learn; where a loss has a
/// width that the name does not give, it is the parameter `epsilon`.
#[derive(Clone, Debug, PartialEq)]
pub struct SgdLoss {
    name: String,
    loss: Loss,
}

impl SgdLoss {
    /// Reads a loss.
    pub fn parse(text: &str) -> Result<Self> {
        let name = text.trim().to_owned();
        let loss = if name == "squared_error" { Loss::HalfSquared } else { Loss::parse(&name)? };
        Ok(Self { name, loss })
    }

    /// Its name, as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The loss, its width from elsewhere where the name does not give it.
    pub(crate) fn with_width(&self, epsilon: f64) -> Loss {
        match (self.loss, self.name.contains('(')) {
            (Loss::Huber { .. }, false) => Loss::Huber { delta: epsilon },
            (Loss::EpsilonInsensitive { .. }, false) => Loss::EpsilonInsensitive { epsilon },
            (Loss::SquaredEpsilonInsensitive { .. }, false) => Loss::SquaredEpsilonInsensitive { epsilon },
            (loss, _) => loss,
        }
    }
}

impl ParamType for SgdLoss {
    fn kind() -> ParamKind {
        ParamKind::Text
    }

    fn to_value(&self) -> Value {
        Value::from(self.name.as_str())
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Self::parse(text).map_err(|e| format!("a loss ({e})")),
            other => {
                let loss = Loss::from_value(other).map_err(|e| format!("a loss ({e})"))?;
                Ok(Self { name: loss.to_string(), loss })
            }
        }
    }
}

/// What passes over the rows do, and when they end.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct SgdPassParams {
    /// Whether there is an intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// Most passes over the rows.
    #[param(default = 1000, range = "[1, inf)")]
    pub max_iter: usize,
    /// By how much the mean objective met on the way (or the score of held out rows) must improve; none makes all passes.
    #[param(default = Some(1e-3), range = "[0, inf)")]
    pub tol: Option<f64>,
    /// Whether rows are visited in another order in each pass.
    #[param(default = true)]
    pub shuffle: bool,
    /// Whether the coefficients are the mean over all steps; a number says from which step on.
    #[param(default = Average(0))]
    pub average: Average,
}

/// What all learners of targets by stochastic gradients take.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct SgdParams {
    /// Strength of the penalty; the step size `optimal` depends on it, too.
    #[param(default = 1e-4, range = "[0, inf)", search = "log 1e-7..1e-1")]
    pub alpha: f64,
    /// The share of the L1 part in the penalty elasticnet.
    #[param(default = 0.15, range = "[0, 1]")]
    pub l1_ratio: f64,
    /// The passes over the rows.
    #[param(flatten)]
    pub passes: SgdPassParams,
    /// Whether to stop by the score of rows that are held out.
    #[param(default = false)]
    pub early_stopping: bool,
    /// The share of rows held out for that.
    #[param(default = 0.1, range = "(0, 1)")]
    pub validation_fraction: f64,
    /// Passes without improvement after which to stop.
    #[param(default = 5, range = "[1, inf)")]
    pub n_iter_no_change: usize,
}

/// What `SGDClassifier` and `SGDRegressor` share beside.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct SgdStepParams {
    /// The penalty; none leaves it out.
    #[param(default = Some(SgdPenalty::L2))]
    pub penalty: Option<SgdPenalty>,
    /// The width of the losses that have one: huber and both that are insensitive.
    #[param(default = 0.1, range = "[0, inf)")]
    pub epsilon: f64,
    /// The first step, where the learning rate has one.
    #[param(default = 0.01, range = "[0, inf)", search = "log 1e-4..1")]
    pub eta0: f64,
    /// Rows of a step.
    #[param(default = 1, range = "[1, inf)")]
    pub batch_size: usize,
    /// Partitions of the rows that are learnt from side by side and averaged after each pass.
    #[param(default = 1, range = "[1, inf)")]
    pub n_partitions: usize,
}

/// How steps get shorter, where they fall as Bottou has it unless told otherwise.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct SgdScheduleParams {
    /// How long steps are.
    #[param(default = LearningRate::Optimal)]
    pub learning_rate: LearningRate,
    /// How fast the learning rate invscaling falls.
    #[param(default = 0.5)]
    pub power_t: f64,
}

/// A step's rule with its numbers, ready for use.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) loss: Loss,
    pub(crate) rate: LearningRate,
    pub(crate) eta0: f64,
    pub(crate) power_t: f64,
    pub(crate) alpha: f64,
    /// The strengths of both parts of the penalty.
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    pub(crate) batch: usize,
    pub(crate) average: u64,
    pub(crate) fit_intercept: bool,
    /// Whether alpha times the intercept belongs to the objective.
    pub(crate) one_class: bool,
    /// Bottou's t0 less 1.
    first: f64,
}

impl Rule {
    pub(crate) fn new(
        params: &SgdParams,
        loss: Loss,
        penalty: Option<SgdPenalty>,
        (rate, eta0, power_t): (LearningRate, f64, f64),
        batch: usize,
    ) -> Self {
        let share = match penalty {
            Some(SgdPenalty::L1) => 1.0,
            Some(SgdPenalty::Elasticnet) => params.l1_ratio,
            Some(SgdPenalty::L2) | None => 0.0,
        };
        let strength = if penalty.is_some() { params.alpha } else { 0.0 };
        let alpha = params.alpha;
        let typical = (1.0 / alpha.sqrt()).sqrt();
        let steep = loss.gradient(-typical, 1.0).unwrap_or(0.0);
        // As scikit-learn has it: the slope itself, not its size.
        let first = 1.0 / (typical / steep.max(1.0) * alpha) - 1.0;
        let (average, fit_intercept) = (params.passes.average.0, params.passes.intercept.fit_intercept);
        let (l1, l2) = (strength * share, strength * (1.0 - share));
        let one_class = false;
        Self { loss, rate, eta0, power_t, alpha, l1, l2, batch, average, fit_intercept, one_class, first }
    }

    /// The length of step t; `adapted` is that of the adaptive rule.
    #[inline(always)]
    pub(crate) fn eta(&self, t: f64, adapted: f64) -> f64 {
        match self.rate {
            LearningRate::Optimal => 1.0 / (self.alpha * (self.first + t)),
            LearningRate::Invscaling if self.power_t == 0.5 => self.eta0 / t.sqrt(),
            LearningRate::Invscaling if self.power_t == 0.25 => self.eta0 / t.sqrt().sqrt(),
            LearningRate::Invscaling => self.eta0 / t.powf(self.power_t),
            LearningRate::Constant | LearningRate::Pa1 | LearningRate::Pa2 => self.eta0,
            LearningRate::Adaptive => adapted,
            LearningRate::RobbinsMonro => self.eta0 / (1.0 + self.alpha * self.eta0 * (t - 1.0)),
        }
    }

    /// What is added to the mean loss. Steps that no schedule sets do not go down an objective, and have none.
    pub(crate) fn penalty(&self, w: &[f64], intercept: f64) -> f64 {
        if matches!(self.rate, LearningRate::Pa1 | LearningRate::Pa2) {
            return 0.0;
        }
        let squares = if self.l2 > 0.0 { 0.5 * self.l2 * mercer_math::dot(w, w) } else { 0.0 };
        let sizes = if self.l1 > 0.0 { self.l1 * w.iter().map(|w| w.abs()).sum::<f64>() } else { 0.0 };
        squares + sizes + if self.one_class { self.alpha * intercept } else { 0.0 }
    }

    /// Which of the conditions of Robbins and Monro hold; `None` for steps that no schedule sets.
    pub(crate) fn robbins_monro(&self) -> Option<RobbinsMonro> {
        let schedule = match self.rate {
            LearningRate::Pa1 | LearningRate::Pa2 => return None,
            LearningRate::Constant => Schedule::Constant(self.eta0),
            LearningRate::Invscaling => {
                Schedule::InverseScaling { first: self.eta0, power: self.power_t.max(0.0) }
            }
            LearningRate::Adaptive => Schedule::Decaying { first: self.eta0, factor: 0.2, every: 1 },
            LearningRate::Optimal => Schedule::RobbinsMonro { scale: 1.0, shift: 0.0, power: 1.0 },
            LearningRate::RobbinsMonro if self.alpha > 0.0 => {
                Schedule::RobbinsMonro { scale: 1.0, shift: 0.0, power: 1.0 }
            }
            LearningRate::RobbinsMonro => Schedule::Constant(self.eta0),
        };
        Some(schedule.robbins_monro())
    }

    /// Refuses what does not go together.
    pub(crate) fn check(&self, owner: &str) -> Result<()> {
        let rate = self.rate;
        let bad = |allowed: &str| Err(Error::param(owner, "learning_rate", allowed, rate.to_value()));
        match rate {
            LearningRate::Optimal if self.alpha <= 0.0 => {
                Err(Error::param(owner, "alpha", "above 0 for the learning rate optimal", self.alpha))
            }
            LearningRate::Pa1 | LearningRate::Pa2
                if !matches!(self.loss, Loss::Hinge | Loss::EpsilonInsensitive { .. }) =>
            {
                bad("another than pa1 and pa2, which go with hinge and epsilon_insensitive alone")
            }
            LearningRate::Pa1 | LearningRate::Pa2 if self.batch > 1 => {
                bad("another than pa1 and pa2, which take one row at a time")
            }
            LearningRate::Optimal => Ok(()),
            _ if self.eta0 > 0.0 => Ok(()),
            _ => Err(Error::param(owner, "eta0", "above 0", self.eta0)),
        }
    }
}
