//! `mercer predict`: a saved model on new rows, batch by batch.

use crate::args::{Format, Predict, UnseenPolicy};
use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure, model_file};
use crate::row_reasons::{RowReasons, reason_columns, row_reasons};
use crate::source::{self, UnseenLevels};
use crate::text::harmless;
use mercer::data::{CsvBatches, Inferred};
use mercer::{
    AttributeValues, Column, DataKind, Input, Model, Session, Table, TargetColumn, TargetValues, Task, Unseen,
};
use std::io::{BufWriter, IsTerminal, Write};

/// Rows predicted at a time.
const BATCH_ROWS: usize = 65_536;

pub(crate) fn run(args: &Predict, context: &CommandContext) -> CommandResult {
    let model = mercer::files::load(&args.model).map_err(model_file)?.model;
    let unseen = match args.unseen {
        UnseenPolicy::Missing => Unseen::Missing,
        UnseenPolicy::Error => Unseen::Error,
    };
    let session = context.session.clone().with_unseen(unseen);
    let mut sink = Sink::new(args, context)?;
    if model.learner().task() == Task::Sampling {
        sink.write(draws(model.as_ref())?, None)?;
        return sink.finish(&UnseenLevels::default(), context);
    }
    let kind = model.learner().kinds().asked_about;
    if kind == DataKind::Graphs
        && let Some(graphs) = source::no_table(&args.source, kind)?
    {
        let (table, reasons) = answer(model.as_ref(), &graphs.input(), args, &session)?;
        sink.write(table, reasons)?;
        return sink.finish(&UnseenLevels::default(), context);
    }
    let schema = model.schema();
    let options = args.reading.options(Some(schema))?;
    let known = |i: &&Inferred| !schema.named || schema.features.iter().any(|f| f.name == i.column);
    let mut met = UnseenLevels::default();
    let is_csv = [".csv", ".tsv", ".txt"].iter().any(|e| args.source.to_lowercase().ends_with(e));
    if is_csv && std::path::Path::new(&args.source).is_file() {
        let batches = CsvBatches::open(&args.source, &options, BATCH_ROWS)?;
        source::say_inferred(batches.inferred().iter().filter(known), |_| String::new(), context);
        for batch in batches {
            let batch = batch?;
            met.count(schema, &batch);
            let (table, reasons) = answer(model.as_ref(), &source::input(kind, &batch)?, args, &session)?;
            sink.write(table, reasons)?;
        }
    } else {
        let loaded = context.session.run(|| mercer::data::read(&args.source, &options))?;
        source::say_inferred(loaded.inferred.iter().filter(known), |_| String::new(), context);
        met.count(schema, &loaded.table);
        let (table, reasons) = answer(model.as_ref(), &source::input(kind, &loaded.table)?, args, &session)?;
        sink.write(table, reasons)?;
    }
    met.say(context);
    sink.finish(&met, context)
}

/// The reasons of some rows, and how many of each are shown.
type Reasons = (Vec<RowReasons>, usize);

/// The answers for some rows as a table, with the reasons where they are asked for.
fn answer(
    model: &dyn Model,
    input: &Input<'_>,
    args: &Predict,
    session: &Session,
) -> CommandResult<(Table<'static>, Option<Reasons>)> {
    let asked = model.on(input, session)?;
    if model.learner().task() == Task::Transformation {
        let rows = asked.transform()?;
        let table = rows.table()?;
        let all: Vec<usize> = (0..table.n_rows()).collect();
        return Ok((table.gather(&all), None));
    }
    match model.learner().task() {
        Task::Neighbours => return Ok((neighbours(&asked.nearest(None)?)?, None)),
        Task::Densities => {
            let logs = vec![("log_density".to_owned(), Column::numbers(asked.log_densities()?))];
            return Ok((Table::new(logs)?, None));
        }
        _ => {}
    }
    let prediction = asked.predict()?;
    let mut columns: Vec<(String, Column<'static>)> =
        prediction.columns().iter().enumerate().map(named).collect();
    if let Some(level) = args.interval {
        let ends = asked.intervals(level)?;
        columns.extend(
            [("lower", 0), ("upper", 1)].map(|(name, k)| (name.to_owned(), Column::numbers(ends.col(k)))),
        );
    }
    if args.proba {
        let probabilities = asked.proba()?;
        let targets = &model.schema().targets;
        let named = targets
            .iter()
            .flat_map(|t| t.kind.labels().into_iter().flat_map(|l| l.iter()).map(move |l| (t, l)));
        for (k, (target, label)) in named.enumerate() {
            let name = match &target.name {
                Some(name) if targets.len() > 1 => format!("p({name}={label})"),
                _ => format!("p({label})"),
            };
            columns.push((name, Column::numbers(probabilities.col(k))));
        }
    }
    let reasons = match args.explain {
        Some(most) => Some((row_reasons(&asked)?, usize::from(most))),
        None => None,
    };
    Ok((Table::new(columns)?, reasons))
}

/// The neighbours of each row, the nearest first: the number of the row learnt from, and its distance.
fn neighbours(found: &mercer::math::Neighbourhoods) -> CommandResult<Table<'static>> {
    let most = (0..found.len()).map(|i| found.of(i).0.len()).max().unwrap_or(0);
    let column = |f: &dyn Fn(usize) -> f64| Column::numbers((0..found.len()).map(f).collect::<Vec<_>>());
    let pair = |k: usize| {
        let row = column(&|i| found.of(i).0.get(k).map_or(f64::NAN, |row| f64::from(*row)));
        let distance = column(&|i| found.of(i).1.get(k).copied().unwrap_or(f64::NAN));
        [(format!("neighbour_{}", k + 1), row), (format!("distance_{}", k + 1), distance)]
    };
    Ok(Table::new((0..most).flat_map(pair).collect())?)
}

fn named((k, column): (usize, &TargetColumn<'static>)) -> (String, Column<'static>) {
    let name = column
        .name
        .clone()
        .unwrap_or_else(|| if k == 0 { "prediction".into() } else { format!("prediction_{k}") });
    let values = match &column.values {
        TargetValues::Numbers(v) => Column::numbers(v.to_vec()),
        TargetValues::Codes(_) => {
            Column::categories(&(0..column.len()).map(|i| Some(column.text(i))).collect::<Vec<_>>())
        }
    };
    (name, values)
}

/// The draws of a sampler: chain, draw and one column a coordinate.
fn draws(model: &dyn Model) -> CommandResult<Table<'static>> {
    let attributes = model.attributes();
    let samples = attributes.iter().find(|a| a.name == "samples_");
    let Some((AttributeValues::Real(values), [chains, draws, dim])) =
        samples.map(|a| (&a.values, a.shape.as_slice()))
    else {
        return Err(Failure::new(Code::Run, "the model holds no draws"));
    };
    let rows = chains * draws;
    let column = |f: &dyn Fn(usize) -> f64| Column::numbers((0..rows).map(f).collect::<Vec<_>>());
    let mut columns = vec![
        ("chain".to_owned(), column(&|i| (i / draws) as f64)),
        ("draw".to_owned(), column(&|i| (i % draws) as f64)),
    ];
    columns.extend((0..*dim).map(|j| (format!("x{j}"), column(&|i| values[i * dim + j]))));
    Ok(Table::new(columns)?)
}

/// Where answers go. A file is written beside its place and moved there at the end.
struct Sink {
    out: Box<dyn Write>,
    /// The rows of the document that `--json` prints where no file takes them.
    records: Option<Vec<serde_json::Value>>,
    n_rows: usize,
    /// Whether a terminal shows them, which must not be told anything by cells.
    terminal: bool,
    file: Option<(std::path::PathBuf, std::path::PathBuf)>,
    format: Format,
    started: bool,
    tables: Vec<Table<'static>>,
}

impl Sink {
    fn new(args: &Predict, context: &CommandContext) -> CommandResult<Self> {
        let format = match (args.format, &args.output) {
            (Some(Format::Parquet), None) => {
                return Err(Failure::new(Code::Usage, "--format parquet needs --output FILE"));
            }
            (Some(format), Some(path)) if source::table_format(path).is_ok_and(|f| f != format) => {
                let message = format!("--format and the ending of {} contradict each other", path.display());
                return Err(Failure::new(Code::Usage, message));
            }
            (Some(format), _) => format,
            (None, Some(path)) => source::table_format(path)?,
            (None, None) => Format::Csv,
        };
        let (out, file): (Box<dyn Write>, _) = match &args.output {
            Some(path) => {
                let mut beside = path.clone().into_os_string();
                beside.push(".part");
                let file = std::fs::File::create(&beside)
                    .map_err(|e| Failure::new(Code::Run, format!("{}: {e}", path.display())))?;
                (Box::new(BufWriter::new(file)), Some((beside.into(), path.clone())))
            }
            None => (Box::new(BufWriter::new(std::io::stdout().lock())), None),
        };
        let records = (context.json && file.is_none()).then(Vec::new);
        let terminal = file.is_none() && std::io::stdout().is_terminal();
        Ok(Self { out, records, n_rows: 0, terminal, file, format, started: false, tables: Vec::new() })
    }

    /// Reasons are an object in JSON, else columns.
    fn write(&mut self, mut table: Table<'static>, reasons: Option<Reasons>) -> CommandResult {
        self.n_rows += table.n_rows();
        if let Some(records) = &mut self.records {
            records.extend((0..table.n_rows()).map(|i| record(&table, reasons.as_ref(), i)));
            return Ok(());
        }
        if let (Some((rows, most)), Format::Csv | Format::Parquet) = (&reasons, self.format) {
            for (name, column) in reason_columns(rows, *most) {
                table = table.with(&name, column)?;
            }
        }
        match self.format {
            Format::Csv => {
                let mut text = Vec::new();
                mercer::data::write_csv_with(&table, &mut text, b',', !self.started)?;
                if self.terminal {
                    text = harmless(&String::from_utf8_lossy(&text)).into_owned().into_bytes();
                }
                self.out.write_all(&text)?;
            }
            Format::Jsonl => {
                for i in 0..table.n_rows() {
                    writeln!(self.out, "{}", record(&table, reasons.as_ref(), i))?;
                }
            }
            Format::Parquet => self.tables.push(table),
        }
        self.started = true;
        Ok(())
    }

    fn finish(mut self, met: &UnseenLevels, context: &CommandContext) -> CommandResult {
        if self.format == Format::Parquet {
            let whole = concatenated(&self.tables)?;
            let mut bytes = Vec::new();
            mercer::data::write_parquet(&whole, &mut bytes)?;
            self.out.write_all(&bytes)?;
        }
        self.out.flush()?;
        drop(self.out);
        let output =
            self.file.map(|(beside, path)| std::fs::rename(beside, &path).map(|()| path)).transpose()?;
        if !context.json {
            return Ok(());
        }
        let mut document = serde_json::json!({
            "schema_version": 1, "n_rows": self.n_rows, "output": output, "unseen": met.json(),
        });
        if let Some(records) = self.records {
            document["predictions"] = records.into();
        }
        context.document(document)
    }
}

/// A row of answers as an object, with its reasons where they are asked for.
fn record(table: &Table<'_>, reasons: Option<&Reasons>, i: usize) -> serde_json::Value {
    let mut record: serde_json::Map<_, _> =
        table.iter().map(|(name, column)| (name.to_owned(), json_value(column, i))).collect();
    if let Some((rows, most)) = reasons {
        record.insert("because".to_owned(), rows[i].json(*most));
    }
    serde_json::Value::Object(record)
}

fn json_value(column: &Column<'_>, i: usize) -> serde_json::Value {
    match column {
        Column::Numeric(v) => serde_json::Number::from_f64(v[i]).map_or(serde_json::Value::Null, Into::into),
        Column::Boolean(v) => v[i].into(),
        other @ (Column::Categorical { .. } | Column::Text(_) | Column::Time(_)) => {
            other.text(i).map(|t| t.into_owned()).into()
        }
    }
}

/// Batches put end to end.
fn concatenated(tables: &[Table<'static>]) -> CommandResult<Table<'static>> {
    let Some(first) = tables.first() else { return Ok(Table::default()) };
    let column = |j: usize| {
        let parts: Vec<&Column<'_>> = tables.iter().map(|t| t.columns()[j].as_ref()).collect();
        match first.columns()[j].as_ref() {
            Column::Numeric(_) => Column::numbers(
                parts
                    .iter()
                    .flat_map(|c| c.to_numbers().unwrap_or_default().into_owned())
                    .collect::<Vec<_>>(),
            ),
            Column::Categorical { .. } | Column::Boolean(_) | Column::Text(_) | Column::Time(_) => {
                Column::categories(
                    &parts
                        .iter()
                        .flat_map(|c| {
                            (0..c.len()).map(|i| c.text(i).map(|t| t.into_owned())).collect::<Vec<_>>()
                        })
                        .collect::<Vec<_>>(),
                )
            }
        }
    };
    Ok(Table::new(first.names().iter().enumerate().map(|(j, n)| (n.clone(), column(j))).collect())?)
}
