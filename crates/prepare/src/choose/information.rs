//! Mutual information from nearest neighbours, of a feature and a number (Kraskov, Stögbauer, Grassberger 2004) or a
//! feature and classes (Ross 2014), in nats.
//!
//! As scikit-learn does it: three neighbours, features and numbers scaled to unit variance, features of sparse rows
//! taken as categories. It also adds noise of the size 1e-10 to break ties, which Mercer does not: on values with many
//! ties the estimates differ, without ties they agree.

use super::selection::ColumnsOf;
use mercer_math::special::digamma;
use rayon::prelude::*;

const NEIGHBOURS: usize = 3;

/// Information of each feature about the classes.
pub(crate) fn with_classes(columns: &ColumnsOf<'_>, codes: &[u32], n_classes: usize) -> Vec<f64> {
    let of = |j: usize| {
        let x = columns.dense(j, codes.len());
        match columns {
            ColumnsOf::Sparse(_) => discrete(&ranks(&x).0, codes),
            ColumnsOf::Dense(_) => mixed(&scaled(&x), codes, n_classes),
        }
    };
    (0..columns.n_cols()).into_par_iter().map(of).collect()
}

/// Information of each feature about a number.
pub(crate) fn with_numbers(columns: &ColumnsOf<'_>, y: &[f64]) -> Vec<f64> {
    let y = scaled(y);
    let of = |j: usize| {
        let x = columns.dense(j, y.len());
        match columns {
            ColumnsOf::Sparse(_) => {
                let (codes, n) = ranks(&x);
                mixed(&y, &codes, n)
            }
            ColumnsOf::Dense(_) => continuous(&scaled(&x), &y),
        }
    };
    (0..columns.n_cols()).into_par_iter().map(of).collect()
}

/// Values over their standard deviation; constant ones as they are.
fn scaled(x: &[f64]) -> Vec<f64> {
    let moments = mercer_math::Moments::of(x);
    let deviation = moments.variance().sqrt();
    let scale = if deviation > 10.0 * f64::EPSILON * x.iter().fold(0.0f64, |a, v| a.max(v.abs())) {
        deviation
    } else {
        1.0
    };
    x.iter().map(|v| v / scale).collect()
}

/// Each value's place among the distinct ones, and how many there are.
fn ranks(x: &[f64]) -> (Vec<u32>, usize) {
    let mut distinct = x.to_vec();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    (x.iter().map(|v| distinct.partition_point(|d| d < v) as u32).collect(), distinct.len())
}

/// Σ p(a, b) ln(p(a, b) / p(a) p(b)) of two lists of categories.
fn discrete(a: &[u32], b: &[u32]) -> f64 {
    mercer_measure::mutual_information(a, b, None).unwrap_or(f64::NAN).max(0.0)
}

/// The number of values of a sorted list at most `radius` from `x`.
fn within(sorted: &[f64], x: f64, radius: f64) -> usize {
    sorted.partition_point(|v| v - x <= radius) - sorted.partition_point(|v| x - v > radius)
}

/// The number next to a distance, towards zero: neighbours at the very distance do not count.
fn inside(distance: f64) -> f64 {
    if distance > 0.0 { distance.next_down() } else { 0.0 }
}

/// ψ(n) + ⟨ψ(k)⟩ − ⟨ψ(size of the class)⟩ − ⟨ψ(rows within reach of the k-th neighbour in the class)⟩, over the rows
/// whose class has another one.
fn mixed(x: &[f64], codes: &[u32], n_classes: usize) -> f64 {
    let mut groups: Vec<Vec<f64>> = vec![Vec::new(); n_classes];
    codes.iter().zip(x).for_each(|(&c, &v)| groups[c as usize].push(v));
    groups.retain(|g| g.len() > 1);
    let mut all: Vec<f64> = groups.concat();
    if all.is_empty() {
        return 0.0;
    }
    all.sort_by(f64::total_cmp);
    let mut sum = 0.0;
    for group in &mut groups {
        group.sort_by(f64::total_cmp);
        let k = NEIGHBOURS.min(group.len() - 1);
        let (of_k, of_size) = (digamma(k as f64), digamma(group.len() as f64));
        for (i, &v) in group.iter().enumerate() {
            let radius = inside(kth_on_line(group, i, k));
            sum += of_k - of_size - digamma(within(&all, v, radius) as f64);
        }
    }
    (digamma(all.len() as f64) + sum / all.len() as f64).max(0.0)
}

/// The distance to the k-th neighbour of element `i` of a sorted list.
fn kth_on_line(sorted: &[f64], i: usize, k: usize) -> f64 {
    let (mut low, mut high, mut distance) = (i, i, 0.0);
    for _ in 0..k {
        let below = low.checked_sub(1).map_or(f64::INFINITY, |l| sorted[i] - sorted[l]);
        let above = sorted.get(high + 1).map_or(f64::INFINITY, |v| v - sorted[i]);
        if below <= above {
            (low, distance) = (low.saturating_sub(1), below);
        } else {
            (high, distance) = (high + 1, above);
        }
    }
    distance
}

/// ψ(n) + ψ(k) − ⟨ψ(n_x + 1) + ψ(n_y + 1)⟩, with the numbers of others strictly nearer in each coordinate than the k-th
/// neighbour in both.
fn continuous(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len();
    let k = NEIGHBOURS.min(n.saturating_sub(1));
    if k == 0 {
        return 0.0;
    }
    // Neighbours are sought outwards along the coordinate with more distinct values.
    let (a, b) = if ranks(x).1 >= ranks(y).1 { (x, y) } else { (y, x) };
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[i].total_cmp(&a[j]));
    let (along, across): (Vec<f64>, Vec<f64>) = order.iter().map(|&i| (a[i], b[i])).unzip();
    let mut sorted = across.clone();
    sorted.sort_by(f64::total_cmp);
    let mut sum = 0.0;
    for i in 0..n {
        let radius = inside(kth_in_plane(&along, &across, i, k));
        sum += digamma(within(&along, along[i], radius) as f64)
            + digamma(within(&sorted, across[i], radius) as f64);
    }
    (digamma(n as f64) + digamma(k as f64) - sum / n as f64).max(0.0)
}

/// The distance (the larger of the coordinates') to the k-th neighbour of point `i`; `along` is sorted.
fn kth_in_plane(along: &[f64], across: &[f64], i: usize, k: usize) -> f64 {
    let mut best = [f64::INFINITY; NEIGHBOURS];
    let (mut low, mut high) = (i, i + 1);
    loop {
        let below = low.checked_sub(1).map_or(f64::INFINITY, |l| along[i] - along[l]);
        let above = along.get(high).map_or(f64::INFINITY, |v| v - along[i]);
        let near = below.min(above);
        if near >= best[k - 1] {
            return best[k - 1];
        }
        let at = if below <= above { low - 1 } else { high };
        if below <= above {
            low -= 1
        } else {
            high += 1
        }
        let distance = near.max((across[at] - across[i]).abs());
        if distance < best[k - 1] {
            let place = best[..k].partition_point(|d| *d <= distance);
            best[place..k].rotate_right(1);
            best[place] = distance;
        }
    }
}
