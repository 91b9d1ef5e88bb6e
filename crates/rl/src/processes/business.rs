//! Two trades of Sutton and Barto's: the gambler's, and Jack's of cars.

use mercer_core::{Mdp, Result};

/// Example 4.3: a capital is staked on a coin that shows heads with probability `p` until the goal, which pays 1, or ruin.
pub(super) fn gambler(goal: usize, p: f64) -> Result<Mdp> {
    let mut transitions = Vec::new();
    for s in 1..goal {
        for stake in 1..=s.min(goal - s) {
            let won = if s + stake == goal { 1.0 } else { 0.0 };
            transitions.push((s, stake - 1, s + stake, p, won));
            transitions.push((s, stake - 1, s - stake, 1.0 - p, 0.0));
        }
    }
    let names = |range: std::ops::RangeInclusive<usize>| range.map(|i| i.to_string()).collect();
    Mdp::new(names(0..=goal), names(1..=goal / 2), &transitions, Some(1.0))
}

/// Cars that a place holds.
const ROOM: usize = 20;
/// Cars that may be moved in a night.
const MOVED: usize = 5;

/// Example 4.2: two places of up to 20 cars; rents 10 a car, moves 2 a car, requests by Poisson's law with means 3 and 4,
/// returns with 3 and 2, which can be rented the next day.
///
/// Actions are the cars moved from the first place to the second. Requests beyond the cars that there are, and returns
/// beyond the room, are lumped together, so that no tail is cut off.
pub(super) fn car_rental() -> Result<Mdp> {
    let places = [day(3.0, 3.0), day(4.0, 2.0)];
    let mut transitions = Vec::new();
    for first in 0..=ROOM {
        for second in 0..=ROOM {
            for a in 0..=2 * MOVED {
                let (out, back) = (a.saturating_sub(MOVED), MOVED.saturating_sub(a));
                if out > first || back > second {
                    continue;
                }
                let evening = [(first - out + back).min(ROOM), (second - back + out).min(ROOM)];
                let rented = places[0].0[evening[0]] + places[1].0[evening[1]];
                let reward = 10.0 * rented - 2.0 * (out + back) as f64;
                for (i, p) in places[0].1[evening[0]].iter().enumerate() {
                    for (j, q) in places[1].1[evening[1]].iter().enumerate() {
                        transitions.push((first * (ROOM + 1) + second, a, i * (ROOM + 1) + j, p * q, reward));
                    }
                }
            }
        }
    }
    let states = (0..=ROOM).flat_map(|i| (0..=ROOM).map(move |j| format!("{i}+{j}"))).collect();
    let actions = (0..=2 * MOVED).map(|a| (a as i64 - MOVED as i64).to_string()).collect();
    Mdp::new(states, actions, &transitions, Some(0.9))
}

/// Of a place with each number of cars in the morning: the cars rented in expectation, and the law of the cars at night.
fn day(requests: f64, returns: f64) -> (Vec<f64>, Vec<Vec<f64>>) {
    let (requested, returned) = (poisson(requests), poisson(returns));
    let mut rented = vec![0.0; ROOM + 1];
    let mut nights = vec![vec![0.0; ROOM + 1]; ROOM + 1];
    for cars in 0..=ROOM {
        for (out, p) in at_most(&requested, cars).into_iter().enumerate() {
            rented[cars] += p * out as f64;
            let left = cars - out;
            for (back, q) in at_most(&returned, ROOM - left).into_iter().enumerate() {
                nights[cars][left + back] += p * q;
            }
        }
    }
    (rented, nights)
}

/// The law of the lesser of a number and `most`.
fn at_most(law: &[f64], most: usize) -> Vec<f64> {
    let mut out = law[..most].to_vec();
    out.push(1.0 - out.iter().sum::<f64>());
    out
}

/// Poisson's law, for numbers up to the room.
fn poisson(mean: f64) -> Vec<f64> {
    let mut p = (-mean).exp();
    (0..=ROOM)
        .map(|k| {
            let now = p;
            p *= mean / (k + 1) as f64;
            now
        })
        .collect()
}
