//! The Python classes, written from the catalogue: explicit constructors, signatures, defaults and documentation.

use anyhow::{Context, Result, bail};
use mercer::{DataKind, Declaration, ParamDeclaration, ParamKind, Task, Value};
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
const MODULES_BY_HAND: &[&str] = &["metrics"];

/// What modules offer beside learners, and where it is written.
const EXTRAS: &[(&str, &str, &[&str])] = &[
    (
        "model_selection",
        "mercer._search",
        &[
            "GridSearchCV",
            "HalvingGridSearchCV",
            "HalvingRandomSearchCV",
            "HyperbandSearchCV",
            "ParameterGrid",
            "ParameterSampler",
            "RandomizedSearchCV",
            "TPESearchCV",
        ],
    ),
    (
        "model_selection",
        "mercer._validate",
        &[
            "bias_variance",
            "cross_val_predict",
            "cross_val_score",
            "cross_validate",
            "learning_curve",
            "nested_cross_validate",
            "validation_curve",
        ],
    ),
    (
        "model_selection",
        "mercer._splits",
        &[
            "BootstrapSplit",
            "GroupKFold",
            "GroupShuffleSplit",
            "KFold",
            "LeaveOneGroupOut",
            "LeaveOneOut",
            "LeavePOut",
            "PredefinedSplit",
            "RepeatedKFold",
            "RepeatedStratifiedKFold",
            "ShuffleSplit",
            "StratifiedGroupKFold",
            "StratifiedKFold",
            "StratifiedShuffleSplit",
            "TimeSeriesSplit",
            "check_cv",
            "train_test_split",
        ],
    ),
];

/// What scikit-learn's classes of the same name take for seed, threads and progress, so that calls written for them
/// go on working. Other learners take a seed where they are random.
const SESSION: &[(&str, &[&str])] = &[
    ("DecisionTreeClassifier", &["random_state"]),
    ("DecisionTreeRegressor", &["random_state"]),
    ("DummyClassifier", &["random_state"]),
    ("KMeans", &["verbose", "random_state"]),
    ("LogisticRegression", &["random_state", "verbose", "n_jobs"]),
    ("Metropolis", &["random_state", "n_jobs", "verbose"]),
    ("PCA", &["random_state"]),
    ("Ridge", &["random_state"]),
    ("SpectrumPerceptron", &["random_state", "verbose"]),
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
            (package.join(format!("{}.py", module.replace('.', "/"))), module_text(module, learners))
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
        imports.push(format!("from mercer._mixins import {}\n", mixins.join(", ")));
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

fn module_summary(learners: &[&Declaration]) -> String {
    let names: Vec<_> = learners.iter().map(|d| d.name).collect();
    format!("{}.", names.join(", "))
}

/// The parts that make up the class: what it takes, what it learns, what its models can do.
fn mixins(d: &Declaration) -> Vec<&'static str> {
    let mut out = vec![match d.task {
        Task::Classification => "ClassifierMixin",
        Task::Regression => "RegressorMixin",
        Task::Clustering => "ClusterMixin",
        Task::Planning => "PredictMixin",
        _ => "",
    }];
    let can = d.capabilities;
    for (yes, name) in [
        (can.proba, "ProbaMixin"),
        (can.decision, "DecisionMixin"),
        (can.transform, "TransformerMixin"),
        (can.inverse, "InverseMixin"),
        (d.python == "feature_selection", "SelectorMixin"),
    ] {
        out.push(if yes { name } else { "" });
    }
    out.push(match d.takes {
        DataKind::Strings => "StringsMixin",
        DataKind::Density => "DensityMixin",
        DataKind::Mdp => "MdpMixin",
        _ => "RowsMixin",
    });
    out.retain(|name| !name.is_empty());
    out
}

fn session_params(d: &Declaration) -> Vec<&'static str> {
    let listed = SESSION.iter().find(|(name, _)| *name == d.name).map(|(_, params)| params.to_vec());
    listed.unwrap_or_else(|| if d.capabilities.random { vec!["random_state"] } else { Vec::new() })
}

fn class_text(d: &Declaration) -> String {
    let (name, session) = (d.name, session_params(d));
    let mut bases = mixins(d);
    bases.push("Estimator");
    let can: Vec<_> = d.capabilities.names().iter().map(|c| format!("\"{c}\"")).collect();
    let can =
        if can.is_empty() { "frozenset()".to_owned() } else { format!("frozenset({{{}}})", can.join(", ")) };
    let mut out = format!("\n\nclass {name}({}):\n", bases.join(", "));
    out.push_str(&class_doc(d, &session));
    let _ = write!(
        out,
        "\n    _mercer_name = \"{name}\"\n    _mercer_task = \"{:?}\"\n    _mercer_can = {can}\n",
        d.task
    );
    out.push_str(&constructor(d, &session));
    out.push_str(&fit_method(d));
    out
}

fn class_doc(d: &Declaration, session: &[&str]) -> String {
    let mut out = format!("    \"\"\"{}\n", sentence(d.summary));
    if !d.params.is_empty() || !session.is_empty() {
        out.push_str("\n    Parameters\n    ----------\n");
    }
    for p in &d.params {
        let _ = writeln!(
            out,
            "    {} : {}, default={}",
            p.name,
            p.allowed().replace('\\', "\\\\"),
            literal(&p.default)
        );
        let _ = writeln!(out, "        {}", sentence(p.doc));
    }
    for p in session {
        out.push_str(session_doc(p));
    }
    out.push_str("\n    Attributes\n    ----------\n    certificate_ : Certificate\n");
    out.push_str("        How training ended, and what is proved of the model.\n");
    if !d.references.is_empty() {
        out.push_str("\n    References\n    ----------\n");
        d.references.iter().for_each(|r| {
            let _ = writeln!(out, "    - {r}");
        });
    }
    out + "    \"\"\"\n"
}

fn session_doc(name: &str) -> &'static str {
    match name {
        "random_state" => {
            "    random_state : int, RandomState instance or None, default=None\n        \
             The seed. The same seed gives the same result on any number of threads; None is the seed 0.\n"
        }
        "n_jobs" => {
            "    n_jobs : int or None, default=None\n        \
             Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.\n"
        }
        _ => {
            "    verbose : int, default=0\n        \
             Whether to tell of progress on standard error.\n"
        }
    }
}

fn sentence(text: &str) -> String {
    let text = text.trim().replace('\\', "\\\\").replace("\"\"\"", "'''");
    if text.ends_with(['.', '?', '!']) { text } else { text + "." }
}

fn constructor(d: &Declaration, session: &[&str]) -> String {
    let mut out = "\n    def __init__(\n        self,\n".to_owned();
    for (i, p) in d.params.iter().enumerate() {
        // As in scikit-learn, only the most telling parameter may be given by place.
        if i == 1 {
            out.push_str("        *,\n");
        }
        let _ = writeln!(out, "        {}: {} = {},", p.name, annotation(&p.kind), default_literal(p));
    }
    if d.params.len() <= 1 && !session.is_empty() {
        out.push_str("        *,\n");
    }
    for p in session {
        out.push_str(match *p {
            "random_state" => "        random_state: Any = None,\n",
            "n_jobs" => "        n_jobs: int | None = None,\n",
            _ => "        verbose: int = 0,\n",
        });
    }
    out.push_str("    ) -> None:\n");
    for name in d.params.iter().map(|p| p.name).chain(session.iter().copied()) {
        let _ = writeln!(out, "        self.{name} = {name}");
    }
    if d.params.is_empty() && session.is_empty() {
        out.push_str("        pass\n");
    }
    out
}

fn fit_method(d: &Declaration) -> String {
    let supervised = matches!(d.task, Task::Classification | Task::Regression);
    let name = d.name;
    let y = if supervised || d.capabilities.supervised { "y: Any" } else { "y: Any = None" };
    let (arguments, call) = match (d.takes, d.capabilities.weights) {
        (DataKind::Density, _) => (
            "X: Any, y: Any = None, *, dim: int | None = None, start: Any = None".to_owned(),
            "X, dim=dim, start=start",
        ),
        (_, true) => (format!("X: Any, {y}, sample_weight: Any = None"), "X, y, sample_weight"),
        (_, false) => (format!("X: Any, {y}"), "X, y"),
    };
    let doc = match d.takes {
        DataKind::Density => "Draw from a log density: a callable of a point, or the name of a bundled one.",
        DataKind::Mdp => {
            "Plan in a decision process: a dict, a path to its JSON, or the name of a bundled one."
        }
        DataKind::Strings if supervised => "Learn from a sequence of strings and their classes.",
        DataKind::Strings => "Learn from a sequence of strings.",
        _ if supervised || d.capabilities.supervised => "Learn from rows and their targets.",
        _ => "Learn from rows; `y` is there for pipelines and ignored.",
    };
    format!(
        "\n    def fit(self, {arguments}) -> {name}:\n        \"\"\"{doc}\"\"\"\n        return self._fit({call})\n"
    )
}

fn annotation(kind: &ParamKind) -> String {
    match kind {
        ParamKind::Real => "float".to_owned(),
        ParamKind::Integer => "int".to_owned(),
        ParamKind::Bool => "bool".to_owned(),
        ParamKind::Text => "str".to_owned(),
        ParamKind::Choice { words, number } => {
            let words: Vec<_> = words.iter().map(|w| format!("\"{w}\"")).collect();
            let words =
                if words.is_empty() { String::new() } else { format!("Literal[{}]", words.join(", ")) };
            match (words.is_empty(), number) {
                (true, _) => "float".to_owned(),
                (false, true) => format!("{words} | float"),
                (false, false) => words,
            }
        }
        ParamKind::Optional(inner) => format!("{} | None", annotation(inner)),
        ParamKind::List(inner) => format!("Sequence[{}]", annotation(inner)),
        _ => "Any".to_owned(),
    }
}

/// The default as a Python literal; a learner is given by name, since defaults must not be shared objects.
fn default_literal(p: &ParamDeclaration) -> String {
    match &p.default {
        Value::Object(object) => format!("\"{}\"", object.kind),
        other => literal(other),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Int(i) => i.to_string(),
        Value::Real(r) if r.is_finite() => format!("{r:?}"),
        Value::Real(r) => format!("float(\"{r}\")"),
        Value::Text(s) => format!("\"{}\"", s.replace('\\', "\\\\").replace('"', "\\\"")),
        Value::List(items) => {
            let inner: Vec<_> = items.iter().map(literal).collect();
            if inner.len() == 1 { format!("({},)", inner[0]) } else { format!("({})", inner.join(", ")) }
        }
        Value::Object(object) => object.kind.clone(),
    }
}
