//! Arms that are called by name, as the command line and Python do.
//!
//! # Objective
//! $$ r_t = \mu_{t,a_t} + \text{noise},\qquad \mu_{t,a}\ \text{by the kind of arms} $$
//!
//! # Algorithm
//! A name chooses the kind, its settings the means and the noise; they become [`Arms`], which are checked before they are played.
//!
//! # Complexity
//! O(numbers given).
//!
//! # Example
//! ```
//! use mercer_rl::bandits::arms;
//! assert_eq!(arms("bandit-linear:weights=[[1,0],[0,1]]")?.n_features(), 2);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Numbers that are not finite, rows of different lengths and more arms than memory holds are refused by name.
//!
//! # References
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, section 2.3. MIT Press, 2018.

use super::Arms;
use mercer_core::{Declaration, Error, Object, ParamGroup, Params, Result};
use mercer_math::Mat;

/// How far rewards lie from their means.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
struct Noise {
    /// The standard deviation of rewards.
    #[param(default = 1.0, range = "[0, inf)")]
    deviation: f64,
}

/// Each arm pays 1 with its probability, else 0.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "bandit bandit-bernoulli", canon = "R1", task = Planning)]
struct BernoulliArms {
    /// The probability of each arm.
    #[param(default = Vec::new(), range = "[0, 1]")]
    means: Vec<f64>,
}

/// Each arm pays a normal reward.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "bandit-gaussian", canon = "R1", task = Planning)]
struct GaussianArms {
    /// The mean of each arm.
    #[param(default = Vec::new(), range = "(-inf, inf)")]
    means: Vec<f64>,
    #[param(flatten)]
    noise: Noise,
}

/// The testbed of Sutton and Barto: normal rewards, whose means are drawn anew in each run.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "bandit-testbed", canon = "R1", task = Planning)]
struct Testbed {
    /// How many arms there are.
    #[param(default = 10, range = "[1, inf)")]
    arms: usize,
    /// The standard deviation of the means, which are drawn around zero.
    #[param(default = 1.0, range = "[0, inf)")]
    spread: f64,
    #[param(flatten)]
    noise: Noise,
}

/// Rewards that someone has written down.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "bandit-table", canon = "R1", task = Planning)]
struct TableArms {
    /// A row for each round, a column for each arm.
    #[param(default = Vec::new(), range = "(-inf, inf)")]
    rewards: Vec<Vec<f64>>,
}

/// Normal rewards, whose means walk.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "bandit-drifting", canon = "R1", task = Planning)]
struct DriftingArms {
    /// The first mean of each arm.
    #[param(default = Vec::new(), range = "(-inf, inf)")]
    means: Vec<f64>,
    /// The standard deviation of a step of a mean.
    #[param(default = 0.01, range = "[0, inf)")]
    step: f64,
    #[param(flatten)]
    noise: Noise,
}

/// Rewards that are linear in a context, which is drawn in each round from the unit sphere.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "bandit-linear", canon = "R1", task = Planning)]
struct LinearArms {
    /// A row of weights for each arm.
    #[param(default = Vec::new(), range = "(-inf, inf)")]
    weights: Vec<Vec<f64>>,
    #[param(flatten)]
    noise: Noise,
}

/// Rows of equal length as a matrix.
fn matrix(owner: &str, name: &str, rows: &[Vec<f64>]) -> Result<Mat> {
    Mat::from_rows(rows).ok_or_else(|| {
        let width = rows.first().map_or(0, Vec::len);
        let odd = rows.iter().position(|row| row.len() != width).unwrap_or(0);
        let expected = format!("rows of {width} numbers, as the first");
        Error::param(owner, name, expected, format!("{} in row {odd}", rows[odd].len()))
    })
}

/// What arms of a name come to.
trait Make: Params {
    fn make(self) -> Result<Arms>;
}

impl Make for BernoulliArms {
    fn make(self) -> Result<Arms> {
        Ok(Arms::Bernoulli { means: self.means })
    }
}

impl Make for GaussianArms {
    fn make(self) -> Result<Arms> {
        Ok(Arms::Gaussian { means: self.means, deviation: self.noise.deviation })
    }
}

impl Make for Testbed {
    fn make(self) -> Result<Arms> {
        Ok(Arms::Testbed { arms: self.arms, spread: self.spread, deviation: self.noise.deviation })
    }
}

impl Make for TableArms {
    fn make(self) -> Result<Arms> {
        Ok(Arms::Table { rewards: matrix(Self::NAME, "rewards", &self.rewards)? })
    }
}

impl Make for DriftingArms {
    fn make(self) -> Result<Arms> {
        Ok(Arms::Drifting { means: self.means, step: self.step, deviation: self.noise.deviation })
    }
}

impl Make for LinearArms {
    fn make(self) -> Result<Arms> {
        Ok(Arms::Linear {
            weights: matrix(Self::NAME, "weights", &self.weights)?,
            deviation: self.noise.deviation,
        })
    }
}

struct Listed {
    declaration: fn() -> &'static Declaration,
    make: fn(&Object) -> Result<Arms>,
}

const fn listed<A: Make>() -> Listed {
    Listed {
        declaration: A::declaration,
        make: |object| {
            let arms = A::from_object(object)?;
            arms.check_params()?;
            let arms = arms.make()?;
            // Rounds are not known before they are played.
            arms.check(0)?;
            Ok(arms)
        },
    }
}

static ARMS: [Listed; 6] = [
    listed::<BernoulliArms>(),
    listed::<GaussianArms>(),
    listed::<Testbed>(),
    listed::<TableArms>(),
    listed::<DriftingArms>(),
    listed::<LinearArms>(),
];

/// The declarations of all arms: names, sentences, settings.
pub fn arms_by_name() -> Vec<&'static Declaration> {
    ARMS.iter().map(|a| (a.declaration)()).collect()
}

/// Arms by name, with settings where they are not the defaults.
///
/// ```
/// assert_eq!(mercer_rl::bandits::arms("bandit:means=[0.2,0.5]")?.n_arms(), 2);
/// assert_eq!(mercer_rl::bandits::arms("bandit-testbed:arms=5")?.n_arms(), 5);
/// assert!(mercer_rl::bandits::arms("bandit:means=[2]").is_err());
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// # Errors
/// Unknown names and settings; settings out of range; no arm.
pub fn arms(spec: &str) -> Result<Arms> {
    arms_of(&Object::parse_spec(spec)?)
}

/// [`arms`], of an object that has been read.
///
/// # Errors
/// As [`arms`].
pub fn arms_of(object: &Object) -> Result<Arms> {
    let found = ARMS.iter().find(|a| (a.declaration)().answers_to(&object.kind));
    let names = || ARMS.iter().flat_map(|a| (a.declaration)().aliases.iter().copied());
    let found = found.ok_or_else(|| Error::unknown("bandit", &object.kind, names()))?;
    (found.make)(object)
}
