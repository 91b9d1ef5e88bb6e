//! The distances of one row and all rows, line after line of a matrix that is never stored.

use super::{Space, Tiles};
use mercer_math::Norm;
use rayon::prelude::*;

/// Rows ready to be measured against all.
pub(crate) struct Lines<'a> {
    space: &'a Space,
    tiles: Option<Tiles>,
}

/// Rows that are measured in one go.
const RUN: usize = 4096;
/// Values of rows from which on a line is worth two threads.
const WORTH: usize = 1 << 16;

impl<'a> Lines<'a> {
    pub(crate) fn new(space: &'a Space) -> Self {
        let euclidean = space.norm() == Some(Norm::Euclidean);
        Self { space, tiles: euclidean.then(|| Tiles::new(&space.rows)) }
    }

    /// The distances of row `i` and all rows, in their order.
    pub(crate) fn fill(&self, i: usize, out: &mut [f64]) {
        let run = |(r, out): (usize, &mut [f64])| match &self.tiles {
            Some(tiles) => {
                tiles.sq_dists(self.space.rows.row(i), r * RUN, out);
                out.iter_mut().for_each(|v| *v = v.sqrt());
            }
            None => (r * RUN..).zip(out).for_each(|(j, v)| *v = self.space.between(i, j)),
        };
        if out.len() * self.space.rows.n_cols() >= WORTH {
            out.par_chunks_mut(RUN).enumerate().for_each(run);
        } else {
            out.chunks_mut(RUN).enumerate().for_each(run);
        }
    }
}
