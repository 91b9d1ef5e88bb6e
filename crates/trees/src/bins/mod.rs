//! Binned (quantised) columns: every value as the number of its bin, one byte each, column by column.
//!
//! A numeric column has a bin for each distinct value where there are few, else bins of about equal weight, with
//! heavy values alone; a threshold lies in the middle of two neighbouring values, so that
//! `value <= threshold(j, b)` holds exactly where `code <= b`. A categorical column has a bin for each level, by
//! weight, and one that the lightest levels share. Missing values have the code after the last bin. Rows beyond
//! [`SAMPLE`] are sampled for the choice of thresholds, by their place alone.
//!
//! Codes lie in tracks: a column has one to itself, or shares one with others ([`bundle`]). Sparse columns are
//! quantised from their entries alone ([`sparse`]), to what the same numbers in a dense matrix would be.

mod bundle;
mod sparse;
mod thresholds;

use crate::sorted_columns::Values;
use mercer_core::MISSING_CODE;
use mercer_math::{Weights, seed_for};
use rayon::prelude::*;
use std::ops::Range;
use thresholds::{Ladder, thresholds};

/// Most bins of a column; one more code stands for missing values.
pub(crate) const MAX_BINS: usize = 255;
/// Rows that the thresholds are chosen from.
const SAMPLE: usize = 200_000;
/// Rows that are encoded at a time, so that the lines of a row-major matrix stay in cache.
const BLOCK: usize = 512;

/// Binned columns, one byte a value.
#[derive(Clone, Debug)]
pub(crate) struct Bins {
    n_rows: usize,
    /// Tracks × rows.
    codes: Vec<u8>,
    tracks: Vec<Track>,
    columns: Vec<Binned>,
    hidden: Vec<u32>,
}

/// Codes of one byte a row, for one column, or for several that are never away from their defaults together.
#[derive(Clone, Debug)]
struct Track {
    n_codes: usize,
    members: Vec<u32>,
}

/// The place of a column in a track that it shares: code 0 is the default of all.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// The column's code where the track says nothing of it.
    default: u8,
    /// Where the column's other codes start in the track.
    first: u16,
}

/// The bin mapper of one column: how its values become codes.
#[derive(Clone, Debug)]
struct Binned {
    n_bins: usize,
    has_missing: bool,
    scale: Scale,
    /// The statistic of each level of another column that this one stands for.
    encoded: Option<Encoded>,
    track: u32,
    share: Option<Share>,
}

impl Binned {
    fn new(n_bins: usize, scale: Scale) -> Self {
        Self { n_bins, has_missing: false, scale, encoded: None, track: 0, share: None }
    }

    /// Number of codes, with that of missing values where there are any.
    fn n_codes(&self) -> usize {
        self.n_bins + usize::from(self.has_missing)
    }

    /// The column's code where its track has this one.
    #[inline]
    fn code(&self, code: u8) -> u8 {
        let Some(share) = self.share else { return code };
        let at = u16::from(code).wrapping_sub(share.first);
        if usize::from(at) + 1 < self.n_codes() {
            at as u8 + u8::from(at >= u16::from(share.default))
        } else {
            share.default
        }
    }
}

/// A target-encoded column: made of a statistic of the levels of another column.
#[derive(Clone, Debug)]
pub(crate) struct Encoded {
    /// The column of levels.
    pub(crate) source: usize,
    /// The statistic of each level; NaN for levels that no row has.
    pub(crate) statistics: Vec<f64>,
}

#[derive(Clone, Debug)]
enum Scale {
    /// One threshold between each two bins.
    Numbers(Vec<f64>),
    Levels {
        /// The bin of each level; levels that no row has are missing.
        bin_of: Vec<u16>,
        /// The levels by weight; those from the last bin's on share it.
        order: Vec<u32>,
    },
}

/// The bin of a level that no row has.
const NOWHERE: u16 = u16::MAX;

impl Bins {
    /// Quantises the rows `keep` (all of `0..n` when `None`) to at most `max_bins` bins a column. Weights, where
    /// there are any, are those of the kept rows and positive. With `bundle`, columns may share tracks; else column `j`
    /// has track `j`.
    pub(crate) fn new(
        columns: &[Values<'_>],
        keep: Option<&[u32]>,
        n: usize,
        weights: Option<&[f64]>,
        max_bins: usize,
        bundle: bool,
    ) -> Self {
        let m = keep.map_or(n, <[u32]>::len);
        let max_bins = max_bins.clamp(2, MAX_BINS);
        let rows = Rows { keep, weights, m };
        if let [Values::Sparse(..), ..] = columns {
            return rows.sparse(columns, n, max_bins, bundle);
        }
        let mut codes = vec![0u8; m * columns.len()];
        // Up to eight columns at a time: one line of a row-major matrix holds them all.
        let group = columns.len().div_ceil(4).clamp(1, 8);
        let binned = codes
            .par_chunks_mut((group * m).max(1))
            .zip(columns.par_chunks(group))
            .flat_map_iter(|(codes, columns)| {
                let mut binned = rows.scales(columns, max_bins);
                rows.encode(columns, &mut binned, codes);
                binned
            })
            .collect();
        let mut bins = Self { n_rows: m, codes, tracks: Vec::new(), columns: binned, hidden: Vec::new() };
        (0..bins.columns.len()).for_each(|j| bins.seat(j));
        if bundle {
            bins.bundle();
        }
        bins
    }

    /// Gives column `j` the next track to itself.
    fn seat(&mut self, j: usize) {
        let column = &mut self.columns[j];
        (column.track, column.share) = (self.tracks.len() as u32, None);
        self.tracks.push(Track { n_codes: column.n_codes(), members: vec![j as u32] });
    }

    /// Adds a column of numbers that stand for the levels of another one.
    pub(crate) fn push(
        &mut self,
        values: Vec<f64>,
        weights: Option<&[f64]>,
        max_bins: usize,
        encoded: Encoded,
    ) {
        let column = [Values::Numbers(values.into())];
        let rows = Rows { keep: None, weights, m: self.n_rows };
        let mut binned = rows.scales(&column, max_bins.clamp(2, MAX_BINS));
        let start = self.codes.len();
        self.codes.resize(start + self.n_rows, 0);
        rows.encode(&column, &mut binned, &mut self.codes[start..]);
        self.columns.extend(binned.into_iter().map(|b| Binned { encoded: Some(encoded.clone()), ..b }));
        self.seat(self.columns.len() - 1);
    }

    /// Leaves column `j` to the columns that stand for it.
    pub(crate) fn hide(&mut self, j: usize) {
        self.hidden.push(j as u32);
    }

    /// The columns that may be split.
    pub(crate) fn shown(&self) -> Vec<u32> {
        (0..self.columns.len() as u32).filter(|j| !self.hidden.contains(j)).collect()
    }

    /// What column `j` stands for, where it was added by [`Bins::push`].
    pub(crate) fn encoded(&self, j: usize) -> Option<&Encoded> {
        self.columns[j].encoded.as_ref()
    }

    /// The feature of column `j`: itself, or the one it stands for.
    pub(crate) fn feature(&self, j: usize) -> usize {
        self.encoded(j).map_or(j, |e| e.source)
    }

    /// Number of rows.
    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub(crate) fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// Number of tracks.
    pub(crate) fn n_tracks(&self) -> usize {
        self.tracks.len()
    }

    /// The codes of a track, one a row.
    pub(crate) fn codes(&self, track: usize) -> &[u8] {
        &self.codes[track * self.n_rows..][..self.n_rows]
    }

    /// Number of codes of a track.
    pub(crate) fn n_codes(&self, track: usize) -> usize {
        self.tracks[track].n_codes
    }

    /// The columns of a track.
    pub(crate) fn members(&self, track: usize) -> &[u32] {
        &self.tracks[track].members
    }

    /// The track of column `j`.
    pub(crate) fn track(&self, j: usize) -> usize {
        self.columns[j].track as usize
    }

    /// The code of column `j` in a row.
    #[inline]
    pub(crate) fn code(&self, j: usize, row: usize) -> u8 {
        let column = &self.columns[j];
        column.code(self.codes[column.track as usize * self.n_rows + row])
    }

    /// What is said of the codes of column `j`, by the codes of its track.
    pub(crate) fn by_track<T: Copy>(&self, j: usize, of: &[T; 256]) -> [T; 256] {
        std::array::from_fn(|code| of[usize::from(self.columns[j].code(code as u8))])
    }

    /// Where column `j` shares its track: its default code, and the codes of the track that stand for its others.
    pub(crate) fn shared(&self, j: usize) -> Option<(usize, Range<usize>)> {
        let column = &self.columns[j];
        let first = |share: Share| usize::from(share.first);
        column.share.map(|s| (usize::from(s.default), first(s)..first(s) + column.n_codes() - 1))
    }

    /// Number of bins of column `j`, without that of missing values.
    pub(crate) fn n_bins(&self, j: usize) -> usize {
        self.columns[j].n_bins
    }

    /// The code of missing values, where column `j` has any.
    pub(crate) fn missing(&self, j: usize) -> Option<u8> {
        self.columns[j].has_missing.then_some(self.columns[j].n_bins as u8)
    }

    /// The greatest value of bin `b` or less: infinity for the last bin.
    pub(crate) fn threshold(&self, j: usize, bin: usize) -> f64 {
        match &self.columns[j].scale {
            Scale::Numbers(thresholds) => thresholds.get(bin).copied().unwrap_or(f64::INFINITY),
            Scale::Levels { .. } => f64::NAN,
        }
    }

    /// Whether column `j` is categorical.
    pub(crate) fn is_categorical(&self, j: usize) -> bool {
        matches!(self.columns[j].scale, Scale::Levels { .. })
    }

    /// The levels in bin `b` of a categorical column.
    pub(crate) fn levels(&self, j: usize, bin: usize) -> &[u32] {
        match &self.columns[j].scale {
            Scale::Levels { order, .. } if bin + 1 == self.columns[j].n_bins => {
                &order[bin.min(order.len())..]
            }
            Scale::Levels { order, .. } => order.get(bin..=bin).unwrap_or(&[]),
            Scale::Numbers(_) => &[],
        }
    }
}

/// The rows to quantise.
struct Rows<'a> {
    keep: Option<&'a [u32]>,
    weights: Option<&'a [f64]>,
    m: usize,
}

impl Rows<'_> {
    #[inline]
    fn at(&self, i: usize) -> usize {
        self.keep.map_or(i, |k| k[i] as usize)
    }

    fn weight(&self, i: usize) -> f64 {
        Weights::from(self.weights)[i]
    }

    /// The rows that thresholds are chosen from: all, or one of each few, drawn by their place.
    fn sample(&self) -> Vec<u32> {
        if self.m <= SAMPLE {
            return (0..self.m as u32).collect();
        }
        let start = |k: usize| k * self.m / SAMPLE;
        let one = |k: usize| start(k) + seed_for(0, k as u64) as usize % (start(k + 1) - start(k));
        (0..SAMPLE).map(|k| one(k) as u32).collect()
    }

    /// How some neighbouring columns are quantised.
    fn scales(&self, columns: &[Values<'_>], max_bins: usize) -> Vec<Binned> {
        let sample = self.sample();
        let mut values = vec![Vec::new(); columns.len()];
        for &i in &sample {
            for (column, values) in columns.iter().zip(&mut values) {
                let v = if column.is_categorical() { f64::NAN } else { column.number(self.at(i as usize)) };
                if !v.is_nan() {
                    values.push((v + 0.0, i));
                }
            }
        }
        let one = |(column, values): (&Values<'_>, Vec<(f64, u32)>)| match column {
            Values::Codes(codes) => self.levels(codes, max_bins),
            _ => {
                let thresholds = thresholds(&self.distinct(values), max_bins);
                Binned::new(thresholds.len() + 1, Scale::Numbers(thresholds))
            }
        };
        columns.iter().zip(values).map(one).collect()
    }

    /// The distinct values, rising, with their weights.
    fn distinct(&self, mut values: Vec<(f64, u32)>) -> Vec<(f64, f64)> {
        if self.weights.is_none() {
            values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        } else {
            // Weights of equal values are summed in the order of the rows.
            values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        let mut out: Vec<(f64, f64)> = Vec::new();
        for (v, i) in values {
            let w = self.weight(i as usize);
            match out.last_mut() {
                Some(last) if last.0 == v => last.1 += w,
                _ => out.push((v, w)),
            }
        }
        out
    }

    fn levels(&self, codes: &[u32], max_bins: usize) -> Binned {
        let mut weights: Vec<f64> = Vec::new();
        for i in 0..self.m {
            let code = codes[self.at(i)];
            if code != MISSING_CODE {
                let code = code as usize;
                if code >= weights.len() {
                    weights.resize(code + 1, 0.0);
                }
                weights[code] += self.weight(i);
            }
        }
        let mut order: Vec<u32> = (0..weights.len() as u32).filter(|&c| weights[c as usize] > 0.0).collect();
        order.sort_by(|&a, &b| weights[b as usize].total_cmp(&weights[a as usize]).then(a.cmp(&b)));
        let n_bins = order.len().clamp(1, max_bins);
        let mut bin_of = vec![NOWHERE; weights.len()];
        order.iter().enumerate().for_each(|(i, &c)| bin_of[c as usize] = i.min(n_bins - 1) as u16);
        Binned::new(n_bins, Scale::Levels { bin_of, order })
    }

    /// Writes the codes of some neighbouring columns.
    fn encode(&self, columns: &[Values<'_>], binned: &mut [Binned], codes: &mut [u8]) {
        let m = self.m;
        let ladders: Vec<Ladder> = binned.iter().map(Ladder::new).collect();
        for start in (0..m).step_by(BLOCK) {
            let end = (start + BLOCK).min(m);
            for (c, (column, binned)) in columns.iter().zip(&mut *binned).enumerate() {
                let out = &mut codes[c * m + start..c * m + end];
                let missing = binned.n_bins as u16;
                let mut any = false;
                match (&binned.scale, column) {
                    (Scale::Levels { bin_of, .. }, Values::Codes(levels)) => {
                        for (i, out) in (start..end).zip(out) {
                            let bin = bin_of.get(levels[self.at(i)] as usize).copied().unwrap_or(NOWHERE);
                            any |= bin == NOWHERE;
                            *out = if bin == NOWHERE { missing } else { bin } as u8;
                        }
                    }
                    _ => {
                        for (i, out) in (start..end).zip(out) {
                            let v = column.number(self.at(i));
                            any |= v.is_nan();
                            *out = if v.is_nan() { missing as u8 } else { ladders[c].find(v) };
                        }
                    }
                }
                binned.has_missing |= any;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{normal, rng_for};

    fn check(values: &[f64], max_bins: usize) -> Bins {
        let bins = Bins::new(&[Values::Numbers(values.into())], None, values.len(), None, max_bins, false);
        assert!(bins.n_bins(0) <= max_bins);
        for (v, &code) in values.iter().zip(bins.codes(0)) {
            assert_eq!(v.is_nan(), bins.missing(0) == Some(code));
            for b in 0..bins.n_bins(0) {
                assert!(v.is_nan() || (*v <= bins.threshold(0, b)) == (code as usize <= b));
            }
        }
        bins
    }

    #[test]
    fn codes_agree_with_thresholds() {
        let mut rng = rng_for(2, 0);
        let many: Vec<f64> =
            (0..3000).map(|i| if i % 9 == 0 { f64::NAN } else { normal(&mut rng) }).collect();
        let bins = check(&many, 255);
        assert_eq!(bins.n_bins(0), 255);
        let mut counts = [0; 256];
        bins.codes(0).iter().for_each(|&c| counts[c as usize] += 1);
        assert!(counts[..255].iter().all(|c| (5..20).contains(c)), "{counts:?}");
        let few: Vec<f64> = (0..3000).map(|i| f64::from(i % 100)).collect();
        assert_eq!(check(&few, 255).n_bins(0), 100);
        assert!(check(&few, 16).n_bins(0) == 16);
        assert_eq!(check(&[f64::NAN, f64::NAN], 255).n_bins(0), 1);
        check(&[1e300, -1e300, 0.0, -0.0, 5e-324], 255);
    }

    #[test]
    fn heavy_values_leave_bins_for_the_rest() {
        let values: Vec<f64> = (0..10_000).map(|i| if i % 10 == 0 { f64::from(i) } else { 0.0 }).collect();
        assert!(check(&values, 100).n_bins(0) > 90);
    }

    #[test]
    fn a_weight_of_two_is_two_copies() {
        let mut rng = rng_for(4, 0);
        let values: Vec<f64> = (0..2000).map(|_| normal(&mut rng)).collect();
        let weights: Vec<f64> = (0..2000).map(|i| f64::from(i % 3 + 1)).collect();
        let copies: Vec<f64> =
            values.iter().zip(&weights).flat_map(|(&v, &w)| std::iter::repeat_n(v, w as usize)).collect();
        let weighted = Bins::new(&[Values::Numbers(values.into())], None, 2000, Some(&weights), 64, false);
        let copied =
            Bins::new(&[Values::Numbers(copies.clone().into())], None, copies.len(), None, 64, false);
        assert!((0..64).all(|b| weighted.threshold(0, b) == copied.threshold(0, b)));
    }

    #[test]
    fn levels_are_binned_by_weight() {
        let codes: Vec<u32> = [2, 2, 2, 0, 0, 5, 1, MISSING_CODE].to_vec();
        let bins = Bins::new(&[Values::Codes(&codes)], None, 8, None, 3, false);
        assert_eq!((bins.n_bins(0), bins.missing(0)), (3, Some(3)));
        assert_eq!(bins.codes(0), &[0, 0, 0, 1, 1, 2, 2, 3]);
        assert_eq!((bins.levels(0, 0), bins.levels(0, 2)), (&[2][..], &[1, 5][..]));
        assert!(bins.is_categorical(0));
    }
}
