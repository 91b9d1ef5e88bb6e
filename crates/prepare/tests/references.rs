//! Scalers and expansions against scikit-learn's frozen answers.

use mercer_core::{AttributeValues, Dataset, Input, Learner, Model, Object, Rows, Session, Value, catalogue};
use mercer_math::{Csr, Mat};
use serde_json::Value as Json;

/// The cases with their tables put in place.
fn cases(text: &str) -> Vec<Json> {
    let json: Json = serde_json::from_str(text).unwrap();
    let mut cases = json["cases"].as_array().unwrap().clone();
    for case in &mut cases {
        for key in ["fit", "x", "z", "inverse"] {
            if let Some(name) = case[key].as_str() {
                case[key] = json["tables"][name].clone();
            }
        }
    }
    cases
}

fn number(json: &Json) -> f64 {
    json.as_f64().unwrap_or(f64::NAN)
}

fn mat(json: &Json) -> Mat {
    let row = |row: &Json| row.as_array().unwrap().iter().map(number).collect::<Vec<f64>>();
    Mat::from_rows(&json.as_array().unwrap().iter().map(row).collect::<Vec<_>>()).unwrap()
}

fn learner(case: &Json) -> Box<dyn Learner> {
    catalogue::register(mercer_prepare::learners());
    let params = case["params"].as_object().unwrap();
    let params = params.iter().map(|(k, v)| (k.clone(), Value::from_json(v).unwrap())).collect();
    catalogue::make(&Object { kind: case["learner"].as_str().unwrap().to_owned(), params }).unwrap()
}

fn rows(case: &Json, key: &str) -> Rows<'static> {
    let x = mat(&case[key]);
    if case["sparse"] == true { Csr::from_dense(x.view()).into() } else { x.into() }
}

fn dense(rows: &Rows<'_>) -> Mat {
    rows.dense("test").unwrap().view().to_mat()
}

/// The largest relative distance, column by column, of two matrices with the same missing values.
fn distance(found: &Mat, expected: &Mat, what: &str) -> f64 {
    assert_eq!((found.n_rows(), found.n_cols()), (expected.n_rows(), expected.n_cols()), "{what}");
    let mut worst = 0.0f64;
    for j in 0..found.n_cols() {
        let scale = expected.col(j).iter().filter(|v| !v.is_nan()).fold(1.0, |m: f64, v| m.max(v.abs()));
        for i in 0..found.n_rows() {
            let (a, b) = (found[(i, j)], expected[(i, j)]);
            assert_eq!(a.is_nan(), b.is_nan(), "{what}: row {i}, column {j}: {a} {b}");
            if !a.is_nan() {
                worst = worst.max((a - b).abs() / scale);
            }
        }
    }
    worst
}

fn check(case: &Json, tol: f64) {
    let what = format!("{} {}", case["learner"], case["params"]);
    let session = Session::default();
    let learner = learner(case);
    let data = Dataset::new(rows(case, "fit"));
    let model: Box<dyn Model> = learner.train(&data, &session).unwrap_or_else(|e| panic!("{what}: {e}"));
    let z =
        model.transform(&Input::from(rows(case, "x")), &session).unwrap_or_else(|e| panic!("{what}: {e}"));
    let found = distance(&dense(&z), &mat(&case["z"]), &what);
    assert!(found <= tol, "{what}: transformed values {found:e} away");
    let names: Vec<&str> = case["names"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
    assert_eq!(model.names_out().unwrap(), names, "{what}");
    if !case["inverse"].is_null() {
        let back = model.inverse_transform(&Input::from(z), &session).unwrap();
        let found = distance(&dense(&back), &mat(&case["inverse"]), &what);
        assert!(found <= tol, "{what}: inverted values {found:e} away");
    }
    for (name, expected) in case["attributes"].as_object().unwrap() {
        if expected.is_null() {
            continue;
        }
        let attribute = model.attributes().into_iter().find(|a| a.name == name);
        let found = match attribute.unwrap_or_else(|| panic!("{what}: no {name}")).values {
            AttributeValues::Real(v) => v,
            AttributeValues::Int(v) => v.into_iter().map(|v| v as f64).collect(),
            _ => panic!("{what}: {name} is no numbers"),
        };
        let expected = expected.as_array().unwrap();
        assert_eq!(found.len(), expected.len(), "{what}: {name}");
        for (a, b) in found.iter().zip(expected.iter().map(number)) {
            assert!((a - b).abs() <= tol * b.abs().max(1.0) || b.is_nan(), "{what}: {name}: {a} {b}");
        }
    }
    for verified in model.verify(&data, &session).unwrap() {
        assert!(verified.holds, "{what}: {verified:?}");
    }
}

#[test]
fn scalers_match_scikit_learn() {
    for case in cases(include_str!("reference/scale.json")) {
        // Powers are found by search: scikit-learn's is good to about 1e-8.
        check(&case, if case["learner"] == "PowerTransformer" { 1e-5 } else { 1e-10 });
    }
}

#[test]
fn expansions_match_scikit_learn() {
    for case in cases(include_str!("reference/expand.json")) {
        check(&case, 1e-10);
    }
}
