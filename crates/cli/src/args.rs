//! The arguments, as data: parser, help, completions come from here.

use crate::fail::{Code, Failure};
pub(crate) use crate::play_args::Play;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The whole classical canon of machine learning, from a terminal.
#[derive(Debug, Parser)]
#[command(name = "mercer", version, about, propagate_version = true, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that mean the same everywhere.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Seed of everything random: the same seed gives the same result.
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub(crate) seed: u64,
    /// Number of threads; 0 means all cores.
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub(crate) threads: usize,
    /// Print one JSON document on standard output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Read flags from a file of `name = value` lines; flags on the command line win.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Say what would be done, and do nothing.
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,
    /// No notes on standard error.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// More notes on standard error.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// No progress bar.
    #[arg(long, global = true)]
    pub(crate) no_progress: bool,
    /// Colours: auto, always or never (NO_COLOR is honoured).
    #[arg(long, global = true, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: When,
}

/// When to do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal.
    Auto,
    /// In any case.
    Always,
    /// In no case.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look at data: types, missing values, distributions, leaks.
    Look(Look),
    /// Train one model with the preparation it needs.
    Fit(Fit),
    /// Train several models on the same folds and rank them.
    Compare(Compare),
    /// Search for the best parameters of a model.
    Tune(Tune),
    /// Predict with a saved model.
    Predict(Predict),
    /// Score a saved model on data with known answers.
    Evaluate(Evaluate),
    /// Explain a saved model: what matters to it, why it says what it says of a row, how it depends on a column.
    Explain(Explain),
    /// Draw from a density by Markov chains, and tell how far to trust the draws.
    Sample(Sample),
    /// Let agents learn in an environment, run by run, and compare what their policies earn.
    Play(Play),
    /// List the models.
    Models(Models),
    /// Show a model's parameters.
    Params(Params),
    /// List the bundled data sets, densities and decision processes.
    Datasets,
    /// Show what a model file holds.
    Inspect(Inspect),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// How fields of a file are read.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Reading {
    /// Fields that stand for a missing value, besides the usual ones: -999,unknown.
    #[arg(long, value_name = "TOKEN,…", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) na: Vec<String>,
    /// What stands before decimals: a point or a comma; by default as the columns of the file agree.
    #[arg(long, value_name = "CHAR")]
    pub(crate) decimal: Option<char>,
    /// The kind of a column, instead of what its fields look like: numeric, categorical, text or date; may be repeated.
    #[arg(long, value_name = "COL=KIND,…", value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
}

/// Data and the columns to use.
#[derive(Clone, Debug, Args)]
pub(crate) struct Data {
    /// A file (.csv, .tsv, .parquet, .gz), `-` for standard input, or the name of a bundled data set.
    #[arg(value_name = "DATA")]
    pub(crate) source: String,
    /// The column to predict; several for several targets.
    #[arg(short, long, value_name = "COL", value_delimiter = ',')]
    pub(crate) target: Vec<String>,
    /// Columns to leave out.
    #[arg(long, value_name = "COL,…", value_delimiter = ',')]
    pub(crate) drop: Vec<String>,
    /// Columns to use, and no others.
    #[arg(long, value_name = "COL,…", value_delimiter = ',')]
    pub(crate) keep: Vec<String>,
    /// A column of weights.
    #[arg(long, value_name = "COL")]
    pub(crate) weight: Option<String>,
    /// A column of groups that stay together in splits.
    #[arg(long, value_name = "COL")]
    pub(crate) group: Option<String>,
    /// What the target is, where that is not plain from it.
    #[arg(long, value_name = "TASK")]
    pub(crate) task: Option<TaskName>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// The tasks that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskName {
    /// Predict classes.
    Classification,
    /// Predict numbers.
    Regression,
}

/// `mercer look`.
#[derive(Debug, Args)]
pub(crate) struct Look {
    #[command(flatten)]
    pub(crate) data: Data,
}

/// `mercer fit`.
#[derive(Debug, Args)]
pub(crate) struct Fit {
    #[command(flatten)]
    pub(crate) data: Data,
    /// The model, with parameters: `ridge`, `logistic:C=10`.
    #[arg(short, long, value_name = "MODEL[:k=v,…]")]
    pub(crate) model: String,
    /// Where to write the model.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Set a parameter; may be repeated. Steps of the preparation: `impute__strategy=mean`.
    #[arg(long, value_name = "k=v")]
    pub(crate) set: Vec<String>,
    /// Validation rows: a file, or the share of rows to hold out.
    #[arg(long, value_name = "FILE|SHARE")]
    pub(crate) valid: Option<String>,
    /// Take the data as they are, without the default preparation.
    #[arg(long)]
    pub(crate) raw: bool,
    /// Learn from batches of a CSV file that need not fit into memory.
    #[arg(long)]
    pub(crate) stream: bool,
    /// Write an HTML report (and its JSON twin beside it).
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Print the coefficients with standard errors, tests and 95 % intervals, or why there are none.
    #[arg(long)]
    pub(crate) summary: bool,
    /// Fail with code 6 when training did not converge.
    #[arg(long)]
    pub(crate) strict: bool,
}

/// `mercer sample`.
#[derive(Debug, Args)]
pub(crate) struct Sample {
    /// The density, by name; `mercer datasets` lists them.
    #[arg(value_name = "NAME")]
    pub(crate) density: String,
    /// The sampler, with parameters: `nuts`, `nuts:target_accept=0.95`, `slice`.
    #[arg(long, default_value = "nuts", value_name = "SAMPLER[:k=v,…]")]
    pub(crate) sampler: String,
    /// Number of chains.
    #[arg(long, value_name = "N")]
    pub(crate) chains: Option<usize>,
    /// Draws kept of each chain.
    #[arg(long, value_name = "N")]
    pub(crate) draws: Option<usize>,
    /// Steps of each chain that tune the sampler.
    #[arg(long, value_name = "N")]
    pub(crate) warmup: Option<usize>,
    /// Where to write the model, or as .csv the draws.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write an HTML report (and its JSON twin beside it).
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Fail with code 6 when the chains have not mixed.
    #[arg(long)]
    pub(crate) strict: bool,
}

/// `mercer compare`.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) data: Data,
    /// The models, separated by semicolons: 'ridge;tree:max_depth=4'.
    #[arg(long, value_name = "a;b:k=v", conflicts_with = "preset")]
    pub(crate) models: Option<String>,
    /// Which models to take.
    #[arg(long, default_value = "quick", value_name = "NAME")]
    pub(crate) preset: Preset,
    /// Number of folds.
    #[arg(long, default_value_t = 5, value_name = "K")]
    pub(crate) cv: usize,
    /// Time to spend: 90s, 5m. Models not reached are named.
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<String>,
    /// The metric that ranks.
    #[arg(long, value_name = "NAME")]
    pub(crate) metric: Option<String>,
    /// Where to write the best model, fitted on all rows.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write an HTML report (and its JSON twin beside it).
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

/// `mercer tune`.
#[derive(Debug, Args)]
pub(crate) struct Tune {
    #[command(flatten)]
    pub(crate) data: Data,
    /// The model, with parameters that stay as they are: `logistic`, `tree:criterion=entropy`.
    #[arg(short, long, value_name = "MODEL[:k=v,…]")]
    pub(crate) model: String,
    /// Where to look: 'C=log(1e-3,1e3), penalty=[l1,l2]'; by default what the model and its preparation declare.
    #[arg(long, value_name = "SPACE")]
    pub(crate) space: Option<String>,
    /// Numbers of clusters to try where there is no target: '2..10', '2,3,5'.
    #[arg(long, default_value = "1..10", value_name = "COUNTS")]
    pub(crate) clusters: String,
    /// How to search.
    #[arg(long, default_value = "tpe", value_name = "HOW")]
    pub(crate) search: SearchName,
    /// Number of settings to try (tpe, random, halving).
    #[arg(long, default_value_t = 30, value_name = "N")]
    pub(crate) trials: usize,
    /// Values of each range in a grid.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) points: usize,
    /// Folds: a number, or a scheme such as 'timeseries(k=5)', 'repeated(k=5,times=3)', 'holdout(test=0.2)'.
    #[arg(long, default_value = "5", value_name = "FOLDS")]
    pub(crate) cv: String,
    /// Metrics, the first decides; without a target the criterion that decides, such as silhouette, gap, stability or bic.
    #[arg(long, value_name = "NAME,…")]
    pub(crate) metric: Vec<String>,
    /// Time to spend: 90s, 5m. The best so far is kept.
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<String>,
    /// Stop after so many settings in a row without a better one.
    #[arg(long, value_name = "N")]
    pub(crate) patience: Option<usize>,
    /// Nested cross validation: an honest estimate of the whole procedure, and the average of the best settings.
    #[arg(long)]
    pub(crate) nested: bool,
    /// Write every finished trial to a file as the search goes on.
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Go on with the search of --journal.
    #[arg(long, requires = "journal")]
    pub(crate) resume: bool,
    /// Where to write the best model, fitted on all rows.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write all trials as a table (.csv, .jsonl, .parquet).
    #[arg(long, value_name = "FILE")]
    pub(crate) results: Option<PathBuf>,
}

/// Ways to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchName {
    /// Every combination.
    Grid,
    /// Settings drawn evenly.
    Random,
    /// Successive halving.
    Halving,
    /// Hyperband.
    Hyperband,
    /// Settings like the good ones (tree-structured Parzen estimator).
    Tpe,
}

/// Sets of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// One of each kind.
    Quick,
    /// Models that can be read.
    Explain,
    /// More variants of each kind.
    Best,
}

/// `mercer predict`.
#[derive(Debug, Args)]
pub(crate) struct Predict {
    /// The model file.
    pub(crate) model: PathBuf,
    /// The data; `-` (the default) for standard input.
    #[arg(default_value = "-", value_name = "DATA")]
    pub(crate) source: String,
    /// Where to write (.csv, .jsonl, .parquet); standard output by default.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Add the probability of each class.
    #[arg(long)]
    pub(crate) proba: bool,
    /// Add the ends of an interval that holds this share of the answers, as columns `lower` and `upper`.
    #[arg(long, value_name = "SHARE")]
    pub(crate) interval: Option<f64>,
    /// Add the N largest reasons of each row: the feature, and what it adds; for models that know exactly.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) explain: Option<u16>,
    /// What to do with categories that training did not see.
    #[arg(long, default_value = "missing", value_name = "POLICY")]
    pub(crate) unseen: UnseenPolicy,
    /// The format of the answers; by default what the ending of --output says, else CSV.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// What to do with unseen categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnseenPolicy {
    /// Take them as missing.
    Missing,
    /// Refuse them.
    Error,
}

/// Formats of predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Comma separated values.
    Csv,
    /// A JSON object a line.
    Jsonl,
    /// Parquet (needs --output).
    Parquet,
}

/// `mercer evaluate`.
#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    /// The model file.
    pub(crate) model: PathBuf,
    /// The data with the answers.
    #[arg(value_name = "DATA")]
    pub(crate) source: String,
    /// Score each level of a column apart.
    #[arg(long, value_name = "COL")]
    pub(crate) by: Option<String>,
    /// Call the second class at this probability instead of a half.
    #[arg(long, value_name = "P")]
    pub(crate) threshold: Option<f64>,
    /// Metrics to show, instead of the usual ones: any that `docs/metrics.md` names, such as 'fbeta(beta=2)'.
    #[arg(long, value_name = "NAME,…")]
    pub(crate) metric: Vec<String>,
    /// Another model file: a paired test tells whether the two differ on these rows.
    #[arg(long, value_name = "MODEL")]
    pub(crate) against: Option<PathBuf>,
    /// How intervals are made.
    #[arg(long, default_value = "percentile", value_name = "HOW")]
    pub(crate) interval: IntervalName,
    /// Fail with code 4 when a metric is worse: `auc=0.8`; may be repeated.
    #[arg(long, value_name = "METRIC=VALUE")]
    pub(crate) fail_under: Vec<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// `mercer explain`.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The model file.
    pub(crate) model: PathBuf,
    /// The data to explain it on; --tree can do without.
    #[arg(value_name = "DATA", required_unless_present = "tree")]
    pub(crate) source: Option<String>,
    /// Explain this row, counted from 0: what each feature adds, for models that know exactly.
    #[arg(long, value_name = "N")]
    pub(crate) row: Option<usize>,
    /// With --row: what the model would say if a column had another value; may be repeated.
    #[arg(long, value_name = "COL=VALUE", requires = "row")]
    pub(crate) what_if: Vec<String>,
    /// How the model depends on a column: the mean over the rows with the column set to each value.
    #[arg(long, value_name = "COL", conflicts_with = "row")]
    pub(crate) pdp: Option<String>,
    /// The same by accumulated local effects, which ask only about rows that occur.
    #[arg(long, value_name = "COL", conflicts_with_all = ["row", "pdp"])]
    pub(crate) ale: Option<String>,
    /// Places at which a column is looked at, or bins.
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub(crate) points: usize,
    /// Show a tree of the model, counted from 0; with DATA, drawings have histograms of its rows.
    #[arg(long, value_name = "N", conflicts_with_all = ["row", "pdp", "ale"])]
    pub(crate) tree: Option<usize>,
    /// Levels of tests that a drawn tree shows, at most 12.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=12))]
    pub(crate) depth: u8,
    /// Draw it: a picture (.svg) or its data (.csv).
    #[arg(short, long, value_name = "FILE", conflicts_with = "row")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Ways to make an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IntervalName {
    /// Percentiles of the bootstrap.
    Percentile,
    /// Bias-corrected and accelerated bootstrap; slower.
    Bca,
}

/// `mercer models`.
#[derive(Debug, Args)]
pub(crate) struct Models {
    /// Only those that do this: regression, proba, sparse, by_sums, …
    #[arg(value_name = "WORD")]
    pub(crate) filter: Option<String>,
}

/// `mercer params`.
#[derive(Debug, Args)]
pub(crate) struct Params {
    /// The model.
    pub(crate) model: String,
}

/// `mercer inspect`.
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The model file.
    pub(crate) model: PathBuf,
}

/// Puts the lines of a `--config` file before the flags that were typed, so that those win.
pub(crate) fn with_config(arguments: Vec<String>) -> Result<Vec<String>, Failure> {
    let place = arguments.iter().position(|a| a == "--config" || a.starts_with("--config="));
    let Some(place) = place else { return Ok(arguments) };
    let path = match arguments[place].split_once('=') {
        Some((_, path)) => path.to_owned(),
        None => arguments.get(place + 1).cloned().unwrap_or_default(),
    };
    let text = std::fs::read_to_string(&path)
        .map_err(|e| Failure::new(Code::Usage, format!("--config {path}: {e}")))?;
    let mut flags = Vec::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (name, value) = line.split_once('=').map_or((line, None), |(n, v)| (n.trim(), Some(v.trim())));
        match value {
            Some("true") | None => flags.push(format!("--{name}")),
            Some("false") => {}
            Some(value) => flags.push(format!("--{name}={}", value.trim_matches('"'))),
        }
    }
    let mut out = arguments;
    // The flags of a command stand behind its name, which is the first word that is no flag.
    let command = out.iter().skip(1).position(|a| !a.starts_with('-')).map_or(out.len(), |i| i + 2);
    out.splice(command..command, flags);
    Ok(out)
}
