//! Search for hyper-parameters: grid, random, tree-structured Parzen, successive halving, Hyperband.
//!
//! [`tune`] tries settings of a [`Space`] on the same folds, keeps the best, and fits it on all rows. Trials and folds
//! run side by side in the session's pool, fits inside them share it, so nothing is oversubscribed; what comes out does
//! not depend on the number of threads. Preparation that several settings share is done once for each fold. A search
//! that is stopped returns the best so far; one that is given the trials of an earlier run goes on where that ended,
//! and ends as if it had never stopped.

mod nested;
mod space;
mod strategy;
mod tpe;
mod trial;

pub use nested::{Nested, NestedRound, Triple, average_settings, nested, triple};
pub use space::{Dimension, Setting, Space, apply};
pub use strategy::Strategy;
pub use trial::Trial;

use crate::Answers;
use mercer_core::{
    Dataset, Error, ErrorKind, Learner, Model, Result, Session, StepCache, Table, Termination, Value,
};
use mercer_math::shuffle;
use mercer_measure::{Metric, Split};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use strategy::{Planner, Proposal, ranked};

/// Bytes of prepared rows that a search keeps.
const CACHE_BYTES: usize = 512 << 20;
/// A share of the training rows is never fewer rows than this, where there are as many.
const LEAST_ROWS: usize = 20;

/// What successive halving hands out by shares.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Resource {
    /// Training rows.
    #[default]
    Rows,
    /// A parameter, such as the number of rounds, up to a most.
    Param(String, i64),
}

/// A search to be run.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// Where to look.
    pub space: Space,
    /// How to go about.
    pub strategy: Strategy,
    /// What to measure; the first metric decides.
    pub metrics: Vec<&'static Metric>,
    /// The folds, the same for every setting.
    pub splits: Vec<Split>,
    /// What successive halving hands out.
    pub resource: Resource,
    /// Stop after so many trials in a row without a better one.
    pub patience: Option<usize>,
    /// Whether to fit the best setting on all rows.
    pub refit: bool,
    /// Trials of an earlier run, which are not run again.
    pub known: Vec<Trial>,
}

impl Tuning {
    /// A search of a space by a strategy, with a metric, on folds.
    pub fn new(space: Space, strategy: Strategy, metric: &'static Metric, splits: Vec<Split>) -> Self {
        let (resource, patience, known) = Default::default();
        Self { space, strategy, metrics: vec![metric], splits, resource, patience, refit: true, known }
    }
}

/// The outcome of a search.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The metrics; the first decided.
    pub metrics: Vec<&'static Metric>,
    /// All trials, in their order.
    pub trials: Vec<Trial>,
    /// The best trial on all the rows of its folds, by its place in `trials`.
    pub best: usize,
    /// The learner with the best setting.
    pub learner: Box<dyn Learner>,
    /// The best setting fitted on all rows, where that was asked for.
    pub model: Option<Box<dyn Model>>,
    /// Seconds of that fit.
    pub refit_seconds: f64,
    /// Why the search ended early, if it did.
    pub stopped: Option<Termination>,
    /// Whether patience ran out.
    pub out_of_patience: bool,
    /// How often prepared rows were found again.
    pub cache_hits: usize,
}

impl Tuned {
    /// The best trial.
    pub fn best_trial(&self) -> &Trial {
        &self.trials[self.best]
    }

    /// All trials as a table.
    pub fn table(&self) -> Result<Table<'static>> {
        trial::table(&self.trials, &self.metrics)
    }

    /// The trials on all rows of their folds, best first.
    pub fn ranking(&self) -> Vec<&Trial> {
        ranked(self.trials.iter().filter(|t| t.share >= 1.0), self.metrics[0])
    }
}

/// Searches. `record` is called with every finished trial, from any thread: a journal writes it down.
///
/// # Errors
/// When no trial could be finished: the first failure, or that the search was cancelled before there was one.
pub fn tune(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    tuning: &Tuning,
    record: &(dyn Fn(&Trial) -> Result<()> + Sync),
    session: &Session,
) -> Result<Tuned> {
    let Some(&metric) = tuning.metrics.first() else {
        return Err(Error::too_few("a search", "metrics", 1, 0));
    };
    if tuning.splits.is_empty() {
        return Err(Error::too_few("a search", "folds", 1, 0));
    }
    let space = tuning.space.clone().settled(learner)?;
    let mut planner = Planner::new(&tuning.strategy, &space, session.seed())?;
    let work = Work::new(learner, data, tuning, record, session, tuning.strategy.n_trials(&space));
    let (mut trials, mut out_of_patience): (Vec<Trial>, _) = (Vec::new(), false);
    while session.interrupted().is_none() && !out_of_patience {
        let proposals = planner.next(&trials, metric);
        if proposals.is_empty() {
            break;
        }
        trials.extend(session.run(|| work.batch(&proposals, trials.len()))?);
        out_of_patience = tuning.patience.is_some_and(|p| since_best(&trials, metric) >= p);
    }
    let stopped = session.interrupted();
    let whole = |t: &&Trial| t.share >= 1.0;
    let best = ranked(trials.iter().filter(whole), metric)
        .first()
        .or(ranked(trials.iter(), metric).first())
        .map(|t| t.number);
    let Some(best) = best else {
        let failure = trials.iter().find_map(|t| t.error.clone());
        return Err(failure.map_or_else(
            || ErrorKind::Cancelled.into(),
            |e| Error::numeric("every trial of the search", e),
        ));
    };
    let learner = apply(learner, &trials[best].setting)?;
    let started = Instant::now();
    // Who stops a search wants the best so far, fitted; stopping again ends that, too, at the door.
    let calm = if stopped.is_some() { session.undisturbed() } else { session.quiet() };
    let model = if tuning.refit { Some(learner.train(data, &calm)?) } else { None };
    Ok(Tuned {
        metrics: tuning.metrics.clone(),
        best,
        learner,
        model,
        refit_seconds: started.elapsed().as_secs_f64(),
        stopped,
        out_of_patience,
        cache_hits: work.cache.hits(),
        trials,
    })
}

/// Trials since the best one.
fn since_best(trials: &[Trial], metric: &Metric) -> usize {
    ranked(trials.iter(), metric).first().map_or(0, |best| trials.len() - 1 - best.number)
}

/// What every trial needs.
struct Work<'a> {
    learner: &'a dyn Learner,
    data: &'a Dataset<'a>,
    tuning: &'a Tuning,
    record: &'a (dyn Fn(&Trial) -> Result<()> + Sync),
    session: &'a Session,
    known: HashMap<String, &'a Trial>,
    cache: StepCache,
    done: AtomicUsize,
    total: Option<u64>,
}

/// The scores of a fold and the seconds of its fit.
type FoldScores = (Vec<f64>, f64);

impl<'a> Work<'a> {
    fn new(
        learner: &'a dyn Learner,
        data: &'a Dataset<'a>,
        tuning: &'a Tuning,
        record: &'a (dyn Fn(&Trial) -> Result<()> + Sync),
        session: &'a Session,
        total: Option<usize>,
    ) -> Self {
        let known = tuning.known.iter().map(|t| (key(&t.setting, t.share), t)).collect();
        let (cache, total) = (StepCache::new(CACHE_BYTES), total.map(|t| t as u64));
        Self { learner, data, tuning, record, session, known, cache, done: AtomicUsize::new(0), total }
    }

    /// Runs proposals side by side, all their folds too; none of those that an interruption cut off.
    fn batch(&self, proposals: &[Proposal], first: usize) -> Result<Vec<Trial>> {
        let trials: Vec<Result<Option<Trial>>> = proposals
            .par_iter()
            .with_max_len(1)
            .enumerate()
            .map(|(i, proposal)| self.trial(proposal, first + i))
            .collect();
        // A gap would change the numbers of those behind it, so what follows one is dropped: its line is in the journal.
        let mut out = Vec::new();
        for trial in trials {
            match trial? {
                Some(trial) => out.push(trial),
                None => break,
            }
        }
        Ok(out)
    }

    /// One trial; `None` where it was interrupted.
    fn trial(&self, proposal: &Proposal, number: usize) -> Result<Option<Trial>> {
        let Proposal { setting, share } = proposal;
        if let Some(known) = self.known.get(&key(setting, *share))
            && known.scores.iter().all(|fold| fold.len() == self.tuning.metrics.len())
        {
            return Ok(Some(Trial { number, ..(*known).clone() }));
        }
        let folds: Vec<Result<Option<FoldScores>>> = match self.configured(setting, *share) {
            Ok(learner) => (0..self.tuning.splits.len())
                .into_par_iter()
                .with_max_len(1)
                .map(|fold| self.fold(learner.as_ref(), fold, *share))
                .collect(),
            Err(e) => vec![Err(e)],
        };
        let (mut scores, mut seconds, mut error) = (Vec::new(), 0.0, None);
        for fold in folds {
            match fold {
                Ok(Some((values, s))) => {
                    seconds += s / self.tuning.splits.len() as f64;
                    scores.push(values);
                }
                Ok(None) => return Ok(None),
                Err(e) => error = error.or(Some(e.to_string())),
            }
        }
        if error.is_some() {
            scores.clear();
        }
        let trial =
            Trial { number, setting: setting.clone(), share: *share, scores, fit_seconds: seconds, error };
        (self.record)(&trial)?;
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let _ = self.session.step(
            "trial",
            done as u64,
            self.total,
            Some(trial.mean(0)).filter(|m| m.is_finite()),
        );
        Ok(Some(trial))
    }

    fn configured(&self, setting: &Setting, share: f64) -> Result<Box<dyn Learner>> {
        let learner = apply(self.learner, setting)?;
        match &self.tuning.resource {
            Resource::Rows => Ok(learner),
            Resource::Param(path, most) => {
                learner.with(path, &Value::Int(((share * *most as f64).round() as i64).max(1)))
            }
        }
    }

    fn fold(&self, learner: &dyn Learner, fold: usize, share: f64) -> Result<Option<FoldScores>> {
        if self.session.interrupted().is_some() {
            return Ok(None);
        }
        let split = &self.tuning.splits[fold];
        let by_rows = share < 1.0 && self.tuning.resource == Resource::Rows;
        let rows = if by_rows { self.share_of(&split.train, fold, share) } else { split.train.clone() };
        let cache = self.cache.about(format!("{fold} {}", rows.len()));
        let session = self.session.quiet().with_cache(Some(cache));
        let started = Instant::now();
        let model = learner.train(&self.data.subset(&rows)?, &session)?;
        let seconds = started.elapsed().as_secs_f64();
        let answers = Answers::of(model.as_ref(), &self.data.subset(&split.test)?, self.session)?;
        let scores = self.tuning.metrics.iter().map(|m| answers.score(m)).collect::<Result<Vec<_>>>()?;
        // A fit that was stopped on its way says nothing of the setting.
        Ok(self.session.interrupted().is_none().then_some((scores, seconds)))
    }

    /// A share of some rows with the shares of the classes; a larger share holds a smaller one.
    fn share_of(&self, rows: &[usize], fold: usize, share: f64) -> Vec<usize> {
        let mut shuffled = rows.to_vec();
        shuffle(&mut self.session.rng(0x6a1f + fold as u64), &mut shuffled);
        let target = self.data.target();
        let codes = target.as_ref().and_then(|t| t.class().ok()).map(|(codes, _)| codes);
        if let Some(codes) = codes {
            let mut size: HashMap<u32, f64> = HashMap::new();
            shuffled.iter().for_each(|&i| *size.entry(codes[i]).or_default() += 1.0);
            let mut seen: HashMap<u32, f64> = HashMap::new();
            let mut placed: Vec<(f64, usize)> = shuffled
                .iter()
                .map(|&i| {
                    let n = seen.entry(codes[i]).or_default();
                    *n += 1.0;
                    ((*n - 0.5) / size[&codes[i]], i)
                })
                .collect();
            placed.sort_by(|a, b| a.0.total_cmp(&b.0));
            shuffled = placed.into_iter().map(|(_, i)| i).collect();
        }
        let n = ((share * rows.len() as f64).ceil() as usize).max(LEAST_ROWS).min(rows.len());
        shuffled.truncate(n);
        shuffled.sort_unstable();
        shuffled
    }
}

/// What tells trials apart.
fn key(setting: &Setting, share: f64) -> String {
    let parts: Vec<String> =
        setting.iter().map(|(path, value)| format!("{path}={}", value.to_json())).collect();
    format!("{} @{share:.9}", parts.join(" "))
}
