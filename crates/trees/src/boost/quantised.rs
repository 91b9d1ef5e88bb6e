//! Quantised gradients: the gradient, the hessian and the count of a row in one word of 64 bits.
//!
//! Sums of words are exact: they depend neither on the order of the rows nor on the number of threads, and a sibling is
//! parent minus child without error. Rounding to whole numbers goes up or down by a hash of the gradient itself, so that
//! it averages out. Fields are wide enough for a block of rows.

use rayon::prelude::*;

/// Rows of a block where hessians vary: as many times the rows that are fetched at once as twelve bits count.
const BLOCK: usize = 15 * 256;
/// Rows of a block where the hessian is constant, and counts stand for it.
const LONG_BLOCK: usize = 1 << 20;

/// A histogram cell, the sums of some rows: the gradient, and in one word the hessian (upper half) and the count
/// (lower half).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) gradient: i64,
    both: u64,
}

impl Sums {
    #[cfg(test)]
    pub(crate) fn new(gradient: i64, hessian: u32, count: u32) -> Self {
        Self { gradient, both: u64::from(hessian) << 32 | u64::from(count) }
    }

    /// The hessian and the count in one word.
    #[inline]
    pub(crate) fn packed(self) -> u64 {
        self.both
    }

    #[inline]
    pub(crate) fn hessian(self) -> u32 {
        (self.both >> 32) as u32
    }

    #[inline]
    pub(crate) fn count(self) -> u32 {
        self.both as u32
    }

    #[inline]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient.wrapping_add(other.gradient),
            both: self.both.wrapping_add(other.both),
        }
    }

    #[inline]
    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient.wrapping_sub(other.gradient),
            both: self.both.wrapping_sub(other.both),
        }
    }
}

/// Quantised gradients and hessians of all rows, as whole numbers.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    pub(super) words: Vec<i64>,
    /// Bits of the count, and of count and hessian.
    count_bits: u32,
    low_bits: u32,
    /// Rows whose words add up without overflow.
    pub(super) block: usize,
    /// The gradient of one unit.
    pub(crate) gradient_unit: f64,
    /// The hessian of one unit; of one row where it is constant.
    pub(crate) hessian_unit: f64,
    /// Whether counts stand for hessians.
    pub(crate) constant: bool,
}

impl Packed {
    /// Packs the gradients and hessians of all rows; without hessians, each is `constant`.
    pub(crate) fn fill(&mut self, gradients: &[f32], hessians: &[f32], constant: f64, seed: u64) {
        let n = gradients.len();
        self.constant = hessians.is_empty();
        self.block = if self.constant { LONG_BLOCK } else { BLOCK };
        let bits = |v: usize| usize::BITS - v.leading_zeros();
        let rows = bits(n.min(self.block));
        // Value bits of the hessian, then of the gradient: sums of a block fit beside count and sign.
        let (h_bits, g_bits) = if self.constant {
            // Sums of all rows stay below 2^51.
            (0, (63 - 2 * rows).min(30).min(50 - bits(n).min(32)))
        } else {
            let room = 63 - 3 * rows;
            let h_bits = (room / 2 - 1).min(31 - bits(n).min(30)).max(1);
            (h_bits, (room - h_bits).min(30))
        };
        self.count_bits = rows;
        self.low_bits = rows + if self.constant { 0 } else { h_bits + rows };
        let largest = |v: &[f32]| {
            v.par_chunks(1 << 16).map(|v| v.iter().fold(0f32, |a, v| a.max(v.abs()))).reduce(|| 0.0, f32::max)
        };
        // A power of two, so that whole weights and signs are exact.
        let unit = |largest: f32, bits: u32| {
            if largest > 0.0 { f64::from(largest).log2().ceil().exp2() / (1u64 << bits) as f64 } else { 1.0 }
        };
        self.gradient_unit = unit(largest(gradients), g_bits);
        self.hessian_unit = if self.constant { constant } else { unit(largest(hessians), h_bits) };
        let (per_g, per_h) = (1.0 / self.gradient_unit, 1.0 / self.hessian_unit);
        let (low_bits, count_bits, constant) = (self.low_bits, self.count_bits, self.constant);
        self.words.resize(n, 0);
        let chunk = 1 << 14;
        self.words.par_chunks_mut(chunk).enumerate().for_each(|(c, out)| {
            let gradients = &gradients[c * chunk..][..out.len()];
            if constant {
                for (out, &g) in out.iter_mut().zip(gradients) {
                    *out = round(f64::from(g) * per_g, dither(seed, g)) << low_bits | 1;
                }
            } else {
                let hessians = &hessians[c * chunk..][..out.len()];
                for ((out, &g), &h) in out.iter_mut().zip(gradients).zip(hessians) {
                    let u = dither(seed, g);
                    let (g, h) = (round(f64::from(g) * per_g, u), round(f64::from(h) * per_h, 1.0 - u));
                    *out = (g << low_bits) + (h << count_bits) + 1;
                }
            }
        });
    }

    /// The sums that a sum of words, of a block of rows at most, stands for.
    #[inline]
    pub(super) fn unpack(&self, word: i64) -> Sums {
        let count = word as u64 & ((1 << self.count_bits) - 1);
        let low = word as u64 & ((1 << self.low_bits) - 1);
        Sums { gradient: word >> self.low_bits, both: (low >> self.count_bits) << 32 | count }
    }

    /// The sums of some rows.
    pub(crate) fn total(&self, rows: &[u32]) -> Sums {
        let block = |rows: &[u32]| {
            self.unpack(rows.iter().fold(0i64, |sum, &i| sum.wrapping_add(self.words[i as usize])))
        };
        rows.par_chunks(self.block.min(1 << 14)).map(block).reduce(Sums::default, Sums::plus)
    }
}

/// A number in (0, 1) from the gradient's own bits.
#[inline]
fn dither(seed: u64, gradient: f32) -> f64 {
    let mixed = (u64::from(gradient.to_bits()) ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed >> 40) as f64 + 0.5) * (1.0 / (1u64 << 24) as f64)
}

/// The floor of `v + u`, for numbers below 2^32 in size; `f64::floor` is a call on older processors.
#[inline]
fn round(v: f64, u: f64) -> i64 {
    const SHIFT: i64 = 1 << 32;
    (v + u + SHIFT as f64) as i64 - SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_packed_without_rounding() {
        let g = [3f32, -1.0, 2.0, 0.0];
        let mut packed = Packed::default();
        packed.fill(&g, &[3.0, 1.0, 2.0, 1.0], 1.0, 1);
        let total = packed.total(&[0, 1, 2, 3]);
        assert_eq!(total.gradient as f64 * packed.gradient_unit, 4.0);
        assert_eq!((f64::from(total.hessian()) * packed.hessian_unit, total.count()), (7.0, 4));
    }
}
