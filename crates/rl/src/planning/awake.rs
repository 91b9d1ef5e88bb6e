//! Synchronous sweeps that pass over the actions which cannot be the best.

use super::flat::{BLOCK, Change, Flat, sup};

/// What a sweep may be off by rounding, of the largest value: sums of ten thousand products stay below.
const ROUNDING: f64 = 1e-12;

/// What is known of a pair.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// How far values must have drifted before the pair can be the best of its state again.
    wakes: f64,
    /// Its value when it was last asked for.
    value: f64,
}

/// Applications of the Bellman operator to values that are its own from the sweep before.
///
///   V ← max_a (r + γ P V),  over the pairs that may attain the maximum
///
/// Where values change by d, those of pairs change by γ P d, between γ min d and γ max d: a pair that is g below the best of
/// its state stays below until the sum of γ (max d − min d) has come to g, and is not looked at before. The sweeps are those over
/// all pairs, for whatever is passed over is not the maximum (Hastings and van Nunen 1977; Puterman 1994, section 6.7).
#[derive(Debug)]
pub(crate) struct Awake<'a> {
    flat: &'a Flat,
    discount: f64,
    known: Vec<Known>,
    /// The sum of γ (max d − min d), and of what rounding may add.
    drift: f64,
}

impl<'a> Awake<'a> {
    pub(crate) fn new(flat: &'a Flat, discount: f64) -> Self {
        let known = vec![Known { wakes: f64::NEG_INFINITY, value: 0.0 }; flat.n_pairs()];
        Self { flat, discount, known, drift: 0.0 }
    }

    /// One sweep: `values` are those of the sweep before, or any before the first; `out` becomes those after it.
    pub(crate) fn sweep(&mut self, values: &[f64], out: &mut [f64]) -> Change {
        let sweep = Sweep { flat: self.flat, discount: self.discount, drift: self.drift, values };
        let change = sweep.run(0, out, &mut self.known);
        // Sums that are not numbers put no pair to sleep, since they compare as false.
        self.drift += self.discount * change.span() + ROUNDING * sup(out);
        change
    }
}

/// One sweep.
struct Sweep<'a> {
    flat: &'a Flat,
    discount: f64,
    drift: f64,
    values: &'a [f64],
}

impl Sweep<'_> {
    /// The states from `first` on that have a place in `out`, in halves as long as these are worth a thread.
    fn run(&self, first: usize, out: &mut [f64], known: &mut [Known]) -> Change {
        if out.len() <= BLOCK || !self.flat.is_large() {
            return self.block(first, out, known);
        }
        let half = out.len() / 2;
        let pairs = self.flat.of(first + half).start - self.flat.of(first).start;
        let (left, right) = out.split_at_mut(half);
        let (left_known, right_known) = known.split_at_mut(pairs);
        let (left, right) =
            rayon::join(|| self.run(first, left, left_known), || self.run(first + half, right, right_known));
        left.and(right)
    }

    fn block(&self, first: usize, out: &mut [f64], mut known: &mut [Known]) -> Change {
        let mut change = Change::NOTHING;
        for (s, out) in (first..).zip(out) {
            let of = self.flat.of(s);
            let (own, rest) = known.split_at_mut(of.len());
            known = rest;
            *out = if of.is_empty() { 0.0 } else { self.best(of.start, own) };
            change = change.with(*out - self.values[s]);
        }
        change
    }

    /// The greatest value of the pairs of a state, the first of which is `first`.
    #[inline]
    fn best(&self, first: usize, known: &mut [Known]) -> f64 {
        let (mut best, mut looked_at) = (f64::NEG_INFINITY, 0);
        for (pair, known) in (first..).zip(&mut *known) {
            if self.drift < known.wakes {
                continue;
            }
            known.value = self.flat.value(pair, self.discount, self.values);
            best = best.max(known.value);
            looked_at += 1;
        }
        // A pair that is awake alone is the best, and stays awake.
        if looked_at == 1 {
            return best;
        }
        for known in known {
            if self.drift < known.wakes {
                continue;
            }
            known.wakes = self.drift + (best - known.value);
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process;

    /// What is passed over is never the maximum: the values are those of whole sweeps, to the bit, and few pairs stay awake.
    #[test]
    fn sweeps_are_those_over_all_pairs() {
        for (name, discount) in
            [("random-mdp:states=3000,actions=7", 0.95), ("chain", 0.9), ("gridworld", 1.0), ("gambler", 1.0)]
        {
            let flat = Flat::new(&process(name).unwrap());
            let mut awake = Awake::new(&flat, discount);
            let n = flat.n_states();
            let (mut own, mut all, mut next) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
            for _ in 0..60 {
                let change = awake.sweep(&own, &mut next);
                std::mem::swap(&mut own, &mut next);
                assert_eq!(change, flat.sweep(discount, &all, &mut next), "{name}");
                std::mem::swap(&mut all, &mut next);
                assert_eq!(own, all, "{name}");
            }
            let asleep = awake.known.iter().filter(|known| awake.drift < known.wakes).count();
            assert!(asleep > flat.n_pairs() / 20, "{name}: {asleep} of {}", flat.n_pairs());
        }
    }
}
