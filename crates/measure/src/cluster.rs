//! How far two groupings of the same rows agree. Labels are any numbers; weights are numbers of copies.

use crate::check::{self, Sum, ratio};
use mercer_core::{Error, Result};
use mercer_math::Weights;
use mercer_math::special::lgamma;
use std::collections::{BTreeMap, HashMap};

/// Labels as codes 0, 1, … in order of first appearance, and their number.
pub(crate) fn compact(labels: &[u32]) -> (Vec<usize>, usize) {
    let mut seen = HashMap::new();
    let codes = labels.iter().map(|&label| {
        let next = seen.len();
        *seen.entry(label).or_insert(next)
    });
    let codes: Vec<usize> = codes.collect();
    (codes, seen.len())
}

/// Weights of the rows in each group of one, of the other, of both.
struct Contingency {
    together: BTreeMap<(usize, usize), f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    total: f64,
}

impl Contingency {
    fn new(first: &[u32], second: &[u32], weights: Option<&[f64]>) -> Result<Self> {
        check::same_length("labels", first.len(), second.len())?;
        weights.map_or(Ok(()), |w| check::same_length("weights", first.len(), w.len()))?;
        let rows: Vec<usize> = (0..first.len()).filter(|&i| Weights::from(weights)[i] != 0.0).collect();
        let pick = |labels: &[u32]| compact(&rows.iter().map(|&i| labels[i]).collect::<Vec<_>>());
        let ((a, n_a), (b, n_b)) = (pick(first), pick(second));
        let mut table =
            Self { together: BTreeMap::new(), first: vec![0.0; n_a], second: vec![0.0; n_b], total: 0.0 };
        for (place, &row) in rows.iter().enumerate() {
            let w = Weights::from(weights)[row];
            *table.together.entry((a[place], b[place])).or_default() += w;
            table.first[a[place]] += w;
            table.second[b[place]] += w;
            table.total += w;
        }
        Ok(table)
    }

    /// Pairs of rows: in one group of both, of the first, of the second, at all.
    ///
    /// Exact for counts: products below 2^53, and beyond as good as the sums.
    fn pairs(&self) -> [f64; 4] {
        let pairs = |n: &f64| n * (n - 1.0) / 2.0;
        let sum = |values: &mut dyn Iterator<Item = f64>| {
            let mut sum = Sum::default();
            values.for_each(|v| sum.add(v));
            sum.value()
        };
        [
            sum(&mut self.together.values().map(pairs)),
            sum(&mut self.first.iter().map(pairs)),
            sum(&mut self.second.iter().map(pairs)),
            pairs(&self.total),
        ]
    }

    fn entropy(&self, of: &[f64]) -> f64 {
        if of.len() < 2 {
            return 0.0;
        }
        -of.iter().filter(|n| **n > 0.0).map(|n| n / self.total * (n.ln() - self.total.ln())).sum::<f64>()
    }

    fn mutual_information(&self) -> f64 {
        if self.first.len() < 2 || self.second.len() < 2 {
            return 0.0;
        }
        let term = |(&(i, j), &n): (&(usize, usize), &f64)| {
            n / self.total * ((n / self.first[i]).ln() - (self.second[j] / self.total).ln())
        };
        self.together.iter().map(term).sum::<f64>().max(0.0)
    }
}

/// The Rand index: the share of pairs of rows on which the groupings agree. 1 for fewer than two rows.
pub fn rand_index(first: &[u32], second: &[u32], weights: Option<&[f64]>) -> Result<f64> {
    let [both, of_first, of_second, all] = Contingency::new(first, second, weights)?.pairs();
    let agree = all + 2.0 * both - of_first - of_second;
    Ok(if all == 0.0 || agree == all { 1.0 } else { agree / all })
}

/// The Rand index adjusted for chance (Hubert and Arabie, 1985, doi:10.1007/BF01908075): 1 for the same
/// grouping, about 0 for unrelated ones. Two trivial groupings that are equal give 1, no rows too.
///
/// # Example
/// ```
/// assert_eq!(mercer_measure::adjusted_rand_index(&[0, 0, 1, 1], &[5, 5, 2, 2], None)?, 1.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn adjusted_rand_index(first: &[u32], second: &[u32], weights: Option<&[f64]>) -> Result<f64> {
    let [both, of_first, of_second, all] = Contingency::new(first, second, weights)?.pairs();
    if of_first == both && of_second == both {
        return Ok(1.0);
    }
    let expected = of_first * of_second / all;
    Ok((both - expected) / ((of_first + of_second) / 2.0 - expected))
}

/// Fowlkes and Mallows (1983): the geometric mean of pairwise precision and recall; 0 when no pair is together in
/// both.
pub fn fowlkes_mallows(first: &[u32], second: &[u32], weights: Option<&[f64]>) -> Result<f64> {
    let [both, of_first, of_second, _] = Contingency::new(first, second, weights)?.pairs();
    Ok(if both == 0.0 { 0.0 } else { (both / of_first).sqrt() * (both / of_second).sqrt() })
}

/// The information in nats that one grouping has about the other; 0 when either has one group only.
pub fn mutual_information(first: &[u32], second: &[u32], weights: Option<&[f64]>) -> Result<f64> {
    Ok(Contingency::new(first, second, weights)?.mutual_information())
}

/// Which mean of the two entropies mutual information is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EntropyMean {
    /// Half their sum.
    #[default]
    Arithmetic,
    /// The root of their product.
    Geometric,
    /// The smaller.
    Min,
    /// The larger.
    Max,
}

impl EntropyMean {
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            EntropyMean::Arithmetic => (a + b) / 2.0,
            EntropyMean::Geometric => (a * b).sqrt(),
            EntropyMean::Min => a.min(b),
            EntropyMean::Max => a.max(b),
        }
    }
}

/// Both groupings are the trivial one, or there are no rows: they agree by definition.
fn both_trivial(table: &Contingency) -> bool {
    table.first.len() == table.second.len() && table.first.len() < 2
}

/// Normalised mutual information: 1 for the same grouping. Two groupings of one group each give 1, one of them 0.
pub fn normalised_mutual_information(
    truth: &[u32],
    labels: &[u32],
    by: EntropyMean,
    weights: Option<&[f64]>,
) -> Result<f64> {
    let table = Contingency::new(truth, labels, weights)?;
    if both_trivial(&table) {
        return Ok(1.0);
    }
    let information = table.mutual_information();
    // Below the resolution of the sum above there is no information.
    if information <= f64::EPSILON {
        return Ok(0.0);
    }
    Ok(ratio(information, by.of(table.entropy(&table.first), table.entropy(&table.second))))
}

/// Mutual information adjusted for chance (Vinh, Epps and Bailey, 2010): 1 for the same grouping, about 0 for
/// unrelated ones. Two trivial groupings give 1.
///
/// Weights must be whole numbers: the expectation is over permutations of rows. O(groups² · smallest group) time.
pub fn adjusted_mutual_information(
    truth: &[u32],
    labels: &[u32],
    by: EntropyMean,
    weights: Option<&[f64]>,
) -> Result<f64> {
    if let Some(row) = weights.and_then(|w| w.iter().position(|w| w.fract() != 0.0 || *w < 0.0)) {
        let reason = format!("the weight of row {row} is no number of copies");
        return Err(Error::numeric("adjusted mutual information", reason));
    }
    let table = Contingency::new(truth, labels, weights)?;
    if both_trivial(&table) || (all_alone(&table.first) && all_alone(&table.second)) {
        return Ok(1.0);
    }
    let (information, expected) = (table.mutual_information(), expected_information(&table));
    let most = by.of(table.entropy(&table.first), table.entropy(&table.second));
    let divisor = most - expected;
    let divisor = if divisor < 0.0 { divisor.min(-f64::EPSILON) } else { divisor.max(f64::EPSILON) };
    Ok((information - expected) / divisor)
}

fn all_alone(sizes: &[f64]) -> bool {
    sizes.iter().all(|n| *n == 1.0)
}

/// The expectation of mutual information over all permutations of the labels, sizes kept.
///
/// Sizes repeat: each pair of sizes is computed once.
fn expected_information(table: &Contingency) -> f64 {
    let sizes = |of: &[f64]| {
        let mut counts: BTreeMap<u64, f64> = BTreeMap::new();
        of.iter().for_each(|n| *counts.entry(*n as u64).or_default() += 1.0);
        counts
    };
    let total = table.total;
    let log_factorial = |n: f64| lgamma(n + 1.0);
    let mut sum = Sum::default();
    for (&a, &times_a) in &sizes(&table.first) {
        for (&b, &times_b) in &sizes(&table.second) {
            let (a, b) = (a as f64, b as f64);
            let fixed =
                log_factorial(a) + log_factorial(b) + log_factorial(total - a) + log_factorial(total - b)
                    - log_factorial(total);
            let mut inner = Sum::default();
            let (start, end) = ((a + b - total).max(1.0) as u64, a.min(b) as u64);
            for n in start..=end {
                let n = n as f64;
                let log_chance = fixed
                    - log_factorial(n)
                    - log_factorial(a - n)
                    - log_factorial(b - n)
                    - log_factorial(total - a - b + n);
                inner.add(n / total * (total * n / (a * b)).ln() * log_chance.exp());
            }
            sum.add(times_a * times_b * inner.value());
        }
    }
    sum.value()
}

/// Homogeneity, completeness and their harmonic mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VMeasure {
    /// 1 when every group found holds rows of one known group only; 1 too when there is one known group.
    pub homogeneity: f64,
    /// 1 when every known group lies within one group found; 1 too when one group is found.
    pub completeness: f64,
    /// The harmonic mean; 0 when both are.
    pub v_measure: f64,
}

/// How pure and how whole the groups found are (Rosenberg and Hirschberg, 2007). No rows give 1 throughout.
///
/// `beta` above 1 favours completeness; it is not negative.
pub fn v_measure(truth: &[u32], labels: &[u32], beta: f64, weights: Option<&[f64]>) -> Result<VMeasure> {
    if !(beta >= 0.0 && beta.is_finite()) {
        return Err(Error::param("v_measure", "beta", "in [0, inf)", beta));
    }
    let table = Contingency::new(truth, labels, weights)?;
    let information = table.mutual_information();
    let share = |entropy: f64| if entropy == 0.0 { 1.0 } else { information / entropy };
    let homogeneity = share(table.entropy(&table.first));
    let completeness = share(table.entropy(&table.second));
    let v_measure = ratio((1.0 + beta) * homogeneity * completeness, beta * homogeneity + completeness);
    Ok(VMeasure { homogeneity, completeness, v_measure })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trivial_groupings_are_defined() {
        let ari = |a: &[u32], b: &[u32]| adjusted_rand_index(a, b, None).unwrap();
        assert_eq!((ari(&[], &[]), ari(&[1, 1], &[2, 2]), ari(&[0, 1], &[1, 0])), (1.0, 1.0, 1.0));
        assert_eq!(ari(&[0, 0], &[0, 1]), 0.0);
        assert!(adjusted_rand_index(&[0], &[0, 1], None).is_err());
        assert!(adjusted_rand_index(&[0], &[0], Some(&[])).is_err());
        assert_eq!(rand_index(&[], &[], None).unwrap(), 1.0);
        assert_eq!(fowlkes_mallows(&[0, 1], &[0, 1], None).unwrap(), 0.0);
        let nmi = |a: &[u32], b: &[u32]| normalised_mutual_information(a, b, EntropyMean::Min, None).unwrap();
        assert_eq!((nmi(&[], &[]), nmi(&[1, 1], &[2, 2]), nmi(&[0, 0], &[0, 1])), (1.0, 1.0, 0.0));
        let ami =
            |a: &[u32], b: &[u32]| adjusted_mutual_information(a, b, EntropyMean::Arithmetic, None).unwrap();
        assert_eq!((ami(&[], &[]), ami(&[1, 1], &[2, 2]), ami(&[0, 1], &[1, 0])), (1.0, 1.0, 1.0));
        assert_eq!(v_measure(&[], &[], 1.0, None).unwrap().v_measure, 1.0);
        assert!(v_measure(&[], &[], f64::NAN, None).is_err());
        let half = adjusted_mutual_information(&[0], &[0], EntropyMean::Max, Some(&[0.5]));
        assert!(half.unwrap_err().to_string().contains("row 0"));
    }

    #[test]
    fn a_weight_of_two_is_two_copies_and_zero_is_no_row() {
        let (a, b, w) = ([0, 0, 1, 1, 2, 9], [0, 1, 1, 1, 0, 7], [1.0, 2.0, 1.0, 3.0, 1.0, 0.0]);
        let copies: Vec<usize> = (0..6).flat_map(|i| std::iter::repeat_n(i, w[i] as usize)).collect();
        let aa: Vec<u32> = copies.iter().map(|&i| a[i]).collect();
        let bb: Vec<u32> = copies.iter().map(|&i| b[i]).collect();
        type Of = fn(&[u32], &[u32], Option<&[f64]>) -> Result<f64>;
        let all: [Of; 6] = [
            rand_index,
            adjusted_rand_index,
            fowlkes_mallows,
            |a, b, w| normalised_mutual_information(a, b, EntropyMean::Geometric, w),
            |a, b, w| adjusted_mutual_information(a, b, EntropyMean::Max, w),
            |a, b, w| Ok(v_measure(a, b, 0.5, w)?.v_measure),
        ];
        for of in all {
            let (weighted, copied) = (of(&a, &b, Some(&w)).unwrap(), of(&aa, &bb, None).unwrap());
            assert!((weighted - copied).abs() < 1e-14, "{weighted} != {copied}");
        }
    }
}
