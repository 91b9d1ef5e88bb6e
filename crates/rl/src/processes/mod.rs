//! Decision processes by name.

mod business;
mod grids;
mod random;

use crate::options::Options;
use mercer_core::{Mdp, Result};

/// The processes that [`process`] knows.
pub const PROCESSES: &[(&str, &str)] = &[
    ("gridworld", "The 4×3 grid of Russell and Norvig: slippery moves, +1 and -1 exits, discount 1."),
    ("grid4x4", "The 4×4 grid of Sutton and Barto: -1 a step until one of two corners, discount 1."),
    ("grid5x5", "The 5×5 grid of Sutton and Barto: two cells that pay and carry away, discount 0.9."),
    ("chain", "Five states in a row; walking right to the end pays 10, stepping back pays 2."),
    ("gambler", "Stakes on a coin until the goal or ruin: `gambler:goal=100,p=0.4`, discount 1."),
    ("car-rental", "Jack's two places of cars, moved overnight: 441 states, discount 0.9."),
    (
        "random-mdp",
        "A random sparse process: `random-mdp:states=100,actions=5,successors=10,seed=0`, discount 0.95.",
    ),
];

/// A decision process by name, with settings where it has any.
///
/// ```
/// assert_eq!(mercer_rl::process("gridworld")?.states().len(), 12);
/// assert_eq!(mercer_rl::process("gambler:goal=10")?.states().len(), 11);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn process(name: &str) -> Result<Mdp> {
    let mut options = Options::parse(name)?;
    let mdp = match options.name() {
        "gridworld" => grids::gridworld(),
        "grid4x4" => grids::grid4x4(),
        "grid5x5" => grids::grid5x5(),
        "chain" => chain(),
        "gambler" => {
            business::gambler(options.count("goal", 100, 2, 10_000)?, options.number("p", 0.4, 0.0, 1.0)?)
        }
        "car-rental" => business::car_rental(),
        "random-mdp" => random::random_mdp(&mut options),
        _ => return crate::environments::model(name),
    };
    options.done()?;
    mdp
}

fn chain() -> Result<Mdp> {
    let states = (0..5).map(|i| format!("s{i}")).collect();
    let mut transitions = Vec::new();
    for s in 0..5usize {
        let forward = if s == 4 { 10.0 } else { 0.0 };
        transitions.push((s, 0, (s + 1).min(4), 0.8, forward));
        transitions.push((s, 0, 0, 0.2, 2.0));
        transitions.push((s, 1, 0, 0.8, 2.0));
        transitions.push((s, 1, (s + 1).min(4), 0.2, forward));
    }
    Mdp::new(states, vec!["forward".to_owned(), "back".to_owned()], &transitions, Some(0.95))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_process_has_a_name_and_unknown_settings_are_refused() {
        for (name, _) in PROCESSES {
            assert!(process(name).unwrap().discount().is_some(), "{name}");
        }
        for bad in [
            "gambler:goal=1",
            "gambler:p=1.5",
            "gambler:goal=ten",
            "chain:length=3",
            "gridwrld",
            ":",
            "random-mdp:actions=0",
        ] {
            assert!(process(bad).is_err(), "{bad}");
        }
        assert!(process("gridwrld").unwrap_err().to_string().contains("`gridworld`"));
    }
}
