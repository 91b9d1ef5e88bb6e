"""Q-learning with a table on Gymnasium's cliff, the usual loop in Python beside the compiled one: seconds for 200,000 steps.

`quality` is what the greedy policy loses to the best path, which is 13 steps long.
"""

import numpy as np

TITLE = "Q-learning, cliff walk, 200,000 steps"
WANTED = {"fit": 100.0}
REPEATS = 2
STEPS, ALPHA, EPSILON, SEED = 200_000, 0.5, 0.1, 0


def read(folder):
    return None


def lost(policy):
    """Steps of the greedy path beyond 13, of which no more than 100 are taken."""
    state, moves = 36, [(-1, 0), (0, 1), (1, 0), (0, -1)]
    for steps in range(1, 101):
        row, column = divmod(state, 12)
        down, right = moves[policy[state]]
        row, column = min(max(row + down, 0), 3), min(max(column + right, 0), 11)
        state = 36 if row == 3 and 0 < column < 11 else row * 12 + column
        if state == 47:
            break
    return float(steps)


def ours(_):
    from mercer.rl import QLearning

    agent = QLearning(alpha=ALPHA, epsilon=EPSILON, discount=1.0, steps=STEPS, random_state=SEED)
    return {"fit": lambda: agent.fit("cliff"), "quality": lambda m: lost(m.policy_)}


def loop(_):
    import gymnasium

    def fit():
        env, rng = gymnasium.make("CliffWalking-v1"), np.random.default_rng(SEED)
        q, steps, seed = np.zeros((48, 4)), 0, SEED
        while steps < STEPS:
            state, _ = env.reset(seed=seed)
            seed, over = None, False
            while not over and steps < STEPS:
                action = int(rng.integers(4)) if rng.random() < EPSILON else int(np.argmax(q[state]))
                following, reward, terminated, truncated, _ = env.step(action)
                worth = 0.0 if terminated else q[following].max()
                q[state, action] += ALPHA * (reward + worth - q[state, action])
                state, steps, over = following, steps + 1, terminated or truncated
        return q.argmax(axis=1)

    return {"fit": fit, "quality": lost}


CONTENDERS = {"mercer": ours, "python-gymnasium": loop}
