//! Forests against scikit-learn's on real data: the same accuracy within the noise of ten seeds.

use mercer_core::{Dataset, Fit, Input, Session, Target};
use mercer_math::Mat;
use mercer_trees::{
    ExtraTreesClassifier, ExtraTreesRegressor, IsolationForest, RandomForestClassifier, RandomForestRegressor,
};
use serde_json::Value;

fn reference() -> Value {
    mercer_testkit::reference(include_str!("reference/forest.json"))
}

/// The features and the last column of a set of the shared folder, or `None` where there is no such folder.
fn read(name: &str) -> Option<(Mat, Vec<String>)> {
    let text = mercer_testkit::shared_data(&format!("{name}.csv"))?;
    let lines: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let d = lines[0].len() - 1;
    let x = Mat::from_fn(lines.len(), d, |i, j| lines[i][j].parse().unwrap());
    Some((x, lines.iter().map(|line| line[d].to_owned()).collect()))
}

fn parts(n: usize) -> (Vec<usize>, Vec<usize>) {
    (0..n).partition(|i| i % 3 != 0)
}

/// The means over ten seeds must agree to four standard errors of their difference, and two in a thousand: bins,
/// and ties that fall otherwise, are worth that much.
fn agree(name: &str, kind: &str, expected: &Value, score: impl Fn(&Session) -> f64) {
    let ours: Vec<f64> = (0..10).map(|seed| score(&Session::new(seed))).collect();
    let average = ours.iter().sum::<f64>() / 10.0;
    let variance = ours.iter().map(|v| (v - average) * (v - average)).sum::<f64>() / 9.0;
    let (mean, deviation) = (expected["mean"].as_f64().unwrap(), expected["deviation"].as_f64().unwrap());
    let slack = 4.0 * ((variance + deviation * deviation) / 10.0).sqrt() + 0.002;
    assert!((average - mean).abs() <= slack, "{name} {kind}: {average} against {mean} ± {slack}");
}

#[test]
fn classes_are_predicted_as_well_as_by_the_peer() {
    let all = reference();
    for name in ["digits", "breast-cancer-wdbc", "vehicle", "satellite"] {
        let Some((x, y)) = read(name) else { return };
        let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
        let (train, test) = parts(y.len());
        let (fresh, train) = (x.view().gather(&test), data.subset(&train).unwrap());
        let accuracy = |found: mercer_core::Prediction| {
            let right =
                test.iter().enumerate().filter(|(k, i)| found.columns()[0].text(*k) == y[**i]).count();
            right as f64 / test.len() as f64
        };
        let expected = &all["scores"][name];
        agree(name, "forest", &expected["forest"], |session| {
            let model = RandomForestClassifier::default().fit_in(&train, session).unwrap();
            accuracy(model.predict(&fresh).unwrap())
        });
        agree(name, "extra", &expected["extra"], |session| {
            let model = ExtraTreesClassifier::default().fit_in(&train, session).unwrap();
            accuracy(model.predict(&fresh).unwrap())
        });
    }
}

#[test]
fn numbers_are_predicted_as_well_as_by_the_peer() {
    let all = reference();
    for name in ["concrete", "airfoil-self-noise"] {
        let Some((x, y)) = read(name) else { return };
        let y: Vec<f64> = y.iter().map(|v| v.parse().unwrap()).collect();
        let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
        let (train, test) = parts(y.len());
        let (fresh, train) = (x.view().gather(&test), data.subset(&train).unwrap());
        let mean = test.iter().map(|&i| y[i]).sum::<f64>() / test.len() as f64;
        let all_squares: f64 = test.iter().map(|&i| (y[i] - mean) * (y[i] - mean)).sum();
        let r_squared = |found: mercer_core::Prediction| {
            let found = found.numbers().unwrap().to_vec();
            let left: f64 = test.iter().zip(found).map(|(&i, f)| (y[i] - f) * (y[i] - f)).sum();
            1.0 - left / all_squares
        };
        let expected = &all["scores"][name];
        agree(name, "forest", &expected["forest"], |session| {
            let model = RandomForestRegressor::default().fit_in(&train, session).unwrap();
            r_squared(model.predict(&fresh).unwrap())
        });
        agree(name, "extra", &expected["extra"], |session| {
            let model = ExtraTreesRegressor::default().fit_in(&train, session).unwrap();
            r_squared(model.predict(&fresh).unwrap())
        });
    }
}

/// The mean score of each row over ten seeds; the first fourteen rows are the outliers of Hawkins, Bradu and Kass.
#[test]
fn rows_are_isolated_as_by_the_peer() {
    let Some((x, _)) = read("hbk-outliers") else { return };
    let expected = &reference()["isolation"];
    let deviation = expected["deviation"].as_f64().unwrap();
    let mut scores = vec![0.0; x.n_rows()];
    for seed in 0..10 {
        let session = Session::new(seed);
        let model = IsolationForest::default().fit_in(&Dataset::new(&x), &session).unwrap();
        let one = model.score_samples(&Input::from(&x), &session).unwrap();
        scores.iter_mut().zip(one).for_each(|(s, v)| *s += v / 10.0);
    }
    for (i, (ours, theirs)) in scores.iter().zip(expected["mean"].as_array().unwrap()).enumerate() {
        let theirs = theirs.as_f64().unwrap();
        assert!((ours - theirs).abs() < 5.0 * deviation * (2.0f64 / 10.0).sqrt(), "row {i}: {ours} {theirs}");
    }
    let worst = scores[14..].iter().fold(f64::INFINITY, |a, b| a.min(*b));
    assert!(scores[..14].iter().all(|s| *s < worst));
}
