//! Drawings: every tree gives a picture that the plot crate draws.

use mercer_core::{Column, Dataset, Fit, Table, Target};
use mercer_math::{Mat, normal, rng_for};
use mercer_plot::{Chart, TreeChart};
use mercer_trees::{C45, DecisionTreeClassifier, DecisionTreeRegressor, ModelTree, Picture};

fn chart(picture: &Picture) -> TreeChart {
    serde_json::from_value(serde_json::to_value(picture).unwrap()).unwrap()
}

#[test]
fn classes_are_counted_bar_by_bar() {
    let colour =
        Column::categories(&[Some("red"), Some("red"), Some("blue"), None, Some("blue"), Some("blue")]);
    let size = Column::numbers(vec![1.0, 2.0, 3.0, 4.0, 5.0, f64::NAN]);
    let table = Table::new(vec![("colour".into(), colour), ("size".into(), size)]).unwrap();
    let target = Target::classes(&["a", "a", "b", "b", "b", "b"]);
    let data = Dataset::new(table).with_target(target).unwrap();
    let model = DecisionTreeClassifier::default().fit(&data).unwrap();
    let picture = model.picture(&data, model.schema()).unwrap();
    assert_eq!(picture.classes, ["a", "b"]);
    let root = &picture.nodes[0];
    assert_eq!((root.heading.as_str(), root.weight, root.branches.len()), ("colour", 6.0, 2));
    // Blue: three of class b; red: two of class a; the missing one is in no bar.
    assert_eq!(
        (root.bars.as_slice(), root.counts.as_slice()),
        (&["blue", "red"].map(String::from)[..], &[vec![0.0, 3.0], vec![2.0, 0.0]][..])
    );
    let c45 = C45::default().min_instances(1.0).fit(&data).unwrap();
    for picture in [picture, c45.picture(&data, c45.schema()).unwrap()] {
        let (svg, csv) = (chart(&picture).to_svg(), chart(&picture).to_csv());
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>") && svg.contains("colour"), "{svg}");
        assert_eq!(csv.lines().count(), picture.nodes.len() + 1);
    }
}

#[test]
fn numbers_have_a_histogram_and_a_cut() {
    let mut rng = rng_for(1, 0);
    let x = Mat::from_fn(200, 2, |_, _| normal(&mut rng));
    let y: Vec<f64> = (0..200).map(|i| if x[(i, 0)] < 0.5 { 1.0 } else { 5.0 } + x[(i, 1)]).collect();
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let tree = DecisionTreeRegressor::default().max_depth(Some(3)).fit(&data).unwrap();
    let lines = ModelTree::default().fit(&data).unwrap();
    for picture in
        [tree.picture(&data, tree.schema()).unwrap(), lines.picture(&data, lines.schema()).unwrap()]
    {
        assert!(picture.classes.is_empty());
        for node in &picture.nodes {
            let counted: f64 = node.counts.iter().flatten().sum();
            assert!((counted - node.weight).abs() < 1e-9, "{node:?}");
            let inside = node.range.zip(node.cut).is_none_or(|((low, high), cut)| low <= cut && cut <= high);
            assert!(inside && (node.cut.is_some() || node.branches.is_empty()));
        }
        assert!(chart(&picture).to_svg().contains("x0"));
    }
}
