//! Ridge regression and its relatives against scikit-learn, against fits without a row, and against theory.

use mercer_core::{Attribute, AttributeValues, Dataset, Fit, Label, Target};
use mercer_linear::{LinearRegression, Ridge, RidgeCV, RidgeClassifier, RidgeClassifierCV};
use mercer_math::{Csr, Mat, dot, normal, rng_for};
use mercer_testkit::{assert_close, matrix, numbers, reference};
use serde_json::Value;

fn problems() -> Vec<Value> {
    reference(include_str!("reference/squares.json"))["problems"].as_array().unwrap().clone()
}

fn attribute(all: &[Attribute], name: &str) -> Vec<f64> {
    match &all.iter().find(|a| a.name == name).unwrap_or_else(|| panic!("no {name}")).values {
        AttributeValues::Real(values) => values.clone(),
        other => panic!("{other:?}"),
    }
}

const ALPHAS: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];

#[test]
fn cross_validation_matches_scikit_learn() {
    for p in problems() {
        let (x, y, y2) = (matrix(&p["x"]), numbers(&p["y"]), matrix(&p["y2"]));
        let csr = Csr::from_dense(x.view());
        for fit in p["cv"].as_array().unwrap() {
            let learner =
                RidgeCV::default().alphas(ALPHAS.to_vec()).fit_intercept(fit["intercept"].as_bool().unwrap());
            for data in [Dataset::new(&x), Dataset::new(&csr)] {
                let data = data.with_target(Target::real(y.clone())).unwrap();
                let weighted = match fit["weighted"].as_bool().unwrap() {
                    true => data.clone().with_weights(numbers(&p["weights"])).unwrap(),
                    false => data.clone(),
                };
                let model = learner.clone().store_cv_results(true).fit(&weighted).unwrap();
                let all = model.attributes();
                assert_eq!(model.alpha(), [fit["alpha"].as_f64().unwrap()], "{fit}");
                assert_close(&attribute(&all, "coef_"), &numbers(&fit["coef"]), 1e-8, "coef");
                assert_close(
                    &attribute(&all, "best_score_"),
                    &[fit["score"].as_f64().unwrap()],
                    1e-8,
                    "score",
                );
                assert_close(
                    &attribute(&all, "cv_results_"),
                    matrix(&fit["cv_results"]).as_slice(),
                    1e-7,
                    "results",
                );
                assert!(model.verify(&weighted).unwrap().iter().all(|v| v.holds), "{}", model.certificate());
                let folds = learner.clone().cv(Some(4)).fit(&data).unwrap();
                assert_eq!(folds.alpha(), [fit["folds_alpha"].as_f64().unwrap()]);
                let score = attribute(&folds.attributes(), "best_score_");
                assert_close(&score, &[fit["folds_score"].as_f64().unwrap()], 1e-8, "score of folds");
                let two = Target::multi(vec![y2.row(0).to_vec(), y2.row(1).to_vec()]).unwrap();
                let two = weighted.with_target(two).unwrap();
                let model = learner.clone().alpha_per_target(true).fit(&two).unwrap();
                assert_eq!(model.alpha(), numbers(&fit["alphas2"]));
                let all = model.attributes();
                assert_close(&attribute(&all, "coef_"), matrix(&fit["coef2"]).as_slice(), 1e-8, "coef");
                assert_close(&attribute(&all, "best_score_"), &numbers(&fit["scores2"]), 1e-8, "scores");
                assert!(model.verify(&two).unwrap().iter().all(|v| v.holds));
            }
        }
    }
}

/// Leave-one-out by one decomposition is what fits without the row say.
#[test]
fn rows_left_out_are_really_left_out() {
    let mut rng = rng_for(5, 5);
    for (n, d) in [(25, 4), (12, 20)] {
        let x = Mat::from_fn(n, d, |_, _| 2.0 + normal(&mut rng));
        let y: Vec<f64> = (0..n).map(|i| x[(i, 0)] + normal(&mut rng)).collect();
        let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
        let model = RidgeCV::default().store_cv_results(true).fit(&data).unwrap();
        let results = attribute(&model.attributes(), "cv_results_");
        for (a, alpha) in [0.1, 1.0, 10.0].into_iter().enumerate() {
            for i in 0..n {
                let rest: Vec<usize> = (0..n).filter(|&j| j != i).collect();
                let without = Ridge::default().alpha(alpha).fit(&data.subset(&rest).unwrap()).unwrap();
                let off = y[i] - without.intercept[0] - dot(x.row(i), without.coef.row(0));
                assert_close(&[results[3 * i + a]], &[off * off], 1e-9, "left out");
            }
        }
    }
}

#[test]
fn nonnegative_ridge_and_classifiers_match_scikit_learn() {
    // Two classes have a list of coefficients, or a list of one list.
    let flat = |v: &Value| if v[0].is_array() { matrix(v).into_vec() } else { numbers(v) };
    for p in problems() {
        let (x, y) = (matrix(&p["x"]), numbers(&p["y"]));
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
        for fit in p["ridge"].as_array().unwrap().iter().filter(|f| f["positive"].is_boolean()) {
            let positive = fit["positive"].as_bool().unwrap();
            let learner = Ridge::default().alpha(2.0).positive(positive);
            let model = learner.fit_intercept(fit["intercept"].as_bool().unwrap()).fit(&data).unwrap();
            // scikit-learn's own way to non-negative coefficients stops early.
            let tol = if positive { 1e-3 } else { 1e-9 };
            assert_close(model.coef.as_slice(), &numbers(&fit["coef"]), tol, &fit.to_string());
            assert!(model.certificate().evidence[0].value < 1e-9, "{}", model.certificate());
            assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{}", model.certificate());
        }
        for fit in p["classifiers"].as_array().unwrap() {
            let labels: Vec<i64> =
                fit["labels"].as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect();
            let mut known: Vec<i64> = labels.clone();
            known.sort_unstable();
            known.dedup();
            let codes = labels.iter().map(|l| known.binary_search(l).unwrap() as u32).collect();
            let dictionary: Vec<Label> = known.into_iter().map(Label::Int).collect();
            let data = Dataset::new(&x).with_target(Target::coded(codes, dictionary.into())).unwrap();
            let plain = RidgeClassifier::default().alpha(0.7);
            let model = plain.fit(&data).unwrap();
            assert_close(&attribute(&model.attributes(), "coef_"), &flat(&fit["coef"]), 1e-9, "coef");
            assert_close(
                &attribute(&model.attributes(), "intercept_"),
                &numbers(&fit["b"]),
                1e-9,
                "intercept",
            );
            let predicted = model.predict(&x).unwrap();
            let predicted: Vec<f64> = predicted.class().unwrap().0.iter().map(|c| f64::from(*c)).collect();
            assert_close(&predicted, &numbers(&fit["predicted"]), 0.0, "predicted");
            let balanced = plain.class_weight(Some(mercer_linear::ClassWeight::Balanced)).fit(&data).unwrap();
            assert_close(
                &attribute(&balanced.attributes(), "coef_"),
                &flat(&fit["balanced"]),
                1e-9,
                "balanced",
            );
            assert!(balanced.verify(&data).unwrap().iter().all(|v| v.holds));
            let cv = RidgeClassifierCV::default().alphas(ALPHAS.to_vec()).fit(&data).unwrap();
            assert_eq!(cv.alpha(), fit["alpha"].as_f64().unwrap());
            assert_close(&attribute(&cv.attributes(), "coef_"), &flat(&fit["cv_coef"]), 1e-8, "coef by cv");
            let score = attribute(&cv.attributes(), "best_score_");
            assert_close(&score, &[fit["score"].as_f64().unwrap()], 1e-9, "score");
        }
    }
}

fn problem(n: usize, d: usize) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(6, 6);
    let x = Mat::from_fn(n, d, |_, _| 1.0 + normal(&mut rng));
    let y = (0..n).map(|i| x[(i, 0)] - 2.0 * x[(i, d - 1)] + normal(&mut rng)).collect();
    (x, y)
}

#[test]
fn a_path_holds_what_single_fits_give() {
    for (n, d) in [(40, 6), (10, 25)] {
        let (x, y) = problem(n, d);
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
        let path = Ridge::default().path(&data, &[1e-2, 1.0, 50.0]).unwrap();
        for (i, &alpha) in path.alphas.iter().enumerate() {
            let one = Ridge::default().alpha(alpha).fit(&data).unwrap();
            assert_close(path.coefs[i].as_slice(), one.coef.as_slice(), 1e-10, "path");
            assert_close(&path.intercepts[i], &one.intercept, 1e-10, "path");
        }
    }
}

/// Over many draws of the noise, the mean of the coefficients is off by the bias, and they vary by the variance.
#[test]
fn bias_and_variance_are_those_of_many_draws() {
    let (x, _) = problem(30, 3);
    let (truth, sigma, alpha) = ([1.0, -2.0, 0.5], 0.7, 8.0);
    let (mut rng, draws) = (rng_for(7, 7), 4000);
    let (mut mean, mut squares) = (vec![0.0; 3], Mat::zeros(3, 3));
    let ridge = Ridge::default().alpha(alpha);
    for _ in 0..draws {
        let y: Vec<f64> = (0..30).map(|i| 4.0 + dot(x.row(i), &truth) + sigma * normal(&mut rng)).collect();
        let model = ridge.fit(&Dataset::new(&x).with_target(Target::real(y)).unwrap()).unwrap();
        let off: Vec<f64> = model.coef.row(0).iter().zip(&truth).map(|(w, t)| w - t).collect();
        (0..3).for_each(|i| mean[i] += off[i] / f64::from(draws));
        (0..3).for_each(|i| (0..3).for_each(|j| squares[(i, j)] += off[i] * off[j] / f64::from(draws)));
    }
    let data = Dataset::new(&x).with_target(Target::real(vec![0.0; 30])).unwrap();
    let (bias, variance) =
        (ridge.bias(&data, &truth).unwrap(), ridge.variance(&data, sigma * sigma).unwrap());
    for i in 0..3 {
        let deviation = (variance[(i, i)] / f64::from(draws)).sqrt();
        assert!((mean[i] - bias[i]).abs() < 5.0 * deviation, "{mean:?} {bias:?}");
        for j in 0..3 {
            let found = squares[(i, j)] - mean[i] * mean[j];
            assert!(
                (found - variance[(i, j)]).abs() < 0.1 * variance[(0, 0)].max(variance[(i, i)]),
                "{i} {j}"
            );
        }
    }
    assert!(ridge.bias(&data, &[1.0]).is_err());
}

#[test]
fn the_constrained_form_has_its_length() {
    let (x, y) = problem(40, 5);
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let length = |alpha: f64| {
        let w = Ridge::default().alpha(alpha).fit(&data).unwrap().coef.clone();
        dot(w.as_slice(), w.as_slice()).sqrt()
    };
    let free = LinearRegression::default().fit(&data).unwrap();
    let longest = dot(free.coef().as_slice(), free.coef().as_slice()).sqrt();
    for share in [0.9, 0.5, 0.01] {
        let alpha = Ridge::default().penalty_of_radius(&data, share * longest).unwrap();
        assert_close(&[length(alpha)], &[share * longest], 1e-9, "length");
    }
    assert_eq!(Ridge::default().penalty_of_radius(&data, 1.01 * longest).unwrap(), 0.0);
    assert!(Ridge::default().penalty_of_radius(&data, -1.0).is_err());
}
