//! CART as the notes tell it: every criterion against scikit-learn's trees, and the prunings.

use mercer_core::{CountOrShare, Dataset, Fit, Session, Target};
use mercer_math::{Mat, below, normal, rng_for, uniform};
use mercer_testkit::{close, numbers};
use mercer_trees::{
    ClassificationCriterion, DecisionTreeClassifier, DecisionTreeRegressor, PruningPath, RegressionCriterion,
    Test, Tree,
};
use serde_json::Value;

/// Both number nodes depth first, so the lists agree entry by entry.
fn same(tree: &Tree, expected: &Value) {
    let name = &expected["name"];
    let column = |key: &str| numbers(&expected[key]);
    let (feature, threshold, right) = (column("feature"), column("threshold"), column("right"));
    let (impurity, weight) = (column("impurity"), column("weight"));
    assert_eq!(tree.n_nodes(), feature.len(), "{name}");
    for i in 0..feature.len() {
        let node = tree.node(i).unwrap();
        assert!(
            close(node.impurity, impurity[i], 1e-9) && close(node.weight, weight[i], 1e-9),
            "{name}: node {i}"
        );
        let value = numbers(&expected["value"][i]);
        assert!(node.value.iter().zip(&value).all(|(a, b)| close(*a, *b, 1e-9)), "{name}: value of node {i}");
        match node.split {
            None => assert!(right[i] < 0.0, "{name}: leaf {i}"),
            Some(split) => {
                assert_eq!(
                    (split.feature as f64, split.right as f64),
                    (feature[i], right[i]),
                    "{name}: node {i}"
                );
                assert_eq!(split.test, Test::AtMost(threshold[i]), "{name}: node {i}");
            }
        }
    }
}

fn same_path(path: &PruningPath, expected: &Value) {
    let (alphas, impurities) = (numbers(&expected["alphas"]), numbers(&expected["impurities"]));
    assert_eq!(path.ccp_alphas.len(), alphas.len());
    assert!(path.ccp_alphas.iter().zip(&alphas).all(|(a, b)| close(*a, *b, 1e-9)), "{path:?} {alphas:?}");
    assert!(
        path.impurities.iter().zip(&impurities).all(|(a, b)| close(*a, *b, 1e-9)),
        "{path:?} {impurities:?}"
    );
}

#[test]
fn every_criterion_gives_the_tree_and_the_path_of_scikit_learn() {
    let all: Value = mercer_testkit::reference(include_str!("reference/notes.json"));
    let rows: Vec<Vec<f64>> = all["x"].as_array().unwrap().iter().map(numbers).collect();
    let (x, weights, session) =
        (Mat::from_rows(&rows).unwrap(), numbers(&all["weights"]), Session::default());
    let data = |target| Dataset::new(&x).with_target(target).unwrap().with_weights(weights.clone()).unwrap();
    let three: Vec<i64> = numbers(&all["three"]).iter().map(|&v| v as i64).collect();
    for case in all["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let class = match name {
            "gini" => Some(ClassificationCriterion::Gini),
            "entropy" => Some(ClassificationCriterion::Entropy),
            "log_loss" => Some(ClassificationCriterion::LogLoss),
            _ => None,
        };
        let real = match name {
            "absolute_error" => RegressionCriterion::AbsoluteError,
            "poisson" => RegressionCriterion::Poisson,
            "friedman_mse" => RegressionCriterion::FriedmanMse,
            _ => RegressionCriterion::SquaredError,
        };
        if let Some(criterion) = class {
            let learner = DecisionTreeClassifier::default().criterion(criterion).max_depth(Some(4));
            let (learner, data) =
                (learner.min_samples_leaf(CountOrShare::Count(10)), data(Target::classes(&three)));
            same(&learner.fit(&data).unwrap().tree, case);
            same_path(&learner.cost_complexity_pruning_path(&data, &session).unwrap(), &case["path"]);
        } else {
            let key = if name == "poisson" { "counts" } else { "real" };
            let learner = DecisionTreeRegressor::default().criterion(real).max_depth(Some(4));
            let learner = learner.min_samples_leaf(CountOrShare::Count(10));
            let data = data(Target::real(numbers(&all[key])));
            same(&learner.fit(&data).unwrap().tree, case);
            same_path(&learner.cost_complexity_pruning_path(&data, &session).unwrap(), &case["path"]);
        }
    }
}

#[test]
fn the_error_of_the_majority_is_least_at_each_split() {
    let mut rng = rng_for(21, 0);
    for round in 0..20 {
        let (n, k) = (60, 2 + round % 3);
        let x = Mat::from_fn(n, 3, |_, _| normal(&mut rng));
        let y: Vec<i64> = (0..n).map(|_| below(&mut rng, k) as i64).collect();
        let w: Vec<f64> = (0..n).map(|_| (below(&mut rng, 4) + 1) as f64).collect();
        let data =
            Dataset::new(&x).with_target(Target::classes(&y)).unwrap().with_weights(w.clone()).unwrap();
        let learner = DecisionTreeClassifier::default().criterion(ClassificationCriterion::Error);
        let model = learner.max_depth(Some(1)).fit(&data).unwrap();
        let wrong = |keep: &dyn Fn(usize) -> bool| {
            let mut totals = vec![0.0; k];
            (0..n).filter(|&i| keep(i)).for_each(|i| totals[y[i] as usize] += w[i]);
            totals.iter().sum::<f64>() - totals.iter().fold(0.0, |a: f64, b| a.max(*b))
        };
        let cut = |j: usize, t: f64| wrong(&|i| x[(i, j)] <= t) + wrong(&|i| x[(i, j)] > t);
        let best = (0..3).flat_map(|j| (0..n).map(move |i| (j, i))).map(|(j, i)| cut(j, x[(i, j)]));
        let best = best.fold(f64::INFINITY, f64::min);
        let Some(split) = model.tree.node(0).unwrap().split else { panic!("not split") };
        let Test::AtMost(t) = split.test else { panic!("a number") };
        assert_eq!(cut(split.feature, t), best, "round {round}");
        let root = model.tree.node(0).unwrap();
        assert!(close(root.impurity, wrong(&|_| true) / root.weight, 1e-9));
    }
}

#[test]
fn error_and_gini_differ_where_the_textbook_says() {
    // (40, 40) into (30, 10) + (10, 30) by x0, 20 errors, or into (22, 40) + (18, 0) by x1, 22 errors: Gini's index
    // prefers the pure child, 0.355 to 0.375.
    let mut rows = Vec::new();
    let mut y = Vec::new();
    for (x0, x1, class, copies) in
        [(0., 0., 0, 12), (0., 1., 0, 18), (1., 0., 0, 10), (0., 0., 1, 10), (1., 0., 1, 30)]
    {
        rows.extend(std::iter::repeat_n([x0, x1], copies));
        y.extend(std::iter::repeat_n(class, copies));
    }
    let x = Mat::from_rows(&rows).unwrap();
    let data = Dataset::new(&x).with_target(Target::classes::<i64>(&y)).unwrap();
    let root = |criterion| {
        let model =
            DecisionTreeClassifier::default().criterion(criterion).max_depth(Some(1)).fit(&data).unwrap();
        model.tree.node(0).unwrap().split.unwrap().feature
    };
    assert_eq!((root(ClassificationCriterion::Error), root(ClassificationCriterion::Gini)), (0, 1));
}

#[test]
fn tests_with_small_leaves_are_removed() {
    let mut rng = rng_for(5, 5);
    let x = Mat::from_fn(300, 3, |_, _| normal(&mut rng));
    let y: Vec<i64> = (0..300).map(|i| i64::from(x[(i, 0)] + normal(&mut rng) > 0.0)).collect();
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let full = DecisionTreeClassifier::default().fit(&data).unwrap();
    let pruned = DecisionTreeClassifier::default().min_instances(10.0).fit(&data).unwrap();
    assert!(pruned.tree.n_nodes() < full.tree.n_nodes() && pruned.tree.n_nodes() > 1);
    let node = |i: usize| pruned.tree.node(i).unwrap();
    for split in (0..pruned.tree.n_nodes()).filter_map(|i| node(i).split) {
        let children = [node(split.left), node(split.right)];
        let leaves = children.iter().all(|c| c.split.is_none());
        assert!(!leaves || children.iter().all(|c| c.weight >= 10.0));
    }
    assert!(pruned.verify(&data).unwrap().iter().all(|v| v.holds));
}

#[test]
fn validation_rows_decide_what_stays() {
    let mut rng = rng_for(6, 6);
    let mut make = |n: usize| {
        let x = Mat::from_fn(n, 3, |_, _| normal(&mut rng));
        let noise: Vec<bool> = (0..n).map(|_| uniform(&mut rng) < 0.2).collect();
        let y: Vec<&str> = (0..n).map(|i| if (x[(i, 0)] > 0.0) ^ noise[i] { "yes" } else { "no" }).collect();
        Dataset::new(x).with_target(Target::classes(&y)).unwrap()
    };
    let (train, valid) = (make(300), make(150));
    let learner = DecisionTreeClassifier::default();
    let full = learner.clone().fit(&train).unwrap();
    let with = learner.reduced_error(true);
    let error = with.fit(&train).unwrap_err().to_string();
    assert!(error.contains("reduced_error") && error.contains("validation"), "{error}");
    let pruned = with.fit(&train.clone().with_valid(valid.clone())).unwrap();
    assert!(pruned.tree.n_leaves() < full.tree.n_leaves() / 4, "{}", pruned.tree.n_leaves());
    let errors = |model: &mercer_core::Trained<DecisionTreeClassifier>| {
        let (found, truth) = (model.predict(valid.input()).unwrap(), valid.target().unwrap());
        found.class().unwrap().0.iter().zip(truth.class().unwrap().0).filter(|(a, b)| a != b).count()
    };
    assert!(errors(&pruned) <= errors(&full));
    // Every test that stays earns its place on the rows that come by it.
    let leaves = pruned.tree.apply(&valid.input(), &Session::default()).unwrap();
    let truth = valid.target().unwrap();
    let codes = truth.class().unwrap().0;
    let says =
        |i: usize| u32::from(pruned.tree.node(i).unwrap().value[1] > pruned.tree.node(i).unwrap().value[0]);
    let mut end = vec![0; pruned.tree.n_nodes()];
    for i in (0..end.len()).rev() {
        end[i] = pruned.tree.node(i).unwrap().split.map_or(i + 1, |s| end[s.right]);
        let here: Vec<usize> = (0..150).filter(|&r| (i..end[i]).contains(&(leaves[r] as usize))).collect();
        let as_leaf = here.iter().filter(|&&r| codes[r] != says(i)).count();
        let as_tree = here.iter().filter(|&&r| codes[r] != says(leaves[r] as usize)).count();
        assert!(end[i] == i + 1 || as_tree < as_leaf, "node {i}: {as_tree} against {as_leaf}");
    }
}

#[test]
fn validation_rows_prune_regression_trees_too() {
    let mut rng = rng_for(9, 9);
    let mut make = |n: usize| {
        let x = Mat::from_fn(n, 2, |_, _| normal(&mut rng));
        let y: Vec<f64> = (0..n).map(|i| f64::from(x[(i, 0)] > 0.0) + 0.5 * normal(&mut rng)).collect();
        Dataset::new(x).with_target(Target::real(y)).unwrap()
    };
    let (train, valid) = (make(300), make(150));
    let full = DecisionTreeRegressor::default().fit(&train).unwrap();
    let data = train.with_valid(valid);
    let pruned = DecisionTreeRegressor::default().reduced_error(true).fit(&data).unwrap();
    assert!(pruned.tree.n_leaves() >= 2 && pruned.tree.n_leaves() < full.tree.n_leaves() / 4);
    let path = pruned.decision_path(&data.input(), pruned.schema(), 0).unwrap();
    assert!(path[0].starts_with("x0"), "{path:?}");
    let json: Value = serde_json::from_str(&pruned.to_json(pruned.schema())).unwrap();
    assert_eq!(json["nodes"].as_array().unwrap().len(), pruned.tree.n_nodes());
}
