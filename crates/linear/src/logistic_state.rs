//! What logistic regression knows between rounds: the objective at a point, and what is asked next.

use crate::logistic_curvature::{Newton, Preconditioner};
use crate::logistic_direct::Ended;
use crate::logistic_inference::Stage;
use crate::logistic_loss::{Curvature, Dims, LogisticSums};
use mercer_core::{Error, Labels, Result};
use mercer_optim::{AskTell, AskTellSettings, Stop};
use serde::{Deserialize, Serialize};

/// Up to this many features, L-BFGS is preconditioned by a matrix; sparse rows have mostly zeros in it.
const DENSE_GRAM: usize = 1024;
pub(crate) const SPARSE_GRAM: usize = 256;

/// What [`LogisticRegression`](crate::LogisticRegression) knows between rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogisticState {
    pub(crate) dims: Dims,
    pub(crate) sparse: bool,
    /// Newton with the whole Hessian.
    pub(crate) newton: bool,
    /// Newton with products.
    pub(crate) truncated: bool,
    pub(crate) labels: Option<Labels>,
    /// The weight of each class in the objective; 0 for those that do not occur.
    pub(crate) scale: Vec<f64>,
    /// The share of each class, which the start predicts for every row.
    pub(crate) share: Vec<f64>,
    /// Σ s.
    pub(crate) total: f64,
    /// The mean of |x| of each feature: what its gradient is at most.
    pub(crate) sizes: Vec<f64>,
    /// The mean of each feature.
    pub(crate) means: Vec<f64>,
    /// Σ s of each class.
    pub(crate) counts: Vec<f64>,
    pub(crate) stage: Stage,
    /// The weights of the penalties in the mean objective.
    pub(crate) l1: f64,
    pub(crate) lambda: f64,
    /// What one unit of an intercept costs beside one of a coefficient; 0 for nothing.
    pub(crate) intercept_cost: f64,
    /// How a solver that does not go by sums ended at the point.
    pub(crate) ended: Option<Ended>,
    pub(crate) curvature: Curvature,
    pub(crate) preconditioner: Preconditioner,
    /// `None` in the round that counts classes.
    pub(crate) search: Option<AskTell>,
}

impl LogisticState {
    /// What the first evaluation must tell of the curvature; a sample large beside the features will do.
    pub(crate) fn first_curvature(&self, rows: u64) -> Curvature {
        let width = self.dims.width();
        if self.newton {
            return Curvature::Full;
        }
        if self.l1 > 0.0 || width > if self.sparse { SPARSE_GRAM } else { DENSE_GRAM } {
            return Curvature::Diagonal;
        }
        let part = (20 * width + 4096) as f64 / rows.max(1) as f64;
        Curvature::Sample(if part < 1.0 { (part * u64::MAX as f64) as u64 } else { u64::MAX })
    }

    /// The weight of each absolute value; none without an L1 part.
    pub(crate) fn l1_weights(&self) -> Vec<f64> {
        let weight =
            |j: usize| if j < self.dims.penalised() { self.l1 } else { self.l1 * self.intercept_cost };
        if self.l1 > 0.0 { (0..self.dims.len()).map(weight).collect() } else { Vec::new() }
    }

    /// Value and gradient of the mean objective, without its L1 part.
    pub(crate) fn objective(&self, point: &[f64], sums: &LogisticSums) -> (f64, Vec<f64>) {
        let (w, b) = point.split_at(self.dims.penalised());
        let mut grad = sums.grad.clone();
        self.penalise(point, &mut grad);
        let squares = self.lambda * mercer_math::dot(w, w) + self.intercept_lambda() * mercer_math::dot(b, b);
        (sums.loss / self.total + 0.5 * squares, grad)
    }

    /// Turns sums into means and adds the derivative of the penalty.
    pub(crate) fn penalise(&self, vector: &[f64], sums: &mut [f64]) {
        mercer_math::scale(1.0 / self.total, sums);
        let n = self.dims.penalised();
        mercer_math::axpy(self.lambda, &vector[..n], &mut sums[..n]);
        if self.intercept_cost > 0.0 {
            mercer_math::axpy(self.intercept_lambda(), &vector[n..], &mut sums[n..]);
        }
    }

    /// The weight of the squared intercepts in the mean objective.
    pub(crate) fn intercept_lambda(&self) -> f64 {
        self.lambda * self.intercept_cost * self.intercept_cost
    }

    pub(crate) fn tell(
        &mut self,
        search: &mut AskTell,
        sums: &LogisticSums,
        value: f64,
        grad: Vec<f64>,
    ) -> Option<Stop> {
        if self.newton {
            let active: Vec<bool> = self.scale.iter().map(|s| *s > 0.0).collect();
            let lambdas = (self.lambda, self.intercept_lambda());
            let newton = Newton::new(self.dims, sums, &active, self.total, lambdas);
            return search.tell_value(value, grad, |g| newton.solve(g));
        }
        if self.curvature != Curvature::None {
            self.preconditioner =
                Preconditioner::at_start(self.dims, sums, &self.share, self.total, self.lambda);
            self.curvature = Curvature::None;
        }
        search.tell_value(value, grad, |g| self.preconditioner.apply(g))
    }

    /// Makes the next round evaluate a given point, and nothing of the curvature.
    pub(crate) fn evaluate_at(&mut self, point: Vec<f64>) -> Result<()> {
        if point.len() != self.dims.len() {
            return Err(Error::shape("coefficients for the data", self.dims.len(), point.len()));
        }
        let settings =
            AskTellSettings { memory: 0, products: 0, tol: 0.0, max_iter: 0, l1: self.l1_weights() };
        self.search = Some(AskTell::new(point, settings));
        self.curvature = Curvature::None;
        (self.newton, self.truncated) = (false, false);
        Ok(())
    }

    /// The sum of the weights of all rows.
    pub(crate) fn total(&self) -> f64 {
        self.total
    }
}
