//! `mercer play bandit…`: strategies on the arms of a bandit, by many runs.

use super::play::{number, split};
use crate::args::Play;
use crate::build_report::check_report_path;
use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure};
use crate::text::{line, percent, seconds, table};
use mercer::plot::{AnyChart, Axis, Chart, LineChart, Series};
use mercer::rl::bandits::{Arms, Curves, Strategy, arms, play_once, simulate, strategy};
use mercer::{Column, Object, Table};
use mercer_report::{LeaderRow, Leaderboard, Report, Reproducibility, Section};
use serde_json::json;
use std::time::Instant;

/// Rounds of a run where none are given.
const STEPS: usize = 1000;
/// The level of intervals.
const LEVEL: f64 = 0.95;

/// Whether a name is that of a bandit.
pub(super) fn is_bandit(environment: &str) -> bool {
    environment.starts_with("bandit")
}

/// A strategy with what came of it.
struct Outcome {
    spec: String,
    curves: Curves,
    /// The ends of an interval of the regret, round by round.
    interval: (Vec<f64>, Vec<f64>),
    seconds: f64,
}

struct Results<'a> {
    args: &'a Play,
    arms: Arms,
    steps: usize,
    /// The one of least regret first.
    outcomes: Vec<Outcome>,
}

pub(super) fn run(args: &Play, context: &CommandContext) -> CommandResult {
    args.report.as_deref().map_or(Ok(()), check_report_path)?;
    for (given, flag) in [
        (args.episodes.is_some(), "--episodes: a run has --steps"),
        (args.replay.is_some(), "--replay: rounds have no states"),
    ] {
        if given {
            return Err(Failure::new(Code::Usage, format!("a bandit has no {flag}")));
        }
    }
    let steps = args.steps.unwrap_or(STEPS);
    let arms = arms(&args.environment)?;
    let specs = split(args.agents.as_deref().unwrap_or("epsilon-greedy"));
    let strategies: Vec<Box<dyn Strategy>> =
        specs.iter().map(|spec| strategy(spec)).collect::<Result<_, _>>()?;
    if context.dry_run {
        let (names, runs) = (specs.join(", "), args.runs);
        return context.would(&format!("play {} by {names} in {runs} runs", args.environment));
    }
    let mut outcomes = Vec::new();
    for (spec, strategy) in specs.into_iter().zip(strategies) {
        let started = Instant::now();
        let curves = simulate(strategy.as_ref(), &arms, steps, args.runs, &context.session)?;
        let interval = curves.regret_interval(LEVEL)?;
        let interrupted = !curves.termination.is_success();
        outcomes.push(Outcome { spec, curves, interval, seconds: started.elapsed().as_secs_f64() });
        if interrupted {
            context.note("warning: stopped early, with the runs that were played");
            break;
        }
    }
    outcomes.sort_by(|a, b| a.regret().total_cmp(&b.regret()));
    let results = Results { args, arms, steps, outcomes };
    results.write(context)?;
    if context.json {
        context.document(results.json(context))?;
    } else {
        results.show(context)?;
    }
    match context.cancel.is_cancelled() {
        true => Err(Failure::new(Code::Interrupted, "interrupted")),
        false => Ok(()),
    }
}

fn last(values: &[f64]) -> f64 {
    values.last().copied().unwrap_or(f64::NAN)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// A curve as points of a line.
fn points(curve: &[f64]) -> Vec<(f64, f64)> {
    curve.iter().enumerate().map(|(t, y)| ((t + 1) as f64, *y)).collect()
}

impl Outcome {
    fn regret(&self) -> f64 {
        last(&self.curves.regret)
    }

    fn regret_interval(&self) -> (f64, f64) {
        (last(&self.interval.0), last(&self.interval.1))
    }
}

impl Results<'_> {
    /// What theory says of these arms, by name.
    fn bounds(&self) -> Vec<(&'static str, &[f64])> {
        let Some(first) = self.outcomes.first() else { return Vec::new() };
        let bounds = &first.curves.bounds;
        let all = [
            ("UCB1, upper bound", &bounds.ucb1),
            ("EXP3, upper bound", &bounds.exp3),
            ("Lai and Robbins, in the long run", &bounds.lai_robbins),
        ];
        all.into_iter().filter_map(|(name, curve)| Some((name, curve.as_deref()?))).collect()
    }

    /// The files that were asked for.
    fn write(&self, context: &CommandContext) -> CommandResult {
        let args = self.args;
        let mut wrote = Vec::new();
        if let Some(path) = &args.csv {
            let mut text = Vec::new();
            mercer::data::write_csv(&self.curves()?, &mut text)?;
            mercer::files::write(path, &text)?;
            wrote.push(path);
        }
        if let Some(path) = &args.plot {
            mercer::files::write(path, self.regret_chart().to_svg().as_bytes())?;
            wrote.push(path);
        }
        if let (Some(path), Some(best)) = (&args.output, self.outcomes.first()) {
            // One game more: those of the runs are forgotten.
            let spec = Object::parse_spec(&best.spec)?;
            let game = play_once(&spec, &self.arms, self.steps, &context.session)?;
            mercer::files::save(game.model()?.as_model(), path, Some(&context.command))?;
            wrote.push(path);
        }
        if let Some(path) = &args.report {
            let report = self.report(context);
            report.save(path).map_err(|e| Failure::new(Code::Run, e.to_string()))?;
            wrote.push(path);
        }
        wrote.iter().for_each(|path| context.note(&format!("wrote {}", path.display())));
        Ok(())
    }

    /// One row a round of a strategy.
    fn curves(&self) -> CommandResult<Table<'static>> {
        let joined = |curve: &dyn Fn(&Outcome) -> Vec<f64>| {
            Column::numbers(self.outcomes.iter().flat_map(curve).collect::<Vec<f64>>())
        };
        let names: Vec<Option<String>> =
            self.outcomes.iter().flat_map(|o| vec![Some(o.spec.clone()); self.steps]).collect();
        Ok(Table::new(vec![
            ("strategy".to_owned(), Column::Text(names.into())),
            ("step".to_owned(), joined(&|_| (1..=self.steps).map(|t| t as f64).collect())),
            ("reward".to_owned(), joined(&|o| o.curves.reward.clone())),
            ("best".to_owned(), joined(&|o| o.curves.best.clone())),
            ("regret".to_owned(), joined(&|o| o.curves.regret.clone())),
            ("low".to_owned(), joined(&|o| o.interval.0.clone())),
            ("high".to_owned(), joined(&|o| o.interval.1.clone())),
        ])?)
    }

    fn regret_chart(&self) -> LineChart {
        let played = self.outcomes.iter().map(|o| Series {
            band: o.interval.0.iter().copied().zip(o.interval.1.iter().copied()).collect(),
            ..Series::new(o.spec.clone(), points(&o.curves.regret))
        });
        let bounds = self.bounds().into_iter().map(|(name, curve)| Series::new(name, points(curve)));
        LineChart {
            title: "Regret".to_owned(),
            description: format!(
                "What the best arm would have paid beyond what was chosen, up to each step: the mean of {} runs with its 95 % interval, and what theory says of it.",
                self.args.runs
            ),
            x: Axis::new("steps"),
            y: Axis::new("regret"),
            series: played.chain(bounds).collect(),
            ..LineChart::default()
        }
    }

    fn best_chart(&self) -> LineChart {
        LineChart {
            title: "Best arm".to_owned(),
            description: format!("The share of {} runs that chose a best arm in each step.", self.args.runs),
            x: Axis::new("steps"),
            y: Axis::new("share of runs"),
            series: self
                .outcomes
                .iter()
                .map(|o| Series::new(o.spec.clone(), points(&o.curves.best)))
                .collect(),
            fine: true,
            ..LineChart::default()
        }
    }

    fn report(&self, context: &CommandContext) -> Report {
        let args = self.args;
        let row = |(i, o): (usize, &Outcome)| LeaderRow {
            rank: i + 1,
            model: o.spec.clone(),
            score: o.regret(),
            interval: Some(o.regret_interval()),
            extra: vec![
                ("reward of a step".to_owned(), mean(&o.curves.reward)),
                ("share of the best arm".to_owned(), mean(&o.curves.best)),
            ],
            fit_seconds: Some(o.seconds / args.runs as f64),
            ..LeaderRow::default()
        };
        let verdict = self.outcomes.first().map_or_else(String::new, |o| {
            let (low, high) = o.regret_interval();
            let ends = format!("95 % interval {} to {}", number(low), number(high));
            format!("{} loses {} in {} steps ({ends}).", o.spec, number(o.regret()), self.steps)
        });
        Report {
            title: args.environment.clone(),
            verdict,
            task: format!("choosing among the arms of {}", args.environment),
            facts: [("arms", self.arms.n_arms()), ("steps", self.steps), ("runs", args.runs)]
                .map(|(name, value)| (name.to_owned(), value.to_string()))
                .to_vec(),
            leaderboard: Some(Leaderboard {
                metric: "regret".to_owned(),
                greater_is_better: false,
                method: format!("mean of {} runs of {} steps each", args.runs, self.steps),
                rows: self.outcomes.iter().enumerate().map(row).collect(),
            }),
            sections: vec![Section {
                title: "Curves".to_owned(),
                charts: vec![AnyChart::Line(self.regret_chart()), AnyChart::Line(self.best_chart())],
                ..Section::default()
            }],
            reproducibility: Reproducibility {
                command: context.command.clone(),
                seed: Some(context.session.seed()),
                threads: Some(context.session.threads()),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                data_name: args.environment.clone(),
                ..Reproducibility::default()
            },
            ..Report::default()
        }
    }

    fn show(&self, context: &CommandContext) -> CommandResult {
        let (args, steps) = (self.args, self.steps);
        line(&context.bold(&format!("{} · {} arms · {steps} steps", args.environment, self.arms.n_arms())))?;
        line(&format!(
            "{} runs · reward and best arm are means over all steps, regret is that of a run · seed {}",
            args.runs,
            context.session.seed()
        ))?;
        let row = |(place, o): (usize, &Outcome)| {
            let (low, high) = o.regret_interval();
            vec![
                (place + 1).to_string(),
                o.spec.clone(),
                number(mean(&o.curves.reward)),
                percent(mean(&o.curves.best)),
                number(o.regret()),
                format!("{}–{}", number(low), number(high)),
                seconds(o.seconds),
            ]
        };
        let mut rows: Vec<Vec<String>> = self.outcomes.iter().enumerate().map(row).collect();
        for (name, curve) in self.bounds() {
            let mut row = vec![String::new(); 7];
            (row[1], row[4]) = (name.to_owned(), number(last(curve)));
            rows.push(row);
        }
        line(&table(&["#", "strategy", "reward", "best arm", "regret", "95 % interval", "time"], &rows))?;
        if let Some(first) = self.outcomes.first() {
            first.curves.bounds.notes.iter().for_each(|note| context.detail(note));
        }
        Ok(())
    }

    fn json(&self, context: &CommandContext) -> serde_json::Value {
        let strategy = |o: &Outcome| {
            let (low, high) = o.regret_interval();
            json!({
                "strategy": o.spec, "reward": mean(&o.curves.reward), "best": mean(&o.curves.best),
                "regret": o.regret(), "low": low, "high": high, "final_regret": o.curves.final_regret,
                "curve": o.curves.regret, "seconds": o.seconds,
            })
        };
        let bounds: serde_json::Map<_, _> =
            self.bounds().into_iter().map(|(name, curve)| (name.to_owned(), last(curve).into())).collect();
        json!({
            "schema_version": 1, "environment": self.args.environment, "runs": self.args.runs, "steps": self.steps,
            "seed": context.session.seed(), "bounds": bounds,
            "strategies": self.outcomes.iter().map(strategy).collect::<Vec<_>>(),
        })
    }
}
