//! Draws from the Gamma, Beta and Dirichlet distributions.

use mercer_math::{Rng, normal, uniform};

/// A draw from Gamma(shape, 1): Marsaglia and Tsang's rejection; shapes below 1 by a power of a uniform.
/// doi:10.1145/358407.358414
///
/// # Example
/// ```
/// let mut rng = mercer_math::rng_for(1, 2);
/// let mean = (0..20_000).map(|_| mercer_cluster::gamma(&mut rng, 2.5)).sum::<f64>() / 2e4;
/// assert!((mean - 2.5).abs() < 0.06); // five standard errors
/// ```
pub fn gamma(rng: &mut Rng, shape: f64) -> f64 {
    if shape < 1.0 {
        let power = (1.0 - uniform(rng)).powf(1.0 / shape);
        return gamma(rng, shape + 1.0) * power;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v <= 0.0 {
            continue;
        }
        let u = 1.0 - uniform(rng);
        if u.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// A draw from Beta(a, b).
pub fn beta(rng: &mut Rng, a: f64, b: f64) -> f64 {
    let (x, y) = (gamma(rng, a), gamma(rng, b));
    // Both underflow for tiny parameters, where the mass lies at the ends.
    if x + y > 0.0 { x / (x + y) } else { f64::from(u8::from(uniform(rng) * (a + b) < a)) }
}

/// A draw from the Dirichlet distribution of these parameters.
pub fn dirichlet(rng: &mut Rng, alpha: &[f64]) -> Vec<f64> {
    let mut out: Vec<f64> = alpha.iter().map(|a| if *a > 0.0 { gamma(rng, *a) } else { 0.0 }).collect();
    let total: f64 = out.iter().sum();
    if total > 0.0 {
        out.iter_mut().for_each(|v| *v /= total);
    } else if let Some(c) = mercer_math::weighted_index(rng, alpha) {
        out[c] = 1.0;
    }
    out
}
