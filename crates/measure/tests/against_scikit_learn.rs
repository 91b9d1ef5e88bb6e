//! Every metric against frozen values of scikit-learn and SciPy (`reference/generate.py`).

use mercer_math::MatRef;
use mercer_measure::*;
use serde_json::Value;

const TOLERANCE: f64 = 1e-12;

fn reference() -> Value {
    mercer_testkit::reference(include_str!("reference/metrics.json"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("array").iter().map(|v| v.as_f64().expect("number")).collect()
}

fn codes(value: &Value) -> Vec<u32> {
    numbers(value).into_iter().map(|v| v as u32).collect()
}

fn weights(case: &Value) -> Option<Vec<f64>> {
    (!case["weights"].is_null()).then(|| numbers(&case["weights"]))
}

#[track_caller]
fn close(got: f64, expected: f64, what: &str) {
    mercer_testkit::assert_close(&[got], &[expected], TOLERANCE, what);
}

#[track_caller]
fn close_to(got: f64, expected: &Value, what: &str) {
    close(got, expected.as_f64().expect("number"), what);
}

#[track_caller]
fn all_close(got: &[f64], expected: &[f64], what: &str) {
    mercer_testkit::assert_close(got, expected, TOLERANCE, what);
}

#[test]
fn classification() {
    for case in reference()["classes"].as_array().unwrap() {
        let k = case["k"].as_u64().unwrap() as usize;
        let (t, p, w) = (codes(&case["truth"]), codes(&case["predicted"]), weights(case));
        let (w, flat) = (w.as_deref(), numbers(&case["p"]));
        let proba = MatRef::row_major(&flat, t.len(), k).unwrap();
        close_to(accuracy(&t, &p, w).unwrap(), &case["accuracy"], "accuracy");
        close_to(balanced_accuracy(&t, &p, k, w).unwrap(), &case["balanced"], "balanced");
        all_close(
            confusion_matrix(&t, &p, k, w).unwrap().as_slice(),
            &numbers(&case["confusion"]),
            "confusion",
        );
        let scores = class_scores(&t, &p, k, w).unwrap();
        all_close(&scores.precision, &numbers(&case["precision"]), "precision");
        all_close(&scores.recall, &numbers(&case["recall"]), "recall");
        all_close(&scores.f1, &numbers(&case["f1"]), "f1");
        for (name, average) in [("macro", scores.macro_average()), ("weighted", scores.weighted_average())] {
            all_close(&[average.precision, average.recall, average.f1], &numbers(&case[name]), name);
        }
        close_to(log_loss(&t, proba, w).unwrap(), &case["log_loss"], "log loss");
        close_to(brier_score(&t, proba, w).unwrap(), &case["brier"], "Brier");
        close_to(matthews_correlation(&t, &p, k, w).unwrap(), &case["mcc"], "MCC");
        if k > 2 && !case["auc"].is_null() {
            close_to(roc_auc_one_vs_rest(&t, proba, w).unwrap(), &case["auc"], "AUC");
        }
    }
    let case = &reference()["clipped"];
    let (t, flat) = (codes(&case["truth"]), numbers(&case["p"]));
    let p = MatRef::row_major(&flat, t.len(), 2).unwrap();
    close_to(log_loss(&t, p, None).unwrap(), &case["log_loss"], "clipped");
}

#[test]
fn curves_of_two_classes() {
    let reference = reference();
    let binary = reference["classes"].as_array().unwrap().iter().filter(|c| c["k"] == 2);
    for case in binary {
        let truth: Vec<bool> = codes(&case["truth"]).iter().map(|&t| t == 1).collect();
        let scores: Vec<f64> = numbers(&case["p"]).chunks(2).map(|p| p[1]).collect();
        let w = weights(case);
        let w = w.as_deref();
        close_to(roc_auc(&truth, &scores, w).unwrap(), &case["auc"], "AUC");
        close_to(average_precision(&truth, &scores, w).unwrap(), &case["ap"], "AP");
        let roc = roc_curve(&truth, &scores, w).unwrap();
        all_close(&roc.false_positive_rate, &numbers(&case["roc"][0]), "fpr");
        all_close(&roc.true_positive_rate, &numbers(&case["roc"][1]), "tpr");
        all_close(&roc.thresholds[1..], &numbers(&case["roc"][2]), "thresholds");
        let pr = precision_recall_curve(&truth, &scores, w).unwrap();
        all_close(&pr.precision, &numbers(&case["pr"][0]), "precision");
        all_close(&pr.recall, &numbers(&case["pr"][1]), "recall");
        all_close(&pr.thresholds[1..], &numbers(&case["pr"][2]), "thresholds");
        for (name, binning) in [("uniform", Binning::Uniform), ("quantile", Binning::Quantile)] {
            if case[name].is_null() {
                continue;
            }
            let bins = calibration_curve(&truth, &scores, 5, binning, None).unwrap();
            let observed: Vec<f64> = bins.iter().map(|b| b.observed).collect();
            let predicted: Vec<f64> = bins.iter().map(|b| b.predicted).collect();
            all_close(&observed, &numbers(&case[name][0]), name);
            all_close(&predicted, &numbers(&case[name][1]), name);
        }
    }
}

#[test]
fn regression() {
    for case in reference()["numbers"].as_array().unwrap() {
        let (t, p, w) = (numbers(&case["truth"]), numbers(&case["predicted"]), weights(case));
        let w = w.as_deref();
        close_to(mean_squared_error(&t, &p, w).unwrap(), &case["mse"], "MSE");
        close_to(root_mean_squared_error(&t, &p, w).unwrap(), &case["rmse"], "RMSE");
        close_to(mean_absolute_error(&t, &p, w).unwrap(), &case["mae"], "MAE");
        close_to(r2(&t, &p, w).unwrap(), &case["r2"], "R2");
        close_to(explained_variance(&t, &p, w).unwrap(), &case["explained"], "explained variance");
        close_to(median_absolute_error(&t, &p, w).unwrap(), &case["median"], "median absolute error");
    }
}

#[test]
fn groups() {
    for case in reference()["groups"].as_array().unwrap() {
        let (labels, truth) = (codes(&case["labels"]), codes(&case["truth"]));
        let flat = numbers(&case["x"]);
        let x = MatRef::row_major(&flat, labels.len(), case["d"].as_u64().unwrap() as usize).unwrap();
        close_to(adjusted_rand_index(&truth, &labels, None).unwrap(), &case["ari"], "ARI");
        close_to(silhouette(x, &labels, None).unwrap(), &case["silhouette"], "silhouette");
        all_close(
            &silhouette_of_rows(x, &labels, None, &mercer_core::Session::default()).unwrap(),
            &numbers(&case["rows"]),
            "silhouette of rows",
        );
    }
}

#[test]
fn intervals_and_tests() {
    let reference = reference();
    let intervals = &reference["intervals"];
    for case in intervals["t"].as_array().unwrap() {
        let got = t_interval(&numbers(&case["values"]), case["confidence"].as_f64().unwrap()).unwrap();
        all_close(&[got.lower, got.upper], &numbers(&case["interval"]), "t interval");
    }
    for case in intervals["binomial"].as_array().unwrap() {
        let (k, n) = (case["k"].as_u64().unwrap(), case["n"].as_u64().unwrap());
        let got = clopper_pearson(k, n, case["confidence"].as_f64().unwrap()).unwrap();
        all_close(&[got.lower, got.upper], &numbers(&case["interval"]), "Clopper-Pearson");
    }
    for case in intervals["tests"].as_array().unwrap() {
        let (train, test) = (case["train"].as_u64().unwrap(), case["test"].as_u64().unwrap());
        let got = corrected_t_test(&numbers(&case["a"]), &numbers(&case["b"]), train as usize, test as usize)
            .unwrap();
        close_to(got.t, &case["t"], "t");
        close_to(got.p_value, &case["p"], "p");
    }
}

#[test]
fn folds() {
    let reference = reference();
    let case = &reference["splits"];
    let codes = codes(&case["codes"]);
    let check = |splits: Vec<Split>, expected: &Value| {
        for (split, fold) in splits.iter().zip(expected.as_array().unwrap()) {
            let fold: Vec<usize> = numbers(fold).into_iter().map(|i| i as usize).collect();
            assert_eq!(split.test, fold);
        }
    };
    check(k_fold(codes.len(), 4, None).unwrap(), &case["plain"]);
    check(stratified_k_fold(&codes, 4, None).unwrap(), &case["stratified"]);
}
