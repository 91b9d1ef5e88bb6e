//! Training settings: what the parameters of a boosting learner come to.

use super::loss::{Loss, Objective};
use super::split::Limits;
use crate::limits::MinSamples;
use mercer_core::{Choice, Dataset, Error, Label, Result, Task};
use mercer_measure::{Metric, Needs};
use std::fmt;

/// Row sampling, for each tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sampling {
    /// All rows.
    All,
    /// This share of the rows, drawn anew every so many rounds.
    Bagging(f64, usize),
    /// The share of the largest gradients, and a share drawn from the others, which then weigh more.
    OneSide(f64, f64),
}

/// Dropout of earlier trees while a new one grows (DART).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dropout {
    /// The chance of each tree to be dropped.
    pub(crate) rate: f64,
    /// Most trees to drop.
    pub(crate) most: usize,
    /// The chance that a round drops none.
    pub(crate) skip: f64,
}

/// How columns of levels are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Categorical {
    /// By subsets of levels; where there are more than 32, also by statistics of the target, whichever gains more:
    /// statistics tell what a level does alone, small subsets what it does with other columns.
    Auto,
    /// By subsets of levels, ordered by gradient over hessian.
    Partition,
    /// By statistics of the target of each level, taken from other rows.
    Target,
}

/// Most levels that a split names of a column of more than [`FEW_LEVELS`], unless a parameter says otherwise. The best of
/// many levels in the order of their gradients are so in part by chance: with more, the training rows gain and others
/// lose.
pub(crate) const CAT_LEVELS: usize = 8;
/// Sets of any size say enough of so few levels.
pub(crate) const FEW_LEVELS: usize = 32;

/// The patience of early stopping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Patience {
    /// The rows that are set aside, where the data bring no validation rows; `None` watches the training rows instead.
    pub(crate) fraction: Option<MinSamples>,
    /// Rounds without an improvement.
    pub(crate) rounds: usize,
    /// What counts as one.
    pub(crate) tol: f64,
    /// The metric that is watched; `None` watches the loss.
    pub(crate) metric: Option<&'static Metric>,
}

/// The metric that `scoring` names; none is the accuracy or R², and `loss` is no metric.
pub(crate) fn metric_of(owner: &str, scoring: Option<&str>, task: Task) -> Result<Option<&'static Metric>> {
    let name = match scoring {
        Some("loss") => return Ok(None),
        Some(name) => name,
        None if task == Task::Classification => "accuracy",
        None => "r2",
    };
    let metric = Metric::by_name(name)?;
    match metric.task == task && metric.needs != Needs::Groups {
        true => Ok(Some(metric)),
        false => Err(Error::param(owner, "scoring", format!("loss, or a metric of {task}"), name)),
    }
}

/// The settings of one training run.
#[derive(Clone, Debug)]
pub(crate) struct BoostSettings {
    pub(crate) loss: Loss,
    pub(crate) rounds: usize,
    pub(crate) learning_rate: f64,
    pub(crate) max_bins: usize,
    /// Whether columns that take turns share their codes.
    pub(crate) bundle: bool,
    pub(crate) categorical: Categorical,
    pub(crate) limits: Limits,
    pub(crate) patience: Option<Patience>,
    pub(crate) sampling: Sampling,
    pub(crate) dropout: Option<Dropout>,
    /// The ridge penalty of lines in leaves, where leaves hold any.
    pub(crate) linear: Option<f64>,
}

/// The data of one training run, under the name of its learner.
pub(crate) struct Job<'a> {
    pub(crate) learner: &'static str,
    pub(crate) data: &'a Dataset<'a>,
    /// The target of every row: numbers, or codes of classes.
    pub(crate) y: Vec<f64>,
    /// The weight of every row, unless all are 1.
    pub(crate) weights: Option<Vec<f64>>,
    /// The classes; empty for numbers.
    pub(crate) labels: Vec<Label>,
    /// The caller's loss, where the settings say [`Loss::Custom`].
    pub(crate) objective: Option<&'a dyn Objective>,
    /// A model to go on from.
    pub(crate) before: Option<&'a super::BoostedTrees>,
}

impl fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("learner", &self.learner).finish_non_exhaustive()
    }
}
