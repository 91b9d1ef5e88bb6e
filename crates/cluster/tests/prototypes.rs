//! Modes and prototypes against those of the kmodes package, closed forms, and what the doors rely on.

use mercer_cluster::{KModes, KPrototypes, PrototypeInit};
use mercer_core::{AttributeValues, Column, Dataset, Error, Fit, Session, Table};
use mercer_math::{Mat, normal, rng_for};
use mercer_testkit::{assert_alike, matrix, reference, shared_data};
use serde_json::Value;

/// The columns of a case: categories first, by the text of their code, then numbers.
fn table(x: &Mat, n_categories: usize) -> Table<'static> {
    let column = |j: usize| {
        let values = (0..x.n_rows()).map(|i| x[(i, j)]);
        match j < n_categories {
            true => Column::categories(&values.map(|v| Some(v.to_string())).collect::<Vec<_>>()),
            false => Column::numbers(values.collect::<Vec<_>>()),
        }
    };
    Table::new((0..x.n_cols()).map(|j| (format!("c{j}"), column(j))).collect()).unwrap()
}

fn whole(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect()
}

fn texts(value: &Value) -> Vec<Vec<String>> {
    value.as_array().unwrap().iter().map(|row| whole(row).iter().map(i64::to_string).collect()).collect()
}

#[test]
fn the_kmodes_package_finds_the_same() {
    let all = reference(include_str!("reference/prototypes.json"));
    let cases = all["cases"].as_array().unwrap();
    assert!(cases.len() > 10);
    for (at, case) in cases.iter().enumerate() {
        let (x, q) = (matrix(&case["x"]), case["q"].as_u64().unwrap() as usize);
        let table = table(&x, q);
        let mut data = Dataset::new(&table);
        if let Value::Array(weights) = &case["weights"] {
            data =
                data.with_weights(weights.iter().map(|w| w.as_f64().unwrap()).collect::<Vec<_>>()).unwrap();
        }
        let k = case["k"].as_u64().unwrap() as usize;
        let first: Option<Vec<usize>> =
            case["first"].as_array().map(|f| f.iter().map(|v| v.as_u64().unwrap() as usize).collect());
        let (cost, labels, means, modes, gamma, n_iter) = if q == x.n_cols() {
            let model = KModes::default().n_clusters(k).first(first).fit(&data).unwrap();
            let n_iter = model.certificate().iterations;
            (model.cost, model.labels.clone(), model.means(), model.modes(), model.gamma(), n_iter)
        } else {
            let gamma = case["gamma"].as_f64();
            let model = KPrototypes::default().n_clusters(k).first(first).gamma(gamma).fit(&data).unwrap();
            let n_iter = model.certificate().iterations;
            (model.cost, model.labels.clone(), model.means(), model.modes(), model.gamma(), n_iter)
        };
        assert_alike(&[cost], &[case["cost"].as_f64().unwrap()], 1e-10, &format!("case {at}: cost"));
        let labels: Vec<i64> = labels.into_iter().map(i64::from).collect();
        assert_eq!(labels, whole(&case["labels"]), "case {at}");
        assert_eq!(modes, texts(&case["modes"]), "case {at}");
        assert_eq!(n_iter, case["n_iter"].as_u64(), "case {at}");
        if q < x.n_cols() {
            assert_alike(
                means.as_slice(),
                matrix(&case["means"]).as_slice(),
                1e-10,
                &format!("case {at}: means"),
            );
            assert_alike(&[gamma], &[case["fitted_gamma"].as_f64().unwrap()], 1e-12, "gamma");
        }
    }
}

/// The prototype of one cluster is what statistics says: means and most frequent levels; the cost is n times the variances plus γ
/// times the rows that differ.
#[test]
fn one_cluster_is_in_closed_form() {
    let table = Table::new(vec![
        ("a".into(), Column::numbers(vec![1e9 + 1.0, 1e9 + 2.0, 1e9 + 6.0])),
        ("b".into(), Column::categories(&[Some("x"), Some("y"), Some("y")])),
    ])
    .unwrap();
    let model = KPrototypes::default().n_clusters(1).gamma(Some(2.0)).fit(&Dataset::new(&table)).unwrap();
    assert_eq!(model.means()[(0, 0)], 1e9 + 3.0);
    assert_eq!(model.modes(), [["y"]]);
    assert!((model.cost - (4.0 + 1.0 + 9.0 + 2.0)).abs() < 1e-9);
    let heavy = Dataset::new(&table).with_weights(vec![3.0, 1.0, 1.0]).unwrap();
    let model = KPrototypes::default().n_clusters(1).gamma(Some(2.0)).fit(&heavy).unwrap();
    assert_eq!(model.modes(), [["x"]]);
    assert!((model.means()[(0, 0)] - (1e9 + 2.2)).abs() < 1e-6);
}

/// Categories of no price leave k-means, whose clusters of rows far apart are known.
#[test]
fn without_a_price_categories_do_not_matter() {
    let mut rng = rng_for(2, 0);
    let x = Mat::from_fn(90, 3, |i, j| match j {
        0 => (i % 2) as f64,
        _ => (i % 3) as f64 * 20.0 + normal(&mut rng),
    });
    let table = table(&x, 1);
    for init in [PrototypeInit::PlusPlus, PrototypeInit::Cao, PrototypeInit::Huang, PrototypeInit::Random] {
        let model = KPrototypes::default()
            .n_clusters(3)
            .gamma(Some(0.0))
            .init(init)
            .fit(&Dataset::new(&table))
            .unwrap();
        let same = (0..90).all(|i| model.labels[i] == model.labels[i % 3]);
        assert!(same && model.labels[0] != model.labels[1], "{init:?}: {:?}", model.labels);
    }
}

#[test]
fn missing_is_a_category_of_its_own_and_unseen_levels_differ_from_all() {
    let column = |values: [Option<&str>; 6]| Column::categories(&values);
    let rows = |a, b| Table::new(vec![("a".into(), column(a)), ("b".into(), column(b))]).unwrap();
    let table = rows(
        [Some("x"), Some("x"), Some("x"), None, None, None],
        [Some("u"), Some("u"), Some("v"), Some("w"), Some("w"), Some("w")],
    );
    let model = KModes::default().n_clusters(2).fit(&Dataset::new(&table)).unwrap();
    assert_eq!(model.labels, [0, 0, 0, 1, 1, 1].map(|l| if model.labels[0] == 0 { l } else { 1 - l }));
    assert_eq!(model.cost, 1.0);
    assert!(model.modes().iter().any(|m| m == &["missing", "w"]));
    // A level that training did not have is read as missing.
    let new = rows([Some("q"); 6], [Some("w"); 6]);
    let far = model.transform(&new).unwrap();
    let dense = far.dense("test").unwrap();
    let nearest = (0..2).map(|c| dense.view().get(0, c)).fold(f64::INFINITY, f64::min);
    assert_eq!(nearest, 0.0);
}

#[test]
fn rows_that_cannot_be_first_are_refused_by_name() {
    let x = Mat::from_fn(6, 2, |i, j| (i * (j + 1)) as f64);
    let refused = |first: &[usize]| -> Error {
        KModes::default().n_clusters(2).first(Some(first.to_vec())).fit(&Dataset::new(&x)).err().unwrap()
    };
    for first in [&[0][..], &[0, 6], &[1, 1], &[0, 1, 2]] {
        assert!(refused(first).to_string().contains("first"), "{first:?}");
    }
}

/// The votes of 1984 part the two parties: 376 of 435 members of the house, as the kmodes package has it.
#[test]
fn votes_part_the_parties() {
    let Some(text) = shared_data("house-votes-84.csv") else { return };
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|l| l.split(',').collect()).collect();
    let column = |j: usize| {
        Column::categories(&rows.iter().map(|r| (!r[j].is_empty()).then_some(r[j])).collect::<Vec<_>>())
    };
    let table = Table::new((1..17).map(|j| (format!("v{j}"), column(j))).collect()).unwrap();
    let model = KModes::default().n_clusters(2).fit(&Dataset::new(&table)).unwrap();
    let alike = |(r, l): &(&Vec<&str>, &i32)| (r[0] == rows[0][0]) == (**l == model.labels[0]);
    let same = rows.iter().zip(&model.labels).filter(alike).count();
    assert_eq!((same.max(435 - same), model.cost), (376, 1701.0));
    let cost = |n_init: usize| {
        let learner = KModes::default().n_clusters(4).init(PrototypeInit::Huang).n_init(n_init);
        learner.fit_in(&Dataset::new(&table), &Session::new(3)).unwrap().cost
    };
    assert!(cost(8) <= cost(1));
    let modes = model.attributes().into_iter().find(|a| a.name == "modes_").unwrap();
    assert!(matches!(modes.values, AttributeValues::Text(levels) if levels.len() == 32));
}
