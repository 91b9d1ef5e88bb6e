"""scikit-learn's tools with Mercer's estimators; pickles, files, looks."""

import ast
import io
import pickle
import pickletools
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from conftest import classes, get
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import mercer


def test_grid_search_cross_validation_and_pipelines(numbers):
    x, y = numbers
    pipeline = make_pipeline(get("StandardScaler")(), get("Ridge")())
    search = GridSearchCV(pipeline, {"ridge__alpha": [0.01, 1.0, 100.0]}, cv=3).fit(x, y)
    assert search.best_params_["ridge__alpha"] < 100 and search.best_score_ > 0.9
    assert cross_val_score(get("Ridge")(), x, y, cv=3).min() > 0.9
    labels = np.where(y > y.mean(), "u", "v")
    assert cross_val_score(get("DummyClassifier")(), x, labels, cv=3).mean() == pytest.approx(0.5, abs=0.1)
    assert BaggingRegressor(get("Ridge")(), n_estimators=3, random_state=0).fit(x, y).score(x, y) > 0.9
    assert is_regressor(get("Ridge")()) and is_classifier(get("DummyClassifier")())


def test_grid_search_over_processes(numbers):
    x, y = numbers
    search = GridSearchCV(get("Ridge")(), {"alpha": [0.1, 1.0]}, cv=2, n_jobs=2).fit(x, y)
    assert search.best_estimator_.certificate_.success


def test_own_pipeline(numbers, tmp_path):
    x, y = numbers
    pipeline = get("Pipeline")([("scale", get("StandardScaler")()), ("ridge", get("Ridge")(alpha=2.0))])
    search = GridSearchCV(pipeline, {"ridge__alpha": [0.01, 10.0]}, cv=3).fit(x, y)
    best = search.best_estimator_
    assert best.get_params()["ridge__alpha"] == 0.01 and pipeline.get_params()["ridge__alpha"] == 2.0
    assert best.certificate_.children.keys() == {"scale", "ridge"}
    best.save(tmp_path / "p.mercer")
    loaded = mercer.load(tmp_path / "p.mercer")
    assert_array_equal(loaded.predict(x), best.predict(x))
    assert loaded.named_steps["ridge"].alpha == 0.01
    assert not hasattr(pipeline, "predict_proba") and not hasattr(pipeline, "transform")
    assert hasattr(get("Pipeline")([("scale", get("StandardScaler")())]), "inverse_transform")
    with pytest.raises(TypeError, match="should be transformers"):
        get("Pipeline")([("a", get("Ridge")()), ("b", get("Ridge")())]).fit(x, y)


def test_clone_keeps_parameters_and_forgets_the_model(numbers):
    model = get("Ridge")(alpha=3.0).fit(*numbers)
    copy = clone(model)
    assert copy.alpha == 3.0 and not copy.fitted and model.fitted
    for cls in classes().values():
        if not cls.__name__.startswith(("ColumnTransformer", "Pipeline", "Stacking", "Voting")):
            assert repr(clone(cls())) == f"{cls.__name__}()"


@pytest.mark.parametrize("way", ["pickle", "joblib"])
def test_pickles_hold_only_bytes(numbers, way):
    x, y = numbers
    for model in (get("Ridge")().fit(x, y), get("DummyClassifier")().fit(x, (y > 1).astype(np.int8))):
        file = io.BytesIO()
        pickle.dump(model, file) if way == "pickle" else joblib.dump(model, file)
        file.seek(0)
        back = pickle.load(file) if way == "pickle" else joblib.load(file)
        assert_array_equal(back.predict(x), model.predict(x))
        assert back.predict(x).dtype == model.predict(x).dtype and back.get_params() == model.get_params()
    text = [str(op[1]) for op in pickletools.genops(pickle.dumps(model._model, protocol=2)) if op[0].name == "GLOBAL"]
    assert all(name.startswith(("mercer.", "_codecs")) for name in text), text


def test_damaged_bytes_are_refused(numbers):
    data = bytearray(get("Ridge")().fit(*numbers)._model.to_bytes())
    data[len(data) // 2] ^= 1
    with pytest.raises(ValueError, match="not a usable model"):
        mercer._mercer.model_from_bytes(bytes(data))


def test_save_and_load(numbers, tmp_path):
    x, y = numbers
    frame = pd.DataFrame(x, columns=list("abcde"))
    model = get("Ridge")(alpha=0.3, solver="svd").fit(frame, y)
    model.save(tmp_path / "ridge.mercer")
    loaded = mercer.load(tmp_path / "ridge.mercer")
    assert type(loaded) is type(model) and loaded.get_params() == model.get_params()
    assert_array_equal(loaded.predict(frame), model.predict(frame))
    assert loaded.feature_names_in_.tolist() == list("abcde")
    words = get("DummyClassifier")().fit(x, np.where(y > 1, "u", "v"))
    words.save(tmp_path / "words.mercer")
    assert mercer.load(str(tmp_path / "words.mercer")).predict(x)[0] in ("u", "v")
    with pytest.raises(FileNotFoundError):
        mercer.load(tmp_path / "absent.mercer")
    (tmp_path / "no.mercer").write_bytes(b"not a model")
    with pytest.raises(ValueError, match="not a usable model"):
        mercer.load(tmp_path / "no.mercer")


def test_set_output(numbers):
    frame = pd.DataFrame(numbers[0], columns=list("abcde"), index=np.arange(10, 130))
    out = get("StandardScaler")().set_output(transform="pandas").fit_transform(frame)
    assert isinstance(out, pd.DataFrame) and out.columns.tolist() == list("abcde") and out.index[0] == 10
    assert isinstance(get("PCA")(n_components=2).set_output(transform="polars").fit_transform(frame), pl.DataFrame)
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(get("PCA")(n_components=2).fit_transform(frame), pd.DataFrame)
    mixed = pd.DataFrame({"a": [1.0, 3.0, None], "k": pd.Categorical(["u", None, "v"])})
    out = get("SimpleImputer")().set_output(transform="pandas").fit_transform(mixed)
    assert out["a"].tolist() == [1.0, 3.0, 2.0] and isinstance(out["k"].dtype, pd.CategoricalDtype)
    with pytest.raises(ValueError, match="sparse_output=False"):
        get("OneHotEncoder")().set_output(transform="pandas").fit_transform(mixed)


def test_column_transformer(numbers):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "k": ["u", "v", "u"]})
    encoder = get("OneHotEncoder")(sparse_output=False)
    both = ColumnTransformer([("n", get("StandardScaler")(), ["a"]), ("c", encoder, ["k"])])
    assert both.fit_transform(frame).shape == (3, 3)
    assert both.get_feature_names_out().tolist() == ["n__a", "c__k_u", "c__k_v"]


def test_certificates_are_verified(numbers):
    x, y = numbers
    w = np.ones(len(y))
    model = get("Ridge")().fit(x, y, sample_weight=w)
    certificate = model.certificate_
    assert certificate.success and certificate.termination == "Exact" and certificate.evidence
    assert str(certificate).startswith("exact") and certificate.to_dict()["evidence"][0]["name"]
    assert all(one.holds for one in model.verify(x, y, w))
    assert not all(one.holds for one in model.verify(x, -y, w))


def test_looks(numbers):
    model = get("Ridge")(alpha=2.0)
    assert repr(model) == "Ridge(alpha=2.0)" and "not fitted" in model._repr_html_()
    html = get("SimpleImputer")(strategy="<script>")._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert "exact" in model.fit(*numbers)._repr_html_()
    for cls in classes().values():
        documented = "Parameters\n    ----------" in cls.__doc__
        assert (documented or cls.__init__.__code__.co_argcount == 1) and "fit" in dir(cls)


def test_a_pipeline_is_drawn():
    parts = [("n", get("StandardScaler")(), "numeric"), ("k", get("OneHotEncoder")(), ["<b>"])]
    html = get("Pipeline")([("c", get("ColumnTransformer")(parts)), ("m", get("Ridge")())])._repr_html_()
    assert all(word in html for word in ("StandardScaler: n", "numeric", "↓", "Ridge: m", "&lt;b&gt;"))


def test_attributes_are_frozen(numbers):
    model = get("Ridge")().fit(*numbers)
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0] = 1.0
    assert model.coef_ is model.coef_ and "coef_" in dir(model)
    assert not hasattr(get("Ridge")(), "coef_")


def test_weights_mean_copies(numbers):
    x, y = numbers
    w = np.tile([0.0, 1.0, 2.0], 40)
    repeated = np.repeat(np.arange(120), w.astype(int))
    ours = get("Ridge")().fit(x, y, sample_weight=w)
    assert_allclose(ours.coef_, get("Ridge")().fit(x[repeated], y[repeated]).coef_, rtol=1e-9)
    with pytest.raises(TypeError, match="sample_weight"):
        get("SpectrumPerceptron")().fit(["a", "b"], [0, 1], sample_weight=[1, 1])


def test_the_stub_has_every_name_of_the_compiled_module():
    from mercer import _mercer

    tree = ast.parse(Path(mercer.__file__).with_name("_mercer.pyi").read_text())
    public = lambda owner: {name for name in dir(owner) if not name.startswith("_")}
    of = lambda node: node.target.id if isinstance(node, ast.AnnAssign) else getattr(node, "name", None)
    assert public(_mercer) == {of(node) for node in tree.body} - {None, "__version__"}
    for made in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        names = {of(node) for node in made.body}
        assert public(getattr(_mercer, made.name)) == {name for name in names if not name.startswith("_")}, made.name


def test_the_warning_names_the_part_that_fell_short(numbers):
    x, y = numbers
    with pytest.warns(sklearn.exceptions.ConvergenceWarning, match="estimator: stopped at the iteration limit|SelectFromModel stopped"):
        get("SelectFromModel")(estimator=get("Lasso")(alpha=1e-6, max_iter=1, tol=1e-12)).fit(x, y)
