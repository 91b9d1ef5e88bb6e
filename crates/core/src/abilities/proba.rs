//! Class probabilities.

use crate::asked::Asked;
use crate::data_kinds::Input;
use crate::error::Result;
use crate::nested::NestedModel;
use crate::session::Session;
use mercer_math::Mat;

/// Class probabilities: n rows × classes, each row summing to 1. Of several targets, the classes of one follow those of
/// the other.
pub trait Proba {
    /// The probabilities.
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat>;
}

impl Asked<'_> {
    /// Class probabilities.
    pub fn proba(&self) -> Result<Mat> {
        self.named(self.need_scores("proba", |can| can.proba)?.probabilities(self.input(), self.session()))
    }
}

impl Proba for NestedModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.0.on(input, session)?.proba()
    }
}
