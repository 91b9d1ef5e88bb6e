//! Value iteration: the optimal values and policy of a finite Markov decision process.
//!
//! # Objective
//! $$ V^*(x) = \max_a \sum_{x'} P(x' \mid x, a)\,\bigl(R(x, a, x') + \gamma V^*(x')\bigr) $$
//!
//! # Algorithm
//! Sweeps of the Bellman operator T over all states: from the values of the sweep before (`synchronous`, in parallel), in
//! place (`gauss_seidel`), or state by state, the one that is most out of date first (`prioritised`). For $\gamma < 1$
//! the operator contracts, so that $\lVert V - V^*\rVert_\infty \le \tfrac{\gamma}{1-\gamma}\lVert V - V'\rVert_\infty$ after a
//! sweep from V'. Synchronous sweeps know more: $V^*$ lies between $TV + \tfrac{\gamma}{1-\gamma}\min(TV - V)$ and the same with the
//! maximum (MacQueen), so they stop when half of that distance is below the tolerance, and end in the middle. Often the
//! values all rise alike while they are far from their limit, and then this is much earlier. They pass over the actions that the
//! changes since they were last looked at cannot have made best, which alters no value. The policy is greedy, the first action among equals.
//!
//! # Complexity
//! Time O(transitions) a sweep at most, memory O(pairs of states and actions) beside the process.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{ValueIteration, process};
//! let policy = ValueIteration::default().fit(&Dataset::new(process("gridworld")?))?;
//! assert!((policy.values[0] - 0.705).abs() < 1e-3); // figure 17.3 of Russell and Norvig
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! With a discount of 1 there is no contraction: the certificate then gives the Bellman residual alone. Where the
//! tolerance is finer than rounding allows, sweeps stop once they change nothing but the last bits (`Stalled`).
//!
//! # References
//! - R. Bellman. A Markovian decision process. J. Math. Mech. 6(5), 1957. doi:10.1512/iumj.1957.6.56038
//! - J. MacQueen. A modified dynamic programming method for Markovian decision problems. J. Math. Anal. Appl. 14(1), 1966.
//!   doi:10.1016/0022-247X(66)90060-6
//! - A. W. Moore, C. G. Atkeson. Prioritized sweeping. Machine Learning 13, 1993. doi:10.1007/BF00993104
//! - N. A. J. Hastings, J. M. C. van Nunen. The action elimination algorithm for Markov decision processes. In: Markov
//!   Decision Theory. Mathematical Centre Tracts 93, 1977.
//! - S. Russell, P. Norvig. Artificial Intelligence: A Modern Approach, chapter 17. Pearson, 2010.

use super::awake::Awake;
use super::flat::{Flat, sup};
use super::plan::{Found, Plan};
use super::{DiscountParams, prioritised};
use mercer_core::{Choice, Dataset, Learn, Params, Result, Session, Termination};
use serde::{Deserialize, Serialize};

/// In which order values are made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum SweepOrder {
    /// All states from the values of the sweep before.
    Synchronous,
    /// One state after the other, from the values as they stand.
    GaussSeidel,
    /// The state whose value is most out of date.
    Prioritised,
}

/// Value iteration: the optimal values and policy of a finite Markov decision process.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "value-iteration",
    canon = "R2",
    task = Planning,
    learns_from = Mdp,
    asked_about = States,
    python = "rl",
    can = "policy",
    tried = "| order=gauss_seidel | order=prioritised",
    references = "Bellman. A Markovian decision process. J. Math. Mech. 6(5), 1957.|MacQueen. A modified dynamic programming method for Markovian decision problems. J. Math. Anal. Appl. 14(1), 1966."
)]
pub struct ValueIteration {
    /// How later rewards count.
    #[param(flatten)]
    pub later: DiscountParams,
    /// How far from optimal a value may be; the distance between sweeps where the discount is 1.
    #[param(default = 1e-8, range = "(0, inf)")]
    pub tol: f64,
    /// Sweep limit.
    #[param(default = 100_000, range = "[1, inf)")]
    pub max_iter: usize,
    /// In which order values are made anew: all from those before, in place, or the most out of date first.
    #[param(default = SweepOrder::Synchronous)]
    pub order: SweepOrder,
}

impl Learn for ValueIteration {
    type Model = Plan;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Plan> {
        let mdp = data.whole_input().mdp(Self::NAME)?;
        let discount = self.later.of(mdp);
        let flat = Flat::new(mdp);
        let mut values = vec![0.0; flat.n_states()];
        let run = Run { flat: &flat, discount, tol: self.tol, most: self.max_iter as u64, session };
        let (iterations, termination) = match self.order {
            SweepOrder::Synchronous => run.synchronous(&mut values),
            SweepOrder::GaussSeidel => run.in_place(&mut values),
            SweepOrder::Prioritised => {
                let enough = if discount < 1.0 { self.tol * (1.0 - discount) } else { self.tol };
                prioritised::sweep(&flat, discount, enough, run.most, session, &mut values)
            }
        };
        Plan::new(mdp, &flat, Found { values, pairs: None, iterations, termination }, discount)
    }
}

/// Sweeps over all states.
struct Run<'a> {
    flat: &'a Flat,
    discount: f64,
    tol: f64,
    most: u64,
    session: &'a Session,
}

impl Run<'_> {
    /// The largest step between sweeps that proves the tolerance, by the contraction.
    fn enough(&self) -> f64 {
        match self.discount {
            1.0 => self.tol,
            discount => self.tol * (1.0 - discount) / discount.max(1e-12),
        }
    }

    /// Why to stop after a sweep whose steps were up to `step`, where `left` is what has to be below [`Run::enough`].
    fn stop(&self, iterations: u64, left: f64, step: f64, values: &[f64]) -> Option<Termination> {
        if left <= self.enough() {
            return Some(Termination::Converged);
        }
        if step <= 8.0 * f64::EPSILON * sup(values) {
            return Some(Termination::Stalled);
        }
        self.session.step("sweep", iterations, Some(self.most), Some(left))
    }

    /// V ← T V, until the bounds of MacQueen are close enough.
    fn synchronous(&self, values: &mut Vec<f64>) -> (u64, Termination) {
        let mut next = values.clone();
        let mut awake = Awake::new(self.flat, self.discount);
        for i in 1..=self.most {
            let change = awake.sweep(values, &mut next);
            std::mem::swap(values, &mut next);
            let left = if self.discount < 1.0 { 0.5 * change.span() } else { change.size() };
            let Some(why) = self.stop(i, left, change.size(), values) else { continue };
            self.flat.centre(self.discount / (1.0 - self.discount), change, values);
            return (i, why);
        }
        (self.most, Termination::IterationLimit)
    }

    /// V(s) ← (T V)(s), one state after the other.
    fn in_place(&self, values: &mut [f64]) -> (u64, Termination) {
        for i in 1..=self.most {
            let mut step = 0.0f64;
            for s in 0..values.len() {
                let best = self.flat.best(s, self.discount, values);
                step = step.max((best - values[s]).abs());
                values[s] = best;
            }
            if let Some(why) = self.stop(i, step, step, values) {
                return (i, why);
            }
        }
        (self.most, Termination::IterationLimit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process;
    use mercer_core::Fit;

    /// Figure 17.3 of Russell and Norvig, to its three digits.
    #[test]
    fn reproduces_the_textbook_grid() {
        let model = ValueIteration::default().fit(&Dataset::new(process("gridworld").unwrap())).unwrap();
        let expect = [
            ("(1,1)", 0.705),
            ("(2,1)", 0.655),
            ("(3,1)", 0.611),
            ("(4,1)", 0.388),
            ("(1,2)", 0.762),
            ("(3,2)", 0.660),
            ("(4,2)", -1.0),
            ("(1,3)", 0.812),
            ("(2,3)", 0.868),
            ("(3,3)", 0.918),
            ("(4,3)", 1.0),
        ];
        for (state, value) in expect {
            let found = model.values[model.states.iter().position(|s| s == state).unwrap()];
            assert!((found - value).abs() < 6e-4, "{state}: {found} {value}");
        }
    }

    /// The optimal values solve (I − γP)V = R for the greedy policy: compare with that linear system.
    #[test]
    fn discounted_values_solve_their_linear_system() {
        let mdp = process("chain").unwrap();
        let model = ValueIteration::default().tol(1e-12).fit(&Dataset::new(mdp.clone())).unwrap();
        let n = mdp.states().len();
        let (mut a, mut r) = (mercer_math::Mat::identity(n), mercer_math::Mat::zeros(n, 1));
        for s in 0..n {
            for o in mdp.transitions(s, model.policy[s] as usize) {
                a[(s, o.next as usize)] -= model.discount * o.probability;
                r[(s, 0)] += o.probability * o.reward;
            }
        }
        let (v, _) = mercer_math::lstsq(a.view(), r.view(), None).unwrap();
        assert!(v.col(0).iter().zip(&model.values).all(|(a, b)| (a - b).abs() < 1e-9));
        assert!(model.certificate().evidence[0].value < 1e-12);
    }

    #[test]
    fn a_policy_is_asked_about_states_and_proved_on_its_process() {
        let mdp = process("chain").unwrap();
        let data = Dataset::new(mdp.clone());
        let model = ValueIteration::default().fit(&data).unwrap();
        let named = model.predict(mdp.states()).unwrap();
        let n = mdp.states().len();
        let numbered = model.predict(mercer_math::Mat::from_fn(n, 1, |i, _| i as f64)).unwrap();
        assert_eq!(named.class().unwrap().0, numbered.class().unwrap().0);
        let error = model.predict(mdp.clone()).unwrap_err().to_string();
        assert_eq!(error, "ValueIteration takes States, not an Mdp");
        assert!(model.verify(&data).unwrap()[0].holds);
        let error = model.verify(&Dataset::new(mdp.states())).unwrap_err().to_string();
        assert_eq!(error, "ValueIteration takes an Mdp, not Strings");
    }
}
