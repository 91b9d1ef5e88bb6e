//! Policy iteration: a policy is evaluated and improved until nothing improves it.
//!
//! # Objective
//! $$ \pi^* = \arg\max_\pi V^\pi,\qquad V^\pi = (I - \gamma P_\pi)^{-1} r_\pi $$
//!
//! # Algorithm
//! From values to the policy that is greedy for them, from a policy to its values, until the policy stays (Howard). An action
//! is only left for one that is better. Evaluation is exact, by the linear system of the policy, one strongly connected component
//! of its Markov chain after the other: by elimination without subtractions (Grassmann, Taksar, Heyman), large components
//! by biconjugate gradients; or iterative, by sweeps to the tolerance; or by a number of sweeps, which is modified policy
//! iteration (Puterman, Shin) and ends by the bounds of value iteration. The first policy is greedy for no future at all;
//! without a discount it is greedy for the values of the random policy, which ends wherever any policy does.
//!
//! # Complexity
//! Each improvement takes O(transitions); exact evaluation O(c³) for components of c ≤ 800 states, and a small number of sweeps
//! for larger ones.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{PolicyIteration, process};
//! let plan = PolicyIteration::default().fit(&Dataset::new(process("grid5x5")?))?;
//! assert!((plan.values[1] - 24.4).abs() < 0.05); // figure 3.5 of Sutton and Barto
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! With a discount of 1, every policy on the way must end or go on without rewards: otherwise its values have no limit, and
//! the error names a state. Exact values solve their system to rounding, so that the certificate proves the plan to rounding.
//!
//! # References
//! - R. A. Howard. Dynamic Programming and Markov Processes. MIT Press, 1960.
//! - M. L. Puterman, M. C. Shin. Modified policy iteration algorithms for discounted Markov decision problems.
//!   Management Science 24(11), 1978. doi:10.1287/mnsc.24.11.1127
//! - W. K. Grassmann, M. I. Taksar, D. P. Heyman. Regenerative analysis and steady state distributions for Markov chains.
//!   Operations Research 33(5), 1985. doi:10.1287/opre.33.5.1107

use super::DiscountParams;
use super::chain::Chain;
use super::evaluate::{Policy, Sweeps, exact_values};
use super::flat::{Flat, sup};
use super::plan::{Found, Plan};
use mercer_core::{Choice, Dataset, Learn, Mdp, Params, Result, Session, Termination};

/// How a policy is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum PolicyEvaluation {
    /// By its linear system.
    Exact,
    /// By sweeps, to the tolerance.
    Iterative,
    /// By this many sweeps.
    Sweeps(usize),
}

/// Policy iteration: a policy is evaluated and improved until nothing improves it.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "policy-iteration",
    canon = "R2",
    task = Planning,
    learns_from = Mdp,
    asked_about = States,
    python = "rl",
    can = "policy",
    tried = "| evaluation=iterative | evaluation=20",
    references = "Howard. Dynamic Programming and Markov Processes. MIT Press, 1960.|Puterman, Shin. Modified policy iteration algorithms for discounted Markov decision problems. Management Science 24(11), 1978."
)]
pub struct PolicyIteration {
    /// How later rewards count.
    #[param(flatten)]
    pub later: DiscountParams,
    /// How a policy is evaluated: exactly, by sweeps to the tolerance, or by this many sweeps.
    #[param(default = PolicyEvaluation::Exact, range = "[1, inf)")]
    pub evaluation: PolicyEvaluation,
    /// How far from optimal a value may be where evaluation is not exact; the distance between sweeps where the discount is 1.
    #[param(default = 1e-8, range = "(0, inf)")]
    pub tol: f64,
    /// Limit of improvements.
    #[param(default = 10_000, range = "[1, inf)")]
    pub max_iter: usize,
}

/// Sweeps that an iterative evaluation may take.
const SWEEPS: u64 = 1_000_000;

impl Learn for PolicyIteration {
    type Model = Plan;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Plan> {
        let mdp = data.whole_input().mdp(Self::NAME)?;
        let (discount, flat) = (self.later.of(mdp), Flat::new(mdp));
        let enough =
            if discount < 1.0 { self.tol * (1.0 - discount) / discount.max(1e-12) } else { self.tol };
        let mut values = first_values(mdp, &flat, discount)?;
        let mut pairs = flat.greedy(discount, &values, None);
        let (mut termination, mut iterations) = (Termination::IterationLimit, 0);
        while iterations < self.max_iter as u64 {
            iterations += 1;
            let chain = Chain::of_pairs(&flat, &pairs);
            let sweeps = |threshold, most, values: &mut Vec<f64>| {
                let (_, ended) = Sweeps { threshold, most, session }.run(&flat, &chain, discount, values);
                (!matches!(ended, Termination::Converged | Termination::Stalled)).then_some(ended)
            };
            let interrupted = match self.evaluation {
                PolicyEvaluation::Exact => {
                    values = chain.values(discount, mdp.states())?;
                    None
                }
                // Values that no number of sweeps settles are not worth a better policy.
                PolicyEvaluation::Iterative => sweeps(enough, SWEEPS, &mut values),
                // As many sweeps as there are to be, however little they still change.
                PolicyEvaluation::Sweeps(most) => {
                    sweeps(0.0, most as u64, &mut values).filter(|why| *why != Termination::IterationLimit)
                }
            };
            let near = match self.evaluation {
                PolicyEvaluation::Exact => None,
                _ => self.near(&flat, discount, &mut values),
            };
            let improved = flat.greedy(discount, &values, Some(&pairs));
            let changed = improved.iter().zip(&pairs).filter(|(a, b)| a != b).count();
            pairs = improved;
            let exact = self.evaluation == PolicyEvaluation::Exact && changed == 0;
            let done = near.or(exact.then_some(Termination::Exact));
            let asked =
                || session.step("policy", iterations, Some(self.max_iter as u64), Some(changed as f64));
            if let Some(why) = interrupted.or(done).or_else(asked) {
                termination = why;
                break;
            }
        }
        Plan::new(mdp, &flat, Found { values, pairs: Some(pairs), iterations, termination }, discount)
    }
}

impl PolicyIteration {
    /// Whether one more sweep proves the tolerance of values, which are then moved to the middle of their bounds.
    fn near(&self, flat: &Flat, discount: f64, values: &mut [f64]) -> Option<Termination> {
        let change = flat.residual(discount, values);
        let proved = match discount {
            1.0 => change.size() <= self.tol,
            _ => 0.5 * change.span() <= self.tol * (1.0 - discount),
        };
        if proved {
            flat.centre(1.0 / (1.0 - discount), change, values);
            return Some(Termination::Converged);
        }
        (change.size() <= 8.0 * f64::EPSILON * sup(values)).then_some(Termination::Stalled)
    }
}

/// Values whose greedy policy is the first.
fn first_values(mdp: &Mdp, flat: &Flat, discount: f64) -> Result<Vec<f64>> {
    if discount < 1.0 {
        Ok(vec![0.0; flat.n_states()])
    } else {
        Ok(exact_values(&Policy::uniform(mdp), 1.0)?.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process;
    use mercer_core::Fit;

    /// Howard's iteration improves every state at each turn, and hence ends; here it must be quick.
    #[test]
    fn ends_after_few_improvements() {
        let data = Dataset::new(process("car-rental").unwrap());
        let model = PolicyIteration::default().fit(&data).unwrap();
        let certificate = model.certificate();
        assert_eq!(certificate.termination, Termination::Exact);
        assert!(certificate.iterations.unwrap() <= 6, "{certificate}");
        assert!(certificate.evidence.iter().all(|e| e.value < 1e-8), "{certificate}");
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
    }

    /// Staying for ever costs 1 a step: without a discount the policy that stays has no value, and the random one ends.
    #[test]
    fn policies_that_never_end_are_told() {
        let cost = [(0, 0, 0, 1.0, -1.0), (0, 1, 1, 1.0, -5.0)];
        let mdp = Mdp::numbered(2, 2, &cost, Some(1.0)).unwrap();
        let plan = PolicyIteration::default().fit(&Dataset::new(mdp)).unwrap();
        assert_eq!(
            (plan.values.as_slice(), plan.policy.as_slice()),
            ([-5.0, 0.0].as_slice(), [1, 2].as_slice())
        );
        let gain = cost.map(|(s, a, next, p, r)| (s, a, next, p, -r));
        let mdp = Mdp::numbered(2, 2, &gain, Some(1.0)).unwrap();
        let error = PolicyIteration::default().fit(&Dataset::new(mdp)).unwrap_err().to_string();
        assert!(error.contains("for ever from state `0`") && error.contains("AverageReward"), "{error}");
    }
}
