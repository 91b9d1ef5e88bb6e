//! Categorical naive Bayes: features of several values, each value with its own chance in each class.
//!
//! # Objective
//! $$ \hat y = \arg\max_y\ \ln p_y + \sum_j \ln p_{j x_j y}, \qquad p_{jvy} = \frac{c_{jvy} + \alpha}{c_y + \alpha |X_j|} $$
//! with the rows $c_{jvy}$ of class $y$ that have value $v$ of feature $j$. With `unseen=smooth` the domain $X_j$ has one value
//! more, which stands for all that training did not see: it has the probability $\alpha/(c_y + \alpha|X_j|)$ and changes no odds
//! of classes of equal size. The same is had of classes by `prior_alpha`.
//!
//! # Algorithm
//! One pass counts values by class, in blocks. Columns of categories count by their levels, numbers from 0 on by themselves.
//!
//! # Complexity
//! Time O(n d) to learn, O(n d k) to predict with k classes; memory O(k Σ|X_j|).
//!
//! # Example
//! ```
//! use mercer_bayes::{CategoricalNB, Unseen};
//! use mercer_core::{Column, Dataset, Fit, Table, Target};
//! let colours = |c: &[&'static str]| Column::categories(&c.iter().map(|c| Some(*c)).collect::<Vec<_>>());
//! let table = Table::new(vec![("colour".into(), colours(&["red", "red", "green", "green"]))])?;
//! let data = Dataset::new(&table).with_target(Target::classes(&["ripe", "ripe", "raw", "raw"]))?;
//! let model = CategoricalNB::default().unseen(Unseen::Smooth).fit(&data)?;
//! let new = Table::new(vec![("colour".into(), colours(&["red", "blue"]))])?;
//! let p = model.predict_proba(&new)?;
//! // Two of two ripe ones are red, (2 + 1)/(2 + 3); no raw one is, 1/(2 + 3); blue tells nothing.
//! assert!((p[(0, 1)] - 0.75).abs() < 1e-12 && (p[(1, 1)] - 0.5).abs() < 1e-12);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! In logarithms throughout. Numbers must be whole and not negative; so many values that their counts would not fit in memory
//! are refused.
//!
//! # References
//! - T. M. Mitchell. Machine Learning, chapter 6. McGraw-Hill, 1997.
//! - P. Domingos, M. Pazzani. On the optimality of the simple Bayesian classifier under zero-one loss. Mach. Learn. 29, 1997.
//!   doi:10.1023/A:1007413511361

use super::by_sums::by_sums;
use super::categorical_model::CategoricalNBModel;
use super::smoothing::PriorParams;
use mercer_core::sums::{self, Batches, Block, BySums, Round, Shape};
use mercer_core::{
    Choice, Column, Dataset, Error, ErrorKind, Learn, ParamGroup, ParamKind, ParamType, Params, Result,
    RowData, Rows, Schema, Session, Value,
};
use mercer_math::{BLOCK_ROWS, Mat};
use serde::{Deserialize, Serialize};

/// What to do with a value that training did not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum Unseen {
    /// It is an error.
    Error,
    /// All such values together are one more value of the feature, with its pseudo-count.
    Smooth,
}

/// The least number of values of every feature, or that of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MinCategories {
    /// This one.
    One(usize),
    /// As many as there are features.
    Each(Vec<usize>),
}

impl ParamType for MinCategories {
    /// A number; a list is the exception.
    fn kind() -> ParamKind {
        ParamKind::Integer
    }
    fn to_value(&self) -> Value {
        match self {
            MinCategories::One(n) => n.to_value(),
            MinCategories::Each(all) => all.to_value(),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(_) => Vec::from_value(value).map(MinCategories::Each),
            value => usize::from_value(value).map(MinCategories::One).map_err(|e| format!("{e}, or a list")),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        match self {
            MinCategories::One(n) => visit(*n as f64),
            MinCategories::Each(all) => all.iter().for_each(|n| visit(*n as f64)),
        }
    }
}

/// Categorical naive Bayes: features of several values, as categories or numbers from 0 on.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "categorical-nb",
    canon = "B1",
    task = Classification,
    python = "naive_bayes",
    fixture = Levels,
    tried = "| min_categories=6,alpha=0.5,unseen=smooth,prior_alpha=1",
    mixins = "CategoriesMixin",
    order = "alpha force_alpha fit_prior class_prior min_categories",
    can = "proba joint explain weights categorical by_sums nonnegative resumes scaled",
    references = "Mitchell. Machine Learning, chapter 6. McGraw-Hill, 1997."
)]
pub struct CategoricalNB {
    /// What is made of the counts.
    #[param(flatten)]
    pub params: CategoricalParams,
}

/// What [`CategoricalNB`] makes of its counts.
#[derive(Clone, Debug, PartialEq, ParamGroup, Serialize, Deserialize)]
pub struct CategoricalParams {
    /// The pseudo-count of each value of a feature in each class (Laplace smoothing).
    #[param(default = 1.0, range = "[0, inf)", search = "log 1e-3..10")]
    pub alpha: f64,
    /// The shares of classes.
    #[param(flatten)]
    pub prior: PriorParams,
    /// The least number of values of each feature, one for all or a list; more where more are seen.
    #[param(default = None, range = "[1, inf)")]
    pub min_categories: Option<MinCategories>,
    /// What to do with a value that training did not see.
    #[param(default = Unseen::Error)]
    pub unseen: Unseen,
}

/// Counts of all features together that are refused: half a gigabyte.
const MOST_CELLS: usize = 1 << 26;

/// How often each value of each feature occurs in each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CategorySums {
    /// The weight of the rows of each class.
    pub(super) class: Vec<f64>,
    /// For each feature, values × classes.
    pub(super) features: Vec<Vec<f64>>,
}

impl CategorySums {
    pub(super) fn add(&mut self, other: &Self) {
        mercer_math::axpy(1.0, &other.class, &mut self.class);
        for (own, more) in self.features.iter_mut().zip(&other.features) {
            if own.len() < more.len() {
                own.resize(more.len(), 0.0);
            }
            own.iter_mut().zip(more).for_each(|(a, b)| *a += b);
        }
    }

    fn absorb(&mut self, block: &Block<'_>) -> Result<()> {
        let mut dense = Mat::zeros(0, 0);
        let x = block.dense(&mut dense);
        let (k, mut cells) = (self.class.len(), self.features.iter().map(Vec::len).sum::<usize>());
        for (i, &c) in block.classes.iter().enumerate().filter(|(i, _)| block.weights.counts(*i)) {
            let (w, row) = (block.weight(i), x.row_cow(i));
            self.class[c as usize] += w;
            for (j, (&v, counts)) in row.iter().zip(&mut self.features).enumerate() {
                let value = value_of(v).map_err(|why| {
                    Error::numeric(CategoricalNB::NAME, format!("{why} in column {j} is no category"))
                })?;
                if (value + 1) * k > counts.len() {
                    cells += (value + 1) * k - counts.len();
                    few_enough(cells)?;
                    counts.resize((value + 1) * k, 0.0);
                }
                counts[value * k + c as usize] += w;
            }
        }
        Ok(())
    }
}

/// Refuses counts of all features together that would not fit in memory, before they are made.
pub(super) fn few_enough(cells: usize) -> Result<()> {
    match cells > MOST_CELLS {
        true => Err(Error::numeric(
            CategoricalNB::NAME,
            "too many values for counts: put OrdinalEncoder before it",
        )),
        false => Ok(()),
    }
}

/// The place of a value among those of its feature; else what is wrong with it.
pub(super) fn value_of(v: f64) -> Result<usize, String> {
    match v {
        v if v < 0.0 => Err(format!("the negative value {v}")),
        v if v.fract() != 0.0 => Err(format!("{v}, which is not whole,")),
        v if v < 16_777_216.0 => Ok(v as usize),
        v => Err(format!("{v}, which is too large,")),
    }
}

/// Rows as values of their features: categories by their codes.
pub(super) fn values_of<'a>(rows: &Rows<'a>) -> Result<Rows<'a>> {
    let RowData::Table(table) = rows.data() else { return Ok(rows.clone()) };
    let mut out = Mat::zeros(table.n_rows(), table.n_columns());
    for (j, column) in table.columns().iter().enumerate() {
        match column.as_ref() {
            Column::Categorical { codes, .. } => {
                codes.iter().enumerate().for_each(|(i, &code)| out[(i, j)] = f64::from(code));
            }
            other @ (Column::Numeric(_) | Column::Boolean(_) | Column::Text(_) | Column::Time(_)) => {
                let numbers = other.to_numbers().unwrap_or_default();
                numbers.iter().enumerate().for_each(|(i, &v)| out[(i, j)] = v);
            }
        }
    }
    Rows::from(out).named(table.names().clone())
}

/// The error that names the first value that is none.
pub(super) fn refused(rows: &Rows<'_>) -> Option<Error> {
    let values = values_of(rows).ok()?.dense(CategoricalNB::NAME).ok()?;
    let (i, j) = values.view().find(|v| value_of(v).is_err())?;
    let value = value_of(values.view().get(i, j)).err()?;
    let (learner, hint) = (CategoricalNB::NAME.to_owned(), "; put OrdinalEncoder before it".to_owned());
    Some(ErrorKind::BadValue { learner, value, column: rows.name(j), row: i, hint }.into())
}

/// The levels of each column of categories; 0 for other columns.
fn levels(rows: &Rows<'_>) -> Vec<usize> {
    let RowData::Table(table) = rows.data() else { return vec![0; rows.n_features()] };
    let levels = table.columns().iter().map(|column| match column.as_ref() {
        Column::Categorical { levels, .. } => levels.len(),
        Column::Numeric(_) | Column::Boolean(_) | Column::Text(_) | Column::Time(_) => 0,
    });
    levels.collect()
}

/// The counts of all rows, those of columns of categories as long as these have levels.
pub(super) fn count(data: &Dataset<'_>, session: &Session) -> Result<(CategorySums, Vec<usize>)> {
    let rows = data.rows(CategoricalNB::NAME)?;
    let levels = levels(&rows);
    let coded = data.with_input(values_of(&rows)?.into())?;
    let found = sums::fit(CategoricalNB::NAME, &Tally, &coded, session);
    Ok((found.map_err(|error| refused(&rows).unwrap_or(error))?, levels))
}

impl Learn for CategoricalNB {
    type Model = CategoricalNBModel;
    const MEETS_UNSEEN: bool = true;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<CategoricalNBModel> {
        let (counts, levels) = count(data, session)?;
        CategoricalNBModel::new(&self.params, counts, levels, None)
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        let can = Learn::capabilities(self);
        Some((|| {
            let schema = batches.schema()?;
            let levels = schema.features.iter().map(|f| f.levels.len()).collect();
            let mut coded = Coded { batches, schema };
            let counts = sums::fit_stream(Self::NAME, &can, &Tally, &mut coded, session)?;
            CategoricalNBModel::new(&self.params, counts, levels, None)
        })())
    }

    fn resume(
        &self,
        model: Option<&CategoricalNBModel>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Option<Result<CategoricalNBModel>> {
        Some((|| {
            let (counts, levels) = count(data, session)?;
            if let (Some(model), Ok(rows)) = (model, data.rows(Self::NAME)) {
                model.knows_levels(&levels, &rows)?;
            }
            let levels = model.map_or(levels, |model| model.levels().to_vec());
            CategoricalNBModel::new(&self.params, counts, levels, model)
        })())
    }
}

/// Batches with categories as the codes of the whole stream.
struct Coded<'b> {
    batches: &'b mut dyn Batches,
    schema: Schema,
}

impl Batches for Coded<'_> {
    fn schema(&mut self) -> Result<Schema> {
        Ok(self.schema.clone())
    }
    fn next_batch(&mut self) -> Result<Option<Dataset<'static>>> {
        let Some(batch) = self.batches.next_batch()? else { return Ok(None) };
        let aligned =
            self.schema.align(CategoricalNB::NAME, batch.whole_input(), mercer_core::Unseen::Error)?;
        let coded = values_of(aligned.rows(CategoricalNB::NAME)?)?;
        batch.with_input(coded.into()).map(Some)
    }
    fn rewind(&mut self) -> Result<()> {
        self.batches.rewind()
    }
}

// Of summaries that travel, columns of categories are known by their codes alone.
by_sums!(CategoricalNB, CategorySums => CategoricalNBModel, |_: &Self| Tally, |own: &Self, counts: CategorySums| {
    let levels = vec![0; counts.features.len()];
    CategoricalNBModel::new(&own.params, counts, levels, None)
});

/// Counting by sums.
pub(super) struct Tally;

impl BySums for Tally {
    type State = (usize, usize);
    type Summary = CategorySums;
    type Local = ();
    type Model = CategorySums;

    fn block_rows(&self, _: &Shape) -> usize {
        2 * BLOCK_ROWS
    }
    fn begin(&self, shape: &Shape, _: &Session) -> Result<(usize, usize)> {
        Ok((shape.n_classes, shape.n_features))
    }
    fn empty(&self, &(k, d): &(usize, usize)) -> CategorySums {
        CategorySums { class: vec![0.0; k], features: vec![Vec::new(); d] }
    }
    fn absorb(
        &self,
        _: &(usize, usize),
        block: &Block<'_>,
        (): &mut (),
        summary: &mut CategorySums,
    ) -> Result<()> {
        summary.absorb(block)
    }
    fn merge(&self, into: &mut CategorySums, other: CategorySums) {
        into.add(&other);
    }
    fn advance(
        &self,
        _: (usize, usize),
        summary: CategorySums,
        _: &Session,
    ) -> Result<Round<(usize, usize), CategorySums>> {
        Ok(Round::Done(summary))
    }
}
