//! Trees against scikit-learn's, split for split.

mod peer;

use mercer_core::{CountOrShare, Dataset, Fit, Session, Target};
use mercer_trees::{
    ClassWeight, ClassificationCriterion, DecisionTreeClassifier, DecisionTreeRegressor, PruningPath,
    RegressionCriterion,
};
use peer::{case, close, matrix, numbers, same};
use serde_json::Value;

fn reference() -> Value {
    mercer_testkit::reference(include_str!("reference/trees.json"))
}

fn same_path(name: &str, path: &PruningPath, expected: &Value) {
    let (alphas, impurities) = (numbers(&expected["alphas"]), numbers(&expected["impurities"]));
    // scikit-learn keeps a step for every link; ours falls together where the strengths are equal.
    let steps = alphas.iter().zip(&impurities);
    for (a, r) in path.ccp_alphas.iter().zip(&path.impurities) {
        assert!(
            steps.clone().any(|(b, s)| close(*a, *b) && close(*r, *s)),
            "{name}: {a} {r} not in {alphas:?}"
        );
    }
    assert!(close(*path.ccp_alphas.last().unwrap(), *alphas.last().unwrap()), "{name}");
}

#[test]
fn classifiers_are_those_of_scikit_learn() {
    let all = reference();
    let (x, holes, weights) = (matrix(&all["x"]), matrix(&all["holes"]), numbers(&all["weights"]));
    let classes =
        |key: &str| Target::classes(&numbers(&all[key]).iter().map(|&v| v as i64).collect::<Vec<_>>());
    let three = Dataset::new(&x).with_target(classes("three")).unwrap();
    let two = Dataset::new(&x).with_target(classes("two")).unwrap();
    let gappy = Dataset::new(&holes).with_target(classes("three")).unwrap();
    let weighted = two.clone().with_weights(weights).unwrap();
    let base = || DecisionTreeClassifier::default().min_samples_leaf(CountOrShare::Count(8));
    let shallow = || base().max_depth(Some(3));
    let cases = [
        ("gini3", shallow(), &three),
        ("entropy3", shallow().criterion(ClassificationCriterion::Entropy), &three),
        ("gini2", shallow().min_samples_leaf(CountOrShare::Count(40)), &two),
        ("gini2weighted", shallow(), &weighted),
        (
            "gini2balanced",
            shallow().class_weight(Some(ClassWeight::Balanced)).min_samples_leaf(CountOrShare::Count(40)),
            &two,
        ),
        ("gini3best", base().max_leaf_nodes(Some(7)), &three),
        ("gini3ccp", base().ccp_alpha(0.02), &three),
        ("gini3missing", shallow(), &gappy),
    ];
    for (name, learner, data) in cases {
        let model = learner.fit(data).unwrap();
        same(name, &model.tree, &case(&all, name)["nodes"]);
        assert!(model.verify(data).unwrap().iter().all(|v| v.holds), "{name}");
    }
    let path = shallow().cost_complexity_pruning_path(&three, &Session::default()).unwrap();
    same_path("gini3", &path, &case(&all, "gini3")["path"]);
}

#[test]
fn regressors_are_those_of_scikit_learn() {
    let all = reference();
    let (x, holes, weights) = (matrix(&all["x"]), matrix(&all["holes"]), numbers(&all["weights"]));
    let real = |x, key: &str| Dataset::new(x).with_target(Target::real(numbers(&all[key]))).unwrap();
    let plain = real(&x, "real");
    let weighted = plain.clone().with_weights(weights).unwrap();
    let both = Target::multi(vec![numbers(&all["real"]), numbers(&all["real2"])]).unwrap();
    let both = Dataset::new(&x).with_target(both).unwrap();
    let depth =
        |d| DecisionTreeRegressor::default().max_depth(Some(d)).min_samples_leaf(CountOrShare::Count(8));
    let cases = [
        ("squared", depth(4), plain.clone()),
        ("squaredweighted", depth(4), weighted),
        ("squaredmissing", depth(4), real(&holes, "real")),
        ("squared2", depth(4), both),
        ("absolute", depth(3).criterion(RegressionCriterion::AbsoluteError), plain.clone()),
        ("poisson", depth(3).criterion(RegressionCriterion::Poisson), real(&x, "counts")),
    ];
    for (name, learner, data) in cases {
        let model = learner.fit(&data).unwrap();
        same(name, &model.tree, &case(&all, name)["nodes"]);
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{name}");
    }
    let path = depth(4).cost_complexity_pruning_path(&plain, &Session::default()).unwrap();
    same_path("squared", &path, &case(&all, "squared")["path"]);
}
