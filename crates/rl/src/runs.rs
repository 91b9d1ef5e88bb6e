//! Many runs of agents in an environment: learning curves, greedy evaluation on the same seeds, interquartile means with bands.
//!
//! The mean of the middle half of the runs is less swayed by single lucky or unlucky runs than the mean, and uses more of them than
//! the median; its band is a percentile bootstrap over runs (Agarwal and others, Deep reinforcement learning at the edge of the
//! statistical precipice, NeurIPS 2021).

use crate::Play;
use mercer_core::{
    AttributeValues, DataKind, Dataset, Environment, Error, Learner, Model, Policy, Result, Session,
};
use mercer_math::{below, rng_for, seed_for};
use mercer_measure::{Bootstrap, BootstrapMethod, Interval};
use rayon::prelude::*;

/// How agents are tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trials {
    /// How many runs, each with a seed of its own.
    pub runs: usize,
    /// How many episodes the policy of each run is judged by, without exploration.
    pub episodes: usize,
    /// At how many places the learning curve is read.
    pub points: usize,
}

impl Default for Trials {
    fn default() -> Self {
        Self { runs: 10, episodes: 100, points: 50 }
    }
}

/// One point of a learning curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// After how many steps.
    pub step: f64,
    /// What episodes around it earned.
    pub returns: Interval,
}

/// What a policy earned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The mean return of its episodes; NaN where there were none.
    pub mean: f64,
    /// How many of them were left after 10,000 steps, since nothing ended them.
    pub endless: usize,
}

/// What came of one agent.
#[derive(Debug)]
pub struct Played {
    /// The mean return of each run's policy, judged without exploration.
    pub scores: Vec<f64>,
    /// Their interquartile mean; none where nothing was judged.
    pub score: Option<Interval>,
    /// What was earned while learning; empty for planners and whoever does not learn.
    pub curve: Vec<CurvePoint>,
    /// The model of the best run.
    pub best: Option<Box<dyn Model>>,
    /// How many of the episodes that judged its runs were left, since nothing ended them.
    pub endless: usize,
    /// Whether training ended before its budget.
    pub interrupted: bool,
}

/// Seeds of the judging episodes lie apart from those of training.
const JUDGED: u64 = 1 << 40;

/// What of `environment` a learner learns from: the environment itself, or its decision process.
pub fn world_of(learner: &dyn Learner, environment: &Environment) -> Result<Dataset<'static>> {
    match learner.kinds().learns_from {
        DataKind::Environment => Ok(Dataset::new(environment.clone())),
        DataKind::Mdp => Ok(Dataset::new(environment.mdp()?)),
        _ => Err(Error::incapable(learner.declaration().name, "learn by acting or from a decision process")),
    }
}

/// Trains an agent in several runs, side by side where the environment allows it, and judges each run's policy.
pub fn play(
    learner: &dyn Learner,
    environment: &Environment,
    trials: &Trials,
    session: &Session,
) -> Result<Played> {
    let data = world_of(learner, environment)?;
    // A planner of a known process has nothing to draw: one run is all runs.
    let runs = if learner.capabilities().random { trials.runs.max(1) } else { 1 };
    let one = |run: usize| -> Result<(Box<dyn Model>, Judged)> {
        let own = session.quiet().split(run as u64);
        let model = learner.train(&data, &own)?;
        let judged = match model.policy() {
            Ok(policy) => {
                judge(policy, environment, trials.episodes, seed_for(session.seed(), JUDGED + run as u64))?
            }
            Err(_) => Judged { mean: f64::NAN, endless: 0 },
        };
        session.step("run", run as u64 + 1, Some(runs as u64), Some(judged.mean));
        Ok((model, judged))
    };
    let done: Vec<(Box<dyn Model>, Judged)> = match environment.is_local() {
        true => (0..runs).map(one).collect::<Result<_>>()?,
        false => session.run(|| (0..runs).into_par_iter().map(one).collect::<Result<_>>())?,
    };
    let scores: Vec<f64> =
        done.iter().map(|(_, judged)| judged.mean).filter(|score| !score.is_nan()).collect();
    let endless = done.iter().map(|(_, judged)| judged.endless).sum();
    let curves: Vec<Course> = done.iter().filter_map(|(model, _)| Course::of(model.as_ref())).collect();
    let interrupted = session.interrupted().is_some();
    let curve = curve(&curves, trials.points, session.seed())?;
    let best = done.into_iter().max_by(|a, b| a.1.mean.total_cmp(&b.1.mean)).map(|(model, _)| model);
    Ok(Played { score: middle(&scores, session.seed())?, scores, curve, best, endless, interrupted })
}

/// What a policy earns over some episodes.
pub fn judge(policy: &dyn Policy, environment: &Environment, episodes: usize, seed: u64) -> Result<Judged> {
    let mut rng = rng_for(seed, 1);
    judged(environment, episodes, seed, |observation| policy.act(observation, &mut rng))
}

/// What actions earn that are drawn evenly from those that are there.
pub fn judge_random(environment: &Environment, episodes: usize, seed: u64) -> Result<Judged> {
    let mut rng = rng_for(seed, 1);
    let space = environment.observations().clone();
    judged(environment, episodes, seed, |observation| {
        loop {
            let action = below(&mut rng, environment.n_actions());
            if space.place(observation).is_none_or(|place| environment.allows(place, action)) {
                return Ok(action);
            }
        }
    })
}

/// Episodes without an end of their own are left after so many steps.
const LONGEST: u64 = 10_000;

fn judged(
    environment: &Environment,
    episodes: usize,
    seed: u64,
    mut act: impl FnMut(&[f64]) -> Result<usize>,
) -> Result<Judged> {
    let mut play = Play::new(environment, seed)?;
    let (mut total, mut endless) = (0.0, 0);
    for _ in 0..episodes {
        play.begin(None)?;
        loop {
            let outcome = play.step(act(play.observation())?)?;
            total += outcome.reward;
            if outcome.terminated || outcome.truncated {
                break;
            }
            if play.steps() >= LONGEST {
                endless += 1;
                break;
            }
        }
    }
    Ok(Judged { mean: total / episodes as f64, endless })
}

/// The mean of the middle half, with a quarter of each end's runs left out; runs at the border count in part.
pub fn interquartile_mean(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let (low, high) = (n / 4.0, 3.0 * n / 4.0);
    let share = |i: usize| ((i as f64 + 1.0).min(high) - (i as f64).max(low)).max(0.0);
    let (mut sum, mut weight) = (0.0, 0.0);
    for (i, value) in sorted.iter().enumerate().filter(|(i, _)| share(*i) > 0.0) {
        sum += share(i) * value;
        weight += share(i);
    }
    sum / weight
}

/// The interquartile mean with its 95 % percentile interval over runs.
fn middle(values: &[f64], seed: u64) -> Result<Option<Interval>> {
    if values.is_empty() {
        return Ok(None);
    }
    let bootstrap =
        Bootstrap { n_draws: 1000, method: BootstrapMethod::Percentile, seed, ..Bootstrap::default() };
    let of =
        |rows: &[usize]| Ok(interquartile_mean(&rows.iter().map(|&run| values[run]).collect::<Vec<_>>()));
    bootstrap.interval(values.len(), of).map(Some)
}

/// The episodes of one run: after how many steps each ended, and what it earned.
struct Course {
    ends: Vec<f64>,
    returns: Vec<f64>,
    steps: f64,
}

impl Course {
    fn of(model: &dyn Model) -> Option<Self> {
        let attributes = model.attributes();
        let numbers = |name: &str| {
            attributes.iter().find(|a| a.name == name).and_then(|a| match &a.values {
                AttributeValues::Real(values) => Some(values.clone()),
                _ => None,
            })
        };
        let (returns, lengths) = (numbers("episode_returns_")?, numbers("episode_lengths_")?);
        let mut sum = 0.0;
        let ends: Vec<f64> = lengths
            .iter()
            .map(|length| {
                sum += length;
                sum
            })
            .collect();
        let steps = ends.last().copied()?;
        Some(Self { ends, returns, steps })
    }

    /// The mean return of the episodes that ended after `from` and up to `to`; of the last one before where none did.
    fn between(&self, from: f64, to: f64) -> Option<f64> {
        let first = self.ends.partition_point(|end| *end <= from);
        let last = self.ends.partition_point(|end| *end <= to);
        match last > first {
            true => Some(self.returns[first..last].iter().sum::<f64>() / (last - first) as f64),
            false => last.checked_sub(1).map(|at| self.returns[at]),
        }
    }
}

fn curve(courses: &[Course], points: usize, seed: u64) -> Result<Vec<CurvePoint>> {
    let steps = courses.iter().map(|c| c.steps).fold(0.0, f64::max);
    let at = |k: usize| steps * k as f64 / points as f64;
    let mut out = Vec::with_capacity(points);
    for k in 1..=points {
        let values: Vec<f64> = courses.iter().filter_map(|c| c.between(at(k - 1), at(k))).collect();
        // Until every run has an episode behind it, those that have are the quick or the lucky ones.
        if let Some(returns) = middle(&values, seed)?.filter(|_| values.len() == courses.len()) {
            out.push(CurvePoint { step: at(k), returns });
        }
    }
    Ok(out)
}

/// One moment of an episode, to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// What was observed.
    pub observation: Vec<f64>,
    /// What was done, by name or number; none at the end.
    pub action: Option<String>,
    /// What was earned up to here.
    pub earned: f64,
}

/// One episode of a policy, of at most `most` steps.
pub fn replay(policy: &dyn Policy, environment: &Environment, most: usize, seed: u64) -> Result<Vec<Moment>> {
    let (mut play, mut rng) = (Play::new(environment, seed)?, rng_for(seed, 1));
    let (mut out, mut earned) = (Vec::new(), 0.0);
    let names = environment.actions();
    play.begin(None)?;
    for step in 0..=most {
        let observation = play.observation().to_vec();
        let action = policy.act(&observation, &mut rng)?;
        let named = names.get(action).cloned().unwrap_or_else(|| action.to_string());
        out.push(Moment { observation, action: Some(named), earned });
        if step == most {
            break;
        }
        let outcome = play.step(action)?;
        earned += outcome.reward;
        if outcome.terminated || outcome.truncated {
            out.push(Moment { observation: play.observation().to_vec(), action: None, earned });
            break;
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{QLearning, environment};

    /// The middle half of eight is its four middle ones; of six, the outer two of the middle count half.
    #[test]
    fn the_middle_half_is_averaged() {
        assert_eq!(interquartile_mean(&[100.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -50.0]), 3.5 - 0.0);
        assert_eq!(interquartile_mean(&[0.0, 1.0, 2.0, 3.0, 4.0, 99.0]), (0.5 + 2.0 + 3.0 + 2.0) / 3.0);
        assert_eq!(interquartile_mean(&[7.0]), 7.0);
    }

    #[test]
    fn runs_are_the_same_on_any_number_of_threads() {
        let lake = environment("frozen-lake:slippery=false").unwrap();
        let learner = QLearning::default().steps(20_000);
        let trials = Trials { runs: 6, episodes: 20, points: 10 };
        let on = |threads| play(&learner, &lake, &trials, &Session::new(3).with_threads(threads)).unwrap();
        let (one, two) = (on(1), on(2));
        assert_eq!((&one.scores, &one.curve), (&two.scores, &two.curve));
        assert_eq!(one.score.unwrap().estimate, 1.0);
        assert_eq!(one.curve.len(), 10);
        assert!(judge_random(&lake, 2000, 5).unwrap().mean < 0.05);
        let best = one.best.unwrap();
        let path = replay(best.policy().unwrap(), &lake, 50, 1).unwrap();
        assert_eq!((path.len(), path[6].earned, path[6].action.as_deref()), (7, 1.0, None));
    }
}
