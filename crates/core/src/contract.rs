//! The learning contract. Typed: [`Learn`] is what an algorithm implements, [`Fit`] what a user calls,
//! [`Trained`] what comes back. Erased: [`Learner`] and [`Model`] are what pipelines, ensembles, search and
//! every door see. The blanket implementations here and in `trained.rs` are the only bridge.

use crate::certificate::{Certificate, Verified};
use crate::check;
use crate::dataset::Dataset;
use crate::declaration::{Capabilities, DataKind, Declaration, Task};
use crate::error::{Error, Result};
use crate::explain::{Contributions, Explainer, Interactions, Through};
use crate::input::{Input, Rows};
use crate::params::Params;
use crate::schema::Schema;
use crate::session::Session;
use crate::sums::Batches;
use crate::target::Prediction;
use crate::trained::Trained;
use crate::trees::TreesView;
use crate::value::{Object, Value};
use mercer_math::Mat;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use std::fmt::Debug;

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

    /// The kind of data that it learns from; composites ask their parts.
    fn takes(&self) -> DataKind {
        Self::declaration().takes
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

    /// Class probabilities, if the model gives any.
    fn as_proba(&self) -> Option<&dyn Proba> {
        None
    }

    /// Decision values, if the model gives any.
    fn as_decision(&self) -> Option<&dyn Decision> {
        None
    }

    /// Prediction intervals, if the model gives any.
    fn as_intervals(&self) -> Option<&dyn Intervals> {
        None
    }

    /// The model as a transformer, if it is one.
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        None
    }

    /// The model as one that explains itself, if it does.
    fn as_explainer(&self) -> Option<&dyn Explainer> {
        None
    }

    /// The decision trees of the model, if it is made of such; `schema` is that of its training rows.
    fn as_trees<'m>(&'m self, _schema: &'m Schema) -> Option<TreesView<'m>> {
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

    /// Refuses a loaded model whose parts do not fit together or to the schema; the error is a phrase.
    fn validate(&self, schema: &Schema) -> Result<(), String>;
}

/// Class probabilities: n rows × classes, each row summing to 1. Of several targets, the classes of one follow those of
/// the other.
pub trait Proba {
    /// The probabilities.
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat>;
}

/// Decision values: n rows × 1 for two classes (positive means the second), else × classes.
pub trait Decision {
    /// The decision values.
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat>;
}

/// Prediction intervals of a single number.
pub trait Intervals {
    /// The ends of an interval for each row: n rows × 2, the lower end first. `level` is the share of answers that the
    /// intervals are to hold, in (0, 1).
    fn intervals(&self, input: &Input<'_>, level: f64, session: &Session) -> Result<Mat>;
    /// The quantiles of each row's answer, each in [0, 1]: n rows × quantiles.
    fn quantiles(&self, _input: &Input<'_>, _quantiles: &[f64], _session: &Session) -> Result<Mat> {
        Err(Error::incapable("this model", "give quantiles"))
    }
}

/// A map from rows to rows.
pub trait Transformer {
    /// The transformed rows.
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>>;
    /// The names of the columns that come out; empty where they have none, as hashed ones.
    fn names_out(&self, schema: &Schema) -> Vec<String>;
    /// The rows that would be transformed into these.
    fn inverted(&self, _input: &Input<'_>, _session: &Session) -> Result<Rows<'static>> {
        Err(Error::incapable("this transformer", "be inverted"))
    }
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
        check::ready(self, data)
    }

    /// Learns in a session.
    fn fit_in(&self, data: &Dataset<'_>, session: &Session) -> Result<Trained<Self>> {
        self.check()?;
        let session = &*uncached::<Self>(session);
        let work = || {
            let data = &check::ready(self, data)?;
            let model = self.learn(data, session)?;
            Ok(Trained::new(self, model, Schema::of(data), session))
        };
        match data.whole_input() {
            // A density of the caller's thread must not be called on one of the pool's.
            Input::Density(density) if density.is_local() => work(),
            _ => session.run(work),
        }
    }

    /// Learns, and transforms the rows learnt from: out of fold for transformers that cross-fit.
    fn fit_transform(&self, data: &Dataset<'_>, session: &Session) -> Result<(Trained<Self>, Rows<'static>)> {
        self.check()?;
        let session = &*uncached::<Self>(session);
        session.run(|| {
            let data = &check::ready(self, data)?;
            let schema = Schema::of(data);
            match self.learn_transform(data, session) {
                Some(made) => {
                    let (model, rows) = made?;
                    let model = Trained::new(self, model, schema, session);
                    let rows = model.name_rows(rows)?;
                    Ok((model, rows))
                }
                None => {
                    let model = Trained::new(self, self.learn(data, session)?, schema, session);
                    let rows = Model::transform(&model, data.whole_input(), session)?;
                    Ok((model, rows))
                }
            }
        })
    }

    /// Learns from batches, for learners that learn by sums.
    fn fit_stream(&self, batches: &mut dyn Batches, session: &Session) -> Result<Trained<Self>> {
        self.check()?;
        let schema = batches.schema()?;
        let model = self
            .learn_stream(batches, session)
            .unwrap_or_else(|| Err(Error::incapable(Self::NAME, "learn from a stream of batches")))?;
        Ok(Trained::new(self, model, schema, session))
    }
}

/// The session without its cache, for learners that must not use it.
fn uncached<L: Learn>(session: &Session) -> Cow<'_, Session> {
    match session.cache() {
        Some(_) if !L::CACHES => Cow::Owned(session.clone().with_cache(None)),
        _ => Cow::Borrowed(session),
    }
}

impl<L: Learn> Fit for L {}

/// A learner behind the object-safe contract.
pub trait Learner: Send + Sync + Debug {
    /// What it says of itself.
    fn declaration(&self) -> &'static Declaration;
    /// The kind of data that it learns from.
    fn takes(&self) -> DataKind;
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
    /// Learns.
    fn train(&self, data: &Dataset<'_>, session: &Session) -> Result<Box<dyn Model>>;
    /// Learns, and transforms the rows learnt from.
    fn train_transform(
        &self,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<(Box<dyn Model>, Rows<'static>)>;
    /// Learns from batches.
    fn train_stream(&self, batches: &mut dyn Batches, session: &Session) -> Result<Box<dyn Model>>;
    /// A copy.
    fn clone_box(&self) -> Box<dyn Learner>;
}

impl<L: Learn> Learner for L {
    fn declaration(&self) -> &'static Declaration {
        <L as Params>::declaration()
    }
    fn takes(&self) -> DataKind {
        Learn::takes(self)
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
    fn train(&self, data: &Dataset<'_>, session: &Session) -> Result<Box<dyn Model>> {
        Ok(Box::new(self.fit_in(data, session)?))
    }
    fn train_transform(
        &self,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<(Box<dyn Model>, Rows<'static>)> {
        self.fit_transform(data, session).map(|(model, rows)| (Box::new(model) as Box<dyn Model>, rows))
    }
    fn train_stream(&self, batches: &mut dyn Batches, session: &Session) -> Result<Box<dyn Model>> {
        Ok(Box::new(self.fit_stream(batches, session)?))
    }
    fn clone_box(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Learner> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

/// A model behind the object-safe contract. The input of every method is aligned to the schema and checked.
pub trait Model: Send + Sync + Debug {
    /// What its learner says of itself.
    fn declaration(&self) -> &'static Declaration;
    /// Its learner, with the hyper-parameters used.
    fn learner(&self) -> Box<dyn Learner>;
    /// What it was trained on.
    fn schema(&self) -> &Schema;
    /// The seed it was trained with.
    fn seed(&self) -> u64;
    /// What this very model can do.
    fn can(&self) -> Capabilities;
    /// Predicts.
    fn predict(&self, input: &Input<'_>, session: &Session) -> Result<Prediction>;
    /// Class probabilities.
    fn predict_proba(&self, input: &Input<'_>, session: &Session) -> Result<Mat>;
    /// Decision values.
    fn decision(&self, input: &Input<'_>, session: &Session) -> Result<Mat>;
    /// The ends of a prediction interval for each row, rows × 2, that hold the share `level` of the answers.
    fn intervals(&self, input: &Input<'_>, level: f64, session: &Session) -> Result<Mat>;
    /// Quantiles of each row's answer: rows × quantiles.
    fn quantiles(&self, input: &Input<'_>, quantiles: &[f64], session: &Session) -> Result<Mat>;
    /// Decision values where the model gives them, else probabilities.
    fn scores(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        if self.can().decision { self.decision(input, session) } else { self.predict_proba(input, session) }
    }
    /// What each feature adds to each output, exactly; for models that explain themselves.
    fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions>;
    /// How pairs of features act together; for models that explain themselves.
    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions>;
    /// What each feature adds to a function of what the model says; for single trees.
    fn contributions_through(
        &self,
        input: &Input<'_>,
        through: &Through<'_>,
        session: &Session,
    ) -> Result<Contributions>;
    /// How pairs of features act together on a function of what the model says; for single trees.
    fn interactions_through(
        &self,
        input: &Input<'_>,
        through: &Through<'_>,
        session: &Session,
    ) -> Result<Interactions>;
    /// The decision trees that it is made of; `None` for all other models.
    fn tree_view(&self) -> Option<TreesView<'_>>;
    /// Transforms rows; the result carries its names.
    fn transform(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>>;
    /// Undoes [`Model::transform`].
    fn inverse_transform(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>>;
    /// The names that [`Model::transform`] gives its columns.
    fn names_out(&self) -> Result<Vec<String>>;
    /// How training ended, and what is proved.
    fn certificate(&self) -> &Certificate;
    /// Recomputes each piece of evidence from the data.
    fn verify(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<Verified>>;
    /// The fitted attributes.
    fn attributes(&self) -> Vec<Attribute>;
    /// The model as bytes, read back by the catalogue.
    fn encode(&self) -> Result<Encoded>;
    /// A copy.
    fn clone_box(&self) -> Box<dyn Model>;
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
