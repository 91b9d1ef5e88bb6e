//! How what a model says depends on columns: partial dependence, individual curves, accumulated local effects.
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
    Column, Dataset, Error, ErrorKind, Input, MISSING_CODE, Model, Result, RowData, Rows, Session, Table,
};
use mercer_math::{Mat, Weights, quantile_sorted};
use std::borrow::Cow;

/// Where a column is looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum Grid {
    /// Numbers, rising.
    Numbers(Vec<f64>),
    /// Levels of a category.
    Levels(Vec<String>),
}

/// Options of a partial dependence: where columns are looked at, and what is asked there.
#[derive(Clone, Debug, PartialEq)]
pub struct DependenceOptions {
    /// Places at most on each column of numbers.
    pub places: usize,
    /// Where they begin and end, as shares of the rows.
    pub percentiles: (f64, f64),
    /// Places by hand, by column.
    pub chosen: Vec<(String, Grid)>,
    /// What a classifier is asked for.
    pub response: Response,
    /// Whether the curve of each row is kept.
    pub individual: bool,
}

impl Default for DependenceOptions {
    fn default() -> Self {
        let (chosen, response, individual) = Default::default();
        Self { places: 100, percentiles: (0.05, 0.95), chosen, response, individual }
    }
}

/// What a classifier is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Response {
    /// Probabilities where it gives them, else decision values.
    #[default]
    Auto,
    /// Probabilities.
    Probabilities,
    /// Decision values.
    Decisions,
}

/// How what a model says depends on one column, or on several together.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependence {
    /// The columns.
    pub columns: Vec<String>,
    /// Where each is looked at. All combinations are, those of the last column next to each other.
    pub grids: Vec<Grid>,
    /// What is said: the classes whose probabilities it is, or the target.
    pub outputs: Vec<String>,
    /// The mean over the rows: combinations × outputs.
    pub mean: Mat,
    /// For each output the curve of each row, rows × combinations; empty unless asked for.
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
        self.with_all([(name, column)])
    }

    fn with_all<'n>(&self, columns: impl IntoIterator<Item = (&'n str, Column<'a>)>) -> Result<Input<'a>> {
        let changed =
            columns.into_iter().try_fold(self.table.clone(), |table, (name, c)| table.with(name, c))?;
        match self.dense {
            true => Ok(Input::from(Rows::from(changed).dense("a dependence")?.view().to_mat())),
            false => Ok(changed.into()),
        }
    }
}

/// The outputs of a model for rows, as numbers: what is asked of a classifier, the numbers of all others.
fn responses(model: &dyn Model, response: Response, input: &Input<'_>, session: &Session) -> Result<Mat> {
    let asked = model.on(input, session)?;
    match response {
        _ if asked.schema().labels().is_none() => {}
        Response::Auto if asked.abilities().proba.is_none() => return asked.decision(),
        Response::Decisions => return asked.decision(),
        Response::Auto | Response::Probabilities => return asked.proba(),
    }
    let found = asked.predict()?;
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

/// Partial dependence on some columns, together. A column of numbers is looked at where it was chosen to be, else at all
/// its values where they are fewer than the places asked for, else evenly between two percentiles; a category at all its
/// levels.
pub fn partial_dependence(
    model: &dyn Model,
    data: &Dataset<'_>,
    columns: &[&str],
    options: &DependenceOptions,
    session: &Session,
) -> Result<Dependence> {
    let (low, high) = options.percentiles;
    if !(0.0 <= low && low < high && high <= 1.0) {
        let got = format!("({low}, {high})");
        return Err(Error::param("partial_dependence", "percentiles", "two rising shares in [0, 1]", got));
    }
    let rows = data.rows(model.declaration().name)?;
    let exchange = Exchange::new(&rows)?;
    let n = rows.n_rows();
    let found = columns.iter().map(|name| find(&exchange, name)).collect::<Result<Vec<_>>>()?;
    let grids = columns.iter().zip(&found).map(|(name, column)| grid(name, column, options));
    let grids = grids.collect::<Result<Vec<Grid>>>()?;
    let cells: usize = grids.iter().map(Grid::len).product();
    let weights = data.weights();
    let weight = Weights::of(&weights);
    let total: f64 = weight.iter(n).sum();
    if total <= 0.0 {
        return Err(Error::too_few("a dependence", "rows of positive weight", 1, 0));
    }
    let (mut means, mut individual, mut width) = (Vec::new(), Vec::new(), 0);
    for cell in 0..cells {
        if session.interrupted().is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let mut rest = cell;
        let mut set = Vec::new();
        for ((name, column), grid) in columns.iter().zip(&found).zip(&grids).rev() {
            set.push((*name, constant(column, grid, rest % grid.len(), n)));
            rest /= grid.len();
        }
        let says = responses(model, options.response, &exchange.with_all(set)?, session)?;
        if cell == 0 {
            width = says.n_cols();
            individual = vec![Mat::zeros(n, cells); if options.individual { width } else { 0 }];
        }
        let mean = |k: usize| (0..n).map(|i| weight[i] * says[(i, k)]).sum::<f64>() / total;
        means.extend((0..width).map(mean));
        for (k, curves) in individual.iter_mut().enumerate() {
            (0..n).for_each(|i| curves[(i, cell)] = says[(i, k)]);
        }
    }
    Ok(Dependence {
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        grids,
        outputs: outputs(model, width),
        mean: Mat::from_vec(means, cells, width).unwrap_or_default(),
        individual,
    })
}

/// Where a column is looked at.
fn grid(name: &str, column: &Column<'_>, options: &DependenceOptions) -> Result<Grid> {
    let chosen = options.chosen.iter().find(|(of, _)| of == name).map(|(_, grid)| grid);
    match (column, chosen) {
        (_, Some(grid)) if grid.is_empty() => Err(Error::too_few("a dependence", "places", 1, 0)),
        (Column::Categorical { levels, .. }, Some(Grid::Levels(own))) => {
            match own.iter().find(|l| !levels.contains(l)) {
                Some(other) => Err(Error::unknown("level", other, levels.iter().map(String::as_str))),
                None => Ok(Grid::Levels(own.clone())),
            }
        }
        (Column::Categorical { .. }, Some(Grid::Numbers(_))) => {
            Err(Error::param("partial_dependence", name, "levels of the category", "numbers"))
        }
        (Column::Categorical { codes, levels }, None) => {
            let seen = |l: &usize| codes.contains(&(*l as u32));
            Ok(Grid::Levels((0..levels.len()).filter(seen).map(|l| levels[l].clone()).collect()))
        }
        (_, Some(Grid::Levels(_))) => Err(Error::param("partial_dependence", name, "numbers", "levels")),
        (_, Some(numbers)) => Ok(numbers.clone()),
        (other, None) => {
            let found =
                numeric_grid(&sorted(&numbers_of(other, name)?), options.places.max(2), options.percentiles);
            match found.is_empty() {
                true => Err(Error::too_few("a dependence", "present values", 1, 0)),
                false => Ok(Grid::Numbers(found)),
            }
        }
    }
}

/// A column of the same kind that has the value of one place in every row.
fn constant(like: &Column<'_>, grid: &Grid, place: usize, n: usize) -> Column<'static> {
    match (like, grid) {
        (Column::Categorical { levels, .. }, Grid::Levels(names)) => {
            let code = levels.iter().position(|l| *l == names[place]).map_or(MISSING_CODE, |l| l as u32);
            Column::Categorical { codes: vec![code; n].into(), levels: levels.clone() }
        }
        (Column::Time(_), Grid::Numbers(v)) => Column::Time(vec![v[place] as i64; n].into()),
        (_, Grid::Numbers(v)) => Column::numbers(vec![v[place]; n]),
        (_, Grid::Levels(_)) => Column::numbers(vec![f64::NAN; n]),
    }
}

fn numeric_grid(sorted: &[f64], places: usize, (low, high): (f64, f64)) -> Vec<f64> {
    let mut distinct = sorted.to_vec();
    distinct.dedup();
    if distinct.len() < places {
        return distinct;
    }
    let (mut first, mut last) = (cunnane(sorted, low), cunnane(sorted, high));
    if first >= last {
        // Nearly all rows have one value: the whole range says more than a single place.
        (first, last) = (sorted[0], sorted[sorted.len() - 1]);
    }
    let step = (last - first) / (places - 1) as f64;
    (0..places).map(|k| if k + 1 == places { last } else { first + step * k as f64 }).collect()
}

/// The quantile between the order statistics as Cunnane places them, which is how scikit-learn lays its grids.
fn cunnane(sorted: &[f64], share: f64) -> f64 {
    let n = sorted.len();
    let at = n as f64 * share + 0.4 + 0.2 * share;
    let below = at.floor().clamp(1.0, (n - 1).max(1) as f64);
    let part = (at - below).clamp(0.0, 1.0);
    let below = below as usize;
    (1.0 - part) * sorted[below - 1] + part * sorted[below.min(n - 1)]
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
    let low = responses(model, Response::Auto, &exchange.with(column, ends(0))?, session)?;
    let high = responses(model, Response::Auto, &exchange.with(column, ends(1))?, session)?;
    let (width, weights) = (low.n_cols(), data.weights());
    let mut weight = vec![0.0; edges.len()];
    let mut change = Mat::zeros(edges.len(), width);
    for (i, &v) in values.iter().enumerate().filter(|(_, v)| v.is_finite()) {
        let w = Weights::of(&weights)[i];
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
