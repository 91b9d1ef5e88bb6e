//! Encoders against scikit-learn, by what `generate_encode.py` froze.

use mercer_core::{Column, Dataset, Input, Learner, Object, Rows, Session, Table, Target, Value};
use mercer_math::{Mat, rng_for, uniform};
use mercer_prepare::learners;
use serde_json::Value as Json;

fn reference() -> Json {
    mercer_testkit::reference(include_str!("reference/encode.json"))
}

fn learner(name: &str, params: &Json) -> Box<dyn Learner> {
    let entry = learners().iter().find(|e| (e.declaration)().name == name).unwrap();
    let mut learner = entry.make(&Object::default()).unwrap();
    for (key, value) in params.as_object().unwrap() {
        learner = learner.with(key, &Value::from_json(value).unwrap()).unwrap();
    }
    learner
}

fn input(reference: &Json, kind: &str, which: &str) -> Input<'static> {
    let rows = reference[kind][which].as_array().unwrap();
    if kind == "numbers" {
        let rows = Mat::from_fn(rows.len(), 2, |i, j| rows[i][j].as_f64().unwrap());
        return Input::Rows(Rows::from(rows).named(vec!["a".to_owned(), "b".to_owned()]).unwrap());
    }
    let column = |j: usize| Column::categories(&rows.iter().map(|r| r[j].as_str()).collect::<Vec<_>>());
    let column = |j| column(j).into_owned();
    Table::new(vec![("a".into(), column(0)), ("b".into(), column(1))]).unwrap().into()
}

fn check(what: &str, rows: &Rows<'_>, expect: &Json) {
    let got = rows.dense("test").unwrap();
    let (got, expect) = (got.view().to_mat(), expect.as_array().unwrap());
    assert_eq!((got.n_rows(), got.n_cols()), (expect.len(), expect[0].as_array().unwrap().len()), "{what}");
    for (i, row) in expect.iter().enumerate() {
        for (j, e) in row.as_array().unwrap().iter().enumerate() {
            let (v, e) = (got[(i, j)], e.as_f64().unwrap_or(f64::NAN));
            assert!(
                (v - e).abs() <= 1e-12 || (v.is_nan() && e.is_nan()),
                "{what}: {v} for {e} at ({i}, {j})"
            );
        }
    }
}

fn check_plain(name: &str, cases: &str) {
    let reference = reference();
    for case in reference[cases].as_array().unwrap() {
        let what = format!("{name} {} {}", case["data"], case["params"]);
        let kind = case["data"].as_str().unwrap();
        let (train, new) = (input(&reference, kind, "train"), input(&reference, kind, "new"));
        let session = Session::new(1);
        let model = learner(name, &case["params"]).train(&Dataset::new(train.clone()), &session).unwrap();
        check(&what, &model.transform(&train, &session).unwrap(), &case["train"]);
        check(&what, &model.transform(&new, &session).unwrap(), &case["new"]);
        let names: Vec<String> = serde_json::from_value(case["names"].clone()).unwrap();
        // scikit-learn writes 1.0 for a level that is the number 1, and its own name for the rare ones.
        let ours = |n: &String| n.strip_suffix(".0").unwrap_or(n).replace("infrequent_sklearn", "infrequent");
        assert_eq!(model.names_out().unwrap(), names.iter().map(ours).collect::<Vec<_>>(), "{what}");
    }
}

#[test]
fn one_hot_agrees_with_scikit_learn() {
    check_plain("OneHotEncoder", "one_hot");
}

#[test]
fn ordinal_agrees_with_scikit_learn() {
    check_plain("OrdinalEncoder", "ordinal");
}

fn target(reference: &Json, kind: &str) -> Target<'static> {
    let values = reference["targets"][kind].as_array().unwrap();
    match kind {
        "real" => Target::real(values.iter().map(|v| v.as_f64().unwrap()).collect::<Vec<_>>()),
        _ => Target::classes(&values.iter().map(|v| v.as_i64().unwrap()).collect::<Vec<_>>()),
    }
}

#[test]
fn target_encoding_agrees_with_scikit_learn() {
    let reference = reference();
    for case in reference["target"].as_array().unwrap() {
        let what = format!("{} {} {}", case["data"], case["target"], case["params"]);
        let kind = case["data"].as_str().unwrap();
        let (train, new) = (input(&reference, kind, "train"), input(&reference, kind, "new"));
        let target = target(&reference, case["target"].as_str().unwrap());
        let data = Dataset::new(train).with_target(target).unwrap();
        let session = Session::new(1);
        let learner = learner("TargetEncoder", &case["params"]);
        let (model, rows) = learner.train_transform(&data, &session).unwrap();
        check(&what, &rows, &case["fit_transform"]);
        check(&what, &model.transform(&new, &session).unwrap(), &case["new"]);
        let plain = learner.train(&data, &session).unwrap();
        check(&what, &plain.transform(&new, &session).unwrap(), &case["new"]);
    }
}

#[test]
fn missing_values_are_a_level_of_their_own_for_target_encoding() {
    let reference = reference();
    let Input::Rows(rows) = input(&reference, "numbers", "train") else { panic!("rows") };
    let mut train = rows.dense("test").unwrap().view().to_mat();
    (0..train.n_rows()).step_by(7).for_each(|i| train[(i, 0)] = f64::NAN);
    let data = Dataset::new(&train).with_target(target(&reference, "real")).unwrap();
    let learner = learner("TargetEncoder", &serde_json::json!({ "shuffle": false }));
    let session = Session::new(1);
    let (model, rows) = learner.train_transform(&data, &session).unwrap();
    check("missing", &rows, &reference["missing"]["fit_transform"]);
    let new = Mat::from_rows(&[[f64::NAN, f64::NAN], [1.5, 0.0]]).unwrap();
    check("missing", &model.transform(&Input::from(&new), &session).unwrap(), &reference["missing"]["new"]);
}

/// A target that is noise: out of fold, what is encoded must not know it.
#[test]
fn no_row_helps_to_encode_itself() {
    let n = 2000;
    let mut rng = rng_for(8, 0);
    // As many levels as pairs of rows: each level's mean is half the row's own target.
    let levels: Vec<Option<String>> = (0..n).map(|i| Some(format!("l{}", i / 2))).collect();
    let table = Table::new(vec![("c".into(), Column::categories(&levels))]).unwrap();
    let y: Vec<f64> = (0..n).map(|_| uniform(&mut rng)).collect();
    let data = Dataset::new(&table).with_target(Target::real(y.clone())).unwrap();
    let learner = learner("TargetEncoder", &serde_json::json!({ "smooth": 0.0 }));
    let (model, rows) = learner.train_transform(&data, &Session::new(4)).unwrap();
    let column = |rows: &Rows<'_>| rows.dense("x").unwrap().view().col_cow(0).into_owned();
    let within = column(&model.transform(data.whole_input(), &Session::new(4)).unwrap());
    let outside = column(&rows);
    let correlation = |x: &[f64]| {
        let (mx, my) = (x.iter().sum::<f64>() / n as f64, y.iter().sum::<f64>() / n as f64);
        let cov = |a: &[f64], ma: f64, b: &[f64], mb: f64| {
            a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).sum::<f64>()
        };
        cov(x, mx, &y, my) / (cov(x, mx, x, mx) * cov(&y, my, &y, my)).sqrt()
    };
    assert!(correlation(&within) > 0.6, "{}", correlation(&within));
    assert!(correlation(&outside) < 0.1, "{}", correlation(&outside));
    let again = learner.train_transform(&data, &Session::new(4).with_threads(1)).unwrap().1;
    assert_eq!(column(&again), outside);
    let other = learner.train_transform(&data, &Session::new(5)).unwrap().1;
    assert_ne!(column(&other), outside);
}
