"""Clusters from affinities, as scikit-learn has it."""

import warnings

from mercer._lazy import Lazy
from mercer._neighbors import _distances

np = Lazy("numpy")
_data = Lazy("mercer._data")

_KERNELS = frozenset("additive_chi2 chi2 cosine laplacian linear poly polynomial sigmoid".split())
# What each kernel takes beyond γ.
_TAKEN = {"poly": ("degree", "coef0"), "polynomial": ("degree", "coef0"), "sigmoid": ("coef0",)}


class SpectralMixin:
    """Clusters of graphs."""

    # All solvers find the same vectors.
    _door_meant = frozenset({"eigen_solver", "eigen_tol", "kernel_params", "degree", "coef0"})

    def _is_pairwise(self):
        return isinstance(self.affinity, str) and self.affinity.startswith("precomputed")

    def _depends_on_rows(self):
        return self._is_made()

    def _is_made(self):
        """Whether affinities are made here, of the rows or of a graph; the compiled part then sees those of all pairs."""
        return callable(self.affinity) or self.affinity in _KERNELS or self.affinity == "precomputed_nearest_neighbors"

    def _mercer_spec(self):
        if self._depends_on_rows():
            raise TypeError(f"`affinity={self.affinity!r}` of {type(self).__name__} works for it alone, not inside of a compiled whole")
        return super()._mercer_spec()

    def _core_params(self):
        params = super()._core_params()
        return {**params, "affinity": "precomputed"} if self._is_made() else params

    def _affinities(self, X):
        """The affinities of all pairs."""
        if self.affinity == "precomputed_nearest_neighbors":
            return self._of_graph(X)
        rows = X.toarray() if _data.is_sparse(X) else np.asarray(X, dtype=float)
        if callable(self.affinity):
            return _distances(rows, rows, self.affinity, self.kernel_params)
        from mercer._kernels import PairwiseKernel

        more = {name: getattr(self, name) for name in _TAKEN.get(self.affinity, ())}
        more.update({name: value for name, value in (self.kernel_params or {}).items() if name != "gamma"})
        return np.asarray(PairwiseKernel(metric=self.affinity, gamma=self.gamma, pairwise_kernels_kwargs=more or None)(rows))

    def _of_graph(self, X):
        """Halves for the nearest of each row, from the distances that a sparse matrix has, or from those of all pairs."""
        n = X.shape[0]
        out = np.zeros((n, n))
        graph = X.tocsr() if _data.is_sparse(X) else None
        for i in range(n):
            if graph is None:
                which, far = np.arange(n), np.asarray(X[i], dtype=float)
            else:
                part = slice(graph.indptr[i], graph.indptr[i + 1])
                which, far = graph.indices[part], graph.data[part]
            if len(far) < self.n_neighbors:
                raise ValueError(f"{self.n_neighbors} neighbors are required per samples, but some samples have only {len(far)}")
            out[i, which[np.argsort(far, kind="stable")[: self.n_neighbors]]] = 0.5
        return out + out.T

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        if self.eigen_solver not in (None, "arpack", "lobpcg"):
            raise ValueError(
                f"eigen_solver={self.eigen_solver!r}: all vectors are found at once here, as with None, 'arpack' or 'lobpcg'; there is no "
                "multigrid"
            )
        if self.verbose:
            print(f"Computing label assignment using {self.assign_labels}")
        if self._is_made():
            if self.affinity != "precomputed_nearest_neighbors":
                self._prepare_fit(X)
            X = self._affinities(X)
        elif _data.is_sparse(X):
            X = X.toarray()
        made = super()._learn(fit, X, y, sample_weight, **extra)
        if self.affinity == "nearest_neighbors" or self._is_pairwise():
            self._tell_parts()
        return made

    def _tell_parts(self):
        """Warns where nothing joins some rows with the others."""
        beside = self._model.attributes()["affinity_matrix_"] != 0
        reached, edge = np.zeros(len(beside), dtype=bool), np.array([0])
        while len(edge):
            reached[edge] = True
            edge = np.flatnonzero(beside[edge].any(axis=0) & ~reached)
        if not reached.all():
            message = "Graph is not fully connected, spectral embedding may not work as expected."
            warnings.warn(message, UserWarning, stacklevel=6)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def predict(self, X):
        """The cluster of new rows: that of the nearest row learnt from."""
        return super().predict(X)


class AffinityMixin:
    """Rows that stand for others."""

    def _is_pairwise(self):
        return self.affinity == "precomputed"

    def _core_params(self):
        params = super()._core_params()
        if params["preference"] is not None and np.ndim(params["preference"]) > 0:
            params["preferences"], params["preference"] = np.asarray(params["preference"], dtype=float).tolist(), None
        return params

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        shape = getattr(X, "shape", None) or np.shape(X)
        if self.affinity == "precomputed":
            if _data.is_sparse(X):
                raise TypeError("Sparse data was passed for X, but dense data is required. Use '.toarray()' to convert to a dense numpy array.")
            if len(shape) == 2 and shape[0] != shape[1]:
                raise ValueError(f"The matrix of similarities must be a square array. Got {tuple(shape)} instead.")
        made = super()._learn(fit, X, y, sample_weight, **extra)
        if self._model.attributes()["n_iter_"] == 0:
            message = "All samples have mutually equal similarities. Returning arbitrary cluster center(s)."
            warnings.warn(message, UserWarning, stacklevel=5)
        return made

    def _warn_unless_converged(self, model):
        if len(model.attributes()["cluster_centers_indices_"]) == 0:
            self._warn("Affinity propagation did not converge and this model will not have any cluster centers.")
        elif model.certificate()["shortfall"] is not None:
            self._warn(
                "Affinity propagation did not converge, this model may return degenerate cluster centers and labels."
            )

    def _warn(self, message):
        from mercer._exceptions import convergence_warning

        warnings.warn(message, convergence_warning(), stacklevel=6)

    def predict(self, X):
        """The cluster of the nearest of the rows that stand for others; -1 where there are none."""
        if self.affinity == "precomputed":
            self._prepare(X, "predict")
            raise ValueError("Predict method is not supported when affinity='precomputed'.")
        if len(self._model.attributes()["cluster_centers_indices_"]) == 0:
            self._warn(
                "This model does not have any cluster centers because affinity propagation did not converge. "
                "Labeling every sample as '-1'."
            )
        return super().predict(X)


def affinity_propagation(
    S, *, preference=None, convergence_iter=15, max_iter=200, damping=0.5, copy=True, verbose=False, return_n_iter=False,
    random_state=None,
):
    """Rows that stand for others, and clusters, from similarities.

    Returns
    -------
    cluster_centers_indices, labels : ndarrays, and with `return_n_iter` the number of iterations
    """
    from mercer.cluster import AffinityPropagation

    model = AffinityPropagation(
        preference=preference, convergence_iter=convergence_iter, max_iter=max_iter, damping=damping, copy=copy,
        affinity="precomputed", verbose=verbose, random_state=random_state,
    ).fit(S)
    found = model.cluster_centers_indices_, model.labels_
    return (*found, model.n_iter_) if return_n_iter else found


def spectral_clustering(
    affinity, *, n_clusters=8, n_components=None, eigen_solver=None, random_state=None, n_init=10, eigen_tol="auto",
    assign_labels="kmeans", verbose=False,
):
    """Clusters of a graph, from the affinities of all pairs of rows.

    Parameters
    ----------
    affinity : array or sparse matrix of shape (n_samples, n_samples)
    n_clusters, n_components, eigen_solver, random_state, n_init, eigen_tol, assign_labels, verbose
        As `SpectralClustering` takes them.

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    from mercer.cluster import SpectralClustering

    if type(affinity).__name__ == "matrix":
        raise TypeError("np.matrix is not supported. Please convert to a numpy array with np.asarray.")
    return SpectralClustering(
        n_clusters=n_clusters, n_components=n_components, eigen_solver=eigen_solver, random_state=random_state, n_init=n_init,
        eigen_tol=eigen_tol, assign_labels=assign_labels, affinity="precomputed", verbose=verbose,
    ).fit(affinity).labels_
