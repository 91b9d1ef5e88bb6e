//! Decision values.

use crate::asked::Asked;
use crate::data_kinds::Input;
use crate::error::Result;
use crate::nested::NestedModel;
use crate::session::Session;
use mercer_math::Mat;

/// Decision values: n rows × 1 for two classes (positive means the second), else × classes.
pub trait Decision {
    /// The decision values.
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat>;
}

impl Asked<'_> {
    /// Decision values.
    pub fn decision(&self) -> Result<Mat> {
        self.named(self.need_scores("decision", |can| can.decision)?.decisions(self.input(), self.session()))
    }

    /// Decision values where the model gives them, else probabilities.
    pub fn scores(&self) -> Result<Mat> {
        if self.abilities().decision.is_some() { self.decision() } else { self.proba() }
    }
}

impl Decision for NestedModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.0.on(input, session)?.decision()
    }
}
