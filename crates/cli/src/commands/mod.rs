//! The commands, one module each.

mod compare;
mod evaluate;
mod explain;
mod fit;
mod list;
mod look;
mod predict;
mod tune;

pub(crate) use compare::remark;
pub(crate) use fit::describe;
pub(crate) use look::summary;

use crate::args::{Arguments, Command};
use crate::fail::Outcome;
use crate::world::World;
use clap::CommandFactory;

/// Runs a command.
pub(crate) fn run(command: &Command, world: &World) -> Outcome {
    match command {
        Command::Look(a) => look::run(a, world),
        Command::Fit(a) => fit::run(a, world),
        Command::Compare(a) => compare::run(a, world),
        Command::Tune(a) => tune::run(a, world),
        Command::Predict(a) => predict::run(a, world),
        Command::Evaluate(a) => evaluate::run(a, world),
        Command::Explain(a) => explain::run(a, world),
        Command::Models(a) => list::models(a, world),
        Command::Params(a) => list::params(a, world),
        Command::Datasets => list::datasets(world),
        Command::Inspect(a) => list::inspect(a, world),
        Command::Completions { shell } => {
            clap_complete::generate(*shell, &mut Arguments::command(), "mercer", &mut std::io::stdout());
            Ok(())
        }
    }
}
