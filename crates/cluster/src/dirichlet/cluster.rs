//! A Gaussian cluster under its conjugate prior, to which rows are added and from which they are taken one by one.

use mercer_core::{Error, Result};
use mercer_math::special::lgamma;
use mercer_math::{Cholesky, Mat};
use serde::{Deserialize, Serialize};

/// The normal-inverse-Wishart prior of a cluster's mean and covariance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NormalWishart {
    pub(crate) mean: Vec<f64>,
    /// How many rows the prior mean is worth.
    pub(crate) precision: f64,
    pub(crate) degrees: f64,
    /// The lower Cholesky factor of the scale matrix.
    pub(crate) root: Mat,
}

impl NormalWishart {
    pub(crate) fn new(name: &str, mean: Vec<f64>, precision: f64, degrees: f64, scale: &Mat) -> Result<Self> {
        let factor = Cholesky::new(scale);
        let root =
            factor.ok_or_else(|| Error::param(name, "covariance_prior", "positive definite", "others"))?.l();
        Ok(Self { mean, precision, degrees, root })
    }

    /// A cluster without rows.
    pub(crate) fn empty(&self) -> Cluster {
        Cluster { n: 0, mean: self.mean.clone(), root: self.root.clone() }
    }

    /// ln p(rows of the cluster), with mean and covariance left out.
    pub(crate) fn log_evidence(&self, cluster: &Cluster) -> f64 {
        let (d, n) = (self.mean.len(), cluster.n as f64);
        let (df, half) = (d as f64, 0.5 * (self.degrees + n));
        let gammas: f64 =
            (0..d).map(|j| lgamma(half - 0.5 * j as f64) - lgamma(0.5 * (self.degrees - j as f64))).sum();
        -0.5 * n * df * std::f64::consts::PI.ln()
            + gammas
            + 0.5 * df * (self.precision / (self.precision + n)).ln()
            + self.degrees * log_det(&self.root)
            - (self.degrees + n) * log_det(&cluster.root)
    }
}

/// The logarithm of the determinant of a triangular matrix.
fn log_det(root: &Mat) -> f64 {
    (0..root.n_rows()).map(|j| root[(j, j)].ln()).sum()
}

/// A cluster: how many rows it has, the posterior mean, and the lower Cholesky factor of the posterior scale matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cluster {
    pub(crate) n: usize,
    pub(crate) mean: Vec<f64>,
    pub(crate) root: Mat,
}

impl Cluster {
    /// Adds a row: a rank-one update of the factor.
    pub(crate) fn add(&mut self, prior: &NormalWishart, row: &[f64], work: &mut [f64]) {
        let kappa = prior.precision + self.n as f64;
        let size = (kappa / (kappa + 1.0)).sqrt();
        for (j, w) in work.iter_mut().enumerate() {
            let away = row[j] - self.mean[j];
            *w = size * away;
            self.mean[j] += away / (kappa + 1.0);
        }
        self.n += 1;
        update(&mut self.root, work);
    }

    /// Takes a row away; false where rounding leaves no factor, and the cluster is to be made anew from its rows.
    pub(crate) fn remove(&mut self, prior: &NormalWishart, row: &[f64], work: &mut [f64]) -> bool {
        let kappa = prior.precision + self.n as f64;
        let size = (kappa / (kappa - 1.0)).sqrt();
        for (j, w) in work.iter_mut().enumerate() {
            let away = row[j] - self.mean[j];
            *w = size * away;
            self.mean[j] -= away / (kappa - 1.0);
        }
        self.n -= 1;
        downdate(&mut self.root, work)
    }

    /// The logarithm of the predictive density at a row: Student's t; `norm` is [`Norms::of`] for this many rows.
    pub(crate) fn log_density(&self, prior: &NormalWishart, row: &[f64], norm: f64, work: &mut [f64]) -> f64 {
        let kappa = prior.precision + self.n as f64;
        let mut q = 0.0;
        for i in 0..row.len() {
            let own = self.root.row(i);
            let sum: f64 = own[..i].iter().zip(&*work).map(|(l, w)| l * w).sum();
            work[i] = (row[i] - self.mean[i] - sum) / own[i];
            q += work[i] * work[i];
        }
        let nu = prior.degrees + self.n as f64;
        norm - log_det(&self.root) - 0.5 * (nu + 1.0) * (kappa / (kappa + 1.0) * q).ln_1p()
    }
}

/// The normalisers of predictive densities, by the number of rows in a cluster.
#[derive(Clone, Debug)]
pub(crate) struct Norms(Vec<f64>);

impl Norms {
    pub(crate) fn new(prior: &NormalWishart, n: usize) -> Self {
        Self((0..=n).map(|m| Self::of(prior, m)).collect())
    }

    /// The normaliser for `m` rows, but for the determinant.
    pub(crate) fn of(prior: &NormalWishart, m: usize) -> f64 {
        let (d, kappa) = (prior.mean.len() as f64, prior.precision + m as f64);
        let nu = prior.degrees + m as f64;
        lgamma(0.5 * (nu + 1.0))
            - lgamma(0.5 * (nu + 1.0 - d))
            - 0.5 * d * (std::f64::consts::PI * (kappa + 1.0) / kappa).ln()
    }

    pub(crate) fn at(&self, m: usize) -> f64 {
        self.0[m]
    }
}

/// L becomes the factor of L Lᵀ + v vᵀ, by rotations; `v` is used up.
fn update(l: &mut Mat, v: &mut [f64]) {
    for j in 0..v.len() {
        let (own, x) = (l[(j, j)], v[j]);
        let r = own.hypot(x);
        let (c, s) = (r / own, x / own);
        l[(j, j)] = r;
        for i in j + 1..v.len() {
            let below = (l[(i, j)] + s * v[i]) / c;
            v[i] = c * v[i] - s * below;
            l[(i, j)] = below;
        }
    }
}

/// L becomes the factor of L Lᵀ − v vᵀ; false where there is none.
fn downdate(l: &mut Mat, v: &mut [f64]) -> bool {
    for j in 0..v.len() {
        let (own, x) = (l[(j, j)], v[j]);
        let left = (own - x) * (own + x);
        // What is left must be more than rounding.
        if left.is_nan() || left <= 1e-12 * own * own {
            return false;
        }
        let r = left.sqrt();
        let (c, s) = (r / own, x / own);
        l[(j, j)] = r;
        for i in j + 1..v.len() {
            let below = (l[(i, j)] - s * v[i]) / c;
            v[i] = c * v[i] - s * below;
            l[(i, j)] = below;
        }
    }
    true
}
