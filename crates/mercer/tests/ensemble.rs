//! Ensembles against scikit-learn (the values are those of `mercer-ensemble`), and against the identities of the notes.

use mercer::ensemble::{AdaBoostClassifier, AdaVersion, BaggingClassifier, BaggingRegressor};
use mercer::prelude::*;
use mercer::{AttributeValues, NestedLearner};
use mercer_testkit::{assert_within, numbers};

fn reference() -> serde_json::Value {
    mercer_testkit::reference(include_str!("../../ensemble/tests/reference/ensemble.json"))
}

fn rows(r: &serde_json::Value) -> Mat {
    Mat::from_vec(numbers(&r["x"]), 90, 4).unwrap()
}

fn data<'a>(r: &serde_json::Value, x: &'a Mat, target: &str, weighted: bool) -> Dataset<'a> {
    let values = numbers(&r[target]);
    let target = match target {
        "y" => Target::real(values),
        _ => Target::classes(&values.iter().map(|v| *v as i64).collect::<Vec<_>>()),
    };
    let data = Dataset::new(x).with_target(target).unwrap();
    if weighted { data.with_weights(numbers(&r["w"])).unwrap() } else { data }
}

fn train(spec: &str, data: &Dataset<'_>) -> Box<dyn Model> {
    mercer::learner(spec).unwrap().train(data, &Session::default()).unwrap()
}

fn attribute(model: &dyn Model, name: &str) -> Vec<f64> {
    match model.attributes().into_iter().find(|a| a.name == name).map(|a| a.values) {
        Some(AttributeValues::Real(v)) => v,
        _ => panic!("no {name}"),
    }
}

fn proba(model: &dyn Model, x: &Mat) -> Vec<f64> {
    model.predict_proba(&Input::from(x), &Session::default()).unwrap().into_vec()
}

fn predicted(model: &dyn Model, x: &Mat) -> Vec<f64> {
    let found = model.predict(&Input::from(x), &Session::default()).unwrap();
    match found.class() {
        Ok((codes, _)) => codes.iter().map(|&c| f64::from(c)).collect(),
        Err(_) => found.numbers().unwrap().to_vec(),
    }
}

#[test]
fn adaboost_matches_reference() {
    let r = reference();
    let x = rows(&r);
    for case in r["ada"].as_array().unwrap() {
        let data = data(&r, &x, case["target"].as_str().unwrap(), case["weighted"].as_bool().unwrap());
        let model =
            train(&format!("adaboost:n_estimators=12,estimator=tree(max_depth={})", case["depth"]), &data);
        let what = case["name"].as_str().unwrap();
        assert_within(
            &attribute(model.as_ref(), "estimator_weights_"),
            &numbers(&case["alphas"]),
            1e-9,
            what,
        );
        assert_within(
            &attribute(model.as_ref(), "estimator_errors_"),
            &numbers(&case["errors"]),
            1e-10,
            what,
        );
        assert_within(&proba(model.as_ref(), &x), &numbers(&case["proba"]), 1e-9, what);
        let decision = model.decision(&Input::from(&x), &Session::default()).unwrap();
        assert_within(decision.as_slice(), &numbers(&case["decision"]), 1e-9, what);
        assert_eq!(predicted(model.as_ref(), &x), numbers(&case["predicted"]), "{what}");
    }
}

#[test]
fn both_versions_of_adaboost_are_forward_stagewise_fits_of_the_exponential_loss() {
    let r = reference();
    let x = rows(&r);
    let data = data(&r, &x, "y2", false);
    let boost = |version| AdaBoostClassifier { n_estimators: 8, version, ..Default::default() };
    mercer::catalogue();
    let (wrong, both) = (boost(AdaVersion::Wrong), boost(AdaVersion::Both));
    let (wrong, both) = (wrong.fit(&data).unwrap(), both.fit(&data).unwrap());
    assert_within(
        &wrong.alphas,
        &both.alphas.iter().map(|a| 2.0 * a).collect::<Vec<_>>(),
        1e-9,
        "alpha in ratio 2",
    );
    assert_eq!(wrong.predict(&x).unwrap(), both.predict(&x).unwrap());
    // Each α is the step of least exponential loss along its member, given the members before it; and each member does
    // better than guessing under the weights e^{−y f}.
    let y: Vec<f64> = numbers(&r["y2"]).iter().map(|v| 2.0 * v - 1.0).collect();
    let mut f = vec![0.0; 90];
    for (t, &alpha) in both.alphas.iter().enumerate() {
        let boosted =
            AdaBoostClassifier { n_estimators: t + 1, version: AdaVersion::Both, ..Default::default() };
        let upto = boosted.fit(&data).unwrap();
        let total: f64 = upto.alphas.iter().sum();
        let score: Vec<f64> =
            upto.decision_function(&x).unwrap().as_slice().iter().map(|d| d / 2.0 * total).collect();
        let h: Vec<f64> = score.iter().zip(&f).map(|(s, f)| ((s - f) / alpha).round()).collect();
        assert!(h.iter().all(|h| h.abs() == 1.0));
        let loss = |a: f64| (0..90).map(|i| (-y[i] * (f[i] + a * h[i])).exp()).sum::<f64>();
        assert!(loss(alpha) < loss(alpha + 1e-4) && loss(alpha) < loss(alpha - 1e-4), "member {t}");
        let w: Vec<f64> = (0..90).map(|i| (-y[i] * f[i]).exp()).collect();
        let own: f64 = (0..90).filter(|&i| h[i] != y[i]).map(|i| w[i]).sum();
        assert!(own < 0.5 * w.iter().sum::<f64>());
        f = score;
    }
    // The bounds hold, and anyone can compute them again.
    let verified = wrong.verify(&data).unwrap();
    assert!(verified.len() == 6 && verified.iter().all(|v| v.holds), "{verified:?}");
    let found = |name: &str| verified.iter().find(|v| v.claimed.name.contains(name)).unwrap().found;
    let (error, product, exponent) = (found("error rate"), found("Π"), found("exp"));
    assert!(error <= product && product <= exponent && exponent < 1.0, "{error} {product} {exponent}");
    let hand: f64 = wrong.errors.iter().map(|e| 2.0 * (e * (1.0 - e)).sqrt()).product();
    assert!((hand - product).abs() < 1e-12);
}

#[test]
fn adaboost_stops_where_it_must() {
    // One stump is right on all rows.
    let x = Mat::from_fn(20, 1, |i, _| i as f64);
    let classes: Vec<i64> = (0..20).map(|i| i64::from(i >= 10)).collect();
    let data = Dataset::new(&x).with_target(Target::classes(&classes)).unwrap();
    let model = train("adaboost", &data);
    assert_eq!(attribute(model.as_ref(), "estimator_errors_"), [0.0]);
    // No stump is better than guessing on constant features.
    let flat = Mat::zeros(20, 1);
    let data = Dataset::new(&flat).with_target(Target::classes(&classes)).unwrap();
    let model = train("adaboost", &data);
    assert_eq!(attribute(model.as_ref(), "estimator_weights_").len(), 1);
    assert!(!model.certificate().is_success());
}

#[test]
fn voting_and_stacking_match_reference() {
    let r = reference();
    let x = rows(&r);
    let (three, two, real) = (data(&r, &x, "y3", false), data(&r, &x, "y2", false), data(&r, &x, "y", false));
    let logistic = "logistic(tol=1e-10,max_iter=10000)";
    let hard = train(
        &format!("vote:estimators=[[lr, {logistic}], [t, tree(max_depth=2)], [d, tree(max_depth=1)]]"),
        &three,
    );
    assert_eq!(predicted(hard.as_ref(), &x), numbers(&r["vote_hard"]));
    assert!(!hard.can().proba);
    let soft =
        train(&format!("vote:estimators=[{logistic}, tree(max_depth=2)],voting=soft,weights=[2, 1]"), &three);
    assert_within(&proba(soft.as_ref(), &x), &numbers(&r["vote_soft"]), 1e-6, "soft votes");
    let mean = train("average:estimators=[ridge, tree-regressor(max_depth=3)],weights=[1, 3]", &real);
    assert_within(&predicted(mean.as_ref(), &x), &numbers(&r["average"]), 1e-9, "average");
    let members = format!("estimators=[{logistic}, tree(max_depth=2)],final_estimator={logistic}");
    let stack = train(&format!("stack:{members}"), &three);
    assert_within(&proba(stack.as_ref(), &x), &numbers(&r["stack"]), 1e-6, "stack");
    let stack = train(&format!("stack:{members},passthrough=true,cv=3"), &two);
    let second: Vec<f64> = proba(stack.as_ref(), &x).chunks(2).map(|p| p[1]).collect();
    assert_within(&second, &numbers(&r["stack_binary"]), 1e-6, "stack with features");
    let stack = train(
        "stack-regressor:estimators=[ridge, tree-regressor(max_depth=3)],final_estimator=ridge,cv=4",
        &real,
    );
    assert_within(&predicted(stack.as_ref(), &x), &numbers(&r["stack_numbers"]), 1e-8, "stack of numbers");
}

#[test]
fn gradient_boosting_matches_reference() {
    let r = reference();
    let x = rows(&r);
    for case in r["gradient"].as_array().unwrap() {
        let weighted = case["weighted"].as_bool().unwrap();
        let data = data(&r, &x, "y", weighted);
        let spec = "gradient-boosting-regressor:n_estimators=30,max_depth=2";
        let model = train(spec, &data);
        assert_within(&predicted(model.as_ref(), &x), &numbers(&case["predicted"]), 1e-8, spec);
    }
}

#[test]
fn line_searches_are_best_and_losses_fall() {
    let r = reference();
    let x = rows(&r);
    let (two, real) = (data(&r, &x, "y2", true), data(&r, &x, "y", true));
    for spec in [
        "gradient-boosting-regressor:n_estimators=20,learning_rate=1,loss=absolute_error,max_depth=1",
        "gradient-boosting-regressor:n_estimators=20,learning_rate=1,loss=quantile(alpha=0.8),max_depth=1",
        "gradient-boosting-regressor:n_estimators=20,learning_rate=1,loss=huber(delta=0.5),line_search=global",
        "gradient-boosting:n_estimators=20,learning_rate=1,max_depth=1,line_search=leaf",
        "gradient-boosting:n_estimators=20,learning_rate=1,loss=exponential,max_depth=1,line_search=leaf",
        "gradient-boosting:n_estimators=20,learning_rate=1,loss=squared_hinge,line_search=global",
        "gradient-boosting:n_estimators=20,learning_rate=1,estimator=ridge,line_search=global",
    ] {
        let data = if spec.contains("regressor") { &real } else { &two };
        let model = train(spec, data);
        let losses = attribute(model.as_ref(), "train_score_");
        assert!(losses.windows(2).all(|l| l[1] <= l[0] + 1e-12), "{spec}: {losses:?}");
        assert!(losses[19] < 0.9 * losses[0] || spec.contains("ridge"), "{spec}: {losses:?}");
        assert!(model.verify(data, &Session::default()).unwrap().iter().all(|v| v.holds), "{spec}");
    }
    // With linear weak learners and whole steps, boosting the logistic loss comes to logistic regression.
    let boosted = train(
        "gradient-boosting:n_estimators=400,learning_rate=1,estimator=ridge(alpha=0),line_search=global",
        &two,
    );
    let straight = train("logistic:penalty=none,tol=1e-10,max_iter=1000", &two);
    let tol = 5e-3;
    assert_within(&proba(boosted.as_ref(), &x), &proba(straight.as_ref(), &x), tol, "linear boosting");
    let three = data(&r, &x, "y3", false);
    let model = train("gradient-boosting:n_estimators=30", &three);
    let p = proba(model.as_ref(), &x);
    assert!(p.chunks(3).all(|p| (p.iter().sum::<f64>() - 1.0).abs() < 1e-12));
    let right =
        predicted(model.as_ref(), &x).iter().zip(numbers(&r["y3"])).filter(|(a, b)| **a == *b).count();
    assert!(right > 85, "{right}");
}

#[test]
fn early_stopping_keeps_to_its_rows() {
    let r = reference();
    let x = rows(&r);
    let data = data(&r, &x, "y", false);
    let model = train(
        "gradient-boosting-regressor:n_estimators=500,n_iter_no_change=5,learning_rate=0.5,validation_fraction=0.3",
        &data,
    );
    let (train_score, valid) =
        (attribute(model.as_ref(), "train_score_"), attribute(model.as_ref(), "validation_score_"));
    assert!(train_score.len() < 500 && valid.len() == train_score.len());
}

#[test]
fn out_of_bag_is_what_a_loop_over_the_bags_finds() {
    let r = reference();
    let x = rows(&r);
    let data = data(&r, &x, "y2", false);
    mercer::catalogue();
    let bag = BaggingClassifier::default().n_estimators(25).oob_score(true);
    let model = bag.fit(&data).unwrap();
    let score = attribute(model.as_model(), "oob_score_")[0];
    let shares = attribute(model.as_model(), "oob_decision_function_");
    let y = numbers(&r["y2"]);
    let right = (0..90).filter(|&i| (shares[2 * i + 1] > shares[2 * i]) == (y[i] == 1.0)).count();
    assert!((score - right as f64 / 90.0).abs() < 1e-12 && score > 0.6 && score < 1.0, "{score}");
    assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
    // Trees that are grown out are right on the rows in their bags.
    assert!(model.certificate().evidence[0].value < 0.02);
    // The mean of B models varies less than one: the members' correlation is below 1.
    let real = self::data(&r, &x, "y", false);
    let (train, test): (Vec<usize>, Vec<usize>) = (0..90).partition(|i| i % 3 != 0);
    let error = |n: usize| {
        let bag = BaggingRegressor::default()
            .n_estimators(n)
            .estimator(Some(NestedLearner(mercer::learner("tree-regressor").unwrap())));
        let mean = |seed: u64| {
            let model = bag.fit_in(&real.subset(&train).unwrap(), &Session::new(seed)).unwrap();
            let found =
                model.as_model().predict(&real.subset(&test).unwrap().input(), &Session::default()).unwrap();
            let y = real.subset(&test).unwrap();
            let y = y.target().unwrap();
            found
                .numbers()
                .unwrap()
                .iter()
                .zip(y.numbers().unwrap())
                .map(|(a, b)| (a - b).powi(2))
                .sum::<f64>()
        };
        (0..5).map(mean).sum::<f64>()
    };
    assert!(error(30) < 0.8 * error(1), "{} {}", error(30), error(1));
}

/// Scale matters to an ensemble as far as it does to one of its members, and the default preparation sees to it.
#[test]
fn ensembles_of_learners_that_need_scaled_rows_get_them() {
    let table = Table::new(vec![("a".to_owned(), Column::numbers(vec![1.0, 20.0, 300.0]))]).unwrap();
    for (spec, scaled) in [
        ("VotingClassifier:estimators=[logistic, tree]", true),
        ("StackingRegressor:estimators=[ridge, tree-regressor]", true),
        ("StackingClassifier:estimators=[tree, tree(max_depth=2)],final_estimator=tree", false),
        ("BaggingClassifier:estimator=logistic", true),
        ("BaggingClassifier:estimator=tree", false),
        ("VotingClassifier:estimators=[tree, tree(max_depth=2)]", false),
    ] {
        let made = mercer::prepare::prepared(mercer::learner(spec).unwrap(), &table).unwrap();
        assert_eq!(
            mercer::Value::Object(made.learner.to_object()).to_string().contains("Scaler"),
            scaled,
            "{spec}"
        );
    }
}
