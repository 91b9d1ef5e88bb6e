//! How good a grouping is by the distances of its rows. Labels are any numbers; weights are numbers of copies.

use crate::check::{self, Sum, ratio};
use crate::cluster::compact;
use mercer_core::{ErrorKind, Result, Session};
use mercer_math::{MatRef, Weights, sq_dist};
use rayon::prelude::*;

fn check_rows(x: MatRef<'_>, labels: &[u32], weights: Option<&[f64]>) -> Result<()> {
    check::same_length("labels", x.n_rows(), labels.len())?;
    weights.map_or(Ok(()), |w| check::same_length("weights", labels.len(), w.len()))
}

/// Codes of the labels, weights of the groups; groups without weight stay, empty.
fn groups(labels: &[u32], weights: Option<&[f64]>) -> (Vec<usize>, Vec<f64>) {
    let (codes, n_groups) = compact(labels);
    let mut sizes = vec![0.0; n_groups];
    codes.iter().enumerate().for_each(|(i, &c)| sizes[c] += Weights::from(weights)[i]);
    (codes, sizes)
}

/// The silhouette of every row (Rousseeuw, 1987, doi:10.1016/0377-0427(87)90125-7) under Euclidean distance:
/// 1 deep in its group, -1 nearer to another; 0 alone in a group, and everywhere when there is one group only.
///
/// O(n² d) time in rayon's current pool; take a sample of many rows first. The session is asked at every row.
pub fn silhouette_of_rows(
    x: MatRef<'_>,
    labels: &[u32],
    weights: Option<&[f64]>,
    session: &Session,
) -> Result<Vec<f64>> {
    check_rows(x, labels, weights)?;
    let (codes, sizes) = groups(labels, weights);
    let filled = sizes.iter().filter(|s| **s > 0.0).count();
    let one = |i: usize| {
        let (own, here) = (codes[i], x.row_cow(i));
        if sizes[own] <= 1.0 || filled < 2 {
            return Ok(0.0);
        }
        if session.interrupted().is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let mut sums = vec![0.0; sizes.len()];
        for j in (0..x.n_rows()).filter(|&j| j != i) {
            let distance = match x.row(j) {
                Some(row) => sq_dist(&here, row),
                None => sq_dist(&here, &x.row_cow(j)),
            };
            sums[codes[j]] += Weights::from(weights)[j] * distance.sqrt();
        }
        let inside = sums[own] / (sizes[own] - 1.0);
        let others = (0..sizes.len()).filter(|&g| g != own && sizes[g] > 0.0).map(|g| sums[g] / sizes[g]);
        let outside = others.fold(f64::INFINITY, f64::min);
        Ok(ratio(outside - inside, inside.max(outside)))
    };
    (0..x.n_rows()).into_par_iter().map(one).collect()
}

/// The mean silhouette; NaN when there is one group only, or every row is a group.
pub fn silhouette(x: MatRef<'_>, labels: &[u32], weights: Option<&[f64]>) -> Result<f64> {
    let rows = silhouette_of_rows(x, labels, weights, &Session::default())?;
    let sizes = groups(labels, weights).1;
    let n_groups = sizes.iter().filter(|s| **s > 0.0).count();
    if n_groups < 2 || sizes.iter().all(|s| *s <= 1.0) {
        return Ok(f64::NAN);
    }
    Ok(check::mean(rows.len(), weights, |i| rows[i]))
}

/// Weighted centres of the groups that have weight, with their weights, and the centre of all.
struct Centres {
    codes: Vec<usize>,
    sizes: Vec<f64>,
    centres: Vec<Vec<f64>>,
    middle: Vec<f64>,
}

impl Centres {
    fn new(x: MatRef<'_>, labels: &[u32], weights: Option<&[f64]>) -> Result<Self> {
        check_rows(x, labels, weights)?;
        let (codes, sizes) = groups(labels, weights);
        let d = x.n_cols();
        let mut sums = vec![vec![Sum::default(); d]; sizes.len()];
        let mut all = vec![Sum::default(); d];
        for (i, &group) in codes.iter().enumerate() {
            let w = Weights::from(weights)[i];
            for j in 0..d {
                sums[group][j].add(w * x.get(i, j));
                all[j].add(w * x.get(i, j));
            }
        }
        let total: f64 = sizes.iter().sum();
        let scaled = |sums: &[Sum], n: f64| sums.iter().map(|s| ratio(s.value(), n)).collect::<Vec<f64>>();
        let centres = sums.iter().zip(&sizes).map(|(s, n)| scaled(s, *n)).collect();
        Ok(Self { codes, centres, middle: scaled(&all, total), sizes })
    }

    fn filled(&self) -> Vec<usize> {
        (0..self.sizes.len()).filter(|&g| self.sizes[g] > 0.0).collect()
    }

    /// Neither one group only nor every row its own.
    fn is_proper(&self) -> bool {
        self.filled().len() > 1 && self.sizes.iter().any(|s| *s > 1.0)
    }
}

/// Davies and Bouldin (1979): the mean over groups of the worst ratio of spreads to the distance of centres; 0 is
/// best. NaN for one group only, or every row a group; 0 when all spreads or all distances are 0.
pub fn davies_bouldin(x: MatRef<'_>, labels: &[u32], weights: Option<&[f64]>) -> Result<f64> {
    let c = Centres::new(x, labels, weights)?;
    if !c.is_proper() {
        return Ok(f64::NAN);
    }
    let mut spreads = vec![Sum::default(); c.sizes.len()];
    for (i, &group) in c.codes.iter().enumerate() {
        spreads[group].add(Weights::from(weights)[i] * sq_dist(&x.row_cow(i), &c.centres[group]).sqrt());
    }
    let spread = |g: usize| spreads[g].value() / c.sizes[g];
    let filled = c.filled();
    let worst = |&a: &usize| {
        let against = |&b: &usize| {
            let apart = sq_dist(&c.centres[a], &c.centres[b]).sqrt();
            // Centres that coincide say nothing, as in scikit-learn.
            if apart == 0.0 { 0.0 } else { (spread(a) + spread(b)) / apart }
        };
        filled.iter().filter(|b| **b != a).map(against).fold(0.0, f64::max)
    };
    Ok(filled.iter().map(worst).sum::<f64>() / filled.len() as f64)
}

/// Calinski and Harabasz (1974): spread between groups over spread within, each by its degrees of freedom; larger is
/// better. NaN for one group only, or every row a group; 1 when there is no spread within.
pub fn calinski_harabasz(x: MatRef<'_>, labels: &[u32], weights: Option<&[f64]>) -> Result<f64> {
    let c = Centres::new(x, labels, weights)?;
    if !c.is_proper() {
        return Ok(f64::NAN);
    }
    let (mut within, mut between) = (Sum::default(), Sum::default());
    for (i, &group) in c.codes.iter().enumerate() {
        within.add(Weights::from(weights)[i] * sq_dist(&x.row_cow(i), &c.centres[group]));
    }
    for &group in &c.filled() {
        between.add(c.sizes[group] * sq_dist(&c.centres[group], &c.middle));
    }
    let (k, total) = (c.filled().len() as f64, c.sizes.iter().sum::<f64>());
    let within = within.value();
    Ok(if within == 0.0 { 1.0 } else { between.value() * (total - k) / (within * (k - 1.0)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separate_groups_score_well_and_odd_ones_are_defined() {
        let x = MatRef::row_major(&[0.0, 1.0, 100.0, 101.0], 4, 1).unwrap();
        assert!(silhouette(x, &[7, 7, 3, 3], None).unwrap() > 0.98);
        assert!(silhouette(x, &[7, 3, 7, 3], None).unwrap() < 0.0);
        type Of = fn(MatRef<'_>, &[u32], Option<&[f64]>) -> Result<f64>;
        for of in [silhouette as Of, davies_bouldin, calinski_harabasz] {
            assert!(of(x, &[1; 4], None).unwrap().is_nan() && of(x, &[0, 1, 2, 3], None).unwrap().is_nan());
            assert!(of(x, &[1; 3], None).is_err() && of(x, &[1; 4], Some(&[1.0])).is_err());
            assert!(of(MatRef::row_major(&[], 0, 2).unwrap(), &[], None).unwrap().is_nan());
        }
        let same = MatRef::row_major(&[1.0; 4], 4, 1).unwrap();
        assert_eq!(silhouette(same, &[0, 0, 1, 1], None).unwrap(), 0.0);
        assert_eq!(davies_bouldin(same, &[0, 0, 1, 1], None).unwrap(), 0.0);
        assert_eq!(calinski_harabasz(same, &[0, 0, 1, 1], None).unwrap(), 1.0);
    }

    #[test]
    fn a_weight_of_two_is_two_copies() {
        let data = [0.0, 0.5, 1.0, 2.0, 5.0, 4.0, 6.5, 9.0];
        let (x, labels, w) = (
            MatRef::row_major(&data, 8, 1).unwrap(),
            [0, 0, 1, 0, 1, 1, 1, 3],
            [1.0, 2.0, 1.0, 1.0, 3.0, 1.0, 1.0, 0.0],
        );
        let copies: Vec<usize> = (0..8).flat_map(|i| std::iter::repeat_n(i, w[i] as usize)).collect();
        let copied = x.gather(&copies);
        let ll: Vec<u32> = copies.iter().map(|&i| labels[i]).collect();
        type Of = fn(MatRef<'_>, &[u32], Option<&[f64]>) -> Result<f64>;
        for of in [silhouette as Of, davies_bouldin, calinski_harabasz] {
            let (a, b) = (of(x, &labels, Some(&w)).unwrap(), of(copied.view(), &ll, None).unwrap());
            assert!((a - b).abs() < 1e-12 * b.abs(), "{a} != {b}");
        }
    }
}
