//! Student's t law of several numbers.

use crate::draw::log_gamma;
use crate::gaussian::{Gaussian, factor};
use mercer_core::{Error, Result};
use mercer_math::special::{digamma, lgamma};
use mercer_math::{Mat, MatRef, Rng};
use std::f64::consts::PI;

/// Student's t law of several numbers: a Gaussian vector divided by the root of an independent mean square.
#[derive(Clone, Debug, PartialEq)]
pub struct MultivariateStudent {
    df: f64,
    of: Gaussian,
}

impl MultivariateStudent {
    /// The law with these degrees of freedom, location and positive definite shape.
    pub fn new(df: f64, location: Vec<f64>, shape: Mat) -> Result<Self> {
        if !(0.0 < df && df.is_finite()) {
            return Err(Error::param("MultivariateStudent", "df", "in (0, inf)", df));
        }
        let of = Gaussian::new(location, shape)?;
        factor(of.covariance())?;
        Ok(Self { df, of })
    }

    /// The logarithm of the density.
    pub fn log_density(&self, x: &[f64]) -> Result<f64> {
        if x.len() != self.of.dim() {
            return Err(Error::shape("x", self.of.dim(), x.len()));
        }
        let row = MatRef::row_major(x, 1, x.len()).ok_or_else(|| Error::shape("x", self.of.dim(), 0))?;
        Ok(self.log_densities(row)?[0])
    }

    /// The logarithm of the density at each row: the shape is factored once for all.
    pub fn log_densities(&self, rows: MatRef<'_>) -> Result<Vec<f64>> {
        let (mut found, log_det) = self.of.distances(Some(rows))?;
        let d = self.of.dim() as f64;
        let both = 0.5 * (self.df + d);
        let norm = lgamma(both) - lgamma(0.5 * self.df) - 0.5 * (d * (self.df * PI).ln() + log_det);
        found.iter_mut().for_each(|v| *v = norm - both * (*v / self.df).ln_1p());
        Ok(found)
    }

    /// A draw.
    pub fn draw(&self, rng: &mut Rng) -> Result<Vec<f64>> {
        Ok(self.draws(1, rng)?.into_vec())
    }

    /// Draws, one a row: the shape is factored once for all.
    pub fn draws(&self, n: usize, rng: &mut Rng) -> Result<Mat> {
        let mut out = self.of.draws(n, rng)?;
        for i in 0..n {
            let unit = (0.5 * ((0.5 * self.df).ln() - log_gamma(rng, 0.5 * self.df))).exp();
            out.row_mut(i).iter_mut().zip(self.of.mean()).for_each(|(v, m)| *v = m + unit * (*v - m));
        }
        Ok(out)
    }

    /// The mean, which is the location; NaN where the degrees of freedom are too few.
    pub fn mean(&self) -> Vec<f64> {
        if self.df > 1.0 { self.of.mean().to_vec() } else { vec![f64::NAN; self.of.dim()] }
    }

    /// The differential entropy in nats.
    pub fn entropy(&self) -> Result<f64> {
        let (half, both) = (0.5 * self.df, 0.5 * (self.df + self.of.dim() as f64));
        let log_det = factor(self.of.covariance())?.log_det();
        Ok(lgamma(half) - lgamma(both)
            + 0.5 * (self.of.dim() as f64 * (self.df * PI).ln() + log_det)
            + both * (digamma(both) - digamma(half)))
    }

    /// The covariance, df / (df − 2) times the shape; infinite where the degrees of freedom are too few.
    pub fn covariance(&self) -> Mat {
        let factor = if self.df > 2.0 { self.df / (self.df - 2.0) } else { f64::INFINITY };
        Mat::from_fn(self.of.dim(), self.of.dim(), |i, j| factor * self.of.covariance()[(i, j)])
    }
}
