"""Writes metrics.json: metrics of scikit-learn and intervals of SciPy on random, weighted, tied and odd cases.

    python3 -m venv venv && venv/bin/pip install scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
    venv/bin/python crates/measure/tests/reference/generate.py
"""
import json
import pathlib
import warnings

import numpy as np
import scipy
import sklearn
from scipy import stats
from sklearn import metrics as m
from sklearn.calibration import calibration_curve
from sklearn.model_selection import KFold, StratifiedKFold

assert sklearn.__version__ == "1.9.1", sklearn.__version__
assert scipy.__version__ == "1.17.1", scipy.__version__
warnings.simplefilter("ignore")
rng = np.random.default_rng(20240607)


def classes(n, k, weighted, tied, predicted_classes=None):
    truth = rng.integers(0, k, n)
    raw = rng.gamma(0.7, size=(n, k)) + 0.3 * np.eye(k)[truth]
    p = raw / raw.sum(axis=1, keepdims=True)
    if tied:
        p = np.round(p * 4 + 1)
        p = p / p.sum(axis=1, keepdims=True)
    predicted = np.argmax(p, axis=1) if predicted_classes is None else rng.integers(0, predicted_classes, n)
    w = np.round(rng.gamma(1.0, size=n), 3) * (rng.random(n) > 0.1) if weighted else None
    labels = list(range(k))
    kw = dict(sample_weight=w)
    pr, re, f1, su = m.precision_recall_fscore_support(truth, predicted, labels=labels, zero_division=0, **kw)
    case = dict(
        k=k, truth=truth.tolist(), predicted=predicted.tolist(), p=p.ravel().tolist(),
        weights=None if w is None else w.tolist(),
        accuracy=m.accuracy_score(truth, predicted, **kw),
        balanced=m.balanced_accuracy_score(truth, predicted, **kw),
        confusion=m.confusion_matrix(truth, predicted, labels=labels, **kw).ravel().astype(float).tolist(),
        precision=pr.tolist(), recall=re.tolist(), f1=f1.tolist(),
        macro=[float(np.mean(v)) for v in (pr, re, f1)],
        weighted=list(m.precision_recall_fscore_support(
            truth, predicted, labels=labels, average="weighted", zero_division=0, **kw)[:3]),
        log_loss=m.log_loss(truth, p, labels=labels, **kw),
        brier=m.brier_score_loss(truth, p[:, 1] if k == 2 else p, labels=labels, **kw),
        mcc=m.matthews_corrcoef(truth, predicted, **kw),
    )
    if k == 2:
        case["auc"] = m.roc_auc_score(truth, p[:, 1], **kw)
        case["ap"] = m.average_precision_score(truth, p[:, 1], **kw)
        fpr, tpr, th = m.roc_curve(truth, p[:, 1], drop_intermediate=False, **kw)
        case["roc"] = [fpr.tolist(), tpr.tolist(), th[1:].tolist()]
        precision, recall, th = m.precision_recall_curve(truth, p[:, 1], **kw)
        case["pr"] = [precision[::-1].tolist(), recall[::-1].tolist(), th[::-1].tolist()]
        if w is None:
            for strategy in ("uniform", "quantile"):
                case[strategy] = [v.tolist() for v in calibration_curve(truth, p[:, 1], n_bins=5, strategy=strategy)]
    elif len(np.unique(truth)) == k:
        case["auc"] = m.roc_auc_score(truth, p, multi_class="ovr", average="macro", labels=labels, **kw)
    return case


def clipped():
    p = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.5, 0.5]])
    truth = np.array([0, 1, 0, 1])
    return dict(truth=truth.tolist(), p=p.ravel().tolist(), log_loss=m.log_loss(truth, p))


def numbers(n, weighted, scale):
    truth = scale * rng.normal(size=n) + 3 * scale
    predicted = truth + 0.5 * scale * rng.standard_t(3, size=n)
    w = np.round(rng.gamma(1.0, size=n), 3) if weighted else None
    kw = dict(sample_weight=w)
    return dict(
        truth=truth.tolist(), predicted=predicted.tolist(), weights=None if w is None else w.tolist(),
        mse=m.mean_squared_error(truth, predicted, **kw), rmse=m.root_mean_squared_error(truth, predicted, **kw),
        mae=m.mean_absolute_error(truth, predicted, **kw), r2=m.r2_score(truth, predicted, **kw),
        median=m.median_absolute_error(truth, predicted, **kw),
        explained=m.explained_variance_score(truth, predicted, **kw),
    )


def groups(n, k, d):
    x = rng.normal(size=(n, d))
    labels = rng.integers(0, k, n)
    x += 1.5 * labels[:, None]
    other = np.where(rng.random(n) < 0.3, rng.integers(0, k + 1, n), labels)
    return dict(x=x.ravel().tolist(), d=d, labels=other.tolist(), truth=labels.tolist(),
                ari=m.adjusted_rand_score(labels, other), silhouette=m.silhouette_score(x, other),
                rows=m.silhouette_samples(x, other).tolist())


def intervals():
    cases = []
    for n, confidence in [(2, 0.95), (5, 0.9), (10, 0.99), (100, 0.5)]:
        v = rng.normal(size=n)
        low, high = stats.t.interval(confidence, n - 1, loc=v.mean(), scale=stats.sem(v))
        cases.append(dict(values=v.tolist(), confidence=confidence, interval=[low, high]))
    binomial = []
    for k, n, confidence in [(0, 5, 0.95), (1, 5, 0.95), (50, 100, 0.9), (9, 10, 0.99), (997, 1000, 0.95), (7, 7, 0.8)]:
        ci = stats.binomtest(k, n).proportion_ci(confidence, method="exact")
        binomial.append(dict(k=k, n=n, confidence=confidence, interval=[ci.low, ci.high]))
    tests = []
    for folds, train, test in [(5, 80, 20), (10, 900, 100), (100, 70, 30)]:
        a, b = rng.normal(size=folds), rng.normal(size=folds) + 0.3
        d = a - b
        t = d.mean() / np.sqrt((1 / folds + test / train) * d.var(ddof=1))
        tests.append(dict(a=a.tolist(), b=b.tolist(), train=train, test=test, t=t, p=2 * stats.t.sf(abs(t), folds - 1)))
    return dict(t=cases, binomial=binomial, tests=tests)


def splits():
    codes = rng.integers(0, 3, 29)
    strat = [te.tolist() for _, te in StratifiedKFold(4).split(codes, codes)]
    plain = [te.tolist() for _, te in KFold(4).split(codes)]
    return dict(codes=codes.tolist(), stratified=strat, plain=plain)


reference = dict(
    versions=dict(sklearn=sklearn.__version__, scipy=scipy.__version__, numpy=np.__version__),
    classes=[classes(n, k, w, t) for n, k in [(60, 2), (90, 3), (40, 5)] for w in (False, True) for t in (False, True)]
    + [classes(30, 3, True, False, predicted_classes=2), classes(30, 2, False, False, predicted_classes=1)],
    clipped=clipped(),
    numbers=[numbers(n, w, s) for n in (2, 51, 60) for w in (False, True) for s in (1.0, 1e6)],
    groups=[groups(40, 2, 3), groups(60, 4, 2)],
    intervals=intervals(),
    splits=splits(),
)


def plain(value):
    """JSON has no infinity; numpy scalars become numbers."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.item() if isinstance(value, np.generic) else value


path = pathlib.Path(__file__).with_name("metrics.json")
path.write_text(json.dumps(plain(reference), separators=(",", ":"), allow_nan=False))
