"""Quality over seeds and the share of seeding, behind the remarks on k-means in docs/performance.md.

Run after `cargo xtask bench kmeans bisecting_kmeans`, in its environment: OMP_NUM_THREADS=2 target/venv-bench/bin/python bench/kmeans_study.py
"""

import time
from pathlib import Path

import numpy as np
from mercer.cluster import BisectingKMeans as OursBisecting
from mercer.cluster import KMeans as Ours
from sklearn.cluster import BisectingKMeans as TheirsBisecting
from sklearn.cluster import KMeans as Theirs

SEEDS, BISECTING_SEEDS = 24, 40


def models(seed, **options):
    yield "mercer", Ours(n_clusters=50, random_state=seed, **options)
    yield "scikit-learn", Theirs(n_clusters=50, random_state=seed, n_init=1, **options)


rng = np.random.default_rng(3)
centres = rng.standard_normal((50, 30)) * 2
small = centres[rng.integers(0, 50, 20_000)] + rng.standard_normal((20_000, 30))
inertia = {}
for seed in range(SEEDS):
    for name, model in models(seed):
        inertia.setdefault(name, []).append(model.fit(small).inertia_ / len(small))
for name, values in inertia.items():
    print(f"{name}: inertia a row {np.mean(values):.2f} ± {np.std(values) / SEEDS**0.5:.2f} over {SEEDS} seeds")

few = np.load(Path(__file__).parent / "data/bisecting_kmeans/x.npy")[:10_000]
for name, make in (("mercer", OursBisecting), ("scikit-learn", TheirsBisecting)):
    values = [make(n_clusters=32, random_state=seed).fit(few).inertia_ / len(few) for seed in range(BISECTING_SEEDS)]
    spread = np.std(values) / BISECTING_SEEDS**0.5
    print(f"{name}, bisecting: inertia a row {np.mean(values):.2f} ± {spread:.2f} over {BISECTING_SEEDS} seeds", flush=True)

large = np.load(Path(__file__).parent / "data/kmeans/x.npy")
for seed in range(3):
    for (name, one), (_, full) in zip(models(seed, max_iter=1), models(seed)):
        started = time.perf_counter()
        one.fit(large)
        middle = time.perf_counter()
        full.fit(large)
        seeds, whole = middle - started, time.perf_counter() - middle
        each = 1000 * (whole - seeds) / max(1, full.n_iter_ - 1)
        print(f"{name}, seed {seed}: seeds and one iteration {seeds:.2f} s, whole {whole:.2f} s, {each:.0f} ms an iteration")
