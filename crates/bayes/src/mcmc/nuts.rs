//! The no-U-turn sampler: Hamiltonian Monte Carlo whose paths end where they turn back.
//!
//! # Objective
//! Draws $q_1, q_2, …$ whose distribution tends to $p(q) \propto e^{\ell(q)}$, by paths of the Hamiltonian
//! $H(q, p) = -\ell(q) + \tfrac12 p^\top M^{-1} p$.
//!
//! # Algorithm
//! From $q$ with a fresh momentum, the path is doubled forwards or backwards until it, or a subtree of it, makes a U-turn:
//! $p^\sharp_- \cdot \rho \le 0$ or $p^\sharp_+ \cdot \rho \le 0$ with the sum $\rho$ of all momenta (Betancourt's generalised
//! criterion, checked across neighbouring subtrees, too, as Stan does). The draw is taken from all points with weights
//! $e^{-H}$, favouring the later half. Warm-up steers the step size to `target_accept` by dual averaging and estimates $M^{-1}$ in
//! windows that double.
//!
//! # Complexity
//! At most $2^{max\_depth}$ gradients a draw; memory O(chains × draws × dimensions).
//!
//! # Example
//! ```
//! use mercer_bayes::{NUTS, density};
//! use mercer_core::{Dataset, Fit};
//! let model = NUTS::default().draws(500).warmup(300).fit(&Dataset::new(density("eight-schools")?))?;
//! assert!((model.mean()[0] - 4.4).abs() < 1.0 && model.r_hat().iter().all(|r| *r < 1.05));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A step whose energy grows by more than 1000, or is not a number, is divergent: the path ends there, and the certificate counts
//! such steps. They mean that a region of high curvature was not entered: raise `target_accept`, or write the density in
//! other coordinates.
//!
//! # References
//! - M. D. Hoffman, A. Gelman. The no-U-turn sampler. JMLR 15, 2014.
//! - M. Betancourt. A conceptual introduction to Hamiltonian Monte Carlo. arXiv:1701.02434, 2017.
//! - Stan Development Team. Stan reference manual, chapters on MCMC sampling and its warm-up.

use super::adapt::{Hamiltonian, HamiltonianAdaptation, HamiltonianParams, MassMatrix};
use super::chains::ChainsModel;
use super::engine::{ChainParams, Engine, StepInfo, run_chains};
use super::hamiltonian::{Metric, Phase};
use mercer_core::{Dataset, Density, Learn, Params, Result, Session};
use mercer_math::{Rng, dot, uniform};

/// The no-U-turn sampler: draws from any density whose gradient is known.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "nuts",
    canon = "S1",
    task = Sampling,
    learns_from = Density,
    python = "mcmc",
    tried = "draws=50,warmup=60,chains=2 | draws=50,warmup=40,chains=2,mass_matrix=dense",
    session = "random_state n_jobs verbose",
    mixins = "ChainsMixin",
    can = "random",
    references = "Hoffman, Gelman. The no-U-turn sampler. JMLR 15, 2014.|Betancourt. A conceptual introduction to Hamiltonian Monte Carlo. arXiv:1701.02434, 2017."
)]
pub struct NUTS {
    /// How many chains and draws.
    #[param(flatten)]
    pub run: ChainParams,
    /// How warm-up tunes the sampler.
    #[param(flatten)]
    pub tuning: HamiltonianParams,
    /// The most doublings of a path.
    #[param(default = 10, range = "[1, 20]")]
    pub max_depth: usize,
}

impl Learn for NUTS {
    type Model = ChainsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ChainsModel> {
        let density = data.whole_input().density(Self::NAME)?;
        let dense = self.tuning.mass_matrix == MassMatrix::Dense;
        run_chains(Self::NAME, &self.run, density, session, |point, rng| {
            let metric = Metric::unit(point.len(), dense);
            let mut engine = NutsEngine { metric, step_size: 1.0, max_depth: self.max_depth };
            let start = (point, rng);
            let tuning =
                HamiltonianAdaptation::begin(&self.tuning, &mut engine, density, self.run.warmup, start)?;
            Ok((engine, tuning))
        })
    }
}

/// The energy that a path may gain before it counts as divergent.
const MOST_GAIN: f64 = 1000.0;

/// A no-U-turn sampler with its tuning.
#[derive(Clone, Debug)]
pub(crate) struct NutsEngine {
    pub(crate) metric: Metric,
    pub(crate) step_size: f64,
    pub(crate) max_depth: usize,
}

/// Where a chain stands, with memory for its paths.
#[derive(Debug)]
pub(crate) struct NutsState {
    here: Phase,
    forward: Phase,
    backward: Phase,
    spare: Vec<Subtree>,
}

/// A part of a path: its ends, the sum of its momenta, and a point drawn from it.
#[derive(Clone, Debug)]
struct Subtree {
    /// Momentum and velocity at the end next to where it began.
    near: (Vec<f64>, Vec<f64>),
    /// The same at the other end.
    far: (Vec<f64>, Vec<f64>),
    rho: Vec<f64>,
    draw: Phase,
    energy: f64,
    log_weight: f64,
}

/// What a path under way needs.
struct Path<'a> {
    density: &'a Density,
    metric: &'a Metric,
    step: f64,
    origin: f64,
    evaluations: u32,
    acceptance: f64,
    divergent: bool,
    spare: Vec<Subtree>,
}

/// Whether momenta at both ends still point along the sum: no U-turn yet.
fn goes_on(first: &[f64], last: &[f64], rho: &[f64]) -> bool {
    dot(first, rho) > 0.0 && dot(last, rho) > 0.0
}

/// The same of a sum and one momentum more.
fn goes_on_with(first: &[f64], last: &[f64], rho: &[f64], p: &[f64]) -> bool {
    dot(first, rho) + dot(first, p) > 0.0 && dot(last, rho) + dot(last, p) > 0.0
}

fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if high == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

impl Path<'_> {
    /// 2^depth steps from where `phase` stands, which moves along; `None` where they diverge or turn back.
    fn build(&mut self, depth: usize, phase: &mut Phase, rng: &mut Rng) -> Result<Option<Subtree>> {
        if depth == 0 {
            return self.leaf(phase);
        }
        let Some(mut near) = self.build(depth - 1, phase, rng)? else { return Ok(None) };
        let Some(mut far) = self.build(depth - 1, phase, rng)? else {
            self.spare.push(near);
            return Ok(None);
        };
        let log_weight = log_add(near.log_weight, far.log_weight);
        if uniform(rng) < (far.log_weight - log_weight).exp() {
            std::mem::swap(&mut near.draw, &mut far.draw);
            near.energy = far.energy;
        }
        near.log_weight = log_weight;
        let straight = goes_on_with(&near.near.1, &far.near.1, &near.rho, &far.near.0)
            && goes_on_with(&near.far.1, &far.far.1, &far.rho, &near.far.0);
        mercer_math::axpy(1.0, &far.rho, &mut near.rho);
        std::mem::swap(&mut near.far, &mut far.far);
        self.spare.push(far);
        if straight && goes_on(&near.near.1, &near.far.1, &near.rho) {
            return Ok(Some(near));
        }
        self.spare.push(near);
        Ok(None)
    }

    /// One step.
    fn leaf(&mut self, phase: &mut Phase) -> Result<Option<Subtree>> {
        phase.leapfrog(self.density, self.metric, self.step)?;
        self.evaluations += 1;
        let energy = phase.energy();
        let gain = energy - self.origin;
        self.acceptance += (-gain).exp().min(1.0);
        if gain > MOST_GAIN || gain.is_nan() {
            self.divergent = true;
            return Ok(None);
        }
        let mut leaf = self.spare.pop().unwrap_or_else(|| Subtree::like(phase));
        leaf.near.0.copy_from_slice(&phase.p);
        leaf.near.1.copy_from_slice(&phase.velocity);
        leaf.far.0.copy_from_slice(&phase.p);
        leaf.far.1.copy_from_slice(&phase.velocity);
        leaf.rho.copy_from_slice(&phase.p);
        leaf.draw.copy_from(phase);
        (leaf.energy, leaf.log_weight) = (energy, -gain);
        Ok(Some(leaf))
    }
}

impl Subtree {
    fn like(phase: &Phase) -> Self {
        let end = || (phase.p.clone(), phase.velocity.clone());
        Self {
            near: end(),
            far: end(),
            rho: phase.p.clone(),
            draw: phase.clone(),
            energy: 0.0,
            log_weight: 0.0,
        }
    }
}

impl Engine for NutsEngine {
    type State = NutsState;

    fn init(&self, density: &Density, point: &[f64]) -> Result<NutsState> {
        let here = Phase::at(density, point)?;
        let (forward, backward) = (here.clone(), here.clone());
        Ok(NutsState { here, forward, backward, spare: Vec::new() })
    }

    fn step(&self, density: &Density, rng: &mut Rng, mut state: NutsState) -> Result<(NutsState, StepInfo)> {
        let NutsState { here, forward, backward, spare } = &mut state;
        here.refresh(&self.metric, rng);
        forward.copy_from(here);
        backward.copy_from(here);
        let origin = here.energy();
        let mut path = Path {
            density,
            metric: &self.metric,
            step: self.step_size,
            origin,
            evaluations: 0,
            acceptance: 0.0,
            divergent: false,
            spare: std::mem::take(spare),
        };
        // The whole path: its ends at `near` (backward) and `far` (forward).
        let mut whole = path.spare.pop().unwrap_or_else(|| Subtree::like(here));
        whole.near.0.copy_from_slice(&here.p);
        whole.near.1.copy_from_slice(&here.velocity);
        whole.far.0.copy_from_slice(&here.p);
        whole.far.1.copy_from_slice(&here.velocity);
        whole.rho.copy_from_slice(&here.p);
        (whole.energy, whole.log_weight) = (origin, 0.0);
        for depth in 0..self.max_depth {
            let ahead = uniform(rng) > 0.5;
            path.step = if ahead { self.step_size } else { -self.step_size };
            let end = if ahead { &mut *forward } else { &mut *backward };
            let Some(mut more) = path.build(depth, end, rng)? else { break };
            // Later halves are favoured, which keeps the draw far from where it began.
            if uniform(rng).ln() < more.log_weight - whole.log_weight {
                std::mem::swap(here, &mut more.draw);
                whole.energy = more.energy;
            }
            whole.log_weight = log_add(whole.log_weight, more.log_weight);
            let goes_on = whole.joins(&mut more, ahead);
            path.spare.push(more);
            if !goes_on {
                break;
            }
        }
        let info = StepInfo {
            acceptance: path.acceptance / f64::from(path.evaluations.max(1)),
            divergent: path.divergent,
            energy: whole.energy,
            evaluations: path.evaluations,
        };
        *spare = path.spare;
        spare.push(whole);
        Ok((state, info))
    }

    fn place<'s>(&self, state: &'s NutsState) -> (&'s [f64], f64) {
        (&state.here.q, state.here.log_density)
    }

    fn step_size(&self) -> f64 {
        self.step_size
    }
}

impl Subtree {
    /// Takes a subtree in, ahead or behind; whether the whole, and the whole with a neighbour alone, do not turn back.
    fn joins(&mut self, more: &mut Subtree, ahead: bool) -> bool {
        // Of the whole, the end that the subtree began at, and the other one.
        let (met, other) = if ahead { (&self.far, &self.near) } else { (&self.near, &self.far) };
        let straight = goes_on_with(&other.1, &more.near.1, &self.rho, &more.near.0)
            && goes_on_with(&met.1, &more.far.1, &more.rho, &met.0);
        mercer_math::axpy(1.0, &more.rho, &mut self.rho);
        let end = if ahead { &mut self.far } else { &mut self.near };
        std::mem::swap(end, &mut more.far);
        straight && goes_on(&self.near.1, &self.far.1, &self.rho)
    }
}

impl Hamiltonian for NutsEngine {
    fn metric(&mut self) -> &mut Metric {
        &mut self.metric
    }
    fn set_step_size(&mut self, step: f64) {
        self.step_size = step;
    }
    fn phase(state: &NutsState) -> &Phase {
        &state.here
    }
}
