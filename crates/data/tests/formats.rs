//! Formats beside CSV and Parquet: what is read, what is refused, and where.

use mercer_core::{Column, ColumnKind, Table};
use mercer_data::{
    CsvOptions, read, read_arff_bytes, read_jsonl_from, read_npy_bytes, read_svmlight_bytes, write_jsonl,
};
use std::io::Write;

fn options() -> CsvOptions {
    CsvOptions::default()
}

#[test]
fn json_lines_go_there_and_back() {
    let table = Table::new(vec![
        ("x".into(), Column::numbers(vec![1.5, f64::NAN])),
        ("k".into(), Column::categories(&[Some("a\"b"), None])),
        ("b".into(), Column::Boolean(vec![Some(true), None].into())),
    ])
    .unwrap();
    let mut out = Vec::new();
    write_jsonl(&table, &mut out).unwrap();
    let back = read_jsonl_from("back", out.as_slice(), &options()).unwrap().table;
    assert_eq!(format!("{back:?}"), format!("{table:?}"));
    let error = |text: &str| read_jsonl_from("f", text.as_bytes(), &options()).unwrap_err().to_string();
    assert!(error("{\"a\": 1}\n[1]\n").contains("line 2"));
    assert!(error("{\"a\": {\"b\": 1}}\n").contains("`a` is nested"));
    assert!(error("{\"a\": \n").contains("line 1"));
    assert!(error("{\"a\": 1, \"a\": 2}\n").contains("twice"));
    let mixed = read_jsonl_from("f", "{\"a\": 1}\n{\"a\": \"x\"}\n".as_bytes(), &options()).unwrap();
    assert!(
        mixed.inferred[0].notes[0].contains("mixed") && mixed.inferred[0].kind == ColumnKind::Categorical
    );
    assert_eq!(read_jsonl_from("f", "".as_bytes(), &options()).unwrap().table.n_columns(), 0);
}

#[test]
fn svmlight_counts_from_one_or_zero() {
    let one = read_svmlight_bytes("f", b"# head\n1 qid:3 1:0.5 4:2\n\n0 qid:3 2:-1e-3 # tail\n").unwrap();
    assert_eq!((one.x.n_rows(), one.x.n_cols(), one.zero_based), (2, 4, false));
    assert_eq!(one.x.view().row(0), (&[0, 3][..], &[0.5, 2.0][..]));
    assert_eq!(one.queries, Some(vec![3, 3]));
    assert_eq!(one.table().unwrap().table.names()[2], "f1");
    let zero = read_svmlight_bytes("f", b"1 0:1 2:1\n").unwrap();
    assert_eq!((zero.x.n_cols(), zero.zero_based), (3, true));
    for (text, word) in [
        ("x 1:1\n", "label"),
        ("1 1:1 1:2\n", "does not rise"),
        ("1 a:1\n", "no index"),
        ("1 1\n", "index:value"),
        ("1 1:b\n", "no number"),
        ("1 99999999999:1\n", "too large"),
        ("1,2 1:1\n", "label"),
        ("1 qid:1 1:1\n1 1:1\n", "query"),
    ] {
        let error = read_svmlight_bytes("f", text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains("line"), "{text}: {error}");
    }
    assert_eq!(read_svmlight_bytes("f", b"").unwrap().x.n_rows(), 0);
}

#[test]
fn arff_follows_its_header() {
    let text = "% c\n@RELATION r\n@attribute n REAL\n@attribute 'a b' {x, 'y z'}\n@attribute s string\n\
                @attribute d date 'yyyy-MM-dd'\n@data\n1.5, 'y z', 'it\\'s', '2024-02-29'\n?,?,?,?\n{1 'y z', 0 3}\n";
    let loaded = read_arff_bytes("f", text.as_bytes(), &options()).unwrap();
    let kinds: Vec<ColumnKind> = loaded.inferred.iter().map(|i| i.kind).collect();
    assert_eq!(kinds, [ColumnKind::Numeric, ColumnKind::Categorical, ColumnKind::Text, ColumnKind::Time]);
    let text_of = |name: &str, i: usize| loaded.table.column(name).unwrap().text(i).map(|t| t.into_owned());
    assert_eq!(text_of("s", 0).as_deref(), Some("it's"));
    assert_eq!(text_of("d", 0).as_deref(), Some("2024-02-29"));
    assert_eq!((text_of("n", 2).as_deref(), text_of("a b", 2).as_deref()), (Some("3"), Some("y z")));
    for (text, word) in [
        ("@attribute a numeric\n", "no @data"),
        ("@attribute a relational\n@data\n", "type of attribute"),
        ("@attribute a numeric\n@data\n1,2\n", "2 values for 1"),
        ("@attribute a numeric\n@data\nx\n", "no number"),
        ("@attribute a {x}\n@data\ny\n", "declared"),
        ("@attribute a numeric\n@attribute a numeric\n@data\n", "twice"),
        ("@attribute 'a\n@data\n", "quote"),
        ("@data\n{9 1}\n", "no attribute 9"),
        ("nonsense\n", "@relation"),
    ] {
        let error = read_arff_bytes("f", text.as_bytes(), &options()).unwrap_err().to_string();
        assert!(error.contains(word), "{text}: {error}");
    }
}

/// A version 1 file as NumPy writes it.
fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(data);
    out
}

#[test]
fn npy_orders_and_types() {
    let values: Vec<u8> = [1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let c = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", &values);
    assert_eq!(read_npy_bytes("f", &c).unwrap().row(1), [4.0, 5.0, 6.0]);
    let f = npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", &values);
    assert_eq!(read_npy_bytes("f", &f).unwrap().row(1), [2.0, 4.0, 6.0]);
    let i = npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }", &[0xff, 0xff, 0, 7]);
    assert_eq!(read_npy_bytes("f", &i).unwrap().as_slice(), [-1.0, 7.0]);
    for (bytes, word) in [
        (b"nonsense".to_vec(), "not an .npy"),
        (npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", &[]), "no plain number"),
        (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", &values[..40]), "cut off"),
        (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1), }", &values), "3 dimensions"),
        (
            npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", &values),
            "beyond memory",
        ),
        (npy("{}", &values), "without descr"),
    ] {
        let error = read_npy_bytes("f", &bytes).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn endings_decide_through_compression() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let csv = b"a,t\n1,2024-01-01\n2,2024-01-02 10:00\n";
    std::fs::write(path("a.csv.zst"), zstd::encode_all(&csv[..], 3).unwrap()).unwrap();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(b"{\"a\": 1}\n").unwrap();
    std::fs::write(path("a.jsonl.gz"), gz.finish().unwrap()).unwrap();
    std::fs::write(path("a.svm"), "1 1:2\n").unwrap();
    std::fs::write(path("a.arff"), "@attribute a numeric\n@data\n1\n").unwrap();
    std::fs::write(
        path("a.npy"),
        npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", &[1, 2, 3]),
    )
    .unwrap();
    let zst = read(&path("a.csv.zst"), &options()).unwrap();
    assert_eq!(zst.inferred[1].kind, ColumnKind::Time);
    assert_eq!(zst.to_string(), "2 columns: 1 numeric, 1 time (t)");
    for (name, rows) in [("a.jsonl.gz", 1), ("a.svm", 1), ("a.arff", 1), ("a.npy", 3)] {
        assert_eq!(read(&path(name), &options()).unwrap().table.n_rows(), rows, "{name}");
    }
    std::fs::write(path("b.csv.zst"), b"not zstd").unwrap();
    assert!(read(&path("b.csv.zst"), &options()).unwrap_err().to_string().contains("b.csv.zst"));
}

#[test]
fn a_forced_time_that_is_none_is_told_by_line() {
    let kinds = [("t".to_owned(), ColumnKind::Time)].into();
    let options = CsvOptions { kinds, ..CsvOptions::default() };
    let error = mercer_data::read_csv_bytes("f", b"t\n2024-01-01\nsoon\n", &options).unwrap_err().to_string();
    assert!(error.contains("line 3") && error.contains("soon"), "{error}");
}

/// Whole numbers that `f64` cannot hold are texts in every format; files written by pyarrow (`generate_arrow.py`).
#[test]
fn keys_beyond_two_to_the_53_are_not_rounded() {
    let reference = |name: &str| format!("{}/tests/reference/{name}", env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let jsonl = folder.path().join("keys.jsonl").display().to_string();
    let rows = "{\"id\": 9007199254740993, \"n\": 9007199254740992, \"u\": 18446744073709551615}\n\
                {\"id\": null, \"n\": 1, \"u\": 1}\n{\"id\": 7, \"n\": 2, \"u\": 2}\n";
    std::fs::write(&jsonl, rows).unwrap();
    for source in [reference("keys.arrow"), reference("keys.parquet"), jsonl] {
        let loaded = read(&source, &options()).unwrap();
        let text = |name: &str, i| loaded.table.column(name).unwrap().text(i).map(|t| t.into_owned());
        assert_eq!(text("id", 0).as_deref(), Some("9007199254740993"), "{source}");
        assert_eq!((text("id", 1), text("id", 2).as_deref()), (None, Some("7")), "{source}");
        assert_eq!(text("u", 0).as_deref(), Some("18446744073709551615"), "{source}");
        assert!(loaded.inferred[0].notes[0].contains("such as `9007199254740993`"), "{source}");
        assert_eq!(loaded.table.column("n").unwrap().kind(), ColumnKind::Numeric, "{source}");
    }
}
