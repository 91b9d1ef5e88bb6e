//! The Dirichlet process DP(α, H): weights by breaking sticks, draws from an urn, partitions at the tables of a restaurant.
//!
//! A draw G of the process is Σ wₖ δ(θₖ) with θₖ from H and weights from GEM(α); its masses on the cells of any partition
//! of the space are Dirichlet(α H(A₁), …, α H(Aᵣ)). Draws from G, with G left out, follow the urn of Blackwell and MacQueen; their ties are the
//! tables of the Chinese restaurant process.
//!
//! - T. S. Ferguson. A Bayesian analysis of some nonparametric problems. Ann. Statist. 1(2), 1973. doi:10.1214/aos/1176342360
//! - D. Blackwell, J. B. MacQueen. Ferguson distributions via Pólya urn schemes. Ann. Statist. 1(2), 1973. doi:10.1214/aos/1176342372
//! - J. Sethuraman. A constructive definition of Dirichlet priors. Statistica Sinica 4, 1994.

use mercer_core::{Error, Result};
use mercer_math::special::lgamma;
use mercer_math::{Rng, below, uniform};
use mercer_stats::draw::beta;

/// Refuses a concentration that is not positive.
fn positive(owner: &str, alpha: f64) -> Result<()> {
    let fits = alpha > 0.0 && alpha.is_finite();
    if fits { Ok(()) } else { Err(Error::param(owner, "alpha", "in (0, inf)", alpha)) }
}

/// The first `n` weights of GEM(α): each breaks Beta(1, α) off what the others have left.
///
/// # Example
/// ```
/// let mut rng = mercer_math::rng_for(1, 1);
/// let weights = mercer_cluster::stick_breaking(&mut rng, 2.0, 100)?;
/// assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-6);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn stick_breaking(rng: &mut Rng, alpha: f64, n: usize) -> Result<Vec<f64>> {
    positive("stick_breaking", alpha)?;
    let mut left = 1.0;
    let broken = |_| {
        let share = beta(rng, 1.0, alpha);
        let own = left * share;
        left *= 1.0 - share;
        own
    };
    Ok((0..n).map(broken).collect())
}

/// The tables of `n` guests of a Chinese restaurant process: a guest sits at a table of m others with probability m / (α + i), at
/// a new one with α / (α + i), where i sit already.
pub fn crp(rng: &mut Rng, alpha: f64, n: usize) -> Result<Vec<usize>> {
    positive("crp", alpha)?;
    let mut tables: Vec<usize> = Vec::with_capacity(n);
    let mut count = 0;
    for i in 0..n {
        // Sitting beside a guest who is drawn evenly is sitting at a table by its size.
        if uniform(rng) * (alpha + i as f64) < alpha || i == 0 {
            tables.push(count);
            count += 1;
        } else {
            let beside = below(rng, i);
            tables.push(tables[beside]);
        }
    }
    Ok(tables)
}

/// The logarithm of the probability that guests sit at tables of these sizes, for one given way to part them:
/// αᴷ Π (nₖ − 1)! Γ(α) / Γ(α + n). The order of arrivals does not matter.
///
/// # Example
/// ```
/// // Three guests at one table, α = 1: 1 · 1/2 · 2/3.
/// let log = mercer_cluster::crp_log_probability(1.0, &[3])?;
/// assert!((log.exp() - 1.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn crp_log_probability(alpha: f64, sizes: &[usize]) -> Result<f64> {
    positive("crp_log_probability", alpha)?;
    if sizes.contains(&0) {
        return Err(Error::param("crp_log_probability", "sizes", "tables with guests", 0));
    }
    let n: usize = sizes.iter().sum();
    let tables: f64 = sizes.iter().map(|m| lgamma(*m as f64)).sum();
    // For a concentration beyond the guests the two gamma functions would cancel: their ratio is a product of as many factors as guests.
    let seats = match alpha > n as f64 {
        true => -(0..n).map(|i| (i as f64 / alpha).ln_1p()).sum::<f64>() - n as f64 * alpha.ln(),
        false => lgamma(alpha) - lgamma(alpha + n as f64),
    };
    Ok(sizes.len() as f64 * alpha.ln() + tables + seats)
}

/// The expected number of tables of `n` guests: Σ α / (α + i − 1).
pub fn expected_tables(alpha: f64, n: usize) -> Result<f64> {
    positive("expected_tables", alpha)?;
    Ok((0..n).map(|i| alpha / (alpha + i as f64)).sum())
}

/// The probabilities of 0, 1, …, n tables of `n` guests.
pub fn table_probabilities(alpha: f64, n: usize) -> Result<Vec<f64>> {
    positive("table_probabilities", alpha)?;
    let mut chances = vec![0.0; n + 1];
    chances[0] = 1.0;
    let mut most = 0;
    for i in 0..n {
        let all = alpha + i as f64;
        for k in (1..=most + 1).rev() {
            chances[k] = chances[k] * (i as f64 / all) + chances[k - 1] * (alpha / all);
        }
        chances[0] = 0.0;
        // Far fewer tables than guests have a chance that is a number.
        most = (0..=most + 1).rfind(|k| chances[*k] > f64::MIN_POSITIVE).unwrap_or(0);
        chances[most + 1..].iter_mut().take(2).for_each(|p| *p = 0.0);
    }
    Ok(chances)
}

/// `n` draws from the urn: a new one from `base` with probability α / (α + i), else one of the i before it, evenly.
pub fn polya_urn<T: Clone>(
    rng: &mut Rng,
    alpha: f64,
    n: usize,
    mut base: impl FnMut(&mut Rng) -> T,
) -> Result<Vec<T>> {
    positive("polya_urn", alpha)?;
    let mut drawn: Vec<T> = Vec::with_capacity(n);
    for i in 0..n {
        let next = if i == 0 || uniform(rng) * (alpha + i as f64) < alpha {
            base(rng)
        } else {
            drawn[below(rng, i)].clone()
        };
        drawn.push(next);
    }
    Ok(drawn)
}

/// The parameters of the Dirichlet distribution that the process has on the cells of a partition with these masses under H.
pub fn dirichlet_marginals(alpha: f64, masses: &[f64]) -> Result<Vec<f64>> {
    positive("dirichlet_marginals", alpha)?;
    let total: f64 = masses.iter().sum();
    if !(masses.iter().all(|m| *m >= 0.0) && (total - 1.0).abs() < 1e-9) {
        let expected = "masses of a partition, with sum 1";
        return Err(Error::param("dirichlet_marginals", "masses", expected, format!("sum {total}")));
    }
    Ok(masses.iter().map(|m| alpha * m).collect())
}
