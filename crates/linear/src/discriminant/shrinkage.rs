//! Covariances drawn towards a multiple of the identity.

use mercer_core::{Choice, Error, ParamGroup, Result};
use mercer_math::{Mat, MatRef, Weights};

/// How much a covariance is drawn towards a multiple of the identity.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Shrinkage {
    /// As much as Ledoit and Wolf (2004) estimate, for columns on one scale.
    Auto,
    /// As much as the oracle approximating estimate of Chen et al. (2010), for columns on one scale.
    Oas,
    /// By this share.
    Of(f64),
}

/// What Gaussian classes share.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct GaussianClassParams {
    /// How much covariances are drawn towards a multiple of the identity: auto (Ledoit-Wolf), oas, or by a share; not with `svd`.
    #[param(default = None)]
    pub shrinkage: Option<Shrinkage>,
    /// The share of each class; none takes those of the training rows.
    #[param(default = None)]
    pub priors: Option<Vec<f64>>,
    /// The covariance of each class row by row, one class after the other, in place of what the rows say; that of all rows may
    /// follow, which `eigen` of linear discriminants asks for. Not with `svd` or shrinkage.
    #[param(default = None)]
    pub covariances: Option<Vec<f64>>,
}

impl GaussianClassParams {
    /// Refuses a share outside of [0, 1], and what excludes each other.
    pub(crate) fn check(&self, who: &str, svd: bool, others: &str) -> Result<()> {
        self.shrinkage.map_or(Ok(()), |s| s.check(who))?;
        match (svd, self.shrinkage, &self.covariances) {
            (true, Some(_), _) => Err(Error::param(who, "solver", format!("{others} with shrinkage"), "svd")),
            (true, _, Some(_)) => {
                Err(Error::param(who, "solver", format!("{others} with covariances"), "svd"))
            }
            (_, Some(_), Some(_)) => Err(Error::param(who, "shrinkage", "none with covariances", "both")),
            _ => Ok(()),
        }
    }
}

impl Shrinkage {
    /// Refuses a share outside of [0, 1].
    pub(crate) fn check(self, who: &str) -> Result<()> {
        match self {
            Shrinkage::Of(share) if !(0.0..=1.0).contains(&share) => {
                Err(Error::param(who, "shrinkage", "auto, oas or a number in [0, 1]", share))
            }
            _ => Ok(()),
        }
    }
}

/// The covariance Σ w (x − μ)(x − μ)ᵀ / Σ w of rows with this scatter, shrunk: (1 − s) C + s tr(C)/d I. The estimates
/// standardise the columns first, so that no unit is large or small; a column that does not vary here has the unit given.
pub(crate) fn shrunk(
    x: MatRef<'_>,
    w: Option<&[f64]>,
    mean: &[f64],
    mut cov: Mat,
    shrinkage: Option<(Shrinkage, &[f64])>,
) -> Mat {
    let d = x.n_cols();
    let total = Weights::from(w).total(x.n_rows());
    cov.as_mut_slice().iter_mut().for_each(|c| *c /= total);
    let Some((shrinkage, units)) = shrinkage else { return cov };
    let scale: Vec<f64> = match shrinkage {
        Shrinkage::Of(_) => vec![1.0; d],
        _ => {
            let unit =
                |j: usize| [cov[(j, j)].sqrt(), units[j]].into_iter().find(|u| *u > 0.0).unwrap_or(1.0);
            (0..d).map(unit).collect()
        }
    };
    let mut own = Mat::from_fn(d, d, |i, j| cov[(i, j)] / scale[i] / scale[j]);
    let mu = (0..d).map(|j| own[(j, j)]).sum::<f64>() / d as f64;
    let share = match shrinkage {
        Shrinkage::Of(share) => share,
        Shrinkage::Auto => ledoit_wolf(x, w, mean, &scale, &own, mu),
        Shrinkage::Oas => oracle(&own, total, mu),
    };
    own.as_mut_slice().iter_mut().for_each(|c| *c *= 1.0 - share);
    (0..d).for_each(|j| own[(j, j)] += share * mu);
    Mat::from_fn(d, d, |i, j| own[(i, j)] * scale[i] * scale[j])
}

/// The share of Ledoit and Wolf: the variance of the entries of the covariance over their distance from the identity.
fn ledoit_wolf(x: MatRef<'_>, w: Option<&[f64]>, mean: &[f64], scale: &[f64], own: &Mat, mu: f64) -> f64 {
    let (d, w) = (x.n_cols() as f64, Weights::from(w));
    let total = w.total(x.n_rows());
    let fourth = |i: usize| {
        let norm: f64 = (0..x.n_cols()).map(|j| ((x.get(i, j) - mean[j]) / scale[j]).powi(2)).sum();
        w[i] * norm * norm
    };
    let fourth: f64 = (0..x.n_rows()).map(fourth).sum();
    let squares = mercer_math::dot(own.as_slice(), own.as_slice());
    let delta = (squares - d * mu * mu) / d;
    let beta = ((fourth / total - squares) / (d * total)).min(delta);
    if beta > 0.0 && delta > 0.0 { beta / delta } else { 0.0 }
}

/// The oracle approximating share of Chen et al., eq. 23, in the form of scikit-learn.
fn oracle(own: &Mat, total: f64, mu: f64) -> f64 {
    let d = own.n_rows() as f64;
    let alpha = mercer_math::dot(own.as_slice(), own.as_slice()) / (d * d);
    let den = (total + 1.0) * (alpha - mu * mu / d);
    if den > 0.0 { ((alpha + mu * mu) / den).min(1.0) } else { 1.0 }
}
