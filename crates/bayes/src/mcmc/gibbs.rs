//! Gibbs sampling: one coordinate after the other, each drawn given all others.
//!
//! # Objective
//! Draws $z_1, z_2, …$ whose distribution tends to that with the conditionals $p(z_j \mid z_{-j})$.
//!
//! # Algorithm
//! A step draws $z_j \sim p(\cdot \mid z_{-j})$ for $j = 1, …, d$. Each draw is a Metropolis-Hastings step with
//! $q(z^* \mid z) = p(z^*_j \mid z_{-j})$, whose acceptance is 1.
//!
//! # Complexity
//! One draw of each conditional and one density evaluation a step; memory O(chains × draws × dimensions).
//!
//! # Example
//! ```
//! use mercer_bayes::{Gibbs, density};
//! use mercer_core::{Dataset, Fit};
//! let model = Gibbs::default().draws(500).fit(&Dataset::new(density("correlated")?))?;
//! assert!(model.acceptance.iter().all(|a| *a == 1.0));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A draw that is not a finite number is an error that names its coordinate. Coordinates that depend on each other strongly mix
//! slowly.
//!
//! # References
//! - S. Geman, D. Geman. Stochastic relaxation, Gibbs distributions, and the Bayesian restoration of images. IEEE TPAMI 6(6),
//!   1984. doi:10.1109/TPAMI.1984.4767596
//! - A. E. Gelfand, A. F. M. Smith. Sampling-based approaches to calculating marginal densities. JASA 85, 1990.
//!   doi:10.1080/01621459.1990.10476213

use super::chains::ChainsModel;
use super::engine::{ChainParams, Engine, NoAdaptation, StepInfo, log_density, run_chains};
use mercer_core::{Dataset, Density, ErrorKind, Learn, Params, Result, Session};
use mercer_math::Rng;

/// Gibbs sampling: draws from a density whose conditionals are known.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "gibbs",
    canon = "S1",
    task = Sampling,
    learns_from = Density,
    python = "mcmc",
    tried = "draws=50,warmup=20,chains=2",
    session = "random_state n_jobs verbose",
    mixins = "ChainsMixin",
    can = "random",
    references = "Geman, Geman. Stochastic relaxation, Gibbs distributions, and the Bayesian restoration of images. IEEE TPAMI 6(6), 1984."
)]
pub struct Gibbs {
    /// How many chains and draws.
    #[param(flatten)]
    pub run: ChainParams,
}

impl Learn for Gibbs {
    type Model = ChainsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ChainsModel> {
        let density = data.whole_input().density(Self::NAME)?;
        run_chains(Self::NAME, &self.run, density, session, |_, _| Ok((Sweep, NoAdaptation)))
    }
}

/// One draw of every coordinate.
#[derive(Clone, Copy, Debug)]
struct Sweep;

impl Engine for Sweep {
    type State = (Vec<f64>, f64);

    fn init(&self, density: &Density, point: &[f64]) -> Result<Self::State> {
        Ok((point.to_vec(), log_density(density, point)?))
    }

    fn step(
        &self,
        density: &Density,
        rng: &mut Rng,
        (mut z, _): Self::State,
    ) -> Result<(Self::State, StepInfo)> {
        let wrong = |reason: String| ErrorKind::UserCode { name: density.name().to_owned(), reason };
        for j in 0..z.len() {
            let drawn = density.draw_conditional(j, &z, rng).ok_or_else(|| {
                wrong(
                    "its conditionals are not known: give them, or take Metropolis or Slice, which need none"
                        .to_owned(),
                )
            })??;
            if !drawn.is_finite() {
                return Err(wrong(format!("the conditional of coordinate {j} drew {drawn} at {z:?}")).into());
            }
            z[j] = drawn;
        }
        let value = log_density(density, &z)?;
        let info = StepInfo { acceptance: 1.0, divergent: false, energy: f64::NAN, evaluations: 1 };
        Ok(((z, value), info))
    }

    fn place<'s>(&self, (z, value): &'s Self::State) -> (&'s [f64], f64) {
        (z, *value)
    }
}
