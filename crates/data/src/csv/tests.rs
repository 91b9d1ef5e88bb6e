//! The reader against the `csv` crate, against itself in other pieces, and on broken input.

use super::*;
use crate::Inferred;
use mercer_core::Column;
use proptest::prelude::*;

fn load(text: &str) -> Loaded {
    read_csv_bytes("t", text.as_bytes(), &CsvOptions::default()).expect("readable")
}

fn fail(text: impl AsRef<[u8]>) -> String {
    read_csv_bytes("t", text.as_ref(), &CsvOptions::default()).expect_err("broken").to_string()
}

fn as_text() -> CsvOptions {
    // Nothing but the empty field is missing, every column is a dictionary: fields come back as they are.
    CsvOptions { delimiter: Some(b','), header: false, missing: vec![], ..Default::default() }
}

#[test]
fn kinds_are_inferred() {
    let loaded = load("n,b,c,t,m\n1,true,x,aa,NA\n-2.5e3,FALSE,y,bb,\ninf,True,x,cc,null\n,NA,,dd,NaN\n");
    let kinds: Vec<_> = loaded.inferred.iter().map(|i| i.kind).collect();
    use ColumnKind::*;
    assert_eq!(kinds, [Numeric, Boolean, Categorical, Categorical, Numeric]);
    let table = &loaded.table;
    assert!(
        matches!(table.column("n").unwrap(), Column::Numeric(v) if v[..3] == [1.0, -2500.0, f64::INFINITY])
    );
    let booleans = vec![Some(true), Some(false), Some(true), None];
    assert_eq!(table.column("b").unwrap(), &Column::Boolean(booleans.into()));
    assert_eq!(table.column("c").unwrap().text(3), None);
    assert_eq!(table.column("m").unwrap().n_missing(), 4);
    assert!(loaded.inferred[4].to_string().contains("every value is missing"));
    assert_eq!(loaded.to_string(), "5 columns: 2 numeric, 2 categorical, 1 boolean (b)");
}

#[test]
fn many_distinct_texts_are_text_and_the_summary_names_them() {
    let rows: String = (0..50).map(|i| format!("{i},name {i}\n")).collect();
    let loaded = load(&format!("id,name\n{rows}"));
    assert_eq!(loaded.to_string(), "2 columns: 1 numeric, 1 text (name)");
    assert_eq!(loaded.inferred[1].n_unique, Some(50));
}

#[test]
fn a_nearly_numeric_column_names_the_odd_field() {
    let mut rows: Vec<String> = (0..1000).map(|i| (i % 10).to_string()).collect();
    rows[700] = "n/k".into();
    let loaded = load(&format!("x\n{}\n", rows.join("\n")));
    assert_eq!(loaded.inferred[0].kind, ColumnKind::Categorical);
    let note = "999 of 1000 values are numbers; the first that is not: `n/k` on line 702";
    assert_eq!(loaded.inferred[0].notes, [note]);
}

#[test]
fn well_known_tokens_are_missing_where_all_else_are_numbers() {
    for token in super::build::LIKELY_MISSING {
        let rows: String =
            (0..300).map(|i| if i % 7 == 3 { format!("{token}\n") } else { format!("{i}.5\n") }).collect();
        let loaded = load(&format!("x\n{rows}"));
        assert_eq!(loaded.inferred[0].kind, ColumnKind::Numeric, "{token}");
        assert_eq!(
            (loaded.inferred[0].n_missing, loaded.table.column("x").unwrap().is_missing(3)),
            (43, true)
        );
        let note = format!("43 fields `{token}` are taken as missing, the first on line 5");
        assert_eq!(loaded.inferred[0].notes, [note]);
    }
    let two = load("x,c\n1,a\n?,?\n-,b\n4,a\n");
    assert_eq!(two.inferred[0].notes.len(), 2);
    assert_eq!(two.table.column("c").unwrap().text(1).unwrap(), "?", "among texts it is a level");
    // Nothing but signs, or a number among many of them, are levels.
    assert_eq!(load("x\n-\n-\n").inferred[0].kind, ColumnKind::Categorical);
    assert_eq!(load(&format!("x\n1\n{}", "?\n".repeat(11))).inferred[0].kind, ColumnKind::Categorical);
    let forced =
        CsvOptions { kinds: [("x".to_owned(), ColumnKind::Categorical)].into(), ..Default::default() };
    let kept = read_csv_bytes("t", b"x\n1\n?\n", &forced).unwrap();
    assert_eq!(kept.table.column("x").unwrap().text(1).unwrap(), "?");
}

#[test]
fn where_half_are_numbers_the_first_that_is_not_is_named() {
    let loaded = load("x\n1\n2\nlow\nhigh\n");
    let note = "2 of 4 values are numbers; the first that is not: `low` on line 4";
    assert_eq!(loaded.inferred[0].notes, [note]);
    assert!(load("x\n1\nmid\nlow\nhigh\n").inferred[0].notes.is_empty());
}

#[test]
fn decimal_commas_are_read_where_all_fields_agree() {
    let commas = load("a;b;c\n1,5;x;1,5\n-2;y;2.5\n?;x;3\n0,25;y;4\n");
    let a = commas.table.column("a").unwrap();
    assert!(matches!(a, Column::Numeric(v) if v[0] == 1.5 && v[1] == -2.0 && v[2].is_nan() && v[3] == 0.25));
    assert_eq!(commas.inferred[0].notes[1], "numbers with decimal commas");
    assert_eq!(commas.inferred[2].kind, ColumnKind::Categorical, "points and commas are mixed");
    // Late ones are found, too.
    let late = load(&format!("a\tb\n{}1,5\t2\n", "1\t2\n".repeat(1000)));
    assert!(matches!(late.table.column("a").unwrap(), Column::Numeric(v) if v[1000] == 1.5));
    let options = |decimal| CsvOptions { decimal: Some(decimal), ..Default::default() };
    let read = |text: &str, decimal| read_csv_bytes("t", text.as_bytes(), &options(decimal));
    let quoted = read("a,b\n\"1,5\",2\n3,4\n", b',').unwrap();
    assert_eq!(quoted.table.column("a").unwrap(), &Column::numbers(vec![1.5, 3.0]));
    assert!(quoted.inferred[0].notes.is_empty());
    assert_eq!(read("a;b\n1,5;2\n", b'.').unwrap().inferred[0].kind, ColumnKind::Categorical);
    // Where commas separate fields, quoted ones may be thousands: a note, no guess.
    let quoted = load("a,b\n\"1,5\",2\n3,4\n");
    assert_eq!(quoted.inferred[0].kind, ColumnKind::Categorical);
    assert!(
        quoted.inferred[0].notes[0].contains("commas, such as `1,5` on line 2"),
        "{:?}",
        quoted.inferred[0]
    );
    assert!(read("a\n1\n", b'x').unwrap_err().to_string().contains("decimal"));
}

#[test]
fn whole_numbers_that_would_be_rounded_are_identifiers() {
    let ids: String = (0..60).map(|i| format!("{},{i}\n", 9_007_199_254_740_993u64 + i)).collect();
    let loaded = load(&format!("id,x\n{ids}"));
    assert_eq!(loaded.table.column("id").unwrap().text(0).unwrap(), "9007199254740993");
    assert_eq!(loaded.inferred[0].kind, ColumnKind::Text);
    assert!(loaded.inferred[0].notes[0].contains("`9007199254740993` on line 2"), "{:?}", loaded.inferred[0]);
    // Where not all are whole, or f64 can hold them, they are numbers.
    for fine in ["x\n9007199254740993\n0.5\n", "x\n9007199254740992\n1\n", "x\n1e300\n1\n"] {
        assert_eq!(
            (load(fine).inferred[0].kind, load(fine).inferred[0].notes.len()),
            (ColumnKind::Numeric, 0)
        );
    }
    let forced = CsvOptions { kinds: [("x".to_owned(), ColumnKind::Numeric)].into(), ..Default::default() };
    let rounded = read_csv_bytes("t", b"x\n1\n9007199254740993\n", &forced).unwrap();
    assert_eq!(rounded.inferred[0].notes, ["whole numbers beyond 2^53 are rounded, the first on line 3"]);
}

#[test]
fn expected_kinds_are_kept_and_their_columns_may_be_absent() {
    let expected =
        [("x".to_owned(), ColumnKind::Categorical), ("gone".to_owned(), ColumnKind::Numeric)].into();
    let options = CsvOptions { expected, ..Default::default() };
    let loaded = read_csv_bytes("t", b"x\n007\n1\n", &options).unwrap();
    assert_eq!(loaded.table.column("x").unwrap().text(0).unwrap(), "007");
}

#[test]
fn leading_zeros_are_noted() {
    let loaded = load("id\n007\n012\n");
    assert_eq!(loaded.inferred[0].kind, ColumnKind::Numeric);
    assert!(loaded.inferred[0].notes[0].contains("leading zeros"));
    assert!(load("x\n0.5\n0\n").inferred[0].notes.is_empty());
    // Wherever it stands, and however it is written.
    for late in ["007", " 007", "\"007\""] {
        let notes = &load(&format!("id\n{}{late}\n", "1\n".repeat(1000))).inferred[0].notes;
        assert!(notes[0].contains("leading zeros"), "{late}");
    }
}

#[test]
fn a_number_can_stand_for_a_missing_value() {
    let options = CsvOptions { missing: vec!["-999".into()], ..Default::default() };
    let loaded = read_csv_bytes("t", b"x\n1\n-999\n", &options).unwrap();
    assert!(loaded.table.column("x").unwrap().is_missing(1));
}

#[test]
fn overrides_are_kept_or_refused_by_name() {
    let options = |kind| CsvOptions { kinds: [("x".to_owned(), kind)].into(), ..Default::default() };
    let read = |text: &str, kind| read_csv_bytes("t", text.as_bytes(), &options(kind));
    let levels = read("x\n1\n2\n", ColumnKind::Categorical).unwrap();
    assert_eq!(levels.table.column("x").unwrap(), &Column::categories(&[Some("1"), Some("2")]));
    let error = read("x,y\n1,1\n2,1\nz,1\n", ColumnKind::Numeric).unwrap_err();
    assert_eq!(error.to_string(), "t, line 4, column 1: `z` of `x` is no number");
    let error = read("x\ntrue\nmaybe\n", ColumnKind::Boolean).unwrap_err();
    assert_eq!(error.to_string(), "t, line 3, column 1: `maybe` of `x` is neither true nor false");
    assert!(read("z\n1\n", ColumnKind::Text).unwrap_err().to_string().contains("no column is called `x`"));
}

#[test]
fn broken_files_name_the_place() {
    assert_eq!(fail("a,b,c\n1,2,3\n\n1,2\n"), "t, line 4, column 2: line 4 has 2 fields, the header has 3");
    assert_eq!(fail("a,b\n1,2\n1,2,3\n"), "t, line 3, column 2: line 3 has 3 fields, the header has 2");
    assert!(fail("a,b\n1,2\nx,\"y\n\n").contains("line 3, column 0: the quote that opens on line 3"));
    assert!(fail("a,\"b\n1,2\n").contains("the quote that opens on line 1"));
    assert_eq!(fail(b"a,b\n1,x\n1,\xff\n"), "t, line 3, column 2: the field of `b` is not UTF-8");
    assert!(fail(b"a,\xff\n").contains("line 1, column 2: the name of the column is not UTF-8"));
    assert_eq!(fail("a,b,a\n"), "t, line 1, column 3: the name `a` is taken by column 1 already");
    for empty in ["", "\n\r\n\n", "\u{feff}"] {
        assert_eq!(fail(empty), "t, line 1, column 0: the file is empty");
    }
    assert!(fail("a,b\r1,2\r").contains("carriage returns alone"));
    let dot = CsvOptions { delimiter: Some(b'.'), ..Default::default() };
    assert!(read_csv_bytes("t", b"a\n", &dot).unwrap_err().to_string().contains("delimiter"));
}

#[test]
fn odd_files_that_are_fine() {
    assert_eq!(load("a,b\n").table.n_rows(), 0);
    assert_eq!(load("a,b").table.n_columns(), 2);
    assert_eq!(**load("\u{feff}a,,c\r\n1,2,3").table.names(), ["a", "column_2", "c"]);
    assert_eq!(load("a\n\"\"\n1\n").table.n_rows(), 2);
    assert_eq!(load("a, b\n1, 2\n").table.column("b").unwrap(), &Column::numbers(vec![2.0]));
    assert_eq!(load("a\nx\0y\n").table.column("a").unwrap().text(0).unwrap(), "x\0y");
    let headless = CsvOptions { header: false, ..Default::default() };
    let loaded = read_csv_bytes("t", b"1,2\n3,4", &headless).unwrap();
    assert_eq!(loaded.table.column("column_2").unwrap(), &Column::numbers(vec![2.0, 4.0]));
}

#[test]
fn ten_thousand_columns_are_quick() {
    let header: Vec<String> = (0..10_000).map(|j| format!("x{j}")).collect();
    let row = vec!["1.25"; 10_000].join(",");
    let text = format!("{}\n{}", header.join(","), format!("{row}\n").repeat(100));
    let start = std::time::Instant::now();
    let table = load(&text).table;
    assert_eq!((table.n_rows(), table.n_columns()), (100, 10_000));
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn gzip_is_read_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv.gz");
    let file = std::fs::File::create(&path).unwrap();
    let mut zip = flate2::write::GzEncoder::new(file, flate2::Compression::default());
    std::io::Write::write_all(&mut zip, b"a,b\n1,x\n").unwrap();
    zip.finish().unwrap();
    assert_eq!(read_csv(&path, &CsvOptions::default()).unwrap().table.n_rows(), 1);
    let batches = CsvBatches::open(&path, &CsvOptions::default(), 5).unwrap();
    assert_eq!(batches.map(|b| b.unwrap().n_rows()).sum::<usize>(), 1);
    std::fs::write(&path, b"not gzip").unwrap();
    assert!(read_csv(&path, &CsvOptions::default()).unwrap_err().to_string().contains("a.csv.gz"));
}

#[test]
fn batches_hold_little_and_agree_with_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.csv");
    let mut text = String::from("x,c,late,t\n");
    for i in 0..60_000 {
        let late = if i == 59_000 { "odd".to_owned() } else { (i % 7).to_string() };
        text += &format!("{}.5,level {},{late},\"text {i}\n, with lines\"\n", i, i % 13);
    }
    std::fs::write(&path, &text).unwrap();
    let block = 64 << 10;
    let mut batches = CsvBatches::open_with_block(&path, &CsvOptions::default(), 777, block).unwrap();
    let whole = load(&text);
    assert_eq!(batches.n_rows(), 60_000);
    for _ in 0..2 {
        let tables: Vec<_> = batches.by_ref().map(|t| t.unwrap()).collect();
        assert!(tables[..77].iter().all(|t| t.n_rows() == 777));
        let mut start = 0;
        for table in &tables {
            let rows: Vec<usize> = (start..start + table.n_rows()).collect();
            assert_eq!(table, &whole.table.gather(&rows));
            start += table.n_rows();
        }
        assert_eq!(start, 60_000);
        batches.rewind().unwrap();
    }
    assert!(batches.largest_buffer() <= 2 * block, "{}", batches.largest_buffer());
    assert_eq!(batches.inferred()[2].notes, whole.inferred[2].notes);
}

/// A field with everything that makes CSV hard.
fn hard_field() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c ]{0,3}",
        "[a,\"\n ;]{0,5}",
        Just("\r\n".to_owned()),
        "-?[0-9]{1,4}(\\.[0-9]{1,3})?",
        Just("é\u{1F600}".to_owned()),
        "[?.-]|None|90071992547409[0-9]{2}",
        "[0-9],5",
    ]
}

fn hard_table() -> impl Strategy<Value = Vec<Vec<String>>> {
    (1usize..5).prop_flat_map(|n| prop::collection::vec(prop::collection::vec(hard_field(), n), 1..30))
}

/// Every field of a table as text.
fn texts(table: &mercer_core::Table<'_>) -> Vec<Vec<Option<String>>> {
    let row = |i| table.columns().iter().map(|c| c.text(i).map(|t| t.into_owned())).collect();
    (0..table.n_rows()).map(row).collect()
}

fn all_text(n: usize) -> CsvOptions {
    let kinds = (1..=n).map(|j| (format!("column_{j}"), ColumnKind::Text)).collect();
    CsvOptions { kinds, ..as_text() }
}

/// What the `csv` crate reads, in our terms: blank and all-space fields are missing.
fn foreign(bytes: &[u8]) -> Option<Vec<Vec<Option<String>>>> {
    let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    let value = |f: &str| (!f.trim_ascii().is_empty()).then(|| f.to_owned());
    reader.records().map(|r| r.ok().map(|r| r.iter().map(value).collect())).collect()
}

proptest! {
    #[test]
    fn reads_what_the_csv_crate_writes(table in hard_table(), crlf: bool, piece in 1usize..40) {
        let end = if crlf { ::csv::Terminator::CRLF } else { ::csv::Terminator::Any(b'\n') };
        let mut writer = ::csv::WriterBuilder::new().terminator(end).from_writer(vec![]);
        table.iter().for_each(|row| writer.write_record(row).expect("memory"));
        let bytes = writer.into_inner().expect("memory");
        let cut = read_in_pieces("t", &bytes, &all_text(table[0].len()), piece).expect("valid");
        let expected: Vec<Vec<Option<String>>> = table
            .iter()
            .map(|r| r.iter().map(|f| (!f.trim_ascii().is_empty()).then(|| f.clone())).collect())
            .collect();
        prop_assert_eq!(texts(&cut.table), expected);
    }

    #[test]
    fn agrees_with_the_csv_crate_on_any_bytes(text in "([ab1]|,|\"|\"\"|\n|\r\n){0,40}", piece in 1usize..20) {
        let Some(expected) = foreign(text.as_bytes()) else {
            // Ragged for the other: ragged, or an unclosed quote, for us.
            prop_assert!(read_csv_bytes("t", text.as_bytes(), &as_text()).is_err());
            return Ok(());
        };
        let n = expected.first().map_or(0, Vec::len);
        match read_in_pieces("t", text.as_bytes(), &all_text(n), piece) {
            Ok(loaded) => prop_assert_eq!(texts(&loaded.table), expected),
            // The other closes an open quote at the end of the file silently.
            Err(e) => prop_assert!(
                n == 0 || e.to_string().contains("never closed"), "{:?}: {}", text, e
            ),
        }
    }

    #[test]
    fn pieces_batches_and_the_whole_agree(table in hard_table(), piece in 1usize..40, rows in 1usize..9) {
        let mut writer = ::csv::Writer::from_writer(vec![]);
        let header: Vec<String> = (0..table[0].len()).map(|j| format!("c{j}")).collect();
        writer.write_record(&header).expect("memory");
        table.iter().for_each(|row| writer.write_record(row).expect("memory"));
        let bytes = writer.into_inner().expect("memory");
        let options = CsvOptions { max_levels: 6, ..Default::default() };
        let whole = read_csv_bytes("t", &bytes, &options).expect("valid");
        let cut = read_in_pieces("t", &bytes, &options, piece).expect("valid");
        prop_assert_eq!(texts(&whole.table), texts(&cut.table));
        prop_assert_eq!(&whole.inferred, &cut.inferred);
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("a.csv");
        std::fs::write(&path, &bytes).expect("written");
        let batches = CsvBatches::open_with_block(&path, &options, rows, 64).expect("valid");
        let decided = |i: &Inferred| (i.kind, i.notes.clone(), i.n_missing);
        let kinds: Vec<_> = batches.inferred().iter().map(decided).collect();
        let whole_kinds: Vec<_> = whole.inferred.iter().map(decided).collect();
        prop_assert_eq!(kinds, whole_kinds);
        let all: Vec<_> = batches.flat_map(|t| texts(&t.expect("valid"))).collect();
        prop_assert_eq!(all, texts(&whole.table));
    }

    #[test]
    fn what_is_written_is_read_back(table in hard_table(), numbers in prop::collection::vec(any::<f64>(), 30)) {
        let n = table.len();
        let fields = |j: usize| table.iter().map(move |r| (!r[j].trim_ascii().is_empty()).then(|| r[j].clone()));
        let first = Column::Text(fields(0).collect::<Vec<_>>().into());
        let columns = vec![("te,xt".to_owned(), first), ("x".to_owned(), Column::numbers(numbers[..n].to_vec()))];
        let table = mercer_core::Table::new(columns).expect("equal lengths");
        let mut bytes = Vec::new();
        write_csv(&table, &mut bytes).expect("memory");
        let kinds = [("te,xt".to_owned(), ColumnKind::Text)].into();
        let options = CsvOptions { kinds, missing: vec!["NaN".into()], delimiter: Some(b','), ..Default::default() };
        let back = read_csv_bytes("t", &bytes, &options).expect("valid").table;
        prop_assert_eq!(texts(&table), texts(&back));
    }
}

#[test]
fn large_files_are_read_by_segments_to_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.csv");
    let row = |i: usize| format!("{i},{}.25,level {},{}\r\n", i * 7919 % 1000, i % 17, "pad".repeat(8));
    let body: String = (0..150_000).map(row).collect();
    let header = "\u{feff}id,x,c,p\n\n";
    let plain = format!("{header}{body}");
    let variants = [
        ("plain", plain.clone()),
        ("unfinished", plain.trim_end().to_owned()),
        ("late quote", format!("{plain}1,2,\"quoted\r\nline\",x\n")),
        ("late text", format!("{plain}1,odd,c,x\n")),
        ("long line", format!("{plain}1,2,{},x\n1,2,c,x", "long".repeat(1 << 20))),
    ];
    for (name, text) in variants {
        assert!(text.len() > 6 << 20);
        std::fs::write(&path, &text).unwrap();
        let file = read_csv(&path, &CsvOptions::default()).unwrap();
        let memory = read_csv_bytes("t", text.as_bytes(), &CsvOptions::default()).unwrap();
        assert!(file.table == memory.table, "{name}");
        assert_eq!(file.inferred, memory.inferred, "{name}");
    }
    std::fs::write(&path, format!("{plain}1,2\n")).unwrap();
    let error = read_csv(&path, &CsvOptions::default()).unwrap_err().to_string();
    assert!(error.contains("line 150003 has 2 fields, the header has 4"), "{error}");
}

#[test]
fn one_column_of_decimal_commas_is_one_column() {
    let read = read_csv_bytes("t", b"x\n1,5\n2,25\n-3\n", &CsvOptions::default()).unwrap();
    assert_eq!(read.table.column("x").unwrap(), &Column::numbers(vec![1.5, 2.25, -3.0]));
    assert!(read.inferred[0].notes[0].contains("decimal commas"), "{:?}", read.inferred);
    let given = CsvOptions { decimal: Some(b','), ..CsvOptions::default() };
    let read = read_csv_bytes("t", b"x\n1,5\n?\n", &given).unwrap();
    assert_eq!(read.table.n_rows(), 2);
    assert_eq!(fail("x\n1,5,2\n"), "t, line 2, column 1: line 2 has 3 fields, the header has 1");
}
