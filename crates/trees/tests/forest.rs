//! What forests must do whatever the data.

use mercer_core::{
    Cancel, Column, CountOrShare, Dataset, Fit, Input, Session, Table, Target, Termination, Trained,
};
use mercer_math::{Mat, normal, rng_for};
use mercer_trees::{
    ClassWeight, DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreesClassifier, ExtraTreesRegressor,
    FeaturesPer, ForestClassWeight, MaxFeatures, RandomForestClassifier, RandomForestRegressor,
    RegressionCriterion,
};

const BALANCED: ForestClassWeight = ForestClassWeight::Whole(ClassWeight::Balanced);

/// Numbers with many values (`steps` = 0) or few.
fn problem(n: usize, d: usize, k: i64, steps: usize) -> (Mat, Vec<i64>, Vec<f64>) {
    let mut rng = rng_for(11, (n + steps) as u64);
    let x = Mat::from_fn(n, d, |_, _| {
        let v = normal(&mut rng);
        if steps == 0 { v } else { (v * steps as f64).round() / steps as f64 }
    });
    let score = |i: usize| x.row(i)[0] * x.row(i)[1 % d] + x.row(i)[2 % d];
    let y = (0..n).map(|i| ((score(i) + 0.5 * normal(&mut rng) + 9.0) as i64).rem_euclid(k)).collect();
    let real = (0..n).map(score).collect();
    (x, y, real)
}

fn classes<'a>(x: &'a Mat, y: &[i64]) -> Dataset<'a> {
    Dataset::new(x).with_target(Target::classes(y)).unwrap()
}

fn numbers<'a>(x: &'a Mat, y: &[f64]) -> Dataset<'a> {
    Dataset::new(x).with_target(Target::real(y.to_vec())).unwrap()
}

/// One tree on all rows and features, exact or binned with a bin for every value, is the decision tree.
#[test]
fn one_tree_of_everything_is_the_decision_tree() {
    for (k, max_depth) in [(2, None), (2, Some(5)), (5, None)] {
        let (x, y, real) = problem(3000, 4, k, 20);
        let (fresh, ..) = problem(2999, 4, k, 0);
        let tree = DecisionTreeClassifier::default().max_depth(max_depth).fit(&classes(&x, &y)).unwrap();
        let number = DecisionTreeRegressor::default().max_depth(max_depth).fit(&numbers(&x, &real)).unwrap();
        for bins in [None, Some(255)] {
            let forest = RandomForestClassifier::default()
                .n_estimators(1)
                .bootstrap(false)
                .max_features(None)
                .max_bins(bins)
                .max_depth(max_depth);
            let forest = forest.fit(&classes(&x, &y)).unwrap();
            assert_eq!(forest.trees().n_nodes(0), tree.tree.n_nodes(), "{k} {bins:?}");
            let (a, b) = (forest.predict_proba(&fresh).unwrap(), tree.predict_proba(&fresh).unwrap());
            assert_eq!(a.as_slice(), b.as_slice(), "{k} {bins:?}");
            assert_eq!(forest.certificate().evidence, tree_evidence(&tree, forest.certificate()));
            let forest = RandomForestRegressor::default()
                .n_estimators(1)
                .bootstrap(false)
                .max_bins(bins)
                .max_depth(max_depth);
            let forest = forest.fit(&numbers(&x, &real)).unwrap();
            let (a, b) = (forest.predict(&fresh).unwrap(), number.predict(&fresh).unwrap());
            let pairs = a.numbers().unwrap().iter().zip(b.numbers().unwrap());
            assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-9), "{bins:?}");
        }
    }
}

fn tree_evidence(
    tree: &mercer_core::Trained<DecisionTreeClassifier>,
    forest: &mercer_core::Certificate,
) -> Vec<mercer_core::Evidence> {
    let (mut own, theirs) = (tree.certificate().evidence.clone(), &forest.evidence);
    own[0].meaning.clone_from(&theirs[0].meaning);
    own
}

#[test]
fn shares_sum_to_one_and_predictions_are_the_greatest() {
    let (x, y, _) = problem(500, 4, 3, 0);
    let model = RandomForestClassifier::default().n_estimators(15).fit(&classes(&x, &y)).unwrap();
    let (p, codes) = (model.predict_proba(&x).unwrap(), model.predict(&x).unwrap());
    for (i, &code) in codes.class().unwrap().0.iter().enumerate() {
        assert!((p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(p.row(i).iter().all(|v| *v <= p.row(i)[code as usize]));
    }
    assert!((model.feature_importances().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(model.feature_importances()[3] < 0.2, "{:?}", model.feature_importances());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (x, y, real) = problem(4000, 6, 2, 0);
    for bins in [None, Some(255)] {
        let learner = RandomForestClassifier::default().n_estimators(7).max_bins(bins).oob_score(true);
        let fit = |threads| {
            let session = Session::new(3).with_threads(threads);
            learner.fit_in(&classes(&x, &y), &session).unwrap().encode().unwrap().bytes
        };
        assert_eq!(fit(1), fit(2));
        let learner = ExtraTreesRegressor::default().n_estimators(7).max_bins(bins);
        let fit = |threads| {
            let session = Session::new(3).with_threads(threads);
            learner.fit_in(&numbers(&x, &real), &session).unwrap().encode().unwrap().bytes
        };
        assert_eq!(fit(1), fit(2));
    }
}

/// Out-of-bag shares by hand: the bags are seen in the weights of the trees' roots, and by growing again without a row.
#[test]
fn out_of_bag_errors_are_those_of_trees_without_the_row() {
    let (x, y, real) = problem(600, 4, 2, 0);
    let model =
        RandomForestClassifier::default().n_estimators(60).oob_score(true).fit(&classes(&x, &y)).unwrap();
    let oob = model.oob_decision_function().unwrap();
    let wrong = (0..600).filter(|&i| (oob[2 * i + 1] > oob[2 * i]) != (y[i] == 1)).count() as f64 / 600.0;
    assert!((model.oob_score().unwrap() - (1.0 - wrong)).abs() < 1e-12);
    assert!((model.certificate().evidence[0].value - wrong).abs() < 1e-12);
    // The training error of full trees is near nothing, the error on new rows near that out of bag.
    let (fresh, new, _) = problem(601, 4, 2, 0);
    let found = model.predict(&fresh).unwrap();
    let error = found.class().unwrap().0.iter().zip(&new).filter(|(f, y)| i64::from(**f) != **y).count();
    assert!((error as f64 / 601.0 - wrong).abs() < 0.06, "{error} {wrong}");
    let model =
        RandomForestRegressor::default().n_estimators(60).oob_score(true).fit(&numbers(&x, &real)).unwrap();
    let oob = model.oob_prediction().unwrap();
    let mean = real.iter().sum::<f64>() / 600.0;
    let (left, all) = real
        .iter()
        .zip(oob)
        .fold((0.0, 0.0), |(left, all), (y, f)| (left + (y - f) * (y - f), all + (y - mean) * (y - mean)));
    assert!((model.oob_score().unwrap() - (1.0 - left / all)).abs() < 1e-9);
    for verified in model.verify(&numbers(&x, &real)).unwrap() {
        assert!(verified.holds);
    }
}

#[test]
fn rows_of_weight_zero_are_absent_and_weights_decide_the_bags() {
    let (x, y, real) = problem(400, 4, 3, 0);
    let weights: Vec<f64> = (0..400).map(|i| f64::from(u8::from(i % 4 != 0))).collect();
    let kept: Vec<usize> = (0..400).filter(|i| i % 4 != 0).collect();
    let learner = RandomForestClassifier::default().n_estimators(10).oob_score(true);
    let data = classes(&x, &y).with_weights(weights.clone()).unwrap();
    let (a, b) = (learner.fit(&data).unwrap(), learner.fit(&classes(&x, &y).subset(&kept).unwrap()).unwrap());
    assert_eq!(a.predict_proba(&x).unwrap().as_slice(), b.predict_proba(&x).unwrap().as_slice());
    assert_eq!(a.oob_score(), b.oob_score());
    assert!(a.verify(&data).unwrap().iter().all(|v| v.holds));
    // Without bags a weight of 2 is two copies.
    let weights: Vec<f64> = (0..400).map(|i| f64::from(i % 3)).collect();
    let copies: Vec<usize> = (0..400).flat_map(|i| std::iter::repeat_n(i as usize, i as usize % 3)).collect();
    let learner = RandomForestRegressor::default().n_estimators(5).bootstrap(false).max_depth(Some(5));
    let a = learner.fit(&numbers(&x, &real).with_weights(weights.clone()).unwrap()).unwrap();
    let b = learner.fit(&numbers(&x, &real).subset(&copies).unwrap()).unwrap();
    let (a, b) = (a.predict(&x).unwrap(), b.predict(&x).unwrap());
    assert!(a.numbers().unwrap().iter().zip(b.numbers().unwrap()).all(|(a, b)| (a - b).abs() < 1e-9));
    for class_weight in [BALANCED, ForestClassWeight::BalancedSubsample] {
        let learner =
            RandomForestClassifier::default().n_estimators(8).class_weight(Some(class_weight.clone()));
        let data = classes(&x, &y).with_weights(weights.clone()).unwrap();
        let model = learner.fit(&data).unwrap();
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{class_weight:?}");
    }
}

/// Heavy rows are drawn more often: a rare class that weighs much wins where it would lose.
#[test]
fn balanced_classes_bring_the_rare_one_back() {
    let mut rng = rng_for(1, 1);
    let x = Mat::from_fn(2000, 2, |i, _| normal(&mut rng) + if i % 20 == 0 { 1.0 } else { 0.0 });
    let y: Vec<i64> = (0..2000).map(|i| i64::from(i % 20 == 0)).collect();
    let ones = |class_weight| {
        let learner = RandomForestClassifier::default()
            .n_estimators(30)
            .min_samples_leaf(CountOrShare::Count(20))
            .class_weight(class_weight);
        let found = learner.fit(&classes(&x, &y)).unwrap().predict(&x).unwrap();
        found.class().unwrap().0.iter().filter(|c| **c == 1).count()
    };
    let plain = ones(None);
    assert!(ones(Some(BALANCED)) > plain + 200);
    assert!(ones(Some(ForestClassWeight::BalancedSubsample)) > plain + 200);
}

/// Missing values and categories that carry the answer are used, in both engines.
#[test]
fn missing_values_and_categories_are_split() {
    let n = 600;
    let gone: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { f64::NAN } else { f64::from(i % 7) }).collect();
    let levels: Vec<Option<String>> = (0..n).map(|i| Some(format!("l{}", i % 5))).collect();
    let noise: Vec<f64> = (0..n).map(|i| f64::from(i * 37 % 101)).collect();
    let y: Vec<i64> =
        (0..n).map(|i| i64::from(i % 3 == 0) + 2 * i64::from(i % 5 == 1 || i % 5 == 4)).collect();
    let table = Table::new(vec![
        ("gone".to_owned(), Column::numbers(gone)),
        ("level".to_owned(), Column::categories(&levels)),
        ("noise".to_owned(), Column::numbers(noise)),
    ])
    .unwrap();
    let data = Dataset::new(&table).with_target(Target::classes(&y)).unwrap();
    for bins in [None, Some(255)] {
        let forest = RandomForestClassifier::default().n_estimators(20).max_bins(bins).fit(&data).unwrap();
        let extra = ExtraTreesClassifier::default().n_estimators(20).max_bins(bins).fit(&data).unwrap();
        for found in [forest.predict(&table).unwrap(), extra.predict(&table).unwrap()] {
            let found = found.class().unwrap().0.to_vec();
            assert!(found.iter().zip(&y).all(|(f, y)| i64::from(*f) == *y), "{bins:?}");
        }
    }
}

/// A thousand levels, each with a mean of its own, are told apart as two hundred and fifty are.
#[test]
fn no_level_is_lost_however_many_there_are() {
    for levels in [250, 300, 1000] {
        let mut rng = rng_for(5, levels as u64);
        let means: Vec<f64> = (0..levels).map(|_| normal(&mut rng)).collect();
        let n = 20 * levels;
        let names: Vec<String> = (0..n).map(|i| format!("level {}", i * 7919 % levels)).collect();
        let y: Vec<f64> = (0..n).map(|i| means[i * 7919 % levels] + 0.1 * normal(&mut rng)).collect();
        let column = Column::categories(&names.iter().map(|s| Some(s.as_str())).collect::<Vec<_>>());
        let table = Table::new(vec![("level".to_owned(), column)]).unwrap();
        let data = Dataset::new(table.clone()).with_target(Target::real(y.clone())).unwrap();
        let variance = y.iter().map(|v| v * v).sum::<f64>() / n as f64;
        let r2 = |found: &[f64]| {
            let left = found.iter().zip(&y).map(|(f, y)| (f - y).powi(2)).sum::<f64>() / n as f64;
            1.0 - left / variance
        };
        let forest = RandomForestRegressor::default().n_estimators(5).fit(&data).unwrap();
        let found = forest.predict(table.clone()).unwrap();
        assert!(r2(found.numbers().unwrap()) > 0.97, "{levels}: {}", r2(found.numbers().unwrap()));
        let extra = ExtraTreesRegressor::default().n_estimators(5).fit(&data).unwrap();
        let found = extra.predict(table.clone()).unwrap();
        assert!(r2(found.numbers().unwrap()) > 0.97, "{levels}: {}", r2(found.numbers().unwrap()));
        let high = Target::classes(&y.iter().map(|v| i64::from(*v > 0.0)).collect::<Vec<_>>());
        let data = Dataset::new(table.clone()).with_target(high).unwrap();
        let forest = RandomForestClassifier::default().n_estimators(5).fit(&data).unwrap();
        let found = forest.predict(table).unwrap();
        let right =
            found.class().unwrap().0.iter().zip(&y).filter(|(c, y)| (**c == 1) == (**y > 0.0)).count();
        assert!(right as f64 > 0.95 * n as f64, "{levels}: {right} of {n}");
    }
}

#[test]
fn limits_hold_in_every_tree() {
    let (x, y, real) = problem(2000, 5, 2, 0);
    let data = classes(&x, &y);
    let learner = RandomForestClassifier::default().n_estimators(5);
    let model = learner.clone().max_leaf_nodes(Some(17)).fit(&data).unwrap();
    assert!((0..5).all(|t| model.trees().n_nodes(t) == 2 * 17 - 1));
    let model =
        learner.clone().min_samples_leaf(CountOrShare::Count(40)).bootstrap(false).fit(&data).unwrap();
    let trees = model.trees();
    for t in 0..5 {
        let leaves = (0..trees.n_nodes(t)).filter(|&i| trees.value(t, i).is_some());
        assert!(leaves.map(|i| trees.cover(t, i).unwrap()).all(|rows| rows >= 40.0));
    }
    let model = learner.clone().min_impurity_decrease(0.01).fit(&data).unwrap();
    let more = learner.clone().fit(&data).unwrap();
    assert!((0..5).all(|t| model.trees().n_nodes(t) < more.trees().n_nodes(t) / 4));
    let model = learner.clone().min_weight_fraction_leaf(0.1).fit(&data).unwrap();
    assert!((0..5).all(|t| (4..20).contains(&model.trees().n_nodes(t))));
    let model = learner.clone().ccp_alpha(0.02).fit(&data).unwrap();
    assert!((0..5).all(|t| model.trees().n_nodes(t) < 60));
    let model = learner.clone().max_samples(Some(CountOrShare::Count(50))).fit(&data).unwrap();
    assert!((0..5).all(|t| model.trees().cover(t, 0) == Some(50.0)));
    let model = learner
        .clone()
        .features_per(FeaturesPer::Tree)
        .max_features(Some(MaxFeatures::Of(CountOrShare::Count(2))))
        .fit(&data)
        .unwrap();
    for t in 0..5 {
        let mut used: Vec<usize> =
            (0..model.trees().n_nodes(t)).filter_map(|i| Some(model.trees().split(t, i)?.feature)).collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), 2);
    }
    for criterion in [RegressionCriterion::AbsoluteError, RegressionCriterion::Poisson] {
        let positive: Vec<f64> = real.iter().map(|v| v.abs()).collect();
        let learner =
            RandomForestRegressor::default().n_estimators(3).criterion(criterion).max_depth(Some(4));
        let data = numbers(&x, &positive).subset(&(0..300).collect::<Vec<_>>()).unwrap();
        let model = learner.fit(&data).unwrap();
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{criterion:?}");
    }
}

#[test]
fn bad_parameters_are_named() {
    let (x, y, _) = problem(50, 3, 2, 0);
    let data = classes(&x, &y);
    let learner = RandomForestClassifier::default();
    for (bad, name) in [
        (learner.clone().n_estimators(0), "n_estimators"),
        (learner.clone().max_bins(Some(1)), "max_bins"),
        (learner.clone().max_samples(Some(CountOrShare::Share(-0.5))), "max_samples"),
        (learner.clone().bootstrap(false).oob_score(true), "oob_score"),
        (learner.clone().bootstrap(false).max_samples(Some(CountOrShare::Count(9))), "max_samples"),
    ] {
        assert!(bad.fit(&data).unwrap_err().to_string().contains(name), "{name}");
    }
}

#[test]
fn proximities_are_shares_of_trees() {
    let (x, y, _) = problem(60, 3, 2, 0);
    let model =
        ExtraTreesClassifier::default().n_estimators(9).max_depth(Some(3)).fit(&classes(&x, &y)).unwrap();
    let input = Input::from(&x);
    let near = model.proximity(&input, &input, &Session::default()).unwrap();
    let leaves = model.trees().apply(&input, &Session::default()).unwrap();
    for i in 0..60 {
        assert_eq!(near[(i, i)], 1.0);
        let path = model.trees().path(4, x.row(i)).unwrap();
        assert_eq!(*path.last().unwrap(), leaves[i * 9 + 4] as usize);
        for j in 0..60 {
            let same = (0..9).filter(|t| leaves[i * 9 + t] == leaves[j * 9 + t]).count();
            assert_eq!(near[(i, j)], same as f64 / 9.0);
        }
    }
}

/// Var(average) = ρσ² + (1 − ρ)σ²/B, with ρ and σ² from all pairs of trees.
#[test]
fn the_variance_of_an_average_is_that_of_its_parts() {
    let (x, _, real) = problem(300, 4, 2, 0);
    let model = RandomForestRegressor::default().n_estimators(12).fit(&numbers(&x, &real)).unwrap();
    let (fresh, _, truth) = problem(301, 4, 2, 0);
    let variance = model.ensemble_variance(&numbers(&fresh, &truth), &Session::default()).unwrap();
    let leaves = model.trees().apply(&Input::from(&fresh), &Session::default()).unwrap();
    let errors: Vec<Vec<f64>> = (0..12)
        .map(|t| {
            (0..301)
                .map(|i| model.trees().value(t, leaves[i * 12 + t] as usize).unwrap()[0] - truth[i])
                .collect()
        })
        .collect();
    let mean = |e: &[f64]| e.iter().sum::<f64>() / 301.0;
    let covariance = |a: &[f64], b: &[f64]| {
        a.iter().zip(b).map(|(a_i, b_i)| (a_i - mean(a)) * (b_i - mean(b))).sum::<f64>() / 301.0
    };
    let sigma2 = errors.iter().map(|e| covariance(e, e)).sum::<f64>() / 12.0;
    let mut pairs = 0.0;
    for a in 0..12 {
        for b in (0..12).filter(|b| *b != a) {
            pairs += covariance(&errors[a], &errors[b]) / (12.0 * 11.0);
        }
    }
    let rho = pairs / sigma2;
    assert!(
        (variance.of_tree - sigma2).abs() < 1e-9 && (variance.correlation - rho).abs() < 1e-9,
        "{variance:?}"
    );
    let formula = rho * sigma2 + (1.0 - rho) * sigma2 / 12.0;
    assert!((variance.of_average - formula).abs() < 1e-9);
    assert!(variance.of_average < 0.7 * variance.of_tree);
}

#[test]
fn a_stopped_forest_is_what_there_is() {
    let (x, y, _) = problem(2000, 5, 2, 0);
    let cancel = Cancel::default();
    cancel.cancel();
    let session = Session::new(0).with_cancel(cancel);
    let model = RandomForestClassifier::default().fit_in(&classes(&x, &y), &session).unwrap();
    assert_eq!(model.certificate().termination, Termination::Cancelled);
    assert_eq!(model.trees().n_trees(), 1);
    assert_eq!(model.predict(&x).unwrap().n_rows(), 2000);
}

/// Few rows, many rows, other layouts: the same sums.
#[test]
fn predictions_do_not_depend_on_how_rows_come() {
    let (x, y, real) = problem(5000, 4, 2, 0);
    let model =
        ExtraTreesRegressor::default().n_estimators(30).max_depth(Some(9)).fit(&numbers(&x, &real)).unwrap();
    let all = model.predict(&x).unwrap().numbers().unwrap().to_vec();
    for rows in [0..1, 5..12, 200..1000, 100..4900] {
        let own: Vec<usize> = rows.clone().collect();
        let part = x.view().gather(&own);
        assert_eq!(model.predict(&part).unwrap().numbers().unwrap(), &all[rows]);
    }
    let columns = x.view().t().to_mat();
    let by_columns = mercer_math::MatRef::col_major(columns.as_slice(), 5000, 4).unwrap();
    assert_eq!(model.predict(by_columns).unwrap().numbers().unwrap(), all);
    let forest = RandomForestClassifier::default().n_estimators(3).fit(&classes(&x, &y)).unwrap();
    assert_eq!(forest.predict(&x).unwrap().n_rows(), 5000);
}

/// Intervals are wide where the noise is, though the mean moves too; and each end is the quantile of the training rows
/// weighted by how often they share a leaf with the row, worked out here from the leaves alone.
#[test]
fn intervals_follow_the_spread() {
    let n = 1500;
    let mut rng = rng_for(8, 9);
    let x = Mat::from_fn(n, 1, |_, _| mercer_math::uniform(&mut rng));
    let y: Vec<f64> = x.as_slice().iter().map(|x| 4.0 * x + (0.1 + 2.0 * x) * normal(&mut rng)).collect();
    let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
    let data = numbers(&x, &y).with_weights(weights.clone()).unwrap();
    let learner = RandomForestRegressor::default().min_samples_leaf(CountOrShare::Count(20)).quantiles(true);
    let model = learner.n_estimators(40).fit(&data).unwrap();
    let ends = model.predict_interval(&x, 0.8).unwrap();
    let width = |low: f64, high: f64| {
        let there: Vec<usize> = (0..n).filter(|&i| low <= x[(i, 0)] && x[(i, 0)] < high).collect();
        there.iter().map(|&i| ends[(i, 1)] - ends[(i, 0)]).sum::<f64>() / there.len() as f64
    };
    // The truth: 2.56 deviations, of which there are 0.3 at 0.1 and 1.9 at 0.9.
    let (low, high) = (width(0.0, 0.2), width(0.8, 1.0));
    assert!(high > 2.0 * low && (high / 2.56 - 1.9).abs() < 0.4, "{low} {high}");
    let leaves = model.as_model().on(&Input::from(&x), &Session::default()).unwrap().leaves().unwrap();
    let leaves: Vec<&[u32]> = leaves.chunks(40).collect();
    for row in (0..n).step_by(97) {
        let mut shares = vec![0.0; n];
        for (t, leaf) in leaves[row].iter().enumerate() {
            let mates: Vec<usize> = (0..n).filter(|&i| leaves[i][t] == *leaf).collect();
            let total: f64 = mates.iter().map(|&i| weights[i]).sum();
            mates.iter().for_each(|&i| shares[i] += weights[i] / total / 40.0);
        }
        for (k, q) in [0.1, 0.9].into_iter().enumerate() {
            // The least value up to which the shares come to q.
            let upto =
                |holds: &dyn Fn(f64) -> bool| (0..n).filter(|&i| holds(y[i])).map(|i| shares[i]).sum::<f64>();
            let end = ends[(row, k)];
            assert!(upto(&|y| y <= end) >= q - 1e-9 && upto(&|y| y < end) < q + 1e-9, "row {row}, {q}");
        }
    }
}

/// One tree with one leaf knows the quantiles of all rows; full trees those of the noise around a line.
#[test]
fn quantiles_are_those_of_the_leaves() {
    let n = 2000;
    let mut rng = rng_for(8, 8);
    let x = Mat::from_fn(n, 1, |i, _| i as f64 / n as f64);
    let y: Vec<f64> = (0..n).map(|i| 5.0 * x[(i, 0)] + mercer_math::uniform(&mut rng)).collect();
    let data = numbers(&x, &y);
    let learner = RandomForestRegressor::default().bootstrap(false).min_samples_leaf(CountOrShare::Count(n));
    let stump = learner.n_estimators(1).quantiles(true).fit(&data).unwrap();
    let all = stump.predict_quantiles(&x, &[0.0, 0.25, 1.0]).unwrap();
    let mut sorted = y.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    assert_eq!(all.row(3), &[sorted[0], sorted[n / 4 - 1], sorted[n - 1]]);
    let leaves = RandomForestRegressor::default().min_samples_leaf(CountOrShare::Count(30)).n_estimators(50);
    let model = leaves.clone().quantiles(true).fit(&data).unwrap();
    let found = model.predict_interval(&x, 0.8).unwrap();
    assert_eq!(found, model.predict_quantiles(&x, &[0.1, 0.9]).unwrap());
    let inside = (0..n).filter(|&i| found.row(i)[0] <= y[i] && y[i] <= found.row(i)[1]).count();
    assert!((inside as f64 / n as f64 - 0.8).abs() < 0.06, "{inside}");
    assert!(model.predict_quantiles(&x, &[1.5]).is_err());
    let encoded = model.as_model().encode().unwrap();
    let again = Trained::<RandomForestRegressor>::decode(encoded.version, &encoded.bytes).unwrap();
    assert_eq!(again.predict_interval(&x, 0.8).unwrap(), found, "after saving and loading");
    let error = leaves.fit(&data).unwrap().predict_interval(&x, 0.8).unwrap_err().to_string();
    assert!(error.contains("ConformalRegressor") && error.contains("quantiles=true"), "{error}");
    let two = Dataset::new(&x).with_target(Target::multi(vec![y.clone(), y]).unwrap()).unwrap();
    assert!(RandomForestRegressor::default().quantiles(true).fit(&two).is_err());
}

/// By hand: a tree with leaves {1, 2} and {10}; weights 1, 3 and 1, and a row of weight 0 that is absent.
#[test]
fn quantiles_by_hand() {
    let x = Mat::from_rows(&[[0.0], [0.0], [1.0], [0.0]]).unwrap();
    let data = numbers(&x, &[1.0, 2.0, 10.0, 99.0]).with_weights(vec![1.0, 3.0, 1.0, 0.0]).unwrap();
    let learner = ExtraTreesRegressor::default().n_estimators(3).quantiles(true);
    let model = learner.fit(&data).unwrap();
    let found = model.predict_quantiles(&x, &[0.2, 0.25, 0.3, 1.0]).unwrap();
    assert_eq!(found.row(0), &[1.0, 1.0, 2.0, 2.0]);
    assert_eq!(found.row(2), &[10.0; 4]);
}
