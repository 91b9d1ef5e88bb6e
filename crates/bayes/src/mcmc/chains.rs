//! What every sampler leads to: the draws of all chains, and what they say of themselves.

use super::diagnostics::{e_bfmi, effective_sample_size, ess_bulk, ess_tail, hdi, mcse_mean, mcse_sd, r_hat};
use super::engine::termination;
use mercer_core::{
    Attribute, Certificate, Dataset, Density, ErrorKind, Evidence, Fitted, Result, Schema, Session,
    Termination,
};
use mercer_math::Moments;
use serde::{Deserialize, Serialize};

/// What is known of the step that led to a draw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stats {
    pub(crate) acceptance: f64,
    pub(crate) energy: f64,
    pub(crate) divergent: bool,
}

/// What all steps after warm-up say together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    steps: u64,
    acceptance: f64,
    divergences: u64,
    evaluations: u64,
}

impl Totals {
    pub(crate) fn push(&mut self, stats: &Stats, evaluations: u32) {
        self.steps += 1;
        self.acceptance += stats.acceptance;
        self.divergences += u64::from(stats.divergent);
        self.evaluations += u64::from(evaluations);
    }
}

/// One chain as the driver leaves it.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) draws: Vec<f64>,
    pub(crate) stats: Vec<Stats>,
    pub(crate) total: Totals,
    pub(crate) step_size: f64,
    pub(crate) stopped: Option<Termination>,
}

impl Default for Chain {
    fn default() -> Self {
        let (draws, stats, total) = Default::default();
        Self { draws, stats, total, step_size: f64::NAN, stopped: None }
    }
}

/// Draws of all chains of any sampler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainsModel {
    /// The name of the density.
    pub density: String,
    /// The names of the coordinates; empty where they have none.
    pub names: Vec<String>,
    n_chains: usize,
    n_draws: usize,
    dim: usize,
    /// Chain by chain, draw by draw.
    draws: Vec<f64>,
    stats: Vec<Stats>,
    /// The mean acceptance of each chain after warm-up.
    pub acceptance: Vec<f64>,
    /// The divergent steps of each chain after warm-up.
    pub divergences: Vec<u64>,
    /// The size of the steps of each chain; NaN where there is none.
    pub step_size: Vec<f64>,
    /// How often the density was asked after warm-up, by chain.
    pub evaluations: Vec<u64>,
    certificate: Certificate,
}

const R_HAT: &str = "largest R-hat";
const BULK: &str = "smallest effective sample size of the bulk";
const TAIL: &str = "smallest effective sample size of the tails";
const DIVERGENCES: &str = "divergent steps";

/// The share of draws inside the intervals that are told, as ArviZ has it.
pub const HDI_SHARE: f64 = 0.94;

impl ChainsModel {
    pub(crate) fn of(density: &Density, chains: Vec<Chain>, warmup: u64) -> Result<Self> {
        let dim = density.dim();
        let kept = chains.iter().map(|c| c.stats.len()).min().unwrap_or(0);
        if kept == 0 {
            return Err(ErrorKind::Cancelled.into());
        }
        let names = density.names();
        let steps = warmup + chains.iter().map(|c| c.total.steps).max().unwrap_or(0);
        let mut model = Self {
            density: density.name().to_owned(),
            names: if names.len() == dim { names } else { Vec::new() },
            n_chains: chains.len(),
            n_draws: kept,
            dim,
            draws: chains.iter().flat_map(|c| c.draws[..kept * dim].iter().copied()).collect(),
            stats: chains.iter().flat_map(|c| c.stats[..kept].iter().copied()).collect(),
            acceptance: chains.iter().map(|c| c.total.acceptance / c.total.steps as f64).collect(),
            divergences: chains.iter().map(|c| c.total.divergences).collect(),
            step_size: chains.iter().map(|c| c.step_size).collect(),
            evaluations: chains.iter().map(|c| c.total.evaluations).collect(),
            certificate: Certificate::new(termination(&chains)).with_iterations(steps),
        };
        model.certificate = model.certify();
        Ok(model)
    }

    fn certify(&self) -> Certificate {
        let mut out = self.certificate.clone();
        let [r_hat, bulk, tail, divergences] = self.evidence();
        let verdict = if r_hat <= 1.01 {
            "the chains agree"
        } else {
            "above 1.01, the chains have not mixed: draw more"
        };
        let draws = self.n_chains * self.n_draws;
        let least = 100.0 * self.n_chains as f64;
        let told = [
            (R_HAT, r_hat, format!("1 when the halves of all chains agree, by rank; {verdict}")),
            (BULK, bulk, format!("of {draws} draws; means and medians want at least {least}")),
            (
                TAIL,
                tail,
                format!("of {draws} draws, for the quantiles 5 % and 95 %; they want at least {least}"),
            ),
        ];
        for (name, value, meaning) in told {
            out = match value.is_finite() {
                true => out.with_evidence(Evidence::value(name, value, meaning)),
                false => out.with_note(format!("no {name}: too few draws, or draws that never move")),
            };
        }
        if self.has_energy() {
            let meaning =
                "steps that lost their energy: where there are any, parts of the density were not reached";
            out = out.with_evidence(Evidence::value(DIVERGENCES, divergences, meaning));
        }
        out.with_note("no finite run proves convergence of a chain; this is evidence, not a bound")
    }

    /// Largest R-hat, smallest effective sizes, divergences.
    fn evidence(&self) -> [f64; 4] {
        let worst = |values: Vec<f64>, pick: fn(f64, f64) -> f64| {
            values.into_iter().reduce(|a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { pick(a, b) })
        };
        let nan = f64::NAN;
        [
            worst(self.r_hat(), f64::max).unwrap_or(nan),
            worst(self.ess_bulk(), f64::min).unwrap_or(nan),
            worst(self.ess_tail(), f64::min).unwrap_or(nan),
            self.divergences.iter().sum::<u64>() as f64,
        ]
    }

    fn has_energy(&self) -> bool {
        self.stats.iter().any(|s| !s.energy.is_nan())
    }

    /// The draws of coordinate `j`, chain by chain.
    pub fn traces(&self, j: usize) -> Vec<Vec<f64>> {
        let at = |chain: usize, draw: usize| self.draws[(chain * self.n_draws + draw) * self.dim + j];
        (0..self.n_chains).map(|c| (0..self.n_draws).map(|d| at(c, d)).collect()).collect()
    }

    /// The draws of a function of a draw, chain by chain.
    pub fn traces_of(&self, f: impl Fn(&[f64]) -> f64) -> Vec<Vec<f64>> {
        let all: Vec<f64> = self.draws.chunks_exact(self.dim).map(f).collect();
        all.chunks_exact(self.n_draws).map(<[f64]>::to_vec).collect()
    }

    /// The number of dimensions.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of chains, and of the draws kept of each.
    pub fn shape(&self) -> (usize, usize) {
        (self.n_chains, self.n_draws)
    }

    /// The name of coordinate `j`.
    pub fn name(&self, j: usize) -> String {
        self.names.get(j).cloned().unwrap_or_else(|| format!("x[{}]", j + 1))
    }

    fn each(&self, f: impl Fn(&[Vec<f64>]) -> f64) -> Vec<f64> {
        (0..self.dim).map(|j| f(&self.traces(j))).collect()
    }

    /// The mean of all draws.
    pub fn mean(&self) -> Vec<f64> {
        self.each(|t| Moments::of(&t.concat()).mean)
    }

    /// The standard deviation of all draws.
    pub fn std(&self) -> Vec<f64> {
        self.each(|t| Moments::of(&t.concat()).sample_variance().sqrt())
    }

    /// R-hat of the ranks of each coordinate.
    pub fn r_hat(&self) -> Vec<f64> {
        self.each(r_hat)
    }

    /// The effective sample size of each coordinate for its mean.
    pub fn ess(&self) -> Vec<f64> {
        self.each(effective_sample_size)
    }

    /// The effective sample size of the bulk of each coordinate.
    pub fn ess_bulk(&self) -> Vec<f64> {
        self.each(ess_bulk)
    }

    /// The effective sample size of the tails of each coordinate.
    pub fn ess_tail(&self) -> Vec<f64> {
        self.each(ess_tail)
    }

    /// The standard error of each mean.
    pub fn mcse_mean(&self) -> Vec<f64> {
        self.each(mcse_mean)
    }

    /// The standard error of each standard deviation.
    pub fn mcse_sd(&self) -> Vec<f64> {
        self.each(mcse_sd)
    }

    /// The shortest interval of each coordinate that holds a share of the draws.
    pub fn hdi(&self, share: f64) -> Vec<(f64, f64)> {
        (0..self.dim).map(|j| hdi(&self.traces(j), share)).collect()
    }

    /// The fraction of missing information that the energies of each chain tell of; none without energies.
    pub fn e_bfmi(&self) -> Option<Vec<f64>> {
        let energies: Vec<f64> = self.stats.iter().map(|s| s.energy).collect();
        self.has_energy().then(|| energies.chunks_exact(self.n_draws).map(e_bfmi).collect())
    }

    /// Largest R-hat of any coordinate, and all divergent steps: what a warning is made of.
    pub fn warnings(&self) -> (f64, u64) {
        let [r_hat, .., divergences] = self.evidence();
        (r_hat, divergences as u64)
    }
}

impl Fitted for ChainsModel {
    const VERSION: u32 = 2;

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn reprove(&self, _: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let names = [R_HAT, BULK, TAIL, DIVERGENCES];
        Ok(names.into_iter().map(str::to_owned).zip(self.evidence()).collect())
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (d, c) = ([self.dim], [self.n_chains]);
        let each = [self.n_chains, self.n_draws];
        let real = Attribute::real;
        let flat = |pairs: Vec<(f64, f64)>| pairs.into_iter().flat_map(|(a, b)| [a, b]).collect();
        let divergences: Vec<i64> = self.divergences.iter().map(|n| *n as i64).collect();
        let evaluations: Vec<i64> = self.evaluations.iter().map(|n| *n as i64).collect();
        let shape = [self.n_chains, self.n_draws, self.dim];
        let mut all = vec![
            real("samples_", "The draws, chains × draws × dimensions.", &shape, self.draws.clone()),
            real("mean_", "The mean of the draws.", &d, self.mean()),
            real("std_", "The standard deviation of the draws.", &d, self.std()),
            real(
                "hdi_",
                "The shortest intervals that hold 94 % of the draws.",
                &[self.dim, 2],
                flat(self.hdi(HDI_SHARE)),
            ),
            real("r_hat_", "R-hat of the ranks of each coordinate.", &d, self.r_hat()),
            real("ess_", "Effective sample size of each coordinate for its mean.", &d, self.ess()),
            real("ess_bulk_", "Effective sample size of the bulk of each coordinate.", &d, self.ess_bulk()),
            real("ess_tail_", "Effective sample size of the tails of each coordinate.", &d, self.ess_tail()),
            real("mcse_mean_", "The standard error of each mean.", &d, self.mcse_mean()),
            real("mcse_sd_", "The standard error of each standard deviation.", &d, self.mcse_sd()),
            real("acceptance_", "Mean acceptance of each chain.", &c, self.acceptance.clone()),
            Attribute::int("divergences_", "Divergent steps of each chain.", &c, divergences),
            Attribute::int("evaluations_", "How often each chain asked the density.", &c, evaluations),
        ];
        if self.step_size.iter().all(|s| s.is_finite()) {
            all.push(real("step_size_", "The size of the steps of each chain.", &c, self.step_size.clone()));
        }
        let acceptance = self.stats.iter().map(|s| s.acceptance).collect();
        all.push(real("acceptance_rate_", "Acceptance of each draw.", &each, acceptance));
        if let Some(bfmi) = self.e_bfmi() {
            let diverging = self.stats.iter().map(|s| i64::from(s.divergent)).collect();
            all.push(real("e_bfmi_", "What energies tell of missing information, by chain.", &c, bfmi));
            let energy = self.stats.iter().map(|s| s.energy).collect();
            all.push(real("energy_", "The energy of each draw.", &each, energy));
            all.push(Attribute::int(
                "diverging_",
                "Whether the step to each draw was divergent.",
                &each,
                diverging,
            ));
        }
        if !self.names.is_empty() {
            all.push(Attribute::text("names_", "The names of the coordinates.", self.names.clone()));
        }
        all
    }

    fn validate(&self, _: &Schema) -> Result<(), String> {
        let draws = self.n_chains.checked_mul(self.n_draws);
        let chains =
            [self.acceptance.len(), self.divergences.len(), self.step_size.len(), self.evaluations.len()];
        let ok = draws.and_then(|n| n.checked_mul(self.dim)) == Some(self.draws.len())
            && draws == Some(self.stats.len())
            && chains.iter().all(|n| *n == self.n_chains)
            && (self.names.is_empty() || self.names.len() == self.dim)
            && self.dim > 0
            && self.n_draws > 0;
        if ok { Ok(()) } else { Err("the draws do not fill their shape".to_owned()) }
    }
}
