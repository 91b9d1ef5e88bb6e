//! A taxi whose passenger may change his mind on the way, as under Gymnasium's option `fickle_passenger`.
//!
//! Whether he will is drawn when an episode begins, and is not observed: the states of the taxi alone are no decision process then.

use super::walks::{place, ride};
use mercer_core::{Dynamics, MdpWalk, Outcome, Result, Simulation, Space};
use mercer_math::{Rng, below, rng_for, uniform};

pub(super) struct FickleTaxi {
    pub(super) taxi: MdpWalk,
    /// The probability that a passenger changes his mind.
    pub(super) probability: f64,
}

impl Dynamics for FickleTaxi {
    fn observations(&self) -> &Space {
        self.taxi.observations()
    }
    fn n_actions(&self) -> usize {
        self.taxi.n_actions()
    }
    fn make(&self, seed: u64) -> Result<Box<dyn Simulation>> {
        let (taxi, rng) = (self.taxi.make(seed)?, rng_for(seed, 1));
        Ok(Box::new(Riding { taxi, probability: self.probability, rng, wavers: false, state: 0 }))
    }
    fn actions(&self) -> Vec<String> {
        self.taxi.actions()
    }
    fn allows(&self, state: usize, action: usize) -> bool {
        self.taxi.allows(state, action)
    }
    fn step_limit(&self) -> Option<u64> {
        self.taxi.step_limit()
    }
}

struct Riding {
    taxi: Box<dyn Simulation>,
    probability: f64,
    rng: Rng,
    /// Whether the passenger of this episode is still to change his mind.
    wavers: bool,
    state: usize,
}

impl Simulation for Riding {
    fn reset(&mut self, seed: Option<u64>, observation: &mut [f64]) -> Result<()> {
        if let Some(seed) = seed {
            self.rng = rng_for(seed, 1);
        }
        self.taxi.reset(seed, observation)?;
        self.state = observation[0] as usize;
        self.wavers = uniform(&mut self.rng) < self.probability;
        Ok(())
    }

    /// The first step that takes a passenger who wavers somewhere else has him want to go to one of the three other stops.
    fn step(&mut self, action: usize, observation: &mut [f64]) -> Result<Outcome> {
        let outcome = self.taxi.step(action, observation)?;
        let (before, mut after) = (ride(self.state), ride(observation[0] as usize));
        if self.wavers && before.2 == 4 && (before.0, before.1) != (after.0, after.1) {
            self.wavers = false;
            let other = below(&mut self.rng, 3);
            after.3 = other + usize::from(other >= before.3);
            observation[0] = place(after) as f64;
            self.taxi.set_state(observation)?;
        }
        self.state = observation[0] as usize;
        Ok(outcome)
    }

    fn set_state(&mut self, state: &[f64]) -> Result<()> {
        self.taxi.set_state(state)?;
        self.state = state[0] as usize;
        Ok(())
    }
}
