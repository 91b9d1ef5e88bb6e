//! Hamiltonian Monte Carlo: paths of a fixed length through a density whose gradient is known.
//!
//! # Objective
//! Draws $q_1, q_2, …$ whose distribution tends to $p(q) \propto e^{\ell(q)}$, by paths of the Hamiltonian
//! $H(q, p) = -\ell(q) + \tfrac12 p^\top M^{-1} p$.
//!
//! # Algorithm
//! From $q$ with a fresh momentum, leapfrog steps of size ε along a path of `path_length`, a random share of it so that no
//! period is met; its end is accepted with probability $\min\{1, e^{H - H^*}\}$. Warm-up is that of `NUTS`.
//!
//! # Complexity
//! `path_length`/ε gradients a draw at most; memory O(chains × draws × dimensions).
//!
//! # Example
//! ```
//! use mercer_bayes::{HMC, density};
//! use mercer_core::{Dataset, Fit};
//! let model = HMC::default().draws(500).fit(&Dataset::new(density("correlated")?))?;
//! assert!(model.mean().iter().all(|m| m.abs() < 0.3));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A path whose energy grows by more than 1000, or is not a number, is divergent and rejected.
//!
//! # References
//! - R. M. Neal. MCMC using Hamiltonian dynamics. Handbook of Markov Chain Monte Carlo, 2011. doi:10.1201/b10905-6
//! - S. Duane, A. D. Kennedy, B. J. Pendleton, D. Roweth. Hybrid Monte Carlo. Phys. Lett. B 195(2), 1987.
//!   doi:10.1016/0370-2693(87)91197-X

use super::adapt::{Hamiltonian, HamiltonianAdaptation, HamiltonianParams, MassMatrix};
use super::chains::ChainsModel;
use super::engine::{ChainParams, Engine, StepInfo, run_chains};
use super::hamiltonian::{Metric, Phase};
use mercer_core::{Dataset, Density, Learn, Params, Result, Session};
use mercer_math::{Rng, below, uniform};

/// Hamiltonian Monte Carlo with paths of a fixed length.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "hmc",
    canon = "S1",
    task = Sampling,
    learns_from = Density,
    python = "mcmc",
    tried = "draws=50,warmup=60,chains=2",
    session = "random_state n_jobs verbose",
    mixins = "ChainsMixin",
    can = "random",
    references = "Neal. MCMC using Hamiltonian dynamics. Handbook of Markov Chain Monte Carlo, 2011."
)]
pub struct HMC {
    /// How many chains and draws.
    #[param(flatten)]
    pub run: ChainParams,
    /// How warm-up tunes the sampler.
    #[param(flatten)]
    pub tuning: HamiltonianParams,
    /// The longest path, in units in which the density has about deviation 1; each goes a random share of it.
    #[param(default = 3.0, range = "(0, inf)")]
    pub path_length: f64,
}

impl Learn for HMC {
    type Model = ChainsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ChainsModel> {
        let density = data.whole_input().density(Self::NAME)?;
        let dense = self.tuning.mass_matrix == MassMatrix::Dense;
        run_chains(Self::NAME, &self.run, density, session, |point, rng| {
            let metric = Metric::unit(point.len(), dense);
            let mut engine = HmcEngine { metric, step_size: 1.0, path_length: self.path_length };
            let start = (point, rng);
            let tuning =
                HamiltonianAdaptation::begin(&self.tuning, &mut engine, density, self.run.warmup, start)?;
            Ok((engine, tuning))
        })
    }
}

/// The most steps of a path, whatever its length.
const MOST_STEPS: f64 = 1024.0;

#[derive(Clone, Debug)]
struct HmcEngine {
    metric: Metric,
    step_size: f64,
    path_length: f64,
}

/// Where a chain stands, and the end of its path.
#[derive(Debug)]
struct HmcState {
    here: Phase,
    there: Phase,
}

impl Engine for HmcEngine {
    type State = HmcState;

    fn init(&self, density: &Density, point: &[f64]) -> Result<HmcState> {
        let here = Phase::at(density, point)?;
        Ok(HmcState { there: here.clone(), here })
    }

    fn step(&self, density: &Density, rng: &mut Rng, mut state: HmcState) -> Result<(HmcState, StepInfo)> {
        state.here.refresh(&self.metric, rng);
        state.there.copy_from(&state.here);
        let origin = state.here.energy();
        let most = (self.path_length / self.step_size).ceil().clamp(1.0, MOST_STEPS) as usize;
        let steps = 1 + below(rng, most);
        let (mut gain, mut taken) = (0.0, 0);
        for _ in 0..steps {
            state.there.leapfrog(density, &self.metric, self.step_size)?;
            taken += 1;
            gain = state.there.energy() - origin;
            if gain.is_nan() || gain > 1000.0 {
                break;
            }
        }
        let divergent = gain.is_nan() || gain > 1000.0;
        let acceptance = if divergent { 0.0 } else { (-gain).exp().min(1.0) };
        let accepted = uniform(rng) < acceptance;
        if accepted {
            std::mem::swap(&mut state.here, &mut state.there);
        }
        let energy = if accepted { origin + gain } else { origin };
        Ok((state, StepInfo { acceptance, divergent, energy, evaluations: taken }))
    }

    fn place<'s>(&self, state: &'s HmcState) -> (&'s [f64], f64) {
        (&state.here.q, state.here.log_density)
    }

    fn step_size(&self) -> f64 {
        self.step_size
    }
}

impl Hamiltonian for HmcEngine {
    fn metric(&mut self) -> &mut Metric {
        &mut self.metric
    }
    fn set_step_size(&mut self, step: f64) {
        self.step_size = step;
    }
    fn phase(state: &HmcState) -> &Phase {
        &state.here
    }
}
