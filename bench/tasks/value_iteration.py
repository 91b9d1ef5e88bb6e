"""Value iteration on a random sparse process: 5000 states, 10 actions, 10 states that follow each; discount 0.99.

All stop by the span of the last step, as soon as it proves 1e-6, and all are timed from arrays that are ready for them: an `MDP`, a
list of sparse matrices, one sparse matrix. `quality` is how much the policy loses in the worst state: by the residuals of its values.

pymdptoolbox plans in two steps. To make its `ValueIteration` takes half a minute here: its bound of the iterations looks at every column
of every matrix, and cannot be left out. Whoever plans with it waits for both, which is `pymdptoolbox`; `pymdptoolbox-run`
starts from an object that has been made.
"""

import numpy as np

TITLE = "Value iteration, 5000 states × 10 actions × 10 successors"
WANTED = {"fit": 2.0}
REPEATS = 5
SLACK = 1e-5

STATES, ACTIONS, FOLLOW, DISCOUNT, TOL = 5000, 10, 10, 0.99, 1e-6


def data(folder):
    rng = np.random.default_rng(0)
    rows = STATES * ACTIONS
    to = np.array([rng.choice(STATES, FOLLOW, replace=False) for _ in range(rows)])
    p = rng.dirichlet(np.ones(FOLLOW), rows)
    np.savez(folder / "process.npz", to=to, p=p, r=rng.normal(size=(STATES, ACTIONS)))


def read(folder):
    import scipy.sparse as sp

    held = np.load(folder / "process.npz")
    rows = np.repeat(np.arange(STATES * ACTIONS), FOLLOW)
    # Pair (s, a) is the row s · ACTIONS + a.
    p = sp.csr_matrix((held["p"].ravel(), (rows, held["to"].ravel())), shape=(STATES * ACTIONS, STATES))
    return p, held["r"]


def loss(p, r, values):
    """What a greedy policy for these values loses at most."""
    change = (r + DISCOUNT * (p @ values).reshape(r.shape)).max(axis=1) - values
    return float((change.max() - change.min()) * DISCOUNT / (1 - DISCOUNT))


def ours(arrays):
    from mercer.rl import MDP, ValueIteration

    p, r = arrays
    mdp = MDP([p[a::ACTIONS] for a in range(ACTIONS)], r, DISCOUNT)
    return {"fit": lambda: ValueIteration(tol=TOL).fit(mdp), "quality": lambda m: loss(p, r, m.values_)}


def scipy(arrays):
    p, r = arrays

    def fit():
        values = np.zeros(STATES)
        while True:
            step = (r + DISCOUNT * (p @ values).reshape(r.shape)).max(axis=1)
            change = step - values
            values = step
            if 0.5 * (change.max() - change.min()) <= TOL * (1 - DISCOUNT) / DISCOUNT:
                break
        far = DISCOUNT / (1 - DISCOUNT)
        values = values + 0.5 * far * (change.max() + change.min())
        q = r + DISCOUNT * (p @ values).reshape(r.shape)
        return values, q, q.argmax(axis=1)

    return {"fit": fit, "quality": lambda found: loss(p, r, found[0])}


def toolbox_model(arrays):
    import mdptoolbox

    p, r = arrays
    matrices = [p[a::ACTIONS] for a in range(ACTIONS)]
    model = mdptoolbox.mdp.ValueIteration(matrices, r, DISCOUNT, epsilon=2 * TOL)
    # Its own bound may be less than what the tolerance takes.
    model.max_iter = 100000
    return model


def toolbox(arrays):
    def fit():
        model = toolbox_model(arrays)
        model.run()
        return model

    return {"fit": fit, "quality": lambda m: loss(*arrays, np.array(m.V))}


def toolbox_run(arrays):
    model = toolbox_model(arrays)

    def fit():
        model.V, model.iter = np.zeros(STATES), 0
        model.run()
        return model

    return {"fit": fit, "quality": lambda m: loss(*arrays, np.array(m.V))}


CONTENDERS = {"mercer": ours, "scipy": scipy, "pymdptoolbox": toolbox, "pymdptoolbox-run": toolbox_run}
