"""The report of a classification, as text or as a dict."""

from __future__ import annotations

import warnings

import numpy as np

from mercer.metrics._labels import Compared, precision_recall_fscore_support


def classification_report(
    y_true,
    y_pred,
    *,
    labels=None,
    target_names=None,
    sample_weight=None,
    digits=2,
    output_dict=False,
    zero_division="warn",
):
    """Precision, recall, F1 and rows of each class and their averages, as text or as a dict."""
    compared = Compared(y_true, y_pred, sample_weight)
    known = compared.labels if labels is None else np.asarray(labels)
    names = [str(label) for label in known] if target_names is None else list(target_names)
    if len(names) != len(known):
        if labels is None:
            raise ValueError(
                f"Number of classes, {len(known)}, does not match size of target_names, {len(names)}. Try specifying the "
                "labels parameter"
            )
        warnings.warn(f"labels size, {len(known)}, does not match size of target_names, {len(names)}", stacklevel=2)
    # Over all classes the micro average is the accuracy.
    is_accuracy = not compared.multilabel and (labels is None or set(known.tolist()) >= set(compared.labels.tolist()))
    score = lambda average: precision_recall_fscore_support(  # noqa: E731
        y_true, y_pred, labels=known, average=average, sample_weight=sample_weight, zero_division=zero_division
    )
    precision, recall, f1, support = score(None)
    rows = [(name, *values) for name, *values in zip(names, precision, recall, f1, support)]
    averages = []
    for average in ("micro", "macro", "weighted", *(("samples",) if compared.multilabel else ())):
        heading = "accuracy" if average == "micro" and is_accuracy else f"{average} avg"
        averages.append((heading, *score(average)[:3], np.sum(support)))
    headers = ("precision", "recall", "f1-score", "support")
    if output_dict:
        report = {name: dict(zip(headers, map(float, values))) for name, *values in rows + averages}
        if "accuracy" in report:
            report["accuracy"] = report["accuracy"]["precision"]
        return report
    return _report_text(headers, rows, averages, digits)


def _report_text(headers, rows, averages, digits):
    width = max(*(len(name) for name, *_ in rows), len("weighted avg"), digits)
    line = lambda name, *cells: f"{name:>{width}s} " + "".join(f" {cell:>9}" for cell in cells)  # noqa: E731
    number = lambda value: f"{value:.{digits}f}"  # noqa: E731
    out = [line("", *headers), ""]
    out += [line(name, *map(number, values[:3]), values[3]) for name, *values in rows]
    out.append("")
    for name, *values in averages:
        shown = ("", "", number(values[2])) if name == "accuracy" else tuple(map(number, values[:3]))
        out.append(line(name, *shown, values[3]))
    return "\n".join(out) + "\n"
