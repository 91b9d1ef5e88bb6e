//! Trees as every model lets them be read: outlines, paths and leaves say what the model does.

use mercer_core::{Dataset, Fit, Input, Model, Session, Target};
use mercer_math::{Mat, normal, rng_for};
use mercer_trees::{
    C45, DecisionTreeRegressor, HistGradientBoostingRegressor, IsolationForest, ModelTree, Picture,
    RandomForestClassifier, RandomForestRegressor, TreesView, paths, proximity,
};

fn rows() -> (Mat, Vec<f64>) {
    let mut rng = rng_for(5, 0);
    let x = Mat::from_fn(150, 3, |_, _| normal(&mut rng));
    let y = (0..150).map(|i| x[(i, 0)] * x[(i, 1)] + 0.1 * normal(&mut rng)).collect();
    (x, y)
}

/// Paths begin at the root, follow branches and end in the leaf that `leaves` gives; returns the sums of leaf values.
fn followed(model: &dyn Model, x: &Mat) -> Vec<f64> {
    let (session, input) = (Session::default(), Input::from(x));
    let view = TreesView::of(model).unwrap();
    let leaves = view.leaves(&input, &session).unwrap();
    let mut sums = vec![0.0; x.n_rows()];
    for t in 0..view.n_trees() {
        let outline = view.outline(t).unwrap();
        for (i, path) in paths(&view, t, &input, &session).unwrap().iter().enumerate() {
            assert_eq!((path[0], path[path.len() - 1]), (0, leaves[i * view.n_trees() + t] as usize));
            assert_eq!(outline.conditions(path).len(), path.len() - 1);
            let leaf = &outline.nodes[path[path.len() - 1]];
            assert!(leaf.branches.is_empty() && !leaf.conclusion.is_empty());
            sums[i] += leaf.value[0];
        }
    }
    assert!(view.outline(view.n_trees()).is_err() && view.path(view.n_trees(), &|_| 0.0).is_err());
    sums
}

#[test]
fn leaves_add_up_to_predictions() {
    let (x, y) = rows();
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let tree = DecisionTreeRegressor::default().max_depth(Some(4)).fit(&data).unwrap();
    let forest = RandomForestRegressor::default().n_estimators(5).fit(&data).unwrap();
    let boosted = HistGradientBoostingRegressor::default().max_iter(5).fit(&data).unwrap();
    let start = boosted.baseline()[0];
    for (model, scale, start) in
        [(tree.as_model(), 1.0, 0.0), (forest.as_model(), 0.2, 0.0), (boosted.as_model(), 1.0, start)]
    {
        let said = model.predict(&Input::from(&x), &Session::default()).unwrap();
        let sums = followed(model, &x);
        for (found, sum) in said.numbers().unwrap().iter().zip(sums) {
            assert!((found - (start + scale * sum)).abs() < 1e-9);
        }
        // What roots say is the mean that exact contributions start from.
        let view = TreesView::of(model).unwrap();
        let roots: f64 = (0..view.n_trees()).map(|t| view.outline(t).unwrap().nodes[0].value[0]).sum();
        let parts = model.contributions(&Input::from(&x), &Session::default()).unwrap();
        assert!((parts.base[0] - (start + scale * roots)).abs() < 1e-5, "{}", parts.base[0]);
    }
}

#[test]
fn other_trees_are_read_and_drawn_too() {
    let (x, y) = rows();
    let classes: Vec<&str> = y.iter().map(|v| if *v > 0.0 { "up" } else { "down" }).collect();
    let numbers = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let data = Dataset::new(&x).with_target(Target::classes(&classes)).unwrap();
    let forest = RandomForestClassifier::default().n_estimators(4).fit(&data).unwrap();
    let c45 = C45::default().fit(&data).unwrap();
    let lines = ModelTree::default().fit(&numbers).unwrap();
    let alone = IsolationForest::default().n_estimators(3).fit(&Dataset::new(&x)).unwrap();
    let session = Session::default();
    for (model, rows) in [
        (forest.as_model(), Some(&data)),
        (c45.as_model(), Some(&data)),
        (lines.as_model(), Some(&numbers)),
        (alone.as_model(), None),
    ] {
        followed(model, &x);
        let view = TreesView::of(model).unwrap();
        let outline = view.outline_as(0, &["a".into(), "b".into(), "c".into()]).unwrap();
        assert!(!outline.to_text().contains("x0"), "{}", outline.to_text());
        assert_eq!(Picture::bare(&outline, view.schema()).nodes.len(), outline.nodes.len());
        if let Some(rows) = rows {
            let picture = Picture::of(&view, (0, &outline), rows, &session).unwrap();
            assert!(picture.nodes.iter().all(|n| !n.heading.is_empty()));
            let counted: f64 = picture.nodes[0].counts.iter().flatten().sum();
            assert!((counted - 150.0).abs() < 1e-9);
        }
    }
    let view = TreesView::of(forest.as_model()).unwrap();
    let near = proximity(&view, &Input::from(&x), &Input::from(&x), &session).unwrap();
    assert!((0..150).all(|i| near[(i, i)] == 1.0 && (0..150).all(|j| near[(i, j)] == near[(j, i)])));
}
