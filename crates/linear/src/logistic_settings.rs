//! What logistic regressions are told: the penalty, the solver, and when it stops.

use crate::class_weights::ClassWeightParams;
use crate::intercept::InterceptParams;
use mercer_core::{Choice, ParamGroup};

/// How [`LogisticRegression`](crate::LogisticRegression) finds its optimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum LogisticSolver {
    /// Whichever is fastest for the shape of the data.
    Auto,
    /// L-BFGS, preconditioned by the Hessian at the start; orthant-wise for an L1 part.
    Lbfgs,
    /// Newton's method with the whole Hessian.
    NewtonCholesky,
    /// Newton's method with conjugate gradients, which need only products with the Hessian.
    NewtonCg,
    /// Newton's method whose steps are found by coordinate descent on the columns; for two classes.
    Coordinate,
    /// The objective of LIBLINEAR, whose intercept is penalised as the coefficient of a constant feature; for two classes.
    Liblinear,
    /// Stochastic average gradients, one row a step.
    Sag,
    /// The same without bias, which takes L1 parts, too.
    Saga,
}

/// What [`LogisticRegression`](crate::LogisticRegression) adds to the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum LogisticPenalty {
    /// Half the sum of the squared coefficients, unless `l1_ratio` mixes in the other.
    L2,
    /// The sum of the absolute coefficients.
    L1,
    /// Both, in the ratio `l1_ratio`.
    Elasticnet,
}

/// What the classes weigh, and how a fit is found.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct LogisticFitParams {
    /// The intercepts.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// With the solver liblinear, the constant feature whose coefficient the intercept is: the larger, the less it is
    /// penalised. Other solvers penalise no intercept, and this changes nothing.
    #[param(default = 1.0, range = "(0, inf)")]
    pub intercept_scaling: f64,
    /// Largest entry of the gradient of the mean objective at which a fit stops; coordinate descent asks for a tenth of it as
    /// the relative duality gap, too. Of sag and saga the largest change of a coefficient in a pass, in units of the largest.
    #[param(default = 1e-4, range = "[0, inf)")]
    pub tol: f64,
    /// Most steps of the solver, of sag and saga passes over the rows; none of them leaves the start.
    #[param(default = 100, range = "[0, inf)")]
    pub max_iter: usize,
    /// How the optimum is found.
    #[param(default = LogisticSolver::Auto)]
    pub solver: LogisticSolver,
    /// The weights of the classes.
    #[param(flatten)]
    pub classes: ClassWeightParams,
}

impl LogisticFitParams {
    /// Whether the solver knows one score alone, so that it takes two classes and no more.
    pub(crate) fn one_score(&self) -> bool {
        matches!(self.solver, LogisticSolver::Coordinate | LogisticSolver::Liblinear)
    }

    /// What one unit of the intercept costs beside one of a coefficient: LIBLINEAR's is penalised.
    pub(crate) fn intercept_cost(&self) -> f64 {
        if self.solver == LogisticSolver::Liblinear { 1.0 / self.intercept_scaling } else { 0.0 }
    }
}
