//! Agents against the textbook, against exact values, and against what they must equal by definition.

use mercer_core::{AttributeValues, Dataset, Environment, Fit, Learn, Mdp, MdpWalk, Trained};
use mercer_math::Mat;
use mercer_rl::{
    ActorCritic, AgentModel, Behaviour, DoubleQLearning, DynaQ, ExpectedSarsa, Features, Importance,
    MonteCarloControl, MonteCarloPrediction, Play, PrioritizedSweeping, QLearning, Reinforce, Sarsa,
    TDPrediction, Trace, ValueIteration, Visits, environment,
};

fn world(name: &str) -> Dataset<'static> {
    Dataset::new(environment(name).unwrap())
}

fn attribute<L: Learn<Model = AgentModel>>(model: &Trained<L>, name: &str) -> Vec<f64> {
    let found =
        model.attributes().into_iter().find(|a| a.name == name).unwrap_or_else(|| panic!("no {name}"));
    match found.values {
        AttributeValues::Real(values) => values,
        AttributeValues::Int(values) => values.into_iter().map(|v| v as f64).collect(),
        other => panic!("{other:?}"),
    }
}

/// The mean of what the greedy policy earns.
fn earned<L: Learn<Model = AgentModel>>(name: &str, model: &Trained<L>, episodes: u64) -> f64 {
    let mut play = Play::new(&environment(name).unwrap(), 99).unwrap();
    let (mut total, mut rng) = (0.0, mercer_math::rng_for(3, 4));
    let policy = model.as_model().policy().unwrap();
    for _ in 0..episodes {
        play.begin(None).unwrap();
        for _ in 0..10_000 {
            let outcome = play.step(policy.act(play.observation(), &mut rng).unwrap()).unwrap();
            total += outcome.reward;
            if outcome.terminated || outcome.truncated {
                break;
            }
        }
    }
    total / episodes as f64
}

fn tail(returns: &[f64], n: usize) -> f64 {
    returns[returns.len() - n..].iter().sum::<f64>() / n as f64
}

/// Example 6.6 of Sutton and Barto: Q-learning learns the path along the cliff and falls off it while it explores, SARSA walks
/// around and earns more on the way.
#[test]
fn sarsa_walks_safely_and_q_learning_along_the_edge() {
    let cliff = world("cliff");
    let q = QLearning::default().alpha(0.5).discount(1.0).fit(&cliff).unwrap();
    let sarsa = Sarsa::default().alpha(0.5).discount(1.0).fit(&cliff).unwrap();
    let expected = ExpectedSarsa::default().alpha(0.5).discount(1.0).fit(&cliff).unwrap();
    assert_eq!(earned("cliff", &q, 1), -13.0);
    assert!(earned("cliff", &expected, 1) <= -15.0);
    let (ways, online) = (tail(&q.returns, 500), tail(&sarsa.returns, 500));
    assert!((-70.0..-40.0).contains(&ways), "{ways}");
    assert!((-35.0..-15.0).contains(&online), "{online}");
    assert!(tail(&expected.returns, 500) > ways);
}

/// Example 6.5: the windy grid is crossed in 15 steps, with a king's moves in 7.
#[test]
fn the_windy_grid_is_crossed_in_fifteen_steps() {
    let plain = Sarsa::default().alpha(0.5).discount(1.0).epsilon_end(Some(0.0)).steps(200_000);
    assert_eq!(earned("windy", &plain.fit(&world("windy")).unwrap(), 1), -15.0);
    let king = QLearning::default().alpha(0.5).discount(1.0).steps(200_000);
    assert_eq!(earned("windy:king=true", &king.fit(&world("windy:king=true")).unwrap(), 1), -7.0);
}

/// Values of tables converge to those of the process: within what the certificate says, and close to value iteration's.
#[test]
fn q_learning_converges_to_the_optimal_values() {
    let environment = environment("frozen-lake").unwrap();
    let exact = ValueIteration::default()
        .discount(Some(0.95))
        .fit(&Dataset::new(environment.mdp().unwrap()))
        .unwrap();
    let learner =
        QLearning::default().discount(0.95).alpha(1.0).alpha_power(0.7).epsilon(1.0).steps(6_000_000);
    let model = learner.fit(&Dataset::new(environment.clone())).unwrap();
    let values = attribute(&model, "values_");
    let error = values.iter().zip(&exact.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error < 0.02, "{error}");
    let residual = model.certificate().evidence[0].value;
    assert!(error <= residual / 0.05, "{error} {residual}");
    assert!(model.verify(&Dataset::new(environment)).unwrap()[0].holds);
    let double = DoubleQLearning::default().discount(0.95).alpha(1.0).alpha_power(0.6).epsilon(1.0);
    let double = double.steps(6_000_000).fit(&world("frozen-lake")).unwrap();
    let far = attribute(&double, "values_");
    assert!(far.iter().zip(&exact.values).all(|(a, b)| (a - b).abs() < 0.04), "{far:?} {:?}", exact.values);
}

/// The taxi's best return, 7.93 on average, follows from its transitions; so does that of the lake, 0.74 within 100 steps.
#[test]
fn the_taxi_and_the_lake_are_solved() {
    let taxi = QLearning::default().alpha(0.5).steps(1_000_000).fit(&world("taxi")).unwrap();
    assert!((earned("taxi", &taxi, 3000) - 7.93).abs() < 0.25);
    let lake = QLearning::default()
        .alpha(1.0)
        .alpha_power(0.6)
        .epsilon(1.0)
        .steps(2_000_000)
        .fit(&world("frozen-lake"));
    assert!((earned("frozen-lake", &lake.unwrap(), 5000) - 0.74).abs() < 0.03);
}

/// Memories save steps: with as few, plain Q-learning has not found the goal as often.
#[test]
fn planning_saves_steps() {
    let maze = "grid";
    let count = |model: &AgentModel| model.returns.len();
    let plain = QLearning::default().discount(0.95).steps(3000).fit(&world(maze)).unwrap();
    let dyna = DynaQ::default().discount(0.95).planning_steps(50).steps(3000).fit(&world(maze)).unwrap();
    let swept = PrioritizedSweeping::default().discount(0.95).steps(3000).fit(&world(maze)).unwrap();
    assert!(count(&dyna) > 2 * count(&plain), "{} {}", count(&dyna), count(&plain));
    assert!(count(&swept) > 2 * count(&plain), "{} {}", count(&swept), count(&plain));
    // Example 8.1: fourteen steps, of which the last one is paid by the goal.
    assert_eq!((earned(maze, &dyna, 1), earned(maze, &swept, 1)), (-13.0, -13.0));
    let curious = DynaQ::default()
        .bonus(1e-3)
        .planning_steps(20)
        .steps(20_000)
        .fit(&world("frozen-lake:slippery=false"));
    assert_eq!(earned("frozen-lake:slippery=false", &curious.unwrap(), 1), 1.0);
}

/// Full backups of what was seen tend to the process's own values.
#[test]
fn sweeping_tends_to_the_optimal_values() {
    let environment = environment("frozen-lake").unwrap();
    let exact =
        ValueIteration::default().discount(Some(0.9)).fit(&Dataset::new(environment.mdp().unwrap())).unwrap();
    let learner = PrioritizedSweeping::default().discount(0.9).epsilon(1.0).steps(2_000_000).threshold(1e-6);
    let values = attribute(&learner.fit(&Dataset::new(environment)).unwrap(), "values_");
    let error = values.iter().zip(&exact.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error < 0.01, "{error}");
}

/// Example 6.2: the values of the random walk are i/6, by every way of prediction.
#[test]
fn the_random_walk_is_worth_sixths() {
    let walk = world("random-walk");
    let td = TDPrediction::default().discount(1.0).alpha(1.0).alpha_power(0.8).steps(400_000);
    let close = |values: Vec<f64>, most: f64| {
        for i in 1..=5 {
            assert!((values[i] - i as f64 / 6.0).abs() < most, "{values:?}");
        }
    };
    close(attribute(&td.clone().fit(&walk).unwrap(), "values_"), 0.03);
    close(attribute(&td.clone().n_step(4).fit(&walk).unwrap(), "values_"), 0.03);
    for traces in [Trace::Accumulating, Trace::Replacing] {
        close(attribute(&td.clone().lambda(0.8).traces(traces).fit(&walk).unwrap(), "values_"), 0.03);
    }
    let dutch = TDPrediction::default().discount(1.0).alpha(0.005).lambda(0.8).traces(Trace::Dutch);
    close(attribute(&dutch.steps(400_000).fit(&walk).unwrap(), "values_"), 0.05);
    for visits in [Visits::First, Visits::Every] {
        let mc = MonteCarloPrediction::default().discount(1.0).visits(visits).steps(400_000);
        close(attribute(&mc.fit(&walk).unwrap(), "values_"), 0.03);
    }
    for features in [Features::Rbf, Features::Fourier, Features::Linear, Features::Tiles] {
        let learner = TDPrediction::default().discount(1.0).alpha(0.01).features(features).steps(400_000);
        let model = learner.fit(&walk).unwrap();
        let x = Mat::from_fn(5, 1, |i, _| i as f64 + 1.0);
        let values = model.predict(&x).unwrap();
        let values = std::iter::once(0.0).chain(values.numbers().unwrap().iter().copied()).collect();
        // The values are a line in the state, which all of these can draw, but for the ends, where nothing is learnt.
        close(values, 0.1);
    }
}

/// Example 5.4: the state of 13 against a 2 with a usable ace, of who sticks on 20 and 21 alone, is worth -0.27726, seen while
/// another policy plays; to 4.9 standard errors by the variance that the book's figure shows (one false alarm in a million).
#[test]
fn policies_are_judged_while_others_act() {
    let policy = (0..32 * 11 * 2).map(|s| i64::from(s / 22 < 20)).collect::<Vec<_>>();
    let base = MonteCarloPrediction::default().discount(1.0).policy(Some(policy)).steps(6_000_000);
    let at = (13 * 11 + 2) * 2 + 1;
    let own = attribute(&base.clone().fit(&world("blackjack")).unwrap(), "values_")[at];
    assert!((own + 0.27726).abs() < 0.04, "{own}");
    for importance in [Importance::Weighted, Importance::Ordinary] {
        let off = base.clone().behaviour(Behaviour::Uniform).importance(importance);
        let seen = attribute(&off.fit(&world("blackjack")).unwrap(), "values_")[at];
        assert!((seen + 0.27726).abs() < 0.12, "{importance:?}: {seen}");
    }
}

/// Gambler's ruin: who goes right with probability p is worth (1 − (q/p)^i) / (1 − (q/p)^6) in state i, seen while another one goes either way
/// alike, over one step, several, and with traces.
#[test]
fn differences_judge_a_policy_while_another_acts() {
    let walk = world("random-walk");
    let base = TDPrediction::default().policy(Some(vec![1; 7])).epsilon(0.5).behaviour(Behaviour::Uniform);
    let base = base.discount(1.0).alpha(1.0).alpha_power(0.8).steps(600_000);
    let worth = |i: i32| (1.0 - 3f64.powi(-i)) / (1.0 - 3f64.powi(-6));
    for (name, learner) in
        [("one", base.clone()), ("three", base.clone().n_step(3)), ("traces", base.clone().lambda(0.6))]
    {
        let values = attribute(&learner.fit(&walk).unwrap(), "values_");
        let off = (1..=5).map(|i| (values[i as usize] - worth(i)).abs()).fold(0.0, f64::max);
        assert!(off < 0.03, "{name}: {off} {values:?}");
    }
    let error = base.lambda(0.6).traces(Trace::Dutch).fit(&walk).unwrap_err().to_string();
    assert!(error.contains("accumulating where another policy acts"), "{error}");
}

/// Plain averages are over all visits, those of returns that the greedy policy would not have had among them: else values of three steps,
/// each weighted by four, would come out up to sixteen times too large.
#[test]
fn plain_averages_off_the_policy_find_the_values() {
    let path = environment("grid:map='S..G',step=0,goal=1").unwrap();
    let exact =
        ValueIteration::default().discount(Some(0.9)).fit(&Dataset::new(path.mdp().unwrap())).unwrap();
    for importance in [Importance::Weighted, Importance::Ordinary] {
        let learner = MonteCarloControl::default().off_policy(true).importance(importance).epsilon(1.0);
        let model = learner.discount(0.9).steps(2_000_000).fit(&Dataset::new(path.clone())).unwrap();
        let values = attribute(&model, "values_");
        let off = values.iter().zip(&exact.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 0.05, "{importance:?}: {values:?} {:?}", exact.values);
    }
}

/// Figure 5.2: the best policy sticks on 20 and 21 and hits up to 11, and sticks on 19 without an ace against anything.
#[test]
fn blackjack_is_played_as_thorp_plays() {
    for off_policy in [false, true] {
        let learner =
            MonteCarloControl::default().discount(1.0).steps(6_000_000).epsilon(0.2).off_policy(off_policy);
        let model = learner.fit(&world("blackjack")).unwrap();
        let policy = attribute(&model, "policy_");
        let at = |sum: usize, dealer: usize, ace: usize| policy[(sum * 11 + dealer) * 2 + ace];
        for dealer in 1..=10 {
            assert_eq!((at(20, dealer, 0), at(19, dealer, 0)), (0.0, 0.0), "against {dealer}");
            assert_eq!((at(11, dealer, 0), at(8, dealer, 0)), (1.0, 1.0), "against {dealer}");
        }
        // Against a ten, 15 loses 0.036 less by hitting, unless one explores after it.
        assert_eq!((at(16, 6, 0), off_policy && at(15, 10, 0) == 0.0), (0.0, false));
        let won = earned("blackjack", &model, 200_000);
        assert!((won + 0.046).abs() < 0.02, "{won}");
    }
}

/// True online TD(λ) equals the λ-return computed anew after every step (van Seijen and others, 2016): both on one walk of the
/// random walk, with features.
#[test]
fn dutch_traces_equal_the_forward_view() {
    let (alpha, lambda, discount) = (0.3, 0.7, 0.9);
    let learner = TDPrediction::default()
        .discount(discount)
        .alpha(alpha)
        .lambda(lambda)
        .traces(Trace::Dutch)
        .features(Features::Rbf)
        .centers(3);
    for seed in 0..10 {
        let session = mercer_core::Session::new(seed);
        let model =
            learner.clone().episodes(Some(1)).fit_in(&world("random-walk:states=7"), &session).unwrap();
        let course = course("random-walk:states=7", seed);
        assert_eq!(course.len() as f64, model.lengths[0]);
        let expected = forward(&course, alpha, lambda, discount);
        let found = attribute(&model, "weights_");
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-12, "{seed}: {found:?} {expected:?}");
        }
    }
}

/// States, rewards and next states (none at the end) of the first episode that an agent of this seed sees.
fn course(name: &str, seed: u64) -> Vec<(f64, f64, Option<f64>)> {
    let environment = environment(name).unwrap();
    let session = mercer_core::Session::new(seed);
    let mut play = Play::new(&environment, mercer_math::seed_for(seed, 1)).unwrap();
    let mut rng = session.rng(0);
    play.begin(None).unwrap();
    let sums = mercer_math::running_sums([0.5, 0.5]);
    let mut out = Vec::new();
    loop {
        let state = play.observation()[0];
        let outcome = play.step(mercer_math::by_weight(&mut rng, &sums)).unwrap();
        out.push((state, outcome.reward, (!outcome.terminated).then_some(play.observation()[0])));
        if outcome.terminated {
            return out;
        }
    }
}

/// Three Gaussians across nine states, scaled to sum to 1.
fn features(state: f64) -> [f64; 3] {
    let value = |c: usize| (-0.5 * (state / 8.0 * 2.0 - c as f64).powi(2)).exp();
    let all = [value(0), value(1), value(2)];
    all.map(|v| v / all.iter().sum::<f64>())
}

fn dot(a: &[f64; 3], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, w)| x * w).sum()
}

/// The online λ-return algorithm: after every step all updates are made again from the first weights, with λ-returns that reach
/// up to that step.
fn forward(course: &[(f64, f64, Option<f64>)], alpha: f64, lambda: f64, discount: f64) -> Vec<f64> {
    // The weights at the end of each horizon.
    let mut last = vec![vec![0.0; 3]];
    for horizon in 1..=course.len() {
        let mut weights = vec![0.0; 3];
        for t in 0..horizon {
            // n-step returns judge their last state by the weights of the step before it.
            let n_step = |n: usize| {
                let rewards: f64 = (0..n).map(|k| discount.powi(k as i32) * course[t + k].1).sum();
                let end = course[t + n - 1].2.map_or(0.0, |s| dot(&features(s), &last[t + n - 1]));
                rewards + discount.powi(n as i32) * end
            };
            let reach = horizon - t;
            let mixed: f64 =
                (1..reach).map(|n| (1.0 - lambda) * lambda.powi(n as i32 - 1) * n_step(n)).sum::<f64>();
            let target = mixed + lambda.powi(reach as i32 - 1) * n_step(reach);
            let x = features(course[t].0);
            let error = target - dot(&x, &weights);
            weights.iter_mut().zip(x).for_each(|(w, x)| *w += alpha * error * x);
        }
        last.push(weights);
    }
    last.pop().unwrap()
}

/// n steps that reach the end are the return: on a path without returning states both learn the same.
#[test]
fn many_steps_are_monte_carlo() {
    let path = "grid:map='S....G',goal=5";
    let policy = vec![1; 6];
    let td = TDPrediction::default().n_step(50).alpha(0.2).policy(Some(policy.clone())).episodes(Some(7));
    let mc = MonteCarloPrediction::default().alpha(Some(0.2)).policy(Some(policy)).episodes(Some(7));
    let (td, mc) = (td.fit(&world(path)).unwrap(), mc.fit(&world(path)).unwrap());
    let (a, b) = (attribute(&td, "values_"), attribute(&mc, "values_"));
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
    assert!(a[0] > 0.0 && a[4] > a[0]);
}

/// Tiles on the mountain car: figure 10.2 of Sutton and Barto has fewer than 200 steps an episode after 100 episodes.
#[test]
fn tiles_drive_the_car_up_the_hill() {
    let name = "mountain-car:step_limit=10000";
    let learner = Sarsa::default().epsilon(0.0).alpha(0.5).discount(1.0).episodes(Some(500)).steps(1_000_000);
    let model = learner.fit(&world(name)).unwrap();
    assert!(tail(&model.returns, 100) > -160.0, "{}", tail(&model.returns, 100));
    let traced = learner.lambda(0.9).traces(Trace::Replacing).alpha(0.3).fit(&world(name)).unwrap();
    assert!(traced.returns[..100].iter().sum::<f64>() > model.returns[..100].iter().sum::<f64>());
}

#[test]
fn gradients_balance_the_pole() {
    let pole = world("cart-pole");
    let critic = ActorCritic::default().steps(200_000).fit(&pole).unwrap();
    let whole = Reinforce::default().steps(200_000).fit(&pole).unwrap();
    let bare = Reinforce::default().baseline(false).alpha(0.01).steps(200_000).fit(&pole).unwrap();
    for (name, returns) in [("critic", &critic.returns), ("whole", &whole.returns), ("bare", &bare.returns)] {
        // Drawing actions at random, the pole stands for 22 steps.
        assert!(tail(returns, 50) > 100.0, "{name}: {}", tail(returns, 50));
    }
    let traced =
        ActorCritic::default().lambda(0.5).features(Features::Linear).steps(50_000).fit(&pole).unwrap();
    assert!(tail(&traced.returns, 50) > 44.0, "{}", tail(&traced.returns, 50));
}

/// The gradient of the policy is that of its logarithm: after one episode of one step, weights are α · return · (1 − π).
#[test]
fn one_step_of_reinforce_is_the_gradient() {
    let cell = "grid:map='SG',goal=2";
    let learner = Reinforce::default().alpha(0.5).baseline(false).episodes(Some(1)).discount(0.9);
    let mut short = 0;
    for seed in 0..30 {
        let model = learner.clone().fit_in(&world(cell), &mercer_core::Session::new(seed)).unwrap();
        let found = attribute(&model, "preferences_");
        assert!(found[..4].iter().sum::<f64>().abs() < 1e-12, "preferences move about their mean: {found:?}");
        // A quarter of the episodes goes right at once; the others stay and pay before.
        if model.lengths[0] == 1.0 {
            let expected = [-0.25, 0.75, -0.25, -0.25].map(|slope| 0.5 * 2.0 * slope);
            assert!(found[..4].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
            short += 1;
        }
    }
    assert!(short > 0);
}

/// A state that is never left, cut off after each step: returns go on with what the state is worth, by hand.
#[test]
fn returns_go_on_where_episodes_are_cut_off() {
    let ways = [(0, 0, 0, 1.0, 1.0), (0, 1, 0, 1.0, 2.0)];
    let walk = MdpWalk::new(Mdp::numbered(1, 2, &ways, None).unwrap(), None).unwrap();
    let forever = Environment::new("forever", walk.with_step_limit(Some(1))).unwrap();
    let learner = Reinforce::default().alpha(0.5).alpha_baseline(0.2).discount(0.9).steps(40);
    let model = learner.fit(&Dataset::new(forever)).unwrap();
    let (mut worth, mut preferences) = (0.0, [0.0f64; 2]);
    for paid in &model.returns {
        let share = 1.0 / (1.0 + (preferences[0] - preferences[1]).exp());
        let advantage = paid + 0.9 * worth - worth;
        worth += 0.2 * advantage;
        let slope = 0.5 * advantage * if *paid == 2.0 { 1.0 - share } else { -share };
        preferences = [preferences[0] - slope, preferences[1] + slope];
    }
    let found = attribute(&model, "preferences_");
    assert!(model.returns.len() == 40 && worth > 5.0);
    assert!(found.iter().zip(preferences).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {preferences:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |error: mercer_core::Error, words: &str| {
        assert!(error.to_string().contains(words), "{error}");
    };
    let pole = world("cart-pole");
    refused(QLearning::default().features(Features::Table).fit(&pole).unwrap_err(), "cannot be counted");
    refused(DynaQ::default().fit(&pole).unwrap_err(), "cannot be counted");
    refused(MonteCarloControl::default().fit(&pole).unwrap_err(), "cannot be counted");
    refused(Sarsa::default().features(Features::Tiles).tiles(500).fit(&pole).unwrap_err(), "fewer tiles");
    refused(Sarsa::default().n_step(3).lambda(0.5).fit(&pole).unwrap_err(), "lambda_");
    refused(QLearning::default().lambda(0.5).traces(Trace::Dutch).fit(&pole).unwrap_err(), "accumulating");
    refused(TDPrediction::default().policy(Some(vec![0; 3])).fit(&world("cliff")).unwrap_err(), "policy");
    refused(TDPrediction::default().policy(Some(vec![9; 48])).fit(&world("cliff")).unwrap_err(), "state 0");
    refused(QLearning::default().fit(&Dataset::new(Mat::zeros(3, 2))).unwrap_err(), "takes an Environment");
    let model = QLearning::default().steps(100).fit(&world("cliff")).unwrap();
    refused(model.predict(Mat::from_rows(&[[48.0]]).unwrap()).unwrap_err(), "observation");
    refused(model.predict(Mat::from_rows(&[[0.5]]).unwrap()).unwrap_err(), "observation");
    refused(model.verify(&world("taxi")).unwrap_err(), "observations");
}
