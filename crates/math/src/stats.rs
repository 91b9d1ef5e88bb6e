//! Means, variances, quantiles and sums that stay accurate, and merge over blocks.

use crate::simd::twin;
use crate::{BLOCK_ROWS, MatRef, Weights, tree_reduce};
use serde::{Deserialize, Serialize};

/// Weight, mean and sum of squared deviations of one variable.
///
/// Merging follows Chan, Golub and LeVeque (1983, doi:10.1080/00031305.1983.10483115).
///
/// # Example
/// ```
/// use mercer_math::Moments;
/// let mut m = Moments::default();
/// [1.0, 2.0, 3.0].iter().for_each(|&x| m.push(x, 1.0));
/// assert_eq!((m.mean, m.variance()), (2.0, 2.0 / 3.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// Sum of the weights: the count where every weight is one.
    pub weight: f64,
    /// Weighted mean; zero before anything was seen.
    pub mean: f64,
    /// Weighted sum of squared deviations from the mean.
    pub m2: f64,
}

impl Moments {
    /// The moments of a slice, by two passes, with unit weights.
    pub fn of(values: &[f64]) -> Self {
        let weight = values.len() as f64;
        if values.is_empty() {
            return Self::default();
        }
        let mean = pairwise_sum(values) / weight;
        let (mut m2, mut drift) = (0.0, 0.0);
        for v in values {
            m2 += (v - mean) * (v - mean);
            drift += v - mean;
        }
        Self { weight, mean: mean + drift / weight, m2: (m2 - drift * drift / weight).max(0.0) }
    }

    /// Adds one value (West, 1979); a weight of zero changes nothing.
    ///
    /// The mean is rounded every time: over long streams, merging the moments of blocks is more accurate.
    pub fn push(&mut self, value: f64, weight: f64) {
        if weight != 0.0 {
            self.weight += weight;
            let delta = value - self.mean;
            self.mean += delta * (weight / self.weight);
            self.m2 += weight * delta * (value - self.mean);
        }
    }

    /// The moments of the union of two samples.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        if self.weight == 0.0 {
            return other;
        }
        if other.weight == 0.0 {
            return self;
        }
        let weight = self.weight + other.weight;
        let delta = other.mean - self.mean;
        let share = other.weight / weight;
        let m2 = self.m2 + other.m2 + delta * delta * self.weight * share;
        Self { weight, mean: self.mean + delta * share, m2 }
    }

    /// The variance that divides by the weight; NaN without weight.
    pub fn variance(&self) -> f64 {
        self.m2 / self.weight
    }

    /// The variance that divides by the weight less one, for counts.
    pub fn sample_variance(&self) -> f64 {
        self.m2 / (self.weight - 1.0)
    }
}

/// Moments and range of every column, over rows that may be weighted; NaN counts as missing.
///
/// The same bits for every memory layout and number of threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnMoments {
    /// Moments of each column over its values that are not NaN.
    pub columns: Vec<Moments>,
    /// Smallest value of each column among rows of positive weight; infinity where there is none.
    pub min: Vec<f64>,
    /// Largest value of each column among rows of positive weight; negative infinity where there is none.
    pub max: Vec<f64>,
}

impl ColumnMoments {
    /// The summary of no rows.
    pub fn empty(n_cols: usize) -> Self {
        Self {
            columns: vec![Moments::default(); n_cols],
            min: vec![f64::INFINITY; n_cols],
            max: vec![f64::NEG_INFINITY; n_cols],
        }
    }

    /// The summary of one block by two passes: means, then deviations from them.
    ///
    /// # Panics
    /// When there are weights and not one for each row.
    pub fn of_block(x: MatRef<'_>, weights: Option<&[f64]>) -> Self {
        assert!(Weights::from(weights).fit(x.n_rows()), "one weight for each row");
        let d = x.n_cols();
        let mut out = Self::empty(d);
        let weight_of = Weights::from(weights);
        let (mut weight, mut total) = (vec![0.0; d], vec![0.0; d]);
        for_each_row(x, |i, row| {
            add_totals(weight_of[i], row, [&mut weight, &mut total, &mut out.min, &mut out.max]);
        });
        let mean: Vec<f64> =
            total.iter().zip(&weight).map(|(t, w)| if *w == 0.0 { 0.0 } else { t / w }).collect();
        let (mut m2, mut drift) = (vec![0.0; d], vec![0.0; d]);
        for_each_row(x, |i, row| add_squares(weight_of[i], row, &mean, [&mut m2, &mut drift]));
        for j in 0..d {
            // The drift is zero in exact arithmetic; it corrects both means and squares.
            let correction = if weight[j] == 0.0 { 0.0 } else { drift[j] / weight[j] };
            let m2 = (m2[j] - drift[j] * correction).max(0.0);
            out.columns[j] = Moments { weight: weight[j], mean: mean[j] + correction, m2 };
        }
        out
    }

    /// The summary of a whole matrix: blocks of [`BLOCK_ROWS`] rows in parallel, merged in the fixed tree.
    pub fn of(x: MatRef<'_>, weights: Option<&[f64]>) -> Self {
        let leaf = |block: usize| {
            let rows = block * BLOCK_ROWS..((block + 1) * BLOCK_ROWS).min(x.n_rows());
            Self::of_block(x.rows(rows.clone()), weights.map(|w| &w[rows]))
        };
        tree_reduce(x.n_rows().div_ceil(BLOCK_ROWS), leaf, Self::merge)
            .unwrap_or_else(|| Self::empty(x.n_cols()))
    }

    /// The summary of the union of two samples with the same columns.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.columns.iter_mut().zip(&other.columns).for_each(|(a, b)| *a = a.merge(*b));
        self.min.iter_mut().zip(&other.min).for_each(|(a, b)| *a = a.min(*b));
        self.max.iter_mut().zip(&other.max).for_each(|(a, b)| *a = a.max(*b));
        self
    }

    /// The mean of every column.
    pub fn means(&self) -> Vec<f64> {
        self.columns.iter().map(|m| m.mean).collect()
    }

    /// The variance of every column, dividing by the weight; NaN for a column without values.
    pub fn variances(&self) -> Vec<f64> {
        self.columns.iter().map(Moments::variance).collect()
    }
}

/// Adds a row to the weights, sums and ranges of columns, with selects rather than branches.
#[inline(always)]
fn add_totals_body<const FMA: bool>(w: f64, row: &[f64], sums: [&mut [f64]; 4]) {
    let d = row.len();
    let [weight, total, min, max] = sums.map(|s| &mut s[..d]);
    for j in 0..d {
        let v = row[j];
        let used = if v.is_nan() { 0.0 } else { w };
        weight[j] += used;
        total[j] += if used == 0.0 { 0.0 } else { used * v };
        // Comparisons with NaN are false, so a row without weight changes no range.
        let v = if used > 0.0 { v } else { f64::NAN };
        min[j] = if v < min[j] { v } else { min[j] };
        max[j] = if v > max[j] { v } else { max[j] };
    }
}

/// Adds the squared and the plain deviations of a row from the means.
#[inline(always)]
fn add_squares_body<const FMA: bool>(w: f64, row: &[f64], mean: &[f64], sums: [&mut [f64]; 2]) {
    let d = row.len();
    let mean = &mean[..d];
    let [m2, drift] = sums.map(|s| &mut s[..d]);
    for j in 0..d {
        let delta = if row[j].is_nan() || w == 0.0 { 0.0 } else { row[j] - mean[j] };
        m2[j] += w * delta * delta;
        drift[j] += w * delta;
    }
}

twin! {
    fn add_totals(w: f64, row: &[f64], sums: [&mut [f64]; 4]) = add_totals_body
}
twin! {
    fn add_squares(w: f64, row: &[f64], mean: &[f64], sums: [&mut [f64]; 2]) = add_squares_body
}

/// Calls `f` with every row in order. Rows of other layouts are copied first, a block at a time.
fn for_each_row(x: MatRef<'_>, mut f: impl FnMut(usize, &[f64])) {
    const COPY_ROWS: usize = 64;
    if x.has_contiguous_rows() {
        (0..x.n_rows()).for_each(|i| f(i, x.row(i).unwrap_or(&[])));
        return;
    }
    for start in (0..x.n_rows()).step_by(COPY_ROWS) {
        let part = x.rows(start..start + COPY_ROWS).to_mat();
        (0..part.n_rows()).for_each(|i| f(start + i, part.row(i)));
    }
}

/// The median, averaging the two middle values; `None` for no value. NaNs sort last.
pub fn median(values: &[f64]) -> Option<f64> {
    let n = values.len();
    let mut work = values.to_vec();
    let (low, &mut high, _) = if n == 0 { return None } else { work.select_nth_unstable_by(n / 2, by_value) };
    if n % 2 == 1 || high.is_nan() {
        return Some(high);
    }
    low.iter().copied().max_by(by_value).map(|low| low + (high - low) * 0.5)
}

/// The quantile `q` of sorted values, interpolated linearly (type 7, numpy's default); NaN for no value.
///
/// # Example
/// ```
/// assert_eq!(mercer_math::quantile_sorted(&[1.0, 2.0, 4.0], 0.75), 3.0);
/// ```
pub fn quantile_sorted(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    if q.is_nan() {
        return f64::NAN;
    }
    let position = q.clamp(0.0, 1.0) * last as f64;
    let i = (position.floor() as usize).min(last);
    let (low, high) = (sorted[i], sorted[(i + 1).min(last)]);
    let t = position - i as f64;
    if t == 0.0 || low == high {
        return low;
    }
    // Interpolating from the nearer end keeps the result monotone in q, as numpy does.
    if t < 0.5 { low + (high - low) * t } else { high - (high - low) * (1.0 - t) }
}

/// Ascending order with -0.0 equal to 0.0 and NaN after everything.
fn by_value(a: &f64, b: &f64) -> std::cmp::Ordering {
    a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// The indices that sort `values` ascending; equal values keep their order, NaNs come last.
pub fn argsort(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| by_value(&values[i], &values[j]));
    order
}

/// The value at which a share of the weight is reached, of values sorted with their weights; the middle of two values
/// where the weight up to the first is just that share. `None` without values.
pub fn weighted_quantile(sorted: &[(f64, f64)], share: f64) -> Option<f64> {
    let wanted = share * sorted.iter().map(|(_, w)| w).sum::<f64>();
    let mut below = 0.0;
    for (i, (v, w)) in sorted.iter().enumerate() {
        below += w;
        if below > wanted * (1.0 + 1e-12) {
            return Some(*v);
        }
        if below >= wanted * (1.0 - 1e-12) {
            let next = sorted.get(i + 1).map_or(*v, |n| n.0);
            return Some(v + (next - v) / 2.0);
        }
    }
    sorted.last().map(|l| l.0)
}

/// The place of the first of the greatest; 0 where there is none.
pub fn argmax(values: &[f64]) -> usize {
    let first = (0, values.first().copied().unwrap_or(f64::NAN));
    values.iter().enumerate().fold(first, |best, (k, v)| if *v > best.1 { (k, *v) } else { best }).0
}

/// The sum by halves: error grows with log n rather than n.
pub fn pairwise_sum(values: &[f64]) -> f64 {
    const LEAF: usize = 256;
    if values.len() <= LEAF {
        return crate::sum(values);
    }
    let (left, right) = values.split_at((values.len() / 2).next_multiple_of(LEAF));
    pairwise_sum(left) + pairwise_sum(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mat;
    use proptest::prelude::*;

    #[test]
    fn survives_a_large_offset() {
        // Variance 2/3 around 1e9: the textbook formula returns garbage here.
        let values: Vec<f64> = (0..30_000).map(|i| 1e9 + f64::from(i % 3)).collect();
        let mut pushed = Moments::default();
        values.iter().for_each(|&v| pushed.push(v, 1.0));
        let merged = values.chunks(700).map(Moments::of).reduce(Moments::merge).expect("not empty");
        // One value at a time, every mean is rounded to 1e-7, and 30,000 roundings add up.
        for (m, tol, mean_tol) in
            [(Moments::of(&values), 1e-12, 2e-7), (merged, 1e-9, 1e-6), (pushed, 1e-7, 1e-4)]
        {
            assert!((m.variance() - 2.0 / 3.0).abs() < tol && (m.mean - 1e9 - 1.0).abs() < mean_tol);
        }
    }

    #[test]
    fn columns_do_not_depend_on_layout_or_threads() {
        let x = Mat::from_fn(5000, 7, |i, j| ((i * 31 + j * 17) as f64).sin() * 3.0 + 100.0 * j as f64);
        let turned = x.view().t().to_mat();
        let by_rows = ColumnMoments::of(x.view(), None);
        assert_eq!(by_rows, ColumnMoments::of(turned.view().t(), None));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("pool");
        assert_eq!(by_rows, pool.install(|| ColumnMoments::of(x.view(), None)));
        for j in 0..7 {
            let direct = Moments::of(&x.col(j));
            assert!((by_rows.columns[j].mean - direct.mean).abs() < 1e-12 * direct.mean.abs().max(1.0));
            assert!((by_rows.columns[j].m2 / direct.m2 - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn weights_repeat_and_missing_values_are_skipped() {
        let x = Mat::from_rows(&[[1.0, f64::NAN], [2.0, 5.0], [9.0, 9.0], [4.0, -1.0]]).expect("shape");
        let weighted = ColumnMoments::of(x.view(), Some(&[1.0, 2.0, 0.0, 1.0]));
        let repeated = ColumnMoments::of(x.view().gather(&[0, 1, 1, 3]).view(), None);
        assert_eq!(weighted, repeated);
        assert_eq!(weighted.columns[1].weight, 3.0);
        assert_eq!(weighted.columns[1].mean, 3.0);
        assert_eq!((weighted.min[1], weighted.max[1], weighted.max[0]), (-1.0, 5.0, 4.0));
        let nothing = ColumnMoments::of(Mat::zeros(0, 2).view(), None);
        assert!(nothing.variances()[0].is_nan() && nothing.means() == [0.0, 0.0]);
    }

    #[test]
    fn medians_and_quantiles() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert!(quantile_sorted(&[], 0.5).is_nan());
        let v = [1.0, 2.0, 4.0, 8.0];
        for (q, expected) in [(-1.0, 1.0), (0.0, 1.0), (0.5, 3.0), (0.9, 6.8), (1.0, 8.0), (2.0, 8.0)] {
            assert!((quantile_sorted(&v, q) - expected).abs() < 1e-14);
        }
        assert_eq!(quantile_sorted(&[f64::NEG_INFINITY, f64::NEG_INFINITY], 0.3), f64::NEG_INFINITY);
        assert_eq!(argsort(&[2.0, f64::NAN, 0.0, -0.0, 1.0]), [2, 3, 4, 0, 1]);
    }

    proptest! {
        #[test]
        fn merging_equals_seeing_all(
            a in proptest::collection::vec(-1e3..1e3f64, 0..60), b in proptest::collection::vec(-1e3..1e3f64, 0..60)
        ) {
            let all: Vec<f64> = a.iter().chain(&b).copied().collect();
            let (m, whole) = (Moments::of(&a).merge(Moments::of(&b)), Moments::of(&all));
            prop_assert!((m.mean - whole.mean).abs() < 1e-10 && (m.m2 - whole.m2).abs() < 1e-9 * (1.0 + whole.m2));
            prop_assert!((pairwise_sum(&all) - all.iter().sum::<f64>()).abs() < 1e-9);
        }
    }
}
