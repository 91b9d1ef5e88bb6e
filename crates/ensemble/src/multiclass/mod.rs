//! Many classes by learners that tell two apart: one against the rest, one against one, and codes.
//!
//! What the three share is here: which classes occur, how a question of two classes is put to a learner, how sure its
//! model is. The classes in play are those with a row of positive weight; a class of the dictionary that does not occur is never
//! predicted.

mod model;
mod one_vs_one;
mod one_vs_rest;
mod one_vs_rest_model;
mod output_code;

pub use model::MulticlassModel;
pub use one_vs_one::OneVsOneClassifier;
pub use one_vs_rest::OneVsRestClassifier;
pub use one_vs_rest_model::OneVsRestModel;
pub use output_code::OutputCodeClassifier;

use crate::base;
use mercer_core::{
    Capabilities, Dataset, Error, Input, Label, Labels, Learner, NestedLearner, NestedModel, Result, Session,
    Target, Task,
};
use mercer_math::Weights;
use rayon::prelude::*;

/// The learner of two classes where none is given.
const DEFAULT: &str = "LogisticRegression";

/// Refuses a learner that says of two classes neither how sure it is nor, as a regressor, a number.
fn check_estimator(owner: &str, given: &Option<NestedLearner>) -> Result<()> {
    let learner = base::resolve(given, DEFAULT)?;
    learner.check()?;
    let fits = match learner.task() {
        Task::Classification => learner.capabilities().decision || learner.capabilities().proba,
        Task::Regression => true,
        _ => false,
    };
    let expected = "a classifier with decision values or probabilities, or a regressor";
    match fits {
        true => Ok(()),
        false => Err(Error::param(owner, "estimator", expected, learner.declaration().name)),
    }
}

/// What a composite can do with this learner of two classes; whoever takes two classes takes many by it.
fn together(own: Capabilities, given: &Option<NestedLearner>) -> Capabilities {
    Capabilities { binary: false, ..base::together_with(own, given, DEFAULT) }
}

/// The rows of a target by class.
struct Classes {
    codes: Vec<u32>,
    labels: Labels,
    /// The classes that occur.
    present: Vec<u32>,
}

impl Classes {
    /// The classes of the rows, of which at least as many as `least` must occur.
    fn of(who: &str, data: &Dataset<'_>, least: usize) -> Result<Self> {
        let target = data.need_target(who)?;
        let (codes, labels) = target.class()?;
        let weights = data.weights();
        let mut seen = vec![false; labels.len()];
        let counted = codes.iter().enumerate().filter(|&(i, _)| Weights::of(&weights).counts(i));
        counted.for_each(|(_, &c)| seen[c as usize] = true);
        let present: Vec<u32> = (0..labels.len() as u32).filter(|&c| seen[c as usize]).collect();
        match present.len() < least {
            true => Err(Error::too_few(who, "classes", least, present.len())),
            false => Ok(Self { codes: codes.to_vec(), labels: labels.clone(), present }),
        }
    }

    /// The data with the answer to a question in place of their classes: 1 for yes and `no` for no, as classes or as
    /// numbers, whichever the learner takes. Validation rows have the wrong target, and stay behind.
    fn asked<'a>(
        &self,
        data: &Dataset<'a>,
        learner: &dyn Learner,
        no: i64,
        yes: impl Fn(u32) -> bool,
    ) -> Result<Dataset<'a>> {
        let target = match learner.task() {
            Task::Regression => {
                let number = |&c: &u32| if yes(c) { 1.0 } else { no as f64 };
                Target::real(self.codes.iter().map(number).collect::<Vec<_>>())
            }
            _ => {
                let labels = [Label::Int(no), Label::Int(1)];
                Target::coded(self.codes.iter().map(|&c| u32::from(yes(c))).collect(), labels.into())
            }
        };
        data.with_input(data.input())?.with_target(target)
    }
}

/// The models of `n` questions, side by side.
fn train_each(
    n: usize,
    one: impl Fn(usize) -> Result<NestedModel> + Send + Sync,
) -> Result<Vec<NestedModel>> {
    (0..n).into_par_iter().with_max_len(1).map(one).collect()
}

/// How sure a model is that the answer is yes, positive where it is: the decision value, else the probability less a
/// half, or the number that a regressor predicts less a half.
fn confidence(model: &NestedModel, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
    let model = model.0.as_ref();
    if model.learner().task() == Task::Regression {
        return Ok(base::numbers(model, input, session)?.iter().map(|v| v - 0.5).collect());
    }
    if model.can().decision {
        return Ok(model.decision(input, session)?.into_vec());
    }
    let p = model.predict_proba(input, session)?;
    Ok((0..p.n_rows()).map(|i| p[(i, 1)] - 0.5).collect())
}
