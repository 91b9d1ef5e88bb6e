//! Neighbours, and what is learnt from them, against scikit-learn.

use mercer_core::{Dataset, Error, Fit, Input, Learner, Model, ParamType, Session, Target, Value};
use mercer_kernels::{
    Algorithm, KNeighborsClassifier, KNeighborsRegressor, MetricName, MetricParams, NearestNeighbors,
    NeighborWeights, OutlierLabel, RadiusNeighborsClassifier, RadiusNeighborsRegressor,
};
use mercer_math::Mat;
use mercer_testkit::{assert_alike, assert_close, matrix, numbers, reference};
use serde_json::Value as Json;

fn all() -> Json {
    reference(include_str!("reference/neighbors.json"))
}

fn texts(list: &Json) -> Vec<String> {
    list.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect()
}

fn words(target: &Target<'_>) -> Vec<String> {
    (0..target.n_rows()).map(|i| target.columns()[0].text(i)).collect()
}

fn weighting(case: &Json) -> NeighborWeights {
    NeighborWeights::from_value(&Value::from(case["weights"].as_str().unwrap())).unwrap()
}

fn columns(m: &Mat) -> Vec<Vec<f64>> {
    (0..m.n_cols()).map(|k| m.col(k)).collect()
}

fn trained(learner: impl Learner, data: &Dataset<'_>) -> Box<dyn Model> {
    let learner: Box<dyn Learner> = Box::new(learner);
    learner.train(data, &Session::default()).unwrap()
}

/// A map of JSON as a parameter's value.
fn value(json: &Json) -> Value {
    match json {
        Json::Number(n) => Value::Real(n.as_f64().unwrap()),
        Json::Array(items) => Value::List(items.iter().map(value).collect()),
        Json::Object(map) => {
            Value::Map(map.iter().map(|(k, v)| (Value::from(k.as_str()), value(v))).collect())
        }
        _ => Value::Null,
    }
}

#[test]
fn distances_match_scikit_learn_by_every_metric_and_algorithm() {
    let all = all();
    let (x, new, session) = (matrix(&all["x"]), matrix(&all["new"]), Session::default());
    for case in all["searches"].as_array().unwrap() {
        let metric = MetricName::from_value(&Value::from(case["metric"].as_str().unwrap())).unwrap();
        let params = Option::<MetricParams>::from_value(&value(&case["params"])).unwrap();
        for algorithm in [Algorithm::Auto, Algorithm::Brute, Algorithm::KdTree] {
            let learner = NearestNeighbors::default()
                .n_neighbors(6)
                .radius(1.1)
                .metric(metric)
                .p(case["p"].as_f64().unwrap())
                .metric_params(params.clone())
                .algorithm(algorithm);
            let what = format!("{metric:?} {algorithm:?} {}", case["params"]);
            let learner: Box<dyn Learner> = Box::new(learner);
            let model = match learner.train(&Dataset::new(&x), &session) {
                Err(e) if algorithm == Algorithm::KdTree => {
                    assert!(e.to_string().contains("for this metric"), "{e}");
                    continue;
                }
                made => made.unwrap(),
            };
            let input = Input::from(&new);
            let asked = model.on(&input, &session).unwrap();
            let found = asked.nearest(None).unwrap();
            assert_close(&found.distances, matrix(&case["distances"]).as_slice(), 1e-10, &what);
            let own = model.neighbours().unwrap().nearest(None, None, &session).unwrap();
            assert_close(&own.distances, matrix(&case["own"]).as_slice(), 1e-10, &what);
            let within = asked.within(None).unwrap();
            for (i, expected) in case["within"].as_array().unwrap().iter().enumerate() {
                assert_close(within.of(i).1, &numbers(expected), 1e-10, &what);
            }
            // Of rows equally far, those of lower index come first.
            for i in 0..found.len() {
                let (rows, distances) = found.of(i);
                assert!(
                    (1..rows.len()).all(|k| distances[k] > distances[k - 1] || rows[k] > rows[k - 1]),
                    "{what}"
                );
            }
        }
    }
}

#[test]
fn the_k_nearest_answer_as_in_scikit_learn() {
    let all = all();
    let (x, new, labels) = (matrix(&all["noisy"]), matrix(&all["new"]), texts(&all["labels"]));
    let classes = Dataset::new(&x).with_target(Target::classes(&labels)).unwrap();
    let two = Target::multi(columns(&matrix(&all["two"]))).unwrap();
    let two = Dataset::new(&x).with_target(two).unwrap();
    for case in all["learners"].as_array().unwrap() {
        let (k, weights) = (case["k"].as_u64().unwrap() as usize, weighting(case));
        for algorithm in [Algorithm::Auto, Algorithm::Brute] {
            let classifier =
                KNeighborsClassifier::default().n_neighbors(k).weights(weights).algorithm(algorithm);
            let model = classifier.fit(&classes).unwrap();
            assert_eq!(words(&model.predict(&new).unwrap()), texts(&case["classes"]), "{k} {weights:?}");
            let shares = model.predict_proba(&new).unwrap();
            assert_close(shares.as_slice(), matrix(&case["shares"]).as_slice(), 1e-10, "shares");
            assert!(model.verify(&classes).unwrap().iter().all(|v| v.holds));
            let regressor =
                KNeighborsRegressor::default().n_neighbors(k).weights(weights).algorithm(algorithm);
            let model = regressor.fit(&two).unwrap();
            let (found, expected) = (model.predict(&new).unwrap(), matrix(&case["numbers"]));
            (0..2).for_each(|t| {
                assert_close(found.numbers_of(t).unwrap(), &expected.col(t), 1e-10, "numbers");
            });
        }
    }
}

#[test]
fn rows_within_a_radius_answer_as_in_scikit_learn() {
    let all = all();
    let (x, new, labels) = (matrix(&all["noisy"]), matrix(&all["new"]), texts(&all["labels"]));
    let classes = Dataset::new(&x).with_target(Target::classes(&labels)).unwrap();
    let two = Target::multi(columns(&matrix(&all["two"]))).unwrap();
    let two = Dataset::new(&x).with_target(two).unwrap();
    for case in all["radius_learners"].as_array().unwrap() {
        let weights = weighting(case);
        let classifier = RadiusNeighborsClassifier::default().radius(0.9).weights(weights);
        let known = classifier.clone().outlier_label(Some(OutlierLabel::MostFrequent)).fit(&classes).unwrap();
        assert_eq!(words(&known.predict(&new).unwrap()), texts(&case["classes"]));
        let lonely = classifier.fit(&classes).unwrap().predict(&new);
        assert!(lonely.unwrap_err().to_string().contains("no neighbour within the radius"));
        let model = RadiusNeighborsRegressor::default().radius(2.5).weights(weights).fit(&two).unwrap();
        let (found, expected) = (model.predict(&new).unwrap(), matrix(&case["numbers"]));
        (0..2).for_each(|t| assert_alike(found.numbers_of(t).unwrap(), &expected.col(t), 1e-10, "numbers"));
    }
}

/// What the certificate says of leaving rows out is what refits without each row say.
#[test]
fn leaving_one_out_is_refitting_without_it() {
    let all = all();
    let (x, labels) = (matrix(&all["noisy"]), texts(&all["labels"]));
    let data = Dataset::new(&x).with_target(Target::classes(&labels)).unwrap();
    let learner = KNeighborsClassifier::default().n_neighbors(4).weights(NeighborWeights::Distance);
    let claimed = learner.fit(&data).unwrap().certificate().evidence[0].value;
    let wrong = (0..60usize).filter(|&i| {
        let others: Vec<usize> = (0..60).filter(|j| *j != i).collect();
        let model = learner.fit(&data.subset(&others).unwrap()).unwrap();
        words(&model.predict(x.view().gather(&[i])).unwrap())[0] != labels[i]
    });
    assert_close(&[claimed], &[wrong.count() as f64 / 60.0], 1e-12, "leave-one-out error");
}

#[test]
fn given_distances_answer_as_rows_do() {
    let all = all();
    let (x, new, labels) = (matrix(&all["noisy"]), matrix(&all["new"]), texts(&all["labels"]));
    let distances =
        |a: &Mat| Mat::from_fn(a.n_rows(), 60, |i, j| mercer_math::sq_dist(a.row(i), x.row(j)).sqrt());
    let target = || Target::classes(&labels);
    let learner = KNeighborsClassifier::default();
    let rows = learner.fit(&Dataset::new(&x).with_target(target()).unwrap()).unwrap();
    let given = learner.clone().metric(MetricName::Precomputed);
    let square = distances(&x);
    let model = given.fit(&Dataset::new(&square).with_target(target()).unwrap()).unwrap();
    assert_eq!(model.predict(distances(&new)).unwrap(), rows.predict(&new).unwrap());
    let oblong = Dataset::new(&x).with_target(target()).unwrap();
    assert!(given.fit(&oblong).unwrap_err().to_string().contains("distances"));
}

#[test]
fn strings_have_neighbours_by_their_letters() {
    let strings = ["kitten", "mitten", "sitting", "saturday", "sunday", "monday"].map(String::from);
    let target = Target::classes(&["cat", "cat", "cat", "day", "day", "day"]);
    let data = Dataset::new(&strings[..]).with_target(target).unwrap();
    let learner = KNeighborsClassifier::default().n_neighbors(2).metric(MetricName::Levenshtein);
    let model = learner.fit(&data).unwrap();
    let new = ["bitten", "funday"].map(String::from);
    assert_eq!(words(&model.predict(&new[..]).unwrap()), ["cat", "day"]);
}

#[test]
fn wrong_questions_are_refused_by_name() {
    let x = Mat::from_fn(4, 2, |i, j| (i * (j + 1)) as f64);
    let model = trained(NearestNeighbors::default(), &Dataset::new(&x));
    let session = Session::default();
    let input = Input::from(&x);
    let asked = model.on(&input, &session).unwrap();
    let said = |e: Error| e.to_string();
    assert!(said(asked.nearest(Some(5)).unwrap_err()).contains("n_neighbors"));
    assert!(said(asked.within(Some(f64::NAN)).unwrap_err()).contains("radius"));
    assert!(
        said(model.neighbours().unwrap().nearest(None, Some(4), &session).unwrap_err()).contains("[1, 3]")
    );
    assert!(said(model.sample(3, &session).unwrap_err()).contains("draw rows"));
    let haversine = NearestNeighbors::default().metric(MetricName::Haversine);
    assert!(said(haversine.fit(&Dataset::new(Mat::zeros(3, 3))).unwrap_err()).contains("haversine"));
}
