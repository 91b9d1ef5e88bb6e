//! Imputation: a value for what is missing, from the column alone.
//!
//! # Objective
//! Each missing value of column $j$ becomes $\arg\min_c \sum_i w_i\,\ell(x_{ij}, c)$ over its present values: the
//! mean for squared loss, the median for absolute loss, the most frequent value for 0-1 loss.
//!
//! # Algorithm
//! One pass for means, a sort for medians, counts for the most frequent value (ties to the smallest).
//! Categorical, boolean and text columns always take the most frequent value under the numeric strategies; times are
//! numbers. Sparse rows stay sparse: zeros are values, and what is missing is stored.
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

use super::parts::{IndicatorParams, SparseRow, indicator_name};
use crate::scale::columns::to_invert;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, Column, ColumnKind, Dataset, Error, Feature,
    Fitted, Input, Inverse, Learn, MISSING_CODE, MISSING_TIME, Params, Result, RowData, Rows, Schema,
    Session, Table, Termination, Transformer,
};
use mercer_math::{Csr, CsrRef, Mat, Weights, weighted_quantile};
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
    door = "missing_values=float('nan') copy=True keep_empty_features=False",
    mixins = "ImputerMixin",
    can = "transform weights sparse missing categorical text times fills",
    references = "Little, Rubin. Statistical Analysis with Missing Data. Wiley, 2019."
)]
pub struct SimpleImputer {
    /// What stands in for a missing value; columns that are no numbers take the most frequent one.
    #[param(default = ImputeStrategy::Mean, search = "among mean|median|most_frequent")]
    pub strategy: ImputeStrategy,
    /// The number used by the strategy `constant`.
    #[param(default = 0.0, range = "(-inf, inf)")]
    pub fill_value: f64,
    /// What is kept of where values were missing.
    #[param(flatten)]
    pub indicator: IndicatorParams,
}

/// The value for each column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Fill {
    Number(f64),
    Level(u32),
    Truth(bool),
    Text(String),
    Time(i64),
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
        let weights = data.weights();
        if let RowData::Sparse(m) = rows.data() {
            return Ok(self.learn_sparse(&rows, m.view(), Weights::of(&weights)));
        }
        let table = rows.table()?;
        let weight = Weights::of(&weights);
        let mut certificate = Certificate::without_evidence(
            Termination::Exact,
            "a closed form of each column, with nothing left to prove",
        );
        let (mut fills, mut indicators) = (Vec::new(), Vec::new());
        for (j, (name, column)) in table.iter().enumerate() {
            let missing = (0..column.len()).filter(|&i| weight.counts(i) && column.is_missing(i)).count();
            if missing > 0 && self.indicator.add_indicator {
                indicators.push(j as u32);
            }
            let present = (0..column.len()).any(|i| weight.counts(i) && !column.is_missing(i));
            if !present {
                certificate = certificate.with_note(format!("column `{name}` has no present value"));
            }
            fills.push(self.fill(column, weight));
        }
        Ok(SimpleImputerModel { fills, indicators, certificate })
    }

    /// Only indicators tell which values were imputed.
    fn capabilities(&self) -> Capabilities {
        Capabilities { inverse: self.indicator.add_indicator, ..Self::declaration().capabilities }
    }
}

impl SimpleImputer {
    fn learn_sparse(&self, rows: &Rows<'_>, x: CsrRef<'_>, weights: Weights<'_>) -> SimpleImputerModel {
        let total: f64 = weights.iter(x.n_rows()).sum();
        let mut certificate = Certificate::without_evidence(
            Termination::Exact,
            "a closed form of each column, with nothing left to prove",
        );
        let by_column = x.transposed();
        let (mut fills, mut indicators) = (Vec::new(), Vec::new());
        for j in 0..x.n_cols() {
            let (at, values) = by_column.view().row(j);
            let counts =
                || at.iter().zip(values).map(|(&i, &v)| (v, weights[i as usize])).filter(|(_, w)| *w > 0.0);
            let mut present: Vec<(f64, f64)> = counts().filter(|(v, _)| !v.is_nan()).collect();
            if self.indicator.add_indicator && counts().any(|(v, _)| v.is_nan()) {
                indicators.push(j as u32);
            }
            let zeros = total - at.iter().map(|&i| weights[i as usize]).sum::<f64>();
            // What rounding leaves of the weights is no row.
            if zeros > 1e-12 * total {
                present.push((0.0, zeros));
            }
            if present.is_empty() {
                certificate =
                    certificate.with_note(format!("column `{}` has no present value", rows.name(j)));
            }
            fills.push(Fill::Number(self.number(present)));
        }
        SimpleImputerModel { fills, indicators, certificate }
    }

    /// What stands in for a missing number, given the present ones with their weights.
    fn number(&self, mut present: Vec<(f64, f64)>) -> f64 {
        present.sort_by(|a, b| a.0.total_cmp(&b.0));
        match self.strategy {
            ImputeStrategy::Constant => self.fill_value,
            _ if present.is_empty() => 0.0,
            ImputeStrategy::Mean => weighted_mean(&present),
            ImputeStrategy::Median => weighted_quantile(&present, 0.5).unwrap_or(0.0),
            // Zero has two signs, and is one value.
            ImputeStrategy::MostFrequent => {
                weighted_mode(present.into_iter().map(|(v, w)| (v + 0.0, w))).unwrap_or(0.0)
            }
        }
    }

    fn fill(&self, column: &Column<'_>, weight: Weights<'_>) -> Fill {
        match column {
            Column::Numeric(values) => Fill::Number(
                self.number(
                    (0..values.len())
                        .map(|i| (values[i], weight[i]))
                        .filter(|(v, w)| !v.is_nan() && *w > 0.0)
                        .collect(),
                ),
            ),
            Column::Time(times) => Fill::Time(self.time(times, weight)),
            Column::Categorical { codes, .. } => {
                let mut present: Vec<(u32, f64)> = (0..codes.len())
                    .map(|i| (codes[i], weight[i]))
                    .filter(|(c, _)| *c != MISSING_CODE)
                    .collect();
                present.sort_by_key(|(c, _)| *c);
                Fill::Level(weighted_mode(present.into_iter()).unwrap_or(0))
            }
            Column::Boolean(values) => {
                let balance: f64 = (0..values.len())
                    .map(|i| weight[i] * values[i].map_or(0.0, |b| if b { 1.0 } else { -1.0 }))
                    .sum();
                Fill::Truth(balance > 0.0)
            }
            other @ Column::Text(_) => {
                let mut present: Vec<(String, f64)> =
                    (0..other.len()).filter_map(|i| Some((other.text(i)?.into_owned(), weight[i]))).collect();
                present.sort_by(|a, b| a.0.cmp(&b.0));
                Fill::Text(weighted_mode(present.into_iter()).unwrap_or_default())
            }
        }
    }
}

impl SimpleImputer {
    /// A time, computed from the first one on, so that no microsecond is lost; `fill_value` is of seconds since 1970.
    fn time(&self, times: &[i64], weight: Weights<'_>) -> i64 {
        let present = || (0..times.len()).filter(|&i| times[i] != MISSING_TIME && weight.counts(i));
        if self.strategy == ImputeStrategy::Constant {
            return (self.fill_value * 1e6) as i64;
        }
        let Some(origin) = present().map(|i| times[i]).min() else { return 0 };
        let since = present().map(|i| (times[i].wrapping_sub(origin) as f64, weight[i])).collect();
        origin.saturating_add(self.number(since).round() as i64)
    }
}

/// The mean by deviations from the first value, which keeps digits for values far from zero.
fn weighted_mean(present: &[(f64, f64)]) -> f64 {
    let origin = present[0].0;
    let total: f64 = present.iter().map(|(_, w)| w).sum();
    origin + present.iter().map(|(v, w)| w * (v - origin)).sum::<f64>() / total
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
    /// What stands in for a missing number of each column; NaN for columns that are no numbers.
    pub(crate) fn statistics(&self) -> Vec<f64> {
        (0..self.fills.len()).map(|j| self.number(j)).collect()
    }

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
            (Column::Time(v), Fill::Time(fill)) => {
                Column::Time(v.iter().map(|t| if *t == MISSING_TIME { *fill } else { *t }).collect())
            }
            (other, _) => other.clone().into_owned(),
        }
    }

    /// What stands in for a missing number of column `j`.
    fn number(&self, j: usize) -> f64 {
        match self.fills[j] {
            Fill::Number(v) => v,
            _ => f64::NAN,
        }
    }

    fn sparse(&self, x: CsrRef<'_>) -> Csr {
        let d = self.fills.len();
        let mut out = Csr::empty(d + self.indicators.len());
        let mut row = SparseRow::default();
        for i in 0..x.n_rows() {
            row.clear();
            let (columns, values) = x.row(i);
            for (&j, &v) in columns.iter().zip(values) {
                row.push(j, if v.is_nan() { self.number(j as usize) } else { v });
            }
            for (&j, _) in columns.iter().zip(values).filter(|(_, v)| v.is_nan()) {
                if let Ok(k) = self.indicators.binary_search(&j) {
                    row.push((d + k) as u32, 1.0);
                }
            }
            row.end(&mut out);
        }
        out
    }

    /// Values of the columns that an indicator marks, missing again.
    fn inverted_sparse(&self, x: CsrRef<'_>) -> Csr {
        let d = self.fills.len();
        let (mut out, mut row) = (Csr::empty(d), SparseRow::default());
        for i in 0..x.n_rows() {
            row.clear();
            let (columns, values) = x.row(i);
            let marks = columns.iter().zip(values).filter(|(j, v)| **j as usize >= d && **v != 0.0);
            let gone: Vec<u32> = marks.map(|(&j, _)| self.indicators[j as usize - d]).collect();
            for (&j, &v) in
                columns.iter().zip(values).filter(|(j, _)| (**j as usize) < d && !gone.contains(j))
            {
                row.push(j, v);
            }
            gone.iter().for_each(|&j| row.push(j, f64::NAN));
            row.end(&mut out);
        }
        out
    }

    fn inverted_table(&self, table: &Table<'_>) -> Result<Table<'static>> {
        let d = self.fills.len();
        let mut columns = Vec::with_capacity(d);
        for j in 0..d {
            let column = table.columns()[j].as_ref().clone().into_owned();
            let mark = self.indicators.iter().position(|&s| s as usize == j).map(|k| &table.columns()[d + k]);
            let gone = match mark {
                Some(mark) => mark.to_numbers().ok_or_else(|| {
                    Error::incapable(SimpleImputer::NAME, "undo what an indicator that is no number marks")
                })?,
                None => Cow::Borrowed(&[][..]),
            };
            let gone: Vec<bool> = (0..column.len()).map(|i| gone.get(i).is_some_and(|g| *g != 0.0)).collect();
            columns.push((table.names()[j].clone(), without(column, &gone)));
        }
        Table::new(columns)
    }

    fn dense(&self, x: mercer_math::MatRef<'_>) -> Mat {
        let d = x.n_cols();
        Mat::from_fn(x.n_rows(), d + self.indicators.len(), |i, j| {
            match self.indicators.get(j.wrapping_sub(d)) {
                Some(&source) if j >= d => f64::from(u8::from(x.get(i, source as usize).is_nan())),
                _ if x.get(i, j).is_nan() => self.number(j),
                _ => x.get(i, j),
            }
        })
    }
}

/// A column with some of its values missing.
fn without(column: Column<'static>, gone: &[bool]) -> Column<'static> {
    fn each<T: Clone>(values: &[T], gone: &[bool], missing: &T) -> Vec<T> {
        values.iter().zip(gone).map(|(v, g)| if *g { missing } else { v }.clone()).collect()
    }
    match column {
        Column::Numeric(v) => Column::Numeric(each(&v, gone, &f64::NAN).into()),
        Column::Categorical { codes, levels } => {
            Column::Categorical { codes: each(&codes, gone, &MISSING_CODE).into(), levels }
        }
        Column::Boolean(v) => Column::Boolean(each(&v, gone, &None).into()),
        Column::Text(v) => Column::Text(each(&v, gone, &None).into()),
        Column::Time(v) => Column::Time(each(&v, gone, &MISSING_TIME).into()),
    }
}

impl Transformer for SimpleImputerModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(SimpleImputer::NAME)?;
        match rows.data() {
            RowData::Dense(m) => return Ok(self.dense(m.view()).into()),
            RowData::Sparse(m) => return Ok(self.sparse(m.view()).into()),
            RowData::Table(_) => {}
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

impl Inverse for SimpleImputerModel {
    /// What the indicators mark is missing again.
    fn inverted(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let (d, k) = (self.fills.len(), self.indicators.len());
        let rows = to_invert(SimpleImputer::NAME, input, d + k)?;
        match rows.data() {
            RowData::Dense(m) => {
                let x = m.view();
                let mut out = Mat::from_fn(x.n_rows(), d, |i, j| x.get(i, j));
                for i in 0..x.n_rows() {
                    let marks = self.indicators.iter().enumerate().filter(|(c, _)| x.get(i, d + c) != 0.0);
                    marks.for_each(|(_, &j)| out[(i, j as usize)] = f64::NAN);
                }
                Ok(out.into())
            }
            RowData::Sparse(m) => Ok(self.inverted_sparse(m.view()).into()),
            RowData::Table(table) => Ok(self.inverted_table(table)?.into()),
        }
    }
}

impl Fitted for SimpleImputerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            transform: Some(self),
            inverse: (!self.indicators.is_empty()).then_some(self as _),
            ..Abilities::default()
        }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        (ability == "inverse")
            .then(|| "it has no indicators; set add_indicator, and have missing values".to_owned())
    }

    fn attributes(&self) -> Vec<Attribute> {
        let values = self.statistics();
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
            (Fill::Text(_), ColumnKind::Text) | (Fill::Time(_), ColumnKind::Time) => true,
            _ => false,
        };
        let d = schema.n_features();
        let ok = self.fills.len() == d
            && self.fills.iter().zip(&schema.features).all(fits)
            && self.indicators.windows(2).all(|w| w[0] < w[1])
            && self.indicators.iter().all(|&j| (j as usize) < d);
        if ok { Ok(()) } else { Err("values do not fit the schema".to_owned()) }
    }
}

#[cfg(test)]
#[path = "simple_tests.rs"]
mod tests;
