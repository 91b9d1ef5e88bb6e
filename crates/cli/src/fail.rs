//! How a command fails: a code for the shell, a sentence for the person.

use mercer::{Error, ErrorKind};
use std::process::ExitCode;

/// The exit codes of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// The run failed.
    Run = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The data are.
    Data = 3,
    /// A gate was not met.
    Gate = 4,
    /// The model file is unusable.
    ModelFile = 5,
    /// Training did not converge, under `--strict`.
    NotConverged = 6,
    /// The user stopped it.
    Interrupted = 130,
}

/// Why a command ended without success.
#[derive(Debug)]
pub(crate) enum Failure {
    /// With a code and a sentence.
    Said(Code, String),
    /// The reader of our output went away: no failure of ours.
    Pipe,
}

/// The result of a command.
pub(crate) type CommandResult<T = ()> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Failure::Said(code, message.into())
    }

    /// Says it on standard error (or as JSON on standard output), and gives the code to the shell.
    pub(crate) fn report(&self, json: bool) -> ExitCode {
        let Failure::Said(code, message) = self else { return ExitCode::SUCCESS };
        if json {
            let document = serde_json::json!({
                "schema_version": 1,
                "error": { "code": *code as u8, "message": message },
            });
            let _ = crate::text::line(&document.to_string());
        }
        crate::text::note(&format!("error: {message}"));
        ExitCode::from(*code as u8)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match error.kind() {
            ErrorKind::Param { .. } | ErrorKind::UnknownParam { .. } | ErrorKind::Syntax { .. } => {
                Code::Usage
            }
            ErrorKind::Unknown { what, .. }
                if matches!(*what, "model" | "metric" | "density" | "decision process") =>
            {
                Code::Usage
            }
            ErrorKind::Format { .. } => Code::ModelFile,
            ErrorKind::Cancelled => {
                return Failure::new(Code::Interrupted, "interrupted before there was a result");
            }
            ErrorKind::Numeric { .. } | ErrorKind::UserCode { .. } => Code::Run,
            _ => Code::Data,
        };
        Failure::Said(code, error.to_string())
    }
}

/// The same error, as a problem of the model file.
pub(crate) fn model_file(error: Error) -> Failure {
    Failure::Said(Code::ModelFile, error.to_string())
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::Pipe,
            _ => Failure::Said(Code::Run, error.to_string()),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure::Said(Code::Run, format!("{error:#}"))
    }
}
