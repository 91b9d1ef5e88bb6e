//! What trees must do whatever the data.

use mercer_core::{
    Cancel, Column, CountOrShare, Dataset, Fit, Input, Session, Table, Target, Termination, Trained,
};
use mercer_math::{Mat, below, normal, rng_for};
use mercer_trees::{
    ClassificationCriterion, DecisionTreeClassifier, DecisionTreeRegressor, MaxFeatures, RegressionCriterion,
    Splitter, Test, Ties,
};

fn classes(y: &[i64]) -> Target<'static> {
    Target::classes(y)
}

fn problem(n: usize, d: usize, k: i64) -> (Mat, Vec<i64>, Vec<f64>) {
    let mut rng = rng_for(5, n as u64);
    let x = Mat::from_fn(n, d, |_, _| normal(&mut rng));
    let score = |i: usize| x.row(i)[0] * x.row(i)[1 % d] + x.row(i)[2 % d];
    let y = (0..n).map(|i| ((score(i) + 3.0) as i64).rem_euclid(k)).collect();
    let real = (0..n).map(score).collect();
    (x, y, real)
}

#[test]
fn a_tree_worked_by_hand() {
    // Cutting x0 at 2 leaves 1/3 impure on the right; x1 separates only one row.
    let x = Mat::from_rows(&[[1.0, 5.0], [1.0, 6.0], [3.0, 5.0], [3.0, 6.0], [3.0, 7.0]]).unwrap();
    let data = Dataset::new(&x).with_target(classes(&[0, 0, 1, 1, 0])).unwrap();
    let model = DecisionTreeClassifier::default().fit(&data).unwrap();
    let root = model.tree.node(0).unwrap();
    assert!((root.impurity - 0.48).abs() < 1e-15);
    let split = root.split.unwrap();
    assert_eq!((split.feature, split.test), (0, Test::AtMost(2.0)));
    assert_eq!(model.tree.node(2).unwrap().split.unwrap().test, Test::AtMost(6.5));
    assert_eq!((model.tree.n_leaves(), model.tree.depth()), (3, 2));
    let text = model.to_text(model.schema());
    assert!(text.contains("|--- x0 <= 2") && text.contains("|   |--- x1 > 6.5"), "{text}");
    assert_eq!(model.to_rules(model.schema()).len(), 3);
    assert!(
        model.to_rules(model.schema())[1].starts_with("if x0 > 2"),
        "{:?}",
        model.to_rules(model.schema())
    );
    assert_eq!(model.certificate().evidence[0].value, 0.0);
}

#[test]
fn thresholds_are_never_rounded_up() {
    let (a, b) = (1.0, 1.0 + f64::EPSILON);
    let x = Mat::from_rows(&[[a], [b]]).unwrap();
    let data = Dataset::new(&x).with_target(classes(&[0, 1])).unwrap();
    let model = DecisionTreeClassifier::default().fit(&data).unwrap();
    assert_eq!(model.predict(&x).unwrap().class().unwrap().0, &[0, 1]);
}

#[test]
fn weights_are_copies_and_rows_of_weight_zero_are_absent() {
    let (x, y, real) = problem(300, 5, 3);
    let weights: Vec<f64> = (0..300).map(|i| f64::from(i % 3)).collect();
    let copies: Vec<usize> = (0..300).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let class = Dataset::new(&x).with_target(classes(&y)).unwrap();
    let number = Dataset::new(&x).with_target(Target::real(real)).unwrap();
    for criterion in [ClassificationCriterion::Gini, ClassificationCriterion::Entropy] {
        let learner = DecisionTreeClassifier::default().criterion(criterion).max_depth(Some(6));
        let a = learner.fit(&class.clone().with_weights(weights.clone()).unwrap()).unwrap();
        let b = learner.fit(&class.subset(&copies).unwrap()).unwrap();
        assert_eq!(a.predict_proba(&x).unwrap().as_slice(), b.predict_proba(&x).unwrap().as_slice());
    }
    for criterion in [RegressionCriterion::SquaredError, RegressionCriterion::AbsoluteError] {
        let learner = DecisionTreeRegressor::default().criterion(criterion).max_depth(Some(6));
        let a = learner.fit(&number.clone().with_weights(weights.clone()).unwrap()).unwrap();
        let b = learner.fit(&number.subset(&copies).unwrap()).unwrap();
        let (a, b) = (a.predict(&x).unwrap(), b.predict(&x).unwrap());
        let pairs = a.numbers().unwrap().iter().zip(b.numbers().unwrap());
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-9), "{criterion:?}");
    }
}

#[test]
fn the_number_of_threads_and_the_order_of_rows_change_nothing() {
    let (x, y, real) = problem(30_000, 6, 2);
    let data = Dataset::new(&x).with_target(classes(&y)).unwrap();
    let number = Dataset::new(&x).with_target(Target::real(real)).unwrap();
    let fit =
        |t: usize, l: &DecisionTreeClassifier| l.fit_in(&data, &Session::new(3).with_threads(t)).unwrap();
    let random =
        DecisionTreeClassifier::default().max_features(Some(MaxFeatures::Sqrt)).splitter(Splitter::Random);
    for learner in [DecisionTreeClassifier::default(), random.clone()] {
        assert_eq!(fit(1, &learner).tree, fit(3, &learner).tree);
    }
    assert_ne!(random.fit_in(&data, &Session::new(4)).unwrap().tree, fit(1, &random).tree);
    let learner = DecisionTreeRegressor::default().min_samples_leaf(CountOrShare::Count(5));
    let one = learner.fit_in(&number, &Session::new(0).with_threads(1)).unwrap();
    assert_eq!(one.tree, learner.fit_in(&number, &Session::new(0).with_threads(3)).unwrap().tree);
    let backwards: Vec<usize> = (0..30_000).rev().collect();
    let turned = DecisionTreeClassifier::default().fit(&data.subset(&backwards).unwrap()).unwrap();
    assert_eq!(turned.tree, fit(2, &DecisionTreeClassifier::default()).tree);
}

#[test]
fn odd_data_are_taken() {
    let fit = |x: &Mat, y: &[i64]| {
        let data = Dataset::new(x).with_target(classes(y)).unwrap();
        let model = DecisionTreeClassifier::default().fit(&data).unwrap();
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
        model.tree.n_nodes()
    };
    assert_eq!(fit(&Mat::from_rows(&[[1.0]]).unwrap(), &[7]), 1);
    assert_eq!(fit(&Mat::from_fn(5, 2, |_, _| 3.0), &[0, 1, 0, 1, 0]), 1, "constant columns");
    assert_eq!(fit(&Mat::from_fn(5, 2, |i, j| (i + j) as f64), &[4; 5]), 1, "one class");
    assert_eq!(fit(&Mat::from_fn(4, 1, |_, _| f64::NAN), &[0, 1, 0, 1]), 1, "nothing but missing values");
    assert_eq!(fit(&Mat::from_fn(4, 1, |i, _| if i < 2 { f64::NAN } else { 1.0 }), &[0, 0, 1, 1]), 3);
    assert_eq!(
        fit(&Mat::from_fn(20, 10_000, |i, j| f64::from(u32::from(j == 9_999 && i > 9))), &{
            let mut y = [0; 20];
            y[10..].fill(1);
            y
        }),
        3
    );
}

#[test]
fn a_chain_as_deep_as_its_rows_overflows_nothing() {
    let n = 20_000;
    let x = Mat::from_fn(n, 1, |i, _| i as f64);
    let y: Vec<i64> = (0..n as i64).map(|i| i % 2).collect();
    let data = Dataset::new(&x).with_target(classes(&y)).unwrap();
    let model = DecisionTreeClassifier::default().fit(&data).unwrap();
    assert!(model.tree.depth() > n / 2, "{}", model.tree.depth());
    assert_eq!(model.certificate().evidence[0].value, 0.0);
    let some: Vec<usize> = (0..n).step_by(97).collect();
    assert!(model.verify(&data.subset(&some).unwrap()).unwrap()[0].holds);
}

#[test]
fn cancelled_trees_are_smaller_and_whole() {
    let (x, y, _) = problem(20_000, 4, 2);
    let data = Dataset::new(&x).with_target(classes(&y)).unwrap();
    let cancel = Cancel::default();
    cancel.cancel();
    let session = Session::new(0).with_cancel(cancel);
    let model = DecisionTreeClassifier::default().fit_in(&data, &session).unwrap();
    assert_eq!(model.certificate().termination, Termination::Cancelled);
    assert_eq!(model.tree.n_nodes(), 1);

    struct Stop(Cancel);
    impl mercer_core::Observer for Stop {
        fn progress(&self, p: &mercer_core::Progress<'_>) {
            if p.done > 2000 {
                self.0.cancel();
            }
        }
    }
    let cancel = Cancel::default();
    let observer = std::sync::Arc::new(Stop(cancel.clone()));
    let session = Session::new(0).with_cancel(cancel).with_observer(observer);
    let model = DecisionTreeClassifier::default().fit_in(&data, &session).unwrap();
    assert_eq!(model.certificate().termination, Termination::Cancelled);
    assert!(model.tree.n_nodes() > 1 && model.verify(&data).unwrap()[0].holds);
}

/// Weighted squared error of the best subset of levels, by looking at all of them.
fn best_subset(levels: &[u32], k: u32, y: &[f64]) -> f64 {
    let loss = |side: bool, set: u32| {
        let own: Vec<f64> =
            (0..y.len()).filter(|&i| (set >> levels[i] & 1 == 1) == side).map(|i| y[i]).collect();
        let mean = own.iter().sum::<f64>() / own.len().max(1) as f64;
        own.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>()
    };
    (1..(1u32 << k) - 1).map(|set| loss(true, set) + loss(false, set)).fold(f64::INFINITY, f64::min)
}

#[test]
fn subsets_of_levels_are_optimal() {
    let mut rng = rng_for(9, 0);
    for round in 0..20 {
        let k = 7;
        let levels: Vec<u32> =
            (0..60).map(|i| if i < k { i as u32 } else { below(&mut rng, k) as u32 }).collect();
        let names: Vec<Option<String>> = levels.iter().map(|l| Some(format!("l{l}"))).collect();
        let table = Table::new(vec![("c".into(), Column::categories(&names))]).unwrap();
        let real: Vec<f64> = (0..60).map(|_| normal(&mut rng)).collect();
        let data = Dataset::new(&table).with_target(Target::real(real.clone())).unwrap();
        let model = DecisionTreeRegressor::default().max_depth(Some(1)).fit(&data).unwrap();
        let found = model.certificate().evidence[0].value * 60.0;
        assert!((found - best_subset(&levels, k as u32, &real)).abs() < 1e-9, "round {round}");
        assert!(model.verify(&data).unwrap()[0].holds);
        let y: Vec<i64> = real.iter().map(|v| i64::from(*v > 0.0)).collect();
        let as_real: Vec<f64> = y.iter().map(|&v| v as f64).collect();
        let data = Dataset::new(&table).with_target(classes(&y)).unwrap();
        let model = DecisionTreeClassifier::default().max_depth(Some(1)).fit(&data).unwrap();
        // Gini's index is twice the variance of the second class's indicator.
        let gini: f64 = (1..3).map(|i| model.tree.node(i).unwrap()).map(|n| n.weight * n.impurity).sum();
        assert!((gini / 2.0 - best_subset(&levels, k as u32, &as_real)).abs() < 1e-9, "round {round}");
    }
}

#[test]
fn missing_and_unseen_levels_follow_the_learnt_direction() {
    let values = [Some("a"), Some("a"), Some("b"), Some("b"), None, None];
    let table = Table::new(vec![("c".into(), Column::categories(&values))]).unwrap();
    let data = Dataset::new(&table).with_target(classes(&[0, 0, 1, 1, 1, 1])).unwrap();
    let model = DecisionTreeClassifier::default().fit(&data).unwrap();
    assert_eq!(model.tree.n_nodes(), 3);
    let asked = Table::new(vec![("c".into(), Column::categories(&[Some("zzz"), None, Some("a")]))]).unwrap();
    assert_eq!(model.predict(&asked).unwrap().class().unwrap().0, &[1, 1, 0]);
}

#[test]
fn hostile_bytes_are_refused_or_harmless() {
    let (x, y, _) = problem(80, 3, 3);
    let levels: Vec<Option<String>> = y.iter().map(|v| Some(format!("l{}", v * 40))).collect();
    let column = |j: usize| Column::numbers(x.col(j));
    let table = Table::new(vec![
        ("a".into(), column(0)),
        ("b".into(), column(1)),
        ("c".into(), Column::categories(&levels)),
    ]);
    let table = table.unwrap();
    let data = Dataset::new(&table).with_target(classes(&y)).unwrap();
    for learner in
        [DecisionTreeClassifier::default(), DecisionTreeClassifier::default().max_leaf_nodes(Some(4))]
    {
        let model = learner.fit(&data).unwrap();
        let encoded = model.as_model().encode().unwrap();
        let read = Trained::<DecisionTreeClassifier>::decode(encoded.version, &encoded.bytes).unwrap();
        assert_eq!(read.tree, model.tree);
        for at in 0..encoded.bytes.len() {
            for bit in 0..8 {
                let mut bytes = encoded.bytes.clone();
                bytes[at] ^= 1 << bit;
                if let Ok(read) = Trained::<DecisionTreeClassifier>::decode(encoded.version, &bytes) {
                    let _ = read.as_model().predict(&Input::from(&table), &Session::new(0).with_threads(1));
                    let _ = (read.to_text(read.schema()), read.attributes());
                }
            }
        }
    }
}

#[test]
fn bad_parameters_are_named() {
    let x = Mat::from_fn(4, 1, |i, _| i as f64);
    let data = Dataset::new(&x).with_target(classes(&[0, 1, 0, 1])).unwrap();
    let error = |l: DecisionTreeClassifier| l.fit(&data).unwrap_err().to_string();
    let base = DecisionTreeClassifier::default;
    assert!(error(base().min_samples_leaf(CountOrShare::Count(0))).contains("min_samples_leaf"));
    assert!(error(base().min_samples_split(CountOrShare::Share(f64::NAN))).contains("min_samples_split"));
    assert!(
        error(base().max_features(Some(MaxFeatures::Of(CountOrShare::Share(1.5))))).contains("max_features")
    );
    assert!(error(base().max_depth(Some(0))).contains("max_depth"));
    let counts = Dataset::new(&x).with_target(Target::real(vec![1.0, -1.0, 0.0, 2.0])).unwrap();
    let poisson = DecisionTreeRegressor::default().criterion(RegressionCriterion::Poisson);
    assert!(poisson.fit(&counts).unwrap_err().to_string().contains("poisson"));
}

/// Two columns that are the same: the first is always taken, unless ties are drawn.
#[test]
fn ties_between_features_fall_by_the_seed_where_asked() {
    let x = Mat::from_fn(40, 4, |i, j| ((i * 7 + 3 * (j / 2) * i * i) % 11) as f64);
    let y: Vec<f64> = (0..40).map(|i| x[(i, 0)] + 0.5 * x[(i, 2)]).collect();
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let used = |ties, seed| {
        let tree = DecisionTreeRegressor::default().max_depth(Some(3)).ties(ties);
        let model = tree.fit_in(&data, &Session::default().with_seed(seed)).unwrap();
        let outline = model.outline(model.schema());
        let features: Vec<usize> = outline.nodes.iter().filter_map(|n| n.feature).collect();
        (features, model.predict(&x).unwrap().numbers().unwrap().to_vec())
    };
    let (first, answers) = used(Ties::First, 1);
    assert!(first.iter().all(|j| j % 2 == 0), "{first:?}");
    let drawn: Vec<_> = (0..8).map(|seed| used(Ties::Random, seed)).collect();
    assert!(drawn.iter().any(|(features, _)| features.iter().any(|j| j % 2 == 1)));
    assert!(drawn.iter().any(|d| d.0 != drawn[0].0), "another seed takes other columns");
    assert!(drawn.iter().all(|(_, same)| *same == answers), "equal columns, equal answers");
}
