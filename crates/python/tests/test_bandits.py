"""mercer.bandits: figures of the testbed, games played by hand, values of other policies, what is refused."""

import pickle

import numpy as np
import pytest

import mercer
import mercer.rl
from mercer import bandits
from mercer.bandits import (
    BernoulliArms,
    EpsilonGreedy,
    EXP3,
    GaussianArms,
    KLUCB,
    LinearArms,
    LinUCB,
    Softmax,
    TableArms,
    Testbed,
    ThompsonSampling,
    UCB1,
)

# pytest takes it for a class of tests.
Testbed.__test__ = False


def test_every_strategy_is_a_class_with_declared_parameters():
    classes = bandits.Strategy.__subclasses__()
    assert len(classes) == 13 and all(c.__name__ in bandits.__all__ and c.__doc__ for c in classes)
    for cls in classes:
        made = cls()
        assert repr(made) == f"{cls.__name__}()" and cls(**made.get_params()) == made
        assert pickle.loads(pickle.dumps(made)) == made
        features = 2 if cls.__name__.startswith("Lin") else 0
        game = made.begin(3, features, steps=10)
        for _ in range(5):
            arm = game.choose([0.6, 0.8] if features else None)
            assert arm in range(3)
            game.update(arm, 0.5)
    changed = EpsilonGreedy(0.05).set_params(decay=0.5)
    assert changed.get_params() == {"epsilon": 0.05, "decay": 0.5, "start": 0.0, "step": None}
    assert repr(changed) == "EpsilonGreedy(epsilon=0.05, decay=0.5)"


def test_figure_2_2_of_sutton_and_barto():
    """2000 runs of the testbed at step 1000: ε = 0.1 earns 1.4 and is right in 80 %, greed earns 1.0 and is right in a third."""
    some = EpsilonGreedy(0.1).simulate(Testbed(), steps=1000, runs=2000, seed=11)
    none = EpsilonGreedy(0.0).simulate(Testbed(), steps=1000, runs=2000, seed=11)
    assert some.reward[-100:].mean() == pytest.approx(1.37, abs=0.08)
    assert some.best[-100:].mean() == pytest.approx(0.80, abs=0.04)
    assert none.reward[-100:].mean() == pytest.approx(1.03, abs=0.08)
    assert none.best[-100:].mean() == pytest.approx(0.35, abs=0.05)
    assert some.final_regret.shape == (2000,) and some.final_regret.mean() == pytest.approx(some.regret[-1], rel=1e-12)
    error = some.final_regret.std(ddof=1) / np.sqrt(2000)
    assert some.regret_error[-1] == pytest.approx(error, rel=1e-9)
    low, high = some.regret_interval(0.95)
    assert high[-1] - low[-1] == pytest.approx(2 * 1.959963984540054 * error, rel=1e-9)


def test_bounds_are_those_of_theory():
    means, t = np.array([0.9, 0.8, 0.5]), np.arange(1, 2001)
    curves = UCB1().simulate(BernoulliArms(means), steps=2000, runs=200, seed=1)
    gaps = 0.9 - means[1:]
    bound = 8 * np.log(t) * (1 / gaps).sum() + (1 + np.pi**2 / 3) * gaps.sum()
    np.testing.assert_allclose(curves.ucb1_bound, bound, rtol=1e-12)
    assert (curves.regret_interval(0.9999)[1] < bound).all()
    kl = means[1:] * np.log(means[1:] / 0.9) + (1 - means[1:]) * np.log((1 - means[1:]) / 0.1)
    np.testing.assert_allclose(curves.lai_robbins, (gaps / kl).sum() * np.log(t), rtol=1e-9, atol=1e-12)
    drawn = EpsilonGreedy().simulate(Testbed(5), steps=10, runs=3)
    assert drawn.ucb1_bound is None and any("[0, 1]" in note for note in drawn.notes)


def test_games_by_hand_follow_the_rules():
    rng = np.random.default_rng(0)
    pulls = rng.integers(3, size=60)
    rewards = rng.random(60)
    greedy, index = EpsilonGreedy(epsilon=0.0).begin(3), UCB1().begin(3)
    for arm, reward in zip(pulls, rewards):
        greedy.update(arm, reward)
        index.update(arm, reward)
    counts = np.bincount(pulls, minlength=3)
    means = np.bincount(pulls, rewards, minlength=3) / counts
    assert greedy.choose() == means.argmax()
    assert index.choose() == (means + np.sqrt(2 * np.log(60) / counts)).argmax()
    game = Softmax(temperature=0.5).begin(3, seed=4)
    for arm, reward in zip(pulls, rewards):
        game.update(arm, reward)
    shares = np.exp(means / 0.5) / np.exp(means / 0.5).sum()
    drawn = np.bincount([game.choose() for _ in range(20_000)], minlength=3)
    # Chi-square with 2 degrees of freedom is above 18.4 with probability 1e-4, and the seed is fixed.
    assert ((drawn - 20_000 * shares) ** 2 / (20_000 * shares)).sum() < 18.4


def test_linear_games_by_hand_are_ridge_regressions():
    rng = np.random.default_rng(1)
    x, arms, rewards = rng.normal(size=(40, 2)), rng.integers(3, size=40), rng.normal(size=40)
    game = LinUCB(alpha=0.7, ridge=2.0).begin(3, 2)
    for row, arm, reward in zip(x, arms, rewards):
        game.update(arm, reward, row)
    for at in rng.normal(size=(50, 2)):
        index = []
        for k in range(3):
            own = x[arms == k]
            inverse = np.linalg.inv(2.0 * np.eye(2) + own.T @ own)
            index.append(at @ inverse @ own.T @ rewards[arms == k] + 0.7 * np.sqrt(at @ inverse @ at))
        assert game.choose(at) == np.argmax(index)


@pytest.mark.parametrize(
    "strategy, arms",
    [
        (ThompsonSampling(), BernoulliArms([0.2, 0.6])),
        (KLUCB(), BernoulliArms([0.2, 0.6])),
        (EXP3(), TableArms(np.random.default_rng(0).random((60, 3)))),
        (LinUCB(), LinearArms(np.eye(3), deviation=0.1)),
        (EpsilonGreedy(), bandits.DriftingArms([0.0, 1.0], step=0.1)),
    ],
)
def test_threads_change_nothing(strategy, arms):
    one, two = (strategy.simulate(arms, steps=60, runs=70, seed=3, n_jobs=n) for n in (1, 2))
    for name in ("reward", "best", "regret", "regret_error", "final_regret"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    other = strategy.simulate(arms, steps=60, runs=70, seed=4)
    assert not np.array_equal(one.reward, other.reward)


def test_values_of_other_policies():
    rng = np.random.default_rng(2)
    n, truth = 400, np.array([0.2, 0.5, 0.9])
    propensity = rng.dirichlet(np.full(3, 5.0), n)
    arms = np.array([rng.choice(3, p=p) for p in propensity])
    rewards = (rng.random(n) < truth[arms]).astype(float)
    shares = propensity[np.arange(n), arms]
    target, predicted = np.tile([0.1, 0.2, 0.7], (n, 1)), rng.random((n, 3))
    weights = target[np.arange(n), arms] / shares
    direct = (target * predicted).sum(axis=1)
    both = direct + weights * (rewards - predicted[np.arange(n), arms])
    for found, terms in [
        (bandits.ips(arms, rewards, shares, target), weights * rewards),
        (bandits.direct(arms, rewards, shares, target, predicted), direct),
        (bandits.doubly_robust(arms, rewards, shares, target, predicted), both),
    ]:
        assert found.value == pytest.approx(terms.mean(), rel=1e-12)
        assert found.standard_error == pytest.approx(terms.std(ddof=1) / np.sqrt(n), rel=1e-12)
    value, error = bandits.snips(arms, rewards, shares, target)
    assert value == pytest.approx((weights * rewards).sum() / weights.sum(), rel=1e-12)
    assert error == pytest.approx(np.sqrt((weights**2 * (rewards - value) ** 2).sum()) / weights.sum(), rel=1e-12)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: EpsilonGreedy(epsilon=2).simulate(Testbed()), "epsilon"),
        (lambda: EpsilonGreedy(epsilon=np.nan).begin(2), "epsilon"),
        (lambda: EpsilonGreedy().set_params(alpha=1), "alpha"),
        (lambda: BernoulliArms([0.5, 1.5]), "means"),
        (lambda: BernoulliArms([]), "arms"),
        (lambda: GaussianArms([0.0], deviation=-1), "deviation"),
        (lambda: GaussianArms([np.inf]), "means"),
        (lambda: TableArms([[1.0, 2.0], [1.0]]), "row 1"),
        (lambda: ThompsonSampling().simulate(GaussianArms([0.0, 1.0])), r"arms.*\[0, 1\]"),
        (lambda: EXP3().simulate(TableArms([[0.0, 1.0]]), steps=2), "rewards.*2 rows"),
        (lambda: LinUCB().simulate(Testbed()), "n_features"),
        (lambda: UCB1().simulate("testbed"), "arms"),
        (lambda: UCB1().simulate(Testbed(), steps=0), "steps"),
        (lambda: UCB1().simulate(Testbed(), steps=2.5), "steps"),
        (lambda: UCB1().simulate(Testbed(), runs=-1), "runs"),
        (lambda: UCB1().simulate(Testbed(), seed=-1), "seed"),
        (lambda: UCB1().begin(0), "n_arms"),
        (lambda: UCB1().begin(2).update(2, 1.0), "arm"),
        (lambda: UCB1().begin(2).update(0, np.nan), "reward"),
        (lambda: ThompsonSampling().begin(2).update(0, 2.0), "reward"),
        (lambda: LinUCB().begin(2, 2).choose(), "context"),
        (lambda: LinUCB().begin(2, 2).choose([1.0, np.nan]), "context"),
        (lambda: UCB1().simulate(Testbed(2), 5, 2).regret_interval(1.0), "level"),
        (lambda: bandits.ips([0, 2], [1.0, 0.0], [0.5, 0.5], [[0.5, 0.5]] * 2), "arm"),
        (lambda: bandits.ips([0, 1], [1.0, 0.0], [0.5, 0.0], [[0.5, 0.5]] * 2), "propensity"),
        (lambda: bandits.ips([0, 1], [1.0, 0.0], [0.5, 0.5], [0.5, 0.5]), "target"),
        (lambda: bandits.direct([0, 1], [1.0, 0.0], [0.5, 0.5], [[0.5, 0.5]] * 2, [[np.nan, 0.0]] * 2), "predicted"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_unknown_parameters_are_refused():
    with pytest.raises(TypeError, match="alpha"):
        EpsilonGreedy(alpha=1)
    with pytest.raises(TypeError, match="means"):
        BernoulliArms()
    with pytest.raises(MemoryError, match="steps"):
        UCB1().simulate(Testbed(), steps=2**40)


@pytest.mark.parametrize("strategy", [LinUCB(alpha=0.5), bandits.LinearThompsonSampling(), EpsilonGreedy(decay=0.1), EXP3(), ThompsonSampling()])
def test_games_are_saved_and_go_on(strategy, tmp_path):
    rng, features = np.random.default_rng(3), 2 if "Lin" in type(strategy).__name__ else 0
    game = strategy.begin(3, features, steps=300, seed=5)

    def play(games, rounds):
        for _ in range(rounds):
            context = rng.normal(size=features)
            arms = [g.choose(context) for g in games]
            assert len(set(arms)) == 1
            for g in games:
                g.update(arms[0], [0.1, 0.9, 0.4][arms[0]])

    play([game], 150)
    game.save(tmp_path / "game.mercer")
    copies = [bandits.Game.load(tmp_path / "game.mercer"), pickle.loads(pickle.dumps(game))]
    play([game, *copies], 150)
    policy, loaded = game.policy(), mercer.load(tmp_path / "game.mercer")
    assert type(loaded) is mercer.rl.ContextualBandit and loaded.get_params()["steps"] == 300
    asked = rng.normal(size=(20, 2)) if features else np.zeros((1, 1))
    if features:
        expected = (asked @ policy.coef_.T).argmax(axis=1)
        np.testing.assert_array_equal(policy.predict(asked), expected)
        assert [policy.act(x) for x in asked] == expected.tolist()
    else:
        assert policy.predict(asked).tolist() == [1] and policy.act(0) == 1
    with pytest.raises(TypeError, match="ContextualBandit"):
        bandits.Game.of(mercer.rl.QLearning())
