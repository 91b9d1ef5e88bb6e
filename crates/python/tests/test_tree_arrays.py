"""`tree_` and `estimators_`, beside scikit-learn's own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import tree as theirs
from sklearn.datasets import load_diabetes, load_iris

from mercer.ensemble import (
    BaggingClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingRegressor,
)
from mercer.linear_model import Ridge
from mercer.tree import DecisionTreeClassifier, DecisionTreeRegressor

ARRAYS = ("children_left", "children_right", "n_node_samples", "weighted_n_node_samples", "impurity", "value")


def test_the_arrays_are_those_of_scikit_learn():
    # Three leaves of iris have no ties between features, so that both grow the same tree.
    X, y = load_iris(return_X_y=True)
    ours = DecisionTreeClassifier(max_leaf_nodes=3, max_features=None).fit(X[:, 2:3], y).tree_
    other = theirs.DecisionTreeClassifier(max_leaf_nodes=3).fit(X[:, 2:3], y).tree_
    assert ours.node_count == other.node_count == 5
    order = np.lexsort((ours.threshold, ours.n_node_samples)), np.lexsort((other.threshold, other.n_node_samples))
    for name in ("n_node_samples", "weighted_n_node_samples", "impurity", "value"):
        assert_allclose(getattr(ours, name)[order[0]], getattr(other, name)[order[1]], err_msg=name)
    assert ours.n_leaves == 3 and ours.max_depth == 2 and ours.n_outputs == 1 and ours.max_n_classes == 3


def test_numbers_grow_the_tree_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    ours = DecisionTreeRegressor(max_depth=3).fit(X, y)
    other = theirs.DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    for name in ARRAYS:
        assert_allclose(getattr(ours.tree_, name), getattr(other.tree_, name), rtol=1e-9, err_msg=name)
    assert_array_equal(ours.tree_.apply(X), other.tree_.apply(X.astype(np.float32)))
    assert_allclose(ours.tree_.predict(X)[:, 0, 0], ours.predict(X))
    assert_allclose(ours.tree_.compute_feature_importances(), ours.feature_importances_)
    assert (ours.get_depth(), ours.get_n_leaves()) == (other.get_depth(), other.get_n_leaves())


def test_the_pruning_path_is_that_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    ours = DecisionTreeRegressor(max_depth=4).cost_complexity_pruning_path(X, y)
    other = theirs.DecisionTreeRegressor(max_depth=4, random_state=0).cost_complexity_pruning_path(X, y)
    assert_allclose(ours.ccp_alphas, other.ccp_alphas, rtol=1e-8, atol=1e-8)
    assert_allclose(ours["impurities"], other.impurities, rtol=1e-8)


@pytest.mark.parametrize("forest", [RandomForestRegressor(7, random_state=3), ExtraTreesRegressor(7, max_depth=4)])
def test_a_forest_of_numbers_is_the_mean_of_its_trees(forest):
    X, y = load_diabetes(return_X_y=True)
    forest.fit(X, y)
    assert len(forest) == len(forest.estimators_) == 7
    assert_allclose(np.mean([tree.predict(X) for tree in forest], axis=0), forest.predict(X))
    first = forest[0].tree_
    inner = first.children_left >= 0
    sides = first.n_node_samples[first.children_left[inner]] + first.n_node_samples[first.children_right[inner]]
    assert_array_equal(first.n_node_samples[inner], sides)
    importances = np.mean([tree.tree_.compute_feature_importances() for tree in forest], axis=0)
    assert_allclose(importances / importances.sum(), forest.feature_importances_, rtol=1e-6)


def test_members_answer_as_the_whole_does():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, random_state=1).fit(X, y)
    assert_allclose(np.mean([tree.predict_proba(X) for tree in forest], axis=0), forest.predict_proba(X))
    bag = BaggingClassifier(n_estimators=4, max_features=2, random_state=1).fit(X, y)
    shares = [one.predict_proba(X[:, columns]) for one, columns in zip(bag.estimators_, bag.estimators_features_)]
    assert all(len(columns) == 2 for columns in bag.estimators_features_)
    assert_allclose(np.mean(shares, axis=0), bag.predict_proba(X))
    boosted = GradientBoostingClassifier(n_estimators=6).fit(X, y)
    assert boosted.estimators_.shape == (6, 3)
    voting = VotingRegressor([("a", Ridge()), ("b", Ridge(alpha=100.0))]).fit(X, y)
    assert_allclose(np.mean([one.predict(X) for one in voting.estimators_], axis=0), voting.predict(X))


def test_a_warm_start_adds_trees_and_refuses_other_rows():
    X, y = load_iris(return_X_y=True)
    warm = RandomForestClassifier(5, warm_start=True, random_state=1).fit(X, y)
    before = warm.apply(X)
    warm.set_params(n_estimators=9).fit(X, y)
    assert_array_equal(warm.apply(X)[:, :5], before)
    assert_array_equal(warm.apply(X), RandomForestClassifier(9, random_state=1).fit(X, y).apply(X))
    with pytest.warns(UserWarning, match="does not fit new trees"):
        warm.fit(X, y)
    with pytest.raises(ValueError, match="must be larger or equal"):
        warm.set_params(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="these are others"):
        warm.set_params(n_estimators=12).fit(X[:100], y[:100])
