//! Binning of sparse columns from their entries: all other rows have the code of zero.

use super::bundle::Strewn;
use super::thresholds::{Ladder, thresholds};
use super::{Binned, Bins, Rows, Scale};
use crate::sorted_columns::Values;
use rayon::prelude::*;

/// A row that is not kept.
const GONE: u32 = u32::MAX;

/// What all sparse columns need to know of the rows.
struct Places {
    /// The place of each row among the kept ones; `None` where all are.
    of: Option<Vec<u32>>,
    /// The places that thresholds are chosen from.
    sample: Vec<u32>,
    /// Whether each place is one of them; `None` where all are.
    sampled: Option<Vec<bool>>,
}

impl Rows<'_> {
    /// Quantises sparse columns of `n` rows.
    pub(super) fn sparse(&self, columns: &[Values<'_>], n: usize, max_bins: usize, bundle: bool) -> Bins {
        let of = self.keep.map(|keep| {
            let mut of = vec![GONE; n];
            keep.iter().zip(0..).for_each(|(&row, place)| of[row as usize] = place);
            of
        });
        let sample = self.sample();
        let sampled = (sample.len() < self.m).then(|| {
            let mut sampled = vec![false; self.m];
            sample.iter().for_each(|&i| sampled[i as usize] = true);
            sampled
        });
        let places = Places { of, sample, sampled };
        let found: Vec<(Binned, Strewn)> =
            columns.par_iter().map(|column| self.strew(column, &places, max_bins)).collect();
        let (columns, strewn): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let strewn = (0..).zip(strewn).collect();
        let mut bins =
            Bins { n_rows: self.m, codes: Vec::new(), tracks: Vec::new(), columns, hidden: Vec::new() };
        bins.settle(strewn, bundle);
        bins
    }

    fn strew(&self, column: &Values<'_>, places: &Places, max_bins: usize) -> (Binned, Strewn) {
        let Values::Sparse(m, j) = column else {
            return (Binned::new(1, Scale::Numbers(Vec::new())), Strewn::default());
        };
        let (rows, values) = m.view().row(*j);
        let place = |&row: &u32| places.of.as_ref().map_or(row, |of| of[row as usize]);
        let entries: Vec<(u32, f64)> =
            rows.iter().map(place).zip(values.iter().copied()).filter(|e| e.0 != GONE).collect();
        let thresholds = thresholds(&self.distinct_of(&entries, places), max_bins);
        let mut binned = Binned::new(thresholds.len() + 1, Scale::Numbers(thresholds));
        let ladder = Ladder::new(&binned);
        let (missing, default) = (binned.n_bins as u8, ladder.find(0.0));
        binned.has_missing = entries.iter().any(|e| e.1.is_nan());
        let code = |v: f64| if v.is_nan() { missing } else { ladder.find(v) };
        let entries = entries.into_iter().map(|(i, v)| (i, code(v))).filter(|e| e.1 != default);
        let (rows, codes) = entries.unzip();
        (binned, Strewn { default, rows, codes })
    }

    /// The distinct values of a column, rising, with their weights: those of its entries, and zero.
    fn distinct_of(&self, entries: &[(u32, f64)], places: &Places) -> Vec<(f64, f64)> {
        let sampled = |i: u32| places.sampled.as_ref().is_none_or(|s| s[i as usize]);
        let here: Vec<(u32, f64)> = entries.iter().copied().filter(|e| sampled(e.0)).collect();
        let n_zeros = places.sample.len() - here.len();
        let weight = match self.weights {
            None => n_zeros as f64,
            // In the order of the rows, as the weights of all other values.
            Some(w) => {
                let mut next = here.iter().map(|e| e.0).peekable();
                let zeros = places.sample.iter().filter(|&&i| next.next_if_eq(&i).is_none());
                zeros.fold(0.0, |sum, &i| sum + w[i as usize])
            }
        };
        let present = here.iter().filter(|e| !e.1.is_nan()).map(|&(i, v)| (v, i)).collect();
        let mut distinct = self.distinct(present);
        if n_zeros > 0 {
            distinct.insert(distinct.partition_point(|d| d.0 < 0.0), (0.0, weight));
        }
        distinct
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sorted_columns::columns;
    use mercer_math::{Csr, Mat, below, normal, rng_for};

    #[test]
    fn sparse_and_dense_rows_have_the_same_bins() {
        let mut rng = rng_for(8, 0);
        for (n, d) in [(3000, 7), (1, 1), (210_000, 2)] {
            let x = Mat::from_fn(n, d, |_, j| match below(&mut rng, 12) {
                0 => f64::NAN,
                1..4 => normal(&mut rng),
                4 if j % 2 == 0 => (2.0 * normal(&mut rng)).round(),
                5 => -(j as f64),
                _ => 0.0,
            });
            let csr = Csr::from_dense(x.view());
            let keep: Vec<u32> = (0..n as u32).filter(|i| i % 5 != 2).collect();
            let weights: Vec<f64> = (0..n).map(|i| 0.1 + (i % 7) as f64).collect();
            for (keep, weights) in [(None, None), (None, Some(&weights)), (Some(&keep), Some(&weights))] {
                let m = keep.map_or(n, Vec::len);
                let weights = weights.map(|w| &w[..m]);
                let bins = |rows: mercer_core::Rows<'_>| {
                    let columns = columns("a test", &rows).unwrap();
                    Bins::new(&columns, keep.map(|k| &k[..]), n, weights, 50, false)
                };
                let (a, b) = (bins((&csr).into()), bins((&x).into()));
                for j in 0..d {
                    assert_eq!((a.n_bins(j), a.missing(j)), (b.n_bins(j), b.missing(j)));
                    assert!((0..a.n_bins(j)).all(|k| a.threshold(j, k) == b.threshold(j, k)));
                    assert_eq!(a.codes(j), b.codes(j));
                }
            }
        }
    }
}
