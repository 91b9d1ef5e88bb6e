"""Q-learning on Gymnasium's Taxi-v4: seconds for 200,000 steps."""

from tasks._q_learning import REPEATS, WANTED, contenders, read

__all__ = ["CONTENDERS", "REPEATS", "TITLE", "WANTED", "read"]

TITLE = "Q-learning, taxi, 200,000 steps"
CONTENDERS = contenders("taxi", "Taxi-v4", alpha=0.5, discount=0.99)
# One algorithm on both sides: what its policy lacks is luck.
COUNTS = ("python-gymnasium",)
