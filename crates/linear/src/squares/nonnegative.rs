//! Least squares with coefficients that are not negative.

use super::normal::minimum_norm;
use mercer_math::{Cholesky, Mat, dot};

/// Non-negative least squares by block principal pivoting.
///
///   min_w ½ wᵀHw − fᵀw   s.t.  w ≥ 0
///
/// Given a positive semi-definite H and f; returns w and how often the set of positive coefficients was exchanged. Each
/// exchange moves all coefficients that are negative or would lower the objective; when that helps three times in a row not,
/// only the last one, which ends for every regular H (the rule of Murty). Stops when no condition is violated beyond
/// rounding, at `limit` exchanges, or when `stop` says so, with the flag `false`.
///
/// Section 3 of J. Kim, H. Park, Fast nonnegative matrix factorization, SIAM J. Sci. Comput. 33(6), 2011,
/// doi:10.1137/110821172.
pub(crate) fn nonnegative(
    h: &Mat,
    f: &[f64],
    mut stop: impl FnMut(usize) -> bool,
) -> (Vec<f64>, usize, bool) {
    let (d, limit) = (f.len(), 100 + 10 * f.len());
    let mut passive = vec![false; d];
    let mut w = vec![0.0; d];
    let mut gradient: Vec<f64> = f.iter().map(|v| -v).collect();
    let (mut fewest, mut patience) = (d + 1, 3usize);
    let slack: Vec<f64> = (0..d).map(|j| 1e-12 * size(h, f, j)).collect();
    for exchange in 0..limit {
        let violates = |j: &usize| if passive[*j] { w[*j] < 0.0 } else { gradient[*j] < -slack[*j] };
        let wrong: Vec<usize> = (0..d).filter(violates).collect();
        let Some(&last) = wrong.last() else { return (w, exchange, true) };
        if stop(exchange) {
            break;
        }
        if wrong.len() < fewest {
            (fewest, patience) = (wrong.len(), 3);
        } else {
            patience = patience.saturating_sub(1);
        }
        let moved = if patience > 0 { wrong.as_slice() } else { std::slice::from_ref(&last) };
        moved.iter().for_each(|&j| passive[j] = !passive[j]);
        w = restricted(h, f, &passive);
        gradient = (0..d).map(|j| dot(h.row(j), &w) - f[j]).collect();
    }
    w.iter_mut().for_each(|v| *v = v.max(0.0));
    (w, limit, false)
}

/// What rounding is judged by in the gradient of coefficient j.
fn size(h: &Mat, f: &[f64], j: usize) -> f64 {
    let others = (0..f.len()).filter(|&k| h[(k, k)] > 0.0).map(|k| f[k].abs() / h[(k, k)].sqrt());
    h[(j, j)].sqrt() * others.fold(0.0, f64::max)
}

/// The minimum over the passive coefficients, with the others at zero.
fn restricted(h: &Mat, f: &[f64], passive: &[bool]) -> Vec<f64> {
    let at: Vec<usize> = (0..f.len()).filter(|&j| passive[j]).collect();
    let part = Mat::from_fn(at.len(), at.len(), |i, k| h[(at[i], at[k])]);
    let right = Mat::from_fn(at.len(), 1, |i, _| f[at[i]]);
    let solved = match Cholesky::new(&part) {
        Some(factor) => Some(factor.solve_vec(right.as_slice())),
        None => minimum_norm(&part, &right).map(|(w, _)| w.into_vec()),
    };
    let mut w = vec![0.0; f.len()];
    at.iter().zip(solved.unwrap_or_default()).for_each(|(&j, v)| w[j] = v);
    w
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{matmul, normal, rng_for};

    #[test]
    fn conditions_hold_on_random_problems() {
        for case in 0..200 {
            let mut rng = rng_for(8, case);
            let d = 1 + (case as usize * 7) % 23;
            let x = Mat::from_fn(d + 5, d, |_, _| normal(&mut rng));
            let h = matmul(x.view().t(), x.view());
            let f: Vec<f64> = (0..d).map(|_| 3.0 * normal(&mut rng)).collect();
            let (w, _, done) = nonnegative(&h, &f, |_| false);
            assert!(done);
            for j in 0..d {
                let g = dot(h.row(j), &w) - f[j];
                assert!(
                    w[j] >= 0.0 && if w[j] > 0.0 { g.abs() < 1e-9 } else { g > -1e-9 },
                    "{case}: {g} {}",
                    w[j]
                );
            }
        }
    }

    #[test]
    fn copies_of_a_column_end() {
        let h = Mat::from_fn(6, 6, |_, _| 2.0);
        let (w, _, _) = nonnegative(&h, &[1.0; 6], |_| false);
        assert!((w.iter().sum::<f64>() - 0.5).abs() < 1e-9 && w.iter().all(|v| *v >= 0.0));
    }
}
