//! Environments whose transitions are written down: a random walk and a taxi.

use super::fickle::FickleTaxi;
use crate::options::Options;
use mercer_core::{Environment, Mdp, MdpWalk, Result};

/// Example 6.2 of Sutton and Barto: steps to the left and to the right between two ends, of which the right one pays 1.
pub(super) fn random_walk(mut options: Options) -> Result<Environment> {
    let n = options.count("states", 5, 1, 1 << 20)?;
    let left = options.number("left", 0.0, -1e9, 1e9)?;
    let limit = options.step_limit(0)?;
    options.done()?;
    let mut transitions = Vec::with_capacity(2 * n);
    for s in 1..=n {
        transitions.push((s, 0, s - 1, 1.0, if s == 1 { left } else { 0.0 }));
        transitions.push((s, 1, s + 1, 1.0, f64::from(u8::from(s == n))));
    }
    let states = (0..n + 2).map(|s| s.to_string()).collect();
    let mdp = Mdp::new(states, ["left", "right"].map(str::to_owned).to_vec(), &transitions, Some(1.0))?;
    let mut start = vec![0.0; n + 2];
    start[n.div_ceil(2)] = 1.0;
    Environment::new("random-walk", MdpWalk::new(mdp, Some(&start))?.with_step_limit(limit))
}

/// Where the taxi finds passengers and brings them: R, G, Y, B.
const STOPS: [(usize, usize); 4] = [(0, 0), (0, 4), (4, 0), (4, 3)];

/// Walls to the right of these cells.
const WALLS: [(usize, usize); 6] = [(0, 1), (1, 1), (3, 0), (4, 0), (3, 2), (4, 2)];

const TAXI_ACTIONS: [&str; 6] = ["south", "north", "east", "west", "pick up", "drop off"];

/// A taxi's state: its row and column, where the passenger is (4: inside), where he wants to go.
type Ride = (usize, usize, usize, usize);

pub(super) fn place((row, column, passenger, destination): Ride) -> usize {
    ((row * 5 + column) * 5 + passenger) * 4 + destination
}

pub(super) fn ride(s: usize) -> Ride {
    (s / 100, s / 20 % 5, s / 4 % 5, s % 4)
}

/// Dietterich's taxi as Gymnasium has it: a step costs 1, a wrong stop 10, the right one pays 20 and ends the episode.
/// `fickle` is the probability that a passenger changes his mind on the way.
pub(super) fn taxi(mut options: Options) -> Result<Environment> {
    let rainy = options.truth("rainy", false)?;
    let dry = options.number("success", 0.8, 0.0, 1.0)?;
    let fickle = options.number("fickle", 0.0, 0.0, 1.0)?;
    let limit = options.step_limit(200)?;
    options.done()?;
    let (mut transitions, mut start) = (Vec::new(), vec![0.0; 500]);
    for ride in (0..500).map(ride).filter(|r| r.2 != r.3) {
        let s = place(ride);
        if ride.2 < 4 {
            start[s] = 1.0 / 300.0;
        }
        for a in 0..4 {
            for (next, probability) in moved(ride, a, if rainy { dry } else { 1.0 }) {
                transitions.push((s, a, place(next), probability, -1.0));
            }
        }
        let stop = STOPS.iter().position(|stop| *stop == (ride.0, ride.1));
        let (next, reward) = match stop {
            Some(stop) if stop == ride.2 => ((ride.0, ride.1, 4, ride.3), -1.0),
            _ => (ride, -10.0),
        };
        transitions.push((s, 4, place(next), 1.0, reward));
        let (next, reward) = match stop {
            Some(stop) if ride.2 == 4 => {
                ((ride.0, ride.1, stop, ride.3), if stop == ride.3 { 20.0 } else { -1.0 })
            }
            _ => (ride, -10.0),
        };
        transitions.push((s, 5, place(next), 1.0, reward));
    }
    let name = |s: usize| format!("({},{}) {} to {}", s / 100, s / 20 % 5, at(s / 4 % 5), at(s % 4));
    let actions = TAXI_ACTIONS.map(str::to_owned).to_vec();
    let mdp = Mdp::new((0..500).map(name).collect(), actions, &transitions, None)?;
    let taxi = MdpWalk::new(mdp, Some(&start))?.with_step_limit(limit);
    match fickle > 0.0 {
        true => Environment::new("taxi", FickleTaxi { taxi, probability: fickle }),
        false => Environment::new("taxi", taxi),
    }
}

fn at(place: usize) -> &'static str {
    ["R", "G", "Y", "B", "taxi"][place]
}

/// One step in a direction, which walls stop.
fn step(ride: Ride, a: usize) -> Ride {
    let (row, column) = (ride.0, ride.1);
    let (row, column) = match a {
        0 => ((row + 1).min(4), column),
        1 => (row.saturating_sub(1), column),
        2 if column < 4 && !WALLS.contains(&(row, column)) => (row, column + 1),
        3 if column > 0 && !WALLS.contains(&(row, column - 1)) => (row, column - 1),
        _ => (row, column),
    };
    (row, column, ride.2, ride.3)
}

/// Where a step leads: in rain a taxi that can go on at all drifts from where it comes to, to its left and to its right.
fn moved(ride: Ride, a: usize, success: f64) -> Vec<(Ride, f64)> {
    let ahead = step(ride, a);
    if success == 1.0 || ahead == ride {
        return vec![(ahead, 1.0)];
    }
    let aside = match a {
        0 | 1 => [2, 3],
        _ => [1, 0],
    };
    let slip = (1.0 - success) / 2.0;
    vec![(ahead, success), (step(ride, aside[0]), slip), (step(ride, aside[1]), slip)]
}
