//! Log densities by name, for trying samplers out: each with its gradient.

use mercer_core::{Density, Error, LogDensity, Result};
use mercer_math::{Rng, normal};
use std::sync::Arc;

/// The densities that [`density`] knows.
pub const DENSITIES: &[(&str, &str)] = &[
    ("normal", "Two independent standard normals."),
    ("correlated", "Two normals with correlation 0.9."),
    ("banana", "A normal bent along a parabola (Haario, Saksman, Tamminen 1999)."),
    ("bimodal", "Two normals, three units from zero on either side."),
    ("rosenbrock", "A narrow curved valley: Rosenbrock's function (Goodman, Weare 2010)."),
    ("funnel", "Neal's funnel (2003): the logarithm of a variance, and nine normals of it."),
    (
        "eight-schools",
        "The posterior of Rubin's eight schools (1981): mu, log tau, eight standardised effects.",
    ),
    ("eight-schools-centred", "The same with the effects themselves, which samplers find hard."),
    ("challenger", "Logistic regression of damage on temperature, 23 flights (Dalal et al. 1989)."),
];

/// A draw of a coordinate given the others.
type Conditional = fn(usize, &[f64], &mut Rng) -> f64;

/// One of the densities by name.
struct Named {
    dim: usize,
    names: &'static [&'static str],
    start: f64,
    value: fn(&[f64], &mut [f64]) -> f64,
    conditional: Option<Conditional>,
}

impl LogDensity for Named {
    fn dim(&self) -> usize {
        self.dim
    }
    fn log_density(&self, x: &[f64]) -> Result<f64> {
        Ok((self.value)(x, &mut vec![0.0; self.dim]))
    }
    fn log_density_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Option<Result<f64>> {
        Some(Ok((self.value)(x, gradient)))
    }
    fn draw_conditional(&self, j: usize, x: &[f64], rng: &mut Rng) -> Option<Result<f64>> {
        self.conditional.map(|draw| Ok(draw(j, x, rng)))
    }
    fn names(&self) -> Vec<String> {
        self.names.iter().map(|n| (*n).to_owned()).collect()
    }
    fn start(&self) -> Vec<f64> {
        vec![self.start; self.dim]
    }
}

const FUNNEL: &[&str] = &["v", "x[1]", "x[2]", "x[3]", "x[4]", "x[5]", "x[6]", "x[7]", "x[8]", "x[9]"];
const EFFECTS: &[&str] = &[
    "mu",
    "log_tau",
    "effect[1]",
    "effect[2]",
    "effect[3]",
    "effect[4]",
    "effect[5]",
    "effect[6]",
    "effect[7]",
    "effect[8]",
];
const SCHOOLS: &[&str] = &[
    "mu", "log_tau", "theta[1]", "theta[2]", "theta[3]", "theta[4]", "theta[5]", "theta[6]", "theta[7]",
    "theta[8]",
];

/// A log density by name.
///
/// ```
/// assert_eq!(mercer_bayes::density("normal")?.log_density(&[1.0, 1.0])?, -1.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn density(name: &str) -> Result<Density> {
    let two: &[&str] = &["x[1]", "x[2]"];
    let of = |names: &'static [&'static str], value| Named {
        dim: names.len(),
        names,
        start: 0.0,
        value,
        conditional: None,
    };
    let found = match name {
        "normal" => Named { conditional: Some(|_, _, rng| normal(rng)), ..of(two, standard) },
        "correlated" => Named {
            conditional: Some(|j, x, rng| RHO * x[1 - j] + (1.0 - RHO * RHO).sqrt() * normal(rng)),
            ..of(two, correlated)
        },
        "banana" => of(two, banana),
        "bimodal" => of(&["x"], bimodal),
        "rosenbrock" => of(two, rosenbrock),
        "funnel" => of(FUNNEL, funnel),
        "eight-schools" => of(EFFECTS, eight_schools),
        "eight-schools-centred" => of(SCHOOLS, eight_schools_centred),
        "challenger" => of(&["intercept", "temperature"], challenger),
        _ => return Err(Error::unknown("density", name, DENSITIES.iter().map(|d| d.0))),
    };
    Ok(Density::from_trait(name, Arc::new(found)))
}

const RHO: f64 = 0.9;

fn standard(x: &[f64], g: &mut [f64]) -> f64 {
    g.iter_mut().zip(x).for_each(|(g, x)| *g = -x);
    -0.5 * (x[0] * x[0] + x[1] * x[1])
}

fn correlated(x: &[f64], g: &mut [f64]) -> f64 {
    let c = 1.0 - RHO * RHO;
    (g[0], g[1]) = ((RHO * x[1] - x[0]) / c, (RHO * x[0] - x[1]) / c);
    -(x[0] * x[0] - 2.0 * RHO * x[0] * x[1] + x[1] * x[1]) / (2.0 * c)
}

fn banana(x: &[f64], g: &mut [f64]) -> f64 {
    let bent = x[1] + 0.1 * (x[0] * x[0] - 9.0);
    (g[0], g[1]) = (-x[0] / 9.0 - bent * 0.2 * x[0], -bent);
    -0.5 * (x[0] * x[0] / 9.0 + bent * bent)
}

fn bimodal(x: &[f64], g: &mut [f64]) -> f64 {
    let (a, b) = (-0.5 * (x[0] - 3.0).powi(2), -0.5 * (x[0] + 3.0).powi(2));
    // The share of the right one.
    let share = 1.0 / (1.0 + (b - a).exp());
    g[0] = share * (3.0 - x[0]) - (1.0 - share) * (3.0 + x[0]);
    a.max(b) + (-(a - b).abs()).exp().ln_1p()
}

fn rosenbrock(x: &[f64], g: &mut [f64]) -> f64 {
    let bent = x[1] - x[0] * x[0];
    (g[0], g[1]) = (20.0 * bent * x[0] + (1.0 - x[0]) / 10.0, -10.0 * bent);
    -(100.0 * bent * bent + (1.0 - x[0]).powi(2)) / 20.0
}

/// v ~ N(0, 3), x_j ~ N(0, e^{v/2}).
fn funnel(x: &[f64], g: &mut [f64]) -> f64 {
    let (v, rest) = (x[0], &x[1..]);
    let precision = (-v).exp();
    let squares: f64 = rest.iter().map(|x| x * x).sum();
    g[1..].iter_mut().zip(rest).for_each(|(g, x)| *g = -x * precision);
    g[0] = -v / 9.0 - 0.5 * rest.len() as f64 + 0.5 * squares * precision;
    -v * v / 18.0 - 0.5 * rest.len() as f64 * v - 0.5 * squares * precision
}

const Y: [f64; 8] = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
const SIGMA: [f64; 8] = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];

/// mu ~ N(0, 5), tau ~ half-Cauchy(0, 5), in log tau: the value, and its derivatives to both.
fn schools_prior(mu: f64, log_tau: f64) -> (f64, f64, f64) {
    let square = (2.0 * log_tau).exp() / 25.0;
    let value = -0.5 * (mu / 5.0).powi(2) - square.ln_1p() + log_tau;
    // Where the square overflows, its share is 1.
    let share = if square.is_finite() { square / (1.0 + square) } else { 1.0 };
    (value, -mu / 25.0, 1.0 - 2.0 * share)
}

/// y_j ~ N(mu + tau e_j, sigma_j), e_j ~ N(0, 1).
fn eight_schools(x: &[f64], g: &mut [f64]) -> f64 {
    let (mu, log_tau, effects) = (x[0], x[1], &x[2..]);
    let tau = log_tau.exp();
    let (mut value, mut to_mu, mut to_log_tau) = schools_prior(mu, log_tau);
    for (j, e) in effects.iter().enumerate() {
        let residual = (Y[j] - mu - tau * e) / SIGMA[j];
        let pull = residual / SIGMA[j];
        value -= 0.5 * (e * e + residual * residual);
        to_mu += pull;
        to_log_tau += pull * tau * e;
        g[2 + j] = pull * tau - e;
    }
    (g[0], g[1]) = (to_mu, to_log_tau);
    value
}

/// y_j ~ N(theta_j, sigma_j), theta_j ~ N(mu, tau).
fn eight_schools_centred(x: &[f64], g: &mut [f64]) -> f64 {
    let (mu, log_tau, effects) = (x[0], x[1], &x[2..]);
    let tau = log_tau.exp();
    let (mut value, mut to_mu, mut to_log_tau) = schools_prior(mu, log_tau);
    for (j, theta) in effects.iter().enumerate() {
        let (residual, e) = ((Y[j] - theta) / SIGMA[j], (theta - mu) / tau);
        value -= 0.5 * (e * e + residual * residual) + log_tau;
        to_mu += e / tau;
        to_log_tau += e * e - 1.0;
        g[2 + j] = residual / SIGMA[j] - e / tau;
    }
    (g[0], g[1]) = (to_mu, to_log_tau);
    value
}

/// Temperature at launch in degrees Fahrenheit, and whether an O-ring was damaged.
const FLIGHTS: [(f64, f64); 23] = [
    (66.0, 0.0),
    (70.0, 1.0),
    (69.0, 0.0),
    (68.0, 0.0),
    (67.0, 0.0),
    (72.0, 0.0),
    (73.0, 0.0),
    (70.0, 0.0),
    (57.0, 1.0),
    (63.0, 1.0),
    (70.0, 1.0),
    (78.0, 0.0),
    (67.0, 0.0),
    (53.0, 1.0),
    (67.0, 0.0),
    (75.0, 0.0),
    (70.0, 0.0),
    (81.0, 0.0),
    (76.0, 0.0),
    (79.0, 0.0),
    (75.0, 1.0),
    (76.0, 0.0),
    (58.0, 1.0),
];

/// P(damage) = 1/(1 + exp(−(b + w t))), t in units of 10 degrees from 70, with b and w ~ N(0, 5).
fn challenger(x: &[f64], g: &mut [f64]) -> f64 {
    let (b, w) = (x[0], x[1]);
    let mut value = -(b * b + w * w) / 50.0;
    (g[0], g[1]) = (-b / 25.0, -w / 25.0);
    for (degrees, damaged) in FLIGHTS {
        let t = (degrees - 70.0) / 10.0;
        let score = b + w * t;
        let off = damaged - 1.0 / (1.0 + (-score).exp());
        value += damaged * score - mercer_math::log1p_exp(score);
        g[0] += off;
        g[1] += off * t;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::rng_for;

    #[test]
    fn gradients_agree_with_finite_differences() {
        let mut rng = rng_for(1, 1);
        for (name, _) in DENSITIES {
            let density = density(name).unwrap();
            assert_eq!(density.names().len(), density.dim());
            for _ in 0..20 {
                let x: Vec<f64> = (0..density.dim()).map(|_| normal(&mut rng)).collect();
                let mut gradient = vec![0.0; x.len()];
                let value = density.log_density_and_gradient(&x, &mut gradient).unwrap().unwrap();
                assert_eq!(value, density.log_density(&x).unwrap());
                for j in 0..x.len() {
                    let at = |h: f64| {
                        let mut moved = x.clone();
                        moved[j] += h;
                        density.log_density(&moved).unwrap()
                    };
                    let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                    assert!(
                        (slope - gradient[j]).abs() < 1e-6 * slope.abs().max(1.0),
                        "{name} {j}: {slope} {}",
                        gradient[j]
                    );
                }
            }
        }
    }
}
