//! The few best rows of many, by a key that is a function of the row: mergeable in any order.

use mercer_math::Mat;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A row in a [`Race`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Runner {
    pub(crate) key: f64,
    pub(crate) row: Vec<f64>,
    pub(crate) weight: f64,
    pub(crate) label: u32,
}

/// The rows of least keys, at most `limit` different ones, in order. Copies of a row are one runner whose
/// weight is their sum; equal keys are ordered by content, so that the order of arrival does not matter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Race {
    limit: usize,
    runners: Vec<Runner>,
}

impl Race {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, runners: Vec::new() }
    }

    /// Keys above this one have no chance.
    #[inline]
    pub(crate) fn bar(&self) -> f64 {
        match self.runners.last() {
            Some(last) if self.runners.len() >= self.limit => last.key,
            _ => f64::INFINITY,
        }
    }

    pub(crate) fn enter(&mut self, key: f64, row: &[f64], weight: f64, label: u32) {
        if self.limit == 0 || key.is_nan() || key > self.bar() {
            return;
        }
        let order = |r: &Runner| r.key.total_cmp(&key).then_with(|| compare(&r.row, row));
        match self.runners.binary_search_by(order) {
            Ok(same) => self.runners[same].weight += weight,
            Err(at) => {
                self.runners.insert(at, Runner { key, row: row.to_vec(), weight, label });
                self.runners.truncate(self.limit);
            }
        }
    }

    pub(crate) fn merge(&mut self, other: Race) {
        other.runners.into_iter().for_each(|r| self.enter(r.key, &r.row, r.weight, r.label));
    }

    pub(crate) fn runners(&self) -> &[Runner] {
        &self.runners
    }
}

/// Orders rows by content; -0.0 is 0.0, as it is for `hash_row`.
fn compare(a: &[f64], b: &[f64]) -> Ordering {
    let pairs = a.iter().zip(b).map(|(a, b)| (a + 0.0).total_cmp(&(b + 0.0)));
    pairs.fold(Ordering::Equal, Ordering::then)
}

/// The rows of a race as a matrix.
pub(crate) fn rows_of(race: &Race, n_features: usize) -> Mat {
    let mut out = Mat::zeros(0, n_features);
    race.runners().iter().for_each(|r| push(&mut out, &r.row));
    out
}

/// Adds a row to a matrix.
pub(crate) fn push(mat: &mut Mat, row: &[f64]) {
    let n_rows = mat.n_rows() + 1;
    let mut values = std::mem::take(mat).into_vec();
    values.extend_from_slice(row);
    *mat = Mat::from_vec(values, n_rows, row.len()).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_do_not_depend_on_order_or_cut() {
        let rows: Vec<[f64; 1]> = (0..40).map(|i| [f64::from((i * 7) % 11)]).collect();
        let run = |rows: &[[f64; 1]]| {
            let mut race = Race::new(4);
            rows.iter().for_each(|r| race.enter((r[0] * 0.5).floor(), r, 1.0, 0));
            race
        };
        let whole = run(&rows);
        let turned: Vec<[f64; 1]> = rows.iter().rev().copied().collect();
        let mut cut = run(&turned[..13]);
        cut.merge(run(&turned[13..]));
        assert_eq!(whole, cut);
        assert_eq!(whole.runners().iter().map(|r| r.row[0]).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(whole.runners()[0].weight, 4.0);
    }
}
