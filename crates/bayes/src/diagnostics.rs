//! Have the chains mixed? R-hat and effective sample size.

/// Splits each chain in two halves of equal length.
fn halves(chains: &[Vec<f64>]) -> Vec<&[f64]> {
    chains
        .iter()
        .flat_map(|c| {
            let half = c.len() / 2;
            [&c[..half], &c[c.len() - half..]]
        })
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let m = mean(values);
    values.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

/// Mean within-chain variance W, and the pooled estimate (n−1)/n W + B/n.
fn within_and_pooled(chains: &[&[f64]]) -> (f64, f64) {
    let n = chains.first().map_or(0, |c| c.len()) as f64;
    let within = mean(&chains.iter().map(|c| variance(c)).collect::<Vec<_>>());
    let between = variance(&chains.iter().map(|c| mean(c)).collect::<Vec<_>>());
    (within, (n - 1.0) / n * within + between)
}

/// Split R-hat (Gelman et al., BDA3, section 11.4): near 1 when the halves of all chains agree. NaN for fewer
/// than four draws a chain, and for chains that never moved.
pub fn split_r_hat(chains: &[Vec<f64>]) -> f64 {
    if chains.is_empty() || chains.iter().any(|c| c.len() < 4) {
        return f64::NAN;
    }
    let (within, pooled) = within_and_pooled(&halves(chains));
    if within > 0.0 { (pooled / within).sqrt() } else { f64::NAN }
}

/// Effective sample size over all chains, by Geyer's initial monotone sequence on split chains (Vehtari et al.
/// 2021, section 3). NaN where R-hat is.
pub fn effective_sample_size(chains: &[Vec<f64>]) -> f64 {
    if chains.is_empty() || chains.iter().any(|c| c.len() < 4) {
        return f64::NAN;
    }
    let parts = halves(chains);
    let (n, m) = (parts[0].len(), parts.len());
    let (within, pooled) = within_and_pooled(&parts);
    if within.is_nan() || within <= 0.0 {
        return f64::NAN;
    }
    let autocorrelation = |lag: usize| {
        let covariance = |c: &&[f64]| {
            let centre = mean(c);
            (0..n - lag).map(|t| (c[t] - centre) * (c[t + lag] - centre)).sum::<f64>() / n as f64
        };
        let mean_covariance = parts.iter().map(covariance).sum::<f64>() / m as f64;
        let scaled_within = within * (n as f64 - 1.0) / n as f64;
        1.0 - (scaled_within - mean_covariance) / pooled
    };
    let (mut total, mut previous) = (0.0, f64::INFINITY);
    for pair in 0..n / 2 {
        let sum = autocorrelation(2 * pair) + autocorrelation(2 * pair + 1);
        if sum <= 0.0 {
            break;
        }
        previous = sum.min(previous);
        total += previous;
    }
    let draws = (n * m) as f64;
    let time = (2.0 * total - 1.0).max(1.0 / draws.log10().max(1.0));
    (draws / time).min(draws * draws.log10().max(1.0))
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
            let found = effective_sample_size(&chains);
            assert!((found / expected - 1.0).abs() < tolerance, "phi {phi}: {found} {expected}");
            assert!((split_r_hat(&chains) - 1.0).abs() < 0.02);
        }
    }

    #[test]
    fn chains_apart_or_stuck_are_seen() {
        let apart: Vec<Vec<f64>> =
            (0..4).map(|c| ar1(0.0, 500, c).iter().map(|v| v + 3.0 * c as f64).collect()).collect();
        assert!(split_r_hat(&apart) > 1.5);
        assert!(split_r_hat(&[vec![1.0; 100]]).is_nan());
    }
}
