"""Selection and inspection with any estimator, scorer, splitter and grid of scikit-learn's contract, against scikit-learn, and
the same whether the whole runs compiled or one fit after the other."""

import warnings

import numpy as np
import pytest
from sklearn import metrics as their_metrics
from sklearn import model_selection as theirs
from sklearn.datasets import make_classification, make_regression
from sklearn.exceptions import UndefinedMetricWarning as their_warning
from sklearn.inspection import partial_dependence as their_dependence
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.tree import DecisionTreeClassifier as TheirTree

from mercer import inspection, metrics
from mercer import model_selection as ours
from mercer.ensemble import RandomForestClassifier
from mercer.linear_model import LogisticRegression, Ridge
from mercer.pipeline import Pipeline
from mercer.preprocessing import MinMaxScaler, StandardScaler

X, Y = make_classification(200, 6, flip_y=0.2, random_state=0)
XR, YR = make_regression(120, 4, noise=3.0, random_state=0)


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "f1", "average_precision", "balanced_accuracy"])
def test_scorers_of_scikit_learn_ask_for_what_they_need(scoring):
    given = their_metrics.get_scorer(scoring)
    known = theirs.cross_val_score(LogisticRegression(), X, Y, scoring=scoring)
    for one in (given, scoring, {"a": given}, [scoring]):
        found = ours.cross_validate(LogisticRegression(), X, Y, scoring=one)
        name = "score" if one is given or one is scoring else ("a" if isinstance(one, dict) else scoring)
        np.testing.assert_allclose(found[f"test_{name}"], known, rtol=1e-9)


def test_metrics_are_given_the_answers_that_they_are_about():
    for function, name in ((metrics.roc_auc_score, "roc_auc"), (their_metrics.average_precision_score, "average_precision")):
        found = ours.cross_val_score(LogisticRegression(), X, Y, scoring=function)
        np.testing.assert_allclose(found, ours.cross_val_score(LogisticRegression(), X, Y, scoring=name))
    for loss in (metrics.log_loss, their_metrics.mean_squared_error, metrics.hinge_loss):
        with pytest.raises(ValueError, match="make_scorer"):
            ours.cross_val_score(LogisticRegression(), X, Y, scoring=loss)


def test_the_label_1_is_positive():
    np.testing.assert_allclose(
        ours.cross_val_score(LogisticRegression(), X, Y + 1, scoring="f1"),
        theirs.cross_val_score(LogisticRegression(), X, Y + 1, scoring="f1"),
    )


def test_foreign_estimators_are_taken():
    for tool in ("cross_val_score", "cross_val_predict"):
        np.testing.assert_allclose(getattr(ours, tool)(TheirTree(random_state=0), X, Y), getattr(theirs, tool)(TheirTree(random_state=0), X, Y))
    grid = {"max_depth": [1, 3], "min_samples_leaf": [1, 5]}
    mine, known = (m.GridSearchCV(TheirTree(random_state=0), grid, return_train_score=True).fit(X, Y) for m in (ours, theirs))
    assert mine.best_params_ == known.best_params_ and set(mine.cv_results_) == set(known.cv_results_)
    for key in ("mean_test_score", "std_test_score", "rank_test_score", "split3_train_score"):
        np.testing.assert_allclose(mine.cv_results_[key], known.cv_results_[key])
    curves = [m.learning_curve(TheirRidge(), XR, YR, train_sizes=[0.3, 0.6, 1.0]) for m in (ours, theirs)]
    for mine, known in zip(*curves):
        np.testing.assert_allclose(mine, known)


def test_compiled_or_not_the_result_is_the_same():
    forest = RandomForestClassifier(n_estimators=5, random_state=3)
    whole = ours.cross_validate(forest, X, Y, scoring="accuracy", cv=3, return_estimator=True)
    np.testing.assert_array_equal(whole["test_score"], ours.cross_val_score(forest, X, Y, scoring=metrics.accuracy_score, cv=3))
    train = next(ours.StratifiedKFold(3).split(X, Y))[0]
    alone = RandomForestClassifier(n_estimators=5, random_state=3).fit(X[train], Y[train])
    np.testing.assert_array_equal(alone.predict_proba(X), whole["estimator"][0].predict_proba(X))
    searches = [ours.GridSearchCV(forest, {"max_depth": [2, 4]}, scoring=s).fit(X, Y) for s in ("accuracy", metrics.accuracy_score)]
    np.testing.assert_array_equal(*(s.cv_results_["mean_test_score"] for s in searches))
    np.testing.assert_array_equal(*(s.best_estimator_.predict_proba(X) for s in searches))
    model = Ridge().fit(XR, YR)
    losses = [inspection.permutation_importance(model, XR, YR, scoring=s, random_state=1).importances for s in (None, metrics.r2_score)]
    np.testing.assert_allclose(*losses, rtol=1e-9)


def test_estimators_are_values_of_a_grid():
    steps = Pipeline([("s", StandardScaler()), ("m", LogisticRegression())])
    found = ours.GridSearchCV(steps, {"s": [StandardScaler(), MinMaxScaler()], "m__C": [0.1, 1.0]}).fit(X, Y)
    assert type(found.best_params_["s"]) in (StandardScaler, MinMaxScaler)
    assert type(found.best_estimator_.get_params()["s"]) is type(found.best_params_["s"])


def test_halving_refits_with_what_it_found():
    found = ours.HalvingGridSearchCV(
        RandomForestClassifier(random_state=0), {"max_depth": [2, 4, None]}, resource="n_estimators", max_resources=20
    ).fit(X, Y)
    assert found.best_estimator_.n_estimators == found.best_params_["n_estimators"] == found.n_resources_[-1] <= 20
    known = theirs  # the same rounds as scikit-learn's
    pytest.importorskip("sklearn.experimental.enable_halving_search_cv")
    rounds = [
        m.HalvingGridSearchCV(TheirTree(random_state=0), {"max_depth": [1, 2, 3, 4, 5, 6]}, random_state=0).fit(X, Y) for m in (ours, known)
    ]
    assert rounds[0].n_resources_ == rounds[1].n_resources_ and rounds[0].n_candidates_ == rounds[1].n_candidates_


def test_what_decides_may_be_a_function_or_must_be_named():
    found = ours.GridSearchCV(Ridge(), {"alpha": [1, 2, 3]}, refit=lambda results: 2).fit(XR, YR)
    assert found.best_params_ == {"alpha": 3}
    with pytest.raises(ValueError, match="refit must be set to a scorer key"):
        ours.GridSearchCV(Ridge(), {"alpha": [1]}, scoring=["r2", "neg_mean_squared_error"]).fit(XR, YR)
    found = ours.GridSearchCV(Ridge(), {"alpha": [1, 9]}, scoring=["r2", "neg_mean_squared_error"], refit="r2").fit(XR, YR)
    assert found.best_score_ == found.cv_results_["mean_test_r2"].max()
    # A metric for which less is better is searched downwards.
    found = ours.GridSearchCV(Ridge(), {"alpha": [0.1, 1000.0]}, scoring="rmse").fit(XR, YR)
    assert found.best_params_ == {"alpha": 0.1}


def test_scores_that_are_no_numbers():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ours.GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring=lambda e, x, y: np.nan).fit(XR, YR)
    assert found.best_index_ == 0 and np.isnan(found.best_score_) and found.cv_results_["rank_test_score"].tolist() == [1, 1]
    with pytest.raises(ValueError, match="scoring must return a number"):
        ours.cross_val_score(Ridge(), XR, YR, scoring=lambda e, x, y: np.zeros(2))
    with pytest.raises(ValueError, match="All the 5 fits failed"):
        ours.cross_val_score(Ridge(alpha=-1), XR, YR)


def test_answers_of_folds():
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        mine, known = (m.cross_val_predict(TheirLogistic(), X, Y, method=method) for m in (ours, theirs))
        np.testing.assert_allclose(mine, known)
        assert ours.cross_val_predict(LogisticRegression(), X, Y, method=method).shape == known.shape
    with pytest.raises(AttributeError, match="nonsense"):
        ours.cross_val_predict(LogisticRegression(), X, Y, method="nonsense")


@pytest.mark.parametrize("name", ["KFold", "StratifiedKFold", "ShuffleSplit", "StratifiedShuffleSplit", "RepeatedKFold"])
def test_the_same_seed_draws_the_rows_of_scikit_learn(name):
    more = {"shuffle": True} if name.endswith("KFold") and not name.startswith("Repeated") else {}
    for mine, known in zip(*(getattr(m, name)(n_splits=3, random_state=7, **more).split(X, Y) for m in (ours, theirs))):
        for a, b in zip(mine, known):
            np.testing.assert_array_equal(a, b)


def test_sizes_and_shares_of_both_parts():
    x, y = np.arange(100).reshape(-1, 1), np.repeat([0, 1], [80, 20])
    parts = ours.train_test_split(x, y, train_size=0.5, test_size=0.2, stratify=y, random_state=0)
    assert [len(p) for p in parts] == [50, 20, 50, 20] and parts[2].mean() == parts[3].mean() == 0.2
    for a, b in zip(parts, theirs.train_test_split(x, y, train_size=0.5, test_size=0.2, stratify=y, random_state=0)):
        np.testing.assert_array_equal(a, b)
    split = lambda **sizes: [len(part) for part in next(ours.ShuffleSplit(1, **sizes).split(np.zeros(10)))]  # noqa: E731
    assert split(train_size=0.5, test_size=0.2) == [5, 2] and split(test_size=2) == [8, 2]


def test_dependence_of_foreign_estimators():
    for model in (TheirRidge().fit(XR, YR), TheirLogistic().fit(X, Y)):
        rows = XR if isinstance(model, TheirRidge) else X
        mine, known = (f(model, rows, [0, 1], kind="both", grid_resolution=6) for f in (inspection.partial_dependence, their_dependence))
        np.testing.assert_allclose(mine.average, known.average)
        np.testing.assert_allclose(mine.individual, known.individual)
        np.testing.assert_allclose(mine.grid_values, known.grid_values)
    same = Ridge(alpha=1.0).fit(XR, YR)
    whole = inspection.partial_dependence(same, XR, [0, 1], grid_resolution=6)
    np.testing.assert_allclose(whole.average, their_dependence(TheirRidge().fit(XR, YR), XR, [0, 1], grid_resolution=6).average)


def test_a_score_of_one_row_is_not_defined():
    with pytest.warns(their_warning, match="less than two samples"):
        assert np.isnan(Ridge().fit(XR, YR).score(XR[:1], YR[:1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for scoring in (None, "r2", metrics.r2_score):
            assert np.isnan(ours.cross_val_score(Ridge(), XR[:6], YR[:6], cv=ours.LeaveOneOut(), scoring=scoring)).all()
        assert np.isnan(ours.cross_val_score(TheirTree(), *make_classification(60, n_informative=4, n_classes=3), scoring="roc_auc")).all()


class Mine(Ridge):
    """A subclass of the user's, with a parameter of its own."""

    def __init__(self, alpha=1.0, shift=0.0, fails=False):
        super().__init__(alpha=alpha)
        self.shift, self.fails = shift, fails

    def fit(self, X, y):
        """Fit, unless told to fail."""
        if self.fails:
            raise RuntimeError("told to")
        return super().fit(X, y)

    def predict(self, X):
        """Shifted."""
        return super().predict(X) + self.shift


def test_subclasses_of_the_user_are_searched():
    grid = {"shift": [0.0, 50.0], "fails": [False, True]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for search in (ours.GridSearchCV(Mine(), grid), ours.HalvingGridSearchCV(Mine(), grid, factor=2)):
            found = search.fit(XR, YR)
            assert found.best_params_ == {"fails": False, "shift": 0.0}
            bad = np.isnan(found.cv_results_["mean_test_score"])
            assert bad.any() and (found.cv_results_["rank_test_score"][bad] == found.cv_results_["rank_test_score"].max()).all()
