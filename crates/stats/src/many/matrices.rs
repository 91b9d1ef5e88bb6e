//! Laws of covariance matrices: Wishart's and its inverse.

use crate::draw::log_gamma;
use crate::gaussian::{factor, square};
use mercer_core::{Error, Result};
use mercer_math::special::{digamma, lgamma};
use mercer_math::{Cholesky, Mat, Rng, matmul, normal, symmetrise};
use std::f64::consts::{LN_2, PI};

/// The logarithm of the multivariate gamma function Γ_d(a).
fn log_multigamma(a: f64, d: usize) -> f64 {
    let turns = 0.25 * (d * d.saturating_sub(1)) as f64 * PI.ln();
    turns + (0..d).map(|j| lgamma(a - 0.5 * j as f64)).sum::<f64>()
}

fn checked(name: &str, df: f64, scale: &Mat) -> Result<Cholesky> {
    let d = scale.n_rows();
    square("scale", scale, d)?;
    if d == 0 {
        return Err(Error::too_few(name, "dimensions", 1, 0));
    }
    if !(df > d as f64 - 1.0 && df.is_finite()) {
        return Err(Error::param(name, "df", format!("above {} for {d} dimensions", d - 1), df));
    }
    factor(scale)
}

/// The trace of A⁻¹B, given the factor of A.
fn trace_of_quotient(a: &Cholesky, b: &Mat) -> f64 {
    let mut solved = b.clone();
    a.solve(&mut solved);
    (0..b.n_rows()).map(|i| solved[(i, i)]).sum()
}

/// Wishart's law: the sum of xxᵀ over as many Gaussian vectors of covariance V as there are degrees of freedom.
#[derive(Clone, Debug, PartialEq)]
pub struct Wishart {
    df: f64,
    scale: Mat,
}

impl Wishart {
    /// The law with these degrees of freedom, which need not be whole, and this scale V.
    pub fn new(df: f64, scale: Mat) -> Result<Self> {
        checked("Wishart", df, &scale).map(|_| Self { df, scale })
    }

    /// The logarithm of the density at a positive definite matrix; minus infinity elsewhere.
    pub fn log_density(&self, x: &Mat) -> Result<f64> {
        let d = self.scale.n_rows();
        square("x", x, d)?;
        let Some(of_x) = Cholesky::new(x) else { return Ok(f64::NEG_INFINITY) };
        let scale = factor(&self.scale)?;
        let (n, p) = (self.df, d as f64);
        Ok(0.5 * (n - p - 1.0) * of_x.log_det()
            - 0.5 * trace_of_quotient(&scale, x)
            - 0.5 * n * p * LN_2
            - 0.5 * n * scale.log_det()
            - log_multigamma(0.5 * n, d))
    }

    /// A draw.
    pub fn draw(&self, rng: &mut Rng) -> Result<Mat> {
        Ok(self.drawn(&factor(&self.scale)?.l(), rng))
    }

    /// Draws: the scale is factored once for all.
    pub fn draws(&self, n: usize, rng: &mut Rng) -> Result<Vec<Mat>> {
        let root = factor(&self.scale)?.l();
        Ok((0..n).map(|_| self.drawn(&root, rng)).collect())
    }

    /// A draw by Bartlett's decomposition, given the scale's lower factor.
    fn drawn(&self, root: &Mat, rng: &mut Rng) -> Mat {
        let d = self.scale.n_rows();
        let mut a = Mat::zeros(d, d);
        for i in 0..d {
            a[(i, i)] = (0.5 * (LN_2 + log_gamma(rng, 0.5 * (self.df - i as f64)))).exp();
            (0..i).for_each(|j| a[(i, j)] = normal(rng));
        }
        let root = matmul(root.view(), a.view());
        let mut out = matmul(root.view(), root.view().t());
        symmetrise(&mut out);
        out
    }

    /// The variance of each number, df (Vᵢⱼ² + Vᵢᵢ Vⱼⱼ).
    pub fn variance(&self) -> Mat {
        let (d, v) = (self.scale.n_rows(), &self.scale);
        Mat::from_fn(d, d, |i, j| self.df * (v[(i, j)] * v[(i, j)] + v[(i, i)] * v[(j, j)]))
    }

    /// The mean, df · V.
    pub fn mean(&self) -> Mat {
        Mat::from_fn(self.scale.n_rows(), self.scale.n_rows(), |i, j| self.df * self.scale[(i, j)])
    }

    /// The differential entropy in nats.
    pub fn entropy(&self) -> Result<f64> {
        let (n, d) = (self.df, self.scale.n_rows());
        let p = d as f64;
        let logs: f64 = (0..d).map(|j| digamma(0.5 * (n - j as f64))).sum();
        Ok(0.5 * (p + 1.0) * factor(&self.scale)?.log_det()
            + 0.5 * p * (p + 1.0) * LN_2
            + log_multigamma(0.5 * n, d)
            - 0.5 * (n - p - 1.0) * logs
            + 0.5 * n * p)
    }
}

/// The law of the inverse of a Wishart matrix of scale Ψ⁻¹: the conjugate prior of a Gaussian covariance.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseWishart {
    df: f64,
    scale: Mat,
}

impl InverseWishart {
    /// The law with these degrees of freedom and this scale Ψ.
    pub fn new(df: f64, scale: Mat) -> Result<Self> {
        checked("InverseWishart", df, &scale).map(|_| Self { df, scale })
    }

    /// The logarithm of the density at a positive definite matrix; minus infinity elsewhere.
    pub fn log_density(&self, x: &Mat) -> Result<f64> {
        let d = self.scale.n_rows();
        square("x", x, d)?;
        let Some(of_x) = Cholesky::new(x) else { return Ok(f64::NEG_INFINITY) };
        let scale = factor(&self.scale)?;
        let (n, p) = (self.df, d as f64);
        Ok(0.5 * n * scale.log_det()
            - 0.5 * (n + p + 1.0) * of_x.log_det()
            - 0.5 * trace_of_quotient(&of_x, &self.scale)
            - 0.5 * n * p * LN_2
            - log_multigamma(0.5 * n, d))
    }

    /// A draw.
    pub fn draw(&self, rng: &mut Rng) -> Result<Mat> {
        Ok(self.draws(1, rng)?.swap_remove(0))
    }

    /// Draws: the scale is inverted once for all.
    pub fn draws(&self, n: usize, rng: &mut Rng) -> Result<Vec<Mat>> {
        let scale = factor(&self.scale)?.inverse();
        let mut out = Wishart { df: self.df, scale }.draws(n, rng)?;
        for drawn in &mut out {
            *drawn = factor(drawn)?.inverse();
            symmetrise(drawn);
        }
        Ok(out)
    }

    /// The variance of each number; infinite where the degrees of freedom are too few.
    pub fn variance(&self) -> Mat {
        let (d, v) = (self.scale.n_rows(), &self.scale);
        let free = self.df - d as f64;
        let bottom = free * (free - 1.0).powi(2) * (free - 3.0);
        let top =
            |i: usize, j: usize| (free + 1.0) * v[(i, j)] * v[(i, j)] + (free - 1.0) * v[(i, i)] * v[(j, j)];
        Mat::from_fn(d, d, |i, j| if free > 3.0 { top(i, j) / bottom } else { f64::INFINITY })
    }

    /// The differential entropy in nats.
    pub fn entropy(&self) -> Result<f64> {
        let (n, d) = (self.df, self.scale.n_rows());
        let p = d as f64;
        let logs: f64 = (0..d).map(|j| digamma(0.5 * (n - j as f64))).sum();
        Ok(log_multigamma(0.5 * n, d)
            + 0.5 * p * n
            + 0.5 * (p + 1.0) * (factor(&self.scale)?.log_det() - LN_2)
            - 0.5 * (n + p + 1.0) * logs)
    }

    /// The mean Ψ / (df − d − 1); infinite where the degrees of freedom are too few.
    pub fn mean(&self) -> Mat {
        let d = self.scale.n_rows();
        let bottom = self.df - d as f64 - 1.0;
        let at = |i: usize, j: usize| if bottom > 0.0 { self.scale[(i, j)] / bottom } else { f64::INFINITY };
        Mat::from_fn(d, d, at)
    }
}
