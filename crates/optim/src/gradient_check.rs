//! Comparing a gradient with differences of the value.

use crate::Objective;

/// The largest error of the gradient at `x` against central differences, relative to the size of both.
///
/// For component i, |g_i - d_i| / max(1, |g_i|, |d_i|) with d_i from steps of eps^(1/3) max(1, |x_i|).
/// About 1e-9 for a right gradient of a well-scaled function; NaN when something is not finite.
pub fn check_gradient(objective: &mut dyn Objective, x: &[f64]) -> f64 {
    let n = x.len();
    let (mut grad, mut scratch, mut moved) = (vec![0.0; n], vec![0.0; n], x.to_vec());
    let _ = objective.value_grad(x, &mut grad);
    let mut worst = 0.0f64;
    for i in 0..n {
        let h = f64::EPSILON.cbrt() * x[i].abs().max(1.0);
        let (above, below) = (x[i] + h, x[i] - h);
        moved[i] = above;
        let high = objective.value_grad(&moved, &mut scratch);
        moved[i] = below;
        let low = objective.value_grad(&moved, &mut scratch);
        moved[i] = x[i];
        // The step that was really taken, after rounding.
        let slope = (high - low) / (above - below);
        let error = (grad[i] - slope).abs() / slope.abs().max(grad[i].abs()).max(1.0);
        if error.is_nan() {
            return f64::NAN;
        }
        worst = worst.max(error);
    }
    worst
}
