//! Sums and products with twice the digits, for residuals that plain arithmetic would round away.

/// A number as an unevaluated sum of two, the second within half a unit in the last place of the first.
///
/// Algorithms of T. J. Dekker (1971, doi:10.1007/BF01397083) and D. E. Knuth.
///
/// # Example
/// ```
/// use mercer_math::Double;
/// let mut sum = Double::default();
/// [1e16, 1.0, -1e16].iter().for_each(|&v| sum.add(v));
/// assert_eq!(sum.value(), 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Double {
    /// The leading part.
    pub hi: f64,
    /// What rounding left of it.
    pub lo: f64,
}

impl Double {
    /// a − b, exactly.
    #[inline]
    pub fn difference(a: f64, b: f64) -> Self {
        let hi = a - b;
        let t = hi - a;
        Self { hi, lo: (a - (hi - t)) - (b + t) }
    }

    /// Adds a number.
    #[inline]
    pub fn add(&mut self, v: f64) {
        let sum = self.hi + v;
        let t = sum - self.hi;
        self.lo += (self.hi - (sum - t)) + (v - t);
        self.hi = sum;
    }

    /// Adds a · b.
    #[inline]
    pub fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.lo += a.mul_add(b, -product);
        self.add(product);
    }

    /// Adds another sum.
    #[inline]
    pub fn merge(&mut self, other: Self) {
        self.add(other.hi);
        self.lo += other.lo;
    }

    /// The same number with its two parts told apart.
    #[inline]
    #[must_use]
    pub fn settled(self) -> Self {
        let hi = self.hi + self.lo;
        Self { hi, lo: (self.hi - hi) + self.lo }
    }

    /// The nearest single number.
    #[inline]
    pub fn value(self) -> f64 {
        self.hi + self.lo
    }
}
