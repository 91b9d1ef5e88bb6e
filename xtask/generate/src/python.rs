//! The Python classes, written from the catalogue: explicit constructors, signatures, defaults and documentation.

use crate::python_class::{class_text, literal, mixins, sentence};
use anyhow::{Context, Result, bail};
use mercer::{Declaration, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const PACKAGE: &str = "crates/python/python/mercer";
const MARK: &str = "# Written by `cargo xtask python` from the catalogue; do not edit.\n";

/// Learners whose class is written by hand, and where.
const BY_HAND: &[(&str, &str)] =
    &[("Pipeline", "mercer._pipeline"), ("ColumnTransformer", "mercer._compose")];

/// Modules that are written by hand from top to bottom.
const MODULES_BY_HAND: &[&str] =
    &["bandits", "graphs", "inspection", "metrics", "stats", "strings", "timeseries"];

/// Modules with others inside that are written by hand: packages.
const PACKAGES: &[&str] = &["gaussian_process"];

/// What modules offer beside learners, and where it is written.
const EXTRAS: &[(&str, &str, &[&str])] = &[
    ("compose", "mercer._compose", &["make_column_selector", "make_column_transformer"]),
    ("model_selection", "mercer._grids", &["ParameterGrid", "ParameterSampler"]),
    ("model_selection", "mercer._halving", &["HalvingGridSearchCV", "HalvingRandomSearchCV"]),
    ("model_selection", "mercer._nested", &["bias_variance", "nested_cross_validate"]),
    ("model_selection", "mercer._search", &["BaseSearchCV", "GridSearchCV", "RandomizedSearchCV"]),
    (
        "model_selection",
        "mercer._shuffled",
        &[
            "BootstrapSplit",
            "GroupShuffleSplit",
            "ShuffleSplit",
            "StratifiedShuffleSplit",
            "train_test_split",
        ],
    ),
    ("model_selection", "mercer._spaces", &["HyperbandSearchCV", "TPESearchCV"]),
    (
        "model_selection",
        "mercer._validate",
        &[
            "cross_val_predict",
            "cross_val_score",
            "cross_validate",
            "learning_curve",
            "permutation_test_score",
            "validation_curve",
        ],
    ),
    (
        "model_selection",
        "mercer._splits",
        &[
            "BaseCrossValidator",
            "GroupKFold",
            "KFold",
            "LeaveOneGroupOut",
            "LeaveOneOut",
            "LeavePGroupsOut",
            "LeavePOut",
            "PredefinedSplit",
            "RepeatedKFold",
            "RepeatedStratifiedKFold",
            "StratifiedGroupKFold",
            "StratifiedKFold",
            "TimeSeriesSplit",
            "check_cv",
        ],
    ),
    (
        "kernels",
        "mercer._kernels",
        &[
            "RBF",
            "CompoundKernel",
            "ConstantKernel",
            "DotProduct",
            "ExpSineSquared",
            "Exponentiation",
            "Matern",
            "PairwiseKernel",
            "Product",
            "RationalQuadratic",
            "Sum",
            "Values",
            "WhiteKernel",
        ],
    ),
    ("cluster", "mercer._affinities", &["affinity_propagation", "spectral_clustering"]),
    (
        "cluster",
        "mercer._clusters",
        &["estimate_bandwidth", "get_bin_seeds", "k_means", "kmeans_plusplus", "mean_shift"],
    ),
    (
        "cluster",
        "mercer._density",
        &[
            "approximate_predict",
            "cluster_optics_dbscan",
            "cluster_optics_xi",
            "compute_optics_graph",
            "dbscan",
        ],
    ),
    (
        "cluster",
        "mercer._hierarchy",
        &[
            "cophenetic_distances",
            "cut_tree",
            "linkage_matrix",
            "linkage_tree",
            "plot_dendrogram",
            "ward_tree",
        ],
    ),
    ("cluster", "mercer._count_clusters", &["choose_k", "gap_statistic", "stability"]),
    ("mcmc", "mercer._mcmc", &["bfmi", "ess", "hdi", "mcse", "rhat"]),
    (
        "mixture",
        "mercer._dirichlet",
        &[
            "crp",
            "crp_log_probability",
            "dirichlet_marginals",
            "expected_tables",
            "polya_urn",
            "stick_breaking",
            "table_probabilities",
        ],
    ),
    ("rl", "mercer._environments", &["environments", "evaluate", "make"]),
    ("rl", "mercer._play", &["AgentRuns", "Runs", "play"]),
    ("rl", "mercer._planning", &["MDP", "evaluate_policy", "improve_policy"]),
    ("svm", "mercer._logistic", &["l1_min_c"]),
    ("topics", "mercer._topics", &["coherence", "document_completion", "left_to_right", "top_words"]),
    ("topics", "mercer.decomposition", &["LatentDirichletAllocation"]),
    ("linear_model", "mercer._linear", &["enet_path", "lasso_path", "ridge_regression"]),
    (
        "linear_model",
        "mercer._least_angle",
        &["lars_path", "lars_path_gram", "orthogonal_mp", "orthogonal_mp_gram"],
    ),
    ("pipeline", "mercer._pipeline", &["make_pipeline"]),
    ("tree", "mercer._trees", &["export_json", "export_rules", "export_text", "plot_tree"]),
];

/// Mixins that are written elsewhere than in `_mixins`.
const MIXINS: &[(&str, &[&str])] = &[
    ("_members", &["MembersMixin", "TaskMixin", "WrapperMixin"]),
    ("_trees", &["TreeMixin"]),
    ("_boosters", &["CategoricalMixin"]),
    ("_linear", &["GammaMixin", "PoissonMixin", "RidgeCvMixin", "SparseCoefMixin", "TweedieMixin"]),
    ("_squares", &["NetCvMixin", "NetMixin", "RidgeMixin", "SingleMixin", "WarmMixin"]),
    ("_gaussian_process", &["GaussianProcessClassifierMixin", "GaussianProcessMixin"]),
    ("_ensembles", &["EnsembleMixin", "ForestMixin", "StagesMixin"]),
    ("_encode", &["EncoderMixin", "TargetEncoderMixin"]),
    (
        "_scale",
        &["BinsMixin", "PartialMixin", "PolynomialMixin", "ScalerMixin", "SplineMixin", "StatelessMixin"],
    ),
    ("_impute", &["ImputerMixin"]),
    (
        "_select",
        &[
            "EliminationCVMixin",
            "EliminationMixin",
            "FdrMixin",
            "FprMixin",
            "FromModelMixin",
            "FweMixin",
            "KBestMixin",
            "PercentileMixin",
            "SequentialMixin",
        ],
    ),
    ("_vectorize", &["TfidfMixin", "VectorizerMixin"]),
    ("_affinities", &["AffinityMixin", "SpectralMixin"]),
    ("_clusters", &["BisectingMixin", "MeanShiftMixin", "MiniBatchMixin", "PrototypesMixin"]),
    ("_density", &["ByDensityMixin", "HDBSCANMixin", "MedoidsMixin", "OPTICSMixin"]),
    ("_hierarchy", &["AgglomerativeMixin", "FeatureAgglomerationMixin"]),
    ("_reduce", &["KMeansMixin", "PCAMixin"]),
    ("_mixture", &["BayesianMixtureMixin", "DirichletMixtureMixin", "GaussianMixtureMixin", "MixtureMixin"]),
    ("_dummy", &["DummyMixin"]),
    ("_logistic", &["LogisticCvMixin", "LogisticMixin", "MachineMixin"]),
    ("_resume", &["DescentMixin", "ResumeMixin", "ResumeNumbersMixin", "ResumeRowsMixin"]),
    ("_least_angle", &["LarsCvMixin", "LeastAngleMixin", "PursuitCvMixin", "PursuitMixin"]),
    ("_kernel_learners", &["ComponentsMixin", "KernelMixin", "NystroemMixin"]),
    ("_svm", &["SvcMixin", "SvmMixin"]),
    ("_discriminant", &["GaussianClassesMixin", "ProjectingClassesMixin"]),
    ("_mcmc", &["ChainsMixin"]),
    ("_environments", &["EnvironmentMixin"]),
    ("_planning", &["HorizonMixin"]),
    ("_naive_bayes", &["CategoriesMixin", "CountsMixin", "MomentsMixin"]),
    ("_neighbors", &["DensitiesMixin", "NeighboursMixin", "SampleMixin", "VotesMixin"]),
    ("_topics", &["LatentDirichletMixin", "TopicsMixin"]),
    ("_multiclass", &["MulticlassMixin", "OneVsOneMixin", "OneVsRestMixin"]),
];

/// Writes the classes; with `check`, fails where a file on disk is stale instead.
pub fn generate(root: &Path, check: bool) -> Result<()> {
    let files = files(root);
    let mut stale = orphans(root, &files)?;
    for (path, text) in &files {
        if fs::read_to_string(path).ok().as_deref() != Some(text) {
            stale.push(path.clone());
        }
    }
    if check {
        if !stale.is_empty() {
            let names: Vec<_> = stale.iter().map(|p| p.display().to_string()).collect();
            bail!("stale: {}; run `cargo xtask python`", names.join(", "));
        }
        return Ok(());
    }
    for path in stale {
        match files.get(&path) {
            Some(text) => {
                let folder = path.parent().unwrap_or(root);
                fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
                fs::write(&path, text).with_context(|| path.display().to_string())?;
            }
            None => fs::remove_file(&path).with_context(|| path.display().to_string())?,
        }
    }
    Ok(())
}

/// Every generated file with its text.
fn files(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut modules: BTreeMap<&str, Vec<&Declaration>> = BTreeMap::new();
    for entry in mercer::catalogue() {
        let declaration = (entry.declaration)();
        modules.entry(declaration.python).or_default().push(declaration);
    }
    let package = root.join(PACKAGE);
    let mut files: BTreeMap<_, _> = modules
        .iter()
        .map(|(module, learners)| {
            let inside = if PACKAGES.contains(module) { "/__init__" } else { "" };
            let path = package.join(format!("{}{inside}.py", module.replace('.', "/")));
            (path, module_text(module, learners))
        })
        .collect();
    for parent in modules.keys().filter_map(|m| m.split_once('.').map(|(parent, _)| parent)) {
        let inner: Vec<&str> =
            modules.keys().filter_map(|m| m.strip_prefix(parent)?.strip_prefix('.')).collect();
        files.insert(package.join(parent).join("__init__.py"), package_text(parent, &inner));
    }
    files.insert(package.join("datasets.py"), datasets_text());
    files.insert(package.join("_registry.py"), registry_text(&modules));
    files
}

/// Generated files that no learner asks for any more.
fn orphans(root: &Path, files: &BTreeMap<PathBuf, String>) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let folder = root.join(PACKAGE);
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let generated =
            path.extension().is_some_and(|e| e == "py") && fs::read_to_string(&path)?.starts_with(MARK);
        if generated && !files.contains_key(&path) {
            found.push(path);
        }
    }
    Ok(found)
}

/// A package whose modules are imported when they are first used.
fn package_text(parent: &str, inner: &[&str]) -> String {
    let names: Vec<_> = inner.iter().map(|m| format!("\"{m}\"")).collect();
    format!(
        "{MARK}\"\"\"{parent}: {}.\"\"\"\n\n__all__ = [{}]\n\n\ndef __getattr__(name):\n    if name in __all__:\n        \
         from importlib import import_module\n\n        return import_module(f\"mercer.{parent}.{{name}}\")\n    \
         raise AttributeError(f\"module 'mercer.{parent}' has no attribute {{name!r}}\")\n",
        inner.join(", "),
        names.join(", ")
    )
}

/// Functions for the generators of data, and for the bundled sets.
fn datasets_text() -> String {
    let generators = mercer::data::GENERATORS;
    let mut out = format!(
        "{MARK}\"\"\"Generators of textbook data, and the sets that travel with Mercer.\n\nNames and parameters are \
         scikit-learn's; the random streams are Mercer's own, so the values are not.\n\"\"\"\n\nfrom __future__ import \
         annotations\n\nfrom mercer._generate import generate, load, load_svmlight_file\n\n__all__ = [\n    \"load\",\n    \"load_svmlight_file\",\n"
    );
    generators.iter().for_each(|g| {
        let _ = writeln!(out, "    \"make_{}\",", g.name);
    });
    out.push_str("]\n");
    for g in generators {
        let _ = write!(out, "\n\ndef make_{}(\n", g.name);
        for (i, p) in g.params.iter().enumerate() {
            if i == 1 {
                out.push_str("    *,\n");
            }
            let default = Value::parse(p.default).unwrap_or(Value::Null);
            let _ = writeln!(out, "    {}={},", p.name, literal(&default));
        }
        let more = matches!(g.name, "regression" | "sparse_coded_signal" | "checkerboard");
        if more {
            out.push_str("    return_more=False,\n");
        }
        let _ = write!(
            out,
            "    random_state=None,\n):\n    \"\"\"{}\n\n    Parameters\n    ----------\n",
            sentence(g.doc)
        );
        for p in g.params {
            let _ = writeln!(out, "    {} : default={}\n        {}", p.name, p.default, sentence(p.doc));
        }
        if more {
            out.push_str("    return_more : bool, default=False\n        Whether to return what else is known, as a dict of arrays.\n");
        }
        out.push_str("    random_state : int, RandomState instance or None, default=None\n        The seed; None is 0.\n\n    ");
        out.push_str("Returns\n    -------\n    X, y : arrays\n        Rows, and their target (None where there is none).\n    \"\"\"\n");
        let names: Vec<_> = g.params.iter().map(|p| format!("\"{0}\": {0}", p.name)).collect();
        let more = if more { "return_more" } else { "False" };
        let _ = writeln!(
            out,
            "    return generate(\"{}\", {{{}}}, random_state, {more})",
            g.name,
            names.join(", ")
        );
    }
    out
}

fn registry_text(modules: &BTreeMap<&str, Vec<&Declaration>>) -> String {
    let mut out =
        format!("{MARK}\"\"\"Which modules there are, and where each learner lives.\"\"\"\n\nMODULES = (\n");
    let top = modules.keys().map(|m| m.split('.').next().unwrap_or(m));
    let all: std::collections::BTreeSet<&str> =
        top.chain(MODULES_BY_HAND.iter().copied()).chain(["datasets"]).collect();
    for module in all {
        let _ = writeln!(out, "    \"{module}\",");
    }
    out.push_str(")\n\nLEARNERS = {\n");
    for (module, learners) in modules {
        for learner in learners {
            let _ = writeln!(out, "    \"{}\": \"{module}\",", learner.name);
        }
    }
    out + "}\n"
}

fn module_text(module: &str, learners: &[&Declaration]) -> String {
    let hand = |d: &Declaration| BY_HAND.iter().find(|(name, _)| *name == d.name).map(|(_, at)| *at);
    let mut out =
        format!("{MARK}\"\"\"{}\"\"\"\n\nfrom __future__ import annotations\n\n", module_summary(learners));
    let generated: Vec<_> = learners.iter().filter(|d| hand(d).is_none()).collect();
    let mut imports: Vec<String> =
        learners.iter().filter_map(|d| Some(format!("from {} import {}\n", hand(d)?, d.name))).collect();
    if !generated.is_empty() {
        let mut mixins: Vec<_> = generated.iter().flat_map(|d| mixins(d)).collect();
        mixins.sort_unstable();
        mixins.dedup();
        imports.push("from mercer._base import Estimator\n".to_owned());
        let mut by_module: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for mixin in mixins {
            by_module.entry(home(mixin)).or_default().push(mixin);
        }
        imports.extend(
            by_module.iter().map(|(m, names)| format!("from mercer.{m} import {}\n", names.join(", "))),
        );
    }
    let extras = || EXTRAS.iter().filter(|(of, _, _)| *of == module);
    for (_, from, names) in extras() {
        imports.push(format!("from {from} import (\n    {},\n)\n", names.join(",\n    ")));
    }
    imports.sort_unstable();
    out.push_str(&imports.concat());
    let mut names: Vec<_> = learners.iter().map(|d| format!("\"{}\"", d.name)).collect();
    names.extend(extras().flat_map(|(_, _, names)| names.iter().map(|n| format!("\"{n}\""))));
    let _ = write!(out, "\n__all__ = [\n    {},\n]\n", names.join(",\n    "));
    if !generated.is_empty() {
        out.push_str(
            "\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n    from collections.abc import Sequence\n",
        );
        out.push_str("    from typing import Any, Literal\n");
    }
    for declaration in generated {
        out.push_str(&class_text(declaration));
    }
    out
}

/// The module that a mixin is written in.
fn home(mixin: &str) -> &'static str {
    MIXINS.iter().find(|(_, names)| names.contains(&mixin)).map_or("_mixins", |(module, _)| module)
}

fn module_summary(learners: &[&Declaration]) -> String {
    let names: Vec<_> = learners.iter().map(|d| d.name).collect();
    format!("{}.", names.join(", "))
}
