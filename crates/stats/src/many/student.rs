//! Student's t law of several numbers.

use crate::draw::log_gamma;
use crate::gaussian::{Gaussian, factor};
use mercer_core::{Error, Result};
use mercer_math::special::lgamma;
use mercer_math::{Mat, Rng, dot};
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
        let d = self.of.dim();
        if x.len() != d {
            return Err(Error::shape("x", d, x.len()));
        }
        let factor = factor(self.of.covariance())?;
        let away: Vec<f64> = x.iter().zip(self.of.mean()).map(|(x, m)| x - m).collect();
        let distance = dot(&away, &factor.solve_vec(&away));
        let both = 0.5 * (self.df + d as f64);
        Ok(lgamma(both)
            - lgamma(0.5 * self.df)
            - 0.5 * d as f64 * (self.df * PI).ln()
            - 0.5 * factor.log_det()
            - both * (distance / self.df).ln_1p())
    }

    /// A draw.
    pub fn draw(&self, rng: &mut Rng) -> Result<Vec<f64>> {
        let z = self.of.draw(rng)?;
        let unit = (0.5 * ((0.5 * self.df).ln() - log_gamma(rng, 0.5 * self.df))).exp();
        Ok(z.iter().zip(self.of.mean()).map(|(z, m)| m + unit * (z - m)).collect())
    }

    /// The covariance, df / (df − 2) times the shape; infinite where the degrees of freedom are too few.
    pub fn covariance(&self) -> Mat {
        let factor = if self.df > 2.0 { self.df / (self.df - 2.0) } else { f64::INFINITY };
        Mat::from_fn(self.of.dim(), self.of.dim(), |i, j| factor * self.of.covariance()[(i, j)])
    }
}
