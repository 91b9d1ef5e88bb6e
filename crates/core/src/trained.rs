//! A trained model: the bridge from the typed side of the contract to the erased one.

use crate::certificate::{Certificate, Evidence, Verified};
use crate::check;
use crate::contract::{Attribute, Encoded, Fitted, Intervals, Learn, Learner, Model};
use crate::dataset::Dataset;
use crate::declaration::{Capabilities, Declaration, Task};
use crate::error::{Error, ErrorKind, Result};
use crate::explain::{Contributions, Explainer, Interactions, Through};
use crate::input::{Input, Rows};
use crate::params::Params;
use crate::schema::Schema;
use crate::session::{Session, Unseen};
use crate::target::Prediction;
use crate::trees::TreesView;
use crate::value::Value;
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// What a model cannot do that does not explain itself.
const EXPLAIN: &str = "explain itself by exact contributions; decision trees, forests, boosters, bagging, averages and \
                       pipelines of these can";

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
    pub(crate) fn new(learner: &L, model: L::Model, schema: Schema, session: &Session) -> Self {
        Self { learner: learner.clone(), model, schema, seed: session.seed() }
    }

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

    /// Prediction intervals that hold the share `level` of the answers, rows × 2, with the default session.
    pub fn predict_interval<'a>(&self, input: impl Into<Input<'a>>, level: f64) -> Result<Mat> {
        Model::intervals(self, &input.into(), level, &Session::default())
    }

    /// Quantiles of each row's answer, rows × quantiles, with the default session.
    pub fn predict_quantiles<'a>(&self, input: impl Into<Input<'a>>, quantiles: &[f64]) -> Result<Mat> {
        Model::quantiles(self, &input.into(), quantiles, &Session::default())
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

    /// Transformed rows with their names, where the model gives any.
    pub(crate) fn name_rows(&self, rows: Rows<'static>) -> Result<Rows<'static>> {
        match self.model.as_transformer().filter(|_| rows.names().is_none()) {
            Some(model) => match model.names_out(&self.schema) {
                names if names.is_empty() => Ok(rows),
                names => rows.named(names),
            },
            None => Ok(rows),
        }
    }

    fn ready<'i, 'a>(
        &self,
        input: &'i Input<'a>,
        session: &Session,
    ) -> Result<std::borrow::Cow<'i, Input<'a>>> {
        let unseen = match session.unseen() {
            Unseen::Missing if L::COMPOSITE || L::MEETS_UNSEEN => Unseen::Keep,
            policy => policy,
        };
        let input = self.schema.align(L::NAME, input, unseen)?;
        if !L::COMPOSITE {
            check::values(L::NAME, &self.learner.capabilities(), &input)?;
        }
        Ok(input)
    }
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

    fn interval_model(&self) -> Result<&dyn Intervals> {
        self.model.as_intervals().ok_or_else(|| {
            ErrorKind::Incapable {
                who: L::NAME.to_owned(),
                what: "give prediction intervals".to_owned(),
                hint: "; ConformalRegressor around any regressor does, and so do forests with quantiles=true"
                    .to_owned(),
            }
            .into()
        })
    }

    fn explainer(&self) -> Result<&dyn Explainer> {
        self.model.as_explainer().ok_or_else(|| Error::incapable(L::NAME, EXPLAIN))
    }

    /// Contributions with the names of the features, unless they have their own.
    fn with_names(&self, mut found: Contributions) -> Contributions {
        if found.features.is_empty() {
            found.features = self.schema.features.iter().map(|f| f.name.clone()).collect();
        }
        found
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
            intervals: self.model.as_intervals().is_some(),
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
    fn intervals(&self, input: &Input<'_>, level: f64, session: &Session) -> Result<Mat> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::param(L::NAME, "level of intervals", "in (0, 1)", level));
        }
        self.interval_model()?.intervals(&*self.ready(input, session)?, level, session)
    }
    fn quantiles(&self, input: &Input<'_>, quantiles: &[f64], session: &Session) -> Result<Mat> {
        if let Some(bad) = quantiles.iter().find(|q| !(0.0..=1.0).contains(*q)) {
            return Err(Error::param(L::NAME, "quantiles", "in [0, 1]", bad));
        }
        self.interval_model()?.quantiles(&*self.ready(input, session)?, quantiles, session)
    }
    fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions> {
        let found = self.explainer()?.contributions(&*self.ready(input, session)?, session)?;
        Ok(self.with_names(found))
    }
    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        self.explainer()?.interactions(&*self.ready(input, session)?, session)
    }
    fn contributions_through(
        &self,
        input: &Input<'_>,
        through: &Through<'_>,
        session: &Session,
    ) -> Result<Contributions> {
        let input = self.ready(input, session)?;
        Ok(self.with_names(self.explainer()?.contributions_through(&input, through, session)?))
    }
    fn interactions_through(
        &self,
        input: &Input<'_>,
        through: &Through<'_>,
        session: &Session,
    ) -> Result<Interactions> {
        self.explainer()?.interactions_through(&*self.ready(input, session)?, through, session)
    }
    fn tree_view(&self) -> Option<TreesView<'_>> {
        self.model.as_trees(&self.schema)
    }
    fn transform(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        match self.model.as_transformer() {
            Some(model) => self.name_rows(model.transformed(&*self.ready(input, session)?, session)?),
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
