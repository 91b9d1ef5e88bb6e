//! Builds reports: from models, data, answers and comparisons to the plain data that the page shows.
//!
//! What every report has is gathered here. What only some have comes from providers: [`providers`] names those of each task
//! and kind of data, so that a new one of either does not compile before it has said what its report shows.

mod answers;
mod chains;
mod clusters;
mod comparison;
mod explain;
mod mixture;
mod policy;
mod table;
mod topics;

pub use policy::policy_of;
pub use table::{ProfiledTable, column_summary};

use crate::format::seconds;
use crate::model::{CertificateView, Evidence, Level, Report, Reproducibility, Step};
use mercer_assess::{Answers, Comparison};
use mercer_core::{
    Asked, AttributeValues, Certificate, DataKind, Dataset, ErrorKind, Input, Learner, Model, Object, Result,
    Session, Task, Value, catalogue,
};
use mercer_measure::Metric;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// What stands around a report: heading, data, and how to get it again.
#[derive(Clone, Copy, Debug)]
pub struct ReportBuilder<'a> {
    /// The heading; `None` is the name of the data and that of the model or target.
    pub title: Option<&'a str>,
    /// The name of the data; may be empty.
    pub source: &'a str,
    /// The command or call that makes the report again.
    pub command: &'a str,
    /// The table that the data come from, where they do, profiled by whoever read it.
    pub table: Option<ProfiledTable<'a>>,
    /// The session, whose seed and threads are told.
    pub session: &'a Session,
}

/// Where the answers come from that a report compares with the truth.
#[derive(Clone, Copy, Debug)]
pub enum Evaluation<'a> {
    /// From rows that training held out.
    HeldOut(&'a Answers),
    /// From the fold that held the row out, for every row.
    OutOfFold(&'a Answers),
    /// From five folds that are still to be learnt.
    CrossValidation,
    /// From the model itself, for the rows of the data.
    GivenRows,
}

/// A model, the rows that it is asked about, and what is known of both: what providers read.
struct Subject<'a> {
    model: &'a dyn Model,
    name: &'a str,
    task: Task,
    target: &'a str,
    data: Option<&'a Dataset<'a>>,
    input: Option<&'a Input<'a>>,
    evaluation: Option<Evaluation<'a>>,
    metric: Option<&'static Metric>,
    fit_seconds: Option<f64>,
    session: &'a Session,
    asked: OnceCell<Asked<'a>>,
}

/// Adds its parts to a report.
type Provider = fn(&Subject<'_>, &mut Report) -> Result<()>;

/// The parts that the reports of a task have, by the kind of data that its models are asked about.
fn providers(task: Task, kind: DataKind) -> &'static [Provider] {
    match (task, kind) {
        (Task::Classification | Task::Regression, DataKind::Rows) => &[answers::add, explain::add],
        (
            Task::Classification | Task::Regression,
            DataKind::Strings
            | DataKind::Density
            | DataKind::Mdp
            | DataKind::States
            | DataKind::Series
            | DataKind::Graphs
            | DataKind::Environment,
        ) => &[answers::add],
        (Task::Clustering, _) => &[clusters::add],
        (Task::Sampling, _) => &[chains::add],
        (Task::Planning, _) => &[policy::add],
        (Task::Transformation, _) => &[topics::add],
        (Task::Composite | Task::Outliers | Task::Neighbours | Task::Densities, _) => &[],
    }
}

impl<'a> Subject<'a> {
    /// The model with the rows of the data, which are prepared for the first question and kept for all others; `None`
    /// where there are no data.
    fn asked(&self) -> Result<Option<&Asked<'a>>> {
        if let (None, Some(input)) = (self.asked.get(), self.input) {
            let asked = self.model.on(input, self.session)?;
            return Ok(Some(self.asked.get_or_init(|| asked)));
        }
        Ok(self.asked.get())
    }

    /// An attribute of numbers, with its shape.
    fn numbers(&self, name: &str) -> Option<(Vec<f64>, Vec<usize>)> {
        self.model.attributes().into_iter().find(|a| a.name == name).and_then(|a| match a.values {
            AttributeValues::Real(values) => Some((values, a.shape)),
            _ => None,
        })
    }

    fn add_to(&self, report: &mut Report) -> Result<()> {
        providers(self.task, self.model.schema().kind).iter().try_for_each(|add| add(self, report))
    }
}

impl ReportBuilder<'_> {
    /// The report of one model: its answers, what matters to it, its steps and its certificate. `data` are the rows that
    /// it is asked about; without them everything that needs rows is left out. `fit_seconds` is told where it is known.
    pub fn of_model(
        &self,
        model: &dyn Model,
        data: Option<&Dataset<'_>>,
        evaluation: Evaluation<'_>,
        fit_seconds: Option<f64>,
    ) -> Result<Report> {
        let (name, task) = (model_name(model), model.learner().task());
        let input = data.map(Dataset::input);
        let targets: Vec<&str> = model.schema().targets.iter().filter_map(|t| t.name.as_deref()).collect();
        let target = targets.join(", ");
        let mut report = self.frame(&name, task);
        let fitted = fit_seconds.map_or_else(String::new, |s| format!(" fitted in {}", seconds(Some(s))));
        report.verdict = format!("{name}{fitted}: {}.", model.certificate().termination);
        report.certificates = certificates(&name, model.certificate());
        report.pipeline = steps(model.learner());
        let subject = Subject {
            model,
            name: &name,
            task,
            target: &target,
            data,
            input: input.as_ref(),
            evaluation: Some(evaluation),
            metric: Metric::default_for(task),
            fit_seconds,
            session: self.session,
            asked: OnceCell::new(),
        };
        subject.add_to(&mut report)?;
        Ok(report)
    }

    /// The report of a comparison by `k` folds of the data: the leaderboard, checks, and all that there is to tell of the
    /// best model.
    pub fn of_comparison(&self, result: &Comparison, data: &Dataset<'_>, k: usize) -> Result<Report> {
        let best = &result.contenders[0];
        let (task, input) = (best.candidate.learner.task(), data.input());
        let targets = comparison::target_names(data);
        let target = targets.join(", ");
        let mut report = self.frame(&target, task);
        report.verdict = comparison::verdict(result, &target);
        report.leaderboard = Some(comparison::leaderboard(result, k));
        report.checks = comparison::checks(result, self.table, &targets);
        if let Some(model) = &best.model {
            report.pipeline = steps(model.learner());
            let subject = Subject {
                model: model.as_ref(),
                name: &best.candidate.label,
                task,
                target: &target,
                data: Some(data),
                input: Some(&input),
                evaluation: best.answers.as_ref().map(Evaluation::OutOfFold),
                metric: result.metrics.first().copied(),
                fit_seconds: None,
                session: self.session,
                asked: OnceCell::new(),
            };
            subject.add_to(&mut report)?;
        }
        let proved = result.contenders.iter().filter_map(|c| Some((c, c.certificate()?)));
        report.certificates = proved.flat_map(|(c, proof)| certificates(&c.candidate.label, proof)).collect();
        Ok(report)
    }

    /// What every report has.
    fn frame(&self, name: &str, task: Task) -> Report {
        let own = if self.source.is_empty() { name.to_owned() } else { format!("{} · {name}", self.source) };
        let table = self.table.map(|t| t.table);
        Report {
            title: self.title.map_or(own, str::to_owned),
            task: task.to_string(),
            profile: self.table.map(|t| t.columns()).unwrap_or_default(),
            reproducibility: Reproducibility {
                command: self.command.to_owned(),
                seed: Some(self.session.seed()),
                threads: Some(self.session.threads()),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                data_hash: table.map_or_else(String::new, |t| format!("{:016x}", mercer_data::table_hash(t))),
                data_name: self.source.to_owned(),
                n_rows: table.map_or(0, |t| t.n_rows() as u64),
                n_cols: table.map_or(0, |t| t.n_columns() as u64),
                created: None,
            },
            ..Report::default()
        }
    }
}

impl Report {
    /// Says what the report does not show, and why; that a model has no such thing to show goes without saying.
    fn left_out(&mut self, what: &str, error: &mercer_core::Error) {
        if !matches!(error.kind(), ErrorKind::Incapable { .. }) {
            let message = format!("not shown: {what} ({error})");
            self.checks.push(comparison::check("K005", Level::Note, message));
        }
    }

    /// Whether a page can be written there: its JSON twin must have another name.
    pub fn check_path(path: &Path) -> Result<()> {
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) {
            let reason = "the page and its JSON twin would be one file; name the page, as in report.html";
            let path = path.display().to_string();
            return Err(ErrorKind::File { path, reason: reason.to_owned() }.into());
        }
        Ok(())
    }

    /// Writes the page, and its JSON twin beside it, each whole or not at all; gives the paths.
    pub fn save(&self, path: &Path) -> Result<[PathBuf; 2]> {
        Self::check_path(path)?;
        let name = path.display().to_string();
        let failed = |e: crate::Error| {
            mercer_core::Error::from(ErrorKind::File { path: name.clone(), reason: e.to_string() })
        };
        let twin = path.with_extension("json");
        let (html, json) = (self.to_html().map_err(failed)?, self.to_json().map_err(failed)?);
        mercer_files::write(path, html.as_bytes())?;
        mercer_files::write(&twin, json.as_bytes())?;
        Ok([path.to_owned(), twin])
    }
}

/// The model in a word, with its steps where it is a pipeline.
pub fn model_name(model: &dyn Model) -> String {
    let names: Vec<&str> = model.certificate().children.iter().map(|(n, _)| n.as_str()).collect();
    if names.is_empty() { model.declaration().alias().to_owned() } else { names.join(" → ") }
}

fn steps(learner: &dyn Learner) -> Vec<Step> {
    let step = |name: &str, object: &Object| {
        let declaration = catalogue::find(&object.kind).ok().map(|e| (e.declaration)());
        Step {
            name: name.to_owned(),
            summary: declaration.map_or_else(String::new, |d| d.summary.to_owned()),
            parameters: object.params.iter().map(|(k, v)| (k.clone(), v.to_string())).collect(),
        }
    };
    match learner.get("steps") {
        Ok(Value::List(list)) => list
            .iter()
            .filter_map(|s| match s {
                Value::List(pair) => match pair.as_slice() {
                    [Value::Text(name), Value::Object(object)] => Some(step(name, object)),
                    _ => None,
                },
                _ => None,
            })
            .collect(),
        _ => vec![step(learner.declaration().alias(), &learner.to_object())],
    }
}

fn certificates(name: &str, c: &Certificate) -> Vec<CertificateView> {
    let view = CertificateView {
        model: name.to_owned(),
        termination: c.termination.to_string(),
        converged: c.termination.is_success(),
        iterations: c.iterations,
        objective: c.objective,
        evidence: c
            .evidence
            .iter()
            .map(|e| Evidence { name: e.name.clone(), value: e.value, meaning: e.meaning.clone() })
            .collect(),
        notes: c.notes.clone(),
    };
    // A pipeline proves what its last step proves; the preparation is exact by construction.
    match c.children.last() {
        Some((step, child)) => certificates(&format!("{name} ({step})"), child),
        None => vec![view],
    }
}
