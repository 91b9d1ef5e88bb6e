//! Random numbers: one generator, streams split by task, and draws whose values are part of the contract.
//!
//! Everything but [`normal`] is written here, on 64-bit outputs alone, so an upgrade of `rand` cannot
//! change a fitted model. The tests pin exact values; changing them is a breaking change.

use rand::{Rng as _, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

/// The generator of Mercer: xoshiro256++ (Blackman, Vigna, 2021), 2^256 - 1 period, not cryptographic.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of splitmix64 (variant 13 of Stafford): a bijection in which each bit depends on all.
#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The seed of task `task` under `seed`: a tree, a fold, a restart. Calls nest: `seed_for(seed_for(s, 3), 1)`.
pub fn seed_for(seed: u64, task: u64) -> u64 {
    mix(mix(seed.wrapping_add(GOLDEN)).wrapping_add(task.wrapping_add(1).wrapping_mul(GOLDEN)))
}

/// The generator of task `task` under `seed`, whichever thread runs it.
///
/// # Example
/// ```
/// use mercer_math::{rng_for, uniform};
/// assert_eq!(uniform(&mut rng_for(1, 2)), uniform(&mut rng_for(1, 2)));
/// assert_ne!(uniform(&mut rng_for(1, 2)), uniform(&mut rng_for(1, 3)));
/// ```
pub fn rng_for(seed: u64, task: u64) -> Rng {
    Rng::seed_from_u64(seed_for(seed, task))
}

/// A uniform number in [0, 1), a multiple of 2^-53.
#[inline]
pub fn uniform(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// The running sums of weights, for [`by_weight`].
pub fn running_sums(weights: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let add = |w: f64| {
        sum += w;
        sum
    };
    weights.into_iter().map(add).collect()
}

/// A place drawn in proportion to positive weights, of which there is one; given are their [`running_sums`].
#[inline]
pub fn by_weight(rng: &mut Rng, sums: &[f64]) -> usize {
    let at = uniform(rng) * sums.last().copied().unwrap_or(0.0);
    sums.partition_point(|s| *s <= at).min(sums.len().saturating_sub(1))
}

/// A standard normal number (ziggurat of `rand_distr`).
#[inline]
pub fn normal(rng: &mut Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// A uniform integer below `n`, without bias (Lemire, 2019, doi:10.1145/3230636).
///
/// # Panics
/// When `n` is zero.
#[inline]
pub fn below(rng: &mut Rng, n: usize) -> usize {
    assert!(n > 0, "below needs a positive bound");
    let n = n as u64;
    let mut product = u128::from(rng.next_u64()) * u128::from(n);
    if (product as u64) < n {
        let threshold = n.wrapping_neg() % n;
        while (product as u64) < threshold {
            product = u128::from(rng.next_u64()) * u128::from(n);
        }
    }
    (product >> 64) as usize
}

/// Puts `items` in a uniformly random order (Fisher and Yates, from the end).
pub fn shuffle<T>(rng: &mut Rng, items: &mut [T]) {
    for i in (1..items.len()).rev() {
        items.swap(i, below(rng, i + 1));
    }
}

/// `min(k, n)` different indices below `n`, in random order.
pub fn sample_indices(rng: &mut Rng, n: usize, k: usize) -> Vec<usize> {
    let k = k.min(n);
    if k > n / 8 {
        // Dense: the first k steps of Fisher and Yates.
        let mut all: Vec<usize> = (0..n).collect();
        for i in 0..k {
            all.swap(i, i + below(rng, n - i));
        }
        all.truncate(k);
        return all;
    }
    // Sparse: Floyd's algorithm in O(k) memory; its order is not uniform, hence the shuffle.
    let mut seen = std::collections::HashSet::with_capacity(k);
    let mut chosen = Vec::with_capacity(k);
    for j in n - k..n {
        let t = below(rng, j + 1);
        let pick = if seen.contains(&t) { j } else { t };
        seen.insert(pick);
        chosen.push(pick);
    }
    shuffle(rng, &mut chosen);
    chosen
}

/// An index drawn with probability proportional to its weight.
///
/// `None` when a weight is negative or not finite, or when none is positive.
pub fn weighted_index(rng: &mut Rng, weights: &[f64]) -> Option<usize> {
    let total: f64 = weights.iter().sum();
    let valid = total > 0.0 && total.is_finite() && weights.iter().all(|&w| w >= 0.0);
    if !valid {
        return None;
    }
    let mut left = uniform(rng) * total;
    let mut last = None;
    for (i, &w) in weights.iter().enumerate() {
        if w > 0.0 {
            // Rounding may leave a crumb after the last positive weight; it belongs to that weight.
            last = Some(i);
            if left < w {
                break;
            }
            left -= w;
        }
    }
    last
}

/// A hash of the values of a row, the same wherever the row lies in memory or in the table.
///
/// Equal values give equal hashes: -0.0 counts as 0.0 and all NaNs are one. Columns are not interchangeable.
pub fn hash_row(row: &[f64], seed: u64) -> u64 {
    let start = mix(seed.wrapping_add(GOLDEN)) ^ (row.len() as u64);
    row.iter().fold(start, |h, &v| {
        let bits = if v == 0.0 {
            0
        } else if v.is_nan() {
            f64::NAN.to_bits()
        } else {
            v.to_bits()
        };
        mix(h.wrapping_add(GOLDEN) ^ mix(bits.wrapping_add(GOLDEN)))
    })
}

/// A hash as a number strictly between 0 and 1.
pub fn hash_unit(hash: u64) -> f64 {
    ((hash >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_is_uniform() {
        // Chi-square with 9 degrees of freedom; 33.7 is passed with probability 1e-4, and the seed is fixed.
        let mut rng = rng_for(1, 1);
        let mut counts = [0f64; 10];
        (0..100_000).for_each(|_| counts[below(&mut rng, 10)] += 1.0);
        let chi2: f64 = counts.iter().map(|c| (c - 1e4).powi(2) / 1e4).sum();
        assert!(chi2 < 33.7, "{chi2}");
    }

    #[test]
    fn draws_follow_their_weights() {
        // Chi-square with 2 degrees of freedom; 18.4 is passed with probability 1e-4.
        let (mut rng, sums) = (rng_for(1, 2), running_sums([1.0, 0.5, 2.5]));
        assert_eq!(sums, [1.0, 1.5, 4.0]);
        let mut counts = [0f64; 3];
        (0..80_000).for_each(|_| counts[by_weight(&mut rng, &sums)] += 1.0);
        let chi2: f64 = counts.iter().zip([2e4, 1e4, 5e4]).map(|(c, e)| (c - e).powi(2) / e).sum();
        assert!(chi2 < 18.4, "{chi2}");
    }

    #[test]
    fn samples_are_distinct_and_uniform() {
        for (n, k) in [(10, 10), (10, 3), (1000, 20), (1, 1), (0, 5), (5, 9), (100, 0)] {
            let mut rng = rng_for(3, n as u64);
            let mut s = sample_indices(&mut rng, n, k);
            assert_eq!(s.len(), k.min(n));
            assert!(s.iter().all(|&i| i < n));
            s.sort_unstable();
            s.dedup();
            assert_eq!(s.len(), k.min(n));
        }
        let mut rng = rng_for(4, 0);
        let mut first = [0f64; 100];
        for _ in 0..20_000 {
            first[sample_indices(&mut rng, 100, 2)[0]] += 1.0;
        }
        let chi2: f64 = first.iter().map(|c| (c - 200.0).powi(2) / 200.0).sum();
        assert!(chi2 < 160.0, "{chi2}"); // 99 degrees of freedom, p about 1e-4
    }

    #[test]
    fn shuffle_is_a_permutation() {
        let mut v: Vec<usize> = (0..57).collect();
        shuffle(&mut rng_for(1, 0), &mut v);
        assert_ne!(v, (0..57).collect::<Vec<_>>());
        v.sort_unstable();
        assert_eq!(v, (0..57).collect::<Vec<_>>());
        shuffle::<u8>(&mut rng_for(1, 0), &mut []);
    }

    #[test]
    fn weighted_index_follows_the_weights() {
        let mut rng = rng_for(5, 0);
        let mut counts = [0usize; 4];
        for _ in 0..40_000 {
            counts[weighted_index(&mut rng, &[0.0, 1.0, 3.0, 0.0]).expect("valid weights")] += 1;
        }
        assert_eq!((counts[0], counts[3]), (0, 0));
        assert!((counts[2] as f64 / 4e4 - 0.75).abs() < 0.01);
        for bad in [&[][..], &[0.0], &[-1.0, 2.0], &[f64::NAN], &[f64::INFINITY, 1.0]] {
            assert_eq!(weighted_index(&mut rng, bad), None);
        }
    }

    #[test]
    fn normal_has_the_right_moments() {
        let mut rng = rng_for(6, 0);
        let draws: Vec<f64> = (0..100_000).map(|_| normal(&mut rng)).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.015 && (variance - 1.0).abs() < 0.02);
    }

    #[test]
    fn hashes_look_at_values_only() {
        assert_eq!(hash_row(&[0.0, 1.0], 7), hash_row(&[-0.0, 1.0], 7));
        assert_eq!(hash_row(&[f64::NAN], 7), hash_row(&[-f64::NAN], 7));
        assert_ne!(hash_row(&[1.0, 0.0], 7), hash_row(&[0.0, 1.0], 7));
        assert_ne!(hash_row(&[1.0], 7), hash_row(&[1.0], 8));
        assert_ne!(hash_row(&[], 7), hash_row(&[0.0], 7));
        assert!(hash_unit(0) > 0.0 && hash_unit(u64::MAX) < 1.0);
        let mean = (0..10_000).map(|i| hash_unit(hash_row(&[i as f64], 1))).sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.012);
    }

    #[test]
    fn value_stability() {
        assert_eq!(seed_for(42, 7), 13_553_200_262_973_777_806);
        let mut rng = rng_for(42, 7);
        assert_eq!([uniform(&mut rng), uniform(&mut rng)], [0.4339288100372972, 0.5740783563714351]);
        assert_eq!(below(&mut rng, 1000), 556);
        assert_eq!(sample_indices(&mut rng, 100, 4), [95, 85, 97, 73]);
        assert_eq!(sample_indices(&mut rng, 8, 4), [1, 5, 0, 2]);
        assert_eq!(normal(&mut rng_for(42, 8)), 1.4795553600289035);
        assert_eq!(hash_row(&[1.0, -2.5], 3), 7_404_804_153_248_374_861);
        assert_eq!(hash_unit(1 << 63), 0.5000000000000001);
    }
}
