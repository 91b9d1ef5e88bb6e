//! B-splines by the recursion of Cox and de Boor.

/// The degree and the knots of one feature's splines: `degree` knots before the base interval, and after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basis<'a> {
    pub(crate) degree: usize,
    pub(crate) knots: &'a [f64],
}

impl Basis<'_> {
    /// Number of splines: knots less degree less one.
    pub(crate) fn len(&self) -> usize {
        self.knots.len() - self.degree - 1
    }

    /// The ends of the base interval.
    pub(crate) fn range(&self) -> (f64, f64) {
        (self.knots[self.degree], self.knots[self.len()])
    }

    /// The knot interval of `x`, clipped to the base interval. At its upper end, the last interval that is not
    /// empty: an empty one would leave every spline zero there.
    fn interval(&self, x: f64) -> usize {
        let (k, n) = (self.degree, self.len());
        let upper = self.knots[n];
        let last = (k..n).rev().find(|&l| self.knots[l] < upper).unwrap_or(n - 1);
        let inner = &self.knots[k + 1..=last.max(k)];
        (k + inner.partition_point(|t| *t <= x)).min(last)
    }

    /// Values (or first derivatives) at `x` of the splines that are not zero there, into `h`, which holds two rows of
    /// `degree + 1`. Returns the number of the first of them.
    pub(crate) fn evaluate(&self, x: f64, derivative: bool, h: &mut [f64]) -> usize {
        let (k, t) = (self.degree, self.knots);
        let at = self.interval(x);
        let (h, old) = h.split_at_mut(k + 1);
        h.fill(0.0);
        h[0] = 1.0;
        for j in 1..=k {
            old[..j].copy_from_slice(&h[..j]);
            h[0] = 0.0;
            for n in 1..=j {
                let (low, high) = (t[at + n - j], t[at + n]);
                if high == low {
                    h[n] = 0.0;
                    continue;
                }
                let w = old[n - 1] / (high - low);
                // The last step of a derivative differentiates the weights.
                let (falling, rising) =
                    if derivative && j == k { (-(k as f64), k as f64) } else { (high - x, x - low) };
                h[n - 1] += w * falling;
                h[n] = w * rising;
            }
        }
        if derivative && k == 0 {
            h[0] = 0.0;
        }
        at - k
    }
}

/// `n` numbers from `start` to `stop`, as numpy computes them.
pub(crate) fn linspace(start: f64, stop: f64, n: usize) -> Vec<f64> {
    let step = (stop - start) / (n.max(2) - 1) as f64;
    (0..n).map(|i| if n > 1 && i + 1 == n { stop } else { i as f64 * step + start }).collect()
}

/// All knots from those of the base interval: the distance of the first two and of the last two goes on outside
/// (Eilers and Marx), or, for periodic splines, the distances of the other end.
pub(crate) fn extended(base: &[f64], degree: usize, periodic: bool) -> Vec<f64> {
    let n = base.len();
    let (first, last) = (base[0], base[n - 1]);
    let mut out = Vec::with_capacity(n + 2 * degree);
    if periodic {
        let period = last - first;
        out.extend(base[n - degree - 1..n - 1].iter().map(|t| t - period));
        out.extend_from_slice(base);
        out.extend(base[1..=degree].iter().map(|t| t + period));
        return out;
    }
    let (low, high, k) = (base[1] - first, last - base[n - 2], degree as f64);
    out.extend(linspace(first - k * low, first - low, degree));
    out.extend_from_slice(base);
    out.extend(linspace(last + high, last + k * high, degree));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(basis: &Basis<'_>, x: f64, derivative: bool) -> Vec<f64> {
        let mut h = vec![0.0; 2 * (basis.degree + 1)];
        let first = basis.evaluate(x, derivative, &mut h);
        let mut out = vec![0.0; basis.len()];
        out[first..=first + basis.degree].copy_from_slice(&h[..=basis.degree]);
        out
    }

    #[test]
    fn splines_sum_to_one_and_derivatives_match_differences() {
        for degree in 0..5 {
            for base in [vec![0.0, 1.0, 2.0, 3.0], vec![-1.0, -0.5, 2.0, 7.0, 7.5], vec![0.0, 1.0, 1.0, 1.0]]
            {
                let knots = extended(&base, degree, false);
                let basis = Basis { degree, knots: &knots };
                let (low, high) = basis.range();
                for i in 0..=100 {
                    let x = low + (high - low) * f64::from(i) / 100.0;
                    let sum: f64 = values(&basis, x, false).iter().sum();
                    assert!((sum - 1.0).abs() < 1e-13, "degree {degree} at {x}: {sum}");
                }
                let (x, step) = (low + 0.3141 * (high - low), 1e-6);
                let (up, down) = (values(&basis, x + step, false), values(&basis, x - step, false));
                for (d, (up, down)) in values(&basis, x, true).iter().zip(up.iter().zip(&down)) {
                    assert!((d - (up - down) / (2.0 * step)).abs() < 1e-7, "degree {degree}");
                }
            }
        }
    }
}
