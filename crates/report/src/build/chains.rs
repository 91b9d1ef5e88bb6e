//! The chains of a sampler: traces, means, intervals and their diagnostics.

use super::Subject;
use crate::model::Report;
use crate::tasks::{Chain, Chains};
use mercer_core::{AttributeValues, Result};

/// Draws of a trace kept for drawing.
const DRAWN: usize = 1000;

/// Bins of the ranks of draws.
const BINS: usize = 20;

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
        let ranks = ranks(&all, *n_chains);
        all.sort_by(f64::total_cmp);
        let quantile = |q| mercer_math::quantile_sorted(&all, q);
        Chain {
            name: format!("x{j}"),
            traces: (0..*n_chains).map(trace).collect(),
            ranks,
            mean: mean[j],
            interval: Some((quantile(0.025), quantile(0.975))),
            r_hat: r_hat[j],
            ess: ess[j],
        }
    };
    Chains { parameters: (0..*dim).map(parameter).collect(), divergences: None, every: step }
}

/// How many draws of each chain have a rank among those of all chains in each of equally wide bins (Vehtari et al. 2021,
/// doi:10.1214/20-BA1221). Of equal draws the earlier one has the lower rank, chain after chain in turn.
fn ranks(draws: &[f64], n_chains: usize) -> Vec<Vec<u64>> {
    let (n, length) = (draws.len(), draws.len() / n_chains.max(1));
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| {
        draws[a].total_cmp(&draws[b]).then((a % length, a / length).cmp(&(b % length, b / length)))
    });
    let mut counts = vec![vec![0; BINS]; n_chains];
    for (rank, draw) in order.into_iter().enumerate() {
        counts[(draw / length).min(n_chains - 1)][rank * BINS / n] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain above all others has the highest ranks; equal draws are shared out evenly.
    #[test]
    fn ranks_tell_chains_apart() {
        let draws: Vec<f64> =
            (0..200).map(|i| if i < 100 { f64::from(i) } else { f64::from(i) + 50.0 }).collect();
        let apart = ranks(&draws, 2);
        assert_eq!((apart[0][..10].iter().sum::<u64>(), apart[1][10..].iter().sum::<u64>()), (100, 100));
        let same = ranks(&[1.0; 200], 2);
        assert!(same.iter().flatten().all(|c| *c == 5), "{same:?}");
        assert!(ranks(&[], 0).is_empty());
    }
}
