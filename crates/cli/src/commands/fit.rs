//! `mercer fit`: one model, with the preparation it needs.

use crate::args::Fit;
use crate::build_report::{build_report, check_report_path};
use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure};
use crate::source::{self, Loaded};
use crate::text::{bytes, line, number, seconds};
use mercer::assess::Answers;
use mercer::data::CsvBatches;
use mercer::measure::Metric;
use mercer::sums::Batches;
use mercer::{
    AttributeValues, Dataset, FoundTopics, Learner, Model, Schema, Table, Target, Task, Termination, Value,
};
use mercer_report::{Evaluation, model_name};
use std::time::Instant;

pub(crate) fn run(args: &Fit, context: &CommandContext) -> CommandResult {
    args.report.as_deref().map_or(Ok(()), check_report_path)?;
    let bare = source::learner(&args.model, None)?;
    let kind = bare.kinds().learns_from;
    if let Some(data) = source::no_table(&args.data.source, kind)? {
        let learner = with_settings(bare, &args.set)?;
        return finish(args, context, learner.as_ref(), &data, None, None);
    }
    if args.stream {
        return stream(args, context);
    }
    let loaded = source::load(&args.data, None, context)?;
    context.note(&format!("{} rows × {} columns", loaded.table.n_rows(), loaded.table.n_columns()));
    let task = match args.data.target.is_empty() {
        true => None,
        false => {
            let (task, why) = loaded.task(&args.data)?;
            // A learner that is plainly for one task decides what whole numbers mean.
            let task = if why.is_some() && bare.task() == Task::Regression { Task::Regression } else { task };
            if let (Some(why), Task::Classification) = (why, task) {
                context.note(&why);
            }
            Some(task)
        }
    };
    let learner = source::learner(&args.model, task)?;
    let task = task.unwrap_or(learner.task());
    let data = loaded.training(kind, &args.data, task)?;
    let learner = prepared(learner, &loaded, args, context)?;
    let learner = with_settings(learner, &args.set)?;
    let (train, held_out) = split(args, &data, task, context)?;
    finish(args, context, learner.as_ref(), &train, held_out.as_ref(), Some(&loaded))
}

fn prepared(
    learner: Box<dyn Learner>,
    loaded: &Loaded,
    args: &Fit,
    context: &CommandContext,
) -> CommandResult<Box<dyn Learner>> {
    if args.raw {
        return Ok(learner);
    }
    let prepared = mercer::prepare::prepared(learner, &loaded.features)?;
    prepared.notes.iter().for_each(|n| context.note(&format!("{n} (--raw for none of it)")));
    Ok(prepared.learner)
}

/// Applies `--set k=v`; a name without a step means the last step of the pipeline.
fn with_settings(learner: Box<dyn Learner>, settings: &[String]) -> CommandResult<Box<dyn Learner>> {
    settings.iter().try_fold(learner, |learner, setting| {
        let (name, value) = setting
            .split_once('=')
            .ok_or_else(|| Failure::new(Code::Usage, format!("--set wants k=v, got `{setting}`")))?;
        let path = source::path_in(learner.as_ref(), name.trim());
        Ok(learner.with(&path, &Value::parse(value)?)?)
    })
}

/// The training rows, and the rows held out by `--valid`.
fn split<'a>(
    args: &Fit,
    data: &Dataset<'a>,
    task: Task,
    context: &CommandContext,
) -> CommandResult<(Dataset<'a>, Option<Dataset<'a>>)> {
    let Some(valid) = &args.valid else { return Ok((data.clone(), None)) };
    if let Ok(share) = valid.parse::<f64>() {
        let target = data.target();
        let codes = target.as_ref().and_then(|t| t.class().ok()).map(|(codes, _)| codes);
        let split = mercer::measure::train_test(data.n_rows(), share, context.session.seed(), codes)?;
        let (train, test) = (data.subset(&split.train)?, data.subset(&split.test)?);
        return Ok((train.with_valid(test.clone()), Some(test)));
    }
    let other = crate::args::Data { source: valid.clone(), ..args.data.clone() };
    let test = source::load(&other, None, context)?.dataset(data.whole_input().kind(), &other, task)?;
    Ok((data.clone().with_valid(test.clone()), Some(test)))
}

/// A CSV file in batches: features and target of each.
struct CsvStream {
    batches: CsvBatches,
    target: Option<String>,
    drop: Vec<String>,
    classes: bool,
    labels: Option<mercer::Labels>,
    /// Rows of this pass that had no target.
    without_target: usize,
}

impl CsvStream {
    fn dataset(&self, table: &Table<'static>) -> mercer::Result<Dataset<'static>> {
        let features = table.without(&self.drop)?;
        let data = Dataset::new(&features);
        let Some(name) = &self.target else { return Ok(data) };
        let target = Target::from_column(name, table.column(name)?, self.classes)?;
        match (&self.labels, target.class()) {
            (Some(labels), Ok((codes, own))) => {
                let place = |c: &u32| labels.iter().position(|l| *l == own[*c as usize]).unwrap_or(0) as u32;
                data.with_target(
                    Target::coded(codes.iter().map(place).collect(), labels.clone()).named(&[name]),
                )
            }
            _ => data.with_target(target),
        }
    }

    /// The rows that have a target.
    fn answered(&self, table: Table<'static>) -> mercer::Result<Table<'static>> {
        let Some(name) = &self.target else { return Ok(table) };
        let target = table.column(name)?;
        if target.n_missing() == 0 {
            return Ok(table);
        }
        let rows: Vec<usize> = (0..table.n_rows()).filter(|&i| !target.is_missing(i)).collect();
        Ok(table.gather(&rows))
    }

    /// All labels of a class target, from a pass of its own.
    fn find_labels(&mut self) -> mercer::Result<()> {
        let mut all: Vec<mercer::Label> = Vec::new();
        self.batches.rewind()?;
        while let Some(table) = self.batches.next().transpose()? {
            let data = self.dataset(&self.answered(table)?)?;
            let known = data.labels().map(|l| l.to_vec()).unwrap_or_default();
            all.extend(known.into_iter().filter(|l| !all.contains(l)).collect::<Vec<_>>());
        }
        all.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        self.labels = Some(all.into());
        self.batches.rewind()
    }
}

impl Batches for CsvStream {
    fn schema(&mut self) -> mercer::Result<Schema> {
        self.rewind()?;
        let first = self.next_batch()?.ok_or_else(|| mercer::Error::too_few("fit", "rows", 1, 0))?;
        self.rewind()?;
        Ok(Schema::of(&first))
    }
    fn next_batch(&mut self) -> mercer::Result<Option<Dataset<'static>>> {
        while let Some(table) = self.batches.next().transpose()? {
            let rows = self.answered(table.clone())?;
            self.without_target += table.n_rows() - rows.n_rows();
            if rows.n_rows() > 0 {
                return self.dataset(&rows).map(Some);
            }
        }
        Ok(None)
    }
    fn rewind(&mut self) -> mercer::Result<()> {
        self.without_target = 0;
        self.batches.rewind()
    }
}

/// Fits by sums over batches: the file need not fit into memory.
fn stream(args: &Fit, context: &CommandContext) -> CommandResult {
    const BATCH_ROWS: usize = 16_384;
    let data = &args.data;
    if data.target.len() > 1 || !data.keep.is_empty() || data.weight.is_some() || data.group.is_some() {
        let message = "--stream takes one target, and neither --keep nor --weight nor --group";
        return Err(Failure::new(Code::Usage, message));
    }
    let batches = CsvBatches::open(&data.source, &data.reading.options(None)?, BATCH_ROWS)?;
    let used = batches.inferred().iter().filter(|i| !data.drop.contains(&i.column));
    source::say_inferred(used, |column| source::training_flags(column, &data.target), context);
    context.note(&format!("{} rows · {}", batches.n_rows(), batches.summary()));
    let learner = with_settings(source::learner(&args.model, None)?, &args.set)?;
    let mut drop = args.data.drop.clone();
    drop.extend(args.data.target.first().cloned());
    let classes = learner.task() == Task::Classification;
    let target = args.data.target.first().cloned();
    let mut stream = CsvStream { batches, target, drop, classes, labels: None, without_target: 0 };
    if let (true, Some(name)) = (classes, data.target.first()) {
        stream.find_labels()?;
        if let Some([only]) = stream.labels.as_deref() {
            return Err(source::one_class(name, only));
        }
    }
    let started = Instant::now();
    let model = learner.train_stream(&mut stream, &context.session)?;
    if stream.without_target > 0 {
        let n = stream.without_target;
        context.note(&format!("note: {n} rows have no value of the target and are left out"));
    }
    conclude(args, context, model.as_ref(), started.elapsed().as_secs_f64(), Vec::new())
}

fn finish(
    args: &Fit,
    context: &CommandContext,
    learner: &dyn Learner,
    data: &Dataset<'_>,
    held_out: Option<&Dataset<'_>>,
    loaded: Option<&Loaded>,
) -> CommandResult {
    learner.check()?;
    if context.dry_run {
        return context.would(&format!("fit {}", Value::Object(learner.to_object())));
    }
    let started = Instant::now();
    let model = learner.train(data, &context.session)?;
    let elapsed = started.elapsed().as_secs_f64();
    let mut scores = Vec::new();
    let answers = held_out.map(|rows| Answers::of(model.as_ref(), rows, &context.session)).transpose()?;
    if let Some(answers) = &answers {
        for metric in Metric::shown_for(learner.task()) {
            if let Ok(score) = answers.score(metric) {
                scores.push((metric.label, score));
            }
        }
    }
    if let Some(path) = &args.report {
        let evaluation = answers.as_ref().map_or(Evaluation::CrossValidation, Evaluation::HeldOut);
        build_report(path, &args.data.source, loaded, context, |builder| {
            builder.of_model(model.as_ref(), Some(data), evaluation, Some(elapsed))
        })?;
    }
    conclude(args, context, model.as_ref(), elapsed, scores)
}

/// How many of the rows learnt from are noise, and how many are in each cluster, where the model has labelled them.
fn clusters(model: &dyn Model) -> Option<(u64, Vec<u64>)> {
    let labels = model.attributes().into_iter().find(|a| a.name == "labels_");
    let Some(AttributeValues::Int(labels)) = labels.map(|a| a.values) else {
        return clusters(model.abilities().route?.last);
    };
    let (mut noise, mut sizes) = (0, Vec::new());
    for label in labels {
        match usize::try_from(label) {
            Ok(label) => {
                sizes.resize(sizes.len().max(label + 1), 0);
                sizes[label] += 1;
            }
            Err(_) => noise += 1,
        }
    }
    Some((noise, sizes))
}

/// Clusters in words; of many, the first ones.
fn told(noise: u64, sizes: &[u64]) -> String {
    let shown: Vec<String> = sizes.iter().take(12).map(u64::to_string).collect();
    let more = if sizes.len() > shown.len() { ", …" } else { "" };
    let noise = if noise > 0 { format!("; {noise} rows are noise") } else { String::new() };
    match sizes.len() {
        0 => format!("  no clusters{noise}"),
        1 => format!("  1 cluster of {} rows{noise}", shown[0]),
        k => format!("  {k} clusters of {}{more} rows{noise}", shown.join(", ")),
    }
}

/// Words that a topic is told by, and the most topics that are told.
const WORDS: usize = 8;
const TOPICS: usize = 30;

/// Topics in words, the largest first.
fn topics(found: &FoundTopics) -> Vec<String> {
    let line = |t: usize| {
        format!("  topic {t} ({:.0} %): {}", 100.0 * found.sizes[t], found.top_words(t, WORDS).join(", "))
    };
    let mut lines: Vec<String> = found.by_size().into_iter().take(TOPICS).map(line).collect();
    if found.sizes.len() > TOPICS {
        lines.push(format!("  … and {} smaller topics", found.sizes.len() - TOPICS));
    }
    lines
}

fn conclude(
    args: &Fit,
    context: &CommandContext,
    model: &dyn Model,
    elapsed: f64,
    scores: Vec<(&str, f64)>,
) -> CommandResult {
    let size = match &args.output {
        Some(path) => Some(mercer::files::save(model, path, Some(&context.command))?),
        None => None,
    };
    let certificate = model.certificate();
    let summary = args.summary.then(|| model.summary(0.95)).and_then(|found| match found {
        Ok(summary) => Some(summary),
        Err(why) => {
            context.note(&format!("note: no summary: {why}"));
            None
        }
    });
    let (clusters, found) = (clusters(model), model.topics().ok());
    if context.json {
        let document = serde_json::json!({
            "schema_version": 1,
            "model": model.declaration().name,
            "params": Value::Object(model.learner().to_object()).to_json()["params"],
            "seconds": elapsed,
            "seed": context.session.seed(),
            "scores": scores.iter().map(|(k, v)| ((*k).to_owned(), (*v).into())).collect::<serde_json::Map<_, _>>(),
            "clusters": clusters.as_ref().map(|(_, sizes)| sizes),
            "noise": clusters.as_ref().map(|(noise, _)| noise),
            "topics": found.as_ref().map(|f| {
                let topic = |t: usize| serde_json::json!({ "share": f.sizes[t], "words": f.top_words(t, WORDS) });
                (0..f.sizes.len()).map(topic).collect::<Vec<_>>()
            }),
            "certificate": certificate,
            "summary": summary,
            "output": args.output,
            "size": size,
        });
        context.document(document)?;
    } else {
        line(&format!("{} fitted in {}", context.bold(&model_name(model)), seconds(elapsed)))?;
        for (label, value) in &scores {
            line(&format!("  {label} {} on held-out rows", number(*value)))?;
        }
        if let Some((noise, sizes)) = &clusters {
            line(&told(*noise, sizes))?;
        }
        for topic in found.iter().flat_map(topics) {
            line(&topic)?;
        }
        line(&certificate.to_string())?;
        if let Some(summary) = &summary {
            line(&summary.to_string())?;
        }
        if let (Some(path), Some(size)) = (&args.output, size) {
            line(&format!("wrote {} ({})", path.display(), bytes(size)))?;
        }
    }
    if certificate.termination == Termination::Cancelled || context.cancel.is_cancelled() {
        return Err(Failure::new(Code::Interrupted, "interrupted: this is the best so far"));
    }
    if let Some(why) = certificate.shortfall().filter(|_| args.strict) {
        return Err(Failure::new(Code::NotConverged, format!("training {why}")));
    }
    Ok(())
}
