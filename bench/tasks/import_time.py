"""What `import mercer` adds to importing numpy; the peer's figure is the limit of 20 ms."""

import subprocess
import sys

TITLE = "import time beyond numpy (the limit is 20 ms)"
WANTED = {"fit": 1.0}


def _seconds(statement):
    code = (
        "import time; import numpy; t = time.perf_counter(); "
        f"{statement}; print(time.perf_counter() - t)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(7)]
    return min(float(r.stdout) for r in runs)


def _contender(statement):
    return lambda _: {"figures": lambda: {"fit": _seconds(statement)}}


CONTENDERS = {
    "mercer": _contender("import mercer, mercer.linear_model"),
    "limit": lambda _: {"figures": lambda: {"fit": 0.020}},
    "sklearn": _contender("import sklearn.linear_model"),
}
