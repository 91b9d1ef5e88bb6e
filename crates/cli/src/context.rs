//! What every command has: session, manners of printing, the command that was typed.

use crate::args::{Global, When};
use crate::progress::Bar;
use crate::text;
use mercer::{Cancel, Session};
use std::io::IsTerminal;
use std::sync::Arc;

/// Session and manners.
#[derive(Debug)]
pub(crate) struct CommandContext {
    pub(crate) session: Session,
    pub(crate) cancel: Cancel,
    pub(crate) json: bool,
    pub(crate) dry_run: bool,
    pub(crate) command: String,
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
            quiet: global.quiet,
            verbose: global.verbose,
            color,
        }
    }

    /// A note for the person, unless they want none.
    pub(crate) fn note(&self, message: &str) {
        if !self.quiet && !self.json {
            text::note(message);
        }
    }

    /// A note for the person who wants to know more.
    pub(crate) fn detail(&self, message: &str) {
        if self.verbose {
            self.note(message);
        }
    }

    /// Bold, where colours are wanted.
    pub(crate) fn bold(&self, text: &str) -> String {
        if self.color { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// A word as a shell would want it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
