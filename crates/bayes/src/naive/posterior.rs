//! From joint probabilities to classes and their probabilities, and what else all models here have in common.

use mercer_core::{Certificate, Evidence, Interactions, Session, Termination};
use mercer_math::{Mat, argmax, exp_slice};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that one task scores, whatever the threads.
const ROWS: usize = 1024;

/// A matrix of `n` × `k`, filled by blocks of rows side by side.
pub(super) fn in_blocks(
    n: usize,
    k: usize,
    session: &Session,
    fill: impl Fn(Range<usize>, &mut [f64]) + Sync,
) -> Mat {
    let mut out = Mat::zeros(n, k);
    let block = |(b, out): (usize, &mut [f64])| fill(b * ROWS..((b + 1) * ROWS).min(n), out);
    if n <= ROWS {
        // Entering a pool would cost more than a few rows.
        block((0, out.as_mut_slice()));
    } else {
        session.run(|| out.as_mut_slice().par_chunks_mut(ROWS * k.max(1)).enumerate().for_each(block));
    }
    out
}

/// The class of the largest joint probability of each of `n` rows, of which `fill` makes those of blocks; the first of several.
pub(super) fn classes_in_blocks(
    n: usize,
    k: usize,
    session: &Session,
    fill: impl Fn(Range<usize>, &mut [f64]) + Sync,
) -> Vec<u32> {
    let mut out = vec![0; n];
    let block = |joint: &mut Vec<f64>, (b, out): (usize, &mut [u32])| {
        joint.resize(out.len() * k, 0.0);
        fill(b * ROWS..b * ROWS + out.len(), joint);
        out.iter_mut().zip(joint.chunks_exact(k)).for_each(|(c, joint)| *c = argmax(joint) as u32);
    };
    if n <= ROWS {
        block(&mut Vec::new(), (0, &mut out));
    } else {
        session.run(|| out.par_chunks_mut(ROWS).enumerate().for_each_init(Vec::new, block));
    }
    out
}

/// The class of the largest joint probability of each row; the first of several.
pub(super) fn best_classes(joint: &Mat) -> Vec<u32> {
    (0..joint.n_rows()).map(|i| argmax(joint.row(i)) as u32).collect()
}

/// Joint probabilities in logarithms, scaled to sum to 1 in each row; where no class has any, all have the same.
pub(super) fn probabilities(mut joint: Mat, session: &Session) -> Mat {
    let (n, k) = (joint.n_rows(), joint.n_cols());
    let scale = |block: &mut [f64]| {
        for row in block.chunks_exact_mut(k) {
            let most = row.iter().fold(f64::NEG_INFINITY, |a, v| a.max(*v));
            match most.is_finite() {
                true => row.iter_mut().for_each(|v| *v -= most),
                false => row.iter_mut().for_each(|v| *v = if *v == most { 0.0 } else { f64::NEG_INFINITY }),
            }
        }
        exp_slice(block);
        for row in block.chunks_exact_mut(k) {
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|v| *v /= total);
        }
    };
    if n <= ROWS {
        scale(joint.as_mut_slice());
    } else {
        session.run(|| joint.as_mut_slice().par_chunks_mut(ROWS * k.max(1)).for_each(scale));
    }
    joint
}

/// Of two classes their log odds as one row, else a row for each class.
pub(super) fn odds(coef: &Mat, intercept: &[f64]) -> (Mat, Vec<f64>) {
    match intercept {
        [first, second] => {
            let apart = Mat::from_fn(1, coef.n_cols(), |_, j| coef[(1, j)] - coef[(0, j)]);
            (apart, vec![second - first])
        }
        many => (coef.clone(), many.to_vec()),
    }
}

/// The interactions of features that act alone, from their parts.
pub(super) fn alone(parts: &[Mat]) -> Interactions {
    let row = |parts: &Mat, i: usize| {
        let mut out = Mat::zeros(parts.n_cols(), parts.n_cols());
        (0..parts.n_cols()).for_each(|j| out[(j, j)] = parts[(i, j)]);
        out
    };
    parts.iter().map(|parts| (0..parts.n_rows()).map(|i| row(parts, i)).collect()).collect()
}

/// The name of the evidence that the closed form holds.
pub(super) const GAP: &str = "largest gap of an estimate";
/// The name of the evidence of the likelihood.
pub(super) const LIKELIHOOD: &str = "mean joint log likelihood";

/// How far two estimates are apart; the same infinity is no gap.
pub(super) fn gap(found: &[f64], claimed: &[f64]) -> f64 {
    let one = |(a, b): (&f64, &f64)| if a == b { 0.0 } else { (a - b).abs() };
    // A gap that is no number is no proof: it must not vanish in a maximum.
    found.iter().zip(claimed).map(one).fold(0.0, |a, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
}

/// What is proved of a closed form: the estimates are those of the rows, and these are as likely as that.
pub(super) fn certificate(likelihood: Option<f64>, more: bool) -> Certificate {
    let rows = if more { "the rows learnt from before and the last batch" } else { "the rows" };
    let meaning = format!(
        "zero where the estimates are the smoothed frequencies or moments of {rows}, the only maximum of their likelihood with its prior"
    );
    let out = Certificate::new(Termination::Exact).with_evidence(Evidence::residual(GAP, 0.0, meaning));
    match likelihood {
        Some(value) if value.is_finite() => {
            let meaning =
                format!("mean over {rows} of the logarithm of the joint probability with their classes");
            out.with_objective(-value).with_evidence(Evidence::value(LIKELIHOOD, value, meaning))
        }
        Some(_) => out.with_note("a class or a value that occurs has no probability: there is no likelihood"),
        None => out,
    }
}
