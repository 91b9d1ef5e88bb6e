//! Models whose numbers were changed do not verify, in whatever units their data come; nor do solutions that are none.

use mercer::linear::{Ridge, RidgeSolver};
use mercer::prelude::*;
use mercer::{AttributeValues, Termination};
use mercer_math::{normal, rng_for};

const N: usize = 120;

fn rows(unit: f64) -> Mat {
    let mut rng = rng_for(3, 1);
    Mat::from_fn(N, 3, |i, j| unit * ((i % 3) as f64 * (j as f64 - 1.0) + normal(&mut rng)))
}

fn numbers(x: &Mat, unit: f64) -> Vec<f64> {
    let mut rng = rng_for(4, 1);
    let size = x.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let line = |i: usize| (x[(i, 0)] - 2.0 * x[(i, 2)]) / size;
    (0..N).map(|i| unit * (2.0 + line(i) + 0.1 * normal(&mut rng))).collect()
}

fn real(model: &dyn Model, name: &str) -> Vec<f64> {
    match model.attributes().into_iter().find(|a| a.name == name).map(|a| a.values) {
        Some(AttributeValues::Real(v)) => v,
        _ => panic!("no {name}"),
    }
}

/// The model with one number in place of another, wherever it is written.
fn forged(model: &dyn Model, from: f64, to: f64) -> Box<dyn Model> {
    let mut encoded = model.encode().unwrap();
    let (old, new) = (from.to_le_bytes(), to.to_le_bytes());
    let places: Vec<usize> =
        (0..encoded.bytes.len() - 7).filter(|&at| encoded.bytes[at..at + 8] == old).collect();
    assert!(!places.is_empty(), "{} is not written", from);
    places.iter().for_each(|&at| encoded.bytes[at..at + 8].copy_from_slice(&new));
    let _ = mercer::catalogue();
    mercer::core::catalogue::decode(&encoded).unwrap()
}

fn holds(model: &dyn Model, data: &Dataset<'_>) -> bool {
    let found = model.verify(data, &Session::default()).unwrap();
    assert!(!found.is_empty());
    found.iter().all(|v| v.holds)
}

/// Trains, and changes each of some numbers of the model by two per cent of the largest.
fn check(spec: &str, data: &Dataset<'_>, told: &str, of: &dyn Fn(&dyn Model) -> Vec<f64>) {
    let model = mercer::learner(spec).unwrap().train(data, &Session::default()).unwrap();
    assert!(holds(model.as_ref(), data), "{spec} {told}: {:?}", model.verify(data, &Session::default()));
    let values = of(model.as_ref());
    let size = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut different: Vec<f64> = values.into_iter().filter(|v| *v != 0.0).collect();
    different.dedup();
    assert!(!different.is_empty(), "{spec} {told}");
    for value in different.into_iter().take(6) {
        let lie = forged(model.as_ref(), value, value + 0.02 * size);
        let found = lie.verify(data, &Session::default()).unwrap();
        assert!(found.iter().any(|v| !v.holds), "{spec} {told}: {value} {found:?}");
    }
}

fn leaves(model: &dyn Model) -> Vec<f64> {
    let (trees, schema) = model.trees().unwrap();
    let nodes = trees.nodes(0, schema);
    let heavy = nodes.into_iter().filter(|n| n.branches.is_empty() && n.weight >= 6.0);
    heavy.flat_map(|n| n.value).collect()
}

#[test]
fn changed_coefficients_leaves_and_centres_do_not_verify_in_any_units() {
    for (x_unit, y_unit) in
        [(1.0, 1.0), (1.0, 1e-4), (1.0, 3e5), (1.0, 1e-150), (1.0, 1e150), (1e-150, 1.0), (1e150, 1.0)]
    {
        let x = rows(x_unit);
        let y = numbers(&x, y_unit);
        let told = format!("at {x_unit:e}, {y_unit:e}");
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
        let coef = |m: &dyn Model| real(m, "coef_");
        let weak = x_unit * x_unit;
        for solver in ["cholesky", "svd", "dual", "sparse_cg"] {
            check(&format!("Ridge:alpha={weak:e},tol=1e-12,solver={solver}"), &data, &told, &coef);
        }
        let strength = 0.01 * x_unit * y_unit;
        check(&format!("Lasso:alpha={strength:e},tol=1e-12"), &data, &told, &coef);
        check("DecisionTreeRegressor:max_depth=3", &data, &told, &leaves);
        check("RandomForestRegressor:n_estimators=1,bootstrap=false,max_depth=3", &data, &told, &leaves);
        let centres = |m: &dyn Model| real(m, "cluster_centers_");
        check("KMeans:n_clusters=3", &Dataset::new(&x), &told, &centres);
        let components = |m: &dyn Model| real(m, "components_");
        check("PCA:n_components=2", &Dataset::new(&x), &told, &components);
        if (1e-30..1e30).contains(&y_unit) {
            check("HistGradientBoostingRegressor:max_iter=1,max_leaf_nodes=4", &data, &told, &leaves);
        }
        if y_unit == 1.0 {
            let classes = Target::classes(&(0..N).map(|i| i64::from(i % 3 == 0)).collect::<Vec<_>>());
            let data = Dataset::new(&x).with_target(classes).unwrap();
            let spec = format!("LogisticRegression:C={:e},tol=1e-10", 1.0 / weak);
            check(&spec, &data, &told, &coef);
        }
    }
}

#[test]
fn a_lasso_on_large_targets_verifies_on_its_own_rows() {
    for seed in 0..20 {
        let mut rng = rng_for(seed, 9);
        let x = Mat::from_fn(100, 5, |_, _| normal(&mut rng));
        let y: Vec<f64> = (0..100).map(|i| 3e5 + 5e4 * x[(i, 1)] + 1e4 * normal(&mut rng)).collect();
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
        let lasso = mercer::learner("Lasso").unwrap().train(&data, &Session::default()).unwrap();
        assert!(holds(lasso.as_ref(), &data), "{seed}: {:?}", lasso.verify(&data, &Session::default()));
    }
}

#[test]
fn coefficients_of_zero_leave_a_relative_gradient_of_one() {
    let x = rows(1e-150);
    let data = Dataset::new(&x).with_target(Target::real(numbers(&x, 1.0))).unwrap();
    let ridge = Ridge::default().alpha(1e-300).fit(&data).unwrap();
    let (model, mean) = (ridge.into_model(), ridge_mean(&data));
    let mut lie = model;
    for value in real(lie.as_ref(), "coef_") {
        lie = forged(lie.as_ref(), value, 0.0);
    }
    lie = forged(lie.as_ref(), real(lie.as_ref(), "intercept_")[0], mean);
    let found = lie.verify(&data, &Session::default()).unwrap();
    assert!((found[0].found - 1.0).abs() < 1e-9 && !found[0].holds, "{found:?}");
}

fn ridge_mean(data: &Dataset<'_>) -> f64 {
    let target = data.target().unwrap();
    target.numbers().unwrap().iter().sum::<f64>() / N as f64
}

#[test]
fn no_solver_of_ridge_calls_a_bad_solution_exact() {
    let mut rng = rng_for(8, 1);
    let scales = [1e-4, 1e-2, 1.0, 1e2, 1e3];
    let x = Mat::from_fn(200, 5, |_, j| scales[j] * normal(&mut rng));
    let y: Vec<f64> = (0..200)
        .map(|i| (0..5).map(|j| x[(i, j)] / scales[j]).sum::<f64>() + 2.0 * normal(&mut rng))
        .collect();
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let best = Ridge::default().alpha(0.0).solver(RidgeSolver::Cholesky).fit(&data).unwrap();
    for solver in [RidgeSolver::Dual, RidgeSolver::Svd, RidgeSolver::Auto] {
        let model = Ridge::default().alpha(0.0).solver(solver).fit(&data).unwrap();
        assert_eq!(model.certificate().termination, Termination::Exact, "{solver:?}");
        for (a, b) in model.coef.as_slice().iter().zip(best.coef.as_slice()) {
            assert!((a - b).abs() < 1e-6 * b.abs(), "{solver:?}: {a} for {b}");
        }
    }
}

#[test]
fn conjugate_gradients_give_numbers_or_an_error_at_any_scale() {
    for unit in [1e-200, 1e-150, 1e150, 1e200] {
        let x = rows(unit);
        let data = Dataset::new(&x).with_target(Target::real(numbers(&x, 1.0))).unwrap();
        match Ridge::default().solver(RidgeSolver::SparseCg).fit(&data) {
            Ok(model) => {
                assert!(model.coef.as_slice().iter().all(|v| v.is_finite()));
                assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
            }
            Err(e) => assert!(e.to_string().contains("too large or too small"), "{e}"),
        }
    }
}
