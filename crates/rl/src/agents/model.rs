//! What agents learn: weights of features, and how actions follow from them.

use super::basis::{Basis, Sight};
use super::params::BudgetParams;
use super::play::{Agent, Course, Explore, act};
use super::values::{Values, first_best, shares};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Environment, Evidence, Fitted, Input, Label, Labels, Mdp,
    Policy, Prediction, Result, Schema, Session, Target, Termination,
};
use mercer_math::{Mat, MatRef};
use serde::{Deserialize, Serialize};

/// How actions follow from values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Acts {
    /// The best one.
    Greedily,
    /// Drawn by the exponentials of preferences.
    BySoftmax,
    /// Not at all: the values of a policy that was given.
    Judges,
}

/// What an agent learnt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentModel {
    basis: Basis,
    acts: Acts,
    /// By feature and action.
    weights: Vec<f64>,
    n_actions: usize,
    /// Which actions are there by place; empty where all are.
    allowed: Vec<bool>,
    actions: Vec<String>,
    discount: f64,
    /// The sum of the rewards of each episode.
    pub returns: Vec<f64>,
    /// The number of steps of each episode.
    pub lengths: Vec<f64>,
    steps: u64,
    certificate: Certificate,
}

/// What an agent hands over in the end: its values, and how it acts on them.
pub(crate) type Ending = (Values, Acts);

/// Lets an agent act and makes a model of what it learnt.
pub(crate) fn learn<A: Agent>(
    mut agent: A,
    environment: &Environment,
    budget: &BudgetParams,
    explore: impl Fn(f64) -> Explore,
    session: &Session,
    end: impl FnOnce(A) -> Ending,
) -> Result<AgentModel> {
    let course = act(&mut agent, environment, budget, explore, session)?;
    let (values, acts) = end(agent);
    values.refuse_not_finite()?;
    let Course { returns, lengths, steps, termination } = course;
    let mut model = AgentModel {
        acts,
        n_actions: environment.n_actions(),
        allowed: super::values::allowed(environment),
        actions: environment.actions(),
        discount: budget.discount,
        basis: values.basis,
        weights: values.weights,
        returns,
        lengths,
        steps,
        certificate: Certificate::new(Termination::IterationLimit),
    };
    // An agent ends when its budget is spent: that is what it was asked for.
    model.certificate = model.certify(environment, termination.unwrap_or(Termination::Complete))?;
    Ok(model)
}

const RESIDUAL: &str = "Bellman residual";

/// Processes with more pairs of state and action are not read for a certificate.
const MOST_PAIRS: usize = 1 << 20;

impl AgentModel {
    fn width(&self) -> usize {
        if self.acts == Acts::Judges { 1 } else { self.n_actions }
    }

    /// The values, preferences or value at an observation.
    fn at(&self, observation: &[f64], sight: &mut Sight, out: &mut [f64]) -> Result<()> {
        self.basis.see("this policy", observation, sight)?;
        out.fill(0.0);
        for (f, v) in sight.index.iter().zip(&sight.value) {
            let own = &self.weights[*f as usize * out.len()..][..out.len()];
            out.iter_mut().zip(own).for_each(|(o, w)| *o += v * w);
        }
        if let (false, Some(place), true) = (self.allowed.is_empty(), sight.place, out.len() > 1) {
            let own = &self.allowed[place * self.n_actions..][..self.n_actions];
            // At an end nothing is there, and it does not matter what is said of it.
            if own.contains(&true) {
                out.iter_mut()
                    .zip(own)
                    .filter(|(_, there)| !**there)
                    .for_each(|(o, _)| *o = f64::NEG_INFINITY);
            }
        }
        Ok(())
    }

    /// Something of each row.
    fn rows<T>(&self, x: MatRef<'_>, mut each: impl FnMut(&[f64]) -> T) -> Result<Vec<T>> {
        let (mut sight, mut out) = (Sight::default(), vec![0.0; self.width()]);
        let mut observation = vec![0.0; x.n_cols()];
        let mut one = |i: usize| {
            observation.iter_mut().enumerate().for_each(|(j, v)| *v = x.get(i, j));
            self.at(&observation, &mut sight, &mut out)?;
            Ok(each(&out))
        };
        (0..x.n_rows()).map(&mut one).collect()
    }

    /// The largest error of the values of actions under one look ahead by the process itself; `None` where that says nothing
    /// of them, or nothing is known of it.
    fn residual(&self, environment: &Environment) -> Result<Option<f64>> {
        let pairs =
            environment.observations().count().map_or(usize::MAX, |n| n.saturating_mul(self.n_actions));
        if self.acts != Acts::Greedily || !self.basis.is_table() || pairs > MOST_PAIRS {
            return Ok(None);
        }
        let Some(mdp) = environment.model() else { return Ok(None) };
        Ok(Some(residual(&mdp?, self.discount, &self.weights, self.n_actions)))
    }

    fn certify(&self, environment: &Environment, termination: Termination) -> Result<Certificate> {
        let certificate = Certificate::new(termination).with_iterations(self.steps);
        let Some(residual) = self.residual(environment)? else {
            let why = match self.acts {
                Acts::Greedily => {
                    "learnt from episodes alone: the process is not known, or values are no table"
                }
                Acts::BySoftmax => "a policy that is drawn has no values that could be proved",
                Acts::Judges => "values are averages of what was earned, which episodes alone cannot prove",
            };
            return Ok(Certificate::without_evidence(termination, why).with_iterations(self.steps));
        };
        let meaning =
            "largest error of a value under one look ahead by the process itself: zero at the optimal values";
        let scale = self.weights.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
        let certificate =
            certificate.with_evidence(Evidence::residual(RESIDUAL, residual, meaning).on_scale(scale));
        Ok(match self.discount < 1.0 {
            true => {
                let bound = residual / (1.0 - self.discount);
                certificate.with_note(format!("contraction: every value is within {bound:.2e} of optimal"))
            }
            false => certificate.with_note("discount 1: the residual bounds no distance to the optimum"),
        })
    }

    fn labels(&self) -> Labels {
        match self.actions.is_empty() {
            true => (0..self.n_actions).map(|a| Label::Int(a as i64)).collect(),
            false => self.actions.iter().cloned().map(Label::Text).collect(),
        }
    }
}

fn residual(mdp: &Mdp, discount: f64, q: &[f64], n_actions: usize) -> f64 {
    let n = mdp.states().len();
    let there = |s: usize, a: usize| !mdp.transitions(s, a).is_empty();
    let best = |s: usize| {
        (0..n_actions).filter(|a| there(s, *a)).map(|a| q[s * n_actions + a]).reduce(f64::max).unwrap_or(0.0)
    };
    let values: Vec<f64> = (0..n).map(best).collect();
    let error = |s: usize, a: usize| {
        let ahead = mdp.transitions(s, a).iter();
        let ahead: f64 = ahead.map(|t| t.probability * (t.reward + discount * values[t.next as usize])).sum();
        (q[s * n_actions + a] - ahead).abs()
    };
    let pairs = (0..n).flat_map(|s| (0..n_actions).map(move |a| (s, a)));
    pairs.filter(|(s, a)| there(*s, *a)).map(|(s, a)| error(s, a)).fold(0.0, f64::max)
}

impl Policy for AgentModel {
    fn action_probabilities(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        let x = input.rows("this policy")?.dense("this policy")?;
        let softmax = Explore { epsilon: 0.0, temperature: Some(1.0) };
        let each = |values: &[f64]| {
            let mut out = vec![0.0; values.len()];
            match self.acts {
                Acts::BySoftmax => shares(values, softmax, &mut out),
                Acts::Greedily | Acts::Judges => out[first_best(values).unwrap_or(0)] = 1.0,
            }
            out
        };
        let rows = self.rows(x.view(), each)?;
        Ok(Mat::from_fn(rows.len(), self.n_actions, |i, a| rows[i][a]))
    }

    fn act(&self, observation: &[f64], rng: &mut mercer_math::Rng) -> Result<usize> {
        let mut out = vec![0.0; self.width()];
        self.at(observation, &mut Sight::default(), &mut out)?;
        Ok(match self.acts {
            Acts::BySoftmax => crate::pick::by_softmax(&out, 1.0, rng),
            Acts::Greedily | Acts::Judges => first_best(&out).unwrap_or(0),
        })
    }
}

impl Fitted for AgentModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, _: &Session) -> Result<Prediction> {
        let x = input.rows("this policy")?.dense("this policy")?;
        if self.acts == Acts::Judges {
            return Ok(Target::real(self.rows(x.view(), |out| out[0])?).named(&["value"]));
        }
        let codes = self.rows(x.view(), |out| first_best(out).unwrap_or(0) as u32)?;
        Ok(Target::coded(codes, self.labels()).named(&["action"]))
    }

    fn abilities(&self) -> Abilities<'_> {
        let policy = (self.acts != Acts::Judges).then_some(self as &dyn Policy);
        Abilities { policy, ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let environment = data.whole_input().environment("this policy")?;
        if environment.n_actions() != self.n_actions
            || environment.observations().width() != self.basis.n_numbers()
            || (self.basis.is_table() && environment.observations().count() != Some(self.basis.n_features()))
        {
            let got = environment.observations().count().unwrap_or(0);
            return Err(mercer_core::Error::shape("observations", self.basis.n_features(), got));
        }
        Ok(self.residual(environment)?.map(|r| (RESIDUAL.to_owned(), r)).into_iter().collect())
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (n, k) = (self.basis.n_features(), self.n_actions);
        let own = self.weights.clone();
        let mut out = match (self.acts, self.basis.is_table()) {
            (Acts::Judges, true) => vec![Attribute::real("values_", "The value of each state.", &[n], own)],
            (Acts::Judges, false) => {
                vec![Attribute::real("weights_", "The weight of each feature.", &[n], own)]
            }
            (Acts::Greedily, true) => {
                let rows = || (0..n).map(|s| &self.weights[s * k..(s + 1) * k]);
                let there = |s: usize, a: usize| self.allowed.is_empty() || self.allowed[s * k + a];
                let seen = |s: usize, row: &[f64]| -> Vec<f64> {
                    let none = (0..k).all(|a| !there(s, a));
                    let of = |a: usize| if none || there(s, a) { row[a] } else { f64::NEG_INFINITY };
                    (0..k).map(of).collect()
                };
                let best: Vec<usize> =
                    rows().enumerate().map(|(s, row)| first_best(&seen(s, row)).unwrap_or(0)).collect();
                let values = best.iter().enumerate().map(|(s, a)| self.weights[s * k + a]).collect();
                vec![
                    Attribute::real("q_values_", "The value of each action in each state.", &[n, k], own),
                    Attribute::real("values_", "The value of each state.", &[n], values),
                    Attribute::int(
                        "policy_",
                        "The best action in each state.",
                        &[n],
                        best.iter().map(|a| *a as i64).collect(),
                    ),
                ]
            }
            (Acts::BySoftmax, true) => {
                vec![Attribute::real(
                    "preferences_",
                    "The preference of each action in each state.",
                    &[n, k],
                    own,
                )]
            }
            (Acts::Greedily | Acts::BySoftmax, false) => {
                vec![Attribute::real("weights_", "The weights of the features of each action.", &[n, k], own)]
            }
        };
        let episodes = [self.returns.len()];
        out.extend([
            Attribute::real(
                "episode_returns_",
                "The sum of the rewards of each episode.",
                &episodes,
                self.returns.clone(),
            ),
            Attribute::real(
                "episode_lengths_",
                "The steps of each episode.",
                &episodes,
                self.lengths.clone(),
            ),
            Attribute::int("n_steps_", "The number of steps.", &[], vec![self.steps as i64]),
        ]);
        if !self.actions.is_empty() {
            out.push(Attribute::text("actions_", "The names of the actions.", self.actions.clone()));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let sound = self.basis.is_consistent()
            && self.n_actions > 0
            && self.basis.n_features().checked_mul(self.width()) == Some(self.weights.len())
            && self.basis.n_numbers() == schema.n_features()
            && (self.actions.is_empty() || self.actions.len() == self.n_actions)
            && self.returns.len() == self.lengths.len()
            && self.weights.iter().all(|w| w.is_finite())
            && (self.allowed.is_empty()
                || self.allowed.len() == self.places().saturating_mul(self.n_actions));
        if sound { Ok(()) } else { Err("weights, features and actions do not fit together".to_owned()) }
    }
}

impl AgentModel {
    /// How many observations there are, where they can be counted.
    fn places(&self) -> usize {
        self.basis.n_places()
    }
}
