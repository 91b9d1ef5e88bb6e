//! Generalised linear models with an offset: against statsmodels, and against what an offset means.

use mercer_core::{Dataset, Fit, Rows, Session, Target};
use mercer_linear::{GlmLink, GlmSolver, PoissonRegressor, TweedieRegressor};
use mercer_math::{Csr, Mat};
use mercer_testkit::{assert_close, matrix, numbers, reference};
use serde_json::Value;

const NAMES: [&str; 4] = ["a", "b", "offset", "c"];

/// The rows with the offset as their third column.
fn rows(all: &Value, log: bool) -> Mat {
    let (x, exposure) = (matrix(&all["x"]), numbers(&all["exposure"]));
    Mat::from_fn(x.n_rows(), 4, |i, j| match j {
        2 if log => exposure[i].ln(),
        2 => exposure[i],
        3 => x[(i, 2)],
        _ => x[(i, j)],
    })
}

fn named(x: &Mat) -> Rows<'_> {
    let names: Vec<String> = NAMES.iter().map(|n| (*n).to_owned()).collect();
    Rows::from(x).named(names).unwrap()
}

#[test]
fn matches_statsmodels() {
    let all = reference(include_str!("reference/glm_offset.json"));
    for fit in all["fits"].as_array().unwrap() {
        let log = fit["link"] == "log";
        let (x, y) = (rows(&all, log), numbers(&all[fit["y"].as_str().unwrap()]));
        let intercept = fit["intercept"].as_bool().unwrap();
        for solver in [GlmSolver::NewtonCholesky, GlmSolver::Lbfgs] {
            let learner = TweedieRegressor::default()
                .power(fit["power"].as_f64().unwrap())
                .link(if log { GlmLink::Log } else { GlmLink::Identity })
                .alpha(0.0)
                .fit_intercept(intercept)
                .solver(solver)
                .tol(1e-9)
                .max_iter(1000)
                .offset(Some("offset".to_owned()));
            let data = Dataset::new(named(&x)).with_target(Target::real(y.clone())).unwrap();
            let model = learner.fit(&data).unwrap();
            let told = format!("{solver:?} {fit}: {}", model.certificate());
            let estimates = numbers(&fit["estimates"]);
            let (b, w) = estimates.split_at(usize::from(intercept));
            assert_close(model.coef(), &[w[0], w[1], 1.0, w[2]], 2e-6, &told);
            assert_close(&[model.intercept()], &[b.first().copied().unwrap_or(0.0)], 2e-6, &told);
            let prediction = model.predict(named(&x)).unwrap();
            assert_close(&prediction.numbers().unwrap()[..6], &numbers(&fit["predicted"]), 2e-6, &told);
            assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{told}");
            let Some(llf) = fit["llf"].as_f64() else { continue };
            let summary = model.summary().unwrap();
            let errors: Vec<f64> = summary.coefficients.iter().map(|row| row.std_error).collect();
            assert_close(&errors, &numbers(&fit["errors"]), 2e-5, &told);
            assert!(summary.coefficients.iter().all(|row| row.name != "offset"));
            assert_close(&[summary.log_likelihood], &[llf], 1e-6, &told);
            assert_close(&[summary.deviance.unwrap()], &[fit["deviance"].as_f64().unwrap()], 1e-6, &told);
            assert!(summary.null_deviance.is_none());
        }
    }
}

#[test]
fn a_penalty_leaves_the_offset_alone() {
    let all = reference(include_str!("reference/glm_offset.json"));
    let (x, y) = (rows(&all, true), numbers(&all["counts"]));
    let alpha = all["penalised"]["alpha"].as_f64().unwrap();
    let learner =
        PoissonRegressor::default().alpha(alpha).tol(1e-10).max_iter(1000).offset(Some("offset".to_owned()));
    let csr = Csr::from_dense(x.view());
    let sparse = Rows::from(&csr).named(NAMES.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>()).unwrap();
    let want = numbers(&all["penalised"]["estimates"]);
    for rows in [named(&x), sparse] {
        let data = Dataset::new(rows).with_target(Target::real(y.clone())).unwrap();
        let model = learner.fit(&data).unwrap();
        assert_close(model.coef(), &[want[1], want[2], 1.0, want[3]], 1e-5, "penalised");
        assert_close(&[model.intercept()], &[want[0]], 1e-5, "penalised");
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
    }
}

#[test]
fn an_exposure_is_a_rate_with_weights() {
    // Counts with the logarithm of the exposure, and rates weighted by it, have the same likelihood up to a constant.
    let all = reference(include_str!("reference/glm_offset.json"));
    let (x, y, exposure) = (rows(&all, true), numbers(&all["counts"]), numbers(&all["exposure"]));
    let free = PoissonRegressor::default().alpha(0.0).tol(1e-11);
    let with = free.clone().offset(Some("x2".to_owned()));
    let counted = with.fit(&Dataset::new(&x).with_target(Target::real(y.clone())).unwrap()).unwrap();
    let rates: Vec<f64> = y.iter().zip(&exposure).map(|(y, e)| y / e).collect();
    let plain = matrix(&all["x"]);
    let data = Dataset::new(&plain).with_target(Target::real(rates)).unwrap().with_weights(exposure).unwrap();
    let rated = free.fit(&data).unwrap();
    let (w, b) = (counted.coef(), counted.intercept());
    assert_close(&[w[0], w[1], w[3], b], &[rated.coef(), &[rated.intercept()]].concat(), 1e-7, "rates");
}

#[test]
fn a_fit_begins_where_it_is_told() {
    let all = reference(include_str!("reference/glm_offset.json"));
    let (x, y) = (rows(&all, true), numbers(&all["counts"]));
    let learner = PoissonRegressor::default().alpha(0.1).tol(1e-6).offset(Some("x2".to_owned()));
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let cold = learner.fit(&data).unwrap();
    let start = [cold.coef(), &[cold.intercept()]].concat();
    let warm = learner.fit_in(&data, &Session::default().with_start(start)).unwrap();
    assert!(cold.n_iter() > 1 && warm.n_iter() == 0, "{} {}", cold.n_iter(), warm.n_iter());
    assert_close(warm.coef(), cold.coef(), 1e-9, "warm");
    assert!(learner.fit_in(&data, &Session::default().with_start(vec![1.0; 3])).is_err());
}

#[test]
fn columns_that_are_not_there_are_refused() {
    let x = Mat::from_fn(5, 2, |i, j| (i * (j + 1)) as f64);
    let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 2.0, 3.0, 4.0, 5.0])).unwrap();
    let learner = PoissonRegressor::default();
    let error = learner.clone().offset(Some("age".to_owned())).fit(&data).unwrap_err().to_string();
    assert!(error.contains("`offset`") && error.contains("age"), "{error}");
    let one = Mat::from_fn(5, 1, |i, _| i as f64);
    let data = Dataset::new(&one).with_target(Target::real(vec![1.0; 5])).unwrap();
    assert!(learner.offset(Some("x0".to_owned())).fit(&data).is_err());
}
