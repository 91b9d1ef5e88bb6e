//! `mercer play`: agents in an environment, by many runs.

use super::{play_bandit, play_report};
use crate::args::Play;
use crate::build_report::check_report_path;
use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure};
use crate::source;
use crate::text::{line, seconds, table};
use mercer::plot::Chart;
use mercer::rl::{Played, Trials, judge_random, play, replay};
use mercer::{Column, DataKind, Environment, Learner, Table, Value};
use serde_json::json;
use std::time::Instant;

/// An agent with what came of it.
pub(super) struct Outcome {
    pub(super) spec: String,
    pub(super) learner: Box<dyn Learner>,
    pub(super) played: Played,
    /// Of all its runs.
    pub(super) seconds: f64,
}

/// What is reported of a command.
pub(super) struct Results<'a> {
    pub(super) args: &'a Play,
    pub(super) environment: &'a Environment,
    /// The best one first.
    pub(super) outcomes: Vec<Outcome>,
    /// What drawing actions earns.
    pub(super) random: f64,
}

pub(crate) fn run(args: &Play, context: &CommandContext) -> CommandResult {
    for (flag, value) in [("runs", args.runs), ("judge", args.judge)] {
        if value == 0 {
            return Err(Failure::new(Code::Usage, format!("--{flag} must be at least 1, got 0")));
        }
    }
    if play_bandit::is_bandit(&args.environment) {
        return play_bandit::run(args, context);
    }
    args.report.as_deref().map_or(Ok(()), check_report_path)?;
    let environment = source::environment(&args.environment)?;
    let agents = agents(args)?;
    if context.dry_run {
        let names: Vec<&str> = agents.iter().map(|(spec, _)| spec.as_str()).collect();
        return context.would(&format!(
            "play {} by {} in {} runs",
            args.environment,
            names.join(", "),
            args.runs
        ));
    }
    let trials = Trials { runs: args.runs, episodes: args.judge, ..Trials::default() };
    let random = judge_random(&environment, args.judge, context.session.seed())?.mean;
    let mut outcomes = Vec::new();
    for (spec, learner) in agents {
        let started = Instant::now();
        let played = play(learner.as_ref(), &environment, &trials, &context.session)?;
        let seconds = started.elapsed().as_secs_f64();
        let interrupted = played.interrupted;
        if played.endless > 0 {
            let all = played.scores.len() * args.judge;
            let left = played.endless;
            context.note(&format!("note: {left} of {all} episodes that judge {spec} had no end, and were left after 10,000 steps"));
        }
        outcomes.push(Outcome { spec, learner, played, seconds });
        if interrupted {
            context.note("warning: stopped early, with what was learnt so far");
            break;
        }
    }
    let worth = |o: &Outcome| o.played.score.map_or(f64::NEG_INFINITY, |s| s.estimate);
    outcomes.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
    let results = Results { args, environment: &environment, outcomes, random };
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

/// The agents of `--agent`, with the budget of the command.
fn agents(args: &Play) -> CommandResult<Vec<(String, Box<dyn Learner>)>> {
    let made = |spec: String| {
        let learner = source::learner(&spec, None)?;
        if !matches!(learner.kinds().learns_from, DataKind::Environment | DataKind::Mdp) {
            let name = learner.declaration().name;
            let told = format!("{name} neither acts nor plans; `mercer models planning` lists what does");
            return Err(Failure::new(Code::Usage, told));
        }
        let budget = [("steps", args.steps), ("episodes", args.episodes)];
        let takes = |name: &str| learner.declaration().params.iter().any(|p| p.name == name);
        let settings = budget.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let learner = settings
            .filter(|(name, _)| takes(name))
            .try_fold(learner.clone(), |learner, (name, value)| learner.with(name, &Value::from(value)))?;
        learner.check()?;
        Ok((spec, learner))
    };
    split(args.agents.as_deref().unwrap_or("q-learning")).into_iter().map(made).collect()
}

/// Divides `a,b:k=v,l=w,c` into its agents: a word without `=` begins a new one; commas in brackets divide nothing.
pub(super) fn split(text: &str) -> Vec<String> {
    let (mut out, mut depth, mut from) = (Vec::<String>::new(), 0, 0);
    let mut ends: Vec<usize> = text
        .char_indices()
        .filter(|(_, c)| {
            depth += i32::from("([".contains(*c)) - i32::from(")]".contains(*c));
            depth == 0 && (*c == ',' || *c == ';')
        })
        .map(|(at, _)| at)
        .collect();
    ends.push(text.len());
    for end in ends {
        let part = &text[from..end];
        from = (end + 1).min(text.len());
        let is_setting = part.split_once('=').is_some_and(|(key, _)| !key.contains(':'));
        match out.last_mut().filter(|_| is_setting) {
            Some(last) => *last = format!("{last},{part}"),
            None => out.push(part.trim().to_owned()),
        }
    }
    out
}

impl Results<'_> {
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
            mercer::files::write(path, play_report::chart(self).to_svg().as_bytes())?;
            wrote.push(path);
        }
        let best = self.outcomes.first().and_then(|o| o.played.best.as_deref());
        if let (Some(path), Some(model)) = (&args.output, best) {
            mercer::files::save(model, path, Some(&context.command))?;
            wrote.push(path);
        }
        if let (Some(path), Some(model)) = (&args.replay, best) {
            let moments = replay(model.policy()?, self.environment, 1000, context.session.seed())?;
            let moving = path.extension().is_some_and(|e| e == "svg");
            let text = match moving {
                true => play_report::moving(self.environment, &moments)?,
                false => play_report::told(self.environment, &moments),
            };
            mercer::files::write(path, text.as_bytes())?;
            wrote.push(path);
        }
        if let Some(path) = &args.report {
            let report = play_report::report(self, context)?;
            report.save(path).map_err(|e| Failure::new(Code::Run, e.to_string()))?;
            wrote.push(path);
        }
        wrote.iter().for_each(|path| context.note(&format!("wrote {}", path.display())));
        Ok(())
    }

    /// One row a point of a curve.
    fn curves(&self) -> CommandResult<Table<'static>> {
        let points = || self.outcomes.iter().flat_map(|o| o.played.curve.iter().map(move |p| (&o.spec, p)));
        let numbers = |f: &dyn Fn(&mercer::rl::CurvePoint) -> f64| {
            Column::numbers(points().map(|(_, p)| f(p)).collect::<Vec<f64>>())
        };
        let agents: Vec<Option<String>> = points().map(|(spec, _)| Some(spec.clone())).collect();
        Ok(Table::new(vec![
            ("agent".to_owned(), Column::Text(agents.into())),
            ("step".to_owned(), numbers(&|p| p.step)),
            ("return".to_owned(), numbers(&|p| p.returns.estimate)),
            ("low".to_owned(), numbers(&|p| p.returns.lower)),
            ("high".to_owned(), numbers(&|p| p.returns.upper)),
        ])?)
    }

    fn show(&self, context: &CommandContext) -> CommandResult {
        let args = self.args;
        let limit =
            self.environment.step_limit().map_or_else(String::new, |n| format!(" · {n} steps at most"));
        let states = match self.environment.observations().count() {
            Some(n) => format!("{n} states"),
            None => format!("{} numbers observed", self.environment.observations().width()),
        };
        line(&context.bold(&format!(
            "{} · {states} · {} actions{limit}",
            args.environment,
            self.environment.n_actions()
        )))?;
        line(&format!(
            "{} runs · {} episodes judge each policy, which no longer explores · interquartile mean over runs · seed {}",
            args.runs,
            args.judge,
            context.session.seed()
        ))?;
        let mut rows: Vec<Vec<String>> = Vec::new();
        for (place, o) in self.outcomes.iter().enumerate() {
            let (score, interval) = match o.played.score {
                Some(s) => (number(s.estimate), format!("{}–{}", number(s.lower), number(s.upper))),
                None => ("–".to_owned(), "judges a policy, and has none".to_owned()),
            };
            let online = o.played.curve.last().map_or_else(|| "–".to_owned(), |p| number(p.returns.estimate));
            let note = if o.played.curve.is_empty() && o.played.scores.len() == 1 { "plans" } else { "" };
            rows.push(vec![
                (place + 1).to_string(),
                o.spec.clone(),
                score,
                interval,
                online,
                seconds(o.seconds),
                note.to_owned(),
            ]);
        }
        let (none, random) = (String::new(), number(self.random));
        rows.push(vec![
            none.clone(),
            "actions at random".to_owned(),
            random,
            none.clone(),
            none.clone(),
            none.clone(),
            none,
        ]);
        line(&table(&["#", "agent", "return", "95 % interval", "while learning", "time", ""], &rows))?;
        for o in &self.outcomes {
            if let Some(model) = o.played.best.as_deref() {
                context.detail(&format!("{}: {}", o.learner.declaration().name, model.certificate()));
            }
        }
        Ok(())
    }

    fn json(&self, context: &CommandContext) -> serde_json::Value {
        let agent = |o: &Outcome| {
            let points = o.played.curve.iter();
            let curve: Vec<_> = points
                .map(|p| json!([p.step, p.returns.estimate, p.returns.lower, p.returns.upper]))
                .collect();
            json!({
                "agent": o.spec, "learner": o.learner.declaration().name, "scores": o.played.scores,
                "endless": o.played.endless, "return": o.played.score.map(|s| s.estimate), "low": o.played.score.map(|s| s.lower),
                "high": o.played.score.map(|s| s.upper), "seconds": o.seconds, "curve": curve,
            })
        };
        json!({
            "schema_version": 1, "environment": self.args.environment, "runs": self.args.runs, "judged": self.args.judge,
            "seed": context.session.seed(), "random": self.random,
            "agents": self.outcomes.iter().map(agent).collect::<Vec<_>>(),
        })
    }
}

/// A return, to four digits.
pub(super) fn number(value: f64) -> String {
    let digits = (3.0 - value.abs().max(1e-3).log10().floor()).clamp(0.0, 4.0) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn agents_are_told_apart_from_settings() {
        assert_eq!(split("sarsa,q:alpha=0.5,epsilon=0,dyna"), ["sarsa", "q:alpha=0.5,epsilon=0", "dyna"]);
        assert_eq!(split("td:policy=[1,2],alpha=1; sarsa"), ["td:policy=[1,2],alpha=1", "sarsa"]);
        assert_eq!(split("one"), ["one"]);
    }
}
