//! Clusters of rows by their coordinates in eigenvectors.

use mercer_math::{Mat, Rng, below, dot, matmul, svd};

/// Iterations of the rotation.
const LIMIT: usize = 20;

fn largest(row: &[f64]) -> i32 {
    (1..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best }) as i32
}

/// The rotation of the rows, scaled to length 1, that brings them nearest to indicators (Yu and Shi 2003): indicators and
/// rotation are found in turns, from rows that are as orthogonal to each other as possible.
pub(super) fn discretize(maps: &Mat, rng: &mut Rng) -> Vec<i32> {
    let (n, k) = (maps.n_rows(), maps.n_cols());
    let lengths: Vec<f64> =
        (0..k).map(|c| (0..n).map(|i| maps[(i, c)].powi(2)).sum::<f64>().sqrt()).collect();
    let mut rows = Mat::from_fn(n, k, |i, c| maps[(i, c)] / lengths[c].max(f64::MIN_POSITIVE));
    for i in 0..n {
        let length = dot(rows.row(i), rows.row(i)).sqrt().max(f64::MIN_POSITIVE);
        rows.row_mut(i).iter_mut().for_each(|v| *v /= length);
    }
    let (mut rotation, mut overlap, mut last) = (Mat::zeros(k, k), vec![0.0; n], below(rng, n));
    for c in 0..k {
        (0..k).for_each(|j| rotation[(j, c)] = rows[(last, j)]);
        for (i, sum) in overlap.iter_mut().enumerate() {
            *sum += dot(rows.row(i), rows.row(last)).abs();
        }
        last = (1..n).fold(0, |best, i| if overlap[i] < overlap[best] { i } else { best });
    }
    let (mut labels, mut before) = (vec![0; n], 0.0);
    for _ in 0..LIMIT {
        let turned = matmul(rows.view(), rotation.view());
        (0..n).for_each(|i| labels[i] = largest(turned.row(i)));
        let mut sums = Mat::zeros(k, k);
        for (i, &l) in labels.iter().enumerate() {
            sums.row_mut(l as usize).iter_mut().zip(rows.row(i)).for_each(|(s, v)| *s += v);
        }
        let Some(parts) = svd(sums.view()) else { break };
        let cut = 2.0 * (n as f64 - parts.s.iter().sum::<f64>());
        if (cut - before).abs() < f64::EPSILON {
            break;
        }
        before = cut;
        rotation = matmul(parts.vt.view().t(), parts.u.view().t());
    }
    labels
}

/// The clusters of which k rows, chosen by pivoted QR, are the most different representatives (Damle, Minden and Ying 2019).
pub(super) fn cluster_qr(maps: &Mat) -> Vec<i32> {
    let (n, k) = (maps.n_rows(), maps.n_cols());
    let (mut left, mut chosen) = (maps.clone(), Vec::with_capacity(k));
    for _ in 0..k {
        let length = |i: usize| dot(left.row(i), left.row(i));
        let next = (1..n).fold(0, |best, i| if length(i) > length(best) { i } else { best });
        chosen.push(next);
        let size = length(next).sqrt();
        if size <= 0.0 {
            continue;
        }
        let direction: Vec<f64> = left.row(next).iter().map(|v| v / size).collect();
        for i in 0..n {
            let along = dot(left.row(i), &direction);
            left.row_mut(i).iter_mut().zip(&direction).for_each(|(v, d)| *v -= along * d);
        }
    }
    let picked = Mat::from_fn(k, k, |c, r| maps[(chosen[r], c)]);
    let Some(parts) = svd(picked.view()) else { return vec![0; n] };
    let turned = matmul(maps.view(), matmul(parts.u.view(), parts.vt.view()).view());
    let sizes = |i: usize| turned.row(i).iter().map(|v| v.abs()).collect::<Vec<f64>>();
    (0..n).map(|i| largest(&sizes(i))).collect()
}
