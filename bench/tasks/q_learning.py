"""Q-learning on Gymnasium's CliffWalking-v1: seconds for 200,000 steps."""

from tasks._q_learning import REPEATS, WANTED, contenders, read

__all__ = ["CONTENDERS", "REPEATS", "TITLE", "WANTED", "read"]

TITLE = "Q-learning, cliff walk, 200,000 steps"
CONTENDERS = contenders("cliff", "CliffWalking-v1", alpha=0.5, discount=1.0)
