//! Have the chains mixed? R-hat, effective sample sizes and standard errors, as Vehtari et al. (2021) define them.

use mercer_math::quantile_sorted;
use mercer_math::special::{beta_quantile, norm_ppf};

/// Whether there are chains of one length, of at least four finite draws each.
fn usable(chains: &[Vec<f64>]) -> bool {
    let n = chains.first().map_or(0, Vec::len);
    n >= 4 && chains.iter().all(|c| c.len() == n && c.iter().all(|v| v.is_finite()))
}

/// Splits each chain in two halves of equal length; of an odd number the middle one is left out.
fn halves(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let half = |c: &Vec<f64>| {
        let half = c.len() / 2;
        [c[..half].to_vec(), c[c.len() - half..].to_vec()]
    };
    chains.iter().flat_map(half).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let m = mean(values);
    values.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

fn sorted(chains: &[Vec<f64>]) -> Vec<f64> {
    let mut all = chains.concat();
    all.sort_unstable_by(f64::total_cmp);
    all
}

/// Normal scores of the ranks among all draws; equal values share the mean of their ranks (Blom 1958).
fn normal_scores(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let all = chains.concat();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_unstable_by(|&a, &b| all[a].total_cmp(&all[b]).then(a.cmp(&b)));
    let (mut scores, mut at) = (vec![0.0; all.len()], 0);
    while at < order.len() {
        let same = order[at..].iter().take_while(|&&i| all[i] == all[order[at]]).count().max(1);
        let rank = at as f64 + (same as f64 + 1.0) / 2.0;
        let score = norm_ppf((rank - 0.375) / (all.len() as f64 + 0.25));
        order[at..at + same].iter().for_each(|&i| scores[i] = score);
        at += same;
    }
    let mut rest = scores.as_slice();
    let mut cut = |n: usize| {
        let (one, more) = rest.split_at(n);
        rest = more;
        one.to_vec()
    };
    chains.iter().map(|c| cut(c.len())).collect()
}

/// √(((n − 1) W + B) / (n W)) with the variance W within chains and B between them.
fn plain_r_hat(chains: &[Vec<f64>]) -> f64 {
    let n = chains.first().map_or(0, Vec::len) as f64;
    let within = mean(&chains.iter().map(|c| variance(c)).collect::<Vec<_>>());
    let between = n * variance(&chains.iter().map(|c| mean(c)).collect::<Vec<_>>());
    if within > 0.0 { ((between / within + n - 1.0) / n).sqrt() } else { f64::NAN }
}

/// Split R-hat of the draws as they are (Gelman et al., BDA3, section 11.4): near 1 when the halves of all chains agree. NaN for
/// fewer than four draws a chain, and for chains that never moved.
pub fn split_r_hat(chains: &[Vec<f64>]) -> f64 {
    if usable(chains) { plain_r_hat(&halves(chains)) } else { f64::NAN }
}

/// R-hat of ranks: the larger one of split R-hat of the draws' normal scores, which sees chains apart, and of those of their
/// distances from the median, which sees chains of different spread. At most 1.01 where chains have mixed. NaN as [`split_r_hat`].
pub fn r_hat(chains: &[Vec<f64>]) -> f64 {
    if !usable(chains) {
        return f64::NAN;
    }
    let halves = halves(chains);
    let middle = quantile_sorted(&sorted(&halves), 0.5);
    let folded: Vec<Vec<f64>> =
        halves.iter().map(|c| c.iter().map(|v| (v - middle).abs()).collect()).collect();
    let (bulk, tail) = (plain_r_hat(&normal_scores(&halves)), plain_r_hat(&normal_scores(&folded)));
    // A distance that never changes says nothing of the tails.
    if tail.is_nan() { bulk } else { bulk.max(tail) }
}

/// Effective sample size by Geyer's initial monotone sequence of autocorrelations over all chains.
fn effective(chains: &[Vec<f64>]) -> f64 {
    let (m, n) = (chains.len(), chains.first().map_or(0, Vec::len));
    let all = || chains.iter().flatten().copied();
    let range = all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min);
    if range < 1e-15 {
        return (m * n) as f64;
    }
    let centred: Vec<Vec<f64>> = chains
        .iter()
        .map(|c| {
            let centre = mean(c);
            c.iter().map(|v| v - centre).collect()
        })
        .collect();
    let covariance = |lag: usize| {
        let one = |c: &Vec<f64>| mercer_math::dot(&c[..n - lag], &c[lag..]) / n as f64;
        centred.iter().map(one).sum::<f64>() / m as f64
    };
    let within = covariance(0) * n as f64 / (n as f64 - 1.0);
    let mut pooled = covariance(0);
    if m > 1 {
        pooled += variance(&chains.iter().map(|c| mean(c)).collect::<Vec<_>>());
    }
    let rho = |lag: usize| 1.0 - (within - covariance(lag)) / pooled;
    let mut found = vec![1.0, rho(1)];
    let (mut even, mut odd, mut t) = (1.0, found[1], 1);
    while t + 3 < n && even + odd > 0.0 {
        (even, odd) = (rho(t + 1), rho(t + 2));
        // Pairs are positive up to the first that is not.
        let pair = if even + odd >= 0.0 { [even, odd] } else { [0.0, 0.0] };
        found.extend(pair);
        t += 2;
    }
    // The last pair is cut off; its first half still helps where it is positive.
    let last = t as i64 - 2;
    found.resize((t + 1).max(2), 0.0);
    if even > 0.0 && last >= -1 {
        found[(last + 1) as usize] = even;
    }
    let mut t = 1;
    while t as i64 <= last - 2 {
        let before = found[t - 1] + found[t];
        if found[t + 1] + found[t + 2] > before {
            (found[t + 1], found[t + 2]) = (before / 2.0, before / 2.0);
        }
        t += 2;
    }
    let kept = (last + 1).max(0) as usize;
    let more = found.get(kept).copied().unwrap_or(0.0);
    let draws = (m * n) as f64;
    let time = -1.0 + 2.0 * found[..kept].iter().sum::<f64>() + more;
    draws / time.max(1.0 / draws.log10())
}

/// Effective sample size for the mean of the draws: as they are, in halves. NaN as [`split_r_hat`].
pub fn effective_sample_size(chains: &[Vec<f64>]) -> f64 {
    if usable(chains) { effective(&halves(chains)) } else { f64::NAN }
}

/// Effective sample size of the bulk: that of the normal scores of ranks. NaN as [`split_r_hat`].
pub fn ess_bulk(chains: &[Vec<f64>]) -> f64 {
    if usable(chains) { effective(&normal_scores(&halves(chains))) } else { f64::NAN }
}

/// Effective sample size for a quantile: that of being at most it. NaN as [`split_r_hat`].
pub fn ess_quantile(chains: &[Vec<f64>], share: f64) -> f64 {
    if !usable(chains) {
        return f64::NAN;
    }
    let border = quantile_sorted(&sorted(chains), share);
    let below = |c: &Vec<f64>| c.iter().map(|v| f64::from(u8::from(*v <= border))).collect();
    effective(&halves(&chains.iter().map(below).collect::<Vec<_>>()))
}

/// Effective sample size of the tails: the smaller one of those for the quantiles 5 % and 95 %.
pub fn ess_tail(chains: &[Vec<f64>]) -> f64 {
    ess_quantile(chains, 0.05).min(ess_quantile(chains, 0.95))
}

/// The standard error of the mean of the draws.
pub fn mcse_mean(chains: &[Vec<f64>]) -> f64 {
    variance(&chains.concat()).sqrt() / effective_sample_size(chains).sqrt()
}

/// The standard error of the standard deviation of the draws.
pub fn mcse_sd(chains: &[Vec<f64>]) -> f64 {
    let centre = mean(&chains.concat());
    let squares: Vec<Vec<f64>> =
        chains.iter().map(|c| c.iter().map(|v| (v - centre).powi(2)).collect()).collect();
    let all = squares.concat();
    let (second, fourth) = (mean(&all), mean(&all.iter().map(|s| s * s).collect::<Vec<_>>()));
    let spread = (fourth - second * second) / effective_sample_size(&squares);
    (spread / second / 4.0).sqrt()
}

/// The standard error of a quantile of the draws: half of what one standard deviation of its rank spans.
pub fn mcse_quantile(chains: &[Vec<f64>], share: f64) -> f64 {
    let ess = ess_quantile(chains, share);
    if ess.is_nan() {
        return f64::NAN;
    }
    let all = sorted(chains);
    let place =
        |p: f64| beta_quantile(ess * share + 1.0, ess * (1.0 - share) + 1.0, p) * all.len() as f64 - 1.0;
    let (low, high) = (place(0.158_655_3).max(0.0), place(0.841_344_7).min(all.len() as f64 - 1.0));
    (all[high.max(0.0).ceil() as usize] - all[low.floor() as usize]) / 2.0
}

/// The shortest interval that holds a share of the draws; NaN for too few.
pub fn hdi(chains: &[Vec<f64>], share: f64) -> (f64, f64) {
    let all = sorted(chains);
    let inside = (share * all.len() as f64).floor() as usize;
    let width = |i: &usize| all[i + inside] - all[*i];
    let first = (0..all.len().saturating_sub(inside)).min_by(|a, b| width(a).total_cmp(&width(b)));
    first.map_or((f64::NAN, f64::NAN), |i| (all[i], all[i + inside]))
}

/// The fraction of missing information that the energies of a chain tell of (Betancourt 2016): below 0.3 momenta explore
/// the energies poorly.
pub fn e_bfmi(energy: &[f64]) -> f64 {
    let steps: Vec<f64> = energy.windows(2).map(|w| (w[1] - w[0]).powi(2)).collect();
    if steps.is_empty() { f64::NAN } else { mean(&steps) / variance(energy) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{normal, rng_for};

    fn ar1(phi: f64, n: usize, stream: u64) -> Vec<f64> {
        let mut rng = rng_for(9, stream);
        let mut x = 0.0;
        (0..n)
            .map(|_| {
                x = phi * x + normal(&mut rng);
                x
            })
            .collect()
    }

    /// An AR(1) chain of n draws has n (1−φ)/(1+φ) effective ones.
    #[test]
    fn effective_size_of_autoregressions() {
        for (phi, tolerance) in [(0.0, 0.15), (0.5, 0.15), (0.9, 0.25)] {
            let chains: Vec<_> = (0..4).map(|c| ar1(phi, 5000, c)).collect();
            let expected = 20_000.0 * (1.0 - phi) / (1.0 + phi);
            for found in [effective_sample_size(&chains), ess_bulk(&chains)] {
                assert!((found / expected - 1.0).abs() < tolerance, "phi {phi}: {found} {expected}");
            }
            assert!((split_r_hat(&chains) - 1.0).abs() < 0.02 && (r_hat(&chains) - 1.0).abs() < 0.02);
        }
    }

    #[test]
    fn chains_apart_stuck_or_of_another_spread_are_seen() {
        let apart: Vec<Vec<f64>> =
            (0..4).map(|c| ar1(0.0, 500, c).iter().map(|v| v + 3.0 * c as f64).collect()).collect();
        assert!(split_r_hat(&apart) > 1.5 && r_hat(&apart) > 1.5);
        assert!(split_r_hat(&[vec![1.0; 100]]).is_nan() && r_hat(&[vec![1.0; 100]]).is_nan());
        // Plain R-hat sees means alone.
        let wide: Vec<Vec<f64>> =
            (0..4).map(|c| ar1(0.0, 500, c).iter().map(|v| v * (1.0 + 2.0 * c as f64)).collect()).collect();
        assert!(split_r_hat(&wide) < 1.05 && r_hat(&wide) > 1.1);
        assert!(r_hat(&[vec![1.0, f64::NAN, 2.0, 3.0]]).is_nan() && r_hat(&[]).is_nan());
    }
}
