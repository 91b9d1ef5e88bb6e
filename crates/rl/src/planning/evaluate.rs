//! The value of a policy: over T steps, discounted, exact.

use super::chain::Chain;
use super::flat::{Change, Flat, NONE, sup};
use mercer_core::{Error, Mdp, Result, Session, Termination};
use mercer_math::Mat;
use std::sync::Arc;

/// A policy: the probability of each action in each state.
///
/// # Example
/// ```
/// use mercer_rl::{Policy, exact_values, process};
/// let grid = process("grid4x4")?;
/// let values = exact_values(&Policy::uniform(&grid), 1.0)?.values;
/// assert!((values[1] + 14.0).abs() < 1e-9); // figure 4.1 of Sutton and Barto
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Policy {
    flat: Flat,
    names: Arc<[String]>,
    /// The probability of each pair.
    shares: Vec<f64>,
}

/// What a policy is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyValues {
    /// The value of each state.
    pub values: Vec<f64>,
    /// The value of each action in each state, the policy followed afterwards; −∞ where it is not available.
    pub action_values: Mat,
    /// The number of sweeps; none for a linear system.
    pub iterations: u64,
    /// How it ended.
    pub termination: Termination,
}

impl Policy {
    /// Every action that is available, with the same probability.
    pub fn uniform(mdp: &Mdp) -> Self {
        let flat = Flat::new(mdp);
        let mut shares = vec![0.0; flat.n_pairs()];
        for s in 0..flat.n_states() {
            let of = flat.of(s);
            let each = 1.0 / of.len().max(1) as f64;
            shares[of].fill(each);
        }
        Self { flat, names: mdp.shared_states(), shares }
    }

    /// One action in each state, by number; in a terminal state it says nothing.
    ///
    /// # Errors
    /// Not one action for each state; an action that is not available.
    pub fn of_actions(mdp: &Mdp, actions: &[usize]) -> Result<Self> {
        let (n, n_actions) = (mdp.states().len(), mdp.actions().len());
        if actions.len() != n {
            return Err(Error::shape("actions: one for each state", n, actions.len()));
        }
        let terminal = |s: usize| (0..n_actions).all(|a| mdp.transitions(s, a).is_empty());
        let mut shares = Mat::zeros(n, n_actions);
        for (s, &a) in actions.iter().enumerate().filter(|(s, _)| !terminal(*s)) {
            if a >= n_actions {
                return Err(Error::param("Policy", "action", format!("below {n_actions}"), a));
            }
            shares[(s, a)] = 1.0;
        }
        Self::new(mdp, &shares)
    }

    /// The probability of each action (columns) in each state (rows).
    ///
    /// # Errors
    /// A matrix of another shape; rows that are no probabilities; a probability of an action that is not available.
    pub fn new(mdp: &Mdp, shares: &Mat) -> Result<Self> {
        let flat = Flat::new(mdp);
        let (n, n_actions) = (flat.n_states(), flat.n_actions());
        if (shares.n_rows(), shares.n_cols()) != (n, n_actions) {
            let what = if shares.n_rows() == n {
                "columns of a policy: one for each action"
            } else {
                "rows of a policy: one for each state"
            };
            let (expected, got) =
                if shares.n_rows() == n { (n_actions, shares.n_cols()) } else { (n, shares.n_rows()) };
            return Err(Error::shape(what, expected, got));
        }
        let mut held = vec![0.0; flat.n_pairs()];
        for s in 0..n {
            let state = &mdp.states()[s];
            let refuse = |a: usize, expected: &str| {
                Error::param(
                    "Policy",
                    &format!("probability of ({state}, {})", mdp.actions()[a]),
                    expected,
                    shares[(s, a)],
                )
            };
            for a in 0..n_actions {
                let share = shares[(s, a)];
                if !(0.0..=1.0).contains(&share) {
                    return Err(refuse(a, "in [0, 1]"));
                }
                match flat.pair(s, a) {
                    Some(pair) => held[pair] = share,
                    None if share > 0.0 && !flat.of(s).is_empty() => {
                        return Err(refuse(a, "0, since it is not available"));
                    }
                    None => {}
                }
            }
            let of = flat.of(s);
            let total: f64 = held[of.clone()].iter().sum();
            if !of.is_empty() && (total - 1.0).abs() > 1e-9 {
                let name = format!("probabilities of state {state}");
                return Err(Error::param("Policy", &name, "such that they sum to 1", total));
            }
            held[of].iter_mut().for_each(|p| *p /= total);
        }
        Ok(Self { flat, names: mdp.shared_states(), shares: held })
    }

    fn chain(&self) -> Chain {
        Chain::of_shares(&self.flat, &self.shares)
    }

    fn told(
        &self,
        values: Vec<f64>,
        action_values: Vec<f64>,
        iterations: u64,
        termination: Termination,
    ) -> Result<PolicyValues> {
        finite("a policy", &self.names, &values)?;
        let (n, n_actions) = (self.flat.n_states(), self.flat.n_actions());
        let action_values = Mat::from_vec(action_values, n, n_actions)
            .ok_or_else(|| Error::shape("values of actions", n * n_actions, 0))?;
        Ok(PolicyValues { values, action_values, iterations, termination })
    }
}

/// The mean reward of the next T steps: algorithm 9 and equation 12.8 of the notes.
///
///   V_t(x) = Σ_a π(x, a) Q_t(x, a),  Q_t(x, a) = Σ_x' p (r / t + (t − 1) / t · V_{t−1}(x')),  V_0 = 0
///
/// A state that has ended earns nothing in the steps that are left.
///
/// # Errors
/// No step at all; interruption by the session; values that are not finite.
pub fn average_values(policy: &Policy, steps: u64, session: &Session) -> Result<PolicyValues> {
    if steps == 0 {
        return Err(Error::param("average_values", "steps", "in [1, inf)", steps));
    }
    let (chain, flat) = (policy.chain(), &policy.flat);
    let mut values = vec![0.0; flat.n_states()];
    let mut next = values.clone();
    for t in 1..steps {
        flat.map(&values, &mut next, |s| {
            (chain.reward[s] + (t - 1) as f64 * chain.expected(s, &values)) / t as f64
        });
        std::mem::swap(&mut values, &mut next);
        if let Some(why) = session.step("step", t, Some(steps), None) {
            return Err(Error::numeric(
                "average_values",
                format!("{why}: there is no value of fewer steps to give"),
            ));
        }
    }
    // Of the last step, the actions are told as well: (r + (T − 1) Σ p V) / T.
    let mut action_values = flat.action_values((steps - 1) as f64, &values);
    action_values.iter_mut().for_each(|q| *q /= steps as f64);
    let last = |s| (chain.reward[s] + (steps - 1) as f64 * chain.expected(s, &values)) / steps as f64;
    flat.map(&values, &mut next, last);
    policy.told(next, action_values, steps, Termination::Exact)
}

/// The discounted values of a policy by sweeps: algorithm 10 and equation 12.9 of the notes.
///
///   V(x) ← Σ_a π(x, a) Σ_x' p (r + γ V(x'))   until no value moves by `threshold`
///
/// # Errors
/// A discount outside of [0, 1]; a threshold that is not positive; values that are not finite.
pub fn discounted_values(
    policy: &Policy,
    discount: f64,
    threshold: f64,
    max_iter: u64,
    session: &Session,
) -> Result<PolicyValues> {
    check_discount("discounted_values", discount)?;
    if !(threshold > 0.0 && threshold.is_finite()) {
        return Err(Error::param("discounted_values", "threshold", "in (0, inf)", threshold));
    }
    let (chain, flat) = (policy.chain(), &policy.flat);
    let mut values = vec![0.0; flat.n_states()];
    let sweeps = Sweeps { threshold, most: max_iter, session };
    let (iterations, termination) = sweeps.run(flat, &chain, discount, &mut values);
    let action_values = flat.action_values(discount, &values);
    policy.told(values, action_values, iterations, termination)
}

/// The discounted values of a policy by their linear system, component by component of its Markov chain.
///
///   (I − γ P_π) V = r_π
///
/// With a discount of 1 the policy must end, or go on without rewards.
///
/// # Errors
/// A discount outside of [0, 1]; rewards that go on for ever without a discount.
pub fn exact_values(policy: &Policy, discount: f64) -> Result<PolicyValues> {
    check_discount("exact_values", discount)?;
    let values = policy.chain().values(discount, &policy.names)?;
    let action_values = policy.flat.action_values(discount, &values);
    policy.told(values, action_values, 0, Termination::Exact)
}

/// The action that is greedy for values of states (equation 12.16 of the notes); none in a terminal state.
///
/// # Errors
/// A discount outside of [0, 1]; not one value for each state.
pub fn improve(mdp: &Mdp, discount: f64, values: &[f64]) -> Result<Vec<Option<usize>>> {
    check_discount("improve", discount)?;
    if values.len() != mdp.states().len() {
        return Err(Error::shape("values: one for each state", mdp.states().len(), values.len()));
    }
    let flat = Flat::new(mdp);
    let pairs = flat.greedy(discount, values, None);
    Ok(pairs.into_iter().map(|pair| (pair != NONE).then(|| flat.action(pair as usize))).collect())
}

/// Sweeps that evaluate a chain.
pub(crate) struct Sweeps<'a> {
    pub(crate) threshold: f64,
    pub(crate) most: u64,
    pub(crate) session: &'a Session,
}

impl Sweeps<'_> {
    /// V ← r + γ P V until no value moves by the threshold, or by more than its last bits; how often, and how it ended.
    pub(crate) fn run(
        &self,
        flat: &Flat,
        chain: &Chain,
        discount: f64,
        values: &mut Vec<f64>,
    ) -> (u64, Termination) {
        let mut next = values.clone();
        for i in 1..=self.most {
            let change: Change =
                flat.map(values, &mut next, |s| chain.reward[s] + discount * chain.expected(s, values));
            std::mem::swap(values, &mut next);
            if change.size() < self.threshold {
                return (i, Termination::Converged);
            }
            if change.size() <= 8.0 * f64::EPSILON * sup(values) {
                return (i, Termination::Stalled);
            }
            if let Some(why) = self.session.step("sweep", i, Some(self.most), Some(change.size())) {
                return (i, why);
            }
        }
        (self.most, Termination::IterationLimit)
    }
}

fn check_discount(owner: &str, discount: f64) -> Result<()> {
    if (0.0..=1.0).contains(&discount) {
        Ok(())
    } else {
        Err(Error::param(owner, "discount", "in [0, 1]", discount))
    }
}

/// Refuses values that overflowed, by the name of a state.
pub(crate) fn finite(owner: &str, names: &[String], values: &[f64]) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(s) => {
            let reason = format!(
                "the value of state `{}` is not finite: the rewards are too large, or without end",
                names[s]
            );
            Err(Error::numeric(owner, reason))
        }
        None => Ok(()),
    }
}
