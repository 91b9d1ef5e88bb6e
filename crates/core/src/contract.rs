//! The learning contract. Typed: [`Learn`] is what an algorithm implements, [`Fit`] what a user calls,
//! [`Trained`] what comes back. Erased: [`Learner`] and [`Model`] are what pipelines, ensembles, search and
//! every door see. Blanket implementations here are the only bridge between the two.

use crate::certificate::{Certificate, Evidence, Verified};
use crate::check;
use crate::dataset::Dataset;
use crate::declaration::{Capabilities, Declaration, Task};
use crate::error::{Error, Result};
use crate::input::{Input, Rows};
use crate::params::Params;
use crate::schema::Schema;
use crate::session::Session;
use crate::sums::Batches;
use crate::target::Prediction;
use crate::value::{Object, Value};
use mercer_math::Mat;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// What an algorithm implements: parameters in, model out.
pub trait Learn: Params {
    /// What is learnt.
    type Model: Fitted;

    /// Whether it hands its data on to other learners, which check them themselves.
    const COMPOSITE: bool = false;

    /// Learns. Parameters, kind and values of the data have been checked against the declaration, and the
    /// call runs in the session's pool.
    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model>;

    /// Learns from batches; `None` for learners that do not learn by sums.
    fn learn_stream(&self, _batches: &mut dyn Batches, _session: &Session) -> Option<Result<Self::Model>> {
        None
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

    /// The model as a transformer, if it is one.
    fn as_transformer(&self) -> Option<&dyn Transformer> {
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

/// Class probabilities: n rows × classes, each row summing to 1.
pub trait Proba {
    /// The probabilities.
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat>;
}

/// Decision values: n rows × 1 for two classes (positive means the second), else × classes.
pub trait Decision {
    /// The decision values.
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat>;
}

/// A map from rows to rows.
pub trait Transformer {
    /// The transformed rows.
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>>;
    /// The names of the columns that come out.
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

    /// Learns in a session.
    fn fit_in(&self, data: &Dataset<'_>, session: &Session) -> Result<Trained<Self>> {
        self.check()?;
        let work = || {
            let data = &check::ready(self, data)?;
            let model = self.learn(data, session)?;
            Ok(Trained { learner: self.clone(), model, schema: Schema::of(data), seed: session.seed() })
        };
        match data.whole_input() {
            // A density of the caller's thread must not be called on one of the pool's.
            Input::Density(density) if density.is_local() => work(),
            _ => session.run(work),
        }
    }

    /// Learns from batches, for learners that learn by sums.
    fn fit_stream(&self, batches: &mut dyn Batches, session: &Session) -> Result<Trained<Self>> {
        self.check()?;
        let schema = batches.schema()?;
        let model = self
            .learn_stream(batches, session)
            .unwrap_or_else(|| Err(Error::incapable(Self::NAME, "learn from a stream of batches")))?;
        Ok(Trained { learner: self.clone(), model, schema, seed: session.seed() })
    }
}

impl<L: Learn> Fit for L {}

/// A model with the learner that made it and the schema of its data. Dereferences to the model itself.
#[derive(Clone, Debug)]
pub struct Trained<L: Learn> {
    learner: L,
    model: L::Model,
    schema: Schema,
    seed: u64,
}

impl<L: Learn> std::ops::Deref for Trained<L> {
    type Target = L::Model;
    fn deref(&self) -> &L::Model {
        &self.model
    }
}

impl<L: Learn> Trained<L> {
    /// The learner with its hyper-parameters.
    pub fn learner(&self) -> &L {
        &self.learner
    }

    /// The learnt model.
    pub fn model(&self) -> &L::Model {
        &self.model
    }

    /// The schema of the training data.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Predicts, with the default session.
    pub fn predict<'a>(&self, input: impl Into<Input<'a>>) -> Result<Prediction> {
        Model::predict(self, &input.into(), &Session::default())
    }

    /// Class probabilities, with the default session.
    pub fn predict_proba<'a>(&self, input: impl Into<Input<'a>>) -> Result<Mat> {
        Model::predict_proba(self, &input.into(), &Session::default())
    }

    /// Decision values, with the default session.
    pub fn decision_function<'a>(&self, input: impl Into<Input<'a>>) -> Result<Mat> {
        Model::decision(self, &input.into(), &Session::default())
    }

    /// Transforms rows, with the default session.
    pub fn transform<'a>(&self, input: impl Into<Input<'a>>) -> Result<Rows<'static>> {
        Model::transform(self, &input.into(), &Session::default())
    }

    /// How training ended, and what is proved.
    pub fn certificate(&self) -> &Certificate {
        self.model.certificate()
    }

    /// Recomputes the evidence from the data.
    pub fn verify(&self, data: &Dataset<'_>) -> Result<Vec<Verified>> {
        Model::verify(self, data, &Session::default())
    }

    fn ready<'i, 'a>(
        &self,
        input: &'i Input<'a>,
        session: &Session,
    ) -> Result<std::borrow::Cow<'i, Input<'a>>> {
        let input = self.schema.align(L::NAME, input, session.unseen())?;
        if !L::COMPOSITE {
            check::values(L::NAME, &self.learner.capabilities(), &input)?;
        }
        Ok(input)
    }
}

/// A learner behind the object-safe contract.
pub trait Learner: Send + Sync + Debug {
    /// What it says of itself.
    fn declaration(&self) -> &'static Declaration;
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
    /// Learns from batches.
    fn train_stream(&self, batches: &mut dyn Batches, session: &Session) -> Result<Box<dyn Model>>;
    /// A copy.
    fn clone_box(&self) -> Box<dyn Learner>;
}

impl<L: Learn> Learner for L {
    fn declaration(&self) -> &'static Declaration {
        <L as Params>::declaration()
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

/// What stands around every model in its bytes.
#[derive(Serialize, Deserialize)]
struct Envelope<M> {
    params: String,
    schema: Schema,
    seed: u64,
    model: M,
}

impl<L: Learn> Trained<L> {
    /// Reads the bytes of [`Model::encode`].
    pub fn decode(version: u32, bytes: &[u8]) -> Result<Self> {
        if version != L::Model::VERSION {
            let message =
                format!("{} of version {version}; this program reads {}", L::NAME, L::Model::VERSION);
            return Err(Error::format(message));
        }
        let (envelope, rest): (Envelope<L::Model>, _) = postcard::take_from_bytes(bytes).map_err(|e| {
            crate::nested::take_error().unwrap_or_else(|| Error::format(format!("{}: {e}", L::NAME)))
        })?;
        if !rest.is_empty() {
            return Err(Error::format(format!("{}: {} bytes too many", L::NAME, rest.len())));
        }
        let Envelope { params, schema, seed, model } = envelope;
        let json = serde_json::from_str(&params).map_err(|e| Error::format(format!("{}: {e}", L::NAME)))?;
        let Some(Value::Object(object)) = Value::from_json(&json) else {
            return Err(Error::format(format!("{}: no parameters", L::NAME)));
        };
        let learner = L::from_object(&object)?;
        learner.check()?;
        model.validate(&schema).map_err(|e| Error::format(format!("{}: {e}", L::NAME)))?;
        Ok(Self { learner, model, schema, seed })
    }

    fn incapable<T>(&self, what: &str) -> Result<T> {
        Err(Error::incapable(L::NAME, what))
    }
}

impl<L: Learn> Model for Trained<L> {
    fn declaration(&self) -> &'static Declaration {
        <L as Params>::declaration()
    }
    fn learner(&self) -> Box<dyn Learner> {
        Box::new(self.learner.clone())
    }
    fn schema(&self) -> &Schema {
        &self.schema
    }
    fn seed(&self) -> u64 {
        self.seed
    }
    fn can(&self) -> Capabilities {
        Capabilities {
            proba: self.model.as_proba().is_some(),
            decision: self.model.as_decision().is_some(),
            transform: self.model.as_transformer().is_some(),
            ..self.learner.capabilities()
        }
    }
    fn predict(&self, input: &Input<'_>, session: &Session) -> Result<Prediction> {
        if matches!(Learn::task(&self.learner), Task::Transformation | Task::Sampling) {
            return self.incapable("predict");
        }
        self.model.infer(&*self.ready(input, session)?, &self.schema, session)
    }
    fn predict_proba(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        match self.model.as_proba() {
            Some(model) => model.probabilities(&*self.ready(input, session)?, session),
            None => self.incapable("give probabilities"),
        }
    }
    fn decision(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        match self.model.as_decision() {
            Some(model) => model.decisions(&*self.ready(input, session)?, session),
            None => self.incapable("give decision values"),
        }
    }
    fn transform(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        match self.model.as_transformer() {
            Some(model) => {
                let rows = model.transformed(&*self.ready(input, session)?, session)?;
                if rows.names().is_some() { Ok(rows) } else { rows.named(model.names_out(&self.schema)) }
            }
            None => self.incapable("transform"),
        }
    }
    fn inverse_transform(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        match self.model.as_transformer() {
            Some(model) => model.inverted(input, session),
            None => self.incapable("be inverted"),
        }
    }
    fn names_out(&self) -> Result<Vec<String>> {
        match self.model.as_transformer() {
            Some(model) => Ok(model.names_out(&self.schema)),
            None => self.incapable("transform"),
        }
    }
    fn certificate(&self) -> &Certificate {
        self.model.certificate()
    }
    fn verify(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<Verified>> {
        let aligned = data.with_input(self.ready(&data.input(), session)?.into_owned())?;
        let found = session.run(|| self.model.reprove(&aligned, session))?;
        let check = |claimed: &Evidence| {
            let found = found.iter().find(|(name, _)| *name == claimed.name).map_or(f64::NAN, |(_, v)| *v);
            Verified { claimed: claimed.clone(), found, holds: claimed.agrees(found) }
        };
        Ok(self.model.certificate().evidence.iter().map(check).collect())
    }
    fn attributes(&self) -> Vec<Attribute> {
        self.model.attributes()
    }
    fn encode(&self) -> Result<Encoded> {
        let envelope = Envelope {
            params: Value::Object(self.learner.to_object()).to_json().to_string(),
            schema: self.schema.clone(),
            seed: self.seed,
            model: self.model.clone(),
        };
        let bytes = postcard::to_stdvec(&envelope).map_err(|e| Error::format(format!("{}: {e}", L::NAME)))?;
        Ok(Encoded { name: L::NAME.to_owned(), version: L::Model::VERSION, bytes })
    }
    fn clone_box(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Model> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}
