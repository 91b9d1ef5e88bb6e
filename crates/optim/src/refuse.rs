//! What the solvers refuse, each in one place.

use mercer_core::{Error, Result};

/// Sizes that must agree.
pub(crate) fn length(what: &str, expected: usize, got: usize) -> Result<()> {
    if expected == got { Ok(()) } else { Err(Error::shape(what, expected, got)) }
}

/// Numbers that must be finite.
pub(crate) fn finite(owner: &str, name: &str, values: &[f64]) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(i) => Err(Error::param(owner, name, "finite", format!("{} at position {i}", values[i]))),
    }
}

/// A number that must satisfy a condition, which is in positive form so that NaN is refused.
pub(crate) fn number(owner: &str, name: &str, expected: &str, value: f64, holds: bool) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::param(owner, name, expected, value)) }
}

/// A starting point: one finite value for each variable.
pub(crate) fn start(owner: &str, dim: usize, x0: &[f64]) -> Result<()> {
    length(&format!("starting values of {owner}"), dim, x0.len())?;
    finite(owner, "x0", x0)
}
