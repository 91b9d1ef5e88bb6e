//! Forests: averages of trees that differ by luck.

mod binned;
pub(crate) mod classes;
mod codeset;
pub(crate) mod columns;
mod extra_classifier;
mod extra_regressor;
mod isolation;
mod look;
pub(crate) mod numbers;
mod plant;
mod quantiles;
mod random_classifier;
mod random_regressor;
mod settings;
mod spread;
mod tally;

pub use classes::{ForestClassWeight, ForestClassifierModel};
pub use extra_classifier::ExtraTreesClassifier;
pub use extra_regressor::ExtraTreesRegressor;
pub use isolation::{Contamination, IsolationForest, IsolationForestModel, IsolationSamples};
pub use numbers::ForestRegressorModel;
pub use plant::{FeaturesPer, MaxSamples};
pub use random_classifier::RandomForestClassifier;
pub use random_regressor::RandomForestRegressor;
pub use spread::Spread;

use mercer_core::{Attribute, Schema};
use plant::Forest;

/// The attributes of scikit-learn's forests.
fn attributes(forest: &Forest) -> Vec<Attribute> {
    let importances = forest.importances.clone();
    let doc = "The decrease of impurity that each feature brought, a mean over the trees, summing to 1.";
    vec![
        Attribute::real("feature_importances_", doc, &[importances.len()], importances),
        Attribute::int("n_trees_", "Number of trees.", &[], vec![forest.grove.n_trees() as i64]),
    ]
}

impl Forest {
    /// Refuses a loaded forest whose parts do not fit together or to the schema.
    fn validate(&self, schema: &Schema, width: usize, oob: Option<&[f64]>) -> Result<(), String> {
        self.grove.validate(schema, width, width)?;
        let good = self.grove.n_trees() > 0
            && self.importances.len() == schema.n_features()
            && self.importances.iter().all(|v| v.is_finite())
            && self.bags.as_ref().is_none_or(|bags| bags.draws <= u64::from(u32::MAX))
            && oob.is_none_or(|oob| oob.len() % width == 0);
        if good { Ok(()) } else { Err("the parts of the forest do not fit each other".to_owned()) }
    }
}
