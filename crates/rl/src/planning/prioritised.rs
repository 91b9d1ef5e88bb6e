//! Prioritised sweeping: the state whose value is most out of date goes first.

use super::flat::Flat;
use mercer_core::{Session, Termination};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A state and how far its value was from that of its best action when it was put in the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waiting {
    error: f64,
    state: u32,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of equals the first state is taken, so that the course does not depend on the heap.
        self.error.total_cmp(&other.error).then(other.state.cmp(&self.state))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The states that lead to each state, once each.
struct Before {
    starts: Vec<usize>,
    states: Vec<u32>,
}

impl Before {
    fn new(flat: &Flat) -> Self {
        let n = flat.n_states();
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for s in 0..n {
            let from = edges.len();
            edges.extend(flat.of(s).flat_map(|pair| flat.following(pair).0).map(|&to| (to, s as u32)));
            edges[from..].sort_unstable();
            let mut kept = from;
            for i in from..edges.len() {
                if i == from || edges[i] != edges[kept - 1] {
                    edges[kept] = edges[i];
                    kept += 1;
                }
            }
            edges.truncate(kept);
        }
        let mut starts = vec![0; n + 1];
        edges.iter().for_each(|&(to, _)| starts[to as usize + 1] += 1);
        (0..n).for_each(|s| starts[s + 1] += starts[s]);
        let (mut free, mut states) = (starts.clone(), vec![0; edges.len()]);
        for (to, from) in edges {
            states[free[to as usize]] = from;
            free[to as usize] += 1;
        }
        Self { starts, states }
    }

    fn of(&self, state: usize) -> &[u32] {
        &self.states[self.starts[state]..self.starts[state + 1]]
    }
}

/// Backs up one state after the other, the largest error first, until no state is off by more than `enough` (Moore and
/// Atkeson 1993; errors are those of the values as they stand, so that what is left is a bound).
///
/// An iteration is as many backups as there are states.
pub(super) fn sweep(
    flat: &Flat,
    discount: f64,
    enough: f64,
    most: u64,
    session: &Session,
    values: &mut [f64],
) -> (u64, Termination) {
    let (n, before) = (flat.n_states(), Before::new(flat));
    let error = |s: usize, values: &[f64]| (flat.best(s, discount, values) - values[s]).abs();
    let mut errors: Vec<f64> = (0..n).map(|s| error(s, values)).collect();
    let queue = errors.iter().enumerate().map(|(s, &error)| Waiting { error, state: s as u32 });
    let mut queue: BinaryHeap<Waiting> = queue.filter(|w| w.error > enough).collect();
    let (mut done, mut iterations) = (0, 0);
    while let Some(first) = queue.pop() {
        let s = first.state as usize;
        // What was put in again since then is out of date.
        if first.error != errors[s] {
            continue;
        }
        values[s] = flat.best(s, discount, values);
        errors[s] = error(s, values);
        for &state in before.of(s).iter().chain(&[first.state]) {
            let now = error(state as usize, values);
            let known = std::mem::replace(&mut errors[state as usize], now);
            if now > enough && (now != known || state == first.state) {
                queue.push(Waiting { error: now, state });
            }
        }
        done += 1;
        if done == n {
            (done, iterations) = (0, iterations + 1);
            if let Some(why) = session.step("sweep", iterations, Some(most), Some(first.error)) {
                return (iterations, why);
            }
            if iterations >= most {
                return (iterations, Termination::IterationLimit);
            }
            // Entries that are out of date would pile up.
            if queue.len() > 4 * n {
                queue.retain(|w| w.error == errors[w.state as usize]);
            }
        }
    }
    (iterations + u64::from(done > 0), Termination::Converged)
}
