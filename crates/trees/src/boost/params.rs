//! The parameters that boosting learners share: trees, histograms and early stopping.

use super::loss::Loss;
use super::settings::{BoostSettings, CAT_LEVELS, Categorical, Patience, Sampling, metric_of};
use super::split::Limits;
use crate::constraints::{Interactions, Monotonic};
use mercer_core::{Capabilities, Choice, CountOrShare, Dataset, ParamGroup, Result, Rows, Task};

/// What all boosting learners share.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct BoostParams {
    /// What each tree's leaves are multiplied by.
    #[param(default = 0.1, range = "(0, inf)", search = "log 0.01..0.5")]
    pub learning_rate: f64,
    /// Most splits on the way to a leaf; none is without limit.
    #[param(default = None, range = "[1, inf)")]
    pub max_depth: Option<usize>,
    /// How columns of levels are split.
    #[param(default = Categorical::Auto)]
    pub categorical: Categorical,
}

/// What the learners of scikit-learn's names share.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct HistBoostParams {
    /// What all boosting learners share.
    #[param(flatten)]
    pub boost: BoostParams,
    /// Rounds of boosting.
    #[param(default = 100, range = "[1, inf)", search = "int 50..500")]
    pub max_iter: usize,
    /// Most leaves of a tree, grown best first; none is without limit.
    #[param(default = Some(31), range = "[2, inf)", search = "int 4..255")]
    pub max_leaf_nodes: Option<usize>,
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
    /// Whether the prediction must rise (1) or fall (-1) with a column.
    #[param(default = None)]
    pub monotonic_cst: Option<Monotonic>,
    /// Which columns may meet on a way from the root to a leaf.
    #[param(default = None)]
    pub interaction_cst: Option<Interactions>,
    /// When to stop before the last round.
    #[param(flatten)]
    pub stopping: EarlyStoppingParams,
}

/// Early stopping.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct EarlyStoppingParams {
    /// Whether to stop before the last round.
    #[param(default = EarlyStopping::Auto)]
    pub early_stopping: EarlyStopping,
    /// What early stopping watches: loss, or a metric by name; none is the accuracy or R².
    #[param(default = Some("loss".to_owned()))]
    pub scoring: Option<String>,
    /// The rows set aside for early stopping, fractions being shares of all; none watches the training rows.
    #[param(default = Some(CountOrShare::Share(0.1)))]
    pub validation_fraction: Option<CountOrShare>,
    /// Rounds without improvement before stopping.
    #[param(default = 10, range = "[1, inf)")]
    pub n_iter_no_change: usize,
    /// The least improvement of the loss that counts.
    #[param(default = 1e-7, range = "[0, inf)")]
    pub tol: f64,
}

/// Whether to stop before the last round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum EarlyStopping {
    /// Where the data bring validation rows or have more than 10,000 rows.
    Auto,
    /// Yes or no.
    Always(bool),
}

impl EarlyStoppingParams {
    /// The patience with a run on these data, where it may stop early.
    fn patience(&self, owner: &str, task: Task, data: &Dataset<'_>) -> Result<Option<Patience>> {
        let patience = Patience {
            fraction: self.validation_fraction,
            rounds: self.n_iter_no_change,
            tol: self.tol,
            metric: metric_of(owner, self.scoring.as_deref(), task)?,
        };
        let applies = match self.early_stopping {
            EarlyStopping::Auto => data.valid().is_some() || data.n_rows() > 10_000,
            EarlyStopping::Always(yes) => yes,
        };
        Ok(applies.then_some(patience))
    }
}

impl HistBoostParams {
    /// Checks what ranges cannot.
    pub(crate) fn check(&self, owner: &str, task: Task) -> Result<()> {
        metric_of(owner, self.stopping.scoring.as_deref(), task)?;
        let size = self.stopping.validation_fraction;
        size.map_or(Ok(()), |size| size.check(owner, "validation_fraction", "", 1))
    }

    /// What a learner with these parameters can do.
    pub(crate) fn capabilities(&self, declared: Capabilities) -> Capabilities {
        Capabilities {
            random: self.max_features < 1.0 || self.stopping.early_stopping != EarlyStopping::Always(false),
            counts_rows: self.min_samples_leaf > 1,
            ..declared
        }
    }

    /// The settings of a training run on these data.
    pub(crate) fn settings(
        &self,
        owner: &str,
        task: Task,
        loss: Loss,
        data: &Dataset<'_>,
    ) -> Result<BoostSettings> {
        let patience = self.stopping.patience(owner, task, data)?;
        Ok(BoostSettings {
            loss,
            rounds: self.max_iter,
            learning_rate: self.boost.learning_rate,
            max_bins: self.max_bins,
            bundle: true,
            categorical: self.boost.categorical,
            limits: self.limits(owner, &data.rows(owner)?)?,
            patience,
            sampling: Sampling::All,
            dropout: None,
            linear: None,
        })
    }

    fn limits(&self, owner: &str, rows: &Rows<'_>) -> Result<Limits> {
        let subsets = self.boost.categorical == Categorical::Partition;
        Ok(Limits {
            max_leaves: self.max_leaf_nodes.unwrap_or(usize::MAX),
            max_depth: self.boost.max_depth.unwrap_or(usize::MAX),
            best_first: true,
            min_rows: self.min_samples_leaf,
            min_hessian: 1e-3,
            min_gain: 0.0,
            l1: 0.0,
            l2: self.l2_regularization,
            cat_smooth: 10.0,
            cat_l2: 0.0,
            one_hot: 0,
            cat_levels: if subsets { usize::MAX } else { CAT_LEVELS },
            node_features: self.max_features,
            tree_features: 1.0,
            monotone: self.monotonic_cst.as_ref().map_or(Ok(Vec::new()), |m| m.resolve(owner, rows))?,
            interactions: self.interaction_cst.as_ref().map_or(Ok(Vec::new()), |i| i.resolve(owner, rows))?,
        })
    }
}
