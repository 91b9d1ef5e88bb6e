//! Sparse rows: what is learnt from them is what is learnt from the same rows made dense, to the last bit, and columns
//! that share their codes change nothing but the time.

use mercer_core::{Column, CountOrShare, Dataset, Fit, Fitted, Learn, Session, Table, Target};
use mercer_math::{Csr, Mat, below, normal, rng_for, uniform};
use mercer_testkit::assert_within;
use mercer_trees::{
    Booster, BoosterObjective, Boosting, Categorical, Contamination, DecisionTreeClassifier,
    DecisionTreeRegressor, EarlyStopping, ExtraTreesClassifier, ExtraTreesRegressor, Growth,
    HistGradientBoostingClassifier, HistGradientBoostingRegressor, IsolationForest, IsolationSamples,
    MaxFeatures, RandomForestClassifier, RandomForestRegressor, Splitter,
};

/// Two one-hot factors, counts, a dense column, one that is missing now and then, and one that is all zero.
fn rows(n: usize, seed: u64) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(seed, 0);
    let mut x = Mat::zeros(n, 40);
    for i in 0..n {
        x[(i, below(&mut rng, 12))] = 1.0;
        x[(i, 12 + below(&mut rng, 20))] = if uniform(&mut rng) < 0.5 { 2.0 } else { -1.5 };
        x[(i, 32 + below(&mut rng, 5))] = 1.0 + below(&mut rng, 400) as f64;
        x[(i, 37)] = normal(&mut rng);
        x[(i, 38)] = [f64::NAN, 0.0, 0.0, 1.0, -1.0][below(&mut rng, 5)];
    }
    let level = |i: usize| (0..32).map(|j| x[(i, j)] * ((j * 7) % 5) as f64).sum::<f64>();
    let y = (0..n).map(|i| level(i) + x[(i, 37)] + 0.01 * x[(i, 33)] + 0.3 * normal(&mut rng)).collect();
    (x, y)
}

fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| [1.0, 0.3, 0.0, 2.0, 1.7][i % 5]).collect()
}

fn labels(y: &[f64]) -> Target<'static> {
    let of = |&y: &f64| {
        if y > 4.0 {
            "high"
        } else if y > 1.0 {
            "middle"
        } else {
            "low"
        }
    };
    Target::classes(&y.iter().map(of).collect::<Vec<_>>())
}

/// Fits dense and sparse rows, with and without weights, and compares the models and what they say of both.
fn same<L: Learn>(learner: &L, x: &Mat, target: &Target<'static>)
where
    L::Model: Fitted,
{
    let csr = Csr::from_dense(x.view());
    for weighted in [false, true] {
        let fit = |data: Dataset<'static>| {
            let mut data = data.with_target(target.clone()).unwrap();
            if weighted {
                data = data.with_weights(weights(x.n_rows())).unwrap();
            }
            learner.fit_in(&data, &Session::new(3)).unwrap()
        };
        let (dense, sparse) = (fit(Dataset::new(x.clone())), fit(Dataset::new(csr.clone())));
        // Written out, so that the missing numbers of rows in every bag are equal, too.
        let text = |model: &L::Model| format!("{model:?}");
        assert!(text(dense.model()) == text(sparse.model()), "weighted: {weighted}");
        let (a, b) = (dense.predict(x).unwrap(), sparse.predict(&csr).unwrap());
        assert_eq!(format!("{a:?}"), format!("{b:?}"));
    }
}

#[test]
fn boosting() {
    let (x, y) = rows(3000, 1);
    let (numbers, classes) = (Target::real(y.clone()), labels(&y));
    let short = Booster::default().num_iterations(8);
    same(&short, &x, &numbers);
    same(&short.clone().boosting(Boosting::Goss).grow(Growth::Depth), &x, &numbers);
    same(&short.clone().boosting(Boosting::Dart), &x, &numbers);
    same(&short.objective(BoosterObjective::Multiclass), &x, &classes);
    let early_stopping = EarlyStopping::Always(true);
    let classifier = HistGradientBoostingClassifier::default().max_iter(8).early_stopping(early_stopping);
    same(&classifier, &x, &classes);
    same(&HistGradientBoostingRegressor::default().max_iter(8).early_stopping(early_stopping), &x, &numbers);
}

#[test]
fn forests() {
    let (x, y) = rows(1200, 2);
    let (numbers, classes) = (Target::real(y.clone()), labels(&y));
    for max_bins in [Some(64), None] {
        let n_estimators = 4;
        same(
            &RandomForestClassifier::default().n_estimators(n_estimators).max_bins(max_bins).oob_score(true),
            &x,
            &classes,
        );
        same(&RandomForestRegressor::default().n_estimators(n_estimators).max_bins(max_bins), &x, &numbers);
        same(&ExtraTreesClassifier::default().n_estimators(n_estimators).max_bins(max_bins), &x, &classes);
        same(&ExtraTreesRegressor::default().n_estimators(n_estimators).max_bins(max_bins), &x, &numbers);
    }
}

#[test]
fn trees() {
    let (x, y) = rows(9000, 3);
    let (numbers, classes) = (Target::real(y.clone()), labels(&y));
    same(&DecisionTreeClassifier::default(), &x, &classes);
    same(&DecisionTreeClassifier::default().max_bins(Some(64)), &x, &classes);
    same(&DecisionTreeRegressor::default().max_bins(Some(64)), &x, &numbers);
    same(&DecisionTreeRegressor::default().max_leaf_nodes(Some(50)), &x, &numbers);
    let max_features = Some(MaxFeatures::Sqrt);
    same(
        &DecisionTreeRegressor::default().splitter(Splitter::Random).max_features(max_features),
        &x,
        &numbers,
    );
}

#[test]
fn isolation_forests() {
    let (mut x, _) = rows(1200, 7);
    (0..1200).for_each(|i| x[(i, 38)] = 0.0);
    let csr = Csr::from_dense(x.view());
    let plain = IsolationForest { n_estimators: 20, ..Default::default() };
    let (max_samples, contamination) =
        (IsolationSamples::Of(CountOrShare::Share(0.5)), Contamination::Fraction(0.1));
    let other = IsolationForest { max_samples, contamination, bootstrap: true, ..plain.clone() };
    for learner in [plain, other] {
        let fit = |data: Dataset<'static>| learner.fit_in(&data, &Session::new(3)).unwrap();
        let (dense, sparse) = (fit(Dataset::new(x.clone())), fit(Dataset::new(csr.clone())));
        assert!(dense.model() == sparse.model() && dense.trees().n_nodes(0) > 50);
        assert_eq!(dense.predict(&x).unwrap(), sparse.predict(&csr).unwrap());
    }
}

#[test]
fn explanations_and_paths_read_sparse_rows() {
    use mercer_core::Explainer;
    let (x, y) = rows(300, 4);
    let csr = Csr::from_dense(x.view());
    let data = Dataset::new(csr.clone()).with_target(Target::real(y)).unwrap();
    let session = Session::default();
    let model = DecisionTreeRegressor::default().fit(&data).unwrap();
    let of = |input: mercer_core::Input<'_>| {
        let found = model.model().contributions(&input, &session).unwrap();
        (found, model.model().decision_path(&input, model.schema(), 7).unwrap())
    };
    let (a, b) = (of((&x).into()), of((&csr).into()));
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[test]
fn bundling_changes_no_model() {
    let (x, y) = rows(4000, 5);
    let csr = Csr::from_dense(x.view());
    let some = Booster::default().num_iterations(10).min_data_in_leaf(5);
    let bagged = some.clone().bagging_freq(2).bagging_fraction(0.6).feature_fraction(0.5);
    let harder = some.clone().lambda_l1(0.5).feature_fraction_bynode(0.4);
    let counts = some.clone().objective(BoosterObjective::Poisson);
    for learner in [some, bagged, harder, counts] {
        let y: Vec<f64> = y.iter().map(|y| y.abs()).collect();
        let fit = |enable_bundle: bool, data: Dataset<'static>| {
            let data = data.with_target(Target::real(y.clone())).unwrap();
            learner.clone().enable_bundle(enable_bundle).fit(&data).unwrap().model().clone()
        };
        let plain = fit(false, Dataset::new(x.clone()));
        assert!(plain == fit(true, Dataset::new(x.clone())));
        assert!(
            plain == fit(true, Dataset::new(csr.clone())) && plain == fit(false, Dataset::new(csr.clone()))
        );
    }
}

#[test]
fn bundling_changes_no_model_of_levels() {
    // Rare levels, missing ones, and a column of many levels that is encoded by its target.
    let mut rng = rng_for(6, 0);
    let n = 3000;
    let mut column = |levels: usize, rare: f64| {
        let one = |_| match uniform(&mut rng) {
            u if u > rare => Some("common".to_owned()),
            u if u < 0.01 => None,
            _ => Some(format!("level {}", below(&mut rng, levels))),
        };
        Column::categories(&(0..n).map(one).collect::<Vec<_>>())
    };
    let columns =
        vec![("a", column(3, 0.2)), ("b", column(6, 0.1)), ("c", column(300, 0.9)), ("d", column(8, 0.05))];
    let table = Table::new(columns.into_iter().map(|(name, c)| (name.to_owned(), c)).collect()).unwrap();
    let y: Vec<f64> = (0..n).map(|i| normal(&mut rng) + (i % 7) as f64).collect();
    let data = Dataset::new(table).with_target(Target::real(y)).unwrap();
    for categorical in [Categorical::Auto, Categorical::Partition] {
        let fit = |enable_bundle: bool| {
            let learner =
                Booster::default().enable_bundle(enable_bundle).categorical(categorical).num_iterations(10);
            learner.fit(&data).unwrap().model().clone()
        };
        assert!(fit(true) == fit(false));
    }
}

/// Sparse rows of so many columns that they are not laid out grow the trees of the few columns that hold anything.
#[test]
fn wide_rows_grow_the_trees_of_their_columns() {
    let (n, few, wide) = (4000, 30, 10_000);
    let mut rng = rng_for(31, 0);
    let mut narrow_rows = Csr::empty(few);
    let mut wide_rows = Csr::empty(wide);
    let mut y = Vec::new();
    for _ in 0..n {
        let features: Vec<u32> = (0..few as u32).filter(|_| uniform(&mut rng) < 0.2).collect();
        let values: Vec<f64> = features.iter().map(|_| normal(&mut rng)).collect();
        let sum: f64 = features.iter().zip(&values).map(|(f, v)| f64::from(f % 3) * v).sum();
        y.push(sum + 0.5 * normal(&mut rng));
        narrow_rows.push_row(&features, &values);
        let spread: Vec<u32> = features.iter().map(|f| 300 * f + 7).collect();
        wide_rows.push_row(&spread, &values);
    }
    let weights: Vec<f64> = (0..n).map(|i| f64::from(i as u32 % 3)).collect();
    let real = Target::real(y.clone());
    let three =
        Target::classes(&y.iter().map(|v| i64::from(*v > 0.5) + i64::from(*v > -0.5)).collect::<Vec<_>>());
    let given = |x: &Csr, target: &Target<'static>, weighted: bool| {
        let data = Dataset::new(x.clone()).with_target(target.clone()).unwrap();
        if weighted { data.with_weights(weights.clone()).unwrap() } else { data }
    };
    for weighted in [false, true] {
        let tree =
            DecisionTreeRegressor::default().max_depth(Some(8)).min_samples_leaf(CountOrShare::Count(3));
        let (a, b) = (given(&narrow_rows, &real, weighted), given(&wide_rows, &real, weighted));
        let (small, large) = (tree.fit(&a).unwrap(), tree.fit(&b).unwrap());
        let found = large.predict(&wide_rows).unwrap();
        let expected = small.predict(&narrow_rows).unwrap();
        assert_within(found.numbers().unwrap(), expected.numbers().unwrap(), 1e-9, "a tree");
        assert!(large.verify(&b).unwrap().iter().all(|v| v.holds));
        let forest = RandomForestRegressor::default()
            .n_estimators(3)
            .max_bins(None)
            .max_features(None)
            .max_depth(Some(6));
        let found = forest.fit(&b).unwrap().predict(&wide_rows).unwrap();
        let expected = forest.fit(&a).unwrap().predict(&narrow_rows).unwrap();
        assert_within(found.numbers().unwrap(), expected.numbers().unwrap(), 1e-9, "a forest");
        let tree = DecisionTreeClassifier::default().max_depth(Some(6));
        let (a, b) = (given(&narrow_rows, &three, weighted), given(&wide_rows, &three, weighted));
        let found = tree.fit(&b).unwrap().predict_proba(&wide_rows).unwrap();
        let expected = tree.fit(&a).unwrap().predict_proba(&narrow_rows).unwrap();
        assert_within(found.as_slice(), expected.as_slice(), 1e-9, "classes");
        let extra = ExtraTreesClassifier::default().n_estimators(20).fit(&b).unwrap();
        let right = extra.predict(&wide_rows).unwrap();
        let truth = three.class().unwrap().0;
        let hits = right.class().unwrap().0.iter().zip(truth).filter(|(a, b)| a == b).count();
        assert!(hits > n * 6 / 10, "{hits}");
    }
}
