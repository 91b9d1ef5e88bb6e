//! Forests: averages of randomised trees, and trees grown from histograms of binned columns.
//!
//! The learners are `random_forest_*`, `extra_trees_*` and `isolation_forest`; the first four share `settings`, the
//! bags and tasks of `grow_forest`, and the models `classifier_model` and `regressor_model`. One tree grows on
//! `binned_columns` in `histogram_tree`: `split_search` finds the best cut of a feature from the `split_statistics` of
//! its bins. Sparse rows of many columns grow in `sparse_tree`. `quantile_forest` and `ensemble_variance` read what the trees say beyond their mean.

pub(crate) mod binned_columns;
pub(crate) mod classifier_model;
mod code_set;
mod ensemble_variance;
mod extra_trees_classifier;
mod extra_trees_regressor;
mod grow_forest;
mod histogram_tree;
mod isolation_forest;
mod members;
mod quantile_forest;
mod random_forest_classifier;
mod random_forest_regressor;
pub(crate) mod regressor_model;
mod settings;
pub(crate) mod sparse_tree;
mod split_search;
mod split_statistics;

pub use classifier_model::{ForestClassWeight, ForestClassifierModel, ForestClassifierParams};
pub use ensemble_variance::EnsembleVariance;
pub use extra_trees_classifier::ExtraTreesClassifier;
pub use extra_trees_regressor::ExtraTreesRegressor;
pub use grow_forest::FeaturesPer;
pub use isolation_forest::{Contamination, IsolationForest, IsolationForestModel, IsolationSamples};
pub use random_forest_classifier::RandomForestClassifier;
pub use random_forest_regressor::RandomForestRegressor;
pub use regressor_model::{ForestRegressorModel, ForestRegressorParams};
pub use settings::ForestParams;

pub(crate) use grow_forest::ForestTarget;

use grow_forest::Forest;
use mercer_core::{Attribute, Schema};

/// The attributes of scikit-learn's forests.
fn attributes(forest: &Forest) -> Vec<Attribute> {
    let importances = forest.importances.clone();
    let doc = "The decrease of impurity that each feature brought, a mean over the trees, summing to 1.";
    vec![
        Attribute::real("feature_importances_", doc, &[importances.len()], importances),
        Attribute::int("n_trees_", "Number of trees.", &[], vec![forest.packed.n_trees() as i64]),
    ]
}

impl Forest {
    /// Refuses a loaded forest whose parts do not fit together or to the schema.
    fn validate(&self, schema: &Schema, width: usize, oob: Option<&[f64]>) -> Result<(), String> {
        self.packed.validate(schema, width, width)?;
        let good = self.packed.n_trees() > 0
            && self.importances.len() == schema.n_features()
            && self.importances.iter().all(|v| v.is_finite())
            && self.bags.as_ref().is_none_or(|bags| bags.draws <= u64::from(u32::MAX))
            && oob.is_none_or(|oob| oob.len() % width == 0);
        if good { Ok(()) } else { Err("the parts of the forest do not fit each other".to_owned()) }
    }
}
