//! Logistic regression against scikit-learn, against its optimality conditions, and against itself.

use mercer_core::sums::{self, MemoryBatches};
use mercer_core::{
    Cancel, Dataset, ErrorKind, Fit, Label, Observer, Params, Progress, Session, Target, Termination, Trained,
};
use mercer_linear::{ClassWeight, LogisticPenalty, LogisticRegression, LogisticSolver};
use mercer_math::{Csr, Mat, MatRef, normal, rng_for, uniform};
use mercer_testkit::assert_close;
use serde_json::Value;
use std::sync::Arc;

const SOLVERS: [LogisticSolver; 4] =
    [LogisticSolver::Auto, LogisticSolver::Lbfgs, LogisticSolver::NewtonCholesky, LogisticSolver::NewtonCg];

fn classes(codes: &[u32], k: usize) -> Target<'static> {
    Target::coded(codes.to_vec(), (0..k as i64).map(Label::Int).collect())
}

/// Rows with classes drawn from a softmax model.
fn problem(n: usize, d: usize, k: usize, seed: u64) -> (Mat, Vec<u32>, Vec<f64>) {
    let mut rng = rng_for(seed, 0);
    let w = Mat::from_fn(d, k, |_, _| normal(&mut rng));
    let x = Mat::from_fn(n, d, |_, j| (1.0 + j as f64 / d as f64) * normal(&mut rng) + 0.3);
    let mut code = |i: usize| {
        let noisy: Vec<f64> = (0..k)
            .map(|c| {
                (0..d).map(|j| x[(i, j)] * w[(j, c)]).sum::<f64>() - 2.0 * (-uniform(&mut rng).ln()).ln()
            })
            .collect();
        (0..k).max_by(|&a, &b| noisy[a].total_cmp(&noisy[b])).unwrap_or(0) as u32
    };
    let codes = (0..n).map(&mut code).collect();
    let weights = (0..n).map(|i| f64::from((i % 3) as u32)).collect();
    (x, codes, weights)
}

fn tight() -> LogisticRegression {
    LogisticRegression::default().tol(1e-10).max_iter(1000)
}

fn fit(
    learner: &LogisticRegression,
    x: &Mat,
    codes: &[u32],
    k: usize,
    weights: Option<&[f64]>,
) -> Trained<LogisticRegression> {
    let mut data = Dataset::new(x).with_target(classes(codes, k)).unwrap();
    if let Some(weights) = weights {
        data = data.with_weights(weights.to_vec()).unwrap();
    }
    learner.fit(&data).unwrap()
}

#[test]
fn matches_reference() {
    let json: Value = mercer_testkit::reference(include_str!("reference/logistic.json"));
    let floats = |v: &Value| v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect::<Vec<f64>>();
    for case in json["cases"].as_array().unwrap() {
        let size = |key: &str| case[key].as_u64().unwrap() as usize;
        let (n, d, k) = (size("n"), size("d"), size("k"));
        let x = Mat::from_vec(floats(&case["x"]), n, d).unwrap();
        let codes: Vec<u32> = floats(&case["y"]).iter().map(|v| *v as u32).collect();
        let weights = case["weights"].is_array().then(|| floats(&case["weights"]));
        let l1_ratio = case["l1_ratio"].as_f64().unwrap();
        for &solver in if l1_ratio > 0.0 { &SOLVERS[..2] } else { &SOLVERS[..] } {
            let learner = LogisticRegression {
                l1_ratio,
                penalty: case["C"].as_f64().map(|_| LogisticPenalty::L2),
                c: case["C"].as_f64().unwrap_or(1.0),
                ..tight()
            };
            let balanced = case["balanced"].as_bool().unwrap().then_some(ClassWeight::Balanced);
            let intercept = case["intercept"].as_bool().unwrap();
            let learner = learner.fit_intercept(intercept).class_weight(balanced).solver(solver);
            let model = fit(&learner, &x, &codes, k, weights.as_deref());
            let what = format!("{} by {solver:?}: {}", case["name"], model.certificate());
            assert_eq!(model.certificate().termination, Termination::Converged, "{what}");
            assert_close(model.coef.as_slice(), &floats(&case["coef"]), 1e-6, &what);
            assert_close(&model.intercept, &floats(&case["intercept_"]), 1e-6, &what);
            let few = x.view().rows(0..10);
            assert_close(model.predict_proba(few).unwrap().as_slice(), &floats(&case["proba"]), 1e-6, &what);
            assert_close(
                model.decision_function(few).unwrap().as_slice(),
                &floats(&case["decision"]),
                1e-6,
                &what,
            );
            let predicted: Vec<f64> =
                model.predict(few).unwrap().class().unwrap().0.iter().map(|c| f64::from(*c)).collect();
            assert_eq!(predicted, floats(&case["predicted"]), "{what}");
        }
    }
}

#[test]
fn the_gradient_is_zero_at_the_solution() {
    for (k, balanced, intercept) in [(2, false, true), (2, true, false), (3, true, true), (5, false, false)] {
        let (x, codes, weights) = problem(400, 6, k, 3);
        let weighted = balanced.then_some(ClassWeight::Balanced);
        let learner = tight().fit_intercept(intercept).class_weight(weighted).c(0.7);
        let data =
            Dataset::new(&x).with_target(classes(&codes, k)).unwrap().with_weights(weights.clone()).unwrap();
        let model = learner.fit(&data).unwrap();
        let counts: Vec<f64> =
            (0..k).map(|c| (0..400).filter(|&i| codes[i] == c as u32).map(|i| weights[i]).sum()).collect();
        let all: f64 = counts.iter().sum();
        let scale = |i: usize| if balanced { all / (k as f64 * counts[codes[i] as usize]) } else { 1.0 };
        let p = model.predict_proba(&x).unwrap();
        let total: f64 = (0..400).map(|i| weights[i] * scale(i)).sum();
        for c in 0..model.coef.n_rows() {
            let class = if k == 2 { 1 } else { c };
            let r = |i: usize| {
                weights[i] * scale(i) * (p[(i, class)] - f64::from(u8::from(codes[i] == class as u32)))
            };
            for j in 0..6 {
                let g = (0..400).map(|i| r(i) * x[(i, j)]).sum::<f64>() + model.coef[(c, j)] / 0.7;
                assert!((g / total).abs() < 1e-9, "class {c}, feature {j}: {g}");
            }
            assert!(!intercept || ((0..400).map(r).sum::<f64>() / total).abs() < 1e-9);
        }
        assert!(
            model.verify(&data).unwrap().iter().all(|v| v.holds && v.found < 1e-6),
            "{:?}",
            model.verify(&data)
        );
        assert_eq!(model.certificate().evidence.len(), 2);
        assert!(model.intercept.iter().sum::<f64>().abs() < 1e-10 || k == 2);
    }
}

#[test]
fn any_cut_of_the_rows_gives_the_same_model() {
    let cases =
        [(2, LogisticSolver::Auto, 5), (2, LogisticSolver::Lbfgs, 40), (3, LogisticSolver::NewtonCg, 5)];
    for (k, solver, d) in cases {
        let (x, codes, weights) = problem(9000, d, k, 4);
        let data = Dataset::new(&x).with_target(classes(&codes, k)).unwrap().with_weights(weights).unwrap();
        let learner = tight().solver(solver);
        let whole = learner.fit(&data).unwrap();
        let one = learner.fit_in(&data, &Session::new(0).with_threads(1)).unwrap();
        assert_eq!((&one.coef, &one.intercept), (&whole.coef, &whole.intercept), "threads");
        for batch in [777, 2048, 99999] {
            let streamed =
                learner.fit_stream(&mut MemoryBatches::new(&data, batch), &Session::default()).unwrap();
            assert_eq!(streamed.coef, whole.coef, "identical bits at batches of {batch}, {solver:?}");
            assert_eq!(streamed.intercept, whole.intercept);
        }
        let cuts: Vec<_> =
            [0..10, 10..5000, 5000..9000].map(|r| data.subset(&r.collect::<Vec<_>>()).unwrap()).into();
        let distributed =
            sums::fit_partitions("LogisticRegression", &learner, &cuts, &Session::default()).unwrap();
        assert_close(distributed.coef.as_slice(), whole.coef.as_slice(), 1e-9, "partitions");
        assert_close(&distributed.intercept, &whole.intercept, 1e-9, "partitions");
    }
}

#[test]
fn sparse_rows_and_columns_give_the_dense_answer() {
    for k in [2, 3] {
        let (mut x, codes, _) = problem(600, 9, k, 5);
        x.as_mut_slice().iter_mut().enumerate().for_each(|(i, v)| *v = if i % 3 == 0 { *v } else { 0.0 });
        let csr = Csr::from_dense(x.view());
        let turned = x.view().t().to_mat();
        for solver in SOLVERS {
            let learner = tight().solver(solver);
            let dense = fit(&learner, &x, &codes, k, None);
            let sparse = learner.fit(&Dataset::new(&csr).with_target(classes(&codes, k)).unwrap()).unwrap();
            assert_close(sparse.coef.as_slice(), dense.coef.as_slice(), 1e-7, "sparse");
            let columns: MatRef<'_> = turned.view().t();
            let by_columns =
                learner.fit(&Dataset::new(columns).with_target(classes(&codes, k)).unwrap()).unwrap();
            assert_close(by_columns.coef.as_slice(), dense.coef.as_slice(), 1e-7, "columns");
            assert_close(
                sparse.predict_proba(&csr).unwrap().as_slice(),
                dense.predict_proba(columns).unwrap().as_slice(),
                1e-7,
                "probabilities",
            );
        }
    }
    // Wide enough for the diagonal preconditioner.
    let mut rng = rng_for(6, 0);
    let x =
        Mat::from_fn(300, 400, |_, _| if uniform(&mut rng) < 0.05 { 1.0 + uniform(&mut rng) } else { 0.0 });
    let codes: Vec<u32> =
        (0..300).map(|i| u32::from(x[(i, 0)] + x[(i, 1)] + uniform(&mut rng) > 0.6)).collect();
    let dense = fit(&tight(), &x, &codes, 2, None);
    let csr = Csr::from_dense(x.view());
    for solver in [LogisticSolver::Auto, LogisticSolver::Lbfgs, LogisticSolver::NewtonCg] {
        let data = Dataset::new(&csr).with_target(classes(&codes, 2)).unwrap();
        let sparse = tight().solver(solver).fit(&data).unwrap();
        assert_close(sparse.coef.as_slice(), dense.coef.as_slice(), 1e-6, "wide");
        assert!(sparse.verify(&data).unwrap().iter().all(|v| v.holds));
    }
}

#[test]
fn weights_count_as_copies_and_zero_as_absence() {
    for (k, d) in [(2, 5), (3, 5), (2, 60)] {
        for solver in SOLVERS {
            let (x, codes, weights) = problem(700, d, k, 6);
            let learner = tight().solver(solver).class_weight(Some(ClassWeight::Balanced));
            let weighted = fit(&learner, &x, &codes, k, Some(&weights));
            let rows: Vec<usize> =
                (0..700).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
            let copies = x.view().gather(&rows);
            let copied: Vec<u32> = rows.iter().map(|&i| codes[i]).collect();
            let repeated = fit(&learner, &copies, &copied, k, None);
            assert_close(weighted.coef.as_slice(), repeated.coef.as_slice(), 1e-8, "copies");
            assert_close(&weighted.intercept, &repeated.intercept, 1e-8, "copies");
        }
    }
}

#[test]
fn separable_classes_without_penalty_end_without_nan() {
    let x = Mat::from_fn(40, 2, |i, j| if j == 0 { i as f64 - 19.5 } else { ((i * 7) % 5) as f64 });
    for (k, code) in [(2usize, 20usize), (4, 10)] {
        let codes: Vec<u32> = (0..40).map(|i| (i / code) as u32).collect();
        for solver in SOLVERS {
            for tol in [1e-4, 1e-300] {
                let learner = LogisticRegression::default().penalty(None).solver(solver).tol(tol);
                let model = fit(&learner, &x, &codes, k, None);
                assert!(model.coef.as_slice().iter().chain(&model.intercept).all(|v| v.is_finite()));
                let p = model.predict_proba(&x).unwrap();
                assert!((0..40).all(|i| (p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-9));
                assert_eq!(
                    model.predict(&x).unwrap().class().unwrap().0,
                    codes,
                    "{solver:?} {}",
                    model.certificate()
                );
                let end = model.certificate().termination;
                assert!(
                    tol < 1e-200 || matches!(end, Termination::Converged | Termination::IterationLimit),
                    "{end}"
                );
            }
        }
    }
}

#[test]
fn constant_columns_and_huge_scales_do_no_harm() {
    for k in [2, 3] {
        let (x, codes, _) = problem(500, 4, k, 8);
        let hard = Mat::from_fn(500, 7, |i, j| match j {
            0..=1 => x[(i, j)],
            2 => 1e6 * x[(i, 2)],
            3 => 1e-6 * x[(i, 3)],
            4 => 3.0,
            5 => 0.0,
            _ => x[(i, 0)],
        });
        for solver in SOLVERS {
            for penalty in [Some(LogisticPenalty::L2), None] {
                let learner = LogisticRegression::default().penalty(penalty).solver(solver).max_iter(1000);
                let model = fit(&learner, &hard, &codes, k, None);
                assert!(
                    model.coef.as_slice().iter().chain(&model.intercept).all(|v| v.is_finite()),
                    "{solver:?}"
                );
                assert!(model.certificate().is_success(), "{solver:?} {penalty:?} {}", model.certificate());
                let right = model.predict(&hard).unwrap();
                let right = right.class().unwrap().0.iter().zip(&codes).filter(|(a, b)| a == b).count();
                assert!(right > 260, "{right}");
            }
        }
    }
    let extreme = Mat::from_fn(20, 1, |i, _| if i < 10 { -1e150 } else { 1e150 });
    let codes: Vec<u32> = (0..20).map(|i| u32::from(i >= 8)).collect();
    for solver in SOLVERS {
        let model = fit(&LogisticRegression::default().solver(solver), &extreme, &codes, 2, None);
        let p = model.predict_proba(&extreme).unwrap();
        assert!(p.as_slice().iter().all(|p| p.is_finite()), "{solver:?} {p:?}");
    }
}

#[test]
fn a_class_must_have_another() {
    let x = Mat::from_fn(5, 1, |i, _| i as f64);
    for (codes, k) in [(vec![0; 5], 1), (vec![1; 5], 3)] {
        let data = Dataset::new(&x).with_target(classes(&codes, k)).unwrap();
        let error = LogisticRegression::default().fit(&data).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::TooFew { what: "classes", needed: 2, got: 1, .. }),
            "{error}"
        );
    }
    assert!(LogisticRegression::default().c(0.0).check_params().is_err());
    assert!(LogisticRegression::default().c(f64::NAN).check_params().is_err());
}

#[test]
fn a_class_without_rows_is_never_predicted() {
    let (x, codes, _) = problem(300, 3, 3, 9);
    let gap: Vec<u32> = codes.iter().map(|&c| if c == 2 { 3 } else { c }).collect();
    for solver in SOLVERS {
        for intercept in [true, false] {
            let learner = tight().solver(solver).fit_intercept(intercept);
            let with = fit(&learner, &x, &gap, 4, None);
            let without = fit(&learner, &x, &codes, 3, None);
            let (p, q) = (with.predict_proba(&x).unwrap(), without.predict_proba(&x).unwrap());
            for i in 0..300 {
                assert_close(
                    &[p[(i, 0)], p[(i, 1)], p[(i, 2)], p[(i, 3)]],
                    &[q[(i, 0)], q[(i, 1)], 0.0, q[(i, 2)]],
                    1e-7,
                    "gap",
                );
            }
        }
    }
}

/// Cancels after some rounds.
struct After(u64, Cancel);

impl Observer for After {
    fn progress(&self, progress: &Progress<'_>) {
        if progress.done >= self.0 {
            self.1.cancel();
        }
    }
}

#[test]
fn cancelling_returns_the_best_so_far() {
    let (x, codes, _) = problem(3000, 50, 2, 10);
    let data = Dataset::new(&x).with_target(classes(&codes, 2)).unwrap();
    let run = |rounds: u64| {
        let cancel = Cancel::default();
        let session =
            Session::new(0).with_cancel(cancel.clone()).with_observer(Arc::new(After(rounds, cancel)));
        tight().fit_in(&data, &session)
    };
    assert!(matches!(run(0).unwrap_err().kind(), ErrorKind::Cancelled));
    assert_eq!(run(1).unwrap().coef, Mat::zeros(1, 50));
    let early = run(4).unwrap();
    assert_eq!(early.certificate().termination, Termination::Cancelled);
    let best = tight().fit(&data).unwrap();
    let objective = |m: &Trained<LogisticRegression>| m.certificate().objective.unwrap();
    assert!(objective(&best) < objective(&early) && objective(&early) < 3000.0 * 2f64.ln());
    assert!(early.verify(&data).unwrap().iter().all(|v| v.holds));
}

#[test]
fn few_steps_are_an_iteration_limit() {
    let (x, codes, _) = problem(500, 50, 3, 11);
    let model = fit(&tight().max_iter(2), &x, &codes, 3, None);
    assert_eq!((model.certificate().termination, model.n_iter), (Termination::IterationLimit, 2));
}

#[test]
fn bytes_round_trip_and_broken_ones_are_refused() {
    let (x, codes, _) = problem(100, 3, 3, 12);
    let model = fit(&LogisticRegression::default(), &x, &codes, 3, None);
    let encoded = model.encode().unwrap();
    let back = Trained::<LogisticRegression>::decode(encoded.version, &encoded.bytes).unwrap();
    assert_eq!(back.predict_proba(&x).unwrap(), model.predict_proba(&x).unwrap());
    for at in 0..encoded.bytes.len() {
        let mut bytes = encoded.bytes.clone();
        bytes[at] ^= 1 << (at % 8);
        if let Ok(read) = Trained::<LogisticRegression>::decode(encoded.version, &bytes) {
            let _ = read.predict_proba(&x);
            let _ = read.predict(&x);
            let _ = read.verify(&Dataset::new(&x).with_target(classes(&codes, 3)).unwrap());
        }
    }
}

#[test]
fn an_l1_penalty_chooses_features() {
    // Twenty features of which two matter; both doors to the penalty are one, and only some solvers take it.
    let mut rng = rng_for(11, 0);
    let x = Mat::from_fn(300, 20, |_, _| normal(&mut rng));
    let codes: Vec<u32> =
        (0..300).map(|i| u32::from(x[(i, 3)] - x[(i, 11)] > 0.2 * normal(&mut rng))).collect();
    let learner = LogisticRegression { penalty: Some(LogisticPenalty::L1), c: 0.1, ..tight() };
    let model = fit(&learner, &x, &codes, 2, None);
    let used: Vec<usize> = (0..20).filter(|&j| model.coef[(0, j)] != 0.0).collect();
    assert!(used.contains(&3) && used.contains(&11) && used.len() < 8, "{used:?}");
    let same = LogisticRegression { penalty: Some(LogisticPenalty::L2), l1_ratio: 1.0, ..learner.clone() };
    assert_eq!(fit(&same, &x, &codes, 2, None).coef, model.coef);
    let data = Dataset::new(&x).with_target(classes(&codes, 2)).unwrap();
    let verified = model.verify(&data).unwrap();
    assert!(verified.len() == 3 && verified.iter().all(|v| v.holds && v.found < 1e-7), "{verified:?}");
    let sparse = Csr::from_dense(x.view());
    let data = Dataset::new(&sparse).with_target(classes(&codes, 2)).unwrap();
    assert_close(learner.fit(&data).unwrap().coef.as_slice(), model.coef.as_slice(), 1e-7, "sparse rows");
    let newton = learner.solver(LogisticSolver::NewtonCg);
    assert!(newton.fit(&data).unwrap_err().to_string().contains("solver"));
    // So strong a penalty leaves the intercept alone.
    let nothing = LogisticRegression { c: 1e-4, ..same };
    assert!(fit(&nothing, &x, &codes, 2, None).coef.as_slice().iter().all(|w| *w == 0.0));
}
