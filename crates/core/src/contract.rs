//! The learning contract. Typed: [`Learn`] is what an algorithm implements, [`Fit`] what a user calls,
//! [`Trained`] what comes back. Erased: [`Learner`] and [`Model`] are what pipelines, ensembles, search and
//! every door see. The blanket implementations here and in `trained.rs` are the only bridge.

use crate::abilities::{Abilities, Capabilities, Contributions, Interactions};
use crate::asked::Asked;
use crate::certificate::{Certificate, Verified};
use crate::check_data;
use crate::data_kinds::{Input, Kinds, Rows};
use crate::dataset::Dataset;
use crate::declaration::{Declaration, Task};
use crate::erased::{Erased, Habits, Learning, Learnt};
use crate::error::{Error, Result};
use crate::nested::NestedModel;
use crate::params::Params;
use crate::schema::Schema;
use crate::session::Session;
use crate::sums::Batches;
use crate::target::Prediction;
use crate::trained::Trained;
use crate::value::{Object, Value};
use mercer_math::Mat;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

/// What an algorithm implements: parameters in, model out.
pub trait Learn: Params {
    /// What is learnt.
    type Model: Fitted;

    /// Whether it hands its data on to other learners, which check them themselves.
    const COMPOSITE: bool = false;

    /// Whether its model decides itself what to do with a category that training did not see, as encoders do; such
    /// a category then has a code beyond those of training.
    const MEETS_UNSEEN: bool = false;

    /// Whether it keeps prepared rows in the session's cache: pipelines do.
    const CACHES: bool = false;

    /// Learns. Parameters, kind and values of the data have been checked against the declaration, and the
    /// call runs in the session's pool.
    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model>;

    /// Learns, and transforms the rows learnt from, for transformers that treat those differently
    /// (`cross_fits`); `None` for all others.
    fn learn_transform(
        &self,
        _data: &Dataset<'_>,
        _session: &Session,
    ) -> Option<Result<(Self::Model, Rows<'static>)>> {
        None
    }

    /// Learns from batches; `None` for learners that do not learn by sums.
    fn learn_stream(&self, _batches: &mut dyn Batches, _session: &Session) -> Option<Result<Self::Model>> {
        None
    }

    /// Goes on learning from a batch of rows where a model stands, or begins from nothing; the model carries all that
    /// going on needs. `None` for learners that cannot (`resumes` is declared by those that can).
    fn resume(
        &self,
        _model: Option<&Self::Model>,
        _data: &Dataset<'_>,
        _session: &Session,
    ) -> Option<Result<Self::Model>> {
        None
    }

    /// The kinds of data that it learns from and its models are asked about; composites ask their parts.
    fn kinds(&self) -> Kinds {
        Self::declaration().kinds
    }

    /// What it learns; composites ask their parts.
    fn task(&self) -> Task {
        Self::declaration().task
    }

    /// What it can do; composites ask their parts.
    fn capabilities(&self) -> Capabilities {
        Self::declaration().capabilities
    }

    /// Checks parameters, each alone; override to check some together.
    fn check(&self) -> Result<()> {
        self.check_params()
    }
}

/// What a learnt model implements. Everything beyond the certificate is optional.
pub trait Fitted: Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The version of the serialised form; older ones are read by `read_version`.
    const VERSION: u32 = 1;

    /// How training ended, and what is proved.
    fn certificate(&self) -> &Certificate;

    /// Predicts. The input has been aligned to the schema and checked.
    fn infer(&self, _input: &Input<'_>, _schema: &Schema, _session: &Session) -> Result<Prediction> {
        Err(Error::incapable("this model", "predict"))
    }

    /// Whether prediction, decisions and probabilities themselves refuse values that are not finite (by
    /// [`Rows::refuse_not_finite`]), so that rows need not be read once more before: sums that run over all values of a row, as
    /// scores of linear models do, are not finite where one of these is not.
    fn meets_not_finite(&self) -> bool {
        false
    }

    /// What the model can be asked beyond its prediction.
    fn abilities(&self) -> Abilities<'_> {
        Abilities::default()
    }

    /// Why this very model lacks an ability that others of its kind have, where there is more to say than that.
    fn why_not(&self, _ability: &str) -> Option<String> {
        None
    }

    /// Recomputes each piece of evidence of the certificate from the data, by name.
    fn reprove(&self, _data: &Dataset<'_>, _session: &Session) -> Result<Vec<(String, f64)>> {
        Ok(Vec::new())
    }

    /// The fitted attributes, by the names that Python users know.
    fn attributes(&self) -> Vec<Attribute> {
        Vec::new()
    }

    /// The models that it is made of by name, where each has a place of its own: the steps of a pipeline, the learner that
    /// is wrapped.
    fn parts(&self) -> Vec<(&str, &NestedModel)> {
        Vec::new()
    }

    /// Refuses a loaded model whose parts do not fit together or to the schema; the error is a phrase.
    fn validate(&self, schema: &Schema) -> Result<(), String>;
}

/// A fitted attribute: a named array.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name, as scikit-learn spells it: `coef_`.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// The shape; empty for a single value.
    pub shape: Vec<usize>,
    /// The values, by rows.
    pub values: AttributeValues,
}

/// The values of an [`Attribute`].
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValues {
    /// Numbers.
    Real(Vec<f64>),
    /// Whole numbers.
    Int(Vec<i64>),
    /// Texts.
    Text(Vec<String>),
    /// One array for each feature, of any length.
    Several(Vec<AttributeValues>),
}

impl AttributeValues {
    /// How many values there are; of several arrays, how many arrays.
    pub fn len(&self) -> usize {
        match self {
            AttributeValues::Real(values) => values.len(),
            AttributeValues::Int(values) => values.len(),
            AttributeValues::Text(values) => values.len(),
            AttributeValues::Several(parts) => parts.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Attribute {
    /// An array of numbers.
    pub fn real(name: &'static str, doc: &'static str, shape: &[usize], values: Vec<f64>) -> Self {
        Self { name, doc, shape: shape.to_vec(), values: AttributeValues::Real(values) }
    }

    /// An array of whole numbers.
    pub fn int(name: &'static str, doc: &'static str, shape: &[usize], values: Vec<i64>) -> Self {
        Self { name, doc, shape: shape.to_vec(), values: AttributeValues::Int(values) }
    }

    /// An array of texts.
    pub fn text(name: &'static str, doc: &'static str, values: Vec<String>) -> Self {
        Self { name, doc, shape: vec![values.len()], values: AttributeValues::Text(values) }
    }

    /// One array for each feature.
    pub fn several(name: &'static str, doc: &'static str, values: Vec<AttributeValues>) -> Self {
        Self { name, doc, shape: vec![values.len()], values: AttributeValues::Several(values) }
    }
}

/// What users of the typed side call.
pub trait Fit: Learn {
    /// Learns with the default session.
    fn fit(&self, data: &Dataset<'_>) -> Result<Trained<Self>> {
        self.fit_in(data, &Session::default())
    }

    /// The data as [`Learn::learn`] gets them: rows of a view gathered, kind and values checked against the declaration.
    /// For learners with ways of learning of their own.
    fn checked<'a>(&self, data: &Dataset<'a>) -> Result<Dataset<'a>> {
        self.check()?;
        check_data::ready(self, data)
    }

    /// Learns in a session.
    fn fit_in(&self, data: &Dataset<'_>, session: &Session) -> Result<Trained<Self>> {
        Erased::learn(self, Learning::Data(data), session).map(|(model, _)| Trained::of(model))
    }

    /// Learns, and transforms the rows learnt from: out of fold for transformers that cross-fit.
    fn fit_transform(&self, data: &Dataset<'_>, session: &Session) -> Result<(Trained<Self>, Rows<'static>)> {
        let (model, rows) = learn_transform(self, data, session)?;
        Ok((Trained::of(model), rows))
    }

    /// Goes on learning from a batch where a model stands, or begins, for learners that can (`resumes`). The classes are
    /// those of the dictionary of the first batch's target, whether they occur in it or not.
    fn partial_fit(
        &self,
        model: Option<&Trained<Self>>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Trained<Self>> {
        Erased::resume(self, model.map(Trained::erased), data, session).map(Trained::of)
    }

    /// Learns from batches, for learners that learn by sums.
    fn fit_stream(&self, batches: &mut dyn Batches, session: &Session) -> Result<Trained<Self>> {
        Erased::learn(self, Learning::Stream(batches), session).map(|(model, _)| Trained::of(model))
    }
}

fn learn_transform(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    session: &Session,
) -> Result<(Erased, Rows<'static>)> {
    let (model, rows) = Erased::learn(learner, Learning::Transform(data), session)?;
    let rows = rows.ok_or_else(|| Error::incapable(learner.declaration().name, "transform"))?;
    Ok((model, rows))
}

impl<L: Learn> Fit for L {}

/// A learner behind the object-safe contract.
pub trait Learner: Any + Send + Sync + Debug {
    /// What it says of itself.
    fn declaration(&self) -> &'static Declaration;
    /// The kinds of data that it learns from and its models are asked about.
    fn kinds(&self) -> Kinds;
    /// What it learns.
    fn task(&self) -> Task;
    /// What it can do, as configured.
    fn capabilities(&self) -> Capabilities;
    /// A parameter by path.
    fn get(&self, path: &str) -> Result<Value>;
    /// A copy with a parameter set, by path.
    fn with(&self, path: &str, value: &Value) -> Result<Box<dyn Learner>>;
    /// All parameters.
    fn to_object(&self) -> Object;
    /// Checks the parameters.
    fn check(&self) -> Result<()>;
    /// How it wants its data.
    fn habits(&self) -> Habits;
    /// Learns the bare model from checked data; `None` where it does not learn in this way.
    fn learn_object(&self, from: Learning<'_, '_>, session: &Session) -> Option<Result<Learnt>>;
    /// A copy.
    fn clone_box(&self) -> Box<dyn Learner>;
}

impl<L: Learn> Learner for L {
    fn declaration(&self) -> &'static Declaration {
        <L as Params>::declaration()
    }
    fn kinds(&self) -> Kinds {
        Learn::kinds(self)
    }
    fn task(&self) -> Task {
        Learn::task(self)
    }
    fn capabilities(&self) -> Capabilities {
        Learn::capabilities(self)
    }
    fn get(&self, path: &str) -> Result<Value> {
        self.value(path)
    }
    fn with(&self, path: &str, value: &Value) -> Result<Box<dyn Learner>> {
        let mut copy = self.clone();
        copy.set(path, value)?;
        Ok(Box::new(copy))
    }
    fn to_object(&self) -> Object {
        Params::to_object(self)
    }
    fn check(&self) -> Result<()> {
        Learn::check(self)
    }
    fn habits(&self) -> Habits {
        Habits { composite: L::COMPOSITE, meets_unseen: L::MEETS_UNSEEN, caches: L::CACHES }
    }
    fn learn_object(&self, from: Learning<'_, '_>, session: &Session) -> Option<Result<Learnt>> {
        let bare = |model: L::Model| Learnt(Arc::new(model), None);
        match from {
            Learning::Data(data) => Some(self.learn(data, session).map(bare)),
            Learning::Stream(batches) => Some(self.learn_stream(batches, session)?.map(bare)),
            Learning::Transform(data) => {
                let made = self.learn_transform(data, session)?;
                Some(made.map(|(model, rows)| Learnt(Arc::new(model), Some(rows))))
            }
            Learning::Resume(model, data) => {
                let model = model.map(|model| model.downcast_ref::<L::Model>());
                if let Some(None) = model {
                    return Some(Err(Error::incapable(
                        L::NAME,
                        "go on where another learner's model stands",
                    )));
                }
                Some(self.resume(model.flatten(), data, session)?.map(bare))
            }
        }
    }
    fn clone_box(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

impl dyn Learner + '_ {
    /// Learns.
    pub fn train(&self, data: &Dataset<'_>, session: &Session) -> Result<Box<dyn Model>> {
        Ok(Box::new(Erased::learn(self, Learning::Data(data), session)?.0))
    }

    /// Learns, and transforms the rows learnt from: out of fold for transformers that cross-fit.
    pub fn train_transform(
        &self,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<(Box<dyn Model>, Rows<'static>)> {
        let (model, rows) = learn_transform(self, data, session)?;
        Ok((Box::new(model), rows))
    }

    /// Goes on learning from a batch where a model stands, or begins.
    pub fn train_more(
        &self,
        model: Option<&dyn Model>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Box<dyn Model>> {
        let model = model.map(|model| {
            let model: &dyn Any = model;
            model.downcast_ref::<Erased>().expect("every model is made by `Erased`")
        });
        Ok(Box::new(Erased::resume(self, model, data, session)?))
    }

    /// Learns from batches.
    pub fn train_stream(&self, batches: &mut dyn Batches, session: &Session) -> Result<Box<dyn Model>> {
        Ok(Box::new(Erased::learn(self, Learning::Stream(batches), session)?.0))
    }
}

impl Clone for Box<dyn Learner> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

/// A model behind the object-safe contract.
pub trait Model: Any + Send + Sync + Debug {
    /// What its learner says of itself.
    fn declaration(&self) -> &'static Declaration;
    /// Its learner, with the hyper-parameters used.
    fn learner(&self) -> &dyn Learner;
    /// What it was trained on.
    fn schema(&self) -> &Schema;
    /// The seed it was trained with.
    fn seed(&self) -> u64;
    /// What this very model can do.
    fn can(&self) -> Capabilities;
    /// What it can be asked beyond its prediction. The objects want prepared rows: ask through [`Model::ask`].
    fn abilities(&self) -> Abilities<'_>;
    /// Why it lacks an ability, where there is a reason.
    fn why_not(&self, ability: &str) -> Option<String>;
    /// The model with rows to be asked about: aligned to the schema, checked and prepared, once.
    fn ask<'a>(&'a self, input: Cow<'a, Input<'a>>, session: &'a Session) -> Result<Asked<'a>>;
    /// How training ended, and what is proved.
    fn certificate(&self) -> &Certificate;
    /// Recomputes each piece of evidence from the data.
    fn verify(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<Verified>>;
    /// The fitted attributes.
    fn attributes(&self) -> Vec<Attribute>;
    /// The models that it is made of by name, where each has a place of its own.
    fn parts(&self) -> Vec<(&str, &NestedModel)>;
    /// The model as bytes, read back by the catalogue.
    fn encode(&self) -> Result<Encoded>;
    /// A copy.
    fn clone_box(&self) -> Box<dyn Model>;
}

/// One question at a time; of several, ask the handle that [`on`](#method.on) gives.
impl dyn Model + '_ {
    /// The model with rows to be asked about.
    pub fn on<'a>(&'a self, input: &'a Input<'_>, session: &'a Session) -> Result<Asked<'a>> {
        self.ask(Cow::Borrowed(input), session)
    }
    /// Predicts.
    pub fn predict(&self, input: &Input<'_>, session: &Session) -> Result<Prediction> {
        self.on(input, session)?.predict()
    }
    /// Class probabilities.
    pub fn predict_proba(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.on(input, session)?.proba()
    }
    /// Decision values.
    pub fn decision(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.on(input, session)?.decision()
    }
    /// The ends of a prediction interval for each row, rows × 2, that hold the share `level` of the answers.
    pub fn intervals(&self, input: &Input<'_>, level: f64, session: &Session) -> Result<Mat> {
        self.on(input, session)?.intervals(level)
    }
    /// Transformed rows, with their names.
    pub fn transform(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        self.on(input, session)?.transform()
    }
    /// Decision values where the model gives them, else probabilities.
    pub fn scores(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.on(input, session)?.scores()
    }
    /// What each feature adds to each output, exactly.
    pub fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions> {
        self.on(input, session)?.contributions()
    }
    /// How pairs of features act together.
    pub fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        self.on(input, session)?.interactions()
    }
}

/// A model as bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Encoded {
    /// The name of its learner.
    pub name: String,
    /// The version of its form.
    pub version: u32,
    /// The form itself.
    pub bytes: Vec<u8>,
}

impl Clone for Box<dyn Model> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}
