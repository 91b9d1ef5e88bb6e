//! Unit norm: each row divided by its norm.
//!
//! # Objective
//! $$ z_i = x_i / \lVert x_i \rVert $$
//! with the norm l1 (sum of absolute values), l2 (Euclidean) or max (largest absolute value). Rows of nothing but
//! zeros are left alone.
//!
//! # Algorithm
//! Row by row; nothing is learnt. In a table the numeric columns of a row are its vector, and other columns pass
//! through. Sparse rows stay sparse.
//!
//! # Complexity
//! Time O(n d), or O(nnz) for sparse rows; memory O(1).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::Normalizer;
//! let x = Mat::from_rows(&[[3.0, 4.0], [0.0, 0.0]]).unwrap();
//! let model = Normalizer::default().fit(&Dataset::new(&x))?;
//! assert_eq!(model.transform(&x)?.dense("z")?.view().to_mat().as_slice(), &[0.6, 0.8, 0.0, 0.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Where squares or sums leave the range of numbers, the row is first divided by its largest absolute value: rows of
//! any magnitude come out with norm 1. (scikit-learn leaves dense rows of norm below 2e-15 as they are.)
//!
//! # References
//! - G. Salton, M. J. McGill. Introduction to Modern Information Retrieval. McGraw-Hill, 1983.

use super::columns::{ColumnMap, map_columns, numeric, same_names};
use crate::expand::parts::Parts;
use mercer_core::sums::Batches;
use mercer_core::{
    Abilities, Certificate, Choice, Dataset, Fitted, Input, Learn, Numbers, Params, Result, RowData, Rows,
    Schema, Session, Termination, Transformer,
};
use mercer_math::Csr;
use serde::{Deserialize, Serialize};

/// The norm of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum Norm {
    /// The sum of absolute values.
    L1,
    /// The Euclidean norm.
    L2,
    /// The largest absolute value.
    Max,
}

/// Unit norm: each row divided by its norm; columns that are no numbers pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "normalizer normalize",
    canon = "D3",
    task = Transformation,
    python = "preprocessing",
    door = "copy=True",
    mixins = "StatelessMixin ScalerMixin",
    can = "transform weights sparse categorical text by_sums",
    references = "Salton, McGill. Introduction to Modern Information Retrieval. McGraw-Hill, 1983."
)]
pub struct Normalizer {
    /// The norm: l1, l2 or max.
    #[param(default = Norm::L2)]
    pub norm: Norm,
}

/// A norm, and the columns that it is taken of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalizerModel {
    norm: Norm,
    numeric: Vec<bool>,
    certificate: Certificate,
}

impl Learn for Normalizer {
    type Model = NormalizerModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<NormalizerModel> {
        Ok(self.model(&Schema::of(data)))
    }

    fn learn_stream(&self, batches: &mut dyn Batches, _: &Session) -> Option<Result<Self::Model>> {
        Some(batches.schema().map(|schema| self.model(&schema)))
    }
}

impl Normalizer {
    fn model(&self, schema: &Schema) -> NormalizerModel {
        let why = "a fixed function learns nothing that could be proved";
        let certificate = Certificate::without_evidence(Termination::Exact, why);
        NormalizerModel { norm: self.norm, numeric: numeric(schema), certificate }
    }
}

impl Norm {
    fn plain(self, row: &[f64]) -> f64 {
        match self {
            Norm::L1 => row.iter().map(|v| v.abs()).sum(),
            Norm::L2 => row.iter().map(|v| v * v).sum::<f64>().sqrt(),
            Norm::Max => row.iter().fold(0.0, |m, v| m.max(v.abs())),
        }
    }

    /// Divides a row by its norm.
    fn divide(self, row: &mut [f64]) {
        let mut norm = self.plain(row);
        // Squares below this lose digits; sums above the largest number are infinite.
        if !(norm.is_finite() && norm > 1e-140) {
            let largest = Norm::Max.plain(row);
            if largest == 0.0 || !largest.is_finite() {
                return;
            }
            row.iter_mut().for_each(|v| *v /= largest);
            norm = self.plain(row);
        }
        row.iter_mut().for_each(|v| *v /= norm);
    }
}

/// Each row of a dense block divided by its norm.
struct ByRows(Norm);

impl ColumnMap for ByRows {
    fn column(&self, _: usize, _: &mut [f64]) {}

    fn rows(&self, block: &mut [f64], n_cols: usize) {
        block.chunks_exact_mut(n_cols).for_each(|row| self.0.divide(row));
    }
}

impl Transformer for NormalizerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(Normalizer::NAME)?;
        match rows.data() {
            RowData::Dense(_) if self.numeric.iter().all(|&n| n) => {
                map_columns(rows, session, &ByRows(self.norm))
            }
            RowData::Sparse(m) => {
                let view = m.view();
                let mut out = Csr::empty(view.n_cols());
                let mut row = Vec::new();
                for i in 0..view.n_rows() {
                    let (columns, values) = view.row(i);
                    row.clear();
                    row.extend_from_slice(values);
                    self.norm.divide(&mut row);
                    out.push_row(columns, &row);
                }
                Ok(out.into())
            }
            _ => {
                let parts = Parts::of(rows, &self.numeric)?;
                let Numbers::Dense(x) = &parts.numbers else { return Ok(rows.gather(&[])) };
                let mut x = x.view().to_mat();
                if x.n_cols() > 0 {
                    (0..x.n_rows()).for_each(|i| self.norm.divide(x.row_mut(i)));
                }
                parts.put_back(&x)
            }
        }
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        same_names(schema)
    }
}

impl Fitted for NormalizerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        if self.numeric == numeric(schema) { Ok(()) } else { Err("columns do not fit the schema".to_owned()) }
    }
}
