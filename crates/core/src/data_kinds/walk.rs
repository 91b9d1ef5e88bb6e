//! A decision process as an environment: episodes are drawn from its transitions.

use super::environment::{Dynamics, Environment, Outcome, Simulation, Space};
use super::mdp::Mdp;
use crate::error::{Error, Result};
use mercer_math::{Rng, rng_for, uniform};
use std::sync::Arc;

/// The transitions of a decision process with what its episodes need beside them.
#[derive(Clone, Debug)]
pub struct MdpWalk {
    own: Arc<Walk>,
}

#[derive(Debug)]
struct Walk {
    mdp: Mdp,
    space: Space,
    /// Running sums of the probabilities of all transitions, anew for each state and action.
    sums: Vec<f64>,
    /// Where the transitions of a state and action begin; one more than there are pairs.
    offsets: Vec<usize>,
    start: Vec<f64>,
    step_limit: Option<u64>,
    grid_width: Option<usize>,
}

impl MdpWalk {
    /// Episodes that begin in a state drawn by the probabilities `start`, by default in any state that has actions.
    pub fn new(mdp: Mdp, start: Option<&[f64]>) -> Result<Self> {
        let n = mdp.states().len();
        let lives = |s: usize| (0..mdp.actions().len()).any(|a| !mdp.transitions(s, a).is_empty());
        let start = match start {
            Some(start) => start.to_vec(),
            None => {
                let alive: Vec<f64> = (0..n).map(|s| f64::from(u8::from(lives(s)))).collect();
                let count: f64 = alive.iter().sum();
                if count == 0.0 {
                    return Err(Error::too_few("an Environment", "states with actions", 1, 0));
                }
                alive.iter().map(|v| v / count).collect()
            }
        };
        if start.len() != n {
            return Err(Error::shape("probabilities of first states", n, start.len()));
        }
        let total: f64 = start.iter().sum();
        if start.iter().any(|p| !(0.0..=1.0).contains(p)) || (total - 1.0).abs() > 1e-9 {
            return Err(Error::param("Mdp", "start", "probabilities that sum to 1", total));
        }
        let n_actions = mdp.actions().len();
        let (mut sums, mut offsets) = (Vec::new(), vec![0]);
        for (s, a) in (0..n).flat_map(|s| (0..n_actions).map(move |a| (s, a))) {
            let mut sum = 0.0;
            sums.extend(mdp.transitions(s, a).iter().map(|t| {
                sum += t.probability;
                sum
            }));
            offsets.push(sums.len());
        }
        let start = mercer_math::running_sums(start);
        let space = Space::Discrete(n);
        let own = Walk { mdp, space, sums, offsets, start, step_limit: None, grid_width: None };
        Ok(Self { own: Arc::new(own) })
    }

    /// With episodes that are cut off after so many steps.
    #[must_use]
    pub fn with_step_limit(self, step_limit: Option<u64>) -> Self {
        self.with(|own| own.step_limit = step_limit)
    }

    /// With states that lie on a grid, row by row.
    #[must_use]
    pub fn with_grid_width(self, width: usize) -> Self {
        self.with(|own| own.grid_width = Some(width))
    }

    fn with(mut self, change: impl FnOnce(&mut Walk)) -> Self {
        if let Some(own) = Arc::get_mut(&mut self.own) {
            change(own);
        }
        self
    }
}

impl Environment {
    /// A decision process whose episodes begin in any of its states that has actions.
    pub fn of_mdp(name: &str, mdp: Mdp) -> Result<Self> {
        Self::new(name, MdpWalk::new(mdp, None)?)
    }
}

impl Dynamics for MdpWalk {
    fn observations(&self) -> &Space {
        &self.own.space
    }
    fn n_actions(&self) -> usize {
        self.own.mdp.actions().len()
    }
    fn make(&self, seed: u64) -> Result<Box<dyn Simulation>> {
        Ok(Box::new(Walking { own: self.own.clone(), state: 0, rng: rng_for(seed, 0) }))
    }
    fn actions(&self) -> Vec<String> {
        self.own.mdp.actions().to_vec()
    }
    fn allows(&self, state: usize, action: usize) -> bool {
        !self.own.mdp.transitions(state, action).is_empty()
    }
    fn step_limit(&self) -> Option<u64> {
        self.own.step_limit
    }
    fn model(&self) -> Option<Result<Mdp>> {
        Some(Ok(self.own.mdp.clone()))
    }
    fn grid_width(&self) -> Option<usize> {
        self.own.grid_width
    }
}

struct Walking {
    own: Arc<Walk>,
    state: usize,
    rng: Rng,
}

impl Walking {
    fn is_over(&self) -> bool {
        let n_actions = self.own.mdp.actions().len();
        let at = self.state * n_actions;
        self.own.offsets[at] == self.own.offsets[at + n_actions]
    }
}

/// The first running sum above a draw, found from the front: most actions lead to few states.
#[inline]
fn drawn(sums: &[f64], rng: &mut Rng) -> usize {
    if sums.len() == 1 {
        return 0;
    }
    let draw = uniform(rng) * sums[sums.len() - 1];
    match sums.len() {
        ..=16 => sums.iter().position(|s| draw < *s).unwrap_or(sums.len() - 1),
        _ => sums.partition_point(|s| *s <= draw).min(sums.len() - 1),
    }
}

impl Simulation for Walking {
    fn reset(&mut self, seed: Option<u64>, observation: &mut [f64]) -> Result<()> {
        if let Some(seed) = seed {
            self.rng = rng_for(seed, 0);
        }
        self.state = drawn(&self.own.start, &mut self.rng);
        observation[0] = self.state as f64;
        Ok(())
    }

    fn step(&mut self, action: usize, observation: &mut [f64]) -> Result<Outcome> {
        let n_actions = self.own.mdp.actions().len();
        let at = self.state * n_actions + action.min(n_actions - 1);
        let sums = &self.own.sums[self.own.offsets[at]..self.own.offsets[at + 1]];
        if action >= n_actions || sums.is_empty() {
            let state = &self.own.mdp.states()[self.state];
            return Err(Error::param(
                "Mdp",
                "action",
                format!("one that is there in {state}"),
                action as f64,
            ));
        }
        let chosen = drawn(sums, &mut self.rng);
        let transition = self.own.mdp.transitions(self.state, action)[chosen];
        self.state = transition.next as usize;
        observation[0] = f64::from(transition.next);
        Ok(Outcome { reward: transition.reward, terminated: self.is_over(), truncated: false })
    }

    fn set_state(&mut self, state: &[f64]) -> Result<()> {
        let place = self.own.space.place(state);
        self.state = place.ok_or_else(|| {
            let last = self.own.mdp.states().len() - 1;
            let got = state.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
            Error::param("Mdp", "state", format!("one whole number from 0 to {last}"), got)
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `a` the process stays with probability 0.75: the share of 40,000 draws lies within 4.9 standard errors of it
    /// (one false alarm in a million).
    #[test]
    fn episodes_follow_the_transitions() {
        let names = |n: &[&str]| n.iter().map(|s| (*s).to_owned()).collect();
        let transitions = [(0, 0, 0, 0.75, 1.0), (0, 0, 1, 0.25, 2.0)];
        let mdp = Mdp::new(names(&["a", "end"]), names(&["go", "rest"]), &transitions, None).unwrap();
        let environment = Environment::of_mdp("two", mdp).unwrap();
        assert!(environment.allows(0, 0) && !environment.allows(0, 1));
        let mut one = environment.make(3).unwrap();
        let (mut x, mut stayed, n) = ([9.0], 0, 40_000);
        for _ in 0..n {
            one.reset(None, &mut x).unwrap();
            assert_eq!(x, [0.0]); // The only state that has actions.
            let step = one.step(0, &mut x).unwrap();
            assert_eq!((step.reward, step.terminated), if x[0] == 0.0 { (1.0, false) } else { (2.0, true) });
            stayed += u32::from(x[0] == 0.0);
        }
        let error = (0.75f64 * 0.25 / f64::from(n)).sqrt();
        assert!((f64::from(stayed) / f64::from(n) - 0.75).abs() < 4.9 * error, "{stayed}");
        one.reset(Some(1), &mut x).unwrap();
        assert!(one.step(1, &mut x).unwrap_err().to_string().contains("there in a"));
        assert!(one.step(7, &mut x).is_err());
        for (bad, told) in [(&[2.0][..], "got 2"), (&[0.5], "got 0.5"), (&[0.0, 1.0], "got 0, 1")] {
            let error = one.set_state(bad).unwrap_err().to_string();
            assert!(error.contains("from 0 to 1") && error.ends_with(told), "{error}");
        }
    }
}
