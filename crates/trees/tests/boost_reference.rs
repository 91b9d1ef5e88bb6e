//! Boosted trees against scikit-learn's, raw score for raw score.

use mercer_core::{Column, Dataset, Fit, Session, Table, Target};
use mercer_math::Mat;
use mercer_testkit::{matrix, numbers};
use mercer_trees::{
    BoostedTrees, Categorical, HistGradientBoostingClassifier, HistGradientBoostingRegressor,
    HistRegressionLoss, Interactions,
};
use serde_json::Value;

/// Checks the leaves of every tree and the scores of every row.
fn same(all: &Value, name: &str, model: &BoostedTrees, data: &Dataset<'_>, tolerance: f64) {
    let case = mercer_testkit::case(all, name);
    let leaves: Vec<usize> = (0..model.trees.n_trees()).map(|t| model.trees.n_nodes(t).div_ceil(2)).collect();
    assert_eq!(
        leaves,
        numbers(&case["leaves"]).iter().map(|&v| v as usize).collect::<Vec<_>>(),
        "{name}: leaves"
    );
    let raw = model.raw_after(&data.input(), usize::MAX, &Session::default()).unwrap();
    let theirs: Vec<f64> = case["raw"].as_array().unwrap().iter().flat_map(numbers).collect();
    assert_eq!(raw.len(), theirs.len(), "{name}");
    for (i, (a, b)) in raw.iter().zip(&theirs).enumerate() {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{name}: score {i}: {a} {b}");
    }
}

struct Known {
    all: Value,
    x: Mat,
    holes: Mat,
}

fn known() -> Known {
    let all: Value = mercer_testkit::reference(include_str!("reference/boost.json"));
    let (x, holes) = (matrix(&all["x"]), matrix(&all["holes"]));
    Known { all, x, holes }
}

fn regressor() -> HistGradientBoostingRegressor {
    HistGradientBoostingRegressor::default().max_iter(20).max_leaf_nodes(Some(12))
}

fn classifier() -> HistGradientBoostingClassifier {
    HistGradientBoostingClassifier::default().max_iter(20).max_leaf_nodes(Some(12))
}

#[test]
fn numbers_match_the_reference() {
    let Known { all, x, holes } = &known();
    let plain = |x: &Mat, target: &str| {
        Dataset::new(x.clone()).with_target(Target::real(numbers(&all[target]))).unwrap()
    };
    let check = |name: &str, learner: HistGradientBoostingRegressor, data: Dataset<'_>| {
        same(all, name, learner.fit(&data).unwrap().model(), &data, 1e-6);
    };
    let r = regressor();
    check("squared", r.clone(), plain(x, "real"));
    check("squared_weights", r.clone(), plain(x, "real").with_weights(numbers(&all["weights"])).unwrap());
    check("squared_missing", r.clone(), plain(holes, "real"));
    let limited = r.clone().l2_regularization(3.0).max_depth(Some(3)).min_samples_leaf(7);
    check("squared_l2_depth", limited, plain(x, "real"));
    let sets = Interactions::Sets(vec![vec!["x0".into(), "x1".into()], vec!["2".into()]]);
    check("squared_interactions", r.clone().interaction_cst(Some(sets)), plain(x, "real"));
    check("absolute", r.clone().loss(HistRegressionLoss::AbsoluteError), plain(x, "real"));
    check("poisson", r.clone().loss(HistRegressionLoss::Poisson), plain(x, "counts"));
    check("gamma", r.clone().loss(HistRegressionLoss::Gamma), plain(x, "positive"));
}

#[test]
fn classes_match_the_reference() {
    let Known { all, x, holes } = &known();
    let plain = |x: &Mat, target: &str| {
        let y: Vec<i64> = numbers(&all[target]).iter().map(|&v| v as i64).collect();
        Dataset::new(x.clone()).with_target(Target::classes(&y)).unwrap()
    };
    let check = |name: &str, data: Dataset<'_>| {
        same(all, name, classifier().fit(&data).unwrap().model(), &data, 1e-6);
    };
    check("logistic", plain(x, "two"));
    check("logistic_missing_weights", plain(holes, "two").with_weights(numbers(&all["weights"])).unwrap());
    check("softmax", plain(x, "three"));
}

#[test]
fn categories_match_the_reference() {
    let Known { all, x, .. } = &known();
    let columns = (0..5).map(|j| {
        let values: Vec<f64> = (0..x.n_rows()).map(|i| x[(i, j)]).collect();
        let texts: Vec<Option<String>> = values.iter().map(|v| Some(format!("{v:02}"))).collect();
        let column = if j == 4 { Column::categories(&texts) } else { Column::numbers(values) };
        (format!("x{j}"), column)
    });
    let table = Table::new(columns.collect()).unwrap();
    let data = Dataset::new(table).with_target(Target::real(numbers(&all["real"]))).unwrap();
    let learner = regressor().categorical(Categorical::Partition);
    same(all, "squared_categorical", learner.fit(&data).unwrap().model(), &data, 1e-6);
}
