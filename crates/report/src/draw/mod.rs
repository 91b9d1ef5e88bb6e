//! From numbers to blocks of the page, one module per part or task.

mod binary;
mod chains;
mod clusters;
mod compare;
mod explain;
mod multiclass;
mod normal;
mod policy;
mod regression;

pub(crate) use binary::binary;
pub(crate) use chains::chains;
pub(crate) use clusters::clusters;
pub(crate) use compare::{checks, leaderboard};
pub(crate) use explain::{certificates, importance, pipeline, profile, reproducibility, section};
pub(crate) use multiclass::multiclass;
pub(crate) use policy::policy;
pub(crate) use regression::regression;

/// "class 3" where a name is missing.
fn name_of(names: &[String], i: usize, word: &str) -> String {
    names.get(i).filter(|n| !n.is_empty()).cloned().unwrap_or_else(|| format!("{word} {}", i + 1))
}
