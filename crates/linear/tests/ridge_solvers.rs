//! Solvers of ridge regression against each other, and penalties for each target.

use mercer_core::{Dataset, Fit, Session, Target};
use mercer_linear::{Penalties, Ridge, RidgeClassifier, RidgeSolver};
use mercer_math::{Csr, Mat, normal, rng_for};
use mercer_testkit::assert_close;

const ITERATE: [RidgeSolver; 6] = [
    RidgeSolver::SparseCg,
    RidgeSolver::Lsqr,
    RidgeSolver::GradientDescent,
    RidgeSolver::Sag,
    RidgeSolver::Saga,
    RidgeSolver::Lbfgs,
];

/// Rows of columns that differ in size, two targets, and weights of which some are zero.
fn problem(n: usize, d: usize) -> (Mat, Vec<Vec<f64>>, Vec<f64>) {
    let mut rng = rng_for(13, 0);
    let x = Mat::from_fn(n, d, |i, j| {
        if (i + j) % 3 == 0 { 0.0 } else { (1.0 + 0.3 * j as f64) * normal(&mut rng) + 2.0 }
    });
    let mut target = || -> Vec<f64> {
        let w: Vec<f64> = (0..d).map(|_| normal(&mut rng)).collect();
        (0..n).map(|i| 5.0 + mercer_math::dot(x.row(i), &w) + normal(&mut rng)).collect()
    };
    let y = vec![target(), target()];
    (x, y, (0..n).map(|i| f64::from((i % 4) as u32) * 0.5).collect())
}

#[test]
fn all_that_iterate_agree_to_ten_digits() {
    for (n, d) in [(60, 6), (14, 25)] {
        let (x, y, weights) = problem(n, d);
        let csr = Csr::from_dense(x.view());
        for intercept in [true, false] {
            let ridge = Ridge::default()
                .alphas(Penalties::Several(vec![3.0, 20.0]))
                .fit_intercept(intercept)
                .tol(1e-13)
                .max_iter(Some(100_000));
            let with = |data: Dataset<'static>| {
                let data = data.with_target(Target::multi(y.clone()).unwrap()).unwrap();
                data.with_weights(weights.clone()).unwrap()
            };
            let (dense, sparse) = (with(Dataset::new(x.clone())), with(Dataset::new(csr.clone())));
            let exact = ridge.clone().solver(RidgeSolver::Cholesky).fit(&dense).unwrap();
            for solver in ITERATE {
                for data in [&dense, &sparse] {
                    let model = ridge.clone().solver(solver).fit(data).unwrap();
                    let told = format!("{solver:?} {n}x{d} {intercept}: {}", model.certificate());
                    assert_close(model.coef.as_slice(), exact.coef.as_slice(), 1e-10, &told);
                    assert_close(&model.intercept, &exact.intercept, 1e-10, &told);
                    assert!(model.certificate().termination.is_success(), "{told}");
                    assert!(model.verify(data).unwrap().iter().all(|v| v.holds), "{told}");
                }
            }
        }
    }
}

#[test]
fn what_has_not_converged_says_so() {
    let (x, y, _) = problem(60, 6);
    let data = Dataset::new(&x).with_target(Target::real(y[0].clone())).unwrap();
    for solver in ITERATE {
        let learner = Ridge::default().alpha(0.01).solver(solver).tol(1e-14).max_iter(Some(1));
        let certificate = learner.fit(&data).unwrap().certificate().clone();
        assert!(!certificate.termination.is_success(), "{solver:?}: {certificate}");
        assert!(certificate.evidence[0].value > 1e-10, "{solver:?}: {certificate}");
    }
}

#[test]
fn positive_coefficients_are_the_same_by_pivoting_and_by_bounds() {
    let (x, y, weights) = problem(60, 6);
    let csr = Csr::from_dense(x.view());
    let ridge = Ridge::default().alpha(2.0).positive(true).tol(1e-13);
    let target = || Target::real(y[0].clone());
    let dense = Dataset::new(&x).with_target(target()).unwrap().with_weights(weights.clone()).unwrap();
    let sparse = Dataset::new(&csr).with_target(target()).unwrap().with_weights(weights).unwrap();
    let exact = ridge.fit(&dense).unwrap();
    assert!(exact.coef.as_slice().contains(&0.0) && exact.coef.as_slice().iter().all(|w| *w >= 0.0));
    for data in [&dense, &sparse] {
        for solver in [RidgeSolver::Auto, RidgeSolver::Lbfgs] {
            let model = ridge.clone().solver(solver).fit(data).unwrap();
            assert_close(model.coef.as_slice(), exact.coef.as_slice(), 1e-9, &format!("{solver:?}"));
            assert!(model.verify(data).unwrap().iter().all(|v| v.holds));
        }
    }
    assert!(ridge.solver(RidgeSolver::Saga).fit(&dense).is_err());
}

#[test]
fn each_target_may_have_its_penalty() {
    for (n, d) in [(60, 6), (14, 25)] {
        let (x, y, _) = problem(n, d);
        let data = Dataset::new(&x).with_target(Target::multi(y.clone()).unwrap()).unwrap();
        for solver in [RidgeSolver::Auto, RidgeSolver::Cholesky, RidgeSolver::Svd, RidgeSolver::Dual] {
            let both = Ridge::default().solver(solver).alphas(Penalties::Several(vec![0.5, 7.0]));
            let model = both.fit(&data).unwrap();
            for (k, alpha) in [0.5, 7.0].into_iter().enumerate() {
                let one = Dataset::new(&x).with_target(Target::real(y[k].clone())).unwrap();
                let alone = Ridge::default().solver(solver).alpha(alpha).fit(&one).unwrap();
                assert_close(model.coef.row(k), alone.coef.row(0), 1e-10, &format!("{solver:?}"));
            }
            assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
        }
        let wrong = Ridge::default().alphas(Penalties::Several(vec![1.0; 3]));
        assert!(wrong.fit(&data).unwrap_err().to_string().contains("3 penalties"));
    }
}

#[test]
fn several_targets_of_classes_are_learnt_one_beside_the_other() {
    let (x, y, _) = problem(60, 6);
    let codes =
        |k: usize, n: u32| -> Vec<i64> { y[k].iter().map(|v| i64::from((v.abs() as u32) % n)).collect() };
    let (two, three) = (Target::classes(&codes(0, 2)), Target::classes(&codes(1, 3)));
    let both = Target::new([two.columns(), three.columns()].concat()).unwrap();
    let together = RidgeClassifier::default().fit(&Dataset::new(&x).with_target(both).unwrap()).unwrap();
    let said = together.predict(&x).unwrap();
    for (k, target) in [two, three].into_iter().enumerate() {
        let alone = RidgeClassifier::default().fit(&Dataset::new(&x).with_target(target).unwrap()).unwrap();
        assert_eq!(said.columns()[k].values, alone.predict(&x).unwrap().columns()[0].values);
    }
}

#[test]
fn rows_are_drawn_by_the_seed() {
    let (x, y, _) = problem(60, 6);
    let data = Dataset::new(&x).with_target(Target::real(y[0].clone())).unwrap();
    let learner = Ridge::default().solver(RidgeSolver::Saga).tol(1e-3);
    let of = |seed: u64, threads: usize| {
        let session = Session::new(seed).with_threads(threads);
        learner.fit_in(&data, &session).unwrap().coef.clone()
    };
    assert_eq!(of(1, 1), of(1, 2));
    assert_ne!(of(1, 1), of(2, 1));
}
