//! Families of a power of the mean with their links: deviances, derivatives by the score, likelihoods.

use mercer_core::{Error, ErrorKind, Result};
use mercer_math::Weights;
use mercer_measure::{Link, Loss, tweedie_deviance};
use serde::{Deserialize, Serialize};

/// A law whose variance grows with a power p of its mean, V(μ) = μ^p, and whether the score is the logarithm of the mean
/// or the mean itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Family {
    pub(super) power: f64,
    pub(super) log: bool,
}

/// Which second derivative is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Curved {
    /// That of the deviance where it is convex, else its expectation, which is never negative.
    Convex,
    /// Its expectation under the model: Fisher's information.
    Expected,
}

impl Family {
    pub(super) fn link(self) -> Link {
        if self.log { Link::Log } else { Link::Identity }
    }

    /// The loss that has the same derivatives, where `measure` has it.
    fn loss(self) -> Option<Loss> {
        match self.power {
            _ if !self.log => (self.power == 0.0).then_some(Loss::HalfSquared),
            1.0 => Some(Loss::Poisson),
            2.0 => Some(Loss::Gamma),
            power if power > 1.0 && power < 2.0 => Some(Loss::Tweedie { power }),
            _ => None,
        }
    }

    /// Whether the deviance is convex in the score for every target.
    pub(super) fn convex(self) -> bool {
        self.loss().is_some() || (!self.log && self.power == 1.0)
    }

    /// Whether a mean is one of this family.
    pub(super) fn has_mean(self, mean: f64) -> bool {
        mean.is_finite() && (mean > 0.0 || (self.power == 0.0 && !self.log))
    }

    /// Refuses targets that the family has no deviance for; rows are those of the data.
    pub(super) fn check(self, who: &str, y: &[f64]) -> Result<()> {
        let (takes, hint): (fn(f64) -> bool, _) = match self.power {
            p if p >= 2.0 => (|y| y > 0.0, "; this family takes positive numbers"),
            p if p >= 1.0 => (|y| y >= 0.0, "; this family takes numbers that are not negative"),
            _ => (f64::is_finite, "; it takes finite numbers"),
        };
        let bad = |row: usize| ErrorKind::BadValue {
            learner: who.to_owned(),
            value: format!("the target {}", y[row]),
            column: "target".to_owned(),
            row,
            hint: hint.to_owned(),
        };
        y.iter().position(|&y| !(y.is_finite() && takes(y))).map_or(Ok(()), |row| Err(bad(row).into()))
    }

    /// The score of the mean of the target.
    pub(super) fn start(self, who: &str, mean: f64) -> Result<f64> {
        if !self.has_mean(mean) {
            let why = format!("the mean of the target is {mean}, where the family needs one above zero");
            return Err(Error::numeric(who, why));
        }
        Ok(self.link().score(mean))
    }

    /// The derivative of the loss by the score, for a target off its mean by `off`: off · dμ/dη / V(μ). Powers are
    /// taken together, so that they do not underflow one by one.
    pub(super) fn pull(self, mean: f64, off: f64) -> f64 {
        off * mean.powf(if self.log { 1.0 } else { 0.0 } - self.power)
    }

    /// Its expected derivative, (dμ/dη)² / V(μ).
    pub(super) fn information(self, mean: f64) -> f64 {
        mean.powf(if self.log { 2.0 } else { 0.0 } - self.power)
    }

    /// (y − μ)² / V(μ).
    pub(super) fn pearson(self, mean: f64, off: f64) -> f64 {
        (off * mean.powf(-0.5 * self.power)).powi(2)
    }

    /// Half the deviance of rows with these scores, summed by weight, with its derivatives by the score times the weight;
    /// `scores` become means. Infinite where a score has no mean; then the derivatives mean nothing.
    pub(super) fn evaluate(
        self,
        y: &[f64],
        scores: &mut [f64],
        weights: Weights<'_>,
        curved: Curved,
        (gradient, curvature): (&mut [f64], &mut [f64]),
    ) -> f64 {
        let by_loss = self.loss().filter(|_| curved == Curved::Convex);
        if let Some(loss) = by_loss {
            loss.gradients(y, scores, weights, gradient, curvature);
        }
        self.link().means(scores);
        if by_loss.is_none() {
            for (i, (&y, &mean)) in y.iter().zip(&*scores).enumerate() {
                gradient[i] = weights[i] * self.pull(mean, mean - y);
                if let Some(h) = curvature.get_mut(i) {
                    // y/μ² is the second derivative of the Poisson deviance of the mean itself.
                    let observed = curved == Curved::Convex && !self.log && self.power == 1.0;
                    *h = weights[i] * if observed { y / mean / mean } else { self.information(mean) };
                }
            }
        }
        let total = weights.total(y.len());
        if total == 0.0 {
            return 0.0;
        }
        let mean = tweedie_deviance(y, scores, self.power, weights.given());
        0.5 * total * mean.unwrap_or(f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_deviance() {
        let powers = [
            (0.0, false),
            (0.0, true),
            (1.0, true),
            (1.0, false),
            (1.5, true),
            (2.0, true),
            (2.0, false),
            (3.0, true),
        ];
        for (power, log) in powers {
            let family = Family { power, log };
            let at = |f: f64, curved| {
                let (mut g, mut h) = ([0.0; 2], [0.0; 2]);
                let weights = [1.0, 2.0];
                let value = family.evaluate(
                    &[1.7, 0.4],
                    &mut [f, f],
                    Weights::of(&Some(&weights[..])),
                    curved,
                    (&mut g, &mut h),
                );
                (value, g[0] + g[1], h[0] + h[1])
            };
            let (f, e) = (0.8, 1e-5);
            let (up, down, here) =
                (at(f + e, Curved::Convex), at(f - e, Curved::Convex), at(f, Curved::Convex));
            assert!(((up.0 - down.0) / (2.0 * e) - here.1).abs() < 1e-8, "{family:?}");
            if family.convex() {
                assert!(((up.1 - down.1) / (2.0 * e) - here.2).abs() < 1e-8, "{family:?}");
            }
            // Where the targets are what is expected, both curvatures agree.
            assert!(at(f, Curved::Expected).2 > 0.0);
        }
        assert!(Family { power: 2.0, log: true }.check("it", &[1.0, 0.0]).is_err());
        assert!(Family { power: 1.0, log: true }.check("it", &[1.0, 0.0]).is_ok());
    }
}
