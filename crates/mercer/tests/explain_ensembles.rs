//! Shapley values of ensembles: they add up, they are those of the shap package or of Shapley's definition, and they are
//! refused where there are none.

use mercer::prelude::*;
use mercer::trees::{DecisionTreeRegressor, Test, Tree};
use mercer::{Contributions, Outputs};
use mercer_testkit::{assert_within, numbers};

fn reference() -> serde_json::Value {
    mercer_testkit::reference(include_str!("../../ensemble/tests/reference/ensemble.json"))
}

fn explained() -> serde_json::Value {
    mercer_testkit::reference(include_str!("../../ensemble/tests/reference/explain.json"))
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

fn explain(model: &dyn Model, x: &Mat) -> Contributions {
    model.contributions(&Input::from(x), &Session::default()).unwrap()
}

fn some_rows(x: &Mat) -> Mat {
    let step = explained()["step"].as_u64().unwrap() as usize;
    Mat::from_fn(x.n_rows().div_ceil(step), x.n_cols(), |i, j| x[(i * step, j)])
}

/// Rows × outputs × features.
fn flat(parts: &Contributions) -> Vec<f64> {
    let n = parts.values[0].n_rows();
    (0..n).flat_map(|i| parts.values.iter().flat_map(move |v| v.row(i).to_vec())).collect()
}

/// What is explained, as the model says it: rows × outputs.
fn said(model: &dyn Model, x: &Mat, outputs: Outputs) -> Vec<f64> {
    let (input, session) = (Input::from(x), Session::default());
    match outputs {
        Outputs::Probabilities => model.predict_proba(&input, &session).unwrap().into_vec(),
        Outputs::Scores => model.decision(&input, &session).unwrap().into_vec(),
        Outputs::Numbers => model.predict(&input, &session).unwrap().numbers().unwrap().to_vec(),
        Outputs::Joint => model.on(&input, &session).unwrap().log_joint().unwrap().into_vec(),
    }
}

#[test]
fn contributions_and_interactions_add_up() {
    let r = reference();
    let mut x = rows(&r);
    x[(3, 0)] = f64::NAN;
    let boosters = "gbdt-regressor(max_iter=5,min_samples_leaf=3)";
    for (spec, target, outputs) in [
        ("bagging:max_features=2,n_estimators=7", "y3", Outputs::Probabilities),
        (
            "bagging-regressor:max_features=0.5,estimator=forest-regressor(n_estimators=3)",
            "y",
            Outputs::Numbers,
        ),
        ("adaboost:n_estimators=9,estimator=tree(max_depth=2)", "y3", Outputs::Scores),
        ("adaboost:n_estimators=9,version=both", "y2", Outputs::Scores),
        ("gradient-boosting:n_estimators=9", "y3", Outputs::Scores),
        ("gradient-boosting:n_estimators=9,loss=exponential,subsample=0.7", "y2", Outputs::Scores),
        ("gradient-boosting-regressor:n_estimators=9,loss=absolute_error", "y", Outputs::Numbers),
        (
            "gradient-boosting-regressor:n_estimators=5,line_search=global,estimator=forest-regressor(n_estimators=3)",
            "y",
            Outputs::Numbers,
        ),
        (
            "vote:estimators=[tree(max_depth=2), forest(n_estimators=3)],voting=soft",
            "y3",
            Outputs::Probabilities,
        ),
        (
            &format!("average:estimators=[tree-regressor(max_depth=3), {boosters}],weights=[1, 3]"),
            "y",
            Outputs::Numbers,
        ),
    ] {
        let model = train(spec, &data(&r, &x, target, true));
        let parts = explain(model.as_ref(), &x);
        assert_eq!(
            (parts.outputs, &parts.features[..]),
            (outputs, &["x0", "x1", "x2", "x3"].map(String::from)[..])
        );
        let k = parts.values.len();
        let sum = |at: usize| parts.base[at % k] + parts.values[at % k].row(at / k).iter().sum::<f64>();
        let sums: Vec<f64> = (0..90 * k).map(sum).collect();
        assert_within(&sums, &said(model.as_ref(), &x, outputs), 1e-10, spec);
        let few = Mat::from_fn(5, 4, |i, j| x[(i, j)]);
        let pairs = model.interactions(&Input::from(&few), &Session::default()).unwrap();
        for (own, pairs) in parts.values.iter().zip(&pairs) {
            let sums: Vec<f64> = (0..20).map(|at| pairs[at / 4].row(at % 4).iter().sum()).collect();
            assert_within(&sums, &own.as_slice()[..20], 1e-10, spec);
        }
    }
}

#[test]
fn gradient_boosting_has_the_values_of_the_shap_package() {
    let (r, frozen) = (reference(), explained());
    let x = rows(&r);
    for case in frozen["gradient"].as_array().unwrap() {
        let data = data(&r, &x, "y", case["weighted"].as_bool().unwrap());
        let model =
            train("gradient-boosting-regressor:n_estimators=30,max_depth=2,min_samples_leaf=8", &data);
        let parts = explain(model.as_ref(), &some_rows(&x));
        assert_within(&parts.base, &numbers(&case["base"]), 1e-8, "base");
        assert_within(&flat(&parts), &numbers(&case["values"]), 1e-8, "values");
        let pairs = model.interactions(&Input::from(&some_rows(&x)), &Session::default()).unwrap();
        let pairs: Vec<f64> = pairs[0].iter().flat_map(|m| m.as_slice().to_vec()).collect();
        assert_within(&pairs, &numbers(&case["interactions"]), 1e-7, "interactions");
    }
}

#[test]
fn adaboost_has_shapleys_values_of_its_votes() {
    let (r, frozen) = (reference(), explained());
    let x = rows(&r);
    for case in frozen["ada"].as_array().unwrap() {
        let data = data(&r, &x, case["target"].as_str().unwrap(), false);
        let model =
            train(&format!("adaboost:n_estimators=12,estimator=tree(max_depth={})", case["depth"]), &data);
        let parts = explain(model.as_ref(), &some_rows(&x));
        assert_within(&parts.base, &numbers(&case["base"]), 1e-9, "base");
        assert_within(&flat(&parts), &numbers(&case["values"]), 1e-9, case["name"].as_str().unwrap());
    }
}

/// The mean of the leaves' values where only the features of `known` are known.
fn expected(tree: &Tree, leaf: &dyn Fn(usize) -> f64, at: usize, row: &[f64], known: u32) -> f64 {
    let node = tree.node(at).unwrap();
    let Some(split) = &node.split else { return leaf(at) };
    let next = |to: usize| expected(tree, leaf, to, row, known);
    if known >> split.feature & 1 == 1 {
        let Test::AtMost(threshold) = split.test else { panic!("numbers only") };
        return next(if row[split.feature] <= threshold { split.left } else { split.right });
    }
    let weight = |to: usize| tree.node(to).unwrap().weight;
    let (l, r) = (weight(split.left), weight(split.right));
    (l * next(split.left) + r * next(split.right)) / (l + r)
}

#[test]
fn one_round_of_the_logistic_loss_has_shapleys_values_of_its_steps() {
    let r = reference();
    let x = rows(&r);
    let two = data(&r, &x, "y2", true);
    let model = train("gradient-boosting:n_estimators=1,learning_rate=1,max_depth=3", &two);
    // The tree of that round: fitted to y − p, where p is the share of the second class.
    let (y, w) = (numbers(&r["y2"]), numbers(&r["w"]));
    let share = y.iter().zip(&w).map(|(y, w)| y * w).sum::<f64>() / w.iter().sum::<f64>();
    let pull = Target::real(y.iter().map(|y| y - share).collect::<Vec<f64>>());
    let tree = DecisionTreeRegressor::default().max_depth(Some(3));
    let tree = tree.fit(&Dataset::new(&x).with_target(pull).unwrap().with_weights(w).unwrap()).unwrap();
    let leaves = tree.tree.apply(&Input::from(&x), &Session::default()).unwrap();
    let scores = said(model.as_ref(), &x, Outputs::Scores);
    let leaf = |at: usize| scores[leaves.iter().position(|&leaf| leaf as usize == at).unwrap()];
    let parts = explain(model.as_ref(), &x);
    for i in (0..90).step_by(9) {
        let value: Vec<f64> = (0..16).map(|known| expected(&tree.tree, &leaf, 0, x.row(i), known)).collect();
        assert!((value[0] - parts.base[0]).abs() < 1e-10);
        for j in 0..4 {
            // Of 4 features: 1/4, 1/12, 1/12, 1/4 by the number of the others.
            let weight = |s: usize| [0.25, 1.0 / 12.0, 1.0 / 12.0, 0.25][s.count_ones() as usize];
            let add = |s: usize| weight(s) * (value[s | 1 << j] - value[s]);
            let brute: f64 = (0..16usize).filter(|s| s >> j & 1 == 0).map(add).sum();
            assert!((brute - parts.values[0][(i, j)]).abs() < 1e-10, "row {i}, feature {j}");
        }
    }
}

#[test]
fn averages_are_explained_by_averages() {
    let r = reference();
    let x = rows(&r);
    let real = data(&r, &x, "y", false);
    let (a, b) = (train("tree-regressor:max_depth=2", &real), train("tree-regressor:max_depth=4", &real));
    let (a, b) = (explain(a.as_ref(), &x), explain(b.as_ref(), &x));
    let both =
        "estimators=[[a, tree-regressor(max_depth=2)], [b, tree-regressor(max_depth=4)]],weights=[1, 3]";
    let mean = explain(train(&format!("average:{both}"), &real).as_ref(), &x);
    let by_hand: Vec<f64> = flat(&a).iter().zip(flat(&b)).map(|(a, b)| 0.25 * a + 0.75 * b).collect();
    assert_within(&flat(&mean), &by_hand, 1e-12, "average");
    // One member on all rows and two features: the tree of these, the others add nothing.
    let spec = "bagging-regressor:n_estimators=1,bootstrap=false,max_features=2,estimator=tree-regressor(max_depth=4)";
    let bag = explain(train(spec, &real).as_ref(), &x);
    let drawn: Vec<usize> = (0..4).filter(|&j| bag.values[0].col(j).iter().any(|v| *v != 0.0)).collect();
    let narrow = Mat::from_fn(90, 2, |i, j| x[(i, drawn[j])]);
    let own = Dataset::new(&narrow).with_target(Target::real(numbers(&r["y"]))).unwrap();
    let own = explain(train("tree-regressor:max_depth=4", &own).as_ref(), &narrow);
    for (j, &place) in drawn.iter().enumerate() {
        assert_within(&own.values[0].col(j), &bag.values[0].col(place), 1e-12, "bag");
    }
    // A pipeline that makes the features: they are told by their names.
    let made =
        "bagging-regressor:n_estimators=3,estimator=pipeline(steps=[polynomial(degree=2), tree-regressor])";
    let made = explain(train(made, &real).as_ref(), &x);
    assert!(made.features.len() > 4 && made.features.len() == made.values[0].n_cols(), "{:?}", made.features);
}

#[test]
fn what_is_no_sum_is_refused_with_a_reason() {
    let r = reference();
    let x = rows(&r);
    for (spec, target, why) in [
        ("vote:estimators=[tree, extra-trees(n_estimators=2)]", "y3", "VotingClassifier"),
        ("adaboost-regressor:n_estimators=3", "y", "AdaBoostRegressor"),
        ("average:estimators=[LinearSVR, tree-regressor]", "y", "LinearSVR"),
        ("vote:estimators=[tree, gbdt(max_iter=3)],voting=soft", "y2", "HistGradientBoosting"),
        ("gradient-boosting:n_estimators=2,estimator=forest-regressor(n_estimators=2)", "y2", "single"),
    ] {
        let model = train(spec, &data(&r, &x, target, false));
        let found = model.contributions(&Input::from(&x), &Session::default());
        let error = found.unwrap_err().to_string();
        assert!(error.contains(why), "{spec}: {error}");
        assert!(model.interactions(&Input::from(&x), &Session::default()).is_err());
    }
}
