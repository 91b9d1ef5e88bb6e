//! Generalised linear models against scikit-learn and statsmodels, and where they are hard.

use mercer_core::{Dataset, Fit, Learn, Session, SummaryRow, Target};
use mercer_linear::{GammaRegressor, GlmLink, GlmModel, GlmSolver, PoissonRegressor, TweedieRegressor};
use mercer_math::{Csr, Mat, normal, rng_for, uniform};
use mercer_measure::d2_tweedie;
use mercer_testkit::{assert_close, matrix, numbers, reference};
use serde_json::Value;

fn values() -> Value {
    reference(include_str!("reference/glm.json"))
}

fn family(power: f64, link: &str) -> TweedieRegressor {
    let link = if link == "log" { GlmLink::Log } else { GlmLink::Auto };
    TweedieRegressor::default().power(power).link(link)
}

#[test]
fn matches_scikit_learn() {
    let all = values();
    let x = matrix(&all["x"]);
    let (csr, weights) = (Csr::from_dense(x.view()), numbers(&all["weights"]));
    for fit in all["fits"].as_array().unwrap() {
        let given = |name: &str| fit[name].as_f64().unwrap();
        let y = numbers(&all[fit["y"].as_str().unwrap()]);
        for solver in [GlmSolver::NewtonCholesky, GlmSolver::Lbfgs] {
            for data in [Dataset::new(&x), Dataset::new(&csr)] {
                let mut data = data.with_target(Target::real(y.clone())).unwrap();
                let weighted = fit["weighted"].as_bool().unwrap();
                if weighted {
                    data = data.with_weights(weights.clone()).unwrap();
                }
                let learner = family(given("power"), fit["link"].as_str().unwrap())
                    .alpha(given("alpha"))
                    .fit_intercept(fit["intercept"].as_bool().unwrap())
                    .solver(solver)
                    .max_iter(1000)
                    .tol(1e-9);
                let model = learner.fit(&data).unwrap();
                let told = format!("{solver:?} {fit}: {}", model.certificate());
                assert_close(model.coef(), &numbers(&fit["coef"]), 2e-6, &told);
                assert_close(&[model.intercept()], &[given("b")], 2e-6, &told);
                let prediction = model.predict(&x).unwrap();
                let predicted = prediction.numbers().unwrap();
                assert_close(&predicted[..5], &numbers(&fit["predicted"]), 2e-6, &told);
                let d2 = d2_tweedie(&y, predicted, given("power"), weighted.then_some(weights.as_slice()));
                assert_close(&[d2.unwrap()], &[given("d2")], 2e-6, &told);
                assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{told}");
            }
        }
    }
}

#[test]
fn the_named_families_are_powers() {
    let all = values();
    let x = matrix(&all["x"]);
    let data = |y: &str| Dataset::new(&x).with_target(Target::real(numbers(&all[y]))).unwrap();
    let coef = |m: &GlmModel| m.coef().to_vec();
    let counts = data("counts");
    let poisson = PoissonRegressor::default().fit(&counts).unwrap();
    assert_eq!(coef(&poisson), coef(&TweedieRegressor::default().power(1.0).fit(&counts).unwrap()));
    let positive = data("positive");
    let gamma = GammaRegressor::default().fit(&positive).unwrap();
    assert_eq!(coef(&gamma), coef(&TweedieRegressor::default().power(2.0).fit(&positive).unwrap()));
}

#[test]
fn matches_the_summary_of_statsmodels() {
    let all = values();
    let x = matrix(&all["x"]);
    for fit in all["summaries"].as_array().unwrap() {
        let given = |name: &str| fit[name].as_f64().unwrap();
        let y = numbers(&all[fit["y"].as_str().unwrap()]);
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
        let data = data.with_weights(numbers(&fit["weights"])).unwrap();
        let intercept = fit["intercept"].as_bool().unwrap();
        let learner = family(given("power"), "auto").alpha(0.0).fit_intercept(intercept).tol(1e-8);
        let model = learner.fit(&data).unwrap();
        let s = model.as_model().summary(0.9).unwrap();
        let column = |f: &dyn Fn(&SummaryRow) -> f64| s.coefficients.iter().map(f).collect::<Vec<_>>();
        let told = fit.to_string();
        assert_close(&column(&|c| c.estimate), &numbers(&fit["estimates"]), 1e-7, &told);
        assert_close(&column(&|c| c.std_error), &numbers(&fit["errors"]), 1e-7, &told);
        assert_close(&column(&|c| c.statistic), &numbers(&fit["z"]), 1e-6, &told);
        assert_close(&column(&|c| c.p_value), &numbers(&fit["p"]), 1e-6, &told);
        assert_close(&column(&|c| c.lower), &numbers(&fit["lower"]), 1e-6, &told);
        assert_close(&column(&|c| c.upper), &numbers(&fit["upper"]), 1e-6, &told);
        let facts = [
            (s.deviance.unwrap(), "deviance"),
            (s.null_deviance.unwrap(), "null"),
            (s.sigma.unwrap().powi(2), "scale"),
            (s.log_likelihood, "llf"),
            (s.aic, "aic"),
            (s.bic, "bic"),
        ];
        facts.iter().for_each(|(found, name)| assert_close(&[*found], &[given(name)], 1e-8, name));
    }
}

/// Rows of noise and counts with a known rate.
fn counts(n: usize, d: usize) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(5, 1);
    let x = Mat::from_fn(n, d, |_, _| normal(&mut rng));
    let y = (0..n).map(|i| {
        let rate = (0.5 + 0.5 * x[(i, 0)] - 0.3 * x[(i, 1)]).exp();
        // Knuth's way to a Poisson number.
        let (limit, mut product, mut k) = ((-rate).exp(), uniform(&mut rng), 0.0);
        while product > limit {
            product *= uniform(&mut rng);
            k += 1.0;
        }
        k
    });
    let y = y.collect();
    (x, y)
}

#[test]
fn both_solvers_and_layouts_reach_one_optimum() {
    let (x, y) = counts(3000, 300);
    let csr = Csr::from_dense(x.view());
    let dense = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
    let sparse = Dataset::new(&csr).with_target(Target::real(y)).unwrap();
    let learner = PoissonRegressor::default().alpha(0.01).tol(1e-9).max_iter(1000);
    let newton = learner.clone().solver(GlmSolver::NewtonCholesky).fit(&dense).unwrap();
    for (data, solver) in
        [(&dense, GlmSolver::Lbfgs), (&sparse, GlmSolver::Lbfgs), (&sparse, GlmSolver::NewtonCholesky)]
    {
        let other = learner.clone().solver(solver).fit(data).unwrap();
        assert!(other.certificate().is_success(), "{}", other.certificate());
        assert_close(other.coef(), newton.coef(), 1e-7, "coefficients");
    }
    // The gap bound holds: the objective of the best is within it.
    let rough = learner.tol(1e-3).solver(GlmSolver::Lbfgs).fit(&dense).unwrap();
    let gap = rough.certificate().evidence.iter().find(|e| e.name == "gap bound").unwrap().value;
    let off = rough.certificate().objective.unwrap() - newton.certificate().objective.unwrap();
    assert!(off >= 0.0 && off <= gap, "{off} within {gap}");
}

#[test]
fn exposures_are_weights_of_rates() {
    // A rate with its exposure for a weight says the same as its count with the logarithm of the exposure added to the
    // score; here in the closed form of a constant: all counts over all exposures.
    let x = Mat::zeros(3, 1);
    let (counts, exposures) = ([2.0, 9.0, 1.0], [1.0, 4.0, 3.0]);
    let rates: Vec<f64> = counts.iter().zip(exposures).map(|(c, e)| c / e).collect();
    let data = Dataset::new(&x).with_target(Target::real(rates)).unwrap();
    let model = PoissonRegressor::default().fit(&data.with_weights(exposures.to_vec()).unwrap()).unwrap();
    assert!((model.intercept() - (12f64 / 8.0).ln()).abs() < 1e-12);
}

#[test]
fn a_large_penalty_leaves_the_mean() {
    let (x, y) = counts(200, 3);
    let mean = y.iter().sum::<f64>() / 200.0;
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let model = PoissonRegressor::default().alpha(1e12).fit(&data).unwrap();
    assert!(model.coef().iter().all(|w| w.abs() < 1e-9) && (model.intercept() - mean.ln()).abs() < 1e-9);
}

#[test]
fn what_cannot_be_is_refused() {
    let x = Mat::from_fn(4, 1, |i, _| i as f64);
    let fit = |y: Vec<f64>, power: f64| {
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
        TweedieRegressor::default().power(power).fit(&data).map(|_| ()).map_err(|e| e.to_string())
    };
    assert!(fit(vec![1.0, 2.0, -1.0, 1.0], 1.0).unwrap_err().contains("row 2"));
    assert!(fit(vec![1.0, 0.0, 1.0, 1.0], 2.0).unwrap_err().contains("row 1"));
    assert!(fit(vec![0.0; 4], 1.0).unwrap_err().contains("mean"));
    assert!(fit(vec![1.0; 4], 0.5).unwrap_err().contains("power"));
    assert!(fit(vec![1.0; 4], f64::NAN).is_err());
    assert!(fit(vec![-1.0, 2.0, 3.0, 4.0], 0.0).is_ok());
    assert!(fit(vec![3.0; 4], 1.0).is_ok());
}

#[test]
fn penalised_and_dependent_coefficients_have_no_summary() {
    let (x, y) = counts(50, 2);
    let twice = Mat::from_fn(50, 3, |i, j| x[(i, j.min(1))]);
    let data = |x: &Mat| Dataset::new(x.clone()).with_target(Target::real(y.clone())).unwrap();
    let why = |m: &mercer_core::Trained<PoissonRegressor>| m.summary().unwrap_err().to_string();
    assert!(why(&PoissonRegressor::default().fit(&data(&x)).unwrap()).contains("alpha=0"));
    let free = PoissonRegressor::default().alpha(0.0);
    assert!(why(&free.fit(&data(&twice)).unwrap()).contains("depend"));
    assert!(free.capabilities().summary && !PoissonRegressor::default().capabilities().summary);
    let perturbed = free.fit(&data(&x)).unwrap();
    let other: Vec<f64> = y.iter().rev().copied().collect();
    let moved = Dataset::new(&x).with_target(Target::real(other)).unwrap();
    let session = Session::default();
    assert!(perturbed.as_model().verify(&moved, &session).unwrap().iter().any(|v| !v.holds));
}
