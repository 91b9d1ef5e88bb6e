//! The machine of Crammer and Singer: its problem from data, and what becomes of its solution.

use super::form::{Solved, Standing};
use super::machine::Parts;
use super::solver::{Joint, JointSolution, Oracle, Settings, solve_joint};
use mercer_core::{Error, Result, Session};
use mercer_math::{MatRef, gemm_into};

/// The rows of all parts, which are the same, with a cost each.
pub(crate) fn pose(c: f64, parts: &Parts) -> Joint {
    let of = &parts.parts[0];
    Joint {
        codes: of.rows.iter().map(|&i| parts.codes[i]).collect(),
        costs: of.weights.iter().map(|w| c * w).collect(),
        n_classes: parts.factors.len(),
    }
}

/// Solves for all classes together: a decision function for each, of which the first carries what is proved of all.
pub(crate) fn solve<O: Oracle>(
    owner: &str,
    oracle: &O,
    problem: &Joint,
    settings: &Settings,
    session: &Session,
) -> Result<Vec<Solved>> {
    let found = solve_joint(oracle, problem, settings, session);
    let standing = stand(problem, &found.alpha, &found.slopes);
    if ![standing.dual, standing.gap, standing.violation].iter().all(|v| v.is_finite()) {
        return Err(Error::numeric(owner, "kernel values are too large: scale the features"));
    }
    let JointSolution { alpha, iterations, termination, .. } = found;
    let one = |(m, own): (usize, &[f64])| Solved {
        coefficients: own.to_vec(),
        intercept: 0.0,
        scale: 1.0,
        first: Vec::new(),
        standing: if m == 0 { standing } else { Standing::default() },
        iterations: if m == 0 { iterations } else { 0 },
        termination,
    };
    Ok(alpha.chunks(problem.codes.len()).enumerate().map(one).collect())
}

/// How a point of the dual stands: its slopes are the sums Kα_m + [m ≠ yᵢ]. Every row adds to the gap what its largest
/// slope lacks of being balanced, cᵢ(max_m g − g_y) + Σ_m αᵢₘ gᵢₘ.
pub(crate) fn stand(problem: &Joint, alpha: &[f64], slopes: &[f64]) -> Standing {
    let (n, k) = (problem.codes.len(), problem.n_classes);
    let own = problem.own(&(0..n).collect::<Vec<_>>());
    let sums: Vec<f64> = slopes.iter().zip(&own).map(|(g, e)| g - e).collect();
    let mut gap = 0.0;
    let (mut bounded, mut free) = (0, 0);
    for i in 0..n {
        let slope = |m: usize| slopes[m * n + i];
        let class = problem.codes[i] as usize;
        let largest = (0..k).map(slope).fold(f64::NEG_INFINITY, f64::max);
        gap += problem.costs[i] * (largest - slope(class));
        gap += (0..k).map(|m| alpha[m * n + i] * slope(m)).sum::<f64>();
        match alpha[class * n + i] {
            a if a >= problem.costs[i] => bounded += 1,
            a if a > 0.0 => free += 1,
            _ => {}
        }
    }
    let products = products(alpha, &sums, k, n);
    let square: f64 = (0..k).map(|m| products[m * k + m]).sum();
    let apart = |a: usize, b: usize| {
        products[a * k + a] + products[b * k + b] - products[a * k + b] - products[b * k + a]
    };
    Standing {
        dual: -0.5 * square - mercer_math::dot(&own, alpha),
        gap: if gap < 0.0 { 0.0 } else { gap },
        size: problem.costs.iter().sum(),
        violation: problem.violations(alpha, slopes).into_iter().fold(0.0, f64::max),
        unit: 1.0,
        square: (0..k).flat_map(|a| (0..a).map(move |b| apart(a, b))).fold(0.0, f64::max),
        bounded,
        free,
    }
}

/// The inner products of the weights of all classes.
fn products(alpha: &[f64], sums: &[f64], k: usize, n: usize) -> Vec<f64> {
    let mut out = vec![0.0; k * k];
    if let (Some(a), Some(s)) = (MatRef::row_major(alpha, k, n), MatRef::row_major(sums, k, n)) {
        gemm_into(1.0, a, s.t(), 0.0, &mut out);
    }
    out
}
