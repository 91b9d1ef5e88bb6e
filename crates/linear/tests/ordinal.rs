//! Ordinal regression against statsmodels and scipy, and at the ends of theory.

use mercer_core::{Dataset, Fit, Label, Target};
use mercer_linear::{LogisticRegression, OrdinalLoss, OrdinalRegression};
use mercer_math::{Mat, normal, rng_for};
use mercer_testkit::{assert_close, case, matrix, numbers, reference};
use serde_json::Value;

fn all() -> (Value, Dataset<'static>) {
    let all = reference(include_str!("reference/ordinal.json"));
    let y: Vec<i64> = numbers(&all["y"]).iter().map(|v| *v as i64).collect();
    let data = Dataset::new(matrix(&all["x"])).with_target(Target::classes(&y)).unwrap();
    (all, data)
}

#[test]
fn proportional_odds_are_those_of_statsmodels() {
    let (all, data) = all();
    let model = OrdinalRegression::default().alpha(0.0).tol(1e-10).fit(&data).unwrap();
    assert_close(&model.coef, &numbers(&all["coef"]), 1e-6, "coefficients");
    assert_close(&model.thresholds, &numbers(&all["thresholds"]), 1e-6, "thresholds");
    let likelihood = -all["llf"].as_f64().unwrap();
    assert_close(&[model.certificate().objective.unwrap()], &[likelihood], 1e-10, "likelihood");
    let found = model.predict_proba(matrix(&all["new"])).unwrap();
    assert_close(found.as_slice(), matrix(&all["proba"]).as_slice(), 1e-6, "probabilities");
}

#[test]
fn penalised_losses_are_those_of_their_definition() {
    let (all, data) = all();
    for (name, loss) in [
        ("logit", OrdinalLoss::Logit),
        ("immediate_logistic", OrdinalLoss::ImmediateLogistic),
        ("immediate_hinge", OrdinalLoss::ImmediateHinge),
        ("all_logistic", OrdinalLoss::AllLogistic),
        ("all_hinge", OrdinalLoss::AllHinge),
    ] {
        let (known, learner) = (case(&all, name), OrdinalRegression::default().alpha(2.0).loss(loss));
        let model = learner.fit(&data).unwrap();
        let objective = known["objective"].as_f64().unwrap();
        assert_close(&[model.certificate().objective.unwrap()], &[objective], 1e-7, name);
        assert_close(&model.coef, &numbers(&known["coef"]), 1e-3, name);
        assert_close(&model.thresholds, &numbers(&known["thresholds"]), 1e-3, name);
        assert!(model.certificate().is_success(), "{name}: {}", model.certificate());
        assert!(
            model.certificate().evidence.iter().all(|e| e.value < 1e-6),
            "{name}: {}",
            model.certificate()
        );
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{name}");
        assert!(model.thresholds.windows(2).all(|w| w[0] <= w[1]), "{name}");
    }
}

#[test]
fn two_classes_are_logistic_regression() {
    let mut rng = rng_for(3, 1);
    let x = Mat::from_fn(80, 2, |_, _| normal(&mut rng));
    let y: Vec<i64> = (0..80).map(|i| i64::from(x[(i, 0)] - x[(i, 1)] + normal(&mut rng) > 0.3)).collect();
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let ordinal = OrdinalRegression::default().alpha(1.0).tol(1e-10).fit(&data).unwrap();
    let logistic = LogisticRegression::default().tol(1e-10).fit(&data).unwrap();
    assert_close(&ordinal.coef, logistic.coef.row(0), 1e-6, "coefficients");
    assert_close(&[-ordinal.thresholds[0]], &logistic.intercept, 1e-6, "threshold");
}

#[test]
fn classes_that_do_not_occur_have_no_room() {
    let (_, data) = all();
    let labels = [-1i64, 0, 1, 7, 2, 3, 9].map(Label::Int);
    let codes: Vec<u32> =
        data.target().unwrap().class().unwrap().0.iter().map(|c| [1, 2, 4, 5][*c as usize]).collect();
    let wide = data.clone().with_target(Target::coded(codes, labels.into())).unwrap();
    let (plain, wide) =
        (OrdinalRegression::default().fit(&data).unwrap(), OrdinalRegression::default().fit(&wide).unwrap());
    assert_close(&plain.coef, &wide.coef, 0.0, "coefficients");
    let p = wide.predict_proba(matrix(&all().0["new"])).unwrap();
    for i in 0..p.n_rows() {
        assert_eq!((p[(i, 0)], p[(i, 3)], p[(i, 6)]), (0.0, 0.0, 0.0));
        assert!((p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    assert!(wide.predict(matrix(&all().0["x"])).is_ok());
}

#[test]
fn one_class_is_refused_and_margins_give_no_probabilities() {
    let x = Mat::from_fn(4, 1, |i, _| i as f64);
    let one = Dataset::new(&x).with_target(Target::classes(&[5, 5, 5, 5])).unwrap();
    assert!(OrdinalRegression::default().fit(&one).unwrap_err().to_string().contains("classes"));
    let two = Dataset::new(&x).with_target(Target::classes(&[1, 1, 2, 2])).unwrap();
    let model = OrdinalRegression::default().loss(OrdinalLoss::AllHinge).fit(&two).unwrap();
    let refused = model.predict_proba(&x).unwrap_err().to_string();
    assert!(refused.contains("loss=logit"), "{refused}");
}

#[test]
fn sparse_rows_are_the_same_rows() {
    let mut rng = rng_for(9, 0);
    let x = Mat::from_fn(80, 5, |i, j| if (i + j) % 3 == 0 { 2.0 + normal(&mut rng) } else { 0.0 });
    let y: Vec<i64> = (0..80).map(|i| (x[(i, 0)] - x[(i, 3)] + normal(&mut rng)).round() as i64).collect();
    let weights: Vec<f64> = (0..80).map(|i| f64::from(i % 4 != 1)).collect();
    let target = || Target::classes(&y.iter().map(|y| (*y).clamp(-1, 1)).collect::<Vec<i64>>());
    let dense = Dataset::new(&x).with_target(target()).unwrap().with_weights(weights.clone()).unwrap();
    let rows = mercer_math::Csr::from_dense(x.view());
    let sparse = Dataset::new(rows).with_target(target()).unwrap().with_weights(weights).unwrap();
    for loss in [OrdinalLoss::Logit, OrdinalLoss::AllHinge] {
        let learner = OrdinalRegression::default().loss(loss).tol(1e-10);
        let (a, b) = (learner.fit(&dense).unwrap(), learner.fit(&sparse).unwrap());
        assert_close(&b.coef, &a.coef, 1e-6, "coefficients");
        assert_close(&b.thresholds, &a.thresholds, 1e-6, "thresholds");
        assert!(b.verify(&dense).unwrap().iter().all(|v| v.holds));
    }
}
