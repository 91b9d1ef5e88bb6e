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

use super::columns::{MulAdd, SubDiv, map_columns, same_names, to_invert};
use mercer_core::sums::{self, Batches, Block, BySums, Round, Shape};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Column, Dataset, Error, Evidence, Fitted, Input,
    Inverse, Learn, NumbersRef, Params, Result, RowData, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::{ColumnMoments, CsrRef, MatRef, Moments, Weights};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Standardisation: each numeric feature to mean 0 and standard deviation 1; other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "standard-scaler scale",
    canon = "D3",
    task = Transformation,
    python = "preprocessing",
    door = "copy=True",
    mixins = "PartialMixin ScalerMixin",
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
            return Err(Error::incapable(Self::NAME, CENTRE_SPARSE));
        }
        match rows.data() {
            RowData::Table(_) => Ok(self.model(moments(&rows, data.weights().as_deref()))),
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

const CENTRE_SPARSE: &str = "centre sparse rows; set with_mean=false";

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
            NumbersRef::Dense(x) => ColumnMoments::of_block(x, block.weights.given()).columns,
            NumbersRef::Sparse(x) => sparse_moments(x, block.weights),
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

/// Moments of every column in any layout, missing values left out; columns that are no numbers have none.
fn moments(rows: &Rows<'_>, weights: Option<&[f64]>) -> Vec<Moments> {
    match rows.data() {
        RowData::Dense(m) => ColumnMoments::of(m.view(), weights).columns,
        RowData::Sparse(m) => sparse_moments(m.view(), weights.into()),
        RowData::Table(table) => {
            table.columns().iter().map(|column| column_moments(column, weights)).collect()
        }
    }
}

/// The same blocks and the same tree as for matrices: a table gives the bits of its matrix.
fn column_moments(column: &Column<'_>, weights: Option<&[f64]>) -> Moments {
    let Column::Numeric(values) = column else { return Moments::default() };
    moments_of(values, weights)
}

/// Moments of a slice, in blocks.
pub(super) fn moments_of(values: &[f64], weights: Option<&[f64]>) -> Moments {
    let view = MatRef::row_major(values, values.len(), 1);
    view.and_then(|x| ColumnMoments::of(x, weights).columns.pop()).unwrap_or_default()
}

/// Moments of sparse columns: stored values, then the zeros as one merge.
fn sparse_moments(x: CsrRef<'_>, weights: Weights<'_>) -> Vec<Moments> {
    let mut moments = vec![Moments::default(); x.n_cols()];
    let mut missing = vec![0.0; x.n_cols()];
    let mut total = 0.0;
    for i in 0..x.n_rows() {
        let (w, (columns, values)) = (weights[i], x.row(i));
        total += w;
        for (&j, &v) in columns.iter().zip(values) {
            if v.is_nan() { missing[j as usize] += w } else { moments[j as usize].push(v, w) }
        }
    }
    let zeros = |(m, missing): (Moments, f64)| {
        m.merge(Moments { weight: (total - m.weight - missing).max(0.0), mean: 0.0, m2: 0.0 })
    };
    moments.into_iter().zip(missing).map(zeros).collect()
}

/// What a feature is divided by: its deviation, or 1 where that is no more than rounding leaves of a constant.
pub(super) fn deviation(m: &Moments) -> f64 {
    let var = m.variance();
    let rounding = m.weight * f64::EPSILON * var + (m.weight * m.mean * f64::EPSILON).powi(2);
    if var <= rounding || var == 0.0 || m.weight == 0.0 { 1.0 } else { var.sqrt() }
}

const MEAN: &str = "largest mean of a transformed feature";
const VARIANCE: &str = "largest distance of the variance of a transformed feature from 1";

impl StandardScaler {
    fn model(&self, moments: Vec<Moments>) -> StandardScalerModel {
        let mut model = StandardScalerModel {
            scale: moments.iter().map(deviation).collect(),
            mean: moments.iter().map(|m| m.mean).collect(),
            weight: moments.iter().map(|m| m.weight).collect(),
            var: moments.iter().map(|m| if m.weight > 0.0 { m.variance() } else { 0.0 }).collect(),
            with_mean: self.with_mean,
            with_std: self.with_std,
            certificate: Certificate::new(Termination::Exact),
        };
        model.certificate = model.promise();
        model
    }
}

impl StandardScalerModel {
    /// What is proved: means of 0 and variances of 1, to the rounding that the offset of a feature costs.
    fn promise(&self) -> Certificate {
        let offsets = self.mean.iter().zip(&self.scale).filter(|(_, s)| s.is_finite());
        let worst = offsets.map(|(m, s)| m.abs() / s).fold(1.0, f64::max);
        let bound = 64.0 * f64::EPSILON * worst;
        let mut certificate = Certificate::new(Termination::Exact);
        if self.with_mean {
            let meaning = "zero but for rounding, in units of the deviation: every feature is centred";
            certificate = certificate.with_evidence(Evidence::bound(MEAN, bound, meaning));
        }
        if self.with_std {
            let meaning = "zero but for rounding: every feature that is not constant has variance 1";
            certificate = certificate.with_evidence(Evidence::bound(VARIANCE, bound, meaning));
        }
        if !self.with_mean && !self.with_std {
            certificate = certificate.with_note("nothing is changed: with_mean and with_std are both false");
        }
        certificate
    }

    /// Shift and scale of all features.
    fn map(&self) -> (Cow<'_, [f64]>, Cow<'_, [f64]>) {
        let d = self.mean.len();
        let shift = if self.with_mean { self.mean.as_slice().into() } else { vec![0.0; d].into() };
        let scale = if self.with_std { self.scale.as_slice().into() } else { vec![1.0; d].into() };
        (shift, scale)
    }
}

impl Transformer for StandardScalerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(StandardScaler::NAME)?;
        if self.with_mean && rows.is_sparse() {
            return Err(Error::incapable(StandardScaler::NAME, CENTRE_SPARSE));
        }
        let (shift, scale) = self.map();
        map_columns(rows, session, &SubDiv { shift, scale })
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        same_names(schema)
    }
}

impl Inverse for StandardScalerModel {
    fn inverted(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = to_invert(StandardScaler::NAME, input, self.mean.len())?;
        if self.with_mean && rows.is_sparse() {
            return Err(Error::incapable(StandardScaler::NAME, CENTRE_SPARSE));
        }
        let (shift, scale) = self.map();
        map_columns(rows, session, &MulAdd { scale, shift, clip: None })
    }
}

impl Fitted for StandardScalerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let rows = self.transformed(data.whole_input(), session)?;
        let found = moments(&rows, data.weights().as_deref());
        let finite = || found.iter().zip(&self.scale).filter(|(_, s)| s.is_finite());
        let unit = |s: f64| if self.with_std { 1.0 } else { s };
        let mean = finite().map(|(m, &s)| m.mean.abs() / unit(s)).fold(0.0, f64::max);
        let varying = finite().zip(&self.var).filter(|((_, s), var)| **s != 1.0 || **var == 1.0);
        let variance = varying.map(|((m, _), _)| (m.variance() - 1.0).abs()).fold(0.0, f64::max);
        Ok(vec![(MEAN.to_owned(), mean), (VARIANCE.to_owned(), variance)])
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
