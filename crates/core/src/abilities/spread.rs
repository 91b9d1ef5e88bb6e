//! The predictive distribution of a number: its mean, and how far it spreads for want of data and by noise.

use crate::asked::Asked;
use crate::data_kinds::Input;
use crate::error::Result;
use crate::nested::NestedModel;
use crate::session::Session;
use mercer_math::Mat;

/// The mean of each row's predictive distribution and the two parts of its variance.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictiveSpread {
    /// The mean.
    pub mean: Vec<f64>,
    /// The variance for want of data: that of the function that was learnt.
    pub epistemic: Vec<f64>,
    /// The variance of the noise about the function, which no data take away.
    pub aleatoric: Vec<f64>,
}

impl PredictiveSpread {
    /// The standard deviation of each row's answer, both parts together.
    pub fn std(&self) -> Vec<f64> {
        self.epistemic.iter().zip(&self.aleatoric).map(|(e, a)| (e + a).sqrt()).collect()
    }
}

/// A model with a predictive distribution of a single number.
pub trait Spread {
    /// Mean and variances of each row.
    fn spread(&self, input: &Input<'_>, session: &Session) -> Result<PredictiveSpread>;

    /// The covariance of the rows' answers, noise included: n rows × n rows.
    fn covariance(&self, input: &Input<'_>, session: &Session) -> Result<Mat>;
}

impl Asked<'_> {
    /// Mean and variances of each row's predictive distribution.
    pub fn spread(&self) -> Result<PredictiveSpread> {
        self.need("spread", |can| can.spread)?.spread(self.input(), self.session())
    }

    /// The covariance of the rows' answers, noise included.
    pub fn covariance(&self) -> Result<Mat> {
        self.need("spread", |can| can.spread)?.covariance(self.input(), self.session())
    }
}

impl Spread for NestedModel {
    fn spread(&self, input: &Input<'_>, session: &Session) -> Result<PredictiveSpread> {
        self.0.on(input, session)?.spread()
    }
    fn covariance(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.0.on(input, session)?.covariance()
    }
}
