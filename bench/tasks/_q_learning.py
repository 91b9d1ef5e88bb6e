"""Q-learning with a table: the usual loop in Python on Gymnasium's environment beside the compiled one."""

import numpy as np

WANTED = {"fit": 100.0}
REPEATS = 2
STEPS, EPSILON, SEED = 200_000, 0.1, 0


def earned(name, policy, discount):
    """What the greedy policy earns on average in Gymnasium's own transitions, discounted, from where episodes begin."""
    import gymnasium

    table = gymnasium.make(name).unwrapped
    n = len(table.P)
    moves, rewards = np.zeros((n, n)), np.zeros(n)
    for state in range(n):
        for chance, following, reward, over in table.P[state][int(policy[state])]:
            rewards[state] += chance * reward
            moves[state, following] += 0.0 if over else chance
    # Ever so little less than the discount, for policies that never end.
    values = np.linalg.solve(np.eye(n) - min(discount, 1 - 1e-6) * moves, rewards)
    return float(table.initial_state_distrib @ values)


def loop(name, alpha, discount):
    import gymnasium

    env, rng = gymnasium.make(name), np.random.default_rng(SEED)
    q, steps, seed = np.zeros((env.observation_space.n, env.action_space.n)), 0, SEED
    n_actions = q.shape[1]
    while steps < STEPS:
        state, _ = env.reset(seed=seed)
        seed, over = None, False
        while not over and steps < STEPS:
            action = int(rng.integers(n_actions)) if rng.random() < EPSILON else int(np.argmax(q[state]))
            following, reward, terminated, truncated, _ = env.step(action)
            worth = 0.0 if terminated else discount * q[following].max()
            q[state, action] += alpha * (reward + worth - q[state, action])
            state, steps, over = following, steps + 1, terminated or truncated
    return q.argmax(axis=1)


def contenders(ours, theirs, alpha, discount):
    """Both sides; `quality` is the loss: less what the greedy policy earns."""

    def mercer(_):
        from mercer.rl import QLearning

        agent = QLearning(alpha=alpha, epsilon=EPSILON, discount=discount, steps=STEPS, random_state=SEED)
        return {"fit": lambda: agent.fit(ours), "quality": lambda m: -earned(theirs, m.policy_, discount)}

    def python(_):
        return {"fit": lambda: loop(theirs, alpha, discount), "quality": lambda policy: -earned(theirs, policy, discount)}

    return {"mercer": mercer, "python-gymnasium": python}


def read(folder):
    return None
