//! A trained model: the typed view of an erased one.

use crate::certificate::{Certificate, Verified};
use crate::contract::{Attribute, Encoded, Learn, Model};
use crate::data_kinds::{Input, Rows};
use crate::dataset::Dataset;
use crate::erased::Erased;
use crate::error::Result;
use crate::schema::Schema;
use crate::session::Session;
use crate::target::Prediction;
use mercer_math::Mat;
use std::any::Any;
use std::marker::PhantomData;

/// A model with the learner that made it and the schema of its data. Dereferences to the model itself.
#[derive(Debug)]
pub struct Trained<L: Learn> {
    model: Erased,
    learner: PhantomData<fn() -> L>,
}

impl<L: Learn> Clone for Trained<L> {
    fn clone(&self) -> Self {
        Self::of(self.model.clone())
    }
}

impl<L: Learn> std::ops::Deref for Trained<L> {
    type Target = L::Model;
    fn deref(&self) -> &L::Model {
        self.model()
    }
}

impl<L: Learn> Trained<L> {
    /// The view of what a learner of this type made.
    pub(crate) fn of(model: Erased) -> Self {
        Self { model, learner: PhantomData }
    }

    /// What this is the view of.
    pub(crate) fn erased(&self) -> &Erased {
        &self.model
    }

    /// A model that was not learnt by this learner alone, but could have been: a member of an ensemble, say.
    pub fn assembled(learner: &L, model: L::Model, schema: Schema, seed: u64) -> Result<Self> {
        Erased::assembled(learner, std::sync::Arc::new(model), schema, seed).map(Self::of)
    }

    /// The learner with its hyper-parameters.
    pub fn learner(&self) -> &L {
        let learner: &dyn Any = self.model.learner.as_ref();
        learner.downcast_ref().expect("`of` is given what a learner of this type made")
    }

    /// The learnt model.
    pub fn model(&self) -> &L::Model {
        let fitted: &dyn Any = self.model.fitted.as_ref();
        fitted.downcast_ref().expect("`of` is given what a learner of this type made")
    }

    /// The same model behind the object-safe contract.
    pub fn as_model(&self) -> &dyn Model {
        &self.model
    }

    /// The same model behind the object-safe contract, owned.
    pub fn into_model(self) -> Box<dyn Model> {
        Box::new(self.model)
    }

    /// Reads the bytes of [`Model::encode`].
    pub fn decode(version: u32, bytes: &[u8]) -> Result<Self> {
        Erased::decode::<L>(version, bytes).map(Self::of)
    }

    /// The schema of the training data.
    pub fn schema(&self) -> &Schema {
        &self.model.schema
    }

    /// Predicts, with the default session.
    pub fn predict<'a>(&self, input: impl Into<Input<'a>>) -> Result<Prediction> {
        self.as_model().predict(&input.into(), &Session::default())
    }

    /// Class probabilities, with the default session.
    pub fn predict_proba<'a>(&self, input: impl Into<Input<'a>>) -> Result<Mat> {
        self.as_model().predict_proba(&input.into(), &Session::default())
    }

    /// Decision values, with the default session.
    pub fn decision_function<'a>(&self, input: impl Into<Input<'a>>) -> Result<Mat> {
        self.as_model().decision(&input.into(), &Session::default())
    }

    /// Prediction intervals that hold the share `level` of the answers, rows × 2, with the default session.
    pub fn predict_interval<'a>(&self, input: impl Into<Input<'a>>, level: f64) -> Result<Mat> {
        self.as_model().intervals(&input.into(), level, &Session::default())
    }

    /// Quantiles of each row's answer, rows × quantiles, with the default session.
    pub fn predict_quantiles<'a>(&self, input: impl Into<Input<'a>>, quantiles: &[f64]) -> Result<Mat> {
        self.as_model().on(&input.into(), &Session::default())?.quantiles(quantiles)
    }

    /// Transforms rows, with the default session.
    pub fn transform<'a>(&self, input: impl Into<Input<'a>>) -> Result<Rows<'static>> {
        self.as_model().transform(&input.into(), &Session::default())
    }

    /// Undoes a transformation, with the default session.
    pub fn inverse_transform<'a>(&self, input: impl Into<Input<'a>>) -> Result<Rows<'static>> {
        self.as_model().inverse_transform(&input.into(), &Session::default())
    }

    /// How training ended, and what is proved.
    pub fn certificate(&self) -> &Certificate {
        self.model.certificate()
    }

    /// The fitted attributes.
    pub fn attributes(&self) -> Vec<Attribute> {
        self.model.attributes()
    }

    /// The model as bytes, read back by [`Trained::decode`] and by the catalogue.
    pub fn encode(&self) -> Result<Encoded> {
        self.model.encode()
    }

    /// Recomputes the evidence from the data.
    pub fn verify(&self, data: &Dataset<'_>) -> Result<Vec<Verified>> {
        self.model.verify(data, &Session::default())
    }
}
