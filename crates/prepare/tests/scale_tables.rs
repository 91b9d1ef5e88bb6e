//! Scalers and expansions on tables: numbers change, other columns pass through, names are kept.

use mercer_core::sums::MemoryBatches;
use mercer_core::{Column, Dataset, Input, Model, RowData, Rows, Session, Table, catalogue};
use mercer_math::{Mat, normal, rng_for};

fn table(n: usize) -> Table<'static> {
    let mut rng = rng_for(3, 1);
    let numbers = |rng: &mut _| Column::numbers((0..n).map(|_| normal(rng)).collect::<Vec<f64>>());
    let colours: Vec<Option<&str>> = (0..n).map(|i| Some(["red", "blue"][i % 2])).collect();
    Table::new(vec![
        ("a".into(), numbers(&mut rng)),
        ("colour".into(), Column::categories(&colours)),
        ("b".into(), numbers(&mut rng)),
        ("ok".into(), Column::Boolean((0..n).map(|i| Some(i % 3 == 0)).collect::<Vec<_>>().into())),
        ("note".into(), Column::Text((0..n).map(|i| Some(format!("row {i}"))).collect::<Vec<_>>().into())),
    ])
    .unwrap()
}

fn train(spec: &str, data: &Dataset<'_>) -> Box<dyn Model> {
    catalogue::register(mercer_prepare::learners());
    let learner = catalogue::make_spec(spec).unwrap();
    learner.train(data, &Session::default()).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

fn as_table(rows: Rows<'static>) -> Table<'static> {
    match rows.into_data() {
        RowData::Table(table) => table,
        _ => panic!("a table was expected"),
    }
}

fn transform(model: &dyn Model, rows: &Input<'_>) -> Rows<'static> {
    model.transform(rows, &Session::default()).unwrap()
}

#[test]
fn other_columns_pass_through_in_place_and_numbers_come_back() {
    let table = table(40);
    let matrix = table.select(&["a", "b"]).unwrap();
    for spec in [
        "standard-scaler",
        "min-max",
        "max-abs",
        "robust",
        "decimal",
        "log",
        "normalizer",
        "quantile",
        "power",
        "binarizer",
        "bins:encode=ordinal",
    ] {
        let model = train(spec, &Dataset::new(&table));
        let out = as_table(transform(model.as_ref(), &Input::from(&table)));
        let names: Vec<&str> = out.iter().map(|(n, _)| n).collect();
        assert_eq!(names, ["a", "colour", "b", "ok", "note"], "{spec}");
        for name in ["colour", "ok", "note"] {
            assert_eq!(out.column(name).unwrap(), table.column(name).unwrap(), "{spec}");
        }
        // The numbers alone give the same.
        let alone = train(spec, &Dataset::new(&matrix));
        let alone = as_table(transform(alone.as_ref(), &Input::from(&matrix)));
        for name in ["a", "b"] {
            assert_eq!(out.column(name).unwrap(), alone.column(name).unwrap(), "{spec}");
        }
        if model.can().inverse && !spec.starts_with("bins") {
            let back = model.inverse_transform(&Input::from(out), &Session::default()).unwrap();
            let back = as_table(back);
            for name in ["a", "b"] {
                let (found, wanted) =
                    (back.column(name).unwrap().to_numbers(), table.column(name).unwrap().to_numbers());
                let pairs = found.unwrap().into_owned().into_iter().zip(wanted.unwrap().into_owned());
                pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-9, "{spec}: {a} {b}"));
            }
        }
    }
}

#[test]
fn expansions_come_first_and_the_rest_follows() {
    let table = table(40);
    for (spec, first, width) in
        [("polynomial", "1", 6), ("splines", "a_sp_0", 14), ("bins:n_bins=3", "a_0.0", 6)]
    {
        let model = train(spec, &Dataset::new(&table));
        let rows = transform(model.as_ref(), &Input::from(&table));
        let names = rows.names().unwrap();
        assert_eq!(names.len(), width + 3, "{spec}");
        assert_eq!(
            (names[0].as_str(), &names[width..]),
            (first, &["colour".to_owned(), "ok".into(), "note".into()][..])
        );
        assert_eq!(names.to_vec(), model.names_out().unwrap(), "{spec}");
    }
}

#[test]
fn a_table_of_numbers_gives_the_bits_of_its_matrix_and_of_its_stream() {
    let x = Mat::from_fn(5000, 2, |i, j| ((i * 31 + j * 7) as f64).sin() * 10.0);
    let columns = (0..2).map(|j| (format!("x{j}"), Column::numbers(x.col(j)))).collect();
    let table = Table::new(columns).unwrap();
    catalogue::register(mercer_prepare::learners());
    for spec in ["standard-scaler", "min-max", "max-abs", "decimal"] {
        let learner = catalogue::make_spec(spec).unwrap();
        let data = Dataset::new(&table);
        let session = Session::default();
        let memory = learner.train(&data, &session).unwrap();
        let matrix = learner.train(&Dataset::new(&x), &session).unwrap();
        let streamed = learner.train_stream(&mut MemoryBatches::new(&data, 333), &session).unwrap();
        assert_eq!(memory.attributes(), matrix.attributes(), "{spec}");
        assert_eq!(memory.attributes(), streamed.attributes(), "{spec}");
    }
}

#[test]
fn odd_values_and_hostile_widths_are_errors() {
    let x = Mat::from_rows(&[[f64::MAX, -f64::MAX], [-f64::MAX, f64::MAX], [0.0, 1.0]]).unwrap();
    catalogue::register(mercer_prepare::learners());
    for entry in mercer_prepare::learners()
        .iter()
        .filter(|e| (e.declaration)().task == mercer_core::Task::Transformation)
    {
        let learner = entry.make(&Default::default()).unwrap();
        let Ok(model) = learner.train(&Dataset::new(&x), &Session::default()) else { continue };
        let _ = model.transform(&Input::from(&x), &Session::default());
        let wide = Mat::from_fn(2, 7, |_, _| f64::INFINITY);
        for odd in [Input::from(&wide), Input::from(&x), Input::from(Mat::zeros(0, 2))] {
            let _ = model.inverse_transform(&odd, &Session::default());
        }
    }
}
