//! The leading eigenvectors of a symmetric matrix.

use mercer_core::{ErrorKind, Result, Session};
use mercer_math::{Csr, Mat, eigh, matmul_parallel, normal, qr_thin};
use rayon::prelude::*;

/// The largest eigenvalues, their eigenvectors as columns, and the eigenvalue after them.
#[derive(Clone, Debug)]
pub(super) struct Leading {
    pub(super) values: Vec<f64>,
    pub(super) vectors: Mat,
    pub(super) next: Option<f64>,
}

/// Up to so many rows the whole decomposition is found as fast.
const SMALL: usize = 1500;
/// Vectors of a block beside those that are wanted: equal eigenvalues, up to so many, are all found.
const MORE: usize = 8;
/// Vectors of the basis, at most.
const BASIS: usize = 480;
/// A matrix with less than one entry of so many is taken as sparse.
const THIN: usize = 20;
/// Rounds of filters, at most.
const ROUNDS: usize = 60;
/// How much a filter raises the largest eigenvalue above those it lowers: more would drown the others of a block.
const GROWTH: f64 = 1e6;
/// The highest degree of a filter.
const DEGREE: f64 = 400.0;
/// Residuals of the vectors, in the size of the matrix.
const TOL: f64 = 1e-12;

/// The `wanted` leading eigenvectors of a matrix whose eigenvalues are at most 1 in size; `None` where it is not finite.
///
/// Few of many vectors by a block Krylov basis that is kept orthogonal, with the Rayleigh-Ritz vectors of it, until their residuals are below
/// `TOL`; of a matrix that is mostly zero, whose products cost little, by filters of a high degree instead. Where neither comes to an end, or
/// there are few rows, by the whole decomposition. Chapter 10 of G. H. Golub, C. F. Van Loan, Matrix Computations, 4th edition, 2013.
pub(super) fn leading(matrix: &Mat, wanted: usize, session: &Session) -> Result<Option<Leading>> {
    let n = matrix.n_rows();
    if n > SMALL && matrix.view().find_non_finite().is_none() {
        let filled = matrix.as_slice().iter().filter(|v| **v != 0.0).count();
        let few = match filled < n * (n / THIN) {
            true => filtered(&Csr::from_dense(matrix.view()), wanted, session)?,
            false => krylov(matrix, wanted, session)?,
        };
        if few.is_some() {
            return Ok(few);
        }
    }
    let whole = eigh(matrix).map(|all| Leading {
        values: all.values[..wanted].to_vec(),
        vectors: Mat::from_fn(matrix.n_rows(), wanted, |i, c| all.vectors[(i, c)]),
        next: all.values.get(wanted).copied(),
    });
    Ok(whole)
}

fn krylov(matrix: &Mat, wanted: usize, session: &Session) -> Result<Option<Leading>> {
    let (n, width) = (matrix.n_rows(), wanted + MORE);
    if 4 * width > BASIS {
        return Ok(None);
    }
    let mut rng = session.rng(1);
    let mut basis = Basis { matrix, blocks: Vec::new(), products: Vec::new(), small: Mat::zeros(0, 0) };
    let mut block = Mat::from_fn(n, width, |_, _| normal(&mut rng));
    while (basis.blocks.len() + 1) * width <= BASIS {
        if session.interrupted().is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let Some(next) = basis.orthogonal(block) else { return Ok(None) };
        basis.push(next);
        // A look costs as much as some steps.
        if basis.blocks.len().is_multiple_of(4)
            && let Some(found) = basis.ritz(wanted)
        {
            return Ok(Some(found));
        }
        block = basis.products[basis.products.len() - 1].clone();
    }
    Ok(None)
}

/// A block of vectors that Chebyshev polynomials filter: they are at most 1 on the eigenvalues below those of the block, and grow fast above.
/// Algorithm 4.3 of Y. Zhou, Y. Saad, M. L. Tiago, J. R. Chelikowsky, Self-consistent-field calculations using Chebyshev-filtered subspace
/// iteration, J. Comput. Phys. 219, 2006.
fn filtered(matrix: &Csr, wanted: usize, session: &Session) -> Result<Option<Leading>> {
    let (n, width) = (matrix.n_rows(), wanted + MORE);
    if width >= n {
        return Ok(None);
    }
    let mut rng = session.rng(1);
    let (mut block, mut low) = (Mat::from_fn(n, width, |_, _| normal(&mut rng)), 0.0);
    for _ in 0..ROUNDS {
        if session.interrupted().is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let Some((basis, _)) = qr_thin(filter(matrix, block, low).view()) else { return Ok(None) };
        let product = times(matrix, &basis);
        let Some(inner) = eigh(&matmul_parallel(basis.view().t(), product.view())) else { return Ok(None) };
        let vectors = matmul_parallel(basis.view(), inner.vectors.view());
        let product = matmul_parallel(product.view(), inner.vectors.view());
        if (0..wanted).all(|c| residual(&vectors, &product, c, inner.values[c]) <= TOL) {
            let vectors = Mat::from_fn(n, wanted, |i, c| vectors[(i, c)]);
            let next = inner.values.get(wanted).copied();
            return Ok(Some(Leading { values: inner.values[..wanted].to_vec(), vectors, next }));
        }
        low = inner.values[width - 1].clamp(-0.9, 1.0 - 1e-6);
        block = vectors;
    }
    Ok(None)
}

/// The Chebyshev polynomial that is at most 1 on [-1, low], of the matrix, times a block.
fn filter(matrix: &Csr, block: Mat, low: f64) -> Mat {
    let (middle, half) = (0.5 * (low - 1.0), 0.5 * (low + 1.0));
    let degree = (GROWTH.acosh() / ((1.0 - middle) / half).acosh()).clamp(1.0, DEGREE) as usize;
    let step = |block: &Mat, scale: f64| {
        let mut out = times(matrix, block);
        out.as_mut_slice()
            .iter_mut()
            .zip(block.as_slice())
            .for_each(|(o, b)| *o = scale * (*o - middle * b) / half);
        out
    };
    let (mut now, mut before) = (step(&block, 1.0), block);
    for _ in 1..degree {
        let mut next = step(&now, 2.0);
        next.as_mut_slice().iter_mut().zip(before.as_slice()).for_each(|(n, b)| *n -= b);
        (before, now) = (now, next);
    }
    now
}

/// Rows of a sparse matrix that are multiplied in one go.
const ROWS: usize = 256;

fn times(matrix: &Csr, block: &Mat) -> Mat {
    let (n, width) = (matrix.n_rows(), block.n_cols());
    let (mut out, matrix) = (Mat::zeros(n, width), matrix.view());
    out.as_mut_slice().par_chunks_mut(ROWS * width).enumerate().for_each(|(part, out)| {
        for (i, out) in (part * ROWS..).zip(out.chunks_exact_mut(width)) {
            let (columns, values) = matrix.row(i);
            for (&j, v) in columns.iter().zip(values) {
                out.iter_mut().zip(block.row(j as usize)).for_each(|(o, b)| *o += v * b);
            }
        }
    });
    out
}

/// The length of N v − λ v, for one column of the vectors and of the matrix times them.
fn residual(vectors: &Mat, product: &Mat, c: usize, value: f64) -> f64 {
    let gap = |i: usize| (product[(i, c)] - value * vectors[(i, c)]).powi(2);
    (0..vectors.n_rows()).map(gap).sum::<f64>().sqrt()
}

/// Orthonormal blocks, the products of the matrix with them, and the matrix within their span.
struct Basis<'a> {
    matrix: &'a Mat,
    blocks: Vec<Mat>,
    products: Vec<Mat>,
    small: Mat,
}

impl Basis<'_> {
    /// A block made orthonormal, and orthogonal to the basis; twice, so that nothing of it is left.
    fn orthogonal(&self, mut block: Mat) -> Option<Mat> {
        for _ in 0..2 {
            for other in &self.blocks {
                let along = matmul_parallel(other.view().t(), block.view());
                let part = matmul_parallel(other.view(), along.view());
                block.as_mut_slice().iter_mut().zip(part.as_slice()).for_each(|(b, p)| *b -= p);
            }
            block = qr_thin(block.view())?.0;
        }
        Some(block)
    }

    fn push(&mut self, block: Mat) {
        let (width, product) = (block.n_cols(), matmul_parallel(self.matrix.view(), block.view()));
        let before = self.small.n_rows();
        let mut small = Mat::from_fn(before + width, before + width, |i, j| {
            if i < before && j < before { self.small[(i, j)] } else { 0.0 }
        });
        self.blocks.push(block);
        for (b, block) in self.blocks.iter().enumerate() {
            let corner = matmul_parallel(block.view().t(), product.view());
            for i in 0..width {
                for j in 0..width {
                    small[(before + j, b * width + i)] = corner[(i, j)];
                    small[(b * width + i, before + j)] = corner[(i, j)];
                }
            }
        }
        self.products.push(product);
        self.small = small;
    }

    /// The leading vectors within the basis, where they are those of the matrix.
    fn ritz(&self, wanted: usize) -> Option<Leading> {
        let inner = eigh(&self.small)?;
        let (n, width) = (self.matrix.n_rows(), self.blocks[0].n_cols());
        let combined = |blocks: &[Mat]| {
            let mut out = Mat::zeros(n, wanted);
            for (b, block) in blocks.iter().enumerate() {
                let shares = Mat::from_fn(width, wanted, |i, c| inner.vectors[(b * width + i, c)]);
                let part = matmul_parallel(block.view(), shares.view());
                out.as_mut_slice().iter_mut().zip(part.as_slice()).for_each(|(o, p)| *o += p);
            }
            out
        };
        let (vectors, product) = (combined(&self.blocks), combined(&self.products));
        let done = (0..wanted).all(|c| residual(&vectors, &product, c, inner.values[c]) <= TOL);
        done.then(|| Leading {
            values: inner.values[..wanted].to_vec(),
            vectors,
            next: inner.values.get(wanted).copied(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbours on `rings` circles: the eigenvalues are cosines, those of 1 as many as circles.
    fn rings(n: usize, rings: usize) -> Mat {
        let mut out = Mat::zeros(n, n);
        let size = n / rings;
        for i in 0..n {
            for step in 1..=size / 8 {
                let other = i / size * size + (i % size + step) % size;
                out[(i, other)] = 1.0;
                out[(other, i)] = 1.0;
            }
        }
        let degree = 2.0 * (size / 8) as f64;
        out.as_mut_slice().iter_mut().for_each(|v| *v /= degree);
        out
    }

    #[test]
    fn few_vectors_are_those_of_the_whole_decomposition() {
        for (parts, sparse) in [(1, false), (3, false), (1, true), (3, true)] {
            let (matrix, wanted, session) = (rings(240, parts), 3, Session::new(1));
            let few = match sparse {
                true => filtered(&Csr::from_dense(matrix.view()), wanted, &session),
                false => krylov(&matrix, wanted, &session),
            };
            let (few, whole) = (few.unwrap().unwrap(), eigh(&matrix).unwrap());
            for c in 0..wanted {
                assert!((few.values[c] - whole.values[c]).abs() < 1e-12, "{parts}: {:?}", few.values);
            }
            // Equal eigenvalues share a space: the projections on it are compared.
            let project = |vectors: &Mat, i: usize, j: usize| {
                (0..wanted).map(|c| vectors[(i, c)] * vectors[(j, c)]).sum::<f64>()
            };
            for (i, j) in [(0, 0), (5, 9), (17, 220), (100, 101)] {
                let (ours, theirs) = (project(&few.vectors, i, j), project(&whole.vectors, i, j));
                assert!((ours - theirs).abs() < 1e-9, "{parts}: {ours} and {theirs}");
            }
        }
    }

    /// Modes of a long thin graph are slow to part: no basis of a few hundred vectors holds them, filters do.
    #[test]
    fn graphs_of_neighbours_have_their_vectors() {
        let matrix = rings(1600, 2);
        let mut thin = Mat::zeros(1600, 1600);
        for i in 0..1600 {
            for step in 1..=3 {
                let other = i / 800 * 800 + (i % 800 + step) % 800;
                (thin[(i, other)], thin[(other, i)]) = (1.0 / 6.0, 1.0 / 6.0);
            }
        }
        for matrix in [matrix, thin] {
            let found = leading(&matrix, 2, &Session::new(1)).unwrap().unwrap();
            assert!(found.values.iter().all(|v| (v - 1.0).abs() < 1e-12), "{:?}", found.values);
            let mean = |c: usize, from: usize| {
                (from..from + 800).map(|i| found.vectors[(i, c)]).sum::<f64>() / 800.0
            };
            for c in 0..2 {
                for i in 0..1600 {
                    let of_part = mean(c, i / 800 * 800);
                    assert!((found.vectors[(i, c)] - of_part).abs() < 1e-7, "constant on each part");
                }
            }
        }
    }

    #[test]
    fn what_does_not_come_out_is_left_to_the_whole_decomposition() {
        // Eigenvalues without gaps: no small basis holds the leading ones.
        let matrix = Mat::from_fn(900, 900, |i, j| if i.abs_diff(j) == 1 { 0.5 } else { 0.0 });
        assert!(krylov(&matrix, 40, &Session::new(1)).unwrap().is_none());
        let found = leading(&matrix, 2, &Session::new(1)).unwrap().unwrap();
        let expected = |c: f64| (std::f64::consts::PI * c / 901.0).cos();
        assert!(
            (found.values[0] - expected(1.0)).abs() < 1e-12
                && (found.next.unwrap() - expected(3.0)).abs() < 1e-12
        );
    }
}
