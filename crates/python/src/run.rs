//! Running work without the interpreter's lock, so that other threads go on and Ctrl-C is heard.

use crate::errors::{raise, raise_panic};
use mercer::{Cancel, Error, Observer, Progress, Session};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the caller's thread looks for signals.
const POLL: Duration = Duration::from_millis(5);
/// How often progress is printed.
const TELL: Duration = Duration::from_millis(500);

/// The session of every prediction. Making one asks the system for its cores, which takes longer than a small model.
/// `OMP_NUM_THREADS` limits it: joblib sets that in its workers, so that they do not fight for the cores.
pub(crate) static SESSION: LazyLock<Session> = LazyLock::new(|| {
    let session = Session::default();
    let limit = std::env::var("OMP_NUM_THREADS").ok().and_then(|n| n.parse::<usize>().ok());
    match limit {
        Some(limit) if limit > 0 && limit < session.threads() => session.with_threads(limit),
        _ => session,
    }
});

/// The session of a fit; 0 threads mean the default.
pub(crate) fn session(seed: u64, threads: usize) -> Session {
    let session = SESSION.clone().with_seed(seed);
    if threads > 0 { session.with_threads(threads) } else { session }
}

/// What work comes to: its result, or the panic that it ended in.
type Caught<T> = Result<Result<T, Error>, Box<dyn std::any::Any + Send>>;

fn settle<T>(outcome: Caught<T>) -> PyResult<T> {
    match outcome {
        Ok(result) => result.map_err(raise),
        Err(panic) => Err(raise_panic(panic.as_ref())),
    }
}

/// Work on the caller's thread, with the lock: for what takes microseconds, or calls back into Python.
#[inline]
pub(crate) fn in_place<T>(work: impl FnOnce() -> Result<T, Error>) -> PyResult<T> {
    settle(catch_unwind(AssertUnwindSafe(work)))
}

/// Work on another thread, without the lock, while this one looks for signals. When one raises an exception the work
/// is cancelled, and the exception is what comes back.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    session: &Session,
    verbose: bool,
    work: impl FnOnce(&Session) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let cancel = Cancel::default();
    let last = Arc::new(Latest::default());
    let mut session = session.clone().with_cancel(cancel.clone());
    if verbose {
        session = session.with_observer(last.clone());
    }
    let session = &session;
    let outcome = py.detach(|| {
        thread::scope(|scope| {
            let (tell, hear) = channel();
            // The scope waits for the thread, so that nothing it borrows can go away under it.
            scope.spawn(move || tell.send(catch_unwind(AssertUnwindSafe(|| work(session)))));
            let mut told = Instant::now();
            loop {
                match hear.recv_timeout(POLL) {
                    Ok(outcome) => return Ok(outcome),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Ok(Err(Box::new("the worker vanished"))),
                }
                let tell = verbose && told.elapsed() > TELL;
                told = if tell { Instant::now() } else { told };
                let looked = Python::attach(|py| {
                    py.check_signals()?;
                    if tell { last.print(py) } else { Ok(()) }
                });
                if let Err(signal) = looked {
                    cancel.cancel();
                    return Err(signal);
                }
            }
        })
    });
    let outcome = outcome?;
    if verbose {
        last.print(py)?;
    }
    settle(outcome)
}

/// The latest progress, kept for the thread that may print.
#[derive(Debug, Default)]
struct Latest(Mutex<Option<String>>);

impl Observer for Latest {
    fn progress(&self, progress: &Progress<'_>) {
        // Progress that somebody else is looking at is not worth waiting for.
        if let Ok(mut slot) = self.0.try_lock() {
            let total = progress.total.map_or_else(String::new, |t| format!(" of {t}"));
            let objective = progress.objective.map_or_else(String::new, |v| format!(", objective {v:.6}"));
            *slot = Some(format!("{} {}{total}{objective}\n", progress.stage, progress.done));
        }
    }
}

impl Latest {
    fn print(&self, py: Python<'_>) -> PyResult<()> {
        let line = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match line {
            Some(line) => py.import("sys")?.getattr("stderr")?.call_method1("write", (line,)).map(drop),
            None => Ok(()),
        }
    }
}
