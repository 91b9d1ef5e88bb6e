//! Order statistics of a weighted column.

use super::columns::Values;
use mercer_core::Choice;

/// How a quantile is read between two values, in the words of numpy and of Hyndman and Fan (1996).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum QuantileMethod {
    /// The first value that is not below the level (type 1).
    InvertedCdf,
    /// The mean of the two values where the level is reached exactly (type 2).
    AveragedInvertedCdf,
    /// Linear between the steps of the distribution function (type 4).
    InterpolatedInvertedCdf,
    /// Linear between the middles of the steps (type 5).
    Hazen,
    /// Linear between the expected levels of uniform order statistics (type 6).
    Weibull,
    /// Linear between the values, the smallest at level 0 and the largest at 1 (type 7).
    Linear,
    /// Nearly median-unbiased for every distribution (type 8).
    MedianUnbiased,
    /// Nearly unbiased for the normal distribution (type 9).
    NormalUnbiased,
}

/// The values of a column in order. Whole weights count copies; other weights are first scaled to an average of 1,
/// since only their proportions have a meaning.
#[derive(Debug)]
pub(crate) struct Sorted {
    values: Vec<f64>,
    /// The weight of each value and of all before it; `None` where every weight is 1.
    ends: Option<Vec<f64>>,
}

impl Sorted {
    pub(crate) fn of(column: &Values<'_>) -> Self {
        if column.weights.is_none() {
            return Self { values: sorted(column.present().map(|(v, _)| v)), ends: None };
        }
        let mut pairs: Vec<(f64, f64)> = column.present().collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let whole = pairs.iter().all(|(_, w)| w.fract() == 0.0);
        let total: f64 = pairs.iter().map(|(_, w)| w).sum();
        let unit = if whole { 1.0 } else { pairs.len() as f64 / total };
        let ends = pairs.iter().scan(0.0, |sum, (_, w)| {
            *sum += w * unit;
            Some(*sum)
        });
        Self { ends: Some(ends.collect()), values: pairs.into_iter().map(|(v, _)| v).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The weight of the first `i` values.
    pub(crate) fn before(&self, i: usize) -> f64 {
        match (&self.ends, i) {
            (None, _) => i as f64,
            (Some(_), 0) => 0.0,
            (Some(ends), _) => ends[i - 1],
        }
    }

    /// The weight of all values.
    pub(crate) fn total(&self) -> f64 {
        self.before(self.values.len())
    }

    /// The largest weight of one value, and how many values of equal weight they are worth (Kish).
    pub(crate) fn steps(&self) -> (f64, f64) {
        let weights = (0..self.values.len()).map(|i| self.before(i + 1) - self.before(i));
        let (largest, squares) = weights.fold((0.0, 0.0), |(m, s): (f64, f64), w| (m.max(w), s + w * w));
        (largest, self.total() * self.total() / squares)
    }

    /// The weight of the values up to `v`, and of those below it.
    pub(crate) fn cdf(&self, v: f64) -> (f64, f64) {
        let below = self.values.partition_point(|x| *x < v);
        let upto = below + self.values[below..].partition_point(|x| *x <= v);
        (self.before(upto), self.before(below))
    }

    /// The value of copy number `k`, from 0; beyond the ends the first and the last.
    fn at(&self, k: f64) -> f64 {
        let last = self.values.len() - 1;
        let i = match &self.ends {
            None => k.max(0.0) as usize,
            Some(ends) => ends.partition_point(|end| *end <= k),
        };
        self.values[i.min(last)]
    }

    /// The quantile at `level` in [0, 1]; NaN for no value.
    pub(crate) fn quantile(&self, level: f64, method: QuantileMethod) -> f64 {
        use QuantileMethod as Q;
        if self.values.is_empty() || level.is_nan() {
            return f64::NAN;
        }
        let n = self.total();
        let (alpha, beta) = match method {
            Q::InvertedCdf | Q::AveragedInvertedCdf => return self.step(n * level, method),
            Q::InterpolatedInvertedCdf => (0.0, 1.0),
            Q::Hazen => (0.5, 0.5),
            Q::Weibull => (0.0, 0.0),
            Q::Linear => (1.0, 1.0),
            Q::MedianUnbiased => (1.0 / 3.0, 1.0 / 3.0),
            Q::NormalUnbiased => (3.0 / 8.0, 3.0 / 8.0),
        };
        let position = match method {
            Q::Linear => (n - 1.0) * level,
            _ => n * level + (alpha + level * (1.0 - alpha - beta)) - 1.0,
        };
        let position = position.clamp(0.0, (n - 1.0).max(0.0));
        let whole = position.floor();
        let (low, high, t) = (self.at(whole), self.at(whole + 1.0), position - whole);
        if t == 0.0 || low == high {
            return low;
        }
        // From the nearer end, as numpy does: the result is monotone in the level.
        if t < 0.5 { low + (high - low) * t } else { high - (high - low) * (1.0 - t) }
    }

    /// The value at which the weight `target` is reached.
    fn step(&self, target: f64, method: QuantileMethod) -> f64 {
        let last = self.values.len() - 1;
        let i = match &self.ends {
            // The first i with i + 1 >= target.
            None => ((target - 1.0).ceil().max(0.0) as usize).min(last),
            Some(ends) => ends.partition_point(|end| *end < target).min(last),
        };
        let reached = target > 0.0 && self.before(i + 1) == target;
        if reached && method == QuantileMethod::AveragedInvertedCdf && i < last {
            let (low, high) = (self.values[i], self.values[i + 1]);
            return high - (high - low) * 0.5;
        }
        self.values[i]
    }
}

/// The values in order. Whole numbers with the order of the values sort faster than floats do.
fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let key = |v: f64| {
        let bits = v.to_bits() as i64;
        bits ^ ((bits >> 63) as u64 >> 1) as i64
    };
    let mut keys: Vec<i64> = values.map(key).collect();
    keys.sort_unstable();
    let value = |k: i64| f64::from_bits((k ^ ((k >> 63) as u64 >> 1) as i64) as u64);
    keys.into_iter().map(value).collect()
}

/// `n` levels from 0 to 1, computed as numpy's percentiles compute them, so that ties fall to the same side.
pub(crate) fn levels(n: usize) -> Vec<f64> {
    let step = 1.0 / (n.max(2) - 1) as f64;
    (0..n).map(|i| if i > 0 && i + 1 == n { 1.0 } else { i as f64 * step }).collect()
}

/// A level as it comes back from percents.
pub(crate) fn percent(level: f64) -> f64 {
    level * 100.0 / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_weights_are_copies_for_every_method() {
        let (values, weights) = ([3.0, 1.0, 2.0, 7.0, 5.0], [2.0, 1.0, 0.0, 3.0, 1.0]);
        let copies = [3.0, 3.0, 1.0, 7.0, 7.0, 7.0, 5.0];
        let weighted = Sorted::of(&Values {
            values: values.as_slice().into(),
            weights: Some(weights.as_slice().into()),
            zeros: false,
        });
        let copied = Sorted::of(&Values { values: copies.as_slice().into(), weights: None, zeros: false });
        use QuantileMethod as Q;
        for method in [
            Q::InvertedCdf,
            Q::AveragedInvertedCdf,
            Q::InterpolatedInvertedCdf,
            Q::Hazen,
            Q::Weibull,
            Q::Linear,
            Q::MedianUnbiased,
            Q::NormalUnbiased,
        ] {
            for level in levels(29) {
                assert_eq!(
                    weighted.quantile(level, method),
                    copied.quantile(level, method),
                    "{method:?} {level}"
                );
            }
        }
    }

    #[test]
    fn proportions_alone_matter_for_other_weights() {
        let values = [4.0, 1.0, 9.0];
        let with = |w: [f64; 3]| {
            Sorted::of(&Values {
                values: values.as_slice().into(),
                weights: Some(w.to_vec().into()),
                zeros: false,
            })
        };
        let (a, b) = (with([0.5, 0.25, 0.25]), with([0.05, 0.025, 0.025]));
        for level in levels(11) {
            assert_eq!(a.quantile(level, QuantileMethod::Linear), b.quantile(level, QuantileMethod::Linear));
        }
    }

    #[test]
    fn sorting_keeps_values_and_signs() {
        let values = [0.5, -3.0, f64::MAX, -0.0, 0.0, f64::MIN, 1e-310];
        let mut expected = values.to_vec();
        expected.sort_by(f64::total_cmp);
        let found = sorted(values.into_iter());
        assert_eq!(
            found.iter().map(|v| v.to_bits()).collect::<Vec<_>>(),
            expected.iter().map(|v| v.to_bits()).collect::<Vec<_>>()
        );
    }
}
