//! Additive explanations: what each feature adds to what a model says of a row.

use crate::asked::Asked;
use crate::data_kinds::Input;
use crate::error::Result;
use crate::nested::NestedModel;
use crate::session::Session;
use mercer_math::Mat;

/// What each feature adds to each output of each row. For every row, the base and the features' parts add up to the
/// output.
#[derive(Clone, Debug, PartialEq)]
pub struct Contributions {
    /// The features: those of the data, or those that a pipeline makes of them. May be left empty by an [`Explainer`].
    pub features: Vec<String>,
    /// What an output is: a probability of each class, a score, a number, or a joint probability.
    pub outputs: Outputs,
    /// The mean of each output over the training rows, as the model knows them.
    pub base: Vec<f64>,
    /// For each output, rows × features.
    pub values: Vec<Mat>,
}

/// What is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// The probability of each class.
    Probabilities,
    /// The score before it becomes a probability or a number: one for two classes, else one a class.
    Scores,
    /// The predicted numbers.
    Numbers,
    /// The logarithm of the joint probability of the row and each class.
    Joint,
}

/// How pairs of features act together: for each output and row, features × features. The parts of a row add up to those
/// of its [`Contributions`]; off the diagonal, half of what a pair does beyond its two features alone.
pub type Interactions = Vec<Vec<Mat>>;

/// A function of what a model says of a row: of its probabilities, or of its numbers.
pub type OutputMap<'a> = dyn Fn(&[f64]) -> Vec<f64> + Sync + 'a;

/// A model that explains itself exactly.
pub trait Explainer {
    /// The Shapley value of every feature, for every row and output.
    fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions>;

    /// The Shapley interaction index of every pair of features.
    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions>;
}

/// A model that explains any function of what it says exactly, as a member of an ensemble must that counts through such
/// a function.
pub trait MappedExplainer {
    /// The Shapley values of a function of what the model says.
    fn mapped_contributions(
        &self,
        input: &Input<'_>,
        map: &OutputMap<'_>,
        session: &Session,
    ) -> Result<Contributions>;

    /// The interactions of a function of what the model says.
    fn mapped_interactions(
        &self,
        input: &Input<'_>,
        map: &OutputMap<'_>,
        session: &Session,
    ) -> Result<Interactions>;
}

impl Asked<'_> {
    /// What each feature adds to each output, exactly.
    pub fn contributions(&self) -> Result<Contributions> {
        let model = self.need("explain", |can| can.explain)?;
        Ok(self.name_features(model.contributions(self.input(), self.session())?))
    }

    /// How pairs of features act together.
    pub fn interactions(&self) -> Result<Interactions> {
        self.need("explain", |can| can.explain)?.interactions(self.input(), self.session())
    }

    /// What each feature adds to a function of what the model says.
    pub fn mapped_contributions(&self, map: &OutputMap<'_>) -> Result<Contributions> {
        let model = self.need("explain_mapped", |can| can.explain_mapped)?;
        Ok(self.name_features(model.mapped_contributions(self.input(), map, self.session())?))
    }

    /// How pairs of features act together on a function of what the model says.
    pub fn mapped_interactions(&self, map: &OutputMap<'_>) -> Result<Interactions> {
        let model = self.need("explain_mapped", |can| can.explain_mapped)?;
        model.mapped_interactions(self.input(), map, self.session())
    }

    /// Contributions with the names of the features, unless they have their own.
    fn name_features(&self, mut found: Contributions) -> Contributions {
        if found.features.is_empty() {
            found.features = self.schema().features.iter().map(|f| f.name.clone()).collect();
        }
        found
    }
}

impl Explainer for NestedModel {
    fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions> {
        self.0.on(input, session)?.contributions()
    }
    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        self.0.on(input, session)?.interactions()
    }
}

impl MappedExplainer for NestedModel {
    fn mapped_contributions(
        &self,
        input: &Input<'_>,
        map: &OutputMap<'_>,
        session: &Session,
    ) -> Result<Contributions> {
        self.0.on(input, session)?.mapped_contributions(map)
    }
    fn mapped_interactions(
        &self,
        input: &Input<'_>,
        map: &OutputMap<'_>,
        session: &Session,
    ) -> Result<Interactions> {
        self.0.on(input, session)?.mapped_interactions(map)
    }
}
