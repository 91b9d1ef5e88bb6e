//! What a sampler is made of: an engine that makes one step, an adaptation that tunes it during warm-up, and the driver that runs
//! both. The driver alone knows of chains, draws, progress and threads.

use super::chains::{Chain, ChainsModel, Stats};
use mercer_core::{Density, Error, ErrorKind, ParamGroup, Result, Session, Termination};
use mercer_math::{Rng, normal};
use rayon::prelude::*;

/// What a step tells of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepInfo {
    /// The probability with which what was proposed is taken, averaged over what was proposed.
    pub acceptance: f64,
    /// Whether the step went astray: the energy, which should stay, did not.
    pub divergent: bool,
    /// The energy of the new state; NaN where there is none.
    pub energy: f64,
    /// How often the density was asked.
    pub evaluations: u32,
}

/// One Markov chain: where it stands is `State`, and a step needs nothing else.
pub trait Engine: Send + Sync {
    /// What going on needs.
    type State: Send;
    /// The state at a point of positive density.
    fn init(&self, density: &Density, point: &[f64]) -> Result<Self::State>;
    /// One step.
    fn step(&self, density: &Density, rng: &mut Rng, state: Self::State) -> Result<(Self::State, StepInfo)>;
    /// Where it stands, with the logarithm of the density there.
    fn place<'s>(&self, state: &'s Self::State) -> (&'s [f64], f64);
    /// The size of its steps, where it has one.
    fn step_size(&self) -> f64 {
        f64::NAN
    }
}

/// What tunes an engine during warm-up; afterwards the engine stays as it is, so that the draws come from one Markov chain.
pub trait Adaptation<E: Engine>: Send {
    /// Learns from a step, `step.0` of `step.1`.
    fn learn(
        &mut self,
        engine: &mut E,
        density: &Density,
        state: &E::State,
        info: &StepInfo,
        step: (usize, usize),
        rng: &mut Rng,
    ) -> Result<()>;
    /// Ends the warm-up.
    fn finish(&mut self, _engine: &mut E) {}
}

/// Nothing to tune.
#[derive(Clone, Copy, Debug)]
pub struct NoAdaptation;

impl<E: Engine> Adaptation<E> for NoAdaptation {
    fn learn(
        &mut self,
        _: &mut E,
        _: &Density,
        _: &E::State,
        _: &StepInfo,
        _: (usize, usize),
        _: &mut Rng,
    ) -> Result<()> {
        Ok(())
    }
}

/// How many chains and draws.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ChainParams {
    /// Draws kept of each chain.
    #[param(default = 1000, range = "[4, inf)")]
    pub draws: usize,
    /// Steps of each chain that tune the sampler and are not kept.
    #[param(default = 1000, range = "[0, inf)")]
    pub warmup: usize,
    /// Number of chains.
    #[param(default = 4, range = "[1, 1000]")]
    pub chains: usize,
    /// Steps between two draws that are kept.
    #[param(default = 1, range = "[1, inf)")]
    pub thin: usize,
}

/// Runs all chains, each from the engine that `make` has for it. Chains of a density of one thread run one after the other.
pub fn run_chains<E: Engine, A: Adaptation<E>>(
    who: &str,
    params: &ChainParams,
    density: &Density,
    session: &Session,
    make: impl Fn(&[f64], &mut Rng) -> Result<(E, A)> + Sync,
) -> Result<ChainsModel> {
    let dim = density.dim();
    if dim == 0 {
        return Err(Error::too_few("a density", "dimensions", 1, 0));
    }
    let size = params.draws.checked_mul(params.chains).and_then(|n| n.checked_mul(dim));
    if size.is_none_or(|n| n > 1 << 31) {
        return Err(Error::param(who, "draws", "such that all chains fit in memory", params.draws));
    }
    let run = |chain: usize| {
        let mut rng = session.rng(chain as u64);
        let point = start(density, &mut rng)?;
        let (engine, adaptation) = make(&point, &mut rng)?;
        one_chain(params, density, session, (engine, adaptation), &point, &mut rng)
    };
    let chains: Vec<Chain> = if density.is_local() {
        (0..params.chains).map(run).collect::<Result<_>>()?
    } else {
        (0..params.chains).into_par_iter().map(run).collect::<Result<_>>()?
    };
    ChainsModel::of(density, chains, params.warmup as u64)
}

fn one_chain<E: Engine, A: Adaptation<E>>(
    params: &ChainParams,
    density: &Density,
    session: &Session,
    (mut engine, mut adaptation): (E, A),
    point: &[f64],
    rng: &mut Rng,
) -> Result<Chain> {
    let steps = params.draws.saturating_mul(params.thin).saturating_add(params.warmup);
    let mut state = engine.init(density, point)?;
    let mut chain = Chain { draws: Vec::with_capacity(params.draws * point.len()), ..Chain::default() };
    for step in 0..steps {
        let (next, info) = engine.step(density, rng, state)?;
        state = next;
        if step < params.warmup {
            adaptation.learn(&mut engine, density, &state, &info, (step, params.warmup), rng)?;
            if step + 1 == params.warmup {
                adaptation.finish(&mut engine);
            }
        } else {
            let at = step - params.warmup + 1;
            let stats = Stats { acceptance: info.acceptance, energy: info.energy, divergent: info.divergent };
            chain.total.push(&stats, info.evaluations);
            if at.is_multiple_of(params.thin) {
                chain.draws.extend_from_slice(engine.place(&state).0);
                chain.stats.push(stats);
            }
        }
        // A step of a gradient sampler may ask the density a thousand times.
        if info.evaluations > 8 || step % 64 == 0 {
            let stopped = session.step("step", step as u64, Some(steps as u64), Some(engine.place(&state).1));
            if stopped.is_some() {
                chain.stopped = stopped;
                break;
            }
        }
    }
    chain.step_size = engine.step_size();
    Ok(chain)
}

/// A point of positive density near the density's own start, each chain elsewhere.
fn start(density: &Density, rng: &mut Rng) -> Result<Vec<f64>> {
    let origin = density.start();
    for _ in 0..100 {
        let near: Vec<f64> = origin.iter().map(|v| v + normal(rng)).collect();
        if log_density(density, &near)?.is_finite() {
            return Ok(near);
        }
    }
    if log_density(density, &origin)?.is_finite() {
        return Ok(origin);
    }
    let reason = format!("no point near the start {origin:?} has a positive density");
    Err(ErrorKind::UserCode { name: density.name().to_owned(), reason }.into())
}

/// The logarithm of a density: a number, or minus infinity outside of its support.
pub(crate) fn log_density(density: &Density, z: &[f64]) -> Result<f64> {
    checked(density, z, density.log_density(z)?)
}

/// The same with its gradient; an error that names samplers which need none where there is none.
pub(crate) fn log_density_and_gradient(density: &Density, z: &[f64], gradient: &mut [f64]) -> Result<f64> {
    match density.log_density_and_gradient(z, gradient) {
        Some(value) => checked(density, z, value?),
        None => {
            let reason = "its gradient is not known: give one, or take Metropolis, MetropolisHastings or Slice, which need none";
            Err(ErrorKind::UserCode { name: density.name().to_owned(), reason: reason.to_owned() }.into())
        }
    }
}

fn checked(density: &Density, z: &[f64], value: f64) -> Result<f64> {
    if value.is_nan() || value == f64::INFINITY {
        let reason = format!("the log density is {value} at {z:?}");
        return Err(ErrorKind::UserCode { name: density.name().to_owned(), reason }.into());
    }
    Ok(value)
}

/// How a chain that was stopped ended.
pub(crate) fn termination(chains: &[Chain]) -> Termination {
    chains.iter().find_map(|c| c.stopped).unwrap_or(Termination::Complete)
}
