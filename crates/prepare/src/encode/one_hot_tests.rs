//! One-hot encoding against hand-worked cases.

use super::*;
use mercer_core::{Fit, Table, Trained};
use mercer_math::Mat;

fn dense(model: &Trained<OneHotEncoder>, x: &Mat) -> Vec<f64> {
    model.transform(x).unwrap().dense("x").unwrap().view().to_mat().into_vec()
}

fn table(values: &[Option<&str>]) -> Table<'static> {
    Table::new(vec![("c".into(), Column::categories(values))]).unwrap()
}

#[test]
fn numbers_of_a_matrix_are_levels() {
    let x = Mat::from_rows(&[[1.0, 5.0], [2.0, 5.0], [1.0, 7.0]]).unwrap();
    let plain = OneHotEncoder::default().fit(&Dataset::new(&x)).unwrap();
    assert_eq!(dense(&plain, &x)[..4], [1.0, 0.0, 1.0, 0.0]);
    let dropped = OneHotEncoder::default().drop(Some(Drop::First)).fit(&Dataset::new(&x)).unwrap();
    assert_eq!(dense(&dropped, &x), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let unseen = Mat::from_rows(&[[9.0, 5.0]]).unwrap();
    let error = plain.transform(&unseen).unwrap_err().to_string();
    assert!(error.contains("`9`") && error.contains("`x0`") && error.contains("row 0"), "{error}");
    let lenient =
        OneHotEncoder::default().handle_unknown(HandleUnknown::Ignore).fit(&Dataset::new(&x)).unwrap();
    assert_eq!(dense(&lenient, &unseen), [0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn tables_pass_numbers_through_and_name_their_columns() {
    let table = Table::new(vec![
        ("mass".into(), Column::numbers(vec![1.5, 2.5])),
        ("sex".into(), Column::categories(&[Some("f"), None])),
    ])
    .unwrap();
    let model = OneHotEncoder::default().fit(&Dataset::new(&table)).unwrap();
    let rows = model.transform(&table).unwrap();
    assert_eq!(rows.names().unwrap().to_vec(), ["mass", "sex_f", "sex_nan"]);
    assert_eq!(rows.dense("x").unwrap().view().to_mat().as_slice(), &[1.5, 1.0, 0.0, 2.5, 0.0, 1.0]);
    let zeros = OneHotEncoder::default().missing(MissingLevel::Zeros).fit(&Dataset::new(&table)).unwrap();
    let rows = zeros.transform(&table).unwrap();
    assert_eq!(rows.names().unwrap().to_vec(), ["mass", "sex_f"]);
    assert_eq!(rows.dense("x").unwrap().view().to_mat().as_slice(), &[1.5, 1.0, 2.5, 0.0]);
}

#[test]
fn unseen_categories_of_a_table_meet_the_encoders_own_policy() {
    let (train, new) =
        (table(&[Some("a"), Some("b"), Some("b"), Some("c"), Some("c")]), table(&[Some("z"), None]));
    let fit = |e: OneHotEncoder| e.fit(&Dataset::new(&train)).unwrap();
    let encoder = OneHotEncoder::default().min_frequency(Some(CountOrShare::Count(2)));
    let error = fit(encoder.clone()).transform(&new).unwrap_err().to_string();
    assert!(error.contains("`z`") && error.contains("row 0"), "{error}");
    let out = |policy| {
        let model = fit(encoder.clone().handle_unknown(policy));
        model.transform(&new).unwrap().dense("x").unwrap().view().to_mat().into_vec()
    };
    assert_eq!(out(HandleUnknown::Ignore), [0.0; 6]);
    assert_eq!(out(HandleUnknown::InfrequentIfExist), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn inversion_gives_back_what_was_encoded() {
    let train = Table::new(vec![
        ("n".into(), Column::numbers(vec![-1.5, 0.0, 2.5, 2.5])),
        ("c".into(), Column::categories(&[Some("a"), Some("b"), None, Some("b")])),
        ("d".into(), Column::categories(&[Some("x"), Some("y"), Some("z"), Some("x")])),
    ])
    .unwrap();
    for drop in [None, Some(Drop::IfBinary)] {
        for sparse in [true, false] {
            let missing = if drop.is_some() { MissingLevel::Zeros } else { MissingLevel::Level };
            let encoder = OneHotEncoder::default().drop(drop).sparse_output(sparse).missing(missing);
            let model = encoder.fit(&Dataset::new(&train)).unwrap();
            let rows = Input::Rows(model.transform(&train).unwrap());
            let back = model.as_model().inverse_transform(&rows, &Session::default()).unwrap();
            let mut expect = train.clone();
            if drop.is_some() {
                // Where a level has no column, zeros mean that level.
                expect = train
                    .with("c", Column::categories(&[Some("a"), Some("b"), Some("a"), Some("b")]))
                    .unwrap();
            }
            assert_eq!(back.table().unwrap(), expect);
        }
    }
    let rare = OneHotEncoder::default().max_categories(Some(2)).fit(&Dataset::new(&train)).unwrap();
    let rows = Input::Rows(rare.transform(&train).unwrap());
    let back = rare.as_model().inverse_transform(&rows, &Session::default()).unwrap();
    assert_eq!(back.table().unwrap().column("d").unwrap().text(1).as_deref(), Some("infrequent"));
}
