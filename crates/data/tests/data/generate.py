"""Writes pyarrow.parquet and nested.parquet.

    python3 -m venv venv && venv/bin/pip install pyarrow==26.0.1
    venv/bin/python crates/data/tests/data/generate.py
"""
import datetime as dt
import decimal
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

here = pathlib.Path(__file__).parent
epoch = dt.datetime(1970, 1, 1)
stamps = [epoch, epoch + dt.timedelta(seconds=1.5), epoch - dt.timedelta(seconds=1), dt.datetime(2024, 1, 1)]
days = [dt.date(1970, 1, 1), dt.date(1970, 1, 2), dt.date(1969, 12, 31), dt.date(2024, 1, 1)]
clock = [dt.time(0), dt.time(1, 1, 1, 500000), dt.time(0, 0, 1), dt.time(23, 59, 59)]
fields = [
    (pa.field("i8", pa.int8()), [-1, 0, 127, 5]),
    (pa.field("u32", pa.uint32()), [0, 2**32 - 1, 1, 2]),
    (pa.field("u64", pa.uint64()), [0, 2**64 - 1, 1, 2]),
    (pa.field("i64", pa.int64()), [-(2**53), 1, 2, None]),
    (pa.field("f32", pa.float32()), [0.5, -1.5, 3.0, float("inf")]),
    (pa.field("required", pa.float64(), nullable=False), [1.0, 2.0, 3.0, 4.0]),
    (pa.field("decimal", pa.decimal128(10, 2)), [decimal.Decimal(s) for s in ("1.25", "-0.01", "12345.67", "0")]),
    (pa.field("day", pa.date32()), days),
    (pa.field("stamp_ms", pa.timestamp("ms")), stamps),
    (pa.field("stamp_ns", pa.timestamp("ns")), stamps),
    (pa.field("clock", pa.time64("us")), clock),
    (pa.field("nothing", pa.float64()), [None] * 4),
    (pa.field("dictionary", pa.dictionary(pa.int32(), pa.string())), ["a", "b", None, "a"]),
    (pa.field("words", pa.string()), ["", "two words", None, 'é, "x"\n']),
    (pa.field("flag", pa.bool_()), [True, False, None, True]),
]
schema = pa.schema([field for field, _ in fields])
table = pa.table([pa.array(values, field.type) for field, values in fields], schema=schema)
pq.write_table(table, here / "pyarrow.parquet", row_group_size=3, compression="zstd")
pq.write_table(pa.table({"points": [[1, 2], [3]]}), here / "nested.parquet")
