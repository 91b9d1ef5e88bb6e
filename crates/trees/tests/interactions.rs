//! `interaction_cst` of trees and forests: every way from a root to a leaf keeps to one set, whatever grows the tree.

use mercer_core::catalogue::{make_spec, register};
use mercer_core::{Column, Dataset, Input, Model, Session, Table, Target};
use mercer_math::{Csr, Mat, below, normal, rng_for};
use mercer_trees::{TreesView, learners};
use std::collections::BTreeSet;

/// Six columns that matter together, and a constant one.
fn rows(n: usize) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(8, n as u64);
    let x = Mat::from_fn(n, 7, |_, j| match j {
        5 => below(&mut rng, 3) as f64,
        6 => 1.0,
        _ => normal(&mut rng),
    });
    let y = |r: &[f64]| r[0] * r[1] + r[2] * r[3] + (r[4] - r[0]).abs() + r[5] * r[2];
    let y = (0..n).map(|i| (y(x.row(i)) + 0.2 * x.row(i)[0] + 3.0).abs()).collect();
    (x, y)
}

fn labels(y: &[f64], k: i64) -> Vec<i64> {
    y.iter().map(|v| (*v as i64).rem_euclid(k)).collect()
}

fn fit(spec: &str, data: &Dataset<'_>) -> Result<Box<dyn Model>, String> {
    register(learners());
    let learner = make_spec(spec).unwrap();
    learner.train(data, &Session::new(4)).map_err(|e| e.to_string())
}

/// The columns of every way from a root to a leaf.
fn ways(model: &dyn Model) -> Vec<BTreeSet<usize>> {
    let view = TreesView::of(model).unwrap();
    let mut out = Vec::new();
    for t in 0..view.n_trees() {
        let nodes = view.outline(t).unwrap().nodes;
        let mut stack = vec![(0, BTreeSet::new())];
        while let Some((i, mut met)) = stack.pop() {
            met.extend(nodes[i].feature);
            if nodes[i].branches.is_empty() {
                out.push(met.clone());
            }
            stack.extend(nodes[i].branches.iter().map(|b| (b.node, met.clone())));
        }
    }
    out
}

/// All nodes of all trees, to the last bit.
fn nodes(model: &dyn Model) -> Vec<String> {
    let view = TreesView::of(model).unwrap();
    (0..view.n_trees()).map(|t| view.outline(t).unwrap().to_json()).collect()
}

const SETS: [&[usize]; 3] = [&[0, 1], &[1, 2, 3], &[4, 5, 6]];
const CST: &str = "interaction_cst=[[x0,x1],[x1,x2,x3]]";

/// Ways keep to the sets, and all columns of a set do meet: nothing is forbidden that need not be.
fn keeps_to_sets(spec: &str, data: &Dataset<'_>) {
    let model = fit(&format!("{spec},{CST}"), data).unwrap();
    let ways = ways(&*model);
    let within = |way: &BTreeSet<usize>| SETS.iter().any(|set| way.iter().all(|j| set.contains(j)));
    let strays: Vec<_> = ways.iter().filter(|way| !within(way)).collect();
    assert!(strays.is_empty(), "{spec}: {strays:?}");
    assert!(ways.iter().any(|way| way.len() >= 2), "{spec}");
    // Without the constraint, ways do leave the sets.
    let free = fit(spec, data).unwrap();
    assert!(self::ways(&*free).iter().any(|way| !within(way)), "{spec}");
}

fn real<'a>(x: &'a Mat, y: &[f64]) -> Dataset<'a> {
    Dataset::new(x).with_target(Target::real(y.to_vec())).unwrap()
}

fn classes<'a>(x: &'a Mat, y: &[f64], k: i64) -> Dataset<'a> {
    Dataset::new(x).with_target(Target::classes(&labels(y, k))).unwrap()
}

#[test]
fn every_way_keeps_to_one_set_in_trees() {
    // So many rows that subtrees are handed off.
    let (x, y) = rows(9000);
    for how in ["max_leaf_nodes=none", "max_leaf_nodes=40", "max_features=sqrt", "splitter=random"] {
        keeps_to_sets(&format!("DecisionTreeClassifier:{how}"), &classes(&x, &y, 2));
        keeps_to_sets(&format!("DecisionTreeRegressor:{how}"), &real(&x, &y));
    }
    let (x, y) = rows(700);
    for criterion in ["entropy", "error"] {
        keeps_to_sets(&format!("DecisionTreeClassifier:criterion={criterion}"), &classes(&x, &y, 4));
    }
    for criterion in ["absolute_error", "poisson"] {
        keeps_to_sets(&format!("DecisionTreeRegressor:criterion={criterion}"), &real(&x, &y));
    }
    let signs = "monotonic_cst=[1,0,-1,0,0,0,0]";
    keeps_to_sets(&format!("DecisionTreeClassifier:{signs}"), &classes(&x, &y, 2));
    keeps_to_sets(&format!("DecisionTreeRegressor:{signs},max_leaf_nodes=60"), &real(&x, &y));
}

#[test]
fn every_way_keeps_to_one_set_in_forests() {
    let (x, y) = rows(700);
    for kind in ["RandomForest", "ExtraTrees"] {
        for how in [
            "max_bins=255",
            "max_bins=none",
            "max_leaf_nodes=40",
            "max_bins=none,max_leaf_nodes=40",
            "max_features=none",
            "max_features=5,features_per=tree",
            "max_bins=none,max_features=5,features_per=tree",
            "monotonic_cst=[1,0,0,0,0,0,0]",
        ] {
            keeps_to_sets(&format!("{kind}Classifier:n_estimators=4,{how}"), &classes(&x, &y, 2));
            keeps_to_sets(&format!("{kind}Regressor:n_estimators=4,{how}"), &real(&x, &y));
        }
        keeps_to_sets(&format!("{kind}Classifier:n_estimators=4,class_weight=balanced"), &classes(&x, &y, 5));
    }
}

#[test]
fn every_way_keeps_to_one_set_whatever_the_rows() {
    let (x, y) = rows(700);
    let kinds = ["DecisionTree", "RandomForest", "ExtraTrees"];
    // Several targets.
    let other: Vec<f64> = (0..700).map(|i| x[(i, 3)] - x[(i, 4)]).collect();
    let several = Dataset::new(&x).with_target(Target::multi(vec![y.clone(), other]).unwrap()).unwrap();
    kinds.iter().for_each(|kind| keeps_to_sets(&format!("{kind}Regressor:max_depth=9"), &several));
    // Sparse rows: the model is that of the dense ones.
    let sparse = Mat::from_fn(700, 7, |i, j| if (i + j) % 3 == 0 { 0.0 } else { x[(i, j)] });
    let csr = Csr::from_dense(sparse.view());
    // Missing values and levels.
    let columns = (0..7).map(|j| {
        let column = match j {
            3 => Column::categories(
                &(0..700).map(|i| Some(((y[i] * 3.0) as i64 % 6).to_string())).collect::<Vec<_>>(),
            ),
            _ => Column::numbers(
                (0..700).map(|i| if (i + j) % 9 == 0 { f64::NAN } else { x[(i, j)] }).collect::<Vec<_>>(),
            ),
        };
        (format!("x{j}"), column)
    });
    let table = Table::new(columns.collect()).unwrap();
    for kind in kinds {
        let spec = format!("{kind}Regressor:max_depth=9");
        let of = |data: Dataset<'static>| data.with_target(Target::real(y.clone())).unwrap();
        keeps_to_sets(&spec, &of(Dataset::new(csr.clone())));
        keeps_to_sets(&spec, &of(Dataset::new(table.clone())));
        let said = |data: Dataset<'static>| {
            fit(&format!("{spec},{CST}"), &of(data)).unwrap().encode().unwrap().bytes
        };
        assert!(said(Dataset::new(csr.clone())) == said(Dataset::new(sparse.clone())), "{kind}");
    }
}

#[test]
fn a_set_of_all_columns_is_no_constraint() {
    let (x, y) = rows(9000);
    let (number, class) = (real(&x, &y), classes(&x, &y, 3));
    // The last column is constant: that it stands alone changes nothing, where no columns are drawn.
    let sets = ["[[x0,x1,x2,x3,x4,x5,x6]]", "[[5,4,3,2,1,0],[1,0]]", "[]"];
    for kind in ["DecisionTree", "RandomForest", "ExtraTrees"] {
        for (task, data) in [("Regressor", &number), ("Classifier", &class)] {
            let few = if kind == "DecisionTree" { "max_leaf_nodes=900" } else { "n_estimators=2" };
            for how in ["max_features=none", "max_features=0.7"] {
                let spec = format!("{kind}{task}:{few},{how}");
                let model = |spec: &str| nodes(&*fit(spec, data).unwrap());
                let drawn = how != "max_features=none";
                for sets in sets.iter().filter(|s| !drawn || !s.starts_with("[[5")) {
                    assert!(
                        model(&spec) == model(&format!("{spec},interaction_cst={sets}")),
                        "{spec} {sets}"
                    );
                }
            }
        }
    }
}

/// Then a tree knows one column, and a forest is a sum of functions of one column each.
#[test]
fn without_interactions_the_model_is_additive() {
    let (x, y) = rows(700);
    let data = real(&x, &y);
    for how in ["max_bins=255", "max_bins=none", "max_leaf_nodes=30", "max_depth=3"] {
        let spec = format!("RandomForestRegressor:n_estimators=20,max_features=2,{how}");
        let model = fit(&format!("{spec},interaction_cst=no_interactions"), &data).unwrap();
        assert!(ways(&*model).iter().all(|way| way.len() <= 1), "{how}");
        let at = |a: usize, b: usize| {
            let row = Mat::from_fn(1, 7, |_, j| if j < 3 { x[(a, j)] } else { x[(b, j)] });
            model.predict(&Input::from(&row), &Session::default()).unwrap().numbers().unwrap()[0]
        };
        for i in 0..50 {
            let mixed = at(i, i) - at(i, i + 50) - at(i + 50, i) + at(i + 50, i + 50);
            assert!(mixed.abs() < 1e-9, "{how}: {mixed}");
        }
    }
    // Two columns may meet, three may not.
    let model = fit("DecisionTreeRegressor:interaction_cst=pairwise", &data).unwrap();
    let most = ways(&*model).iter().map(BTreeSet::len).max();
    assert_eq!(most, Some(2));
}

/// The second split of exclusive or is the only one of use, and forbidden where its columns may not meet. The third
/// column tells three rows of four what the second one does.
#[test]
fn exclusive_or_by_hand() {
    let x = Mat::from_fn(8, 3, |i, j| match j {
        0 => (i / 4) as f64,
        1 => (i / 2 % 2) as f64,
        _ => {
            if i % 4 == 0 {
                1.0
            } else {
                (i / 2 % 2) as f64
            }
        }
    });
    let y: Vec<f64> = (0..8).map(|i| f64::from(x[(i, 0)] != x[(i, 1)])).collect();
    for spec in [
        "DecisionTreeRegressor:",
        "DecisionTreeRegressor:max_leaf_nodes=9,",
        "RandomForestRegressor:n_estimators=1,bootstrap=false,",
        "RandomForestRegressor:n_estimators=1,bootstrap=false,max_bins=none,",
        "RandomForestRegressor:n_estimators=1,bootstrap=false,max_leaf_nodes=9,",
    ] {
        let said = |sets: &str| {
            let model = fit(&format!("{spec}interaction_cst={sets}"), &real(&x, &y)).unwrap();
            let said = model.predict(&Input::from(&x), &Session::default()).unwrap();
            said.numbers().unwrap().to_vec()
        };
        assert_eq!(said("[[0,1,2]]"), y, "{spec}");
        // No column alone tells anything: each half of the first has as many ones as zeros.
        assert_eq!(said("[[0],[1],[2]]"), [0.5; 8], "{spec}");
        // The third column stands for the second: of the rows with a zero in the second, half say one in the third.
        let third = 1.0 / 3.0;
        let ours = [2.0 * third, 0.0, 2.0 * third, 2.0 * third, third, 1.0, third, third];
        assert!(said("[[0,2],[1]]").iter().zip(ours).all(|(a, b)| (a - b).abs() < 1e-12), "{spec}");
    }
}

/// Where few columns are drawn, they are drawn among those allowed: leaves are pure although one column is left.
#[test]
fn columns_are_drawn_among_those_allowed() {
    let mut rng = rng_for(2, 7);
    let x = Mat::from_fn(200, 12, |_, _| normal(&mut rng));
    let y: Vec<f64> = (0..200).map(|_| below(&mut rng, 2) as f64).collect();
    for bins in ["max_bins=none", "max_bins=255", "max_leaf_nodes=200", "max_bins=none,max_leaf_nodes=200"] {
        let rest = "n_estimators=3,bootstrap=false,max_features=1,interaction_cst=no_interactions";
        let model = fit(&format!("RandomForestClassifier:{rest},{bins}"), &classes(&x, &y, 2)).unwrap();
        assert_eq!(model.certificate().evidence[0].value, 0.0, "{bins}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (x, y) = rows(20_000);
    register(learners());
    for spec in ["DecisionTreeRegressor:max_features=3", "RandomForestRegressor:n_estimators=4"] {
        let learner = make_spec(&format!("{spec},{CST}")).unwrap();
        let said = |threads| {
            let session = Session::new(3).with_threads(threads);
            learner.train(&real(&x, &y), &session).unwrap().encode().unwrap().bytes
        };
        assert!(said(1) == said(3), "{spec}");
    }
}

#[test]
fn bad_sets_are_named() {
    let (x, y) = rows(60);
    let all = learners().iter().filter(|e| {
        let declared = (e.declaration)();
        declared.params.iter().any(|p| p.name == "interaction_cst")
    });
    let mut seen = 0;
    for entry in all {
        let name = (entry.declaration)().name;
        let data = if name.ends_with("Classifier") { classes(&x, &y, 2) } else { real(&x, &y) };
        for (sets, says) in [("[[x0,age]]", "age"), ("[[x0],[]]", "at least one column"), ("[[9]]", "9")] {
            let error = fit(&format!("{name}:interaction_cst={sets}"), &data).err().unwrap();
            assert!(error.contains("interaction_cst") && error.contains(says), "{name}: {error}");
        }
        seen += 1;
    }
    assert_eq!(seen, 8);
}

#[test]
fn too_many_pairs_are_refused() {
    let x = Mat::from_fn(4, 2049, |i, j| (i * j) as f64);
    let error = fit("DecisionTreeRegressor:interaction_cst=pairwise", &real(&x, &[0.0, 1.0, 2.0, 3.0])).err();
    let error = error.unwrap().to_string();
    assert!(error.contains("interaction_cst") && error.contains("2048"), "{error}");
}
