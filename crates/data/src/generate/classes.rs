//! Generators of classes.

use super::{Args, Generated, GeneratedTarget};
use mercer_core::Result;
use mercer_math::{Mat, Rng, below, normal, sample_indices, uniform};
use std::f64::consts::{PI, TAU};

/// `n` rows dealt to `k` groups, sizes differing by one at most.
fn dealt(n: usize, k: usize) -> Vec<u32> {
    (0..k).flat_map(|c| std::iter::repeat_n(c as u32, n / k + usize::from(c < n % k))).collect()
}

pub(super) fn blobs(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    let (n, d, k) = (args.count("n_samples", 1)?, args.count("n_features", 1)?, args.count("centers", 1)?);
    let std = args.at_least_zero("cluster_std")?;
    let bounds = match args.reals("center_box")?.as_deref() {
        Some(&[low, high]) if low <= high => (low, high),
        _ => return args.wrong("center_box", "two numbers, the lower first"),
    };
    let centres = Mat::from_fn(k, d, |_, _| bounds.0 + (bounds.1 - bounds.0) * uniform(rng));
    let codes = dealt(n, k);
    let x = Mat::from_fn(n, d, |i, j| centres[(codes[i] as usize, j)] + std * normal(rng));
    Ok(Generated { x, y: GeneratedTarget::Classes(codes), more: vec![("centers", centres)] })
}

/// Points on curves, one curve a class, evenly spaced, with noise.
fn curves(
    args: &Args<'_>,
    rng: &mut Rng,
    at: impl Fn(u32, f64) -> (f64, f64),
    closed: bool,
) -> Result<Generated> {
    let (n, noise) = (args.count("n_samples", 2)?, args.at_least_zero("noise")?);
    let first = n / 2;
    let codes: Vec<u32> = (0..n).map(|i| u32::from(i >= first)).collect();
    let mut x = Mat::zeros(n, 2);
    for i in 0..n {
        let (place, size) = if i < first { (i, first) } else { (i - first, n - first) };
        // A closed curve must not have its first point twice.
        let steps = if closed { size } else { size.saturating_sub(1).max(1) };
        let (a, b) = at(codes[i], place as f64 / steps as f64);
        (x[(i, 0)], x[(i, 1)]) = (a + noise * normal(rng), b + noise * normal(rng));
    }
    Ok(Generated::new(x, GeneratedTarget::Classes(codes)))
}

pub(super) fn moons(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    let at = |class: u32, t: f64| match class {
        0 => ((PI * t).cos(), (PI * t).sin()),
        _ => (1.0 - (PI * t).cos(), 0.5 - (PI * t).sin()),
    };
    curves(args, rng, at, false)
}

pub(super) fn circles(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    let factor = args.real("factor")?;
    if !(0.0..1.0).contains(&factor) {
        return args.wrong("factor", "in [0, 1)");
    }
    let at = |class: u32, t: f64| {
        let radius = if class == 0 { 1.0 } else { factor };
        (radius * (TAU * t).cos(), radius * (TAU * t).sin())
    };
    curves(args, rng, at, true)
}

pub(super) fn gaussian_quantiles(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    let (n, d, k) = (args.count("n_samples", 1)?, args.count("n_features", 1)?, args.count("n_classes", 1)?);
    if n < k {
        return args.wrong("n_samples", "at least the number of classes");
    }
    let std = args.at_least_zero("cov")?.sqrt();
    let x = Mat::from_fn(n, d, |_, _| std * normal(rng));
    let mut order: Vec<usize> = (0..n).collect();
    let radius = |i: usize| x.row(i).iter().map(|v| v * v).sum::<f64>();
    order.sort_by(|&a, &b| radius(a).total_cmp(&radius(b)));
    let step = n / k;
    let mut codes = vec![0; n];
    // The rows that are left over belong to the outermost class.
    order.iter().enumerate().for_each(|(place, &i)| codes[i] = ((place / step).min(k - 1)) as u32);
    Ok(Generated::new(x, GeneratedTarget::Classes(codes)))
}

/// How many rows fall to each cluster, by the shares of the classes.
fn cluster_sizes(args: &Args<'_>, n: usize, k: usize, per_class: usize) -> Result<Vec<usize>> {
    let shares = match args.reals("weights")? {
        None => vec![1.0 / k as f64; k],
        Some(w) if w.iter().all(|w| *w >= 0.0) && w.len() == k && w.iter().sum::<f64>() > 0.0 => {
            let total: f64 = w.iter().sum();
            w.iter().map(|w| w / total).collect()
        }
        Some(w) if w.iter().all(|w| *w >= 0.0) && w.len() + 1 == k && w.iter().sum::<f64>() <= 1.0 => {
            let rest = 1.0 - w.iter().sum::<f64>();
            w.into_iter().chain([rest]).collect()
        }
        Some(_) => return args.wrong("weights", "a share for each class, or for all but the last"),
    };
    let clusters = k * per_class;
    let mut sizes: Vec<usize> =
        (0..clusters).map(|c| (n as f64 * shares[c % k] / per_class as f64) as usize).collect();
    let given: usize = sizes.iter().sum();
    (0..n - given).for_each(|i| sizes[i % clusters] += 1);
    Ok(sizes)
}

/// The corner of a cube with the bits of `code`, one a feature.
fn corner(code: usize, j: usize, side: f64) -> f64 {
    if j < usize::BITS as usize && code >> j & 1 == 1 { side } else { -side }
}

pub(super) fn classification(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    let (n, d, k) = (args.count("n_samples", 1)?, args.count("n_features", 1)?, args.count("n_classes", 1)?);
    let (inf, red) = (args.count("n_informative", 1)?, args.count("n_redundant", 0)?);
    let (rep, per_class) = (args.count("n_repeated", 0)?, args.count("n_clusters_per_class", 1)?);
    if inf + red + rep > d {
        return args
            .wrong("n_features", "at least as many as informative, redundant and repeated ones together");
    }
    let clusters = k * per_class;
    if inf < 60 && clusters > 1 << inf {
        return args.wrong("n_informative", "enough for a corner of the cube for each cluster");
    }
    let (side, flip) = (args.real("class_sep")?, args.real("flip_y")?);
    if !(0.0..=1.0).contains(&flip) {
        return args.wrong("flip_y", "in [0, 1]");
    }
    let hypercube = args.flag("hypercube")?;
    let sizes = cluster_sizes(args, n, k, per_class)?;
    let codes_of_corners = match inf < 30 {
        true => sample_indices(rng, 1 << inf, clusters),
        false => (0..clusters).map(|_| below(rng, 1 << 29)).collect(),
    };
    let mut x = Mat::zeros(n, d);
    let (mut codes, mut row) = (Vec::with_capacity(n), 0);
    for (cluster, &size) in sizes.iter().enumerate() {
        let stretch = if hypercube { vec![1.0; inf] } else { (0..inf).map(|_| uniform(rng)).collect() };
        let mix = Mat::from_fn(inf, inf, |_, _| 2.0 * uniform(rng) - 1.0);
        for _ in 0..size {
            let z: Vec<f64> = (0..inf).map(|_| normal(rng)).collect();
            for j in 0..inf {
                let spread: f64 = (0..inf).map(|a| z[a] * mix[(a, j)]).sum();
                x[(row, j)] = spread + stretch[j] * corner(codes_of_corners[cluster], j, side);
            }
            codes.push((cluster % k) as u32);
            row += 1;
        }
    }
    fill_features(&mut x, (inf, red, rep), rng);
    codes.iter_mut().for_each(|c| {
        if uniform(rng) < flip {
            *c = below(rng, k) as u32;
        }
    });
    Ok(Generated::new(x, GeneratedTarget::Classes(codes)))
}

/// Redundant features as combinations of the informative ones, repeated ones as copies, the rest as noise; then the
/// features shuffled.
fn fill_features(x: &mut Mat, (inf, red, rep): (usize, usize, usize), rng: &mut Rng) {
    let (n, d) = (x.n_rows(), x.n_cols());
    let mix = Mat::from_fn(inf, red, |_, _| 2.0 * uniform(rng) - 1.0);
    for i in 0..n {
        for r in 0..red {
            x[(i, inf + r)] = (0..inf).map(|a| x[(i, a)] * mix[(a, r)]).sum();
        }
    }
    let copied: Vec<usize> = (0..rep).map(|_| below(rng, inf + red)).collect();
    for i in 0..n {
        copied.iter().enumerate().for_each(|(r, &from)| x[(i, inf + red + r)] = x[(i, from)]);
        (inf + red + rep..d).for_each(|j| x[(i, j)] = normal(rng));
    }
    let mut order: Vec<usize> = (0..d).collect();
    mercer_math::shuffle(rng, &mut order);
    *x = Mat::from_fn(n, d, |i, j| x[(i, order[j])]);
}
