//! The contract suite: what every learner of the catalogue must keep, checked by one loop.
//!
//! [`check_all`] runs every check on a learner and returns what failed, with panics caught and named. A
//! learner is held to exactly what its declaration claims: a capability that is not true fails here, and so
//! does one that is true and not declared.

mod data_checks;
mod family;
mod fixtures;
mod law_checks;
mod model_checks;
mod param_checks;
mod proof_checks;
mod reference;
mod shared;

pub use family::contract;
pub use fixtures::{Fixture, fixture};
pub use reference::{
    alike, all_alike, assert_alike, assert_close, assert_within, case, close, matrix, numbers, reference,
};
pub use shared::shared_data;

use mercer_core::Learner;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A check: its name, and what it does. The error is a sentence.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    run: fn(&dyn Learner) -> CheckResult,
}

/// What a check finds.
pub type CheckResult = Result<(), String>;

/// Every check of the suite.
pub fn checks() -> Vec<Check> {
    let rooms = [
        param_checks::CHECKS,
        data_checks::CHECKS,
        law_checks::CHECKS,
        model_checks::CHECKS,
        proof_checks::CHECKS,
    ];
    rooms.concat()
}

/// Runs every check on a learner; what failed, as "check: why".
pub fn check_all(learner: &dyn Learner) -> Vec<String> {
    checks().iter().filter_map(|check| failure(check, learner)).collect()
}

fn failure(check: &Check, learner: &dyn Learner) -> Option<String> {
    let outcome = catch_unwind(AssertUnwindSafe(|| (check.run)(learner))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(format!("panicked: {text}"))
    });
    outcome.err().map(|why| format!("{}: {why}", check.name))
}

/// Turns a failed expectation into the error of a check.
pub(crate) fn expect(holds: bool, why: impl FnOnce() -> String) -> CheckResult {
    if holds { Ok(()) } else { Err(why()) }
}

/// The text of an error, for checks that need a success.
pub(crate) fn text<T>(result: mercer_core::Result<T>) -> Result<T, String> {
    result.map_err(|e| e.to_string())
}
