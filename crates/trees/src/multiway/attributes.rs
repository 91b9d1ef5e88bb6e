//! Attributes of the training rows, as ID3 and C4.5 see them: discrete or continuous.

use crate::sorted_columns::{Values, columns};
use mercer_core::{Dataset, Error, ErrorKind, MISSING_CODE, Result};
use mercer_math::Weights;

/// A numeric column of at most this many different whole numbers is discrete for ID3.
const MOST_WHOLE: usize = 64;

/// The values of one attribute.
#[derive(Clone, Debug)]
pub(crate) enum AttributeValues {
    /// A level for each row, or [`MISSING_CODE`]; the number of levels.
    Levels(Vec<u32>, usize),
    /// A number for each row; NaN is missing.
    Numbers(Vec<f64>),
}

/// A training row with its share of weight in a node: a row whose tested value is missing goes down every branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) row: u32,
    pub(crate) weight: f64,
}

/// The training rows, by attributes.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) factors: Vec<AttributeValues>,
    /// The values of numeric columns that were made discrete; empty for all others.
    pub(crate) dictionaries: Vec<Vec<f64>>,
    /// The class of each row.
    pub(crate) y: Vec<u32>,
    /// The number of classes.
    pub(crate) k: usize,
    /// The rows of positive weight.
    pub(crate) items: Vec<Item>,
}

impl Problem {
    /// Reads the data; with `discrete`, numbers become levels or are refused.
    pub(crate) fn new(learner: &str, data: &Dataset<'_>, discrete: bool) -> Result<Self> {
        let rows = data.rows(learner)?;
        let target = data.need_target(learner)?;
        let (codes, labels) = target.class()?;
        let n = rows.n_rows();
        let (mut factors, mut dictionaries) = (Vec::new(), Vec::new());
        for (j, column) in columns(learner, &rows)?.iter().enumerate() {
            let (factor, dictionary) = match column {
                Values::Codes(codes) => {
                    (AttributeValues::Levels(codes.to_vec(), levels_of(&rows, j, codes)), Vec::new())
                }
                other => {
                    let numbers: Vec<f64> = (0..n).map(|i| other.number(i)).collect();
                    if discrete {
                        whole(numbers).ok_or_else(|| continuous(learner, &rows.name(j)))?
                    } else {
                        (AttributeValues::Numbers(numbers), Vec::new())
                    }
                }
            };
            factors.push(factor);
            dictionaries.push(dictionary);
        }
        let weights = data.weights();
        let weight = Weights::of(&weights);
        let items: Vec<Item> =
            (0..n).filter(|&i| weight.counts(i)).map(|i| Item { row: i as u32, weight: weight[i] }).collect();
        if items.is_empty() {
            return Err(Error::too_few(learner, "rows of positive weight", 1, 0));
        }
        Ok(Self { factors, dictionaries, y: codes.to_vec(), k: labels.len(), items })
    }

    /// The weight of each class.
    pub(crate) fn totals(&self, items: &[Item]) -> Vec<f64> {
        let mut totals = vec![0.0; self.k];
        items.iter().for_each(|item| totals[self.y[item.row as usize] as usize] += item.weight);
        totals
    }
}

fn levels_of(rows: &mercer_core::Rows<'_>, j: usize, codes: &[u32]) -> usize {
    match rows.data() {
        mercer_core::RowData::Table(table) => match table.columns()[j].as_ref() {
            mercer_core::Column::Categorical { levels, .. } => levels.len(),
            mercer_core::Column::Numeric(_)
            | mercer_core::Column::Boolean(_)
            | mercer_core::Column::Text(_)
            | mercer_core::Column::Time(_) => 0,
        },
        _ => codes.iter().filter(|&&c| c != MISSING_CODE).max().map_or(0, |&c| c as usize + 1),
    }
}

/// Numbers as levels, with their dictionary, where they are few and whole.
fn whole(numbers: Vec<f64>) -> Option<(AttributeValues, Vec<f64>)> {
    let mut dictionary: Vec<f64> = Vec::new();
    for &v in numbers.iter().filter(|v| !v.is_nan()) {
        if v.fract() != 0.0 {
            return None;
        }
        if let Err(at) = dictionary.binary_search_by(|d| d.total_cmp(&(v + 0.0))) {
            dictionary.insert(at, v + 0.0);
            if dictionary.len() > MOST_WHOLE {
                return None;
            }
        }
    }
    let codes = numbers.iter().map(|&v| code_of(&dictionary, v).map_or(MISSING_CODE, |c| c as u32)).collect();
    // A column without any value has one level that no row takes: an empty dictionary means "not numeric".
    if dictionary.is_empty() {
        dictionary.push(0.0);
    }
    Some((AttributeValues::Levels(codes, dictionary.len()), dictionary))
}

/// The place of a number in a dictionary.
pub(crate) fn code_of(dictionary: &[f64], v: f64) -> Option<usize> {
    dictionary.binary_search_by(|d| d.total_cmp(&(v + 0.0))).ok().filter(|_| !v.is_nan())
}

fn continuous(learner: &str, column: &str) -> Error {
    ErrorKind::Kind {
        learner: learner.to_owned(),
        takes: format!("discrete attributes: categories, or at most {MOST_WHOLE} different whole numbers"),
        got: format!("the numeric column `{column}`; cut it into bins first, or take C45"),
    }
    .into()
}
