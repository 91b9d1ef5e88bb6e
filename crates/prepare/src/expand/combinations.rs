//! Combinations of features in the order of itertools: by degree, then lexicographic.

/// The combinations of `d` features of degrees `low..=high`, with or without repetition.
#[derive(Debug)]
pub(crate) struct Combinations {
    d: usize,
    low: usize,
    high: usize,
    repeat: bool,
    /// Number of combinations of r out of m features, at m * (high + 1) + r.
    counts: Vec<usize>,
}

impl Combinations {
    /// `None` where there are more than `limit` of them.
    pub(crate) fn new(d: usize, low: usize, high: usize, repeat: bool, limit: usize) -> Option<Self> {
        let low = low.max(1);
        // Without repetition nothing is beyond degree d.
        let high = if repeat { high } else { high.min(d) };
        if high < low || d == 0 {
            return Some(Self { d, low, high: low - 1, repeat, counts: Vec::new() });
        }
        if high > limit || (d + 1).checked_mul(high + 1)? > 64 * limit {
            return None;
        }
        let mut counts = vec![0usize; (d + 1) * (high + 1)];
        for m in 0..=d {
            counts[m * (high + 1)] = 1;
            for r in 1..=high.min(if m == 0 { 0 } else { high }) {
                // The first feature is taken (and may be taken again), or it is not.
                let taken = counts[(if repeat { m } else { m - 1 }) * (high + 1) + r - 1];
                counts[m * (high + 1) + r] = taken.saturating_add(counts[(m - 1) * (high + 1) + r]);
            }
        }
        let out = Self { d, low, high, repeat, counts };
        (low..=high).try_fold(0usize, |n, r| n.checked_add(out.count(d, r)).filter(|n| *n <= limit))?;
        Some(out)
    }

    fn count(&self, m: usize, r: usize) -> usize {
        self.counts[m * (self.high + 1) + r]
    }

    pub(crate) fn degrees(&self) -> std::ops::RangeInclusive<usize> {
        self.low..=self.high
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.degrees().map(|r| self.count(self.d, r)).sum()
    }

    /// The place of an ascending combination among all.
    pub(crate) fn rank(&self, combination: &[u32]) -> usize {
        let degree = combination.len();
        let mut rank: usize = (self.low..degree).map(|r| self.count(self.d, r)).sum();
        let mut from = 0;
        for (i, &c) in combination.iter().enumerate() {
            // Those with a smaller feature here: a sum over features that telescopes.
            let rest = degree - i;
            rank += self.count(self.d - from, rest) - self.count(self.d - c as usize, rest);
            from = c as usize + usize::from(!self.repeat);
        }
        rank
    }

    /// Calls `f` with every combination of `degree` of the ascending `features`, in lexicographic order, as places
    /// in `features`.
    pub(crate) fn each(&self, n_features: usize, degree: usize, mut f: impl FnMut(&[usize])) {
        let step = usize::from(!self.repeat);
        if n_features == 0 || (!self.repeat && degree > n_features) {
            return;
        }
        let mut at: Vec<usize> = (0..degree).map(|i| i * step).collect();
        loop {
            f(&at);
            // The last place that can still move, and everything after it.
            let highest = |i: usize| n_features - 1 - (degree - 1 - i) * step;
            let Some(i) = (0..degree).rev().find(|&i| at[i] < highest(i)) else { return };
            at[i] += 1;
            (i + 1..degree).for_each(|k| at[k] = at[k - 1] + step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_the_combinations_in_order() {
        for (d, low, high, repeat) in [(4, 1, 3, true), (5, 2, 3, false), (3, 0, 5, false), (1, 1, 4, true)] {
            let all = Combinations::new(d, low, high, repeat, 1000).unwrap();
            let mut n = 0;
            for degree in all.degrees() {
                all.each(d, degree, |places| {
                    let features: Vec<u32> = places.iter().map(|&p| p as u32).collect();
                    assert_eq!(all.rank(&features), n, "{features:?}");
                    n += 1;
                });
            }
            assert_eq!(n, all.len());
        }
    }

    #[test]
    fn too_many_are_refused_before_they_are_made() {
        assert!(Combinations::new(1000, 1, 20, true, 1 << 20).is_none());
        assert!(Combinations::new(3, 1, usize::MAX, true, 1 << 20).is_none());
        assert!(Combinations::new(3, 1, usize::MAX, false, 1 << 20).is_some());
    }
}
