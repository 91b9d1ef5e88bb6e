//! Metropolis-Hastings: draws from any density by any proposal whose ratio of densities is known.
//!
//! # Objective
//! Draws $z_1, z_2, …$ whose distribution tends to $p(z) \propto e^{\ell(z)}$.
//!
//! # Algorithm
//! From $z$, propose $z^* \sim q(\cdot \mid z)$ and accept with probability
//! $\min\{1, \frac{p(z^*)\,q(z \mid z^*)}{p(z)\,q(z^* \mid z)}\}$. The proposal is a random walk, or one that drifts along the gradient,
//! $z^* \sim N(z + \tfrac{\epsilon^2}{2}\nabla\ell(z), \epsilon^2 I)$ (Langevin), or in Rust any [`Proposal`] of the user's by
//! [`metropolis_hastings`]. Warm-up steers ε by Robbins-Monro steps to the acceptance that is best in many dimensions.
//!
//! # Complexity
//! One density evaluation a step, of Langevin proposals three; memory O(chains × draws × dimensions).
//!
//! # Example
//! ```
//! use mercer_bayes::{ChainParams, Proposal, density, metropolis_hastings};
//! use mercer_core::{Result, Session};
//! use mercer_math::{Rng, normal};
//! /// Steps that are as long as the point is far from zero: not symmetric, so that their ratio counts.
//! struct Stretch;
//! impl Proposal for Stretch {
//!     fn propose(&self, from: &[f64], to: &mut [f64], rng: &mut Rng) -> Result<f64> {
//!         let (before, step) = (1.0 + from[0].abs(), normal(rng));
//!         to[0] = from[0] + before * step;
//!         let after = 1.0 + to[0].abs();
//!         // ln q(z | z*) − ln q(z* | z) of two normals.
//!         Ok(0.5 * (step * step - ((from[0] - to[0]) / after).powi(2)) + (before / after).ln())
//!     }
//! }
//! let params = ChainParams { draws: 2000, ..ChainParams::default() };
//! let model = metropolis_hastings(&Stretch, &params, &density("bimodal")?, &Session::default())?;
//! assert!(model.mean()[0].abs() < 1.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A density of minus infinity is outside the support; NaN or plus infinity is an error that shows the point.
//!
//! # References
//! - W. K. Hastings. Monte Carlo sampling methods using Markov chains and their applications. Biometrika 57(1), 1970.
//!   doi:10.1093/biomet/57.1.97
//! - G. O. Roberts, J. S. Rosenthal. Optimal scaling of discrete approximations to Langevin diffusions. JRSS B 60(1), 1998.
//!   doi:10.1111/1467-9868.00123

use super::chains::ChainsModel;
use super::engine::{
    Adaptation, ChainParams, Engine, NoAdaptation, StepInfo, log_density, log_density_and_gradient,
    run_chains,
};
use mercer_core::{Choice, Dataset, Density, Learn, ParamGroup, Params, Result, Session};
use mercer_math::{Moments, Rng, normal, uniform};

/// A way to propose points.
pub trait Proposal: Send + Sync {
    /// Draws z* given `from` into `to`, and gives ln q(z | z*) − ln q(z* | z), which is 0 where it is symmetric.
    fn propose(&self, from: &[f64], to: &mut [f64], rng: &mut Rng) -> Result<f64>;
}

impl<P: Proposal> Proposal for &P {
    fn propose(&self, from: &[f64], to: &mut [f64], rng: &mut Rng) -> Result<f64> {
        (**self).propose(from, to, rng)
    }
}

/// The proposals by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum ProposalKind {
    /// A random walk.
    Walk,
    /// A walk that drifts along the gradient.
    Langevin,
}

/// Metropolis-Hastings: draws from any density by a proposal that need not be symmetric.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "metropolis-hastings mala",
    canon = "S1",
    task = Sampling,
    learns_from = Density,
    python = "mcmc",
    tried = "draws=50,warmup=20,chains=2 | draws=50,warmup=20,chains=2,proposal=langevin",
    session = "random_state n_jobs verbose",
    mixins = "ChainsMixin",
    can = "random",
    references = "Hastings. Monte Carlo sampling methods using Markov chains and their applications. Biometrika 57(1), 1970."
)]
pub struct MetropolisHastings {
    /// How many chains and draws, and the first scale.
    #[param(flatten)]
    pub walk: WalkParams,
    /// How points are proposed: a random walk, or one along the gradient.
    #[param(default = ProposalKind::Walk)]
    pub proposal: ProposalKind,
}

/// What walks share.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct WalkParams {
    /// How many chains and draws.
    #[param(flatten)]
    pub run: ChainParams,
    /// The first scale of the proposal.
    #[param(default = 1.0, range = "(0, inf)")]
    pub step: f64,
}

impl Learn for MetropolisHastings {
    type Model = ChainsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ChainsModel> {
        let density = data.whole_input().density(Self::NAME)?;
        match self.proposal {
            ProposalKind::Walk => walk(Self::NAME, &self.walk, density, session),
            ProposalKind::Langevin => run_chains(Self::NAME, &self.walk.run, density, session, |_, _| {
                let drift = Langevin { density: density.clone(), step: self.walk.step };
                Ok((Hastings(drift), Steered::new(self.walk.step, 0.574)))
            }),
        }
    }
}

/// Draws by a proposal of the caller's, which stays as it is.
pub fn metropolis_hastings<P: Proposal>(
    proposal: &P,
    params: &ChainParams,
    density: &Density,
    session: &Session,
) -> Result<ChainsModel> {
    run_chains(MetropolisHastings::NAME, params, density, session, |_, _| {
        Ok((Hastings(proposal), NoAdaptation))
    })
}

/// Draws by a random walk that follows the spread of the chain during warm-up.
pub(super) fn walk(
    who: &str,
    params: &WalkParams,
    density: &Density,
    session: &Session,
) -> Result<ChainsModel> {
    run_chains(who, &params.run, density, session, |point, _| Ok(walk_of(point.len(), params.step)))
}

/// A random walk of a first scale, with its tuning.
pub(super) fn walk_of(dim: usize, step: f64) -> (Hastings<Walk>, WalkTuning) {
    let target = if dim == 1 { 0.44 } else { 0.234 };
    let tuning = WalkTuning { spread: vec![Moments::default(); dim], steered: Steered::new(step, target) };
    (Hastings(Walk { scales: vec![step; dim] }), tuning)
}

/// Accepts or rejects what a proposal draws.
#[derive(Clone, Debug)]
pub struct Hastings<P>(pub P);

/// Where a chain stands.
#[derive(Clone, Debug)]
pub struct HastingsState {
    z: Vec<f64>,
    log_density: f64,
    proposed: Vec<f64>,
}

impl HastingsState {
    /// A point with the logarithm of the density there.
    pub(super) fn at(point: &[f64], log_density: f64) -> Self {
        Self { z: point.to_vec(), log_density, proposed: vec![0.0; point.len()] }
    }

    pub(super) fn point(&self) -> &[f64] {
        &self.z
    }

    pub(super) fn log_density(&self) -> f64 {
        self.log_density
    }
}

impl<P: Proposal> Hastings<P> {
    /// One step under the density to the power of `beta`, and the probability with which it was taken.
    pub(super) fn advance(
        &self,
        density: &Density,
        beta: f64,
        rng: &mut Rng,
        state: &mut HastingsState,
    ) -> Result<f64> {
        let ratio = self.0.propose(&state.z, &mut state.proposed, rng)?;
        let proposed = log_density(density, &state.proposed)?;
        let log = beta * (proposed - state.log_density) + ratio;
        let acceptance = if proposed.is_finite() && !log.is_nan() { log.exp().min(1.0) } else { 0.0 };
        if uniform(rng) < acceptance {
            std::mem::swap(&mut state.z, &mut state.proposed);
            state.log_density = proposed;
        }
        Ok(acceptance)
    }
}

impl<P: Proposal> Engine for Hastings<P> {
    type State = HastingsState;

    fn init(&self, density: &Density, point: &[f64]) -> Result<HastingsState> {
        Ok(HastingsState::at(point, log_density(density, point)?))
    }

    fn step(
        &self,
        density: &Density,
        rng: &mut Rng,
        mut state: HastingsState,
    ) -> Result<(HastingsState, StepInfo)> {
        let acceptance = self.advance(density, 1.0, rng, &mut state)?;
        Ok((state, StepInfo { acceptance, divergent: false, energy: f64::NAN, evaluations: 1 }))
    }

    fn place<'s>(&self, state: &'s HastingsState) -> (&'s [f64], f64) {
        (&state.z, state.log_density)
    }
}

/// Independent normals about the point.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    scales: Vec<f64>,
}

impl Proposal for Walk {
    fn propose(&self, from: &[f64], to: &mut [f64], rng: &mut Rng) -> Result<f64> {
        to.iter_mut().zip(from).zip(&self.scales).for_each(|((t, f), s)| *t = f + s * normal(rng));
        Ok(0.0)
    }
}

/// A normal about the point and half a squared step along the gradient.
#[derive(Clone, Debug)]
struct Langevin {
    density: Density,
    step: f64,
}

impl Langevin {
    /// −‖to − drift(from)‖² / 2ε².
    fn log_density(&self, from: &[f64], to: &[f64], gradient: &[f64]) -> f64 {
        let half = 0.5 * self.step * self.step;
        let square = |((t, f), g): ((&f64, &f64), &f64)| (t - f - half * g).powi(2);
        -to.iter().zip(from).zip(gradient).map(square).sum::<f64>() / (4.0 * half)
    }
}

impl Proposal for Langevin {
    fn propose(&self, from: &[f64], to: &mut [f64], rng: &mut Rng) -> Result<f64> {
        let (mut here, mut there) = (vec![0.0; from.len()], vec![0.0; from.len()]);
        log_density_and_gradient(&self.density, from, &mut here)?;
        let half = 0.5 * self.step * self.step;
        for ((t, f), g) in to.iter_mut().zip(from).zip(&here) {
            *t = f + half * g + self.step * normal(rng);
        }
        log_density_and_gradient(&self.density, to, &mut there)?;
        Ok(self.log_density(to, from, &there) - self.log_density(from, to, &here))
    }
}

/// A logarithm of a scale that follows the acceptance by Robbins-Monro steps.
#[derive(Clone, Debug)]
struct Steered {
    log_scale: f64,
    target: f64,
}

impl Steered {
    fn new(scale: f64, target: f64) -> Self {
        Self { log_scale: scale.ln(), target }
    }

    fn update(&mut self, acceptance: f64, at: usize) -> f64 {
        self.log_scale += (acceptance - self.target) / (at as f64 + 1.0).powf(0.6);
        self.log_scale.exp()
    }
}

impl Adaptation<Hastings<Langevin>> for Steered {
    fn learn(
        &mut self,
        engine: &mut Hastings<Langevin>,
        _: &Density,
        _: &HastingsState,
        info: &StepInfo,
        (at, _): (usize, usize),
        _: &mut Rng,
    ) -> Result<()> {
        engine.0.step = self.update(info.acceptance, at);
        Ok(())
    }
}

/// Each coordinate's scale follows the spread of the chain, times a common factor that is steered.
#[derive(Clone, Debug)]
pub(super) struct WalkTuning {
    spread: Vec<Moments>,
    steered: Steered,
}

impl WalkTuning {
    /// Follows a walk: where it stands, and the probability with which its last step was taken.
    pub(super) fn follow(&mut self, walk: &mut Hastings<Walk>, place: &[f64], acceptance: f64, at: usize) {
        let factor = self.steered.update(acceptance, at);
        self.spread.iter_mut().zip(place).for_each(|(m, &z)| m.push(z, 1.0));
        for (scale, spread) in walk.0.scales.iter_mut().zip(&self.spread) {
            let own = if spread.weight > 50.0 { spread.variance().sqrt().max(1e-8) } else { 1.0 };
            *scale = factor * own;
        }
    }
}

impl Adaptation<Hastings<Walk>> for WalkTuning {
    fn learn(
        &mut self,
        engine: &mut Hastings<Walk>,
        _: &Density,
        state: &HastingsState,
        info: &StepInfo,
        (at, _): (usize, usize),
        _: &mut Rng,
    ) -> Result<()> {
        self.follow(engine, &state.z, info.acceptance, at);
        Ok(())
    }
}
