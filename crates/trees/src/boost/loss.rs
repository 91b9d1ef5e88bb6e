//! What boosting decreases: the losses of [`mercer_measure::loss`] by the names under which models keep them, with what
//! is boosting's own: constant hessians, and rounding to the floats of histograms.

use mercer_math::Weights;
use mercer_measure::loss::{Link, Loss as RowLoss, softmax};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows that one task computes.
const BLOCK: usize = 4096;

/// Rows of several classes that stay in the nearest cache between two looks at them.
const PIECE: usize = 512;

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
    /// The derivatives of many rows; those that are no numbers count as 0.
    fn gradients(&self, y: &[f64], scores: &[f64], g: &mut [f32], h: &mut [f32]) {
        for ((&y, &score), (g, h)) in y.iter().zip(scores).zip(g.iter_mut().zip(h)) {
            let (first, second) = self.gradient(y, score);
            (*g, *h) = (if first.is_finite() { first as f32 } else { 0.0 }, second.max(0.0) as f32);
        }
    }
    /// The loss.
    fn loss(&self, y: f64, score: f64) -> f64;
    /// The score to start from.
    fn start(&self, _y: &[f64], _weights: Option<&[f64]>) -> f64 {
        0.0
    }
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

    /// The loss of a row by itself with one score, as all of Mercer knows it.
    fn of_row(self) -> Option<RowLoss> {
        match self {
            Loss::Squared => Some(RowLoss::HalfSquared),
            Loss::Absolute => Some(RowLoss::Absolute),
            Loss::Huber(delta) => Some(RowLoss::Huber { delta }),
            Loss::Quantile(alpha) => Some(RowLoss::Quantile { alpha }),
            Loss::Poisson => Some(RowLoss::Poisson),
            Loss::Gamma => Some(RowLoss::Gamma),
            Loss::Tweedie(power) => Some(RowLoss::Tweedie { power }),
            // Targets are codes 0 and 1.
            Loss::Logistic => Some(RowLoss::CrossEntropy),
            Loss::Exponential => Some(RowLoss::Exponential),
            Loss::Softmax(_) | Loss::LambdaRank | Loss::Custom => None,
        }
    }

    /// The quantile of residuals that leaves hold, where the loss is not smooth.
    pub(crate) fn leaf_quantile(self) -> Option<f64> {
        self.of_row().and_then(|loss| loss.quantile())
    }

    /// Whether the loss is a mean over rows that the model can compute by itself.
    pub(crate) fn has_mean(self) -> bool {
        !matches!(self, Loss::LambdaRank | Loss::Custom)
    }

    /// Whether the loss has a value for a target.
    pub(super) fn takes(self, y: f64) -> bool {
        self.of_row().is_none_or(|loss| loss.takes(y))
    }

    /// Whether scores are logarithms of predictions.
    pub(super) fn is_log(self) -> bool {
        self.of_row().is_some_and(|loss| loss.link() == Link::Log)
    }

    /// The scores to start from.
    pub(crate) fn start(self, y: &[f64], w: Option<&[f64]>) -> Vec<f64> {
        let w = Weights::from(w);
        match (self, self.of_row()) {
            // The median is as good a start as the best constant, and needs no search.
            (Loss::Huber(_), _) => vec![RowLoss::Absolute.start(y, w)],
            (_, Some(loss)) => vec![loss.start(y, w)],
            (Loss::Softmax(k), _) => {
                let share = |c: u32| {
                    let hits: Vec<f64> = y.iter().map(|&y| f64::from(y == f64::from(c))).collect();
                    RowLoss::HalfSquared.start(&hits, w)
                };
                let logs = softmax::start(&(0..k).map(share).collect::<Vec<_>>());
                let middle = logs.iter().sum::<f64>() / f64::from(k.max(1));
                logs.iter().map(|l| l - middle).collect()
            }
            _ => vec![0.0],
        }
    }

    /// Writes gradients and hessians of weight 1 into `g` and `h` (which is left alone where hessians are constant), by
    /// output × row as the scores are. Rows of a block are computed together.
    pub(crate) fn gradients(self, y: &[f64], scores: &[f64], g: &mut [f32], h: &mut [f32]) {
        let blocks = || y.par_chunks(BLOCK).zip(scores.par_chunks(BLOCK));
        match (self, self.of_row()) {
            (Loss::Softmax(k), _) => of_classes(k as usize, y, scores, g, h),
            (_, Some(loss)) if self.constant_hessian().is_some() => {
                g.par_chunks_mut(BLOCK)
                    .zip(blocks())
                    .for_each(|(g, (y, s))| self.round(loss, y, s, g, &mut []));
            }
            (_, Some(loss)) => {
                let out = g.par_chunks_mut(BLOCK).zip(h.par_chunks_mut(BLOCK));
                out.zip(blocks()).for_each(|((g, h), (y, s))| self.round(loss, y, s, g, h));
            }
            _ => {}
        }
    }

    /// The gradients of a block, and its hessians where there is room for them, rounded.
    fn round(self, loss: RowLoss, y: &[f64], scores: &[f64], g: &mut [f32], h: &mut [f32]) {
        let Loss::Quantile(q) = self else { return loss.gradients_as(y, scores, g, h, safe) };
        // At a residual of 0, where the layer says 0, the slope is that of the right side, as in LightGBM. The least
        // number in place of a quantile of 0 keeps the left side from saying 0, too, until it is rounded.
        let loss = RowLoss::Quantile { alpha: q.max(f64::MIN_POSITIVE) };
        loss.gradients_as(y, scores, g, h, |slope| if slope == 0.0 { 1.0 - q } else { slope } as f32);
    }

    /// The mean loss of some rows, summed over fixed blocks; scores are output × row.
    pub(crate) fn mean_loss(self, y: &[f64], w: Option<&[f64]>, scores: &[f64]) -> f64 {
        let (n, k, w) = (y.len(), self.outputs(), Weights::from(w));
        let block = |b: usize| {
            let range = b * BLOCK..((b + 1) * BLOCK).min(n);
            let total = range.clone().fold(0.0, |total, i| total + w[i]);
            let sum = match self.of_row() {
                Some(loss) => loss.total(&y[range.clone()], &scores[range.clone()], w.rows(range)),
                None => {
                    let mut row = vec![0.0; k];
                    range.fold(0.0, |sum, i| {
                        row.iter_mut().enumerate().for_each(|(c, r)| *r = scores[c * n + i]);
                        sum + w[i] * softmax::value(&row, y[i] as usize).unwrap_or(f64::NAN)
                    })
                }
            };
            (sum, total)
        };
        let merge = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
        let blocks = if self.has_mean() { n.div_ceil(BLOCK) } else { 0 };
        mercer_math::tree_reduce(blocks, block, merge).map_or(0.0, |(sum, total)| sum / total)
    }

    /// Turns the scores of rows (row × output) into predictions: numbers, or probabilities of all classes.
    pub(crate) fn link(self, scores: &mut [f64]) {
        match (self, self.of_row()) {
            (Loss::Softmax(k), _) => softmax::means(k as usize, scores),
            (_, loss) => loss.map_or(Link::Identity, |loss| loss.link()).means(scores),
        }
    }
}

fn safe(v: f64) -> f32 {
    if v.is_nan() { 0.0 } else { v.clamp(-1e30, 1e30) as f32 }
}

/// Gradients and hessians of the softmax loss, with one score for each of `k` classes.
fn of_classes(k: usize, y: &[f64], scores: &[f64], g: &mut [f32], h: &mut [f32]) {
    let n = y.len();
    // Rows first, so that the outputs of a row are computed together; then back to output × row.
    let rows: Vec<(f32, f32)> = (0..n.div_ceil(PIECE))
        .into_par_iter()
        .flat_map_iter(|b| {
            let range = b * PIECE..((b + 1) * PIECE).min(n);
            let classes: Vec<u32> = y[range.clone()].iter().map(|&y| y as u32).collect();
            let mut first = vec![0.0; classes.len() * k];
            for (c, scores) in scores.chunks_exact(n).enumerate() {
                first.iter_mut().skip(c).step_by(k).zip(&scores[range.clone()]).for_each(|(p, s)| *p = *s);
            }
            let mut second = vec![0.0; first.len()];
            softmax::gradients(k, &classes, &mut first, &mut second);
            first.into_iter().zip(second).map(|(g, h)| (safe(g), safe(h).max(0.0)))
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
    use crate::boost::{
        Booster, BoosterObjective, HistGradientBoostingRegressor, HistLoss, HistRegressionLoss,
    };
    use mercer_core::{ParamKind, ParamType, Value};

    fn words<T: ParamType>() -> Vec<(&'static str, T)> {
        let ParamKind::Choice { words, .. } = T::kind() else { panic!("a choice") };
        words.iter().map(|word| (*word, T::from_value(&Value::from(*word)).unwrap())).collect()
    }

    /// A word means the same loss as in the one list, up to a factor; LightGBM has words of its own besides.
    #[test]
    fn words_are_those_of_the_list() {
        let same = |word: &str, own: Loss| {
            let (named, own) = (RowLoss::parse(word).unwrap(), own.of_row().unwrap());
            for f in [0.8, 1.3] {
                let ratio = named.gradient(f, 1.0).unwrap() / own.gradient(f, 1.0).unwrap();
                assert!([1.0, 2.0].iter().any(|r| (ratio - r).abs() < 1e-12), "{word}: {own} {ratio}");
            }
        };
        for (word, loss) in words::<HistRegressionLoss>() {
            same(word, HistGradientBoostingRegressor { loss, ..Default::default() }.boosted_loss());
        }
        words::<HistLoss>().iter().for_each(|(word, HistLoss::LogLoss)| same(word, Loss::Logistic));
        let known = words::<BoosterObjective>().into_iter().filter(|w| RowLoss::parse(w.0).is_ok());
        let known: Vec<&str> = known
            .map(|(word, objective)| {
                same(word, Booster { objective, alpha: 0.5, ..Booster::default() }.loss(2));
                word
            })
            .collect();
        assert_eq!(known, ["huber", "quantile", "poisson", "gamma", "tweedie", "exponential"]);
    }

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
                let at = |f: f64| loss.mean_loss(&[y], None, &[f]);
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
                loss.mean_loss(&[1.0], None, &s)
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
