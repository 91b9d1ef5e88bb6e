//! Warping of one series with several of equal length side by side, one in each lane.

use super::series::Band;
use mercer_core::SeriesRef;
use mercer_math::wide;

/// Series that are warped side by side: enough for four registers, so that the steps of one lane wait for nothing.
pub(super) const LANES: usize = 16;
type Lane = [f64; LANES];

/// Memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The values of the series of the lanes, one coordinate of one point after the other.
    values: Vec<Lane>,
    /// One line of the tables of costs.
    line: Vec<Lane>,
}

/// The squared distances after warping of `x` and the series `which` of `y`, all as long as the first of them, written to `out`.
pub(super) fn warp_all(
    x: &[f64],
    y: SeriesRef<'_>,
    which: &[usize],
    band: Band,
    scratch: &mut Scratch,
    out: &mut [f64],
) {
    let Some(&first) = which.first() else { return };
    let (d, length) = (y.n_coordinates(), y.get(first).len());
    let width = band.width(x.len() / d, length / d);
    for (which, out) in which.chunks(LANES).zip(out.chunks_mut(LANES)) {
        scratch.values.clear();
        scratch.values.resize(length, [0.0; LANES]);
        for l in 0..LANES {
            // Lanes that are left over repeat the first.
            let own = y.get(which.get(l).copied().unwrap_or(first));
            scratch.values.iter_mut().zip(own).for_each(|(v, own)| v[l] = *own);
        }
        let (values, line) = (&scratch.values, &mut scratch.line);
        let found = match d {
            1 => wide(|| warp(x, values, 1, width, line)),
            _ => wide(|| warp(x, values, d, width, line)),
        };
        out.copy_from_slice(&found[..out.len()]);
    }
}

/// One line of the tables, in place: what stands at a place is the cost of the line above until it is written.
#[inline(always)]
fn warp(x: &[f64], y: &[Lane], d: usize, width: usize, line: &mut Vec<Lane>) -> Lane {
    let m = y.len() / d;
    line.clear();
    line.resize(m + 1, [f64::INFINITY; LANES]);
    line[0] = [0.0; LANES];
    for (i, own) in x.chunks_exact(d).enumerate() {
        let (first, last) = ((i + 1).saturating_sub(width).max(1), (i + 1 + width).min(m));
        let mut diagonal = std::mem::replace(&mut line[first - 1], [f64::INFINITY; LANES]);
        let mut left = [f64::INFINITY; LANES];
        let points = y[(first - 1) * d..last * d].chunks_exact(d);
        for (at, point) in line[first..=last].iter_mut().zip(points) {
            let above = *at;
            for l in 0..LANES {
                let mut cost = 0.0;
                for (a, b) in own.iter().zip(point) {
                    cost += (a - b[l]) * (a - b[l]);
                }
                let least = if above[l] < diagonal[l] { above[l] } else { diagonal[l] };
                left[l] = cost + if left[l] < least { left[l] } else { least };
            }
            diagonal = above;
            *at = left;
        }
    }
    line[m]
}
