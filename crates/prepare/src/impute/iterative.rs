//! Iterative imputation: each column is predicted from the others, round after round.
//!
//! # Objective
//! A fixed point of $x_{ij} = f_j(x_{i,-j})$ at the missing places, with $f_j$ a regression of column $j$ on the others, fitted
//! to the rows where $x_{ij}$ is present.
//!
//! # Algorithm
//! Chained equations: missing places start from a statistic of their column; then, column by column, a fresh learner is
//! fitted and its predictions put in. It ends when a round changes no value by more than `tol` times the largest present
//! one. `transform` replays the learners of all rounds. In a table the numeric columns alone take part; others pass
//! through.
//!
//! # Complexity
//! `max_iter` · d fits; the model holds them all.
//!
//! # Example
//! ```
//! use mercer_prepare::IterativeImputer;
//! assert_eq!(IterativeImputer::default().max_iter, 10);
//! ```
//!
//! # Numerics
//! The default learner is ridge regression with a small penalty (1e-3), where scikit-learn has Bayesian ridge. Posterior
//! sampling is not offered. A column without any present value keeps its initial value.
//!
//! # References
//! - S. van Buuren, K. Groothuis-Oudshoorn. mice: Multivariate imputation by chained equations. JSS 45(3), 2011.

use super::parts::{IndicatorParams, are_numeric, matrix, names, numeric_columns, put_back, with_missing};
use super::simple::{ImputeStrategy, SimpleImputer};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, Dataset, Error, ErrorKind, Fit, Fitted, Input,
    Learn, Learner, NestedLearner, NestedModel, Params, Result, Rows, Schema, Session, Target, Task,
    Termination, Transformer, catalogue,
};
use mercer_math::{Mat, Weights, argsort, shuffle, weighted_index};
use serde::{Deserialize, Serialize};

/// The order in which columns are imputed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum ImputationOrder {
    /// From fewest missing values to most.
    Ascending,
    /// From most missing values to fewest.
    Descending,
    /// Left to right.
    Roman,
    /// Right to left.
    Arabic,
    /// Another random order each round.
    Random,
}

/// Iterative imputation: each column is predicted from the others, until nothing changes.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "iterative-imputer",
    canon = "D5",
    task = Transformation,
    python = "impute",
    door = "missing_values=float('nan') sample_posterior=False n_nearest_features=None fill_value=None skip_complete=False min_value=float('-inf') max_value=float('inf') keep_empty_features=False",
    session = "verbose random_state",
    mixins = "ImputerMixin",
    can = "transform weights missing categorical text times",
    references = "van Buuren, Groothuis-Oudshoorn. mice. JSS 45(3), 2011."
)]
pub struct IterativeImputer {
    /// The regression of one column on the others; none means ridge regression with alpha = 1e-3.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// Most rounds.
    #[param(default = 10, range = "[0, inf)")]
    pub max_iter: usize,
    /// The change of a round, relative to the largest present value, at which to stop.
    #[param(default = 1e-3, range = "[0, inf)")]
    pub tol: f64,
    /// How many other columns a column is predicted from, drawn by their correlation with it; none means all.
    #[param(default = None, range = "[1, inf)")]
    pub n_nearest_features: Option<usize>,
    /// What missing places start from.
    #[param(default = ImputeStrategy::Mean)]
    pub initial_strategy: ImputeStrategy,
    /// The number used by the initial strategy `constant`.
    #[param(default = 0.0, range = "(-inf, inf)")]
    pub fill_value: f64,
    /// The order in which columns are imputed.
    #[param(default = ImputationOrder::Ascending)]
    pub imputation_order: ImputationOrder,
    /// Whether columns without missing values in training are left out; they then keep their initial value later, too.
    #[param(default = false)]
    pub skip_complete: bool,
    /// The least value that is imputed.
    #[param(default = None)]
    pub min_value: Option<f64>,
    /// The largest value that is imputed.
    #[param(default = None)]
    pub max_value: Option<f64>,
    /// What is kept of where values were missing.
    #[param(flatten)]
    pub indicator: IndicatorParams,
}

/// One regression, with the columns that it predicts and looks at.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Link {
    column: u32,
    others: Vec<u32>,
    model: NestedModel,
}

/// The regressions of all rounds, in order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IterativeImputerModel {
    columns: Vec<u32>,
    initial: Vec<f64>,
    links: Vec<Link>,
    min_value: f64,
    max_value: f64,
    indicators: Vec<u32>,
    certificate: Certificate,
}

impl IterativeImputer {
    fn resolve(&self) -> Result<Box<dyn Learner>> {
        match &self.estimator {
            Some(learner) => Ok(learner.0.clone()),
            None => catalogue::make_spec("Ridge:alpha=1e-3"),
        }
    }

    fn limits(&self) -> (f64, f64) {
        (self.min_value.unwrap_or(f64::NEG_INFINITY), self.max_value.unwrap_or(f64::INFINITY))
    }

    /// The columns in the order of a round.
    fn order(&self, missing: &[f64], empty: &[bool], session: &Session, round: u64) -> Vec<usize> {
        let mut order = match self.imputation_order {
            ImputationOrder::Ascending | ImputationOrder::Descending => argsort(missing),
            _ => (0..missing.len()).collect(),
        };
        match self.imputation_order {
            ImputationOrder::Descending | ImputationOrder::Arabic => order.reverse(),
            ImputationOrder::Random => shuffle(&mut session.rng(2 * round), &mut order),
            _ => {}
        }
        order.retain(|&k| !(empty[k] || self.skip_complete && missing[k] == 0.0));
        order
    }
}

/// The other columns from which column `k` is predicted: all, or some drawn by their correlation.
fn others(k: usize, d: usize, correlations: Option<&(Mat, usize)>, rng: &mut mercer_math::Rng) -> Vec<usize> {
    let Some((matrix, n)) = correlations else { return (0..d).filter(|&j| j != k).collect() };
    let mut weights: Vec<f64> = (0..d).map(|j| if j == k { 0.0 } else { matrix[(k, j)] }).collect();
    let mut drawn = Vec::with_capacity(*n);
    while drawn.len() < *n
        && let Some(j) = weighted_index(rng, &weights)
    {
        drawn.push(j);
        weights[j] = 0.0;
    }
    drawn
}

/// Absolute correlations of the columns, at least 1e-6.
fn correlations(x: &Mat, weights: &[f64]) -> Mat {
    let total = mercer_math::sum(weights);
    let centred: Vec<Vec<f64>> = (0..x.n_cols())
        .map(|k| {
            let v = x.col(k);
            let mean = mercer_math::dot(&v, weights) / total;
            v.iter().zip(weights).map(|(v, w)| w.sqrt() * (v - mean)).collect()
        })
        .collect();
    let norm: Vec<f64> = centred.iter().map(|c| mercer_math::dot(c, c).sqrt()).collect();
    Mat::from_fn(x.n_cols(), x.n_cols(), |a, b| {
        let r = (mercer_math::dot(&centred[a], &centred[b]) / (norm[a] * norm[b])).abs();
        if r.is_finite() { r.clamp(1e-6, 1.0) } else { 1e-6 }
    })
}

/// Some columns of some rows.
fn part(x: &Mat, rows: &[usize], columns: &[usize]) -> Mat {
    Mat::from_fn(rows.len(), columns.len(), |i, k| x[(rows[i], columns[k])])
}

impl Learn for IterativeImputer {
    type Model = IterativeImputerModel;

    fn capabilities(&self) -> Capabilities {
        let own = <Self as Params>::declaration().capabilities;
        let random = self.n_nearest_features.is_some() || self.imputation_order == ImputationOrder::Random;
        match &self.estimator {
            Some(NestedLearner(inner)) => {
                let inner = inner.capabilities();
                let (ordered, counts_rows) = (inner.ordered, inner.counts_rows);
                Capabilities {
                    weights: inner.weights,
                    random: random || inner.random,
                    ordered,
                    counts_rows,
                    ..own
                }
            }
            None => Capabilities { random, ..own },
        }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let (low, high) = self.limits();
        if low.is_nan() || high.is_nan() || low >= high {
            return Err(Error::param(Self::NAME, "min_value", format!("below max_value, {high}"), low));
        }
        let Some(NestedLearner(inner)) = &self.estimator else { return Ok(()) };
        inner.check()?;
        match inner.task() == Task::Regression {
            true => Ok(()),
            false => Err(Error::param(Self::NAME, "estimator", "a regressor", inner.declaration().name)),
        }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<IterativeImputerModel> {
        let rows = data.rows(Self::NAME)?;
        let columns = numeric_columns(&rows);
        let x = matrix(Self::NAME, &rows, &columns)?;
        let weights = data.weights();
        let simple = SimpleImputer::default().strategy(self.initial_strategy).fill_value(self.fill_value);
        let numbers = Dataset::new(&x);
        let numbers = match &weights {
            Some(w) => numbers.with_weights(w.to_vec())?,
            None => numbers,
        };
        let initial = match columns.is_empty() {
            true => Vec::new(),
            false => simple.fit_in(&numbers, session)?.statistics(),
        };
        let counts = |i: usize| Weights::of(&weights).counts(i);
        let mut run = Run {
            imputer: self,
            learner: self.resolve()?,
            x: &x,
            weights: weights.as_deref(),
            session,
            links: Vec::new(),
        };
        let mut certificate = run.rounds(&initial)?;
        if columns.len() < rows.n_features() {
            certificate = certificate.with_note("columns that are no numbers pass through");
        }
        let indicators = if self.indicator.add_indicator { with_missing(&x, counts) } else { Vec::new() };
        let (min_value, max_value) = self.limits();
        Ok(IterativeImputerModel {
            columns,
            initial,
            links: run.links,
            min_value,
            max_value,
            indicators,
            certificate,
        })
    }
}

/// The rounds of one fit.
struct Run<'a> {
    imputer: &'a IterativeImputer,
    learner: Box<dyn Learner>,
    x: &'a Mat,
    weights: Option<&'a [f64]>,
    session: &'a Session,
    links: Vec<Link>,
}

impl Run<'_> {
    fn counts(&self, i: usize) -> bool {
        Weights::from(self.weights).counts(i)
    }

    fn rounds(&mut self, initial: &[f64]) -> Result<Certificate> {
        let (x, d, n, imputer) = (self.x, self.x.n_cols(), self.x.n_rows(), self.imputer);
        let mut filled = start(x, initial);
        let weights = Weights::from(self.weights).to_vec(n);
        let total = mercer_math::sum(&weights);
        let missing: Vec<f64> = (0..d)
            .map(|k| (0..n).filter(|&i| x[(i, k)].is_nan()).map(|i| weights[i]).sum::<f64>() / total)
            .collect();
        let empty: Vec<bool> =
            (0..d).map(|k| !(0..n).any(|i| self.counts(i) && !x[(i, k)].is_nan())).collect();
        let largest = x.as_slice().iter().filter(|v| !v.is_nan()).fold(0.0f64, |a, v| a.max(v.abs()));
        let why = "rounds of regressions have no objective whose optimum could be proved";
        if d < 2 || imputer.max_iter == 0 || missing.iter().all(|m| *m >= 1.0) {
            return Ok(Certificate::without_evidence(Termination::Exact, why).with_iterations(0));
        }
        let nearest =
            imputer.n_nearest_features.filter(|n| *n < d).map(|n| (correlations(&filled, &weights), n));
        let (mut change, mut termination) = (f64::INFINITY, Termination::IterationLimit);
        let mut done = 0;
        for round in 0..imputer.max_iter as u64 {
            if let Some(why) = self.session.step("imputation", round, Some(imputer.max_iter as u64), None) {
                termination = why;
                break;
            }
            let previous = filled.clone();
            let mut rng = self.session.rng(2 * round + 1);
            for k in imputer.order(&missing, &empty, self.session, round) {
                let others = others(k, d, nearest.as_ref(), &mut rng);
                self.one(&mut filled, k, &others)?;
            }
            done = round + 1;
            let moved = filled.as_slice().iter().zip(previous.as_slice()).enumerate();
            change = moved
                .filter(|(at, _)| self.counts(at / d))
                .fold(0.0, |a: f64, (_, (x, y))| a.max((x - y).abs()));
            if change < imputer.tol * largest || change == 0.0 {
                termination = Termination::Converged;
                break;
            }
        }
        let certificate = Certificate::without_evidence(termination, why).with_iterations(done);
        Ok(match change.is_finite() {
            true => certificate.with_note(format!(
                "the last round changed a value by {change:.3e}, {:.3e} of the largest present one",
                change / largest.max(f64::MIN_POSITIVE)
            )),
            false => certificate,
        })
    }

    /// Fits column `k` to the others and puts its predictions in.
    fn one(&mut self, filled: &mut Mat, k: usize, others: &[usize]) -> Result<()> {
        let present: Vec<usize> =
            (0..filled.n_rows()).filter(|&i| self.counts(i) && !self.x[(i, k)].is_nan()).collect();
        let y: Vec<f64> = present.iter().map(|&i| filled[(i, k)]).collect();
        let data = Dataset::new(part(filled, &present, others)).with_target(Target::real(y))?;
        let data = match self.weights {
            Some(w) => data.with_weights(present.iter().map(|&i| w[i]).collect::<Vec<_>>())?,
            None => data,
        };
        let model = self.learner.train(&data, &self.session.split(self.links.len() as u64).quiet())?;
        let others = others.iter().map(|&j| j as u32).collect();
        let link = Link { column: k as u32, others, model: NestedModel(model) };
        link.apply(self.x, filled, self.imputer.limits(), self.session)?;
        self.links.push(link);
        Ok(())
    }
}

/// The matrix with what is missing at its initial value.
fn start(x: &Mat, initial: &[f64]) -> Mat {
    Mat::from_fn(x.n_rows(), x.n_cols(), |i, k| if x[(i, k)].is_nan() { initial[k] } else { x[(i, k)] })
}

impl Link {
    /// Predicts the missing places of `x` from `filled`, and fills them in there.
    fn apply(&self, x: &Mat, filled: &mut Mat, (low, high): (f64, f64), session: &Session) -> Result<()> {
        let k = self.column as usize;
        let rows: Vec<usize> = (0..x.n_rows()).filter(|&i| x[(i, k)].is_nan()).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let others: Vec<usize> = self.others.iter().map(|&j| j as usize).collect();
        let predicted = self.model.0.predict(&Input::from(part(filled, &rows, &others)), session)?;
        for (&i, v) in rows.iter().zip(predicted.numbers()?) {
            if !v.is_finite() {
                return Err(Error::numeric(IterativeImputer::NAME, format!("a regression predicts {v}")));
            }
            filled[(i, k)] = v.max(low).min(high);
        }
        Ok(())
    }
}

impl Transformer for IterativeImputerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(IterativeImputer::NAME)?;
        let before = matrix(IterativeImputer::NAME, rows, &self.columns)?;
        let mut filled = start(&before, &self.initial);
        for link in &self.links {
            if session.interrupted().is_some() {
                return Err(ErrorKind::Cancelled.into());
            }
            link.apply(&before, &mut filled, (self.min_value, self.max_value), session)?;
        }
        put_back(rows, &self.columns, &before, filled, &self.indicators)
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        names(schema, &self.columns, &self.indicators)
    }
}

impl Fitted for IterativeImputerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        let rounds = self.certificate.iterations.unwrap_or(0) as i64;
        vec![
            Attribute::int("n_iter_", "Rounds.", &[], vec![rounds]),
            Attribute::real(
                "initial_",
                "The initial value of each numeric column.",
                &[self.initial.len()],
                self.initial.clone(),
            ),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = self.columns.len();
        let below = |j: &u32| (*j as usize) < d;
        let fits = |link: &Link| {
            below(&link.column)
                && link.others.iter().all(below)
                && link.model.0.schema().n_features() == link.others.len()
        };
        let ok = are_numeric(&self.columns, schema)
            && self.initial.len() == d
            && self.indicators.iter().all(below)
            && self.links.iter().all(fits);
        if ok { Ok(()) } else { Err("regressions do not fit the schema".to_owned()) }
    }
}
