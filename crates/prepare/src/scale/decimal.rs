//! Decimal scaling: each feature times the power of ten that brings it closest below 1.
//!
//! # Objective
//! $$ z = x \cdot 10^{a}, \qquad a = \max\{i \in \mathbb{Z} \mid \max_x |x| \cdot 10^{i} < 1\} $$
//! so that $0.1 \le \max |z| < 1$: division by $10^{j}$ with the smallest $j = -a$ that does it. With `absolute` it is
//! $|x| \cdot 10^{a}$, to the letter of course note 004. A feature of nothing but zeros is left alone.
//!
//! # Algorithm
//! The largest absolute value of each feature among the rows of positive weight, over blocks of rows; then the
//! exponent from its decimal digits. Sparse rows stay sparse. Missing values are left out and stay missing.
//!
//! # Complexity
//! Time O(n d), or O(nnz) for sparse rows; memory O(d).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::DecimalScaler;
//! let x = Mat::from_rows(&[[12.0], [-986.0], [217.0]]).unwrap();
//! let scaler = DecimalScaler::default().fit(&Dataset::new(&x))?;
//! assert_eq!(scaler.transform(&x)?.dense("z")?.view().to_mat().as_slice(), &[0.012, -0.986, 0.217]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The exponent is read from the shortest decimal form of the largest value, not from a rounded logarithm. Powers of
//! ten up to 10²² are exact, so that division by one rounds once, to the decimal number that one expects.
//!
//! # References
//! - J. Han, M. Kamber, J. Pei. Data Mining: Concepts and Techniques, 3rd ed., section 3.5. Morgan Kaufmann, 2012.

use super::columns::{ColumnMap, map_columns, same_names, to_invert};
use super::extremes::{Extremes, learns_from_extremes};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Evidence, Fitted, Input, Inverse, Learn,
    Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use serde::{Deserialize, Serialize};

/// Decimal scaling: each numeric feature times a power of ten, into (-1, 1); other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "decimal-scaler decimal",
    canon = "D3",
    task = Transformation,
    python = "preprocessing",
    can = "transform inverse weights sparse missing categorical text by_sums",
    references = "Han, Kamber, Pei. Data Mining: Concepts and Techniques, 3rd ed. 2012."
)]
pub struct DecimalScaler {
    /// Whether absolute values are scaled, so that signs are lost and nothing can be undone.
    #[param(default = false)]
    pub absolute: bool,
}

/// Fitted exponents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecimalScalerModel {
    /// The exponent of ten that each feature is divided by: the number of digits before the point.
    pub exponent: Vec<i32>,
    absolute: bool,
    certificate: Certificate,
}

learns_from_extremes!(DecimalScaler => DecimalScalerModel);

const EVIDENCE: &str = "largest absolute transformed value";

/// The smallest j with v < 10^j, for v > 0: one more than the exponent of its shortest decimal form.
fn digits(v: f64) -> i32 {
    let text = format!("{v:e}");
    text.split_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).map_or(0, |e| e + 1)
}

/// x / 10^j, by an exact power of ten where there is one.
fn shifted(x: f64, j: i32) -> f64 {
    match j {
        0..=22 => x / 10f64.powi(j),
        -22..=-1 => x * 10f64.powi(-j),
        // In two steps, so that no power leaves the range of numbers.
        _ => shifted(shifted(x, j - j / 2), j / 2),
    }
}

impl DecimalScaler {
    /// Signs that are lost cannot be given back.
    fn narrow_capabilities(&self, can: Capabilities) -> Capabilities {
        Capabilities { inverse: !self.absolute, ..can }
    }

    fn check_together(&self) -> Result<()> {
        Ok(())
    }

    fn model(&self, extremes: &Extremes) -> DecimalScalerModel {
        let exponent = |j: usize| extremes.column(j).filter(|e| e.2 > 0.0).map_or(0, |e| digits(e.2));
        let mut model = DecimalScalerModel {
            exponent: (0..extremes.min.len()).map(exponent).collect(),
            absolute: self.absolute,
            certificate: Certificate::new(Termination::Exact),
        };
        let largest = model.largest(extremes);
        let evidence =
            Evidence::value(EVIDENCE, largest, "below 1 for every feature, by the choice of exponents");
        model.certificate = model.certificate.with_evidence(evidence);
        model
    }
}

impl DecimalScalerModel {
    fn largest(&self, extremes: &Extremes) -> f64 {
        let of = |j: usize| extremes.column(j).map(|e| shifted(e.2, self.exponent[j]));
        (0..self.exponent.len()).filter_map(of).fold(0.0, f64::max)
    }
}

/// Division of each column by its power of ten.
struct Shift<'a> {
    exponent: &'a [i32],
    absolute: bool,
    undo: bool,
}

impl ColumnMap for Shift<'_> {
    fn column(&self, j: usize, values: &mut [f64]) {
        let exponent = if self.undo { -self.exponent[j] } else { self.exponent[j] };
        for v in values {
            *v = shifted(if self.absolute { v.abs() } else { *v }, exponent);
        }
    }
}

impl Transformer for DecimalScalerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let map = Shift { exponent: &self.exponent, absolute: self.absolute, undo: false };
        map_columns(input.rows(DecimalScaler::NAME)?, session, &map)
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        same_names(schema)
    }
}

impl Inverse for DecimalScalerModel {
    fn inverted(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = to_invert(DecimalScaler::NAME, input, self.exponent.len())?;
        map_columns(rows, session, &Shift { exponent: &self.exponent, absolute: false, undo: true })
    }
}

impl Fitted for DecimalScalerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            transform: Some(self),
            inverse: (!self.absolute).then_some(self as _),
            ..Abilities::default()
        }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        (ability == "inverse").then(|| "it cannot give signs back; set absolute=false".to_owned())
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let extremes = Extremes::of(&data.rows(DecimalScaler::NAME)?, data.weights().as_deref());
        Ok(vec![(EVIDENCE.to_owned(), self.largest(&extremes))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let exponent = self.exponent.iter().map(|&j| i64::from(j)).collect();
        let doc = "The exponent of ten that each feature is divided by.";
        vec![Attribute::int("exponent_", doc, &[self.exponent.len()], exponent)]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = self.exponent.len() == schema.n_features();
        let possible = self.exponent.iter().all(|j| (-400..=400).contains(j));
        if fits && possible { Ok(()) } else { Err("exponents do not fit the schema".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_core::Fit;
    use mercer_math::Mat;

    /// 004: x_new = |x| · 10^a with a = max{i in Z | |x| · 10^i < 1}.
    #[test]
    fn the_formula_of_note_004() {
        for (largest, j) in [(986.0, 3), (1000.0, 4), (999.999, 3), (1.0, 1), (0.99, 0), (0.1, 0), (0.01, -1)]
        {
            let x = Mat::from_rows(&[[largest], [-largest / 3.0], [0.0]]).unwrap();
            let plain = DecimalScaler::default().fit(&Dataset::new(&x)).unwrap();
            assert_eq!(plain.exponent, [j], "{largest}");
            let z = plain.transform(&x).unwrap().dense("z").unwrap().view().to_mat();
            assert!(z[(0, 0)] < 1.0 && z[(0, 0)] >= 0.1 && z[(1, 0)] < 0.0);
            let back = plain.inverse_transform(&z).unwrap();
            assert!((back.dense("x").unwrap().view().get(0, 0) - largest).abs() < 1e-12 * largest);
            let absolute = DecimalScaler::default().absolute(true).fit(&Dataset::new(&x)).unwrap();
            assert!(absolute.transform(&x).unwrap().dense("z").unwrap().view().get(1, 0) > 0.0);
        }
    }

    #[test]
    fn extreme_magnitudes_stay_finite() {
        let x = Mat::from_rows(&[[f64::MAX, 5e-324, 0.0]]).unwrap();
        let model = DecimalScaler::default().fit(&Dataset::new(&x)).unwrap();
        let z = model.transform(&x).unwrap().dense("z").unwrap().view().to_mat();
        assert!(z.as_slice().iter().all(|v| v.is_finite() && *v < 1.0), "{z:?}");
        assert!(z[(0, 0)] >= 0.1 && z[(0, 2)] == 0.0);
    }
}
