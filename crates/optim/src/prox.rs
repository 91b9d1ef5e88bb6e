//! Proximal maps: the part of an objective that is not smooth, and the sets that a point is kept in.
//!
//! The map of r with step t takes v to the minimum of t r(x) + ½|x − v|². For the indicator of a set it is the
//! projection, whatever the step. N. Parikh, S. Boyd. Proximal algorithms. Foundations and Trends in Optimization 1(3),
//! 2014. doi:10.1561/2400000003

use crate::refuse::{length, number};
use mercer_core::{Error, Result};
use mercer_math::dot;

/// A convex function whose proximal map is known.
///
/// # Example
/// ```
/// use mercer_optim::Prox;
/// let mut v = [3.0, -0.2];
/// Prox::L1 { weight: 1.0 }.map(0.5, &mut v);
/// assert_eq!(v, [2.5, 0.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Prox {
    /// Zero: nothing happens.
    Zero,
    /// `weight` · Σ|xⱼ|: soft threshold.
    L1 {
        /// Its weight.
        weight: f64,
    },
    /// `weight`/2 · |x|²: shrinkage.
    L2 {
        /// Its weight.
        weight: f64,
    },
    /// `l1` · Σ|xⱼ| + `l2`/2 · |x|².
    ElasticNet {
        /// The weight of the absolute values.
        l1: f64,
        /// The weight of half the squares.
        l2: f64,
    },
    /// `weight` · Σ_g √|g| |x_g|₂ over groups of variables; variables in no group are left alone.
    Group {
        /// Its weight.
        weight: f64,
        /// The variables of each group; no variable twice.
        groups: Vec<Vec<usize>>,
    },
    /// lower ≤ x ≤ upper.
    Box {
        /// Lower bounds.
        lower: Vec<f64>,
        /// Upper bounds.
        upper: Vec<f64>,
    },
    /// x ≥ 0.
    NonNegative,
    /// x ≥ 0 with Σxⱼ = total.
    Simplex {
        /// The sum.
        total: f64,
    },
    /// |x|₂ ≤ radius.
    Ball {
        /// The radius.
        radius: f64,
    },
}

impl Prox {
    /// The value at `x`; infinite outside of a set, beyond rounding.
    pub fn value(&self, x: &[f64]) -> f64 {
        let inside = |holds: bool| if holds { 0.0 } else { f64::INFINITY };
        let absolute = || x.iter().map(|v| v.abs()).sum::<f64>();
        match self {
            Self::Zero => 0.0,
            Self::L1 { weight } => weight * absolute(),
            Self::L2 { weight } => 0.5 * weight * dot(x, x),
            Self::ElasticNet { l1, l2 } => l1 * absolute() + 0.5 * l2 * dot(x, x),
            Self::Group { weight, groups } => {
                weight * groups.iter().map(|g| (g.len() as f64).sqrt() * group_norm(g, x)).sum::<f64>()
            }
            Self::Box { lower, upper } => {
                inside(x.iter().zip(lower.iter().zip(upper)).all(|(x, (l, u))| l <= x && x <= u))
            }
            Self::NonNegative => inside(x.iter().all(|v| *v >= 0.0)),
            Self::Simplex { total } => {
                let close = (x.iter().sum::<f64>() - total).abs() <= 1e-9 * total.max(f64::MIN_POSITIVE);
                inside(close && x.iter().all(|v| *v >= 0.0))
            }
            Self::Ball { radius } => inside(dot(x, x).sqrt() <= radius * (1.0 + 1e-9)),
        }
    }

    /// Replaces `v` by the minimum of `step` r(x) + ½|x − v|².
    pub fn map(&self, step: f64, v: &mut [f64]) {
        match self {
            Self::Zero => {}
            Self::L1 { weight } => v.iter_mut().for_each(|v| *v = soft_threshold(*v, step * weight)),
            Self::L2 { weight } => v.iter_mut().for_each(|v| *v /= 1.0 + step * weight),
            Self::ElasticNet { l1, l2 } => {
                v.iter_mut().for_each(|v| *v = soft_threshold(*v, step * l1) / (1.0 + step * l2));
            }
            Self::Group { weight, groups } => {
                for group in groups {
                    let norm = group_norm(group, v);
                    let limit = step * weight * (group.len() as f64).sqrt();
                    let keep = if norm > limit { 1.0 - limit / norm } else { 0.0 };
                    group.iter().for_each(|&j| v[j] *= keep);
                }
            }
            Self::Box { lower, upper } => {
                for (v, (l, u)) in v.iter_mut().zip(lower.iter().zip(upper)) {
                    *v = v.max(*l).min(*u);
                }
            }
            Self::NonNegative => v.iter_mut().for_each(|v| *v = v.max(0.0)),
            Self::Simplex { total } => onto_simplex(v, *total),
            Self::Ball { radius } => {
                let norm = dot(v, v).sqrt();
                if norm > *radius {
                    v.iter_mut().for_each(|v| *v *= radius / norm);
                }
            }
        }
    }

    /// Refuses weights, bounds and groups that make no convex function of `n` variables.
    pub(crate) fn check(&self, owner: &str, n: usize) -> Result<()> {
        let weight = |name: &str, w: f64| number(owner, name, "in [0, inf)", w, w >= 0.0 && w.is_finite());
        match self {
            Self::Zero | Self::NonNegative => Ok(()),
            Self::L1 { weight: w } | Self::L2 { weight: w } => weight("weight", *w),
            Self::ElasticNet { l1, l2 } => weight("l1", *l1).and_then(|()| weight("l2", *l2)),
            Self::Group { weight: w, groups } => {
                let mut seen = vec![false; n];
                for &j in groups.iter().flatten() {
                    match seen.get_mut(j) {
                        Some(seen) if !*seen => *seen = true,
                        _ => return Err(Error::param(owner, "groups", "each variable once", j)),
                    }
                }
                weight("weight", *w)
            }
            Self::Box { lower, upper } => crate::lbfgsb::Bounds::new(owner, n, lower, upper).map(|_| ()),
            Self::Simplex { total } => {
                let holds = *total > 0.0 && total.is_finite();
                number(owner, "total", "in (0, inf)", *total, holds)?;
                if n > 0 { Ok(()) } else { length("variables of a simplex", 1, 0) }
            }
            Self::Ball { radius } => weight("radius", *radius),
        }
    }
}

/// The sign of `v` times what is left of its size after `limit`.
pub(crate) fn soft_threshold(v: f64, limit: f64) -> f64 {
    // NaN stays NaN, so that it is noticed.
    if v > limit {
        v - limit
    } else if v < -limit {
        v + limit
    } else if v.is_nan() {
        v
    } else {
        0.0
    }
}

fn group_norm(group: &[usize], x: &[f64]) -> f64 {
    group.iter().map(|&j| x[j] * x[j]).sum::<f64>().sqrt()
}

/// The nearest point of the simplex: one threshold is taken off every coordinate, found by sorting.
///
/// J. Duchi, S. Shalev-Shwartz, Y. Singer, T. Chandra. Efficient projections onto the l1-ball. ICML 2008.
fn onto_simplex(v: &mut [f64], total: f64) {
    let mut sorted = v.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut threshold) = (0.0, f64::NEG_INFINITY);
    for (k, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - total) / (k + 1) as f64;
        if *value > candidate {
            threshold = candidate;
        }
    }
    v.iter_mut().for_each(|v| *v = (*v - threshold).max(0.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{normal, rng_for};

    fn all() -> Vec<Prox> {
        vec![
            Prox::Zero,
            Prox::L1 { weight: 0.7 },
            Prox::L2 { weight: 2.0 },
            Prox::ElasticNet { l1: 0.3, l2: 1.5 },
            Prox::Group { weight: 0.6, groups: vec![vec![0, 2], vec![1]] },
            Prox::Box { lower: vec![-0.5, 0.0, -1.0, 0.2], upper: vec![0.5, 0.0, f64::INFINITY, 0.3] },
            Prox::NonNegative,
            Prox::Simplex { total: 1.5 },
            Prox::Ball { radius: 0.8 },
        ]
    }

    #[test]
    fn the_map_is_the_minimum_of_its_definition() {
        let mut rng = rng_for(1, 0);
        for prox in all() {
            prox.check("test", 4).unwrap();
            for _ in 0..50 {
                let v: Vec<f64> = (0..4).map(|_| 2.0 * normal(&mut rng)).collect();
                let step = 0.7;
                let cost = |x: &[f64]| {
                    let apart: f64 = x.iter().zip(&v).map(|(x, v)| (x - v) * (x - v)).sum();
                    step * prox.value(x) + 0.5 * apart
                };
                let mut best = v.clone();
                prox.map(step, &mut best);
                let least = cost(&best);
                assert!(least.is_finite(), "{prox:?}");
                for _ in 0..50 {
                    // Other points of the set are images of the map.
                    let mut other: Vec<f64> = best.iter().map(|b| b + 0.1 * normal(&mut rng)).collect();
                    if prox.value(&other).is_infinite() {
                        prox.map(1.0, &mut other);
                    }
                    assert!(cost(&other) >= least - 1e-9, "{prox:?}");
                }
                // Maps of this kind bring points closer together, never apart.
                let w: Vec<f64> = v.iter().map(|v| v + normal(&mut rng)).collect();
                let mut image = w.clone();
                prox.map(step, &mut image);
                let apart =
                    |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
                assert!(apart(&image, &best) <= apart(&w, &v) + 1e-12, "{prox:?}");
            }
        }
    }

    #[test]
    fn what_is_refused() {
        let bad = [
            Prox::L1 { weight: -1.0 },
            Prox::L2 { weight: f64::NAN },
            Prox::ElasticNet { l1: 0.0, l2: f64::INFINITY },
            Prox::Group { weight: 1.0, groups: vec![vec![0], vec![0]] },
            Prox::Group { weight: 1.0, groups: vec![vec![9]] },
            Prox::Box { lower: vec![1.0; 4], upper: vec![0.0; 4] },
            Prox::Box { lower: vec![0.0; 3], upper: vec![1.0; 3] },
            Prox::Simplex { total: 0.0 },
            Prox::Ball { radius: -1.0 },
        ];
        for prox in bad {
            assert!(prox.check("test", 4).is_err(), "{prox:?}");
        }
        assert!(Prox::Simplex { total: 1.0 }.check("test", 0).is_err());
    }
}
