//! The encodings of one column: a mean of the target for each level, drawn towards the mean of all.

use super::target::Smooth;
use mercer_math::Weights;

/// Rows to learn from: which they are, what they weigh, and their target.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) rows: &'a [usize],
    pub(crate) weights: Option<&'a [f64]>,
}

/// The target seen as numbers: its own, or 1 where it is of a class.
#[derive(Clone, Copy)]
pub(crate) enum Numbers<'a> {
    Real(&'a [f64]),
    Class(&'a [u32], u32),
}

impl Numbers<'_> {
    #[inline]
    fn get(&self, i: usize) -> f64 {
        match self {
            Numbers::Real(values) => values[i],
            Numbers::Class(codes, class) => f64::from(u8::from(codes[i] == *class)),
        }
    }
}

impl Rows<'_> {
    fn weight(&self, i: usize) -> f64 {
        Weights::from(self.weights)[i]
    }

    /// Mean and variance of the target.
    pub(crate) fn moments(&self, target: Numbers<'_>) -> (f64, f64) {
        let sum = |f: &dyn Fn(usize) -> f64| {
            let terms: Vec<f64> = self.rows.iter().map(|&i| self.weight(i) * f(i)).collect();
            mercer_math::pairwise_sum(&terms)
        };
        let total = sum(&|_| 1.0);
        let mean = sum(&|i| target.get(i)) / total;
        (mean, sum(&|i| (target.get(i) - mean).powi(2)) / total)
    }

    /// The encoding of each of `n_levels` levels; codes from there on are passed over.
    ///
    /// With a number m the mean of a level counts as if m more rows had the mean of all. With `auto`, m is the
    /// ratio of the variance within the level to that of all: the empirical Bayes estimate of Micci-Barreca.
    pub(crate) fn encodings(
        &self,
        codes: &[u32],
        n_levels: usize,
        target: Numbers<'_>,
        smooth: Smooth,
        (mean, variance): (f64, f64),
    ) -> Vec<f64> {
        let known = || self.rows.iter().copied().filter(|&i| (codes[i] as usize) < n_levels);
        let start = if let Smooth::Number(m) = smooth { m } else { 0.0 };
        let mut counts = vec![start; n_levels];
        let mut sums = vec![start * mean; n_levels];
        for i in known() {
            counts[codes[i] as usize] += self.weight(i);
            sums[codes[i] as usize] += self.weight(i) * target.get(i);
        }
        let means: Vec<f64> =
            sums.iter().zip(&counts).map(|(s, c)| if *c > 0.0 { s / c } else { mean }).collect();
        if smooth != Smooth::Auto {
            return means;
        }
        let mut spread = vec![0.0; n_levels];
        for i in known() {
            let difference = target.get(i) - means[codes[i] as usize];
            spread[codes[i] as usize] += self.weight(i) * difference * difference;
        }
        let encode = |level: usize| {
            let pull = variance * counts[level];
            let share = pull / (pull + spread[level] / counts[level]);
            if share.is_nan() { mean } else { share * means[level] + (1.0 - share) * mean }
        };
        (0..n_levels).map(encode).collect()
    }
}
