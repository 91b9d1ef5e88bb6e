//! What the solver asks of a kernel: blocks of its values, between points that it knows by number alone.

use mercer_core::{ErrorKind, Result, Session};
use std::ops::Range;

/// A kernel on numbered points.
pub(crate) trait Oracle: Sync {
    /// Chosen points, copied together.
    type Points: Sync;
    /// What the kernel makes of points once, before it is asked for blocks.
    type Side<'s>: Sync
    where
        Self: 's;

    /// How many points there are.
    fn len(&self) -> usize;

    /// k(x, x) of every point.
    fn diagonal(&self) -> Vec<f64>;

    /// The chosen points.
    fn gather(&self, points: &[usize]) -> Self::Points;

    /// Points made ready.
    fn side<'s>(&'s self, points: &'s Self::Points) -> Self::Side<'s>;

    /// k(left[rows], right) by rows into `out`, on one thread.
    fn block(&self, left: &Self::Side<'_>, rows: Range<usize>, right: &Self::Side<'_>, out: &mut [f64]);

    /// k(left, right) by rows into `out`, in single precision; false where there is no such thing.
    fn single(&self, _left: &Self::Side<'_>, _right: &Self::Side<'_>, _out: &mut [f32]) -> bool {
        false
    }
}

/// Points of one block of columns: with [`ROWS`] rows, values that stay in the second level of the cache.
pub(crate) const COLUMNS: usize = 1024;
/// Rows of one block.
pub(crate) const ROWS: usize = 32;
/// Rows of sums between two signs of progress.
const TOLD: usize = 32 * ROWS;

/// Σ_j k(x_i, x_j) b_j for every row i, over the columns j whose b is not zero; in parallel, in fixed blocks. An error where the
/// session ends it: sums of some rows alone are of no use.
pub(crate) fn weighted_sums<O: Oracle>(
    oracle: &O,
    rows: &[usize],
    columns: &[usize],
    b: &[f64],
    session: &Session,
) -> Result<Vec<f64>> {
    use rayon::prelude::*;
    let (mut out, n) = (vec![0.0; rows.len()], rows.len() as u64);
    if columns.is_empty() {
        return Ok(out);
    }
    let right: Vec<_> = columns.chunks(COLUMNS).map(|c| oracle.gather(c)).collect();
    let right: Vec<_> = right.iter().map(|p| oracle.side(p)).collect();
    for (at, (out, rows)) in out.chunks_mut(TOLD).zip(rows.chunks(TOLD)).enumerate() {
        let done = (at * TOLD) as u64;
        if session.step("sums", done, Some(n), None).is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        out.par_chunks_mut(ROWS).zip(rows.par_chunks(ROWS)).for_each(|(out, rows)| {
            let points = oracle.gather(rows);
            let left = oracle.side(&points);
            let mut tile = vec![0.0; rows.len() * COLUMNS];
            for (right, b) in right.iter().zip(b.chunks(COLUMNS)) {
                let tile = &mut tile[..rows.len() * b.len()];
                oracle.block(&left, 0..rows.len(), right, tile);
                out.iter_mut().zip(tile.chunks(b.len())).for_each(|(o, k)| *o += mercer_math::dot(k, b));
            }
        });
    }
    Ok(out)
}
