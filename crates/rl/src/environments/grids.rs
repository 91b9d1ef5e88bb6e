//! Worlds on grids that are drawn by text: frozen lakes, cliffs, winds.
//!
//! `S` is where episodes begin (drawn evenly where there are several), `G` a goal and `H` a hole, which end them, `C` a cliff,
//! from which one is put back to the start, `#` a wall; everything else is free. States are numbered row by row.

use crate::options::Options;
use mercer_core::{Environment, Error, Mdp, MdpWalk, Result};

/// What a grid's letters are worth, and how one moves on it.
struct Rules {
    moves: &'static [(&'static str, (i32, i32))],
    /// The reward of a step, and what reaching a goal, a hole or a cliff pays in its place.
    step: f64,
    goal: f64,
    hole: f64,
    cliff: f64,
    /// The probability of going where one wanted; the rest is shared by the two moves beside it.
    success: f64,
    /// By how many rows each column carries one upwards; none means not at all.
    wind: &'static [i32],
}

const FROM_LEFT: &[(&str, (i32, i32))] =
    &[("left", (0, -1)), ("down", (1, 0)), ("right", (0, 1)), ("up", (-1, 0))];
const FROM_UP: &[(&str, (i32, i32))] =
    &[("up", (-1, 0)), ("right", (0, 1)), ("down", (1, 0)), ("left", (0, -1))];
const KING: &[(&str, (i32, i32))] = &[
    ("up", (-1, 0)),
    ("up-right", (-1, 1)),
    ("right", (0, 1)),
    ("down-right", (1, 1)),
    ("down", (1, 0)),
    ("down-left", (1, -1)),
    ("left", (0, -1)),
    ("up-left", (-1, -1)),
];

const PLAIN: Rules =
    Rules { moves: FROM_UP, step: -1.0, goal: -1.0, hole: -1.0, cliff: -100.0, success: 1.0, wind: &[] };

const LAKE_4: &str = "SFFF/FHFH/FFFH/HFFG";
const LAKE_8: &str = "SFFFFFFF/FFFFFFFF/FFFHFFFF/FFFFFHFF/FFFHFFFF/FHHFFFHF/FHFFHFHF/FFFHFFFG";
const CLIFF: &str = "............/............/............/SCCCCCCCCCCG";
const WINDY: &str = "........../........../........../S......G../........../........../..........";
const MAZE: &str = ".......#G/..#....#./S.#....#./..#....../.....#.../.........";
const WIND: &[i32] = &[0, 0, 0, 1, 1, 1, 2, 2, 1, 0];

/// Gymnasium's lake: reaching the goal pays 1, and moves slip to either side.
pub(super) fn frozen_lake(mut options: Options) -> Result<Environment> {
    let size = options.count("size", 4, 4, 8)?;
    let known = match size {
        4 => LAKE_4,
        8 => LAKE_8,
        other => return Err(Error::param("frozen-lake", "size", "4 or 8; others are drawn by `map`", other)),
    };
    let map = options.text("map")?;
    let slippery = options.truth("slippery", true)?;
    let success = options.number("success", 1.0 / 3.0, 0.0, 1.0)?;
    let limit = options.step_limit(if size == 8 { 200 } else { 100 })?;
    options.done()?;
    let success = if slippery { success } else { 1.0 };
    let rules = Rules { moves: FROM_LEFT, step: 0.0, goal: 1.0, hole: 0.0, success, ..PLAIN };
    walk("frozen-lake", map.as_deref().unwrap_or(known), &rules, limit)
}

/// Example 6.6 of Sutton and Barto: every step costs 1, the cliff costs 100 and leads back to the start.
pub(super) fn cliff(mut options: Options) -> Result<Environment> {
    let success = if options.truth("slippery", false)? { 1.0 / 3.0 } else { 1.0 };
    let limit = options.step_limit(0)?;
    options.done()?;
    walk("cliff", CLIFF, &Rules { success, ..PLAIN }, limit)
}

/// Example 6.5 of Sutton and Barto: a wind blows upwards in the middle of the grid.
pub(super) fn windy(mut options: Options) -> Result<Environment> {
    let moves = if options.truth("king", false)? { KING } else { FROM_UP };
    let limit = options.step_limit(0)?;
    options.done()?;
    walk("windy", WINDY, &Rules { moves, wind: WIND, ..PLAIN }, limit)
}

/// A grid of one's own, with rows divided by `/`; without one, the maze of example 8.1 of Sutton and Barto.
pub(super) fn grid(mut options: Options) -> Result<Environment> {
    let map = options.text("map")?;
    let rules = Rules {
        step: options.number("step", -1.0, -1e9, 1e9)?,
        goal: options.number("goal", 0.0, -1e9, 1e9)?,
        hole: options.number("hole", -100.0, -1e9, 1e9)?,
        cliff: options.number("cliff", -100.0, -1e9, 1e9)?,
        success: options.number("success", 1.0, 0.0, 1.0)?,
        ..PLAIN
    };
    let limit = options.step_limit(1000)?;
    options.done()?;
    walk("grid", map.as_deref().unwrap_or(MAZE), &rules, limit)
}

/// The letters of a map, row by row, and its width.
fn letters(name: &str, map: &str) -> Result<(Vec<char>, usize)> {
    let rows: Vec<Vec<char>> = map.split('/').map(|row| row.chars().collect()).collect();
    let width = rows[0].len();
    if width == 0 || rows.iter().any(|row| row.len() != width) {
        return Err(Error::param(name, "map", "rows of one length, divided by /", map));
    }
    let cells = rows.concat();
    if !cells.contains(&'S') || cells.len() > 1 << 20 {
        return Err(Error::param(name, "map", "a start S, and at most a million cells", map));
    }
    Ok((cells, width))
}

fn walk(name: &str, map: &str, rules: &Rules, limit: Option<u64>) -> Result<Environment> {
    let (cells, width) = letters(name, map)?;
    let starts: Vec<usize> = (0..cells.len()).filter(|&s| cells[s] == 'S').collect();
    let ends = |s: usize| matches!(cells[s], 'G' | 'H' | '#');
    let mut transitions = Vec::new();
    for s in (0..cells.len()).filter(|&s| !ends(s) && cells[s] != 'C') {
        for a in 0..rules.moves.len() {
            let n = rules.moves.len();
            let slip = (1.0 - rules.success) / 2.0;
            for (b, probability) in [((a + n - 1) % n, slip), (a, rules.success), ((a + 1) % n, slip)] {
                if probability > 0.0 {
                    let (next, reward) = reached(&cells, width, rules, s, b, starts[0]);
                    transitions.push((s, a, next, probability, reward));
                }
            }
        }
    }
    let states = (0..cells.len()).map(|s| format!("({},{})", s / width, s % width)).collect();
    let actions = rules.moves.iter().map(|m| m.0.to_owned()).collect();
    let mut first = vec![0.0; cells.len()];
    starts.iter().for_each(|&s| first[s] = 1.0 / starts.len() as f64);
    let mdp = Mdp::new(states, actions, &transitions, None)?;
    let walk = MdpWalk::new(mdp, Some(&first))?.with_step_limit(limit).with_grid_width(width);
    Environment::new(name, walk)
}

/// Where a move leads from a free cell, and what it pays.
fn reached(cells: &[char], width: usize, rules: &Rules, s: usize, a: usize, start: usize) -> (usize, f64) {
    let (height, columns) = ((cells.len() / width) as i32, width as i32);
    let (row, column) = ((s / width) as i32, (s % width) as i32);
    let (down, right) = rules.moves[a].1;
    let lift = rules.wind.get(s % width).copied().unwrap_or(0);
    let row = (row + down - lift).clamp(0, height - 1);
    let to = row as usize * width + (column + right).clamp(0, columns - 1) as usize;
    match cells[to] {
        '#' => (s, rules.step),
        'C' => (start, rules.cliff),
        'G' => (to, rules.goal),
        'H' => (to, rules.hole),
        _ => (to, rules.step),
    }
}
