//! Prediction intervals and quantiles of a single number.

use crate::asked::Asked;
use crate::data_kinds::Input;
use crate::error::{Error, Result};
use crate::nested::NestedModel;
use crate::session::Session;
use mercer_math::Mat;

/// Prediction intervals of a single number.
pub trait Intervals {
    /// The ends of an interval for each row: n rows × 2, the lower end first. `level` is the share of answers that the
    /// intervals are to hold, in (0, 1).
    fn intervals(&self, input: &Input<'_>, level: f64, session: &Session) -> Result<Mat>;
}

/// Quantiles of a single number.
pub trait Quantiles {
    /// The quantiles of each row's answer, each in [0, 1]: n rows × quantiles.
    fn quantiles(&self, input: &Input<'_>, quantiles: &[f64], session: &Session) -> Result<Mat>;
}

impl Asked<'_> {
    /// The ends of a prediction interval for each row, rows × 2, that hold the share `level` of the answers.
    pub fn intervals(&self, level: f64) -> Result<Mat> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::param(self.name(), "level of intervals", "in (0, 1)", level));
        }
        self.need("intervals", |can| can.intervals)?.intervals(self.input(), level, self.session())
    }

    /// Quantiles of each row's answer: rows × quantiles.
    pub fn quantiles(&self, quantiles: &[f64]) -> Result<Mat> {
        if let Some(bad) = quantiles.iter().find(|q| !(0.0..=1.0).contains(*q)) {
            return Err(Error::param(self.name(), "quantiles", "in [0, 1]", bad));
        }
        self.need("quantiles", |can| can.quantiles)?.quantiles(self.input(), quantiles, self.session())
    }
}

impl Intervals for NestedModel {
    fn intervals(&self, input: &Input<'_>, level: f64, session: &Session) -> Result<Mat> {
        self.0.on(input, session)?.intervals(level)
    }
}

impl Quantiles for NestedModel {
    fn quantiles(&self, input: &Input<'_>, quantiles: &[f64], session: &Session) -> Result<Mat> {
        self.0.on(input, session)?.quantiles(quantiles)
    }
}
