"""Graphs, kernels of graphs, and kernels of the nodes of a graph.

Kernels are objects that every learner with a ``kernel`` takes: ``SVC(kernel=WeisfeilerLehman(h=3)).fit(graphs, y)``. They give matrices of their
values, too, by ``fit_transform`` and ``transform``.
"""

from __future__ import annotations

from mercer import _mercer
from mercer._lazy import Lazy
from mercer._structures import StructureKernel, truth

np = Lazy("numpy")

__all__ = ["Graph", "RandomWalk", "ShortestPath", "Subtree", "WeisfeilerLehman", "graphs_from_tables", "node_kernel"]


class Graph:
    """A graph: nodes with labels, edges with weights and labels.

    Parameters
    ----------
    edges : sequence of pairs, or array of shape (n_edges, 2)
        Both ends of each edge; each edge stands once.
    nodes : int, sequence or None
        The nodes, or how many there are where they are numbers from 0. None takes them from the edges.
    labels : sequence, dict or None
        A label for each node.
    weights : sequence or None
        A weight for each edge, at least 0; None is 1.
    edge_labels : sequence or None
        A label for each edge.
    directed : bool, default=False
        Whether edges go one way.
    """

    def __init__(self, edges, nodes=None, labels=None, weights=None, edge_labels=None, directed=False):
        pairs = [tuple(edge) for edge in edges]
        if any(len(pair) != 2 for pair in pairs):
            raise ValueError("edges are pairs of nodes; weights are given as `weights`")
        if nodes is None:
            nodes = list(labels) if isinstance(labels, dict) else list(dict.fromkeys(v for pair in pairs for v in pair))
            if not isinstance(labels, dict) and all(isinstance(v, (int, np.integer)) for v in nodes):
                nodes = range(int(max(nodes, default=-1)) + 1 if labels is None else len(labels))
        self.nodes = list(range(nodes)) if isinstance(nodes, (int, np.integer)) else list(nodes)
        place = {node: i for i, node in enumerate(self.nodes)}
        if len(place) != len(self.nodes):
            raise ValueError("a node stands more than once")
        strange = [v for pair in pairs for v in pair if v not in place]
        if strange:
            raise ValueError(f"an edge has the node {strange[0]!r}, which is none of the graph's")
        if isinstance(labels, dict):
            labels = [labels[node] for node in self.nodes]
        self.edges = pairs
        self.labels = None if labels is None else [str(label) for label in labels]
        self.weights = None if weights is None else [float(w) for w in weights]
        self.edge_labels = None if edge_labels is None else [str(label) for label in edge_labels]
        self.directed = bool(directed)
        for what, given, n in (("label for each node", self.labels, len(self.nodes)), ("weight for each edge", self.weights, len(pairs)),
                               ("label for each edge", self.edge_labels, len(pairs))):
            if given is not None and len(given) != n:
                raise ValueError(f"a graph has one {what}: expected {n}, got {len(given)}")
        ends = np.array([place[v] for pair in pairs for v in pair], dtype=np.int64)
        self._ends = ends

    @classmethod
    def from_adjacency(cls, matrix, labels=None, directed=False):
        """A graph from its matrix of weights, where 0 is no edge; that of a graph that is not directed must be symmetric."""
        matrix = np.asarray(matrix, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"expected a square matrix, got shape {matrix.shape}")
        if not directed and not np.array_equal(matrix, matrix.T):
            raise ValueError("the matrix is not symmetric; say directed=True where edges go one way")
        rows, columns = np.nonzero(matrix if directed else np.triu(matrix))
        return cls(zip(rows.tolist(), columns.tolist()), len(matrix), labels, matrix[rows, columns], directed=directed)

    @classmethod
    def from_networkx(cls, graph, label="label", edge_label="label", weight="weight"):
        """A graph of networkx; labels and weights are taken from the named attributes, where all nodes or edges have them."""
        nodes, edges = list(graph.nodes(data=True)), list(graph.edges(data=True))

        def all_of(attributes, name):
            return [a[name] for a in attributes] if attributes and all(name in a for a in attributes) else None

        with_nodes, with_edges = [a for _, a in nodes], [a for _, _, a in edges]
        return cls(
            [(v, w) for v, w, _ in edges],
            [v for v, _ in nodes],
            all_of(with_nodes, label),
            all_of(with_edges, weight),
            all_of(with_edges, edge_label),
            graph.is_directed(),
        )

    def _mercer_graph(self):
        weights = np.ones(len(self.edges)) if self.weights is None else np.array(self.weights, dtype=np.float64)
        return len(self.nodes), self._ends, weights, self.labels, self.edge_labels, self.directed

    def __len__(self):
        return len(self.nodes)

    def __repr__(self):
        return f"Graph of {len(self.nodes)} nodes and {len(self.edges)} edges"


def graphs_from_tables(edges, nodes):
    """Graphs from a table of edges and one of nodes, as collections of graphs are published.

    Parameters
    ----------
    edges : frame or dict of columns
        ``graph``, ``source`` and ``target``; ``weight`` and ``label`` where there are any. An edge that stands in both directions is one.
    nodes : frame or dict of columns
        ``graph`` and ``node``; ``label`` where there are any.

    Returns
    -------
    list of Graph, in the order in which graphs first stand among the nodes
    """
    def column(table, name):
        return np.asarray(table[name]).tolist() if name in table else None

    of_node, node, label = (column(nodes, name) for name in ("graph", "node", "label"))
    parts = {g: ([], [], {}) for g in dict.fromkeys(of_node)}
    for i, g in enumerate(of_node):
        parts[g][0].append(node[i])
        parts[g][1].append(None if label is None else label[i])
    of_edge, source, target, weight, kind = (column(edges, name) for name in ("graph", "source", "target", "weight", "label"))
    for i, g in enumerate(of_edge):
        if g not in parts:
            raise ValueError(f"edge {i} is of the graph {g!r}, which has no nodes")
        known = parts[g][2]
        if (target[i], source[i]) not in known:
            known.setdefault((source[i], target[i]), (1.0 if weight is None else weight[i], None if kind is None else kind[i]))
    return [
        Graph(
            list(known),
            own,
            None if label is None else labels,
            None if weight is None else [w for w, _ in known.values()],
            None if kind is None else [k for _, k in known.values()],
        )
        for own, labels, known in parts.values()
    ]


class _GraphKernel(StructureKernel):
    _kind = "graphs"


class WeisfeilerLehman(_GraphKernel):
    """The number of common labels of nodes, after rounds in which a node takes the labels of its neighbours to its own (Shervashidze et al. 2011).

    Parameters
    ----------
    h : int, default=5
        The number of rounds.
    edge_labels : bool, default=False
        Whether labels of edges count.
    normalize : bool, default=False
        Whether values are divided by the roots of those of both graphs with themselves.
    """

    def __init__(self, h=5, edge_labels=False, normalize=False):
        self.h = h
        self.edge_labels = edge_labels
        self.normalize = normalize

    def _grammar(self):
        return f"weisfeiler_lehman(rounds={self.h}, edges={truth(self.edge_labels)})"


class ShortestPath(_GraphKernel):
    """The number of pairs of nodes that are equally far apart, with the same labels (Borgwardt and Kriegel 2005).

    Parameters
    ----------
    with_labels : bool, default=True
        Whether labels of the ends count.
    normalize : bool, default=False
        Whether values are divided by the roots of those of both graphs with themselves.
    """

    def __init__(self, with_labels=True, normalize=False):
        self.with_labels = with_labels
        self.normalize = normalize

    def _grammar(self):
        return f"shortest_path(labels={truth(self.with_labels)})"


class RandomWalk(_GraphKernel):
    """The number of common walks, long ones counting less (Gärtner, Flach and Wrobel 2003).

    Parameters
    ----------
    decay : float, default=0.1
        Each step counts this factor. Without ``length`` it must be below 1 over the square of every graph's largest eigenvalue.
    length : int or None
        The longest walks; None is without end.
    with_labels : bool, default=True
        Whether nodes must have the same label.
    edge_labels : bool, default=False
        Whether edges must have the same label.
    normalize : bool, default=False
        Whether values are divided by the roots of those of both graphs with themselves.
    """

    def __init__(self, decay=0.1, length=None, with_labels=True, edge_labels=False, normalize=False):
        self.decay = decay
        self.length = length
        self.with_labels = with_labels
        self.edge_labels = edge_labels
        self.normalize = normalize

    def _grammar(self):
        length = "" if self.length is None else f", length={self.length}"
        labels = f"labels={truth(self.with_labels)}, edges={truth(self.edge_labels)}"
        return f"random_walk(decay={float(self.decay)!r}{length}, {labels})"


class Subtree(_GraphKernel):
    """The number of common subtrees of a height: of each pair of nodes with the same label, all matchings of their neighbours (Ramon and
    Gärtner 2003).

    Parameters
    ----------
    height : int, default=3
        In nodes; 1 is a single node.
    decay : float, default=1.0
        Each node with branches counts this factor.
    with_labels : bool, default=True
        Whether nodes must have the same label.
    edge_labels : bool, default=False
        Whether edges must have the same label.
    normalize : bool, default=False
        Whether values are divided by the roots of those of both graphs with themselves.
    """

    def __init__(self, height=3, decay=1.0, with_labels=True, edge_labels=False, normalize=False):
        self.height = height
        self.decay = decay
        self.with_labels = with_labels
        self.edge_labels = edge_labels
        self.normalize = normalize

    def _grammar(self):
        labels = f"labels={truth(self.with_labels)}, edges={truth(self.edge_labels)}"
        return f"subtree(height={self.height}, decay={float(self.decay)!r}, {labels})"


_NODE_KERNELS = {"diffusion": "beta", "regularised_laplacian": "beta", "steps": "a", "commute_time": None, "walks": "decay"}


def node_kernel(graph, kind="diffusion", *, beta=1.0, a=2.0, steps=1, decay=0.1, normalized=False):
    """The kernel of each node of a graph with each, for learners with ``kernel="precomputed"``.

    Parameters
    ----------
    graph : Graph
        Not directed.
    kind : {"diffusion", "regularised_laplacian", "steps", "commute_time", "walks"}
        exp(−βL); (I + βL)⁻¹; (aI − L)^steps; the pseudo-inverse of L; (I − decay·A)⁻¹.
    beta, a, decay : float
    steps : int
    normalized : bool, default=False
        Whether the normalised Laplacian is taken.

    Returns
    -------
    ndarray of shape (n_nodes, n_nodes)
    """
    if kind not in _NODE_KERNELS:
        raise ValueError(f"`kind` must be one of {', '.join(_NODE_KERNELS)}, got {kind!r}")
    value = {"beta": beta, "a": a, "decay": decay, None: 0.0}[_NODE_KERNELS[kind]]
    return _mercer.node_kernel(graph._mercer_graph(), kind, float(value), int(steps), bool(normalized))
