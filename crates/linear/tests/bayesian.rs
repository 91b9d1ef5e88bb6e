//! Bayesian regressions against scikit-learn, and against ridge regression and the laws of their own distributions.

use mercer_core::{Attribute, AttributeValues, Dataset, Fit, Session, Target};
use mercer_linear::{ARDRegression, BayesianLinearRegression, BayesianModel, BayesianRidge, Ridge};
use mercer_math::{Mat, dot, rng_for};
use mercer_testkit::{assert_close, matrix, numbers, reference};
use serde_json::Value;

fn problems() -> Vec<Value> {
    reference(include_str!("reference/bayesian.json"))["problems"].as_array().unwrap().clone()
}

fn attribute(all: &[Attribute], name: &str) -> Vec<f64> {
    match &all.iter().find(|a| a.name == name).unwrap().values {
        AttributeValues::Real(values) => values.clone(),
        other => panic!("{other:?}"),
    }
}

fn compare(model: &BayesianModel, all: &[Attribute], fit: &Value, tol: f64) {
    let what = format!("{} {} {}", fit["class"], fit["intercept"], fit["weighted"]);
    assert_close(model.mean(), &numbers(&fit["coef"]), tol, &what);
    assert_close(&[model.intercept()], &[fit["b"].as_f64().unwrap()], tol, &what);
    assert_close(&attribute(all, "alpha_"), &[fit["alpha"].as_f64().unwrap()], 10.0 * tol, &what);
    assert_close(&attribute(all, "sigma_"), matrix(&fit["sigma"]).as_slice(), tol, &what);
}

#[test]
fn matches_scikit_learn() {
    for p in problems() {
        let (x, new) = (matrix(&p["x"]), matrix(&p["new"]));
        let data = Dataset::new(&x).with_target(Target::real(numbers(&p["y"]))).unwrap();
        let weighted = data.clone().with_weights(numbers(&p["weights"])).unwrap();
        for fit in p["fits"].as_array().unwrap() {
            let intercept = fit["intercept"].as_bool().unwrap();
            let data = if fit["weighted"].as_bool().unwrap() { &weighted } else { &data };
            let session = Session::default();
            if fit["class"] == "ARDRegression" && x.n_rows() < x.n_cols() {
                // Where the noise vanishes, Woodbury's identity cancels there: precisions jump and never settle.
                continue;
            }
            let (std, scores) = if fit["class"] == "BayesianRidge" {
                let learner = BayesianRidge::default().fit_intercept(intercept).compute_score(true);
                let model = learner.tol(1e-9).max_iter(5000).fit(data).unwrap();
                compare(&model, &model.attributes(), fit, 1e-5);
                assert!(model.verify(data).unwrap().iter().all(|v| v.holds), "{}", model.certificate());
                let spread = model.as_model().on(&(&new).into(), &session).unwrap().spread().unwrap();
                assert_close(&spread.mean, &numbers(&fit["mean"]), 1e-5, "mean");
                (spread.std(), attribute(&model.attributes(), "scores_"))
            } else {
                let learner = ARDRegression::default().fit_intercept(intercept).compute_score(true);
                let model = learner.tol(1e-9).max_iter(5000).fit(data).unwrap();
                compare(&model, &model.attributes(), fit, 1e-4);
                assert!(model.verify(data).unwrap().iter().all(|v| v.holds), "{}", model.certificate());
                let spread = model.as_model().on(&(&new).into(), &session).unwrap().spread().unwrap();
                (spread.std(), attribute(&model.attributes(), "scores_"))
            };
            assert_close(&std, &numbers(&fit["std"]), 1e-4, &format!("std of {}", fit["class"]));
            assert_close(&[scores[scores.len() - 1]], &[fit["score"].as_f64().unwrap()], 1e-3, "score");
        }
    }
}

#[test]
fn a_given_prior_has_the_evidence_of_its_gaussian() {
    for p in problems() {
        let x = matrix(&p["x"]);
        let data = Dataset::new(&x).with_target(Target::real(numbers(&p["y"]))).unwrap();
        let learner = BayesianLinearRegression::default()
            .fit_intercept(false)
            .prior_mean(numbers(&p["prior_mean"]))
            .prior_variance(numbers(&p["prior_variance"]))
            .noise_variance(p["noise"].as_f64());
        let model = learner.fit(&data).unwrap();
        assert_close(
            &[model.log_evidence().unwrap()],
            &[p["log_evidence"].as_f64().unwrap()],
            1e-9,
            "evidence",
        );
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{}", model.certificate());
    }
}

#[test]
fn the_posterior_mean_is_ridge_regression() {
    for p in problems() {
        let x = matrix(&p["x"]);
        let data = Dataset::new(&x).with_target(Target::real(numbers(&p["y"]))).unwrap();
        for intercept in [true, false] {
            let learner = BayesianLinearRegression::default().fit_intercept(intercept);
            let model = learner.prior_variance(vec![0.7]).noise_variance(Some(0.35)).fit(&data).unwrap();
            let ridge = Ridge::default().alpha(0.5).fit_intercept(intercept).fit(&data).unwrap();
            assert_close(model.mean(), ridge.coef.row(0), 1e-9, "ridge");
        }
        // Learnt variances have a higher evidence than others beside them.
        let best = BayesianLinearRegression::default().fit(&data).unwrap();
        let (noise, prior) = (best.noise_variance(), 1.0 / best.prior_precision()[0]);
        for (a, b) in [(1.05, 1.0), (0.95, 1.0), (1.0, 1.1), (1.0, 0.9)] {
            let learner = BayesianLinearRegression::default().noise_variance(Some(a * noise));
            let other = learner.prior_variance(vec![b * prior]).fit(&data).unwrap();
            assert!(other.log_evidence().unwrap() < best.log_evidence().unwrap(), "{a} {b}");
        }
    }
}

#[test]
fn draws_have_the_mean_and_covariance_of_the_posterior() {
    let p = &problems()[0];
    let x = matrix(&p["x"]);
    let data = Dataset::new(&x).with_target(Target::real(numbers(&p["y"]))).unwrap();
    let model = BayesianLinearRegression::default().fit(&data).unwrap();
    let draws: Mat = model.sample(20_000, &mut rng_for(1, 1));
    let (covariance, ends) = (model.covariance(), model.credible_intervals(0.9));
    for j in 0..x.n_cols() {
        let own = draws.col(j);
        let mean = own.iter().sum::<f64>() / 20_000.0;
        let deviation = covariance[(j, j)].sqrt();
        assert!((mean - model.mean()[j]).abs() < 5.0 * deviation / 140.0);
        let square = dot(&own, &own) / 20_000.0 - mean * mean;
        assert!((square / covariance[(j, j)] - 1.0).abs() < 0.05);
        let inside = own.iter().filter(|v| **v > ends[(j, 0)] && **v < ends[(j, 1)]).count();
        assert!((17_800..18_200).contains(&inside), "{inside}");
    }
}
