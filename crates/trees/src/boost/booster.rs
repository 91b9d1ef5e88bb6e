//! Gradient boosting with every option of the engine, under LightGBM's names.
//!
//! # Objective
//! $$ \min_F \sum_i w_i\, \ell\bigl(y_i, F(x_i)\bigr) + \Omega(F), \qquad F = f_0 + \eta \sum_t f_t $$
//! with $\Omega(F) = \sum_t \sum_{v \in f_t} \lambda_1 |v| + \tfrac{\lambda_2}{2} v^2$
//! over the values $v$ of each tree's leaves, for the loss that `objective` names.
//!
//! # Algorithm
//! As in the learners of scikit-learn's names, and further: growth level by level (`grow`), bags of rows, one-side
//! sampling of rows by gradient (`goss`), dropped trees (`dart`: a round drops some trees, fits to what is missing, and
//! shares the weight with them), samples of columns for each tree and each split, L1 penalties, LambdaRank inside the
//! groups of the data, losses of the caller's own ([`Booster::fit_with`]), and going on from a model
//! ([`Booster::fit_from`]). Columns that are never away from their most frequent bin together share histograms
//! (`enable_bundle`), which changes no model. With `linear_tree`, each leaf of every tree but the first holds a linear
//! function of the numeric columns split on the way to it, by Newton's step with a ridge penalty `linear_lambda` in
//! place of `lambda_l1` and `lambda_l2`; rows that miss one of these columns have the leaf's constant.
//!
//! # Complexity
//! As in the learners of scikit-learn's names; `dart` adds a walk through every dropped tree a round, lines of leaves
//! O(n k²) for k columns on the way to a leaf. Sparse rows cost what is not zero until columns are bundled.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_trees::Booster;
//! let x = Mat::from_fn(300, 1, |i, _| i as f64);
//! let y: Vec<f64> = (0..300).map(|i| f64::from(i / 100)).collect();
//! let data = Dataset::new(&x).with_target(Target::real(y))?;
//! let model = Booster::default().num_leaves(3).fit(&data)?;
//! assert_eq!(model.model().n_rounds(), 100);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! As in the learners of scikit-learn's names.
//!
//! # References
//! - G. Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NeurIPS, 2017.
//! - K. V. Rashmi, R. Gilad-Bachrach. DART: dropouts meet multiple additive regression trees. AISTATS, 2015.
//! - Y. Shi, J. Li, Z. Li. Gradient boosting with piece-wise linear regression trees. IJCAI, 2019.
//!   doi:10.24963/ijcai.2019/476
//! - C. J. C. Burges. From RankNet to LambdaRank to LambdaMART: an overview. MSR-TR-2010-82, 2010.

use super::constraints::{Interactions, Monotonic};
use super::hist_gradient_boosting_classifier::class_weights;
use super::hist_gradient_boosting_regressor::check_range;
use super::loss::{Loss, Objective};
use super::model::BoostedTrees;
use super::multi_output;
use super::params::BoostParams;
use super::settings::{BoostSettings, CAT_LEVELS, Categorical, Dropout, Job, Patience, Sampling};
use super::split::Limits;
use super::train::boost;
use mercer_core::{
    Capabilities, Choice, CountOrShare, Dataset, Error, Fit, Learn, Params, Result, Session, Task,
};

/// What a [`Booster`] learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum BoosterObjective {
    /// Numbers, by squared error.
    Regression,
    /// Numbers, by absolute error.
    RegressionL1,
    /// Numbers, by Huber's loss at `alpha`.
    Huber,
    /// The quantile `alpha` of numbers.
    Quantile,
    /// Counts, by Poisson deviance.
    Poisson,
    /// Positive numbers, by gamma deviance.
    Gamma,
    /// Numbers that are often zero, by Tweedie deviance.
    Tweedie,
    /// Two classes, by the logistic loss.
    Binary,
    /// Several classes, by the softmax loss.
    Multiclass,
    /// Two classes, by the exponential loss.
    Exponential,
    /// The order of rows inside each group, by relevance.
    Lambdarank,
}

/// How rounds follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Boosting {
    /// Each tree on all that is left.
    Gbdt,
    /// Some earlier trees are dropped while a tree grows.
    Dart,
    /// Each tree on the largest gradients and some of the others.
    Goss,
}

/// How a tree grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Growth {
    /// The leaf of the greatest gain first.
    Leaf,
    /// Level by level.
    Depth,
}

/// Gradient boosting with every option of the engine, under LightGBM's names.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "booster",
    canon = "T7",
    task = Regression,
    python = "boosting",
    tried = "num_iterations=12",
    mixins = "TaskMixin GroupsMixin",
    order = "learning_rate num_leaves, enable_bundle categorical",
    can = "explain trees weights missing categorical sparse multi_output counts_rows ordered",
    references = "Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NeurIPS, 2017.|\
                  Rashmi, Gilad-Bachrach. DART: dropouts meet multiple additive regression trees. AISTATS, 2015."
)]
pub struct Booster {
    /// What is learnt.
    #[param(default = BoosterObjective::Regression)]
    pub objective: BoosterObjective,
    /// How rounds follow each other.
    #[param(default = Boosting::Gbdt)]
    pub boosting: Boosting,
    /// How a tree grows.
    #[param(default = Growth::Leaf)]
    pub grow: Growth,
    /// Rounds of boosting.
    #[param(default = 100, range = "[1, inf)", search = "int 50..500")]
    pub num_iterations: usize,
    /// What all boosting learners share.
    #[param(flatten)]
    pub boost: BoostParams,
    /// Most leaves of a tree.
    #[param(default = 31, range = "[2, inf)", search = "int 4..255")]
    pub num_leaves: usize,
    /// Least rows of a leaf.
    #[param(default = 20, range = "[1, inf)", search = "int 1..100")]
    pub min_data_in_leaf: usize,
    /// Least hessian of a leaf.
    #[param(default = 1e-3, range = "[0, inf)")]
    pub min_sum_hessian_in_leaf: f64,
    /// Least gain of a split.
    #[param(default = 0.0, range = "[0, inf)")]
    pub min_gain_to_split: f64,
    /// Strength of the L1 penalty on leaves.
    #[param(default = 0.0, range = "[0, inf)", search = "log 1e-3..10")]
    pub lambda_l1: f64,
    /// Strength of the L2 penalty on leaves.
    #[param(default = 0.0, range = "[0, inf)", search = "log 1e-3..100")]
    pub lambda_l2: f64,
    /// The share of features that a tree may use.
    #[param(default = 1.0, range = "(0, 1]", search = "linear 0.4..1")]
    pub feature_fraction: f64,
    /// The share of those that is looked at for each split.
    #[param(default = 1.0, range = "(0, 1]")]
    pub feature_fraction_bynode: f64,
    /// The share of rows in a bag.
    #[param(default = 1.0, range = "(0, 1]")]
    pub bagging_fraction: f64,
    /// Rounds after which a new bag is drawn; 0 draws none.
    #[param(default = 0, range = "[0, inf)")]
    pub bagging_freq: usize,
    /// The share of rows of large gradients that `goss` keeps.
    #[param(default = 0.2, range = "(0, 1)")]
    pub top_rate: f64,
    /// The share of rows that `goss` draws from the others.
    #[param(default = 0.1, range = "(0, 1)")]
    pub other_rate: f64,
    /// The chance of a tree to be dropped by `dart`.
    #[param(default = 0.1, range = "[0, 1]")]
    pub drop_rate: f64,
    /// Most rounds that `dart` drops at once.
    #[param(default = 50, range = "[1, inf)")]
    pub max_drop: usize,
    /// The chance that a round of `dart` drops none.
    #[param(default = 0.5, range = "[0, 1]")]
    pub skip_drop: f64,
    /// Most bins of a column, without that of missing values.
    #[param(default = 255, range = "[2, 255]")]
    pub max_bin: usize,
    /// Whether columns that are never away from their most frequent bin together share histograms: the same model, sooner.
    #[param(default = true)]
    pub enable_bundle: bool,
    /// Added to the hessian of a level before levels are ordered.
    #[param(default = 10.0, range = "[0, inf)")]
    pub cat_smooth: f64,
    /// Added to `lambda_l2` for splits of levels.
    #[param(default = 10.0, range = "[0, inf)")]
    pub cat_l2: f64,
    /// Columns of at most so many levels are split one level against the others.
    #[param(default = 4, range = "[0, inf)")]
    pub max_cat_to_onehot: usize,
    /// Most levels that a split names of a column of more than 32; the others go the other way.
    #[param(default = CAT_LEVELS, range = "[1, inf)")]
    pub max_cat_threshold: usize,
    /// Where Huber's loss turns absolute, or the quantile.
    #[param(default = 0.9, range = "(0, inf)")]
    pub alpha: f64,
    /// The power of the Tweedie deviance.
    #[param(default = 1.5, range = "(1, 2)")]
    pub tweedie_variance_power: f64,
    /// Whether leaves hold linear functions of the numeric columns split on the way to them.
    #[param(default = false)]
    pub linear_tree: bool,
    /// Strength of the L2 penalty on the coefficients of these functions.
    #[param(default = 0.0, range = "[0, inf)")]
    pub linear_lambda: f64,
    /// Whether the prediction must rise (1) or fall (-1) with a column.
    #[param(default = None)]
    pub monotone_constraints: Option<Monotonic>,
    /// Which columns may meet on a way from the root to a leaf.
    #[param(default = None)]
    pub interaction_constraints: Option<Interactions>,
    /// Rounds without improvement before stopping; 0 never stops.
    #[param(default = 0, range = "[0, inf)")]
    pub early_stopping_round: usize,
    /// The share of rows set aside for early stopping where the data bring no validation rows.
    #[param(default = 0.1, range = "(0, 1)")]
    pub validation_fraction: f64,
}

impl Booster {
    /// Learns with a loss of the caller's own. Predictions of the model are scores.
    pub fn fit_with(
        &self,
        data: &Dataset<'_>,
        session: &Session,
        objective: &dyn Objective,
    ) -> Result<BoostedTrees> {
        // The caller's loss is one of numbers, whatever the parameter says.
        let numbers = self.clone().objective(BoosterObjective::Regression);
        session.run(|| self.boost(&numbers.checked(data)?, session, Some(objective), None))
    }

    /// Goes on from a model of the same objective and columns: its trees stay, `num_iterations` more are added.
    pub fn fit_from(
        &self,
        model: &BoostedTrees,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<BoostedTrees> {
        let data = &self.checked(data)?;
        if model.gains.len() != data.n_features() {
            return Err(Error::shape(
                "features of the model to go on from",
                data.n_features(),
                model.gains.len(),
            ));
        }
        session.run(|| self.boost(data, session, None, Some(model)))
    }

    pub(super) fn loss(&self, n_classes: usize) -> Loss {
        match self.objective {
            BoosterObjective::Regression => Loss::Squared,
            BoosterObjective::RegressionL1 => Loss::Absolute,
            BoosterObjective::Huber => Loss::Huber(self.alpha),
            BoosterObjective::Quantile => Loss::Quantile(self.alpha),
            BoosterObjective::Poisson => Loss::Poisson,
            BoosterObjective::Gamma => Loss::Gamma,
            BoosterObjective::Tweedie => Loss::Tweedie(self.tweedie_variance_power),
            BoosterObjective::Binary => Loss::Logistic,
            BoosterObjective::Exponential => Loss::Exponential,
            BoosterObjective::Multiclass if n_classes == 2 => Loss::Logistic,
            BoosterObjective::Multiclass => Loss::Softmax(n_classes as u32),
            BoosterObjective::Lambdarank => Loss::LambdaRank,
        }
    }

    fn classifies(&self) -> bool {
        use BoosterObjective::{Binary, Exponential, Multiclass};
        matches!(self.objective, Binary | Multiclass | Exponential)
    }

    fn limits(&self, data: &Dataset<'_>) -> Result<Limits> {
        let rows = data.rows(Self::NAME)?;
        let monotone = self.monotone_constraints.as_ref();
        let interactions = self.interaction_constraints.as_ref();
        Ok(Limits {
            max_leaves: self.num_leaves,
            max_depth: self.boost.max_depth.unwrap_or(usize::MAX),
            best_first: self.grow == Growth::Leaf,
            min_rows: self.min_data_in_leaf,
            min_hessian: self.min_sum_hessian_in_leaf,
            min_gain: self.min_gain_to_split,
            l1: self.lambda_l1,
            l2: self.lambda_l2,
            cat_smooth: self.cat_smooth,
            cat_l2: self.cat_l2,
            one_hot: self.max_cat_to_onehot,
            cat_levels: self.max_cat_threshold,
            node_features: self.feature_fraction_bynode,
            tree_features: self.feature_fraction,
            monotone: monotone.map_or(Ok(Vec::new()), |m| m.resolve(Self::NAME, &rows))?,
            interactions: interactions.map_or(Ok(Vec::new()), |i| i.resolve(Self::NAME, &rows))?,
        })
    }

    fn boost(
        &self,
        data: &Dataset<'_>,
        session: &Session,
        objective: Option<&dyn Objective>,
        before: Option<&BoostedTrees>,
    ) -> Result<BoostedTrees> {
        let target = data.need_target(Self::NAME)?;
        let (y, labels, weights) = if self.classifies() && objective.is_none() {
            let (codes, labels) = target.class()?;
            let weights = class_weights(Self::NAME, data, codes, labels, None)?;
            (codes.iter().map(|&c| f64::from(c)).collect(), labels.to_vec(), weights)
        } else {
            (target.numbers()?.to_vec(), Vec::new(), data.weights().map(|w| w.to_vec()))
        };
        let loss = if objective.is_some() { Loss::Custom } else { self.loss(labels.len()) };
        check_range(Self::NAME, loss, &y)?;
        if let Some(before) =
            before.filter(|b| b.loss != loss || b.labels != labels || b.outputs() != loss.outputs())
        {
            let got = format!("{:?}", before.loss);
            return Err(Error::param(Self::NAME, "objective", "that of the model to go on from", got));
        }
        let patience = Patience {
            fraction: Some(CountOrShare::Share(self.validation_fraction)),
            rounds: self.early_stopping_round,
            tol: 0.0,
            metric: None,
        };
        let bagged = self.bagging_freq > 0 && self.bagging_fraction < 1.0;
        let settings = BoostSettings {
            loss,
            rounds: self.num_iterations,
            learning_rate: self.boost.learning_rate,
            max_bins: self.max_bin,
            bundle: self.enable_bundle,
            categorical: self.boost.categorical,
            limits: self.limits(data)?,
            patience: (self.early_stopping_round > 0).then_some(patience),
            sampling: match self.boosting {
                Boosting::Goss => Sampling::OneSide(self.top_rate, self.other_rate),
                _ if bagged => Sampling::Bagging(self.bagging_fraction, self.bagging_freq),
                _ => Sampling::All,
            },
            dropout: (self.boosting == Boosting::Dart).then_some(Dropout {
                rate: self.drop_rate,
                most: self.max_drop,
                skip: self.skip_drop,
            }),
            linear: self.linear_tree.then_some(self.linear_lambda),
        };
        let job = Job { learner: Self::NAME, data, y, weights, labels, objective, before };
        boost(&job, &settings, session)
    }
}

impl Learn for Booster {
    type Model = BoostedTrees;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        multi_output::each(Self::NAME, data, |data| self.boost(data, session, None, None))
    }

    fn task(&self) -> Task {
        if self.classifies() { Task::Classification } else { Task::Regression }
    }

    fn capabilities(&self) -> Capabilities {
        let bagged =
            self.boosting == Boosting::Goss || (self.bagging_freq > 0 && self.bagging_fraction < 1.0);
        let sampled = self.feature_fraction < 1.0 || self.feature_fraction_bynode < 1.0;
        Capabilities {
            proba: self.classifies(),
            decision: self.classifies(),
            explain: !self.linear_tree,
            multi_output: !self.classifies() && self.objective != BoosterObjective::Lambdarank,
            binary: matches!(self.objective, BoosterObjective::Binary | BoosterObjective::Exponential),
            random: bagged || sampled || self.boosting == Boosting::Dart || self.early_stopping_round > 0,
            counts_rows: self.min_data_in_leaf > 1 || bagged,
            ..Self::declaration().capabilities
        }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if self.objective == BoosterObjective::Quantile && self.alpha >= 1.0 {
            return Err(Error::param(
                Self::NAME,
                "alpha",
                "in (0, 1) for the quantile objective",
                self.alpha,
            ));
        }
        if self.boosting == Boosting::Goss && self.top_rate + self.other_rate > 1.0 {
            let sum = self.top_rate + self.other_rate;
            return Err(Error::param(Self::NAME, "top_rate + other_rate", "at most 1", sum));
        }
        if self.linear_tree && self.monotone_constraints.is_some() {
            return Err(Error::param(Self::NAME, "linear_tree", "false with monotone_constraints", true));
        }
        if self.linear_tree && self.loss(2).leaf_quantile().is_some() {
            let needs = "false for objectives whose leaves hold medians or quantiles";
            return Err(Error::param(Self::NAME, "linear_tree", needs, true));
        }
        if self.boosting == Boosting::Dart && self.early_stopping_round > 0 {
            return Err(Error::param(
                Self::NAME,
                "early_stopping_round",
                "0 for dart",
                self.early_stopping_round,
            ));
        }
        Ok(())
    }
}
