//! The contract suite on every learner of the catalogue.

use mercer::prelude::*;
use mercer::{Object, Value};

/// Learners that are nothing without parts; ID3 is nothing without bins, since the rows of the suite are continuous.
const MADE_OF_PARTS: [&str; 7] = [
    "Pipeline",
    "ColumnTransformer",
    "Id3",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
];

/// Parameters that say how many trees there are: the suite asks for few, since it fits each learner some hundred times.
const TREES: [&str; 2] = ["n_estimators", "num_iterations"];

/// The learner with few trees, where it has a number of them.
fn smaller(learner: Box<dyn Learner>) -> Box<dyn Learner> {
    let with = |name: &str| learner.with(name, &Value::Int(12)).ok();
    TREES.iter().find_map(|name| with(name)).unwrap_or(learner)
}

/// Learners as the suite checks them: those of the catalogue with defaults, and composites with parts.
fn learners() -> Vec<(String, Box<dyn Learner>)> {
    let mut out: Vec<(String, Box<dyn Learner>)> = mercer::catalogue()
        .iter()
        .filter(|e| !MADE_OF_PARTS.contains(&(e.declaration)().name))
        .map(|e| ((e.declaration)().name.to_owned(), smaller(e.make(&Object::default()).unwrap())))
        .collect();
    for spec in [
        "pipeline:steps=[imputer, standard-scaler, logistic]",
        "pipeline:steps=[standard-scaler, ridge]",
        "pipeline:steps=[standard-scaler, pca(n_components=2)]",
        "tree:max_depth=3,criterion=entropy",
        "tree-regressor:criterion=absolute_error,max_depth=3",
        "tree:criterion=error,min_instances=4",
        "tree-regressor:min_instances=4",
        "tree:max_bins=16,interaction_cst=no_interactions",
        "tree-regressor:max_bins=16",
        "forest-regressor:n_estimators=8,interaction_cst=[[x0, x1]]",
        "c45:prune=false,min_instances=1",
        "model-tree:terms=all,prune=false,min_instances=8",
        "pipeline:steps=[bins(encode=ordinal, strategy=uniform), id3]",
        "logistic:solver=newton_cg,class_weight=balanced",
        "pca:n_components=2,svd_solver=randomized",
        "kmeans:n_clusters=3,init=random",
        "ridge:solver=sparse_cg,tol=1e-10",
        "metropolis:draws=50,warmup=20,chains=2",
        "columns:transformers=[[a, standard-scaler, [x0, x1]], [b, imputer, rest]]",
        "columns:transformers=[[a, standard-scaler, [x2]]],remainder=passthrough",
        "calibrated:method=isotonic",
        "calibrated:method=temperature,ensemble=false",
        "conformal:method=cv_plus,estimator=tree-regressor(max_depth=3)",
        "conformal:conformity=quantile,estimator=gbdt-regressor(max_iter=5)",
        "conformal:conformity=quantile,estimator=forest-regressor(n_estimators=5,quantiles=true)",
        "threshold:scoring=f1,estimator=tree(max_depth=3)",
        "threshold:costs=[0, 1, 5, 0]",
        "logistic:penalty=l1,C=0.5",
        "vote:estimators=[logistic, tree(max_depth=3)]",
        "vote:estimators=[logistic, tree(max_depth=3)],voting=soft,weights=[2, 1]",
        "average:estimators=[ridge, tree-regressor(max_depth=3)]",
        "stack:estimators=[logistic, tree(max_depth=3)]",
        "stack-regressor:estimators=[ridge, tree-regressor(max_depth=3)],passthrough=true",
        "bagging:estimator=logistic,max_features=0.5,oob_score=true",
        "adaboost:n_estimators=5,by=resampling",
        "gradient-boosting:n_estimators=5,loss=exponential",
        "gradient-boosting-regressor:n_estimators=5,estimator=ridge,line_search=global,loss=huber(delta=2)",
    ] {
        out.push((spec.to_owned(), mercer::learner(spec).unwrap()));
    }
    out
}

#[test]
fn every_learner_keeps_the_contract() {
    let failures: Vec<String> = learners()
        .iter()
        .flat_map(|(name, learner)| {
            mercer_testkit::check_all(learner.as_ref()).into_iter().map(move |f| format!("{name}: {f}"))
        })
        .collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn models_and_learners_cross_threads() {
    fn crosses<T: Send + Sync + ?Sized>() {}
    crosses::<dyn Learner>();
    crosses::<dyn Model>();
    crosses::<Error>();
    crosses::<Session>();
}

/// A suite that cannot fail proves nothing.
#[test]
fn the_suite_fails_on_a_learner_that_cannot_fit() {
    let checks = mercer_testkit::checks();
    assert!(checks.len() >= 25, "{}", checks.len());
    // A pipeline without steps has nothing to fit: most checks must fail on it.
    let empty = Pipeline::default();
    assert!(mercer_testkit::check_all(&empty).len() > 5);
}

#[test]
fn names_and_aliases_are_unique() {
    let mut names: Vec<String> = mercer::catalogue()
        .iter()
        .flat_map(|e| {
            let d = (e.declaration)();
            std::iter::once(d.name)
                .chain(d.aliases.iter().copied())
                .map(str::to_lowercase)
                .collect::<std::collections::BTreeSet<_>>()
        })
        .collect();
    let n = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), n);
}

#[test]
fn parameters_by_path_reach_into_pipelines() {
    let pipeline = mercer::learner("pipeline:steps=[standard-scaler, ridge(alpha=3)]").unwrap();
    assert_eq!(pipeline.get("ridge__alpha").unwrap(), Value::Real(3.0));
    let changed = pipeline.with("ridge__alpha", &Value::Real(0.5)).unwrap();
    assert_eq!(changed.get("ridge__alpha").unwrap(), Value::Real(0.5));
    let error = pipeline.with("ridge__aplha", &Value::Real(0.5)).unwrap_err().to_string();
    assert!(error.contains("did you mean `alpha`"), "{error}");
}
