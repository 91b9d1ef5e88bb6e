//! Estimators that beat the plain one: averages, and Stein's shrinkage.

use mercer_core::{Error, Result};
use mercer_math::dot;

/// The estimator of James and Stein of the means of independent normal numbers of one variance: with three or more of them, its total
/// squared error is expected to be smaller than that of the numbers themselves, whatever the means are.
///
/// $$ \hat\theta = \Bigl(1 - \frac{(d - 2)\,\sigma^2}{\lVert x\rVert^2}\Bigr)\,x $$
///
/// With `positive_part` a negative factor is zero, which is better still (Baranchik 1964). W. James, C. Stein. Estimation with quadratic
/// loss. Proc. 4th Berkeley Symp. 1, 1961.
///
/// # Example
/// ```
/// let shrunk = mercer_stats::james_stein(&[3.0, 0.0, 4.0], 1.0, false)?;
/// assert!((shrunk[0] - 3.0 * (1.0 - 1.0 / 25.0)).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn james_stein(x: &[f64], variance: f64, positive_part: bool) -> Result<Vec<f64>> {
    const NAME: &str = "james_stein";
    if x.len() < 3 {
        return Err(Error::too_few(NAME, "means", 3, x.len()));
    }
    if !(0.0 < variance && variance.is_finite()) {
        return Err(Error::param(NAME, "variance", "in (0, inf)", variance));
    }
    if let Some(i) = x.iter().position(|v| !v.is_finite()) {
        return Err(Error::param(NAME, "x", "finite", format!("{} at row {i}", x[i])));
    }
    let length = dot(x, x);
    if length == 0.0 {
        return Ok(x.to_vec());
    }
    let factor = 1.0 - (x.len() as f64 - 2.0) * variance / length;
    let factor = if positive_part { factor.max(0.0) } else { factor };
    Ok(x.iter().map(|v| factor * v).collect())
}

/// The mean of unbiased estimates and its variance, given the variance of each and the correlation of every two: for B of one variance,
/// ρσ² + (1 − ρ)σ²/B (lecture note 001, eq. 1.4).
pub fn average(estimates: &[f64], variance: f64, correlation: f64) -> Result<(f64, f64)> {
    const NAME: &str = "average";
    let n = estimates.len() as f64;
    if estimates.is_empty() {
        return Err(Error::too_few(NAME, "estimates", 1, 0));
    }
    if !(0.0 <= variance && variance.is_finite()) {
        return Err(Error::param(NAME, "variance", "in [0, inf)", variance));
    }
    let least = if estimates.len() > 1 { -1.0 / (n - 1.0) } else { -1.0 };
    if !(least <= correlation && correlation <= 1.0) {
        return Err(Error::param(
            NAME,
            "correlation",
            format!("in [{least}, 1] for {n} estimates"),
            correlation,
        ));
    }
    let mean = estimates.iter().sum::<f64>() / n;
    Ok((mean, variance * (correlation + (1.0 - correlation) / n)))
}
