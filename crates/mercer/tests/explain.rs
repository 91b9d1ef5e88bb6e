//! Explanations of any model against closed forms: partial dependence, individual curves, accumulated effects.

use mercer::assess::{
    DependenceOptions, Grid, accumulated_effects, partial_dependence, permutation_importance,
};
use mercer::math::{normal, rng_for};
use mercer::measure::Metric;
use mercer::prelude::*;

fn train(spec: &str, data: &Dataset<'_>) -> Box<dyn Model> {
    mercer::learner(spec).unwrap().train(data, &Session::default()).unwrap()
}

#[test]
fn a_linear_model_depends_linearly() {
    let mut rng = rng_for(1, 0);
    let x = Mat::from_fn(120, 3, |_, _| normal(&mut rng));
    let y: Vec<f64> = (0..120).map(|i| 2.0 * x[(i, 0)] - x[(i, 1)] + 0.5).collect();
    let weights: Vec<f64> = (0..120).map(|i| 1.0 + (i % 3) as f64).collect();
    let data =
        Dataset::new(&x).with_target(Target::real(y.clone())).unwrap().with_weights(weights.clone()).unwrap();
    let model = train("ridge:alpha=0", &data);
    let session = Session::default();
    let asked = DependenceOptions { places: 20, individual: true, ..DependenceOptions::default() };
    let found = partial_dependence(model.as_ref(), &data, &["x0"], &asked, &session).unwrap();
    let [Grid::Numbers(grid)] = &found.grids[..] else { panic!("numbers") };
    assert_eq!((grid.len(), found.mean.n_rows(), found.individual.len()), (20, 20, 1));
    let total: f64 = weights.iter().sum();
    let rest: f64 = (0..120).map(|i| weights[i] * (0.5 - x[(i, 1)])).sum::<f64>() / total;
    for (g, v) in grid.iter().enumerate() {
        assert!((found.mean[(g, 0)] - (2.0 * v + rest)).abs() < 1e-8);
        assert!((0..120).all(|i| (found.individual[0][(i, g)] - (2.0 * v - x[(i, 1)] + 0.5)).abs() < 1e-8));
    }
    // Two columns together: the last is next to each other.
    let asked = DependenceOptions { places: 7, ..DependenceOptions::default() };
    let pair = partial_dependence(model.as_ref(), &data, &["x0", "x1"], &asked, &session).unwrap();
    let [Grid::Numbers(first), Grid::Numbers(second)] = &pair.grids[..] else { panic!("numbers") };
    assert_eq!((pair.mean.n_rows(), pair.individual.len()), (49, 0));
    for (cell, said) in pair.mean.col(0).iter().enumerate() {
        assert!((said - (2.0 * first[cell / 7] - second[cell % 7] + 0.5)).abs() < 1e-8);
    }
    let effects = accumulated_effects(model.as_ref(), &data, "x1", 15, &session).unwrap();
    for w in 1..effects.edges.len() {
        let slope = (effects.effects[(w, 0)] - effects.effects[(w - 1, 0)])
            / (effects.edges[w] - effects.edges[w - 1]);
        assert!((slope + 1.0).abs() < 1e-7, "{slope}");
    }
    let error = partial_dependence(model.as_ref(), &data, &["x9"], &asked, &session).unwrap_err().to_string();
    assert!(error.contains("x9"), "{error}");
}

#[test]
fn accumulated_effects_stay_where_the_rows_are() {
    // Two columns that are one, and their product: along the rows f grows as v², of which each column has half.
    let x = Mat::from_fn(2001, 2, |i, _| i as f64 / 1000.0 - 1.0);
    let y: Vec<f64> = (0..2001).map(|i| x[(i, 0)] * x[(i, 1)]).collect();
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let model = train("pipeline:steps=[polynomial(degree=2,interaction_only=true), ridge(alpha=0)]", &data);
    let found = accumulated_effects(model.as_ref(), &data, "x0", 200, &Session::default()).unwrap();
    // ∫ v dv = v²/2, less its mean over [-1, 1], 1/6.
    for (e, v) in found.edges.iter().enumerate() {
        assert!(
            (found.effects[(e, 0)] - (v * v / 2.0 - 1.0 / 6.0)).abs() < 2e-3,
            "{v}: {}",
            found.effects[(e, 0)]
        );
    }
}

#[test]
fn categories_probabilities_and_useless_columns() {
    let levels = ["a", "b", "c"];
    let text: Vec<Option<&str>> = (0..90).map(|i| Some(levels[i % 3])).collect();
    let classes: Vec<&str> = (0..90).map(|i| if i % 3 == 0 { "yes" } else { "no" }).collect();
    let noise: Vec<f64> = (0..90).map(|i| f64::from((i * 7919 % 90) as u32)).collect();
    let table = Table::new(vec![
        ("kind".to_owned(), Column::categories(&text)),
        ("noise".to_owned(), Column::numbers(noise)),
        ("same".to_owned(), Column::numbers(vec![1.0; 90])),
    ])
    .unwrap();
    let data = Dataset::new(table).with_target(Target::classes(&classes)).unwrap();
    let model = train("tree:max_depth=2", &data);
    let session = Session::default();
    let found = partial_dependence(model.as_ref(), &data, &["kind"], &DependenceOptions::default(), &session)
        .unwrap();
    assert_eq!(found.grids[0], Grid::Levels(levels.iter().map(|l| (*l).to_owned()).collect()));
    assert_eq!(found.outputs, ["no", "yes"]);
    assert_eq!(found.mean.col(1), [1.0, 0.0, 0.0]);
    let flat = accumulated_effects(model.as_ref(), &data, "same", 10, &session).unwrap();
    assert!(flat.effects.as_slice().iter().all(|v| *v == 0.0));
    assert!(accumulated_effects(model.as_ref(), &data, "kind", 10, &session).is_err());
    let important =
        permutation_importance(model.as_ref(), &data, Metric::by_name("accuracy").unwrap(), 3, &session)
            .unwrap();
    assert_eq!(important[0].name, "kind");
    let parts = model.contributions(&data.input(), &session).unwrap();
    assert!((0..90).all(|i| parts.values[1][(i, 1)] == 0.0));
}
