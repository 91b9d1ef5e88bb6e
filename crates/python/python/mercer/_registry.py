# Written by `cargo xtask python` from the catalogue; do not edit.
"""Which modules there are, and where each learner lives."""

MODULES = (
    "cluster",
    "decomposition",
    "dummy",
    "impute",
    "kernels",
    "linear_model",
    "mcmc",
    "pipeline",
    "preprocessing",
    "rl",
    "tree",
)

LEARNERS = {
    "KMeans": "cluster",
    "PCA": "decomposition",
    "DummyClassifier": "dummy",
    "DummyRegressor": "dummy",
    "SimpleImputer": "impute",
    "SpectrumPerceptron": "kernels",
    "Ridge": "linear_model",
    "LogisticRegression": "linear_model",
    "Metropolis": "mcmc",
    "Pipeline": "pipeline",
    "StandardScaler": "preprocessing",
    "OneHotEncoder": "preprocessing",
    "SelectColumns": "preprocessing",
    "ValueIteration": "rl",
    "DecisionTreeClassifier": "tree",
    "DecisionTreeRegressor": "tree",
}
