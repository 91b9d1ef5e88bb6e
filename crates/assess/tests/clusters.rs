//! The number of clusters: criteria against those of scikit-learn and numpy, and on groups whose number is known.

use mercer_assess::{GapReference, KOptions, choose_k, count_path, gap_statistic, stability};
use mercer_core::{Column, Dataset, Learner, Session, Table, catalogue};
use mercer_math::{Mat, normal, rng_for};
use mercer_testkit::{assert_alike, matrix, reference};
use serde_json::Value;

fn learner(spec: &str) -> Box<dyn Learner> {
    for family in [mercer_cluster::learners(), mercer_prepare::learners(), mercer_linear::learners()] {
        catalogue::register(family);
    }
    catalogue::make_spec(spec).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// So many groups, far apart, in a plane.
fn groups(n: usize, k: usize, seed: u64) -> Mat {
    let mut rng = rng_for(seed, 0);
    let angle = |i: usize| (i % k) as f64 / k as f64 * std::f64::consts::TAU;
    Mat::from_fn(n, 2, |i, j| {
        12.0 * (if j == 0 { angle(i).cos() } else { angle(i).sin() }) + normal(&mut rng)
    })
}

#[test]
fn criteria_are_those_of_scikit_learn() {
    let theirs = reference(include_str!("reference/clusters.json"));
    let x = matrix(&theirs["x"]);
    let options = KOptions { counts: (1..=6).collect(), references: 0, resamples: 0, ..KOptions::default() };
    let found =
        choose_k(learner("agglomerative").as_ref(), &Dataset::new(&x), &options, &Session::new(1)).unwrap();
    for name in ["silhouette", "calinski_harabasz", "davies_bouldin"] {
        let ours = found.criterion(name).unwrap();
        assert!(ours.values[0].is_nan(), "{name} of one cluster");
        let expected = numbers(&theirs[name]);
        assert_alike(&ours.values[1..], &expected, 1e-10, name);
        let best = |a: usize, b: usize| match name {
            "davies_bouldin" if expected[b] < expected[a] => b,
            "davies_bouldin" => a,
            _ if expected[b] > expected[a] => b,
            _ => a,
        };
        assert_eq!(ours.chosen, (0..5).reduce(best).map(|i| i + 2), "{name}");
    }
    assert!(found.criterion("bic").is_err(), "no mixture");
}

/// The deterministic half of the gap is equal; the mean over 200 references differs from that over the 2000 of numpy by less than
/// 4.5 of its standard errors, which chance alone exceeds in one of 12,000 seeds for the twelve means together.
#[test]
fn gaps_are_those_of_numpy() {
    let theirs = reference(include_str!("reference/clusters.json"));
    let x = matrix(&theirs["x"]);
    for (name, reference) in [("principal", GapReference::Principal), ("features", GapReference::Features)] {
        let options =
            KOptions { counts: (1..=6).collect(), references: 200, reference, ..KOptions::default() };
        let gap = gap_statistic(learner("agglomerative").as_ref(), &x, &options, &Session::new(7)).unwrap();
        assert_alike(&gap.log_within, &numbers(&theirs["log_within"]), 1e-10, "log W");
        let (mean, deviation) = (numbers(&theirs[name]["mean"]), numbers(&theirs[name]["deviation"]));
        for k in 0..6 {
            let error = deviation[k] * (1.0f64 / 200.0 + 1.0 / 2000.0).sqrt();
            assert!(
                (gap.expected[k] - mean[k]).abs() < 4.5 * error,
                "{name} {k}: {} for {}",
                gap.expected[k],
                mean[k]
            );
            // A standard deviation of 200 draws is known to about 5 %.
            assert!((gap.errors[k] / deviation[k] - 1.0).abs() < 0.25, "{name} {k}");
            assert_eq!(gap.gaps[k], gap.expected[k] - gap.log_within[k]);
        }
    }
}

#[test]
fn every_criterion_finds_groups_that_are_far_apart() {
    for k in [3, 5] {
        let x = groups(150, k, 2);
        let options =
            KOptions { counts: (1..=8).collect(), references: 10, resamples: 8, ..KOptions::default() };
        for spec in ["kmeans", "agglomerative", "gmm", "pipeline:steps=[standard-scaler, kmeans(n_init=3)]"] {
            let found =
                choose_k(learner(spec).as_ref(), &Dataset::new(&x), &options, &Session::new(3)).unwrap();
            assert_eq!(found.counts, options.counts);
            for criterion in found.criteria.iter().filter(|c| !["aic", "gap"].contains(&c.name)) {
                assert_eq!(criterion.chosen, Some(k), "{spec}: {criterion:?}");
            }
            // Two clusters on a ring are hardly tighter than one, so that the rule of the gap may stop there; its largest value may not.
            let gaps = &found.criterion("gap").unwrap().values;
            assert!(gaps.iter().all(|g| *g <= gaps[k - 1]), "{spec}: {gaps:?}");
            assert_eq!(found.criteria.iter().any(|c| c.name == "bic"), spec == "gmm");
            assert_eq!(found.usual().map(|c| c.name), Some(if spec == "gmm" { "bic" } else { "silhouette" }));
            assert!(found.left_out.is_empty(), "{:?}", found.left_out);
        }
    }
}

/// A cloud without groups: the gap says that there is one cluster, as no other criterion can.
#[test]
fn a_cloud_is_one_cluster() {
    let mut rng = rng_for(4, 0);
    let x = Mat::from_fn(120, 3, |_, _| normal(&mut rng));
    let options = KOptions { counts: (1..=5).collect(), references: 20, ..KOptions::default() };
    let gap = gap_statistic(learner("kmeans:n_init=5").as_ref(), &x, &options, &Session::new(1)).unwrap();
    assert_eq!(gap.chosen, Some(1), "{gap:?}");
}

/// Subsamples agree entirely on what is there, and less on twice as many clusters.
#[test]
fn clusters_that_are_there_come_again() {
    let x = groups(120, 3, 5);
    let options = KOptions { counts: vec![1, 3, 6], resamples: 10, ..KOptions::default() };
    let run = |threads| {
        let session = Session::new(2).with_threads(threads);
        stability(learner("kmeans").as_ref(), &Dataset::new(&x), &options, &session).unwrap()
    };
    let found = run(2);
    assert_eq!(found, run(1), "another number of threads");
    assert_eq!((found.means[0], found.means[1]), (1.0, 1.0));
    assert!(found.means[2] < 0.9, "{:?}", found.means);
    assert_eq!(found.chosen, Some(3));
}

/// Neither clusters that no rows are left for, nor rows that all have one of their own, are stable: they agree whatever the data.
#[test]
fn agreement_that_says_nothing_is_no_stability() {
    let x = Mat::from_fn(40, 1, |i, _| (i % 4) as f64 * 7.0);
    let options = KOptions { counts: vec![2, 4, 5, 9], resamples: 6, ..KOptions::default() };
    let found = stability(learner("kmeans").as_ref(), &Dataset::new(&x), &options, &Session::new(2)).unwrap();
    assert_eq!(found.means[1], 1.0);
    assert!(found.means[2].is_nan() && found.means[3].is_nan(), "{found:?}");
    assert_eq!(found.chosen, Some(4));
    let mut rng = rng_for(3, 0);
    let x = Mat::from_fn(30, 2, |_, _| normal(&mut rng));
    let options = KOptions { counts: vec![2, 24, 40], resamples: 6, ..KOptions::default() };
    let found = stability(learner("kmeans").as_ref(), &Dataset::new(&x), &options, &Session::new(2)).unwrap();
    assert!(found.means[1].is_nan() && found.means[2].is_nan(), "{found:?}");
    assert_eq!(found.chosen, Some(2));
}

#[test]
fn tables_with_categories_have_criteria_too() {
    let mut rng = rng_for(6, 0);
    let names = ["a", "b", "c"];
    let table = Table::new(vec![
        (
            "size".into(),
            Column::numbers((0..90).map(|i| (i % 3) as f64 * 9.0 + normal(&mut rng)).collect::<Vec<_>>()),
        ),
        ("kind".into(), Column::categories(&(0..90).map(|i| Some(names[i % 3])).collect::<Vec<_>>())),
    ])
    .unwrap();
    let options = KOptions { counts: (1..=5).collect(), references: 5, resamples: 5, ..KOptions::default() };
    let found = choose_k(learner("kprototypes").as_ref(), &Dataset::new(&table), &options, &Session::new(1));
    let found = found.unwrap();
    for name in ["silhouette", "calinski_harabasz", "stability"] {
        assert_eq!(found.criterion(name).unwrap().chosen, Some(3), "{name}: {:?}", found.criterion(name));
    }
}

#[test]
fn what_cannot_be_chosen_is_refused_in_words() {
    let (x, session) = (groups(30, 3, 1), Session::new(1));
    let data = Dataset::new(&x);
    let refused = |spec: &str, options: &KOptions| {
        choose_k(learner(spec).as_ref(), &data, options, &session).unwrap_err().to_string()
    };
    let plain = KOptions::default();
    assert!(refused("dbscan", &plain).contains("how many clusters"));
    assert!(refused("ridge", &plain).contains("how many clusters"));
    assert!(refused("kmeans", &KOptions { counts: vec![], ..plain.clone() }).contains("counts"));
    assert!(refused("kmeans", &KOptions { counts: vec![0, 2], ..plain.clone() }).contains("counts"));
    for share in [0.5, 1.0, f64::NAN] {
        assert!(refused("kmeans", &KOptions { share, ..plain.clone() }).contains("share"), "{share}");
    }
    let weighted = data.clone().with_weights(vec![1.0; 30]).unwrap();
    assert!(choose_k(learner("kmeans").as_ref(), &weighted, &plain, &session).is_err());
    assert_eq!(count_path(learner("dbscan").as_ref()), None);
    // More clusters than rows cannot be had, which is told, and does not hide the others.
    let few = KOptions { counts: vec![2, 31], references: 0, resamples: 3, ..plain };
    let found = choose_k(learner("agglomerative").as_ref(), &data, &few, &session).unwrap();
    assert!(found.left_out[0].0.contains("31"));
    assert!(found.criterion("silhouette").unwrap().values[0].is_finite());
}
