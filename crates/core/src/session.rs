//! The session: seed, threads, progress, cancellation, deadline. Everything a fit may ask for, and no more.

use crate::certificate::Termination;
use crate::error::{Error, Result};
use crate::step_cache::StepCache;
use mercer_math::{Rng, rng_for, seed_for};
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;

/// What long work tells while it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress<'a> {
    /// What is being done: "lbfgs", "fold".
    pub stage: &'a str,
    /// How much is done.
    pub done: u64,
    /// How much there is to do, where that is known.
    pub total: Option<u64>,
    /// The objective so far.
    pub objective: Option<f64>,
}

/// Hears of progress. Called from any thread, often: it must be quick.
pub trait Observer: Send + Sync {
    /// Called at every step of long work.
    fn progress(&self, progress: &Progress<'_>);
}

/// A switch that stops work when it is thrown; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop at its next step.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What to do with a category that was not seen in training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unseen {
    /// Take it as missing.
    #[default]
    Missing,
    /// Refuse it with an error that names column, row and level.
    Error,
    /// Leave it to the model, with a code beyond those of training: encoders have a policy of their own, and
    /// composites hand it on to their parts.
    Keep,
}

/// Seed, threads, progress, cancellation and deadline of one piece of work.
///
/// # Example
/// ```
/// use mercer_core::Session;
/// let session = Session::new(7).with_threads(2);
/// assert_eq!(session.run(rayon::current_num_threads), 2);
/// ```
#[derive(Clone)]
pub struct Session {
    seed: u64,
    threads: usize,
    observer: Option<Arc<dyn Observer>>,
    cancel: Cancel,
    deadline: Option<Instant>,
    unseen: Unseen,
    cache: Option<StepCache>,
    start: Option<Arc<[f64]>>,
}

/// The number of cores, asked for once: the answer takes longer than a small prediction.
static CORES: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));

impl Default for Session {
    fn default() -> Self {
        Self::new(0)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("seed", &self.seed)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A session with a seed, all cores, and nobody watching.
    pub fn new(seed: u64) -> Self {
        let (observer, cancel, deadline, unseen, cache, start) = Default::default();
        Self { seed, threads: *CORES, observer, cancel, deadline, unseen, cache, start }
    }

    /// The session with a number of threads; 0 means all cores.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = if threads == 0 { *CORES } else { threads };
        self
    }

    /// The session with another seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The session with an observer of its progress.
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// The session with a switch that stops it.
    #[must_use]
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// The session with a time at which work ends with the best so far.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(self.deadline.map_or(deadline, |d| d.min(deadline)));
        self
    }

    /// The session with a policy for categories that were not seen in training.
    #[must_use]
    pub fn with_unseen(mut self, unseen: Unseen) -> Self {
        self.unseen = unseen;
        self
    }

    /// The session with a store of prepared rows for the pipeline that is fitted next; whatever that pipeline is made
    /// of, and every other learner, goes without.
    #[must_use]
    pub fn with_cache(mut self, cache: Option<StepCache>) -> Self {
        self.cache = cache;
        self
    }

    /// The store of prepared rows, if there is one.
    pub fn cache(&self) -> Option<&StepCache> {
        self.cache.as_ref()
    }

    /// The session with a point that iterative solvers begin at: the coefficients of an earlier fit, target by target, then
    /// what else the learner's document names. Learners without a use for it go their own way.
    #[must_use]
    pub fn with_start(mut self, start: Vec<f64>) -> Self {
        self.start = Some(start.into());
        self
    }

    /// The point to begin at, if one was given.
    pub fn start(&self) -> Option<&[f64]> {
        self.start.as_deref()
    }

    /// The point to begin at as coefficients, target by target, and intercepts; a point of another size, or one that is not
    /// finite, is an error.
    pub fn start_of(
        &self,
        learner: &str,
        targets: usize,
        features: usize,
    ) -> Result<Option<(&[f64], &[f64])>> {
        let Some(start) = self.start() else { return Ok(None) };
        let wanted = targets * (features + 1);
        if start.len() != wanted {
            return Err(Error::shape("coefficients and intercepts to begin with", wanted, start.len()));
        }
        if !start.iter().all(|v| v.is_finite()) {
            return Err(Error::numeric(learner, "coefficients to begin with must be finite"));
        }
        Ok(Some(start.split_at(targets * features)))
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The policy for unseen categories.
    pub fn unseen(&self) -> Unseen {
        self.unseen
    }

    /// The random stream of task `task`: it depends on the seed and the task, never on a thread.
    pub fn rng(&self, task: u64) -> Rng {
        rng_for(self.seed, task)
    }

    /// A session for sub-task `task`, with a seed of its own and everything else shared.
    #[must_use]
    pub fn split(&self, task: u64) -> Session {
        Session { seed: seed_for(self.seed, task), ..self.clone() }
    }

    /// A session for work that ends what was stopped: nobody watches, no deadline, and a switch of its own.
    #[must_use]
    pub fn undisturbed(&self) -> Session {
        Session { observer: None, deadline: None, cancel: Cancel::default(), ..self.clone() }
    }

    /// A session for sub-work whose progress nobody watches.
    #[must_use]
    pub fn quiet(&self) -> Session {
        Session { observer: None, ..self.clone() }
    }

    /// Runs `work` in the session's pool, where rayon finds exactly `threads` threads.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match pool(self.threads) {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Tells of progress, and asks whether to stop: `Some` says why.
    pub fn step(
        &self,
        stage: &str,
        done: u64,
        total: Option<u64>,
        objective: Option<f64>,
    ) -> Option<Termination> {
        if let Some(observer) = &self.observer {
            observer.progress(&Progress { stage, done, total, objective });
        }
        self.interrupted()
    }

    /// Why the work should stop now, if it should.
    pub fn interrupted(&self) -> Option<Termination> {
        if self.cancel.is_cancelled() {
            Some(Termination::Cancelled)
        } else if self.deadline.is_some_and(|d| Instant::now() >= d) {
            Some(Termination::Deadline)
        } else {
            None
        }
    }
}

/// The pool of `threads` threads of this process. Pools are keyed by process id, since a forked child inherits
/// the table but not the threads; `None` where the system gives no threads, and work then runs in place.
fn pool(threads: usize) -> Option<Arc<rayon::ThreadPool>> {
    type Pools = HashMap<(u32, usize), Arc<rayon::ThreadPool>>;
    static POOLS: LazyLock<Mutex<Pools>> = LazyLock::new(Mutex::default);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Some(pool.clone());
    }
    // Pools of a parent process have no threads here, and dropping one would wait for them for ever.
    for (k, stale) in std::mem::take(&mut *pools) {
        if k.0 == key.0 {
            pools.insert(k, stale);
        } else {
            std::mem::forget(stale);
        }
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("mercer-{i}"))
        .stack_size(8 << 20)
        .build()
        .ok()?;
    Some(pools.entry(key).or_insert(Arc::new(pool)).clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_seed_and_task_alone() {
        let session = Session::new(3);
        let draw = |s: &Session, task| mercer_math::uniform(&mut s.rng(task));
        assert_eq!(draw(&session, 1), draw(&session.clone().with_threads(1), 1));
        assert_ne!(draw(&session, 1), draw(&session, 2));
        assert_ne!(draw(&session, 1), draw(&session.split(1), 1));
    }

    #[test]
    fn cancel_and_deadline_are_seen() {
        let cancel = Cancel::default();
        let session = Session::new(0).with_cancel(cancel.clone());
        assert_eq!(session.interrupted(), None);
        cancel.cancel();
        assert_eq!(session.interrupted(), Some(Termination::Cancelled));
        let late = Session::new(0).with_deadline(Instant::now());
        assert_eq!(late.interrupted(), Some(Termination::Deadline));
    }
}
