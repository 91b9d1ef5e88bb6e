"""A corpus drawn from topics, and how well topics tell the other half of documents."""

import numpy as np
from scipy.sparse import csr_matrix

WORDS = 10_000


def write(folder, n, true, length, seed):
    """Documents of Poisson lengths as sparse counts; words of a topic follow a Zipf law in an order of its own."""
    rng = np.random.default_rng(seed)
    law = 1.0 / np.arange(1, WORDS + 1) ** 1.1
    common = rng.permutation(WORDS)
    topics = np.array([0.2 * law[common] + 0.8 * law[rng.permutation(WORDS)] for _ in range(true)])
    ends = np.cumsum(topics / topics.sum(axis=1, keepdims=True), axis=1)
    rows, columns = [], []
    for i in range(n):
        z = rng.choice(true, size=rng.poisson(length) + 2, p=rng.dirichlet(np.full(true, 0.05)))
        columns.append(np.array([np.searchsorted(ends[t], u) for t, u in zip(z, rng.random(len(z)))]).clip(max=WORDS - 1))
        rows.append(np.full(len(z), i))
    rows, columns = np.concatenate(rows), np.concatenate(columns)
    x = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, WORDS))
    x.sum_duplicates()
    for name in ("data", "indices", "indptr"):
        np.save(folder / f"{name}.npy", getattr(x, name))


def read(folder):
    """Rows to learn from, and those that are held out."""
    parts = tuple(np.load(folder / f"{name}.npy") for name in ("data", "indices", "indptr"))
    x = csr_matrix(parts, shape=(len(parts[2]) - 1, WORDS))
    n = x.shape[0] - 1000
    return x[:n], x[n:]


def perplexity(words, alpha, held_out):
    """The perplexity of every other word of held-out documents under topics × words, given the others and the prior of shares."""
    from scipy.special import psi

    log, total = 0.0, 0
    for row in held_out:
        document = np.repeat(row.indices, row.data.astype(int))
        first, second = document[0::2], document[1::2]
        weights, gamma = words[:, first], np.ones(len(alpha))
        for _ in range(100):
            theta = np.exp(psi(gamma) - psi(gamma.sum()))
            new = alpha + theta * (weights / (theta @ weights + 1e-300)).sum(axis=1)
            change, gamma = np.abs(new - gamma).mean(), new
            if change < 1e-4:
                break
        log += np.log(gamma / gamma.sum() @ words[:, second]).sum()
        total += len(second)
    return float(np.exp(-log / total))
