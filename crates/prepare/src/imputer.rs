//! Imputation: a value for what is missing, from the column alone.
//!
//! # Objective
//! Each missing value of column $j$ becomes $\arg\min_c \sum_i w_i\,\ell(x_{ij}, c)$ over its present values: the
//! mean for squared loss, the median for absolute loss, the most frequent value for 0-1 loss.
//!
//! # Algorithm
//! One pass for means, a sort for medians, counts for the most frequent value (ties to the smallest).
//! Categorical, boolean and text columns always take the most frequent value under the numeric strategies.
//!
//! # Complexity
//! Time O(n d), or O(n d log n) for medians and modes; memory O(n).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::SimpleImputer;
//! let x = Mat::from_rows(&[[1.0], [f64::NAN], [3.0]]).unwrap();
//! let imputer = SimpleImputer::default().fit(&Dataset::new(&x))?;
//! assert_eq!(imputer.transform(&x)?.dense("x")?.view().get(1, 0), 2.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A column without any present value gets 0 (or its first level), and the certificate says so.
//!
//! # References
//! - R. J. A. Little, D. B. Rubin. Statistical Analysis with Missing Data. Wiley, 2019. doi:10.1002/9781119482260

use mercer_core::{
    Attribute, Certificate, Choice, Column, ColumnKind, Dataset, Feature, Fitted, Input, Learn, MISSING_CODE,
    Params, Result, RowData, Rows, Schema, Session, Table, Termination, Transformer,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What [`SimpleImputer`] puts in place of a missing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum ImputeStrategy {
    /// The mean.
    Mean,
    /// The median.
    Median,
    /// The most frequent value, the smallest among equals.
    MostFrequent,
    /// `fill_value`.
    Constant,
}

/// Imputation: the mean, median, most frequent value or a constant in place of what is missing.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "imputer impute",
    canon = "D5",
    task = Transformation,
    python = "impute",
    can = "transform weights missing categorical text times fills",
    references = "Little, Rubin. Statistical Analysis with Missing Data. Wiley, 2019."
)]
pub struct SimpleImputer {
    /// What stands in for a missing value; columns that are no numbers take the most frequent one.
    #[param(default = ImputeStrategy::Mean, search = "among mean|median|most_frequent")]
    pub strategy: ImputeStrategy,
    /// The number used by the strategy `constant`.
    #[param(default = 0.0, range = "(-inf, inf)")]
    pub fill_value: f64,
    /// Whether to add a 0/1 column for each column that had missing values in training.
    #[param(default = false)]
    pub add_indicator: bool,
}

/// The value for each column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Fill {
    Number(f64),
    Level(u32),
    Truth(bool),
    Text(String),
}

/// Fitted values, one for each column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimpleImputerModel {
    fills: Vec<Fill>,
    indicators: Vec<u32>,
    certificate: Certificate,
}

impl Learn for SimpleImputer {
    type Model = SimpleImputerModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<SimpleImputerModel> {
        let rows = data.rows(Self::NAME)?;
        let table = rows.table()?;
        let weights = data.weights();
        let weight = |i: usize| weights.as_ref().map_or(1.0, |w| w[i]);
        let mut certificate = Certificate::without_evidence(
            Termination::Exact,
            "a closed form of each column, with nothing left to prove",
        );
        let (mut fills, mut indicators) = (Vec::new(), Vec::new());
        for (j, (name, column)) in table.iter().enumerate() {
            let missing = (0..column.len()).filter(|&i| weight(i) > 0.0 && column.is_missing(i)).count();
            if missing > 0 && self.add_indicator {
                indicators.push(j as u32);
            }
            let present = (0..column.len()).any(|i| weight(i) > 0.0 && !column.is_missing(i));
            if !present {
                certificate = certificate.with_note(format!("column `{name}` has no present value"));
            }
            fills.push(self.fill(column, &weight));
        }
        Ok(SimpleImputerModel { fills, indicators, certificate })
    }
}

impl SimpleImputer {
    fn fill(&self, column: &Column<'_>, weight: &dyn Fn(usize) -> f64) -> Fill {
        let constant = self.strategy == ImputeStrategy::Constant;
        match column {
            Column::Numeric(values) => {
                let mut present: Vec<(f64, f64)> = (0..values.len())
                    .map(|i| (values[i], weight(i)))
                    .filter(|(v, w)| !v.is_nan() && *w > 0.0)
                    .collect();
                present.sort_by(|a, b| a.0.total_cmp(&b.0));
                Fill::Number(match self.strategy {
                    _ if constant => self.fill_value,
                    _ if present.is_empty() => 0.0,
                    ImputeStrategy::Mean => weighted_mean(&present),
                    ImputeStrategy::Median => weighted_median(&present),
                    _ => weighted_mode(present.into_iter()).unwrap_or(0.0),
                })
            }
            Column::Categorical { codes, .. } => {
                let mut present: Vec<(u32, f64)> = (0..codes.len())
                    .map(|i| (codes[i], weight(i)))
                    .filter(|(c, _)| *c != MISSING_CODE)
                    .collect();
                present.sort_by_key(|(c, _)| *c);
                Fill::Level(weighted_mode(present.into_iter()).unwrap_or(0))
            }
            Column::Boolean(values) => {
                let balance: f64 = (0..values.len())
                    .map(|i| weight(i) * values[i].map_or(0.0, |b| if b { 1.0 } else { -1.0 }))
                    .sum();
                Fill::Truth(balance > 0.0)
            }
            other => {
                let mut present: Vec<(String, f64)> =
                    (0..other.len()).filter_map(|i| Some((other.text(i)?.into_owned(), weight(i)))).collect();
                present.sort_by(|a, b| a.0.cmp(&b.0));
                Fill::Text(weighted_mode(present.into_iter()).unwrap_or_default())
            }
        }
    }
}

/// The mean by deviations from the first value, which keeps digits for values far from zero.
fn weighted_mean(present: &[(f64, f64)]) -> f64 {
    let origin = present[0].0;
    let total: f64 = present.iter().map(|(_, w)| w).sum();
    origin + present.iter().map(|(v, w)| w * (v - origin)).sum::<f64>() / total
}

/// The median of sorted values: the middle of the two values around half the weight.
fn weighted_median(sorted: &[(f64, f64)]) -> f64 {
    let half: f64 = sorted.iter().map(|(_, w)| w).sum::<f64>() / 2.0;
    let mut below = 0.0;
    for (i, (v, w)) in sorted.iter().enumerate() {
        below += w;
        if below > half * (1.0 + 1e-12) {
            return *v;
        }
        if below >= half * (1.0 - 1e-12) {
            let next = sorted.get(i + 1).map_or(*v, |n| n.0);
            return v + (next - v) / 2.0;
        }
    }
    sorted.last().map_or(0.0, |l| l.0)
}

/// The value of most weight among sorted ones, the first among equals.
fn weighted_mode<T: PartialEq + Clone>(sorted: impl Iterator<Item = (T, f64)>) -> Option<T> {
    let mut best: Option<(T, f64)> = None;
    let mut run: Option<(T, f64)> = None;
    for (value, weight) in sorted {
        run = match run {
            Some((v, w)) if v == value => Some((v, w + weight)),
            _ => Some((value, weight)),
        };
        if let Some((v, w)) = &run
            && best.as_ref().is_none_or(|(_, b)| w > b)
        {
            best = Some((v.clone(), *w));
        }
    }
    best.map(|(v, _)| v)
}

impl SimpleImputerModel {
    fn filled(&self, j: usize, column: &Column<'_>) -> Column<'static> {
        match (column, &self.fills[j]) {
            (Column::Numeric(v), Fill::Number(fill)) => {
                Column::Numeric(v.iter().map(|v| if v.is_nan() { *fill } else { *v }).collect())
            }
            (Column::Categorical { codes, levels }, Fill::Level(fill)) => Column::Categorical {
                codes: codes
                    .iter()
                    .map(|&c| if c == MISSING_CODE && !levels.is_empty() { *fill } else { c })
                    .collect(),
                levels: levels.clone(),
            },
            (Column::Boolean(v), Fill::Truth(fill)) => {
                Column::Boolean(v.iter().map(|b| b.or(Some(*fill))).collect())
            }
            (Column::Text(v), Fill::Text(fill)) => {
                Column::Text(v.iter().map(|t| t.clone().or_else(|| Some(fill.clone()))).collect())
            }
            (other, _) => other.clone().into_owned(),
        }
    }

    fn dense(&self, x: mercer_math::MatRef<'_>) -> Mat {
        let d = x.n_cols();
        let fill = |j: usize| match self.fills[j] {
            Fill::Number(v) => v,
            _ => f64::NAN,
        };
        Mat::from_fn(x.n_rows(), d + self.indicators.len(), |i, j| {
            match self.indicators.get(j.wrapping_sub(d)) {
                Some(&source) if j >= d => f64::from(u8::from(x.get(i, source as usize).is_nan())),
                _ if x.get(i, j).is_nan() => fill(j),
                _ => x.get(i, j),
            }
        })
    }
}

impl Transformer for SimpleImputerModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(SimpleImputer::NAME)?;
        if let RowData::Dense(m) = rows.data() {
            return Ok(self.dense(m.view()).into());
        }
        let table = rows.table()?;
        let mut columns: Vec<(String, Column<'static>)> = table
            .iter()
            .enumerate()
            .map(|(j, (name, column))| (name.to_owned(), self.filled(j, column)))
            .collect();
        for &j in &self.indicators {
            let column = &table.columns()[j as usize];
            let flags = (0..column.len()).map(|i| f64::from(u8::from(column.is_missing(i)))).collect();
            columns.push((indicator_name(&table.names()[j as usize]), Column::Numeric(Cow::Owned(flags))));
        }
        Ok(Table::new(columns)?.into())
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        let names = schema.features.iter().map(|f| f.name.clone());
        names
            .chain(self.indicators.iter().map(|&j| indicator_name(&schema.features[j as usize].name)))
            .collect()
    }
}

fn indicator_name(column: &str) -> String {
    format!("missingindicator_{column}")
}

impl Fitted for SimpleImputerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let number = |f: &Fill| if let Fill::Number(v) = f { *v } else { f64::NAN };
        let values = self.fills.iter().map(number).collect();
        vec![Attribute::real(
            "statistics_",
            "The value for each numeric column.",
            &[self.fills.len()],
            values,
        )]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = |(fill, feature): (&Fill, &Feature)| match (fill, feature.kind) {
            (Fill::Number(_), ColumnKind::Numeric) | (Fill::Truth(_), ColumnKind::Boolean) => true,
            (Fill::Level(c), ColumnKind::Categorical) => (*c as usize) < feature.levels.len().max(1),
            (Fill::Text(_), ColumnKind::Text) => true,
            _ => false,
        };
        let d = schema.n_features();
        let ok = self.fills.len() == d
            && self.fills.iter().zip(&schema.features).all(fits)
            && self.indicators.iter().all(|&j| (j as usize) < d);
        if ok { Ok(()) } else { Err("values do not fit the schema".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_core::Fit;

    #[test]
    fn strategies_agree_with_their_definitions_and_with_copies() {
        let x = Mat::from_rows(&[[1.0], [2.0], [f64::NAN], [2.0], [10.0]]).unwrap();
        let check = |strategy, expect: f64| {
            let model = SimpleImputer::default().strategy(strategy).fit(&Dataset::new(&x)).unwrap();
            assert_eq!(
                model.transform(&x).unwrap().dense("x").unwrap().view().get(2, 0),
                expect,
                "{strategy:?}"
            );
        };
        check(ImputeStrategy::Mean, 3.75);
        check(ImputeStrategy::Median, 2.0);
        check(ImputeStrategy::MostFrequent, 2.0);
        check(ImputeStrategy::Constant, 0.0);
        assert_eq!(weighted_median(&[(1.0, 2.0), (5.0, 2.0)]), 3.0);
        assert_eq!(weighted_median(&[(1.0, 1.0), (1.0, 1.0), (5.0, 1.0), (5.0, 1.0)]), 3.0);
    }

    #[test]
    fn indicators_mark_what_was_missing() {
        let table =
            Table::new(vec![("island".into(), Column::categories(&[Some("a"), None, Some("a"), Some("b")]))])
                .unwrap();
        let model = SimpleImputer::default().add_indicator(true).fit(&Dataset::new(&table)).unwrap();
        let out = model.transform(&table).unwrap().table().unwrap().gather(&[1]);
        assert_eq!(out.column("island").unwrap().text(0).as_deref(), Some("a"));
        assert_eq!(out.column("missingindicator_island").unwrap().to_numbers().unwrap()[0], 1.0);
    }
}
