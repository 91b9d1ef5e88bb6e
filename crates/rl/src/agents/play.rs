//! An environment being acted in: the one loop of all agents.

use super::params::BudgetParams;
use mercer_core::{Environment, Outcome, Result, Session, Simulation, Termination};
use mercer_math::{Rng, seed_for};

/// A running copy with its observation, its steps counted and cut off at the environment's limit.
pub struct Play {
    simulation: Box<dyn Simulation>,
    limit: Option<u64>,
    observation: Vec<f64>,
    steps: u64,
}

impl std::fmt::Debug for Play {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Play")
            .field("observation", &self.observation)
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

impl Play {
    /// A copy of its own, whose random numbers follow from the seed; it has to be [begun](Self::begin).
    pub fn new(environment: &Environment, seed: u64) -> Result<Self> {
        let observation = vec![0.0; environment.observations().width()];
        Ok(Self {
            simulation: environment.make(seed)?,
            limit: environment.step_limit(),
            observation,
            steps: 0,
        })
    }

    /// Begins an episode; a seed begins the random numbers anew.
    pub fn begin(&mut self, seed: Option<u64>) -> Result<()> {
        self.steps = 0;
        self.simulation.reset(seed, &mut self.observation)
    }

    /// Acts.
    #[inline]
    pub fn step(&mut self, action: usize) -> Result<Outcome> {
        let mut outcome = self.simulation.step(action, &mut self.observation)?;
        self.steps += 1;
        outcome.truncated |= !outcome.terminated && self.limit.is_some_and(|limit| self.steps >= limit);
        Ok(outcome)
    }

    /// What is observed.
    pub fn observation(&self) -> &[f64] {
        &self.observation
    }

    /// How many steps the episode has had.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The copy that runs.
    pub fn simulation(&mut self) -> &mut dyn Simulation {
        self.simulation.as_mut()
    }
}

/// How an agent learns while it acts. It keeps what it saw and did last.
pub(crate) trait Agent {
    /// The first action of an episode.
    fn start(&mut self, observation: &[f64], explore: Explore, rng: &mut Rng) -> Result<usize>;
    /// Learns from what the last action led to, and says what to do next. After `terminated` nothing is earned, and the
    /// action is not done.
    fn step(
        &mut self,
        reward: f64,
        observation: &[f64],
        terminated: bool,
        explore: Explore,
        rng: &mut Rng,
    ) -> Result<usize>;
    /// Ends an episode, at its own end or cut off.
    fn finish(&mut self, terminated: bool, rng: &mut Rng) -> Result<()>;
}

/// How likely an action is drawn without looking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Explore {
    /// The probability of a random action.
    pub epsilon: f64,
    /// Where given, actions are drawn by the exponentials of their values over it instead.
    pub temperature: Option<f64>,
}

/// What came of the episodes that an agent learnt from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    /// The sum of the rewards of each episode that ended.
    pub returns: Vec<f64>,
    /// Its number of steps.
    pub lengths: Vec<f64>,
    pub steps: u64,
    pub termination: Option<Termination>,
}

/// Every so many steps the session is asked whether to go on.
const LOOK: u64 = 1024;

/// Lets an agent act until its budget is spent.
pub(crate) fn act(
    agent: &mut dyn Agent,
    environment: &Environment,
    budget: &BudgetParams,
    explore: impl Fn(f64) -> Explore,
    session: &Session,
) -> Result<Course> {
    let mut play = Play::new(environment, seed_for(session.seed(), 1))?;
    let mut rng = session.rng(0);
    let mut course = Course::default();
    let total = budget.steps as u64;
    let mut action = None;
    let mut earned = 0.0;
    let mut now = explore(0.0);
    while course.steps < total && budget.episodes.is_none_or(|most| course.returns.len() < most) {
        if course.steps % LOOK == 0 {
            now = explore(course.steps as f64 / total as f64);
            let last = course.returns.last().copied();
            if let Some(why) = session.step("step", course.steps, Some(total), last) {
                course.termination = Some(why);
                break;
            }
        }
        let doing = match action {
            Some(action) => action,
            None => {
                play.begin(None)?;
                earned = 0.0;
                agent.start(play.observation(), now, &mut rng)?
            }
        };
        let outcome = play.step(doing)?;
        course.steps += 1;
        earned += outcome.reward;
        let next = agent.step(outcome.reward, play.observation(), outcome.terminated, now, &mut rng)?;
        action = Some(next);
        if outcome.terminated || outcome.truncated {
            agent.finish(outcome.terminated, &mut rng)?;
            course.returns.push(earned);
            course.lengths.push(play.steps() as f64);
            action = None;
        }
    }
    if action.is_some() {
        agent.finish(false, &mut rng)?;
    }
    Ok(course)
}
