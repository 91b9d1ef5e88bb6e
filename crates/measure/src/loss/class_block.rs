//! The cross-entropy of a block of rows with classes: probabilities, total loss and gradients in one pass.

use mercer_math::{Weights, exp_slice, log1p_exp, sigmoid_slice};

/// The classes of some rows, and what each row weighs. Scores, probabilities and gradients are rows × columns.
#[derive(Clone, Copy, Debug)]
pub struct ClassBlock<'a> {
    /// The class of each row.
    pub classes: &'a [u32],
    /// The weight of each row.
    pub weights: Weights<'a>,
    /// The weight of each class, which multiplies that of its rows.
    pub scale: &'a [f64],
}

impl ClassBlock<'_> {
    /// What row `i` weighs.
    #[inline]
    pub fn weight(&self, i: usize) -> f64 {
        self.weights[i] * self.scale[self.classes[i] as usize]
    }

    /// Of two classes, turns scores of the second into weighted gradients `w (p − y)`, and returns the total loss
    /// Σ w ln(1 + exp(∓z)) with the probabilities that rows were given of their own class.
    pub fn binary(&self, scores: &mut [f64]) -> (f64, Vec<f64>) {
        let sign = |class: u32| if class == 1 { 1.0 } else { -1.0 };
        scores.iter_mut().zip(self.classes).for_each(|(z, &c)| *z *= sign(c));
        let mut right = scores.to_vec();
        sigmoid_slice(&mut right);
        let loss = self.binary_loss(scores, &right);
        for (i, z) in scores.iter_mut().enumerate() {
            *z = self.weight(i) * (right[i] - 1.0) * sign(self.classes[i]);
        }
        (loss, right)
    }

    /// −Σ w ln p(right class). Without weights, the logarithm of a product of eight probabilities is taken at
    /// once; those too small for that go by the margin.
    fn binary_loss(&self, margin: &[f64], right: &[f64]) -> f64 {
        const SMALL: f64 = 1e-30;
        let mut loss = 0.0;
        if !self.weights.is_uniform() {
            for (i, &p) in right.iter().enumerate() {
                let weight = self.weight(i);
                let one = if p > SMALL { -p.ln() } else { log1p_exp(-margin[i]) };
                loss += if weight > 0.0 { weight * one } else { 0.0 };
            }
            return loss;
        }
        for ((margin, right), classes) in margin.chunks(8).zip(right.chunks(8)).zip(self.classes.chunks(8)) {
            let mut products = [1.0; 2];
            for ((&m, &p), &class) in margin.iter().zip(right).zip(classes) {
                if p > SMALL {
                    products[usize::from(class == 1)] *= p;
                } else {
                    loss += self.scale[class as usize] * log1p_exp(-m);
                }
            }
            loss -= if self.scale[0] == self.scale[1] {
                self.scale[0] * (products[0] * products[1]).ln()
            } else {
                self.scale[0] * products[0].ln() + self.scale[1] * products[1].ln()
            };
        }
        loss
    }

    /// The weighted curvature `w q (1 − q)` of each row of two classes, given the probabilities `q` of its own class.
    pub fn binary_curvature(&self, right: &[f64]) -> Vec<f64> {
        right.iter().enumerate().map(|(i, q)| self.weight(i) * q * (1.0 - q)).collect()
    }

    /// Of `k` classes with a score each, turns scores into probabilities and returns the total loss.
    pub fn softmax(&self, k: usize, scores: &mut [f64]) -> f64 {
        let mut right = Vec::with_capacity(self.classes.len());
        for (z, &class) in scores.chunks_exact_mut(k).zip(self.classes) {
            let max = z.iter().fold(f64::NEG_INFINITY, |m, &v| m.max(v));
            z.iter_mut().for_each(|z| *z -= max);
            right.push(z[class as usize]);
        }
        exp_slice(scores);
        let mut loss = 0.0;
        for (i, z) in scores.chunks_exact_mut(k).enumerate() {
            let total: f64 = z.iter().sum();
            let weight = self.weight(i);
            loss += if weight > 0.0 { weight * (total.ln() - right[i]) } else { 0.0 };
            z.iter_mut().for_each(|z| *z /= total);
        }
        loss
    }

    /// Turns the probabilities of [`ClassBlock::softmax`] into weighted gradients `w (p − y)`.
    pub fn softmax_gradients(&self, k: usize, probabilities: &mut [f64]) {
        for (i, p) in probabilities.chunks_exact_mut(k).enumerate() {
            let weight = self.weight(i);
            p[self.classes[i] as usize] -= 1.0;
            p.iter_mut().for_each(|p| *p = if weight > 0.0 { *p * weight } else { 0.0 });
        }
    }

    /// The weighted second derivative `w p_a ([a = b] − p_b)` of each row by the scores of classes `a` and `b`.
    pub fn softmax_curvature(&self, k: usize, probabilities: &[f64], a: usize, b: usize) -> Vec<f64> {
        let same = f64::from(a == b);
        let rows = probabilities.chunks_exact(k).enumerate();
        rows.map(|(i, p)| self.weight(i) * p[a] * (same - p[b])).collect()
    }

    /// Turns a direction of the scores into the product with each row's weighted Hessian, `w p (q − p·q)`: with one
    /// column the probabilities are those of the second class, and the Hessian is `w p (1 − p)`.
    pub fn hessian_product(&self, k: usize, probabilities: &[f64], direction: &mut [f64]) {
        for (i, (q, p)) in direction.chunks_exact_mut(k).zip(probabilities.chunks_exact(k)).enumerate() {
            let weight = self.weight(i);
            if k == 1 {
                q[0] *= weight * p[0] * (1.0 - p[0]);
            } else {
                let mean: f64 = q.iter().zip(p).map(|(q, p)| q * p).sum();
                q.iter_mut().zip(p).for_each(|(q, p)| *q = weight * p * (*q - mean));
            }
        }
    }
}
