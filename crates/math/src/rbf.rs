//! Tiles of the RBF kernel in single precision: products, distances and exponentials while they are in registers.

use crate::simd::twin;

/// Columns of a panel: two AVX2 registers.
const PANEL: usize = 16;
/// Rows that are held against a panel at a time.
const ROWS: usize = 4;

/// Points in single precision with their squared lengths, by rows and in panels of columns.
///
/// # Example
/// ```
/// use mercer_math::{SinglePoints, rbf_single};
/// let points = SinglePoints::new(2, 1, |i, _| i as f64);
/// let mut out = [0.0f32; 4];
/// rbf_single(&points, &points, 0.5, &mut out);
/// assert_eq!((out[0], out[3]), (1.0, 1.0));
/// assert!((out[1] - (-0.5f32).exp()).abs() < 1e-6);
/// ```
#[derive(Clone, Debug)]
pub struct SinglePoints {
    n: usize,
    d: usize,
    rows: Vec<f32>,
    /// Panel by panel: for each feature, its values at the panel's points.
    panels: Vec<f32>,
    squares: Vec<f32>,
}

impl SinglePoints {
    /// `n` points of `d` features, by value.
    pub fn new(n: usize, d: usize, value: impl Fn(usize, usize) -> f64) -> Self {
        let rows: Vec<f32> = (0..n * d).map(|at| value(at / d.max(1), at % d.max(1)) as f32).collect();
        let mut panels = vec![0.0; n.next_multiple_of(PANEL) * d];
        for i in 0..n {
            for k in 0..d {
                panels[(i / PANEL * d + k) * PANEL + i % PANEL] = rows[i * d + k];
            }
        }
        let square = |row: &[f32]| row.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>() as f32;
        let squares = if d == 0 { vec![0.0; n] } else { rows.chunks(d).map(square).collect() };
        Self { n, d, rows, panels, squares }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }
}

/// exp(−γ‖x − y‖²) of all pairs, by rows of x.
///
/// Distances are ‖x‖² + ‖y‖² − 2x·y: values are within about 3e-7 (1 + γ(‖x‖² + ‖y‖²)) of the exact ones.
///
/// # Panics
/// When the numbers of features differ, or `out` has not one value for each pair.
pub fn rbf_single(x: &SinglePoints, y: &SinglePoints, gamma: f32, out: &mut [f32]) {
    assert_eq!(x.d, y.d, "points of as many features");
    assert_eq!(out.len(), x.n * y.n, "one value for each pair");
    tiles(x, y, gamma, out);
}

twin! { wide fn tiles(x: &SinglePoints, y: &SinglePoints, gamma: f32, out: &mut [f32]) = tiles_body }

#[inline(always)]
fn fma<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
fn tiles_body<const FMA: bool>(x: &SinglePoints, y: &SinglePoints, gamma: f32, out: &mut [f32]) {
    let (n, d) = (y.n, x.d);
    for j in (0..n).step_by(PANEL) {
        let width = PANEL.min(n - j);
        let panel = y.panels[j * d..(j + PANEL) * d].as_chunks::<PANEL>().0;
        let mut squares = [0.0f32; PANEL];
        squares[..width].copy_from_slice(&y.squares[j..j + width]);
        for i in (0..x.n).step_by(ROWS) {
            let rows = ROWS.min(x.n - i);
            let mut sums = [[0.0f32; PANEL]; ROWS];
            if rows == ROWS {
                let of = |r: usize| &x.rows[(i + r) * d..(i + r + 1) * d];
                let (a, b, c, e) = (of(0), of(1), of(2), of(3));
                for ((((column, a), b), c), e) in panel.iter().zip(a).zip(b).zip(c).zip(e) {
                    for l in 0..PANEL {
                        sums[0][l] = fma::<FMA>(*a, column[l], sums[0][l]);
                        sums[1][l] = fma::<FMA>(*b, column[l], sums[1][l]);
                        sums[2][l] = fma::<FMA>(*c, column[l], sums[2][l]);
                        sums[3][l] = fma::<FMA>(*e, column[l], sums[3][l]);
                    }
                }
            } else {
                for (r, sums) in sums.iter_mut().enumerate().take(rows) {
                    for (column, a) in panel.iter().zip(&x.rows[(i + r) * d..(i + r + 1) * d]) {
                        (0..PANEL).for_each(|l| sums[l] = fma::<FMA>(*a, column[l], sums[l]));
                    }
                }
            }
            for (r, sums) in sums.iter_mut().enumerate().take(rows) {
                let own = x.squares[i + r];
                for l in 0..PANEL {
                    let square = fma::<FMA>(-2.0, sums[l], own + squares[l]);
                    sums[l] = exp_one::<FMA>(-gamma * if square > 0.0 { square } else { 0.0 });
                }
                out[(i + r) * n + j..][..width].copy_from_slice(&sums[..width]);
            }
        }
    }
}

/// 1.5 * 2^23: adding it rounds to an integer, which then sits in the low bits of the sum.
const MAGIC: f32 = 12_582_912.0;
/// ln 2 in two parts: multiples of the first by |n| < 2^9 are exact.
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;
/// 1/k! for k = 7 down to 2.
const TAYLOR: [f32; 6] = [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5];

/// exp(x) for x ≤ 0, without branches; 0 below −87, where results would be subnormal.
#[inline(always)]
fn exp_one<const FMA: bool>(x: f32) -> f32 {
    let low = if x < -87.0 { -87.0 } else { x };
    let n = fma::<FMA>(low, std::f32::consts::LOG2_E, MAGIC) - MAGIC;
    let r = fma::<FMA>(-n, LN2_LOW, fma::<FMA>(-n, LN2_HIGH, low));
    let mut q = TAYLOR[0];
    for &c in &TAYLOR[1..] {
        q = fma::<FMA>(q, r, c);
    }
    let p = 1.0 + fma::<FMA>(r * r, q, r);
    // Left shift drops all but the low nine bits, so MAGIC's own bits need no subtraction.
    let power = f32::from_bits((n + MAGIC).to_bits().wrapping_add(127) << 23);
    if x < -87.0 { 0.0 } else { p * power }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn exponentials_are_those_of_the_library() {
        for i in 0..200_000 {
            let x = -90.0 * i as f32 / 2e5;
            let exact = if x < -87.0 { 0.0 } else { f64::from(x).exp() };
            for found in [exp_one::<true>(x), exp_one::<false>(x)] {
                assert!((f64::from(found) - exact).abs() <= 3e-7 * exact, "exp({x}): {found} and {exact}");
            }
        }
        assert_eq!(exp_one::<true>(0.0), 1.0);
    }

    proptest! {
        #[test]
        fn tiles_and_their_twin_are_the_kernel(
            (n, m, d) in (1usize..40, 1usize..40, 0usize..9),
            values in proptest::collection::vec(-2.0..2.0f64, 720),
            gamma in 0.0..3.0f64,
        ) {
            let values = &values;
            let (a, b) = (|i: usize, k: usize| values[(i * 9 + k) % 720], |i: usize, k: usize| values[(360 + i * 9 + k) % 720]);
            let (x, y) = (SinglePoints::new(n, d, a), SinglePoints::new(m, d, b));
            let (mut fast, mut portable) = (vec![0.0; n * m], vec![0.0; n * m]);
            rbf_single(&x, &y, gamma as f32, &mut fast);
            tiles_body::<false>(&x, &y, gamma as f32, &mut portable);
            for i in 0..n {
                for j in 0..m {
                    let square: f64 = (0..d).map(|k| (a(i, k) - b(j, k)).powi(2)).sum();
                    let size: f64 = (0..d).map(|k| a(i, k).powi(2) + b(j, k).powi(2)).sum();
                    let (exact, slack) = ((-gamma * square).exp(), 4e-7 * (1.0 + gamma * size));
                    prop_assert!((f64::from(fast[i * m + j]) - exact).abs() <= slack);
                    prop_assert!((f64::from(portable[i * m + j]) - exact).abs() <= slack);
                }
            }
        }
    }
}
