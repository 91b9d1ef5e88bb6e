//! Bagging: many copies of one learner, each on rows drawn anew.
//!
//! # Objective
//! The mean of estimators of variance $\sigma^2$ and correlation $\rho$ has the variance
//! $$ \rho\sigma^2 + \frac{1-\rho}{B}\sigma^2, $$
//! so averaging $B$ models that differ helps, the more the less they agree.
//!
//! # Algorithm
//! Each member learns from `max_samples` rows drawn with replacement (or without, `bootstrap = false`), and from
//! `max_features` features drawn without. Rows are drawn in proportion to their weights, so that any learner can be
//! bagged. Probabilities are averaged, votes counted where members give none, numbers averaged. A row that a member
//! did not draw tests it: the out-of-bag estimate needs no other rows. About 36.8 % of the rows are out of each bag.
//!
//! # Complexity
//! `n_estimators` fits, in parallel; the out-of-bag estimate costs as many predictions of all rows.
//!
//! # Example
//! ```
//! use mercer_ensemble::BaggingClassifier;
//! assert_eq!(BaggingClassifier::default().bagging.n_estimators, 10);
//! ```
//!
//! # Numerics
//! Rows that are in every bag have no out-of-bag prediction (NaN) and are left out of the estimate.
//!
//! # References
//! - L. Breiman. Bagging predictors. Machine Learning 24, 1996. doi:10.1007/BF00058655
//! - L. Breiman. Out-of-bag estimation. Technical report, UC Berkeley, 1996.
//! - T. K. Ho. The random subspace method for constructing decision forests. IEEE PAMI 20(8), 1998.
//!   doi:10.1109/34.709601

use crate::base;
use crate::explain::{Part, Sum, explains_as_sum, explains_mean, narrow};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, CountOrShare, Dataset, Evidence, Fitted, Input, Learn,
    Members, Model, NestedLearner, NestedModel, Outputs, ParamGroup, Params, Prediction, Proba, Result,
    Schema, Session, Task, Termination,
};
use mercer_math::{Mat, Weights, argmax, rng_for, sample_indices};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What both bagging learners share.
#[derive(Clone, Debug, ParamGroup)]
pub struct BaggingParams {
    /// The learner; none means a decision tree.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// Number of members.
    #[param(default = 10, range = "[1, inf)", search = "int 10..100")]
    pub n_estimators: usize,
    /// Rows drawn for each: a count, or a share of all.
    #[param(default = CountOrShare::Share(1.0))]
    pub max_samples: CountOrShare,
    /// Features drawn for each: a count, or a share of all.
    #[param(default = CountOrShare::Share(1.0))]
    pub max_features: CountOrShare,
    /// Whether rows are drawn with replacement.
    #[param(default = true)]
    pub bootstrap: bool,
    /// Whether to estimate the score from the rows out of each bag.
    #[param(default = false)]
    pub oob_score: bool,
}

/// Bagging: many copies of one classifier, each on rows drawn anew, decide together.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "bagging",
    canon = "T5",
    task = Classification,
    python = "ensemble",
    twin = "BaggingRegressor",
    tried = "n_estimators=12 | estimator=logistic,max_features=0.5,oob_score=true",
    session = "n_jobs random_state verbose",
    door = "bootstrap_features=False warm_start=False",
    can = "proba explain members weights counts_rows ordered random",
    references = "Breiman. Bagging predictors. Machine Learning 24, 1996."
)]
pub struct BaggingClassifier {
    /// What both bagging learners share.
    #[param(flatten)]
    pub bagging: BaggingParams,
}

/// Bagging: the mean of many copies of one regressor, each on rows drawn anew.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "bagging-regressor",
    canon = "T5",
    task = Regression,
    python = "ensemble",
    twin = "BaggingClassifier",
    tried = "n_estimators=12",
    session = "n_jobs random_state verbose",
    door = "bootstrap_features=False warm_start=False",
    can = "explain members weights counts_rows ordered random",
    references = "Breiman. Bagging predictors. Machine Learning 24, 1996."
)]
pub struct BaggingRegressor {
    /// What both bagging learners share.
    #[param(flatten)]
    pub bagging: BaggingParams,
}

/// Models, each of its own rows and features.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BaggingModel {
    members: Vec<NestedModel>,
    /// The features of each member, in rising order; empty for all.
    features: Vec<Vec<u32>>,
    /// The out-of-bag score, and predictions (rows × classes, or × 1).
    oob: Option<(f64, Mat)>,
    draw: Draw,
    certificate: Certificate,
}

/// How rows are drawn, so that anyone with the rows can draw them again.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Draw {
    seed: u64,
    rows: CountOrShare,
    bootstrap: bool,
}

/// So many of `n`: one at least, and all at most.
fn drawn(amount: CountOrShare, n: usize) -> usize {
    (amount.of(n as f64) as usize).clamp(1, n.max(1))
}

impl Draw {
    /// The rows of member `m`, with repetitions where they are drawn with replacement.
    fn rows(&self, m: usize, n: usize, weights: Option<&[f64]>) -> Vec<usize> {
        let mut rng = rng_for(self.seed, 2 * m as u64);
        let there: Vec<usize> = (0..n).filter(|&i| Weights::from(weights).counts(i)).collect();
        let wanted = drawn(self.rows, there.len());
        if !self.bootstrap {
            let mut rows: Vec<usize> =
                sample_indices(&mut rng, there.len(), wanted).into_iter().map(|i| there[i]).collect();
            rows.sort_unstable();
            return rows;
        }
        let ones;
        let weights = match weights {
            Some(weights) => weights,
            None => {
                ones = vec![1.0; n];
                &ones
            }
        };
        base::draw_by_weight(&mut rng, weights, Some(wanted))
    }
}

/// The two learners are one, but for the task.
struct Bag<'a> {
    who: &'static str,
    learner: base::AnyLearner,
    n_estimators: usize,
    max_features: CountOrShare,
    draw: Draw,
    oob_score: bool,
    session: &'a Session,
}

const TREE: &str = "DecisionTreeClassifier";
const REGRESSION_TREE: &str = "DecisionTreeRegressor";

macro_rules! bagging {
    ($learner:ty, $default:expr, $task:expr, $proba:expr) => {
        impl Learn for $learner {
            type Model = BaggingModel;

            fn capabilities(&self) -> Capabilities {
                let own = Capabilities { proba: $proba, ..Self::declaration().capabilities };
                let drawn = Capabilities { weights: true, ..own };
                let together = base::together_with(drawn, &self.bagging.estimator, $default);
                let member = base::resolve(&self.bagging.estimator, $default).map(|m| m.capabilities());
                let explain = together.explain && member.is_ok_and(|m| !m.decision);
                // Draws honour weights, whatever the learner does.
                Capabilities { weights: self.bagging.bootstrap || together.weights, explain, ..together }
            }

            fn check(&self) -> Result<()> {
                self.check_params()?;
                self.bagging.max_samples.check(Self::NAME, "max_samples", "", 1)?;
                self.bagging.max_features.check(Self::NAME, "max_features", "", 1)?;
                let member = base::resolve(&self.bagging.estimator, $default)?;
                base::check_member(Self::NAME, "estimator", member.as_ref(), $task)
            }

            fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<BaggingModel> {
                let bag = Bag {
                    who: Self::NAME,
                    learner: base::resolve(&self.bagging.estimator, $default)?,
                    n_estimators: self.bagging.n_estimators,
                    max_features: self.bagging.max_features,
                    draw: Draw {
                        seed: session.seed(),
                        rows: self.bagging.max_samples,
                        bootstrap: self.bagging.bootstrap,
                    },
                    oob_score: self.bagging.oob_score,
                    session,
                };
                bag.learn(data)
            }
        }
    };
}
bagging!(BaggingClassifier, TREE, Task::Classification, true);
bagging!(BaggingRegressor, REGRESSION_TREE, Task::Regression, false);

impl Bag<'_> {
    fn learn(&self, data: &Dataset<'_>) -> Result<BaggingModel> {
        let (weights, d) = (data.weights(), data.n_features());
        let k = drawn(self.max_features, d);
        // Drawing in proportion to the weights takes their place.
        let plain = if self.draw.bootstrap { data.without_weights() } else { data.clone() };
        let one = |m: usize| -> Result<Option<(NestedModel, Vec<u32>)>> {
            if m > 0 && self.session.interrupted().is_some() {
                return Ok(None);
            }
            let mut rng = rng_for(self.draw.seed, 2 * m as u64 + 1);
            let mut features: Vec<u32> = match k < d {
                true => sample_indices(&mut rng, d, k).into_iter().map(|j| j as u32).collect(),
                false => Vec::new(),
            };
            features.sort_unstable();
            let own = plain.subset(&self.draw.rows(m, data.n_rows(), weights.as_deref()))?;
            let own = own.with_input(narrow(&own.input(), &features, self.who)?.into_owned())?;
            let model = self.learner.train(&own, &self.session.split(m as u64).quiet())?;
            Ok(Some((NestedModel(model), features)))
        };
        let made =
            (0..self.n_estimators).into_par_iter().with_max_len(1).map(one).collect::<Result<Vec<_>>>()?;
        let termination = self.session.interrupted().unwrap_or(Termination::Complete);
        let (members, features): (Vec<_>, Vec<_>) = made.into_iter().flatten().unzip();
        let names = (0..).map(|m| format!("member {m}"));
        let certificate = base::certificate(termination, names.zip(&members));
        let mut model = BaggingModel {
            members,
            features,
            oob: None,
            draw: self.draw,
            certificate: Certificate::new(termination),
        };
        let schema = Schema::of(data);
        let found = model.infer(&data.input(), &schema, self.session)?;
        model.certificate = base::certified(certificate, base::fit_evidence(data, &found, self.who)?, data)?;
        if self.oob_score {
            let (score, predictions) = model.out_of_bag(data, &schema, self.session)?;
            let (name, meaning) = oob_name(&schema);
            model.certificate = match score.is_finite() {
                true => model.certificate.with_evidence(Evidence::value(name, score, meaning)),
                false => model.certificate.with_note("no score out of bag: no row is outside of any bag"),
            };
            model.oob = Some((score, predictions));
        }
        Ok(model)
    }
}

fn oob_name(schema: &Schema) -> (&'static str, &'static str) {
    match schema.labels() {
        Some(_) => (
            "out-of-bag accuracy",
            "share of the weight of rows that the members without them predict rightly",
        ),
        None => ("out-of-bag R²", "share of the variance explained by the members without each row"),
    }
}

impl BaggingModel {
    /// What member `m` says: probabilities, votes, or numbers (× 1).
    fn member_outputs(&self, m: usize, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Mat> {
        let (model, input) = (self.members[m].0.as_ref(), narrow(input, &self.features[m], "bagging")?);
        match schema.labels() {
            Some(_) if model.can().proba => model.predict_proba(&input, session),
            Some(labels) => {
                let codes = base::codes(model, &input, session)?;
                Ok(Mat::from_fn(codes.len(), labels.len(), |i, c| {
                    f64::from(u8::from(codes[i] as usize == c))
                }))
            }
            None => {
                let values = base::numbers(model, &input, session)?;
                Ok(Mat::from_fn(values.len(), 1, |i, _| values[i]))
            }
        }
    }

    /// The mean of what the members say.
    fn mean(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Mat> {
        let mut sum: Option<Mat> = None;
        for m in 0..self.members.len() {
            let outputs = self.member_outputs(m, input, schema, session)?;
            match &mut sum {
                Some(sum) => mercer_math::axpy(1.0, outputs.as_slice(), sum.as_mut_slice()),
                None => sum = Some(outputs),
            }
        }
        let mut mean = sum.unwrap_or_default();
        mercer_math::scale(1.0 / self.members.len() as f64, mean.as_mut_slice());
        Ok(mean)
    }

    /// The mean as a sum, for explanations. Members without probabilities vote, which no explanation of theirs tells.
    fn sum(&self) -> Sum<'_> {
        let labels = self.members.first().and_then(|m| m.0.schema().labels());
        let (members, share) = (self.members.iter().zip(&self.features), 1.0 / self.members.len() as f64);
        let (outputs, width) = labels.map_or((Outputs::Numbers, 1), |l| (Outputs::Probabilities, l.len()));
        Sum {
            who: "bagging",
            parts: members.map(|(m, features)| Part { features, ..Part::of(m.0.as_ref(), share) }).collect(),
            start: vec![0.0; width],
            outputs,
            member_outputs: outputs,
        }
    }

    /// The score and the predictions of each row by the members that did not draw it.
    fn out_of_bag(&self, data: &Dataset<'_>, schema: &Schema, session: &Session) -> Result<(f64, Mat)> {
        let (n, weights, input) = (data.n_rows(), data.weights(), data.input());
        let mut sum = Mat::zeros(n, schema.labels().map_or(1, |l| l.len()));
        let mut count = vec![0.0; n];
        for m in 0..self.members.len() {
            let mut drawn = vec![false; n];
            self.draw.rows(m, n, weights.as_deref()).into_iter().for_each(|i| drawn[i] = true);
            let out: Vec<usize> = (0..n).filter(|&i| !drawn[i]).collect();
            let outputs = self.member_outputs(m, &input.gather(&out), schema, session)?;
            for (at, &i) in out.iter().enumerate() {
                mercer_math::axpy(1.0, outputs.row(at), sum.row_mut(i));
                count[i] += 1.0;
            }
        }
        for (i, c) in count.iter().enumerate() {
            sum.row_mut(i).iter_mut().for_each(|v| *v /= c);
        }
        let target = data.need_target("bagging")?;
        let seen: Vec<usize> = (0..n).filter(|&i| count[i] > 0.0).collect();
        let w: Vec<f64> = seen.iter().map(|&i| Weights::of(&weights)[i]).collect();
        let score = match target.class() {
            Ok((truth, _)) => {
                let right =
                    |(&i, w): (&usize, &f64)| if argmax(sum.row(i)) == truth[i] as usize { *w } else { 0.0 };
                seen.iter().zip(&w).map(right).sum::<f64>() / w.iter().sum::<f64>()
            }
            Err(_) => {
                let truth: Vec<f64> =
                    seen.iter().map(|&i| target.numbers().map_or(f64::NAN, |y| y[i])).collect();
                let found: Vec<f64> = seen.iter().map(|&i| sum[(i, 0)]).collect();
                mercer_measure::r2(&truth, &found, Some(&w)).unwrap_or(f64::NAN)
            }
        };
        Ok((score, sum))
    }
}

impl Proba for BaggingModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        match self.members.first() {
            Some(first) => self.mean(input, first.0.schema(), session),
            None => Ok(Mat::default()),
        }
    }
}

explains_as_sum!(BaggingModel);

impl Members for BaggingModel {
    fn n_members(&self) -> usize {
        self.members.len()
    }
    fn member(&self, i: usize, _: &dyn Model) -> Result<Box<dyn Model>> {
        Ok(self.members[i].0.clone_box())
    }
    fn columns(&self, i: usize) -> Option<Vec<usize>> {
        let own = &self.features[i];
        (!own.is_empty()).then(|| own.iter().map(|&j| j as usize).collect())
    }
}

impl Fitted for BaggingModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let mean = self.mean(input, schema, session)?;
        match schema.labels() {
            Some(_) => schema.prediction([base::most_probable(&mean)]),
            None => schema.prediction([mean.into_vec()]),
        }
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            proba: self.members.first().and_then(|m| m.0.schema().labels()).map(|_| self as _),
            explain: self.members.first().filter(|m| explains_mean(m.0.as_ref())).map(|_| self as _),
            members: Some(self),
            ..Abilities::default()
        }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        (ability == "explain").then(|| crate::explain::silent(self.members.iter().map(|m| m.0.as_ref())))
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let Some(first) = self.members.first() else { return Ok(Vec::new()) };
        let schema = first.0.schema();
        let found = self.infer(&data.input(), schema, session)?;
        let (name, value) = base::fit_evidence(data, &found, "bagging")?;
        let mut all = vec![(name.to_owned(), value)];
        if self.oob.is_some() {
            all.push((oob_name(schema).0.to_owned(), self.out_of_bag(data, schema, session)?.0));
        }
        Ok(all)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let Some((score, predictions)) = &self.oob else { return Vec::new() };
        let (n, k) = (predictions.n_rows(), predictions.n_cols());
        let values = predictions.as_slice().to_vec();
        let found = match self.abilities().proba {
            Some(_) => Attribute::real("oob_decision_function_", "Class shares out of bag.", &[n, k], values),
            None => Attribute::real("oob_prediction_", "Predictions out of bag.", &[n], values),
        };
        vec![Attribute::real("oob_score_", "The score out of bag.", &[], vec![*score]), found]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features() as u32;
        let suits = |(m, f): (&NestedModel, &Vec<u32>)| {
            let width = if f.is_empty() { d as usize } else { f.len() };
            let own = m.0.schema();
            base::same_target(m, schema)
                && own.kind == schema.kind
                && own.n_features() == width
                && f.windows(2).all(|w| w[0] < w[1])
                && f.last().is_none_or(|j| *j < d)
        };
        let ok = !self.members.is_empty()
            && self.features.len() == self.members.len()
            && self.members.iter().zip(&self.features).all(suits)
            && self.oob.as_ref().is_none_or(|(_, p)| p.is_consistent());
        if ok { Ok(()) } else { Err("members that do not fit the schema".to_owned()) }
    }
}
