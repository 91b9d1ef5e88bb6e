//! Robust regressions against scikit-learn, statsmodels and scipy, and at the ends of theory.

use mercer_core::{Dataset, Fit, Target, Termination};
use mercer_linear::{HuberRegressor, LinearRegression, LpRegressor, QuantileRegressor, RobustLoss};
use mercer_math::{Mat, normal, rng_for};
use mercer_testkit::{assert_close, matrix, numbers, reference};
use serde_json::Value;

fn all() -> (Value, Mat, Dataset<'static>) {
    let all = reference(include_str!("reference/robust.json"));
    let x = matrix(&all["x"]);
    let data = Dataset::new(x.clone()).with_target(Target::real(numbers(&all["y"]))).unwrap();
    (all, x, data)
}

#[test]
fn quantiles_match_scikit_learn_and_statsmodels() {
    let (all, _, data) = all();
    let weighted = data.clone().with_weights(numbers(&all["weights"])).unwrap();
    for fit in all["quantile"].as_array().unwrap() {
        let learner = QuantileRegressor::default()
            .quantile(fit["quantile"].as_f64().unwrap())
            .alpha(fit["alpha"].as_f64().unwrap())
            .fit_intercept(fit["intercept"].as_bool().unwrap());
        let data = if fit["weighted"].as_bool().unwrap() { &weighted } else { &data };
        let model = learner.fit(data).unwrap();
        let objective = model.certificate().objective.unwrap();
        assert_close(&[objective], &[fit["objective"].as_f64().unwrap()], 1e-10, &fit.to_string());
        assert_close(model.coef(), &numbers(&fit["coef"]), 1e-7, &fit.to_string());
        assert_close(&[model.intercept()], &[fit["b"].as_f64().unwrap()], 1e-6, &fit.to_string());
        assert_eq!(model.certificate().termination, Termination::Converged, "{}", model.certificate());
        assert!(model.certificate().evidence[0].value < 1e-9, "{}", model.certificate());
        assert!(model.verify(data).unwrap().iter().all(|v| v.holds), "{}", model.certificate());
    }
    for fit in all["quantreg"].as_array().unwrap() {
        let learner = QuantileRegressor::default().quantile(fit["quantile"].as_f64().unwrap()).alpha(0.0);
        let model = learner.fit(&data).unwrap();
        let params = numbers(&fit["params"]);
        // Reweighting, which statsmodels does, comes this near.
        assert_close(model.coef(), &params[1..], 1e-3, &fit.to_string());
    }
}

#[test]
fn huber_matches_scikit_learn() {
    let (all, _, data) = all();
    let weighted = data.clone().with_weights(numbers(&all["weights"])).unwrap();
    for fit in all["huber"].as_array().unwrap() {
        let learner = HuberRegressor::default()
            .epsilon(fit["epsilon"].as_f64().unwrap())
            .alpha(fit["alpha"].as_f64().unwrap());
        let data = if fit["weighted"].as_bool().unwrap() { &weighted } else { &data };
        let model = learner.tol(1e-12).fit(data).unwrap();
        // scikit-learn stops before the optimum, from where the reference goes on.
        let objective = model.certificate().objective.unwrap();
        assert!(objective <= fit["sklearn_objective"].as_f64().unwrap() * (1.0 + 1e-12), "{objective} {fit}");
        assert_close(&[objective], &[fit["objective"].as_f64().unwrap()], 1e-11, &fit.to_string());
        assert_close(model.coef(), &numbers(&fit["coef"]), 1e-6, &fit.to_string());
        let RobustLoss::Huber { scale, outliers, .. } = model.loss() else { panic!("another loss") };
        assert_close(&[*scale], &[fit["scale"].as_f64().unwrap()], 1e-6, "scale");
        // Without weight, a row is no outlier here.
        let mask = numbers(&fit["outliers"]);
        let weights = numbers(&all["weights"]);
        let counts = |i: &usize| !fit["weighted"].as_bool().unwrap() || weights[*i] > 0.0;
        assert!((0..mask.len()).filter(counts).all(|i| (mask[i] > 0.0) == outliers[i]), "{fit}");
        assert_eq!(model.certificate().termination, Termination::Converged, "{}", model.certificate());
        assert!(model.certificate().evidence[0].value < 1e-9, "{}", model.certificate());
        assert!(model.verify(data).unwrap().iter().all(|v| v.holds), "{}", model.certificate());
    }
}

#[test]
fn powers_reach_the_minimum() {
    let (all, _, data) = all();
    for fit in all["powers"].as_array().unwrap() {
        let p = fit["p"].as_f64().unwrap();
        let model = LpRegressor::default().p(p).fit(&data).unwrap();
        let objective = model.certificate().objective.unwrap();
        let given = fit["objective"].as_f64().unwrap();
        assert!(objective <= given * (1.0 + 1e-9), "{p}: {objective} {given}, {}", model.certificate());
        assert_close(model.coef(), &numbers(&fit["coef"]), 1e-3, &fit.to_string());
        assert!(model.certificate().evidence[0].value < 1e-6, "{p}: {}", model.certificate());
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
    }
    let squares = LpRegressor::default().p(2.0).fit(&data).unwrap();
    let ols = LinearRegression::default().fit(&data).unwrap();
    assert_close(squares.coef(), ols.coef().as_slice(), 1e-9, "squares");
    let median = QuantileRegressor::default().alpha(0.0).fit(&data).unwrap();
    assert_close(LpRegressor::default().fit(&data).unwrap().coef(), median.coef(), 1e-12, "absolute values");
}

/// As many rows lie below the fit as the quantile says, up to those that it goes through.
#[test]
fn quantiles_part_the_rows() {
    let mut rng = rng_for(4, 9);
    let x = Mat::from_fn(5000, 3, |_, _| normal(&mut rng));
    let y: Vec<f64> = (0..5000).map(|i| x[(i, 0)] + (1.0 + x[(i, 1)].abs()) * normal(&mut rng)).collect();
    let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
    for quantile in [0.05, 0.5, 0.9] {
        let model = QuantileRegressor::default().quantile(quantile).alpha(0.0).fit(&data).unwrap();
        let fitted = |i: usize| model.intercept() + mercer_math::dot(x.row(i), model.coef());
        let below = (0..5000).filter(|&i| y[i] < fitted(i) - 1e-9).count() as f64;
        assert!(below <= quantile * 5000.0 && below + 4.0 >= quantile * 5000.0, "{quantile}: {below}");
        assert!(model.certificate().evidence[0].value < 1e-9, "{}", model.certificate());
    }
}
