//! How well scores rank the items of queries.
//!
//! A query is a run of items with relevances and scores; `queries` gives the id of each item's query (any numbers,
//! in any order), none makes all items one query. A weight belongs to a query: that of its first item. Queries
//! without weight do not count; over no queries a mean is NaN. NaN scores are refused.

use crate::check::{self, Sum};
use mercer_core::{Error, Result};
use mercer_math::Weights;
use std::collections::HashMap;

/// Rows of each query, in order of first appearance.
fn by_query(n: usize, queries: Option<&[u64]>) -> Vec<Vec<usize>> {
    let Some(queries) = queries else { return if n == 0 { vec![] } else { vec![(0..n).collect()] } };
    let mut place = HashMap::new();
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for (i, &query) in queries.iter().enumerate() {
        let at = *place.entry(query).or_insert(rows.len());
        if at == rows.len() {
            rows.push(Vec::new());
        }
        rows[at].push(i);
    }
    rows
}

/// Items of one query from the best score down, as runs of equal scores.
fn runs(rows: &[usize], scores: &[f64]) -> Vec<Vec<usize>> {
    let mut order = rows.to_vec();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    order.chunk_by(|&a, &b| scores[a] == scores[b]).map(<[usize]>::to_vec).collect()
}

/// The weighted mean over queries of `of(rows)`; queries for which it is `None` do not count.
fn mean_over_queries(
    relevance: &[f64],
    scores: &[f64],
    queries: Option<&[u64]>,
    weights: Option<&[f64]>,
    of: impl Fn(&[usize]) -> Option<f64>,
) -> Result<f64> {
    check::lengths(relevance.len(), scores.len(), weights)?;
    queries.map_or(Ok(()), |q| check::same_length("queries", scores.len(), q.len()))?;
    check::ordered("ranking", scores)?;
    let (mut sum, mut total) = (Sum::default(), Sum::default());
    for rows in by_query(scores.len(), queries) {
        let w = Weights::from(weights)[rows[0]];
        if let Some(value) = of(&rows).filter(|_| w != 0.0) {
            sum.add(w * value);
            total.add(w);
        }
    }
    Ok(sum.value() / total.value())
}

fn check_k(who: &str, k: Option<usize>) -> Result<()> {
    if k == Some(0) { Err(Error::param(who, "k", "at least 1", 0)) } else { Ok(()) }
}

/// `sum of relevance / log2(rank + 1)` over the first `k` ranks; items of equal score share the mean of their ranks'
/// discounts (McSherry and Najork, 2008), as in scikit-learn.
fn dcg_of(rows: &[usize], relevance: &[f64], scores: &[f64], k: Option<usize>) -> f64 {
    let discount =
        |rank: usize| if k.is_some_and(|k| rank >= k) { 0.0 } else { 1.0 / (rank as f64 + 2.0).log2() };
    let (mut sum, mut rank) = (Sum::default(), 0);
    for run in runs(rows, scores) {
        let gain: f64 = run.iter().map(|&i| relevance[i]).sum();
        let discounts: f64 = (rank..rank + run.len()).map(discount).sum();
        sum.add(gain / run.len() as f64 * discounts);
        rank += run.len();
    }
    sum.value()
}

/// The discounted cumulative gain, a mean over queries.
pub fn dcg(
    relevance: &[f64],
    scores: &[f64],
    queries: Option<&[u64]>,
    k: Option<usize>,
    weights: Option<&[f64]>,
) -> Result<f64> {
    check_k("dcg", k)?;
    mean_over_queries(relevance, scores, queries, weights, |rows| Some(dcg_of(rows, relevance, scores, k)))
}

/// The discounted cumulative gain over that of the best ranking, a mean over queries.
///
/// A query without relevant items counts 0, as in scikit-learn. Relevances are not negative.
///
/// # Example
/// ```
/// let (relevance, scores) = ([3.0, 1.0, 0.0], [0.9, 0.5, 0.7]);
/// let found = mercer_measure::ndcg(&relevance, &scores, None, None, None)?;
/// let gain = |second: f64, third: f64| 3.0 + second / 3f64.log2() + third / 2.0;
/// assert!((found - gain(0.0, 1.0) / gain(1.0, 0.0)).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn ndcg(
    relevance: &[f64],
    scores: &[f64],
    queries: Option<&[u64]>,
    k: Option<usize>,
    weights: Option<&[f64]>,
) -> Result<f64> {
    check_k("ndcg", k)?;
    check::every("NDCG", "relevance", relevance, "at least 0", |r| r >= 0.0)?;
    let of = |rows: &[usize]| {
        let best = dcg_of(rows, relevance, relevance, k);
        Some(check::ratio(dcg_of(rows, relevance, scores, k), best))
    };
    mean_over_queries(relevance, scores, queries, weights, of)
}

/// Mean average precision over queries: an item with a relevance above 0 is relevant.
///
/// Items of equal score make one step, as in [`average_precision`](crate::average_precision). With `k` only the
/// steps that begin within the first `k` ranks count, and the divisor is `min(k, relevant items)`. Queries without
/// relevant items do not count.
pub fn mean_average_precision(
    relevance: &[f64],
    scores: &[f64],
    queries: Option<&[u64]>,
    k: Option<usize>,
    weights: Option<&[f64]>,
) -> Result<f64> {
    check_k("map", k)?;
    let of = |rows: &[usize]| {
        let relevant = rows.iter().filter(|&&i| relevance[i] > 0.0).count();
        let (mut seen, mut hits, mut sum) = (0, 0, 0.0);
        for run in runs(rows, scores) {
            if k.is_some_and(|k| seen >= k) {
                break;
            }
            let found = run.iter().filter(|&&i| relevance[i] > 0.0).count();
            seen += run.len();
            hits += found;
            sum += found as f64 * hits as f64 / seen as f64;
        }
        (relevant > 0).then(|| sum / k.map_or(relevant, |k| k.min(relevant)) as f64)
    };
    mean_over_queries(relevance, scores, queries, weights, of)
}

/// The mean over queries of one over the rank of the first relevant item; 0 for a query without one.
///
/// Of items with equal scores the relevant ones come last: no luck is counted.
pub fn mean_reciprocal_rank(
    relevance: &[f64],
    scores: &[f64],
    queries: Option<&[u64]>,
    weights: Option<&[f64]>,
) -> Result<f64> {
    let of = |rows: &[usize]| {
        let mut before = 0;
        for run in runs(rows, scores) {
            let found = run.iter().filter(|&&i| relevance[i] > 0.0).count();
            if found > 0 {
                return Some(1.0 / (before + run.len() - found + 1) as f64);
            }
            before += run.len();
        }
        Some(0.0)
    };
    mean_over_queries(relevance, scores, queries, weights, of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand: query 1 ranks (no, yes, yes), query 2 (yes, no), query 3 has nothing relevant.
    const RELEVANCE: [f64; 7] = [0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0];
    const SCORES: [f64; 7] = [3.0, 2.0, 1.0, 5.0, 4.0, 1.0, 2.0];
    const QUERIES: [u64; 7] = [7, 7, 7, 9, 9, 4, 4];

    #[test]
    fn values_worked_by_hand() {
        let q = Some(&QUERIES[..]);
        let map = mean_average_precision(&RELEVANCE, &SCORES, q, None, None).unwrap();
        assert!((map - ((0.5 + 2.0 / 3.0) / 2.0 + 1.0) / 2.0).abs() < 1e-15);
        let map = mean_average_precision(&RELEVANCE, &SCORES, q, Some(2), None).unwrap();
        assert!((map - (0.5 / 2.0 + 1.0) / 2.0).abs() < 1e-15);
        let mrr = mean_reciprocal_rank(&RELEVANCE, &SCORES, q, None).unwrap();
        assert!((mrr - (0.5 + 1.0 + 0.0) / 3.0).abs() < 1e-15);
        let weights = [2.0, 2.0, 2.0, 1.0, 1.0, 0.0, 0.0];
        let mrr = mean_reciprocal_rank(&RELEVANCE, &SCORES, q, Some(&weights)).unwrap();
        assert!((mrr - 2.0 / 3.0).abs() < 1e-15);
        let ndcg = ndcg(&RELEVANCE, &SCORES, q, Some(1), None).unwrap();
        assert!((ndcg - (0.0 + 1.0 + 0.0) / 3.0).abs() < 1e-15);
    }

    #[test]
    fn ties_and_odd_input_are_defined() {
        assert_eq!(mean_reciprocal_rank(&[1.0, 0.0], &[1.0, 1.0], None, None).unwrap(), 0.5);
        assert_eq!(mean_average_precision(&[1.0, 0.0], &[1.0, 1.0], None, None, None).unwrap(), 0.5);
        assert!(ndcg(&[], &[], None, None, None).unwrap().is_nan());
        assert!(mean_average_precision(&[0.0], &[1.0], None, None, None).unwrap().is_nan());
        assert_eq!(ndcg(&[0.0], &[1.0], None, None, None).unwrap(), 0.0);
        assert!(ndcg(&[1.0], &[f64::NAN], None, None, None).is_err());
        assert!(ndcg(&[-1.0], &[1.0], None, None, None).is_err());
        assert!(ndcg(&[1.0], &[1.0], None, Some(0), None).is_err());
        assert!(dcg(&[1.0], &[1.0], Some(&[1, 2]), None, None).is_err());
    }
}
