//! Conformal intervals worked out by hand, around a regressor that predicts the mean or median of its rows.

use super::*;
use crate::DummyRegressor;
use mercer_core::{Fit, Target, Trained};

fn around_mean(method: ConformalMethod) -> ConformalRegressor {
    mercer_core::catalogue::register(crate::learners());
    let mean = NestedLearner(Box::new(DummyRegressor::default()));
    ConformalRegressor::default().estimator(Some(mean)).method(method)
}

fn numbers<'a>(x: &'a Mat, y: &[f64]) -> Dataset<'a> {
    Dataset::new(x).with_target(Target::real(y.to_vec())).unwrap()
}

/// The mean of the rows learnt from, and the order statistic of the others' distances from it.
#[test]
fn split_by_hand() {
    let y: Vec<f64> = (0..20).map(|i| f64::from(i * i % 13)).collect();
    let x = Mat::from_fn(20, 1, |i, _| i as f64);
    let session = Session::new(3);
    let learner = around_mean(ConformalMethod::Split).calibration_size(0.45);
    let model = learner.fit_in(&numbers(&x, &y), &session).unwrap();
    let split = train_test(20, 0.45, 3, None).unwrap();
    let mean = split.train.iter().map(|&i| y[i]).sum::<f64>() / 11.0;
    let mut rest: Vec<f64> = split.test.iter().map(|&i| (y[i] - mean).abs()).collect();
    rest.sort_by(f64::total_cmp);
    assert_eq!(rest.len(), 9);
    for (level, place) in [(0.9, 8), (0.5, 4), (0.61, 6)] {
        let ends = model.predict_interval(&x, level).unwrap();
        assert!((ends.row(7)[0] - (mean - rest[place])).abs() < 1e-12, "{level}");
        assert!((ends.row(7)[1] - (mean + rest[place])).abs() < 1e-12, "{level}");
    }
    assert_eq!(model.predict_interval(&x, 0.95).unwrap().row(0), &[f64::NEG_INFINITY, f64::INFINITY]);
    assert!((model.certificate().evidence[0].value - 1.0).abs() < 1e-12, "the ninth of nine holds all");
    assert!(model.as_model().verify(&numbers(&x, &y), &session).unwrap().iter().all(|v| v.holds));
}

/// Leave-one-out means of 0, 1, 2, 6 are 3, 8/3, 7/3, 1; their distances 3, 5/3, 1/3, 5. At level 0.5 the third
/// largest of five places: upper ends 6, 13/3, 8/3, 6 and lower ends 0, 1, 2, −4.
#[test]
fn jackknife_plus_by_hand() {
    let x = Mat::from_fn(4, 1, |i, _| i as f64);
    let data = numbers(&x, &[0.0, 1.0, 2.0, 6.0]);
    let model = around_mean(ConformalMethod::JackknifePlus).coverage(0.5).fit(&data).unwrap();
    let ends = model.predict_interval(&x, 0.5).unwrap();
    // ⌈0.5 · 5⌉ = 3: the third smallest of 8/3, 13/3, 6, 6; the ⌊0.5 · 5⌋ = 2nd smallest of −4, 0, 1, 2.
    assert!((ends.row(0)[1] - 6.0).abs() < 1e-12 && ends.row(0)[0].abs() < 1e-12, "{:?}", ends.row(0));
    let narrow = model.predict_interval(&x, 0.2).unwrap();
    // Places 1 of the upper and 4 of the lower ends: 8/3 and 2.
    assert!((narrow.row(0)[1] - 8.0 / 3.0).abs() < 1e-12 && (narrow.row(0)[0] - 2.0).abs() < 1e-12);
    assert!(model.certificate().notes[0].contains("at least 0.0000"), "{:?}", model.certificate().notes);
}

#[test]
fn absent_rows_and_saved_models() {
    let y: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 23)).collect();
    let x = Mat::from_fn(60, 1, |i, _| i as f64);
    let weights: Vec<f64> = (0..60).map(|i| if i % 5 == 0 { 0.0 } else { 1.0 }).collect();
    let kept: Vec<usize> = (0..60).filter(|i| i % 5 != 0).collect();
    let all = numbers(&x, &y);
    for method in [ConformalMethod::Split, ConformalMethod::CvPlus, ConformalMethod::JackknifePlus] {
        let learner = around_mean(method);
        let weighted = learner.fit(&all.clone().with_weights(weights.clone()).unwrap()).unwrap();
        let subset = learner.fit(&all.subset(&kept).unwrap()).unwrap();
        let ends = weighted.predict_interval(&x, 0.8).unwrap();
        assert_eq!(ends, subset.predict_interval(&x, 0.8).unwrap(), "{method:?}");
        let bytes = weighted.as_model().encode().unwrap();
        let again = Trained::<ConformalRegressor>::decode(bytes.version, &bytes.bytes).unwrap();
        assert_eq!(again.predict_interval(&x, 0.8).unwrap(), ends);
        assert_eq!(again.predict(&x).unwrap(), weighted.predict(&x).unwrap());
    }
}

#[test]
fn what_cannot_be_wrapped_is_refused_by_name() {
    let learner = around_mean(ConformalMethod::Split).conformity(Conformity::Quantile);
    let error = Learn::check(&learner).unwrap_err();
    assert!(error.to_string().contains("quantile loss"), "{error}");
    let classifier = NestedLearner(Box::new(crate::DummyClassifier::default()));
    let error = Learn::check(&ConformalRegressor::default().estimator(Some(classifier))).unwrap_err();
    assert!(error.to_string().contains("a regressor"), "{error}");
}
