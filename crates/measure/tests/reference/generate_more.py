"""Writes more.json: every metric by its name in Mercer, splits and tests, from scikit-learn and SciPy.

    python3 -m venv venv && venv/bin/pip install scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
    venv/bin/python crates/measure/tests/reference/generate_more.py
"""
import json
import pathlib
import warnings

import numpy as np
import scipy
import sklearn
from scipy import stats
from sklearn import metrics as m
from sklearn import model_selection as ms

assert sklearn.__version__ == "1.9.1", sklearn.__version__
assert scipy.__version__ == "1.17.1", scipy.__version__
warnings.simplefilter("ignore")
rng = np.random.default_rng(20261115)


def weights(n, kind):
    if kind == "none":
        return None
    w = np.round(rng.gamma(1.0, size=n), 3)
    return w * (rng.random(n) > 0.3) if kind == "zeros" else w + 0.001


def classes(n, k, kind, tied=False, truth=None, predicted=None, equal=False):
    truth = rng.integers(0, k, n) if truth is None else np.array(truth)
    raw = rng.gamma(0.7, size=(n, k)) + 0.3 * np.eye(k)[truth]
    raw = np.ones((n, k)) if equal else np.round(raw * 3 + 1) if tied else raw
    p = raw / raw.sum(axis=1, keepdims=True)
    predicted = np.argmax(p, axis=1) if predicted is None else np.array(predicted)
    w, labels = weights(n, kind), list(range(k))
    kw, lk = dict(sample_weight=w), dict(sample_weight=w, labels=labels)
    v = dict(
        accuracy=m.accuracy_score(truth, predicted, **kw),
        error_rate=m.zero_one_loss(truth, predicted, **kw),
        hamming=m.hamming_loss(truth, predicted, **kw),
        balanced_accuracy=m.balanced_accuracy_score(truth, predicted, **kw),
        mcc=m.matthews_corrcoef(truth, predicted, **kw),
        log_loss=m.log_loss(truth, p, **lk),
        brier=m.brier_score_loss(truth, p[:, 1] if k == 2 else p, **lk),
    )
    for name, of in [("f1", m.f1_score), ("precision", m.precision_score), ("recall", m.recall_score),
                     ("jaccard", m.jaccard_score)]:
        for average in ("micro", "macro", "weighted"):
            v[f"{name}_{average}"] = of(truth, predicted, average=average, zero_division=0, **lk)
            v[f"{name}(average={average})"] = v[f"{name}_{average}"]
        if k == 2:
            v[name] = of(truth, predicted, zero_division=0, **kw)
    for beta in (0.5, 2.0):
        for average in ("micro", "macro", "weighted"):
            v[f"fbeta(beta={beta},average={average})"] = m.fbeta_score(
                truth, predicted, beta=beta, average=average, zero_division=0, **lk)
            v[f"f_alpha(alpha={1 / (1 + beta * beta)!r},average={average})"] = v[f"fbeta(beta={beta},average={average})"]
    if len(np.unique(np.concatenate([truth, predicted]))) > 1 or k == 1:
        for name, by in [("none", None), ("linear", "linear"), ("quadratic", "quadratic")]:
            v[f"kappa(weights={name})"] = m.cohen_kappa_score(truth, predicted, weights=by, **lk)
    present = len(np.unique(truth if w is None else truth[w > 0])) == k
    if present:
        v["d2_log_loss"] = m.d2_log_loss_score(truth, p, **lk)
        v["d2_brier"] = m.d2_brier_score(truth, p[:, 1] if k == 2 else p, **lk)
    if k > 2:
        for top in (1, 2, k - 1):
            v[f"top_k(k={top})"] = m.top_k_accuracy_score(truth, p, k=top, **lk)
        if present:
            for average in ("macro", "weighted"):
                suffix = "" if average == "macro" else "_weighted"
                v["roc_auc_ovr" + suffix] = m.roc_auc_score(truth, p, multi_class="ovr", average=average, **lk)
                if w is None:
                    v["roc_auc_ovo" + suffix] = m.roc_auc_score(truth, p, multi_class="ovo", average=average, labels=labels)
                    v[f"auc(multi_class=ovo,average={average})"] = v["roc_auc_ovo" + suffix]
    else:
        v["average_precision"] = m.average_precision_score(truth, p[:, 1], **kw)
        if present:
            v["auc"] = m.roc_auc_score(truth, p[:, 1], **kw)
        plus, minus = m.class_likelihood_ratios(truth, predicted, **lk)
        if np.isfinite(plus) and np.isfinite(minus):
            v["positive_likelihood_ratio"], v["negative_likelihood_ratio"] = plus, minus
    confusion = {str(by): m.confusion_matrix(truth, predicted, labels=labels, normalize=by, **kw).ravel().tolist()
                 for by in (None, "true", "pred", "all")}
    return dict(k=k, truth=truth, predicted=predicted, p=p.ravel(), weights=w, confusion=confusion, values=v)


def numbers(n, kind, truth=None, zeros=False):
    truth = rng.gamma(2.0, size=n) if truth is None else np.array(truth, float)
    predicted = truth * rng.gamma(9.0, 1 / 9, size=n) + 0.05
    if zeros:
        truth = np.where(rng.random(n) < 0.3, 0.0, truth)
    w = weights(n, kind)
    kw = dict(sample_weight=w)
    v = dict(
        mse=m.mean_squared_error(truth, predicted, **kw), rmse=m.root_mean_squared_error(truth, predicted, **kw),
        mae=m.mean_absolute_error(truth, predicted, **kw), r2=m.r2_score(truth, predicted, **kw),
        mape=m.mean_absolute_percentage_error(truth, predicted, **kw),
        median_absolute_error=m.median_absolute_error(truth, predicted, **kw),
        explained_variance=m.explained_variance_score(truth, predicted, **kw),
        msle=m.mean_squared_log_error(truth, predicted, **kw),
        rmsle=m.root_mean_squared_log_error(truth, predicted, **kw),
        poisson_deviance=m.mean_poisson_deviance(truth, predicted, **kw),
        d2_absolute_error=m.d2_absolute_error_score(truth, predicted, **kw),
    )
    if kind != "zeros":
        v["max_error"] = m.max_error(truth, predicted)
    for alpha in (0.0, 0.1, 0.5, 0.9, 1.0):
        v[f"pinball(alpha={alpha})"] = m.mean_pinball_loss(truth, predicted, alpha=alpha, **kw)
        v[f"d2_pinball(alpha={alpha})"] = m.d2_pinball_score(truth, predicted, alpha=alpha, **kw)
    for power in [-1.5, 0, 1, 1.5] + ([] if zeros else [2, 3]):
        v[f"tweedie(power={power})"] = m.mean_tweedie_deviance(truth, predicted, power=power, **kw)
        if len(np.unique(truth)) > 1:
            v[f"d2_tweedie(power={power})"] = m.d2_tweedie_score(truth, predicted, power=power, **kw)
    if not zeros:
        v["gamma_deviance"] = m.mean_gamma_deviance(truth, predicted, **kw)
    return dict(truth=truth, predicted=predicted, weights=w, values=v)


def groups(truth, labels, d=2):
    truth, labels = np.array(truth), np.array(labels)
    n = len(truth)
    x = rng.normal(size=(n, d)) + 1.5 * truth[:, None]
    v = dict(
        rand=m.rand_score(truth, labels), adjusted_rand=m.adjusted_rand_score(truth, labels),
        mutual_info=m.mutual_info_score(truth, labels), homogeneity=m.homogeneity_score(truth, labels),
        completeness=m.completeness_score(truth, labels), v_measure=m.v_measure_score(truth, labels),
        fowlkes_mallows=m.fowlkes_mallows_score(truth, labels),
    )
    v["v_measure(beta=0.5)"] = m.v_measure_score(truth, labels, beta=0.5)
    for average in ("arithmetic", "geometric", "min", "max"):
        v[f"ami(average={average})"] = m.adjusted_mutual_info_score(truth, labels, average_method=average)
        v[f"nmi(average={average})"] = m.normalized_mutual_info_score(truth, labels, average_method=average)
    if 1 < len(np.unique(labels)) < n:
        v["silhouette"] = m.silhouette_score(x, labels)
        v["davies_bouldin"] = m.davies_bouldin_score(x, labels)
        v["calinski_harabasz"] = m.calinski_harabasz_score(x, labels)
    return dict(x=x.ravel(), d=d, labels=labels, truth=truth, values=v)


def multilabel(n, k, kind, density):
    truth = (rng.random((n, k)) < density).astype(int)
    predicted = np.where(rng.random((n, k)) < 0.3, 1 - truth, truth)
    truth[0] = predicted[0] = 0
    w = weights(n, kind)
    kw = dict(sample_weight=w)
    v = dict(accuracy=m.accuracy_score(truth, predicted, **kw), hamming=m.hamming_loss(truth, predicted, **kw),
             error_rate=m.zero_one_loss(truth, predicted, **kw))
    for name, of in [("f1", m.f1_score), ("precision", m.precision_score), ("recall", m.recall_score),
                     ("jaccard", m.jaccard_score)]:
        for average in ("micro", "macro", "weighted", "samples"):
            v[f"{name}_{average}"] = of(truth, predicted, average=average, zero_division=0, **kw)
    v["fbeta(beta=2,average=macro)"] = m.fbeta_score(truth, predicted, beta=2, average="macro", zero_division=0, **kw)
    return dict(k=k, truth=truth.ravel(), predicted=predicted.ravel(), weights=w, values=v)


def ranking(queries, items, kind, tied):
    relevance = rng.integers(0, 4, (queries, items)) * (rng.random((queries, items)) < 0.6)
    scores = rng.normal(size=(queries, items)) + 0.4 * relevance
    if tied:
        scores = np.round(scores)
    w = weights(queries, kind)
    v = dict(dcg=m.dcg_score(relevance, scores, sample_weight=w), ndcg=m.ndcg_score(relevance, scores, sample_weight=w))
    for k in (1, 3, items + 5):
        v[f"dcg(k={k})"] = m.dcg_score(relevance, scores, k=k, sample_weight=w)
        v[f"ndcg(k={k})"] = m.ndcg_score(relevance, scores, k=k, sample_weight=w)
    some = (relevance > 0).any(axis=1)
    ap = [m.average_precision_score(r > 0, s) for r, s in zip(relevance[some], scores[some])]
    v["map"] = np.average(ap, weights=None if w is None else w[some])
    return dict(queries=np.repeat(np.arange(queries), items), relevance=relevance.ravel(), scores=scores.ravel(),
                weights=None if w is None else np.repeat(w, items), values=v)


def splits():
    codes = rng.integers(0, 3, 31)
    groups = np.sort(rng.integers(0, 9, 31)) * 7 % 11
    x = np.zeros((31, 1))
    ways = {
        "kfold(k=4)": ms.KFold(4), "kfold(k=31)": ms.KFold(31), "stratified(k=4)": ms.StratifiedKFold(4),
        "group(k=3)": ms.GroupKFold(3), "group(k=5)": ms.GroupKFold(5),
        "stratified_group(k=2)": ms.StratifiedGroupKFold(2), "stratified_group(k=3)": ms.StratifiedGroupKFold(3),
        "stratified_group(k=4)": ms.StratifiedGroupKFold(4),
        "loo": ms.LeaveOneOut(), "lpo(p=2)": ms.LeavePOut(2), "logo": ms.LeaveOneGroupOut(),
        "timeseries": ms.TimeSeriesSplit(), "timeseries(k=3,gap=2)": ms.TimeSeriesSplit(3, gap=2),
        "timeseries(k=4,max_train=6)": ms.TimeSeriesSplit(4, max_train_size=6),
        "timeseries(k=3,gap=1,max_train=8,test_size=4)": ms.TimeSeriesSplit(3, gap=1, max_train_size=8, test_size=4),
    }
    found = {name: [[tr, te] for tr, te in way.split(x, codes, groups)] for name, way in ways.items()}
    many = np.repeat(np.arange(40), rng.integers(1, 4, 40))
    return dict(codes=codes, groups=groups, splits=found, many=many,
                many_folds=[te for _, te in ms.GroupKFold(6).split(many, groups=many)])


def tests():
    wilson = []
    for k, n, c in [(0, 5, 0.95), (1, 5, 0.95), (50, 100, 0.9), (9, 10, 0.99), (997, 1000, 0.95), (7, 7, 0.8)]:
        ci = stats.binomtest(k, n).proportion_ci(c, method="wilson")
        wilson.append(dict(k=k, n=n, confidence=c, interval=[ci.low, ci.high]))
    mcnemar = []
    for b, c in [(1, 0), (5, 0), (3, 9), (12, 12), (25, 40), (300, 250), (1000, 1200)]:
        chi2 = max(abs(b - c) - 1, 0) ** 2 / (b + c)
        mcnemar.append(dict(b=b, c=c, exact=stats.binomtest(b, b + c).pvalue, chi2=chi2, p=stats.chi2.sf(chi2, 1)))
    wilcoxon = []
    for n, rounded in [(1, 0), (4, 0), (10, 0), (25, 0), (50, 0), (51, 0), (12, 1), (30, 1), (200, 1), (500, 0)]:
        a, b = rng.normal(size=n), rng.normal(size=n) + 0.3
        if rounded:
            a, b = np.round(2 * a) / 2, np.round(2 * b) / 2
        exact = not rounded and n <= 50
        found = stats.wilcoxon(a, b, zero_method="wilcox", correction=False, method="exact" if exact else "asymptotic")
        wilcoxon.append(dict(a=a, b=b, statistic=found.statistic, p=found.pvalue))
    five = []
    for shift in (0.0, 0.02, 0.3):
        d = 0.05 * rng.normal(size=(5, 2)) + shift
        s2 = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        t, f = d[0, 0] / np.sqrt(s2.mean()), (d ** 2).sum() / (2 * s2.sum())
        five.append(dict(d=d, t=t, t_p=2 * stats.t.sf(abs(t), 5), f=f, f_p=stats.f.sf(f, 10, 5)))
    bca = []
    for of, name in [(np.mean, "mean"), (np.std, "std")]:
        for confidence in (0.9, 0.99):
            x = rng.gamma(1.5, size=25)
            found = stats.bootstrap((x,), of, n_resamples=400, confidence_level=confidence, method="BCa", rng=rng)
            ends = stats.bootstrap((x,), of, n_resamples=0, confidence_level=confidence, method="percentile",
                                   bootstrap_result=found, rng=rng).confidence_interval
            bca.append(dict(estimate=of(x), draws=found.bootstrap_distribution, confidence=confidence,
                            jackknife=[of(np.delete(x, i)) for i in range(len(x))],
                            interval=list(found.confidence_interval), percentile=list(ends)))
    return dict(wilson=wilson, mcnemar=mcnemar, wilcoxon=wilcoxon, five=five, bca=bca)


z = lambda n: [0] * n
reference = dict(
    versions=dict(sklearn=sklearn.__version__, scipy=scipy.__version__, numpy=np.__version__),
    scorers=m.get_scorer_names(),
    classes=[classes(n, k, w, t) for n, k in [(50, 2), (70, 3), (40, 5)] for w in ("none", "some", "zeros")
             for t in (False, True)]
    + [classes(12, 2, "none", truth=z(12), predicted=[0, 1] * 6), classes(12, 2, "some", truth=z(12), predicted=z(12)),
       classes(12, 3, "some", truth=[0, 1] * 6, predicted=[2] * 12), classes(20, 3, "none", equal=True),
       classes(20, 2, "some", equal=True), classes(9, 4, "none", truth=[3] * 9, predicted=[1, 2, 3] * 3)],
    numbers=[numbers(n, w, zeros=zero) for n in (2, 41, 60) for w in ("none", "some", "zeros") for zero in (False, True)
             if n > 2 or w != "zeros"] + [numbers(6, "none", truth=[2.0] * 6), numbers(6, "some", truth=[1.0, 2.0] * 3)],
    groups=[groups(rng.integers(0, k, n), rng.integers(0, j, n)) for n, k, j in [(40, 3, 4), (60, 2, 2), (30, 8, 3)]]
    + [groups(z(10), z(10)), groups(range(10), range(10)), groups(z(10), range(10)), groups([0, 1] * 5, z(10)),
       groups([0, 0, 1, 1, 2, 2], [4, 4, 1, 1, 0, 0]), groups([0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 1]),
       groups(rng.integers(0, 12, 300), rng.integers(0, 15, 300))],
    multilabel=[multilabel(25, 4, w, density) for w in ("none", "some", "zeros") for density in (0.1, 0.5)],
    ranking=[ranking(6, 9, w, tied) for w in ("none", "some", "zeros") for tied in (False, True)],
    splits=splits(),
    tests=tests(),
)


def plain(value):
    """JSON has neither NaN nor numpy."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    value = value.item() if isinstance(value, np.generic) else value
    return "nan" if isinstance(value, float) and np.isnan(value) else value


path = pathlib.Path(__file__).with_name("more.json")
path.write_text(json.dumps(plain(reference), separators=(",", ":"), allow_nan=False))
