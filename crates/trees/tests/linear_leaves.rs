//! Leaves that hold lines: against LightGBM's, closed forms, and what has to work beside them.

use mercer_core::{Dataset, Fit, Fitted, Schema, Session, Target};
use mercer_math::{Csr, Mat, normal, rng_for, uniform};
use mercer_testkit::{matrix, numbers};
use mercer_trees::{BoostedTrees, Booster, BoosterObjective, Boosting, Monotonic};
use serde_json::Value;

/// Rounds of the reference.
const ROUNDS: usize = 8;

fn linear() -> Booster {
    Booster::default().linear_tree(true)
}

fn data(x: &Mat, y: &[f64]) -> Dataset<'static> {
    Dataset::new(x.clone()).with_target(Target::real(y.to_vec())).unwrap()
}

/// Two columns of values that each have a bin; the target is one plane on each side of a cut.
fn bent(n: usize, seed: u64) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(seed, 0);
    let x = Mat::from_fn(n, 2, |_, _| (128.0 * uniform(&mut rng)).round() / 32.0 - 2.0);
    let y = (0..n).map(|i| if x[(i, 0)] <= 0.5 { 3.0 * x[(i, 0)] } else { 9.0 - 2.0 * x[(i, 0)] }).collect();
    (x, y)
}

#[test]
fn scores_match_the_reference() {
    let all: Value = mercer_testkit::reference(include_str!("reference/linear_leaves.json"));
    let (x, holes, weights) = (matrix(&all["x"]), matrix(&all["holes"]), numbers(&all["weights"]));
    let small = linear().num_leaves(7).min_data_in_leaf(15).num_iterations(ROUNDS);
    let ridge = |linear_lambda: f64| small.clone().linear_lambda(linear_lambda);
    let real = |x: &Mat| data(x, &numbers(&all["real"]));
    let two: Vec<i64> = numbers(&all["two"]).iter().map(|&v| v as i64).collect();
    let classes = Dataset::new(x.clone()).with_target(Target::classes(&two)).unwrap();
    let binary = ridge(5.0).objective(BoosterObjective::Binary);
    for (name, learner, data) in [
        ("squared", ridge(0.0), real(&x)),
        ("squared_ridge", ridge(50.0), real(&x)),
        ("squared_weights", ridge(1.0), real(&x).with_weights(weights).unwrap()),
        ("squared_missing", ridge(1.0), real(&holes)),
        ("logistic", binary, classes),
    ] {
        let case = mercer_testkit::case(&all, name);
        let raw = learner
            .fit(&data)
            .unwrap()
            .model()
            .raw_after(&data.input(), ROUNDS, &Session::default())
            .unwrap();
        for (i, (a, b)) in raw.iter().zip(numbers(&case["raw"])).enumerate() {
            assert!((a - b).abs() <= 1e-6 * (1.0 + b.abs()), "{name}: score {i}: {a} {b}");
        }
    }
}

#[test]
fn planes_are_fitted_with_few_leaves() {
    let (x, y) = bent(2000, 1);
    let learner = linear().num_leaves(4).num_iterations(60).learning_rate(0.5);
    let error = |learner: &Booster| {
        let p = learner.fit(&data(&x, &y)).unwrap().predict(&x).unwrap().numbers().unwrap().to_vec();
        (p.iter().zip(&y).map(|(p, y)| (p - y) * (p - y)).sum::<f64>() / y.len() as f64).sqrt()
    };
    let (lines, constants) = (error(&learner), error(&learner.clone().linear_tree(false)));
    assert!(lines < 0.05 && lines < 0.5 * constants, "{lines} {constants}");
}

#[test]
fn a_line_is_the_ridge_regression_of_the_residuals_of_its_leaf() {
    // All numbers are multiples of a power of two and leaves of the first tree have 32 rows: gradients are exact.
    let x = Mat::from_fn(64, 1, |i, _| i as f64);
    let y: Vec<f64> = (0..64).map(|i| f64::from(i / 32) * 64.0 + f64::from(i * 37 % 16) / 4.0).collect();
    let (rounds, lambda, session) = (2, 30.0, Session::default());
    let learner = linear().num_iterations(rounds).num_leaves(2).learning_rate(1.0).linear_lambda(lambda);
    let data = data(&x, &y);
    let model = learner.fit(&data).unwrap().model().clone();
    let leaves = model.trees.apply(&data.input(), &session).unwrap();
    let before = model.raw_after(&data.input(), 1, &session).unwrap();
    assert!((0..3).all(|i| model.trees.line(0, i).is_none()) && model.trees.line(1, 0).is_none());
    for leaf in [1, 2] {
        let rows: Vec<usize> = (0..64).filter(|&i| leaves[2 * i + 1] == leaf).collect();
        let n = rows.len() as f64;
        let mean_x = rows.iter().map(|&i| x[(i, 0)]).sum::<f64>() / n;
        let mean_r = rows.iter().map(|&i| y[i] - before[i]).sum::<f64>() / n;
        let moment =
            |f: &dyn Fn(usize) -> f64| rows.iter().map(|&i| (x[(i, 0)] - mean_x) * f(i)).sum::<f64>();
        let slope = moment(&|i| y[i] - before[i]) / (moment(&|i| x[(i, 0)]) + lambda);
        let (intercept, terms) = model.trees.line(1, leaf as usize).unwrap();
        assert_eq!((terms.len(), terms[0].0), (1, 0));
        assert!((terms[0].1 - slope).abs() < 1e-8, "{} {slope}", terms[0].1);
        assert!((intercept - (mean_r - slope * mean_x)).abs() < 1e-8);
    }
}

#[test]
fn a_row_that_misses_a_value_has_the_constant() {
    let (x, y) = bent(400, 2);
    let learner = linear().num_iterations(2).num_leaves(2);
    let model = learner.fit(&data(&x, &y)).unwrap().model().clone();
    let hole = Mat::from_rows(&[[f64::NAN, f64::NAN]]).unwrap();
    let session = Session::default();
    let raw = model.raw_after(&(&hole).into(), 2, &session).unwrap()[0];
    let constant = |t: usize| {
        let leaf = *model.trees.path(t, &[f64::NAN; 2]).unwrap().last().unwrap();
        model.trees.value(t, leaf).unwrap()[0]
    };
    assert_eq!(raw, constant(0) + constant(1) + model.baseline()[0]);
    assert!((1..3).all(|i| model.trees.line(1, i).is_some()));
}

/// The certificate's loss, which training kept up to date by itself, is that of the model's predictions.
fn proved(learner: &Booster, data: &Dataset<'_>) -> BoostedTrees {
    let model = learner.fit(data).unwrap().model().clone();
    let found = model.reprove(data, &Session::default()).unwrap()[0].1;
    let told = model.certificate().objective.unwrap();
    assert!((found - told).abs() < 1e-9 * (1.0 + told.abs()), "{found} {told}");
    assert!(model.trees.has_lines());
    model
}

#[test]
fn every_way_of_boosting_takes_lines() {
    let (x, y) = bent(900, 3);
    let x = Mat::from_fn(900, 2, |i, j| if (i + j) % 13 == 0 { f64::NAN } else { x[(i, j)] });
    let all = data(&x, &y);
    let short = linear().num_iterations(12).num_leaves(5).linear_lambda(0.1);
    proved(&short, &all);
    proved(&short.clone().boosting(Boosting::Dart).skip_drop(0.2).drop_rate(0.3), &all);
    proved(&short.clone().boosting(Boosting::Goss), &all);
    proved(&short.clone().bagging_freq(1).bagging_fraction(0.5), &all);
    proved(&short.clone().early_stopping_round(3).num_iterations(40), &all);
    let weights: Vec<f64> = (0..900).map(|i| f64::from(i % 4)).collect();
    proved(&short, &all.clone().with_weights(weights).unwrap());
    let classes: Vec<i64> = y.iter().map(|&y| i64::from(y > 1.0) + i64::from(y > 4.0)).collect();
    let classes = Dataset::new(x.clone()).with_target(Target::classes(&classes)).unwrap();
    proved(&short.clone().objective(BoosterObjective::Multiclass), &classes);
    // Going on, with lines after constants and constants after lines.
    let plain = short.clone().linear_tree(false);
    let session = Session::default();
    for (first, second) in [(&plain, &short), (&short, &plain)] {
        let before = first.fit(&all).unwrap().model().clone();
        let after = second.fit_from(&before, &all, &session).unwrap();
        let told = after.certificate().objective.unwrap();
        assert_eq!(after.n_rounds(), 24);
        assert!(told < before.certificate().objective.unwrap());
        assert!((after.reprove(&all, &session).unwrap()[0].1 - told).abs() < 1e-9);
        assert_eq!(
            before.raw_after(&all.input(), 12, &session).unwrap(),
            after.raw_after(&all.input(), 12, &session).unwrap()
        );
    }
}

#[test]
fn sparse_rows_and_few_rows_have_the_same_lines() {
    let mut rng = rng_for(4, 0);
    let x = Mat::from_fn(5000, 6, |i, j| if (i * 7 + j) % 3 == 0 { normal(&mut rng) } else { 0.0 });
    let y: Vec<f64> = (0..5000).map(|i| x[(i, 0)].abs() + x[(i, 1)] * x[(i, 2)] + x[(i, 5)]).collect();
    let csr = Csr::from_dense(x.view());
    let learner = linear().num_iterations(20);
    let dense = learner.fit(&data(&x, &y)).unwrap();
    let sparse = Dataset::new(csr.clone()).with_target(Target::real(y)).unwrap();
    let sparse = learner.fit(&sparse).unwrap();
    assert!(dense.model() == sparse.model());
    let (many, same) = (dense.predict(&x).unwrap(), sparse.predict(&csr).unwrap());
    assert_eq!(many.numbers().unwrap(), same.numbers().unwrap());
    let few = dense.predict(x.view().gather(&[0, 1, 2])).unwrap();
    assert_eq!(few.numbers().unwrap(), &many.numbers().unwrap()[..3]);
}

#[test]
fn what_does_not_go_with_lines_is_refused() {
    let (x, y) = bent(200, 5);
    let data = data(&x, &y);
    let monotone_constraints = Some(Monotonic::ByPlace(vec![1, 0]));
    let error = linear().monotone_constraints(monotone_constraints).fit(&data).unwrap_err().to_string();
    assert!(error.contains("linear_tree") && error.contains("monotone"), "{error}");
    for objective in [BoosterObjective::RegressionL1, BoosterObjective::Quantile] {
        let error = linear().objective(objective).alpha(0.5).fit(&data).unwrap_err().to_string();
        assert!(error.contains("linear_tree") && error.contains("median"), "{error}");
    }
    let model = linear().num_iterations(3).fit(&data).unwrap();
    let session = Session::default();
    let error = model.as_model().contributions(&data.input(), &session).unwrap_err().to_string();
    assert!(error.contains("linear_tree") && error.contains("lines"), "{error}");
    assert!(model.as_model().interactions(&data.input(), &session).is_err());
}

#[test]
fn lines_that_lie_are_refused() {
    let (x, y) = bent(300, 6);
    let data = data(&x, &y);
    let model = linear().num_iterations(3).num_leaves(3).fit(&data).unwrap().model().clone();
    let schema = Schema::of(&data);
    assert!(model.validate(&schema).is_ok());
    let json = serde_json::to_value(&model).unwrap();
    let lines = &json["trees"]["lines"];
    let (n_starts, n_terms) =
        (lines["starts"].as_array().unwrap().len(), lines["terms"].as_array().unwrap().len());
    let spoil = |change: &dyn Fn(&mut Value)| {
        let mut lie = json.clone();
        change(&mut lie["trees"]["lines"]);
        serde_json::from_value::<BoostedTrees>(lie).unwrap().validate(&schema).is_err()
    };
    assert!(spoil(&|lines| lines["starts"] = serde_json::json!([])));
    assert!(spoil(&|lines| lines["starts"] = serde_json::json!([0, n_terms])));
    assert!(spoil(&|lines| lines["starts"][n_starts - 1] = serde_json::json!(n_terms + 1)));
    assert!(spoil(&|lines| lines["starts"][1] = serde_json::json!(n_terms)));
    assert!(spoil(&|lines| lines["terms"][1][0] = serde_json::json!(2)));
    // All terms at the root of the first tree, which is no leaf.
    assert!(spoil(&|lines| (1..n_starts).for_each(|i| lines["starts"][i] = serde_json::json!(n_terms))));
}

/// Bits, not digits: in training and in prediction, of any number of rows.
#[test]
fn the_number_of_threads_changes_no_bit() {
    for n in [300, 5000, 40_000] {
        let mut rng = rng_for(21, n as u64);
        let x = Mat::from_fn(n, 5, |_, _| normal(&mut rng));
        let y: Vec<f64> =
            (0..n).map(|i| x[(i, 0)] * x[(i, 1)] + x[(i, 2)] + 0.1 * normal(&mut rng)).collect();
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
        for sampling in [1.0, 0.6] {
            let learner = Booster::default()
                .num_iterations(12)
                .linear_tree(true)
                .bagging_fraction(sampling)
                .bagging_freq(usize::from(sampling < 1.0));
            let in_threads = |threads: usize| {
                let session = Session::new(3).with_threads(threads);
                let model = learner.fit_in(&data, &session).unwrap();
                let found = model.as_model().predict(&data.input(), &session).unwrap();
                (model.encode().unwrap().bytes, found.numbers().unwrap().to_vec())
            };
            let one = in_threads(1);
            for threads in [2, 3] {
                let more = in_threads(threads);
                assert!(one.0 == more.0, "{n} rows, {threads} threads: another model");
                assert!(one.1 == more.1, "{n} rows, {threads} threads: other predictions");
            }
        }
    }
}
