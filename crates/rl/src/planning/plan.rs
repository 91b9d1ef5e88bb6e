//! The model of planners: values, the policy, and what is proved of both.

use super::flat::{Change, Flat, NONE, sup};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Error, Evidence, Fitted, Input, Label, Labels, Mdp,
    Prediction, Result, Schema, Session, Space, Target, Termination,
};
use mercer_math::{Mat, Rng};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a planner found: the value of each state and action, and a policy that is greedy for these values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The value of each state.
    pub values: Vec<f64>,
    /// The value of each action, states × actions; −∞ where it is not available.
    pub action_values: Vec<f64>,
    /// The best action in each state; the number of actions stands for "none" in a terminal state.
    pub policy: Vec<u32>,
    /// The names of the states.
    pub states: Arc<[String]>,
    /// The names of the actions.
    pub actions: Arc<[String]>,
    /// The discount used.
    pub discount: f64,
    iterations: u64,
    certificate: Certificate,
}

const RESIDUAL: &str = "Bellman residual";
const DISTANCE: &str = "distance from the optimal values";
const LOSS: &str = "loss of the policy";

/// What Bellman residuals prove (MacQueen 1966; Porteus 1971).
struct Proof {
    residual: f64,
    distance: f64,
    loss: f64,
}

impl Proof {
    /// With T the Bellman operator and T_π that of the policy, V* is at most TV + γ/(1 − γ) max(TV − V), and the value
    /// of the policy at least T_π V + γ/(1 − γ) min(T_π V − V). A pair that is not of its state proves nothing.
    fn new(flat: &Flat, discount: f64, values: &[f64], of_pairs: &[f64], pairs: &[u32]) -> Self {
        let (mut change, mut own, mut behind) = (Change::NOTHING, Change::NOTHING, 0.0f64);
        for (s, &pair) in pairs.iter().enumerate() {
            let best = of_pairs[flat.of(s)].iter().copied().reduce(f64::max).unwrap_or(0.0);
            let value = match pair {
                NONE if flat.of(s).is_empty() => 0.0,
                NONE => f64::NEG_INFINITY,
                pair => of_pairs[pair as usize],
            };
            change = change.with(best - values[s]);
            own = own.with(value - values[s]);
            behind = behind.max(best - value);
        }
        let far = 1.0 / (1.0 - discount);
        let loss = behind + discount * far * (change.most - own.least);
        Self { residual: change.size(), distance: change.size() * far, loss }
    }
}

impl Plan {
    /// The plan that values make, with what is proved of them; `pairs` is their greedy policy, if that is known.
    pub(crate) fn new(mdp: &Mdp, flat: &Flat, found: Found, discount: f64) -> Result<Self> {
        super::evaluate::finite("a plan", mdp.states(), &found.values)?;
        let Found { values, pairs, iterations, termination } = found;
        let of_pairs = flat.pair_values(discount, &values);
        let pairs = pairs.unwrap_or_else(|| flat.greedy_by(|pair| of_pairs[pair], None));
        let proof = Proof::new(flat, discount, &values, &of_pairs, &pairs);
        let certificate = certify(&proof, discount, &values, termination).with_iterations(iterations);
        Ok(Self {
            policy: flat.actions(&pairs),
            action_values: flat.by_action(&of_pairs),
            states: mdp.shared_states(),
            actions: mdp.shared_actions(),
            values,
            discount,
            iterations,
            certificate,
        })
    }

    /// The plan with more evidence.
    pub(crate) fn with_evidence(mut self, evidence: Evidence) -> Self {
        self.certificate = self.certificate.with_evidence(evidence);
        self
    }

    /// What the certificate of a plan says, from the process.
    pub(crate) fn proved(&self, data: &Dataset<'_>, learner: &str) -> Result<Vec<(String, f64)>> {
        let flat = Flat::new(same_process(data, learner, &self.states, &self.actions)?);
        let pair = |(s, &a): (usize, &u32)| flat.pair(s, a as usize).map_or(NONE, |pair| pair as u32);
        let pairs: Vec<u32> = self.policy.iter().enumerate().map(pair).collect();
        let of_pairs = flat.pair_values(self.discount, &self.values);
        let proof = Proof::new(&flat, self.discount, &self.values, &of_pairs, &pairs);
        let mut out = vec![(RESIDUAL.to_owned(), proof.residual)];
        if self.discount < 1.0 {
            out.extend([(DISTANCE.to_owned(), proof.distance), (LOSS.to_owned(), proof.loss)]);
        }
        Ok(out)
    }
}

/// What a planner hands over.
pub(crate) struct Found {
    pub(crate) values: Vec<f64>,
    pub(crate) pairs: Option<Vec<u32>>,
    pub(crate) iterations: u64,
    pub(crate) termination: Termination,
}

fn certify(proof: &Proof, discount: f64, values: &[f64], termination: Termination) -> Certificate {
    let scale = sup(values);
    let meaning = "largest change that one more sweep would make: zero at the optimal values";
    let certificate = Certificate::new(termination)
        .with_evidence(Evidence::residual(RESIDUAL, proof.residual, meaning).on_scale(scale));
    if discount == 1.0 {
        return certificate
            .with_note("discount 1: no contraction, so the residual bounds no distance to the optimum");
    }
    let distance = "no value is farther from optimal, since the Bellman operator contracts by the discount";
    let loss = "no state loses more by following the policy for ever than this";
    certificate
        .with_evidence(Evidence::bound(DISTANCE, proof.distance, distance).on_scale(scale))
        .with_evidence(Evidence::bound(LOSS, proof.loss, loss).on_scale(scale))
}

/// The process of a data set, if its states and actions are those of a plan.
pub(crate) fn same_process<'a>(
    data: &'a Dataset<'_>,
    learner: &str,
    states: &[String],
    actions: &[String],
) -> Result<&'a Mdp> {
    let mdp = data.whole_input().mdp(learner)?;
    if mdp.states().len() != states.len() {
        return Err(Error::shape("states", states.len(), mdp.states().len()));
    }
    if mdp.actions().len() != actions.len() {
        return Err(Error::shape("actions", actions.len(), mdp.actions().len()));
    }
    Ok(mdp)
}

/// What is done in the states that a policy is asked about.
pub(crate) fn decide(
    input: &Input<'_>,
    states: &[String],
    actions: &[String],
    policy: &[u32],
) -> Result<Prediction> {
    let places = input.states("a policy")?.places(states)?;
    let codes = places.iter().map(|&s| policy[s]).collect();
    let labels: Labels = actions.iter().cloned().chain(["(none)".to_owned()]).map(Label::Text).collect();
    Ok(Target::coded(codes, labels).named(&["action"]))
}

/// A policy as probabilities: 1 for the action of each state that is asked about, nothing where there is none.
pub(crate) fn sure(input: &Input<'_>, states: &[String], n_actions: usize, policy: &[u32]) -> Result<Mat> {
    let places = input.states("a policy")?.places(states)?;
    Ok(Mat::from_fn(places.len(), n_actions, |i, a| f64::from(u8::from(policy[places[i]] as usize == a))))
}

/// The action of the state that an environment shows by its number.
pub(crate) fn act(observation: &[f64], states: &[String], n_actions: usize, policy: &[u32]) -> Result<usize> {
    let place = Space::Discrete(states.len()).place(observation);
    let place = place.ok_or_else(|| {
        Error::param("a policy", "observation", "the number of a state", format!("{observation:?}"))
    })?;
    let action = policy[place] as usize;
    match action < n_actions {
        true => Ok(action),
        false => Err(Error::param("a policy", "observation", "a state that has actions", &states[place])),
    }
}

/// Actions as Python knows them: −1 for none.
pub(crate) fn signed(policy: &[u32], n_actions: usize) -> Vec<i64> {
    policy.iter().map(|&a| if a as usize == n_actions { -1 } else { i64::from(a) }).collect()
}

/// The attributes of every planner but its values.
pub(crate) fn policy_attributes(
    policy: &[u32],
    states: &[String],
    actions: &[String],
    iterations: u64,
) -> Vec<Attribute> {
    let doc = "The best action in each state, -1 where there is none.";
    vec![
        Attribute::int("policy_", doc, &[policy.len()], signed(policy, actions.len())),
        Attribute::text("states_", "The names of the states.", states.to_vec()),
        Attribute::text("actions_", "The names of the actions.", actions.to_vec()),
        Attribute::int("n_iter_", "The number of iterations.", &[], vec![iterations as i64]),
    ]
}

/// Whether a policy names an action, or none, for each of the states.
pub(crate) fn fits(policy: &[u32], states: usize, actions: usize) -> bool {
    policy.len() == states && policy.iter().all(|&a| a as usize <= actions)
}

impl mercer_core::Policy for Plan {
    fn action_probabilities(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        sure(input, &self.states, self.actions.len(), &self.policy)
    }

    fn act(&self, observation: &[f64], _: &mut Rng) -> Result<usize> {
        act(observation, &self.states, self.actions.len(), &self.policy)
    }
}

impl Fitted for Plan {
    const VERSION: u32 = 2;

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, _: &Session) -> Result<Prediction> {
        decide(input, &self.states, &self.actions, &self.policy)
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { policy: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        self.proved(data, "a plan")
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (n, k) = (self.states.len(), self.actions.len());
        let doc = "The value of each action in each state, -inf where it is not available.";
        let mut all = vec![
            Attribute::real("values_", "The value of each state.", &[n], self.values.clone()),
            Attribute::real("q_values_", doc, &[n, k], self.action_values.clone()),
            Attribute::real("discount_", "The discount used.", &[], vec![self.discount]),
        ];
        all.extend(policy_attributes(&self.policy, &self.states, &self.actions, self.iterations));
        all
    }

    fn validate(&self, _: &Schema) -> Result<(), String> {
        let (n, k) = (self.states.len(), self.actions.len());
        let sizes = self.values.len() == n && Some(self.action_values.len()) == n.checked_mul(k);
        let ok = sizes && fits(&self.policy, n, k) && (0.0..=1.0).contains(&self.discount);
        if ok { Ok(()) } else { Err("values or policy do not fit the states".to_owned()) }
    }
}
