"""Q-learning on Gymnasium's FrozenLake-v1: seconds for 200,000 steps."""

from tasks._q_learning import REPEATS, WANTED, contenders, read

__all__ = ["CONTENDERS", "REPEATS", "TITLE", "WANTED", "read"]

TITLE = "Q-learning, frozen lake, slippery, 200,000 steps"
CONTENDERS = contenders("frozen-lake", "FrozenLake-v1", alpha=0.1, discount=0.99)
# One algorithm on both sides: what its policy lacks is luck.
COUNTS = ("python-gymnasium",)
