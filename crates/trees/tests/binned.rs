//! `max_bins` of single trees: the histograms of the forests, which find the exact tree where every value has its bin.

use mercer_core::{Cancel, Column, CountOrShare, Dataset, Fit, Input, Session, Table, Target, Termination};
use mercer_math::{Mat, below, normal, rng_for};
use mercer_trees::{
    ClassWeight, ClassificationCriterion, DecisionTreeClassifier, DecisionTreeRegressor, Interactions,
    MaxFeatures, Monotonic, RegressionCriterion, Splitter, Tree,
};

/// Columns of at most 50 values each, and an answer that all of them tell something of.
fn rows(n: usize, missing: bool) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(11, n as u64);
    let mut x = Mat::from_fn(n, 5, |_, j| (below(&mut rng, 10 * (j + 1)) as f64).sqrt());
    let y = |r: &[f64]| r[0] * r[1] + (3.0 * r[2]).sin() - 0.4 * r[3] + r[4].powi(2) / 30.0;
    let y = (0..n).map(|i| y(x.row(i)) + normal(&mut rng)).collect();
    if missing {
        (0..n).for_each(|i| x[(i, 1 + i % 4)] = if i % 3 == 0 { f64::NAN } else { x[(i, 1 + i % 4)] });
    }
    (x, y)
}

fn labels(y: &[f64], k: i64) -> Target<'static> {
    Target::classes(&y.iter().map(|v| (*v as i64).rem_euclid(k)).collect::<Vec<_>>())
}

/// The same splits, and nodes that know the same.
fn same(a: &Tree, b: &Tree, what: &str) {
    assert_eq!(a.n_nodes(), b.n_nodes(), "{what}");
    assert!(a.n_nodes() > 9, "{what}");
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
    for i in 0..a.n_nodes() {
        let (a, b) = (a.node(i).unwrap(), b.node(i).unwrap());
        assert_eq!((a.split, a.rows), (b.split, b.rows), "{what}: node {i}");
        assert!(close(a.weight, b.weight) && close(a.impurity, b.impurity), "{what}: node {i}");
        assert!(a.value.iter().zip(b.value).all(|(a, b)| close(*a, *b)), "{what}: node {i}");
    }
}

fn same_classes(learner: DecisionTreeClassifier, data: &Dataset<'_>) {
    let (exact, binned) = (learner.fit(data).unwrap(), learner.clone().max_bins(Some(64)).fit(data).unwrap());
    same(&binned.tree, &exact.tree, &format!("{learner:?}"));
    let evidence = |m: &mercer_core::Certificate| m.evidence[0].value;
    assert!((evidence(exact.certificate()) - evidence(binned.certificate())).abs() < 1e-12);
    assert!(binned.verify(data).unwrap().iter().all(|v| v.holds), "{learner:?}");
}

fn same_numbers(learner: DecisionTreeRegressor, data: &Dataset<'_>) {
    let (exact, binned) = (learner.fit(data).unwrap(), learner.clone().max_bins(Some(64)).fit(data).unwrap());
    same(&binned.tree, &exact.tree, &format!("{learner:?}"));
    assert!(binned.verify(data).unwrap().iter().all(|v| v.holds), "{learner:?}");
}

fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| [1.0, 0.5, 0.0, 2.0, 1.75][i % 5]).collect()
}

#[test]
fn a_bin_for_every_value_gives_the_exact_tree_of_classes() {
    for missing in [false, true] {
        // So many rows that subtrees are handed off.
        let (x, y) = rows(20_000, missing);
        let plain = DecisionTreeClassifier::default();
        for k in [2, 3, 7, 12, 20] {
            let data = Dataset::new(&x).with_target(labels(&y, k)).unwrap();
            let leaf = plain.clone().min_samples_leaf(CountOrShare::Count(15));
            same_classes(leaf.clone(), &data);
            same_classes(leaf.clone().criterion(ClassificationCriterion::Entropy), &data);
            let weighted = data.with_weights(weights(20_000)).unwrap();
            same_classes(leaf.clone(), &weighted);
            same_classes(leaf.class_weight(Some(ClassWeight::Balanced)), &weighted);
        }
        let data = Dataset::new(&x).with_target(labels(&y, 2)).unwrap();
        same_classes(plain.clone(), &data);
        same_classes(plain.clone().max_depth(Some(6)), &data);
        same_classes(plain.clone().max_leaf_nodes(Some(60)), &data);
        same_classes(plain.clone().min_weight_fraction_leaf(0.01), &data);
        same_classes(plain.clone().min_impurity_decrease(1e-4), &data);
        same_classes(plain.clone().ccp_alpha(1e-4), &data);
        same_classes(plain.clone().min_instances(20.0), &data);
        let sets = Some(Interactions::Sets(vec![vec!["0".into(), "1".into()], vec!["1".into(), "4".into()]]));
        same_classes(plain.clone().interaction_cst(sets), &data);
        let held = data.clone().with_valid(data.subset(&(0..5000).collect::<Vec<_>>()).unwrap());
        same_classes(plain.reduced_error(true), &held);
    }
}

#[test]
fn a_bin_for_every_value_gives_the_exact_tree_of_numbers() {
    for missing in [false, true] {
        let (x, y) = rows(20_000, missing);
        let counts: Vec<f64> = y.iter().map(|v| v.abs().floor()).collect();
        let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
        let leaf = DecisionTreeRegressor::default().min_samples_leaf(CountOrShare::Count(15));
        same_numbers(leaf.clone(), &data);
        same_numbers(leaf.clone().max_leaf_nodes(Some(60)), &data);
        same_numbers(leaf.clone().ccp_alpha(1e-2), &data);
        same_numbers(leaf.clone(), &data.with_weights(weights(20_000)).unwrap());
        let data = Dataset::new(&x).with_target(Target::real(counts)).unwrap();
        same_numbers(leaf.criterion(RegressionCriterion::Poisson).max_depth(Some(6)), &data);
    }
}

#[test]
fn levels_are_split_as_in_exact_trees() {
    let (x, y) = rows(3000, true);
    let columns = (0..5).map(|j| {
        let level = |i: usize| (!x[(i, j)].is_nan()).then(|| format!("level {:.3}", x[(i, j)]));
        let levels = || (0..3000).map(level).collect::<Vec<_>>();
        (format!("x{j}"), if j % 2 == 1 { Column::categories(&levels()) } else { Column::numbers(x.col(j)) })
    });
    let table = Table::new(columns.collect()).unwrap();
    let deep = CountOrShare::Count(30);
    // With these weights no two levels have the same share: which comes first would be a matter of codes or of bins.
    let weights = (0..3000).map(|i| 1.0 + (f64::from(i) * 0.618).fract()).collect::<Vec<_>>();
    let data = Dataset::new(&table).with_target(labels(&y, 2)).unwrap().with_weights(weights).unwrap();
    same_classes(DecisionTreeClassifier::default().min_samples_leaf(deep), &data);
    let data = Dataset::new(&table).with_target(Target::real(y)).unwrap();
    same_numbers(DecisionTreeRegressor::default().min_samples_leaf(deep), &data);
}

/// As in forests, what histograms cannot do is split exactly.
#[test]
fn the_rest_is_split_exactly() {
    let mut rng = rng_for(3, 9);
    let x = Mat::from_fn(900, 3, |_, _| normal(&mut rng));
    let y: Vec<f64> = (0..900).map(|i| x[(i, 0)] - x[(i, 1)] + 0.2 * normal(&mut rng)).collect();
    let of = |target| Dataset::new(&x).with_target(target).unwrap();
    let (two, many) = (labels(&y, 2), Target::classes(&(0..900).map(|i| i % 70).collect::<Vec<i64>>()));
    let several = Target::multi(vec![y.clone(), y.iter().map(|v| v * v).collect::<Vec<_>>()]).unwrap();
    let signs = Some(Monotonic::ByPlace(vec![1, 0, 0]));
    let class = DecisionTreeClassifier::default();
    for (learner, target) in [
        (class.clone().criterion(ClassificationCriterion::Error), two.clone()),
        (class.clone().monotonic_cst(signs.clone()), two),
        (class, many),
    ] {
        let (data, bins) = (of(target), Some(8));
        assert_eq!(learner.fit(&data).unwrap().tree, learner.clone().max_bins(bins).fit(&data).unwrap().tree);
    }
    let number = DecisionTreeRegressor::default();
    let absolute = number.clone().criterion(RegressionCriterion::AbsoluteError);
    let real = Target::real(y);
    for (learner, target) in
        [(absolute, real.clone()), (number.clone().monotonic_cst(signs), real), (number, several)]
    {
        let (data, bins) = (of(target), Some(8));
        assert_eq!(learner.fit(&data).unwrap().tree, learner.clone().max_bins(bins).fit(&data).unwrap().tree);
    }
}

#[test]
fn few_bins_cut_between_bins_and_limits_hold() {
    let mut rng = rng_for(4, 9);
    let x = Mat::from_fn(5000, 2, |_, _| normal(&mut rng));
    let y: Vec<f64> = (0..5000).map(|i| x[(i, 0)] + 0.1 * x[(i, 1)]).collect();
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let learner =
        DecisionTreeRegressor::default().max_bins(Some(8)).min_samples_leaf(CountOrShare::Count(50));
    let model = learner.fit(&data).unwrap();
    let mut cuts: Vec<(usize, u64)> = (0..model.tree.n_nodes())
        .filter_map(|i| model.tree.node(i).unwrap().split)
        .map(|split| match split.test {
            mercer_trees::Test::AtMost(t) => (split.feature, t.to_bits()),
            mercer_trees::Test::In(_) => panic!("a set of numbers"),
        })
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    assert!(cuts.len() <= 2 * 7, "{}", cuts.len());
    assert!((0..model.tree.n_nodes()).all(|i| model.tree.node(i).unwrap().rows >= 50));
    for bad in [0, 1, 256] {
        let error = learner.clone().max_bins(Some(bad)).fit(&data).unwrap_err().to_string();
        assert!(error.contains("max_bins"), "{error}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut rng = rng_for(5, 9);
    let x = Mat::from_fn(30_000, 6, |_, _| normal(&mut rng));
    let y: Vec<f64> = (0..30_000).map(|i| x[(i, 0)] * x[(i, 1)] + normal(&mut rng)).collect();
    let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
    let class = Dataset::new(&x).with_target(labels(&y, 3)).unwrap();
    for (splitter, drawn) in [(Splitter::Best, None), (Splitter::Random, Some(MaxFeatures::Sqrt))] {
        let learner = DecisionTreeRegressor::default().splitter(splitter).max_features(drawn);
        let learner = learner.max_bins(Some(255));
        let of = |threads| Session::new(3).with_threads(threads);
        let fit = |threads| learner.fit_in(&data, &of(threads)).unwrap().encode().unwrap().bytes;
        assert!(fit(1) == fit(2) && fit(1) == fit(5));
        let learner = DecisionTreeClassifier::default().splitter(splitter).max_features(drawn);
        let learner = learner.max_bins(Some(255));
        let fit = |threads| learner.fit_in(&class, &of(threads)).unwrap().encode().unwrap().bytes;
        assert!(fit(1) == fit(2));
        let tree = |seed| learner.fit_in(&class, &Session::new(seed)).unwrap().tree.clone();
        assert_eq!(tree(3) == tree(4), drawn.is_none());
    }
}

#[test]
fn a_stopped_tree_is_what_there_is() {
    let (x, y) = rows(3000, false);
    let cancel = Cancel::default();
    cancel.cancel();
    let session = Session::new(0).with_cancel(cancel);
    let data = Dataset::new(&x).with_target(labels(&y, 2)).unwrap();
    let model = DecisionTreeClassifier::default().max_bins(Some(9)).fit_in(&data, &session).unwrap();
    assert_eq!(model.certificate().termination, Termination::Cancelled);
    assert_eq!(model.tree.n_nodes(), 1);
    let said = model.as_model().predict(&Input::from(&x), &Session::default()).unwrap();
    assert_eq!(said.n_rows(), 3000);
}
