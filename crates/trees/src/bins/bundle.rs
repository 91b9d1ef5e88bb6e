//! Exclusive feature bundling: columns that are mostly at one code, and never away from it together, share a track.
//!
//! A histogram is then filled once for all of them, and the sums of a column's default code are those of the node
//! without those of its other codes. The greedy choice of who shares is Algorithm 3 of the paper with no conflicts
//! allowed, the codes are laid out as in its Algorithm 4; since nothing is lost, neither are splits.
//!
//! - G. Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NeurIPS, 2017. Section 4.

use super::{Bins, Share, Track};
use rayon::prelude::*;

/// Codes of a track.
const MOST_CODES: usize = 256;
/// Bundles that a column is tried with: the newest ones, which have most room.
const TRIED: usize = 100;
/// Rows of a dense column that tell whether it may be mostly at one code.
const PROBE: usize = 1024;

/// A sparse column in codes: its rows are at one code, except for some.
#[derive(Clone, Debug, Default)]
pub(super) struct Strewn {
    pub(super) default: u8,
    /// The rows that are not, rising, with their codes.
    pub(super) rows: Vec<u32>,
    pub(super) codes: Vec<u8>,
}

impl Bins {
    /// Lets columns that have tracks to themselves share some.
    pub(super) fn bundle(&mut self) {
        let strewn: Vec<(u32, Strewn)> = (0..self.columns.len())
            .into_par_iter()
            .filter_map(|j| Some((j as u32, self.strewn(j)?)))
            .collect();
        let shared: Vec<Vec<usize>> =
            self.bundles(&strewn).into_iter().filter(|bundle| bundle.len() > 1).collect();
        if shared.is_empty() {
            return;
        }
        let mut moves = vec![false; self.columns.len()];
        shared.iter().flatten().for_each(|&k| moves[strewn[k].0 as usize] = true);
        self.tracks.clear();
        for j in (0..moves.len()).filter(|&j| !moves[j]) {
            self.codes.copy_within(j * self.n_rows..(j + 1) * self.n_rows, self.tracks.len() * self.n_rows);
            self.seat(j);
        }
        self.codes.truncate(self.tracks.len() * self.n_rows);
        self.write(&strewn, &shared);
        self.codes.shrink_to_fit();
    }

    /// Gives strewn columns their tracks.
    pub(super) fn settle(&mut self, strewn: Vec<(u32, Strewn)>, bundle: bool) {
        let alone = || (0..strewn.len()).map(|k| vec![k]).collect();
        let bundles = if bundle { self.bundles(&strewn) } else { alone() };
        self.write(&strewn, &bundles);
    }

    /// A dense column as a strewn one, where at least half of its rows are at one code.
    fn strewn(&self, j: usize) -> Option<Strewn> {
        let (codes, m) = (self.codes(j), self.n_rows);
        let probed = m.min(PROBE);
        let mut counts = [0usize; 256];
        (0..probed).for_each(|k| counts[usize::from(codes[k * m / probed])] += 1);
        let default = (0..256).max_by_key(|&c| counts[c])? as u8;
        if 2 * counts[usize::from(default)] < probed {
            return None;
        }
        let away = || (0..m as u32).filter(|&i| codes[i as usize] != default);
        let (rows, codes) = away().map(|i| (i, codes[i as usize])).unzip();
        Some(Strewn { default, rows, codes })
    }

    /// Which of the columns share a track, by their places in `strewn`: those with the most rows away from the default
    /// first, each with the first bundle that it fits.
    fn bundles(&self, strewn: &[(u32, Strewn)]) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..strewn.len()).collect();
        order.sort_by_key(|&k| std::cmp::Reverse(strewn[k].1.rows.len()));
        let mut open: Vec<Open> = Vec::new();
        let mut done = Vec::new();
        for k in order {
            let (rows, more) = (&strewn[k].1.rows, self.columns[strewn[k].0 as usize].n_codes() - 1);
            if 2 * rows.len() > self.n_rows {
                done.push(vec![k]);
                continue;
            }
            let fits = |bundle: &&mut Open| bundle.fits(rows, more, self.n_rows);
            if let Some(bundle) = open.iter_mut().rev().take(TRIED).rev().find(fits) {
                bundle.add(k, rows, more);
                continue;
            }
            let mut bundle = Open { bits: vec![0; self.n_rows.div_ceil(64)], ..Open::default() };
            bundle.add(k, rows, more);
            open.push(bundle);
            if let Some(old) = open.len().checked_sub(TRIED + 1) {
                open[old].bits = Vec::new();
            }
        }
        done.extend(open.into_iter().map(|bundle| bundle.members));
        done
    }

    /// Writes a track for each bundle.
    fn write(&mut self, strewn: &[(u32, Strewn)], bundles: &[Vec<usize>]) {
        let (m, start) = (self.n_rows, self.tracks.len());
        for bundle in bundles {
            let column = |k: usize| strewn[k].0 as usize;
            if let [k] = bundle[..] {
                self.seat(column(k));
                continue;
            }
            let mut n_codes = 1;
            for &k in bundle {
                let share = Share { default: strewn[k].1.default, first: n_codes as u16 };
                let own = &mut self.columns[column(k)];
                (own.track, own.share) = (self.tracks.len() as u32, Some(share));
                n_codes += own.n_codes() - 1;
            }
            let members = bundle.iter().map(|&k| strewn[k].0).collect();
            self.tracks.push(Track { n_codes, members });
        }
        self.codes.resize(self.tracks.len() * m, 0);
        let columns = &self.columns;
        let out = self.codes[start * m..].par_chunks_mut(m.max(1)).zip(bundles);
        out.for_each(|(out, bundle)| {
            for &k in bundle {
                let (j, Strewn { default, rows, codes }) = &strewn[k];
                let share = columns[*j as usize].share;
                if share.is_none() {
                    out.fill(*default);
                }
                let of = |code: u8| match share {
                    None => code,
                    Some(share) => (share.first + u16::from(code) - u16::from(code > *default)) as u8,
                };
                rows.iter().zip(codes).for_each(|(&i, &code)| out[i as usize] = of(code));
            }
        });
    }
}

/// A bundle of exclusive features that may take more columns.
#[derive(Debug, Default)]
struct Open {
    members: Vec<usize>,
    /// Codes beside the default.
    n_codes: usize,
    /// The rows that some member is away from its default in, and their number.
    bits: Vec<u64>,
    n_rows: usize,
}

impl Open {
    fn fits(&self, rows: &[u32], more: usize, m: usize) -> bool {
        let free = |&i: &u32| self.bits[i as usize / 64] >> (i % 64) & 1 == 0;
        1 + self.n_codes + more <= MOST_CODES && self.n_rows + rows.len() <= m && rows.iter().all(free)
    }

    fn add(&mut self, k: usize, rows: &[u32], more: usize) {
        self.members.push(k);
        self.n_codes += more;
        self.n_rows += rows.len();
        rows.iter().for_each(|&i| self.bits[i as usize / 64] |= 1 << (i % 64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sorted_columns::{Values, columns};
    use mercer_math::{Csr, Mat, below, normal, rng_for};

    /// Two factors of 60 levels, one-hot; a dense column; a column that is missing, negative or positive now and then;
    /// a constant.
    fn example(n: usize) -> Mat {
        let mut rng = rng_for(5, 0);
        let mut x = Mat::zeros(n, 123);
        for i in 0..n {
            x[(i, below(&mut rng, 60))] = 1.0;
            x[(i, 60 + below(&mut rng, 60))] = 2.0;
            x[(i, 120)] = normal(&mut rng);
            x[(i, 121)] = [f64::NAN, -1.0, 3.0, 0.0, 0.0, 0.0, 0.0][below(&mut rng, 7)];
        }
        x
    }

    #[test]
    fn bundled_codes_are_those_of_the_columns() {
        let (n, x) = (4000, example(4000));
        let csr = Csr::from_dense(x.view());
        let (dense, sparse) = ((&x).into(), (&csr).into());
        for rows in [&dense, &sparse] {
            let columns = columns("a test", rows).unwrap();
            let alone = Bins::new(&columns, None, n, None, 255, false);
            let bundled = Bins::new(&columns, None, n, None, 255, true);
            assert_eq!((alone.n_tracks(), bundled.n_tracks()), (123, 4));
            for j in 0..123 {
                assert!((0..n).all(|i| bundled.code(j, i) == alone.code(j, i)), "column {j}");
                assert!(bundled.members(bundled.track(j)).contains(&(j as u32)));
                let named: [u8; 256] = std::array::from_fn(|code| code as u8);
                let (codes, named) = (bundled.codes(bundled.track(j)), bundled.by_track(j, &named));
                assert!((0..n).all(|i| named[usize::from(codes[i])] == alone.code(j, i)));
            }
            assert!((0..4).all(|t| bundled.codes(t).iter().all(|&c| usize::from(c) < bundled.n_codes(t))));
        }
    }

    #[test]
    fn a_track_has_no_more_than_256_codes() {
        // 300 columns that take turns, with three codes each.
        let n = 3000;
        let values: Vec<Vec<f64>> = (0..300)
            .map(|j| {
                (0..n)
                    .map(|i| if i % 300 == j { f64::from((i / 300 % 2) as u32) + 1.0 } else { 0.0 })
                    .collect()
            })
            .collect();
        let columns: Vec<Values<'_>> = values.iter().map(|v| Values::Numbers(v.into())).collect();
        let bins = Bins::new(&columns, None, n, None, 255, true);
        assert_eq!(bins.n_tracks(), 3);
        assert!((0..3).all(|t| bins.n_codes(t) <= 256 && bins.members(t).len() <= 127));
        assert!((0..300).all(|j| (0..n).all(|i| f64::from(bins.code(j, i)) == values[j][i])));
    }
}
