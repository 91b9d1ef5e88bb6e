//! One Python class from one declaration: what it takes, its documentation, its constructor.

use mercer::{DataKind, Declaration, ParamDeclaration, ParamKind, Task, Value};
use std::fmt::Write as _;

/// The parts that make up the class: what it takes, what it learns, what its models can do.
pub(crate) fn mixins(d: &Declaration) -> Vec<&'static str> {
    if switches(d) {
        return d.mixins.iter().copied().chain(["RowsMixin"]).collect();
    }
    // What is declared comes first: it may do more than what follows from task and abilities.
    let mut out = d.mixins.to_vec();
    // `predict` of a predictive distribution does more than that of its task.
    out.extend(d.capabilities.spread.then_some("SpreadMixin"));
    out.push(match (has_members(d), wraps(d)) {
        (true, _) => "MembersMixin",
        (false, true) => "WrapperMixin",
        (false, false) => "",
    });
    out.push(match d.task {
        Task::Classification => "ClassifierMixin",
        Task::Regression => "RegressorMixin",
        Task::Clustering => "ClusterMixin",
        Task::Outliers => "OutlierMixin",
        Task::Planning => "PredictMixin",
        Task::Transformation | Task::Sampling | Task::Composite | Task::Neighbours | Task::Densities => "",
    });
    let can = d.capabilities;
    for (yes, name) in [
        (can.members && !d.mixins.iter().any(|m| ENSEMBLES.contains(m)), "EnsembleMixin"),
        (can.joint, "JointMixin"),
        (can.proba, "ProbaMixin"),
        (can.decision, "DecisionMixin"),
        (can.summary, "SummaryMixin"),
        (can.transform, "TransformerMixin"),
        (can.inverse, "InverseMixin"),
        (can.neighbours, "NeighboursMixin"),
        (can.density, "DensitiesMixin"),
        (can.sample, "SampleMixin"),
        (can.topics, "TopicsMixin"),
    ] {
        out.push(if yes { name } else { "" });
    }
    out.push(match d.kinds.learns_from {
        DataKind::Strings => "StringsMixin",
        DataKind::Density => "DensityMixin",
        DataKind::Mdp => "MdpMixin",
        DataKind::Environment => "EnvironmentMixin",
        DataKind::States => "StatesMixin",
        DataKind::Rows | DataKind::Series | DataKind::Graphs => "RowsMixin",
    });
    out.retain(|name| !name.is_empty());
    out
}

/// Parts of classes that are more than an `EnsembleMixin`.
const ENSEMBLES: &[&str] = &["ForestMixin", "StagesMixin"];

/// Whether what is learnt depends on the parameters.
fn switches(d: &Declaration) -> bool {
    d.mixins.contains(&"TaskMixin")
}

/// Whether the learner is made of named learners.
fn has_members(d: &Declaration) -> bool {
    d.params.iter().any(|p| p.kind == ParamKind::Steps)
}

/// Whether a parameter is a learner, on which it depends what the whole can do.
fn wraps(d: &Declaration) -> bool {
    let learner = |kind: &ParamKind| match kind {
        ParamKind::Learner => true,
        ParamKind::Optional(inner) => **inner == ParamKind::Learner,
        _ => false,
    };
    d.params.iter().any(|p| learner(&p.kind))
}

pub(crate) fn class_text(d: &Declaration) -> String {
    let (name, session) = (d.name, d.session);
    let mut bases = mixins(d);
    bases.push("Estimator");
    let can: Vec<_> = d.capabilities.names().iter().map(|c| format!("\"{c}\"")).collect();
    let can =
        if can.is_empty() { "frozenset()".to_owned() } else { format!("frozenset({{{}}})", can.join(", ")) };
    let mut out = format!("\n\nclass {name}({}):\n", bases.join(", "));
    out.push_str(&class_doc(d, session));
    let _ = writeln!(out, "\n    _mercer_name = \"{name}\"");
    if !switches(d) {
        let _ = writeln!(out, "    _mercer_task = \"{:?}\"", d.task);
    }
    let name = if wraps(d) || has_members(d) || switches(d) { "_mercer_declared" } else { "_mercer_can" };
    let _ = writeln!(out, "    {name} = {can}");
    let door: Vec<_> = door(d).map(|(name, default)| format!("\"{name}\": {default}")).collect();
    if !door.is_empty() {
        let _ = writeln!(out, "    _mercer_door = {{{}}}", door.join(", "));
    }
    out.push_str(&constructor(d, session));
    out.push_str(&fit_method(d));
    out
}

fn class_doc(d: &Declaration, session: &[&str]) -> String {
    let mut out = format!("    \"\"\"{}\n", sentence(d.summary));
    if !d.params.is_empty() || !session.is_empty() || !d.door.is_empty() {
        out.push_str("\n    Parameters\n    ----------\n");
    }
    for p in &d.params {
        let allowed = p.allowed().replace('\\', "\\\\");
        let _ = match p.kind {
            ParamKind::Steps => writeln!(out, "    {} : list of (str, estimator)", p.name),
            _ => writeln!(out, "    {} : {allowed}, default={}", p.name, literal(&p.default)),
        };
        let _ = writeln!(out, "        {}", sentence(p.doc).replace('\n', "\n        "));
    }
    for (name, default) in door(d) {
        let _ = writeln!(out, "    {name} : default={default}\n        {}", door_doc(d, name));
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

/// What the class takes for scikit-learn's sake; a parameter that the learner itself has is the learner's.
fn door(d: &Declaration) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
    let known = |name: &str| d.params.iter().any(|p| p.name == name) || d.session.contains(&name);
    d.door.iter().copied().filter(move |(name, _)| !known(name))
}

/// Mixins of classes whose fits can begin where the one before ended.
const STARTS: [&str; 4] = ["DescentMixin", "LogisticMixin", "NetMixin", "WarmMixin"];

fn door_doc(d: &Declaration, name: &str) -> &'static str {
    match name {
        "warm_start" if d.mixins.iter().any(|m| STARTS.contains(m)) => {
            "Whether a fit begins where the one before ended, at `coef_`."
        }
        "dual" => {
            "Whether LIBLINEAR would solve the dual, whose optimum is the same: allowed for the solver liblinear."
        }
        "use_legacy_attributes" => {
            "Whether scores_, coefs_paths_, C_, l1_ratio_ and n_iter_ are laid out by class, as scikit-learn did before 1.10."
        }
        "copy" | "copy_x" | "copy_X" => {
            "Accepted for scikit-learn's sake; what is given is never written to."
        }
        "precompute" => {
            "Changes nothing of the result, since what pays is decided by the shape of the data; a Gram matrix must be that of the rows."
        }

        "power_iteration_normalizer" => "Accepted for scikit-learn's sake; QR is always used.",
        "dtype" => "The type of the numbers that come out.",
        "categories" => {
            "The levels of each column in their order, one array a column; 'auto' takes those of the data."
        }
        "feature_name_combiner" => {
            "How a column's name is made: 'concat', or a function of the feature and its level."
        }
        "missing_values" => "What stands for a missing value: NaN, None, pandas.NA, a number or a text.",
        "keep_empty_features" => "Whether columns without any value are kept.",
        "constant" => "The answer of the strategy 'constant'.",
        "quantile" => "The quantile of the strategy 'quantile'.",
        "importance_getter" => {
            "Where importances are read: 'auto', the path of an attribute, or a function of the model."
        }
        "prefit" => "Whether the estimator is fitted already.",
        "covariance_estimator" => {
            "What estimates the covariance of each class in place of `shrinkage`: its `fit(X)` leaves `covariance_`. Not with `svd`."
        }
        "jitter" => {
            "The most noise that is added to the target, which parts features that tie; none adds none."
        }
        "input" => "What documents are: 'content', 'file' or 'filename'.",
        "encoding" => "The encoding of documents that are bytes.",
        "decode_error" => "What to do with bytes that cannot be decoded: 'strict', 'ignore' or 'replace'.",
        "preprocessor" => "A function in place of lower-casing and stripping of accents.",
        "tokenizer" => "A function in place of `token_pattern`.",
        _ => {
            "Accepted for scikit-learn's sake; any value but the default is refused where it would change the result."
        }
    }
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

pub(crate) fn sentence(text: &str) -> String {
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
        match p.kind {
            ParamKind::Steps => {
                let _ = writeln!(out, "        {}: Any,", p.name);
            }
            _ => {
                let _ =
                    writeln!(out, "        {}: {} = {},", p.name, annotation(&p.kind), default_literal(p));
            }
        }
    }
    if d.params.len() <= 1 && door(d).next().is_some() | !session.is_empty() {
        out.push_str("        *,\n");
    }
    for (name, default) in door(d) {
        let _ = writeln!(out, "        {name}: Any = {default},");
    }
    for p in session {
        out.push_str(match *p {
            "random_state" => "        random_state: Any = None,\n",
            "n_jobs" => "        n_jobs: int | None = None,\n",
            _ => "        verbose: int = 0,\n",
        });
    }
    out.push_str("    ) -> None:\n");
    let own = d.params.iter().map(|p| p.name);
    for name in own.chain(door(d).map(|(name, _)| name)).chain(session.iter().copied()) {
        let _ = writeln!(out, "        self.{name} = {name}");
    }
    if d.params.is_empty() && session.is_empty() && d.door.is_empty() {
        out.push_str("        pass\n");
    }
    out
}

fn fit_method(d: &Declaration) -> String {
    let supervised = d.task.has_target();
    let name = d.name;
    let y = if supervised { "y: Any" } else { "y: Any = None" };
    let (arguments, call) = match (d.kinds.learns_from, d.capabilities.weights) {
        (DataKind::Density, _) => (
            "X: Any, y: Any = None, *, dim: int | None = None, start: Any = None, gradient: Any = None, \
             conditionals: Any = None"
                .to_owned(),
            "X, dim=dim, start=start, gradient=gradient, conditionals=conditionals",
        ),
        // What a transformer that learns from a target takes beside it may be meant for an estimator inside.
        (DataKind::Rows, _) if d.capabilities.supervised => {
            ("X: Any, y: Any = None, **fit_params: Any".to_owned(), "X, y, **fit_params")
        }
        // Who splits and scores hands parameters on.
        (DataKind::Rows, true) if d.mixins.contains(&"LogisticCvMixin") => (
            format!("X: Any, {y}, sample_weight: Any = None, **params: Any"),
            "X, y, sample_weight, **params",
        ),
        // Descents may begin at coefficients that are given.
        (DataKind::Rows, true) if d.mixins.contains(&"ResumeRowsMixin") => (
            format!("X: Any, {y}, coef_init: Any = None, offset_init: Any = None, sample_weight: Any = None"),
            "X, y, sample_weight, coef_init=coef_init, intercept_init=offset_init",
        ),
        (DataKind::Rows, true) if d.mixins.contains(&"DescentMixin") => (
            format!(
                "X: Any, {y}, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None"
            ),
            "X, y, sample_weight, coef_init=coef_init, intercept_init=intercept_init",
        ),
        // Products of the rows, or whether they may be written to, which change nothing.
        (DataKind::Rows, false) if d.mixins.contains(&"LeastAngleMixin") => {
            (format!("X: Any, {y}, **fit_params: Any"), "X, y, **fit_params")
        }
        (DataKind::Rows, true) if d.mixins.contains(&"GroupsMixin") => (
            format!("X: Any, {y}, sample_weight: Any = None, *, groups: Any = None"),
            "X, y, sample_weight, groups=groups",
        ),
        (DataKind::Rows, true) if d.mixins.contains(&"NetMixin") => (
            format!("X: Any, {y}, sample_weight: Any = None, check_input: bool = True"),
            "X, y, sample_weight, check_input=check_input",
        ),
        // What a search takes beside rows, target and weights goes to its splitter and its scorer.
        (DataKind::Rows, true) if d.mixins.iter().any(|m| ["NetCvMixin", "RidgeCvMixin"].contains(m)) => (
            format!("X: Any, {y}, sample_weight: Any = None, **params: Any"),
            "X, y, sample_weight, **params",
        ),
        (
            DataKind::Rows
            | DataKind::Strings
            | DataKind::Mdp
            | DataKind::States
            | DataKind::Series
            | DataKind::Graphs
            | DataKind::Environment,
            true,
        ) => (format!("X: Any, {y}, sample_weight: Any = None"), "X, y, sample_weight"),
        (
            DataKind::Rows
            | DataKind::Strings
            | DataKind::Mdp
            | DataKind::States
            | DataKind::Series
            | DataKind::Graphs
            | DataKind::Environment,
            false,
        ) => (format!("X: Any, {y}"), "X, y"),
    };
    let doc = match d.kinds.learns_from {
        DataKind::Density => {
            "Draw from a log density: a callable of a point, or the name of a bundled one. `gradient` is a callable, too, or True where the density gives value and gradient; `conditionals` has a callable of a point and a NumPy generator for each coordinate."
        }
        DataKind::Mdp => {
            "Plan in a decision process: an MDP, what one is made of, a path to its JSON, or the name of a bundled one."
        }
        DataKind::Environment => {
            "Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."
        }
        DataKind::Strings if supervised => "Learn from a sequence of strings and their classes.",
        DataKind::Strings => "Learn from a sequence of strings.",
        DataKind::States => "Learn from states of a decision process.",
        DataKind::Rows if d.mixins.contains(&"GroupsMixin") => {
            "Learn from rows and their targets; rows with the same value of `groups` are one query of a ranking."
        }
        DataKind::Series => "Learn from series, or from rows that are series of equal length.",
        DataKind::Graphs => "Learn from graphs.",
        DataKind::Rows if supervised || d.capabilities.supervised => "Learn from rows and their targets.",
        DataKind::Rows => "Learn from rows; `y` is there for pipelines and ignored.",
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

pub(crate) fn literal(value: &Value) -> String {
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
        Value::Map(pairs) => {
            let inner: Vec<_> =
                pairs.iter().map(|(k, v)| format!("{}: {}", literal(k), literal(v))).collect();
            format!("{{{}}}", inner.join(", "))
        }
        Value::Object(object) => object.kind.clone(),
    }
}
