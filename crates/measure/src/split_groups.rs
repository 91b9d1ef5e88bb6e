//! Splits in which rows of one group stay together.

use crate::check;
use crate::splits::{Split, check_k, from_folds};
use mercer_core::{Error, Result};
use mercer_math::{rng_for, sample_indices, shuffle};
use std::collections::BTreeMap;

/// Groups as codes 0, 1, … in rising order, and their number.
fn compact(groups: &[u64]) -> (Vec<usize>, usize) {
    let mut codes: BTreeMap<u64, usize> = groups.iter().map(|&g| (g, 0)).collect();
    codes.values_mut().enumerate().for_each(|(place, code)| *code = place);
    (groups.iter().map(|g| codes[g]).collect(), codes.len())
}

/// `k` folds in which rows of one group stay together; the largest groups go first, of equals the last, each to the
/// lightest fold: scikit-learn's `GroupKFold`.
pub fn group_k_fold(groups: &[u64], k: usize) -> Result<Vec<Split>> {
    let (codes, n_groups) = compact(groups);
    check_k("group_k_fold", k, "groups", n_groups)?;
    let mut sizes = vec![0usize; n_groups];
    codes.iter().for_each(|&g| sizes[g] += 1);
    let mut order: Vec<usize> = (0..n_groups).collect();
    order.sort_by_key(|&g| std::cmp::Reverse((sizes[g], g)));
    let mut load = vec![0; k];
    let mut fold_of_group = vec![0; n_groups];
    for group in order {
        let lightest = (0..k).min_by_key(|&fold| (load[fold], fold)).unwrap_or(0);
        load[lightest] += sizes[group];
        fold_of_group[group] = lightest;
    }
    Ok(from_folds(&codes.iter().map(|&g| fold_of_group[g]).collect::<Vec<_>>(), k))
}

/// `k` folds of whole groups with about the class shares of the whole: groups go, most uneven first, to the fold
/// that keeps the shares of the classes most even. Without a seed scikit-learn's `StratifiedGroupKFold`.
///
/// O(groups · k² · classes) time.
pub fn stratified_group_k_fold(
    codes: &[u32],
    groups: &[u64],
    k: usize,
    seed: Option<u64>,
) -> Result<Vec<Split>> {
    check::same_length("groups", codes.len(), groups.len())?;
    let (group_of, n_groups) = compact(groups);
    check_k("stratified_group_k_fold", k, "groups", n_groups)?;
    let mut classes: Vec<u32> = codes.to_vec();
    classes.sort_unstable();
    classes.dedup();
    let class_of = |code: u32| classes.partition_point(|&c| c < code);
    let mut counts = vec![vec![0.0; classes.len()]; n_groups];
    let mut totals = vec![0.0; classes.len()];
    for (i, &code) in codes.iter().enumerate() {
        counts[group_of[i]][class_of(code)] += 1.0;
        totals[class_of(code)] += 1.0;
    }
    let mut order: Vec<usize> = (0..n_groups).collect();
    if let Some(seed) = seed {
        shuffle(&mut rng_for(seed, 0), &mut order);
    }
    let unevenness: Vec<f64> = counts.iter().map(|c| deviation(c.iter().copied())).collect();
    order.sort_by(|&a, &b| unevenness[b].total_cmp(&unevenness[a]));
    let mut folds = vec![vec![0.0; classes.len()]; k];
    let mut fold_of_group = vec![0; n_groups];
    for group in order {
        let best = best_fold(&mut folds, &totals, &counts[group]);
        folds[best].iter_mut().zip(&counts[group]).for_each(|(a, b)| *a += b);
        fold_of_group[group] = best;
    }
    Ok(from_folds(&group_of.iter().map(|&g| fold_of_group[g]).collect::<Vec<_>>(), k))
}

fn deviation(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / n;
    (values.map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt()
}

/// The fold whose class shares stay most even with the group in it; of about equals the one with fewer rows.
fn best_fold(folds: &mut [Vec<f64>], totals: &[f64], group: &[f64]) -> usize {
    let (mut best, mut least, mut fewest) = (0, f64::INFINITY, f64::INFINITY);
    for fold in 0..folds.len() {
        folds[fold].iter_mut().zip(group).for_each(|(a, b)| *a += b);
        let uneven = |class: usize| deviation(folds.iter().map(|f| f[class] / totals[class]));
        let found = (0..totals.len()).map(uneven).sum::<f64>() / totals.len() as f64;
        folds[fold].iter_mut().zip(group).for_each(|(a, b)| *a -= b);
        let rows: f64 = folds[fold].iter().sum();
        // About equal as numpy's `isclose` has it.
        let close = (found - least).abs() <= 1e-8 + 1e-5 * least.abs() && least.is_finite();
        if found < least || (close && rows < fewest) {
            (best, least, fewest) = (fold, found, rows);
        }
    }
    best
}

/// One split for each group, in rising order, that tests on it.
pub fn leave_one_group_out(groups: &[u64]) -> Result<Vec<Split>> {
    let (codes, n_groups) = compact(groups);
    if n_groups < 2 {
        return Err(Error::too_few("leave_one_group_out", "groups", 2, n_groups));
    }
    crate::split_random::check_size("leave_one_group_out", n_groups as u128, groups.len())?;
    Ok(from_folds(&codes, n_groups))
}

/// `times` random splits that test on `ceil(test_fraction · groups)` whole groups.
pub fn group_shuffle_split(
    groups: &[u64],
    times: usize,
    test_fraction: f64,
    seed: u64,
) -> Result<Vec<Split>> {
    let who = "group_shuffle_split";
    let (codes, n_groups) = compact(groups);
    let n_test = crate::split_random::n_test(who, "groups", n_groups, test_fraction)?;
    crate::split_random::check_times(who, times, groups.len())?;
    let draw = |round: u64| {
        let mut is_test = vec![false; n_groups];
        let chosen = sample_indices(&mut rng_for(seed, round), n_groups, n_test);
        chosen.into_iter().for_each(|group| is_test[group] = true);
        Split::by(groups.len(), |i| is_test[codes[i]])
    };
    Ok((0..times as u64).map(draw).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splits::tests::check_partition;

    /// Of every class, the share of its rows that is among `rows`.
    fn shares(codes: &[u32], rows: &[usize]) -> Vec<f64> {
        let all = crate::splits::by_class(codes);
        let share = |class: &Vec<usize>| {
            class.iter().filter(|i| rows.contains(i)).count() as f64 / class.len() as f64
        };
        all.iter().map(share).collect()
    }

    fn example() -> (Vec<u32>, Vec<u64>) {
        let groups: Vec<u64> = (0..90).map(|i| [3, 3, 5, 8, 13, 21][i % 6] + (i as u64 % 2)).collect();
        ((0..90).map(|i| (i / 7 % 3) as u32).collect(), groups)
    }

    #[test]
    fn groups_stay_together() {
        let (codes, groups) = example();
        let apart = |split: &Split| {
            assert!(split.test.iter().all(|&i| split.train.iter().all(|&j| groups[i] != groups[j])));
        };
        for splits in [
            group_k_fold(&groups, 3).unwrap(),
            stratified_group_k_fold(&codes, &groups, 3, None).unwrap(),
            stratified_group_k_fold(&codes, &groups, 3, Some(5)).unwrap(),
            leave_one_group_out(&groups).unwrap(),
        ] {
            check_partition(&splits, 90);
            splits.iter().for_each(apart);
        }
        let random = group_shuffle_split(&groups, 20, 0.4, 1).unwrap();
        random.iter().for_each(apart);
        let tested = |s: &Split| compact(&s.test.iter().map(|&i| groups[i]).collect::<Vec<_>>()).1;
        let n_groups = compact(&groups).1;
        assert!(random.iter().all(|s| tested(s) == (0.4 * n_groups as f64).ceil() as usize));
        assert_eq!(random, group_shuffle_split(&groups, 20, 0.4, 1).unwrap());
        assert_ne!(random, group_shuffle_split(&groups, 20, 0.4, 2).unwrap());
    }

    #[test]
    fn strata_of_groups_keep_about_their_shares() {
        let groups: Vec<u64> = (0..300).map(|i| i / 5).collect();
        let codes: Vec<u32> = (0..300).map(|i| u32::from(i / 5 % 4 == 0)).collect();
        for seed in [None, Some(1)] {
            for split in stratified_group_k_fold(&codes, &groups, 5, seed).unwrap() {
                assert!(shares(&codes, &split.test).iter().all(|s| (s - 0.2).abs() < 0.05));
            }
        }
    }

    #[test]
    fn impossible_groups_are_refused() {
        assert!(group_k_fold(&[1, 1, 2], 3).unwrap_err().to_string().contains("groups"));
        assert!(stratified_group_k_fold(&[0, 1], &[1], 2, None).is_err());
        assert!(leave_one_group_out(&[4, 4]).is_err() && leave_one_group_out(&[]).is_err());
        assert!(group_shuffle_split(&[1, 1], 3, 0.5, 0).is_err());
        assert!(group_shuffle_split(&[1, 2], 3, f64::NAN, 0).is_err());
        assert!(group_shuffle_split(&[1, 2], 0, 0.5, 0).is_err());
    }
}
