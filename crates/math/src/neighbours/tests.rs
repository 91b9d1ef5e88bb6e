//! Neighbours by every way of searching, against the direct formula.

use super::*;
use crate::{Mat, normal, rng_for, uniform};
use proptest::prelude::*;

/// Rows on a coarse grid, so that there are duplicates and ties, or scattered.
fn random(n: usize, d: usize, seed: u64, grid: bool) -> Mat {
    let mut rng = rng_for(seed, 0);
    Mat::from_fn(n, d, |_, _| if grid { (3.0 * uniform(&mut rng)).floor() } else { 100.0 + normal(&mut rng) })
}

const NASTY: usize = 10;

/// Rows that try the bounds of rounding: far from zero, tiny, huge, of mixed scales, equal, in far clusters, beyond single precision.
fn trouble(n: usize, d: usize, seed: u64, nasty: usize) -> Mat {
    let mut rng = rng_for(seed, 1);
    Mat::from_fn(n, d, |i, j| {
        let (v, cell) = (normal(&mut rng), (3.0 * uniform(&mut rng)).floor());
        match nasty {
            0 => 1e8 + v,
            1 => 1e-30 * v,
            2 => 1e30 * v,
            3 => v * 10f64.powi(j as i32 % 12 - 6),
            4 => 1e8 + cell,
            5 if j % 2 == 0 => 7.0,
            5 => cell * 1e-3,
            6 => (i % 3) as f64 * 1e6 + v,
            7 => (i % 5) as f64 * 0.1,
            8 => v * 10f64.powi(i as i32 % 30 * 3 - 45),
            _ => 1e-170 * cell,
        }
    })
}

fn norms() -> impl Strategy<Value = Norm> {
    prop::sample::select(vec![
        Norm::Euclidean,
        Norm::Manhattan,
        Norm::Chebyshev,
        Norm::Minkowski(3.0),
        Norm::Minkowski(0.5),
    ])
}

/// Every distance by the formula of a textbook, sorted.
fn by_formula(x: &Mat, q: &[f64], norm: Norm, skip: Option<usize>) -> Vec<(f64, u32)> {
    let one = |i: usize| {
        let gaps = x.row(i).iter().zip(q).map(|(a, b)| (a - b).abs());
        let distance = match norm {
            Norm::Euclidean => gaps.map(|g| g * g).sum::<f64>().sqrt(),
            Norm::Manhattan => gaps.sum(),
            Norm::Chebyshev => gaps.fold(0.0, f64::max),
            Norm::Minkowski(p) => gaps.map(|g| g.powf(p)).sum::<f64>().powf(1.0 / p),
        };
        (distance, i as u32)
    };
    let mut all: Vec<_> = (0..x.n_rows()).filter(|i| Some(*i) != skip).map(one).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all
}

proptest! {
    #[test]
    fn trees_and_brute_force_find_the_same_bits(
        n in 1usize..300, m in 1usize..40, d in 1usize..20, k in 1usize..20, seed in 0u64..1000, grid in any::<bool>(),
        norm in norms(), leaf in 1usize..60,
    ) {
        let (x, q) = (std::sync::Arc::new(random(n, d, seed, grid)), random(m, d, seed + 1, grid));
        let all: Vec<u32> = (0..n as u32).collect();
        let make = |method| NearestRows::new(x.clone(), norm, method, leaf);
        let (tree, brute) = (make(SearchMethod::Tree), make(SearchMethod::Brute));
        prop_assert_eq!(tree.nearest(q.view(), k, None), brute.nearest(q.view(), k, None));
        prop_assert_eq!(tree.nearest(x.view(), k, Some(&all)), brute.nearest(x.view(), k, Some(&all)));
        let radius = tree.nearest(q.view(), k, None).distances.iter().sum::<f64>() / (m * k.min(n)) as f64;
        prop_assert_eq!(tree.within(q.view(), radius, None), brute.within(q.view(), radius, None));
        prop_assert_eq!(tree.within(x.view(), radius, Some(&all)), brute.within(x.view(), radius, Some(&all)));
        for i in 0..m {
            let expected = by_formula(&x, q.row(i), norm, None);
            let found = tree.nearest(q.view(), k, None);
            let (rows, distances) = found.of(i);
            prop_assert_eq!(rows.len(), k.min(n));
            for (at, distance) in distances.iter().enumerate() {
                prop_assert!((distance - expected[at].0).abs() <= 1e-12 * expected[at].0);
                // On a grid, sums and squares are exact: so are ties.
                prop_assert!(!grid || matches!(norm, Norm::Minkowski(_)) || rows[at] == expected[at].1);
            }
            // One query alone goes another way to the same bits.
            let alone = brute.nearest(q.view().rows(i..i + 1), k, None);
            prop_assert_eq!(alone.of(0), (rows, distances));
        }
    }

    #[test]
    fn products_pass_no_neighbour_over(
        n in 1usize..300, m in 4usize..40, d in 8usize..60, k in 1usize..12, seed in 0u64..1000, nasty in 0usize..NASTY,
    ) {
        let (x, q) = (std::sync::Arc::new(trouble(n, d, seed, nasty)), trouble(m, d, seed + 1, nasty));
        let rows = NearestRows::new(x.clone(), Norm::Euclidean, SearchMethod::Brute, 30);
        let (found, own) = (rows.nearest(q.view(), k, None), (0..n as u32).collect::<Vec<_>>());
        let others = rows.nearest(x.view(), k, Some(&own));
        // A limit that some row meets exactly.
        let radius = found.distances[seed as usize % found.distances.len()];
        let within = rows.within(q.view(), radius, None);
        for i in 0..m.min(n) {
            // One query alone is held against every row directly.
            let (alone, row) = (q.view().rows(i..i + 1), x.view().rows(i..i + 1));
            let (direct, near) = (rows.nearest(alone, k, None), rows.within(alone, radius, None));
            let other = rows.nearest(row, k, Some(&own[i..=i]));
            prop_assert_eq!(direct.of(0), found.of(i));
            prop_assert_eq!(near.of(0), within.of(i));
            prop_assert_eq!(other.of(0), others.of(i));
        }
    }

    #[test]
    fn sums_keep_their_tolerance(
        n in 1usize..400, d in 1usize..6, seed in 0u64..1000, h in 0.05..5.0f64, grid in any::<bool>(), rtol in 0.0..0.3f64, norm in norms(),
    ) {
        let (x, q) = (random(n, d, seed, grid), random(8, d, seed + 1, grid));
        let tree = KdTree::new(&x, norm, 20);
        let all: Vec<u32> = (0..n as u32).collect();
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        use LocalKernel::*;
        for kernel in [Gaussian, Tophat, Epanechnikov, Exponential, Linear, Cosine] {
            let sums = KernelSums::new(&tree, kernel, h, Some(&weights));
            for own in [None, Some(&all[..n.min(8)])] {
                let points = if own.is_some() { x.view().rows(0..n.min(8)) } else { q.view() };
                let (exact, rough) = (sums.log_sums(points, 0.0, 0.0, own), sums.log_sums(points, 0.1, rtol, own));
                for i in 0..points.n_rows() {
                    let point = points.row_cow(i);
                    let truth: f64 = by_formula(&x, &point, norm, own.map(|_| i)).iter().map(|&(distance, row)| {
                        let mut value = [distance];
                        kernel.values(&mut value, h);
                        weights[row as usize] * value[0]
                    }).sum();
                    // A tophat or a linear kernel jumps or falls where a distance is rounded to either side of the bandwidth.
                    prop_assert!((exact[i].exp() - truth).abs() <= 1e-10 * truth + 1e-12 || kernel == Tophat, "{kernel:?} {exact:?} {truth} {own:?}");
                    prop_assert!((rough[i].exp() - exact[i].exp()).abs() <= 0.1 + (rtol + 1e-12) * exact[i].exp());
                }
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let (x, q) = (std::sync::Arc::new(random(2000, 9, 1, false)), random(500, 9, 2, false));
    for method in [SearchMethod::Tree, SearchMethod::Brute] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
            pool.install(|| {
                NearestRows::new(x.clone(), Norm::Euclidean, method, 30).nearest(q.view(), 7, None)
            })
        };
        assert_eq!(run(1), run(3));
    }
}

#[test]
fn rows_near_overflow_have_neighbours() {
    let x = std::sync::Arc::new(Mat::from_fn(40, 10, |i, _| i as f64 * 1e300));
    for method in [SearchMethod::Tree, SearchMethod::Brute] {
        let found = NearestRows::new(x.clone(), Norm::Euclidean, method, 16).nearest(x.view(), 3, None);
        assert!((0..40).all(|i| found.of(i).0.len() == 3 && found.of(i).0[0] == i as u32), "{method:?}");
    }
}

#[test]
fn far_queries_have_a_log_density_though_kernels_underflow() {
    let x = Mat::from_fn(100, 1, |i, _| i as f64 / 100.0);
    let tree = KdTree::new(&x, Norm::Euclidean, 20);
    let q = Mat::from_rows(&[[1000.0]]).expect("shape");
    let found = KernelSums::new(&tree, LocalKernel::Gaussian, 1.0, None).log_sums(q.view(), 0.0, 0.0, None);
    let logs: Vec<f64> = (0..100).map(|i| -0.5 * (1000.0 - i as f64 / 100.0).powi(2)).collect();
    assert!((found[0] - crate::log_sum_exp(&logs)).abs() < 1e-9 * found[0].abs());
}

/// Kernels integrate to one: the trapezoidal rule in one feature, polar coordinates in two and three.
#[test]
fn integrals_are_those_of_quadrature() {
    use LocalKernel::*;
    for kernel in [Gaussian, Tophat, Epanechnikov, Exponential, Linear, Cosine] {
        for dim in 1..=3usize {
            let (h, steps) = (0.7, 400_000);
            let end = if kernel.is_compact() { h } else { 40.0 * h };
            let area = [2.0, 2.0 * std::f64::consts::PI, 4.0 * std::f64::consts::PI][dim - 1];
            let at = |i: usize| {
                let r = end * (i as f64 + 0.5) / steps as f64;
                let mut value = [r];
                kernel.values(&mut value, h);
                value[0] * area * r.powi(dim as i32 - 1) * end / steps as f64
            };
            let integral: f64 = (0..steps).map(at).sum();
            assert!((integral.ln() - kernel.log_integral(h, dim)).abs() < 1e-6, "{kernel:?} {dim}");
        }
    }
}
