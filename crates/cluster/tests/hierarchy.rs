//! What HDBSCAN's tree says beyond clusters, on rows on a line where all of it is known.

use mercer_cluster::{ClusterSelection, HDBSCAN};
use mercer_core::{AttributeValues, Dataset, Fit, Fitted, Input, Session, Trained};
use mercer_math::{Mat, normal, rng_for};
use mercer_testkit::assert_close;

/// Two groups with steps of 1, of which the first has a straggler at a distance of 7; 90 lie between it and the second.
const LINE: [f64; 9] = [0.0, 1.0, 2.0, 3.0, 10.0, 100.0, 101.0, 102.0, 103.0];

fn line(learner: HDBSCAN) -> Trained<HDBSCAN> {
    let x = Mat::from_fn(9, 1, |i, _| LINE[i]);
    learner.fit(&Dataset::new(&x)).unwrap()
}

fn plain() -> HDBSCAN {
    HDBSCAN::default().min_cluster_size(3).min_samples(Some(1))
}

fn real(model: &Trained<HDBSCAN>, name: &str) -> Vec<f64> {
    let found = Fitted::attributes(model.model()).into_iter().find(|a| a.name == name).unwrap();
    match found.values {
        AttributeValues::Real(values) => values,
        other => panic!("{other:?}"),
    }
}

#[test]
fn stragglers_have_outlier_scores_and_clusters_last() {
    let model = line(plain());
    assert_eq!(model.labels(), [0, 0, 0, 0, 0, 1, 1, 1, 1]);
    let scores = [0.0, 0.0, 0.0, 0.0, 6.0 / 7.0, 0.0, 0.0, 0.0, 0.0];
    assert_close(&model.outlier_scores(), &scores, 1e-14, "1 − λ of the row / greatest λ of its cluster");
    let first = (4.0 * (1.0 - 1.0 / 90.0) + 1.0 / 7.0 - 1.0 / 90.0) / 5.0;
    assert_close(&real(&model, "cluster_persistence_"), &[first, 89.0 / 90.0], 1e-14, "stability");
}

#[test]
fn the_condensed_tree_has_all_that_leaves() {
    let model = line(plain());
    let tree = real(&model, "condensed_tree_");
    let mut lines: Vec<&[f64]> = tree.chunks(4).collect();
    assert_eq!(lines.len(), 11, "nine rows and two clusters");
    lines.sort_by(|a, b| a[1].total_cmp(&b[1]));
    // The cluster of the straggler is whichever stands first; both leave the root at 90.
    let of = |row: usize| lines[row][0];
    assert!(of(0) != of(5) && of(0) == of(4) && [10.0, 11.0].contains(&of(0)));
    assert_close(&[lines[4][2], lines[0][2]], &[1.0 / 7.0, 1.0], 1e-14, "λ of rows");
    for cluster in &lines[9..] {
        assert_close(&[cluster[0], cluster[2]], &[9.0, 1.0 / 90.0], 1e-14, "clusters leave the root");
        assert_eq!(cluster[3], if cluster[1] == of(0) { 5.0 } else { 4.0 });
    }
}

#[test]
fn new_rows_join_the_tree_or_are_noise() {
    let model = line(plain());
    let asked = Mat::from_rows(&[[1.5], [20.0], [1000.0], [60.0], [2.0], [103.5]]).unwrap();
    let (labels, strengths) = model.approximate_predict(&Input::from(&asked), &Session::default()).unwrap();
    // 20 is 10 from the straggler, 60 is 40 from the second group; 1000 is farther than the groups are from each other.
    assert_eq!(labels, [0, 0, -1, 1, 0, 1]);
    assert_close(&strengths, &[1.0, 0.1, 0.0, 0.025, 1.0, 1.0], 1e-14, "λ / greatest λ of the cluster");
}

#[test]
fn new_rows_of_another_shape_are_refused() {
    let (model, session) = (line(plain()), Session::default());
    let wide = Mat::from_fn(2, 2, |i, _| i as f64);
    assert!(model.approximate_predict(&Input::from(&wide), &session).is_err());
    let missing = Mat::from_rows(&[[f64::NAN]]).unwrap();
    assert!(model.approximate_predict(&Input::from(&missing), &session).is_err());
    let none = Mat::zeros(0, 1);
    assert_eq!(model.approximate_predict(&Input::from(&none), &session).unwrap(), (vec![], vec![]));
}

#[test]
fn rows_learnt_from_keep_their_clusters_when_they_are_asked_about() {
    let mut rng = rng_for(1, 0);
    let x = Mat::from_fn(
        400,
        2,
        |i, j| if i < 360 { (i % 3 + j) as f64 * 9.0 } else { 0.0 } + 1.5 * normal(&mut rng),
    );
    for learner in [
        HDBSCAN::default(),
        HDBSCAN::default().min_cluster_size(20).cluster_selection_method(ClusterSelection::Leaf),
        HDBSCAN::default().min_samples(Some(2)).cluster_selection_epsilon(0.5),
    ] {
        let model = learner.fit(&Dataset::new(&x)).unwrap();
        let (labels, strengths) = model.approximate_predict(&Input::from(&x), &Session::default()).unwrap();
        let same = labels.iter().zip(model.labels()).filter(|(a, b)| a == b).count();
        // A row asked about has itself for a neighbour, so that it may be a little denser than it was.
        assert!(same >= 380, "{learner:?}: {same} of 400");
        let (expected, clusters) = (model.labels(), model.n_clusters() as i32);
        assert!(labels.iter().all(|l| (-1..clusters).contains(l)) && expected.len() == 400);
        assert!(labels.iter().zip(&strengths).all(|(l, s)| if *l < 0 {
            *s == 0.0
        } else {
            0.0 < *s && *s <= 1.0
        }));
    }
}

/// Rows that coincide leave at an infinite λ.
#[test]
fn coinciding_rows_are_no_outliers() {
    let x = Mat::from_fn(20, 1, |i, _| if i < 18 { (i % 2) as f64 * 50.0 } else { 3.0 + i as f64 });
    let model = plain().fit(&Dataset::new(&x)).unwrap();
    let scores = model.outlier_scores();
    assert_eq!(scores[..18], [0.0; 18]);
    assert_eq!(scores[18..], [1.0; 2], "beside rows that coincide every other is an outlier");
    let asked = Mat::from_rows(&[[0.0], [50.0], [1.0]]).unwrap();
    let (labels, strengths) = model.approximate_predict(&Input::from(&asked), &Session::default()).unwrap();
    assert!(labels[0] >= 0 && labels[1] >= 0 && labels[0] != labels[1], "{labels:?}");
    assert_eq!(strengths[..2], [1.0; 2]);
}
