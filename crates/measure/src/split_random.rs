//! Repeated, random, exhaustive and time-ordered splits.

use crate::splits::{Split, k_fold, stratified_k_fold, train_test};
use mercer_core::{Error, Result};
use mercer_math::{below, rng_for, seed_for};

/// More indices than this in one list of splits are refused: a gibibyte.
const MOST_INDICES: u128 = 1 << 27;

/// Refuses lists of splits that would not fit into memory.
pub(crate) fn check_size(who: &str, n_splits: u128, n: usize) -> Result<()> {
    if n_splits.saturating_mul(n as u128) <= MOST_INDICES {
        return Ok(());
    }
    let reason =
        format!("{n_splits} splits of {n} rows are too many; take random ones (shuffle_split) instead");
    Err(Error::numeric(who, reason))
}

pub(crate) fn check_times(who: &str, times: usize, n: usize) -> Result<()> {
    if times == 0 {
        return Err(Error::param(who, "times", "at least 1", 0));
    }
    check_size(who, times as u128, n)
}

/// `ceil(fraction · n)`, at least one and not all.
pub(crate) fn n_test(who: &str, what: &'static str, n: usize, fraction: f64) -> Result<usize> {
    if !(fraction > 0.0 && fraction < 1.0) {
        return Err(Error::param(who, "test_fraction", "in (0, 1)", fraction));
    }
    if n < 2 {
        return Err(Error::too_few(who, what, 2, n));
    }
    // The small step down keeps 0.3 * 10 from becoming 4.
    Ok(((fraction * n as f64 - 1e-9).ceil() as usize).clamp(1, n - 1))
}

/// `times` random splits with `ceil(test_fraction · n)` rows to test on; by class where `stratify` is given.
pub fn shuffle_split(
    n: usize,
    times: usize,
    test_fraction: f64,
    seed: u64,
    stratify: Option<&[u32]>,
) -> Result<Vec<Split>> {
    check_times("shuffle_split", times, n)?;
    (0..times as u64).map(|round| train_test(n, test_fraction, seed_for(seed, round), stratify)).collect()
}

/// `times` times `k` shuffled folds, each round with its own shuffle.
pub fn repeated_k_fold(n: usize, k: usize, times: usize, seed: u64) -> Result<Vec<Split>> {
    check_times("repeated_k_fold", times.saturating_mul(k), n)?;
    let rounds = (0..times as u64).map(|round| k_fold(n, k, Some(seed_for(seed, round))));
    Ok(rounds.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// `times` times `k` shuffled stratified folds.
pub fn repeated_stratified_k_fold(codes: &[u32], k: usize, times: usize, seed: u64) -> Result<Vec<Split>> {
    check_times("repeated_stratified_k_fold", times.saturating_mul(k), codes.len())?;
    let rounds = (0..times as u64).map(|round| stratified_k_fold(codes, k, Some(seed_for(seed, round))));
    Ok(rounds.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// One split for each row, that tests on it alone.
pub fn leave_one_out(n: usize) -> Result<Vec<Split>> {
    leave_p_out(n, 1)
}

/// One split for each set of `p` rows, in lexicographic order, that tests on it. Refused when they are too many to
/// hold (together more than 2²⁷ indices).
///
/// # Example
/// ```
/// let splits = mercer_measure::leave_p_out(4, 2)?;
/// assert_eq!((splits.len(), &splits[1].test[..]), (6, &[0, 2][..]));
/// assert!(mercer_measure::leave_p_out(1000, 3).unwrap_err().to_string().contains("166167000 splits"));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn leave_p_out(n: usize, p: usize) -> Result<Vec<Split>> {
    if p == 0 {
        return Err(Error::param("leave_p_out", "p", "at least 1", 0));
    }
    if n <= p {
        return Err(Error::too_few("leave_p_out", "rows", p.saturating_add(1), n));
    }
    check_size("leave_p_out", combinations(n, p), n)?;
    let mut chosen: Vec<usize> = (0..p).collect();
    let mut splits = Vec::new();
    loop {
        splits.push(Split::by(n, |i| chosen.binary_search(&i).is_ok()));
        // The last index that can still rise; those after it follow it closely.
        let Some(at) = (0..p).rev().find(|&j| chosen[j] < n - p + j) else { return Ok(splits) };
        chosen[at] += 1;
        (at + 1..p).for_each(|j| chosen[j] = chosen[j - 1] + 1);
    }
}

/// `n` over `p`, or a number too large for anything.
fn combinations(n: usize, p: usize) -> u128 {
    let p = p.min(n - p);
    let mut count = 1u128;
    for j in 0..p as u128 {
        // Exact: the product of j + 1 consecutive numbers is divisible by (j + 1)!.
        count = match count.checked_mul(n as u128 - j) {
            Some(product) => product / (j + 1),
            None => return u128::MAX,
        };
        if count > MOST_INDICES * 1_000_000 {
            return count;
        }
    }
    count
}

/// How rows in the order of time are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TimeSeries {
    /// Number of splits, at least 2.
    pub k: usize,
    /// At most so many rows to learn from, the latest: a sliding window. Without, all of the past.
    pub max_train: Option<usize>,
    /// Rows to test on; without, `n / (k + 1)`.
    pub test_size: Option<usize>,
    /// Rows left out between learning and testing.
    pub gap: usize,
}

/// Splits of rows in the order of time: each tests on the rows that follow those it learns from, as scikit-learn's
/// `TimeSeriesSplit`.
pub fn time_series_split(n: usize, by: TimeSeries) -> Result<Vec<Split>> {
    let who = "time_series_split";
    if by.k < 2 {
        return Err(Error::param(who, "k", "at least 2", by.k));
    }
    if n <= by.k {
        return Err(Error::too_few(who, "rows", by.k.saturating_add(1), n));
    }
    for (name, size) in [("test_size", by.test_size), ("max_train", by.max_train)] {
        if size == Some(0) {
            return Err(Error::param(who, name, "at least 1", 0));
        }
    }
    let test = by.test_size.unwrap_or(n / (by.k + 1));
    let needed = test.saturating_mul(by.k).saturating_add(by.gap);
    if needed >= n {
        return Err(Error::too_few(who, "rows", needed.saturating_add(1), n));
    }
    check_size(who, by.k as u128, n)?;
    let split = |i: usize| {
        let start = n - (by.k - i) * test;
        let end = start - by.gap;
        let from = by.max_train.map_or(0, |most| end.saturating_sub(most));
        Split { train: (from..end).collect(), test: (start..start + test).collect() }
    };
    Ok((0..by.k).map(split).collect())
}

/// `times` bootstraps: each learns from `n` rows drawn with replacement and tests on those never drawn (out of bag).
///
/// A draw that leaves none out is repeated; of two rows or more there is always another.
pub fn bootstrap_splits(n: usize, times: usize, seed: u64) -> Result<Vec<Split>> {
    if n < 2 {
        return Err(Error::too_few("bootstrap", "rows", 2, n));
    }
    check_times("bootstrap", times, n)?;
    let draw = |round: u64| {
        let mut rng = rng_for(seed, round);
        loop {
            let mut drawn = vec![0usize; n];
            (0..n).for_each(|_| drawn[below(&mut rng, n)] += 1);
            let test: Vec<usize> = (0..n).filter(|&i| drawn[i] == 0).collect();
            if !test.is_empty() {
                let train = (0..n).flat_map(|i| std::iter::repeat_n(i, drawn[i])).collect();
                return Split { train, test };
            }
        }
    };
    Ok((0..times as u64).map(draw).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splits::tests::check_partition;

    #[test]
    fn random_splits_obey_sizes_strata_and_seeds() {
        let codes: Vec<u32> = (0..100).map(|i| u32::from(i % 4 == 0)).collect();
        let splits = shuffle_split(100, 9, 0.2, 3, Some(&codes)).unwrap();
        assert_eq!(splits.len(), 9);
        for split in &splits {
            assert_eq!((split.train.len(), split.test.len()), (80, 20));
            assert_eq!(split.test.iter().filter(|&&i| codes[i] == 1).count(), 5);
        }
        assert!(splits.windows(2).all(|s| s[0] != s[1]));
        assert_eq!(splits, shuffle_split(100, 9, 0.2, 3, Some(&codes)).unwrap());
        for round in repeated_k_fold(21, 4, 3, 1).unwrap().chunks(4) {
            check_partition(round, 21);
        }
        let repeated = repeated_stratified_k_fold(&codes, 5, 2, 1).unwrap();
        assert_ne!(repeated[..5], repeated[5..]);
        for split in &repeated {
            assert_eq!(split.test.iter().filter(|&&i| codes[i] == 1).count(), 5);
        }
    }

    #[test]
    fn bootstraps_test_out_of_bag() {
        let splits = bootstrap_splits(50, 40, 2).unwrap();
        let mut share = 0.0;
        for split in &splits {
            assert!(split.train.len() == 50 && split.train.is_sorted() && split.test.is_sorted());
            assert!((0..50).all(|i| split.train.contains(&i) != split.test.contains(&i)));
            share += split.test.len() as f64 / 50.0 / 40.0;
        }
        // (1 - 1/n)^n of the rows are left out, about 0.364.
        assert!((share - 0.364).abs() < 0.03);
        assert!(bootstrap_splits(2, 50, 0).unwrap().iter().all(|s| s.test.len() == 1));
    }

    #[test]
    fn exhaustive_splits_are_complete_and_guarded() {
        check_partition(&leave_one_out(7).unwrap(), 7);
        let splits = leave_p_out(6, 3).unwrap();
        assert_eq!((splits.len(), &splits[19].test[..]), (20, &[3, 4, 5][..]));
        for (n, p) in [(100_000, 1), (200, 5), (usize::MAX, 2), (10_000, 5_000)] {
            assert!(leave_p_out(n, p).unwrap_err().to_string().contains("too many"), "{n} {p}");
        }
        assert!(leave_p_out(3, 3).is_err() && leave_p_out(3, 0).is_err() && leave_one_out(1).is_err());
    }

    #[test]
    fn impossible_times_and_windows_are_refused() {
        let by = |k, test_size, gap| TimeSeries { k, test_size, gap, max_train: None };
        for bad in
            [by(1, None, 0), by(5, Some(2), 1), by(3, Some(0), 0), by(3, None, usize::MAX), by(99, None, 0)]
        {
            assert!(time_series_split(10, bad).is_err(), "{bad:?}");
        }
        assert!(shuffle_split(10, 0, 0.5, 0, None).is_err() && shuffle_split(10, 1, 0.0, 0, None).is_err());
        assert!(shuffle_split(10, usize::MAX, 0.5, 0, None).is_err());
        assert!(repeated_k_fold(10, 1, 2, 0).is_err() && repeated_k_fold(10, usize::MAX, 2, 0).is_err());
        assert!(bootstrap_splits(1, 3, 0).is_err() && bootstrap_splits(5, 0, 0).is_err());
    }
}
