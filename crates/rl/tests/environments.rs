//! Environments against Gymnasium's, from the same states, and against what the textbook says of them.

use mercer_core::{Environment, Simulation};
use mercer_rl::{Play, environment, environments};
use mercer_testkit::{assert_close, numbers, reference};
use serde_json::Value;
use std::collections::BTreeMap;

fn gymnasium() -> Value {
    reference(include_str!("reference/gymnasium.json"))
}

/// Of a state and action the outcomes (next, reward, terminated) with their probabilities; numbers as bits, to be keys.
type Outcomes = BTreeMap<(u64, u64, bool), f64>;

fn ours(environment: &Environment, s: usize, a: usize) -> Outcomes {
    let mdp = environment.mdp().unwrap();
    let over = |s: usize| (0..mdp.actions().len()).all(|a| mdp.transitions(s, a).is_empty());
    let mut out = Outcomes::new();
    for t in mdp.transitions(s, a) {
        *out.entry((u64::from(t.next), t.reward.to_bits(), over(t.next as usize))).or_default() +=
            t.probability;
    }
    out
}

#[test]
fn toy_texts_have_gymnasiums_transitions() {
    let all = gymnasium();
    for (name, n_states) in [
        ("frozen-lake", 16),
        ("frozen-lake:slippery=false", 16),
        ("frozen-lake:size=8", 64),
        ("cliff", 48),
        ("cliff:slippery=true", 48),
        ("taxi", 500),
        ("taxi:rainy=true", 500),
    ] {
        let environment = environment(name).unwrap();
        assert_eq!(environment.observations().count(), Some(n_states));
        let table = all[name]["outcomes"].as_array().unwrap();
        let mut compared = 0;
        for (s, actions) in table.iter().enumerate() {
            // At an end Gymnasium goes on somehow, though nobody steps there; ours has no actions. Nobody is on the cliff.
            if !environment.allows(s, 0) {
                continue;
            }
            for (a, outcomes) in actions.as_array().unwrap().iter().enumerate() {
                let mut expected = Outcomes::new();
                for o in outcomes.as_array().unwrap() {
                    let reward = o[1].as_f64().unwrap();
                    let key = (o[0].as_u64().unwrap(), reward.to_bits(), o[2].as_bool().unwrap());
                    *expected.entry(key).or_default() += o[3].as_f64().unwrap();
                }
                let found = ours(&environment, s, a);
                assert_eq!(
                    found.keys().collect::<Vec<_>>(),
                    expected.keys().collect::<Vec<_>>(),
                    "{name} {s} {a}"
                );
                let (found, expected): (Vec<f64>, Vec<f64>) =
                    (found.into_values().collect(), expected.into_values().collect());
                assert_close(&found, &expected, 1e-14, name);
                compared += 1;
            }
        }
        assert!(compared >= environment.n_actions() * 11, "{name}: {compared}");
        starts_alike(&environment, &numbers(&all[name]["start"]));
    }
}

/// No first state has another frequency than Gymnasium's by more than 5.5 standard errors: below 500 states that is one false
/// alarm in 50,000.
fn starts_alike(environment: &Environment, start: &[f64]) {
    let (mut play, n) = (Play::new(environment, 5).unwrap(), 100_000);
    let mut counts = vec![0.0; start.len()];
    for _ in 0..n {
        play.begin(None).unwrap();
        counts[play.observation()[0] as usize] += 1.0 / f64::from(n);
    }
    for (s, (found, p)) in counts.iter().zip(start).enumerate() {
        assert!((found - p).abs() <= 5.5 * (p * (1.0 - p) / f64::from(n)).sqrt() + 1e-9, "{s}: {found} {p}");
    }
}

#[test]
fn control_problems_move_as_gymnasiums_do() {
    let all = gymnasium();
    for name in ["mountain-car", "cart-pole", "acrobot"] {
        let environment = environment(name).unwrap();
        let mut one = environment.make(0).unwrap();
        let mut observation = vec![0.0; environment.observations().width()];
        let steps = all[name].as_array().unwrap();
        let mut ended = 0;
        for step in steps {
            one.set_state(&numbers(&step[0])).unwrap();
            let made = one.step(step[1].as_u64().unwrap() as usize, &mut observation).unwrap();
            // Gymnasium hands out its observations in single precision.
            assert_close(&observation, &numbers(&step[3]), 3e-6, name);
            assert_eq!(made.reward, step[4].as_f64().unwrap(), "{name}");
            assert_eq!(made.terminated, step[5].as_bool().unwrap(), "{name}");
            ended += u32::from(made.terminated);
        }
        assert!(steps.len() > 100 && ended > 0, "{name}: {} steps, {ended} ends", steps.len());
    }
}

/// What sticking earns, against the dealer's exact chances, to 5 standard errors of 20,000 games each: 50 comparisons, one false
/// alarm in 35,000.
#[test]
fn the_dealer_draws_as_it_should() {
    let environment = environment("blackjack").unwrap();
    let mut one: Box<dyn Simulation> = environment.make(11).unwrap();
    let (mut seen, n) = ([0.0; 3], 20_000);
    for (key, expected) in gymnasium()["stick"].as_object().unwrap() {
        let (total, shown) = key.split_once(' ').unwrap();
        let state = [total.parse().unwrap(), shown.parse().unwrap(), 0.0];
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..n {
            one.set_state(&state).unwrap();
            let step = one.step(0, &mut seen).unwrap();
            assert!(step.terminated);
            sum += step.reward;
            squares += step.reward * step.reward;
        }
        let mean = sum / f64::from(n);
        let error = ((squares / f64::from(n) - mean * mean) / f64::from(n)).sqrt();
        let expected = expected.as_f64().unwrap();
        assert!((mean - expected).abs() <= 5.0 * error + 1e-12, "{key}: {mean} {expected}");
    }
}

#[test]
fn a_hand_is_counted_as_blackjack_counts() {
    let environment = environment("blackjack").unwrap();
    let mut one = environment.make(2).unwrap();
    let mut seen = [0.0; 3];
    for _ in 0..20_000 {
        one.reset(None, &mut seen).unwrap();
        assert!((4.0..=21.0).contains(&seen[0]) && (1.0..=10.0).contains(&seen[1]));
        loop {
            let before = seen;
            let step = one.step(1, &mut seen).unwrap();
            assert_eq!(step.terminated, seen[0] > 21.0);
            assert_eq!(step.reward, if step.terminated { -1.0 } else { 0.0 });
            // A usable ace saves a hand once: its sum falls by ten less the card, and the ace counts 1 from then on.
            assert!(seen[0] > before[0] || before[2] == 1.0, "{before:?} {seen:?}");
            if step.terminated {
                break;
            }
        }
    }
    assert!(one.set_state(&[12.0, 11.0, 0.0]).is_err() && one.set_state(&[12.0]).is_err());
    assert!(one.step(2, &mut seen).unwrap_err().to_string().contains("0 (stick) or 1 (hit)"));
}

#[test]
fn the_wind_carries_upwards() {
    let windy = environment("windy").unwrap().mdp().unwrap();
    let to = |row: usize, column: usize, action: usize| {
        let t = windy.transitions(row * 10 + column, action)[0];
        (t.next as usize / 10, t.next as usize % 10, t.reward)
    };
    // The wind of the column that is left counts: two rows in columns 6 and 7.
    assert_eq!(to(3, 6, 1), (1, 7, -1.0));
    assert_eq!(to(5, 8, 3), (4, 7, -1.0));
    assert_eq!(to(0, 3, 0), (0, 3, -1.0));
    assert_eq!(environment("windy:king=true").unwrap().n_actions(), 8);
}

#[test]
fn episodes_are_cut_off_at_their_limit() {
    let mut play = Play::new(&environment("mountain-car").unwrap(), 1).unwrap();
    play.begin(Some(3)).unwrap();
    let first = play.observation().to_vec();
    for step in 1..=200u64 {
        let outcome = play.step(1).unwrap();
        assert_eq!((outcome.terminated, outcome.truncated), (false, step == 200));
    }
    play.begin(Some(3)).unwrap();
    assert_eq!(play.observation(), first, "the same seed begins in the same state");
}

#[test]
fn names_and_options_that_are_unknown_are_refused() {
    for (name, _) in environments() {
        let environment = environment(name).unwrap();
        assert!(environment.n_actions() > 0 && environment.make(0).is_ok(), "{name}");
    }
    for (spec, word) in [
        ("frozen-lak", "frozen-lake"),
        ("frozen-lake:sizes=4", "size"),
        ("frozen-lake:size=5", "map"),
        ("frozen-lake:success=2", "in [0, 1]"),
        ("grid:map='S./G'", "one length"),
        ("grid:map='../.G'", "start S"),
        ("blackjack:natural=true", "book"),
        ("cart-pole:book=3", "true or false"),
        ("random-walk:states=0", "integer in [1"),
    ] {
        let error = environment(spec).unwrap_err().to_string();
        assert!(error.contains(word), "{spec}: {error}");
    }
}

/// Gymnasium's `fickle_passenger`: in a share of the episodes the first step that takes the passenger anywhere draws another
/// destination. 6000 episodes; chi-square with 3 degrees of freedom passes 21.1 with probability 1e-4, and the seed is fixed.
#[test]
fn a_fickle_passenger_changes_his_mind_once() {
    let taxi = environment("taxi:fickle=0.4").unwrap();
    assert!(taxi.mdp().unwrap_err().to_string().contains("decision process"));
    let (mut one, mut seen, mut counts, n) = (taxi.make(5).unwrap(), [0.0], [0.0f64; 4], 6000.0);
    let destination = |seen: &[f64; 1]| seen[0] as usize % 4;
    for _ in 0..n as usize {
        one.reset(None, &mut seen).unwrap();
        // In the middle of the upper row, the passenger inside, on the way to the stop 1.
        one.set_state(&[(2 * 5 + 4) as f64 * 4.0 + 1.0]).unwrap();
        one.step(1, &mut seen).unwrap();
        assert_eq!(destination(&seen), 1, "who stands at the wall has gone nowhere");
        one.step(0, &mut seen).unwrap();
        let chosen = destination(&seen);
        counts[chosen] += 1.0;
        one.step(0, &mut seen).unwrap();
        assert_eq!(destination(&seen), chosen);
        assert_eq!(seen[0] as usize / 100, 2, "two rows further down");
    }
    let expected = [0.4 / 3.0, 0.6, 0.4 / 3.0, 0.4 / 3.0].map(|share| share * n);
    let chi2: f64 = counts.iter().zip(expected).map(|(c, e)| (c - e) * (c - e) / e).sum();
    assert!(chi2 < 21.1, "{chi2} {counts:?}");
}
