//! Learning rates: how they fall, and whether they fall as Robbins and Monro ask.

use crate::refuse::number;
use mercer_core::Result;
use serde::{Deserialize, Serialize};

/// A learning rate for every step k = 1, 2, ….
///
/// # Example
/// ```
/// use mercer_optim::Schedule;
/// let schedule = Schedule::RobbinsMonro { scale: 1.0, shift: 0.0, power: 1.0 };
/// assert_eq!(schedule.rate(4), 0.25);
/// assert!(schedule.robbins_monro().holds());
/// // A constant rate keeps Σ η² from converging: the last iterate goes on jumping around.
/// assert!(!Schedule::Constant(0.1).robbins_monro().holds());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Schedule {
    /// η.
    Constant(f64),
    /// η₀ / k^`power`, scikit-learn's `invscaling`.
    InverseScaling {
        /// The first rate.
        first: f64,
        /// How fast it falls.
        power: f64,
    },
    /// η₀ · `factor`^⌊(k − 1) / `every`⌋.
    Decaying {
        /// The first rate.
        first: f64,
        /// What is left of it after each interval.
        factor: f64,
        /// Steps of an interval.
        every: usize,
    },
    /// `scale` / (k + `shift`)^`power`.
    RobbinsMonro {
        /// The scale.
        scale: f64,
        /// How many steps are skipped, at least 0.
        shift: f64,
        /// How fast it falls.
        power: f64,
    },
}

/// Whether a schedule satisfies the conditions of Robbins and Monro, under which noisy steps converge almost surely.
///
/// H. Robbins, S. Monro. A stochastic approximation method. Ann. Math. Statist. 22(3), 1951.
/// doi:10.1214/aoms/1177729586
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RobbinsMonro {
    /// Σ ηₖ = ∞: every point can be reached.
    pub sum_diverges: bool,
    /// Σ ηₖ² < ∞: the noise dies out.
    pub squares_converge: bool,
}

impl RobbinsMonro {
    /// Both conditions.
    pub fn holds(&self) -> bool {
        self.sum_diverges && self.squares_converge
    }
}

impl Schedule {
    /// The rate of step `k`, from 1; step 0 has the rate of the first.
    pub fn rate(&self, k: u64) -> f64 {
        let k = k.max(1);
        match *self {
            Self::Constant(rate) => rate,
            Self::InverseScaling { first, power } => first / (k as f64).powf(power),
            Self::Decaying { first, factor, every } => {
                first * factor.powf(((k - 1) / every.max(1) as u64) as f64)
            }
            Self::RobbinsMonro { scale, shift, power } => scale / (k as f64 + shift).powf(power),
        }
    }

    /// Which conditions of Robbins and Monro hold: of c / (k + s)^p the sum diverges for p ≤ 1, that of the squares
    /// converges for p > ½; geometric decay converges in both.
    pub fn robbins_monro(&self) -> RobbinsMonro {
        let by_power = |size: f64, power: f64| RobbinsMonro {
            sum_diverges: size > 0.0 && power <= 1.0,
            squares_converge: size == 0.0 || power > 0.5,
        };
        match *self {
            Self::Constant(rate) => by_power(rate, 0.0),
            Self::InverseScaling { first, power } => by_power(first, power),
            Self::Decaying { first, factor, .. } => match factor < 1.0 {
                true => RobbinsMonro { sum_diverges: false, squares_converge: true },
                false => by_power(first, 0.0),
            },
            Self::RobbinsMonro { scale, power, .. } => by_power(scale, power),
        }
    }

    /// Refuses rates that are negative or not finite.
    pub(crate) fn check(&self, owner: &str) -> Result<()> {
        let range = |name: &str, v: f64| number(owner, name, "in [0, inf)", v, v >= 0.0 && v.is_finite());
        match *self {
            Self::Constant(rate) => range("rate", rate),
            Self::InverseScaling { first, power } => {
                range("first", first)?;
                range("power", power)
            }
            Self::Decaying { first, factor, .. } => {
                range("first", first)?;
                number(owner, "factor", "in (0, 1]", factor, factor > 0.0 && factor <= 1.0)
            }
            Self::RobbinsMonro { scale, shift, power } => {
                range("scale", scale)?;
                range("shift", shift)?;
                range("power", power)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_conditions() {
        let decaying = Schedule::Decaying { first: 1.0, factor: 0.5, every: 3 };
        let rates: Vec<f64> = (1..=7).map(|k| decaying.rate(k)).collect();
        assert_eq!(rates, [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.25]);
        assert_eq!(Schedule::InverseScaling { first: 2.0, power: 0.5 }.rate(4), 1.0);
        let of = |power| Schedule::RobbinsMonro { scale: 1.0, shift: 2.0, power }.robbins_monro();
        for (power, sum, squares) in
            [(0.5, true, false), (0.51, true, true), (1.0, true, true), (1.01, false, true)]
        {
            assert_eq!(of(power), RobbinsMonro { sum_diverges: sum, squares_converge: squares }, "{power}");
        }
        assert!(!decaying.robbins_monro().sum_diverges && decaying.robbins_monro().squares_converge);
        assert!(Schedule::Constant(-1.0).check("test").is_err());
        assert!(Schedule::Decaying { first: 1.0, factor: f64::NAN, every: 1 }.check("test").is_err());
    }

    /// The verdicts against partial sums: doubling the terms adds as much again, or next to nothing.
    #[test]
    fn partial_sums_agree() {
        let sums = |s: &Schedule, n: u64| {
            (1..=n).fold((0.0, 0.0), |(a, b), k| (a + s.rate(k), b + s.rate(k) * s.rate(k)))
        };
        for power in [0.3, 0.75, 1.0, 1.5] {
            let schedule = Schedule::RobbinsMonro { scale: 1.0, shift: 0.0, power };
            let (some, more) = (sums(&schedule, 1 << 16), sums(&schedule, 1 << 20));
            let verdict = schedule.robbins_monro();
            assert_eq!(more.0 - some.0 > 1.0, verdict.sum_diverges, "{power}");
            assert_eq!(more.1 - some.1 < 0.1, verdict.squares_converge, "{power}");
        }
    }
}
