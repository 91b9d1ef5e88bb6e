//! How many clusters: what several criteria say of each number of clusters that a learner can be told.
//!
//! Criteria on the rows and their clusters: silhouette, Calinski and Harabasz, Davies and Bouldin. Against rows without clusters: the
//! gap statistic. By learning again from some of the rows: stability. Of mixtures: Bayes' and Akaike's information criteria. Rows are
//! measured as the learner sees them, behind the steps of a pipeline; categories by a column for each level.

mod gap;
mod stability;

pub use gap::{Gap, GapReference, gap_statistic};
pub use stability::{Stability, stability};

use mercer_core::{
    Asked, AttributeValues, Dataset, Error, ErrorKind, Input, Learner, Model, NestedLearner, Result, Session,
    Task, Value, catalogue,
};
use mercer_math::{Mat, sample_indices};
use mercer_measure::{calinski_harabasz, davies_bouldin, silhouette};

/// What is tried, and how thoroughly.
#[derive(Clone, Debug, PartialEq)]
pub struct KOptions {
    /// The numbers of clusters.
    pub counts: Vec<usize>,
    /// Sets of rows without clusters that the gap statistic is taken against; 0 leaves it out.
    pub references: usize,
    /// How rows without clusters are drawn.
    pub reference: GapReference,
    /// Pairs of subsamples whose clusters are compared; 0 leaves stability out.
    pub resamples: usize,
    /// The share of the rows in a subsample.
    pub share: f64,
    /// Of more rows than these, so many are drawn: silhouettes take time that grows with the square.
    pub most_rows: usize,
}

impl Default for KOptions {
    fn default() -> Self {
        Self {
            counts: (1..=10).collect(),
            references: 20,
            reference: GapReference::default(),
            resamples: 20,
            share: 0.8,
            most_rows: 5000,
        }
    }
}

/// What a criterion says of each number of clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct KCriterion {
    /// Its name: `silhouette`, `gap`, `calinski_harabasz`, `davies_bouldin`, `stability`, `bic`, `aic`.
    pub name: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// How it chooses, in words.
    pub rule: &'static str,
    /// Its values; NaN where there is none.
    pub values: Vec<f64>,
    /// The standard errors of its values, where it has them.
    pub errors: Option<Vec<f64>>,
    /// The number of clusters that it chooses, where it has a value at all.
    pub chosen: Option<usize>,
}

/// What all criteria say.
#[derive(Clone, Debug, PartialEq)]
pub struct KChoice {
    /// The parameter that says how many clusters there are.
    pub path: String,
    /// The numbers of clusters.
    pub counts: Vec<usize>,
    /// How many rows were looked at.
    pub n_rows: usize,
    /// The criteria.
    pub criteria: Vec<KCriterion>,
    /// Criteria that have nothing to say, and numbers of clusters that cannot be had, with the reason.
    pub left_out: Vec<(String, String)>,
}

impl KChoice {
    /// The criterion of this name.
    pub fn criterion(&self, name: &str) -> Result<&KCriterion> {
        let found = self.criteria.iter().find(|c| c.name == name);
        found.ok_or_else(|| Error::unknown("criterion", name, self.criteria.iter().map(|c| c.name)))
    }

    /// The criterion that decides where nobody says which: Bayes' information criterion for mixtures, else the silhouette.
    pub fn usual(&self) -> Option<&KCriterion> {
        let named = |name| self.criteria.iter().find(|c| c.name == name && c.chosen.is_some());
        named("bic")
            .or_else(|| named("silhouette"))
            .or_else(|| self.criteria.iter().find(|c| c.chosen.is_some()))
    }
}

const WHO: &str = "choose_k";

/// The path of the parameter that says how many clusters there are, in the last step where there are steps; `None` for learners that
/// are not told.
pub fn count_path(learner: &dyn Learner) -> Option<String> {
    let last = last_step(learner).map_or_else(String::new, |(name, _)| format!("{name}__"));
    let paths = ["n_clusters", "n_components"].map(|name| format!("{last}{name}"));
    let told = |path: &String| matches!(learner.get(path), Ok(Value::Int(_)));
    (learner.task() == Task::Clustering).then(|| paths.into_iter().find(told)).flatten()
}

/// The last step of a pipeline with its name.
fn last_step(learner: &dyn Learner) -> Option<(String, NestedLearner)> {
    let Ok(Value::List(steps)) = learner.get("steps") else { return None };
    match steps.last()? {
        Value::List(pair) => match pair.as_slice() {
            [Value::Text(name), Value::Object(object)] => {
                Some((name.clone(), NestedLearner(catalogue::make(object).ok()?)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A learner that can be told how many clusters there are.
struct Told<'a> {
    learner: &'a dyn Learner,
    path: String,
}

impl<'a> Told<'a> {
    fn new(learner: &'a dyn Learner) -> Result<Self> {
        let path = count_path(learner).ok_or_else(|| {
            let last = last_step(learner);
            let bare: &dyn Learner = last.as_ref().map_or(learner, |(_, last)| last.0.as_ref());
            Error::incapable(bare.declaration().name, "be told how many clusters there are")
        })?;
        Ok(Self { learner, path })
    }

    fn with(&self, k: usize) -> Result<Box<dyn Learner>> {
        self.learner.with(&self.path, &Value::from(k))
    }
}

/// The numbers of clusters to try: at least one, each at least 1, in order.
fn checked(counts: &[usize]) -> Result<Vec<usize>> {
    let mut counts = counts.to_vec();
    counts.sort_unstable();
    counts.dedup();
    match counts.first() {
        None | Some(0) => Err(Error::param(WHO, "counts", "numbers from 1 on", format!("{counts:?}"))),
        Some(_) => Ok(counts),
    }
}

/// What several criteria say of how many clusters there are, for any learner that is told their number.
pub fn choose_k(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    options: &KOptions,
    session: &Session,
) -> Result<KChoice> {
    let told = Told::new(learner)?;
    let counts = checked(&options.counts)?;
    if data.weights().is_some() {
        return Err(Error::incapable(WHO, "weigh rows"));
    }
    // A target would tell mixtures of some components.
    let data = drawn(&Dataset::new(data.input()), options.most_rows, session)?;
    let mut found = KChoice {
        path: told.path.clone(),
        counts: counts.clone(),
        n_rows: data.n_rows(),
        criteria: Vec::new(),
        left_out: Vec::new(),
    };
    let tried = tried(&told, &data, &counts, &mut found.left_out, session)?;
    let Some(numbers) = tried.iter().flatten().next().map(|t| &t.rows) else {
        let why = found.left_out.first().map_or_else(String::new, |(_, why)| why.clone());
        return Err(Error::numeric(WHO, format!("no number of clusters could be had: {why}")));
    };
    let numbers = numbers.clone();
    session.run(|| of_labels(&numbers, &tried, &mut found));
    of_likelihood(&tried, data.n_rows(), &mut found);
    if options.references > 0 {
        let bare = last_step(learner);
        let bare: &dyn Learner = bare.as_ref().map_or(learner, |(_, last)| last.0.as_ref());
        match gap_statistic(bare, &numbers, options, session) {
            Ok(gap) => found.criteria.push(gap.criterion(&counts)),
            Err(error) if session.interrupted().is_some() => return Err(error),
            Err(error) => found.left_out.push(("gap".to_owned(), error.to_string())),
        }
    }
    if options.resamples > 0 {
        found.criteria.push(stability(learner, &data, options, session)?.criterion(&counts));
    }
    Ok(found)
}

fn drawn<'a>(data: &Dataset<'a>, most: usize, session: &Session) -> Result<Dataset<'a>> {
    if data.n_rows() <= most.max(2) {
        return Ok(data.clone());
    }
    let mut rows = sample_indices(&mut session.rng(0), data.n_rows(), most.max(2));
    rows.sort_unstable();
    data.subset(&rows)
}

/// What was learnt with one number of clusters.
struct Tried {
    labels: Vec<u32>,
    /// The rows as numbers, as the model sees them.
    rows: Mat,
    /// The log-likelihood of the rows and the free numbers of the model, where it is a mixture.
    likelihood: Option<(f64, f64)>,
}

/// Learns with each number of clusters; one that cannot be had is left out with its reason.
fn tried(
    told: &Told<'_>,
    data: &Dataset<'_>,
    counts: &[usize],
    left_out: &mut Vec<(String, String)>,
    session: &Session,
) -> Result<Vec<Option<Tried>>> {
    let mut out = Vec::new();
    for (at, &k) in counts.iter().enumerate() {
        if session.step("numbers of clusters", at as u64, Some(counts.len() as u64), None).is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        out.push(match one(told, k, data, session) {
            Ok(tried) => Some(tried),
            Err(error) if session.interrupted().is_some() => return Err(error),
            Err(error) => {
                left_out.push((format!("{k} clusters"), error.to_string()));
                None
            }
        });
    }
    Ok(out)
}

fn one(told: &Told<'_>, k: usize, data: &Dataset<'_>, session: &Session) -> Result<Tried> {
    let model = told.with(k)?.train(data, &session.quiet())?;
    let (input, quiet) = (data.input(), session.quiet());
    let asked = model.on(&input, &quiet)?;
    let labels = asked.predict()?.class()?.0.to_vec();
    let likelihood = match free_numbers(model.as_ref()).filter(|_| asked.abilities().density.is_some()) {
        Some(free) => Some((asked.log_densities()?.iter().sum(), free)),
        None => None,
    };
    Ok(Tried { labels, rows: numbers_of(&asked)?, likelihood })
}

/// The rows as the model sees them; categories by a column for each level.
fn numbers_of(asked: &Asked<'_>) -> Result<Mat> {
    let rows = asked.input().rows(WHO)?;
    if let Ok(dense) = rows.dense(WHO) {
        return Ok(dense.view().to_mat());
    }
    let encoder = catalogue::make_spec("one-hot:sparse_output=false,handle_unknown=ignore")?;
    let plain = Dataset::new(Input::Rows(rows.clone()));
    let columns: Vec<usize> = (0..rows.n_features()).filter(|&j| is_category(rows, j)).collect();
    let others: Vec<usize> = (0..rows.n_features()).filter(|j| !columns.contains(j)).collect();
    let (_, levels) = encoder.train_transform(&Dataset::new(rows.columns(&columns)?), &Session::default())?;
    let (levels, n) = (levels.dense(WHO)?, plain.n_rows());
    let numbers = rows.columns(&others)?.dense(WHO)?.view().to_mat();
    let (p, width) = (others.len(), levels.view().n_cols());
    // Two rows that differ in a category then differ by 1 in squares, as k-modes has it.
    let half = 0.5f64.sqrt();
    let value = |i: usize, j: usize| if j < p { numbers[(i, j)] } else { half * levels.view().get(i, j - p) };
    Ok(Mat::from_fn(n, p + width, value))
}

fn is_category(rows: &mercer_core::Rows<'_>, j: usize) -> bool {
    match rows.data() {
        mercer_core::RowData::Table(table) => table.columns()[j].to_numbers().is_none(),
        mercer_core::RowData::Dense(_) | mercer_core::RowData::Sparse(_) => false,
    }
}

/// How many free numbers a mixture has.
fn free_numbers(model: &dyn Model) -> Option<f64> {
    let found = model.attributes().into_iter().find(|a| a.name == "n_parameters_");
    match found.map(|a| a.values) {
        Some(AttributeValues::Int(values)) => values.first().map(|v| *v as f64),
        _ => free_numbers(model.abilities().route?.last),
    }
}

/// The place of the best value; the first of equals.
fn best(values: &[f64], larger: bool) -> Option<usize> {
    let good = |a: f64, b: f64| if larger { a > b } else { a < b };
    let better = |best: Option<usize>, i: usize| match best {
        _ if !values[i].is_finite() => best,
        Some(at) if !good(values[i], values[at]) => best,
        _ => Some(i),
    };
    (0..values.len()).fold(None, better)
}

/// Criteria on rows and clusters; of one cluster they say nothing.
fn of_labels(x: &Mat, tried: &[Option<Tried>], found: &mut KChoice) {
    type Score = fn(mercer_math::MatRef<'_>, &[u32], Option<&[f64]>) -> Result<f64>;
    let criteria: [(&'static str, &'static str, Score, bool); 3] = [
        ("silhouette", "mean silhouette", silhouette, true),
        ("calinski_harabasz", "Calinski–Harabasz", calinski_harabasz, true),
        ("davies_bouldin", "Davies–Bouldin", davies_bouldin, false),
    ];
    for (name, label, score, larger) in criteria {
        let value = |t: &Option<Tried>| match t {
            Some(tried) => score(x.view(), &tried.labels, None).unwrap_or(f64::NAN),
            None => f64::NAN,
        };
        let values: Vec<f64> = tried.iter().map(value).collect();
        let chosen = best(&values, larger).map(|at| found.counts[at]);
        let rule = if larger { "the largest" } else { "the smallest" };
        found.criteria.push(KCriterion { name, label, rule, values, errors: None, chosen });
    }
}

/// Bayes' and Akaike's information criteria of mixtures: −2 log L + m log n, and −2 log L + 2 m.
fn of_likelihood(tried: &[Option<Tried>], n: usize, found: &mut KChoice) {
    if tried.iter().flatten().all(|t| t.likelihood.is_none()) {
        return;
    }
    for (name, label, price) in [("bic", "BIC", (n as f64).ln()), ("aic", "AIC", 2.0)] {
        let value = |t: &Option<Tried>| match t.as_ref().and_then(|t| t.likelihood) {
            Some((log, free)) => free * price - 2.0 * log,
            None => f64::NAN,
        };
        let values: Vec<f64> = tried.iter().map(value).collect();
        let chosen = best(&values, false).map(|at| found.counts[at]);
        found.criteria.push(KCriterion { name, label, rule: "the smallest", values, errors: None, chosen });
    }
}
