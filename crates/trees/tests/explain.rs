//! Explanations against Shapley's definition, worked out over all sets of features.

use mercer_core::{Column, Dataset, Fit, Input, Model, Session, Table, Target};
use mercer_math::{Mat, normal, rng_for, uniform};
use mercer_trees::{
    DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreesClassifier, HistGradientBoostingClassifier,
    RandomForestRegressor, Test, Tree,
};

/// The mean of output `k` where only the features of `known` are known.
fn expected(tree: &Tree, at: usize, row: &[f64], known: u32, k: usize) -> f64 {
    let node = tree.node(at).unwrap();
    let Some(split) = &node.split else { return node.value[k] };
    let value = row[split.feature];
    let left = match split.test {
        _ if value.is_nan() => split.missing_left,
        Test::AtMost(t) => value <= t,
        Test::In(set) => {
            set.get(value as usize / 64).map_or(split.missing_left, |w| w >> (value as usize % 64) & 1 == 1)
        }
    };
    let next = |to: usize| expected(tree, to, row, known, k);
    if known >> split.feature & 1 == 1 {
        return next(if left { split.left } else { split.right });
    }
    let weight = |to: usize| tree.node(to).unwrap().weight;
    let (l, r) = (weight(split.left), weight(split.right));
    (l * next(split.left) + r * next(split.right)) / (l + r)
}

fn factorial(n: u32) -> f64 {
    (1..=n).map(f64::from).product()
}

/// Shapley's values and interaction indices by their definitions.
fn brute(tree: &Tree, row: &[f64], d: usize, k: usize) -> (Vec<f64>, Mat) {
    let value: Vec<f64> = (0..1u32 << d).map(|s| expected(tree, 0, row, s, k)).collect();
    let m = d as u32;
    let own = |i: usize| {
        (0..1u32 << d)
            .filter(|s| s >> i & 1 == 0)
            .map(|s| {
                let n = s.count_ones();
                let weight = factorial(n) * factorial(m - n - 1) / factorial(m);
                weight * (value[(s | 1 << i) as usize] - value[s as usize])
            })
            .sum::<f64>()
    };
    let own: Vec<f64> = (0..d).map(own).collect();
    let pair = |i: usize, j: usize| {
        (0..1u32 << d)
            .filter(|s| s >> i & 1 == 0 && s >> j & 1 == 0)
            .map(|s| {
                let n = s.count_ones();
                let weight = factorial(n) * factorial(m - n - 2) / (2.0 * factorial(m - 1));
                let at = |t: u32| value[t as usize];
                weight * (at(s | 1 << i | 1 << j) - at(s | 1 << i) - at(s | 1 << j) + at(s))
            })
            .sum::<f64>()
    };
    let mut both = Mat::from_fn(d, d, |i, j| if i == j { 0.0 } else { pair(i, j) });
    for i in 0..d {
        both[(i, i)] = own[i] - (0..d).filter(|&j| j != i).map(|j| both[(i, j)]).sum::<f64>();
    }
    (own, both)
}

fn compare(model: &dyn Model, tree: &Tree, input: &Input<'_>, rows: &[Vec<f64>], outputs: usize) {
    let session = Session::default();
    let found = model.contributions(input, &session).unwrap();
    let pairs = model.interactions(input, &session).unwrap();
    let d = rows[0].len();
    for (i, row) in rows.iter().enumerate() {
        for (k, pairs) in pairs.iter().enumerate().take(outputs) {
            let (own, both) = brute(tree, row, d, k);
            for j in 0..d {
                let got = found.values[k][(i, j)];
                assert!((got - own[j]).abs() < 1e-10, "row {i}, feature {j}: {got} {}", own[j]);
                for l in 0..d {
                    let got = pairs[i][(j, l)];
                    assert!(
                        (got - both[(j, l)]).abs() < 1e-10,
                        "row {i}, {j} and {l}: {got} {}",
                        both[(j, l)]
                    );
                }
            }
            let all = found.base[k] + (0..d).map(|j| found.values[k][(i, j)]).sum::<f64>();
            assert!((all - expected(tree, 0, row, u32::MAX, k)).abs() < 1e-10, "row {i} does not add up");
        }
    }
}

#[test]
fn contributions_are_shapley_values_of_numbers() {
    let mut rng = rng_for(2, 0);
    let x = Mat::from_fn(
        200,
        6,
        |_, j| if j == 5 && uniform(&mut rng) < 0.2 { f64::NAN } else { normal(&mut rng) },
    );
    let y = |i: usize| x[(i, 0)] * x[(i, 1)] + x[(i, 2)].sin() + if x[(i, 5)].is_nan() { 1.0 } else { 0.0 };
    let data = Dataset::new(&x).with_target(Target::real((0..200).map(y).collect::<Vec<_>>())).unwrap();
    let weights: Vec<f64> = (0..200).map(|_| 0.5 + uniform(&mut rng)).collect();
    let data = data.with_weights(weights).unwrap();
    for depth in [1, 3, 12] {
        let model = DecisionTreeRegressor::default().max_depth(Some(depth)).fit(&data).unwrap();
        let some = x.view().rows(0..15).to_mat();
        let rows: Vec<Vec<f64>> = (0..15).map(|i| some.row(i).to_vec()).collect();
        compare(model.as_model(), &model.tree, &Input::from(&some), &rows, 1);
    }
}

#[test]
fn contributions_are_shapley_values_of_classes_and_categories() {
    let mut rng = rng_for(4, 0);
    let codes: Vec<u32> = (0..150).map(|_| (5.0 * uniform(&mut rng)) as u32).collect();
    let numbers: Vec<f64> = (0..150).map(|_| normal(&mut rng)).collect();
    let classes: Vec<i64> = (0..150)
        .map(|i| i64::from(codes[i].is_multiple_of(2)) + i64::from(numbers[i] + 0.5 * normal(&mut rng) > 0.0))
        .collect();
    let levels: Vec<String> = (0..5).map(|l| format!("l{l}")).collect();
    let table = Table::new(vec![
        ("a".to_owned(), Column::Categorical { codes: codes.clone().into(), levels: levels.into() }),
        ("b".to_owned(), Column::numbers(numbers.clone())),
    ])
    .unwrap();
    let data = Dataset::new(table.clone()).with_target(Target::classes(&classes)).unwrap();
    let model = DecisionTreeClassifier::default().max_depth(Some(4)).fit(&data).unwrap();
    let rows: Vec<Vec<f64>> = (0..20).map(|i| vec![f64::from(codes[i]), numbers[i]]).collect();
    let few = Input::from(table.gather(&(0..20).collect::<Vec<_>>()));
    compare(model.as_model(), &model.tree, &few, &rows, 3);
}

#[test]
fn a_tree_without_splits_explains_nothing() {
    let x = Mat::zeros(4, 2);
    let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 2.0, 3.0, 4.0])).unwrap();
    let model = DecisionTreeRegressor::default().fit(&data).unwrap();
    let found = model.as_model().contributions(&Input::from(&x), &Session::default()).unwrap();
    assert_eq!(found.base, [2.5]);
    assert!(found.values[0].as_slice().iter().all(|v| *v == 0.0));
}

#[test]
fn the_parts_of_a_forest_add_up() {
    let mut rng = rng_for(6, 0);
    let x = Mat::from_fn(300, 5, |_, _| normal(&mut rng));
    let y = |i: usize| x[(i, 0)] * x[(i, 1)] + x[(i, 2)];
    let numbers: Vec<f64> = (0..300).map(y).collect();
    let classes: Vec<i64> = numbers.iter().map(|v| (v.clamp(-1.4, 1.4) + 1.5) as i64).collect();
    let session = Session::default();
    let real = Dataset::new(&x).with_target(Target::real(numbers)).unwrap();
    let forest = RandomForestRegressor::default().n_estimators(20).fit(&real).unwrap();
    let parts = forest.as_model().contributions(&Input::from(&x), &session).unwrap();
    let found = forest.predict(&x).unwrap();
    for (i, v) in found.numbers().unwrap().iter().enumerate() {
        let sum = parts.base[0] + parts.values[0].row(i).iter().sum::<f64>();
        assert!((sum - v).abs() < 1e-9, "row {i}: {sum} {v}");
    }
    let coded = Dataset::new(&x).with_target(Target::classes(&classes)).unwrap();
    let forest = ExtraTreesClassifier::default().n_estimators(20).fit(&coded).unwrap();
    let parts = forest.as_model().contributions(&Input::from(&x), &session).unwrap();
    let p = forest.predict_proba(&x).unwrap();
    let pairs = forest.as_model().interactions(&Input::from(x.view().rows(0..5).to_mat()), &session).unwrap();
    for i in 0..5 {
        for k in 0..p.n_cols() {
            let own = parts.values[k].row(i);
            assert!((parts.base[k] + own.iter().sum::<f64>() - p[(i, k)]).abs() < 1e-9);
            assert!((0..5).all(|j| (pairs[k][i].row(j).iter().sum::<f64>() - own[j]).abs() < 1e-9));
        }
    }
}

#[test]
fn the_parts_of_boosted_trees_add_up_to_the_score() {
    let mut rng = rng_for(8, 0);
    let x = Mat::from_fn(
        500,
        4,
        |_, j| if j == 3 && uniform(&mut rng) < 0.3 { f64::NAN } else { normal(&mut rng) },
    );
    let classes: Vec<i64> =
        (0..500).map(|i| i64::from(x[(i, 0)] * x[(i, 1)] > 0.0) + i64::from(x[(i, 2)] > 1.0)).collect();
    let data = Dataset::new(&x).with_target(Target::classes(&classes)).unwrap();
    let model = HistGradientBoostingClassifier::default().max_iter(15).fit(&data).unwrap();
    let parts = model.as_model().contributions(&Input::from(&x), &Session::default()).unwrap();
    let scores = model.decision_function(&x).unwrap();
    for i in 0..500 {
        for k in 0..3 {
            let sum = parts.base[k] + parts.values[k].row(i).iter().sum::<f64>();
            assert!((sum - scores[(i, k)]).abs() < 1e-9, "row {i}: {sum} {}", scores[(i, k)]);
        }
    }
}
