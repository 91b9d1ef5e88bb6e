//! What `mercer play` draws: learning curves, maps of values and policies, an episode that moves.

use super::play::{Results, number};
use crate::context::CommandContext;
use crate::fail::CommandResult;
use mercer::rl::Moment;
use mercer::{Environment, plot};
use mercer_report::{LeaderRow, Leaderboard, Report, Reproducibility, Section, policy_of};
use plot::{AnyChart, Axis, LineChart, Series};
use std::fmt::Write;

/// The learning curves of all agents.
pub(super) fn chart(results: &Results<'_>) -> LineChart {
    let learners = results.outcomes.iter().filter(|o| !o.played.curve.is_empty());
    let series = learners.map(|o| Series {
        points: o.played.curve.iter().map(|p| (p.step, p.returns.estimate)).collect(),
        band: o.played.curve.iter().map(|p| (p.returns.lower, p.returns.upper)).collect(),
        ..Series::new(o.spec.clone(), Vec::new())
    });
    LineChart {
        title: "Return while learning".to_owned(),
        description: format!(
            "What episodes earned, by steps of learning: the interquartile mean of {} runs with its 95 % interval. A dashed line, where it lies within the picture, is what actions drawn at random earn.",
            results.args.runs
        ),
        x: Axis::new("steps"),
        y: Axis::new("return of an episode"),
        series: series.collect(),
        reference: Some((results.random, 0.0)),
        ..LineChart::default()
    }
}

/// The report of all that was played.
pub(super) fn report(results: &Results<'_>, context: &CommandContext) -> CommandResult<Report> {
    let (args, environment) = (results.args, results.environment);
    let best = &results.outcomes[0];
    let score = best.played.score.map_or_else(String::new, |s| {
        format!(
            " earns {} an episode (95 % interval {} to {})",
            number(s.estimate),
            number(s.lower),
            number(s.upper)
        )
    });
    let verdict = format!("{}{score}; actions at random earn {}.", best.spec, number(results.random));
    let policy = match (environment.model(), best.played.best.as_deref()) {
        (Some(mdp), Some(model)) => Some(policy_of(model, &mdp?, &context.session)?),
        _ => None,
    };
    let curves = chart(results);
    let sections = match curves.series.is_empty() {
        true => Vec::new(),
        false => vec![Section {
            title: "Learning curves".to_owned(),
            charts: vec![AnyChart::Line(curves)],
            ..Section::default()
        }],
    };
    let mut facts = vec![("actions".to_owned(), environment.n_actions().to_string())];
    if let Some(n) = environment.observations().count() {
        facts.push(("states".to_owned(), n.to_string()));
    }
    facts.push(("runs".to_owned(), args.runs.to_string()));
    Ok(Report {
        title: args.environment.clone(),
        verdict,
        task: format!("acting in {}", args.environment),
        facts,
        leaderboard: Some(leaderboard(results)),
        sections,
        policy,
        reproducibility: Reproducibility {
            command: context.command.clone(),
            seed: Some(context.session.seed()),
            threads: Some(context.session.threads()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data_name: args.environment.clone(),
            ..Reproducibility::default()
        },
        ..Report::default()
    })
}

fn leaderboard(results: &Results<'_>) -> Leaderboard {
    let row = |(i, o): (usize, &super::play::Outcome)| LeaderRow {
        rank: i + 1,
        model: o.spec.clone(),
        score: o.played.score.map_or(f64::NAN, |s| s.estimate),
        interval: o.played.score.map(|s| (s.lower, s.upper)),
        fit_seconds: Some(o.seconds / results.args.runs.max(1) as f64),
        ..LeaderRow::default()
    };
    let mut rows: Vec<LeaderRow> = results.outcomes.iter().enumerate().map(row).collect();
    rows.push(LeaderRow {
        rank: rows.len() + 1,
        model: "actions at random".to_owned(),
        score: results.random,
        is_baseline: true,
        ..LeaderRow::default()
    });
    Leaderboard {
        metric: "return".to_owned(),
        greater_is_better: true,
        method: format!(
            "interquartile mean of {} runs, each policy judged by {} episodes without exploration, on the same seeds",
            results.args.runs, results.args.judge
        ),
        rows,
    }
}

/// An episode in words, a line a step.
pub(super) fn told(environment: &Environment, moments: &[Moment]) -> String {
    let mut out = format!("{} · {} steps\n", environment.name(), moments.len().saturating_sub(1));
    for (t, m) in moments.iter().enumerate() {
        let action = m.action.as_deref().unwrap_or("end");
        let _ = writeln!(
            out,
            "{t:>4}  {:<28} {action:<12} {}",
            seen(environment, &m.observation),
            number(m.earned)
        );
    }
    out
}

/// What was observed: the name of a state, or numbers.
fn seen(environment: &Environment, observation: &[f64]) -> String {
    let name = environment.observations().place(observation).and_then(|place| {
        let mdp = environment.model()?.ok()?;
        mdp.states().get(place).cloned()
    });
    name.unwrap_or_else(|| observation.iter().map(|v| number(*v)).collect::<Vec<_>>().join(" "))
}

/// An episode as a picture that moves: a token on the grid where there is one, else a point in the first two numbers.
pub(super) fn moving(environment: &Environment, moments: &[Moment]) -> CommandResult<String> {
    let cell = 40.0;
    let at: Vec<(f64, f64)> = match environment.grid_width() {
        Some(width) => {
            let place = |m: &Moment| environment.observations().place(&m.observation).unwrap_or(0);
            let centre = |s: usize| (((s % width) as f64 + 0.5) * cell, ((s / width) as f64 + 0.5) * cell);
            moments.iter().map(|m| centre(place(m))).collect()
        }
        None => scaled(moments),
    };
    let (wide, tall) = match (environment.grid_width(), environment.observations().count()) {
        (Some(width), Some(n)) => (width as f64 * cell, (n / width) as f64 * cell),
        _ => (400.0, 240.0),
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {tall}\" width=\"{wide}\" height=\"{tall}\" role=\"img\">\n<title>{}</title>\n<rect width=\"{wide}\" height=\"{tall}\" fill=\"#f4f4f0\"/>\n",
        environment.name()
    );
    if let (Some(width), Some(Ok(mdp))) = (environment.grid_width(), environment.model()) {
        let ends = |s: usize| (0..mdp.actions().len()).all(|a| mdp.transitions(s, a).is_empty());
        for s in 0..mdp.states().len() {
            let (x, y) = ((s % width) as f64 * cell, (s / width) as f64 * cell);
            let fill = if ends(s) { "#9a9a9a" } else { "#ffffff" };
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{cell}\" height=\"{cell}\" fill=\"{fill}\" stroke=\"#cccccc\"/>"
            );
        }
    }
    let last = at.len().saturating_sub(1).max(1);
    let joined = |f: &dyn Fn(&(f64, f64)) -> f64| {
        at.iter().map(|p| format!("{:.1}", f(p))).collect::<Vec<_>>().join(";")
    };
    let path = at.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ");
    let _ = writeln!(
        out,
        "<polyline points=\"{path}\" fill=\"none\" stroke=\"#88a\" stroke-width=\"2\" stroke-dasharray=\"3 4\"/>"
    );
    let time = last as f64 * 0.25;
    let (x, y) = at.first().copied().unwrap_or((0.0, 0.0));
    let _ = writeln!(
        out,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.0}\" fill=\"#0b6e99\">\n<animate attributeName=\"cx\" values=\"{}\" dur=\"{time}s\" repeatCount=\"indefinite\"/>\n<animate attributeName=\"cy\" values=\"{}\" dur=\"{time}s\" repeatCount=\"indefinite\"/>\n</circle>\n</svg>",
        cell * 0.28,
        joined(&|p| p.0),
        joined(&|p| p.1)
    );
    Ok(out)
}

/// The first two numbers of each moment (or time and the only one), in a picture of 400 × 240.
fn scaled(moments: &[Moment]) -> Vec<(f64, f64)> {
    let both = |(t, m): (usize, &Moment)| match m.observation.as_slice() {
        [only] => (t as f64, *only),
        [x, y, ..] => (*x, *y),
        [] => (t as f64, 0.0),
    };
    let points: Vec<(f64, f64)> = moments.iter().enumerate().map(both).collect();
    let ends = |f: fn(&(f64, f64)) -> f64| {
        let all = points.iter().map(f);
        let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if high > low { (low, high - low) } else { (low - 0.5, 1.0) }
    };
    let ((x0, dx), (y0, dy)) = (ends(|p| p.0), ends(|p| p.1));
    points.iter().map(|(x, y)| (20.0 + 360.0 * (x - x0) / dx, 220.0 - 200.0 * (y - y0) / dy)).collect()
}
