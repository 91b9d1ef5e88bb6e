//! Gradient boosting on histograms, for numbers.
//!
//! # Objective
//! $$ \min_F \sum_i w_i\, \ell\bigl(y_i, F(x_i)\bigr), \qquad F = f_0 + \eta \sum_t f_t $$
//! for the squared or absolute error, the pinball loss of a quantile, or the Poisson or gamma deviance with a
//! logarithmic link.
//!
//! # Algorithm
//! As for classes: Newton boosting on histograms. The absolute error and the pinball loss have no curvature; their
//! trees are grown on signs, and leaves then hold the median or quantile of their rows' residuals.
//!
//! # Complexity
//! As for classes; leaves of medians cost a sort of the residuals each round.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_trees::HistGradientBoostingRegressor;
//! let x = Mat::from_fn(300, 1, |i, _| i as f64);
//! let y: Vec<f64> = (0..300).map(|i| f64::from(i / 100)).collect();
//! let data = Dataset::new(&x).with_target(Target::real(y.clone()))?;
//! let model = HistGradientBoostingRegressor::default().fit(&data)?;
//! assert!(model.predict(&x)?.numbers()?.iter().zip(&y).all(|(a, b)| (a - b).abs() < 1e-3));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! As for classes. The median of an even weight is the middle of the two values around it.
//!
//! # References
//! - J. H. Friedman. Greedy function approximation: a gradient boosting machine. Ann. Stat. 29(5), 2001.
//!   doi:10.1214/aos/1013203451
//! - G. Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NeurIPS, 2017.

use super::constraints::{Interactions, Monotonic};
use super::hist_gradient_boosting_classifier::{EarlyStopping, Shared};
use super::loss::Loss;
use super::model::BoostedTrees;
use super::multi_output;
use super::settings::{BoostSettings, Categorical, Job, Patience, Sampling, metric_of};
use super::train::boost;
use crate::limits::MinSamples;
use mercer_core::{Capabilities, Choice, Dataset, Error, ErrorKind, Learn, Params, Result, Session, Task};

/// The loss of [`HistGradientBoostingRegressor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum HistRegressionLoss {
    /// Squared error.
    SquaredError,
    /// Absolute error.
    AbsoluteError,
    /// Gamma deviance, for positive numbers.
    Gamma,
    /// Poisson deviance, for numbers that are not negative.
    Poisson,
    /// The pinball loss at `quantile`.
    Quantile,
}

/// Gradient boosting on histograms, for numbers.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "gbdt-regressor",
    canon = "T7",
    task = Regression,
    python = "ensemble",
    can = "weights missing categorical sparse multi_output counts_rows ordered",
    references = "Friedman. Greedy function approximation: a gradient boosting machine. Ann. Stat. 29(5), 2001.|\
                  Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NeurIPS, 2017."
)]
pub struct HistGradientBoostingRegressor {
    /// The loss.
    #[param(default = HistRegressionLoss::SquaredError)]
    pub loss: HistRegressionLoss,
    /// The quantile of the pinball loss.
    #[param(default = None, range = "[0, 1]")]
    pub quantile: Option<f64>,
    /// What each tree's leaves are multiplied by.
    #[param(default = 0.1, range = "(0, inf)", search = "log 0.01..0.5")]
    pub learning_rate: f64,
    /// Rounds of boosting.
    #[param(default = 100, range = "[1, inf)", search = "int 50..500")]
    pub max_iter: usize,
    /// Most leaves of a tree, grown best first; none is without limit.
    #[param(default = Some(31), range = "[2, inf)", search = "int 4..255")]
    pub max_leaf_nodes: Option<usize>,
    /// Most splits on the way to a leaf; none is without limit.
    #[param(default = None, range = "[1, inf)")]
    pub max_depth: Option<usize>,
    /// Least rows of a leaf.
    #[param(default = 20, range = "[1, inf)", search = "int 1..100")]
    pub min_samples_leaf: usize,
    /// Strength of the L2 penalty on leaves.
    #[param(default = 0.0, range = "[0, inf)", search = "log 1e-3..100")]
    pub l2_regularization: f64,
    /// The share of features looked at for each split.
    #[param(default = 1.0, range = "(0, 1]")]
    pub max_features: f64,
    /// Most bins of a column, without that of missing values.
    #[param(default = 255, range = "[2, 255]")]
    pub max_bins: usize,
    /// How columns of levels are split.
    #[param(default = Categorical::Auto)]
    pub categorical: Categorical,
    /// Whether the prediction must rise (1) or fall (-1) with a column.
    #[param(default = None)]
    pub monotonic_cst: Option<Monotonic>,
    /// Which columns may meet on a way from the root to a leaf.
    #[param(default = None)]
    pub interaction_cst: Option<Interactions>,
    /// Whether to stop before the last round.
    #[param(default = EarlyStopping::Auto)]
    pub early_stopping: EarlyStopping,
    /// What early stopping watches: loss, or a metric by name; none is the accuracy or R².
    #[param(default = Some("loss".to_owned()))]
    pub scoring: Option<String>,
    /// The rows set aside for early stopping, fractions being shares of all; none watches the training rows.
    #[param(default = Some(MinSamples::Fraction(0.1)))]
    pub validation_fraction: Option<MinSamples>,
    /// Rounds without improvement before stopping.
    #[param(default = 10, range = "[1, inf)")]
    pub n_iter_no_change: usize,
    /// The least improvement of the loss that counts.
    #[param(default = 1e-7, range = "[0, inf)")]
    pub tol: f64,
}

impl Learn for HistGradientBoostingRegressor {
    type Model = BoostedTrees;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        multi_output::each(Self::NAME, data, |data| self.boost(data, session))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            random: self.max_features < 1.0 || self.early_stopping != EarlyStopping::Always(false),
            counts_rows: self.min_samples_leaf > 1,
            ..Self::declaration().capabilities
        }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if self.loss == HistRegressionLoss::Quantile && self.quantile.is_none() {
            return Err(Error::param(Self::NAME, "quantile", "given for the quantile loss", "none"));
        }
        metric_of(Self::NAME, self.scoring.as_deref(), Task::Regression)?;
        self.validation_fraction.map_or(Ok(()), |size| size.check(Self::NAME, "validation_fraction", 1))
    }
}

impl HistGradientBoostingRegressor {
    /// Boosts for one target.
    fn boost(&self, data: &Dataset<'_>, session: &Session) -> Result<BoostedTrees> {
        let y = data.need_target(Self::NAME)?.numbers()?.to_vec();
        let loss = match self.loss {
            HistRegressionLoss::SquaredError => Loss::Squared,
            HistRegressionLoss::AbsoluteError => Loss::Absolute,
            HistRegressionLoss::Gamma => Loss::Gamma,
            HistRegressionLoss::Poisson => Loss::Poisson,
            HistRegressionLoss::Quantile => Loss::Quantile(self.quantile.unwrap_or(0.5)),
        };
        check_range(Self::NAME, loss, &y)?;
        let patience = Patience {
            fraction: self.validation_fraction,
            rounds: self.n_iter_no_change,
            tol: self.tol,
            metric: metric_of(Self::NAME, self.scoring.as_deref(), Task::Regression)?,
        };
        let shared = Shared {
            max_leaf_nodes: self.max_leaf_nodes,
            max_depth: self.max_depth,
            min_samples_leaf: self.min_samples_leaf,
            l2_regularization: self.l2_regularization,
            max_features: self.max_features,
            monotonic_cst: self.monotonic_cst.as_ref(),
            interaction_cst: self.interaction_cst.as_ref(),
            categorical: self.categorical,
        };
        let settings = BoostSettings {
            loss,
            rounds: self.max_iter,
            learning_rate: self.learning_rate,
            max_bins: self.max_bins,
            bundle: true,
            categorical: self.categorical,
            limits: shared.limits(Self::NAME, &data.rows(Self::NAME)?)?,
            patience: self.early_stopping.applies(data).then_some(patience),
            sampling: Sampling::All,
            dropout: None,
            linear: None,
        };
        let weights = data.weights().map(|w| w.to_vec());
        let (objective, before) = (None, None);
        let job = Job { learner: Self::NAME, data, y, weights, labels: Vec::new(), objective, before };
        boost(&job, &settings, session)
    }
}

/// Refuses targets that the loss has no value for.
pub(crate) fn check_range(owner: &str, loss: Loss, y: &[f64]) -> Result<()> {
    let (good, hint): (fn(f64) -> bool, _) = match loss {
        Loss::Poisson | Loss::Tweedie(_) => (|y| y >= 0.0, "; this loss takes numbers that are not negative"),
        Loss::Gamma => (|y| y > 0.0, "; this loss takes positive numbers"),
        _ => return Ok(()),
    };
    let bad = |row: usize, hint: &str| ErrorKind::BadValue {
        learner: owner.to_owned(),
        value: format!("the target {}", y[row]),
        column: "target".to_owned(),
        row,
        hint: hint.to_owned(),
    };
    if let Some(row) = y.iter().position(|&y| !good(y)) {
        return Err(bad(row, hint).into());
    }
    if y.iter().all(|&y| y == 0.0) && !y.is_empty() {
        return Err(bad(0, "; this loss takes targets that are not all zero").into());
    }
    Ok(())
}
