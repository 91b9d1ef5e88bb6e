//! Scores of linear classifiers and regressors: X Wᵀ + b.

use mercer_core::{Input, NumbersRef, Result, Session};
use mercer_math::{Mat, argmax, gemv, matmul, sparse_times};
use rayon::prelude::*;

/// Rows that one task scores, whatever the threads.
const ROWS: usize = 1024;

/// The scores of the rows, rows × rows of `coef`. A value that is not finite makes the score of its row so, whatever the
/// coefficients: such rows are refused, and no others have to be looked at for it.
pub(crate) fn scores(
    name: &str,
    coef: &Mat,
    intercept: &[f64],
    input: &Input<'_>,
    session: &Session,
) -> Result<Mat> {
    let rows = input.rows(name)?;
    let x = rows.numbers(name)?;
    let x = x.view();
    let work = || {
        let out = scores_of(coef, intercept, x);
        match out.as_slice().iter().all(|z| z.is_finite()) {
            true => Ok(out),
            false => rows.refuse_not_finite(name).map(|()| out),
        }
    };
    // Entering a pool would cost more than a few rows.
    if x.n_rows() <= ROWS { work() } else { session.run(work) }
}

/// The same, in the pool in which it is called.
pub(crate) fn scores_of(coef: &Mat, intercept: &[f64], x: NumbersRef<'_>) -> Mat {
    let k = coef.n_rows();
    if x.n_rows() <= 4 {
        return Mat::from_fn(x.n_rows(), k, |i, c| x.dot_row(i, coef.row(c)) + intercept[c]);
    }
    let mut out = Mat::zeros(x.n_rows(), k);
    // Of several columns, a row's entries want all coefficients of a feature together.
    let turned = (matches!(x, NumbersRef::Sparse(_)) && k > 1).then(|| coef.view().t().to_mat());
    let by_feature = turned.as_ref().unwrap_or(coef);
    let block = |(block, out): (usize, &mut [f64])| {
        match x.rows(block * ROWS..(block + 1) * ROWS) {
            NumbersRef::Dense(x) if k == 1 => out.copy_from_slice(&gemv(x, coef.row(0))),
            NumbersRef::Dense(x) => out.copy_from_slice(matmul(x, coef.view().t()).as_slice()),
            NumbersRef::Sparse(x) => sparse_times(x, by_feature.as_slice(), k, out),
        }
        out.chunks_exact_mut(k).for_each(|z| z.iter_mut().zip(intercept).for_each(|(z, b)| *z += b));
    };
    if x.n_rows() <= ROWS {
        block((0, out.as_mut_slice()));
    } else {
        out.as_mut_slice().par_chunks_mut(ROWS * k.max(1)).enumerate().for_each(block);
    }
    out
}

/// The class of the largest score; of one score, the second class where it is above zero.
pub(crate) fn best_class(scores: &Mat) -> Vec<u32> {
    let best = |z: &[f64]| match z {
        [z] => u32::from(*z > 0.0),
        many => argmax(many) as u32,
    };
    (0..scores.n_rows()).map(|i| best(scores.row(i))).collect()
}
