//! Random-walk Metropolis: draws from any density known up to its constant.
//!
//! # Objective
//! Draws $z_1, z_2, …$ whose distribution tends to $p(z) \propto e^{\ell(z)}$.
//!
//! # Algorithm
//! From $z$, propose $z^* \sim N(z, \sigma^2 I)$ and accept with probability $\min\{1, p(z^*)/p(z)\}$ (the proposal
//! is symmetric, so that $q$ cancels). During warm-up each coordinate's scale follows the spread of the chain, and a
//! common factor is steered by Robbins-Monro steps towards an acceptance of 0.44 in one dimension, 0.234 in many;
//! after warm-up both are fixed, so that the draws kept come from one Markov chain.
//!
//! # Complexity
//! One density evaluation a step; memory O(chains × draws × dimensions).
//!
//! # Example
//! ```
//! use mercer_bayes::{Metropolis, density};
//! use mercer_core::{Dataset, Fit};
//! let model = Metropolis::default().draws(500).fit(&Dataset::new(density("normal")?))?;
//! assert!(model.mean().iter().all(|m| m.abs() < 0.5));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A density of minus infinity is outside the support; NaN or plus infinity is an error that shows the point.
//!
//! # References
//! - N. Metropolis et al. Equation of state calculations by fast computing machines. J. Chem. Phys. 21, 1953.
//!   doi:10.1063/1.1699114
//! - A. Gelman, G. O. Roberts, W. R. Gilks. Efficient Metropolis jumping rules. Bayesian Statistics 5, 1996.
//! - C. Andrieu, J. Thoms. A tutorial on adaptive MCMC. Stat. Comput. 18, 2008. doi:10.1007/s11222-008-9110-y

use crate::diagnostics::{effective_sample_size, split_r_hat};
use mercer_core::{
    Attribute, Certificate, Dataset, Density, Error, ErrorKind, Evidence, Fitted, Learn, Params, Result,
    Schema, Session, Termination,
};
use mercer_math::{Moments, Rng, normal, uniform};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Random-walk Metropolis: draws from any density known up to its constant.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "metropolis",
    canon = "S1",
    task = Sampling,
    learns_from = Density,
    python = "mcmc",
    tried = "| draws=50,warmup=20,chains=2",
    session = "random_state n_jobs verbose",
    can = "random",
    references = "Metropolis et al. Equation of state calculations by fast computing machines. J. Chem. Phys. 21, 1953."
)]
pub struct Metropolis {
    /// Draws kept of each chain.
    #[param(default = 1000, range = "[4, inf)")]
    pub draws: usize,
    /// Steps of each chain that adapt the proposal and are not kept.
    #[param(default = 1000, range = "[0, inf)")]
    pub warmup: usize,
    /// Number of chains.
    #[param(default = 4, range = "[1, 1000]")]
    pub chains: usize,
    /// Steps between two draws that are kept.
    #[param(default = 1, range = "[1, inf)")]
    pub thin: usize,
    /// The first scale of the proposal.
    #[param(default = 1.0, range = "(0, inf)")]
    pub step: f64,
}

/// Draws of all chains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetropolisModel {
    /// The name of the density.
    pub density: String,
    n_chains: usize,
    n_draws: usize,
    dim: usize,
    /// Chain by chain, draw by draw.
    draws: Vec<f64>,
    /// The share of proposals accepted after warm-up, for each chain.
    pub acceptance: Vec<f64>,
    certificate: Certificate,
}

const R_HAT: &str = "largest R-hat";

impl Learn for Metropolis {
    type Model = MetropolisModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<MetropolisModel> {
        let density = data.whole_input().density(Self::NAME)?;
        let size = self.draws.checked_mul(self.chains).and_then(|n| n.checked_mul(density.dim()));
        if size.is_none_or(|n| n > 1 << 31) || density.dim() == 0 {
            return Err(Error::param(Self::NAME, "draws", "such that all chains fit in memory", self.draws));
        }
        let run = |chain: usize| self.chain(density, chain, session);
        let chains: Vec<Chain> = if density.is_local() {
            (0..self.chains).map(run).collect::<Result<_>>()?
        } else {
            (0..self.chains).into_par_iter().map(run).collect::<Result<_>>()?
        };
        let kept = chains.iter().map(|c| c.draws.len() / density.dim()).min().unwrap_or(0);
        if kept == 0 {
            return Err(ErrorKind::Cancelled.into());
        }
        Ok(self.model(density, &chains, kept))
    }
}

struct Chain {
    draws: Vec<f64>,
    acceptance: f64,
    stopped: Option<Termination>,
}

impl Metropolis {
    fn chain(&self, density: &Density, chain: usize, session: &Session) -> Result<Chain> {
        let mut rng = session.rng(chain as u64);
        let mut walk = Walk::start(density, self.step, &mut rng)?;
        let steps = self.draws.saturating_mul(self.thin).saturating_add(self.warmup);
        let (mut draws, mut accepted, mut stopped) =
            (Vec::with_capacity(self.draws * density.dim()), 0u64, None);
        for step in 0..steps {
            let warming = step < self.warmup;
            let probability = walk.advance(density, &mut rng)?;
            if warming {
                walk.adapt(step, probability.0);
            } else {
                accepted += u64::from(probability.1);
                if (step - self.warmup + 1).is_multiple_of(self.thin) {
                    draws.extend_from_slice(&walk.z);
                }
            }
            if step % 256 == 0 {
                stopped = session.step("step", step as u64, Some(steps as u64), Some(walk.log_density));
                if stopped.is_some() {
                    break;
                }
            }
        }
        let taken = (self.draws * self.thin) as f64;
        Ok(Chain { draws, acceptance: accepted as f64 / taken, stopped })
    }

    fn model(&self, density: &Density, chains: &[Chain], kept: usize) -> MetropolisModel {
        let dim = density.dim();
        let draws = chains.iter().flat_map(|c| c.draws[..kept * dim].iter().copied()).collect();
        let termination = chains.iter().find_map(|c| c.stopped).unwrap_or(Termination::Exact);
        let mut model = MetropolisModel {
            density: density.name().to_owned(),
            n_chains: chains.len(),
            n_draws: kept,
            dim,
            draws,
            acceptance: chains.iter().map(|c| c.acceptance).collect(),
            certificate: Certificate::new(termination)
                .with_iterations((self.warmup + kept * self.thin) as u64),
        };
        let (r_hat, ess) = (model.largest_r_hat(), model.ess().into_iter().fold(f64::INFINITY, f64::min));
        let verdict = if r_hat <= 1.01 {
            "the chains agree"
        } else {
            "above 1.01, the chains have not mixed: draw more"
        };
        let meaning = format!("1 when the halves of all chains agree; {verdict}");
        model.certificate = match r_hat.is_finite() {
            true => model.certificate.with_evidence(Evidence::value(R_HAT, r_hat, meaning)),
            false => model.certificate.with_note("no R-hat: too few draws, or draws that never move"),
        };
        model.certificate = model
            .certificate
            .clone()
            .with_note(format!(
                "smallest effective sample size {ess:.0} of {}",
                model.n_chains * model.n_draws
            ))
            .with_note("no finite run proves convergence of a chain; this is evidence, not a bound");
        model
    }
}

/// The state of one chain.
struct Walk {
    z: Vec<f64>,
    log_density: f64,
    proposal: Vec<f64>,
    log_factor: f64,
    spread: Vec<Moments>,
    target: f64,
}

impl Walk {
    /// Starts near the density's own starting point, each chain elsewhere.
    fn start(density: &Density, step: f64, rng: &mut Rng) -> Result<Self> {
        let origin = density.start();
        let dim = density.dim();
        let mut walk = Walk {
            z: origin.clone(),
            log_density: evaluate(density, &origin)?,
            proposal: vec![0.0; dim],
            log_factor: step.ln(),
            spread: vec![Moments::default(); dim],
            target: if dim == 1 { 0.44 } else { 0.234 },
        };
        for _ in 0..100 {
            let jittered: Vec<f64> = origin.iter().map(|v| v + step * normal(rng)).collect();
            let log_density = evaluate(density, &jittered)?;
            if log_density.is_finite() {
                (walk.z, walk.log_density) = (jittered, log_density);
                return Ok(walk);
            }
        }
        if walk.log_density.is_finite() {
            return Ok(walk);
        }
        Err(ErrorKind::UserCode {
            name: density.name().to_owned(),
            reason: format!("no point near the start {origin:?} has a positive density"),
        }
        .into())
    }

    /// One step; the probability with which the proposal was accepted, and whether it was.
    fn advance(&mut self, density: &Density, rng: &mut Rng) -> Result<(f64, bool)> {
        let factor = self.log_factor.exp();
        for ((p, z), spread) in self.proposal.iter_mut().zip(&self.z).zip(&self.spread) {
            let scale = if spread.weight > 50.0 { spread.variance().sqrt().max(1e-8) } else { 1.0 };
            *p = z + factor * scale * normal(rng);
        }
        let proposed = evaluate(density, &self.proposal)?;
        let probability = (proposed - self.log_density).exp().min(1.0);
        let accepted = uniform(rng) < probability;
        if accepted {
            std::mem::swap(&mut self.z, &mut self.proposal);
            self.log_density = proposed;
        }
        Ok((probability, accepted))
    }

    fn adapt(&mut self, step: usize, probability: f64) {
        self.log_factor += (probability - self.target) / (step as f64 + 1.0).powf(0.6);
        self.spread.iter_mut().zip(&self.z).for_each(|(m, &z)| m.push(z, 1.0));
    }
}

fn evaluate(density: &Density, z: &[f64]) -> Result<f64> {
    let value = density.log_density(z)?;
    if value.is_nan() || value == f64::INFINITY {
        let reason = format!("the log density is {value} at {z:?}");
        return Err(ErrorKind::UserCode { name: density.name().to_owned(), reason }.into());
    }
    Ok(value)
}

impl MetropolisModel {
    /// The draws of coordinate `j`, chain by chain.
    pub fn traces(&self, j: usize) -> Vec<Vec<f64>> {
        let at = |chain: usize, draw: usize| self.draws[(chain * self.n_draws + draw) * self.dim + j];
        (0..self.n_chains).map(|c| (0..self.n_draws).map(|d| at(c, d)).collect()).collect()
    }

    /// The number of dimensions.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The mean of all draws.
    pub fn mean(&self) -> Vec<f64> {
        (0..self.dim).map(|j| Moments::of(&self.traces(j).concat()).mean).collect()
    }

    /// The standard deviation of all draws.
    pub fn std(&self) -> Vec<f64> {
        (0..self.dim).map(|j| Moments::of(&self.traces(j).concat()).sample_variance().sqrt()).collect()
    }

    /// R-hat of each coordinate.
    pub fn r_hat(&self) -> Vec<f64> {
        (0..self.dim).map(|j| split_r_hat(&self.traces(j))).collect()
    }

    /// The effective sample size of each coordinate.
    pub fn ess(&self) -> Vec<f64> {
        (0..self.dim).map(|j| effective_sample_size(&self.traces(j))).collect()
    }

    fn largest_r_hat(&self) -> f64 {
        self.r_hat().into_iter().fold(f64::NEG_INFINITY, |a, b| if b.is_nan() { b } else { a.max(b) })
    }
}

impl Fitted for MetropolisModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn reprove(&self, _: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        Ok(vec![(R_HAT.to_owned(), self.largest_r_hat())])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let d = [self.dim];
        let shape = [self.n_chains, self.n_draws, self.dim];
        vec![
            Attribute::real(
                "samples_",
                "The draws, chains × draws × dimensions.",
                &shape,
                self.draws.clone(),
            ),
            Attribute::real("mean_", "The mean of the draws.", &d, self.mean()),
            Attribute::real("std_", "The standard deviation of the draws.", &d, self.std()),
            Attribute::real("r_hat_", "R-hat of each coordinate.", &d, self.r_hat()),
            Attribute::real("ess_", "Effective sample size of each coordinate.", &d, self.ess()),
            Attribute::real(
                "acceptance_",
                "Acceptance of each chain.",
                &[self.n_chains],
                self.acceptance.clone(),
            ),
        ]
    }

    fn validate(&self, _: &Schema) -> Result<(), String> {
        let size = self.n_chains.checked_mul(self.n_draws).and_then(|n| n.checked_mul(self.dim));
        let ok = size == Some(self.draws.len()) && self.acceptance.len() == self.n_chains && self.dim > 0;
        if ok { Ok(()) } else { Err("the draws do not fill their shape".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density;
    use mercer_core::Fit;

    /// Moments within five standard errors of the truth: with some twenty such comparisons over a fixed seed, the
    /// false-positive rate of a change that keeps the sampler right is below 1e-5.
    fn check(name: &str, draws: usize, truth: &[(f64, f64)]) {
        let model = Metropolis::default()
            .draws(draws)
            .warmup(3000)
            .fit(&Dataset::new(density(name).unwrap()))
            .unwrap();
        let (mean, std, ess) = (model.mean(), model.std(), model.ess());
        for (j, &(m, s)) in truth.iter().enumerate() {
            let error = s / ess[j].sqrt();
            assert!((mean[j] - m).abs() < 5.0 * error, "{name} {j}: mean {} ± {error}", mean[j]);
            assert!((std[j] - s).abs() < 5.0 * s / (ess[j] / 4.0).sqrt(), "{name} {j}: deviation {}", std[j]);
            assert!(model.r_hat()[j] < 1.05, "{name} {j}: R-hat {}", model.r_hat()[j]);
        }
    }

    #[test]
    fn moments_of_known_densities() {
        check("normal", 20_000, &[(0.0, 1.0), (0.0, 1.0)]);
        check("correlated", 20_000, &[(0.0, 1.0), (0.0, 1.0)]);
        check("bimodal", 40_000, &[(0.0, 10f64.sqrt())]);
        check("banana", 60_000, &[(0.0, 3.0), (0.0, (1.0f64 + 0.02 * 81.0).sqrt())]);
    }

    #[test]
    fn eight_schools_agrees_with_the_published_posterior() {
        let data = Dataset::new(density("eight-schools").unwrap());
        let model = Metropolis::default().draws(60_000).warmup(5000).fit(&data).unwrap();
        let mu = model.mean()[0];
        // posteriordb's reference posterior: mean of mu 4.41, standard deviation 3.31.
        assert!((mu - 4.41).abs() < 5.0 * 3.31 / model.ess()[0].sqrt(), "{mu}");
        assert!((model.std()[0] - 3.31).abs() < 0.4, "{}", model.std()[0]);
    }

    #[test]
    fn errors_of_the_density_are_shown() {
        let broken = Density::new("broken", 1, |x| Ok(if x[0] > 0.5 { f64::NAN } else { 0.0 }));
        let error = Metropolis::default().fit(&Dataset::new(broken)).unwrap_err().to_string();
        assert!(error.starts_with("broken: the log density is NaN at ["), "{error}");
        let nowhere = Density::new("nowhere", 1, |_| Ok(f64::NEG_INFINITY));
        assert!(
            Metropolis::default()
                .fit(&Dataset::new(nowhere))
                .unwrap_err()
                .to_string()
                .contains("no point near")
        );
    }
}
