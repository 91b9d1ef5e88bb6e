"""`mercer.report`: what stands in the file, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
from conftest import get
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import mercer
from mercer.model_selection import GridSearchCV


def twin(path):
    return json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def test_a_classifier_of_two_classes(tmp_path):
    x, y = load_breast_cancer(return_X_y=True, as_frame=True)
    x = x.iloc[:, :5]
    model = get("DecisionTreeClassifier")(max_depth=3).fit(x[::2], y[::2])
    path = mercer.report(model, x[1::2], y[1::2], tmp_path / "tree.html", title="Tumours & co", data_name="held out")
    assert path == tmp_path / "tree.html"
    html = path.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>") and "<svg" in html and "Tumours &amp; co" in html
    assert 'src="http' not in html and 'href="http' not in html
    found = twin(path)
    assert found["title"] == "Tumours & co" and found["task"] == "classification"
    assert found["binary"]["roc"][0]["area"] > 0.8
    facts = dict(found["facts"])
    assert float(facts["accuracy"]) == pytest.approx(model.score(x[1::2], y[1::2]), abs=1e-4)
    assert [section["title"] for section in found["explanations"]][0] == "The tree"
    assert {bar["name"] for bar in found["importance"][0]["rows"]} == set(x.columns)
    assert [column["name"] for column in found["profile"]] == list(x.columns)
    told = found["reproducibility"]
    assert told["n_rows"] == len(x[1::2]) and "DecisionTreeClassifier(max_depth=3)" in told["command"]
    assert {p.name for p in tmp_path.iterdir()} == {"tree.html", "tree.json"}


def test_the_best_pipeline_of_a_search(tmp_path):
    x, y = load_diabetes(return_X_y=True)
    pipeline = get("Pipeline")([("scale", get("StandardScaler")()), ("ridge", get("Ridge")())])
    search = GridSearchCV(pipeline, {"ridge__alpha": [0.1, 1.0]}, cv=2).fit(x[:, :3], y)
    found = twin(mercer.report(search, x[:, :3], y, tmp_path / "r.html"))
    assert len(found["regression"]["actual"]) == len(y)
    assert [step["name"] for step in found["pipeline"]] == ["scale", "ridge"]
    assert [column["name"] for column in found["profile"]] == ["x0", "x1", "x2"]


def test_every_kind_of_data(tmp_path):
    x, y = load_iris(return_X_y=True)
    path = tmp_path / "report.html"
    assert len(twin(mercer.report(get("KMeans")(n_clusters=3).fit(x), x, path=path))["clusters"]["map"]) == 150
    chains = get("Metropolis")(draws=50, warmup=50).fit("banana")
    assert len(twin(mercer.report(chains, path=path))["chains"]["parameters"]) == 2
    process = {
        "states": ["a", "b"],
        "actions": ["go"],
        "discount": 0.9,
        "transitions": [["a", "go", "b", 1.0, 5.0]],
    }
    plan = get("ValueIteration")().fit(process)
    for rows in (None, process):
        states = twin(mercer.report(plan, rows, path=path))["policy"]["states"]
        assert [(s["state"], s["action"]) for s in states] == [("a", "go"), ("b", "(none)")]
    words, kinds = ["abab", "baba", "xyxy", "yxyx"] * 3, ["left", "left", "right", "right"] * 3
    strings = get("SpectrumPerceptron")(length=2).fit(words, kinds)
    assert twin(mercer.report(strings, words, kinds, path))["multiclass"]["classes"] == ["left", "right"]
    alone = twin(mercer.report(get("LogisticRegression")().fit(x, y), path=path))
    assert alone["certificates"] and alone["multiclass"] is None and alone["importance"] == []
    forest = get("RandomForestClassifier")(n_estimators=3).fit(x, np.c_[y, y > 0])
    assert twin(mercer.report(forest, x, np.c_[y, y > 0], path))["certificates"]


def test_rows_that_lack_a_class_and_the_default_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x, y = load_iris(return_X_y=True)
    model = get("LogisticRegression")().fit(x, y)
    path = mercer.report(model, x[:100], y[:100], sample_weight=np.ones(100))
    assert str(path) == "report.html" and [c["name"] for c in twin(path)["multiclass"]["roc"]] == ["0", "1"]


def test_mistakes_are_named(tmp_path):
    x, y = load_iris(return_X_y=True)
    path = tmp_path / "report.html"
    with pytest.raises(ValueError, match="not fitted"):
        mercer.report(get("LogisticRegression")(), x, y, path)
    model = get("LogisticRegression")().fit(x, y)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        mercer.report(model, x, y, tmp_path / "nowhere" / "report.html")
    with pytest.raises(ValueError, match="X has 3 features, but LogisticRegression is expecting 4"):
        mercer.report(model, x[:, :3], y, path)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        mercer.report(model, x, y[:10], path)
    with pytest.raises(ValueError, match="not seen in training"):
        mercer.report(model, x, y + 7, path)
    with pytest.raises(ValueError, match="give `X`, too"):
        mercer.report(model, y=y, path=path)
    with pytest.raises(TypeError, match="no estimator of Mercer's"):
        mercer.report(pd.DataFrame(), x, y, path)
    assert not path.exists()


def test_a_page_that_its_twin_would_overwrite_is_refused(tmp_path):
    x, y = load_iris(return_X_y=True)
    model = get("DecisionTreeClassifier")().fit(x, y)
    with pytest.raises(Exception, match="JSON twin would be one file"):
        mercer.report(model, x, y, tmp_path / "page.json")
    assert not list(tmp_path.iterdir())
