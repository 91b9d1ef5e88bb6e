//! A number of rows, or a share of them.

use mercer_core::{CountOrShare, Error, Result};

/// Refuses a share above 1; the range of the parameter has refused the rest.
pub(crate) fn check_frequency(frequency: CountOrShare, owner: &str, name: &str) -> Result<()> {
    match frequency {
        CountOrShare::Share(share) if !(0.0..=1.0).contains(&share) => {
            Err(Error::param(owner, name, "a whole number of rows, or a share in [0, 1]", share))
        }
        _ => Ok(()),
    }
}
