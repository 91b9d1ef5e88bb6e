//! Grids of the textbooks. Cells are called (x,y), with (1,1) in the lower left corner.

use mercer_core::{Mdp, Result};

type Cell = (i32, i32);

/// The moves, by name.
const MOVES: [(&str, Cell); 4] = [("up", (0, 1)), ("down", (0, -1)), ("left", (-1, 0)), ("right", (1, 0))];

/// A process from cells and what each move does in each of them: `(next cell, probability, reward)`.
fn grid(
    cells: &[Cell],
    more: &[&str],
    discount: f64,
    ways: impl Fn(Cell, Cell) -> Vec<(Option<usize>, Cell, f64, f64)>,
) -> Result<Mdp> {
    let place = |cell: Cell, otherwise: usize| cells.iter().position(|c| *c == cell).unwrap_or(otherwise);
    let mut transitions = Vec::new();
    for (s, &cell) in cells.iter().enumerate() {
        for (a, (_, step)) in MOVES.iter().enumerate() {
            for (beside, next, probability, reward) in ways(cell, *step) {
                let next = beside.map_or_else(|| place(next, s), |i| cells.len() + i);
                transitions.push((s, a, next, probability, reward));
            }
        }
    }
    let names = cells.iter().map(|(x, y)| format!("({x},{y})")).chain(more.iter().map(|&m| m.to_owned()));
    Mdp::new(names.collect(), MOVES.iter().map(|m| m.0.to_owned()).collect(), &transitions, Some(discount))
}

/// Figure 17.1 of Russell and Norvig: 4 columns, 3 rows, a wall at (2,2), exits at (4,3) and (4,2), reward
/// -0.04 a step, moves that slip sideways with probability 0.1 each.
pub(super) fn gridworld() -> Result<Mdp> {
    let cells: Vec<Cell> =
        (1..=3).flat_map(|y| (1..=4).map(move |x| (x, y))).filter(|c| *c != (2, 2)).collect();
    grid(&cells, &["end"], 1.0, |(x, y), (dx, dy)| {
        let exit = match (x, y) {
            (4, 3) => Some(1.0),
            (4, 2) => Some(-1.0),
            _ => None,
        };
        if let Some(reward) = exit {
            return vec![(Some(0), (x, y), 1.0, reward)];
        }
        // Walls and what is beyond the grid are no cells: who runs into them stays.
        [(dx, dy, 0.8), (dy, dx, 0.1), (-dy, -dx, 0.1)]
            .map(|(mx, my, p)| (None, (x + mx, y + my), p, -0.04))
            .to_vec()
    })
}

/// Cells of a square in the order of reading: the upper row first.
fn square(n: i32) -> Vec<Cell> {
    (1..=n).rev().flat_map(|y| (1..=n).map(move |x| (x, y))).collect()
}

/// Example 4.1 of Sutton and Barto: -1 a step until the upper left or the lower right corner.
pub(super) fn grid4x4() -> Result<Mdp> {
    grid(&square(4), &[], 1.0, |cell, (dx, dy)| match cell {
        (1, 4) | (4, 1) => Vec::new(),
        (x, y) => vec![(None, (x + dx, y + dy), 1.0, -1.0)],
    })
}

/// Example 3.5 of Sutton and Barto: every move from (2,5) pays 10 and leads to (2,1), from (4,5) 5 and to (4,3); a move
/// off the grid costs 1.
pub(super) fn grid5x5() -> Result<Mdp> {
    grid(&square(5), &[], 0.9, |cell, (dx, dy)| match cell {
        (2, 5) => vec![(None, (2, 1), 1.0, 10.0)],
        (4, 5) => vec![(None, (4, 3), 1.0, 5.0)],
        (x, y) => {
            let next = (x + dx, y + dy);
            let off = !(1..=5).contains(&next.0) || !(1..=5).contains(&next.1);
            vec![(None, next, 1.0, if off { -1.0 } else { 0.0 })]
        }
    })
}
