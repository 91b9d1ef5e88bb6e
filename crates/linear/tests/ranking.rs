//! Ranking by pairs: against the same problem on differences of rows, and what queries mean.

use mercer_core::{Dataset, Fit, Target};
use mercer_linear::{LogisticRegression, PairLoss, PairwiseRanker};
use mercer_math::{Mat, below, normal, rng_for};
use mercer_testkit::assert_close;

fn made(n: usize) -> (Mat, Vec<f64>, Vec<u32>) {
    let mut rng = rng_for(5, 2);
    let x = Mat::from_fn(n, 3, |_, j| (j as f64 + 1.0) * normal(&mut rng));
    let groups: Vec<u32> = (0..n).map(|_| below(&mut rng, 4) as u32).collect();
    let score = |i: usize| x[(i, 0)] - 0.5 * x[(i, 1)] + 9.0 * f64::from(groups[i]);
    let y = (0..n).map(|i| (score(i) + normal(&mut rng)).round()).collect();
    (x, y, groups)
}

fn data<'a>(x: &'a Mat, y: &[f64], groups: &[u32]) -> Dataset<'a> {
    Dataset::new(x).with_target(Target::real(y.to_vec())).unwrap().with_groups(groups.to_vec()).unwrap()
}

/// The logistic loss of pairs is that of logistic regression on the differences of their rows.
#[test]
fn logistic_pairs_are_logistic_regression_on_differences() {
    let (x, y, groups) = made(60);
    let model =
        PairwiseRanker::default().loss(PairLoss::Logistic).tol(1e-10).fit(&data(&x, &y, &groups)).unwrap();
    let mut rows = Vec::new();
    for i in 0..60 {
        for j in (0..60).filter(|&j| groups[i] == groups[j] && y[i] > y[j]) {
            rows.push((0..3).map(|c| x[(i, c)] - x[(j, c)]).collect::<Vec<f64>>());
        }
    }
    // Half of the pairs the other way round, so that there are two classes.
    let class: Vec<i64> = (0..rows.len()).map(|r| (r % 2) as i64).collect();
    let turned: Vec<Vec<f64>> = rows
        .iter()
        .zip(&class)
        .map(|(r, c)| r.iter().map(|v| if *c == 1 { *v } else { -v }).collect())
        .collect();
    let differences = Mat::from_rows(&turned).unwrap();
    let pairs = Dataset::new(&differences).with_target(Target::classes(&class)).unwrap();
    let logistic = LogisticRegression::default().fit_intercept(false).tol(1e-10);
    assert_close(model.coef(), logistic.fit(&pairs).unwrap().coef.row(0), 1e-6, "coefficients");
}

/// At the optimum of the squared hinge, w = 2C Σ short (x_i − x_j), summed over the pairs by hand.
#[test]
fn squared_hinge_is_optimal_over_all_pairs() {
    let (x, y, groups) = made(240);
    let weights: Vec<f64> = (0..240).map(|i| 1.0 + (i % 3) as f64).collect();
    let data = data(&x, &y, &groups).with_weights(weights.clone()).unwrap();
    let model = PairwiseRanker::default().c(0.01).tol(1e-11).fit(&data).unwrap();
    let score = |i: usize| mercer_math::dot(x.row(i), model.coef());
    let mut sum = vec![0.0; 3];
    for i in 0..240 {
        for j in (0..240).filter(|&j| groups[i] == groups[j] && y[i] > y[j]) {
            let short = (1.0 - score(i) + score(j)).max(0.0) * weights[i] * weights[j];
            (0..3).for_each(|c| sum[c] += 0.02 * short * (x[(i, c)] - x[(j, c)]));
        }
    }
    assert_close(model.coef(), &sum, 1e-5, "the gradient vanishes");
    assert!(model.certificate().is_success(), "{}", model.certificate());
    assert!(model.certificate().evidence.iter().all(|e| e.value < 1e-6), "{}", model.certificate());
    assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
}

#[test]
fn only_pairs_of_a_query_count() {
    let (x, y, groups) = made(120);
    let (one, many) = (data(&x, &y, &[0; 120]), data(&x, &y, &groups));
    let shifted: Vec<f64> = y.iter().zip(&groups).map(|(y, g)| y + 1000.0 * f64::from(*g)).collect();
    let fit = |data: &Dataset<'_>| PairwiseRanker::default().fit(data).unwrap().coef().to_vec();
    assert_close(&fit(&many), &fit(&data(&x, &shifted, &groups)), 0.0, "levels of queries do not matter");
    assert!((fit(&one)[0] - fit(&many)[0]).abs() > 1e-3);
    let alone: Vec<u32> = (0..120).collect();
    let refused = PairwiseRanker::default().fit(&data(&x, &y, &alone)).unwrap_err().to_string();
    assert!(refused.contains("pairs"), "{refused}");
}

#[test]
fn sparse_rows_are_the_same_rows() {
    let (x, y, groups) = made(90);
    let x = Mat::from_fn(90, 3, |i, j| if (i * 3 + j) % 4 == 0 { 0.0 } else { x[(i, j)] });
    let sparse = Dataset::new(mercer_math::Csr::from_dense(x.view()))
        .with_target(Target::real(y.clone()))
        .unwrap()
        .with_groups(groups.clone())
        .unwrap();
    for loss in [PairLoss::Logistic, PairLoss::SquaredHinge] {
        let learner = PairwiseRanker::default().loss(loss).tol(1e-10);
        let (a, b) = (learner.fit(&data(&x, &y, &groups)).unwrap(), learner.fit(&sparse).unwrap());
        let found = |m: &mercer_core::Prediction| m.numbers().unwrap().to_vec();
        assert_close(&found(&b.predict(&x).unwrap()), &found(&a.predict(&x).unwrap()), 1e-6, "scores");
    }
}
