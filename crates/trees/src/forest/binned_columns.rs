//! Binned columns, laid out by rows for forests: one byte a value, all values of a row side by side.

use super::sparse_tree::SparseRows;
use crate::bins::Bins;
use crate::sorted_columns::Values;
use rayon::prelude::*;

/// Rows that are written at a time, column by column, so that they stay in cache.
const BLOCK: usize = 128;

/// Binned rows, with the least and the greatest value of every bin.
#[derive(Debug)]
pub(crate) struct BinnedColumns {
    /// Rows × features.
    pub(crate) codes: Vec<u8>,
    pub(crate) columns: Vec<BinnedColumn>,
    /// Rows that are too wide to be laid out stand for themselves; there are no codes then.
    pub(crate) sparse: Option<SparseRows>,
}

/// One binned column: its bins and their ends.
#[derive(Clone, Debug)]
pub(crate) struct BinnedColumn {
    /// The code of missing values, where there are any.
    pub(crate) missing: Option<u8>,
    /// The levels of each bin of a categorical column.
    pub(crate) levels: Option<Vec<Vec<u32>>>,
    pub(crate) lows: Vec<f64>,
    pub(crate) highs: Vec<f64>,
}

impl BinnedColumns {
    /// Sparse rows as they are.
    pub(crate) fn of_sparse(rows: SparseRows) -> Self {
        Self { codes: Vec::new(), columns: Vec::new(), sparse: Some(rows) }
    }

    /// Number of features.
    pub(crate) fn n_features(&self) -> usize {
        self.sparse.as_ref().map_or(self.columns.len(), SparseRows::n_features)
    }

    /// Bins the rows `keep` (all of `0..n` when `None`).
    pub(crate) fn new(
        columns: &[Values<'_>],
        keep: Option<&[u32]>,
        n: usize,
        weights: Option<&[f64]>,
        max_bins: usize,
    ) -> Self {
        let bins = Bins::new(columns, keep, n, weights, max_bins, false);
        let (m, d) = (bins.n_rows(), bins.n_columns());
        let ends = |j: usize| {
            let k = bins.n_bins(j) + 1;
            (vec![f64::INFINITY; k], vec![f64::NEG_INFINITY; k])
        };
        let empty = || (0..d).map(ends).collect::<Vec<_>>();
        let mut codes = vec![0u8; m * d];
        let fill = |mut ends: Vec<(Vec<f64>, Vec<f64>)>, (b, out): (usize, &mut [u8])| {
            let here = b * BLOCK..b * BLOCK + out.len() / d;
            for (j, (lows, highs)) in ends.iter_mut().enumerate() {
                let codes = &bins.codes(j)[here.clone()];
                let places = here.clone().map(|i| keep.map_or(i, |keep| keep[i] as usize));
                columns[j].read(places, |k, v| {
                    let code = codes[k];
                    out[k * d + j] = code;
                    let (low, high) = (&mut lows[code as usize], &mut highs[code as usize]);
                    (*low, *high) = (low.min(v), high.max(v));
                });
            }
            ends
        };
        // Least and greatest do not depend on the order in which blocks are joined.
        let join = |mut a: Vec<(Vec<f64>, Vec<f64>)>, b: Vec<(Vec<f64>, Vec<f64>)>| {
            for ((low, high), (l, h)) in a.iter_mut().zip(b) {
                low.iter_mut().zip(l).for_each(|(a, b)| *a = a.min(b));
                high.iter_mut().zip(h).for_each(|(a, b)| *a = a.max(b));
            }
            a
        };
        let blocks = codes.par_chunks_mut(BLOCK * d).enumerate().with_min_len(8);
        let ends = blocks.fold(empty, fill).reduce(empty, join);
        let column = |(j, (mut lows, mut highs)): (usize, (Vec<f64>, Vec<f64>))| {
            // A bin that no row is in, since bins are chosen by a sample, ends where the one before it does.
            for b in 1..bins.n_bins(j) {
                if lows[b] > highs[b] {
                    (lows[b], highs[b]) = (highs[b - 1], highs[b - 1]);
                }
            }
            let levels = bins
                .is_categorical(j)
                .then(|| (0..bins.n_bins(j)).map(|b| bins.levels(j, b).to_vec()).collect());
            BinnedColumn { missing: bins.missing(j), levels, lows, highs }
        };
        Self { codes, columns: ends.into_iter().enumerate().map(column).collect(), sparse: None }
    }
}
