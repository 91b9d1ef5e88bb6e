//! Many runs of a strategy: mean reward, share of the best arm, regret.

use super::arms::{Arms, Bandit};
use super::bounds::Bounds;
use super::{Game, MOST_NUMBERS, Online, Player, Strategy};
use mercer_core::{Error, Object, Result, Session, Termination};
use mercer_math::special::norm_ppf;
use mercer_math::{Rng, normal, tree_reduce};

/// Runs in one piece of parallel work.
const BLOCK: usize = 16;

/// What many runs of a strategy came to, round by round.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// The mean reward of each round.
    pub reward: Vec<f64>,
    /// Its standard error over the runs.
    pub reward_error: Vec<f64>,
    /// The share of runs that chose a best arm.
    pub best: Vec<f64>,
    /// The mean regret up to and with each round.
    pub regret: Vec<f64>,
    /// Its standard error over the runs.
    pub regret_error: Vec<f64>,
    /// The regret of each run at its end.
    pub final_regret: Vec<f64>,
    /// What theory says of the regret.
    pub bounds: Bounds,
    /// Whether all runs were played.
    pub termination: Termination,
}

impl Curves {
    /// The ends of an interval that holds the mean regret of each round with this probability, by the normal law.
    ///
    /// # Errors
    /// A level outside of (0, 1).
    pub fn regret_interval(&self, level: f64) -> Result<(Vec<f64>, Vec<f64>)> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::param("Curves", "level", "in (0, 1)", level));
        }
        let width = norm_ppf(0.5 + 0.5 * level);
        let end = |sign: f64| {
            self.regret.iter().zip(&self.regret_error).map(|(r, e)| r + sign * width * e).collect()
        };
        Ok((end(-1.0), end(1.0)))
    }
}

/// What is summed over runs for each round.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    reward: f64,
    reward_squares: f64,
    best: f64,
    regret: f64,
    regret_squares: f64,
}

impl Round {
    #[inline(always)]
    fn add(&mut self, reward: f64, best: bool, regret: f64) {
        self.reward += reward;
        self.reward_squares += reward * reward;
        self.best += f64::from(best);
        self.regret += regret;
        self.regret_squares += regret * regret;
    }
}

/// Sums over runs; those of a round lie together, so that a round touches one line of the cache.
struct Sums {
    runs: usize,
    rounds: Vec<Round>,
    final_regret: Vec<f64>,
}

impl Sums {
    fn new(steps: usize) -> Self {
        Self { runs: 0, rounds: vec![Round::default(); steps], final_regret: Vec::new() }
    }

    fn merge(mut self, other: Sums) -> Sums {
        self.runs += other.runs;
        for (to, from) in self.rounds.iter_mut().zip(&other.rounds) {
            to.reward += from.reward;
            to.reward_squares += from.reward_squares;
            to.best += from.best;
            to.regret += from.regret;
            to.regret_squares += from.regret_squares;
        }
        self.final_regret.extend(other.final_regret);
        self
    }

    /// The mean of what is summed.
    fn mean(&self, sum: fn(&Round) -> f64) -> Vec<f64> {
        self.rounds.iter().map(|round| sum(round) / self.runs as f64).collect()
    }

    /// The standard error of that mean, by the sum of squares.
    fn error(&self, sum: fn(&Round) -> f64, squares: fn(&Round) -> f64) -> Vec<f64> {
        let n = self.runs as f64;
        let error = |round: &Round| {
            let variance = (squares(round) - sum(round) * sum(round) / n) / (n - 1.0).max(1.0);
            (variance.max(0.0) / n).sqrt()
        };
        self.rounds.iter().map(error).collect()
    }
}

/// Plays many games by a strategy, each with a random stream of its own, in parallel.
///
/// The regret of a round is what the best arm pays in expectation beyond the one that was chosen; of a table of rewards, what
/// the best single arm would have paid up to the round beyond what was paid (the regret of adversarial bandits).
/// An interruption leaves the runs that were played.
///
/// # Example
/// ```
/// use mercer_core::Session;
/// use mercer_rl::bandits::{Arms, simulate, strategy};
/// let arms = Arms::Testbed { arms: 10, spread: 1.0, deviation: 1.0 };
/// let curves = simulate(strategy("epsilon-greedy")?.as_ref(), &arms, 200, 100, &Session::new(1))?;
/// assert!(curves.best[199] > 0.5 && curves.regret.len() == 200);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// # Errors
/// No step or run; arms that are none; rewards outside of [0, 1] for a strategy that needs them there.
pub fn simulate(
    strategy: &dyn Strategy,
    arms: &Arms,
    steps: usize,
    runs: usize,
    session: &Session,
) -> Result<Curves> {
    for (name, value) in [("steps", steps), ("runs", runs)] {
        if value == 0 {
            return Err(Error::param("simulate", name, "in [1, inf)", value));
        }
    }
    // Each round has six sums, and several blocks of runs are under way at once.
    if steps > MOST_NUMBERS / 16 {
        return Err(Error::param("simulate", "steps", "few enough to fit in memory", steps));
    }
    arms.check(steps)?;
    if strategy.needs_unit_rewards() && !arms.has_unit_rewards() {
        return Err(Error::param("simulate", "arms", "such that rewards are in [0, 1]", arms.name()));
    }
    let game = Game { arms: arms.n_arms(), features: arms.n_features(), steps };
    // What is no game for the strategy is said before the first run.
    strategy.player(&game)?;
    let hindsight = hindsight(arms, steps);
    let blocks = runs.div_ceil(BLOCK);
    let block = |b: usize| {
        let mut sums = Sums::new(steps);
        for run in b * BLOCK..((b + 1) * BLOCK).min(runs) {
            if session.step("run", run as u64, Some(runs as u64), None).is_some() {
                break;
            }
            let mut rng = session.rng(run as u64);
            let mut player = strategy.player(&game)?;
            let (bandit, hindsight) = (arms.begin(&mut rng), hindsight.as_deref());
            let rounds = &mut sums.rounds[..];
            let mut run = Run { bandit, rng, rounds, hindsight, regret: 0.0 };
            player.play(&mut run);
            let regret = run.regret;
            sums.runs += 1;
            sums.final_regret.push(regret);
        }
        Ok(sums)
    };
    let merge = |a: Result<Sums>, b: Result<Sums>| Ok(a?.merge(b?));
    let sums = session.run(|| tree_reduce(blocks, block, merge)).unwrap_or_else(|| Ok(Sums::new(steps)))?;
    if sums.runs == 0 {
        return Err(Error::numeric("simulate", "cancelled, or out of time, before the end of the first run"));
    }
    let ended = session.interrupted().filter(|_| sums.runs < runs);
    Ok(Curves {
        reward: sums.mean(|round| round.reward),
        reward_error: sums.error(|round| round.reward, |round| round.reward_squares),
        best: sums.mean(|round| round.best),
        regret: sums.mean(|round| round.regret),
        regret_error: sums.error(|round| round.regret, |round| round.regret_squares),
        bounds: Bounds::of(arms, steps),
        termination: ended.unwrap_or(Termination::Complete),
        final_regret: sums.final_regret,
    })
}

/// Plays one game by a strategy that is called by name, to its end: what it has come to can be saved ([`Online::model`]).
///
/// # Errors
/// As [`simulate`]; unknown names and settings.
pub fn play_once(strategy: &Object, arms: &Arms, steps: usize, session: &Session) -> Result<Online> {
    arms.check(steps)?;
    let game = Game { arms: arms.n_arms(), features: arms.n_features(), steps };
    let mut online = Online::called(strategy, game, session.seed())?;
    let mut rng = session.rng(0);
    let mut bandit = arms.begin(&mut rng);
    for round in 0..steps {
        if round % 1024 == 0 && session.step("round", round as u64, Some(steps as u64), None).is_some() {
            break;
        }
        bandit.next_round(&mut rng);
        let arm = online.choose(&bandit.context)?;
        online.update(arm, bandit.pull(arm, &mut rng), None)?;
    }
    Ok(online)
}

/// Of a table: what the best single arm has paid up to each round.
fn hindsight(arms: &Arms, steps: usize) -> Option<Vec<f64>> {
    let Arms::Table { rewards } = arms else { return None };
    let mut totals = vec![0.0f64; rewards.n_cols()];
    let best = |t: usize| {
        totals.iter_mut().zip(rewards.row(t)).for_each(|(total, r)| *total += r);
        totals.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    };
    Some((0..steps).map(best).collect())
}

/// One run, as it is played: its arms, its random numbers, and the sums that it is added to.
#[derive(Debug)]
pub struct Run<'a> {
    bandit: Bandit<'a>,
    rng: Rng,
    rounds: &'a mut [Round],
    /// Of a table: what the best single arm has paid up to each round.
    hindsight: Option<&'a [f64]>,
    regret: f64,
}

impl Run<'_> {
    /// All rounds. Arms that stand still and pay normal rewards, as those of the testbed do, have a loop of their own, which asks
    /// nothing of the kind of arms in a round.
    pub(crate) fn rounds(&mut self, player: &mut (impl Player + ?Sized)) {
        let Run { bandit, rng, rounds, hindsight, regret } = self;
        if let Some(deviation) = bandit.still_normal() {
            let (means, best) = (&bandit.means[..], bandit.best);
            for round in rounds.iter_mut() {
                let arm = player.choose(&[], rng);
                let mean = means[arm];
                let reward = mean + deviation * normal(rng);
                player.update(&[], arm, reward);
                *regret += best - mean;
                round.add(reward, mean >= best, *regret);
            }
            return;
        }
        let mut paid = 0.0;
        for (t, round) in rounds.iter_mut().enumerate() {
            bandit.next_round(rng);
            let arm = player.choose(&bandit.context, rng);
            let reward = bandit.pull(arm, rng);
            player.update(&bandit.context, arm, reward);
            paid += reward;
            *regret = match hindsight {
                Some(best) => best[t] - paid,
                None => *regret + (bandit.best - bandit.means[arm]),
            };
            round.add(reward, bandit.means[arm] >= bandit.best, *regret);
        }
    }
}
