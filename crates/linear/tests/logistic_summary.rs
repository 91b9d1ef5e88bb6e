//! The summary of logistic regression against statsmodels, separable classes, contributions.

use mercer_core::{Dataset, Fit, Label, Outputs, Session, SummaryRow, Target, Trained};
use mercer_linear::{ClassWeight, LogisticPenalty, LogisticRegression, LogisticSolver};
use mercer_math::{Csr, Mat, normal, rng_for};
use mercer_testkit::{assert_close, matrix, numbers, reference};
use serde_json::Value;

fn values() -> Value {
    reference(include_str!("reference/logistic_summary.json"))
}

fn classes(codes: &[u32], k: usize) -> Target<'static> {
    Target::coded(codes.to_vec(), (0..k as i64).map(Label::Int).collect())
}

fn coded(all: &Value, two: bool) -> Target<'static> {
    let codes: Vec<u32> = numbers(&all["classes"]).iter().map(|c| *c as u32).collect();
    if two { classes(&codes.iter().map(|c| (*c).min(1)).collect::<Vec<_>>(), 2) } else { classes(&codes, 3) }
}

fn free() -> LogisticRegression {
    LogisticRegression::default().penalty(None).tol(1e-10).max_iter(500)
}

#[test]
fn matches_statsmodels() {
    let all = values();
    let x = matrix(&all["x"]);
    let csr = Csr::from_dense(x.view());
    for fit in all["summaries"].as_array().unwrap() {
        let flag = |name: &str| fit[name].as_bool().unwrap();
        for (data, solver) in [
            (Dataset::new(&x), LogisticSolver::Auto),
            (Dataset::new(&x), LogisticSolver::Lbfgs),
            (Dataset::new(&csr), LogisticSolver::NewtonCg),
        ] {
            let data = data.with_target(coded(&all, flag("two"))).unwrap();
            let data = data.with_weights(numbers(&fit["weights"])).unwrap();
            let model = free().fit_intercept(flag("intercept")).solver(solver).fit(&data).unwrap();
            let s = model.as_model().summary(0.9).unwrap();
            let told = format!("{solver:?} {fit}");
            let column = |f: &dyn Fn(&SummaryRow) -> f64| s.coefficients.iter().map(f).collect::<Vec<_>>();
            assert_close(&column(&|c| c.estimate), &numbers(&fit["estimates"]), 1e-7, &told);
            assert_close(&column(&|c| c.std_error), &numbers(&fit["errors"]), 1e-7, &told);
            assert_close(&column(&|c| c.statistic), &numbers(&fit["z"]), 1e-6, &told);
            assert_close(&column(&|c| c.p_value), &numbers(&fit["p"]), 1e-6, &told);
            assert_close(&column(&|c| c.lower), &numbers(&fit["lower"]), 1e-6, &told);
            assert_close(&column(&|c| c.upper), &numbers(&fit["upper"]), 1e-6, &told);
            let facts = [
                (s.log_likelihood, "llf"),
                (-0.5 * s.null_deviance.unwrap(), "llnull"),
                (s.aic, "aic"),
                (s.bic, "bic"),
                (s.pseudo_r_squared.unwrap(), "mcfadden"),
            ];
            let given = |name: &str| fit[name].as_f64().unwrap();
            facts.iter().for_each(|(found, name)| assert_close(&[*found], &[given(name)], 1e-8, name));
        }
    }
}

#[test]
fn lines_are_named_by_class() {
    let all = values();
    let x = matrix(&all["x"]);
    let model = free().fit(&Dataset::new(&x).with_target(coded(&all, false)).unwrap()).unwrap();
    let names: Vec<String> = model.summary().unwrap().coefficients.into_iter().map(|c| c.name).collect();
    assert_eq!(names.len(), 8);
    assert!(names[0].starts_with("1: (intercept)") && names[4].starts_with("2: "), "{names:?}");
}

fn why(model: &Trained<LogisticRegression>) -> String {
    model.summary().unwrap_err().to_string()
}

#[test]
fn separable_classes_are_told() {
    let line = Mat::from_fn(20, 1, |i, _| i as f64);
    let step = |at: usize| -> Vec<u32> { (0..20).map(|i| u32::from(i >= at)).collect() };
    let fit = |x: &Mat, codes: &[u32], k: usize, learner: LogisticRegression| {
        learner.fit(&Dataset::new(x.clone()).with_target(classes(codes, k)).unwrap()).unwrap()
    };
    let told = |model: &Trained<LogisticRegression>| model.certificate().to_string();
    for tol in [1e-4, 1e-8] {
        let model = fit(&line, &step(9), 2, free().tol(tol));
        assert!(
            why(&model).contains("completely separable") && told(&model).contains("completely separable")
        );
        let three: Vec<u32> = (0..20).map(|i| (i / 7) as u32).collect();
        assert!(told(&fit(&line, &three, 3, free().tol(tol))).contains("separable"), "three classes, {tol}");
        // Both classes at one value, one alone on each side of it.
        let tied = Mat::from_fn(20, 1, |i, _| (i as f64 - 9.5).clamp(-4.5, 4.5).round());
        let mut codes = step(10);
        let tied = Mat::from_fn(20, 1, |i, _| if (8..12).contains(&i) { 0.0 } else { tied[(i, 0)] });
        assert!(told(&fit(&tied, &codes, 2, free().tol(tol))).contains("quasi-completely"), "{tol}");
        // A penalty bounds the coefficients.
        assert!(!told(&fit(&line, &step(9), 2, LogisticRegression::default())).contains("separable"));
        // Rows on the wrong side leave nothing to tell.
        codes.swap(2, 15);
        let overlapping = fit(&line, &codes, 2, free().tol(tol));
        assert!(!told(&overlapping).contains("separable"), "{}", told(&overlapping));
        assert!(overlapping.summary().is_ok());
    }
    // A dummy that only one class has.
    let mut rng = rng_for(8, 2);
    let x =
        Mat::from_fn(200, 3, |i, j| if j == 2 { f64::from(u8::from(i % 10 == 0)) } else { normal(&mut rng) });
    let codes: Vec<u32> = (0..200).map(|i| u32::from(i % 10 == 0 || (i * 7 + i / 3) % 2 == 0)).collect();
    let model = fit(&x, &codes, 2, free());
    assert!(told(&model).contains("quasi-completely"), "{}", told(&model));
}

#[test]
fn other_fits_say_why_they_have_no_summary() {
    let all = values();
    let x = matrix(&all["x"]);
    let data = Dataset::new(&x).with_target(coded(&all, true)).unwrap();
    assert!(why(&LogisticRegression::default().fit(&data).unwrap()).contains("penalty"));
    let balanced = free().class_weight(Some(ClassWeight::Balanced)).fit(&data).unwrap();
    assert!(why(&balanced).contains("class weights"));
    let twice = Mat::from_fn(120, 4, |i, j| x[(i, j.min(2))]);
    let data = Dataset::new(&twice).with_target(coded(&all, true)).unwrap();
    assert!(why(&free().fit(&data).unwrap()).contains("depend"));
}

#[test]
fn an_infinite_weight_of_the_loss_is_no_penalty() {
    let all = values();
    let x = matrix(&all["x"]);
    let data = Dataset::new(&x).with_target(coded(&all, false)).unwrap();
    let plain = free().fit(&data).unwrap();
    for penalty in [LogisticPenalty::L2, LogisticPenalty::L1] {
        let infinite = free().penalty(Some(penalty)).c(f64::INFINITY).fit(&data).unwrap();
        assert_eq!(infinite.coef.as_slice(), plain.coef.as_slice());
        assert!(infinite.summary().is_ok());
    }
}

#[test]
fn contributions_are_about_the_mean_row() {
    let all = values();
    let (x, weights) = (matrix(&all["x"]), numbers(&all["weights"]));
    for two in [true, false] {
        let data =
            Dataset::new(&x).with_target(coded(&all, two)).unwrap().with_weights(weights.clone()).unwrap();
        let model = LogisticRegression::default().fit(&data).unwrap();
        let (session, input) = (Session::default(), data.input());
        let parts = model.as_model().contributions(&input, &session).unwrap();
        assert_eq!(parts.outputs, Outputs::Scores);
        let scores = model.as_model().decision(&input, &session).unwrap();
        let total: f64 = weights.iter().sum();
        for k in 0..scores.n_cols() {
            let mean: f64 = (0..120).map(|i| weights[i] * scores[(i, k)]).sum::<f64>() / total;
            assert!((parts.base[k] - mean).abs() < 1e-10);
            let off = |i: usize| parts.base[k] + parts.values[k].row(i).iter().sum::<f64>() - scores[(i, k)];
            assert!((0..120).all(|i| off(i).abs() < 1e-10));
        }
    }
}
