//! What the Bayesian regressions share: parameters, and moments as their formulas take them.

use crate::centred::column_norm;
use crate::intercept::InterceptParams;
use crate::linear_model::relative_gradient;
use mercer_core::{CrossMoments, Error, ParamGroup, Result};
use mercer_math::{Mat, dot};

/// How precisions are found, and the Gamma priors that they have.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct PrecisionParams {
    /// Most iterations.
    #[param(default = 300, range = "[1, inf)")]
    pub max_iter: usize,
    /// Stop when the coefficients move by less than this, all together.
    #[param(default = 1e-3, range = "(0, inf)")]
    pub tol: f64,
    /// Shape of the Gamma prior of the precision of the noise.
    #[param(default = 1e-6, range = "[0, inf)")]
    pub alpha_1: f64,
    /// Rate of the Gamma prior of the precision of the noise.
    #[param(default = 1e-6, range = "[0, inf)")]
    pub alpha_2: f64,
    /// Shape of the Gamma prior of the precision of the coefficients.
    #[param(default = 1e-6, range = "[0, inf)")]
    pub lambda_1: f64,
    /// Rate of the Gamma prior of the precision of the coefficients.
    #[param(default = 1e-6, range = "[0, inf)")]
    pub lambda_2: f64,
    /// Whether to keep the log marginal likelihood of every iteration.
    #[param(default = false)]
    pub compute_score: bool,
    /// The intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
}

/// ‖y − Xw‖² by moments, of a single target.
pub(super) fn residual_squares(m: &CrossMoments, w: &[f64]) -> f64 {
    let fitted: f64 = (0..w.len()).map(|j| w[j] * (dot(m.xx.row(j), w) - 2.0 * m.xy[(j, 0)])).sum();
    (m.yy[0] + fitted).max(0.0)
}

/// The precision of the noise to begin with: that of the target about its mean.
pub(super) fn first_precision(variance: f64) -> f64 {
    1.0 / (variance + f64::EPSILON)
}

/// Refuses moments that overflowed.
pub(super) fn finite(who: &str, m: &CrossMoments) -> Result<()> {
    let all = m.xx.as_slice().iter().chain(m.xy.as_slice()).chain(&m.yy);
    if all.chain([&m.weight]).all(|v| v.is_finite()) {
        return Ok(());
    }
    Err(Error::numeric(who, "values too large: scale the features or the target"))
}

/// A part of the moments: those of some features.
pub(super) fn part(xx: &Mat, at: &[usize]) -> Mat {
    Mat::from_fn(at.len(), at.len(), |i, j| xx[(at[i], at[j])])
}

/// The relative gradient of penalised squares at w by moments; `None` is the penalty of a coefficient that is left out.
pub(super) fn gradient(
    m: &CrossMoments,
    w: &[f64],
    prior: &[f64],
    penalty: impl Fn(usize) -> Option<f64>,
) -> f64 {
    let (mut g, mut xy, mut norms) = (Vec::new(), Vec::new(), Vec::new());
    for j in 0..w.len() {
        let (own, pull) = (penalty(j), w[j] - prior.get(j).copied().unwrap_or(0.0));
        g.push(own.map_or(0.0, |own| m.xy[(j, 0)] - dot(m.xx.row(j), w) - own * pull));
        xy.push(m.xy[(j, 0)]);
        norms.push(column_norm(m.xx[(j, j)], m.mean_x[j], m.weight) + own.unwrap_or(0.0).sqrt().min(1e300));
    }
    relative_gradient(&g, &xy, &norms, (m.yy[0] + m.weight * m.mean_y[0] * m.mean_y[0]).sqrt())
}
