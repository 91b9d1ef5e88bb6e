//! Ordinal encoding: one number for each level of a categorical feature.
//!
//! # Objective
//! Feature $j$ with levels $l_0 … l_{m-1}$ becomes $k$ where $x_j = l_k$.
//!
//! # Algorithm
//! Levels are those of the table's dictionary, in its order, or the sorted distinct numbers. Rare levels may share
//! the last number. Missing and unseen levels get numbers of their own.
//!
//! # Complexity
//! Time and memory O(n d).
//!
//! # Example
//! ```
//! use mercer_core::{Column, Dataset, Fit, Table};
//! use mercer_prepare::OrdinalEncoder;
//! let sizes = Column::categories(&[Some("small"), Some("large"), None]);
//! let table = Table::new(vec![("size".into(), sizes)])?;
//! let encoder = OrdinalEncoder::default().encoded_missing_value(Some(-1.0)).fit(&Dataset::new(&table))?;
//! assert_eq!(encoder.transform(&table)?.dense("x")?.view().to_mat().as_slice(), &[1.0, 0.0, -1.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! None: values are whole numbers.
//!
//! # References
//! - S. S. Stevens. On the theory of scales of measurement. Science 103, 1946. doi:10.1126/science.103.2684.677

use super::levels::{
    Coded, EncodeColumns, EncodedColumns, Levels, coded, level_attributes, levels_of, rebuilt, unknown_level,
};
use super::rare::{Groups, Rarity, rare_name};
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Column, CountOrShare, Dataset, Error, Fitted, Input, Inverse,
    Learn, MISSING_CODE, Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What [`OrdinalEncoder`] does with a level that training did not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum OrdinalUnknown {
    /// Refuse it, naming column, row and level.
    Error,
    /// Encode it as `unknown_value`.
    UseEncodedValue,
}

/// Ordinal encoding: one number for each level.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "ordinal ordinal-encoder",
    canon = "D5",
    task = Transformation,
    python = "preprocessing",
    door = "categories='auto' dtype=float",
    mixins = "EncoderMixin",
    can = "transform inverse weights missing categorical encodes",
    references = "Stevens. On the theory of scales of measurement. Science 103, 1946."
)]
pub struct OrdinalEncoder {
    /// Which columns are encoded.
    #[param(flatten)]
    pub encoded: EncodedColumns,
    /// What to do with a level that training did not see.
    #[param(default = OrdinalUnknown::Error)]
    pub handle_unknown: OrdinalUnknown,
    /// The number of levels that training did not see; none means NaN.
    #[param(default = None)]
    pub unknown_value: Option<f64>,
    /// The number of a missing level; none means NaN.
    #[param(default = None)]
    pub encoded_missing_value: Option<f64>,
    /// Levels of fewer rows than this (a number, or a share) share one number.
    #[param(default = None, range = "[0, inf)")]
    pub min_frequency: Option<CountOrShare>,
    /// The most numbers of a feature, that of the rare levels counted; none means any number.
    #[param(default = None, range = "[1, inf)")]
    pub max_categories: Option<usize>,
}

/// Fitted levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrdinalEncoderModel {
    levels: Vec<Levels>,
    groups: Vec<Groups>,
    names: Vec<String>,
    matrix: bool,
    /// The number of unseen levels, where they are taken.
    unknown: Option<f64>,
    missing: f64,
    certificate: Certificate,
}

impl OrdinalEncoder {
    fn rarity(&self) -> Rarity {
        Rarity { min_frequency: self.min_frequency, max_categories: self.max_categories }
    }

    /// A number of its own must not be that of a level.
    fn check_free(&self, name: &str, value: f64, most: u32) -> Result<()> {
        let taken = value.fract() == 0.0 && 0.0 <= value && value < f64::from(most);
        let expected = format!("no number of a level (0 to {})", most.saturating_sub(1));
        if taken { Err(Error::param(Self::NAME, name, expected, value)) } else { Ok(()) }
    }
}

impl Learn for OrdinalEncoder {
    type Model = OrdinalEncoderModel;
    const MEETS_UNSEEN: bool = true;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.rarity().check(Self::NAME)?;
        match (self.unknown_value, self.handle_unknown) {
            (Some(value), OrdinalUnknown::Error) => {
                let expected = "none, unless handle_unknown is use_encoded_value";
                Err(Error::param(Self::NAME, "unknown_value", expected, value))
            }
            _ => Ok(()),
        }
    }

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<OrdinalEncoderModel> {
        let seen = levels_of(Self::NAME, data, self.encoded.columns)?;
        let groups: Vec<Groups> =
            seen.columns.iter().map(|c| self.rarity().groups(&c.of, seen.total)).collect();
        let most = groups.iter().map(Groups::len).max().unwrap_or(0);
        let unknown = match self.handle_unknown {
            OrdinalUnknown::Error => None,
            OrdinalUnknown::UseEncodedValue => Some(self.unknown_value.unwrap_or(f64::NAN)),
        };
        let missing = self.encoded_missing_value.unwrap_or(f64::NAN);
        unknown.map_or(Ok(()), |value| self.check_free("unknown_value", value, most))?;
        if seen.columns.iter().any(|c| c.missing > 0.0) {
            self.check_free("encoded_missing_value", missing, most)?;
        }
        let why = "a dictionary computes nothing to prove";
        Ok(OrdinalEncoderModel {
            levels: seen.columns.into_iter().map(|c| c.levels).collect(),
            groups,
            names: seen.names,
            matrix: seen.matrix,
            unknown,
            missing,
            certificate: Certificate::without_evidence(Termination::Exact, why),
        })
    }
}

impl Transformer for OrdinalEncoderModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let table = input.rows(OrdinalEncoder::NAME)?.table()?;
        let (n, d) = (table.n_rows(), table.n_columns());
        session.run(|| {
            let columns = coded(&self.levels, &table);
            if self.unknown.is_none() {
                let first = |(j, column): (usize, &Coded<'_>)| {
                    let Coded::Codes(codes) = column else { return None };
                    let known = self.levels[j].len();
                    let unknown = |c: &u32| *c != MISSING_CODE && *c as usize >= known;
                    codes.iter().position(unknown).map(|i| (i, j))
                };
                if let Some((row, j)) = columns.iter().enumerate().filter_map(first).min() {
                    let hint = "; set handle_unknown=use_encoded_value to give it a number";
                    return Err(unknown_level(OrdinalEncoder::NAME, &table, j, row, hint));
                }
            }
            let mut out = Mat::zeros(n, d);
            out.as_mut_slice().par_chunks_mut(d.max(1)).enumerate().for_each(|(i, row)| {
                for (j, value) in row.iter_mut().enumerate() {
                    *value = match &columns[j] {
                        Coded::Kept(numbers) => numbers[i],
                        Coded::Codes(codes) if codes[i] == MISSING_CODE => self.missing,
                        Coded::Codes(codes) => {
                            let group = self.groups[j].of().get(codes[i] as usize);
                            group.map_or(self.unknown.unwrap_or(f64::NAN), |g| f64::from(*g))
                        }
                    };
                }
            });
            Ok(out.into())
        })
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        schema.features.iter().map(|f| f.name.clone()).collect()
    }
}

impl Inverse for OrdinalEncoderModel {
    /// The level of each number; any other number is a missing value.
    fn inverted(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(OrdinalEncoder::NAME)?.dense(OrdinalEncoder::NAME)?;
        let view = rows.view();
        if view.n_cols() != self.levels.len() {
            let what = "columns of the input to the inverse of OrdinalEncoder";
            return Err(Error::shape(what, self.levels.len(), view.n_cols()));
        }
        let column = |j: usize| {
            let values = view.col_cow(j).into_owned();
            if self.levels[j] == Levels::Keep {
                return Column::numbers(values);
            }
            let level_of = self.groups[j].levels();
            let level = |v: &f64| {
                let whole = v.fract() == 0.0 && 0.0 <= *v && *v < level_of.len() as f64;
                if whole { level_of.get(*v as usize).copied() } else { None }
            };
            let rare = match &self.levels[j] {
                Levels::Texts(texts) => rare_name(texts.iter()),
                _ => String::new(),
            };
            self.levels[j].column(values.iter().map(level).collect(), &rare)
        };
        rebuilt(self.matrix, &self.names, (0..self.levels.len()).map(column).collect())
    }
}

impl Fitted for OrdinalEncoderModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        level_attributes(&self.levels, &self.groups)
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let ok = [self.levels.len(), self.groups.len(), self.names.len()].iter().all(|l| *l == d)
            && self.levels.iter().zip(&schema.features).all(|(l, f)| l.fit(f))
            && self.groups.iter().zip(&self.levels).all(|(g, l)| g.fit(l.len()));
        if ok { Ok(()) } else { Err("levels do not fit the schema".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_core::{Fit, Table};

    #[test]
    fn missing_unseen_and_rare_levels_have_numbers_of_their_own() {
        let column = |v: &[Option<&str>]| Table::new(vec![("c".into(), Column::categories(v))]).unwrap();
        let train = column(&[Some("a"), Some("b"), Some("b"), Some("c"), Some("c"), None]);
        let new = column(&[Some("a"), Some("c"), Some("z"), None]);
        let strict = OrdinalEncoder::default().fit(&Dataset::new(&train)).unwrap();
        let error = strict.transform(&new).unwrap_err().to_string();
        assert!(error.contains("`z`") && error.contains("row 2"), "{error}");
        let encoder = OrdinalEncoder::default()
            .handle_unknown(OrdinalUnknown::UseEncodedValue)
            .unknown_value(Some(-1.0))
            .encoded_missing_value(Some(-2.0))
            .min_frequency(Some(CountOrShare::Share(0.2)));
        let model = encoder.fit(&Dataset::new(&train)).unwrap();
        let rows = model.transform(&new).unwrap();
        assert_eq!(rows.dense("x").unwrap().view().to_mat().as_slice(), &[2.0, 1.0, -1.0, -2.0]);
        let back = model.as_model().inverse_transform(&Input::Rows(rows), &Session::default()).unwrap();
        let back = back.table().unwrap();
        let texts: Vec<_> = (0..4).map(|i| back.columns()[0].text(i).map(|t| t.into_owned())).collect();
        assert_eq!(texts, [Some("infrequent".to_owned()), Some("c".to_owned()), None, None]);
        for bad in [encoder.clone().unknown_value(Some(1.0)), encoder.encoded_missing_value(Some(0.0))] {
            assert!(bad.fit(&Dataset::new(&train)).unwrap_err().to_string().contains("_value`"));
        }
    }
}
