"""Frozen reference values of kernels of graphs, on the first graphs of the shared sets mutag and enzymes.

Pinned: grakel 0.1.11. Run: python generate_graphs.py FOLDER_OF_DATA > graphs.json
"""

import gzip
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from grakel import Graph
from grakel.kernels import RandomWalk, ShortestPath, WeisfeilerLehman, VertexHistogram

assert version("grakel") == "0.1.11"
folder, many = Path(sys.argv[1]), 14


def table(name):
    path = folder / name
    text = gzip.open(path, "rt").read() if name.endswith("gz") else path.read_text()
    return [line.split(",") for line in text.splitlines()[1:]]


out = {}
for name, edges, decay in (("mutag", "mutag-edges.csv", 0.1), ("enzymes", "enzymes-edges.csv.gz", 0.01)):
    nodes = {g: {} for g in range(1, many + 1)}
    for node, g, label in table(f"{name}-nodes.csv"):
        if int(g) in nodes:
            nodes[int(g)][int(node)] = label
    pairs = {g: set() for g in nodes}
    for source, target, g, *_ in table(edges):
        if int(g) in nodes:
            pairs[int(g)] |= {(int(source), int(target)), (int(target), int(source))}
    graphs = [Graph(sorted(pairs[g]), node_labels=nodes[g]) for g in nodes]
    walk = lambda **more: RandomWalk(lamda=decay, method_type="baseline", kernel_type="geometric", **more)
    kernels = {
        "weisfeiler_lehman(rounds=3)": WeisfeilerLehman(n_iter=3, base_graph_kernel=VertexHistogram),
        "normalised(weisfeiler_lehman(rounds=5))": WeisfeilerLehman(n_iter=5, base_graph_kernel=VertexHistogram, normalize=True),
        "shortest_path": ShortestPath(with_labels=True),
        "shortest_path(labels=false)": ShortestPath(with_labels=False),
        f"random_walk(decay={decay}, labels=false)": walk(),
    }
    # The graphs themselves: the label of each node, and each edge once, by places.
    places = {g: {node: i for i, node in enumerate(nodes[g])} for g in nodes}
    ends = {g: sorted({tuple(sorted((places[g][a], places[g][b]))) for a, b in pairs[g]}) for g in nodes}
    data = [{"labels": list(nodes[g].values()), "edges": ends[g]} for g in nodes]
    out[name] = {"graphs": data, "kernels": {text: np.asarray(kernel.fit_transform(graphs)).tolist() for text, kernel in kernels.items()}}
json.dump(out, sys.stdout)
