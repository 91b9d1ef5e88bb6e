//! Kernels that fall with distance, and their bandwidths.

use mercer_core::{Choice, Error, ParamKind, ParamType, Result, Session, Value};
use mercer_math::{ColumnMoments, LocalKernel, MatRef};

/// A kernel that falls with distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum LocalKernelName {
    /// exp(−d²/2h²).
    Gaussian,
    /// 1 for d < h.
    Tophat,
    /// 1 − d²/h² for d < h.
    Epanechnikov,
    /// exp(−d/h).
    Exponential,
    /// 1 − d/h for d < h.
    Linear,
    /// cos(πd/2h) for d < h.
    Cosine,
}

impl LocalKernelName {
    pub(crate) fn kernel(self) -> LocalKernel {
        match self {
            LocalKernelName::Gaussian => LocalKernel::Gaussian,
            LocalKernelName::Tophat => LocalKernel::Tophat,
            LocalKernelName::Epanechnikov => LocalKernel::Epanechnikov,
            LocalKernelName::Exponential => LocalKernel::Exponential,
            LocalKernelName::Linear => LocalKernel::Linear,
            LocalKernelName::Cosine => LocalKernel::Cosine,
        }
    }
}

/// A bandwidth, or a rule that finds one.
#[derive(Clone, Debug, PartialEq)]
pub enum Bandwidth {
    /// n^(−1/(d+4)).
    Scott,
    /// (n(d+2)/4)^(−1/(d+4)).
    Silverman,
    /// The best for rows that are left out, one after the other.
    Loo,
    /// This one.
    Number(f64),
    /// One for each feature.
    Several(Vec<f64>),
}

impl ParamType for Bandwidth {
    fn kind() -> ParamKind {
        ParamKind::Choice { words: &["scott", "silverman", "loo"], number: true }
    }
    fn to_value(&self) -> Value {
        match self {
            Bandwidth::Scott => Value::from("scott"),
            Bandwidth::Silverman => Value::from("silverman"),
            Bandwidth::Loo => Value::from("loo"),
            Bandwidth::Number(h) => h.to_value(),
            Bandwidth::Several(all) => all.to_value(),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(word) if word == "scott" => Ok(Bandwidth::Scott),
            Value::Text(word) if word == "silverman" => Ok(Bandwidth::Silverman),
            Value::Text(word) if word == "loo" => Ok(Bandwidth::Loo),
            Value::List(_) => Vec::from_value(value).map(Bandwidth::Several),
            other => f64::from_value(other)
                .map(Bandwidth::Number)
                .map_err(|_| "scott, silverman, loo, a number, or one for each feature".to_owned()),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        match self {
            Bandwidth::Number(h) => visit(*h),
            Bandwidth::Several(all) => all.iter().for_each(|h| visit(*h)),
            Bandwidth::Scott | Bandwidth::Silverman | Bandwidth::Loo => {}
        }
    }
}

impl Bandwidth {
    /// Whether the number of rows decides about it.
    pub(crate) fn counts_rows(&self) -> bool {
        matches!(self, Bandwidth::Scott | Bandwidth::Silverman | Bandwidth::Loo)
    }

    /// The stretch of the features and the bandwidth, where they do not depend on leaving rows out.
    pub(crate) fn fixed(&self, who: &str, n: usize, d: usize) -> Result<Option<(Vec<f64>, f64)>> {
        let (rows, dim) = (n as f64, d as f64);
        Ok(match self {
            Bandwidth::Scott => Some((vec![1.0; d], rows.powf(-1.0 / (dim + 4.0)))),
            Bandwidth::Silverman => Some((vec![1.0; d], (rows * (dim + 2.0) / 4.0).powf(-1.0 / (dim + 4.0)))),
            Bandwidth::Number(h) => Some((vec![1.0; d], *h)),
            Bandwidth::Several(all) if all.len() == d => Some((all.iter().map(|h| 1.0 / h).collect(), 1.0)),
            Bandwidth::Several(all) => {
                return Err(Error::shape(format!("bandwidths of {who}, one for each feature"), d, all.len()));
            }
            Bandwidth::Loo => None,
        })
    }
}

/// A length that distances between rows are compared with: Scott's rule times the mean deviation of the features.
pub(crate) fn usual_bandwidth(x: MatRef<'_>) -> f64 {
    let (n, d) = (x.n_rows() as f64, x.n_cols() as f64);
    let deviations: f64 = ColumnMoments::of(x, None).variances().iter().map(|v| v.sqrt() / d).sum();
    let h = deviations * n.powf(-1.0 / (d + 4.0));
    if h.is_finite() && h > 0.0 { h } else { 1.0 }
}

/// The bandwidth of least `loss`, a function of the bandwidth that may be infinite: the best of a grid over four powers of ten
/// about `usual`, then golden sections between its neighbours. `None` where the loss is finite nowhere.
pub(crate) fn best_bandwidth(
    usual: f64,
    session: &Session,
    mut loss: impl FnMut(&[f64]) -> Result<Vec<f64>>,
) -> Result<Option<(f64, f64)>> {
    const GRID: i32 = 25;
    let grid: Vec<f64> =
        (0..GRID).map(|i| usual * 10f64.powf(4.0 * f64::from(i) / f64::from(GRID - 1) - 2.0)).collect();
    let losses = loss(&grid)?;
    let finite = (0..grid.len()).filter(|&i| losses[i].is_finite());
    let Some(best) = finite.min_by(|&a, &b| losses[a].total_cmp(&losses[b])) else { return Ok(None) };
    let mut found = (grid[best], losses[best]);
    let (mut low, mut high) = (grid[best.saturating_sub(1)].ln(), grid[(best + 1).min(grid.len() - 1)].ln());
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    for step in 0..8 {
        if session.step("bandwidth", step, Some(8), Some(found.1)).is_some() {
            break;
        }
        let pair = [high - golden * (high - low), low + golden * (high - low)];
        let both = loss(&pair.map(f64::exp))?;
        for (at, value) in pair.iter().zip(&both) {
            if *value < found.1 {
                found = (at.exp(), *value);
            }
        }
        if both[0] <= both[1] { high = pair[1] } else { low = pair[0] }
    }
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_a_smooth_loss_is_found() {
        let loss = |hs: &[f64]| Ok(hs.iter().map(|h| (h / 0.37).ln().powi(2)).collect());
        let (h, least) = best_bandwidth(1.0, &Session::default(), loss).unwrap().unwrap();
        assert!((h / 0.37 - 1.0).abs() < 1e-2 && least < 1e-4, "{h}");
        assert!(
            best_bandwidth(1.0, &Session::default(), |hs| Ok(vec![f64::INFINITY; hs.len()]))
                .unwrap()
                .is_none()
        );
    }
}
