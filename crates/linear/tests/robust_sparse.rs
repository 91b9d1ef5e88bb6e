//! Robust regressions of sparse rows: those of the same rows, dense.

use mercer_core::{Dataset, Fit, Fitted, Session, Target};
use mercer_linear::{HuberRegressor, LpRegressor, QuantileRegressor, RobustLoss};
use mercer_math::{Csr, Mat, normal, rng_for, uniform};
use mercer_testkit::assert_close;

/// Rows of which most numbers are zero, a target with outliers, and weights of which some are zero.
fn problem(n: usize, d: usize) -> (Mat, Vec<f64>, Vec<f64>) {
    let mut rng = rng_for(3, 0);
    let x = Mat::from_fn(n, d, |_, j| {
        if uniform(&mut rng) < 0.7 { 0.0 } else { 10f64.powi(j as i32 % 3 - 1) * (2.0 + normal(&mut rng)) }
    });
    let w: Vec<f64> = (0..d).map(|j| if j % 2 == 0 { 1.5 } else { -0.5 }).collect();
    let y = (0..n)
        .map(|i| {
            let far = if i % 9 == 0 { 40.0 } else { 0.0 };
            3.0 + far + mercer_math::dot(x.row(i), &w) + normal(&mut rng)
        })
        .collect();
    (x, y, (0..n).map(|i| f64::from((i % 5) as u32)).collect())
}

fn both(x: &Mat, y: &[f64], weights: Option<&[f64]>) -> [Dataset<'static>; 2] {
    [Dataset::new(x.clone()), Dataset::new(Csr::from_dense(x.view()))].map(|data| {
        let data = data.with_target(Target::real(y.to_vec())).unwrap();
        weights.map_or(data.clone(), |w| data.with_weights(w.to_vec()).unwrap())
    })
}

#[test]
fn sparse_rows_give_the_dense_answer() {
    let (x, y, weights) = problem(120, 8);
    for weights in [None, Some(weights.as_slice())] {
        for intercept in [true, false] {
            let [dense, sparse] = both(&x, &y, weights);
            for alpha in [0.0, 0.1] {
                let huber = HuberRegressor::default().alpha(alpha).fit_intercept(intercept);
                let (a, b) = (huber.fit(&dense).unwrap(), huber.fit(&sparse).unwrap());
                assert_close(b.coef(), a.coef(), 1e-7, "huber");
                assert_close(&[b.intercept()], &[a.intercept()], 1e-7, "huber");
                let scale = |m: &mercer_linear::RobustModel| match m.loss() {
                    RobustLoss::Huber { scale, .. } => *scale,
                    _ => f64::NAN,
                };
                assert_close(&[scale(&b)], &[scale(&a)], 1e-7, "scale");
                assert!(b.verify(&sparse).unwrap().iter().all(|v| v.holds), "{}", b.certificate());
                let quantile =
                    QuantileRegressor::default().quantile(0.3).alpha(0.1 * alpha).fit_intercept(intercept);
                let (a, b) = (quantile.fit(&dense).unwrap(), quantile.fit(&sparse).unwrap());
                let objective = |m: &mercer_linear::RobustModel| m.certificate().objective.unwrap();
                assert_close(&[objective(&b)], &[objective(&a)], 1e-10, "quantile");
                assert!(b.certificate().evidence[0].value < 1e-9, "{}", b.certificate());
                assert!(b.verify(&sparse).unwrap().iter().all(|v| v.holds), "{}", b.certificate());
            }
            for p in [1.0, 1.5, 3.0] {
                let learner = LpRegressor::default().p(p).fit_intercept(intercept);
                let (a, b) = (learner.fit(&dense).unwrap(), learner.fit(&sparse).unwrap());
                let objective = |m: &mercer_linear::RobustModel| m.certificate().objective.unwrap();
                assert_close(&[objective(&b)], &[objective(&a)], 1e-8, &format!("power {p}"));
            }
        }
    }
}

#[test]
fn a_fit_begins_where_it_is_told() {
    let (x, y, _) = problem(120, 8);
    let [dense, _] = both(&x, &y, None);
    let huber = HuberRegressor::default();
    let cold = huber.fit(&dense).unwrap();
    let RobustLoss::Huber { scale, .. } = cold.loss() else { panic!("Huber's loss") };
    let start = [cold.coef(), &[cold.intercept(), *scale]].concat();
    let warm = huber.fit_in(&dense, &Session::default().with_start(start)).unwrap();
    assert_eq!(warm.certificate().iterations, Some(0));
    assert_close(warm.coef(), cold.coef(), 1e-9, "warm");
    assert!(huber.fit_in(&dense, &Session::default().with_start(vec![0.0; 8])).is_err());
}

#[test]
fn many_columns_of_few_numbers_are_learnt() {
    let (n, d) = (1200, 300);
    let (mut csr, mut rng) = (Csr::empty(d), rng_for(9, 0));
    let mut y = Vec::new();
    for i in 0..n as u32 {
        csr.push_row(&[i % 7, 7 + (i * 31) % (d as u32 - 7)], &[1.0 + f64::from(i % 3), 1.0]);
        y.push(2.0 * f64::from(i % 7) + normal(&mut rng));
    }
    let data = Dataset::new(csr).with_target(Target::real(y)).unwrap();
    let model = HuberRegressor::default().alpha(1.0).fit(&data).unwrap();
    assert!(model.certificate().evidence[0].value < 1e-7, "{}", model.certificate());
}
