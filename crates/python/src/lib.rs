//! The Python door: one frozen `Model` class and a few functions. Everything that a Python user sees stands in
//! `python/mercer`, over these.

mod angles;
mod assess;
mod bandits;
mod buffers;
mod calculus;
mod clusters;
mod data;
mod density;
mod dirichlet;
mod environments;
mod errors;
mod fit;
mod generate;
mod inspect;
mod kernels;
mod measure;
mod model;
mod neighbours;
mod output;
mod paths;
mod planning;
mod read;
mod report;
mod run;
mod stats;
mod structures;
mod topics;
mod trees;
mod trials;
mod values;

use pyo3::prelude::*;

/// The compiled part of `mercer`; use the package, not this module.
#[pymodule]
mod _mercer {
    use super::*;

    #[pymodule_export]
    use crate::angles::{angles_path, angles_path_gram, pursuit, pursuit_gram};
    #[pymodule_export]
    use crate::assess::{bias_variance, cross_validate, nested, tune};
    #[pymodule_export]
    use crate::bandits::{PyArms, PyGame, bandit_arms, bandit_simulate, bandit_strategies, bandit_value};
    #[pymodule_export]
    use crate::calculus::{
        average, complete_square, definiteness, matrix_norm, pseudo_inverse, sherman_morrison, vector_norm,
        woodbury,
    };
    #[pymodule_export]
    use crate::clusters::{
        approximate_predict, choose_k, draw_dendrogram, estimate_bandwidth, gap_statistic, kmeans_plusplus,
        optics_valleys, stability,
    };
    #[pymodule_export]
    use crate::data::{is_view, stop_words};
    #[pymodule_export]
    use crate::density::chain_diagnostic;
    #[pymodule_export]
    use crate::dirichlet::{
        crp, crp_log_probability, dirichlet_marginals, expected_tables, stick_breaking, table_probabilities,
    };
    #[pymodule_export]
    use crate::environments::{PyPlay, environment_names, policy_act};
    #[pymodule_export]
    use crate::fit::{capabilities, fit, fit_more, fit_transform};
    #[pymodule_export]
    use crate::generate::{generate, read_svmlight};
    #[pymodule_export]
    use crate::inspect::{
        accumulated_effects, contributions, interactions, partial_dependence, permutation_importance,
        shuffles,
    };
    #[pymodule_export]
    use crate::kernels::{
        kernel_diagonal, kernel_gradient, kernel_matrix, kernel_theta, kernel_with_theta, process_likelihood,
    };
    #[pymodule_export]
    use crate::measure::{
        bootstrap, confusion_matrix, metric, metric_info, metric_names, paired_test, silhouette_samples,
        splits,
    };
    #[pymodule_export]
    use crate::model::{PyModel, load, model_from_bytes};
    #[pymodule_export]
    use crate::neighbours::{log_densities, neighbours, sample};
    #[pymodule_export]
    use crate::paths::{PyFolds, logistic_folds, net_path};
    #[pymodule_export]
    use crate::planning::{PyMdp, evaluate_policy, improve_policy};
    #[pymodule_export]
    use crate::read::read;
    #[pymodule_export]
    use crate::report::report;
    #[pymodule_export]
    use crate::stats::{
        PyMany, dirichlet_fit, dirichlet_marginal, dirichlet_merged, dirichlet_posterior,
        gaussian_conditional, gaussian_divergence, gaussian_joined, gaussian_map, gaussian_marginal,
        gaussian_plus, gaussian_product, gaussian_quadratic_form, james_stein, law_draws, law_families,
        law_fit, law_information, law_moment, law_moments, law_score, law_support, law_values, study_errors,
        study_sample,
    };
    #[pymodule_export]
    use crate::structures::{
        kernel_kind, node_kernel, series_bound, series_distances, series_envelope, series_path,
    };
    #[pymodule_export]
    use crate::topics::{coherence, document_completion, left_to_right, topic_bounds, topics};
    #[pymodule_export]
    use crate::trees::{
        draw_tree, leaves, member, member_columns, n_members, n_trees, parts, proximity, pruning_path,
        tree_arrays, tree_json, tree_paths, tree_rules, tree_text,
    };
    #[pymodule_export]
    use crate::trials::{play_random, play_runs};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
