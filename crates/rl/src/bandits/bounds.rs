//! What theory says of the regret of a bandit.

use super::arms::Arms;
use super::optimism::kl_bernoulli;

/// Bounds on the expected regret, round by round, where they hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// An upper bound for UCB1 (theorem 1 of Auer, Cesa-Bianchi and Fischer 2002): rewards in [0, 1] alone.
    pub ucb1: Option<Vec<f64>>,
    /// What no strategy that is good on all such arms can stay below in the long run, to its first order (Lai and Robbins 1985).
    pub lai_robbins: Option<Vec<f64>>,
    /// An upper bound for EXP3 with the rate of its own (corollary 3.2 of Auer et al. 2002): a table of rewards in [0, 1].
    pub exp3: Option<Vec<f64>>,
    /// What is left out, and why.
    pub notes: Vec<String>,
}

impl Bounds {
    /// The bounds that hold for these arms.
    pub(crate) fn of(arms: &Arms, steps: usize) -> Self {
        let mut bounds = Bounds::default();
        let rounds = || (1..=steps).map(|t| t as f64);
        let mut note = |text: &str| bounds.notes.push(text.to_owned());
        if !arms.has_unit_rewards() {
            note("the bounds of UCB1 and EXP3 are for rewards in [0, 1]");
        }
        match arms {
            Arms::Bernoulli { means } => {
                bounds.ucb1 = Some(rounds().map(|t| ucb1_bound(means, t)).collect());
                let rate = lai_robbins(means, kl_bernoulli);
                bounds.lai_robbins = Some(rounds().map(|t| rate * t.ln()).collect());
            }
            Arms::Gaussian { means, deviation } if *deviation > 0.0 => {
                let rate = lai_robbins(means, |p, q| (p - q) * (p - q) / (2.0 * deviation * deviation));
                bounds.lai_robbins = Some(rounds().map(|t| rate * t.ln()).collect());
            }
            Arms::Gaussian { .. } => note("arms without noise are known after one pull each"),
            Arms::Table { rewards } => {
                if arms.has_unit_rewards() {
                    let k = rewards.n_cols() as f64;
                    let most = 2.0 * (std::f64::consts::E - 1.0).sqrt() * (steps as f64 * k * k.ln()).sqrt();
                    // The rate is made for the last round, and the bound holds there; before, no more was to be had than rounds.
                    bounds.exp3 =
                        Some(rounds().map(|t| if t == steps as f64 { most } else { most.min(t) }).collect());
                }
                note("the law of a table of rewards is not known, so that there is no lower bound");
            }
            Arms::Testbed { .. } => note("the means of a testbed are other ones in each run"),
            Arms::Drifting { .. } => note("the means of drifting arms change"),
            Arms::Linear { .. } => note("the means of linear arms depend on the context"),
        }
        bounds
    }
}

/// What UCB1's expected regret after `t` rounds is at most: 8 Σ ln t / Δ + (1 + π²/3) Σ Δ over the arms that are not best.
pub fn ucb1_bound(means: &[f64], t: f64) -> f64 {
    let gaps = gaps(means);
    let constant = 1.0 + std::f64::consts::PI.powi(2) / 3.0;
    gaps.map(|gap| 8.0 * t.ln() / gap + constant * gap).sum()
}

/// The factor of ln t in the lower bound of Lai and Robbins: Σ Δ / kl(mean, best mean) over the arms that are not best.
pub fn lai_robbins(means: &[f64], kl: impl Fn(f64, f64) -> f64) -> f64 {
    let best = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    means.iter().filter(|m| **m < best).map(|m| (best - m) / kl(*m, best)).sum()
}

fn gaps(means: &[f64]) -> impl Iterator<Item = f64> + '_ {
    let best = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    means.iter().map(move |m| best - m).filter(|gap| *gap > 0.0)
}
