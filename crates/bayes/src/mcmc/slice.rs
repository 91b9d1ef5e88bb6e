//! Slice sampling: uniform draws from under the density, one coordinate after the other, with nothing to tune.
//!
//! # Objective
//! Draws $z_1, z_2, …$ whose distribution tends to $p(z) \propto e^{\ell(z)}$.
//!
//! # Algorithm
//! For each coordinate: a level $\ln u = \ell(z) - \mathrm{Exp}(1)$; an interval of width $w_j$ placed at random about $z_j$, stepped out
//! by $w_j$ until both ends lie below the level; then points drawn from it, each that lies below the level shrinking it. Warm-up
//! sets the widths to what points move.
//!
//! # Complexity
//! About five density evaluations for each coordinate of a step; memory O(chains × draws × dimensions).
//!
//! # Example
//! ```
//! use mercer_bayes::{Slice, density};
//! use mercer_core::{Dataset, Fit};
//! let model = Slice::default().draws(500).fit(&Dataset::new(density("bimodal")?))?;
//! assert!(model.mean()[0].abs() < 1.5);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Stepping out ends after `max_steps_out` steps, divided at random between both sides, which leaves the distribution as it is.
//!
//! # References
//! - R. M. Neal. Slice sampling. Ann. Statist. 31(3), 2003. doi:10.1214/aos/1056562461

use super::chains::ChainsModel;
use super::engine::{Adaptation, ChainParams, Engine, StepInfo, log_density, run_chains};
use mercer_core::{Dataset, Density, Learn, Params, Result, Session};
use mercer_math::{Rng, below, uniform};

/// Slice sampling with stepping out and shrinking: draws from any density known up to its constant.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "slice",
    canon = "S1",
    task = Sampling,
    learns_from = Density,
    python = "mcmc",
    tried = "draws=50,warmup=20,chains=2",
    session = "random_state n_jobs verbose",
    mixins = "ChainsMixin",
    can = "random",
    references = "Neal. Slice sampling. Ann. Statist. 31(3), 2003."
)]
pub struct Slice {
    /// How many chains and draws.
    #[param(flatten)]
    pub run: ChainParams,
    /// The first width of the intervals.
    #[param(default = 1.0, range = "(0, inf)")]
    pub width: f64,
    /// The most steps out for both ends of an interval together.
    #[param(default = 100, range = "[1, inf)")]
    pub max_steps_out: usize,
}

impl Learn for Slice {
    type Model = ChainsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ChainsModel> {
        let density = data.whole_input().density(Self::NAME)?;
        run_chains(Self::NAME, &self.run, density, session, |point, _| {
            let engine = SliceEngine { widths: vec![self.width; point.len()], most: self.max_steps_out };
            Ok((engine, Movement { before: point.to_vec(), moved: vec![0.0; point.len()] }))
        })
    }
}

#[derive(Clone, Debug)]
struct SliceEngine {
    widths: Vec<f64>,
    most: usize,
}

impl SliceEngine {
    /// Draws coordinate `j` anew; figures 3 and 5 of Neal (2003).
    fn coordinate(
        &self,
        density: &Density,
        rng: &mut Rng,
        z: &mut [f64],
        value: &mut f64,
        j: usize,
    ) -> Result<u32> {
        let (from, width, mut asked) = (z[j], self.widths[j], 0);
        let level = *value + (1.0 - uniform(rng)).ln();
        let mut at = |z: &mut [f64], v: f64| {
            z[j] = v;
            asked += 1;
            log_density(density, z)
        };
        let mut low = from - width * uniform(rng);
        let mut high = low + width;
        let below_left = below(rng, self.most);
        for _ in 0..below_left {
            if at(z, low)? <= level {
                break;
            }
            low -= width;
        }
        for _ in 0..self.most - 1 - below_left {
            if at(z, high)? <= level {
                break;
            }
            high += width;
        }
        loop {
            let drawn = low + (high - low) * uniform(rng);
            let found = at(z, drawn)?;
            // An interval that has shrunk to the point itself can only give the point.
            if found > level || drawn == from {
                *value = found;
                return Ok(asked);
            }
            if drawn < from { low = drawn } else { high = drawn }
        }
    }
}

impl Engine for SliceEngine {
    type State = (Vec<f64>, f64);

    fn init(&self, density: &Density, point: &[f64]) -> Result<Self::State> {
        Ok((point.to_vec(), log_density(density, point)?))
    }

    fn step(
        &self,
        density: &Density,
        rng: &mut Rng,
        (mut z, mut value): Self::State,
    ) -> Result<(Self::State, StepInfo)> {
        let mut evaluations = 0;
        for j in 0..z.len() {
            evaluations += self.coordinate(density, rng, &mut z, &mut value, j)?;
        }
        Ok(((z, value), StepInfo { acceptance: 1.0, divergent: false, energy: f64::NAN, evaluations }))
    }

    fn place<'s>(&self, (z, value): &'s Self::State) -> (&'s [f64], f64) {
        (z, *value)
    }
}

/// How far each coordinate moves in a step, on average.
struct Movement {
    before: Vec<f64>,
    moved: Vec<f64>,
}

impl Adaptation<SliceEngine> for Movement {
    fn learn(
        &mut self,
        engine: &mut SliceEngine,
        _: &Density,
        (z, _): &(Vec<f64>, f64),
        _: &StepInfo,
        (at, _): (usize, usize),
        _: &mut Rng,
    ) -> Result<()> {
        for (j, &v) in z.iter().enumerate() {
            self.moved[j] += (v - self.before[j]).abs();
            let mean = self.moved[j] / (at as f64 + 1.0);
            // An interval of three mean moves is about the slice of a normal.
            if at >= 10 && mean > 0.0 && mean.is_finite() {
                engine.widths[j] = 3.0 * mean;
            }
        }
        self.before.copy_from_slice(z);
        Ok(())
    }
}
