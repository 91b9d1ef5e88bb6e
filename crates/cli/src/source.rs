//! From the arguments to a data set: rows, strings, a density or a decision process.

use crate::args::{Data, Format, Reading, TaskName};
use crate::context::{CommandContext, quoted};
use crate::fail::{Code, CommandResult, Failure};
use mercer::data::{ColumnProfile, CsvOptions, Identifier, Inferred};
use mercer::measure::Metric;
use mercer::{
    Column, ColumnKind, DataKind, Dataset, Environment, ErrorKind, Feature, Input, Learner, Mdp, Object,
    Schema, States, Table, Target, TargetColumn, Task, Value,
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

impl Reading {
    /// The options of the readers; columns of a model's schema keep the kinds that they have there.
    pub(crate) fn options(&self, schema: Option<&Schema>) -> CommandResult<CsvOptions> {
        let mut options = CsvOptions::default();
        options.missing.extend(self.na.iter().cloned());
        let wrong = |message: String| Failure::new(Code::Usage, message);
        options.decimal = match self.decimal {
            Some(c @ ('.' | ',')) => Some(c as u8),
            Some(c) => return Err(wrong(format!("--decimal wants a point or a comma, got `{c}`"))),
            None => None,
        };
        for text in &self.kind {
            let pair = text.rsplit_once('=').map(|(name, kind)| (name, kind.trim()));
            let kind = match pair.map(|(_, kind)| kind) {
                Some("categorical") => ColumnKind::Categorical,
                Some("numeric") => ColumnKind::Numeric,
                Some("text") => ColumnKind::Text,
                Some("date") => ColumnKind::Time,
                _ => {
                    let wants = "wants COL=categorical, numeric, text or date";
                    return Err(wrong(format!("--kind {wants}, got `{text}`")));
                }
            };
            options.kinds.extend(pair.map(|(name, _)| (name.to_owned(), kind)));
        }
        // Booleans and dates are told by what they look like, and alignment turns them into what the model takes.
        let keeps = |f: &&Feature| !matches!(f.kind, ColumnKind::Boolean | ColumnKind::Time);
        let features = schema.filter(|s| s.named).into_iter().flat_map(|s| s.features.iter().filter(keeps));
        options.expected = features.map(|f| (f.name.clone(), f.kind)).collect();
        Ok(options)
    }
}

/// Says what a person should know about how columns were read; `flags` tells of a column how to change that.
pub(crate) fn say_inferred<'a>(
    inferred: impl Iterator<Item = &'a Inferred>,
    flags: impl Fn(&str) -> String,
    context: &CommandContext,
) {
    for one in inferred {
        let flags = flags(&one.column);
        one.notes.iter().for_each(|note| context.note(&format!("note: `{}`: {note}{flags}", one.column)));
    }
}

/// The flags that change how a column is taken for training.
pub(crate) fn training_flags(column: &str, targets: &[String]) -> String {
    let kind = quoted(&format!("{column}=KIND"));
    match targets.iter().any(|t| t == column) {
        true => format!(" (--kind {kind})"),
        false => format!(" (--kind {kind} or --drop {})", quoted(column)),
    }
}

/// The table for training, or for a model with its schema: how columns were read is told, and rows without a target are
/// left out with a word.
pub(crate) fn load(data: &Data, schema: Option<&Schema>, context: &CommandContext) -> CommandResult<Loaded> {
    let mut loaded = look_at(data, schema, context)?;
    let used = |name: &String| loaded.features.names().contains(name) || data.target.contains(name);
    let flags = |column: &str| match schema {
        Some(_) => String::new(),
        None => training_flags(column, &data.target),
    };
    say_inferred(loaded.inferred.iter().filter(|i| used(&i.column)), flags, context);
    if schema.is_none() {
        loaded.say_identifiers(context);
    }
    let n_rows = loaded.table.n_rows();
    let targets: Vec<_> =
        data.target.iter().map(|name| loaded.table.column(name)).collect::<Result<_, _>>()?;
    let rows: Vec<usize> = (0..n_rows).filter(|&i| !targets.iter().any(|c| c.is_missing(i))).collect();
    let names = data.target.join(", ");
    match n_rows - rows.len() {
        0 => {}
        lost if lost == n_rows => {
            return Err(Failure::new(Code::Data, format!("no row has a value of the target `{names}`")));
        }
        lost => {
            context
                .note(&format!("note: {lost} of {n_rows} rows have no value of `{names}` and are left out"));
            loaded.table = loaded.table.gather(&rows);
            loaded.features = loaded.features.gather(&rows);
        }
    }
    Ok(loaded)
}

/// Reads the table of a data argument as it is, and takes the features from it.
pub(crate) fn look_at(
    data: &Data,
    schema: Option<&Schema>,
    context: &CommandContext,
) -> CommandResult<Loaded> {
    let options = data.reading.options(schema)?;
    let read = context.session.run(|| mercer::data::read(&data.source, &options))?;
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

    /// Says which features name their rows, and how to leave them out.
    fn say_identifiers(&self, context: &CommandContext) {
        for (name, column) in self.features.iter() {
            let what = match mercer::data::identifier(column) {
                Some(Identifier::Index) => "counts the rows",
                // Texts that are keys are left out by the default preparation, which says so; dates are taken
                // apart.
                Some(Identifier::Key) if !matches!(column.as_ref(), Column::Text(_) | Column::Time(_)) => {
                    "looks like an identifier"
                }
                _ => continue,
            };
            context.note(&format!("note: `{name}` {what}: --drop {} leaves it out", quoted(name)));
        }
    }

    /// The data set for training: a target of classes must have two of them.
    pub(crate) fn training(
        &self,
        kind: DataKind,
        data: &Data,
        task: Task,
    ) -> CommandResult<Dataset<'static>> {
        let out = self.dataset(kind, data, task)?;
        for column in out.target().iter().flat_map(|t| t.columns()) {
            if let Some([only]) = column.kind.labels().map(|l| &l[..]) {
                return Err(one_class(column.name.as_deref().unwrap_or("target"), only));
            }
        }
        Ok(out)
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

/// The refusal of a target that is the same everywhere.
pub(crate) fn one_class(target: &str, only: &mercer::Label) -> Failure {
    let message = format!("the target `{target}` has one class only, `{only}`: there is nothing to learn");
    Failure::new(Code::Data, message)
}

/// A table as data of a kind: rows, the one column that is text or categories, or a first column of states.
pub(crate) fn input(kind: DataKind, table: &Table<'static>) -> CommandResult<Input<'static>> {
    let texts = |c: &Column<'_>| -> Vec<String> {
        (0..c.len()).map(|i| c.text(i).unwrap_or_default().into_owned()).collect()
    };
    match kind {
        // Rows are taken for series of equal length.
        DataKind::Rows | DataKind::Series => Ok(Input::from(table)),
        DataKind::Strings => Ok(Input::Strings(texts(text_column(table)?).into())),
        DataKind::States => {
            let names = table.columns().first().map_or_else(Vec::new, |column| texts(column));
            Ok(States::named(names).into())
        }
        DataKind::Density | DataKind::Mdp | DataKind::Graphs | DataKind::Environment => {
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

/// Levels of categorical columns that training did not see: how many values, and the first of them.
#[derive(Debug, Default)]
pub(crate) struct UnseenLevels(std::collections::BTreeMap<String, (usize, String)>);

impl UnseenLevels {
    /// Counts those of some rows. Each level is looked up once, not each row.
    pub(crate) fn count(&mut self, schema: &Schema, table: &Table<'_>) {
        for feature in schema.features.iter().filter(|f| schema.named && f.kind == ColumnKind::Categorical) {
            let Ok(column) = table.column(&feature.name) else { continue };
            let known: std::collections::HashSet<&str> = feature.levels.iter().map(String::as_str).collect();
            let new: Vec<String> = match column {
                Column::Categorical { codes, levels } => {
                    let new: Vec<bool> = levels.iter().map(|l| !known.contains(l.as_str())).collect();
                    let unseen = |c: &&u32| new.get(**c as usize) == Some(&true);
                    codes.iter().filter(unseen).map(|&c| levels[c as usize].clone()).collect()
                }
                other => {
                    let texts = (0..other.len()).filter_map(|i| other.text(i));
                    texts.filter(|t| !known.contains(t.as_ref())).map(|t| t.into_owned()).collect()
                }
            };
            if let Some(first) = new.first() {
                let entry = self.0.entry(feature.name.clone()).or_insert_with(|| (0, first.clone()));
                entry.0 += new.len();
            }
        }
    }

    /// Says what was met.
    pub(crate) fn say(&self, context: &CommandContext) {
        for (column, (n, first)) in &self.0 {
            let (s, were) = if *n == 1 { ("", "was") } else { ("s", "were") };
            context.note(&format!(
                "note: {n} value{s} of `{column}` {were} not seen in training, the first is `{first}`"
            ));
        }
    }

    /// As JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        let one = |(column, (n, first)): (&String, &(usize, String))| serde_json::json!({ "column": column, "count": n, "example": first });
        self.0.iter().map(one).collect()
    }
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
        DataKind::Graphs => graphs(source)?,
        DataKind::Environment => Dataset::new(environment(source)?),
        DataKind::Rows | DataKind::Strings | DataKind::States | DataKind::Series => return Ok(None),
    }))
}

/// An environment by its name, or the one that follows a decision process of a file.
pub(crate) fn environment(source: &str) -> CommandResult<Environment> {
    match std::path::Path::new(source).is_file() {
        true => Ok(Environment::of_mdp(source, process(source)?)?),
        false => Ok(mercer::rl::environment(source.trim_start_matches("env:"))?),
    }
}

/// A decision process, bundled or from its JSON.
fn process(source: &str) -> CommandResult<Mdp> {
    if !std::path::Path::new(source).is_file() {
        let name = ["mdp:", "process:"].iter().find_map(|prefix| source.strip_prefix(prefix));
        return Ok(mercer::rl::process(name.unwrap_or(source))?);
    }
    from_json(source, Mdp::from_json)
}

/// Graphs from their JSON, with their targets where there are any.
fn graphs(source: &str) -> CommandResult<Dataset<'static>> {
    from_json(source, mercer::Graph::data_from_json)
}

/// Reads a file of JSON; errors name the file and the place.
fn from_json<T>(source: &str, read: impl Fn(&str) -> mercer::Result<T>) -> CommandResult<T> {
    let text =
        std::fs::read_to_string(source).map_err(|e| Failure::new(Code::Data, format!("{source}: {e}")))?;
    read(&text).map_err(|e| match e.kind() {
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

/// The format of a table that the ending of a file names.
pub(crate) fn table_format(path: &std::path::Path) -> CommandResult<Format> {
    match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("csv") => Ok(Format::Csv),
        Some("jsonl" | "ndjson") => Ok(Format::Jsonl),
        Some("parquet") => Ok(Format::Parquet),
        _ => Err(Failure::new(
            Code::Usage,
            format!("{}: the ending is none of .csv, .jsonl, .parquet", path.display()),
        )),
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
