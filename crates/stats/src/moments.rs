//! Raw moments, from what the kinds of laws have closed forms of.

/// The product of `of(0)`, …, `of(order − 1)`.
pub(crate) fn rising(order: u32, of: impl Fn(f64) -> f64) -> f64 {
    (0..order).map(|i| of(f64::from(i))).product()
}

/// The moment of location + scale · z, given those of z.
pub(crate) fn shifted(order: u32, location: f64, scale: f64, of: impl Fn(u32) -> f64) -> f64 {
    let (mut choose, mut sum) = (1.0, 0.0);
    for j in 0..=order {
        let factor = choose * location.powi((order - j) as i32) * scale.powi(j as i32);
        // Without a location, moments that there are not must not spoil those that there are.
        if factor != 0.0 {
            sum += factor * of(j);
        }
        choose *= f64::from(order - j) / f64::from(j + 1);
    }
    sum
}

/// The moment of a number of even law, given its even moments.
pub(crate) fn even(order: u32, of: impl Fn(u32) -> f64) -> f64 {
    if order % 2 == 1 { 0.0 } else { of(order) }
}

/// The moment of a whole number, given its falling ones, the means of x (x − 1) … (x − k + 1): their sum by Stirling's numbers of the
/// second kind.
pub(crate) fn of_falling(order: u32, falling: impl Fn(u32) -> f64) -> f64 {
    let mut parts = vec![0.0; order as usize + 1];
    parts[0] = 1.0;
    for n in 1..parts.len() {
        for k in (1..=n).rev() {
            parts[k] = k as f64 * parts[k] + parts[k - 1];
        }
        parts[0] = 0.0;
    }
    let terms = parts.iter().zip(0..).filter(|(p, _)| **p != 0.0);
    terms.map(|(p, k)| p * falling(k)).sum()
}

/// n!.
pub(crate) fn factorial(n: u32) -> f64 {
    rising(n, |i| i + 1.0)
}

/// Σ (−1)^{k+1} / kⁿ for an even n.
pub(crate) fn alternating_zeta(n: u32) -> f64 {
    let pi = std::f64::consts::PI;
    match n {
        2 => pi.powi(2) / 12.0,
        4 => 7.0 * pi.powi(4) / 720.0,
        6 => 31.0 * pi.powi(6) / 30_240.0,
        8 => 127.0 * pi.powi(8) / 1_209_600.0,
        // Terms beyond the hundredth are below 10⁻²⁰.
        _ => (1..=100).rev().map(|k| f64::from(k % 2 * 2 - 1) / f64::from(k).powi(n as i32)).sum(),
    }
}
