//! Reading the peer's frozen trees, and walking ours beside them.

pub(crate) use mercer_testkit::{case, matrix, numbers};
use mercer_trees::{Test, Tree};
use serde_json::Value;

/// Equal to rounding.
pub(crate) fn close(a: f64, b: f64) -> bool {
    mercer_testkit::close(a, b, 1e-9)
}

/// Both trees are walked together, since best-first growth numbers nodes in another order.
pub(crate) fn same(name: &str, tree: &Tree, expected: &Value) {
    let column = |key: &str| numbers(&expected[key]);
    let (feature, threshold) = (column("feature"), column("threshold"));
    let (left, right, rows) = (column("left"), column("right"), column("rows"));
    let (weight, impurity) = (column("weight"), column("impurity"));
    assert_eq!(tree.n_nodes(), feature.len(), "{name}: nodes");
    let mut stack = vec![(0usize, 0usize)];
    while let Some((ours, theirs)) = stack.pop() {
        let node = tree.node(ours).unwrap();
        assert_eq!(node.rows as f64, rows[theirs], "{name}: rows of node {theirs}");
        assert!(close(node.weight, weight[theirs]), "{name}: weight of node {theirs}");
        assert!(
            close(node.impurity, impurity[theirs]),
            "{name}: impurity {} {}",
            node.impurity,
            impurity[theirs]
        );
        let value = numbers(&expected["value"][theirs]);
        assert!(
            node.value.iter().zip(&value).all(|(a, b)| close(*a, *b)),
            "{name}: {:?} {value:?}",
            node.value
        );
        assert_eq!(node.split.is_some(), left[theirs] >= 0.0, "{name}: leaf {theirs}");
        if let Some(split) = node.split {
            assert_eq!(split.feature as f64, feature[theirs], "{name}: feature of node {theirs}");
            let t = threshold[theirs];
            let t = if t.is_nan() { f64::INFINITY } else { t };
            assert!(
                matches!(split.test, Test::AtMost(own) if own == t || close(own, t)),
                "{name}: {:?} {t}",
                split.test
            );
            // Without missing values in a node ours follow the heavier child, scikit-learn's the one of more rows.
            let missing = expected["missing_left"][theirs].as_bool().unwrap();
            let weighted = name.ends_with("weighted") || name.ends_with("balanced");
            assert!(weighted || split.missing_left == missing, "{name}: missing values at node {theirs}");
            stack.push((split.left, left[theirs] as usize));
            stack.push((split.right, right[theirs] as usize));
        }
    }
    let importances = column("importances");
    assert!(tree.importances().iter().zip(&importances).all(|(a, b)| close(*a, *b)), "{name}: importances");
}
