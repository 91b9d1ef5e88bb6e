//! Losses of boosting: start value, gradient and hessian by the score, and the link from scores to predictions.

use mercer_math::{exp_slice, log_sum_exp, log1p_exp, sigmoid_slice, softmax_in_place};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows that one task computes.
const BLOCK: usize = 4096;

/// A loss that boosting decreases. Scores are what the trees add up to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Loss {
    /// Half the squared error.
    Squared,
    /// The absolute error; leaves hold medians.
    Absolute,
    /// Half the squared error up to this residual, absolute beyond.
    Huber(f64),
    /// The pinball loss at this quantile; leaves hold quantiles.
    Quantile(f64),
    /// Half the Poisson deviance, with a logarithmic link.
    Poisson,
    /// Half the gamma deviance, with a logarithmic link.
    Gamma,
    /// Half the Tweedie deviance of this power between 1 and 2, with a logarithmic link.
    Tweedie(f64),
    /// The logistic loss of two classes.
    Logistic,
    /// The exponential loss of two classes.
    Exponential,
    /// The logistic loss of several classes, with one score each.
    Softmax(u32),
    /// LambdaRank's pairwise loss inside queries, weighted by the change of NDCG.
    LambdaRank,
    /// A loss of the caller's; predictions are scores.
    Custom,
}

/// A loss of the caller's own, for [`crate::Booster::fit_with`].
pub trait Objective: Sync {
    /// The first and second derivative by the score; the second is at least 0.
    fn gradient(&self, y: f64, score: f64) -> (f64, f64);
    /// The loss.
    fn loss(&self, y: f64, score: f64) -> f64;
    /// The score to start from.
    fn start(&self, _y: &[f64], _weights: Option<&[f64]>) -> f64 {
        0.0
    }
}

/// The mean of some values.
fn mean(y: &[f64], w: Option<&[f64]>) -> f64 {
    let terms = |i: usize| w.map_or(1.0, |w| w[i]);
    let total: f64 = (0..y.len()).map(terms).sum();
    y.iter().enumerate().map(|(i, y)| terms(i) * y).sum::<f64>() / total
}

/// The smallest value at or below which a share `q` of the weight lies, averaged with the next where exact.
pub(crate) fn quantile(values: &mut [(f64, f64)], q: f64) -> f64 {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let total: f64 = values.iter().map(|v| v.1).sum();
    let (wanted, mut sum) = (q * total, 0.0);
    for (i, v) in values.iter().enumerate() {
        sum += v.1;
        let slack = 1e-12 * total;
        if sum > wanted + slack {
            return v.0;
        }
        if sum >= wanted - slack {
            return values.get(i + 1).map_or(v.0, |next| 0.5 * (v.0 + next.0));
        }
    }
    values.last().map_or(0.0, |v| v.0)
}

impl Loss {
    /// Scores of a row.
    pub fn outputs(self) -> usize {
        match self {
            Loss::Softmax(k) => k as usize,
            _ => 1,
        }
    }

    /// The hessian of every row of weight 1, where it is the same.
    pub(crate) fn constant_hessian(self) -> Option<f64> {
        match self {
            Loss::Squared | Loss::Absolute | Loss::Huber(_) | Loss::Quantile(_) => Some(1.0),
            _ => None,
        }
    }

    /// The quantile of residuals that leaves hold, where the loss is not smooth.
    pub(crate) fn leaf_quantile(self) -> Option<f64> {
        match self {
            Loss::Absolute => Some(0.5),
            Loss::Quantile(q) => Some(q),
            _ => None,
        }
    }

    /// Whether the loss is a mean over rows that the model can compute by itself.
    pub(crate) fn has_mean(self) -> bool {
        !matches!(self, Loss::LambdaRank | Loss::Custom)
    }

    /// Whether scores are logarithms of predictions.
    pub(super) fn is_log(self) -> bool {
        matches!(self, Loss::Poisson | Loss::Gamma | Loss::Tweedie(_))
    }

    /// The scores to start from.
    pub(crate) fn start(self, y: &[f64], w: Option<&[f64]>) -> Vec<f64> {
        let weighted =
            || y.iter().enumerate().map(|(i, &y)| (y, w.map_or(1.0, |w| w[i]))).collect::<Vec<_>>();
        match self {
            Loss::Squared => vec![mean(y, w)],
            Loss::Absolute | Loss::Huber(_) => vec![quantile(&mut weighted(), 0.5)],
            Loss::Quantile(q) => vec![quantile(&mut weighted(), q)],
            Loss::Poisson | Loss::Gamma | Loss::Tweedie(_) => vec![mean(y, w).max(f64::MIN_POSITIVE).ln()],
            Loss::Logistic | Loss::Exponential => {
                let p = mean(y, w).clamp(1e-15, 1.0 - 1e-15);
                vec![(p / (1.0 - p)).ln() * if self == Loss::Exponential { 0.5 } else { 1.0 }]
            }
            Loss::Softmax(k) => {
                let of =
                    |c: u32| y.iter().map(|&y| f64::from(u8::from(y == f64::from(c)))).collect::<Vec<_>>();
                let logs: Vec<f64> = (0..k).map(|c| mean(&of(c), w).max(1e-15).ln()).collect();
                let middle = logs.iter().sum::<f64>() / f64::from(k.max(1));
                logs.iter().map(|l| l - middle).collect()
            }
            Loss::LambdaRank | Loss::Custom => vec![0.0],
        }
    }

    /// Writes gradients and hessians of weight 1 into `g` and `h` (which is empty where hessians are constant), by
    /// output × row as the scores are. Rows of a block are computed together.
    pub(crate) fn gradients(self, y: &[f64], scores: &[f64], g: &mut [f32], h: &mut [f32]) {
        match self {
            Loss::Squared => first(y, scores, g, |y, f| f - y),
            Loss::Absolute => first(y, scores, g, |y, f| sign(f - y)),
            Loss::Huber(d) => first(y, scores, g, move |y, f| (f - y).clamp(-d, d)),
            Loss::Quantile(q) => first(y, scores, g, move |y, f| if y > f { -q } else { 1.0 - q }),
            Loss::Poisson => both(y, scores, g, h, exp_slice, |y, e| (e - y, e)),
            Loss::Gamma => both(y, scores, g, h, exp_slice, |y, e| (1.0 - y / e, y / e)),
            Loss::Tweedie(p) => {
                let power = move |y: f64, e: f64| {
                    let (a, b) = (e.powf(1.0 - p), e.powf(2.0 - p));
                    (b - y * a, (2.0 - p) * b - (1.0 - p) * y * a)
                };
                both(y, scores, g, h, exp_slice, power);
            }
            Loss::Logistic => both(y, scores, g, h, sigmoid_slice, |y, p| (p - y, p * (1.0 - p))),
            Loss::Exponential => {
                let either = |y: f64, e: f64| if y > 0.5 { (-1.0 / e, 1.0 / e) } else { (e, e) };
                both(y, scores, g, h, exp_slice, either);
            }
            Loss::Softmax(k) => softmax(k as usize, y, scores, g, h),
            Loss::LambdaRank | Loss::Custom => {}
        }
    }

    /// The loss of a row with these scores.
    pub(crate) fn loss(self, y: f64, scores: &[f64]) -> f64 {
        let f = scores.first().copied().unwrap_or(0.0);
        match self {
            Loss::Squared => 0.5 * (f - y) * (f - y),
            Loss::Absolute => (f - y).abs(),
            Loss::Huber(d) => {
                let r = (f - y).abs();
                if r <= d { 0.5 * r * r } else { d * (r - 0.5 * d) }
            }
            Loss::Quantile(q) => {
                if y > f {
                    q * (y - f)
                } else {
                    (1.0 - q) * (f - y)
                }
            }
            Loss::Poisson => f.exp() - y * f,
            Loss::Gamma => f + y * (-f).exp(),
            Loss::Tweedie(p) => ((2.0 - p) * f).exp() / (2.0 - p) - y * ((1.0 - p) * f).exp() / (1.0 - p),
            Loss::Logistic => log1p_exp(f) - y * f,
            Loss::Exponential => {
                if y > 0.5 {
                    (-f).exp()
                } else {
                    f.exp()
                }
            }
            Loss::Softmax(_) => log_sum_exp(scores) - scores.get(y as usize).copied().unwrap_or(0.0),
            Loss::LambdaRank | Loss::Custom => 0.0,
        }
    }

    /// The mean loss of some rows, summed over fixed blocks; scores are output × row.
    pub(crate) fn mean_loss(self, y: &[f64], w: Option<&[f64]>, scores: &[f64]) -> f64 {
        let (n, k) = (y.len(), self.outputs());
        let block = |b: usize| {
            let mut row = vec![0.0; k];
            let range = b * BLOCK..((b + 1) * BLOCK).min(n);
            range.fold((0.0, 0.0), |(sum, total), i| {
                row.iter_mut().enumerate().for_each(|(c, r)| *r = scores[c * n + i]);
                let w = w.map_or(1.0, |w| w[i]);
                (sum + w * self.loss(y[i], &row), total + w)
            })
        };
        let merge = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
        let blocks = n.div_ceil(BLOCK);
        mercer_math::tree_reduce(blocks, block, merge).map_or(0.0, |(sum, total)| sum / total)
    }

    /// Turns the scores of rows (row × output) into predictions: numbers, or probabilities of all classes.
    pub(crate) fn link(self, scores: &mut [f64]) {
        match self {
            loss if loss.is_log() => exp_slice(scores),
            Loss::Logistic => sigmoid_slice(scores),
            Loss::Exponential => {
                scores.iter_mut().for_each(|f| *f *= 2.0);
                sigmoid_slice(scores);
            }
            Loss::Softmax(k) => scores.chunks_mut(k.max(1) as usize).for_each(softmax_in_place),
            _ => {}
        }
    }
}

fn sign(v: f64) -> f64 {
    if v == 0.0 { 0.0 } else { v.signum() }
}

fn safe(v: f64) -> f32 {
    if v.is_nan() { 0.0 } else { v.clamp(-1e30, 1e30) as f32 }
}

/// Gradients of a loss whose hessian is constant.
fn first(y: &[f64], scores: &[f64], g: &mut [f32], f: impl Fn(f64, f64) -> f64 + Sync) {
    g.par_chunks_mut(BLOCK).zip(y.par_chunks(BLOCK).zip(scores.par_chunks(BLOCK))).for_each(|(g, (y, s))| {
        g.iter_mut().zip(y.iter().zip(s)).for_each(|(g, (&y, &s))| *g = safe(f(y, s)));
    });
}

/// Gradients and hessians from scores mapped block by block.
fn both(
    y: &[f64],
    scores: &[f64],
    g: &mut [f32],
    h: &mut [f32],
    map: impl Fn(&mut [f64]) + Sync,
    f: impl Fn(f64, f64) -> (f64, f64) + Sync,
) {
    let out = g.par_chunks_mut(BLOCK).zip(h.par_chunks_mut(BLOCK));
    out.zip(y.par_chunks(BLOCK).zip(scores.par_chunks(BLOCK))).for_each(|((g, h), (y, s))| {
        let mut mapped = s.to_vec();
        map(&mut mapped);
        for (((g, h), &y), &m) in g.iter_mut().zip(h).zip(y).zip(&mapped) {
            let (a, b) = f(y, m);
            (*g, *h) = (safe(a), safe(b).max(0.0));
        }
    });
}

fn softmax(k: usize, y: &[f64], scores: &[f64], g: &mut [f32], h: &mut [f32]) {
    let n = y.len();
    // Rows first, so that the outputs of a row are computed together; then back to output × row.
    let rows: Vec<(f32, f32)> = (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .flat_map_iter(|b| {
            let range = b * BLOCK..((b + 1) * BLOCK).min(n);
            let mut out = Vec::with_capacity(range.len() * k);
            let mut p = vec![0.0; k];
            for i in range {
                p.iter_mut().enumerate().for_each(|(c, p)| *p = scores[c * n + i]);
                softmax_in_place(&mut p);
                for (c, &p) in p.iter().enumerate() {
                    let hit = if y[i] == c as f64 { 1.0 } else { 0.0 };
                    out.push((safe(p - hit), safe(p * (1.0 - p)).max(0.0)));
                }
            }
            out
        })
        .collect();
    g.par_chunks_mut(n.max(1)).zip(h.par_chunks_mut(n.max(1))).enumerate().for_each(|(c, (g, h))| {
        for (i, (g, h)) in g.iter_mut().zip(h).enumerate() {
            (*g, *h) = rows[i * k + c];
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [(Loss, f64); 9] = [
        (Loss::Squared, 1.3),
        (Loss::Huber(0.7), 1.3),
        (Loss::Poisson, 2.0),
        (Loss::Gamma, 2.0),
        (Loss::Tweedie(1.5), 2.0),
        (Loss::Logistic, 1.0),
        (Loss::Logistic, 0.0),
        (Loss::Exponential, 1.0),
        (Loss::Exponential, 0.0),
    ];

    #[test]
    fn gradients_are_differences_of_losses() {
        for (loss, y) in ALL {
            for f in [-1.1, 0.2, 0.9] {
                let (mut g, mut h) = ([0f32], [0f32]);
                loss.gradients(&[y], &[f], &mut g, &mut h);
                let at = |f: f64| loss.loss(y, &[f]);
                let e = 1e-4;
                let (first, second) =
                    ((at(f + e) - at(f - e)) / (2.0 * e), (at(f + e) - 2.0 * at(f) + at(f - e)) / (e * e));
                assert!((f64::from(g[0]) - first).abs() < 1e-5, "{loss:?} {f}: {} {first}", g[0]);
                if loss.constant_hessian().is_none() {
                    assert!((f64::from(h[0]) - second).abs() < 1e-5, "{loss:?} {f}: {} {second}", h[0]);
                }
            }
        }
    }

    #[test]
    fn softmax_gradients_sum_to_zero() {
        let loss = Loss::Softmax(3);
        let (scores, e) = ([0.3, -0.2, 1.0], 1e-5);
        let (mut g, mut h) = ([0f32; 3], [0f32; 3]);
        loss.gradients(&[1.0], &scores, &mut g, &mut h);
        assert!(g.iter().sum::<f32>().abs() < 1e-6);
        for c in 0..3 {
            let at = |d: f64| {
                let mut s = scores;
                s[c] += d;
                loss.loss(1.0, &s)
            };
            assert!((f64::from(g[c]) - (at(e) - at(-e)) / (2.0 * e)).abs() < 1e-6);
        }
    }

    #[test]
    fn starts_minimise_the_loss_of_a_constant() {
        let y = [1.0, 2.0, 4.0, 0.5];
        let w = [1.0, 2.0, 1.0, 3.0];
        for (loss, _) in &ALL[..5] {
            let start = loss.start(&y, Some(&w))[0];
            let at = |f: f64| loss.mean_loss(&y, Some(&w), &[f; 4]);
            assert!(
                matches!(loss, Loss::Huber(_)) || at(start) <= at(start + 1e-3).min(at(start - 1e-3)),
                "{loss:?}"
            );
        }
    }
}
