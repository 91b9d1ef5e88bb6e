//! Early stopping by a metric, and the checks of data on every way into boosting.

use mercer_core::{CountOrShare, Dataset, Fit, Learn, Session, Target};
use mercer_math::{Mat, argmax, normal, rng_for};
use mercer_trees::{
    BoostedTrees, Booster, EarlyStopping, HistGradientBoostingClassifier, HistGradientBoostingRegressor,
    Objective,
};

fn rows(n: usize) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(31, 1);
    let x = Mat::from_fn(n, 3, |_, _| normal(&mut rng));
    let y = (0..n).map(|i| x[(i, 0)] * x[(i, 1)] + x[(i, 2)] + 0.8 * normal(&mut rng)).collect();
    (x, y)
}

/// Training rows, with every third held back for validation.
fn split<'a>(x: &'a Mat, target: Target<'a>) -> (Dataset<'a>, Dataset<'a>) {
    let all = Dataset::new(x).with_target(target).unwrap();
    let (valid, train): (Vec<usize>, Vec<usize>) = (0..x.n_rows()).partition(|i| i % 3 == 0);
    (all.subset(&train).unwrap(), all.subset(&valid).unwrap())
}

fn curve(model: &BoostedTrees, name: &str) -> Vec<f64> {
    let all = mercer_core::Fitted::attributes(model);
    let found = all.into_iter().find(|a| a.name == name).unwrap();
    let mercer_core::AttributeValues::Real(values) = found.values else { panic!("{name} is no numbers") };
    values
}

/// The curve is what the model of each round scores on the validation rows, and the best round is kept.
#[test]
fn accuracy_and_r_squared_are_those_of_each_round() {
    let (x, y) = rows(900);
    let words: Vec<&str> = y
        .iter()
        .map(|v| {
            if *v < -0.7 {
                "a"
            } else if *v < 0.7 {
                "b"
            } else {
                "c"
            }
        })
        .collect();
    let (train, valid) = split(&x, Target::classes(&words));
    let learner = HistGradientBoostingClassifier::default().scoring(Some("accuracy".to_owned()));
    let learner = learner.n_iter_no_change(5);
    let model = learner.fit(&train.clone().with_valid(valid.clone())).unwrap();
    let found = curve(&model, "validation_score_");
    let target = valid.target().unwrap();
    let (truth, _) = target.class().unwrap();
    for (round, value) in found.iter().enumerate().take(model.n_rounds() + 1) {
        let scores = model.raw_after(&valid.input(), round, &Session::default()).unwrap();
        let right = scores.chunks(3).zip(truth).filter(|(s, t)| argmax(s) as u32 == **t).count();
        assert!((right as f64 / truth.len() as f64 - value).abs() < 1e-12, "round {round}");
    }
    let best = found.iter().copied().fold(0.0, f64::max);
    assert!(found[model.n_rounds()] == best && best > 0.6, "{best}");
    assert!(found.len() < 101, "it stopped after {} rounds", found.len());
    let none = learner.scoring(None);
    assert_eq!(none.fit(&train.with_valid(valid)).unwrap().n_rounds(), model.n_rounds(), "none is accuracy");
    let (train, valid) = split(&x, Target::real(y));
    let learner = HistGradientBoostingRegressor::default().scoring(None).n_iter_no_change(5);
    let model = learner.fit(&train.with_valid(valid.clone())).unwrap();
    let (found, target) = (curve(&model, "validation_score_"), valid.target().unwrap());
    let y = target.numbers().unwrap();
    let said = model.predict(valid.input()).unwrap().numbers().unwrap().to_vec();
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let sum = |f: &dyn Fn(usize) -> f64| (0..y.len()).map(|i| (y[i] - f(i)).powi(2)).sum::<f64>();
    let expected = 1.0 - sum(&|i| said[i]) / sum(&|_| mean);
    assert!((found[model.n_rounds()] - expected).abs() < 1e-9, "{expected}");
}

#[test]
fn so_many_rows_are_set_aside() {
    let (x, y) = rows(400);
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let rounds = |fraction| {
        let learner = HistGradientBoostingRegressor::default()
            .validation_fraction(Some(fraction))
            .early_stopping(EarlyStopping::Always(true))
            .max_iter(30);
        learner.fit(&data).map(|model| curve(&model, "validation_score_"))
    };
    assert_eq!(rounds(CountOrShare::Count(100)).unwrap(), rounds(CountOrShare::Share(0.25)).unwrap());
    for (fraction, scoring, says) in [
        (CountOrShare::Count(0), "loss", "validation_fraction"),
        (CountOrShare::Share(-0.1), "loss", "validation_fraction"),
        (CountOrShare::Count(9), "acuracy", "accuracy"),
        (CountOrShare::Count(9), "accuracy", "scoring"),
    ] {
        let (validation_fraction, scoring) = (Some(fraction), Some(scoring.to_owned()));
        let bad = HistGradientBoostingRegressor::default()
            .validation_fraction(validation_fraction)
            .scoring(scoring);
        let error = Learn::check(&bad).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

struct Squares;

impl Objective for Squares {
    fn gradient(&self, y: f64, score: f64) -> (f64, f64) {
        (score - y, 1.0)
    }
    fn loss(&self, y: f64, score: f64) -> f64 {
        0.5 * (score - y) * (score - y)
    }
}

/// `fit_with` and `fit_from` refuse what `fit` refuses.
#[test]
fn every_way_in_checks_its_data() {
    let (x, y) = rows(60);
    let good = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
    let session = Session::default();
    let learner = Booster::default().num_iterations(3);
    let model = learner.fit(&good).unwrap();
    let mut hole = y.clone();
    hole[7] = f64::NAN;
    let mut wild = x.clone();
    wild[(5, 1)] = f64::INFINITY;
    for (bad, says) in [
        (Dataset::new(&x).with_target(Target::real(hole)).unwrap(), "row 7"),
        (Dataset::new(&wild).with_target(Target::real(y.clone())).unwrap(), "row 5"),
        (good.subset(&[]).unwrap(), "rows"),
        (Dataset::new(&x), "target"),
        (good.clone().with_weights(vec![0.0; 60]).unwrap(), "weight"),
    ] {
        let errors = [
            learner.fit(&bad).err().map(|e| e.to_string()),
            learner.fit_with(&bad, &session, &Squares).err().map(|e| e.to_string()),
            learner.fit_from(&model, &bad, &session).err().map(|e| e.to_string()),
        ];
        for error in errors {
            assert!(error.as_deref().is_some_and(|e| e.contains(says)), "{says}: {error:?}");
        }
    }
    assert!(
        learner.fit_with(&good.subset(&(0..40).collect::<Vec<_>>()).unwrap(), &session, &Squares).is_ok()
    );
}
