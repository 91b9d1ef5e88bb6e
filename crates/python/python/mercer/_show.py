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
    """A table of the parameters and, once fitted, the certificate. Everything is escaped; there is no script."""
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td><code>{escape(repr(value))}</code></td></tr>"
        for name, value in estimator.get_params(deep=False).items()
    )
    state = "not fitted"
    if estimator.fitted:
        state = f"<pre>{escape(str(estimator.certificate_))}</pre>"
    return (
        "<details class='mercer-estimator'>"
        f"<summary><code>{escape(text(estimator))}</code></summary>"
        f"<table><tbody>{rows}</tbody></table>{state}</details>"
    )
