//! Selections and imputers that ask a learner, against scikit-learn (the values are those of `mercer-prepare`).

use mercer::prelude::*;
use mercer::{AttributeValues, Rows};
use mercer_testkit::numbers;

fn reference() -> serde_json::Value {
    mercer_testkit::reference(include_str!("../../prepare/tests/reference/choose.json"))
}

fn attribute(model: &dyn Model, name: &str) -> Vec<f64> {
    match model.attributes().into_iter().find(|a| a.name == name).map(|a| a.values) {
        Some(AttributeValues::Real(v)) => v,
        Some(AttributeValues::Int(v)) => v.into_iter().map(|v| v as f64).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn selections_match_reference() {
    let r = reference();
    let classes = Target::classes(&numbers(&r["c"]).iter().map(|v| *v as i64).collect::<Vec<_>>());
    let mut seen = 0;
    for (name, expect) in r["support"].as_object().unwrap() {
        if !name.contains("estimator") {
            continue;
        }
        seen += 1;
        let spec = name.replacen('(', ":", 1);
        let learner = mercer::learner(&spec[..spec.len() - 1]).unwrap();
        let x = Mat::from_vec(numbers(&r[expect["x"].as_str().unwrap()]), 80, 7).unwrap();
        let target = if expect["target"] == "c" { classes.clone() } else { Target::real(numbers(&r["y"])) };
        let data = Dataset::new(&x).with_target(target).unwrap();
        let model = learner.train(&data, &Session::default()).unwrap();
        assert_eq!(attribute(model.as_ref(), "support_"), numbers(&expect["support"]), "{name}");
        if expect.get("ranking").is_some() {
            assert_eq!(attribute(model.as_ref(), "ranking_"), numbers(&expect["ranking"]), "{name}");
        }
        if expect.get("cv_scores").is_some() {
            let (found, expect) = (attribute(model.as_ref(), "cv_scores_"), numbers(&expect["cv_scores"]));
            assert!(found.iter().zip(&expect).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?} {expect:?}");
        }
    }
    assert!(seen >= 11, "{seen}");
}

#[test]
fn iterative_imputation_matches_reference() {
    let r = reference();
    let x = Mat::from_vec(numbers(&r["holes"]), 80, 7).unwrap();
    let close = |rows: Rows<'_>, expect: &[f64], name: &str| {
        let found = rows.dense("x").unwrap().view().to_mat().into_vec();
        let worst = found.iter().zip(expect).fold(0.0f64, |a, (x, y)| a.max((x - y).abs()));
        assert!(found.len() == expect.len() && worst < 1e-8, "{name}: {worst}");
    };
    let session = Session::default();
    for order in ["ascending", "descending", "roman", "arabic"] {
        let spec =
            format!("iterative-imputer:estimator=Ridge(alpha=1e-3),imputation_order={order},max_iter=6");
        let model = mercer::learner(&spec).unwrap().train(&Dataset::new(&x), &session).unwrap();
        let rounds = &r["impute"][format!("n_iter_{order}")];
        assert_eq!(attribute(model.as_ref(), "n_iter_")[0], rounds.as_f64().unwrap());
        let rows = model.transform(&Input::from(&x), &session).unwrap();
        close(rows, &numbers(&r["impute"][format!("iterative_{order}")]), order);
    }
    let spec = "iterative-imputer:min_value=-1,max_value=2,initial_strategy=median,max_iter=3,tol=0";
    let first: Vec<usize> = (0..60).collect();
    let data = Dataset::new(&x).subset(&first).unwrap();
    let model = mercer::learner(spec).unwrap().train(&data, &session).unwrap();
    assert!(!model.certificate().is_success());
    let new = x.view().gather(&(60..80).collect::<Vec<_>>());
    let rows = model.transform(&Input::from(&new), &session).unwrap();
    close(rows, &numbers(&r["impute"]["iterative_limited"]), "limited");
}

/// Few neighbours and a random order are the session's luck, and the same luck gives the same values.
#[test]
fn drawn_columns_depend_on_the_seed_alone() {
    let x = Mat::from_vec(numbers(&reference()["holes"]), 80, 7).unwrap();
    let learner = mercer::learner("iterative-imputer:n_nearest_features=2,imputation_order=random").unwrap();
    let run = |seed, threads| {
        let session = Session::new(seed).with_threads(threads);
        let model = learner.train(&Dataset::new(&x), &session).unwrap();
        model.transform(&Input::from(&x), &session).unwrap().dense("x").unwrap().view().to_mat()
    };
    assert_eq!(run(1, 1), run(1, 2));
    assert_ne!(run(1, 1), run(2, 1));
}

#[test]
fn the_lasso_selects_what_matters() {
    let x = Mat::from_fn(60, 20, |i, j| (((i * 7 + j * 13) * (j + 3)) % 23) as f64 / 10.0);
    let y: Vec<f64> = (0..60).map(|i| 3.0 * x[(i, 4)] - 2.0 * x[(i, 11)]).collect();
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let learner = mercer::learner("select-from-model:estimator=lasso(alpha=0.1)").unwrap();
    let support = attribute(learner.train(&data, &Session::default()).unwrap().as_ref(), "support_");
    assert!(support[4] == 1.0 && support[11] == 1.0 && support.iter().sum::<f64>() < 8.0, "{support:?}");
}

#[test]
fn an_l1_penalty_selects_for_classes_by_default() {
    let r = reference();
    let x = Mat::from_vec(numbers(&r["x"]), 80, 7).unwrap();
    let classes = Target::classes(&numbers(&r["c"]).iter().map(|v| *v as i64).collect::<Vec<_>>());
    let data = Dataset::new(&x).with_target(classes).unwrap();
    let support = |spec: &str| {
        let model = mercer::learner(spec).unwrap().train(&data, &Session::default()).unwrap();
        attribute(model.as_ref(), "support_")
    };
    let default = support("SelectFromModel");
    assert_eq!(default, support("SelectFromModel:estimator=LogisticRegression(penalty=l1),threshold=1e-5"));
    let strong = support("SelectFromModel:estimator=LogisticRegression(l1_ratio=1.0,C=0.15)");
    assert!(strong.iter().sum::<f64>() < default.iter().sum::<f64>(), "{strong:?} {default:?}");
    assert!(strong.iter().sum::<f64>() > 0.0, "{strong:?}");
}
