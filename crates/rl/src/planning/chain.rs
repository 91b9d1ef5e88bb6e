//! What a policy makes of a decision process: a Markov chain with rewards, and its linear systems.

use super::components::components;
use super::eliminate::Block;
use super::flat::{Flat, NONE};
use mercer_core::{Error, Result};
use mercer_math::{dot, sparse_dot};

/// A Markov chain with rewards; a state that nothing follows has ended.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    /// What follows state s lies at `starts[s]..starts[s + 1]`.
    starts: Vec<usize>,
    next: Vec<u32>,
    probability: Vec<f64>,
    /// The expected reward of each state.
    pub(crate) reward: Vec<f64>,
}

/// Strongly connected components beyond this size are solved by iteration first: elimination takes the cube of it.
const LARGE: usize = 800;

impl Chain {
    /// The chain of a policy that takes one pair in each state.
    pub(crate) fn of_pairs(flat: &Flat, pairs: &[u32]) -> Self {
        Self::new(pairs.iter().map(|&pair| (pair != NONE).then_some((pair as usize, 1.0))), flat)
    }

    /// The chain of a policy that takes each pair with a probability.
    pub(crate) fn of_shares(flat: &Flat, shares: &[f64]) -> Self {
        Self::new(
            (0..flat.n_states()).map(|s| flat.of(s).map(|pair| (pair, shares[pair])).filter(|p| p.1 > 0.0)),
            flat,
        )
    }

    fn new(states: impl Iterator<Item = impl IntoIterator<Item = (usize, f64)>>, flat: &Flat) -> Self {
        let (mut starts, mut next, mut probability, mut reward) = (vec![0], vec![], vec![], vec![]);
        for pairs in states {
            let mut gain = 0.0;
            for (pair, share) in pairs {
                let (to, p) = flat.following(pair);
                next.extend_from_slice(to);
                probability.extend(p.iter().map(|p| share * p));
                gain += share * flat.reward(pair);
            }
            starts.push(next.len());
            reward.push(gain);
        }
        Self { starts, next, probability, reward }
    }

    pub(crate) fn n_states(&self) -> usize {
        self.reward.len()
    }

    /// The states that follow, and their probabilities.
    pub(crate) fn following(&self, state: usize) -> (&[u32], &[f64]) {
        let range = self.starts[state]..self.starts[state + 1];
        (&self.next[range.clone()], &self.probability[range])
    }

    /// The expectation of `values` after a state.
    #[inline]
    pub(crate) fn expected(&self, state: usize, values: &[f64]) -> f64 {
        let (next, probability) = self.following(state);
        sparse_dot(next, probability, values)
    }

    /// The strongly connected components, each behind those that it leads to.
    pub(crate) fn components(&self) -> Vec<Vec<u32>> {
        components(self.n_states(), |s| self.following(s).0)
    }

    /// Whether nothing leads out of a component: it is a recurrent class. `home` has the component of each state.
    pub(crate) fn is_closed(&self, component: &[u32], home: &[u32]) -> bool {
        let own = home[component[0] as usize];
        component.iter().all(|&s| {
            let next = self.following(s as usize).0;
            !next.is_empty() && next.iter().all(|&to| home[to as usize] == own)
        })
    }

    /// The discounted values of the chain, by its strongly connected components.
    ///
    ///   V = r + γ P V
    ///
    /// Each component is a linear system whose right-hand side is known from those that it leads to. With a discount of 1, a
    /// component that is never left has values only where it earns nothing.
    ///
    /// # Errors
    /// With a discount of 1, a recurrent class with rewards, by the name of a state.
    pub(crate) fn values(&self, discount: f64, names: &[String]) -> Result<Vec<f64>> {
        let components = self.components();
        let home = homes(&components, self.n_states());
        let mut values = vec![0.0; self.n_states()];
        for component in &components {
            if discount == 1.0 && self.is_closed(component, &home) {
                if component.iter().any(|&s| self.reward[s as usize] != 0.0) {
                    return Err(endless(&names[component[0] as usize]));
                }
                continue;
            }
            self.solve(component, &home, discount, &self.reward, &mut values);
        }
        Ok(values)
    }

    /// Solves V = r + γ P V on one component; `values` are known elsewhere.
    pub(crate) fn solve(
        &self,
        component: &[u32],
        home: &[u32],
        discount: f64,
        reward: &[f64],
        values: &mut [f64],
    ) {
        let right = |s: usize, values: &[f64]| reward[s] + discount * self.outside(s, home, values);
        let b: Vec<f64> = component.iter().map(|&s| right(s as usize, values)).collect();
        if let [only] = component {
            let s = *only as usize;
            values[s] = b[0] / self.leaving(s, home, discount);
            return;
        }
        let place = places(component, self.n_states());
        let found =
            if component.len() > LARGE { self.iterate(component, home, &place, discount, &b) } else { None };
        let solved = found.unwrap_or_else(|| {
            let mut block = self.block(component, home, &place, discount);
            block.eliminate(&mut [b.clone()]).remove(0)
        });
        component.iter().zip(solved).for_each(|(&s, v)| values[s as usize] = v);
    }

    /// Σ p V over what follows a state outside of its component.
    fn outside(&self, s: usize, home: &[u32], values: &[f64]) -> f64 {
        let (next, probability) = self.following(s);
        let out = next.iter().zip(probability).filter(|(to, _)| home[**to as usize] != home[s]);
        out.map(|(&to, p)| p * values[to as usize]).sum()
    }

    /// 1 − γ Σ p over what follows a state within its component, without its own share, and without a difference of
    /// numbers that are nearly equal: what is discounted and what leads out.
    fn leaving(&self, s: usize, home: &[u32], discount: f64) -> f64 {
        let (next, probability) = self.following(s);
        if next.is_empty() {
            return 1.0;
        }
        let out = next.iter().zip(probability).filter(|(to, _)| home[**to as usize] != home[s]);
        (1.0 - discount) + discount * out.map(|(_, p)| p).sum::<f64>()
    }

    /// The system of a component: its discounted probabilities, and what leaves each state.
    pub(crate) fn block(&self, component: &[u32], home: &[u32], place: &[u32], discount: f64) -> Block {
        let mut block = Block::new(component.len());
        for (i, &s) in component.iter().enumerate() {
            let (next, probability) = self.following(s as usize);
            block.leaving[i] = self.leaving(s as usize, home, discount);
            for (&to, p) in
                next.iter().zip(probability).filter(|(to, _)| home[**to as usize] == home[s as usize])
            {
                block.add(i, place[to as usize] as usize, discount * p);
            }
        }
        block
    }

    /// The same system by the stabilised method of biconjugate gradients; `None` where that does not reach rounding.
    fn iterate(
        &self,
        component: &[u32],
        home: &[u32],
        place: &[u32],
        discount: f64,
        b: &[f64],
    ) -> Option<Vec<f64>> {
        let product = |x: &[f64], out: &mut Vec<f64>| {
            out.clear();
            out.extend(component.iter().enumerate().map(|(i, &s)| {
                let (next, probability) = self.following(s as usize);
                let inside =
                    next.iter().zip(probability).filter(|(to, _)| home[**to as usize] == home[s as usize]);
                x[i] - discount * inside.map(|(&to, p)| p * x[place[to as usize] as usize]).sum::<f64>()
            }));
        };
        stabilised(product, b)
    }
}

/// Biconjugate gradients, stabilised (van der Vorst 1992), for A x = b.
///
/// Stops when the residual is that of rounding; `None` after 500 iterations, or where a division would fail.
fn stabilised(product: impl Fn(&[f64], &mut Vec<f64>), b: &[f64]) -> Option<Vec<f64>> {
    let n = b.len();
    let (mut x, mut r) = (vec![0.0; n], b.to_vec());
    let (shadow, mut p) = (r.clone(), r.clone());
    let (mut v, mut t) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut rho = dot(&shadow, &r);
    for _ in 0..500 {
        let size = x.iter().chain(b).fold(0.0f64, |m, v| m.max(v.abs()));
        if r.iter().all(|r| r.abs() <= 4.0 * f64::EPSILON * size) {
            // The recurrence of the residual drifts: what counts is the residual itself.
            product(&x, &mut t);
            let exact = t.iter().zip(b).all(|(t, b)| (b - t).abs() <= 64.0 * f64::EPSILON * size);
            return exact.then_some(x);
        }
        product(&p, &mut v);
        let alpha = rho / dot(&shadow, &v);
        r.iter_mut().zip(&v).for_each(|(r, v)| *r -= alpha * v);
        product(&r, &mut t);
        let omega = dot(&t, &r) / dot(&t, &t).max(f64::MIN_POSITIVE);
        for i in 0..n {
            x[i] += alpha * p[i] + omega * r[i];
            r[i] -= omega * t[i];
        }
        let next = dot(&shadow, &r);
        let beta = next / rho * (alpha / omega);
        if !beta.is_finite() {
            return None;
        }
        for i in 0..n {
            p[i] = r[i] + beta * (p[i] - omega * v[i]);
        }
        rho = next;
    }
    None
}

/// The component of each state.
pub(crate) fn homes(components: &[Vec<u32>], n: usize) -> Vec<u32> {
    let mut home = vec![0; n];
    for (c, component) in components.iter().enumerate() {
        component.iter().for_each(|&s| home[s as usize] = c as u32);
    }
    home
}

/// The place of each state in its component; of others it means nothing.
pub(crate) fn places(component: &[u32], n: usize) -> Vec<u32> {
    let mut place = vec![0; n];
    component.iter().enumerate().for_each(|(i, &s)| place[s as usize] = i as u32);
    place
}

/// A policy that goes on for ever has no undiscounted values.
pub(crate) fn endless(state: &str) -> Error {
    let reason = format!(
        "rewards go on for ever from state `{state}`, so that their sum has no limit: take a discount below 1, or AverageReward"
    );
    Error::numeric("a policy without a discount", reason)
}
