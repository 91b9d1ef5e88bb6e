"""Runs scikit-learn's own tests against Mercer and compares with the table of expected failures.

``python run.py [MODULE…] [--sample N] [--write] [--show]``: all modules or the named ones; one test in N; rewrite the table;
print why each test fails. One process a file, two at a time; a test that neither ends nor can be interrupted is killed with
its process, and the rest of the file goes on in another. Exits 1 when a test fails that should pass, or passes that is
expected to fail, and names each.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
GRACE = 10

FILES = {
    "linear_model": ["linear_model/tests/test_ridge.py", "linear_model/tests/test_logistic.py",
                     "linear_model/tests/test_coordinate_descent.py", "linear_model/tests/test_sparse_coordinate_descent.py",
                     "linear_model/tests/test_common.py", "linear_model/tests/test_sag.py",
                     *(f"linear_model/tests/test_{name}.py" for name in
                       ("base", "bayes", "huber", "quantile", "least_angle", "sgd", "perceptron", "omp")),
                     "linear_model/_glm/tests/test_glm.py"],
    "svm": ["svm/tests/test_svm.py", "svm/tests/test_sparse.py", "svm/tests/test_bounds.py"],
    "discriminant": ["tests/test_discriminant_analysis.py"],
    "naive_bayes": ["tests/test_naive_bayes.py"],
    "multiclass": ["tests/test_multiclass.py"],
    "tree": ["tree/tests/test_tree.py", "tree/tests/test_export.py", "tree/tests/test_monotonic_tree.py"],
    "forest": ["ensemble/tests/test_forest.py", "ensemble/tests/test_iforest.py", "ensemble/tests/test_common.py"],
    "boosting": ["ensemble/_hist_gradient_boosting/tests/test_gradient_boosting.py",
                 "ensemble/_hist_gradient_boosting/tests/test_monotonic_constraints.py",
                 "ensemble/_hist_gradient_boosting/tests/test_compare_lightgbm.py",
                 "ensemble/_hist_gradient_boosting/tests/test_warm_start.py",
                 "ensemble/tests/test_gradient_boosting.py", "ensemble/tests/test_weight_boosting.py"],
    "bagging": ["ensemble/tests/test_bagging.py", "ensemble/tests/test_voting.py", "ensemble/tests/test_stacking.py",
                "ensemble/tests/test_base.py"],
    "preprocessing": ["preprocessing/tests/test_data.py", "preprocessing/tests/test_encoders.py",
                      "preprocessing/tests/test_polynomial.py", "preprocessing/tests/test_discretization.py",
                      "preprocessing/tests/test_target_encoder.py", "preprocessing/tests/test_common.py",
                      "preprocessing/tests/test_label.py", "preprocessing/tests/test_function_transformer.py"],
    "impute": ["impute/tests/test_impute.py", "impute/tests/test_knn.py", "impute/tests/test_common.py",
               "impute/tests/test_base.py"],
    "feature_selection": [f"feature_selection/tests/test_{name}.py" for name in
                          ("base", "chi2", "feature_select", "from_model", "mutual_info", "rfe", "sequential",
                           "variance_threshold")],
    "text": ["feature_extraction/tests/test_text.py", "feature_extraction/tests/test_feature_hasher.py"],
    "model_selection": ["model_selection/tests/test_search.py", "model_selection/tests/test_split.py",
                        "model_selection/tests/test_validation.py", "model_selection/tests/test_successive_halving.py",
                        "model_selection/tests/test_classification_threshold.py", "model_selection/tests/test_plot.py"],
    "metrics": ["metrics/tests/test_classification.py", "metrics/tests/test_common.py", "metrics/tests/test_ranking.py",
                "metrics/tests/test_regression.py", "metrics/tests/test_score_objects.py",
                "metrics/cluster/tests/test_supervised.py", "metrics/cluster/tests/test_unsupervised.py",
                "metrics/cluster/tests/test_common.py", "metrics/cluster/tests/test_bicluster.py"],
    "calibration": ["tests/test_calibration.py"],
    "compose": ["compose/tests/test_column_transformer.py", "compose/tests/test_target.py"],
    "pipeline": ["tests/test_pipeline.py"],
    "inspection": ["inspection/tests/test_partial_dependence.py", "inspection/tests/test_permutation_importance.py",
                   "inspection/_plot/tests/test_plot_partial_dependence.py"],
    "dummy": ["tests/test_dummy.py"],
    "pca": ["decomposition/tests/test_pca.py"],
    "topics": ["decomposition/tests/test_online_lda.py"],
    "mixture": [f"mixture/tests/test_{name}.py" for name in ("gaussian_mixture", "mixture", "bayesian_mixture")],
    "kmeans": ["cluster/tests/test_k_means.py", "cluster/tests/test_bisect_k_means.py"],
    "cluster": [f"cluster/tests/test_{name}.py" for name in
                ("dbscan", "hdbscan", "optics", "hierarchical", "feature_agglomeration", "spectral", "mean_shift",
                 "affinity_propagation")],
    "neighbors": ["neighbors/tests/test_neighbors.py", "neighbors/tests/test_kde.py"],
    "kernel_methods": ["tests/test_kernel_ridge.py", "tests/test_kernel_approximation.py", "decomposition/tests/test_kernel_pca.py"],
    "datasets": ["datasets/tests/test_samples_generator.py"],
    "gaussian_process": [f"gaussian_process/tests/test_{name}.py" for name in ("kernels", "gpr", "gpc")],
}


def package():
    """Where scikit-learn is installed."""
    import importlib.util

    return pathlib.Path(importlib.util.find_spec("sklearn").origin).parent


def run_file(path, sample, limit):
    """The outcome of each test of a file that touches one of Mercer's objects: test id → (outcome, why, seconds)."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        results, done = pathlib.Path(folder, "results"), pathlib.Path(folder, "done")
        while True:
            results.write_text("")
            done.write_text(json.dumps(list(found)))
            found_in = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
            environment = dict(os.environ, COMPAT_RESULTS=str(results), COMPAT_DONE=str(done), COMPAT_SAMPLE=str(sample),
                               COMPAT_LIMIT=str(limit), PYTHONPATH=os.pathsep.join(found_in), SKLEARN_SKIP_NETWORK_TESTS="1")
            command = [sys.executable, "-m", "pytest", "-q", "-p", "swap", "-p", "no:cacheprovider",
                       "-W", "ignore::pytest.PytestUnknownMarkWarning", "--rootdir", str(package().parent), str(package() / path)]
            log = open(pathlib.Path(folder, "log"), "w")
            child = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
            stuck = watch(child, results, limit)
            log.close()
            read(results, found, stuck)
            if not stuck:
                if child.returncode not in (0, 1, 5):
                    why = pathlib.Path(log.name).read_text()[-2000:]
                    return {f"sklearn/{path}": ("failed", f"pytest ended with {child.returncode}: {why}", 0.0)}
                return found


def watch(child, results, limit):
    """Waits for a process; kills it when one test runs on. Whether it was killed, or died."""
    size, since = -1, time.monotonic()
    while child.poll() is None:
        time.sleep(0.1)
        now = results.stat().st_size
        if now != size:
            size, since = now, time.monotonic()
        elif size and time.monotonic() - since > limit + GRACE:
            child.kill()
            child.wait()
            return True
    return child.returncode < 0


def read(results, found, stuck):
    """Adds the lines that a process wrote; the test in which it was killed failed."""
    running = None
    for line in results.read_text().splitlines():
        line = json.loads(line)
        if "start" in line:
            running = line["start"]
        else:
            found[line["end"]] = (line["outcome"], line["why"], line["seconds"])
            running = None
    if stuck and running:
        found[running] = ("failed", "killed: could not be interrupted", 0.0)


def table(module):
    """The expected failures of a module; an entry without brackets stands for all its variants."""
    path = HERE / "expected" / f"{module}.txt"
    return set(path.read_text().split("\n")) - {""} if path.is_file() else set()


def short(test):
    """A test's id inside scikit-learn: the file below the package, without the folder of installation."""
    return re.sub(r"^.*?sklearn/", "", test)


def is_expected(test, expected):
    """Whether a test's failure is in the table."""
    return test in expected or test.split("[")[0] in expected


def write_table(module, outcomes):
    """Writes the failures of a module, one line where all variants of a test fail."""
    variants = collections.defaultdict(list)
    for test, (outcome, _, _) in outcomes.items():
        variants[test.split("[")[0]].append((test, outcome))
    lines = []
    for name, all_of_them in variants.items():
        failed = [test for test, outcome in all_of_them if outcome == "failed"]
        if failed and not any(outcome == "passed" for _, outcome in all_of_them):
            lines.append(name)
        else:
            lines += failed
    (HERE / "expected" / f"{module}.txt").write_text("".join(f"{line}\n" for line in sorted(lines)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", choices=[*FILES, []], help="all unless named")
    parser.add_argument("--sample", type=int, default=1, help="run one test in N")
    parser.add_argument("--limit", type=int, default=30, help="seconds a test")
    parser.add_argument("--jobs", type=int, default=2, help="files at once")
    parser.add_argument("--write", action="store_true", help="rewrite the table of expected failures")
    parser.add_argument("--show", action="store_true", help="print each failure and why")
    options = parser.parse_args()
    modules = options.modules or list(FILES)
    surprises, passed, ran = [], 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {m: [pool.submit(run_file, path, options.sample, options.limit) for path in FILES[m]] for m in modules}
        for module in modules:
            outcomes = {short(t): o for job in jobs[module] for t, o in job.result().items() if o[0] != "skipped"}
            if options.write:
                write_table(module, outcomes)
            expected = table(module)
            good = sum(outcome == "passed" for outcome, _, _ in outcomes.values())
            passed, ran = passed + good, ran + len(outcomes)
            print(f"{module:18} {good:5} of {len(outcomes):5}  {100 * good / max(1, len(outcomes)):5.1f} %", flush=True)
            for test, (outcome, why, _) in outcomes.items():
                if options.show and outcome == "failed":
                    print(f"  {test}\n    {why}")
                if (outcome == "failed") != is_expected(test, expected):
                    surprises.append((test, outcome, why))
    print(f"{'all':18} {passed:5} of {ran:5}  {100 * passed / max(1, ran):5.1f} %")
    for test, outcome, why in surprises:
        print(f"{'FAILS' if outcome == 'failed' else 'PASSES, though expected to fail:'} {test}\n    {why}")
    print(f"{ran - len(surprises)} passed, {len(surprises)} failed")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
