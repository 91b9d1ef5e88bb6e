//! Bisecting k-means against scikit-learn's, its definition, and the rows at which k-means begins.

use mercer_cluster::{
    BisectingKMeans, BisectingStrategy, KMeansInit, KMeansRuns, MiniBatchKMeans, kmeans_plusplus,
};
use mercer_core::{Dataset, Fit, Session, Trained};
use mercer_math::{Csr, Mat, normal, rng_for, sq_dist};
use mercer_testkit::{assert_close, matrix, numbers, reference};

fn blobs(n: usize, groups: usize) -> Mat {
    let mut rng = rng_for(5, n as u64);
    Mat::from_fn(n, 3, |i, j| (i % groups) as f64 * [9.0, -4.0, 2.0][j] + normal(&mut rng))
}

fn bisecting(k: usize) -> BisectingKMeans {
    BisectingKMeans::default().n_clusters(k)
}

fn bisected(k: usize, x: &Mat) -> Trained<BisectingKMeans> {
    bisecting(k).n_init(4).tol(0.0).fit(&Dataset::new(x)).unwrap()
}

/// The partings of these sets have one optimum that many runs find, theirs and ours.
#[test]
fn scikit_learn_parts_the_same_clusters() {
    let all = reference(include_str!("reference/bisecting.json"));
    let cases = all["cases"].as_array().unwrap();
    assert!(cases.len() >= 10);
    for case in cases {
        let x = matrix(&all["sets"][case["set"].as_str().unwrap()]);
        let strategy = match case["strategy"].as_str().unwrap() {
            "largest_cluster" => BisectingStrategy::LargestCluster,
            _ => BisectingStrategy::BiggestInertia,
        };
        let learner = bisecting(case["k"].as_u64().unwrap() as usize).bisecting_strategy(strategy);
        let mut data = Dataset::new(&x);
        if case["weights"].is_array() {
            data = data.with_weights(numbers(&case["weights"])).unwrap();
        }
        let model = learner.n_init(40).tol(0.0).init(KMeansInit::PlusPlus).fit(&data).unwrap();
        let what = format!("{}, {}, {}", case["set"], case["k"], case["strategy"]);
        assert_close(&[model.inertia()], &[case["inertia"].as_f64().unwrap()], 1e-10, &what);
        // Which of two parts comes first is chance.
        let sorted = |centres: Mat| {
            let mut rows: Vec<Vec<f64>> = (0..centres.n_rows()).map(|c| centres.row(c).to_vec()).collect();
            rows.sort_by(|a, b| a.partial_cmp(b).unwrap());
            rows.concat()
        };
        assert_close(&sorted(model.centres()), &sorted(matrix(&case["centres"])), 1e-10, &what);
    }
}

#[test]
fn clusters_of_more_partings_lie_within_those_of_fewer() {
    let x = blobs(90, 5);
    let labels: Vec<Vec<i32>> = (1..8).map(|k| bisected(k, &x).labels().to_vec()).collect();
    for (k, pair) in labels.windows(2).enumerate() {
        for i in 0..90 {
            for j in 0..i {
                assert!(pair[1][i] != pair[1][j] || pair[0][i] == pair[0][j], "{k}: rows {i} and {j}");
            }
        }
        assert_eq!(*pair[1].iter().max().unwrap(), k as i32 + 1);
    }
}

#[test]
fn inertia_and_centres_are_those_of_the_definition() {
    let x = blobs(120, 4);
    for strategy in [BisectingStrategy::BiggestInertia, BisectingStrategy::LargestCluster] {
        let data = Dataset::new(&x);
        let model = bisecting(6).bisecting_strategy(strategy).tol(0.0).fit(&data).unwrap();
        let (centres, labels) = (model.centres(), model.labels());
        for c in 0..6 {
            let own: Vec<usize> = (0..120).filter(|&i| labels[i] == c).collect();
            let mean: Vec<f64> =
                (0..3).map(|j| own.iter().map(|&i| x[(i, j)]).sum::<f64>() / own.len() as f64).collect();
            assert_close(centres.row(c as usize), &mean, 1e-12, "centre");
        }
        let inertia: f64 = (0..120).map(|i| sq_dist(x.row(i), centres.row(labels[i] as usize))).sum();
        assert_close(&[model.inertia()], &[inertia], 1e-12, "inertia");
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
        let other = Mat::from_fn(120, 3, |i, j| 1.2 * x[(i, j)]);
        let verified = model.verify(&Dataset::new(&other)).unwrap();
        assert!(verified.iter().any(|v| !v.holds), "{verified:?}");
    }
}

/// Of 80 rows near each other and 20 far apart, inertia parts the few, numbers the many.
#[test]
fn strategies_part_what_they_say() {
    let mut rng = rng_for(8, 0);
    let x =
        Mat::from_fn(100, 1, |i, _| if i < 80 { normal(&mut rng) } else { 1e3 + 50.0 * normal(&mut rng) });
    let sizes = |strategy| {
        let model = bisecting(3).bisecting_strategy(strategy).fit(&Dataset::new(&x)).unwrap();
        let mut sizes = [0; 3];
        model.labels().iter().for_each(|&l| sizes[l as usize] += 1);
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(sizes(BisectingStrategy::BiggestInertia)[2], 80);
    let largest = sizes(BisectingStrategy::LargestCluster);
    assert!(largest.contains(&20) && largest[2] < 80, "{largest:?}");
}

#[test]
fn fewer_different_rows_than_clusters_leave_empty_ones() {
    let x = Mat::from_fn(12, 2, |i, _| (i % 3) as f64);
    let model = bisecting(6).fit(&Dataset::new(&x)).unwrap();
    assert_eq!((model.n_clusters(), model.inertia()), (6, 0.0));
    assert!(model.centres().as_slice().iter().all(|v| v.is_finite()));
    assert!(model.certificate().notes.iter().any(|n| n.contains("only 3 of the 6")));
    let mut seen = model.labels().to_vec();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 3, "rows that differ have clusters of their own");
}

#[test]
fn sparse_rows_and_weights_in_place_of_copies_change_nothing() {
    let x = blobs(60, 4);
    let whole = bisected(5, &x);
    let sparse = Csr::from_dense(x.view());
    let thin = bisecting(5).n_init(4).tol(0.0).fit(&Dataset::new(&sparse)).unwrap();
    assert_close(thin.centres().as_slice(), whole.centres().as_slice(), 1e-12, "sparse");
    let twice: Vec<usize> = (0..60).flat_map(|i| std::iter::repeat_n(i, 1 + i % 3)).collect();
    let copies = x.view().gather(&twice);
    let weights: Vec<f64> = (0..60).map(|i| (1 + i % 3) as f64).collect();
    let data = Dataset::new(&x).with_weights(weights).unwrap();
    let weighted = bisecting(5).n_init(4).tol(0.0).fit(&data).unwrap();
    assert_close(weighted.centres().as_slice(), bisected(5, &copies).centres().as_slice(), 1e-9, "weights");
}

#[test]
fn seeds_are_different_rows_of_positive_weight() {
    let mut rng = rng_for(2, 0);
    let x = Mat::from_fn(300, 2, |i, _| if i < 150 { normal(&mut rng) } else { 0.0 });
    let weights: Vec<f64> = (0..300).map(|i| if i % 2 == 0 { 1.0 } else { 0.0 }).collect();
    let data = Dataset::new(&x).with_weights(weights).unwrap();
    for trials in [None, Some(1), Some(9)] {
        let (seeds, rows) = kmeans_plusplus(&data, 12, trials, &Session::new(4)).unwrap();
        for (c, &row) in rows.iter().enumerate() {
            assert_eq!(seeds.row(c), x.row(row));
            assert!(row % 2 == 0 || row > 150, "row {row} has no weight");
        }
        let mut different = rows.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 12);
    }
    let sparse = Csr::from_dense(x.view());
    let data = Dataset::new(&x);
    let dense = kmeans_plusplus(&data, 5, None, &Session::new(1)).unwrap();
    assert_eq!(dense, kmeans_plusplus(&Dataset::new(&sparse), 5, None, &Session::new(1)).unwrap());
    assert!(kmeans_plusplus(&data, 5, Some(0), &Session::new(1)).is_err());
    assert!(kmeans_plusplus(&data, 0, None, &Session::new(1)).is_err());
}

/// More trials for each centre lower the inertia at which k-means begins.
#[test]
fn more_trials_begin_lower() {
    let x = blobs(400, 10);
    let potential = |trials| {
        let one = |seed| {
            let (seeds, _) =
                kmeans_plusplus(&Dataset::new(&x), 10, Some(trials), &Session::new(seed)).unwrap();
            let near = |i| (0..10).map(|c| sq_dist(x.row(i), seeds.row(c))).fold(f64::INFINITY, f64::min);
            (0..400).map(near).sum::<f64>()
        };
        (0..40).map(one).sum::<f64>() / 40.0
    };
    assert!(potential(10) < 0.8 * potential(1), "{} and {}", potential(10), potential(1));
}

/// With a ratio above 1 every centre but the richest is moved; the counts that they are given must stay finite.
#[test]
fn moving_all_poor_centres_keeps_their_counts() {
    let x = blobs(200, 4);
    let learner = MiniBatchKMeans::default().n_clusters(4).batch_size(50).reassignment_ratio(3.0).max_iter(5);
    let model = learner.fit(&Dataset::new(&x)).unwrap();
    let more = learner.partial_fit(Some(&model), &Dataset::new(blobs(200, 2)), &Session::new(1)).unwrap();
    assert!(more.centres().as_slice().iter().all(|v| v.is_finite()));
    assert_ne!(model.centres(), more.centres(), "centres with an infinite count would never move again");
}

#[test]
fn batches_of_sparse_rows_end_as_those_of_dense_ones() {
    let x = blobs(2500, 4);
    let learner = MiniBatchKMeans::default().n_clusters(4).tol(1e-2).n_init(KMeansRuns::Count(2));
    let (sparse, dense) = (Csr::from_dense(x.view()), learner.fit(&Dataset::new(&x)).unwrap());
    let thin = learner.fit(&Dataset::new(&sparse)).unwrap();
    assert_eq!(thin.certificate().iterations, dense.certificate().iterations);
    assert_close(thin.centres().as_slice(), dense.centres().as_slice(), 1e-10, "sparse");
}
