//! Probabilities of decisions: Platt's sigmoids, and how those of pairs are joined.

use mercer_core::Result;
use mercer_math::{Rng, shuffle};
use serde::{Deserialize, Serialize};

/// P(y = 1 | f) = 1 / (1 + exp(a f + b)).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sigmoid {
    pub(crate) a: f64,
    pub(crate) b: f64,
}

/// Folds of the rows on which decisions are learnt from.
const FOLDS: usize = 5;

impl Sigmoid {
    /// Learns from decisions on each fold by a machine of the others; where those have one class alone, it decides.
    pub(crate) fn learn(
        y: &[f64],
        mut rng: Rng,
        decide: impl Fn(&[usize], &[usize]) -> Result<Vec<f64>>,
    ) -> Result<Self> {
        let n = y.len();
        let mut order: Vec<usize> = (0..n).collect();
        shuffle(&mut rng, &mut order);
        let mut decisions = vec![0.0; n];
        for fold in 0..FOLDS {
            let (start, end) = (fold * n / FOLDS, (fold + 1) * n / FOLDS);
            let test = &order[start..end];
            let train: Vec<usize> = order[..start].iter().chain(&order[end..]).copied().collect();
            let both = [1.0, -1.0].map(|class| train.iter().any(|&i| y[i] == class));
            let found = match both {
                [true, true] => decide(&train, test)?,
                [up, down] => vec![f64::from(u8::from(up)) - f64::from(u8::from(down)); test.len()],
            };
            test.iter().zip(found).for_each(|(&i, f)| decisions[i] = f);
        }
        Ok(Self::fit(&decisions, y))
    }

    /// min −Σ t log p + (1 − t) log(1 − p) over a and b, by Newton's method with backtracking; t is the share of ones, drawn
    /// a little towards the middle.
    ///
    /// Lin, Lin, Weng. A note on Platt's probabilistic outputs for support vector machines. Machine Learning 68, 2007.
    pub(crate) fn fit(f: &[f64], y: &[f64]) -> Self {
        let ones = y.iter().filter(|y| **y > 0.0).count() as f64;
        let zeros = y.len() as f64 - ones;
        let (high, low) = ((ones + 1.0) / (ones + 2.0), 1.0 / (zeros + 2.0));
        let t: Vec<f64> = y.iter().map(|y| if *y > 0.0 { high } else { low }).collect();
        let loss = |a: f64, b: f64| -> f64 {
            f.iter()
                .zip(&t)
                .map(|(f, t)| (a * f + b, t))
                .map(|(z, t)| t * z + mercer_math::log1p_exp(-z))
                .sum()
        };
        let (mut a, mut b) = (0.0, ((zeros + 1.0) / (ones + 1.0)).ln());
        let mut value = loss(a, b);
        for _ in 0..100 {
            let (mut h11, mut h22, mut h21, mut g1, mut g2) = (1e-12, 1e-12, 0.0, 0.0, 0.0);
            for (f, t) in f.iter().zip(&t) {
                let p = Self { a, b }.probability(*f);
                let (d1, d2) = (t - p, p * (1.0 - p));
                h11 += f * f * d2;
                h22 += d2;
                h21 += f * d2;
                g1 += f * d1;
                g2 += d1;
            }
            if g1.abs() < 1e-5 && g2.abs() < 1e-5 {
                break;
            }
            let determinant = h11 * h22 - h21 * h21;
            let (da, db) = (-(h22 * g1 - h21 * g2) / determinant, -(-h21 * g1 + h11 * g2) / determinant);
            let slope = g1 * da + g2 * db;
            let mut step = 1.0;
            while step >= 1e-10 {
                let next = loss(a + step * da, b + step * db);
                if next < value + 1e-4 * step * slope {
                    (a, b, value) = (a + step * da, b + step * db, next);
                    break;
                }
                step *= 0.5;
            }
            if step < 1e-10 {
                break;
            }
        }
        Self { a, b }
    }

    /// P(y = 1 | f), without overflow.
    pub(crate) fn probability(&self, f: f64) -> f64 {
        let z = self.a * f + self.b;
        if z >= 0.0 { (-z).exp() / (1.0 + (-z).exp()) } else { 1.0 / (1.0 + z.exp()) }
    }
}

/// min ½ Σᵢ Σⱼ (rⱼᵢ pᵢ − rᵢⱼ pⱼ)²  s.t.  Σ p = 1, with rᵢⱼ the probability of class i against j: their second method, by
/// fixed-point sweeps.
///
/// Wu, Lin, Weng. Probability estimates for multi-class classification by pairwise coupling. JMLR 5, 2004.
pub(crate) fn couple(r: &[Vec<f64>]) -> Vec<f64> {
    let k = r.len();
    let mut q = vec![vec![0.0; k]; k];
    for t in 0..k {
        for j in (0..k).filter(|j| *j != t) {
            q[t][t] += r[j][t] * r[j][t];
            q[t][j] = -r[j][t] * r[t][j];
        }
    }
    let mut p = vec![1.0 / k as f64; k];
    for _ in 0..100.max(k) {
        let mut qp: Vec<f64> = q.iter().map(|row| mercer_math::dot(row, &p)).collect();
        let mut pqp = mercer_math::dot(&p, &qp);
        if qp.iter().all(|v| (v - pqp).abs() < 0.005 / k as f64) {
            break;
        }
        for t in 0..k {
            let change = (pqp - qp[t]) / q[t][t];
            p[t] += change;
            pqp = (pqp + change * (change * q[t][t] + 2.0 * qp[t])) / ((1.0 + change) * (1.0 + change));
            for j in 0..k {
                qp[j] = (qp[j] + change * q[t][j]) / (1.0 + change);
                p[j] /= 1.0 + change;
            }
        }
    }
    p
}
