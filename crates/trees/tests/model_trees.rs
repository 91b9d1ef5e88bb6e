//! Model trees: exact on what is piecewise linear, better than plain trees on real data.

use mercer_core::{Column, Dataset, Fit, Session, Table, Target, Trained};
use mercer_math::{Mat, normal, rng_for, shuffle};
use mercer_trees::{DecisionTreeRegressor, ModelTree, Terms};

/// Three planes over two features, cut at x0 = 0 and x1 = 0.5.
fn planes(n: usize) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(11, 0);
    let x = Mat::from_fn(n, 2, |_, _| mercer_math::uniform(&mut rng) * 2.0 - 1.0);
    let plane = |a: f64, b: f64| match (a < 0.0, b < 0.5) {
        (true, _) => 20.0 + 2.0 * a - b,
        (false, true) => -20.0 - 3.0 * a + 0.5 * b,
        (false, false) => 4.0 * b,
    };
    let y = (0..n).map(|i| plane(x[(i, 0)], x[(i, 1)])).collect();
    (x, y)
}

#[test]
fn planes_are_recovered_exactly() {
    let (x, y) = planes(600);
    let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
    for terms in [Terms::Tested, Terms::All] {
        let model = ModelTree::default().terms(terms).min_deviation(0.0).smoothing_k(0.0).fit(&data).unwrap();
        let found = model.predict(&x).unwrap();
        let worst = found.numbers().unwrap().iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-9, "{terms:?}: {worst}\n{}", model.to_text(model.schema()));
        assert_eq!(model.tree.n_leaves(), 3, "{}", model.to_text(model.schema()));
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
        // The leaves are the planes themselves.
        let (intercept, line) = model
            .line(
                model.tree.apply(&data.input(), &Session::default()).unwrap()
                    [(0..600).find(|&i| x[(i, 0)] < 0.0).unwrap()] as usize,
            )
            .unwrap();
        assert!(
            (intercept - 20.0).abs() < 1e-9
                && (line[0].1 - 2.0).abs() < 1e-9
                && (line[1].1 + 1.0).abs() < 1e-9
        );
    }
}

#[test]
fn linear_data_need_one_leaf_and_terms_that_do_not_matter_go() {
    let mut rng = rng_for(3, 0);
    let x = Mat::from_fn(300, 4, |_, _| normal(&mut rng));
    let y: Vec<f64> = (0..300).map(|i| 1.0 + 2.0 * x[(i, 0)] - x[(i, 2)] + 0.1 * normal(&mut rng)).collect();
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let model = ModelTree::default().fit(&data).unwrap();
    let (_, terms) = model.line(0).expect("a single leaf");
    let has = |f: usize| terms.iter().find(|t| t.0 == f).map_or(0.0, |t| t.1);
    assert!((has(0) - 2.0).abs() < 0.03 && (has(2) + 1.0).abs() < 0.03, "{terms:?}");
    assert!(has(1).abs() < 0.02 && has(3).abs() < 0.02, "{terms:?}");
}

#[test]
fn without_pruning_and_smoothing_it_is_the_tree_of_the_notes() {
    // Grown as a tree, then least squares on all features in each leaf: residuals are orthogonal to the features.
    let (x, mut y) = planes(300);
    let mut rng = rng_for(4, 0);
    y.iter_mut().for_each(|v| *v += normal(&mut rng));
    let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
    let learner = ModelTree::default().terms(Terms::All).prune(false).smoothing_k(0.0).max_depth(Some(2));
    let model = learner.fit(&data).unwrap();
    let leaves = model.tree.apply(&data.input(), &Session::default()).unwrap();
    let found = model.predict(&x).unwrap();
    let residual = |i: usize| y[i] - found.numbers().unwrap()[i];
    for leaf in 0..model.tree.n_nodes() as u32 {
        let rows: Vec<usize> = (0..300).filter(|&i| leaves[i] == leaf).collect();
        let sum = |f: &dyn Fn(usize) -> f64| rows.iter().map(|&i| f(i) * residual(i)).sum::<f64>();
        assert!(
            sum(&|_| 1.0).abs() < 1e-8
                && sum(&|i| x[(i, 0)]).abs() < 1e-8
                && sum(&|i| x[(i, 1)]).abs() < 1e-8
        );
    }
}

#[test]
fn smoothing_pulls_leaves_towards_the_models_above() {
    let (x, mut y) = planes(300);
    let mut rng = rng_for(5, 0);
    y.iter_mut().for_each(|v| *v += normal(&mut rng));
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let fit =
        |k: f64| ModelTree::default().max_depth(Some(1)).prune(false).smoothing_k(k).fit(&data).unwrap();
    // One split: the leaf's model m of n rows and the root's model q give (n m + k q) / (n + k); two values of k
    // and the plain leaf tell q, and a third value of k is then foretold.
    let at = |model: &Trained<ModelTree>| model.predict(&x).unwrap().numbers().unwrap()[0];
    let (plain, some, more) = (at(&fit(0.0)), at(&fit(15.0)), at(&fit(40.0)));
    let model = fit(0.0);
    let leaf = model.tree.apply(&data.input(), &Session::default()).unwrap()[0];
    let n = model.tree.node(leaf as usize).unwrap().weight;
    let q = ((n + 15.0) * some - n * plain) / 15.0;
    assert!((more - (n * plain + 40.0 * q) / (n + 40.0)).abs() < 1e-9);
}

#[test]
fn weights_are_copies_categories_and_gaps_are_taken() {
    let mut rng = rng_for(6, 0);
    let n = 200;
    let a: Vec<f64> = (0..n).map(|i| if i % 11 == 0 { f64::NAN } else { normal(&mut rng) }).collect();
    let names = ["red", "green", "blue"];
    let colour: Vec<Option<&str>> = (0..n).map(|i| (i % 13 != 0).then_some(names[i % 3])).collect();
    let y: Vec<f64> =
        (0..n).map(|i| 10.0 * (i % 3) as f64 + if a[i].is_nan() { 0.0 } else { a[i] }).collect();
    let table =
        Table::new(vec![("a".into(), Column::numbers(a)), ("colour".into(), Column::categories(&colour))])
            .unwrap();
    let data = Dataset::new(table).with_target(Target::real(y)).unwrap();
    let weights: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
    let copies: Vec<usize> = (0..n).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let weighted = ModelTree::default().fit(&data.clone().with_weights(weights).unwrap()).unwrap();
    let copied = ModelTree::default().fit(&data.subset(&copies).unwrap()).unwrap();
    let (p, q) = (weighted.predict(data.input()).unwrap(), copied.predict(data.input()).unwrap());
    assert!(p.numbers().unwrap().iter().zip(q.numbers().unwrap()).all(|(p, q)| (p - q).abs() < 1e-9));
    let encoded = weighted.as_model().encode().unwrap();
    assert_eq!(
        Trained::<ModelTree>::decode(encoded.version, &encoded.bytes).unwrap().model(),
        weighted.model()
    );
}

/// Rows of a CSV file whose fields are all numbers; the last column is the target.
fn numbers_of(file: &str) -> Option<(Mat, Vec<f64>)> {
    let text = mercer_testkit::shared_data(file)?;
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|l| l.split(',').map(|f| f.parse().unwrap_or(f64::NAN)).collect()).collect();
    let d = rows[0].len() - 1;
    let x = Mat::from_fn(rows.len(), d, |i, j| rows[i][j]);
    Some((x, rows.iter().map(|r| r[d]).collect()))
}

#[test]
fn model_trees_beat_plain_trees_on_real_data() {
    for file in ["concrete.csv", "boston-housing.csv"] {
        let Some((x, y)) = numbers_of(file) else { return };
        let n = y.len();
        let mut order: Vec<usize> = (0..n).collect();
        shuffle(&mut rng_for(0, 0), &mut order);
        let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
        let rmse = |predict: &dyn Fn(&Dataset<'_>, &Dataset<'_>) -> Vec<f64>| {
            let mut sum = 0.0;
            for fold in 0..5 {
                let (test, train): (Vec<usize>, Vec<usize>) = (0..n).partition(|k| k % 5 == fold);
                let [train, test] = [train, test].map(|p| p.iter().map(|&k| order[k]).collect::<Vec<_>>());
                let found = predict(&data.subset(&train).unwrap(), &data.subset(&test).unwrap());
                sum += test.iter().zip(found).map(|(&i, f)| (y[i] - f) * (y[i] - f)).sum::<f64>();
            }
            (sum / n as f64).sqrt()
        };
        let session = Session::default();
        let model_tree = rmse(&|train, test| {
            let model = ModelTree::default().fit(train).unwrap();
            model.as_model().predict(&test.input(), &session).unwrap().numbers().unwrap().to_vec()
        });
        let cart = rmse(&|train, test| {
            let model = DecisionTreeRegressor::default().fit(train).unwrap();
            model.as_model().predict(&test.input(), &session).unwrap().numbers().unwrap().to_vec()
        });
        assert!(model_tree < cart, "{file}: {model_tree:.4} against {cart:.4}");
    }
}
