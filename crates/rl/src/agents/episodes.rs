//! Learning from whole episodes: Monte Carlo methods, on the policy that acts and off it.

use super::basis::Sight;
use super::play::{Agent, Explore};
use super::target::{Target, TargetParams};
use super::values::{Values, choose, shares};
use mercer_core::{Choice, Environment, ParamGroup, Result};
use mercer_math::Rng;

/// Which visits of an episode count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Visits {
    /// The first one of each state (and action).
    First,
    /// Every one.
    Every,
}

/// How returns are weighted by how much likelier the policy that is judged would have made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Importance {
    /// By weighted averages: biased, of small variance.
    Weighted,
    /// By plain averages: unbiased, of large or infinite variance.
    Ordinary,
}

/// Who acts while a policy is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Behaviour {
    /// The policy itself.
    Policy,
    /// Any action with the same probability.
    Uniform,
}

impl Behaviour {
    /// Who acts in place of the policy.
    pub(super) fn target(self, learner: &str, environment: &Environment) -> Result<Option<Target>> {
        match self {
            Behaviour::Policy => Ok(None),
            Behaviour::Uniform => Target::new(learner, &TargetParams::default(), environment).map(Some),
        }
    }
}

/// How returns become values.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ReturnParams {
    /// Which visits of an episode count.
    #[param(default = Visits::First)]
    pub visits: Visits,
    /// A constant rate in place of averages; none means averages.
    #[param(default = None, range = "(0, 1]")]
    pub alpha: Option<f64>,
    /// How returns off the policy are averaged.
    #[param(default = Importance::Weighted)]
    pub importance: Importance,
}

/// What an episode is for.
#[derive(Debug)]
pub(crate) enum Aim {
    /// The best policy among those that explore, which acts.
    OnPolicy,
    /// The greedy policy, while one that explores acts.
    OffPolicy(Importance),
    /// The values of a policy, of which `behaviour` acts in its place.
    Judge { target: Target, behaviour: Option<Target>, importance: Importance },
}

/// One step of an episode: where, what was done, how likely that was, what it paid.
#[derive(Clone, Copy, Debug)]
struct Moment {
    place: u32,
    action: u32,
    behaviour: f64,
    reward: f64,
}

/// An agent with a table that waits for the end of an episode. Episodes that are cut off teach as if they had ended there.
#[derive(Debug)]
pub(crate) struct Episodes {
    pub values: Values,
    discount: f64,
    visits: Visits,
    /// A constant rate in place of averages.
    alpha: Option<f64>,
    aim: Aim,
    episode: Vec<Moment>,
    /// The sums of the weights of each value's returns.
    weight: Vec<f64>,
    /// In which episode a value's state and action were met last, and at which of its steps first.
    met: Vec<(u64, u32)>,
    count: u64,
    sight: Sight,
    q: Vec<f64>,
    shares: Vec<f64>,
    action: usize,
    behaviour: f64,
}

impl Episodes {
    pub(super) fn new(
        values: Values,
        n_actions: usize,
        discount: f64,
        returns: &ReturnParams,
        aim: Aim,
    ) -> Self {
        let n = values.weights.len();
        Self {
            values,
            discount,
            visits: returns.visits,
            alpha: returns.alpha,
            aim,
            episode: Vec::new(),
            weight: vec![0.0; n],
            met: vec![(0, 0); n],
            count: 0,
            sight: Sight::default(),
            q: vec![0.0; n_actions],
            shares: vec![0.0; n_actions],
            action: 0,
            behaviour: 1.0,
        }
    }

    /// What is done now, and how likely that was.
    fn decide(&mut self, explore: Explore, rng: &mut Rng) {
        if let Aim::Judge { target, behaviour, .. } = &self.aim {
            let acting = behaviour.as_ref().unwrap_or(target);
            self.action = acting.draw(self.sight.place, rng);
            self.behaviour = acting.share(self.sight.place, self.action);
            return;
        }
        self.values.all(&self.sight, &mut self.q);
        self.action = choose(&self.q, explore, rng);
        shares(&self.q, explore, &mut self.shares);
        self.behaviour = self.shares[self.action];
    }

    /// The value that a moment is about: of the state alone where a policy is judged.
    fn slot(&self, moment: &Moment) -> usize {
        self.values.at(moment.place, if self.values.n_actions == 1 { 0 } else { moment.action as usize })
    }

    /// Moves a value towards a return whose weight is given.
    fn average(&mut self, at: usize, gain: f64, weight: f64, importance: Importance) {
        let error = match importance {
            Importance::Weighted => {
                self.weight[at] += weight;
                (gain - self.values.weights[at]) * weight / self.weight[at]
            }
            Importance::Ordinary => {
                self.weight[at] += 1.0;
                (weight * gain - self.values.weights[at]) / self.weight[at]
            }
        };
        self.values.weights[at] += match self.alpha {
            Some(alpha) if importance == Importance::Weighted => {
                alpha * weight * (gain - self.values.weights[at])
            }
            Some(alpha) => alpha * (weight * gain - self.values.weights[at]),
            None => error,
        };
    }

    /// How likely the policy that is learnt of would have done what was done, over how likely it was.
    fn ratio(&self, moment: &Moment) -> f64 {
        match &self.aim {
            Aim::OnPolicy => 1.0,
            Aim::Judge { behaviour: None, .. } => 1.0,
            Aim::Judge { target, .. } => {
                target.share(Some(moment.place as usize), moment.action as usize) / moment.behaviour
            }
            Aim::OffPolicy(_) => {
                // Of equals, the first is the greedy one: probabilities of several would sum to more than 1.
                let greedy = self.values.first_best_at(moment.place as usize);
                if greedy == moment.action as usize { 1.0 / moment.behaviour } else { 0.0 }
            }
        }
    }
}

impl Agent for Episodes {
    fn start(&mut self, observation: &[f64], explore: Explore, rng: &mut Rng) -> Result<usize> {
        self.episode.clear();
        self.values.see(observation, &mut self.sight)?;
        self.decide(explore, rng);
        Ok(self.action)
    }

    fn step(
        &mut self,
        reward: f64,
        observation: &[f64],
        terminated: bool,
        explore: Explore,
        rng: &mut Rng,
    ) -> Result<usize> {
        let (place, action) = (self.sight.index[0], self.action as u32);
        self.episode.push(Moment { place, action, behaviour: self.behaviour, reward });
        if !terminated {
            self.values.see(observation, &mut self.sight)?;
            self.decide(explore, rng);
        }
        Ok(self.action)
    }

    fn finish(&mut self, _: bool, _: &mut Rng) -> Result<()> {
        self.count += 1;
        if self.visits == Visits::First {
            for t in 0..self.episode.len() {
                let at = self.slot(&self.episode[t]);
                if self.met[at].0 != self.count {
                    self.met[at] = (self.count, t as u32);
                }
            }
        }
        let importance = match &self.aim {
            Aim::OnPolicy => Importance::Weighted,
            Aim::OffPolicy(importance) | Aim::Judge { importance, .. } => *importance,
        };
        let off_policy = matches!(self.aim, Aim::OffPolicy(_));
        let (mut gain, mut weight) = (0.0, 1.0);
        for t in (0..self.episode.len()).rev() {
            let moment = self.episode[t];
            gain = moment.reward + self.discount * gain;
            let at = self.slot(&moment);
            // The value of an action is given that it was done; that of a state is not.
            if !off_policy {
                weight *= self.ratio(&moment);
            }
            let counts = self.visits == Visits::Every || self.met[at] == (self.count, t as u32);
            if counts && (weight > 0.0 || importance == Importance::Ordinary) {
                self.average(at, gain, weight, importance);
            }
            if off_policy {
                weight *= self.ratio(&moment);
            }
            // Plain averages count what weighs nothing, too: they are over all visits.
            if weight == 0.0 && importance == Importance::Weighted {
                break;
            }
        }
        Ok(())
    }
}
