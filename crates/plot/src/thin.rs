//! Thinning: fewer points, the same picture, the same result every time.

/// The indices kept of `n` when at most `most` are wanted: evenly spaced, first and last included.
pub(crate) fn every(n: usize, most: usize) -> Vec<usize> {
    if n <= most {
        return (0..n).collect();
    }
    match most {
        0 => Vec::new(),
        1 => vec![0],
        // In u128, since `i * (n - 1)` may not fit.
        _ => (0..most).map(|i| (i as u128 * (n - 1) as u128 / (most - 1) as u128) as usize).collect(),
    }
}

/// The indices kept of a long line: the ends, the lowest and the highest point of each of `most / 2` blocks, so
/// that spikes stay visible.
pub(crate) fn line(points: &[(f64, f64)], most: usize) -> Vec<usize> {
    let n = points.len();
    if n <= most || most < 8 {
        return (0..n).collect();
    }
    let blocks = most / 2 - 1;
    let mut kept = vec![0];
    for b in 0..blocks {
        let (start, end) = (n * b / blocks, n * (b + 1) / blocks);
        let by_y = |&i: &usize, &j: &usize| points[i].1.total_cmp(&points[j].1);
        kept.extend((start..end).min_by(by_y));
        kept.extend((start..end).max_by(by_y));
    }
    kept.push(n - 1);
    kept.sort_unstable();
    kept.dedup();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_kept() {
        let kept = every(10_001, 2000);
        assert_eq!((kept.len(), kept[0], kept[1999]), (2000, 0, 10_000));
        assert!(kept.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn spikes_survive() {
        let points: Vec<(f64, f64)> =
            (0..100_000).map(|i| (f64::from(i), if i == 54_321 { 9.0 } else { 0.0 })).collect();
        let kept = line(&points, 1000);
        assert!(kept.len() <= 1000 && kept.contains(&54_321));
    }
}
