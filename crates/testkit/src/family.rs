//! The contract suite of one family: a test for each setting under which a learner is declared to be tried.

use crate::check_all;
use libtest_mimic::{Arguments, Failed, Trial};
use mercer_core::catalogue::{self, Entry};
use std::process::ExitCode;

/// Runs the suite on the learners of a family, each under the settings that it declares, side by side. The other
/// families are those whose learners the settings name.
///
/// It is the `main` of a test without the standard harness, and takes the same arguments: `cargo test --test contract
/// -- Ridge` tries one learner.
pub fn contract(family: &'static [Entry], others: &[&[Entry]]) -> ExitCode {
    catalogue::register(family);
    others.iter().for_each(|other| catalogue::register(other));
    let trials = family.iter().flat_map(|entry| {
        let declaration = (entry.declaration)();
        let settings = if declaration.tried.is_empty() { &[""] } else { declaration.tried };
        settings.iter().map(move |setting| {
            let spec = match setting.is_empty() {
                true => declaration.name.to_owned(),
                false => format!("{}:{setting}", declaration.name),
            };
            Trial::test(spec.clone(), move || keeps(&spec))
        })
    });
    let ended = libtest_mimic::run(&Arguments::from_args(), trials.collect());
    if ended.has_failed() || all_in_sessions() { ended.exit_code() } else { ExitCode::FAILURE }
}

/// Whether no work woke rayon's global pool, which can be made only once.
#[expect(clippy::print_stderr, reason = "the harness has no test for what holds of all tests together")]
fn all_in_sessions() -> bool {
    let idle = rayon::ThreadPoolBuilder::new().num_threads(1).build_global().is_ok();
    if !idle {
        eprintln!("work ran in rayon's global pool, outside of any session: it would hang after a fork");
    }
    idle
}

fn keeps(spec: &str) -> Result<(), Failed> {
    let learner = catalogue::make_spec(spec).map_err(|e| e.to_string())?;
    let failures = check_all(learner.as_ref());
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}
