"""Times scikit-learn's one-hot encoding of 1,000,000 rows of five columns: texts as objects, and numbers."""
import time

import numpy as np
from sklearn.preprocessing import OneHotEncoder

rng = np.random.default_rng(0)
codes = np.column_stack([rng.integers(0, m, 1_000_000) for m in [3, 10, 50, 200, 1000]])
texts = np.array([f"level{i:04}" for i in range(1000)], dtype=object)[codes]
for name, x in [("texts", texts), ("float64", codes.astype(float)), ("int64", codes)]:
    for _ in range(3):
        start = time.time()
        out = OneHotEncoder().fit_transform(x)
        print(f"{name}: {time.time() - start:.3f} s, {out.shape}")
