//! What simulation says of an estimator: bias, variance, error, consistency, and how near it comes to the bound of Cramér and Rao.

use crate::family::Univariate;
use mercer_core::{Error, Result, Session};
use mercer_math::{Mat, Moments, dot, solve_spd};
use rayon::prelude::*;

/// What is known of an estimator at one sample size.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The sample size.
    pub n: usize,
    /// The mean of the estimates.
    pub mean: f64,
    /// The mean error, with its standard error over the runs.
    pub bias: (f64, f64),
    /// The variance of the estimates, with its standard error over the runs.
    pub variance: (f64, f64),
    /// The mean squared error, with its standard error over the runs. It is variance + bias².
    pub mse: (f64, f64),
    /// The bound of Cramér and Rao on the variance of unbiased estimators; `None` where the law has no information or it is singular.
    pub cramer_rao: Option<f64>,
    /// The bound divided by the variance: 1 for an efficient unbiased estimator; a biased one may exceed it.
    pub efficiency: Option<f64>,
}

/// Runs an estimator of g(θ) on samples of a law, `repeats` times for each of some sizes.
///
/// Given are the true value g(θ) and the derivatives of g by the parameters of the law (one for each), which the bound
/// $\nabla g^\top I(\theta)^{-1} \nabla g / n$ needs. An estimator is consistent where the squared error vanishes as n grows. The same
/// seed gives the same numbers on any number of threads.
///
/// # Example
/// ```
/// use mercer_core::Session;
/// use mercer_stats::{Normal, study};
/// let law = Normal::new(2.0, 1.0)?;
/// let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
/// let told = study(&mean, &law, 2.0, &[1.0, 0.0], &[10, 100], 2000, &Session::default())?;
/// assert!((told[0].efficiency.unwrap() - 1.0).abs() < 0.2);
/// assert!(told[1].mse.0 < told[0].mse.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn study(
    estimator: &(dyn Fn(&[f64]) -> f64 + Sync),
    law: &dyn Univariate,
    truth: f64,
    slopes: &[f64],
    sizes: &[usize],
    repeats: usize,
    session: &Session,
) -> Result<Vec<Study>> {
    const NAME: &str = "study";
    if repeats < 2 {
        return Err(Error::param(NAME, "repeats", "at least 2", repeats));
    }
    if let Some(n) = sizes.iter().find(|n| **n == 0) {
        return Err(Error::param(NAME, "sizes", "at least 1 each", n));
    }
    let each = |(task, &n): (usize, &usize)| {
        let session = session.split(task as u64);
        let errors = runs(estimator, law, truth, n, repeats, &session)?;
        Study::of_errors(n, truth, &errors, law, slopes)
    };
    sizes.iter().enumerate().map(each).collect()
}

/// The sample of one run of a [`study`], for estimators that cannot be called from other threads.
pub fn sample_of_run(law: &dyn Univariate, n: usize, size: usize, run: usize, session: &Session) -> Vec<f64> {
    let mut rng = session.split(size as u64).rng(run as u64);
    (0..n).map(|_| law.draw(&mut rng)).collect()
}

/// ∇gᵀ I⁻¹ ∇g over the parameters that information is on.
fn bound(law: &dyn Univariate, slopes: &[f64]) -> Option<f64> {
    let information = law.information()?;
    let on: Vec<usize> = (0..slopes.len()).filter(|&j| information[(j, j)] > 0.0).collect();
    let inner = Mat::from_fn(on.len(), on.len(), |a, b| information[(on[a], on[b])]);
    let slope = Mat::from_fn(on.len(), 1, |a, _| slopes[on[a]]);
    let solved = solve_spd(&inner, &slope)?;
    Some(dot(solved.as_slice(), slope.as_slice()))
}

/// The errors of all runs.
fn runs(
    estimator: &(dyn Fn(&[f64]) -> f64 + Sync),
    law: &dyn Univariate,
    truth: f64,
    n: usize,
    repeats: usize,
    session: &Session,
) -> Result<Vec<f64>> {
    const CHUNK: usize = 1024;
    let one = |sample: &mut Vec<f64>, run: usize| {
        let mut rng = session.rng(run as u64);
        sample.clear();
        sample.extend((0..n).map(|_| law.draw(&mut rng)));
        estimator(sample) - truth
    };
    let mut errors = Vec::with_capacity(repeats);
    // A wish to stop is heard between chunks of runs.
    for first in (0..repeats).step_by(CHUNK) {
        if session.step("run", first as u64, Some(repeats as u64), None).is_some() && errors.len() > 1 {
            break;
        }
        let runs = (first..(first + CHUNK).min(repeats)).into_par_iter();
        let chunk: Vec<f64> = session.run(|| runs.map_init(Vec::new, one).collect());
        errors.extend(chunk);
    }
    Ok(errors)
}

impl Study {
    /// What the errors of an estimator on samples of `n` say of it.
    pub fn of_errors(
        n: usize,
        truth: f64,
        errors: &[f64],
        law: &dyn Univariate,
        slopes: &[f64],
    ) -> Result<Study> {
        if slopes.len() != law.parameters().len() {
            return Err(Error::shape("derivatives by the parameters", law.parameters().len(), slopes.len()));
        }
        if let Some(e) = errors.iter().find(|e| !e.is_finite()) {
            return Err(Error::numeric("study", format!("the estimator is off by {e} on a sample of {n}")));
        }
        let runs = errors.len() as f64;
        let moments = Moments::of(errors);
        let spread = |of: &dyn Fn(f64) -> f64| {
            let values: Vec<f64> = errors.iter().map(|e| of(*e)).collect();
            (Moments::of(&values).sample_variance() / runs).sqrt()
        };
        let variance = moments.sample_variance();
        let cramer_rao = bound(law, slopes).map(|b| b / n as f64);
        Ok(Study {
            n,
            mean: truth + moments.mean,
            bias: (moments.mean, (variance / runs).sqrt()),
            variance: (variance, spread(&|e| (e - moments.mean).powi(2))),
            mse: (errors.iter().map(|e| e * e).sum::<f64>() / runs, spread(&|e| e * e)),
            cramer_rao,
            efficiency: cramer_rao.filter(|_| variance > 0.0).map(|b| b / variance),
        })
    }
}
