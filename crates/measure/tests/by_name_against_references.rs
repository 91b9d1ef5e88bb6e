//! Metrics by name, splits from text, intervals and tests against frozen values of scikit-learn and SciPy
//! (`reference/generate_more.py`).

use mercer_math::MatRef;
use mercer_measure::*;
use serde_json::Value;

fn reference() -> Value {
    mercer_testkit::reference(include_str!("reference/more.json"))
}

fn number(value: &Value) -> f64 {
    if value == "nan" { f64::NAN } else { value.as_f64().expect("a number") }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(number).collect()
}

fn codes(value: &Value) -> Vec<u32> {
    numbers(value).into_iter().map(|v| v as u32).collect()
}

fn rows(value: &Value) -> Vec<usize> {
    numbers(value).into_iter().map(|v| v as usize).collect()
}

fn weights(case: &Value) -> Option<Vec<f64>> {
    (!case["weights"].is_null()).then(|| numbers(&case["weights"]))
}

#[track_caller]
fn close(got: f64, expected: f64, tolerance: f64, what: &str) {
    mercer_testkit::assert_alike(&[got], &[expected], tolerance, what);
}

/// Every value of a case, by name.
fn check_case(case: &Value, scored: &Scored<'_>, what: &str) {
    let w = weights(case);
    for (name, expected) in case["values"].as_object().expect("values") {
        let got = Metric::by_name(name).and_then(|m| m.evaluate(scored, w.as_deref()));
        let got = got.unwrap_or_else(|e| panic!("{what}, {name}: {e}"));
        let tolerance = if name.starts_with("ami") { 1e-9 } else { 1e-12 };
        close(got, number(expected), tolerance, &format!("{what}, {name}"));
    }
}

fn cases(kind: &str) -> Vec<Value> {
    reference()[kind].as_array().expect("cases").clone()
}

#[test]
fn scorer_names_of_scikit_learn_are_known() {
    for name in reference()["scorers"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        let metric = Metric::by_name(name).unwrap();
        assert_eq!(metric.greater_is_better, !name.starts_with("neg_"), "{name}");
    }
}

#[test]
fn classes() {
    for (i, case) in cases("classes").iter().enumerate() {
        let k = case["k"].as_u64().unwrap() as usize;
        let (truth, predicted, p) = (codes(&case["truth"]), codes(&case["predicted"]), numbers(&case["p"]));
        let scored = Scored::Classes {
            truth: &truth,
            n_classes: k,
            predicted: Some(&predicted),
            probabilities: MatRef::row_major(&p, truth.len(), k),
            scores: None,
        };
        check_case(case, &scored, &format!("classes {i}"));
        let confusion = confusion_matrix(&truth, &predicted, k, weights(case).as_deref()).unwrap();
        for (name, by) in [
            ("None", Normalise::Nothing),
            ("true", Normalise::Truth),
            ("pred", Normalise::Predicted),
            ("all", Normalise::All),
        ] {
            let got = normalise_confusion(&confusion, by).into_vec();
            for (g, e) in got.iter().zip(numbers(&case["confusion"][name])) {
                close(*g, e, 1e-12, name);
            }
        }
    }
}

#[test]
fn regression() {
    for (i, case) in cases("numbers").iter().enumerate() {
        let (truth, predicted) = (numbers(&case["truth"]), numbers(&case["predicted"]));
        check_case(case, &Scored::Numbers { truth: &truth, predicted: &predicted }, &format!("numbers {i}"));
    }
}

#[test]
fn groups() {
    for (i, case) in cases("groups").iter().enumerate() {
        let (truth, labels, x) = (codes(&case["truth"]), codes(&case["labels"]), numbers(&case["x"]));
        let x = MatRef::row_major(&x, truth.len(), case["d"].as_u64().unwrap() as usize);
        let scored = Scored::Groups { labels: &labels, truth: Some(&truth), x };
        check_case(case, &scored, &format!("groups {i}"));
    }
}

#[test]
fn label_sets() {
    for (i, case) in cases("multilabel").iter().enumerate() {
        let k = case["k"].as_u64().unwrap() as usize;
        let (truth, predicted) = (numbers(&case["truth"]), numbers(&case["predicted"]));
        let matrix = |data| MatRef::row_major(data, truth.len() / k, k).unwrap();
        let scored = Scored::Multilabel { truth: matrix(&truth), predicted: matrix(&predicted) };
        check_case(case, &scored, &format!("multilabel {i}"));
    }
}

#[test]
fn rankings() {
    for (i, case) in cases("ranking").iter().enumerate() {
        let queries: Vec<u64> = rows(&case["queries"]).into_iter().map(|q| q as u64).collect();
        let (relevance, scores) = (numbers(&case["relevance"]), numbers(&case["scores"]));
        let scored = Scored::Ranking { relevance: &relevance, scores: &scores, queries: Some(&queries) };
        check_case(case, &scored, &format!("ranking {i}"));
    }
}

#[test]
fn splits() {
    let reference = reference();
    let case = &reference["splits"];
    let codes = codes(&case["codes"]);
    let ids = |value: &Value| rows(value).into_iter().map(|g| g as u64).collect::<Vec<_>>();
    let groups = ids(&case["groups"]);
    for (text, expected) in case["splits"].as_object().unwrap() {
        let splitter = Splitter::parse(text).unwrap();
        let got = splitter.splits(codes.len(), Some(&codes), Some(&groups), 1).unwrap();
        let expected = expected.as_array().unwrap();
        assert_eq!(got.len(), expected.len(), "{text}");
        for (split, e) in got.iter().zip(expected) {
            assert_eq!((&split.train, &split.test), (&rows(&e[0]), &rows(&e[1])), "{text}");
        }
    }
    let folds = group_k_fold(&ids(&case["many"]), 6).unwrap();
    for (split, expected) in folds.iter().zip(case["many_folds"].as_array().unwrap()) {
        assert_eq!(split.test, rows(expected));
    }
}

#[test]
fn intervals_and_tests() {
    let reference = reference();
    let of = |name: &str| reference["tests"][name].as_array().unwrap().clone();
    for case in of("wilson") {
        let (k, n) = (case["k"].as_u64().unwrap(), case["n"].as_u64().unwrap());
        let got = wilson(k, n, number(&case["confidence"])).unwrap();
        let expected = numbers(&case["interval"]);
        close(got.lower, expected[0], 1e-12, "Wilson");
        close(got.upper, expected[1], 1e-12, "Wilson");
    }
    for case in of("mcnemar") {
        let (b, c) = (case["b"].as_u64().unwrap(), case["c"].as_u64().unwrap());
        close(mcnemar_exact(b, c).p_value, number(&case["exact"]), 1e-12, "McNemar");
        let got = mcnemar_chi2(b, c);
        close(got.statistic, number(&case["chi2"]), 1e-12, "McNemar");
        close(got.p_value, number(&case["p"]), 1e-12, "McNemar");
    }
    for case in of("wilcoxon") {
        let got = wilcoxon(&numbers(&case["a"]), &numbers(&case["b"])).unwrap();
        close(got.statistic, number(&case["statistic"]), 1e-12, "Wilcoxon");
        close(got.p_value, number(&case["p"]), 1e-12, "Wilcoxon");
    }
    for case in of("five") {
        let d: Vec<[f64; 2]> =
            case["d"].as_array().unwrap().iter().map(|d| [number(&d[0]), number(&d[1])]).collect();
        let (t, f) = (five_by_two_t(&d).unwrap(), five_by_two_f(&d).unwrap());
        for (got, name) in [(t.statistic, "t"), (t.p_value, "t_p"), (f.statistic, "f"), (f.p_value, "f_p")] {
            close(got, number(&case[name]), 1e-12, name);
        }
    }
    for case in of("bca") {
        let (estimate, confidence) = (number(&case["estimate"]), number(&case["confidence"]));
        let (draws, jackknife) = (numbers(&case["draws"]), numbers(&case["jackknife"]));
        let bca = bca_interval(estimate, &draws, &jackknife, confidence).unwrap();
        let percentile = percentile_interval(estimate, &draws, confidence).unwrap();
        for (got, name) in [(bca, "interval"), (percentile, "percentile")] {
            let expected = numbers(&case[name]);
            close(got.lower, expected[0], 1e-12, name);
            close(got.upper, expected[1], 1e-12, name);
        }
    }
}
