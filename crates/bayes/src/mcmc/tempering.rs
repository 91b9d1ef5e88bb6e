//! Parallel tempering: walks at several temperatures that trade places, for densities with modes far apart.
//!
//! # Objective
//! Draws $z_1, z_2, …$ whose distribution tends to $p(z) \propto e^{\ell(z)}$, as the coldest of K walks with the densities
//! $p_k \propto e^{\beta_k \ell(z)}$, $1 = \beta_1 > … > \beta_K = 1/T$.
//!
//! # Algorithm
//! A step moves every walk by one Metropolis step; then neighbours k and k + 1 trade places with probability
//! $\min\{1, e^{(\beta_k - \beta_{k+1})(\ell(z_{k+1}) - \ell(z_k))}\}$, the even pairs and the odd pairs in turn, which carries points from the hottest
//! walk to the coldest faster than pairs drawn at random do. Warm-up steers the scale of each walk as [`super::Metropolis`] does, and in rounds of double
//! length places the temperatures so that all pairs trade alike often.
//!
//! # Complexity
//! K density evaluations a step; memory O(chains × draws × dimensions).
//!
//! # Example
//! ```
//! use mercer_bayes::{ParallelTempering, dual_density};
//! use mercer_core::{Dataset, Fit};
//! // Two normals that are twenty deviations apart, the right one with three quarters of the probability.
//! let far = dual_density("far", 1, |x| ((-0.5 * (x[0] + 10.0).powi(2)).exp() + 3.0 * (-0.5 * (x[0] - 10.0).powi(2)).exp() + 1e-300).ln());
//! let model = ParallelTempering::default().draws(4000).fit(&Dataset::new(far))?;
//! assert!((model.mean()[0] - 5.0).abs() < 2.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! At infinite temperature a density without a prior has no integral: `max_temperature` is finite. The density at `max_temperature` must be flat enough
//! that one walk crosses between the modes; else the coldest walk stays where it began, which R-hat over several chains tells.
//!
//! # References
//! - C. J. Geyer. Markov chain Monte Carlo maximum likelihood. Computing Science and Statistics 23, 1991.
//! - S. Syed, A. Bouchard-Côté, G. Deligiannidis, A. Doucet. Non-reversible parallel tempering: a scalable highly parallel MCMC scheme. JRSS B 84(2), 2022.
//!   doi:10.1111/rssb.12464

use super::chains::ChainsModel;
use super::engine::{Adaptation, ChainParams, Engine, StepInfo, log_density, run_chains};
use super::hastings::{Hastings, HastingsState, Walk, WalkParams, WalkTuning, walk_of};
use mercer_core::{Dataset, Density, Learn, Params, Result, Session};
use mercer_math::{Rng, uniform};

/// Parallel tempering: draws from densities with modes far apart, by walks at several temperatures that trade places.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "tempering parallel-tempering",
    canon = "S1",
    task = Sampling,
    learns_from = Density,
    python = "mcmc",
    tried = "draws=50,warmup=40,chains=2,n_temperatures=3",
    session = "random_state n_jobs verbose",
    mixins = "ChainsMixin",
    can = "random",
    references = "Geyer. Markov chain Monte Carlo maximum likelihood. Computing Science and Statistics 23, 1991.|Syed, Bouchard-Côté, Deligiannidis, Doucet. Non-reversible parallel tempering. JRSS B 84(2), 2022."
)]
pub struct ParallelTempering {
    /// How many chains and draws, and the first scale.
    #[param(flatten)]
    pub walk: WalkParams,
    /// Number of walks, each at a temperature of its own.
    #[param(default = 8, range = "[2, 1000]")]
    pub n_temperatures: usize,
    /// The temperature of the hottest walk; the coldest has 1.
    #[param(default = 100.0, range = "(1, 1e12]")]
    pub max_temperature: f64,
}

/// Steps of the first round of warm-up after which temperatures are placed anew.
const FIRST_ROUND: usize = 100;

impl Learn for ParallelTempering {
    type Model = ChainsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ChainsModel> {
        let density = data.whole_input().density(Self::NAME)?;
        let last = (self.n_temperatures - 1) as f64;
        // Equal ratios to begin with.
        let beta = |k: usize| self.max_temperature.powf(-(k as f64) / last);
        let betas: Vec<f64> = (0..self.n_temperatures).map(beta).collect();
        run_chains(Self::NAME, &self.walk.run, density, session, |point, _| {
            let (engine, tuning) = walk_of(point.len(), self.walk.step);
            let tuning = LadderTuning {
                walks: vec![tuning; betas.len()],
                refused: vec![0.0; betas.len() - 1],
                tried: 0.0,
                next: FIRST_ROUND,
            };
            Ok((Ladder { walks: vec![engine; betas.len()], betas: betas.clone() }, tuning))
        })
    }
}

/// Walks from the coldest to the hottest.
#[derive(Clone, Debug)]
struct Ladder {
    walks: Vec<Hastings<Walk>>,
    betas: Vec<f64>,
}

/// Where the walks stand, and what their last step told.
#[derive(Debug)]
struct Rungs {
    places: Vec<HastingsState>,
    acceptance: Vec<f64>,
    /// Of each pair: the probability of trading places in the last step, where it was its turn.
    trades: Vec<f64>,
    odd: bool,
}

impl Engine for Ladder {
    type State = Rungs;

    fn init(&self, density: &Density, point: &[f64]) -> Result<Rungs> {
        let place = HastingsState::at(point, log_density(density, point)?);
        let n = self.betas.len();
        Ok(Rungs {
            places: vec![place; n],
            acceptance: vec![0.0; n],
            trades: vec![f64::NAN; n - 1],
            odd: false,
        })
    }

    fn step(&self, density: &Density, rng: &mut Rng, mut state: Rungs) -> Result<(Rungs, StepInfo)> {
        for (k, place) in state.places.iter_mut().enumerate() {
            state.acceptance[k] = self.walks[k].advance(density, self.betas[k], rng, place)?;
        }
        state.trades.fill(f64::NAN);
        for k in (usize::from(state.odd)..state.trades.len()).step_by(2) {
            let gain = state.places[k + 1].log_density() - state.places[k].log_density();
            let chance = ((self.betas[k] - self.betas[k + 1]) * gain).exp().min(1.0);
            if uniform(rng) < chance {
                state.places.swap(k, k + 1);
            }
            state.trades[k] = chance;
        }
        state.odd = !state.odd;
        let (acceptance, evaluations) = (state.acceptance[0], self.betas.len() as u32);
        Ok((state, StepInfo { acceptance, divergent: false, energy: f64::NAN, evaluations }))
    }

    fn place<'s>(&self, state: &'s Rungs) -> (&'s [f64], f64) {
        (state.places[0].point(), state.places[0].log_density())
    }
}

/// Steers the walks, and places the temperatures.
struct LadderTuning {
    walks: Vec<WalkTuning>,
    /// Of each pair: how often a trade was refused, in expectation.
    refused: Vec<f64>,
    tried: f64,
    /// The step after which temperatures are placed anew.
    next: usize,
}

impl Adaptation<Ladder> for LadderTuning {
    fn learn(
        &mut self,
        engine: &mut Ladder,
        _: &Density,
        state: &Rungs,
        _: &StepInfo,
        (at, all): (usize, usize),
        _: &mut Rng,
    ) -> Result<()> {
        for (k, tuning) in self.walks.iter_mut().enumerate() {
            tuning.follow(&mut engine.walks[k], state.places[k].point(), state.acceptance[k], at);
        }
        for (refused, chance) in self.refused.iter_mut().zip(&state.trades).filter(|(_, c)| !c.is_nan()) {
            *refused += 1.0 - chance;
        }
        self.tried += 0.5;
        // The last round leaves the walks time to follow the temperatures.
        if at + 1 == self.next && 2 * (at + 1) <= all {
            let rates: Vec<f64> = self.refused.iter().map(|r| r / self.tried).collect();
            place_anew(&mut engine.betas, &rates);
            self.refused.fill(0.0);
            (self.tried, self.next) = (0.0, 2 * self.next);
        }
        Ok(())
    }
}

/// Places the inner temperatures so that each pair has the same share of the refusals, which add up along the ladder whatever its rungs are
/// (Syed and others 2022, section 5): the sum is taken to grow evenly in β between rungs.
fn place_anew(betas: &mut [f64], refused: &[f64]) {
    let n = refused.len();
    // A crumb each, so that rungs between which all trades pass keep apart.
    let shares: Vec<f64> = refused.iter().map(|r| r + 1e-3).collect();
    let all: f64 = shares.iter().sum();
    let before = betas.to_vec();
    let (mut k, mut sum) = (0, 0.0);
    for (rung, beta) in betas.iter_mut().enumerate().take(n).skip(1) {
        let goal = all * rung as f64 / n as f64;
        while k + 1 < n && sum + shares[k] < goal {
            sum += shares[k];
            k += 1;
        }
        let share = ((goal - sum) / shares[k]).clamp(0.0, 1.0);
        *beta = before[k] + share * (before[k + 1] - before[k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three of four refusals between the first two rungs: the inner rungs move there; equal refusals leave all as they are.
    #[test]
    fn rungs_go_where_trades_are_refused() {
        let mut betas = [1.0, 0.5, 0.25, 0.0];
        place_anew(&mut betas, &[0.4, 0.4, 0.4]);
        assert!(betas.iter().zip([1.0, 0.5, 0.25, 0.0]).all(|(a, b)| (a - b).abs() < 1e-12));
        place_anew(&mut betas, &[0.899, 0.149, 0.149]);
        assert!(
            betas.iter().zip([1.0, 7.0 / 9.0, 5.0 / 9.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-12),
            "{betas:?}"
        );
    }
}
