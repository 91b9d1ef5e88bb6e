//! Lasso and elastic net against scikit-learn, against their optimality conditions, and at the ends of theory.

use mercer_core::{Dataset, Fit, Session, Target, Termination};
use mercer_linear::{ElasticNet, Lasso, Ridge, Visit};
use mercer_math::{Csr, Mat, normal, rng_for};
use mercer_testkit::{assert_within, numbers};

#[test]
fn matches_reference() {
    let all: serde_json::Value = mercer_testkit::reference(include_str!("reference/lasso.json"));
    for p in all["problems"].as_array().unwrap() {
        let (n, d) = (p["n"].as_u64().unwrap() as usize, p["d"].as_u64().unwrap() as usize);
        let x = Mat::from_vec(numbers(&p["x"]), n, d).unwrap();
        let csr = Csr::from_dense(x.view());
        let target = Target::real(numbers(&p["y"]));
        for fit in p["fits"].as_array().unwrap() {
            let net = ElasticNet::default()
                .alpha(fit["alpha"].as_f64().unwrap())
                .l1_ratio(fit["l1_ratio"].as_f64().unwrap())
                .fit_intercept(fit["fit_intercept"].as_bool().unwrap())
                .positive(fit["positive"].as_bool().unwrap())
                .tol(1e-13)
                .max_iter(1_000_000);
            let (coef, intercept) = (numbers(&fit["coef"]), fit["intercept"].as_f64().unwrap());
            for data in [Dataset::new(&x), Dataset::new(&csr)] {
                let mut data = data.with_target(target.clone()).unwrap();
                if fit["weighted"].as_bool().unwrap() {
                    data = data.with_weights(numbers(&p["weights"])).unwrap();
                }
                let model = net.fit(&data).unwrap();
                assert_within(model.coef(), &coef, 1e-6, &fit.to_string());
                assert_within(&[model.intercept()], &[intercept], 1e-6, &fit.to_string());
                let kkt = model.certificate().evidence[1].value;
                assert!(kkt < 1e-9, "{kkt} {}", model.certificate());
                assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{:?}", model.verify(&data));
            }
        }
    }
}

fn problem(n: usize, d: usize) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(4, 1);
    let x = Mat::from_fn(n, d, |_, _| 3.0 + normal(&mut rng));
    let y = (0..n).map(|i| 2.0 * x[(i, 0)] - x[(i, d - 1)] + 0.2 * normal(&mut rng)).collect();
    (x, y)
}

/// In every shape, default tolerance: the claimed gap holds on the data, and the true distance is within it.
#[test]
fn the_gap_bounds_the_distance_to_the_optimum() {
    for (n, d) in [(200, 10), (30, 80)] {
        let (x, y) = problem(n, d);
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
        let exact = Lasso::default().alpha(0.05).tol(1e-15).max_iter(100_000).fit(&data).unwrap();
        let loose = Lasso::default().alpha(0.05).tol(0.05).fit(&data).unwrap();
        let (a, b) = (loose.certificate().objective.unwrap(), exact.certificate().objective.unwrap());
        assert!(a - b <= loose.certificate().evidence[0].value + 1e-12 && a >= b - 1e-12, "{a} {b}");
        assert_eq!(loose.certificate().termination, Termination::Converged);
    }
}

#[test]
fn the_ends_of_the_path_are_zero_and_least_squares() {
    let (x, y) = problem(100, 6);
    let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
    let mean = y.iter().sum::<f64>() / 100.0;
    let column = |j: usize| x.col(j).iter().sum::<f64>() / 100.0;
    let largest = (0..6).fold(0.0f64, |a, j| {
        let m = column(j);
        a.max((0..100).map(|i| (x[(i, j)] - m) * (y[i] - mean)).sum::<f64>().abs() / 100.0)
    });
    let none = Lasso::default().alpha(largest * (1.0 + 1e-9)).fit(&data).unwrap();
    assert!(none.coef().iter().all(|w| *w == 0.0) && (none.intercept() - mean).abs() < 1e-12);
    let some = Lasso::default().alpha(largest * (1.0 - 1e-6)).tol(1e-14).fit(&data).unwrap();
    assert_eq!(some.coef().iter().filter(|w| **w != 0.0).count(), 1);
    let least = ElasticNet::default().alpha(1e-12).tol(1e-16).max_iter(100_000).fit(&data).unwrap();
    let ridge = Ridge::default().alpha(0.0).fit(&data).unwrap();
    assert!(least.coef().iter().zip(ridge.coef.as_slice()).all(|(a, b)| (a - b).abs() < 1e-8));
    let l2 = ElasticNet::default().alpha(0.3).l1_ratio(0.0).tol(1e-16).max_iter(100_000).fit(&data).unwrap();
    let ridge = Ridge::default().alpha(30.0).fit(&data).unwrap();
    assert!(l2.coef().iter().zip(ridge.coef.as_slice()).all(|(a, b)| (a - b).abs() < 1e-8));
}

#[test]
fn a_copied_feature_shares_its_weight_in_the_elastic_net() {
    let (x, y) = problem(80, 3);
    let twice = Mat::from_fn(80, 4, |i, j| x[(i, j % 3)]);
    let data = Dataset::new(&twice).with_target(Target::real(y)).unwrap();
    let net = ElasticNet::default().alpha(0.1).tol(1e-15).max_iter(100_000).fit(&data).unwrap();
    assert!((net.coef()[0] - net.coef()[3]).abs() < 1e-7, "{:?}", net.coef());
}

#[test]
fn random_order_and_weights_reach_the_same_optimum() {
    let (x, y) = problem(60, 90);
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let lasso = Lasso::default().alpha(0.1).tol(1e-14).max_iter(100_000);
    let cyclic = lasso.fit(&data).unwrap();
    let random = lasso.clone().selection(Visit::Random).fit_in(&data, &Session::new(3)).unwrap();
    assert!(cyclic.coef().iter().zip(random.coef()).all(|(a, b)| (a - b).abs() < 1e-8));
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i % 3)).collect();
    let copies: Vec<usize> = (0..60).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let weighted = lasso.fit(&data.clone().with_weights(weights).unwrap()).unwrap();
    let copied = lasso.fit(&data.subset(&copies).unwrap()).unwrap();
    assert!(weighted.coef().iter().zip(copied.coef()).all(|(a, b)| (a - b).abs() < 1e-9));
    let short = lasso.clone().max_iter(1).fit(&data).unwrap();
    assert_eq!(short.certificate().termination, Termination::IterationLimit);
}
