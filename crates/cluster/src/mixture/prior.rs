//! The prior of a mixture's parameters, and what the statistics of rows make of it.

use super::gaussians::{CovarianceType, Gaussians, root, square};
use super::kernel::GaussianSums;
use mercer_core::{Error, Result};
use mercer_math::{Cholesky, Mat, matmul};
use serde::{Deserialize, Serialize};

/// What the user gives of the prior.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Given {
    pub(crate) concentration: Option<f64>,
    pub(crate) mean_precision: Option<f64>,
    pub(crate) mean: Option<Vec<f64>>,
    pub(crate) degrees: Option<f64>,
    pub(crate) covariance: Option<Vec<f64>>,
}

impl Given {
    pub(crate) fn check(&self, name: &str, form: CovarianceType, d: usize) -> Result<()> {
        if let Some(mean) = &self.mean
            && (mean.len() != d || !mean.iter().all(|v| v.is_finite()))
        {
            return Err(Error::param(name, "mean_prior", format!("{d} finite numbers"), mean.len()));
        }
        if let Some(degrees) = self.degrees
            && degrees <= d as f64 - 1.0
        {
            let expected = format!("greater than {}", d as f64 - 1.0);
            return Err(Error::param(name, "degrees_of_freedom_prior", expected, degrees));
        }
        if let Some(covariance) = &self.covariance {
            let size = form.size(d);
            let positive = match form {
                _ if covariance.len() != size => false,
                CovarianceType::Full | CovarianceType::Tied => {
                    Cholesky::new(&square(covariance, d).to_mat()).is_some()
                }
                CovarianceType::Diag | CovarianceType::Spherical => covariance.iter().all(|v| *v > 0.0),
            };
            if !positive {
                let expected = format!("{size} numbers, positive definite");
                return Err(Error::param(name, "covariance_prior", expected, covariance.len()));
            }
        }
        Ok(())
    }
}

/// The prior of a mixture's parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Prior {
    pub(crate) concentration: f64,
    pub(crate) mean_precision: f64,
    pub(crate) mean: Vec<f64>,
    pub(crate) freedom: f64,
    /// A matrix, a variance for each feature, or one variance.
    pub(crate) covariance: Vec<f64>,
}

impl Prior {
    /// What is given, and the rest from statistics that were taken under `at`.
    pub(crate) fn new(given: &Given, at: &Gaussians, sums: &GaussianSums) -> Result<Self> {
        let (k, d) = (at.n_components(), at.n_features());
        let (mean, covariance) = whole(at, sums);
        let covariance = match at.form {
            CovarianceType::Full | CovarianceType::Tied => covariance.into_vec(),
            CovarianceType::Diag => (0..d).map(|j| covariance[(j, j)]).collect(),
            CovarianceType::Spherical => {
                vec![(0..d).map(|j| covariance[(j, j)]).sum::<f64>() / d as f64]
            }
        };
        Ok(Self {
            concentration: given.concentration.unwrap_or(1.0 / k as f64),
            mean_precision: given.mean_precision.unwrap_or(1.0),
            mean: given.mean.clone().unwrap_or(mean),
            freedom: given.degrees.unwrap_or(d as f64),
            covariance: given.covariance.clone().unwrap_or(covariance),
        })
    }

    /// The degrees of freedom of the posterior.
    pub(crate) fn degrees(&self, form: CovarianceType, totals: &[f64]) -> Vec<f64> {
        match form {
            CovarianceType::Tied => vec![self.freedom + totals.iter().sum::<f64>() / totals.len() as f64],
            _ => totals.iter().map(|n| self.freedom + n).collect(),
        }
    }

    /// Means and covariances of the posterior, where `seen` has those of the rows; factors are left as they are.
    pub(crate) fn posterior(&self, seen: &Gaussians, totals: &[f64], reg: f64) -> Gaussians {
        let (k, d, form) = (seen.n_components(), seen.n_features(), seen.form);
        let degrees = self.degrees(form, totals);
        let mut out = seen.clone();
        let all: f64 = totals.iter().sum();
        for (own, n) in out.covariances.chunks_exact_mut(form.size(d)).zip(totals) {
            // How many rows a covariance is of: shared ones count an equal part of all.
            let n = if form == CovarianceType::Tied { all / k as f64 } else { *n };
            match form {
                CovarianceType::Full | CovarianceType::Tied => (0..d).for_each(|j| own[j * d + j] += reg),
                CovarianceType::Diag | CovarianceType::Spherical => own.iter_mut().for_each(|v| *v += reg),
            }
            own.iter_mut().zip(&self.covariance).for_each(|(v, p)| *v = p + n * *v);
        }
        for (c, total) in totals.iter().enumerate() {
            let precision = self.mean_precision + total;
            let away: Vec<f64> = seen.means.row(c).iter().zip(&self.mean).map(|(m, p)| m - p).collect();
            let share = total * self.mean_precision / precision;
            match form {
                CovarianceType::Full | CovarianceType::Tied => {
                    let (at, part) =
                        if form == CovarianceType::Tied { (0, share / k as f64) } else { (c, share) };
                    let own = &mut out.covariances[at * d * d..(at + 1) * d * d];
                    (0..d * d).for_each(|e| own[e] += part * away[e / d] * away[e % d]);
                }
                CovarianceType::Diag => {
                    let own = &mut out.covariances[c * d..(c + 1) * d];
                    own.iter_mut().zip(&away).for_each(|(v, a)| *v += share * a * a);
                }
                CovarianceType::Spherical => {
                    out.covariances[c] += share * away.iter().map(|a| a * a).sum::<f64>() / d as f64;
                }
            }
            let mean = out.means.row_mut(c);
            for (m, p) in mean.iter_mut().zip(&self.mean) {
                *m = (self.mean_precision * p + total * *m) / precision;
            }
        }
        let size = form.size(d);
        for (own, nu) in out.covariances.chunks_exact_mut(size).zip(&degrees) {
            own.iter_mut().for_each(|v| *v /= nu);
        }
        out
    }
}

/// Mean and covariance (with n − 1) of all rows, from statistics of components; of diagonal forms only the diagonal is known.
fn whole(at: &Gaussians, sums: &GaussianSums) -> (Vec<f64>, Mat) {
    let (k, d) = (at.n_components(), at.n_features());
    let total: f64 = sums.totals.iter().sum();
    let (mut first, mut second) = (vec![0.0; d], Mat::zeros(d, d));
    for c in 0..k {
        let away: Vec<f64> = match at.form {
            CovarianceType::Tied => vec![0.0; d],
            _ => at.means.row(c).iter().zip(&at.origin).map(|(m, o)| m - o).collect(),
        };
        let (step, spread) = unwhitened(at, sums, c);
        for i in 0..d {
            first[i] += step[i] + sums.totals[c] * away[i];
            for j in 0..d {
                second[(i, j)] += spread[(i, j)]
                    + step[i] * away[j]
                    + away[i] * step[j]
                    + sums.totals[c] * away[i] * away[j];
            }
        }
    }
    let mean: Vec<f64> = first.iter().map(|f| f / total).collect();
    // Of a single row nothing is known of the spread.
    let free = if total > 1.0 { total - 1.0 } else { total };
    let covariance = Mat::from_fn(d, d, |i, j| (second[(i, j)] - total * mean[i] * mean[j]) / free);
    (mean.iter().zip(&at.origin).map(|(m, o)| m + o).collect(), covariance)
}

/// Σ r (x − m) and Σ r (x − m)(x − m)ᵀ of component `c`; of shared covariances from the origin, all in the first.
fn unwhitened(at: &Gaussians, sums: &GaussianSums, c: usize) -> (Vec<f64>, Mat) {
    let d = at.n_features();
    let firsts = &sums.firsts[c * d..(c + 1) * d];
    match at.form {
        CovarianceType::Full | CovarianceType::Tied => {
            let l = root(at.factor(c), d);
            let step = (0..d).map(|i| mercer_math::dot(l.row(i), firsts)).collect();
            let place = if at.form == CovarianceType::Full { c } else { 0 };
            if at.form == CovarianceType::Tied && c > 0 {
                return (step, Mat::zeros(d, d));
            }
            let half = matmul(l.view(), square(&sums.seconds[place * d * d..(place + 1) * d * d], d));
            (step, matmul(half.view(), l.view().t()))
        }
        CovarianceType::Diag | CovarianceType::Spherical => {
            let factor = |j: usize| at.factor(c)[j % at.factor(c).len()];
            let step = (0..d).map(|j| firsts[j] / factor(j)).collect();
            let second =
                |i: usize, j: usize| if i == j { sums.seconds[c * d + j] / factor(j).powi(2) } else { 0.0 };
            (step, Mat::from_fn(d, d, second))
        }
    }
}
