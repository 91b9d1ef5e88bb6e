//! Min-max normalisation: each feature to a given range.
//!
//! # Objective
//! $$ z = \frac{x - x_{\min}}{x_{\max} - x_{\min}}\,(b - a) + a $$
//! with the range $[a, b]$ of `feature_range`. A constant feature is only shifted, to $a$.
//!
//! # Algorithm
//! The smallest and largest value of each feature among the rows of positive weight, over blocks of rows. Missing
//! values are left out and stay missing.
//!
//! # Complexity
//! Time O(n d), memory O(d).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::MinMaxScaler;
//! let x = Mat::from_rows(&[[1.0], [2.0], [5.0]]).unwrap();
//! let scaler = MinMaxScaler::default().fit(&Dataset::new(&x))?;
//! assert_eq!(scaler.transform(&x)?.dense("z")?.view().to_mat().as_slice(), &[0.0, 0.25, 1.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Applied as one product and one sum, as scikit-learn does: the ends of the range are met to rounding.
//!
//! # References
//! - J. Han, M. Kamber, J. Pei. Data Mining: Concepts and Techniques, 3rd ed., section 3.5. Morgan Kaufmann, 2012.

use super::columns::{MulAdd, SubDiv, map_columns, or_one, same_names, to_invert};
use super::extremes::{Extremes, learns_from_extremes};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Error, Evidence, Fitted, Input, Inverse, Learn,
    Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use serde::{Deserialize, Serialize};

/// Min-max normalisation: each numeric feature to a given range; other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "min-max-scaler min-max",
    canon = "D3",
    task = Transformation,
    python = "preprocessing",
    door = "copy=True",
    mixins = "PartialMixin ScalerMixin",
    can = "transform inverse weights missing categorical text by_sums",
    references = "Han, Kamber, Pei. Data Mining: Concepts and Techniques, 3rd ed. 2012."
)]
pub struct MinMaxScaler {
    /// The range that features are mapped to: its lower and its upper end.
    #[param(default = vec![0.0, 1.0], range = "(-inf, inf)")]
    pub feature_range: Vec<f64>,
    /// Whether values beyond those of training are moved to the nearer end of the range.
    #[param(default = false)]
    pub clip: bool,
}

/// Fitted ranges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinMaxScalerModel {
    /// The smallest value of each feature; NaN where there was none.
    pub data_min: Vec<f64>,
    /// The largest value of each feature; NaN where there was none.
    pub data_max: Vec<f64>,
    /// What each feature is multiplied by.
    pub scale: Vec<f64>,
    /// What is then added to each feature.
    pub min: Vec<f64>,
    range: (f64, f64),
    clip: bool,
    weight: f64,
    certificate: Certificate,
}

learns_from_extremes!(MinMaxScaler => MinMaxScalerModel);

const EVIDENCE: &str = "distance of the transformed ranges from feature_range";

impl MinMaxScaler {
    fn narrow_capabilities(&self, can: Capabilities) -> Capabilities {
        can
    }

    fn check_together(&self) -> Result<()> {
        match self.feature_range[..] {
            [low, high] if low < high => Ok(()),
            _ => {
                let got = format!("{:?}", self.feature_range);
                Err(Error::param(Self::NAME, "feature_range", "two numbers, the first below the second", got))
            }
        }
    }

    fn model(&self, extremes: &Extremes) -> MinMaxScalerModel {
        let range = (self.feature_range[0], self.feature_range[1]);
        let ends: Vec<Option<(f64, f64, f64)>> =
            (0..extremes.min.len()).map(|j| extremes.column(j)).collect();
        // A column without values, or one that passes through, is left as it is.
        let map = |end: &Option<(f64, f64, f64)>| match *end {
            Some((min, max, _)) => {
                let scale = (range.1 - range.0) / or_one(max - min);
                (scale, range.0 - min * scale)
            }
            None => (1.0, 0.0),
        };
        let (scale, min): (Vec<f64>, Vec<f64>) = ends.iter().map(map).unzip();
        let mut model = MinMaxScalerModel {
            data_min: ends.iter().map(|e| e.map_or(f64::NAN, |e| e.0)).collect(),
            data_max: ends.iter().map(|e| e.map_or(f64::NAN, |e| e.1)).collect(),
            scale,
            min,
            range,
            clip: self.clip,
            weight: extremes.weight,
            certificate: Certificate::new(Termination::Exact),
        };
        let evidence = Evidence::residual(
            EVIDENCE,
            model.distance(extremes),
            "zero but for rounding: every feature that is not constant fills the range",
        );
        model.certificate = model.certificate.with_evidence(evidence);
        model
    }
}

impl MinMaxScalerModel {
    /// How far the largest and smallest transformed values are from the ends of the range, over all features.
    fn distance(&self, extremes: &Extremes) -> f64 {
        let of = |j: usize| {
            let (min, max, _) = extremes.column(j)?;
            let z = |v: f64| v * self.scale[j] + self.min[j];
            let low = (z(min) - self.range.0).abs();
            Some(if max > min && or_one(max - min) != 1.0 {
                low.max((z(max) - self.range.1).abs())
            } else {
                low
            })
        };
        (0..self.scale.len()).filter_map(of).fold(0.0, f64::max)
    }
}

impl Transformer for MinMaxScalerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let clip = self.clip.then_some(self.range);
        let map = MulAdd { scale: self.scale.as_slice().into(), shift: self.min.as_slice().into(), clip };
        map_columns(input.rows(MinMaxScaler::NAME)?, session, &map)
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        same_names(schema)
    }
}

impl Inverse for MinMaxScalerModel {
    fn inverted(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = to_invert(MinMaxScaler::NAME, input, self.scale.len())?;
        if rows.is_sparse() {
            return Err(Error::incapable(MinMaxScaler::NAME, "undo sparse rows"));
        }
        let map = SubDiv { shift: self.min.as_slice().into(), scale: self.scale.as_slice().into() };
        map_columns(rows, session, &map)
    }
}

impl Fitted for MinMaxScalerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let extremes = Extremes::of(&data.rows(MinMaxScaler::NAME)?, data.weights().as_deref());
        Ok(vec![(EVIDENCE.to_owned(), self.distance(&extremes))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let d = [self.scale.len()];
        let range = self.data_max.iter().zip(&self.data_min).map(|(a, b)| a - b).collect();
        vec![
            Attribute::real("min_", "What is added to each feature.", &d, self.min.clone()),
            Attribute::real("scale_", "What each feature is multiplied by.", &d, self.scale.clone()),
            Attribute::real("data_min_", "The smallest value of each feature.", &d, self.data_min.clone()),
            Attribute::real("data_max_", "The largest value of each feature.", &d, self.data_max.clone()),
            Attribute::real("data_range_", "Largest less smallest value of each feature.", &d, range),
            Attribute::real("n_samples_seen_", "The weight of the rows seen.", &[], vec![self.weight]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let lengths = [self.data_min.len(), self.data_max.len(), self.scale.len(), self.min.len()];
        if lengths.iter().all(|&l| l == d) { Ok(()) } else { Err("ranges do not fit the schema".to_owned()) }
    }
}
