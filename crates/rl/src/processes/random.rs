//! Random processes, to measure and to test planners with.

use crate::options::Options;
use mercer_core::{Error, Mdp, Result};
use mercer_math::{normal, rng_for, sample_indices, uniform};

/// Transitions that a process may have: three gigabytes of them, half as much for planners, and three more while it is made.
const LARGEST: usize = 1 << 27;

/// Each action leads to some states, drawn without putting back, with probabilities uniform over the simplex, and pays a
/// standard normal reward.
pub(super) fn random_mdp(options: &mut Options) -> Result<Mdp> {
    let states = options.count("states", 100, 1, 1_000_000)?;
    let actions = options.count("actions", 5, 1, 10_000)?;
    let successors = options.count("successors", states.min(10), 1, states)?;
    let seed = options.count("seed", 0, 0, usize::MAX)?;
    let many = states.saturating_mul(actions).saturating_mul(successors);
    if many > LARGEST {
        let expected = format!("so few that there are at most {LARGEST} transitions");
        return Err(Error::param("random-mdp", "states, actions, successors", expected, many));
    }
    let mut transitions = Vec::with_capacity(many);
    for s in 0..states {
        let mut rng = rng_for(seed as u64, s as u64);
        for a in 0..actions {
            let next = sample_indices(&mut rng, states, successors);
            let weights: Vec<f64> = next.iter().map(|_| -(1.0 - uniform(&mut rng)).ln()).collect();
            let (total, reward) = (weights.iter().sum::<f64>(), normal(&mut rng));
            transitions.extend(next.into_iter().zip(weights).map(|(to, w)| (s, a, to, w / total, reward)));
        }
    }
    Mdp::numbered(states, actions, &transitions, Some(0.95))
}
