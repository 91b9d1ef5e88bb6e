//! Problems with known solutions, for the tests.

use crate::Objective;
use mercer_math::{
    Mat, dot, gemv, gemv_t, log1p_exp, normal, rng_for, sigmoid_slice, uniform, weighted_gram,
};

/// The valley of Rosenbrock (1960), minimum 0 at (1, ..., 1).
pub(crate) struct Rosenbrock(pub(crate) usize);

impl Objective for Rosenbrock {
    fn dim(&self) -> usize {
        self.0
    }

    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
        grad.fill(0.0);
        let mut value = 0.0;
        for i in 0..x.len() - 1 {
            let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
            value += a * a + 100.0 * b * b;
            grad[i] += -2.0 * a - 400.0 * x[i] * b;
            grad[i + 1] += 200.0 * b;
        }
        value
    }
}

/// The Hessian of [`Rosenbrock`], lower triangle.
pub(crate) fn rosenbrock_hessian(x: &[f64], h: &mut Mat) {
    for i in 0..x.len() - 1 {
        h[(i, i)] += 2.0 - 400.0 * (x[i + 1] - 3.0 * x[i] * x[i]);
        h[(i + 1, i + 1)] += 200.0;
        h[(i + 1, i)] += -400.0 * x[i];
    }
}

/// 0.5 sum_i d_i (x_i - c_i)^2 with c_i = i + 1.
pub(crate) struct Quadratic(pub(crate) Vec<f64>);

impl Quadratic {
    /// Eigenvalues from 1 to `condition`, evenly in the logarithm.
    pub(crate) fn conditioned(n: usize, condition: f64) -> Self {
        Self((0..n).map(|i| condition.powf(i as f64 / (n - 1) as f64)).collect())
    }
}

impl Objective for Quadratic {
    fn dim(&self) -> usize {
        self.0.len()
    }

    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for (i, d) in self.0.iter().enumerate() {
            let r = x[i] - (i + 1) as f64;
            grad[i] = d * r;
            value += 0.5 * d * r * r;
        }
        value
    }

    fn hess_vec(&mut self, _: &[f64], v: &[f64], out: &mut [f64]) -> bool {
        (0..v.len()).for_each(|i| out[i] = self.0[i] * v[i]);
        true
    }
}

/// L2-regularised logistic regression on random data: sum_i ln(1 + exp(-y_i x_i'w)) + 0.5 |w|^2.
pub(crate) struct Logistic {
    pub(crate) x: Mat,
    pub(crate) y: Vec<f64>,
}

impl Logistic {
    pub(crate) fn random(n: usize, d: usize, seed: u64) -> Self {
        let mut rng = rng_for(seed, 0);
        let w: Vec<f64> = (0..d).map(|_| normal(&mut rng)).collect();
        // Columns on scales from 1 to 10, so that the problem is not too kind.
        let x = Mat::from_fn(n, d, |_, j| normal(&mut rng) * 10f64.powf(j as f64 / d as f64));
        let margins = gemv(x.view(), &w);
        let y = margins.iter().map(|m| if uniform(&mut rng) < 1.0 / (1.0 + (-m).exp()) { 1.0 } else { -1.0 });
        Self { y: y.collect(), x }
    }

    /// Writes the Hessian, lower triangle.
    pub(crate) fn hessian(&self, w: &[f64], h: &mut Mat) {
        let curvature = self.curvature(w);
        weighted_gram(self.x.view(), Some(&curvature), None, h);
        (0..w.len()).for_each(|j| h[(j, j)] += 1.0);
    }

    fn curvature(&self, w: &[f64]) -> Vec<f64> {
        let mut p = gemv(self.x.view(), w);
        sigmoid_slice(&mut p);
        p.iter().map(|p| p * (1.0 - p)).collect()
    }
}

impl Objective for Logistic {
    fn dim(&self) -> usize {
        self.x.n_cols()
    }

    fn value_grad(&mut self, w: &[f64], grad: &mut [f64]) -> f64 {
        let mut margins = gemv(self.x.view(), w);
        margins.iter_mut().zip(&self.y).for_each(|(m, y)| *m *= -y);
        let loss: f64 = margins.iter().map(|&m| log1p_exp(m)).sum();
        sigmoid_slice(&mut margins);
        margins.iter_mut().zip(&self.y).for_each(|(m, y)| *m *= -y);
        grad.copy_from_slice(&gemv_t(self.x.view(), &margins));
        grad.iter_mut().zip(w).for_each(|(g, w)| *g += w);
        loss + 0.5 * dot(w, w)
    }

    fn hess_vec(&mut self, w: &[f64], v: &[f64], out: &mut [f64]) -> bool {
        let mut xv = gemv(self.x.view(), v);
        xv.iter_mut().zip(self.curvature(w)).for_each(|(a, c)| *a *= c);
        out.copy_from_slice(&gemv_t(self.x.view(), &xv));
        out.iter_mut().zip(v).for_each(|(o, v)| *o += v);
        true
    }
}

/// sum_i x_i - ln x_i, which is not defined for x_i <= 0; minimum at (1, ..., 1).
pub(crate) struct Barrier(pub(crate) usize);

impl Objective for Barrier {
    fn dim(&self) -> usize {
        self.0
    }

    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
        (0..x.len()).for_each(|i| grad[i] = 1.0 - 1.0 / x[i]);
        x.iter().map(|v| v - v.ln()).sum()
    }
}

/// Any closure as an objective.
pub(crate) struct Closure<F>(pub(crate) usize, pub(crate) F);

impl<F: FnMut(&[f64], &mut [f64]) -> f64> Objective for Closure<F> {
    fn dim(&self) -> usize {
        self.0
    }

    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
        (self.1)(x, grad)
    }
}
