//! Histograms of gradients, summed in whole numbers: one addition a value fills a histogram with the [`Packed`] words of
//! rows. After a block of rows a table is emptied into the node's histogram.

use super::quantised::{Packed, Sums};
use crate::bins::Bins;
use mercer_math::prefetch;
use rayon::prelude::*;
use std::ops::Range;

/// Columns whose codes share a word.
const LANES: usize = 8;
/// Entries of a table: more than the 256 codes, so that tables do not fall on the same lines of the cache.
const PAD: usize = 260;
/// Rows that are fetched at a time.
const STEP: usize = 256;
/// Work of fewer rows or bins than this is done in place.
pub(crate) const PARALLEL: usize = 1 << 14;

/// Feature groups: the codes of all rows, up to eight columns (tracks of [`Bins`]) to a word and up to eight words of a
/// row side by side: a line of the cache. Rows of a node lie apart, and what a row costs is the line.
#[derive(Debug)]
pub(crate) struct Groups {
    n_rows: usize,
    /// Where each group of columns starts; one more than there are groups.
    bounds: Vec<usize>,
    /// Rows × words, for each eight groups.
    bands: Vec<Vec<u64>>,
    /// Where each column starts in a histogram; one more than there are columns.
    starts: Vec<usize>,
}

/// The packed words of some rows in their order; without rows, they are all rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gathered<'r> {
    words: &'r [i64],
    rows: Option<&'r [u32]>,
}

impl<'r> Gathered<'r> {
    fn len(&self) -> usize {
        self.words.len()
    }
}

/// The sums of every bin of every column; the bin of missing values, where there are any, comes last.
pub(crate) type Histogram = Vec<Sums>;

/// One table for each column of a group.
type Tables = [[i64; PAD]; LANES];

impl Groups {
    pub(crate) fn new(bins: &Bins) -> Self {
        let (n, d) = (bins.n_rows(), bins.n_tracks());
        // Groups of equal size, an even number of them, share best among threads.
        let n_groups = d.div_ceil(LANES).next_multiple_of(2).min(d);
        let bounds: Vec<usize> = (0..=n_groups).map(|g| g * d / n_groups.max(1)).collect();
        let chunk = 1 << 10;
        let band = |bounds: &[usize]| {
            let width = bounds.len() - 1;
            let mut words = vec![0u64; n * width];
            words.par_chunks_mut(chunk * width).enumerate().for_each(|(c, words)| {
                for (g, b) in bounds.windows(2).enumerate() {
                    for (lane, j) in (b[0]..b[1]).enumerate() {
                        let codes = &bins.codes(j)[c * chunk..][..words.len() / width];
                        for (row, &code) in words.chunks_exact_mut(width).zip(codes) {
                            row[g] |= u64::from(code) << (8 * lane);
                        }
                    }
                }
            });
            words
        };
        let bands =
            (0..n_groups).step_by(LANES).map(|g| band(&bounds[g..=(g + LANES).min(n_groups)])).collect();
        let mut starts = vec![0];
        for j in 0..d {
            starts.push(starts[j] + bins.n_codes(j));
        }
        Self { n_rows: n, bounds, bands, starts }
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The columns of a group.
    pub(crate) fn columns(&self, group: usize) -> Range<usize> {
        self.bounds[group]..self.bounds[group + 1]
    }

    /// The group of a column.
    pub(crate) fn group_of(&self, j: usize) -> usize {
        self.bounds.partition_point(|&b| b <= j) - 1
    }

    /// Number of bins of all columns.
    pub(crate) fn n_bins(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The bins of a group in a histogram.
    pub(crate) fn range(&self, group: usize) -> Range<usize> {
        self.starts[self.bounds[group]]..self.starts[self.bounds[group + 1]]
    }

    /// The bins of column `j` in the part of a histogram that belongs to its group.
    pub(crate) fn column<'h>(&self, part: &'h [Sums], group: usize, j: usize) -> &'h [Sums] {
        let base = self.range(group).start;
        &part[self.starts[j] - base..self.starts[j + 1] - base]
    }

    /// The parts of a histogram, one for each group.
    pub(crate) fn parts<'h>(&self, histogram: &'h mut Histogram) -> Vec<&'h mut [Sums]> {
        histogram.resize(self.n_bins(), Sums::default());
        let mut rest = &mut histogram[..];
        let mut parts = Vec::with_capacity(self.len());
        for group in 0..self.len() {
            let (part, others) = rest.split_at_mut(self.range(group).len());
            rest = others;
            parts.push(part);
        }
        parts
    }

    /// The packed words of some rows, in their order; `room` holds them where they are not all rows.
    pub(crate) fn gather<'r>(
        &self,
        packed: &'r Packed,
        rows: &'r [u32],
        room: &'r mut [i64],
    ) -> Gathered<'r> {
        if rows.len() == self.n_rows {
            return Gathered { words: &packed.words, rows: None };
        }
        let room = &mut room[..rows.len()];
        let gather = |(out, rows): (&mut [i64], &[u32])| {
            out.iter_mut().zip(rows).for_each(|(out, &i)| *out = packed.words[i as usize]);
        };
        if rows.len() < PARALLEL {
            gather((room, rows));
        } else {
            room.par_chunks_mut(1 << 13).zip(rows.par_chunks(1 << 13)).for_each(gather);
        }
        Gathered { words: room, rows: Some(rows) }
    }

    /// Histograms of parts of many rows, which add up to that of all: whole numbers do not mind how rows are parted.
    /// Few rows have none, and are filled by groups instead, unless the other threads have work of their own.
    pub(crate) fn by_rows(
        &self,
        packed: &Packed,
        rows: Gathered<'_>,
        wanted: &[bool],
        company: bool,
    ) -> Vec<Histogram> {
        let n_parts = (rows.len() / PARALLEL).clamp(usize::from(company), 2 * rayon::current_num_threads());
        let one = |p: usize| {
            let range = p * rows.len() / n_parts..(p + 1) * rows.len() / n_parts;
            let mut out = vec![Sums::default(); self.n_bins()];
            for band in 0..self.bands.len() {
                let first = band * LANES;
                let groups = first..(first + LANES).min(self.len());
                if groups.clone().any(|g| wanted[g]) {
                    self.fill(packed, groups, rows, range.clone(), (0, &mut out));
                }
            }
            out
        };
        (0..n_parts).into_par_iter().map(one).collect()
    }

    /// Fills the part of a histogram that belongs to a group.
    pub(crate) fn by_group(&self, packed: &Packed, group: usize, rows: Gathered<'_>, out: &mut [Sums]) {
        out.fill(Sums::default());
        let base = self.range(group).start;
        self.fill(packed, group..group + 1, rows, 0..rows.len(), (base, out));
    }

    /// Adds some rows to the bins of neighbouring groups of one band, block by block; `base` is the first bin.
    fn fill(
        &self,
        packed: &Packed,
        groups: Range<usize>,
        rows: Gathered<'_>,
        range: Range<usize>,
        (base, out): (usize, &mut [Sums]),
    ) {
        let codes = &self.bands[groups.start / LANES][..];
        let width = codes.len() / self.n_rows.max(1);
        let place = groups.start % LANES;
        let at = (width, place, groups.len());
        let mut tables: Vec<Tables> = vec![[[0; PAD]; LANES]; groups.len()];
        let mut lines = [[0u64; STEP]; LANES];
        let mut since = 0;
        for start in range.clone().step_by(STEP) {
            let here = start..(start + STEP).min(range.end);
            let words = &rows.words[here.clone()];
            match rows.rows {
                Some(rows) => {
                    // The lines of the next rows come while these are added.
                    let soon = &rows[here.end..(here.end + STEP).min(range.end)];
                    soon.iter().for_each(|&i| prefetch(codes, i as usize * width + place));
                    fetch(&mut lines, codes, at, rows[here].iter().map(|&i| i as usize));
                }
                None => fetch(&mut lines, codes, at, here),
            }
            for (g, (table, line)) in groups.clone().zip(tables.iter_mut().zip(&lines)) {
                add_group(table, self.columns(g).len(), words, line);
            }
            since += STEP;
            if since + STEP > packed.block {
                self.empty(packed, groups.clone(), base, &mut tables, out);
                since = 0;
            }
        }
        self.empty(packed, groups, base, &mut tables, out);
    }

    /// Empties tables into the bins.
    fn empty(
        &self,
        packed: &Packed,
        groups: Range<usize>,
        base: usize,
        tables: &mut [Tables],
        out: &mut [Sums],
    ) {
        for (group, tables) in groups.zip(tables) {
            for (j, table) in self.columns(group).zip(tables) {
                let bins = &mut out[self.starts[j] - base..self.starts[j + 1] - base];
                for (bin, word) in bins.iter_mut().zip(table) {
                    *bin = bin.plus(packed.unpack(std::mem::take(word)));
                }
            }
        }
    }
}

/// Fetches the words of some rows, group by group: a loop of loads alone, so that many lines are under way at once.
#[inline(always)]
fn fetch(
    lines: &mut [[u64; STEP]; LANES],
    codes: &[u64],
    (width, place, n_groups): (usize, usize, usize),
    rows: impl Iterator<Item = usize>,
) {
    if n_groups == 1 {
        rows.zip(&mut lines[0]).for_each(|(i, out)| *out = codes[i * width + place]);
        return;
    }
    for (k, i) in rows.enumerate() {
        let line = &codes[i * width + place..][..n_groups];
        for (lines, &word) in lines.iter_mut().zip(line) {
            lines[k % STEP] = word;
        }
    }
}

/// Adds the words of some rows to the tables of a group of `n` columns.
fn add_group(tables: &mut Tables, n: usize, words: &[i64], codes: &[u64; STEP]) {
    match n {
        1 => add_lanes::<1>(tables, words, codes),
        2 => add_lanes::<2>(tables, words, codes),
        3 => add_lanes::<3>(tables, words, codes),
        4 => add_lanes::<4>(tables, words, codes),
        5 => add_lanes::<5>(tables, words, codes),
        6 => add_lanes::<6>(tables, words, codes),
        7 => add_lanes::<7>(tables, words, codes),
        _ => add_lanes::<8>(tables, words, codes),
    }
}

fn add_lanes<const F: usize>(tables: &mut Tables, words: &[i64], codes: &[u64; STEP]) {
    for (&word, &code) in words.iter().zip(codes) {
        for (lane, table) in tables.iter_mut().enumerate().take(F) {
            let slot = &mut table[usize::from((code >> (8 * lane)) as u8)];
            *slot = slot.wrapping_add(word);
        }
    }
}

/// Takes a child's histogram from its parent's, which becomes that of the other child.
pub(crate) fn subtract(parent: &mut [Sums], child: &[Sums]) {
    let one = |(parent, child): (&mut Sums, &Sums)| *parent = parent.minus(*child);
    parent.iter_mut().zip(child).for_each(one);
}

/// Adds one histogram to another.
pub(crate) fn add(to: &mut [Sums], from: &[Sums]) {
    to.iter_mut().zip(from).for_each(|(to, &from)| *to = to.plus(from));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sorted_columns::Values;
    use mercer_math::{normal, rng_for, uniform};

    /// Sums of gradients, hessians and counts of one column by a loop.
    fn plain(codes: &[u8], rows: &[u32], g: &[f32], h: &[f32], bin: usize) -> (f64, f64, u32) {
        rows.iter().filter(|&&i| usize::from(codes[i as usize]) == bin).fold((0.0, 0.0, 0), |sums, &i| {
            (sums.0 + f64::from(g[i as usize]), sums.1 + f64::from(h[i as usize]), sums.2 + 1)
        })
    }

    #[test]
    fn sums_are_those_of_a_loop_whichever_way_they_are_filled() {
        let (n, d) = (40_000, 11);
        let mut rng = rng_for(3, 0);
        let values: Vec<Vec<f64>> =
            (0..d).map(|_| (0..n).map(|_| (normal(&mut rng) * 20.0).round()).collect()).collect();
        let columns: Vec<Values<'_>> = values.iter().map(|v| Values::Numbers(v.into())).collect();
        let bins = Bins::new(&columns, None, n, None, 60, false);
        let groups = Groups::new(&bins);
        let g: Vec<f32> = (0..n).map(|_| normal(&mut rng) as f32).collect();
        let h: Vec<f32> = (0..n).map(|_| uniform(&mut rng) as f32).collect();
        let mut packed = Packed::default();
        packed.fill(&g, &h, 1.0, 7);
        let rows: Vec<u32> = (0..n as u32).filter(|i| i % 9 != 4).collect();
        let mut room = vec![0; rows.len()];
        let words = groups.gather(&packed, &rows, &mut room);
        let mut by_group = Histogram::new();
        for (group, part) in groups.parts(&mut by_group).into_iter().enumerate() {
            groups.by_group(&packed, group, words, part);
        }
        let parts = groups.by_rows(&packed, words, &vec![true; groups.len()], false);
        let mut by_rows = vec![Sums::default(); groups.n_bins()];
        parts.iter().for_each(|part| add(&mut by_rows, part));
        assert!(!parts.is_empty() && by_rows == by_group);
        for j in [0, 5, 10] {
            let group = groups.group_of(j);
            let column = groups.column(&by_group[groups.range(group)], group, j);
            assert_eq!(column.iter().fold(Sums::default(), |a, &b| a.plus(b)), packed.total(&rows));
            for (bin, sums) in column.iter().enumerate() {
                let (gradient, hessian, count) = plain(bins.codes(j), &rows, &g, &h, bin);
                assert_eq!(sums.count(), count);
                // Rounding errors of one unit a row average out.
                let slack = 4.0 * f64::from(count).sqrt();
                assert!((sums.gradient as f64 - gradient / packed.gradient_unit).abs() <= slack, "{bin}");
                assert!((f64::from(sums.hessian()) - hessian / packed.hessian_unit).abs() <= slack, "{bin}");
            }
        }
    }
}
