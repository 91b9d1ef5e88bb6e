//! The chains of a sampler: traces, means, intervals and their diagnostics.

use super::Subject;
use crate::model::Report;
use crate::tasks::{Chain, Chains};
use mercer_core::{AttributeValues, Result};

/// Draws of a trace kept for drawing.
const DRAWN: usize = 1000;

/// What each parameter's chains look like.
pub(super) fn add(subject: &Subject<'_>, report: &mut Report) -> Result<()> {
    let [draws, r_hat, ess, mean] =
        ["samples_", "r_hat_", "ess_bulk_", "mean_"].map(|name| subject.numbers(name));
    if let (Some((draws, shape)), Some((r_hat, _)), Some((ess, _)), Some((mean, _))) =
        (draws, r_hat, ess, mean)
    {
        let mut found = chains(&draws, &shape, &r_hat, &ess, &mean);
        for attribute in subject.model.attributes() {
            match (attribute.name, attribute.values) {
                ("divergences_", AttributeValues::Int(each)) => {
                    found.divergences = Some(each.iter().sum::<i64>().max(0) as u64);
                }
                ("names_", AttributeValues::Text(names)) => {
                    found.parameters.iter_mut().zip(names).for_each(|(chain, name)| chain.name = name);
                }
                _ => {}
            }
        }
        report.chains = Some(found);
    }
    Ok(())
}

fn chains(draws: &[f64], shape: &[usize], r_hat: &[f64], ess: &[f64], mean: &[f64]) -> Chains {
    let [n_chains, n_draws, dim] = shape else { return Chains::default() };
    let step = n_draws.div_ceil(DRAWN).max(1);
    let parameter = |j: usize| {
        let trace =
            |c: usize| (0..*n_draws).step_by(step).map(|d| draws[(c * n_draws + d) * dim + j]).collect();
        let mut all: Vec<f64> = draws.iter().skip(j).step_by(*dim).copied().collect();
        all.sort_by(f64::total_cmp);
        let quantile = |q| mercer_math::quantile_sorted(&all, q);
        Chain {
            name: format!("x{j}"),
            traces: (0..*n_chains).map(trace).collect(),
            mean: mean[j],
            interval: Some((quantile(0.025), quantile(0.975))),
            r_hat: r_hat[j],
            ess: ess[j],
        }
    };
    Chains { parameters: (0..*dim).map(parameter).collect(), divergences: None }
}
