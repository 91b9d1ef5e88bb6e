//! Seeds that climb to the modes of a density, all at once.

use crate::space::{Reach, Searched, Space};
use mercer_core::{ErrorKind, Result, Session, Termination};
use mercer_math::{Mat, sq_dist};
use std::cmp::Ordering;

/// Where a seed has come to, and how many rows are about it.
pub(super) struct Peak {
    pub(super) at: Vec<f64>,
    pub(super) rows: usize,
}

/// Orders points by their coordinates.
pub(super) fn compare(a: &[f64], b: &[f64]) -> Ordering {
    a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).fold(Ordering::Equal, Ordering::then)
}

/// A step shorter than this share of the bandwidth is the last one.
const SHORT: f64 = 1e-3;

/// What seeds climb on.
pub(super) struct Climb<'a> {
    pub(super) space: &'a Space,
    pub(super) searched: &'a Searched<'a>,
    pub(super) bandwidth: f64,
    pub(super) max_iter: usize,
}

impl Climb<'_> {
    /// Where the seeds end, how many steps the longest way had, and how it ended. Seeds without a row about them are lost.
    pub(super) fn all(&self, seeds: Mat, session: &Session) -> Result<(Vec<Peak>, u64, Termination)> {
        let (mut peaks, mut points, mut rounds) = (Vec::new(), met(seeds), 0);
        let mut why = Termination::Converged;
        while points.n_rows() > 0 {
            let found = match self.step(&points, session) {
                Ok(found) => found,
                Err(error) => {
                    let Some(stopped) = session.interrupted() else { return Err(error) };
                    why = stopped;
                    peaks.extend((0..points.n_rows()).map(|i| Peak { at: points.row(i).to_vec(), rows: 0 }));
                    break;
                }
            };
            let mut climbing = Vec::new();
            for (i, peak) in found.into_iter().enumerate().filter(|(_, peak)| peak.rows > 0) {
                let short = sq_dist(&peak.at, points.row(i)).sqrt() <= SHORT * self.bandwidth;
                if short || rounds == self.max_iter {
                    why = if short { why } else { Termination::IterationLimit };
                    peaks.push(peak);
                } else {
                    climbing.push(peak.at);
                }
            }
            rounds += usize::from(!climbing.is_empty());
            points = met(Mat::from_rows(&climbing).unwrap_or_default());
        }
        Ok((peaks, rounds as u64, why))
    }

    /// The mean of the rows about each point.
    fn step(&self, points: &Mat, session: &Session) -> Result<Vec<Peak>> {
        let mut out = Vec::with_capacity(points.n_rows());
        let reach = Reach::Radius(self.bandwidth);
        self.searched.each_of(points.view(), "mean shift", reach, session, |_, near| {
            for i in 0..near.len() {
                let mut rows = near.of(i).0.to_vec();
                rows.sort_unstable();
                out.push(Peak { at: self.mean(&rows), rows: rows.len() });
            }
        })?;
        Ok(out)
    }

    fn mean(&self, rows: &[u32]) -> Vec<f64> {
        let Some(first) = rows.first() else { return Vec::new() };
        let first = self.space.rows.row(*first as usize);
        let mut sums = vec![0.0; first.len()];
        for &row in &rows[1..] {
            let row = self.space.rows.row(row as usize);
            sums.iter_mut().zip(row).zip(first).for_each(|((s, v), f)| *s += v - f);
        }
        sums.iter().zip(first).map(|(s, f)| f + s / rows.len() as f64).collect()
    }

    /// The largest step that is left at the centres.
    pub(super) fn residual(&self, centres: &Mat, session: &Session) -> Result<f64> {
        let found = self.step(centres, &session.undisturbed())?;
        if found.len() != centres.n_rows() {
            return Err(ErrorKind::Cancelled.into());
        }
        let length = |(c, peak): (usize, Peak)| match peak.rows {
            0 => 0.0,
            _ => sq_dist(&peak.at, centres.row(c)).sqrt(),
        };
        Ok(found.into_iter().enumerate().map(length).fold(0.0, f64::max))
    }
}

/// The points without those that are where another is.
fn met(points: Mat) -> Mat {
    let mut order: Vec<usize> = (0..points.n_rows()).collect();
    order.sort_by(|&a, &b| compare(points.row(a), points.row(b)));
    order.dedup_by(|a, b| points.row(*a) == points.row(*b));
    points.view().gather(&order)
}
