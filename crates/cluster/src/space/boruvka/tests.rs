//! The edges against those of Prim's algorithm over all pairs.

use super::super::{ClusterMetric, ClusterSearch, Reach, mergers, spanning_tree};
use super::*;
use mercer_core::Dataset;
use mercer_math::{Mat, below, normal, rng_for};

/// The edges that Prim's algorithm finds among all pairs.
fn by_all(space: &Space, near: usize) -> Vec<Edge> {
    let session = Session::new(0);
    let squared = space.norm() == Some(Norm::Euclidean);
    let mut cores = Vec::new();
    let search = space.search(ClusterSearch::Brute, 30);
    search
        .each("", Reach::Count(near), &session, |first, found| {
            for i in 0..found.len() {
                let last = found.of(i).0[near - 1] as usize;
                let gaps = space.rows.row(first + i).iter().zip(space.rows.row(last)).map(|(a, b)| a - b);
                let far = space.between(first + i, last);
                cores.push(if squared { gaps.map(|g| g * g).fold(0.0, |a, b| a + b) } else { far });
            }
        })
        .unwrap();
    spanning_tree(space, Some(&cores), 1.0, &session).unwrap()
}

fn space(x: &Mat, metric: ClusterMetric) -> Space {
    Space::new("test", &Dataset::new(x), metric, 2.0).unwrap()
}

const METRICS: [ClusterMetric; 3] =
    [ClusterMetric::Euclidean, ClusterMetric::Manhattan, ClusterMetric::Chebyshev];

#[test]
fn the_edges_are_those_of_prims_algorithm_over_all_pairs() {
    for (seed, (n, d, near)) in
        [(300, 2, 5), (517, 3, 12), (1024, 1, 2), (900, 5, 20), (700, 2, 1), (300, 3, 300)]
            .into_iter()
            .enumerate()
    {
        let mut rng = rng_for(seed as u64, 7);
        let x = Mat::from_fn(n, d, |i, _| (i % 5) as f64 * 4.0 + (1.0 + (i % 3) as f64) * normal(&mut rng));
        for metric in METRICS {
            let space = space(&x, metric);
            let found = reach_tree(&space, near, &Session::new(0)).unwrap().unwrap();
            assert_eq!(found, by_all(&space, near), "{n} × {d}, {near}, {metric:?}");
        }
    }
}

/// On a grid with repeated rows most edges have many others of their length: which of them are taken is open, how long they are is not.
#[test]
fn ties_change_no_length() {
    let mut rng = rng_for(3, 7);
    let x = Mat::from_fn(800, 2, |_, _| below(&mut rng, 15) as f64);
    for (metric, near) in METRICS.into_iter().flat_map(|m| [(m, 1), (m, 3), (m, 9)]) {
        let space = space(&x, metric);
        let found = reach_tree(&space, near, &Session::new(0)).unwrap().unwrap();
        let heights = |edges| mergers(edges, 800).iter().map(|m| m.height).collect::<Vec<f64>>();
        assert_eq!(heights(found), heights(by_all(&space, near)), "{near}, {metric:?}");
    }
}

/// If rows that coincide were compared with each other, this would take minutes.
#[test]
fn rows_that_coincide_cost_nothing() {
    for (n, distinct) in [(30_000, 1), (30_000, 3), (30_000, 400)] {
        let x = Mat::from_fn(n, 2, |i, j| ((i % distinct) * (1 + j * j)) as f64);
        let space = space(&x, ClusterMetric::Euclidean);
        let found = reach_tree(&space, 5, &Session::new(0)).unwrap().unwrap();
        let heights = found.iter().filter(|e| e.length > 0.0).count();
        assert_eq!((found.len(), heights), (n - 1, distinct - 1));
    }
}

#[test]
fn threads_change_nothing() {
    let mut rng = rng_for(4, 7);
    let x = Mat::from_fn(3000, 3, |i, _| {
        (i % 7) as f64 * 3.0 + normal(&mut rng).mul_add(1.0, 0.0).round() * 0.25
    });
    let space = space(&x, ClusterMetric::Euclidean);
    let edges = |threads| {
        let session = Session::new(0).with_threads(threads);
        session.run(|| reach_tree(&space, 6, &session)).unwrap().unwrap()
    };
    let one = edges(1);
    assert_eq!(one.len(), 2999);
    (2..5).for_each(|threads| assert_eq!(edges(threads), one));
}
