//! Files of others, and damaged ones.

use super::*;

fn read(name: &str) -> Result<Loaded> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name);
    read_arrow(path, &CsvOptions::default())
}

/// Files written by pyarrow and polars (`tests/reference/generate_arrow.py`) hold the same five rows.
#[test]
fn files_of_others_are_read() {
    for name in ["plain.arrow", "stream.arrows", "lz4.feather", "zstd.feather", "polars.arrow"] {
        let loaded = read(name).unwrap_or_else(|e| panic!("{name}: {e}"));
        let table = &loaded.table;
        let texts = |column: &str| {
            (0..5).map(|i| table.column(column).unwrap().text(i).map(|t| t.into_owned())).collect::<Vec<_>>()
        };
        let some = |v: [&str; 5]| v.map(|t| (!t.is_empty()).then(|| t.to_owned())).to_vec();
        assert_eq!(texts("f64"), some(["1.5", "", "-3", &1e300.to_string(), "0"]), "{name}");
        assert_eq!(texts("i32"), some(["1", "2", "", "-4", "5"]), "{name}");
        assert_eq!(texts("u8"), some(["0", "255", "7", "", "1"]), "{name}");
        assert_eq!(texts("f32"), some(["0.5", "0.25", "", "2", "3"]), "{name}");
        assert_eq!(texts("b"), some(["true", "false", "", "true", "true"]), "{name}");
        assert_eq!(texts("s"), some(["a", "", "a longer text than twelve bytes", "é", "a"]), "{name}");
        assert_eq!(texts("d"), some(["x", "y", "", "x", "x"]), "{name}");
        assert_eq!(
            texts("day"),
            some(["1970-01-02", "", "2024-02-29", "1969-12-31", "2000-01-01"]),
            "{name}"
        );
        let when = texts("when");
        assert_eq!(when[0].as_deref(), Some("2024-02-29 12:30:15.250000"), "{name}");
        assert_eq!(when[1], None);
    }
}

#[test]
fn damaged_files_are_errors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/plain.arrow");
    let bytes = std::fs::read(path).unwrap();
    let options = CsvOptions::default();
    for cut in (0..bytes.len()).step_by(37) {
        let _ = read_arrow_bytes("cut", &bytes[..cut], &options);
    }
    for at in (0..bytes.len()).step_by(3) {
        for flip in [1u8, 0x80, 0xff] {
            let mut bad = bytes.clone();
            bad[at] ^= flip;
            let _ = read_arrow_bytes("flipped", &bad, &options);
        }
    }
    let error = read_arrow_bytes("x", b"not arrow at all", &options).unwrap_err().to_string();
    assert!(error.contains('x'), "{error}");
    assert!(read("nested.arrow").unwrap_err().to_string().contains("nested"));
}
