//! Trees of several class targets and monotone trees against scikit-learn's, split for split, and what else must hold of
//! them.

mod peer;

use mercer_core::{Column, CountOrShare, Dataset, Fit, Session, Table, Target, TargetColumn, Trained};
use mercer_math::{Mat, MatRef, normal, rng_for};
use mercer_trees::{
    ClassWeight, ClassificationCriterion, DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreesRegressor,
    Monotonic, RandomForestClassifier, RegressionCriterion,
};
use peer::{case, matrix, numbers, same};
use serde_json::Value;

fn reference() -> Value {
    mercer_testkit::reference(include_str!("reference/many.json"))
}

fn classes(values: &[f64]) -> Target<'static> {
    Target::classes(&values.iter().map(|&v| v as i64).collect::<Vec<_>>())
}

/// Both class targets of the reference, named.
fn both(all: &Value) -> Target<'static> {
    let column = |key: &str| -> TargetColumn<'static> { classes(&numbers(&all[key])).columns()[0].clone() };
    Target::new(vec![column("three"), column("two")]).unwrap().named(&["three", "two"])
}

#[test]
fn several_class_targets_are_split_as_by_scikit_learn() {
    let all = reference();
    let (x, holes, weights) = (matrix(&all["x"]), matrix(&all["holes"]), numbers(&all["weights"]));
    let plain = Dataset::new(&x).with_target(both(&all)).unwrap();
    let weighted = plain.clone().with_weights(weights).unwrap();
    let gappy = Dataset::new(&holes).with_target(both(&all)).unwrap();
    let leaves = |n| DecisionTreeClassifier::default().min_samples_leaf(CountOrShare::Count(n));
    let large = || leaves(40).max_depth(Some(3));
    for (name, learner, data) in [
        ("many_gini", large(), &plain),
        ("many_entropy", large().criterion(ClassificationCriterion::Entropy), &plain),
        ("many_weighted", leaves(12).max_depth(Some(4)), &weighted),
        ("many_balanced", large().class_weight(Some(ClassWeight::Balanced)), &plain),
        ("many_missing", large(), &gappy),
        ("many_best", leaves(12).max_leaf_nodes(Some(9)), &plain),
    ] {
        let model = learner.fit(data).unwrap();
        same(name, &model.tree, &case(&all, name)["nodes"]);
        assert!(model.verify(data).unwrap().iter().all(|v| v.holds), "{name}");
    }
    // A forest of one tree on all rows and features is that tree.
    let forest = RandomForestClassifier::default().n_estimators(1).bootstrap(false).max_features(None);
    let forest = forest.max_depth(Some(3)).min_samples_leaf(CountOrShare::Count(40)).fit(&plain).unwrap();
    let tree = large().fit(&plain).unwrap();
    assert_eq!(forest.predict_proba(&x).unwrap(), tree.predict_proba(&x).unwrap());
}

/// The shares of `k` classes from `start`, and the class that is predicted.
fn agree(shares: MatRef<'_>, start: usize, k: usize, codes: &[u32]) {
    for (i, &code) in codes.iter().enumerate() {
        let row: Vec<f64> = (start..start + k).map(|c| shares.get(i, c)).collect();
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(row.iter().all(|p| *p <= row[code as usize]), "{row:?} {code}");
    }
}

#[test]
fn predictions_shares_and_files_of_several_targets() {
    let all = reference();
    let x = matrix(&all["x"]);
    let data = Dataset::new(&x).with_target(both(&all)).unwrap();
    let learner = RandomForestClassifier::default().n_estimators(15).oob_score(true);
    let model = learner.fit(&data).unwrap();
    let (shares, found) = (model.predict_proba(&x).unwrap(), model.predict(&x).unwrap());
    assert_eq!((shares.n_cols(), found.n_columns()), (5, 2));
    for (k, (start, classes)) in [(0, 3), (3, 2)].into_iter().enumerate() {
        let mercer_core::TargetValues::Codes(codes) = &found.columns()[k].values else { panic!("numbers") };
        agree(shares.view(), start, classes, codes);
    }
    assert_eq!(found.columns()[1].name.as_deref(), Some("two"));
    assert!(model.oob_score().unwrap() > 0.6 && model.verify(&data).unwrap().iter().all(|v| v.holds));
    let bytes = model.as_model().encode().unwrap();
    let again = Trained::<RandomForestClassifier>::decode(bytes.version, &bytes.bytes).unwrap();
    assert_eq!(again.predict(&x).unwrap(), found);
    let text = DecisionTreeClassifier::default().max_depth(Some(1)).fit(&data).unwrap();
    assert!(text.to_text(text.schema()).contains(", class "), "a leaf says a class of each target");
    assert!(text.picture(&data, text.schema()).is_ok());
    let explained = text.as_model().contributions(&(&x).into(), &Session::default()).unwrap();
    assert_eq!(explained.base.len(), 5);
}

/// A target twice, or beside one that never varies, gives the splits of that target alone; a weight of 2 is two copies,
/// and one of 0 no row.
#[test]
fn a_target_twice_is_that_target() {
    let all = reference();
    let x = matrix(&all["x"]);
    let (three, constant) = (classes(&numbers(&all["three"])), classes(&[7.0; 400]));
    let twice = |other: &Target<'static>| {
        let target = Target::new(vec![three.columns()[0].clone(), other.columns()[0].clone()]).unwrap();
        Dataset::new(&x).with_target(target).unwrap()
    };
    let learner = DecisionTreeClassifier::default().max_depth(Some(4));
    let alone = learner.fit(&Dataset::new(&x).with_target(three.clone()).unwrap()).unwrap();
    for other in [&three, &constant] {
        let model = learner.fit(&twice(other)).unwrap();
        let found = model.predict(&x).unwrap();
        assert_eq!(found.columns()[0].values, alone.predict(&x).unwrap().columns()[0].values);
    }
    let weights: Vec<f64> = (0..400).map(|i| f64::from(i % 3)).collect();
    let copies: Vec<usize> = (0..400).flat_map(|i| vec![i; i % 3]).collect();
    let data = Dataset::new(&x).with_target(both(&all)).unwrap();
    let weighted = learner.fit(&data.clone().with_weights(weights).unwrap()).unwrap();
    let copied = learner.fit(&data.subset(&copies).unwrap()).unwrap();
    assert_eq!(weighted.predict_proba(&x).unwrap(), copied.predict_proba(&x).unwrap());
    let held = learner.clone().reduced_error(true).fit(&data.clone().with_valid(data.clone())).unwrap();
    assert!(held.tree.n_nodes() <= copied.tree.n_nodes());
    assert!(learner.fit(&Dataset::new(Mat::zeros(400, 1)).with_target(both(&all)).unwrap()).is_ok());
}

fn signs(all: &Value) -> Option<Monotonic> {
    Some(Monotonic::ByPlace(numbers(&all["signs"]).iter().map(|&s| s as i64).collect()))
}

#[test]
fn monotone_trees_are_those_of_scikit_learn() {
    let all = reference();
    let (x, weights) = (matrix(&all["x"]), numbers(&all["weights"]));
    let real = |key: &str| Dataset::new(&x).with_target(Target::real(numbers(&all[key]))).unwrap();
    let numbers_of = DecisionTreeRegressor::default().monotonic_cst(signs(&all));
    let leaves = |n| numbers_of.clone().min_samples_leaf(CountOrShare::Count(n));
    let deep = leaves(8).max_depth(Some(5));
    let four = leaves(12).max_depth(Some(4));
    for (name, learner, data) in [
        ("monotone_squared", deep.clone(), real("real")),
        ("monotone_weighted", deep, real("real").with_weights(weights.clone()).unwrap()),
        ("monotone_best", leaves(8).max_leaf_nodes(Some(15)), real("real")),
        ("monotone_poisson", four.clone().criterion(RegressionCriterion::Poisson), real("counts")),
        ("monotone_absolute", four.criterion(RegressionCriterion::AbsoluteError), real("real")),
    ] {
        let model = learner.fit(&data).unwrap();
        same(name, &model.tree, &case(&all, name)["nodes"]);
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{name}");
    }
    let two =
        Dataset::new(&x).with_target(classes(&numbers(&all["two"]))).unwrap().with_weights(weights).unwrap();
    let gini = DecisionTreeClassifier::default().monotonic_cst(signs(&all)).max_depth(Some(5));
    let gini = gini.min_samples_leaf(CountOrShare::Count(25));
    let entropy = gini.clone().criterion(ClassificationCriterion::Entropy);
    // The names end as those of weighted trees do, where missing values follow the heavier child.
    for (name, learner) in [("monotone_gini", gini), ("monotone_entropy", entropy)] {
        let model = learner.fit(&two).unwrap();
        same(&format!("{name}_weighted"), &model.tree, &case(&all, name)["nodes"]);
    }
}

/// Whatever the other columns say, the prediction rises with x0 and falls with x1; names mean the same as places.
#[test]
fn predictions_are_monotone_along_a_column() {
    let mut rng = rng_for(3, 3);
    let x = Mat::from_fn(600, 3, |_, _| normal(&mut rng));
    let y: Vec<f64> =
        (0..600).map(|i| x[(i, 0)] - x[(i, 1)] + (4.0 * x[(i, 2)]).sin() + 2.0 * normal(&mut rng)).collect();
    let columns = (0..3).map(|j| (format!("x{j}"), Column::numbers(x.col(j)))).collect();
    let table = Table::new(columns).unwrap();
    let named = Dataset::new(&table).with_target(Target::real(y.clone())).unwrap();
    let places = Some(Monotonic::ByPlace(vec![1, -1, 0]));
    let names = Some(Monotonic::ByName(vec![("x1".to_owned(), -1), ("x0".to_owned(), 1)]));
    let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
    let forest = ExtraTreesRegressor::default().n_estimators(10).monotonic_cst(places);
    let tree = DecisionTreeRegressor::default().monotonic_cst(names);
    let (forest, tree) = (forest.fit(&data).unwrap(), tree.fit(&named).unwrap());
    for k in 0..20 {
        for (column, sign) in [(0, 1.0), (1, -1.0)] {
            let along =
                Mat::from_fn(40, 3, |i, j| if j == column { i as f64 / 8.0 - 2.5 } else { x[(k, j)] });
            for found in [forest.predict(&along).unwrap(), tree.predict(&along).unwrap()] {
                let found = found.numbers().unwrap().to_vec();
                assert!(found.windows(2).all(|w| sign * (w[1] - w[0]) >= -1e-12), "{column}: {found:?}");
            }
        }
    }
    let refused = |cst: Monotonic, data: &Dataset<'_>| {
        DecisionTreeRegressor::default().monotonic_cst(Some(cst)).fit(data).unwrap_err().to_string()
    };
    assert!(refused(Monotonic::ByPlace(vec![1]), &data).contains("monotonic_cst"));
    assert!(refused(Monotonic::ByName(vec![("age".to_owned(), 1)]), &data).contains("age"));
    let two = Dataset::new(&x).with_target(Target::multi(vec![y.clone(), y]).unwrap()).unwrap();
    assert!(refused(Monotonic::ByPlace(vec![1, 0, 0]), &two).contains("several targets"));
}
