//! The trees that explain themselves.

use super::{contributions, interactions};
use crate::classifier::DecisionTreeClassifierModel;
use crate::regressor::DecisionTreeRegressorModel;
use mercer_core::{Contributions, Explainer, Input, Interactions, Outputs, Result, Session};

impl Explainer for DecisionTreeClassifierModel {
    fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions> {
        let (base, values) = contributions(&[&self.tree], self.tree.width(), 1.0, input, session)?;
        Ok(Contributions { features: Vec::new(), outputs: Outputs::Probabilities, base, values })
    }

    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        interactions(&[&self.tree], self.tree.width(), 1.0, input, session)
    }
}

impl Explainer for DecisionTreeRegressorModel {
    fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions> {
        let (base, values) = contributions(&[&self.tree], self.tree.width(), 1.0, input, session)?;
        Ok(Contributions { features: Vec::new(), outputs: Outputs::Numbers, base, values })
    }

    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        interactions(&[&self.tree], self.tree.width(), 1.0, input, session)
    }
}
