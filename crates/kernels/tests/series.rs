//! Warping on the UCR archive: the error of the nearest neighbour as published.

use mercer_kernels::{Band, dtw_nearest};
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
        for (band, expected) in [(Band::new(0.0).unwrap(), euclidean), (Band::NONE, warped)] {
            let found = dtw_nearest(test.view(), train.view(), band, 1);
            let wrong = found.iter().zip(&truth).filter(|(near, label)| known[near[0].1] != **label).count();
            let error = wrong as f64 / truth.len() as f64;
            assert!((error - expected).abs() < 5e-5, "{file}: {error} for {expected}");
        }
    }
}
