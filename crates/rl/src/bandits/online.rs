//! A game whose arms somebody else pays: an arm is asked for, and its reward is told.

use super::{Game, MOST_NUMBERS, Player, Strategy, made};
use mercer_core::{Error, Object, Result};
use mercer_math::{rng_for, seed_for};
use serde::{Deserialize, Serialize};

/// A game that is being played.
///
/// # Example
/// ```
/// use mercer_rl::bandits::{Game, Online, UCB1};
/// let mut game = Online::begin(&UCB1::default(), Game { arms: 2, features: 0, steps: 100 }, 1)?;
/// let arm = game.choose(&[])?;
/// game.update(arm, 0.5, None)?;
/// assert_ne!(game.choose(&[])?, arm);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Online {
    player: Box<dyn Player>,
    game: Game,
    /// The strategy with all its settings, where it was called by name.
    called: Option<Object>,
    /// Whether rewards must be in [0, 1].
    unit: bool,
    /// Whether arms are lines of the context.
    linear: bool,
    /// The context of the last choice.
    seen: Option<Vec<f64>>,
    seed: u64,
    /// How many arms were asked for: each choice has random numbers of its own, so that a game goes on as if never left.
    choices: u64,
}

/// The random numbers of choices lie apart from those of who pays the arms by the same seed.
const CHOICES: u64 = 1 << 41;

/// A game as it stands, in numbers: what a file holds of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Standing {
    /// The strategy with all its settings, as [`super::strategy`] reads it.
    pub(crate) strategy: String,
    pub(crate) arms: u64,
    pub(crate) features: u64,
    steps: u64,
    seed: u64,
    choices: u64,
    known: Vec<f64>,
}

impl Online {
    /// Begins a game.
    ///
    /// # Errors
    /// No arm or step; more than memory holds; a game that is none for the strategy.
    pub fn begin(strategy: &dyn Strategy, game: Game, seed: u64) -> Result<Self> {
        for (name, value) in [("n_arms", game.arms), ("steps", game.steps)] {
            if value == 0 {
                return Err(Error::param("begin", name, "in [1, inf)", value));
            }
        }
        let wide = game.features.saturating_mul(game.features).max(1);
        if game.arms.saturating_mul(wide) > MOST_NUMBERS {
            return Err(Error::param("begin", "n_arms", "such that all arms fit in memory", game.arms));
        }
        let player = strategy.player(&game)?;
        let (unit, linear) = (strategy.needs_unit_rewards(), strategy.needs_context());
        Ok(Self { player, game, called: None, unit, linear, seen: None, seed, choices: 0 })
    }

    /// Begins a game by a strategy that is called by name: it can be saved.
    ///
    /// # Errors
    /// As [`Online::begin`]; unknown names and settings.
    pub fn called(object: &Object, game: Game, seed: u64) -> Result<Self> {
        let (object, strategy) = made(object)?;
        Ok(Self { called: Some(object), ..Self::begin(strategy.as_ref(), game, seed)? })
    }

    /// The game as it stands.
    pub(crate) fn standing(&self) -> Result<Standing> {
        let named = self.called.as_ref().ok_or_else(|| {
            Error::incapable("a game by a strategy without a name", "be saved: begin it by `Online::called`")
        })?;
        Ok(Standing {
            strategy: spelled(named),
            arms: self.game.arms as u64,
            features: self.game.features as u64,
            steps: self.game.steps as u64,
            seed: self.seed,
            choices: self.choices,
            known: self.player.known().concat(),
        })
    }

    /// The game that stood so.
    pub(crate) fn of(standing: &Standing) -> Result<Self> {
        let count = |name: &str, n: u64| {
            usize::try_from(n).map_err(|_| Error::param("a game", name, "few enough to fit in memory", n))
        };
        let game = Game {
            arms: count("n_arms", standing.arms)?,
            features: count("n_features", standing.features)?,
            steps: count("steps", standing.steps)?,
        };
        let mut online = Self::called(&Object::parse_spec(&standing.strategy)?, game, standing.seed)?;
        online.choices = standing.choices;
        let mut rest = standing.known.as_slice();
        for place in online.player.known_mut() {
            let (own, more) = rest
                .split_at_checked(place.len())
                .ok_or_else(|| Error::shape("numbers of a game", place.len(), rest.len()))?;
            place.copy_from_slice(own);
            rest = more;
        }
        if !rest.is_empty() || standing.known.iter().any(|v| !v.is_finite()) {
            return Err(Error::format("the numbers of a game are not those of its strategy"));
        }
        online.player.recalled();
        Ok(online)
    }

    /// What is expected of each arm: a number each, or of linear arms the weights of the context, one arm after the other.
    pub fn worth(&self) -> Vec<f64> {
        self.player.worth()
    }

    /// Whether arms are lines of the context.
    pub fn is_linear(&self) -> bool {
        self.linear
    }

    /// What its random numbers follow from.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// How many arms were asked for.
    pub(crate) fn choices(&self) -> u64 {
        self.choices
    }

    /// What the strategy knew before the first round.
    pub fn game(&self) -> Game {
        self.game
    }

    /// The arm of this round.
    ///
    /// # Errors
    /// A context of another length than the game's, or with numbers that are not finite.
    pub fn choose(&mut self, context: &[f64]) -> Result<usize> {
        self.check(context)?;
        let arm = self.player.choose(context, &mut rng_for(seed_for(self.seed, CHOICES), self.choices));
        self.choices += 1;
        self.seen = Some(context.to_vec());
        Ok(arm)
    }

    /// What an arm paid, in a context; none is that of the last choice.
    ///
    /// # Errors
    /// Arms that there are not; rewards that are not finite, or outside of [0, 1] for a strategy that needs them there; contexts
    /// as in [`Online::choose`].
    pub fn update(&mut self, arm: usize, reward: f64, context: Option<&[f64]>) -> Result<()> {
        if arm >= self.game.arms {
            return Err(Error::param("update", "arm", format!("below {}", self.game.arms), arm));
        }
        let (good, expected) = match self.unit {
            true => ((0.0..=1.0).contains(&reward), "in [0, 1]"),
            false => (reward.is_finite(), "finite"),
        };
        if !good {
            return Err(Error::param("update", "reward", expected, reward));
        }
        let context = context.or(self.seen.as_deref()).unwrap_or(&[]);
        self.check(context)?;
        self.player.update(context, arm, reward);
        Ok(())
    }

    fn check(&self, context: &[f64]) -> Result<()> {
        let expected = || format!("{} finite numbers", self.game.features);
        if context.len() != self.game.features {
            return Err(Error::param(
                "the game",
                "context",
                expected(),
                format!("{} numbers", context.len()),
            ));
        }
        match context.iter().find(|x| !x.is_finite()) {
            Some(bad) => Err(Error::param("the game", "context", expected(), bad)),
            None => Ok(()),
        }
    }
}

/// A name with its settings, as [`Object::parse_spec`] reads it.
fn spelled(object: &Object) -> String {
    let settings: Vec<String> = object.params.iter().map(|(key, value)| format!("{key}={value}")).collect();
    format!("{}:{}", object.kind, settings.join(","))
}
