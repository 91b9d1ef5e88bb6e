//! Generators of numbers.

use super::matrices::low_rank_matrix;
use super::{Args, Generated, GeneratedTarget};
use mercer_core::{Error, Result};
use mercer_math::{Mat, Rng, normal, sample_indices, uniform};
use std::f64::consts::PI;

fn column(values: Vec<f64>) -> Mat {
    let n = values.len();
    Mat::from_vec(values, n, 1).unwrap_or_else(|| Mat::zeros(n, 1))
}

pub(super) fn regression(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    let (n, d) = (args.count("n_samples", 1)?, args.count("n_features", 1)?);
    let (informative, k) = (args.count("n_informative", 0)?.min(d), args.count("n_targets", 1)?);
    let (bias, noise) = (args.real("bias")?, args.at_least_zero("noise")?);
    let x = match args.value("effective_rank")? {
        mercer_core::Value::Null => Mat::from_fn(n, d, |_, _| normal(rng)),
        _ => low_rank_matrix(
            n,
            d,
            args.count("effective_rank", 1)?,
            args.at_least_zero("tail_strength")?,
            rng,
        )?,
    };
    let mut coef = Mat::zeros(d, k);
    for j in sample_indices(rng, d, informative) {
        (0..k).for_each(|t| coef[(j, t)] = 100.0 * uniform(rng));
    }
    let truth = Mat::from_fn(n, k, |i, t| bias + (0..d).map(|j| x[(i, j)] * coef[(j, t)]).sum::<f64>());
    let y = Mat::from_fn(n, k, |i, t| truth[(i, t)] + noise * normal(rng));
    Ok(Generated { x, y: GeneratedTarget::Numbers(y), more: vec![("coef", coef), ("truth", truth)] })
}

/// Inputs of Friedman's function `which` (1, 2 or 3); the first has `d` features, at least five, the others four.
pub fn friedman_inputs(which: u8, n: usize, d: usize, rng: &mut Rng) -> Mat {
    match which {
        1 => Mat::from_fn(n, d.max(5), |_, _| uniform(rng)),
        _ => Mat::from_fn(n, 4, |_, j| {
            let u = uniform(rng);
            match j {
                0 => 100.0 * u,
                1 => 40.0 * PI + 520.0 * PI * u,
                2 => u,
                _ => 1.0 + 10.0 * u,
            }
        }),
    }
}

/// Friedman's function `which` (1, 2 or 3) without noise.
///
/// J. Friedman. Multivariate adaptive regression splines. Annals of Statistics 19, 1991.
pub fn friedman_mean(which: u8, x: &[f64]) -> Result<f64> {
    let needs = if which == 1 { 5 } else { 4 };
    if !(1..=3).contains(&which) || x.len() < needs {
        return Err(Error::shape(format!("features of Friedman's function {which}"), needs, x.len()));
    }
    let inner = x[1] * x[2] - 1.0 / (x[1] * x[3]);
    Ok(match which {
        1 => 10.0 * (PI * x[0] * x[1]).sin() + 20.0 * (x[2] - 0.5).powi(2) + 10.0 * x[3] + 5.0 * x[4],
        2 => (x[0] * x[0] + inner * inner).sqrt(),
        _ => (inner / x[0]).atan(),
    })
}

fn friedman(which: u8, args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    let (n, noise) = (args.count("n_samples", 1)?, args.at_least_zero("noise")?);
    let d = if which == 1 { args.count("n_features", 5)? } else { 4 };
    let x = friedman_inputs(which, n, d, rng);
    let truth = (0..n).map(|i| friedman_mean(which, x.row(i))).collect::<Result<Vec<_>>>()?;
    let y = truth.iter().map(|t| t + noise * normal(rng)).collect();
    Ok(Generated { x, y: GeneratedTarget::Numbers(column(y)), more: vec![("truth", column(truth))] })
}

pub(super) fn friedman1(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    friedman(1, args, rng)
}

pub(super) fn friedman2(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    friedman(2, args, rng)
}

pub(super) fn friedman3(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    friedman(3, args, rng)
}

/// A sheet in three dimensions with its place along the curve as the target.
fn sheet(
    args: &Args<'_>,
    rng: &mut Rng,
    mut point: impl FnMut(&mut Rng) -> (f64, [f64; 3]),
) -> Result<Generated> {
    let (n, noise) = (args.count("n_samples", 1)?, args.at_least_zero("noise")?);
    let (mut x, mut t) = (Mat::zeros(n, 3), Vec::with_capacity(n));
    for i in 0..n {
        let (place, at) = point(rng);
        t.push(place);
        (0..3).for_each(|j| x[(i, j)] = at[j] + noise * normal(rng));
    }
    Ok(Generated::new(x, GeneratedTarget::Numbers(column(t))))
}

pub(super) fn swiss_roll(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    let hole = args.flag("hole")?;
    sheet(args, rng, |rng| {
        loop {
            let (u, v) = (uniform(rng), uniform(rng));
            let in_hole = (1.0 / 3.0..2.0 / 3.0).contains(&u) && (1.0 / 3.0..2.0 / 3.0).contains(&v);
            if hole && in_hole {
                continue;
            }
            let t = 1.5 * PI * (1.0 + 2.0 * u);
            return (t, [t * t.cos(), 21.0 * v, t * t.sin()]);
        }
    })
}

pub(super) fn s_curve(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    sheet(args, rng, |rng| {
        let t = 3.0 * PI * (uniform(rng) - 0.5);
        (t, [t.sin(), 2.0 * uniform(rng), t.signum() * (t.cos() - 1.0)])
    })
}
