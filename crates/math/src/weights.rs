//! Optional row weights: one for each row, or 1 for all.

use std::ops::{Deref, Index, Range};

/// The weights of rows, by `weights[i]`: those that were given, else 1 for every row.
///
/// A view that is passed by value. Whether there are any is asked at each access; loops that hoist it take
/// [`Weights::given`] apart.
///
/// # Example
/// ```
/// use mercer_math::Weights;
/// let given = Some(vec![2.0, 0.0, 1.0]);
/// let weights = Weights::of(&given);
/// assert_eq!((weights[0], weights.total(3), weights.count(3)), (2.0, 3.0, 2));
/// assert_eq!((Weights::NONE[7], Weights::NONE.total(3)), (1.0, 3.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights<'a>(Option<&'a [f64]>);

impl<'a> Weights<'a> {
    /// 1 for every row.
    pub const NONE: Self = Self(None);

    /// A view of weights that are owned or borrowed elsewhere.
    #[inline]
    pub fn of<T: Deref<Target = [f64]>>(weights: &'a Option<T>) -> Self {
        Self(weights.as_deref())
    }

    /// The weights, where any were given.
    #[inline]
    pub fn given(self) -> Option<&'a [f64]> {
        self.0
    }

    /// Whether all rows weigh the same, 1, because no weights were given.
    #[inline]
    pub fn is_uniform(self) -> bool {
        self.0.is_none()
    }

    /// Whether row `i` counts: its weight is above 0.
    #[inline]
    pub fn counts(self, i: usize) -> bool {
        self.0.is_none_or(|w| w[i] > 0.0)
    }

    /// How many of `n` rows count.
    pub fn count(self, n: usize) -> usize {
        self.0.map_or(n, |w| w.iter().filter(|w| **w > 0.0).count())
    }

    /// The sum over all `n` rows, in SIMD order.
    pub fn total(self, n: usize) -> f64 {
        self.0.map_or(n as f64, crate::sum)
    }

    /// The weights of `n` rows, one after the other.
    pub fn iter(self, n: usize) -> impl Iterator<Item = f64> + 'a {
        (0..n).map(move |i| self[i])
    }

    /// The weights of `n` rows as numbers of their own.
    pub fn to_vec(self, n: usize) -> Vec<f64> {
        self.0.map_or_else(|| vec![1.0; n], <[f64]>::to_vec)
    }

    /// The weights of some consecutive rows.
    #[inline]
    #[must_use]
    pub fn rows(self, range: Range<usize>) -> Self {
        Self(self.0.map(|w| &w[range]))
    }

    /// Whether there is one for each of `n` rows.
    pub fn fit(self, n: usize) -> bool {
        self.0.is_none_or(|w| w.len() == n)
    }
}

impl<'a> From<Option<&'a [f64]>> for Weights<'a> {
    fn from(weights: Option<&'a [f64]>) -> Self {
        Self(weights)
    }
}

impl<'a> From<&'a [f64]> for Weights<'a> {
    fn from(weights: &'a [f64]) -> Self {
        Self(Some(weights))
    }
}

impl Index<usize> for Weights<'_> {
    type Output = f64;

    #[inline(always)]
    fn index(&self, i: usize) -> &f64 {
        match self.0 {
            Some(w) => &w[i],
            None => &1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_one_for_every_row() {
        let ones = [1.0; 5];
        for weights in [Weights::NONE, Weights::from(&ones[..])] {
            assert_eq!(weights.iter(5).collect::<Vec<_>>(), ones);
            assert_eq!((weights.to_vec(5).as_slice(), weights.total(5)), (&ones[..], 5.0));
            assert_eq!((weights.count(5), weights.rows(1..3).count(2)), (5, 2));
            assert!(weights.counts(4) && weights.fit(5));
        }
        let given = Weights::from(&[0.0, 3.0][..]);
        assert!(!given.counts(0) && !given.fit(3) && !given.is_uniform() && Weights::NONE.fit(3));
        assert_eq!((given.rows(1..2)[0], given.given()), (3.0, Some(&[0.0, 3.0][..])));
    }
}
