//! One-hot encoding: a 0/1 column for each level of a categorical feature.
//!
//! # Objective
//! Feature $j$ with levels $l_1 … l_m$ becomes $([x_j = l_1], …, [x_j = l_m])$.
//!
//! # Algorithm
//! Levels of a table's categorical columns come from its dictionary, those of numbers from the sorted distinct
//! values of training. A missing or unseen level becomes zeros, or an error where that is asked for.
//!
//! # Complexity
//! Time O(n d log m), memory O(n d) sparse, O(n Σm) dense.
//!
//! # Example
//! ```
//! use mercer_core::{Column, Dataset, Fit, Table};
//! use mercer_prepare::OneHotEncoder;
//! let table = Table::new(vec![("island".into(), Column::categories(&[Some("Dream"), Some("Biscoe")]))])?;
//! let encoder = OneHotEncoder::default().fit(&Dataset::new(&table))?;
//! assert_eq!(encoder.transform(&table)?.dense("x")?.view().to_mat().as_slice(), &[0.0, 1.0, 1.0, 0.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! None: values are 0 and 1.
//!
//! # References
//! - D. B. Suits. Use of dummy variables in regression equations. JASA 52, 1957. doi:10.1080/01621459.1957.10501412

use mercer_core::{
    Certificate, Choice, Column, ColumnKind, Dataset, Error, ErrorKind, Feature, Fitted, Input, Learn,
    Params, Result, RowData, Rows, Schema, Session, Table, Termination, Transformer,
};
use mercer_math::Csr;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What [`OneHotEncoder`] does with a level that training did not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum HandleUnknown {
    /// Refuse it, naming column, row and level.
    Error,
    /// Encode it as zeros.
    Ignore,
}

/// Which level of a feature gets no column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Drop {
    /// The first, so that the columns are not collinear.
    First,
    /// The first of features with two levels.
    IfBinary,
}

/// Which columns are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum EncodeColumns {
    /// Categorical columns of a table (numbers pass through); every column of a matrix.
    Auto,
    /// Every column.
    All,
}

/// One-hot encoding: a 0/1 column for each level.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "one-hot onehot",
    canon = "D5",
    task = Transformation,
    python = "preprocessing",
    can = "transform weights missing categorical encodes",
    references = "Suits. Use of dummy variables in regression equations. JASA 52, 1957."
)]
pub struct OneHotEncoder {
    /// Which columns are encoded.
    #[param(default = EncodeColumns::Auto)]
    pub columns: EncodeColumns,
    /// Which level gets no column; none means that all do.
    #[param(default = None)]
    pub drop: Option<Drop>,
    /// What to do with a level that training did not see.
    #[param(default = HandleUnknown::Error)]
    pub handle_unknown: HandleUnknown,
    /// Whether the result is sparse.
    #[param(default = true)]
    pub sparse_output: bool,
}

/// How one input column is encoded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Code {
    /// Passed through as a number.
    Keep,
    /// The dictionary of a categorical column.
    Levels(Arc<[String]>),
    /// The sorted distinct numbers of a numeric column.
    Numbers(Vec<f64>),
}

/// Fitted levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneHotEncoderModel {
    codes: Vec<Code>,
    /// The place of the first output column of each input column, and their number at the end.
    offsets: Vec<u32>,
    /// How many leading levels of each input column get no output column: 0 or 1.
    dropped: Vec<u8>,
    ignore_unknown: bool,
    sparse_output: bool,
    certificate: Certificate,
}

impl Learn for OneHotEncoder {
    type Model = OneHotEncoderModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<OneHotEncoderModel> {
        let rows = data.rows(Self::NAME)?;
        let matrix = !matches!(rows.data(), RowData::Table(_));
        let table = rows.table()?;
        let weights = data.weights();
        let all = matrix || self.columns == EncodeColumns::All;
        let seen = |i: usize| weights.as_ref().is_none_or(|w| w[i] > 0.0);
        let codes: Vec<Code> = table.columns().iter().map(|c| code_of(c, all, &seen)).collect();
        if let Some(j) = codes.iter().position(|c| c.n_levels() > u32::MAX as usize / 2) {
            return Err(Error::shape(
                format!("levels of column `{}`", table.names()[j]),
                1 << 31,
                codes[j].n_levels(),
            ));
        }
        let dropped: Vec<u8> = codes
            .iter()
            .map(|c| match (self.drop, c) {
                (_, Code::Keep) | (None, _) => 0,
                (Some(Drop::First), c) => u8::from(c.n_levels() > 0),
                (Some(Drop::IfBinary), c) => u8::from(c.n_levels() == 2),
            })
            .collect();
        let mut offsets = vec![0u32];
        for (code, &drop) in codes.iter().zip(&dropped) {
            let width = code.width() - u32::from(drop);
            offsets.push(offsets[offsets.len() - 1] + width);
        }
        if offsets.last() == Some(&0) {
            return Err(Error::too_few(Self::NAME, "levels", 1, 0));
        }
        let why = "a dictionary computes nothing to prove";
        Ok(OneHotEncoderModel {
            codes,
            offsets,
            dropped,
            ignore_unknown: self.handle_unknown == HandleUnknown::Ignore,
            sparse_output: self.sparse_output,
            certificate: Certificate::without_evidence(Termination::Exact, why),
        })
    }
}

fn code_of(column: &Column<'_>, all: bool, seen: &dyn Fn(usize) -> bool) -> Code {
    match column {
        Column::Categorical { levels, .. } => Code::Levels(levels.clone()),
        other if all => {
            let numbers = other.to_numbers().unwrap_or_default();
            let mut distinct: Vec<f64> = numbers
                .iter()
                .enumerate()
                .filter(|(i, v)| seen(*i) && !v.is_nan())
                .map(|(_, &v)| if v == 0.0 { 0.0 } else { v })
                .collect();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            Code::Numbers(distinct)
        }
        _ => Code::Keep,
    }
}

impl Code {
    fn n_levels(&self) -> usize {
        match self {
            Code::Keep => 0,
            Code::Levels(levels) => levels.len(),
            Code::Numbers(values) => values.len(),
        }
    }

    fn width(&self) -> u32 {
        match self {
            Code::Keep => 1,
            other => other.n_levels() as u32,
        }
    }

    fn level_name(&self, level: usize) -> String {
        match self {
            Code::Keep => String::new(),
            Code::Levels(levels) => levels[level].clone(),
            Code::Numbers(values) => values[level].to_string(),
        }
    }
}

impl OneHotEncoderModel {
    /// The entry of row `i` in the columns of feature `j`: a place and a value, or nothing.
    fn entry(&self, j: usize, column: &Column<'_>, name: &str, i: usize) -> Result<Option<(u32, f64)>> {
        let level = match (&self.codes[j], column) {
            (Code::Keep, column) => {
                let value = match column {
                    Column::Numeric(v) => v[i],
                    Column::Boolean(v) => v[i].map_or(f64::NAN, |b| f64::from(u8::from(b))),
                    _ => f64::NAN,
                };
                return Ok((value != 0.0).then_some((self.offsets[j], value)));
            }
            (Code::Levels(levels), Column::Categorical { codes, .. }) => {
                Some(codes[i] as usize).filter(|&c| c < levels.len())
            }
            (Code::Numbers(values), Column::Numeric(v)) => {
                values.binary_search_by(|x| x.total_cmp(&(v[i] + 0.0))).ok()
            }
            (Code::Numbers(values), Column::Boolean(v)) => {
                v[i].and_then(|b| values.iter().position(|x| *x == f64::from(u8::from(b))))
            }
            _ => None,
        };
        match level {
            Some(level) => {
                let shifted = (level as u32).checked_sub(u32::from(self.dropped[j]));
                Ok(shifted.map(|k| (self.offsets[j] + k, 1.0)))
            }
            None if self.ignore_unknown || column.is_missing(i) => Ok(None),
            None => Err(unknown_level(column, name, i)),
        }
    }
}

fn unknown_level(column: &Column<'_>, name: &str, row: usize) -> Error {
    ErrorKind::BadValue {
        learner: OneHotEncoder::NAME.to_owned(),
        value: format!(
            "the level `{}`, which was not seen in training",
            column.text(row).unwrap_or_default()
        ),
        column: name.to_owned(),
        row,
        hint: "; set handle_unknown=ignore to encode it as zeros".to_owned(),
    }
    .into()
}

impl Transformer for OneHotEncoderModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(OneHotEncoder::NAME)?;
        let table: Table<'_> = rows.table()?;
        let mut out = Csr::empty(self.offsets.last().copied().unwrap_or(0) as usize);
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for i in 0..table.n_rows() {
            places.clear();
            values.clear();
            for (j, (name, column)) in table.iter().enumerate() {
                if let Some((place, value)) = self.entry(j, column, name, i)? {
                    places.push(place);
                    values.push(value);
                }
            }
            out.push_row(&places, &values);
        }
        Ok(if self.sparse_output { out.into() } else { out.view().to_dense().into() })
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        let names = |(j, feature): (usize, &Feature)| -> Vec<String> {
            let code = &self.codes[j];
            match code {
                Code::Keep => vec![feature.name.clone()],
                code => (usize::from(self.dropped[j])..code.n_levels())
                    .map(|level| format!("{}_{}", feature.name, code.level_name(level)))
                    .collect(),
            }
        };
        schema.features.iter().enumerate().flat_map(names).collect()
    }
}

impl Fitted for OneHotEncoderModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let fits = |(code, feature): (&Code, &Feature)| match code {
            Code::Keep => feature.kind != ColumnKind::Categorical,
            Code::Levels(levels) => {
                feature.kind == ColumnKind::Categorical && levels.len() == feature.levels.len()
            }
            Code::Numbers(values) => values.is_sorted(),
        };
        let ok = self.codes.len() == d
            && self.dropped.len() == d
            && self.offsets.len() == d + 1
            && self.codes.iter().zip(&schema.features).all(fits)
            && (0..d).all(|j| {
                let width = self.codes[j].width().checked_sub(u32::from(self.dropped[j]));
                width.and_then(|w| self.offsets[j].checked_add(w)) == Some(self.offsets[j + 1])
            });
        if ok { Ok(()) } else { Err("levels do not fit the schema".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_core::Fit;
    use mercer_math::Mat;

    fn dense(model: &mercer_core::Trained<OneHotEncoder>, x: &Mat) -> Vec<f64> {
        model.transform(x).unwrap().dense("x").unwrap().view().to_mat().into_vec()
    }

    #[test]
    fn numbers_of_a_matrix_are_levels() {
        let x = Mat::from_rows(&[[1.0, 5.0], [2.0, 5.0], [1.0, 7.0]]).unwrap();
        let plain = OneHotEncoder::default().fit(&Dataset::new(&x)).unwrap();
        assert_eq!(dense(&plain, &x)[..4], [1.0, 0.0, 1.0, 0.0]);
        let dropped = OneHotEncoder::default().drop(Some(Drop::First)).fit(&Dataset::new(&x)).unwrap();
        assert_eq!(dense(&dropped, &x), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        let unseen = Mat::from_rows(&[[9.0, 5.0]]).unwrap();
        let error = plain.transform(&unseen).unwrap_err().to_string();
        assert!(error.contains("`9`") && error.contains("`x0`") && error.contains("row 0"), "{error}");
        let lenient =
            OneHotEncoder::default().handle_unknown(HandleUnknown::Ignore).fit(&Dataset::new(&x)).unwrap();
        assert_eq!(dense(&lenient, &unseen), [0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn tables_pass_numbers_through_and_name_their_columns() {
        let table = Table::new(vec![
            ("mass".into(), Column::numbers(vec![1.5, 2.5])),
            ("sex".into(), Column::categories(&[Some("f"), None])),
        ])
        .unwrap();
        let model = OneHotEncoder::default().fit(&Dataset::new(&table)).unwrap();
        let rows = model.transform(&table).unwrap();
        assert_eq!(rows.names().unwrap().to_vec(), ["mass", "sex_f"]);
        assert_eq!(rows.dense("x").unwrap().view().to_mat().as_slice(), &[1.5, 1.0, 2.5, 0.0]);
    }
}
