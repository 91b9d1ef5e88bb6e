//! Models of trees whose bytes were changed load as something that answers every question, or not at all.

use mercer::prelude::*;
use mercer::{Column, Encoded, Table};
use std::panic::{AssertUnwindSafe, catch_unwind};

const N: usize = 60;

fn table() -> Table<'static> {
    let number = |j: usize| Column::numbers((0..N).map(|i| ((i * (7 + j)) % 23) as f64).collect::<Vec<_>>());
    let levels: Vec<_> = (0..N).map(|i| Some(["red", "green", "blue", "grey"][i * 5 % 4])).collect();
    Table::new(vec![
        ("a".to_owned(), number(0)),
        ("b".to_owned(), number(4)),
        ("c".to_owned(), Column::categories(&levels)),
    ])
    .unwrap()
}

/// Every ability that the model has, and all that is read off it.
fn ask_everything(model: &dyn Model, data: &Dataset<'_>) {
    let (input, session) = (data.input(), Session::default());
    let _ = (model.attributes(), model.verify(data, &session), model.encode());
    let Ok(asked) = model.on(&input, &session) else { return };
    let map = |said: &[f64]| said.to_vec();
    let _ = (asked.predict(), asked.proba(), asked.decision(), asked.leaves());
    let _ = (asked.intervals(0.8), asked.quantiles(&[0.1, 0.9]));
    let _ = (asked.contributions(), asked.interactions());
    let _ = (asked.mapped_contributions(&map), asked.mapped_interactions(&map));
    if let Ok((trees, schema)) = model.trees() {
        for t in 0..trees.n_trees().min(50) {
            let _ = (trees.nodes(t, schema), trees.path(t, &|j| (j * 3) as f64));
        }
    }
}

#[test]
fn changed_bytes_of_trees_never_panic() {
    let x = table();
    let classes = Target::classes(&(0..N).map(|i| (i * 7 % 23 / 8) as i64).collect::<Vec<_>>());
    let real = Target::real((0..N).map(|i| (i * 7 % 23) as f64 + (i % 4) as f64).collect::<Vec<_>>());
    let (classes, real) = (
        Dataset::new(x.clone()).with_target(classes).unwrap(),
        Dataset::new(x.clone()).with_target(real).unwrap(),
    );
    let numbers = Mat::from_fn(N, 3, |i, j| ((i * (7 + j)) % 23) as f64);
    for (spec, data) in [
        ("DecisionTreeRegressor:max_depth=4", &real),
        ("DecisionTreeClassifier:max_depth=4", &classes),
        ("RandomForestRegressor:n_estimators=2,max_depth=3,quantiles=true", &real),
        ("ExtraTreesClassifier:n_estimators=2,max_depth=3", &classes),
        ("HistGradientBoostingRegressor:max_iter=3,max_leaf_nodes=5", &real),
        ("HistGradientBoostingClassifier:max_iter=2,max_leaf_nodes=5", &classes),
        ("Booster:num_iterations=3,num_leaves=5,linear_tree=true", &real),
        ("ModelTree:max_depth=3", &real),
        ("C45", &classes),
        ("IsolationForest:n_estimators=2", &Dataset::new(numbers)),
    ] {
        let model = match mercer::learner(spec).and_then(|l| l.train(data, &Session::new(1))) {
            Ok(model) => model,
            Err(e) => panic!("{spec}: {e}"),
        };
        let Encoded { name, version, bytes } = model.encode().unwrap();
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        for trial in 0..2500 {
            let mut forged = bytes.clone();
            for _ in 0..1 + random(2) {
                let at = random(forged.len());
                forged[at] = match random(4) {
                    0 => random(256) as u8,
                    1 => forged[at].wrapping_add(1),
                    2 => forged[at].wrapping_sub(1),
                    _ => forged[at] ^ (1 << random(8)),
                };
            }
            let encoded = Encoded { name: name.clone(), version, bytes: forged };
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                if let Ok(model) = mercer::core::catalogue::decode(&encoded) {
                    ask_everything(model.as_ref(), data);
                }
            }));
            assert!(outcome.is_ok(), "{spec}, trial {trial}");
        }
    }
}
