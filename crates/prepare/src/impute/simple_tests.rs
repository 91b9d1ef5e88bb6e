//! Simple imputation against hand-worked cases.

use super::*;
use mercer_core::Fit;

#[test]
fn strategies_agree_with_their_definitions_and_with_copies() {
    let x = Mat::from_rows(&[[1.0], [2.0], [f64::NAN], [2.0], [10.0]]).unwrap();
    let check = |strategy, expect: f64| {
        let model = SimpleImputer::default().strategy(strategy).fit(&Dataset::new(&x)).unwrap();
        assert_eq!(model.transform(&x).unwrap().dense("x").unwrap().view().get(2, 0), expect, "{strategy:?}");
    };
    check(ImputeStrategy::Mean, 3.75);
    check(ImputeStrategy::Median, 2.0);
    check(ImputeStrategy::MostFrequent, 2.0);
    check(ImputeStrategy::Constant, 0.0);
    assert_eq!(weighted_quantile(&[(1.0, 2.0), (5.0, 2.0)], 0.5), Some(3.0));
    assert_eq!(weighted_quantile(&[(1.0, 1.0), (1.0, 1.0), (5.0, 1.0), (5.0, 1.0)], 0.5), Some(3.0));
}

#[test]
fn sparse_rows_give_the_dense_answer_and_come_back() {
    let x = Mat::from_rows(&[[0.0, f64::NAN], [2.0, 0.0], [f64::NAN, 3.0], [0.0, 3.0]]).unwrap();
    let csr = Csr::from_dense(x.view());
    for strategy in [ImputeStrategy::Mean, ImputeStrategy::Median, ImputeStrategy::MostFrequent] {
        let learner = SimpleImputer::default().strategy(strategy).add_indicator(true);
        let (dense, sparse) =
            (learner.fit(&Dataset::new(&x)).unwrap(), learner.fit(&Dataset::new(&csr)).unwrap());
        let (a, b) = (dense.transform(&x).unwrap(), sparse.transform(&csr).unwrap());
        assert!(b.is_sparse());
        assert_eq!(
            a.dense("x").unwrap().view().to_mat(),
            b.dense("x").unwrap().view().to_mat(),
            "{strategy:?}"
        );
        for (model, rows) in [(&dense, a), (&sparse, b)] {
            let back = model.inverted(&Input::from(rows), &Session::default()).unwrap().dense("x").unwrap();
            let same = |i: usize, j: usize| {
                let (a, b) = (back.view().get(i, j), x[(i, j)]);
                a == b || (a.is_nan() && b.is_nan())
            };
            assert!((0..4).all(|i| (0..2).all(|j| same(i, j))));
        }
    }
}

#[test]
fn times_are_filled_with_times() {
    let times = Column::Time(vec![10, MISSING_TIME, 20, 60].into());
    let table = Table::new(vec![("when".into(), times)]).unwrap();
    for (strategy, expect) in [(ImputeStrategy::Mean, 30), (ImputeStrategy::Median, 20)] {
        let model = SimpleImputer::default().strategy(strategy).fit(&Dataset::new(&table)).unwrap();
        let out = model.transform(&table).unwrap();
        assert_eq!(out.table().unwrap().column("when").unwrap().to_times().unwrap()[1], expect);
    }
}

#[test]
fn indicators_mark_what_was_missing() {
    let table =
        Table::new(vec![("island".into(), Column::categories(&[Some("a"), None, Some("a"), Some("b")]))])
            .unwrap();
    let model = SimpleImputer::default().add_indicator(true).fit(&Dataset::new(&table)).unwrap();
    let out = model.transform(&table).unwrap().table().unwrap().gather(&[1]);
    assert_eq!(out.column("island").unwrap().text(0).as_deref(), Some("a"));
    assert_eq!(out.column("missingindicator_island").unwrap().to_numbers().unwrap()[0], 1.0);
}
