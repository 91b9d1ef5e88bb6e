//! Logistic regression along paths, and the choice among them, against scikit-learn.

use mercer_core::{Dataset, Fit, Label, Session, Target};
use mercer_linear::{Alphas, LogisticPenalty, LogisticRegression, LogisticRegressionCV, logistic_path};
use mercer_testkit::{assert_close, matrix, numbers, reference};
use serde_json::Value;

fn values() -> Value {
    reference(include_str!("reference/logistic_summary.json"))
}

fn coded(all: &Value, two: bool) -> Target<'static> {
    let codes = numbers(&all["classes"]);
    let k = if two { 2 } else { 3 };
    let codes: Vec<u32> = codes.iter().map(|c| (*c as u32).min(k - 1)).collect();
    Target::coded(codes, (0..i64::from(k)).map(Label::Int).collect())
}

#[test]
fn matches_scikit_learn() {
    let all = values();
    let x = matrix(&all["x"]);
    for fit in all["cv"].as_array().unwrap() {
        let data = Dataset::new(&x).with_target(coded(&all, fit["two"].as_bool().unwrap())).unwrap();
        let learner = LogisticRegressionCV::default()
            .cs(Alphas::These(numbers(&fit["Cs"])))
            .l1_ratios(Some(numbers(&fit["l1_ratios"])))
            .cv(Some(4))
            .scoring(Some(fit["scoring"].as_str().unwrap().to_owned()))
            .refit(fit["refit"].as_bool().unwrap())
            .tol(1e-9)
            .max_iter(2000);
        let model = learner.fit(&data).unwrap();
        let told = format!("{} {} {} {}", fit["two"], fit["l1_ratios"], fit["scoring"], fit["refit"]);
        assert_close(model.scores(), &numbers(&fit["scores"]), 1e-6, &told);
        assert_close(&[model.c()], &[fit["C"].as_f64().unwrap()], 1e-12, &told);
        assert_close(&[model.l1_ratio()], &[fit["l1_ratio"].as_f64().unwrap()], 1e-12, &told);
        assert_close(model.logistic().coef.as_slice(), matrix(&fit["coef"]).as_slice(), 2e-5, &told);
        assert_close(model.coefs_paths(), &numbers(&fit["paths"]), 2e-5, &told);
        let attributes = model.as_model().attributes();
        let shape = &attributes.iter().find(|a| a.name == "coefs_paths_").unwrap().shape;
        let wanted: Vec<usize> = numbers(&fit["shape"]).iter().map(|n| *n as usize).collect();
        assert_eq!(*shape, wanted);
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{told}");
    }
}

#[test]
fn a_path_is_its_fits_in_fewer_steps() {
    let all = values();
    let x = matrix(&all["x"]);
    let data = Dataset::new(&x).with_target(coded(&all, false)).unwrap();
    let cs: Vec<f64> = (0..8).map(|i| 10f64.powf(-2.0 + 0.5 * f64::from(i))).collect();
    for penalty in [LogisticPenalty::L2, LogisticPenalty::L1] {
        let learner = LogisticRegression::default().penalty(Some(penalty)).tol(1e-9).max_iter(2000);
        let path = logistic_path(&learner, &cs, &data, &Session::default()).unwrap();
        let (mut warm, mut cold) = (0, 0);
        for (c, found) in cs.iter().zip(&path) {
            let alone = learner.clone().c(*c).fit(&data).unwrap();
            assert_close(found.coef.as_slice(), alone.coef.as_slice(), 1e-6, &format!("{penalty:?} {c}"));
            (warm, cold) = (warm + found.n_iter, cold + alone.n_iter);
        }
        assert!(warm <= cold, "{warm} steps of warm starts, {cold} of cold ones");
    }
    assert!(logistic_path(&LogisticRegression::default(), &[], &data, &Session::default()).is_err());
}

#[test]
fn what_cannot_be_is_refused() {
    let all = values();
    let x = matrix(&all["x"]);
    let data = Dataset::new(&x).with_target(coded(&all, true)).unwrap();
    let refused = |learner: LogisticRegressionCV| learner.fit(&data).map(|_| ()).unwrap_err().to_string();
    let cv = LogisticRegressionCV::default;
    assert!(refused(cv().cs(Alphas::These(vec![]))).contains("Cs"));
    assert!(refused(cv().cs(Alphas::These(vec![-1.0]))).contains("Cs"));
    assert!(refused(cv().l1_ratios(Some(vec![]))).contains("l1_ratios"));
    assert!(refused(cv().l1_ratios(Some(vec![2.0]))).contains("l1_ratios"));
    assert!(refused(cv().penalty(Some(LogisticPenalty::Elasticnet))).contains("l1_ratios"));
    assert!(refused(cv().scoring(Some("no such".to_owned()))).contains("no such"));
}
