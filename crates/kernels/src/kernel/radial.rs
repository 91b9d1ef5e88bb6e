//! Kernels of the scaled squared distance s = Σⱼ (xⱼ − yⱼ)²/ℓⱼ²: their profiles f(s) and slopes f′(s).

use super::Kernel;
use mercer_math::exp_slice;
use mercer_math::special::{bessel_k, lgamma};

/// f, with k(x, y) = f(s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Profile {
    /// exp(−s/2)
    Gaussian,
    /// Matérn's of smoothness ν, in d = √s
    Matern(f64),
    /// (1 + s/2α)^−α
    Rational(f64),
}

/// Values that are changed side by side while they are in the first-level cache.
const CHUNK: usize = 256;

impl Profile {
    /// The profile of a kernel that is radial.
    pub(super) fn of(kernel: &Kernel) -> Option<Self> {
        Some(match kernel {
            Kernel::Rbf(_) | Kernel::Periodic { .. } => Profile::Gaussian,
            Kernel::Matern { nu, .. } if nu.is_infinite() => Profile::Gaussian,
            Kernel::Matern { nu, .. } => Profile::Matern(*nu),
            Kernel::RationalQuadratic { alpha, .. } => Profile::Rational(alpha.value()),
            _ => return None,
        })
    }

    /// Replaces every s by f(s).
    pub(super) fn values(self, s: &mut [f64]) {
        for part in s.chunks_mut(CHUNK) {
            self.part(part, false);
        }
    }

    /// Replaces every s by f′(s); where that is infinite, at s = 0, by 0: it is multiplied by differences that are 0.
    pub(super) fn slopes(self, s: &mut [f64]) {
        for part in s.chunks_mut(CHUNK) {
            self.part(part, true);
        }
    }

    fn part(self, s: &mut [f64], slope: bool) {
        match self {
            Profile::Gaussian => {
                s.iter_mut().for_each(|v| *v *= -0.5);
                exp_slice(s);
                if slope {
                    s.iter_mut().for_each(|v| *v *= -0.5);
                }
            }
            Profile::Rational(alpha) => {
                let power = if slope { -alpha - 1.0 } else { -alpha };
                let factor = if slope { -0.5 } else { 1.0 };
                s.iter_mut().for_each(|v| *v = power * (*v / (2.0 * alpha)).ln_1p());
                exp_slice(s);
                s.iter_mut().for_each(|v| *v *= factor);
            }
            Profile::Matern(nu) if [0.5, 1.5, 2.5].contains(&nu) => half_whole(nu, s, slope),
            Profile::Matern(nu) => s.iter_mut().for_each(|v| *v = matern(nu, *v, slope)),
        }
    }
}

/// Matérn's kernels whose Bessel function is elementary.
fn half_whole(nu: f64, s: &mut [f64], slope: bool) {
    let mut decay = [0.0; CHUNK];
    let decay = &mut decay[..s.len()];
    let root = (2.0 * nu).sqrt();
    decay.iter_mut().zip(&*s).for_each(|(e, s)| *e = -root * s.sqrt());
    exp_slice(decay);
    for (s, e) in s.iter_mut().zip(&*decay) {
        let z = root * s.sqrt();
        let factor = match (nu == 0.5, nu == 1.5, slope) {
            (true, _, false) => 1.0,
            (true, _, true) if z == 0.0 => 0.0,
            (true, _, true) => -0.5 / z,
            (_, true, false) => 1.0 + z,
            (_, true, true) => -1.5,
            (_, _, false) => 1.0 + z + z * z / 3.0,
            (_, _, true) => -(5.0 / 6.0) * (1.0 + z),
        };
        *s = factor * e;
    }
}

/// 2^{1−ν}/Γ(ν) z^ν K_ν(z) with z = √(2νs), or its slope in s, −ν 2^{1−ν}/Γ(ν) z^{ν−1} K_{ν−1}(z).
fn matern(nu: f64, s: f64, slope: bool) -> f64 {
    let z = (2.0 * nu * s).sqrt();
    if z == 0.0 {
        // The slope at 0 is finite above ν = 1 alone; it is multiplied by differences of 0 there.
        return if slope { 0.0 } else { 1.0 };
    }
    let order = if slope { nu - 1.0 } else { nu };
    let log = (1.0 - nu) * std::f64::consts::LN_2 - lgamma(nu) + order * z.ln();
    let value = bessel_k(order.abs(), z) * log.exp();
    if slope { -nu * value } else { value.min(1.0) }
}
