//! Scores of sparse rows by class: coefficients class beside class, so that each entry of a row is a few vectors.

use super::counts::Event;
use mercer_core::Session;
use mercer_math::{CsrRef, Mat, Wide, prefetch, run_wide};
use rayon::prelude::*;

/// Classes side by side.
const LANES: usize = 4;
/// Vectors of classes whose sums stay in registers together.
const MOST: usize = 6;
/// Entries of a row ahead whose coefficients are asked for.
const AHEAD: usize = 12;
/// Features that one task turns.
const TURNED: usize = 512;

/// The coefficients of each feature, its classes padded to whole vectors.
pub(super) struct ClassTable {
    chunks: usize,
    weights: Vec<[f64; LANES]>,
}

impl ClassTable {
    /// Of coefficients, classes × features; none where not all of them are finite.
    pub(super) fn new(coef: &Mat, session: &Session) -> Option<Self> {
        let (k, d) = (coef.n_rows(), coef.n_cols());
        let chunks = k.div_ceil(LANES);
        let mut weights = vec![[0.0; LANES]; d * chunks];
        let turn = |(b, weights): (usize, &mut [[f64; LANES]])| {
            let features = b * TURNED..((b + 1) * TURNED).min(d);
            let mut sum = 0.0;
            for c in 0..k {
                let own = &coef.row(c)[features.clone()];
                let places = weights.iter_mut().skip(c / LANES).step_by(chunks);
                places.zip(own).for_each(|(to, w)| to[c % LANES] = *w);
                // Zero, unless one of them is infinite or no number.
                sum += own.iter().map(|w| w * 0.0).sum::<f64>();
            }
            sum == 0.0
        };
        let finite = if d <= TURNED {
            // Entering a pool would cost more.
            turn((0, &mut weights))
        } else {
            let parts = || weights.par_chunks_mut(TURNED * chunks).enumerate().map(turn).collect::<Vec<_>>();
            session.run(parts).into_iter().all(|finite| finite)
        };
        finite.then_some(Self { chunks, weights })
    }

    /// Writes `intercept` + Σ count · coefficient over the entries of each row, rows × classes.
    pub(super) fn scores(&self, event: Event, x: CsrRef<'_>, intercept: &[f64], out: &mut [f64]) {
        for first in (0..self.chunks).step_by(MOST) {
            let rows = Scores { table: self, event, x, intercept, first, out: &mut *out };
            match self.chunks - first {
                1 => run_wide(Chunks::<1>(rows)),
                2 => run_wide(Chunks::<2>(rows)),
                3 => run_wide(Chunks::<3>(rows)),
                4 => run_wide(Chunks::<4>(rows)),
                5 => run_wide(Chunks::<5>(rows)),
                _ => run_wide(Chunks::<MOST>(rows)),
            }
        }
    }
}

struct Scores<'a> {
    table: &'a ClassTable,
    event: Event,
    x: CsrRef<'a>,
    intercept: &'a [f64],
    /// The first chunk of classes.
    first: usize,
    out: &'a mut [f64],
}

/// The scores of N chunks of classes.
struct Chunks<'a, const N: usize>(Scores<'a>);

impl<const N: usize> Wide for Chunks<'_, N> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        let Scores { table, event, x, intercept, first, out } = self.0;
        let from = first * LANES;
        let to = (from + N * LANES).min(intercept.len());
        let mut start = [[0.0; LANES]; N];
        start.as_flattened_mut()[..to - from].copy_from_slice(&intercept[from..to]);
        let place = |j: u32| j as usize * table.chunks + first;
        for (i, out) in out.chunks_exact_mut(intercept.len()).enumerate() {
            let (columns, values) = x.row(i);
            let mut sums = start;
            for (at, (&j, &v)) in columns.iter().zip(values).enumerate() {
                if let Some(&next) = columns.get(at + AHEAD) {
                    (0..N).step_by(2).for_each(|n| prefetch(&table.weights, place(next) + n));
                }
                let v = event.count(v);
                let weights: &[[f64; LANES]; N] = &table.weights[place(j)..].as_chunks().0[0];
                for n in 0..N {
                    sums[n] = std::array::from_fn(|l| sums[n][l] + v * weights[n][l]);
                }
            }
            out[from..to].copy_from_slice(&sums.as_flattened()[..to - from]);
        }
    }
}
