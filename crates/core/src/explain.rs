//! Additive explanations: what each feature adds to what a model says of a row.

use crate::error::{Error, Result};
use crate::input::Input;
use crate::session::Session;
use mercer_math::Mat;

/// What each feature adds to each output of each row. For every row, the base and the features' parts add up to the
/// output.
#[derive(Clone, Debug, PartialEq)]
pub struct Contributions {
    /// The features: those of the data, or those that a pipeline makes of them. May be left empty by an [`Explainer`].
    pub features: Vec<String>,
    /// What an output is: a probability of each class, a score, or a number.
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
}

/// How pairs of features act together: for each output and row, features × features. The parts of a row add up to those
/// of its [`Contributions`]; off the diagonal, half of what a pair does beyond its two features alone.
pub type Interactions = Vec<Vec<Mat>>;

/// A function of what a model says of a row: of its probabilities, or of its numbers.
pub type Through<'a> = dyn Fn(&[f64]) -> Vec<f64> + Sync + 'a;

/// What a model cannot do unless it is a single tree.
const THROUGH: &str = "be explained through a function of what it says, as a member of this ensemble must; a single \
                       decision tree can";

/// A model that explains itself exactly.
pub trait Explainer {
    /// The Shapley value of every feature, for every row and output.
    fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions>;

    /// The Shapley interaction index of every pair of features.
    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions>;

    /// The Shapley values of a function of what the model says. They are exact for a single tree alone, whose leaves
    /// are mapped; other models refuse.
    fn contributions_through(
        &self,
        _input: &Input<'_>,
        _through: &Through<'_>,
        _session: &Session,
    ) -> Result<Contributions> {
        Err(Error::incapable("this model", THROUGH))
    }

    /// The interactions of a function of what the model says.
    fn interactions_through(
        &self,
        _input: &Input<'_>,
        _through: &Through<'_>,
        _session: &Session,
    ) -> Result<Interactions> {
        Err(Error::incapable("this model", THROUGH))
    }
}
