//! Roots of functions of one number.

/// The root of a rising function that is not positive at `low` and not negative at `high`: Newton's steps, halving
/// where they leave the bracket.
pub fn rising_root(mut low: f64, mut high: f64, of: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut z = low + (high - low) / 2.0;
    for _ in 0..200 {
        let (value, slope) = of(z);
        if value == 0.0 {
            return z;
        }
        if value > 0.0 {
            high = z
        } else {
            low = z
        }
        let newton = z - value / slope;
        let next = if newton > low && newton < high { newton } else { low + (high - low) / 2.0 };
        if next == z || (next - z).abs() <= f64::EPSILON * z.abs() {
            return next;
        }
        z = next;
    }
    z
}
