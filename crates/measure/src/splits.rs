//! Which rows to learn from and which to test on: folds. A function of sizes, labels and a seed only.
//!
//! Without a seed the folds are those of scikit-learn.

use crate::check;
use crate::split_groups::group_k_fold;
use mercer_core::{Dataset, Error, Result};
use mercer_math::{rng_for, shuffle};
use std::collections::HashMap;

/// Rows to learn from and rows to test on, both in rising order, without a row in common. Rows to learn from repeat
/// in a bootstrap only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Rows to learn from.
    pub train: Vec<usize>,
    /// Rows to test on.
    pub test: Vec<usize>,
}

impl Split {
    /// The split whose test rows have `chosen`.
    pub(crate) fn by(n: usize, chosen: impl Fn(usize) -> bool) -> Self {
        let (test, train) = (0..n).partition(|&i| chosen(i));
        Self { train, test }
    }
}

/// The splits of a partition of the rows into `k` folds: each is the test set once.
pub(crate) fn from_folds(fold_of: &[usize], k: usize) -> Vec<Split> {
    (0..k).map(|fold| Split::by(fold_of.len(), |i| fold_of[i] == fold)).collect()
}

pub(crate) fn check_k(who: &str, k: usize, what: &'static str, n: usize) -> Result<()> {
    if k < 2 {
        return Err(Error::param(who, "k", "at least 2", k));
    }
    if n < k {
        return Err(Error::too_few(who, what, k, n));
    }
    Ok(())
}

/// The `k` folds that suit a data set: of whole groups where it has groups, else with the shares of the classes where it
/// has classes. In the order of the rows, or shuffled by a seed, which groups do not look at.
pub fn folds(data: &Dataset<'_>, k: usize, seed: Option<u64>) -> Result<Vec<Split>> {
    let (target, groups) = (data.target(), data.groups());
    let codes = target.as_ref().and_then(|t| t.class().ok()).map(|(codes, _)| codes);
    let groups = groups.map(|g| g.iter().map(|&g| u64::from(g)).collect::<Vec<_>>());
    suited_folds(data.n_rows(), k, codes, groups.as_deref(), seed)
}

/// The folds that suit `n` rows with these classes and groups.
pub(crate) fn suited_folds(
    n: usize,
    k: usize,
    codes: Option<&[u32]>,
    groups: Option<&[u64]>,
    seed: Option<u64>,
) -> Result<Vec<Split>> {
    match (groups, codes) {
        (Some(groups), _) => group_k_fold(groups, k),
        (None, Some(codes)) => stratified_k_fold(codes, k, seed),
        (None, None) => k_fold(n, k, seed),
    }
}

/// `k` folds of consecutive rows, or of rows shuffled by a seed; the first `n mod k` have one row more.
///
/// # Example
/// ```
/// let splits = mercer_measure::k_fold(5, 2, None)?;
/// assert_eq!(splits[0].test, [0, 1, 2]);
/// assert_eq!(splits[0].train, [3, 4]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn k_fold(n: usize, k: usize, shuffle_seed: Option<u64>) -> Result<Vec<Split>> {
    check_k("k_fold", k, "rows", n)?;
    let mut order: Vec<usize> = (0..n).collect();
    if let Some(seed) = shuffle_seed {
        shuffle(&mut rng_for(seed, 0), &mut order);
    }
    let mut fold_of = vec![0; n];
    let (small, larger) = (n / k, n % k);
    for (place, &row) in order.iter().enumerate() {
        let in_larger = larger * (small + 1);
        fold_of[row] =
            if place < in_larger { place / (small + 1) } else { larger + (place - in_larger) / small };
    }
    Ok(from_folds(&fold_of, k))
}

/// The rows of each class, classes in order of first appearance.
pub(crate) fn by_class(codes: &[u32]) -> Vec<Vec<usize>> {
    let mut place = HashMap::new();
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for (i, &code) in codes.iter().enumerate() {
        let at = *place.entry(code).or_insert(classes.len());
        if at == classes.len() {
            classes.push(Vec::new());
        }
        classes[at].push(i);
    }
    classes
}

/// `k` folds with the shares of the classes of the whole; sizes of folds differ by one at most.
///
/// A class with fewer than `k` rows is missing from some test sets ([`stratification_note`] says so).
/// Without a seed the folds are those of scikit-learn's `StratifiedKFold`.
pub fn stratified_k_fold(codes: &[u32], k: usize, seed: Option<u64>) -> Result<Vec<Split>> {
    check_k("stratified_k_fold", k, "rows", codes.len())?;
    let mut fold_of = vec![0; codes.len()];
    let mut dealt = 0;
    for (class, mut rows) in by_class(codes).into_iter().enumerate() {
        // Dealing the sorted classes like cards gives fold sizes that differ by one at most.
        let mut share = vec![0; k];
        (dealt..dealt + rows.len()).for_each(|card| share[card % k] += 1);
        dealt += rows.len();
        if let Some(seed) = seed {
            shuffle(&mut rng_for(seed, class as u64), &mut rows);
        }
        let folds = share.iter().enumerate().flat_map(|(fold, &n)| std::iter::repeat_n(fold, n));
        rows.into_iter().zip(folds).for_each(|(row, fold)| fold_of[row] = fold);
    }
    Ok(from_folds(&fold_of, k))
}

/// What to tell about classes that have fewer rows than there are folds; `None` when all have enough.
pub fn stratification_note(codes: &[u32], k: usize) -> Option<String> {
    let classes = by_class(codes);
    let small = classes.iter().filter(|rows| rows.len() < k).count();
    let least = classes.iter().map(Vec::len).min()?;
    let plural = if small == 1 { "class has" } else { "classes have" };
    (small > 0)
        .then(|| format!("{small} {plural} fewer than {k} rows (the least {least}): some folds test without"))
}

/// One random split; `ceil(test_fraction * n)` rows test, at least one on each side.
///
/// With `stratify`, each class gives its share, the largest remainders first.
pub fn train_test(n: usize, test_fraction: f64, seed: u64, stratify: Option<&[u32]>) -> Result<Split> {
    if !(test_fraction > 0.0 && test_fraction < 1.0) {
        return Err(Error::param("train_test", "test_fraction", "in (0, 1)", test_fraction));
    }
    if n < 2 {
        return Err(Error::too_few("train_test", "rows", 2, n));
    }
    // The small step down keeps 0.3 * 10 from becoming 4.
    let n_test = ((test_fraction * n as f64 - 1e-9).ceil() as usize).clamp(1, n - 1);
    let classes = match stratify {
        Some(codes) => {
            check::same_length("labels to stratify by", n, codes.len())?;
            by_class(codes)
        }
        None => vec![(0..n).collect()],
    };
    let share = |rows: &Vec<usize>| rows.len() as f64 * n_test as f64 / n as f64;
    let mut quota: Vec<usize> = classes.iter().map(|rows| share(rows).floor() as usize).collect();
    let mut by_remainder: Vec<usize> = (0..classes.len()).collect();
    by_remainder.sort_by(|&a, &b| share(&classes[b]).fract().total_cmp(&share(&classes[a]).fract()));
    let left = n_test - quota.iter().sum::<usize>();
    by_remainder.iter().take(left).for_each(|&class| quota[class] += 1);
    let mut is_test = vec![false; n];
    for (class, mut rows) in classes.into_iter().enumerate() {
        shuffle(&mut rng_for(seed, class as u64), &mut rows);
        rows.iter().take(quota[class]).for_each(|&row| is_test[row] = true);
    }
    Ok(Split::by(n, |i| is_test[i]))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn check_partition(splits: &[Split], n: usize) {
        let mut tested: Vec<usize> = splits.iter().flat_map(|s| s.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, (0..n).collect::<Vec<_>>());
        for split in splits {
            assert_eq!(split.train.len() + split.test.len(), n);
            assert!(split.train.iter().all(|i| split.test.binary_search(i).is_err()));
            assert!(split.train.is_sorted() && split.test.is_sorted());
        }
    }

    #[test]
    fn folds_partition_the_rows_and_depend_on_the_seed_alone() {
        for (n, k) in [(2, 2), (10, 3), (11, 11), (101, 5)] {
            for seed in [None, Some(1), Some(2)] {
                let splits = k_fold(n, k, seed).unwrap();
                check_partition(&splits, n);
                assert!(splits.iter().all(|s| s.test.len() == n / k || s.test.len() == n / k + 1));
                assert_eq!(splits, k_fold(n, k, seed).unwrap());
            }
        }
        assert_ne!(k_fold(100, 5, Some(1)).unwrap(), k_fold(100, 5, Some(2)).unwrap());
    }

    #[test]
    fn strata_keep_their_shares() {
        let codes: Vec<u32> = (0..200).map(|i| if i % 10 == 0 { 1 } else { 0 }).collect();
        for seed in [None, Some(3)] {
            let splits = stratified_k_fold(&codes, 5, seed).unwrap();
            check_partition(&splits, 200);
            for split in &splits {
                assert_eq!(split.test.iter().filter(|&&i| codes[i] == 1).count(), 4);
            }
        }
        let split = train_test(200, 0.25, 7, Some(&codes)).unwrap();
        assert_eq!(split.test.iter().filter(|&&i| codes[i] == 1).count(), 5);
        assert_eq!(split.test.len(), 50);
    }

    #[test]
    fn small_classes_are_allowed_and_noted() {
        let codes = [0, 0, 0, 0, 0, 0, 1];
        check_partition(&stratified_k_fold(&codes, 3, Some(1)).unwrap(), 7);
        assert!(stratification_note(&codes, 3).unwrap().starts_with("1 class has fewer than 3 rows"));
        assert_eq!(stratification_note(&codes[..6], 3), None);
        assert_eq!(stratification_note(&[], 3), None);
    }

    #[test]
    fn impossible_splits_are_refused() {
        assert!(k_fold(3, 4, None).is_err() && k_fold(3, 1, None).is_err());
        assert!(stratified_k_fold(&[0, 1], 3, None).is_err() && stratified_k_fold(&[0, 1], 0, None).is_err());
        assert!(train_test(1, 0.5, 0, None).is_err() && train_test(9, 1.0, 0, None).is_err());
        assert!(train_test(9, f64::NAN, 0, None).is_err() && train_test(9, 0.5, 0, Some(&[0])).is_err());
        let tiny = train_test(2, 0.01, 0, None).unwrap();
        assert_eq!((tiny.train.len(), tiny.test.len()), (1, 1));
        assert_eq!(train_test(10, 0.3, 0, None).unwrap().test.len(), 3);
    }

    #[test]
    fn value_stability() {
        assert_eq!(k_fold(10, 5, Some(42)).unwrap()[0].test, [1, 7]);
        assert_eq!(train_test(10, 0.3, 42, None).unwrap().test, [0, 1, 7]);
    }
}
