//! The commands, one module each.

mod compare;
mod evaluate;
mod explain;
mod fit;
mod list;
mod look;
mod play;
mod play_bandit;
mod play_report;
mod predict;
mod sample;
mod tune;
mod tune_clusters;

use crate::args::{Arguments, Command};
use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure};
use clap::CommandFactory;

/// Runs a command.
pub(crate) fn run(command: &Command, context: &CommandContext) -> CommandResult {
    match command {
        Command::Look(a) => look::run(a, context),
        Command::Fit(a) => fit::run(a, context),
        Command::Compare(a) => compare::run(a, context),
        Command::Tune(a) => tune::run(a, context),
        Command::Predict(a) => predict::run(a, context),
        Command::Evaluate(a) => evaluate::run(a, context),
        Command::Explain(a) => explain::run(a, context),
        Command::Sample(a) => sample::run(a, context),
        Command::Play(a) => play::run(a, context),
        Command::Models(a) => list::models(a, context),
        Command::Params(a) => list::params(a, context),
        Command::Datasets => list::datasets(context),
        Command::Inspect(a) => list::inspect(a, context),
        Command::Completions { .. } if context.json => {
            Err(Failure::new(Code::Usage, "a completion script is no JSON document: leave --json out"))
        }
        Command::Completions { shell } => {
            clap_complete::generate(*shell, &mut Arguments::command(), "mercer", &mut std::io::stdout());
            Ok(())
        }
    }
}
