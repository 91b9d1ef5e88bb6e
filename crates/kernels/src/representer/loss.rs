//! Convex losses by their conjugates, which is all that a dual ascent needs to know of them.

use serde::{Deserialize, Serialize};

/// A convex loss $\ell(r) = \max_b\, b r - \ell^*(b)$ of what is missing, $r = t - \sigma f$: the target less the output, or one
/// less the margin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ConvexLoss {
    /// $\ell^*(b) = \epsilon|b| + \tfrac{\rho}{2} b^2$ for $b$ in an interval: squares, Huber's, hinges, quantiles and what
    /// is insensitive to little.
    Quadratic {
        /// What is too little to matter, ε.
        epsilon: f64,
        /// The curvature of the conjugate, ρ.
        soft: f64,
        /// The interval's ends.
        low: f64,
        /// The interval's ends.
        high: f64,
    },
    /// $\ell(r) = \ln(1 + e^r)$: the conjugate is the negative entropy on $[0, 1]$.
    Log,
}

impl ConvexLoss {
    /// ½r².
    pub const SQUARED: Self =
        Self::Quadratic { epsilon: 0.0, soft: 1.0, low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// max(0, r).
    pub const HINGE: Self = Self::Quadratic { epsilon: 0.0, soft: 0.0, low: 0.0, high: 1.0 };
    /// ½max(0, r)².
    pub const SQUARED_HINGE: Self =
        Self::Quadratic { epsilon: 0.0, soft: 1.0, low: 0.0, high: f64::INFINITY };
    /// max(0, r)² up to 2, from there on 4r − 4.
    pub const MODIFIED_HUBER: Self = Self::Quadratic { epsilon: 0.0, soft: 0.5, low: 0.0, high: 4.0 };

    /// ½r² up to ε, from there on ε|r| − ½ε².
    pub fn huber(epsilon: f64) -> Self {
        Self::Quadratic { epsilon: 0.0, soft: 1.0, low: -epsilon, high: epsilon }
    }

    /// max(0, |r| − ε).
    pub fn insensitive(epsilon: f64) -> Self {
        Self::Quadratic { epsilon, soft: 0.0, low: -1.0, high: 1.0 }
    }

    /// ½max(0, |r| − ε)².
    pub fn squared_insensitive(epsilon: f64) -> Self {
        Self::Quadratic { epsilon, soft: 1.0, low: f64::NEG_INFINITY, high: f64::INFINITY }
    }

    /// τ r above zero, (τ − 1) r below: its minimum is the τ-quantile.
    pub fn pinball(quantile: f64) -> Self {
        Self::Quadratic { epsilon: 0.0, soft: 0.0, low: quantile - 1.0, high: quantile }
    }

    /// ℓ(r).
    pub fn value(self, r: f64) -> f64 {
        match self {
            Self::Quadratic { epsilon, soft, .. } => {
                let b = self.maximiser(r, soft);
                b * r - epsilon * b.abs() - 0.5 * soft * b * b
            }
            Self::Log => mercer_math::log1p_exp(r),
        }
    }

    /// s ℓ*(b/s) for the weight s: finite wherever steps lead.
    pub fn conjugate(self, b: f64, weight: f64) -> f64 {
        let entropy = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
        match self {
            Self::Quadratic { epsilon, soft, .. } => epsilon * b.abs() + 0.5 * soft * b * b / weight,
            Self::Log => weight * (entropy(b / weight) + entropy(1.0 - b / weight)),
        }
    }

    /// The maximum over b of b r − s ℓ*(b/s) − ½q (b − b₀)²: where one coordinate of the dual goes.
    pub fn step(self, r: f64, q: f64, before: f64, weight: f64) -> f64 {
        match self {
            Self::Quadratic { soft, .. } => {
                // Over the weight, the same problem has weight 1.
                weight * self.maximiser(r + q * before, soft + q * weight)
            }
            Self::Log => {
                // b = s σ(u), where u + q(s σ(u) − b₀) = r: the left side rises with slope of at least 1.
                let (mut low, mut high) = (r - q * (weight - before), r + q * before);
                let mut u = 0.5 * (low + high);
                for _ in 0..60 {
                    let share = 1.0 / (1.0 + (-u).exp());
                    let off = u + q * (weight * share - before) - r;
                    if off > 0.0 {
                        high = u
                    } else {
                        low = u
                    }
                    let next = u - off / (1.0 + q * weight * share * (1.0 - share));
                    let next = if (low..=high).contains(&next) { next } else { 0.5 * (low + high) };
                    let moved = (next - u).abs();
                    u = next;
                    if moved <= 1e-15 * u.abs().max(1.0) {
                        break;
                    }
                }
                weight / (1.0 + (-u).exp())
            }
        }
    }

    /// The b of the interval where b r − ε|b| − ½·curvature·b² is greatest.
    fn maximiser(self, r: f64, curvature: f64) -> f64 {
        let Self::Quadratic { epsilon, low, high, .. } = self else { return 0.0 };
        let pull = r.signum() * (r.abs() - epsilon).max(0.0);
        let b = if curvature > 0.0 {
            pull / curvature
        } else if pull == 0.0 {
            0.0
        } else {
            pull * f64::INFINITY
        };
        b.clamp(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Book = (ConvexLoss, fn(f64) -> f64);

    fn all() -> Vec<Book> {
        vec![
            (ConvexLoss::SQUARED, |r| 0.5 * r * r),
            (ConvexLoss::HINGE, |r| r.max(0.0)),
            (ConvexLoss::SQUARED_HINGE, |r| 0.5 * r.max(0.0).powi(2)),
            (ConvexLoss::MODIFIED_HUBER, |r| if r < 2.0 { r.max(0.0).powi(2) } else { 4.0 * r - 4.0 }),
            (ConvexLoss::huber(0.7), |r| if r.abs() <= 0.7 { 0.5 * r * r } else { 0.7 * r.abs() - 0.245 }),
            (ConvexLoss::insensitive(0.3), |r| (r.abs() - 0.3).max(0.0)),
            (ConvexLoss::squared_insensitive(0.3), |r| 0.5 * (r.abs() - 0.3).max(0.0).powi(2)),
            (ConvexLoss::pinball(0.9), |r| if r > 0.0 { 0.9 * r } else { -0.1 * r }),
            (ConvexLoss::Log, |r| (1.0 + r.exp()).ln()),
        ]
    }

    #[test]
    fn conjugates_give_the_losses_of_the_books() {
        for (loss, expected) in all() {
            for r in (-30..30).map(|i| f64::from(i) * 0.173) {
                assert!((loss.value(r) - expected(r)).abs() < 1e-12, "{loss:?} at {r}");
            }
        }
    }

    #[test]
    fn steps_reach_the_maximum_of_one_coordinate() {
        for (loss, _) in all() {
            for (r, q, before, weight) in [(0.8, 1.3, 0.2, 1.0), (-2.0, 0.4, 0.1, 2.0), (3.0, 5.0, 0.0, 0.5)]
            {
                let reached =
                    |b: f64| b * r - loss.conjugate(b, weight) - 0.5 * q * (b - before) * (b - before);
                let best = loss.step(r, q, before, weight);
                let (low, high) = match loss {
                    ConvexLoss::Quadratic { low, high, .. } => (weight * low, weight * high),
                    ConvexLoss::Log => (0.0, weight),
                };
                for other in (-400..400).map(|i| f64::from(i) * 0.01).filter(|b| (low..=high).contains(b)) {
                    assert!(reached(best) >= reached(other) - 1e-12, "{loss:?}: {best} below {other}");
                }
            }
        }
    }
}
