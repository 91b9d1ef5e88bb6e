//! Nets that begin at given coefficients, and nets that are chosen on the caller's folds.

use mercer_core::{Dataset, Fit, Session, Target};
use mercer_linear::{
    Alphas, ElasticNet, ElasticNetCv, Lasso, LassoCv, MultiTaskElasticNetCv, MultiTaskLasso,
};
use mercer_math::{Csr, Mat, normal, rng_for};
use mercer_measure::{Split, k_fold};
use mercer_testkit::assert_close;

fn problem(n: usize, d: usize) -> (Mat, Vec<Vec<f64>>) {
    let mut rng = rng_for(5, 0);
    let x = Mat::from_fn(n, d, |_, _| normal(&mut rng));
    let target = |shift: usize, rng: &mut _| -> Vec<f64> {
        (0..n).map(|i| 2.0 * x[(i, shift)] - x[(i, shift + 1)] + 0.1 * normal(rng)).collect()
    };
    let y = vec![target(0, &mut rng), target(1, &mut rng)];
    (x, y)
}

#[test]
fn a_fit_that_begins_at_the_optimum_is_done() {
    for (n, d) in [(60, 10), (20, 50)] {
        let (x, y) = problem(n, d);
        let csr = Csr::from_dense(x.view());
        for data in [Dataset::new(x.clone()), Dataset::new(csr)] {
            let data = data.with_target(Target::multi(y.clone()).unwrap()).unwrap();
            let net = ElasticNet::default().alpha(0.05).tol(1e-8);
            let cold = net.fit(&data).unwrap();
            let warm = net.fit_in(&data, &Session::default().with_start(cold.coef().to_vec())).unwrap();
            assert!(cold.certificate().iterations.unwrap() > 1);
            assert_eq!(warm.certificate().iterations, Some(0), "{}", warm.certificate());
            assert_close(warm.coef(), cold.coef(), 1e-9, "warm");
            let tasks = MultiTaskLasso::default().alpha(0.05).tol(1e-8);
            let cold = tasks.fit(&data).unwrap();
            let warm = tasks.fit_in(&data, &Session::default().with_start(cold.coef().to_vec())).unwrap();
            assert_eq!(warm.certificate().iterations, Some(0), "{}", warm.certificate());
            assert_close(warm.coef(), cold.coef(), 1e-9, "warm tasks");
        }
    }
}

#[test]
fn any_start_leads_to_the_optimum() {
    for (n, d) in [(60, 10), (20, 50)] {
        let (x, y) = problem(n, d);
        let data = Dataset::new(&x).with_target(Target::real(y[0].clone())).unwrap();
        for positive in [false, true] {
            let lasso = Lasso::default().alpha(0.05).tol(1e-12).max_iter(100_000).positive(positive);
            let cold = lasso.fit(&data).unwrap();
            let far: Vec<f64> = (0..d).map(|j| if j % 2 == 0 { -50.0 } else { 9.0 }).collect();
            let warm = lasso.fit_in(&data, &Session::default().with_start(far)).unwrap();
            assert_close(warm.coef(), cold.coef(), 1e-6, "from afar");
            assert!(warm.verify(&data).unwrap().iter().all(|v| v.holds));
        }
        assert!(Lasso::default().fit_in(&data, &Session::default().with_start(vec![0.0; d + 1])).is_err());
        assert!(Lasso::default().fit_in(&data, &Session::default().with_start(vec![f64::NAN; d])).is_err());
    }
}

#[test]
fn folds_of_the_caller_are_those_that_are_used() {
    for (n, d) in [(60, 10), (24, 50)] {
        let (x, y) = problem(n, d);
        let data = Dataset::new(&x).with_target(Target::real(y[0].clone())).unwrap();
        let learner = LassoCv::default().alphas(Alphas::Count(12)).cv(Some(4));
        let own = learner.fit(&data).unwrap();
        let folds = k_fold(n, 4, None).unwrap();
        let given = learner.fit_on(&data, &folds, &Session::default()).unwrap();
        assert_eq!(given.mse_path(), own.mse_path());
        assert_eq!(given.coef(), own.coef());
        // Folds that overlap: each error is that of a fit to the training rows of its fold.
        let overlapping: Vec<Split> =
            (0..3).map(|k| Split { train: (k..n - 6).collect(), test: (n - 8 - k..n).collect() }).collect();
        let learner = ElasticNetCv::default().alphas(Alphas::These(vec![0.1, 0.01]));
        let found = learner.fit_on(&data, &overlapping, &Session::default()).unwrap();
        for (f, fold) in overlapping.iter().enumerate() {
            for (a, alpha) in [0.1, 0.01].into_iter().enumerate() {
                let net = ElasticNet::default().alpha(alpha).tol(1e-10).max_iter(100_000);
                let model = net.fit(&data.subset(&fold.train).unwrap()).unwrap();
                let said = model.predict(&x).unwrap();
                let said = said.numbers().unwrap();
                let error = fold.test.iter().map(|&i| (said[i] - y[0][i]).powi(2)).sum::<f64>();
                let error = error / fold.test.len() as f64;
                assert_close(&[found.mse_path()[a * 3 + f]], &[error], 2e-2, "error of a fold");
            }
        }
        let both = Dataset::new(&x).with_target(Target::multi(y.clone()).unwrap()).unwrap();
        let tasks = MultiTaskElasticNetCv::default().alphas(Alphas::Count(5)).cv(Some(4));
        let (a, b) = (tasks.fit(&both).unwrap(), tasks.fit_on(&both, &folds, &Session::default()).unwrap());
        assert_eq!(a.mse_path(), b.mse_path());
        for wrong in [
            vec![],
            vec![Split { train: vec![0], test: vec![n] }],
            vec![Split { train: vec![], test: vec![0] }],
        ] {
            assert!(learner.fit_on(&data, &wrong, &Session::default()).is_err());
        }
    }
}
