"""Learners whose data are no rows: strings, densities, decision processes."""

import json
import threading

import numpy as np
import pytest
from conftest import get


def test_strings(tmp_path):
    import mercer

    words = ["banana", "bandana", "cabana", "xylem", "xylophone", "lynx"] * 3
    kinds = ["an", "an", "an", "xy", "xy", "xy"] * 3
    model = get("SpectrumPerceptron")(length=2).fit(words, kinds)
    assert model.predict(["bananas", "xyz"]).tolist() == ["an", "xy"]
    assert model.decision_function(np.array(words)).shape == (18,) and model.score(words, kinds) == 1.0
    model.save(tmp_path / "s.mercer")
    assert mercer.load(tmp_path / "s.mercer").predict(words[:1]).tolist() == ["an"]
    with pytest.raises(TypeError, match="got a float at 1"):
        get("SpectrumPerceptron")().fit(["a", 1.0], [0, 1])


def test_a_bundled_density():
    model = get("Metropolis")(draws=500, random_state=3).fit("banana")
    assert model.samples_.shape == (4, 500, 2) and model.certificate_.evidence[0].name == "largest R-hat"
    again = get("Metropolis")(draws=500, random_state=3, n_jobs=1).fit("banana")
    assert np.array_equal(model.samples_, again.samples_)
    assert not np.array_equal(model.samples_, get("Metropolis")(draws=500).fit("banana").samples_)
    assert not hasattr(model, "predict")
    with pytest.raises(KeyError, match="did you mean `banana`"):
        get("Metropolis")().fit("bananna")


def test_a_density_in_python_runs_on_the_calling_thread():
    threads = set()

    def log_density(x):
        threads.add(threading.get_ident())
        return -0.5 * float(x @ x)

    model = get("Metropolis")(draws=400, chains=2).fit(log_density, dim=3)
    assert threads == {threading.get_ident()} and model.samples_.shape == (2, 400, 3)
    assert abs(model.mean_).max() < 1.0
    started = get("Metropolis")(draws=10, warmup=0).fit(lambda x: -abs(x[0] - 50.0), start=[50.0])
    assert abs(started.samples_ - 50.0).max() < 40.0
    assert get("Metropolis")(draws=10).fit(lambda x: -0.5 * x**2, dim=1).samples_.shape == (4, 10, 1)
    assert model.verify(log_density)[0].holds
    with pytest.raises(ValueError, match="give `dim`"):
        get("Metropolis")().fit(log_density)


def test_exceptions_of_a_density_pass_unchanged():
    class Odd(Exception):
        pass

    original = Odd("here", 17)

    def log_density(x):
        if x[0] > 0.5:
            raise original
        return -0.5 * x[0] ** 2

    sampler = get("Metropolis")()
    with pytest.raises(Odd) as caught:
        sampler.fit(log_density, dim=1)
    assert caught.value is original and not sampler.fitted
    with pytest.raises(TypeError):
        sampler.fit(lambda x: "no number", dim=1)


def test_decision_processes(tmp_path):
    process = {
        "states": ["low", "high"], "actions": ["wait", "go"], "discount": 0.5,
        "transitions": [
            ["low", "wait", "low", 1.0, 0.0], ["low", "go", "high", 1.0, 1.0], ["high", "wait", "high", 1.0, 2.0],
        ],
    }
    model = get("ValueIteration")().fit(process)
    assert model.predict(["low", "high"]).tolist() == ["go", "wait"]
    assert model.predict([1, 0]).tolist() == ["wait", "go"] and model.predict("low").tolist() == ["go"]
    assert model.values_ == pytest.approx([3.0, 4.0])
    path = tmp_path / "mdp.json"
    path.write_text(json.dumps(process))
    assert get("ValueIteration")().fit(path).values_ == pytest.approx([3.0, 4.0])
    grid = get("ValueIteration")().fit("gridworld")
    assert grid.values_[0] == pytest.approx(0.705, abs=1e-3) and grid.verify("gridworld")[0].holds
    with pytest.raises(KeyError, match="did you mean `gridworld`"):
        get("ValueIteration")().fit("gridwrld")
    with pytest.raises(KeyError, match="no state is called"):
        grid.predict(["nowhere"])


def test_not_converging_is_a_warning_of_scikit_learn():
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning, match="iteration limit"):
        model = get("ValueIteration")(max_iter=1).fit("gridworld")
    assert not model.certificate_.success and model.n_iter_ == 1


def test_verbose_tells_of_progress(capfd):
    get("Metropolis")(draws=5000, verbose=1, random_state=0).fit("normal")
    assert "step" in capfd.readouterr().err
