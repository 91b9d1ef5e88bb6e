//! Binarisation: 1 above a threshold, 0 up to it.
//!
//! # Objective
//! $$ z = [x > t] $$
//!
//! # Algorithm
//! Value by value; nothing is learnt. With a threshold from 0 on sparse rows stay sparse, and what becomes 0 is no
//! longer stored.
//!
//! # Complexity
//! Time O(n d), or O(nnz) for sparse rows; memory O(1).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::Binarizer;
//! let x = Mat::from_rows(&[[0.5, -2.0], [0.0, 3.0]]).unwrap();
//! let model = Binarizer::default().fit(&Dataset::new(&x))?;
//! assert_eq!(model.transform(&x)?.dense("z")?.view().to_mat().as_slice(), &[1.0, 0.0, 0.0, 1.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! None: values are 0 and 1.
//!
//! # References
//! - F. Pedregosa et al. Scikit-learn: Machine Learning in Python. JMLR 12, 2011.

use super::columns::{ColumnMap, map_columns, same_names};
use mercer_core::sums::Batches;
use mercer_core::{
    Abilities, Capabilities, Certificate, Dataset, Error, Fitted, Input, Learn, Params, Result, RowData,
    Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::Csr;
use serde::{Deserialize, Serialize};

/// Binarisation: each numeric value to 1 above a threshold, else to 0; other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "binarizer binarize",
    canon = "D3",
    task = Transformation,
    python = "preprocessing",
    door = "copy=True",
    mixins = "StatelessMixin ScalerMixin",
    can = "transform weights sparse categorical text by_sums",
    references = "Pedregosa et al. Scikit-learn: Machine Learning in Python. JMLR 12, 2011."
)]
pub struct Binarizer {
    /// Values above it become 1, others 0; sparse rows need one from 0.
    #[param(default = 0.0, range = "(-inf, inf)")]
    pub threshold: f64,
}

/// A threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BinarizerModel {
    threshold: f64,
    certificate: Certificate,
}

impl Learn for Binarizer {
    type Model = BinarizerModel;

    fn learn(&self, _: &Dataset<'_>, _: &Session) -> Result<BinarizerModel> {
        Ok(self.model())
    }

    fn learn_stream(&self, _: &mut dyn Batches, _: &Session) -> Option<Result<Self::Model>> {
        Some(Ok(self.model()))
    }

    /// Below a negative threshold, implicit zeros would become 1.
    fn capabilities(&self) -> Capabilities {
        Capabilities { sparse: self.threshold >= 0.0, ..Self::declaration().capabilities }
    }
}

impl Binarizer {
    fn model(&self) -> BinarizerModel {
        let why = "a fixed function learns nothing that could be proved";
        let certificate = Certificate::without_evidence(Termination::Exact, why);
        BinarizerModel { threshold: self.threshold, certificate }
    }
}

impl ColumnMap for BinarizerModel {
    fn column(&self, _: usize, values: &mut [f64]) {
        values.iter_mut().for_each(|v| *v = f64::from(u8::from(*v > self.threshold)));
    }

    fn rows(&self, block: &mut [f64], _: usize) {
        self.column(0, block);
    }
}

impl Transformer for BinarizerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(Binarizer::NAME)?;
        let RowData::Sparse(m) = rows.data() else { return map_columns(rows, session, self) };
        if self.threshold.is_nan() || self.threshold < 0.0 {
            let what = "binarise sparse rows at a negative threshold: zeros would become 1";
            return Err(Error::incapable(Binarizer::NAME, what));
        }
        let view = m.view();
        let mut out = Csr::empty(view.n_cols());
        for i in 0..view.n_rows() {
            let (columns, values) = view.row(i);
            let pairs = columns.iter().zip(values);
            let kept: Vec<u32> = pairs.filter(|(_, v)| **v > self.threshold).map(|(&j, _)| j).collect();
            out.push_row(&kept, &vec![1.0; kept.len()]);
        }
        Ok(out.into())
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        same_names(schema)
    }
}

impl Fitted for BinarizerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn validate(&self, _: &Schema) -> Result<(), String> {
        if self.threshold.is_finite() { Ok(()) } else { Err("a threshold that is no number".to_owned()) }
    }
}
