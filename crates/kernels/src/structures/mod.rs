//! Kernels on structures: strings, series, graphs, and the nodes of one graph.
//!
//! A [`Structure`] is a leaf of a [`Kernel`](crate::Kernel) whose points are no rows of numbers. What it needs of points is made once for each set of
//! them: features with their counts, letters, graphs as walks see them.

mod alignment;
mod graphs;
mod nodes;
pub(crate) mod series;
mod spectrum;
mod strings;
mod text;
mod walks;
mod warp_lanes;

pub use alignment::log_global_alignment;
pub use nodes::{NodeKernel, node_kernel};
pub use series::{Band, dtw, dtw_matrix, dtw_path, dtw_squared, envelope, lower_bound};
pub use spectrum::{Spectrum, spectrum_kernel};
pub use strings::{Mismatch, Subsequence, mismatch_kernel, subsequence_kernel};
pub use walks::{RandomWalk, Subtree};

use crate::kernel::{PointsRef, wrong_points};
use graphs::{Features, in_common, shortest_paths, weisfeiler_lehman};
use mercer_core::{DataKind, Error, Graph, Result, SeriesRef};
use rayon::prelude::*;
use series::warped_line;
use std::ops::Range;
use strings::letters;
use walks::Walked;

/// A kernel of two structures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Structure {
    /// Common substrings of strings.
    Spectrum(Spectrum),
    /// Common substrings of strings, but for some letters.
    Mismatch(Mismatch),
    /// Common subsequences of strings, with gaps.
    Subsequence(Subsequence),
    /// All alignments of two series, as a share of those of each with itself.
    GlobalAlignment {
        /// σ: how far apart points may be.
        sigma: f64,
    },
    /// exp(−γ d²) with d the distance of two series after warping, which is indefinite in general.
    Warping {
        /// γ
        gamma: f64,
        /// How far alignments may stray.
        band: Band,
    },
    /// Common labels of the nodes of two graphs, after some rounds of taking in the neighbours' (Weisfeiler and Lehman's subtrees).
    WeisfeilerLehman {
        /// The number of rounds.
        rounds: usize,
        /// Whether labels of edges count.
        edges: bool,
    },
    /// Common lengths of shortest paths of two graphs.
    ShortestPath {
        /// Whether labels of the ends count.
        labels: bool,
    },
    /// Common walks of two graphs.
    RandomWalk(RandomWalk),
    /// Common subtrees of two graphs.
    Subtree(Subtree),
}

/// Structures prepared for a kernel.
#[derive(Clone, Debug)]
pub(crate) enum Prepared<'a> {
    /// Substrings and how often each occurs, in order.
    Substrings(Vec<Vec<(&'a str, f64)>>),
    /// The letters of strings, and how much two substrings have in common by their distance.
    Letters(Vec<Vec<u32>>, Vec<f64>),
    /// Series, with the logarithm of each one's kernel with itself.
    Series(SeriesRef<'a>, Vec<f64>),
    /// Features of graphs.
    Features(Vec<Features>),
    /// Graphs as walks see them.
    Walked(Vec<Walked>),
}

impl Structure {
    /// The kind of data that it takes.
    pub fn data_kind(&self) -> DataKind {
        match self {
            Structure::Spectrum(_) | Structure::Mismatch(_) | Structure::Subsequence(_) => DataKind::Strings,
            Structure::GlobalAlignment { .. } | Structure::Warping { .. } => DataKind::Series,
            Structure::WeisfeilerLehman { .. }
            | Structure::ShortestPath { .. }
            | Structure::RandomWalk(_)
            | Structure::Subtree(_) => DataKind::Graphs,
        }
    }

    /// Prepares points.
    pub(crate) fn prepare<'a>(&self, points: PointsRef<'a>) -> Result<Prepared<'a>> {
        match points {
            PointsRef::Strings(strings) if self.data_kind() == DataKind::Strings => self.of_strings(strings),
            PointsRef::Series(series) if self.data_kind() == DataKind::Series => Ok(self.of_series(series)),
            PointsRef::Graphs(graphs) if self.data_kind() == DataKind::Graphs => self.of_graphs(graphs),
            _ => Err(wrong_points(self.name(), &self.data_kind().to_string().to_lowercase())),
        }
    }

    fn of_strings<'a>(&self, strings: &'a [String]) -> Result<Prepared<'a>> {
        if let Structure::Spectrum(spectrum) = self {
            let counts = |s: &'a String| spectrum.counts(s).into_iter().collect();
            return Ok(Prepared::Substrings(strings.iter().map(counts).collect()));
        }
        let all: Vec<Vec<u32>> = strings.iter().map(|s| letters(s)).collect();
        let Structure::Mismatch(mismatch) = self else { return Ok(Prepared::Letters(all, Vec::new())) };
        let mut known: Vec<u32> = all.concat();
        known.sort_unstable();
        known.dedup();
        if known.len() > mismatch.alphabet {
            let wanted = format!("at least {}, the letters that there are", known.len());
            return Err(Error::param("the kernel mismatch", "alphabet", wanted, mismatch.alphabet));
        }
        Ok(Prepared::Letters(all, mismatch.in_common()))
    }

    fn of_series<'a>(&self, series: SeriesRef<'a>) -> Prepared<'a> {
        let Structure::GlobalAlignment { sigma } = *self else { return Prepared::Series(series, Vec::new()) };
        let (d, all) = (series.n_coordinates(), (0..series.len()).into_par_iter());
        let own = all.map(|i| log_global_alignment(series.get(i), series.get(i), d, sigma)).collect();
        Prepared::Series(series, own)
    }

    fn of_graphs<'a>(&self, graphs: &[Graph]) -> Result<Prepared<'a>> {
        let features = |of: &(dyn Fn(&Graph) -> Features + Sync)| {
            Ok(Prepared::Features(graphs.par_iter().map(of).collect()))
        };
        match *self {
            Structure::WeisfeilerLehman { rounds, edges } => {
                features(&|g| weisfeiler_lehman(g, rounds, edges))
            }
            Structure::ShortestPath { labels } => features(&|g| shortest_paths(g, labels)),
            Structure::RandomWalk(walk) => walk.prepare(graphs).map(Prepared::Walked),
            Structure::Subtree(subtree) => subtree.prepare(graphs).map(Prepared::Walked),
            _ => Err(wrong_points(self.name(), "graphs")),
        }
    }

    /// The kernel of point `i` on the left with the points `cols` on the right.
    pub(crate) fn line(
        &self,
        left: &Prepared<'_>,
        i: usize,
        right: &Prepared<'_>,
        cols: Range<usize>,
        out: &mut [f64],
    ) {
        let each = |out: &mut [f64], value: &mut dyn FnMut(usize) -> f64| {
            out.iter_mut().zip(cols.clone()).for_each(|(v, j)| *v = value(j));
        };
        match (self, left, right) {
            (_, Prepared::Substrings(x), Prepared::Substrings(y)) => {
                each(out, &mut |j| in_common(&x[i], &y[j]))
            }
            (_, Prepared::Features(x), Prepared::Features(y)) => each(out, &mut |j| in_common(&x[i], &y[j])),
            (Structure::Mismatch(mismatch), Prepared::Letters(x, counts), Prepared::Letters(y, _)) => {
                each(out, &mut |j| mismatch.between(&x[i], &y[j], counts));
            }
            (Structure::Subsequence(subsequence), Prepared::Letters(x, _), Prepared::Letters(y, _)) => {
                let mut lines = Vec::new();
                each(out, &mut |j| subsequence.between(&x[i], &y[j], &mut lines));
            }
            (Structure::GlobalAlignment { sigma }, Prepared::Series(x, f), Prepared::Series(y, g)) => {
                let d = x.n_coordinates();
                each(out, &mut |j| {
                    (log_global_alignment(x.get(i), y.get(j), d, *sigma) - 0.5 * (f[i] + g[j])).exp()
                });
            }
            (Structure::Warping { gamma, band }, Prepared::Series(x, _), Prepared::Series(y, _)) => {
                warped_line(x.get(i), *y, cols.clone(), *band, &mut Default::default(), out);
                out.iter_mut().for_each(|v| *v = (-gamma * *v).exp());
            }
            (Structure::RandomWalk(walk), Prepared::Walked(x), Prepared::Walked(y)) => {
                each(out, &mut |j| walk.between(&x[i], &y[j]));
            }
            (Structure::Subtree(subtree), Prepared::Walked(x), Prepared::Walked(y)) => {
                each(out, &mut |j| subtree.between(&x[i], &y[j]));
            }
            _ => unreachable!("both sides were prepared by this kernel"),
        }
    }
}

#[cfg(test)]
mod tests;
