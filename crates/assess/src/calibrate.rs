//! Maps from scores to probabilities: Platt's sigmoid, isotonic regression, temperature scaling.

use mercer_core::{Error, Result};
use mercer_math::{Mat, MatRef, Weights, log1p_exp, softmax_in_place};
use serde::{Deserialize, Serialize};

/// p = 1 / (1 + exp(A f + B)): Platt's sigmoid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sigmoid {
    /// A.
    pub slope: f64,
    /// B.
    pub offset: f64,
}

impl Sigmoid {
    /// The sigmoid of most likelihood, against targets pulled towards the middle as Platt does
    /// ((n₊+1)/(n₊+2) and 1/(n₋+2) in place of 1 and 0), by Newton's method with a safeguarded step.
    ///
    /// J. Platt. Probabilistic outputs for support vector machines. 1999; H.-T. Lin, C.-J. Lin, R. C. Weng. A note on
    /// Platt's probabilistic outputs. Machine Learning 68, 2007.
    pub fn fit(scores: &[f64], positive: &[bool], weights: Option<&[f64]>) -> Result<Self> {
        check(scores, positive.len(), weights)?;
        let weight = Weights::from(weights);
        let side = |wanted: bool| {
            (0..scores.len()).filter(|&i| positive[i] == wanted).map(|i| weight[i]).sum::<f64>()
        };
        let (n_pos, n_neg) = (side(true), side(false));
        let (high, low) = ((n_pos + 1.0) / (n_pos + 2.0), 1.0 / (n_neg + 2.0));
        // Newton's step does not mind the scale of the scores, but their squares must not overflow.
        let scale = scores.iter().fold(0.0f64, |m, s| m.max(s.abs())).max(f64::MIN_POSITIVE);
        let target = |i: usize| if positive[i] { high } else { low };
        let (mut a, mut b) = (0.0, ((n_neg + 1.0) / (n_pos + 1.0)).ln());
        let mut value = sigmoid_loss(scores, scale, &target, weight, a, b);
        for _ in 0..200 {
            let (g, h) = sigmoid_derivatives(scores, scale, &target, weight, a, b);
            let determinant = h[0] * h[2] - h[1] * h[1];
            let (da, db) = match determinant > 1e-14 * h[0] * h[2] {
                true => {
                    ((h[2] * g[0] - h[1] * g[1]) / determinant, (h[0] * g[1] - h[1] * g[0]) / determinant)
                }
                false => (0.0, g[1] / h[2].max(f64::MIN_POSITIVE)),
            };
            let mut step = 1.0;
            let next = loop {
                let next = sigmoid_loss(scores, scale, &target, weight, a - step * da, b - step * db);
                if next <= value - 1e-4 * step * (g[0] * da + g[1] * db) || step < 1e-10 {
                    break next;
                }
                step /= 2.0;
            };
            (a, b) = (a - step * da, b - step * db);
            let gain = value - next;
            value = next;
            if gain <= 1e-15 * value.abs() && (step * da).abs() <= 1e-12 * a.abs().max(1.0) {
                break;
            }
        }
        Ok(Self { slope: a / scale, offset: b })
    }

    /// The probability at a score.
    pub fn at(&self, score: f64) -> f64 {
        1.0 / (1.0 + (self.slope * score + self.offset).exp())
    }
}

type ByRow<'a> = dyn Fn(usize) -> f64 + 'a;

/// −Σ w (t ln p + (1−t) ln(1−p)) with p = 1/(1+exp(z)), z = a f + b: that is Σ w (t z + ln(1+exp(−z))).
fn sigmoid_loss(scores: &[f64], scale: f64, target: &ByRow<'_>, weight: Weights<'_>, a: f64, b: f64) -> f64 {
    let term = |i: usize| {
        let z = a * (scores[i] / scale) + b;
        weight[i] * (target(i) * z + log1p_exp(-z))
    };
    (0..scores.len()).map(term).sum()
}

/// The gradient in (a, b) and the Hessian (aa, ab, bb).
fn sigmoid_derivatives(
    scores: &[f64],
    scale: f64,
    target: &ByRow<'_>,
    weight: Weights<'_>,
    a: f64,
    b: f64,
) -> ([f64; 2], [f64; 3]) {
    let (mut g, mut h) = ([0.0; 2], [0.0; 3]);
    for (i, score) in scores.iter().enumerate() {
        let f = score / scale;
        let p = 1.0 / (1.0 + (a * f + b).exp());
        let (first, second) = (weight[i] * (target(i) - p), weight[i] * p * (1.0 - p));
        g = [g[0] + first * f, g[1] + first];
        h = [h[0] + second * f * f, h[1] + second * f, h[2] + second];
    }
    (g, h)
}

/// A step function that never falls, joined by straight lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Isotonic {
    /// Where it is known, rising.
    pub x: Vec<f64>,
    /// Its value there, never falling.
    pub y: Vec<f64>,
}

impl Isotonic {
    /// The function that never falls and is nearest in squares, by pooling adjacent violators; between scores it is
    /// linear, beyond them constant.
    ///
    /// M. Ayer et al. An empirical distribution function for sampling with incomplete information. 1955.
    pub fn fit(scores: &[f64], values: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        check(scores, values.len(), weights)?;
        let weight = Weights::from(weights);
        let mut order: Vec<usize> = (0..scores.len()).filter(|&i| weight.counts(i)).collect();
        if order.is_empty() {
            return Err(Error::too_few("isotonic regression", "rows of positive weight", 1, 0));
        }
        order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        // Blocks of equal scores first, then neighbours that fall: (first score, last score, mean, weight).
        let mut blocks: Vec<(f64, f64, f64, f64)> = Vec::new();
        for &i in &order {
            let (x, y, w) = (scores[i] + 0.0, values[i], weight[i]);
            match blocks.last_mut() {
                Some(last) if last.1 == x && last.0 == x => {
                    last.2 += (y - last.2) * w / (last.3 + w);
                    last.3 += w;
                }
                _ => blocks.push((x, x, y, w)),
            }
        }
        let mut pooled: Vec<(f64, f64, f64, f64)> = Vec::new();
        for mut block in blocks {
            while let Some(&(first, _, mean, weight)) = pooled.last()
                && mean >= block.2
            {
                let total = weight + block.3;
                block = (first, block.1, mean + (block.2 - mean) * block.3 / total, total);
                pooled.pop();
            }
            pooled.push(block);
        }
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for (first, last, mean, _) in pooled {
            x.push(first);
            y.push(mean);
            if last > first {
                x.push(last);
                y.push(mean);
            }
        }
        Ok(Self { x, y })
    }

    /// The value at a score.
    pub fn at(&self, score: f64) -> f64 {
        let above = self.x.partition_point(|&x| x < score);
        match above {
            0 => self.y[0],
            n if n == self.x.len() => self.y[n - 1],
            n => {
                let (x0, x1, y0, y1) = (self.x[n - 1], self.x[n], self.y[n - 1], self.y[n]);
                y0 + (y1 - y0) * ((score - x0) / (x1 - x0))
            }
        }
    }

    /// Whether the parts fit together, as a loaded one must.
    pub fn is_valid(&self) -> bool {
        !self.x.is_empty()
            && self.x.len() == self.y.len()
            && self.x.windows(2).all(|w| w[0] < w[1])
            && self.y.windows(2).all(|w| w[0] <= w[1])
            && self.x.iter().chain(&self.y).all(|v| v.is_finite())
    }
}

/// The inverse temperature of a softmax over logits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Temperature {
    /// 1/T.
    pub inverse: f64,
}

impl Temperature {
    /// The inverse temperature of least log loss, by bisection on its derivative, which never falls.
    ///
    /// C. Guo, G. Pleiss, Y. Sun, K. Weinberger. On calibration of modern neural networks. ICML 2017.
    pub fn fit(logits: MatRef<'_>, truth: &[u32], weights: Option<&[f64]>) -> Result<Self> {
        let n = logits.n_rows();
        if truth.len() != n {
            return Err(Error::shape("classes to calibrate with", n, truth.len()));
        }
        let weight = Weights::from(weights);
        let mut row = vec![0.0; logits.n_cols()];
        let mut slope = |beta: f64| -> f64 {
            let mut total = 0.0;
            for (i, &class) in truth.iter().enumerate() {
                (0..row.len()).for_each(|c| row[c] = beta * logits.get(i, c));
                softmax_in_place(&mut row);
                let expected: f64 = (0..row.len()).map(|c| row[c] * logits.get(i, c)).sum();
                total += weight[i] * (expected - logits.get(i, class as usize));
            }
            total
        };
        let (mut low, mut high) = (-10.0f64, 10.0f64);
        for _ in 0..80 {
            let middle = low + (high - low) / 2.0;
            if slope(middle.exp()) > 0.0 { high = middle } else { low = middle }
        }
        Ok(Self { inverse: (low + (high - low) / 2.0).exp() })
    }

    /// Probabilities from logits, in place.
    pub fn apply(&self, logits: &mut Mat) {
        for i in 0..logits.n_rows() {
            let row = logits.row_mut(i);
            row.iter_mut().for_each(|v| *v *= self.inverse);
            softmax_in_place(row);
        }
    }
}

fn check(scores: &[f64], n: usize, weights: Option<&[f64]>) -> Result<()> {
    let lengths = [
        ("targets of a calibration", n),
        ("weights of a calibration", weights.map_or(scores.len(), <[f64]>::len)),
    ];
    if let Some((what, got)) = lengths.into_iter().find(|(_, got)| *got != scores.len()) {
        return Err(Error::shape(what, scores.len(), got));
    }
    if scores.is_empty() {
        return Err(Error::too_few("a calibration", "rows", 1, 0));
    }
    match scores.iter().position(|s| !s.is_finite()) {
        Some(row) => {
            Err(Error::numeric("a calibration", format!("the score of row {row} is {}", scores[row])))
        }
        None => Ok(()),
    }
}
