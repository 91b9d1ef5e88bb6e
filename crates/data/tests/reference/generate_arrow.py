"""Small Arrow IPC files, written by others.

Run with pyarrow 26.0.1 and polars 2.1.0 (any recent versions give readable files):
    python generate_arrow.py
"""

import datetime as dt
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet

here = Path(__file__).parent
day = dt.date
table = pa.table(
    {
        "f64": pa.array([1.5, None, -3.0, 1e300, 0.0], pa.float64()),
        "i32": pa.array([1, 2, None, -4, 5], pa.int32()),
        "u8": pa.array([0, 255, 7, None, 1], pa.uint8()),
        "f32": pa.array([0.5, 0.25, None, 2.0, 3.0], pa.float32()),
        "b": pa.array([True, False, None, True, True], pa.bool_()),
        "s": pa.array(["a", None, "a longer text than twelve bytes", "é", "a"], pa.string()),
        "d": pa.array(["x", "y", None, "x", "x"], pa.string()).dictionary_encode(),
        "day": pa.array([day(1970, 1, 2), None, day(2024, 2, 29), day(1969, 12, 31), day(2000, 1, 1)], pa.date32()),
        "when": pa.array(
            [dt.datetime(2024, 2, 29, 12, 30, 15, 250000), None, dt.datetime(2024, 1, 1), None, None], pa.timestamp("ns")
        ),
    }
)
with pa.OSFile(str(here / "plain.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
    for batch in table.to_batches(max_chunksize=2):
        writer.write_batch(batch)
with pa.OSFile(str(here / "stream.arrows"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
    writer.write_table(table)
feather.write_feather(table, here / "lz4.feather", compression="lz4")
feather.write_feather(table, here / "zstd.feather", compression="zstd")
pl.from_arrow(table).write_ipc(here / "polars.arrow")
nested = pa.table({"l": pa.array([[1], [2, 3]])})
with pa.OSFile(str(here / "nested.arrow"), "wb") as sink, pa.ipc.new_file(sink, nested.schema) as writer:
    writer.write_table(nested)
keys = pa.table({"id": pa.array([2**53 + 1, None, 7], pa.int64()), "n": pa.array([2**53, 1, 2], pa.int64()), "u": pa.array([2**64 - 1, 1, 2], pa.uint64())})
with pa.OSFile(str(here / "keys.arrow"), "wb") as sink, pa.ipc.new_file(sink, keys.schema) as writer:
    writer.write_table(keys)
parquet.write_table(keys, here / "keys.parquet")
