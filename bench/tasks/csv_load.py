"""Reading a CSV file of 1,000,000 × 20 numbers; ours through the command line's own reader in Rust."""

import numpy as np

TITLE = "CSV load 1M×20"
WANTED = {"fit": 1.0}


def data(folder):
    import polars as pl

    rng = np.random.default_rng(7)
    frame = pl.DataFrame({f"c{j}": rng.standard_normal(1_000_000) for j in range(20)})
    frame.write_csv(folder / "x.csv")


def read(folder):
    return str(folder / "x.csv")


def _mercer(path):
    import mercer

    return {"fit": lambda: mercer.read(path), "quality": lambda t: 0.0}


def _pandas(path):
    import pandas as pd

    return {"fit": lambda: pd.read_csv(path, engine="c"), "quality": lambda t: 0.0}


def _polars(path):
    import polars as pl

    return {"fit": lambda: pl.read_csv(path), "quality": lambda t: 0.0}


CONTENDERS = {"mercer": _mercer, "pandas": _pandas, "polars": _polars}
