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
use super::loss::Loss;
use super::model::BoostedTrees;
use super::multi_output;
use super::params::{BoostParams, EarlyStopping, EarlyStoppingParams, HistBoostParams};
use super::settings::{Categorical, Job};
use super::train::boost;
use mercer_core::{
    Capabilities, Choice, CountOrShare, Dataset, Error, ErrorKind, Learn, Params, Result, Session, Task,
};

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
    twin = "HistGradientBoostingClassifier",
    order = "learning_rate max_iter max_leaf_nodes, max_bins categorical",
    session = "verbose random_state",
    mixins = "CategoricalMixin",
    door = "categorical_features='from_dtype' warm_start=False",
    can = "explain trees weights missing categorical sparse multi_output counts_rows ordered",
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
    /// Trees, histograms and early stopping.
    #[param(flatten)]
    pub hist: HistBoostParams,
}

impl Learn for HistGradientBoostingRegressor {
    type Model = BoostedTrees;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        multi_output::each(Self::NAME, data, |data| self.boost(data, session))
    }

    fn capabilities(&self) -> Capabilities {
        self.hist.capabilities(Self::declaration().capabilities)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if self.loss == HistRegressionLoss::Quantile && self.quantile.is_none() {
            return Err(Error::param(Self::NAME, "quantile", "given for the quantile loss", "none"));
        }
        self.hist.check(Self::NAME, Task::Regression)
    }
}

impl HistGradientBoostingRegressor {
    pub(super) fn boosted_loss(&self) -> Loss {
        match self.loss {
            HistRegressionLoss::SquaredError => Loss::Squared,
            HistRegressionLoss::AbsoluteError => Loss::Absolute,
            HistRegressionLoss::Gamma => Loss::Gamma,
            HistRegressionLoss::Poisson => Loss::Poisson,
            HistRegressionLoss::Quantile => Loss::Quantile(self.quantile.unwrap_or(0.5)),
        }
    }

    /// Boosts for one target.
    fn boost(&self, data: &Dataset<'_>, session: &Session) -> Result<BoostedTrees> {
        let y = data.need_target(Self::NAME)?.numbers()?.to_vec();
        let loss = self.boosted_loss();
        check_range(Self::NAME, loss, &y)?;
        let settings = self.hist.settings(Self::NAME, Task::Regression, loss, data)?;
        let weights = data.weights().map(|w| w.to_vec());
        let (objective, before) = (None, None);
        let job = Job { learner: Self::NAME, data, y, weights, labels: Vec::new(), objective, before };
        boost(&job, &settings, session)
    }
}

/// Refuses targets that the loss has no value for.
pub(crate) fn check_range(owner: &str, loss: Loss, y: &[f64]) -> Result<()> {
    let hint = match loss {
        Loss::Poisson | Loss::Tweedie(_) => "; this loss takes numbers that are not negative",
        Loss::Gamma => "; this loss takes positive numbers",
        _ => return Ok(()),
    };
    let bad = |row: usize, hint: &str| ErrorKind::BadValue {
        learner: owner.to_owned(),
        value: format!("the target {}", y[row]),
        column: "target".to_owned(),
        row,
        hint: hint.to_owned(),
    };
    if let Some(row) = y.iter().position(|&y| !loss.takes(y)) {
        return Err(bad(row, hint).into());
    }
    if y.iter().all(|&y| y == 0.0) && !y.is_empty() {
        return Err(bad(0, "; this loss takes targets that are not all zero").into());
    }
    Ok(())
}
