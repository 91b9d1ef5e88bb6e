//! Decision processes by name.

mod business;
mod grids;
mod random;

use mercer_core::{Error, Mdp, Object, Result, Value};

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
    let spec = Object::parse_spec(name)?;
    let mut settings = Settings { owner: &spec.kind, left: spec.params.clone() };
    let mdp = match spec.kind.as_str() {
        "gridworld" => grids::gridworld(),
        "grid4x4" => grids::grid4x4(),
        "grid5x5" => grids::grid5x5(),
        "chain" => chain(),
        "gambler" => business::gambler(settings.whole("goal", 100, 2, 10_000)?, settings.share("p", 0.4)?),
        "car-rental" => business::car_rental(),
        "random-mdp" => random::random_mdp(&mut settings),
        _ => return crate::environments::model(name),
    };
    settings.done()?;
    mdp
}

/// The settings of a process that are still to be read.
struct Settings<'a> {
    owner: &'a str,
    left: std::collections::BTreeMap<String, Value>,
}

impl Settings<'_> {
    /// A whole number of a range.
    fn whole(&mut self, name: &str, default: usize, least: usize, most: usize) -> Result<usize> {
        let Some(value) = self.left.remove(name) else { return Ok(default) };
        let refuse =
            || Error::param(self.owner, name, format!("a whole number in [{least}, {most}]"), &value);
        match value {
            Value::Int(i) => {
                usize::try_from(i).ok().filter(|i| (least..=most).contains(i)).ok_or_else(refuse)
            }
            _ => Err(refuse()),
        }
    }

    /// A number in (0, 1).
    fn share(&mut self, name: &str, default: f64) -> Result<f64> {
        match self.left.remove(name) {
            None => Ok(default),
            Some(Value::Real(p)) if p > 0.0 && p < 1.0 => Ok(p),
            Some(value) => Err(Error::param(self.owner, name, "in (0, 1)", value)),
        }
    }

    /// Refuses what no one has asked for.
    fn done(&self) -> Result<()> {
        match self.left.keys().next() {
            Some(name) => Err(Error::unknown("setting of a process", name, std::iter::empty())),
            None => Ok(()),
        }
    }
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
