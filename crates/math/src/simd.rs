//! Vector kernels: one safe lane-array body each, compiled twice.
//!
//! A body is generic over `FMA`. The twin with `FMA = true` is compiled for AVX2 and FMA and chosen at run
//! time where the processor has both; the other is portable. Both add in the same order (sixteen lanes,
//! folded in halves, then the tail), so they differ only in the rounding that fused products save:
//! a result may differ in its last bits between processors, never between runs or thread counts.

/// Lanes of an accumulator: four AVX2 registers, enough to hide the latency of a fused multiply-add.
pub(crate) const LANES: usize = 16;

/// `a * b + c`, fused where `FMA` holds. (`mul_add` without the instruction is a slow library call.)
#[inline(always)]
pub(crate) fn fma<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// Whether the AVX2 and FMA twins may run; the answer is cached by the standard library.
#[inline(always)]
pub(crate) fn has_avx2_fma() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Whether registers of 512 bits may be used; with the same lanes in the same order, they change no result.
#[inline(always)]
pub(crate) fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        has_avx2_fma()
            && std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512dq")
            && std::arch::is_x86_feature_detected!("avx512vl")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Writes `fn name`, which runs `body::<true>` under AVX2 and FMA where possible (and AVX-512, for bodies that say `wide`) and
/// `body::<false>` elsewhere.
macro_rules! twin {
    ($(#[$meta:meta])* $vis:vis wide fn $name:ident($($arg:ident: $ty:ty),*) = $body:ident) => {
        $(#[$meta])*
        #[inline]
        $vis fn $name($($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
                fn widest($($arg: $ty),*) {
                    $body::<true>($($arg),*)
                }
                if $crate::simd::has_avx512() {
                    // SAFETY: the processor has just been found to support all of these.
                    return unsafe { widest($($arg),*) };
                }
            }
            $crate::simd::twin! { fn narrow($($arg: $ty),*) = $body }
            narrow($($arg),*)
        }
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),*) $(-> $out:ty)? = $body:ident) => {
        $(#[$meta])*
        #[inline]
        $vis fn $name($($arg: $ty),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn fast($($arg: $ty),*) $(-> $out)? {
                    $body::<true>($($arg),*)
                }
                if $crate::simd::has_avx2_fma() {
                    // SAFETY: the processor has just been found to support AVX2 and FMA.
                    return unsafe { fast($($arg),*) };
                }
            }
            $body::<false>($($arg),*)
        }
    };
}
pub(crate) use twin;

/// Runs a loop that the compiler can vectorise, for AVX2 where the processor has it. Without fused products, which
/// are not made unasked, results are the same on all processors.
#[inline(always)]
pub fn wide<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn fast<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        if has_avx2_fma() {
            // SAFETY: the processor has just been found to support AVX2.
            return unsafe { fast(work) };
        }
    }
    work()
}

/// Work for [`run_wide`]. Its method must be `#[inline(always)]`: what is not inlined keeps the instructions of every processor.
pub trait Wide {
    /// What comes of it.
    type Out;
    /// Does the work.
    fn run(self) -> Self::Out;
}

/// [`wide`] for long work. A closure cannot be made to be inlined, and a long one is not where the compiler sees both of its calls; a method
/// of a trait can.
///
/// # Example
/// ```
/// use mercer_math::{Wide, run_wide};
/// struct Doubled<'a>(&'a mut [f64]);
/// impl Wide for Doubled<'_> {
///     type Out = ();
///     #[inline(always)]
///     fn run(self) {
///         self.0.iter_mut().for_each(|v| *v *= 2.0);
///     }
/// }
/// let mut v = [1.0, 2.0];
/// run_wide(Doubled(&mut v));
/// assert_eq!(v, [2.0, 4.0]);
/// ```
#[inline(always)]
pub fn run_wide<W: Wide>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn fast<W: Wide>(work: W) -> W::Out {
            work.run()
        }
        if has_avx2_fma() {
            // SAFETY: the processor has just been found to support AVX2.
            return unsafe { fast(work) };
        }
    }
    work.run()
}

/// Asks for the cache line of `data[i]`, which will be read soon; without effect where there is no such element.
#[inline(always)]
pub fn prefetch<T>(data: &[T], i: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64; a prefetch reads nothing that a program sees, and faults at no address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(data.as_ptr().wrapping_add(i).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (data, i);
}

/// Folds the lanes in halves.
#[inline(always)]
fn fold(mut lanes: [f64; LANES]) -> f64 {
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            lanes[l] += lanes[l + width];
        }
        width /= 2;
    }
    lanes[0]
}

#[inline(always)]
fn dot_body<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "dot needs equal lengths");
    let mut acc = [0.0; LANES];
    let (ca, ra) = a.as_chunks::<LANES>();
    let (cb, rb) = b.as_chunks::<LANES>();
    for (x, y) in ca.iter().zip(cb) {
        for l in 0..LANES {
            acc[l] = fma::<FMA>(x[l], y[l], acc[l]);
        }
    }
    let tail = ra.iter().zip(rb).fold(0.0, |s, (x, y)| fma::<FMA>(*x, *y, s));
    fold(acc) + tail
}

#[inline(always)]
fn sq_dist_body<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "sq_dist needs equal lengths");
    let mut acc = [0.0; LANES];
    let (ca, ra) = a.as_chunks::<LANES>();
    let (cb, rb) = b.as_chunks::<LANES>();
    for (x, y) in ca.iter().zip(cb) {
        for l in 0..LANES {
            let d = x[l] - y[l];
            acc[l] = fma::<FMA>(d, d, acc[l]);
        }
    }
    let tail = ra.iter().zip(rb).fold(0.0, |s, (x, y)| fma::<FMA>(x - y, x - y, s));
    fold(acc) + tail
}

#[inline(always)]
fn sum_body<const FMA: bool>(a: &[f64]) -> f64 {
    let mut acc = [0.0; LANES];
    let (chunks, rest) = a.as_chunks::<LANES>();
    for x in chunks {
        for l in 0..LANES {
            acc[l] += x[l];
        }
    }
    fold(acc) + rest.iter().fold(0.0, |s, x| s + x)
}

#[inline(always)]
fn axpy_body<const FMA: bool>(alpha: f64, x: &[f64], y: &mut [f64]) {
    assert_eq!(x.len(), y.len(), "axpy needs equal lengths");
    for (y, x) in y.iter_mut().zip(x) {
        *y = fma::<FMA>(alpha, *x, *y);
    }
}

#[inline(always)]
fn axpy4_body<const FMA: bool>(alpha: [f64; 4], x: [&[f64]; 4], y: &mut [f64]) {
    let n = y.len();
    let [a, b, c, d] = x.map(|x| &x[..n]);
    for j in 0..n {
        let s = fma::<FMA>(alpha[0], a[j], y[j]);
        let s = fma::<FMA>(alpha[1], b[j], s);
        let s = fma::<FMA>(alpha[2], c[j], s);
        y[j] = fma::<FMA>(alpha[3], d[j], s);
    }
}

#[inline(always)]
fn scale_body<const FMA: bool>(alpha: f64, x: &mut [f64]) {
    x.iter_mut().for_each(|x| *x *= alpha);
}

twin! {
    /// The inner product of two vectors.
    ///
    /// # Panics
    /// When the lengths differ.
    ///
    /// # Example
    /// ```
    /// assert_eq!(mercer_math::dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
    /// ```
    pub fn dot(a: &[f64], b: &[f64]) -> f64 = dot_body
}
twin! {
    /// The squared Euclidean distance of two vectors.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn sq_dist(a: &[f64], b: &[f64]) -> f64 = sq_dist_body
}
twin! {
    /// The sum of a vector, over sixteen lanes.
    pub fn sum(a: &[f64]) -> f64 = sum_body
}
twin! {
    /// `y += alpha * x`.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn axpy(alpha: f64, x: &[f64], y: &mut [f64]) = axpy_body
}
twin! {
    /// `y += sum_k alpha[k] * x[k]`, the same bits as four calls of [`axpy`] with a quarter of the traffic in `y`.
    pub(crate) fn axpy4(alpha: [f64; 4], x: [&[f64]; 4], y: &mut [f64]) = axpy4_body
}
twin! {
    /// `x *= alpha`.
    pub fn scale(alpha: f64, x: &mut [f64]) = scale_body
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pair() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
        proptest::collection::vec((-1e3..1e3f64, -1e3..1e3f64), 0..200).prop_map(|v| v.into_iter().unzip())
    }

    proptest! {
        #[test]
        fn kernels_agree_with_their_scalar_twins((a, b) in pair(), alpha in -10.0..10.0f64) {
            let n = a.len() as f64 + 1.0;
            let bound = |terms: f64| f64::EPSILON * n * terms;
            let size: f64 = a.iter().zip(&b).map(|(x, y)| (x * y).abs()).sum();
            prop_assert!((dot(&a, &b) - dot_body::<false>(&a, &b)).abs() <= bound(size));
            prop_assert!((dot(&a, &b) - a.iter().zip(&b).map(|(x, y)| x * y).sum::<f64>()).abs() <= bound(size));
            let far = sq_dist_body::<false>(&a, &b);
            prop_assert!((sq_dist(&a, &b) - far).abs() <= bound(far));
            prop_assert_eq!(sum(&a).to_bits(), sum_body::<false>(&a).to_bits());
            let (mut y1, mut y2) = (b.clone(), b.clone());
            axpy(alpha, &a, &mut y1);
            axpy_body::<false>(alpha, &a, &mut y2);
            for ((p, q), (x, y)) in y1.iter().zip(&y2).zip(a.iter().zip(&b)) {
                prop_assert!((p - q).abs() <= 2.0 * f64::EPSILON * ((alpha * x).abs() + y.abs()));
            }
            scale(alpha, &mut y1);
            scale_body::<false>(alpha, &mut y2);
        }

        #[test]
        fn four_axpys_equal_four_calls((a, b) in pair(), alpha in proptest::array::uniform4(-10.0..10.0f64)) {
            let (mut y1, mut y2) = (b.clone(), b.clone());
            let rows = [&a[..], &b[..], &a[..], &b[..]];
            axpy4(alpha, rows, &mut y1);
            (0..4).for_each(|k| axpy(alpha[k], rows[k], &mut y2));
            prop_assert_eq!(y1, y2);
        }
    }

    #[test]
    fn non_finite_values_pass_through() {
        let mut a = vec![1.0; 40];
        a[33] = f64::NAN;
        assert!(dot(&a, &a).is_nan() && sum(&a).is_nan() && sq_dist(&a, &[0.0; 40]).is_nan());
        a[33] = f64::INFINITY;
        assert_eq!(dot(&a, &a), f64::INFINITY);
        assert_eq!(dot(&[], &[]), 0.0);
    }
}
