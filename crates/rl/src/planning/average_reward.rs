//! Planning for the average reward of a step, for ever.
//!
//! # Objective
//! $$ g^*(x) = \max_\pi \lim_{T \to \infty} \tfrac1T\, \mathbb E_\pi\Bigl[\sum_{t=1}^T r_t \Bigm| x_0 = x\Bigr] $$
//! with the equations $g = \max_a P_a g$ and $g + h = \max_a (r_a + P_a h)$, the second over the actions that attain the first. The
//! bias h is what a start is worth beside the gain g.
//!
//! # Algorithm
//! `policy_iteration`: Howard's, for any process. Gain and bias of a policy are exact, one strongly connected component of
//! its Markov chain after the other; an action is left for one that leads to greater gains, then for one of greater bias.
//! `value_iteration`: relative value iteration on the half-lazy process, which no period can upset. For any h, the best gain lies
//! between min(Th − h) and max(Th − h), so that it stops when these are within the tolerance. It is for processes whose best
//! gain is the same from every state.
//!
//! # Complexity
//! Policy iteration: O(c³) for each strongly connected component of c states. Value iteration: O(transitions) a sweep.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{AverageReward, process};
//! let plan = AverageReward::default().fit(&Dataset::new(process("chain")?))?;
//! assert!((plan.gain[0] - plan.gain[4]).abs() < 1e-12);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A terminal state earns nothing for ever, so that its gain is zero. The bias is fixed by a stationary mean of zero in each
//! recurrent class of the policy; that of value iteration up to a constant.
//!
//! # References
//! - R. A. Howard. Dynamic Programming and Markov Processes. MIT Press, 1960.
//! - M. L. Puterman. Markov Decision Processes, chapters 8 and 9. Wiley, 1994. doi:10.1002/9780470316887
//! - D. J. White. Dynamic programming, Markov chains, and the method of successive approximations. J. Math. Anal. Appl. 6(3),
//!   1963. doi:10.1016/0022-247X(63)90017-9

use super::chain::Chain;
use super::evaluate::finite;
use super::flat::{Change, Flat, NONE, sup};
use super::gains::Gains;
use super::plan::{act, decide, fits, policy_attributes, same_process, sure};
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Dataset, Evidence, Fitted, Input, Learn, Params, Prediction,
    Result, Schema, Session, Termination,
};
use mercer_math::{Mat, Rng};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How the best average reward is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum AverageMethod {
    /// Howard's policy iteration, for any process.
    PolicyIteration,
    /// Relative value iteration, for processes whose best gain is the same everywhere.
    ValueIteration,
}

/// Planning for the average reward of a step, for ever.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "average-reward",
    canon = "R2",
    task = Planning,
    learns_from = Mdp,
    asked_about = States,
    python = "rl",
    can = "policy",
    tried = "| method=value_iteration,max_iter=1000",
    references = "Howard. Dynamic Programming and Markov Processes. MIT Press, 1960.|Puterman. Markov Decision Processes. Wiley, 1994."
)]
pub struct AverageReward {
    /// How the best average reward is found: exactly by policies, or by sweeps where it is the same from every state.
    #[param(default = AverageMethod::PolicyIteration)]
    pub method: AverageMethod,
    /// Within how much value iteration encloses the gain.
    #[param(default = 1e-8, range = "(0, inf)")]
    pub tol: f64,
    /// Limit of sweeps, or of improvements of the policy.
    #[param(default = 100_000, range = "[1, inf)")]
    pub max_iter: usize,
}

/// Gain, bias and policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AverageRewardModel {
    /// The average reward of a step from each state.
    pub gain: Vec<f64>,
    /// What each state is worth beside the gain.
    pub bias: Vec<f64>,
    /// The best action in each state; the number of actions stands for "none" in a terminal state.
    pub policy: Vec<u32>,
    /// The names of the states.
    pub states: Arc<[String]>,
    /// The names of the actions.
    pub actions: Arc<[String]>,
    iterations: u64,
    certificate: Certificate,
}

const GAIN: &str = "residual of the gain";
const BIAS: &str = "residual of the bias";

impl Learn for AverageReward {
    type Model = AverageRewardModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AverageRewardModel> {
        let mdp = data.whole_input().mdp(Self::NAME)?;
        let flat = Flat::new(mdp);
        let (gains, pairs, iterations, termination) = match self.method {
            AverageMethod::PolicyIteration => self.by_policies(&flat, session),
            AverageMethod::ValueIteration => self.by_values(&flat, session),
        };
        finite(Self::NAME, mdp.states(), &gains.gain)?;
        finite(Self::NAME, mdp.states(), &gains.bias)?;
        let certificate = certify(&flat, &gains, &pairs, termination).with_iterations(iterations);
        Ok(AverageRewardModel {
            policy: flat.actions(&pairs),
            gain: gains.gain,
            bias: gains.bias,
            states: mdp.shared_states(),
            actions: mdp.shared_actions(),
            iterations,
            certificate,
        })
    }
}

impl AverageReward {
    /// Howard's policy iteration.
    fn by_policies(&self, flat: &Flat, session: &Session) -> (Gains, Vec<u32>, u64, Termination) {
        let mut pairs = flat.greedy(0.0, &vec![0.0; flat.n_states()], None);
        let most = self.max_iter as u64;
        let mut iterations = 0;
        loop {
            iterations += 1;
            let gains = Gains::of(&Chain::of_pairs(flat, &pairs));
            let improved = gains.greedy(flat, Some(&pairs));
            if improved == pairs {
                return (gains, pairs, iterations, Termination::Exact);
            }
            let why = session.step("policy", iterations, Some(most), None);
            let why = why.or((iterations == most).then_some(Termination::IterationLimit));
            if let Some(why) = why {
                return (gains, pairs, iterations, why);
            }
            pairs = improved;
        }
    }

    /// Relative value iteration: h ← (h + T h) / 2, less its first value.
    fn by_values(&self, flat: &Flat, session: &Session) -> (Gains, Vec<u32>, u64, Termination) {
        let n = flat.n_states();
        let (mut bias, mut next) = (vec![0.0; n], vec![0.0; n]);
        let (most, mut iterations) = (self.max_iter as u64, 0);
        let (change, termination) = loop {
            let change = flat.sweep(1.0, &bias, &mut next);
            iterations += 1;
            if change.span() <= self.tol {
                break (change, Termination::Converged);
            }
            let why = session.step("sweep", iterations, Some(most), Some(change.span()));
            let why = why.or((iterations == most).then_some(Termination::IterationLimit));
            if let Some(why) = why {
                break (change, why);
            }
            // A terminal state stays where it is; where there is none, values are relative to the first.
            let origin = (0..n).find(|&s| flat.of(s).is_empty()).unwrap_or(0);
            let level = 0.5 * (bias[origin] + next[origin]);
            bias.iter_mut().zip(&next).for_each(|(h, t)| *h = 0.5 * (*h + t) - level);
        };
        let gains = Gains { gain: vec![0.5 * (change.least + change.most); n], bias };
        let pairs = flat.greedy(1.0, &gains.bias, None);
        (gains, pairs, iterations, termination)
    }
}

fn certify(flat: &Flat, gains: &Gains, pairs: &[u32], termination: Termination) -> Certificate {
    let (of_gain, of_bias) = gains.residuals(flat, pairs);
    let rewards = (0..flat.n_pairs()).fold(0.0f64, |m, pair| m.max(flat.reward(pair).abs()));
    let scale = rewards.max(sup(&gains.bias));
    let meaning = "how far the gain is from that of the best action, and of the policy's";
    let certificate = Certificate::new(termination)
        .with_evidence(Evidence::residual(GAIN, of_gain, meaning).on_scale(rewards))
        .with_evidence(
            Evidence::residual(BIAS, of_bias, "the same of gain and bias, among the actions of best gain")
                .on_scale(scale),
        );
    let change: Change = flat.residual(1.0, &gains.bias);
    let range = gains.gain.iter().fold(Change::NOTHING, |range, g| range.with(*g));
    if range.span() > 1e-9 * rewards {
        return certificate.with_note(format!(
            "the best gain depends on the first state: from {:.6} to {:.6}",
            range.least, range.most
        ));
    }
    certificate.with_note(format!(
        "no policy gains less than {:.9} or more than {:.9} a step if it is best",
        change.least, change.most
    ))
}

impl mercer_core::Policy for AverageRewardModel {
    fn action_probabilities(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        sure(input, &self.states, self.actions.len(), &self.policy)
    }

    fn act(&self, observation: &[f64], _: &mut Rng) -> Result<usize> {
        act(observation, &self.states, self.actions.len(), &self.policy)
    }
}

impl Fitted for AverageRewardModel {
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
        let flat = Flat::new(same_process(data, AverageReward::NAME, &self.states, &self.actions)?);
        let pair = |(s, &a): (usize, &u32)| flat.pair(s, a as usize).map_or(NONE, |pair| pair as u32);
        let pairs: Vec<u32> = self.policy.iter().enumerate().map(pair).collect();
        let gains = Gains { gain: self.gain.clone(), bias: self.bias.clone() };
        let (of_gain, of_bias) = gains.residuals(&flat, &pairs);
        Ok(vec![(GAIN.to_owned(), of_gain), (BIAS.to_owned(), of_bias)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let n = [self.states.len()];
        let doc = "What each state is worth beside the gain: its bias.";
        let mut all = vec![
            Attribute::real("gain_", "The average reward of a step from each state.", &n, self.gain.clone()),
            Attribute::real("values_", doc, &n, self.bias.clone()),
        ];
        all.extend(policy_attributes(&self.policy, &self.states, &self.actions, self.iterations));
        all
    }

    fn validate(&self, _: &Schema) -> Result<(), String> {
        let n = self.states.len();
        let ok = self.gain.len() == n && self.bias.len() == n && fits(&self.policy, n, self.actions.len());
        if ok { Ok(()) } else { Err("gains or policy do not fit the states".to_owned()) }
    }
}
