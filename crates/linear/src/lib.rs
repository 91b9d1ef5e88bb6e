//! Linear models.

mod bayesian;
mod centred;
mod class_weights;
mod discriminant;
mod glm;
mod intercept;
mod lars;
mod lars_cv;
mod lars_ic;
mod lasso;
mod least_angle;
mod linear_model;
mod linear_scores;
mod logistic;
mod logistic_coordinate;
mod logistic_curvature;
mod logistic_cv;
mod logistic_direct;
mod logistic_inference;
mod logistic_loss;
mod logistic_model;
mod logistic_path;
mod logistic_saga;
mod logistic_settings;
mod logistic_state;
mod margins;
mod matching_pursuit;
mod multi_task;
mod net;
mod net_cv;
mod net_search;
mod on_moments;
mod ordinal;
mod paths;
mod points;
mod products;
mod pursuit;
mod ranking;
mod ridge;
mod robust;
mod sgd;
mod sparse_path;
mod squares;
mod wald;

pub use bayesian::{ARDRegression, BayesianLinearRegression, BayesianModel, BayesianRidge, PrecisionParams};
pub use class_weights::ClassWeightParams;
pub use discriminant::{
    DiscriminantSolver, FisherDiscriminant, FisherModel, FisherNorm, GaussianClassParams, LdaModel,
    LinearDiscriminantAnalysis, QdaModel, QdaSolver, QuadraticDiscriminantAnalysis, Shrinkage,
};
pub use glm::{GammaRegressor, GlmLink, GlmModel, GlmParams, GlmSolver, PoissonRegressor, TweedieRegressor};
pub use intercept::InterceptParams;
pub use lars::{Lars, LarsModel, LassoLars, LeastAngleParams};
pub use lars_cv::{FoldParams, LarsCV, LarsCvModel, LarsCvParams, LassoLarsCV};
pub use lars_ic::{Criterion, LarsIcModel, LassoLarsIC};
pub use lasso::{
    CoordinateDescentParams, ElasticNet, L1PenaltyParams, Lasso, NetPenaltyParams, SignParams, Visit,
};
pub use least_angle::{AnglesParams, AnglesPath, lars_path, lars_path_gram};
pub use linear_model::LinearRegressionModel;
pub use logistic::LogisticRegression;
pub use logistic_cv::{LogisticCvModel, LogisticFolds, LogisticRegressionCV};
pub use logistic_loss::{LogisticLocal, LogisticSums};
pub use logistic_model::LogisticModel;
pub use logistic_path::logistic_path;
pub use logistic_settings::{LogisticFitParams, LogisticPenalty, LogisticSolver};
pub use logistic_state::LogisticState;
pub use margins::{
    Dual, LinearSVC, LinearSVR, LinearSvmModel, MultiClass, SvcLoss, SvcPenalty, SvmParams, SvrLoss,
};
pub use matching_pursuit::{OrthogonalMatchingPursuit, OrthogonalMatchingPursuitCV, PursuitModel};
pub use multi_task::{MultiTaskElasticNet, MultiTaskElasticNetCv, MultiTaskLasso, MultiTaskLassoCv};
pub use net::ElasticNetModel;
pub use net_cv::{ElasticNetCv, ElasticNetCvModel, LassoCv, PathCvParams, Ratios, ShareParams};
pub use net_search::fit_net_on;
pub use ordinal::{OrdinalLoss, OrdinalModel, OrdinalRegression, ScoreSolverParams};
pub use paths::{Alphas, PathParams, RegularizationPath, enet_path, lasso_path};
pub use pursuit::{Pursuit, orthogonal_mp, orthogonal_mp_gram};
pub use ranking::{PairLoss, PairwiseRanker, RankingModel};
pub use ridge::{
    GcvMode, Penalties, Ridge, RidgeCV, RidgeClassifier, RidgeClassifierCV, RidgeClassifierCvModel,
    RidgeClassifierModel, RidgeCvModel, RidgeCvParams, RidgeParams, RidgePath, RidgeSolver,
};
pub use robust::{HuberRegressor, LpRegressor, QuantileRegressor, QuantileSolver, RobustLoss, RobustModel};
pub use sgd::{
    Average, LearningRate, OneClassModel, Perceptron, SGDClassifier, SGDOneClassSVM, SGDRegressor, SgdLoss,
    SgdModel, SgdParams, SgdPassParams, SgdPenalty, SgdScheduleParams, SgdStepParams,
};
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
            Entry::of::<LassoCv>(),
            Entry::of::<ElasticNetCv>(),
            Entry::of::<MultiTaskLasso>(),
            Entry::of::<MultiTaskElasticNet>(),
            Entry::of::<MultiTaskLassoCv>(),
            Entry::of::<MultiTaskElasticNetCv>(),
            Entry::of::<Lars>(),
            Entry::of::<LassoLars>(),
            Entry::of::<LarsCV>(),
            Entry::of::<LassoLarsCV>(),
            Entry::of::<LassoLarsIC>(),
            Entry::of::<OrthogonalMatchingPursuit>(),
            Entry::of::<OrthogonalMatchingPursuitCV>(),
            Entry::of::<PoissonRegressor>(),
            Entry::of::<GammaRegressor>(),
            Entry::of::<TweedieRegressor>(),
            Entry::of::<LogisticRegression>(),
            Entry::of::<LogisticRegressionCV>(),
            Entry::of::<OrdinalRegression>(),
            Entry::of::<PairwiseRanker>(),
            Entry::of::<LinearDiscriminantAnalysis>(),
            Entry::of::<QuadraticDiscriminantAnalysis>(),
            Entry::of::<FisherDiscriminant>(),
            Entry::of::<LinearSVC>(),
            Entry::of::<LinearSVR>(),
            Entry::of::<Perceptron>(),
            Entry::of::<SGDClassifier>(),
            Entry::of::<SGDRegressor>(),
            Entry::of::<SGDOneClassSVM>(),
        ]
    }
}
