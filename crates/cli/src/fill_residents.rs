//! The parts of a report that are for clusters, chains and policies.

use crate::fail::Outcome;
use mercer::{DataKind, Dataset, Input, Model, Session, Task};
use mercer_report as report;
use mercer_report::Report;

/// The parts of clusters, chains and policies.
pub(crate) fn residents(
    report: &mut Report,
    model: &dyn Model,
    data: &Dataset<'_>,
    session: &Session,
) -> Outcome {
    let attributes = model.attributes();
    let real = |name: &str| {
        attributes.iter().find(|a| a.name == name).and_then(|a| match &a.values {
            mercer::AttributeValues::Real(v) => Some((v.clone(), a.shape.clone())),
            _ => None,
        })
    };
    match model.learner().task() {
        Task::Clustering => report.clusters = clusters(model, data, session)?,
        Task::Sampling => {
            if let (Some((draws, shape)), Some(r_hat), Some(ess), Some(mean)) =
                (real("samples_"), real("r_hat_"), real("ess_"), real("mean_"))
            {
                report.chains = Some(chains(&draws, &shape, &r_hat.0, &ess.0, &mean.0));
            }
        }
        Task::Planning => {
            if let (Some((values, _)), DataKind::Mdp) = (real("values_"), model.schema().kind) {
                report.policy = Some(policy(model, &values, data, session)?);
            }
        }
        _ => {}
    }
    Ok(())
}

fn clusters(model: &dyn Model, data: &Dataset<'_>, session: &Session) -> Outcome<Option<report::Clusters>> {
    let prediction = model.predict(&data.input(), session)?;
    let Ok((codes, labels)) = prediction.class() else { return Ok(None) };
    let mut sizes = vec![0u64; labels.len()];
    codes.iter().for_each(|&c| sizes[c as usize] += 1);
    // The map is the plane of largest variance of the prepared rows.
    let plane = mercer::learner(
        "pipeline:steps=[imputer, one-hot(handle_unknown=ignore, sparse_output=false), standard-scaler, pca(n_components=2)]",
    )?;
    let map = match plane.train(data, session) {
        Ok(plane) => {
            let rows = plane.transform(&data.input(), session)?.dense("map")?;
            let view = rows.view();
            if view.n_cols() >= 2 {
                (0..view.n_rows()).map(|i| (view.get(i, 0), view.get(i, 1))).collect()
            } else {
                Vec::new()
            }
        }
        Err(_) => Vec::new(),
    };
    let assignments =
        if map.is_empty() { Vec::new() } else { codes.iter().map(|&c| Some(c as usize)).collect() };
    Ok(Some(report::Clusters {
        names: labels.iter().map(|l| format!("cluster {l}")).collect(),
        map,
        assignments,
        map_axes: ("first principal component".to_owned(), "second principal component".to_owned()),
        sizes,
        ..report::Clusters::default()
    }))
}

fn chains(draws: &[f64], shape: &[usize], r_hat: &[f64], ess: &[f64], mean: &[f64]) -> report::Chains {
    let [n_chains, n_draws, dim] = shape else { return report::Chains::default() };
    let step = n_draws.div_ceil(1000).max(1);
    let parameter = |j: usize| {
        let trace =
            |c: usize| (0..*n_draws).step_by(step).map(|d| draws[(c * n_draws + d) * dim + j]).collect();
        let mut all: Vec<f64> = draws.iter().skip(j).step_by(*dim).copied().collect();
        all.sort_by(f64::total_cmp);
        let quantile = |q| mercer::math::quantile_sorted(&all, q);
        report::Chain {
            name: format!("x{j}"),
            traces: (0..*n_chains).map(trace).collect(),
            mean: mean[j],
            interval: Some((quantile(0.025), quantile(0.975))),
            r_hat: r_hat[j],
            ess: ess[j],
        }
    };
    report::Chains { parameters: (0..*dim).map(parameter).collect(), divergences: None }
}

fn policy(
    model: &dyn Model,
    values: &[f64],
    data: &Dataset<'_>,
    session: &Session,
) -> Outcome<report::Policy> {
    let Input::Mdp(mdp) = data.whole_input() else { return Ok(report::Policy::default()) };
    let actions = model.predict(&Input::Strings(mdp.states().to_vec().into()), session)?;
    let row = |(i, state): (usize, &String)| report::StateRow {
        state: state.clone(),
        value: values[i],
        action: actions.columns()[0].text(i),
    };
    Ok(report::Policy { grid: None, states: mdp.states().iter().enumerate().map(row).collect() })
}
