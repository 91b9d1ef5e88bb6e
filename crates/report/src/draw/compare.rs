//! The leaderboard and the checks.

use crate::format::{bytes, decimals, fixed, interval, plural, seconds};
use crate::view::{Block, CheckView, Figure, RowView, TableView};
use crate::{Check, LeaderRow, Leaderboard, Level};
use mercer_plot::{Dot, DotChart, Size};

/// The table of models and the chart of their intervals.
pub(crate) fn leaderboard(board: &Leaderboard) -> Vec<Block> {
    if board.rows.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Table(table(board))];
    blocks.extend(Block::figures(vec![chart(board)]));
    blocks
}

fn direction(board: &Leaderboard) -> &'static str {
    if board.greater_is_better { "greater is better" } else { "lower is better" }
}

fn table(board: &Leaderboard) -> TableView {
    let extras = extra_names(&board.rows);
    let ends = |r: &LeaderRow| [r.score, r.interval.map_or(r.score, |i| i.1)];
    let digits = decimals(board.rows.iter().flat_map(ends));
    let extra_digits: Vec<usize> =
        extras.iter().map(|name| decimals(board.rows.iter().filter_map(|r| extra(r, name)))).collect();
    let mut columns =
        vec!["#".to_string() + "#", "model".into(), format!("#{}", board.metric), "#95 % interval".into()];
    columns.extend(extras.iter().map(|n| format!("#{n}")));
    columns.extend(["#fit", "#1 row", "#size", "note"].map(String::from));
    let row = |r: &LeaderRow| {
        let mut cells =
            vec![r.rank.to_string(), r.model.clone(), fixed(r.score, digits), interval(r.interval, digits)];
        for (name, digits) in extras.iter().zip(&extra_digits) {
            cells.push(extra(r, name).map(|v| fixed(v, *digits)).unwrap_or_default());
        }
        cells.extend([
            seconds(r.fit_seconds),
            seconds(r.predict_row_seconds),
            bytes(r.size_bytes),
            r.note.clone(),
        ]);
        RowView { cells, class: if r.is_baseline { "baseline" } else { "" }, spark: None }
    };
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    let method = if board.method.is_empty() { String::new() } else { format!("{}; ", board.method) };
    let caption = format!("{method}{}, {}.", board.metric, direction(board));
    let mut view = TableView::new(caption, &names, board.rows.iter().map(row).collect());
    view.head = 1;
    view
}

/// The names of further metrics, in order of first appearance; at most eight columns.
fn extra_names(rows: &[LeaderRow]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in rows.iter().flat_map(|r| &r.extra) {
        if names.len() < 8 && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn extra(row: &LeaderRow, name: &str) -> Option<f64> {
    row.extra.iter().find(|(n, _)| n == name).map(|(_, v)| *v)
}

fn chart(board: &Leaderboard) -> Figure {
    let dots = board
        .rows
        .iter()
        .map(|r| Dot { name: r.model.clone(), value: r.score, interval: r.interval, faint: r.is_baseline })
        .collect();
    let title = format!("{} with 95 % intervals", board.metric);
    let chart = DotChart {
        title: title.clone(),
        description: format!("Score of each model with its 95 % interval, {}.", direction(board)),
        x_label: format!("{} ({})", board.metric, direction(board)),
        dots,
        reference: board.rows.iter().find(|r| r.is_baseline).map(|r| r.score),
        size: Size { width: 720.0, ..Size::default() },
    };
    let caption = "Overlapping intervals do not prove a tie, nor does a gap on few folds prove a winner: see the notes.";
    Figure::new(&title, caption, &chart)
}

/// What the checks found, gravest first; those passed are folded away.
pub(crate) fn checks(checks: &[Check]) -> Vec<Block> {
    if checks.is_empty() {
        return Vec::new();
    }
    let mut sorted: Vec<&Check> = checks.iter().collect();
    sorted.sort_by_key(|c| c.level);
    let count = |level| sorted.iter().filter(|c| c.level == level).count();
    let mut summary: Vec<String> =
        [(Level::Issue, "issue"), (Level::Warning, "warning"), (Level::Note, "note")]
            .into_iter()
            .filter(|(level, _)| count(*level) > 0)
            .map(|(level, word)| plural(count(level), word))
            .collect();
    summary.push(format!("{} passed", count(Level::Passed)));
    let (passed, found): (Vec<&Check>, Vec<&Check>) =
        sorted.iter().copied().partition(|c| c.level == Level::Passed);
    let views = |list: Vec<&Check>| list.into_iter().map(view).collect();
    vec![Block::Checks { summary: summary.join(", "), found: views(found), passed: views(passed) }]
}

fn view(check: &Check) -> CheckView {
    CheckView {
        level: match check.level {
            Level::Issue => "issue",
            Level::Warning => "warning",
            Level::Note => "note",
            Level::Passed => "passed",
        },
        code: check.code.clone(),
        message: check.message.clone(),
        help: check.help.clone(),
    }
}
