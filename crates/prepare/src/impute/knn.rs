//! Imputation from nearest neighbours: the mean of a value among the rows that are most alike.
//!
//! # Objective
//! A missing $x_{ij}$ becomes the (weighted) mean of column $j$ among the `n_neighbors` rows of training that have a value
//! there and are nearest by $\sqrt{\tfrac{d}{|P|}\sum_{p\in P}(x_{ip}-z_p)^2}$, with $P$ the columns present in both rows.
//!
//! # Algorithm
//! Distances of one row with missing values to all rows of training, rows in parallel; the nearest by partial sorting.
//! In a table the numeric columns alone are looked at and imputed; others pass through.
//!
//! # Complexity
//! O(m n d) for m rows with missing values and n of training; the model holds the rows of training.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::KnnImputer;
//! let x = Mat::from_rows(&[[1.0, 2.0], [1.1, f64::NAN], [9.0, 8.0]]).unwrap();
//! let model = KnnImputer::default().n_neighbors(1).fit(&Dataset::new(&x))?;
//! assert_eq!(model.transform(&x)?.dense("x")?.view().get(1, 1), 2.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Distances are sums of squared differences, without cancellation; of equally near rows the first is the nearer. A row
//! that shares no column with any donor gets the mean of the column. A column without any present value gets 0.
//!
//! # References
//! - O. Troyanskaya et al. Missing value estimation methods for DNA microarrays. Bioinformatics 17(6), 2001.

use super::parts::{IndicatorParams, are_numeric, matrix, names, numeric_columns, put_back, with_missing};
use mercer_core::{
    Abilities, Certificate, Choice, Dataset, Error, ErrorKind, Fitted, Input, Learn, Params, Result, Rows,
    Schema, Session, Termination, Transformer,
};
use mercer_math::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How much each neighbour counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum NeighbourWeights {
    /// All the same.
    Uniform,
    /// By the inverse of the distance; at distance zero nothing else counts.
    Distance,
}

/// How near two rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum NanMetric {
    /// Euclidean distance over the columns present in both rows, scaled up to all columns.
    NanEuclidean,
}

/// Imputation from the rows that are most alike.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    name = "KNNImputer",
    aliases = "knn-imputer",
    canon = "D5",
    task = Transformation,
    python = "impute",
    door = "missing_values=float('nan') copy=True keep_empty_features=False",
    mixins = "ImputerMixin",
    can = "transform missing categorical text times",
    references = "Troyanskaya et al. Missing value estimation methods for DNA microarrays. Bioinformatics 17(6), 2001."
)]
pub struct KnnImputer {
    /// The number of neighbours.
    #[param(default = 5, range = "[1, inf)", search = "int 1..30")]
    pub n_neighbors: usize,
    /// How much each neighbour counts.
    #[param(default = NeighbourWeights::Uniform)]
    pub weights: NeighbourWeights,
    /// How near two rows are.
    #[param(default = NanMetric::NanEuclidean)]
    pub metric: NanMetric,
    /// What is kept of where values were missing.
    #[param(flatten)]
    pub indicator: IndicatorParams,
}

/// The rows of training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnnImputerModel {
    columns: Vec<u32>,
    x: Mat,
    means: Vec<f64>,
    n_neighbors: u32,
    weights: NeighbourWeights,
    indicators: Vec<u32>,
    certificate: Certificate,
}

impl Learn for KnnImputer {
    type Model = KnnImputerModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<KnnImputerModel> {
        let rows = data.rows(Self::NAME)?;
        let columns = numeric_columns(&rows);
        let x = matrix(Self::NAME, &rows, &columns)?;
        let why = "imputed values are means of neighbours, with nothing left to prove";
        let mut certificate = Certificate::without_evidence(Termination::Exact, why);
        let mut means = Vec::with_capacity(columns.len());
        for (k, &j) in columns.iter().enumerate() {
            let present: Vec<f64> = x.col(k).into_iter().filter(|v| !v.is_nan()).collect();
            if present.is_empty() {
                certificate =
                    certificate.with_note(format!("column `{}` has no present value", rows.name(j as usize)));
            }
            means.push(if present.is_empty() {
                0.0
            } else {
                mercer_math::sum(&present) / present.len() as f64
            });
        }
        if columns.len() < rows.n_features() {
            certificate = certificate.with_note("columns that are no numbers pass through");
        }
        let indicators = if self.indicator.add_indicator { with_missing(&x, |_| true) } else { Vec::new() };
        let n_neighbors = u32::try_from(self.n_neighbors).unwrap_or(u32::MAX);
        Ok(KnnImputerModel { columns, x, means, n_neighbors, weights: self.weights, indicators, certificate })
    }
}

/// Rows between two looks at the session.
const BLOCK: usize = 16;

impl KnnImputerModel {
    /// The distance of a row to each row of training; NaN where no column is present in both.
    fn distances(&self, row: &[f64], out: &mut Vec<f64>) {
        let d = row.len() as f64;
        out.clear();
        out.extend((0..self.x.n_rows()).map(|i| {
            let (mut sum, mut shared) = (0.0, 0.0);
            for (a, b) in row.iter().zip(self.x.row(i)) {
                let difference = a - b;
                let present = !difference.is_nan();
                sum += if present { difference * difference } else { 0.0 };
                shared += f64::from(u8::from(present));
            }
            (sum * (d / shared)).sqrt()
        }));
    }

    /// The value of column `k` for a row with these distances.
    fn value(&self, k: usize, distances: &[f64], near: &mut Vec<usize>) -> f64 {
        near.clear();
        near.extend((0..distances.len()).filter(|&i| !self.x[(i, k)].is_nan() && !distances[i].is_nan()));
        if near.is_empty() {
            return self.means[k];
        }
        let n = (self.n_neighbors as usize).clamp(1, near.len());
        let order = |a: &usize, b: &usize| distances[*a].total_cmp(&distances[*b]).then(a.cmp(b));
        near.select_nth_unstable_by(n - 1, order);
        near.truncate(n);
        near.sort_unstable_by(order);
        let exact = distances[near[0]] == 0.0;
        let weight = |i: usize| match self.weights {
            NeighbourWeights::Uniform => 1.0,
            NeighbourWeights::Distance if exact => f64::from(u8::from(distances[i] == 0.0)),
            NeighbourWeights::Distance => 1.0 / distances[i],
        };
        let (mut sum, mut total) = (0.0, 0.0);
        for &i in near.iter() {
            sum += weight(i) * self.x[(i, k)];
            total += weight(i);
        }
        sum / total
    }

    fn imputed(&self, x: &Mat, session: &Session) -> Result<Mat> {
        let (mut out, d) = (x.clone(), x.n_cols());
        let rows: Vec<usize> = (0..x.n_rows()).filter(|&i| x.row(i).iter().any(|v| v.is_nan())).collect();
        let blocks = rows.len().div_ceil(BLOCK);
        let block = |b: usize| {
            if session.interrupted().is_some() {
                return Err(Error::from(ErrorKind::Cancelled));
            }
            let (mut distances, mut near) = (Vec::new(), Vec::new());
            let mut filled = Vec::new();
            for &i in &rows[b * BLOCK..((b + 1) * BLOCK).min(rows.len())] {
                self.distances(x.row(i), &mut distances);
                for k in (0..d).filter(|&k| x[(i, k)].is_nan()) {
                    filled.push((i, k, self.value(k, &distances, &mut near)));
                }
            }
            Ok(filled)
        };
        let work = || (0..blocks).into_par_iter().map(block).collect::<Vec<_>>();
        for filled in session.run(work) {
            filled?.into_iter().for_each(|(i, k, v)| out[(i, k)] = v);
        }
        Ok(out)
    }
}

impl Transformer for KnnImputerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(KnnImputer::NAME)?;
        let before = matrix(KnnImputer::NAME, rows, &self.columns)?;
        let after = self.imputed(&before, session)?;
        put_back(rows, &self.columns, &before, after, &self.indicators)
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        names(schema, &self.columns, &self.indicators)
    }
}

impl Fitted for KnnImputerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = self.columns.len();
        let ok = are_numeric(&self.columns, schema)
            && self.x.is_consistent()
            && self.x.n_cols() == d
            && self.means.len() == d
            && self.n_neighbors > 0
            && self.indicators.iter().all(|&k| (k as usize) < d);
        if ok { Ok(()) } else { Err("rows of training do not fit the schema".to_owned()) }
    }
}
