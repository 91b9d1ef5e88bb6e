//! Environments, which agents learn from by acting: Gymnasium's episodes, with states that are numbers.

use super::{Input, Mdp};
use crate::error::{Error, ErrorKind, Result};
use std::fmt;
use std::sync::Arc;

/// What an environment shows of itself, or takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Space {
    /// One of so many, numbered from 0.
    Discrete(usize),
    /// Several numbers side by side, each one of so many.
    Several(Vec<usize>),
    /// A point between two others; the ends may be infinite.
    Box {
        /// The lower ends.
        low: Vec<f64>,
        /// The upper ends.
        high: Vec<f64>,
    },
}

impl Space {
    /// How many numbers an observation has.
    pub fn width(&self) -> usize {
        match self {
            Space::Discrete(_) => 1,
            Space::Several(counts) => counts.len(),
            Space::Box { low, .. } => low.len(),
        }
    }

    /// How many different observations there are, where they can be counted.
    pub fn count(&self) -> Option<usize> {
        match self {
            Space::Discrete(n) => Some(*n),
            Space::Several(counts) => counts.iter().try_fold(1usize, |all, n| all.checked_mul(*n)),
            Space::Box { .. } => None,
        }
    }

    /// The place of an observation among those that can be counted; `None` for what is none of them.
    #[inline]
    pub fn place(&self, observation: &[f64]) -> Option<usize> {
        let whole = |value: f64, n: usize| {
            let place = value as usize;
            (place < n && place as f64 == value).then_some(place)
        };
        match (self, observation) {
            (Space::Discrete(n), [only]) => whole(*only, *n),
            (Space::Several(counts), _) if counts.len() == observation.len() => {
                counts.iter().zip(observation).try_fold(0, |place, (n, v)| Some(place * n + whole(*v, *n)?))
            }
            (Space::Discrete(_) | Space::Several(_) | Space::Box { .. }, _) => None,
        }
    }
}

/// What a step led to, beside the new observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The reward.
    pub reward: f64,
    /// Whether the episode has come to an end of its own, after which nothing is earned.
    pub terminated: bool,
    /// Whether the episode was cut off from outside, though it might go on.
    pub truncated: bool,
}

/// One running copy of an environment.
pub trait Simulation: Send {
    /// Begins an episode and writes the first observation. A seed begins its random numbers anew; without one they go on.
    fn reset(&mut self, seed: Option<u64>, observation: &mut [f64]) -> Result<()>;
    /// Does an action and writes the observation that it leads to.
    fn step(&mut self, action: usize, observation: &mut [f64]) -> Result<Outcome>;
    /// Puts it into a state from which the next step goes on, written as the environment documents it.
    fn set_state(&mut self, _state: &[f64]) -> Result<()> {
        Err(Error::incapable("this environment", "be put into a state"))
    }
    /// By how much an action's expected reward, here and now, falls short of the best; `None` where that is not known.
    fn regret(&self, _action: usize) -> Option<f64> {
        None
    }
    /// A picture in text, where there is one.
    fn picture(&self) -> Option<String> {
        None
    }
}

/// What makes running copies of an environment.
pub trait Dynamics: Send + Sync {
    /// What is observed.
    fn observations(&self) -> &Space;
    /// How many actions there are.
    fn n_actions(&self) -> usize;
    /// A copy of its own, whose random numbers follow from the seed.
    fn make(&self, seed: u64) -> Result<Box<dyn Simulation>>;
    /// The names of the actions; none means numbers.
    fn actions(&self) -> Vec<String> {
        Vec::new()
    }
    /// The names of the observation's numbers; none means `state`, or `x0`, `x1`, ….
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
    /// Whether an action may be done in a state that can be counted.
    fn allows(&self, _state: usize, _action: usize) -> bool {
        true
    }
    /// After how many steps an episode is cut off.
    fn step_limit(&self) -> Option<u64> {
        None
    }
    /// The decision process that it follows, where it is known; states are in the order of their places.
    fn model(&self) -> Option<Result<Mdp>> {
        None
    }
    /// How wide a picture of all states is, for those that lie on a grid row by row.
    fn grid_width(&self) -> Option<usize> {
        None
    }
    /// Whether it may only be called on the thread that called `fit` (an environment written in Python).
    fn is_local(&self) -> bool {
        false
    }
}

/// A named environment; clones share it.
#[derive(Clone)]
pub struct Environment {
    name: Arc<str>,
    inner: Arc<dyn Dynamics>,
}

impl Environment {
    /// An environment from its dynamics. It must have actions and something to observe.
    pub fn new(name: &str, inner: impl Dynamics + 'static) -> Result<Self> {
        Self::from_arc(name, Arc::new(inner))
    }

    /// An environment from shared dynamics.
    pub fn from_arc(name: &str, inner: Arc<dyn Dynamics>) -> Result<Self> {
        let space = inner.observations();
        let empty = match space {
            Space::Discrete(n) => *n == 0,
            Space::Several(counts) => counts.is_empty() || counts.contains(&0),
            Space::Box { low, high } => {
                if low.len() != high.len() {
                    return Err(Error::shape("upper ends of observations", low.len(), high.len()));
                }
                low.is_empty()
            }
        };
        if empty {
            return Err(Error::too_few("an Environment", "observations", 1, 0));
        }
        if inner.n_actions() == 0 {
            return Err(Error::too_few("an Environment", "actions", 1, 0));
        }
        let (names, actions) = (inner.names().len(), inner.actions().len());
        if names != 0 && names != space.width() {
            return Err(Error::shape("names of observations", space.width(), names));
        }
        if actions != 0 && actions != inner.n_actions() {
            return Err(Error::shape("names of actions", inner.n_actions(), actions));
        }
        Ok(Self { name: name.into(), inner })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the numbers that are observed.
    pub fn feature_names(&self) -> Vec<String> {
        let (own, width) = (self.inner.names(), self.inner.observations().width());
        match (own.is_empty(), width) {
            (false, _) => own,
            (true, 1) if self.inner.observations().count().is_some() => vec!["state".to_owned()],
            (true, _) => (0..width).map(|j| format!("x{j}")).collect(),
        }
    }

    /// The decision process that it follows, or an error that says there is none.
    pub fn mdp(&self) -> Result<Mdp> {
        self.inner.model().unwrap_or_else(|| {
            Err(ErrorKind::Incapable {
                who: format!("the environment {}", self.name),
                what: "be written as a decision process".to_owned(),
                hint: ": its transitions are not known".to_owned(),
            }
            .into())
        })
    }
}

impl std::ops::Deref for Environment {
    type Target = dyn Dynamics;
    fn deref(&self) -> &Self::Target {
        self.inner.as_ref()
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Environment({}, {} actions)", self.name, self.n_actions())
    }
}

impl From<Environment> for Input<'_> {
    fn from(environment: Environment) -> Self {
        Input::Environment(environment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_have_places_where_they_can_be_counted() {
        let several = Space::Several(vec![3, 2]);
        assert_eq!((several.width(), several.count()), (2, Some(6)));
        assert_eq!(several.place(&[2.0, 1.0]), Some(5));
        for outside in [&[3.0, 0.0][..], &[0.5, 0.0], &[-1.0, 0.0], &[f64::NAN, 0.0], &[0.0]] {
            assert_eq!(several.place(outside), None, "{outside:?}");
        }
        assert_eq!(Space::Discrete(4).place(&[3.0]), Some(3));
        assert_eq!(Space::Discrete(4).place(&[3.0, 0.0]), None);
        assert_eq!(Space::Box { low: vec![0.0], high: vec![1.0] }.count(), None);
    }
}
