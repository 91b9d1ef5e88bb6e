//! Log densities by name, for trying samplers out.

use mercer_core::{Density, Error, Result};

/// The densities that [`density`] knows.
pub const DENSITIES: &[(&str, &str)] = &[
    ("normal", "Two independent standard normals."),
    ("correlated", "Two normals with correlation 0.9."),
    ("banana", "A normal bent along a parabola (Haario, Saksman, Tamminen 1999)."),
    ("bimodal", "Two normals, three units from zero on either side."),
    (
        "eight-schools",
        "The posterior of Rubin's eight schools (1981): mu, log tau, eight standardised effects.",
    ),
];

/// A log density by name.
///
/// ```
/// assert_eq!(mercer_bayes::density("normal")?.log_density(&[1.0, 1.0])?, -1.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn density(name: &str) -> Result<Density> {
    Ok(match name {
        "normal" => Density::new(name, 2, |x| Ok(-0.5 * (x[0] * x[0] + x[1] * x[1]))),
        "correlated" => {
            const RHO: f64 = 0.9;
            Density::new(name, 2, |x| {
                Ok(-(x[0] * x[0] - 2.0 * RHO * x[0] * x[1] + x[1] * x[1]) / (2.0 * (1.0 - RHO * RHO)))
            })
        }
        "banana" => Density::new(name, 2, |x| {
            let bent = x[1] + 0.1 * (x[0] * x[0] - 9.0);
            Ok(-0.5 * (x[0] * x[0] / 9.0 + bent * bent))
        }),
        "bimodal" => Density::new(name, 1, |x| {
            let (a, b) = (-0.5 * (x[0] - 3.0).powi(2), -0.5 * (x[0] + 3.0).powi(2));
            Ok(a.max(b) + (-(a - b).abs()).exp().ln_1p())
        }),
        "eight-schools" => Density::new(name, 10, |x| Ok(eight_schools(x))),
        _ => return Err(Error::unknown("density", name, DENSITIES.iter().map(|d| d.0))),
    })
}

/// y_j ~ N(mu + tau e_j, sigma_j), e_j ~ N(0, 1), mu ~ N(0, 5), tau ~ half-Cauchy(0, 5); sampled in log tau.
fn eight_schools(x: &[f64]) -> f64 {
    const Y: [f64; 8] = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
    const SIGMA: [f64; 8] = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];
    let (mu, log_tau, effects) = (x[0], x[1], &x[2..]);
    let tau = log_tau.exp();
    let prior = -0.5 * (mu / 5.0).powi(2) - (1.0 + (tau / 5.0).powi(2)).ln() + log_tau;
    let schools = effects.iter().zip(Y.iter().zip(&SIGMA));
    prior + schools.map(|(e, (y, s))| -0.5 * e * e - 0.5 * ((y - mu - tau * e) / s).powi(2)).sum::<f64>()
}
