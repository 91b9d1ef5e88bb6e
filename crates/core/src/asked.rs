//! A model asked about some rows, which are aligned, checked and prepared once for all questions.

use crate::abilities::{Abilities, lacks};
use crate::data_kinds::Input;
use crate::erased::Erased;
use crate::error::{Error, Result};
use crate::schema::Schema;
use crate::session::Session;
use crate::target::Prediction;
use std::borrow::Cow;

/// A model with rows that it is asked about. The questions are its methods; those of an ability stand beside its trait.
///
/// Behind a pipeline this is the last step with the rows that the steps before it made.
#[derive(Debug)]
pub struct Asked<'a> {
    model: &'a Erased,
    input: Cow<'a, Input<'a>>,
    session: &'a Session,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(model: &'a Erased, input: Cow<'a, Input<'a>>, session: &'a Session) -> Self {
        Self { model, input, session }
    }

    /// The rows as the model sees them.
    pub fn input(&self) -> &Input<'a> {
        &self.input
    }

    /// The model with some of these rows, which may repeat; they stay prepared.
    #[must_use]
    pub fn subset(&self, rows: &[usize]) -> Asked<'a> {
        Self { input: Cow::Owned(self.input.gather(rows)), ..*self }
    }

    /// What the model was trained on.
    pub fn schema(&self) -> &'a Schema {
        &self.model.schema
    }

    pub(crate) fn session(&self) -> &Session {
        self.session
    }

    pub(crate) fn name(&self) -> &'static str {
        self.model.learner.declaration().name
    }

    /// What the model can be asked.
    pub fn abilities(&self) -> Abilities<'a> {
        self.model.fitted.abilities()
    }

    /// The object of an ability, or an error that says what the model cannot do or which value is not finite.
    pub(crate) fn need<T: ?Sized>(
        &self,
        ability: &str,
        object: impl FnOnce(&Abilities<'a>) -> Option<&'a T>,
    ) -> Result<&'a T> {
        if self.model.fitted.meets_not_finite() {
            self.model.look(&self.input)?;
        }
        self.need_scores(ability, object)
    }

    /// The same for abilities by which a model that says so meets values that are not finite itself.
    pub(crate) fn need_scores<T: ?Sized>(
        &self,
        ability: &str,
        object: impl FnOnce(&Abilities<'a>) -> Option<&'a T>,
    ) -> Result<&'a T> {
        object(&self.abilities()).ok_or_else(|| lacks(self.model, ability))
    }

    /// The prediction.
    pub fn predict(&self) -> Result<Prediction> {
        if !self.model.learner.task().predicts() {
            return Err(Error::incapable(self.name(), "predict"));
        }
        self.named(self.model.fitted.infer(&self.input, &self.model.schema, self.session))
    }

    /// An answer; where a model that meets values that are not finite refused, the refusal names the learner.
    pub(crate) fn named<T>(&self, answer: Result<T>) -> Result<T> {
        if answer.is_err() && self.model.fitted.meets_not_finite() {
            self.model.look(&self.input)?;
        }
        answer
    }
}
