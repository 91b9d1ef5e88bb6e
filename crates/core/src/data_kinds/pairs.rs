//! Decision processes as planners see them: flat arrays that a sweep reads from end to end.

use super::mdp::Transition;
use std::ops::Range;

/// The pairs of a state and an action that is available there, with their expected rewards and what follows them.
///
/// Probabilities sum to 1 to rounding, whatever the transitions miss of it within what is allowed; what has no probability is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs {
    /// The pairs of state s are `of[s]..of[s + 1]`, in the order of their actions.
    of: Vec<usize>,
    action: Vec<u32>,
    reward: Vec<f64>,
    /// What follows pair i lies at `starts[i]..starts[i + 1]`.
    starts: Vec<usize>,
    next: Vec<u32>,
    probability: Vec<f64>,
    n_actions: usize,
}

impl Pairs {
    /// The pairs of transitions that lie by state and action between `offsets`.
    pub(super) fn new(offsets: &[usize], transitions: &[Transition], n_actions: usize) -> Self {
        let (mut of, mut starts) = (vec![0], vec![0]);
        let (mut action, mut reward) = (vec![], vec![]);
        let mut next = Vec::with_capacity(transitions.len());
        let mut probability = Vec::with_capacity(transitions.len());
        for state in offsets.windows(n_actions + 1).step_by(n_actions) {
            for (a, range) in state.windows(2).enumerate() {
                let possible = &transitions[range[0]..range[1]];
                if possible.is_empty() {
                    continue;
                }
                // What a process is allowed to miss of a sum of 1 is no discount.
                let total: f64 = possible.iter().map(|t| t.probability).sum();
                action.push(a as u32);
                reward.push(possible.iter().map(|t| t.probability * t.reward).sum::<f64>() / total);
                for t in possible.iter().filter(|t| t.probability > 0.0) {
                    next.push(t.next);
                    probability.push(t.probability / total);
                }
                starts.push(next.len());
            }
            of.push(action.len());
        }
        Self { of, action, reward, starts, next, probability, n_actions }
    }

    /// How many states there are.
    pub fn n_states(&self) -> usize {
        self.of.len() - 1
    }

    /// How many actions there are.
    pub fn n_actions(&self) -> usize {
        self.n_actions
    }

    /// How many pairs there are.
    pub fn n_pairs(&self) -> usize {
        self.action.len()
    }

    /// How many transitions have a probability.
    pub fn n_following(&self) -> usize {
        self.next.len()
    }

    /// The pairs of a state; none where it is terminal.
    #[inline]
    pub fn of(&self, state: usize) -> Range<usize> {
        self.of[state]..self.of[state + 1]
    }

    /// The action of a pair.
    #[inline]
    pub fn action(&self, pair: usize) -> usize {
        self.action[pair] as usize
    }

    /// The pair of a state and an action, if it is available there.
    pub fn pair(&self, state: usize, action: usize) -> Option<usize> {
        let of = self.of(state);
        self.action[of.clone()].binary_search(&(action as u32)).ok().map(|i| of.start + i)
    }

    /// The expected reward of a pair.
    #[inline]
    pub fn reward(&self, pair: usize) -> f64 {
        self.reward[pair]
    }

    /// The states that follow a pair, and their probabilities.
    #[inline]
    pub fn following(&self, pair: usize) -> (&[u32], &[f64]) {
        let range = self.starts[pair]..self.starts[pair + 1];
        (&self.next[range.clone()], &self.probability[range])
    }
}
