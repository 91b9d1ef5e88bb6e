//! The `mercer` command line. Low-level arguments become typed values here; everything else is the library.

mod args;
mod build_report;
mod commands;
mod context;
mod fail;
mod play_args;
mod progress;
mod row_reasons;
mod source;
mod text;

use clap::Parser;
use fail::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let typed: Vec<String> = std::env::args().collect();
    let json = typed.iter().any(|a| a == "--json");
    let arguments = match args::with_config(typed) {
        Ok(arguments) => arguments,
        Err(failure) => return failure.report(json),
    };
    let parsed = match args::Arguments::try_parse_from(&arguments) {
        Ok(parsed) => parsed,
        Err(error) if json && error.use_stderr() => {
            return Failure::new(fail::Code::Usage, error.to_string().trim_end()).report(true);
        }
        Err(error) => {
            // Clap prints help and version to standard output, mistakes to standard error.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    mercer::catalogue();
    let context = context::CommandContext::new(&parsed.global, &arguments);
    match commands::run(&parsed.command, &context) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Pipe) => ExitCode::SUCCESS,
        Err(failure) => context.fail(failure),
    }
}
