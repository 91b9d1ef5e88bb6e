//! Gradient boosting on histograms, for classes.
//!
//! # Objective
//! The logistic loss of a sum of trees,
//! $$ \min_F \sum_i w_i \log\bigl(1 + e^{-\tilde y_i F(x_i)}\bigr), \qquad F = f_0 + \eta \sum_t f_t $$
//! with two classes ($\tilde y = \pm 1$), or the softmax loss with one sum of trees for each of several classes.
//!
//! # Algorithm
//! Newton boosting: each tree is grown on first and second derivatives of the loss at the current scores. A split
//! gains $G_L^2/(H_L+\lambda) + G_R^2/(H_R+\lambda) - G^2/(H+\lambda)$, a leaf holds $-G/(H+\lambda)$. Columns are
//! quantised to at most 255 bins once; a node's histogram of gradients is built for the smaller child and subtracted
//! for the other. Leaves are split best first. Gradients are packed with hessian and count into words of whole
//! numbers for the search of splits (see `histogram.rs`); the values of leaves come from the gradients themselves.
//!
//! Missing values go to the side that gains more; where a node saw none, with the larger child. Levels of a category
//! are ordered by gradient over hessian, and the best prefix from either end is taken; columns of more than 32 levels
//! are split by prefixes of up to eight, and by means of the target, each row's taken from other rows (`categorical`).
//! Early stopping watches the loss of the validation rows that the data bring, or of rows set aside by a hash of what
//! they hold, and keeps the rounds that were best there.
//!
//! Columns that are never away from their most frequent bin together, such as those of one-hot codes, share a histogram
//! of at most 256 codes, from which each is split by itself. Sparse rows are quantised from their entries, and give the
//! model of the same rows made dense.
//!
//! # Complexity
//! Time O(n d) to quantise (sparse rows: their entries) and O(n d log leaves) a round at most; memory 2 n d bytes beyond
//! the data. Columns that share a histogram count once in d, but for the search of splits.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_trees::HistGradientBoostingClassifier;
//! let x = Mat::from_fn(200, 2, |i, j| ((i * (j + 3)) % 17) as f64);
//! let y: Vec<bool> = (0..200).map(|i| x[(i, 0)] > 8.0).collect();
//! let data = Dataset::new(&x).with_target(Target::classes(&y))?;
//! let model = HistGradientBoostingClassifier::default().fit(&data)?;
//! assert!(model.predict(&x)?.class()?.0.iter().zip(&y).all(|(&c, &y)| (c == 1) == y));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Sums of histograms are exact, so a model does not depend on the number of threads. Gradients are rounded to whole
//! numbers by a hash of their own bits, to 1/65536 of the largest for large data and finer for small ones. Rows of
//! weight 0 are not there; `min_samples_leaf` counts rows. Statistics of many levels depend on the order of the rows.
//!
//! # References
//! - J. H. Friedman. Greedy function approximation: a gradient boosting machine. Ann. Stat. 29(5), 2001.
//!   doi:10.1214/aos/1013203451
//! - G. Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NeurIPS, 2017.
//! - Y. Shi et al. Quantized training of gradient boosting decision trees. NeurIPS, 2022.

use super::constraints::{Interactions, Monotonic};
use super::loss::Loss;
use super::model::BoostedTrees;
use super::settings::{BoostSettings, CAT_LEVELS, Categorical, Job, Patience, Sampling, metric_of};
use super::split::Limits;
use super::train::boost;
use crate::cart::classifier::{ClassWeight, balanced};
use crate::limits::MinSamples;
use mercer_core::{Capabilities, Choice, Dataset, Learn, Params, Result, Rows, Session, Task};
use mercer_math::Weights;

/// The loss of [`HistGradientBoostingClassifier`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum HistLoss {
    /// The logistic loss, of two or more classes.
    LogLoss,
}

/// Whether to stop before the last round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum EarlyStopping {
    /// Where the data bring validation rows or have more than 10,000 rows.
    Auto,
    /// Yes or no.
    Always(bool),
}

impl EarlyStopping {
    pub(crate) fn applies(self, data: &Dataset<'_>) -> bool {
        match self {
            EarlyStopping::Auto => data.valid().is_some() || data.n_rows() > 10_000,
            EarlyStopping::Always(yes) => yes,
        }
    }
}

/// Gradient boosting on histograms, for classes.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "gbdt",
    canon = "T7",
    task = Classification,
    python = "ensemble",
    can = "proba decision weights missing categorical sparse counts_rows ordered",
    references = "Friedman. Greedy function approximation: a gradient boosting machine. Ann. Stat. 29(5), 2001.|\
                  Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NeurIPS, 2017."
)]
pub struct HistGradientBoostingClassifier {
    /// The loss.
    #[param(default = HistLoss::LogLoss)]
    pub loss: HistLoss,
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
    /// Whether the probability of the second class must rise (1) or fall (-1) with a column.
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
    /// How classes are weighted; none leaves them as they are.
    #[param(default = None)]
    pub class_weight: Option<ClassWeight>,
}

/// The parameters that both learners of scikit-learn's names share.
pub(crate) struct Shared<'a> {
    pub(crate) max_leaf_nodes: Option<usize>,
    pub(crate) max_depth: Option<usize>,
    pub(crate) min_samples_leaf: usize,
    pub(crate) l2_regularization: f64,
    pub(crate) max_features: f64,
    pub(crate) monotonic_cst: Option<&'a Monotonic>,
    pub(crate) interaction_cst: Option<&'a Interactions>,
    pub(crate) categorical: Categorical,
}

impl Shared<'_> {
    pub(crate) fn limits(&self, owner: &str, rows: &Rows<'_>) -> Result<Limits> {
        Ok(Limits {
            max_leaves: self.max_leaf_nodes.unwrap_or(usize::MAX),
            max_depth: self.max_depth.unwrap_or(usize::MAX),
            best_first: true,
            min_rows: self.min_samples_leaf,
            min_hessian: 1e-3,
            min_gain: 0.0,
            l1: 0.0,
            l2: self.l2_regularization,
            cat_smooth: 10.0,
            cat_l2: 0.0,
            one_hot: 0,
            cat_levels: if self.categorical == Categorical::Partition { usize::MAX } else { CAT_LEVELS },
            node_features: self.max_features,
            tree_features: 1.0,
            monotone: self.monotonic_cst.map_or(Ok(Vec::new()), |m| m.resolve(owner, rows))?,
            interactions: self.interaction_cst.map_or(Ok(Vec::new()), |i| i.resolve(owner, rows))?,
        })
    }
}

/// The weights of all rows with classes weighted, unless all are 1.
pub(crate) fn class_weights(
    data: &Dataset<'_>,
    codes: &[u32],
    n_classes: usize,
    class_weight: Option<ClassWeight>,
) -> Option<Vec<f64>> {
    let weights = data.weights().map(|w| w.to_vec());
    match class_weight {
        None => weights,
        Some(ClassWeight::Balanced) => {
            let factors = balanced(codes, &weights, n_classes);
            let of = |i: usize| Weights::of(&weights)[i] * factors[codes[i] as usize];
            Some((0..codes.len()).map(of).collect())
        }
    }
}

impl Learn for HistGradientBoostingClassifier {
    type Model = BoostedTrees;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        let target = data.need_target(Self::NAME)?;
        let (codes, labels) = target.class()?;
        let k = labels.len();
        let loss = if k == 2 { Loss::Logistic } else { Loss::Softmax(k as u32) };
        let patience = Patience {
            fraction: self.validation_fraction,
            rounds: self.n_iter_no_change,
            tol: self.tol,
            metric: metric_of(Self::NAME, self.scoring.as_deref(), Task::Classification)?,
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
        let job = Job {
            learner: Self::NAME,
            data,
            y: codes.iter().map(|&c| f64::from(c)).collect(),
            weights: class_weights(data, codes, k, self.class_weight),
            labels: labels.to_vec(),
            objective: None,
            before: None,
        };
        boost(&job, &settings, session)
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
        metric_of(Self::NAME, self.scoring.as_deref(), Task::Classification)?;
        self.validation_fraction.map_or(Ok(()), |size| size.check(Self::NAME, "validation_fraction", 1))
    }
}
