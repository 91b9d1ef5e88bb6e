//! Bandits against the figures of Sutton and Barto, theorems on regret, and the laws of their estimators.

use mercer_core::{
    AttributeValues, Dataset, Environment, Fit, Mdp, MdpWalk, Object, Params, Session, Trained,
};
use mercer_math::{Mat, below, normal, rng_for, uniform};
use mercer_rl::ContextualBandit;
use mercer_rl::bandits::{
    Arms, Curves, Game, Logged, Online, arms, direct, doubly_robust, importance, kl_bernoulli, lai_robbins,
    self_normalised, simulate, strategies, strategy, ucb1_bound,
};

fn testbed() -> Arms {
    Arms::Testbed { arms: 10, spread: 1.0, deviation: 1.0 }
}

fn run(spec: &str, arms: &Arms, steps: usize, runs: usize) -> Curves {
    simulate(strategy(spec).unwrap().as_ref(), arms, steps, runs, &Session::new(11)).unwrap()
}

/// The mean of the last hundred rounds.
fn late(curve: &[f64]) -> f64 {
    curve[curve.len() - 100..].iter().sum::<f64>() / 100.0
}

/// Figure 2.2 of Sutton and Barto, 2000 runs of the 10-armed testbed, read off at step 1000: ε = 0.1 earns about 1.4 and
/// chooses the best arm in 80 % of the rounds (it cannot in more than 91 %), ε = 0.01 about 1.3, the greedy strategy 1.0 and
/// in a third of the rounds. The mean of 2000 runs has a standard error of 0.02.
#[test]
fn the_ten_armed_testbed() {
    let [some, few, none] =
        [0.1, 0.01, 0.0].map(|e| run(&format!("epsilon-greedy:epsilon={e}"), &testbed(), 1000, 2000));
    assert!((late(&some.reward) - 1.37).abs() < 0.08, "{}", late(&some.reward));
    assert!((late(&some.best) - 0.80).abs() < 0.04, "{}", late(&some.best));
    assert!((late(&few.reward) - 1.30).abs() < 0.08, "{}", late(&few.reward));
    assert!((late(&none.reward) - 1.03).abs() < 0.08, "{}", late(&none.reward));
    assert!((late(&none.best) - 0.35).abs() < 0.05, "{}", late(&none.best));
    // The mean of the best of ten standard normal numbers is 1.5388: what is earned and the growth of the regret add up to it.
    let growth = (some.regret[999] - some.regret[899]) / 100.0;
    assert!((late(&some.reward) + growth - 1.5388).abs() < 0.06, "{growth}");
}

/// Figure 2.3: optimism (start 5, step 0.1) explores first and is better in the end than ε = 0.1 with the same step. Figure 2.4:
/// UCB with c = 2, whose square is the scale here, is above ε = 0.1. Figure 2.5: with rewards around 4, preferences need
/// their baseline. Exploration alone has the best arm one time in ten.
#[test]
fn other_figures_of_the_testbed() {
    let hopeful = run("epsilon-greedy:epsilon=0,start=5,step=0.1", &testbed(), 1000, 1000);
    let real = run("epsilon-greedy:step=0.1", &testbed(), 1000, 1000);
    assert!(hopeful.best[15..50].iter().sum::<f64>() < real.best[15..50].iter().sum::<f64>() + 3.0);
    assert!(late(&hopeful.best) > late(&real.best) + 0.03, "{} {}", late(&hopeful.best), late(&real.best));
    let ucb = run("ucb1:scale=4", &testbed(), 1000, 1000);
    assert!(late(&ucb.reward) > late(&real.reward) + 0.02);
    let even = run("explore", &testbed(), 1000, 200);
    assert!((late(&even.best) - 0.1).abs() < 0.01 && late(&even.reward).abs() < 0.15);
    let means = [0.4, -1.2, 0.3, 1.6, -0.5, 0.1, 0.9, -2.0, 1.1, 0.0].map(|m| m + 4.0).to_vec();
    let shifted = Arms::Gaussian { means, deviation: 1.0 };
    let with = run("gradient:step=0.4", &shifted, 1000, 200);
    let without = run("gradient:step=0.4,baseline=false", &shifted, 1000, 200);
    assert!(late(&with.best) > late(&without.best) + 0.15, "{} {}", late(&with.best), late(&without.best));
}

const MEANS: [f64; 5] = [0.9, 0.8, 0.7, 0.5, 0.3];

/// Theorem 1 of Auer et al. bounds the expected regret of UCB1 in every round; the interval of 400 runs lies below.
#[test]
fn ucb1_keeps_its_bound() {
    let arms = Arms::Bernoulli { means: MEANS.to_vec() };
    let curves = run("ucb1", &arms, 3000, 400);
    let bound = curves.bounds.ucb1.as_ref().unwrap();
    let (_, upper) = curves.regret_interval(0.9999).unwrap();
    assert!(upper.iter().zip(bound).all(|(r, b)| r < b));
    // By hand for two arms 0.9 and 0.8 at t = 1000: 80 ln 1000 + 0.1 (1 + π²/3).
    let by_hand = 80.0 * 1000f64.ln() + 0.1 * (1.0 + std::f64::consts::PI.powi(2) / 3.0);
    assert!((ucb1_bound(&[0.9, 0.8], 1000.0) - by_hand).abs() < 1e-9);
    let normal = run("ucb1", &testbed(), 10, 2);
    assert!(normal.bounds.ucb1.is_none() && normal.bounds.notes[0].contains("[0, 1]"));
}

/// Lai and Robbins: regret grows by Σ Δ / kl a logarithm at least, and Thompson's sampling and KL-UCB attain it. From 5000 rounds
/// to 40000 its growth is that of the bound, within what 400 runs and terms of lower order leave; UCB1 pays several times more.
#[test]
fn the_best_strategies_attain_the_lower_bound() {
    let means = vec![0.6, 0.4];
    let rate = lai_robbins(&means, kl_bernoulli);
    assert!((rate - 0.2 / (0.4 * (0.4f64 / 0.6).ln() + 0.6 * (0.6f64 / 0.4).ln())).abs() < 1e-12);
    let arms = Arms::Bernoulli { means };
    let slope = |spec: &str| {
        let curves = run(spec, &arms, 40_000, 400);
        (curves.regret[39_999] - curves.regret[4_999]) / 8f64.ln() / rate
    };
    let (thompson, kl, ucb) = (slope("thompson"), slope("kl-ucb"), slope("ucb1"));
    assert!((0.6..1.5).contains(&thompson), "{thompson}");
    assert!((0.6..1.5).contains(&kl), "{kl}");
    assert!(ucb > 2.0 * thompson.max(kl), "{ucb}");
}

/// On rewards of an adversary, EXP3 keeps its bound, and a greedy strategy, which the adversary knows, does not.
#[test]
fn exp3_keeps_its_bound_where_greed_does_not() {
    // For a while one arm pays, then the other one, for much longer.
    let rewards = Mat::from_fn(10_000, 2, |t, arm| f64::from((t < 2000) == (arm == 0)));
    let arms = Arms::Table { rewards };
    let exp3 = run("exp3", &arms, 10_000, 1000);
    let bound = exp3.bounds.exp3.as_ref().unwrap()[9_999];
    let (_, upper) = exp3.regret_interval(0.9999).unwrap();
    assert!(
        upper[9_999] < bound
            && (bound - 2.0 * (1.718281828f64 * 2f64.ln() * 2.0 * 10_000.0).sqrt()).abs() < 0.1
    );
    let greedy = run("exploit", &arms, 10_000, 100);
    assert!(greedy.regret[9_999] > bound, "{}", greedy.regret[9_999]);
}

/// Lines are learnt: a strategy that sees contexts leaves those behind that do not.
#[test]
fn contexts_are_used() {
    let mut rng = rng_for(5, 0);
    let arms = Arms::Linear { weights: Mat::from_fn(4, 5, |_, _| normal(&mut rng)), deviation: 0.3 };
    let blind = run("epsilon-greedy", &arms, 2000, 40).regret[1999];
    for spec in ["lin-ucb:alpha=0.5", "linear-thompson:deviation=0.3"] {
        let seeing = run(spec, &arms, 2000, 40);
        assert!(seeing.regret[1999] < 0.15 * blind, "{spec}: {} {blind}", seeing.regret[1999]);
        assert!(late(&seeing.best) > 0.9, "{spec}");
    }
    let error = strategy("lin-ucb").unwrap().player(&Game { arms: 2, features: 0, steps: 1 }).unwrap_err();
    assert!(error.to_string().contains("n_features"));
}

/// On arms that walk, what is forgotten helps: exercise 2.5 of Sutton and Barto.
#[test]
fn drifting_arms_need_a_constant_step() {
    let arms = Arms::Drifting { means: vec![0.0; 10], step: 0.01, deviation: 1.0 };
    let constant = run("epsilon-greedy:step=0.1", &arms, 10_000, 200);
    let mean = run("epsilon-greedy", &arms, 10_000, 200);
    assert!(late(&constant.best) > late(&mean.best) + 0.1, "{} {}", late(&constant.best), late(&mean.best));
}

#[test]
fn threads_do_not_matter_and_every_strategy_plays() {
    for declared in strategies() {
        let name = declared.aliases[0];
        let arms = match name.starts_with("lin") {
            true => Arms::Linear { weights: Mat::identity(2), deviation: 0.1 },
            false => Arms::Bernoulli { means: vec![0.3, 0.7] },
        };
        let with = |threads| {
            let session = Session::new(4).with_threads(threads);
            simulate(strategy(name).unwrap().as_ref(), &arms, 50, 40, &session).unwrap()
        };
        let (one, two) = (with(1), with(2));
        assert_eq!((one.reward, one.final_regret), (two.reward, two.final_regret), "{name}");
    }
}

#[test]
fn what_is_no_game_is_refused() {
    let play = |spec: &str, arms: Arms, steps| {
        simulate(strategy(spec).unwrap().as_ref(), &arms, steps, 2, &Session::new(0)).unwrap_err().to_string()
    };
    let coins = |means: &[f64]| Arms::Bernoulli { means: means.to_vec() };
    assert!(play("ucb1", coins(&[0.5, 1.5]), 5).contains("means"));
    assert!(play("ucb1", coins(&[f64::NAN]), 5).contains("means"));
    assert!(play("ucb1", coins(&[]), 5).contains("arms"));
    assert!(play("ucb1", coins(&[0.5]), 0).contains("steps"));
    assert!(play("thompson", testbed(), 5).contains("[0, 1]"));
    assert!(play("exp3", Arms::Table { rewards: Mat::zeros(3, 2) }, 5).contains("at least 5 rows"));
    for bad in ["ucb", "thomson", "softmax:temperature=0", "exp3:gamma=2", "explore:epsilon=1"] {
        let known = strategy(bad);
        assert_eq!(known.is_ok(), bad == "ucb", "{bad}");
    }
    let one =
        simulate(strategy("thompson").unwrap().as_ref(), &coins(&[0.5]), 3, 1, &Session::new(0)).unwrap();
    assert_eq!((one.regret[2], one.regret_error[2]), (0.0, 0.0));
}

/// Played by hand, greedy choices are those of the rule; what is no round is refused before the strategy sees it.
#[test]
fn games_are_played_online() {
    let game = Game { arms: 3, features: 0, steps: 100 };
    let mut greedy = Online::begin(strategy("exploit").unwrap().as_ref(), game, 1).unwrap();
    for (arm, reward) in [(0, -1.0), (1, 0.4), (2, -0.5), (1, -0.6)] {
        greedy.update(arm, reward, None).unwrap();
    }
    assert_eq!(greedy.choose(&[]).unwrap(), 1);
    assert!(greedy.update(3, 0.0, None).unwrap_err().to_string().contains("arm"));
    assert!(greedy.update(0, f64::NAN, None).unwrap_err().to_string().contains("reward"));
    assert!(greedy.choose(&[1.0]).unwrap_err().to_string().contains("context"));
    let mut beta = Online::begin(strategy("thompson").unwrap().as_ref(), game, 1).unwrap();
    assert!(beta.update(0, 1.5, None).unwrap_err().to_string().contains("[0, 1]"));
    let start = |spec: &str, game| Online::begin(strategy(spec).unwrap().as_ref(), game, 1).map(drop);
    assert!(start("lin-ucb", game).unwrap_err().to_string().contains("n_features"));
    for bad in
        [Game { arms: 0, ..game }, Game { arms: usize::MAX, ..game }, Game { features: 1 << 40, ..game }]
    {
        let said = start("lin-ucb", bad).unwrap_err().to_string();
        assert!(said.contains("n_arms") && said.contains("begin"), "{said}");
    }
    let mut lines =
        Online::begin(strategy("lin-ucb:alpha=0").unwrap().as_ref(), Game { features: 2, ..game }, 1)
            .unwrap();
    assert!(lines.update(0, 1.0, None).unwrap_err().to_string().contains("context"));
    // Without a context, a reward is that of the last choice.
    lines.choose(&[0.0, 1.0]).unwrap();
    lines.update(2, 1.0, None).unwrap();
    assert_eq!(lines.choose(&[0.0, 1.0]).unwrap(), 2);
}

#[test]
fn arms_are_called_by_name() {
    let linear = Arms::Linear { weights: Mat::identity(2), deviation: 0.5 };
    assert_eq!(arms("bandit-linear:weights=[[1,0],[0,1]],deviation=0.5").unwrap(), linear);
    assert_eq!(arms("bandit-testbed").unwrap(), testbed());
    for (bad, words) in [
        ("bandit", "arms"),
        ("bandits", "bandit"),
        ("bandit:means=[0.5,2]", "means"),
        ("bandit-linear:weights=[[1,0],[1]]", "row 1"),
        ("bandit-testbed:arms=0", "arms"),
        ("bandit-testbed:arms=1e17", "arms"),
        ("bandit-gaussian:means=[1],deviation=-1", "deviation"),
        ("bandit-table:rewards=[[]]", "arms"),
    ] {
        let said = arms(bad).unwrap_err().to_string();
        assert!(said.contains(words), "{bad}: {said}");
    }
}

/// Logged rounds of a world whose value is known: three arms, two kinds of context, propensities that depend on them.
struct World {
    arms: Vec<usize>,
    rewards: Vec<f64>,
    propensities: Vec<f64>,
    target: Mat,
    /// The true means of each round.
    truth: Mat,
}

const WORLD: [[f64; 3]; 2] = [[1.0, 0.2, 0.5], [0.1, 0.9, 0.4]];
const LOGGING: [[f64; 3]; 2] = [[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]];
const TARGET: [[f64; 3]; 2] = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]];

fn world(seed: u64, n: usize) -> World {
    let mut rng = rng_for(seed, 0);
    let kinds: Vec<usize> = (0..n).map(|_| below(&mut rng, 2)).collect();
    let (mut arms, mut rewards, mut propensities) = (vec![], vec![], vec![]);
    for &kind in &kinds {
        let u = uniform(&mut rng);
        let arm = (0..3).find(|&a| u < LOGGING[kind][..=a].iter().sum()).unwrap_or(2);
        arms.push(arm);
        rewards.push(WORLD[kind][arm] + 0.3 * normal(&mut rng));
        propensities.push(LOGGING[kind][arm]);
    }
    let rows = |of: &[[f64; 3]; 2]| Mat::from_fn(n, 3, |i, a| of[kinds[i]][a]);
    World { arms, rewards, propensities, target: rows(&TARGET), truth: rows(&WORLD) }
}

/// Each estimator is right in the mean over 2000 logs of 200 rounds, to four standard errors (a false alarm in 1e4), and the
/// errors that it states are the deviation of its values, to ten per cent. The direct method is as wrong as its model.
#[test]
fn estimators_have_no_bias_and_know_their_error() {
    let value: f64 = (0..2).map(|k| 0.5 * (0..3).map(|a| TARGET[k][a] * WORLD[k][a]).sum::<f64>()).sum();
    let (logs, n) = (2000, 200);
    // A model that is wrong by a constant for one arm.
    let wrong =
        |truth: &Mat| Mat::from_fn(truth.n_rows(), 3, |i, a| truth[(i, a)] + if a == 0 { 0.5 } else { 0.0 });
    let mut all = vec![Vec::new(); 5];
    for seed in 0..logs {
        let w = world(seed, n);
        let logged =
            Logged { arms: &w.arms, rewards: &w.rewards, propensities: &w.propensities, target: &w.target };
        let model = wrong(&w.truth);
        all[0].push(importance(&logged).unwrap());
        all[1].push(doubly_robust(&logged, &model).unwrap());
        all[2].push(direct(&logged, &w.truth).unwrap());
        all[3].push(self_normalised(&logged).unwrap());
        all[4].push(direct(&logged, &model).unwrap());
    }
    let told = |k: usize| {
        let n = logs as f64;
        let mean = all[k].iter().map(|e| e.value).sum::<f64>() / n;
        let deviation = (all[k].iter().map(|e| (e.value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
        (mean, deviation, all[k].iter().map(|e| e.standard_error).sum::<f64>() / n)
    };
    for k in 0..4 {
        let (mean, deviation, stated) = told(k);
        // The bias of weights that are made to sum to one is of the order of 1/n.
        let bias = if k == 3 { 2.0 / n as f64 } else { 0.0 };
        assert!((mean - value).abs() < 4.0 * deviation / (logs as f64).sqrt() + bias, "{k}: {mean} {value}");
        assert!((stated / deviation - 1.0).abs() < 0.1, "{k}: {stated} {deviation}");
    }
    assert!(told(1).1 < told(0).1 && told(3).1 < told(0).1, "less variance than by importance alone");
    // Half of the rounds take arm 0 with 0.8, half with 0.1.
    assert!((told(4).0 - value - 0.5 * 0.45).abs() < 0.01);
}

#[test]
fn logs_are_checked() {
    let w = world(1, 3);
    let good =
        Logged { arms: &w.arms, rewards: &w.rewards, propensities: &w.propensities, target: &w.target };
    let bad = |logged: Logged<'_>| importance(&logged).unwrap_err().to_string();
    assert!(bad(Logged { arms: &[0, 1, 7], ..good }).contains("arm of round 2"));
    assert!(bad(Logged { rewards: &[0.0, f64::NAN, 1.0], ..good }).contains("reward of round 1"));
    assert!(bad(Logged { propensities: &[0.0, 0.5, 0.5], ..good }).contains("propensity of round 0"));
    assert!(bad(Logged { propensities: &[0.5], ..good }).contains("propensities"));
    assert!(
        direct(&good, &Mat::zeros(3, 2)).is_err()
            && direct(&good, &Mat::from_fn(3, 3, |_, _| f64::NAN)).is_err()
    );
    let never = Mat::from_fn(3, 3, |i, a| f64::from(a == (w.arms[i] + 1) % 3));
    assert!(self_normalised(&Logged { target: &never, ..good }).is_err());
    assert_eq!(importance(&Logged { target: &never, ..good }).unwrap().value, 0.0);
}

/// A game that is left in the middle, written to bytes and read again goes on as one that was not, by every strategy; and its policy takes the
/// arm that is expected to pay the most.
#[test]
fn games_go_on_where_their_models_were_left() {
    for declaration in strategies() {
        let features = if declaration.name.starts_with("Lin") { 2 } else { 0 };
        let object = Object::parse_spec(declaration.aliases[0]).unwrap();
        let mut game = Online::called(&object, Game { arms: 3, features, steps: 400 }, 9).unwrap();
        let mut rng = rng_for(5, 0);
        let mut play = |games: &mut [&mut Online], rounds: usize| {
            for _ in 0..rounds {
                let context: Vec<f64> = (0..features).map(|_| normal(&mut rng)).collect();
                let arms: Vec<usize> = games.iter_mut().map(|game| game.choose(&context).unwrap()).collect();
                assert!(arms.iter().all(|arm| *arm == arms[0]), "{}", declaration.name);
                let reward = [0.2, 0.9, 0.4][arms[0]] + 0.1 * uniform(&mut rng);
                games.iter_mut().for_each(|game| game.update(arms[0], reward, None).unwrap());
            }
        };
        play(&mut [&mut game], 200);
        let encoded = game.model().unwrap().encode().unwrap();
        let model = Trained::<ContextualBandit>::decode(encoded.version, &encoded.bytes).unwrap();
        let mut again = Online::resume(&model).unwrap();
        play(&mut [&mut game, &mut again], 200);
        let asked =
            if features == 0 { Mat::zeros(2, 1) } else { Mat::from_rows(&[[0.5, 0.5], [1.0, 0.2]]).unwrap() };
        let found = game.model().unwrap().predict(&asked).unwrap();
        let worth = game.worth();
        let best = |x: [f64; 2]| {
            let value = |arm: usize| match features {
                0 => worth[arm],
                _ => worth[2 * arm] * x[0] + worth[2 * arm + 1] * x[1],
            };
            (0..3).max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap() as u32
        };
        let expected = [best([0.5, 0.5]), best([1.0, 0.2])];
        assert_eq!(found.class().unwrap().0, expected, "{}", declaration.name);
        // Who tries all in turn has seen each more than a hundred times.
        assert!(declaration.name != "Explore" || expected == [1, 1]);
    }
}

/// An environment whose two states want different actions: LinUCB learns what to do in each, a strategy without contexts cannot.
#[test]
fn contextual_bandits_act_in_environments() {
    let ways: Vec<(usize, usize, usize, f64, f64)> = (0..4)
        .flat_map(|at| {
            (0..2).map(move |next| (at / 2, at % 2, next, 0.5, f64::from(u8::from(at / 2 == at % 2))))
        })
        .collect();
    let walk = MdpWalk::new(Mdp::numbered(2, 2, &ways, None).unwrap(), None).unwrap();
    let data = Dataset::new(Environment::new("two", walk.with_step_limit(Some(10))).unwrap());
    let model = ContextualBandit::default().steps(500).fit(&data).unwrap();
    let asked = Mat::from_rows(&[[0.0], [1.0]]).unwrap();
    assert_eq!(model.predict(&asked).unwrap().class().unwrap().0, [0, 1]);
    let earned: f64 = model.attributes().iter().find(|a| a.name == "episode_returns_").map_or(0.0, |a| {
        let AttributeValues::Real(returns) = &a.values else { return 0.0 };
        returns[returns.len() - 20..].iter().sum::<f64>() / 20.0
    });
    assert!(earned > 9.0, "{earned}");
    let error = model.predict(Mat::from_rows(&[[2.0]]).unwrap()).unwrap_err().to_string();
    assert!(error.contains("observation"), "{error}");
    let spec = Object::parse_spec("contextual-bandit:strategy='ucb1:scale=1',steps=500").unwrap();
    let plain = ContextualBandit::from_object(&spec).unwrap().fit(&data).unwrap();
    let answers = plain.predict(&asked).unwrap();
    assert_eq!(answers.class().unwrap().0[0], answers.class().unwrap().0[1]);
    for wrong in ["strategy=ucb9", "strategy='ucb1:scale=-1'"] {
        let spec = Object::parse_spec(&format!("contextual-bandit:{wrong}")).unwrap();
        let error = ContextualBandit::from_object(&spec).unwrap_err().to_string();
        assert!(error.contains("strategy"), "{error}");
    }
}
