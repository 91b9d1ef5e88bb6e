"""Constructors, attributes and errors as scikit-learn's users know them, over all classes that both have."""

import importlib
import inspect
import pickle

import numpy as np
import pytest
import sklearn.base
import sklearn.experimental.enable_iterative_imputer  # noqa: F401
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer._registry import LEARNERS


def pairs():
    """Mercer's classes, each with scikit-learn's of the same name and module."""
    for name, module in LEARNERS.items():
        try:
            theirs = getattr(importlib.import_module(f"sklearn.{module}"), name, None)
        except ModuleNotFoundError:
            continue
        if theirs is not None:
            yield pytest.param(getattr(importlib.import_module(f"mercer.{module}"), name), theirs, id=name)


@pytest.mark.parametrize("ours, theirs", pairs())
def test_every_constructor_takes_what_scikit_learn_takes(ours, theirs):
    taken = inspect.signature(ours.__init__).parameters
    missing = [name for name in inspect.signature(theirs.__init__).parameters if name not in taken]
    assert not missing


def test_what_would_be_ignored_is_refused():
    x, y = np.eye(3), np.arange(3.0)
    with pytest.raises(NotImplementedError, match="solver_options"):
        mercer.linear_model.QuantileRegressor(solver_options={"presolve": True}).fit(x, y)
    mercer.linear_model.Ridge(copy_X=False).fit(x, y)


def test_what_the_compiled_part_cannot_do_is_done_in_python():
    make = mercer.pipeline.make_pipeline
    x, y = np.array([[1.0, -1.0], [2.0, 3.0], [4.0, 5.0]]), np.arange(3.0)
    imputer, ridge = mercer.impute.SimpleImputer(missing_values=-1), mercer.linear_model.Ridge()
    whole = make(imputer, ridge).fit(x, y)
    filled = mercer.impute.SimpleImputer(missing_values=-1).fit_transform(x)
    assert_array_equal(filled, [[1, 4], [2, 3], [4, 5]])
    assert_array_equal(whole.predict(x), mercer.linear_model.Ridge().fit(filled, y).predict(filled))
    with pytest.raises(AttributeError, match="runs in Python"):
        whole.certificate_
    assert make(mercer.impute.SimpleImputer(copy=False), mercer.linear_model.Ridge()).fit(x, y).certificate_ is not None


def test_a_missing_level_has_a_column_in_a_pipeline_too():
    x = np.array([["a"], [None], ["b"], ["a"]], dtype=object)
    alone = mercer.preprocessing.OneHotEncoder(sparse_output=False)
    whole = mercer.pipeline.make_pipeline(alone, mercer.preprocessing.MinMaxScaler()).fit(x)
    assert_array_equal(whole.transform(x), alone.fit_transform(x))


def test_fitted_attributes_cannot_be_set():
    x, y = np.arange(6.0).reshape(3, 2), np.array([0, 1, 1])
    ridge = mercer.linear_model.Ridge().fit(x, y)
    with pytest.raises(AttributeError, match="part of the fitted model"):
        ridge.coef_ = np.zeros(2)
    ridge.alpha = 3.0
    forest = mercer.ensemble.RandomForestClassifier(n_estimators=3, random_state=0).fit(x, y)
    before = forest.predict(x)
    with pytest.raises(ValueError, match="read-only"):
        forest.classes_[0] = 7
    assert_array_equal(forest.predict(x), before)


@pytest.mark.parametrize("solver", ["lsqr", "sag", "saga", "lbfgs"])
def test_solvers_by_scikit_learns_names_reach_the_same_optimum(solver):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 3))
    y = x @ [1.0, 2.0, 3.0] + rng.normal(size=40)
    exact = mercer.linear_model.Ridge().fit(x, y)
    assert_allclose(mercer.linear_model.Ridge(solver=solver, tol=1e-10).fit(x, y).coef_, exact.coef_, rtol=1e-8)
    classes = (y > 0).astype(int)
    exact = mercer.linear_model.LogisticRegression().fit(x, classes)
    # LIBLINEAR has an objective of its own.
    for name in ("newton-cg", "newton-cholesky"):
        found = mercer.linear_model.LogisticRegression(solver=name).fit(x, classes)
        assert_allclose(found.coef_, exact.coef_, rtol=1e-3)


# Encoders


@pytest.mark.parametrize("values", [["10", "9", "9"], ["a", None, "b"], [1.0, np.nan, 2.0], [3, 1, 2]])
def test_levels_are_those_of_scikit_learn(values):
    x = np.array(values, dtype=object if isinstance(values[0], str) else None).reshape(-1, 1)
    for name, options in (("OneHotEncoder", {"sparse_output": False}), ("OrdinalEncoder", {})):
        ours = getattr(mercer.preprocessing, name)(**options).fit(x)
        theirs = getattr(sklearn.preprocessing, name)(**options).fit(x)
        assert_array_equal(ours.categories_[0], theirs.categories_[0])
        assert_array_equal(ours.transform(x), theirs.transform(x))
        assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
        back = ours.inverse_transform(ours.transform(x))
        assert_array_equal(back, theirs.inverse_transform(theirs.transform(x)))
        assert back.dtype == theirs.inverse_transform(theirs.transform(x)).dtype
        assert_array_equal(pickle.loads(pickle.dumps(ours)).transform(x), ours.transform(x))


def test_given_levels_rare_levels_and_dropped_ones():
    x = np.array([["a"]] * 5 + [["b"]] * 2 + [["c"]] * 9 + [["d"]], dtype=object)
    for options in (
        {"categories": [["d", "c", "b", "a"]]},
        {"min_frequency": 3, "handle_unknown": "infrequent_if_exist"},
        {"max_categories": 2, "drop": "first"},
        {"drop": ["b"]},
        {"dtype": np.int32, "drop": "if_binary"},
    ):
        ours = mercer.preprocessing.OneHotEncoder(sparse_output=False, **options).fit(x)
        theirs = sklearn.preprocessing.OneHotEncoder(sparse_output=False, **options).fit(x)
        assert_array_equal(ours.transform(x), theirs.transform(x))
        assert ours.transform(x).dtype == theirs.transform(x).dtype
        assert_array_equal(ours.get_feature_names_out(["k"]), theirs.get_feature_names_out(["k"]))
        assert_array_equal(ours.inverse_transform(ours.transform(x)), theirs.inverse_transform(theirs.transform(x)))


# Scalers, expansions


def test_scalers_learn_by_parts():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, -3.0]
    x[::7, 1] = np.nan
    for name in ("StandardScaler", "MinMaxScaler", "MaxAbsScaler"):
        ours = getattr(mercer.preprocessing, name)()
        for part in np.array_split(x, 4):
            ours.partial_fit(part)
        whole = getattr(sklearn.preprocessing, name)().fit(x)
        assert_allclose(ours.transform(x), whole.transform(x), rtol=1e-9, atol=1e-9)
        assert_array_equal(ours.n_samples_seen_, whole.n_samples_seen_)


def test_knots_and_powers():
    x = np.linspace(0, 5, 20).reshape(-1, 1)
    knots = np.array([[0.0], [1.0], [3.0], [5.0]])
    ours = mercer.preprocessing.SplineTransformer(knots=knots).fit(x)
    assert_allclose(ours.transform(x), sklearn.preprocessing.SplineTransformer(knots=knots).fit_transform(x), atol=1e-12)
    terms = mercer.preprocessing.PolynomialFeatures(3).fit(np.eye(3))
    assert_array_equal(terms.powers_, sklearn.preprocessing.PolynomialFeatures(3).fit(np.eye(3)).powers_)


# Baselines, components, clusters


def test_baselines_draw_by_the_seed():
    x, y = np.zeros((6000, 1)), np.repeat([0, 1, 2], [600, 2400, 3000])
    for strategy, shares in (("uniform", [1 / 3] * 3), ("stratified", [0.1, 0.4, 0.5])):
        model = mercer.dummy.DummyClassifier(strategy=strategy, random_state=3).fit(x, y)
        drawn = model.predict(x)
        assert_allclose(np.bincount(drawn) / len(drawn), shares, atol=0.03)
        assert_array_equal(drawn, model.predict(x))
        other = mercer.dummy.DummyClassifier(strategy=strategy, random_state=4).fit(x, y)
        assert (other.predict(x) != drawn).any()
    two = mercer.dummy.DummyClassifier().fit(x, np.column_stack([y, 2 - y]))
    assert two.predict(x[:2]).tolist() == [[2, 0], [2, 0]]
    assert mercer.dummy.DummyRegressor(strategy="quantile", quantile=0.3).fit(x[:5], [1, 2, 3, 4, 9]).predict(
        x[:1]
    ) == pytest.approx(np.percentile([1, 2, 3, 4, 9], 30))


def test_components_as_a_model_of_rows():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(80, 5)) @ rng.normal(size=(5, 5))
    for k in (2, 0.9, "mle", None):
        ours, theirs = mercer.decomposition.PCA(k).fit(x), sklearn.decomposition.PCA(k).fit(x)
        assert ours.n_components_ == theirs.n_components_
        assert_allclose(ours.get_covariance(), theirs.get_covariance(), rtol=1e-8, atol=1e-8)
        assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-6, atol=1e-8)
        assert_allclose(ours.score_samples(x), theirs.score_samples(x), rtol=1e-8)


def test_rows_without_weight_say_nothing_of_components():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(12, 6))
    weights = np.ones(12)
    weights[4:] = 0
    ours, alone = mercer.decomposition.PCA().fit(x, sample_weight=weights), mercer.decomposition.PCA().fit(x[:4])
    assert ours.components_.shape == alone.components_.shape
    assert_allclose(np.abs(ours.components_[:3]), np.abs(alone.components_[:3]), atol=1e-8)


def test_clusters_from_given_centres():
    rng = np.random.default_rng(6)
    x = np.concatenate([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 8])
    start = x[[0, 40]]
    ours = mercer.cluster.KMeans(2, init=start).fit(x)
    theirs = sklearn.cluster.KMeans(2, init=start, n_init=1).fit(x)
    assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-8)
    called = mercer.cluster.KMeans(2, init=lambda X, k, random_state: X[:k]).fit(x)
    assert called.inertia_ == pytest.approx(theirs.inertia_)
    assert ours.score(x) == pytest.approx(theirs.score(x))
    with pytest.raises(ValueError, match="does not match the number of clusters"):
        mercer.cluster.KMeans(3, init=start).fit(x)


# Imputation, selection, texts


def test_missing_values_of_any_kind():
    words = np.array([["a", "x"], ["?", "x"], ["a", "y"]], dtype=object)
    filled = mercer.impute.SimpleImputer(strategy="most_frequent", missing_values="?").fit_transform(words)
    assert filled.tolist() == [["a", "x"], ["a", "x"], ["a", "y"]]
    assert mercer.impute.SimpleImputer(strategy="most_frequent").fit_transform([["a"], [np.nan], ["a"]]).tolist() == [["a"]] * 3
    numbers = np.array([[1, -1, -1], [3, 5, -1], [-1, 7, -1]])
    for keep in (False, True):
        ours = mercer.impute.SimpleImputer(missing_values=-1, keep_empty_features=keep, add_indicator=True)
        theirs = sklearn.impute.SimpleImputer(missing_values=-1, keep_empty_features=keep, add_indicator=True)
        assert_allclose(ours.fit_transform(numbers), theirs.fit_transform(numbers))
        assert_allclose(ours.inverse_transform(ours.transform(numbers)), numbers)


def test_selection_by_functions_and_by_other_estimators():
    rng = np.random.default_rng(7)
    x = rng.normal(size=(80, 6))
    y = (x[:, 1] - 2 * x[:, 4] > 0).astype(int)
    by_function = mercer.feature_selection.SelectKBest(sklearn.feature_selection.f_classif, k=2).fit(x, y)
    by_name = mercer.feature_selection.SelectKBest("f_classif", k=2).fit(x, y)
    assert_array_equal(by_function.get_support(), by_name.get_support())
    assert_allclose(by_function.scores_, by_name.scores_, rtol=1e-8)
    assert_array_equal(by_function.inverse_transform(by_function.transform(x))[:, [0, 2]], 0)
    svm = sklearn.svm.SVC(kernel="linear")
    for name, options in (
        ("RFE", {"n_features_to_select": 2}),
        ("RFECV", {"cv": 3}),
        ("SelectFromModel", {}),
        ("SequentialFeatureSelector", {"n_features_to_select": 2, "cv": 3}),
    ):
        ours = getattr(mercer.feature_selection, name)(svm, **options).fit(x, y)
        theirs = getattr(sklearn.feature_selection, name)(svm, **options).fit(x, y)
        assert_array_equal(ours.get_support(), theirs.get_support())
        assert_array_equal(ours.transform(x), theirs.transform(x))


def test_texts_by_functions():
    docs = ["The cat sat", "A dog, the dog!", "cats and dogs"]
    for options in (
        {"tokenizer": str.split, "token_pattern": None},
        {"analyzer": lambda doc: doc.split(",")},
        {"preprocessor": str.upper, "ngram_range": (1, 2)},
        {"vocabulary": {"dog": 1, "cat": 0}},
        {"stop_words": "english"},
    ):
        ours = mercer.feature_extraction.text.CountVectorizer(**options).fit(docs)
        theirs = sklearn.feature_extraction.text.CountVectorizer(**options).fit(docs)
        assert ours.vocabulary_ == theirs.vocabulary_
        assert_array_equal(ours.transform(docs).toarray(), theirs.transform(docs).toarray())
        assert [ours.build_analyzer()(doc) for doc in docs] == [theirs.build_analyzer()(doc) for doc in docs]
