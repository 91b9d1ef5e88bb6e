//! Linear models.

mod bayesian;
mod centred;
mod coordinate_descent;
mod intercept;
mod lasso;
mod linear_model;
mod logistic;
mod logistic_curvature;
mod logistic_loss;
mod logistic_model;
mod logistic_state;
mod on_moments;
mod ridge;
mod robust;
mod squares;

pub use bayesian::{ARDRegression, BayesianLinearRegression, BayesianModel, BayesianRidge, PrecisionParams};
pub use intercept::InterceptParams;
pub use lasso::{CoordinateDescentParams, ElasticNet, ElasticNetModel, Lasso, Visit};
pub use linear_model::LinearRegressionModel;
pub use logistic::{LogisticPenalty, LogisticRegression, LogisticSolver};
pub use logistic_loss::{LogisticLocal, LogisticSums};
pub use logistic_model::LogisticModel;
pub use logistic_state::LogisticState;
pub use ridge::{
    GcvMode, Ridge, RidgeCV, RidgeClassifier, RidgeClassifierCV, RidgeClassifierCvModel,
    RidgeClassifierModel, RidgeCvModel, RidgeCvParams, RidgeParams, RidgePath, RidgeSolver,
};
pub use robust::{HuberRegressor, LpRegressor, QuantileRegressor, QuantileSolver, RobustLoss, RobustModel};
pub use squares::{
    Frame, LeastSquaresModel, LeastSquaresState, LeastSquaresSums, LinearRegression, Refining, ResidualSums,
};

pub use mercer_core::ClassWeight;

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<LinearRegression>(),
            Entry::of::<Ridge>(),
            Entry::of::<RidgeCV>(),
            Entry::of::<RidgeClassifier>(),
            Entry::of::<RidgeClassifierCV>(),
            Entry::of::<BayesianRidge>(),
            Entry::of::<ARDRegression>(),
            Entry::of::<BayesianLinearRegression>(),
            Entry::of::<HuberRegressor>(),
            Entry::of::<QuantileRegressor>(),
            Entry::of::<LpRegressor>(),
            Entry::of::<Lasso>(),
            Entry::of::<ElasticNet>(),
            Entry::of::<LogisticRegression>(),
        ]
    }
}
