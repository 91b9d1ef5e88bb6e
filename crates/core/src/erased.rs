//! The erased side of the contract: one struct over boxed parts, so that a learner adds little to what is compiled.

use crate::abilities::Capabilities;
use crate::abilities::{Abilities, named};
use crate::asked::Asked;
use crate::certificate::{Certificate, Evidence, Verified};
use crate::check_data;
use crate::contract::{Attribute, Encoded, Fitted, Learn, Learner, Model};
use crate::data_kinds::{DataKind, Input, Rows};
use crate::dataset::Dataset;
use crate::declaration::Declaration;
use crate::error::{Error, Result};
use crate::nested::NestedModel;
use crate::schema::Schema;
use crate::session::{Session, Unseen};
use crate::sums::Batches;
use crate::target::{Label, Prediction, Target};
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

/// The object-safe side of [`Fitted`], which every model has.
pub(crate) trait FittedObject: Any + Debug + Send + Sync {
    /// As [`Fitted::certificate`].
    fn certificate(&self) -> &Certificate;
    /// As [`Fitted::infer`].
    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction>;
    /// As [`Fitted::meets_not_finite`].
    fn meets_not_finite(&self) -> bool;
    /// As [`Fitted::abilities`].
    fn abilities(&self) -> Abilities<'_>;
    /// As [`Fitted::why_not`].
    fn why_not(&self, ability: &str) -> Option<String>;
    /// As [`Fitted::reprove`].
    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>>;
    /// As [`Fitted::attributes`].
    fn attributes(&self) -> Vec<Attribute>;
    /// As [`Fitted::parts`].
    fn parts(&self) -> Vec<(&str, &NestedModel)>;
    /// As [`Fitted::validate`].
    fn validate(&self, schema: &Schema) -> Result<(), String>;
    /// As [`Fitted::VERSION`].
    fn version(&self) -> u32;
    /// The bytes with those of the model behind them.
    fn write(&self, bytes: Vec<u8>) -> postcard::Result<Vec<u8>>;
}

impl<M: Fitted> FittedObject for M {
    fn certificate(&self) -> &Certificate {
        Fitted::certificate(self)
    }
    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        Fitted::infer(self, input, schema, session)
    }
    fn meets_not_finite(&self) -> bool {
        Fitted::meets_not_finite(self)
    }
    fn abilities(&self) -> Abilities<'_> {
        Fitted::abilities(self)
    }
    fn why_not(&self, ability: &str) -> Option<String> {
        Fitted::why_not(self, ability)
    }
    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        Fitted::reprove(self, data, session)
    }
    fn attributes(&self) -> Vec<Attribute> {
        Fitted::attributes(self)
    }
    fn parts(&self) -> Vec<(&str, &NestedModel)> {
        Fitted::parts(self)
    }
    fn validate(&self, schema: &Schema) -> Result<(), String> {
        Fitted::validate(self, schema)
    }
    fn version(&self) -> u32 {
        M::VERSION
    }
    fn write(&self, bytes: Vec<u8>) -> postcard::Result<Vec<u8>> {
        postcard::to_extend(self, bytes)
    }
}

/// What a learner learns from.
#[allow(missing_debug_implementations)]
pub enum Learning<'l, 'a> {
    /// Rows.
    Data(&'l Dataset<'a>),
    /// Rows, which are wanted transformed, too.
    Transform(&'l Dataset<'a>),
    /// Batches of rows.
    Stream(&'l mut dyn Batches),
    /// Rows that a model goes on from, or begins with.
    Resume(Option<&'l dyn Any>, &'l Dataset<'a>),
}

/// What is learnt, with transformed rows where there are any.
#[derive(Debug)]
pub struct Learnt(pub(crate) Arc<dyn FittedObject>, pub(crate) Option<Rows<'static>>);

/// How a learner wants its data, whatever its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// As [`Learn::COMPOSITE`].
    pub composite: bool,
    /// As [`Learn::MEETS_UNSEEN`].
    pub meets_unseen: bool,
    /// As [`Learn::CACHES`].
    pub caches: bool,
}

/// A model with the learner that made it and the schema of its data.
#[derive(Clone, Debug)]
pub(crate) struct Erased {
    pub(crate) learner: Box<dyn Learner>,
    pub(crate) fitted: Arc<dyn FittedObject>,
    pub(crate) schema: Schema,
    pub(crate) seed: u64,
}

/// What stands before every model in its bytes.
#[derive(Serialize, Deserialize)]
struct Head<'a> {
    params: String,
    schema: Cow<'a, Schema>,
    seed: u64,
}

impl Erased {
    /// Learns; transformed rows come with it where they are wanted.
    pub(crate) fn learn(
        learner: &dyn Learner,
        from: Learning<'_, '_>,
        session: &Session,
    ) -> Result<(Self, Option<Rows<'static>>)> {
        learner.check()?;
        let session = &*uncached(learner, session);
        let (data, transform) = match from {
            Learning::Data(data) | Learning::Resume(None, data) => (data, false),
            Learning::Transform(data) => (data, true),
            Learning::Resume(Some(_), _) => return Err(incapable(learner, "go on without a schema")),
            Learning::Stream(batches) => return Self::learn_stream(learner, batches, session),
        };
        let work = || {
            let data = &check_data::ready(learner, data)?;
            let own = if transform { learner.learn_object(Learning::Transform(data), session) } else { None };
            let made = own.or_else(|| learner.learn_object(Learning::Data(data), session));
            let Learnt(fitted, rows) =
                made.unwrap_or_else(|| Err(incapable(learner, "learn from these data")))?;
            let model = Self::new(learner, fitted, Schema::of(data), session);
            let rows = match rows {
                Some(rows) => Some(model.name_rows(rows)?),
                None if transform => {
                    Some(model.ask(Cow::Borrowed(data.whole_input()), session)?.transform()?)
                }
                None => None,
            };
            Ok((model, rows))
        };
        match data.whole_input() {
            // What is of the caller's thread must not be called on one of the pool's.
            Input::Density(density) if density.is_local() => work(),
            Input::Environment(environment) if environment.is_local() => work(),
            Input::Density(_)
            | Input::Rows(_)
            | Input::Strings(_)
            | Input::Mdp(_)
            | Input::States(_)
            | Input::Series(_)
            | Input::Graphs(_)
            | Input::Environment(_) => session.run(work),
        }
    }

    fn learn_stream(
        learner: &dyn Learner,
        batches: &mut dyn Batches,
        session: &Session,
    ) -> Result<(Self, Option<Rows<'static>>)> {
        let schema = batches.schema()?;
        let made = learner.learn_object(Learning::Stream(batches), session);
        let Learnt(fitted, _) =
            made.unwrap_or_else(|| Err(incapable(learner, "learn from a stream of batches")))?;
        Ok((Self::new(learner, fitted, schema, session), None))
    }

    /// Goes on learning where a model stands, or begins. The batch is aligned to the model's schema, its classes to those
    /// that the model knows.
    pub(crate) fn resume(
        learner: &dyn Learner,
        model: Option<&Self>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Self> {
        learner.check()?;
        session.run(|| {
            let aligned = match model {
                Some(model) => {
                    let input = model.ready(model.schema.kind, Cow::Owned(data.input()), session, true)?;
                    Some(known_classes(learner, &model.schema, data)?.with_input(input.into_owned())?)
                }
                None => None,
            };
            let data = &check_data::ready(learner, aligned.as_ref().unwrap_or(data))?;
            let state = model.map(|model| model.fitted.as_ref() as &dyn Any);
            let made = learner.learn_object(Learning::Resume(state, data), session);
            let Learnt(fitted, _) = made.unwrap_or_else(|| Err(incapable(learner, "go on learning")))?;
            let schema = model.map_or_else(|| Schema::of(data), |model| model.schema.clone());
            Ok(Self::new(learner, fitted, schema, session))
        })
    }

    fn new(learner: &dyn Learner, fitted: Arc<dyn FittedObject>, schema: Schema, session: &Session) -> Self {
        Self { learner: learner.clone_box(), fitted, schema, seed: session.seed() }
    }

    /// A model put together from its parts, which must fit.
    pub(crate) fn assembled(
        learner: &dyn Learner,
        fitted: Arc<dyn FittedObject>,
        schema: Schema,
        seed: u64,
    ) -> Result<Self> {
        Self { learner: learner.clone_box(), fitted, schema, seed }.validated(&[])
    }

    fn name_rows(&self, rows: Rows<'static>) -> Result<Rows<'static>> {
        match (self.fitted.abilities().transform, rows.names()) {
            (Some(model), None) => named(model, &self.schema, rows),
            _ => Ok(rows),
        }
    }

    fn name(&self) -> &'static str {
        self.learner.declaration().name
    }

    /// Data of a kind aligned to the schema, with values that the learner takes; whether they are finite is looked at only
    /// where the model would not meet it.
    fn ready<'a>(
        &self,
        kind: DataKind,
        input: Cow<'a, Input<'a>>,
        session: &Session,
        look: bool,
    ) -> Result<Cow<'a, Input<'a>>> {
        let habits = self.learner.habits();
        let unseen = match session.unseen() {
            Unseen::Missing if habits.composite || habits.meets_unseen => Unseen::Keep,
            policy => policy,
        };
        let aligned = match kind.align(self.name(), &self.schema, &input, unseen)? {
            Cow::Borrowed(_) => None,
            Cow::Owned(aligned) => Some(aligned),
        };
        let input = aligned.map_or(input, Cow::Owned);
        if !habits.composite {
            check_data::kinds(self.name(), &self.learner.capabilities(), &input)?;
            if look {
                self.look(&input)?;
            }
        }
        Ok(input)
    }

    /// Refuses values that are not finite, or missing where the learner takes none missing.
    pub(crate) fn look(&self, input: &Input<'_>) -> Result<()> {
        check_data::values(self.name(), &self.learner.capabilities(), input)
    }

    /// Reads the bytes of [`Model::encode`].
    pub(crate) fn decode<L: Learn>(version: u32, bytes: &[u8]) -> Result<Self> {
        let (head, rest) = read_head(L::NAME, (version, L::Model::VERSION), bytes)?;
        let (model, rest) = postcard::take_from_bytes::<L::Model>(rest).map_err(|e| unread(L::NAME, &e))?;
        let learner = L::from_object(&params(L::NAME, &head.params)?)?;
        Self {
            learner: Box::new(learner),
            fitted: Arc::new(model),
            schema: head.schema.into_owned(),
            seed: head.seed,
        }
        .validated(rest)
    }

    fn validated(self, rest: &[u8]) -> Result<Self> {
        if !rest.is_empty() {
            return Err(Error::format(format!("{}: {} bytes too many", self.name(), rest.len())));
        }
        self.learner.check()?;
        let fits = self.fitted.validate(&self.schema);
        fits.map_err(|e| Error::format(format!("{}: {e}", self.name())))?;
        Ok(self)
    }
}

fn read_head<'a>(name: &str, (version, own): (u32, u32), bytes: &'a [u8]) -> Result<(Head<'a>, &'a [u8])> {
    if version != own {
        return Err(Error::format(format!("{name} of version {version}; this program reads {own}")));
    }
    postcard::take_from_bytes(bytes).map_err(|e| unread(name, &e))
}

fn unread(name: &str, error: &postcard::Error) -> Error {
    crate::nested::take_error().unwrap_or_else(|| Error::format(format!("{name}: {error}")))
}

fn params(name: &str, text: &str) -> Result<crate::value::Object> {
    let json = serde_json::from_str(text).map_err(|e| Error::format(format!("{name}: {e}")))?;
    match Value::from_json(&json) {
        Some(Value::Object(object)) => Ok(object),
        _ => Err(Error::format(format!("{name}: no parameters"))),
    }
}

/// The data with their classes coded as a schema has them.
fn known_classes<'a>(learner: &dyn Learner, schema: &Schema, data: &Dataset<'a>) -> Result<Dataset<'a>> {
    let (Some(known), Some(own)) = (schema.labels(), data.labels()) else { return Ok(data.clone()) };
    if known == own {
        return Ok(data.clone());
    }
    let place = |label: &Label| {
        let names = || known.iter().map(ToString::to_string).collect::<Vec<_>>();
        let at = known.iter().position(|k| k == label).map(|at| at as u32);
        at.ok_or_else(|| Error::unknown("class", &label.to_string(), names().iter().map(String::as_str)))
    };
    let target = data.need_target(learner.declaration().name)?;
    let (codes, labels) = target.class()?;
    // Labels of the dictionary that no row has need not be known.
    let mut places: Vec<Option<u32>> = vec![None; labels.len()];
    let recoded = codes.iter().map(|&c| match places.get(c as usize) {
        Some(Some(at)) => Ok(*at),
        Some(None) => {
            let at = place(&labels[c as usize])?;
            places[c as usize] = Some(at);
            Ok(at)
        }
        // What is no class is refused with its row later on.
        None => Ok(u32::MAX),
    });
    let recoded = recoded.collect::<Result<Vec<u32>>>()?;
    let names: Vec<String> = target.columns()[0].name.iter().cloned().collect();
    let target = Target::coded(recoded, known.clone());
    data.with_input(data.input())?.with_target(if names.is_empty() { target } else { target.named(&names) })
}

fn incapable(learner: &dyn Learner, what: &str) -> Error {
    Error::incapable(learner.declaration().name, what)
}

/// The session without its cache, for learners that must not use it.
fn uncached<'s>(learner: &dyn Learner, session: &'s Session) -> Cow<'s, Session> {
    match session.cache() {
        Some(_) if !learner.habits().caches => Cow::Owned(session.clone().with_cache(None)),
        _ => Cow::Borrowed(session),
    }
}

impl Model for Erased {
    fn declaration(&self) -> &'static Declaration {
        self.learner.declaration()
    }
    fn learner(&self) -> &dyn Learner {
        self.learner.as_ref()
    }
    fn schema(&self) -> &Schema {
        &self.schema
    }
    fn seed(&self) -> u64 {
        self.seed
    }
    fn can(&self) -> Capabilities {
        self.fitted.abilities().given(self.learner.capabilities())
    }
    fn abilities(&self) -> Abilities<'_> {
        self.fitted.abilities()
    }
    fn why_not(&self, ability: &str) -> Option<String> {
        self.fitted.why_not(ability)
    }
    fn ask<'a>(&'a self, input: Cow<'a, Input<'a>>, session: &'a Session) -> Result<Asked<'a>> {
        let look = !self.fitted.meets_not_finite();
        let input = self.ready(self.learner.kinds().asked_about, input, session, look)?;
        let Some(route) = self.fitted.abilities().route else { return Ok(Asked::new(self, input, session)) };
        let mut rows = input;
        for (_, step) in route.steps {
            rows = Cow::Owned(Input::Rows(step.0.ask(rows, session)?.transform()?));
        }
        route.last.ask(rows, session)
    }
    fn certificate(&self) -> &Certificate {
        self.fitted.certificate()
    }
    fn verify(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<Verified>> {
        let input = self.ready(self.schema.kind, Cow::Owned(data.input()), session, true)?;
        let aligned = data.with_input(input.into_owned())?;
        let found = session.run(|| self.fitted.reprove(&aligned, session))?;
        let check = |claimed: &Evidence| {
            let found = found.iter().find(|(name, _)| *name == claimed.name).map_or(f64::NAN, |(_, v)| *v);
            Verified { claimed: claimed.clone(), found, holds: claimed.agrees(found) }
        };
        Ok(self.certificate().evidence.iter().map(check).collect())
    }
    fn attributes(&self) -> Vec<Attribute> {
        self.fitted.attributes()
    }
    fn parts(&self) -> Vec<(&str, &NestedModel)> {
        self.fitted.parts()
    }
    fn encode(&self) -> Result<Encoded> {
        let head = Head {
            params: Value::Object(self.learner.to_object()).to_json().to_string(),
            schema: Cow::Borrowed(&self.schema),
            seed: self.seed,
        };
        let bytes = postcard::to_stdvec(&head).and_then(|head| self.fitted.write(head));
        let bytes = bytes.map_err(|e| Error::format(format!("{}: {e}", self.name())))?;
        Ok(Encoded { name: self.name().to_owned(), version: self.fitted.version(), bytes })
    }
    fn clone_box(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}
