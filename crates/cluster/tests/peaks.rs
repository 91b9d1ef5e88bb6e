//! Mean shift and affinity propagation: what theory says of them beyond the values of scikit-learn, which `clusterers.rs` compares.

use mercer_cluster::{AffinityPropagation, MeanShift, Similarity, estimate_bandwidth};
use mercer_core::{Cancel, Dataset, Fit, Session};
use mercer_math::{Mat, normal, rng_for, sq_dist};

fn blobs(n: usize) -> Mat {
    let mut rng = rng_for(4, 0);
    Mat::from_fn(n, 2, |i, j| (i % 3) as f64 * 10.0 * (1.0 - j as f64) + normal(&mut rng))
}

/// A mode is the mean of the rows about it, no two are within the bandwidth of each other, and every row is nearest to its own.
#[test]
fn modes_are_means_of_what_is_about_them() {
    let x = blobs(120);
    for (bin_seeding, bandwidth) in [(false, 2.5), (true, 2.5), (false, 1.0)] {
        let learner = MeanShift::default().bandwidth(Some(bandwidth)).bin_seeding(bin_seeding);
        let model = learner.fit(&Dataset::new(&x)).unwrap();
        let centres = model.centres();
        for c in 0..centres.n_rows() {
            let near: Vec<usize> =
                (0..120).filter(|&i| sq_dist(x.row(i), centres.row(c)).sqrt() <= bandwidth).collect();
            for j in 0..2 {
                let mean = near.iter().map(|&i| x[(i, j)]).sum::<f64>() / near.len() as f64;
                assert!((mean - centres[(c, j)]).abs() < 1e-3 * bandwidth, "{mean} for {}", centres[(c, j)]);
            }
            let apart = |o: usize| sq_dist(centres.row(o), centres.row(c)).sqrt() > bandwidth;
            assert!((0..c).all(apart));
        }
        for (i, label) in model.labels().iter().enumerate() {
            let far = |c: usize| sq_dist(x.row(i), centres.row(c));
            assert!((0..centres.n_rows()).all(|c| far(*label as usize) <= far(c)));
        }
        if bandwidth > 2.0 {
            assert_eq!(centres.n_rows(), 3, "three groups");
        }
    }
}

/// 30 % of ten rows on a line are three: a row and its two neighbours, or the next two at the ends.
#[test]
fn bandwidths_are_mean_reaches() {
    let line = Mat::from_fn(10, 1, |i, _| i as f64);
    let found = estimate_bandwidth(line.view(), 0.3, None, &Session::default()).unwrap();
    assert_eq!(found, (8.0 * 1.0 + 2.0 * 2.0) / 10.0);
    assert_eq!(estimate_bandwidth(line.view(), 0.0, None, &Session::default()).unwrap(), 0.0);
    let of_all = estimate_bandwidth(line.view(), 1.0, None, &Session::default()).unwrap();
    assert_eq!(of_all, 2.0 * (9.0 + 8.0 + 7.0 + 6.0 + 5.0) / 10.0);
    let some = |seed| estimate_bandwidth(line.view(), 0.5, Some(6), &Session::new(seed)).unwrap();
    assert_eq!(some(1), some(1));
    for bad in [-0.1, 1.1, f64::NAN] {
        let refused = estimate_bandwidth(line.view(), bad, None, &Session::default()).unwrap_err();
        assert!(refused.to_string().contains("quantile"));
    }
    let holes = Mat::from_fn(3, 1, |i, _| if i == 1 { f64::NAN } else { 0.0 });
    assert!(estimate_bandwidth(holes.view(), 0.3, None, &Session::default()).is_err());
}

#[test]
fn seeds_that_do_not_fit_are_refused_by_name() {
    let x = blobs(30);
    for seeds in [vec![], vec![vec![1.0]], vec![vec![0.0, f64::NAN]]] {
        let refused = MeanShift::default().seeds(Some(seeds)).fit(&Dataset::new(&x)).unwrap_err();
        assert!(refused.to_string().contains("seeds"), "{refused}");
    }
    let lost = MeanShift::default().bandwidth(Some(1.0)).seeds(Some(vec![vec![900.0, 0.0]]));
    assert!(lost.fit(&Dataset::new(&x)).unwrap_err().to_string().contains("bandwidth"));
    let short = AffinityPropagation::default().preferences(Some(vec![1.0; 3])).fit(&Dataset::new(&x));
    assert!(short.unwrap_err().to_string().contains("preferences"));
}

/// On few rows the best choice of all is found by trying every one: messages find it, but for one case in twenty at most (of
/// scikit-learn's, on the same kind of rows, one is missed, too), and never claim a better one.
#[test]
fn few_rows_are_represented_best() {
    let (mut rng, mut missed) = (rng_for(9, 0), 0);
    for _ in 0..20 {
        let x = Mat::from_fn(9, 2, |i, _| (i % 3) as f64 * 4.0 + normal(&mut rng));
        let preference = -10.0;
        let best = (1u32..1 << 9)
            .map(|chosen| {
                let rows: Vec<usize> = (0..9).filter(|i| chosen >> i & 1 == 1).collect();
                let near = |i: usize| {
                    rows.iter().map(|&c| -sq_dist(x.row(i), x.row(c))).fold(f64::NEG_INFINITY, f64::max)
                };
                (0..9).map(near).sum::<f64>() + preference * rows.len() as f64
            })
            .fold(f64::NEG_INFINITY, f64::max);
        let learner = AffinityPropagation::default().damping(0.9).max_iter(2000).convergence_iter(100);
        let model = learner.preference(Some(preference)).fit(&Dataset::new(&x)).unwrap();
        assert!(model.net_similarity < best + 1e-9, "{} for {best}", model.net_similarity);
        missed += usize::from(model.net_similarity < best - 1e-9);
    }
    assert!(missed <= 1, "{missed} missed");
}

#[test]
fn similarities_that_are_given_count_as_measured_ones() {
    let x = blobs(40);
    let similar = Mat::from_fn(40, 40, |i, j| -sq_dist(x.row(i), x.row(j)));
    let measured = AffinityPropagation::default().fit(&Dataset::new(&x)).unwrap();
    let given = AffinityPropagation::default().affinity(Similarity::Precomputed);
    let given = given.fit(&Dataset::new(&similar)).unwrap();
    assert_eq!((&measured.labels, &measured.exemplars), (&given.labels, &given.exemplars));
    let (a, b) = (measured.predict(&x).unwrap(), given.predict(&similar).unwrap());
    assert_eq!(a.class().unwrap().0, b.class().unwrap().0);
}

/// Copies of one row have nothing to say to each other: one stands for all, or each for itself, as they prefer.
#[test]
fn rows_that_are_all_alike_are_one_cluster_or_as_many() {
    let same = Mat::from_fn(5, 2, |_, _| 3.0);
    let clusters = |preference| {
        let model =
            AffinityPropagation::default().preference(Some(preference)).fit(&Dataset::new(&same)).unwrap();
        model.exemplars.len()
    };
    assert_eq!((clusters(-1.0), clusters(1.0)), (1, 5));
    let model = MeanShift::default().fit(&Dataset::new(&same)).unwrap();
    assert_eq!((model.centres().n_rows(), model.bandwidth), (1, 0.0));
}

/// Who stops mean shift gets what the seeds have reached.
#[test]
fn what_is_stopped_is_the_best_so_far() {
    let x = blobs(60);
    let cancel = Cancel::default();
    cancel.cancel();
    let stopped = MeanShift::default()
        .bandwidth(Some(2.5))
        .fit_in(&Dataset::new(&x), &Session::new(1).with_cancel(cancel));
    let model = stopped.unwrap();
    assert!(!model.certificate().termination.is_success());
    assert_eq!(model.predict(&x).unwrap().class().unwrap().0.len(), 60);
}
