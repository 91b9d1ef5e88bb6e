//! One against the rest: a learner of two classes tells many apart, asked once for each class.
//!
//! # Objective
//! For each class $c$ a model $f_c$ of the question "is it $c$?", learnt from all rows. The prediction is
//! $\arg\max_c f_c(x)$, the class whose model is the most sure; probabilities are
//! $p(c \mid x) = p_c(x) / \sum_k p_k(x)$.
//!
//! # Algorithm
//! The models are trained side by side on the same rows with answers 1 and 0 in place of the classes. Two classes need
//! one model, of the second. A model is as sure as its decision value, else as its probability; a regressor, as the
//! number that it predicts.
//!
//! Of several targets each is learnt on its own; where they are labels that a row has or has not, this is binary relevance,
//! with one model a label. A label that all rows have, or none, needs no model.
//!
//! # Complexity
//! As many fits and predictions as there are classes, each of all rows.
//!
//! # Example
//! ```
//! use mercer_ensemble::OneVsRestClassifier;
//! assert!(OneVsRestClassifier::default().estimator.is_none()); // logistic regressions
//! ```
//!
//! # Numerics
//! Ties go to the first class. A row that no model claims (all probabilities zero) has the same probability for each
//! class, where scikit-learn's sum to zero.
//!
//! # References
//! - R. Rifkin, A. Klautau. In defense of one-vs-all classification. JMLR 5, 2004.

use super::model::{MulticlassModel, Scheme};
use super::one_vs_rest_model::{OneVsRestModel, one_target};
use super::{Classes, DEFAULT, check_estimator, together, train_each};
use crate::base;
use mercer_core::{
    Capabilities, Dataset, Kinds, Learn, NestedLearner, NestedModel, Params, Result, Session, Task,
};

/// One against the rest: a model for each class, of whether it is this one.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "one-vs-rest ovr",
    canon = "L10",
    task = Classification,
    python = "multiclass",
    tried = " | estimator=tree(max_depth=3) | estimator=ridge(alpha=100)",
    session = "n_jobs verbose",
    mixins = "OneVsRestMixin",
    can = "proba decision members weights thresholded multi_output",
    references = "Rifkin, Klautau. In defense of one-vs-all classification. JMLR 5, 2004."
)]
pub struct OneVsRestClassifier {
    /// The learner of two classes, or a regressor of 0 and 1; none means logistic regression.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
}

impl Learn for OneVsRestClassifier {
    type Model = OneVsRestModel;

    fn kinds(&self) -> Kinds {
        mercer_core::compose::kinds(&self.estimator, DEFAULT)
    }

    fn capabilities(&self) -> Capabilities {
        let own = Self::declaration().capabilities;
        let Ok(learner) = base::resolve(&self.estimator, DEFAULT) else { return own };
        let (can, classifies) = (learner.capabilities(), learner.task() == Task::Classification);
        let (proba, decision) = (classifies && can.proba, classifies && can.decision);
        // Decision values decide: the probabilities of the same models may see it otherwise.
        let own =
            Capabilities { proba, decision, thresholded: proba && (decision || can.thresholded), ..own };
        together(own, &self.estimator)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        check_estimator(Self::NAME, &self.estimator)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<OneVsRestModel> {
        let n = data.need_target(Self::NAME)?.n_columns();
        let least = if n > 1 { 1 } else { 2 };
        let one = |t: usize| self.learn_one(&one_target(Self::NAME, data, t)?, least, session);
        OneVsRestModel::new((0..n).map(one).collect::<Result<Vec<_>>>()?, data, session)
    }
}

impl OneVsRestClassifier {
    /// The classes of one target, of which at least as many as `least` must occur.
    fn learn_one(&self, data: &Dataset<'_>, least: usize, session: &Session) -> Result<MulticlassModel> {
        let learner = base::resolve(&self.estimator, DEFAULT)?;
        let classes = Classes::of(Self::NAME, data, least)?;
        let wanted = if classes.present.len() > 2 { &classes.present[..] } else { &classes.present[1..] };
        let members = train_each(wanted.len(), |m| {
            let own = classes.asked(data, learner.as_ref(), 0, |c| c == wanted[m])?;
            learner.train(&own, &session.quiet()).map(NestedModel)
        })?;
        let names: Vec<String> = wanted.iter().map(|&c| classes.labels[c as usize].to_string()).collect();
        MulticlassModel::new::<Self>(Scheme::Rest, classes, members, data, session, |m| names[m].clone())
    }
}
