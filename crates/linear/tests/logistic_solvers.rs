//! Solvers of logistic regression that see all rows at once, and one-class machines, against scikit-learn and each other.

use mercer_core::{Dataset, Fit, Label, Session, Target};
use mercer_linear::{
    Average, LearningRate, LogisticPenalty, LogisticRegression, LogisticSolver, SGDOneClassSVM,
};
use mercer_math::{Csr, Mat, normal, rng_for};
use mercer_testkit::{assert_close, assert_within, matrix, numbers, reference};
use serde_json::Value;

fn values() -> Value {
    reference(include_str!("reference/logistic_solvers.json"))
}

fn coded(all: &Value, classes: u64) -> Target<'static> {
    let codes = numbers(&all[if classes == 2 { "two" } else { "three" }]);
    Target::coded(codes.iter().map(|c| *c as u32).collect(), (0..classes as i64).map(Label::Int).collect())
}

fn learner(fit: &Value, solver: LogisticSolver) -> LogisticRegression {
    let params = &fit["params"];
    let number = |name: &str, other: f64| params[name].as_f64().unwrap_or(other);
    LogisticRegression::default()
        .penalty(Some(LogisticPenalty::Elasticnet))
        .l1_ratio(number("l1_ratio", 0.0))
        .c(number("C", 1.0))
        .intercept_scaling(number("intercept_scaling", 1.0))
        .fit_intercept(params["fit_intercept"].as_bool().unwrap_or(true))
        .solver(solver)
        .tol(1e-12)
        .max_iter(200_000)
}

fn named(fit: &Value) -> LogisticSolver {
    match fit["solver"].as_str().unwrap() {
        "liblinear" => LogisticSolver::Liblinear,
        "sag" => LogisticSolver::Sag,
        _ => LogisticSolver::Saga,
    }
}

#[test]
fn solvers_match_scikit_learn() {
    let all = values();
    let x = matrix(&all["x"]);
    let sparse = Csr::from_dense(x.view());
    let weights = numbers(&all["weights"]);
    for fit in all["fits"].as_array().unwrap() {
        let told = format!("{} {} {}", fit["solver"], fit["classes"], fit["params"]);
        for data in [Dataset::new(&x), Dataset::new(&sparse)] {
            let data = data.with_target(coded(&all, fit["classes"].as_u64().unwrap())).unwrap();
            let weighted = fit["weighted"].as_bool().unwrap();
            let data = if weighted { data.with_weights(&weights).unwrap() } else { data };
            let model = learner(fit, named(fit)).fit(&data).unwrap();
            // scikit-learn's stop is a change of coefficients, not a gradient: its digits end before ours.
            assert_within(model.coef.as_slice(), matrix(&fit["coef"]).as_slice(), 2e-5, &told);
            assert_within(&model.intercept, &numbers(&fit["intercept"]), 2e-5, &told);
            assert!(model.certificate().is_success(), "{told}: {:?}", model.certificate());
            assert!(model.certificate().evidence[0].value < 1e-8, "{told}: {:?}", model.certificate());
            assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{told}");
        }
    }
}

/// Sparse rows with columns of very different frequency, and classes that lean on a few of them.
fn zipf(n: usize, d: usize) -> (Csr, Vec<i64>) {
    let mut rng = rng_for(5, 0);
    let dense = Mat::from_fn(n, d, |_, j| {
        let (value, draw) = (normal(&mut rng), normal(&mut rng));
        if draw.abs() * (1.0 + j as f64).sqrt() < 1.0 { value } else { 0.0 }
    });
    let y = (0..n).map(|i| {
        let score = 2.0 * dense[(i, 0)] - 1.5 * dense[(i, 1)] + dense[(i, 7)] + 0.5 * normal(&mut rng);
        i64::from(score > 0.3)
    });
    (Csr::from_dense(dense.view()), y.collect())
}

#[test]
fn all_ways_reach_one_optimum() {
    let (x, y) = zipf(300, 40);
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    for share in [0.0, 0.3, 1.0] {
        let base = LogisticRegression::default()
            .penalty(Some(LogisticPenalty::Elasticnet))
            .l1_ratio(share)
            .c(0.5)
            .tol(1e-10)
            .max_iter(100_000);
        let best = base.clone().solver(LogisticSolver::Lbfgs).fit(&data).unwrap();
        for solver in [LogisticSolver::Coordinate, LogisticSolver::Saga, LogisticSolver::Sag] {
            if solver == LogisticSolver::Sag && share > 0.0 {
                continue;
            }
            let model = base.clone().solver(solver).fit(&data).unwrap();
            let told = format!("{solver:?} {share}");
            assert_within(model.coef.as_slice(), best.coef.as_slice(), 1e-6, &told);
            let (found, least) =
                (model.certificate().objective.unwrap(), best.certificate().objective.unwrap());
            assert_close(&[found], &[least], 1e-9, &told);
            assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{told}");
        }
    }
}

#[test]
fn the_duality_gap_bounds_the_objective() {
    let (x, y) = zipf(200, 30);
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    for (share, solver) in [
        (1.0, LogisticSolver::Coordinate),
        (1.0, LogisticSolver::Liblinear),
        (0.5, LogisticSolver::Coordinate),
    ] {
        let base = LogisticRegression::default()
            .penalty(Some(LogisticPenalty::Elasticnet))
            .l1_ratio(share)
            .solver(solver)
            .tol(1e-11);
        let best = base.clone().max_iter(1000).fit(&data).unwrap().certificate().objective.unwrap();
        let nothing = 200.0 * std::f64::consts::LN_2;
        let mut last = f64::INFINITY;
        for steps in [1, 2, 3, 20] {
            let model = base.clone().max_iter(steps).fit(&data).unwrap();
            let gap =
                model.certificate().evidence.iter().find(|e| e.name == "relative duality gap").unwrap().value;
            let above = (model.certificate().objective.unwrap() - best) / nothing;
            assert!(gap >= above - 1e-12 && gap <= last, "{share} {steps}: {gap} {above}");
            last = gap;
        }
        assert!(last < 1e-9, "{share}: {last}");
    }
}

#[test]
fn average_gradients_reach_the_optimum_of_several_classes() {
    let all = values();
    let x = matrix(&all["x"]);
    let data = Dataset::new(&x).with_target(coded(&all, 3)).unwrap();
    for (solver, penalty) in [
        (LogisticSolver::Saga, Some(LogisticPenalty::L2)),
        (LogisticSolver::Saga, Some(LogisticPenalty::L1)),
        (LogisticSolver::Saga, None),
        (LogisticSolver::Sag, None),
    ] {
        let base = LogisticRegression::default().penalty(penalty).max_iter(100_000).tol(1e-10);
        let best = base.clone().solver(LogisticSolver::Lbfgs).fit(&data).unwrap();
        let model = base.solver(solver).fit(&data).unwrap();
        let (found, least) = (model.certificate().objective.unwrap(), best.certificate().objective.unwrap());
        assert_close(&[found], &[least], 1e-9, &format!("{solver:?} {penalty:?}"));
        let (a, b) = (model.predict_proba(&x).unwrap(), best.predict_proba(&x).unwrap());
        assert_within(a.as_slice(), b.as_slice(), 1e-6, &format!("{solver:?} {penalty:?}"));
    }
}

#[test]
fn one_seed_one_walk() {
    let (x, y) = zipf(100, 10);
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let learner = LogisticRegression::default().solver(LogisticSolver::Saga).max_iter(3);
    let fit = |seed, threads| {
        let model = learner.fit_in(&data, &Session::new(seed).with_threads(threads)).unwrap();
        model.coef.as_slice().to_vec()
    };
    assert_eq!(fit(1, 1), fit(1, 2));
    assert_ne!(fit(1, 1), fit(2, 1));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let all = values();
    let x = matrix(&all["x"]);
    let data = Dataset::new(&x).with_target(coded(&all, 3)).unwrap();
    for solver in [LogisticSolver::Coordinate, LogisticSolver::Liblinear] {
        let refused = LogisticRegression::default().solver(solver).fit(&data).unwrap_err();
        assert!(refused.to_string().contains("two classes"), "{refused}");
        let free = LogisticRegression::default().solver(solver).penalty(None).fit(&data).unwrap_err();
        assert!(free.to_string().contains("without a penalty"), "{free}");
    }
    let l1 = LogisticRegression::default().penalty(Some(LogisticPenalty::L1)).solver(LogisticSolver::Sag);
    assert!(l1.fit(&data).unwrap_err().to_string().contains("L1 penalty"));
}

#[test]
fn a_fit_that_begins_at_its_end_has_nothing_to_do() {
    let (x, y) = zipf(200, 10);
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    for solver in [LogisticSolver::Lbfgs, LogisticSolver::NewtonCg, LogisticSolver::Coordinate] {
        let learner = LogisticRegression::default().solver(solver).tol(1e-8);
        let once = learner.fit(&data).unwrap();
        let start = [once.coef.as_slice(), &once.intercept].concat();
        let again = learner.fit_in(&data, &Session::default().with_start(start)).unwrap();
        assert_eq!(again.certificate().iterations, Some(0), "{solver:?}");
    }
}

#[test]
fn one_class_descents_match_scikit_learn() {
    let all = values();
    let x = matrix(&all["beyond"]);
    let weights = numbers(&all["weights"]);
    let data = Dataset::new(&x).with_weights(&weights).unwrap();
    for fit in all["descents"].as_array().unwrap() {
        let params = &fit["params"];
        let average =
            params["average"].as_u64().unwrap_or_else(|| u64::from(params["average"].as_bool().unwrap()));
        let model = SGDOneClassSVM::default()
            .nu(params["nu"].as_f64().unwrap())
            .learning_rate(LearningRate::Constant)
            .eta0(params["eta0"].as_f64().unwrap())
            .average(Average(average))
            .max_iter(3)
            .tol(None)
            .shuffle(false)
            .fit(&data)
            .unwrap();
        assert_close(model.coef.as_slice(), &numbers(&fit["coef"]), 1e-12, &params.to_string());
        assert_close(&[model.offset], &numbers(&fit["offset"]), 1e-12, &params.to_string());
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
    }
}

#[test]
fn many_passes_come_near_the_exact_one_class_machine() {
    let all = values();
    let (x, exact) = (matrix(&all["beyond"]), &all["exact"]);
    let nu = exact["nu"].as_f64().unwrap();
    let model = SGDOneClassSVM::default()
        .nu(nu)
        .learning_rate(LearningRate::Constant)
        .eta0(1e-3)
        .max_iter(20_000)
        .tol(None)
        .average(Average(600_000))
        .fit(&Dataset::new(&x))
        .unwrap();
    assert_within(model.coef.as_slice(), &numbers(&exact["coef"]), 5e-3, "coefficients");
    assert_within(&[model.offset], &[exact["offset"].as_f64().unwrap()], 2e-2, "offset");
    let beyond = model.certificate().evidence[1].value;
    assert!((beyond - nu).abs() < 0.05, "{beyond}");
}
