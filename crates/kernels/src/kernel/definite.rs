//! Whether a Gram matrix is positive semi-definite, and which eigenvalue says that it is not.

use mercer_core::{Error, Result};
use mercer_math::{Mat, eigvalsh};

/// What the eigenvalues of a Gram matrix say. Leading minors (Sylvester's criterion) judge definiteness alone; semi-definiteness
/// needs the eigenvalues.
#[derive(Clone, Debug, PartialEq)]
pub struct Definiteness {
    /// The smallest eigenvalue.
    pub least: f64,
    /// The largest eigenvalue.
    pub largest: f64,
    /// What rounding may have done to any of them: eigenvalues above minus this are not told apart from zero.
    pub slack: f64,
    /// How many lie below minus the slack.
    pub n_negative: usize,
}

impl Definiteness {
    /// Whether no eigenvalue is negative beyond rounding.
    pub fn is_semidefinite(&self) -> bool {
        self.n_negative == 0
    }

    /// Refuses a matrix that is not positive semi-definite by an error that names its smallest eigenvalue.
    pub fn require(&self, who: &str) -> Result<()> {
        if self.is_semidefinite() {
            return Ok(());
        }
        let reason = format!(
            "its Gram matrix is not positive semi-definite: {} eigenvalue(s) below zero, the smallest {:e} beside a largest of {:e}",
            self.n_negative, self.least, self.largest
        );
        Err(Error::numeric(who, reason))
    }
}

/// Looks at the eigenvalues of a symmetric matrix; an error where it is not symmetric or not finite.
pub fn definiteness(gram: &Mat) -> Result<Definiteness> {
    let n = gram.n_rows();
    if n != gram.n_cols() {
        return Err(Error::shape("columns of a Gram matrix", n, gram.n_cols()));
    }
    if let Some((i, j)) = gram.view().find_non_finite() {
        return Err(Error::numeric(
            "a Gram matrix",
            format!("the value of row {i} and column {j} is {}", gram[(i, j)]),
        ));
    }
    let size = gram.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for i in 0..n {
        for j in 0..i {
            if (gram[(i, j)] - gram[(j, i)]).abs() > 1e-10 * size {
                return Err(Error::numeric(
                    "a Gram matrix",
                    format!("it is not symmetric at row {i} and column {j}"),
                ));
            }
        }
    }
    let values =
        eigvalsh(gram).ok_or_else(|| Error::numeric("a Gram matrix", "its eigenvalues did not converge"))?;
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let slack = 1e-13 * n as f64 * least.abs().max(largest.abs());
    Ok(Definiteness { least, largest, slack, n_negative: values.iter().filter(|v| **v < -slack).count() })
}
