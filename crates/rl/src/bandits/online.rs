//! A game whose arms somebody else pays: an arm is asked for, and its reward is told.

use super::{Game, MOST_NUMBERS, Player, Strategy};
use mercer_core::{Error, Result};
use mercer_math::{Rng, rng_for};

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
    /// Whether rewards must be in [0, 1].
    unit: bool,
    /// The context of the last choice.
    seen: Option<Vec<f64>>,
    rng: Rng,
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
        let unit = strategy.needs_unit_rewards();
        Ok(Self { player, game, unit, seen: None, rng: rng_for(seed, 0) })
    }

    /// The arm of this round.
    ///
    /// # Errors
    /// A context of another length than the game's, or with numbers that are not finite.
    pub fn choose(&mut self, context: &[f64]) -> Result<usize> {
        self.check(context)?;
        let arm = self.player.choose(context, &mut self.rng);
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
