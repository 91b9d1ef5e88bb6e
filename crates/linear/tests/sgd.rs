//! Stochastic gradient descent: steps by hand, known optima, mistake bounds, and batches.

use mercer_core::{Dataset, Fit, Learner, Session, Target, Value};
use mercer_linear::{
    Average, LearningRate, LinearSVC, Perceptron, Ridge, SGDClassifier, SGDRegressor, SgdLoss, SgdPenalty,
    SvcLoss,
};
use mercer_math::{Csr, Mat, normal, rng_for};
use mercer_testkit::assert_within;

fn problem(n: usize, d: usize, noise: f64) -> (Mat, Vec<f64>, Target<'static>) {
    let mut rng = rng_for(7, 1);
    let x = Mat::from_fn(n, d, |_, _| normal(&mut rng));
    let y: Vec<f64> =
        (0..n).map(|i| 1.0 + 2.0 * x[(i, 0)] - x[(i, d - 1)] + noise * normal(&mut rng)).collect();
    let classes = Target::classes(&y.iter().map(|y| i64::from(*y > 1.0)).collect::<Vec<_>>());
    (x, y, classes)
}

/// Two steps of the hinge at a constant rate with an L2 penalty, worked out by hand.
#[test]
fn first_steps_of_the_hinge() {
    let x = Mat::from_rows(&[[1.0, 2.0], [3.0, -1.0]]).unwrap();
    let data = Dataset::new(&x).with_target(Target::classes(&[1i64, 0])).unwrap();
    let sgd = SGDClassifier::default()
        .learning_rate(LearningRate::Constant)
        .eta0(0.1)
        .alpha(0.5)
        .shuffle(false)
        .max_iter(1)
        .tol(None);
    let model = sgd.fit(&data).unwrap();
    // w = 0.1 (1, 2), b = 0.1; then the score is 0.2 against −1: w = 0.95 w − 0.1 (3, −1), b = 0.
    assert_within(model.coef.as_slice(), &[0.095 - 0.3, 0.19 + 0.1], 1e-15, "coefficients");
    assert_within(&model.intercept, &[0.0], 1e-15, "intercept");
    assert_eq!((model.t, model.n_iter), (3.0, 1));
    // The mean of both steps.
    let mean = sgd.clone().average(Average(1)).fit(&data).unwrap();
    assert_within(mean.coef.as_slice(), &[(0.1 - 0.205) / 2.0, (0.2 + 0.29) / 2.0], 1e-15, "mean");
    assert_within(&mean.intercept, &[0.05], 1e-15, "mean");
    // Both rows in one step: the mean of their gradients.
    let batch = sgd.clone().batch_size(2).fit(&data).unwrap();
    assert_within(batch.coef.as_slice(), &[0.05 * (1.0 - 3.0), 0.05 * (2.0 + 1.0)], 1e-15, "batch");
    assert_eq!(batch.t, 2.0);
    // Each row a partition of its own: the mean of both ways.
    let parts = sgd.n_partitions(2).fit(&data).unwrap();
    assert_within(parts.coef.as_slice(), &[0.05 * (1.0 - 3.0), 0.05 * (2.0 + 1.0)], 1e-15, "partitions");
}

/// Step lengths: 1 / (alpha (t0 + t − 1)) with t0 = 1 / (eta alpha), passive-aggressive steps, and the L1 penalty.
#[test]
fn first_steps_of_other_rules() {
    let x = Mat::from_rows(&[[1.0, 2.0]]).unwrap();
    let data = Dataset::new(&x).with_target(Target::real(vec![3.0])).unwrap();
    let once = |sgd: SGDRegressor| {
        sgd.max_iter(1).tol(None).fit_intercept(false).fit(&data).unwrap().coef.as_slice().to_vec()
    };
    let base = SGDRegressor::default().penalty(None);
    assert_within(&once(base.clone()), &[0.03, 0.06], 1e-15, "squared error");
    let insensitive = base.clone().loss(SgdLoss::parse("epsilon_insensitive").unwrap()).epsilon(0.5);
    assert_within(
        &once(insensitive.clone().learning_rate(LearningRate::Pa1).eta0(10.0)),
        &[0.5, 1.0],
        1e-15,
        "pa1: the loss 2.5 over |x|² = 5",
    );
    assert_within(
        &once(insensitive.learning_rate(LearningRate::Pa2).eta0(0.1)),
        &[0.25, 0.5],
        1e-15,
        "pa2: 2.5 / (5 + 1 / 0.2)",
    );
    let l1 = base.clone().penalty(Some(SgdPenalty::L1)).alpha(4.0);
    assert_within(&once(l1), &[0.0, 0.02], 1e-15, "0.04 off each");
    let alpha = 1e-4f64;
    let optimal =
        base.loss(SgdLoss::parse("absolute").unwrap()).learning_rate(LearningRate::Optimal).alpha(alpha);
    // t0 = 1 / (eta alpha) with eta = alpha^(-1/4), and the slope is −1.
    assert_within(&once(optimal), &[10.0, 20.0], 1e-12, "optimal");
}

#[test]
fn reaches_known_optima() {
    let (x, y, classes) = problem(400, 4, 0.3);
    let numbers = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    // The mean objective of SGD is that of Ridge over n.
    let ridge = Ridge::default().alpha(0.01 * 400.0).fit(&numbers).unwrap();
    let sgd = SGDRegressor::default().alpha(0.01).learning_rate(LearningRate::RobbinsMonro).eta0(0.05);
    let sgd = sgd.max_iter(400).tol(None).average(Average(40_000));
    let found = sgd.fit(&numbers).unwrap();
    assert_within(found.coef.as_slice(), ridge.coef.as_slice(), 2e-3, "ridge");
    assert!(found.certificate().evidence[1].value < 1e-3, "{}", found.certificate());
    assert!(found.certificate().notes.is_empty(), "{:?}", found.certificate().notes);
    // A machine: C = 1 / (alpha n). The intercept of LinearSVC is penalised, so there is none.
    let classes = Dataset::new(&x).with_target(classes).unwrap();
    let svc = LinearSVC::default().loss(SvcLoss::Hinge).c(1.0 / (0.01 * 400.0)).fit_intercept(false);
    let exact = svc.tol(1e-8).max_iter(100_000).fit(&classes).unwrap();
    let best = exact.certificate().objective.unwrap() * 0.01;
    let sgd = SGDClassifier::default().alpha(0.01).fit_intercept(false).tol(None).max_iter(300);
    for sgd in [sgd.clone().average(Average(20_000)), sgd.n_partitions(3)] {
        let found = sgd.fit(&classes).unwrap();
        let reached = found.certificate().objective.unwrap();
        assert!(reached >= best - 1e-9 && reached <= best * 1.01, "{reached} {best}");
        assert!(found.verify(&classes).unwrap().iter().all(|v| v.holds));
    }
}

#[test]
fn sparse_rows_go_the_way_of_dense_ones() {
    let (x, _, classes) = problem(60, 8, 0.5);
    let holes = Mat::from_fn(60, 8, |i, j| if (i * j) % 3 == 0 { x[(i, j)] } else { 0.0 });
    let csr = Csr::from_dense(holes.view());
    for penalty in [None, Some(SgdPenalty::L1), Some(SgdPenalty::L2), Some(SgdPenalty::Elasticnet)] {
        let l1 = matches!(penalty, Some(SgdPenalty::L1 | SgdPenalty::Elasticnet));
        // Under an L1 penalty, the mean has coefficients before they paid.
        for average in [0, 1, 50].into_iter().filter(|a| *a == 0 || !l1) {
            let sgd =
                SGDClassifier::default().penalty(penalty).alpha(0.01).l1_ratio(0.5).average(Average(average));
            let sgd = sgd.loss(SgdLoss::parse("log_loss").unwrap()).max_iter(7).tol(None);
            let told = |data: Dataset<'_>| {
                sgd.fit(&data.with_target(classes.clone()).unwrap()).unwrap().coef.as_slice().to_vec()
            };
            let (dense, sparse) = (told(Dataset::new(&holes)), told(Dataset::new(&csr)));
            assert_within(&sparse, &dense, 1e-11, &format!("{penalty:?} {average}"));
        }
    }
}

#[test]
fn a_perceptron_keeps_its_mistake_bound() {
    let (x, _, classes) = problem(200, 3, 0.0);
    // A gap between the classes.
    let codes = classes.class().unwrap().0.to_vec();
    let apart = Mat::from_fn(200, 3, |i, j| match j {
        0 => x[(i, 0)] + if codes[i] == 1 { 0.5 } else { -0.5 },
        _ => x[(i, j)],
    });
    let data = Dataset::new(&apart).with_target(classes).unwrap();
    for seed in 0..5 {
        let model = Perceptron::default().tol(None).fit_in(&data, &Session::new(seed)).unwrap();
        let certificate = model.certificate();
        assert!(certificate.is_success() && model.n_iter < 1000, "{certificate}");
        let bound = certificate.evidence.iter().find(|e| e.name == "mistake bound").unwrap().value;
        let note = certificate.notes.iter().find(|n| n.contains("mistakes, of at most")).unwrap();
        let made: f64 = note.split(' ').next().unwrap().parse().unwrap();
        assert!(made >= 1.0 && made <= bound, "{note}");
        assert_eq!(model.predict(&apart).unwrap().class().unwrap().0, &codes);
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
    }
}

/// One batch of all rows is one pass, and batches go on where the last one ended.
#[test]
fn batches_are_passes() {
    let (x, _, classes) = problem(50, 3, 0.5);
    let data = Dataset::new(&x).with_target(classes).unwrap();
    let session = Session::new(3);
    let sgd = SGDClassifier::default().tol(None).average(Average(10));
    let twice = sgd.clone().max_iter(2).fit_in(&data, &session).unwrap();
    let begun = sgd.partial_fit(None, &data, &session).unwrap();
    let more = sgd.partial_fit(Some(&begun), &data, &session).unwrap();
    assert_eq!(more.coef, twice.coef);
    assert_eq!(more.t, 101.0);
    assert!(LinearSVC::default().partial_fit(None, &data, &session).is_err());
}

#[test]
fn bad_settings_are_refused_by_name() {
    let (x, y, classes) = problem(30, 2, 0.5);
    let told = |learner: &dyn Learner, name: &str, value: Value| {
        let target = if learner.declaration().name == "SGDRegressor" {
            Target::real(y.clone())
        } else {
            classes.clone()
        };
        let data = Dataset::new(&x).with_target(target).unwrap();
        let trained = learner.with(name, &value).and_then(|l| l.train(&data, &Session::default()));
        trained.err().map(|e| e.to_string()).unwrap_or_default()
    };
    let (classifier, regressor) = (SGDClassifier::default(), SGDRegressor::default());
    for (learner, name, value, expected) in [
        (&classifier as &dyn Learner, "loss", Value::from("poisson"), "`loss`"),
        (&classifier, "loss", Value::from("zero_one"), "`loss`"),
        (&classifier, "loss", Value::from("no_such_loss"), "no_such_loss"),
        (&classifier, "alpha", Value::Real(0.0), "`alpha`"),
        (
            &classifier.clone().loss(SgdLoss::parse("log_loss").unwrap()),
            "learning_rate",
            Value::from("pa1"),
            "`learning_rate`",
        ),
        (&regressor, "loss", Value::from("hinge"), "`loss`"),
        (&regressor, "loss", Value::from("poisson"), "poisson"),
        (&regressor, "eta0", Value::Real(0.0), "`eta0`"),
        (&regressor.clone().loss(SgdLoss::parse("huber").unwrap()), "epsilon", Value::Real(0.0), "`epsilon`"),
    ] {
        let error = told(learner, name, value);
        assert!(error.contains(expected), "{name}: {error}");
    }
}
