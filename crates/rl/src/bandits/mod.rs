//! Bandits: arms that pay at random, strategies that choose among them, and what that costs.

mod arms;
mod bounds;
mod contextual;
mod exp3;
mod factor;
mod greedy;
mod named_arms;
mod off_policy;
mod online;
mod optimism;
mod simulate;
mod thompson;

pub use arms::Arms;
pub use bounds::{Bounds, lai_robbins, ucb1_bound};
pub use contextual::{LinUCB, LinearThompsonSampling};
pub use exp3::EXP3;
pub use greedy::{EpsilonGreedy, Exploit, Explore, Gradient, Softmax};
pub use named_arms::{arms, arms_by_name, arms_of};
pub use off_policy::{Estimate, Logged, direct, doubly_robust, importance, self_normalised};
pub use online::Online;
pub(crate) use online::Standing;
pub use optimism::{KLUCB, UCB1, UCBV, kl_bernoulli, kl_index};
use simulate::Run;
pub use simulate::{Curves, play_once, simulate};
pub use thompson::{GaussianThompsonSampling, ThompsonSampling};

use mercer_core::{Declaration, Error, Object, Params, Result};
use mercer_math::Rng;
use std::fmt::Debug;

/// More numbers than these are not asked of memory.
pub(crate) const MOST_NUMBERS: usize = 1 << 26;

/// What a strategy knows before the first round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    /// How many arms there are.
    pub arms: usize,
    /// How many numbers a context has; none where there is none.
    pub features: usize,
    /// How many rounds are played.
    pub steps: usize,
}

/// A strategy with its settings.
pub trait Strategy: Debug + Send + Sync {
    /// Who plays one game by it.
    ///
    /// # Errors
    /// A game that is none for it, such as one without contexts.
    fn player(&self, game: &Game) -> Result<Box<dyn Player>>;

    /// Whether its rewards must be in [0, 1].
    fn needs_unit_rewards(&self) -> bool {
        false
    }

    /// Whether what it knows of an arm are the weights of a context.
    fn needs_context(&self) -> bool {
        false
    }
}

/// Who plays one game: an arm is chosen, and its reward is told.
pub trait Player: Debug + Send {
    /// The arm of this round.
    fn choose(&mut self, context: &[f64], rng: &mut Rng) -> usize;
    /// What the arm paid.
    fn update(&mut self, context: &[f64], arm: usize, reward: f64);
    /// What is expected of each arm, in a measure of its own; of linear arms the weights of the context, one arm after the other.
    fn worth(&self) -> Vec<f64>;
    /// All numbers that going on needs, in an order of its own.
    fn known(&self) -> Vec<&[f64]>;
    /// The same, to be written.
    fn known_mut(&mut self) -> Vec<&mut [f64]>;

    /// Makes anew what follows from numbers that were written.
    fn recalled(&mut self) {}

    /// Plays all rounds of a run. It is provided, so that it is compiled for each player: a round then calls nothing through a
    /// table of functions, and what a player knows can stay in registers.
    fn play(&mut self, run: &mut Run<'_>) {
        run.rounds(self);
    }
}

/// [`Player::known`] and [`Player::known_mut`] of lists, and of single numbers behind them.
macro_rules! knows {
    ([$($($list:ident).+),*], [$($($one:ident).+),*]) => {
        fn known(&self) -> Vec<&[f64]> {
            vec![$(&self.$($list).+[..],)* $(std::slice::from_ref(&self.$($one).+),)*]
        }

        fn known_mut(&mut self) -> Vec<&mut [f64]> {
            vec![$(&mut self.$($list).+[..],)* $(std::slice::from_mut(&mut self.$($one).+),)*]
        }
    };
}
use knows;

/// A strategy with all its settings, those that were not given among them.
type Made = (Object, Box<dyn Strategy>);

/// A strategy that is called by name.
struct Listed {
    declaration: fn() -> &'static Declaration,
    make: fn(&Object) -> Result<Made>,
}

const fn listed<S: Strategy + Params + 'static>() -> Listed {
    Listed {
        declaration: S::declaration,
        make: |object| {
            let strategy = S::from_object(object)?;
            strategy.check_params()?;
            Ok((strategy.to_object(), Box::new(strategy)))
        },
    }
}

static STRATEGIES: [Listed; 13] = [
    listed::<Explore>(),
    listed::<Exploit>(),
    listed::<EpsilonGreedy>(),
    listed::<Softmax>(),
    listed::<Gradient>(),
    listed::<UCB1>(),
    listed::<UCBV>(),
    listed::<KLUCB>(),
    listed::<ThompsonSampling>(),
    listed::<GaussianThompsonSampling>(),
    listed::<EXP3>(),
    listed::<LinUCB>(),
    listed::<LinearThompsonSampling>(),
];

/// The declarations of all strategies: names, sentences, settings.
pub fn strategies() -> Vec<&'static Declaration> {
    STRATEGIES.iter().map(|s| (s.declaration)()).collect()
}

/// A strategy by name, with settings where they are not the defaults.
///
/// ```
/// assert!(mercer_rl::bandits::strategy("epsilon-greedy:epsilon=0.05").is_ok());
/// assert!(mercer_rl::bandits::strategy("epsilon-greedy:epsilon=2").is_err());
/// ```
///
/// # Errors
/// Unknown names and settings; settings out of range.
pub fn strategy(spec: &str) -> Result<Box<dyn Strategy>> {
    strategy_of(&Object::parse_spec(spec)?)
}

/// [`strategy`], of an object that has been read.
///
/// # Errors
/// As [`strategy`].
pub fn strategy_of(object: &Object) -> Result<Box<dyn Strategy>> {
    made(object).map(|made| made.1)
}

fn made(object: &Object) -> Result<Made> {
    let found = STRATEGIES.iter().find(|s| (s.declaration)().answers_to(&object.kind));
    let names = || STRATEGIES.iter().flat_map(|s| (s.declaration)().aliases.iter().copied());
    let found = found.ok_or_else(|| Error::unknown("strategy", &object.kind, names()))?;
    (found.make)(object)
}

/// What is known of each arm by its rewards alone.
#[derive(Clone, Debug)]
pub(crate) struct Averages {
    pub(crate) counts: Vec<f64>,
    pub(crate) means: Vec<f64>,
    /// Rounds so far.
    pub(crate) rounds: f64,
}

impl Averages {
    pub(crate) fn new(arms: usize, start: f64) -> Self {
        Self { counts: vec![0.0; arms], means: vec![start; arms], rounds: 0.0 }
    }

    /// Q ← Q + (v − Q) / n: the reward counts, as it must, in the mean of its arm.
    pub(crate) fn add(&mut self, arm: usize, reward: f64) {
        self.rounds += 1.0;
        self.counts[arm] += 1.0;
        self.means[arm] += (reward - self.means[arm]) / self.counts[arm];
    }

    /// The first arm that was never tried.
    pub(crate) fn untried(&self) -> Option<usize> {
        // All have been, once there were more rounds than arms of any strategy that asks.
        self.counts.iter().position(|n| *n == 0.0)
    }
}

/// Refuses a game without contexts.
pub(crate) fn refuse_without_context(strategy: &str, game: &Game) -> Result<()> {
    match game.features {
        0 => Err(Error::param(strategy, "n_features", "at least 1, of arms that depend on a context", 0)),
        _ => Ok(()),
    }
}
