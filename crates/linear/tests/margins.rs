//! Linear support vector machines against scikit-learn, against their own duals, and what they refuse.

use mercer_core::{Dataset, Fit, Learner, Session, Target, Value};
use mercer_linear::{Dual, LinearSVC, LinearSVR, MultiClass, SvcLoss, SvcPenalty, SvrLoss};
use mercer_math::{Csr, Mat, normal, rng_for};
use mercer_testkit::{assert_within, numbers};

#[test]
fn matches_reference() {
    let all: serde_json::Value = mercer_testkit::reference(include_str!("reference/margins.json"));
    for p in all["problems"].as_array().unwrap() {
        let (n, d) = (p["n"].as_u64().unwrap() as usize, p["d"].as_u64().unwrap() as usize);
        let x = Mat::from_vec(numbers(&p["x"]), n, d).unwrap();
        let csr = Csr::from_dense(x.view());
        let classes: Vec<i64> =
            p["classes"].as_array().unwrap().iter().map(|c| c.as_i64().unwrap()).collect();
        for fit in p["fits"].as_array().unwrap() {
            let regression = fit["name"] == "LinearSVR";
            let mut learner: Box<dyn Learner> = match regression {
                true => Box::new(LinearSVR::default().tol(1e-10).max_iter(1_000_000)),
                false => Box::new(LinearSVC::default().tol(1e-10).max_iter(1_000_000)),
            };
            for (name, value) in fit["settings"].as_object().unwrap() {
                let value = match value {
                    serde_json::Value::Object(weights) => {
                        let pairs = weights
                            .iter()
                            .map(|(k, v)| (Value::Int(k.parse().unwrap()), Value::Real(v.as_f64().unwrap())));
                        Value::Map(pairs.collect())
                    }
                    plain => Value::from_json(plain).unwrap(),
                };
                learner = learner.with(name, &value).unwrap();
            }
            let target = match regression {
                true => Target::real(numbers(&p["y"])),
                false => Target::classes(&classes),
            };
            for data in [Dataset::new(&x), Dataset::new(&csr)] {
                let mut data = data.with_target(target.clone()).unwrap();
                if fit["weighted"].as_bool().unwrap() {
                    data = data.with_weights(numbers(&p["weights"])).unwrap();
                }
                let told = fit["settings"].to_string() + &fit["name"].to_string();
                check(learner.as_ref(), &data, fit, &told);
            }
        }
    }
}

fn check(learner: &dyn Learner, data: &Dataset<'_>, fit: &serde_json::Value, told: &str) {
    let session = Session::new(3);
    let model = learner.train(data, &session).unwrap();
    let attribute = |name: &str| match &model.attributes().iter().find(|a| a.name == name).unwrap().values {
        mercer_core::AttributeValues::Real(v) => v.clone(),
        _ => Vec::new(),
    };
    assert_within(&attribute("coef_"), &numbers(&fit["coef"]), 2e-6, told);
    assert_within(&attribute("intercept_"), &numbers(&fit["intercept"]), 2e-6, told);
    let gap = &model.certificate().evidence[0];
    assert!(gap.value < 1e-8, "{told}: {}", model.certificate());
    assert!(model.verify(data, &session).unwrap().iter().all(|v| v.holds), "{told}: {}", model.certificate());
    let prediction = model.predict(&data.input(), &session).unwrap();
    let expected = numbers(&fit["predictions"]);
    match prediction.class() {
        Ok((codes, _)) => {
            assert_eq!(codes.iter().map(|&c| f64::from(c)).collect::<Vec<_>>(), expected, "{told}")
        }
        Err(_) => assert_within(prediction.numbers().unwrap(), &expected, 1e-5, told),
    }
}

fn problem(n: usize, d: usize, seed: u64) -> (Mat, Target<'static>, Target<'static>) {
    let mut rng = rng_for(seed, 1);
    let x = Mat::from_fn(n, d, |_, _| normal(&mut rng));
    let y: Vec<f64> = (0..n).map(|i| 2.0 * x[(i, 0)] - x[(i, d - 1)] + normal(&mut rng)).collect();
    let classes = Target::classes(&y.iter().map(|y| i64::from(*y > 0.3)).collect::<Vec<_>>());
    (x, classes, Target::real(y))
}

/// At loose tolerance the claimed gap bounds the true distance, and both forms of a problem meet.
#[test]
fn gaps_bound_the_distance_to_the_optimum() {
    for seed in 0..4 {
        let (x, classes, numbers) = problem(120, 6, seed);
        let classes = Dataset::new(&x).with_target(classes).unwrap();
        let numbers = Dataset::new(&x).with_target(numbers).unwrap();
        let tight = |c: LinearSVC| c.tol(1e-11).max_iter(1_000_000);
        let all = [
            LinearSVC::default().loss(SvcLoss::Hinge),
            LinearSVC::default().dual(Dual::Yes),
            LinearSVC::default().dual(Dual::No),
            LinearSVC::default().penalty(SvcPenalty::L1),
            LinearSVC::default().multi_class(MultiClass::CrammerSinger),
        ];
        for svc in all {
            let (loose, exact) =
                (svc.clone().tol(0.3).fit(&classes).unwrap(), tight(svc).fit(&classes).unwrap());
            let (a, b) = (loose.certificate().objective.unwrap(), exact.certificate().objective.unwrap());
            let claimed = loose.certificate().evidence[0].value * 120.0;
            assert!(a - b <= claimed + 1e-9 && a >= b - 1e-9, "{a} {b} {}", loose.certificate());
        }
        let svr = LinearSVR::default().loss(SvrLoss::SquaredEpsilonInsensitive).epsilon(0.2).tol(1e-11);
        let (dual, primal) = (svr.clone().dual(Dual::Yes).max_iter(100_000), svr.dual(Dual::No));
        let (dual, primal) = (dual.fit(&numbers).unwrap(), primal.fit(&numbers).unwrap());
        assert_within(dual.coef.as_slice(), primal.coef.as_slice(), 1e-7, "both forms");
    }
}

#[test]
fn the_hinge_meets_its_conditions() {
    let (x, target, _) = problem(80, 3, 9);
    let data = Dataset::new(&x).with_target(target.clone()).unwrap();
    let svc =
        LinearSVC::default().loss(SvcLoss::Hinge).c(0.7).fit_intercept(false).tol(1e-12).max_iter(1_000_000);
    let model = svc.fit(&data).unwrap();
    // Rows off the margin are known: what they lack to w must lie in the box of the rows on it, which are few.
    let codes = target.class().unwrap().0.to_vec();
    let mut lacks = model.coef.row(0).to_vec();
    let mut on_margin = 0;
    for (i, &c) in codes.iter().enumerate() {
        let y = if c == 1 { 1.0 } else { -1.0 };
        let margin = y * mercer_math::dot(x.row(i), model.coef.row(0));
        if margin < 1.0 - 1e-6 {
            mercer_math::axpy(-0.7 * y, x.row(i), &mut lacks);
        }
        on_margin += usize::from((margin - 1.0).abs() <= 1e-6);
    }
    assert!((1..=3).contains(&on_margin), "{on_margin}");
    let most: f64 = 0.7 * on_margin as f64 * 4.0;
    assert!(lacks.iter().all(|v| v.abs() <= most), "{lacks:?}");
}

#[test]
fn bad_settings_are_refused_by_name() {
    let (x, target, _) = problem(20, 3, 1);
    let data = Dataset::new(&x).with_target(target).unwrap();
    let all = [
        (LinearSVC::default().penalty(SvcPenalty::L1).loss(SvcLoss::Hinge), "`loss`"),
        (LinearSVC::default().penalty(SvcPenalty::L1).dual(Dual::Yes), "`dual`"),
        (LinearSVC::default().loss(SvcLoss::Hinge).dual(Dual::No), "`dual`"),
        (LinearSVC::default().c(0.0), "`C`"),
    ];
    for (svc, name) in all {
        let error = svc.fit(&data).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
    let huge = Mat::from_fn(20, 3, |i, j| 1e200 * x[(i, j)]);
    let data = data.with_input((&huge).into()).unwrap();
    let error = LinearSVC::default().loss(SvcLoss::Hinge).fit(&data).unwrap_err().to_string();
    assert!(error.contains("scale"), "{error}");
}
