//! The area under the ROC curve without the curve: count, for every positive, the negatives it beats.
//!
//! # Algorithm
//! Scores become integers that sort like them. Positives and negatives are sorted apart, so that no label travels
//! along, and merged once. Without weights everything is a whole number: the result is exact, the same for any
//! number of threads. O(n log n) time, 8 bytes a row (16 with weights), in rayon's current pool.

use crate::check::{self, Sum};
use mercer_core::Result;
use mercer_math::{MatRef, Weights};
use rayon::prelude::*;

/// Positives merged by one task, and the least number of keys worth sorting in parallel.
const BLOCK: usize = 1 << 16;

/// An integer that sorts as the score does; both zeros are one.
#[inline]
pub(crate) fn sort_key(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    // Negative numbers turn round, and go below the positive ones.
    bits ^ (((bits as i64 >> 63) as u64) | 1 << 63)
}

/// Sorts in parallel. Halves around the median are sorted apart: the result of sorting is unique.
fn sort_in_parallel(keys: &mut [u64]) {
    if keys.len() < 16 * BLOCK || rayon::current_num_threads() == 1 {
        return keys.sort_unstable();
    }
    let (low, _, high) = keys.select_nth_unstable(keys.len() / 2);
    rayon::join(|| sort_in_parallel(low), || sort_in_parallel(high));
}

/// Keys of the positives and of the negatives, each in the order of the rows.
fn keys_by_class(truth: &[bool], scores: &[f64]) -> (Vec<u64>, Vec<u64>) {
    let n_positive = truth.iter().filter(|t| **t).count();
    // One place more than needed, so that both can be written without a branch.
    let mut positive = vec![0; n_positive + 1];
    let mut negative = vec![0; truth.len() - n_positive + 1];
    let (mut p, mut n) = (0, 0);
    for (&is_positive, &score) in truth.iter().zip(scores) {
        let key = sort_key(score);
        positive[p] = key;
        negative[n] = key;
        p += usize::from(is_positive);
        n += usize::from(!is_positive);
    }
    positive.truncate(n_positive);
    negative.truncate(truth.len() - n_positive);
    (positive, negative)
}

/// Twice the number of pairs in which the positive wins, ties counting a half.
fn twice_wins(positive: &[u64], negative: &[u64]) -> u128 {
    let block = |keys: &[u64]| {
        let Some(&first) = keys.first() else { return 0 };
        let mut below = negative.partition_point(|&k| k < first);
        let mut up_to = below;
        let mut twice = 0u128;
        for &key in keys {
            while negative.get(below).is_some_and(|&k| k < key) {
                below += 1;
            }
            up_to = up_to.max(below);
            while negative.get(up_to).is_some_and(|&k| k == key) {
                up_to += 1;
            }
            twice += (below + up_to) as u128;
        }
        twice
    };
    positive.par_chunks(BLOCK).map(block).sum()
}

/// The area under the ROC curve: the chance that a positive scores above a negative, ties counting a half.
///
/// NaN when a class is absent (or has no weight); ½ when all scores are equal. NaN scores are refused, infinite ones
/// rank at the ends.
///
/// # Example
/// ```
/// let truth = [false, false, true, true];
/// assert_eq!(mercer_measure::roc_auc(&truth, &[0.1, 0.4, 0.35, 0.8], None)?, 0.75);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn roc_auc(truth: &[bool], scores: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), scores.len(), weights)?;
    check::ordered("the ROC curve", scores)?;
    if let Some(weights) = weights {
        return Ok(weighted(truth, scores, weights));
    }
    let (mut positive, mut negative) = keys_by_class(truth, scores);
    rayon::join(|| sort_in_parallel(&mut positive), || sort_in_parallel(&mut negative));
    let pairs = positive.len() as f64 * negative.len() as f64;
    Ok(if pairs == 0.0 { f64::NAN } else { twice_wins(&positive, &negative) as f64 / (2.0 * pairs) })
}

fn weighted(truth: &[bool], scores: &[f64], weights: &[f64]) -> f64 {
    let sorted = |wanted: bool| {
        let rows = (0..truth.len()).filter(|&i| truth[i] == wanted && weights[i] != 0.0);
        let mut keys: Vec<(u64, f64)> = rows.map(|i| (sort_key(scores[i]), weights[i])).collect();
        keys.sort_unstable_by_key(|(key, _)| *key);
        keys
    };
    let (positive, negative) = rayon::join(|| sorted(true), || sorted(false));
    let total = |keys: &[(u64, f64)]| {
        let mut sum = Sum::default();
        keys.iter().for_each(|(_, w)| sum.add(*w));
        sum.value()
    };
    // Weight of the negatives below, and up to, the key of the positive.
    let (mut below, mut up_to) = (Sum::default(), Sum::default());
    let (mut at_below, mut at_up_to) = (0, 0);
    let mut wins = Sum::default();
    for (key, w) in &positive {
        while let Some((_, other)) = negative.get(at_below).filter(|(k, _)| k < key) {
            below.add(*other);
            at_below += 1;
        }
        while let Some((_, other)) = negative.get(at_up_to).filter(|(k, _)| k <= key) {
            up_to.add(*other);
            at_up_to += 1;
        }
        wins.add(w * (below.value() + up_to.value()) / 2.0);
    }
    wins.value() / (total(&positive) * total(&negative))
}

/// How the areas of several classes become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AucAverage {
    /// Every class, or pair of classes, counts the same.
    #[default]
    Macro,
    /// By the weight of the rows of the class, or of the pair.
    Weighted,
}

/// The mean over classes of the AUC of each against the rest; classes that are absent, or alone, do not count.
/// NaN when none counts.
pub fn roc_auc_one_vs_rest(truth: &[u32], scores: MatRef<'_>, weights: Option<&[f64]>) -> Result<f64> {
    roc_auc_ovr(truth, scores, AucAverage::Macro, weights)
}

/// [`roc_auc_one_vs_rest`] with a choice of the average.
pub fn roc_auc_ovr(
    truth: &[u32],
    scores: MatRef<'_>,
    average: AucAverage,
    weights: Option<&[f64]>,
) -> Result<f64> {
    check::lengths(truth.len(), scores.n_rows(), weights)?;
    check::codes("truth", truth, scores.n_cols())?;
    let support = support(truth, scores.n_cols(), weights);
    let of = |class: usize| {
        let positive: Vec<bool> = truth.iter().map(|&t| t as usize == class).collect();
        Ok((roc_auc(&positive, &scores.col_cow(class), weights)?, support[class]))
    };
    averaged((0..scores.n_cols()).map(of), average)
}

/// The mean over pairs of classes of the AUC within the pair, each class once as the positive one (Hand and Till,
/// 2001, doi:10.1023/A:1010920819831); pairs of which a class is absent do not count. NaN when none counts.
///
/// Weights are taken as copies of rows, which scikit-learn does not offer here.
pub fn roc_auc_ovo(
    truth: &[u32],
    scores: MatRef<'_>,
    average: AucAverage,
    weights: Option<&[f64]>,
) -> Result<f64> {
    check::lengths(truth.len(), scores.n_rows(), weights)?;
    check::codes("truth", truth, scores.n_cols())?;
    let k = scores.n_cols();
    let support = support(truth, k, weights);
    let mut rows = vec![Vec::new(); k];
    truth.iter().enumerate().for_each(|(i, &t)| rows[t as usize].push(i));
    let of = |(a, b): (usize, usize)| {
        let both: Vec<usize> = rows[a].iter().chain(&rows[b]).copied().collect();
        let w: Option<Vec<f64>> = weights.map(|w| both.iter().map(|&i| w[i]).collect());
        let area = |positive: usize| {
            let is: Vec<bool> = both.iter().map(|&i| truth[i] as usize == positive).collect();
            let score: Vec<f64> = both.iter().map(|&i| scores.get(i, positive)).collect();
            roc_auc(&is, &score, w.as_deref())
        };
        Ok(((area(a)? + area(b)?) / 2.0, support[a] + support[b]))
    };
    averaged((0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))).map(of), average)
}

fn support(truth: &[u32], n_classes: usize, weights: Option<&[f64]>) -> Vec<f64> {
    let mut support = vec![0.0; n_classes];
    truth.iter().enumerate().for_each(|(i, &t)| support[t as usize] += Weights::from(weights)[i]);
    support
}

fn averaged(areas: impl Iterator<Item = Result<(f64, f64)>>, average: AucAverage) -> Result<f64> {
    let (mut sum, mut total) = (0.0, 0.0);
    for found in areas {
        let (area, support) = found?;
        if !area.is_nan() {
            let share = if average == AucAverage::Macro { 1.0 } else { support };
            sum += share * area;
            total += share;
        }
    }
    Ok(sum / total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{below, rng_for, uniform};

    #[test]
    fn one_class_has_no_area_and_constant_scores_are_chance() {
        assert!(roc_auc(&[true, true], &[0.1, 0.2], None).unwrap().is_nan());
        assert!(roc_auc(&[false], &[0.1], None).unwrap().is_nan());
        assert!(roc_auc(&[], &[], None).unwrap().is_nan() && roc_auc(&[], &[], Some(&[])).unwrap().is_nan());
        assert!(roc_auc(&[true, false], &[0.1, 0.2], Some(&[1.0, 0.0])).unwrap().is_nan());
        assert_eq!(roc_auc(&[true, false, true], &[1.0; 3], None).unwrap(), 0.5);
        assert!(roc_auc(&[true], &[f64::NAN], None).unwrap_err().to_string().contains("row 0"));
        assert_eq!(roc_auc(&[true, false], &[f64::INFINITY, f64::NEG_INFINITY], None).unwrap(), 1.0);
        assert_eq!(roc_auc(&[true, false], &[0.0, -0.0], None).unwrap(), 0.5);
        assert_eq!(roc_auc(&[true, false], &[-0.0, 0.0], Some(&[2.0, 3.0])).unwrap(), 0.5);
        let p = MatRef::row_major(&[0.5, 0.5], 1, 2).unwrap();
        assert!(roc_auc_ovo(&[0], p, AucAverage::Macro, None).unwrap().is_nan());
        assert!(roc_auc_ovr(&[2], p, AucAverage::Macro, None).is_err());
    }

    #[test]
    fn keys_sort_as_scores_do() {
        let scores = [f64::NEG_INFINITY, -1e300, -1.0, -1e-320, 0.0, 1e-320, 2.0, f64::INFINITY];
        assert!(scores.windows(2).all(|s| sort_key(s[0]) < sort_key(s[1])));
        assert_eq!(sort_key(-0.0), sort_key(0.0));
    }

    /// Against all pairs, with ties, and the same whatever the number of threads (large enough to be cut).
    #[test]
    fn counts_pairs_at_any_number_of_threads() {
        let mut rng = rng_for(3, 0);
        let n = 400;
        let truth: Vec<bool> = (0..n).map(|_| uniform(&mut rng) < 0.3).collect();
        let scores: Vec<f64> =
            (0..n).map(|i| below(&mut rng, 40) as f64 - 20.0 + f64::from(truth[i])).collect();
        let w: Vec<f64> = (0..n).map(|_| below(&mut rng, 4) as f64).collect();
        let (mut wins, mut pairs) = (0.0, 0.0);
        for i in (0..n).filter(|&i| truth[i]) {
            for j in (0..n).filter(|&j| !truth[j]) {
                let won = if scores[i] > scores[j] { 1.0 } else { f64::from(scores[i] == scores[j]) / 2.0 };
                wins += w[i] * w[j] * won;
                pairs += w[i] * w[j];
            }
        }
        assert!((roc_auc(&truth, &scores, Some(&w)).unwrap() - wins / pairs).abs() < 1e-14);
        let copies: Vec<usize> = (0..n).flat_map(|i| std::iter::repeat_n(i, w[i] as usize)).collect();
        let t: Vec<bool> = copies.iter().map(|&i| truth[i]).collect();
        let s: Vec<f64> = copies.iter().map(|&i| scores[i]).collect();
        assert!((roc_auc(&t, &s, None).unwrap() - wins / pairs).abs() < 1e-14);

        let n = 40 * BLOCK;
        let truth: Vec<bool> = (0..n).map(|_| uniform(&mut rng) < 0.05).collect();
        let scores: Vec<f64> = (0..n).map(|i| uniform(&mut rng) + 0.1 * f64::from(truth[i])).collect();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| roc_auc(&truth, &scores, None).unwrap())
        };
        let curve = crate::roc_curve(&truth, &scores, None).unwrap().area();
        assert!(run(1) == run(2) && (run(1) - curve).abs() < 1e-12);
    }
}
