//! Scaling by the largest absolute value: each feature into [-1, 1], zero staying zero.
//!
//! # Objective
//! $$ z = x / \max_i |x_i| $$
//! A feature of nothing but zeros is left alone.
//!
//! # Algorithm
//! The largest absolute value of each feature among the rows of positive weight, over blocks of rows. Sparse rows
//! stay sparse. Missing values are left out and stay missing.
//!
//! # Complexity
//! Time O(n d), or O(nnz) for sparse rows; memory O(d).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::MaxAbsScaler;
//! let x = Mat::from_rows(&[[1.0], [-4.0], [2.0]]).unwrap();
//! let scaler = MaxAbsScaler::default().fit(&Dataset::new(&x))?;
//! assert_eq!(scaler.transform(&x)?.dense("z")?.view().to_mat().as_slice(), &[0.25, -1.0, 0.5]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! One division a value: the largest becomes 1 exactly.
//!
//! # References
//! - F. Pedregosa et al. Scikit-learn: Machine Learning in Python. JMLR 12, 2011.

use super::columns::{MulAdd, SubDiv, map_columns, or_one, same_names, to_invert};
use super::extremes::{Extremes, learns_from_extremes};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Evidence, Fitted, Input, Inverse, Learn,
    Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use serde::{Deserialize, Serialize};

/// Scaling by the largest absolute value: each numeric feature into [-1, 1]; other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "max-abs-scaler max-abs",
    canon = "D3",
    task = Transformation,
    python = "preprocessing",
    door = "copy=True",
    mixins = "PartialMixin ScalerMixin",
    can = "transform inverse weights sparse missing categorical text by_sums",
    references = "Pedregosa et al. Scikit-learn: Machine Learning in Python. JMLR 12, 2011."
)]
pub struct MaxAbsScaler {
    /// Whether values beyond those of training are moved to the nearer end of [-1, 1].
    #[param(default = false)]
    pub clip: bool,
}

/// Fitted scales.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaxAbsScalerModel {
    /// The largest absolute value of each feature; NaN where there was none.
    pub max_abs: Vec<f64>,
    /// What each feature is divided by.
    pub scale: Vec<f64>,
    weight: f64,
    clip: bool,
    certificate: Certificate,
}

learns_from_extremes!(MaxAbsScaler => MaxAbsScalerModel);

const EVIDENCE: &str = "largest absolute transformed value";

impl MaxAbsScaler {
    fn narrow_capabilities(&self, can: Capabilities) -> Capabilities {
        can
    }

    fn check_together(&self) -> Result<()> {
        Ok(())
    }

    fn model(&self, extremes: &Extremes) -> MaxAbsScalerModel {
        let max_abs: Vec<f64> =
            (0..extremes.min.len()).map(|j| extremes.column(j).map_or(f64::NAN, |e| e.2)).collect();
        let mut model = MaxAbsScalerModel {
            scale: max_abs.iter().map(|&m| or_one(m)).collect(),
            max_abs,
            weight: extremes.weight,
            clip: self.clip,
            certificate: Certificate::new(Termination::Exact),
        };
        let largest = model.largest(extremes);
        let evidence = Evidence::bound(EVIDENCE, largest, "no training value leaves [-1, 1]");
        model.certificate = model.certificate.with_evidence(evidence);
        model
    }
}

impl MaxAbsScalerModel {
    fn largest(&self, extremes: &Extremes) -> f64 {
        let of = |j: usize| extremes.column(j).map(|e| e.2 / self.scale[j]);
        (0..self.scale.len()).filter_map(of).fold(0.0, f64::max)
    }
}

impl Transformer for MaxAbsScalerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let (rows, shift) = (input.rows(MaxAbsScaler::NAME)?, vec![0.0; self.scale.len()]);
        if self.clip {
            let scale = self.scale.iter().map(|s| 1.0 / s).collect::<Vec<_>>().into();
            return map_columns(
                rows,
                session,
                &MulAdd { scale, shift: shift.into(), clip: Some((-1.0, 1.0)) },
            );
        }
        map_columns(rows, session, &SubDiv { shift: shift.into(), scale: self.scale.as_slice().into() })
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        same_names(schema)
    }
}

impl Inverse for MaxAbsScalerModel {
    fn inverted(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = to_invert(MaxAbsScaler::NAME, input, self.scale.len())?;
        let shift = vec![0.0; self.scale.len()].into();
        map_columns(rows, session, &MulAdd { scale: self.scale.as_slice().into(), shift, clip: None })
    }
}

impl Fitted for MaxAbsScalerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let extremes = Extremes::of(&data.rows(MaxAbsScaler::NAME)?, data.weights().as_deref());
        Ok(vec![(EVIDENCE.to_owned(), self.largest(&extremes))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let d = [self.scale.len()];
        vec![
            Attribute::real("scale_", "What each feature is divided by.", &d, self.scale.clone()),
            Attribute::real(
                "max_abs_",
                "The largest absolute value of each feature.",
                &d,
                self.max_abs.clone(),
            ),
            Attribute::real("n_samples_seen_", "The weight of the rows seen.", &[], vec![self.weight]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let fits = self.scale.len() == d && self.max_abs.len() == d;
        if fits { Ok(()) } else { Err("scales do not fit the schema".to_owned()) }
    }
}
