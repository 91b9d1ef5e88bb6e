//! Hamiltonian dynamics: points with momenta, the leapfrog that moves them, and the mass matrix.

use super::engine::log_density_and_gradient;
use mercer_core::{Density, Result};
use mercer_math::{Cholesky, Mat, Rng, axpy, dot, normal};

/// The inverse of the mass matrix: an estimate of the covariance of the density.
#[derive(Clone, Debug)]
pub(crate) enum Metric {
    /// Variances alone.
    Diagonal(Vec<f64>),
    /// A covariance with its lower factor.
    Dense { covariance: Mat, factor: Mat },
}

impl Metric {
    pub(crate) fn unit(dim: usize, dense: bool) -> Self {
        match dense {
            true => Metric::Dense { covariance: Mat::identity(dim), factor: Mat::identity(dim) },
            false => Metric::Diagonal(vec![1.0; dim]),
        }
    }

    /// A dense metric; `None` where the matrix is no covariance.
    pub(crate) fn dense(covariance: Mat) -> Option<Self> {
        let factor = Cholesky::new(&covariance)?.l();
        Some(Metric::Dense { covariance, factor })
    }

    /// M⁻¹ p.
    #[inline]
    pub(crate) fn velocity(&self, p: &[f64], out: &mut [f64]) {
        match self {
            Metric::Diagonal(v) => out.iter_mut().zip(p).zip(v).for_each(|((o, p), v)| *o = p * v),
            Metric::Dense { covariance, .. } => {
                out.iter_mut().enumerate().for_each(|(i, o)| *o = dot(covariance.row(i), p));
            }
        }
    }

    /// p ~ N(0, M).
    pub(crate) fn draw(&self, p: &mut [f64], rng: &mut Rng) {
        p.iter_mut().for_each(|p| *p = normal(rng));
        match self {
            Metric::Diagonal(v) => p.iter_mut().zip(v).for_each(|(p, v)| *p /= v.sqrt()),
            // Lᵀ p = ξ, from the last on.
            Metric::Dense { factor, .. } => {
                for i in (0..p.len()).rev() {
                    let known: f64 = (i + 1..p.len()).map(|k| factor[(k, i)] * p[k]).sum();
                    p[i] = (p[i] - known) / factor[(i, i)];
                }
            }
        }
    }
}

/// A point with its momentum.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    pub(crate) q: Vec<f64>,
    pub(crate) p: Vec<f64>,
    /// M⁻¹ p.
    pub(crate) velocity: Vec<f64>,
    pub(crate) gradient: Vec<f64>,
    pub(crate) log_density: f64,
}

impl Phase {
    /// A point at rest.
    pub(crate) fn at(density: &Density, q: &[f64]) -> Result<Self> {
        let mut gradient = vec![0.0; q.len()];
        let log_density = log_density_and_gradient(density, q, &mut gradient)?;
        let (p, velocity) = (vec![0.0; q.len()], vec![0.0; q.len()]);
        Ok(Self { q: q.to_vec(), p, velocity, gradient, log_density })
    }

    /// A new momentum.
    pub(crate) fn refresh(&mut self, metric: &Metric, rng: &mut Rng) {
        metric.draw(&mut self.p, rng);
        metric.velocity(&self.p, &mut self.velocity);
    }

    /// −ln p(q) + ½ pᵀM⁻¹p; infinite where it is not known.
    pub(crate) fn energy(&self) -> f64 {
        let energy = 0.5 * dot(&self.p, &self.velocity) - self.log_density;
        if energy.is_nan() { f64::INFINITY } else { energy }
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.q.copy_from_slice(&other.q);
        self.p.copy_from_slice(&other.p);
        self.velocity.copy_from_slice(&other.velocity);
        self.gradient.copy_from_slice(&other.gradient);
        self.log_density = other.log_density;
    }

    /// One step of the leapfrog: half a kick, a drift, half a kick. Where the density is not a number, it counts as none: far
    /// from the typical set arithmetic may overflow, and such steps are rejected.
    pub(crate) fn leapfrog(&mut self, density: &Density, metric: &Metric, step: f64) -> Result<()> {
        axpy(0.5 * step, &self.gradient, &mut self.p);
        metric.velocity(&self.p, &mut self.velocity);
        axpy(step, &self.velocity, &mut self.q);
        self.log_density = match density.log_density_and_gradient(&self.q, &mut self.gradient) {
            Some(value) => {
                let value = value?;
                if value.is_finite() { value } else { f64::NEG_INFINITY }
            }
            None => log_density_and_gradient(density, &self.q, &mut self.gradient)?,
        };
        axpy(0.5 * step, &self.gradient, &mut self.p);
        metric.velocity(&self.p, &mut self.velocity);
        Ok(())
    }
}

/// A step size at which one step of the leapfrog keeps the energy to about 0.8: doubled or halved until it does (section 2.6
/// of Hoffman and Gelman 2014).
pub(crate) fn first_step_size(
    density: &Density,
    metric: &Metric,
    from: &Phase,
    mut step: f64,
    rng: &mut Rng,
) -> Result<f64> {
    let border = 0.8f64.ln();
    let mut phase = from.clone();
    let mut gain = |step: f64, rng: &mut Rng| -> Result<f64> {
        phase.copy_from(from);
        phase.refresh(metric, rng);
        let before = phase.energy();
        phase.leapfrog(density, metric, step)?;
        Ok(before - phase.energy())
    };
    let up = gain(step, rng)? > border;
    for _ in 0..100 {
        if (gain(step, rng)? > border) != up {
            break;
        }
        step *= if up { 2.0 } else { 0.5 };
    }
    Ok(step.clamp(1e-12, 1e7))
}
