//! Many runs of a strategy: mean reward, share of the best arm, regret.

use super::arms::Arms;
use super::bounds::Bounds;
use super::{Game, MOST_NUMBERS, Strategy};
use mercer_core::{Error, Result, Session, Termination};
use mercer_math::special::norm_ppf;
use mercer_math::tree_reduce;

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

/// Sums over runs, round by round.
struct Sums {
    runs: usize,
    reward: Vec<f64>,
    reward_squares: Vec<f64>,
    best: Vec<f64>,
    regret: Vec<f64>,
    regret_squares: Vec<f64>,
    final_regret: Vec<f64>,
}

impl Sums {
    fn new(steps: usize) -> Self {
        let zero = || vec![0.0; steps];
        let (reward, reward_squares, best, regret, regret_squares) = (zero(), zero(), zero(), zero(), zero());
        Self { runs: 0, reward, reward_squares, best, regret, regret_squares, final_regret: Vec::new() }
    }

    fn merge(mut self, other: Sums) -> Sums {
        let add = |a: &mut Vec<f64>, b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        self.runs += other.runs;
        add(&mut self.reward, &other.reward);
        add(&mut self.reward_squares, &other.reward_squares);
        add(&mut self.best, &other.best);
        add(&mut self.regret, &other.regret);
        add(&mut self.regret_squares, &other.regret_squares);
        self.final_regret.extend(other.final_regret);
        self
    }

    /// Means, and standard errors of means.
    fn told(&self, sums: &[f64], squares: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = self.runs as f64;
        let error = |(sum, square): (&f64, &f64)| {
            let variance = (square - sum * sum / n) / (n - 1.0).max(1.0);
            (variance.max(0.0) / n).sqrt()
        };
        (sums.iter().map(|s| s / n).collect(), sums.iter().zip(squares).map(error).collect())
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
            play(strategy, arms, &game, hindsight.as_deref(), run as u64, session, &mut sums)?;
        }
        Ok(sums)
    };
    let merge = |a: Result<Sums>, b: Result<Sums>| Ok(a?.merge(b?));
    let sums = session.run(|| tree_reduce(blocks, block, merge)).unwrap_or_else(|| Ok(Sums::new(steps)))?;
    if sums.runs == 0 {
        return Err(Error::numeric("simulate", "cancelled, or out of time, before the end of the first run"));
    }
    let (reward, reward_error) = sums.told(&sums.reward, &sums.reward_squares);
    let (regret, regret_error) = sums.told(&sums.regret, &sums.regret_squares);
    let ended = session.interrupted().filter(|_| sums.runs < runs);
    Ok(Curves {
        reward,
        reward_error,
        best: sums.best.iter().map(|b| b / sums.runs as f64).collect(),
        regret,
        regret_error,
        bounds: Bounds::of(arms, steps),
        termination: ended.unwrap_or(Termination::Exact),
        final_regret: sums.final_regret,
    })
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

/// One run, added to the sums; an interruption leaves it out.
fn play(
    strategy: &dyn Strategy,
    arms: &Arms,
    game: &Game,
    hindsight: Option<&[f64]>,
    run: u64,
    session: &Session,
    sums: &mut Sums,
) -> Result<()> {
    let mut rng = session.rng(run);
    let mut player = strategy.player(game)?;
    let mut bandit = arms.begin(&mut rng);
    let (mut regret, mut paid) = (0.0, 0.0);
    for t in 0..game.steps {
        bandit.next_round(&mut rng);
        let arm = player.choose(&bandit.context, &mut rng);
        let reward = bandit.pull(arm, &mut rng);
        player.update(&bandit.context, arm, reward);
        paid += reward;
        regret = match hindsight {
            Some(best) => best[t] - paid,
            None => regret + (bandit.best - bandit.means[arm]),
        };
        sums.reward[t] += reward;
        sums.reward_squares[t] += reward * reward;
        sums.best[t] += f64::from(bandit.means[arm] >= bandit.best);
        sums.regret[t] += regret;
        sums.regret_squares[t] += regret * regret;
    }
    sums.runs += 1;
    sums.final_regret.push(regret);
    Ok(())
}
