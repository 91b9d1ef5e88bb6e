//! Learning Dirichlet priors: from the expected logarithms of shares, and from counts that were drawn.

use mercer_math::special::{digamma, trigamma};

/// Priors stay in this range, so that every document has a likelihood.
const RANGE: (f64, f64) = (1e-6, 1e6);

/// The Dirichlet prior under which mean logarithms of shares are likeliest.
///
///   max_α  ln Γ(Σ α) − Σ ln Γ(α_k) + Σ (α_k − 1) m_k     s.t.  α > 0
///
/// Newton's method in linear time, its Hessian being a diagonal and a constant; a step that leaves the positive numbers is halved.
/// Ends when no α moves by more than 1e-8 of itself. Appendix A.4.2 of Blei, Ng, Jordan 2003.
pub(super) fn from_logs(means: &[f64], alpha: &mut [f64]) {
    for _ in 0..100 {
        let total: f64 = alpha.iter().sum();
        let (whole, z) = (digamma(total), trigamma(total));
        let gradient: Vec<f64> = alpha.iter().zip(means).map(|(a, m)| whole - digamma(*a) + m).collect();
        let curvature: Vec<f64> = alpha.iter().map(|a| -trigamma(*a)).collect();
        let (mut above, mut below) = (0.0, 1.0 / z);
        for (g, h) in gradient.iter().zip(&curvature) {
            above += g / h;
            below += 1.0 / h;
        }
        let shift = above / below;
        let step: Vec<f64> = gradient.iter().zip(&curvature).map(|(g, h)| (g - shift) / h).collect();
        let mut size = 1.0;
        while alpha.iter().zip(&step).any(|(a, s)| a - size * s <= 0.0) && size > 1e-10 {
            size *= 0.5;
        }
        let mut moved = 0.0f64;
        for (a, s) in alpha.iter_mut().zip(&step) {
            let next = (*a - size * s).clamp(RANGE.0, RANGE.1);
            moved = moved.max((next - *a).abs() / *a);
            *a = next;
        }
        // A moment that is not finite moves nothing on.
        if moved.is_nan() || moved <= 1e-8 {
            return;
        }
    }
}

/// How often each count occurs, as the sums of a fixed point need them: `at_least[n]` groups have more than `n`.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(Vec<u32>);

impl Tally {
    pub(super) fn add(&mut self, count: usize) {
        if self.0.len() <= count {
            self.0.resize(count + 1, 0);
        }
        self.0[count] += 1;
    }

    /// Σ over groups of ψ(n + a) − ψ(a) = Σ_i (groups with more than i) / (a + i).
    pub(super) fn rise(&self, a: f64) -> f64 {
        let (mut more, mut sum) = (0.0, 0.0);
        for (i, groups) in self.0.iter().enumerate().skip(1).rev() {
            more += f64::from(*groups);
            sum += more / (a + (i - 1) as f64);
        }
        sum
    }
}

/// Rounds of Minka's fixed point for the prior of each share: α_k ← α_k Σ_d [ψ(n_dk + α_k) − ψ(α_k)] / Σ_d [ψ(n_d + Σα) − ψ(Σα)].
/// Equation 55 of T. P. Minka, Estimating a Dirichlet distribution, 2000.
pub(super) fn from_counts(shares: &[Tally], totals: &Tally, alpha: &mut [f64], rounds: usize) {
    for _ in 0..rounds {
        let below = totals.rise(alpha.iter().sum());
        if below > 0.0 {
            for (a, tally) in alpha.iter_mut().zip(shares) {
                *a = (*a * tally.rise(*a) / below).clamp(RANGE.0, RANGE.1);
            }
        }
    }
}

/// The same for one prior that all of `d` shares have, of groups with these totals.
pub(super) fn from_counts_alike(shares: &Tally, totals: &[i64], d: usize, eta: &mut f64, rounds: usize) {
    for _ in 0..rounds {
        let whole = *eta * d as f64;
        let rise: f64 = totals.iter().map(|n| digamma(*n as f64 + whole) - digamma(whole)).sum();
        if rise > 0.0 {
            *eta = (*eta * shares.rise(*eta) / (d as f64 * rise)).clamp(RANGE.0, RANGE.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_zero_at_the_learnt_prior() {
        // E ln θ of a Dirichlet law is ψ(α) − ψ(Σα): its own prior is the likeliest.
        let truth = [0.3, 2.0, 0.05, 7.0];
        let whole = digamma(truth.iter().sum());
        let means: Vec<f64> = truth.iter().map(|a| digamma(*a) - whole).collect();
        let mut alpha = vec![0.25; 4];
        from_logs(&means, &mut alpha);
        alpha.iter().zip(truth).for_each(|(a, t)| assert!((a - t).abs() < 1e-7 * t, "{alpha:?}"));
    }

    #[test]
    fn sums_of_digammas_come_from_tallies() {
        let mut tally = Tally::default();
        [0, 3, 1, 7, 3].into_iter().for_each(|n| tally.add(n));
        let expected: f64 = [0.0, 3.0, 1.0, 7.0, 3.0].iter().map(|n| digamma(n + 0.4) - digamma(0.4)).sum();
        assert!((tally.rise(0.4) - expected).abs() < 1e-12);
    }

    #[test]
    fn the_fixed_point_is_the_likeliest_prior_of_counts() {
        let rows = [[5, 0, 1], [2, 2, 0], [0, 1, 9], [7, 1, 1], [1, 0, 0]];
        let mut shares = vec![Tally::default(); 3];
        let mut totals = Tally::default();
        for row in rows {
            shares.iter_mut().zip(row).for_each(|(t, n)| t.add(n));
            totals.add(row.iter().sum());
        }
        let mut alpha = vec![0.5; 3];
        from_counts(&shares, &totals, &mut alpha, 5000);
        let whole = totals.rise(alpha.iter().sum());
        for (a, t) in alpha.iter().zip(&shares) {
            assert!((t.rise(*a) - whole).abs() < 1e-8, "{alpha:?}");
        }
    }
}
