//! Additive explanations: what each feature adds to what a model says of a row.

use crate::error::Result;
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

/// A model that explains itself exactly.
pub trait Explainer {
    /// The Shapley value of every feature, for every row and output.
    fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions>;

    /// The Shapley interaction index of every pair of features.
    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions>;
}
