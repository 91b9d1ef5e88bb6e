//! Sparse rows as metrics see them, and distances of which only some are known.

use mercer_core::{Error, Result};
use mercer_math::{Csr, CsrRef};

/// A copy.
pub(super) fn owned(rows: CsrRef<'_>) -> Csr {
    rows.gather(&(0..rows.n_rows()).collect::<Vec<_>>())
}

/// Distances of a sparse row and all others: the features that either of two has are laid side by side, and measured as
/// dense rows are.
pub(super) fn of_sparse(
    (columns, values): (&[u32], &[f64]),
    others: CsrRef<'_>,
    measure: impl Fn(&[f64], &[f64]) -> f64,
    out: &mut [f64],
) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (i, distance) in out.iter_mut().enumerate() {
        let (theirs, others) = others.row(i);
        left.clear();
        right.clear();
        let (mut a, mut b) = (0, 0);
        while a < columns.len() || b < theirs.len() {
            let (ca, cb) = (columns.get(a).copied(), theirs.get(b).copied());
            let (first, second) = (
                ca.is_some_and(|c| cb.is_none_or(|o| c <= o)),
                cb.is_some_and(|c| ca.is_none_or(|o| c <= o)),
            );
            left.push(if first { values[a] } else { 0.0 });
            right.push(if second { others[b] } else { 0.0 });
            (a, b) = (a + usize::from(first), b + usize::from(second));
        }
        *distance = measure(&left, &right);
    }
}

/// Refuses known distances that are too few for so many neighbours.
pub(super) fn enough_known(known: &Csr, own: Option<&[u32]>, k: usize) -> Result<()> {
    for i in 0..known.n_rows() {
        let (columns, _) = known.view().row(i);
        let count = columns.iter().filter(|&&j| own.is_none_or(|own| own[i] != j)).count();
        if count < k {
            let reason = format!(
                "{k} neighbors per samples are required, but some samples have only {count} neighbors in precomputed \
                 graph matrix: row {i} is the first"
            );
            return Err(Error::numeric("a search", reason));
        }
    }
    Ok(())
}

/// The first known distance below zero: its row, column and value.
pub(super) fn check_known(known: &Csr) -> Option<(usize, usize, f64)> {
    let view = known.view();
    (0..known.n_rows()).find_map(|i| {
        let (columns, values) = view.row(i);
        let at = values.iter().position(|v| *v < 0.0)?;
        Some((i, columns[at] as usize, values[at]))
    })
}
