//! Sparse rows under construction, worked on in parallel.

use mercer_core::{Error, Result, Session};
use mercer_math::Csr;
use rayon::prelude::*;

/// The arrays of a CSR matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) indptr: Vec<usize>,
    pub(crate) indices: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

/// Rows that one task works on.
const BLOCK: usize = 4096;

impl Parts {
    /// Pieces one after the other: each has the lengths of its rows, their columns and values.
    pub(crate) fn concat(pieces: &[(Vec<u32>, Vec<u32>, Vec<f64>)], session: &Session) -> Self {
        let mut out = Self::with_lengths(pieces.iter().map(|p| p.0.as_slice()));
        let sizes: Vec<usize> = pieces.iter().map(|p| p.1.len()).collect();
        let joined = out.split(&sizes).into_par_iter().zip(pieces);
        session.run(|| {
            joined.for_each(|((indices, values), piece)| {
                indices.copy_from_slice(&piece.1);
                values.copy_from_slice(&piece.2);
            });
        });
        out
    }

    /// Room for rows of these lengths.
    pub(crate) fn with_lengths<'a>(lengths: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut indptr = vec![0usize];
        let mut total = 0;
        for &length in lengths.flatten() {
            total += length as usize;
            indptr.push(total);
        }
        Self { indptr, indices: vec![0; total], values: vec![0.0; total] }
    }

    /// Columns and values cut into consecutive pieces of these sizes.
    pub(crate) fn split(&mut self, sizes: &[usize]) -> Vec<(&mut [u32], &mut [f64])> {
        let (mut indices, mut values) = (self.indices.as_mut_slice(), self.values.as_mut_slice());
        let mut out = Vec::with_capacity(sizes.len());
        for &size in sizes {
            let (i, rest_i) = std::mem::take(&mut indices).split_at_mut(size);
            let (v, rest_v) = std::mem::take(&mut values).split_at_mut(size);
            (indices, values) = (rest_i, rest_v);
            out.push((i, v));
        }
        out
    }

    /// Calls `work` with columns and values of each row, in parallel.
    pub(crate) fn for_rows(&mut self, session: &Session, work: impl Fn(&[u32], &mut [f64]) + Sync) {
        let indptr = std::mem::take(&mut self.indptr);
        let n = indptr.len().saturating_sub(1);
        let bounds: Vec<usize> = (0..n).step_by(BLOCK).chain([n]).collect();
        let sizes: Vec<usize> = bounds.windows(2).map(|b| indptr[b[1]] - indptr[b[0]]).collect();
        let blocks = self.split(&sizes);
        let one = |((indices, values), bounds): ((&mut [u32], &mut [f64]), &[usize])| {
            let start = indptr[bounds[0]];
            for row in bounds[0]..bounds[1] {
                let range = indptr[row] - start..indptr[row + 1] - start;
                work(&indices[range.clone()], &mut values[range]);
            }
        };
        if blocks.len() > 1 {
            session.run(|| blocks.into_par_iter().zip(bounds.par_windows(2)).for_each(one));
        } else {
            blocks.into_iter().zip(bounds.windows(2)).for_each(one);
        }
        self.indptr = indptr;
    }

    /// How many rows have an entry in each column.
    pub(crate) fn frequencies(&self, n_cols: usize) -> Vec<f64> {
        let mut out = vec![0.0; n_cols];
        self.indices.iter().for_each(|&j| out[j as usize] += 1.0);
        out
    }

    /// The finished matrix.
    pub(crate) fn finish(self, n_cols: usize) -> Result<Csr> {
        let Parts { indptr, indices, values } = self;
        let nnz = indices.len();
        Csr::new(indptr, indices, values, n_cols)
            .ok_or_else(|| Error::shape("entries of a matrix", n_cols, nnz))
    }
}
