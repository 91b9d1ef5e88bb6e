//! Agents and planners: what was earned while learning, the value of each state, and what is done there.

use super::Subject;
use crate::Section;
use crate::format::{count, four_digits, seconds};
use crate::model::Report;
use crate::tasks::{GridPolicy, Policy, StateRow};
use mercer_core::{AttributeValues, DataKind, Input, Mdp, Model, Result, Session, States};
use mercer_math::{Mat, running_sums};
use mercer_plot::{AnyChart, Axis, LineChart, Series};

/// Beyond this many states nobody reads a table of them, nor beyond this many cells a map.
const MOST_STATES: usize = 2000;
const MOST_CELLS: usize = 10_000;

/// At how many places a learning curve is read.
const POINTS: usize = 50;

/// The learning curve, the value of each state, and what is done there.
pub(super) fn add(subject: &Subject<'_>, report: &mut Report) -> Result<()> {
    if let Some((section, told)) = course(subject) {
        report.sections.push(section);
        let fitted =
            subject.fit_seconds.map_or_else(String::new, |s| format!(" fitted in {}", seconds(Some(s))));
        report.verdict = format!("{}{fitted}: {told}.", subject.name);
    }
    let mdp = match subject.data.map(|data| data.whole_input()) {
        Some(Input::Mdp(mdp)) => Some(mdp.clone()),
        Some(Input::Environment(environment)) => environment.model().transpose()?.map(Into::into),
        _ => None,
    };
    report.policy = match mdp {
        Some(mdp) => Some(policy_of(subject.model, &mdp, subject.session)?),
        None => named_states(subject)?,
    };
    Ok(())
}

/// What a model without its process says of the states that it names itself.
fn named_states(subject: &Subject<'_>) -> Result<Option<Policy>> {
    let states = subject.model.attributes().into_iter().find(|a| a.name == "states_").map(|a| a.values);
    let Some(AttributeValues::Text(states)) = states else { return Ok(None) };
    let said = Said::of(subject.model, &states, subject.session)?;
    Ok(Some(Policy { grid: None, states: said.table(&states) }))
}

/// What a model says of the states of a process: as maps where they lie on a grid, else as a table.
///
/// # Errors
/// A model that cannot be asked about these states.
pub fn policy_of(model: &dyn Model, mdp: &Mdp, session: &Session) -> Result<Policy> {
    let said = Said::of(model, mdp.states(), session)?;
    Ok(match Layout::of(mdp) {
        Some(layout) => Policy { grid: Some(said.map(&layout, mdp)), states: Vec::new() },
        None => Policy { grid: None, states: said.table(mdp.states()) },
    })
}

/// What a model says of all states.
struct Said {
    /// NaN where it has none.
    values: Vec<f64>,
    /// Empty where it judges a policy and has none of its own.
    actions: Vec<String>,
}

impl Said {
    fn of(model: &dyn Model, states: &[String], session: &Session) -> Result<Self> {
        let n = states.len();
        let values = model.attributes().into_iter().find(|a| a.name == "values_").map(|a| a.values);
        let values = match values {
            Some(AttributeValues::Real(values)) if values.len() == n => values,
            _ => vec![f64::NAN; n],
        };
        if model.policy().is_err() {
            return Ok(Self { values, actions: Vec::new() });
        }
        let said = match model.learner().kinds().asked_about {
            DataKind::States => model.predict(&States::named(states.to_vec()).into(), session)?,
            _ => model.predict(&Mat::from_fn(n, 1, |i, _| i as f64).into(), session)?,
        };
        Ok(Self { values, actions: (0..n).map(|i| said.columns()[0].text(i)).collect() })
    }

    fn table(&self, states: &[String]) -> Vec<StateRow> {
        if states.len() > MOST_STATES {
            return Vec::new();
        }
        let action = |s: usize| self.actions.get(s).cloned().unwrap_or_default();
        let row = |(s, state): (usize, &String)| StateRow {
            state: state.clone(),
            value: self.values[s],
            action: action(s),
        };
        states.iter().enumerate().map(row).collect()
    }

    fn map(&self, layout: &Layout, mdp: &Mdp) -> GridPolicy {
        let alive = |cell: &Option<usize>| cell.filter(|&s| acts(mdp, s));
        let value = |cell| alive(cell).map_or(f64::NAN, |s| self.values[s]);
        let direction = |cell| self.actions.get(alive(cell)?).and_then(|name| direction(name));
        GridPolicy {
            n_columns: layout.n_columns,
            values: layout.cells.iter().map(value).collect(),
            moves: match self.actions.is_empty() {
                true => Vec::new(),
                false => layout.cells.iter().map(direction).collect(),
            },
        }
    }
}

/// Whether there is anything to do in a state; elsewhere episodes end.
fn acts(mdp: &Mdp, s: usize) -> bool {
    (0..mdp.actions().len()).any(|a| !mdp.transitions(s, a).is_empty())
}

/// Where the name of a move points: right and up.
fn direction(name: &str) -> Option<(f64, f64)> {
    let part = |word: &str| name.split('-').any(|n| n == word);
    let pick = |plus: bool, minus: bool| f64::from(i8::from(plus) - i8::from(minus));
    let (right, up) = (pick(part("right"), part("left")), pick(part("up"), part("down")));
    ((right, up) != (0.0, 0.0)).then_some((right, up))
}

/// States on a grid, row by row from the top; a cell without a state is a wall.
struct Layout {
    n_columns: usize,
    cells: Vec<Option<usize>>,
}

impl Layout {
    /// Where states lie that are called by two whole numbers, such as (3,11). Textbooks count rows downwards or y upwards: which
    /// of the two numbers grows which way is told by where the moves to the right and upwards lead.
    fn of(mdp: &Mdp) -> Option<Self> {
        let at: Vec<Option<[i64; 2]>> = mdp.states().iter().map(|name| coordinates(name)).collect();
        if (0..at.len()).any(|s| at[s].is_none() && acts(mdp, s)) {
            return None;
        }
        let (across, down) = (axis(mdp, &at, "right", "left")?, axis(mdp, &at, "down", "up")?);
        if across.0 == down.0 {
            return None;
        }
        let range = |(number, sign): (usize, i64)| {
            let all = at.iter().flatten().map(|place| sign * place[number]);
            let (low, high) = (all.clone().min()?, all.max()?);
            Some((low, usize::try_from(high.checked_sub(low)?).ok()?.checked_add(1)?))
        };
        let ((left, n_columns), (top, n_rows)) = (range(across)?, range(down)?);
        let n_cells = n_rows.checked_mul(n_columns).filter(|n| *n <= MOST_CELLS)?;
        let mut cells = vec![None; n_cells];
        for (s, place) in at.iter().enumerate() {
            let Some(place) = place else { continue };
            let (column, row) = (across.1 * place[across.0] - left, down.1 * place[down.0] - top);
            let cell = &mut cells[row as usize * n_columns + column as usize];
            if cell.replace(s).is_some() {
                return None;
            }
        }
        Some(Self { n_columns, cells })
    }
}

/// The numbers of a name such as (3,11).
fn coordinates(name: &str) -> Option<[i64; 2]> {
    let (first, second) = name.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    // Beyond that, nothing is drawn, and differences would not fit.
    let number = |text: &str| text.trim().parse::<i32>().ok().map(i64::from);
    Some([number(first)?, number(second)?])
}

/// Which of the two numbers a move makes grow (or fall, by its sign) most often, beside the move against it: what a wind does to
/// both is no matter then, and a leap counts as one step.
fn axis(mdp: &Mdp, at: &[Option<[i64; 2]>], along: &str, against: &str) -> Option<(usize, i64)> {
    let mut growth = [0.0; 2];
    for (name, sign) in [(along, 1.0), (against, -1.0)] {
        let action = mdp.actions().iter().position(|a| a == name)?;
        for (s, from) in at.iter().enumerate() {
            for t in mdp.transitions(s, action) {
                let (Some(from), Some(to)) = (from, at[t.next as usize]) else { continue };
                for number in 0..2 {
                    growth[number] += sign * t.probability * (to[number] - from[number]).signum() as f64;
                }
            }
        }
    }
    let number = usize::from(growth[1].abs() > growth[0].abs());
    (growth[number] != 0.0).then_some((number, if growth[number] > 0.0 { 1 } else { -1 }))
}

/// What episodes earned, by steps of learning, and that in a word; nothing where none has ended.
fn course(subject: &Subject<'_>) -> Option<(Section, String)> {
    let ((returns, _), (lengths, _)) =
        (subject.numbers("episode_returns_")?, subject.numbers("episode_lengths_")?);
    let ends = running_sums(lengths);
    let steps = *ends.last()?;
    let (mut points, mut band, mut first) = (Vec::new(), Vec::new(), 0);
    for k in 1..=POINTS {
        let to = steps * k as f64 / POINTS as f64;
        let last = if k == POINTS { ends.len() } else { ends.partition_point(|end| *end <= to) };
        let mut own = returns[first..last].to_vec();
        first = last;
        if own.is_empty() {
            continue;
        }
        own.sort_by(f64::total_cmp);
        let quartile = |q| mercer_math::quantile_sorted(&own, q);
        points.push((to, own.iter().sum::<f64>() / own.len() as f64));
        band.push((quartile(0.25), quartile(0.75)));
    }
    let description = format!(
        "What {} episodes earned, by steps of learning, with what was tried for the sake of trying: means of those that ended about \
         then, and the middle half of them.",
        ends.len()
    );
    let chart = LineChart {
        title: "Return while learning".to_owned(),
        description,
        x: Axis::new("steps"),
        y: Axis::new("return of an episode"),
        series: vec![Series { points, band, ..Series::new(subject.name, Vec::new()) }],
        ..LineChart::default()
    };
    let late = &returns[returns.len() - returns.len().div_ceil(10)..];
    let told = format!(
        "{} episodes in {} steps, of which the last tenth earned {} each while learning",
        count(ends.len() as u64),
        count(steps as u64),
        four_digits(late.iter().sum::<f64>() / late.len() as f64)
    );
    let charts = vec![AnyChart::Line(chart)];
    Some((Section { title: "Learning curve".to_owned(), charts, ..Section::default() }, told))
}
