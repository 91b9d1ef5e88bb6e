//! What every command has: session, manners of printing, the command that was typed.

use crate::args::{Global, When};
use crate::fail::{Code, CommandResult, Failure};
use crate::progress::Bar;
use crate::text;
use mercer::{Cancel, Session};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Session and manners.
#[derive(Debug)]
pub(crate) struct CommandContext {
    pub(crate) session: Session,
    pub(crate) cancel: Cancel,
    pub(crate) json: bool,
    pub(crate) dry_run: bool,
    pub(crate) command: String,
    notes: Mutex<Vec<String>>,
    printed: AtomicBool,
    quiet: bool,
    verbose: bool,
    color: bool,
}

impl CommandContext {
    pub(crate) fn new(global: &Global, arguments: &[String]) -> Self {
        let cancel = Cancel::default();
        let switch = cancel.clone();
        // The first Ctrl-C asks for the best so far; the second one ends the program where it stands.
        let handler = move || {
            if switch.is_cancelled() {
                std::process::exit(130);
            }
            switch.cancel();
        };
        if ctrlc::set_handler(handler).is_err() && global.verbose {
            text::note("note: Ctrl-C cannot be caught here, so it will not keep the best so far");
        }
        let mut session = Session::new(global.seed).with_threads(global.threads).with_cancel(cancel.clone());
        let terminal = std::io::stderr().is_terminal();
        if terminal && !global.no_progress && !global.quiet && !global.json {
            session = session.with_observer(Arc::new(Bar::new()));
        }
        let color = match global.color {
            When::Always => true,
            When::Never => false,
            When::Auto => {
                std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        };
        let words = std::iter::once("mercer".to_owned()).chain(arguments.iter().skip(1).map(|a| quoted(a)));
        Self {
            session,
            cancel,
            json: global.json,
            dry_run: global.dry_run,
            command: words.collect::<Vec<_>>().join(" "),
            notes: Mutex::default(),
            printed: AtomicBool::new(false),
            quiet: global.quiet,
            verbose: global.verbose,
            color,
        }
    }

    /// A note for the person, unless they want none; a JSON document holds it instead.
    pub(crate) fn note(&self, message: &str) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let bare = message.strip_prefix("note: ").unwrap_or(message);
        // Training and validation rows may give rise to the same one.
        if notes.iter().any(|known| known == bare) {
            return;
        }
        notes.push(bare.to_owned());
        if !self.json && !self.quiet {
            text::note(message);
        }
    }

    /// The one document of `--json`, with the notes so far.
    pub(crate) fn document(&self, mut document: serde_json::Value) -> CommandResult {
        let notes = std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner));
        if !notes.is_empty() {
            document["notes"] = notes.into();
        }
        self.printed.store(true, Ordering::Relaxed);
        text::line(&document.to_string())
    }

    /// What a dry run would do.
    pub(crate) fn would(&self, what: &str) -> CommandResult {
        match self.json {
            true => self.document(serde_json::json!({ "schema_version": 1, "would": what })),
            false => text::line(&format!("would {what}")),
        }
    }

    /// Says why the command failed, and gives the code to the shell. A document that is out already stays the only one.
    pub(crate) fn fail(&self, failure: Failure) -> ExitCode {
        let failure = match failure {
            // Only a person interrupts; whatever else was stopped had used up its time.
            Failure::Said(Code::Interrupted, _) if !self.cancel.is_cancelled() => {
                Failure::new(Code::Run, "out of time before there was a result (--budget)")
            }
            other => other,
        };
        failure.report(self.json && !self.printed.load(Ordering::Relaxed))
    }

    /// A note for the person who wants to know more.
    pub(crate) fn detail(&self, message: &str) {
        if self.verbose && !self.json {
            self.note(message);
        }
    }

    /// Bold, where colours are wanted.
    pub(crate) fn bold(&self, text: &str) -> String {
        if self.color { format!("{}{text}{}", text::BOLD[0], text::BOLD[1]) } else { text.to_owned() }
    }
}

/// A word as a shell would want it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
