//! Dual numbers: gradients without writing any.

use mercer_core::{Density, LogDensity, Result};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};
use std::sync::Arc;

/// Directions that one evaluation differentiates along.
const LANES: usize = 8;

/// A number with its derivatives along some directions, which arithmetic carries along by the chain rule.
///
/// # Example
/// ```
/// use mercer_bayes::{Dual, dual_density};
/// let ring = dual_density("ring", 2, |x: &[Dual]| {
///     let radius = (x[0] * x[0] + x[1] * x[1]).sqrt();
///     -0.5 * ((radius - 3.0) / 0.5).powi(2)
/// });
/// let mut gradient = [0.0; 2];
/// let value = ring.log_density_and_gradient(&[4.0, 0.0], &mut gradient).unwrap()?;
/// assert_eq!((value, gradient), (-2.0, [-4.0, 0.0]));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    /// The number.
    pub value: f64,
    slope: [f64; LANES],
}

impl Dual {
    /// f(x), whose derivative is `slope` at x.
    #[inline]
    fn chain(self, value: f64, slope: f64) -> Self {
        Self { value, slope: self.slope.map(|s| s * slope) }
    }

    /// eˣ.
    #[must_use]
    pub fn exp(self) -> Self {
        let value = self.value.exp();
        self.chain(value, value)
    }
    /// ln x.
    #[must_use]
    pub fn ln(self) -> Self {
        self.chain(self.value.ln(), 1.0 / self.value)
    }
    /// ln(1 + x).
    #[must_use]
    pub fn ln_1p(self) -> Self {
        self.chain(self.value.ln_1p(), 1.0 / (1.0 + self.value))
    }
    /// √x.
    #[must_use]
    pub fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        self.chain(value, 0.5 / value)
    }
    /// xⁿ.
    #[must_use]
    pub fn powi(self, n: i32) -> Self {
        self.chain(self.value.powi(n), f64::from(n) * self.value.powi(n - 1))
    }
    /// xᵖ.
    #[must_use]
    pub fn powf(self, p: f64) -> Self {
        self.chain(self.value.powf(p), p * self.value.powf(p - 1.0))
    }
    /// sin x.
    #[must_use]
    pub fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos())
    }
    /// cos x.
    #[must_use]
    pub fn cos(self) -> Self {
        self.chain(self.value.cos(), -self.value.sin())
    }
    /// tanh x.
    #[must_use]
    pub fn tanh(self) -> Self {
        let value = self.value.tanh();
        self.chain(value, 1.0 - value * value)
    }
    /// |x|.
    #[must_use]
    pub fn abs(self) -> Self {
        self.chain(self.value.abs(), self.value.signum())
    }
    /// ln(1 + eˣ), without overflow.
    #[must_use]
    pub fn log1p_exp(self) -> Self {
        self.chain(mercer_math::log1p_exp(self.value), 1.0 / (1.0 + (-self.value).exp()))
    }
}

impl From<f64> for Dual {
    fn from(value: f64) -> Self {
        Self { value, slope: [0.0; LANES] }
    }
}

/// a·x + b·y of the slopes.
#[inline]
fn mixed(a: f64, x: &[f64; LANES], b: f64, y: &[f64; LANES]) -> [f64; LANES] {
    std::array::from_fn(|l| a * x[l] + b * y[l])
}

impl Add for Dual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, slope: mixed(1.0, &self.slope, 1.0, &other.slope) }
    }
}
impl Sub for Dual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, slope: mixed(1.0, &self.slope, -1.0, &other.slope) }
    }
}
impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let slope = mixed(other.value, &self.slope, self.value, &other.slope);
        Self { value: self.value * other.value, slope }
    }
}
impl Div for Dual {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self { value, slope: mixed(1.0 / other.value, &self.slope, -value / other.value, &other.slope) }
    }
}
impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        self.chain(-self.value, -1.0)
    }
}
impl AddAssign for Dual {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
impl Sum for Dual {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::from(0.0), Add::add)
    }
}

macro_rules! with_numbers {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait<f64> for Dual {
            type Output = Dual;
            fn $method(self, other: f64) -> Dual {
                $trait::$method(self, Dual::from(other))
            }
        }
        impl $trait<Dual> for f64 {
            type Output = Dual;
            fn $method(self, other: Dual) -> Dual {
                $trait::$method(Dual::from(self), other)
            }
        }
    )*};
}
with_numbers!(Add add, Sub sub, Mul mul, Div div);

/// A log density written in dual numbers.
struct Automatic<F>(usize, F);

impl<F: Fn(&[Dual]) -> Dual + Send + Sync> LogDensity for Automatic<F> {
    fn dim(&self) -> usize {
        self.0
    }

    fn log_density(&self, x: &[f64]) -> Result<f64> {
        Ok((self.1)(&x.iter().map(|v| Dual::from(*v)).collect::<Vec<_>>()).value)
    }

    fn log_density_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Option<Result<f64>> {
        let mut point: Vec<Dual> = x.iter().map(|v| Dual::from(*v)).collect();
        let mut value = f64::NAN;
        for (block, part) in gradient.chunks_mut(LANES).enumerate() {
            let own = block * LANES..(block * LANES + part.len());
            own.clone().enumerate().for_each(|(l, j)| point[j].slope[l] = 1.0);
            let found = (self.1)(&point);
            own.for_each(|j| point[j].slope = [0.0; LANES]);
            part.copy_from_slice(&found.slope[..part.len()]);
            value = found.value;
        }
        Some(Ok(value))
    }
}

/// A density from a function of dual numbers: its gradient comes with it, exact to rounding, at the cost of one evaluation for
/// every eight dimensions.
pub fn dual_density(name: &str, dim: usize, f: impl Fn(&[Dual]) -> Dual + Send + Sync + 'static) -> Density {
    Density::from_trait(name, Arc::new(Automatic(dim, f)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_every_function() {
        type Pair = (fn(Dual) -> Dual, fn(f64) -> f64);
        let functions: [Pair; 13] = [
            (Dual::exp, f64::exp),
            (Dual::ln, f64::ln),
            (Dual::ln_1p, f64::ln_1p),
            (Dual::sqrt, f64::sqrt),
            (|x| x.powi(3), |x| x.powi(3)),
            (|x| x.powf(1.7), |x| x.powf(1.7)),
            (Dual::sin, f64::sin),
            (Dual::cos, f64::cos),
            (Dual::tanh, f64::tanh),
            (|x| (-x).abs() / 3.0 + 1.0 / x, |x| x / 3.0 + 1.0 / x),
            (Dual::log1p_exp, |x| x.exp().ln_1p()),
            (|x| 2.0 * x * x - x, |x| 2.0 * x * x - x),
            (|x| [x, x * 2.0].into_iter().sum(), |x| 3.0 * x),
        ];
        for (k, (dual, plain)) in functions.into_iter().enumerate() {
            for x in [0.3, 1.1, 2.7] {
                let mut at = Dual::from(x);
                at.slope[3] = 1.0;
                let (found, h) = (dual(at), 1e-6);
                let slope = (plain(x + h) - plain(x - h)) / (2.0 * h);
                assert!((found.value - plain(x)).abs() < 1e-14, "function {k} at {x}");
                assert!(
                    (found.slope[3] - slope).abs() < 1e-7 && found.slope[0] == 0.0,
                    "function {k} at {x}"
                );
            }
        }
    }
}
