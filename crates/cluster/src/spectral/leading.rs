//! The leading eigenvectors of a symmetric matrix.

use mercer_core::{ErrorKind, Result, Session};
use mercer_math::{Mat, eigh, matmul_parallel, normal, qr_thin};

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
/// Residuals of the vectors, in the size of the matrix.
const TOL: f64 = 1e-12;

/// The `wanted` leading eigenvectors of a matrix whose eigenvalues are at most 1 in size; `None` where it is not finite.
///
/// Few of many vectors by a block Krylov basis that is kept orthogonal, with the Rayleigh-Ritz vectors of it, until their residuals are below
/// `TOL`; where that takes a basis beyond `BASIS`, or there are few rows, by the whole decomposition. Chapter 10 of G. H. Golub,
/// C. F. Van Loan, Matrix Computations, 4th edition, 2013.
pub(super) fn leading(matrix: &Mat, wanted: usize, session: &Session) -> Result<Option<Leading>> {
    if matrix.n_rows() > SMALL
        && let Some(found) = krylov(matrix, wanted, session)?
    {
        return Ok(Some(found));
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
    if matrix.view().find_non_finite().is_some() || 4 * width > BASIS {
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
        let residual = |c: usize| {
            let gap = |i: usize| (product[(i, c)] - inner.values[c] * vectors[(i, c)]).powi(2);
            (0..n).map(gap).sum::<f64>().sqrt()
        };
        let done = (0..wanted).all(|c| residual(c) <= TOL);
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
        for parts in [1, 3] {
            let (matrix, wanted) = (rings(240, parts), 3);
            let (few, whole) =
                (krylov(&matrix, wanted, &Session::new(1)).unwrap().unwrap(), eigh(&matrix).unwrap());
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
