//! Warping on the UCR archive: the error of the nearest neighbour as published.

use mercer_core::{Dataset, Fit, ParamType, Target, Value};
use mercer_kernels::{KNeighborsClassifier, MetricName, MetricParams};
use mercer_math::Mat;
use mercer_testkit::shared_data;

/// The series and labels of one part of a file of the archive: `split,label,t1,t2,…`.
fn part(text: &str, split: &str) -> (Mat, Vec<String>) {
    let lines = text.lines().skip(1).filter_map(|line| line.strip_prefix(split)?.strip_prefix(','));
    let (labels, rows): (Vec<String>, Vec<Vec<f64>>) = lines
        .map(|line| {
            let (label, values) = line.split_once(',').expect("a label and values");
            (label.to_owned(), values.split(',').map(|v| v.parse().expect("a number")).collect())
        })
        .unzip();
    (Mat::from_rows(&rows).expect("series of equal length"), labels)
}

fn window_of(share: f64) -> Value {
    Value::Map(vec![(Value::Text("window".to_owned()), Value::Real(share))])
}

/// Published: GunPoint 0.0867 and 0.0933 (Euclidean, warping without a band), ItalyPowerDemand 0.0447 and 0.0496, Trace 0.24 and 0; a band
/// of width 0 is the Euclidean distance.
#[test]
fn nearest_neighbours_err_as_published() {
    for (file, euclidean, warped) in [
        ("ucr-gunpoint.csv", 0.0867, 0.0933),
        ("ucr-italy-power-demand.csv", 0.0447, 0.0496),
        ("ucr-trace.csv", 0.24, 0.0),
    ] {
        let Some(text) = shared_data(file) else { return };
        let ((train, known), (test, truth)) = (part(&text, "train"), part(&text, "test"));
        for (window, expected) in [(0.0, euclidean), (1.0, warped)] {
            let learner = KNeighborsClassifier::default()
                .n_neighbors(1)
                .metric(MetricName::Dtw)
                .metric_params(Some(MetricParams::from_value(&window_of(window)).expect("a window")));
            let data = Dataset::new(&train).with_target(Target::classes(&known)).expect("equal lengths");
            let model = learner.fit(&data).expect("a model");
            let found = model.predict(&test).expect("answers");
            let wrong = truth.iter().enumerate().filter(|(i, t)| found.columns()[0].text(*i) != **t).count();
            let error = wrong as f64 / truth.len() as f64;
            assert!((error - expected).abs() < 5e-5, "{file}: {error} for {expected}");
        }
    }
}
