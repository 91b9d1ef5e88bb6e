"""What compiled wholes are made of: every part is an estimator of its own, fitted."""

import pickle

import numpy as np
import pandas as pd
import pytest
from mercer.compose import ColumnTransformer
from mercer.ensemble import StackingRegressor
from mercer.linear_model import LogisticRegression, Ridge
from mercer.model_selection import FixedThresholdClassifier
from mercer.pipeline import Pipeline, make_pipeline
from mercer.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3)) * [1, 10, 100]
y = X @ [1.0, 0.2, 0.03] + rng.normal(size=60) / 10


def test_steps_of_a_compiled_pipeline_are_fitted_in_place():
    scaler, last = StandardScaler(), Ridge()
    pipe = Pipeline([("scale", scaler), ("ridge", last)]).fit(X, y)
    assert pipe.certificate_ is not None
    np.testing.assert_array_equal(pipe.named_steps["ridge"].coef_, pipe.coef_)
    assert pipe[-1] is last and pipe["scale"] is scaler
    np.testing.assert_allclose(scaler.mean_, X.mean(axis=0))
    np.testing.assert_array_equal(last.predict(scaler.transform(X)), pipe.predict(X))
    np.testing.assert_array_equal(pipe[:-1].transform(X), scaler.transform(X))


def test_a_pipeline_in_a_pipeline_hands_out_its_own_steps():
    inner = make_pipeline(StandardScaler(), MinMaxScaler())
    pipe = make_pipeline(inner, Ridge()).fit(X, y)
    np.testing.assert_allclose(inner[0].mean_, X.mean(axis=0))
    np.testing.assert_allclose(inner[1].data_max_, inner[0].transform(X).max(axis=0))
    assert pipe[0] is inner


def test_names_of_columns_are_those_of_the_first_step():
    frame = pd.DataFrame(X, columns=list("abc"))
    pipe = make_pipeline(StandardScaler(), Ridge()).fit(frame, y)
    assert list(pipe[0].feature_names_in_) == list("abc")
    assert not hasattr(pipe[-1], "feature_names_in_")
    pipe.fit(X, y)
    assert not hasattr(pipe[0], "feature_names_in_")


def test_a_pickle_holds_every_part_once():
    wide = rng.normal(size=(20, 4000))
    pipe = make_pipeline(StandardScaler(), Ridge()).fit(wide, wide[:, 0])
    size = len(pickle.dumps(pipe))
    assert size < 1.2 * len(pickle.dumps(pipe._model))
    back = pickle.loads(pickle.dumps(pipe))
    np.testing.assert_array_equal(back[-1].coef_, pipe[-1].coef_)
    np.testing.assert_array_equal(back.predict(wide), pipe.predict(wide))


def test_a_fit_that_fails_leaves_the_steps_alone():
    pipe = make_pipeline(StandardScaler(), Ridge()).fit(X, y)
    before = pipe[-1].coef_
    with pytest.raises(ValueError):
        pipe.fit(X, np.full(60, np.nan))
    np.testing.assert_array_equal(pipe[-1].coef_, before)


def test_steps_of_a_compiled_column_transformer():
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=np.where(X[:, 0] > 0, "u", "v"))
    steps = [("scale", StandardScaler(), ["a", "b"]), ("hot", OneHotEncoder(), ["d"])]
    for remainder in ("drop", "passthrough"):
        made = ColumnTransformer(steps, remainder=remainder).fit(frame)
        assert made.certificate_ is not None
        np.testing.assert_allclose(made.named_transformers_["scale"].mean_, X[:, :2].mean(axis=0))
        assert list(made["hot"].categories_[0]) == ["u", "v"]
        assert [(name, columns) for name, _, columns in made.transformers_] == [
            ("scale", ["a", "b"]), ("hot", ["d"]), ("remainder", ["c"])
        ]
        rest = slice(4, 5) if remainder == "passthrough" else slice(0, 0)
        assert made.output_indices_ == {"scale": slice(0, 2), "hot": slice(2, 4), "remainder": rest}
        out = np.asarray(made.transform(frame))
        np.testing.assert_allclose(out[:, made.output_indices_["scale"]], made["scale"].transform(frame[["a", "b"]]))


def test_columns_by_place():
    made = ColumnTransformer([("scale", StandardScaler(), [2, 0])]).fit(X)
    assert [(name, columns) for name, _, columns in made.transformers_] == [("scale", [2, 0]), ("remainder", [1])]
    np.testing.assert_allclose(made["scale"].mean_, X[:, [2, 0]].mean(axis=0))


def test_what_is_wrapped_is_handed_out():
    stack = StackingRegressor([("ridge", Ridge())], final_estimator=Ridge(alpha=3), cv=3).fit(X, y)
    assert stack.final_estimator_.alpha == 3 and stack.final_estimator_.coef_.shape == (1,)
    cut = FixedThresholdClassifier(LogisticRegression(), threshold=0.3).fit(X, y > 0)
    np.testing.assert_allclose(cut.estimator_.predict_proba(X), cut.predict_proba(X))
