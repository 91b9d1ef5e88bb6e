//! The progress bar: on a terminal, on standard error, at most a few times a second.

use indicatif::{ProgressBar, ProgressStyle};
use mercer::{Observer, Progress};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Draws the progress of a session.
pub(crate) struct Bar {
    bar: ProgressBar,
    last: Mutex<Instant>,
}

impl Bar {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        bar.set_style(
            ProgressStyle::with_template("{spinner} {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        Self { bar, last: Mutex::new(Instant::now()) }
    }
}

impl Observer for Bar {
    fn progress(&self, progress: &Progress<'_>) {
        let Ok(mut last) = self.last.try_lock() else { return };
        if last.elapsed() < Duration::from_millis(100) {
            return;
        }
        *last = Instant::now();
        let of = progress.total.map_or_else(String::new, |t| format!(" of {t}"));
        let objective =
            progress.objective.map_or_else(String::new, |v| format!(" · {}", crate::text::number(v)));
        self.bar.set_message(format!("{} {}{of}{objective}", progress.stage, progress.done));
        self.bar.tick();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
