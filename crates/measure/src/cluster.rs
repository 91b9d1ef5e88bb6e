//! How good a grouping is, against another or against the distances. Labels are any numbers; weights have no
//! agreed meaning here and are not taken.

use crate::check;
use mercer_core::Result;
use mercer_math::{MatRef, sq_dist};
use rayon::prelude::*;
use std::collections::HashMap;

/// Labels as codes 0, 1, … in order of first appearance, and their number.
fn compact(labels: &[u32]) -> (Vec<usize>, usize) {
    let mut seen = HashMap::new();
    let codes = labels.iter().map(|&label| {
        let next = seen.len();
        *seen.entry(label).or_insert(next)
    });
    let codes: Vec<usize> = codes.collect();
    (codes, seen.len())
}

/// The Rand index adjusted for chance (Hubert and Arabie, 1985, doi:10.1007/BF01908075): 1 for the same
/// grouping, about 0 for unrelated ones. Two trivial groupings that are equal give 1.
///
/// # Example
/// ```
/// assert_eq!(mercer_measure::adjusted_rand_index(&[0, 0, 1, 1], &[5, 5, 2, 2])?, 1.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn adjusted_rand_index(first: &[u32], second: &[u32]) -> Result<f64> {
    check::same_length("labels", first.len(), second.len())?;
    let ((a, n_a), (b, n_b)) = (compact(first), compact(second));
    let mut together: HashMap<(usize, usize), u64> = HashMap::new();
    let (mut by_a, mut by_b) = (vec![0u64; n_a], vec![0u64; n_b]);
    for (&i, &j) in a.iter().zip(&b) {
        *together.entry((i, j)).or_default() += 1;
        by_a[i] += 1;
        by_b[j] += 1;
    }
    // Pairs of rows: in the same group of both, of the first, of the second, at all. Exact in integers.
    let pairs = |n: u64| u128::from(n) * u128::from(n.saturating_sub(1)) / 2;
    let both: u128 = together.values().map(|&n| pairs(n)).sum();
    let of_a: u128 = by_a.iter().map(|&n| pairs(n)).sum();
    let of_b: u128 = by_b.iter().map(|&n| pairs(n)).sum();
    let all = pairs(a.len() as u64);
    if of_a == both && of_b == both {
        return Ok(1.0);
    }
    let expected = of_a as f64 * of_b as f64 / all as f64;
    let most = (of_a as f64 + of_b as f64) / 2.0;
    Ok((both as f64 - expected) / (most - expected))
}

/// The silhouette of every row (Rousseeuw, 1987, doi:10.1016/0377-0427(87)90125-7) under Euclidean distance:
/// 1 deep in its group, -1 nearer to another; 0 alone in a group, and everywhere when there is one group only.
///
/// O(n² d) time in rayon's current pool; take a sample of many rows first.
pub fn silhouette_of_rows(x: MatRef<'_>, labels: &[u32]) -> Result<Vec<f64>> {
    check::same_length("labels", x.n_rows(), labels.len())?;
    let (codes, n_groups) = compact(labels);
    let mut sizes = vec![0.0; n_groups];
    codes.iter().for_each(|&c| sizes[c] += 1.0);
    let one = |i: usize| {
        let (own, here) = (codes[i], x.row_cow(i));
        let mut sums = vec![0.0; n_groups];
        for j in (0..x.n_rows()).filter(|&j| j != i) {
            let distance = match x.row(j) {
                Some(row) => sq_dist(&here, row),
                None => sq_dist(&here, &x.row_cow(j)),
            };
            sums[codes[j]] += distance.sqrt();
        }
        if sizes[own] < 2.0 || n_groups < 2 {
            return 0.0;
        }
        let inside = sums[own] / (sizes[own] - 1.0);
        let others = (0..n_groups).filter(|&g| g != own).map(|g| sums[g] / sizes[g]);
        let outside = others.fold(f64::INFINITY, f64::min);
        check::ratio(outside - inside, inside.max(outside))
    };
    Ok((0..x.n_rows()).into_par_iter().map(one).collect())
}

/// The mean silhouette; NaN when there is one group only, or every row is a group.
pub fn silhouette(x: MatRef<'_>, labels: &[u32]) -> Result<f64> {
    let rows = silhouette_of_rows(x, labels)?;
    let n_groups = compact(labels).1;
    if n_groups < 2 || n_groups >= rows.len() {
        return Ok(f64::NAN);
    }
    Ok(check::mean(rows.len(), None, |i| rows[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trivial_groupings_are_defined() {
        assert_eq!(adjusted_rand_index(&[], &[]).unwrap(), 1.0);
        assert_eq!(adjusted_rand_index(&[1, 1], &[2, 2]).unwrap(), 1.0);
        assert_eq!(adjusted_rand_index(&[0, 1], &[1, 0]).unwrap(), 1.0);
        assert_eq!(adjusted_rand_index(&[0, 0], &[0, 1]).unwrap(), 0.0);
        assert!(adjusted_rand_index(&[0], &[0, 1]).is_err());
    }

    #[test]
    fn separate_groups_have_a_high_silhouette() {
        let x = MatRef::row_major(&[0.0, 1.0, 100.0, 101.0], 4, 1).unwrap();
        assert!(silhouette(x, &[7, 7, 3, 3]).unwrap() > 0.98);
        assert!(silhouette(x, &[7, 3, 7, 3]).unwrap() < 0.0);
        assert!(silhouette(x, &[1; 4]).unwrap().is_nan() && silhouette(x, &[0, 1, 2, 3]).unwrap().is_nan());
        let same = MatRef::row_major(&[1.0; 4], 4, 1).unwrap();
        assert_eq!(silhouette(same, &[0, 0, 1, 1]).unwrap(), 0.0);
    }
}
