//! How a search goes about: which settings to try next, given those tried.

use super::space::{Setting, Space};
use super::tpe;
use super::trial::Trial;
use mercer_core::{Error, Result};
use mercer_math::{Rng, rng_for};
use mercer_measure::Metric;
use std::collections::VecDeque;

/// Settings asked for at once. A constant, so that the course of a search does not depend on the number of threads.
const BATCH: usize = 8;
/// Settings drawn evenly before the estimator of densities has something to go by.
const WARM_UP: usize = 10;

/// A way to search.
#[derive(Clone, Debug, PartialEq)]
pub enum Strategy {
    /// Every combination of values, with so many of each range.
    Grid {
        /// Values of each range.
        points: usize,
    },
    /// These settings.
    List(Vec<Setting>),
    /// Settings drawn evenly.
    Random {
        /// How many.
        trials: usize,
    },
    /// The tree-structured Parzen estimator, after some settings drawn evenly.
    Tpe {
        /// How many settings.
        trials: usize,
    },
    /// Successive halving: many settings on a small share of the rows, the best on more and more.
    Halving {
        /// Settings at first.
        trials: usize,
        /// One setting in so many goes on, with so many times the rows.
        factor: f64,
    },
    /// Successive halving of these settings.
    HalvingList {
        /// Settings at first.
        settings: Vec<Setting>,
        /// One setting in so many goes on, with so many times the rows.
        factor: f64,
    },
    /// Hyperband: successive halving from several starts, from many settings on few rows to few on all.
    Hyperband {
        /// One setting in so many goes on, with so many times the rows.
        factor: f64,
        /// Number of brackets; the most cautious one has a single rung.
        brackets: usize,
    },
}

impl Strategy {
    /// The number of trials it will ask for, where that is known beforehand.
    pub fn n_trials(&self, space: &Space) -> Option<usize> {
        match self {
            Strategy::Grid { points } => Some(space.grid_size(*points)),
            Strategy::List(settings) => Some(settings.len()),
            Strategy::Random { trials } | Strategy::Tpe { trials } => Some(*trials),
            Strategy::Halving { .. } | Strategy::HalvingList { .. } | Strategy::Hyperband { .. } => None,
        }
    }

    fn check(&self) -> Result<()> {
        let positive = |name: &str, n: usize| match n {
            0 => Err(Error::param("a search", name, "at least 1", n)),
            _ => Ok(()),
        };
        let above_one = |f: f64| match f > 1.0 && f.is_finite() {
            true => Ok(()),
            false => Err(Error::param("a search", "factor", "above 1", f)),
        };
        match self {
            Strategy::Grid { points } => positive("points", *points),
            Strategy::List(settings) => positive("settings", settings.len()),
            Strategy::Random { trials } | Strategy::Tpe { trials } => positive("trials", *trials),
            Strategy::Halving { trials, factor } => positive("trials", *trials).and(above_one(*factor)),
            Strategy::HalvingList { settings, factor } => {
                positive("settings", settings.len()).and(above_one(*factor))
            }
            Strategy::Hyperband { factor, brackets } => {
                positive("brackets", *brackets).and(above_one(*factor))
            }
        }
    }
}

/// A setting to be tried on a share of the training rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Proposal {
    pub(crate) setting: Setting,
    pub(crate) share: f64,
}

/// A strategy at work: asked for the next proposals, told all trials so far.
pub(crate) struct Planner<'a> {
    space: &'a Space,
    queue: VecDeque<Proposal>,
    rungs: VecDeque<Bracket>,
    current: Option<(Bracket, usize)>,
    guided: usize,
    rng: Rng,
}

/// One run of successive halving.
#[derive(Clone, Debug)]
struct Bracket {
    settings: Vec<Setting>,
    share: f64,
    factor: f64,
}

impl Bracket {
    /// As many rungs as the settings allow, the last on all rows.
    fn halving(settings: Vec<Setting>, factor: f64) -> Self {
        let rungs = ((settings.len() as f64).ln() / factor.ln() + 1e-9).floor().max(0.0);
        Self { settings, share: factor.powf(-rungs), factor }
    }
}

impl<'a> Planner<'a> {
    pub(crate) fn new(strategy: &Strategy, space: &'a Space, seed: u64) -> Result<Self> {
        strategy.check()?;
        let mut rng = rng_for(seed, 0x5ea);
        let mut planner = Self {
            space,
            queue: VecDeque::new(),
            rungs: VecDeque::new(),
            current: None,
            guided: 0,
            rng: rng_for(seed, 0x79e),
        };
        let whole = |setting| Proposal { setting, share: 1.0 };
        match strategy {
            Strategy::Grid { points } => planner.queue.extend(space.grid(*points).into_iter().map(whole)),
            Strategy::List(settings) => planner.queue.extend(settings.iter().cloned().map(whole)),
            Strategy::Random { trials } => {
                planner.queue.extend(distinct(space, *trials, &mut rng).into_iter().map(whole));
            }
            Strategy::Tpe { trials } => {
                let warm_up = WARM_UP.min(*trials);
                planner.queue.extend(distinct(space, warm_up, &mut rng).into_iter().map(whole));
                planner.guided = trials - warm_up;
            }
            Strategy::Halving { trials, factor } => {
                planner.rungs.push_back(Bracket::halving(distinct(space, *trials, &mut rng), *factor));
            }
            Strategy::HalvingList { settings, factor } => {
                planner.rungs.push_back(Bracket::halving(settings.clone(), *factor));
            }
            Strategy::Hyperband { factor, brackets } => {
                // L. Li et al. Hyperband. JMLR 18, 2018, algorithm 1, with R the whole of the rows.
                for s in (0..*brackets).rev() {
                    let n = (*brackets as f64 / (s as f64 + 1.0) * factor.powi(s as i32)).ceil() as usize;
                    let settings = distinct(space, n, &mut rng);
                    let share = factor.powi(-(s as i32));
                    planner.rungs.push_back(Bracket { settings, share, factor: *factor });
                }
            }
        }
        Ok(planner)
    }

    /// The next proposals; none when the search is over.
    pub(crate) fn next(&mut self, trials: &[Trial], metric: &Metric) -> Vec<Proposal> {
        if !self.queue.is_empty() {
            return self.queue.drain(..BATCH.min(self.queue.len())).collect();
        }
        if self.guided > 0 {
            let n = self.guided.min(BATCH / 2);
            self.guided -= n;
            let ranked: Vec<&Setting> =
                ranked(trials.iter(), metric).into_iter().map(|t| &t.setting).collect();
            let draw = |_| match ranked.is_empty() {
                true => self.space.sample(&mut self.rng),
                false => tpe::propose(self.space, &ranked, &mut self.rng),
            };
            return (0..n).map(draw).map(|setting| Proposal { setting, share: 1.0 }).collect();
        }
        self.next_rung(trials, metric)
    }

    /// The best of the rung that has just ended on more rows, or the first rung of the next bracket.
    fn next_rung(&mut self, trials: &[Trial], metric: &Metric) -> Vec<Proposal> {
        let next = match self.current.take() {
            Some((bracket, n)) if bracket.share < 1.0 => {
                let last = ranked(trials[trials.len().saturating_sub(n)..].iter(), metric);
                let kept = ((bracket.settings.len() as f64 / bracket.factor).floor() as usize).max(1);
                let settings: Vec<Setting> = last.iter().take(kept).map(|t| t.setting.clone()).collect();
                (!settings.is_empty()).then(|| Bracket {
                    settings,
                    share: (bracket.share * bracket.factor * (1.0 + 1e-12)).min(1.0),
                    ..bracket
                })
            }
            _ => None,
        };
        let Some(bracket) = next.or_else(|| self.rungs.pop_front()) else { return Vec::new() };
        let share = if bracket.share > 1.0 - 1e-9 { 1.0 } else { bracket.share };
        let proposals: Vec<Proposal> =
            bracket.settings.iter().map(|s| Proposal { setting: s.clone(), share }).collect();
        self.current = Some((Bracket { share, ..bracket }, proposals.len()));
        proposals
    }
}

/// Trials without those that failed, best first; earlier ones before equals.
pub(crate) fn ranked<'t>(trials: impl Iterator<Item = &'t Trial>, metric: &Metric) -> Vec<&'t Trial> {
    let mut ranked: Vec<&Trial> = trials.filter(|t| !t.mean(0).is_nan()).collect();
    ranked
        .sort_by(|a, b| metric.is_better(b.mean(0), a.mean(0)).cmp(&metric.is_better(a.mean(0), b.mean(0))));
    ranked
}

/// So many settings drawn evenly, without repeats where the space has that many.
fn distinct(space: &Space, n: usize, rng: &mut Rng) -> Vec<Setting> {
    let mut out: Vec<Setting> = Vec::new();
    for _ in 0..n.saturating_mul(20) {
        if out.len() == n {
            break;
        }
        let setting = space.sample(rng);
        if !out.contains(&setting) {
            out.push(setting);
        }
    }
    out
}
