"""What happens around a fit: signals, forks, threads, imports."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import get


def run(code):
    # Compiled modules may be kept, as they are after an installation.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    made = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert made.returncode == 0, made.stderr
    return made


def interrupt_after(seconds):
    def send():
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send, daemon=True).start()


def heavy():
    yield "bundled density", lambda: get("Metropolis")(draws=20_000_000), lambda e: e.fit("banana")
    normal = lambda x: -0.5 * x[0] ** 2  # noqa: E731
    yield "density in Python", lambda: get("Metropolis")(draws=5_000_000), lambda e: e.fit(normal, dim=1)
    rows = np.random.default_rng(0).normal(size=(200_000, 20))
    yield "k-means", lambda: get("KMeans")(n_clusters=300, n_init=50, tol=0.0), lambda e: e.fit(rows)


@pytest.fixture
def interruptible():
    """Ctrl-C as at a terminal: a process that a script started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("make", "fit"), [case[1:] for case in heavy()], ids=[case[0] for case in heavy()])
def test_ctrl_c_stops_a_fit_within_a_second(make, fit):
    estimator = make()
    before = dict(estimator.__dict__)
    interrupt_after(0.3)
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        fit(estimator)
    assert time.perf_counter() - start < 1.3
    assert estimator.__dict__ == before


def test_other_threads_go_on_during_a_fit():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    get("Metropolis")(draws=300_000).fit("banana")
    done.set()
    thread.join()
    assert len(ticks) > 10 and np.diff(ticks).max() < 0.2


def _fit_in_child(queue):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20_000, 8))
    model = get("Ridge")().fit(x, x[:, 0])
    queue.put(float(model.predict(x)[:5].sum()))


def test_fit_after_fork_does_not_hang():
    _fit_in_child(multiprocessing.get_context("fork").SimpleQueue())
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=_fit_in_child, args=(queue,))
    child.start()
    child.join(20)
    alive = child.is_alive()
    if alive:
        child.kill()
    assert not alive and child.exitcode == 0 and np.isfinite(queue.get())


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads have names in Linux's /proc alone")
def test_all_threads_are_of_pools_that_survive_a_fork():
    run("""
        import os, time
        os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1"))
        import numpy as np
        import scipy.sparse as sp
        from mercer import cluster, feature_extraction, linear_model, metrics, naive_bayes, neighbors, stats, svm
        from mercer.gaussian_process import GaussianProcessRegressor

        rng = np.random.default_rng(0)
        x, s = rng.normal(size=(30_000, 5)), sp.random(20_000, 500, density=0.05, format="csr", random_state=0)
        y, z = x[:, 0] > 0, rng.integers(0, 3, 20_000)
        texts = [" ".join(f"w{j}" for j in rng.integers(0, 500, 20)) for _ in range(9_000)]

        def foreign():
            names = [open(f"/proc/self/task/{t}/comm").read().strip() for t in os.listdir("/proc/self/task")]
            return [name for name in names if not name.startswith("mercer-")]

        before = len(foreign())
        work = {
            "sparse rows": lambda: naive_bayes.MultinomialNB().fit(s, z).predict(s),
            "batches": lambda: naive_bayes.GaussianNB().partial_fit(x, y, classes=[False, True]),
            "texts": lambda: feature_extraction.text.CountVectorizer(binary=True).fit(texts).transform(texts),
            "hashes": lambda: feature_extraction.text.HashingVectorizer().fit_transform(texts),
            "scores": lambda: metrics.roc_auc_score(y, x[:, 0]),
            "silhouettes": lambda: metrics.silhouette_score(x[:3000], y[:3000]),
            "neighbours": lambda: neighbors.KNeighborsClassifier().fit(x, y).predict(x),
            "clusters": lambda: cluster.HDBSCAN().fit(x[:5000]),
            "a line": lambda: linear_model.LogisticRegression().fit(x, y).predict_proba(x),
            "a line that knows its spread": lambda: linear_model.BayesianRidge().fit(x, x[:, 0]).predict(x, return_std=True),
            "machines": lambda: svm.SVC().fit(x[:2000], y[:2000]).predict(x[:2000]),
            "processes": lambda: GaussianProcessRegressor().fit(x[:300], x[:300, 0]).predict(x[:300], return_std=True),
            "draws": lambda: stats.Normal().rvs(100_000),
        }
        for name, do in work.items():
            do()
            # A thread that served one call may still be on its way out.
            end = time.monotonic() + 5
            while len(foreign()) > before and time.monotonic() < end:
                time.sleep(0.01)
            assert len(foreign()) <= before, f"{name}: {foreign()}"
    """)


def test_importing_mercer_imports_little():
    run("""
        import sys
        import mercer, mercer.linear_model, mercer.preprocessing
        mercer.linear_model.Ridge(alpha=2).set_params(alpha=1)
        heavy = {"numpy", "scipy", "pandas", "polars", "pyarrow", "sklearn"} & set(sys.modules)
        assert not heavy, heavy
    """)


def test_everything_works_without_scikit_learn_and_scipy():
    run("""
        import sys

        class Blocked:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] in ("sklearn", "scipy", "pandas", "joblib"):
                    raise ImportError(f"{name} is blocked")

        sys.meta_path.insert(0, Blocked())
        import pickle
        import numpy as np
        import mercer

        x = np.random.default_rng(0).normal(size=(50, 3))
        y = x[:, 0] > 0
        ridge = mercer.linear_model.Ridge().fit(x, x[:, 0])
        assert ridge.score(x, x[:, 0]) > 0.9
        assert pickle.loads(pickle.dumps(ridge)).predict(x).shape == (50,)
        assert mercer.dummy.DummyClassifier().fit(x, y).predict_proba(x).shape == (50, 2)
        assert mercer.preprocessing.StandardScaler().fit_transform(x).shape == (50, 3)
        try:
            mercer.linear_model.Ridge().predict(x)
        except mercer.NotFittedError:
            pass
        assert "Ridge" in repr(ridge) and ridge._repr_html_()
    """)


def test_import_time():
    # Processor time and the best of several, since the machine may be busy. NumPy is not imported at all.
    code = "import time; t = time.process_time(); import mercer.linear_model; print(time.process_time() - t)"
    times = [float(run(code).stdout) for _ in range(7)]
    assert min(times) < 0.02, times


def test_one_row_is_predicted_in_microseconds():
    x = np.random.default_rng(0).normal(size=(200, 10))
    model = get("Ridge")().fit(x, x[:, 0])
    row = x[:1]
    best = min(_time(model.predict, row) for _ in range(20))
    assert best < 20e-6, best


def _time(call, argument, n=500):
    start = time.perf_counter()
    for _ in range(n):
        call(argument)
    return (time.perf_counter() - start) / n
