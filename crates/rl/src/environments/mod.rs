//! Environments by name: textbook worlds with Gymnasium's semantics, and every decision process.

mod blackjack;
mod control;
mod fickle;
mod grids;
mod walks;

use crate::options::Options;
use crate::{PROCESSES, process};
use mercer_core::{Environment, Error, Mdp, MdpWalk, Result};

type Maker = fn(Options) -> Result<Environment>;

/// The environments that [`environment`] knows beside the processes: name, makers, what they are.
const MAKERS: &[(&str, Maker, &str)] = &[
    ("frozen-lake", grids::frozen_lake, "Slippery ice with holes (size=4|8, slippery, success, map)."),
    ("cliff", grids::cliff, "The cliff walk of Sutton and Barto, example 6.6 (slippery)."),
    ("windy", grids::windy, "The windy grid of Sutton and Barto, example 6.5 (king)."),
    ("grid", grids::grid, "A grid drawn by text: map='S..#/.H.G' (step, goal, hole, cliff, success)."),
    ("taxi", walks::taxi, "Dietterich's taxi: 500 states, six actions (rainy, success, fickle=0.3)."),
    (
        "random-walk",
        walks::random_walk,
        "A walk between two ends, Sutton and Barto, example 6.2 (states, left).",
    ),
    (
        "blackjack",
        blackjack::blackjack,
        "Cards against a dealer, Sutton and Barto, example 5.1 (book, natural).",
    ),
    ("mountain-car", control::mountain_car, "A weak car between two hills (goal_velocity)."),
    ("cart-pole", control::cart_pole, "A pole balanced on a cart (book)."),
    ("acrobot", control::acrobot, "Two links that swing up."),
];

/// Names and meanings of all environments.
pub fn environments() -> Vec<(&'static str, &'static str)> {
    MAKERS.iter().map(|(name, _, doc)| (*name, *doc)).chain(PROCESSES.iter().copied()).collect()
}

/// An environment by its name, with options behind a colon.
///
/// ```
/// let lake = mercer_rl::environment("frozen-lake:size=8,slippery=false")?;
/// assert_eq!(lake.observations().count(), Some(64));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn environment(spec: &str) -> Result<Environment> {
    let options = Options::parse(spec)?;
    if let Some((_, make, _)) = MAKERS.iter().find(|(name, ..)| *name == options.name()) {
        return make(options);
    }
    if !PROCESSES.iter().any(|(name, _)| *name == options.name()) {
        let known = environments();
        return Err(Error::unknown("environment", options.name(), known.iter().map(|known| known.0)));
    }
    let mdp = process(spec)?;
    let ends = |s: usize| (0..mdp.actions().len()).all(|a| mdp.transitions(s, a).is_empty());
    // Where nothing ends an episode, something has to.
    let limit = if (0..mdp.states().len()).any(ends) { None } else { Some(1000) };
    Environment::new(spec, MdpWalk::new(mdp, None)?.with_step_limit(limit))
}

/// The decision process that an environment of this name follows.
pub(crate) fn model(spec: &str) -> Result<Mdp> {
    let options = Options::parse(spec)?;
    match MAKERS.iter().find(|(name, ..)| *name == options.name()) {
        Some((_, make, _)) => make(options)?.mdp(),
        None => {
            let known = environments();
            Err(Error::unknown("decision process", options.name(), known.iter().map(|known| known.0)))
        }
    }
}
