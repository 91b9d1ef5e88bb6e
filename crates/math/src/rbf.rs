//! Tiles of the RBF kernel: products, distances and exponentials while they are in registers.
//!
//! A tile is worked on by strips: some rows of the one side against a panel of the other's points, with one accumulator for each
//! row and register of the panel. Every value is the same sum in the same order whatever the strip, so that strips are as
//! wide as the processor's registers allow.

use crate::simd::{has_avx512, twin};
use std::ops::Range;

/// Points of a panel: two AVX-512 registers, or four of AVX2.
const SINGLE: usize = 32;
const DOUBLE: usize = 16;
/// Rows of a strip: sixteen accumulators of the 32 AVX-512 registers, eight of the 16 of AVX2.
const WIDE_ROWS: usize = 8;
const NARROW_ROWS: usize = 2;

/// A number of either precision.
trait Real: Copy + Default + PartialOrd + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self> {
    const MINUS_TWO: Self;
    fn fma<const FMA: bool>(a: Self, b: Self, c: Self) -> Self;
    /// exp(x) for x ≤ 0.
    fn exp<const FMA: bool>(x: Self) -> Self;
}

impl Real for f32 {
    const MINUS_TWO: Self = -2.0;
    #[inline(always)]
    fn fma<const FMA: bool>(a: Self, b: Self, c: Self) -> Self {
        if FMA { a.mul_add(b, c) } else { a * b + c }
    }
    #[inline(always)]
    fn exp<const FMA: bool>(x: Self) -> Self {
        exp_one::<FMA>(x)
    }
}

impl Real for f64 {
    const MINUS_TWO: Self = -2.0;
    #[inline(always)]
    fn fma<const FMA: bool>(a: Self, b: Self, c: Self) -> Self {
        crate::simd::fma::<FMA>(a, b, c)
    }
    #[inline(always)]
    fn exp<const FMA: bool>(x: Self) -> Self {
        crate::vexp::exp_one::<FMA>(x)
    }
}

/// Points in single precision with their squared lengths, by rows and in panels.
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
    panels: Vec<f32>,
    squares: Vec<f32>,
}

impl SinglePoints {
    /// `n` points of `d` features, by value.
    pub fn new(n: usize, d: usize, value: impl Fn(usize, usize) -> f64) -> Self {
        let rows: Vec<f32> = (0..n * d).map(|at| value(at / d.max(1), at % d.max(1)) as f32).collect();
        let panels = turned::<f32, SINGLE>(&rows, n, d);
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

/// Points in double precision with their squared lengths, in panels.
#[derive(Clone, Debug)]
pub struct DoublePanels {
    d: usize,
    panels: Vec<f64>,
    squares: Vec<f64>,
}

impl DoublePanels {
    /// Points of `d` features each, row by row, with their squared lengths.
    ///
    /// # Panics
    /// When there are not `d` values for each length.
    pub fn new(rows: &[f64], d: usize, squares: &[f64]) -> Self {
        assert_eq!(rows.len(), squares.len() * d, "d values for each point");
        Self { d, panels: turned::<f64, DOUBLE>(rows, squares.len(), d), squares: squares.to_vec() }
    }
}

/// Group by group of `W` points, the last filled up with zeros: for each feature, its values at the group's points.
fn turned<T: Real, const W: usize>(rows: &[T], n: usize, d: usize) -> Vec<T> {
    let mut out = vec![T::default(); n.next_multiple_of(W) * d];
    for (i, row) in rows.chunks_exact(d.max(1)).enumerate() {
        let group = &mut out[i / W * W * d..][..W * d];
        row.iter().zip(group.as_chunks_mut::<W>().0).for_each(|(v, at)| at[i % W] = *v);
    }
    out
}

/// What a tile is made of: rows, and panels of which the first begins the tile's columns.
struct Sides<'a, T> {
    rows: &'a [T],
    row_squares: &'a [T],
    panels: &'a [T],
    squares: &'a [T],
    d: usize,
    gamma: T,
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
    let sides = Sides {
        rows: &x.rows,
        row_squares: &x.squares,
        panels: &y.panels,
        squares: &y.squares,
        d: x.d,
        gamma: -gamma,
    };
    if has_avx512() { single_wide(&sides, out, y.n) } else { single_narrow(&sides, out, y.n) }
}

/// exp(−γ‖x − y‖²) of rows x, whose squared lengths are given, with some of the points y; row r begins at `out[r * stride]`.
///
/// Distances are ‖x‖² + ‖y‖² − 2x·y: whoever asks sees to it that this leaves digits enough.
///
/// # Panics
/// When the numbers of features differ, `columns` do not begin with a panel (of 16 points), or `out` is too short.
///
/// # Example
/// ```
/// use mercer_math::{DoublePanels, rbf_double};
/// let y = DoublePanels::new(&[0.0, 1.0], 1, &[0.0, 1.0]);
/// let mut out = [0.0; 2];
/// rbf_double((&[1.0], &[1.0]), &y, 0..2, 0.5, &mut out, 2);
/// assert!((out[0] - (-0.5f64).exp()).abs() < 1e-15 && out[1] == 1.0);
/// ```
pub fn rbf_double(
    (rows, row_squares): (&[f64], &[f64]),
    y: &DoublePanels,
    columns: Range<usize>,
    gamma: f64,
    out: &mut [f64],
    stride: usize,
) {
    assert_eq!(rows.len(), row_squares.len() * y.d, "points of as many features");
    assert_eq!(columns.start % DOUBLE, 0, "columns begin with a panel");
    let (panels, squares) = (&y.panels[columns.start * y.d..], &y.squares[columns]);
    let sides = Sides { rows, row_squares, panels, squares, d: y.d, gamma: -gamma };
    if has_avx512() { double_wide(&sides, out, stride) } else { double_narrow(&sides, out, stride) }
}

twin! { wide fn single_wide(sides: &Sides<'_, f32>, out: &mut [f32], stride: usize) = single_wide_body }
twin! { fn single_narrow(sides: &Sides<'_, f32>, out: &mut [f32], stride: usize) = single_narrow_body }
twin! { wide fn double_wide(sides: &Sides<'_, f64>, out: &mut [f64], stride: usize) = double_wide_body }
twin! { fn double_narrow(sides: &Sides<'_, f64>, out: &mut [f64], stride: usize) = double_narrow_body }

#[inline(always)]
fn single_wide_body<const FMA: bool>(sides: &Sides<'_, f32>, out: &mut [f32], stride: usize) {
    tiles::<f32, SINGLE, WIDE_ROWS, FMA>(sides, out, stride);
}

#[inline(always)]
fn single_narrow_body<const FMA: bool>(sides: &Sides<'_, f32>, out: &mut [f32], stride: usize) {
    tiles::<f32, SINGLE, NARROW_ROWS, FMA>(sides, out, stride);
}

#[inline(always)]
fn double_wide_body<const FMA: bool>(sides: &Sides<'_, f64>, out: &mut [f64], stride: usize) {
    tiles::<f64, DOUBLE, WIDE_ROWS, FMA>(sides, out, stride);
}

#[inline(always)]
fn double_narrow_body<const FMA: bool>(sides: &Sides<'_, f64>, out: &mut [f64], stride: usize) {
    tiles::<f64, DOUBLE, NARROW_ROWS, FMA>(sides, out, stride);
}

#[inline(always)]
fn tiles<T: Real, const P: usize, const R: usize, const FMA: bool>(
    sides: &Sides<'_, T>,
    out: &mut [T],
    stride: usize,
) {
    let (n, m, d) = (sides.row_squares.len(), sides.squares.len(), sides.d);
    let turned = turned::<T, R>(sides.rows, n, d);
    for j in (0..m).step_by(P) {
        let width = P.min(m - j);
        let panel = sides.panels[j * d..(j + P) * d].as_chunks::<P>().0;
        let mut squares = [T::default(); P];
        squares[..width].copy_from_slice(&sides.squares[j..j + width]);
        for i in (0..n).step_by(R) {
            let strip = turned[i * d..(i + R) * d].as_chunks::<R>().0;
            let mut sums = products::<T, P, R, FMA>(strip, panel);
            for (r, sums) in sums.iter_mut().enumerate().take(n - i) {
                let own = sides.row_squares[i + r];
                for l in 0..P {
                    let square = T::fma::<FMA>(T::MINUS_TWO, sums[l], own + squares[l]);
                    let square = if square > T::default() { square } else { T::default() };
                    sums[l] = T::exp::<FMA>(sides.gamma * square);
                }
                out[(i + r) * stride + j..][..width].copy_from_slice(&sums[..width]);
            }
        }
    }
}

/// x·y of a strip of rows with a panel of points.
#[inline(always)]
fn products<T: Real, const P: usize, const R: usize, const FMA: bool>(
    strip: &[[T; R]],
    panel: &[[T; P]],
) -> [[T; P]; R] {
    let mut sums = [[T::default(); P]; R];
    for (x, y) in strip.iter().zip(panel) {
        // Rows inside: the other way round, eight of them would be gathered into a register.
        for l in 0..P {
            for r in 0..R {
                sums[r][l] = T::fma::<FMA>(x[r], y[l], sums[r][l]);
            }
        }
    }
    sums
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
    let n = f32::fma::<FMA>(low, std::f32::consts::LOG2_E, MAGIC) - MAGIC;
    let r = f32::fma::<FMA>(-n, LN2_LOW, f32::fma::<FMA>(-n, LN2_HIGH, low));
    let mut q = TAYLOR[0];
    for &c in &TAYLOR[1..] {
        q = f32::fma::<FMA>(q, r, c);
    }
    let p = 1.0 + f32::fma::<FMA>(r * r, q, r);
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
            let sides = Sides {
                rows: &x.rows,
                row_squares: &x.squares,
                panels: &y.panels,
                squares: &y.squares,
                d,
                gamma: -gamma as f32,
            };
            single_narrow_body::<false>(&sides, &mut portable, m);
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

        #[test]
        fn double_tiles_and_their_twins_are_the_kernel(
            (n, m, d) in (1usize..20, 1usize..80, 0usize..9),
            values in proptest::collection::vec(-2.0..2.0f64, 900),
            gamma in 0.0..3.0f64,
            skip in 0usize..3,
        ) {
            let (x, y) = (&values[..n * d], &values[180..180 + m * d]);
            let length = |rows: &[f64], i: usize| rows[i * d..(i + 1) * d].iter().map(|v| v * v).sum::<f64>();
            let (f, g): (Vec<f64>, Vec<f64>) =
                ((0..n).map(|i| length(x, i)).collect(), (0..m).map(|j| length(y, j)).collect());
            let (panels, first) = (DoublePanels::new(y, d, &g), (skip * DOUBLE).min(m / DOUBLE * DOUBLE));
            let (width, stride) = (m - first, m - first + 3);
            let mut found = [(); 3].map(|()| vec![7.0; n * stride]);
            rbf_double((x, &f), &panels, first..m, gamma, &mut found[0], stride);
            let sides = Sides {
                rows: x, row_squares: &f, panels: &panels.panels[first * d..], squares: &g[first..], d, gamma: -gamma,
            };
            double_narrow(&sides, &mut found[1], stride);
            double_wide_body::<false>(&sides, &mut found[2], stride);
            // Strips of any width add the same in the same order.
            prop_assert_eq!(&found[0], &found[1]);
            for found in &found {
                for (i, line) in found.chunks(stride).enumerate() {
                    for (j, v) in line[..width].iter().enumerate() {
                        let square: f64 = (0..d).map(|k| (x[i * d + k] - y[(first + j) * d + k]).powi(2)).sum();
                        let slack = 4.0 * f64::EPSILON * (1.0 + gamma * (2.0 + d as f64) * (f[i] + g[first + j]));
                        prop_assert!((v - (-gamma * square).exp()).abs() <= slack);
                    }
                    prop_assert!(line[width..].iter().all(|v| *v == 7.0), "what lies between rows is left alone");
                }
            }
        }
    }
}
