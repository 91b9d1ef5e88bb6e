//! Standardisation: each feature to mean 0 and standard deviation 1.
//!
//! # Objective
//! $$ z_j = (x_j - \mu_j) / \sigma_j, \qquad \sigma_j^2 = \tfrac{1}{W}\sum_i w_i (x_{ij} - \mu_j)^2 $$
//! with weights $w_i$ and $W = \sum_i w_i$. A constant feature is only centred.
//!
//! # Algorithm
//! Moments of blocks of rows, two passes within a block, merged by the update of Chan, Golub and LeVeque. Missing
//! values are left out of the moments and stay missing.
//!
//! # Complexity
//! Time O(n d), memory O(d).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::StandardScaler;
//! let x = Mat::from_rows(&[[1.0], [3.0]]).unwrap();
//! let scaler = StandardScaler::default().fit(&Dataset::new(&x))?;
//! let z = scaler.transform(&x)?.dense("z")?.view().to_mat();
//! assert_eq!(z.as_slice(), &[-1.0, 1.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A feature whose deviation is below what rounding leaves of its mean counts as constant, as in scikit-learn.
//!
//! # References
//! - T. F. Chan, G. H. Golub, R. J. LeVeque. Updating formulae and a pairwise algorithm for computing sample
//!   variances. Stanford CS-79-773, 1979.

use mercer_core::sums::{self, Batches, Block, BySums, Round, Shape};
use mercer_core::{
    Attribute, Capabilities, Certificate, Column, Dataset, Error, Evidence, Fitted, Input, Learn, NumbersRef,
    Params, Result, RowData, Rows, Schema, Session, Table, Termination, Transformer,
};
use mercer_math::{Csr, MatRef, Moments};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Standardisation: each numeric feature to mean 0 and standard deviation 1; other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "standard-scaler scale",
    canon = "D3",
    task = Transformation,
    python = "preprocessing",
    can = "transform inverse weights sparse missing categorical text by_sums",
    references = "Chan, Golub, LeVeque. Updating formulae and a pairwise algorithm for computing sample variances. 1979."
)]
pub struct StandardScaler {
    /// Whether to subtract the mean; not possible on sparse rows.
    #[param(default = true)]
    pub with_mean: bool,
    /// Whether to divide by the standard deviation.
    #[param(default = true)]
    pub with_std: bool,
}

/// Fitted means and scales.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StandardScalerModel {
    /// The mean of each feature (0 for columns that pass through).
    pub mean: Vec<f64>,
    /// The standard deviation that each feature is divided by (1 where it is constant).
    pub scale: Vec<f64>,
    /// The variance of each feature.
    pub var: Vec<f64>,
    /// The weight of the values seen of each feature.
    weight: Vec<f64>,
    with_mean: bool,
    with_std: bool,
    certificate: Certificate,
}

impl Learn for StandardScaler {
    type Model = StandardScalerModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<StandardScalerModel> {
        let rows = data.rows(Self::NAME)?;
        if self.with_mean && rows.is_sparse() {
            let message = "centre sparse rows; set with_mean=false";
            return Err(Error::incapable(Self::NAME, message));
        }
        match rows.data() {
            RowData::Table(table) => {
                let weights = data.weights();
                let moments = table.columns().iter().map(|c| column_moments(c, weights.as_deref())).collect();
                Ok(self.model(moments))
            }
            _ => sums::fit(Self::NAME, self, data, session),
        }
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        Some(sums::fit_stream(Self::NAME, &self.capabilities(), self, batches, session))
    }

    /// Centring would fill sparse rows.
    fn capabilities(&self) -> Capabilities {
        Capabilities { sparse: !self.with_mean, ..Self::declaration().capabilities }
    }
}

fn column_moments(column: &Column<'_>, weights: Option<&[f64]>) -> Moments {
    let mut moments = Moments::default();
    if let Column::Numeric(values) = column {
        for (i, &v) in values.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
            moments.push(v, weights.map_or(1.0, |w| w[i]));
        }
    }
    moments
}

impl BySums for StandardScaler {
    type State = usize;
    type Summary = Vec<Moments>;
    type Local = ();
    type Model = StandardScalerModel;

    fn begin(&self, shape: &Shape, _: &Session) -> Result<usize> {
        Ok(shape.n_features)
    }

    fn empty(&self, n_features: &usize) -> Vec<Moments> {
        vec![Moments::default(); *n_features]
    }

    fn absorb(&self, _: &usize, block: &Block<'_>, (): &mut (), summary: &mut Vec<Moments>) -> Result<()> {
        let found = match block.x {
            NumbersRef::Dense(x) => dense_moments(x, block),
            NumbersRef::Sparse(_) => sparse_moments(block),
        };
        self.merge(summary, found);
        Ok(())
    }

    fn merge(&self, into: &mut Vec<Moments>, other: Vec<Moments>) {
        into.iter_mut().zip(other).for_each(|(a, b)| *a = a.merge(b));
    }

    fn advance(
        &self,
        _: usize,
        summary: Vec<Moments>,
        _: &Session,
    ) -> Result<Round<usize, StandardScalerModel>> {
        Ok(Round::Done(self.model(summary)))
    }
}

/// Moments of the columns of a dense block in two passes, missing values left out.
fn dense_moments(x: MatRef<'_>, block: &Block<'_>) -> Vec<Moments> {
    let d = x.n_cols();
    let (mut weight, mut mean, mut m2) = (vec![0.0; d], vec![0.0; d], vec![0.0; d]);
    let each = |pass: &mut dyn FnMut(usize, f64, f64)| {
        for i in 0..x.n_rows() {
            let w = block.weight(i);
            x.row_cow(i).iter().enumerate().filter(|(_, v)| !v.is_nan()).for_each(|(j, &v)| pass(j, v, w));
        }
    };
    each(&mut |j, v, w| {
        weight[j] += w;
        mean[j] += w * v;
    });
    mean.iter_mut().zip(&weight).for_each(|(m, w)| *m = if *w > 0.0 { *m / w } else { 0.0 });
    each(&mut |j, v, w| m2[j] += w * (v - mean[j]) * (v - mean[j]));
    (0..d).map(|j| Moments { weight: weight[j], mean: mean[j], m2: m2[j] }).collect()
}

/// Moments of the columns of a sparse block: stored values, then the zeros as one merge.
fn sparse_moments(block: &Block<'_>) -> Vec<Moments> {
    let NumbersRef::Sparse(x) = block.x else { return Vec::new() };
    let mut moments = vec![Moments::default(); x.n_cols()];
    let mut missing = vec![0.0; x.n_cols()];
    let mut total = 0.0;
    for i in 0..x.n_rows() {
        let (w, (columns, values)) = (block.weight(i), x.row(i));
        total += w;
        for (&j, &v) in columns.iter().zip(values) {
            if v.is_nan() { missing[j as usize] += w } else { moments[j as usize].push(v, w) }
        }
    }
    let zeros = |(m, missing): (Moments, f64)| {
        m.merge(Moments { weight: total - m.weight - missing, mean: 0.0, m2: 0.0 })
    };
    moments.into_iter().zip(missing).map(zeros).collect()
}

impl StandardScaler {
    fn model(&self, moments: Vec<Moments>) -> StandardScalerModel {
        let var: Vec<f64> = moments.iter().map(|m| if m.weight > 0.0 { m.variance() } else { 0.0 }).collect();
        let scale = moments.iter().zip(&var).map(|(m, &v)| {
            // What rounding alone can leave of the variance of a constant column.
            let rounding = m.weight * f64::EPSILON * v + (m.weight * m.mean * f64::EPSILON).powi(2);
            if v <= rounding || v == 0.0 { 1.0 } else { v.sqrt() }
        });
        let certificate = Certificate::new(Termination::Exact).with_evidence(Evidence::value(
            "weighted mean of the first feature",
            moments.first().map_or(0.0, |m| m.mean),
            "a closed form: recomputing it from the data must give the same",
        ));
        StandardScalerModel {
            scale: scale.collect(),
            mean: moments.iter().map(|m| m.mean).collect(),
            weight: moments.iter().map(|m| m.weight).collect(),
            var,
            with_mean: self.with_mean,
            with_std: self.with_std,
            certificate,
        }
    }
}

impl StandardScalerModel {
    /// (shift, factor) of feature `j`: z = (x − shift) · factor.
    fn map(&self, j: usize) -> (f64, f64) {
        (if self.with_mean { self.mean[j] } else { 0.0 }, if self.with_std { self.scale[j] } else { 1.0 })
    }

    fn apply(&self, rows: &Rows<'_>, f: impl Fn(f64, f64, f64) -> f64) -> Result<Rows<'static>> {
        let maps: Vec<(f64, f64)> = (0..self.mean.len()).map(|j| self.map(j)).collect();
        match rows.data() {
            RowData::Dense(m) => {
                let mut out = m.view().to_mat();
                for i in 0..out.n_rows() {
                    out.row_mut(i)
                        .iter_mut()
                        .zip(&maps)
                        .for_each(|(v, &(shift, scale))| *v = f(*v, shift, scale));
                }
                Ok(out.into())
            }
            RowData::Sparse(m) => {
                let view = m.view();
                let mut out = Csr::empty(view.n_cols());
                for i in 0..view.n_rows() {
                    let (columns, values) = view.row(i);
                    let scaled: Vec<f64> =
                        columns.iter().zip(values).map(|(&j, &v)| f(v, 0.0, maps[j as usize].1)).collect();
                    out.push_row(columns, &scaled);
                }
                Ok(out.into())
            }
            RowData::Table(table) => {
                let column = |(j, (name, column)): (usize, (&str, &std::sync::Arc<Column<'_>>))| {
                    let (shift, scale) = maps[j];
                    let column = match column.as_ref() {
                        Column::Numeric(v) => {
                            Column::Numeric(Cow::Owned(v.iter().map(|&v| f(v, shift, scale)).collect()))
                        }
                        other => other.clone().into_owned(),
                    };
                    (name.to_owned(), column)
                };
                Ok(Table::new(table.iter().enumerate().map(column).collect())?.into())
            }
        }
    }
}

impl Transformer for StandardScalerModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(StandardScaler::NAME)?;
        if self.with_mean && rows.is_sparse() {
            return Err(Error::incapable(StandardScaler::NAME, "centre sparse rows; set with_mean=false"));
        }
        self.apply(rows, |v, shift, scale| (v - shift) / scale)
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        schema.features.iter().map(|f| f.name.clone()).collect()
    }

    fn inverted(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(StandardScaler::NAME)?;
        if rows.n_features() != self.mean.len() {
            return Err(Error::shape(
                "features of the input to StandardScaler",
                self.mean.len(),
                rows.n_features(),
            ));
        }
        self.apply(rows, |v, shift, scale| v * scale + shift)
    }
}

impl Fitted for StandardScalerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let weights = data.weights();
        let rows = data.rows(StandardScaler::NAME)?;
        let table = rows.table()?;
        let mean = table.columns().first().map_or(0.0, |c| column_moments(c, weights.as_deref()).mean);
        Ok(vec![("weighted mean of the first feature".to_owned(), mean)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let d = [self.mean.len()];
        let mut out = vec![];
        if self.with_mean || self.with_std {
            out.push(Attribute::real("mean_", "The mean of each feature.", &d, self.mean.clone()));
        }
        if self.with_std {
            out.push(Attribute::real("var_", "The variance of each feature.", &d, self.var.clone()));
            out.push(Attribute::real("scale_", "What each feature is divided by.", &d, self.scale.clone()));
        }
        let seen = self.weight.first().copied().unwrap_or(0.0);
        if self.weight.iter().all(|w| *w == seen) {
            out.push(Attribute::real("n_samples_seen_", "The weight of the rows seen.", &[], vec![seen]));
        } else {
            out.push(Attribute::real(
                "n_samples_seen_",
                "The weight of the values seen.",
                &d,
                self.weight.clone(),
            ));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let lengths = [self.mean.len(), self.scale.len(), self.var.len(), self.weight.len()];
        if lengths.iter().all(|&l| l == d) { Ok(()) } else { Err("means do not fit the schema".to_owned()) }
    }
}
