"""How estimators look: as the call that makes them, and as a small table in notebooks."""

from html import escape


def changed(estimator):
    """The parameters that differ from their defaults."""
    cls = type(estimator)
    defaults = dict(cls.__init__.__kwdefaults__ or {})
    code = cls.__init__.__code__
    values = cls.__init__.__defaults__ or ()
    positional = code.co_varnames[1 : code.co_argcount]
    defaults.update(zip(positional[len(positional) - len(values) :], values))
    shown = {}
    for name, value in estimator.get_params(deep=False).items():
        if name not in defaults or repr(value) != repr(defaults[name]):
            shown[name] = value
    return shown


def text(estimator):
    """The call that makes the estimator."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in changed(estimator).items())
    return f"{type(estimator).__name__}({arguments})"


def html(estimator):
    """A diagram of the steps, each with its parameters, and once fitted the certificate. Everything is escaped; there is
    no script."""
    state = "not fitted"
    if estimator.fitted:
        # A whole that runs in Python has none.
        certificate = getattr(estimator, "certificate_", None)
        state = "fitted" if certificate is None else f"<pre>{escape(str(certificate))}</pre>"
    return f"<style>{_STYLE}</style><div class='mercer-diagram'>{_block(estimator)}<details><summary>certificate</summary>{state}</details></div>"


_STYLE = (
    ".mercer-diagram{font:13px sans-serif}.mercer-diagram .box{border:1px solid #8888;border-radius:4px;padding:4px 8px;"
    "margin:4px 0}.mercer-diagram .down{text-align:center;color:#8888;line-height:1}.mercer-diagram .side{display:flex;"
    "gap:8px}.mercer-diagram summary{cursor:pointer}.mercer-diagram td{padding:0 8px 0 0;text-align:left}"
)


def _block(estimator, label=None, columns=None):
    """A box for an estimator; a pipeline holds its steps one below the other, columns apart stand side by side."""
    title = type(estimator).__name__ + (f": {label}" if label else "")
    note = f" <small>{escape(str(columns))}</small>" if columns is not None else ""
    steps = getattr(estimator, "steps", None)
    apart = getattr(estimator, "transformers", None)
    if isinstance(steps, (list, tuple)):
        inner = "<div class='down'>↓</div>".join(_block(step, name) for name, step in steps if hasattr(step, "get_params"))
    elif isinstance(apart, (list, tuple)):
        parts = "".join(_block(step, name, which) for name, step, which in apart if hasattr(step, "get_params"))
        rest = "<div class='box'>remainder passes through</div>" if estimator.remainder == "passthrough" else ""
        inner = f"<div class='side'>{parts}{rest}</div>"
    else:
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td><code>{escape(repr(value))}</code></td></tr>"
            for name, value in estimator.get_params(deep=False).items()
        )
        return (
            f"<div class='box'><details><summary><b>{escape(title)}</b>{note}</summary>"
            f"<table><tbody>{rows}</tbody></table></details></div>"
        )
    return f"<div class='box'><b>{escape(title)}</b>{note}{inner}</div>"
