//! Planners against the notes' algorithms by hand, textbooks, pymdptoolbox, and each other.

use mercer_core::{Dataset, Fit, Learn, Mdp, Session, Termination, Trained};
use mercer_math::{Mat, lstsq};
use mercer_rl::{
    AverageMethod, AverageReward, FiniteHorizon, LinearProgramming, Plan, Policy, PolicyEvaluation,
    PolicyIteration, SweepOrder, ValueIteration, average_values, discounted_values, exact_values, improve,
    process,
};
use mercer_testkit::{assert_close, assert_within, numbers, reference};
use serde_json::Value;

fn plan<L: Learn<Model = Plan>>(learner: L, mdp: &Mdp) -> Trained<L> {
    learner.fit(&Dataset::new(mdp.clone())).unwrap()
}

/// Two states and two actions, small enough for a sheet of paper: in `a`, action 0 stays with probability 1/2 and pays 2,
/// action 1 goes to `b` and pays 0; in `b`, action 0 goes back to `a` and pays 4.
fn by_hand() -> Mdp {
    let ways = [(0, 0, 0, 0.5, 2.0), (0, 0, 1, 0.5, 2.0), (0, 1, 1, 1.0, 0.0), (1, 0, 0, 1.0, 4.0)];
    Mdp::numbered(2, 2, &ways, Some(0.5)).unwrap()
}

/// Algorithm 9, whose loop ends at t = T, and equation 12.8. With the policy (1/2, 1/2) in `a`: V_1 = (1, 4);
/// V_2(a) = (1 + V_1-part (1/2 (1/2·1 + 1/2·4) + 1/2·4)) / 2 = (1 + 3.25) / 2, V_2(b) = (4 + 1) / 2.
#[test]
fn mean_rewards_of_some_steps_by_hand() {
    let mdp = by_hand();
    let policy = Policy::uniform(&mdp);
    let session = Session::default();
    let one = average_values(&policy, 1, &session).unwrap();
    assert_eq!(one.values, [1.0, 4.0]);
    assert_eq!(one.action_values.as_slice(), [2.0, 0.0, 4.0, f64::NEG_INFINITY]);
    let two = average_values(&policy, 2, &session).unwrap();
    assert_eq!(two.values, [2.125, 2.5]);
    assert_eq!(two.action_values.as_slice(), [2.25, 2.0, 2.5, f64::NEG_INFINITY]);
    // V_3(a) = (1 + 2 (1/4 V_2(a) + 3/4 V_2(b))) / 3, and Q_3(a, 0) = (2 + 2 · (V_2(a) + V_2(b)) / 2) / 3.
    let three = average_values(&policy, 3, &session).unwrap();
    assert_close(&three.values, &[(1.0 + 1.0625 + 3.75) / 3.0, (4.0 + 4.25) / 3.0], 1e-15, "three steps");
    assert_close(&[three.action_values[(0, 0)]], &[6.625 / 3.0], 1e-15, "a first action");
    assert!(average_values(&policy, 0, &session).is_err());
}

/// Algorithm 10 and equation 12.9 with γ = 1/2: V(a) = 1 + 1/8 V(a) + 3/8 V(b), V(b) = 4 + 1/2 V(a), so that
/// V(a) = 2.5 / (7/8 − 3/16) = 40/11 and V(b) = 64/11.
#[test]
fn discounted_rewards_by_hand() {
    let mdp = by_hand();
    let policy = Policy::uniform(&mdp);
    let exact = exact_values(&policy, 0.5).unwrap();
    assert_close(&exact.values, &[40.0 / 11.0, 64.0 / 11.0], 1e-15, "exact");
    let swept = discounted_values(&policy, 0.5, 1e-12, 1000, &Session::default()).unwrap();
    assert_close(&swept.values, &exact.values, 1e-11, "swept");
    assert_eq!(swept.termination, Termination::Converged);
    let q = [2.0 + 0.25 * 104.0 / 11.0, 32.0 / 11.0, 4.0 + 20.0 / 11.0];
    assert_close(&exact.action_values.as_slice()[..3], &q, 1e-15, "actions");
    // The first step is discounted by nothing: γ = 0 leaves r₁, where the printed equation 12.7 would leave r₀.
    assert_eq!(exact_values(&policy, 0.0).unwrap().values, [1.0, 4.0]);
    assert_eq!(improve(&mdp, 0.5, &exact.values).unwrap(), [Some(0), Some(0)]);
    let limited = discounted_values(&policy, 0.5, 1e-12, 3, &Session::default()).unwrap();
    assert_eq!((limited.iterations, limited.termination), (3, Termination::IterationLimit));
}

#[test]
fn policies_are_checked() {
    let mdp = by_hand();
    let bad = |rows: &[[f64; 2]]| Policy::new(&mdp, &Mat::from_rows(rows).unwrap()).unwrap_err().to_string();
    assert!(bad(&[[0.5, 0.6], [1.0, 0.0]]).contains("state 0"));
    assert!(bad(&[[0.5, 0.5], [0.5, 0.5]]).contains("(1, 1)"));
    assert!(bad(&[[f64::NAN, 0.5], [1.0, 0.0]]).contains("(0, 0)"));
    assert!(bad(&[[1.0, 0.0]]).contains("rows of a policy"));
    assert!(Policy::of_actions(&mdp, &[0, 1]).is_err() && Policy::of_actions(&mdp, &[9, 0]).is_err());
    let one = exact_values(&Policy::of_actions(&mdp, &[1, 0]).unwrap(), 0.5).unwrap();
    assert_close(&one.values, &[2.0 / 0.75, 4.0 + 1.0 / 0.75], 1e-15, "there and back");
    let endless = exact_values(&Policy::uniform(&mdp), 1.0).unwrap_err().to_string();
    assert!(endless.contains("for ever"), "{endless}");
}

/// Figure 4.1 of Sutton and Barto: the random policy, and the greedy one, which is optimal.
#[test]
fn the_grid_of_sixteen_cells() {
    let mdp = process("grid4x4").unwrap();
    let random = [0, 14, 20, 22, 14, 18, 20, 20, 20, 20, 18, 14, 22, 20, 14, 0].map(|v| -f64::from(v));
    let exact = exact_values(&Policy::uniform(&mdp), 1.0).unwrap();
    assert_close(&exact.values, &random, 1e-12, "random policy");
    let swept = discounted_values(&Policy::uniform(&mdp), 1.0, 1e-10, 10_000, &Session::default()).unwrap();
    assert_close(&swept.values, &random, 1e-8, "random policy by sweeps");
    let best = [0, 1, 2, 3, 1, 2, 3, 2, 2, 3, 2, 1, 3, 2, 1, 0].map(|v| -f64::from(v));
    for found in [
        plan(PolicyIteration::default(), &mdp).values.clone(),
        plan(ValueIteration::default(), &mdp).values.clone(),
        plan(ValueIteration::default().order(SweepOrder::GaussSeidel), &mdp).values.clone(),
        plan(ValueIteration::default().order(SweepOrder::Prioritised), &mdp).values.clone(),
        plan(PolicyIteration::default().evaluation(PolicyEvaluation::Sweeps(5)), &mdp).values.clone(),
        LinearProgramming::default().fit(&Dataset::new(mdp.clone())).unwrap().plan.values.clone(),
    ] {
        assert_close(&found, &best, 1e-9, "optimal");
    }
}

/// Figures 3.2 (the random policy) and 3.5 (optimal) of Sutton and Barto, to the digit that they print.
#[test]
fn the_grid_of_twenty_five_cells() {
    let mdp = process("grid5x5").unwrap();
    let random = [
        3.3, 8.8, 4.4, 5.3, 1.5, 1.5, 3.0, 2.3, 1.9, 0.5, 0.1, 0.7, 0.7, 0.4, -0.4, -1.0, -0.4, -0.4, -0.6,
        -1.2, -1.9, -1.3, -1.2, -1.4, -2.0,
    ];
    assert_within(
        &exact_values(&Policy::uniform(&mdp), 0.9).unwrap().values,
        &random,
        0.0501,
        "random policy",
    );
    let best = [
        22.0, 24.4, 22.0, 19.4, 17.5, 19.8, 22.0, 19.8, 17.8, 16.0, 17.8, 19.8, 17.8, 16.0, 14.4, 16.0, 17.8,
        16.0, 14.4, 13.0, 14.4, 16.0, 14.4, 13.0, 11.7,
    ];
    let howard = plan(PolicyIteration::default(), &mdp);
    assert_within(&howard.values, &best, 0.0501, "optimal");
    // Ten from A, and back after five steps: 10 / (1 − 0.9⁵).
    assert_close(&howard.values[1..2], &[10.0 / (1.0 - 0.9f64.powi(5))], 1e-14, "cell A");
}

/// Figure 4.3 of Sutton and Barto: a bold gambler at p = 0.4 wins from 50 with 0.4, from 75 with 0.4 + 0.6 · 0.4, from 25
/// with 0.16, and any optimal policy has these values.
#[test]
fn the_gambler() {
    let mdp = process("gambler").unwrap();
    for model in [
        plan(ValueIteration::default().tol(1e-14), &mdp),
        plan(ValueIteration::default().order(SweepOrder::GaussSeidel), &mdp),
    ] {
        let found = [25, 50, 75].map(|s| model.values[s]);
        assert_close(&found, &[0.16, 0.4, 0.64], 1e-7, "bold play");
        assert_eq!(model.policy[50], 49, "all is staked");
    }
    // Dubins and Savage: bold play solves v(x) = p v(2x) below the half, p + (1 − p) v(2x − 1) above.
    let howard = plan(PolicyIteration::default(), &mdp);
    for s in 1..100 {
        let expected = if 2 * s <= 100 {
            0.4 * howard.values[2 * s] + if s == 50 { 0.4 } else { 0.0 }
        } else {
            0.4 + 0.6 * howard.values[2 * s - 100]
        };
        assert!((howard.values[s] - expected).abs() < 1e-12, "{s}");
    }
}

/// Example 4.2 of Sutton and Barto, by policy and values of pymdptoolbox on a process made apart.
#[test]
fn jacks_car_rental() {
    let all = reference(include_str!("reference/planning.json"));
    let expected = numbers(&all["car_rental"]["values"]);
    let moves: Vec<i64> = numbers(&all["car_rental"]["policy"]).iter().map(|a| *a as i64).collect();
    let model = plan(PolicyIteration::default(), &process("car-rental").unwrap());
    assert_close(&model.values, &expected, 1e-8, "values");
    let found: Vec<i64> = model.policy.iter().map(|&a| i64::from(a) - 5).collect();
    assert_eq!(found, moves);
    // What figure 4.2 of the book shows of its last policy: from 5 cars sent away, where the first place is full and the second
    // empty, to 4 sent back in the other corner; none on the way from (7,7) to (20,20).
    let sent = |first: usize, second: usize| found[first * 21 + second];
    assert_eq!((found.iter().min(), found.iter().max()), (Some(&-4), Some(&5)));
    assert_eq!((sent(20, 0), sent(0, 20), sent(0, 0)), (5, -4, 0));
    assert!((7..=20).all(|cars| sent(cars, cars) == 0));
}

fn frozen(case: &Value) -> Mdp {
    let p: Vec<Vec<Vec<f64>>> = serde_json::from_value(case["p"].clone()).unwrap();
    let r: Vec<Vec<f64>> = serde_json::from_value(case["r"].clone()).unwrap();
    let mut ways = Vec::new();
    for (a, rows) in p.iter().enumerate() {
        for (s, row) in rows.iter().enumerate() {
            ways.extend(
                row.iter().enumerate().filter(|(_, p)| **p > 0.0).map(|(next, p)| (s, a, next, *p, r[s][a])),
            );
        }
    }
    Mdp::numbered(r.len(), p.len(), &ways, case["discount"].as_f64()).unwrap()
}

#[test]
fn agrees_with_pymdptoolbox() {
    let all = reference(include_str!("reference/planning.json"));
    for case in all["cases"].as_array().unwrap() {
        let mdp = frozen(case);
        let name = case["name"].as_str().unwrap();
        let actions = |key: &str| -> Vec<u32> { numbers(&case[key]).iter().map(|a| *a as u32).collect() };
        let howard = plan(PolicyIteration::default(), &mdp);
        assert_close(&howard.values, &numbers(&case["values"]), 1e-9, name);
        assert_eq!(howard.policy, actions("policy"), "{name}");
        assert_eq!(plan(ValueIteration::default(), &mdp).policy, actions("policy_by_values"), "{name}");
        let modified = PolicyIteration::default().evaluation(PolicyEvaluation::Sweeps(10));
        assert_eq!(plan(modified, &mdp).policy, actions("policy_modified"), "{name}");
        let finite = FiniteHorizon::default().horizon(6).fit(&Dataset::new(mdp.clone())).unwrap();
        // Theirs stand from the first step on, ours by the steps that are left.
        for (steps, values) in case["finite_values"].as_array().unwrap().iter().rev().enumerate() {
            let n = mdp.states().len();
            assert_close(&finite.values[steps * n..(steps + 1) * n], &numbers(values), 1e-12, name);
        }
        for (left, policy) in (1..).zip(case["finite_policy"].as_array().unwrap().iter().rev()) {
            let expected: Vec<u32> = numbers(policy).iter().map(|a| *a as u32).collect();
            assert_eq!(finite.policy_at(left).unwrap(), expected, "{name}, {left} left");
        }
        for method in [AverageMethod::PolicyIteration, AverageMethod::ValueIteration] {
            let average = AverageReward::default().method(method).fit(&Dataset::new(mdp.clone())).unwrap();
            let gains = vec![case["gain"].as_f64().unwrap(); mdp.states().len()];
            assert_close(&average.gain, &gains, 2e-8, name);
            assert_eq!(average.policy, actions("policy_average"), "{name}");
        }
    }
}

/// On random processes all planners find the values that solve (I − γ P_π) V = r_π, whatever the road, and keep what their
/// certificates promise.
#[test]
fn planners_agree_on_random_processes() {
    for (seed, discount) in [(1, 0.0), (2, 0.5), (3, 0.9), (4, 0.99), (5, 0.9999)] {
        let mdp = process(&format!("random-mdp:states=60,actions=4,successors=3,seed={seed}")).unwrap();
        let data = Dataset::new(mdp.clone());
        let exact = plan(PolicyIteration::default().discount(Some(discount)), &mdp);
        let n = 60;
        let (mut a, mut r) = (Mat::identity(n), Mat::zeros(n, 1));
        for s in 0..n {
            for t in mdp.transitions(s, exact.policy[s] as usize) {
                a[(s, t.next as usize)] -= discount * t.probability;
                r[(s, 0)] += t.probability * t.reward;
            }
        }
        let solution = lstsq(a.view(), r.view(), None).unwrap().0.col(0).to_vec();
        let size = exact.values.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        assert_within(&exact.values, &solution, 1e-9 * size, "the linear system");
        let tol = 1e-6;
        let orders = [SweepOrder::Synchronous, SweepOrder::GaussSeidel, SweepOrder::Prioritised];
        for order in orders {
            let model = plan(
                ValueIteration::default().discount(Some(discount)).tol(tol).order(order).max_iter(1_000_000),
                &mdp,
            );
            assert_eq!(model.certificate().termination, Termination::Converged, "{order:?} {discount}");
            assert_within(&model.values, &exact.values, tol, "a tolerance that is proved");
            let bound = model.certificate().evidence[1].value;
            let loss = model.certificate().evidence[2].value;
            let own = Policy::of_actions(&mdp, &model.policy.iter().map(|&a| a as usize).collect::<Vec<_>>())
                .unwrap();
            let followed = exact_values(&own, discount).unwrap().values;
            let slack = 1e-11 * size;
            assert_within(&model.values, &exact.values, bound + slack, "the bound");
            assert!(
                followed.iter().zip(&exact.values).all(|(f, e)| e - f <= loss + slack && loss < 10.0 * tol)
            );
            assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
        }
        for evaluation in [PolicyEvaluation::Iterative, PolicyEvaluation::Sweeps(7)] {
            let model = plan(
                PolicyIteration::default().discount(Some(discount)).tol(tol).evaluation(evaluation),
                &mdp,
            );
            assert_within(&model.values, &exact.values, tol, "policy iteration");
        }
        let program = LinearProgramming::default().discount(Some(discount)).fit(&data).unwrap();
        assert_within(&program.plan.values, &exact.values, 1e-7 * size, "the linear program");
        assert!(
            program.certificate().evidence.iter().all(|e| e.value <= 1e-6 * size / (1.0 - discount)),
            "{}",
            program.certificate()
        );
        assert!(program.verify(&data).unwrap().iter().all(|v| v.holds));
    }
}

/// A plan does not hold on another process.
#[test]
fn certificates_fail_elsewhere() {
    let [one, other] = [1, 2].map(|seed| process(&format!("random-mdp:states=20,seed={seed}")).unwrap());
    let (one, other) = (Dataset::new(one), Dataset::new(other));
    assert!(!PolicyIteration::default().fit(&one).unwrap().verify(&other).unwrap()[0].holds);
    assert!(!FiniteHorizon::default().fit(&one).unwrap().verify(&other).unwrap()[0].holds);
    assert!(AverageReward::default().fit(&one).unwrap().verify(&other).unwrap().iter().any(|v| !v.holds));
    assert!(LinearProgramming::default().fit(&one).unwrap().verify(&other).unwrap().iter().any(|v| !v.holds));
}

/// Components beyond a few hundred states are solved by iteration, to the same values; a process of more than a thousand
/// states is one component here.
#[test]
fn large_components_are_solved_to_rounding() {
    let mdp = process("random-mdp:states=1500,actions=3,successors=4,seed=9").unwrap();
    for discount in [0.9, 0.9999] {
        let model = plan(PolicyIteration::default().discount(Some(discount)), &mdp);
        let size = model.values.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        assert!(model.certificate().evidence[0].value < 1e-12 * size, "{}", model.certificate());
    }
}

/// The gain of the policy is the limit of mean rewards, and it is the same on two threads and one.
#[test]
fn gains_are_limits_of_means() {
    let mdp = process("random-mdp:states=30,actions=3,successors=4,seed=3").unwrap();
    let model = AverageReward::default().fit(&Dataset::new(mdp.clone())).unwrap();
    let own =
        Policy::of_actions(&mdp, &model.policy.iter().map(|&a| a as usize).collect::<Vec<_>>()).unwrap();
    let (few, many) = (1000, 2000);
    let mean = |steps| average_values(&own, steps, &Session::default()).unwrap().values;
    let (short, long) = (mean(few), mean(many));
    // T·V_T = T·g + h + o(1): two lengths tell both.
    for s in 0..30 {
        let gain = (many as f64 * long[s] - few as f64 * short[s]) / (many - few) as f64;
        assert!((gain - model.gain[s]).abs() < 1e-9, "{s}");
        assert!((few as f64 * (short[s] - model.gain[s]) - model.bias[s]).abs() < 1e-8, "{s}");
    }
}

#[test]
fn threads_do_not_matter() {
    let data = Dataset::new(process("random-mdp:states=700,actions=5,successors=8,seed=1").unwrap());
    let with =
        |threads| ValueIteration::default().fit_in(&data, &Session::new(0).with_threads(threads)).unwrap();
    let (one, two) = (with(1), with(2));
    assert_eq!((one.values.clone(), one.policy.clone()), (two.values.clone(), two.policy.clone()));
}
