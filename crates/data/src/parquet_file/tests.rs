//! Round trips, a file of another writer, and damaged bytes.

use super::*;
use mercer_core::{Column, ColumnKind, Table};

fn example(n: usize) -> Table<'static> {
    let numbers: Vec<f64> = (0..n).map(|i| if i % 7 == 0 { f64::NAN } else { i as f64 / 3.0 }).collect();
    let levels: Vec<Option<String>> =
        (0..n).map(|i| (i % 5 != 0).then(|| format!("level {}", i % 4))).collect();
    let booleans: Vec<Option<bool>> = (0..n).map(|i| (i % 3 != 0).then_some(i % 2 == 0)).collect();
    let texts: Vec<Option<String>> =
        (0..n).map(|i| (i % 11 != 0).then(|| format!("text, \"{i}\""))).collect();
    Table::new(vec![
        ("x".into(), Column::numbers(numbers)),
        ("c".into(), Column::categories(&levels)),
        ("b".into(), Column::Boolean(booleans.into())),
        ("t".into(), Column::Text(texts.into())),
    ])
    .unwrap()
}

fn write(table: &Table<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_parquet(table, &mut bytes).unwrap();
    bytes
}

fn same(a: &Table<'_>, b: &Table<'_>) {
    assert_eq!((a.names(), a.n_rows()), (b.names(), b.n_rows()));
    for (x, y) in a.columns().iter().zip(b.columns()) {
        assert_eq!(x.kind(), y.kind());
        (0..a.n_rows()).for_each(|i| assert_eq!(x.text(i), y.text(i)));
    }
}

#[test]
fn what_is_written_is_read_back() {
    for n in [1, 100, (1 << 18) + 70_000] {
        let table = example(n);
        let back = read_parquet_bytes("memory", write(&table), 1000).unwrap();
        if n == 1 {
            assert_eq!(back.table.n_rows(), 1);
            continue;
        }
        same(&table, &back.table);
        assert_eq!(back.inferred[1].n_unique, Some(4));
    }
    let empty = read_parquet_bytes("memory", write(&example(0)), 1000).unwrap();
    assert_eq!((empty.table.n_rows(), empty.table.n_columns()), (0, 4));
}

#[test]
fn files_on_disk_are_read_by_many_columns_at_once() {
    // Columns once shared the cursor of the file, and read each other's bytes.
    let column =
        |j: usize| Column::numbers((0..50_000).map(|i| (i * (j + 1)) as f64 / 7.0).collect::<Vec<_>>());
    let table = Table::new((0..24).map(|j| (format!("x{j}"), column(j))).collect()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.parquet");
    std::fs::write(&path, write(&table)).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    for _ in 0..5 {
        assert!(pool.install(|| read_parquet(&path)).unwrap().table == table);
        let by_name = crate::read(&path.display().to_string(), &crate::CsvOptions::default());
        assert!(by_name.unwrap().table == table);
    }
}

#[test]
fn a_file_of_pyarrow_is_read() {
    let bytes = include_bytes!("../../tests/data/pyarrow.parquet").to_vec();
    let table = read_parquet_bytes("pyarrow", bytes, 1000).unwrap().table;
    let numbers = |name: &str| match table.column(name).unwrap() {
        Column::Numeric(v) => v.to_vec(),
        other @ (Column::Categorical { .. } | Column::Boolean(_) | Column::Text(_) | Column::Time(_)) => {
            panic!("{name} is {}", other.kind())
        }
    };
    assert_eq!(numbers("i8"), [-1.0, 0.0, 127.0, 5.0]);
    assert_eq!(numbers("u32"), [0.0, 4294967295.0, 1.0, 2.0]);
    assert_eq!(numbers("i64")[..3], [-9007199254740992.0, 1.0, 2.0]);
    assert!(numbers("i64")[3].is_nan());
    assert_eq!(numbers("f32"), [0.5, -1.5, 3.0, f64::INFINITY]);
    assert_eq!(numbers("required"), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(numbers("decimal"), [1.25, -0.01, 12345.67, 0.0]);
    assert_eq!(numbers("day"), [0.0, 1.0, -1.0, 19723.0]);
    assert_eq!(numbers("stamp_ms"), [0.0, 1.5, -1.0, 1704067200.0]);
    assert_eq!(numbers("stamp_ns"), [0.0, 1.5, -1.0, 1704067200.0]);
    assert_eq!(numbers("clock"), [0.0, 3661.5, 1.0, 86399.0]);
    assert!(numbers("nothing").iter().all(|v| v.is_nan()));
    let text = |name: &str, i| table.column(name).unwrap().text(i).map(|t| t.into_owned());
    assert_eq!(text("u64", 1).as_deref(), Some("18446744073709551615"), "no f64 holds it");
    assert_eq!(text("dictionary", 1).as_deref(), Some("b"));
    assert_eq!(text("dictionary", 2), None);
    assert_eq!(text("words", 3).as_deref(), Some("é, \"x\"\n"));
    assert_eq!(table.column("flag").unwrap().kind(), ColumnKind::Boolean);
    assert_eq!(text("flag", 2), None);
}

#[test]
fn nested_and_binary_columns_are_refused_by_name() {
    let nested = include_bytes!("../../tests/data/nested.parquet").to_vec();
    let error = read_parquet_bytes("nested", nested, 1000).unwrap_err().to_string();
    assert_eq!(error, "nested: column `points` is nested; flatten it first");
    let error = read_parquet_bytes("junk", b"PAR1 no".to_vec(), 1000).unwrap_err().to_string();
    assert!(error.starts_with("junk: not readable as Parquet"), "{error}");
}

#[test]
fn damaged_bytes_are_errors_or_other_values_but_never_panics() {
    let bytes = write(&example(200));
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        let _ = read_parquet_bytes("damaged", damaged, 1000);
        let _ = read_parquet_bytes("cut", bytes[..at].to_vec(), 1000);
    }
}
