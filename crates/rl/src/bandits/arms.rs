//! Arms: what they pay in a round, and what was to be had.

use super::MOST_NUMBERS;
use mercer_core::{Error, Result};
use mercer_math::{Mat, Rng, dot, normal, uniform};

/// Arms of a bandit.
#[derive(Clone, Debug, PartialEq)]
pub enum Arms {
    /// Each pays 1 with its probability, else 0.
    Bernoulli {
        /// The probability of each arm.
        means: Vec<f64>,
    },
    /// Each pays a normal reward.
    Gaussian {
        /// The mean of each arm.
        means: Vec<f64>,
        /// The standard deviation of all.
        deviation: f64,
    },
    /// The testbed of Sutton and Barto: normal rewards, whose means are drawn anew in each run.
    Testbed {
        /// How many arms there are.
        arms: usize,
        /// The standard deviation of the means, which are drawn around zero.
        spread: f64,
        /// The standard deviation of rewards.
        deviation: f64,
    },
    /// Rewards that someone has written down: a row for each round, a column for each arm.
    Table {
        /// The rewards.
        rewards: Mat,
    },
    /// Normal rewards, whose means walk.
    Drifting {
        /// The first mean of each arm.
        means: Vec<f64>,
        /// The standard deviation of a step of a mean.
        step: f64,
        /// The standard deviation of rewards.
        deviation: f64,
    },
    /// Rewards that are linear in a context, which is drawn in each round from the unit sphere.
    Linear {
        /// A row of weights for each arm.
        weights: Mat,
        /// The standard deviation of rewards.
        deviation: f64,
    },
}

/// The arms of one run, as they stand.
#[derive(Clone, Debug)]
pub(crate) struct Bandit<'a> {
    arms: &'a Arms,
    /// The mean of each arm in this round.
    pub(crate) means: Vec<f64>,
    /// The greatest of them.
    pub(crate) best: f64,
    /// The context of this round.
    pub(crate) context: Vec<f64>,
    round: usize,
}

impl Arms {
    /// How many there are.
    pub fn n_arms(&self) -> usize {
        match self {
            Arms::Bernoulli { means } | Arms::Gaussian { means, .. } | Arms::Drifting { means, .. } => {
                means.len()
            }
            Arms::Testbed { arms, .. } => *arms,
            Arms::Table { rewards } => rewards.n_cols(),
            Arms::Linear { weights, .. } => weights.n_rows(),
        }
    }

    /// What they are called in errors.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Arms::Bernoulli { .. } => "BernoulliArms",
            Arms::Gaussian { .. } => "GaussianArms",
            Arms::Testbed { .. } => "Testbed",
            Arms::Table { .. } => "TableArms",
            Arms::Drifting { .. } => "DriftingArms",
            Arms::Linear { .. } => "LinearArms",
        }
    }

    /// How many numbers a context has.
    pub fn n_features(&self) -> usize {
        match self {
            Arms::Linear { weights, .. } => weights.n_cols(),
            _ => 0,
        }
    }

    /// Whether every reward is in [0, 1].
    pub fn has_unit_rewards(&self) -> bool {
        match self {
            Arms::Bernoulli { .. } => true,
            Arms::Table { rewards } => rewards.as_slice().iter().all(|r| (0.0..=1.0).contains(r)),
            Arms::Gaussian { .. } | Arms::Testbed { .. } | Arms::Drifting { .. } | Arms::Linear { .. } => {
                false
            }
        }
    }

    /// Refuses what is no bandit, or one of fewer rounds than are to be played.
    pub(crate) fn check(&self, steps: usize) -> Result<()> {
        if self.n_arms() == 0 {
            return Err(Error::too_few("a bandit", "arms", 1, 0));
        }
        let finite = |name: &str, values: &[f64]| match values.iter().find(|v| !v.is_finite()) {
            Some(bad) => Err(Error::param(self.name(), name, "finite", bad)),
            None => Ok(()),
        };
        let size = |name: &str, value: f64| match value >= 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::param(self.name(), name, "in [0, inf)", value)),
        };
        match self {
            Arms::Bernoulli { means } => match means.iter().find(|p| !(0.0..=1.0).contains(*p)) {
                Some(bad) => Err(Error::param(self.name(), "means", "in [0, 1]", bad)),
                None => Ok(()),
            },
            Arms::Gaussian { means, deviation } => finite("means", means).and(size("deviation", *deviation)),
            Arms::Testbed { arms, .. } if *arms > MOST_NUMBERS => {
                Err(Error::param(self.name(), "arms", "few enough to fit in memory", arms))
            }
            Arms::Testbed { spread, deviation, .. } => {
                size("spread", *spread).and(size("deviation", *deviation))
            }
            Arms::Drifting { means, step, deviation } => {
                finite("means", means).and(size("step", *step)).and(size("deviation", *deviation))
            }
            Arms::Linear { weights, deviation } => {
                if weights.n_cols() == 0 {
                    return Err(Error::too_few("linear arms", "features", 1, 0));
                }
                finite("weights", weights.as_slice()).and(size("deviation", *deviation))
            }
            Arms::Table { rewards } if rewards.n_rows() < steps => {
                let expected = format!("at least {steps} rows, one for each step");
                Err(Error::param(self.name(), "rewards", expected, rewards.n_rows()))
            }
            Arms::Table { rewards } => finite("rewards", rewards.as_slice()),
        }
    }

    /// The arms of one run, before the first round.
    pub(crate) fn begin(&self, rng: &mut Rng) -> Bandit<'_> {
        let means = match self {
            Arms::Bernoulli { means } | Arms::Gaussian { means, .. } | Arms::Drifting { means, .. } => {
                means.clone()
            }
            Arms::Testbed { arms, spread, .. } => (0..*arms).map(|_| spread * normal(rng)).collect(),
            Arms::Table { .. } | Arms::Linear { .. } => vec![0.0; self.n_arms()],
        };
        let best = greatest(&means);
        Bandit { arms: self, means, best, context: vec![0.0; self.n_features()], round: 0 }
    }
}

fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

impl Bandit<'_> {
    /// The deviation of normal rewards whose means do not change.
    pub(crate) fn still_normal(&self) -> Option<f64> {
        match self.arms {
            Arms::Gaussian { deviation, .. } | Arms::Testbed { deviation, .. } => Some(*deviation),
            _ => None,
        }
    }

    /// Goes to the next round: its context, and means where these change.
    #[inline]
    pub(crate) fn next_round(&mut self, rng: &mut Rng) {
        match self.arms {
            Arms::Bernoulli { .. } | Arms::Gaussian { .. } | Arms::Testbed { .. } => return,
            Arms::Table { rewards } => {
                self.means.copy_from_slice(rewards.row(self.round));
                self.round += 1;
            }
            Arms::Drifting { step, .. } => {
                // The first round has the means that were given.
                if self.round > 0 {
                    self.means.iter_mut().for_each(|mean| *mean += step * normal(rng));
                }
                self.round += 1;
            }
            Arms::Linear { weights, .. } => {
                self.context.iter_mut().for_each(|x| *x = normal(rng));
                let length = dot(&self.context, &self.context).sqrt().max(f64::MIN_POSITIVE);
                self.context.iter_mut().for_each(|x| *x /= length);
                for (arm, mean) in self.means.iter_mut().enumerate() {
                    *mean = dot(weights.row(arm), &self.context);
                }
            }
        }
        self.best = greatest(&self.means);
    }

    /// What an arm pays in this round.
    #[inline]
    pub(crate) fn pull(&self, arm: usize, rng: &mut Rng) -> f64 {
        let mean = self.means[arm];
        match self.arms {
            Arms::Bernoulli { .. } => f64::from(uniform(rng) < mean),
            Arms::Table { .. } => mean,
            Arms::Gaussian { deviation, .. }
            | Arms::Testbed { deviation, .. }
            | Arms::Drifting { deviation, .. }
            | Arms::Linear { deviation, .. } => mean + deviation * normal(rng),
        }
    }
}
