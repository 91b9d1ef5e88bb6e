//! The laws themselves, by kinship.

mod beta;
mod counts;
mod gamma;
mod normal;
mod student;
mod tails;
mod trials;

pub use beta::{Beta, Uniform};
pub use counts::{NegativeBinomial, Poisson};
pub use gamma::{ChiSquared, Exponential, Gamma, InverseGamma};
pub use normal::{LogNormal, Normal};
pub use student::{Cauchy, FisherF, StudentT};
pub use tails::{Laplace, Logistic, Pareto, Weibull};
pub use trials::{Bernoulli, Binomial, Geometric};

use mercer_math::Mat;

/// A symmetric matrix of two parameters.
fn two(a: f64, both: f64, b: f64) -> Option<Mat> {
    Some(Mat::from_fn(2, 2, |i, j| [[a, both], [both, b]][i][j]))
}

/// A matrix of one parameter.
fn one(a: f64) -> Option<Mat> {
    Some(Mat::from_fn(1, 1, |_, _| a))
}

/// Whether a number is whole and at least `first`.
fn whole(x: f64, first: f64) -> bool {
    x >= first && x == x.floor() && x.is_finite()
}

/// A share within which a logarithm of odds is finite.
fn inner_share(p: f64) -> f64 {
    p.clamp(1e-12, 1.0 - 1e-12)
}
