//! Targets and predictions: n rows × k columns, each with its kind and dictionary.

use crate::error::{Error, ErrorKind, Result};
use crate::table::{Column, MISSING_CODE};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A class label of any of the types that people use.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub enum Label {
    /// `false` or `true`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A real number.
    Real(f64),
    /// A word.
    Text(String),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Bool(b) => write!(f, "{b}"),
            Label::Int(i) => write!(f, "{i}"),
            Label::Real(r) => write!(f, "{r}"),
            Label::Text(s) => f.write_str(s),
        }
    }
}

macro_rules! label_from {
    ($($from:ty => |$v:ident| $make:expr;)*) => {$(
        impl From<$from> for Label { fn from($v: $from) -> Self { $make } }
    )*};
}
label_from! {
    bool => |v| Label::Bool(v);
    i64 => |v| Label::Int(v);
    i32 => |v| Label::Int(v.into());
    f64 => |v| Label::Real(v);
    &str => |v| Label::Text(v.to_owned());
    String => |v| Label::Text(v);
}

/// The dictionary of a class target; its order is the order of probabilities and coefficients.
pub type Labels = Arc<[Label]>;

/// What a target column holds, with its dictionary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TargetKind {
    /// Real numbers.
    Real,
    /// Counts: whole, not negative.
    Count,
    /// Classes without an order.
    Class(Labels),
    /// Classes in an order.
    Ordinal(Labels),
}

impl TargetKind {
    /// The dictionary, where there is one.
    pub fn labels(&self) -> Option<&Labels> {
        match self {
            TargetKind::Class(labels) | TargetKind::Ordinal(labels) => Some(labels),
            TargetKind::Real | TargetKind::Count => None,
        }
    }
}

/// The values of one target column.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetValues<'a> {
    /// Numbers: real values or counts.
    Numbers(Cow<'a, [f64]>),
    /// Codes into the dictionary.
    Codes(Cow<'a, [u32]>),
}

impl From<Vec<f64>> for TargetValues<'_> {
    fn from(numbers: Vec<f64>) -> Self {
        TargetValues::Numbers(Cow::Owned(numbers))
    }
}

impl From<Vec<u32>> for TargetValues<'_> {
    fn from(codes: Vec<u32>) -> Self {
        TargetValues::Codes(Cow::Owned(codes))
    }
}

/// One column of a target or prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetColumn<'a> {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// What it holds.
    pub kind: TargetKind,
    /// The values, one a row.
    pub values: TargetValues<'a>,
}

impl TargetColumn<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match &self.values {
            TargetValues::Numbers(v) => v.len(),
            TargetValues::Codes(v) => v.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of row `i` as a person would write it.
    pub fn text(&self, i: usize) -> String {
        match (&self.values, self.kind.labels()) {
            (TargetValues::Numbers(v), _) => v[i].to_string(),
            (TargetValues::Codes(c), Some(labels)) => {
                labels.get(c[i] as usize).map_or_else(String::new, ToString::to_string)
            }
            (TargetValues::Codes(c), None) => c[i].to_string(),
        }
    }
}

/// What is to be predicted, or was: one or more columns of equal length.
#[derive(Clone, Debug, PartialEq)]
pub struct Target<'a> {
    columns: Vec<TargetColumn<'a>>,
}

/// What a model predicts has the shape of a target.
pub type Prediction = Target<'static>;

impl<'a> Target<'a> {
    /// A target from its columns, which must have equal lengths.
    pub fn new(columns: Vec<TargetColumn<'a>>) -> Result<Self> {
        let n_rows = columns.first().map_or(0, TargetColumn::len);
        match columns.iter().find(|c| c.len() != n_rows) {
            Some(column) => Err(Error::shape("rows of the target's columns", n_rows, column.len())),
            None => Ok(Self { columns }),
        }
    }

    /// One column of real numbers.
    pub fn real(values: impl Into<Cow<'a, [f64]>>) -> Self {
        Self::single(TargetKind::Real, TargetValues::Numbers(values.into()))
    }

    /// One column of counts.
    pub fn counts(values: impl Into<Cow<'a, [f64]>>) -> Self {
        Self::single(TargetKind::Count, TargetValues::Numbers(values.into()))
    }

    /// Several columns of real numbers.
    pub fn multi(columns: Vec<Vec<f64>>) -> Result<Self> {
        let column = |v| TargetColumn {
            name: None,
            kind: TargetKind::Real,
            values: TargetValues::Numbers(Cow::Owned(v)),
        };
        Self::new(columns.into_iter().map(column).collect())
    }

    /// One column of classes; the dictionary is the sorted set of the labels seen.
    ///
    /// ```
    /// use mercer_core::Target;
    /// let y = Target::classes(&["no", "yes", "no"]);
    /// assert_eq!(y.class()?.0, &[0, 1, 0]);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn classes<L: Clone + Into<Label>>(values: &[L]) -> Self {
        let values: Vec<Label> = values.iter().cloned().map(Into::into).collect();
        let mut labels = values.clone();
        // Labels of one type compare; NaN is the only value that does not, and it sorts as equal.
        labels.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        labels.dedup();
        let code = |v: &Label| labels.iter().position(|l| l == v).map_or(MISSING_CODE, |c| c as u32);
        let codes = if labels.len() <= 16 {
            values.iter().map(code).collect()
        } else {
            let order = |v: &Label| {
                labels.binary_search_by(|l| l.partial_cmp(v).unwrap_or(std::cmp::Ordering::Equal))
            };
            values.iter().map(|v| order(v).map_or(MISSING_CODE, |c| c as u32)).collect()
        };
        Self::coded(codes, labels.into())
    }

    /// One column of classes given as codes into a dictionary.
    pub fn coded(codes: Vec<u32>, labels: Labels) -> Self {
        Self::single(TargetKind::Class(labels), TargetValues::Codes(Cow::Owned(codes)))
    }

    /// A table column as a target: numbers stay numbers, categories, booleans and text become classes.
    /// A missing value is an error that names its row.
    pub fn from_column(name: &str, column: &Column<'_>, as_classes: bool) -> Result<Target<'static>> {
        if let Some(row) = (0..column.len()).find(|&i| column.is_missing(i)) {
            return Err(ErrorKind::BadValue {
                learner: "the target".to_owned(),
                value: "a missing value".to_owned(),
                column: name.to_owned(),
                row,
                hint: String::new(),
            }
            .into());
        }
        let mut target = match column {
            Column::Numeric(v) if !as_classes => Target::real(v.to_vec()),
            Column::Numeric(v) if v.iter().all(|x| x.fract() == 0.0 && x.abs() < 9e15) => {
                Target::classes(&v.iter().map(|&x| x as i64).collect::<Vec<_>>())
            }
            Column::Numeric(v) => Target::classes(v),
            Column::Boolean(v) => Target::classes(&v.iter().flatten().copied().collect::<Vec<_>>()),
            other @ (Column::Categorical { .. } | Column::Text(_) | Column::Time(_)) => {
                let texts: Vec<String> =
                    (0..other.len()).map(|i| other.text(i).unwrap_or_default().into_owned()).collect();
                Target::classes(&texts)
            }
        };
        target.columns[0].name = Some(name.to_owned());
        Ok(target)
    }

    fn single(kind: TargetKind, values: TargetValues<'a>) -> Self {
        Self { columns: vec![TargetColumn { name: None, kind, values }] }
    }

    /// The columns.
    pub fn columns(&self) -> &[TargetColumn<'a>] {
        &self.columns
    }

    /// The same target with names for its columns.
    #[must_use]
    pub fn named(mut self, names: &[impl AsRef<str>]) -> Self {
        self.columns.iter_mut().zip(names).for_each(|(c, n)| c.name = Some(n.as_ref().to_owned()));
        self
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.columns.first().map_or(0, TargetColumn::len)
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// The codes and dictionary of a single class column.
    pub fn class(&self) -> Result<(&[u32], &Labels)> {
        match self.columns.as_slice() {
            [TargetColumn { kind, values: TargetValues::Codes(codes), .. }] => {
                kind.labels().map(|labels| (codes.as_ref(), labels))
            }
            _ => None,
        }
        .ok_or_else(|| kind_error("one column of classes", self))
    }

    /// The numbers of a single real or count column.
    pub fn numbers(&self) -> Result<&[f64]> {
        match self.columns.as_slice() {
            [TargetColumn { values: TargetValues::Numbers(v), .. }] => Ok(v),
            _ => Err(kind_error("one column of numbers", self)),
        }
    }

    /// The numbers of column `k`.
    pub fn numbers_of(&self, k: usize) -> Result<&[f64]> {
        match self.columns.get(k).map(|c| &c.values) {
            Some(TargetValues::Numbers(v)) => Ok(v),
            _ => Err(kind_error("numbers", self)),
        }
    }

    /// Whether the target is a single column of classes.
    pub fn is_class(&self) -> bool {
        self.class().is_ok()
    }

    /// The chosen rows, copied; dictionaries are kept whole.
    pub fn gather(&self, rows: &[usize]) -> Target<'static> {
        let column = |c: &TargetColumn<'a>| TargetColumn {
            name: c.name.clone(),
            kind: c.kind.clone(),
            values: match &c.values {
                TargetValues::Numbers(v) => TargetValues::Numbers(rows.iter().map(|&i| v[i]).collect()),
                TargetValues::Codes(v) => TargetValues::Codes(rows.iter().map(|&i| v[i]).collect()),
            },
        };
        Target { columns: self.columns.iter().map(column).collect() }
    }
}

fn kind_error(takes: &str, target: &Target<'_>) -> Error {
    let got = match target.columns() {
        [] => "no column".to_owned(),
        [one] => match one.kind {
            TargetKind::Real => "real numbers".to_owned(),
            TargetKind::Count => "counts".to_owned(),
            TargetKind::Class(_) | TargetKind::Ordinal(_) => "classes".to_owned(),
        },
        many => format!("{} columns", many.len()),
    };
    ErrorKind::Kind { learner: "the target".to_owned(), takes: takes.to_owned(), got }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_every_type_keep_their_dictionary() {
        let many: Vec<i64> = (0..100).map(|i| i % 40 - 20).collect();
        let target = Target::classes(&many);
        let (codes, labels) = target.class().unwrap();
        assert_eq!(labels.len(), 40);
        assert!(codes.iter().zip(&many).all(|(&c, &v)| labels[c as usize] == Label::Int(v)));
        assert_eq!(target.gather(&[0]).class().unwrap().1.len(), 40, "a subset inherits the dictionary");
    }

    #[test]
    fn asking_for_the_wrong_kind_says_what_there_is() {
        let error = Target::real(vec![1.0]).class().unwrap_err();
        assert_eq!(error.to_string(), "the target takes one column of classes, not real numbers");
    }
}
