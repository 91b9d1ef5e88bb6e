"""Memory of `mercer fit --stream` on a large generated CSV.

    python bench/stream_study.py [gigabytes] [path of the mercer binary]

Writes the file to a temporary folder, fits by streaming, and prints the largest resident memory and the time.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np


def main():
    gigabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    binary = sys.argv[2] if len(sys.argv) > 2 else "target/release/mercer"
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        block = rng.normal(size=(20_000, 20))
        lines = "\n".join(",".join(f"{v:.6f}" for v in row) + f",{row @ np.arange(20):.4f}" for row in block) + "\n"
        header = ",".join(f"x{j}" for j in range(20)) + ",y\n"
        times = int(gigabytes * 1e9 / len(lines)) + 1
        with path.open("w", encoding="utf-8") as file:
            file.write(header)
            for _ in range(times):
                file.write(lines)
        size = path.stat().st_size
        started = time.perf_counter()
        subprocess.run(
            [binary, "fit", str(path), "-t", "y", "-m", "ridge", "--stream", "-o", str(Path(folder) / "m.mercer")], check=True
        )
        seconds = time.perf_counter() - started
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{size / 1e9:.2f} GB, {20_000 * times:,} rows: {seconds:.1f} s, largest resident memory {memory:.0f} MB")


if __name__ == "__main__":
    main()
