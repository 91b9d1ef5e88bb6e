//! Tests of k-means: mathematics, references, invariances, odd data.

use crate::{KMeans, KMeansAlgorithm, KMeansInit, KMeansModel, KMeansRuns};
use mercer_core::sums::{MemoryBatches, fit_partitions};
use mercer_core::{Cancel, Dataset, Fit, Observer, Progress, Session, Termination};
use mercer_math::{Csr, Mat, below, normal, rng_for, shuffle, sq_dist};
use mercer_testkit::assert_close;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn blobs(n: usize, d: usize, groups: usize, offset: f64) -> Mat {
    let mut rng = rng_for(11, n as u64);
    let means = Mat::from_fn(groups, d, |_, _| offset + 2.0 * normal(&mut rng));
    let mut x = Mat::zeros(n, d);
    for i in 0..n {
        let mean = means.row(below(&mut rng, groups));
        x.row_mut(i).iter_mut().zip(mean).for_each(|(v, m)| *v = m + normal(&mut rng));
    }
    x
}

fn bundled(name: &str) -> Mat {
    let text = match name {
        "iris" => include_str!("../../../data/sets/iris.csv"),
        "wine" => include_str!("../../../data/sets/wine.csv"),
        _ => include_str!("../../../data/sets/yacht.csv"),
    };
    let row = |line: &str| {
        let mut values: Vec<&str> = line.split(',').collect();
        values.pop();
        values.iter().map(|v| v.parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    Mat::from_rows(&text.lines().skip(1).map(row).collect::<Vec<_>>()).unwrap()
}

/// Labels and inertia by the definition.
fn by_definition(x: &Mat, centres: &Mat) -> (Vec<u32>, f64) {
    let nearest = |i: usize| {
        let far = |c: usize| sq_dist(x.row(i), centres.row(c));
        (0..centres.n_rows()).map(|c| (c, far(c))).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
    };
    let all: Vec<(usize, f64)> = (0..x.n_rows()).map(nearest).collect();
    (all.iter().map(|a| a.0 as u32).collect(), all.iter().map(|a| a.1).sum())
}

fn finite(model: &KMeansModel) {
    assert!(model.centres.as_slice().iter().all(|v| v.is_finite()) && model.inertia.is_finite(), "{model:?}");
}

#[test]
fn reaches_the_best_inertia_of_scikit_learn() {
    let cases: serde_json::Value =
        mercer_testkit::reference(include_str!("../../tests/reference/kmeans.json"));
    for case in cases.as_array().unwrap() {
        let x = bundled(case["set"].as_str().unwrap());
        let mut data = Dataset::new(&x);
        if case.get("weighted").is_some() {
            data = data.with_weights((0..x.n_rows()).map(|i| (i % 3) as f64).collect::<Vec<_>>()).unwrap();
        }
        let k = case["k"].as_u64().unwrap() as usize;
        let model =
            KMeans::default().n_clusters(k).tol(0.0).n_init(KMeansRuns::Count(300)).fit(&data).unwrap();
        let best = case["inertia"].as_f64().unwrap();
        // As many runs as scikit-learn had: never above its best.
        assert!(model.inertia <= best * (1.0 + 1e-9), "{case}: {}", model.inertia);
        assert!(model.certificate().evidence[1].value < 1e-9, "{}", model.certificate());
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
    }
    let iris = bundled("iris");
    let model = KMeans::default()
        .n_clusters(3)
        .n_init(KMeansRuns::Count(10))
        .tol(0.0)
        .fit(&Dataset::new(&iris))
        .unwrap();
    assert!((model.inertia - 78.851441426146).abs() < 1e-9);
}

#[test]
fn bounds_do_not_change_anything() {
    for (n, d, k, offset) in [(3000, 2, 7, 0.0), (5000, 12, 20, 1e4), (700, 1, 5, -3.0), (2100, 40, 3, 0.0)] {
        let x = blobs(n, d, k + 2, offset);
        let fit = |a| KMeans::default().n_clusters(k).tol(0.0).algorithm(a).fit(&Dataset::new(&x)).unwrap();
        let plain = fit(KMeansAlgorithm::Lloyd);
        for algorithm in [KMeansAlgorithm::Auto, KMeansAlgorithm::Hamerly, KMeansAlgorithm::Elkan] {
            let bounded = fit(algorithm);
            assert_eq!(
                (&bounded.centres, &bounded.labels),
                (&plain.centres, &plain.labels),
                "identical bits"
            );
            assert_eq!((bounded.inertia, bounded.n_iter), (plain.inertia, plain.n_iter));
        }
        let (labels, inertia) = by_definition(&x, &plain.centres);
        assert_eq!(labels, plain.labels);
        assert!((inertia / plain.inertia - 1.0).abs() < 1e-10);
    }
}

struct Trace(std::sync::Mutex<Vec<f64>>);

impl Observer for Trace {
    fn progress(&self, p: &Progress<'_>) {
        if p.stage == "k-means" {
            self.0.lock().unwrap().extend(p.objective);
        }
    }
}

#[test]
fn inertia_falls_to_a_fixed_point() {
    let x = blobs(4000, 5, 12, 3.0);
    let trace = Arc::new(Trace(Default::default()));
    let session = Session::new(2).with_observer(trace.clone());
    let model = KMeans::default().n_clusters(12).tol(0.0).fit_in(&Dataset::new(&x), &session).unwrap();
    let falls = trace.0.lock().unwrap().clone();
    assert_eq!(falls.len() as u64, model.n_iter);
    assert!(falls.len() > 3 && falls.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)), "{falls:?}");
    assert_eq!(model.certificate().termination, Termination::Converged);
    for c in 0..12 {
        let rows: Vec<usize> = (0..4000).filter(|&i| model.labels[i] == c as u32).collect();
        let mean: Vec<f64> =
            (0..5).map(|j| rows.iter().map(|&i| x[(i, j)]).sum::<f64>() / rows.len() as f64).collect();
        assert_close(&mean, model.centres.row(c), 1e-10, "centres");
    }
    let short = KMeans::default().n_clusters(12).tol(0.0).max_iter(2).fit(&Dataset::new(&x)).unwrap();
    assert_eq!((short.certificate().termination, short.n_iter), (Termination::IterationLimit, 2));
}

#[test]
fn weights_are_copies_and_order_does_not_matter() {
    let x = blobs(600, 3, 9, 10.0);
    let weights: Vec<f64> = (0..600).map(|i| f64::from(i % 4)).collect();
    let mut copies: Vec<usize> = (0..600).flat_map(|i| std::iter::repeat_n(i, i % 4)).collect();
    for init in [KMeansInit::PlusPlus, KMeansInit::Random] {
        for seed in 0..5 {
            let (learner, session) = (KMeans::default().n_clusters(7).init(init), Session::new(seed));
            let weighted = Dataset::new(&x).with_weights(weights.clone()).unwrap();
            let weighted = learner.fit_in(&weighted, &session).unwrap();
            shuffle(&mut rng_for(seed, 1), &mut copies);
            let copied = learner.fit_in(&Dataset::new(&x).subset(&copies).unwrap(), &session).unwrap();
            assert_close(weighted.centres.as_slice(), copied.centres.as_slice(), 1e-9, "centres");
            assert!((weighted.inertia / copied.inertia - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn any_cut_of_the_rows_gives_the_same_model() {
    let x = blobs(7000, 6, 10, 1.0);
    let data = Dataset::new(&x);
    let learner = KMeans::default().n_clusters(10).n_init(KMeansRuns::Count(2));
    let session = Session::new(4);
    let whole = learner.fit_in(&data, &session).unwrap();
    for batch in [500, 2048, 9999] {
        let streamed = learner.fit_stream(&mut MemoryBatches::new(&data, batch), &session).unwrap();
        assert_eq!((&streamed.centres, streamed.inertia), (&whole.centres, whole.inertia), "identical bits");
        assert!(streamed.labels.is_empty());
    }
    let cuts: Vec<_> =
        [0..10, 10..3000, 3000..7000].map(|r| data.subset(&r.collect::<Vec<_>>()).unwrap()).into();
    let cut = fit_partitions("KMeans", &learner, &cuts, &session).unwrap();
    assert_close(cut.centres.as_slice(), whole.centres.as_slice(), 1e-9, "centres");
    assert_eq!(by_definition(&x, &cut.centres).0, whole.labels);
}

#[test]
fn few_different_rows() {
    // Two different rows, five clusters; k = n; one row; constant data.
    let two = Mat::from_fn(30, 2, |i, j| if i % 3 == 0 { 0.1 } else { 7.3 + j as f64 });
    for init in [KMeansInit::PlusPlus, KMeansInit::Random] {
        let learner = KMeans::default().n_clusters(5).init(init);
        let model = learner.fit(&Dataset::new(&two)).unwrap();
        finite(&model);
        assert!(model.inertia < 1e-20 && model.certificate().notes.iter().any(|n| n.contains("different")));
        assert!((0..30).all(|i| (model.labels[i] == model.labels[0]) == (i % 3 == 0)));
        for x in [Mat::zeros(1, 1), Mat::from_fn(9, 3, |_, _| 0.1), Mat::from_fn(4, 1, |i, _| i as f64)] {
            let model = learner.fit(&Dataset::new(&x)).unwrap();
            finite(&model);
            assert!(model.inertia < 1e-20);
        }
        let x = blobs(40, 3, 4, 0.0);
        let model = KMeans::default().n_clusters(40).init(init).fit(&Dataset::new(&x)).unwrap();
        assert!(model.inertia < 1e-20, "every row is its own centre: {}", model.inertia);
    }
    let huge = Mat::from_fn(10, 2, |i, _| i as f64 * 1e300);
    assert!(KMeans::default().fit(&Dataset::new(&huge)).is_err());
    assert!(KMeans::default().n_clusters(usize::MAX).fit(&Dataset::new(&two)).is_err());
}

#[test]
fn empty_clusters_move_to_the_farthest_rows() {
    let x = Mat::from_rows(&[[0.0], [1.0], [10.0], [11.0], [50.0]]).unwrap();
    let far = KMeans::default().centres(Some(vec![vec![5.0], vec![-900.0], vec![-950.0]]));
    let model = far.clone().n_clusters(3).fit(&Dataset::new(&x)).unwrap();
    let mut centres = model.centres.as_slice().to_vec();
    centres.sort_by(f64::total_cmp);
    assert_close(&centres, &[0.5, 10.5, 50.0], 1e-12, "centres");
    assert!(far.n_clusters(2).fit(&Dataset::new(&x)).is_err());
}

#[test]
fn sparse_rows_give_the_dense_answer() {
    let mut x = blobs(900, 8, 4, 0.0);
    x.as_mut_slice().iter_mut().enumerate().for_each(|(i, v)| *v = if i % 3 == 0 { *v } else { 0.0 });
    let csr = Csr::from_dense(x.view());
    let learner = KMeans::default().n_clusters(4);
    let (dense, sparse) =
        (learner.fit(&Dataset::new(&x)).unwrap(), learner.fit(&Dataset::new(&csr)).unwrap());
    assert_eq!((&dense.centres, &dense.labels), (&sparse.centres, &sparse.labels));
    let distances = sparse.transform(&csr).unwrap().dense("test").unwrap().view().to_mat();
    assert!((distances[(5, 1)] - sq_dist(x.row(5), dense.centres.row(1)).sqrt()).abs() < 1e-12);
}

#[test]
fn tight_clusters_far_apart_are_told_apart() {
    // Pairs 1e-3 apart in data that spread over 1e6: ‖c‖² − 2x·c alone would lose them.
    let x = Mat::from_fn(40, 2, |i, j| if j == 0 { (i / 20) as f64 * 1e6 } else { (i % 2) as f64 * 1e-3 });
    let model = KMeans::default().n_clusters(4).fit(&Dataset::new(&x)).unwrap();
    assert!(model.inertia < 1e-18, "{}", model.inertia);
}

struct Impatient(Cancel, AtomicU64);

impl Observer for Impatient {
    fn progress(&self, p: &Progress<'_>) {
        if p.stage == "k-means" && self.1.fetch_add(1, Ordering::Relaxed) == 2 {
            self.0.cancel();
        }
    }
}

#[test]
fn cancelled_work_gives_the_best_so_far() {
    let x = blobs(3000, 4, 20, 0.0);
    let cancel = Cancel::default();
    let watched = Arc::new(Impatient(cancel.clone(), Default::default()));
    let session = Session::new(0).with_cancel(cancel).with_observer(watched);
    let learner = KMeans::default().n_clusters(20).tol(0.0);
    let model = learner.fit_in(&Dataset::new(&x), &session).unwrap();
    assert_eq!((model.certificate().termination, model.n_iter), (Termination::Cancelled, 3));
    assert!((by_definition(&x, &model.centres).1 / model.inertia - 1.0).abs() < 1e-9);
    assert!(model.verify(&Dataset::new(&x)).unwrap().iter().all(|v| v.holds));
}
