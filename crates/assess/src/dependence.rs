//! How what a model says depends on one column: partial dependence, individual curves, accumulated local effects.
//!
//! Partial dependence is the mean of what a model says when the column is set to a value in every row,
//! $\mathrm{PD}(v) = \frac1n\sum_i f(v, x_{i,\setminus j})$; the individual curves (ICE) are its summands. Where columns
//! go together it asks about rows that do not occur. Accumulated local effects (ALE) do not: they add up the mean
//! changes of $f$ across narrow bins of the column, over the rows within each,
//! $\mathrm{ALE}(v) = \sum_{k \le k(v)} \frac{1}{n_k}\sum_{i \in k} [f(z_k, x_{i,\setminus j}) - f(z_{k-1}, x_{i,\setminus j})] - c$,
//! with $c$ so that the mean over the rows is 0.
//!
//! - J. H. Friedman. Greedy function approximation. Ann. Statist. 29(5), 2001. doi:10.1214/aos/1013203451
//! - A. Goldstein, A. Kapelner, J. Bleich, E. Pitkin. Peeking inside the black box. J. Comput. Graph. Stat. 24(1), 2015.
//!   doi:10.1080/10618600.2014.907095
//! - D. W. Apley, J. Zhu. Visualizing the effects of predictor variables. J. R. Stat. Soc. B 82(4), 2020.
//!   doi:10.1111/rssb.12377

use mercer_core::{
    Column, Dataset, Error, Input, MISSING_CODE, Model, Result, RowData, Rows, Session, Table,
};
use mercer_math::{Mat, quantile_sorted};
use std::borrow::Cow;

/// Where a column is looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum Grid {
    /// Numbers, rising.
    Numbers(Vec<f64>),
    /// Levels of a category.
    Levels(Vec<String>),
}

/// How what a model says depends on one column.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependence {
    /// The column.
    pub column: String,
    /// Where it is looked at.
    pub grid: Grid,
    /// What is said: the classes whose probabilities it is, or the target.
    pub outputs: Vec<String>,
    /// The mean over the rows: grid × outputs.
    pub mean: Mat,
    /// For each output the curve of each row, rows × grid; empty unless asked for.
    pub individual: Vec<Mat>,
}

/// The local effects of one column of numbers, accumulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Accumulated {
    /// The column.
    pub column: String,
    /// The edges of the bins, rising.
    pub edges: Vec<f64>,
    /// What is said: the classes whose probabilities it is, or the target.
    pub outputs: Vec<String>,
    /// The effect at each edge: edges × outputs.
    pub effects: Mat,
}

impl Grid {
    /// Number of places.
    pub fn len(&self) -> usize {
        match self {
            Grid::Numbers(v) => v.len(),
            Grid::Levels(v) => v.len(),
        }
    }

    /// Whether there is no place.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Rows with one column exchanged, in the layout that they had.
pub(crate) struct Exchange<'a> {
    table: Table<'a>,
    dense: bool,
}

impl<'a> Exchange<'a> {
    pub(crate) fn new(rows: &'a Rows<'_>) -> Result<Self> {
        Ok(Self { table: rows.table()?, dense: !matches!(rows.data(), RowData::Table(_)) })
    }

    pub(crate) fn columns(&self) -> impl Iterator<Item = (&str, &Column<'a>)> {
        self.table.iter().map(|(name, column)| (name, column.as_ref()))
    }

    pub(crate) fn with(&self, name: &str, column: Column<'a>) -> Result<Input<'a>> {
        let changed = self.table.with(name, column)?;
        match self.dense {
            true => Ok(Input::from(Rows::from(changed).dense(name)?.view().to_mat())),
            false => Ok(changed.into()),
        }
    }
}

/// What a model says of rows, as numbers: probabilities where it gives them, else its numbers or decision values.
fn said(model: &dyn Model, input: &Input<'_>, session: &Session) -> Result<Mat> {
    if model.can().proba {
        return model.predict_proba(input, session);
    }
    if model.schema().labels().is_some() {
        return model.decision(input, session);
    }
    let found = model.predict(input, session)?;
    let columns = (0..found.n_columns()).map(|k| found.numbers_of(k)).collect::<Result<Vec<_>>>()?;
    Ok(Mat::from_fn(found.n_rows(), columns.len(), |i, k| columns[k][i]))
}

fn outputs(model: &dyn Model, width: usize) -> Vec<String> {
    let targets = &model.schema().targets;
    let name = |k: usize| targets.get(k).and_then(|t| t.name.clone()).unwrap_or_else(|| format!("y{k}"));
    let of = |(k, t): (usize, &mercer_core::TargetSchema)| -> Vec<String> {
        let one = |l: &mercer_core::Label| {
            if targets.len() > 1 { format!("{}={l}", name(k)) } else { l.to_string() }
        };
        t.kind.labels().map_or_else(Vec::new, |labels| labels.iter().map(one).collect())
    };
    let classes: Vec<String> = targets.iter().enumerate().flat_map(of).collect();
    if classes.len() == width { classes } else { (0..width).map(name).collect() }
}

/// The column of the rows by name, or an error that lists the others.
fn find<'t>(exchange: &'t Exchange<'_>, column: &str) -> Result<&'t Column<'t>> {
    let names = || exchange.columns().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
    let found = exchange.columns().find(|(name, _)| *name == column).map(|(_, c)| c);
    found.ok_or_else(|| Error::unknown("column", column, names().iter().map(String::as_str)))
}

/// The present numbers of a column, sorted.
fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values
}

fn numbers_of<'c>(column: &'c Column<'_>, name: &str) -> Result<Cow<'c, [f64]>> {
    column
        .to_numbers()
        .ok_or_else(|| Error::incapable("a dependence", format!("look at the text column `{name}`")))
}

/// Partial dependence on a column at up to `places` places: all values where there are no more, else evenly between the
/// 5th and the 95th percentile; all levels of a category. With `individual`, the curve of each row, too.
pub fn partial_dependence(
    model: &dyn Model,
    data: &Dataset<'_>,
    column: &str,
    places: usize,
    individual: bool,
    session: &Session,
) -> Result<Dependence> {
    let rows = data.rows(model.declaration().name)?;
    let exchange = Exchange::new(&rows)?;
    let (found, n) = (find(&exchange, column)?, rows.n_rows());
    let (grid, at): (Grid, Vec<Column<'static>>) = match found {
        Column::Categorical { levels, codes } => {
            let seen = |l: &u32| codes.contains(l);
            let used: Vec<u32> = (0..levels.len() as u32).filter(seen).collect();
            let set = |&l: &u32| Column::Categorical { codes: vec![l; n].into(), levels: levels.clone() };
            let names = used.iter().map(|&l| levels[l as usize].clone()).collect();
            debug_assert!(!used.contains(&MISSING_CODE));
            (Grid::Levels(names), used.iter().map(set).collect())
        }
        other => {
            let places = numeric_grid(&sorted(&numbers_of(other, column)?), places.max(2));
            let set = |v: &f64| Column::numbers(vec![*v; n]);
            (Grid::Numbers(places.clone()), places.iter().map(set).collect())
        }
    };
    let curves = at
        .into_iter()
        .map(|value| said(model, &exchange.with(column, value)?, session))
        .collect::<Result<Vec<Mat>>>()?;
    let width = curves.first().map_or(0, Mat::n_cols);
    let weights = data.weights();
    let weight = |i: usize| weights.as_ref().map_or(1.0, |w| w[i]);
    let total: f64 = (0..n).map(weight).sum();
    let mean = |g: usize, k: usize| (0..n).map(|i| weight(i) * curves[g][(i, k)]).sum::<f64>() / total;
    let one = |k: usize| Mat::from_fn(n, curves.len(), |i, g| curves[g][(i, k)]);
    Ok(Dependence {
        column: column.to_owned(),
        grid,
        outputs: outputs(model, width),
        mean: Mat::from_fn(curves.len(), width, mean),
        individual: if individual { (0..width).map(one).collect() } else { Vec::new() },
    })
}

fn numeric_grid(sorted: &[f64], places: usize) -> Vec<f64> {
    let mut distinct = sorted.to_vec();
    distinct.dedup();
    if distinct.len() <= places {
        return distinct;
    }
    let (low, high) = (quantile_sorted(sorted, 0.05), quantile_sorted(sorted, 0.95));
    let mut grid: Vec<f64> =
        (0..places).map(|k| low + (high - low) * k as f64 / (places - 1) as f64).collect();
    grid.dedup();
    grid
}

/// Accumulated local effects of a column of numbers over up to `bins` bins of about as many rows each.
pub fn accumulated_effects(
    model: &dyn Model,
    data: &Dataset<'_>,
    column: &str,
    bins: usize,
    session: &Session,
) -> Result<Accumulated> {
    let rows = data.rows(model.declaration().name)?;
    let exchange = Exchange::new(&rows)?;
    let found = find(&exchange, column)?;
    if matches!(found, Column::Categorical { .. }) {
        return Err(Error::incapable("accumulated effects", format!("order the levels of `{column}`")));
    }
    let values = numbers_of(found, column)?.into_owned();
    let sorted = sorted(&values);
    if sorted.is_empty() {
        return Err(Error::too_few("accumulated effects", "present values", 1, 0));
    }
    let mut edges: Vec<f64> =
        (0..=bins.max(1)).map(|k| quantile_sorted(&sorted, k as f64 / bins.max(1) as f64)).collect();
    edges.dedup();
    // The bin of a value ends at its upper edge; the least value is in the first.
    let bin = |v: f64| edges.partition_point(|e| *e < v).clamp(1, edges.len().max(2) - 1);
    let ends = |upper: usize| {
        let value =
            |&v: &f64| if v.is_finite() { edges[(bin(v) - 1 + upper).min(edges.len() - 1)] } else { v };
        Column::numbers(values.iter().map(value).collect::<Vec<_>>())
    };
    let low = said(model, &exchange.with(column, ends(0))?, session)?;
    let high = said(model, &exchange.with(column, ends(1))?, session)?;
    let (width, weights) = (low.n_cols(), data.weights());
    let mut weight = vec![0.0; edges.len()];
    let mut change = Mat::zeros(edges.len(), width);
    for (i, &v) in values.iter().enumerate().filter(|(_, v)| v.is_finite()) {
        let w = weights.as_ref().map_or(1.0, |w| w[i]);
        let b = bin(v).min(edges.len() - 1);
        weight[b] += w;
        (0..width).for_each(|k| change[(b, k)] += w * (high[(i, k)] - low[(i, k)]));
    }
    let total: f64 = weight.iter().sum();
    let mut effects = Mat::zeros(edges.len(), width);
    for k in 0..width {
        let mut mean = 0.0;
        for b in 1..edges.len() {
            let step = if weight[b] > 0.0 { change[(b, k)] / weight[b] } else { 0.0 };
            effects[(b, k)] = effects[(b - 1, k)] + step;
            mean += weight[b] * 0.5 * (effects[(b - 1, k)] + effects[(b, k)]) / total;
        }
        (0..edges.len()).for_each(|b| effects[(b, k)] -= mean);
    }
    Ok(Accumulated { column: column.to_owned(), edges, outputs: outputs(model, width), effects })
}
