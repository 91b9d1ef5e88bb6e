//! Scores of linear classifiers and regressors: X Wᵀ + b.

use mercer_core::{Input, NumbersRef, Result, Session};
use mercer_math::{Mat, argmax, matmul_parallel};
use rayon::prelude::*;

/// The scores of the rows, rows × rows of `coef`.
pub(crate) fn scores(
    name: &str,
    coef: &Mat,
    intercept: &[f64],
    input: &Input<'_>,
    session: &Session,
) -> Result<Mat> {
    let x = input.rows(name)?.numbers(name)?;
    let (x, k) = (x.view(), coef.n_rows());
    let by_product = x.n_rows() > 64 && k > 1;
    let mut out = match x {
        NumbersRef::Dense(x) if by_product => session.run(|| matmul_parallel(x, coef.view().t())),
        _ => Mat::zeros(x.n_rows(), k),
    };
    let whole = matches!(x, NumbersRef::Dense(_)) && by_product;
    let fill = |(i, row): (usize, &mut [f64])| {
        for (c, score) in row.iter_mut().enumerate() {
            *score = intercept[c] + if whole { *score } else { x.dot_row(i, coef.row(c)) };
        }
    };
    if x.n_rows() <= 256 {
        out.as_mut_slice().chunks_mut(k).enumerate().for_each(fill);
    } else {
        session.run(|| out.as_mut_slice().par_chunks_mut(k).with_min_len(256).enumerate().for_each(fill));
    }
    Ok(out)
}

/// The class of the largest score; of one score, the second class where it is above zero.
pub(crate) fn best_class(scores: &Mat) -> Vec<u32> {
    let best = |z: &[f64]| match z {
        [z] => u32::from(*z > 0.0),
        many => argmax(many) as u32,
    };
    (0..scores.n_rows()).map(|i| best(scores.row(i))).collect()
}
