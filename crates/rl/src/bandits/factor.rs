//! The upper factor of λI + Σ x xᵀ, which grows by one vector at a time.

use mercer_math::Mat;

/// R with Rᵀ R = λI + Σ x xᵀ.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    r: Mat,
    /// What is still to be added of a vector.
    held: Vec<f64>,
}

impl Factor {
    pub(super) fn new(dim: usize, ridge: f64) -> Self {
        let root = ridge.sqrt();
        Self { r: Mat::from_fn(dim, dim, |i, j| if i == j { root } else { 0.0 }), held: vec![0.0; dim] }
    }

    /// Its numbers, row by row.
    pub(super) fn numbers(&self) -> &[f64] {
        self.r.as_slice()
    }

    /// The same, to be written.
    pub(super) fn numbers_mut(&mut self) -> &mut [f64] {
        self.r.as_mut_slice()
    }

    /// Adds x xᵀ, by rotations.
    pub(super) fn add(&mut self, x: &[f64]) {
        self.held.copy_from_slice(x);
        for i in 0..x.len() {
            let (below, beside) = (self.r[(i, i)], self.held[i]);
            let length = below.hypot(beside);
            let (cos, sin) = (below / length, beside / length);
            self.r[(i, i)] = length;
            for j in i + 1..x.len() {
                let (r, h) = (self.r[(i, j)], self.held[j]);
                self.r[(i, j)] = cos * r + sin * h;
                self.held[j] = cos * h - sin * r;
            }
        }
    }

    /// R⁻ᵀ b in place of b.
    pub(super) fn forward(&self, b: &mut [f64]) {
        for i in 0..b.len() {
            let known: f64 = (0..i).map(|k| self.r[(k, i)] * b[k]).sum();
            b[i] = (b[i] - known) / self.r[(i, i)];
        }
    }

    /// R⁻¹ b in place of b.
    pub(super) fn backward(&self, b: &mut [f64]) {
        for i in (0..b.len()).rev() {
            let known: f64 = (i + 1..b.len()).map(|k| self.r[(i, k)] * b[k]).sum();
            b[i] = (b[i] - known) / self.r[(i, i)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{normal, rng_for};

    /// The product of the factor with itself is the sum, and both solutions undo it.
    #[test]
    fn rotations_keep_the_sum() {
        let (mut rng, dim) = (rng_for(8, 0), 4);
        let mut factor = Factor::new(dim, 0.5);
        let mut sum = Mat::from_fn(dim, dim, |i, j| if i == j { 0.5 } else { 0.0 });
        for _ in 0..9 {
            let x: Vec<f64> = (0..dim).map(|_| normal(&mut rng)).collect();
            factor.add(&x);
            (0..dim).for_each(|i| (0..dim).for_each(|j| sum[(i, j)] += x[i] * x[j]));
        }
        let b = [1.0, -2.0, 0.5, 3.0];
        let mut x = b;
        factor.forward(&mut x);
        factor.backward(&mut x);
        for i in 0..dim {
            let back: f64 = (0..dim).map(|j| sum[(i, j)] * x[j]).sum();
            assert!((back - b[i]).abs() < 1e-12);
        }
    }
}
