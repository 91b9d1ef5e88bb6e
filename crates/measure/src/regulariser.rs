//! Regularisers as named values: what a vector of weights costs.
//!
//! | name | value | note |
//! |---|---|---|
//! | `l0(lambda=1)` | λ · number of weights that are not 0 | not convex: no gradient or curvature |
//! | `l1(lambda=1)` | λ ‖w‖₁ | |
//! | `l2(lambda=1)` | λ ‖w‖₂², without a half | |
//! | `elastic_net(l1=1,l2=1)` | l1 ‖w‖₁ + l2 ‖w‖₂² | |
//! | `group_l2(lambda=1,sizes=[2,3])` | λ Σ √size ‖w_group‖₂ over consecutive groups | the group lasso |
//!
//! At a kink the gradient is the subgradient 0, so that a weight of 0 stays.

use crate::loss::{indicator, soft_threshold};
use crate::spec::Spec;
use mercer_core::{Error, Result, Value};
use std::fmt;

/// A regulariser, with its strength. See the [table](crate::regulariser).
#[derive(Clone, Debug, PartialEq)]
pub enum Regulariser {
    /// The number of weights that are not 0.
    L0 {
        /// Strength, at least 0.
        lambda: f64,
    },
    /// The sum of absolute weights: lasso.
    L1 {
        /// Strength, at least 0.
        lambda: f64,
    },
    /// The sum of squared weights: ridge.
    L2 {
        /// Strength, at least 0.
        lambda: f64,
    },
    /// Both.
    ElasticNet {
        /// Strength of the absolute part, at least 0.
        l1: f64,
        /// Strength of the squared part, at least 0.
        l2: f64,
    },
    /// The lengths of groups of weights: group lasso.
    GroupL2 {
        /// Strength, at least 0.
        lambda: f64,
        /// Sizes of the groups, in order; weights beyond them are free.
        sizes: Vec<usize>,
    },
}

use Regulariser::{ElasticNet, GroupL2, L0, L1, L2};

fn length(w: &[f64]) -> f64 {
    // Scaled, so that squares do not overflow.
    let top = w.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    if top == 0.0 || !top.is_finite() {
        return top;
    }
    top * w.iter().map(|v| (v / top).powi(2)).sum::<f64>().sqrt()
}

/// The groups of a vector with their weight √size; those that do not fit are cut.
fn groups<'a>(sizes: &'a [usize], n: usize) -> impl Iterator<Item = (std::ops::Range<usize>, f64)> + 'a {
    let mut start = 0usize;
    sizes.iter().map(move |&size| {
        let from = start.min(n);
        start = start.saturating_add(size);
        (from..start.min(n), (size as f64).sqrt())
    })
}

impl Regulariser {
    /// Reads a regulariser from text: `l1(lambda=0.1)`, `elastic_net(l1=0.5,l2=0.5)`.
    ///
    /// # Example
    /// ```
    /// use mercer_measure::Regulariser;
    /// let lasso = Regulariser::parse("l1(lambda=0.5)")?;
    /// assert_eq!(lasso.value(&[1.0, -2.0]), 1.5);
    /// assert_eq!(lasso.prox(&[1.0, -0.2], 1.0)?, [0.5, 0.0]);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        Self::read(Spec::parse("regulariser", text)?)
    }

    /// Reads a regulariser from a parameter's value.
    pub fn from_value(value: &Value) -> Result<Self> {
        Self::read(Spec::of("regulariser", value)?)
    }

    fn read(mut spec: Spec) -> Result<Self> {
        let names: &[&str] = match spec.kind.as_str() {
            "l0" | "l1" | "l2" | "lasso" | "ridge" => &["lambda"],
            "elastic_net" | "elasticnet" => &["l1", "l2"],
            "group_l2" | "group_lasso" => &["lambda", "sizes"],
            other => {
                let names = ["l0", "l1", "l2", "elastic_net", "group_l2"];
                return Err(Error::unknown("regulariser", other, names));
            }
        };
        spec.name_all(names)?;
        let strength = |name| spec.real(name, 1.0, "in [0, inf)", |v| v >= 0.0 && v.is_finite());
        Ok(match spec.kind.as_str() {
            "l0" => L0 { lambda: strength("lambda")? },
            "l1" | "lasso" => L1 { lambda: strength("lambda")? },
            "l2" | "ridge" => L2 { lambda: strength("lambda")? },
            "group_l2" | "group_lasso" => {
                GroupL2 { lambda: strength("lambda")?, sizes: spec.counts("sizes")?.unwrap_or_default() }
            }
            _ => ElasticNet { l1: strength("l1")?, l2: strength("l2")? },
        })
    }

    /// Strengths of the absolute and of the squared part, of those that are sums over single weights.
    fn parts(&self) -> (f64, f64) {
        match *self {
            L1 { lambda } => (lambda, 0.0),
            L2 { lambda } => (0.0, lambda),
            ElasticNet { l1, l2 } => (l1, l2),
            L0 { .. } | GroupL2 { .. } => (0.0, 0.0),
        }
    }

    /// What the weights cost.
    pub fn value(&self, w: &[f64]) -> f64 {
        match self {
            L0 { lambda } => lambda * w.iter().filter(|v| **v != 0.0).count() as f64,
            GroupL2 { lambda, sizes } => {
                lambda * groups(sizes, w.len()).map(|(group, root)| root * length(&w[group])).sum::<f64>()
            }
            _ => {
                let (l1, l2) = self.parts();
                w.iter().map(|v| l1 * v.abs() + l2 * v * v).sum()
            }
        }
    }

    fn convex(&self, what: &str) -> Result<()> {
        if matches!(self, L0 { .. }) { Err(Error::incapable("the L0 regulariser", what)) } else { Ok(()) }
    }

    /// The gradient; at a kink the subgradient 0. L0 has none: an error.
    pub fn gradient(&self, w: &[f64]) -> Result<Vec<f64>> {
        self.convex("give a gradient")?;
        if let GroupL2 { lambda, sizes } = self {
            let mut gradient = vec![0.0; w.len()];
            for (group, root) in groups(sizes, w.len()) {
                let length = length(&w[group.clone()]);
                if length > 0.0 {
                    group.for_each(|i| gradient[i] = lambda * root * w[i] / length);
                }
            }
            return Ok(gradient);
        }
        let (l1, l2) = self.parts();
        let sign = |v: f64| if v == 0.0 { 0.0 } else { v.signum() };
        Ok(w.iter().map(|&v| l1 * sign(v) + 2.0 * l2 * v).collect())
    }

    /// The largest curvature along any direction at `w`, kinks left out: `2 λ` for L2, 0 for L1. For the group lasso
    /// λ √size over the length of the shortest group that is not 0. L0 has none: an error.
    pub fn curvature(&self, w: &[f64]) -> Result<f64> {
        self.convex("give a curvature")?;
        if let GroupL2 { lambda, sizes } = self {
            let lengths = groups(sizes, w.len()).filter(|(group, _)| group.len() > 1);
            let curved = lengths.map(|(group, root)| (root, length(&w[group]))).filter(|(_, l)| *l > 0.0);
            return Ok(curved.map(|(root, l)| lambda * root / l).fold(0.0, f64::max));
        }
        Ok(2.0 * self.parts().1)
    }

    /// The proximal point `argmin_z step · value(z) + ½ ‖z − v‖²` for a `step` above 0.
    ///
    /// Soft thresholding for L1, shrinking for L2, both for the elastic net, by groups for the group lasso; hard
    /// thresholding for L0, which is not convex: of two minima (v² = 2 step λ) it is 0.
    pub fn prox(&self, v: &[f64], step: f64) -> Result<Vec<f64>> {
        if !(step > 0.0 && step.is_finite()) {
            return Err(Error::param("prox", "step", "in (0, inf)", step));
        }
        Ok(match self {
            L0 { lambda } => v.iter().map(|&v| if v * v > 2.0 * step * lambda { v } else { 0.0 }).collect(),
            GroupL2 { lambda, sizes } => {
                let mut z = v.to_vec();
                for (group, root) in groups(sizes, v.len()) {
                    let length = length(&v[group.clone()]);
                    let keep =
                        if length > 0.0 { (1.0 - step * lambda * root / length).max(0.0) } else { 0.0 };
                    group.for_each(|i| z[i] *= keep);
                }
                z
            }
            _ => {
                let (l1, l2) = self.parts();
                v.iter().map(|&v| soft_threshold(v, step * l1) / (1.0 + 2.0 * step * l2)).collect()
            }
        })
    }

    /// The convex conjugate `sup_w u·w − value(w)`; infinite outside its domain.
    ///
    /// That of L0, whose convex hull is 0, is 0 at 0 and else infinite (so it is for any strength of 0).
    pub fn conjugate(&self, u: &[f64]) -> f64 {
        match self {
            L0 { .. } => indicator(u.iter().all(|v| *v == 0.0)),
            GroupL2 { lambda, sizes } => {
                let covered = sizes.iter().fold(0usize, |a, b| a.saturating_add(*b)).min(u.len());
                let short = groups(sizes, u.len()).all(|(group, root)| length(&u[group]) <= lambda * root);
                indicator(short && u[covered..].iter().all(|v| *v == 0.0))
            }
            _ => {
                let (l1, l2) = self.parts();
                let one = |u: f64| {
                    let outside = (u.abs() - l1).max(0.0);
                    if outside == 0.0 { 0.0 } else { outside * outside / (4.0 * l2) }
                };
                u.iter().map(|&u| one(u)).sum()
            }
        }
    }
}

impl fmt::Display for Regulariser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            L0 { lambda } => write!(f, "l0(lambda={lambda})"),
            L1 { lambda } => write!(f, "l1(lambda={lambda})"),
            L2 { lambda } => write!(f, "l2(lambda={lambda})"),
            ElasticNet { l1, l2 } => write!(f, "elastic_net(l1={l1},l2={l2})"),
            GroupL2 { lambda, sizes } => write!(f, "group_l2(lambda={lambda},sizes={sizes:?})"),
        }
    }
}
