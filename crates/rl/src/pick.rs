//! One of several by their values: the best of them, or one drawn by their exponentials.

use mercer_math::{Rng, below, uniform};

/// The index of greatest value, where `value` gives one for each, without a list of them; any of equals with the same probability.
#[inline]
pub(crate) fn best_by(n: usize, rng: &mut Rng, mut value: impl FnMut(usize) -> f64) -> usize {
    let (mut at, mut most, mut equals) = (0, value(0), 1);
    for i in 1..n {
        let value = value(i);
        if value > most {
            (at, most, equals) = (i, value, 1);
        } else if value == most {
            // Each of k equals is kept with probability 1/k.
            equals += 1;
            if below(rng, equals) == 0 {
                at = i;
            }
        }
    }
    at
}

/// The largest of some values, any of equals with the same probability.
#[inline]
pub(crate) fn any_best(values: &[f64], rng: &mut Rng) -> usize {
    best_by(values.len(), rng, |i| values[i])
}

/// One by the exponentials of values over a temperature; those of -∞ are not there.
pub(crate) fn by_softmax(values: &[f64], temperature: f64, rng: &mut Rng) -> usize {
    // The greatest is taken away before the division: a small temperature overflows nothing.
    let most = values.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    let share = |v: f64| if most == f64::NEG_INFINITY { 1.0 } else { ((v - most) / temperature).exp() };
    let total: f64 = values.iter().map(|v| share(*v)).sum();
    let mut draw = uniform(rng) * total;
    for (a, v) in values.iter().enumerate() {
        draw -= share(*v);
        if draw < 0.0 {
            return a;
        }
    }
    // Rounding may leave a crumb.
    any_best(values, rng)
}
