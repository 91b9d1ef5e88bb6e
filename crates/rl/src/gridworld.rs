//! Decision processes by name.

use mercer_core::{Error, Mdp, Result};

/// The processes that [`process`] knows.
pub const PROCESSES: &[(&str, &str)] = &[
    ("gridworld", "The 4×3 grid of Russell and Norvig: slippery moves, +1 and -1 exits, discount 1."),
    ("chain", "Five states in a row; walking right to the end pays 10, stepping back pays 2."),
];

/// A decision process by name.
///
/// ```
/// assert_eq!(mercer_rl::process("gridworld")?.states().len(), 12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn process(name: &str) -> Result<Mdp> {
    match name {
        "gridworld" => gridworld(),
        "chain" => chain(),
        _ => Err(Error::unknown("decision process", name, PROCESSES.iter().map(|p| p.0))),
    }
}

/// Figure 17.1 of Russell and Norvig: 4 columns, 3 rows, a wall at (2,2), exits at (4,3) and (4,2), reward
/// -0.04 a step, moves that slip sideways with probability 0.1 each.
fn gridworld() -> Result<Mdp> {
    let wall = |x: i32, y: i32| !(1..=4).contains(&x) || !(1..=3).contains(&y) || (x, y) == (2, 2);
    let cells: Vec<(i32, i32)> =
        (1..=3).flat_map(|y| (1..=4).map(move |x| (x, y))).filter(|&(x, y)| !wall(x, y)).collect();
    let place = |cell: (i32, i32)| cells.iter().position(|c| *c == cell);
    let end = cells.len();
    let moves = [("up", (0, 1)), ("down", (0, -1)), ("left", (-1, 0)), ("right", (1, 0))];
    let mut transitions = Vec::new();
    for (s, &(x, y)) in cells.iter().enumerate() {
        for (a, (_, (dx, dy))) in moves.iter().enumerate() {
            let exit = match (x, y) {
                (4, 3) => Some(1.0),
                (4, 2) => Some(-1.0),
                _ => None,
            };
            if let Some(reward) = exit {
                transitions.push((s, a, end, 1.0, reward));
                continue;
            }
            for (mx, my, probability) in [(*dx, *dy, 0.8), (*dy, *dx, 0.1), (-*dy, -*dx, 0.1)] {
                let next = if wall(x + mx, y + my) { (x, y) } else { (x + mx, y + my) };
                transitions.push((s, a, place(next).unwrap_or(s), probability, -0.04));
            }
        }
    }
    let mut states: Vec<String> = cells.iter().map(|(x, y)| format!("({x},{y})")).collect();
    states.push("end".to_owned());
    Mdp::new(states, moves.iter().map(|m| m.0.to_owned()).collect(), &transitions, Some(1.0))
}

fn chain() -> Result<Mdp> {
    let states = (0..5).map(|i| format!("s{i}")).collect();
    let mut transitions = Vec::new();
    for s in 0..5usize {
        let forward = if s == 4 { 10.0 } else { 0.0 };
        transitions.push((s, 0, (s + 1).min(4), 0.8, forward));
        transitions.push((s, 0, 0, 0.2, 2.0));
        transitions.push((s, 1, 0, 0.8, 2.0));
        transitions.push((s, 1, (s + 1).min(4), 0.2, forward));
    }
    Mdp::new(states, vec!["forward".to_owned(), "back".to_owned()], &transitions, Some(0.95))
}
