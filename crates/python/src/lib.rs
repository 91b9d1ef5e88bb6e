//! The Python door: one frozen `Model` class and a few functions. Everything that a Python user sees stands in
//! `python/mercer`, over these.

mod assess;
mod buffers;
mod data;
mod density;
mod errors;
mod fit;
mod generate;
mod inspect;
mod measure;
mod model;
mod output;
mod read;
mod report;
mod run;
mod trees;
mod values;

use pyo3::prelude::*;

/// The compiled part of `mercer`; use the package, not this module.
#[pymodule]
mod _mercer {
    use super::*;

    #[pymodule_export]
    use crate::assess::{
        bias_variance, cross_val_predict, cross_validate, fit_setting, learning_curve, nested, tune,
        validation_curve,
    };
    #[pymodule_export]
    use crate::data::{is_view, read_mdp, stop_words};
    #[pymodule_export]
    use crate::fit::{capabilities, fit, fit_transform};
    #[pymodule_export]
    use crate::generate::{generate, read_svmlight};
    #[pymodule_export]
    use crate::inspect::{
        accumulated_effects, contributions, interactions, partial_dependence, permutation_importance,
    };
    #[pymodule_export]
    use crate::measure::{
        bootstrap, confusion_matrix, custom_metric, metric, metric_info, metric_names, paired_test,
        precision_recall_curve, roc_curve, silhouette_samples, splits,
    };
    #[pymodule_export]
    use crate::model::{PyModel, load, model_from_bytes};
    #[pymodule_export]
    use crate::read::read;
    #[pymodule_export]
    use crate::report::report;
    #[pymodule_export]
    use crate::trees::{draw_tree, leaves, n_trees, proximity, tree_json, tree_paths, tree_rules, tree_text};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
