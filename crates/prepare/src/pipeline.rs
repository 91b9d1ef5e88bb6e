//! Pipelines: preparation and learning as one learner.
//!
//! # Objective
//! That of the last step, on what the steps before it make of the data.
//!
//! # Algorithm
//! Each step is fitted on the training rows alone, as the steps before it transform them; the same fitted steps
//! then prepare validation rows and new data. In cross validation nothing leaks from a fold's test rows.
//!
//! # Complexity
//! The sum of the steps'.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_prepare::{Pipeline, StandardScaler};
//! let x = Mat::from_rows(&[[1.0], [3.0]]).unwrap();
//! let pipeline = Pipeline::of(vec![("scale", Box::new(StandardScaler::default()))]);
//! let model = pipeline.fit(&Dataset::new(&x))?;
//! assert_eq!(model.transform(&x)?.n_rows(), 2);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Those of the steps.
//!
//! # References
//! - L. Buitinck et al. API design for machine learning software. ECML workshop, 2013. arXiv:1309.0238

use mercer_core::sums::Batches;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Error, Fitted, Input, Kinds, Learn, Learner,
    Model, NestedLearner, NestedModel, Params, Result, Rows, Schema, Session, Steps, Task, Termination,
    Value,
};
use serde::{Deserialize, Serialize};

/// A pipeline: steps that transform, then one that learns.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "pipeline",
    canon = "D7",
    task = Composite,
    python = "pipeline",
    tried = "steps=[imputer, standard-scaler, logistic] | steps=[standard-scaler, ridge] | steps=[standard-scaler, pca(n_components=2)] | steps=[bins(encode=ordinal, strategy=uniform), id3]",
    can = "weights",
    references = "Buitinck et al. API design for machine learning software. 2013. arXiv:1309.0238"
)]
pub struct Pipeline {
    /// The steps by name; all but the last must transform.
    #[param(default = Steps::default(), transparent)]
    pub steps: Steps,
}

/// Fitted steps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PipelineModel {
    steps: Vec<(String, NestedModel)>,
    certificate: Certificate,
}

impl Pipeline {
    /// A pipeline of named steps.
    pub fn of(steps: Vec<(&str, Box<dyn Learner>)>) -> Self {
        Self { steps: Steps(steps.into_iter().map(|(n, l)| (n.to_owned(), NestedLearner(l))).collect()) }
    }

    fn parts(&self) -> impl Iterator<Item = (&str, &dyn Learner)> {
        self.steps.0.iter().map(|(name, step)| (name.as_str(), step.0.as_ref()))
    }

    fn last(&self) -> Option<&dyn Learner> {
        self.steps.0.last().map(|(_, step)| step.0.as_ref())
    }

    /// Fits the steps in turn; with `through`, the last one transforms the rows, too.
    fn run(
        &self,
        data: &Dataset<'_>,
        session: &Session,
        through: bool,
    ) -> Result<(PipelineModel, Option<Rows<'static>>)> {
        let mut data = data.clone();
        let mut steps: Vec<(String, NestedModel)> = Vec::new();
        let (n, mut out, mut chain) = (self.steps.0.len(), None, String::new());
        let cache = session.cache();
        // Every step has the seed that it would have alone.
        let session = session.clone().with_cache(None);
        for (i, (name, step)) in self.parts().enumerate() {
            let last = i + 1 == n;
            let weightless = data.weights().is_some() && !step.capabilities().weights && !last;
            let seen = if weightless { data.without_weights() } else { data.clone() };
            let model = match last && !through {
                true => step.train(&seen, &session)?,
                false => {
                    let make = || step.train_transform(&seen, &session);
                    chain += &format!("{}@{} ", Value::Object(step.to_object()), session.seed());
                    let (model, rows) = cache.map_or_else(make, |cache| cache.step(&chain, make))?;
                    if last {
                        out = Some(rows);
                    } else {
                        data = advance(&data, model.as_ref(), rows, &session)?;
                    }
                    model
                }
            };
            steps.push((name.to_owned(), NestedModel(model)));
        }
        Ok((PipelineModel::new(steps), out))
    }
}

/// The data for the next step: the rows as this one made them, the validation rows as it transforms them.
fn advance<'a>(
    data: &Dataset<'a>,
    model: &dyn Model,
    rows: Rows<'static>,
    session: &Session,
) -> Result<Dataset<'a>> {
    let next = data.with_input(Input::Rows(rows))?;
    Ok(match data.valid() {
        Some(valid) => {
            let rows = model.transform(&valid.input(), session)?;
            next.with_valid(valid.with_input(Input::Rows(rows))?)
        }
        None => next,
    })
}

impl Learn for Pipeline {
    type Model = PipelineModel;
    const COMPOSITE: bool = true;
    const CACHES: bool = true;

    fn kinds(&self) -> Kinds {
        self.parts().next().map_or(<Self as Params>::declaration().kinds, |(_, step)| step.kinds())
    }

    fn task(&self) -> Task {
        self.last().map_or(Task::Composite, Learner::task)
    }

    /// The first step decides what goes in, the last what comes out.
    fn capabilities(&self) -> Capabilities {
        let Some(last) = self.last() else { return <Self as Params>::declaration().capabilities };
        let last = last.capabilities();
        // What goes in must be taken by every step up to the one that turns it into something else.
        let taken = |takes: fn(&Capabilities) -> bool, ends: fn(&Capabilities) -> bool| {
            let steps: Vec<Capabilities> = self.parts().map(|(_, step)| step.capabilities()).collect();
            let until = steps.iter().position(ends).map_or(steps.len(), |i| i + 1);
            steps[..until].iter().all(takes)
        };
        let any = |f: fn(&Capabilities) -> bool| self.parts().any(|(_, step)| f(&step.capabilities()));
        Capabilities {
            missing: taken(|c| c.missing, |c| c.fills),
            categorical: taken(|c| c.categorical, |c| c.encodes),
            text: taken(|c| c.text, |c| c.encodes),
            times: taken(|c| c.times, |c| c.encodes),
            supervised: any(|c| c.supervised),
            cross_fits: any(|c| c.cross_fits),
            sparse: taken(|c| c.sparse, |_| false),
            inverse: self.parts().all(|(_, step)| step.capabilities().inverse),
            by_sums: self.parts().all(|(_, step)| step.capabilities().by_sums),
            random: any(|c| c.random),
            ordered: any(|c| c.ordered),
            counts_rows: any(|c| c.counts_rows),
            // Whoever builds a pipeline has said how its rows are prepared.
            scaled: false,
            counts: false,
            nonnegative: self.parts().next().is_some_and(|(_, first)| first.capabilities().nonnegative),
            ..last
        }
    }

    fn check(&self) -> Result<()> {
        if self.steps.0.is_empty() {
            return Err(Error::too_few(Self::NAME, "steps", 1, 0));
        }
        let n = self.steps.0.len();
        for (i, (name, step)) in self.parts().enumerate() {
            step.check()?;
            if name.is_empty() || name.contains("__") {
                return Err(Error::param(Self::NAME, "steps", "named without `__`", name));
            }
            if self.parts().take(i).any(|(other, _)| other == name) {
                return Err(Error::param(Self::NAME, "steps", "named differently", name));
            }
            if i + 1 < n && !step.capabilities().transform {
                let who = step.declaration().name;
                return Err(Error::param(
                    Self::NAME,
                    name,
                    "a transformer, since it is not the last step",
                    who,
                ));
            }
        }
        Ok(())
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<PipelineModel> {
        self.run(data, session, false).map(|(model, _)| model)
    }

    fn learn_transform(
        &self,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Option<Result<(PipelineModel, Rows<'static>)>> {
        let cross_fits = Learn::capabilities(self).cross_fits && Learn::task(self) == Task::Transformation;
        let rows = |rows: Option<_>| rows.ok_or_else(|| Error::too_few(Self::NAME, "steps", 1, 0));
        cross_fits.then(|| self.run(data, session, true).and_then(|(model, out)| Ok((model, rows(out)?))))
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<PipelineModel>> {
        let mut steps: Vec<(String, NestedModel)> = Vec::new();
        for (name, step) in self.parts() {
            let mut prepared = PreparedBatches { inner: batches, steps: &steps, session };
            match step.train_stream(&mut prepared, session) {
                Ok(model) => steps.push((name.to_owned(), NestedModel(model))),
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok(PipelineModel::new(steps)))
    }
}

/// Batches as fitted steps transform them.
struct PreparedBatches<'a> {
    inner: &'a mut dyn Batches,
    steps: &'a [(String, NestedModel)],
    session: &'a Session,
}

impl Batches for PreparedBatches<'_> {
    fn schema(&mut self) -> Result<Schema> {
        let schema = self.inner.schema()?;
        if self.steps.is_empty() {
            return Ok(schema);
        }
        self.rewind()?;
        let first = self.next_batch()?.ok_or_else(|| Error::too_few(Pipeline::NAME, "rows", 1, 0))?;
        self.rewind()?;
        Ok(Schema { targets: schema.targets, ..Schema::of(&first) })
    }

    fn next_batch(&mut self) -> Result<Option<Dataset<'static>>> {
        let Some(mut batch) = self.inner.next_batch()? else { return Ok(None) };
        for (_, step) in self.steps {
            let rows = step.0.transform(&batch.input(), self.session)?;
            batch = batch.with_input(Input::Rows(rows))?;
        }
        Ok(Some(batch))
    }

    fn rewind(&mut self) -> Result<()> {
        self.inner.rewind()
    }
}

impl PipelineModel {
    fn new(steps: Vec<(String, NestedModel)>) -> Self {
        let termination = steps
            .iter()
            .map(|(_, m)| m.0.certificate().termination)
            .find(|t| !t.is_success())
            .or_else(|| steps.last().map(|(_, m)| m.0.certificate().termination));
        let mut certificate = Certificate::without_evidence(
            termination.unwrap_or(Termination::Exact),
            "a pipeline proves what its steps prove",
        );
        certificate.children = steps.iter().map(|(n, m)| (n.clone(), m.0.certificate().clone())).collect();
        Self { steps, certificate }
    }

    /// The fitted steps by name.
    pub fn steps(&self) -> impl Iterator<Item = (&str, &dyn Model)> {
        self.steps.iter().map(|(n, m)| (n.as_str(), m.0.as_ref()))
    }

    /// The last step, which learns.
    pub fn last(&self) -> Option<&dyn Model> {
        self.steps.last().map(|(_, m)| m.0.as_ref())
    }
}

impl Fitted for PipelineModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// What the last step can be asked, of the rows that the others make.
    fn abilities(&self) -> Abilities<'_> {
        match self.steps.split_last() {
            Some(((_, last), before)) => Abilities::behind(before, last.0.as_ref()),
            None => Abilities::default(),
        }
    }

    fn attributes(&self) -> Vec<Attribute> {
        self.last().map(Model::attributes).unwrap_or_default()
    }

    fn parts(&self) -> Vec<(&str, &NestedModel)> {
        self.steps.iter().map(|(name, step)| (name.as_str(), step)).collect()
    }

    fn validate(&self, _: &Schema) -> Result<(), String> {
        let n = self.steps.len();
        let transforms = self.steps().take(n.saturating_sub(1)).all(|(_, m)| m.can().transform);
        if n > 0 && transforms { Ok(()) } else { Err("steps that do not transform".to_owned()) }
    }
}
