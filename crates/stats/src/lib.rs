//! Laws of chance, Gaussian calculus, estimators and what is known of them.
//!
//! A law of one number is [`Univariate`]; laws come in a [`Family`], which can be asked for by name. [`Gaussian`] has the calculus
//! of many numbers; [`Dirichlet`], [`Multinomial`], [`Wishart`], [`InverseWishart`] and [`MultivariateStudent`] are the others.
//! [`mle`] and [`map_estimate`] fit a family, [`study`] reports bias, variance and efficiency of any estimator by simulation.
//!
//! # Example
//! ```
//! use mercer_stats::{Family, Normal, Univariate, mle};
//! let law = Normal::new(1.0, 2.0)?;
//! assert!((law.cdf(law.quantile(0.9)) - 0.9).abs() < 1e-14);
//! let fitted = mle(Family::named("normal")?, &[1.0, 3.0], None, &[])?;
//! assert_eq!(fitted.parameters, [2.0, 1.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```

pub mod draw;
mod estimate;
mod family;
mod gaussian;
mod information;
mod laws;
mod many;
mod moments;
mod updates;

pub use estimate::{Estimate, Study, average, james_stein, map_estimate, mle, sample_of_run, study};
pub use family::{Domain, Family, Likelihood, Parameter, Univariate};
pub use gaussian::{Gaussian, Quadratic};
pub use laws::{
    Bernoulli, Beta, Binomial, Cauchy, ChiSquared, Exponential, FisherF, Gamma, Geometric, InverseGamma,
    Laplace, LogNormal, Logistic, NegativeBinomial, Normal, Pareto, Poisson, StudentT, Uniform, Weibull,
};
pub use many::{Dirichlet, InverseWishart, Multinomial, MultivariateStudent, Wishart};
pub use updates::{Definiteness, definiteness, matrix_norm, sherman_morrison, vector_norm, woodbury};

/// All families of laws of one number.
pub const FAMILIES: &[&Family] = &[
    Normal::FAMILY,
    LogNormal::FAMILY,
    Uniform::FAMILY,
    Exponential::FAMILY,
    Gamma::FAMILY,
    InverseGamma::FAMILY,
    ChiSquared::FAMILY,
    Beta::FAMILY,
    StudentT::FAMILY,
    FisherF::FAMILY,
    Cauchy::FAMILY,
    Laplace::FAMILY,
    Logistic::FAMILY,
    Weibull::FAMILY,
    Pareto::FAMILY,
    Bernoulli::FAMILY,
    Binomial::FAMILY,
    Geometric::FAMILY,
    NegativeBinomial::FAMILY,
    Poisson::FAMILY,
];
