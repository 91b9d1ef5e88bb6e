"""Draws of Markov chains: diagnostics as functions of arrays, and the way to ArviZ."""

from __future__ import annotations

from mercer import _mercer


def _chains(values):
    """Draws as chains × draws; one dimension is one chain."""
    import numpy as np

    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2:
        raise ValueError(f"draws of one quantity are chains × draws, got an array of shape {array.shape}")
    return array.tolist()


def rhat(draws, method="rank"):
    """R-hat: 1 where chains agree, at most 1.01 where they have mixed (Vehtari et al. 2021).

    Parameters
    ----------
    draws : array-like of shape (n_chains, n_draws)
    method : {"rank", "split"}, default="rank"
        By ranks, of draws and of their distances from the median; or of the draws as they are, in halves.

    Returns
    -------
    float
    """
    if method not in ("rank", "split"):
        raise ValueError(f"method must be 'rank' or 'split', got {method!r}")
    return _mercer.chain_diagnostic("rhat" if method == "rank" else "rhat split", _chains(draws), 0.5)[0]


def ess(draws, method="bulk", prob=None):
    """Effective sample size.

    Parameters
    ----------
    draws : array-like of shape (n_chains, n_draws)
    method : {"bulk", "tail", "mean", "quantile"}, default="bulk"
    prob : float, optional
        The quantile.

    Returns
    -------
    float
    """
    return _named("ess", ("bulk", "tail", "mean", "quantile"), draws, method, prob)


def mcse(draws, method="mean", prob=None):
    """The Monte Carlo standard error of the mean, of the standard deviation or of a quantile.

    Parameters
    ----------
    draws : array-like of shape (n_chains, n_draws)
    method : {"mean", "sd", "quantile"}, default="mean"
    prob : float, optional
        The quantile.

    Returns
    -------
    float
    """
    return _named("mcse", ("mean", "sd", "quantile"), draws, method, prob)


def _named(what, methods, draws, method, prob):
    if method not in methods:
        raise ValueError(f"method must be one of {list(methods)}, got {method!r}")
    if (method == "quantile") != (prob is not None):
        raise TypeError("`prob` is given with method='quantile', and with it alone")
    return _mercer.chain_diagnostic(f"{what} {method}", _chains(draws), 0.5 if prob is None else float(prob))[0]


def hdi(draws, hdi_prob=0.94):
    """The shortest interval that holds a share of the draws.

    Parameters
    ----------
    draws : array-like of shape (n_chains, n_draws) or (n_draws,)
    hdi_prob : float, default=0.94

    Returns
    -------
    ndarray of shape (2,)
    """
    import numpy as np

    if not 0 < hdi_prob < 1:
        raise ValueError(f"hdi_prob must be in (0, 1), got {hdi_prob}")
    return np.array(_mercer.chain_diagnostic("hdi", _chains(draws), float(hdi_prob)))


def bfmi(energy):
    """The estimated fraction of missing information of each chain, from the energies of its draws; below 0.3 is poor.

    Parameters
    ----------
    energy : array-like of shape (n_chains, n_draws)

    Returns
    -------
    ndarray of shape (n_chains,)
    """
    import numpy as np

    return np.array(_mercer.chain_diagnostic("bfmi", _chains(energy), 0.5))


class ChainsMixin:
    """Samplers: their draws as ArviZ lays them out."""

    def _warn_unless_converged(self, model):
        """Chains that have not mixed, and divergent steps, are warned of as `mercer sample` warns."""
        super()._warn_unless_converged(model)
        found = {name: value for name, value, *_ in model.certificate()["evidence"]}
        r_hat, divergent, told = found.get("largest R-hat"), found.get("divergent steps", 0), []
        if r_hat is None:
            told.append("there is no R-hat, since draws never moved")
        elif r_hat > 1.01:
            told.append(f"R-hat {r_hat:.3f} is above 1.01: the chains have not mixed, draw more")
        if divergent:
            told.append(f"{divergent:.0f} divergent steps: parts of the density were not reached, raise `target_accept`")
        if told:
            import warnings

            from mercer._exceptions import convergence_warning

            warnings.warn(f"{type(self).__name__}: {'; '.join(told)}.", convergence_warning(), stacklevel=4)

    def to_dict(self):
        """The draws and what is known of each, in ArviZ's layout.

        Returns
        -------
        dict
            ``posterior`` and ``sample_stats``, each a dict of arrays whose first dimensions are chain and draw.
        """
        import numpy as np

        learnt = self._model.attributes()
        samples = np.asarray(learnt["samples_"])
        names = [str(name) for name in learnt.get("names_", [])]
        posterior = {name: samples[:, :, j] for j, name in enumerate(names)} if names else {"x": samples}
        stats = {"acceptance_rate": np.asarray(learnt["acceptance_rate_"])}
        if "energy_" in learnt:
            stats["energy"] = np.asarray(learnt["energy_"])
            stats["diverging"] = np.asarray(learnt["diverging_"]).astype(bool)
        if "step_size_" in learnt:
            stats["step_size"] = np.repeat(np.asarray(learnt["step_size_"])[:, None], samples.shape[1], axis=1)
        return {"posterior": posterior, "sample_stats": stats}

    def to_arviz(self):
        """The draws as `arviz.InferenceData`, where ArviZ is installed.

        Returns
        -------
        arviz.InferenceData
        """
        import arviz

        parts = self.to_dict()
        try:
            return arviz.from_dict(**parts)
        except TypeError:
            # From version 1 on, all groups come as one dict.
            return arviz.from_dict(parts)
