//! From the arguments to a data set: rows, strings, a density or a decision process.

use crate::args::{Data, TaskName};
use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure};
use mercer::data::{ColumnProfile, CsvOptions, Inferred};
use mercer::measure::Metric;
use mercer::{
    Column, DataKind, Dataset, ErrorKind, Input, Learner, Mdp, Object, States, Table, Target, TargetColumn,
    Task, Value,
};
use std::sync::OnceLock;

/// A table with the choices that were made about its columns.
pub(crate) struct Loaded {
    /// All columns.
    pub(crate) table: Table<'static>,
    /// The features.
    pub(crate) features: Table<'static>,
    /// How columns were read.
    pub(crate) inferred: Vec<Inferred>,
    profile: OnceLock<Vec<ColumnProfile>>,
}

/// Reads the table of a data argument and takes the features from it.
pub(crate) fn load(data: &Data, context: &CommandContext) -> CommandResult<Loaded> {
    let read = context.session.run(|| mercer::data::read(&data.source, &CsvOptions::default()))?;
    let mut used: Vec<String> = data.drop.clone();
    for name in data.target.iter().chain(&data.weight).chain(&data.group) {
        read.table.column(name)?;
        if !used.contains(name) {
            used.push(name.clone());
        }
    }
    let features =
        if data.keep.is_empty() { read.table.without(&used)? } else { read.table.select(&data.keep)? };
    Ok(Loaded { table: read.table, features, inferred: read.inferred, profile: OnceLock::new() })
}

impl Loaded {
    /// The profile of every column, made once a command, however many ask.
    pub(crate) fn profile(&self, context: &CommandContext) -> &[ColumnProfile] {
        self.profile.get_or_init(|| {
            context.detail(&format!("profiled {} columns", self.table.n_columns()));
            context.session.run(|| mercer::data::profile(&self.table))
        })
    }

    /// What the target says about the task, and a sentence where that had to be decided.
    pub(crate) fn task(&self, data: &Data) -> CommandResult<(Task, Option<String>)> {
        let [name, ..] = data.target.as_slice() else {
            return Err(Failure::new(Code::Usage, "a target is needed: -t COLUMN"));
        };
        match data.task {
            Some(TaskName::Classification) => return Ok((Task::Classification, None)),
            Some(TaskName::Regression) => return Ok((Task::Regression, None)),
            None => {}
        }
        let Column::Numeric(values) = self.table.column(name)? else {
            return Ok((Task::Classification, None));
        };
        let whole = values.iter().all(|v| v.is_nan() || v.fract() == 0.0);
        let mut distinct: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        if whole && distinct.len() <= 10 && data.target.len() == 1 {
            let n = distinct.len();
            let note = format!(
                "target `{name}` has {n} whole numbers: taken as classes (--task regression otherwise)"
            );
            return Ok((Task::Classification, Some(note)));
        }
        Ok((Task::Regression, None))
    }

    /// The data set of a kind that a learner of `task` wants.
    pub(crate) fn dataset(&self, kind: DataKind, data: &Data, task: Task) -> CommandResult<Dataset<'static>> {
        let mut out = Dataset::new(input(kind, &self.features)?);
        if !data.target.is_empty() {
            out = out.with_target(target(&self.table, &data.target, task)?)?;
        }
        self.extras(data, out)
    }

    fn extras(&self, data: &Data, mut out: Dataset<'static>) -> CommandResult<Dataset<'static>> {
        if let Some(name) = &data.weight {
            let weights = self.table.column(name)?.to_numbers();
            let weights = weights
                .ok_or_else(|| Failure::new(Code::Data, format!("column `{name}` holds no numbers")))?;
            out = out.with_weights(weights.into_owned())?;
        }
        if let Some(name) = &data.group {
            out = out.with_groups(groups(self.table.column(name)?))?;
        }
        Ok(out)
    }
}

/// A table as data of a kind: rows, the one column that is text or categories, or a first column of states.
pub(crate) fn input(kind: DataKind, table: &Table<'static>) -> CommandResult<Input<'static>> {
    let texts = |c: &Column<'_>| -> Vec<String> {
        (0..c.len()).map(|i| c.text(i).unwrap_or_default().into_owned()).collect()
    };
    match kind {
        DataKind::Rows => Ok(Input::from(table)),
        DataKind::Strings => Ok(Input::Strings(texts(text_column(table)?).into())),
        DataKind::States => {
            let names = table.columns().first().map_or_else(Vec::new, |column| texts(column));
            Ok(States::named(names).into())
        }
        DataKind::Density | DataKind::Mdp => {
            Err(Failure::new(Code::Data, format!("{kind} cannot be made of a table")))
        }
    }
}

/// The one column of a table that holds strings.
fn text_column<'t>(table: &'t Table<'_>) -> CommandResult<&'t Column<'t>> {
    let is_text = |c: &Column<'_>| matches!(c, Column::Text(_) | Column::Categorical { .. });
    let columns: Vec<_> = table.iter().filter(|(_, c)| is_text(c)).collect();
    match columns.as_slice() {
        [(_, column)] => Ok(column),
        [] => Err(Failure::new(Code::Data, "there is no column of strings")),
        many => {
            let names: Vec<&str> = many.iter().map(|(n, _)| *n).collect();
            Err(Failure::new(
                Code::Data,
                format!("which column holds the strings: {}? say --keep COL", names.join(", ")),
            ))
        }
    }
}

fn target(table: &Table<'static>, names: &[String], task: Task) -> mercer::Result<Target<'static>> {
    let columns = names
        .iter()
        .map(|name| {
            let target = Target::from_column(name, table.column(name)?, task == Task::Classification)?;
            Ok(target.columns().to_vec())
        })
        .collect::<mercer::Result<Vec<Vec<TargetColumn<'static>>>>>()?;
    Target::new(columns.concat())
}

/// A number for each distinct value of a column.
fn groups(column: &Column<'_>) -> Vec<u32> {
    let mut seen = std::collections::HashMap::new();
    (0..column.len())
        .map(|i| {
            let next = seen.len() as u32;
            *seen.entry(column.text(i).map(|t| t.into_owned())).or_insert(next)
        })
        .collect()
}

/// The data of a kind that is no table, by the name of a bundled one or from a file; `None` for kinds that are tables.
pub(crate) fn no_table(source: &str, kind: DataKind) -> CommandResult<Option<Dataset<'static>>> {
    Ok(Some(match kind {
        DataKind::Density => Dataset::new(mercer::bayes::density(source.trim_start_matches("density:"))?),
        DataKind::Mdp => Dataset::new(process(source)?),
        DataKind::Rows | DataKind::Strings | DataKind::States => return Ok(None),
    }))
}

/// A decision process, bundled or from its JSON.
fn process(source: &str) -> CommandResult<Mdp> {
    if !std::path::Path::new(source).is_file() {
        return Ok(mercer::rl::process(source.trim_start_matches("mdp:"))?);
    }
    let text =
        std::fs::read_to_string(source).map_err(|e| Failure::new(Code::Data, format!("{source}: {e}")))?;
    Mdp::from_json(&text).map_err(|e| match e.kind() {
        ErrorKind::Parse { line, column, reason, .. } => {
            Failure::new(Code::Data, format!("{source}, line {line}, column {column}: {reason}"))
        }
        _ => Failure::new(Code::Data, format!("{source}: {e}")),
    })
}

/// The learner of a `-m` text for a task: of a classifier and a regressor that are twins, the one that is asked for.
pub(crate) fn learner(spec: &str, task: Option<Task>) -> CommandResult<Box<dyn Learner>> {
    let made = mercer::learner(spec)?;
    let supervised = |t: Task| matches!(t, Task::Classification | Task::Regression);
    let Some(task) = task.filter(|&t| supervised(t) && supervised(made.task()) && made.task() != t) else {
        return Ok(made);
    };
    let object = Object::parse_spec(spec)?;
    mercer::core::catalogue::make_twin(&object)?.filter(|twin| twin.task() == task).ok_or_else(|| {
        let (name, learns) = (object.kind, made.task());
        Failure::new(Code::Usage, format!("{name} learns {learns}, the target asks for {task}"))
    })
}

/// The path of a parameter in a learner: a name without a step means the last step of a pipeline.
pub(crate) fn path_in(learner: &dyn Learner, name: &str) -> String {
    if learner.get(name).is_ok() {
        return name.to_owned();
    }
    let last = match learner.get("steps") {
        Ok(Value::List(steps)) => match steps.last() {
            Some(Value::List(pair)) => pair.first().cloned(),
            _ => None,
        },
        _ => None,
    };
    match last {
        Some(Value::Text(last)) => format!("{last}__{name}"),
        _ => name.to_owned(),
    }
}

/// A session that ends at `--budget`.
pub(crate) fn within(budget: Option<&str>, context: &CommandContext) -> CommandResult<mercer::Session> {
    let Some(text) = budget else { return Ok(context.session.clone()) };
    match crate::text::parse_seconds(text) {
        Some(seconds) => {
            let end = std::time::Instant::now() + std::time::Duration::from_secs_f64(seconds);
            Ok(context.session.clone().with_deadline(end))
        }
        None => Err(Failure::new(Code::Usage, format!("--budget wants a time like 90s or 5m, got `{text}`"))),
    }
}

/// Names between commas or semicolons; those inside brackets belong to the name: `auc,fbeta(beta=2,average=macro)`.
fn listed(text: &str) -> Vec<String> {
    let mut depth = 0i32;
    let apart = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && matches!(c, ',' | ';')
    };
    text.split(apart).map(str::trim).filter(|n| !n.is_empty()).map(str::to_owned).collect()
}

/// The metrics asked for, or the usual one; all must suit the task.
pub(crate) fn metrics(names: &[String], task: Task) -> CommandResult<Vec<&'static Metric>> {
    let chosen = match names {
        [] => {
            let usual = Metric::default_for(task);
            vec![usual.ok_or_else(|| Failure::new(Code::Usage, "no metric for this task"))?]
        }
        names => {
            let each = names.iter().flat_map(|n| listed(n));
            each.map(|n| Metric::by_name(&n)).collect::<mercer::Result<Vec<_>>>()?
        }
    };
    if chosen.is_empty() {
        return Err(Failure::new(Code::Usage, "--metric names no metric"));
    }
    match chosen.iter().find(|m| m.task != task) {
        Some(m) => {
            Err(Failure::new(Code::Usage, format!("{} is a metric for {}, not {task}", m.label, m.task)))
        }
        None => Ok(chosen),
    }
}
