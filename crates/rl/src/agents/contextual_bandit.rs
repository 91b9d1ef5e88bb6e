//! A strategy for bandits as an agent: what is observed is a context, every action an arm, and every step a round.
//!
//! # Objective
//! $$ \max\ \mathbb E\Bigl[\sum_{t=1}^T r_t\Bigr],\qquad r_t \sim \text{the law of the arm } a_t \text{ in the context } x_t $$
//!
//! # Algorithm
//! In each step the strategy (any of [`crate::bandits`], by name) chooses an arm in the context that is observed, and is told what it
//! paid. Nothing is handed from a step to the next: an environment whose actions change what comes is one for `QLearning`. Observations
//! that can be counted are a 1 at their place among zeros, others the context as they are, without a constant. The policy takes the arm
//! that is expected to pay the most, and no longer explores. A game that is played online ([`Online`]) becomes the same model, and goes
//! on where the model was left.
//!
//! # Complexity
//! That of the strategy a step: O(arms), of linear arms O(arms · features²).
//!
//! # Example
//! ```
//! use mercer_core::Object;
//! use mercer_rl::bandits::{Game, Online};
//! let mut game = Online::called(&Object::parse_spec("lin-ucb:alpha=0.5")?, Game { arms: 2, features: 2, steps: 100 }, 1)?;
//! for t in 0..100 {
//!     let context = if t % 2 == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
//!     let arm = game.choose(&context)?;
//!     game.update(arm, f64::from(context[arm] > 0.5), None)?;
//! }
//! let policy = game.model()?;
//! let arms = policy.predict(&mercer_math::Mat::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap())?;
//! assert_eq!(arms.class().unwrap().0, [0, 1]);
//! assert!(Online::resume(&policy)?.choose(&[1.0, 0.0])? == game.choose(&[1.0, 0.0])?);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! An arm that was never tried is expected to pay what its strategy begins with.
//!
//! # References
//! - L. Li, W. Chu, J. Langford, R. E. Schapire. A contextual-bandit approach to personalized news article recommendation. WWW,
//!   2010. doi:10.1145/1772690.1772758

use super::params::BudgetParams;
use super::play::{Agent, Course, Explore, act};
use super::values::{allowed, first_best};
use crate::bandits::{Game, Online, Standing, strategy_of};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Dynamics, Environment, Error, Fitted, Input, Label, Labels,
    Learn, Object, ParamKind, ParamType, Params, Policy, Prediction, Result, Schema, Session, Simulation,
    Space, Target, Termination, Trained, Value,
};
use mercer_math::{Mat, Rng, dot};
use serde::{Deserialize, Serialize};

/// A strategy for bandits by name, with its settings: `lin-ucb:alpha=0.5`.
#[derive(Clone, Debug, PartialEq)]
pub struct StrategyName(String);

impl ParamType for StrategyName {
    fn kind() -> ParamKind {
        ParamKind::Text
    }

    fn to_value(&self) -> Value {
        Value::Text(self.0.clone())
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else { return Err("a strategy by name".to_owned()) };
        let object = Object::parse_spec(text).map_err(|e| e.to_string())?;
        strategy_of(&object).map_err(|e| e.to_string())?;
        Ok(Self(text.clone()))
    }
}

/// A strategy for bandits as an agent: observations are contexts, actions are arms, steps are rounds.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "contextual-bandit",
    canon = "R1",
    task = Planning,
    learns_from = Environment,
    asked_about = Rows,
    python = "rl",
    tried = "steps=2000 | steps=2000,strategy=epsilon-greedy",
    session = "random_state verbose",
    can = "random policy",
    references = "Li, Chu, Langford, Schapire. A contextual-bandit approach to personalized news article recommendation. WWW, 2010."
)]
pub struct ContextualBandit {
    /// The strategy by name, with its settings behind a colon.
    #[param(default = StrategyName("lin-ucb".to_owned()))]
    pub strategy: StrategyName,
    /// How many steps to act, each a round.
    #[param(default = 10_000, range = "[1, inf)")]
    pub steps: usize,
}

/// A game as it stands, and the policy that it has come to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BanditModel {
    game: Standing,
    linear: bool,
    /// How many values each number of an observation has that is a 1 at its place; empty where observations are contexts.
    counts: Vec<usize>,
    n_numbers: usize,
    /// As [`Online::worth`].
    worth: Vec<f64>,
    actions: Vec<String>,
    returns: Vec<f64>,
    lengths: Vec<f64>,
    certificate: Certificate,
}

impl Learn for ContextualBandit {
    type Model = BanditModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<BanditModel> {
        let environment = data.whole_input().environment(Self::NAME)?;
        if !allowed(environment).is_empty() {
            return Err(Error::incapable(Self::NAME, "act where some actions are not there"));
        }
        let object = Object::parse_spec(&self.strategy.0)?;
        let counts = match environment.observations() {
            Space::Discrete(n) => vec![*n],
            Space::Several(counts) => counts.clone(),
            Space::Box { .. } => Vec::new(),
        };
        let width = if counts.is_empty() { environment.observations().width() } else { counts.iter().sum() };
        let features = if strategy_of(&object)?.needs_context() { width } else { 0 };
        let game = Game { arms: environment.n_actions(), features, steps: self.steps };
        let online = Online::called(&object, game, session.seed())?;
        let mut agent = Rounds { online, counts, context: Vec::new(), arm: 0 };
        let budget = BudgetParams { steps: self.steps, episodes: None, discount: 1.0 };
        let course = act(&mut agent, environment, &budget, |_| NEVER, session)?;
        BanditModel::new(&agent.online, agent.counts, environment, course)
    }
}

/// Agents are told how to explore; strategies know by themselves.
const NEVER: Explore = Explore { epsilon: 0.0, temperature: None };

/// An environment as a game.
#[derive(Debug)]
struct Rounds {
    online: Online,
    counts: Vec<usize>,
    context: Vec<f64>,
    arm: usize,
}

impl Rounds {
    fn choose(&mut self, observation: &[f64]) -> Result<usize> {
        let features = self.online.game().features;
        see(observation, &self.counts, features, &mut self.context)?;
        self.arm = self.online.choose(&self.context)?;
        Ok(self.arm)
    }
}

impl Agent for Rounds {
    fn start(&mut self, observation: &[f64], _: Explore, _: &mut Rng) -> Result<usize> {
        self.choose(observation)
    }

    fn step(
        &mut self,
        reward: f64,
        observation: &[f64],
        terminated: bool,
        _: Explore,
        _: &mut Rng,
    ) -> Result<usize> {
        self.online.update(self.arm, reward, None)?;
        if terminated { Ok(0) } else { self.choose(observation) }
    }

    fn finish(&mut self, _: bool, _: &mut Rng) -> Result<()> {
        Ok(())
    }
}

/// The context of an observation: nothing where the strategy knows none.
fn see(observation: &[f64], counts: &[usize], features: usize, context: &mut Vec<f64>) -> Result<()> {
    context.clear();
    if features == 0 {
        return Ok(());
    }
    if counts.is_empty() {
        context.extend_from_slice(observation);
        return Ok(());
    }
    for (&n, &value) in counts.iter().zip(observation) {
        let place = Space::Discrete(n).place(&[value]).ok_or_else(|| {
            Error::param("this policy", "observation", "one of the environment's", format!("{observation:?}"))
        })?;
        context.extend((0..n).map(|k| f64::from(u8::from(k == place))));
    }
    Ok(())
}

impl BanditModel {
    fn new(online: &Online, counts: Vec<usize>, environment: &Environment, course: Course) -> Result<Self> {
        let why = "what arms pay is known by what they paid alone";
        let termination = course.termination.unwrap_or(Termination::Complete);
        Ok(Self {
            game: online.standing()?,
            linear: online.is_linear(),
            counts,
            n_numbers: environment.observations().width(),
            worth: online.worth(),
            actions: environment.actions(),
            returns: course.returns,
            lengths: course.lengths,
            certificate: Certificate::without_evidence(termination, why).with_iterations(course.steps),
        })
    }

    fn n_arms(&self) -> usize {
        self.game.arms as usize
    }

    /// The arm that is expected to pay the most.
    fn best(&self, observation: &[f64], context: &mut Vec<f64>) -> Result<usize> {
        if !self.linear {
            return Ok(first_best(&self.worth).unwrap_or(0));
        }
        see(observation, &self.counts, self.game.features as usize, context)?;
        let values: Vec<f64> = self.worth.chunks_exact(context.len()).map(|w| dot(w, context)).collect();
        Ok(first_best(&values).unwrap_or(0))
    }

    /// The arms of several observations.
    fn arms(&self, input: &Input<'_>) -> Result<Vec<usize>> {
        let dense = input.rows("this policy")?.dense("this policy")?;
        let x = dense.view();
        let (mut observation, mut context) = (vec![0.0; x.n_cols()], Vec::new());
        let mut one = |i: usize| {
            observation.iter_mut().enumerate().for_each(|(j, v)| *v = x.get(i, j));
            self.best(&observation, &mut context)
        };
        (0..x.n_rows()).map(&mut one).collect()
    }

    fn labels(&self) -> Labels {
        match self.actions.is_empty() {
            true => (0..self.n_arms()).map(|a| Label::Int(a as i64)).collect(),
            false => self.actions.iter().cloned().map(Label::Text).collect(),
        }
    }
}

impl Policy for BanditModel {
    fn action_probabilities(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        let arms = self.arms(input)?;
        Ok(Mat::from_fn(arms.len(), self.n_arms(), |i, a| f64::from(u8::from(arms[i] == a))))
    }

    fn act(&self, observation: &[f64], _: &mut Rng) -> Result<usize> {
        self.best(observation, &mut Vec::new())
    }
}

impl Fitted for BanditModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, _: &Session) -> Result<Prediction> {
        let codes = self.arms(input)?.into_iter().map(|arm| arm as u32).collect();
        Ok(Target::coded(codes, self.labels()).named(&["action"]))
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { policy: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (arms, episodes) = (self.n_arms(), [self.returns.len()]);
        let worth = self.worth.clone();
        let mut out = vec![match self.linear {
            true => {
                let shape = [arms, self.game.features as usize];
                Attribute::real("coef_", "The weights of the context for each arm.", &shape, worth)
            }
            false => Attribute::real("arm_values_", "What is expected of each arm.", &[arms], worth),
        }];
        let returns = ("episode_returns_", "The sum of the rewards of each episode.", &self.returns);
        let lengths = ("episode_lengths_", "The steps of each episode.", &self.lengths);
        out.extend([returns, lengths].map(|(name, doc, v)| Attribute::real(name, doc, &episodes, v.clone())));
        let steps = self.certificate.iterations.unwrap_or(0) as i64;
        out.push(Attribute::int("n_steps_", "The number of steps.", &[], vec![steps]));
        if !self.actions.is_empty() {
            out.push(Attribute::text("actions_", "The names of the actions.", self.actions.clone()));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let online = Online::of(&self.game).map_err(|e| e.to_string())?;
        let Game { arms, features, .. } = online.game();
        let one = self.counts.iter().try_fold(0usize, |sum, n| sum.checked_add(*n));
        let width = if self.counts.is_empty() { Some(self.n_numbers) } else { one };
        let sound = self.linear == online.is_linear()
            && self.worth.len() == arms * if self.linear { features } else { 1 }
            && self.worth.iter().all(|w| w.is_finite())
            && (!self.linear || width == Some(features))
            && (self.counts.is_empty() || self.counts.len() == self.n_numbers)
            && self.n_numbers == schema.n_features()
            && (self.actions.is_empty() || self.actions.len() == arms)
            && self.returns.len() == self.lengths.len();
        if sound { Ok(()) } else { Err("the policy does not fit its game".to_owned()) }
    }
}

/// What a game shows: its context, or nothing but that there is one. Nobody acts in it but who plays the game.
struct Table(Space, usize);

impl Dynamics for Table {
    fn observations(&self) -> &Space {
        &self.0
    }

    fn n_actions(&self) -> usize {
        self.1
    }

    fn make(&self, _: u64) -> Result<Box<dyn Simulation>> {
        Err(Error::incapable("a game that is played online", "be acted in"))
    }
}

impl Online {
    /// The game as a model: the policy that it has come to, which files hold, and from which it goes on. A game without contexts is
    /// asked about the state 0.
    ///
    /// # Errors
    /// A strategy that was not called by name.
    pub fn model(&self) -> Result<Trained<ContextualBandit>> {
        let Game { arms, features, steps } = self.game();
        let space = match features {
            0 => Space::Discrete(1),
            n => Space::Box { low: vec![f64::NEG_INFINITY; n], high: vec![f64::INFINITY; n] },
        };
        let environment = Environment::new("game", Table(space, arms))?;
        let rounds = Course { steps: self.choices(), ..Course::default() };
        let model = BanditModel::new(self, Vec::new(), &environment, rounds)?;
        let strategy = StrategyName(model.game.strategy.clone());
        let (learner, schema) =
            (ContextualBandit { strategy, steps }, Schema::of(&Dataset::new(environment)));
        Trained::assembled(&learner, model, schema, self.seed())
    }

    /// The game that a model was made of, to go on with. One that was learnt in an environment is asked in the context that its
    /// observations have.
    ///
    /// # Errors
    /// A model whose parts do not fit together.
    pub fn resume(model: &BanditModel) -> Result<Self> {
        Self::of(&model.game)
    }
}
