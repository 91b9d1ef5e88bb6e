//! Value iteration: the optimal values and policy of a finite Markov decision process.
//!
//! # Objective
//! $$ V^*(x) = \max_a \sum_{x'} P(x' \mid x, a)\,\bigl(R(x, a, x') + \gamma V^*(x')\bigr) $$
//!
//! # Algorithm
//! Sweeps of the Bellman operator over all states from the values of the sweep before, until no value moves by
//! more than the tolerance asks; the policy is greedy (first action among equals). For $\gamma < 1$ the operator
//! contracts, so that $\lVert V_k - V^*\rVert_\infty \le \tfrac{\gamma}{1-\gamma}\lVert V_k - V_{k-1}\rVert_\infty$.
//!
//! # Complexity
//! Time O(outcomes) a sweep, memory O(states).
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
//! With a discount of 1 there is no contraction: the certificate then gives the Bellman residual alone.
//!
//! # References
//! - R. Bellman. A Markovian decision process. J. Math. Mech. 6(5), 1957. doi:10.1512/iumj.1957.6.56038
//! - S. Russell, P. Norvig. Artificial Intelligence: A Modern Approach, chapter 17. Pearson, 2010.

use mercer_core::{
    Attribute, Certificate, Dataset, ErrorKind, Evidence, Fitted, Input, Label, Labels, Learn, Mdp, Params,
    Prediction, Result, Schema, Session, Target, Termination,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Value iteration: the optimal values and policy of a finite Markov decision process.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "value-iteration",
    canon = "R2",
    task = Planning,
    learns_from = Mdp,
    asked_about = States,
    python = "rl",
    references = "Bellman. A Markovian decision process. J. Math. Mech. 6(5), 1957."
)]
pub struct ValueIteration {
    /// The discount of later rewards; none means the process's own, or 0.99.
    #[param(default = None, range = "[0, 1]")]
    pub discount: Option<f64>,
    /// How far from optimal a value may be; the distance between sweeps where the discount is 1.
    #[param(default = 1e-8, range = "(0, inf)")]
    pub tol: f64,
    /// Sweep limit.
    #[param(default = 100_000, range = "[1, inf)")]
    pub max_iter: usize,
}

/// Values and policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueIterationModel {
    /// The value of each state.
    pub values: Vec<f64>,
    /// The best action in each state; the number of actions stands for "none" in a terminal state.
    pub policy: Vec<u32>,
    /// The names of the states.
    pub states: Vec<String>,
    /// The names of the actions.
    pub actions: Vec<String>,
    /// The discount used.
    pub discount: f64,
    iterations: u64,
    certificate: Certificate,
}

const RESIDUAL: &str = "Bellman residual";

impl Learn for ValueIteration {
    type Model = ValueIterationModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ValueIterationModel> {
        let mdp = data.whole_input().mdp(Self::NAME)?;
        let discount = self.discount.or(mdp.discount()).unwrap_or(0.99);
        // The largest step between sweeps that proves the tolerance, by the contraction.
        let enough =
            if discount < 1.0 { self.tol * (1.0 - discount) / discount.max(1e-12) } else { self.tol };
        let mut values = vec![0.0; mdp.states().len()];
        let (mut termination, mut iterations) = (Termination::IterationLimit, 0);
        while iterations < self.max_iter as u64 {
            let (next, step) = sweep(mdp, discount, &values);
            values = next;
            iterations += 1;
            if step <= enough {
                termination = Termination::Converged;
                break;
            }
            if let Some(why) = session.step("sweep", iterations, Some(self.max_iter as u64), Some(step)) {
                termination = why;
                break;
            }
        }
        let certificate = certify(mdp, discount, &values, termination, iterations);
        Ok(ValueIterationModel {
            policy: greedy(mdp, discount, &values),
            states: mdp.states().to_vec(),
            actions: mdp.actions().to_vec(),
            values,
            discount,
            iterations,
            certificate,
        })
    }
}

/// Σ p (r + γ V(next)), or `None` where the action is not available.
fn action_value(mdp: &Mdp, discount: f64, values: &[f64], state: usize, action: usize) -> Option<f64> {
    let outcomes = mdp.transitions(state, action);
    let value =
        outcomes.iter().map(|o| o.probability * (o.reward + discount * values[o.next as usize])).sum();
    (!outcomes.is_empty()).then_some(value)
}

/// One application of the Bellman operator, and the largest change.
fn sweep(mdp: &Mdp, discount: f64, values: &[f64]) -> (Vec<f64>, f64) {
    let best = |s: usize| {
        let each = (0..mdp.actions().len()).filter_map(|a| action_value(mdp, discount, values, s, a));
        each.reduce(f64::max).unwrap_or(0.0)
    };
    let next: Vec<f64> = if values.len() < 4096 {
        (0..values.len()).map(best).collect()
    } else {
        (0..values.len()).into_par_iter().with_min_len(1024).map(best).collect()
    };
    let step =
        next.iter().zip(values).fold(0.0f64, |m, (a, b)| if (a - b).abs() <= m { m } else { (a - b).abs() });
    (next, step)
}

fn greedy(mdp: &Mdp, discount: f64, values: &[f64]) -> Vec<u32> {
    let n_actions = mdp.actions().len();
    let best = |s: usize| {
        let mut best: Option<(f64, usize)> = None;
        for a in 0..n_actions {
            if let Some(value) = action_value(mdp, discount, values, s, a) {
                // Rounding must not choose between equal actions.
                if best.is_none_or(|(b, _)| value > b + 1e-12 * (1.0 + b.abs())) {
                    best = Some((value, a));
                }
            }
        }
        best.map_or(n_actions, |(_, a)| a) as u32
    };
    (0..values.len()).map(best).collect()
}

/// The largest size of values.
fn sup(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| m.max(v.abs()))
}

fn certify(
    mdp: &Mdp,
    discount: f64,
    values: &[f64],
    termination: Termination,
    iterations: u64,
) -> Certificate {
    let (_, residual) = sweep(mdp, discount, values);
    let meaning = "largest change that one more sweep would make: zero at the optimal values";
    let certificate = Certificate::new(termination)
        .with_iterations(iterations)
        .with_evidence(Evidence::residual(RESIDUAL, residual, meaning).on_scale(sup(values)));
    if discount < 1.0 {
        let bound = residual / (1.0 - discount);
        return certificate.with_note(format!("contraction: every value is within {bound:.1e} of optimal"));
    }
    certificate.with_note("discount 1: no contraction, so the residual bounds no distance to the optimum")
}

impl ValueIterationModel {
    fn labels(&self) -> Labels {
        let names = self.actions.iter().cloned().chain(["(none)".to_owned()]);
        names.map(Label::Text).collect()
    }
}

impl Fitted for ValueIterationModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, _: &Session) -> Result<Prediction> {
        let states = input.states(ValueIteration::NAME)?.places(&self.states)?;
        let codes = states.iter().map(|&s| self.policy[s]).collect();
        Ok(Target::coded(codes, self.labels()).named(&["action"]))
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let mdp = data.whole_input().mdp(ValueIteration::NAME)?;
        if mdp.states().len() != self.values.len() {
            return Err(ErrorKind::Shape {
                what: "states".to_owned(),
                expected: self.values.len(),
                got: mdp.states().len(),
            }
            .into());
        }
        Ok(vec![(RESIDUAL.to_owned(), sweep(mdp, self.discount, &self.values).1)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let n = [self.values.len()];
        let policy =
            self.policy.iter().map(|&a| if a as usize == self.actions.len() { -1 } else { i64::from(a) });
        vec![
            Attribute::real("values_", "The value of each state.", &n, self.values.clone()),
            Attribute::int(
                "policy_",
                "The best action in each state, -1 where there is none.",
                &n,
                policy.collect(),
            ),
            Attribute::text("states_", "The names of the states.", self.states.clone()),
            Attribute::text("actions_", "The names of the actions.", self.actions.clone()),
            Attribute::int("n_iter_", "The number of sweeps.", &[], vec![self.iterations as i64]),
        ]
    }

    fn validate(&self, _: &Schema) -> Result<(), String> {
        let n = self.states.len();
        let ok = self.values.len() == n
            && self.policy.len() == n
            && self.policy.iter().all(|&a| a as usize <= self.actions.len());
        if ok { Ok(()) } else { Err("values or policy do not fit the states".to_owned()) }
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
