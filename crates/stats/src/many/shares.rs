//! The laws of shares and of counts that sum up: Dirichlet's and the multinomial.

use crate::draw::{binomial, dirichlet};
use crate::information::mean_over;
use crate::laws::{Beta, Binomial};
use mercer_core::{Error, Result};
use mercer_math::special::{digamma, gamma_entropy, lgamma, trigamma};
use mercer_math::{Mat, MatRef, Rng};

const DIRICHLET: &str = "Dirichlet";

/// Dirichlet's law of shares that sum to one, proportional to Π xⱼ^{αⱼ − 1}.
#[derive(Clone, Debug, PartialEq)]
pub struct Dirichlet {
    alpha: Vec<f64>,
}

impl Dirichlet {
    /// The law with these concentrations, two or more, each above zero.
    ///
    /// # Example
    /// ```
    /// use mercer_stats::Dirichlet;
    /// let law = Dirichlet::new(vec![1.0, 2.0, 3.0])?;
    /// // Shares of the parts of a partition follow Dirichlet's law, too.
    /// assert_eq!(law.merged(&[vec![0, 1], vec![2]])?, Dirichlet::new(vec![3.0, 3.0])?);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn new(alpha: Vec<f64>) -> Result<Self> {
        if alpha.len() < 2 {
            return Err(Error::too_few(DIRICHLET, "concentrations", 2, alpha.len()));
        }
        match alpha.iter().position(|a| !(0.0 < *a && a.is_finite())) {
            Some(j) => Err(Error::param(DIRICHLET, "alpha", "in (0, inf)", format!("{} at {j}", alpha[j]))),
            None => Ok(Self { alpha }),
        }
    }

    /// The concentrations.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    fn total(&self) -> f64 {
        self.alpha.iter().sum()
    }

    /// The logarithm of B(α) = Π Γ(αⱼ) / Γ(Σ αⱼ).
    fn log_beta(&self) -> f64 {
        self.alpha.iter().map(|a| lgamma(*a)).sum::<f64>() - lgamma(self.total())
    }

    /// The logarithm of the density at shares that sum to one; minus infinity elsewhere.
    pub fn log_density(&self, x: &[f64]) -> Result<f64> {
        if x.len() != self.alpha.len() {
            return Err(Error::shape("shares", self.alpha.len(), x.len()));
        }
        let sum: f64 = x.iter().sum();
        if x.iter().any(|v| !(0.0..=1.0).contains(v)) || (sum - 1.0).abs() > 1e-8 {
            return Ok(f64::NEG_INFINITY);
        }
        // A share of zero weighs nothing where its concentration is 1.
        let term = |(a, x): (&f64, &f64)| if *a == 1.0 { 0.0 } else { (a - 1.0) * x.ln() };
        Ok(self.alpha.iter().zip(x).map(term).sum::<f64>() - self.log_beta())
    }

    /// A draw.
    pub fn draw(&self, rng: &mut Rng) -> Vec<f64> {
        dirichlet(rng, &self.alpha)
    }

    /// The mean.
    pub fn mean(&self) -> Vec<f64> {
        self.alpha.iter().map(|a| a / self.total()).collect()
    }

    /// The covariance.
    pub fn covariance(&self) -> Mat {
        let (mean, total) = (self.mean(), self.total());
        let at = |i: usize, j: usize| (f64::from(i == j) * mean[i] - mean[i] * mean[j]) / (total + 1.0);
        Mat::from_fn(mean.len(), mean.len(), at)
    }

    /// The differential entropy in nats.
    pub fn entropy(&self) -> f64 {
        let (total, k) = (self.total(), self.alpha.len() as f64);
        let own: f64 = self.alpha.iter().map(|a| gamma_entropy(*a)).sum();
        own - gamma_entropy(total) - (k - 1.0) * digamma(total)
    }

    /// The law of one share.
    pub fn marginal(&self, j: usize) -> Result<Beta> {
        match self.alpha.get(j) {
            Some(&a) => Beta::new(a, self.total() - a),
            None => Err(Error::param(DIRICHLET, "j", format!("below {}", self.alpha.len()), j)),
        }
    }

    /// The law of the sums of shares over the parts of a partition.
    pub fn merged(&self, parts: &[Vec<usize>]) -> Result<Dirichlet> {
        let mut seen = vec![false; self.alpha.len()];
        for &j in parts.iter().flatten() {
            if j >= seen.len() || std::mem::replace(&mut seen[j], true) {
                return Err(Error::param(
                    DIRICHLET,
                    "parts",
                    "a partition of all places",
                    format!("{j} twice or beyond"),
                ));
            }
        }
        if let Some(j) = seen.iter().position(|s| !s) {
            return Err(Error::param(
                DIRICHLET,
                "parts",
                "a partition of all places",
                format!("nothing with {j}"),
            ));
        }
        Dirichlet::new(parts.iter().map(|part| part.iter().map(|&j| self.alpha[j]).sum()).collect())
    }

    /// The law after counts were seen: α + counts.
    pub fn posterior(&self, counts: &[f64]) -> Result<Dirichlet> {
        if counts.len() != self.alpha.len() {
            return Err(Error::shape("counts", self.alpha.len(), counts.len()));
        }
        if let Some(c) = counts.iter().find(|c| !(**c >= 0.0 && c.is_finite())) {
            return Err(Error::param(DIRICHLET, "counts", "finite and at least 0", c));
        }
        Dirichlet::new(self.alpha.iter().zip(counts).map(|(a, c)| a + c).collect())
    }

    /// The most likely law of some rows of shares, by Newton's steps (T. P. Minka. Estimating a Dirichlet distribution. 2000).
    pub fn fit(rows: MatRef<'_>) -> Result<Dirichlet> {
        let (n, k) = (rows.n_rows(), rows.n_cols());
        if n < 2 {
            return Err(Error::too_few(DIRICHLET, "rows", 2, n));
        }
        for i in 0..n {
            let sum: f64 = (0..k).map(|j| rows.get(i, j)).sum();
            let positive = (0..k).all(|j| rows.get(i, j) > 0.0);
            if !positive || (sum - 1.0).abs() > 1e-8 {
                return Err(Error::param(
                    DIRICHLET,
                    "rows",
                    "positive shares that sum to 1",
                    format!("row {i}"),
                ));
            }
        }
        let logs: Vec<f64> =
            (0..k).map(|j| (0..n).map(|i| rows.get(i, j).ln()).sum::<f64>() / n as f64).collect();
        let alpha = climbed(first_guess(rows), &logs);
        match alpha.iter().all(|a| a.is_finite() && *a < 1e12) {
            true => Dirichlet::new(alpha),
            false => Err(Error::numeric(DIRICHLET, "the likelihood has no maximum: the rows are all alike")),
        }
    }
}

/// The concentrations under which shares with these means of logarithms are most likely, by Newton's steps that stay above zero.
pub(crate) fn climbed(mut alpha: Vec<f64>, logs: &[f64]) -> Vec<f64> {
    for _ in 0..1000 {
        let step = newton(&alpha, logs);
        if !step.iter().all(|s| s.is_finite()) {
            break;
        }
        let mut share = 1.0;
        let next = loop {
            let next: Vec<f64> = alpha.iter().zip(&step).map(|(a, s)| a - share * s).collect();
            if next.iter().all(|a| *a > 0.0) {
                break next;
            }
            share *= 0.5;
        };
        let moved = alpha.iter().zip(&next).map(|(a, b)| ((a - b) / a).abs()).fold(0.0, f64::max);
        alpha = next;
        if moved < 1e-14 {
            break;
        }
    }
    alpha
}

/// Concentrations whose means and first variance are those of the rows.
fn first_guess(rows: MatRef<'_>) -> Vec<f64> {
    let (n, k) = (rows.n_rows() as f64, rows.n_cols());
    let moment = |j: usize, p: i32| (0..rows.n_rows()).map(|i| rows.get(i, j).powi(p)).sum::<f64>() / n;
    let means: Vec<f64> = (0..k).map(|j| moment(j, 1)).collect();
    let second = moment(0, 2);
    let total = ((means[0] - second) / (second - means[0] * means[0]).max(1e-12)).clamp(1e-2, 1e6);
    means.iter().map(|m| (m * total).max(1e-3)).collect()
}

/// Newton's step of the mean log likelihood, whose Hessian is diagonal plus a constant.
fn newton(alpha: &[f64], logs: &[f64]) -> Vec<f64> {
    let total: f64 = alpha.iter().sum();
    let gradient: Vec<f64> = alpha.iter().zip(logs).map(|(a, l)| digamma(total) - digamma(*a) + l).collect();
    let diagonal: Vec<f64> = alpha.iter().map(|a| -trigamma(*a)).collect();
    let shared = trigamma(total);
    let top: f64 = gradient.iter().zip(&diagonal).map(|(g, q)| g / q).sum();
    let bottom = 1.0 / shared + diagonal.iter().map(|q| 1.0 / q).sum::<f64>();
    gradient.iter().zip(&diagonal).map(|(g, q)| (g - top / bottom) / q).collect()
}

const MULTINOMIAL: &str = "Multinomial";

/// The law of how often each of some outcomes comes up in n trials; of one trial it is the categorical law.
#[derive(Clone, Debug, PartialEq)]
pub struct Multinomial {
    n: u64,
    p: Vec<f64>,
}

impl Multinomial {
    /// The law of `n` trials whose outcomes have probabilities in proportion to `weights`.
    pub fn new(n: u64, weights: &[f64]) -> Result<Self> {
        let total: f64 = weights.iter().sum();
        if let Some(w) = weights.iter().find(|w| !(**w >= 0.0 && w.is_finite())) {
            return Err(Error::param(MULTINOMIAL, "weights", "finite and at least 0", w));
        }
        if !(total > 0.0 && total.is_finite()) {
            return Err(Error::param(MULTINOMIAL, "weights", "some above zero, with a finite sum", total));
        }
        Ok(Self { n, p: weights.iter().map(|w| w / total).collect() })
    }

    /// The number of trials.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// The probabilities.
    pub fn p(&self) -> &[f64] {
        &self.p
    }

    /// The logarithm of the probability of counts; minus infinity where they do not sum to the number of trials.
    pub fn log_density(&self, counts: &[f64]) -> Result<f64> {
        if counts.len() != self.p.len() {
            return Err(Error::shape("counts", self.p.len(), counts.len()));
        }
        let whole = counts.iter().all(|c| *c >= 0.0 && *c == c.floor());
        if !whole || counts.iter().sum::<f64>() != self.n as f64 {
            return Ok(f64::NEG_INFINITY);
        }
        let term = |(c, p): (&f64, &f64)| if *c == 0.0 { 0.0 } else { c * p.ln() - lgamma(c + 1.0) };
        Ok(lgamma(self.n as f64 + 1.0) + counts.iter().zip(&self.p).map(term).sum::<f64>())
    }

    /// Counts of one draw: binomial numbers of what is left.
    pub fn draw(&self, rng: &mut Rng) -> Vec<f64> {
        let (mut left, mut share) = (self.n as f64, 1.0);
        let last = self.p.iter().rposition(|p| *p > 0.0).unwrap_or(0);
        let mut count = |(j, p): (usize, &f64)| {
            let c = match j {
                _ if left == 0.0 || *p == 0.0 => 0.0,
                _ if j == last => left,
                _ => binomial(rng, left, (p / share).clamp(0.0, 1.0)),
            };
            left -= c;
            share -= p;
            c
        };
        self.p.iter().enumerate().map(&mut count).collect()
    }

    /// The entropy in nats: what the order of the trials tells is left out, ln n! less the means of ln xⱼ! over their binomial laws.
    pub fn entropy(&self) -> f64 {
        let n = self.n as f64;
        let each = |p: &f64| {
            let law = Binomial { n, p: *p };
            let surprise = if *p > 0.0 { n * p * p.ln() } else { 0.0 };
            mean_over(&law, |x| lgamma(x + 1.0)) - surprise
        };
        self.p.iter().map(each).sum::<f64>() - lgamma(n + 1.0)
    }

    /// The mean.
    pub fn mean(&self) -> Vec<f64> {
        self.p.iter().map(|p| self.n as f64 * p).collect()
    }

    /// The covariance.
    pub fn covariance(&self) -> Mat {
        let p = &self.p;
        Mat::from_fn(p.len(), p.len(), |i, j| self.n as f64 * (f64::from(i == j) * p[i] - p[i] * p[j]))
    }
}
