//! Values of pairs and states, and sweeps over the flat arrays of a decision process.

use mercer_core::{Mdp, Pairs};
use mercer_math::sparse_dot;
use rayon::prelude::*;
use std::ops::Deref;
use std::sync::Arc;

/// The place of a pair where a state has none: it is terminal.
pub(crate) const NONE: u32 = u32::MAX;

/// States in one piece of parallel work.
pub(crate) const BLOCK: usize = 128;

/// Fewer transitions than this are not worth a second thread.
const PARALLEL: usize = 1 << 14;

/// The flat arrays of a decision process, and what planners ask of them.
#[derive(Clone, Debug)]
pub(crate) struct Flat(Arc<Pairs>);

impl Deref for Flat {
    type Target = Pairs;

    fn deref(&self) -> &Pairs {
        &self.0
    }
}

/// The least and the greatest change of a value by a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Change {
    pub(crate) const NOTHING: Change = Change { least: f64::INFINITY, most: f64::NEG_INFINITY };

    pub(crate) fn with(self, change: f64) -> Change {
        Change { least: self.least.min(change), most: self.most.max(change) }
    }

    pub(crate) fn and(self, other: Change) -> Change {
        Change { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// The largest size of a change.
    pub(crate) fn size(self) -> f64 {
        self.most.max(-self.least)
    }

    /// The distance between the least and the greatest.
    pub(crate) fn span(self) -> f64 {
        self.most - self.least
    }
}

impl Flat {
    pub(crate) fn new(mdp: &Mdp) -> Self {
        Self(mdp.pairs().clone())
    }

    /// Whether a sweep is worth a second thread.
    pub(crate) fn is_large(&self) -> bool {
        self.n_following() >= PARALLEL
    }

    /// The expectation of `values` after a pair.
    #[inline]
    pub(crate) fn expected(&self, pair: usize, values: &[f64]) -> f64 {
        let (next, probability) = self.following(pair);
        sparse_dot(next, probability, values)
    }

    /// r + γ Σ p V(next).
    #[inline]
    pub(crate) fn value(&self, pair: usize, discount: f64, values: &[f64]) -> f64 {
        self.reward(pair) + discount * self.expected(pair, values)
    }

    /// The greatest value of the pairs of a state; zero where there are none.
    #[inline]
    pub(crate) fn best(&self, state: usize, discount: f64, values: &[f64]) -> f64 {
        let of = self.of(state);
        if of.is_empty() {
            return 0.0;
        }
        of.fold(f64::NEG_INFINITY, |best, pair| best.max(self.value(pair, discount, values)))
    }

    /// A number for each state, in parallel where that is worth its while, and how far they are from `old`.
    pub(crate) fn map(&self, old: &[f64], out: &mut [f64], of: impl Fn(usize) -> f64 + Sync) -> Change {
        let block = |(i, (old, out)): (usize, (&[f64], &mut [f64]))| {
            let mut change = Change::NOTHING;
            for (k, (old, out)) in old.iter().zip(out).enumerate() {
                *out = of(i * BLOCK + k);
                change = change.with(*out - old);
            }
            change
        };
        if !self.is_large() {
            return old
                .chunks(BLOCK)
                .zip(out.chunks_mut(BLOCK))
                .enumerate()
                .map(block)
                .fold(Change::NOTHING, Change::and);
        }
        let blocks = old.par_chunks(BLOCK).zip(out.par_chunks_mut(BLOCK)).enumerate();
        blocks.map(block).reduce(|| Change::NOTHING, Change::and)
    }

    /// One application of the Bellman operator: `out` becomes max_a (r + γ P V).
    pub(crate) fn sweep(&self, discount: f64, values: &[f64], out: &mut [f64]) -> Change {
        self.map(values, out, |s| self.best(s, discount, values))
    }

    /// What one more sweep would change.
    pub(crate) fn residual(&self, discount: f64, values: &[f64]) -> Change {
        self.sweep(discount, values, &mut vec![0.0; values.len()])
    }

    /// Moves values to the middle of what bounds them: `far` times the change of a sweep. What has no limit stays.
    pub(crate) fn centre(&self, far: f64, change: Change, values: &mut [f64]) {
        let shift = 0.5 * far * (change.least + change.most);
        if shift.is_finite() {
            // A terminal state is worth nothing, whatever the others have still to go.
            let going = values.iter_mut().enumerate().filter(|(s, _)| !self.of(*s).is_empty());
            going.for_each(|(_, v)| *v += shift);
        }
    }

    /// The pair of greatest value of each state. The first of equals is taken, where `held` is not among them.
    pub(crate) fn greedy(&self, discount: f64, values: &[f64], held: Option<&[u32]>) -> Vec<u32> {
        self.greedy_by(|pair| self.value(pair, discount, values), held)
    }

    /// The pair of greatest worth of each state, as [`Flat::greedy`].
    pub(crate) fn greedy_by(&self, worth: impl Fn(usize) -> f64, held: Option<&[u32]>) -> Vec<u32> {
        let choose = |s: usize| {
            let mut best = (f64::NEG_INFINITY, NONE);
            // Rounding must not choose between equal actions.
            let better = |worth: f64, than: f64| {
                worth > than + 1e-12 * (1.0 + than.abs()) || than == f64::NEG_INFINITY
            };
            let first = held.map(|h| h[s]).filter(|&pair| pair != NONE).map(|pair| pair as usize);
            for pair in first.into_iter().chain(self.of(s)) {
                let worth = worth(pair);
                if better(worth, best.0) {
                    best = (worth, pair as u32);
                }
            }
            best.1
        };
        (0..self.n_states()).map(choose).collect()
    }

    /// The actions of pairs; the number of actions where there is none.
    pub(crate) fn actions(&self, pairs: &[u32]) -> Vec<u32> {
        pairs
            .iter()
            .map(|&p| if p == NONE { self.n_actions() as u32 } else { self.action(p as usize) as u32 })
            .collect()
    }

    /// The value of each pair.
    pub(crate) fn pair_values(&self, discount: f64, values: &[f64]) -> Vec<f64> {
        let value = |pair| self.value(pair, discount, values);
        match self.is_large() {
            true => (0..self.n_pairs()).into_par_iter().with_min_len(8 * BLOCK).map(value).collect(),
            false => (0..self.n_pairs()).map(value).collect(),
        }
    }

    /// What is known of pairs, as states × actions; −∞ where an action is not available.
    pub(crate) fn by_action(&self, of_pairs: &[f64]) -> Vec<f64> {
        let mut out = vec![f64::NEG_INFINITY; self.n_states() * self.n_actions()];
        for s in 0..self.n_states() {
            for pair in self.of(s) {
                out[s * self.n_actions() + self.action(pair)] = of_pairs[pair];
            }
        }
        out
    }

    /// The value of each pair, states × actions; −∞ where an action is not available.
    pub(crate) fn action_values(&self, discount: f64, values: &[f64]) -> Vec<f64> {
        self.by_action(&self.pair_values(discount, values))
    }
}

/// The largest size of values.
pub(crate) fn sup(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| m.max(v.abs()))
}
