//! Centres, widths and weights of a network together, by gradients.
//!
//! With residuals $r_i = f(x_i) - y_i$ and $g_{im} = 2 \varphi_m(x_i)\, r_i^\top w_m$, or for a normalised network
//! $g_{im} = 2 \varphi_m(x_i)\, r_i^\top (w_m - f(x_i))$, the penalised squares of a Gaussian network have the derivatives
//! $\sum_i g_{im} (x_i - c_m)/\sigma_m^2$ in the centre and $\sum_i g_{im} \lVert x_i - c_m\rVert^2/\sigma_m^2$ in the logarithm of
//! the width: products of matrices.

use super::network_model::RbfNetworkModel;
use mercer_core::{Session, Termination};
use mercer_math::{BLOCK_ROWS, ColumnMoments, Mat, MatRef, dot, matmul, tree_reduce};
use mercer_optim::{Lbfgs, Objective, Step, Stop, lbfgs};
use std::ops::ControlFlow;

/// The penalised squares and their derivatives in everything.
pub(super) struct Slopes {
    value: f64,
    /// In the weights, and in the intercept as a last row where there is one.
    weights: Mat,
    centers: Mat,
    log_widths: Vec<f64>,
}

/// Sums over a block of rows: squares, Φᵀr, and Gᵀ[x, 1, ‖x‖²].
type Sums = (f64, Mat, Mat);

impl RbfNetworkModel {
    /// The derivatives at rows that lie about the origin.
    fn slopes(&self, x: MatRef<'_>, y: &Mat) -> Slopes {
        let (m, d) = (self.centers.n_rows(), x.n_cols());
        let leaf = |b: usize| self.block_slopes(x, y, b * BLOCK_ROWS..((b + 1) * BLOCK_ROWS).min(x.n_rows()));
        let add = |mut a: Sums, b: Sums| {
            a.1.as_mut_slice().iter_mut().zip(b.1.as_slice()).for_each(|(a, b)| *a += b);
            a.2.as_mut_slice().iter_mut().zip(b.2.as_slice()).for_each(|(a, b)| *a += b);
            (a.0 + b.0, a.1, a.2)
        };
        let none = || (0.0, Mat::zeros(m, y.n_cols()), Mat::zeros(m, d + 2));
        let (mut value, mut weights, moments) =
            tree_reduce(x.n_rows().div_ceil(BLOCK_ROWS), leaf, add).unwrap_or_else(none);
        for (c, w) in self.weights.as_slice().chunks_exact(y.n_cols()).enumerate() {
            value += self.alpha * dot(w, w);
            weights.row_mut(c).iter_mut().zip(w).for_each(|(g, w)| *g += 2.0 * self.alpha * w);
        }
        let (mut centers, mut log_widths) = (Mat::zeros(m, d), vec![0.0; m]);
        for (c, slope) in log_widths.iter_mut().enumerate() {
            let (at, square) = (self.centers.row(c), self.widths[c] * self.widths[c]);
            let (sums, rest) = moments.row(c).split_at(d);
            let out = centers.row_mut(c).iter_mut().zip(sums.iter().zip(at));
            out.for_each(|(g, (sum, at))| *g = (sum - rest[0] * at) / square);
            *slope = (rest[1] - 2.0 * dot(sums, at) + rest[0] * dot(at, at)) / square;
        }
        Slopes { value, weights, centers, log_widths }
    }

    fn block_slopes(&self, x: MatRef<'_>, y: &Mat, range: std::ops::Range<usize>) -> Sums {
        let (m, d) = (self.centers.n_rows(), x.n_cols());
        let (block, y) = (x.rows(range.clone()), y.view().rows(range));
        let phi = self.functions(block);
        let mut gaps = self.outputs(block);
        let mut share = vec![0.0; gaps.n_rows()];
        let mut squares = 0.0;
        for (i, share) in share.iter_mut().enumerate() {
            for (k, gap) in gaps.row_mut(i).iter_mut().enumerate() {
                let said = *gap;
                *gap -= y.get(i, k);
                squares += *gap * *gap;
                *share += if self.normalized { *gap * said } else { 0.0 };
            }
        }
        let mut pulls = matmul(gaps.view(), self.weights.view().t());
        for (i, share) in share.iter().enumerate() {
            let functions = &phi.row(i)[..m];
            pulls.row_mut(i).iter_mut().zip(functions).for_each(|(g, f)| *g = 2.0 * f * (*g - share));
        }
        let wide = Mat::from_fn(block.n_rows(), d + 2, |i, j| match j {
            _ if j < d => block.get(i, j),
            _ if j == d => 1.0,
            _ => (0..d).map(|j| block.get(i, j).powi(2)).sum(),
        });
        let mut weights = matmul(phi.view().t(), gaps.view());
        weights.as_mut_slice().iter_mut().for_each(|g| *g *= 2.0);
        (squares, weights, matmul(pulls.view().t(), wide.view()))
    }

    /// The derivatives that are left in everything, each relative to its size: those in weights to the greatest of zero
    /// weights, those in centres (in widths) and logarithms of widths to the squares of the targets.
    pub(super) fn whole_gradient(&self, x: MatRef<'_>, y: &Mat) -> f64 {
        let (x, origin) = about_origin(x);
        let mut own = self.clone();
        own.move_centers(&origin, -1.0);
        let slopes = own.slopes(x.view(), y);
        let size = |values: &[f64]| values.iter().fold(0.0f64, |a, v| a.max(v.abs()));
        let total = dot(y.as_slice(), y.as_slice()).max(f64::MIN_POSITIVE);
        own.weights.as_mut_slice().fill(0.0);
        own.intercept.fill(0.0);
        let most = size(own.slopes(x.view(), y).weights.as_slice()).max(f64::MIN_POSITIVE);
        let centers = (0..own.widths.len()).map(|c| own.widths[c] * size(slopes.centers.row(c)));
        let places = centers.fold(size(&slopes.log_widths), f64::max);
        (size(slopes.weights.as_slice()) / most).max(places / total)
    }

    fn move_centers(&mut self, origin: &[f64], sign: f64) {
        for c in 0..self.centers.n_rows() {
            self.centers.row_mut(c).iter_mut().zip(origin).for_each(|(v, o)| *v += sign * o);
        }
    }

    /// Moves centres, widths and weights together until the squares fall no more; how that ended.
    pub(super) fn descend(&mut self, x: MatRef<'_>, y: &Mat, steps: usize, session: &Session) -> Termination {
        let (x, origin) = about_origin(x);
        self.move_centers(&origin, -1.0);
        let unit = self.widths.iter().sum::<f64>() / self.widths.len() as f64;
        let total = dot(y.as_slice(), y.as_slice()).max(f64::MIN_POSITIVE);
        let mut problem = Problem { model: self.clone(), x: &x, y, unit, total };
        let start = problem.packed();
        let mut monitor = |step: &Step| {
            let told =
                session.step("gradient", step.iteration as u64, Some(steps as u64), Some(step.value * total));
            if told.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let settings = Lbfgs { tol: 1e-9, value_tol: 1e-12, max_iter: steps, ..Lbfgs::default() };
        let found = lbfgs(&mut problem, &start, &settings, Some(&mut monitor));
        problem.unpack(&found.x);
        *self = problem.model;
        self.move_centers(&origin, 1.0);
        match found.stop {
            Stop::Converged => Termination::Converged,
            Stop::MaxIter => Termination::IterationLimit,
            Stop::Interrupted => session.interrupted().unwrap_or(Termination::Cancelled),
            Stop::NoProgress => Termination::Stalled,
        }
    }
}

/// Rows less their means, and these.
fn about_origin(x: MatRef<'_>) -> (Mat, Vec<f64>) {
    let means = ColumnMoments::of(x, None).means();
    (Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| x.get(i, j) - means[j]), means)
}

/// The penalised squares over those of the targets, in centres counted in widths, logarithms of widths, weights and intercepts.
struct Problem<'a> {
    model: RbfNetworkModel,
    x: &'a Mat,
    y: &'a Mat,
    unit: f64,
    total: f64,
}

impl Problem<'_> {
    fn packed(&self) -> Vec<f64> {
        let centers = self.model.centers.as_slice().iter().map(|c| c / self.unit);
        let widths = self.model.widths.iter().map(|w| w.ln());
        let weights = self.model.weights.as_slice().iter().copied();
        let intercept = self.model.intercept.iter().filter(|_| self.model.has_intercept()).copied();
        centers.chain(widths).chain(weights).chain(intercept).collect()
    }

    fn unpack(&mut self, all: &[f64]) {
        let model = &mut self.model;
        let (centers, rest) = all.split_at(model.centers.as_slice().len());
        let (widths, rest) = rest.split_at(model.widths.len());
        let (weights, intercept) = rest.split_at(model.weights.as_slice().len());
        model.centers.as_mut_slice().iter_mut().zip(centers).for_each(|(c, v)| *c = v * self.unit);
        model.widths.iter_mut().zip(widths).for_each(|(w, v)| *w = v.exp());
        model.weights.as_mut_slice().copy_from_slice(weights);
        model.intercept.iter_mut().zip(intercept).for_each(|(b, v)| *b = *v);
    }
}

impl Objective for Problem<'_> {
    fn dim(&self) -> usize {
        self.packed().len()
    }

    fn value_grad(&mut self, all: &[f64], grad: &mut [f64]) -> f64 {
        self.unpack(all);
        if self.model.widths.iter().any(|w| !(w.is_finite() && *w > 0.0)) {
            return f64::INFINITY;
        }
        let slopes = self.model.slopes(self.x.view(), self.y);
        let centers = slopes.centers.as_slice().iter().map(|g| g * self.unit);
        let rest = slopes.log_widths.iter().chain(slopes.weights.as_slice()).copied();
        grad.iter_mut().zip(centers.chain(rest)).for_each(|(out, g)| *out = g / self.total);
        slopes.value / self.total
    }
}

#[cfg(test)]
mod tests {
    use super::super::network::RBFNetworkRegressor;
    use super::*;
    use mercer_core::{Dataset, Fit, Target};
    use mercer_optim::check_gradient;

    #[test]
    fn derivatives_are_those_of_differences() {
        let x = Mat::from_fn(40, 2, |i, j| ((i * (3 + j)) % 11) as f64 / 4.0);
        let y: Vec<f64> = (0..40).map(|i| (x[(i, 0)] - x[(i, 1)]).sin()).collect();
        let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
        for normalized in [false, true] {
            let learner = RBFNetworkRegressor::default().normalized(normalized).alpha(0.1);
            let model =
                learner.n_centers(super::super::network::NetworkCenters::Number(4)).fit(&data).unwrap();
            let target = Mat::from_fn(40, 1, |i, _| y[i]);
            let mut problem =
                Problem { model: model.model().clone(), x: &x, y: &target, unit: 0.7, total: 2.0 };
            let at: Vec<f64> =
                problem.packed().iter().enumerate().map(|(i, v)| v + 0.05 * (i as f64).sin()).collect();
            let off = check_gradient(&mut problem, &at);
            assert!(off < 1e-6, "normalized={normalized}: {off}");
        }
    }
}
