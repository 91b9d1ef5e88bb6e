//! Joint probabilities of rows and classes, as models of how the rows of each class come about have them.

use crate::asked::Asked;
use crate::data_kinds::Input;
use crate::error::Result;
use crate::nested::NestedModel;
use crate::session::Session;
use mercer_math::Mat;

/// A model of rows and classes together.
pub trait Joint {
    /// The logarithm of the joint probability of each row and each class, n rows × classes. Class probabilities are these
    /// scaled to sum to 1.
    fn log_joint(&self, input: &Input<'_>, session: &Session) -> Result<Mat>;
}

impl Asked<'_> {
    /// The logarithm of the joint probability of each row and each class.
    pub fn log_joint(&self) -> Result<Mat> {
        self.named(self.need_scores("joint", |can| can.joint)?.log_joint(self.input(), self.session()))
    }
}

impl Joint for NestedModel {
    fn log_joint(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.0.on(input, session)?.log_joint()
    }
}
