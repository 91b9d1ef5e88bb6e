"""Arrays of every layout, frames of three libraries, sparse matrices, targets of every type."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from conftest import get
from numpy.testing import assert_allclose, assert_array_equal

from mercer import _mercer
from mercer._data import prepare_rows


def layouts(x):
    wide = np.zeros((2 * x.shape[0], 2 * x.shape[1]))
    wide[::2, ::2] = x
    frozen = x.copy()
    frozen.setflags(write=False)
    return {"C": x, "F": np.asfortranarray(x), "strided": wide[::2, ::2], "read-only": frozen}


@pytest.mark.parametrize("layout", ["C", "F", "strided", "read-only"])
def test_float64_is_read_where_it_lies(numbers, layout):
    x, y = numbers
    array = layouts(x)[layout]
    prepared, _ = prepare_rows(get("Ridge")(), array, fitting=True)
    assert prepared is array
    assert _mercer.is_view(prepared, array.__array_interface__["data"][0])
    assert_allclose(get("Ridge")().fit(array, y).predict(array), get("Ridge")().fit(x, y).predict(x), rtol=1e-12)


def test_a_frame_of_one_block_is_read_where_it_lies(numbers):
    frame = pd.DataFrame(numbers[0], columns=list("abcde"))
    prepared, names = prepare_rows(get("Ridge")(), frame, fitting=True)
    assert np.shares_memory(prepared[1], frame.to_numpy()) and names.tolist() == list("abcde")
    mixed = frame.assign(k=pd.Categorical(["u", "v"] * 60))
    columns = prepare_rows(get("StandardScaler")(), mixed, fitting=True)[0][2]
    assert np.shares_memory(columns[0][2], mixed["a"].to_numpy())
    series = pl.DataFrame({"a": numbers[0][:, 0], "k": ["u", "v"] * 60})
    columns = prepare_rows(get("StandardScaler")(), series, fitting=True)[0][2]
    assert np.shares_memory(columns[0][2], series["a"].to_numpy())
    table = series.to_arrow()
    columns = prepare_rows(get("StandardScaler")(), table, fitting=True)[0][2]
    assert np.shares_memory(columns[0][2], table.column(0).chunk(0).to_numpy())


@pytest.mark.parametrize("change", [
    lambda x: x[::-1][::-1], lambda x: x[::-1], lambda x: x[:, ::-1], lambda x: x.astype(np.float32),
    lambda x: (100 * x).astype(np.int32), lambda x: x.astype(object), lambda x: x.tolist(), lambda x: x > 0,
    lambda x: x.astype(">f8"), lambda x: np.asmatrix(x),
])
def test_everything_else_is_converted(numbers, change):
    x, y = numbers
    given = change(x)
    plain = np.array(np.asarray(given), dtype=np.float64, order="C")
    expected = get("Ridge")().fit(plain, y).predict(plain)
    found = get("Ridge")().fit(given, y).predict(given)
    # Answers to numbers of single precision have it, too.
    assert found.dtype == (np.float32 if getattr(given, "dtype", None) == np.float32 else np.float64)
    assert_allclose(found, expected.astype(found.dtype), rtol=1e-10)


def test_float32_stays_float32(numbers):
    x = numbers[0].astype(np.float32)
    assert get("StandardScaler")().fit_transform(x).dtype == np.float32
    assert get("PCA")(n_components=2).fit_transform(x).dtype == np.float32


def mixed():
    return {
        "mass": [1.5, None, 3.0, 2.0, 5.0, 4.0],
        "kind": ["b", "a", None, "b", "a", "c"],
        "tame": [True, False, True, None, True, False],
        "legs": [4, 2, 4, 4, 2, 6],
    }


def frames():
    columns = mixed()
    pandas = pd.DataFrame({
        "mass": columns["mass"], "kind": columns["kind"], "tame": pd.array(columns["tame"], dtype="boolean"),
        "legs": pd.array(columns["legs"], dtype="Int64"),
    })
    return {
        "pandas": pandas,
        "pandas, categories": pandas.assign(kind=pd.Categorical(columns["kind"])),
        "pandas, strings": pandas.assign(kind=pd.array(columns["kind"], dtype="string")),
        "pandas, objects": pandas.astype(object),
        "polars": pl.DataFrame(columns),
        "polars, categories": pl.DataFrame(columns).with_columns(pl.col("kind").cast(pl.Categorical)),
        "arrow": pa.table(columns),
        "arrow, dictionary": pa.table({**columns, "kind": pa.array(columns["kind"]).dictionary_encode()}),
        "arrow, chunks": pa.concat_tables([pa.table(columns).slice(0, 2), pa.table(columns).slice(2)]),
    }


@pytest.mark.parametrize("which", list(frames()))
def test_frames_of_three_libraries_mean_the_same(which):
    frame = frames()[which]
    filled = get("SimpleImputer")().fit_transform(frame)
    assert filled.shape == (6, 4) and filled[1, 0] == pytest.approx(3.1) and filled[2, 1] in ("a", "b")
    model = get("Pipeline")([
        ("impute", get("SimpleImputer")()), ("encode", get("OneHotEncoder")()), ("ridge", get("Ridge")()),
    ]).fit(frame, np.arange(6.0))
    assert model.feature_names_in_.tolist() == ["mass", "kind", "tame", "legs"]
    assert_allclose(model.predict(frame), model.predict(frames()["pandas"]), rtol=1e-10)


def test_a_model_of_one_library_reads_frames_of_another():
    everything = frames()
    encoder = get("OneHotEncoder")(columns="categorical", sparse_output=False).fit(everything["polars"])
    assert encoder.get_feature_names_out().tolist() == ["mass", "kind_a", "kind_b", "kind_c", "kind_nan", "tame", "legs"]
    expected = encoder.transform(everything["pandas"])
    for name, frame in everything.items():
        assert_allclose(encoder.transform(frame), expected, err_msg=name)


def test_names_are_checked(numbers):
    x, y = numbers
    frame = pd.DataFrame(x, columns=list("abcde"))
    model = get("Ridge")().fit(frame, y)
    with pytest.raises(ValueError, match="same order"):
        model.predict(frame[list("edcba")])
    with pytest.raises(ValueError, match="unseen at fit time:\n- z"):
        model.predict(frame.rename(columns={"a": "z"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(x)
    with pytest.raises(ValueError, match="3 features, but Ridge is expecting 5"):
        get("Ridge")().fit(x, y).predict(x[:, :3])


@pytest.mark.parametrize("make", [
    sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array, sp.csc_array, sp.coo_array, sp.lil_matrix,
])
@pytest.mark.parametrize("wide", [False, True])
def test_sparse(rng, make, wide):
    x = rng.normal(size=(60, 8)) * (rng.random((60, 8)) < 0.3)
    y = x @ np.arange(8.0) + rng.normal(size=60)
    given = make(x)
    if wide and hasattr(given, "indptr"):
        given.indptr, given.indices = given.indptr.astype(np.int64), given.indices.astype(np.int64)
    dense = get("Ridge")().fit(x, y)
    model = get("Ridge")().fit(given, y)
    assert_allclose(model.coef_, dense.coef_, rtol=1e-7, atol=1e-8)
    assert_allclose(model.predict(given), dense.predict(x), rtol=1e-7, atol=1e-8)
    scaled = get("StandardScaler")(with_mean=False).fit_transform(given)
    assert sp.issparse(scaled) and isinstance(scaled, sp.sparray) == isinstance(given, sp.sparray)


@pytest.mark.parametrize("labels", [
    np.array(["no", "yes"]), np.array(["no", "yes"], dtype=object), np.array([False, True]), np.array([3, 7]),
    np.array([-1, 1], dtype=np.int8), np.array([3, 7], dtype=np.uint64), np.array([0.0, 2.0]),
    np.array([0.0, 2.0], dtype=np.float32),
])
def test_classes_keep_their_type(numbers, labels):
    x, y = numbers
    target = labels[(y > y.mean()).astype(int)]
    model = get("DummyClassifier")().fit(x, target)
    assert model.classes_.dtype == labels.dtype and model.predict(x).dtype == labels.dtype
    assert_array_equal(model.classes_, labels)
    assert model.predict(x)[0] in labels
    assert model.score(x, target) == pytest.approx(max(np.mean(target == label) for label in labels))


def test_targets_of_frames(numbers):
    x, y = numbers
    expected = get("Ridge")().fit(x, y).coef_
    for series in (pd.Series(y, name="t"), pl.Series("t", y), pa.chunked_array([y]), y.tolist()):
        assert_allclose(get("Ridge")().fit(x, series).coef_, expected)
    words = pd.Series(np.where(y > 1, "u", "v"), dtype="category")
    assert get("DummyClassifier")().fit(x, words).classes_.tolist() == ["u", "v"]


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda x, y: get("Ridge")().fit(x[:, 0], y), ValueError, "Reshape your data"),
    (lambda x, y: get("Ridge")().fit(x, y[:-1]), ValueError, "inconsistent numbers of samples"),
    (lambda x, y: get("Ridge")().fit(x, y, sample_weight=-np.ones(len(y))), ValueError, "weight"),
    (lambda x, y: get("Ridge")(alpha=-1).fit(x, y), ValueError, "The 'alpha' parameter of Ridge must be in"),
    (lambda x, y: get("Ridge")(alpha="much").fit(x, y), ValueError, "The 'alpha' parameter of Ridge must be a number"),
    (lambda x, y: get("Ridge")(alpha={1: 2}).fit(x, y), ValueError, "The 'alpha' parameter of Ridge must be a number"),
    (lambda x, y: get("Ridge")(alpha={1, 2}).fit(x, y), TypeError, "`alpha` of Ridge: a set is no parameter"),
    (lambda x, y: get("Ridge")().fit(np.where(x > 2, np.nan, x), y), ValueError, "NaN.*SimpleImputer"),
    (lambda x, y: get("Ridge")().fit(x, np.where(y > 2, np.nan, y)), ValueError, "y contains NaN"),
    (lambda x, y: get("Ridge")().fit(pd.DataFrame({"k": ["a", "b"]}), [1, 2]), TypeError, "categorical column `k`"),
    (lambda x, y: get("Ridge")().fit("text", y), TypeError, "got a str"),
    (lambda x, y: get("Ridge")().fit(np.array([["a"], ["b"]]), [1, 2]), ValueError, "string to float"),
    (lambda x, y: get("DummyClassifier")().fit(x, y), ValueError, "Unknown label type"),
    (lambda x, y: get("Ridge")().predict(x), ValueError, "not fitted"),
    (lambda x, y: get("Ridge")().set_params(beta=1), ValueError, "Invalid parameter 'beta'"),
    (lambda x, y: get("SelectColumns")(keep=["q"]).fit(pd.DataFrame({"p": [1.0]})), KeyError, "column is called `q`"),
    (lambda x, y: get("OneHotEncoder")().fit(sp.csr_matrix(x)), TypeError, "dense data is required"),
])
def test_bad_input_is_named(numbers, call, error, message):
    with pytest.raises(error, match=message):
        call(*numbers)


def test_read_gives_columns(tmp_path):
    import mercer

    penguins = mercer.read("penguins")
    assert penguins["bill_length_mm"].dtype == np.float64 and len(penguins["species"]) == 344
    assert None in penguins["sex"].tolist()
    path = tmp_path / "small.csv"
    path.write_text("a,b\n1,x\n2,\n")
    small = mercer.read(path)
    assert small["a"].tolist() == [1.0, 2.0] and small["b"].tolist() == ["x", None]
    with pytest.raises(Exception, match="did you mean `iris`"):
        mercer.read("irsi")
