//! Random forest for classes.
//!
//! # Objective
//! The prediction is
//! $$ \hat p(k \mid x) = \tfrac1B \sum_{b=1}^B \hat p_b(k \mid x), $$
//! the mean of the class shares in the leaves that $x$ reaches in $B$ trees that differ by random rows and features.
//! The errors of the trees have variance $\sigma^2$ and correlation $\rho$ over the rows; that of their
//! average is $\rho\sigma^2 + (1-\rho)\sigma^2/B$ (see [`crate::EnsembleVariance`]): luck lowers $\rho$, trees the rest.
//!
//! # Algorithm
//! Each tree is grown on a bag of rows, drawn with replacement and by weight; a split looks at `max_features` features
//! that can be cut, drawn anew, and takes the best (`features_per=tree` draws once for a tree).
//!
//! Features are put into at most `max_bins` bins of about equal weight, once for all trees; a node adds up one
//! histogram for each feature that it looks at, and cuts in the middle between two bins that it has rows in. With
//! `max_bins=none` all values are looked between, by the engine of the decision tree, which also serves
//! more than 64 classes, several targets and `monotonic_cst`. One task grows one tree, with a random stream of its own.
//! `interaction_cst` leaves a node the columns that share a set with all columns met on the way to it; features are
//! drawn among these.
//!
//! # Complexity
//! Time O(B n m log n) for m features a split, on average; memory n d bytes beyond the data while growing, then 20
//! bytes a node (28 once many rows have been predicted). A prediction costs one comparison a level and tree.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_trees::RandomForestClassifier;
//! let x = Mat::from_fn(60, 2, |i, j| (i * (j + 1) % 17) as f64);
//! let y: Vec<i64> = (0..60).map(|i| i64::from(x[(i, 0)] > 8.0)).collect();
//! let data = Dataset::new(&x).with_target(Target::classes(&y))?;
//! let model = RandomForestClassifier::default().n_estimators(20).fit(&data)?;
//! assert_eq!(model.predict_proba(&x)?.n_cols(), 2);
//! assert!(model.feature_importances()[0] > 0.5);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Counts are whole numbers, so histograms of classes are exact. Weights decide how often a row is drawn, as in
//! scikit-learn 1.9; without `bootstrap` they weigh rows inside the trees.
//! The same seed gives the same trees at any number of threads. Missing values: both directions are tried.
//!
//! # References
//! - Breiman. Random forests. Machine Learning 45, 2001. doi:10.1023/A:1010933404324
//! - T. K. Ho. The random subspace method for constructing decision forests. IEEE TPAMI 20(8), 1998.
//!   doi:10.1109/34.709601

use super::classifier_model;
use super::grow_forest::{FeaturesPer, MaxSamples};
use super::settings::{Settings, settings};
use super::{ForestClassWeight, ForestClassifierModel};
use crate::cart::classifier::ClassificationCriterion;
use crate::constraints::{Interactions, Monotonic};
use crate::limits::{MaxFeatures, MinSamples, Splitter};
use mercer_core::{Capabilities, Dataset, Learn, Params, Result, Session};

/// Random forest for classes.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "forest",
    canon = "T5",
    task = Classification,
    python = "ensemble",
    can = "proba weights missing categorical sparse multi_output random counts_rows ordered",
    references = "Breiman. Random forests. Machine Learning 45, 2001. doi:10.1023/A:1010933404324"
)]
pub struct RandomForestClassifier {
    /// Number of trees.
    #[param(default = 100, range = "[1, 1e6]", search = "int 50..500")]
    pub n_estimators: usize,
    /// How impure a node is.
    #[param(default = ClassificationCriterion::Gini)]
    pub criterion: ClassificationCriterion,
    /// Most splits on the way to a leaf; none is without limit.
    #[param(default = None, range = "[1, inf)", search = "int 2..32")]
    pub max_depth: Option<usize>,
    /// Least rows of a node that is split; fractions are shares of all rows.
    #[param(default = MinSamples::Count(2))]
    pub min_samples_split: MinSamples,
    /// Least rows of a leaf; fractions are shares of all rows.
    #[param(default = MinSamples::Count(1), search = "int 1..32")]
    pub min_samples_leaf: MinSamples,
    /// Least weight of a leaf, as a share of all weight.
    #[param(default = 0.0, range = "[0, 0.5]")]
    pub min_weight_fraction_leaf: f64,
    /// How many features are looked at for each split; none looks at all.
    #[param(default = Some(MaxFeatures::Sqrt), search = "linear 0.1..1")]
    pub max_features: Option<MaxFeatures>,
    /// Most leaves of a tree, grown best first; none is without limit.
    #[param(default = None, range = "[2, inf)")]
    pub max_leaf_nodes: Option<usize>,
    /// Least decrease of impurity, times the node's share of the weight, of a split.
    #[param(default = 0.0, range = "[0, inf)")]
    pub min_impurity_decrease: f64,
    /// Whether each tree is grown on a bag of rows, drawn with replacement; else on all.
    #[param(default = true)]
    pub bootstrap: bool,
    /// Whether the predictions for training rows of the trees grown without them are kept.
    #[param(default = false)]
    pub oob_score: bool,
    /// How classes are weighted; none leaves them as they are.
    #[param(default = None)]
    pub class_weight: Option<ForestClassWeight>,
    /// Strength of cost-complexity pruning.
    #[param(default = 0.0, range = "[0, inf)")]
    pub ccp_alpha: f64,
    /// Rows that a bag draws; fractions are shares of all weight, none is as many as there are rows.
    #[param(default = None)]
    pub max_samples: Option<MaxSamples>,
    /// Most bins of a feature, between which splits are looked for; none looks between all values.
    #[param(default = Some(255), range = "[2, 255]")]
    pub max_bins: Option<usize>,
    /// Whether the features are drawn for each split or once for each tree.
    #[param(default = FeaturesPer::Split)]
    pub features_per: FeaturesPer,
    /// Whether the probability of the second of two classes must rise (1) or fall (-1) with a column: signs by place,
    /// or names with signs.
    #[param(default = None)]
    pub monotonic_cst: Option<Monotonic>,
    /// Which columns may meet on a way from the root to a leaf.
    #[param(default = None)]
    pub interaction_cst: Option<Interactions>,
}

impl RandomForestClassifier {
    fn settings(&self) -> Settings {
        settings!(self, Splitter::Best)
    }
}

impl Learn for RandomForestClassifier {
    type Model = ForestClassifierModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        classifier_model::grow(&self.settings(), self.criterion, self.class_weight, data, session)
    }

    fn capabilities(&self) -> Capabilities {
        self.settings().capabilities(Self::declaration().capabilities)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.settings().check()
    }
}
