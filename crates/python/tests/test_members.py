"""Composites with members that are not Mercer's give what scikit-learn's own composites give; with Mercer's alone they stay
compiled."""

import pickle
import subprocess
import sys

import mercer
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.calibration
import sklearn.compose
import sklearn.ensemble
import sklearn.model_selection
import sklearn.pipeline
from mercer.calibration import CalibratedClassifierCV
from mercer.compose import ColumnTransformer, make_column_selector, make_column_transformer
from mercer.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from mercer.linear_model import LogisticRegression, Ridge
from mercer.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from mercer.pipeline import Pipeline, make_pipeline
from mercer.preprocessing import OneHotEncoder, StandardScaler
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def refuses_to_save(whole, tmp_path):
    with pytest.raises(AttributeError, match="runs in Python"):
        whole.save(tmp_path / "x.mercer")
    assert not hasattr(whole, "certificate_")


# Pipelines


def test_pipeline_of_foreign_steps(tmp_path):
    x, y = IRIS
    ours = Pipeline([("pca", PCA(2)), ("skip", "passthrough"), ("lr", LogisticRegression(C=0.5))]).fit(x, y)
    scores = PCA(2).fit_transform(x)
    assert_allclose(ours.predict_proba(x), LogisticRegression(C=0.5).fit(scores, y).predict_proba(scores))
    assert ours.named_steps.pca.n_components_ == 2 and ours["lr"].coef_.shape == (3, 2) and ours.n_features_in_ == 4
    assert_allclose(ours[:-1].transform(x), scores)
    assert ours[:-1].get_feature_names_out().tolist() == ["pca0", "pca1"] and len(ours) == 3
    refuses_to_save(ours, tmp_path)
    again = pickle.loads(pickle.dumps(ours))
    assert_array_equal(again.predict(x), ours.predict(x))
    theirs = sklearn.pipeline.make_pipeline(MinMaxScaler(), KNeighborsClassifier()).fit(x, y)
    assert make_pipeline(MinMaxScaler(), KNeighborsClassifier()).fit(x, y).score(x, y) == theirs.score(x, y)


def test_pipeline_of_mercers_stays_compiled(tmp_path):
    x, y = IRIS
    whole = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, y)
    whole.save(tmp_path / "p.mercer")
    assert_array_equal(mercer.load(tmp_path / "p.mercer").predict(x), whole.predict(x))
    assert whole.certificate_.children.keys() == {"standardscaler", "logisticregression"}
    whole.set_params(standardscaler="passthrough").fit(x, y)
    assert_allclose(whole.predict_proba(x), LogisticRegression().fit(x, y).predict_proba(x))
    refuses_to_save(whole, tmp_path)


def test_pipeline_hands_parameters_to_steps(tmp_path, capsys):
    x, y = IRIS
    weights = np.where(y == 0, 5.0, 1.0)
    pipe = Pipeline([("scale", MinMaxScaler()), ("nb", GaussianNB())], memory=str(tmp_path), verbose=True)
    pipe.fit(x, y, nb__sample_weight=weights)
    expected = GaussianNB().fit(MinMaxScaler().fit_transform(x), y, weights)
    assert_allclose(pipe.predict_proba(x), expected.predict_proba(MinMaxScaler().fit_transform(x)))
    assert "(step 1 of 2) Processing scale" in capsys.readouterr().out
    with pytest.raises(ValueError, match="Pipeline.fit does not accept the sample_weight parameter"):
        pipe.fit(x, y, sample_weight=weights)
    with pytest.raises(ValueError, match="Names provided are not unique"):
        Pipeline([("a", PCA()), ("a", PCA())]).fit(x)
    with pytest.raises(AttributeError, match="This 'Pipeline' has no attribute 'transform'"):
        pipe.transform(x)


def test_pipeline_without_scikit_learn():
    code = """
import sys, numpy as np
from mercer.pipeline import Pipeline
from mercer.ensemble import VotingRegressor, BaggingRegressor
from mercer.linear_model import Ridge
class Own:
    def get_params(self, deep=True): return {}
    def fit(self, X, y=None): self.mean_ = X.mean(axis=0); return self
    def transform(self, X): return X - self.mean_
class Mean(Own):
    _estimator_type = "regressor"
    def fit(self, X, y): self.value_ = y.mean(); self.n_features_in_ = X.shape[1]; return self
    def predict(self, X): return np.full(len(X), self.value_)
x = np.arange(20.0).reshape(10, 2); y = x[:, 0] * 2
assert Pipeline([("own", Own()), ("ridge", Ridge())]).fit(x, y).predict(x).shape == (10,)
assert VotingRegressor([("m", Mean()), ("r", Ridge())]).fit(x, y).predict(x).shape == (10,)
assert BaggingRegressor(Mean(), random_state=0).fit(x, y).predict(x).shape == (10,)
assert "sklearn" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# Voting and stacking


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_voting_of_foreign_classifiers(voting, tmp_path):
    x, y = IRIS[0], np.array(["a", "b", "c"])[IRIS[1]]
    members = [("nb", GaussianNB()), ("knn", KNeighborsClassifier(3)), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
    arguments = {"voting": voting, "weights": [1, 2, 3]}
    theirs = sklearn.ensemble.VotingClassifier(members, **arguments).fit(x, y)
    ours = VotingClassifier(members, **arguments).fit(x, y)
    assert_array_equal(ours.predict(x), theirs.predict(x))
    assert_allclose(ours.transform(x), theirs.transform(x))
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert hasattr(ours, "predict_proba") == (voting == "soft") and ours.named_estimators_.nb is ours.estimators_[0]
    refuses_to_save(ours, tmp_path)
    ours.set_params(nb="drop").fit(x, y)
    assert len(ours.estimators_) == 2 and ours.named_estimators_["nb"] == "drop"


def test_voting_of_foreign_regressors():
    x, y = DIABETES
    members = [("knn", KNeighborsRegressor()), ("tree", DecisionTreeRegressor(max_depth=3, random_state=0))]
    theirs = sklearn.ensemble.VotingRegressor(members, weights=[1, 3]).fit(x, y)
    assert_allclose(VotingRegressor(members, weights=[1, 3]).fit(x, y).predict(x), theirs.predict(x))


def test_voting_and_stacking_of_mercers_stay_compiled(tmp_path):
    x, y = IRIS
    members = [("a", LogisticRegression()), ("b", LogisticRegression(C=0.1))]
    for whole in (VotingClassifier(members, voting="soft"), StackingClassifier(members), BaggingClassifier(LogisticRegression())):
        whole.fit(x, y).save(tmp_path / "w.mercer")
        assert_array_equal(mercer.load(tmp_path / "w.mercer").predict(x), whole.predict(x))
        assert whole.certificate_ is not None
    votes = VotingClassifier(members).fit(x, y)
    expected = np.column_stack([member.fit(x, y).predict(x) for _, member in members])
    assert_array_equal(votes.transform(x), expected)


@pytest.mark.parametrize("passthrough", [False, True])
def test_stacking_of_foreign_members(passthrough, tmp_path):
    x, y = IRIS
    members = [("nb", GaussianNB()), ("svc", SVC(random_state=0))]
    cv = StratifiedKFold(3, shuffle=True, random_state=1)
    arguments = {"final_estimator": KNeighborsClassifier(), "cv": cv, "passthrough": passthrough}
    theirs = sklearn.ensemble.StackingClassifier(members, **arguments).fit(x, y)
    ours = StackingClassifier(members, **arguments).fit(x, y)
    assert_allclose(ours.predict_proba(x), theirs.predict_proba(x))
    assert_allclose(ours.transform(x), theirs.transform(x))
    assert ours.stack_method_ == theirs.stack_method_
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert isinstance(ours.final_estimator_, KNeighborsClassifier)
    refuses_to_save(ours, tmp_path)


def test_stacking_of_fitted_regressors():
    x, y = DIABETES
    members = [("knn", KNeighborsRegressor().fit(x, y)), ("ridge", Ridge().fit(x, y))]
    last = KNeighborsRegressor(3)
    theirs = sklearn.ensemble.StackingRegressor(members, final_estimator=last, cv="prefit").fit(x, y)
    assert_allclose(StackingRegressor(members, final_estimator=last, cv="prefit").fit(x, y).predict(x), theirs.predict(x))


def test_wrong_members_are_named():
    x, y = IRIS
    with pytest.raises(ValueError, match="non-empty list"):
        VotingClassifier([]).fit(x, y)
    with pytest.raises(ValueError, match="The estimator KNeighborsRegressor should be a classifier"):
        VotingClassifier([("k", KNeighborsRegressor())]).fit(x, y)
    with pytest.raises(ValueError, match="All estimators are dropped"):
        VotingClassifier([("k", "drop")]).fit(x, y)
    with pytest.raises(ValueError, match="Number of `estimators` and weights must be equal"):
        VotingClassifier([("k", GaussianNB())], weights=[1, 2]).fit(x, y)
    with pytest.raises(ValueError, match="'final_estimator' parameter should be a classifier"):
        StackingClassifier([("k", GaussianNB())], final_estimator=KNeighborsRegressor()).fit(x, y)


# Bagging and boosting


@pytest.mark.parametrize("settings", [{}, {"max_samples": 0.5, "bootstrap_features": True}, {"max_samples": 60, "oob_score": True}])
def test_bagging_of_foreign_members(settings, tmp_path):
    x, y = IRIS
    for member in (GaussianNB(), KNeighborsClassifier(), DecisionTreeClassifier(max_features=2)):
        arguments = {"n_estimators": 12, "random_state": 3, **settings}
        theirs = sklearn.ensemble.BaggingClassifier(member, **arguments).fit(x, y)
        ours = BaggingClassifier(member, **arguments).fit(x, y)
        assert_allclose(ours.predict_proba(x), theirs.predict_proba(x))
        for own, other in zip(ours.estimators_samples_, theirs.estimators_samples_):
            assert_array_equal(own, other)
        if "bootstrap_features" in settings:
            assert_array_equal(ours.estimators_features_, theirs.estimators_features_)
        if "oob_score" in settings:
            assert ours.oob_score_ == pytest.approx(theirs.oob_score_)
            assert_allclose(ours.oob_decision_function_, theirs.oob_decision_function_)
        refuses_to_save(ours, tmp_path)


def test_bagging_of_a_pipeline_of_foreign_steps():
    x, y = IRIS
    theirs = sklearn.ensemble.BaggingClassifier(sklearn.pipeline.make_pipeline(MinMaxScaler(), GaussianNB()), random_state=2)
    ours = BaggingClassifier(make_pipeline(MinMaxScaler(), GaussianNB()), random_state=2)
    assert_allclose(ours.fit(x, y).predict_proba(x), theirs.fit(x, y).predict_proba(x))


def test_bagging_goes_on_warm():
    x, y = DIABETES
    member = DecisionTreeRegressor(max_depth=4)
    ours = BaggingRegressor(member, n_estimators=4, warm_start=True, random_state=5).fit(x, y)
    ours.set_params(n_estimators=9).fit(x, y)
    theirs = sklearn.ensemble.BaggingRegressor(member, n_estimators=9, random_state=5).fit(x, y)
    assert len(ours) == 9
    assert_allclose(ours.predict(x), theirs.predict(x))


def test_boosting_of_foreign_members():
    x, y = IRIS
    member = DecisionTreeClassifier(max_depth=1)
    theirs = sklearn.ensemble.AdaBoostClassifier(member, n_estimators=20, random_state=0).fit(x, y)
    ours = AdaBoostClassifier(member, n_estimators=20, random_state=0).fit(x, y)
    assert_allclose(ours.estimator_weights_, theirs.estimator_weights_)
    assert_allclose(ours.decision_function(x), theirs.decision_function(x))
    assert_allclose(ours.predict_proba(x), theirs.predict_proba(x))
    assert_allclose(ours.feature_importances_, theirs.feature_importances_)
    for own, other in zip(ours.staged_predict_proba(x), theirs.staged_predict_proba(x), strict=True):
        assert_allclose(own, other)
    compiled = AdaBoostClassifier(n_estimators=10).fit(x, y)
    assert_allclose(list(compiled.staged_decision_function(x))[-1], compiled.decision_function(x))
    assert_array_equal(list(compiled.staged_predict(x))[-1], compiled.predict(x))
    assert compiled.feature_importances_.sum() == pytest.approx(1) and not hasattr(BaggingClassifier(), "staged_predict")
    with pytest.raises(ValueError, match="KNeighborsClassifier doesn't support sample_weight"):
        AdaBoostClassifier(KNeighborsClassifier()).fit(x, y)
    x, y = DIABETES
    for loss in ("linear", "square", "exponential"):
        arguments = {"n_estimators": 10, "random_state": 1, "loss": loss}
        member = DecisionTreeRegressor(max_depth=3)
        theirs = sklearn.ensemble.AdaBoostRegressor(member, **arguments).fit(x, y)
        assert_allclose(AdaBoostRegressor(member, **arguments).fit(x, y).predict(x), theirs.predict(x))


# Columns


@pytest.fixture
def animals():
    return pd.DataFrame({"mass": [1.0, 2.0, 4.0, 3.0], "legs": [4, 2, 4, 0], "kind": ["a", "b", "a", "c"], "tame": [True, False, True, True]})


@pytest.mark.parametrize(
    "columns", ["mass", ["mass", "legs"], slice("mass", "legs"), [0, 1], [-3, 0], slice(0, 2), [True, True, False, False],
                np.array([False, True, False, False]), lambda frame: ["legs"], make_column_selector(dtype_include=np.number)],
)
@pytest.mark.parametrize("remainder", ["drop", "passthrough"])
def test_columns_of_every_kind(animals, columns, remainder):
    class Kept(sklearn.base.BaseEstimator):
        def fit(self, X, y=None):
            self.fitted_ = True
            return self

        def transform(self, X):
            return np.asarray(X, dtype=float).reshape(len(X), -1) * 2

    arguments = {"transformers": [("own", Kept(), columns)], "remainder": remainder}
    theirs = sklearn.compose.ColumnTransformer(**arguments)
    ours = ColumnTransformer(**arguments)
    assert_array_equal(ours.fit_transform(animals), theirs.fit_transform(animals))
    assert_array_equal(ours.transform(animals[::-1]), theirs.transform(animals[::-1]))
    assert ours.output_indices_ == theirs.output_indices_ and ours.n_features_in_ == 4
    assert [step[2] for step in ours.transformers_[1:]] == [step[2] for step in theirs.transformers_[1:]]


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_columns_into_frames(animals, container):
    frame = animals if container == "pandas" else pl.from_pandas(animals)
    arguments = {"remainder": MinMaxScaler(), "verbose_feature_names_out": "{feature_name}_of_{transformer_name}"}
    steps = [("pca", PCA(1), ["mass", "legs"]), ("gone", "drop", ["kind"])]
    theirs = sklearn.compose.ColumnTransformer(steps, **arguments).set_output(transform=container).fit_transform(frame)
    ours = ColumnTransformer(steps, **arguments).set_output(transform=container).fit_transform(frame)
    assert type(ours) is type(theirs) and list(ours.columns) == list(theirs.columns)
    assert_allclose(np.asarray(ours), np.asarray(theirs))


def test_columns_of_a_kind(animals):
    steps = [("scale", MinMaxScaler(), "numeric"), ("kind", OneHotEncoder(sparse_output=False), "categorical")]
    for frame in (animals, pl.from_pandas(animals)):
        whole = ColumnTransformer([*steps, ("tame", "passthrough", "rest")]).fit(frame)
        names = [name.split("__")[1] for name in whole.get_feature_names_out()]
        assert names == ["mass", "legs", "kind_a", "kind_b", "kind_c", "tame"]
    with pytest.raises(ValueError, match="name the columns"):
        ColumnTransformer([("scale", MinMaxScaler(), "text")]).fit(animals)


def test_columns_of_mercers_stay_compiled(animals, tmp_path):
    whole = ColumnTransformer([("scale", StandardScaler(), ["mass", "legs"]), ("kind", OneHotEncoder(), ["kind"])]).fit(animals)
    whole.save(tmp_path / "c.mercer")
    assert_allclose(mercer.load(tmp_path / "c.mercer").transform(animals), whole.transform(animals))
    foreign = make_column_transformer((MinMaxScaler(), ["mass", "legs"]), (OneHotEncoder(sparse_output=False), ["kind"])).fit(animals)
    assert foreign.named_transformers_.minmaxscaler.data_max_.tolist() == [4.0, 4.0]
    assert foreign.get_feature_names_out().tolist()[2:] == ["onehotencoder__kind_a", "onehotencoder__kind_b", "onehotencoder__kind_c"]
    refuses_to_save(foreign, tmp_path)


def test_columns_by_place_of_a_frame_in_a_pipeline(animals):
    columns = ColumnTransformer([("scale", StandardScaler(), [0, 1])])
    whole = make_pipeline(columns, LogisticRegression()).fit(animals, animals["tame"])
    x = StandardScaler().fit_transform(animals[["mass", "legs"]].to_numpy())
    assert_allclose(whole.predict_proba(animals), LogisticRegression().fit(x, animals["tame"]).predict_proba(x))
    assert "fitted" in whole._repr_html_()
    weighted = ColumnTransformer([("scale", StandardScaler(), ["mass", "legs"])], transformer_weights={"scale": 3.0})
    assert_allclose(make_pipeline(weighted).fit_transform(animals), 3 * x)


def test_wrong_columns_are_named(animals):
    with pytest.raises(ValueError, match="A given column is not a column of the dataframe"):
        ColumnTransformer([("a", PCA(), ["height"])]).fit(animals)
    with pytest.raises(ValueError, match="No valid specification of the columns"):
        ColumnTransformer([("a", PCA(), [0, "mass"])]).fit(animals)
    fitted = ColumnTransformer([("a", MinMaxScaler(), ["mass"])]).fit(animals)
    with pytest.raises(ValueError, match="columns are missing"):
        fitted.transform(animals[["legs"]])


# Calibration


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
def test_calibration_of_foreign_classifiers(method, ensemble, classes, tmp_path):
    x, y = IRIS
    # The first class is apart from the others, for which no temperature is best.
    rows = np.flatnonzero(y >= 3 - classes)
    # Labels count from 0: scikit-learn's temperatures take labels for places.
    x, y = x[rows, :2], y[rows] - y[rows].min()
    for member in (LinearSVC(random_state=0), GaussianNB()):
        arguments = {"method": method, "ensemble": ensemble, "cv": StratifiedKFold(3)}
        theirs = sklearn.calibration.CalibratedClassifierCV(member, **arguments).fit(x, y)
        ours = CalibratedClassifierCV(member, **arguments).fit(x, y)
        # scikit-learn's search for the maps stops at a tolerance of its own.
        assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=2e-4)
        assert len(ours.calibrated_classifiers_) == (3 if ensemble else 1)
        refuses_to_save(ours, tmp_path)


def test_calibration_of_a_frozen_classifier():
    x, y = IRIS
    member = FrozenEstimator(LinearSVC(random_state=0).fit(x[::2], y[::2]))
    arguments = {"ensemble": "auto", "cv": ShuffleSplit(2, random_state=0)}
    with pytest.raises(ValueError, match="partitions"):
        CalibratedClassifierCV(member, **arguments).fit(x, y)
    arguments["cv"] = 3
    theirs = sklearn.calibration.CalibratedClassifierCV(member, **arguments).fit(x[1::2], y[1::2])
    ours = CalibratedClassifierCV(member, **arguments).fit(x[1::2], y[1::2])
    assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=2e-4)


# Thresholds


@pytest.mark.parametrize("cv", [0.3, StratifiedKFold(3), "prefit"])
@pytest.mark.parametrize("response", ["auto", "predict_proba"])
def test_thresholds_of_foreign_classifiers(cv, response):
    x, y = load_breast_cancer(return_X_y=True)
    member = GaussianNB().fit(x[::2], y[::2])
    arguments = {"cv": cv, "scoring": "f1", "refit": not isinstance(cv, (str, float)), "random_state": 0, "response_method": response}
    theirs = sklearn.model_selection.TunedThresholdClassifierCV(member, store_cv_results=True, **arguments).fit(x, y)
    ours = TunedThresholdClassifierCV(member, store_cv_results=True, **arguments).fit(x, y)
    assert ours.best_threshold_ == pytest.approx(theirs.best_threshold_) and ours.best_score_ == pytest.approx(theirs.best_score_)
    assert_array_equal(ours.predict(x), theirs.predict(x))
    assert len(ours.cv_results_["scores"]) == 100
    fixed = {"threshold": 0.9, "pos_label": 0, "response_method": response}
    theirs = sklearn.model_selection.FixedThresholdClassifier(member, **fixed).fit(x, y)
    assert_array_equal(FixedThresholdClassifier(member, **fixed).fit(x, y).predict(x), theirs.predict(x))
